/* spawnSync, execSync and execFileSync: a child is fed and read here until it has ended. */
'use strict';

const { codes } = require('internal/errors');
const { Buffer } = require('buffer');
const child = require('internal/child_options');
const EAGAIN = 11, EPIPE = 32, ENOBUFS = 105, ETIMEDOUT = 110, ESRCH = 3, READABLE = 1, WRITABLE = 4, CHUNK = 65536;
const MAX_BUFFER = 1024 * 1024;

function inputBytes(input, name) {
	if (input == null)
		return new Uint8Array(0);
	if (typeof input === 'string')
		return Buffer.from(input);
	if (ArrayBuffer.isView(input))
		return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
	throw new codes.ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'TypedArray', 'DataView'], input);
}

/* One child that runs while we wait. */
class Run {
	constructor(o, ends, inputs) {
		this.o = o;
		this.ours = ends.ours;
		this.pid = ends.pid;
		this.error = ends.error;
		this.inputs = inputs;
		this.at = 0;
		this.parts = ends.ours.map(() => []);
		this.sizes = ends.ours.map(() => 0);
		this.deadline = o.timeout > 0 ? host.monotonic() + o.timeout * 1e6 : Infinity;
		this.status = -1;
	}
	close(i) {
		if (this.ours[i] >= 0)
			host.close(this.ours[i]);
		this.ours[i] = -1;
	}
	kill(error) {
		this.error ||= error;
		try {
			host.kill(this.o.detached ? -this.pid : this.pid, this.o.killSignal ?? 15);
		} catch (e) {
			if (e.errno !== -ESRCH)
				throw e;
		}
		this.deadline = Infinity;
		this.ours.forEach((fd, i) => this.close(i));
	}
	feed() {
		const r = host.tryWrite(this.ours[0], this.inputs, this.at, this.inputs.length - this.at, -1);
		if (r === -EAGAIN)
			return;
		this.at += Math.max(r, 0);
		if (r < 0 || this.at === this.inputs.length)
			this.close(0);
		if (r < 0 && r !== -EPIPE)
			this.error ||= r;
	}
	drain(i) {
		const bytes = new Uint8Array(CHUNK), r = host.tryRead(this.ours[i], bytes, 0, CHUNK, -1);
		if (r === -EAGAIN)
			return;
		if (r <= 0) {
			this.close(i);
			return;
		}
		this.parts[i].push(bytes.subarray(0, r));
		this.sizes[i] += r;
		if (this.sizes[i] > this.o.maxBuffer)
			this.kill(-ENOBUFS);
	}
	look() {
		if (this.status < 0)
			this.status = host.wait(this.pid, false);
	}
	/* Waits for whatever comes next. */
	turn() {
		const open = this.ours.map((fd, i) => i).filter((i) => this.ours[i] >= 0), fds = new Int32Array(3 * open.length);
		open.forEach((i, k) => fds.set([this.ours[i], i === 0 ? WRITABLE : READABLE, 0], 3 * k));
		const patience = this.deadline === Infinity ? -1 : Math.max(0, this.deadline - host.monotonic());
		host.poll(fds, patience);
		open.forEach((i, k) => {
			if (!fds[3 * k + 2] || this.ours[i] < 0)
				return;
			if (i === 0)
				this.feed();
			else
				this.drain(i);
		});
		this.look();
		if (host.monotonic() >= this.deadline)
			this.kill(-ETIMEDOUT);
	}
	run() {
		if (this.ours[0] >= 0 && this.inputs.length === 0)
			this.close(0);
		while (this.status < 0 || this.ours.some((fd) => fd >= 0))
			this.turn();
	}
	output(i) {
		return Buffer.concat(this.parts[i]);
	}
}

function syncError(errno, o) {
	const e = host.errnoError(errno, `spawnSync ${o.file}`);
	e.path = o.file;
	e.spawnargs = o.args.slice(1);
	return e;
}

/* o: normalized options. */
function spawn(o) {
	const stdio = child.stdio(o.stdio ?? 'pipe', true), own = Array.isArray(o.stdio) ? o.stdio[0] : undefined;
	let input = inputBytes(o.input, 'options.stdio[0]');
	if (o.input == null && (ArrayBuffer.isView(own) || (typeof own === 'string' && stdio[0].type === 'pipe' && own !== 'pipe' && own !== 'overlapped')))
		input = inputBytes(own);
	if (o.input != null)
		stdio[0] = { type: 'pipe' };
	const ends = child.start(o, stdio, (i) => i !== 0), run = new Run(o, ends, input);
	if (ends.error) {
		run.ours.forEach((fd, i) => run.close(i));
		return { error: syncError(ends.error, o), status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
	}
	run.run();
	const [status, signal] = child.decode(run.status);
	const output = stdio.map((one, i) => one.type === 'pipe' && i !== 0 ? run.output(i) : null);
	if (o.encoding && o.encoding !== 'buffer')
		output.forEach((one, i) => { output[i] = one && one.toString(o.encoding); });
	const result = { status, signal, output, pid: ends.pid, stdout: output[1], stderr: output[2] };
	return run.error ? { error: syncError(run.error, o), ...result } : result;
}

function normalize(file, args, options) {
	[file, args, options] = child.split(file, args, options);
	const o = { maxBuffer: MAX_BUFFER, ...child.normalize(file, args, options) };
	child.validateTimeout(o.timeout);
	child.validateMaxBuffer(o.maxBuffer);
	o.maxBuffer ??= MAX_BUFFER;
	o.killSignal = child.toKillSignal(o.killSignal);
	return o;
}

function spawnSync(file, args, options) {
	return spawn(normalize(file, args, options));
}

/* Where Node's own code makes these errors, and the line of it that throws them. */
const PLACES = { execSync: ['958:15', '963:15', 966], execFileSync: ['920:15', '927:15', 930] };

function placed(e, name, result, on) {
	const [started, ended, thrown] = PLACES[name], own = `${on === undefined ? '' : 'Object.'}${name} (node:child_process:`;
	const frames = result.error ?
		['Object.spawnSync (node:internal/child_process:1123:20)', 'spawnSync (node:child_process:877:24)', `${own}${started})`] :
		['genericNodeError (node:internal/errors:984:15)', 'wrappedFn (node:internal/errors:538:14)',
			'checkExecSyncError (node:child_process:891:11)', `${own}${ended})`];
	return require('internal/fatal').made(e, frames, /^$/, `child_process:${thrown}`);
}

function failure(result, command, o) {
	let e = result.error;
	if (!e && result.status === 0)
		return undefined;
	if (!e) {
		let text = `Command failed: ${command ?? o.args.join(' ')}`;
		if (result.stderr && result.stderr.length > 0)
			text += `\n${result.stderr.toString()}`;
		e = new Error(text);
	}
	return Object.assign(e, result);
}

/* The child's errors are shown unless the caller says where they go. */
function finish(o, name, command, on) {
	const shown = !o.stdio, result = spawn(o);
	if (shown && result.stderr)
		require('process').stderr.write(result.stderr);
	const e = failure(result, command, o);
	if (e)
		throw placed(e, name, result, on);
	return result.stdout;
}

function execFileSync(file, args, options) {
	const o = normalize(file, args, options);
	return finish(o, 'execFileSync', o.args.join(' '), this);
}

function execSync(command, options) {
	const { toCommand } = require('internal/child_exec');
	const [file, rest] = toCommand(command, options);
	return finish(normalize(file, rest), 'execSync', command, this);
}

Object.assign(exports, { spawnSync, execFileSync, execSync });
