/* Readable. Its iterators and helpers are in internal/stream_iterate.js, piping in internal/stream_pipe.js. */
'use strict';

const { codes } = require('internal/errors');
const EE = require('events');
const { Stream, highWaterMark, chunkBuffer } = require('internal/stream_legacy');
const { construct, destroy, undestroy, errorOrDestroy, nextTick } = require('internal/stream_destroy');
const { validateObject } = require('internal/validators');

function ReadableState(options, stream, isDuplex) {
	this.objectMode = !!(options && options.objectMode) || !!(isDuplex && options && options.readableObjectMode);
	this.highWaterMark = highWaterMark(this, options, 'readableHighWaterMark', isDuplex);
	this.buffer = [];
	this.length = 0;
	this.pipes = [];
	this.flowing = null;
	this.ended = false;
	this.endEmitted = false;
	this.reading = false;
	this.constructed = true;
	this.sync = true;
	this.needReadable = false;
	this.emittedReadable = false;
	this.readableListening = false;
	this.resumeScheduled = false;
	this.errorEmitted = false;
	this.emitClose = !options || options.emitClose !== false;
	this.autoDestroy = !options || options.autoDestroy !== false;
	this.destroyed = false;
	this.errored = null;
	this.closed = false;
	this.closeEmitted = false;
	this.defaultEncoding = (options && options.defaultEncoding) || 'utf8';
	this.awaitDrainWriters = null;
	this.multiAwaitDrain = false;
	this.readingMore = false;
	this.dataEmitted = false;
	this.decoder = null;
	this.encoding = null;
	this.paused = null;
	if (options && options.encoding) {
		this.decoder = new (require('string_decoder').StringDecoder)(options.encoding);
		this.encoding = options.encoding;
	}
}

function Readable(options) {
	if (!(this instanceof Readable))
		return new Readable(options);
	const isDuplex = this instanceof require('internal/stream_duplex').Duplex;
	this._readableState = new ReadableState(options, this, isDuplex);
	if (options) {
		for (const name of ['read', 'destroy', 'construct']) {
			if (typeof options[name] === 'function')
				this[`_${name}`] = options[name];
		}
		if (options.signal && !isDuplex)
			require('internal/stream_end').addAbortSignal(options.signal, this);
	}
	Stream.call(this, options);
	construct(this, () => {
		if (this._readableState.needReadable)
			maybeReadMore(this, this._readableState);
	});
}
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);
const proto = Readable.prototype;
Readable.ReadableState = ReadableState;

proto.destroy = destroy;
proto._undestroy = undestroy;
proto._destroy = function (error, callback) {
	callback(error);
};
proto[EE.captureRejectionSymbol] = function (error) {
	this.destroy(error);
};
if (Symbol.asyncDispose)
	proto[Symbol.asyncDispose] = function () {
		return require('internal/stream_iterate').asyncDispose(this);
	};

/* ---- filling ---- */

proto.push = function (chunk, encoding) {
	return takeChunk(this, chunk, encoding, false);
};
proto.unshift = function (chunk, encoding) {
	return takeChunk(this, chunk, encoding, true);
};

/* [chunk, encoding] as the buffer keeps them; throws for what is no chunk. */
function convert(state, chunk, encoding, front) {
	const { Buffer } = require('buffer');
	if (typeof chunk === 'string') {
		encoding = encoding || state.defaultEncoding;
		if (state.encoding === encoding)
			return [chunk, encoding];
		const bytes = Buffer.from(chunk, encoding);
		return front && state.encoding ? [bytes.toString(state.encoding), encoding] : [bytes, ''];
	}
	return [chunkBuffer(chunk), ''];
}

function takeChunk(stream, chunk, encoding, front) {
	const state = stream._readableState;
	if (!state.objectMode && chunk !== null && chunk !== undefined) {
		try {
			[chunk, encoding] = convert(state, chunk, encoding, front);
		} catch (error) {
			if (error.code !== 'ERR_INVALID_ARG_TYPE')
				throw error;
			errorOrDestroy(stream, error);
			return more(state);
		}
	}
	if (chunk === null || (chunk === undefined && !state.objectMode)) {
		state.reading = false;
		if (chunk === null || chunk === undefined)
			onEnd(stream, state);
	} else if (state.objectMode || chunk.length > 0) {
		if (front ? state.endEmitted : state.ended)
			errorOrDestroy(stream, front ? new codes.ERR_STREAM_UNSHIFT_AFTER_END_EVENT() : new codes.ERR_STREAM_PUSH_AFTER_EOF());
		else if (state.destroyed || state.errored)
			return false;
		else
			enqueue(stream, state, chunk, encoding, front);
	} else if (!front) {
		state.reading = false;
		maybeReadMore(stream, state);
	}
	return more(state);
}

