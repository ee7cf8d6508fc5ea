/*
 * The operations of fs that are one step on the filesystem. Each takes a call's arguments, throws what Node throws at once for
 * wrong ones, and gives back the step as a function: fs.xSync() runs it, fs.x() later and calls back, fs.promises.x() settles.
 */
'use strict';

const { codes } = require('internal/errors');
const { validateBoolean, validateInteger, validateObject } = require('internal/validators');
const common = require('internal/fs_common');
const stats = require('internal/fs_stats');
const { constants } = require('internal/fs_constants');

const { toPath, toOptions, toMode, toFlags, toSeconds, toId, validateFd, isRaw, encoded } = common;

const ops = exports.ops = { __proto__: null };

ops.access = function (path, mode) {
	path = toPath(path);
	mode = common.toSmallMode(mode, constants.F_OK);
	return () => host.access(path, mode);
};

ops.open = function (path, flags, mode) {
	path = toPath(path);
	flags = toFlags(flags);
	mode = toMode(mode, 'mode', 0o666);
	return () => host.open(path, flags, mode);
};

ops.close = function (fd) {
	common.validateFdPlain(fd);
	return () => host.close(fd);
};

/* ---- Attributes ---- */

function statOf(how) {
	return function (path, options) {
		path = toPath(path);
		const { bigint = false, throwIfNoEntry = true } = options ?? {};
		return () => {
			try {
				return stats.make(host[how](path), bigint);
			} catch (e) {
				if (throwIfNoEntry || e.code !== 'ENOENT')
					throw e;
				return undefined;
			}
		};
	};
}
ops.stat = statOf('stat');
ops.lstat = statOf('lstat');
ops.fstat = function (fd, options) {
	common.validateFdPlain(fd);
	const { bigint = false } = options ?? {};
	return () => stats.make(host.fstat(fd), bigint);
};
ops.statfs = function (path, options) {
	path = toPath(path);
	const { bigint = false } = options ?? {};
	return () => stats.makeStatFs(host.statfs(path), bigint);
};

ops.chmod = function (path, mode) {
	path = toPath(path);
	mode = toMode(mode, 'mode');
	return () => host.chmod(path, mode);
};
ops.fchmod = function (fd, mode) {
	validateFd(fd);
	mode = toMode(mode, 'mode');
	return () => host.fchmod(fd, mode);
};

for (const name of ['chown', 'lchown', 'fchown']) {
	ops[name] = function (path, uid, gid) {
		path = name === 'fchown' ? validateFd(path) : toPath(path);
		toId(uid, 'uid');
		toId(gid, 'gid');
		return () => host[name](path, uid, gid);
	};
}

for (const name of ['utimes', 'lutimes', 'futimes']) {
	ops[name] = function (path, atime, mtime) {
		path = name === 'futimes' ? validateFd(path) : toPath(path);
		atime = toSeconds(atime);
		mtime = toSeconds(mtime);
		return () => host[name](path, atime, mtime);
	};
}

ops.fsync = function (fd) {
	validateFd(fd);
	return () => host.fsync(fd);
};
ops.fdatasync = function (fd) {
	validateFd(fd);
	return () => host.fdatasync(fd);
};

ops.ftruncate = function (fd, length = 0) {
	validateFd(fd);
	validateInteger(length, 'len');
	return () => host.ftruncate(fd, Math.max(0, length));
};

ops.truncate = function (path, length) {
	if (typeof path === 'number')
		return ops.ftruncate(path, length ?? 0);
	path = toPath(path);
	length = length === undefined || length === null ? 0 : length;
	validateInteger(length, 'len');
	return () => {
		const fd = host.open(path, constants.O_RDWR, 0o666);
		try {
			host.ftruncate(fd, Math.max(0, length));
		} finally {
			host.close(fd);
		}
	};
};

/* ---- Names ---- */

ops.rename = function (from, to) {
	from = toPath(from, 'oldPath');
	to = toPath(to, 'newPath');
	return () => host.rename(from, to);
};

