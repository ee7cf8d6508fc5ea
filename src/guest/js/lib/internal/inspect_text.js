/*
 * The text side of util.inspect: quoting, numbers, colours, column widths, and how the parts of one object are laid out on
 * one line, in columns, or one a line.
 */
'use strict';

const { codes } = require('internal/errors');

/* ---- control sequences and widths ---- */

const controlSequence = new RegExp('[\\u001B\\u009B][[\\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\\d\\/#&.:=?%@~_]+)*|' +
	'[a-zA-Z\\d]+(?:;[-a-zA-Z\\d\\/#&.:=?%@~_]*)*)?(?:\\u0007|\\u001B\\u005C|\\u009C))|' +
	'(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-ntqry=><~]))', 'g');

exports.stripColors = (text) => text.includes('\u001B') || text.includes('\u009B') ? text.replace(controlSequence, '') : text;

/* Ranges that take two columns on a terminal. */
const wide = [[0x1100, 0x115F], [0x231A, 0x231B], [0x2329, 0x232A], [0x23E9, 0x23EC], [0x23F0, 0x23F0], [0x23F3, 0x23F3],
	[0x25FD, 0x25FE], [0x2614, 0x2615], [0x2648, 0x2653], [0x267F, 0x267F], [0x2693, 0x2693], [0x26A1, 0x26A1],
	[0x26AA, 0x26AB], [0x26BD, 0x26BE], [0x26C4, 0x26C5], [0x26CE, 0x26CE], [0x26D4, 0x26D4], [0x26EA, 0x26EA],
	[0x26F2, 0x26F3], [0x26F5, 0x26F5], [0x26FA, 0x26FA], [0x26FD, 0x26FD], [0x2705, 0x2705], [0x270A, 0x270B],
	[0x2728, 0x2728], [0x274C, 0x274C], [0x274E, 0x274E], [0x2753, 0x2755], [0x2757, 0x2757], [0x2795, 0x2797],
	[0x27B0, 0x27B0], [0x27BF, 0x27BF], [0x2B1B, 0x2B1C], [0x2B50, 0x2B50], [0x2B55, 0x2B55], [0x2E80, 0x303E],
	[0x3041, 0x3247], [0x3250, 0x4DBF], [0x4E00, 0xA4C6], [0xA960, 0xA97C], [0xAC00, 0xD7A3], [0xF900, 0xFAFF],
	[0xFE10, 0xFE19], [0xFE30, 0xFE6B], [0xFF01, 0xFF60], [0xFFE0, 0xFFE6], [0x16FE0, 0x18CFF], [0x1AFF0, 0x1B2FB],
	[0x1F004, 0x1F004], [0x1F0CF, 0x1F0CF], [0x1F18E, 0x1F18E], [0x1F191, 0x1F19A], [0x1F200, 0x1F320],
	[0x1F32D, 0x1F335], [0x1F337, 0x1F37C], [0x1F37E, 0x1F393], [0x1F3A0, 0x1F3CA], [0x1F3CF, 0x1F3D3],
	[0x1F3E0, 0x1F3F0], [0x1F3F4, 0x1F3F4], [0x1F3F8, 0x1F43E], [0x1F440, 0x1F440], [0x1F442, 0x1F4FC],
	[0x1F4FF, 0x1F53D], [0x1F54B, 0x1F54E], [0x1F550, 0x1F567], [0x1F57A, 0x1F57A], [0x1F595, 0x1F596],
	[0x1F5A4, 0x1F5A4], [0x1F5FB, 0x1F64F], [0x1F680, 0x1F6C5], [0x1F6CC, 0x1F6CC], [0x1F6D0, 0x1F6D2],
	[0x1F6D5, 0x1F6D7], [0x1F6DD, 0x1F6DF], [0x1F6EB, 0x1F6EC], [0x1F6F4, 0x1F6FC], [0x1F7E0, 0x1F7EB],
	[0x1F90C, 0x1F93A], [0x1F93C, 0x1F945], [0x1F947, 0x1F9FF], [0x1FA70, 0x1FAF6], [0x20000, 0x3FFFD]];

function isWide(code) {
	let low = 0, high = wide.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		if (code < wide[middle][0])
			high = middle - 1;
		else if (code > wide[middle][1])
			low = middle + 1;
		else
			return true;
	}
	return false;
}

function isZeroWidth(code) {
	return code <= 0x1F || (code >= 0x7F && code <= 0x9F) || (code >= 0x300 && code <= 0x36F) ||
		(code >= 0x200B && code <= 0x200F) || (code >= 0x20D0 && code <= 0x20FF) ||
		(code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xFE20 && code <= 0xFE2F) || (code >= 0xE0100 && code <= 0xE01EF);
}

const plainText = /^[\x20-\x7E]*$/;

