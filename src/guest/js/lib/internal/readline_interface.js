/*
 * readline.Interface: a stream of text as lines. On a terminal keys edit the line (internal/readline_terminal.js).
 */
'use strict';

const EE = require('events');
const { codes, AbortError } = require('internal/errors');
const { validateAbortSignal, validateString, validateUint32, validateArray, validateNumber } = require('internal/validators');
const { stringWidth } = require('internal/inspect_text');

const lineEnd = /\r\n|\n|\r(?!\n)|\u2028|\u2029/g;
const kQuestion = Symbol('question');

function optionsOf(input, output, completer, terminal) {
	if (input && input.input)
		return input;
	return { input, output, completer, terminal };
}

function checkOptions(options) {
	const { completer, history, historySize } = options;
	if (options.input === undefined || options.input === null)
		throw new codes.ERR_INVALID_ARG_TYPE('input', ['Stream'], options.input);
	if (completer !== undefined && typeof completer !== 'function')
		throw new codes.ERR_INVALID_ARG_VALUE('completer', completer);
	if (history !== undefined)
		validateArray(history, 'history');
	if (historySize !== undefined)
		validateNumber(historySize, 'historySize', 0);
	if (options.tabSize !== undefined)
		validateUint32(options.tabSize, 'tabSize', true);
	if (options.signal)
		validateAbortSignal(options.signal, 'options.signal');
}

/* A terminal without a size is the host's, which edits lines itself (tinysandbox -c). */
function isOfHost(output) {
	return typeof output.fd === 'number' && host.isatty(output.fd) && !host.ttySize(output.fd)[0];
}

function Interface(input, output, completer, terminal) {
	if (!(this instanceof Interface))
		return new Interface(input, output, completer, terminal);
	EE.call(this);
	const options = optionsOf(input, output, completer, terminal);
	checkOptions(options);
	this.input = options.input;
	this.output = options.output;
	this.terminal = Boolean(options.terminal ?? (this.output?.isTTY && !isOfHost(this.output)));
	this.line = '';
	this.cursor = 0;
	this.history = options.history ?? [];
	this.historySize = options.historySize ?? 30;
	if (options.completer)
		this.completer = options.completer;
	this.closed = false;
	this.paused = false;
	this.crlfDelay = options.crlfDelay ? Math.max(100, options.crlfDelay) : 100;
	const hidden = { prompt: options.prompt ?? '> ', oldPrompt: undefined, question: null, rest: '', sawReturn: 0, decoder: null };
	Object.defineProperty(this, kQuestion, { value: hidden, enumerable: false });
	if (this.terminal)
		onKeys(this, hidden, options);
	else
		onText(this, hidden);
	if (options.signal)
		closeOn(this, options.signal);
	this.input.resume();
}
Object.setPrototypeOf(Interface.prototype, EE.prototype);
Object.setPrototypeOf(Interface, EE);
const proto = Interface.prototype;

/* Listeners of input, until the end. */
function listen(self, listeners) {
	for (const [name, fn] of Object.entries(listeners))
		self.input.on(name, fn);
	self.once('close', () => {
		for (const [name, fn] of Object.entries(listeners))
			self.input.removeListener(name, fn);
	});
}

function onText(self, hidden) {
	hidden.decoder = new (require('string_decoder').StringDecoder)('utf8');
	listen(self, {
		error: (error) => self.emit('error', error),
		data: (chunk) => takeData(self, hidden, chunk),
		end: () => {
			hidden.rest += hidden.decoder.end();
			if (hidden.rest.length > 0) {
				const text = hidden.rest;
				hidden.rest = '';
				onLine(self, hidden, text);
			}
			self.close();
		},
	});
}

function onKeys(self, hidden, options) {
	const { Editor } = require('internal/readline_terminal');
	const raw = (on) => { if (typeof self.input.setRawMode === 'function') self.input.setRawMode(on); };
	const editor = hidden.editor = new Editor(self, {
		prompt: () => hidden.prompt, give: (line) => onLine(self, hidden, line), raw, completer: options.completer, historySize: self.historySize,
		removeHistoryDuplicates: options.removeHistoryDuplicates, tabSize: options.tabSize ?? 8,
	});
	self.isCompletionEnabled = true;
	require('readline').emitKeypressEvents(self.input, self);
	listen(self, {
		error: (error) => self.emit('error', error),
		keypress: (text, key) => {
			editor.key(text, key);
			if (key?.sequence && key.sequence.length === 1 && /[\ud800-\udfff]/.test(key.sequence))
				editor.refresh();
		},
		end: () => {
			if (self.line.length > 0)
				self.emit('line', self.line);
			self.close();
		},
	});
	raw(true);
	hidden.raw = raw;
	const resized = () => editor.refresh();
	self.output?.on?.('resize', resized);
	self.once('close', () => self.output?.removeListener?.('resize', resized));
}

function closeOn(self, signal) {
	const abort = () => self.close();
	if (signal.aborted) {
		require('process').nextTick(abort);
		return;
	}
	signal.addEventListener('abort', abort, { once: true });
	self.once('close', () => signal.removeEventListener('abort', abort));
}

function onLine(self, hidden, line) {
	if (hidden.question) {
		const callback = hidden.question;
		hidden.question = null;
		self.setPrompt(hidden.oldPrompt);
		callback(line);
	} else {
		self.emit('line', line);
	}
}

