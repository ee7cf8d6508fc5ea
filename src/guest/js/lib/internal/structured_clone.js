/* structuredClone. */
'use strict';

const { codes } = require('internal/errors');
const { classOf } = require('internal/types');

const errorNames = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];
const boxes = new Set(['Number', 'String', 'Boolean', 'BigInt']);

function refuse(value, text) {
	const { DOMException } = require('internal/dom_exception');
	if (text === undefined) {
		if (typeof value === 'symbol')
			text = value.toString();
		else if (typeof value === 'function')
			text = Function.prototype.toString.call(value);
		else
			text = `#<${value.constructor?.name || classOf(value) || 'Object'}>`;
	}
	return new DOMException(`${text} could not be cloned.`, 'DataCloneError');
}

function cloneError(error, memo) {
	const name = errorNames.includes(error.name) ? error.name : 'Error';
	const real = new globalThis[name]();
	memo.set(error, real);
	const own = (key) => Object.getOwnPropertyDescriptor(error, key);
	const message = own('message');
	if (message && 'value' in message)
		Object.defineProperty(real, 'message', { value: `${message.value}`, writable: true, configurable: true, enumerable: false });
	if (typeof error.stack === 'string')
		Object.defineProperty(real, 'stack', { value: error.stack, writable: true, configurable: true, enumerable: false });
	const cause = own('cause');
	if (cause && 'value' in cause) {
		const value = clone(cause.value, memo);
		Object.defineProperty(real, 'cause', { value, writable: true, configurable: true, enumerable: false });
	}
	return real;
}

function cloneProperties(value, made, memo) {
	for (const key of Object.keys(value))
		made[key] = clone(value[key], memo);
	return made;
}

function cloneBuffer(value, memo) {
	const made = value.slice(0);
	memo.set(value, made);
	return made;
}

function cloneView(value, memo, kind) {
	const buffer = clone(value.buffer, memo);
	const length = kind === 'DataView' ? value.byteLength : value.length;
	const made = new globalThis[kind](buffer, value.byteOffset, length);
	memo.set(value, made);
	return made;
}

function cloneObject(value, memo) {
	const kind = classOf(value);
	const remember = (made) => {
		memo.set(value, made);
		return made;
	};
	if (kind === 'Array')
		return cloneProperties(value, remember(new Array(value.length)), memo);
	if (kind === 'Date')
		return remember(new Date(Date.prototype.getTime.call(value)));
	if (kind === 'RegExp')
		return remember(new RegExp(value.source, value.flags));
	if (boxes.has(kind))
		return remember(Object(globalThis[kind].prototype.valueOf.call(value)));
	if (kind === 'Map') {
		const made = remember(new Map());
		for (const [key, one] of [...Map.prototype.entries.call(value)])
			made.set(clone(key, memo), clone(one, memo));
		return made;
	}
	if (kind === 'Set') {
		const made = remember(new Set());
		for (const one of [...Set.prototype.values.call(value)])
			made.add(clone(one, memo));
		return made;
	}
	if (kind === 'Error')
		return cloneError(value, memo);
	if (kind === 'ArrayBuffer')
		return cloneBuffer(value, memo);
	if (ArrayBuffer.isView(value))
		return cloneView(value, memo, kind);
	if (kind === 'Object' || kind === 'Arguments') {
		const { Blob } = require('internal/blob');
		if (value instanceof Blob)
			return value;
		return cloneProperties(value, remember({}), memo);
	}
	throw refuse(value);
}

function clone(value, memo) {
	if (typeof value === 'symbol' || typeof value === 'function')
		throw refuse(value);
	if (value === null || typeof value !== 'object')
		return value;
	return memo.has(value) ? memo.get(value) : cloneObject(value, memo);
}

/* Buffers that move: the old ones are empty afterwards. */
function transferAll(list, memo) {
	const moved = new Set();
	for (const one of list) {
		if (classOf(one) !== 'ArrayBuffer')
			throw Object.assign(new TypeError('Found invalid object in transferList'), { code: 'ERR_INVALID_TRANSFER_OBJECT' });
		if (moved.has(one))
			throw refuse(one, 'Transfer list contains duplicate ArrayBuffer');
		moved.add(one);
	}
	for (const one of moved)
		memo.set(one, require('internal/newer').transfer(one));
}

exports.structuredClone = function structuredClone(value, options) {
	if (arguments.length === 0)
		throw Object.assign(new codes.ERR_MISSING_ARGS('value'), { message: 'The value argument must be specified' });
	const memo = new Map();
	if (options != null && typeof options !== 'object' && typeof options !== 'function')
		throw new codes.ERR_INVALID_ARG_TYPE('options', 'Object', options);
	const transfer = options?.transfer ?? [];
	if (transfer === null || typeof transfer[Symbol.iterator] !== 'function')
		throw new codes.ERR_INVALID_ARG_TYPE('options.transfer', 'Iterable', transfer);
	transferAll([...transfer], memo);
	return clone(value, memo);
};
