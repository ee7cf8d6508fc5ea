/* Intl.DateTimeFormat, in English. */
'use strict';

const { resolve, supported, optionOf, number: numberOption, settingsIn, join } = require('internal/intl_locale');

const zones = require('internal/zone');

const option = optionOf('DateTimeFormat');

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const text = ['narrow', 'short', 'long'], digits = ['2-digit', 'numeric'];
const fields = {
	__proto__: null, weekday: text, era: text, year: digits, month: [...digits, ...text], day: digits, dayPeriod: text, hour: digits,
	minute: digits, second: digits,
};
const zoneNames = ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'];

/* { name, offset } of a fixed one, { name, place } of one whose offset changes; `place` is undefined for the own one. */
function zoneOf(name) {
	if (name === undefined) {
		if (zones.isUTC())
			return { name: 'UTC', offset: 0 };
		return { name: zones.names(0).name, place: undefined };
	}
	const text = `${name}`;
	const fixed = /^([+-])(\d\d):?(\d\d)?$/.exec(text);
	if (fixed !== null && Number(fixed[2]) < 24 && Number(fixed[3] ?? 0) < 60) {
		const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0);
		return { name: `${fixed[1]}${fixed[2]}:${fixed[3] ?? '00'}`, offset: fixed[1] === '-' ? -minutes : minutes };
	}
	const known = zones.names(0, text);
	if (known === undefined)
		throw new RangeError(`Invalid time zone specified: ${text}`);
	return known.name === 'UTC' ? { name: 'UTC', offset: 0 } : { name: known.name, place: text };
}

const offsetOf = (zone, time) => zone.offset ?? zones.offset(time, zone.place);

const styles = {
	date: {
		full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' },
		medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' },
	},
	time: {
		full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
		long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
		medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' },
	},
};

function applyStyles(f, dateStyle, timeStyle) {
	Object.assign(f, { dateStyle, timeStyle }, dateStyle ? styles.date[dateStyle] : {}, timeStyle ? styles.time[timeStyle] : {});
	if (dateStyle === 'short' && f.locale.padDate)
		Object.assign(f, { year: f.locale.dashes || f.locale.name === 'en-GB' ? 'numeric' : '2-digit', month: '2-digit', day: '2-digit' });
}

/* `required` and `standard` say what is shown when nothing is asked for: date, time or any/all. */
function settingsOf(locales, options, required, standard) {
	options = options === undefined ? {} : Object(options);
	const numeric = !Object.keys(fields).some((name) => text.includes(options[name])) && !['full', 'long', 'medium'].includes(options.dateStyle);
	const f = { locale: resolve(locales, numeric ? 'numbers' : 'words') };
	f.zone = zoneOf(options.timeZone);
	for (const name of Object.keys(fields))
		f[name] = option(options, name, fields[name], undefined);
	f.fractionalSecondDigits = numberOption(options, 'fractionalSecondDigits', 1, 3, undefined);
	f.timeZoneName = option(options, 'timeZoneName', zoneNames, undefined);
	const cycle = option(options, 'hourCycle', ['h11', 'h12', 'h23', 'h24'], undefined);
	const dateStyle = option(options, 'dateStyle', Object.keys(styles.date), undefined);
	const timeStyle = option(options, 'timeStyle', Object.keys(styles.time), undefined);
	if (dateStyle !== undefined || timeStyle !== undefined) {
		const bad = [...Object.keys(fields), 'fractionalSecondDigits', 'timeZoneName'].find((name) => f[name] !== undefined);
		if (bad)
			throw new TypeError(`Can't set option ${bad} when ${dateStyle !== undefined ? 'dateStyle' : 'timeStyle'} is used`);
		applyStyles(f, dateStyle, timeStyle);
	} else {
		const has = (...names) => names.some((name) => f[name] !== undefined);
		const asked = (required !== 'time' && has('weekday', 'year', 'month', 'day')) ||
			(required !== 'date' && has('dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'));
		if (!asked && standard !== 'time')
			Object.assign(f, { year: 'numeric', month: 'numeric', day: 'numeric' });
		if (!asked && standard !== 'date')
			Object.assign(f, { hour: 'numeric', minute: 'numeric', second: 'numeric' });
	}
	if (f.hour !== undefined) {
		const { hour12 } = options;
		if (hour12 !== undefined)
			f.cycle = hour12 ? 'h12' : f.locale.hour12 ? 'h24' : 'h23';
		else
			f.cycle = cycle ?? (f.locale.hour12 ? 'h12' : 'h23');
	}
	return f;
}

const two = (n) => `${n}`.padStart(2, '0');
const literal = (value) => ({ type: 'literal', value });

function textForm(name, form) {
	return form === 'long' ? name : form === 'short' ? name.slice(0, 3) : name[0];
}

