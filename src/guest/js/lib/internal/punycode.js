/* Punycode (RFC 3492): Unicode labels of host names as ASCII, and back. */
'use strict';

const BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, BIAS = 72, FIRST = 128, MAX = 0x7FFFFFFF;

function adapt(delta, count, first) {
	let k = 0;
	delta = first ? Math.floor(delta / DAMP) : delta >> 1;
	delta += Math.floor(delta / count);
	for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE)
		delta = Math.floor(delta / (BASE - T_MIN));
	return k + Math.floor((BASE - T_MIN + 1) * delta / (delta + SKEW));
}

function threshold(k, bias) {
	return k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

const digitOf = (n) => String.fromCharCode(n < 26 ? n + 97 : n + 22);

function variableLength(delta, bias) {
	let out = '';
	for (let k = BASE, rest = delta; ; k += BASE) {
		const t = threshold(k, bias);
		if (rest < t)
			return out + digitOf(rest);
		out += digitOf(t + (rest - t) % (BASE - t));
		rest = Math.floor((rest - t) / (BASE - t));
	}
}

/* Throws RangeError for what is too long to be written. */
exports.encode = function (label) {
	const points = Array.from(label, (c) => c.codePointAt(0));
	let out = points.filter((c) => c < 0x80).map((c) => String.fromCharCode(c)).join('');
	const basic = out.length;
	let done = basic, n = FIRST, delta = 0, bias = BIAS;
	if (basic)
		out += '-';
	while (done < points.length) {
		const next = points.reduce((least, c) => c >= n && c < least ? c : least, MAX);
		delta += (next - n) * (done + 1);
		if (delta > MAX)
			throw new RangeError('Overflow: input needs wider integers to process');
		n = next;
		for (const c of points) {
			if (c < n)
				delta++;
			if (c === n) {
				out += variableLength(delta, bias);
				bias = adapt(delta, done + 1, done === basic);
				delta = 0;
				done++;
			}
		}
		delta++;
		n++;
	}
	return out;
};

function valueOf(code) {
	if (code >= 48 && code < 58)
		return code - 22;
	if (code >= 65 && code < 91)
		return code - 65;
	return code >= 97 && code < 123 ? code - 97 : BASE;
}

function invalid() {
	return new RangeError('Invalid input');
}

exports.decode = function (text) {
	const dash = text.lastIndexOf('-');
	const out = Array.from(dash > 0 ? text.slice(0, dash) : '', (c) => c.codePointAt(0));
	if (out.some((c) => c >= 0x80))
		throw new RangeError('Illegal input >= 0x80 (not a basic code point)');
	let n = FIRST, i = 0, bias = BIAS;
	for (let at = dash > 0 ? dash + 1 : 0; at < text.length;) {
		const before = i;
		for (let weight = 1, k = BASE; ; k += BASE) {
			if (at >= text.length)
				throw invalid();
			const digit = valueOf(text.charCodeAt(at++)), t = threshold(k, bias);
			if (digit >= BASE || digit * weight > MAX - i)
				throw invalid();
			i += digit * weight;
			if (digit < t)
				break;
			weight *= BASE - t;
		}
		bias = adapt(i - before, out.length + 1, before === 0);
		n += Math.floor(i / (out.length + 1));
		if (n > 0x10FFFF)
			throw invalid();
		i %= out.length + 1;
		out.splice(i++, 0, n);
	}
	return String.fromCodePoint(...out);
};

/* ---- domains ---- */

/* Case, compatibility forms and invisible characters; a near enough UTS 46 mapping without its tables. */
function mapped(domain) {
	return domain.replace(/[\u00AD\u034F\u180B-\u180D\u200B\u2060\u2064\uFE00-\uFE0F\uFEFF]/g, '').replace(/[\u3002\uFF0E\uFF61]/g, '.')
		.toLowerCase().normalize('NFKC').toLowerCase().normalize('NFC');
}

function labelToAscii(label) {
	if (label.startsWith('xn--')) {
		const plain = exports.decode(label.slice(4));
		// eslint-disable-next-line no-control-regex
		if (plain === '' || /^[\0-\x7F]*$/.test(plain) || mapped(plain) !== plain)
			throw invalid();
		return label;
	}
	// eslint-disable-next-line no-control-regex
	if (/^[\0-\x7F]*$/.test(label))
		return label;
	if (/^\p{M}/u.test(label) || /[\uD800-\uDFFF]/u.test(label) || /[\u200E\u200F\u202A-\u202E\uFFFD]/.test(label))
		throw invalid();
	return `xn--${exports.encode(label)}`;
}

/* Throws for what is no name. */
exports.domainToAscii = (domain) => mapped(domain).split('.').map(labelToAscii).join('.');

exports.domainToUnicode = (domain) => domain.split('.').map((label) => {
	if (!label.startsWith('xn--'))
		return label;
	try {
		return exports.decode(label.slice(4));
	} catch {
		return label;
	}
}).join('.');
