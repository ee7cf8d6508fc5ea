/* async_hooks: AsyncLocalStorage and AsyncResource. Hooks into the engine's resources are not here. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateObject, validateString } = require('internal/validators');
const context = require('internal/async_context');

let ids = 1;

class AsyncLocalStorage {
	static bind(fn) {
		validateFunction(fn, 'fn');
		return AsyncResource.bind(fn);
	}
	static snapshot() {
		const kept = host.context();
		return (fn, ...args) => context.run(kept, fn, undefined, args);
	}
	run(store, callback, ...args) {
		return context.run(context.changed(this, { store }), callback, null, args);
	}
	exit(callback, ...args) {
		return context.run(context.changed(this, undefined), callback, null, args);
	}
	getStore() {
		return context.get(this)?.store;
	}
	enterWith(store) {
		host.context(context.changed(this, { store }));
	}
	disable() {
		host.context(context.changed(this, undefined));
	}
}

const deprecated = require('util').deprecate(() => {}, 'The asyncResource property on bound functions is deprecated', 'DEP0172');

class AsyncResource {
	#context;
	#id = ++ids;
	constructor(type, options = {}) {
		validateString(type, 'type');
		const trigger = typeof options === 'number' ? options : options.triggerAsyncId;
		if (trigger !== undefined && (!Number.isSafeInteger(trigger) || trigger < -1))
			throw new codes.ERR_INVALID_ASYNC_ID('triggerAsyncId', trigger);
		this.#context = host.context();
	}
	runInAsyncScope(fn, self, ...args) {
		return context.run(this.#context, fn, self, args);
	}
	emitDestroy() { return this; }
	asyncId() { return this.#id; }
	triggerAsyncId() { return 1; }
	bind(fn, self) {
		validateFunction(fn, 'fn');
		const resource = this;
		const bound = function (...args) {
			return resource.runInAsyncScope(fn, self === undefined ? this : self, ...args);
		};
		Object.defineProperties(bound, {
			length: { configurable: true, enumerable: false, value: fn.length, writable: false },
			asyncResource: {
				configurable: true, enumerable: true,
				get() {
					deprecated();
					return resource;
				},
				set(value) {
					deprecated();
					Object.defineProperty(bound, 'asyncResource', { value, writable: true });
				},
			},
		});
		return bound;
	}
	static bind(fn, type, self) {
		return new AsyncResource(type || fn.name || 'bound-anonymous-fn').bind(fn, self);
	}
}

class AsyncHook {
	enable() {
		const e = new Error('async_hooks.createHook().enable() is not in this sandbox: use AsyncLocalStorage');
		e.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
		throw e;
	}
	disable() { return this; }
}

function createHook(hooks) {
	validateObject(hooks, 'hooks');
	for (const name of ['init', 'before', 'after', 'destroy', 'promiseResolve']) {
		if (hooks[name] !== undefined && typeof hooks[name] !== 'function')
			throw new codes.ERR_ASYNC_CALLBACK(`hook.${name}`);
	}
	return new AsyncHook();
}

const resource = {};

module.exports = {
	AsyncLocalStorage, createHook, executionAsyncId: function executionAsyncId() { return 1; },
	triggerAsyncId: function triggerAsyncId() { return 0; }, executionAsyncResource: function executionAsyncResource() { return resource; },
	asyncWrapProviders: Object.freeze({ __proto__: null, NONE: 0 }), AsyncResource,
};