function monthPart(f, t) {
	if (f.month === 'numeric' || f.month === '2-digit')
		return { type: 'month', value: f.month === '2-digit' || padded(f) ? two(t.getUTCMonth() + 1) : `${t.getUTCMonth() + 1}` };
	const name = months[t.getUTCMonth()];
	const short = name === 'September' && f.locale.name === 'en-GB' ? 'Sept' : textForm(name, 'short');
	return { type: 'month', value: f.month === 'short' ? short : textForm(name, f.month) };
}

function padded(f) {
	return f.locale.padDate && (f.month === 'numeric' || f.month === '2-digit') && (f.day !== undefined || f.year !== undefined);
}

function datePieces(f, t) {
	const year = t.getUTCFullYear(), shown = f.era && year <= 0 ? 1 - year : year;
	return {
		month: f.month && monthPart(f, t),
		day: f.day && { type: 'day', value: f.day === '2-digit' || padded(f) ? two(t.getUTCDate()) : `${t.getUTCDate()}` },
		year: f.year && { type: 'year', value: f.year === '2-digit' ? two(Math.abs(shown) % 100) : `${shown}` },
		weekday: f.weekday && { type: 'weekday', value: textForm(days[t.getUTCDay()], f.weekday) },
		era: f.era && { type: 'era', value: { long: ['Before Christ', 'Anno Domini'], short: ['BC', 'AD'], narrow: ['B', 'A'] }[f.era][year > 0 ? 1 : 0] },
	};
}

function separate(list, separator) {
	return list.filter(Boolean).flatMap((part, i) => i ? [literal(separator), part] : [part]);
}

function numericDate(f, p) {
	const order = { mdy: [p.month, p.day, p.year], dmy: [p.day, p.month, p.year], ymd: [p.year, p.month, p.day] }[f.locale.order];
	return separate(order, f.locale.dots ? '.' : f.locale.dashes ? '-' : '/');
}

/* A month in words: "February 9, 2024", or "9 February 2024". */
function wordDate(f, p) {
	if (f.locale.order === 'dmy')
		return separate([p.day, p.month, p.year], ' ');
	const front = separate([p.month, p.day], ' ');
	if (!p.year)
		return front;
	return [...front, literal(p.day ? ', ' : ' '), p.year];
}

function dateParts(f, t) {
	const p = datePieces(f, t);
	const words = f.month && text.includes(f.month);
	let parts = words ? wordDate(f, p) : numericDate(f, p);
	if (p.weekday) {
		const british = f.locale.order === 'dmy';
		if (parts.length === 0)
			parts = [p.weekday];
		else if (p.day && !p.month && !p.year)
			parts = british ? [p.weekday, literal(' '), p.day] : [p.day, literal(' '), p.weekday];
		else if (!p.day)
			parts = [...parts, literal(' '), p.weekday];
		else
			parts = [p.weekday, literal(british && words && f.weekday === 'short' ? (p.year ? ', ' : ' ') : ', '), ...parts];
	}
	if (p.era)
		parts.push(literal(' '), p.era);
	return parts;
}

function hourText(f, hour) {
	const value = { h11: hour % 12, h12: hour % 12 || 12, h23: hour, h24: hour || 24 }[f.cycle];
	const long = f.hour === '2-digit' || f.cycle === 'h23' || f.cycle === 'h24';
	return long && (f.cycle !== 'h12' || f.minute !== undefined || f.hour === '2-digit') ? two(value) : `${value}`;
}

function periodText(f, hour) {
	if (f.dayPeriod) {
		const name = hour < 6 ? 'at night' : hour < 12 ? 'in the morning' : hour === 12 ? 'noon' : hour < 18 ? 'in the afternoon' :
			hour < 21 ? 'in the evening' : 'at night';
		return hour === 0 ? 'in the morning' : name;
	}
	const text = hour < 12 ? 'AM' : 'PM';
	return f.locale.dotPeriod ? (hour < 12 ? 'a.m.' : 'p.m.') : f.locale.lowerPeriod ? text.toLowerCase() : text;
}

function timeParts(f, t) {
	const parts = [], add = (part, separator) => {
		if (parts.length)
			parts.push(literal(separator));
		parts.push(part);
	};
	const clock = f.hour !== undefined || (f.minute !== undefined && f.second !== undefined);
	if (f.hour)
		add({ type: 'hour', value: hourText(f, t.getUTCHours()) });
	if (f.minute)
		add({ type: 'minute', value: clock ? two(t.getUTCMinutes()) : `${t.getUTCMinutes()}` }, ':');
	if (f.second)
		add({ type: 'second', value: clock ? two(t.getUTCSeconds()) : `${t.getUTCSeconds()}` }, ':');
	if (f.fractionalSecondDigits)
		add({ type: 'fractionalSecond', value: `${t.getUTCMilliseconds()}`.padStart(3, '0').slice(0, f.fractionalSecondDigits) }, '.');
	if (f.hour && (f.cycle === 'h12' || f.cycle === 'h11'))
		add({ type: 'dayPeriod', value: periodText(f, t.getUTCHours()) }, ' ');
	return parts;
}

