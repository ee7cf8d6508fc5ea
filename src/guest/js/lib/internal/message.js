/* MessageChannel, MessagePort, MessageEvent and BroadcastChannel, all within one program: messages are cloned and come as tasks. */
'use strict';

const { codes } = require('internal/errors');
const { Event, EventTarget, handlerProperty, trusted } = require('internal/event_target');
const { validateObject } = require('internal/validators');

class MessageEvent extends Event {
	#fields;
	constructor(type, options = {}) {
		super(type, options);
		if (options !== null)
			validateObject(options, 'options');
		const { data = null, origin = '', lastEventId = '', source = null, ports = [] } = options ?? {};
		this.#fields = { data, origin: `${origin}`, lastEventId: `${lastEventId}`, source, ports: [...ports] };
	}
	get data() { return this.#fields.data; }
	get origin() { return this.#fields.origin; }
	get lastEventId() { return this.#fields.lastEventId; }
	get source() { return this.#fields.source; }
	get ports() { return this.#fields.ports; }
}
Object.defineProperty(MessageEvent.prototype, Symbol.toStringTag, { value: 'MessageEvent', configurable: true });

const make = Symbol('make');
const ports = new WeakMap();

/* A port that is being listened to keeps the program, until it is closed or unref() is called. */
function hold(port) {
	const state = ports.get(port);
	const keeps = state.started && !state.closed && state.referenced;
	if (keeps && !state.timer) {
		state.timer = require('timers').setInterval(() => {}, 2 ** 30);
	} else if (!keeps && state.timer) {
		require('timers').clearInterval(state.timer);
		state.timer = null;
	}
}

function deliver(port) {
	const state = ports.get(port);
	if (!state.started || state.scheduled || state.queue.length === 0)
		return;
	state.scheduled = true;
	require('timers').setImmediate(() => {
		state.scheduled = false;
		while (state.queue.length && !state.closed)
			port.dispatchEvent(new MessageEvent('message', { data: state.queue.shift(), [trusted]: true }));
	});
}

class MessagePort extends EventTarget {
	constructor(key) {
		if (key !== make)
			throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
		super();
		ports.set(this, { other: null, queue: [], started: false, closed: false, scheduled: false, referenced: true, timer: null, wrapped: new Map() });
	}
	postMessage(value, transfer = undefined) {
		if (arguments.length === 0)
			throw new TypeError('Not enough arguments');
		const list = Array.isArray(transfer) ? { transfer } : transfer;
		const copy = require('internal/structured_clone').structuredClone(value, list ?? undefined);
		const { other, closed } = ports.get(this);
		if (closed || !other)
			return;
		ports.get(other).queue.push(copy);
		deliver(other);
	}
	start() {
		const state = ports.get(this);
		if (state.closed)
			return;
		state.started = true;
		hold(this);
		deliver(this);
	}
	close() {
		const both = [this, ports.get(this).other];
		for (const port of both) {
			const state = port && ports.get(port);
			if (!state || state.closed || (port !== this && !state.started))
				continue;
			require('timers').setImmediate(() => {
				state.closed = true;
				hold(port);
				port.dispatchEvent(new Event('close'));
			});
		}
	}
	ref() {
		ports.get(this).referenced = true;
		hold(this);
	}
	unref() {
		ports.get(this).referenced = false;
		hold(this);
	}
	hasRef() { return ports.get(this).timer !== null; }
	addEventListener(type, ...rest) {
		super.addEventListener(type, ...rest);
		if (type === 'message')
			this.start();
	}
	/* As an emitter: listeners get the message itself. */
	on(type, listener) {
		const wrapped = (event) => Reflect.apply(listener, this, type === 'message' ? [event.data] : []);
		ports.get(this).wrapped.set(listener, wrapped);
		this.addEventListener(type, wrapped);
		return this;
	}
	once(type, listener) {
		const wrapped = (event) => Reflect.apply(listener, this, type === 'message' ? [event.data] : []);
		this.addEventListener(type, wrapped, { once: true });
		return this;
	}
	off(type, listener) {
		this.removeEventListener(type, ports.get(this).wrapped.get(listener) ?? listener);
		return this;
	}
}
MessagePort.prototype.addListener = MessagePort.prototype.on;
MessagePort.prototype.removeListener = MessagePort.prototype.off;
handlerProperty(MessagePort.prototype, 'message');
handlerProperty(MessagePort.prototype, 'messageerror');
Object.defineProperty(MessagePort.prototype, Symbol.toStringTag, { value: 'MessagePort', configurable: true });

class MessageChannel {
	constructor() {
		this.port1 = new MessagePort(make);
		this.port2 = new MessagePort(make);
		ports.get(this.port1).other = this.port2;
		ports.get(this.port2).other = this.port1;
	}
}

/* All channels of one name get what another one of them posts. */
const channels = new Map();

class BroadcastChannel extends EventTarget {
	#name;
	#port = new MessagePort(make);
	constructor(name) {
		if (arguments.length === 0)
			throw new codes.ERR_MISSING_ARGS('name');
		super();
		this.#name = `${name}`;
		if (!channels.has(this.#name))
			channels.set(this.#name, new Set());
		channels.get(this.#name).add(this);
		this.#port.addEventListener('message', (event) => this.dispatchEvent(new MessageEvent('message', { data: event.data })));
	}
	get name() { return this.#name; }
	postMessage(message) {
		if (arguments.length === 0)
			throw new codes.ERR_MISSING_ARGS('message');
		for (const other of channels.get(this.#name)) {
			if (other === this)
				continue;
			ports.get(other.#port).queue.push(require('internal/structured_clone').structuredClone(message));
			deliver(other.#port);
		}
	}
	close() {
		channels.get(this.#name).delete(this);
		this.#port.close();
	}
	ref() {
		this.#port.ref();
		return this;
	}
	unref() {
		this.#port.unref();
		return this;
	}
}
handlerProperty(BroadcastChannel.prototype, 'message');
Object.defineProperty(BroadcastChannel.prototype, Symbol.toStringTag, { value: 'BroadcastChannel', configurable: true });

/* worker_threads.receiveMessageOnPort: the next message at once. */
exports.receiveMessageOnPort = function (port) {
	const { queue } = ports.get(port);
	return queue.length ? { message: queue.shift() } : undefined;
};
Object.assign(exports, { MessageChannel, MessagePort, MessageEvent, BroadcastChannel });
