/* What the streams of the web share: queues with sizes, promises with their resolvers, strategies. */
'use strict';

const { codes } = require('internal/errors');
const { validateObject } = require('internal/validators');

exports.deferred = function () {
	const made = {};
	made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
	return made;
};

/* Nobody may be waiting for it: a rejection is not an error of the program. */
exports.quiet = function (promise) {
	promise.catch(() => {});
	return promise;
};

exports.invalidState = (text) => new codes.ERR_INVALID_STATE_TYPE(text);

/* Chunks with their sizes. */
exports.Queue = class Queue {
	constructor() {
		this.clear();
	}
	clear() {
		this.chunks = [];
		this.size = 0;
	}
	add(value, size) {
		size = Number(size);
		if (Number.isNaN(size) || size < 0 || size === Infinity)
			throw new codes.ERR_INVALID_ARG_VALUE('size', size);
		this.chunks.push({ value, size });
		this.size += size;
	}
	take() {
		const { value, size } = this.chunks.shift();
		this.size = Math.max(0, this.size - size);
		return value;
	}
};

/* [size of a chunk, high water mark] */
exports.strategyOf = function (strategy, standard) {
	if (strategy !== undefined && strategy !== null)
		validateObject(strategy, 'strategy', { allowArray: true, allowFunction: true });
	const { size, highWaterMark } = strategy ?? {};
	if (size !== undefined && typeof size !== 'function')
		throw new codes.ERR_INVALID_ARG_TYPE('strategy.size', 'Function', size);
	let limit = standard;
	if (highWaterMark !== undefined) {
		limit = Number(highWaterMark);
		if (Number.isNaN(limit) || limit < 0)
			throw new codes.ERR_INVALID_ARG_VALUE('strategy.highWaterMark', highWaterMark);
	}
	return [size === undefined ? () => 1 : (chunk) => size(chunk), limit];
};

/* A method of what the user gave; undefined when there is none. */
exports.methodOf = function (object, name, place) {
	const fn = object?.[name];
	if (fn === undefined)
		return undefined;
	if (typeof fn !== 'function')
		throw new codes.ERR_INVALID_ARG_TYPE(`${place}.${name}`, 'Function', fn);
	return (...args) => Reflect.apply(fn, object, args);
};

/* Calls it now; what it returns or throws as a promise. */
exports.attempt = (fn, ...args) => {
	try {
		return Promise.resolve(fn === undefined ? undefined : fn(...args));
	} catch (error) {
		return Promise.reject(error);
	}
};

exports.show = function (name, fields) {
	return function (depth, options, inspect) {
		if (depth < 0)
			return this;
		const deeper = { ...options, depth: options.depth == null ? null : options.depth - 1 };
		return `${name} ${inspect(fields(this), deeper)}`;
	};
};

exports.tag = function (Class, ...names) {
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
	names.forEach((name) => Object.defineProperty(Class.prototype, name, { enumerable: true }));
};
