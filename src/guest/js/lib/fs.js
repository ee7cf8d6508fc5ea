/* fs: every operation as a function that runs it, one that calls back, and (fs/promises) one that gives a promise. */
'use strict';

const { AbortError } = require('internal/errors');
const { validateFunction, validateObject } = require('internal/validators');
const common = require('internal/fs_common');
const { ops } = require('internal/fs_ops');
const data = require('internal/fs_data');
const queue = require('internal/fs_queue');
const { run } = require('internal/fs_frames');
const stats = require('internal/fs_stats');
const { constants } = require('internal/fs_constants');
const { customPromisifyArgs } = require('internal/promisify');

const { validateCallback } = common;
const all = { ...ops, ...data.ops };
const later = { __proto__: null }, now = { __proto__: null };

function named(name, length, fn) {
	Object.defineProperty(fn, 'name', { value: name, configurable: true });
	Object.defineProperty(fn, 'length', { value: length, configurable: true });
	return fn;
}

/* ---- The usual shape: arguments, then the callback ---- */

/* [operation, arguments before the callback, turns of the loop, the length that Node's two functions have] */
const rows = [
	['access', 2], ['chown', 3], ['chmod', 2], ['copyFile', 3], ['fchown', 3], ['fchmod', 2], ['fdatasync', 1], ['fstat', 2, 1, 1, 1],
	['fsync', 1], ['ftruncate', 2, 1, 1, 1], ['futimes', 3], ['lchown', 3], ['link', 2], ['lstat', 2, 1, 1, 1], ['lutimes', 3],
	['mkdir', 2], ['open', 3], ['readdir', 2], ['readlink', 2], ['realpath', 2], ['rename', 2], ['rmdir', 2], ['stat', 2, 1, 1, 1],
	['statfs', 2, 1, 1, 1], ['symlink', 3], ['truncate', 2, 3], ['unlink', 1], ['utimes', 3], ['rm', 2, 2],
];

function callbackOf(args, arity) {
	for (let i = args.length - 1; i > 0; i--) {
		if (typeof args[i] === 'function')
			return [args[i], args.slice(0, Math.min(i, arity))];
	}
	validateCallback(args[arity]);
	return undefined;
}

function finish(callback) {
	return (error, value) => {
		if (error)
			callback(error);
		else if (value === undefined)
			callback(null);
		else
			callback(null, value);
	};
}

for (const [name, arity, turns = 1, length = arity + 1, syncLength = arity] of rows) {
	const op = all[name];
	now[name] = named(`${name}Sync`, syncLength, (...args) => run(`${name}Sync`, (...given) => op(...given)(), args));
	later[name] = named(name, length, (...args) => {
		const [callback, rest] = callbackOf(args, arity);
		queue.submit(op(...rest), turns, finish(callback));
	});
}

later.mkdtemp = named('mkdtemp', 3, (...args) => {
	const [callback, [prefix, options]] = callbackOf(args, 2);
	queue.submit(ops.mkdtemp(prefix, options, true), 1, finish(callback));
});
now.mkdtemp = named('mkdtempSync', 2, (...args) => run('mkdtempSync', (prefix, options) => ops.mkdtemp(prefix, options)(), args));

now.realpath.native = named('native', 2, (path, options) => ops.realpathNative(path, options)());
later.realpath.native = named('native', 3, (...args) => {
	const [callback, rest] = callbackOf(args, 2);
	queue.submit(ops.realpathNative(...rest), 1, finish(callback));
});

/* ---- Those that are shaped otherwise ---- */

now.close = named('closeSync', 1, (...args) => run('closeSync', (fd) => ops.close(fd)(), args));
later.close = named('close', 1, (fd, callback) => {
	if (callback !== undefined)
		validateCallback(callback);
	const step = ops.close(fd);
	queue.submit(step, 1, callback ? finish(callback) : (error) => { if (error) throw error; });
});

function existsSync(path) {
	try {
		return host.kind(common.toPath(path)) >= 0;
	} catch {
		return false;
	}
}
function exists(path, callback) {
	validateCallback(callback);
	queue.submit(() => existsSync(path), 1, (error, there) => callback(there));
}
Object.defineProperty(exists, require('internal/promisify').promisify.custom, {
	value: (path) => new Promise((resolve) => exists(path, resolve)),
});

