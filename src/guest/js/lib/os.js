/* os: what the sandbox is. Numbers come from /proc, as the sandbox shows it. */
'use strict';

const { validateInt32, validateObject } = require('internal/validators');
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
		return 0;
	},
	homedir: () => process.env.HOME || functions.userInfo().homedir,
	hostname: () => host.hostname(),
	loadavg: () => (proc('loadavg').split(' ', 3).map(Number).filter((n) => !Number.isNaN(n)).concat(0, 0, 0)).slice(0, 3),
	machine: () => 'x86_64',
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
	},
	tmpdir() {
		const { TMPDIR, TMP, TEMP } = process.env;
		const path = TMPDIR || TMP || TEMP || '/tmp';
		return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
	},
	totalmem: () => memory('MemTotal'),
	type: () => 'Linux',
	uptime: () => Number(proc('uptime').split(' ')[0]) || 0,
	userInfo(options = {}) {
		if (options !== null)
			validateObject(options, 'options');
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
			const error = new Error('A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)');
			throw Object.assign(error, { name: 'SystemError', code: 'ERR_SYSTEM_ERROR' });
		}
		const convert = (value) => options && options.encoding === 'buffer' ? require('buffer').Buffer.from(value) : value;
		return { uid, gid, username: convert(row[0]), homedir: convert(row[5]), shell: convert(row[6]) };
	},
	version: () => kernel('version', '#1 SMP PREEMPT_DYNAMIC'),
};

for (const name of ['arch', 'availableParallelism', 'endianness', 'homedir', 'hostname', 'machine', 'platform', 'release', 'tmpdir',
	'totalmem', 'freemem', 'type', 'uptime', 'version'])
	functions[name][Symbol.toPrimitive] = () => functions[name]();

const errno = { __proto__: null };
for (const [number, [name]] of [...require('internal/uv').map].sort((a, b) => a[1][0] < b[1][0] ? -1 : 1))
	errno[name] = number;

const constants = Object.freeze({
	__proto__: null, UV_UDP_REUSEADDR: 4, dlopen: { __proto__: null, RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 },
	errno, signals: Object.freeze(Object.assign({ __proto__: null }, require('internal/signals').signals)),
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
