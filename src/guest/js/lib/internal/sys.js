/*
 * The host's calls as functions of the host object: numbers and typed arrays in, values out, errors thrown as Node makes them.
 * README.md lists them. What is not in the table of names is looked up while the guest is prepared.
 */
'use strict';

const N = require('internal/sysnumbers');
const uv = require('internal/uv');
const sys = host.sys;

function text(path) {
	return typeof path === 'string' ? path : host.utf8Decode(path);
}

host.error = function (errno, syscall, path, dest) {
	errno = -Math.abs(errno);
	let message = `${uv.name(errno)}: ${uv.text(errno)}, ${syscall}`;
	if (path !== undefined)
		message += ` '${text(path)}'`;
	if (dest !== undefined)
		message += ` -> '${text(dest)}'`;
	const e = new Error(message);
	e.errno = errno;
	e.code = uv.name(errno);
	e.syscall = syscall;
	if (path !== undefined)
		e.path = text(path);
	if (dest !== undefined)
		e.dest = text(dest);
	return e;
};

/* The other form: "kill ESRCH". */
host.errnoError = function (errno, syscall) {
	errno = -Math.abs(errno);
	const e = new Error(`${syscall} ${uv.name(errno)}`);
	e.errno = errno;
	e.code = uv.name(errno);
	e.syscall = syscall;
	return e;
};

function check(r, syscall, path, dest) {
	if (r < 0)
		throw host.error(r, syscall, path, dest);
	return r;
}

function taken(n) {
	const bytes = new Uint8Array(n);
	if (n)
		sys(N.take, bytes);
	return bytes;
}

function name(n, raw) {
	const bytes = taken(n);
	return raw ? bytes : host.utf8Decode(bytes);
}

function strings(n) {
	const all = host.utf8Decode(taken(n)).split('\0');
	all.pop();
	return all;
}

function joined(list) {
	return host.utf8Encode(list.length ? list.join('\0') + '\0' : '');
}

/* ---- Files ---- */

host.open = (path, flags, mode) => check(sys(N.open, path, flags, mode), 'open', path);
host.close = fd => { check(sys(N.close, fd), 'close'); };
host.read = (fd, u8, off, len, pos) => check(sys(N.read, fd, u8, off, len, pos), 'read');
host.write = (fd, u8, off, len, pos) => check(sys(N.write, fd, u8, off, len, pos), 'write');
host.tryRead = (fd, u8, off, len, pos) => sys(N.read, fd, u8, off, len, pos);
host.tryWrite = (fd, u8, off, len, pos) => sys(N.write, fd, u8, off, len, pos);

function stat(which, syscall) {
	return function (what) {
		const out = new Float64Array(18);
		check(sys(which, what, out), syscall, typeof what === 'number' ? undefined : what);
		return out;
	};
}
host.stat = stat(N.stat, 'stat');
host.lstat = stat(N.lstat, 'lstat');
host.fstat = stat(N.fstat, 'fstat');
host.kind = path => { const r = sys(N.kind, path); return r < 0 ? -1 : r; };

host.readdir = function (path, raw) {
	const bytes = taken(check(sys(N.readdir, path), 'scandir', path));
	const names = [], types = [];
	for (let at = 0; at < bytes.length;) {
		const end = host.indexOf(bytes, 0, at + 1);
		types.push(bytes[at]);
		names.push(raw ? bytes.slice(at + 1, end) : host.utf8Decode(bytes, at + 1, end));
		at = end + 1;
	}
	return [names, types];
};

function simple(key, syscall = key) {
	const n = N[key];
	host[key] = function (path, ...more) { check(sys(n, path, ...more), syscall, path); };
}
for (const key of ['mkdir', 'rmdir', 'unlink', 'access', 'chmod', 'truncate'])
	simple(key);

function two(key) {
	const n = N[key];
	host[key] = function (a, b) { check(sys(n, a, b), key, a, b); };
}
two('rename');
two('link');
two('symlink');

function numbered(key, syscall = key) {
	const n = N[key];
	host[key] = function (fd, ...more) { check(sys(n, fd, ...more), syscall); };
}
numbered('fchmod');
numbered('fchown');
numbered('ftruncate');
numbered('fsync');

host.fdatasync = fd => { check(sys(N.fsync, fd), 'fdatasync'); };

host.chown = (path, uid, gid) => { check(sys(N.chown, path, 1, uid, gid), 'chown', path); };
host.lchown = (path, uid, gid) => { check(sys(N.chown, path, 0, uid, gid), 'lchown', path); };

