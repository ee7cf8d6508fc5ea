/* util.format: printf-like directives, and everything else inspected. */
'use strict';

const text = require('internal/inspect_text');
const { inspect } = require('internal/inspect');
const { validateObject } = require('internal/validators');
const { isNativeError } = require('internal/types').types;

const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
/* The language's own: Buffer, URL and other classes of the library have a toString() of theirs. */
const builtins = new Set(('Object Function Array Number Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ' +
	'ReferenceError SyntaxError TypeError URIError ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array ' +
	'Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef Proxy Reflect ' +
	'FinalizationRegistry SharedArrayBuffer Atomics JSON Math Intl').split(' '));

/* Whether String(value) would only give what the language gives, so that inspect tells more. */
function hasPlainToString(value) {
	const proxy = host.proxy(value);
	if (proxy !== undefined) {
		if (proxy[0] === null)
			return true;
		value = proxy[0];
	}
	if (typeof value.toString !== 'function')
		return true;
	if (hasOwn(value, 'toString'))
		return false;
	let pointer = value;
	do {
		pointer = Object.getPrototypeOf(pointer);
	} while (!hasOwn(pointer, 'toString'));
	const desc = Object.getOwnPropertyDescriptor(pointer, 'constructor');
	return desc !== undefined && typeof desc.value === 'function' && builtins.has(desc.value.name);
}

function number(value, convert) {
	if (typeof value === 'bigint')
		return text.formatBigInt(text.plainStyle, value, false);
	return text.formatNumber(text.plainStyle, typeof value === 'symbol' ? NaN : convert(value), false);
}

function asString(value, options) {
	if (typeof value === 'number')
		return text.formatNumber(text.plainStyle, value, false);
	if (typeof value === 'bigint')
		return text.formatBigInt(text.plainStyle, value, false);
	if (typeof value !== 'object' || value === null || !hasPlainToString(value))
		return String(value);
	return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
}

function asJson(value) {
	try {
		return JSON.stringify(value);
	} catch (error) {
		if (isNativeError(error) && /circular/i.test(error.message))
			return '[Circular]';
		throw error;
	}
}

/* What `%c` makes of value; undefined: no directive. */
function directive(c, value, options) {
	switch (c) {
	case 's': return asString(value, options);
	case 'j': return asJson(value);
	case 'd': return number(value, (one) => typeof one === 'object' ? Number(one) : Number(one));
	case 'O': return inspect(value, options);
	case 'o': return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
	case 'i': return number(value, parseInt);
	case 'f': return text.formatNumber(text.plainStyle, typeof value === 'symbol' ? NaN : parseFloat(value), false);
	case 'c': return '';
	default: return undefined;
	}
}

function expand(pattern, args, options) {
	let out = '', from = 0, next = 1;
	for (let i = 0; i < pattern.length - 1; i++) {
		if (pattern[i] !== '%')
			continue;
		const c = pattern[++i];
		let made;
		if (c === '%')
			made = '%';
		else if (next < args.length)
			made = directive(c, args[next], options);
		if (c !== '%' && next < args.length && (made !== undefined || c === 'j'))
			next++;
		else if (c !== '%')
			continue;
		out += pattern.slice(from, i - 1) + made;
		from = i + 1;
	}
	return [out + pattern.slice(from), next];
}

function formatWith(options, args) {
	if (args.length === 1 && typeof args[0] === 'string')
		return args[0];
	let out = '', next = 0, join = '';
	if (typeof args[0] === 'string' && args.length > 1) {
		[out, next] = expand(args[0], args, options);
		join = ' ';
	}
	for (; next < args.length; next++) {
		out += join + (typeof args[next] === 'string' ? args[next] : inspect(args[next], options));
		join = ' ';
	}
	return out;
}

exports.format = function format(...args) {
	return formatWith(undefined, args);
};

exports.formatWithOptions = function formatWithOptions(inspectOptions, ...args) {
	validateObject(inspectOptions, 'inspectOptions', { allowArray: true });
	return formatWith(inspectOptions, args);
};
exports.formatWith = formatWith;
