/* WritableStream with its controller and writer. */
'use strict';

const { codes } = require('internal/errors');
const { deferred, quiet, invalidState, Queue, strategyOf, methodOf, attempt, show, tag } = require('internal/web_common');
const { validateObject } = require('internal/validators');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const states = new WeakMap();
const make = Symbol('make');

function stateOf(stream) {
	const state = stream !== null && typeof stream === 'object' ? states.get(stream) : undefined;
	if (state === undefined)
		throw new codes.ERR_INVALID_THIS('WritableStream');
	return state;
}

const desired = (s) => s.state === 'errored' || s.state === 'erroring' ? null : s.state === 'closed' ? 0 : s.limit - s.queue.size;
const closing = (s) => s.closeRequest !== null;

/* Tells the writer whether there is room. */
function updateReady(s) {
	const full = !closing(s) && s.state === 'writable' && desired(s) <= 0;
	if (full === s.full)
		return;
	s.full = full;
	if (full)
		s.ready = deferred();
	else
		s.ready.resolve(undefined);
}

function settleError(s) {
	s.state = 'errored';
	for (const { value } of s.queue.chunks) {
		if (value.request)
			value.request.reject(s.error);
	}
	s.queue.clear();
	if (s.closeRequest)
		s.closeRequest.reject(s.error);
	s.over.reject(s.error);
	quiet(s.over.promise);
	s.ready.reject(s.error);
	s.ready = deferred();
	s.ready.reject(s.error);
	quiet(s.ready.promise);
	if (s.abortRequest)
		attempt(s.abort, s.abortRequest.reason).then(() => s.abortRequest.resolve(undefined), s.abortRequest.reject);
}

/* The stream can take no more; what is being written may end first. */
function startError(s, error) {
	if (s.state !== 'writable')
		return;
	s.state = 'erroring';
	s.error = error;
	s.signal.abort(error);
	if (s.full)
		s.ready.reject(error);
	quiet(s.ready.promise);
	if (!s.busy && s.started)
		settleError(s);
}

function done(s) {
	s.busy = false;
	if (s.state === 'erroring')
		settleError(s);
	else
		advance(s);
}

function write(s, { chunk, request }) {
	attempt(s.write, chunk, s.controller).then(() => {
		s.queue.take();
		request.resolve(undefined);
		updateReady(s);
		done(s);
	}, (error) => {
		s.queue.take();
		request.reject(error);
		startError(s, error);
		done(s);
	});
}

function closeNow(s) {
	s.queue.take();
	attempt(s.close).then(() => {
		s.state = 'closed';
		s.closeRequest.resolve(undefined);
		s.over.resolve(undefined);
		s.busy = false;
		if (s.abortRequest)
			s.abortRequest.resolve(undefined);
	}, (error) => {
		s.closeRequest.reject(error);
		s.closeRequest = null;
		startError(s, error);
		done(s);
	});
}

function advance(s) {
	if (s.busy || !s.started || s.queue.chunks.length === 0 || s.state !== 'writable')
		return;
	s.busy = true;
	const { value } = s.queue.chunks[0];
	if (value.close)
		closeNow(s);
	else
		write(s, value);
}

function enqueue(s, chunk) {
	if (s.state === 'errored' || s.state === 'erroring')
		return Promise.reject(s.error);
	if (closing(s) || s.state === 'closed')
		return Promise.reject(invalidState('WritableStream is closed'));
	const request = deferred();
	try {
		s.queue.add({ chunk, request }, s.size(chunk));
	} catch (error) {
		startError(s, error);
		return Promise.reject(error);
	}
	updateReady(s);
	advance(s);
	return request.promise;
}

function close(s) {
	if (s.state === 'closed' || s.state === 'errored' || closing(s))
		return Promise.reject(s.state === 'errored' ? s.error : invalidState('Failure to close writable stream'));
	s.closeRequest = deferred();
	if (s.full) {
		s.full = false;
		s.ready.resolve(undefined);
	}
	s.queue.add({ close: true }, 0);
	advance(s);
	return s.closeRequest.promise;
}

