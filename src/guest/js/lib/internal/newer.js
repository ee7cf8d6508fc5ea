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

/* What old scripts ask RegExp itself for: parts of the last match. */
function part(from, to) {
	const last = host.lastMatch();
	return last ? last[0].slice(from(last), to(last)) : '';
}

function group(i) {
	const zero = (last) => Math.max(last[1 + 2 * i] ?? 0, 0);
	return () => part(zero, (last) => Math.max(last[2 + 2 * i] ?? 0, 0));
}

const GROUPS = 10;		/* one that is never there */
const lastMatch = group(0);
const PARTS = {
	__proto__: null,
	input: () => host.lastMatch()?.[0] ?? '', lastMatch,
	lastParen: () => group(((host.lastMatch()?.length ?? 3) - 3) / 2 || GROUPS)(),
	leftContext: () => part(() => 0, (last) => last[1]),
	rightContext: () => part((last) => last[2], (last) => last[0].length),
};
const SHORT = { __proto__: null, input: '$_', lastMatch: '$&', lastParen: '$+', leftContext: '$`', rightContext: "$'" };

function tell(RegExp) {
	function add(name, get) {
		Object.defineProperty(RegExp, name, { get, set() {}, configurable: true, enumerable: false });
	}
	for (const name in PARTS) {
		add(name, PARTS[name]);
		add(SHORT[name], PARTS[name]);
	}
	for (let i = 1; i < GROUPS; i++)
		add(`$${i}`, group(i));
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
