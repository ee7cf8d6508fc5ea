/* The process object. What depends on the run is looked up when it is asked for. */
'use strict';

const loop = require('internal/loop');
const fatal = require('internal/fatal');
const VERSION = 'v20.20.2';

const Emitter = require('events');

/* Node's process is an object of a class "process" between itself and EventEmitter. */
function process() {}
Object.setPrototypeOf(process.prototype, Emitter.prototype);
Object.defineProperty(process.prototype, Symbol.toStringTag, { value: 'process', configurable: true });
const proc = Object.create(process.prototype);
exports.process = proc;
exports.capture = { fn: null };

const state = { started: false, exiting: false, exitCode: undefined, title: 'node', begin: 0 };
exports.state = state;

function codes() {
	return require('internal/errors').codes;
}

/* A property whose value is made at the first look. */
function once(name, make, enumerable = true) {
	Object.defineProperty(proc, name, {
		get() {
			const value = make();
			Object.defineProperty(proc, name, { value, writable: true, configurable: true, enumerable });
			return value;
		},
		set(value) {
			Object.defineProperty(proc, name, { value, writable: true, configurable: true, enumerable });
		},
		configurable: true, enumerable,
	});
}

proc.version = VERSION;
proc.versions = {
	node: VERSION.slice(1), acorn: '8.15.0', ada: '2.9.2', ares: '1.34.6', modules: '115', napi: '9', quickjs: '0.17.0', unicode: '16.0',
	uv: '1.46.0', v8: '11.3.244.8-node.33', zlib: '1.3.1',
};
proc.arch = 'x64';
proc.platform = 'linux';
proc.release = { name: 'node', lts: 'Iron' };
once('argv', () => { throw new Error('process.argv is not known yet'); });
proc.execArgv = [];
once('env', () => require('internal/env').make(host.env()));
proc.execPath = '/usr/bin/node';
proc.argv0 = 'node';
once('pid', () => host.pid());
once('ppid', () => host.ppid());
proc.debugPort = 9229;
Object.defineProperty(proc, 'title', {
	get: () => state.title, set: value => { state.title = String(value); }, enumerable: true, configurable: true,
});
proc.features = {
	inspector: false, debug: false, uv: true, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: true, tls: true,
	get cached_builtins() {
		return true;
	},
	get require_module() {
		return true;
	},
};
proc.config = { target_defaults: {}, variables: {} };
proc.allowedNodeEnvironmentFlags = new Set();
proc.moduleLoadList = [];
proc.exitCode = undefined;
Object.defineProperty(proc, 'exitCode', {
	get: () => state.exitCode,
	set(value) {
		if (value !== undefined && value !== null) {
			if (typeof value === 'string' && value !== '' && Number.isInteger(Number(value)))
				value = Number(value);
			else if (typeof value !== 'number')
				throw codes().ERR_INVALID_ARG_TYPE('code', 'number', value);
			else if (!Number.isInteger(value))
				throw codes().ERR_OUT_OF_RANGE('code', 'an integer', value);
		}
		state.exitCode = value;
	},
	enumerable: true, configurable: true,
});
once('report', () => ({}));

/* ---- Standard streams ---- */

once('stdin', () => require('internal/stdio').stdin());
once('stdout', () => require('internal/stdio').stdout());
once('stderr', () => require('internal/stdio').stderr());

/* ---- The end ---- */

exports.exitStatus = () => state.exitCode === undefined || state.exitCode === null ? 0 : state.exitCode;

function end(code) {
	if (!state.exiting) {
		state.exiting = true;
		if (code !== undefined)
			state.exitCode = code;
		try {
			proc.emit('exit', exports.exitStatus());
		} catch (e) {
			state.exitCode = 1;
			loop.onError(e, false);
		}
	} else if (code !== undefined) {
		state.exitCode = code;
	}
	host.exit(Number(exports.exitStatus()) & 255);
}
exports.end = end;

proc.exit = function exit(code) {
	if (code !== undefined)
		proc.exitCode = code;
	end();
};
proc.reallyExit = function reallyExit(code) { host.exit(Number(code) & 255); };
const SIGABRT = 6;

proc.abort = function abort() {
	host.signal(SIGABRT, 0);
	host.kill(host.pid(), SIGABRT);
	host.exit(134);
};

/* ---- Time and use ---- */

const started = () => state.begin;