/* "Eastern Time" and "ET": what is the same in summer. */
function genericName(names, form) {
	const full = names.full.replace(/ (Standard|Daylight|Summer) Time$/, ' Time');
	return form === 'longGeneric' ? full : names.brief.replace(/^([A-Z]+)[SD](T)$/, '$1$2');
}

function zonePart(f, time) {
	const { name, offset } = f.zone, form = f.timeZoneName;
	if (offset === 0 && name === 'UTC' && !/Offset/.test(form))
		return { type: 'timeZoneName', value: /^long/.test(form) ? 'Coordinated Universal Time' : form === 'shortGeneric' ? 'GMT' : 'UTC' };
	const names = offset === undefined ? zones.names(time, f.zone.place) : { full: '', brief: '' };
	const value = /Generic$/.test(form) ? genericName(names, form) : form === 'long' ? names.full : form === 'short' ? names.brief : '';
	return { type: 'timeZoneName', value: value || zones.text(offsetOf(f.zone, time), /^long/.test(form)) };
}

function joiner(f) {
	const bare = f.weekday && !f.day && !f.month && !f.year;
	if (bare)
		return f.locale.order === 'dmy' ? ', ' : ' ';
	if (f.dateStyle)
		return f.dateStyle === 'full' || f.dateStyle === 'long' ? ' at ' : ', ';
	return f.month === 'long' && f.day !== undefined ? ' at ' : ', ';
}

function timeOf(value) {
	const time = value === undefined ? Date.now() : Number(value);
	if (!Number.isFinite(time) || Math.abs(time) > 8.64e15)
		throw new RangeError('Invalid time value');
	return time;
}

function partsOf(f, value) {
	const time0 = timeOf(value), t = new Date(time0 + offsetOf(f.zone, time0) * 60000);
	const date = dateParts(f, t), time = timeParts(f, t);
	const parts = date.length && time.length ? [...date, literal(joiner(f)), ...time] : [...date, ...time];
	if (f.timeZoneName)
		parts.push(literal(time.length ? ' ' : ', '), zonePart(f, time0));
	const merged = [];
	for (const part of parts) {
		const last = merged[merged.length - 1];
		if (last && last.type === 'literal' && part.type === 'literal')
			last.value += part.value;
		else
			merged.push({ ...part });
	}
	return merged;
}

const settings = new WeakMap();

function DateTimeFormat(locales = undefined, options = undefined) {
	const self = new.target === undefined ? Object.create(DateTimeFormat.prototype) : this;
	settings.set(self, settingsOf(locales, options, 'any', 'date'));
	return self;
}

const get = (self, method) => settingsIn(settings, self, `DateTimeFormat.prototype.${method}`);

Object.defineProperties(DateTimeFormat.prototype, {
	[Symbol.toStringTag]: { value: 'Intl.DateTimeFormat', configurable: true },
	format: { configurable: true, get() {
		const f = get(this, 'format');
		f.bound ??= (date) => join(partsOf(f, date));
		return f.bound;
	} },
	formatToParts: { configurable: true, writable: true, value(date) { return partsOf(get(this, 'formatToParts'), date); } },
	formatRange: { configurable: true, writable: true, value(start, end) {
		const f = get(this, 'formatRange'), a = join(partsOf(f, start)), b = join(partsOf(f, end));
		return a === b ? a : `${a} – ${b}`;
	} },
	resolvedOptions: { configurable: true, writable: true, value() {
		const f = get(this, 'resolvedOptions');
		const shown = { locale: f.locale.name, calendar: 'gregory', numberingSystem: 'latn', timeZone: f.zone.name };
		if (f.cycle)
			Object.assign(shown, { hourCycle: f.cycle, hour12: f.cycle === 'h12' || f.cycle === 'h11' });
		for (const name of f.dateStyle || f.timeStyle ? ['dateStyle', 'timeStyle'] : [...Object.keys(fields), 'fractionalSecondDigits', 'timeZoneName']) {
			if (f[name] !== undefined)
				shown[name] = name === 'minute' || name === 'second' ? '2-digit' : f[name];
		}
		return shown;
	} },
});
Object.defineProperty(DateTimeFormat, 'supportedLocalesOf', { value: (locales) => supported(locales), configurable: true, writable: true });

exports.DateTimeFormat = DateTimeFormat;
exports.format = (date, locales, options, required, standard) => {
	const time = Number(date);
	return Number.isNaN(time) ? 'Invalid Date' : join(partsOf(settingsOf(locales, options, required, standard), time));
};
