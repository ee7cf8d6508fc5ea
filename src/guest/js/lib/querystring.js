/* querystring: the older form of query parsing, kept as it was. */
'use strict';

const { codes } = require('internal/errors');

function hexPair(bytes, i) {
	const pair = String.fromCharCode(bytes[i] ?? 0, bytes[i + 1] ?? 0);
	return /^[0-9a-fA-F]{2}$/.test(pair) ? parseInt(pair, 16) : -1;
}

/* Never throws: what is no %XX stays. */
function unescapeBuffer(text, decodeSpaces) {
	const { Buffer } = require('buffer');
	const from = Buffer.from(text), out = Buffer.allocUnsafe(from.length);
	let n = 0;
	for (let i = 0; i < from.length; i++) {
		const value = from[i] === 37 ? hexPair(from, i + 1) : -1;
		if (value >= 0) {
			out[n++] = value;
			i += 2;
		} else {
			out[n++] = from[i] === 43 && decodeSpaces ? 32 : from[i];
		}
	}
	return out.subarray(0, n);
}

function unescape(text, decodeSpaces) {
	try {
		return decodeURIComponent(text);
	} catch {
		return exports.unescapeBuffer(text, decodeSpaces).toString();
	}
}

function escape(value) {
	if (typeof value !== 'string')
		value = typeof value === 'object' ? String(value) : `${value}`;
	if (!value.isWellFormed())
		throw new codes.ERR_INVALID_URI();
	return encodeURIComponent(value);
}

function primitive(value) {
	if (typeof value === 'string')
		return value;
	if (typeof value === 'number' && isFinite(value))
		return `${value}`;
	if (typeof value === 'bigint')
		return `${value}`;
	return typeof value === 'boolean' ? `${value}` : '';
}

function stringify(object, separator, equals, options) {
	separator = separator || '&';
	equals = equals || '=';
	let encode = exports.escape;
	if (options && typeof options.encodeURIComponent === 'function')
		encode = options.encodeURIComponent;
	if (object === null || typeof object !== 'object')
		return '';
	const fields = [];
	for (const key of Object.keys(object)) {
		const name = encode(primitive(key)) + equals;
		const value = object[key];
		if (Array.isArray(value))
			value.forEach((one) => fields.push(name + encode(primitive(one))));
		else
			fields.push(name + encode(primitive(value)));
	}
	return fields.join(separator);
}

function parse(text, separator, equals, options) {
	const result = { __proto__: null };
	if (typeof text !== 'string' || text.length === 0)
		return result;
	const sep = separator ? `${separator}` : '&', eq = equals ? `${equals}` : '=';
	let pairs = 1000;
	if (options && typeof options.maxKeys === 'number')
		pairs = options.maxKeys > 0 ? options.maxKeys : Infinity;
	let decode = exports.unescape;
	if (options && typeof options.decodeURIComponent === 'function')
		decode = options.decodeURIComponent;
	const custom = decode !== unescape;
	const decoded = (part) => {
		part = part.replaceAll('+', custom ? '%20' : ' ');
		if (!custom && !part.includes('%'))
			return part;
		try {
			return decode(part);
		} catch {
			return unescape(part, true);
		}
	};
	for (const field of text.split(sep)) {
		if (field === '')
			continue;
		if (pairs-- <= 0)
			break;
		const at = field.indexOf(eq);
		const key = decoded(at < 0 ? field : field.slice(0, at));
		const value = at < 0 ? '' : decoded(field.slice(at + eq.length));
		if (result[key] === undefined)
			result[key] = value;
		else if (Array.isArray(result[key]))
			result[key].push(value);
		else
			result[key] = [result[key], value];
	}
	return result;
}

Object.assign(exports, { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse });
Object.defineProperty(escape, 'name', { value: 'qsEscape', configurable: true });
Object.defineProperty(unescape, 'name', { value: 'qsUnescape', configurable: true });
