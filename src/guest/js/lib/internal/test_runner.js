/*
 * node:test: tests and suites, and in which order they run. What happens is told to a reporter (test_report.js) as events with
 * Node's names. One test runs at a time.
 */
'use strict';

const { performance } = require('perf_hooks');
const { process } = require('internal/process');
const { codes } = require('internal/errors');

exports.patterns = { name: [], skip: [], only: false, timeout: undefined };	/* of the options */

const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
exports.counts = counts;

class TestFailure extends Error {
	constructor(message, type, cause) {
		super(message);
		this.failureType = type;
		this.cause = cause;
		this.code = 'ERR_TEST_FAILURE';
	}
}

let report = null;	/* function (type, data) */
const tell = (type, data) => {
	report ??= require('internal/test_report').open(exports);
	report(type, data);
};
exports.tell = tell;

/* Where a script called: "file:line:column" of the first frame that is no one of ours. */
function callSite() {
	const holder = {};
	Error.captureStackTrace(holder, callSite);
	const found = /\n {4}at (?:async )?(?:[^\n]*?\()?((?:file:\/\/)?\/[^\n]*?|\[\w+\]):(\d+):(\d+)\)?(?=\n|$)/.exec(holder.stack);
	if (!found)
		return {};
	const file = found[1].startsWith('file:') ? require('internal/fileurl').toPath(found[1]) : found[1];
	return { file, line: Number(found[2]), column: Number(found[3]) };
}

/* ---- What a test function gets ---- */

class TestContext {
	#test;
	constructor(test) {
		this.#test = test;
	}
	get name() {
		return this.#test.name;
	}
	get fullName() {
		return this.#test.fullName();
	}
	get filePath() {
		return this.#test.where.file;
	}
	get signal() {
		return this.#test.controller.signal;
	}
	get mock() {
		return this.#test.mock ??= new (require('internal/test_mock').MockTracker)();
	}
	get assert() {
		return require('assert');
	}
	diagnostic(message) {
		this.#test.notes.push(`${message}`);
	}
	skip(message) {
		this.#test.skipped = message === undefined ? true : message;
	}
	todo(message) {
		this.#test.todo = message === undefined ? true : message;
	}
	runOnly() {}
	plan(count) {
		this.#test.plan = count;
	}
	test(name, options, fn) {
		return this.#test.add('test', name, options, fn);
	}
	before(fn, options) {
		this.#test.hook('before', fn, options);
	}
	after(fn, options) {
		this.#test.hook('after', fn, options);
	}
	beforeEach(fn, options) {
		this.#test.hook('beforeEach', fn, options);
	}
	afterEach(fn, options) {
		this.#test.hook('afterEach', fn, options);
	}
}

class SuiteContext {
	#suite;
	constructor(suite) {
		this.#suite = suite;
	}
	get name() {
		return this.#suite.name;
	}
	get filePath() {
		return this.#suite.where.file;
	}
	get signal() {
		return this.#suite.controller.signal;
	}
}

/* fn(context[, done]) as a promise of its end, within `timeout` and until what it waits for is all that is left. */
function settle(fn, self, args, timeout, cancel) {
	return new Promise((resolve, reject) => {
		let timer;
		const end = (then, value) => {
			clearTimeout(timer);
			then(value);
		};
		cancel?.(() => end(reject, new TestFailure('Promise resolution is still pending but the event loop has already resolved',
			'cancelledByParent')));
		if (timeout !== undefined && timeout !== Infinity) {
			timer = setTimeout(() => end(reject, new TestFailure(`test timed out after ${timeout}ms`, 'testTimeoutFailure')), timeout);
		}
		let result;
		if (fn.length > args.length) {
			result = fn.call(self, ...args, (error) => {
				if (error)
					end(reject, error);
				else
					end(resolve);
			});
			if (result !== null && typeof result === 'object' && typeof result.then === 'function')
				end(reject, new TestFailure('passed a callback but also returned a Promise', 'callbackAndPromisePresent'));
			return;
		}
		try {
			result = fn.call(self, ...args);
		} catch (e) {
			end(reject, e);
			return;
		}
		if (result !== null && typeof result === 'object' && typeof result.then === 'function')
			result.then(() => end(resolve), (e) => end(reject, e));
		else
			end(resolve);
	});
}

const message = (reason) => typeof reason === 'string' ? reason : true;

let current = null;	/* the test that runs: what is thrown outside of any call is its failure */

