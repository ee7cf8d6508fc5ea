/* ReadableStream with its controller and readers. */
'use strict';

const { codes } = require('internal/errors');
const { deferred, quiet, invalidState, Queue, strategyOf, methodOf, attempt, show, tag } = require('internal/web_common');
const { validateObject, validateAbortSignal } = require('internal/validators');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/* Of each stream: state, queue, controller, reader, and what the source offers. */
const states = new WeakMap();
const make = Symbol('make');

function stateOf(stream, name = 'ReadableStream') {
	const state = stream !== null && typeof stream === 'object' ? states.get(stream) : undefined;
	if (state === undefined)
		throw new codes.ERR_INVALID_THIS(name);
	return state;
}

const desired = (s) => s.state === 'errored' ? null : s.state === 'closed' ? 0 : s.limit - s.queue.size;

function shouldPull(s) {
	if (s.state !== 'readable' || s.closing || !s.started)
		return false;
	return (s.reader !== null && s.requests.length > 0) || desired(s) > 0;
}

function pull(s) {
	if (!shouldPull(s))
		return;
	if (s.pulling) {
		s.pullAgain = true;
		return;
	}
	s.pulling = true;
	attempt(s.pull, s.controller).then(() => {
		s.pulling = false;
		if (s.pullAgain) {
			s.pullAgain = false;
			pull(s);
		}
	}, (error) => fail(s, error));
}

function finish(s) {
	s.state = 'closed';
	s.requests.splice(0).forEach((request) => request.resolve({ value: undefined, done: true }));
	if (s.reader)
		s.reader.over.resolve(undefined);
	s.pull = s.cancel = undefined;
}

function fail(s, error) {
	if (s.state !== 'readable')
		return;
	s.state = 'errored';
	s.error = error;
	s.queue.clear();
	s.requests.splice(0).forEach((request) => request.reject(error));
	if (s.reader) {
		s.reader.over.reject(error);
		quiet(s.reader.over.promise);
	}
}

/* The next chunk as { value, done }. */
function read(s) {
	s.disturbed = true;
	if (s.state === 'closed')
		return Promise.resolve({ value: undefined, done: true });
	if (s.state === 'errored')
		return Promise.reject(s.error);
	if (s.queue.chunks.length > 0) {
		const value = s.queue.take();
		if (s.closing && s.queue.chunks.length === 0)
			finish(s);
		else
			pull(s);
		return Promise.resolve({ value, done: false });
	}
	const request = deferred();
	s.requests.push(request);
	pull(s);
	return request.promise;
}

function cancel(s, reason) {
	s.disturbed = true;
	if (s.state === 'closed')
		return Promise.resolve();
	if (s.state === 'errored')
		return Promise.reject(s.error);
	const fn = s.cancel;
	s.queue.clear();
	finish(s);
	return attempt(fn, reason).then(() => undefined);
}