proc.hrtime = function hrtime(previous) {
	const ns = host.monotonic();
	let seconds = Math.floor(ns / 1e9), rest = ns % 1e9;
	if (previous !== undefined) {
		if (!Array.isArray(previous))
			throw codes().ERR_INVALID_ARG_TYPE('time', 'Array', previous);
		if (previous.length !== 2)
			throw codes().ERR_OUT_OF_RANGE('time', 2, previous.length);
		seconds -= previous[0];
		rest -= previous[1];
		if (rest < 0) {
			seconds--;
			rest += 1e9;
		}
	}
	return [seconds, rest];
};
proc.hrtime.bigint = function bigint() { return BigInt(host.monotonic()); };
proc.uptime = function uptime() { return (host.monotonic() - started()) / 1e9; };

proc.memoryUsage = function memoryUsage() {
	const [used, linear] = host.memory();
	return { rss: linear, heapTotal: Math.max(linear, used), heapUsed: used, external: 0, arrayBuffers: 0 };
};
proc.memoryUsage.rss = function rss() { return host.memory()[1]; };
proc.constrainedMemory = function constrainedMemory() { return host.limit; };
proc.availableMemory = function availableMemory() { return host.limit - host.memory()[0]; };
proc.cpuUsage = function cpuUsage(previous) {
	const user = host.usage(), { ERR_INVALID_ARG_TYPE } = codes();
	if (previous !== undefined && previous !== null) {
		if (typeof previous !== 'object')
			throw ERR_INVALID_ARG_TYPE('prevValue', 'object', previous);
		for (const key of ['user', 'system']) {
			if (typeof previous[key] !== 'number')
				throw ERR_INVALID_ARG_TYPE(`prevValue.${key}`, 'number', previous[key]);
		}
	}
	return previous ? { user: user - previous.user, system: 0 } : { user, system: 0 };
};
proc.resourceUsage = function resourceUsage() {
	return {
		userCPUTime: host.usage(), systemCPUTime: 0, maxRSS: host.memory()[1] >> 10, sharedMemorySize: 0, unsharedDataSize: 0,
		unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0, fsWrite: 0, ipcSent: 0, ipcReceived: 0,
		signalsCount: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0,
	};
};

/* ---- Directory, mask, identity ---- */

let cwdKept = null;
proc.cwd = function cwd() { return cwdKept ??= host.cwd(); };
proc.chdir = function chdir(directory) {
	if (typeof directory !== 'string')
		throw codes().ERR_INVALID_ARG_TYPE('directory', 'string', directory);
	try {
		host.chdir(directory);
	} catch (e) {
		const place = 'internal/bootstrap/switches/does_own_process_state:130';
		throw fatal.made(e, [`process.wrappedChdir [as chdir] (node:${place}:14)`], /^$/, place);
	}
	cwdKept = null;
};
proc.umask = function umask(mask) {
	if (mask === undefined)
		return host.umask(-1);
	if (typeof mask === 'string') {
		if (!/^[0-7]+$/.test(mask))
			throw codes().ERR_INVALID_ARG_VALUE('mask', mask, 'must be a 32-bit unsigned integer or an octal string');
		mask = parseInt(mask, 8);
	} else if (typeof mask !== 'number') {
		throw codes().ERR_INVALID_ARG_TYPE('mask', 'number', mask);
	}
	return host.umask(mask);
};
for (const name of ['getuid', 'geteuid'])
	proc[name] = { [name]() { return host.uid(); } }[name];
for (const name of ['getgid', 'getegid'])
	proc[name] = { [name]() { return host.gid(); } }[name];
proc.getgroups = function getgroups() { return [host.gid()]; };

proc.kill = function kill(pid, signal) {
	const { signals } = require('internal/signals');
	if (pid != (pid | 0))
		throw codes().ERR_INVALID_ARG_TYPE('pid', 'number', pid);
	if (signal === undefined)
		signal = 'SIGTERM';
	const number = typeof signal === 'number' ? signal : signals[signal];
	if (number === undefined)
		throw codes().ERR_UNKNOWN_SIGNAL(signal);
	try {
		host.kill(pid | 0, number);
	} catch (e) {
		throw host.errnoError(e.errno, 'kill');
	}
	return true;
};

/* ---- Ticks, warnings, uncaught ---- */

proc.nextTick = function nextTick(callback, ...args) {
	if (typeof callback !== 'function')
		throw codes().ERR_INVALID_ARG_TYPE('callback', 'Function', callback);
	if (!state.exiting)
		loop.nextTick(callback, args);
};

exports.warnings = {
	none: false, trace: false, throwDeprecation: false, noDeprecation: false, pending: false, disabled: new Set(),
};

