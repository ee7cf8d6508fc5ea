/*
 * Deep equality, loose and strict, for assert and util.isDeepStrictEqual. Objects under comparison are remembered in pairs,
 * so that structures which point back to themselves end; the depth is that of the values, and the engine limits recursion.
 */
'use strict';

const { types, classOf, isError } = require('internal/types');

const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const isEnumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);
const tagOf = (value) => Object.prototype.toString.call(value);
const isIndex = (key) => /^(0|[1-9][0-9]*)$/.test(key) && key <= 4294967294;
const isObject = (value) => typeof value === 'object' && value !== null;

const NONE = 0, ARRAY = 1, SET = 2, MAP = 3;

function sameBytes(a, b) {
	return a.byteLength === b.byteLength && host.compare(new Uint8Array(a.buffer, a.byteOffset, a.byteLength),
		new Uint8Array(b.buffer, b.byteOffset, b.byteLength)) === 0;
}

function sameFloats(a, b) {
	if (a.byteLength !== b.byteLength)
		return false;
	for (let i = 0; i < a.length; i++) {
		if (a[i] !== b[i])
			return false;
	}
	return true;
}

function sameBoxed(a, b) {
	const kind = classOf(a);
	if (kind !== classOf(b))
		return false;
	const { valueOf } = globalThis[kind].prototype;
	return Object.is(valueOf.call(a), valueOf.call(b));
}

function symbolsOf(value) {
	return Object.getOwnPropertySymbols(value).filter((key) => isEnumerable(value, key));
}

/* The own enumerable keys must be the same; then what they hold. */
function keyCheck(a, b, strict, memo, kind, keys) {
	if (keys === undefined) {
		keys = Object.keys(a);
		if (keys.length !== Object.keys(b).length)
			return false;
	}
	if (!keys.every((key) => hasOwn(b, key)))
		return false;
	if (strict) {
		const symbols = symbolsOf(a);
		if (symbols.length !== symbolsOf(b).length || !symbols.every((key) => isEnumerable(b, key)))
			return false;
		keys = keys.concat(symbols);
	}
	if (keys.length === 0 && (kind === NONE || (kind === ARRAY && a.length === 0) || a.size === 0))
		return true;
	return remembered(a, b, memo, () => equalParts(a, b, strict, keys, memo, kind));
}

function remembered(a, b, memo, compare) {
	const other = memo.left.get(a);
	if (other !== undefined) {
		const back = memo.right.get(b);
		if (back !== undefined)
			return other === back;
	}
	memo.position++;
	memo.left.set(a, memo.position);
	memo.right.set(b, memo.position);
	const equal = compare();
	memo.left.delete(a);
	memo.right.delete(b);
	return equal;
}

function setHas(set, value, strict, memo) {
	for (const other of set) {
		if (equal(value, other, strict, memo)) {
			set.delete(other);
			return true;
		}
	}
	return false;
}

/* For a loose comparison: a primitive that another one could equal by ==, or undefined when only itself counts. */
function looseKin(set, value) {
	if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number' || value == null)
		return true;
	return false;
}

function equalSets(a, b, strict, memo) {
	let left;
	for (const value of a) {
		if (b.has(value) && (!isObject(value)))
			continue;
		if (isObject(value) ? false : (strict || !looseKin(b, value)))
			return false;
		if (left === undefined)
			left = new Set();
		left.add(value);
	}
	if (left === undefined)
		return true;
	const rest = new Set();
	for (const value of b) {
		if (isObject(value) || !a.has(value)) {
			if (!isObject(value) && strict)
				return false;
			rest.add(value);
		}
	}
	for (const value of left) {
		if (rest.has(value) && isObject(value))
			rest.delete(value);
		else if (!setHas(rest, value, strict, memo))
			return false;
	}
	return rest.size === 0;
}

function equalMaps(a, b, strict, memo) {
	let left;
	for (const [key, value] of a) {
		if (!isObject(key)) {
			if (b.has(key) && equal(value, b.get(key), strict, memo))
				continue;
			if (strict)
				return false;
		}
		if (left === undefined)
			left = [];
		left.push([key, value]);
	}
	if (left === undefined)
		return true;
	const rest = new Map();
	for (const [key, value] of b) {
		if (isObject(key) || !a.has(key) || !equal(a.get(key), value, strict, memo))
			rest.set(key, value);
	}
	for (const [key, value] of left) {
		let found = false;
		for (const [other, otherValue] of rest) {
			if (equal(key, other, strict, memo) && equal(value, otherValue, strict, memo)) {
				rest.delete(other);
				found = true;
				break;
			}
		}
		if (!found)
			return false;
	}
	return rest.size === 0;
}

