/* require(): finding, loading and running CommonJS modules, as Node's Module does. */
'use strict';

const builtins = require('internal/builtins');
const files = require('internal/files');
const { dirname, resolve, extname, normalize, fromPath } = require('internal/fileurl');
const packages = require('internal/package');

const conditions = new Set(['node', 'require', 'module-sync', 'node-addons']);
exports.conditions = conditions;

function codes() {
	return require('internal/errors').codes;
}

function Module(id = '', parent) {
	this.id = id;
	this.path = dirname(id);
	this.exports = {};
	Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true, enumerable: false });
	if (parent && parent.children)
		parent.children.push(this);
	this.filename = null;
	this.loaded = false;
	this.children = [];
}
exports.Module = Module;

Module._cache = { __proto__: null };
Module._pathCache = { __proto__: null };
Module._extensions = { __proto__: null };
/* NODE_PATH, and places below the home directory and the prefix; looked at when they are first asked for. */
let globalPaths;
Object.defineProperty(Module, 'globalPaths', {
	configurable: true, enumerable: true,
	get() {
		if (globalPaths === undefined) {
			const { process } = require('internal/process');
			const home = process.env.HOME;
			globalPaths = [...(process.env.NODE_PATH || '').split(':').filter(Boolean),
				...(home ? [`${home}/.node_modules`, `${home}/.node_libraries`] : []), resolve(dirname(process.execPath), '../lib/node')];
		}
		return globalPaths;
	},
	set(value) { globalPaths = value; },
});
Module.Module = Module;
Module.builtinModules = builtins.names;
Module.isBuiltin = name => builtins.bare(`${name}`) !== undefined;
Module.syncBuiltinESMExports = () => {};
Module.wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
Module.wrap = script => Module.wrapper[0] + script + Module.wrapper[1];
Module.findSourceMap = () => undefined;

Object.defineProperty(Module.prototype, 'isPreloading', { get: () => false, configurable: true });

/* ---- Finding ---- */

Module._nodeModulePaths = function (from) {
	const paths = [];
	for (let at = normalize(resolve(require('internal/process').process.cwd(), from)); ; at = dirname(at)) {
		if (!at.endsWith('/node_modules'))
			paths.push(at === '/' ? '/node_modules' : `${at}/node_modules`);
		if (at === '/')
			return paths;
	}
};

const isRelative = request => request === '.' || request === '..' || request.startsWith('./') || request.startsWith('../');

Module._resolveLookupPaths = function (request, parent) {
	if (builtins.bare(request) !== undefined)
		return null;
	if (!isRelative(request)) {
		const paths = [...(parent && parent.paths || []), ...Module.globalPaths];
		return paths.length ? paths : null;
	}
	return [parent && parent.filename ? dirname(parent.filename) : '.'];
};

function withExtensions(base) {
	for (const extension of Object.keys(Module._extensions)) {
		if (host.kind(base + extension) === 0)
			return host.realpath(base + extension);
	}
	return undefined;
}

function ofDirectory(path) {
	const pkg = packages.read(path);
	const main = pkg && typeof pkg.main === 'string' && pkg.main;
	const index = () => withExtensions(`${path === '/' ? '' : path}/index`);
	if (!main)
		return index();
	const at = resolve(path, main);
	const found = (host.kind(at) === 0 ? host.realpath(at) : undefined) ?? withExtensions(at) ??
		(host.kind(at) === 1 ? withExtensions(`${at}/index`) : undefined) ?? index();
	if (found === undefined) {
		const e = new Error(`Cannot find module '${at}'. Please verify that the package.json has a valid "main" entry`);
		e.code = 'MODULE_NOT_FOUND';
		e.path = pkg.path;
		e.requestPath = path;
		throw e;
	}
	return found;
}

/* A file by its path, with an extension or as a directory. */
function ofPath(path, slash) {
	const kind = host.kind(path);
	if (!slash) {
		if (kind === 0)
			return host.realpath(path);
		const found = withExtensions(path);
		if (found !== undefined)
			return found;
	}
	return kind === 1 ? ofDirectory(path) : undefined;
}

