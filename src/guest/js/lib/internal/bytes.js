/* Bytes put together, where a Buffer is not wanted. */
'use strict';

/* One Uint8Array of all parts. */
exports.concatBytes = function (parts) {
	const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
};
