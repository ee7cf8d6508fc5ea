/* Exceptions that nobody caught, and rejections that nobody handled: what process tells about them, and the end. */
'use strict';

const loop = require('internal/loop');
const { print } = require('internal/print');

const REASON = 'This error originated either by throwing inside of an async function without a catch block, or by rejecting a ' +
	'promise which was not handled with .catch(). The promise rejected with the reason ';

function shown(value) {
	if (host.has('internal/inspect'))
		return require('internal/inspect').inspect(value, { depth: 5, customInspect: false });
	return value instanceof Error ? value.stack : String(value);
}

/* What a promise of ours carried: where it was made is where it is. */
const settled = new WeakSet();
exports.settled = function (error) {
	if (error !== null && typeof error === 'object')
		settled.add(error);
	return error;
};

/* Texts that are no files: of -e, -p and standard input. */
let texts = null;
exports.text = (name, source) => { texts = { name, source, next: texts }; };

function lineOf(file, number) {
	for (let one = texts; one; one = one.next) {
		if (one.name === file)
			return one.source.split('\n')[number - 1];
	}
	try {
		const path = file.startsWith('file://') ? require('internal/fileurl').toPath(file) : file;
		return require('internal/files').readText(path).split('\n')[number - 1];
	} catch {
		return undefined;
	}
}

/* Error stacks of texts that do not compile begin with frames of Node; where the mistake is, is kept here. */
const mistakes = new WeakMap();

