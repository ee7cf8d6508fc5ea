/* Request and Response. */
'use strict';

const { Headers, needs, byteString, isToken, illegal, interfaceOf, fill, listOf } = require('internal/fetch_headers');
const { bodies, extract, bodyOf, isStream, isUsed, cloneBody, mixin } = require('internal/fetch_body');
const { AbortController, AbortSignal } = require('internal/abort');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const URL_ = () => require('internal/url').URL;

function parse(url, text = url) {
	try {
		return new (URL_())(`${url}`);
	} catch (cause) {
		throw new TypeError(`Failed to parse URL from ${text}`, { cause });
	}
}

function dictionary(init) {
	if (init !== null && init !== undefined && typeof init !== 'object' && typeof init !== 'function')
		throw new TypeError(`undefined: Expected ${String(init)} to be one of: Null, Undefined, Object.`);
	return init ?? {};
}

function showAs(self, name, fields, depth, options, inspect) {
	if (depth < 0)
		return self;
	return `${name} ${inspect(fields, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
}

function stateIn(states, self) {
	const state = self !== null && typeof self === 'object' ? states.get(self) : undefined;
	if (state === undefined)
		throw illegal();
	return state;
}

/* Sets the body, and its type where the headers have none. */
function setBody(owner, value, headers) {
	if (value === null || value === undefined) {
		bodies.set(owner, null);
		return;
	}
	const [body, type] = extract(value);
	bodies.set(owner, body);
	if (type !== null && !headers.has('content-type'))
		headers.append('content-type', type);
}

/* ---- Request ---- */

const requests = new WeakMap();
const NORMAL = { delete: 'DELETE', get: 'GET', head: 'HEAD', options: 'OPTIONS', post: 'POST', put: 'PUT' };
const FORBIDDEN = /^(?:CONNECT|TRACE|TRACK)$/i;
const CHOICES = {
	redirect: ['follow', 'manual', 'error'], mode: ['same-origin', 'cors', 'no-cors', 'navigate', 'websocket'],
	credentials: ['omit', 'same-origin', 'include'],
	cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
	referrerPolicy: ['', 'no-referrer', 'no-referrer-when-downgrade', 'same-origin', 'origin', 'strict-origin',
		'origin-when-cross-origin', 'strict-origin-when-cross-origin', 'unsafe-url'],
};

function methodOf(method) {
	const text = byteString(method);
	if (!isToken(text))
		throw new TypeError(`'${text}' is not a valid HTTP method.`);
	if (FORBIDDEN.test(text))
		throw new TypeError(`'${text}' HTTP method is unsupported.`);
	if (text === 'patch' && !methodOf.warned) {
		methodOf.warned = true;
		require('internal/process').process.emitWarning('Using `patch` is highly likely to result in a `405 Method Not Allowed`. ' +
			'`PATCH` is much more likely to succeed.', { code: 'UNDICI-FETCH-patch' });
	}
	return NORMAL[text.toLowerCase()] ?? text;
}

function applyChoices(state, init) {
	for (const key of Object.keys(CHOICES)) {
		if (init[key] === undefined)
			continue;
		const value = `${init[key]}`;
		if (!CHOICES[key].includes(value)) {
			throw new TypeError(`Request constructor: ${value} is not an accepted type. ` +
				`Expected one of ${CHOICES[key].join(', ')}.`);
		}
		state[key] = value;
	}
	if (state.mode === 'navigate')
		throw new TypeError('Request constructor: invalid request mode navigate.');
	if (state.cache === 'only-if-cached' && state.mode !== 'same-origin')
		throw new TypeError("'only-if-cached' can be set only with 'same-origin' mode");
	if (init.integrity !== undefined)
		state.integrity = `${init.integrity}`;
	if (init.keepalive !== undefined)
		state.keepalive = Boolean(init.keepalive);
	if (init.duplex !== undefined && init.duplex !== 'half') {
		throw new TypeError(`Request constructor: ${init.duplex} is not an accepted type. Expected one of half.`);
	}
}

function signalOf(own, init) {
	const given = init.signal !== undefined ? init.signal : own;
	if (given === null || given === undefined)
		return new AbortController().signal;
	if (typeof given !== 'object' || typeof given.aborted !== 'boolean' || typeof given.addEventListener !== 'function')
		throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
	return AbortSignal.any([given]);
}

const DEFAULTS = {
	method: 'GET', redirect: 'follow', mode: 'cors', credentials: 'same-origin', cache: 'default', referrer: 'about:client',
	referrerPolicy: '', integrity: '', keepalive: false,
};

function bodyFor(request, input, init, state) {
	const own = init.body !== undefined && init.body !== null;
	const has = own || (input instanceof Request && init.body === undefined && bodyOf(input) !== null);
	if (has && (state.method === 'GET' || state.method === 'HEAD'))
		throw new TypeError('Request with GET/HEAD method cannot have body.');
	if (own) {
		const streams = isStream(init.body) || (typeof init.body === 'object' && typeof init.body[Symbol.asyncIterator] === 'function');
		if (streams && init.duplex === undefined)
			throw new TypeError('RequestInit: duplex option is required when sending a body.');
		setBody(request, init.body, state.headers);
	} else if (has) {
		if (isUsed(bodyOf(input)))
			throw new TypeError('Cannot construct a Request with a Request object that has already been used.');
		bodies.set(request, { ...bodyOf(input) });
		bodyOf(input).used = true;
	} else {
		bodies.set(request, null);
	}
}

class Request {
	constructor(input, init = {}) {
		needs(arguments, 1, 'Request constructor');
		init = dictionary(init);
		const from = input instanceof Request ? requests.get(input) : undefined;
		const url = from ? from.url : parse(input);
		if (!from && (url.username || url.password))
			throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
		const state = { ...DEFAULTS, ...from, url };
		applyChoices(state, init);
		if (init.method !== undefined)
			state.method = methodOf(init.method);
		if (init.referrer !== undefined)
			state.referrer = `${init.referrer}`;
		state.signal = signalOf(from?.signal, init);
		state.headers = new Headers(init.headers !== undefined ? undefined : from?.headers);
		if (init.headers !== undefined)
			fill(state.headers, init.headers, 'Headers constructor');
		requests.set(this, state);
		bodyFor(this, input, init, state);
	}
	get method() { return stateIn(requests, this).method; }
	get url() { return stateIn(requests, this).url.href; }
	get headers() { return stateIn(requests, this).headers; }
	get destination() { stateIn(requests, this); return ''; }
	get referrer() { return stateIn(requests, this).referrer; }
	get referrerPolicy() { return stateIn(requests, this).referrerPolicy; }
	get mode() { return stateIn(requests, this).mode; }
	get credentials() { return stateIn(requests, this).credentials; }
	get cache() { return stateIn(requests, this).cache; }
	get redirect() { return stateIn(requests, this).redirect; }
	get integrity() { return stateIn(requests, this).integrity; }
	get keepalive() { return stateIn(requests, this).keepalive; }
	get isReloadNavigation() { stateIn(requests, this); return false; }
	get isHistoryNavigation() { stateIn(requests, this); return false; }
	get signal() { return stateIn(requests, this).signal; }
	get duplex() { stateIn(requests, this); return 'half'; }
	clone() {
		const state = stateIn(requests, this), body = cloneBody(this, 'Request.clone');
		const made = new Request(this.url);
		requests.set(made, { ...state, headers: new Headers(state.headers), signal: signalOf(state.signal, {}) });
		bodies.set(made, body);
		return made;
	}
	[inspectSymbol](depth, options, inspect) {
		const fields = {};
		for (const key of ['method', 'url', 'headers', 'destination', 'referrer', 'referrerPolicy', 'mode', 'credentials', 'cache',
			'redirect', 'integrity', 'keepalive', 'isReloadNavigation', 'isHistoryNavigation', 'signal'])
			fields[key] = this[key];
		return showAs(this, 'Request', fields, depth, options, inspect);
	}
}
mixin(Request, request => stateIn(requests, request).headers);
interfaceOf(Request, ['method', 'url', 'headers', 'redirect', 'clone', 'signal', 'duplex', 'destination', 'body', 'bodyUsed',
	'isHistoryNavigation', 'isReloadNavigation', 'keepalive', 'integrity', 'cache', 'credentials', 'referrerPolicy', 'referrer', 'mode']);

/* ---- Response ---- */

const responses = new WeakMap();
const NO_BODY = [101, 103, 204, 205, 304];

function statusOf(status) {
	const number = Number(status);
	if (!Number.isFinite(number) || number < 200 || number > 599)
		throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
	return Math.trunc(number);
}

function begin(response, body, init) {
	const state = { status: 200, statusText: '', headers: new Headers(), type: 'default', url: '', redirected: false };
	if (init.status !== undefined)
		state.status = statusOf(init.status);
	if (init.statusText !== undefined) {
		state.statusText = byteString(init.statusText);
		if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(state.statusText))
			throw new TypeError('Invalid statusText');
	}
	if (init.headers !== undefined && init.headers !== null)
		fill(state.headers, init.headers, 'Headers constructor');
	responses.set(response, state);
	if (body !== null && NO_BODY.includes(state.status))
		throw new TypeError(`Response constructor: Invalid response status code ${state.status}`);
	setBody(response, body, state.headers);
}

class Response {
	constructor(body = null, init = {}) {
		begin(this, body, dictionary(init));
	}
	static error() {
		return made(null, { status: 0, statusText: '', headers: new Headers(), type: 'error', url: '', redirected: false });
	}
	static json(data, init = {}) {
		needs(arguments, 1, 'Response.json');
		const text = JSON.stringify(data);
		if (text === undefined)
			throw new TypeError('Value is not JSON serializable');
		const response = new Response(host.utf8Encode(text), init), { headers } = responses.get(response);
		if (!headers.has('content-type'))
			headers.append('content-type', 'application/json');
		return response;
	}
	static redirect(url, status = 302) {
		needs(arguments, 1, 'Response.redirect');
		const { href } = parse(url);
		if (![301, 302, 303, 307, 308].includes(Number(status)))
			throw new RangeError(`Invalid status code ${status}`);
		const headers = new Headers({ location: href });
		return made(null, { status: Number(status), statusText: '', headers, type: 'default', url: '', redirected: false });
	}
	get type() { return stateIn(responses, this).type; }
	get url() { return stateIn(responses, this).url; }
	get redirected() { return stateIn(responses, this).redirected; }
	get status() { return stateIn(responses, this).status; }
	get ok() { const { status } = stateIn(responses, this); return status >= 200 && status <= 299; }
	get statusText() { return stateIn(responses, this).statusText; }
	get headers() { return stateIn(responses, this).headers; }
	clone() {
		const state = stateIn(responses, this), body = cloneBody(this, 'Response.clone');
		const copy = made(null, { ...state, headers: new Headers(state.headers) });
		bodies.set(copy, body);
		return copy;
	}
	[inspectSymbol](depth, options, inspect) {
		const fields = {};
		for (const key of ['status', 'statusText', 'headers', 'body', 'bodyUsed', 'ok', 'redirected', 'type', 'url'])
			fields[key] = this[key];
		return showAs(this, 'Response', fields, depth, options, inspect);
	}
}
mixin(Response, response => stateIn(responses, response).headers);
interfaceOf(Response, ['type', 'url', 'status', 'ok', 'redirected', 'statusText', 'headers', 'clone', 'body', 'bodyUsed']);

/* One whose headers cannot be changed. */
function made(bytes, state) {
	const response = new Response(bytes);
	listOf(state.headers).guard = 'immutable';
	responses.set(response, state);
	return response;
}

Object.assign(exports, { Request, Response, made, NO_BODY, stateOf: request => requests.get(request) });
