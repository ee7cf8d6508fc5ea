/* Milliseconds since the program began, with a fraction: performance.now() and the time of events. */
'use strict';

let origin;

function monotonic() {
	return host.monotonic() / 1e6;
}

/* Called when a program starts: the prepared image has no clock. */
exports.start = () => { origin = monotonic(); };

exports.now = function () {
	if (origin === undefined)
		exports.start();
	return monotonic() - origin;
};
