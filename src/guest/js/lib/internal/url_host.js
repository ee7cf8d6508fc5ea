/* The host of a URL: a domain, an IPv4 or IPv6 address, or opaque text. Functions give null for what is no host. */
'use strict';

const { percentEncode, percentDecode, inControl } = require('internal/url_encode');

// eslint-disable-next-line no-control-regex
const forbiddenHost = /[\0\t\n\r #/:<>?@[\\\]^|]/;
// eslint-disable-next-line no-control-regex
const forbiddenDomain = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7F]/;

/* A part of an IPv4 address: decimal, 0 octal, 0x hexadecimal; NaN: none. */
function ipv4Number(text) {
	if (text === '')
		return NaN;
	if (/^0[xX]/.test(text)) {
		const digits = text.slice(2);
		return digits === '' ? 0 : /^[0-9a-fA-F]+$/.test(digits) ? parseInt(digits, 16) : NaN;
	}
	if (text.length > 1 && text[0] === '0')
		return /^[0-7]+$/.test(text) ? parseInt(text, 8) : NaN;
	return /^[0-9]+$/.test(text) ? parseInt(text, 10) : NaN;
}

function endsInNumber(host) {
	const parts = host.split('.');
	if (parts[parts.length - 1] === '') {
		if (parts.length === 1)
			return false;
		parts.pop();
	}
	const last = parts[parts.length - 1];
	return /^[0-9]+$/.test(last) || !Number.isNaN(/^0[xX]/.test(last) ? ipv4Number(last) : NaN);
}

function parseIpv4(host) {
	const parts = host.split('.');
	if (parts[parts.length - 1] === '' && parts.length > 1)
		parts.pop();
	if (parts.length > 4)
		return null;
	const numbers = parts.map(ipv4Number);
	if (numbers.some((n) => Number.isNaN(n)) || numbers.slice(0, -1).some((n) => n > 255))
		return null;
	const last = numbers.pop();
	if (last >= 256 ** (4 - numbers.length))
		return null;
	let address = last;
	numbers.forEach((n, i) => { address += n * 256 ** (3 - i); });
	return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/* The last 32 bits written as an IPv4 address: two pieces, or null. */
function embeddedIpv4(text) {
	const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
	if (found === null)
		return null;
	const bytes = found.slice(1);
	if (bytes.some((one) => Number(one) > 255 || (one.length > 1 && one[0] === '0')))
		return null;
	return [Number(bytes[0]) * 256 + Number(bytes[1]), Number(bytes[2]) * 256 + Number(bytes[3])];
}

function piecesOf(text) {
	if (text === '')
		return [];
	const parts = text.split(':'), pieces = [];
	for (let i = 0; i < parts.length; i++) {
		if (i === parts.length - 1 && parts[i].includes('.')) {
			const pair = embeddedIpv4(parts[i]);
			if (pair === null)
				return null;
			pieces.push(...pair);
		} else if (/^[0-9a-fA-F]{1,4}$/.test(parts[i])) {
			pieces.push(parseInt(parts[i], 16));
		} else {
			return null;
		}
	}
	return pieces;
}

function parseIpv6(text) {
	const gap = text.indexOf('::');
	if (gap < 0) {
		const pieces = piecesOf(text);
		return pieces !== null && pieces.length === 8 ? pieces : null;
	}
	if (text.indexOf('::', gap + 1) >= 0)
		return null;
	const head = text.slice(0, gap);
	const before = head.includes('.') ? null : piecesOf(head), after = piecesOf(text.slice(gap + 2));
	if (before === null || after === null || before.length + after.length > 7)
		return null;
	return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
}

/* The longest run of zeros is left out. */
function ipv6Text(pieces) {
	let best = -1, length = 1;
	for (let i = 0; i < 8; i++) {
		let end = i;
		while (end < 8 && pieces[end] === 0)
			end++;
		if (end - i > length) {
			best = i;
			length = end - i;
		}
	}
	const hex = (list) => list.map((n) => n.toString(16)).join(':');
	if (best < 0)
		return `[${hex(pieces)}]`;
	return `[${hex(pieces.slice(0, best))}::${hex(pieces.slice(best + length))}]`;
}

exports.parseHost = function (input, special) {
	if (input[0] === '[') {
		if (!input.endsWith(']'))
			return null;
		const pieces = parseIpv6(input.slice(1, -1));
		return pieces === null ? null : ipv6Text(pieces);
	}
	if (!special)
		return forbiddenHost.test(input) ? null : percentEncode(input, inControl);
	let ascii;
	try {
		ascii = require('internal/punycode').domainToAscii(percentDecode(input));
	} catch {
		return null;
	}
	if (ascii === '' || forbiddenDomain.test(ascii))
		return null;
	return endsInNumber(ascii) ? parseIpv4(ascii) : ascii;
};
