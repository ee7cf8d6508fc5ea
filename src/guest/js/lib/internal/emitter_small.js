/* As much of an EventEmitter as process needs while the library has none. */
'use strict';

function Emitter() {}
module.exports = Emitter;
Emitter.prototype.on = function (event, fn) {
	const all = this._events ??= { __proto__: null };
	this.emit('newListener', event, fn);
	(all[event] ??= []).push(fn);
	return this;
};
Emitter.prototype.once = function (event, fn) {
	const self = this;
	return this.on(event, function once(...args) {
		self.removeListener(event, once);
		fn.apply(self, args);
	});
};
Emitter.prototype.removeListener = function (event, fn) {
	const list = this._events && this._events[event] || [];
	const at = list.indexOf(fn);
	if (at >= 0)
		list.splice(at, 1);
	return this;
};
Emitter.prototype.emit = function (event, ...args) {
	const list = this._events && this._events[event] || [];
	for (const fn of [...list])
		fn.apply(this, args);
	return list.length > 0;
};
Emitter.prototype.listenerCount = function (event) {
	return (this._events && this._events[event] || []).length;
};
