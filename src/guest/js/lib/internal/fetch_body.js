/* The body of a Request or a Response: bytes that are there, or a stream of them. */
'use strict';

const { concatBytes } = require('internal/bytes');
const { illegal } = require('internal/fetch_headers');
const { Blob } = require('internal/blob');
const form = require('internal/fetch_form');

const bodies = new WeakMap();	/* { bytes, source, stream, used } or null for none */

const isStream = value => value !== null && typeof value === 'object' && host.has('stream/web') &&
	value instanceof require('stream/web').ReadableStream;

/* What `new Response(value)` means: [body, content type or null]. */
function extract(value) {
	const body = { bytes: null, source: null, stream: null, used: false };
	let type = null;
	if (value instanceof Blob) {
		body.source = { [Symbol.asyncIterator]: async function* () { yield new Uint8Array(await value.arrayBuffer()); } };
		body.blob = value;
		type = value.type || null;
	} else if (value instanceof form.FormData) {
		const [blob, t] = form.encode(value);
		return [extract(blob)[0], t];
	} else if (ArrayBuffer.isView(value)) {
		body.bytes = new Uint8Array(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength));
	} else if (value instanceof ArrayBuffer) {
		body.bytes = new Uint8Array(value.slice(0));
	} else if (isStream(value)) {
		if (value.locked)
			throw new TypeError('Response body object should not be disturbed or locked');
		body.stream = body.source = value;
	} else if (typeof value === 'object' && value !== null && typeof value[Symbol.asyncIterator] === 'function') {
		body.source = value;
	} else {
		body.bytes = host.utf8Encode(`${value}`);
		type = host.has('internal/url_params') && value instanceof require('internal/url_params').URLSearchParams ?
			'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8';
	}
	return [body, type];
}

const isUsed = body => body !== null && (body.used || Boolean(body.stream?.locked && body.taken));

function asBytes(chunk) {
	if (chunk instanceof Uint8Array)
		return chunk;
	if (ArrayBuffer.isView(chunk))
		return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
	throw new TypeError('Received non-Uint8Array chunk');
}

async function collect(source) {
	const parts = [];
	for await (const chunk of source)
		parts.push(asBytes(chunk));
	return concatBytes(parts);
}

/* All of it, once. */
async function consume(owner) {
	const body = bodyOf(owner);
	if (body === null)
		return new Uint8Array(0);
	if (body.used)
		throw new TypeError('Body is unusable: Body has already been read');
	if (body.stream?.locked)
		throw new TypeError('Body is unusable: Body has already been read');
	body.used = true;
	return body.bytes !== null && body.stream === null ? body.bytes : collect(body.stream ?? body.source);
}

function bodyOf(owner) {
	const body = owner !== null && typeof owner === 'object' ? bodies.get(owner) : undefined;
	if (body === undefined)
		throw illegal();
	return body;
}

/* The stream that scripts see, made when they look. */
function streamOf(body) {
	if (body === null)
		return null;
	if (body.stream !== null)
		return body.stream;
	if (!host.has('stream/web'))
		return null;
	const iterator = (body.bytes !== null ? [body.bytes] : body.source)[body.bytes !== null ? Symbol.iterator : Symbol.asyncIterator]();
	const wasUsed = body.used;
	return body.stream = new (require('stream/web').ReadableStream)({
		type: 'bytes',
		start(controller) {
			if (wasUsed)
				controller.close();
		},
		async pull(controller) {
			const { value, done } = await iterator.next();
			body.used = true;
			if (done) {
				controller.close();
				controller.byobRequest?.respond(0);
			} else if (value.length) {
				controller.enqueue(new Uint8Array(value));
			}
		},
		cancel() { body.used = true; },
	}, { highWaterMark: 0 });
}

/* Two that say the same. */
function cloneBody(owner, what) {
	const body = bodyOf(owner);
	if (body === null)
		return null;
	if (isUsed(body) || body.stream?.locked)
		throw new TypeError(`${what}: Body has already been consumed.`);
	if (body.bytes !== null)
		return { bytes: body.bytes, source: null, stream: null, used: false };
	if (body.blob)
		return extract(body.blob)[0];
	const [a, b] = streamOf(body).tee();
	body.stream = body.source = a;
	return { bytes: null, source: b, stream: b, used: false };
}

/* The methods that both classes have. */
function mixin(Class, headersOf) {
	Object.defineProperties(Class.prototype, Object.getOwnPropertyDescriptors({
		get body() { return streamOf(bodyOf(this)); },
		get bodyUsed() { return isUsed(bodyOf(this)); },
		async blob() {
			const type = headersOf(this)?.get('content-type') ?? '';
			return new Blob([await consume(this)], { type });
		},
		async arrayBuffer() {
			const bytes = await consume(this);
			return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
		},
		async text() {
			const bytes = await consume(this);
			return host.utf8Decode(bytes, 0, bytes.length).replace(/^\uFEFF/, '');
		},
		async json() {
			const bytes = await consume(this);
			return JSON.parse(host.utf8Decode(bytes, 0, bytes.length).replace(/^\uFEFF/, ''));
		},
		async formData() {
			const type = headersOf(this).get('content-type');
			const made = form.decode(await consume(this), type);
			if (made === undefined)
				throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
			return made;
		},
		async bytes() { return new Uint8Array(await consume(this)); },
	}));
}

Object.assign(exports, { bodies, extract, bodyOf, consume, isStream, isUsed, cloneBody, mixin });
