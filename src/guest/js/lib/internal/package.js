/* package.json files, and what their "exports" and "imports" say: shared by require() and import. */
'use strict';

const { dirname, normalize } = require('internal/fileurl');
const cache = new Map();

/* The parsed file of a directory, or null. */
exports.read = function (directory) {
	const path = directory === '/' ? '/package.json' : `${directory}/package.json`;
	let data = cache.get(path);
	if (data !== undefined)
		return data;
	data = null;
	if (host.kind(path) === 0) {
		const text = require('internal/files').readText(path);
		try {
			data = JSON.parse(text);
		} catch (e) {
			const bad = new Error(`Invalid package config ${path}.`);
			bad.code = 'ERR_INVALID_PACKAGE_CONFIG';
			throw bad;
		}
		if (data === null || typeof data !== 'object')
			data = {};
		data = { path, directory, name: data.name, main: data.main, type: data.type, exports: data.exports, imports: data.imports };
	}
	cache.set(path, data);
	return data;
};

/* The nearest above a file. */
exports.scope = function (file) {
	for (let at = dirname(file); ; at = dirname(at)) {
		if (at.endsWith('/node_modules'))
			return null;
		const data = exports.read(at);
		if (data || at === '/')
			return data;
	}
};

exports.typeOf = function (file) {
	const data = exports.scope(file);
	return data && (data.type === 'module' || data.type === 'commonjs') ? data.type : 'none';
};

function failure(Base, code, message) {
	const e = new Base(message);
	Object.defineProperty(e, 'stack', {
		value: e.stack.replace(/^\w+/, `$& [${code}]`), writable: true, configurable: true, enumerable: false,
	});
	e.code = code;
	return e;
}
exports.failure = failure;

const from = base => base ? ` imported from ${base}` : '';