/* Columns that the text takes on a terminal. */
exports.stringWidth = function (text, removeControl = true) {
	let width = 0;
	if (removeControl)
		text = exports.stripColors(text);
	if (plainText.test(text))
		return text.length;
	for (const char of text.normalize('NFC')) {
		const code = char.codePointAt(0);
		if (isWide(code))
			width += 2;
		else if (!isZeroWidth(code))
			width++;
	}
	return width;
};

/* ---- quoting ---- */

const shortEscapes = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 92: '\\\\' };
// eslint-disable-next-line no-control-regex
const needsEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const needsEscapeAll = new RegExp(needsEscape.source, 'g');

function escapeOf(char) {
	const code = char.charCodeAt(0);
	if (shortEscapes[code])
		return shortEscapes[code];
	if (code > 0xFF)
		return `\\u${code.toString(16)}`;
	return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/* 'text', or another quote when it has apostrophes. */
exports.quote = function (text) {
	let mark = "'";
	if (text.includes("'")) {
		if (!text.includes('"'))
			mark = '"';
		else if (!text.includes('`') && !text.includes('${'))
			mark = '`';
	}
	if (!needsEscape.test(text))
		return mark + text + mark;
	return mark + text.replace(needsEscapeAll, (c) => c !== "'" ? escapeOf(c) : mark === "'" ? "\\'" : c) + mark;
};

/* The same escapes without quotes, for property names in brackets. */
exports.escapeName = (text) => text.replace(needsEscapeAll, (c) => c === "'" ? "\\'" : escapeOf(c));

/* ---- primitives ---- */

function groupDigits(digits) {
	return digits.replace(/\B(?=(\d{3})+$)/g, '_');
}

function separated(text) {
	const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
	if (!parts)
		return text;
	const fraction = parts[3] === undefined ? '' : '.' + parts[3].replace(/(\d{3})(?=\d)/g, '$1_');
	return parts[1] + groupDigits(parts[2]) + fraction;
}

exports.formatNumber = function (stylize, value, separator) {
	const text = !separator && value === 0 && 1 / value < 0 ? '-0' : `${value}`;
	return stylize(separator ? separated(text) : text, 'number');
};

exports.formatBigInt = function (stylize, value, separator) {
	return stylize(`${separator ? separated(String(value)) : value}n`, 'bigint');
};

function formatString(stylize, value, ctx) {
	let trailer = '';
	if (value.length > ctx.maxStringLength) {
		const left = value.length - ctx.maxStringLength;
		value = value.slice(0, ctx.maxStringLength);
		trailer = `... ${left} more character${left > 1 ? 's' : ''}`;
	}
	if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indentationLvl - 4) {
		const lines = value.split(/(?<=\n)/).map((line) => stylize(exports.quote(line), 'string'));
		return lines.join(` +\n${' '.repeat(ctx.indentationLvl + 2)}`) + trailer;
	}
	return stylize(exports.quote(value), 'string') + trailer;
}

exports.formatPrimitive = function (stylize, value, ctx) {
	switch (typeof value) {
	case 'string':
		return formatString(stylize, value, ctx);
	case 'number':
		return exports.formatNumber(stylize, value, ctx.numericSeparator);
	case 'bigint':
		return exports.formatBigInt(stylize, value, ctx.numericSeparator);
	case 'symbol':
		return stylize(Symbol.prototype.toString.call(value), 'symbol');
	case 'boolean':
		return stylize(`${value}`, 'boolean');
	default:
		return stylize('undefined', 'undefined');
	}
};

/* ---- layout ---- */

/* How many columns make the block of cells about two and a half times as wide as high. */
function columnCount(ctx, cells, total, widest, all) {
	const bias = Math.max(widest - 3 - Math.sqrt(widest - total / all), 1);
	return Math.min(Math.round(Math.sqrt(2.5 * bias * cells) / bias), Math.floor((ctx.breakLength - ctx.indentationLvl) / widest),
		ctx.compact * 4, 15);
}

function isNumeric(value) {
	return typeof value === 'number' || typeof value === 'bigint';
}

function alignRows(output, widths, cells, columns, left) {
	const columnWidths = [], rows = [];
	for (let column = 0; column < columns; column++) {
		let width = 0;
		for (let at = column; at < output.length; at += columns)
			width = Math.max(width, widths[at] || 0);
		columnWidths.push(width + 2);
	}
	for (let first = 0; first < cells; first += columns) {
		const last = Math.min(first + columns, cells) - 1;
		let row = '';
		for (let at = first; at <= last; at++) {
			const hidden = output[at].length - widths[at];
			const room = columnWidths[at - first] + hidden;
			if (at < last)
				row += left ? `${output[at]}, `.padEnd(room) : `${output[at]}, `.padStart(room);
			else
				row += left ? output[at] : output[at].padStart(room - 2);
		}
		rows.push(row);
	}
	return rows;
}

