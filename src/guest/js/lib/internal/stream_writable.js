/* Writable. */
'use strict';

const { codes } = require('internal/errors');
const EE = require('events');
const { Stream, highWaterMark, chunkBuffer } = require('internal/stream_legacy');
const { construct, destroy, undestroy, errorOrDestroy, onlyOnce, nextTick } = require('internal/stream_destroy');

const nothing = () => {};

function WritableState(options, stream, isDuplex) {
	this.objectMode = !!(options && options.objectMode) || !!(isDuplex && options && options.writableObjectMode);
	this.highWaterMark = highWaterMark(this, options, 'writableHighWaterMark', isDuplex);
	this.finalCalled = false;
	this.needDrain = false;
	this.ending = false;
	this.ended = false;
	this.finished = false;
	this.destroyed = false;
	this.decodeStrings = !(options && options.decodeStrings === false);
	this.defaultEncoding = (options && options.defaultEncoding) || 'utf8';
	this.length = 0;
	this.writing = false;
	this.corked = 0;
	this.sync = true;
	this.bufferProcessing = false;
	this.onwrite = (error) => onWrite(stream, error);
	this.writecb = null;
	this.writelen = 0;
	this.afterWriteTickInfo = null;
	this.afterWritePending = false;
	this.buffered = [];
	this.allBuffers = true;
	this.allNoop = true;
	this.pendingcb = 0;
	this.constructed = true;
	this.prefinished = false;
	this.errorEmitted = false;
	this.emitClose = !options || options.emitClose !== false;
	this.autoDestroy = !options || options.autoDestroy !== false;
	this.errored = null;
	this.closed = false;
	this.closeEmitted = false;
	this.onFinish = [];
}
WritableState.prototype.getBuffer = function () {
	return this.buffered.slice();
};
Object.defineProperty(WritableState.prototype, 'bufferedRequestCount', { get() { return this.buffered.length; } });

function Writable(options) {
	const isDuplex = this instanceof require('internal/stream_duplex').Duplex;
	if (!isDuplex && !Function.prototype[Symbol.hasInstance].call(Writable, this))
		return new Writable(options);
	this._writableState = new WritableState(options, this, isDuplex);
	if (options) {
		for (const name of ['write', 'writev', 'destroy', 'final', 'construct']) {
			if (typeof options[name] === 'function')
				this[`_${name}`] = options[name];
		}
		if (options.signal)
			require('internal/stream_end').addAbortSignal(options.signal, this);
	}
	Stream.call(this, options);
	construct(this, () => {
		const state = this._writableState;
		if (!state.writing)
			clearBuffer(this, state);
		finishMaybe(this, state);
	});
}
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);
const proto = Writable.prototype;
Writable.WritableState = WritableState;

Object.defineProperty(Writable, Symbol.hasInstance, {
	value(object) {
		if (Function.prototype[Symbol.hasInstance].call(this, object))
			return true;
		return this === Writable && !!object && object._writableState instanceof WritableState;
	},
});

proto.pipe = function () {
	errorOrDestroy(this, new codes.ERR_STREAM_CANNOT_PIPE());
};

/* ---- writing ---- */

/* [chunk, encoding] as _write gets them. */
function convert(state, chunk, encoding) {
	const { Buffer } = require('buffer');
	if (typeof chunk === 'string')
		return state.decodeStrings !== false ? [Buffer.from(chunk, encoding), 'buffer'] : [chunk, encoding];
	return [chunkBuffer(chunk), 'buffer'];
}

