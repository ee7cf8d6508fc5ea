/* What all forms of fs share: how paths, flags, modes, options and times are given, and what stat() gives back. */
'use strict';

const { codes } = require('internal/errors');
const { validateAbortSignal, validateFunction, validateInteger, validateInt32, validateUint32 } = require('internal/validators');
const { encodingOf, normalizeEncoding } = require('internal/encodings');
const { constants } = require('internal/fs_constants');

/* ---- Errors ---- */

/* As Node's C++ throws: a code, but not in the first line of the stack. */
exports.plainError = function (Base, code, message) {
	const e = new Base(message);
	e.code = code;
	return e;
};

/* Nobody awaits the place where an asynchronous call was made: one line is all. */
exports.bare = function (error) {
	if (error.syscall !== undefined && error.errno < 0) {
		Object.defineProperty(error, 'stack', {
			value: `${error.name}: ${error.message}`, writable: true, configurable: true, enumerable: false,
		});
	}
	return error;
};

/* ERR_FS_...: what an operation made of several steps refuses. */
exports.systemError = function (code, text, context) {
	const { syscall, path, dest } = context;
	let message = `${text}: ${syscall} returned ${context.code} (${context.message})`;
	if (path !== undefined)
		message += ` ${path}`;
	if (dest !== undefined)
		message += ` => ${dest}`;
	const e = new Error(message);
	const frames = e.stack.indexOf('\n    at ');
	Object.defineProperty(e, 'stack', {
		value: `SystemError [${code}]: ${message}${frames < 0 ? '' : e.stack.slice(frames)}`,
		writable: true, configurable: true, enumerable: false,
	});
	Object.defineProperty(e, 'name', { value: 'SystemError', writable: true, configurable: true, enumerable: false });
	e.code = code;
	e.info = context;
	e.errno = context.errno;
	e.syscall = syscall;
	if (path !== undefined)
		e.path = path;
	if (dest !== undefined)
		e.dest = dest;
	return e;
};

/* What a sandbox cannot have fails by its name. */
exports.absent = function (name, instead) {
	return exports.plainError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `fs.${name}() is not in this sandbox: ${instead}`);
};

/* ---- Arguments ---- */

function isUrl(value) {
	return Boolean(value?.href && value.protocol && value.auth === undefined && value.path === undefined);
}

exports.toPath = function (value, name = 'path') {
	if (value !== null && typeof value === 'object' && isUrl(value))
		value = require('url').fileURLToPath(value);
	if (typeof value !== 'string' && !(value instanceof Uint8Array))
		throw new codes.ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'URL'], value);
	if (typeof value === 'string' ? value.includes('\0') : value.includes(0))
		throw new codes.ERR_INVALID_ARG_VALUE(name, value, 'must be a string, Uint8Array, or URL without null bytes');
	return value;
};

exports.text = (path) => typeof path === 'string' ? path : host.utf8Decode(path);

exports.validateFd = function (fd, name = 'fd') {
	validateInt32(fd, name, 0, 2147483647);
	return fd;
};

/* The C++ side of Node checks some descriptors itself. */
exports.validateFdPlain = function (fd) {
	try {
		return exports.validateFd(fd);
	} catch (e) {
		throw exports.plainError(e instanceof RangeError ? RangeError : TypeError, e.code, e.message);
	}
};

const flagNames = { __proto__: null };
{
	const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_EXCL, O_SYNC } = constants;
	const rows = {
		r: O_RDONLY, rs: O_RDONLY | O_SYNC, 'r+': O_RDWR, 'rs+': O_RDWR | O_SYNC, w: O_TRUNC | O_CREAT | O_WRONLY,
		'w+': O_TRUNC | O_CREAT | O_RDWR, a: O_APPEND | O_CREAT | O_WRONLY, 'a+': O_APPEND | O_CREAT | O_RDWR,
	};
	for (const [name, value] of Object.entries(rows)) {
		flagNames[name] = value;
		const plus = name.endsWith('+') ? '+' : '', base = name.replace('+', '');
		if (base === 'w' || base === 'a') {
			flagNames[`${base}x${plus}`] = flagNames[`x${base}${plus}`] = value | O_EXCL;
			if (base === 'a')
				flagNames[`as${plus}`] = flagNames[`sa${plus}`] = value | O_SYNC;
		}
		if (base === 'rs')
			flagNames[`sr${plus}`] = value;
	}
}

