/*
 * util.types: what kind of object the engine made, not what its prototype claims. Asks the engine itself, so that neither
 * Symbol.toStringTag nor a changed prototype deceives it, and nothing of the value runs.
 */
'use strict';

const classOf = host.classOf;
const typedNames = ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array',
	'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array'];
const typed = new Set(typedNames);
const asyncKinds = new Set(['AsyncFunction', 'AsyncGeneratorFunction']);
const generatorKinds = new Set(['GeneratorFunction', 'AsyncGeneratorFunction']);
const boxedKinds = new Set(['Number', 'String', 'Boolean', 'BigInt', 'Symbol']);

exports.classOf = classOf;
exports.typedNames = typedNames;
exports.types = { __proto__: null };

function add(name, test) {
	exports.types[name] = { [name](value) { return test(value); } }[name];
}

function addClass(name, ...classes) {
	const all = new Set(classes.length ? classes : [name]);
	add('is' + name, (value) => all.has(classOf(value)));
}

addClass('External', 'External');
addClass('Date');
addClass('ArgumentsObject', 'Arguments');
addClass('BigIntObject', 'BigInt');
addClass('BooleanObject', 'Boolean');
addClass('NumberObject', 'Number');
addClass('StringObject', 'String');
addClass('SymbolObject', 'Symbol');
add('isBoxedPrimitive', (value) => boxedKinds.has(classOf(value)));
addClass('NativeError', 'Error');
addClass('RegExp');
add('isAsyncFunction', (value) => asyncKinds.has(classOf(value)));
add('isGeneratorFunction', (value) => generatorKinds.has(classOf(value)));
addClass('GeneratorObject', 'Generator', 'AsyncGenerator');
addClass('Promise');
addClass('Map');
addClass('Set');
addClass('MapIterator', 'Map Iterator');
addClass('SetIterator', 'Set Iterator');
addClass('WeakMap');
addClass('WeakSet');
addClass('ArrayBuffer');
addClass('DataView');
addClass('SharedArrayBuffer');
addClass('Proxy');
addClass('ModuleNamespaceObject', 'Module');
addClass('AnyArrayBuffer', 'ArrayBuffer', 'SharedArrayBuffer');
add('isCryptoKey', () => false);
add('isKeyObject', () => false);
add('isArrayBufferView', ArrayBuffer.isView);
add('isTypedArray', (value) => typed.has(classOf(value)));
for (const name of typedNames.slice(0, -1))
	addClass(name);

exports.isError = (value) => classOf(value) === 'Error' || value instanceof Error;