function write(stream, chunk, encoding, callback) {
	const state = stream._writableState;
	if (typeof encoding === 'function') {
		callback = encoding;
		encoding = state.defaultEncoding;
	} else {
		if (!encoding)
			encoding = state.defaultEncoding;
		else if (encoding !== 'buffer' && !require('buffer').Buffer.isEncoding(encoding))
			throw new codes.ERR_UNKNOWN_ENCODING(encoding);
		if (typeof callback !== 'function')
			callback = nothing;
	}
	if (chunk === null)
		throw new codes.ERR_STREAM_NULL_VALUES();
	if (!state.objectMode)
		[chunk, encoding] = convert(state, chunk, encoding);
	let error;
	if (state.ending)
		error = new codes.ERR_STREAM_WRITE_AFTER_END();
	else if (state.destroyed)
		error = new codes.ERR_STREAM_DESTROYED('write');
	if (error) {
		nextTick(callback, error);
		errorOrDestroy(stream, error, true);
		return error;
	}
	state.pendingcb++;
	return writeOrBuffer(stream, state, chunk, encoding, callback);
}

proto.write = function (chunk, encoding, callback) {
	return write(this, chunk, encoding, callback) === true;
};

function writeOrBuffer(stream, state, chunk, encoding, callback) {
	const length = state.objectMode ? 1 : chunk.length;
	state.length += length;
	if (state.writing || state.corked || state.errored || !state.constructed) {
		state.buffered.push({ chunk, encoding, callback });
		if (state.allBuffers && encoding !== 'buffer')
			state.allBuffers = false;
		if (state.allNoop && callback !== nothing)
			state.allNoop = false;
	} else {
		state.writelen = length;
		state.writecb = callback;
		state.writing = true;
		state.sync = true;
		stream._write(chunk, encoding, state.onwrite);
		state.sync = false;
	}
	/* what was written at once leaves room */
	const room = state.length < state.highWaterMark || state.length === 0;
	if (!room)
		state.needDrain = true;
	return room && !state.errored && !state.destroyed;
}

function doWrite(stream, state, writev, length, chunk, encoding, callback) {
	state.writelen = length;
	state.writecb = callback;
	state.writing = true;
	state.sync = true;
	if (state.destroyed)
		state.onwrite(new codes.ERR_STREAM_DESTROYED('write'));
	else if (writev)
		stream._writev(chunk, state.onwrite);
	else
		stream._write(chunk, encoding, state.onwrite);
	state.sync = false;
}

function onWriteError(stream, state, error, callback) {
	--state.pendingcb;
	callback(error);
	failBuffered(state);
	errorOrDestroy(stream, error);
}

function onWrite(stream, error) {
	const state = stream._writableState, { sync, writecb: callback } = state;
	if (typeof callback !== 'function') {
		errorOrDestroy(stream, new codes.ERR_MULTIPLE_CALLBACK());
		return;
	}
	state.writing = false;
	state.writecb = null;
	state.length -= state.writelen;
	state.writelen = 0;
	if (error) {
		if (!state.errored)
			state.errored = error;
		if (stream._readableState && !stream._readableState.errored)
			stream._readableState.errored = error;
		if (sync)
			nextTick(onWriteError, stream, state, error, callback);
		else
			onWriteError(stream, state, error, callback);
		return;
	}
	if (state.buffered.length > 0)
		clearBuffer(stream, state);
	if (!sync) {
		afterWrite(stream, state, 1, callback);
	} else if (callback === nothing) {
		afterQuietWrite(stream, state);
	} else if (state.afterWriteTickInfo !== null && state.afterWriteTickInfo.callback === callback) {
		state.afterWriteTickInfo.count++;
	} else {
		state.afterWriteTickInfo = { count: 1, callback };
		nextTick(afterWriteTick, stream, state, state.afterWriteTickInfo);
	}
}

/* Nobody waits for this write: a tick is only needed to tell that there is room again. */
function afterQuietWrite(stream, state) {
	const needDrain = !state.ending && state.needDrain && state.length === 0;
	if (!state.afterWritePending && (needDrain || state.destroyed)) {
		state.afterWritePending = true;
		nextTick(afterWrite, stream, state, 1, nothing);
		return;
	}
	state.pendingcb--;
	if (state.ending)
		finishMaybe(stream, state, true);
}

function afterWriteTick(stream, state, info) {
	state.afterWriteTickInfo = null;
	afterWrite(stream, state, info.count, info.callback);
}

