/* Streams and iterators: for await over a Readable, and Readable.from(). */
'use strict';

const { codes, AbortError, aggregateTwoErrors } = require('internal/errors');
const { destroyer, nextTick } = require('internal/stream_destroy');

exports.iterate = function (stream, options) {
	const iterator = generate(stream, options);
	iterator.stream = stream;
	return iterator;
};

async function* generate(stream, options) {
	let wake = () => {}, error;
	function next(resolve) {
		if (this === stream) {
			wake();
			wake = () => {};
		} else {
			wake = resolve;
		}
	}
	stream.on('readable', next);
	const clean = require('internal/stream_end').finished(stream, { writable: false }, (failure) => {
		error = failure ? aggregateTwoErrors(error, failure) : null;
		wake();
		wake = () => {};
	});
	try {
		for (;;) {
			const chunk = stream.destroyed ? null : stream.read();
			if (chunk !== null)
				yield chunk;
			else if (error)
				throw error;
			else if (error === null)
				return;
			else
				await new Promise(next);
		}
	} catch (failure) {
		error = aggregateTwoErrors(error, failure);
		throw error;
	} finally {
		const destroys = error || !options || options.destroyOnReturn !== false;
		if (destroys && (error === undefined || stream._readableState.autoDestroy)) {
			destroyer(stream, null);
		} else {
			stream.off('readable', next);
			clean();
		}
	}
}

exports.asyncDispose = function (stream) {
	let error;
	if (!stream.destroyed) {
		error = stream.readableEnded ? null : new AbortError();
		stream.destroy(error);
	}
	return new Promise((resolve, reject) => {
		require('internal/stream_end').finished(stream, (failure) => failure && failure !== error ? reject(failure) : resolve(null));
	});
};

async function closeIterator(iterator, error) {
	const failed = error !== undefined && error !== null;
	if (failed && typeof iterator.throw === 'function') {
		const { value, done } = await iterator.throw(error);
		await value;
		if (done)
			return;
	}
	if (typeof iterator.return === 'function') {
		const { value } = await iterator.return();
		await value;
	}
}

exports.from = function (Readable, iterable, options) {
	if (typeof iterable === 'string' || iterable instanceof require('buffer').Buffer) {
		return new Readable({
			objectMode: true, ...options,
			read() {
				this.push(iterable);
				this.push(null);
			},
		});
	}
	const isAsync = !!(iterable && iterable[Symbol.asyncIterator]);
	if (!isAsync && !(iterable && iterable[Symbol.iterator]))
		throw new codes.ERR_INVALID_ARG_TYPE('iterable', ['Iterable'], iterable);
	const iterator = isAsync ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]();
	const readable = new Readable({ objectMode: true, highWaterMark: 1, ...options });
	let reading = false;
	readable._read = () => {
		if (!reading) {
			reading = true;
			pull();
		}
	};
	readable._destroy = (error, callback) => {
		closeIterator(iterator, error).then(() => nextTick(callback, error), (failure) => nextTick(callback, failure || error));
	};
	async function pull() {
		try {
			for (;;) {
				const { value, done } = isAsync ? await iterator.next() : iterator.next();
				if (done) {
					readable.push(null);
					return;
				}
				const chunk = value && typeof value.then === 'function' ? await value : value;
				if (chunk === null) {
					reading = false;
					throw new codes.ERR_STREAM_NULL_VALUES();
				}
				if (!readable.push(chunk)) {
					reading = false;
					return;
				}
			}
		} catch (error) {
			readable.destroy(error);
		}
	}
	return readable;
};
