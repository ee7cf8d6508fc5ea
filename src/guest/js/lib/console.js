/*
 * console, and Console over any two streams. The global one writes to process.stdout and process.stderr through their
 * write(), which scripts replace to catch output.
 */
'use strict';

const { codes } = require('internal/errors');
const { validateArray, validateInteger, validateObject } = require('internal/validators');
const { inspect } = require('internal/inspect');
const { formatWith } = require('internal/format');
const { forConsole } = require('internal/stdio');
const process = require('process');

const states = new WeakMap();

function colorsOf(state, stream) {
	if (state.colorMode !== 'auto')
		return state.colorMode;
	return !!stream && !!stream.isTTY && (typeof stream.getColorDepth !== 'function' || stream.getColorDepth() > 2);
}

const withColors = { colors: true }, withoutColors = {};

function optionsFor(state, stream) {
	const colors = colorsOf(state, stream);
	if (state.inspectOptions) {
		const given = state.inspectOptions instanceof Map ? state.inspectOptions.get(stream) : state.inspectOptions;
		if (given)
			return given.colors === undefined ? { ...given, colors } : given;
	}
	return colors ? withColors : withoutColors;
}

function write(state, stream, text) {
	if (state.indent !== '')
		text = state.indent + (text.includes('\n') ? text.replaceAll('\n', `\n${state.indent}`) : text);
	text += '\n';
	if (!state.ignoreErrors || typeof stream.listenerCount !== 'function' && states.get(console) === state)
		return stream.write(text);
	/* nobody is told of a stream that fails while console writes to it, or when what was written so arrives */
	try {
		if (stream.listenerCount('error') === 0)
			stream.once('error', nothing);
		stream.write(text, (error) => {
			if (error && !stream._writableState?.errorEmitted && stream.listenerCount('error') === 0)
				stream.once('error', nothing);
		});
	} catch (error) {
		if (/call stack/.test(error && error.message))
			throw error;
	} finally {
		stream.removeListener('error', nothing);
	}
}
function nothing() {}

function print(self, which, args) {
	const state = states.get(self);
	const stream = state[which];
	write(state, stream, formatWith(optionsFor(state, stream), args));
}

function warn(text) {
	process.emitWarning(text);
}

/* ms as people read it: 1.234ms, 2.000s, 1:02.500 (m:ss.mmm) */
function elapsed(ms) {
	if (ms < 1000)
		return `${Number(ms.toFixed(3))}ms`;
	let rest = ms / 1000, hours = 0, minutes = 0;
	if (ms >= 3600000)
		hours = Math.floor(ms / 3600000);
	if (ms >= 60000)
		minutes = Math.floor(ms / 60000) % 60;
	rest = (ms % 60000) / 1000;
	if (hours !== 0 || minutes !== 0) {
		const [seconds, fraction] = rest.toFixed(3).split('.');
		const shown = hours !== 0 ? `${hours}:${String(minutes).padStart(2, '0')}` : minutes;
		return `${shown}:${seconds.padStart(2, '0')}.${fraction} (${hours !== 0 ? 'h:m' : ''}m:ss.mmm)`;
	}
	return `${rest.toFixed(3)}s`;
}

function now() {
	return host.monotonic() / 1e6;
}

function timeLog(self, name, label, rest) {
	const start = states.get(self).timers.get(label);
	if (start === undefined) {
		warn(`No such label '${label}' for console.${name}()`);
		return false;
	}
	const shown = elapsed(now() - start);
	if (rest)
		self.log('%s: %s', label, shown, ...rest);
	else
		self.log('%s: %s', label, shown);
	return true;
}

