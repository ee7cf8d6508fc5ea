/*
 * Which locales there are: English in four countries, and numbers and numeric dates of German. Others are refused by name,
 * because a result in the wrong language is worse than none.
 */
'use strict';

const known = {
	__proto__: null,
	'en-US': { group: ',', decimal: '.', order: 'mdy', hour12: true },
	'en-GB': { group: ',', decimal: '.', order: 'dmy', padDate: true, hour12: false },
	'en-AU': { group: ',', decimal: '.', order: 'dmy', padDate: true, hour12: true, lowerPeriod: true },
	'en-CA': { group: ',', decimal: '.', order: 'ymd', padDate: true, hour12: true, dashes: true, dotPeriod: true },
	'en-IN': { group: ',', decimal: '.', order: 'dmy', lakh: true, hour12: true, lowerPeriod: true },
	'de-DE': { group: '.', decimal: ',', order: 'dmy', dots: true, hour12: false, numbersOnly: true },
};
const alias = { __proto__: null, en: 'en-US', de: 'de-DE' };


/* The tag in its usual case. */
exports.canonical = function (tag) {
	if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null))
		throw new TypeError('Language ID should be string or object.');
	const text = `${tag}`;
	if (!/^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\d{3}))?(-([A-Za-z0-9]{5,8}|\d[A-Za-z0-9]{3}))*(-[a-wy-zA-WY-Z0-9](-[A-Za-z0-9]{2,8})+)*$/.test(text))
		throw new RangeError(`Incorrect locale information provided`);
	return text.split('-').map((part, i, all) => {
		if (i === 0)
			return part.toLowerCase();
		if (all.slice(0, i).some((one) => one.length === 1))
			return part.toLowerCase();
		return part.length === 4 && /^[A-Za-z]+$/.test(part) ? part[0].toUpperCase() + part.slice(1).toLowerCase() :
			part.length === 2 ? part.toUpperCase() : part.toLowerCase();
	}).join('-');
};

exports.list = function (locales) {
	if (locales === undefined)
		return [];
	if (locales === null)
		throw new TypeError('Cannot convert undefined or null to object');
	return [...new Set((Array.isArray(locales) ? locales : [locales]).map(exports.canonical))];
};

function find(tag) {
	const base = tag.replace(/-u(-.*)?$/, '');
	if (known[base])
		return base;
	return alias[base] || (base.startsWith('en-') ? 'en-US' : undefined);
}

/* { name, ... } of the locale to use. */
exports.resolve = function (locales, what) {
	const tags = exports.list(locales);
	for (const tag of tags) {
		const name = find(tag);
		if (name && !(known[name].numbersOnly && what === 'words'))
			return { name: tag.replace(/-u(-.*)?$/, ''), ...known[name] };
	}
	if (tags.length)
		throw new RangeError(`Intl: the locale ${tags[0]} is not in this sandbox; there are ${Object.keys(known).join(', ')}`);
	return { name: 'en-US', ...known['en-US'] };
};

exports.supported = (locales) => exports.list(locales).filter((tag) => find(tag) !== undefined);

/* A function that reads an option of a class as the standard does: `values` are what it may be. */
exports.optionOf = (owner) => function (options, name, values, standard) {
	let value = options[name];
	if (value === undefined)
		return standard;
	value = `${value}`;
	if (values !== undefined && !values.includes(value))
		throw new RangeError(`Value ${value} out of range for Intl.${owner} options property ${name}`);
	return value;
};

exports.number = function (options, name, min, max, standard) {
	const value = options[name];
	if (value === undefined)
		return standard;
	const n = Number(value);
	if (!(n >= min && n <= max))
		throw new RangeError(`${name} value is out of range.`);
	return Math.floor(n);
};

/* The settings of an object of Intl's, for one of its methods. */
exports.settingsIn = function (settings, self, method) {
	const f = settings.get(self);
	if (f === undefined)
		throw new TypeError(`Method Intl.${method} called on incompatible receiver ${String(self)}`);
	return f;
};

/* What formatToParts() gives, as format() gives it. */
exports.join = (parts) => parts.map((part) => part.value).join('');
