/* crypto: what can be done without public keys; the rest fails by name. */
'use strict';

const { validateFunction, validateString } = require('internal/validators');
const c = require('internal/crypto_common');
const hashing = require('internal/crypto_hash');
const random = require('internal/crypto_random');
const derive = require('internal/crypto_derive');
const cipher = require('internal/crypto_cipher');
const { codes } = require('internal/errors');
const { Buffer } = require('buffer');

const { Hash, Hmac, hash } = hashing;
const { Cipheriv, Decipheriv } = cipher;

/* ---- Secrets as objects ---- */

class KeyObject {
	constructor(type, bytes) {
		if (type !== 'secret')
			throw c.absent('KeyObject');
		Object.defineProperty(this, c.kSecret, { value: bytes, enumerable: false });
	}
	get type() { return 'secret'; }
	get symmetricKeySize() { return this[c.kSecret].length; }
	export(options = {}) {
		const bytes = Buffer.from(this[c.kSecret]);
		return options.format === 'jwk' ? { kty: 'oct', k: bytes.toString('base64url') } : bytes;
	}
	equals(other) {
		return Buffer.from(this[c.kSecret]).equals(other[c.kSecret]);
	}
	static from(key) {
		return new KeyObject('secret', key[c.kSecret]);
	}
}
class SecretKeyObject extends KeyObject {}

function createSecretKey(key, encoding) {
	const bytes = c.bytesOf(key, 'key', encoding);
	return new SecretKeyObject('secret', Uint8Array.from(bytes));
}

function generated(type, options) {
	validateString(type, 'type');
	const bits = options?.length;
	if (type !== 'hmac' && type !== 'aes')
		throw new codes.ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
	if (type === 'aes' && ![128, 192, 256].includes(bits))
		throw new codes.ERR_INVALID_ARG_VALUE('options.length', bits, 'must be one of: 128, 192, 256');
	if (!Number.isInteger(bits) || bits < 8)
		throw new codes.ERR_OUT_OF_RANGE('options.length', '>= 8 && <= 2147483647', bits);
	return createSecretKey(random.randomBytes(bits >> 3));
}

function generateKey(type, options, callback) {
	validateFunction(callback, 'callback');
	const key = generated(type, options);
	process.nextTick(callback, null, key);
}

/* ---- What is not here ---- */

const missing = {};
for (const name of ['checkPrime', 'checkPrimeSync', 'createDiffieHellman', 'createDiffieHellmanGroup', 'createECDH', 'createPrivateKey',
	'createPublicKey', 'createSign', 'createVerify', 'diffieHellman', 'generatePrime', 'generatePrimeSync', 'getDiffieHellman',
	'generateKeyPair', 'generateKeyPairSync', 'privateDecrypt', 'privateEncrypt', 'publicDecrypt', 'publicEncrypt', 'setEngine', 'sign',
	'verify', 'Certificate', 'Cipher', 'Decipher', 'DiffieHellman', 'DiffieHellmanGroup', 'ECDH', 'Sign', 'Verify', 'X509Certificate'])
	missing[name] = { [name]() { throw c.absent(name); } }[name];

const named = (fn, name) => Object.defineProperty(fn, 'name', { value: name, configurable: true });

const all = {
	...missing,
	createCipheriv: named((name, key, iv, options) => new Cipheriv(name, key, iv, options), 'createCipheriv'),
	createDecipheriv: named((name, key, iv, options) => new Decipheriv(name, key, iv, options), 'createDecipheriv'),
	createHash: named((algorithm, options) => new Hash(algorithm, options), 'createHash'),
	createHmac: named((algorithm, key, options) => new Hmac(algorithm, key, options), 'createHmac'),
	createSecretKey, getCiphers: () => [...cipher.cipherNames], getCipherInfo: cipher.getCipherInfo, getCurves: () => [],
	getHashes: () => [...c.hashNames], hkdf: derive.hkdf, hkdfSync: derive.hkdfSync, pbkdf2: derive.pbkdf2, pbkdf2Sync: derive.pbkdf2Sync,
	generateKey, generateKeySync: named((type, options) => generated(type, options), 'generateKeySync'), randomBytes: random.randomBytes,
	randomFill: random.randomFill, randomFillSync: random.randomFillSync, randomInt: random.randomInt, randomUUID: random.randomUUID,
	scrypt: derive.scrypt, scryptSync: derive.scryptSync, timingSafeEqual: random.timingSafeEqual, getFips: () => 0,
	setFips(on) { if (on) throw c.absent('setFips'); }, hash, Cipheriv, Decipheriv, Hash, Hmac, KeyObject,
	secureHeapUsed: () => ({ total: 0, used: 0, utilization: 0, min: 2 }),
	constants: Object.freeze({ __proto__: null, RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_PKCS1_PSS_PADDING: 6,
		defaultCipherList: '', TLS1_VERSION: 769, TLS1_1_VERSION: 770, TLS1_2_VERSION: 771, TLS1_3_VERSION: 772 }),
};

/* In the order in which Node lists them. */
const order = 'checkPrime checkPrimeSync createCipheriv createDecipheriv createDiffieHellman createDiffieHellmanGroup createECDH createHash ' +
	'createHmac createPrivateKey createPublicKey createSecretKey createSign createVerify diffieHellman generatePrime generatePrimeSync ' +
	'getCiphers getCipherInfo getCurves getDiffieHellman getHashes hkdf hkdfSync pbkdf2 pbkdf2Sync generateKeyPair generateKeyPairSync ' +
	'generateKey generateKeySync privateDecrypt privateEncrypt publicDecrypt publicEncrypt randomBytes randomFill randomFillSync ' +
	'randomInt randomUUID scrypt scryptSync sign setEngine timingSafeEqual getFips setFips verify hash Certificate Cipher Cipheriv ' +
	'Decipher Decipheriv DiffieHellman DiffieHellmanGroup ECDH Hash Hmac KeyObject Sign Verify X509Certificate secureHeapUsed constants';
for (const name of order.split(' '))
	exports[name] = all[name];
Object.defineProperty(exports, 'pseudoRandomBytes', { value: random.randomBytes, writable: true, configurable: true });
for (const [key, name] of [['webcrypto', 'crypto'], ['subtle', 'subtle']]) {
	Object.defineProperty(exports, key, {
		get() { return require('internal/webcrypto')[name]; }, configurable: false, enumerable: true,
	});
}
Object.defineProperty(exports, 'getRandomValues', {
	get() { return (array) => require('internal/webcrypto').crypto.getRandomValues(array); }, configurable: false, enumerable: true,
});