class Test {
	constructor(kind, name, options, fn, parent) {
		if (typeof name === 'function') {
			fn = name;
			name = options = undefined;
		} else if (name !== null && typeof name === 'object') {
			fn = options;
			options = name;
			name = undefined;
		} else if (typeof options === 'function') {
			fn = options;
			options = undefined;
		}
		options = options || {};
		if (options.timeout !== undefined && options.timeout !== null && typeof options.timeout !== 'number')
			throw codes.ERR_INVALID_ARG_TYPE('options.timeout', 'number', options.timeout);
		this.kind = kind;
		this.name = typeof name === 'string' && name !== '' ? name : fn?.name || '<anonymous>';
		this.fn = typeof fn === 'function' ? fn : () => {};
		this.parent = parent;
		this.nesting = parent ? parent.nesting + 1 : -1;
		this.timeout = options.timeout ?? exports.patterns.timeout;
		this.skipped = options.skip || undefined;
		this.todo = options.todo || undefined;
		this.only = options.only;
		this.plan = options.plan;
		this.children = [];
		this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
		this.notes = [];
		this.failed = 0;
		this.reported = 0;
		this.pending = [];
		this.controller = new AbortController();
		this.where = parent ? callSite() : {};
		this.done = new Promise((resolve) => { this.finish = resolve; });
	}

	fullName() {
		return this.parent && this.parent.nesting >= 0 ? `${this.parent.fullName()} > ${this.name}` : this.name;
	}

	hook(kind, fn, options) {
		this.hooks[kind].push({ fn, timeout: options?.timeout });
	}

	/* A child: at once if nothing else of this one runs, else when it is its turn. */
	add(kind, name, options, fn, extra) {
		const child = new Test(kind, name, extra ? { ...typeof options === 'object' ? options : {}, ...extra } : options,
			typeof options === 'function' ? options : fn, this);
		if (this.over) {
			child.skipped = undefined;
			child.fn = () => { throw new TestFailure('test could not be started because its parent finished', 'parentAlreadyFinished'); };
		}
		this.children.push(child);
		if (kind === 'suite')
			child.collect();
		if (this.kind === 'suite')
			return undefined;
		if (this.active)
			this.pending.push(child);
		else
			this.next(child);
		return child.done;
	}

	async next(child) {
		this.active = true;
		try {
			await child.run();
		} finally {
			this.active = false;
		}
		if (this.pending.length)
			this.next(this.pending.shift());
		else if (!this.parent)
			exports.rest?.();
	}

	/* The function of a suite only says what is in it. */
	collect() {
		const before = exports.inside;
		exports.inside = this;
		try {
			const result = this.skipped ? undefined : this.fn.call(new SuiteContext(this), new SuiteContext(this));
			if (result !== null && typeof result === 'object' && typeof result.then === 'function')
				this.collected = result.then(() => {}, (e) => { this.error = e; });
		} catch (e) {
			this.error = e;
		} finally {
			exports.inside = before;
		}
	}

	async runHooks(kind, self, each) {
		if (each && this.parent && kind === 'beforeEach')
			await this.parent.runHooks(kind, self, true);
		for (const one of this.hooks[kind])
			await settle(one.fn, self, [self], one.timeout, (fn) => { this.cancel = fn; });
		if (each && this.parent && kind === 'afterEach')
			await this.parent.runHooks(kind, self, true);
	}

	async body() {
		const context = new TestContext(this);
		if (this.parent.parent === null && !this.parent.begun) {
			this.parent.begun = true;
			if (this.parent.hooks.before.length)
				await this.parent.runHooks('before', context);
		}
		await this.parent.eachHooks('beforeEach', context);
		const before = current;
		current = this;
		try {
			await settle(this.fn, context, [context], this.timeout, (fn) => { this.cancel = fn; });
			while (this.active)
				await this.children[this.children.length - 1 - this.pending.length].done;
			if (this.plan !== undefined && this.plan !== this.children.length)
				throw new TestFailure(`plan expected ${this.plan} assertions but received ${this.children.length}`, 'testCodeFailure');
		} finally {
			current = before;
			this.over = true;
			if (this.hooks.after.length)
				await this.runHooks('after', context);
			await this.parent.eachHooks('afterEach', context);
			this.mock?.restoreAll();
		}
	}

	async eachHooks(kind, context) {
		let any = false;
		for (let at = this; at; at = at.parent)
			any ||= at.hooks[kind].length > 0;
		if (any)
			await this.runHooks(kind, context, true);
	}

	async suiteBody() {
		const context = new SuiteContext(this);
		await this.collected;
		if (this.error)
			throw this.error;
		try {
			if (this.hooks.before.length)
				await this.runHooks('before', context);
			for (const child of this.children)
				await child.run();
		} finally {
			if (this.hooks.after.length)
				await this.runHooks('after', context);
		}
	}

