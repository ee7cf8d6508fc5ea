/*
 * Timers as Node keeps them: those of one duration form a list in the order they were started; the lists are ordered by the
 * time their first timer is due.
 */
'use strict';

const { bind } = require('internal/async_context');

const MAX = 2 ** 31 - 1;

let base = -1;		/* the clock when the first timer was made */
let lastNow = 0;
let first = true;	/* the first turn of the loop */
let lists = [];
let listId = 0;
let alive = 0;		/* timers that keep the process */
let serial = 0;

function now() {
	const ns = host.monotonic();
	if (base < 0)
		base = ns;
	return lastNow = Math.floor((ns - base) / 1e6);
}
exports.now = now;
exports.alive = () => alive > 0;
exports.next = () => lists.length ? lists[0].expiry : Infinity;

function before(a, b) {
	return a.expiry !== b.expiry ? a.expiry < b.expiry : a.id < b.id;
}

function place(list) {
	if (!lists.length) {
		lists = [list];		/* the empty one stays as it is in the image */
		return;
	}
	let at = lists.length;
	while (at > 0 && before(list, lists[at - 1]))
		at--;
	lists.splice(at, 0, list);
}

function listOf(ms, start) {
	let list = lists.find(one => one.ms === ms);
	if (!list) {
		list = { ms, expiry: start + ms, id: listId++, head: null, tail: null };
		place(list);
	}
	return list;
}

function insert(timer, start) {
	const list = listOf(timer.ms, start);
	timer.start = start;
	timer.list = list;
	timer.previous = list.tail;
	timer.following = null;
	if (list.tail)
		list.tail.following = timer;
	else
		list.head = timer;
	list.tail = timer;
	if (timer.refed)
		alive++;
}

function remove(timer) {
	const list = timer.list;
	if (!list)
		return;
	timer.list = null;
	if (timer.previous)
		timer.previous.following = timer.following;
	else
		list.head = timer.following;
	if (timer.following)
		timer.following.previous = timer.previous;
	else
		list.tail = timer.previous;
	if (timer.refed)
		alive--;
	if (!list.head && !list.running)
		lists.splice(lists.indexOf(list), 1);
}

/* What scripts hold. Its fields are hidden in a private state, as what Node shows differs anyway. */
class Timeout {
	#state;
	constructor(callback, ms, args, repeat) {
		if (!(ms >= 1))
			ms = 1;
		if (ms > MAX) {
			process.emitWarning(`${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
				'TimeoutOverflowWarning');
			ms = 1;
		}
		ms = Math.trunc(ms);
		this.#state = { callback: bind(callback), ms, args, repeat, refed: true, list: null, handle: this, destroyed: false, id: 0 };
		insert(this.#state, now());
	}
	ref() {
		const s = this.#state;
		if (!s.refed && s.list)
			alive++;
		s.refed = true;
		return this;
	}
	unref() {
		const s = this.#state;
		if (s.refed && s.list)
			alive--;
		s.refed = false;
		return this;
	}
	hasRef() {
		return this.#state.refed;
	}
	refresh() {
		const s = this.#state;
		if (!s.destroyed) {
			remove(s);
			insert(s, now());
		}
		return this;
	}
	close() {
		exports.clear(this);
		return this;
	}
	[Symbol.toPrimitive]() {
		const s = this.#state;
		if (!s.id) {
			s.id = ++serial;
			numbered.set(s.id, this);
		}
		return s.id;
	}
	[Symbol.dispose]() {
		exports.clear(this);
	}
	static stop(timer) {
		const s = timer.#state;
		s.destroyed = true;
		numbered.delete(s.id);
		remove(s);
	}
}
exports.Timeout = Timeout;

const numbered = new Map();

exports.clear = function (timer) {
	if (typeof timer === 'number' || typeof timer === 'string')
		timer = numbered.get(Number(timer));
	if (timer instanceof Timeout)
		Timeout.stop(timer);
};

function listOnTimeout(list, time, call) {
	list.running = true;
	let timer;
	while ((timer = list.head)) {
		if (time - timer.start < list.ms) {
			time = now();
			if (time - timer.start < list.ms) {
				list.expiry = Math.max(timer.start + list.ms, time + 1);
				list.id = listId++;
				list.running = false;
				lists.splice(lists.indexOf(list), 1);
				place(list);
				return;
			}
		}
		const start = timer.repeat ? now() : 0;
		remove(timer);
		call(timer.callback, timer.handle, timer.args);
		if (timer.repeat && !timer.destroyed && !timer.list)
			insert(timer, start);
	}
	list.running = false;
	if (!list.head)
		lists.splice(lists.indexOf(list), 1);
}

/* All that are due. In the first turn a millisecond has always passed, as starting takes Node longer than that. */
exports.run = function (call) {
	if (!lists.length)
		return;
	let time = now() + (first ? 1 : 0);
	first = false;
	while (lists.length) {
		const list = lists[0];
		if (list.expiry > time) {
			time = Math.max(time, now());
			if (list.expiry > time)
				return;
		}
		listOnTimeout(list, time, call);
	}
};
