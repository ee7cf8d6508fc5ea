/* AES: createCipheriv and createDecipheriv for the modes cbc, ecb, ctr and gcm. */
'use strict';

const { inherit } = require('internal/lazy_transform');
const { codes } = require('internal/errors');
const { validateString } = require('internal/validators');
const { Buffer } = require('buffer');
const { StringDecoder } = require('string_decoder');
const N = require('internal/sysnumbers');
const c = require('internal/crypto_common');
const ECB = 0, CBC = 1, CTR = 2;

const modes = { ecb: [ECB, 0], cbc: [CBC, 16], ctr: [CTR, 16], gcm: [CTR, 12] };
const ids = { ecb: [418, 422, 426], cbc: [419, 423, 427], ctr: [904, 905, 906], gcm: [895, 898, 901] };

/* { name, mode, keyLength, ... } or undefined. */
exports.cipherOf = function (name) {
	const m = /^(?:id-)?aes-?(128|192|256)(?:-(ecb|cbc|ctr|gcm))?$/i.exec(name);
	if (!m)
		return undefined;
	const mode = (m[2] ?? 'cbc').toLowerCase(), size = Number(m[1]), [native, ivLength] = modes[mode];
	return { name: mode === 'gcm' ? `id-aes${size}-gcm` : `aes-${size}-${mode}`, mode, native, keyLength: size / 8, ivLength,
		nid: ids[mode][(size - 128) / 64], block: mode === 'ecb' || mode === 'cbc' };
};
exports.cipherNames = [128, 192, 256].flatMap((n) => ['cbc', 'ctr', 'ecb', 'gcm'].map((mode) => `aes-${n}-${mode}`))
	.concat('aes128', 'aes192', 'aes256', 'id-aes128-GCM', 'id-aes192-GCM', 'id-aes256-GCM').sort();

exports.getCipherInfo = function (name, options = {}) {
	const found = typeof name === 'string' ? exports.cipherOf(name) :
		exports.cipherNames.map(exports.cipherOf).find((one) => one.nid === name);
	if (!found || (options.keyLength !== undefined && options.keyLength !== found.keyLength) ||
		(options.ivLength !== undefined && options.ivLength !== found.ivLength && found.mode !== 'gcm'))
		return undefined;
	const info = { mode: found.mode, name: found.name, nid: found.nid };

	info.blockSize = found.block ? 16 : 1;
	if (found.ivLength)
		info.ivLength = options.ivLength ?? found.ivLength;
	info.keyLength = found.keyLength;
	return info;
};

/* ---- GCM's sum over what is encrypted (NIST SP 800-38D) ---- */

class Sum {
	constructor(key) {
		this.h = new Uint8Array(16);
		host.sys(N.aes, ECB, 1, key, new Uint8Array(33), this.h, 0);
		this.y = new Uint8Array(16);
		this.left = new Uint8Array(0);
		this.n = 0;
	}
	block(bytes) {
		host.sys(N.ghash, this.y, this.h, bytes);
	}
	add(bytes) {
		this.n += bytes.length;
		const all = this.left.length ? Buffer.concat([this.left, bytes]) : bytes, whole = all.length - all.length % 16;
		this.block(all.subarray(0, whole));
		this.left = Uint8Array.prototype.slice.call(all, whole);	/* a copy: the bytes change in place */
	}
	/* The end of a part is filled with zeros. */
	pad() {
		this.block(this.left);
		this.left = new Uint8Array(0);
	}
	lengths(a, b) {
		const block = Buffer.alloc(16);
		block.writeBigUInt64BE(BigInt(a) * 8n, 0);
		block.writeBigUInt64BE(BigInt(b) * 8n, 8);
		this.block(block);
	}
}

function firstCounter(key, iv) {
	const counter = new Uint8Array(16);
	if (iv.length === 12) {
		counter.set(iv);
		counter[15] = 1;
		return counter;
	}
	const sum = new Sum(key);
	sum.add(iv);
	sum.pad();
	sum.lengths(0, iv.length);
	return sum.y;
}

