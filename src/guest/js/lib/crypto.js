/* crypto: digests, keyed digests, keys from passwords, random values, AES. What needs large numbers (RSA, curves) is not here. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateInteger, validateNumber, validateObject, validateString, validateBoolean, validateInt32 } =
	require('internal/validators');
const { types } = require('internal/types');
const hash = require('internal/hash');
const derive = require('internal/crypto_derive');
const { Buffer } = require('buffer');
const { Transform } = require('stream');

const kState = Symbol('kState');

function view(value) {
	return types.isAnyArrayBuffer(value) ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/* Strings as UTF-8 (or `encoding`), views and buffers as they are. */
function bytesOf(value, name, kinds, encoding) {
	if (typeof value === 'string')
		return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
	if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value))
		return view(value);
	throw new codes.ERR_INVALID_ARG_TYPE(name, kinds, value);
}
const dataKinds = ['string', 'Buffer', 'TypedArray', 'DataView'];
const keyKinds = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'];
const plainKinds = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

const encoded = (bytes, encoding) => {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return encoding && encoding !== 'buffer' && Buffer.isEncoding(encoding) ? buffer.toString(encoding) : buffer;
};

/* ---- Hash and Hmac ---- */

function defineDigest(Class) {
	Object.setPrototypeOf(Class.prototype, Transform.prototype);
	Object.setPrototypeOf(Class, Transform);
	Class.prototype._transform = function (chunk, encoding, callback) {
		this[kState].digest.update(bytesOf(chunk, 'data', dataKinds, encoding));
		callback();
	};
	Class.prototype._flush = function (callback) {
		this.push(this.digest());
		callback();
	};
	Class.prototype.update = function update(data, encoding) {
		const state = this[kState];
		if (state.finished)
			throw new codes.ERR_CRYPTO_HASH_FINALIZED();
		state.digest.update(bytesOf(data, 'data', dataKinds, encoding));
		return this;
	};
}

function start(self, digest, options) {
	Object.defineProperty(self, kState, { value: { digest, finished: false, result: undefined }, enumerable: false });
	Transform.call(self, options);
}

function unknownDigest() {
	return new Error('Digest method not supported');
}

function Hash(algorithm, options) {
	if (!(this instanceof Hash))
		return new Hash(algorithm, options);
	let digest;
	if (algorithm instanceof Hash) {
		if (algorithm[kState].finished)
			throw new codes.ERR_CRYPTO_HASH_FINALIZED();
		digest = algorithm[kState].digest.copy();
	} else {
		validateString(algorithm, 'algorithm');
		const found = hash.find(algorithm);
		if (found === undefined)
			throw unknownDigest();
		if (options?.outputLength !== undefined && options.outputLength !== found.size) {
			validateInteger(options.outputLength, 'options.outputLength', 0);
			throw Object.assign(new Error('error:030000B2:digital envelope routines::not XOF or invalid length'), {
				library: 'digital envelope routines', reason: 'not XOF or invalid length', code: 'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH',
			});
		}
		digest = new hash.Digest(found);
	}
	start(this, digest, options);
}
defineDigest(Hash);
Hash.prototype.copy = function copy(options) {
	return new Hash(this, options);
};
Hash.prototype.digest = function digest(encoding) {
	const state = this[kState];
	if (state.finished)
		throw new codes.ERR_CRYPTO_HASH_FINALIZED();
	state.finished = true;
	return encoded(state.digest.finish(), encoding);
};

function Hmac(algorithm, key, options) {
	if (!(this instanceof Hmac))
		return new Hmac(algorithm, key, options);
	validateString(algorithm, 'hmac');
	const secret = key instanceof KeyObject ? key[kState] : bytesOf(key, 'key', keyKinds, options?.encoding);
	const found = hash.find(algorithm);
	if (found === undefined)
		throw new codes.ERR_CRYPTO_INVALID_DIGEST(algorithm);
	start(this, new hash.Hmac(found, secret), options);
}
defineDigest(Hmac);
Hmac.prototype.digest = function digest(encoding) {
	const state = this[kState];
	if (state.finished)
		return encoded(new Uint8Array(0), encoding);
	state.finished = true;
	return encoded(state.digest.finish(), encoding);
};

/* ---- secret keys ---- */

