/* `node --test [file or directory ...]`: each file in a process of its own. */
'use strict';

const fs = require('fs');
const path = require('path');
const { process } = require('internal/process');
const { performance } = require('perf_hooks');

const NAMED = /(?:^|\/)(?:[^/]*[._-]test|test-[^/]*|test)\.[cm]?js$/;

function walk(directory, all, found) {
	for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
		const one = path.join(directory, entry.name);
		if (entry.isDirectory()) {
			if (entry.name !== 'node_modules')
				walk(one, all || entry.name === 'test', found);
		} else if (all ? /\.[cm]?js$/.test(one) : NAMED.test(one)) {
			found.push(one);
		}
	}
}

function filesOf(names) {
	const found = [];
	if (!names.length)
		walk(process.cwd(), path.basename(process.cwd()) === 'test', found);
	for (const name of names) {
		const full = path.resolve(name);
		let st;
		try {
			st = fs.statSync(full);
		} catch {
			process.stderr.write(`Could not find '${full}'\n`);
			process.exit(1);
		}
		if (st.isDirectory())
			walk(full, path.basename(full) === 'test', found);
		else
			found.push(full);
	}
	return found.sort();
}

/* What all files say together: tests at the top are counted on over all of them. */
class Sum {
	constructor() {
		this.tell = require('internal/test_report').open();
		this.counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
		this.top = 0;
		this.bad = false;
		this.start = performance.now();
	}
	event(type, d) {
		const ended = type === 'test:pass' || type === 'test:fail';
		if (ended && d.nesting === 0)
			d.testNumber = ++this.top;
		this.tell(type, d);
		if (!ended)
			return;
		if (d.kind === 'suite') {
			this.counts.suites++;
		} else {
			this.counts.tests++;
			this.counts[d.skip !== undefined ? 'skipped' : d.todo !== undefined ? 'todo' :
				d.failureType === 'cancelledByParent' || d.failureType === 'testTimeoutFailure' ? 'cancelled' :
				type === 'test:pass' ? 'pass' : 'fail']++;
		}
		this.bad ||= type === 'test:fail' && d.todo === undefined;
	}
	end() {
		this.tell('test:plan', { nesting: 0, count: this.top });
		for (const [name, n] of Object.entries(this.counts))
			this.tell('test:diagnostic', { nesting: 0, message: `${name} ${n}` });
		this.tell('test:diagnostic', { nesting: 0, message: `duration_ms ${performance.now() - this.start}` });
		this.tell('test:summary', {});
	}
}

/* The events of a child among what else it writes; true: there were tests. */
function relay(sum, output, file) {
	const { MARK } = require('internal/test_report');
	let any = false, text = '';
	const flush = () => {
		if (text)
			sum.event('test:stdout', { nesting: 0, message: text, file });
		text = '';
	};
	for (const line of output.split(/(?<=\n)/)) {
		if (!line.startsWith(MARK)) {
			text += line;
			continue;
		}
		flush();
		const [type, d] = JSON.parse(line.slice(MARK.length));
		any ||= type === 'test:pass' || type === 'test:fail';
		sum.event(type, d);
	}
	flush();
	return any;
}

/* A file is a test itself when it has none, or ends badly without one that says so. */
function asTest(sum, file, status, ms) {
	const name = path.relative(process.cwd(), file);
	sum.event('test:start', { nesting: 0, name, file });
	sum.event(status !== 0 ? 'test:fail' : 'test:pass', {
		nesting: 0, name, kind: 'test', ms, file, line: 1, column: 1, ...status !== 0 && {
			error: `  location: '${file}:1:1'\n  failureType: 'testCodeFailure'\n  exitCode: ${status}\n  signal: ~\n` +
				"  error: 'test failed'\n  code: 'ERR_TEST_FAILURE'\n", errorShown: "'test failed'",
		},
	});
}

exports.run = function (names, options) {
	const { spawnSync } = require('child_process');
	const sum = new Sum();
	for (const file of filesOf(names)) {
		const began = performance.now();
		const child = spawnSync(process.execPath, [...options, file], { env: { ...process.env, NODE_TEST_CONTEXT: 'child' }, encoding: 'utf8',
			maxBuffer: Infinity });
		const any = relay(sum, child.stdout, file);
		if (child.stderr)
			sum.event('test:stderr', { nesting: 0, message: child.stderr, file });
		if (!any || (child.status !== 0 && !sum.bad))
			asTest(sum, file, child.status, performance.now() - began);
	}
	sum.end();
	if (sum.bad)
		process.exitCode = 1;
};