/* Puts many short entries side by side: right-aligned when all are numbers. */
function groupEntries(ctx, output, value) {
	const more = ctx.maxArrayLength < output.length;
	const cells = more ? output.length - 1 : output.length;
	const widths = [];
	let total = 0, longest = 0;
	for (let i = 0; i < cells; i++) {
		widths[i] = exports.stringWidth(output[i], ctx.colors);
		total += widths[i] + 2;
		longest = Math.max(longest, widths[i]);
	}
	const widest = longest + 2;
	if (widest * 3 + ctx.indentationLvl >= ctx.breakLength || (total / widest <= 5 && longest > 6))
		return output;
	const columns = columnCount(ctx, cells, total, widest, output.length);
	if (columns <= 1)
		return output;
	let left = false;
	for (let i = 0; value !== undefined && i < output.length && !left; i++)
		left = !isNumeric(value[i]);
	const rows = alignRows(output, widths, cells, columns, left);
	if (more)
		rows.push(output[cells]);
	return rows;
}

function fitsOneLine(ctx, output, start, base) {
	let total = output.length + start;
	if (total + output.length > ctx.breakLength)
		return false;
	for (const entry of output) {
		total += ctx.colors ? exports.stripColors(entry).length : entry.length;
		if (total > ctx.breakLength)
			return false;
	}
	return base === '' || !base.includes('\n');
}

/* The whole text of one object: `braces` around the entries, `base` before them. `list` marks arrays and the like. */
exports.layOut = function (ctx, output, base, braces, list, level, value) {
	const lead = base ? `${base} ` : '';
	const newline = `\n${' '.repeat(ctx.indentationLvl)}`;
	if (ctx.compact === true) {
		if (fitsOneLine(ctx, output, 0, base))
			return `${braces[0]}${base ? ` ${base}` : ''} ${output.join(', ')} ${braces[1]}`;
		const first = base === '' && braces[0].length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${newline.slice(1)}  `;
		return `${braces[0]}${first}${output.join(`,${newline}  `)} ${braces[1]}`;
	}
	if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
		const entries = output.length;
		if (list && entries > 6)
			output = groupEntries(ctx, output, value);
		if (ctx.currentDepth - level < ctx.compact && entries === output.length) {
			const start = output.length + ctx.indentationLvl + braces[0].length + base.length + 10;
			if (fitsOneLine(ctx, output, start, base)) {
				const joined = output.join(', ');
				if (!joined.includes('\n'))
					return `${lead}${braces[0]} ${joined} ${braces[1]}`;
			}
		}
	}
	return `${lead}${braces[0]}${newline}  ${output.join(`,${newline}  `)}${newline}${braces[1]}`;
};

/* ---- colours ---- */

exports.colors = {
	__proto__: null,
	reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27],
	hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24], black: [30, 39], red: [31, 39], green: [32, 39],
	yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], bgBlack: [40, 49],
	bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49], bgMagenta: [45, 49], bgCyan: [46, 49],
	bgWhite: [47, 49], framed: [51, 54], overlined: [53, 55], gray: [90, 39], redBright: [91, 39], greenBright: [92, 39],
	yellowBright: [93, 39], blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39],
	bgGray: [100, 49], bgRedBright: [101, 49], bgGreenBright: [102, 49], bgYellowBright: [103, 49],
	bgBlueBright: [104, 49], bgMagentaBright: [105, 49], bgCyanBright: [106, 49], bgWhiteBright: [107, 49],
};

function alias(name, target) {
	Object.defineProperty(exports.colors, name, {
		get() { return this[target]; },
		set(value) { this[target] = value; },
		configurable: true, enumerable: false,
	});
}

for (const [name, target] of [['grey', 'gray'], ['bgGrey', 'bgGray'], ['blackBright', 'gray'], ['bgBlackBright', 'bgGray'],
	['faint', 'dim'], ['crossedout', 'strikethrough'], ['strikeThrough', 'strikethrough'], ['crossedOut', 'strikethrough'],
	['conceal', 'hidden'], ['swapColors', 'inverse'], ['swapcolors', 'inverse'], ['doubleUnderline', 'doubleunderline']])
	alias(name, target);

exports.styles = Object.assign({ __proto__: null }, {
	special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey', null: 'bold',
	string: 'green', symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline',
});

exports.plainStyle = (text) => text;

exports.colorStyle = function (text, kind) {
	const style = exports.styles[kind];
	const color = style === undefined ? undefined : exports.colors[style];
	return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
};

exports.checkFormat = function (name) {
	if (exports.colors[name] === undefined)
		throw new codes.ERR_INVALID_ARG_VALUE('format', name, `must be one of: ${Object.keys(exports.colors).map((k) => `'${k}'`).join(', ')}`);
};
