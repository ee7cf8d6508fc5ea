/* What the parts of crypto share: digests by their names, secrets as bytes, errors. */
'use strict';

const { codes } = require('internal/errors');
const N = require('internal/sysnumbers');
const { Buffer } = require('buffer');
const { encodingOf } = require('internal/encodings');
const sys = host.sys, STATE = 768;

/* In the order of guest/digest.h: [name, bytes, block, other names...]. */
const rows = [
	['md5', 16, 64, 'RSA-MD5', 'md5WithRSAEncryption', 'ssl3-md5'], ['sha1', 20, 64, 'RSA-SHA1', 'RSA-SHA1-2', 'sha1WithRSAEncryption', 'ssl3-sha1', 'sha-1'],
	['sha224', 28, 64, 'RSA-SHA224', 'sha224WithRSAEncryption', 'sha-224', 'sha2-224'],
	['sha256', 32, 64, 'RSA-SHA256', 'sha256WithRSAEncryption', 'sha-256', 'sha2-256'],
	['sha384', 48, 128, 'RSA-SHA384', 'sha384WithRSAEncryption', 'sha-384', 'sha2-384'],
	['sha512', 64, 128, 'RSA-SHA512', 'sha512WithRSAEncryption', 'sha-512', 'sha2-512'],
	['sha512-224', 28, 128, 'RSA-SHA512/224', 'sha512-224WithRSAEncryption', 'sha-512/224', 'sha2-512/224'],
	['sha512-256', 32, 128, 'RSA-SHA512/256', 'sha512-256WithRSAEncryption', 'sha-512/256', 'sha2-512/256'],
	['ripemd160', 20, 64, 'RSA-RIPEMD160', 'ripemd', 'ripemd160WithRSA', 'rmd160', 'ripemd-160'],
	['blake2b512', 64, 128, 'blake2b-512'], ['blake2s256', 32, 64, 'blake2s-256'],
	['sha3-224', 28, 144, 'RSA-SHA3-224', 'id-rsassa-pkcs1-v1_5-with-sha3-224'], ['sha3-256', 32, 136, 'RSA-SHA3-256', 'id-rsassa-pkcs1-v1_5-with-sha3-256'],
	['sha3-384', 48, 104, 'RSA-SHA3-384', 'id-rsassa-pkcs1-v1_5-with-sha3-384'], ['sha3-512', 64, 72, 'RSA-SHA3-512', 'id-rsassa-pkcs1-v1_5-with-sha3-512'],
	['shake128', 16, 168, 'shake-128'], ['shake256', 32, 136, 'shake-256'],
];
const known = new Map();
rows.forEach(([name, bytes, block, ...others], kind) => {
	for (const one of [name, ...others])
		known.set(one.toLowerCase(), { name, kind, bytes, block, xof: name.startsWith('shake') });
});

/* undefined: no such digest. */
exports.digestOf = (name) => known.get(name.toLowerCase());
exports.hashNames = ('RSA-MD5 RSA-RIPEMD160 RSA-SHA1 RSA-SHA1-2 RSA-SHA224 RSA-SHA256 RSA-SHA3-224 RSA-SHA3-256 RSA-SHA3-384 RSA-SHA3-512 ' +
	'RSA-SHA384 RSA-SHA512 RSA-SHA512/224 RSA-SHA512/256 blake2b512 blake2s256 id-rsassa-pkcs1-v1_5-with-sha3-224 ' +
	'id-rsassa-pkcs1-v1_5-with-sha3-256 id-rsassa-pkcs1-v1_5-with-sha3-384 id-rsassa-pkcs1-v1_5-with-sha3-512 md5 ' +
	'md5-sha1 md5WithRSAEncryption ripemd ripemd160 ripemd160WithRSA rmd160 sha1 sha1WithRSAEncryption sha224 sha224WithRSAEncryption sha256 ' +
	'sha256WithRSAEncryption sha3-224 sha3-256 sha3-384 sha3-512 sha384 sha384WithRSAEncryption sha512 sha512-224 ' +
	'sha512-224WithRSAEncryption sha512-256 sha512-256WithRSAEncryption sha512WithRSAEncryption shake128 shake256 ssl3-md5 ssl3-sha1').split(' ');

exports.digestOrThrow = function (name) {
	const digest = exports.digestOf(name);
	if (!digest)
		throw exports.plain(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);
	return digest;
};

exports.plain = function (Base, code, message, more) {
	const e = new Base(message);
	return Object.assign(e, more, code === undefined ? undefined : { code });
};

/* OpenSSL's own errors. */
exports.openssl = function (number, library, reason) {
	const code = `ERR_OSSL_${library === 'digital envelope routines' ? 'EVP_' : ''}${reason.toUpperCase().replace(/ /g, '_')}`;
	return exports.plain(Error, code, `error:${number}:${library}::${reason}`, { library, reason });
};

exports.absent = function (name) {
	return exports.plain(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `crypto.${name}() is not in this sandbox: ` +
		'there are hashes, HMAC, random numbers, pbkdf2, scrypt, hkdf and AES (cbc, ctr, ecb, gcm), but no public keys');
};

/* ---- States of digests ---- */

exports.begin = function (digest) {
	const state = new Uint8Array(STATE);
	sys(N.digest_init, digest.kind, state);
	return state;
};
exports.add = (state, bytes) => { sys(N.digest_add, state, bytes); };
exports.end = function (state, length) {
	const out = Buffer.allocUnsafeSlow(length);
	sys(N.digest_end, state, out);
	return out;
};
exports.digest = function (digest, ...parts) {
	const state = exports.begin(digest);
	for (const part of parts)
		exports.add(state, part);
	return exports.end(state, digest.bytes);
};

exports.hmacStates = function (digest, key) {
	if (key.length > digest.block)
		key = exports.digest(digest, key);
	const inner = exports.begin(digest), outer = exports.begin(digest), pad = new Uint8Array(digest.block).fill(0x36);
	key.forEach((byte, i) => { pad[i] ^= byte; });
	exports.add(inner, pad);
	exports.add(outer, pad.map((byte) => byte ^ 0x36 ^ 0x5c));
	return [inner, outer];
};

exports.hmac = function (digest, key, ...parts) {
	const [inner, outer] = exports.hmacStates(digest, key);
	for (const part of parts)
		exports.add(inner, part);
	exports.add(outer, exports.end(inner, digest.bytes));
	return exports.end(outer, digest.bytes);
};

/* ---- Bytes ---- */

function isAnyBuffer(value) {
	return value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer);
}

function viewOf(value) {
	if (ArrayBuffer.isView(value))
		return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	return isAnyBuffer(value) ? new Uint8Array(value) : undefined;
}
exports.viewOf = viewOf;

/* Text or bytes. */
exports.bytesOf = function (value, name, encoding) {
	if (typeof value === 'string')
		return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
	const view = viewOf(value);
	if (view === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
	return view;
};

const kSecret = Symbol('secret');
exports.kSecret = kSecret;

exports.keyOf = function (value, name = 'key', encoding) {
	if (value !== null && typeof value === 'object' && value[kSecret])
		return value[kSecret];
	if (typeof value !== 'string' && viewOf(value) === undefined) {
		throw new codes.ERR_INVALID_ARG_TYPE(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'],
			value);
	}
	return exports.bytesOf(value, name, encoding);
};

/* An unknown encoding is none. */
exports.text = (bytes, encoding) => encoding && encodingOf(encoding) ? bytes.toString(encoding) : bytes;
