/* mock of node:test: functions that note their calls, in place of others; and timers that a test drives. */
'use strict';

const { codes } = require('internal/errors');

class MockFunctionContext {
	#calls = [];
	#original;
	#implementation;
	#once = new Map();
	#restore;
	constructor(original, implementation, restore, times) {
		this.#original = original;
		this.#implementation = implementation;
		this.#restore = restore;
		this.#times = times;
	}
	#times;
	get calls() {
		return this.#calls.slice();
	}
	callCount() {
		return this.#calls.length;
	}
	mockImplementation(fn) {
		if (typeof fn !== 'function')
			throw codes.ERR_INVALID_ARG_TYPE('implementation', 'function', fn);
		this.#implementation = fn;
	}
	mockImplementationOnce(fn, onCall = this.#calls.length) {
		this.#once.set(onCall, fn);
	}
	resetCalls() {
		this.#calls = [];
	}
	restore() {
		this.#implementation = this.#original;
		this.#restore?.();
	}
	static call(context, self, args, target) {
		const n = context.#calls.length;
		const fn = context.#once.get(n) ?? (n < context.#times ? context.#implementation : context.#original);
		context.#once.delete(n);
		const call = { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: self };
		try {
			call.result = target === undefined ? Reflect.apply(fn, self, args) : Reflect.construct(fn, args, target);
			if (target !== undefined)
				call.this = call.result;
		} catch (e) {
			call.error = e;
			throw e;
		} finally {
			context.#calls.push(call);
		}
		return call.result;
	}
}

function mocked(original, implementation, restore, times = Infinity) {
	const context = new MockFunctionContext(original, implementation, restore, times);
	return new Proxy(original, {
		apply: (target, self, args) => MockFunctionContext.call(context, self, args, undefined),
		construct: (target, args, newTarget) => MockFunctionContext.call(context, undefined, args, newTarget === made(newTarget) ? original : newTarget),
		get: (target, key, receiver) => key === 'mock' ? context : Reflect.get(target, key, receiver),
	});
}
const made = (target) => target;

class MockTracker {
	#all = [];
	#timers;
	get timers() {
		return this.#timers ??= new (require('internal/test_timers').MockTimers)();
	}
	fn(original = function () {}, implementation = original, options = {}) {
		if (original !== null && typeof original === 'object') {
			options = original;
			original = function () {};
			implementation = original;
		} else if (implementation !== null && typeof implementation === 'object') {
			options = implementation;
			implementation = original;
		}
		const fn = mocked(original, implementation, undefined, options.times);
		this.#all.push(fn.mock);
		return fn;
	}
	method(object, name, implementation, options = {}) {
		if (object === null || (typeof object !== 'object' && typeof object !== 'function'))
			throw codes.ERR_INVALID_ARG_TYPE('object', 'object', object);
		if (implementation !== null && typeof implementation === 'object') {
			options = implementation;
			implementation = undefined;
		}
		let owner = object, descriptor;
		while (owner && !(descriptor = Object.getOwnPropertyDescriptor(owner, name)))
			owner = Object.getPrototypeOf(owner);
		const kind = options.getter ? 'get' : options.setter ? 'set' : 'value';
		const original = descriptor?.[kind];
		if (typeof original !== 'function') {
			throw codes.ERR_INVALID_ARG_VALUE('methodName', original, 'must be a method');
		}
		const restore = () => {
			if (owner === object)
				Object.defineProperty(object, name, descriptor);
			else
				delete object[name];
		};
		const fn = mocked(original, implementation ?? original, restore, options.times);
		Object.defineProperty(object, name, { ...descriptor, configurable: true, [kind]: fn });
		this.#all.push(fn.mock);
		return fn;
	}
	getter(object, name, implementation, options) {
		return this.method(object, name, implementation, { ...options, getter: true });
	}
	setter(object, name, implementation, options) {
		return this.method(object, name, implementation, { ...options, setter: true });
	}
	reset() {
		this.restoreAll();
		this.#timers?.reset();
		this.#all = [];
	}
	restoreAll() {
		for (const one of this.#all)
			one.restore();
		this.#timers?.reset();
	}
}
exports.MockTracker = MockTracker;
