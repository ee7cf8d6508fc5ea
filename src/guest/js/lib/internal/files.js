/* Reading whole files, for the loaders. */
'use strict';

const { concatBytes } = require('internal/bytes');

exports.readBytes = function (path) {
	const fd = host.open(path, 0, 0);
	try {
		let bytes = new Uint8Array(Math.max(4096, host.fstat(fd)[8] + 1)), n = 0;
		for (;;) {
			const r = host.tryRead(fd, bytes, n, bytes.length - n, -1);
			if (r < 0)
				throw host.error(r, 'read');
			if (r === 0)
				return bytes.subarray(0, n);
			n += r;
			if (n === bytes.length) {
				const more = new Uint8Array(2 * n);
				more.set(bytes);
				bytes = more;
			}
		}
	} finally {
		host.close(fd);
	}
};

exports.readFd = function (fd) {
	const parts = [];
	for (;;) {
		const bytes = new Uint8Array(65536);
		const r = host.read(fd, bytes, 0, bytes.length, -1);
		if (r === 0)
			return concatBytes(parts);
		parts.push(bytes.subarray(0, r));
	}
};

exports.decode = function (bytes) {
	const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
	return host.utf8Decode(bytes, bom ? 3 : 0);
};

exports.readText = path => exports.decode(exports.readBytes(path));
