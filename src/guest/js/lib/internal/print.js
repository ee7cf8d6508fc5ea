/* Text straight to a descriptor, all of it; an error is not told (what the console and fatal messages want). */
'use strict';

let small;		/* not in the image: writing to it would cost a page of it */
const EAGAIN = 11;

exports.print = function (fd, text) {
	small ??= new Uint8Array(512);
	let bytes = small, n;
	if (text.length * 3 <= small.length) {
		n = host.utf8Write(text, small, 0, small.length);
	} else {
		bytes = host.utf8Encode(text);
		n = bytes.length;
	}
	for (let at = 0; at < n;) {
		const r = host.tryWrite(fd, bytes, at, n - at, -1);
		if (r === -EAGAIN)
			host.poll(Int32Array.of(fd, 4, 0), -1);
		else if (r < 0)
			return r;
		else
			at += r;
	}
	return 0;
};
