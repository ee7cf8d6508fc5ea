/* EventEmitter.prototype.emit; stacks show it as Node's (guest_stack.h knows these functions by their names). */
'use strict';

/* error -> where it was emitted with nobody to hear: told when nobody catches it either */
const emitted = new WeakMap();
exports.emitted = emitted;

exports.install = function (EventEmitter, { kCapture, errorMonitor, watchRejection, unhandled }) {
	function call(emitter, handler, type, args) {
		const result = Reflect.apply(handler, emitter, args);
		if (emitter[kCapture] && result !== undefined && result !== null)
			watchRejection(emitter, result, type, args);
	}

	function emitMany(handlers, type, args) {
		for (const one of handlers.slice())
			call(this, one, type, args);
	}

	function noOne(emitter, args) {
		const error = unhandled(args[0], args);
		if (error === args[0] && error instanceof Error) {
			const holder = {};
			Error.captureStackTrace(holder, EventEmitter.prototype.emit);
			const name = emitter.constructor?.name;
			emitted.set(error, { on: name && name !== 'EventEmitter' ? ` on ${name} instance` : '', stack: holder.stack });
		}
		throw error;
	}

	EventEmitter.prototype.emit = function emit(type, ...args) {
		const events = this._events;
		if (type === 'error') {
			if (events !== undefined && events[errorMonitor] !== undefined)
				this.emit(errorMonitor, ...args);
			if (events === undefined || events.error === undefined)
				noOne(this, args);
		}
		const handler = events === undefined ? undefined : events[type];
		if (handler === undefined)
			return false;
		if (typeof handler === 'function')
			call(this, handler, type, args);
		else
			emitMany.call(this, handler, type, args);
		return true;
	};
};

/* The longest run of lines of `own` that is in `other` as well: [length, where in own]. */
function common(own, other) {
	for (let i = 0; i < own.length - 3; i++) {
		const at = other.indexOf(own[i]);
		if (at < 0)
			continue;
		let n = 1;
		while (i + n < own.length && at + n < other.length && own[i + n] === other[at + n])
			n++;
		if (n > 3)
			return [n, i];
	}
	return [0, 0];
}

/* error.stack, with where it was emitted. */
exports.stackOf = function (error) {
	const { on, stack } = emitted.get(error);
	const own = stack.split('\n').slice(1), [n, at] = common(own, error.stack.split('\n').slice(1));
	if (n > 3)
		own.splice(at + 1, n - 2, '    [... lines matching original stack trace ...]');
	return `${error.stack}\nEmitted 'error' event${on} at:\n${own.join('\n')}`;
};
