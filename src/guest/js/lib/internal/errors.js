/*
 * The errors with a code. codes.ERR_X(...) makes one as Node words it: the message is computed from the arguments, the first
 * line of the stack names the code, and `code` is an own property. Messages are what scripts compare, so they are Node's.
 */
'use strict';

const codes = { __proto__: null };
exports.codes = codes;

/* util.inspect needs this file, so it is asked for only when a message shows a value. */
function inspect(value, options) {
	return require('internal/inspect').inspect(value, options);
}

/* The engine wrote the stack before the error had its code. */
function restack(error, head) {
	const stack = error.stack;
	const at = typeof stack === 'string' ? stack.indexOf('\n    at ') : -1;
	Object.defineProperty(error, 'stack', {
		value: at < 0 ? head : head + stack.slice(at), writable: true, configurable: true, enumerable: false,
	});
}

function define(name, Base, message, code = name) {
	codes[name] = function NodeError(...args) {
		const text = typeof message === 'string' ? message : message.apply(null, args);
		const error = new Base(text);
		restack(error, `${error.name} [${code}]: ${text}`);
		Object.defineProperty(error, 'toString', {
			value() { return `${this.name} [${code}]: ${this.message}`; },
			enumerable: false, writable: true, configurable: true,
		});
		error.code = code;
		return error;
	};
}
exports.define = define;

/* a, b, or c */
function list(words, conjunction) {
	if (words.length < 3)
		return words.join(` ${conjunction} `);
	return `${words.slice(0, -1).join(', ')}, ${conjunction} ${words[words.length - 1]}`;
}

function received(value) {
	if (value == null)
		return ` Received ${value}`;
	if (typeof value === 'function')
		return ` Received function ${value.name}`;
	if (typeof value === 'object') {
		if (value.constructor && value.constructor.name)
			return ` Received an instance of ${value.constructor.name}`;
		return ` Received ${inspect(value, { depth: -1 })}`;
	}
	let shown = inspect(value, { colors: false });
	if (shown.length > 28)
		shown = shown.slice(0, 25) + '...';
	return ` Received type ${typeof value} (${shown})`;
}
exports.received = received;

const plainTypes = new Set(['string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol']);

function subject(name) {
	if (name.endsWith(' argument'))
		return `The ${name}`;
	return `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
}

/* Sorts the expected kinds: types, classes, and whatever else. */
function expectation(expected) {
	const types = [], classes = [], other = [], parts = [];
	for (const word of Array.isArray(expected) ? expected : [expected]) {
		if (plainTypes.has(word))
			types.push(word.toLowerCase());
		else if (/^([A-Z][a-z0-9]*)+$/.test(word))
			classes.push(word);
		else
			other.push(word);
	}
	if (classes.length && types.includes('object')) {
		types.splice(types.indexOf('object'), 1);
		classes.push('Object');
	}
	if (types.length)
		parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${list(types, 'or')}`);
	if (classes.length)
		parts.push(`an instance of ${list(classes, 'or')}`);
	if (other.length > 1)
		parts.push(`one of ${list(other, 'or')}`);
	else if (other.length)
		parts.push((other[0].toLowerCase() !== other[0] ? 'an ' : '') + other[0]);
	return parts.join(' or ');
}

/* 1234567 -> 1_234_567 */
function underscored(text) {
	const minus = text[0] === '-' ? '-' : '';
	return minus + text.slice(minus.length).replace(/(?<=.)(?=(?:.{3})+$)/g, '_');
}

function outOfRange(name, range, value, replaceDefault) {
	let shown;
	if (Number.isInteger(value) && Math.abs(value) > 2 ** 32)
		shown = underscored(String(value));
	else if (typeof value === 'bigint')
		shown = (value > 2n ** 32n || value < -(2n ** 32n) ? underscored(String(value)) : String(value)) + 'n';
	else
		shown = inspect(value);
	return `${replaceDefault ? name : `The value of "${name}" is out of range.`} It must be ${range}. Received ${shown}`;
}

function invalidValue(name, value, reason = 'is invalid') {
	let shown = inspect(value);
	if (shown.length > 128)
		shown = shown.slice(0, 128) + '...';
	return `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${shown}`;
}

function missingArgs(...names) {
	const shown = names.map((name) => Array.isArray(name) ? name.map((one) => `"${one}"`).join(' or ') : `"${name}"`);
	return `The ${list(shown, 'and')} argument${names.length > 1 ? 's' : ''} must be specified`;
}

function returnValue(expected, name, value) {
	return `Expected ${expected} to be returned from the "${name}" function but got${received(value).slice(9)}.`;
}

function bufferBounds(name) {
	return name ? `"${name}" is outside of buffer bounds` : 'Attempt to access memory outside buffer bounds';
}

