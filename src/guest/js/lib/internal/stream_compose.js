/* stream.compose() and Duplex.from(): one duplex out of functions, iterables, promises and pairs of streams. */
'use strict';

const { codes } = require('internal/errors');
const { nextTick, destroyer } = require('internal/stream_destroy');
const { finished, isNode, isIterable } = require('internal/stream_end');
const { Duplex, PassThrough } = require('internal/stream_duplex');
const { Readable } = require('internal/stream_readable');

/* The callback that waits under a name, which then waits no more. */
function takeWaiting(waiting, name, ...args) {
	const callback = waiting[name];
	waiting[name] = null;
	if (callback)
		callback(...args);
	return !!callback;
}

function over(made, waiting, error) {
	if (!takeWaiting(waiting, 'close', error) && error)
		made.destroy(error);
}

function connectWritable(made, writable, readable, waiting) {
	finished(writable, { readable: false }, (error) => {
		if (error && readable)
			destroyer(readable, error);
		if (!takeWaiting(waiting, 'finish', error) && error)
			over(made, waiting, error);
	});
	made._write = (chunk, encoding, callback) => {
		if (writable.write(chunk, encoding))
			callback();
		else
			waiting.drain = callback;
	};
	made._final = (callback) => {
		writable.end();
		waiting.finish = callback;
	};
	writable.on('drain', () => takeWaiting(waiting, 'drain'));
}

function connectReadable(made, readable, waiting) {
	finished(readable, { writable: false }, (error) => {
		if (error)
			over(made, waiting, error);
	});
	readable.on('readable', () => takeWaiting(waiting, 'readable'));
	readable.on('end', () => made.push(null));
	made._read = () => {
		for (;;) {
			const chunk = readable.read();
			if (chunk === null) {
				waiting.readable = made._read;
				return;
			}
			if (!made.push(chunk))
				return;
		}
	};
}

/* A duplex that writes into one stream and reads from another. */
function pairOf(writable, readable) {
	const made = new Duplex({
		readableObjectMode: !!(readable && readable.readableObjectMode), writableObjectMode: !!(writable && writable.writableObjectMode),
		readable: !!readable, writable: !!writable, autoDestroy: true,
	});
	const waiting = { drain: null, finish: null, close: null, readable: null };
	if (writable)
		connectWritable(made, writable, readable, waiting);
	if (readable)
		connectReadable(made, readable, waiting);
	made._destroy = (error, callback) => {
		waiting.drain = waiting.finish = waiting.readable = null;
		for (const one of [writable, readable]) {
			if (one)
				destroyer(one, error);
		}
		nextTick(callback, error);
	};
	return made;
}

/* A function of an asynchronous iterable: what it is given is what is written. */
function fromFunction(fn, name) {
	const input = new PassThrough({ objectMode: true });
	const output = fn(Readable.prototype[Symbol.asyncIterator].call(input), { signal: new (require('internal/abort').AbortController)().signal });
	if (isIterable(output))
		return pairOf(input, Readable.from(output));
	if (output && typeof output.then === 'function') {
		const made = pairOf(input, null);
		output.then(() => {}, (error) => made.destroy(error));
		return made;
	}
	throw new codes.ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or AsyncFunction', name, output);
}

exports.duplexFrom = function duplexFrom(body, name) {
	if (body instanceof Duplex)
		return body;
	if (isNode(body)) {
		const reads = !!body._readableState || typeof body.read === 'function';
		return pairOf(reads ? null : body, reads ? body : null);
	}
	if (typeof body === 'function')
		return fromFunction(body, name);
	if (isIterable(body))
		return pairOf(null, Readable.from(body));
	if (body && typeof body === 'object' && (body.readable || body.writable)) {
		const side = (one) => one && (isNode(one) ? one : duplexFrom(one, name));
		return pairOf(side(body.writable), side(body.readable));
	}
	if (body && typeof body.then === 'function') {
		return pairOf(null, Readable.from((async function* () {
			const value = await body;
			if (value != null)
				yield value;
		})()));
	}
	throw new codes.ERR_INVALID_ARG_TYPE(name, ['Blob', 'ReadableStream', 'WritableStream', 'Stream', 'Iterable', 'AsyncIterable',
		'Function', '{ readable, writable } pair', 'Promise'], body);
};

exports.compose = function compose(...streams) {
	if (streams.length === 0)
		throw new codes.ERR_MISSING_ARGS('streams');
	if (streams.length === 1)
		return exports.duplexFrom(streams[0], 'streams[0]');
	const all = streams.map((one, i) => isNode(one) ? one : exports.duplexFrom(one, `streams[${i}]`));
	const head = all[0], tail = all[all.length - 1];
	const made = pairOf(head._writableState && head._writableState.writable !== false ? head : null,
		tail._readableState && tail._readableState.readable !== false ? tail : null);
	require('internal/stream_pipeline').pipeline(...all, (error) => {
		if (error)
			made.destroy(error);
	});
	return made;
};

exports.composeOnto = function (readable, stream, options) {
	if (options?.signal)
		require('internal/stream_end').addAbortSignal(options.signal, readable);
	return exports.compose(readable, stream);
};

/* Two duplexes, each of which reads what the other one is written. */
exports.duplexPair = function (options) {
	function side() {
		let callback = null;
		const made = new Duplex({
			...options,
			read() {
				const done = callback;
				callback = null;
				if (done)
					done();
			},
			write(chunk, encoding, done) {
				if (chunk.length === 0) {
					nextTick(done);
				} else {
					made.other.push(chunk);
					made.wait(done);
				}
			},
			final(done) {
				made.other.on('end', done);
				made.other.push(null);
			},
		});
		made.give = (done) => { callback = done; };
		return made;
	}
	const pair = [side(), side()];
	pair.forEach((one, i) => {
		const other = pair[1 - i], { give } = other;
		Object.defineProperties(one, { other: { value: other }, wait: { value: give } });
	});
	pair.forEach((one) => delete one.give);
	return pair;
};
