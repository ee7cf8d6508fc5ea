/* Blob and File: bytes that do not change. */
'use strict';

const { concatBytes } = require('internal/bytes');
const { codes } = require('internal/errors');
const { types } = require('internal/types');
const { validateObject } = require('internal/validators');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const contents = new WeakMap();

function bytesOf(blob) {
	const bytes = contents.get(blob);
	if (bytes === undefined)
		throw new codes.ERR_INVALID_THIS('Blob');
	return bytes;
}

function partBytes(part, native) {
	if (types.isAnyArrayBuffer(part))
		return new Uint8Array(part.slice(0));
	if (ArrayBuffer.isView(part))
		return new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength));
	if (contents.has(part))
		return contents.get(part);
	const text = `${part}`;
	return host.utf8Encode(native ? text.replace(/\r\n?|\n/g, '\n') : text);
}

class Blob {
	#type = '';
	constructor(sources = [], options = {}) {
		if (sources === null || typeof sources[Symbol.iterator] !== 'function' || typeof sources === 'string')
			throw new codes.ERR_INVALID_ARG_TYPE('sources', 'a sequence', sources);
		validateObject(options ?? {}, 'options', { allowFunction: true, allowArray: true });
		const { type = '', endings = 'transparent' } = options ?? {};
		if (!['transparent', 'native'].includes(`${endings}`))
			throw new codes.ERR_INVALID_ARG_VALUE('options.endings', endings);
		const parts = Array.from(sources, (part) => partBytes(part, endings === 'native'));
		contents.set(this, concatBytes(parts));
		this.#type = /[^\u0020-\u007E]/.test(`${type}`) ? '' : `${type}`.toLowerCase();
	}
	get type() { return this.#type; }
	get size() { return bytesOf(this).length; }
	slice(start = 0, end = this.size, type = '') {
		const made = new Blob([], { type });
		contents.set(made, bytesOf(this).slice(start, end));
		return made;
	}
	async arrayBuffer() { return bytesOf(this).slice().buffer; }
	async bytes() { return bytesOf(this).slice(); }
	async text() {
		const bytes = bytesOf(this);
		return host.utf8Decode(bytes, 0, bytes.length).replace(/^\uFEFF/, '');
	}
	stream() {
		const bytes = bytesOf(this).slice();
		return new (require('stream/web').ReadableStream)({
			type: 'bytes',
			start(controller) {
				if (bytes.length)
					controller.enqueue(bytes);
				controller.close();
			},
		});
	}
	[inspectSymbol](depth, options, inspect) {
		if (depth < 0)
			return this;
		const deeper = { ...options, depth: options.depth == null ? null : options.depth - 1 };
		return `Blob ${inspect({ size: this.size, type: this.type }, deeper)}`;
	}
}

class File extends Blob {
	#name;
	#modified;
	constructor(bits, name, options = {}) {
		if (arguments.length < 2)
			throw new codes.ERR_MISSING_ARGS('fileBits', 'fileName');
		super(bits, options);
		this.#name = `${name}`.toWellFormed();
		this.#modified = options?.lastModified !== undefined ? Math.trunc(Number(options.lastModified)) || 0 : Date.now();
	}
	get name() { return this.#name; }
	get lastModified() { return this.#modified; }
	[inspectSymbol](depth, options, inspect) {
		if (depth < 0)
			return this;
		const deeper = { ...options, depth: options.depth == null ? null : options.depth - 1 };
		return `File ${inspect({ size: this.size, type: this.type, name: this.#name, lastModified: this.#modified }, deeper)}`;
	}
}

for (const [Class, names] of [[Blob, ['size', 'type', 'slice', 'stream', 'text', 'arrayBuffer', 'bytes']], [File, ['name', 'lastModified']]]) {
	names.forEach((name) => Object.defineProperty(Class.prototype, name, { enumerable: true }));
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
}

exports.Blob = Blob;
exports.File = File;
