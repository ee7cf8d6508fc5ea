/* Intl.NumberFormat. Rounds the shortest decimal form of a number, half away from zero, as ICU does. */
'use strict';

const { resolve, supported, optionOf, number: numberOption, settingsIn, join } = require('internal/intl_locale');

const option = optionOf('NumberFormat');

const currencies = {
	__proto__: null, USD: ['$', 'US dollar'], EUR: ['€', 'euro'], GBP: ['£', 'British pound'], JPY: ['¥', 'Japanese yen', 0],
	CAD: ['CA$', 'Canadian dollar'], AUD: ['A$', 'Australian dollar'], INR: ['₹', 'Indian rupee'], CNY: ['CN¥', 'Chinese yuan'],
	KRW: ['₩', 'South Korean won', 0], BRL: ['R$', 'Brazilian real'], MXN: ['MX$', 'Mexican peso'], NZD: ['NZ$', 'New Zealand dollar'],
	ILS: ['₪', 'Israeli new shekel'], VND: ['₫', 'Vietnamese dong', 0], TWD: ['NT$', 'New Taiwan dollar'], ['X'.repeat(3)]: ['¤', 'unknown currency'],
	HKD: ['HK$', 'Hong Kong dollar'], PHP: ['₱', 'Philippine peso'], CHF: ['CHF', 'Swiss franc'], SEK: ['SEK', 'Swedish krona'],
	NOK: ['NOK', 'Norwegian krone'], DKK: ['DKK', 'Danish krone'], PLN: ['PLN', 'Polish zloty'], RUB: ['RUB', 'Russian ruble'],
	CLP: ['CLP', 'Chilean peso', 0], KWD: ['KWD', 'Kuwaiti dinar', 3],
};
const homeSymbol = { __proto__: null, 'en-CA': ['CAD', '$'], 'en-AU': ['AUD', '$'], 'en-GB': ['USD', 'US$'] };

/* unit: [short, narrow, long] where 's' is added to the long one */
const units = {
	__proto__: null, kilometer: ['km', 'km'], meter: ['m', 'm'], centimeter: ['cm', 'cm'], millimeter: ['mm', 'mm'], mile: ['mi', 'mi'],
	foot: ['ft', '′', 'feet'], inch: ['in', '″', 'inches'], yard: ['yd', 'yd'], kilogram: ['kg', 'kg'], gram: ['g', 'g'],
	pound: ['lb', '#'], ounce: ['oz', 'oz'], liter: ['L', 'L'], milliliter: ['mL', 'mL'], byte: ['byte', 'B'],
	kilobyte: ['kB', 'kB'], megabyte: ['MB', 'MB'], gigabyte: ['GB', 'GB'], terabyte: ['TB', 'TB'], bit: ['bit', 'bit'],
	second: ['sec', 's'], minute: ['min', 'm'], hour: ['hr', 'h'], day: ['day', 'd'], week: ['wk', 'w'],
	month: ['mth', 'm'], year: ['yr', 'y'], millisecond: ['ms', 'ms'], percent: ['%', '%'], celsius: ['°C', '°C'],
	fahrenheit: ['°F', '°'], degree: ['deg', '°'], acre: ['ac', 'ac'], hectare: ['ha', 'ha'], gallon: ['gal', 'gal'],
};
const pluralShort = new Set(['day', 'week', 'month', 'year']);
const noSpace = new Set(['percent', 'celsius', 'fahrenheit']);

/* ---- decimals: { negative, digits, point } is 0.DIGITS times ten to the power of point ---- */

function decimalOf(value) {
	if (typeof value === 'bigint') {
		const text = value.toString().replace('-', '');
		return { negative: value < 0n, digits: text.replace(/^0+/, ''), point: text === '0' ? 0 : text.length };
	}
	const negative = value < 0 || Object.is(value, -0);
	const [mantissa, exponent] = Math.abs(value).toExponential().split('e');
	const digits = mantissa.replace('.', '').replace(/0+$/, '');
	return { negative, digits, point: digits === '' ? 0 : Number(exponent) + 1 };
}

