/*
 * The parser of the URL standard: a machine that reads one character after another. A record has scheme, username, password,
 * host (null: none), port (null: the scheme's own), path (a list, or text when opaque), query and fragment (null: none).
 * With an override the machine begins in a given state and changes one part of a record.
 */
'use strict';

const { percentEncode, inControl, inFragment, inQuery, inSpecialQuery, inPath, inUserinfo } = require('internal/url_encode');
const { parseHost } = require('internal/url_host');

const ports = { __proto__: null, 'ftp': 21, 'file': null, 'http': 80, 'https': 443, 'ws': 80, 'wss': 443 };
const isSpecial = (url) => url.scheme in ports;

const END = '';		/* what is read behind the last character */
const FAIL = Symbol('fail'), STOP = Symbol('stop');

const isAlpha = (c) => /^[A-Za-z]$/.test(c);
const isDigit = (c) => c >= '0' && c <= '9' && c.length === 1;
const isDriveLetter = (text) => /^[A-Za-z][:|]$/.test(text);
const isNormalDrive = (text) => /^[A-Za-z]:$/.test(text);
const startsWithDrive = (chars, at) => at + 1 < chars.length && isDriveLetter(chars[at] + chars[at + 1]) &&
	(at + 2 === chars.length || '/\\?#'.includes(chars[at + 2]));
const isDot = (part) => part === '.' || part.toLowerCase() === '%2e';
const isDoubleDot = (part) => /^(\.|%2e)(\.|%2e)$/i.test(part);

function shorten(url) {
	if (url.scheme === 'file' && url.path.length === 1 && isNormalDrive(url.path[0]))
		return;
	url.path.pop();
}

function newRecord() {
	return { scheme: '', username: '', password: '', host: null, port: null, path: [], query: null, fragment: null };
}

class Machine {
	constructor(text, base, url, override) {
		this.chars = Array.from(text);
		this.base = base;
		this.url = url;
		this.override = override;
		this.state = override || 'schemeStart';
		this.buffer = '';
		this.at = this.inBrackets = this.seenPassword = this.afterSign = false;
		this.i = 0;
	}

	run() {
		for (; this.i <= this.chars.length; this.i++) {
			const c = this.i < this.chars.length ? this.chars[this.i] : END;
			const result = this[this.state](c);
			if (result === FAIL || result === STOP)
				return result;
		}
		return undefined;
	}

	rest(text) {
		return this.chars.slice(this.i + 1, this.i + 1 + text.length).join('') === text;
	}

	copyBase(...parts) {
		for (const part of parts)
			this.url[part] = part === 'path' && Array.isArray(this.base.path) ? [...this.base.path] : this.base[part];
		/* as Node does it: an empty query of the base is none */
		if (parts.includes('query') && this.url.query === '')
			this.url.query = null;
	}

	schemeStart(c) {
		if (isAlpha(c)) {
			this.buffer += c.toLowerCase();
			this.state = 'scheme';
		} else if (!this.override) {
			this.state = 'noScheme';
			this.i--;
		} else {
			return FAIL;
		}
		return undefined;
	}

	scheme(c) {
		if (/^[A-Za-z0-9+\-.]$/.test(c)) {
			this.buffer += c.toLowerCase();
		} else if (c === ':') {
			return this.schemeEnd();
		} else if (!this.override) {
			this.buffer = '';
			this.state = 'noScheme';
			this.i = -1;
		} else {
			return FAIL;
		}
		return undefined;
	}

	schemeEnd() {
		const { url } = this;
		if (this.override) {
			const same = url.scheme in ports === this.buffer in ports;
			if (!same || ((url.username || url.password || url.port !== null) && this.buffer === 'file') ||
				(url.scheme === 'file' && (url.host === null || url.host === '')))
				return STOP;
			url.scheme = this.buffer;
			if (url.port === ports[url.scheme])
				url.port = null;
			return STOP;
		}
		url.scheme = this.buffer;
		this.buffer = '';
		if (url.scheme === 'file') {
			this.state = 'file';
		} else if (isSpecial(url)) {
			this.state = this.base !== null && this.base.scheme === url.scheme ? 'specialRelativeOrAuthority' : 'specialSlashes';
		} else if (this.chars[this.i + 1] === '/') {
			this.state = 'pathOrAuthority';
			this.i++;
		} else {
			url.path = '';
			this.state = 'opaquePath';
		}
		return undefined;
	}

	noScheme(c) {
		const { base, url } = this;
		if (base === null || (typeof base.path === 'string' && c !== '#'))
			return FAIL;
		if (typeof base.path === 'string') {
			this.copyBase('scheme', 'path', 'query');
			url.fragment = '';
			this.state = 'fragment';
		} else {
			this.state = base.scheme === 'file' ? 'file' : 'relative';
			this.i--;
		}
		return undefined;
	}

