/* The operations of fs on whole trees: mkdir with its parents, rm, and cp. */
'use strict';

const { codes } = require('internal/errors');
const { validateBoolean, validateFunction, validateInt32, validateInteger, validateObject, validateUint32 } = require('internal/validators');
const common = require('internal/fs_common');
const { copyFile, list } = require('internal/fs_ops');
const { constants } = require('internal/fs_constants');

const { toPath, systemError, text } = common;
const { S_IFMT, S_IFDIR, S_IFREG, S_IFLNK, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK } = constants;
const ENOENT = 2, EEXIST = 17, ENOTDIR = 20, EISDIR = 21, EINVAL = 22;

/* Names below a directory; bytes that are not UTF-8 survive only in names given as bytes. */
const under = (path, name) => path.endsWith('/') ? path + name : `${path}/${name}`;

function modeOf(path, follow) {
	try {
		return (follow ? host.stat(path) : host.lstat(path))[1];
	} catch (e) {
		if (e.errno === -ENOENT)
			return 0;
		throw e;
	}
}

const kindOf = (path, follow = false) => modeOf(path, follow) & S_IFMT;

/* ---- mkdir ---- */

/* The first directory that had to be made, or undefined. */
exports.mkdirTree = function (path, mode) {
	const whole = text(path), missing = [];
	let first;
	for (let at = whole; ;) {
		try {
			host.mkdir(at, mode);
			first = at;
			break;
		} catch (e) {
			if (e.code === 'EEXIST') {
				if (host.kind(at) === 1)
					break;
				throw missing.length ? host.error(ENOTDIR, 'mkdir', whole) : e;
			}
			const up = require('path').dirname(at);
			if (e.code !== 'ENOENT' || up === at)
				throw host.error(e.errno, 'mkdir', whole);
			missing.push(at);
			at = up;
		}
	}
	while (missing.length) {
		const at = missing.pop();
		try {
			host.mkdir(at, mode);
			first ??= at;
		} catch (e) {
			if (e.code !== 'EEXIST' || host.kind(at) !== 1)
				throw host.error(e.errno, 'mkdir', whole);
		}
	}
	return first;
};

/* ---- rm ---- */

function rmOptions(options) {
	if (options === undefined)
		options = {};
	validateObject(options, 'options');
	const { recursive = false, force = false, maxRetries = 0, retryDelay = 100 } = options;
	validateBoolean(force, 'options.force');
	validateBoolean(recursive, 'options.recursive');
	validateInt32(retryDelay, 'options.retryDelay', 0);
	validateUint32(maxRetries, 'options.maxRetries');
	return { recursive, force };
}

function directoryError(path) {
	return systemError('ERR_FS_EISDIR', 'Path is a directory',
		{ code: 'EISDIR', message: 'is a directory', path, syscall: 'rm', errno: EISDIR });
}

/* Everything below, deepest first, without recursion. */
function removeTree(root) {
	const stack = [[root, false]];
	while (stack.length) {
		const [path, seen] = stack.pop();
		if (seen) {
			host.rmdir(path);
		} else if (kindOf(path) !== S_IFDIR) {
			host.unlink(path);
		} else {
			stack.push([path, true]);
			for (const { name } of list(path, false).reverse())
				stack.push([under(path, name), false]);
		}
	}
}

exports.rm = function (path, options) {
	path = toPath(path);
	const { recursive, force } = rmOptions(options);
	return () => {
		let mode;
		try {
			mode = host.lstat(path)[1];
		} catch (e) {
			if (force && e.code === 'ENOENT')
				return;
			throw e;
		}
		if ((mode & S_IFMT) === S_IFDIR) {
			if (!recursive)
				throw directoryError(text(path));
			removeTree(text(path));
		} else {
			host.unlink(path);
		}
	};
};

let rmdirTold = false;

exports.rmdirTree = function (path, options) {
	rmOptions(options);
	if (!rmdirTold) {
		rmdirTold = true;
		require('process').emitWarning('In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be removed. ' +
			'Use fs.rm(path, { recursive: true }) instead', 'DeprecationWarning', 'DEP0147');
	}
	return () => {
		if ((host.lstat(path)[1] & S_IFMT) !== S_IFDIR)
			throw host.error(ENOTDIR, 'rmdir', path);
		removeTree(text(path));
	};
};

