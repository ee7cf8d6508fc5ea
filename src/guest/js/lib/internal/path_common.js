/* What both kinds of path share. */
'use strict';

const { validateObject } = require('internal/validators');

/*
 * Resolves "." and ".." in a path without its root. `isSeparator` tells a separator's code; with `allowAbove`, ".." may
 * lead out of the beginning.
 */
exports.normalizeParts = function (path, allowAbove, separator, isSeparator) {
	const kept = [];
	let part = '';
	for (let i = 0; i <= path.length; i++) {
		if (i < path.length && !isSeparator(path.charCodeAt(i))) {
			part += path[i];
			continue;
		}
		if (part === '..') {
			if (kept.length > 0 && kept[kept.length - 1] !== '..')
				kept.pop();
			else if (allowAbove)
				kept.push('..');
		} else if (part !== '' && part !== '.') {
			kept.push(part);
		}
		part = '';
	}
	return kept.join(separator);
};

exports.format = function (separator, parts) {
	validateObject(parts, 'pathObject');
	const dir = parts.dir || parts.root;
	const ext = parts.ext ? `${parts.ext[0] === '.' ? '' : '.'}${parts.ext}` : '';
	const base = parts.base || `${parts.name || ''}${ext}`;
	if (!dir)
		return base;
	return dir === parts.root ? `${dir}${base}` : `${dir}${separator}${base}`;
};

/* The extension of a file name: from its last dot, unless that begins it (or it is ".."). */
exports.extensionOf = function (base) {
	const dot = base.lastIndexOf('.');
	return dot <= 0 || base === '..' ? '' : base.slice(dot);
};

/* The last part without a suffix; `start` is where a drive ends. */
exports.basename = function (path, suffix, start, isSeparator) {
	let end = path.length;
	while (end > start && isSeparator(path.charCodeAt(end - 1)))
		end--;
	let from = end;
	while (from > start && !isSeparator(path.charCodeAt(from - 1)))
		from--;
	const base = path.slice(from, end);
	if (suffix !== undefined && suffix.length > 0) {
		if (suffix === path)
			return '';
		if (base.endsWith(suffix) && base !== suffix)
			return base.slice(0, base.length - suffix.length);
	}
	return base;
};