/* frames: Node's own, for the engine's line about the place and what is below it down to `below` */
exports.mistake = function (error, frames, below, length = host.marked()) {
	const found = /\n    at ([^\n(]*):(\d+):(\d+)(?=\n|$)/.exec(error.stack);
	if (!found)
		return error;
	mistakes.set(error, [...found.slice(1), undefined, length]);
	const lines = error.stack.slice(found.index + 1).split('\n').slice(1);
	const at = below === undefined ? -1 : below === null ? lines.length : lines.findIndex((line) => line.includes(below));
	const kept = [...frames.map((one) => `    at ${one}`), ...lines.slice(at + 1)];
	if (kept.length === 9 && kept[8].startsWith('    at endReadableNT '))	/* the engine's own line took its place */
		kept.push('    at process.processTicksAndRejections (node:internal/process/task_queues:82:21)');
	const stack = [error.stack.slice(0, found.index), ...kept].join('\n');
	Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
	return error;
};

/* An error about a text that is not running: [file, line, column, the line, characters], and all its frames. */
exports.misplaced = function (error, place, frames) {
	if (place)
		mistakes.set(error, place);
	const above = place ? frame(error) : '';
	const stack = [`SyntaxError: ${error.message}`, ...frames.map((one) => `    at ${one}`)].join('\n');
	return exports.decorated(error, above + stack);
};

/* An error that Node's own code makes: its frames there instead of ours, down to the first of another function. */
exports.within = function (error, frames, ours) {
	const found = error.stack.indexOf('\n    at '), at = found < 0 ? error.stack.length : found;
	const lines = found < 0 ? [] : error.stack.slice(at + 1).split('\n');
	while (lines.length && ours.test(lines[0]))
		lines.shift();
	const stack = [error.stack.slice(0, at), ...[...frames.map((one) => `    at ${one}`), ...lines].slice(0, 10)].join('\n');
	Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
	return error;
};

/* What Node's own code caught and threw again: that place is above the error. */
const again = new WeakMap();
exports.rethrown = function (error, place) {
	again.set(error, place);
	return error;
};

const FRAME_ANY = /\n {4}at ([^\n(]*):(\d+):(\d+)(?=\n|$)/;
const FRAME = /\n    at (?:[^\n]*?\()?((?:file:\/\/)?\/[^\n]*?|\[\w+\]|node:[^\n]*?):(\d+):(\d+)\)?(?=\n|$)/;

/* [file, line, column, a text that is no file, characters to mark]: the statement that threw, else where the error was made. */
function placeOf(error, fromPromise) {
	const thrown = fromPromise || settled.has(error) ? undefined : host.thrown(error);
	if (thrown && !thrown[0].startsWith('node:'))
		return thrown;
	if (error === null || typeof error !== 'object')
		return undefined;
	if (mistakes.has(error))
		return mistakes.get(error);
	const json = host.jsonMistake(error);
	if (json)
		return ['<anonymous_script>', ...json];
	const stack = typeof error.stack === 'string' ? error.stack : '';
	const at = FRAME.exec(stack);
	return at ? [...at.slice(1), undefined, error instanceof SyntaxError && stack.indexOf('\n    at ') === at.index ? host.marked() : 1] : undefined;
}

/* "file:line\nsource\n    ^\n" */
function frame(error, fromPromise, mistaken) {
	const at = mistaken ? [...FRAME_ANY.exec(error.stack)?.slice(1) ?? [], undefined, host.marked()] : placeOf(error, fromPromise);
	if (!at || at.length < 5 && mistaken)
		return '';
	let [file, number, column] = at;
	const [, , , given, length = 1] = at;
	if (file.startsWith('node:')) {
		const own = require('internal/source_lines').of(`${file}:${number}:${column}`);
		if (own)
			return own;
		const below = /\n    at (?:[^\n]*?\()?((?:file:\/\/)?\/[^\n]*?|\[\w+\]):(\d+):(\d+)\)?(?=\n|$)/.exec(error.stack);
		if (!below)
			return '';
		[, file, number, column] = below;
	}
	const line = given ?? lineOf(file, number);
	if (line === undefined)
		return '';
	const mark = column > line.length && given !== undefined ? '' : '^'.repeat(Math.max(length, 0));
	return `${file}:${number}\n${line}\n${length || error.message === 'Unexpected end of input' ? line.slice(0, column - 1).replace(/[^\t]/g, ' ') : ''}${mark}\n`;
}

exports.frame = frame;

/* Errors whose stacks begin with the line already. */
const shownAlready = new WeakSet();
exports.decorated = function (error, stack) {
	shownAlready.add(error);
	Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
	return error;
};

/* A reason that is no error, as V8 names it. */
function named(value) {
	if (value === null || (typeof value !== 'object'))
		return String(value);
	const tag = Object.prototype.toString.call(value);
	if (tag !== '[object Object]' && !(value instanceof Map) && !(value instanceof Set) && !(value instanceof Promise))
		return tag;
	let name;
	try {
		name = typeof value.toString === 'function' && value.toString === Object.prototype.toString ? value.constructor?.name : undefined;
	} catch {
		name = undefined;
	}
	return name ? `#<${name}>` : tag;
}

const REJECTED = 'node:internal/process/promises:389:7';

/* What a function of assert has thrown comes from where Node does so. */
function asserted(error) {
	const thrown = host.thrown(error);
	if (error.code !== 'ERR_ASSERTION' || !(error instanceof require('internal/assertion_error').AssertionError) ||
		settled.has(error) || (thrown && !thrown[0].startsWith('node:')))
		return undefined;
	const { operator, expected } = error;
	const at = operator === 'fail' ? 'assert:137' : operator === 'ifError' ? 'assert:733' : /atch$/.test(operator) ? 'assert:768' :
		operator === '==' && expected === true ? 'internal/assert/utils:281' : 'assert:90';
	return require('internal/source_lines').of(`node:${at}:1`);
}

/* Others that Node's own code throws, by their codes; a promise of ours says where "new" is. */
const THROWN = {
	__proto__: null, ERR_INVALID_ARG_TYPE: 'internal/errors:541', ERR_OUT_OF_RANGE: 'internal/errors:541', ERR_INVALID_ARG_VALUE: 'internal/errors:541',
	ERR_PARSE_ARGS_UNKNOWN_OPTION: 'internal/util/parse_args/parse_args:107', ERR_UNKNOWN_SIGNAL: 'internal/process/per_thread:220',
	ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: 'internal/util/parse_args/parse_args:387',
	ERR_PARSE_ARGS_INVALID_OPTION_VALUE: 'internal/util/parse_args/parse_args:116',
};

function thrownInside(error) {
	const thrown = host.thrown(error), { code } = error;
	const at = typeof code === 'string' ? THROWN[code] : undefined;
	if (at === undefined || (thrown && !thrown[0].startsWith('node:')))
		return undefined;
	const text = require('internal/source_lines').of(`node:${at}:1`);
	if (!settled.has(error))
		return text;
	return text.includes('throw new ') ? text.replace(/\^\n$/, '      ^\n') : undefined;
}

/* What the library has made as Node does, with Node's frames; the line that throws it there is above it, unless a script throws it again. */
const made = new WeakMap();
exports.made = function (error, frames, ours, place) {
	made.set(error, place);
	return exports.within(error, frames, ours);
};

function madeInside(error) {
	const thrown = made.has(error) && !settled.has(error) ? host.thrown(error) : undefined;
	if (!made.has(error) || settled.has(error) || (thrown && !thrown[0].startsWith('node:')))
		return undefined;
	return require('internal/source_lines').of(`node:${made.get(error)}:1`);
}

const UNHEARD = "node:events:502\n      throw er; // Unhandled 'error' event\n      ^\n";

/* An 'error' event that nobody listened to: its stack says where it was emitted. */
function emitted(error) {
	const emit = require('internal/emit');
	if (!emit.emitted.has(error) || typeof error.stack !== 'string')
		return false;
	Object.defineProperty(error, 'stack', { value: emit.stackOf(error), writable: true, configurable: true, enumerable: false });
	return true;
}

/* Thrown by a script of -e itself: Node marks those. */
let evaluated = false;
exports.evaluated = (value) => { evaluated = value; };

function report(error, fromPromise) {
	const thrown = error !== null && (typeof error === 'object' || typeof error === 'function') && host.classOf(error) === 'Error';
	let text = '';
	if (fromPromise && !thrown) {
		text = `${require('internal/source_lines').of(REJECTED)}\nUnhandledPromiseRejection: ${REASON}"${named(error)}".\n` +
			`    at throwUnhandledRejectionsMode (${REJECTED})\n    at processPromiseRejections (node:internal/process/promises:470:17)\n` +
			"    at process.processTicksAndRejections (node:internal/process/task_queues:96:32) {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n";
	} else if (thrown) {
		const where = shownAlready.has(error) ? '' : again.has(error) ? require('internal/source_lines').of(again.get(error)) : emitted(error) ? UNHEARD : !fromPromise && (asserted(error) || madeInside(error) || thrownInside(error)) ||
			frame(error, fromPromise) || (fromPromise ? require('internal/source_lines').of('node:internal/process/promises:391:5') : '');
		text = `${where && `${where}\n`}${shown(error)}\n`;
	} else {
		const where = frame(error, fromPromise), object = error !== null && (typeof error === 'object' || typeof error === 'function');
		text = where ? object && evaluated ? `${where}\n` : `\n${where}` : 'Uncaught:\n';
		text += `${where && typeof error !== 'object' && typeof error !== 'function' ? typeof error === 'symbol' ? '' : error : shown(error)}\n`;
		if (!object || !where)
			text += '(Use `node --trace-uncaught ...` to show where the exception was thrown)\n';
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

/* What listeners are told of a reason that is no error: one that says so. */
function toldOf(reason, fromPromise) {
	if (!fromPromise || (typeof reason === 'object' && reason !== null && Object.hasOwn(reason, 'stack')) || host.classOf(reason) === 'Error')
		return reason;
	const error = new Error(`${REASON}"${named(reason)}".`);
	error.code = 'ERR_UNHANDLED_REJECTION';
	error.name = 'UnhandledPromiseRejection';
	return error;
}

/* origin of an exception that a promise carried: 'unhandledRejection' */
function uncaught(error, fromPromise) {
	if (isOutOfMemory(error))
		exports.oom();
	const origin = fromPromise ? 'unhandledRejection' : 'uncaughtException';
	const { process, capture, end } = require('internal/process');
	try {
		const told = toldOf(error, fromPromise);
		process.emit('uncaughtExceptionMonitor', told, origin);
		if (capture.fn) {
			capture.fn(told);
			return;
		}
		if (process.listenerCount('uncaughtException') > 0) {
			process.emit('uncaughtException', told, origin);
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

let rejected = 0;

function warn(reason) {
	const text = reason instanceof Error ? reason.stack : named(reason);
	process.emitWarning(text, 'UnhandledPromiseRejectionWarning');
	process.emitWarning(`Unhandled promise rejection. ${REASON.replace(/The promise rejected.*/, '')}To terminate the node process on unhandled ` +
		'promise rejection, use the CLI flag `--unhandled-rejections=strict` (see https://nodejs.org/api/cli.html#cli_unhandled_' +
		`rejections_mode). (rejection id: ${++rejected})`, 'UnhandledPromiseRejectionWarning');
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