define('ERR_INVALID_ARG_TYPE', TypeError,
	(name, expected, actual) => `${subject(name)} must be ${expectation(expected)}.${received(actual)}`);
define('ERR_INVALID_ARG_VALUE', TypeError, invalidValue);
define('ERR_OUT_OF_RANGE', RangeError, outOfRange);
define('ERR_SCRIPT_EXECUTION_TIMEOUT', Error, (ms) => `Script execution timed out after ${ms}ms`);
define('ERR_MISSING_ARGS', TypeError, missingArgs);
define('ERR_INVALID_RETURN_VALUE', TypeError, returnValue);
define('ERR_INVALID_RETURN_PROPERTY_VALUE', TypeError, (expected, name, property, value) =>
	`Expected ${expected} to be returned for the "${property}" from the "${name}" function but got ` +
	`${value && value.constructor && value.constructor.name ? `instance of ${value.constructor.name}` : `type ${typeof value}`}.`);
define('ERR_INVALID_THIS', TypeError, (type) => `Value of "this" must be of type ${type}`);
define('ERR_ILLEGAL_CONSTRUCTOR', TypeError, 'Illegal constructor');
define('ERR_AMBIGUOUS_ARGUMENT', TypeError, (name, reason) => `The "${name}" argument is ambiguous. ${reason}`);
define('ERR_ASSERTION', Error, (message) => message);
define('ERR_ARG_NOT_ITERABLE', TypeError, (name) => `${name} must be iterable`);
define('ERR_BUFFER_OUT_OF_BOUNDS', RangeError, bufferBounds);
define('ERR_BUFFER_TOO_LARGE', RangeError, (size) => `Cannot create a Buffer larger than ${size} bytes`);
define('ERR_INVALID_BUFFER_SIZE', RangeError, (size) => `Buffer size must be a multiple of ${size}`);
define('ERR_UNKNOWN_ENCODING', TypeError, (name) => `Unknown encoding: ${name}`);
define('ERR_INVALID_CALLBACK', TypeError, (value) => `Callback must be a function. Received ${inspect(value)}`);
define('ERR_FALSY_VALUE_REJECTION', Error, 'Promise was rejected with falsy value');
define('ERR_UNHANDLED_ERROR', Error, (error) => error === undefined ? 'Unhandled error.' : `Unhandled error. (${error})`);
define('ERR_METHOD_NOT_IMPLEMENTED', Error, (name) => `The ${name} method is not implemented`);
define('ERR_EVENT_RECURSION', Error, (type) => `The event "${type}" is already being dispatched`);
define('ERR_INVALID_URL_SCHEME', TypeError,
	(expected) => `The URL must be ${Array.isArray(expected) ? `one of scheme ${expected.join(' or ')}` : `of scheme ${expected}`}`);
define('ERR_INVALID_FILE_URL_HOST', TypeError, (name) => `File URL host must be "localhost" or empty on ${name}`);
define('ERR_INVALID_FILE_URL_PATH', TypeError, (reason) => `File URL path ${reason}`);
define('ERR_INVALID_TUPLE', TypeError, (name, type) => `${name} must be an iterable ${type} tuple`);
define('ERR_INVALID_HTTP_TOKEN', TypeError, (name, value) => `${name} must be a valid HTTP token ["${value}"]`);
define('ERR_HTTP_INVALID_HEADER_VALUE', TypeError, (value, name) => `Invalid value "${value}" for header "${name}"`);
define('ERR_INVALID_CHAR', TypeError, (name, field) => `Invalid character in ${name}${field === undefined ? '' : ` ["${field}"]`}`);
define('ERR_INVALID_URI', URIError, 'URI malformed');
define('ERR_INVALID_OBJECT_DEFINE_PROPERTY', TypeError, (text) => text);
define('ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET', Error,
	'`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active');
define('ERR_STREAM_PREMATURE_CLOSE', Error, 'Premature close');
define('ERR_STREAM_DESTROYED', Error, (name) => `Cannot call ${name} after a stream was destroyed`);
define('ERR_STREAM_ALREADY_FINISHED', Error, (name) => `Cannot call ${name} after a stream was finished`);
define('ERR_STREAM_CANNOT_PIPE', Error, 'Cannot pipe, not readable');
define('ERR_STREAM_NULL_VALUES', TypeError, 'May not write null values to stream');
define('ERR_STREAM_PUSH_AFTER_EOF', Error, 'stream.push() after EOF');
define('ERR_STREAM_UNSHIFT_AFTER_END_EVENT', Error, 'stream.unshift() after end event');
define('ERR_STREAM_WRITE_AFTER_END', Error, 'write after end');
define('ERR_STREAM_UNABLE_TO_PIPE', Error, 'Cannot pipe to a closed or destroyed stream');
define('ERR_MULTIPLE_CALLBACK', Error, 'Callback called multiple times');
define('ERR_USE_AFTER_CLOSE', Error, (name) => `${name} was closed`);
define('ERR_CONSOLE_WRITABLE_STREAM', TypeError, (name) => `Console expects a writable stream instance for ${name}`);
define('ERR_INCOMPATIBLE_OPTION_PAIR', TypeError, (a, b) => `Option "${a}" cannot be used in combination with option "${b}"`);
define('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', TypeError, (message) => message);
define('ERR_PARSE_ARGS_UNKNOWN_OPTION', TypeError, (option, positionals) =>
	`Unknown option '${option}'` + (positionals ? `. To specify a positional argument starting with a '-', place it at the ` +
	`end of the command after '--', as in '-- ${JSON.stringify(option)}` : ''));
