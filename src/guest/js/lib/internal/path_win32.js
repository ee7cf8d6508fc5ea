/* Paths as Windows has them: drives, UNC roots, and both slashes. */
'use strict';

const { validateString } = require('internal/validators');
const common = require('internal/path_common');

const isSeparator = (code) => code === 47 || code === 92;
const isDrive = (code) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

function normalizeParts(path, allowAbove) {
	return common.normalizeParts(path, allowAbove, '\\', isSeparator);
}

function skipSeparators(path, at) {
	while (at < path.length && isSeparator(path.charCodeAt(at)))
		at++;
	return at;
}

function skipName(path, at) {
	while (at < path.length && !isSeparator(path.charCodeAt(at)))
		at++;
	return at;
}

/*
 * What a path begins with: `device` ("C:", "\\server\share" or ""), `end` where the rest starts, and whether it is absolute.
 * `unc` tells a server without anything behind its share.
 */
function rootOf(path) {
	const first = path.charCodeAt(0);
	const root = { device: '', end: 0, absolute: false, unc: false, bare: false };
	if (path.length === 0)
		return root;
	if (isSeparator(first)) {
		root.absolute = true;
		root.end = 1;
		if (path.length > 1 && isSeparator(path.charCodeAt(1))) {
			const serverEnd = skipName(path, 2), shareStart = skipSeparators(path, serverEnd);
			const shareEnd = skipName(path, shareStart);
			if (serverEnd > 2 && shareStart > serverEnd && shareEnd > shareStart) {
				root.device = `\\\\${path.slice(2, serverEnd)}\\${path.slice(shareStart, shareEnd)}`;
				root.end = shareEnd;
				root.unc = true;
				root.bare = shareEnd === path.length;
			}
		}
	} else if (isDrive(first) && path[1] === ':') {
		root.device = path.slice(0, 2);
		root.end = 2;
		if (path.length > 2 && isSeparator(path.charCodeAt(2))) {
			root.absolute = true;
			root.end = 3;
		}
	}
	return root;
}

function currentOn(device) {
	const process = require('process');
	if (device.length === 0)
		return process.cwd();
	const path = process.env[`=${device}`] || process.cwd();
	if (path === undefined || (path.slice(0, 2).toLowerCase() !== device.toLowerCase() && path[2] === '\\'))
		return `${device}\\`;
	return path;
}

function resolve(...args) {
	let device = '', tail = '', absolute = false;
	for (let i = args.length - 1; i >= -1; i--) {
		let path;
		if (i >= 0) {
			path = args[i];
			validateString(path, `paths[${i}]`);
			if (path.length === 0)
				continue;
		} else {
			path = currentOn(device);
		}
		const root = rootOf(path);
		if (root.device.length > 0) {
			if (device.length > 0) {
				if (root.device.toLowerCase() !== device.toLowerCase())
					continue;
			} else {
				device = root.device;
			}
		}
		if (absolute) {
			if (device.length > 0)
				break;
		} else {
			tail = `${path.slice(root.end)}\\${tail}`;
			absolute = root.absolute;
			if (absolute && device.length > 0)
				break;
		}
	}
	tail = normalizeParts(tail, !absolute);
	return absolute ? `${device}\\${tail}` : `${device}${tail}` || '.';
}

/* A relative path must not become one with a drive. */
function looksLikeDrive(path, tail) {
	return path.includes(':') && (driveEnd(tail) === 2 || /:([\\/]|$)/.test(path));
}

function normalize(path) {
	validateString(path, 'path');
	if (path.length === 0)
		return '.';
	if (path.length === 1)
		return isSeparator(path.charCodeAt(0)) ? '\\' : path;
	const root = rootOf(path);
	if (root.unc && /^\\\\[.?]\\/.test(root.device))
		Object.assign(root, { device: root.device.slice(0, 3), end: 4, bare: false });
	if (root.unc && root.bare)
		return `${root.device}\\`;
	let tail = root.end < path.length ? normalizeParts(path.slice(root.end), !root.absolute) : '';
	if (tail.length === 0 && !root.absolute)
		tail = '.';
	if (tail.length > 0 && isSeparator(path.charCodeAt(path.length - 1)))
		tail += '\\';
	if (!root.absolute && root.device.length === 0 && looksLikeDrive(path, tail))
		return `.\\${tail}`;
	if (root.device.length === 0)
		return root.absolute ? `\\${tail}` : tail;
	return root.absolute ? `${root.device}\\${tail}` : `${root.device}${tail}`;
}

