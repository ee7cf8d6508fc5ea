/*
 * Time zones, as the host knows them (sys_zone.c): the process's own, by TZ of the environment, and others by their names. The
 * engine's dates ask for the own one by themselves.
 */
'use strict';

const N = require('internal/sysnumbers');
const sys = host.sys;
const FOUND = 1 << 20;

let other;	/* 1: the own zone is another than UTC; undefined: not asked yet */

exports.isUTC = () => (other ??= sys(N.zone, 4)) === 0;

const named = (what, ms, name) => name === undefined ? sys(N.zone, what, ms) : sys(N.zone, what, ms, name);

/* Minutes east at an instant; of the own zone without a name. */
exports.offset = (ms, name) => (named(0, ms, name) - FOUND) / 60;

/* { name, full, brief } at an instant, undefined for a name that is none; empty where English has no name. */
exports.names = function (ms, name) {
	const n = named(2, ms, name);
	if (n < 0)
		return undefined;
	const bytes = new Uint8Array(n);
	sys(N.take, bytes);
	const [usual, full, brief] = host.utf8Decode(bytes).split('|');
	return { name: usual, full, brief };
};

/* process.env.TZ is another now, or gone. */
exports.change = function (text) {
	if (text === undefined)
		sys(N.zone, 3, 0);
	else
		sys(N.zone, 3, 0, text);
	other = undefined;
	host.zoneChanged();
};

/* "GMT+05:30", "GMT+5:30", "GMT" */
exports.text = function (minutes, long) {
	if (minutes === 0)
		return 'GMT';
	const hours = `${Math.floor(Math.abs(minutes) / 60)}`, rest = `${Math.abs(minutes) % 60}`.padStart(2, '0');
	return `GMT${minutes < 0 ? '-' : '+'}${long ? `${hours.padStart(2, '0')}:${rest}` : rest === '00' ? hours : `${hours}:${rest}`}`;
};