/* ---- cp ---- */

const flags = ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks'];

function cpOptions(options) {
	if (options === undefined)
		options = {};
	validateObject(options, 'options');
	const all = {
		dereference: false, errorOnExist: false, force: true, preserveTimestamps: false, recursive: false,
		verbatimSymlinks: false, filter: undefined, mode: 0, ...options,
	};
	for (const name of flags)
		validateBoolean(all[name], `options.${name}`);
	all.mode ??= 0;
	validateInteger(all.mode, 'mode', 0, 7);
	if (all.dereference && all.verbatimSymlinks)
		throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR('dereference', 'verbatimSymlinks');
	if (all.filter !== undefined)
		validateFunction(all.filter, 'options.filter');
	return all;
}

const refusals = {
	ERR_FS_CP_EINVAL: ['Invalid src or dest', EINVAL, 'EINVAL'],
	ERR_FS_CP_DIR_TO_NON_DIR: ['Cannot overwrite non-directory with directory', EISDIR, 'EISDIR'],
	ERR_FS_CP_NON_DIR_TO_DIR: ['Cannot overwrite directory with non-directory', ENOTDIR, 'ENOTDIR'],
	ERR_FS_EISDIR: ['Path is a directory', EINVAL, 'EISDIR'],
	ERR_FS_CP_EEXIST: ['Target already exists', EEXIST, 'EEXIST'],
	ERR_FS_CP_SOCKET: ['Cannot copy a socket file', EINVAL, 'EINVAL'],
	ERR_FS_CP_FIFO_PIPE: ['Cannot copy a FIFO pipe', EINVAL, 'EINVAL'],
	ERR_FS_CP_UNKNOWN: ['Cannot copy an unknown file type', EINVAL, 'EINVAL'],
	ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: ['Cannot overwrite symlink in subdirectory of self', EINVAL, 'EINVAL'],
};

function refuse(name, message, path) {
	const [title, errno, code] = refusals[name];
	return systemError(name, title, { message, path, syscall: 'cp', errno, code });
}

const resolved = (path) => require('path').resolve(path);
const isInside = (outer, inner) => inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);

function sameFile(a, b) {
	return a[7] === b[7] && a[0] === b[0];
}

function statOrNull(path, follow) {
	try {
		return follow ? host.stat(path) : host.lstat(path);
	} catch (e) {
		if (e.code === 'ENOENT')
			return null;
		throw e;
	}
}

/* What copying src to dest would break. */
function checkPair(src, dest, o) {
	const from = o.dereference ? host.stat(src) : host.lstat(src), to = statOrNull(dest, o.dereference);
	const isDirectory = (from[1] & S_IFMT) === S_IFDIR;
	if (to) {
		const onDirectory = (to[1] & S_IFMT) === S_IFDIR;
		if (sameFile(from, to))
			throw refuse('ERR_FS_CP_EINVAL', 'src and dest cannot be the same', dest);
		if (isDirectory && !onDirectory)
			throw refuse('ERR_FS_CP_DIR_TO_NON_DIR', `cannot overwrite non-directory ${dest} with directory ${src}`, dest);
		if (!isDirectory && onDirectory)
			throw refuse('ERR_FS_CP_NON_DIR_TO_DIR', `cannot overwrite directory ${dest} with non-directory ${src}`, dest);
	}
	if (isDirectory && !o.recursive)
		throw refuse('ERR_FS_EISDIR', `${src} is a directory (not copied)`, src);
	if (isDirectory && isInside(resolved(src), resolved(dest)))
		throw refuse('ERR_FS_CP_EINVAL', `cannot copy ${src} to a subdirectory of self ${dest}`, dest);
	return [from, to];
}

function keepTimes(dest, from) {
	host.utimes(dest, from[10] + from[11] / 1e9, from[12] + from[13] / 1e9);
}