/* Keeps `keep` digits of the number. */
function roundDigits(decimal, keep, mode) {
	const { digits, negative } = decimal;
	if (keep >= digits.length)
		return decimal;
	const rest = keep < 0 ? digits : digits.slice(keep), head = keep <= 0 ? '' : digits.slice(0, keep);
	const half = keep < 0 ? -1 : rest[0] > '5' || (rest[0] === '5' && /[1-9]/.test(rest.slice(1))) ? 1 : rest[0] === '5' ? 0 : -1;
	const any = /[1-9]/.test(rest), odd = /[13579]$/.test(head);
	const up = {
		ceil: any && !negative, floor: any && negative, expand: any, trunc: false,
		halfCeil: half > 0 || (half === 0 && !negative), halfFloor: half > 0 || (half === 0 && negative),
		halfExpand: half >= 0, halfTrunc: half > 0, halfEven: half > 0 || (half === 0 && odd),
	}[mode];
	if (!up)
		return { negative, digits: head.replace(/0+$/, ''), point: /[1-9]/.test(head) ? decimal.point : 0 };
	if (head === '')
		return { negative, digits: '1', point: decimal.point - keep + 1 };
	const raised = (BigInt(head) + 1n).toString();
	return { negative, digits: raised.replace(/0+$/, ''), point: decimal.point + (raised.length > head.length ? 1 : 0) };
}

function textOf(decimal, minInteger, minFraction) {
	const { digits, point } = decimal;
	let integer = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
	let fraction = point > 0 ? digits.slice(point) : digits === '' ? '' : '0'.repeat(-point) + digits;
	integer = integer.padStart(minInteger, '0');
	fraction = fraction.padEnd(minFraction, '0');
	return [integer, fraction];
}

/* ---- the format ---- */

const roundingModes = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];

function readDigits(options, f, minDefault, maxDefault) {
	f.minInteger = numberOption(options, 'minimumIntegerDigits', 1, 21, 1);
	const minS = options.minimumSignificantDigits, maxS = options.maximumSignificantDigits;
	if (minS !== undefined || maxS !== undefined) {
		f.minSignificant = numberOption(options, 'minimumSignificantDigits', 1, 21, 1);
		f.maxSignificant = numberOption(options, 'maximumSignificantDigits', f.minSignificant, 21, 21);
		return;
	}
	const compact = f.notation === 'compact' && options.minimumFractionDigits === undefined && options.maximumFractionDigits === undefined;
	let min = numberOption(options, 'minimumFractionDigits', 0, 100, undefined);
	let max = numberOption(options, 'maximumFractionDigits', 0, 100, undefined);
	if (min === undefined)
		min = max === undefined ? minDefault : Math.min(minDefault, max);
	if (max === undefined)
		max = Math.max(maxDefault, min);
	if (min > max)
		throw new RangeError('maximumFractionDigits value is out of range.');
	f.minFraction = min;
	f.maxFraction = max;
	f.compactRounding = compact;
}

