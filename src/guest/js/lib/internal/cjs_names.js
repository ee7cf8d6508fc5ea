/*
 * Which names a CommonJS file exports, seen from its text: what `import { name }` of it can have. A scanner of the usual
 * forms, like the one that Node uses: exports.a =, module.exports.a =, Object.defineProperty(exports, 'a', module.exports =
 * { a, b: ..., ...require('x') }, module.exports = require('x'), and what compilers write for re-exports.
 */
'use strict';

/* Comments and the insides of strings and templates could look like code: blanked, quotes and short names stay. */
function blank(source) {
	return source.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|`(?:\\[^]|[^`\\])*`/g, text => text.replace(/[^\n]/g, ' '));
}

const NAME = '[A-Za-z_$][\\w$]*';
const TARGET = '(?:module\\s*\\.\\s*exports|exports)';

function objectLiteral(text, at, found) {
	const part = new RegExp(`\\s*(?:\\.\\.\\.\\s*require\\s*\\(\\s*(['"])([^'"]+)\\1\\s*\\)|(${NAME})|(['"])([^'"]*)\\4)\\s*(,|:|\\}|\\()?`, 'y');
	for (;;) {
		part.lastIndex = at;
		const m = part.exec(text);
		if (!m)
			return;
		if (m[2] !== undefined) {
			found.reexports.add(m[2]);
			if (m[6] !== ',')
				return;
			at = part.lastIndex;
			continue;
		}
		const name = m[3] ?? m[5];
		if (m[6] === '(' || m[6] === undefined)
			return;
		at = part.lastIndex;
		if (m[6] === ':') {
			/* Node's scanner knows only plain names as values. */
			const value = new RegExp(`\\s*(?:${NAME})\\s*(,|\\})`, 'y');
			value.lastIndex = at;
			const known = value.exec(text);
			if (!known)
				return;
			m[6] = known[1];
			at = value.lastIndex;
		}
		found.names.add(name);
		if (m[6] === '}')
			return;
	}
}

exports.scan = function (source) {
	const text = blank(source);
	const found = { names: new Set(), reexports: new Set() };
	const each = (pattern, fn) => { for (const m of text.matchAll(new RegExp(pattern, 'g'))) fn(m); };
	each(`(?:^|[^.\\w$])${TARGET}\\s*\\.\\s*(${NAME})\\s*=(?!=)`, m => found.names.add(m[1]));
	each(`(?:^|[^.\\w$])${TARGET}\\s*\\[\\s*(['"])([^'"]*)\\1\\s*\\]\\s*=(?!=)`, m => found.names.add(m[2]));
	each(`Object\\s*\\.\\s*defineProperty\\s*\\(\\s*${TARGET}\\s*,\\s*(['"])([^'"]*)\\1\\s*,\\s*\\{\\s*(?:enumerable\\s*:\\s*(?:true|!0)\\s*,\\s*)?(?:value\\s*:|get\\b)`,
		m => found.names.add(m[2]));
	each(`module\\s*\\.\\s*exports\\s*=\\s*(?:${NAME}\\s*=\\s*)*require\\s*\\(\\s*(['"])([^'"]+)\\1\\s*\\)`, m => {
		found.reexports.clear();
		found.reexports.add(m[2]);
	});
	each('(?:__exportStar|__export|tslib\\.__exportStar|tslib_1\\.__exportStar)\\s*\\(\\s*require\\s*\\(\\s*([\'"])([^\'"]+)\\1\\s*\\)',
		m => found.reexports.add(m[2]));
	each('module\\s*\\.\\s*exports\\s*=\\s*\\{', m => objectLiteral(text, m.index + m[0].length, found));
	return found;
};
