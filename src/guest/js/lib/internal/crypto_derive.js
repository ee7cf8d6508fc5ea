/* Keys from passwords: PBKDF2, HKDF and scrypt. */
'use strict';

const { Hmac } = require('internal/hash');

exports.hmac = (algorithm, key, ...parts) => {
	const mac = new Hmac(algorithm, key);
	parts.forEach((part) => mac.update(part));
	return mac.finish();
};

exports.pbkdf2 = function (algorithm, password, salt, iterations, length) {
	const out = new Uint8Array(length), base = new Hmac(algorithm, password), counter = new Uint8Array(4);
	for (let block = 1, at = 0; at < length; block++) {
		new DataView(counter.buffer).setUint32(0, block);
		let u = base.copy().update(salt).update(counter).finish();
		const sum = u.slice();
		for (let i = 1; i < iterations; i++) {
			u = base.copy().update(u).finish();
			for (let k = 0; k < sum.length; k++)
				sum[k] ^= u[k];
		}
		const part = sum.subarray(0, length - at);
		out.set(part, at);
		at += part.length;
	}
	return out;
};

exports.hkdf = function (algorithm, key, salt, info, length) {
	const secret = exports.hmac(algorithm, salt.length ? salt : new Uint8Array(algorithm.size), key);
	const out = new Uint8Array(length);
	let last = new Uint8Array(0);
	for (let i = 1, at = 0; at < length; i++) {
		last = exports.hmac(algorithm, secret, last, info, Uint8Array.of(i));
		const part = last.subarray(0, length - at);
		out.set(part, at);
		at += part.length;
	}
	return out;
};

/* ---- scrypt ---- */

const rotate = (x, n) => (x << n) | (x >>> (32 - n));

function quarter(x, a, b, c, d) {
	x[b] ^= rotate((x[a] + x[d]) | 0, 7);
	x[c] ^= rotate((x[b] + x[a]) | 0, 9);
	x[d] ^= rotate((x[c] + x[b]) | 0, 13);
	x[a] ^= rotate((x[d] + x[c]) | 0, 18);
}

const salsaWords = new Int32Array(16);

function salsa(block) {
	const x = salsaWords;
	x.set(block);
	for (let i = 0; i < 4; i++) {
		quarter(x, 0, 4, 8, 12);
		quarter(x, 5, 9, 13, 1);
		quarter(x, 10, 14, 2, 6);
		quarter(x, 15, 3, 7, 11);
		quarter(x, 0, 1, 2, 3);
		quarter(x, 5, 6, 7, 4);
		quarter(x, 10, 11, 8, 9);
		quarter(x, 15, 12, 13, 14);
	}
	for (let i = 0; i < 16; i++)
		block[i] = (block[i] + x[i]) | 0;
}

function mixBlocks(b, r) {
	const x = b.slice((2 * r - 1) * 16), out = new Int32Array(b.length);
	for (let i = 0; i < 2 * r; i++) {
		for (let k = 0; k < 16; k++)
			x[k] ^= b[i * 16 + k];
		salsa(x);
		out.set(x, ((i & 1) * r + (i >> 1)) * 16);
	}
	b.set(out);
}

function romMix(b, n, r) {
	const size = 32 * r, v = new Int32Array(n * size);
	for (let i = 0; i < n; i++) {
		v.set(b, i * size);
		mixBlocks(b, r);
	}
	for (let i = 0; i < n; i++) {
		const from = (b[(2 * r - 1) * 16] & (n - 1)) * size;
		for (let k = 0; k < size; k++)
			b[k] ^= v[from + k];
		mixBlocks(b, r);
	}
}

exports.scrypt = function (algorithm, password, salt, length, n, r, p) {
	const bytes = exports.pbkdf2(algorithm, password, salt, 1, p * 128 * r);
	for (let i = 0; i < p; i++)
		romMix(new Int32Array(bytes.buffer, i * 128 * r, 32 * r), n, r);
	return exports.pbkdf2(algorithm, password, bytes, 1, length);
};
