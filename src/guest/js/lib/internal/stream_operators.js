/* readable.map(), filter(), toArray() and the other helpers like those of arrays. */
'use strict';

const { codes, AbortError } = require('internal/errors');
const { validateAbortSignal, validateFunction, validateInteger, validateObject } = require('internal/validators');

function checkOptions(options) {
	if (options != null)
		validateObject(options, 'options');
	if (options?.signal != null)
		validateAbortSignal(options.signal, 'options.signal');
}

function checkSignal(options) {
	if (options?.signal?.aborted)
		throw new AbortError(undefined, { cause: options.signal.reason });
}

function checkCount(number) {
	number = Number(number);
	if (Number.isNaN(number))
		return 0;
	if (number < 0)
		throw new codes.ERR_OUT_OF_RANGE('number', '>= 0', number);
	return number;
}

/* The chunks through fn, so many at a time, in their order. */
async function* mapped(stream, fn, options) {
	const concurrency = options?.concurrency ?? 1;
	const controller = new (require('internal/abort').AbortController)();
	const signal = options?.signal ? require('internal/abort').AbortSignal.any([options.signal, controller.signal]) : controller.signal;
	const pending = [];
	try {
		for await (const chunk of stream) {
			checkSignal(options);
			pending.push((async () => fn(chunk, { signal }))());
			pending[pending.length - 1].catch(() => {});
			if (pending.length >= concurrency)
				yield await pending.shift();
		}
		while (pending.length)
			yield await pending.shift();
	} finally {
		controller.abort();
	}
}

function map(fn, options) {
	validateFunction(fn, 'fn');
	checkOptions(options);
	if (options?.concurrency != null)
		validateInteger(Math.floor(options.concurrency), 'options.concurrency', 1);
	return mapped(this, fn, options);
}

function filter(fn, options) {
	validateFunction(fn, 'fn');
	checkOptions(options);
	async function keep(value, info) {
		return await fn(value, info) ? [value] : [];
	}
	return flattened(map.call(this, keep, options));
}

async function* flattened(lists) {
	for await (const list of lists)
		yield* list;
}

function flatMap(fn, options) {
	return flattened(map.call(this, fn, options));
}

async function* drop(stream, count, options) {
	checkSignal(options);
	for await (const value of stream) {
		checkSignal(options);
		if (count-- <= 0)
			yield value;
	}
}

async function* take(stream, count, options) {
	checkSignal(options);
	if (count <= 0)
		return;
	for await (const value of stream) {
		checkSignal(options);
		if (count-- > 0)
			yield value;
		if (count <= 0)
			return;
	}
}

async function* indexed(stream, options) {
	let i = 0;
	for await (const value of stream) {
		checkSignal(options);
		yield [i++, value];
	}
}

const streams = {
	map, filter, flatMap,
	drop(number, options) {
		checkOptions(options);
		return drop(this, checkCount(number), options);
	},
	take(number, options) {
		checkOptions(options);
		return take(this, checkCount(number), options);
	},
	asIndexedPairs(options) {
		checkOptions(options);
		return indexed(this, options);
	},
};

const promises = {
	async forEach(fn, options) {
		validateFunction(fn, 'fn');
		async function run(value, info) {
			await fn(value, info);
			return value;
		}
		// eslint-disable-next-line no-unused-vars
		for await (const unused of map.call(this, run, options))
			;
	},
	async toArray(options) {
		checkOptions(options);
		const list = [];
		for await (const value of this) {
			checkSignal(options);
			list.push(value);
		}
		return list;
	},
	async some(fn, options) {
		// eslint-disable-next-line no-unused-vars
		for await (const unused of filter.call(this, fn, options))
			return true;
		return false;
	},
	async every(fn, options) {
		validateFunction(fn, 'fn');
		return !(await promises.some.call(this, async (...args) => !(await fn(...args)), options));
	},
	async find(fn, options) {
		for await (const value of filter.call(this, fn, options))
			return value;
		return undefined;
	},
	async reduce(reducer, initial, options) {
		validateFunction(reducer, 'reducer');
		checkOptions(options);
		let given = arguments.length > 1, result = initial;
		checkSignal(options);
		const controller = new (require('internal/abort').AbortController)();
		let any = false;
		for await (const value of this) {
			any = true;
			checkSignal(options);
			if (!given) {
				result = value;
				given = true;
			} else {
				result = await reducer(result, value, { signal: controller.signal });
			}
		}
		if (!any && !given)
			throw Object.assign(new TypeError('Reduce of an empty stream requires an initial value'), { code: 'ERR_MISSING_ARGS' });
		return result;
	},
};

exports.install = function (proto, Readable) {
	for (const [name, fn] of Object.entries(streams)) {
		const method = { [name](...args) { return Readable.from(Reflect.apply(fn, this, args)); } }[name];
		Object.defineProperty(proto, name, { value: method, writable: true, configurable: true, enumerable: false });
	}
	for (const [name, fn] of Object.entries(promises)) {
		const method = { [name](...args) { return Reflect.apply(fn, this, args); } }[name];
		Object.defineProperty(proto, name, { value: method, writable: true, configurable: true, enumerable: false });
	}
	Object.defineProperty(proto, 'compose', {
		value: function compose(stream, options) { return require('internal/stream_compose').composeOnto(this, stream, options); },
		writable: true, configurable: true, enumerable: false,
	});
};
