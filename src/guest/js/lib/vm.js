/* The module vm: scripts in this or in a fresh set of globals. */
'use strict';

const contexts = new WeakMap();		/* sandbox object -> { run, global } */

function nameOf(options) {
	return typeof options === 'string' ? options : options && options.filename !== undefined ? `${options.filename}` : 'evalmachine.<anonymous>';
}

function lineOf(options) {
	return 1 + (options && typeof options === 'object' && options.lineOffset || 0);
}

/* run(...) within the timeout of the options; a script inside another has no more than that one. */
function timed(run, source, options) {
	const ms = options && typeof options === 'object' ? options.timeout : undefined;
	if (ms === undefined)
		return run(source, nameOf(options), lineOf(options));
	if (!Number.isInteger(ms) || ms <= 0)
		throw require('internal/errors').codes[typeof ms === 'number' ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE']('options.timeout',
			typeof ms === 'number' ? '>= 1 && <= 4294967295' : 'number', ms);
	const start = performance.now(), left = host.deadline(ms);
	if (left > 0 && left < ms)
		host.deadline(left);
	try {
		return run(source, nameOf(options), lineOf(options));
	} catch (e) {
		if (host.classOf(e) === 'Error' && e.message === 'deadline' && performance.now() - start >= Math.min(ms, left || ms))
			throw require('internal/errors').codes.ERR_SCRIPT_EXECUTION_TIMEOUT(ms);
		throw e;
	} finally {
		host.deadline(left > 0 ? Math.max(left - (performance.now() - start), 0.001) : 0);
	}
}

/* The globals of a context are those of the sandbox object: copied in before a script, and back after it. */
function runIn(context, source, options) {
	const { global, run } = contexts.get(context);
	const before = Object.getOwnPropertyDescriptors(context);
	for (const key of Reflect.ownKeys(before))
		Object.defineProperty(global, key, { ...before[key], configurable: true });
	try {
		return timed(run, source, options);
	} finally {
		copyBack(global, context);
	}
}

function copyBack(global, context) {
	const { own } = contexts.get(context);
	for (const key of Reflect.ownKeys(global)) {
		if (own.has(key) && !Object.hasOwn(context, key))
			continue;
		const now = Object.getOwnPropertyDescriptor(global, key);
		if ('value' in now)
			context[key] = now.value;
		else
			Object.defineProperty(context, key, { ...now, configurable: true });
	}
	for (const key of Reflect.ownKeys(context)) {
		if (!Object.hasOwn(global, key))
			delete context[key];
	}
}

function checked(object, name) {
	if (object === null || typeof object !== 'object')
		throw require('internal/errors').codes.ERR_INVALID_ARG_TYPE(name, 'Object', object);
	return object;
}

exports.createContext = function createContext(object = {}) {
	checked(object, 'contextObject');
	if (contexts.has(object))
		return object;
	const [global, run] = host.realm();
	delete global.performance;
	delete global.print;
	contexts.set(object, { global, run, own: new Set(Reflect.ownKeys(global)) });
	return object;
};

exports.isContext = object => contexts.has(checked(object, 'object'));

exports.runInThisContext = (source, options) => timed(host.run, `${source}`, options);
exports.runInContext = function runInContext(source, context, options) {
	if (!contexts.has(checked(context, 'contextifiedObject')))
		throw require('internal/errors').codes.ERR_INVALID_ARG_TYPE('contextifiedObject', 'vm.Context', context);
	return runIn(context, `${source}`, options);
};
exports.runInNewContext = (source, object, options) => exports.runInContext(source, exports.createContext(object), options);

class Script {
	#source;
	#options;
	constructor(source, options) {
		this.#source = `${source}`;
		this.#options = options;
		/* Syntax errors are told now. */
		host.compile(this.#source.replace(/^#!/, '//'), nameOf(options), '', lineOf(options));
	}
	#with(options) {
		const own = typeof this.#options === 'string' ? { filename: this.#options } : this.#options;
		return options && typeof options === 'object' ? { ...own, timeout: options.timeout } : own;
	}
	runInThisContext(options) {
		return exports.runInThisContext(this.#source, this.#with(options));
	}
	runInContext(context, options) {
		return exports.runInContext(this.#source, context, this.#with(options));
	}
	runInNewContext(object, options) {
		return exports.runInNewContext(this.#source, object, this.#with(options));
	}
	createCachedData() {
		return Buffer.alloc(0);
	}
}
exports.Script = Script;
exports.createScript = (source, options) => new Script(source, options);

exports.compileFunction = function compileFunction(source, params = [], options = {}) {
	return host.compile(`${source}`, nameOf(options), params.join(', '), lineOf(options));
};
exports.constants = { __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') };