class KeyObject {
	constructor(type, bytes) {
		this.type = type;
		Object.defineProperty(this, kState, { value: Uint8Array.from(bytes), enumerable: false });
	}
	get symmetricKeySize() { return this[kState].length; }
	export(options) {
		if (options?.format === 'jwk')
			return { kty: 'oct', k: encoded(this[kState], 'base64url') };
		return Buffer.from(this[kState]);
	}
	equals(other) { return other instanceof KeyObject && host.compare(this[kState], other[kState]) === 0; }
}
Object.defineProperty(KeyObject, 'name', { value: 'SecretKeyObject' });

/* ---- random values ---- */

function fill(bytes) {
	for (let at = 0; at < bytes.length; at += 65536)
		host.random(bytes.subarray(at, at + 65536));
	return bytes;
}

function later(callback, make) {
	validateFunction(callback, 'callback');
	let error = null, value;
	try {
		value = make();
	} catch (failure) {
		error = failure;
	}
	require('timers').setImmediate(() => error ? callback(error) : callback(null, value));
}

function randomBytes(size, callback) {
	validateNumber(size, 'size');
	if (!(size >= 0 && size <= 2147483647))
		throw new codes.ERR_OUT_OF_RANGE('size', '>= 0 && <= 2147483647', size);
	if (callback === undefined)
		return fill(Buffer.alloc(size));
	later(callback, () => fill(Buffer.alloc(size)));
	return undefined;
}

function part(buffer, offset = 0, size) {
	if (!ArrayBuffer.isView(buffer) && !types.isAnyArrayBuffer(buffer))
		throw new codes.ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
	const bytes = view(buffer), unit = buffer.BYTES_PER_ELEMENT || 1;
	validateInteger(offset, 'offset', 0, bytes.length);
	const length = size === undefined ? bytes.length - offset * unit : size * unit;
	if (length + offset * unit > bytes.length)
		throw new codes.ERR_OUT_OF_RANGE('size + offset', `<= ${buffer.byteLength}`, length + offset * unit);
	return bytes.subarray(offset * unit, offset * unit + length);
}

function randomFillSync(buffer, offset, size) {
	fill(part(buffer, offset, size));
	return buffer;
}

function randomFill(buffer, ...rest) {
	const callback = rest.pop();
	later(callback, () => randomFillSync(buffer, ...rest));
}

function randomInt(min, max, callback) {
	if (max === undefined || typeof max === 'function') {
		callback = max;
		max = min;
		min = 0;
	}
	if (!Number.isSafeInteger(min))
		throw new codes.ERR_INVALID_ARG_TYPE('min', 'a safe integer', min);
	if (!Number.isSafeInteger(max))
		throw new codes.ERR_INVALID_ARG_TYPE('max', 'a safe integer', max);
	if (max <= min)
		throw new codes.ERR_OUT_OF_RANGE('max', `greater than the value of "min" (${min})`, max);
	const range = max - min;
	if (range > 2 ** 48 - 1)
		throw new codes.ERR_OUT_OF_RANGE('max - min', '<= 281474976710655', range);
	const limit = 2 ** 48 - 2 ** 48 % range;
	const pick = () => {
		for (;;) {
			const n = fill(Buffer.alloc(6)).readUIntBE(0, 6);
			if (n < limit)
				return n % range + min;
		}
	};
	if (callback === undefined)
		return pick();
	later(callback, pick);
	return undefined;
}

