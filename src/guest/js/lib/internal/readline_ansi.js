/* Moving the cursor and clearing on a terminal: what readline's functions write. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction, validateInteger } = require('internal/validators');

const write = (stream, text, callback) => {
	if (callback !== undefined)
		validateFunction(callback, 'callback');
	if (stream === null || stream === undefined || text === '') {
		if (typeof callback === 'function')
			require('process').nextTick(callback, null);
		return true;
	}
	return stream.write(text, callback);
};

function cursorText(x, y) {
	if (typeof x !== 'number')
		throw new codes.ERR_INVALID_CURSOR_POS();
	return typeof y !== 'number' ? `\u001b[${x + 1}G` : `\u001b[${y + 1};${x + 1}H`;
}

function moveText(dx, dy) {
	let text = '';
	if (dx < 0)
		text += `\u001b[${-dx}D`;
	else if (dx > 0)
		text += `\u001b[${dx}C`;
	if (dy < 0)
		text += `\u001b[${-dy}A`;
	else if (dy > 0)
		text += `\u001b[${dy}B`;
	return text;
}

const lineText = (direction) => direction < 0 ? '\u001b[1K' : direction > 0 ? '\u001b[0K' : '\u001b[2K';

exports.cursorTo = function cursorTo(stream, x, y, callback) {
	if (callback !== undefined)
		validateFunction(callback, 'callback');
	if (typeof y === 'function') {
		callback = y;
		y = undefined;
	}
	if (Number.isNaN(x))
		throw new codes.ERR_INVALID_ARG_VALUE('x', x);
	if (Number.isNaN(y))
		throw new codes.ERR_INVALID_ARG_VALUE('y', y);
	if (stream == null || (typeof x !== 'number' && typeof y !== 'number'))
		return write(null, '', callback);
	return write(stream, cursorText(x, y), callback);
};
exports.moveCursor = function moveCursor(stream, dx, dy, callback) {
	return write(stream, stream == null ? '' : moveText(dx, dy), callback);
};
exports.clearLine = function clearLine(stream, direction, callback) {
	return write(stream, lineText(direction), callback);
};
exports.clearScreenDown = function clearScreenDown(stream, callback) {
	return write(stream, '\u001b[0J', callback);
};

/* readline/promises: the same, collected until commit(). */
exports.Readline = class Readline {
	#stream;
	#todo = [];
	#auto;
	constructor(stream, { autoCommit = false } = {}) {
		if (!stream || typeof stream.write !== 'function')
			throw new codes.ERR_INVALID_ARG_TYPE('stream', 'Writable', stream);
		this.#stream = stream;
		this.#auto = !!autoCommit;
	}
	#add(text) {
		if (this.#auto)
			require('process').nextTick(() => this.#stream.write(text));
		else
			this.#todo.push(text);
		return this;
	}
	cursorTo(x, y = undefined) {
		validateInteger(x, 'x');
		if (y !== undefined)
			validateInteger(y, 'y');
		return this.#add(cursorText(x, y));
	}
	moveCursor(dx, dy) { return dx || dy ? this.#add(moveText(dx, dy)) : this; }
	clearLine(direction) {
		validateInteger(direction, 'dir', -1, 1);
		return this.#add(lineText(direction));
	}
	clearScreenDown() { return this.#add('\u001b[0J'); }
	commit() { return new Promise((resolve) => this.#stream.write(this.#todo.splice(0).join(''), resolve)); }
	rollback() {
		this.#todo = [];
		return this;
	}
};
