/*
 * The text of the call that made an assertion: found in the script by the place that the stack names, so that
 * assert(x > 1) can say what was false.
 */
'use strict';

/* Where the bracket at `open` ends, over strings, templates and comments; -1: nowhere. */
function closing(text, open) {
	let depth = 0;
	for (let i = open; i < text.length; i++) {
		const c = text[i];
		if (c === '"' || c === "'" || c === '`') {
			for (i++; i < text.length && text[i] !== c; i++) {
				if (text[i] === '\\')
					i++;
			}
		} else if (c === '/' && (text[i + 1] === '/' || text[i + 1] === '*')) {
			const end = text[i + 1] === '/' ? text.indexOf('\n', i) : text.indexOf('*/', i) + 1;
			if (end <= 0)
				return -1;
			i = end;
		} else if (c === '(' || c === '[' || c === '{') {
			depth++;
		} else if (c === ')' || c === ']' || c === '}') {
			if (--depth === 0)
				return i;
		}
	}
	return -1;
}

/* The call nearest to `column` (from 1) of the text that begins on the line. */
function callAt(text, column) {
	const line = text.split('\n', 1)[0];
	const calls = /[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*\s*\(/g;
	let best, distance = Infinity;
	for (let found; (found = calls.exec(line)) !== null;) {
		const start = found.index, open = calls.lastIndex - 1;
		const inside = column - 1 >= start && column - 1 <= open;
		const away = inside ? 0 : Math.min(Math.abs(column - 1 - start), Math.abs(column - 1 - open));
		if (away < distance) {
			distance = away;
			best = [start, open];
		}
	}
	if (best === undefined)
		return undefined;
	const end = closing(text, best[1]);
	return end < 0 ? undefined : { start: best[0], code: text.slice(best[0], end + 1) };
}

function read(file) {
	if (file.startsWith('file://'))
		file = require('internal/url').fileURLToPath(file);
	return file[0] === '/' ? require('fs').readFileSync(file, 'utf8') : undefined;
}

/* The message, or undefined when the script is not a file that can be read. */
exports.falsyMessage = function (start) {
	const frames = {};
	Error.captureStackTrace(frames, start);
	const place = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/m.exec(String(frames.stack));
	if (place === null || place[1].startsWith('node:'))
		return undefined;
	let text;
	try {
		text = read(place[1]);
	} catch {
		return undefined;
	}
	if (text === undefined)
		return undefined;
	const rest = text.split('\n').slice(place[2] - 1).join('\n');
	const call = callAt(rest, Number(place[3]));
	if (call === undefined)
		return undefined;
	const lines = call.code.split('\n').map((line, i) => i === 0 ? line : line.replace(/^\s+/, (blanks) => blanks.slice(Math.min(blanks.length, call.start))));
	const shown = lines.length === 1 ? lines[0] : lines.map((line, i) => i === 0 ? line : `  ${line.trimStart()}`).join('\n');
	return `The expression evaluated to a falsy value:\n\n  ${shown}\n`;
};
