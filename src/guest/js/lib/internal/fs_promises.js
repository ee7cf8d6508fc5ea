/* fs.promises: the same operations, settling promises; FileHandle is in internal/fs_handle. */
'use strict';

const { codes, AbortError } = require('internal/errors');
const common = require('internal/fs_common');
const { ops } = require('internal/fs_ops');
const data = require('internal/fs_data');
const queue = require('internal/fs_queue');
const { constants } = require('internal/fs_constants');
const { FileHandle } = require('internal/fs_handle');

const made = { __proto__: null };

/* Where Node's own functions wait (20.20.2). */
const PLACES = 'node:internal/fs/promises';
const places = {
	__proto__: null, access: '604:10', copyFile: '621:10', rename: '780:10', rmdir: '822:10', mkdir: '856:10', readdir: '950:18',
	readlink: '968:10', symlink: '997:10', lstat: '1022:18', stat: '1033:18', statfs: '1044:18', link: '1056:10', unlink: '1067:10',
	chmod: '1089:10', lchown: '1108:10', chown: '1132:10', utimes: '1141:10', lutimes: '1163:10', mkdtemp: '1189:10', realpath: '1176:10',
	open: '637:25', truncate: '790:14', readFile: '1249:14', writeFile: '1219:14',
};

/* The frame of a function; `self` is what it was called on. */
const frameOf = (name, self) => `${self === undefined ? '' : 'Object.'}${name} (${PLACES}:${places[name]})`;
const OPEN = frameOf('open');

/* [name, number of parameters, turns] */
for (const [name, length, turns = 1] of [['access', 1], ['copyFile', 3], ['rename', 2], ['rm', 2, 2], ['rmdir', 2], ['mkdir', 2],
	['readdir', 2], ['readlink', 2], ['symlink', 3], ['lstat', 1], ['stat', 1], ['statfs', 1], ['link', 2], ['unlink', 1],
	['chmod', 2], ['lchown', 3], ['chown', 3], ['utimes', 3], ['lutimes', 3]]) {
	made[name] = { async [name](...args) {
		return queue.promise(ops[name](...args), turns, places[name] ? [frameOf(name, this)] : []);
	} }[name];
	Object.defineProperty(made[name], 'length', { value: length, configurable: true });
}

made.truncate = async function truncate(path, len = 0) {
	const fd = await made.open(path, 'r+');
	try {
		await fd.truncate(len);
	} finally {
		await fd.close();
	}
};

made.mkdtemp = async function mkdtemp(prefix, options) {
	return queue.promise(ops.mkdtemp(prefix, options, true), 1, [frameOf('mkdtemp', this)]);
};
made.realpath = async function realpath(path, options) {
	return queue.promise(ops.realpathNative(path, options), 1, [frameOf('realpath', this)]);
};
made.lchmod = async function lchmod(path, mode) {
	void path;
	void mode;
	throw new codes.ERR_METHOD_NOT_IMPLEMENTED('lchmod()');
};
made.cp = async function cp(src, dest, options) {
	const steps = require('internal/fs_trees').cpLater(src, dest, options);
	await queue.promise(() => 0);
	return steps();
};
made.opendir = async function opendir(path, options) {
	return queue.promise(require('internal/fs_dir').opendir(path, options, true));
};
made.open = async function open(path, flags, mode) {
	return new FileHandle(await queue.promise(ops.open(path, flags, mode), 1, [frameOf('open', this === made ? undefined : this)]));
};

/* ---- Whole files ---- */

function checkAborted(signal) {
	if (signal?.aborted)
		throw new AbortError(undefined, { cause: signal.reason });
}

made.readFile = async function readFile(path, options) {
	if (path instanceof FileHandle) {
		return path.readFile(options);
	}
	const step = data.ops.readFile(path, options, false);
	checkAborted(step.signal);
	const content = await queue.promise(step, 4, [OPEN, frameOf('readFile', this)]);
	checkAborted(step.signal);
	return content;
};

/* Things that give data bit by bit. */
function isIterable(value) {
	return value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) &&
		(typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function');
}

async function writeParts(handle, parts, { encoding = 'utf8', signal } = {}) {
	checkAborted(signal);
	for await (const part of parts) {
		checkAborted(signal);
		const bytes = ArrayBuffer.isView(part) ? common.bytesOf(part) : require('buffer').Buffer.from(part, encoding || 'utf8');
		await queue.promise(() => data.writeAll(handle.fd, bytes));
		checkAborted(signal);
	}
}
exports.isIterable = isIterable;
exports.writeParts = writeParts;

async function writeTo(path, content, options, flag, self) {
	options = common.toOptions(options);
	if (path instanceof FileHandle) {
		return path.writeFile(content, options);
	}
	if (!isIterable(content)) {
		const step = data.ops[flag === 'a' ? 'appendFile' : 'writeFile'](path, content, options, false);
		checkAborted(step.signal);
		await queue.promise(step, 3, [OPEN, frameOf('writeFile', self)]);
		checkAborted(step.signal);
		return undefined;
	}
	checkAborted(options.signal);
	const handle = await made.open(path, options.flag || flag, options.mode ?? 0o666);
	try {
		await writeParts(handle, content, options);
	} finally {
		await handle.close();
	}
	return undefined;
}

made.writeFile = async function writeFile(path, content, options) { return writeTo(path, content, options, 'w', this); };
made.appendFile = async function appendFile(path, content, options) { return writeTo(path, content, options, 'a'); };

made.watch = function watch(path) {
	common.toPath(path);
	throw require('internal/fs_common').absent('promises.watch', 'compare fs.statSync(path).mtimeMs in a timer instead');
};

Object.defineProperty(made.opendir, 'length', { value: 3, configurable: true });

const order = ['access', 'copyFile', 'cp', 'open', 'opendir', 'rename', 'truncate', 'rm', 'rmdir', 'mkdir', 'readdir', 'readlink',
	'symlink', 'lstat', 'stat', 'statfs', 'link', 'unlink', 'chmod', 'lchmod', 'lchown', 'chown', 'utimes', 'lutimes', 'realpath',
	'mkdtemp', 'writeFile', 'appendFile', 'readFile', 'watch'];
exports.promises = Object.fromEntries(order.map((name) => [name, made[name]]));
exports.promises.constants = constants;
