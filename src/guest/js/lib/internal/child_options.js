/* What all functions of child_process take: file, arguments and options, checked and put into one shape. */
'use strict';

const { codes } = require('internal/errors');
const { validateAbortSignal, validateArray, validateBoolean, validateObject, validateString } = require('internal/validators');
const { toPath } = require('internal/fs_common');
const { signals } = require('internal/signals');
const { inspect } = require('internal/inspect');
const O_RDWR = 2;

function checkNul(value, name) {
	if (typeof value === 'string' && value.includes('\0'))
		throw new codes.ERR_INVALID_ARG_VALUE(name, value, 'must be a string without null bytes');
}

function checkArgs(args) {
	args.forEach((one, i) => checkNul(one, `args[${i}]`));
}

exports.toSignal = function (signal) {
	if (typeof signal === 'number') {
		if (require('internal/signals').names[signal])
			return signal;
	} else if (typeof signal === 'string' && signals[signal.toUpperCase()]) {
		return signals[signal.toUpperCase()];
	}
	throw new codes.ERR_UNKNOWN_SIGNAL(signal);
};

exports.validateTimeout = function (timeout) {
	if (timeout != null && !(Number.isInteger(timeout) && timeout >= 0))
		throw new codes.ERR_OUT_OF_RANGE('timeout', 'an unsigned integer', timeout);
};

exports.validateMaxBuffer = function (max) {
	if (max != null && !(typeof max === 'number' && max >= 0))
		throw new codes.ERR_OUT_OF_RANGE('options.maxBuffer', 'a positive number', max);
};

exports.toKillSignal = function (signal) {
	if (typeof signal === 'string' || typeof signal === 'number')
		return exports.toSignal(signal);
	if (signal != null)
		throw new codes.ERR_INVALID_ARG_TYPE('options.killSignal', ['string', 'number'], signal);
	return undefined;
};

/* (file[, args][, options]) */
exports.split = function (file, args, options) {
	if (Array.isArray(args)) {
		args = args.slice();
	} else if (args == null) {
		args = [];
	} else if (typeof args !== 'object') {
		throw new codes.ERR_INVALID_ARG_TYPE('args', 'object', args);
	} else {
		options = args;
		args = [];
	}
	return [file, args, options];
};

function checkOptions(options) {
	const { detached, shell, argv0 } = options;
	if (detached != null)
		validateBoolean(detached, 'options.detached');
	for (const name of ['uid', 'gid']) {
		if (options[name] != null && !(typeof options[name] === 'number' && options[name] === (options[name] | 0)))
			throw new codes.ERR_INVALID_ARG_TYPE(`options.${name}`, 'int32', options[name]);
	}
	if (shell != null && typeof shell !== 'boolean' && typeof shell !== 'string')
		throw new codes.ERR_INVALID_ARG_TYPE('options.shell', ['boolean', 'string'], shell);
	if (argv0 != null) {
		validateString(argv0, 'options.argv0');
		checkNul(argv0, 'options.argv0');
	}
	for (const name of ['windowsHide', 'windowsVerbatimArguments']) {
		if (options[name] != null)
			validateBoolean(options[name], `options.${name}`);
	}
}

function environment(env) {
	const list = [];
	for (const key in env) {
		if (env[key] !== undefined) {
			checkNul(key, `options.env['${key}']`);
			checkNul(`${env[key]}`, `options.env['${key}']`);
			list.push(`${key}=${env[key]}`);
		}
	}
	return list;
}

/* { file, args, env, cwd, ... }: args with args[0]. */
exports.normalize = function (file, args, options) {
	validateString(file, 'file');
	checkNul(file, 'file');
	if (file.length === 0)
		throw new codes.ERR_INVALID_ARG_VALUE('file', file, 'cannot be empty');
	[file, args, options] = exports.split(file, args, options);
	checkArgs(args);
	if (options === undefined)
		options = {};
	else
		validateObject(options, 'options');
	let cwd = options.cwd;
	if (cwd != null)
		cwd = toPath(cwd, 'options.cwd');
	checkOptions(options);
	if (options.shell) {
		const command = [file, ...args].join(' ');
		file = typeof options.shell === 'string' ? options.shell : '/bin/sh';
		args = ['-c', command];
	}
	args = [typeof options.argv0 === 'string' ? options.argv0 : file, ...args];
	const env = options.env || require('process').env;
	return { ...options, file, args, cwd: cwd ?? undefined, pairs: environment(env), detached: !!options.detached };
};

/* ---- stdio ---- */

