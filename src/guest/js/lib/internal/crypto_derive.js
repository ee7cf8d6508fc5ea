/* Keys out of passwords and secrets: pbkdf2, scrypt, hkdf. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateInt32, validateInteger, validateString, validateUint32 } = require('internal/validators');
const { Buffer } = require('buffer');
const N = require('internal/sysnumbers');
const c = require('internal/crypto_common');
const queue = require('internal/fs_queue');

/* ---- pbkdf2 ---- */

function pbkdf2Step(password, salt, iterations, length, name) {
	validateString(name, 'digest');
	password = c.bytesOf(password, 'password');
	salt = c.bytesOf(salt, 'salt');
	validateInt32(iterations, 'iterations', 1);
	validateInt32(length, 'keylen', 0);
	const digest = c.digestOrThrow(name);
	return () => {
		const out = Buffer.alloc(length);
		host.sys(N.pbkdf2, digest.kind, password, salt, iterations, out);
		return out;
	};
}

function pbkdf2(password, salt, iterations, length, digest, callback) {
	if (typeof digest === 'function')
		[callback, digest] = [digest, undefined];
	const step = pbkdf2Step(password, salt, iterations, length, digest);
	validateFunction(callback, 'callback');
	queue.submit(step, 1, (error, key) => callback(error, key));
}

const pbkdf2Sync = (password, salt, iterations, length, digest) => pbkdf2Step(password, salt, iterations, length, digest)();

/* ---- scrypt ---- */

function pick(options, short, long) {
	if (options[short] !== undefined && options[long] !== undefined)
		throw new codes.ERR_CRYPTO_SCRYPT_INVALID_PARAMETER();
	const value = options[short] ?? options[long];
	if (value !== undefined)
		validateUint32(value, short);
	return value;
}

function invalid(why) {
	return c.plain(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${why}`);
}

function scryptStep(password, salt, length, options) {
	password = c.bytesOf(password, 'password');
	salt = c.bytesOf(salt, 'salt');
	validateInt32(length, 'keylen', 0);
	options ??= {};
	const cost = pick(options, 'N', 'cost') || 16384, size = pick(options, 'r', 'blockSize') || 8;
	const parallel = pick(options, 'p', 'parallelization') || 1;
	let most = 32 * 1024 * 1024;
	if (options.maxmem !== undefined) {
		validateInteger(options.maxmem, 'maxmem', 0);
		most = options.maxmem || most;
	}
	if (cost < 2 || (cost & (cost - 1)) !== 0 || size * parallel > 2 ** 30 - 1)
		throw invalid('');
	if (128 * size * (cost + parallel + 2) > most)
		throw invalid(': error:030000AC:digital envelope routines::memory limit exceeded');
	return () => {
		const out = Buffer.alloc(length);
		if (host.sys(N.scrypt, password, salt, cost, size, parallel, out) < 0)
			throw invalid('');
		return out;
	};
}

function scrypt(password, salt, length, options, callback) {
	if (callback === undefined)
		[callback, options] = [options, undefined];
	const step = scryptStep(password, salt, length, options);
	validateFunction(callback, 'callback');
	queue.submit(step, 1, (error, key) => callback(error, key));
}

const scryptSync = (password, salt, length, options) => scryptStep(password, salt, length, options)();

/* ---- hkdf (RFC 5869) ---- */

exports.hkdfBytes = function (digest, key, salt, info, length) {
	const secret = c.hmac(digest, salt, key), blocks = [];
	let last = Buffer.alloc(0);
	for (let i = 1; i <= Math.ceil(length / digest.bytes); i++)
		blocks.push(last = c.hmac(digest, secret, last, info, Uint8Array.of(i)));
	return Buffer.concat(blocks).subarray(0, length);
};

function hkdfStep(name, key, salt, info, length) {
	validateString(name, 'digest');
	if (typeof key !== 'string' && c.viewOf(key) === undefined && !key?.[c.kSecret])
		throw new codes.ERR_INVALID_ARG_TYPE('ikm', ['string', 'SecretKeyObject', 'ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'], key);
	key = c.keyOf(key, 'ikm');
	salt = c.bytesOf(salt, 'salt');
	info = c.bytesOf(info, 'info');
	validateInteger(length, 'length', 0, 2 ** 32);
	if (info.length > 1024)
		throw new codes.ERR_OUT_OF_RANGE('info', 'must not contain more than 1024 bytes', info.length);
	const digest = c.digestOrThrow(name);
	if (length > 255 * digest.bytes)
		throw new codes.ERR_CRYPTO_INVALID_KEYLEN();
	return () => {
		const bytes = exports.hkdfBytes(digest, key, salt, info, length);
		return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + length);
	};
}

function hkdf(digest, key, salt, info, length, callback) {
	const step = hkdfStep(digest, key, salt, info, length);
	validateFunction(callback, 'callback');
	queue.submit(step, 1, (error, made) => callback(error, made));
}

const hkdfSync = (digest, key, salt, info, length) => hkdfStep(digest, key, salt, info, length)();

Object.assign(exports, { pbkdf2, pbkdf2Sync, scrypt, scryptSync, hkdf, hkdfSync });
