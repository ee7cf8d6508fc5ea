/* diagnostics_channel: named channels for messages about what a program does. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction } = require('internal/validators');

const channels = new Map();

class Channel {
	#subscribers = [];
	#stores = new Map();
	constructor(name) {
		this.name = name;
		channels.set(name, this);
	}
	get hasSubscribers() { return this.#subscribers.length > 0 || this.#stores.size > 0; }
	subscribe(subscription) {
		validateFunction(subscription, 'subscription');
		this.#subscribers = [...this.#subscribers, subscription];
	}
	unsubscribe(subscription) {
		const at = this.#subscribers.indexOf(subscription);
		if (at < 0)
			return false;
		this.#subscribers = this.#subscribers.toSpliced(at, 1);
		return true;
	}
	bindStore(store, transform) {
		this.#stores.set(store, transform);
	}
	unbindStore(store) {
		return this.#stores.delete(store);
	}
	/* A subscriber's error is nobody's but its own. */
	publish(data) {
		for (const subscriber of this.#subscribers) {
			try {
				subscriber(data, this.name);
			} catch (e) {
				process.nextTick(() => { throw e; });
			}
		}
	}
	runStores(data, fn, self, ...args) {
		let run = () => {
			this.publish(data);
			return Reflect.apply(fn, self, args);
		};
		for (const [store, transform] of this.#stores) {
			const inner = run;
			run = () => store.run(transform ? transform(data) : data, inner);
		}
		return run();
	}
}

function checkName(name) {
	if (typeof name !== 'string' && typeof name !== 'symbol')
		throw new codes.ERR_INVALID_ARG_TYPE('channel', ['string', 'symbol'], name);
}

function channel(name) {
	checkName(name);
	return channels.get(name) ?? new Channel(name);
}

function subscribe(name, subscription) { return channel(name).subscribe(subscription); }
function unsubscribe(name, subscription) { return channel(name).unsubscribe(subscription); }
function hasSubscribers(name) { return channels.get(name)?.hasSubscribers ?? false; }

/* ---- Tracing: five channels around a call ---- */

const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

class TracingChannel {
	constructor(given) {
		for (const event of events) {
			const one = typeof given === 'string' ? channel(`tracing:${given}:${event}`) : given[event];
			if (!(one instanceof Channel))
				throw new codes.ERR_INVALID_ARG_TYPE(`nameOrChannels.${event}`, ['Channel'], one);
			Object.defineProperty(this, event, { value: one, enumerable: true });
		}
	}
	get hasSubscribers() { return events.some((event) => this[event].hasSubscribers); }
	subscribe(handlers) {
		for (const event of events) {
			if (handlers[event])
				this[event].subscribe(handlers[event]);
		}
	}
	unsubscribe(handlers) {
		return events.map((event) => !handlers[event] || this[event].unsubscribe(handlers[event])).every(Boolean);
	}
	traceSync(fn, data = {}, self, ...args) {
		return this.start.runStores(data, () => {
			try {
				return data.result = Reflect.apply(fn, self, args);
			} catch (e) {
				data.error = e;
				this.error.publish(data);
				throw e;
			} finally {
				this.end.publish(data);
			}
		});
	}
	#settled(data, key, value) {
		data[key] = value;
		if (key === 'error')
			this.error.publish(data);
		this.asyncStart.publish(data);
		this.asyncEnd.publish(data);
	}
	tracePromise(fn, data = {}, self, ...args) {
		return this.start.runStores(data, () => {
			try {
				return Promise.resolve(Reflect.apply(fn, self, args)).then((result) => {
					this.#settled(data, 'result', result);
					return result;
				}, (e) => {
					this.#settled(data, 'error', e);
					return Promise.reject(e);
				});
			} catch (e) {
				data.error = e;
				this.error.publish(data);
				throw e;
			} finally {
				this.end.publish(data);
			}
		});
	}
	traceCallback(fn, position = -1, data = {}, self, ...args) {
		const at = position < 0 ? args.length + position : position, callback = args[at];
		validateFunction(callback, 'callback');
		const channels = this;
		args[at] = function (error, result) {
			if (error) {
				data.error = error;
				channels.error.publish(data);
			} else {
				data.result = result;
			}
			return channels.asyncStart.runStores(data, () => {
				try {
					return Reflect.apply(callback, this, arguments);
				} finally {
					channels.asyncEnd.publish(data);
				}
			});
		};
		return this.start.runStores(data, () => {
			try {
				return Reflect.apply(fn, self, args);
			} catch (e) {
				data.error = e;
				this.error.publish(data);
				throw e;
			} finally {
				this.end.publish(data);
			}
		});
	}
}

module.exports = {
	channel, hasSubscribers, subscribe, tracingChannel: function tracingChannel(given) { return new TracingChannel(given); }, unsubscribe,
	Channel,
};
