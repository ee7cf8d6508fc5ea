/* AES in CBC, CTR, ECB and GCM: createCipheriv() and createDecipheriv(). Tables are made once; keys of 128, 192 and 256 bits. */
'use strict';

const { codes } = require('internal/errors');
const { validateString } = require('internal/validators');
const { Buffer } = require('buffer');
const { Transform } = require('stream');

const modes = ['cbc', 'ctr', 'ecb', 'gcm'];
const kState = Symbol('kState');

const double = (x) => ((x << 1) ^ (x & 0x80 ? 0x1B : 0)) & 0xFF;
let box, inverse;

/* The S-box: inverses in the field, then an affine change. */
function makeTables() {
	if (box)
		return;
	box = new Uint8Array(256);
	inverse = new Uint8Array(256);
	for (let p = 1, q = 1, first = true; first || p !== 1; first = false) {
		p ^= double(p);
		q ^= q << 1;
		q ^= q << 2;
		q ^= q << 4;
		q &= 0xFF;
		if (q & 0x80)
			q ^= 0x09;
		const x = q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4);
		box[p] = (x ^ 0x63) & 0xFF;
	}
	box[0] = 0x63;
	box.forEach((value, i) => { inverse[value] = i; });
}

function expandKey(key) {
	makeTables();
	const words = key.length / 4, rounds = words + 6, out = new Uint8Array(16 * (rounds + 1));
	out.set(key);
	for (let i = key.length, constant = 1; i < out.length; i += 4) {
		let t = out.slice(i - 4, i);
		if (i % key.length === 0) {
			t = Uint8Array.of(box[t[1]] ^ constant, box[t[2]], box[t[3]], box[t[0]]);
			constant = double(constant);
		} else if (words > 6 && i % key.length === 16) {
			t = t.map((byte) => box[byte]);
		}
		for (let k = 0; k < 4; k++)
			out[i + k] = out[i + k - key.length] ^ t[k];
	}
	return { rounds, bytes: out };
}

function addKey(s, keys, round) {
	for (let i = 0; i < 16; i++)
		s[i] ^= keys.bytes[16 * round + i];
}

const scratch = new Uint8Array(16);

/* Substitutes and shifts rows: byte i comes from column i + its row (or - for the inverse). */
function substitute(s, table, step) {
	scratch.set(s);
	for (let i = 0; i < 16; i++)
		s[i] = table[scratch[(i + step * 4 * (i & 3)) & 15]];
}

function mix(s) {
	for (let c = 0; c < 16; c += 4) {
		const [a, b, d, e] = [s[c], s[c + 1], s[c + 2], s[c + 3]], all = a ^ b ^ d ^ e;
		s[c] = a ^ all ^ double(a ^ b);
		s[c + 1] = b ^ all ^ double(b ^ d);
		s[c + 2] = d ^ all ^ double(d ^ e);
		s[c + 3] = e ^ all ^ double(e ^ a);
	}
}

function unmix(s) {
	for (let c = 0; c < 16; c += 4) {
		const u = double(double(s[c] ^ s[c + 2])), v = double(double(s[c + 1] ^ s[c + 3]));
		s[c] ^= u;
		s[c + 1] ^= v;
		s[c + 2] ^= u;
		s[c + 3] ^= v;
	}
	mix(s);
}

function encryptBlock(keys, s) {
	addKey(s, keys, 0);
	for (let round = 1; round <= keys.rounds; round++) {
		substitute(s, box, 1);
		if (round < keys.rounds)
			mix(s);
		addKey(s, keys, round);
	}
	return s;
}

function decryptBlock(keys, s) {
	for (let round = keys.rounds; round > 0; round--) {
		addKey(s, keys, round);
		if (round < keys.rounds)
			unmix(s);
		substitute(s, inverse, -1);
	}
	addKey(s, keys, 0);
	return s;
}

function increment(counter, bytes) {
	for (let i = 15; i >= 16 - bytes; i--) {
		counter[i] = (counter[i] + 1) & 0xFF;
		if (counter[i] !== 0)
			break;
	}
}

/* ---- GCM's hash: a product in the field of 2^128, as BigInts ---- */

const toBig = (bytes) => BigInt(`0x${host.hexDecode(bytes, 0, bytes.length)}`);

function fromBig(value) {
	const out = new Uint8Array(16);
	host.hexWrite(value.toString(16).padStart(32, '0'), out, 0, 16);
	return out;
}

function multiply(x, y) {
	let z = 0n;
	for (let i = 127n; i >= 0n; i--) {
		if ((x >> i) & 1n)
			z ^= y;
		y = y & 1n ? (y >> 1n) ^ (0xE1n << 120n) : y >> 1n;
	}
	return z;
}

function absorb(state, bytes) {
	for (let at = 0; at < bytes.length; at += 16) {
		const block = new Uint8Array(16);
		block.set(bytes.subarray(at, at + 16));
		state.hash = multiply(state.hash ^ toBig(block), state.subkey);
	}
}