/* A "\n" that follows a "\r" soon is its other half. */
function takeData(self, hidden, chunk) {
	if (chunk === undefined)
		return;
	let text = typeof chunk === 'string' ? chunk : hidden.decoder.write(chunk);
	if (hidden.sawReturn && Date.now() - hidden.sawReturn <= self.crlfDelay) {
		if (text.startsWith('\n'))
			text = text.slice(1);
		hidden.sawReturn = 0;
	}
	const all = hidden.rest + text;
	const lines = [];
	let from = 0;
	lineEnd.lastIndex = 0;
	for (let found; (found = lineEnd.exec(all)) !== null;) {
		lines.push(all.slice(from, found.index));
		from = lineEnd.lastIndex;
	}
	hidden.sawReturn = all.endsWith('\r') ? Date.now() : 0;
	hidden.rest = all.slice(from);
	for (const line of lines)
		onLine(self, hidden, line);
}

Object.defineProperty(proto, 'columns', {
	configurable: true, enumerable: true,
	get() { return this.output && this.output.columns ? this.output.columns : Infinity; },
});

proto.getPrompt = function () {
	return this[kQuestion].prompt;
};
proto.setPrompt = function (prompt) {
	this[kQuestion].prompt = prompt;
};

function show(self, text) {
	validateString(text, 'stringToWrite');
	if (self.output !== null && self.output !== undefined)
		self.output.write(text);
}

proto.prompt = function (preserveCursor) {
	if (this.paused)
		this.resume();
	if (!this.terminal || process.env.TERM === 'dumb') {
		show(this, this[kQuestion].prompt);
		return;
	}
	if (!preserveCursor)
		this.cursor = 0;
	this[kQuestion].editor.refresh();
};

function ask(self, query, callback) {
	if (self.closed)
		throw new codes.ERR_USE_AFTER_CLOSE('readline');
	const hidden = self[kQuestion];
	if (hidden.question) {
		self.prompt();
		return;
	}
	hidden.oldPrompt = hidden.prompt;
	self.setPrompt(query);
	hidden.question = callback;
	self.prompt();
}

function cancel(self) {
	const hidden = self[kQuestion];
	if (hidden.question) {
		hidden.question = null;
		self.setPrompt(hidden.oldPrompt);
	}
}

proto.question = function question(query, options, callback) {
	callback = typeof options === 'function' ? options : callback;
	options = options !== null && typeof options === 'object' ? options : {};
	const { signal } = options;
	if (signal) {
		validateAbortSignal(signal, 'options.signal');
		if (signal.aborted)
			return;
		const onAbort = () => cancel(this);
		signal.addEventListener('abort', onAbort, { once: true });
		const original = callback;
		if (typeof original === 'function') {
			callback = (answer) => {
				signal.removeEventListener('abort', onAbort);
				original(answer);
			};
		}
	}
	if (typeof callback === 'function')
		ask(this, query, callback);
};

/* The promise form: readline/promises, and util.promisify of the other. */
function questionPromise(self, query, options = {}) {
	return new Promise((resolve, reject) => {
		const signal = options?.signal;
		let callback = resolve;
		if (signal) {
			validateAbortSignal(signal, 'options.signal');
			if (signal.aborted) {
				reject(new AbortError(undefined, { cause: signal.reason }));
				return;
			}
			const onAbort = () => {
				cancel(self);
				reject(new AbortError(undefined, { cause: signal.reason }));
			};
			signal.addEventListener('abort', onAbort, { once: true });
			callback = (answer) => {
				signal.removeEventListener('abort', onAbort);
				resolve(answer);
			};
		}
		ask(self, query, callback);
	});
}
proto.question[Symbol.for('nodejs.util.promisify.custom')] = function question(query, options) {
	return questionPromise(this, query, options);
};

proto.close = function () {
	if (this.closed)
		return;
	this.pause();
	this[kQuestion].raw?.(false);
	this.closed = true;
	this.emit('close');
};

proto.pause = function () {
	if (this.paused)
		return undefined;
	this.input.pause();
	this.paused = true;
	this.emit('pause');
	return this;
};

proto.resume = function () {
	if (!this.paused)
		return undefined;
	this.input.resume();
	this.paused = false;
	this.emit('resume');
	return this;
};

proto.write = function (data, key) {
	if (this.paused)
		this.resume();
	if (this.terminal)
		this[kQuestion].editor.key(data, key);
	else
		takeData(this, this[kQuestion], data);
};
proto.clearLine = function () { this[kQuestion].editor?.clear(); };

proto.getCursorPos = function () {
	return this.terminal ? this[kQuestion].editor.cursor() :
		{ cols: stringWidth(this[kQuestion].prompt) + this.cursor, rows: 0 };
};

proto[Symbol.asyncIterator] = function () {
	const iterator = EE.on(this, 'line', { close: ['close'] });
	const { next } = iterator;
	iterator.next = async () => {
		const { value, done } = await next.call(iterator);
		return { value: done ? undefined : value[0], done };
	};
	return iterator;
};
if (Symbol.dispose)
	proto[Symbol.dispose] = proto.close;

function PromisesInterface(input, output, completer, terminal) {
	if (!(this instanceof PromisesInterface))
		return new PromisesInterface(input, output, completer, terminal);
	Interface.call(this, input, output, completer, terminal);
}
Object.setPrototypeOf(PromisesInterface.prototype, Interface.prototype);
Object.setPrototypeOf(PromisesInterface, Interface);
PromisesInterface.prototype.question = function question(query, options = {}) {
	return questionPromise(this, query, options);
};
Object.defineProperty(PromisesInterface, 'name', { value: 'Interface', configurable: true });

exports.Interface = Interface;
exports.PromisesInterface = PromisesInterface;
