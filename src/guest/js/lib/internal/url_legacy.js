/* url.parse, url.format and url.resolve: the older interface, which takes more and knows less. */
'use strict';

const { codes } = require('internal/errors');
const { validateObject, validateString } = require('internal/validators');

const hostless = new Set(['javascript', 'javascript:']);
const slashed = new Set(['http', 'http:', 'https', 'https:', 'ftp', 'ftp:', 'gopher', 'gopher:', 'file', 'file:', 'ws', 'ws:', 'wss', 'wss:']);
// eslint-disable-next-line no-control-regex
const forbidden = /[\0\t\n\r #%/:<>?@[\\\]^|]/;
const forbiddenV6 = /[\0\t\n\r #%/<>?@\\^|]/;

function Url() {
	this.protocol = null;
	this.slashes = null;
	this.auth = null;
	this.host = null;
	this.port = null;
	this.hostname = null;
	this.hash = null;
	this.search = null;
	this.query = null;
	this.pathname = null;
	this.path = null;
	this.href = null;
}

function invalid(url) {
	const error = new TypeError('Invalid URL');
	error.code = 'ERR_INVALID_URL';
	error.input = url;
	return error;
}

/* Backslashes before the query are slashes. */
function tidy(url) {
	const text = url.replace(/^[\s\uFEFF]+|[\s\uFEFF]+$/g, '');
	const query = text.search(/[?#]/);
	return query < 0 ? text.replaceAll('\\', '/') : text.slice(0, query).replaceAll('\\', '/') + text.slice(query);
}

/* A path with a query and nothing else needs none of the rest. */
function parsePath(result, rest, parseQuery) {
	const found = /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
	if (found === null)
		return false;
	result.path = rest;
	result.href = rest;
	result.pathname = found[1];
	if (found[2]) {
		result.search = found[2];
		result.query = result.search.slice(1);
		if (parseQuery)
			result.query = require('querystring').parse(result.query);
	} else if (parseQuery) {
		result.search = null;
		result.query = { __proto__: null };
	}
	return true;
}

/* Where the host begins and ends in the text behind the slashes. */
function hostRange(rest) {
	let end = -1, at = -1;
	for (let i = 0; i < rest.length; i++) {
		const c = rest[i];
		if ('\t\n\r "%\';<>\\^`{|}'.includes(c)) {
			if (end === -1)
				end = i;
		} else if (c === '#' || c === '/' || c === '?') {
			if (end === -1)
				end = i;
			break;
		} else if (c === '@') {
			at = i;
			end = -1;
		}
	}
	return [at, end];
}

let invalidTold = false;
function tellInvalid(url) {
	if (invalidTold)
		return;
	invalidTold = true;
	require('process').emitWarning(`The URL ${url} is invalid. Future versions of Node.js will throw an error.`, 'DeprecationWarning', 'DEP0170');
}

function takeHost(result, rest, url) {
	const [at, end] = hostRange(rest);
	if (at !== -1)
		result.auth = decodeURIComponent(rest.slice(0, at));
	let host = rest.slice(at + 1, end === -1 ? undefined : end);
	rest = end === -1 ? '' : rest.slice(end);
	const port = /:[0-9]*$/.exec(host);
	if (port !== null) {
		if (port[0] !== ':')
			result.port = port[0].slice(1);
		host = host.slice(0, host.length - port[0].length);
	}
	const v6 = host[0] === '[' && host.endsWith(']');
	let name = host.length > 255 ? '' : host.toLowerCase();
	const colon = v6 ? -1 : name.indexOf(':');
	if (colon >= 0) {
		tellInvalid(url);
		rest = `/${host.slice(colon)}${rest}`;
		name = name.slice(0, colon);
	}
	if (!v6 && name !== '') {
		if (/[^\x20-\x7E]/.test(name)) {
			try {
				name = require('internal/punycode').domainToAscii(name);
			} catch {
				throw invalid(url);
			}
		}
		if (name === '' || forbidden.test(name))
			throw invalid(url);
	} else if (v6 && forbiddenV6.test(name)) {
		throw invalid(url);
	}
	result.host = name + (result.port ? `:${result.port}` : '');
	result.hostname = v6 ? name.slice(1, -1) : name;
	if (v6 && rest[0] !== '/')
		rest = `/${rest}`;
	return rest;
}

const escapes = /[\t\n\r "'<>\\^`{|}]/g;

function takeTail(result, rest, parseQuery, protocol) {
	const hash = rest.indexOf('#');
	if (hash >= 0) {
		result.hash = rest.slice(hash);
		rest = rest.slice(0, hash);
	}
	const question = rest.indexOf('?');
	if (question >= 0) {
		result.search = rest.slice(question);
		result.query = rest.slice(question + 1);
		if (parseQuery)
			result.query = require('querystring').parse(result.query);
		rest = rest.slice(0, question);
	} else if (parseQuery) {
		result.search = null;
		result.query = { __proto__: null };
	}
	if (rest.length > 0)
		result.pathname = rest;
	if (slashed.has(protocol) && result.hostname && !result.pathname)
		result.pathname = '/';
	if (result.pathname || result.search)
		result.path = (result.pathname || '') + (result.search || '');
}

Url.prototype.parse = function (url, parseQuery, slashesDenoteHost) {
	validateString(url, 'url');
	let rest = tidy(url);
	if (!slashesDenoteHost && !rest.includes('#') && !rest.includes('@') && parsePath(this, rest, parseQuery))
		return this;
	const scheme = /^[a-z0-9.+-]+:/i.exec(rest);
	const protocol = scheme === null ? undefined : scheme[0].toLowerCase();
	if (scheme !== null) {
		this.protocol = protocol;
		rest = rest.slice(scheme[0].length);
	}
	let slashes = false;
	if (slashesDenoteHost || scheme !== null || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
		slashes = rest.startsWith('//');
		if (slashes && !(scheme !== null && hostless.has(protocol))) {
			rest = rest.slice(2);
			this.slashes = true;
		}
	}
	if (!hostless.has(protocol) && (slashes || (scheme !== null && !slashed.has(scheme[0]))))
		rest = takeHost(this, rest, url);
	if (!hostless.has(protocol))
		rest = rest.replace(escapes, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
	takeTail(this, rest, parseQuery, protocol);
	this.href = this.format();
	return this;
};

function escapeAuth(auth) {
	return encodeURIComponent(auth).replace(/%3A/g, ':');
}

Url.prototype.format = function () {
	let auth = this.auth || '';
	if (auth)
		auth = `${escapeAuth(auth)}@`;
	let protocol = this.protocol || '', pathname = this.pathname || '', hash = this.hash || '', host = '', query = '';
	if (this.host) {
		host = auth + this.host;
	} else if (this.hostname) {
		host = auth + (this.hostname.includes(':') && !/^\[.*\]$/.test(this.hostname) ? `[${this.hostname}]` : this.hostname);
		if (this.port)
			host += `:${this.port}`;
	}
	if (this.query !== null && typeof this.query === 'object')
		query = require('querystring').stringify(this.query);
	let search = this.search || (query && `?${query}`) || '';
	if (protocol && !protocol.endsWith(':'))
		protocol += ':';
	pathname = pathname.replace(/[#?]/g, (c) => c === '#' ? '%23' : '%3F');
	if (this.slashes || slashed.has(protocol)) {
		if (this.slashes || host) {
			if (pathname && pathname[0] !== '/')
				pathname = `/${pathname}`;
			host = `//${host}`;
		} else if (protocol.startsWith('file')) {
			host = '//';
		}
	}
	search = search.replaceAll('#', '%23');
	if (hash && hash[0] !== '#')
		hash = `#${hash}`;
	if (search && search[0] !== '?')
		search = `?${search}`;
	return protocol + host + pathname + search + hash;
};

Url.prototype.parseHost = function () {
	let host = this.host;
	const port = /:[0-9]*$/.exec(host);
	if (port !== null) {
		if (port[0] !== ':')
			this.port = port[0].slice(1);
		host = host.slice(0, host.length - port[0].length);
	}
	if (host)
		this.hostname = host;
};

/* ---- resolving ---- */

Url.prototype.resolve = function (relative) {
	return this.resolveObject(urlParse(relative, false, true)).format();
};

function finish(result) {
	if (result.pathname !== null || result.search !== null)
		result.path = (result.pathname ? result.pathname : '') + (result.search ? result.search : '');
	result.href = result.format();
	return result;
}

/* A relative URL that has a protocol of its own. */
function otherProtocol(result, relative) {
	if (!slashed.has(relative.protocol)) {
		Object.assign(result, relative);
		result.href = result.format();
		return result;
	}
	result.protocol = relative.protocol;
	if (!relative.host && !/^file:?$/.test(relative.protocol) && !hostless.has(relative.protocol)) {
		const parts = (relative.pathname || '').split('/');
		while (parts.length && !(relative.host = parts.shift()))
			;
		relative.host = relative.host || '';
		relative.hostname = relative.hostname || '';
		if (parts[0] !== '')
			parts.unshift('');
		if (parts.length < 2)
			parts.unshift('');
		result.pathname = parts.join('/');
	} else {
		result.pathname = relative.pathname;
	}
	result.search = relative.search;
	result.query = relative.query;
	result.host = relative.host || '';
	result.auth = relative.auth;
	result.hostname = relative.hostname || relative.host;
	result.port = relative.port;
	if (result.pathname || result.search)
		result.path = (result.pathname || '') + (result.search || '');
	result.slashes = result.slashes || relative.slashes;
	result.href = result.format();
	return result;
}

/* A host without slashes in front is a part of the path, for protocols that have none. */
function hostToPath(object, path) {
	if (object.host) {
		if (path[0] === '')
			path[0] = object.host;
		else
			path.unshift(object.host);
	}
}

function authFromHost(result) {
	const at = result.host && result.host.indexOf('@') > 0 && result.host.split('@');
	if (at) {
		result.auth = at.shift();
		result.host = result.hostname = at.shift();
	}
}

function normalizeDots(path, absolute) {
	let up = 0;
	for (let i = path.length - 1; i >= 0; i--) {
		if (path[i] === '.') {
			path.splice(i, 1);
		} else if (path[i] === '..') {
			path.splice(i, 1);
			up++;
		} else if (up) {
			path.splice(i, 1);
			up--;
		}
	}
	if (!absolute) {
		while (up--)
			path.unshift('..');
	}
}

/* Joins the paths: gives the new list, or undefined when only the query changes. */
function joinPaths(result, relative, path, relPath, relAbsolute) {
	if (relAbsolute) {
		if (relative.host || relative.host === '') {
			if (result.host !== relative.host)
				result.auth = null;
			result.host = relative.host;
			result.port = relative.port;
		}
		if (relative.hostname || relative.hostname === '') {
			if (result.hostname !== relative.hostname)
				result.auth = null;
			result.hostname = relative.hostname;
		}
		result.search = relative.search;
		result.query = relative.query;
		return relPath;
	}
	if (relPath.length) {
		path.pop();
		result.search = relative.search;
		result.query = relative.query;
		return path.concat(relPath);
	}
	if (relative.search !== null && relative.search !== undefined) {
		result.search = relative.search;
		result.query = relative.query;
		return undefined;
	}
	return path;
}

function resolvePaths(result, relative) {
	const relAbsolute = !!relative.host || (relative.pathname && relative.pathname[0] === '/');
	const hadPath = result.pathname && result.pathname[0] === '/';
	let absolute = relAbsolute || hadPath || (result.host && relative.pathname);
	const removeDots = absolute;
	const opaque = result.protocol && !slashed.has(result.protocol);
	let path = (result.pathname && result.pathname.split('/')) || [];
	const relPath = (relative.pathname && relative.pathname.split('/')) || [];
	if (opaque) {
		result.hostname = '';
		result.port = null;
		hostToPath(result, path);
		result.host = '';
		if (relative.protocol) {
			relative.hostname = null;
			relative.port = null;
			result.auth = null;
			hostToPath(relative, relPath);
			relative.host = null;
		}
		absolute = absolute && (relPath[0] === '' || path[0] === '');
	}
	const joined = joinPaths(result, relative, path, relPath, relAbsolute);
	if (joined === undefined) {
		if (opaque) {
			result.hostname = result.host = path.shift();
			authFromHost(result);
		}
		return finish(result);
	}
	path = joined;
	if (!path.length) {
		result.pathname = null;
		result.path = result.search ? `/${result.search}` : null;
		result.href = result.format();
		return result;
	}
	const last = path[path.length - 1];
	const trailing = ((result.host || relative.host || path.length > 1) && (last === '.' || last === '..')) || last === '';
	normalizeDots(path, removeDots);
	if (absolute && path[0] !== '' && (!path[0] || path[0][0] !== '/'))
		path.unshift('');
	if (trailing && path.join('/').slice(-1) !== '/')
		path.push('');
	const rooted = path[0] === '' || (path[0] && path[0][0] === '/');
	if (opaque) {
		result.hostname = result.host = rooted ? '' : path.length ? path.shift() : '';
		authFromHost(result);
	}
	absolute = absolute || (result.host && path.length);
	if (absolute && !rooted)
		path.unshift('');
	result.pathname = path.length ? path.join('/') : null;
	if (!path.length)
		result.path = null;
	result.auth = relative.auth || result.auth;
	result.slashes = result.slashes || relative.slashes;
	return finish(result);
}

Url.prototype.resolveObject = function (relative) {
	if (typeof relative === 'string')
		relative = new Url().parse(relative, false, true);
	const result = Object.assign(new Url(), this);
	result.hash = relative.hash;
	if (relative.href === '') {
		result.href = result.format();
		return result;
	}
	if (relative.slashes && !relative.protocol) {
		const { protocol } = result;
		Object.assign(result, relative, { protocol });
		if (slashed.has(result.protocol) && result.hostname && !result.pathname)
			result.path = result.pathname = '/';
		result.href = result.format();
		return result;
	}
	if (relative.protocol && relative.protocol !== result.protocol)
		return otherProtocol(result, Object.assign(new Url(), relative));
	return resolvePaths(result, Object.assign(new Url(), relative));
};

function urlParse(url, parseQueryString, slashesDenoteHost) {
	if (url instanceof Url)
		return url;
	return new Url().parse(url, parseQueryString, slashesDenoteHost);
}
Object.defineProperty(urlParse, 'name', { value: 'urlParse', configurable: true });

function urlFormat(object, options) {
	if (typeof object === 'string') {
		object = urlParse(object);
	} else if (typeof object !== 'object' || object === null) {
		throw new codes.ERR_INVALID_ARG_TYPE('urlObject', ['Object', 'string'], object);
	} else if (require('internal/url').isURL(object)) {
		const { fragment = true, unicode = false, search = true, auth = true } = options || {};
		if (options)
			validateObject(options, 'options');
		return require('internal/url_parser').serialize(require('internal/url').recordOf(object), {
			fragment: Boolean(fragment), unicode: Boolean(unicode), search: Boolean(search), auth: Boolean(auth),
		});
	}
	return Url.prototype.format.call(object);
}

Object.assign(exports, {
	Url, parse: urlParse, resolve: (source, relative) => urlParse(source, false, true).resolve(relative),
	resolveObject: (source, relative) => source ? urlParse(source, false, true).resolveObject(relative) : relative,
	format: urlFormat,
});
