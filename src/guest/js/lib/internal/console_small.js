/* A console that can only print strings and numbers, until there is the real one. */
'use strict';

const { print } = require('internal/print');
const line = (fd, args) => print(fd, args.map(one => typeof one === 'object' && one ? (one instanceof Error ? one.stack :
	JSON.stringify(one)) : String(one)).join(' ') + '\n');

exports.console = {
	log: (...args) => line(1, args), info: (...args) => line(1, args), debug: (...args) => line(1, args),
	error: (...args) => line(2, args), warn: (...args) => line(2, args),
};