/* read(fd, callback), read(fd, options, callback), read(fd, buffer[, options], callback), read(fd, buffer, offset, ...) */
function readParts(fd, args) {
	const at = args.findIndex((one) => typeof one === 'function'), given = at < 0 ? args.length : at;
	let [buffer, offset, length, position] = args.slice(0, given);
	if (given <= 1 && !ArrayBuffer.isView(buffer)) {
		if (buffer !== undefined)
			validateObject(buffer, 'options', { nullable: true });
		const options = buffer ?? {};
		buffer = options.buffer ?? require('buffer').Buffer.alloc(16384);
		({ offset = 0, length = buffer.byteLength - offset, position = null } = options);
	} else if (given <= 2) {
		if (offset !== undefined)
			validateObject(offset, 'options', { nullable: true });
		({ offset = 0, length = buffer?.byteLength - offset, position = null } = offset ?? {});
	}
	return { callback: args[at], parts: () => data.readArguments(buffer, offset, length, position, 5), buffer };
}

function read(fd, ...args) {
	common.validateFd(fd);
	const { callback, parts } = readParts(fd, args);
	validateCallback(callback);
	const [buffer, ...place] = parts();
	const go = () => queue.submit(() => data.read(fd, buffer, ...place), 1, (error, n) => callback(error, n || 0, buffer));
	if (place[1] === 0 || place[2] >= 0)
		go();
	else
		queue.whenReadable(fd, go);
}
function readSync(...args) {
	return run('readSync', (fd, buffer, offset, length, position) => all.read(fd, buffer, offset, length, position, args.length)(), args);
}

function write(fd, buffer, ...args) {
	const at = args.findIndex((one) => typeof one === 'function');
	common.validateFd(fd);
	const callback = args[at];
	const step = all.write(fd, buffer, ...args.slice(0, at < 0 ? args.length : at));
	validateCallback(callback);
	queue.submit(step, 1, (error, n) => callback(error, n || 0, buffer));
}
function writeSync(...args) {
	try {
		return run('writeSync', (...given) => all.write(...given)(), args);
	} catch (e) {
		if (e.syscall === undefined)
			throw e;
		/* the one whose error has its properties in another order */
		const { code } = e;
		delete e.code;
		e.code = code;
		throw e;
	}
}

for (const name of ['readv', 'writev']) {
	now[name] = named(`${name}Sync`, 3, (...args) => run(`${name}Sync`, (...given) => all[name](...given)(), args));
	later[name] = named(name, 4, (fd, buffers, position, callback) => {
		if (typeof position === 'function')
			[callback, position] = [position, null];
		const step = all[name](fd, buffers, position);
		validateCallback(callback);
		queue.submit(step, 1, (error, n) => callback(error, n || 0, buffers));
	});
}

named('watch', 3, watch);
named('unwatchFile', 2, unwatchFile);
named('read', 6, read);
named('write', 6, write);
named('readSync', 5, readSync);
named('writeSync', 5, writeSync);
for (const [fn, ...names] of [[read, 'bytesRead', 'buffer'], [write, 'bytesWritten', 'buffer'], [later.readv, 'bytesRead', 'buffers'],
	[later.writev, 'bytesWritten', 'buffers']])
	Object.defineProperty(fn, customPromisifyArgs, { value: names, enumerable: false });

/* ---- Whole files: they can be aborted ---- */

function abortError(signal) {
	return new AbortError(undefined, { cause: signal?.reason });
}

function abortable(step, turns, callback) {
	const { signal } = step;
	if (signal?.aborted) {
		callback(abortError(signal));
		return;
	}
	queue.submit(step, turns, (error, value) => {
		if (signal?.aborted)
			callback(abortError(signal));
		else
			finish(callback)(error, value);
	});
}

