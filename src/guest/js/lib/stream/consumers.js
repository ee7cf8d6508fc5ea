/* stream/consumers: a whole stream as one value. */
'use strict';

const { Buffer } = require('buffer');

async function chunksOf(stream) {
	const chunks = [];
	for await (const chunk of stream)
		chunks.push(ArrayBuffer.isView(chunk) ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) :
			chunk instanceof ArrayBuffer ? Buffer.from(chunk) : Buffer.from(`${chunk}`));
	return Buffer.concat(chunks);
}

async function arrayBuffer(stream) {
	const all = await chunksOf(stream);
	return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
}

async function text(stream) {
	const decoder = new (require('internal/text_codec').TextDecoder)();
	let out = '';
	for await (const chunk of stream)
		out += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
	return out + decoder.decode();
}

module.exports = {
	arrayBuffer, text, buffer: chunksOf,
	blob: async (stream) => new (require('internal/blob').Blob)([await chunksOf(stream)]),
	json: async (stream) => JSON.parse(await text(stream)),
};