function more(state) {
	return !state.ended && (state.length < state.highWaterMark || state.length === 0);
}

function enqueue(stream, state, chunk, encoding, front) {
	if (front) {
		addChunk(stream, state, chunk, true);
		return;
	}
	state.reading = false;
	if (state.decoder && !encoding) {
		chunk = state.decoder.write(chunk);
		if (!state.objectMode && chunk.length === 0) {
			maybeReadMore(stream, state);
			return;
		}
	}
	addChunk(stream, state, chunk, false);
}

function addChunk(stream, state, chunk, front) {
	if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount('data') > 0) {
		if (state.multiAwaitDrain)
			state.awaitDrainWriters.clear();
		else
			state.awaitDrainWriters = null;
		state.dataEmitted = true;
		stream.emit('data', chunk);
	} else {
		state.length += state.objectMode ? 1 : chunk.length;
		if (front)
			state.buffer.unshift(chunk);
		else
			state.buffer.push(chunk);
		if (state.needReadable)
			emitReadable(stream);
	}
	maybeReadMore(stream, state);
}

function onEnd(stream, state) {
	if (state.ended)
		return;
	if (state.decoder) {
		const chunk = state.decoder.end();
		if (chunk && chunk.length) {
			state.buffer.push(chunk);
			state.length += state.objectMode ? 1 : chunk.length;
		}
	}
	state.ended = true;
	if (state.sync) {
		emitReadable(stream);
	} else {
		state.needReadable = false;
		state.emittedReadable = true;
		emitReadableNow(stream);
	}
}

function emitReadable(stream) {
	const state = stream._readableState;
	state.needReadable = false;
	if (!state.emittedReadable) {
		state.emittedReadable = true;
		nextTick(emitReadableNow, stream);
	}
}

function emitReadableNow(stream) {
	const state = stream._readableState;
	if (!state.destroyed && !state.errored && (state.length || state.ended)) {
		stream.emit('readable');
		state.emittedReadable = false;
	}
	state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
	flow(stream);
}

function maybeReadMore(stream, state) {
	if (!state.readingMore && state.constructed) {
		state.readingMore = true;
		nextTick(readMore, stream, state);
	}
}

function readMore(stream, state) {
	while (!state.reading && !state.ended && (state.length < state.highWaterMark || (state.flowing && state.length === 0))) {
		const before = state.length;
		stream.read(0);
		if (before === state.length)
			break;
	}
	state.readingMore = false;
}

/* ---- reading ---- */

function howMuch(n, state) {
	if (n <= 0 || (state.length === 0 && state.ended))
		return 0;
	if (state.objectMode)
		return 1;
	if (Number.isNaN(n))
		return state.flowing && state.length ? state.buffer[0].length : state.length;
	if (n <= state.length)
		return n;
	return state.ended ? state.length : 0;
}

function roundUp(n) {
	if (n > 0x40000000)
		throw new codes.ERR_OUT_OF_RANGE('size', '<= 1GiB', n);
	let power = 1;
	while (power < n)
		power *= 2;
	return power;
}

function callRead(stream, state) {
	state.reading = true;
	state.sync = true;
	if (state.length === 0)
		state.needReadable = true;
	try {
		stream._read(state.highWaterMark);
	} catch (error) {
		errorOrDestroy(stream, error);
	}
	state.sync = false;
}

proto.read = function (n) {
	if (n === undefined)
		n = NaN;
	else if (!Number.isInteger(n))
		n = Number.parseInt(n, 10);
	const state = this._readableState, asked = n;
	if (n > state.highWaterMark)
		state.highWaterMark = roundUp(n);
	if (n !== 0)
		state.emittedReadable = false;
	if (n === 0 && state.needReadable &&
		((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) || state.ended)) {
		if (state.length === 0 && state.ended)
			endReadable(this);
		else
			emitReadable(this);
		return null;
	}
	n = howMuch(n, state);
	if (n === 0 && state.ended) {
		if (state.length === 0)
			endReadable(this);
		return null;
	}
	const wanted = state.needReadable || state.length === 0 || state.length - n < state.highWaterMark;
	if (wanted && !state.ended && !state.reading && !state.destroyed && !state.errored && state.constructed) {
		callRead(this, state);
		if (!state.reading)
			n = howMuch(asked, state);
	}
	return giveOut(this, state, n, asked);
};

