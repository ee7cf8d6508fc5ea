/* Exceptions that nobody caught, and rejections that nobody handled: what process tells about them, and the end. */
'use strict';

const loop = require('internal/loop');
const { print } = require('internal/print');

const REASON = 'This error originated either by throwing inside of an async function without a catch block, or by rejecting a ' +
	'promise which was not handled with .catch(). The promise rejected with the reason ';

function shown(value) {
	if (host.has('internal/inspect'))
		return require('internal/inspect').inspect(value);
	return value instanceof Error ? value.stack : String(value);
}

/* "file:line\nsource\n    ^\n": where the topmost frame of a script is. */
function frame(error) {
	const stack = error && typeof error === 'object' && typeof error.stack === 'string' ? error.stack : '';
	const at = /\n    at (?:.*\()?((?:file:\/\/)?\/[^\n]*?):(\d+):(\d+)\)?(?=\n|$)/.exec(stack);
	if (!at)
		return '';
	const path = at[1].startsWith('file://') ? require('internal/fileurl').toPath(at[1]) : at[1];
	let line;
	try {
		line = require('internal/files').readText(path).split('\n')[at[2] - 1];
	} catch {
		return '';
	}
	if (line === undefined)
		return '';
	/* What is marked is the statement that throws, where there is one. */
	const before = line.slice(0, at[3] - 1);
	const start = before.search(/\bthrow\b(?!.*\bthrow\b)/);
	return `${at[1]}:${at[2]}\n${line}\n${(start < 0 ? before : before.slice(0, start)).replace(/[^\t]/g, ' ')}^\n\n`;
}

function report(error, fromPromise) {
	const thrown = error !== null && (typeof error === 'object' || typeof error === 'function') && host.classOf(error) === 'Error';
	let text = '';
	if (fromPromise && !thrown) {
		text = 'node:internal/process/promises:394\n      triggerUncaughtException(err, true /* fromPromise */);\n      ^\n\n' +
			`[UnhandledPromiseRejection: ${REASON}"${shown(error)}".] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n`;
	} else if (thrown) {
		text = frame(error) + shown(error) + '\n';
	} else {
		text = `${frame(error) || 'Uncaught:\n'}${shown(error)}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)\n`;
	}
	print(2, `${text}\nNode.js ${process.version}\n`);
}

const OOM = '\n<--- Last few GCs --->\n\n\n<--- JS stacktrace --->\n\n' +
	'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n';

function isOutOfMemory(error) {
	return error === null ? host.memory()[0] > host.limit * 0.9 :
		typeof error === 'object' && error instanceof RangeError && error.message === 'out of memory';
}

exports.oom = function () {
	print(2, OOM);
	host.exit(134);
};

/* origin of an exception that a promise carried: 'unhandledRejection' */
function uncaught(error, fromPromise) {
	if (isOutOfMemory(error))
		exports.oom();
	const origin = fromPromise ? 'unhandledRejection' : 'uncaughtException';
	const { process, capture, end } = require('internal/process');
	try {
		process.emit('uncaughtExceptionMonitor', error, origin);
		if (capture.fn) {
			capture.fn(error);
			return;
		}
		if (process.listenerCount('uncaughtException') > 0) {
			process.emit('uncaughtException', error, origin);
			return;
		}
	} catch (second) {
		report(second, false);
		end(7);
	}
	report(error, fromPromise);
	end(1);
}

exports.mode = 'throw';

function warn(reason) {
	process.emitWarning(`Unhandled promise rejection. ${REASON.replace('The promise', 'To terminate the node process on unhandled ' +
		'promise rejection, use the CLI flag `--unhandled-rejections=strict` (see https://nodejs.org/api/cli.html#cli_unhandled_' +
		'rejections_mode). The promise')}${shown(reason)}`, 'UnhandledPromiseRejectionWarning');
}

loop.onError = uncaught;
loop.onRejection = function (promise, reason) {
	const { process } = require('internal/process');
	const mode = exports.mode;
	if (mode === 'strict')
		uncaught(reason, true);
	const handled = mode !== 'none' || process.listenerCount('unhandledRejection') ?
		process.emit('unhandledRejection', reason, promise) : false;
	if (mode === 'throw' && !handled)
		uncaught(reason, true);
	else if (mode === 'warn' || (mode === 'warn-with-error-code' && !handled))
		warn(reason);
	if (mode === 'warn-with-error-code' && !handled)
		process.exitCode = 1;
};
loop.onHandled = promise => { require('internal/process').process.emit('rejectionHandled', promise); };
host.hooks({ rejection: loop.rejection });
