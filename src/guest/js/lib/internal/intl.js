/* Intl, in English: what each part can is told at its head. Other locales and time zones are refused by name. */
'use strict';

const { list } = require('internal/intl_locale');
const { NumberFormat } = require('internal/intl_number');
const { DateTimeFormat } = require('internal/intl_date');
const words = require('internal/intl_text');

const Intl = Object.defineProperty({}, Symbol.toStringTag, { value: 'Intl', configurable: true });
const parts = {
	getCanonicalLocales: (locales) => list(locales),
	supportedValuesOf(key) {
		const values = {
			calendar: ['gregory'], collation: ['default'], currency: ['EUR', 'GBP', 'JPY', 'USD'], numberingSystem: ['latn'], timeZone: ['UTC'],
			unit: [],
		};
		if (!values[key])
			throw new RangeError(`Invalid key : ${key}`);
		return values[key];
	},
	DateTimeFormat, NumberFormat, Collator: words.Collator, PluralRules: words.PluralRules, RelativeTimeFormat: words.RelativeTimeFormat,
	ListFormat: words.ListFormat, Locale: words.Locale, DisplayNames: words.DisplayNames, Segmenter: words.Segmenter,
};
for (const [name, value] of Object.entries(parts))
	Object.defineProperty(Intl, name, { value, writable: true, configurable: true, enumerable: false });

exports.Intl = Intl;
