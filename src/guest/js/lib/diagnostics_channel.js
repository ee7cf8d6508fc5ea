/* diagnostics_channel: named channels that libraries publish on. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction } = require('internal/validators');

const channels = new Map();

class Channel {
	#subscribers = [];
	#stores = new Map();
	constructor(name) {
		this.name = name;
	}
	get hasSubscribers() { return this.#subscribers.length > 0 || this.#stores.size > 0; }
	subscribe(subscription) {
		validateFunction(subscription, 'subscription');
		this.#subscribers = [...this.#subscribers, subscription];
	}
	unsubscribe(subscription) {
		const at = this.#subscribers.indexOf(subscription);
		if (at === -1)
			return false;
		this.#subscribers = this.#subscribers.filter((_, i) => i !== at);
		return true;
	}
	bindStore(store, transform) { this.#stores.set(store, transform); }
	unbindStore(store) { return this.#stores.delete(store); }
	publish(data) {
		for (const subscriber of this.#subscribers) {
			try {
				subscriber(data, this.name);
			} catch (error) {
				require('process').nextTick(() => { throw error; });
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

function channel(name) {
	if (typeof name !== 'string' && typeof name !== 'symbol')
		throw new codes.ERR_INVALID_ARG_TYPE('channel', ['string', 'symbol'], name);
	if (!channels.has(name))
		channels.set(name, new Channel(name));
	return channels.get(name);
}

const steps = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

class TracingChannel {
	constructor(names) {
		for (const step of steps)
			this[step] = typeof names === 'string' ? channel(`tracing:${names}:${step}`) : names[step];
	}
	subscribe(handlers) { steps.forEach((step) => handlers[step] && this[step].subscribe(handlers[step])); }
	unsubscribe(handlers) { return steps.map((step) => !handlers[step] || this[step].unsubscribe(handlers[step])).every(Boolean); }
	traceSync(fn, context = {}, self, ...args) {
		return this.start.runStores(context, () => {
			try {
				return context.result = Reflect.apply(fn, self, args);
			} catch (error) {
				context.error = error;
				this.error.publish(context);
				throw error;
			} finally {
				this.end.publish(context);
			}
		});
	}
	tracePromise(fn, context = {}, self, ...args) {
		const settle = (key, value) => {
			context[key] = value;
			if (key === 'error')
				this.error.publish(context);
			this.asyncStart.publish(context);
			this.asyncEnd.publish(context);
			return value;
		};
		return this.start.runStores(context, () => {
			try {
				return Promise.resolve(Reflect.apply(fn, self, args)).then((value) => settle('result', value), (error) => Promise.reject(settle('error', error)));
			} catch (error) {
				context.error = error;
				this.error.publish(context);
				throw error;
			} finally {
				this.end.publish(context);
			}
		});
	}
}

module.exports = {
	channel, hasSubscribers: (name) => channels.has(name) && channels.get(name).hasSubscribers,
	subscribe: (name, fn) => channel(name).subscribe(fn), unsubscribe: (name, fn) => channel(name).unsubscribe(fn),
	tracingChannel: (names) => new TracingChannel(names), Channel,
};
