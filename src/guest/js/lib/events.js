/* EventEmitter. The waiting forms (events.once, events.on) are in internal/event_waits.js. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateNumber, validateBoolean } = require('internal/validators');
const { inspect } = require('internal/inspect');

const kCapture = Symbol('kCapture');
const kShape = Symbol('shapeMode');
const kRejection = Symbol.for('nodejs.rejection');
const errorMonitor = Symbol('events.errorMonitor');
const maxTarget = Symbol('events.maxEventTargetListeners');
let defaultMaxListeners = 10;
let captureByDefault = false;

function EventEmitter(options) {
	EventEmitter.init.call(this, options);
}

EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;
Object.defineProperty(EventEmitter.prototype, kCapture, { value: false, writable: true, enumerable: false });

EventEmitter.init = function (options) {
	if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
		this._events = { __proto__: null };
		this._eventsCount = 0;
	}
	this._maxListeners = this._maxListeners || undefined;
	this[kShape] = false;
	if (options && options.captureRejections !== undefined) {
		validateBoolean(options.captureRejections, 'options.captureRejections');
		this[kCapture] = Boolean(options.captureRejections);
	} else {
		this[kCapture] = captureByDefault;
	}
};

function checkListener(listener) {
	validateFunction(listener, 'listener');
}

/* ---- emitting ---- */

