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
	const watch = new Watcher(stream, options, once);
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
class Watcher {
	constructor(stream, options, once) {
		const state = stream._writableState || stream._readableState;
		Object.assign(this, { stream, once, cleaners: [], ready: false });
		this.readable = options.readable ?? isReadableNode(stream);
		this.writable = options.writable ?? isWritableNode(stream);
		this.willClose = !!(state && state.autoDestroy && state.emitClose && state.closed === false &&
			isWritableNode(stream) === this.writable && isReadableNode(stream) === this.readable);
		this.writeDone = isWritableFinished(stream);
		this.readDone = isReadableFinished(stream);
		this.listeners = [['end', () => this.onEnd()], ['finish', () => this.onFinish()], ['close', () => this.onClose()]];
		if (options.error !== false)
			this.listeners.push(['error', (error) => this.done(error)]);
		this.clean = () => {
			this.ready = false;
			this.listeners.forEach(([name, fn]) => stream.removeListener(name, fn));
			this.cleaners.forEach((fn) => fn());
		};
	}
	listen() {
		this.ready = true;
		this.listeners.forEach(([name, fn]) => this.stream.on(name, fn));
		if (this.settled())
			nextTick(() => this.onClose());
	}
	done(error) {
		if (this.ready)
			this.once(this.stream, ...(error ? [error] : []));
	}
	onFinish() {
		this.writeDone = true;
		if (this.stream.destroyed)
			this.willClose = false;
		if (this.willClose && (!this.stream.readable || this.readable))
			return;
		if (!this.readable || this.readDone)
			this.done();
	}
	onEnd() {
		this.readDone = true;
		if (this.stream.destroyed)
			this.willClose = false;
		if (this.willClose && (!this.stream.writable || this.writable))
			return;
		if (!this.writable || this.writeDone)
			this.done();
	}
	onClose() {
		const { stream } = this, errored = erroredOf(stream);
		if (errored && typeof errored !== 'boolean')
			this.done(errored);
		else if (this.readable && !this.readDone && isReadableNode(stream) && !isReadableFinished(stream))
			this.done(new codes.ERR_STREAM_PREMATURE_CLOSE());
		else if (this.writable && !this.writeDone && !isWritableFinished(stream))
			this.done(new codes.ERR_STREAM_PREMATURE_CLOSE());
		else
			this.done();
	}
	/* Whether it was over before anybody watched. */
	settled() {
		const { stream, readable, writable, willClose } = this;
		if (isClosed(stream))
			return true;
		if ((stream._writableState && stream._writableState.errorEmitted) || (stream._readableState && stream._readableState.errorEmitted))
			return !willClose;
		if (!readable && (!willClose || stream.readable) && (this.writeDone || stream.writable === false))
			return true;
		return !writable && (!willClose || stream.writable) && (this.readDone || stream.readable === false);
	}
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
