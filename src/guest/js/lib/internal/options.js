/* The arguments of node itself. */
'use strict';

const { process, warnings } = require('internal/process');
const { print } = require('internal/print');

function bad(text) {
	print(2, `${process.argv0}: ${text}\n`);
	host.exit(9);
}

function versionOption() {
	print(1, `${process.version}\n`);
	host.exit(0);
}

function helpOption() {
	print(1, require('internal/help').text);
	host.exit(0);
}

/* "name", or "/name/flags" */
function pattern(text) {
	const found = /^\/(.*)\/([a-z]*)$/s.exec(text);
	return found ? new RegExp(found[1], found[2]) : new RegExp(text);
}

/* NODE_OPTIONS: words, where quotes keep spaces and a backslash inside them the next character. */
function words(text) {
	const all = [];
	let word = '', quoted = false, any = false;
	for (let i = 0; i < text.length; i++) {
		let c = text[i];
		if (quoted && c === '\\') {
			if (++i === text.length)
				bad('invalid value for NODE_OPTIONS (invalid escape)\n');
			c = text[i];
		} else if (c === '"') {
			quoted = !quoted;
			any = true;
			continue;
		} else if (c === ' ' && !quoted) {
			if (any)
				all.push(word);
			word = '';
			any = false;
			continue;
		}
		word += c;
		any = true;
	}
	if (quoted)
		bad('invalid value for NODE_OPTIONS (unterminated string)\n');
	if (any)
		all.push(word);
	return all;
}

const FORBIDDEN = ['--eval', '--print', '--check', '--interactive', '--version', '--help', '--test', '--expose-gc', '--input-type'];

const MODES = ['throw', 'strict', 'warn', 'none', 'warn-with-error-code'];

/* name -> [needs an argument, function (options, argument, name)] */
const rows = {
	'--eval': [true, (o, text) => { o.eval = text; }],
	'--print': [false, o => { o.print = true; }],
	'--require': [true, (o, name) => { o.require.push(name); }],
	'--import': [true, (o, name) => { o.import.push(name); }],
	'--check': [false, o => { o.check = true; }],
	'--interactive': [false, o => { o.interactive = true; }],
	'--version': [false, versionOption],
	'--help': [false, helpOption],
	'--input-type': [true, (o, type) => {
		if (!['commonjs', 'module'].includes(type))
			bad('--input-type must be "module" or "commonjs"');
		o.inputType = type;
	}],
	'--conditions': [true, (o, name) => {
		require('internal/cjs').conditions.add(name);
		require('internal/esm').conditions.add(name);
	}],
	'--no-warnings': [false, () => { warnings.none = true; }],
	'--pending-deprecation': [false, () => { warnings.pending = true; }],
	'--disable-warning': [true, (o, name) => { warnings.disabled.add(name); }],
	'--warnings': [false, () => { warnings.none = false; }],
	'--trace-warnings': [false, () => { warnings.trace = true; }],
	'--trace-deprecation': [false, () => { process.traceDeprecation = true; }],
	'--throw-deprecation': [false, () => { process.throwDeprecation = warnings.throwDeprecation = true; }],
	'--no-deprecation': [false, () => { process.noDeprecation = warnings.noDeprecation = true; }],
	'--unhandled-rejections': [true, (o, mode) => {
		if (!MODES.includes(mode))
			bad('invalid value for --unhandled-rejections');
		require('internal/fatal').mode = mode;
	}],
	'--stack-trace-limit': [true, (o, n) => { Error.stackTraceLimit = Number(n); }],
	'--max-old-space-size': [true, (o, n) => {
		host.limit = Math.min(host.limit, Number(n) * 1048576);	/* js_memory_bytes is hard */
		host.setMemoryLimit(host.limit);
	}],
	'--expose-gc': [false, () => { globalThis.gc = function gc() { host.gc(); }; }],
	'--title': [true, (o, text) => { process.title = text; }],
	'--env-file': [true, (o, name) => {
		try {
			require('internal/mime').loadEnv(require('internal/files').readText(name));
		} catch {
			bad(`${name}: not found`);
		}
	}],
	'--test': [false, o => { o.test = true; }],
	'--test-reporter': [true, (o, name) => {
		if (!['tap', 'spec', 'dot'].includes(name))
			bad(`the test reporter ${name} is not in this sandbox: there are tap, spec and dot`);
		require('internal/test_report').reporter = name;
	}],
	'--test-name-pattern': [true, (o, text) => { require('internal/test_runner').patterns.name.push(pattern(text)); }],
	'--test-skip-pattern': [true, (o, text) => { require('internal/test_runner').patterns.skip.push(pattern(text)); }],
	'--test-only': [false, () => { require('internal/test_runner').patterns.only = true; }],
	'--test-timeout': [true, (o, ms) => { require('internal/test_runner').patterns.timeout = Number(ms); }],
	'--preserve-symlinks': [false, () => { host.realpath = path => path; }],
};
/* Of no effect here: memory is zero at first, and what they turn on is on or is told by its name when it is asked for. */
for (const name of ['zero-fill-buffers', 'enable-source-maps', 'experimental-vm-modules', 'experimental-modules', 'experimental-fetch',
	'experimental-global-webcrypto', 'experimental-global-customevent', 'experimental-detect-module', 'experimental-require-module',
	'experimental-repl-await', 'experimental-json-modules', 'experimental-top-level-await', 'experimental-abortcontroller', 'harmony',
	'no-node-snapshot', 'node-snapshot', 'no-addons', 'no-opt', 'allow-natives-syntax', 'preserve-symlinks-main', 'no-global-search-paths'])
	rows[`--${name}`] = [false, () => {}];
