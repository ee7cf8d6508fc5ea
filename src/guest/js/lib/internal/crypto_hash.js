/* Hash and Hmac: also streams. */
'use strict';

const { inherit } = require('internal/lazy_transform');
const { codes } = require('internal/errors');
const { validateString, validateUint32 } = require('internal/validators');
const { Buffer } = require('buffer');
const c = require('internal/crypto_common');

const kHandle = Symbol('kHandle'), kState = Symbol('kState'), kFinalized = Symbol('kFinalized');
const PAIR = 'md5-sha1';

class HashHandle {}
Object.defineProperty(HashHandle, 'name', { value: 'Hash' });
class HmacHandle {}
Object.defineProperty(HmacHandle, 'name', { value: 'Hmac' });
const hidden = new WeakMap();		/* what a handle is about */

function finished() {
	return new codes.ERR_CRYPTO_HASH_FINALIZED();
}

function dataBytes(data, encoding) {
	if (typeof data === 'string')
		return Buffer.from(data, encoding === 'buffer' ? undefined : encoding);
	if (!ArrayBuffer.isView(data))
		throw new codes.ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
	return data;
}

function begin(self, Handle, data, options) {
	self._options = options;
	self[kHandle] = new Handle();
	self[kState] = { [kFinalized]: false };
	hidden.set(self[kHandle], data);
}

function hashData(algorithm, length) {
	const parts = (algorithm.toLowerCase() === PAIR ? ['md5', 'sha1'] : [algorithm]).map(c.digestOf);
	if (/^(RSA-)?(MD4|MDC2)$|^whirlpool$/i.test(algorithm))
		throw c.openssl('0308010C', 'digital envelope routines', 'unsupported');
	if (parts[0] === undefined)
		throw c.plain(Error, undefined, 'Digest method not supported');
	const bytes = parts.reduce((sum, one) => sum + one.bytes, 0);
	if (length !== undefined && length !== bytes && !parts[0].xof)
		throw c.openssl('030000B2', 'digital envelope routines', 'not XOF or invalid length');
	return { parts, length: length ?? bytes, states: parts.map(c.begin) };
}

function Hash(algorithm, options) {
	if (!new.target)
		return new Hash(algorithm, options);
	const from = algorithm instanceof Hash ? hidden.get(algorithm[kHandle]) : undefined;
	if (!from)
		validateString(algorithm, 'algorithm');
	const length = options && typeof options === 'object' ? options.outputLength : undefined;
	if (length !== undefined)
		validateUint32(length, 'options.outputLength');
	const data = from ? { ...from, length: length ?? from.length, states: from.states.map((one) => one.slice()) } : hashData(algorithm, length);
	begin(this, HashHandle, data, options);
	return this;
}
inherit(Hash);

Hash.prototype.copy = function copy(options) {
	if (this[kState][kFinalized])
		throw finished();
	return new Hash(this, options);
};

Hash.prototype.update = function update(data, encoding) {
	if (this[kState][kFinalized])
		throw finished();
	const bytes = dataBytes(data, encoding);
	hidden.get(this[kHandle]).states.forEach((one) => c.add(one, bytes));
	return this;
};

function result(data) {
	if (data.parts.length > 1)
		return Buffer.concat(data.states.map((one, i) => c.end(one, data.parts[i].bytes)));
	return c.end(data.states[0], data.length);
}

Hash.prototype.digest = function digest(encoding) {
	if (this[kState][kFinalized])
		throw finished();
	const bytes = result(hidden.get(this[kHandle]));
	this[kState][kFinalized] = true;
	return c.text(bytes, encoding);
};

function streaming(proto) {
	proto._transform = function (chunk, encoding, callback) {
		this.update(chunk, encoding);
		callback();
	};
	proto._flush = function (callback) {
		this.push(this.digest());
		callback();
	};
}
streaming(Hash.prototype);

function Hmac(algorithm, key, options) {
	if (!new.target)
		return new Hmac(algorithm, key, options);
	validateString(algorithm, 'hmac');
	const secret = c.keyOf(key, 'key', options?.encoding), digest = c.digestOrThrow(algorithm);
	if (digest.xof)
		throw c.plain(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
	begin(this, HmacHandle, { digest, states: c.hmacStates(digest, secret) }, options);
	return this;
}
inherit(Hmac);

Hmac.prototype.update = function update(data, encoding) {
	if (this[kState][kFinalized])
		throw finished();
	c.add(hidden.get(this[kHandle]).states[0], dataBytes(data, encoding));
	return this;
};

Hmac.prototype.digest = function digest(encoding) {
	if (this[kState][kFinalized])
		return c.text(Buffer.from(''), encoding);
	const { digest: of, states: [inner, outer] } = hidden.get(this[kHandle]);
	this[kState][kFinalized] = true;
	c.add(outer, c.end(inner, of.bytes));
	return c.text(c.end(outer, of.bytes), encoding);
};
streaming(Hmac.prototype);

/* crypto.hash(): all at once. */
function hash(algorithm, input, encoding = 'hex') {
	validateString(algorithm, 'algorithm');
	if (typeof input !== 'string' && !ArrayBuffer.isView(input))
		throw new codes.ERR_INVALID_ARG_TYPE('input', ['Buffer', 'TypedArray', 'DataView', 'string'], input);
	if (algorithm.toLowerCase() !== PAIR && !c.digestOf(algorithm))
		throw c.plain(Error, undefined, `Digest method ${algorithm} is not supported`);
	const data = hashData(algorithm), bytes = dataBytes(input);
	data.states.forEach((one) => c.add(one, bytes));
	return c.text(result(data), encoding);
}

Object.assign(exports, { Hash, Hmac, hash });
