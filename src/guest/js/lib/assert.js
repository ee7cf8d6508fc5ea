/* assert. How failures read is in internal/assertion_error.js, equality in internal/compare.js. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction } = require('internal/validators');
const { AssertionError } = require('internal/assertion_error');
const { isDeepEqual, isDeepStrictEqual } = require('internal/compare');
const { inspect } = require('internal/inspect');
const { types, isError } = require('internal/types');

const NONE = Symbol('no exception');

function fail(options) {
	if (options.message instanceof Error)
		throw options.message;
	throw new AssertionError(options);
}

function innerOk(fn, count, value, message) {
	if (value)
		return;
	let generated = false;
	if (count === 0) {
		generated = true;
		message = 'No value argument passed to `assert.ok()`';
	} else if (message == null) {
		generated = true;
		message = require('internal/call_source').falsyMessage(fn);
	} else if (message instanceof Error) {
		throw message;
	}
	const error = new AssertionError({ actual: value, expected: true, message, operator: '==', stackStartFn: fn });
	error.generatedMessage = generated;
	throw error;
}

function assert(...args) {
	innerOk(assert, args.length, ...args);
}

assert.fail = function fail(actual, expected, message, operator, stackStartFn) {
	let generated = false;
	if (actual == null && arguments.length <= 1) {
		generated = true;
		message = 'Failed';
	} else if (arguments.length === 1) {
		message = actual;
		actual = undefined;
	} else {
		require('process').emitWarning('assert.fail() with more than one argument is deprecated. Please use assert.strictEqual() ' +
			'instead or only pass a message.', 'DeprecationWarning', 'DEP0094');
		if (arguments.length === 2)
			operator = '!=';
	}
	if (message instanceof Error)
		throw message;
	const options = { actual, expected, operator: operator === undefined ? 'fail' : operator, stackStartFn: stackStartFn || assert.fail };
	if (message !== undefined)
		options.message = message;
	const error = new AssertionError(options);
	if (generated)
		error.generatedMessage = true;
	throw error;
};

assert.AssertionError = AssertionError;

assert.ok = function ok(...args) {
	innerOk(ok, args.length, ...args);
};

/* A comparison of two values: fails unless `test` holds. */
function comparison(name, operator, test) {
	const fn = {
		[name](actual, expected, message) {
			if (arguments.length < 2)
				throw new codes.ERR_MISSING_ARGS('actual', 'expected');
			if (!test(actual, expected))
				fail({ actual, expected, message, operator, stackStartFn: fn });
		},
	}[name];
	assert[name] = fn;
}
// eslint-disable-next-line eqeqeq
const looseEqual = (a, b) => a == b || (a !== a && b !== b);
comparison('equal', '==', looseEqual);
comparison('notEqual', '!=', (a, b) => !looseEqual(a, b));
comparison('deepEqual', 'deepEqual', isDeepEqual);
comparison('notDeepEqual', 'notDeepEqual', (a, b) => !isDeepEqual(a, b));
comparison('deepStrictEqual', 'deepStrictEqual', isDeepStrictEqual);
comparison('notDeepStrictEqual', 'notDeepStrictEqual', (a, b) => !isDeepStrictEqual(a, b));
comparison('strictEqual', 'strictEqual', Object.is);
comparison('notStrictEqual', 'notStrictEqual', (a, b) => !Object.is(a, b));

/* ---- exceptions ---- */

class Comparison {
	constructor(object, keys, actual) {
		for (const key of keys) {
			if (!(key in object))
				continue;
			const matches = actual !== undefined && typeof actual[key] === 'string' && types.isRegExp(object[key]) &&
				object[key].exec(actual[key]) !== null;
			this[key] = matches ? actual[key] : object[key];
		}
	}
}

function compareKey(actual, expected, key, message, keys, fn) {
	if (key in actual && isDeepStrictEqual(actual[key], expected[key]))
		return;
	if (message)
		fail({ actual, expected, message, operator: fn.name, stackStartFn: fn });
	const error = new AssertionError({
		actual: new Comparison(actual, keys), expected: new Comparison(expected, keys, actual),
		operator: 'deepStrictEqual', stackStartFn: fn,
	});
	throw Object.assign(error, { actual, expected, operator: fn.name });
}

