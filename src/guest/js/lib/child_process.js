/* child_process: commands of the sandbox as child processes. */
'use strict';

const Emitter = require('events');
const { AbortError } = require('internal/errors');
const { validateOneOf } = require('internal/validators');
const { toPath, plainError } = require('internal/fs_common');
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
	if (o.serialization !== undefined)
		validateOneOf(o.serialization, 'options.serialization', [undefined, 'json', 'advanced']);
	const stdio = child.stdio(o.stdio || 'pipe', false);
	this.spawnfile = o.file;
	this.spawnargs = o.args;
	const { pid, error, ours } = child.start(o, stdio, (i) => i !== 0);
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

function fork(modulePath) {
	toPath(modulePath, 'modulePath');
	throw plainError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'child_process.fork() is not in this sandbox: ' +
		'use spawn(process.execPath, [modulePath]) and send messages as lines through its stdin and stdout');
}

module.exports = {
	_forkChild: function _forkChild(fd, mode) { fork(`${fd}${mode}`); }, ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn,
	spawnSync,
};
