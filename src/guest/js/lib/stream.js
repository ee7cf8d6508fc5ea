/* stream */
'use strict';

const { Stream, getDefaultHighWaterMark, setDefaultHighWaterMark } = require('internal/stream_legacy');
const { Duplex, Transform, PassThrough } = require('internal/stream_duplex');
const { Readable } = require('internal/stream_readable');
const { Writable } = require('internal/stream_writable');
const end = require('internal/stream_end');
const { pipeline } = require('internal/stream_pipeline');
const { isDestroyed, destroyer } = require('internal/stream_destroy');
const promisifyCustom = Symbol.for('nodejs.util.promisify.custom');

const promises = {
	get finished() { return end.finishedPromise; },
	get pipeline() { return require('internal/stream_pipeline').pipelinePromise; },
};

module.exports = Object.assign(Stream, {
	isDestroyed,
	isDisturbed: (stream) => !!(stream && (stream.readableDidRead || stream.readableAborted)),
	isErrored: (stream) => !!(stream && (stream.errored ?? stream._readableState?.errored ?? stream._writableState?.errored)),
	isReadable: (stream) => stream && typeof stream.readable === 'boolean' ? stream.readable && !stream.destroyed : null,
	isWritable: (stream) => stream && typeof stream.writable === 'boolean' ? stream.writable && !stream.destroyed : null,
	Readable, Writable, Duplex, Transform, PassThrough,
	duplexPair(options) { return require('internal/stream_compose').duplexPair(options); }, pipeline, addAbortSignal: end.addAbortSignal, finished: end.finished,
	destroy: destroyer,
	compose(...streams) { return require('internal/stream_compose').compose(...streams); },
	setDefaultHighWaterMark, getDefaultHighWaterMark, promises: null, Stream, _isArrayBufferView: ArrayBuffer.isView,
	_isUint8Array: require('internal/types').types.isUint8Array,
	_uint8ArrayToBuffer: (chunk) => require('buffer').Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
});
Object.defineProperty(Stream, 'promises', { configurable: true, enumerable: true, get() { return promises; } });
Object.defineProperty(pipeline, promisifyCustom, { enumerable: true, get() { return promises.pipeline; } });
Object.defineProperty(end.finished, promisifyCustom, { enumerable: true, get() { return promises.finished; } });
