/* ES modules: what a specifier means, what a module holds; called by the engine through hooks (js/glue_module.h). */
'use strict';

const builtins = require('internal/builtins');
const files = require('internal/files');
const fileurl = require('internal/fileurl');
const packages = require('internal/package');
const { failure } = packages;

const conditions = new Set(['node', 'import', 'module-sync', 'node-addons']);
exports.conditions = conditions;

/* ---- Resolving ---- */

const pathOf = name => name.startsWith('file:') ? fileurl.toPath(name) : name;

/* Where relative names of a parent start: a module, a CommonJS file, or [eval]. */
function parentPath(parent) {
	if (parent.startsWith('file:'))
		return fileurl.toPath(parent);
	return parent.startsWith('/') ? parent : `${require('internal/process').process.cwd()}/${parent}`;
}

const LINKING = ['ModuleJob._link (node:internal/modules/esm/module_job:168:49)'];
const IMPORTING = ['ModuleLoader.import (node:internal/modules/esm/loader:605:34)',
	'defaultImportModuleDynamicallyForModule (node:internal/modules/esm/utils:221:31)',
	'importModuleDynamicallyCallback (node:internal/modules/esm/utils:260:12)'];
const EVALUATING = [IMPORTING[0], 'importModuleDynamically (node:internal/process/execution:105:37)',
	'importModuleDynamicallyWrapper (node:internal/vm/module:434:21)'];

