/* The module vm: scripts in this or in a fresh set of globals. */
'use strict';

const codes = () => require('internal/errors').codes;
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
		throw codes()[typeof ms === 'number' ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE']('options.timeout',
			typeof ms === 'number' ? '>= 1 && <= 4294967295' : 'number', ms);
	const start = performance.now(), left = host.deadline(ms);
	if (left > 0 && left < ms)
		host.deadline(left);
	try {
		return run(source, nameOf(options), lineOf(options));
	} catch (e) {
		if (host.classOf(e) === 'Error' && e.message === 'deadline' && performance.now() - start >= Math.min(ms, left || ms))
			throw codes().ERR_SCRIPT_EXECUTION_TIMEOUT(ms);
		throw e;
	} finally {
		host.deadline(left > 0 ? Math.max(left - (performance.now() - start), 0.001) : 0);
	}
}

/* The globals of a context are those of the sandbox object: copied in before a script, and back after it. */
function runIn(context, source, options) {
	const { global, run } = contexts.get(context);
	const before = Object.getOwnPropertyDescriptors(context);
	for (const key of Reflect.ownKeys(before)) {
		if (Object.getOwnPropertyDescriptor(global, key)?.configurable !== false)
			Reflect.defineProperty(global, key, { ...before[key], configurable: true });
		else if (before[key].value !== global[key])	/* a variable of a script */
			Reflect.set(global, key, context[key]);
	}
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
			Reflect.set(context, key, now.value);	/* unless it is read-only there */
		else
			Reflect.defineProperty(context, key, { ...now, configurable: true });
	}
	for (const key of Reflect.ownKeys(context)) {
		if (!Object.hasOwn(global, key))
			Reflect.deleteProperty(context, key);
	}
}

function checked(object, name) {
	if (object === null || typeof object !== 'object')
		throw codes().ERR_INVALID_ARG_TYPE(name, 'Object', object);
	return object;
}

exports.createContext = function createContext(object = {}) {
	checked(object, 'contextObject');
	if (contexts.has(object))
		return object;
	const [global, run] = host.realm();
	require('internal/newer').remove(global);
	delete global.performance;
	delete global.print;
	for (const name of ['Intl', 'Atomics'])		/* the library's, of no realm */
		Object.defineProperty(global, name, { get: () => globalThis[name], set: undefined, configurable: true, enumerable: false });
	run('globalThis.console = { __proto__: {} }; for (const name of ["log", "warn", "dir", "time", "timeEnd", "timeLog", "trace", "assert", "clear", "count", ' +
		'"countReset", "group", "groupEnd", "table", "debug", "info", "dirxml", "error", "groupCollapsed"]) console[name] = { [name]() {} }[name]; ' +
		'Object.defineProperty(globalThis, "console", { enumerable: false })', 'node:vm');
	contexts.set(object, { global, run, own: new Set(Reflect.ownKeys(global)) });
	return object;
};

exports.isContext = object => contexts.has(checked(object, 'object'));

/* ---- Errors, as Node's stacks tell them ---- */

const THIS = 'Script.runInThisContext (node:vm:137:12)', CONTEXT = 'Script.runInContext (node:vm:149:12)',
	NEW = 'Script.runInNewContext (node:vm:154:17)', SCRIPT = 'new Script (node:vm:117:7)';