const readFile = named('readFile', 3, (path, options, callback) => {
	callback ||= options;
	validateCallback(callback);
	abortable(all.readFile(path, options), 4, callback);
});
now.readFile = named('readFileSync', 2, (...args) => run('readFileSync', (path, options) => all.readFile(path, options)(), args));
for (const name of ['writeFile', 'appendFile']) {
	later[name] = named(name, 4, (path, content, options, callback) => {
		callback ||= options;
		validateCallback(callback);
		abortable(all[name](path, content, options), 3, callback);
	});
	now[name] = named(`${name}Sync`, 3, (...args) => { run(`${name}Sync`, (path, content, options) => all[name](path, content, options)(), args); });
}

now.cp = named('cpSync', 3, (...args) => { run('cpSync', (src, dest, options) => ops.cp(src, dest, options)(), args); });
later.cp = named('cp', 4, (src, dest, options, callback) => {
	if (typeof options === 'function')
		[callback, options] = [options, undefined];
	validateCallback(callback);
	const steps = require('internal/fs_trees').cpLater(src, dest, options);
	queue.promise(() => 0).then(steps).then(() => callback(null), callback);
});

/* ---- Directories as objects, streams, what cannot be ---- */

const dir = require('internal/fs_dir');

const opendirSync = named('opendirSync', 2, (...args) => run('opendirSync', (path, options) => dir.opendir(path, options, false)(), args));
const opendir = named('opendir', 3, (...args) => {
	const [callback, [path, options]] = callbackOf(args, 2);
	queue.submit(dir.opendir(path, options, true), 1, finish(callback));
});

const WATCH = 'compare fs.statSync(path).mtimeMs in a timer instead';

function watch(path) {
	common.toPath(path);
	throw common.absent('watch', WATCH);
}
function watchFile(path, options, listener) {
	path = common.toPath(path);
	validateFunction(typeof options === 'function' ? options : listener, 'listener');
	throw common.absent('watchFile', WATCH);
}
function unwatchFile(path) {
	common.toPath(path);
}

function createReadStream(path, options) {
	return new (require('internal/fs_streams').ReadStream)(path, options);
}
function createWriteStream(path, options) {
	return new (require('internal/fs_streams').WriteStream)(path, options);
}

function openAsBlob(path, options = {}) {
	validateObject(options, 'options');
	path = common.toPath(path);
	const { type = '' } = options;
	const step = all.readFile(path);
	return queue.promise(step, 2).then((bytes) => new (require('buffer').Blob)([bytes], { type }));
}

/* In the order in which Node lists them. */
const both = (...names) => Object.fromEntries(names.flatMap((name) => [[name, later[name]], [`${name}Sync`, now[name]]]));

module.exports = {
	...both('appendFile', 'access', 'chown', 'chmod', 'close', 'copyFile', 'cp'), createReadStream, createWriteStream, exists, existsSync,
	...both('fchown', 'fchmod', 'fdatasync', 'fstat', 'fsync', 'ftruncate', 'futimes', 'lchown'),
	lchmod: undefined, lchmodSync: undefined,
	...both('link', 'lstat', 'lutimes', 'mkdir', 'mkdtemp', 'open'), openAsBlob, ...both('readdir'), read, readSync, ...both('readv'),
	readFile, readFileSync: now.readFile, ...both('readlink', 'realpath', 'rename', 'rm', 'rmdir'), stat: later.stat, statfs: later.statfs,
	statSync: now.stat, statfsSync: now.statfs, ...both('symlink', 'truncate'), unwatchFile, ...both('unlink', 'utimes'), watch, watchFile,
	...both('writeFile'), write, writeSync, ...both('writev'), Dirent: stats.Dirent, Stats: stats.Stats,
};

for (const name of ['ReadStream', 'WriteStream', 'FileReadStream', 'FileWriteStream']) {
	Object.defineProperty(module.exports, name, {
		get() { return require('internal/fs_streams')[name.replace('File', '')]; },
		set(value) { Object.defineProperty(module.exports, name, { value, writable: true }); },
		configurable: true, enumerable: true,
	});
}
Object.assign(module.exports, {
	_toUnixTimestamp: common.toSeconds, Dir: dir.Dir, opendir, opendirSync, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1,
});
Object.defineProperty(module.exports, 'constants', { value: constants, configurable: false, enumerable: true });
Object.defineProperty(module.exports, 'promises', {
	get() { return require('fs/promises'); }, configurable: true, enumerable: true,
});

