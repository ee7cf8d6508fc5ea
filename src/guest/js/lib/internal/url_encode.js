/* Percent-encoding with the sets of the URL standard. A set is a function from a code point to whether it is encoded. */
'use strict';

function setOf(base, extra) {
	const codes = new Set(Array.from(extra, (c) => c.charCodeAt(0)));
	return (c) => base(c) || codes.has(c);
}

const inControl = (c) => c <= 0x1F || c > 0x7E;
const inFragment = setOf(inControl, ' "<>`');
const inQuery = setOf(inControl, ' "#<>');
const inSpecialQuery = setOf(inQuery, "'");
const inPath = setOf(inQuery, '?`{}');
const inUserinfo = setOf(inPath, '/:;=@[\\]^|');

function encodeChar(char) {
	const bytes = host.utf8Encode(char);
	let out = '';
	for (const byte of bytes)
		out += `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
	return out;
}

exports.percentEncode = function (text, set) {
	let out = '';
	for (const char of text)
		out += set(char.codePointAt(0)) ? encodeChar(char) : char;
	return out;
};

/* Bytes that are no UTF-8 become U+FFFD. */
exports.percentDecode = function (text) {
	if (!text.includes('%'))
		return text.toWellFormed();
	const bytes = host.utf8Encode(text), out = new Uint8Array(bytes.length);
	let n = 0;
	for (let i = 0; i < bytes.length; i++) {
		const pair = bytes[i] === 37 && i + 2 < bytes.length ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : '';
		if (/^[0-9a-fA-F]{2}$/.test(pair)) {
			out[n++] = parseInt(pair, 16);
			i += 2;
		} else {
			out[n++] = bytes[i];
		}
	}
	return host.utf8Decode(out, 0, n);
};

Object.assign(exports, { inControl, inFragment, inQuery, inSpecialQuery, inPath, inUserinfo });
