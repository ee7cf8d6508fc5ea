/* events.once and events.on: the next event as a promise, all events as an asynchronous iterator. */
'use strict';

const { codes, AbortError } = require('internal/errors');
const { validateAbortSignal, validateFunction, validateObject } = require('internal/validators');

function listen(target, name, listener, options) {
	if (typeof target.on === 'function') {
		if (options && options.once)
			target.once(name, listener);
		else
			target.on(name, listener);
	} else if (typeof target.addEventListener === 'function') {
		target.addEventListener(name, listener, options);
	} else {
		throw new codes.ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', target);
	}
}

function unlisten(target, name, listener) {
	if (typeof target.removeListener === 'function')
		target.removeListener(name, listener);
	else if (typeof target.removeEventListener === 'function')
		target.removeEventListener(name, listener);
}

exports.addAbortListener = function (signal, listener) {
	if (signal === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
	validateAbortSignal(signal, 'signal');
	validateFunction(listener, 'listener');
	let off;
	if (signal.aborted) {
		queueMicrotask(() => listener());
	} else {
		signal.addEventListener('abort', listener, { once: true });
		off = () => signal.removeEventListener('abort', listener);
	}
	return { __proto__: null, [Symbol.dispose]() { off && off(); } };
};

exports.once = async function once(emitter, name, options = {}) {
	validateObject(options, 'options');
	const { signal } = options;
	validateAbortSignal(signal, 'options.signal');
	if (signal && signal.aborted)
		throw new AbortError(undefined, { cause: signal.reason });
	return new Promise((resolve, reject) => {
		function done() {
			unlisten(emitter, name, onEvent);
			if (name !== 'error' && typeof emitter.once === 'function')
				unlisten(emitter, 'error', onError);
			if (signal)
				unlisten(signal, 'abort', onAbort);
		}
		function onEvent(...args) {
			done();
			resolve(args);
		}
		function onError(error) {
			done();
			reject(error);
		}
		function onAbort() {
			done();
			reject(new AbortError(undefined, { cause: signal.reason }));
		}
		listen(emitter, name, onEvent, { once: true });
		if (name !== 'error' && typeof emitter.once === 'function')
			emitter.once('error', onError);
		if (signal)
			listen(signal, 'abort', onAbort, { once: true });
	});
};

const asyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

/* All events of a name: `values` have come and were not asked for yet, `askers` wait for the next. */
class Events {
	constructor(emitter, name, signal, closers) {
		Object.assign(this, { emitter, name, signal, closers, values: [], askers: [], error: null, finished: false });
		this.onEvent = (...args) => {
			const asker = this.askers.shift();
			if (asker)
				asker.resolve({ value: args, done: false });
			else
				this.values.push(args);
		};
		this.onError = (error) => this.fail(error);
		this.onClose = () => this.finish();
		this.onAbort = () => this.fail(new AbortError(undefined, { cause: signal.reason }));
	}
	begin() {
		const { emitter, name, signal } = this;
		listen(emitter, name, this.onEvent);
		if (name !== 'error' && typeof emitter.on === 'function')
			emitter.on('error', this.onError);
		this.closers.forEach((one) => listen(emitter, one, this.onClose));
		if (signal)
			listen(signal, 'abort', this.onAbort, { once: true });
	}
	next() {
		if (this.values.length)
			return Promise.resolve({ value: this.values.shift(), done: false });
		if (this.error) {
			const { error } = this;
			this.error = null;
			return Promise.reject(error);
		}
		if (this.finished)
			return this.finish();
		return new Promise((resolve, reject) => this.askers.push({ resolve, reject }));
	}
	fail(error) {
		const asker = this.askers.shift();
		if (asker)
			asker.reject(error);
		else
			this.error = error;
		this.finish();
	}
	finish() {
		const { emitter, name, signal } = this;
		this.finished = true;
		unlisten(emitter, name, this.onEvent);
		if (name !== 'error')
			unlisten(emitter, 'error', this.onError);
		this.closers.forEach((one) => unlisten(emitter, one, this.onClose));
		if (signal)
			unlisten(signal, 'abort', this.onAbort);
		for (const asker of this.askers.splice(0))
			asker.resolve({ value: undefined, done: true });
		return Promise.resolve({ value: undefined, done: true });
	}
}

exports.on = function on(emitter, name, options = {}) {
	validateObject(options, 'options');
	const { signal, close } = options;
	validateAbortSignal(signal, 'options.signal');
	if (signal && signal.aborted)
		throw new AbortError(undefined, { cause: signal.reason });
	const events = new Events(emitter, name, signal, close || []);
	const iterator = Object.setPrototypeOf({
		next: () => events.next(),
		return: () => events.finish(),
		throw(error) {
			if (!error || !(error instanceof Error))
				throw new codes.ERR_INVALID_ARG_TYPE('EventEmitter.AsyncIterator', 'Error', error);
			events.fail(error);
		},
		[Symbol.asyncIterator]() { return this; },
	}, asyncIteratorPrototype);
	events.begin();
	return iterator;
};
