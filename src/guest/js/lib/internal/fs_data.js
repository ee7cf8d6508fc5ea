/* The operations of fs on contents: read, write and whole files. As fs_ops: arguments in, the step as a function out. */
'use strict';

const { codes } = require('internal/errors');
const { validateBuffer, validateInteger, validateObject, validateBoolean } = require('internal/validators');
const { normalizeEncoding } = require('internal/encodings');
const common = require('internal/fs_common');

const { toPath, toOptions, toMode, toFlags, validateFd, bytesOf } = common;
const ops = exports.ops = { __proto__: null };
const CHUNK = 65536;

/* ---- read ---- */

function toPosition(position) {
	if (position === undefined || position === null)
		return -1;
	if (typeof position === 'number') {
		validateInteger(position, 'position', -1);
		return position;
	}
	if (typeof position !== 'bigint')
		throw new codes.ERR_INVALID_ARG_TYPE('position', ['integer', 'bigint'], position);
	if (position < -(2n ** 63n) || position > 2n ** 63n - 1n)
		throw new codes.ERR_OUT_OF_RANGE('position', `>= ${-(2n ** 63n)} && <= ${2n ** 63n - 1n}`, position);
	return Number(position);
}

function checkRead(offset, length, size) {
	if (offset < 0)
		throw new codes.ERR_OUT_OF_RANGE('offset', '>= 0', offset);
	if (length < 0)
		throw new codes.ERR_OUT_OF_RANGE('length', '>= 0', length);
	if (offset + length > size)
		throw new codes.ERR_OUT_OF_RANGE('length', `<= ${size - offset}`, length);
}

/* What read(fd, ...) means by its other arguments: [buffer, offset, length, position]. */
exports.readArguments = function (buffer, offset, length, position, given) {
	validateBuffer(buffer);
	if (given <= 3 || (offset !== null && typeof offset === 'object')) {
		if (offset !== undefined)
			validateObject(offset, 'options', { nullable: true });
		({ offset = 0, length = buffer.byteLength - offset, position = null } = offset ?? {});
	}
	if (offset === undefined || offset === null)
		offset = 0;
	else
		validateInteger(offset, 'offset', 0);
	length |= 0;
	if (length === 0)
		return [buffer, 0, 0, -1];
	if (buffer.byteLength === 0)
		throw new codes.ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
	checkRead(offset, length, buffer.byteLength);
	return [buffer, offset, length, toPosition(position)];
};

exports.read = (fd, buffer, offset, length, position) => length === 0 ? 0 : host.read(fd, buffer, offset, length, position);

ops.read = function (fd, buffer, offset, length, position, given = 5) {
	validateFd(fd);
	const args = exports.readArguments(buffer, offset, length, position, given);
	return () => exports.read(fd, ...args);
};

function checkBuffers(buffers) {
	if (!Array.isArray(buffers) || !buffers.every((one) => ArrayBuffer.isView(one)))
		throw new codes.ERR_INVALID_ARG_TYPE('buffers', 'ArrayBufferView[]', buffers);
}

/* Each buffer in turn until one is not filled or emptied. */
function vector(how) {
	return function (fd, buffers, position) {
		validateFd(fd);
		checkBuffers(buffers);
		const start = typeof position === 'number' ? position : -1;
		return () => {
			let total = 0;
			if (!buffers.length)
				host.fstat(fd);
			for (const one of buffers) {
				const n = one.byteLength ? host[how](fd, one, 0, one.byteLength, start < 0 ? -1 : start + total) : 0;
				total += n;
				if (n < one.byteLength)
					break;
			}
			return total;
		};
	};
}
ops.readv = vector('read');
ops.writev = vector('write');

/* ---- write ---- */

function checkWrite(offset, length, size) {
	if (offset > size)
		throw new codes.ERR_OUT_OF_RANGE('offset', `<= ${size}`, offset);
	if (length > size - offset)
		throw new codes.ERR_OUT_OF_RANGE('length', `<= ${size - offset}`, length);
	if (length < 0)
		throw new codes.ERR_OUT_OF_RANGE('length', '>= 0', length);
}

