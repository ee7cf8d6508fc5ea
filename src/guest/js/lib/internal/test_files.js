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

/* The number of tests at the top is counted on over all files. */
exports.run = function (names, options) {
	const report = require('internal/test_report');
	const { spawnSync } = require('child_process');
	const tell = report.open();
	const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
	const start = performance.now();
	let top = 0, bad = false;
	function event(type, d) {
		if ((type === 'test:pass' || type === 'test:fail') && d.nesting === 0)
			d.testNumber = ++top;
		tell(type, d);
		if (type !== 'test:pass' && type !== 'test:fail')
			return;
		if (d.kind === 'suite') {
			counts.suites++;
		} else {
			counts.tests++;
			counts[d.skip !== undefined ? 'skipped' : d.todo !== undefined ? 'todo' : d.failureType === 'cancelledByParent' ? 'cancelled' :
				type === 'test:pass' ? 'pass' : 'fail']++;
		}
		bad ||= type === 'test:fail' && d.todo === undefined;
	}
	for (const file of filesOf(names)) {
		const began = performance.now();
		const child = spawnSync(process.execPath, [...options, file], { env: { ...process.env, NODE_TEST_CONTEXT: 'child' }, encoding: 'utf8',
			maxBuffer: Infinity });
		let any = false, text = '';
		const flush = () => {
			if (text)
				event('test:stdout', { nesting: 0, message: text, file });
			text = '';
		};
		for (const line of child.stdout.split(/(?<=\n)/)) {
			if (!line.startsWith(report.MARK)) {
				text += line;
				continue;
			}
			flush();
			const [type, d] = JSON.parse(line.slice(report.MARK.length));
			any ||= type === 'test:pass' || type === 'test:fail';
			event(type, d);
		}
		flush();
		if (child.stderr)
			event('test:stderr', { nesting: 0, message: child.stderr, file });
		const shown = path.relative(process.cwd(), file);
		if (!any || (child.status !== 0 && !bad)) {
			const failed = child.status !== 0;
			event('test:start', { nesting: 0, name: shown, file });
			event(failed ? 'test:fail' : 'test:pass', {
				nesting: 0, name: shown, kind: 'test', ms: performance.now() - began, file, line: 1, column: 1, ...failed && {
					error: `  location: '${file}:1:1'\n  failureType: 'testCodeFailure'\n  exitCode: ${child.status}\n  signal: ~\n` +
						"  error: 'test failed'\n  code: 'ERR_TEST_FAILURE'\n", errorShown: "'test failed'",
				},
			});
		}
	}
	tell('test:plan', { nesting: 0, count: top });
	for (const [name, n] of Object.entries(counts))
		tell('test:diagnostic', { nesting: 0, message: `${name} ${n}` });
	tell('test:diagnostic', { nesting: 0, message: `duration_ms ${performance.now() - start}` });
	tell('test:summary', {});
	if (bad)
		process.exitCode = 1;
};
