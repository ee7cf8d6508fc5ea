/*
 * The event loop: ticks and microtasks, timers, deferred callbacks, descriptors and children, immediates, in Node's order.
 */
'use strict';

/* ---- Tasks: a callback, then all ticks and microtasks ---- */

const { bind } = require('internal/async_context');

const ticks = [];
let tickAt = 0;
const rejections = [];		/* [promise, reason] not handled yet */
const told = new WeakSet();	/* promises whose rejection has been reported */

exports.onError = null;		/* function (error, fromPromise) of internal/fatal */
exports.onRejection = null;	/* function (promise, reason) -> reported */
exports.onHandled = null;	/* function (promise) */

exports.nextTick = function (callback, args) {
	ticks.push(bind(callback), args);
};

function runTicks() {
	while (tickAt < ticks.length) {
		const callback = ticks[tickAt], args = ticks[tickAt + 1];
		tickAt += 2;
		if (tickAt > 1000) {
			ticks.splice(0, tickAt);
			tickAt = 0;
		}
		attempt(callback, undefined, args);
	}
	ticks.length = tickAt = 0;
}

function runJobs() {
	for (;;) {
		try {
			host.runJobs();
			return;
		} catch (e) {
			exports.onError(e, false);
		}
	}
}

/* The same where Node needs no JavaScript of its own for it: error stacks end there (guest_stack.h). */
function checkpoint() {
	for (;;) {
		try {
			host.runJobs();
			return;
		} catch (e) {
			exports.onError(e, false);
		}
	}
}

exports.checkpoint = checkpoint;

function attempt(fn, self, args) {
	try {
		if (args === undefined)
			return fn.call(self);
		return fn.apply(self, args);
	} catch (e) {
		exports.onError(e, false);
	} finally {
		host.context(undefined);	/* of this task alone */
	}
}

function runRejections() {
	const list = rejections.splice(0);
	for (const [promise, reason] of list) {
		told.add(promise);
		attempt(exports.onRejection, undefined, [promise, reason]);
	}
	return list.length !== 0;
}

function drain() {
	if (!ticks.length) {
		checkpoint();
		if (!ticks.length && !rejections.length)
			return;
	}
	do {
		runTicks();
		runJobs();
	} while (ticks.length || runRejections());
}
exports.drain = drain;

exports.rejection = function (promise, reason, handled) {
	if (!handled) {
		rejections.push([promise, reason]);
		return;
	}
	const at = rejections.findIndex(one => one[0] === promise);
	if (at >= 0)
		rejections.splice(at, 1);
	else if (told.has(promise))
		exports.nextTick(exports.onHandled, [promise]);
};

exports.call = function (fn, self, args) {
	const r = attempt(fn, self, args);
	drain();
	return r;
};

/* ---- Timers: a list for each duration, ordered by when its first is due ---- */

const timers = require('internal/timers');

/* ---- What is ready: deferred callbacks, descriptors, children ---- */

let deferred = [];
const watches = new Set();
const children = new Map();
const signals = { fn: null, refs: 0 };
exports.signals = signals;

exports.defer = function (fn, ...args) {
	deferred.push(bind(fn), args);
};

class Watch {
	constructor(fd, events, callback) {
		this.fd = fd;
		this.events = events;
		this.callback = bind(callback);
		this.alive = true;
		watches.add(this);
	}
	close() {
		watches.delete(this);
	}
	ref() {
		this.alive = true;
	}
	unref() {
		this.alive = false;
	}
}
exports.watch = (fd, events, callback) => new Watch(fd, events, callback);

class Child {
	constructor(pid, callback) {
		this.pid = pid;
		this.callback = bind(callback);
		this.alive = true;
		children.set(pid, this);
	}
	ref() {
		this.alive = true;
	}
	unref() {
		this.alive = false;
	}
}
exports.child = (pid, callback) => new Child(pid, callback);

function anyAlive(things) {
	for (const one of things) {
		if (one.alive)
			return true;
	}
	return false;
}

function alive() {
	return deferred.length !== 0 || anyAlive(immediates) || timers.alive() || anyAlive(watches) || anyAlive(children.values()) ||
		signals.refs > 0;
}
exports.alive = alive;

/* Nanoseconds that polling may take. */
function patience() {
	if (deferred.length || anyAlive(immediates) || !alive())
		return 0;
	const due = timers.next();
	return due === Infinity ? -1 : Math.max(0, due - timers.now()) * 1e6;
}

function pollDescriptors() {
	const list = [...watches];
	const fds = new Int32Array(3 * list.length);
	list.forEach((one, i) => {
		fds[3 * i] = one.fd;
		fds[3 * i + 1] = one.events;
	});
	const n = host.poll(fds, patience());
	for (let i = 0; n && i < list.length; i++) {
		if (fds[3 * i + 2] && watches.has(list[i]))
			exports.call(list[i].callback, undefined, [fds[3 * i + 2]]);
	}
}

function pollChildren() {
	for (const one of [...children.values()]) {
		const status = host.wait(one.pid, false);
		if (status < 0)
			continue;
		children.delete(one.pid);
		exports.call(one.callback, undefined, [status]);
	}
}

function pollSignals() {
	let number;
	while (signals.fn && (number = host.takeSignal()) > 0)
		exports.call(signals.fn, undefined, [number]);
}

function poll() {
	const list = deferred;
	deferred = [];
	for (let i = 0; i < list.length; i += 2)
		exports.call(list[i], undefined, list[i + 1]);
	if (watches.size || children.size || signals.fn || patience() !== 0)
		pollDescriptors();
	if (children.size)
		pollChildren();
	if (signals.fn)
		pollSignals();
}

/* ---- Immediates ---- */

let immediates = [];

exports.addImmediate = one => { immediates.push(one); };
exports.dropImmediate = function (one) {
	const at = immediates.indexOf(one);
	if (at >= 0)
		immediates.splice(at, 1);
};

function processImmediate() {
	const list = immediates;
	immediates = [];
	for (const one of list) {
		if (one.dropped)
			continue;
		one.done = true;
		exports.call(one.callback, one, one.args);
	}
}

/* ---- The loop ---- */

function turn() {
	timers.run(exports.call);
	poll();
	if (immediates.length)
		processImmediate();
}

/* Until nothing keeps the process alive; beforeExit() may give it more to do. */
exports.run = function (beforeExit) {
	do {
		while (alive())
			turn();
		exports.call(beforeExit);
	} while (alive());
};