function randomUUID(options) {
	if (options !== undefined)
		validateObject(options, 'options');
	if (options?.disableEntropyCache !== undefined)
		validateBoolean(options.disableEntropyCache, 'options.disableEntropyCache');
	const bytes = fill(Buffer.alloc(16));
	bytes[6] = (bytes[6] & 0x0F) | 0x40;
	bytes[8] = (bytes[8] & 0x3F) | 0x80;
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function timingSafeEqual(a, b) {
	for (const [value, name] of [[a, 'buf1'], [b, 'buf2']]) {
		if (!ArrayBuffer.isView(value) && !types.isAnyArrayBuffer(value)) {
			throw Object.assign(new TypeError(`The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`),
				{ code: 'ERR_INVALID_ARG_TYPE' });
		}
	}
	if (a.byteLength !== b.byteLength)
		throw new codes.ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH();
	const left = view(a), right = view(b);
	let difference = 0;
	for (let i = 0; i < left.length; i++)
		difference |= left[i] ^ right[i];
	return difference === 0;
}

/* ---- keys from passwords ---- */

function digestNamed(name) {
	validateString(name, 'digest');
	const found = hash.find(name);
	if (found === undefined)
		throw new codes.ERR_CRYPTO_INVALID_DIGEST(name);
	return found;
}

function pbkdf2Sync(password, salt, iterations, length, digest) {
	validateString(digest, 'digest');
	const secret = bytesOf(password, 'password', plainKinds), seed = bytesOf(salt, 'salt', plainKinds);
	validateInt32(iterations, 'iterations', 1);
	validateInt32(length, 'keylen', 0);
	return encoded(derive.pbkdf2(digestNamed(digest), secret, seed, iterations, length));
}

function pbkdf2(password, salt, iterations, length, digest, callback) {
	if (typeof digest === 'function') {
		callback = digest;
		digest = undefined;
	}
	validateString(digest, 'digest');
	later(callback, () => pbkdf2Sync(password, salt, iterations, length, digest));
}

function hkdfSync(digest, key, salt, info, length) {
	const algorithm = digestNamed(digest);
	const secret = key instanceof KeyObject ? key[kState] : bytesOf(key, 'ikm', keyKinds);
	validateInteger(length, 'length', 0, 2147483647);
	if (length > 255 * algorithm.size)
		throw new codes.ERR_CRYPTO_INVALID_KEYLEN();
	return derive.hkdf(algorithm, secret, bytesOf(salt, 'salt', plainKinds), bytesOf(info, 'info', plainKinds), length).buffer;
}

function scryptSync(password, salt, length, options = {}) {
	const n = options.N ?? options.cost ?? 16384, r = options.r ?? options.blockSize ?? 8, p = options.p ?? options.parallelization ?? 1;
	const secret = bytesOf(password, 'password', plainKinds), seed = bytesOf(salt, 'salt', plainKinds);
	validateInt32(length, 'keylen', 0);
	if (n < 2 || (n & (n - 1)) !== 0 || 128 * n * r > (options.maxmem ?? 32 * 1024 * 1024))
		throw new codes.ERR_CRYPTO_INVALID_SCRYPT_PARAMS();
	return encoded(derive.scrypt(hash.find('sha256'), secret, seed, length, n, r, p));
}

const absent = ['createDiffieHellman', 'createDiffieHellmanGroup', 'createECDH', 'createPrivateKey', 'createPublicKey', 'createSign',
	'createVerify', 'diffieHellman', 'generateKeyPair', 'generateKeyPairSync', 'generatePrime', 'generatePrimeSync', 'checkPrime',
	'checkPrimeSync', 'getDiffieHellman', 'privateDecrypt', 'privateEncrypt', 'publicDecrypt', 'publicEncrypt', 'sign', 'verify'];
for (const name of absent) {
	exports[name] = { [name]() {
		throw new Error(`crypto.${name}() is not in this sandbox: there are digests, hmac, key derivation, random values and AES`);
	} }[name];
}

Object.assign(exports, {
	createHash: (algorithm, options) => new Hash(algorithm, options),
	createHmac: (algorithm, key, options) => new Hmac(algorithm, key, options),
	createSecretKey: (key, encoding) => new KeyObject('secret', bytesOf(key, 'key', plainKinds, encoding)),
	createCipheriv: (...args) => require('internal/cipher').createCipheriv(...args),
	createDecipheriv: (...args) => require('internal/cipher').createDecipheriv(...args),
	getCiphers: () => require('internal/cipher').names(),
	getCipherInfo: (name) => require('internal/cipher').info(name),
	getCurves: () => [], getHashes: () => hash.names.flatMap((name) => name.startsWith('sha512-') ? [name] : [`RSA-${name.toUpperCase()}`, name]).sort(),
	hkdfSync, hkdf: (digest, key, salt, info, length, callback) => later(callback, () => hkdfSync(digest, key, salt, info, length)),
	pbkdf2, pbkdf2Sync, scryptSync,
	scrypt(password, salt, length, options, callback) {
		if (typeof options === 'function')
			[options, callback] = [undefined, options];
		later(callback, () => scryptSync(password, salt, length, options));
	},
	randomBytes, rng: randomBytes, pseudoRandomBytes: randomBytes, prng: randomBytes, randomFill, randomFillSync, randomInt, randomUUID,
	timingSafeEqual, Hash, Hmac, KeyObject,
	getRandomValues: (array) => exports.webcrypto.getRandomValues(array),
	constants: { defaultCoreCipherList: '' }, getFips: () => 0, setFips() {},
});
for (const name of ['webcrypto', 'subtle'])
	Object.defineProperty(exports, name, {
		configurable: true, enumerable: true,
		get() {
			const { crypto } = require('internal/webcrypto');
			return name === 'subtle' ? crypto.subtle : crypto;
		},
	});
