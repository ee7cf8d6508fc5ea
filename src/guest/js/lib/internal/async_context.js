/*
 * What AsyncLocalStorage keeps: the engine takes one value along with promises (host.context()); here callbacks take it along.
 * The value is undefined or a Map from storages to what they hold, which is never changed.
 */
'use strict';

/* fn as it will be called later, in the context of now. */
exports.bind = function (fn) {
	const context = host.context();
	if (context === undefined)
		return fn;
	return function (...args) {
		const before = host.context(context);
		try {
			return Reflect.apply(fn, this, args);
		} finally {
			host.context(before);
		}
	};
};

/* The context with one thing changed. */
exports.changed = function (key, value) {
	const context = new Map(host.context());
	if (value === undefined)
		context.delete(key);
	else
		context.set(key, value);
	return context.size ? context : undefined;
};

exports.get = (key) => host.context()?.get(key);

exports.run = function (context, fn, self, args) {
	const before = host.context(context);
	try {
		return Reflect.apply(fn, self, args);
	} finally {
		host.context(before);
	}
};
