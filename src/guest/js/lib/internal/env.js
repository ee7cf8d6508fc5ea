/* process.env: every value is a string. */
'use strict';

const handler = {
	set(target, key, value) {
		if (typeof key === 'symbol')
			throw new TypeError('Cannot convert a Symbol value to a string');
		target[key] = `${value}`;
		if (key === 'TZ')
			require('internal/zone').change(target[key]);
		return true;
	},
	deleteProperty(target, key) {
		const had = delete target[key];
		if (key === 'TZ')
			require('internal/zone').change();
		return had;
	},
	defineProperty(target, key, descriptor) {
		const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = require('internal/errors').codes;
		if (descriptor.get || descriptor.set)
			throw ERR_INVALID_OBJECT_DEFINE_PROPERTY("'process.env' does not accept an accessor(getter/setter) descriptor");
		if (!('value' in descriptor) || !descriptor.configurable || !descriptor.writable || !descriptor.enumerable) {
			throw ERR_INVALID_OBJECT_DEFINE_PROPERTY(
				"'process.env' only accepts a configurable, writable, and enumerable data descriptor");
		}
		target[key] = `${descriptor.value}`;
		return true;
	},
};

exports.make = function (rows) {
	const target = {};
	for (const row of rows) {
		const at = row.indexOf('=', 1);
		if (at > 0)
			Object.defineProperty(target, row.slice(0, at), {
				value: row.slice(at + 1), writable: true, configurable: true, enumerable: true });
	}
	return new Proxy(target, {
		...handler,
		set: (t, key, value) => handler.set(target, key, value),
	});
};

/* NAME=value rows of an environment object, for a child. */
exports.rows = env => Object.keys(env).filter(key => env[key] !== undefined).map(key => `${key}=${env[key]}`);