function afterWrite(stream, state, count, callback) {
	state.afterWritePending = false;
	if (!state.ending && !stream.destroyed && state.length === 0 && state.needDrain) {
		state.needDrain = false;
		stream.emit('drain');
	}
	while (count-- > 0) {
		state.pendingcb--;
		callback(null);
	}
	if (state.destroyed)
		failBuffered(state);
	finishMaybe(stream, state);
}

/* What was never written hears why. */
function failBuffered(state) {
	if (state.writing)
		return;
	for (const { chunk, callback } of state.buffered.splice(0)) {
		state.length -= state.objectMode ? 1 : chunk.length;
		callback(state.errored ?? new codes.ERR_STREAM_DESTROYED('write'));
	}
	for (const callback of state.onFinish.splice(0))
		callback(state.errored ?? new codes.ERR_STREAM_DESTROYED('end'));
	resetBuffer(state);
}

function resetBuffer(state) {
	state.buffered = [];
	state.allBuffers = true;
	state.allNoop = true;
}

function clearBuffer(stream, state) {
	if (state.corked || state.bufferProcessing || state.destroyed || !state.constructed || state.buffered.length === 0)
		return;
	state.bufferProcessing = true;
	if (state.buffered.length > 1 && stream._writev) {
		const chunks = state.buffered;
		state.pendingcb -= chunks.length - 1;
		const callback = state.allNoop ? nothing : (error) => chunks.forEach((one) => one.callback(error));
		chunks.allBuffers = state.allBuffers;
		resetBuffer(state);
		doWrite(stream, state, true, state.length, chunks, '', callback);
	} else {
		do {
			const { chunk, encoding, callback } = state.buffered.shift();
			doWrite(stream, state, false, state.objectMode ? 1 : chunk.length, chunk, encoding, callback);
		} while (state.buffered.length > 0 && !state.writing);
		if (state.buffered.length === 0)
			resetBuffer(state);
	}
	state.bufferProcessing = false;
}

proto._write = function (chunk, encoding, callback) {
	if (this._writev)
		this._writev([{ chunk, encoding }], callback);
	else
		throw new codes.ERR_METHOD_NOT_IMPLEMENTED('_write()');
};
proto._writev = null;

proto.cork = function () {
	this._writableState.corked++;
};
proto.uncork = function () {
	const state = this._writableState;
	if (state.corked) {
		state.corked--;
		if (!state.writing)
			clearBuffer(this, state);
	}
};

proto.setDefaultEncoding = function (encoding) {
	if (typeof encoding === 'string')
		encoding = encoding.toLowerCase();
	if (!require('buffer').Buffer.isEncoding(encoding))
		throw new codes.ERR_UNKNOWN_ENCODING(encoding);
	this._writableState.defaultEncoding = encoding;
	return this;
};

/* ---- ending ---- */

proto.end = function (chunk, encoding, callback) {
	const state = this._writableState;
	if (typeof chunk === 'function') {
		callback = chunk;
		chunk = null;
		encoding = null;
	} else if (typeof encoding === 'function') {
		callback = encoding;
		encoding = null;
	}
	let error;
	if (chunk !== null && chunk !== undefined) {
		const result = write(this, chunk, encoding);
		if (result instanceof Error)
			error = result;
	}
	if (state.corked) {
		state.corked = 1;
		this.uncork();
	}
	if (!error) {
		if (!state.errored && !state.ending) {
			state.ending = true;
			finishMaybe(this, state, true);
			state.ended = true;
		} else if (state.finished) {
			error = new codes.ERR_STREAM_ALREADY_FINISHED('end');
		} else if (state.destroyed) {
			error = new codes.ERR_STREAM_DESTROYED('end');
		} else if (state.errored) {
			error = state.errored;
		}
	}
	if (typeof callback === 'function') {
		if (error)
			nextTick(callback, error);
		else if (state.finished)
			nextTick(callback);
		else
			state.onFinish.push(callback);
	}
	return this;
};

