/*
 * Asynchronous steps. Node's run on other threads and are done some turns of the loop later: one turn of ours for each call that
 * Node makes for it (open, fstat, read, close), so that what scripts interleave comes in the same order.
 */
'use strict';

const loop = require('internal/loop');
const { bare } = require('internal/fs_common');

/* Calls then(error, value) after `turns` turns; the step itself is done in the first. */
exports.submit = function (step, turns, then) {
	let error = null, value;
	function turn() {
		if (turns-- > 0)
			loop.defer(turn);
		else
			then(error, value);
	}
	loop.defer(() => {
		try {
			value = step();
		} catch (e) {
			error = bare(e);
			turns = Math.min(turns, 1);
		}
		turn();
	});
};

/* The function that `who` names is where Node's stack would say that the error came from. */
exports.promise = (step, turns = 1, who = 'open') => new Promise((resolve, reject) => {
	exports.submit(step, turns, (error, value) => {
		if (!error) {
			resolve(value);
			return;
		}
		if (!error.stack.includes('\n'))
			error.stack += `\n    at async ${who} (node:internal/fs/promises)`;
		reject(error);
	});
});

/* As submit(), but a descriptor that has nothing to read yet does not hold up the loop. */
exports.whenReadable = function (fd, then) {
	const look = Int32Array.of(fd, 1, 0);
	if (host.poll(look, 0) !== 0 || look[2]) {
		then();
		return;
	}
	const watch = loop.watch(fd, 1, () => {
		watch.close();
		then();
	});
};
