/* fs.Dir: a directory that is read entry by entry. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateUint32 } = require('internal/validators');
const common = require('internal/fs_common');
const { Dirent } = require('internal/fs_stats');
const queue = require('internal/fs_queue');

const { toPath, toOptions, isRaw, encoded } = common;

/* Without a path in the error, as Node's synchronous opendir has none. */
function entriesOf(path, encoding, named) {
	let names, types;
	try {
		[names, types] = host.readdir(path, isRaw(encoding));
	} catch (e) {
		throw named ? host.error(e.errno, 'opendir', path) : host.error(e.errno, 'opendir');
	}
	return names.map((name, i) => new Dirent(encoded(name, encoding), types[i], path));
}

class Dir {
	#path;
	#options;
	#entries;
	#closed = false;
	#busy = 0;

	constructor(path, options, entries) {
		if (entries === undefined)
			throw new codes.ERR_MISSING_ARGS('handle');
		this.#path = path;
		this.#options = options;
		this.#entries = entries;
	}
	get path() { return this.#path; }

	#next() {
		const entry = this.#entries.shift();
		if (entry === undefined)
			return null;
		if (this.#options.recursive && entry.name !== undefined && entry.isDirectory())
			this.#entries.push(...entriesOf(require('path').join(entry.parentPath, entry.name), this.#options.encoding, true));
		return entry;
	}
	#check(operating) {
		if (this.#closed)
			throw new codes.ERR_DIR_CLOSED();
		if (operating && this.#busy)
			throw new codes.ERR_DIR_CONCURRENT_OPERATION();
	}
	#later(step, callback) {
		if (callback !== undefined) {
			validateFunction(callback, 'callback');
			this.#check(false);
			this.#busy++;
			queue.submit(step, 1, (error, value) => {
				this.#busy--;
				callback(error, value);
			});
			return undefined;
		}
		this.#check(false);
		return new Promise((resolve, reject) => {
			this.#busy++;
			queue.submit(step, 1, (error, value) => {
				this.#busy--;
				if (error)
					reject(error);
				else
					resolve(value);
			});
		});
	}
	read(callback) {
		return this.#later(() => this.#next(), callback);
	}
	readSync() {
		this.#check(true);
		return this.#next();
	}
	close(callback) {
		return this.#later(() => { this.#closed = true; }, callback);
	}
	closeSync() {
		this.#check(true);
		this.#closed = true;
	}
	async* entries() {
		try {
			for (let entry; (entry = await this.read()) !== null;)
				yield entry;
		} finally {
			if (!this.#closed)
				await this.close();
		}
	}
}
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, {
	value: Dir.prototype.entries, enumerable: false, writable: true, configurable: true,
});
if (Symbol.asyncDispose) {
	Object.defineProperty(Dir.prototype, Symbol.asyncDispose, {
		value() { return this.close(); }, enumerable: false, writable: true, configurable: true,
	});
}
Object.defineProperty(Dir, 'length', { value: 3, configurable: true });
exports.Dir = Dir;

exports.opendir = function (path, options, later) {
	path = toPath(path);
	options = toOptions(options, { encoding: 'utf8' });
	const { bufferSize } = options;
	if (bufferSize !== undefined)
		validateUint32(bufferSize, 'options.bufferSize', true);
	return () => new Dir(path, options, entriesOf(path, options.encoding, later));
};

