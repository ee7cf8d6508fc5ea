/* stream/web: the streams of the web, strategies, and streams that encode and decode text. */
'use strict';

const { codes } = require('internal/errors');
const { deferred, methodOf, attempt, show, tag } = require('internal/web_common');
const readable = require('internal/web_readable');
const writable = require('internal/web_writable');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const make = Symbol('make');

class TransformStreamDefaultController {
	#state;
	constructor(key, state) {
		if (key !== make)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		this.#state = state;
	}
	get desiredSize() { return this.#state.out.desiredSize; }
	enqueue(chunk = undefined) {
		this.#state.out.enqueue(chunk);
		if (this.#state.out.desiredSize <= 0)
			this.#state.room ??= deferred();
	}
	error(reason = undefined) {
		this.#state.out.error(reason);
		this.#state.in.error(reason);
	}
	terminate() {
		this.#state.out.close();
		this.#state.in.error(new codes.ERR_INVALID_STATE_TYPE('TransformStream terminated'));
	}
}
tag(TransformStreamDefaultController, 'desiredSize', 'enqueue', 'error', 'terminate');

class TransformStream {
	#state = { room: deferred(), in: null, out: null };
	#readable;
	#writable;
	constructor(transformer = {}, writableStrategy = {}, readableStrategy = {}) {
		const s = this.#state, controller = new TransformStreamDefaultController(make, s);
		const transform = methodOf(transformer, 'transform', 'transformer'), flush = methodOf(transformer, 'flush', 'transformer');
		const start = methodOf(transformer, 'start', 'transformer'), started = deferred();
		this.#readable = new readable.ReadableStream({
			start(out) {
				s.out = out;
				return started.promise;
			},
			pull() {
				s.room?.resolve(undefined);
				s.room = null;
			},
			cancel(reason) { s.in.error(reason); },
		}, { highWaterMark: 0, ...readableStrategy });
		this.#writable = new writable.WritableStream({
			start(one) {
				s.in = one;
				return started.promise;
			},
			async write(chunk) {
				if (s.room)
					await s.room.promise;
				try {
					await attempt(transform ?? ((value) => controller.enqueue(value)), chunk, controller);
				} catch (error) {
					s.out.error(error);
					throw error;
				}
			},
			async close() {
				try {
					await attempt(flush, controller);
				} catch (error) {
					s.out.error(error);
					throw error;
				}
				try {
					s.out.close();
				} catch {
					return;
				}
			},
			abort(reason) { s.out.error(reason); },
		}, writableStrategy);
		started.resolve(start === undefined ? undefined : start(controller));
	}
	get readable() { return this.#readable; }
	get writable() { return this.#writable; }
	[inspectSymbol](...args) {
		return show(this.constructor.name, (self) => ({
			readable: self.readable, writable: self.writable, backpressure: self.#state.room !== null,
		})).apply(this, args);
	}
}
tag(TransformStream, 'readable', 'writable');

class Strategy {
	#limit;
	constructor(options) {
		if (options === null || typeof options !== 'object')
			throw new codes.ERR_INVALID_ARG_TYPE('init', 'object', options);
		if (options.highWaterMark === undefined)
			throw new codes.ERR_MISSING_ARGS('options.highWaterMark');
		this.#limit = +options.highWaterMark;
	}
	get highWaterMark() { return this.#limit; }
	[inspectSymbol](...args) {
		return show(this.constructor.name, (self) => ({ highWaterMark: self.highWaterMark })).apply(this, args);
	}
}
const count = Object.defineProperty(() => 1, 'name', { value: 'size' });
const byteLength = Object.defineProperty((chunk) => chunk.byteLength, 'name', { value: 'size' });
class CountQueuingStrategy extends Strategy {
	get size() { return count; }
}
class ByteLengthQueuingStrategy extends Strategy {
	get size() { return byteLength; }
}
tag(CountQueuingStrategy);
tag(ByteLengthQueuingStrategy);

/* A pair of streams with something between: what TextEncoderStream and TextDecoderStream are. */
class TextStream {
	#transform;
	constructor(transformer) {
		this.#transform = new TransformStream(transformer);
	}
	get readable() { return this.#transform.readable; }
	get writable() { return this.#transform.writable; }
}

class TextEncoderStream extends TextStream {
	constructor() {
		let half = '';
		super({
			transform(chunk, controller) {
				let text = half + `${chunk}`;
				half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
				text = half ? text.slice(0, -1) : text;
				if (text !== '')
					controller.enqueue(host.utf8Encode(text));
			},
			flush(controller) {
				if (half)
					controller.enqueue(Uint8Array.of(0xEF, 0xBF, 0xBD));
			},
		});
	}
	get encoding() { return 'utf-8'; }
}

class TextDecoderStream extends TextStream {
	#decoder;
	constructor(encoding = 'utf-8', options = {}) {
		const decoder = new (require('internal/text_codec').TextDecoder)(encoding, options);
		super({
			transform(chunk, controller) {
				const text = decoder.decode(chunk, { stream: true });
				if (text !== '')
					controller.enqueue(text);
			},
			flush(controller) {
				const text = decoder.decode();
				if (text !== '')
					controller.enqueue(text);
			},
		});
		this.#decoder = decoder;
	}
	get encoding() { return this.#decoder.encoding; }
	get fatal() { return this.#decoder.fatal; }
	get ignoreBOM() { return this.#decoder.ignoreBOM; }
}
tag(TextEncoderStream);
tag(TextDecoderStream);

/* zlib's streams between the two. */
function zlibTransformer(format, makers) {
	if (!Object.hasOwn(makers, format ?? ''))
		throw new codes.ERR_INVALID_ARG_VALUE('format', format);
	const stream = require('zlib')[makers[format]]();
	let failed;
	return {
		start(controller) {
			stream.on('data', (chunk) => controller.enqueue(new Uint8Array(chunk)));
			stream.on('error', (error) => {
				failed = error;
				controller.error(error);
			});
		},
		transform: (chunk) => new Promise((resolve, reject) => { stream.write(chunk, (error) => error ? reject(error) : resolve()); }),
		flush: () => new Promise((resolve, reject) => {
			if (failed)
				reject(failed);
			stream.on('end', resolve).on('error', reject).end();
		}),
	};
}

class CompressionStream extends TextStream {
	constructor(format) {
		super(zlibTransformer(format, { gzip: 'createGzip', deflate: 'createDeflate', 'deflate-raw': 'createDeflateRaw' }));
	}
}

class DecompressionStream extends TextStream {
	constructor(format) {
		super(zlibTransformer(format, { gzip: 'createGunzip', deflate: 'createInflate', 'deflate-raw': 'createInflateRaw' }));
	}
}
tag(CompressionStream);
tag(DecompressionStream);
for (const one of [CompressionStream, DecompressionStream]) {
	Object.defineProperty(one.prototype, inspectSymbol, { configurable: true, value(depth, options, inspect) {
		return `${one.name} ${inspect({ readable: this.readable, writable: this.writable }, options)}`;
	} });
}

module.exports = {
	ReadableStream: readable.ReadableStream, ReadableStreamDefaultReader: readable.ReadableStreamDefaultReader,
	ReadableStreamBYOBReader: readable.ReadableStreamBYOBReader,
	ReadableStreamDefaultController: readable.ReadableStreamDefaultController, WritableStream: writable.WritableStream,
	WritableStreamDefaultWriter: writable.WritableStreamDefaultWriter,
	WritableStreamDefaultController: writable.WritableStreamDefaultController, TransformStream, TransformStreamDefaultController,
	ByteLengthQueuingStrategy, CountQueuingStrategy, TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream,
};
