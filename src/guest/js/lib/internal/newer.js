/* What the engine has and Node 20 has not: scripts ask for such names, so they are not there. Some the library itself needs. */
'use strict';

const transfer = ArrayBuffer.prototype.transfer;
const detached = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'detached').get;

exports.transfer = (buffer) => transfer.call(buffer);
exports.isDetached = (buffer) => host.classOf(buffer) === 'ArrayBuffer' && detached.call(buffer);
exports.InternalError = globalThis.InternalError;

const NAMES = {
	__proto__: null,
	Array: 'fromAsync', Error: 'isError', JSON: 'isRawJSON rawJSON', Map: 'groupBy', Math: 'f16round sumPrecise', Object: 'groupBy',
	Promise: 'try withResolvers', RegExp: 'escape', Uint8Array: 'fromBase64 fromHex',
};
const METHODS = {
	__proto__: null,
	ArrayBuffer: 'detached immutable sliceToImmutable transfer transferToFixedLength transferToImmutable', DataView: 'getFloat16 setFloat16',
	Function: 'columnNumber fileName lineNumber',
	Iterator: 'constructor chunks drop every filter find flatMap forEach includes join map reduce some take toArray windows',
	Map: 'getOrInsert getOrInsertComputed',
	Set: 'difference intersection isDisjointFrom isSubsetOf isSupersetOf symmetricDifference union',
	Uint8Array: 'setFromBase64 setFromHex toBase64 toHex', WeakMap: 'getOrInsert getOrInsertComputed',
};

function drop(object, names) {
	for (const name of names.split(' '))
		delete object[name];
}

/* What old scripts ask RegExp itself for: it is said that there is none, and not undefined. */
function tell(RegExp) {
	for (const name of ['$1', '$2', '$3', '$4', '$5', '$6', '$7', '$8', '$9', 'input', '$_', 'lastMatch', '$&', 'lastParen', '$+', 'leftContext',
		'$`', 'rightContext', "$'"]) {
		Object.defineProperty(RegExp, name, {
			get() {
				const e = new Error(`RegExp.${name} is not in this sandbox: there is what exec(), match() and replace() give`);
				e.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
				throw e;
			},
			set() {},
			configurable: true, enumerable: false,
		});
	}
}

/* Of the globals of a realm. */
exports.remove = function (g) {
	for (const name in METHODS)
		drop(g[name].prototype, METHODS[name]);
	delete g.Iterator.prototype[Symbol.toStringTag];
	if (Symbol.dispose)
		delete g.Iterator.prototype[Symbol.dispose];
	for (const name in NAMES)
		drop(g[name], NAMES[name]);
	tell(g.RegExp);
	drop(g, 'AsyncDisposableStack DisposableStack Float16Array InternalError Iterator SuppressedError');
};
