/* URL of the web, and what the url module adds around it: paths of files as URLs and back. */
'use strict';

const { codes } = require('internal/errors');
const parser = require('internal/url_parser');
const { URLSearchParams, update, connect } = require('internal/url_params');
const { percentEncode, inUserinfo } = require('internal/url_encode');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

function invalidUrl(input, base) {
	const error = new TypeError('Invalid URL');
	error.code = 'ERR_INVALID_URL';
	error.input = input;
	if (base !== undefined)
		error.base = base;
	return require('internal/fatal').made(error, ['new URL (node:internal/url:806:29)'], /^$/, 'internal/url:806');
}

function parseOrThrow(input, base) {
	let parent = null;
	if (base !== undefined) {
		parent = parser.parse(base, null);
		if (parent === null)
			throw invalidUrl(input, base);
	}
	const record = parser.parse(input, parent);
	if (record === null)
		throw invalidUrl(input, base);
	return record;
}

class URL {
	#url;
	#params;
	constructor(input, base = undefined) {
		if (arguments.length === 0)
			throw new codes.ERR_MISSING_ARGS('url');
		this.#url = parseOrThrow(`${input}`, base === undefined ? undefined : `${base}`);
	}
	static canParse(input, base = undefined) {
		if (arguments.length === 0)
			throw new codes.ERR_MISSING_ARGS('url');
		try {
			parseOrThrow(`${input}`, base === undefined ? undefined : `${base}`);
			return true;
		} catch {
			return false;
		}
	}
	static parse(input, base = undefined) {
		if (arguments.length === 0)
			throw new codes.ERR_MISSING_ARGS('url');
		try {
			return new URL(input, base);
		} catch {
			return null;
		}
	}
	static createObjectURL(object) {
		throw new codes.ERR_INVALID_ARG_TYPE('obj', 'Blob', object);
	}
	static revokeObjectURL() {}
	/* For this file and legacy code: the record. */
	static record(url) { return url.#url; }
	static is(value) { return value !== null && typeof value === 'object' && #url in value; }
	[inspectSymbol](depth, options, inspect) {
		if (typeof depth === 'number' && depth < 0)
			return this;
		const shown = Object.create({ constructor: this.constructor === null ? URL : this.constructor });
		for (const key of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
			'searchParams', 'hash'])
			shown[key] = this[key];
		return `${shown.constructor.name} ${inspect({ ...shown }, options)}`;
	}
	toString() { return this.href; }
	toJSON() { return this.href; }
	get href() { return parser.serialize(this.#url); }
	set href(value) {
		this.#url = parseOrThrow(`${value}`);
		this.#refresh();
	}
	#refresh() {
		if (this.#params)
			this.#params[update](this.#url.query);
	}
	get origin() {
		const { scheme, host, port } = this.#url;
		if (scheme === 'blob') {
			const inner = parser.parse(parser.pathOf(this.#url), null);
			return inner && (inner.scheme === 'http' || inner.scheme === 'https') ? new URL(parser.serialize(inner)).origin : 'null';
		}
		if (!parser.isSpecial(this.#url) || scheme === 'file')
			return 'null';
		return `${scheme}://${host}${port === null ? '' : `:${port}`}`;
	}
	get protocol() { return `${this.#url.scheme}:`; }
	set protocol(value) { parser.change(this.#url, `${`${value}`}:`, 'schemeStart'); }
	#noCredentials() {
		return this.#url.host === null || this.#url.host === '' || this.#url.scheme === 'file';
	}
	get username() { return this.#url.username; }
	set username(value) {
		if (!this.#noCredentials())
			this.#url.username = percentEncode(`${value}`.toWellFormed(), inUserinfo);
	}
	get password() { return this.#url.password; }
	set password(value) {
		if (!this.#noCredentials())
			this.#url.password = percentEncode(`${value}`.toWellFormed(), inUserinfo);
	}
	get host() {
		const { host, port } = this.#url;
		return host === null ? '' : `${host}${port === null ? '' : `:${port}`}`;
	}
	set host(value) {
		if (typeof this.#url.path !== 'string')
			parser.change(this.#url, `${value}`, 'host');
	}
	get hostname() { return this.#url.host ?? ''; }
	set hostname(value) {
		if (typeof this.#url.path !== 'string')
			parser.change(this.#url, `${value}`, 'hostname');
	}
	get port() { return this.#url.port === null ? '' : `${this.#url.port}`; }
	set port(value) {
		if (this.#noCredentials())
			return;
		if (`${value}` === '')
			this.#url.port = null;
		else
			parser.change(this.#url, `${value}`, 'port');
	}
	get pathname() { return parser.pathOf(this.#url); }
	set pathname(value) {
		if (typeof this.#url.path === 'string')
			return;
		const old = this.#url.path;
		this.#url.path = [];
		if (!parser.change(this.#url, `${value}`, 'pathStart'))
			this.#url.path = old;
	}
	get search() { return this.#url.query ? `?${this.#url.query}` : ''; }
	set search(value) {
		const text = `${value}`.replace(/^\?/, '');
		if (`${value}` === '') {
			this.#url.query = null;
		} else {
			this.#url.query = '';
			parser.change(this.#url, text, 'query');
		}
		this.#refresh();
	}
	get searchParams() {
		if (this.#params === undefined) {
			this.#params = new URLSearchParams(this.#url.query ?? '');
			this.#params[update](this.#url.query);
			this.#params[connect]((text) => { this.#url.query = text === '' ? null : text; });
		}
		return this.#params;
	}
	get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ''; }
	set hash(value) {
		const text = `${value}`.replace(/^#/, '');
		if (`${value}` === '') {
			this.#url.fragment = null;
		} else {
			this.#url.fragment = '';
			parser.change(this.#url, text, 'fragment');
		}
	}
}

const recordOf = URL.record, isURL = URL.is;
delete URL.record;
delete URL.is;
/* In the order that for-in shows. */
const shownOrder = ['toString', 'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
	'searchParams', 'hash', 'toJSON'];
for (const name of shownOrder) {
	const desc = Object.getOwnPropertyDescriptor(URL.prototype, name);
	delete URL.prototype[name];
	Object.defineProperty(URL.prototype, name, { ...desc, enumerable: true });
}
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });
for (const name of ['canParse', 'parse', 'createObjectURL', 'revokeObjectURL'])
	Object.defineProperty(URL, name, { enumerable: true });

/* ---- files ---- */

exports.fileURLToPath = function fileURLToPath(path) {
	if (typeof path === 'string')
		path = new URL(path);
	else if (!isURL(path))
		throw new codes.ERR_INVALID_ARG_TYPE('path', ['string', 'URL'], path);
	if (path.protocol !== 'file:')
		throw new codes.ERR_INVALID_URL_SCHEME('file');
	if (path.hostname !== '')
		throw new codes.ERR_INVALID_FILE_URL_HOST('linux');
	if (/%2f/i.test(path.pathname))
		throw new codes.ERR_INVALID_FILE_URL_PATH('must not include encoded / characters');
	return decodeURIComponent(path.pathname);
};

exports.pathToFileURL = function pathToFileURL(path) {
	require('internal/validators').validateString(path, 'path');
	let full = require('path').resolve(path);
	if (path.endsWith('/') && !full.endsWith('/'))
		full += '/';
	const escaped = full.replace(/[%\\\n\r\t?#]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
	return new URL(`file://${escaped}`);
};

exports.urlToHttpOptions = function urlToHttpOptions(url) {
	const { hostname, pathname, port, username, password, search } = url;
	const options = {
		__proto__: null, ...url, protocol: url.protocol,
		hostname: hostname && hostname[0] === '[' ? hostname.slice(1, -1) : hostname,
		hash: url.hash, search, pathname, path: `${pathname || ''}${search || ''}`, href: url.href,
	};
	if (port !== '')
		options.port = Number(port);
	if (username || password)
		options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
	return options;
};

/* A path argument of fs: a file URL becomes its path. */

exports.domainToASCII = function domainToASCII(domain) {
	if (arguments.length < 1)
		throw new codes.ERR_MISSING_ARGS('domain');
	const record = parser.parse(`ws://${domain}`, null);
	return record === null ? '' : record.host;
};
exports.domainToUnicode = function domainToUnicode(domain) {
	if (arguments.length < 1)
		throw new codes.ERR_MISSING_ARGS('domain');
	const record = parser.parse(`ws://${domain}`, null);
	return record === null ? '' : require('internal/punycode').domainToUnicode(record.host);
};

Object.assign(exports, { URL, isURL, recordOf });
