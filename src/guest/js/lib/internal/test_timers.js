/* mock.timers of node:test: setTimeout and its like go on when the test says so. */
'use strict';

const { codes } = require('internal/errors');

const APIS = ['setTimeout', 'setInterval', 'setImmediate', 'Date'];

class MockTimers {
	#now = 0;
	#queue = [];
	#serial = 0;
	#saved = null;
	enable(options = {}) {
		if (this.#saved)
			throw codes.ERR_INVALID_STATE('MockTimers is already enabled!');
		const apis = options.apis ?? APIS;
		for (const one of apis) {
			if (!APIS.includes(one))
				throw codes.ERR_INVALID_ARG_VALUE('options.apis', one, `option ${one} is not supported`);
		}
		this.#now = Number(options.now ?? 0);
		this.#saved = {};
		const make = (name, value) => {
			this.#saved[name] = globalThis[name];
			globalThis[name] = value;
		};
		const add = (fn, ms, args, every) => {
			const timer = { id: ++this.#serial, at: this.#now + Math.max(ms || 0, every === undefined && ms === -1 ? 0 : 1), fn, args, every };
			if (ms === -1)
				timer.at = this.#now;
			this.#queue.push(timer);
			return timer;
		};
		const drop = (timer) => {
			this.#queue = this.#queue.filter((one) => one !== timer && one.id !== timer);
		};
		if (apis.includes('setTimeout')) {
			make('setTimeout', (fn, ms, ...args) => add(fn, ms, args));
			make('clearTimeout', drop);
		}
		if (apis.includes('setInterval')) {
			make('setInterval', (fn, ms, ...args) => add(fn, ms, args, Math.max(ms || 0, 1)));
			make('clearInterval', drop);
		}
		if (apis.includes('setImmediate')) {
			make('setImmediate', (fn, ...args) => add(fn, -1, args));
			make('clearImmediate', drop);
		}
		if (apis.includes('Date')) {
			const Real = globalThis.Date, now = () => this.#now;
			make('Date', class Date extends Real {
				constructor(...args) {
					super(...args.length ? args : [now()]);
				}
				static now() {
					return now();
				}
			});
		}
	}
	#check() {
		if (!this.#saved)
			throw codes.ERR_INVALID_STATE('You should enable MockTimers first by calling the .enable function');
	}
	#runTo(end) {
		for (;;) {
			const due = this.#queue.filter((one) => one.at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0];
			if (!due)
				break;
			this.#now = Math.max(this.#now, due.at);
			if (due.every === undefined)
				this.#queue.splice(this.#queue.indexOf(due), 1);
			else
				due.at += due.every;
			due.fn(...due.args);
		}
		this.#now = end;
	}
	tick(ms = 1) {
		this.#check();
		if (ms < 0)
			throw codes.ERR_INVALID_ARG_VALUE('time', 'positive integer', ms);
		this.#runTo(this.#now + ms);
	}
	runAll() {
		this.#check();
		this.#runTo(this.#queue.reduce((most, one) => Math.max(most, one.at), this.#now));
	}
	setTime(ms) {
		this.#check();
		this.#now = ms;
	}
	reset() {
		for (const [name, value] of Object.entries(this.#saved ?? {}))
			globalThis[name] = value;
		this.#saved = null;
		this.#queue = [];
	}
}
exports.MockTimers = MockTimers;
