/* Functions that call back, and promises: util.promisify, util.callbackify. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction } = require('internal/validators');

const custom = Symbol.for('nodejs.util.promisify.custom');
const names = Symbol('customPromisifyArgs');

function promisify(original) {
	validateFunction(original, 'original');
	if (original[custom]) {
		const made = original[custom];
		validateFunction(made, 'util.promisify.custom');
		return Object.defineProperty(made, custom, { value: made, enumerable: false, writable: false, configurable: true });
	}
	/* functions that give several values name them here */
	const fields = original[names];
	function fn(...args) {
		return new Promise((resolve, reject) => {
			Reflect.apply(original, this, [...args, (error, ...values) => {
				if (error)
					return reject(error);
				if (fields !== undefined && values.length > 1)
					resolve(Object.fromEntries(fields.map((name, i) => [name, values[i]])));
				else
					resolve(values[0]);
			}]);
		});
	}
	Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
	Object.defineProperty(fn, custom, { value: fn, enumerable: false, writable: false, configurable: true });
	for (const key of Reflect.ownKeys(original)) {
		const desc = Object.getOwnPropertyDescriptor(original, key);
		const mine = Object.getOwnPropertyDescriptor(fn, key);
		if (mine === undefined || mine.configurable)
			Object.defineProperty(fn, key, desc);
	}
	return fn;
}
promisify.custom = custom;

function rejected(reason, callback) {
	if (!reason) {
		const error = new codes.ERR_FALSY_VALUE_REJECTION();
		error.reason = reason;
		reason = error;
	}
	return callback(reason);
}

function callbackify(original) {
	validateFunction(original, 'original');
	const process = require('process');
	function callbackified(...args) {
		const callback = args.pop();
		validateFunction(callback, 'last argument');
		const bound = callback.bind(this);
		Reflect.apply(original, this, args).then((value) => process.nextTick(bound, null, value),
			(reason) => process.nextTick(rejected, reason, bound));
	}
	const descs = Object.getOwnPropertyDescriptors(original);
	if (typeof descs.length.value === 'number')
		descs.length.value++;
	if (typeof descs.name.value === 'string')
		descs.name.value += 'Callbackified';
	for (const key of Reflect.ownKeys(descs)) {
		const mine = Object.getOwnPropertyDescriptor(callbackified, key);
		if (mine === undefined || mine.configurable)
			Object.defineProperty(callbackified, key, descs[key]);
	}
	return callbackified;
}

exports.promisify = promisify;
exports.callbackify = callbackify;
exports.customPromisifyArgs = names;
