/*
 * Digests: MD5, SHA-1, SHA-2. Each algorithm is an object with its block and digest size, its first state and compress(),
 * which takes one block into the state; blocks(), padding and the byte order of the result are common.
 */
'use strict';

function words(text) {
	return text.split(' ').map((word) => parseInt(word, 16) | 0);
}

/* The first bits of the fraction of a root, as SHA-2 takes them: cube roots of primes for K. Exact with integers. */
function primes(count) {
	const list = [];
	for (let n = 2; list.length < count; n++) {
		if (list.every((p) => n % p !== 0))
			list.push(n);
	}
	return list;
}

function rootFraction(prime, degree) {
	const shifted = BigInt(prime) << BigInt(64 * degree);
	let low = 0n, high = 1n << 72n;
	while (low < high) {
		const middle = (low + high + 1n) >> 1n;
		if (middle ** BigInt(degree) <= shifted)
			low = middle;
		else
			high = middle - 1n;
	}
	return low & 0xFFFFFFFFFFFFFFFFn;
}

const halves = (list) => list.flatMap((n) => [Number(n >> 32n) | 0, Number(n & 0xFFFFFFFFn) | 0]);

let roundsOf = () => {
	const made = halves(primes(80).map((p) => rootFraction(p, 3)));
	roundsOf = () => made;
	return made;
};

/* ---- MD5 ---- */

const md5Shift = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
const md5Sine = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 4294967296) | 0);

function md5(state, view, at) {
	let [a, b, c, d] = state;
	for (let i = 0; i < 64; i++) {
		const round = i >> 4;
		let f, g;
		if (round === 0) {
			f = (b & c) | (~b & d);
			g = i;
		} else if (round === 1) {
			f = (d & b) | (~d & c);
			g = (5 * i + 1) & 15;
		} else if (round === 2) {
			f = b ^ c ^ d;
			g = (3 * i + 5) & 15;
		} else {
			f = c ^ (b | ~d);
			g = (7 * i) & 15;
		}
		const sum = (a + f + md5Sine[i] + view.getInt32(at + 4 * g, true)) | 0, shift = md5Shift[round][i & 3];
		a = d;
		d = c;
		c = b;
		b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
	}
	state[0] = (state[0] + a) | 0;
	state[1] = (state[1] + b) | 0;
	state[2] = (state[2] + c) | 0;
	state[3] = (state[3] + d) | 0;
}

/* ---- SHA-1 ---- */

const sha1Words = new Int32Array(80);

function sha1(state, view, at) {
	const w = sha1Words;
	for (let i = 0; i < 16; i++)
		w[i] = view.getInt32(at + 4 * i);
	for (let i = 16; i < 80; i++) {
		const x = w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16];
		w[i] = (x << 1) | (x >>> 31);
	}
	let [a, b, c, d, e] = state;
	for (let i = 0; i < 80; i++) {
		const f = i < 20 ? ((b & c) | (~b & d)) + 0x5A827999 : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1 :
			i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC : (b ^ c ^ d) + 0xCA62C1D6;
		const t = (((a << 5) | (a >>> 27)) + f + e + w[i]) | 0;
		e = d;
		d = c;
		c = (b << 30) | (b >>> 2);
		b = a;
		a = t;
	}
	[a, b, c, d, e].forEach((x, i) => { state[i] = (state[i] + x) | 0; });
}

/* ---- SHA-256 ---- */

const sha256Words = new Int32Array(64);

function sha256(state, view, at) {
	const w = sha256Words, k = roundsOf();
	for (let i = 0; i < 16; i++)
		w[i] = view.getInt32(at + 4 * i);
	for (let i = 16; i < 64; i++) {
		const x = w[i - 15], y = w[i - 2];
		w[i] = (w[i - 16] + w[i - 7] + (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)) +
			(((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10))) | 0;
	}
	let [a, b, c, d, e, f, g, h] = state;
	for (let i = 0; i < 64; i++) {
		const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
		const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[2 * i] + w[i]) | 0;
		const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
		h = g;
		g = f;
		f = e;
		e = (d + t1) | 0;
		d = c;
		c = b;
		b = a;
		a = (t1 + s0 + ((b & c) ^ (b & d) ^ (c & d))) | 0;
	}
	[a, b, c, d, e, f, g, h].forEach((x, i) => { state[i] = (state[i] + x) | 0; });
}

