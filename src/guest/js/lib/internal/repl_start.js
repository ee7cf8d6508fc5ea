/* The interactive node: lines from standard input, each complete text evaluated in the global scope. */
'use strict';

const loop = require('internal/loop');
const { process, end } = require('internal/process');
const { print } = require('internal/print');
const { inspect } = require('internal/inspect');

const HELP = `.break   Sometimes you get stuck, this gets you out
.clear   Alias for .break
.exit    Exit the REPL
.help    Print this help message
.load    Load JS from a file into the REPL session
.save    Save all evaluated commands in this REPL session to a file

Press Ctrl+C to abort current expression, Ctrl+D to exit the REPL
`;
const NAME = 'REPL';
const CHUNK = 65536, READABLE = 1, EAGAIN = 11;

const queue = [];		/* lines that wait for their turn */
const said = [];		/* texts that were evaluated, for .save */
let pending = '';		/* a text that is not complete yet */
let busy = false, ended = false, colors = false;

function prompt() {
	print(1, pending ? '... ' : '> ');
}

function show(value) {
	print(1, `${inspect(value, { colors, showProxy: true })}\n`);
}

/* What failed, with the frames of scripts only. */
function tell(error) {
	if (error instanceof SyntaxError) {
		const at = new RegExp(`at ${NAME}:(\\d+):(\\d+)`).exec(`${error.stack}`);
		const line = at && said[said.length - 1] ? said[said.length - 1].split('\n')[at[1] - 1] : undefined;
		if (line !== undefined)
			print(1, `${line}\n${' '.repeat(Math.max(0, at[2] - 1))}^\n\n`);
	}
	if (error instanceof Error && typeof error.stack === 'string') {
		const stack = error.stack.split('\n').filter(row => !/^    at /.test(row) || (/\//.test(row) && !/node:/.test(row)));
		Object.defineProperty(error, 'stack', { value: stack.join('\n'), writable: true, configurable: true, enumerable: false });
	}
	let text = inspect(error, { colors });
	if (/^\[[^\n]*\]$/.test(text) && error instanceof Error)
		text = text.slice(1, -1);
	print(1, `Uncaught ${text}\n`);
	globalThis._error = error;
}

function isIncomplete(error, text) {
	return error instanceof SyntaxError && (/Unexpected end of input|end of comment|missing \) after/.test(error.message) ||
		(/Invalid or unexpected token|template/.test(error.message) && (text.split('`').length % 2 === 0)));
}

/* An await at the top: the text as the body of an async function, its declarations as globals. */
function withAwait(text) {
	const body = text.replace(/^\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=/, 'globalThis.$1 =');
	try {
		return host.run(`(async () => { return (${body.replace(/;\s*$/, '')}\n); })`, NAME);
	} catch {
		return host.run(`(async () => { ${body}\n })`, NAME);
	}
}

function evaluate(text) {
	if (/^\s*\{/.test(text) && !/;\s*$/.test(text)) {
		try {
			return host.run(`(${text.trim()})`, NAME);
		} catch {
			/* It is a block. */
		}
	}
	try {
		return host.run(text, NAME);
	} catch (e) {
		if (!(e instanceof SyntaxError) || !/\bawait\b/.test(text))
			throw e;
	}
	const promise = withAwait(text)();
	busy = true;
	promise.then(value => done(() => finish(value)), error => done(() => tell(error)));
	return done;
}

function done(fn) {
	busy = false;
	fn();
	prompt();
	next();
}

function finish(value) {
	globalThis._ = value;
	show(value);
}

function command(line) {
	const [word, file] = line.trim().split(/\s+/);
	if (word === '.exit')
		end();
	else if (word === '.help')
		print(1, HELP);
	else if (word === '.break' || word === '.clear')
		pending = '';
	else if (word === '.load' && file)
		queue.unshift(...require('internal/files').readText(file).split('\n'));
	else if (word === '.save' && file)
		require('fs').writeFileSync(file, said.join('\n'));
	else
		print(1, 'Invalid REPL keyword\n');
}

function take(line) {
	if (/^\s*\.[a-z]+/.test(line) && !/^\s*\.\d/.test(line) && (!pending || /^\s*\.(break|clear|exit)/.test(line)))
		return command(line);
	const text = pending + line;
	pending = '';
	if (!text.trim())
		return undefined;
	try {
		said.push(text);
		const value = evaluate(text);
		if (value !== done)
			finish(value);
	} catch (error) {
		if (isIncomplete(error, text)) {
			said.pop();
			pending = `${text}\n`;
		} else {
			tell(error);
		}
	}
	return undefined;
}

function next() {
	while (queue.length && !busy) {
		take(queue.shift());
		loop.drain();
		if (!busy)
			prompt();
	}
	if (ended && !busy && !queue.length) {
		if (host.isatty(0))
			print(1, '\n');
		end();
	}
}

exports.start = function () {
	const cjs = require('internal/cjs');
	const module = new cjs.Module('<repl>');
	const decoder = new (require('string_decoder').StringDecoder)('utf8');
	let rest = '';
	module.filename = null;
	module.paths = cjs.Module._nodeModulePaths(process.cwd());
	Object.assign(globalThis, { module, exports: module.exports, require: cjs.requireOf(module) });
	for (const name of require('internal/builtins').names) {
		if (!/^_|\//.test(name) && !(name in globalThis)) {
			Object.defineProperty(globalThis, name, {
				get: () => require('internal/builtins').load(name), configurable: true, enumerable: false,
				set(value) {
					Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
				},
			});
		}
	}
	colors = host.isatty(1);
	loop.onError = tell;
	print(1, `Welcome to Node.js ${process.version}.\nType ".help" for more information.\n`);
	prompt();
	const watch = loop.watch(0, READABLE, () => {
		const bytes = Buffer.alloc(CHUNK);
		const n = host.tryRead(0, bytes, 0, CHUNK, -1);
		if (n === -EAGAIN)
			return;
		if (n <= 0) {
			ended = true;
			watch.close();
			if (rest)
				queue.push(rest);
		} else {
			const lines = (rest + decoder.write(bytes.subarray(0, n))).split('\n');
			rest = lines.pop();
			queue.push(...lines);
		}
		next();
	});
};