/* The exception against an object (or error) with the wanted properties. */
function matchObject(actual, expected, message, fn) {
	if (typeof actual !== 'object' || actual === null) {
		const error = new AssertionError({ actual, expected, message, operator: 'deepStrictEqual', stackStartFn: fn });
		error.operator = fn.name;
		throw error;
	}
	const keys = Object.keys(expected);
	if (expected instanceof Error)
		keys.push('name', 'message');
	else if (keys.length === 0)
		throw new codes.ERR_INVALID_ARG_VALUE('error', expected, 'may not be an empty object');
	for (const key of keys) {
		if (typeof actual[key] === 'string' && types.isRegExp(expected[key]) && expected[key].exec(actual[key]) !== null)
			continue;
		compareKey(actual, expected, key, message, keys, fn);
	}
}

/* Why a function or regular expression does not accept the exception; undefined: it does. */
function complaint(actual, expected) {
	if (types.isRegExp(expected)) {
		const text = String(actual);
		return expected.exec(text) !== null ? undefined :
			`The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`;
	}
	if (expected.prototype !== undefined && actual instanceof expected)
		return undefined;
	if (Object.prototype.isPrototypeOf.call(Error, expected)) {
		let text = `The error is expected to be an instance of "${expected.name}". Received `;
		text += isError(actual) ? `"${actual.name}"` : `"${inspect(actual, { depth: -1 })}"`;
		return isError(actual) ? `${text}\n\nError message:\n\n${actual.message}` : text;
	}
	const result = Reflect.apply(expected, {}, [actual]);
	if (result === true)
		return undefined;
	const name = expected.name ? `"${expected.name}" ` : '';
	const text = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
	return isError(actual) ? `${text}\n\nCaught error:\n\n${actual}` : text;
}

function expectedException(actual, expected, message, fn) {
	if (typeof expected !== 'function' && !types.isRegExp(expected)) {
		matchObject(actual, expected, message, fn);
		return;
	}
	const text = complaint(actual, expected);
	if (text === undefined)
		return;
	if (message instanceof Error)
		throw message;
	const error = new AssertionError({ actual, expected, message: message || text, operator: fn.name, stackStartFn: fn });
	error.generatedMessage = !message;
	throw error;
}

function caught(fn) {
	validateFunction(fn, 'fn');
	try {
		fn();
	} catch (error) {
		return error;
	}
	return NONE;
}

async function rejected(promiseFn) {
	let promise = promiseFn;
	if (typeof promiseFn === 'function') {
		promise = promiseFn();
		if (!isThenable(promise))
			throw new codes.ERR_INVALID_RETURN_VALUE('instance of Promise', 'promiseFn', promise);
	} else if (!isThenable(promiseFn)) {
		throw new codes.ERR_INVALID_ARG_TYPE('promiseFn', ['Function', 'Promise'], promiseFn);
	}
	try {
		await promise;
	} catch (error) {
		return error;
	}
	return NONE;
}

function isThenable(value) {
	return types.isPromise(value) || (value !== null && typeof value === 'object' && typeof value.then === 'function' &&
		typeof value.catch === 'function');
}

function expectsError(fn, actual, error, message) {
	if (typeof error === 'string') {
		if (arguments.length === 4)
			throw new codes.ERR_INVALID_ARG_TYPE('error', ['Object', 'Error', 'Function', 'RegExp'], error);
		if (typeof actual === 'object' && actual !== null) {
			if (actual.message === error)
				throw new codes.ERR_AMBIGUOUS_ARGUMENT('error/message', `The error message "${actual.message}" is identical to the message.`);
		} else if (actual === error) {
			throw new codes.ERR_AMBIGUOUS_ARGUMENT('error/message', `The error "${actual}" is identical to the message.`);
		}
		message = error;
		error = undefined;
	} else if (error != null && typeof error !== 'object' && typeof error !== 'function') {
		throw new codes.ERR_INVALID_ARG_TYPE('error', ['Function', 'Error', 'RegExp', 'Object'], error);
	}
	if (actual === NONE) {
		let details = error && error.name ? ` (${error.name})` : '';
		details += message ? `: ${message}` : '.';
		fail({
			actual: undefined, expected: error, operator: fn.name, stackStartFn: fn,
			message: `Missing expected ${fn === assert.rejects ? 'rejection' : 'exception'}${details}`,
		});
	}
	if (error)
		expectedException(actual, error, message, fn);
}

function hasMatchingError(actual, expected) {
	if (typeof expected !== 'function') {
		if (types.isRegExp(expected))
			return expected.exec(String(actual)) !== null;
		throw new codes.ERR_INVALID_ARG_TYPE('expected', ['Function', 'RegExp'], expected);
	}
	if (expected.prototype !== undefined && actual instanceof expected)
		return true;
	return !Object.prototype.isPrototypeOf.call(Error, expected) && Reflect.apply(expected, {}, [actual]) === true;
}