/* ---- SHA-512: 64 bits as two words, high one first ---- */

const sha512Words = new Int32Array(160);
const sha512State = new Int32Array(16);

function expand512(w, view, at) {
	for (let i = 0; i < 32; i++)
		w[i] = view.getInt32(at + 4 * i);
	for (let i = 32; i < 160; i += 2) {
		const xh = w[i - 30], xl = w[i - 29], yh = w[i - 4], yl = w[i - 3];
		const s0h = ((xh >>> 1) | (xl << 31)) ^ ((xh >>> 8) | (xl << 24)) ^ (xh >>> 7);
		const s0l = ((xl >>> 1) | (xh << 31)) ^ ((xl >>> 8) | (xh << 24)) ^ ((xl >>> 7) | (xh << 25));
		const s1h = ((yh >>> 19) | (yl << 13)) ^ ((yl >>> 29) | (yh << 3)) ^ (yh >>> 6);
		const s1l = ((yl >>> 19) | (yh << 13)) ^ ((yh >>> 29) | (yl << 3)) ^ ((yl >>> 6) | (yh << 26));
		const low = (w[i - 31] >>> 0) + (s0l >>> 0) + (w[i - 13] >>> 0) + (s1l >>> 0);
		w[i + 1] = low;
		w[i] = w[i - 32] + s0h + w[i - 14] + s1h + Math.floor(low / 4294967296);
	}
}

/* One round on the sixteen words of s: the last two go, two new ones come, and the fourth pair is changed. */
function round512(s, k, w, i) {
	const eh = s[8], el = s[9], ah = s[0], al = s[1];
	const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23));
	const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23));
	const low1 = (s[15] >>> 0) + (s1l >>> 0) + (((el & s[11]) ^ (~el & s[13])) >>> 0) + (k[i + 1] >>> 0) + (w[i + 1] >>> 0);
	const high1 = (s[14] + s1h + ((eh & s[10]) ^ (~eh & s[12])) + k[i] + w[i] + Math.floor(low1 / 4294967296)) | 0;
	const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25));
	const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25));
	const low2 = (low1 >>> 0) + (s0l >>> 0) + (((al & s[3]) ^ (al & s[5]) ^ (s[3] & s[5])) >>> 0);
	const high2 = high1 + s0h + ((ah & s[2]) ^ (ah & s[4]) ^ (s[2] & s[4])) + Math.floor(low2 / 4294967296);
	s.copyWithin(2, 0, 14);
	const low3 = (s[9] >>> 0) + (low1 >>> 0);
	s[8] = s[8] + high1 + Math.floor(low3 / 4294967296);
	s[9] = low3;
	s[0] = high2;
	s[1] = low2;
}

function sha512(state, view, at) {
	const w = sha512Words, k = roundsOf(), s = sha512State;
	s.set(state);
	expand512(w, view, at);
	for (let i = 0; i < 160; i += 2)
		round512(s, k, w, i);
	for (let i = 0; i < 16; i += 2) {
		const low = (state[i + 1] >>> 0) + (s[i + 1] >>> 0);
		state[i] = (state[i] + s[i] + Math.floor(low / 4294967296)) | 0;
		state[i + 1] = low | 0;
	}
}

const initial512 = () => halves(primes(8).map((p) => rootFraction(p, 2)));
const initial384 = () => halves(primes(16).slice(8).map((p) => rootFraction(p, 2)));

/* The first state of SHA-512/t is the digest of its name by a changed SHA-512. */
function truncated512(bits) {
	const state = initial512().map((word) => word ^ 0xA5A5A5A5);
	const block = new Uint8Array(128), name = `SHA-512/${bits}`;
	for (let i = 0; i < name.length; i++)
		block[i] = name.charCodeAt(i);
	block[name.length] = 0x80;
	const view = new DataView(block.buffer);
	view.setUint32(124, name.length * 8);
	sha512(state, view, 0);
	return state;
}

