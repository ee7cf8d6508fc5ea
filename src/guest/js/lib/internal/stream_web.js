/* Streams of Node as those of the web, and back: Readable.toWeb() and its kin. */
'use strict';

const { codes } = require('internal/errors');

const web = () => require('stream/web');

exports.readableToWeb = function (stream) {
	if (typeof stream?._readableState !== 'object')
		throw new codes.ERR_INVALID_ARG_TYPE('streamReadable', 'stream.Readable', stream);
	const objects = stream.readableObjectMode;
	let canceled = false;	/* by the reader, who hears no more */
	stream.pause();
	return new (web().ReadableStream)({
		start(controller) {
			stream.on('data', (chunk) => {
				if (canceled)
					return;
				controller.enqueue(!objects && ArrayBuffer.isView(chunk) ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk);
				if (controller.desiredSize <= 0)
					stream.pause();
			});
			stream.pause();
			require('internal/stream_end').finished(stream, { writable: false }, (error) => {
				stream.on('error', () => {});
				if (error)
					controller.error(error);
				else if (!canceled)
					controller.close();
			});
		},
		pull() { stream.resume(); },
		cancel(reason) {
			canceled = true;
			require('internal/stream_destroy').destroyer(stream, reason);
		},
	}, { highWaterMark: stream.readableHighWaterMark, size: objects ? undefined : (chunk) => chunk.length ?? 1 });
};

exports.readableFromWeb = function (Readable, stream, options) {
	const reader = stream.getReader();
	return new Readable({
		objectMode: false, ...options,
		read() {
			reader.read().then(({ value, done }) => this.push(done ? null : value), (error) => this.destroy(error));
		},
		destroy(error, callback) {
			reader.cancel(error).then(() => callback(error), () => callback(error));
		},
	});
};

exports.writableToWeb = function (stream) {
	return new (web().WritableStream)({
		write: (chunk) => new Promise((resolve, reject) => stream.write(chunk, (error) => error ? reject(error) : resolve())),
		close: () => new Promise((resolve) => stream.end(resolve)),
		abort(reason) { stream.destroy(reason); },
	});
};

exports.writableFromWeb = function (Writable, stream, options) {
	const writer = stream.getWriter();
	const call = (promise, callback) => promise.then(() => callback(), callback);
	return new Writable({
		...options,
		write: (chunk, encoding, callback) => call(writer.write(chunk), callback),
		final: (callback) => call(writer.close(), callback),
	});
};