function moment(seconds) {
	const whole = Math.floor(seconds);
	return [whole, Math.min(999999999, Math.round((seconds - whole) * 1e9))];
}
host.utimes = (path, a, m) => { check(sys(N.utimes, path, 1, ...moment(a), ...moment(m)), 'utime', path); };
host.lutimes = (path, a, m) => { check(sys(N.utimes, path, 0, ...moment(a), ...moment(m)), 'lutime', path); };
host.futimes = (fd, a, m) => { check(sys(N.futimes, fd, ...moment(a), ...moment(m)), 'futime'); };

host.readlink = (path, raw) => name(check(sys(N.readlink, path), 'readlink', path), raw);
host.realpath = (path, raw) => name(check(sys(N.realpath, path), 'realpath', path), raw);
host.statfs = function (path) {
	const out = new Float64Array(7);
	check(sys(N.statfs, path, out), 'statfs', path);
	return out;
};
host.cwd = function () {
	const n = sys(N.cwd);
	if (n < 0) {
		const e = host.error(n, 'uv_cwd');
		e.message = e.message.replace(', uv_cwd', ': process.cwd failed with error no such file or directory, uv_cwd');
		throw e;
	}
	return name(n);
};
host.chdir = function (path) {
	const r = sys(N.chdir, path);
	if (r < 0)
		throw host.error(r, 'chdir', host.cwd(), path);
};
host.umask = mask => sys(N.umask, mask);
host.isatty = fd => sys(N.isatty, fd) === 1;
/* [columns, rows]; raw: keys as they are typed. */
host.ttySize = function (fd) {
	const n = sys(N.tty_size, fd);
	return n < 0 ? [0, 0] : [n & 0xffff, n >> 16];
};
host.ttyRaw = (fd, on) => sys(N.tty_raw, fd, on ? 1 : 0);
host.dup = fd => check(sys(N.dup, fd), 'dup');
/* ends: bit 0 and 1: that end never waits. */
host.pipe = function (ends = 0) {
	const fds = new Int32Array(2);
	check(sys(N.pipe, fds, ends), 'pipe');
	return [fds[0], fds[1]];
};

/* ---- Processes ---- */

host.priority = (pid, what) => sys(N.priority, pid, what);
host.getenv = (name) => { const n = sys(N.getenv, name); return n < 0 ? undefined : host.utf8Decode(taken(n)); };
host.env = () => strings(sys(N.env));
host.args = () => strings(sys(N.args));
host.hostname = () => name(sys(N.hostname));
host.pid = () => sys(N.identity, 0);
host.ppid = () => sys(N.identity, 1);
host.uid = () => sys(N.identity, 2);
host.gid = () => sys(N.identity, 3);

const SIGPIPE = 13;
host.spawn = function ({ file, args, env, cwd, fds, detached }) {
	sys(N.signal, SIGPIPE, 0);
	const r = sys(N.spawn, file, joined(args), env ? joined(env) : 0, cwd === undefined ? 0 : cwd, Int32Array.from(fds),
		detached ? 1 : 0);
	sys(N.signal, SIGPIPE, 1);
	return check(r, `spawn ${text(file)}`, file);
};
const EAGAIN = 11;
host.wait = function (pid, block) {
	const r = sys(N.wait, pid, block ? 1 : 0);
	return r === -EAGAIN ? -1 : check(r, 'wait');
};
host.kill = (pid, signal) => { check(sys(N.kill, pid, signal), 'kill'); };
host.signal = (number, how) => check(sys(N.signal, number, how), 'signal');
host.takeSignal = () => sys(N.take_signal);
host.poll = (fds, ns) => check(sys(N.poll, fds, ns), 'poll');
host.sleep = ns => sys(N.sleep, ns);
host.monotonic = () => sys(N.monotonic);
host.wall = () => sys(N.wall) / 1000;
host.random = u8 => { sys(N.random, u8); };
host.usage = () => sys(N.usage);

/* ---- What the embedding program offers ---- */

/* { memory, bytes, prelude, fetch, names } */
host.offers = function () {
	const v = new Float64Array(4), n = sys(N.offers, v);
	return { memory: v[0], bytes: v[1], prelude: v[2] >= 0, fetch: v[3] === 1, names: n ? strings(n) : [] };
};
host.prelude = () => name(check(sys(N.prelude), 'prelude'));

/* A call out: [kind of answer, status, head, body]; a number below 0 where it could not be made. */
function answered(out, n) {
	if (n < 0)
		return n;
	const bytes = taken(n);
	return [out[0], out[1], bytes.subarray(0, out[2]), bytes.subarray(out[2])];
}
host.callOut = function (index, json) {
	const out = new Int32Array(3);
	return answered(out, sys(N.host_call, index, json, out));
};
host.fetchOut = function (method, url, headers, body) {
	const out = new Int32Array(3);
	return answered(out, sys(N.fetch, method, url, headers, body === null ? 0 : body, out));
};

host.exit = status => { sys(N.exit, status); };