for (const name of ['max-semi-space-size', 'max-http-header-size', 'stack-size', 'v8-pool-size', 'icu-data-dir', 'secure-heap'])
	rows[`--${name}`] = [true, () => {}];

const alias = {
	'-e': '--eval', '-p': '--print', '-r': '--require', '-c': '--check', '-i': '--interactive', '-v': '--version', '-h': '--help',
	'-C': '--conditions', '--expose_gc': '--expose-gc', '--loader': undefined,
};

function isPrintWithText(word) {
	return word === '-p' || word === '--print' || word === '-pe';
}

/* The options of NODE_OPTIONS come first, and are not in execArgv. */
function fromEnvironment(text) {
	const all = words(text), pending = [];
	for (let at = 0; at < all.length; at++) {
		const equals = all[at].startsWith('--') ? all[at].indexOf('=') : -1;
		const word = equals > 0 ? all[at].slice(0, equals) : all[at], name = (alias[word] || word).replace(/_/g, '-');
		if (!rows[name] || FORBIDDEN.includes(name))
			bad(`${word} is not allowed in NODE_OPTIONS`);
		let value = equals > 0 ? all[at].slice(equals + 1) : undefined;
		if (rows[name][0] && value === undefined) {
			if (at + 1 >= all.length)
				bad(`${word} requires an argument`);
			value = all[++at];
		}
		pending.push([rows[name][1], value]);
	}
	return pending;
}

exports.parse = function (args, environment) {
	const o = { require: [], import: [], execArgv: [], argv: [], apply: () => {} };
	const pending = environment ? fromEnvironment(environment) : [];
	let at = 0;
	for (; at < args.length; at++) {
		let word = args[at];
		if (word === '-' || !word.startsWith('-'))
			break;
		o.execArgv.push(word);
		if (word === '--') {
			at++;
			break;
		}
		if (isPrintWithText(word)) {
			o.print = true;
			if (at + 1 < args.length && (word === '-pe' || !args[at + 1].startsWith('-') || args[at + 1] === '-')) {
				o.eval = args[++at];
				o.execArgv.push(o.eval);
			} else if (word === '-pe') {
				bad('-pe requires an argument');
			}
			continue;
		}
		let value;
		const equals = word.startsWith('--') ? word.indexOf('=') : -1;
		if (equals > 0) {
			value = word.slice(equals + 1);
			word = word.slice(0, equals);
		}
		const name = (alias[word] || word).replace(/_/g, '-');
		const row = rows[name];
		if (!row)
			bad(`bad option: ${args[at]}`);
		if (row[0] && value === undefined) {
			if (at + 1 >= args.length)
				bad(`${word} requires an argument`);
			value = args[++at];
			o.execArgv.push(value);
		}
		if (name === '--version' || name === '--help')
			row[1]();
		pending.push([row[1], value]);
	}
	for (const [fn, value] of pending.filter(one => one[0] === rows['--eval'][1] || one[0] === rows['--check'][1] ||
		one[0] === rows['--interactive'][1]))
		fn(o, value);
	const rest = args.slice(at);
	if (o.eval === undefined && !o.interactive && rest.length)
		o.script = rest[0];
	o.argv = rest;
	if (o.check && o.eval !== undefined)
		bad('either --check or --eval can be used, not both');
	if (o.print && o.eval === undefined)
		o.eval = o.script === undefined ? undefined : o.eval;
	o.apply = () => {
		for (const [fn, value] of pending)
			fn(o, value);
	};
	return o;
};
