/* exec and execFile: a child whose output is collected for a callback. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateObject, validateString, validateAbortSignal } = require('internal/validators');
const { promisify } = require('internal/promisify');
const child = require('internal/child_options');
const { Buffer } = require('buffer');
const { normalizeEncoding } = require('internal/encodings');
const uv = require('internal/uv');
const MAX_BUFFER = 1024 * 1024;

/* A command for the shell: [file, options]. */
exports.toCommand = function (command, options) {
	validateString(command, 'command');
	if (command.includes('\0'))
		throw new codes.ERR_INVALID_ARG_VALUE('command', command, 'must be a string without null bytes');
	options = { ...(typeof options === 'function' ? undefined : options) };
	options.shell = typeof options.shell === 'string' ? options.shell : true;
	return [command, options];
};

/* What has come from one stream, at most `max` of it. */
class Collector {
	constructor(stream, name, max, encoding, onFull) {
		this.encoding = encoding;
		this.parts = [];
		this.n = 0;
		if (!stream)
			return;
		if (encoding)
			stream.setEncoding(encoding);
		stream.on('data', (chunk) => {
			encoding = typeof chunk === 'string' ? stream.readableEncoding : null;	/* a script may have said setEncoding() since */
			const size = encoding ? Buffer.byteLength(chunk, encoding) : chunk.length;
			this.n += size;
			if (this.n > max) {
				const room = max - (this.n - size);
				this.add(encoding ? chunk.slice(0, room) : chunk.subarray(0, room));
				onFull(new codes.ERR_CHILD_PROCESS_STDIO_MAXBUFFER(name));
			} else {
				this.add(chunk);
			}
		});
	}
	add(chunk) {
		this.parts.push(chunk);
	}
	get() {
		return this.encoding || typeof this.parts[0] === 'string' ? this.parts.join('') : Buffer.concat(this.parts);
	}
}

function failure(state, code, signal, stderr) {
	const { one, command } = state;
	let e = state.error;
	if (!e) {
		let text = `Command failed: ${command}`;
		if (stderr && stderr.length)
			text += `\n${stderr}`;
		else
			text += '\n';
		e = new Error(text);
		e.code = code < 0 ? uv.name(code) : code;
		e.killed = one.killed || state.killed;
		e.signal = signal;
	}
	e.cmd = command;
	return e;
}

function end(state, code, signal) {
	if (state.exited)
		return;
	state.exited = true;
	clearTimeout(state.timer);
	if (!state.callback)
		return;
	const out = state.out.get(), err = state.err.get();
	if (!state.error && code === 0 && signal === null)
		state.callback(null, out, err);
	else
		state.callback(failure(state, code, signal, err), out, err);
}

function run(file, args, o, callback, command) {
	const { spawn } = require('child_process');
	const one = spawn(file, args, {
		cwd: o.cwd, env: o.env, gid: o.gid, shell: o.shell, signal: o.signal, uid: o.uid, windowsHide: !!o.windowsHide,
		argv0: o.argv0,
	});
	const state = { one, callback, command, error: null, exited: false, killed: false, timer: undefined };
	const encoding = o.encoding !== 'buffer' && normalizeEncoding(o.encoding) ? o.encoding : null;
	function kill(error) {
		if (error)
			state.error = error;
		one.stdout?.destroy();
		one.stderr?.destroy();
		state.killed = true;
		try {
			one.kill(o.killSignal);
		} catch (e) {
			state.error ??= e;
			end(state);
		}
	}
	const full = (error) => { if (!state.error) kill(error); };
	state.out = new Collector(one.stdout, 'stdout', o.maxBuffer, encoding, full);
	state.err = new Collector(one.stderr, 'stderr', o.maxBuffer, encoding, full);
	if (o.timeout > 0)
		state.timer = setTimeout(() => kill(), o.timeout);
	one.on('close', (code, signal) => end(state, code, signal));
	one.on('error', (error) => {
		state.error = error;
		one.stdout?.destroy();
		one.stderr?.destroy();
		end(state);
	});
	return one;
}

function execFile(file, args, options, callback) {
	if (args != null && typeof args === 'function') {
		callback = args;
		args = options = undefined;
	} else if (args != null && typeof args === 'object' && !Array.isArray(args)) {
		callback = options;
		options = args;
		args = null;
	} else if (args != null && !Array.isArray(args)) {
		throw new codes.ERR_INVALID_ARG_TYPE('args', 'object', args);
	}
	if (typeof options === 'function') {
		callback = options;
		options = undefined;
	}
	if (options != null)
		validateObject(options, 'options');
	if (callback != null)
		validateFunction(callback, 'callback');
	const o = {
		encoding: 'utf8', timeout: 0, maxBuffer: MAX_BUFFER, killSignal: 'SIGTERM', cwd: null, env: null, shell: false, ...options,
	};
	child.validateTimeout(o.timeout);
	child.validateMaxBuffer(o.maxBuffer);
	o.killSignal = child.toKillSignal(o.killSignal);
	if (o.signal !== undefined)
		validateAbortSignal(o.signal, 'options.signal');
	const command = options?.shell ? file : [file, ...(args ?? [])].join(' ');
	return run(file, args ?? [], o, callback, command);
}

function exec(command, options, callback) {
	if (typeof options === 'function') {
		callback = options;
		options = undefined;
	}
	const [file, o] = exports.toCommand(command, options);
	return execFile(file, o, callback);
}

/* The promise has the child, its error what had come. */
function promised(fn) {
	return function (...args) {
		let settle;
		const promise = new Promise((resolve, reject) => { settle = { resolve, reject }; });
		promise.child = fn(...args, (error, stdout, stderr) => {
			if (error === null)
				settle.resolve({ stdout, stderr });
			else
				settle.reject(Object.assign(error, { stdout, stderr }));
		});
		return promise;
	};
}
for (const fn of [exec, execFile])
	Object.defineProperty(fn, promisify.custom, { value: promised(fn), enumerable: false });

Object.assign(exports, { exec, execFile });