const methods = {
	log(...args) { print(this, 'stdout', args); },
	warn(...args) { print(this, 'stderr', args); },
	dir(object, options) {
		const state = states.get(this), stream = state.stdout;
		write(state, stream, inspect(object, { customInspect: false, ...optionsFor(state, stream), ...options }));
	},
	time(label = 'default') {
		label = `${label}`;
		const { timers } = states.get(this);
		if (timers.has(label))
			return void warn(`Label '${label}' already exists for console.time()`);
		timers.set(label, now());
	},
	timeEnd(label = 'default') {
		label = `${label}`;
		if (timeLog(this, 'timeEnd', label))
			states.get(this).timers.delete(label);
	},
	timeLog(label = 'default', ...data) { timeLog(this, 'timeLog', `${label}`, data); },
	trace(...args) {
		const error = { name: 'Trace', message: formatWith({}, args) };
		const head = error.message === '' ? 'Trace' : `Trace: ${error.message}`;
		Error.captureStackTrace(error, this.trace);
		const at = String(error.stack).indexOf('\n    at ');
		this.error(head + (at < 0 ? '' : error.stack.slice(at)));
	},
	assert(expression, ...args) {
		if (!expression) {
			args[0] = `Assertion failed${args.length === 0 ? '' : `: ${args[0]}`}`;
			Reflect.apply(this.warn, this, args);
		}
	},
	clear() {
		const { stdout } = states.get(this);
		if (stdout.isTTY && process.env.TERM !== 'dumb')
			stdout.write('\u001b[1;1H\u001b[0J');
	},
	count(label = 'default') {
		label = `${label}`;
		const { counts } = states.get(this);
		const count = (counts.get(label) || 0) + 1;
		counts.set(label, count);
		this.log(`${label}: ${count}`);
	},
	countReset(label = 'default') {
		const { counts } = states.get(this);
		if (!counts.delete(`${label}`))
			warn(`Count for '${label}' does not exist`);
	},
	group(...data) {
		if (data.length > 0)
			Reflect.apply(this.log, this, data);
		const state = states.get(this);
		state.indent += ' '.repeat(state.width);
	},
	groupEnd() {
		const state = states.get(this);
		state.indent = state.indent.slice(0, state.indent.length - state.width);
	},
	table(data, properties) {
		if (data === null || typeof data !== 'object')
			return this.log(data);
		if (properties !== undefined)
			validateArray(properties, 'properties');
		const state = states.get(this);
		this.log(require('internal/table').table(data, properties, optionsFor(state, state.stdout)));
	},
};

const later = { debug: methods.log, info: methods.log, dirxml: methods.log, error: methods.warn, groupCollapsed: methods.group };

function checkStream(stream, name) {
	if (!stream || typeof stream.write !== 'function')
		throw new codes.ERR_CONSOLE_WRITABLE_STREAM(name);
}

function newState(fields) {
	return { counts: new Map(), timers: new Map(), indent: '', width: 2, colorMode: 'auto', ignoreErrors: true, ...fields };
}

function bindMethods(target) {
	for (const name of Object.keys({ ...methods, ...later })) {
		const method = target[name] ?? methods[name] ?? later[name];	/* a subclass may have its own */
		const bound = { [name](...args) { return Reflect.apply(method, target, args); } }[name];
		Object.defineProperty(bound, 'length', { value: method.length, configurable: true });
		Object.defineProperty(target, name, { value: bound, writable: true, enumerable: true, configurable: true });
	}
}

function Console(options) {
	if (new.target === undefined)
		return Reflect.construct(Console, arguments);
	if (!options || typeof options.write === 'function')
		options = { stdout: options, stderr: arguments[1], ignoreErrors: arguments[2] };
	const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', inspectOptions, groupIndentation } = options;
	checkStream(stdout, 'stdout');
	checkStream(stderr, 'stderr');
	if (colorMode !== 'auto' && typeof colorMode !== 'boolean')
		throw new codes.ERR_INVALID_ARG_VALUE('colorMode', colorMode, "must be one of: 'auto', true, false");
	if (groupIndentation !== undefined)
		validateInteger(groupIndentation, 'groupIndentation', 0, 1000);
	if (inspectOptions !== undefined) {
		validateObject(inspectOptions, 'options.inspectOptions', { allowArray: true });
		if (inspectOptions.colors !== undefined && options.colorMode !== undefined)
			throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR('options.inspectOptions.color', 'colorMode');
	}
	states.set(this, newState({ stdout, stderr, ignoreErrors, colorMode, inspectOptions, width: groupIndentation ?? 2 }));
	bindMethods(this);
}

for (const [name, method] of Object.entries({ ...methods, ...later }))
	Console.prototype[name] = method;

/* The global console: a plain object. */
const console = Object.create({});
states.set(console, Object.defineProperties(newState({}), {
	stdout: { get() { return forConsole(1); } },
	stderr: { get() { return forConsole(2); } },
}));
bindMethods(console);
console.Console = Console;
for (const name of ['profile', 'profileEnd', 'timeStamp', 'context', 'createTask'])
	console[name] = { [name]() {} }[name];
Object.defineProperty(Console, Symbol.hasInstance, { value: (instance) => states.has(instance) });
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', writable: false, enumerable: false, configurable: true });

module.exports = console;
