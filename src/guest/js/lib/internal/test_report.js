/* Reporters of node:test: what the events of test_runner.js look like as TAP and for people; and as data for `node --test`. */
'use strict';

const { process } = require('internal/process');
const { inspect } = require('internal/inspect');
const { print } = require('internal/print');

const INTERNAL = /^\s+at (?:.*\()?node:internal\/|^\s+at node:internal\//;

const LATER = 'TO' + 'DO';

/* ---- TAP ---- */

const tapEscape = (text) => text.replace(/[\\#]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r');

function yamlText(text, indent, name) {
	if (!text.includes('\n'))
		return `${indent}${name}: ${inspect(text)}\n`;
	const lines = text.split(/\r?\n/);
	return `${indent}${name}: |-\n${lines.map((line) => `${indent}  ${line}\n`).join('')}`;
}

function yaml(indent, name, value, depth = 0) {
	if (value === null || value === undefined || typeof value !== 'object') {
		if (typeof value === 'string')
			return yamlText(value, indent, name);
		return `${indent}${name}: ${value === undefined ? '' : inspect(value)}\n`.replace(/: \n$/, ':\n');
	}
	if (value instanceof Date)
		return `${indent}${name}: ${value.toISOString()}\n`;
	let text = `${indent}${name}:\n`;
	if (depth > 4)
		return text;
	const entries = Object.entries(value);
	for (const [key, one] of entries) {
		if (one === value)
			text += `${indent}  ${key}: <Circular>\n`;
		else if (Array.isArray(value))
			text += yaml(`${indent}  `, key, one, depth + 1);
		else
			text += yaml(`${indent}  `, key, one, depth + 1);
	}
	return text;
}

function stackLines(error) {
	if (typeof error.stack !== 'string')
		return '';
	return error.stack.split('\n').filter((line) => /^\s+at /.test(line) && !INTERNAL.test(line)).map((line) => line.replace(/^\s+at /, '')).join('\n');
}

function tapError(indent, error, where) {
	let text = '';
	const cause = error.cause !== undefined && error.failureType !== 'subtestsFailed' ? error.cause : error;
	if (where.file)
		text += `${indent}location: '${where.file}:${where.line}:${where.column}'\n`;
	text += `${indent}failureType: '${error.failureType}'\n`;
	text += yaml(indent, 'error', cause instanceof Error ? cause.message : typeof cause === 'string' ? cause : inspect(cause));
	const code = cause instanceof Error && cause.code !== undefined ? cause.code : error.code;
	text += yaml(indent, 'code', code);
	if (cause instanceof Error) {
		if (cause.name !== 'Error')
			text += yaml(indent, 'name', cause.name);
		if (cause.code === 'ERR_ASSERTION') {
			text += yaml(indent, 'expected', cause.expected) + yaml(indent, 'actual', cause.actual);
			if (cause.operator)
				text += yaml(indent, 'operator', cause.operator);
		}
		const stack = cause === error ? '' : stackLines(cause);
		if (stack)
			text += `${indent}stack: |-\n${stack.split('\n').map((line) => `${indent}  ${line}\n`).join('')}`;
	}
	return text;
}

function tapReporter(write) {
	write('TAP version 13\n');
	return function (type, d) {
		const indent = '    '.repeat(Math.max(d.nesting ?? 0, 0));
		switch (type) {
		case 'test:start':
			write(`${indent}# Subtest: ${tapEscape(d.name)}\n`);
			break;
		case 'test:pass':
		case 'test:fail': {
			const mark = d.skip !== undefined ? ` # SKIP${typeof d.skip === 'string' && d.skip ? ` ${tapEscape(d.skip)}` : ''}` :
				d.todo !== undefined ? ` # ${LATER}${typeof d.todo === 'string' && d.todo ? ` ${tapEscape(d.todo)}` : ''}` : '';
			let text = `${indent}${type === 'test:fail' ? 'not ' : ''}ok ${d.testNumber} - ${tapEscape(d.name)}${mark}\n`;
			text += `${indent}  ---\n${indent}  duration_ms: ${d.ms}\n`;
			if (d.kind === 'suite')
				text += `${indent}  type: 'suite'\n`;
			if (d.error)
				text += typeof d.error === 'string' ? d.error.replace(/^(?=.)/gm, indent) : tapError(`${indent}  `, d.error, d);
			write(`${text}${indent}  ...\n`);
			break;
		}
		case 'test:plan':
			write(`${indent}1..${d.count}\n`);
			break;
		case 'test:diagnostic':
			write(`${indent}# ${tapEscape(d.message)}\n`);
			break;
		case 'test:stdout':
		case 'test:stderr':
			for (const line of d.message.replace(/\n$/, '').split('\n'))
				write(`# ${tapEscape(line)}\n`);
			break;
		default:
		}
	};
}

/* ---- For people ---- */

const marks = { 'test:fail': '\u2716 ', 'test:pass': '\u2714 ', skip: '\ufe63 ', suite: '\u25b6 ', note: '\u2139 ' };
const paint = { 'test:fail': '31', 'test:pass': '32', note: '34', skip: '90' };

function specReporter(write, colors) {
	const failures = [], opened = [];
	const dress = (kind, text) => colors && paint[kind] ? `\u001b[${paint[kind]}m${text}\u001b[39m` : text;
	function errorText(d, indent) {
		const text = typeof d.error === 'string' ? d.errorShown ?? d.error : shownError(d.error);
		return `${text.split('\n').map((line) => `${indent}  ${line}`).join('\n')}\n`;
	}
	function line(type, d, indent, withError) {
		const time = colors ? ` \u001b[90m(${d.ms}ms)\u001b[39m` : ` (${d.ms}ms)`;
		const mark = d.skip !== undefined ? ` # ${typeof d.skip === 'string' && d.skip ? d.skip : 'SKIP'}` :
			d.todo !== undefined ? ` # ${typeof d.todo === 'string' && d.todo ? d.todo : LATER}` : '';
		const kind = d.skip !== undefined ? 'skip' : type;
		return `${indent}${dress(kind, `${marks[kind]}${d.name}`)}${time}${mark}\n${withError && d.error ? `${errorText(d, indent)}\n` : ''}`;
	}
	return function (type, d) {
		const indent = '  '.repeat(Math.max(d.nesting ?? 0, 0));
		switch (type) {
		case 'test:start':
			opened.unshift(d);
			break;
		case 'test:pass':
		case 'test:fail': {
			const own = opened.findIndex((one) => one.nesting === d.nesting && one.name === d.name);
			if (own >= 0)
				opened.splice(own, 1);
			for (const one of opened.splice(0).filter((x) => x.nesting < d.nesting).reverse()) {
				write(`${'  '.repeat(one.nesting)}${marks.suite}${one.name}\n`);
			}
			const inside = d.error && d.error.failureType === 'subtestsFailed' || d.failureType === 'subtestsFailed';
			if (type === 'test:fail' && !inside)
				failures.push(d);
			write(line(type, d, indent, !inside));
			break;
		}
		case 'test:diagnostic':
			write(`${indent}${dress('note', `${marks.note}${d.message}`)}\n`);
			break;
		case 'test:stdout':
		case 'test:stderr':
			write(d.message);
			break;
		case 'test:summary':
			if (failures.length === 0)
				break;
			write(`\n${dress('test:fail', `${marks['test:fail']}failing tests:`)}\n`);
			for (const one of failures) {
				if (one.file) {
					const cwd = `${process.cwd()}/`;
					write(`\ntest at ${one.file.startsWith(cwd) ? one.file.slice(cwd.length) : one.file}:${one.line}:${one.column}\n`);
				} else {
					write('\n');
				}
				write(line('test:fail', one, '', true).replace(/\n$/, ''));
			}
			break;
		default:
		}
	};
}

function shownError(error) {
	const cause = error.cause !== undefined ? error.cause : error;
	const text = cause instanceof Error && cause === error ? `'${error.message}'` : inspect(cause);
	const kept = text.split('\n').filter((line) => !INTERNAL.test(line));
	const object = text.endsWith('}') ? kept : kept;
	return object.join('\n');
}

/* ---- As data: one line of JSON behind a mark for each event, for the process that runs many files ---- */

const MARK = '\u0001test:';
exports.MARK = MARK;

function dataReporter(write) {
	return function (type, d) {
		if (type === 'test:summary' || (type === 'test:plan' && d.nesting === 0) || (type === 'test:diagnostic' && d.nesting === 0 && !d.own))
			return;
		const sent = { ...d };
		if (d.error) {
			sent.error = tapError('  ', d.error, d);
			sent.errorShown = shownError(d.error);
			sent.failureType = d.error.failureType;
		}
		write(`${MARK}${JSON.stringify([type, sent])}\n`);
	};
}

exports.make = function (name, write, colors) {
	if (name === 'tap')
		return tapReporter(write);
	if (name === 'spec')
		return specReporter(write, colors);
	if (name === 'dot')
		return dotReporter(write);
	throw new Error(`the reporter ${name} is not in this sandbox: there are tap, spec and dot`);
};

function dotReporter(write) {
	let column = 0;
	return function (type) {
		if (type !== 'test:pass' && type !== 'test:fail') {
			if (type === 'test:summary' && column)
				write('\n');
			return;
		}
		write(type === 'test:pass' ? '.' : 'X');
		if (++column === 20) {
			write('\n');
			column = 0;
		}
	};
}

exports.reporter = undefined;	/* --test-reporter */

exports.open = function () {
	let pending = '';
	const flush = () => {
		const text = pending;
		pending = '';
		if (text)
			print(1, text);
	};
	/* Node's reporter is a stream: what the tests print in the same turn comes before it. */
	const write = (text) => {
		if (!pending)
			setImmediate(flush);
		pending += text;
	};
	process.on('exit', flush);
	if (process.env.NODE_TEST_CONTEXT === 'child')
		return dataReporter(write);
	const tty = host.isatty(1);
	return exports.make(exports.reporter ?? (tty ? 'spec' : 'tap'), write, tty);
};
