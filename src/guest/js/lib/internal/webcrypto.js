/* The Web Crypto API as far as there are no public keys in it: digests, HMAC, AES, PBKDF2, HKDF. */
'use strict';

const { codes } = require('internal/errors');
const { DOMException } = require('internal/dom_exception');
const { Buffer } = require('buffer');
const { types } = require('internal/types');
const c = require('internal/crypto_common');
const random = require('internal/crypto_random');
const queue = require('internal/fs_queue');

const fail = (name, message) => new DOMException(message, name);
const unsupported = () => fail('NotSupportedError', 'Unrecognized algorithm name');
const hashes = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const ciphers = { 'AES-CBC': 'cbc', 'AES-CTR': 'ctr', 'AES-GCM': 'gcm' };
const names = [...Object.keys(hashes), ...Object.keys(ciphers), 'HMAC', 'PBKDF2', 'HKDF'];

function algorithmOf(given) {
	const asked = typeof given === 'string' ? given : given?.name;
	const name = names.find((one) => one === String(asked).toUpperCase());
	if (!name)
		throw unsupported();
	return { ...(typeof given === 'object' ? given : undefined), name };
}

function hashOf(given) {
	const { name } = algorithmOf(given);
	if (!hashes[name])
		throw unsupported();
	return c.digestOf(hashes[name]);
}