function needFinish(state) {
	return state.ending && !state.destroyed && state.constructed && state.length === 0 && !state.errored &&
		state.buffered.length === 0 && !state.finished && !state.writing && !state.errorEmitted && !state.closeEmitted;
}

function callFinal(stream, state) {
	const done = onlyOnce(stream, (error) => {
		state.pendingcb--;
		if (error) {
			state.onFinish.splice(0).forEach((callback) => callback(error));
			errorOrDestroy(stream, error, state.sync);
		} else if (needFinish(state)) {
			state.prefinished = true;
			stream.emit('prefinish');
			state.pendingcb++;
			nextTick(finish, stream, state);
		}
	});
	state.sync = true;
	state.pendingcb++;
	try {
		stream._final(done);
	} catch (error) {
		done(error);
	}
	state.sync = false;
}

function prefinish(stream, state) {
	if (state.prefinished || state.finalCalled)
		return;
	if (typeof stream._final === 'function' && !state.destroyed) {
		state.finalCalled = true;
		callFinal(stream, state);
	} else {
		state.prefinished = true;
		stream.emit('prefinish');
	}
}

function finishMaybe(stream, state, sync) {
	if (!needFinish(state))
		return;
	prefinish(stream, state);
	if (state.pendingcb !== 0)
		return;
	if (sync) {
		state.pendingcb++;
		nextTick(() => {
			if (needFinish(state))
				finish(stream, state);
			else
				state.pendingcb--;
		});
	} else if (needFinish(state)) {
		state.pendingcb++;
		finish(stream, state);
	}
}

function finish(stream, state) {
	state.pendingcb--;
	state.finished = true;
	state.onFinish.splice(0).forEach((callback) => callback(null));
	stream.emit('finish');
	if (state.autoDestroy) {
		const r = stream._readableState;
		if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false)))
			stream.destroy();
	}
}

proto.destroy = function (error, callback) {
	const state = this._writableState;
	if (!state.destroyed && (state.buffered.length > 0 || state.onFinish.length))
		nextTick(failBuffered, state);
	destroy.call(this, error, callback);
	return this;
};
proto._undestroy = undestroy;
proto._destroy = function (error, callback) {
	callback(error);
};
proto[EE.captureRejectionSymbol] = function (error) {
	this.destroy(error);
};

function property(name, get, set) {
	Object.defineProperty(proto, name, { get, set, configurable: true, enumerable: false });
}
const stateProperty = (name, key) => property(name, function () { return this._writableState ? this._writableState[key] : undefined; });

property('closed', function () { return this._writableState ? this._writableState.closed : false; });
property('destroyed', function () { return this._writableState ? this._writableState.destroyed : false; }, function (value) {
	if (this._writableState)
		this._writableState.destroyed = value;
});
property('writable', function () {
	const w = this._writableState;
	return !!w && w.writable !== false && !w.destroyed && !w.errored && !w.ending && !w.ended;
}, function (value) {
	if (this._writableState)
		this._writableState.writable = !!value;
});
property('writableFinished', function () { return this._writableState ? this._writableState.finished : false; });
property('writableObjectMode', function () { return this._writableState ? this._writableState.objectMode : false; });
property('writableBuffer', function () { return this._writableState && this._writableState.getBuffer(); });
property('writableEnded', function () { return this._writableState ? this._writableState.ending : false; });
property('writableNeedDrain', function () {
	const w = this._writableState;
	return w ? !w.destroyed && !w.ending && w.needDrain : false;
});
stateProperty('writableHighWaterMark', 'highWaterMark');
property('writableCorked', function () { return this._writableState ? this._writableState.corked : 0; });
stateProperty('writableLength', 'length');
property('errored', function () { return this._writableState ? this._writableState.errored : null; });
property('writableAborted', function () {
	const w = this._writableState;
	return !!(w.writable !== false && (w.destroyed || w.errored) && !w.finished);
});

Writable.toWeb = (stream) => require('internal/stream_web').writableToWeb(stream);
Writable.fromWeb = (stream, options) => require('internal/stream_web').writableFromWeb(Writable, stream, options);

exports.Writable = Writable;
