/* Duplex, Transform and PassThrough. */
'use strict';

const { codes } = require('internal/errors');
const { nextTick } = require('internal/stream_destroy');
const kCallback = Symbol('kCallback');

function Duplex(options) {
	if (!(this instanceof Duplex))
		return new Duplex(options);
	Readable.call(this, options);
	Writable.call(this, options);
	this.allowHalfOpen = !options || options.allowHalfOpen !== false;
	if (!options)
		return;
	if (options.readable === false)
		Object.assign(this._readableState, { readable: false, ended: true, endEmitted: true });
	if (options.writable === false)
		Object.assign(this._writableState, { writable: false, ending: true, ended: true, finished: true });
}
exports.Duplex = Duplex;

const { Readable } = require('internal/stream_readable');
const { Writable } = require('internal/stream_writable');

Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);
for (const name of Object.getOwnPropertyNames(Writable.prototype)) {
	if (!Object.prototype.hasOwnProperty.call(Duplex.prototype, name) && !(name in Readable.prototype && name !== 'destroy' && name !== '_destroy'))
		Object.defineProperty(Duplex.prototype, name, Object.getOwnPropertyDescriptor(Writable.prototype, name));
}
Object.defineProperty(Duplex.prototype, 'destroyed', {
	configurable: true,
	get() {
		return !!this._readableState && !!this._writableState && this._readableState.destroyed && this._writableState.destroyed;
	},
	set(value) {
		if (this._readableState && this._writableState) {
			this._readableState.destroyed = value;
			this._writableState.destroyed = value;
		}
	},
});
Duplex.from = (body) => require('internal/stream_compose').duplexFrom(body, 'body');

/* ---- Transform ---- */

function Transform(options) {
	if (!(this instanceof Transform))
		return new Transform(options);
	/* a readable side that holds nothing makes the writable one wait for each chunk */
	const limit = options ? options.readableHighWaterMark : undefined;
	if (limit === 0) {
		options = {
			...options, highWaterMark: null, readableHighWaterMark: limit,
			writableHighWaterMark: options.writableHighWaterMark || 0,
		};
	}
	Duplex.call(this, options);
	this._readableState.sync = false;
	this[kCallback] = null;
	if (options) {
		if (typeof options.transform === 'function')
			this._transform = options.transform;
		if (typeof options.flush === 'function')
			this._flush = options.flush;
	}
	this.on('prefinish', onPrefinish);
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

function final(callback) {
	if (typeof this._flush !== 'function' || this.destroyed) {
		this.push(null);
		if (callback)
			callback();
		return;
	}
	this._flush((error, data) => {
		if (error) {
			if (callback)
				callback(error);
			else
				this.destroy(error);
			return;
		}
		if (data != null)
			this.push(data);
		this.push(null);
		if (callback)
			callback();
	});
}

function onPrefinish() {
	if (this._final !== final)
		final.call(this);
}

Transform.prototype._final = final;
Transform.prototype._transform = function () {
	throw new codes.ERR_METHOD_NOT_IMPLEMENTED('_transform()');
};

Transform.prototype._write = function (chunk, encoding, callback) {
	const r = this._readableState, w = this._writableState, { length } = r;
	this._transform(chunk, encoding, (error, value) => {
		if (error) {
			callback(error);
			return;
		}
		if (value != null)
			this.push(value);
		if (r.ended) {
			nextTick(callback);
			return;
		}
		if (w.ended || length === r.length || r.length < r.highWaterMark)
			callback();
		else
			this[kCallback] = callback;
	});
};

Transform.prototype._read = function () {
	if (this[kCallback]) {
		const callback = this[kCallback];
		this[kCallback] = null;
		callback();
	}
};

/* ---- PassThrough ---- */

function PassThrough(options) {
	if (!(this instanceof PassThrough))
		return new PassThrough(options);
	Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = function (chunk, encoding, callback) {
	callback(null, chunk);
};

Object.assign(exports, { Transform, PassThrough });
