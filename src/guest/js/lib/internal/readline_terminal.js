/*
 * Editing of a line on a terminal, as Node's readline does it: keys move, delete, yank, undo, recall lines and complete; the
 * line is drawn again where a key changes more than its end.
 */
'use strict';

const { stringWidth } = require('internal/inspect_text');
const { cursorTo, moveCursor, clearScreenDown } = require('internal/readline_ansi');
const strip = (text) => require('util').stripVTControlCharacters(text);
const LINE_END = /\r\n|\n|\r(?!\n)|\u2028|\u2029/g;
const WORD_LEFT = /(?:[^\w\s]+|\w+)?\s*$/, WORD_RIGHT = /^(?:\s+|[^\w\s]+|\w+)\s*/, DELETE_RIGHT = /^(?:\s+|\W+|\w+)\s*/;
const KILLS = 32, UNDOS = 2048;

/* Units of the character in front of, and behind, the cursor. */
const before = (text, at) => at <= 0 ? 0 : text.codePointAt(at - 2) > 0xffff ? 2 : 1;
const behind = (text, at) => at >= text.length ? 1 : text.codePointAt(at) > 0xffff ? 2 : 1;

function commonPrefix(all) {
	if (all.length === 0)
		return '';
	const sorted = all.slice().sort(), first = sorted[0], last = sorted[sorted.length - 1];
	let n = 0;
	while (n < first.length && first[n] === last[n])
		n++;
	return first.slice(0, n);
}

/* completions in columns, as a second Tab shows them */
function columnsOf(completions, columns) {
	const widths = completions.map((one) => stringWidth(one)), width = Math.max(...widths) + 2;
	let most = Math.floor(columns / width) || 1, text = '\r\n', n = 0, gap = 0;
	if (most === Infinity)
		most = 1;
	completions.forEach((one, i) => {
		if (one === '' || n === most) {
			text += '\r\n';
			n = gap = 0;
		} else {
			text += ' '.repeat(gap);
		}
		if (one !== '') {
			text += one;
			gap = width - widths[i];
			n++;
		} else {
			text += '\r\n';
		}
	});
	return n === 0 ? text : `${text}\r\n\r\n`;
}

class Editor {
	rows = 0;		/* of the cursor below the first row, when it was last drawn */
	#undone = []; #done = [];
	#kills = []; #kill = 0; #yanking = false;
	#search = null;		/* what recalled lines have to begin with */
	#last = {};		/* key */
	#returnAt = 0;

	/* face: the Interface; options: prompt(), give(line), completer, historySize, removeHistoryDuplicates, tabSize */
	constructor(face, options) {
		this.face = face;
		this.options = options;
		this.index = -1;	/* in the history */
	}

	write(text) { this.face.output?.write(text); }

	place(text) {
		const columns = this.face.columns, { tabSize } = this.options;
		let offset = 0, rows = 0;
		for (const c of strip(text)) {
			if (c === '\n') {
				rows += Math.ceil(offset / columns) || 1;
				offset = 0;
			} else if (c === '\t') {
				offset += tabSize - offset % tabSize;
			} else {
				const width = stringWidth(c);
				if (width === 2 && (offset + 1) % columns === 0)
					offset++;
				offset += width;
			}
		}
		const cols = offset % columns;
		return { cols, rows: rows + (columns === Infinity ? 0 : (offset - cols) / columns) };
	}
	cursor() { return this.place(this.options.prompt() + this.face.line.slice(0, this.face.cursor)); }

	refresh() {
		const { face } = this, text = this.options.prompt() + face.line, end = this.place(text), at = this.cursor();
		if (this.rows > 0)
			moveCursor(face.output, 0, -this.rows);
		cursorTo(face.output, 0);
		clearScreenDown(face.output);
		this.write(text);
		if (end.cols === 0)
			this.write(' ');
		cursorTo(face.output, at.cols);
		if (end.rows > at.rows)
			moveCursor(face.output, 0, at.rows - end.rows);
		this.rows = at.rows;
	}

	/* ---- Changes of the line ---- */