const endsAsDirectory = request => /(^|\/)\.{0,2}$/.test(request) && request !== '';

function ofPackage(request, modules) {
	const [name, subpath] = packages.split(request) || [];
	if (!name)
		return undefined;
	const directory = `${modules}/${name}`;
	const pkg = host.kind(directory) === 1 ? packages.read(directory) : null;
	if (!pkg || pkg.exports === undefined || pkg.exports === null)
		return undefined;
	const found = packages.resolveExports(pkg, subpath, conditions);
	if (found === undefined)
		return undefined;
	if (host.kind(found) === 0)
		return host.realpath(found);
	const e = new Error(`Cannot find module '${found}'`);
	e.code = 'MODULE_NOT_FOUND';
	e.path = pkg.path;
	throw e;
}

Module._findPath = function (request, paths) {
	const slash = endsAsDirectory(request);
	if (request.startsWith('/'))
		return ofPath(normalize(request), slash) ?? false;
	for (const base of paths || []) {
		const absolute = resolve(require('internal/process').process.cwd(), base);
		if (!isRelative(request)) {
			if (host.kind(absolute) !== 1)
				continue;
			const found = ofPackage(request, absolute);
			if (found !== undefined)
				return found;
		}
		const found = ofPath(resolve(absolute, request), slash);
		if (found !== undefined)
			return found;
	}
	return false;
};

function notFound(request, parent) {
	const stack = [];
	for (let at = parent; at; at = at.parent)
		stack.push(at.filename || at.id);
	const e = new Error(`Cannot find module '${request}'${stack.length ? `\nRequire stack:\n- ${stack.join('\n- ')}` : ''}`);
	e.code = 'MODULE_NOT_FOUND';
	e.requireStack = stack;
	return located(e);
}

/* As Node's stacks tell it. */
function located(e) {
	return require('internal/fatal').within(e, ['Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)',
		'Module._load (node:internal/modules/cjs/loader:1038:27)'], /^ {4}at Module\._load /);
}
exports.located = located;

function existing(path, request, parent) {
	if (host.kind(path) !== 0)
		throw notFound(path, parent);
	return host.realpath(path);
}

function lookupPaths(request, parent, options) {
	if (!options || !Array.isArray(options.paths))
		return Module._resolveLookupPaths(request, parent);
	if (isRelative(request))
		return options.paths;
	return options.paths.flatMap(path => Module._nodeModulePaths(path));
}

Module._resolveFilename = function (request, parent, isMain, options) {
	if (builtins.bare(request) !== undefined)
		return request;
	const file = parent && parent.filename;
	if (request[0] === '#' && file && packages.scope(file)?.imports) {
		const found = packages.resolveImports(request, file, conditions, file);
		if (found.path)
			return existing(found.path, request, parent);
		return Module._resolveFilename(found.bare, parent, isMain, options);
	}
	if (file && !isRelative(request) && !request.startsWith('/')) {
		const own = packages.self(request, file, conditions, file);
		if (own !== undefined)
			return existing(own, request, parent);
	}
	const found = Module._findPath(request, lookupPaths(request, parent, options), isMain);
	if (found === false)
		throw notFound(request, parent);
	return found;
};

/* ---- Loading ---- */


/* What a circle of modules sees of one that is not done: who asks for what is not there yet is warned. */
let circles;

const plain = value => value !== null && typeof value === 'object' && host.classOf(value) !== 'Proxy';

function warn(name) {
	process.emitWarning(`Accessing non-existent property '${String(name)}' of module exports inside circular dependency`);
}

function unfinished(module) {
	const value = module.exports;
	if (!plain(value) || Object.getPrototypeOf(value) !== Object.prototype || value.__esModule)
		return value;
	circles ??= new Proxy({}, {
		get(target, name) {
			if (name in target || name === '__esModule')
				return target[name];
			warn(name);
			return undefined;
		},
		getOwnPropertyDescriptor(target, name) {
			if (Object.hasOwn(target, name) || name === '__esModule')
				return Object.getOwnPropertyDescriptor(target, name);
			warn(name);
			return undefined;
		},
	});
	Object.setPrototypeOf(value, circles);
	return value;
}

