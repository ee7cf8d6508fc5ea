/*
 * Modules of what a sandbox has not (sockets, threads, a debugger) load, so that programs that only look at them run: what
 * they know is there, and what would act throws by its name.
 */
'use strict';

const { plainError } = require('internal/fs_common');

exports.error = (name, instead) => plainError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
	`${name} is not in this sandbox: ${instead}`);

/* target gets functions of these names, each of which throws. */
exports.functions = function (target, module, instead, names) {
	for (const name of names) {
		target[name] = { [name]() {
			throw exports.error(`${module}.${name}()`, instead);
		} }[name];
	}
};

/* A class to inherit from and to compare with, of which there are no instances. */
exports.refusedClass = function (module, instead, name, Base) {
	function Refused() {
		throw exports.error(`${module}.${name}`, instead);
	}
	Object.defineProperty(Refused, 'name', { value: name, configurable: true });
	if (Base) {
		Object.setPrototypeOf(Refused.prototype, Base.prototype);
		Object.setPrototypeOf(Refused, Base);
	}
	return Refused;
};

exports.classes = function (target, module, instead, names, Base) {
	for (const name of names)
		target[name] = exports.refusedClass(module, instead, name, Base);
};