/* [bytes, offset, length, position] of write(fd, view or string, ...). */
exports.writeArguments = function (data, offset, length, position) {
	if (ArrayBuffer.isView(data)) {
		if (offset !== null && typeof offset === 'object')
			({ offset = 0, length = data.byteLength - offset, position = null } = offset);
		if (offset == null)
			offset = 0;
		else
			validateInteger(offset, 'offset', 0);
		if (typeof length !== 'number')
			length = data.byteLength - offset;
		checkWrite(offset, length, data.byteLength);
		return [data, offset, length, typeof position === 'number' ? position : typeof position === 'bigint' ? Number(position) : -1];
	}
	common.checkData(data, 'buffer');
	if (normalizeEncoding(length) === 'hex' && data.length % 2 !== 0)
		throw new codes.ERR_INVALID_ARG_VALUE('encoding', length, `is invalid for data of length ${data.length}`);
	const bytes = bytesOf(data, length);
	return [bytes, 0, bytes.length, typeof offset === 'number' ? offset : -1];
};

exports.write = (fd, bytes, offset, length, position) => host.write(fd, bytes, offset, length, position);

ops.write = function (fd, data, offset, length, position) {
	validateFd(fd);
	const args = exports.writeArguments(data, offset, length, position);
	return () => exports.write(fd, ...args);
};

function writeAll(fd, bytes) {
	for (let done = 0; done < bytes.length;)
		done += host.write(fd, bytes, done, bytes.length - done, -1);
}
exports.writeAll = writeAll;

/* ---- Whole files ---- */

function readRest(fd) {
	let bytes = new Uint8Array(Math.max(1024, Math.min(host.fstat(fd)[8], 2 ** 31) + 1)), n = 0;
	for (;;) {
		const r = host.read(fd, bytes, n, bytes.length - n, -1);
		if (r === 0)
			break;
		n += r;
		if (n === bytes.length) {
			const more = new Uint8Array(Math.max(2 * n, CHUNK));
			more.set(bytes);
			bytes = more;
		}
	}
	return n === bytes.length ? bytes : bytes.subarray(0, n);
}

exports.readWhole = function (fd, encoding) {
	const bytes = readRest(fd);
	if (encoding === 'utf8' || encoding === 'utf-8')
		return host.utf8Decode(bytes, 0, bytes.length);
	const { Buffer } = require('buffer');
	if (encoding)
		return Buffer.from(bytes.buffer, 0, bytes.length).toString(encoding);
	/* its memory ends where it ends */
	const exact = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
	return Buffer.from(exact.buffer, 0, exact.length);
};

function isFd(value) {
	return Number.isInteger(value) && value >= 0 && value <= 2147483647;
}

/* fn(fd), opened and closed around it unless it was given. */
function withFile(path, flags, mode, fn) {
	if (typeof path === 'number')
		return fn(path);
	const fd = host.open(path, flags, mode);
	try {
		return fn(fd);
	} finally {
		host.close(fd);
	}
}

ops.readFile = function (path, options, fds = true) {
	const { encoding, flag, signal } = toOptions(options);
	const flags = toFlags(flag ?? 'r');
	if (!fds || !isFd(path))
		path = toPath(path);
	return Object.assign(() => withFile(path, flags, 0o666, (fd) => exports.readWhole(fd, encoding)), { signal });
};

function writer(flag, dataName) {
	return function (path, data, options, fds = true) {
		const all = toOptions(options);
		const { encoding = 'utf8', mode = 0o666, signal, flush = false } = all;
		if (flush !== null)
			validateBoolean(flush, 'options.flush');
		common.checkData(data, dataName);
		if (!fds || !isFd(path))
			path = toPath(path);
		const flags = toFlags(all.flag || flag), bits = toMode(mode, 'mode', 0o666);
		const bytes = bytesOf(data, encoding);
		return Object.assign(() => withFile(path, flags, bits, (fd) => {
			writeAll(fd, bytes);
			if (flush)
				host.fsync(fd);
		}), { signal });
	};
}
ops.writeFile = writer('w', 'data');
ops.appendFile = writer('a', 'data');