/* Two leading separators would make a server of what was none. */
function join(...args) {
	const parts = [];
	for (const arg of args) {
		validateString(arg, 'path');
		if (arg.length > 0)
			parts.push(arg);
	}
	if (parts.length === 0)
		return '.';
	let joined = parts.join('\\');
	const first = parts[0], slashes = skipSeparators(first, 0);
	const keepsServer = slashes === 2 && first.length > 2;
	if (!keepsServer) {
		const leading = skipSeparators(joined, 0);
		if (leading >= 2)
			joined = `\\${joined.slice(leading)}`;
	}
	return normalize(joined);
}

function relative(from, to) {
	validateString(from, 'from');
	validateString(to, 'to');
	if (from === to)
		return '';
	const fromFull = resolve(from), toFull = resolve(to);
	if (fromFull === toFull || fromFull.toLowerCase() === toFull.toLowerCase())
		return '';
	const trim = (path) => path.replace(/^\\+/, '').replace(/\\+$/, '');
	const left = trim(fromFull).split('\\'), right = trim(toFull).split('\\');
	let same = 0;
	while (same < left.length && same < right.length && left[same].toLowerCase() === right[same].toLowerCase())
		same++;
	if (same === 0 && left[0] !== '' && right[0] !== '')
		return toFull;
	return [...left.slice(same).filter(Boolean).map(() => '..'), ...right.slice(same).filter(Boolean)].join('\\');
}

function dirname(path) {
	validateString(path, 'path');
	if (path.length === 0)
		return '.';
	if (path.length === 1)
		return isSeparator(path.charCodeAt(0)) ? path : '.';
	const root = rootOf(path);
	if (root.unc && root.bare)
		return path;
	let rootEnd = root.end;
	if (root.unc)
		rootEnd = root.end + 1;
	let end = path.length;
	while (end > rootEnd && isSeparator(path.charCodeAt(end - 1)))
		end--;
	while (end > rootEnd && !isSeparator(path.charCodeAt(end - 1)))
		end--;
	if (end > rootEnd)
		return path.slice(0, end - 1);
	return rootEnd === 0 ? '.' : path.slice(0, rootEnd);
}

function parse(path) {
	validateString(path, 'path');
	const result = { root: '', dir: '', base: '', ext: '', name: '' };
	if (path.length === 0)
		return result;
	const root = rootOf(path);
	let rootEnd = root.end;
	if (root.unc && !root.bare)
		rootEnd++;
	result.root = path.slice(0, rootEnd);
	let end = path.length;
	while (end > rootEnd && isSeparator(path.charCodeAt(end - 1)))
		end--;
	let from = end;
	while (from > rootEnd && !isSeparator(path.charCodeAt(from - 1)))
		from--;
	result.base = path.slice(from, end);
	result.ext = common.extensionOf(result.base);
	result.name = result.base.slice(0, result.base.length - result.ext.length);
	result.dir = from > rootEnd ? path.slice(0, from - 1) : result.root;
	return result;
}

function driveEnd(path) {
	return path.length >= 2 && isDrive(path.charCodeAt(0)) && path[1] === ':' ? 2 : 0;
}

module.exports = {
	resolve, normalize,
	isAbsolute(path) {
		validateString(path, 'path');
		return path.length > 0 && rootOf(path).absolute;
	},
	join, relative,
	toNamespacedPath(path) {
		if (typeof path !== 'string' || path.length === 0)
			return path;
		const full = resolve(path);
		if (full.length <= 2 || /^[\\/]{2}[.?][\\/]/.test(path))
			return path;
		if (full.startsWith('\\\\') && full[2] !== '?' && full[2] !== '.')
			return `\\\\?\\UNC\\${full.slice(2)}`;
		if (isDrive(full.charCodeAt(0)) && full[1] === ':' && full[2] === '\\')
			return `\\\\?\\${full}`;
		return full;
	},
	dirname,
	basename(path, suffix) {
		if (suffix !== undefined)
			validateString(suffix, 'suffix');
		validateString(path, 'path');
		return common.basename(path, suffix, driveEnd(path), isSeparator);
	},
	extname(path) {
		validateString(path, 'path');
		return common.extensionOf(common.basename(path, undefined, driveEnd(path), isSeparator));
	},
	matchesGlob(path, pattern) { return require('internal/glob').matchesGlob(path, pattern, true); },
	format(pathObject) { return common.format('\\', pathObject); },
	parse,
	sep: '\\', delimiter: ';', win32: null, posix: null,
};