	chosen() {
		const { name, skip, only } = exports.patterns;
		if (this.kind === 'suite')
			return true;
		if (only) {
			for (let at = this; at && !at.only; at = at.parent) {
				if (at === root)
					return false;
			}
		}
		if (name.length && !name.some((one) => one.test(this.name)))
			return false;
		return !skip.some((one) => one.test(this.name));
	}

	async run() {
		const start = performance.now();
		let error;
		if (!this.chosen())
			this.skipped = exports.patterns.only ? "'only' option not set" : exports.patterns.name.length ?
				'test name does not match pattern' : 'test name matches skip pattern';
		if (!this.skipped) {
			this.parent.prepare?.();
			try {
				await (this.kind === 'suite' ? this.suiteBody() : this.body());
			} catch (e) {
				error = e instanceof TestFailure ? e : new TestFailure(e?.message ?? e, this.error === e && e !== undefined ?
					'testCodeFailure' : 'testCodeFailure', e);
			}
			if (!error && this.outside)
				error = this.outside;
			if (!error && this.failed)
				error = new TestFailure(`${this.failed} subtest${this.failed > 1 ? 's' : ''} failed`, 'subtestsFailed');
		}
		this.end(error, performance.now() - start);
	}

	end(error, ms) {
		const ok = !error;
		const data = {
			name: this.name, nesting: this.nesting, testNumber: ++this.parent.reported, kind: this.kind, ms, error, ...this.where,
			skip: this.skipped === undefined ? undefined : message(this.skipped), todo: this.todo === undefined ? undefined : message(this.todo),
		};
		this.over = true;
		if (!ok && !this.todo)
			this.parent.failed++;
		if (this.kind === 'suite') {
			counts.suites++;
		} else {
			counts.tests++;
			if (this.skipped)
				counts.skipped++;
			else if (this.todo)
				counts.todo++;
			else if (error?.failureType === 'cancelledByParent' || error?.failureType === 'testTimeoutFailure')
				counts.cancelled++;
			else
				counts[ok ? 'pass' : 'fail']++;
		}
		if (!ok && !this.todo)
			exports.bad = true;
		this.begin();
		if (this.children.length)
			tell('test:plan', { nesting: this.nesting + 1, count: this.children.length, ...this.where });
		tell(ok ? 'test:pass' : 'test:fail', data);
		for (const note of this.notes)
			tell('test:diagnostic', { nesting: this.nesting, message: note, own: true });
		this.finish();
	}

	/* "Subtest: NAME" of itself and of those around it, once. */
	begin() {
		if (this.told || !this.parent)
			return;
		this.told = true;
		this.parent.begin();
		tell('test:start', { name: this.name, nesting: this.nesting, ...this.where });
	}
}
exports.Test = Test;

/* ---- All of a program's tests ---- */

exports.bad = false;
const root = new Test('root', '<root>', {}, undefined, null);
let started = 0;
exports.root = root;
exports.inside = root;

async function finishRoot() {
	if (root.ended)
		return;
	root.ended = true;
	if (root.hooks.after.length) {
		try {
			await root.runHooks('after', new SuiteContext(root));
		} catch (e) {
			exports.bad = true;
			process.stderr.write(`${require('internal/inspect').inspect(e)}\n`);
		}
	}
	tell('test:plan', { nesting: 0, count: root.reported });
	for (const [name, n] of Object.entries(counts))
		tell('test:diagnostic', { nesting: 0, message: `${name} ${n}` });
	tell('test:diagnostic', { nesting: 0, message: `duration_ms ${performance.now() - started}` });
	tell('test:summary', {});
	if (exports.bad)
		process.exitCode = 1;
}

/* Nothing can happen any more: what still waits, waits for ever. */
function giveUp() {
	if (root.ended || !root.children.length)
		return;
	let open;
	for (let at = root; (at = at.children.find((one) => !one.over)); )
		open = at;
	if (open?.cancel && !open.cancelled) {
		open.cancelled = true;
		open.cancel();
		return;
	}
	if (!root.active && !root.pending.length)
		finishRoot();
}

exports.start = function () {
	if (started)
		return;
	started = performance.now();
	process.on('beforeExit', giveUp);
	const outside = (what) => (error) => {
		if (!current) {
			root.notes.push(error);
			exports.bad = true;
			process.stderr.write(`${require('internal/inspect').inspect(error)}\n`);
			return;
		}
		current.outside ??= new TestFailure(error?.message ?? error, what, error);
		if (current.cancel && !current.cancelled)
			current.cancelled = true;
	};
	process.on('uncaughtException', outside('uncaughtException'));
	process.on('unhandledRejection', outside('unhandledRejection'));
};
