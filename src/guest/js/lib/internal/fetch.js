/*
 * fetch(): one request after the other goes out to the embedding program's function, which answers each; without it there
 * is no network. data: and blob: URLs need none.
 */
'use strict';

const loop = require('internal/loop');
const offers = require('internal/offers');
const { Headers, sorted, listOf } = require('internal/fetch_headers');
const { FormData } = require('internal/fetch_form');
const { bodyOf, consume } = require('internal/fetch_body');
const { Request, Response, made, NO_BODY, stateOf } = require('internal/fetch_classes');

const REDIRECTS = [301, 302, 303, 307, 308], REDIRECTS_MAX = 20;
const BAD_PORTS = new Set([1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
	110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
	554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666,
	6667, 6668, 6669, 6679, 6697, 10080]);

/* ---- No network ---- */

function failure(message, fields) {
	return Object.assign(new Error(message), fields);
}

/* What Node is told on a machine that has no way out. */
function unreachable(url) {
	const bare = url.hostname.replace(/^\[|\]$/g, ''), port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
	const connect = { syscall: 'connect', address: bare, port };
	if (['localhost', '::1', '0.0.0.0', '::'].includes(bare) || /^127\.[\d.]+$/.test(bare)) {
		const address = bare === 'localhost' ? '127.0.0.1' : bare;
		return failure(`connect ECONNREFUSED ${address}:${port}`, { errno: -111, code: 'ECONNREFUSED', ...connect, address });
	}
	if (/^[\d.]+$/.test(bare) || bare.includes(':')) {
		const local = bare.includes(':') ? ':::0' : '0.0.0.0:0';
		return failure(`connect ENETUNREACH ${bare}:${port} - Local (${local})`, { errno: -101, code: 'ENETUNREACH', ...connect });
	}
	return failure(`getaddrinfo EAI_AGAIN ${bare}`, { errno: -3001, code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname: bare });
}

/* ---- One request ---- */

function latin1(list) {
	const text = list.length ? `${list.join('\0')}\0` : '', bytes = new Uint8Array(text.length);
	host.latin1Write(text, bytes, 0, bytes.length);
	return bytes;
}

function ask(method, url, headers, body) {
	const list = [];
	for (const [name, value] of sorted(listOf(headers)))
		list.push(name, value);
	const plain = new (require('internal/url').URL)(url.href);
	plain.hash = '';
	const answer = host.fetchOut(method, plain.href, latin1(list), body);
	if (answer === -90)
		throw offers.tooLarge(`the request to ${url.host}`);
	if (answer < 0)
		throw unreachable(url);
	const [kind, status, head, bytes] = answer;
	if (kind < 0)
		throw offers.tooLarge(`the answer of ${url.host}`);
	if (kind === 2)
		throw offers.thrown(head, bytes);
	if (!status)
		throw failure('other side closed', { code: 'UND_ERR_SOCKET' });
	return { status, head: host.latin1Decode(head, 0, head.length).split('\0'), bytes };
}

function headersFor(request, body) {
	const headers = new Headers(request.headers), defaults = {
		accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node',
	};
	for (const name of Object.keys(defaults)) {
		if (!headers.has(name))
			headers.append(name, defaults[name]);
	}
	const length = body !== null ? body.length : ['POST', 'PUT'].includes(request.method) ? 0 : -1;
	headers.delete('content-length');
	if (length >= 0)
		headers.append('content-length', `${length}`);
	return headers;
}