class ReadableStreamDefaultController {
	#state;
	constructor(key, state) {
		if (key !== make)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		this.#state = state;
	}
	get desiredSize() { return desired(this.#state); }
	get byobRequest() { return null; }
	close() {
		const s = this.#state;
		if (s.closing || s.state !== 'readable')
			throw invalidState('Controller is already closed');
		s.closing = true;
		if (s.queue.chunks.length === 0)
			finish(s);
	}
	enqueue(chunk = undefined) {
		const s = this.#state;
		if (s.closing || s.state !== 'readable')
			throw invalidState('Controller is already closed');
		if (s.bytes && !ArrayBuffer.isView(chunk))
			throw new codes.ERR_INVALID_ARG_TYPE('chunk', ['Buffer', 'TypedArray', 'DataView'], chunk);
		if (s.reader && s.requests.length > 0) {
			s.requests.shift().resolve({ value: chunk, done: false });
		} else {
			try {
				s.queue.add(chunk, s.size(chunk));
			} catch (error) {
				fail(s, error);
				throw error;
			}
		}
		pull(s);
	}
	error(error = undefined) { fail(this.#state, error); }
}
tag(ReadableStreamDefaultController, 'close', 'desiredSize', 'enqueue', 'error');

class ReadableStreamDefaultReader {
	#stream;
	#reader;
	constructor(stream) {
		const s = stateOf(stream);
		if (s.reader)
			throw invalidState('ReadableStream is locked');
		this.#stream = stream;
		this.#reader = s.reader = { over: deferred() };
		if (s.state === 'closed')
			this.#reader.over.resolve(undefined);
		else if (s.state === 'errored')
			this.#reader.over.reject(s.error);
		quiet(this.#reader.over.promise);
	}
	get closed() { return this.#reader.over.promise; }
	read(view = undefined) {
		if (!this.#stream)
			return Promise.reject(invalidState('The reader is not attached to a stream'));
		const result = read(stateOf(this.#stream));
		return view === undefined ? result : result.then((one) => intoView(one, view));
	}
	cancel(reason = undefined) {
		if (!this.#stream)
			return Promise.reject(invalidState('The reader is not attached to a stream'));
		return cancel(stateOf(this.#stream), reason);
	}
	releaseLock() {
		if (!this.#stream)
			return;
		const s = stateOf(this.#stream), error = invalidState('Reader released');
		s.requests.splice(0).forEach((request) => request.reject(error));
		s.reader = null;
		if (s.state === 'readable') {
			this.#reader.over.reject(invalidState('Reader released'));
		} else {
			this.#reader.over = deferred();
			this.#reader.over.reject(invalidState('Reader released'));
		}
		quiet(this.#reader.over.promise);
		this.#stream = undefined;
	}
}
tag(ReadableStreamDefaultReader, 'cancel', 'closed', 'read', 'releaseLock');

/* A reader with its own buffers: the chunk is copied into the view. */
function intoView({ value, done }, view) {
	if (done)
		return { value: new view.constructor(view.buffer, view.byteOffset, 0), done };
	const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength), count = Math.min(bytes.length, target.length);
	target.set(bytes.subarray(0, count));
	return { value: new view.constructor(view.buffer, view.byteOffset, count / (view.BYTES_PER_ELEMENT || 1)), done };
}

class ReadableStreamBYOBReader extends ReadableStreamDefaultReader {
	constructor(stream) {
		if (!stateOf(stream).bytes)
			throw new codes.ERR_INVALID_ARG_VALUE('stream', stream, 'must be a byte stream');
		super(stream);
	}
}
tag(ReadableStreamBYOBReader);

class ReadableStream {
	constructor(source = {}, strategy = {}) {
		validateObject(source, 'source', { allowArray: true, allowFunction: true });
		const bytes = `${source.type}` === 'bytes';
		if (source.type !== undefined && !bytes)
			throw new codes.ERR_INVALID_ARG_VALUE('source.type', source.type);
		const [size, limit] = strategyOf(strategy, bytes ? 0 : 1);
		const s = {
			state: 'readable', queue: new Queue(), requests: [], reader: null, error: undefined, disturbed: false, bytes, limit,
			size: bytes ? (chunk) => chunk.byteLength : size, started: false, closing: false, pulling: false, pullAgain: false,
			pull: methodOf(source, 'pull', 'source'), cancel: methodOf(source, 'cancel', 'source'),
		};
		states.set(this, s);
		s.controller = new ReadableStreamDefaultController(make, s);
		const start = methodOf(source, 'start', 'source');
		const started = start === undefined ? undefined : start(s.controller);
		Promise.resolve(started).then(() => {
			s.started = true;
			pull(s);
		}, (error) => fail(s, error));
	}
	static from(iterable) {
		const method = iterable?.[Symbol.asyncIterator] ?? iterable?.[Symbol.iterator];
		if (typeof method !== 'function')
			throw new codes.ERR_ARG_NOT_ITERABLE(iterable);
		const iterator = method.call(iterable);
		return new ReadableStream({
			async pull(controller) {
				const { value, done } = await iterator.next();
				if (done)
					controller.close();
				else
					controller.enqueue(await value);
			},
			async cancel(reason) { await iterator.return?.(reason); },
		}, { highWaterMark: 0 });
	}
	get locked() { return stateOf(this).reader !== null; }
	cancel(reason = undefined) {
		const s = stateOf(this);
		return s.reader ? Promise.reject(invalidState('ReadableStream is locked')) : cancel(s, reason);
	}
	getReader(options = {}) {
		stateOf(this);
		validateObject(options, 'options', { nullable: true, allowArray: true, allowFunction: true });
		if (options?.mode === undefined)
			return new ReadableStreamDefaultReader(this);
		if (`${options.mode}` !== 'byob')
			throw new codes.ERR_INVALID_ARG_VALUE('options.mode', options.mode);
		return new ReadableStreamBYOBReader(this);
	}
	pipeThrough(transform, options = {}) {
		const { readable, writable } = transform ?? {};
		if (!isReadable(readable))
			throw new codes.ERR_INVALID_ARG_TYPE('transform.readable', 'ReadableStream', readable);
		if (this.locked)
			throw invalidState('The ReadableStream is locked');
		quiet(this.pipeTo(writable, options));
		return readable;
	}
	async pipeTo(target, options = {}) {
		const { isWritable } = require('internal/web_writable');
		if (!isWritable(target))
			throw new codes.ERR_INVALID_ARG_TYPE('transform.writable', 'WritableStream', target);
		const { preventAbort, preventCancel, preventClose, signal } = options ?? {};
		validateAbortSignal(signal, 'options.signal');
		if (this.locked)
			throw invalidState('The ReadableStream is locked');
		if (target.locked)
			throw invalidState('The WritableStream is locked');
		return pipe(this.getReader(), target.getWriter(), { preventAbort, preventCancel, preventClose, signal });
	}
	tee() { return tee(this); }
	async* #iterate(preventCancel) {
		const reader = this.getReader();
		let finished = false;
		try {
			for (;;) {
				const { value, done } = await reader.read();
				finished = done;
				if (done)
					return;
				yield value;
			}
		} catch (error) {
			finished = true;
			throw error;
		} finally {
			if (!finished && !preventCancel)
				await reader.cancel();
			reader.releaseLock();
		}
	}
	values(options = {}) { return this.#iterate(!!options?.preventCancel); }
	[Symbol.asyncIterator](options) { return this.values(options); }
	[inspectSymbol](...args) {
		return show(this.constructor.name, (self) => {
			const s = stateOf(self);
			return { locked: self.locked, state: s.state, supportsBYOB: s.bytes };
		}).apply(this, args);
	}
}
tag(ReadableStream, 'locked', 'cancel', 'getReader', 'pipeThrough', 'pipeTo', 'tee', 'values');

async function pipe(reader, writer, { preventAbort, preventCancel, preventClose, signal }) {
	let aborted, onAbort;
	if (signal) {
		aborted = new Promise((resolve, reject) => {
			onAbort = () => reject(signal.reason);
			if (signal.aborted)
				onAbort();
			else
				signal.addEventListener('abort', onAbort, { once: true });
		});
		quiet(aborted);
	}
	const wait = (promise) => aborted ? Promise.race([promise, aborted]) : promise;
	let stage = 'write';
	try {
		for (;;) {
			await wait(writer.ready);
			stage = 'read';
			const { value, done } = await wait(reader.read());
			if (done)
				break;
			stage = 'write';
			quiet(writer.write(value));
		}
		if (!preventClose)
			await writer.close();
	} catch (error) {
		if ((stage === 'read' || signal?.aborted) && !preventAbort)
			await quiet(writer.abort(error));
		if ((stage === 'write' || signal?.aborted) && !preventCancel)
			await quiet(reader.cancel(error));
		throw error;
	} finally {
		if (signal)
			signal.removeEventListener('abort', onAbort);
		reader.releaseLock();
		writer.releaseLock();
	}
}

/* Two streams that both get every chunk. */
function tee(stream) {
	const reader = stream.getReader(), branches = [], cancelled = [false, false], over = deferred(), reasons = [];
	let reading = null;
	const step = () => {
		reading ??= reader.read().then(({ value, done }) => {
			reading = null;
			branches.forEach((controller, i) => {
				if (!cancelled[i])
					done ? controller.close() : controller.enqueue(value);
			});
		}, (error) => {
			branches.forEach((controller) => controller.error(error));
		});
		return reading;
	};
	return [0, 1].map((i) => new ReadableStream({
		start(controller) { branches[i] = controller; },
		pull: step,
		cancel(reason) {
			cancelled[i] = true;
			reasons[i] = reason;
			if (cancelled[1 - i])
				over.resolve(reader.cancel(reasons));
			return over.promise;
		},
	}));
}

const isReadable = (value) => value !== null && typeof value === 'object' && states.has(value);

Object.assign(exports, { ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader, ReadableStreamDefaultController, isReadable });
exports.isDisturbed = (stream) => stateOf(stream).disturbed;