ops.link = function (from, to) {
	from = toPath(from, 'existingPath');
	to = toPath(to, 'newPath');
	return () => host.link(from, to);
};

ops.symlink = function (target, path, type) {
	if (type !== undefined && type !== null && !['dir', 'file', 'junction'].includes(type)) {
		throw new codes.ERR_FS_INVALID_SYMLINK_TYPE(type);
	}
	target = toPath(target, 'target');
	path = toPath(path);
	return () => host.symlink(target, path);
};

ops.unlink = function (path) {
	path = toPath(path);
	return () => {
		try {
			host.unlink(path);
		} catch (e) {
			/* Linux refuses with EISDIR what POSIX calls EPERM. */
			throw e.code === 'EPERM' && host.kind(path) === 1 ? host.error(-21, 'unlink', path) : e;
		}
	};
};

ops.readlink = function (path, options) {
	const { encoding } = toOptions(options);
	path = toPath(path, 'oldPath');
	return () => encoded(host.readlink(path, isRaw(encoding)), encoding);
};

/* The prefix that is missing, or a link that leads nowhere, is what the error names. */
function blame(path, error) {
	let at = '/';
	const rest = require('path').resolve(path).split('/').filter(Boolean);
	for (let links = 0; rest.length;) {
		const next = at === '/' ? `/${rest[0]}` : `${at}/${rest[0]}`;
		const mode = host.lstat(next)[1];
		if ((mode & constants.S_IFMT) !== constants.S_IFLNK) {
			at = next;
			rest.shift();
			continue;
		}
		host.stat(next);
		if (++links > 40)
			break;
		const target = host.readlink(next);
		rest.splice(0, 1, ...target.split('/').filter(Boolean));
		if (target.startsWith('/'))
			at = '/';
	}
	return error;
}

ops.realpath = function (path, options) {
	const { encoding } = toOptions(options);
	path = toPath(typeof path === 'string' || path instanceof Uint8Array ? path : `${path?.href ? toPath(path) : path}`);
	return () => {
		const absolute = require('path').resolve(common.text(path));
		try {
			return encoded(host.realpath(absolute, isRaw(encoding)), encoding);
		} catch (e) {
			throw blame(absolute, e);
		}
	};
};

ops.realpathNative = function (path, options) {
	const { encoding } = toOptions(options);
	path = toPath(path);
	return () => encoded(host.realpath(path, isRaw(encoding)), encoding);
};

/* ---- Directories ---- */

ops.rmdir = function (path, options) {
	path = toPath(path);
	if (options?.recursive !== undefined) {
		validateObject(options, 'options');
		validateBoolean(options.recursive, 'options.recursive');
		if (options.recursive)
			return require('internal/fs_trees').rmdirTree(path, options);
	}
	return () => host.rmdir(path);
};

ops.mkdir = function (path, options) {
	let mode = 0o777, recursive = false;
	if (typeof options === 'number' || typeof options === 'string') {
		mode = toMode(options, 'mode');
	} else if (options) {
		recursive = options.recursive === undefined ? false : options.recursive;
		if (options.mode !== undefined)
			mode = toMode(options.mode, 'mode');
	}
	path = toPath(path);
	validateBoolean(recursive, 'options.recursive');
	if (!recursive)
		return () => host.mkdir(path, mode);
	return () => require('internal/fs_trees').mkdirTree(path, mode);
};

