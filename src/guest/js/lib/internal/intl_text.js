/* Intl.Collator, PluralRules, ListFormat, RelativeTimeFormat, Segmenter, Locale and DisplayNames, as far as English needs them. */
'use strict';

const { resolve, supported, optionOf, canonical } = require('internal/intl_locale');

/* Signs in the order in which they sort, before digits and letters. */
const signs = '_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$';
const signOrder = new Map(Array.from(signs, (c, i) => [c, i + 10]));

function strengthOf(sensitivity) {
	return { base: 1, accent: 2, case: 3, variant: 4 }[sensitivity];
}

/* The place of an ASCII character among the letters, as one number; its accents are none. */
const asciiWeight = new Uint16Array(128);
for (let code = 0; code < 128; code++) {
	const char = String.fromCharCode(code), lower = char.toLowerCase();
	let weight = 256 + code + 100;
	if (code <= 32)
		weight = code;
	else if (signOrder.has(char))
		weight = 256 + signOrder.get(char);
	else if (code >= 48 && code <= 57)
		weight = 512 + code - 48;
	else if (lower >= 'a' && lower <= 'z')
		weight = 768 + lower.charCodeAt(0);
	asciiWeight[code] = weight;
}
/*
 * Most texts are ASCII: no keys are needed then. Only the first difference of case counts, after all letters. Gives
 * undefined when a text has other characters.
 */
function compareAscii(a, b, f) {
	const m = a.length, n = b.length;
	let caseOrder = 0, result = 0;
	for (let i = 0; i < m || i < n; i++) {
		const x = i < m ? a.charCodeAt(i) : 0, y = i < n ? b.charCodeAt(i) : 0;
		if (x > 127 || y > 127)
			return undefined;
		if (x === y || result)
			continue;
		const order = asciiWeight[x] - asciiWeight[y];
		if (order)
			result = order < 0 ? -1 : 1;
		else
			caseOrder ||= x > y ? -1 : 1;
	}
	if (result || m !== n)
		return result || (m < n ? -1 : 1);
	if (strengthOf(f.sensitivity) < 3)
		return 0;
	return f.caseFirst === 'upper' ? -caseOrder : caseOrder;
}

/* Texts are compared more than once when a list is sorted. */
const memory = new Map();

function keysFor(text, numeric) {
	const name = numeric ? `n${text}` : `p${text}`;
	let keys = memory.get(name);
	if (keys === undefined) {
		if (memory.size >= 2000)
			memory.clear();
		memory.set(name, keys = keysOf(text, numeric));
	}
	return keys;
}

/* Three keys of one text: letters; then accents; then case. With `numeric`, runs of digits are one number. */
function keysOf(text, numeric) {
	const letters = [], accents = [], cases = [];
	for (const piece of text.normalize('NFD').match(numeric ? /\d+|[^]/gu : /[^]/gu) || []) {
		if (/^\p{M}$/u.test(piece)) {
			accents[letters.length - 1] = (accents[letters.length - 1] || '') + piece;
			continue;
		}
		const lower = piece.toLowerCase();
		if (/^\d+$/.test(piece))
			letters.push([2, Number(piece)]);
		else if (/^\s$/.test(piece))
			letters.push([0, piece.codePointAt(0)]);
		else if (signOrder.has(piece))
			letters.push([1, signOrder.get(piece)]);
		else if (/^[a-z]$/.test(lower))
			letters.push([3, lower.charCodeAt(0)]);
		else if (/^\p{L}$/u.test(piece))
			letters.push(lower === 'ß' ? [3, 115] : lower === 'æ' ? [3, 97] : lower === 'ø' ? [3, 111] : lower === 'ł' ? [3, 108] : [4, lower.codePointAt(0)]);
		else
			letters.push([/^\p{N}$/u.test(piece) ? 2 : 1, piece.codePointAt(0) + 200]);
		accents[letters.length - 1] = 'ßæøł'.includes(lower) ? lower : '';
		cases[letters.length - 1] = piece === lower ? 0 : 1;
	}
	return { letters, accents, cases };
}

function compareKeys(a, b, f) {
	const n = Math.min(a.letters.length, b.letters.length);
	for (let i = 0; i < n; i++) {
		const order = a.letters[i][0] - b.letters[i][0] || a.letters[i][1] - b.letters[i][1];
		if (order)
			return order < 0 ? -1 : 1;
	}
	if (a.letters.length !== b.letters.length)
		return a.letters.length < b.letters.length ? -1 : 1;
	const strength = strengthOf(f.sensitivity);
	for (let i = 0; (strength === 2 || strength === 4) && i < n; i++) {
		if (a.accents[i] !== b.accents[i])
			return a.accents[i] < b.accents[i] ? -1 : 1;
	}
	for (let i = 0; strength >= 3 && i < n; i++) {
		if (a.cases[i] !== b.cases[i])
			return (a.cases[i] < b.cases[i]) === (f.caseFirst !== 'upper') ? -1 : 1;
	}
	return 0;
}