function warned(warning) {
	const { warnings } = exports;
	if (warnings.none || host.getenv('NODE_NO_WARNINGS') === '1' || warnings.disabled.has(warning.code) || warnings.disabled.has(warning.name) ||
		(warning.name === 'DeprecationWarning' && (warnings.noDeprecation || proc.noDeprecation)))
		return;
	const deprecated = warning.name === 'DeprecationWarning';
	const trace = warnings.trace || proc.traceProcessWarnings || (deprecated && proc.traceDeprecation);
	let text = `(node:${proc.pid}) ${warning.code ? `[${warning.code}] ` : ''}`;
	text += trace && warning.stack ? warning.stack : `${warning.name}: ${warning.message}`;
	if (typeof warning.detail === 'string')
		text += `\n${warning.detail}`;
	if (!trace && !warned.told) {
		warned.told = true;
		text += `\n(Use \`node --trace-${deprecated ? 'deprecation' : 'warnings'} ...\` to show where the warning was created)`;
	}
	require('internal/print').print(2, text + '\n');
}
warned.told = false;

proc.loadEnvFile = function loadEnvFile(path = undefined) {
	const text = require('fs').readFileSync(path === undefined ? '.env' : path, 'utf8');
	require('internal/mime').loadEnv(text);
};

proc.openStdin = function openStdin() {
	proc.stdin.resume();
	return proc.stdin;
};
proc._rawDebug = function _rawDebug(...args) {
	require('internal/print').print(2, `${require('util').format(...args)}\n`);
};

proc.emitWarning = function emitWarning(warning, type, code, ctor) {
	void ctor;
	let detail;
	const { ERR_INVALID_ARG_TYPE } = codes();
	if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
		({ code, detail } = type);
		type = type.type || 'Warning';
	} else if (typeof type === 'function') {
		type = 'Warning';
		code = undefined;
	}
	if (type !== undefined && typeof type !== 'string')
		throw ERR_INVALID_ARG_TYPE('type', 'string', type);
	if (typeof code === 'function')
		code = undefined;
	else if (code !== undefined && typeof code !== 'string')
		throw ERR_INVALID_ARG_TYPE('code', 'string', code);
	if (typeof warning === 'string') {
		const e = new Error(warning);
		e.name = String(type || 'Warning');
		if (code !== undefined)
			e.code = code;
		if (detail !== undefined)
			e.detail = detail;
		warning = e;
	} else if (!(warning instanceof Error)) {
		throw ERR_INVALID_ARG_TYPE('warning', ['Error', 'string'], warning);
	}
	if (warning.name === 'DeprecationWarning' && (exports.warnings.throwDeprecation || proc.throwDeprecation)) {
		proc.nextTick(() => { throw warning; });
		return;
	}
	proc.nextTick(() => {
		warned(warning);
		proc.emit('warning', warning);
	});
};

proc.setUncaughtExceptionCaptureCallback = function setUncaughtExceptionCaptureCallback(fn) {
	if (fn !== null && typeof fn !== 'function')
		throw codes().ERR_INVALID_ARG_TYPE('fn', ['Function', 'null'], fn);
	if (fn !== null && exports.capture.fn)
		throw codes().ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET();
	exports.capture.fn = fn;
};
proc.hasUncaughtExceptionCaptureCallback = function hasUncaughtExceptionCaptureCallback() { return exports.capture.fn !== null; };
proc._fatalException = fatal.uncaught;
proc.getBuiltinModule = function getBuiltinModule(id) { return require('internal/builtins').get(id); };
proc.getActiveResourcesInfo = function getActiveResourcesInfo() { return []; };
proc.setSourceMapsEnabled = function setSourceMapsEnabled() {};
proc.binding = function binding(name) { throw new Error(`No such module: ${name}`); };

/* A listener for a signal makes the process catch it. */
const signalRefs = new Map();
function signalOf(event) {
	return typeof event === 'string' && event.startsWith('SIG') ? require('internal/signals').signals[event] : undefined;
}

Emitter.prototype.on.call(proc, 'newListener', function (event) {
	const number = signalOf(event);
	if (number === undefined || signalRefs.has(event))
		return;
	signalRefs.set(event, number);
	host.signal(number, 2);
	loop.signals.fn = caught => { proc.emit(require('internal/signals').names[caught], require('internal/signals').names[caught], caught); };
});
Emitter.prototype.on.call(proc, 'removeListener', function (event) {
	const number = signalOf(event);
	if (number === undefined || proc.listenerCount(event) > 0)
		return;
	signalRefs.delete(event);
	host.signal(number, 0);
	if (!signalRefs.size)
		loop.signals.fn = null;
});