function fdOf(one, i) {
	if (one === 'inherit')
		return i;
	if (typeof one === 'number')
		return one;
	if (one !== null && typeof one === 'object' && typeof one.fd === 'number' && one.fd >= 0)
		return one.fd;
	if (one !== null && typeof one === 'object' && typeof one._fd === 'number' && one._fd >= 0)
		return one._fd;
	return undefined;
}

/* One word for the first three. */
exports.stdioRow = function (word) {
	if (!['ignore', 'pipe', 'inherit', 'overlapped'].includes(word))
		throw new codes.ERR_INVALID_ARG_VALUE('stdio', word);
	return [word, word, word];
};

exports.forkOptions = function (options) {
	if (options === undefined || options === null)
		return {};
	validateObject(options, 'options');
	if (options.execArgv != null)
		validateArray(options.execArgv, 'options.execArgv');
	return options;
};

/* What becomes of each descriptor: { type: 'pipe' }, { type: 'ignore' } or { type: 'fd', fd }. */
exports.stdio = function (stdio, sync) {
	if (typeof stdio === 'string') {
		stdio = exports.stdioRow(stdio);
	} else if (!Array.isArray(stdio)) {
		throw new codes.ERR_INVALID_ARG_VALUE('stdio', stdio);
	} else {
		stdio = stdio.slice();
	}
	while (stdio.length < 3)
		stdio.push(undefined);
	let ipc = false;
	return stdio.map((one, i) => {
		one ??= i < 3 ? 'pipe' : 'ignore';
		if (one === 'ignore')
			return { type: 'ignore' };
		if (one === 'pipe' || one === 'overlapped' || (typeof one === 'number' && one < 0))
			return { type: 'pipe' };
		if (one === 'ipc') {
			if (sync)
				throw new codes.ERR_IPC_SYNC_FORK();
			if (ipc)
				throw new codes.ERR_IPC_ONE_PIPE();
			ipc = true;
			return { type: 'ipc' };
		}
		const fd = fdOf(one, i);
		if (fd !== undefined)
			return { type: 'fd', fd };
		if (ArrayBuffer.isView(one) || typeof one === 'string') {
			if (!sync)
				throw new codes.ERR_INVALID_SYNC_FORK_INPUT(inspect(one));
			return { type: 'pipe' };
		}
		throw new codes.ERR_INVALID_ARG_VALUE('stdio', one);
	});
};

/* Two pipes and the names by which the child finds them (internal/ipc.js). */
function openChannel(o, i, theirs, opened, count) {
	const there = host.pipe(2), back = host.pipe(1);
	opened.push(theirs[i] = there[0], theirs[count] = back[1]);
	o.pairs = [...o.pairs, `NODE_CHANNEL_FD=${i}`, `NODE_CHANNEL_OUT=${count}`];
	if (o.serialization === 'advanced')
		o.pairs.push('NODE_CHANNEL_SERIALIZATION_MODE=advanced');
	return [back[0], there[1]];
}

/*
 * Starts the process: { pid } or { error: errno }, our ends of its pipes, and of its channel. reads(i): whether we read descriptor i. A pipe
 * to write to does not wait; one to read from is read when it is ready.
 */
exports.start = function (o, stdio, reads) {
	const theirs = [], ours = [], opened = [];
	let pid = 0, error = 0, channel;
	try {
		stdio.forEach((one, i) => {
			ours[i] = -1;
			if (one.type === 'fd') {
				theirs[i] = one.fd;
			} else if (one.type === 'ignore') {
				opened.push(theirs[i] = host.open('/dev/null', O_RDWR, 0));
			} else if (one.type === 'ipc') {
				channel = openChannel(o, i, theirs, opened, stdio.length);
			} else {
				const [input, output] = host.pipe(reads(i) ? 1 : 2);
				ours[i] = reads(i) ? input : output;
				opened.push(theirs[i] = reads(i) ? output : input);
			}
		});
		if ((o.uid != null && o.uid !== host.uid()) || (o.gid != null && o.gid !== host.gid()))
			error = -1;		/* EPERM */
		else
			pid = host.spawn({ file: o.file, args: o.args, env: o.pairs, cwd: o.cwd, fds: theirs, detached: o.detached });
	} catch (e) {
		if (e.errno === undefined)
			throw e;
		error = e.errno;
	}
	opened.forEach((fd) => host.close(fd));
	return { pid, error, ours, channel };
};

/* [exit code, signal name], one of them null. */
exports.decode = function (status) {
	const signal = status & 127;
	return signal ? [null, require('internal/signals').names[signal]] : [status >> 8 & 255, null];
};

exports.validateSignalOption = (signal) => validateAbortSignal(signal, 'options.signal');
