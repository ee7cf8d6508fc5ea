/* process.stdin, stdout and stderr: streams when the library has them, made at first use. */
'use strict';

const { print } = require('internal/print');

/* Until there are streams: what writes. */
const outlet = {
	writable: true,
	write(text, encoding, callback) {
		const done = typeof encoding === 'function' ? encoding : callback;
		if (typeof text === 'string')
			print(this.fd, text);
		else
			host.write(this.fd, text, 0, text.length, -1);
		if (done)
			require('internal/loop').nextTick(done, [null]);
		return true;
	},
	end(text) { if (text !== undefined) this.write(text); },
	on() { return this; }, once() { return this; }, emit() { return false; }, removeListener() { return this; },
};

function small(fd) {
	return { __proto__: outlet, fd, isTTY: host.isatty(fd) || undefined };
}

Object.create(outlet);		/* the engine marks what prototypes are: here, not in every run */

const made = [];
exports.made = made;		/* those that a script has seen */

/* What the console writes to: the stream once a script has seen it, since scripts replace its write(). */
const plain = { 0: undefined, 1: undefined, 2: undefined };
exports.plain = plain;
exports.forConsole = fd => made[fd] || (plain[fd] ??= small(fd));

exports.stdout = () => made[1] = host.has('stream') ? require('internal/tty_streams').output(1) : small(1);
exports.stderr = () => made[2] = host.has('stream') ? require('internal/tty_streams').output(2) : small(2);
exports.stdin = () => made[0] = host.has('stream') ? require('internal/tty_streams').input(0) : small(0);
