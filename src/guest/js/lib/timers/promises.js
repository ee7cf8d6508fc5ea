/* timers/promises */
'use strict';

const { AbortError } = require('internal/errors');
const { validateAbortSignal, validateBoolean, validateObject, validateNumber } = require('internal/validators');

const timers = () => require('timers');

function check(options) {
	validateObject(options, 'options');
	validateAbortSignal(options.signal, 'options.signal');
	if (options.ref !== undefined)
		validateBoolean(options.ref, 'options.ref');
}

/* A promise of one timer, which the options' signal ends. */
async function wait(start, stop, value, options) {
	check(options);
	const { signal, ref = true } = options;
	if (signal?.aborted)
		throw new AbortError(undefined, { cause: signal.reason });
	return new Promise((resolve, reject) => {
		const handle = start(() => {
			if (signal)
				signal.removeEventListener('abort', onAbort);
			resolve(value);
		});
		if (!ref)
			handle.unref();
		function onAbort() {
			stop(handle);
			reject(new AbortError(undefined, { cause: signal.reason }));
		}
		if (signal)
			signal.addEventListener('abort', onAbort, { once: true });
	});
}

exports.setTimeout = async function setTimeout(delay, value, options = {}) {
	if (delay !== undefined)
		validateNumber(delay, 'delay');
	return wait((fn) => timers().setTimeout(fn, delay), (handle) => timers().clearTimeout(handle), value, options);
};

exports.setImmediate = async function setImmediate(value, options = {}) {
	return wait((fn) => timers().setImmediate(fn), (handle) => timers().clearImmediate(handle), value, options);
};

exports.setInterval = async function* setInterval(delay, value, options = {}) {
	check(options);
	const { signal, ref = true } = options;
	if (signal?.aborted)
		throw new AbortError(undefined, { cause: signal.reason });
	let missed = 0, wake, aborted = false;
	const handle = timers().setInterval(() => {
		missed++;
		if (wake)
			wake();
	}, delay);
	if (!ref)
		handle.unref();
	const onAbort = () => {
		aborted = true;
		if (wake)
			wake();
	};
	if (signal)
		signal.addEventListener('abort', onAbort, { once: true });
	try {
		while (!aborted) {
			if (missed === 0)
				await new Promise((resolve) => { wake = resolve; });
			for (; missed > 0 && !aborted; missed--)
				yield value;
		}
		throw new AbortError(undefined, { cause: signal.reason });
	} finally {
		timers().clearInterval(handle);
		if (signal)
			signal.removeEventListener('abort', onAbort);
	}
};

exports.scheduler = {
	wait: (delay, options) => exports.setTimeout(delay, undefined, options),
	yield: () => exports.setImmediate(),
};