function readUnit(options, f) {
	f.style = option(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
	const currency = option(options, 'currency', undefined, undefined);
	if (currency !== undefined && !/^[A-Za-z]{3}$/.test(currency))
		throw new RangeError(`Invalid currency code : ${currency}`);
	if (f.style === 'currency' && currency === undefined)
		throw new TypeError('Currency code is required with currency style.');
	f.currencyDisplay = option(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
	f.currencySign = option(options, 'currencySign', ['standard', 'accounting'], 'standard');
	const unit = option(options, 'unit', undefined, undefined);
	if (unit !== undefined && !unit.split('-per-').every((one) => units[one]))
		throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
	if (f.style === 'unit' && unit === undefined)
		throw new TypeError('Unit is required with unit style.');
	f.unitDisplay = option(options, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
	if (f.style === 'currency')
		f.currency = currency.toUpperCase();
	if (f.style === 'unit')
		f.unit = unit;
}

function settingsOf(locales, options) {
	options = options === undefined ? {} : Object(options);
	const f = { locale: resolve(locales) };
	readUnit(options, f);
	f.notation = option(options, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
	const money = f.style === 'currency' && f.notation === 'standard' ? currencies[f.currency]?.[2] ?? 2 : undefined;
	readDigits(options, f, money ?? 0, money ?? (f.style === 'percent' || f.notation === 'compact' ? 0 : 3));
	f.roundingMode = option(options, 'roundingMode', roundingModes, 'halfExpand');
	f.compactDisplay = option(options, 'compactDisplay', ['short', 'long'], 'short');
	const grouping = options.useGrouping;
	f.useGrouping = grouping === undefined ? f.notation === 'compact' ? 'min2' : 'auto' :
		grouping === true || grouping === 'true' ? 'always' : grouping === false || grouping === 'false' ? false : `${grouping}`;
	f.signDisplay = option(options, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
	return f;
}

function round(f, decimal) {
	if (f.maxSignificant !== undefined)
		return roundDigits(decimal, f.maxSignificant, f.roundingMode);
	if (f.compactRounding)
		return roundDigits(decimal, Math.max(2, decimal.point), f.roundingMode);
	return roundDigits(decimal, decimal.point + f.maxFraction, f.roundingMode);
}

function groups(integer, f) {
	if (!f.useGrouping || (f.useGrouping === 'min2' && integer.length < 5))
		return [integer];
	const parts = [];
	let end = integer.length, size = 3;
	while (end > size) {
		parts.unshift(integer.slice(end - size, end));
		end -= size;
		size = f.locale.lakh ? 2 : 3;
	}
	parts.unshift(integer.slice(0, end));
	return parts;
}

function pushNumber(parts, f, decimal) {
	const minFraction = f.maxSignificant !== undefined ? Math.max(0, f.minSignificant - Math.max(decimal.point, decimal.digits ? decimal.point : 1)) :
		f.compactRounding ? 0 : f.minFraction;
	const [integer, fraction] = textOf(decimal, f.minInteger, minFraction);
	groups(integer, f).forEach((part, i) => {
		if (i)
			parts.push({ type: 'group', value: f.locale.group });
		parts.push({ type: 'integer', value: part });
	});
	if (fraction !== '')
		parts.push({ type: 'decimal', value: f.locale.decimal }, { type: 'fraction', value: fraction });
}

/* Scientific and engineering: an exponent that leaves one digit, or one to three. */
function pushScientific(parts, f, decimal) {
	let exponent = decimal.digits === '' ? 0 : decimal.point - 1;
	const fit = () => f.notation === 'engineering' ? Math.floor(exponent / 3) * 3 : exponent;
	let shift = fit();
	let rounded = round(f, { ...decimal, point: decimal.point - shift });
	if (rounded.point > (f.notation === 'engineering' ? 3 : 1)) {
		exponent = rounded.point + shift - 1;
		shift = fit();
		rounded = round(f, { ...decimal, point: decimal.point - shift });
	}
	pushNumber(parts, { ...f, useGrouping: false }, rounded);
	parts.push({ type: 'exponentSeparator', value: 'E' });
	if (shift < 0)
		parts.push({ type: 'exponentMinusSign', value: '-' });
	parts.push({ type: 'exponentInteger', value: `${Math.abs(shift)}` });
}

const compactNames = { short: ['', 'K', 'M', 'B', 'T'], long: ['', 'thousand', 'million', 'billion', 'trillion'] };

function pushCompact(parts, f, decimal) {
	let step = decimal.digits === '' ? 0 : Math.max(0, Math.min(4, Math.floor((decimal.point - 1) / 3)));
	let rounded = round(f, { ...decimal, point: decimal.point - 3 * step });
	if (rounded.point > 3 && step < 4) {
		step++;
		rounded = round(f, { ...decimal, point: decimal.point - 3 * step });
	}
	pushNumber(parts, f, rounded);
	const name = compactNames[f.compactDisplay][step];
	if (name !== '') {
		if (f.compactDisplay === 'long')
			parts.push({ type: 'literal', value: ' ' });
		parts.push({ type: 'compact', value: name });
	}
}

function signOf(f, decimal, zero) {
	const minus = f.signDisplay === 'negative' || f.signDisplay === 'exceptZero' ? decimal.negative && !zero : decimal.negative;
	if (f.signDisplay === 'never')
		return '';
	if (minus)
		return '-';
	return f.signDisplay === 'always' || (f.signDisplay === 'exceptZero' && !zero) ? '+' : '';
}

function unitName(f, one, singular) {
	const [short, narrow, long] = units[one];
	if (f.unitDisplay === 'long')
		return singular ? one : long || `${one}s`;
	if (f.unitDisplay === 'narrow')
		return narrow;
	return pluralShort.has(one) && !singular ? `${short}s` : short;
}

function pushUnit(parts, f, singular) {
	const [first, per] = f.unit.split('-per-');
	const short = f.unitDisplay === 'long' ? undefined : f.unit === 'mile-per-hour' ? 'mph' : f.unit === 'mile-per-gallon' ? 'mpg' : undefined;
	let text = short ?? unitName(f, first, singular);
	if (per !== undefined && short === undefined)
		text += f.unitDisplay === 'long' ? ` per ${per}` : `/${per === 'hour' ? 'h' : per === 'second' ? 's' : units[per][0]}`;
	const glued = f.unitDisplay === 'narrow' || (f.unitDisplay === 'short' && noSpace.has(first));
	if (!glued)
		parts.push({ type: 'literal', value: ' ' });
	parts.push({ type: f.unit === 'percent' ? 'percentSign' : 'unit', value: text });
}

function currencyText(f) {
	if (f.currencyDisplay === 'code')
		return f.currency;
	const home = homeSymbol[f.locale.name];
	if (home && home[0] === f.currency && f.currencyDisplay === 'symbol')
		return home[1];
	const symbol = currencies[f.currency]?.[0] ?? f.currency;
	return f.currencyDisplay === 'narrowSymbol' ? symbol.replace(/^[A-Z]+(?=[^A-Z])/, '') : symbol;
}

/* Puts the currency, percent sign or unit around the number. */
function decorate(f, sign, body, singular) {
	const parts = [], signPart = sign ? [{ type: sign === '-' ? 'minusSign' : 'plusSign', value: sign }] : [];
	if (f.style === 'currency' && f.currencyDisplay === 'name') {
		const name = currencies[f.currency]?.[1] ?? f.currency;
		parts.push(...signPart, ...body, { type: 'literal', value: ' ' }, { type: 'currency', value: singular ? name : name.endsWith('yen') ? name : `${name}s` });
	} else if (f.style === 'currency') {
		const text = currencyText(f), money = [{ type: 'currency', value: text }];
		if (f.locale.numbersOnly) {
			parts.push(...signPart, ...body, { type: 'literal', value: '\u00A0' }, ...money);
			return parts;
		}
		if (/[A-Za-z]$/.test(text))
			money.push({ type: 'literal', value: '\u00A0' });
		const brackets = f.currencySign === 'accounting' && sign === '-';
		if (brackets)
			parts.push({ type: 'literal', value: '(' }, ...money, ...body, { type: 'literal', value: ')' });
		else
			parts.push(...signPart, ...money, ...body);
	} else {
		parts.push(...signPart, ...body);
		if (f.style === 'percent')
			parts.push(...(f.locale.numbersOnly ? [{ type: 'literal', value: '\u00A0' }] : []), { type: 'percentSign', value: '%' });
		else if (f.style === 'unit')
			pushUnit(parts, f, singular);
	}
	return parts;
}

function toNumeric(value) {
	if (typeof value === 'bigint')
		return value;
	if (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) && value.trim().length > 15)
		return BigInt(value.trim());
	return Number(value);
}

function partsOf(f, input) {
	const value = toNumeric(input), body = [];
	if (Number.isNaN(value))
		return decorate(f, f.signDisplay === 'always' ? '+' : '', [{ type: 'nan', value: 'NaN' }], false);
	if (value === Infinity || value === -Infinity) {
		const sign = signOf(f, { negative: value < 0 }, false);
		return decorate(f, sign, [{ type: 'infinity', value: '∞' }], false);
	}
	let decimal = decimalOf(value);
	if (f.style === 'percent' && decimal.digits !== '')
		decimal = { ...decimal, point: decimal.point + 2 };
	if (f.notation === 'scientific' || f.notation === 'engineering') {
		pushScientific(body, f, decimal);
	} else if (f.notation === 'compact') {
		pushCompact(body, f, decimal);
	} else {
		decimal = round(f, decimal);
		pushNumber(body, f, decimal);
	}
	const text = body.map((part) => part.value).join('');
	return decorate(f, signOf(f, decimal, !/[1-9]/.test(text)), body, text === '1');
}

const settings = new WeakMap();

function NumberFormat(locales = undefined, options = undefined) {
	const self = new.target === undefined ? Object.create(NumberFormat.prototype) : this;
	settings.set(self, settingsOf(locales, options));
	return self;
}

const get = (self, method) => settingsIn(settings, self, `NumberFormat.prototype.${method}`);


Object.defineProperties(NumberFormat.prototype, {
	[Symbol.toStringTag]: { value: 'Intl.NumberFormat', configurable: true },
	format: { configurable: true, get() {
		const f = get(this, 'format');
		f.bound ??= (value) => join(partsOf(f, value));
		return f.bound;
	} },
	formatToParts: { configurable: true, writable: true, value(value) { return partsOf(get(this, 'formatToParts'), value); } },
	formatRange: { configurable: true, writable: true, value(start, end) {
		const f = get(this, 'formatRange'), a = join(partsOf(f, start)), b = join(partsOf(f, end));
		return a === b ? `~${a}` : `${a}–${f.style === 'currency' ? b.replace(currencyText(f), '') : b}`.replace('–', f.style === 'currency' ? ' – ' : '–');
	} },
	resolvedOptions: { configurable: true, writable: true, value() {
		const f = get(this, 'resolvedOptions');
		const money = f.style === 'currency' ? { currency: f.currency, currencyDisplay: f.currencyDisplay, currencySign: f.currencySign } : {};
		const unit = f.style === 'unit' ? { unit: f.unit, unitDisplay: f.unitDisplay } : {};
		const digits = f.maxSignificant !== undefined ?
			{ minimumSignificantDigits: f.minSignificant, maximumSignificantDigits: f.maxSignificant } :
			{ minimumFractionDigits: f.minFraction, maximumFractionDigits: f.maxFraction };
		return {
			locale: f.locale.name, numberingSystem: 'latn', style: f.style, ...money, ...unit, minimumIntegerDigits: f.minInteger,
			...digits, useGrouping: f.useGrouping, notation: f.notation,
			...(f.notation === 'compact' ? { compactDisplay: f.compactDisplay } : {}), signDisplay: f.signDisplay,
			roundingMode: f.roundingMode, roundingIncrement: 1, trailingZeroDisplay: 'auto',
			roundingPriority: f.compactRounding ? 'morePrecision' : 'auto',
		};
	} },
});
NumberFormat.supportedLocalesOf = (locales) => supported(locales);
Object.defineProperty(NumberFormat, 'supportedLocalesOf', { enumerable: false });

exports.NumberFormat = NumberFormat;
exports.format = (value, locales, options) => join(partsOf(settingsOf(locales, options), value));