const simple = words('67452301 efcdab89 98badcfe 10325476 c3d2e1f0');
const algorithms = {
	__proto__: null,
	md5: { block: 64, size: 16, compress: md5, little: true, initial: () => simple.slice(0, 4) },
	sha1: { block: 64, size: 20, compress: sha1, initial: () => simple.slice() },
	sha224: { block: 64, size: 28, compress: sha256, initial: () => initial384().filter((_, i) => i % 2 === 1) },
	sha256: { block: 64, size: 32, compress: sha256, initial: () => initial512().filter((_, i) => i % 2 === 0) },
	sha384: { block: 128, size: 48, compress: sha512, initial: initial384 },
	sha512: { block: 128, size: 64, compress: sha512, initial: initial512 },
	'sha512-224': { block: 128, size: 28, compress: sha512, initial: () => truncated512(224) },
	'sha512-256': { block: 128, size: 32, compress: sha512, initial: () => truncated512(256) },
};

exports.find = function (name) {
	const plain = name.toLowerCase().replace(/^rsa-/, '').replace(/^(sha)-(\d)/, '$1$2').replace(/^(sha512)\/(\d)/, '$1-$2');
	return algorithms[plain];
};
exports.names = Object.keys(algorithms);

exports.Digest = class Digest {
	constructor(algorithm) {
		this.algorithm = algorithm;
		algorithm.first ??= algorithm.initial();
		this.state = algorithm.first.slice();
		this.rest = new Uint8Array(algorithm.block);
		this.have = 0;
		this.total = 0;
	}
	copy() {
		const made = new Digest(this.algorithm);
		return Object.assign(made, { state: this.state.slice(), rest: this.rest.slice(), have: this.have, total: this.total });
	}
	update(bytes) {
		const { block, compress } = this.algorithm;
		this.total += bytes.length;
		let at = 0;
		if (this.have > 0) {
			at = Math.min(block - this.have, bytes.length);
			this.rest.set(bytes.subarray(0, at), this.have);
			this.have += at;
			if (this.have < block)
				return this;
			compress(this.state, new DataView(this.rest.buffer), 0);
			this.have = 0;
		}
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		for (; at + block <= bytes.length; at += block)
			compress(this.state, view, at);
		this.rest.set(bytes.subarray(at));
		this.have = bytes.length - at;
		return this;
	}
	/* The bytes of the result; the digest is used up. */
	finish() {
		const { block, size, little } = this.algorithm;
		const length = this.have + (block === 64 ? 9 : 17) > block ? 2 * block : block;
		const tail = new Uint8Array(length);
		tail.set(this.rest.subarray(0, this.have));
		tail[this.have] = 0x80;
		const view = new DataView(tail.buffer);
		view.setBigUint64(length - 8, BigInt(this.total) * 8n, !!little);
		for (let at = 0; at < length; at += block)
			this.algorithm.compress(this.state, view, at);
		const out = new Uint8Array(this.state.length * 4), result = new DataView(out.buffer);
		this.state.forEach((word, i) => result.setInt32(4 * i, word, !!little));
		return out.subarray(0, size);
	}
};

/* Keyed: H(key ^ opad, H(key ^ ipad, message)). */
exports.Hmac = class Hmac {
	constructor(algorithm, key) {
		const { block } = algorithm;
		if (key.length > block)
			key = new exports.Digest(algorithm).update(key).finish();
		const pad = (value) => {
			const bytes = new Uint8Array(block).fill(value);
			key.forEach((byte, i) => { bytes[i] ^= byte; });
			return new exports.Digest(algorithm).update(bytes);
		};
		this.inner = pad(0x36);
		this.outer = pad(0x5C);
	}
	copy() {
		return Object.assign(Object.create(Object.getPrototypeOf(this)), { inner: this.inner.copy(), outer: this.outer.copy() });
	}
	update(bytes) {
		this.inner.update(bytes);
		return this;
	}
	finish() {
		return this.outer.update(this.inner.finish()).finish();
	}
};