	specialRelativeOrAuthority(c) {
		if (c === '/' && this.rest('/')) {
			this.state = 'specialIgnoreSlashes';
			this.i++;
		} else {
			this.state = 'relative';
			this.i--;
		}
	}

	pathOrAuthority(c) {
		if (c === '/') {
			this.state = 'authority';
		} else {
			this.state = 'path';
			this.i--;
		}
	}

	relative(c) {
		const { url } = this;
		url.scheme = this.base.scheme;
		if (c === '/' || (isSpecial(url) && c === '\\')) {
			this.state = 'relativeSlash';
			return;
		}
		this.copyBase('username', 'password', 'host', 'port', 'path', 'query');
		if (c === '?') {
			url.query = '';
			this.state = 'query';
		} else if (c === '#') {
			url.fragment = '';
			this.state = 'fragment';
		} else if (c !== END) {
			url.query = null;
			shorten(url);
			this.state = 'path';
			this.i--;
		}
	}

	relativeSlash(c) {
		if (isSpecial(this.url) && (c === '/' || c === '\\')) {
			this.state = 'specialIgnoreSlashes';
		} else if (c === '/') {
			this.state = 'authority';
		} else {
			this.copyBase('username', 'password', 'host', 'port');
			this.state = 'path';
			this.i--;
		}
	}

	specialSlashes(c) {
		this.state = 'specialIgnoreSlashes';
		if (c === '/' && this.rest('/'))
			this.i++;
		else
			this.i--;
	}

	specialIgnoreSlashes(c) {
		if (c !== '/' && c !== '\\') {
			this.state = 'authority';
			this.i--;
		}
	}

	ends(c) {
		return c === END || c === '/' || c === '?' || c === '#' || (isSpecial(this.url) && c === '\\');
	}

	authority(c) {
		const { url } = this;
		if (c === '@') {
			if (this.afterSign)
				this.buffer = `%40${this.buffer}`;
			this.afterSign = true;
			for (const char of this.buffer) {
				if (char === ':' && !this.seenPassword)
					this.seenPassword = true;
				else
					url[this.seenPassword ? 'password' : 'username'] += percentEncode(char, inUserinfo);
			}
			this.buffer = '';
		} else if (this.ends(c)) {
			if (this.afterSign && this.buffer === '')
				return FAIL;
			this.i -= Array.from(this.buffer).length + 1;
			this.buffer = '';
			this.state = 'host';
		} else {
			this.buffer += c;
		}
		return undefined;
	}

	host(c) {
		const { url } = this;
		if (this.override && url.scheme === 'file') {
			this.i--;
			this.state = 'fileHost';
		} else if (c === ':' && !this.inBrackets) {
			if (this.buffer === '' || this.override === 'hostname')
				return FAIL;
			return this.takeHost('port');
		} else if (this.ends(c)) {
			this.i--;
			if (isSpecial(url) && this.buffer === '')
				return FAIL;
			if (this.override && this.buffer === '' && (url.username || url.password || url.port !== null))
				return STOP;
			return this.takeHost('pathStart') || (this.override ? STOP : undefined);
		} else {
			if (c === '[')
				this.inBrackets = true;
			else if (c === ']')
				this.inBrackets = false;
			this.buffer += c;
		}
		return undefined;
	}
	hostname(c) { return this.host(c); }

	takeHost(next) {
		const host = this.buffer === '' ? '' : parseHost(this.buffer, isSpecial(this.url));
		if (host === null)
			return FAIL;
		this.url.host = host;
		this.buffer = '';
		this.state = next;
		return undefined;
	}

	port(c) {
		const { url } = this;
		if (isDigit(c)) {
			this.buffer += c;
		} else if (this.ends(c) || this.override) {
			if (this.buffer !== '') {
				const port = parseInt(this.buffer, 10);
				if (port > 65535)
					return this.override === 'host' ? STOP : FAIL;
				url.port = port === ports[url.scheme] ? null : port;
				this.buffer = '';
				if (this.override)
					return STOP;
			}
			if (this.override)
				return this.override === 'host' ? STOP : FAIL;
			this.state = 'pathStart';
			this.i--;
		} else {
			return FAIL;
		}
		return undefined;
	}

	file(c) {
		const { url, base } = this;
		url.scheme = 'file';
		url.host = '';
		if (c === '/' || c === '\\') {
			this.state = 'fileSlash';
		} else if (base !== null && base.scheme === 'file') {
			this.copyBase('host', 'path', 'query');
			if (c === '?') {
				url.query = '';
				this.state = 'query';
			} else if (c === '#') {
				url.fragment = '';
				this.state = 'fragment';
			} else if (c !== END) {
				url.query = null;
				if (startsWithDrive(this.chars, this.i))
					url.path = [];
				else
					shorten(url);
				this.state = 'path';
				this.i--;
			}
		} else {
			this.state = 'path';
			this.i--;
		}
	}

