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

/* What has come and was not asked for yet, and who asks and has nothing yet. */
function makeQueue() {
	return { values: [], askers: [], error: null, finished: false };
}

exports.on = function on(emitter, name, options = {}) {
	validateObject(options, 'options');
	const { signal, close } = options;
	validateAbortSignal(signal, 'options.signal');
	if (signal && signal.aborted)
		throw new AbortError(undefined, { cause: signal.reason });
	const queue = makeQueue(), closers = close || [];

	function onEvent(...args) {
		const asker = queue.askers.shift();
		if (asker)
			asker.resolve({ value: args, done: false });
		else
			queue.values.push(args);
	}
	function onError(error) {
		const asker = queue.askers.shift();
		if (asker)
			asker.reject(error);
		else
			queue.error = error;
		iterator.return();
	}
	function onClose() {
		finish();
	}
	function onAbort() {
		onError(new AbortError(undefined, { cause: signal.reason }));
	}
	function finish() {
		queue.finished = true;
		unlisten(emitter, name, onEvent);
		if (name !== 'error')
			unlisten(emitter, 'error', onError);
		closers.forEach((one) => unlisten(emitter, one, onClose));
		if (signal)
			unlisten(signal, 'abort', onAbort);
		for (const asker of queue.askers.splice(0))
			asker.resolve({ value: undefined, done: true });
		return Promise.resolve({ value: undefined, done: true });
	}
	const iterator = Object.setPrototypeOf({
		next() {
			if (queue.values.length)
				return Promise.resolve({ value: queue.values.shift(), done: false });
			if (queue.error) {
				const { error } = queue;
				queue.error = null;
				return Promise.reject(error);
			}
			if (queue.finished)
				return finish();
			return new Promise((resolve, reject) => queue.askers.push({ resolve, reject }));
		},
		return: finish,
		throw(error) {
			if (!error || !(error instanceof Error))
				throw new codes.ERR_INVALID_ARG_TYPE('EventEmitter.AsyncIterator', 'Error', error);
			onError(error);
		},
		[Symbol.asyncIterator]() { return this; },
	}, Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype));

	listen(emitter, name, onEvent);
	if (name !== 'error' && typeof emitter.on === 'function')
		emitter.on('error', onError);
	closers.forEach((one) => listen(emitter, one, onClose));
	if (signal)
		listen(signal, 'abort', onAbort, { once: true });
	return iterator;
};
