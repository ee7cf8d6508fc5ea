/* The web's crypto object: random values, digests, HMAC and key derivation of subtle. */
'use strict';

const { codes } = require('internal/errors');
const { types } = require('internal/types');
const hash = require('internal/hash');

function domError(message, name) {
	return new (require('internal/dom_exception').DOMException)(message, name);
}

function bytesOf(value) {
	if (types.isAnyArrayBuffer(value))
		return new Uint8Array(value.slice(0));
	if (ArrayBuffer.isView(value))
		return new Uint8Array(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength));
	throw new codes.ERR_INVALID_ARG_TYPE('data', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
}

const nameOf = (algorithm) => `${typeof algorithm === 'string' ? algorithm : algorithm?.name}`.toUpperCase();

function digestOf(algorithm) {
	const found = /^SHA-(1|256|384|512)$/.test(nameOf(algorithm)) ? hash.find(nameOf(algorithm)) : undefined;
	if (found === undefined)
		throw domError('Unrecognized algorithm name', 'NotSupportedError');
	return found;
}

class CryptoKey {
	#bytes;
	constructor(bytes, algorithm, extractable, usages) {
		this.#bytes = bytes;
		Object.assign(this, { type: 'secret', extractable, algorithm, usages });
	}
	static bytes(key) { return key.#bytes; }
}
const secretOf = CryptoKey.bytes;
delete CryptoKey.bytes;

const tight = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

class SubtleCrypto {
	async digest(algorithm, data) {
		return tight(new hash.Digest(digestOf(algorithm)).update(bytesOf(data)).finish());
	}
	async importKey(format, data, algorithm, extractable, usages) {
		if (format !== 'raw' || !['HMAC', 'PBKDF2', 'HKDF'].includes(nameOf(algorithm)))
			throw domError('crypto.subtle: only raw keys for HMAC, PBKDF2 and HKDF are in this sandbox', 'NotSupportedError');
		return new CryptoKey(bytesOf(data), typeof algorithm === 'string' ? { name: algorithm } : algorithm, extractable, usages);
	}
	async generateKey(algorithm, extractable, usages) {
		if (nameOf(algorithm) !== 'HMAC')
			throw domError('crypto.subtle: only HMAC keys are made in this sandbox', 'NotSupportedError');
		const bytes = new Uint8Array(algorithm.length ? algorithm.length / 8 : digestOf(algorithm.hash).block);
		host.random(bytes);
		return new CryptoKey(bytes, algorithm, extractable, usages);
	}
	async exportKey(format, key) {
		if (!key.extractable)
			throw domError('key is not extractable', 'InvalidAccessException');
		return tight(secretOf(key));
	}
	async sign(algorithm, key, data) {
		return tight(new hash.Hmac(digestOf(key.algorithm.hash), secretOf(key)).update(bytesOf(data)).finish());
	}
	async verify(algorithm, key, signature, data) {
		return host.compare(new Uint8Array(await this.sign(algorithm, key, data)), bytesOf(signature)) === 0;
	}
	async deriveBits(algorithm, key, length) {
		const derive = require('internal/crypto_derive'), digest = digestOf(algorithm.hash);
		if (nameOf(algorithm) === 'PBKDF2')
			return tight(derive.pbkdf2(digest, secretOf(key), bytesOf(algorithm.salt), algorithm.iterations, length / 8));
		return tight(derive.hkdf(digest, secretOf(key), bytesOf(algorithm.salt), bytesOf(algorithm.info), length / 8));
	}
}

class Crypto {
	get subtle() { return subtle; }
	getRandomValues(array) {
		if (!types.isTypedArray(array) || types.isFloat32Array(array) || types.isFloat64Array(array))
			throw domError('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
		if (array.byteLength > 65536)
			throw domError(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
		host.random(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
		return array;
	}
	randomUUID() { return require('crypto').randomUUID(); }
}
const subtle = new SubtleCrypto();
for (const Class of [Crypto, SubtleCrypto, CryptoKey])
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

Object.assign(exports, { crypto: new Crypto(), Crypto, SubtleCrypto, CryptoKey });