function unhandled(error, rest) {
	if (error instanceof Error)
		return error;
	let shown;
	try {
		shown = inspect(error);
	} catch {
		shown = error;
	}
	const made = new codes.ERR_UNHANDLED_ERROR(shown);
	made.context = error;
	void rest;
	const on = /\n    at ([^\n(]*\.)?emit \(node:events/.exec(made.stack)?.[1] ?? '';
	return require('internal/fatal').made(made, [`${on}emit (node:events:513:17)`], / \(?node:events:/, 'events:515');
}

/* An async listener that fails: its error goes to the emitter. */
function watchRejection(emitter, promise, type, args) {
	const { then } = promise;
	if (typeof then !== 'function')
		return;
	then.call(promise, undefined, (error) => {
		require('process').nextTick(() => {
			if (typeof emitter[kRejection] === 'function') {
				emitter[kRejection](error, type, ...args);
				return;
			}
			const previous = emitter[kCapture];
			try {
				emitter[kCapture] = false;
				emitter.emit('error', error);
			} finally {
				emitter[kCapture] = previous;
			}
		});
	});
}

require('internal/emit').install(EventEmitter, { kCapture, errorMonitor, watchRejection, unhandled });

/* ---- listening ---- */

function limitOf(emitter) {
	return emitter._maxListeners === undefined ? defaultMaxListeners : emitter._maxListeners;
}

function warnMany(emitter, list, type) {
	const limit = limitOf(emitter);
	if (!(limit > 0 && list.length > limit) || list.warned)
		return;
	list.warned = true;
	const warning = new Error(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ` +
		`${inspect(emitter, { depth: -1 })}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`);
	warning.name = 'MaxListenersExceededWarning';
	warning.emitter = emitter;
	warning.type = type;
	warning.count = list.length;
	require('process').emitWarning(warning);
}

function add(emitter, type, listener, front) {
	checkListener(listener);
	let events = emitter._events;
	if (events === undefined) {
		events = emitter._events = { __proto__: null };
		emitter._eventsCount = 0;
	} else if (events.newListener !== undefined) {
		emitter.emit('newListener', type, listener.listener ?? listener);
		events = emitter._events;
	}
	const existing = events[type];
	if (existing === undefined) {
		events[type] = listener;
		emitter._eventsCount++;
		return emitter;
	}
	if (typeof existing === 'function')
		events[type] = front ? [listener, existing] : [existing, listener];
	else if (front)
		existing.unshift(listener);
	else
		existing.push(listener);
	warnMany(emitter, events[type], type);
	return emitter;
}

EventEmitter.prototype.addListener = function addListener(type, listener) {
	return add(this, type, listener, false);
};
EventEmitter.prototype.on = EventEmitter.prototype.addListener;
EventEmitter.prototype.prependListener = function prependListener(type, listener) {
	return add(this, type, listener, true);
};

/* Takes itself off before it calls. */
function onceWrap(emitter, type, listener) {
	let fired = false;
	function bound(...args) {
		if (fired)
			return undefined;
		emitter.removeListener(type, bound);
		fired = true;
		return Reflect.apply(listener, emitter, args);
	}
	Object.defineProperty(bound, 'name', { value: 'bound onceWrapper', configurable: true });
	bound.listener = listener;
	return bound;
}

EventEmitter.prototype.once = function once(type, listener) {
	checkListener(listener);
	return this.on(type, onceWrap(this, type, listener));
};
EventEmitter.prototype.prependOnceListener = function prependOnceListener(type, listener) {
	checkListener(listener);
	return this.prependListener(type, onceWrap(this, type, listener));
};

function forget(emitter, type) {
	if (--emitter._eventsCount === 0)
		emitter._events = { __proto__: null };
	else
		delete emitter._events[type];
}

EventEmitter.prototype.removeListener = function removeListener(type, listener) {
	checkListener(listener);
	const events = this._events;
	const list = events === undefined ? undefined : events[type];
	if (list === undefined)
		return this;
	if (typeof list === 'function') {
		if (list !== listener && list.listener !== listener)
			return this;
		forget(this, type);
		if (events.removeListener)
			this.emit('removeListener', type, list.listener || listener);
		return this;
	}
	const at = list.findLastIndex((one) => one === listener || one.listener === listener);
	if (at < 0)
		return this;
	list.splice(at, 1);
	if (list.length === 1)
		events[type] = list[0];
	if (events.removeListener !== undefined)
		this.emit('removeListener', type, listener);
	return this;
};
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

EventEmitter.prototype.removeAllListeners = function removeAllListeners(type) {
	const events = this._events;
	if (events === undefined)
		return this;
	if (events.removeListener === undefined) {
		if (arguments.length === 0) {
			this._events = { __proto__: null };
			this._eventsCount = 0;
		} else if (events[type] !== undefined) {
			forget(this, type);
		}
		return this;
	}
	if (arguments.length === 0) {
		for (const key of Reflect.ownKeys(events)) {
			if (key !== 'removeListener')
				this.removeAllListeners(key);
		}
		this.removeAllListeners('removeListener');
		this._events = { __proto__: null };
		this._eventsCount = 0;
		return this;
	}
	const list = events[type];
	if (typeof list === 'function')
		this.removeListener(type, list);
	else if (list !== undefined)
		[...list].reverse().forEach((one) => this.removeListener(type, one));
	return this;
};

/* ---- asking ---- */

function listenersOf(emitter, type, unwrap) {
	const list = emitter._events === undefined ? undefined : emitter._events[type];
	if (list === undefined)
		return [];
	const all = typeof list === 'function' ? [list] : [...list];
	return unwrap ? all.map((one) => one.listener || one) : all;
}

EventEmitter.prototype.listeners = function listeners(type) {
	return listenersOf(this, type, true);
};
EventEmitter.prototype.rawListeners = function rawListeners(type) {
	return listenersOf(this, type, false);
};
EventEmitter.prototype.listenerCount = function listenerCount(type, listener) {
	const all = listenersOf(this, type, false);
	return listener == null ? all.length : all.filter((one) => one === listener || one.listener === listener).length;
};
EventEmitter.prototype.eventNames = function eventNames() {
	return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
};
EventEmitter.prototype.setMaxListeners = function setMaxListeners(n) {
	validateNumber(n, 'setMaxListeners', 0);
	this._maxListeners = n;
	return this;
};
EventEmitter.prototype.getMaxListeners = function getMaxListeners() {
	return limitOf(this);
};

/* ---- of the module ---- */

EventEmitter.listenerCount = (emitter, type) => typeof emitter.listenerCount === 'function' ?
	emitter.listenerCount(type) : EventEmitter.prototype.listenerCount.call(emitter, type);

EventEmitter.setMaxListeners = function (n = defaultMaxListeners, ...targets) {
	validateNumber(n, 'setMaxListeners', 0);
	if (targets.length === 0) {
		defaultMaxListeners = n;
		return;
	}
	for (const target of targets) {
		if (typeof target.setMaxListeners === 'function')
			target.setMaxListeners(n);
		else if (target[maxTarget] !== undefined || require('internal/event_target').isEventTarget(target))
			target[maxTarget] = n;
		else
			throw new codes.ERR_INVALID_ARG_TYPE('eventTargets', ['EventEmitter', 'EventTarget'], target);
	}
};

EventEmitter.getMaxListeners = function (target) {
	if (typeof target?.getMaxListeners === 'function')
		return limitOf(target);
	if (require('internal/event_target').isEventTarget(target))
		return target[maxTarget] ?? defaultMaxListeners;
	throw new codes.ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], target);
};

EventEmitter.getEventListeners = function (target, type) {
	if (typeof target.listeners === 'function')
		return target.listeners(type);
	const { isEventTarget, listenersOf: ofTarget } = require('internal/event_target');
	if (isEventTarget(target))
		return ofTarget(target, type);
	throw new codes.ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], target);
};

for (const name of ['once', 'on', 'addAbortListener'])
	EventEmitter[name] = { [name](...args) { return require('internal/event_waits')[name](...args); } }[name];

Object.defineProperties(EventEmitter, {
	defaultMaxListeners: {
		enumerable: true,
		get() { return defaultMaxListeners; },
		set(n) {
			validateNumber(n, 'defaultMaxListeners', 0);
			defaultMaxListeners = n;
		},
	},
	captureRejections: {
		enumerable: true,
		get() { return captureByDefault; },
		set(value) {
			validateBoolean(value, 'EventEmitter.captureRejections');
			captureByDefault = value;
		},
	},
	EventEmitterAsyncResource: { enumerable: true, get() { return EventEmitter; }, configurable: true },
});
EventEmitter.captureRejectionSymbol = kRejection;
EventEmitter.errorMonitor = errorMonitor;
EventEmitter.usingDomains = false;
EventEmitter.EventEmitter = EventEmitter;

module.exports = EventEmitter;
