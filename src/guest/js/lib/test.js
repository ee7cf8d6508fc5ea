/* node:test; the work is in internal/test_runner.js. */
'use strict';

const runner = require('internal/test_runner');

function adder(kind, extra) {
	return function (name, options, fn) {
		runner.start();
		const inside = runner.inside;
		return inside.add(kind, name, options, fn, extra) ?? Promise.resolve(undefined);
	};
}

function withForms(kind, name) {
	const make = adder(kind);
	const made = { [name](title, options, fn) { return make(title, options, fn); } }[name];
	for (const [form, extra] of [['skip', { skip: true }], ['todo', { todo: true }], ['only', { only: true }]])
		made[form] = adder(kind, extra);
	return made;
}

const test = withForms('test', 'test'), it = withForms('test', 'it'), describe = withForms('suite', 'describe');

for (const kind of ['before', 'after', 'beforeEach', 'afterEach']) {
	test[kind] = { [kind](fn, options) {
		runner.start();
		runner.inside.hook(kind, fn, options);
	} }[kind];
}

function once(get) {
	let value;
	return () => value ??= get();
}

module.exports = Object.assign(test, { test, it, describe, suite: describe });
Object.defineProperty(test, 'mock', {
	enumerable: true, configurable: true, get: once(() => new (require('internal/test_mock').MockTracker)()),
});
test.run = function run() {
	throw require('internal/fs_common').plainError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'test.run() is not in this sandbox: use node --test');
};