	fileSlash(c) {
		const { url, base } = this;
		if (c === '/' || c === '\\') {
			this.state = 'fileHost';
			return;
		}
		if (base !== null && base.scheme === 'file') {
			url.host = base.host;
			if (!startsWithDrive(this.chars, this.i) && base.path.length && isNormalDrive(base.path[0]))
				url.path.push(base.path[0]);
		}
		this.state = 'path';
		this.i--;
	}

	fileHost(c) {
		const { url } = this;
		if (c !== END && !'/\\?#'.includes(c)) {
			this.buffer += c;
			return undefined;
		}
		this.i--;
		if (!this.override && isDriveLetter(this.buffer)) {
			this.state = 'path';
		} else if (this.buffer === '') {
			url.host = '';
			if (this.override)
				return STOP;
			this.state = 'pathStart';
		} else {
			const host = parseHost(this.buffer, isSpecial(url));
			if (host === null)
				return FAIL;
			url.host = host === 'localhost' ? '' : host;
			if (this.override)
				return STOP;
			this.buffer = '';
			this.state = 'pathStart';
		}
		return undefined;
	}

	pathStart(c) {
		const { url } = this;
		if (isSpecial(url)) {
			this.state = 'path';
			if (c !== '/' && c !== '\\')
				this.i--;
		} else if (!this.override && c === '?') {
			url.query = '';
			this.state = 'query';
		} else if (!this.override && c === '#') {
			url.fragment = '';
			this.state = 'fragment';
		} else if (c !== END) {
			this.state = 'path';
			if (c !== '/')
				this.i--;
		} else if (this.override && url.host === null) {
			url.path.push('');
		}
	}

	path(c) {
		const { url } = this;
		const slash = c === '/' || (isSpecial(url) && c === '\\');
		if (c !== END && !slash && (this.override || (c !== '?' && c !== '#'))) {
			this.buffer += percentEncode(c, inPath);
			return;
		}
		if (isDoubleDot(this.buffer)) {
			/* Node leaves the path of other schemes empty when ".." is all there is */
			const empty = url.path.length === 0 && !isSpecial(url);
			shorten(url);
			if (!slash && !empty)
				url.path.push('');
		} else if (isDot(this.buffer)) {
			if (!slash)
				url.path.push('');
		} else {
			if (url.scheme === 'file' && url.path.length === 0 && isDriveLetter(this.buffer))
				this.buffer = `${this.buffer[0]}:`;
			url.path.push(this.buffer);
		}
		this.buffer = '';
		if (c === '?') {
			url.query = '';
			this.state = 'query';
		} else if (c === '#') {
			url.fragment = '';
			this.state = 'fragment';
		}
	}

	opaquePath(c) {
		const { url } = this;
		if (c === '?') {
			url.query = '';
			this.state = 'query';
		} else if (c === '#') {
			url.fragment = '';
			this.state = 'fragment';
		} else if (c !== END) {
			url.path += percentEncode(c, inControl);
		}
	}

	query(c) {
		if (c === '#' && !this.override) {
			this.url.fragment = '';
			this.state = 'fragment';
		} else if (c !== END) {
			this.url.query += percentEncode(c, isSpecial(this.url) ? inSpecialQuery : inQuery);
		}
	}

	fragment(c) {
		if (c !== END)
			this.url.fragment += percentEncode(c, inFragment);
	}
}

/* A record, or null when the text is no URL. */
exports.parse = function (input, base) {
	// eslint-disable-next-line no-control-regex
	const text = input.toWellFormed().replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
	const url = newRecord();
	return new Machine(text, base, url).run() === FAIL ? null : url;
};

/* Changes a part of the record; false when the text does not fit. */
exports.change = function (url, input, state) {
	const copy = { ...url, path: Array.isArray(url.path) ? [...url.path] : url.path };
	if (new Machine(input.toWellFormed().replace(/[\t\n\r]/g, ''), null, copy, state).run() === FAIL)
		return false;
	Object.assign(url, copy);
	return true;
};

exports.pathOf = (url) => typeof url.path === 'string' ? url.path : url.path.map((part) => `/${part}`).join('');

exports.serialize = function (url, { fragment = true, search = true, auth = true, unicode = false } = {}) {
	let out = `${url.scheme}:`;
	if (url.host !== null) {
		out += '//';
		if (auth && (url.username || url.password))
			out += `${url.username}${url.password ? `:${url.password}` : ''}@`;
		out += unicode ? require('internal/punycode').domainToUnicode(url.host) : url.host;
		if (url.port !== null)
			out += `:${url.port}`;
	} else if (Array.isArray(url.path) && url.path.length > 1 && url.path[0] === '') {
		out += '/.';
	}
	out += exports.pathOf(url);
	if (search && url.query !== null)
		out += `?${url.query}`;
	if (fragment && url.fragment !== null)
		out += `#${url.fragment}`;
	return out;
};

exports.isSpecial = isSpecial;
exports.ports = ports;
