/* AssertionError: its message shows both values, line by line when they are large. */
'use strict';

const { inspect } = require('internal/inspect');
const { validateObject } = require('internal/validators');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const headings = {
	__proto__: null,
	deepStrictEqual: 'Expected values to be strictly deep-equal:',
	strictEqual: 'Expected values to be strictly equal:',
	strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
	deepEqual: 'Expected values to be loosely deep-equal:',
	notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
	notStrictEqual: 'Expected "actual" to be strictly unequal to:',
	notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
	notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
	notIdentical: 'Values have same structure but are not reference-equal:',
	notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};

const noColors = { plus: '+', minus: '-', dots: '...', actual: '+ actual', expected: '- expected' };
const withColors = {
	plus: '\u001b[32m+\u001b[39m', minus: '\u001b[31m-\u001b[39m', dots: '\u001b[34m...\u001b[39m',
	actual: '\u001b[32m+ actual\u001b[39m', expected: '\u001b[31m- expected\u001b[39m',
};

function palette() {
	const { stderr } = require('process');
	return stderr && stderr.isTTY && typeof stderr.getColorDepth === 'function' && stderr.getColorDepth() !== 1 ? withColors : noColors;
}

function show(value) {
	return inspect(value, {
		compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false,
		showProxy: false, sorted: true, getters: true, breakLength: Infinity,
	});
}

const isObject = (value) => typeof value === 'object' && value !== null;

function cut(lines) {
	if (lines.length > 50) {
		lines.length = 46;
		lines.push('...');
	}
	return lines;
}

/* Two values of one line each: side by side when short, or a mark under the first difference. */
function oneLine(actual, expected, a, b, operator, heading) {
	const length = a.length + b.length;
	if (length <= 12) {
		if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0))
			return { message: `${heading}\n\n${a} !== ${b}\n` };
	} else if (operator !== 'strictEqualObject') {
		const { stderr } = require('process');
		if (length < (stderr && stderr.isTTY && stderr.columns ? stderr.columns : 80)) {
			let i = 0;
			while (a[i] === b[i])
				i++;
			if (i > 2)
				return { mark: `\n  ${' '.repeat(i)}^` };
		}
	}
	return {};
}

/* Takes the equal lines off both ends; gives the last few of them as text. */
function takeEnd(state) {
	const { ours, theirs } = state;
	let count = 0, pending = '';
	while (ours.length > 0 && theirs.length > 0 && ours[ours.length - 1] === theirs[theirs.length - 1]) {
		const line = ours.pop();
		theirs.pop();
		if (count++ < 3)
			state.end = `\n  ${line}${state.end}`;
		else
			pending = line;
	}
	state.same = count;
	return pending;
}

/* What was equal before a difference: the last two lines, with dots for more. */
function context(state, lines, i) {
	if (state.identical > 2) {
		if (state.identical > 3) {
			if (state.identical > 4) {
				if (state.identical === 5) {
					state.out += `\n  ${lines[i - 3]}`;
					state.printed++;
				} else {
					state.out += `\n${state.colors.dots}`;
					state.skipped = true;
				}
			}
			state.out += `\n  ${lines[i - 2]}`;
			state.printed++;
		}
		state.out += `\n  ${lines[i - 1]}`;
		state.printed++;
	}
	state.identical = 0;
}

function compareLine(state, i) {
	const theirs = state.theirs[i];
	let ours = state.ours[i];
	let differs = ours !== theirs && (!ours.endsWith(',') || ours.slice(0, -1) !== theirs);
	if (differs && theirs.endsWith(',') && theirs.slice(0, -1) === ours) {
		differs = false;
		ours += ',';
	}
	if (differs) {
		context(state, state.ours, i);
		state.out += `\n${state.colors.plus} ${ours}`;
		state.other += `\n${state.colors.minus} ${theirs}`;
		state.printed += 2;
	} else {
		state.out += state.other;
		state.other = '';
		state.identical++;
		if (state.identical <= 2) {
			state.out += `\n  ${ours}`;
			state.printed++;
		}
	}
}