	#edit(line, cursor) {
		this.#done.push([this.face.line, this.face.cursor]);
		if (this.#done.length > UNDOS)
			this.#done.shift();
		this.face.line = line;
		this.face.cursor = cursor;
		this.refresh();
	}
	insert(text) {
		const { face } = this;
		if (!face.isCompletionEnabled) {
			this.#done.push([face.line, face.cursor]);
			face.line += text;
			face.cursor += text.length;
			this.write(text);
			return;
		}
		if (face.cursor < face.line.length) {
			this.#edit(face.line.slice(0, face.cursor) + text + face.line.slice(face.cursor), face.cursor + text.length);
			return;
		}
		const old = this.cursor();
		this.#done.push([face.line, face.cursor]);
		face.line += text;
		face.cursor += text.length;
		if (old.rows < this.cursor().rows)
			this.refresh();
		else
			this.write(text);
	}
	#remove(from, to) { this.#edit(this.face.line.slice(0, from) + this.face.line.slice(to), from); }
	#killed(text) {
		if (!text || text === this.#kills[0])
			return;
		this.#kills.unshift(text);
		this.#kill = 0;
		this.#kills.length = Math.min(this.#kills.length, KILLS);
	}
	#wordLeft() { return WORD_LEFT.exec(this.face.line.slice(0, this.face.cursor))[0].length; }
	#wordRight(pattern) { return pattern.exec(this.face.line.slice(this.face.cursor))?.[0].length ?? 0; }
	#revert(from, to) {
		const state = from.pop();
		if (!state)
			return;
		to.push([this.face.line, this.face.cursor]);
		[this.face.line, this.face.cursor] = state;
		this.refresh();
	}
	#yank() {
		if (!this.#kills.length)
			return;
		this.#yanking = true;
		this.insert(this.#kills[this.#kill]);
	}
	#yankOther() {
		if (!this.#yanking || this.#kills.length < 2)
			return;
		const last = this.#kills[this.#kill];
		this.#kill = (this.#kill + 1) % this.#kills.length;
		const { line, cursor } = this.face, head = line.slice(0, cursor - last.length) + this.#kills[this.#kill];
		this.face.line = head + line.slice(cursor);
		this.face.cursor = head.length;
		this.refresh();
	}

	move(dx) {
		const { face } = this, old = this.cursor();
		if (dx === 0)
			return;
		face.cursor = Math.min(Math.max(face.cursor + dx, 0), face.line.length);
		const now = this.cursor();
		if (old.rows === now.rows)
			moveCursor(face.output, now.cols - old.cols, 0);
		else
			this.refresh();
	}

	/* ---- Lines ---- */

	clear() {
		this.move(Infinity);
		this.write('\r\n');
		this.face.line = '';
		this.face.cursor = 0;
		this.rows = 0;
	}
	enter() {
		const line = this.#remember();
		this.#done = [];
		this.#undone = [];
		this.clear();
		this.options.give(line);
	}
	#remember() {
		const { line, history } = this.face, { historySize, removeHistoryDuplicates } = this.options;
		if (line.length === 0 || historySize === 0 || line.trim().length === 0)
			return line;
		if (history[0] !== line) {
			const twice = removeHistoryDuplicates ? history.indexOf(line) : -1;
			if (twice >= 0)
				history.splice(twice, 1);
			history.unshift(line);
			if (history.length > historySize)
				history.pop();
		}
		this.index = -1;
		const kept = history[0];
		this.face.emit('history', history);
		return kept;
	}
	#recall(step) {
		const { history } = this.face, search = this.#search ?? '';
		if (step > 0 ? this.index >= history.length || !history.length : this.index < 0)
			return;
		let i = this.index + step;
		while (i >= 0 && i < history.length && (!history[i].startsWith(search) || this.face.line === history[i]))
			i += step;
		this.index = i;
		const line = history[i] ?? search;
		this.#edit(line, line.length);
	}

	/* ---- Completion ---- */

	async complete(again) {
		const { face } = this, { completer } = this.options, text = face.line.slice(0, face.cursor);
		face.pause();
		let found;
		try {
			found = await (completer.length === 2 ? new Promise((resolve, reject) =>
				completer(text, (error, value) => error ? reject(error) : resolve(value))) : completer(text));
		} catch (error) {
			this.write(`Tab completion error: ${require('util').inspect(error)}`);
			return;
		} finally {
			face.resume();
		}
		this.#completed(again, ...found);
	}
	#completed(again, completions, on) {
		if (!completions || completions.length === 0)
			return;
		const { line, cursor } = this.face, prefix = commonPrefix(completions.filter((one) => one !== ''));
		if (prefix.startsWith(on) && prefix.length > on.length) {
			this.insert(prefix.slice(on.length));
		} else if (!on.startsWith(prefix)) {
			const head = line.slice(0, cursor - on.length) + prefix;
			this.#edit(head + line.slice(cursor), head.length);
		} else if (again) {
			this.write(columnsOf(completions, this.face.columns));
			this.refresh();
		}
	}

	/* ---- Keys ---- */

	#interrupt(name, otherwise) {
		if (this.face.listenerCount(name) > 0)
			this.face.emit(name);
		else
			otherwise();
	}
	#end() {
		if (this.face.cursor === 0 && this.face.line.length === 0)
			this.face.close();
		else
			this.#deleteRight();
	}
	#deleteLeft() {
		const { line, cursor } = this.face;
		if (cursor > 0)
			this.#remove(cursor - before(line, cursor), cursor);
	}
	#deleteRight() {
		const { line, cursor } = this.face;
		if (cursor < line.length)
			this.#remove(cursor, cursor + behind(line, cursor));
	}
	#deleteWordLeft() {
		if (this.face.cursor > 0)
			this.#remove(this.face.cursor - this.#wordLeft(), this.face.cursor);
	}
	#deleteWordRight() {
		if (this.face.cursor < this.face.line.length)
			this.#remove(this.face.cursor, this.face.cursor + this.#wordRight(DELETE_RIGHT));
	}
	#killLeft() {
		const { line, cursor } = this.face;
		this.#edit(line.slice(cursor), 0);
		this.#killed(line.slice(0, cursor));
	}
	#killRight() {
		const { line, cursor } = this.face;
		this.#edit(line.slice(0, cursor), cursor);
		this.#killed(line.slice(cursor));
	}
	#stop() {
		process.once('SIGCONT', () => {
			if (!this.face.paused) {
				this.face.pause();
				this.face.emit('SIGCONT');
			}
			this.options.raw(true);
			this.refresh();
		});
		this.options.raw(false);
		process.kill(process.pid, 'SIGTSTP');
	}
	#clearScreen() {
		cursorTo(this.face.output, 0, 0);
		clearScreenDown(this.face.output);
		this.refresh();
	}

	#withControl = {
		__proto__: null,
		c: () => this.#interrupt('SIGINT', () => this.face.close()), h: () => this.#deleteLeft(), d: () => this.#end(),
		u: () => this.#killLeft(), k: () => this.#killRight(), a: () => this.move(-Infinity), e: () => this.move(Infinity),
		b: () => this.move(-before(this.face.line, this.face.cursor)), f: () => this.move(behind(this.face.line, this.face.cursor)),
		l: () => this.#clearScreen(), n: () => this.#recall(-1), p: () => this.#recall(1), y: () => this.#yank(),
		z: () => this.#interrupt('SIGTSTP', () => this.#stop()), w: () => this.#deleteWordLeft(), backspace: () => this.#deleteWordLeft(),
		delete: () => this.#deleteWordRight(), left: () => this.move(-this.#wordLeft()), right: () => this.move(this.#wordRight(WORD_RIGHT)),
	};
	#withMeta = {
		__proto__: null,
		b: () => this.move(-this.#wordLeft()), f: () => this.move(this.#wordRight(WORD_RIGHT)), d: () => this.#deleteWordRight(),
		delete: () => this.#deleteWordRight(), backspace: () => this.#deleteWordLeft(), y: () => this.#yankOther(),
	};
	#plain = {
		__proto__: null,
		return: () => {
			this.#returnAt = Date.now();
			this.enter();
		},
		enter: () => {
			if (this.#returnAt === 0 || Date.now() - this.#returnAt > this.face.crlfDelay)
				this.enter();
			this.#returnAt = 0;
		},
		backspace: () => this.#deleteLeft(), delete: () => this.#deleteRight(),
		left: () => this.move(-before(this.face.line, this.face.cursor)), right: () => this.move(behind(this.face.line, this.face.cursor)),
		home: () => this.move(-Infinity), end: () => this.move(Infinity), up: () => this.#recall(1), down: () => this.#recall(-1),
	};

	#searching(key) {
		if ((key.name === 'up' || key.name === 'down') && !key.ctrl && !key.meta && !key.shift) {
			this.#search ??= this.face.line.slice(0, this.face.cursor);
		} else if (this.#search !== null) {
			this.#search = null;
			if (this.face.history.length === this.index)
				this.index = -1;
		}
	}
	#type(text) {
		let from = 0;
		for (const found of text.matchAll(LINE_END)) {
			this.insert(text.slice(from, found.index));
			from = found.index + found[0].length;
			this.enter();
		}
		this.insert(text.slice(from));
	}
	key(text, key) {
		key ??= {};
		const last = this.#last;
		this.#last = key;
		if (!key.meta || key.name !== 'y')
			this.#yanking = false;
		this.#searching(key);
		if (key.sequence === '\x1f')
			this.#revert(this.#done, this.#undone);
		else if (key.sequence === '\x1e')
			this.#revert(this.#undone, this.#done);
		else if (key.name === 'escape')
			return;
		else if (key.ctrl && key.shift)
			({ backspace: () => this.#killLeft(), delete: () => this.#killRight() })[key.name]?.();
		else if (key.ctrl)
			this.#withControl[key.name]?.();
		else if (key.meta)
			this.#withMeta[key.name]?.();
		else
			this.#unmodified(text, key, last);
	}
	#unmodified(text, key, last) {
		if (this.#returnAt && key.name !== 'enter')
			this.#returnAt = 0;
		if (this.#plain[key.name])
			this.#plain[key.name]();
		else if (key.name === 'tab' && typeof this.options.completer === 'function' && this.face.isCompletionEnabled)
			this.complete(last.name === 'tab');
		else if (typeof text === 'string' && text)
			this.#type(text);
	}
}

exports.Editor = Editor;
