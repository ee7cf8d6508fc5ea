/* child_process: commands of the sandbox as child processes. */
'use strict';

const Emitter = require('events');
const { AbortError, codes } = require('internal/errors');
const { validateObject, validateOneOf, validateString } = require('internal/validators');
const { toPath } = require('internal/fs_common');
const loop = require('internal/loop');
const child = require('internal/child_options');
const { Socket } = require('internal/pipe_stream');
const { exec, execFile } = require('internal/child_exec');
const { spawnSync, execFileSync, execSync } = require('internal/child_sync');
const ESRCH = 3;

/* ---- A child ---- */

function ChildProcess() {
	Reflect.apply(Emitter, this, []);
	Object.assign(this, {
		_closesNeeded: 1, _closesGot: 0, connected: false, signalCode: null, exitCode: null, killed: false, spawnfile: null,
		_handle: null,
	});
}
Object.setPrototypeOf(ChildProcess.prototype, Emitter.prototype);
Object.setPrototypeOf(ChildProcess, Emitter);

function maybeClose(self) {
	if (++self._closesGot === self._closesNeeded)
		self.emit('close', self.exitCode, self.signalCode);
}

/* Output that nobody reads must not keep 'close' from coming. */
function flush(self) {
	for (const stream of self.stdio) {
		if (stream && stream.readable && !stream._readableState.readableListening && !stream.readableFlowing)
			stream.resume();
	}
}

function ended(self, code, signal) {
	if (signal)
		self.signalCode = signal;
	else
		self.exitCode = code;
	self.stdin?.destroy();
	self._handle = null;
	if (code < 0) {
		const e = host.errnoError(code, `spawn ${self.spawnfile}`);
		e.path = self.spawnfile;
		e.spawnargs = self.spawnargs.slice(1);
		self.emit('error', e);
	} else {
		self.emit('exit', self.exitCode, self.signalCode);
	}
	process.nextTick(flush, self);
	maybeClose(self);
}

function streamsOf(self, stdio, ours) {
	const all = stdio.map((one, i) => {
		if (one.type !== 'pipe')
			return null;
		const stream = new Socket(ours[i], i !== 0);
		if (i > 0) {
			self._closesNeeded++;
			stream.on('close', () => maybeClose(self));
		}
		return stream;
	});
	[self.stdin, self.stdout, self.stderr] = all;
	self.stdio = all;
}

ChildProcess.prototype.spawn = function (o) {
	validateObject(o, 'options');
	if (o.envPairs !== undefined && !Array.isArray(o.envPairs))
		throw new codes.ERR_INVALID_ARG_TYPE('options.envPairs', 'Array', o.envPairs);
	validateString(o.file, 'options.file');
	if (o.args !== undefined && !Array.isArray(o.args))
		throw new codes.ERR_INVALID_ARG_TYPE('options.args', 'Array', o.args);
	o = { ...o, args: o.args ?? [], pairs: o.pairs ?? o.envPairs ?? [] };
	if (o.serialization !== undefined)
		validateOneOf(o.serialization, 'options.serialization', [undefined, 'json', 'advanced']);
	const stdio = child.stdio(o.stdio || 'pipe', false);
	this.spawnfile = o.file;
	this.spawnargs = o.args;
	const { pid, error, ours, channel } = child.start(o, stdio, (i) => i !== 0);
	const self = this;
	this._handle = { pid, ref() { self._watch?.ref(); }, unref() { self._watch?.unref(); }, hasRef: () => !!self._watch?.alive };
	Object.defineProperty(this, '_watch', { value: null, writable: true, configurable: true, enumerable: false });
	if (error) {
		this.pid = undefined;
		process.nextTick(ended, this, error, '');
	} else {
		this.pid = pid;
		this._watch = loop.child(pid, (status) => {
			const [code, signal] = child.decode(status);
			ended(this, code, signal);
		});
		process.nextTick(() => this.emit('spawn'));
	}
	streamsOf(this, stdio, ours);
	if (channel) {
		this._closesNeeded++;
		require('internal/ipc').add(this, channel, o.serialization === 'advanced', () => maybeClose(this));
	}
	return error;
};

ChildProcess.prototype.kill = function (signal) {
	const number = signal === 0 ? 0 : child.toSignal(signal === undefined ? 'SIGTERM' : signal);
	if (!this._handle || !this.pid)
		return false;
	try {
		host.kill(this.pid, number);
	} catch (e) {
		if (e.errno === -ESRCH)
			return false;
		this.emit('error', host.errnoError(e.errno, 'kill'));
		return false;
	}
	this.killed = true;
	return true;
};

if (Symbol.dispose)
	ChildProcess.prototype[Symbol.dispose] = function () { if (!this.killed) this.kill(); };
ChildProcess.prototype.ref = function () { this._handle?.ref(); };
ChildProcess.prototype.unref = function () { this._handle?.unref(); };

/* ---- spawn ---- */

function abortOn(signal, one, killSignal) {
	function abort() {
		if (one._handle && one.kill(killSignal))
			one.emit('error', new AbortError(undefined, { cause: signal.reason }));
	}
	if (signal.aborted) {
		process.nextTick(abort);
		return;
	}
	signal.addEventListener('abort', abort, { once: true });
	one.once('exit', () => signal.removeEventListener('abort', abort));
}

function spawn(file, args, options) {
	const o = child.normalize(file, args, options);
	child.validateTimeout(o.timeout);
	if (o.signal !== undefined)
		child.validateSignalOption(o.signal);
	const killSignal = child.toKillSignal(o.killSignal), one = new ChildProcess();
	one.spawn(o);
	if (o.timeout > 0) {
		let timer = setTimeout(() => {
			timer = null;
			try {
				one.kill(killSignal);
			} catch (e) {
				one.emit('error', e);
			}
		}, o.timeout);
		one.once('exit', () => { if (timer) clearTimeout(timer); });
	}
	if (o.signal)
		abortOn(o.signal, one, killSignal);
	return one;
}

function forkStdio(options) {
	const { stdio } = options;
	if (typeof stdio === 'string')
		return [...child.stdioRow(stdio), 'ipc'];
	if (!Array.isArray(stdio)) {
		const row = options.silent ? 'pipe' : 'inherit';
		return [row, row, row, 'ipc'];
	}
	if (!stdio.includes('ipc'))
		throw new codes.ERR_CHILD_PROCESS_IPC_REQUIRED('options.stdio');
	return stdio;
}

function fork(modulePath, args = [], options) {
	modulePath = toPath(modulePath, 'modulePath');
	[, args, options] = child.split(modulePath, args, options);
	options = { ...child.forkOptions(options), shell: false };
	options.execPath ||= process.execPath;
	const execArgv = options.execArgv || process.execArgv;
	options.stdio = forkStdio(options);
	return spawn(options.execPath, [...execArgv, `${modulePath}`, ...args], options);
}

module.exports = {
	_forkChild(fd, mode) { require('internal/ipc').begin(fd, mode); }, ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn,
	spawnSync,
};