/* The state of aes(): the counter or the last block, the key stream, how much of it is used. */
function stateOf(iv) {
	const state = new Uint8Array(33);
	state.set(iv);
	state[32] = 16;
	return state;
}

/* ---- The common part of both directions ---- */

class CipherBase {}
const kHandle = Symbol('kHandle'), fields = new WeakMap();
const wrongFinal = () => c.openssl('1C80006B', 'Provider routines', 'wrong final block length');

function invalidState(what) {
	return new codes.ERR_CRYPTO_INVALID_STATE(what);
}

function checkTagLength(n) {
	if (!(n === 4 || n === 8 || (n >= 12 && n <= 16)))
		throw c.plain(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${n}`);
}

function begin(self, encrypt, name, key, iv, options) {
	validateString(name, 'cipher');
	const secret = c.keyOf(key, 'key', options?.encoding);
	if (iv !== null && typeof iv !== 'string' && c.viewOf(iv) === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE('iv', ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], iv);
	const start = iv === null ? new Uint8Array(0) : c.bytesOf(iv, 'iv'), cipher = exports.cipherOf(name);
	if (!cipher)
		throw c.plain(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
	if (cipher.mode === 'gcm' ? start.length === 0 : start.length !== cipher.ivLength)
		throw c.plain(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
	if (secret.length !== cipher.keyLength)
		throw c.plain(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
	const tagLength = options?.authTagLength;
	if (tagLength !== undefined && cipher.mode === 'gcm')
		checkTagLength(tagLength);
	const f = {
		encrypt, cipher, key: secret.slice(), state: null, left: Buffer.alloc(0), padding: true, done: false, tag: null, tagLength, sum: null,
		mask: null, aad: 0, began: false, decoder: null,
	};
	if (cipher.mode === 'gcm') {
		const counter = firstCounter(f.key, start);
		f.mask = new Uint8Array(16);
		f.state = stateOf(counter);
		host.sys(N.aes, CTR, 1, f.key, f.state, f.mask, 4);
		f.sum = new Sum(f.key);
	} else {
		f.state = stateOf(start);
	}
	fields.set(self, f);
	self._decoder = null;
	self._options = options;
	self[kHandle] = new CipherBase();
}

function run(f, bytes) {
	host.sys(N.aes, f.cipher.native, f.encrypt ? 1 : 0, f.key, f.state, bytes, f.cipher.mode === 'gcm' ? 4 : 16);
	return bytes;
}

function streamed(f, input) {
	const out = Buffer.from(input);
	if (!f.sum)
		return run(f, out);
	if (!f.began) {
		f.sum.pad();
		f.aad = f.sum.n;
		f.sum.n = 0;
		f.began = true;
	}
	if (!f.encrypt)
		f.sum.add(out);
	run(f, out);
	if (f.encrypt)
		f.sum.add(out);
	return out;
}

/* Whole blocks; the last one is kept back for its padding when decrypting. */
function blocks(f, input) {
	const all = Buffer.concat([f.left, input]);
	let whole = all.length - all.length % 16;
	if (!f.encrypt && f.padding && whole === all.length && whole)
		whole -= 16;
	f.left = Buffer.from(all.subarray(whole));
	return run(f, all.subarray(0, whole));
}

function finalBlocks(f) {
	if (f.encrypt) {
		if (!f.padding) {
			if (f.left.length)
				throw wrongFinal();
			return Buffer.alloc(0);
		}
		const n = 16 - f.left.length;
		return run(f, Buffer.concat([f.left, Buffer.alloc(n, n)]));
	}
	if (f.left.length !== (f.padding ? 16 : 0))
		throw wrongFinal();
	if (!f.padding)
		return Buffer.alloc(0);
	const last = run(f, f.left), n = last[15];
	if (n < 1 || n > 16 || last.subarray(16 - n).some((byte) => byte !== n))
		throw c.openssl('1C800064', 'Provider routines', 'bad decrypt');
	return last.subarray(0, 16 - n);
}

function finalTag(f) {
	if (!f.began)
		streamed(f, Buffer.alloc(0));
	f.sum.pad();
	f.sum.lengths(f.aad, f.sum.n);
	const tag = Buffer.from(f.sum.y.map((byte, i) => byte ^ f.mask[i]));
	if (f.encrypt) {
		f.tag = tag.subarray(0, f.tagLength ?? 16);
		return;
	}
	let difference = f.tag ? 0 : 1;
	for (let i = 0; f.tag && i < f.tag.length; i++)
		difference |= f.tag[i] ^ tag[i];
	if (difference)
		throw c.plain(Error, undefined, 'Unsupported state or unable to authenticate data');
}

function decoded(f, bytes, encoding, last) {
	if (!encoding || encoding === 'buffer')
		return bytes;
	f.decoder ??= new StringDecoder(encoding);
	return last ? f.decoder.end(bytes) : f.decoder.write(bytes);
}

const methods = {
	update(data, inputEncoding, outputEncoding) {
		const f = fields.get(this);
		if (typeof data !== 'string' && !ArrayBuffer.isView(data))
			throw new codes.ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
		if (f.done)
			throw c.plain(Error, undefined, 'Trying to add data in unsupported state');
		const input = c.bytesOf(data, 'data', inputEncoding);
		return decoded(f, f.cipher.block ? blocks(f, input) : streamed(f, input), outputEncoding, false);
	},
	final(outputEncoding) {
		const f = fields.get(this);
		if (f.done)
			throw c.plain(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state');
		f.done = true;
		let bytes = Buffer.alloc(0);
		if (f.cipher.block)
			bytes = finalBlocks(f);
		else if (f.sum)
			finalTag(f);
		return decoded(f, bytes, outputEncoding, true);
	},
	setAutoPadding(on = true) {
		const f = fields.get(this);
		if (f.done)
			throw invalidState('setAutoPadding');
		f.padding = !!on;
		return this;
	},
	setAAD(data, options) {
		const f = fields.get(this);
		const bytes = c.bytesOf(data, 'buffer', options?.encoding);
		if (!f.sum || f.began || f.done)
			throw invalidState('setAAD');
		f.sum.add(bytes);
		return this;
	},
	_transform(chunk, encoding, callback) {
		this.push(this.update(chunk, encoding));
		callback();
	},
	_flush(callback) {
		try {
			this.push(this.final());
		} catch (e) {
			callback(e);
			return;
		}
		callback();
	},
};

function getAuthTag() {
	const f = fields.get(this);
	if (!f.tag)
		throw invalidState('getAuthTag');
	return Buffer.from(f.tag);
}

function setAuthTag(tag, encoding) {
	const f = fields.get(this), bytes = c.bytesOf(tag, 'buffer', encoding);
	if (!f.sum || f.tag || f.done)
		throw invalidState('setAuthTag');
	if (f.tagLength !== undefined ? bytes.length !== f.tagLength : !(bytes.length === 4 || bytes.length === 8 || (bytes.length >= 12 && bytes.length <= 16)))
		throw c.plain(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${bytes.length}`);
	f.tag = Buffer.from(bytes);
	return this;
}

function define(name, encrypt, more) {
	const Class = { [name]: function (cipher, key, iv, options) {
		if (!new.target)
			return new Class(cipher, key, iv, options);
		begin(this, encrypt, cipher, key, iv, options);
		return this;
	} }[name];
	inherit(Class);
	Object.assign(Class.prototype, methods, more);
	return Class;
}

exports.Cipheriv = define('Cipheriv', true, { getAuthTag });
exports.Decipheriv = define('Decipheriv', false, { setAuthTag });