function startGcm(state, iv) {
	state.subkey = toBig(encryptBlock(state.keys, new Uint8Array(16)));
	state.hash = 0n;
	state.extra = new Uint8Array(0);
	state.text = new Uint8Array(0);		/* encrypted text that does not fill a block yet */
	state.length = 0;
	state.counter = new Uint8Array(16);
	if (iv.length === 12) {
		state.counter.set(iv);
		state.counter[15] = 1;
	} else {
		absorb(state, iv);
		state.hash = multiply(state.hash ^ BigInt(iv.length * 8), state.subkey);
		state.counter = fromBig(state.hash);
		state.hash = 0n;
	}
	state.first = encryptBlock(state.keys, state.counter.slice());
	increment(state.counter, 4);
}

/* What is authenticated but not encrypted comes first, once. */
function absorbExtra(state) {
	if (!state.begun)
		absorb(state, state.extra);
	state.begun = true;
}

function gcmText(state, bytes) {
	const all = Buffer.concat([state.text, bytes]), whole = all.length - all.length % 16;
	absorbExtra(state);
	absorb(state, all.subarray(0, whole));
	state.text = all.subarray(whole);
	state.length += bytes.length;
}

function gcmTag(state) {
	absorbExtra(state);
	absorb(state, state.text);
	const lengths = (BigInt(state.extra.length * 8) << 64n) | BigInt(state.length * 8);
	state.hash = multiply(state.hash ^ lengths, state.subkey);
	return fromBig(state.hash).map((byte, i) => byte ^ state.first[i]);
}

/* ---- the classes ---- */

/* CTR and GCM: the text under a stream of encrypted counters. */
function stream(state, bytes) {
	const out = new Uint8Array(bytes.length), counterBytes = state.mode === 'gcm' ? 4 : 16;
	for (let i = 0; i < bytes.length; i++) {
		if (state.used === 16) {
			state.pad = encryptBlock(state.keys, state.counter.slice());
			increment(state.counter, counterBytes);
			state.used = 0;
		}
		out[i] = bytes[i] ^ state.pad[state.used++];
	}
	return out;
}

function blocks(state, bytes, keep) {
	const all = Buffer.concat([state.rest, bytes]);
	let end = all.length - all.length % 16;
	if (keep && end > 0 && end === all.length)
		end -= 16;
	const out = Buffer.alloc(end);
	for (let at = 0; at < end; at += 16) {
		const block = new Uint8Array(all.subarray(at, at + 16));
		const before = block.slice();
		if (state.encrypts && state.mode === 'cbc')
			block.forEach((byte, i) => { block[i] = byte ^ state.last[i]; });
		const done = state.encrypts ? encryptBlock(state.keys, block) : decryptBlock(state.keys, block);
		if (!state.encrypts && state.mode === 'cbc')
			done.forEach((byte, i) => { done[i] = byte ^ state.last[i]; });
		state.last = state.encrypts ? done : before;
		out.set(done, at);
	}
	state.rest = Buffer.from(all.subarray(end));
	return out;
}

function openssl(text, code, reason) {
	return Object.assign(new Error(`error:${code}:Provider routines::${text}`), {
		library: 'Provider routines', reason: text, code: `ERR_OSSL_${reason}`,
	});
}

function lastBlock(state) {
	if (!state.padding) {
		if (state.rest.length)
			throw openssl('wrong final block length', '1C80006B', 'WRONG_FINAL_BLOCK_LENGTH');
		return Buffer.alloc(0);
	}
	if (state.encrypts) {
		const size = 16 - state.rest.length;
		return blocks(state, Buffer.alloc(size, size), false);
	}
	if (state.rest.length !== 16)
		throw openssl('wrong final block length', '1C80006B', 'WRONG_FINAL_BLOCK_LENGTH');
	const plain = blocks(state, Buffer.alloc(0), false), size = plain[15];
	if (size < 1 || size > 16 || plain.subarray(16 - size).some((byte) => byte !== size))
		throw openssl('bad decrypt', '1C800064', 'BAD_DECRYPT');
	return plain.subarray(0, 16 - size);
}

function finish(state) {
	if (state.finished)
		throw new codes.ERR_CRYPTO_INVALID_STATE('final');
	state.finished = true;
	if (state.mode === 'ctr')
		return Buffer.alloc(0);
	if (state.mode !== 'gcm')
		return lastBlock(state);
	const tag = gcmTag(state);
	if (state.encrypts)
		state.tag = tag;
	else if (!state.tag || host.compare(tag.subarray(0, state.tag.length), state.tag) !== 0)
		throw new Error('Unsupported state or unable to authenticate data');
	return Buffer.alloc(0);
}

const kinds = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

function bytesOf(value, name, encoding) {
	if (typeof value === 'string')
		return Buffer.from(value, encoding);
	if (value instanceof require('crypto').KeyObject)
		return value.export();
	if (ArrayBuffer.isView(value))
		return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	if (value instanceof ArrayBuffer)
		return new Uint8Array(value);
	throw new codes.ERR_INVALID_ARG_TYPE(name, kinds, value);
}

