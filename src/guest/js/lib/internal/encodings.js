/* Node's encodings of bytes: their names, and how each one is written, read and measured. */
'use strict';

const names = new Map();
for (const [name, ...others] of [['utf8', 'utf-8', ''], ['utf16le', 'utf-16le', 'ucs2', 'ucs-2'], ['latin1', 'binary'], ['base64'],
	['base64url'], ['hex'], ['ascii']])
	[name, ...others].forEach((one) => names.set(one, name));

/* The proper name, or undefined. Nothing at all means UTF-8. */
exports.normalizeEncoding = function (encoding) {
	if (encoding === undefined || encoding === null || encoding === 'utf8')
		return 'utf8';
	const known = names.get(encoding);
	return known !== undefined ? known : names.get(`${encoding}`.toLowerCase());
};

/* Bytes that base64 text gives at most; padding does not count. */
function base64Length(text) {
	let n = text.length;
	if (text.charCodeAt(n - 1) === 61)
		n--;
	if (n > 1 && text.charCodeAt(n - 1) === 61)
		n--;
	return (n * 3) >>> 2;
}

/* Text with anything but digits gives fewer bytes than its length says. */
function decodedLength(text) {
	let digits = 0;
	for (let i = 0; i < text.length && text[i] !== '='; i++) {
		if (/[A-Za-z0-9+/_-]/.test(text[i]))
			digits++;
	}
	return (digits * 3) >>> 2;
}

const utf8 = {
	name: 'utf8', byteLength: (text) => host.utf8Length(text), size: (text) => host.utf8Length(text),
	write: (bytes, text, at, length) => host.utf8Write(text, bytes, at, length),
	text: (bytes, start, end) => host.utf8Decode(bytes, start, end),
};
const utf16le = {
	name: 'utf16le', byteLength: (text) => text.length * 2, size: (text) => text.length * 2,
	write: (bytes, text, at, length) => host.ucs2Write(text, bytes, at, length),
	text: (bytes, start, end) => host.ucs2Decode(bytes, start, end),
};
const latin1 = {
	name: 'latin1', byteLength: (text) => text.length, size: (text) => text.length,
	write: (bytes, text, at, length) => host.latin1Write(text, bytes, at, length),
	text: (bytes, start, end) => host.latin1Decode(bytes, start, end),
};
const ascii = { ...latin1, name: 'ascii', text: (bytes, start, end) => host.latin1Decode(bytes, start, end, 0x7F) };
const hex = {
	name: 'hex', byteLength: (text) => text.length >>> 1, size: (text) => text.length >>> 1,
	write: (bytes, text, at, length) => host.hexWrite(text, bytes, at, length),
	text: (bytes, start, end) => host.hexDecode(bytes, start, end),
};
const base64 = {
	name: 'base64', byteLength: base64Length,
	size: (text) => /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? base64Length(text) : decodedLength(text),
	write: (bytes, text, at, length) => host.base64Write(text, bytes, at, length),
	text: (bytes, start, end) => host.base64Decode(bytes, start, end, false),
};
const base64url = { ...base64, name: 'base64url', text: (bytes, start, end) => host.base64Decode(bytes, start, end, true) };

const all = { __proto__: null, utf8, utf16le, latin1, ascii, hex, base64, base64url };
exports.utf8 = utf8;

/* The operations of an encoding, or undefined. */
exports.encodingOf = function (name) {
	const proper = exports.normalizeEncoding(name);
	return proper === undefined ? undefined : all[proper];
};
