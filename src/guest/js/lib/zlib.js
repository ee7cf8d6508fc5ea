/* zlib: deflate, gzip and their kin, at once, with callbacks, and as streams. */
'use strict';

const { Transform, finished } = require('stream');
const { codes: errors } = require('internal/errors');
const { validateFunction, validateUint32 } = require('internal/validators');
const { Buffer } = require('buffer');
const { constants, codes } = require('internal/zlib_constants');
const { Engine, all, options: checked, inRange } = require('internal/zlib_engine');
const { viewOf } = require('internal/crypto_common');
const queue = require('internal/fs_queue');
const N = require('internal/sysnumbers');

const { Z_NO_FLUSH, Z_BLOCK, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH } = constants;
const kFlush = Symbol('kFlushFlag');

/* ---- Streams ---- */

/* The stronger of two flushes, in zlib's own order. */
const strength = [Z_NO_FLUSH, Z_BLOCK, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH];
const stronger = (a, b) => strength.indexOf(a) > strength.indexOf(b) ? a : b;

function ZlibBase(mode, options) {
	const o = checked(options, mode);
	if (options && (options.encoding || options.objectMode || options.writableObjectMode))
		options = { ...options, encoding: null, objectMode: false, writableObjectMode: false };
	Reflect.apply(Transform, this, [{ autoDestroy: true, ...options }]);
	this.bytesWritten = 0;
	this._handle = new Engine(mode, o);
	this._chunkSize = o.chunkSize;
	this._defaultFlushFlag = o.flush;
	this._finishFlushFlag = o.finishFlush;
	this._maxOutputLength = o.maxOutputLength;
	this._info = o.info;
	this._level = o.level;
	this._strategy = o.strategy;
}
Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
Object.setPrototypeOf(ZlibBase, Transform);

ZlibBase.prototype._final = function (callback) { callback(); };
ZlibBase.prototype._flush = function (callback) { this._transform(Buffer.alloc(0), '', callback); };

/* One write of zlib a turn, as Node's runs on another thread. */
ZlibBase.prototype._transform = function (chunk, encoding, callback) {
	let flush = this._defaultFlushFlag, input = chunk;
	if (typeof chunk[kFlush] === 'number')
		flush = chunk[kFlush];
	else if (this.writableEnded && this.writableLength === chunk.byteLength)
		flush = stronger(flush, this._finishFlushFlag);
	const step = () => {
		if (!this._handle) {
			callback();
			return;
		}
		const output = Buffer.allocUnsafeSlow(this._chunkSize);
		queue.submit(() => this._handle && [...this._handle.write(input, output, flush)], 0, (error, left) => {
			if (error) {
				this.destroy(error);
				return;
			}
			if (!left || this.destroyed) {
				callback();
				return;
			}
			took(this, input, output, left, step, callback);
			input = input.subarray(input.length - left[0]);
		});
	};
	step();
};

function took(self, input, output, [inLeft, outLeft], again, callback) {
	self.bytesWritten += input.length - inLeft;
	if (outLeft < output.length)
		self.push(output.subarray(0, output.length - outLeft));
	if (self.destroyed)
		callback();
	else if (outLeft === 0)
		process.nextTick(again);
	else if (inLeft > 0)
		self.push(null);	/* the stream has ended before its data */
	else
		callback();
}

ZlibBase.prototype._destroy = function (error, callback) {
	this._handle?.close();
	this._handle = null;
	callback(error);
};

ZlibBase.prototype.close = function (callback) {
	if (callback)
		finished(this, callback);
	this.destroy();
};

ZlibBase.prototype.reset = function () {
	if (!this._handle)
		throw new errors.ERR_INVALID_STATE('zlib binding closed');
	this._handle.reset();
};

ZlibBase.prototype.flush = function (kind, callback) {
	if (typeof kind === 'function' || (kind === undefined && !callback))
		[callback, kind] = [kind, Z_FULL_FLUSH];
	if (this.writableFinished) {
		if (callback)
			process.nextTick(callback);
	} else if (this.writableEnded) {
		if (callback)
			this.once('end', callback);
	} else {
		const mark = Buffer.alloc(0);
		mark[kFlush] = kind;
		this.write(mark, '', callback);
	}
};

ZlibBase.prototype.params = function (level, strategy, callback) {
	inRange(level, 'level', -1, 9);
	inRange(strategy, 'strategy', 0, 4);
	if (this._level === level && this._strategy === strategy) {
		process.nextTick(callback);
		return;
	}
	this.flush(Z_SYNC_FLUSH, () => {
		this._handle?.params(level, strategy);
		this._level = level;
		this._strategy = strategy;
		callback?.();
	});
};

/* What packages call to work through one chunk at once, after which the stream is closed. */
ZlibBase.prototype._processChunk = function (chunk, flush, callback) {
	const o = { chunkSize: this._chunkSize, maxOutputLength: this._maxOutputLength }, engine = this._handle;
	const result = all(engine, chunk, o, flush);
	this.bytesWritten += chunk.length - engine.left[0];
	if (typeof callback === 'function') {
		process.nextTick(callback, null, result);
		return undefined;
	}
	engine.close();
	this._handle = null;
	return result;
};