function bytesOf(value, what = 'data') {
	const view = c.viewOf(value);
	if (view === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE(what, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
	return view;
}

const bufferOf = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);

class CryptoKey {
	#fields;
	constructor(key, fields) {
		if (key !== c.kSecret)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		this.#fields = fields;
		Object.defineProperty(this, c.kSecret, { value: fields.bytes, enumerable: false });
	}
	get type() { return 'secret'; }
	get extractable() { return this.#fields.extractable; }
	get algorithm() { return this.#fields.algorithm; }
	get usages() { return [...this.#fields.usages]; }
	[Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
		const { type, extractable, algorithm, usages } = this;
		return depth < 0 ? this : `CryptoKey ${inspect({ type, extractable, algorithm, usages }, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
	}
}
exports.CryptoKey = CryptoKey;

function keyOf(key, name, usage) {
	if (!(key instanceof CryptoKey))
		throw new codes.ERR_INVALID_ARG_TYPE('key', 'CryptoKey', key);
	if (key.algorithm.name !== name)
		throw fail('InvalidAccessError', 'Key algorithm mismatch');
	if (!key.usages.includes(usage))
		throw fail('InvalidAccessError', `The requested operation is not valid for the provided key`);
	return key[c.kSecret];
}

function makeKey(bytes, algorithm, extractable, usages) {
	const described = { name: algorithm.name };
	if (algorithm.name === 'HMAC')
		Object.assign(described, { hash: { name: algorithmOf(algorithm.hash).name }, length: bytes.length * 8 });
	else if (ciphers[algorithm.name])
		described.length = bytes.length * 8;
	return new CryptoKey(c.kSecret, { bytes, algorithm: described, extractable: !!extractable, usages: [...new Set(usages)] });
}

function crypt(algorithm, key, data, encrypt) {
	const { name } = algorithm = algorithmOf(algorithm), mode = ciphers[name];
	if (!mode)
		throw unsupported();
	const secret = keyOf(key, name, encrypt ? 'encrypt' : 'decrypt'), { Cipheriv, Decipheriv } = require('internal/crypto_cipher');
	const iv = bytesOf(mode === 'ctr' ? algorithm.counter : algorithm.iv, mode === 'ctr' ? 'algorithm.counter' : 'algorithm.iv');
	let input = bytesOf(data);
	try {
		const one = new (encrypt ? Cipheriv : Decipheriv)(`aes-${secret.length * 8}-${mode}`, secret, iv);
		const tag = (algorithm.tagLength ?? 128) / 8;
		if (mode === 'gcm' && algorithm.additionalData !== undefined)
			one.setAAD(bytesOf(algorithm.additionalData));
		if (mode === 'gcm' && !encrypt) {
			one.setAuthTag(input.subarray(input.length - tag));
			input = input.subarray(0, input.length - tag);
		}
		const parts = [one.update(input), one.final()];
		if (mode === 'gcm' && encrypt)
			parts.push(one.getAuthTag().subarray(0, tag));
		return bufferOf(Buffer.concat(parts));
	} catch (e) {
		throw fail('OperationError', 'The operation failed for an operation-specific reason', e);
	}
}

function derive(algorithm, key, bits, usage) {
	const { name } = algorithm = algorithmOf(algorithm), secret = keyOf(key, name, usage), digest = hashOf(algorithm.hash);
	const { pbkdf2Sync, hkdfBytes } = require('internal/crypto_derive');
	if (bits === null || bits % 8)
		throw fail('OperationError', 'length must be a multiple of 8');
	if (name === 'PBKDF2')
		return pbkdf2Sync(secret, bytesOf(algorithm.salt), algorithm.iterations, bits / 8, digest.name);
	if (name !== 'HKDF')
		throw unsupported();
	return hkdfBytes(digest, secret, bytesOf(algorithm.salt), bytesOf(algorithm.info), bits / 8);
}

const keyBits = (algorithm) => algorithm.length ?? (algorithm.name === 'HMAC' ? hashOf(algorithm.hash).block * 8 : undefined);

const kMake = Symbol('make');

class SubtleCrypto {
	constructor(key) {
		if (key !== kMake)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
	}
	async encrypt(algorithm, key, data) { return queue.promise(() => crypt(algorithm, key, data, true)); }
	async decrypt(algorithm, key, data) { return queue.promise(() => crypt(algorithm, key, data, false)); }
	async sign(algorithm, key, data) {
		const { name } = algorithmOf(algorithm);
		if (name !== 'HMAC')
			throw unsupported();
		const secret = keyOf(key, name, 'sign'), bytes = bytesOf(data);
		return queue.promise(() => bufferOf(c.hmac(hashOf(key.algorithm.hash), secret, bytes)));
	}
	async verify(algorithm, key, signature, data) {
		const { name } = algorithmOf(algorithm);
		if (name !== 'HMAC')
			throw unsupported();
		const secret = keyOf(key, name, 'verify'), made = c.hmac(hashOf(key.algorithm.hash), secret, bytesOf(data)), other = bytesOf(signature);
		return queue.promise(() => made.length === other.length && random.timingSafeEqual(made, other));
	}
	async digest(algorithm, data) {
		const digest = hashOf(algorithm), bytes = bytesOf(data);
		return queue.promise(() => bufferOf(c.digest(digest, bytes)));
	}
	async generateKey(algorithm, extractable, usages) {
		algorithm = algorithmOf(algorithm);
		const bits = keyBits(algorithm);
		if (!Number.isInteger(bits) || (ciphers[algorithm.name] && ![128, 192, 256].includes(bits)))
			throw fail('OperationError', 'Invalid key length');
		return queue.promise(() => makeKey(random.randomBytes(bits / 8), algorithm, extractable, usages));
	}
	async deriveKey(algorithm, key, wanted, extractable, usages) {
		wanted = algorithmOf(wanted);
		return queue.promise(() => makeKey(derive(algorithm, key, keyBits(wanted), 'deriveKey'), wanted, extractable, usages));
	}
	async deriveBits(algorithm, key, length) {
		return queue.promise(() => bufferOf(Buffer.from(derive(algorithm, key, length, 'deriveBits'))));
	}
	async importKey(format, data, algorithm, extractable, usages) {
		algorithm = algorithmOf(algorithm);
		const bytes = format === 'jwk' ? Buffer.from(`${data.k}`, 'base64url') : Uint8Array.from(bytesOf(data, 'keyData'));
		if (format !== 'raw' && format !== 'jwk')
			throw fail('NotSupportedError', `Unable to import ${algorithm.name} key with format ${format}`);
		if (ciphers[algorithm.name] && ![16, 24, 32].includes(bytes.length))
			throw fail('DataError', 'Invalid key length');
		return makeKey(bytes, algorithm, extractable, usages);
	}
	async exportKey(format, key) {
		if (!key.extractable)
			throw fail('InvalidAccessError', 'key is not extractable');
		const bytes = Buffer.from(key[c.kSecret]);
		if (format === 'raw')
			return bufferOf(bytes);
		if (format !== 'jwk')
			throw fail('NotSupportedError', 'Unsupported export type');
		const { name, hash } = key.algorithm;
		const alg = name === 'HMAC' ? `HS${hash.name.slice(4)}` : `A${bytes.length * 8}${name.slice(4)}`;
		return { key_ops: key.usages, ext: true, kty: 'oct', k: bytes.toString('base64url'), alg };
	}
	async wrapKey() { throw unsupported(); }
	async unwrapKey() { throw unsupported(); }
}

const integers = new Set(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
	'BigInt64Array', 'BigUint64Array']);

class Crypto {
	constructor(key) {
		if (key !== kMake)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
	}
	get subtle() { return exports.subtle; }
	getRandomValues(array) {
		if (!types.isTypedArray(array) || !integers.has(array[Symbol.toStringTag]))
			throw fail('TypeMismatchError', 'The data argument must be an integer-type TypedArray');
		if (array.byteLength > 65536)
			throw fail('QuotaExceededError', 'The requested length exceeds 65,536 bytes');
		host.random(c.viewOf(array));
		return array;
	}
	randomUUID(options) { return random.randomUUID(options); }
}
for (const Class of [Crypto, SubtleCrypto, CryptoKey])
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
for (const name of ['subtle', 'getRandomValues', 'randomUUID'])
	Object.defineProperty(Crypto.prototype, name, { enumerable: true });

Object.assign(exports, { Crypto, SubtleCrypto, subtle: new SubtleCrypto(kMake), crypto: new Crypto(kMake) });
