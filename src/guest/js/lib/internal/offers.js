/*
 * What the embedding program offers to scripts (tinysandbox/js.h): the object `sandbox` with its functions, the limit of memory.
 */
'use strict';

exports.bytes = 0;		/* that a call out may have */
exports.fetch = false;		/* is there somebody who answers? */

const TOO_LARGE = -90;		/* EMSGSIZE */

exports.tooLarge = function (what) {
	const e = new Error(`js_call_bytes limit reached (${exports.bytes}): ${what}`);
	e.code = 'EMSGSIZE';
	return e;
};

/* The error of an answer: "CODE\0", and its message. */
exports.thrown = function (head, message) {
	const e = new Error(host.utf8Decode(message));
	if (head.length > 1)
		e.code = host.utf8Decode(head, 0, head.length - 1);
	return e;
};

/* An answer as the script gets it. */
function valueOf(name, answer) {
	if (answer === TOO_LARGE)
		throw exports.tooLarge(`the arguments of sandbox.${name}()`);
	if (answer < 0)
		throw host.error(answer, name);
	const [kind, , head, body] = answer;
	if (kind < 0)
		throw exports.tooLarge(`the answer of sandbox.${name}()`);
	if (kind === 2)
		throw exports.thrown(head, body);
	if (kind === 0)
		return undefined;
	try {
		return JSON.parse(host.utf8Decode(body));
	} catch (cause) {
		const e = new TypeError(`sandbox.${name}() has returned what is not JSON`, { cause });
		e.code = 'ERR_INVALID_RETURN_VALUE';
		throw e;
	}
}

function functionOf(name, index) {
	const make = { [name]: (...args) => valueOf(name, host.callOut(index, JSON.stringify(args))) };
	return make[name];
}

/* Before the script: limits and the object. Is there a prelude? */
exports.begin = function () {
	const { memory, bytes, prelude, fetch, names } = host.offers();
	host.limit = memory;
	host.setMemoryLimit(memory);
	exports.bytes = bytes;
	exports.fetch = fetch;
	if (names.length) {
		const value = {};
		names.forEach((name, index) => { value[name] = functionOf(name, index); });
		Object.defineProperty(globalThis, 'sandbox', { value, writable: true, configurable: true, enumerable: false });
	}
	return prelude;
};
