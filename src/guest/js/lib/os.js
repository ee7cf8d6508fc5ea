/* os: what the sandbox is. Numbers come from /proc, as the sandbox shows it. */
'use strict';

const { validateInt32 } = require('internal/validators');
const process = require('process');

function proc(name) {
	try {
		return require('fs').readFileSync(`/proc/${name}`, 'utf8');
	} catch {
		return '';
	}
}

function memory(field) {
	const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(proc('meminfo'));
	return found === null ? 0 : Number(found[1]) * 1024;
}

function kernel(name, standard) {
	return proc(`sys/kernel/${name}`).trim() || standard;
}

function systemError(errno, syscall) {
	const uv = require('internal/uv'), code = uv.name(errno), message = uv.text(errno);
	const error = new Error(`A system error occurred: ${syscall} returned ${code} (${message})`);
	const info = { errno, code, message, syscall };
	Object.defineProperties(error, {
		name: { value: 'SystemError', enumerable: false, writable: true, configurable: true },
		info: { value: info, enumerable: true, configurable: true },
		errno: { get: () => errno, enumerable: true, configurable: true }, syscall: { get: () => syscall, enumerable: true, configurable: true },
	});
	error.code = 'ERR_SYSTEM_ERROR';
	return error;
}

const functions = {
	arch: () => process.arch,
	availableParallelism: () => Math.max(1, functions.cpus().length),
	cpus() {
		const count = (proc('stat').match(/^cpu\d+ /gm) || ['cpu0']).length;
		return Array.from({ length: count }, () => ({
			model: 'unknown', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
		}));
	},
	endianness: () => new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'LE' : 'BE',
	freemem: () => memory('MemAvailable') || memory('MemFree'),
	getPriority(pid = 0) {
		validateInt32(pid, 'pid');
		const out = new Int32Array(1), r = host.priority(pid, out);
		if (r < 0)
			throw systemError(r, 'uv_os_getpriority');
		return out[0];
	},
	homedir: () => process.env.HOME || functions.userInfo().homedir,
	hostname: () => host.hostname(),
	loadavg: () => (proc('loadavg').split(' ', 3).map(Number).filter((n) => !Number.isNaN(n)).concat(0, 0, 0)).slice(0, 3),
	networkInterfaces: () => ({}),
	platform: () => process.platform,
	release: () => kernel('osrelease', '6.1.0'),
	setPriority(pid, priority) {
		if (priority === undefined) {
			priority = pid;
			pid = 0;
		}
		validateInt32(pid, 'pid');
		validateInt32(priority, 'priority', -20, 19);
		const r = host.priority(pid, priority);
		if (r < 0)
			throw systemError(r, 'uv_os_setpriority');
	},
	tmpdir() {
		const { TMPDIR, TMP, TEMP } = process.env;
		const path = TMPDIR || TMP || TEMP || '/tmp';
		return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
	},
	totalmem: () => memory('MemTotal'),
	type: () => 'Linux',
	userInfo(options = {}) {
		const uid = host.uid(), gid = host.gid();
		let text = '';
		try {
			text = require('fs').readFileSync('/etc/passwd', 'utf8');
		} catch {
			text = '';
		}
		if (text === '')
			text = `${process.env.USER || 'user'}:x:${uid}:${gid}::${process.env.HOME || '/'}:${process.env.SHELL || '/bin/sh'}`;
		const row = text.split('\n').map((line) => line.split(':')).find((fields) => Number(fields[2]) === uid && fields.length > 6);
		if (row === undefined) {
			throw systemError(-2, 'uv_os_get_passwd');
		}
		const convert = (value) => options && options.encoding === 'buffer' ? require('buffer').Buffer.from(value) : value;
		return { uid, gid, username: convert(row[0]), homedir: convert(row[5]), shell: convert(row[6]) };
	},
	uptime: () => Number(proc('uptime').split(' ')[0]) || host.monotonic() / 1e9,
	version: () => kernel('version', '#1 SMP PREEMPT_DYNAMIC'),
	machine: () => 'x86_64',
};

for (const name of ['arch', 'availableParallelism', 'endianness', 'homedir', 'hostname', 'machine', 'platform', 'release', 'tmpdir',
	'totalmem', 'freemem', 'type', 'uptime', 'version'])
	functions[name][Symbol.toPrimitive] = () => functions[name]();

/* Names and numbers of the C library's errors, in the order of their names. */
const ERRNO = `E2BIG 7, EACCES 13, EADDRINUSE 98, EADDRNOTAVAIL 99, EAFNOSUPPORT 97, EAGAIN 11, EALREADY 114, EBADF 9, EBADMSG 74,
EBUSY 16, ECANCELED 125, ECHILD 10, ECONNABORTED 103, ECONNREFUSED 111, ECONNRESET 104, EDEADLK 35, EDESTADDRREQ 89,
EDOM 33, EDQUOT 122, EEXIST 17, EFAULT 14, EFBIG 27, EHOSTUNREACH 113, EIDRM 43, EILSEQ 84, EINPROGRESS 115, EINTR 4,
EINVAL 22, EIO 5, EISCONN 106, EISDIR 21, ELOOP 40, EMFILE 24, EMLINK 31, EMSGSIZE 90, EMULTIHOP 72, ENAMETOOLONG 36,
ENETDOWN 100, ENETRESET 102, ENETUNREACH 101, ENFILE 23, ENOBUFS 105, ENODATA 61, ENODEV 19, ENOENT 2, ENOEXEC 8,
ENOLCK 37, ENOLINK 67, ENOMEM 12, ENOMSG 42, ENOPROTOOPT 92, ENOSPC 28, ENOSR 63, ENOSTR 60, ENOSYS 38, ENOTCONN 107,
ENOTDIR 20, ENOTEMPTY 39, ENOTSOCK 88, ENOTSUP 95, ENOTTY 25, ENXIO 6, EOPNOTSUPP 95, EOVERFLOW 75, EPERM 1, EPIPE 32,
EPROTO 71, EPROTONOSUPPORT 93, EPROTOTYPE 91, ERANGE 34, EROFS 30, ESPIPE 29, ESRCH 3, ESTALE 116, ETIME 62,
ETIMEDOUT 110, ETXTBSY 26, EWOULDBLOCK 11, EXDEV 18`;
const errno = { __proto__: null };
for (const row of ERRNO.split(/,\s*/)) {
	const [name, number] = row.split(' ');
	errno[name] = Number(number);
}

/* Node lists them so. */
const { SIGSTKFLT, ...others } = require('internal/signals').signals;
const signals = { __proto__: null };
for (const name of Object.keys(others)) {
	signals[name] = others[name];
	if (name === 'SIGCHLD')
		signals.SIGSTKFLT = SIGSTKFLT;
}
for (const group of [errno, signals]) {
	for (const name of Object.keys(group))
		Object.defineProperty(group, name, { writable: false, configurable: false });
}

const constants = Object.freeze({
	__proto__: null, UV_UDP_REUSEADDR: 4, dlopen: { __proto__: null, RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 },
	errno, signals,
	priority: Object.freeze({
		__proto__: null, PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7,
		PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20,
	}),
});

module.exports = functions;
Object.defineProperties(functions, {
	constants: { enumerable: true, value: constants },
	EOL: { enumerable: true, value: '\n', configurable: true },
	devNull: { enumerable: true, value: '/dev/null', configurable: true },
});
