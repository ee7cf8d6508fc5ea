/* Random bytes and numbers, UUIDs, comparing in constant time. */
'use strict';

const { codes } = require('internal/errors');
const { validateBoolean, validateFunction, validateNumber, validateObject } = require('internal/validators');
const { Buffer } = require('buffer');
const c = require('internal/crypto_common');
const queue = require('internal/fs_queue');
const MAX = 2147483647, RANGE = 2 ** 48 - 1;

function checkSize(size, unit, offset, length) {
	validateNumber(size, 'size');
	size *= unit;
	if (Number.isNaN(size) || size > MAX || size < 0)
		throw new codes.ERR_OUT_OF_RANGE('size', `>= 0 && <= ${MAX}`, size);
	if (size + offset > length)
		throw new codes.ERR_OUT_OF_RANGE('size + offset', `<= ${length}`, size + offset);
	return size >>> 0;
}

function checkOffset(offset, unit, length) {
	validateNumber(offset, 'offset');
	offset *= unit;
	const most = Math.min(length, MAX);
	if (Number.isNaN(offset) || offset > most || offset < 0)
		throw new codes.ERR_OUT_OF_RANGE('offset', `>= 0 && <= ${most}`, offset);
	return offset >>> 0;
}

/* Bytes that have just been made are done at once, as nobody can tell. */
function randomBytes(size, callback) {
	size = checkSize(size, 1, 0, Infinity);
	if (callback !== undefined)
		validateFunction(callback, 'callback');
	const bytes = Buffer.allocUnsafeSlow(size);
	host.random(bytes);
	if (callback === undefined)
		return bytes;
	queue.submit(() => 0, 1, () => callback(null, bytes));
	return undefined;
}

function partOf(buffer, offset, size) {
	const view = c.viewOf(buffer);
	if (view === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
	const unit = buffer.BYTES_PER_ELEMENT || 1;
	offset = checkOffset(offset, unit, view.length);
	size = size === undefined ? view.length - offset : checkSize(size, unit, offset, view.length);
	return view.subarray(offset, offset + size);
}

function randomFillSync(buffer, offset = 0, size) {
	host.random(partOf(buffer, offset, size));
	return buffer;
}

function randomFill(buffer, offset, size, callback) {
	if (typeof offset === 'function')
		[callback, offset, size] = [offset, 0, undefined];
	else if (typeof size === 'function')
		[callback, size] = [size, undefined];
	validateFunction(callback, 'callback');
	const part = partOf(buffer, offset, size);
	queue.submit(() => host.random(part), 1, () => callback(null, buffer));
}

/* A whole number in [0, range), every one as likely. */
function below(range) {
	const limit = RANGE - RANGE % range, bytes = Buffer.allocUnsafeSlow(6);
	for (;;) {
		host.random(bytes);
		const n = bytes.readUIntBE(0, 6);
		if (n < limit)
			return n % range;
	}
}

function randomInt(min, max, callback) {
	const alone = max === undefined || typeof max === 'function';
	if (alone)
		[callback, max, min] = [max, min, 0];
	if (callback !== undefined)
		validateFunction(callback, 'callback');
	if (!Number.isSafeInteger(min))
		throw new codes.ERR_INVALID_ARG_TYPE('min', 'a safe integer', min);
	if (!Number.isSafeInteger(max))
		throw new codes.ERR_INVALID_ARG_TYPE('max', 'a safe integer', max);
	if (max <= min)
		throw new codes.ERR_OUT_OF_RANGE('max', `greater than the value of "min" (${min})`, max);
	if (max - min > RANGE)
		throw new codes.ERR_OUT_OF_RANGE(alone ? 'max' : 'max - min', `<= ${RANGE}`, max - min);
	const n = below(max - min) + min;
	if (callback === undefined)
		return n;
	process.nextTick(callback, undefined, n);
	return undefined;
}

function randomUUID(options) {
	if (options !== undefined)
		validateObject(options, 'options');
	if (options?.disableEntropyCache !== undefined)
		validateBoolean(options.disableEntropyCache, 'options.disableEntropyCache');
	const bytes = Buffer.allocUnsafeSlow(16);
	host.random(bytes);
	bytes[6] = bytes[6] & 0x0f | 0x40;
	bytes[8] = bytes[8] & 0x3f | 0x80;
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function timingSafeEqual(a, b) {
	const [x, y] = [a, b].map((one, i) => {
		const view = c.viewOf(one);
		if (view === undefined) {
			throw c.plain(TypeError, 'ERR_INVALID_ARG_TYPE',
				`The "buf${i + 1}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
		}
		return view;
	});
	if (x.length !== y.length)
		throw c.plain(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
	let difference = 0;
	for (let i = 0; i < x.length; i++)
		difference |= x[i] ^ y[i];
	return difference === 0;
}

Object.assign(exports, { randomBytes, randomFill, randomFillSync, randomInt, randomUUID, timingSafeEqual });
