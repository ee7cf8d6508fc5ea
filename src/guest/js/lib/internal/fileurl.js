/* file: URLs and paths, for the loaders: without the whole of URL. */
'use strict';

exports.fromPath = function (path) {
	return 'file://' + encodeURI(path).replace(/[?#]|%5[BDE]|%7C/g, c => (
		{ '?': '%3F', '#': '%23', '%5B': '[', '%5D': ']', '%5E': '^', '%7C': '|' })[c]);
};

exports.toPath = function (url) {
	return decodeURIComponent(url.replace(/^file:\/\/(localhost(?=\/))?/, '').replace(/[?#].*$/s, ''));
};

exports.query = url => (/[?#].*$/s.exec(url) || [''])[0];

/* Without "." and ".."; absolute. */
exports.normalize = function (path) {
	const out = [];
	for (const part of path.split('/')) {
		if (part === '..')
			out.pop();
		else if (part !== '' && part !== '.')
			out.push(part);
	}
	return '/' + out.join('/');
};

exports.resolve = (base, path) => exports.normalize(path.startsWith('/') ? path : `${base}/${path}`);
exports.dirname = path => path.slice(0, path.lastIndexOf('/')) || '/';
exports.basename = path => path.slice(path.lastIndexOf('/') + 1);
exports.extname = function (path) {
	const name = exports.basename(path);
	const dot = name.lastIndexOf('.');
	return dot > 0 ? name.slice(dot) : '';
};
