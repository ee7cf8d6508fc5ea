/* util: formatting, promises out of callbacks, types and small things. */
'use strict';

const { codes } = require('internal/errors');
const { validateBoolean, validateString, validateNumber, validateAbortSignal, validateObject } = require('internal/validators');
const { inspect } = require('internal/inspect');
const { format, formatWithOptions, formatWith } = require('internal/format');
const { promisify, callbackify } = require('internal/promisify');
const { types, isError } = require('internal/types');
const text = require('internal/inspect_text');
const process = require('process');

function inherits(constructor, superConstructor) {
	if (constructor === undefined || constructor === null)
		throw new codes.ERR_INVALID_ARG_TYPE('ctor', 'Function', constructor);
	if (superConstructor === undefined || superConstructor === null)
		throw new codes.ERR_INVALID_ARG_TYPE('superCtor', 'Function', superConstructor);
	if (superConstructor.prototype === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE('superCtor.prototype', 'Object', superConstructor.prototype);
	Object.defineProperty(constructor, 'super_', { value: superConstructor, writable: true, configurable: true });
	Object.setPrototypeOf(constructor.prototype, superConstructor.prototype);
}

const warnedCodes = new Set();

function deprecate(fn, message, code) {
	if (code !== undefined)
		validateString(code, 'code');
	let warned = false;
	function deprecated(...args) {
		if (!warned) {
			warned = true;
			if (code === undefined)
				process.emitWarning(message, 'DeprecationWarning', deprecated);
			else if (!warnedCodes.has(code)) {
				warnedCodes.add(code);
				process.emitWarning(message, 'DeprecationWarning', code, deprecated);
			}
		}
		return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
	}
	Object.setPrototypeOf(deprecated, fn);
	if (fn.prototype)
		deprecated.prototype = fn.prototype;
	return deprecated;
}

/* NODE_DEBUG=a,b*: the sections that speak. */
function debuglog(set, callback) {
	set = set.toUpperCase();
	let enabled;
	function isEnabled() {
		if (enabled === undefined) {
			const names = (process.env.NODE_DEBUG || '').replace(/[|\\{}()[\]^$+?.]/g, '\\$&').replaceAll('*', '.*').replaceAll(',', '$|^');
			enabled = names !== '' && new RegExp(`^${names}$`, 'i').test(set);
		}
		return enabled;
	}
	function logger(...args) {
		if (isEnabled())
			process.stderr.write(formatWith({}, [`%s ${process.pid}: ${formatWith({}, args)}\n`, set]));
		if (typeof callback === 'function')
			callback(logger);
	}
	Object.defineProperty(logger, 'enabled', { get: isEnabled, configurable: true, enumerable: true });
	return logger;
}

/* Colours only where they are seen: a pipe or file gets the plain text, unless the stream is not asked. */
function streamTakesColors(stream) {
	const env = process.env;
	if (env.FORCE_COLOR !== undefined)
		return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
	return !!stream && !!stream.isTTY && env.NO_COLOR === undefined && env.TERM !== 'dumb';
}

function styleText(format, string, { validateStream = true, stream = process.stdout } = {}) {
	validateString(string, 'text');
	validateBoolean(validateStream, 'options.validateStream');
	if (validateStream && (!stream || (typeof stream.write !== 'function' && typeof stream.read !== 'function')))
		throw new codes.ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
	let open = '', close = '';
	for (const key of Array.isArray(format) ? format : [format]) {
		const code = text.colors[key];
		if (code === undefined)
			text.checkFormat(key);
		open += `\u001b[${code[0]}m`;
		close = `\u001b[${code[1]}m${close}`;
	}
	return typeof format === 'string' && validateStream && !streamTakesColors(stream) ? string : `${open}${string}${close}`;
}

function stripVTControlCharacters(string) {
	validateString(string, 'str');
	return text.stripColors(string);
}

function log(...args) {
	const now = new Date();
	const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
	const clock = [now.getHours(), now.getMinutes(), now.getSeconds()].map((n) => `${n}`.padStart(2, '0')).join(':');
	require('console').log('%s - %s', `${now.getDate()} ${months[now.getMonth()]} ${clock}`, format(...args));
}

function getSystemErrorName(number) {
	validateNumber(number, 'err');
	if (number >= 0 || !Number.isSafeInteger(number))
		throw new codes.ERR_OUT_OF_RANGE('err', 'a negative integer', number);
	const entry = getSystemErrorMap().get(number);
	return entry ? entry[0] : `Unknown system error ${number}`;
}

function getSystemErrorMap() {
	return new Map([...require('internal/uv').map].map(([number, entry]) => [-number, entry]));
}

async function aborted(signal, resource) {
	if (signal === undefined)
		throw new codes.ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
	validateAbortSignal(signal, 'signal');
	validateObject(resource, 'resource', { allowFunction: true, allowArray: true });
	if (signal.aborted)
		return;
	await new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const is = {
	isBoolean: (v) => typeof v === 'boolean', isNull: (v) => v === null, isNullOrUndefined: (v) => v == null,
	isNumber: (v) => typeof v === 'number', isString: (v) => typeof v === 'string', isSymbol: (v) => typeof v === 'symbol',
	isUndefined: (v) => v === undefined, isRegExp: types.isRegExp, isObject: (v) => v !== null && typeof v === 'object',
	isDate: types.isDate, isError: (v) => types.isNativeError(v) || isError(v), isFunction: (v) => typeof v === 'function',
	isPrimitive: (v) => v === null || (typeof v !== 'object' && typeof v !== 'function'),
};

function lazy(name, module, property = name) {
	Object.defineProperty(exports, name, {
		get() { return require(module)[property]; }, enumerable: true, configurable: true,
	});
}

Object.assign(exports, {
	aborted, callbackify, debug: debuglog, debuglog, deprecate, format, formatWithOptions, getSystemErrorMap, getSystemErrorName,
	inherits, inspect, isArray: Array.isArray, ...is, log, promisify, stripVTControlCharacters, styleText,
	toUSVString: (value) => `${value}`.toWellFormed(), types,
	_extend(target, source) { return source === null || typeof source !== 'object' ? target : Object.assign(target, source); },
	isBuffer: (value) => require('buffer').Buffer.isBuffer(value), transferableAbortController: () => new (require('internal/abort').AbortController)(),
	transferableAbortSignal: (signal) => signal,
	isDeepStrictEqual(a, b) { return require('internal/compare').isDeepStrictEqual(a, b); },
});
Object.defineProperty(exports.isDeepStrictEqual, 'length', { value: 2, configurable: true });
lazy('parseArgs', 'internal/parse_args');
lazy('MIMEType', 'internal/mime');
lazy('MIMEParams', 'internal/mime');
lazy('parseEnv', 'internal/mime');
lazy('TextEncoder', 'internal/text_codec');
lazy('TextDecoder', 'internal/text_codec');