exports.info = function (name) {
	const found = /^aes-?(128|192|256)-(cbc|ctr|ecb|gcm)$/i.exec(`${name}`);
	if (found === null)
		return undefined;
	const mode = found[2].toLowerCase(), bits = Number(found[1]);
	const nid = { cbc: 419, ecb: 418, ctr: 904, gcm: 895 }[mode] + (bits - 128) / 64 * { cbc: 4, ecb: 4, ctr: 1, gcm: 3 }[mode];
	return {
		mode, name: mode === 'gcm' ? `id-aes${bits}-gcm` : `aes-${bits}-${mode}`, nid,
		blockSize: mode === 'cbc' || mode === 'ecb' ? 16 : 1,
		...(mode === 'ecb' ? {} : { ivLength: mode === 'gcm' ? 12 : 16 }), keyLength: bits / 8,
	};
};
exports.names = () => ['128', '192', '256'].flatMap((bits) => modes.map((mode) => `aes-${bits}-${mode}`));

function make(Class, encrypts, cipher, key, iv, options) {
	validateString(cipher, 'cipher');
	const info = exports.info(cipher);
	const secret = bytesOf(key, 'key');
	if (info === undefined)
		throw new codes.ERR_CRYPTO_UNKNOWN_CIPHER();
	if (secret.length !== info.keyLength)
		throw new codes.ERR_CRYPTO_INVALID_KEYLEN();
	const start = iv === null ? new Uint8Array(0) : bytesOf(iv, 'iv');
	if (info.mode === 'ecb' ? start.length !== 0 : info.mode === 'gcm' ? start.length === 0 : start.length !== 16)
		throw new codes.ERR_CRYPTO_INVALID_IV();
	const self = Object.create(Class.prototype);
	const state = {
		encrypts, mode: info.mode, keys: expandKey(secret), last: Uint8Array.from(start), rest: Buffer.alloc(0), padding: true,
		finished: false, used: 16, pad: null, counter: Uint8Array.from(start), tag: undefined, decoder: null,
	};
	Object.defineProperty(self, kState, { value: state, enumerable: false });
	Transform.call(self, options);
	if (info.mode === 'gcm')
		startGcm(state, start);
	return self;
}

function output(state, bytes, encoding) {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (!encoding || encoding === 'buffer')
		return buffer;
	state.decoder ??= new (require('string_decoder').StringDecoder)(encoding);
	return state.decoder.write(buffer);
}

function defineClass(name, more) {
	function Class() {
		throw new TypeError(`${name}() is made by crypto.create${name}()`);
	}
	Object.defineProperty(Class, 'name', { value: name });
	Object.setPrototypeOf(Class.prototype, Transform.prototype);
	Object.setPrototypeOf(Class, Transform);
	Object.assign(Class.prototype, {
		update(data, inputEncoding, outputEncoding) {
			const state = this[kState], bytes = bytesOf(data, 'data', inputEncoding);
			if (state.finished)
				throw new codes.ERR_CRYPTO_INVALID_STATE('update');
			if (state.mode === 'ctr')
				return output(state, stream(state, bytes), outputEncoding);
			if (state.mode !== 'gcm')
				return output(state, blocks(state, bytes, !state.encrypts && state.padding), outputEncoding);
			const made = stream(state, bytes);
			gcmText(state, state.encrypts ? made : bytes);
			return output(state, made, outputEncoding);
		},
		final(encoding) {
			const state = this[kState], made = output(state, finish(state), encoding);
			return typeof made === 'string' ? made + state.decoder.end() : made;
		},
		setAutoPadding(on = true) {
			this[kState].padding = !!on;
			return this;
		},
		setAAD(bytes) {
			this[kState].extra = Buffer.concat([this[kState].extra, bytesOf(bytes, 'buffer')]);
			return this;
		},
		_transform(chunk, encoding, callback) {
			this.push(this.update(chunk, encoding));
			callback();
		},
		_flush(callback) {
			try {
				this.push(this.final());
				callback();
			} catch (error) {
				callback(error);
			}
		},
		...more,
	});
	return Class;
}

const Cipheriv = defineClass('Cipheriv', {
	getAuthTag() {
		if (this[kState].tag === undefined)
			throw new codes.ERR_CRYPTO_INVALID_STATE('getAuthTag');
		return Buffer.from(this[kState].tag);
	},
});
const Decipheriv = defineClass('Decipheriv', {
	setAuthTag(tag, encoding) {
		this[kState].tag = Uint8Array.from(bytesOf(tag, 'tag', encoding));
		return this;
	},
});

exports.createCipheriv = (cipher, key, iv, options) => make(Cipheriv, true, cipher, key, iv, options);
exports.createDecipheriv = (cipher, key, iv, options) => make(Decipheriv, false, cipher, key, iv, options);