define('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', TypeError, (name) =>
	`Unexpected argument '${name}'. This command does not take positional arguments`);
define('ERR_ENCODING_INVALID_ENCODED_DATA', TypeError, (encoding) => `The encoded data was not valid for encoding ${encoding}`);
define('ERR_ENCODING_NOT_SUPPORTED', RangeError, (encoding) => `The "${encoding}" encoding is not supported`);
define('ERR_INVALID_STATE', Error, (text) => `Invalid state: ${text}`);
define('ERR_INVALID_STATE_TYPE', TypeError, (text) => `Invalid state: ${text}`, 'ERR_INVALID_STATE');
define('ERR_PERFORMANCE_INVALID_TIMESTAMP', TypeError, (n) => `${n} is not a valid timestamp`);
define('ERR_NO_LONGER_SUPPORTED', Error, (name) => `${name} is no longer supported`);
define('ERR_INVALID_CURSOR_POS', TypeError, 'Cannot set cursor row without setting its column');
define('ERR_UNKNOWN_SIGNAL', TypeError, (name) => `Unknown signal: ${name}`);
define('ERR_OPERATION_FAILED', Error, (text) => `Operation failed: ${text}`);
define('ERR_INVALID_MODULE_SPECIFIER', TypeError, (text, reason, base) =>
	`Invalid module "${text}" ${reason}${base ? ` imported from ${base}` : ''}`);
define('ERR_INVALID_ASYNC_ID', RangeError, (type, id) => `Invalid ${type} value: ${id}`);
define('ERR_ASYNC_CALLBACK', TypeError, (name) => `${name} must be a function`);
define('ERR_DIR_CLOSED', Error, 'Directory handle was closed');
define('ERR_DIR_CONCURRENT_OPERATION', Error, 'Cannot do synchronous work on directory handle with concurrent asynchronous operations');
define('ERR_FS_INVALID_SYMLINK_TYPE', Error,
	(type) => `Symlink type must be one of "dir", "file", or "junction". Received "${type}"`);
define('ERR_INVALID_SYNC_FORK_INPUT', TypeError,
	(shown) => `Asynchronous forks do not support Buffer, TypedArray, DataView or string input: ${shown}`);
define('ERR_IPC_CHANNEL_CLOSED', Error, 'Channel closed');
define('ERR_IPC_DISCONNECTED', Error, 'IPC channel is already disconnected');
define('ERR_IPC_ONE_PIPE', Error, 'Child process can have only one IPC pipe');
define('ERR_CHILD_PROCESS_IPC_REQUIRED', Error, (name) => `Forked processes must have an IPC channel, missing value 'ipc' in ${name}`);
define('ERR_IPC_SYNC_FORK', Error, 'IPC cannot be used with synchronous forks');
define('ERR_CHILD_PROCESS_STDIO_MAXBUFFER', RangeError, (name) => `${name} maxBuffer length exceeded`);
define('ERR_CRYPTO_HASH_FINALIZED', Error, 'Digest already called');
define('ERR_CRYPTO_INVALID_STATE', Error, (what) => `Invalid state for operation ${what}`);
define('ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', Error, 'Invalid scrypt parameter');
define('ERR_CRYPTO_INVALID_KEYLEN', RangeError, 'Invalid key length');
define('ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', TypeError, (type, expected) => `Invalid key object type ${type}, expected ${expected}.`);

/* What aborted operations reject with: a plain Error named AbortError. */
exports.AbortError = class AbortError extends Error {
	constructor(message = 'The operation was aborted', options = undefined) {
		if (options !== undefined && typeof options !== 'object')
			throw new codes.ERR_INVALID_ARG_TYPE('options', 'Object', options);
		super(message, options);
		this.code = 'ABORT_ERR';
		this.name = 'AbortError';
	}
};

/* Two errors of one clean-up: both are told. */
exports.aggregateTwoErrors = function (inner, outer) {
	if (!inner || !outer || inner === outer)
		return inner || outer;
	if (Array.isArray(outer.errors)) {
		outer.errors.push(inner);
		return outer;
	}
	const both = new AggregateError([outer, inner], outer.message);
	both.code = outer.code;
	return both;
};

