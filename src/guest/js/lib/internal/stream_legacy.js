/* Stream: the class that all streams have behind them, with its simple pipe. */
'use strict';

const EE = require('events');

function Stream(options) {
	EE.call(this, options);
}
Object.setPrototypeOf(Stream.prototype, EE.prototype);
Object.setPrototypeOf(Stream, EE);

Stream.prototype.pipe = function (target, options) {
	const source = this;
	let ended = false;
	function onData(chunk) {
		if (target.writable && target.write(chunk) === false && source.pause)
			source.pause();
	}
	function onDrain() {
		if (source.readable && source.resume)
			source.resume();
	}
	function onEnd() {
		if (ended)
			return;
		ended = true;
		target.end();
	}
	function onClose() {
		if (ended)
			return;
		ended = true;
		if (typeof target.destroy === 'function')
			target.destroy();
	}
	function onError(error) {
		clean();
		if (EE.listenerCount(this, 'error') === 0)
			this.emit('error', error);
	}
	const all = [[source, 'data', onData], [target, 'drain', onDrain], [source, 'error', onError], [target, 'error', onError],
		[source, 'end', clean], [source, 'close', clean], [target, 'close', clean]];
	function clean() {
		all.forEach(([emitter, name, fn]) => emitter.removeListener(name, fn));
		source.removeListener('end', onEnd);
		source.removeListener('close', onClose);
	}
	if (!target._isStdio && (!options || options.end !== false)) {
		source.on('end', onEnd);
		source.on('close', onClose);
	}
	all.forEach(([emitter, name, fn]) => emitter[name === 'error' ? 'prependListener' : 'on'](name, fn));
	target.emit('pipe', source);
	return target;
};

exports.Stream = Stream;

let bytes = 16 * 1024, objects = 16;

exports.getDefaultHighWaterMark = (objectMode) => objectMode ? objects : bytes;

exports.setDefaultHighWaterMark = function (objectMode, value) {
	require('internal/validators').validateInteger(value, 'value', 0);
	if (objectMode)
		objects = value;
	else
		bytes = value;
};

/* The limit that the options ask for. */
exports.highWaterMark = function (state, options, duplexKey, isDuplex) {
	const value = options && options.highWaterMark != null ? options.highWaterMark : isDuplex && options ? options[duplexKey] : null;
	if (value == null)
		return exports.getDefaultHighWaterMark(state.objectMode);
	if (!Number.isInteger(value) || value < 0) {
		const name = isDuplex && options.highWaterMark == null ? `options.${duplexKey}` : 'options.highWaterMark';
		throw new (require('internal/errors').codes.ERR_INVALID_ARG_VALUE)(name, value);
	}
	return Math.floor(value);
};

/* A chunk that is no string, as a Buffer of the same memory. */
exports.chunkBuffer = function (chunk) {
	const { Buffer } = require('buffer');
	if (chunk instanceof Buffer)
		return chunk;
	if (ArrayBuffer.isView(chunk))
		return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
	throw new (require('internal/errors').codes.ERR_INVALID_ARG_TYPE)('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
};
