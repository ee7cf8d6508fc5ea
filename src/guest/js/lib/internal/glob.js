/* Matching of one path against a pattern: *, **, ?, [a-z], [!a] and {a,b}. A name that begins with a dot is matched by a dot only. */
'use strict';

const { validateString } = require('internal/validators');

/* One segment as a regular expression; a segment of stars alone may be empty no more than its name. */
function segmentSource(segment) {
	let out = /^[*?[]/.test(segment) ? '(?!\\.)' : '';
	for (let i = 0; i < segment.length; i++) {
		const c = segment[i];
		const close = c === '[' ? segment.indexOf(']', i + 2) : -1;
		if (c === '*') {
			out += '[^/]*';
		} else if (c === '?') {
			out += '[^/]';
		} else if (close > 0) {
			out += `[${segment.slice(i + 1, close).replace(/^!/, '^').replaceAll('\\', '\\\\')}]`;
			i = close;
		} else {
			out += c.replace(/[\\^$.|+(){}[\]]/, '\\$&');
		}
	}
	return out;
}

/* {a,b} as all its words; not nested deeper than the text is long. */
function braces(pattern) {
	const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern);
	if (found === null)
		return [pattern];
	return found[2].split(',').flatMap((word) => braces(found[1] + word + found[3]));
}

function toRegExp(pattern) {
	const parts = pattern.split('/');
	let out = '';
	parts.forEach((part, i) => {
		const last = i === parts.length - 1;
		if (part === '**')
			out += last ? '(?:(?!\\.)[^/]+(?:/(?!\\.)[^/]+)*)?' : '(?:(?!\\.)[^/]+/)*';
		else
			out += segmentSource(part) + (last ? '' : '/');
	});
	return new RegExp(`^${out}$`, 's');
}

exports.matchesGlob = function (path, pattern, windows = false) {
	validateString(path, 'path');
	validateString(pattern, 'pattern');
	const process = require('process');
	process.emitWarning('glob is an experimental feature and might change at any time', 'ExperimentalWarning');
	const plain = (text) => windows ? text.replaceAll('\\', '/') : text;
	return braces(plain(pattern)).some((one) => toRegExp(one).test(plain(path)));
};