Module._load = function moduleFind(request, parent, isMain) {
	const name = builtins.bare(request);
	if (name !== undefined) {
		if (!request.startsWith('node:') && Module._cache[request])
			return Module._cache[request].exports;
		return builtins.load(name);
	}
	if (request.startsWith('node:')) {
		const e = packages.failure(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${request}`);
		throw e;
	}
	const filename = Module._resolveFilename(request, parent, isMain);
	const known = Module._cache[filename];
	if (known) {
		if (parent && parent.children && !parent.children.includes(known))
			parent.children.push(known);
		return known.loaded ? known.exports : unfinished(known);
	}
	if (builtins.bare(filename) !== undefined)
		return builtins.load(builtins.bare(filename));
	const module = new Module(filename, parent);
	if (isMain) {
		require('internal/process').process.mainModule = module;
		module.id = '.';
		exports.main = module;
	}
	Module._cache[filename] = module;
	let good = false;
	try {
		module.load(filename);
		good = true;
		if (circles && plain(module.exports) && Object.getPrototypeOf(module.exports) === circles)
			Object.setPrototypeOf(module.exports, Object.prototype);
	} finally {
		if (!good) {
			delete Module._cache[filename];
			if (parent && parent.children)
				parent.children = parent.children.filter(one => one !== module);
		}
	}
	return module.exports;
};

Module.prototype.load = function moduleLoad(filename) {
	this.filename = filename;
	this.paths ??= Module._nodeModulePaths(dirname(filename));
	const extension = Module._extensions[extname(filename)] ? extname(filename) : '.js';
	Module._extensions[extension](this, filename);
	this.loaded = true;
};

Module.prototype.require = function moduleRequire(id) {
	if (typeof id !== 'string')
		throw codes().ERR_INVALID_ARG_TYPE('id', 'string', id);
	if (id === '')
		throw codes().ERR_INVALID_ARG_VALUE('id', id, 'must be a non-empty string');
	return Module._load(id, this, false);
};

const PARAMETERS = 'exports, require, module, __filename, __dirname';

/* The engine looks names up behind the parser, and does not say where. */
function placed(e, source, filename, at) {
	const before = source.slice(0, Math.max(at, 0)), line = before.split('\n').length;
	const stack = e.stack.replace('\n', `\n    at ${filename}:${line}:${before.length - before.lastIndexOf('\n')}\n`);
	Object.defineProperty(e, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
}

function compile(source, filename) {
	let fn;
	try {
		fn = host.compile(source, filename, PARAMETERS, 1);
	} catch (e) {
		if (!(e instanceof SyntaxError))
			throw e;
		const field = /^Private field '(.*)' must be declared/.exec(e.message);
		if (field)
			placed(e, source, filename, source.indexOf(`.${field[1]}`));
		throw require('internal/fatal').mistake(e, ['wrapSafe (node:internal/modules/cjs/loader:1464:18)',
			'Module._compile (node:internal/modules/cjs/loader:1495:20)'], 'Module._compile', field ? 1 : undefined);
	}
	Object.defineProperty(fn, 'name', { value: 'Object.<anonymous>', configurable: true });
	return fn;
}

Module.prototype._compile = function moduleCompile(source, filename, fn = compile(`${source}`, filename)) {
	return runCompiled(fn, this, filename);
};

function runCompiled(fn, module, filename) {
	return fn.call(module.exports, module.exports, requireOf(module), module, filename, dirname(filename));
}

function requireOf(module) {
	const fn = function require(path) { return module.require(path); };
	fn.resolve = function resolve(request, options) {
		if (typeof request !== 'string')
			throw codes().ERR_INVALID_ARG_TYPE('request', 'string', request);
		return Module._resolveFilename(request, module, false, options);
	};
	fn.resolve.paths = function paths(request) { return Module._resolveLookupPaths(request, module); };
	fn.main = exports.main;
	fn.extensions = Module._extensions;
	fn.cache = Module._cache;
	return fn;
}
exports.requireOf = requireOf;

/* What a file without a clear type is: an ES module if only that parses. */
const looksLikeModule = source => /(^|[^.\w$])(import|export|await)\b/.test(source);
const MODULE_SYNTAX = /^(Cannot use import statement outside a module|Unexpected token 'export'|Cannot use 'import.meta' outside a module)$/;
exports.isModuleSource = function (source) {
	if (!looksLikeModule(source))
		return false;
	try {
		host.compile(source, 'x', PARAMETERS, 1);
		return false;
	} catch (e) {
		return e instanceof SyntaxError && (MODULE_SYNTAX.test(e.message) || host.detectModule(source));
	}
};

function loadAsModule(module, filename) {
	const { requireModule } = require('internal/esm');
	const namespace = requireModule(fromPath(filename), filename);
	module.exports = namespace;
	if (Object.hasOwn(namespace, 'module.exports'))
		module.exports = namespace['module.exports'];
	else if (Object.hasOwn(namespace, 'default') && !Object.hasOwn(namespace, '__esModule'))
		module.exports = withFlag(namespace);
}

/* require() of an ES module with a default export says so with __esModule. */
function withFlag(namespace) {
	const made = Object.create(null);
	for (const key of Object.keys(namespace))
		Object.defineProperty(made, key, { get: () => namespace[key], enumerable: true });
	Object.defineProperty(made, '__esModule', { value: true, enumerable: true });
	Object.defineProperty(made, Symbol.toStringTag, { value: 'Module' });
	return made;
}

Module._extensions['.js'] = function moduleExtension(module, filename) {
	const type = filename.endsWith('.js') ? packages.typeOf(filename) : 'none';
	if (type === 'module')
		return loadAsModule(module, filename);
	const source = files.readText(filename);
	if (type === 'none' && module._compile === Module.prototype._compile && looksLikeModule(source)) {
		let fn;
		try {
			fn = compile(source, filename);
		} catch (e) {
			if (e instanceof SyntaxError && !filename.endsWith('.cjs') && host.detectModule(source))
				return loadAsModule(module, filename);
			throw e;
		}
		return module._compile(source, filename, fn);
	}
	return module._compile(source, filename);
};

Module._extensions['.json'] = function (module, filename) {
	const text = files.readText(filename);
	try {
		module.exports = JSON.parse(text);
	} catch (e) {
		e.message = `${filename}: ${e.message}`;
		const fatal = require('internal/fatal');
		throw fatal.rethrown(fatal.within(e, ['parse (<anonymous>)', 'Module._extensions..json (node:internal/modules/cjs/loader:1641:39)'],
			/^ {4}at (JSON\.parse|(Module|Object)\._extensions\.\.json|Module\._extensions\.<computed>) /), 'node:internal/modules/cjs/loader:1641:1');
	}
};

Module._extensions['.node'] = function (module, filename) {
	const e = new Error(`${filename}: native addons cannot run in this sandbox`);
	e.code = 'ERR_DLOPEN_FAILED';
	throw e;
};

Module._initPaths = () => {};
Module._preloadModules = function (requests) {
	const parent = new Module('internal/preload', null);
	parent.paths = Module._nodeModulePaths(require('internal/process').process.cwd());
	for (const request of requests)
		parent.require(request);
};

Module.createRequire = function createRequire(filename) {
	let path;
	if (typeof filename === 'object' && filename !== null && typeof filename.href === 'string')
		filename = filename.href;
	if (typeof filename === 'string' && filename.startsWith('file:'))
		path = require('internal/fileurl').toPath(filename);
	else if (typeof filename === 'string' && filename.startsWith('/'))
		path = filename;
	else
		throw codes().ERR_INVALID_ARG_VALUE('filename', filename, 'must be a file URL object, file URL string, or absolute path string');
	const module = new Module(path);
	module.filename = path.endsWith('/') ? `${path}noop.js` : path;
	module.paths = Module._nodeModulePaths(dirname(module.filename));
	return requireOf(module);
};

Module.runMain = function (path) {
	Module._load(path, null, true);
};
