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

/*
 * The step itself has no stack: Node's functions have, and who awaits them. `frames` are those of Node. Found out by a job of the
 * promise that is given, when all that awaits it is tied to it.
 */
function framed(error, frames) {
	if (!(error instanceof Error) || error.stack.includes('\n'))
		throw error;
	const found = {};
	Error.captureStackTrace(found, framed);
	const waiting = found.stack.split('\n').filter((line) => line.startsWith('    at async '));
	const lines = [error.stack, ...frames.map((one) => `    at async ${one}`), ...waiting];
	Object.defineProperty(error, 'stack', { value: lines.slice(0, 11).join('\n'), writable: true, configurable: true, enumerable: false });
	throw error;
}

exports.promise = (step, turns = 1, frames = []) => new Promise((resolve) => {
	exports.submit(step, turns, (error, value) => {
		if (!error)
			resolve(value);
		else
			resolve(Promise.reject(error).catch((e) => { throw e; }).catch((e) => framed(e, frames)));
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
