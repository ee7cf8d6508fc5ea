/* fs.ReadStream and fs.WriteStream: files as streams, opened when they are constructed, closed when they are destroyed. */
'use strict';

const { Readable, Writable, finished } = require('stream');
const { codes } = require('internal/errors');
const { validateBoolean, validateFunction, validateInteger } = require('internal/validators');
const common = require('internal/fs_common');
const { FileHandle } = require('internal/fs_handle');

const { Buffer } = require('buffer');
const kFs = Symbol('kFs'), kHandle = Symbol('kHandle');
const METHODS = { read: ['open', 'read', 'close'], write: ['open', 'write', 'close'] };

/* What the constructors have in common; the options, with those of the base class. */
function begin(stream, path, options, kind) {
	options = { ...common.toOptions(options, {}) };
	options.highWaterMark ??= kind === 'read' ? 65536 : 16384;
	options.autoDestroy ??= options.autoClose ?? true;
	stream[kFs] = options.fs || require('fs');
	if (options.fs) {
		for (const name of METHODS[kind])
			validateFunction(options.fs[name], `options.fs.${name}`);
	}
	stream[kHandle] = null;
	if (options.fd == null) {
		stream.fd = null;
		stream.path = common.toPath(path);
		stream.flags = options.flags === undefined ? kind === 'read' ? 'r' : 'w' : options.flags;
		stream.mode = options.mode === undefined ? 0o666 : options.mode;
	} else if (options.fd instanceof FileHandle) {
		stream[kHandle] = options.fd;
		stream.fd = options.fd.fd;
		options.fd.on('close', () => stream.close());
	} else if (typeof options.fd === 'number') {
		stream.fd = common.validateFd(options.fd, 'fd');
		if (path !== undefined && path !== null)
			stream.path = path;
	} else {
		throw new codes.ERR_INVALID_ARG_TYPE('options.fd', ['number', 'FileHandle'], options.fd);
	}
	return options;
}

function checkPlaces(stream, options) {
	stream.start = options.start;
	stream.end = options.end ?? Infinity;
	stream.pos = undefined;
	if (stream.start !== undefined) {
		validateInteger(stream.start, 'start', 0);
		stream.pos = stream.start;
	}
	if (stream.end !== Infinity) {
		validateInteger(stream.end, 'end', 0);
		if (stream.start !== undefined && stream.start > stream.end)
			throw new codes.ERR_OUT_OF_RANGE('start', `<= "end" (here: ${stream.end})`, stream.start);
	}
}

function construct(callback) {
	if (typeof this.fd === 'number') {
		callback();
		return;
	}
	this[kFs].open(this.path, this.flags, this.mode, (error, fd) => {
		if (error) {
			callback(error);
			return;
		}
		this.fd = fd;
		callback();
		this.emit('open', fd);
		this.emit('ready');
	});
}

function closeFile(stream, error, callback) {
	const fd = stream.fd;
	stream.fd = null;
	const done = (failure) => callback(failure || error);
	if (stream[kHandle])
		stream[kHandle].close().then(() => done(), done);
	else
		stream[kFs].close(fd, done);
}

function inherit(Class, Base) {
	Object.setPrototypeOf(Class.prototype, Base.prototype);
	Object.setPrototypeOf(Class, Base);
	Object.defineProperty(Class.prototype, 'autoClose', {
		get() { return (this._readableState ?? this._writableState).autoDestroy; },
		set(value) { (this._readableState ?? this._writableState).autoDestroy = value; },
		configurable: true,
	});
	Object.defineProperty(Class.prototype, 'pending', { get() { return this.fd === null; }, configurable: true });
	Class.prototype._construct = construct;
}

/* ---- Reading ---- */

function ReadStream(path, options) {
	if (!(this instanceof ReadStream))
		return new ReadStream(path, options);
	options = begin(this, path, options, 'read');
	this.bytesRead = 0;
	checkPlaces(this, options);
	Reflect.apply(Readable, this, [options]);
	if (options.encoding)
		this.setEncoding(options.encoding);
}
inherit(ReadStream, Readable);

function readInto(stream, buffer, callback) {
	if (stream[kHandle])
		stream[kHandle].read(buffer, 0, buffer.length, stream.pos ?? null).then(({ bytesRead }) => callback(null, bytesRead), callback);
	else
		stream[kFs].read(stream.fd, buffer, 0, buffer.length, stream.pos, callback);
}

ReadStream.prototype._read = function (size) {
	size = Math.min(size, this.end - (this.pos === undefined ? this.bytesRead : this.pos) + 1);
	if (size <= 0) {
		this.push(null);
		return;
	}
	const buffer = Buffer.allocUnsafeSlow(size);
	readInto(this, buffer, (error, n) => {
		if (error) {
			this.destroy(error);
			return;
		}
		if (this.destroyed)
			return;
		this.bytesRead += n;
		if (this.pos !== undefined)
			this.pos += n;
		this.push(n === 0 ? null : n === size ? buffer : Buffer.from(buffer.subarray(0, n)));
	});
};

ReadStream.prototype._destroy = function (error, callback) {
	if (this.fd === null)
		callback(error);
	else
		closeFile(this, error, callback);
};

ReadStream.prototype.close = function (callback) {
	if (typeof callback === 'function')
		finished(this, callback);
	this.destroy();
};

/* ---- Writing ---- */

function WriteStream(path, options) {
	if (!(this instanceof WriteStream))
		return new WriteStream(path, options);
	options = begin(this, path, options, 'write');
	options.decodeStrings = true;
	if (options.flush != null)
		validateBoolean(options.flush, 'options.flush');
	this.flush = options.flush ?? false;
	this.bytesWritten = 0;
	this.start = options.start;
	this.pos = undefined;
	if (this.start !== undefined) {
		validateInteger(this.start, 'start', 0);
		this.pos = this.start;
	}
	Reflect.apply(Writable, this, [options]);
	if (options.encoding)
		this.setDefaultEncoding(options.encoding);
}
inherit(WriteStream, Writable);

function writeFrom(stream, chunk, callback) {
	if (stream[kHandle])
		stream[kHandle].write(chunk, 0, chunk.length, stream.pos ?? null).then(({ bytesWritten }) => callback(null, bytesWritten), callback);
	else
		stream[kFs].write(stream.fd, chunk, 0, chunk.length, stream.pos, callback);
}

WriteStream.prototype._write = function (chunk, encoding, callback) {
	if (chunk.length === 0) {
		process.nextTick(callback);
		return;
	}
	const step = (error, n) => {
		if (error) {
			callback(error);
			return;
		}
		this.bytesWritten += n;
		if (this.pos !== undefined)
			this.pos += n;
		if (n < chunk.length) {
			chunk = chunk.subarray(n);
			writeFrom(this, chunk, step);
		} else {
			callback();
		}
	};
	writeFrom(this, chunk, step);
};

WriteStream.prototype._writev = function (chunks, callback) {
	this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', callback);
};

WriteStream.prototype._destroy = function (error, callback) {
	if (this.fd === null) {
		callback(error);
		return;
	}
	if (this.flush && !error)
		host.fsync(this.fd);
	closeFile(this, error, callback);
};

WriteStream.prototype.close = function (callback) {
	if (callback) {
		if (this.closed) {
			process.nextTick(callback);
			return;
		}
		this.on('close', callback);
	}
	if (!this.autoClose)
		this.on('finish', this.destroy);
	this.end();
};
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

exports.ReadStream = ReadStream;
exports.WriteStream = WriteStream;
