/* pipeline(): streams, iterables and functions joined; when one fails all are destroyed. */
'use strict';

const { codes, AbortError, aggregateTwoErrors } = require('internal/errors');
const { validateAbortSignal, validateFunction } = require('internal/validators');
const { nextTick } = require('internal/stream_destroy');
const { finished, isNode, isReadableNode, isIterable, isReadableFinished, destroyer } = require('internal/stream_end');

/* Destroys a stream once, unless it is over by then. */
function ender(stream, reading, writing) {
	let over = false;
	stream.on('close', () => { over = true; });
	const clean = finished(stream, { readable: reading, writable: writing }, (error) => { over = !error; });
	return {
		clean,
		destroy(error) {
			if (over)
				return;
			over = true;
			destroyer(stream, error || new codes.ERR_STREAM_DESTROYED('pipe'));
		},
	};
}

async function pump(iterable, writable, finish, end) {
	let error, wake = null;
	const resume = (failure) => {
		if (failure)
			error = failure;
		if (wake) {
			const callback = wake;
			wake = null;
			callback();
		}
	};
	const wait = () => new Promise((resolve, reject) => {
		if (error) {
			reject(error);
		} else {
			wake = () => {
				if (error)
					reject(error);
				else
					resolve();
			};
		}
	});
	writable.on('drain', resume);
	const clean = finished(writable, { readable: false }, resume);
	try {
		if (writable.writableNeedDrain)
			await wait();
		for await (const chunk of iterable) {
			if (!writable.write(chunk))
				await wait();
		}
		if (end) {
			writable.end();
			await wait();
		}
		finish();
	} catch (failure) {
		finish(error !== failure ? aggregateTwoErrors(error, failure) : failure);
	} finally {
		clean();
		writable.off('drain', resume);
	}
}

function join(source, target, finish, finishOnError, end) {
	let ended = false;
	target.on('close', () => {
		if (!ended)
			finishOnError(new codes.ERR_STREAM_PREMATURE_CLOSE());
	});
	source.pipe(target, { end: false });
	if (end) {
		const onEnd = () => {
			ended = true;
			target.end();
		};
		if (isReadableFinished(source))
			nextTick(onEnd);
		else
			source.once('end', onEnd);
	} else {
		finish();
	}
	finished(source, { readable: true, writable: false }, (error) => {
		const state = source._readableState;
		if (error && error.code === 'ERR_STREAM_PREMATURE_CLOSE' && state && state.ended && !state.errored && !state.errorEmitted)
			source.once('end', finish).once('error', finish);
		else
			finish(error);
	});
	return finished(target, { readable: false, writable: true }, finish);
}