Object.defineProperty(ZlibBase.prototype, '_closed', { get() { return !this._handle; }, configurable: true, enumerable: true });
Object.defineProperty(ZlibBase.prototype, 'bytesRead', { get() { return this.bytesWritten; }, configurable: true });

const kinds = ['Deflate', 'Inflate', 'Gzip', 'Gunzip', 'DeflateRaw', 'InflateRaw', 'Unzip'];
const classes = {}, creators = {};
for (const name of kinds) {
	const mode = constants[name.toUpperCase()];
	const Class = { [name]: function (options) {
		if (!(this instanceof Class))
			return new Class(options);
		Reflect.apply(ZlibBase, this, [mode, options]);
		return this;
	} }[name];
	Object.setPrototypeOf(Class.prototype, ZlibBase.prototype);
	Object.setPrototypeOf(Class, ZlibBase);
	classes[name] = Class;
	creators[`create${name}`] = { [`create${name}`](options) { return new Class(options); } }[`create${name}`];
}

/* ---- At once ---- */

function inputOf(data, later) {
	if (typeof data === 'string')
		return Buffer.from(data);
	const view = viewOf(data);
	if (view === undefined && later)
		throw new errors.ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
	if (view === undefined)
		throw new errors.ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
	return view;
}

function step(name, data, options, later) {
	const mode = constants[name.toUpperCase()], o = checked(options, mode), input = inputOf(data, later);
	return () => {
		const engine = new Engine(mode, o);
		try {
			const buffer = all(engine, input, o, o.finishFlush);
			if (!o.info)
				return buffer;
			const shown = new classes[name](options);
			shown.bytesWritten = input.length - engine.left[0];
			shown.destroy();
			return { buffer, engine: shown };
		} finally {
			engine.close();
		}
	};
}

/* An error of zlib itself, with the frames that Node has there. */
function placed(e, name, on) {
	if (!/^Z_/.test(e.code))
		return e;
	return require('internal/fatal').made(e, ['genericNodeError (node:internal/errors:984:15)', 'wrappedFn (node:internal/errors:538:14)',
		'Zlib.zlibOnError [as onerror] (node:zlib:189:17)', 'processChunkSync (node:zlib:415:12)', 'zlibBufferSync (node:zlib:178:12)',
		`${on === undefined ? '' : 'Object.'}syncBufferWrapper${on === undefined ? '' : ` [as ${name}]`} (node:zlib:767:14)`],
	/ \(?node:zlib:/, 'zlib:425');
}

const methods = {};
for (const name of kinds) {
	const key = name[0].toLowerCase() + name.slice(1);
	methods[key] = { [key](buffer, options, callback) {
		if (typeof options === 'function')
			[callback, options] = [options, {}];
		validateFunction(callback, 'callback');
		queue.submit(step(name, buffer, options, true), 1, (error, result) => error ? callback(error) : callback(null, result));
	} }[key];
	methods[`${key}Sync`] = { [`${key}Sync`](buffer, options) {
		const run = step(name, buffer, options);
		try {
			return run();
		} catch (e) {
			throw placed(e, `${key}Sync`, this);
		}
	} }[`${key}Sync`];
}

function crc32(data, value = 0) {
	if (typeof data !== 'string' && !ArrayBuffer.isView(data))
		throw new errors.ERR_INVALID_ARG_TYPE('data', ['Buffer', 'TypedArray', 'DataView', 'string'], data);
	validateUint32(value, 'value');
	return host.sys(N.crc32, value, data);
}

/* ---- What is not here ---- */

const missing = {};
for (const name of ['BrotliCompress', 'BrotliDecompress', 'brotliCompress', 'brotliCompressSync', 'brotliDecompress',
	'brotliDecompressSync', 'createBrotliCompress', 'createBrotliDecompress']) {
	missing[name] = { [name]() {
		const e = new Error(`zlib.${name}() is not in this sandbox: use gzip or deflate`);
		e.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
		throw e;
	} }[name];
}

/* In the order in which Node lists them. */
const have = { crc32, ...classes, ...methods, ...creators, ...missing };
for (const name of ['crc32', ...kinds, 'BrotliCompress', 'BrotliDecompress', 'deflate', 'deflateSync', 'gzip', 'gzipSync', 'deflateRaw',
	'deflateRawSync', 'unzip', 'unzipSync', 'inflate', 'inflateSync', 'gunzip', 'gunzipSync', 'inflateRaw', 'inflateRawSync',
	'brotliCompress', 'brotliCompressSync', 'brotliDecompress', 'brotliDecompressSync', 'createDeflate', 'createInflate', 'createDeflateRaw',
	'createInflateRaw', 'createGzip', 'createGunzip', 'createUnzip', 'createBrotliCompress', 'createBrotliDecompress'])
	exports[name] = have[name];
Object.defineProperty(exports, 'constants', { value: constants, enumerable: true });
Object.defineProperty(exports, 'codes', { value: codes, enumerable: true });
for (const name of Object.keys(constants)) {
	if (name.startsWith('Z_') || name === 'DEFLATE')
		Object.defineProperty(exports, name, { value: constants[name], enumerable: false });
}
