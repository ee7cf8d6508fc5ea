/* path: POSIX paths here, those of Windows in internal/path_win32.js. */
'use strict';

const { validateString } = require('internal/validators');
const common = require('internal/path_common');

const isSlash = (code) => code === 47;

function normalizeParts(path, allowAbove) {
	return common.normalizeParts(path, allowAbove, '/', isSlash);
}

const posix = {
	resolve(...args) {
		let resolved = '', absolute = false;
		for (let i = args.length - 1; i >= -1 && !absolute; i--) {
			const path = i >= 0 ? args[i] : require('process').cwd();
			validateString(path, `paths[${i}]`);
			if (path.length === 0)
				continue;
			resolved = `${path}/${resolved}`;
			absolute = path[0] === '/';
		}
		resolved = normalizeParts(resolved, !absolute);
		if (absolute)
			return `/${resolved}`;
		return resolved.length > 0 ? resolved : '.';
	},
	normalize(path) {
		validateString(path, 'path');
		if (path.length === 0)
			return '.';
		const absolute = path[0] === '/', trailing = path.endsWith('/');
		let made = normalizeParts(path, !absolute);
		if (made.length === 0) {
			if (absolute)
				return '/';
			return trailing ? './' : '.';
		}
		if (trailing)
			made += '/';
		return absolute ? `/${made}` : made;
	},
	isAbsolute(path) {
		validateString(path, 'path');
		return path[0] === '/';
	},
	join(...args) {
		const parts = [];
		for (const arg of args) {
			validateString(arg, 'path');
			if (arg.length > 0)
				parts.push(arg);
		}
		return parts.length === 0 ? '.' : posix.normalize(parts.join('/'));
	},
	relative(from, to) {
		validateString(from, 'from');
		validateString(to, 'to');
		if (from === to)
			return '';
		from = posix.resolve(from);
		to = posix.resolve(to);
		if (from === to)
			return '';
		const left = from.split('/').filter(Boolean), right = to.split('/').filter(Boolean);
		let same = 0;
		while (same < left.length && same < right.length && left[same] === right[same])
			same++;
		return [...left.slice(same).map(() => '..'), ...right.slice(same)].join('/');
	},
	toNamespacedPath(path) { return path; },
	dirname(path) {
		validateString(path, 'path');
		if (path.length === 0)
			return '.';
		let end = path.length;
		while (end > 1 && path[end - 1] === '/')
			end--;
		end = path.lastIndexOf('/', end - 1);
		if (end === -1)
			return '.';
		if (end === 0)
			return '/';
		if (end === 1 && path[0] === '/')
			return '//';
		return path.slice(0, end);
	},
	basename(path, suffix) {
		if (suffix !== undefined)
			validateString(suffix, 'suffix');
		validateString(path, 'path');
		return common.basename(path, suffix, 0, isSlash);
	},
	extname(path) {
		validateString(path, 'path');
		return common.extensionOf(common.basename(path, undefined, 0, isSlash));
	},
	format(pathObject) { return common.format('/', pathObject); },
	parse(path) {
		validateString(path, 'path');
		const result = { root: path[0] === '/' ? '/' : '', dir: '', base: '', ext: '', name: '' };
		if (path.length === 0)
			return result;
		let end = path.length;
		while (end > result.root.length && path[end - 1] === '/')
			end--;
		const from = path.lastIndexOf('/', end - 1) + 1;
		const start = Math.max(from, result.root.length);
		result.base = path.slice(start, end);
		/* as Node does it: right behind the root ".." has an extension */
		result.ext = result.base === '..' && start === 1 ? '.' : common.extensionOf(result.base);
		result.name = result.base.slice(0, result.base.length - result.ext.length);
		if (from > 1)
			result.dir = path.slice(0, from - 1);
		else if (result.root)
			result.dir = '/';
		return result;
	},
	matchesGlob(path, pattern) { return require('internal/glob').matchesGlob(path, pattern); },
	sep: '/', delimiter: ':', win32: null, posix: null,
};

const win32 = require('internal/path_win32');
posix.win32 = win32.win32 = win32;
posix.posix = win32.posix = posix;
posix._makeLong = posix.toNamespacedPath;
win32._makeLong = win32.toNamespacedPath;

module.exports = posix;