function collatorSettings(locales, options) {
	options = options === undefined ? {} : Object(options);
	const tag = [].concat(locales ?? []).map(String).join();
	return {
		locale: resolve(locales, 'words').name, usage: optionOf('Collator')(options, 'usage', ['sort', 'search'], 'sort'),
		sensitivity: optionOf('Collator')(options, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant'),
		ignorePunctuation: !!options.ignorePunctuation, collation: 'default',
		numeric: options.numeric === undefined ? /-u-.*kn(?!-false)/.test(tag) : !!options.numeric,
		caseFirst: optionOf('Collator')(options, 'caseFirst', ['upper', 'lower', 'false'], 'false'),
	};
}

function compare(a, b, f) {
	a = `${a}`;
	b = `${b}`;
	if (a === b)
		return 0;
	if (f.ignorePunctuation) {
		a = a.replace(/[\p{P}\s]/gu, '');
		b = b.replace(/[\p{P}\s]/gu, '');
	}
	const quick = f.numeric ? undefined : compareAscii(a, b, f);
	if (quick !== undefined)
		return quick;
	return compareKeys(keysFor(a, f.numeric), keysFor(b, f.numeric), f);
}

/* ---- the classes: each keeps its settings, which resolvedOptions() shows ---- */

const settings = new WeakMap();

function define(name, read, methods, callable) {
	function Class(...args) {
		if (new.target === undefined && !callable)
			throw new TypeError(`Constructor Intl.${name} requires 'new'`);
		const self = new.target === undefined ? Object.create(Class.prototype) : this;
		settings.set(self, read(...args));
		return self;
	}
	Object.defineProperty(Class, 'name', { value: name, configurable: true });
	Object.defineProperty(Class, 'length', { value: 0, configurable: true });
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
	Object.defineProperty(Class, 'supportedLocalesOf', { value: (locales) => supported(locales), configurable: true, writable: true });
	for (const [key, fn] of Object.entries({ resolvedOptions: (f) => ({ ...f }), ...methods })) {
		Object.defineProperty(Class.prototype, key, {
			value: { [key](...args) { return fn(settings.get(this), ...args); } }[key], configurable: true, writable: true, enumerable: false,
		});
	}
	exports[name] = Class;
	return Class;
}

const Collator = define('Collator', collatorSettings, {}, true);
Object.defineProperty(Collator.prototype, 'compare', {
	configurable: true, get() {
		const f = settings.get(this);
		return (a, b) => compare(a, b, f);
	},
});
exports.compare = (a, b, locales, options) => compare(a, b, collatorSettings(locales, options));
const plain = collatorSettings();
exports.comparePlain = (a, b) => compare(a, b, plain);

function pluralOf(f, value) {
	const n = Math.abs(Number(value));
	if (f.type === 'ordinal') {
		const tens = n % 100, ones = n % 10;
		return ones === 1 && tens !== 11 ? 'one' : ones === 2 && tens !== 12 ? 'two' : ones === 3 && tens !== 13 ? 'few' : 'other';
	}
	return n === 1 ? 'one' : 'other';
}
define('PluralRules', (locales, options = {}) => ({
	locale: resolve(locales, 'words').name, type: optionOf('PluralRules')(options, 'type', ['cardinal', 'ordinal'], 'cardinal'),
	minimumIntegerDigits: 1, minimumFractionDigits: 0, maximumFractionDigits: 3,
}), { select: pluralOf });

function listParts(f, list) {
	const items = [...list].map((value) => ({ type: 'element', value: `${value}` }));
	const word = f.type === 'conjunction' ? (f.style === 'long' ? 'and' : f.style === 'short' ? '&' : '') : f.type === 'disjunction' ? 'or' : '';
	const british = f.locale === 'en-GB' ? '' : ',';
	return items.flatMap((item, i) => {
		if (i === 0)
			return [item];
		let glue = f.type === 'unit' && f.style === 'narrow' ? ' ' : ', ';
		if (i === items.length - 1 && word)
			glue = items.length === 2 ? ` ${word} ` : `${british} ${word} `;
		return [{ type: 'literal', value: glue }, item];
	});
}
define('ListFormat', (locales, options = {}) => ({
	locale: resolve(locales, 'words').name, type: optionOf('ListFormat')(options, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction'),
	style: optionOf('ListFormat')(options, 'style', ['long', 'short', 'narrow'], 'long'),
}), { format: (f, list) => listParts(f, list).map((part) => part.value).join(''), formatToParts: listParts });

const relative = {
	day: ['yesterday', 'today', 'tomorrow'], year: ['last year', 'this year', 'next year'], month: ['last month', 'this month', 'next month'],
	week: ['last week', 'this week', 'next week'], quarter: ['last quarter', 'this quarter', 'next quarter'], hour: [, 'this hour'],
	minute: [, 'this minute'], second: [, 'now'],
};
const shortUnits = { second: 'sec.', minute: 'min.', hour: 'hr.', day: 'day', week: 'wk.', month: 'mo.', quarter: 'qtr.', year: 'yr.' };
const narrowUnits = { second: 's', minute: 'min', hour: 'h', day: 'd', week: 'w', month: 'mo', quarter: 'q', year: 'y' };

function relativeText(f, value, unit) {
	value = Number(value);
	const name = `${unit}`.replace(/s$/, '');
	if (!relative[name])
		throw new RangeError(`Invalid unit argument for format() '${unit}'`);
	if (!Number.isFinite(value))
		throw new RangeError('Invalid number value');
	if (f.numeric === 'auto' && relative[name][value + 1] !== undefined)
		return relative[name][value + 1];
	const count = require('internal/intl_number').format(Math.abs(value), f.locale);
	const past = value < 0 || Object.is(value, -0);
	const one = Math.abs(value) === 1;
	let shown = `${count} ${one ? name : `${name}s`}`;
	if (f.style === 'short')
		shown = `${count} ${name === 'day' || name === 'quarter' ? (one ? shortUnits[name] : shortUnits[name].replace(/(\.?)$/, 's$1')) : shortUnits[name]}`;
	else if (f.style === 'narrow')
		shown = `${count}${narrowUnits[name]}`;
	return past ? `${shown} ago` : `in ${shown}`;
}
define('RelativeTimeFormat', (locales, options = {}) => ({
	locale: resolve(locales, 'words').name, style: optionOf('RelativeTimeFormat')(options, 'style', ['long', 'short', 'narrow'], 'long'),
	numeric: optionOf('RelativeTimeFormat')(options, 'numeric', ['always', 'auto'], 'always'), numberingSystem: 'latn',
}), {
	format: relativeText,
	formatToParts: (f, value, unit) => [{ type: 'literal', value: relativeText(f, value, unit) }],
});

/* Graphemes: a character with its marks, joined emoji, flags; words and sentences by simple rules. */
const segmentPatterns = {
	grapheme: /\r\n|\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*)*|[^][\p{M}\u200D\uFE0F]*/gu,
	word: /[\p{L}\p{N}\p{M}_]+(?:['’.][\p{L}\p{N}\p{M}_]+)*|\s|[^]/gu,
	sentence: /[^.!?\n]*(?:[.!?]+["')\]]*\s*|\n|$)/gu,
};
define('Segmenter', (locales, options = {}) => ({
	locale: resolve(locales, 'words').name, granularity: optionOf('Segmenter')(options, 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme'),
}), {
	segment(f, input) {
		const string = `${input}`;
		const list = [...string.matchAll(segmentPatterns[f.granularity])].filter((found) => found[0] !== '').map((found) => ({
			segment: found[0], index: found.index, input: string,
			...(f.granularity === 'word' ? { isWordLike: /[\p{L}\p{N}]/u.test(found[0]) } : {}),
		}));
		return {
			containing: (at = 0) => list.find((one) => at >= one.index && at < one.index + one.segment.length),
			[Symbol.iterator]: () => list[Symbol.iterator](),
		};
	},
});

const Locale = define('Locale', (tag) => ({ tag: canonical(tag) }), {
	toString: (f) => f.tag, maximize: (f) => new exports.Locale(f.tag), minimize: (f) => new exports.Locale(f.tag),
});
const localePart = (name, pick) => Object.defineProperty(Locale.prototype, name, {
	configurable: true, get() { return pick(settings.get(this).tag.split('-')); },
});
localePart('baseName', (parts) => parts.join('-').replace(/-u-.*/, ''));
localePart('language', (parts) => parts[0]);
localePart('region', (parts) => parts.slice(1).find((part) => /^([A-Z]{2}|\d{3})$/.test(part)));
localePart('script', (parts) => parts.slice(1).find((part) => /^[A-Z][a-z]{3}$/.test(part)));

define('DisplayNames', () => {
	throw new Error('Intl.DisplayNames is not in this sandbox: names of languages and regions would need tables');
}, {});