exports.toFlags = function (flags, name = 'flags') {
	if (typeof flags === 'number') {
		validateInt32(flags, name);
		return flags;
	}
	if (flags == null)
		return constants.O_RDONLY;
	const known = typeof flags === 'string' ? flagNames[flags] : undefined;
	if (known === undefined)
		throw new codes.ERR_INVALID_ARG_VALUE(name, flags);
	return known;
};

exports.toMode = function (value, name, standard) {
	value ??= standard;
	if (typeof value === 'string') {
		if (!/^[0-7]+$/.test(value))
			throw new codes.ERR_INVALID_ARG_VALUE(name, value, 'must be a 32-bit unsigned integer or an octal string');
		value = parseInt(value, 8);
	}
	validateUint32(value, name);
	return value;
};

/* The mode of access() and copyFile(), which C++ checks. */
exports.toSmallMode = function (mode, standard) {
	if (mode == null)
		return standard;
	if (typeof mode !== 'number')
		throw exports.plainError(TypeError, 'ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined');
	if (mode < 0 || mode > 7)
		throw exports.plainError(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
	return Math.trunc(mode);
};

exports.checkEncoding = function (encoding) {
	if (encoding && encoding !== 'buffer' && encodingOf(encoding) === undefined)
		throw new codes.ERR_INVALID_ARG_VALUE('encoding', encoding, 'is invalid encoding');
};

/* Options given as a string are an encoding; nothing gives the standard ones. */
exports.toOptions = function (options, standard = {}) {
	if (options == null || typeof options === 'function')
		return standard;
	if (typeof options === 'string')
		options = { ...standard, encoding: options };
	else if (typeof options !== 'object')
		throw new codes.ERR_INVALID_ARG_TYPE('options', ['string', 'Object'], options);
	exports.checkEncoding(options.encoding);
	if (options.signal !== undefined)
		validateAbortSignal(options.signal, 'options.signal');
	return options;
};

exports.validateCallback = (callback) => { validateFunction(callback, 'cb'); };

/* Seconds since 1970. */
exports.toSeconds = function (time, name = 'time') {
	if (typeof time === 'string' && +time == time)		// eslint-disable-line eqeqeq
		return +time;
	if (typeof time === 'number' && Number.isFinite(time))
		return time < 0 ? Date.now() / 1000 : time;
	if (time instanceof Date)
		return time.getTime() / 1000;
	throw new codes.ERR_INVALID_ARG_TYPE(name, ['Date', 'Time in seconds'], time);
};

exports.toId = function (id, name) {
	validateInteger(id, name, -1, 4294967295);
	return id;
};

/* ---- Names that come back ---- */

/* Whether the host should give bytes. */
exports.isRaw = (encoding) => encoding !== undefined && encoding !== null && normalizeEncoding(encoding) !== 'utf8';

exports.encoded = function (name, encoding) {
	if (typeof name === 'string')
		return name;
	const { Buffer } = require('buffer');
	const buffer = Buffer.from(name.buffer, name.byteOffset, name.byteLength);
	return encoding === 'buffer' ? buffer : buffer.toString(encoding);
};

/* ---- Data to write ---- */

exports.isData = (data) => typeof data === 'string' || ArrayBuffer.isView(data);

exports.checkData = function (data, name) {
	if (!exports.isData(data))
		throw new codes.ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
};

exports.bytesOf = function (data, encoding) {
	if (typeof data === 'string')
		return require('buffer').Buffer.from(data, encoding || 'utf8');
	return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
};
