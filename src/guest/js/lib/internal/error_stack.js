/*
 * error.stack as V8 keeps it: the frames are of the time the error was made, the line above them (name and message) is
 * written when the stack is first read, and stays so. Classes that set this.name behind super() depend on that.
 */
'use strict';

const native = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
const nativeCapture = Error.captureStackTrace;
const read = new WeakMap();		/* error -> the text that was read */
const captured = new WeakMap();		/* error -> what captureStackTrace() found */
const given = new WeakSet();		/* errors whose stack a script has set */
const { classOf } = host;

function heading(error) {
	try {
		return Error.prototype.toString.call(error);
	} catch {
		return '<error>';
	}
}

function withHeading(error, text) {
	if (typeof text !== 'string' || typeof Error.prepareStackTrace === 'function')
		return text;	/* as that function made it */
	const at = text.indexOf('\n    at ');
	return at < 0 ? heading(error) : heading(error) + text.slice(at);
}

Object.defineProperty(Error.prototype, 'stack', {
	configurable: true, enumerable: false,
	get() {
		let error = this;
		while (classOf(error) !== 'Error') {
			error = typeof error === 'object' && error !== null ? Object.getPrototypeOf(error) : null;
			if (error === null)
				return undefined;
		}
		if (read.has(error))
			return read.get(error);
		const text = withHeading(error, captured.has(error) ? captured.get(error) : native.get.call(error));
		read.set(error, text);
		return text;
	},
	set(value) {
		if ((typeof this !== 'object' || this === null) && typeof this !== 'function')
			return;
		given.add(this);
		Object.defineProperty(this, 'stack', { value, writable: true, configurable: true, enumerable: false });
	},
});

Error.captureStackTrace = function captureStackTrace(target, above) {
	const from = typeof above === 'function' ? above : captureStackTrace;
	if (classOf(target) !== 'Error' || typeof Error.prepareStackTrace === 'function' || given.has(target)) {
		nativeCapture(target, from);
		return;
	}
	const found = {};
	nativeCapture(found, from);
	captured.set(target, found.stack);
	if (read.delete(target))	/* it may be a property of its own by now (guest_own_stack.h) */
		Object.defineProperty(target, 'stack', { value: withHeading(target, found.stack), writable: true, configurable: true, enumerable: false });
};
Object.defineProperty(Error, 'captureStackTrace', { enumerable: false });