function giveOut(stream, state, n, asked) {
	const chunk = n > 0 ? take(n, state) : null;
	if (chunk === null) {
		state.needReadable = state.length <= state.highWaterMark;
		n = 0;
	} else {
		state.length -= n;
		if (state.multiAwaitDrain)
			state.awaitDrainWriters.clear();
		else
			state.awaitDrainWriters = null;
	}
	if (state.length === 0) {
		if (!state.ended)
			state.needReadable = true;
		if (asked !== n && state.ended)
			endReadable(stream);
	}
	if (chunk !== null && !state.errorEmitted && !state.closeEmitted) {
		state.dataEmitted = true;
		stream.emit('data', chunk);
	}
	return chunk;
}

/* Takes n bytes, characters or one object out of the buffer. */
function take(n, state) {
	if (state.length === 0)
		return null;
	if (state.objectMode)
		return state.buffer.shift();
	if (!n || n >= state.length) {
		const all = state.buffer;
		state.buffer = [];
		if (state.decoder)
			return all.join('');
		return all.length === 1 ? all[0] : require('buffer').Buffer.concat(all, state.length);
	}
	const parts = [];
	let left = n;
	while (left > 0) {
		const first = state.buffer[0];
		if (first.length <= left) {
			parts.push(state.buffer.shift());
			left -= first.length;
		} else {
			parts.push(first.slice(0, left));
			state.buffer[0] = first.slice(left);
			left = 0;
		}
	}
	if (state.decoder)
		return parts.join('');
	return parts.length === 1 ? parts[0] : require('buffer').Buffer.concat(parts, n);
}

proto._read = function () {
	throw new codes.ERR_METHOD_NOT_IMPLEMENTED('_read()');
};

proto.isPaused = function () {
	return this._readableState.paused === true || this._readableState.flowing === false;
};

proto.setEncoding = function (encoding) {
	const state = this._readableState;
	const decoder = new (require('string_decoder').StringDecoder)(encoding);
	state.decoder = decoder;
	state.encoding = decoder.encoding;
	const text = state.buffer.map((chunk) => decoder.write(chunk)).join('');
	state.buffer = text === '' ? [] : [text];
	state.length = text.length;
	return this;
};

/* ---- flowing ---- */

proto.on = function (name, listener) {
	const result = Stream.prototype.on.call(this, name, listener);
	const state = this._readableState;
	if (name === 'data') {
		state.readableListening = this.listenerCount('readable') > 0;
		if (state.flowing !== false)
			this.resume();
	} else if (name === 'readable' && !state.endEmitted && !state.readableListening) {
		state.readableListening = state.needReadable = true;
		state.flowing = false;
		state.emittedReadable = false;
		if (state.length)
			emitReadable(this);
		else if (!state.reading)
			nextTick((self) => self.read(0), this);
	}
	return result;
};
proto.addListener = proto.on;

proto.removeListener = function (name, listener) {
	const result = Stream.prototype.removeListener.call(this, name, listener);
	if (name === 'readable')
		nextTick(updateListening, this);
	return result;
};
proto.off = proto.removeListener;

proto.removeAllListeners = function (...args) {
	const result = Stream.prototype.removeAllListeners.apply(this, args);
	if (args[0] === 'readable' || args[0] === undefined)
		nextTick(updateListening, this);
	return result;
};

function updateListening(stream) {
	const state = stream._readableState;
	state.readableListening = stream.listenerCount('readable') > 0;
	if (state.resumeScheduled && state.paused === false)
		state.flowing = true;
	else if (stream.listenerCount('data') > 0)
		stream.resume();
	else if (!state.readableListening)
		state.flowing = null;
}

proto.resume = function () {
	const state = this._readableState;
	if (!state.flowing) {
		state.flowing = !state.readableListening;
		if (!state.resumeScheduled) {
			state.resumeScheduled = true;
			nextTick(resumeNow, this, state);
		}
	}
	state.paused = false;
	return this;
};

