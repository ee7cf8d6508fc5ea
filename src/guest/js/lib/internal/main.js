/* What a run begins with: the arguments, then the script, the loop, the end. */
'use strict';

const loop = require('internal/loop');
const { process, state, end } = require('internal/process');
const { print } = require('internal/print');

const SIGPIPE = 13;

function stdinText() {
	const files = require('internal/files');
	return files.decode(files.readFd(0));
}

/* A module that stands for the text of -e or standard input. */
function evalModule(name) {
	const { Module } = require('internal/cjs');
	const module = new Module(name);
	module.filename = `${process.cwd()}/${name}`;
	module.paths = Module._nodeModulePaths(process.cwd());
	return module;
}

const builtins = require('internal/builtins');
const builtinNames = new RegExp(`\\b(?:${builtins.names.filter(one => !/^_|\//.test(one)).join('|')})\\b`, 'g');

/* The names of -e's text: require, module ... and the builtin modules themselves, those that it mentions. */
function evalGlobals(module, name, text) {
	const { requireOf } = require('internal/cjs');
	Object.assign(globalThis, { __filename: name, module, exports: module.exports, __dirname: '.', require: requireOf(module) });
	const mentioned = text.includes('eval') || text.includes('globalThis') ? builtins.names.filter(one => !/^_|\//.test(one)) :
		new Set(text.match(builtinNames));
	for (const one of mentioned) {
		if (one in globalThis)
			continue;
		Object.defineProperty(globalThis, one, {
			get() {
				const value = builtins.load(one);
				Object.defineProperty(globalThis, one, { value, writable: true, configurable: true, enumerable: false });
				return value;
			},
			set(value) {
				Object.defineProperty(globalThis, one, { value, writable: true, configurable: true, enumerable: true });
			},
			configurable: true, enumerable: false,
		});
	}
}

const COMPILING = [
	['compileSourceTextModule (node:internal/modules/esm/utils:346:16)', 'ModuleLoader.moduleStrategy (node:internal/modules/esm/translators:146:18)',
		'#translate (node:internal/modules/esm/loader:497:12)', 'ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:544:27)'],
	['compileSourceTextModule (node:internal/modules/esm/utils:346:16)', 'ModuleLoader.eval (node:internal/modules/esm/loader:241:18)',
		'node:internal/process/execution:68:24', 'asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:117:11)',
		'Object.runEntryPointWithESMLoader (node:internal/modules/run_main:141:19)', 'evalModuleEntryPoint (node:internal/process/execution:67:47)',
		'node:internal/main/eval_string:30:3'],
];

/* Names of CommonJS that a module has used: Node says so. */
function explained(e, specifier) {
	if (e instanceof SyntaxError && /^[^\n]*\n {4}at (file:[^\n(]*):\d+:\d+(\n|$)/.test(e.stack) && host.thrown(e) === undefined)
		return require('internal/fatal').mistake(e, COMPILING[specifier.endsWith('/[eval1]') ? 1 : 0], null);
	const found = e instanceof ReferenceError && /^(require|module|exports|__filename|__dirname) is not defined$/.exec(e.message);
	if (!found)
		return e;
	e.message += ' in ES module scope';
	if (found[1] === 'require')
		e.message += ', you can use import instead';
	const path = specifier.startsWith('file:') ? require('internal/fileurl').toPath(specifier) : '';
	const pkg = path.endsWith('.js') ? require('internal/package').scope(path) : null;
	if (pkg && pkg.type === 'module') {
		e.message += `\nThis file is being treated as an ES module because it has a '.js' file extension and '${pkg.path}' contains "type": ` +
			`"module". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.`;
	}
	return e;
}

/* The first turn of a module waits for what it awaits; a failure is uncaught. */
function esmRun(specifier, parent) {
	let promise;
	const esm = require('internal/esm');
	try {
		esm.starting = true;
		[promise] = host.importModule(specifier, parent);
	} catch (e) {
		throw explained(e, specifier);
	} finally {
		esm.starting = false;
	}
	const [first, value] = host.promise(promise);
	if (first === 2) {
		promise.catch(() => {});
		throw require('internal/fatal').settled(explained(value, specifier));
	}
	state.waits = first === 0 ? promise : null;
	promise.then(() => { state.waits = null; }, e => {
		state.waits = null;
		loop.onError(require('internal/fatal').settled(explained(e, specifier)), false);
	});
	loop.checkpoint();	/* Node is inside a promise's job here: those come before ticks */
}

const PARSING = ['makeContextifyScript (node:internal/vm:185:14)', 'node:internal/process/execution:107:22'];

/* A text of -e, -p or standard input; what calls it names itself in stacks (guest_stack.h). */
function evaluate(text, name, options) {
	const fatal = require('internal/fatal');
	fatal.text(name, text);
	const asModule = () => {
		for (const one of ['__filename', 'module', 'exports', '__dirname', 'require'])
			delete globalThis[one];
		const url = `${require('internal/fileurl').fromPath(process.cwd())}/[${name.slice(1, -1)}1]`;
		require('internal/esm').setText(url, text);
		fatal.text(url, text);
		esmRun(url, url);
	};
	if (options.inputType === 'module')
		return asModule();
	const module = evalModule(name);
	evalGlobals(module, name, text);
	let value;
	try {
		value = host.run(text, name);
	} catch (e) {
		if (e instanceof SyntaxError && options.inputType === undefined && !options.print &&
			require('internal/cjs').isModuleSource(text))
			return asModule();
		fatal.evaluated(true);
		throw isMistakeOf(e, name) ?
			fatal.mistake(e, PARSING, 'node:internal/process/execution:118:14') : e;
	}
	if (options.print)
		console.log(value);
	return undefined;
}

/* The text itself does not compile: no frame is above it. */
function isMistakeOf(e, name) {
	if (!(e instanceof SyntaxError) || host.thrown(e) !== undefined)
		return false;
	const { stack } = e;
	return stack.startsWith(`\n    at ${name}:`, stack.indexOf('\n    at '));
}

function evalScript(text, options) {
	return evaluate(text, '[eval]', options);
}

function stdinScript(text, options) {
	return evaluate(text, '[stdin]', options);
}

function runMain(script) {
	const { Module } = require('internal/cjs');
	const fileurl = require('internal/fileurl');
	const full = fileurl.resolve(process.cwd(), script);
	process.argv[1] = full;
	const found = Module._findPath(full, null, true);
	if (found === false) {
		const e = new Error(`Cannot find module '${full}'`);
		e.code = 'MODULE_NOT_FOUND';
		e.requireStack = [];
		throw require('internal/cjs').located(e);
	}
	const type = found.endsWith('.mjs') ? 'module' : found.endsWith('.js') ? require('internal/package').typeOf(found) : 'none';
	if (type === 'module')
		return startMain(found);
	if (!/\.(cjs|json|node)$/.test(found) && type === 'none') {
		const text = require('internal/files').readText(found);
		if (require('internal/cjs').isModuleSource(text)) {
			return startMain(found);
		}
	}
	return Module._load(found, null, true);
}

function startMain(path) {
	const url = require('internal/fileurl').fromPath(path);
	esmRun(url, url);
}

function checkSyntax(script) {
	const files = require('internal/files');
	const full = require('internal/fileurl').resolve(process.cwd(), script);
	const path = require('internal/cjs').Module._findPath(full, null, true);
	if (path === false) {
		const e = new Error(`Cannot find module '${full}'`);
		e.code = 'MODULE_NOT_FOUND';
		e.requireStack = [];
		throw require('internal/fatal').within(e, ['Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)',
			'node:internal/main/check_syntax:33:20'], /^/);
	}
	const text = files.readText(path);
	const cjs = require('internal/cjs');
	if (/\.mjs$/.test(path) || (/\.js$/.test(path) && require('internal/package').typeOf(path) === 'module') || cjs.isModuleSource(text)) {
		if (!host.detectModule(text))
			host.compile(text, path, '', 1);
		return;
	}
	try {
		host.compile(text, path, 'exports, require, module, __filename, __dirname', 1);
	} catch (e) {
		throw require('internal/fatal').mistake(e, ['wrapSafe (node:internal/modules/cjs/loader:1464:18)',
			'checkSyntax (node:internal/main/check_syntax:78:3)'], 'checkSyntax (');
	}
}

function start(options, prelude) {
	if (prelude && !options.check)
		host.run(host.prelude(), 'node:prelude');
	if (options.script !== undefined && options.script !== '-' && !options.check)
		process.argv[1] = require('internal/fileurl').resolve(process.cwd(), options.script);
	for (const one of options.require)
		require('internal/cjs').Module._preloadModules([one]);
	for (const one of options.import)
		esmRun(one, `${process.cwd()}/`);
	if (options.check)
		return checkSyntax(process.argv[1]);
	if (options.test)
		return require('internal/test_files').run(options.argv, options.execArgv.filter((one) => !/^--test(-reporter.*)?$/.test(one)));
	if (options.eval !== undefined)
		return evalScript(options.eval, options);
	if (options.script !== undefined && options.script !== '-')
		return runMain(options.script);
	if (options.interactive || (options.script === undefined && host.isatty(0)))
		return require('internal/repl_start').start(options);
	return stdinScript(stdinText(), options);
}

/* Top-level await that nothing will ever resolve. */
const UNSETTLED = 13;

function beforeExit() {
	if (!state.exiting)
		process.emit('beforeExit', state.exitCode === undefined ? 0 : state.exitCode);
}

exports.main = function () {
	host.signal(SIGPIPE, 1);
	state.begin = host.monotonic();
	const args = host.args();
	process.argv0 = args[0];
	const options = require('internal/options').parse(args.slice(1), host.getenv('NODE_OPTIONS'));
	const prelude = require('internal/offers').begin();
	process.argv = [process.execPath, ...options.argv];
	process.execArgv = options.execArgv;
	options.apply();
	const channel = host.getenv('NODE_CHANNEL_FD');
	if (channel)
		require('internal/ipc').begin(channel);
	loop.call(start, undefined, [options, prelude]);
	loop.run(beforeExit);
	if (state.waits)
		state.exitCode ??= UNSETTLED;
	end();
	return 0;
};
