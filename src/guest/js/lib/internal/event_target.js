/* Event, EventTarget and CustomEvent of the web, without a tree: an event has one target. */
'use strict';

const { codes } = require('internal/errors');
const { validateObject } = require('internal/validators');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const kTarget = Symbol('target');
const kTrusted = Symbol('trusted');

function argumentsMissing(...names) {
	return new codes.ERR_MISSING_ARGS(...names);
}

class Event {
	#type; #bubbles; #cancelable; #composed;
	#target = null; #prevented = false; #stop = false; #stopped = false; #dispatching = false; #passive = false;
	#trusted = false;
	#time = require('internal/clock').now();
	constructor(type, options = undefined) {
		if (arguments.length === 0)
			throw argumentsMissing('type');
		if (options != null)
			validateObject(options, 'options');
		this.#type = `${type}`;
		this.#bubbles = !!options?.bubbles;
		this.#cancelable = !!options?.cancelable;
		this.#composed = !!options?.composed;
		this.#trusted = !!options?.[kTrusted];
	}
	[inspectSymbol](depth, options, inspect) {
		const name = this.constructor.name;
		if (depth < 0)
			return name;
		const deeper = { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth };
		return `${name} ${inspect({ type: this.#type, defaultPrevented: this.#prevented, cancelable: this.#cancelable,
			timeStamp: this.#time }, deeper)}`;
	}
	get type() { return this.#type; }
	get target() { return this.#target; }
	get currentTarget() { return this.#dispatching ? this.#target : null; }
	get srcElement() { return this.#target; }
	get bubbles() { return this.#bubbles; }
	get cancelable() { return this.#cancelable; }
	get composed() { return this.#composed; }
	get defaultPrevented() { return this.#cancelable && this.#prevented; }
	get returnValue() { return !this.#cancelable || !this.#prevented; }
	get timeStamp() { return this.#time; }
	get eventPhase() { return this.#dispatching ? Event.AT_TARGET : Event.NONE; }
	get cancelBubble() { return this.#stop; }
	set cancelBubble(value) {
		if (value)
			this.#stop = true;
	}
	get isTrusted() { return this.#trusted; }
	composedPath() { return this.#dispatching ? [this.#target] : []; }
	preventDefault() {
		if (!this.#passive)
			this.#prevented = this.#prevented || this.#cancelable;
	}
	stopPropagation() { this.#stop = true; }
	stopImmediatePropagation() {
		this.#stop = true;
		this.#stopped = true;
	}
	initEvent(type, bubbles = false, cancelable = false) {
		if (arguments.length === 0)
			throw argumentsMissing('type');
		if (this.#dispatching)
			return;
		this.#type = `${type}`;
		this.#bubbles = !!bubbles;
		this.#cancelable = !!cancelable;
	}
	/* For EventTarget: begins, tells, or ends a dispatch. */
	[kTarget](step, value) {
		if (step === 'begin') {
			this.#target = value;
			this.#dispatching = true;
		} else if (step === 'end') {
			this.#dispatching = false;
		} else if (step === 'passive') {
			this.#passive = value;
		}
		return step === 'stopped' ? this.#stopped : this.#dispatching;
	}
	static NONE = 0;
	static CAPTURING_PHASE = 1;
	static AT_TARGET = 2;
	static BUBBLING_PHASE = 3;
}

class CustomEvent extends Event {
	#detail;
	constructor(type, options = undefined) {
		if (arguments.length === 0)
			throw argumentsMissing('type');
		super(type, options);
		this.#detail = options?.detail ?? null;
	}
	get detail() { return this.#detail; }
}

function tag(Class, enumerable) {
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
	for (const name of enumerable)
		Object.defineProperty(Class.prototype, name, { enumerable: true });
}
tag(Event, ['type', 'target', 'currentTarget', 'srcElement', 'bubbles', 'cancelable', 'composed', 'defaultPrevented', 'returnValue',
	'timeStamp', 'eventPhase', 'cancelBubble', 'isTrusted', 'composedPath', 'preventDefault', 'stopPropagation',
	'stopImmediatePropagation', 'initEvent']);
tag(CustomEvent, ['detail']);
for (const name of ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'])
	Object.defineProperty(Event.prototype, name, { value: Event[name], enumerable: true });

/* ---- targets ---- */

const listenersByTarget = new WeakMap();

function listsOf(target) {
	const lists = target === null || target === undefined ? undefined : listenersByTarget.get(target);
	if (lists === undefined)
		throw new codes.ERR_INVALID_THIS('EventTarget');
	return lists;
}

function usable(listener) {
	if (typeof listener === 'function' || (listener !== null && typeof listener === 'object'))
		return true;
	if (listener == null)
		return false;
	throw new codes.ERR_INVALID_ARG_TYPE('listener', 'EventListener', listener);
}

function report(error) {
	require('process').nextTick(() => { throw error; });
}

function invoke(target, event, entry) {
	try {
		const { listener } = entry;
		event[kTarget]('passive', entry.passive);
		const result = typeof listener === 'function' ? listener.call(target, event) : listener.handleEvent(event);
		if (result !== undefined && result !== null && typeof result.then === 'function')
			result.then(undefined, report);
	} catch (error) {
		report(error);
	} finally {
		event[kTarget]('passive', false);
	}
}

class EventTarget {
	constructor() {
		listenersByTarget.set(this, new Map());
	}
	addEventListener(type, listener, options = {}) {
		const lists = listsOf(this);
		if (arguments.length < 2)
			throw argumentsMissing('type', 'listener');
		const given = typeof options === 'boolean' ? { capture: options } : options ?? {};
		const { once = false, capture = false, passive = false, signal } = given;
		if (!usable(listener)) {
			require('process').emitWarning(Object.assign(new Error(`addEventListener called with ${listener} which has no effect.`),
				{ name: 'AddEventListenerArgumentTypeWarning', target: this, type }));
			return;
		}
		if (signal !== undefined) {
			require('internal/validators').validateAbortSignal(signal, 'options.signal');
			if (signal.aborted)
				return;
			signal.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true });
		}
		type = `${type}`;
		if (!lists.has(type))
			lists.set(type, []);
		const list = lists.get(type);
		if (list.some((entry) => entry.listener === listener && entry.capture === !!capture))
			return;
		list.push({ listener, once: !!once, capture: !!capture, passive: !!passive, removed: false });
	}
	removeEventListener(type, listener, options = {}) {
		const lists = listsOf(this);
		if (arguments.length < 2)
			throw argumentsMissing('type', 'listener');
		if (!usable(listener))
			return;
		const capture = !!(typeof options === 'boolean' ? options : options?.capture);
		const list = lists.get(`${type}`) || [];
		const at = list.findIndex((entry) => entry.listener === listener && entry.capture === capture);
		if (at >= 0)
			list.splice(at, 1)[0].removed = true;
	}
	dispatchEvent(event) {
		const lists = listsOf(this);
		if (arguments.length < 1)
			throw argumentsMissing('event');
		if (!(event instanceof Event))
			throw new codes.ERR_INVALID_ARG_TYPE('event', 'Event', event);
		if (event[kTarget]('asked'))
			throw new codes.ERR_EVENT_RECURSION(event.type);
		event[kTarget]('begin', this);
		for (const entry of [...(lists.get(event.type) || [])]) {
			if (entry.removed)
				continue;
			if (entry.once)
				this.removeEventListener(event.type, entry.listener, entry.capture);
			invoke(this, event, entry);
			if (event[kTarget]('stopped'))
				break;
		}
		event[kTarget]('end');
		return !event.defaultPrevented;
	}
	[inspectSymbol](depth, options, inspect) {
		const name = this.constructor.name;
		if (depth < 0)
			return name;
		return `${name} ${inspect({}, options)}`;
	}
}
tag(EventTarget, ['addEventListener', 'removeEventListener', 'dispatchEvent']);

/* onNAME: one listener that is set like a property. */
exports.handlerProperty = function (prototype, name) {
	const handlers = new WeakMap();
	Object.defineProperty(prototype, `on${name}`, {
		enumerable: true, configurable: true,
		get() { return handlers.get(this)?.handler ?? null; },
		set(value) {
			const old = handlers.get(this);
			if (old) {
				this.removeEventListener(name, old.listener);
				handlers.delete(this);
			}
			if (typeof value !== 'function')
				return;
			const listener = (event) => value.call(this, event);
			handlers.set(this, { handler: value, listener });
			this.addEventListener(name, listener);
		},
	});
};

exports.isEventTarget = (value) => value !== null && typeof value === 'object' && listenersByTarget.has(value);
exports.listenersOf = (target, type) => (listenersByTarget.get(target).get(type) || []).map((entry) => entry.listener);
exports.trusted = kTrusted;
Object.assign(exports, { Event, CustomEvent, EventTarget });
