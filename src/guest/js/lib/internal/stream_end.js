/* finished() tells once when a stream is over; pipeline() joins several; addAbortSignal(). */
'use strict';

const { codes, AbortError, aggregateTwoErrors } = require('internal/errors');
const { validateAbortSignal, validateFunction, validateObject, validateBoolean } = require('internal/validators');
const { nextTick, destroyer, isDestroyed } = require('internal/stream_destroy');

const isReadableNode = (stream) => !!(stream && typeof stream.pipe === 'function' && typeof stream.on === 'function' &&
	(!stream._writableState || stream._readableState?.readable !== false) && (!stream._writableState || stream._readableState));
const isWritableNode = (stream) => !!(stream && typeof stream.write === 'function' && typeof stream.on === 'function' &&
	(!stream._readableState || stream._writableState?.writable !== false));
const isNode = (stream) => !!(stream && (stream._readableState || stream._writableState ||
	(typeof stream.write === 'function' && typeof stream.on === 'function') ||
	(typeof stream.pipe === 'function' && typeof stream.on === 'function')));
const isIterable = (value) => value != null && (typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function');

function isWritableEnded(stream) {
	if (stream.writableEnded === true)
		return true;
	return stream._writableState?.errored ? false : !!stream._writableState?.ended;
}

function isReadableFinished(stream) {
	const state = stream._readableState;
	return !state || state.errored ? false : !!(state.endEmitted || (state.ended && state.length === 0));
}

function isWritableFinished(stream) {
	const state = stream._writableState;
	return !state || state.errored ? stream.writableFinished === true && !state : !!(state.finished || (state.ended && state.length === 0));
}

function isClosed(stream) {
	const { _readableState: r, _writableState: w } = stream;
	return !!((w && w.closed) || (r && r.closed));
}

function erroredOf(stream) {
	return stream._writableState?.errored ?? stream._readableState?.errored ?? null;
}

function finished(stream, options, callback) {
	if (arguments.length === 2) {
		callback = options;
		options = {};
	} else if (options == null) {
		options = {};
	} else {
		validateObject(options, 'options');
	}
	validateFunction(callback, 'callback');
	validateAbortSignal(options.signal, 'options.signal');
	if (!isNode(stream))
		throw new codes.ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
	let called = false;
	const once = (self, ...args) => {
		if (!called) {
			called = true;
			callback.apply(self, args);
		}
	};
	const watch = watcher(stream, options, once);
	watch.listen();
	if (options.signal)
		watchSignal(options.signal, watch, once, stream);
	return watch.clean;
}

function watchSignal(signal, watch, once, stream) {
	const onAbort = () => {
		watch.clean();
		once(stream, new AbortError(undefined, { cause: signal.reason }));
	};
	if (signal.aborted) {
		nextTick(onAbort);
	} else {
		signal.addEventListener('abort', onAbort, { once: true });
		watch.cleaners.push(() => signal.removeEventListener('abort', onAbort));
	}
}

/* Both sides of a stream and how far they are. */
function watcher(stream, options, once) {
	const r = stream._readableState, w = stream._writableState, state = w || r;
	const readable = options.readable ?? isReadableNode(stream), writable = options.writable ?? isWritableNode(stream);
	const closes = !!(state && state.autoDestroy && state.emitClose && state.closed === false &&
		isWritableNode(stream) === writable && isReadableNode(stream) === readable);
	let willClose = closes, writeDone = isWritableFinished(stream), readDone = isReadableFinished(stream), ready = false;
	const done = (error) => ready ? once(stream, ...(error ? [error] : [])) : undefined;

	function onFinish() {
		writeDone = true;
		if (stream.destroyed)
			willClose = false;
		if (willClose && (!stream.readable || readable))
			return;
		if (!readable || readDone)
			done();
	}
	function onEnd() {
		readDone = true;
		if (stream.destroyed)
			willClose = false;
		if (willClose && (!stream.writable || writable))
			return;
		if (!writable || writeDone)
			done();
	}
	function onError(error) {
		done(error);
	}
	function onClose() {
		const errored = erroredOf(stream);
		if (errored && typeof errored !== 'boolean')
			return done(errored);
		if (readable && !readDone && isReadableNode(stream) && !isReadableFinished(stream))
			return done(new codes.ERR_STREAM_PREMATURE_CLOSE());
		if (writable && !writeDone && !isWritableFinished(stream))
			return done(new codes.ERR_STREAM_PREMATURE_CLOSE());
		return done();
	}
	function settled() {
		if (isClosed(stream))
			return onClose;
		const failed = (w && w.errorEmitted) || (r && r.errorEmitted);
		if (failed)
			return willClose ? undefined : onClose;
		if (!readable && (!willClose || stream.readable) && (writeDone || stream.writable === false))
			return onClose;
		if (!writable && (!willClose || stream.writable) && (readDone || stream.readable === false))
			return onClose;
		return undefined;
	}
	const listeners = [['end', onEnd], ['finish', onFinish], ['close', onClose]];
	if (options.error !== false)
		listeners.push(['error', onError]);
	const cleaners = [];
	return {
		cleaners,
		clean() {
			ready = false;
			listeners.forEach(([name, fn]) => stream.removeListener(name, fn));
			cleaners.forEach((fn) => fn());
		},
		listen() {
			ready = true;
			listeners.forEach(([name, fn]) => stream.on(name, fn));
			const now = settled();
			if (now)
				nextTick(now);
		},
	};
}

function finishedPromise(stream, options) {
	let autoCleanup = false;
	if (options == null)
		options = {};
	if (options.cleanup) {
		validateBoolean(options.cleanup, 'cleanup');
		autoCleanup = options.cleanup;
	}
	return new Promise((resolve, reject) => {
		const clean = finished(stream, options, (error) => {
			if (autoCleanup)
				clean();
			if (error)
				reject(error);
			else
				resolve();
		});
	});
}

function addAbortSignal(signal, stream) {
	validateAbortSignal(signal, 'signal');
	if (!isNode(stream))
		throw new codes.ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
	const onAbort = () => stream.destroy(new AbortError(undefined, { cause: signal.reason }));
	if (signal.aborted) {
		onAbort();
	} else {
		signal.addEventListener('abort', onAbort, { once: true });
		if (stream.on)
			nextTick(() => finished(stream, () => signal.removeEventListener('abort', onAbort)));
	}
	return stream;
}

Object.assign(exports, {
	finished, finishedPromise, addAbortSignal, isReadableNode, isWritableNode, isNode, isIterable, isReadableFinished, isWritableEnded,
	isClosed, isDestroyed, destroyer, aggregateTwoErrors,
});