function toResponse(answer, hop) {
	const headers = new Headers();
	for (let i = 1; i + 1 < answer.head.length; i += 2)
		headers.append(answer.head[i], answer.head[i + 1]);
	const empty = hop.method === 'HEAD' || NO_BODY.includes(answer.status);
	const url = hop.url.href.replace(/#.*$/s, '');
	return made(empty ? null : answer.bytes, {
		status: answer.status, statusText: answer.head[0], headers, type: 'basic', url, redirected: hop.count > 0,
	});
}

/* ---- Redirects ---- */

/* The next hop, or undefined: the response is what is wanted. */
function redirected(hop, response) {
	const location = response.headers.get('location');
	if (!REDIRECTS.includes(response.status) || location === null || hop.redirect === 'manual')
		return undefined;
	if (hop.redirect === 'error')
		throw failure('unexpected redirect');
	const url = new (require('internal/url').URL)(location, hop.url);
	if (!url.hash)
		url.hash = hop.url.hash;
	if (url.protocol !== 'http:' && url.protocol !== 'https:')
		throw failure('URL scheme must be a HTTP(S) scheme');
	if (hop.count === REDIRECTS_MAX)
		throw failure('redirect count exceeded');
	const next = { ...hop, url, count: hop.count + 1, headers: new Headers(hop.headers) };
	const { status } = response;
	if ((status <= 302 && hop.method === 'POST') || (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD')) {
		next.method = 'GET';
		next.body = null;
		for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'])
			next.headers.delete(name);
	}
	if (url.origin !== hop.url.origin) {
		for (const name of ['authorization', 'proxy-authorization', 'cookie', 'host'])
			next.headers.delete(name);
	}
	return next;
}

function checkIntegrity(integrity, bytes) {
	const all = [...integrity.matchAll(/(?:^|\s)(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+={0,2})/g)];
	if (!all.length)
		return;
	const best = all.map(one => one[1]).sort().pop();
	const made = require('crypto').createHash(best).update(bytes).digest('base64').replace(/=+$/, '');
	if (!all.some(one => one[1] === best && one[2].replace(/-/g, '+').replace(/_/g, '/').replace(/=+$/, '') === made))
		throw failure('integrity mismatch');
}

function overHttp(request, body) {
	let hop = {
		method: request.method, url: stateOf(request).url, headers: headersFor(request, body), body, redirect: request.redirect, count: 0,
	};
	for (;;) {
		if (BAD_PORTS.has(Number(hop.url.port)) && hop.url.port !== '')
			throw failure('bad port');
		if (!offers.fetch)
			throw unreachable(hop.url);
		const answer = ask(hop.method, hop.url, hop.headers, hop.body);
		const response = toResponse(answer, hop), next = redirected(hop, response);
		if (next === undefined) {
			checkIntegrity(request.integrity, answer.bytes);
			return response;
		}
		hop = next;
	}
}

/* ---- What needs no network ---- */

function percentBytes(text) {
	const bytes = host.utf8Encode(text), out = new Uint8Array(bytes.length);
	let n = 0;
	for (let i = 0; i < bytes.length; i++) {
		const hex = bytes[i] === 0x25 ? host.latin1Decode(bytes, i + 1, i + 3) : '';
		if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
			out[n++] = parseInt(hex, 16);
			i += 2;
		} else {
			out[n++] = bytes[i];
		}
	}
	return out.subarray(0, n);
}

function ownResponse(bytes, type, url, names = ['Content-Type']) {
	const headers = new Headers();
	for (const name of names)
		headers.append(name, name === 'Content-Type' ? type : `${bytes.length}`);
	return made(bytes, { status: 200, statusText: 'OK', headers, type: 'basic', url: url.href.replace(/#.*$/s, ''), redirected: false });
}

function overData(url) {
	const comma = url.href.replace(/#.*$/s, '').indexOf(',');
	if (comma < 0)
		throw failure('invalid data: URL');
	const text = url.href.replace(/#.*$/s, '');
	let type = text.slice(5, comma).trim(), bytes = percentBytes(text.slice(comma + 1));
	if (/;\s*base64$/i.test(type)) {
		type = type.replace(/;\s*base64$/i, '');
		const plain = host.latin1Decode(bytes, 0, bytes.length).replace(/[\t\n\f\r ]/g, '');
		if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.replace(/=+$/, '').length % 4 === 1)
			throw failure('invalid data: URL');
		bytes = new Uint8Array(Math.floor(plain.replace(/=+$/, '').length * 3 / 4));
		host.base64Write(plain, bytes, 0, bytes.length);
	}
	if (type.startsWith(';'))
		type = `text/plain${type}`;
	return ownResponse(bytes, /^[^\s/;]+\/[^\s/;]+/.test(type) ? type : 'text/plain;charset=US-ASCII', url);
}

async function overBlob(url) {
	const { resolveObjectURL } = require('buffer');
	const blob = typeof resolveObjectURL === 'function' ? resolveObjectURL(url.href) : undefined;
	if (blob === undefined)
		throw failure('invalid method');
	return ownResponse(new Uint8Array(await blob.arrayBuffer()), blob.type, url, ['Content-Length', 'Content-Type']);
}

function answerTo(request, body) {
	const { url } = stateOf(request);
	switch (url.protocol) {
	case 'http:': case 'https:': return overHttp(request, body);
	case 'data:': return overData(url);
	case 'blob:': return overBlob(url);
	case 'about:': throw failure('about scheme is not supported');
	case 'file:': throw failure('not implemented... yet...');
	default: throw failure('unknown scheme');
	}
}

/* ---- fetch ---- */

function later() {
	return new Promise(resolve => { loop.defer(resolve); });
}

/* Rejects as soon as the signal is aborted. */
function untilAborted(signal, work) {
	return new Promise((resolve, reject) => {
		if (signal.aborted) {
			reject(signal.reason);
			return;
		}
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
		work.then(resolve, reject);
	});
}

async function perform(request) {
	const body = bodyOf(request) === null ? null : await consume(request);
	await later();
	if (request.signal.aborted)
		return undefined;
	try {
		return await answerTo(request, body);
	} catch (cause) {
		throw new TypeError('fetch failed', { cause });
	}
}

async function fetch(input, init = undefined) {
	const request = new Request(input, init);
	if (request.signal.aborted)
		throw request.signal.reason;
	return untilAborted(request.signal, perform(request));
}

/* One parameter is not optional. */
Object.defineProperty(fetch, 'length', { value: 1, configurable: true });

Object.assign(exports, { fetch, Headers, Request, Response, FormData });
