/* net: what an address is; what would open a socket throws by its name. */
'use strict';

const Emitter = require('events');
const { Duplex } = require('stream');
const { validateBoolean, validateInt32 } = require('internal/validators');
const { functions, classes } = require('internal/refused');
const INSTEAD = 'there is no network, only fetch()';
const PART = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)', HEX = /^[0-9a-fA-F]{1,4}$/;
const IPV4 = new RegExp(`^${PART}(?:\\.${PART}){3}$`), ZONE = /%[0-9a-zA-Z\-.:]+$/;

exports.isIPv4 = (text) => IPV4.test(`${text}`);

/* How many groups these are, NaN for none: a dotted end counts for two. */
function groups(text, last) {
	if (text === '')
		return 0;
	const parts = text.split(':');
	let n = parts.length;
	if (last && IPV4.test(parts[n - 1])) {
		parts.pop();
		n++;
	}
	return parts.every((part) => HEX.test(part)) ? n : NaN;
}

exports.isIPv6 = function isIPv6(text) {
	const halves = `${text}`.replace(ZONE, '').split('::');
	if (halves.length > 2)
		return false;
	if (halves.length === 1)
		return groups(halves[0], true) === 8;
	return groups(halves[0], false) + groups(halves[1], true) <= 7;
};

exports.isIP = (text) => exports.isIPv4(text) ? 4 : exports.isIPv6(text) ? 6 : 0;

let family = true, attempt = 250;
exports.getDefaultAutoSelectFamily = () => family;
exports.setDefaultAutoSelectFamily = function (value) {
	validateBoolean(value, 'value');
	family = value;
};
exports.getDefaultAutoSelectFamilyAttemptTimeout = () => attempt;
exports.setDefaultAutoSelectFamilyAttemptTimeout = function (value) {
	validateInt32(value, 'value', 1);
	attempt = Math.max(value, 10);
};

functions(exports, 'net', INSTEAD, ['connect', 'createConnection', 'createServer']);
classes(exports, 'net', INSTEAD, ['BlockList', 'SocketAddress']);
classes(exports, 'net', INSTEAD, ['Server'], Emitter);
classes(exports, 'net', INSTEAD, ['Socket'], Duplex);
exports.Stream = exports.Socket;
