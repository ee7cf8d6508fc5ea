/* The module tty. */
'use strict';

exports.isatty = fd => Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && host.isatty(fd);
for (const name of ['ReadStream', 'WriteStream']) {
	Object.defineProperty(exports, name, {
		get: () => require('internal/tty_streams')[name], enumerable: true, configurable: true,
	});
}
