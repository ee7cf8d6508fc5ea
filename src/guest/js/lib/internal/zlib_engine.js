/* One stream of zlib: options checked, bytes in, bytes out, errors as Node words them. */
'use strict';

const { codes: errors } = require('internal/errors');
const { constants, codes } = require('internal/zlib_constants');
const { Buffer } = require('buffer');
const N = require('internal/sysnumbers');
const sys = host.sys;

const { DEFLATE, INFLATE, GZIP, GUNZIP, DEFLATERAW, INFLATERAW, UNZIP, Z_FINISH, Z_OK, Z_STREAM_END, Z_NEED_DICT, Z_DATA_ERROR,
	Z_BUF_ERROR } = constants;
const BASE = 100;	/* what the host adds to zlib's results */

/* ---- Options ---- */

function isGiven(value, name) {
	if (value === undefined || Number.isNaN(value))
		return false;
	if (typeof value !== 'number')
		throw new errors.ERR_INVALID_ARG_TYPE(name, 'number', value);
	if (!Number.isFinite(value))
		throw new errors.ERR_OUT_OF_RANGE(name, 'a finite number', value);
	return true;
}

function inRange(value, name, low, high, standard) {
	if (!isGiven(value, name))
		return standard;
	if (value < low || value > high)
		throw new errors.ERR_OUT_OF_RANGE(name, high === Infinity ? `>= ${low}` : `>= ${low} and <= ${high}`, value);
	return value;
}
exports.inRange = inRange;

function dictionaryOf(value) {
	if (value === undefined || ArrayBuffer.isView(value))
		return value;
	if (value instanceof ArrayBuffer)
		return Buffer.from(value);
	throw new errors.ERR_INVALID_ARG_TYPE('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], value);
}

function windowBits(value, mode) {
	if ((value == null || value === 0) && (mode === INFLATE || mode === GUNZIP || mode === UNZIP))
		return 0;
	if (mode === DEFLATERAW && value === 8)
		value = 9;
	return inRange(value, 'options.windowBits', mode === GZIP ? 9 : 8, 15, 15);
}

exports.options = function (options, mode) {
	const o = options ?? {};
	return {
		chunkSize: inRange(o.chunkSize, 'options.chunkSize', 64, Infinity, 16384),
		flush: inRange(o.flush, 'options.flush', 0, 5, constants.Z_NO_FLUSH),
		finishFlush: inRange(o.finishFlush, 'options.finishFlush', 0, 5, Z_FINISH),
		maxOutputLength: inRange(o.maxOutputLength, 'options.maxOutputLength', 1, 4294967296, 4294967296),
		windowBits: windowBits(o.windowBits, mode),
		level: inRange(o.level, 'options.level', -1, 9, -1),
		memLevel: inRange(o.memLevel, 'options.memLevel', 1, 9, 8),
		strategy: inRange(o.strategy, 'options.strategy', 0, 4, 0),
		dictionary: dictionaryOf(o.dictionary),
		info: !!o.info,
	};
};

/* ---- Errors ---- */

exports.error = function (number, message) {
	const e = new Error(message);
	e.errno = number;
	e.code = codes[number];
	return e;
};

/* ---- The engine ---- */

const extra = { [GZIP]: 16, [GUNZIP]: 16, [UNZIP]: 32 };

class Engine {
	constructor(mode, o) {
		this.mode = mode;
		this.dictionary = o.dictionary;
		this.left = new Int32Array(2);
		const deflates = mode === DEFLATE || mode === GZIP || mode === DEFLATERAW ? 1 : 0;
		const raw = mode === DEFLATERAW || mode === INFLATERAW;
		this.number = sys(N.zlib_open, deflates, o.level, raw ? -o.windowBits : o.windowBits + (extra[mode] ?? 0), o.memLevel, o.strategy);
		if (this.number < 0)
			throw exports.error(constants.Z_MEM_ERROR, 'Init error');
		if (this.dictionary && (deflates || mode === INFLATERAW) && sys(N.zlib_dictionary, this.number, this.dictionary) !== BASE + Z_OK)
			throw exports.error(constants.Z_STREAM_ERROR, 'Failed to set dictionary');
	}
	#run(input, output, flush) {
		return sys(N.zlib_run, this.number, input, output, flush, this.left) - BASE;
	}
	/* Gives [input left, room left in output]; throws. */
	write(input, output, flush) {
		if (this.mode === UNZIP && input.length)
			this.mode = input[0] === 0x1f ? GUNZIP : INFLATE;
		let r = this.#run(input, output, flush);
		if (r === Z_NEED_DICT && this.dictionary)
			r = this.#tell(input, output, flush);
		while (this.mode === GUNZIP && r === Z_STREAM_END && this.left[0] > 0 && input[input.length - this.left[0]] !== 0 && this.left[1] > 0) {
			sys(N.zlib_reset, this.number);
			r = this.#run(input.subarray(input.length - this.left[0]), output.subarray(output.length - this.left[1]), flush);
		}
		this.#check(r, flush);
		this.ended = r === Z_STREAM_END;
		return this.left;
	}
	#tell(input, output, flush) {
		const r = sys(N.zlib_dictionary, this.number, this.dictionary) - BASE;
		if (r === Z_OK)
			return this.#run(input.subarray(input.length - this.left[0]), output.subarray(output.length - this.left[1]), flush);
		return r === Z_DATA_ERROR ? Z_NEED_DICT : r;
	}
	#check(r, flush) {
		switch (r) {
		case Z_OK: case Z_BUF_ERROR:
			if (this.left[1] !== 0 && flush === Z_FINISH)
				throw exports.error(Z_BUF_ERROR, 'unexpected end of file');
			break;
		case Z_STREAM_END:
			break;
		case Z_NEED_DICT:
			throw exports.error(r, this.dictionary ? 'Bad dictionary' : 'Missing dictionary');
		default:
			throw exports.error(r, this.#message() || 'Zlib error');
		}
	}
	#message() {
		const bytes = new Uint8Array(sys(N.zlib_message, this.number));
		if (bytes.length)
			sys(N.take, bytes);
		return host.utf8Decode(bytes);
	}
	params(level, strategy) {
		sys(N.zlib_params, this.number, level, strategy);
	}
	reset() {
		sys(N.zlib_reset, this.number);
		if (this.dictionary && this.mode !== INFLATE && this.mode !== GUNZIP)
			sys(N.zlib_dictionary, this.number, this.dictionary);
	}
	close() {
		if (this.number >= 0)
			sys(N.zlib_close, this.number);
		this.number = -1;
	}
}
exports.Engine = Engine;

/* All of the input at once. */
exports.all = function (engine, input, o, flush) {
	const parts = [];
	let total = 0;
	for (;;) {
		const output = Buffer.allocUnsafeSlow(o.chunkSize), [inLeft, outLeft] = engine.write(input, output, flush);
		if (outLeft < output.length)
			parts.push(output.subarray(0, output.length - outLeft));
		total += output.length - outLeft;
		if (total > o.maxOutputLength)
			throw new errors.ERR_BUFFER_TOO_LARGE(o.maxOutputLength);
		input = input.subarray(input.length - inLeft);
		if (outLeft > 0 || engine.ended)
			break;
	}
	return Buffer.concat(parts, total);
};
