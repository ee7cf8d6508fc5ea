/* string_decoder: bytes that come in pieces, without characters cut in two. */
'use strict';

const { codes } = require('internal/errors');
const { normalizeEncoding, encodingOf } = require('internal/encodings');

/* How many bytes at the end are the beginning of a character, and how long that is. */
function openUtf8(bytes) {
	for (let back = 1; back <= 3 && back <= bytes.length; back++) {
		const byte = bytes[bytes.length - back];
		if (byte < 0x80)
			return [0, 0];
		if (byte < 0xC0)
			continue;
		const size = byte < 0xC2 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0;
		return size <= back ? [0, 0] : [back, size];
	}
	return [0, 0];
}

function openUtf16(bytes) {
	const odd = bytes.length & 1, last = bytes.length - odd - 2;
	if (last >= 0 && (bytes[last + 1] & 0xFC) === 0xD8)
		return [odd + 2, 4];
	return odd ? [1, 2] : [0, 0];
}

function openBase64(bytes) {
	const rest = bytes.length % 3;
	return rest ? [rest, 3] : [0, 0];
}

const openOf = { __proto__: null, utf8: openUtf8, utf16le: openUtf16, base64: openBase64, base64url: openBase64 };

function StringDecoder(encoding) {
	const name = normalizeEncoding(encoding);
	if (name === undefined)
		throw new codes.ERR_UNKNOWN_ENCODING(encoding);
	this.encoding = name;
	const { Buffer } = require('buffer');
	Object.defineProperty(this, 'kept', { value: Buffer.alloc(0), writable: true, enumerable: false });
	Object.defineProperty(this, 'total', { value: 0, writable: true, enumerable: false });
}

StringDecoder.prototype.write = function write(chunk) {
	if (typeof chunk === 'string')
		return chunk;
	if (!ArrayBuffer.isView(chunk))
		throw new codes.ERR_INVALID_ARG_TYPE('buf', ['Buffer', 'TypedArray', 'DataView'], chunk);
	if (this.kept === undefined)
		throw new codes.ERR_INVALID_THIS('StringDecoder');
	const { Buffer } = require('buffer');
	const ops = encodingOf(this.encoding), open = openOf[this.encoding];
	let bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
	if (open === undefined)
		return ops.text(bytes, 0, bytes.length);
	if (this.kept.length)
		bytes = Buffer.concat([this.kept, bytes]);
	let [left, total] = open(bytes);
	/* Node gives half a pair away when single bytes come */
	if (open === openUtf16 && this.kept.length === 1 && bytes.length === 2)
		left = total = 0;
	this.kept = Buffer.from(bytes.subarray(bytes.length - left));
	this.total = total;
	return ops.text(bytes, 0, bytes.length - left);
};

StringDecoder.prototype.end = function end(chunk) {
	const text = chunk === undefined ? '' : this.write(chunk);
	if (this.kept.length === 0)
		return text;
	const rest = encodingOf(this.encoding).text(this.kept, 0, this.kept.length);
	const { Buffer } = require('buffer');
	this.kept = Buffer.alloc(0);
	this.total = 0;
	return text + rest;
};

StringDecoder.prototype.text = function text(chunk, offset) {
	this.kept = require('buffer').Buffer.alloc(0);
	this.total = 0;
	return this.write(chunk.slice(offset));
};

Object.defineProperties(StringDecoder.prototype, {
	lastChar: { configurable: true, enumerable: true, get() {
		const out = require('buffer').Buffer.alloc(4);
		out.set(this.kept);
		return out;
	} },
	lastNeed: { configurable: true, enumerable: true, get() { return this.total - this.kept.length; } },
	lastTotal: { configurable: true, enumerable: true, get() { return this.total; } },
});

exports.StringDecoder = StringDecoder;