function copyPlain(src, dest, from, to, o) {
	if (to) {
		if (!o.force) {
			if (o.errorOnExist)
				throw refuse('ERR_FS_CP_EEXIST', `${dest} already exists`, dest);
			return;
		}
		host.unlink(dest);
	}
	copyFile(src, dest, o.mode);
	if (o.preserveTimestamps)
		keepTimes(dest, from);
	host.chmod(dest, from[1] & 0o7777);
}

function copyLink(src, dest, to, o) {
	const { dirname, isAbsolute, resolve } = require('path');
	let target = host.readlink(src);
	if (!o.verbatimSymlinks && !isAbsolute(target))
		target = resolve(dirname(src), target);
	if (!to) {
		host.symlink(target, dest);
		return;
	}
	let old;
	try {
		old = host.readlink(dest);
	} catch (e) {
		if (e.code !== 'EINVAL')
			throw e;
		host.symlink(target, dest);
		return;
	}
	old = resolve(dirname(dest), old);
	if (isInside(target, old) && target !== old)
		throw refuse('ERR_FS_CP_EINVAL', `cannot copy ${target} to a subdirectory of self ${old}`, dest);
	if (host.kind(dest) === 1 && isInside(old, target) && target !== old)
		throw refuse('ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY', `cannot overwrite ${old} with ${target}`, dest);
	host.unlink(dest);
	host.symlink(target, dest);
}

/* One entry; a directory gives back its entries, to be copied next. */
function copyOne(src, dest, o) {
	const [from, to] = checkPair(src, dest, o);
	switch (from[1] & S_IFMT) {
	case S_IFDIR:
		if (!to)
			host.mkdir(dest, 0o777);
		return [from, to, list(src, false)];
	case S_IFREG: case S_IFCHR: case S_IFBLK:
		copyPlain(src, dest, from, to, o);
		break;
	case S_IFLNK:
		copyLink(src, dest, to, o);
		break;
	case S_IFSOCK:
		throw refuse('ERR_FS_CP_SOCKET', `cannot copy a socket file: ${dest}`, dest);
	case S_IFIFO:
		throw refuse('ERR_FS_CP_FIFO_PIPE', `cannot copy a FIFO pipe: ${dest}`, dest);
	default:
		throw refuse('ERR_FS_CP_UNKNOWN', `cannot copy an unknown file type: ${dest}`, dest);
	}
	return undefined;
}

/* Gives [src, dest] for the filter, takes whether to copy it. */
function* copyTree(src, dest, o) {
	checkPair(src, dest, o);
	if (o.filter && !(yield [src, dest]))
		return;
	const parent = require('path').dirname(dest);
	if (host.kind(parent) < 0)
		exports.mkdirTree(parent, 0o777);
	const stack = [[src, dest, true]];
	while (stack.length) {
		const [from, to, asked] = stack.pop();
		if (asked === null) {		/* a directory whose entries are done */
			host.chmod(to, from);
			continue;
		}
		if (!asked && o.filter && !(yield [from, to]))
			continue;
		const below = copyOne(from, to, o);
		if (!below)
			continue;
		if (!below[1])
			stack.push([below[0][1] & 0o7777, to, null]);
		for (const { name } of below[2].reverse())
			stack.push([under(from, name), under(to, name), false]);
	}
}

exports.cp = function (src, dest, options) {
	const o = cpOptions(options);
	src = text(toPath(src, 'src'));
	dest = text(toPath(dest, 'dest'));
	return () => {
		const steps = copyTree(src, dest, o);
		for (let step = steps.next(); !step.done;) {
			const keep = o.filter(...step.value);
			if (keep && typeof keep.then === 'function')
				throw new codes.ERR_INVALID_RETURN_VALUE('boolean', 'filter', keep);
			step = steps.next(keep);
		}
	};
};

/* With a filter that may be asynchronous. */
exports.cpLater = function (src, dest, options) {
	const o = cpOptions(options);
	src = text(toPath(src, 'src'));
	dest = text(toPath(dest, 'dest'));
	return async () => {
		const steps = copyTree(src, dest, o);
		for (let step = steps.next(); !step.done;)
			step = steps.next(await o.filter(...step.value));
	};
};