function compareNames(a, b) {
	if (typeof a.name !== 'string')
		return host.compare(a.name, b.name);
	return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/* [{ name, type }], in the order in which Node gives them. */
exports.list = function (path, raw) {
	const [names, types] = host.readdir(path, raw);
	return names.map((name, i) => ({ name, type: types[i] })).sort(compareNames);
};

function direntList(path, encoding) {
	return exports.list(path, isRaw(encoding)).map((e) => new stats.Dirent(encoded(e.name, encoding), e.type, path));
}

/* Level by level. Directories behind links are entered only when plain names are asked for, as Node does. */
function readTree(base, encoding, withTypes) {
	const join = require('path').join, out = [], queue = [''];
	for (let i = 0; i < queue.length; i++) {
		const below = queue[i], at = below ? join(base, below) : base;
		for (const { name, type } of exports.list(at, false)) {
			const relative = below ? `${below}/${name}` : name;
			out.push(withTypes ? new stats.Dirent(encoded(name, encoding), type, at) : relative);
			if (withTypes ? type === constants.UV_DIRENT_DIR : host.kind(join(at, name)) === 1)
				queue.push(relative);
		}
	}
	return out;
}

ops.readdir = function (path, options) {
	options = toOptions(options);
	const { encoding, withFileTypes, recursive } = options;
	path = toPath(path);
	if (recursive != null)
		validateBoolean(recursive, 'options.recursive');
	if (recursive) {
		if (typeof path !== 'string')
			throw new codes.ERR_INVALID_ARG_TYPE('path', 'string', path);
		return () => readTree(path, encoding, withFileTypes);
	}
	if (withFileTypes)
		return () => direntList(path, encoding);
	return () => exports.list(path, isRaw(encoding)).map((e) => encoded(e.name, encoding));
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

let toldOfTemplate = false;
function warnOfTemplate() {
	if (!toldOfTemplate)
		process.emitWarning('mkdtemp() templates ending with X are not portable. For details see: https://nodejs.org/api/fs.html');
	toldOfTemplate = true;
}

ops.mkdtemp = function (prefix, options, later) {
	const { encoding } = toOptions(options);
	prefix = common.text(toPath(prefix, 'prefix'));
	if (prefix.endsWith('X'))
		warnOfTemplate();
	return () => {
		const bytes = new Uint8Array(6);
		for (;;) {
			host.random(bytes);
			const end = Array.from(bytes, (b) => LETTERS[b % LETTERS.length]).join('');
			try {
				host.mkdir(prefix + end, 0o700);
				return encoding && isRaw(encoding) ? encoded(host.utf8Encode(prefix + end), encoding) : prefix + end;
			} catch (e) {
				if (e.code !== 'EEXIST')
					throw host.error(e.errno, 'mkdtemp', prefix + (later ? end : 'XXXXXX'));
			}
		}
	};
};

/* ---- Copying ---- */

function copyBytes(from, to) {
	const chunk = new Uint8Array(65536);
	for (let n; (n = host.read(from, chunk, 0, chunk.length, -1)) > 0;) {
		for (let done = 0; done < n;)
			done += host.write(to, chunk, done, n - done, -1);
	}
}

function copy(src, dest, mode) {
	const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
	const from = host.open(src, O_RDONLY, 0);
	let to = -1, made = false;
	try {
		const [dev, bits, , , , , , ino] = host.fstat(from);
		made = host.kind(dest) < 0;
		to = host.open(dest, O_WRONLY | O_CREAT | (mode & constants.COPYFILE_EXCL ? O_EXCL : 0), bits & 0o7777);
		const target = host.fstat(to);
		if (target[0] === dev && target[7] === ino)
			return;
		if (mode & constants.COPYFILE_FICLONE_FORCE)
			throw host.error(-95, 'copyfile', src, dest);
		host.ftruncate(to, 0);
		host.fchmod(to, bits & 0o7777);
		copyBytes(from, to);
	} catch (e) {
		if (to >= 0 && made)
			host.unlink(dest);
		throw e;
	} finally {
		host.close(from);
		if (to >= 0)
			host.close(to);
	}
}

exports.copyFile = function (src, dest, mode) {
	try {
		copy(src, dest, mode);
	} catch (e) {
		throw e.errno === undefined ? e : host.error(e.errno, 'copyfile', src, dest);
	}
};

ops.copyFile = function (src, dest, mode) {
	src = toPath(src, 'src');
	dest = toPath(dest, 'dest');
	mode = common.toSmallMode(mode, 0);
	return () => exports.copyFile(src, dest, mode);
};

for (const name of ['rm', 'cp'])
	ops[name] = (...args) => require('internal/fs_trees')[name](...args);