/* What a script threw: Node's frames for ours, and its line above the stack. */
function told(e, source, options, frames, mistaken) {
	if (host.classOf(e) !== 'Error' || typeof e.stack !== 'string')
		return e;
	const fatal = require('internal/fatal'), lines = e.stack.split('\n');
	const begin = lines.findIndex((line) => line.startsWith('    at '));
	const first = lines.findIndex((line) => /\(node:vm:|at (Object\.)?(run|compile) \(<anonymous>\)/.test(line));
	const last = lines.findLastIndex((line) => line.includes('(node:vm:'));
	const shows = options === null || typeof options !== 'object' || options.displayErrors !== false;
	fatal.text(nameOf(options), '\n'.repeat(lineOf(options) - 1) + source);
	const above = shows ? fatal.frame(e, false, mistaken) : '';
	if (begin >= 0 && first >= 0) {
		const kept = [...lines.slice(begin, mistaken ? begin : first), ...frames.map((one) => `    at ${one}`), ...lines.slice(last + 1)];
		lines.splice(begin, Infinity, ...kept.slice(0, 10));
	}
	return fatal.decorated(e, `${above}${above && '\n'}${lines.join('\n')}`);
}

function compiled(source, options, frames) {
	try {
		host.compile(source, nameOf(options), undefined, lineOf(options));
	} catch (e) {
		throw told(e, source, options, [SCRIPT, ...frames], true);
	}
}

function ran(run, source, options, frames) {
	try {
		return run(source, options);
	} catch (e) {
		throw told(e, source, options, frames, false);
	}
}

function inThisContext(source, options, frames) {
	return ran(() => timed(host.run, source, options), source, options, frames);
}

function inContext(source, context, options, frames) {
	if (!contexts.has(checked(context, 'contextifiedObject')))
		throw codes().ERR_INVALID_ARG_TYPE('contextifiedObject', 'vm.Context', context);
	return ran(() => runIn(context, source, options), source, options, frames);
}

/* ---- The functions ---- */

function checkString(value, name) {
	if (typeof value !== 'string')
		throw codes().ERR_INVALID_ARG_TYPE(name, 'string', value);
}

function checkNumber(value, name) {
	if (typeof value !== 'number')
		throw codes().ERR_INVALID_ARG_TYPE(name, 'number', value);
	if (!Number.isInteger(value))
		throw codes().ERR_OUT_OF_RANGE(name, 'an integer', value);
}

function checkOptions(options) {
	if (options === undefined || typeof options === 'string')
		return;
	if (options === null || typeof options !== 'object')
		throw codes().ERR_INVALID_ARG_TYPE('options', 'Object', options);
	if (options.filename !== undefined)
		checkString(options.filename, 'options.filename');
	for (const name of ['lineOffset', 'columnOffset']) {
		if (options[name] !== undefined)
			checkNumber(options[name], `options.${name}`);
	}
}

exports.runInThisContext = function runInThisContext(code, options) {
	const source = `${code}`;
	checkOptions(options);
	compiled(source, options, ['createScript (node:vm:269:10)', 'Object.runInThisContext (node:vm:317:10)']);
	return inThisContext(source, options, [THIS, 'Object.runInThisContext (node:vm:317:38)']);
};
exports.runInContext = function runInContext(code, context, options) {
	if (!contexts.has(checked(context, 'contextifiedObject')))
		throw codes().ERR_INVALID_ARG_TYPE('contextifiedObject', 'vm.Context', context);
	const source = `${code}`;
	checkOptions(options);
	compiled(source, options, ['createScript (node:vm:269:10)', 'Object.runInContext (node:vm:300:10)']);
	return inContext(source, context, options, [CONTEXT, 'Object.runInContext (node:vm:301:6)']);
};
exports.runInNewContext = function runInNewContext(code, object, options) {
	const source = `${code}`, context = exports.createContext(object);
	checkOptions(options);
	compiled(source, options, ['createScript (node:vm:269:10)', 'Object.runInNewContext (node:vm:310:10)']);
	return inContext(source, context, options, [CONTEXT, NEW, 'Object.runInNewContext (node:vm:310:38)']);
};

class Script {
	#source;
	#options;
	constructor(code, options) {
		this.#source = `${code}`;
		checkOptions(options);
		this.#options = options;
		compiled(this.#source, options, []);	/* syntax errors are told now */
	}
	#with(options) {
		const own = typeof this.#options === 'string' ? { filename: this.#options } : this.#options;
		return options && typeof options === 'object' ? { ...own, timeout: options.timeout, displayErrors: options.displayErrors } : own;
	}
	runInThisContext(options) {
		return inThisContext(this.#source, this.#with(options), [THIS]);
	}
	runInContext(context, options) {
		return inContext(this.#source, context, this.#with(options), [CONTEXT]);
	}
	runInNewContext(object, options) {
		return inContext(this.#source, exports.createContext(object), this.#with(options), [CONTEXT, NEW]);
	}
	createCachedData() {
		return Buffer.alloc(0);
	}
}
exports.Script = Script;
exports.createScript = (source, options) => new Script(source, options);

exports.compileFunction = function compileFunction(code, params, options = {}) {
	checkString(code, 'code');
	if (params !== undefined) {
		if (!Array.isArray(params))
			throw codes().ERR_INVALID_ARG_TYPE('params', 'Array', params);
		params.forEach((one, i) => checkString(one, `params[${i}]`));
	}
	checkOptions(options);
	try {
		const fn = host.compile(code, nameOf(options), (params ?? []).join(', '), lineOf(options));
		Object.defineProperty(fn, 'name', { value: '', configurable: true });
		return fn;
	} catch (e) {
		throw told(e, code, options, ['internalCompileFunction (node:internal/vm:128:18)', 'Object.compileFunction (node:vm:365:10)'], true);
	}
};
exports.constants = { __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') };