function expectsNoError(fn, actual, error, message) {
	if (actual === NONE)
		return;
	if (typeof error === 'string') {
		message = error;
		error = undefined;
	}
	if (error && !hasMatchingError(actual, error))
		throw actual;
	fail({
		actual, expected: error, operator: fn.name, stackStartFn: fn,
		message: `Got unwanted ${fn === assert.doesNotReject ? 'rejection' : 'exception'}${message ? `: ${message}` : '.'}\n` +
			`Actual message: "${actual && actual.message}"`,
	});
}

assert.throws = function throws(fn, ...args) {
	expectsError(throws, caught(fn), ...args);
};
assert.rejects = async function rejects(promiseFn, ...args) {
	expectsError(rejects, await rejected(promiseFn), ...args);
};
assert.doesNotThrow = function doesNotThrow(fn, ...args) {
	expectsNoError(doesNotThrow, caught(fn), ...args);
};
assert.doesNotReject = async function doesNotReject(fn, ...args) {
	expectsNoError(doesNotReject, await rejected(fn), ...args);
};

assert.ifError = function ifError(error) {
	if (error === null || error === undefined)
		return;
	let message = 'ifError got unwanted exception: ';
	if (typeof error === 'object' && typeof error.message === 'string')
		message += error.message.length === 0 && error.constructor ? error.constructor.name : error.message;
	else
		message += inspect(error);
	throw new AssertionError({ actual: error, expected: null, operator: 'ifError', message, stackStartFn: ifError });
};

function internalMatch(string, regexp, message, fn) {
	if (!types.isRegExp(regexp))
		throw new codes.ERR_INVALID_ARG_TYPE('regexp', 'RegExp', regexp);
	const wanted = fn === assert.match;
	if (typeof string === 'string' && (regexp.exec(string) !== null) === wanted)
		return;
	if (message instanceof Error)
		throw message;
	let text = message;
	if (!message) {
		text = typeof string !== 'string' ?
			`The "string" argument must be of type string. Received type ${typeof string} (${inspect(string)})` :
			`${wanted ? 'The input did not match the regular expression ' : 'The input was expected to not match the regular expression '}` +
			`${inspect(regexp)}. Input:\n\n${inspect(string)}\n`;
	}
	const error = new AssertionError({ actual: string, expected: regexp, message: text, operator: fn.name, stackStartFn: fn });
	error.generatedMessage = !message;
	throw error;
}
assert.match = function match(string, regexp, message) {
	internalMatch(string, regexp, message, match);
};
assert.doesNotMatch = function doesNotMatch(string, regexp, message) {
	internalMatch(string, regexp, message, doesNotMatch);
};

assert.CallTracker = class CallTracker {
	#calls = [];
	calls(fn, expected = 1) {
		if (typeof fn === 'number') {
			expected = fn;
			fn = () => {};
		} else if (fn === undefined) {
			fn = () => {};
		}
		require('internal/validators').validateUint32(expected, 'expected', true);
		const entry = { name: fn.name || 'calls', expected, actual: 0, calls: [] };
		this.#calls.push(entry);
		const tracked = new Proxy(fn, {
			apply(target, self, args) {
				entry.actual++;
				entry.calls.push({ thisArg: self, arguments: args });
				return Reflect.apply(target, self, args);
			},
		});
		entry.tracked = tracked;
		return tracked;
	}
	getCalls(tracked) { return this.#calls.find((entry) => entry.tracked === tracked).calls; }
	reset() { this.#calls.forEach((entry) => Object.assign(entry, { actual: 0, calls: [] })); }
	report() {
		return this.#calls.filter((entry) => entry.actual !== entry.expected).map((entry) => ({
			message: `Expected the ${entry.name} function to be executed ${entry.expected} time(s) but was executed ${entry.actual} time(s).`,
			actual: entry.actual, expected: entry.expected, operator: entry.name, stack: {},
		}));
	}
	verify() {
		const details = this.report();
		if (details.length === 0)
			return;
		const message = details.length === 1 ? details[0].message : 'Functions were not called the expected number of times';
		throw new AssertionError({ message, details });
	}
};

function strict(...args) {
	innerOk(strict, args.length, ...args);
}

assert.strict = Object.assign(strict, assert, {
	equal: assert.strictEqual, deepEqual: assert.deepStrictEqual, notEqual: assert.notStrictEqual,
	notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;

module.exports = assert;