function resumeNow(stream, state) {
	if (!state.reading)
		stream.read(0);
	state.resumeScheduled = false;
	stream.emit('resume');
	flow(stream);
	if (state.flowing && !state.reading)
		stream.read(0);
}

proto.pause = function () {
	if (this._readableState.flowing !== false) {
		this._readableState.flowing = false;
		this.emit('pause');
	}
	this._readableState.paused = true;
	return this;
};

function flow(stream) {
	const state = stream._readableState;
	while (state.flowing && stream.read() !== null)
		;
}

/* ---- ending ---- */

function endReadable(stream) {
	const state = stream._readableState;
	if (!state.endEmitted) {
		state.ended = true;
		nextTick(endNow, state, stream);
	}
}

function endNow(state, stream) {
	if (state.errored || state.closeEmitted || state.endEmitted || state.length !== 0)
		return;
	state.endEmitted = true;
	stream.emit('end');
	if (stream.writable && stream.allowHalfOpen === false) {
		nextTick((self) => {
			if (self.writable && !self.writableEnded && !self.destroyed)
				self.end();
		}, stream);
	} else if (state.autoDestroy) {
		const w = stream._writableState;
		if (!w || (w.autoDestroy && (w.finished || w.writable === false)))
			stream.destroy();
	}
}

/* An old stream that only emits 'data' and 'end'. */
proto.wrap = function (stream) {
	let paused = false;
	stream.on('data', (chunk) => {
		if (!this.push(chunk) && stream.pause) {
			paused = true;
			stream.pause();
		}
	});
	stream.on('end', () => this.push(null));
	stream.on('error', (error) => errorOrDestroy(this, error));
	stream.on('close', () => destroy.call(this));
	stream.on('destroy', () => destroy.call(this));
	this._read = () => {
		if (paused && stream.resume) {
			paused = false;
			stream.resume();
		}
	};
	return this;
};

function property(name, get, set) {
	Object.defineProperty(proto, name, { get, set, configurable: true, enumerable: false });
}
const stateProperty = (name, key) => property(name, function () { return this._readableState ? this._readableState[key] : undefined; });

property('readable', function () {
	const r = this._readableState;
	return !!r && r.readable !== false && !r.destroyed && !r.errorEmitted && !r.endEmitted;
}, function (value) {
	if (this._readableState)
		this._readableState.readable = !!value;
});
property('readableDidRead', function () { return this._readableState.dataEmitted; });
property('readableAborted', function () {
	const r = this._readableState;
	return !!(r.readable !== false && (r.destroyed || r.errored) && !r.endEmitted);
});
stateProperty('readableHighWaterMark', 'highWaterMark');
stateProperty('readableBuffer', 'buffer');
property('readableFlowing', function () { return this._readableState.flowing; }, function (value) {
	if (this._readableState)
		this._readableState.flowing = value;
});
stateProperty('readableLength', 'length');
property('readableObjectMode', function () { return this._readableState ? this._readableState.objectMode : false; });
property('readableEncoding', function () { return this._readableState ? this._readableState.encoding : null; });
property('errored', function () { return this._readableState ? this._readableState.errored : null; });
property('closed', function () { return this._readableState ? this._readableState.closed : false; });
property('destroyed', function () { return this._readableState ? this._readableState.destroyed : false; }, function (value) {
	if (this._readableState)
		this._readableState.destroyed = value;
});
property('readableEnded', function () { return this._readableState ? this._readableState.endEmitted : false; });

Readable._fromList = take;
Readable.from = (iterable, options) => require('internal/stream_iterate').from(Readable, iterable, options);
Readable.toWeb = (stream) => require('internal/stream_web').readableToWeb(stream);
Readable.fromWeb = (stream, options) => require('internal/stream_web').readableFromWeb(Readable, stream, options);
Readable.wrap = (source, options) => new Readable({
	objectMode: source.readableObjectMode ?? source.objectMode ?? true, ...options,
	destroy(error, callback) {
		require('internal/stream_destroy').destroyer(source, error);
		callback(error);
	},
}).wrap(source);

require('internal/stream_pipe').install(proto);
proto[Symbol.asyncIterator] = function () {
	return require('internal/stream_iterate').iterate(this);
};
proto.iterator = function (options) {
	if (options !== undefined)
		validateObject(options, 'options');
	return require('internal/stream_iterate').iterate(this, options);
};
require('internal/stream_operators').install(proto, Readable);

exports.Readable = Readable;
