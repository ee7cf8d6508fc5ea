/* The methods of numbers, dates and strings that depend on a locale; and dates as V8 writes them, with the zone's name. */
'use strict';

function method(prototype, name, fn, length = 0) {
	Object.defineProperty(fn, 'name', { value: name, configurable: true });
	Object.defineProperty(fn, 'length', { value: length, configurable: true });
	Object.defineProperty(prototype, name, { value: fn, writable: true, configurable: true, enumerable: false });
}

const formatNumber = (...args) => require('internal/intl_number').format(...args);
const formatDate = (...args) => require('internal/intl_date').format(...args);

method(Number.prototype, 'toLocaleString', { toLocaleString(locales, options) {
	return formatNumber(Number.prototype.valueOf.call(this), locales, options);
} }.toLocaleString);
method(BigInt.prototype, 'toLocaleString', { toLocaleString(locales, options) {
	return formatNumber(BigInt.prototype.valueOf.call(this), locales, options);
} }.toLocaleString);

for (const [name, required, standard] of [['toLocaleString', 'any', 'all'], ['toLocaleDateString', 'date', 'date'], ['toLocaleTimeString', 'time', 'time']]) {
	method(Date.prototype, name, { method(locales, options) {
		return formatDate(Date.prototype.valueOf.call(this), locales, options, required, standard);
	} }.method);
}

const zone = require('internal/zone');
let text;

method(String.prototype, 'localeCompare', { localeCompare(that, locales, options) {
	if (this === null || this === undefined)
		throw new TypeError('String.prototype.localeCompare called on null or undefined');
	text ??= require('internal/intl_text');
	if (locales === undefined && options === undefined)
		return text.comparePlain(`${this}`, `${that}`);
	return text.compare(`${this}`, `${that}`, locales, options);
} }.localeCompare, 1);

for (const name of ['toString', 'toTimeString']) {
	const native = Date.prototype[name];
	method(Date.prototype, name, { method() {
		const text = native.call(this);
		if (zone.isUTC())
			return text.replace(/ GMT\+0000$/, ' GMT+0000 (Coordinated Universal Time)');
		if (text === 'Invalid Date')
			return text;
		const time = Date.prototype.valueOf.call(this), minutes = zone.offset(time);
		return `${text} (${zone.names(time).full || (minutes ? zone.text(minutes, true) : 'GMT+00:00')})`;
	} }.method);
}
