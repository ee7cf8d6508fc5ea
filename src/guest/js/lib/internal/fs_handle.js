/* FileHandle: an open file of fs/promises. */
'use strict';

const Emitter = require('events');
const { validateObject } = require('internal/validators');
const common = require('internal/fs_common');
const { ops } = require('internal/fs_ops');
const data = require('internal/fs_data');
const queue = require('internal/fs_queue');

const kFd = Symbol('kFd'), kRefs = Symbol('kRefs'), kClosePromise = Symbol('kClosePromise');

const answer = (name, count, key, value) => ({ __proto__: null, [name]: count, [key]: value });

class FileHandle extends Emitter {
	constructor(fd) {
		super();
		this.close = this.#close;
		this[kFd] = fd;
		this[kRefs] = 1;
		this[kClosePromise] = null;
	}
	getAsyncId() { return 0; }
	get fd() { return this[kFd]; }

	/* The step of an operation, or what it fails with when the file is closed. */
	async #run(syscall, make, turns) {
		if (this[kFd] < 0) {
			const e = common.plainError(Error, 'EBADF', 'file closed');
			e.syscall = syscall;
			throw e;
		}
		return queue.promise(make(this[kFd]), turns);
	}

	appendFile(content, options) { return this.writeFile(content, options); }
	chmod(mode) { return this.#run('fchmod', (fd) => ops.fchmod(fd, mode)); }
	chown(uid, gid) { return this.#run('fchown', (fd) => ops.fchown(fd, uid, gid)); }
	datasync() { return this.#run('fdatasync', (fd) => ops.fdatasync(fd)); }
	sync() { return this.#run('fsync', (fd) => ops.fsync(fd)); }
	async read(buffer, offset, length, position) {
		if (!ArrayBuffer.isView(buffer)) {
			if (buffer !== undefined)
				validateObject(buffer, 'options', { nullable: true });
			const options = buffer ?? {};
			buffer = options.buffer ?? require('buffer').Buffer.alloc(16384);
			({ offset = 0, length = buffer.byteLength - offset, position = null } = options);
		} else if (offset !== null && typeof offset === 'object') {
			({ offset = 0, length = buffer.byteLength - offset, position = null } = offset);
		}
		length ??= buffer.byteLength - (offset ?? 0);
		const args = data.readArguments(buffer, offset, length, position, 5);
		if (this[kFd] >= 0 && args[2] && args[3] < 0)
			await new Promise((resolve) => queue.whenReadable(this[kFd], resolve));
		const n = await this.#run('read', (fd) => () => data.read(fd, ...args));
		return answer('bytesRead', n, 'buffer', buffer);
	}
	async readv(buffers, position) {
		return answer('bytesRead', await this.#run('readv', (fd) => data.ops.readv(fd, buffers, position)), 'buffers', buffers);
	}
	async readFile(options) {
		return this.#run('readFile', (fd) => data.ops.readFile(fd, options), 3);
	}
	readLines(options = undefined) {
		return require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
	}
	stat(options) { return this.#run('fstat', (fd) => ops.fstat(fd, options)); }
	truncate(len = 0) { return this.#run('ftruncate', (fd) => ops.ftruncate(fd, len)); }
	utimes(atime, mtime) { return this.#run('futimes', (fd) => ops.futimes(fd, atime, mtime)); }
	async write(buffer, offset, length, position) {
		if (ArrayBuffer.isView(buffer) && buffer.byteLength === 0)
			return answer('bytesWritten', 0, 'buffer', buffer);
		const args = data.writeArguments(buffer, offset, length, position);
		const n = await this.#run('write', (fd) => () => data.write(fd, ...args));
		return answer('bytesWritten', n, 'buffer', buffer);
	}
	async writev(buffers, position) {
		return answer('bytesWritten', await this.#run('writev', (fd) => data.ops.writev(fd, buffers, position)), 'buffers', buffers);
	}
	async writeFile(content, options) {
		const { isIterable, writeParts } = require('internal/fs_promises');
		if (isIterable(content))
			return writeParts(this, content, common.toOptions(options));
		return this.#run('writeFile', (fd) => data.ops.writeFile(fd, content, options), 1);
	}
	readableWebStream() {
		const handle = this;
		return new (require('stream/web').ReadableStream)({
			type: 'bytes',
			autoAllocateChunkSize: 16384,
			async pull(controller) {
				const { bytesRead, buffer } = await handle.read();
				if (bytesRead)
					controller.enqueue(new Uint8Array(buffer.buffer, buffer.byteOffset, bytesRead));
				else
					controller.close();
			},
		});
	}
	createReadStream(options = undefined) {
		return new (require('internal/fs_streams').ReadStream)(undefined, { ...options, fd: this });
	}
	createWriteStream(options = undefined) {
		return new (require('internal/fs_streams').WriteStream)(undefined, { ...options, fd: this });
	}

	#close = () => {
		if (this[kFd] === -1)
			return Promise.resolve();
		if (this[kClosePromise])
			return this[kClosePromise];
		const fd = this[kFd];
		this[kFd] = -1;
		this[kClosePromise] = queue.promise(() => host.close(fd)).finally(() => { this[kClosePromise] = null; });
		this.emit('close');
		return this[kClosePromise];
	};
	async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() { return this.close(); }

}

exports.FileHandle = FileHandle;
exports.kFd = kFd;