function diff(actual, expected, operator, custom) {
	const colors = palette();
	const shown = show(actual);
	const state = {
		colors, ours: shown.split('\n'), theirs: show(expected).split('\n'), end: '', out: '', other: '', identical: 0,
		printed: 0, skipped: false, same: 0,
	};
	if (operator === 'strictEqual' && ((isObject(actual) && isObject(expected)) ||
		(typeof actual === 'function' && typeof expected === 'function')))
		operator = 'strictEqualObject';
	const heading = custom ?? headings[operator];
	let mark = '';
	if (state.ours.length === 1 && state.theirs.length === 1 && state.ours[0] !== state.theirs[0]) {
		const made = oneLine(actual, expected, state.ours[0], state.theirs[0], operator, heading);
		if (made.message)
			return made.message;
		mark = made.mark || '';
	}
	const pending = takeEnd(state);
	const most = Math.max(state.ours.length, state.theirs.length);
	if (most === 0)
		return `${headings.notIdentical}\n\n${cut(shown.split('\n')).join('\n')}\n`;
	if (state.same >= 5) {
		state.end = `\n${colors.dots}${state.end}`;
		state.skipped = true;
	}
	if (pending !== '')
		state.end = `\n  ${pending}${state.end}`;
	const head = `${heading}\n${colors.actual} ${colors.expected}`, note = ` ${colors.dots} Lines skipped`;
	const oursLonger = state.ours.length >= most;
	const longer = oursLonger ? state.ours : state.theirs, shorter = Math.min(state.ours.length, state.theirs.length);
	for (let i = 0; i < most; i++) {
		if (shorter > i) {
			compareLine(state, i);
		} else {
			context(state, longer, i);
			if (oursLonger)
				state.out += `\n${colors.plus} ${longer[i]}`;
			else
				state.other += `\n${colors.minus} ${longer[i]}`;
			state.printed++;
		}
		if (state.printed > 50 && i < most - 2)
			return `${head}${note}\n${state.out}\n${colors.dots}${state.other}\n${colors.dots}`;
	}
	return `${head}${state.skipped ? note : ''}\n${state.out}${state.other}${state.end}${mark}`;
}

function unequalMessage(actual, operator) {
	let heading = headings[operator];
	if (operator === 'notStrictEqual' && (isObject(actual) || typeof actual === 'function'))
		heading = headings.notStrictEqualObject;
	const lines = cut(show(actual).split('\n'));
	if (lines.length === 1)
		return `${heading}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
	return `${heading}\n\n${lines.join('\n')}\n`;
}

function looseMessage(actual, expected, operator) {
	let left = show(actual), right = show(expected);
	const heading = headings[operator];
	if (operator === 'notDeepEqual' && left === right) {
		left = `${heading}\n\n${left}`;
		return left.length > 1024 ? `${left.slice(0, 1021)}...` : left;
	}
	if (left.length > 512)
		left = `${left.slice(0, 509)}...`;
	if (right.length > 512)
		right = `${right.slice(0, 509)}...`;
	if (operator === 'deepEqual')
		return `${heading}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
	const unequal = headings[`${operator}Unequal`];
	if (unequal)
		return `${unequal}\n\n${left}\n\nshould not loosely deep-equal\n\n${right}`;
	return `${left} ${operator} ${right}`;
}

/* Errors are compared without their stacks. */
function bare(error) {
	const copy = Object.assign({ __proto__: Object.getPrototypeOf(error) }, error);
	Object.defineProperty(copy, 'message', { value: error.message });
	return copy;
}

function messageOf({ actual, expected, message, operator }) {
	if (actual instanceof Error && expected instanceof Error && 'stack' in actual && 'stack' in expected) {
		actual = bare(actual);
		expected = bare(expected);
	}
	if (message != null) {
		if (operator === 'deepStrictEqual' || operator === 'strictEqual')
			return diff(actual, expected, operator, message);
		return String(message);
	}
	if (operator === 'deepStrictEqual' || operator === 'strictEqual')
		return diff(actual, expected, operator);
	if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual')
		return unequalMessage(actual, operator);
	return looseMessage(actual, expected, operator);
}

/* Long strings would fill the screen. */
function shorten(value) {
	if (typeof value !== 'string')
		return value;
	const lines = value.split('\n', 10);
	if (lines.length === 10)
		value = `${lines.join('\n')}\n...`;
	return value.length > 512 ? `${value.slice(0, 512)}...` : value;
}

class AssertionError extends Error {
	constructor(options) {
		validateObject(options, 'options');
		const { message, operator, stackStartFn, details, stackStartFunction } = options;
		super(messageOf(options));
		this.generatedMessage = !message;
		Object.defineProperty(this, 'name', {
			value: 'AssertionError [ERR_ASSERTION]', enumerable: false, writable: true, configurable: true,
		});
		this.code = 'ERR_ASSERTION';
		if (details) {
			this.actual = this.expected = this.operator = undefined;
			details.forEach((one, i) => Object.assign(this, {
				[`message ${i}`]: one.message, [`actual ${i}`]: one.actual, [`expected ${i}`]: one.expected,
				[`operator ${i}`]: one.operator, [`stack trace ${i}`]: one.stack,
			}));
		} else {
			this.actual = options.actual;
			this.expected = options.expected;
			this.operator = operator;
		}
		const frames = {};
		Error.captureStackTrace(frames, stackStartFn || stackStartFunction || AssertionError);
		const at = String(frames.stack).indexOf('\n    at ');
		Object.defineProperty(this, 'stack', {
			value: `${this.name}: ${this.message}${at < 0 ? '' : frames.stack.slice(at)}`,
			writable: true, configurable: true, enumerable: false,
		});
		this.name = 'AssertionError';
	}
	toString() {
		return `${this.name} [${this.code}]: ${this.message}`;
	}
	[inspectSymbol](depth, ctx) {
		const { actual, expected } = this;
		this.actual = shorten(actual);
		this.expected = shorten(expected);
		const shown = inspect(this, { ...ctx, customInspect: false, depth: 0 });
		this.actual = actual;
		this.expected = expected;
		return shown;
	}
}

exports.AssertionError = AssertionError;