/* What is known while a pipeline runs. */
class Pipeline {
	constructor(streams, callback, options) {
		Object.assign(this, { streams, callback, options, destroys: [], cleaners: [], error: undefined, value: undefined, left: 0 });
		this.controller = new (require('internal/abort').AbortController)();
		this.finish = (error) => this.settle(error, --this.left === 0);
		this.finishOnError = (error) => this.settle(error, false);
		const outer = options.signal;
		if (outer) {
			validateAbortSignal(outer, 'options.signal');
			this.onAbort = () => this.settle(new AbortError(undefined, { cause: outer.reason }), false);
			if (outer.aborted)
				nextTick(this.onAbort);
			else
				outer.addEventListener('abort', this.onAbort, { once: true });
		}
	}
	settle(error, final) {
		if (error && (!this.error || this.error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
			this.error = error;
		if (!this.error && !final)
			return;
		while (this.destroys.length)
			this.destroys.shift()(this.error);
		if (this.onAbort)
			this.options.signal.removeEventListener('abort', this.onAbort);
		this.controller.abort();
		if (final) {
			if (!this.error)
				this.cleaners.forEach((fn) => fn());
			nextTick(this.callback, this.error, this.value);
		}
	}
	watch(stream, i) {
		const last = i === this.streams.length - 1, reading = !last, writing = i > 0;
		const end = reading || this.options.end !== false;
		if (end) {
			const { destroy, clean } = ender(stream, reading, writing);
			this.destroys.push(destroy);
			if (stream.readable && last)
				this.cleaners.push(clean);
		}
		const onError = (error) => {
			if (error && error.name !== 'AbortError' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
				this.finishOnError(error);
		};
		stream.on('error', onError);
		if (stream.readable && last)
			this.cleaners.push(() => stream.removeListener('error', onError));
		return end;
	}
	source(stream) {
		const { signal } = this.controller;
		if (typeof stream === 'function') {
			const made = stream({ signal });
			if (!isIterable(made))
				throw new codes.ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or Stream', 'source', made);
			return made;
		}
		if (isIterable(stream) || isReadableNode(stream))
			return stream;
		return require('internal/stream_compose').duplexFrom(stream, 'source');
	}
	transform(fn, previous, i) {
		const last = i === this.streams.length - 1, { signal } = this.controller;
		const made = fn(previous, { signal });
		if (!last) {
			if (!isIterable(made))
				throw new codes.ERR_INVALID_RETURN_VALUE('AsyncIterable', `transform[${i - 1}]`, made);
			return made;
		}
		const { PassThrough } = require('internal/stream_duplex');
		const through = new PassThrough({ objectMode: true });
		if (made && typeof made.then === 'function') {
			this.left++;
			made.then((value) => {
				this.value = value;
				if (value != null)
					through.write(value);
				if (this.options.end !== false)
					through.end();
				nextTick(this.finish);
			}, (error) => {
				through.destroy(error);
				nextTick(this.finish, error);
			});
		} else if (isIterable(made)) {
			this.left++;
			pump(made, through, this.finish, this.options.end !== false);
		} else {
			throw new codes.ERR_INVALID_RETURN_VALUE('AsyncIterable or Promise', 'destination', made);
		}
		const { destroy, clean } = ender(through, false, true);
		this.destroys.push(destroy);
		this.cleaners.push(clean);
		return through;
	}
	connect(previous, stream, end) {
		if (isReadableNode(previous)) {
			this.left += 2;
			const clean = join(previous, stream, this.finish, this.finishOnError, end);
			if (stream.readable && stream === this.streams[this.streams.length - 1])
				this.cleaners.push(clean);
		} else if (isIterable(previous)) {
			this.left++;
			pump(previous, stream, this.finish, end);
		} else {
			throw new codes.ERR_INVALID_ARG_TYPE('val', ['Readable', 'Iterable', 'AsyncIterable', 'ReadableStream', 'TransformStream'], previous);
		}
		return stream;
	}
	run() {
		let result;
		this.streams.forEach((stream, i) => {
			const end = isNode(stream) ? this.watch(stream, i) : undefined;
			if (i === 0)
				result = this.source(stream);
			else if (typeof stream === 'function')
				result = this.transform(stream, result, i);
			else if (isNode(stream))
				result = this.connect(result, stream, end);
			else
				result = this.connect(result, require('internal/stream_compose').duplexFrom(stream, 'stream'), this.options.end !== false);
		});
		return result;
	}
}

function run(streams, callback, options = {}) {
	if (streams.length === 1 && Array.isArray(streams[0]))
		streams = streams[0];
	if (streams.length < 2)
		throw new codes.ERR_MISSING_ARGS('streams');
	return new Pipeline(streams, callback, options).run();
}

exports.pipeline = function pipeline(...streams) {
	const callback = streams.pop();
	validateFunction(callback, 'streams[stream.length - 1]');
	let called = false;
	return run(streams, (...args) => {
		if (!called) {
			called = true;
			callback(...args);
		}
	});
};

exports.pipelinePromise = function pipeline(...streams) {
	return new Promise((resolve, reject) => {
		let options = {};
		const last = streams[streams.length - 1];
		if (last && typeof last === 'object' && !isNode(last) && !isIterable(last) && typeof last.getReader !== 'function')
			options = streams.pop();
		run(streams, (error, value) => {
			if (error)
				reject(error);
			else
				resolve(value);
		}, options);
	});
};
