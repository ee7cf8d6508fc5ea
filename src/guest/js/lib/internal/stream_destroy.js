/* How streams end early: destroy, errors, 'close', and the construction that may come before all of it. */
'use strict';

const { codes, aggregateTwoErrors } = require('internal/errors');
const kDestroy = Symbol('kDestroy');
const kConstruct = Symbol('kConstruct');

function nextTick(...args) {
	require('process').nextTick(...args);
}

function mark(stream, key, value) {
	if (stream._writableState)
		stream._writableState[key] = value;
	if (stream._readableState)
		stream._readableState[key] = value;
}

function either(stream, key) {
	return !!((stream._writableState && stream._writableState[key]) || (stream._readableState && stream._readableState[key]));
}

function rememberError(stream, error) {
	if (!error)
		return;
	for (const state of [stream._writableState, stream._readableState]) {
		if (state && !state.errored)
			state.errored = error;
	}
}

function emitError(stream, error) {
	if (either(stream, 'errorEmitted'))
		return;
	mark(stream, 'errorEmitted', true);
	stream.emit('error', error);
}

function emitClose(stream) {
	mark(stream, 'closeEmitted', true);
	if (either(stream, 'emitClose'))
		stream.emit('close');
}

function emitErrorAndClose(stream, error) {
	emitError(stream, error);
	emitClose(stream);
}

function runDestroy(stream, error, callback) {
	let called = false;
	function done(failure) {
		if (called)
			return;
		called = true;
		rememberError(stream, failure);
		mark(stream, 'closed', true);
		if (typeof callback === 'function')
			callback(failure);
		if (failure)
			nextTick(emitErrorAndClose, stream, failure);
		else
			nextTick(emitClose, stream);
	}
	try {
		stream._destroy(error || null, done);
	} catch (failure) {
		done(failure);
	}
}

function destroy(error, callback) {
	const state = this._writableState || this._readableState;
	if (either(this, 'destroyed')) {
		if (typeof callback === 'function')
			callback();
		return this;
	}
	rememberError(this, error);
	mark(this, 'destroyed', true);
	if (!state.constructed)
		this.once(kDestroy, (failure) => runDestroy(this, aggregateTwoErrors(failure, error), callback));
	else
		runDestroy(this, error, callback);
	return this;
}

function undestroy() {
	const { _readableState: r, _writableState: w } = this;
	if (r) {
		Object.assign(r, {
			constructed: true, closed: false, closeEmitted: false, destroyed: false, errored: null, errorEmitted: false,
			reading: false, ended: r.readable === false, endEmitted: r.readable === false,
		});
	}
	if (w) {
		const none = w.writable === false;
		Object.assign(w, {
			constructed: true, destroyed: false, closed: false, closeEmitted: false, errored: null, errorEmitted: false,
			finalCalled: false, prefinished: false, ended: none, ending: none, finished: none,
		});
	}
}

/* An error of the stream itself: it is destroyed, or only tells, as its options say. */
function errorOrDestroy(stream, error, sync) {
	if (either(stream, 'destroyed'))
		return;
	if (either(stream, 'autoDestroy')) {
		stream.destroy(error);
		return;
	}
	if (!error)
		return;
	rememberError(stream, error);
	if (sync)
		nextTick(emitError, stream, error);
	else
		emitError(stream, error);
}

/* A callback for the stream's author: a second call is an error of the stream. */
function onlyOnce(stream, done) {
	let called = false;
	return (error) => {
		if (called) {
			errorOrDestroy(stream, error ?? new codes.ERR_MULTIPLE_CALLBACK());
			return;
		}
		called = true;
		done(error);
	};
}

function runConstruct(stream) {
	const done = onlyOnce(stream, (error) => {
		mark(stream, 'constructed', true);
		if (either(stream, 'destroyed'))
			stream.emit(kDestroy, error);
		else if (error)
			errorOrDestroy(stream, error, true);
		else
			stream.emit(kConstruct);
	});
	try {
		stream._construct((error) => nextTick(done, error));
	} catch (error) {
		nextTick(done, error);
	}
}

function construct(stream, callback) {
	if (typeof stream._construct !== 'function')
		return;
	mark(stream, 'constructed', false);
	stream.once(kConstruct, callback);
	if (stream.listenerCount(kConstruct) > 1)
		return;
	nextTick(runConstruct, stream);
}

/* Ends any kind of stream, of ours or not. */
function destroyer(stream, error) {
	if (!stream || isDestroyed(stream))
		return;
	if (!error && !isFinished(stream))
		error = new (require('internal/errors').AbortError)();
	if (typeof stream.destroy === 'function')
		stream.destroy(error);
	else if (typeof stream.close === 'function')
		stream.close();
	if (!stream.destroyed)
		stream[Symbol.for('nodejs.stream.destroyed')] = true;
}

function isDestroyed(stream) {
	const state = stream._writableState || stream._readableState;
	return !!(stream.destroyed || stream[Symbol.for('nodejs.stream.destroyed')] || (state && state.destroyed));
}

function isFinished(stream) {
	const { _readableState: r, _writableState: w } = stream;
	return !!((!r || r.endEmitted || r.readable === false) && (!w || w.finished || w.writable === false) && (r || w));
}

Object.assign(exports, { construct, destroyer, destroy, undestroy, errorOrDestroy, onlyOnce, nextTick, isDestroyed, isFinished });
