/* AbortController and AbortSignal. */
'use strict';

const { codes } = require('internal/errors');
const { validateUint32 } = require('internal/validators');
const { EventTarget, Event, handlerProperty, trusted } = require('internal/event_target');
const { DOMException, within } = require('internal/dom_exception');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const make = Symbol('make');
const states = new WeakMap();

function stateOf(signal, name = 'AbortSignal') {
	const state = signal !== null && typeof signal === 'object' ? states.get(signal) : undefined;
	if (state === undefined)
		throw new codes.ERR_INVALID_THIS(name);
	return state;
}

function show(self, fields, depth, options, inspect) {
	if (depth < 0)
		return self;
	const deeper = { ...options, depth: options.depth == null ? null : options.depth - 1 };
	return `${self.constructor.name} ${inspect(fields, deeper)}`;
}

class AbortSignal extends EventTarget {
	constructor(key) {
		if (key !== make)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		super();
		states.set(this, { aborted: false, reason: undefined, dependents: new Set() });
	}
	get aborted() { return !!stateOf(this).aborted; }
	get reason() { return stateOf(this).reason; }
	throwIfAborted() {
		const state = stateOf(this);
		if (state.aborted)
			throw state.reason;
	}
	[inspectSymbol](depth, options, inspect) {
		return show(this, { aborted: this.aborted }, depth, options, inspect);
	}
	static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
		const signal = new AbortSignal(make);
		Object.assign(states.get(signal), { aborted: true, reason });
		return signal;
	}
	static timeout(delay) {
		validateUint32(delay, 'delay');
		const signal = new AbortSignal(make);
		require('timers').setTimeout(() => {
			abort(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
		}, delay).unref();
		return signal;
	}
	static any(signals) {
		if (!Array.isArray(signals) && !(signals && typeof signals[Symbol.iterator] === 'function'))
			throw new codes.ERR_INVALID_ARG_TYPE('signals', 'Array', signals);
		const list = [...signals], signal = new AbortSignal(make);
		list.forEach((one, i) => {
			if (!states.has(one))
				throw new codes.ERR_INVALID_ARG_TYPE(`signals[${i}]`, 'AbortSignal', one);
		});
		const first = list.find((one) => one.aborted);
		if (first !== undefined)
			Object.assign(states.get(signal), { aborted: true, reason: first.reason });
		else
			list.forEach((one) => states.get(one).dependents.add(signal));
		return signal;
	}
}

function abort(signal, reason) {
	const state = states.get(signal);
	if (state.aborted)
		return;
	state.aborted = true;
	state.reason = reason;
	signal.dispatchEvent(new Event('abort', { [trusted]: true }));
	for (const one of state.dependents)
		abort(one, reason);
}

const signals = new WeakMap();

class AbortController {
	get signal() {
		if (!(this instanceof AbortController))
			throw new codes.ERR_INVALID_THIS('AbortController');
		if (!signals.has(this))
			signals.set(this, new AbortSignal(make));
		return signals.get(this);
	}
	abort(reason = within(new DOMException('This operation was aborted', 'AbortError'),
		'AbortController.abort (node:internal/abort_controller:391:18)')) {
		abort(this.signal, reason);
	}
	[inspectSymbol](depth, options, inspect) {
		return show(this, { signal: this.signal }, depth, options, inspect);
	}
}

handlerProperty(AbortSignal.prototype, 'abort');
for (const [Class, names] of [[AbortSignal, ['aborted']], [AbortController, ['signal', 'abort']]]) {
	names.forEach((name) => Object.defineProperty(Class.prototype, name, { enumerable: true }));
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
}

Object.assign(exports, { AbortController, AbortSignal });
