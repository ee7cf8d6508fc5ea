/* Atomics: with one thread every operation is one already, and nobody wakes who waits. */
'use strict';

const INTEGERS = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array];
const BIG = [BigInt64Array, BigUint64Array];

function isOf(array, classes) {
	return classes.some((one) => array instanceof one);
}

/* The index, when the array is one of those. */
function at(array, index, waiting) {
	const classes = waiting ? [Int32Array, BigInt64Array] : [...INTEGERS, ...BIG];
	if (!isOf(array, classes))
		throw new TypeError(waiting ? '[object Array] is not an int32 or BigInt64 typed array.' : '[object Array] is not an integer typed array.');
	const i = index === undefined ? 0 : Math.trunc(Number(index)) || 0;
	if (i < 0 || i >= array.length)
		throw new RangeError('Invalid atomic access index');
	return i;
}

const valueOf = (array, value) => isOf(array, BIG) ? BigInt(value) : Math.trunc(Number(value)) || 0;

function change(name, operation) {
	return { [name](array, index, value) {
		const i = at(array, index), v = valueOf(array, value), old = array[i];
		array[i] = operation(old, v);
		return old;
	} }[name];
}

function wait(array, index, value, timeout) {
	const i = at(array, index, true), v = valueOf(array, value);
	if (!(array.buffer instanceof SharedArrayBuffer))
		throw new TypeError('[object Int32Array] is not a shared typed array.');
	const ms = timeout === undefined ? Infinity : Number(timeout);
	if (array[i] !== (isOf(array, BIG) ? v : v | 0))
		return 'not-equal';
	for (let left = Number.isNaN(ms) ? Infinity : Math.max(ms, 0); left > 0; left -= 3600000)
		host.sleep(Math.min(left, 3600000) * 1e6);
	return 'timed-out';
}

const functions = {
	add: change('add', (a, b) => a + b), sub: change('sub', (a, b) => a - b), and: change('and', (a, b) => a & b),
	or: change('or', (a, b) => a | b), xor: change('xor', (a, b) => a ^ b), exchange: change('exchange', (a, b) => b),
	load(array, index) {
		return array[at(array, index)];
	},
	store(array, index, value) {
		const i = at(array, index), v = valueOf(array, value);
		array[i] = v;
		return v;
	},
	compareExchange(array, index, expected, replacement) {
		const i = at(array, index), old = array[i], one = new array.constructor([valueOf(array, expected)]);
		const next = valueOf(array, replacement);
		if (old === one[0])
			array[i] = next;
		return old;
	},
	isLockFree(size) {
		return [1, 2, 4, 8].includes(Math.trunc(Number(size)));
	},
	wait,
	notify(array, index, count) {
		at(array, index, true);
		void count;
		return 0;
	},
};

exports.Atomics = {};
for (const name of Object.keys(functions))
	Object.defineProperty(exports.Atomics, name, { value: functions[name], writable: true, configurable: true, enumerable: false });
Object.defineProperty(exports.Atomics, Symbol.toStringTag, { value: 'Atomics', configurable: true });