/* As Node's stacks tell it: import() is called by a script, import is not. */
function located(e, first, second, base) {
	const called = /\n {4}at (?:[^\n]*\()?(?:file:\/\/|\/|\[)/.test(e.stack);
	const frames = [first, `moduleResolve (node:internal/modules/esm/resolve:${second})`, 'defaultResolve (node:internal/modules/esm/resolve:1188:11)',
		'ModuleLoader.defaultResolve (node:internal/modules/esm/loader:708:12)', '#cachedDefaultResolve (node:internal/modules/esm/loader:657:25)',
		'ModuleLoader.resolve (node:internal/modules/esm/loader:640:38)', 'ModuleLoader.getModuleJobForImport (node:internal/modules/esm/loader:264:38)',
		...!called ? LINKING : base.endsWith('[eval]') ? EVALUATING : IMPORTING];
	return require('internal/fatal').within(e, frames.slice(0, 10), /^/);
}

function finalize(path, tail, base, specifier) {
	const kind = host.kind(path);
	if (kind === 1) {
		const e = failure(Error, 'ERR_UNSUPPORTED_DIR_IMPORT', `Directory import '${path}' is not supported resolving ES modules ` +
			`imported from ${base}`);
		e.url = fileurl.fromPath(path);
		throw e;
	}
	if (kind !== 0) {
		const e = failure(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find module '${path}' imported from ${base}`);
		e.url = fileurl.fromPath(path);
		throw located(e, 'finalizeResolution (node:internal/modules/esm/resolve:283:11)', '952:10', base);
	}
	return fileurl.fromPath(host.realpath(path)) + tail;
}

function legacyMain(directory, pkg, base) {
	const main = pkg && typeof pkg.main === 'string' ? pkg.main : undefined;
	const tries = main === undefined ? [] : [main, `${main}.js`, `${main}.json`, `${main}.node`, `${main}/index.js`,
		`${main}/index.json`, `${main}/index.node`];
	for (const one of [...tries, 'index.js', 'index.json', 'index.node']) {
		const path = fileurl.resolve(directory, one);
		if (host.kind(path) === 0)
			return path;
	}
	const e = failure(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find package '${directory}' imported from ${base}`);
	throw e;
}

function ofPackage(specifier, from, base) {
	const own = packages.self(specifier, from, conditions, base);
	if (own !== undefined)
		return own;
	const [name, subpath] = packages.split(specifier) || [];
	if (name === undefined) {
		throw failure(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${specifier}" is not a valid package name imported ` +
			`from ${base}`);
	}
	for (let at = fileurl.dirname(from); ; at = fileurl.dirname(at)) {
		const directory = `${at === '/' ? '' : at}/node_modules/${name}`;
		if (!at.endsWith('/node_modules') && host.kind(directory) === 1) {
			const pkg = packages.read(directory);
			if (pkg && pkg.exports !== undefined && pkg.exports !== null)
				return packages.resolveExports(pkg, subpath, conditions, base);
			return subpath === '.' ? legacyMain(directory, pkg, base) : fileurl.normalize(`${directory}/${subpath}`);
		}
		if (at === '/')
			break;
	}
	throw located(failure(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find package '${name}' imported from ${base}`),
		'packageResolve (node:internal/modules/esm/resolve:873:9)', '946:18', base);
}

function resolve(specifier, parent) {
	const name = builtins.bare(specifier);
	if (name !== undefined)
		return `node:${name}`;
	if (specifier.startsWith('node:'))
		throw failure(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${specifier}`);
	if (specifier.startsWith('data:'))
		return specifier;
	const base = parentPath(parent);
	if (specifier.startsWith('file:'))
		return finalize(fileurl.normalize(fileurl.toPath(specifier)), fileurl.query(specifier), base, specifier);
	const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(specifier);
	if (scheme) {
		throw failure(Error, 'ERR_UNSUPPORTED_ESM_URL_SCHEME', 'Only URLs with a scheme in: file, data, and node are supported by the ' +
			`default ESM loader. Received protocol '${scheme[1].toLowerCase()}:'`);
	}
	if (/^(\/|\.\.?(\/|$))/.test(specifier)) {
		const tail = fileurl.query(specifier);
		const path = decodeURIComponent(specifier.slice(0, specifier.length - tail.length));
		return finalize(fileurl.resolve(fileurl.dirname(base), path), tail, base, specifier);
	}
	if (specifier[0] === '#') {
		const found = packages.resolveImports(specifier, base, conditions, base);
		if (found.path)
			return finalize(found.path, '', base, specifier);
		return resolve(found.bare, parent);
	}
	return finalize(ofPackage(specifier, base, base), '', base, specifier);
}
exports.resolve = resolve;

/* ---- Loading ---- */

function needType(name, format, type) {
	if (format === 'json' && type === undefined) {
		throw failure(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_MISSING', `Module "${name}" needs an import attribute of type "json"`);
	}
	if (type !== undefined && type !== 'json') {
		throw failure(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_UNSUPPORTED', `Import attribute type "${type}" is unsupported`);
	}
	if (format !== 'json' && type === 'json') {
		throw failure(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_FAILED', `Module "${name}" is not of type "json"`);
	}
}

function json(text, name) {
	let value;
	try {
		value = JSON.parse(text);
	} catch (e) {
		e.message = `${pathOf(name)}: ${e.message}`;
		throw require('internal/fatal').within(e, ['parse (<anonymous>)', 'ModuleLoader.jsonStrategy (node:internal/modules/esm/translators:435:21)',
			'#translate (node:internal/modules/esm/loader:497:12)', 'ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:544:27)'], /^/);
	}
	return [['default'], () => ({ default: value })];
}

function ofData(name, type) {
	const m = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(name);
	const media = m ? m[1].split(';')[0] : '';
	const raw = m ? decodeURIComponent(m[3]) : '';
	const text = m && m[2] ? require('buffer').Buffer.from(raw, 'base64').toString() : raw;
	const format = { 'text/javascript': 'module', 'application/json': 'json' }[media];
	if (!format)
		throw failure(TypeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${media} for URL ${name}`);
	needType(name, format, type);
	return format === 'json' ? json(text, name) : text;
}

/* A builtin's own properties are its names. */
function ofBuiltin(name) {
	const value = builtins.load(name);
	const names = Object.keys(value).filter(key => key !== 'default');
	return [['default', ...names], () => {
		const made = { __proto__: null, default: value };
		for (const key of names)
			made[key] = value[key];
		return made;
	}];
}

/* All names of a CommonJS file, with those it passes on. */
function namesOf(path, seen) {
	if (seen.has(path))
		return [];
	seen.add(path);
	const { Module } = require('internal/cjs');
	const known = Module._cache[path];
	if (known && known.loaded)
		return known.exports && typeof known.exports === 'object' ? Object.keys(known.exports) : [];
	if (!/\.c?js$|\/[^.]*$/.test(path))
		return [];
	const { names, reexports } = require('internal/cjs_names').scan(files.readText(path));
	const all = [...names];
	for (const request of reexports) {
		try {
			const parent = new Module(path);
			parent.filename = path;
			parent.paths = Module._nodeModulePaths(fileurl.dirname(path));
			const found = Module._resolveFilename(request, parent);
			all.push(...(builtins.bare(found) !== undefined ? Object.keys(builtins.load(builtins.bare(found))) : namesOf(found, seen)));
		} catch {
			/* It will tell when it runs. */
		}
	}
	return all;
}

function ofCommonjs(path) {
	const names = new Set(namesOf(path, new Set()));
	names.delete('default');
	return [['default', ...names], () => {
		const { Module } = require('internal/cjs');
		const value = Module._load(path, undefined, false);
		const made = { __proto__: null, default: value };
		for (const name of names)
			made[name] = value === null || value === undefined ? undefined : value[name];
		return made;
	}];
}

function formatOf(path) {
	switch (fileurl.extname(path)) {
	case '.mjs':
		return 'module';
	case '.cjs':
		return 'commonjs';
	case '.json':
		return 'json';
	case '.js': {
		const type = packages.typeOf(path);
		return type === 'none' ? 'detect' : type;
	}
	case '':
		return packages.typeOf(path) === 'module' ? 'module' : 'detect';
	default:
		throw require('internal/fatal').within(
			failure(TypeError, 'ERR_UNKNOWN_FILE_EXTENSION', `Unknown file extension "${fileurl.extname(path)}" for ${path}`),
			['Object.getFileProtocolModuleFormat [as file:] (node:internal/modules/esm/get_format:189:9)',
				'defaultGetFormat (node:internal/modules/esm/get_format:232:36)', 'defaultLoad (node:internal/modules/esm/load:145:22)',
				'async ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:543:45)'], /^/);
	}
}

const commonjs = new Set();	/* the names of those that were imported */

function load(name, type) {
	if (evaluated.has(name))
		return evaluated.get(name);
	if (name.startsWith('node:'))
		return ofBuiltin(name.slice(5));
	if (name.startsWith('data:'))
		return ofData(name, type);
	const path = fileurl.toPath(name);
	let format = formatOf(path);
	needType(name, format, type);
	if (format === 'commonjs') {
		commonjs.add(name);
		return ofCommonjs(path);
	}
	const text = files.readText(path);
	if (format === 'json')
		return json(text, name);
	if (format === 'detect' && !require('internal/cjs').isModuleSource(text)) {
		commonjs.add(name);
		return ofCommonjs(path);
	}
	return text;
}

function meta(object, name) {
	delete object.main;
	if (name.startsWith('file:')) {
		object.dirname = fileurl.dirname(fileurl.toPath(name));
		object.filename = fileurl.toPath(name);
	}
	object.resolve = specifier => resolve(`${specifier}`, name);
	object.url = name;
}

/* Texts that are no files: --input-type=module, -e. */
const evaluated = new Map();
exports.setText = (name, text) => { evaluated.set(name, text); };

/* Where in a text a name is imported: [line, column, the line]. */
function importOf(text, specifier, name) {
	const word = new RegExp(`(?<![\\w$])${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w$])`, 'd');
	for (const found of text.matchAll(/(?:^|[;\n])\s*(?:import|export)\b([^;'"]*)from\s*(['"])((?:(?!\2).)*)\2/dg)) {
		const [from] = found.indices[1];
		const at = found[3] !== specifier ? null : name === 'default' ? /[\w$]+/d.exec(found[1]) : word.exec(found[1]);
		if (!at)
			continue;
		const before = text.slice(0, from + at.index), line = before.split('\n').length;
		return [line, before.length - before.lastIndexOf('\n'), text.split('\n')[line - 1], at[0].length];
	}
	return undefined;
}

/* A name that is not exported, as Node says it: of CommonJS it tells what to do. */
function missing(importer, specifier, exporter, name) {
	const e = new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);
	let text = evaluated.get(importer);
	if (text === undefined && importer.startsWith('file:'))
		text = files.readText(fileurl.toPath(importer));
	const place = text === undefined ? undefined : importOf(text, specifier, name);
	if (exporter.startsWith('file:') && !exporter.endsWith('.json') && commonjs.has(exporter)) {
		const names = /{.*}/.exec(place ? place[2] : '');
		e.message = `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which may not support all ` +
			'module.exports as named exports.\nCommonJS modules can always be imported via the default export, for example using:\n\n' +
			`import pkg from '${specifier}';\n${names ? `const ${names[0].replace(/\s+as\s+/g, ': ')} = pkg;\n` : ''}`;
	}
	return require('internal/fatal').misplaced(e, place && [importer, ...place],
		['ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)', 'async ModuleJob.run (node:internal/modules/esm/module_job:320:5)',
			...exports.starting ? ['async ModuleLoader.import (node:internal/modules/esm/loader:606:24)',
				'async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:117:5)'] : []]);
}

exports.starting = false;	/* the program's own module is being linked */

host.hooks({ missing, resolve: (specifier, parent) => evaluated.has(specifier) ? specifier : resolve(specifier, parent), load, meta });

/* ---- For others ---- */

exports.importModule = (specifier, parent) => host.importModule(specifier, parent);

/* require() of a module: it must not await at its top level. */
exports.requireModule = function (name, path) {
	const [promise, namespace] = host.importModule(name, path);
	const [state, value] = host.promise(promise);
	if (state === 2) {
		promise.catch(() => {});
		throw value;
	}
	if (state === 0) {
		throw failure(Error, 'ERR_REQUIRE_ASYNC_MODULE', 'require() cannot be used on an ESM graph with top-level await. Use import() ' +
			'instead. To see where the top-level await comes from, use --experimental-print-required-tla.');
	}
	return namespace;
};
