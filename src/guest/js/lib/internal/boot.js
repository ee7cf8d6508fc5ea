/*
 * The first file of all: called with an object of all files' functions and the host's native functions, while the guest is
 * prepared. It makes require() for the library, runs what every script needs, and returns the function that a run begins with and
 * the objects that runs change.
 */
'use strict';

const files = arguments[0], native = arguments[1];
const loaded = { __proto__: null };

function internalRequire(name) {
	const known = loaded[name];
	if (known)
		return known.exports;
	const file = files[name];
	if (!file)
		throw new Error(`no file ${name} in the library`);
	const module = loaded[name] = { exports: {}, id: name };
	file.call(module.exports, module.exports, internalRequire, module, native);
	return module.exports;
}

native.has = name => files[name] !== undefined;
internalRequire('internal/sys');
internalRequire('internal/globals');

/* Run in the prepared image, so that no script has to. */
for (const name of ['internal/errors', 'internal/inspect', 'events', 'path', 'buffer', 'console', 'util', 'internal/process',
	'internal/loop', 'internal/cjs', 'internal/esm', 'internal/offers', 'internal/main']) {
	if (files[name])
		internalRequire(name);
}

/* Once through what every run does: what is made at its first use is then there too. */
function rehearse() {
	void [globalThis.console, globalThis.process];
	const util = internalRequire('util');
	util.format('%s %d %j %o', 'a', 1.5, { a: 1 }, [1, 'b', new Map([[1, { b: null }]]), new Error('c')]);
	util.format(1, 'a', undefined, null, true, [], {}, Symbol('s'), 1n, () => {});
	internalRequire('internal/options').parse(['-e', '1', 'a']);
	const loop = internalRequire('internal/loop');
	loop.nextTick(() => {}, []);
	loop.call(text => native.run(text, '[eval]'), undefined, ['(function () { return [`a${1}`, { b: 2 }, /c/]; })()']);
	Promise.resolve().then(() => {});
	loop.run(() => {});
	globalThis.clearInterval(globalThis.setInterval(() => {}, 1e8));
}
internalRequire('internal/newer').remove(globalThis);
rehearse();

/* Objects that every run changes: their properties lie together (guest_freeze.h). */
const { process, state } = internalRequire('internal/process');
const { Module } = internalRequire('internal/cjs');
const changing = [globalThis, process, state, loaded, native, Module, Module._cache, Module._pathCache, internalRequire('internal/loop'),
	globalThis.console, internalRequire('internal/stdio').plain, internalRequire('internal/offers')];

return { main: internalRequire('internal/main').main, changing: changing.filter(one => one !== undefined) };
