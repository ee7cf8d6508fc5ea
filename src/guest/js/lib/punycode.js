/* punycode (deprecated, still asked for) */
'use strict';

const { encode, decode, domainToUnicode } = require('internal/punycode');

// eslint-disable-next-line no-control-regex
const needsEncoding = /[^\0-\x7F]/;

function mapLabels(domain, change) {
	const at = domain.indexOf('@');
	const head = at < 0 ? '' : domain.slice(0, at + 1);
	return head + domain.slice(at + 1).replace(/[\u3002\uFF0E\uFF61]/g, '.').split('.').map(change).join('.');
}

module.exports = {
	version: '2.1.0', encode, decode,
	toASCII: (input) => mapLabels(input, (label) => needsEncoding.test(label) ? `xn--${encode(label)}` : label),
	toUnicode: (input) => mapLabels(input, domainToUnicode),
	ucs2: { decode: (text) => Array.from(text, (c) => c.codePointAt(0)), encode: (points) => String.fromCodePoint(...points) },
};