function abort(s, reason) {
	if (s.state === 'closed' || s.state === 'errored')
		return Promise.resolve();
	if (s.abortRequest)
		return s.abortRequest.promise;
	s.abortRequest = Object.assign(deferred(), { reason });
	startError(s, reason);
	return s.abortRequest.promise;
}

class WritableStreamDefaultController {
	#state;
	constructor(key, state) {
		if (key !== make)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		this.#state = state;
	}
	get signal() { return this.#state.signal.signal; }
	error(error = undefined) { startError(this.#state, error); }
}
tag(WritableStreamDefaultController, 'signal', 'error');

class WritableStreamDefaultWriter {
	#stream;
	#state;
	constructor(stream) {
		const s = stateOf(stream);
		if (s.writer)
			throw invalidState('WritableStream is locked');
		this.#stream = stream;
		this.#state = s;
		s.writer = this;
	}
	#check() {
		if (!this.#stream)
			throw invalidState('Writer is not bound to a WritableStream');
		return this.#state;
	}
	get closed() { return this.#stream ? this.#state.over.promise : quiet(Promise.reject(invalidState('Writer was released'))); }
	get ready() { return this.#stream ? this.#state.ready.promise : quiet(Promise.reject(invalidState('Writer was released'))); }
	get desiredSize() { return desired(this.#check()); }
	async write(chunk = undefined) { return enqueue(this.#check(), chunk); }
	async close() { return close(this.#check()); }
	async abort(reason = undefined) { return abort(this.#check(), reason); }
	releaseLock() {
		if (!this.#stream)
			return;
		this.#state.writer = null;
		this.#stream = undefined;
	}
}
tag(WritableStreamDefaultWriter, 'closed', 'ready', 'desiredSize', 'abort', 'close', 'write', 'releaseLock');

class WritableStream {
	constructor(sink = {}, strategy = {}) {
		if (sink !== null)
			validateObject(sink, 'sink', { allowArray: true, allowFunction: true });
		if (sink?.type !== undefined)
			throw new codes.ERR_INVALID_ARG_VALUE('type', sink.type);
		const [size, limit] = strategyOf(strategy, 1);
		const s = {
			state: 'writable', queue: new Queue(), writer: null, error: undefined, size, limit, started: false, busy: false, full: false,
			closeRequest: null, abortRequest: null, ready: deferred(), over: deferred(),
			signal: new (require('internal/abort').AbortController)(),
			write: methodOf(sink, 'write', 'sink'), close: methodOf(sink, 'close', 'sink'), abort: methodOf(sink, 'abort', 'sink'),
		};
		states.set(this, s);
		s.ready.resolve(undefined);
		s.controller = new WritableStreamDefaultController(make, s);
		const start = methodOf(sink, 'start', 'sink');
		updateReady(s);
		Promise.resolve(start === undefined ? undefined : start(s.controller)).then(() => {
			s.started = true;
			if (s.state === 'erroring')
				settleError(s);
			else
				advance(s);
		}, (error) => {
			s.started = true;
			startError(s, error);
		});
	}
	get locked() { return stateOf(this).writer !== null; }
	async abort(reason = undefined) {
		if (this.locked)
			throw invalidState('WritableStream is locked');
		return abort(stateOf(this), reason);
	}
	async close() {
		if (this.locked)
			throw invalidState('WritableStream is locked');
		return close(stateOf(this));
	}
	getWriter() { return new WritableStreamDefaultWriter(this); }
	[inspectSymbol](...args) {
		return show(this.constructor.name, (self) => ({ locked: self.locked, state: stateOf(self).state })).apply(this, args);
	}
}
tag(WritableStream, 'locked', 'abort', 'close', 'getWriter');

exports.isWritable = (value) => value !== null && typeof value === 'object' && states.has(value);
Object.assign(exports, { WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController });
