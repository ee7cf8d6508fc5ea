/* Checks of arguments, each throwing the error that Node throws for it. */
'use strict';

const { codes } = require('internal/errors');

function typeError(name, type, value) {
	return new codes.ERR_INVALID_ARG_TYPE(name, type, value);
}

function ofType(type, expected) {
	return function (value, name) {
		if (typeof value !== type)
			throw typeError(name, expected || type, value);
	};
}

exports.validateString = ofType('string');
exports.validateBoolean = ofType('boolean');
exports.validateFunction = ofType('function', 'Function');

function validateIntegerIn(value, name, min, max, needs) {
	if (typeof value !== 'number')
		throw typeError(name, 'number', value);
	if (!Number.isInteger(value))
		throw new codes.ERR_OUT_OF_RANGE(name, 'an integer', value);
	if (value < min || value > max)
		throw new codes.ERR_OUT_OF_RANGE(name, needs || `>= ${min} && <= ${max}`, value);
}

exports.validateInteger = function (value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
	validateIntegerIn(value, name, min, max);
};
exports.validateInt32 = function (value, name, min = -2147483648, max = 2147483647) {
	validateIntegerIn(value, name, min, max);
};
exports.validateUint32 = function (value, name, positive = false) {
	validateIntegerIn(value, name, positive ? 1 : 0, 4294967295);
};

exports.validateNumber = function (value, name, min = undefined, max) {
	if (typeof value !== 'number')
		throw typeError(name, 'number', value);
	if ((min != null && value < min) || (max != null && value > max) || ((min != null || max != null) && Number.isNaN(value))) {
		const range = `${min != null ? `>= ${min}` : ''}${min != null && max != null ? ' && ' : ''}${max != null ? `<= ${max}` : ''}`;
		throw new codes.ERR_OUT_OF_RANGE(name, range, value);
	}
};

exports.validateOneOf = function (value, name, allowed) {
	if (!allowed.includes(value)) {
		const shown = allowed.map((one) => typeof one === 'string' ? `'${one}'` : String(one)).join(', ');
		throw new codes.ERR_INVALID_ARG_VALUE(name, value, 'must be one of: ' + shown);
	}
};

exports.validateObject = function (value, name, { allowArray = false, allowFunction = false, nullable = false } = {}) {
	if ((!nullable && value === null) || (!allowArray && Array.isArray(value)) ||
		(typeof value !== 'object' && !(allowFunction && typeof value === 'function')))
		throw typeError(name, 'Object', value);
};

exports.validateArray = function (value, name, minLength = 0) {
	if (!Array.isArray(value))
		throw typeError(name, 'Array', value);
	if (value.length < minLength)
		throw new codes.ERR_INVALID_ARG_VALUE(name, value, `must be longer than ${minLength}`);
};

exports.validateStringArray = function (value, name) {
	exports.validateArray(value, name);
	value.forEach((one, i) => exports.validateString(one, `${name}[${i}]`));
};

exports.validateBooleanArray = function (value, name) {
	exports.validateArray(value, name);
	value.forEach((one, i) => exports.validateBoolean(one, `${name}[${i}]`));
};

exports.validateUnion = function (value, name, union) {
	if (!union.includes(value))
		throw typeError(name, `('${union.join('|')}')`, value);
};

exports.validateAbortSignal = function (signal, name) {
	if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal)))
		throw typeError(name, 'AbortSignal', signal);
};

exports.validateBuffer = function (value, name = 'buffer') {
	if (!ArrayBuffer.isView(value))
		throw typeError(name, ['Buffer', 'TypedArray', 'DataView'], value);
};
