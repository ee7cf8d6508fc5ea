/* TextEncoder and TextDecoder: UTF-8, UTF-16LE, UTF-16BE and Latin-1 (windows-1252). Others are refused by name. */
'use strict';

const { codes } = require('internal/errors');
const { types } = require('internal/types');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const labels = new Map();
function label(encoding, ...names) {
	names.forEach((name) => labels.set(name, encoding));
}
label('utf-8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'utf-8', 'utf8', 'x-unicode20utf8');
label('utf-16le', 'csunicode', 'iso-10646-ucs-2', 'ucs-2', 'unicode', 'unicodefeff', 'utf-16', 'utf-16le', 'utf16le');
label('utf-16be', 'unicodefffe', 'utf-16be');
label('windows-1252', 'ansi_x3.4-1968', 'ascii', 'cp1252', 'cp819', 'csisolatin1', 'ibm819', 'iso-8859-1', 'iso-ir-100',
	'iso8859-1', 'iso88591', 'iso_8859-1', 'iso_8859-1:1987', 'l1', 'latin1', 'us-ascii', 'windows-1252', 'x-cp1252');

/* What 0x80 to 0x9F mean in windows-1252. */
const windows = '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F\x90\u2018\u2019\u201C' +
	'\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178';

class TextEncoder {
	#made = true;
	get encoding() {
		if (!(#made in this))
			throw new codes.ERR_INVALID_THIS('TextEncoder');
		return 'utf-8';
	}
	encode(input = '') {
		return host.utf8Encode(`${input}`);
	}
	encodeInto(source, target) {
		if (typeof source !== 'string')
			throw new codes.ERR_INVALID_ARG_TYPE('src', 'string', source);
		if (!types.isUint8Array(target))
			throw new codes.ERR_INVALID_ARG_TYPE('dest', 'Uint8Array', target);
		const written = host.utf8Write(source, target, 0, target.length);
		return { read: host.lastRead, written };
	}
	[inspectSymbol](depth, options, inspect) {
		if (typeof depth === 'number' && depth < 0)
			return this;
		const shown = { __proto__: { constructor: this.constructor === null ? Object : this.constructor } };
		shown.encoding = this.encoding;
		return inspect(shown, options);
	}
}

function bytesOf(input) {
	if (types.isAnyArrayBuffer(input))
		return new Uint8Array(input);
	if (ArrayBuffer.isView(input))
		return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
	const error = new TypeError('The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.');
	error.code = 'ERR_INVALID_ARG_TYPE';
	throw error;
}

/* How many bytes at the end begin a character that is not whole yet. */
function openUtf8(bytes) {
	for (let back = 1; back <= 3 && back <= bytes.length; back++) {
		const byte = bytes[bytes.length - back];
		if (byte < 0x80)
			return 0;
		if (byte < 0xC0)
			continue;
		const needs = byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 1;
		if (needs <= back || (back > 1 && host.utf8Decode(bytes.subarray(bytes.length - back), 0, back).length > 1))
			return 0;
		return back;
	}
	return 0;
}

function openUtf16(bytes, high) {
	const odd = bytes.length & 1, last = bytes.length - odd - 2;
	if (last >= 0 && (bytes[last + high] & 0xFC) === 0xD8)
		return odd + 2;
	return odd;
}

function swapped(bytes) {
	const copy = new Uint8Array(bytes);
	for (let i = 0; i + 1 < copy.length; i += 2)
		[copy[i], copy[i + 1]] = [copy[i + 1], copy[i]];
	return copy;
}

class TextDecoder {
	#encoding;
	#fatal;
	#ignoreBOM;
	#kept = new Uint8Array(0);
	#begun = false;
	constructor(encoding = 'utf-8', options = {}) {
		const name = labels.get(`${encoding}`.trim().toLowerCase());
		if (name === undefined)
			throw new codes.ERR_ENCODING_NOT_SUPPORTED(`${encoding}`);
		if (options !== undefined && options !== null && typeof options !== 'object')
			throw new codes.ERR_INVALID_ARG_TYPE('options', 'Object', options);
		this.#encoding = name;
		this.#fatal = !!(options && options.fatal);
		this.#ignoreBOM = !!(options && options.ignoreBOM);
	}
	get encoding() { return this.#encoding; }
	get fatal() { return this.#fatal; }
	get ignoreBOM() { return this.#ignoreBOM; }
	decode(input = new Uint8Array(0), options = {}) {
		const stream = !!(options && options.stream);
		let bytes = bytesOf(input);
		if (this.#kept.length) {
			const joined = new Uint8Array(this.#kept.length + bytes.length);
			joined.set(this.#kept);
			joined.set(bytes, this.#kept.length);
			bytes = joined;
		}
		let open = 0;
		if (stream && this.#encoding !== 'windows-1252')
			open = this.#encoding === 'utf-8' ? openUtf8(bytes) : openUtf16(bytes, this.#encoding === 'utf-16le' ? 1 : 0);
		this.#kept = bytes.slice(bytes.length - open);
		let text = this.#text(bytes.subarray(0, bytes.length - open));
		if (text === undefined) {
			this.#kept = new Uint8Array(0);
			throw new codes.ERR_ENCODING_INVALID_ENCODED_DATA(this.#encoding);
		}
		if (!this.#ignoreBOM && !this.#begun && text[0] === '\uFEFF')
			text = text.slice(1);
		this.#begun = stream && (this.#begun || text.length > 0 || bytes.length - open > 0);
		return text;
	}
	#text(bytes) {
		if (this.#encoding === 'utf-8')
			return host.utf8Decode(bytes, 0, bytes.length, this.#fatal);
		if (this.#encoding === 'windows-1252')
			return host.latin1Decode(bytes, 0, bytes.length).replace(/[\x80-\x9F]/g, (c) => windows[c.charCodeAt(0) - 0x80]);
		const even = this.#encoding === 'utf-16le' ? bytes : swapped(bytes);
		const text = host.ucs2Decode(even, 0, even.length) + (bytes.length & 1 ? '\uFFFD' : '');
		const sound = text.toWellFormed();
		return this.#fatal && (sound !== text || bytes.length & 1) ? undefined : sound;
	}
}

for (const Class of [TextEncoder, TextDecoder]) {
	for (const name of Object.getOwnPropertyNames(Class.prototype)) {
		if (name !== 'constructor')
			Object.defineProperty(Class.prototype, name, { enumerable: true });
	}
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
}

exports.TextEncoder = TextEncoder;
exports.TextDecoder = TextDecoder;
