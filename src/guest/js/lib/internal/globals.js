/*
 * The globals that are not the engine's. A lazy one is a getter that asks the library and becomes a plain value.
 */
'use strict';

const g = globalThis;
const loop = require('internal/loop');
const { bind } = require('internal/async_context');
const timers = require('internal/timers');

function hidden(name, value) {
	Object.defineProperty(g, name, { value, writable: true, configurable: true, enumerable: false });
}

function lazy(name, file, key = name, enumerable = false) {
	Object.defineProperty(g, name, {
		get() {
			const value = require(file)[key];
			g[name] = value;
			return value;
		},
		set(value) {
			Object.defineProperty(g, name, { value, writable: true, configurable: true, enumerable });
		},
		configurable: true, enumerable,
	});
}

function callbackOf(fn) {
	if (typeof fn !== 'function') {
		const { codes } = require('internal/errors');
		throw codes.ERR_INVALID_ARG_TYPE('callback', 'Function', fn);
	}
	return fn;
}

function visible(name, value) {
	Object.defineProperty(g, name, { value, writable: true, configurable: true, enumerable: true });
}

/* ---- Timers ---- */

class Immediate {
	constructor(callback, args) {
		this.callback = bind(callback);
		this.args = args;
		this.alive = true;
		this.done = this.dropped = false;
		loop.addImmediate(this);
	}
	ref() {
		this.alive = true;
		return this;
	}
	unref() {
		this.alive = false;
		return this;
	}
	hasRef() {
		return this.alive;
	}
	[Symbol.dispose]() {
		clearImmediate(this);
	}
}

function setTimeout(callback, after, ...args) {
	return new timers.Timeout(callbackOf(callback), after, args, false);
}

function setInterval(callback, repeat, ...args) {
	return new timers.Timeout(callbackOf(callback), repeat, args, true);
}

function setImmediate(callback, ...args) {
	return new Immediate(callbackOf(callback), args);
}

function clearTimeout(timer) {
	timers.clear(timer);
}

function clearInterval(timer) {
	timers.clear(timer);
}

function clearImmediate(one) {
	if (!(one instanceof Immediate) || one.done)
		return;
	one.dropped = true;
	loop.dropImmediate(one);
}

function promisified(start) {
	return function (after, value) {
		return new Promise(resolve => { start(resolve, after, value); });
	};
}
const custom = Symbol.for('nodejs.util.promisify.custom');
Object.defineProperty(setTimeout, custom, { enumerable: true, get: () => promisified(setTimeout) });
Object.defineProperty(setImmediate, custom, {
	enumerable: true, get: () => value => new Promise(resolve => { setImmediate(resolve, value); }),
});

function queueMicrotask(callback) {
	const fn = bind(callbackOf(callback));
	host.enqueue(function runMicrotask() { fn(); });
}

/* The order is the one in which Node lists them. */
for (const name of ['global', 'queueMicrotask', 'btoa', 'atob', 'performance'])
	delete g[name];		/* the engine's */
visible('global', g);
visible('clearImmediate', clearImmediate);
visible('setImmediate', setImmediate);
visible('clearInterval', clearInterval);
visible('clearTimeout', clearTimeout);
visible('setInterval', setInterval);
visible('setTimeout', setTimeout);
visible('queueMicrotask', queueMicrotask);
exports.timers = { setTimeout, clearTimeout, setImmediate, clearImmediate, setInterval, clearInterval };

lazy('process', 'internal/process', 'process');
delete g.print;
delete g.navigator;

/* A whole module is the value. */
function lazyModule(name, file) {
	Object.defineProperty(g, name, {
		get() { return g[name] = require(file); },
		set(value) { hidden(name, value); },
		configurable: true, enumerable: false,
	});
}
lazyModule('console', 'console');

/* The library's own, and those of files that may not be there. */
const rows = {
	...require('internal/library_globals').names,
	MessageChannel: 'internal/message', MessagePort: 'internal/message', MessageEvent: 'internal/message', fetch: 'internal/fetch',
	Headers: 'internal/fetch', Request: 'internal/fetch', Response: 'internal/fetch', FormData: 'internal/fetch',
	ReadableStream: 'stream/web', WritableStream: 'stream/web', TransformStream: 'stream/web', TextEncoderStream: 'stream/web',
	TextDecoderStream: 'stream/web', CompressionStream: 'stream/web', DecompressionStream: 'stream/web',
	ByteLengthQueuingStrategy: 'stream/web', CountQueuingStrategy: 'stream/web', crypto: 'internal/webcrypto', Atomics: 'internal/atomics', Crypto: 'internal/webcrypto',
	CryptoKey: 'internal/webcrypto', SubtleCrypto: 'internal/webcrypto', Intl: 'internal/intl',
};
const enumerable = new Set(['structuredClone', 'atob', 'btoa', 'performance', 'fetch', 'crypto']);
for (const name of new Set([...enumerable, ...Object.keys(rows)])) {
	if (host.has(rows[name]))
		lazy(name, rows[name], name, enumerable.has(name));
}