function notExported(pkg, subpath, base) {
	const json = pkg.path;
	const what = subpath === '.' ? `No "exports" main defined in ${json}` :
		`Package subpath '${subpath}' is not defined by "exports" in ${json}`;
	return failure(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', what + from(base));
}

function invalidTarget(pkg, key, target, isImports, base) {
	const shown = JSON.stringify(target);
	const relative = typeof target === 'string' && target.length && !target.startsWith('./') && !isImports;
	const kind = isImports ? 'imports' : 'exports';
	const what = key === '.' ? `Invalid "exports" main target ${shown} defined in the package config ${pkg.path}` :
		`Invalid "${kind}" target ${shown} defined for '${key}' in the package config ${pkg.path}`;
	return failure(Error, 'ERR_INVALID_PACKAGE_TARGET', `${what}${from(base)}${relative ? '; targets must start with "./"' : ''}`);
}

const BAD_SEGMENT = /(^|\/)(\.\.?|node_modules)(\/|$)/i;

function resolveString(pkg, target, match, key, isImports, conditions, base) {
	if (!target.startsWith('./')) {
		if (isImports && !target.startsWith('../') && !target.startsWith('/')) {
			const name = match === undefined ? target : target.replaceAll('*', match);
			return { bare: name, directory: pkg.directory };
		}
		throw invalidTarget(pkg, key, target, isImports, base);
	}
	if (BAD_SEGMENT.test(target.slice(2)))
		throw invalidTarget(pkg, key, target, isImports, base);
	if (match !== undefined && BAD_SEGMENT.test(match)) {
		throw failure(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${key.replace('*', match)}" request is not a valid ` +
			`match in pattern "${key}" for the "${isImports ? 'imports' : 'exports'}" resolution of ${pkg.path}${from(base)}`);
	}
	const path = match === undefined ? target : target.replaceAll('*', match);
	return { path: normalize(`${pkg.directory}/${path}`) };
}

/* What a target means: { path }, { bare }, null (not for us) or undefined (nothing matches). */
function resolveTarget(pkg, target, match, key, isImports, conditions, base) {
	if (typeof target === 'string')
		return resolveString(pkg, target, match, key, isImports, conditions, base);
	if (Array.isArray(target)) {
		let last;
		for (const one of target) {
			let found;
			try {
				found = resolveTarget(pkg, one, match, key, isImports, conditions, base);
			} catch (e) {
				if (e.code !== 'ERR_INVALID_PACKAGE_TARGET')
					throw e;
				last = e;
				continue;
			}
			if (found)
				return found;
			last = found;
		}
		if (last instanceof Error)
			throw last;
		return last === undefined ? null : last;
	}
	if (target === null)
		return null;
	if (typeof target !== 'object')
		throw invalidTarget(pkg, key, target, isImports, base);
	for (const condition of Object.keys(target)) {
		if (condition !== 'default' && !conditions.has(condition))
			continue;
		const found = resolveTarget(pkg, target[condition], match, key, isImports, conditions, base);
		if (found !== undefined)
			return found;
	}
	return undefined;
}

/* Longest literal part first. */
function patternOrder(a, b) {
	const x = a.indexOf('*') + 1, y = b.indexOf('*') + 1;
	if (x !== y)
		return y - x;
	return b.length - a.length;
}

function resolveKeys(pkg, map, subpath, isImports, conditions, base) {
	if (Object.hasOwn(map, subpath) && !subpath.includes('*') && !subpath.endsWith('/'))
		return resolveTarget(pkg, map[subpath], undefined, subpath, isImports, conditions, base);
	for (const key of Object.keys(map).filter(one => one.split('*').length === 2).sort(patternOrder)) {
		const [head, tail] = key.split('*');
		if (subpath.startsWith(head) && subpath.length >= key.length && subpath.endsWith(tail)) {
			return resolveTarget(pkg, map[key], subpath.slice(head.length, subpath.length - tail.length), key, isImports,
				conditions, base);
		}
	}
	return undefined;
}

exports.resolveExports = function (pkg, subpath, conditions, base) {
	let map = pkg.exports;
	const keys = map !== null && typeof map === 'object' && !Array.isArray(map) ? Object.keys(map) : [];
	const dotted = keys.filter(key => key.startsWith('.')).length;
	if (dotted && dotted !== keys.length) {
		throw failure(Error, 'ERR_INVALID_PACKAGE_CONFIG', `Invalid package config ${pkg.path}${base ? ` while importing ` +
			`"${base}"` : ''}. "exports" cannot contain some keys starting with '.' and some not. The exports object must either ` +
			'be an object of package subpath keys or an object of main entry condition name keys only.');
	}
	if (!dotted)
		map = { '.': map };
	const found = resolveKeys(pkg, map, subpath, false, conditions, base);
	if (!found)
		throw notExported(pkg, subpath, base);
	return found.path;
};

/* "#name" from a file: { path } or { bare, directory }. */
exports.resolveImports = function (request, file, conditions, base) {
	if (request === '#' || request.startsWith('#/') || request.endsWith('/')) {
		throw failure(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${request}" is not a valid internal imports ` +
			`specifier name${from(base)}`);
	}
	const pkg = exports.scope(file);
	if (pkg && pkg.imports && typeof pkg.imports === 'object') {
		const found = resolveKeys(pkg, pkg.imports, request, true, conditions, base);
		if (found)
			return found;
	}
	throw failure(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${request}" is not defined` +
		`${pkg ? ` in package ${pkg.path}` : ''}${from(base)}`);
};

/* "@scope/name/sub" -> ["@scope/name", "./sub"]; undefined: no package name. */
exports.split = function (request) {
	const match = /^((?:@[^/\\%]+\/)?[^./\\%][^/\\%]*)(\/.*)?$/.exec(request);
	return match ? [match[1], '.' + (match[2] || '')] : undefined;
};

/* A package that names itself. */
exports.self = function (request, file, conditions, base) {
	const pkg = exports.scope(file);
	if (!pkg || pkg.exports === undefined || pkg.exports === null || pkg.name === undefined)
		return undefined;
	if (request !== pkg.name && !request.startsWith(`${pkg.name}/`))
		return undefined;
	return exports.resolveExports(pkg, '.' + request.slice(pkg.name.length), conditions, base);
};
