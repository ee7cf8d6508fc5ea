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

/* The property is not the engine's, which would ask when an error is made; V8 does when the stack is read. */
function ErrorPrepareStackTrace(error, trace) {
	return [heading(error), ...trace].join('\n    at ');
}
Object.defineProperty(Error, 'prepareStackTrace', { value: ErrorPrepareStackTrace, writable: true, configurable: true, enumerable: false });

function isPrepared() {
	return typeof Error.prepareStackTrace === 'function' && Error.prepareStackTrace !== ErrorPrepareStackTrace;
}

function withHeading(error, text) {
	if (typeof text !== 'string')
		return text;
	if (isPrepared())
		return Error.prepareStackTrace(error, require('internal/call_sites').sitesOf(text));
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
		own(this, value);
	},
});

function own(target, value) {
	Object.defineProperty(target, 'stack', { value, writable: true, configurable: true, enumerable: false });
}

Error.captureStackTrace = function captureStackTrace(target, above) {
	const from = typeof above === 'function' ? above : captureStackTrace;
	if (classOf(target) !== 'Error' || given.has(target)) {
		nativeCapture(target, from);
		if (isPrepared())
			own(target, withHeading(target, target.stack));
		return;
	}
	const found = {};
	nativeCapture(found, from);
	captured.set(target, found.stack);
	if (read.delete(target))	/* it may be a property of its own by now (guest_own_stack.h) */
		own(target, withHeading(target, found.stack));
};
Object.defineProperty(Error, 'captureStackTrace', { enumerable: false });