function equalParts(a, b, strict, keys, memo, kind) {
	if (kind === SET && !equalSets(a, b, strict, memo))
		return false;
	if (kind === MAP && !equalMaps(a, b, strict, memo))
		return false;
	for (let i = 0; kind === ARRAY && i < a.length; i++) {
		if (hasOwn(a, i) !== hasOwn(b, i) || !equal(a[i], b[i], strict, memo))
			return false;
	}
	return keys.every((key) => equal(a[key], b[key], strict, memo));
}

function equalLists(a, b, strict, memo) {
	if (!Array.isArray(b) || a.length !== b.length)
		return false;
	const keys = Object.keys(a).filter((key) => !isIndex(key));
	if (keys.length !== Object.keys(b).filter((key) => !isIndex(key)).length)
		return false;
	return keyCheck(a, b, strict, memo, ARRAY, keys);
}

function equalViews(a, b, strict, memo) {
	if (classOf(a) !== classOf(b))
		return false;
	const floats = classOf(a) === 'Float32Array' || classOf(a) === 'Float64Array';
	if (!strict && floats ? !sameFloats(a, b) : !sameBytes(a, b))
		return false;
	const keys = Object.keys(a).filter((key) => !isIndex(key));
	if (keys.length !== Object.keys(b).filter((key) => !isIndex(key)).length)
		return false;
	return keyCheck(a, b, strict, memo, NONE, keys);
}

/* Both are objects with the same tag. */
function equalObjects(a, b, strict, memo) {
	if (Array.isArray(a))
		return equalLists(a, b, strict, memo);
	if (tagOf(a) === '[object Object]' && !isError(a))
		return keyCheck(a, b, strict, memo, NONE);
	if (types.isDate(a)) {
		if (!types.isDate(b) || !Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b)))
			return false;
	} else if (types.isRegExp(a)) {
		if (!types.isRegExp(b) || a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex)
			return false;
	} else if (isError(a)) {
		if (!isError(b) || a.message !== b.message || a.name !== b.name)
			return false;
	} else if (ArrayBuffer.isView(a)) {
		return ArrayBuffer.isView(b) && equalViews(a, b, strict, memo);
	} else if (types.isSet(a)) {
		return types.isSet(b) && a.size === b.size && keyCheck(a, b, strict, memo, SET);
	} else if (types.isMap(a)) {
		return types.isMap(b) && a.size === b.size && keyCheck(a, b, strict, memo, MAP);
	} else if (types.isAnyArrayBuffer(a)) {
		if (!types.isAnyArrayBuffer(b) || !sameBytes(new Uint8Array(a), new Uint8Array(b)))
			return false;
	} else if (types.isBoxedPrimitive(a)) {
		if (!sameBoxed(a, b))
			return false;
	} else if (Array.isArray(b) || ArrayBuffer.isView(b) || types.isSet(b) || types.isMap(b) || types.isDate(b) ||
		types.isRegExp(b) || types.isAnyArrayBuffer(b) || types.isBoxedPrimitive(b) || isError(b)) {
		return false;
	}
	return keyCheck(a, b, strict, memo, NONE);
}

function equal(a, b, strict, memo) {
	if (a === b)
		return a !== 0 || !strict || Object.is(a, b);
	if (strict) {
		if (typeof a !== 'object')
			return typeof a === 'number' && Number.isNaN(a) && Number.isNaN(b);
		if (!isObject(b) || a === null || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b))
			return false;
	} else {
		if (!isObject(a)) {
			// eslint-disable-next-line eqeqeq
			return !isObject(b) && (a == b || (Number.isNaN(a) && Number.isNaN(b)));
		}
		if (!isObject(b))
			return false;
	}
	return tagOf(a) === tagOf(b) && equalObjects(a, b, strict, memo);
}

function compare(a, b, strict) {
	return equal(a, b, strict, { left: new Map(), right: new Map(), position: 0 });
}

exports.isDeepEqual = (a, b) => compare(a, b, false);
exports.isDeepStrictEqual = (a, b) => compare(a, b, true);
