/* perf_hooks: the clock, marks and measures. What only an engine with a JIT can tell is not here. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateString, validateObject, validateNumber } = require('internal/validators');
const clock = require('internal/clock');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const key = Symbol('entry');

class PerformanceEntry {
	#fields;
	constructor(secret, fields) {
		if (secret !== key)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		this.#fields = fields;
	}
	get name() { return this.#fields.name; }
	get entryType() { return this.#fields.entryType; }
	get startTime() { return this.#fields.startTime; }
	get duration() { return this.#fields.duration; }
	get detail() { return this.#fields.detail; }
	toJSON() {
		const { name, entryType, startTime, duration, detail } = this;
		return { name, entryType, startTime, duration, detail };
	}
	[inspectSymbol](depth, options, inspect) {
		if (depth < 0)
			return this;
		const { name, entryType, startTime, duration, detail } = this;
		const shown = { name, entryType, startTime, duration };
		if (entryType !== 'function')
			shown.detail = detail;
		return `${this.constructor.name} ${inspect(shown, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
	}
}

class PerformanceMark extends PerformanceEntry {
	constructor(name, options = {}) {
		if (arguments.length === 0)
			throw new codes.ERR_MISSING_ARGS('name');
		if (options != null)
			validateObject(options, 'options');
		const startTime = options?.startTime ?? clock.now();
		validateNumber(startTime, 'startTime');
		if (startTime < 0)
			throw new codes.ERR_PERFORMANCE_INVALID_TIMESTAMP(startTime);
		const detail = options?.detail == null ? null : require('internal/structured_clone').structuredClone(options.detail);
		super(key, { name: `${name}`, entryType: 'mark', startTime, duration: 0, detail });
	}
}

class PerformanceMeasure extends PerformanceEntry {}

const entries = [];
const observers = new Set();

function record(entry) {
	entries.push(entry);
	for (const observer of observers)
		observer[key](entry);
	return entry;
}

function markTime(name) {
	if (typeof name === 'number') {
		if (name < 0)
			throw new codes.ERR_PERFORMANCE_INVALID_TIMESTAMP(name);
		return name;
	}
	const mark = entries.findLast((entry) => entry.entryType === 'mark' && entry.name === name);
	if (mark === undefined) {
		const { DOMException } = require('internal/dom_exception');
		throw new DOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
	}
	return mark.startTime;
}

function measureRange(startOrOptions, endMark) {
	const options = startOrOptions !== null && typeof startOrOptions === 'object' ? startOrOptions : {};
	let start, end;
	if (endMark !== undefined)
		end = markTime(endMark);
	else if (options.end !== undefined)
		end = markTime(options.end);
	else if (options.start !== undefined && options.duration !== undefined)
		end = markTime(options.start) + options.duration;
	else
		end = clock.now();
	if (options.start !== undefined)
		start = markTime(options.start);
	else if (options.duration !== undefined && options.end !== undefined)
		start = markTime(options.end) - options.duration;
	else
		start = typeof startOrOptions === 'string' ? markTime(startOrOptions) : 0;
	return [start, end, options.detail];
}

const sorted = (list) => [...list].sort((a, b) => a.startTime - b.startTime);

class Performance extends require('internal/event_target').EventTarget {
	constructor(secret) {
		if (secret !== key)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		super();
	}
	get timeOrigin() { return host.wall() - clock.now(); }
	get nodeTiming() { return { name: 'node', entryType: 'node', startTime: 0, duration: clock.now() }; }
	now() { return clock.now(); }
	mark(name, options = {}) {
		if (arguments.length === 0)
			throw new (require('internal/errors').codes.ERR_MISSING_ARGS)('name');
		return record(new PerformanceMark(name, options));
	}
	measure(name, startOrOptions = {}, endMark = undefined) {
		validateString(name, 'name');
		const [start, end, detail] = measureRange(startOrOptions, endMark);
		return record(new PerformanceMeasure(key, {
			name, entryType: 'measure', startTime: start, duration: end - start,
			detail: detail == null ? null : require('internal/structured_clone').structuredClone(detail),
		}));
	}
	#clear(type, name) {
		for (let i = entries.length - 1; i >= 0; i--) {
			if (entries[i].entryType === type && (name === undefined || entries[i].name === `${name}`))
				entries.splice(i, 1);
		}
	}
	clearMarks(name = undefined) { this.#clear('mark', name); }
	clearMeasures(name = undefined) { this.#clear('measure', name); }
	clearResourceTimings() {}
	setResourceTimingBufferSize() {}
	getEntries() { return sorted(entries); }
	getEntriesByName(name, type = undefined) {
		return sorted(entries.filter((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type)));
	}
	getEntriesByType(type) { return sorted(entries.filter((entry) => entry.entryType === type)); }
	timerify(fn) {
		validateFunction(fn, 'fn');
		const timed = function (...args) {
			const start = clock.now();
			const result = new.target ? Reflect.construct(fn, args, fn) : Reflect.apply(fn, this, args);
			for (const observer of observers) {
				observer[key](new PerformanceEntry(key, {
					name: fn.name, entryType: 'function', startTime: start, duration: clock.now() - start, detail: args,
				}));
			}
			return result;
		};
		return Object.defineProperties(timed, { name: { value: `timerified ${fn.name}` }, length: { value: fn.length } });
	}
	eventLoopUtilization() { return { idle: 0, active: 0, utilization: 0 }; }
	toJSON() { return { nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin, eventLoopUtilization: this.eventLoopUtilization() }; }
}

class PerformanceObserverEntryList {
	#list;
	constructor(secret, list) {
		if (secret !== key)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		this.#list = sorted(list);
	}
	getEntries() { return [...this.#list]; }
	getEntriesByType(type) { return this.#list.filter((entry) => entry.entryType === type); }
	getEntriesByName(name, type = undefined) {
		return this.#list.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
	}
}

class PerformanceObserver {
	#callback;
	#types = new Set();
	#list = [];
	#pending = false;
	constructor(callback) {
		validateFunction(callback, 'callback');
		this.#callback = callback;
	}
	static get supportedEntryTypes() { return ['function', 'mark', 'measure']; }
	observe(options = {}) {
		validateObject(options, 'options');
		const { entryTypes, type, buffered } = options;
		if (entryTypes === undefined && type === undefined)
			throw new codes.ERR_MISSING_ARGS('options.entryTypes', 'options.type');
		(entryTypes ?? [type]).forEach((one) => this.#types.add(one));
		observers.add(this);
		if (buffered)
			entries.forEach((entry) => this[key](entry));
	}
	disconnect() {
		observers.delete(this);
		this.#list = [];
	}
	takeRecords() { return this.#list.splice(0); }
	[key](entry) {
		if (!this.#types.has(entry.entryType))
			return;
		this.#list.push(entry);
		if (this.#pending)
			return;
		this.#pending = true;
		require('timers').setImmediate(() => {
			this.#pending = false;
			if (this.#list.length)
				this.#callback(new PerformanceObserverEntryList(key, this.#list.splice(0)), this);
		});
	}
}

for (const Class of [PerformanceEntry, PerformanceMark, PerformanceMeasure, Performance, PerformanceObserver, PerformanceObserverEntryList])
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

module.exports = {
	PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, Performance,
	performance: new Performance(key),
	constants: { NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN: 0 },
};
