/* readline */
'use strict';

const { Interface } = require('internal/readline_interface');
const { clearLine, clearScreenDown, cursorTo, moveCursor } = require('internal/readline_ansi');

const names = { '\r': 'return', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\x7f': 'backspace', '\x1b': 'escape', ' ': 'space' };
const letters = { A: 'up', B: 'down', C: 'right', D: 'left', E: 'clear', F: 'end', H: 'home', P: 'f1', Q: 'f2', R: 'f3', S: 'f4', Z: 'tab' };
const numbers = { 1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end', 11: 'f1', 12: 'f2',
	13: 'f3', 14: 'f4', 15: 'f5', 17: 'f6', 18: 'f7', 19: 'f8', 20: 'f9', 21: 'f10', 23: 'f11', 24: 'f12', 200: 'paste-start', 201: 'paste-end' };

/* A sequence: which key, by its last letter or its number, and what was held down. */
function sequenceKey(sequence) {
	const [, meta, head, first, modifier, last] = /^(\x1b?)\x1b([[O])(\d*)(?:;(\d+))?([~A-Za-z])$/.exec(sequence);
	const held = (modifier ?? 1) - 1;
	const code = head + (last === '~' ? first + last : last);
	return {
		sequence, name: (last === '~' ? numbers[first] : letters[last]) ?? 'undefined',
		ctrl: !!(held & 4), meta: !!meta || !!(held & 10), shift: !!(held & 1) || last === 'Z', code,
	};
}

function plainKey(sequence, c, meta) {
	const key = { sequence, name: names[c], ctrl: false, meta, shift: false };
	if (key.name === undefined && c <= '\x1a') {
		key.name = String.fromCharCode(c.charCodeAt(0) + 96);
		key.ctrl = true;
	} else if (/^[0-9A-Za-z]$/.test(c)) {
		key.name = c.toLowerCase();
		key.shift = /^[A-Z]$/.test(c);
	}
	return key;
}

/* Keys as events, one for each character or sequence that comes. */
/* iface.isCompletionEnabled: not within a chunk of several characters, which was pasted. */
function emitKeypressEvents(stream, iface = {}) {
	if (stream.keypressEvents)
		return;
	Object.defineProperty(stream, 'keypressEvents', { value: true, enumerable: false });
	const decoder = new (require('string_decoder').StringDecoder)('utf8');
	stream.on('data', (chunk) => {
		if (stream.listenerCount('keypress') === 0)
			return;
		const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
		for (const { 0: s, index } of text.matchAll(/\x1b?\x1b[[O]\d*(?:;\d+)?[~A-Za-z]|\x1b?[^\x1b]|\x1b/gsu)) {
			iface.isCompletionEnabled = index + s.length === text.length;
			if (/^\x1b?\x1b[[O]\d*(?:;\d+)?[~A-Za-z]$/.test(s) && s.length > 2)
				stream.emit('keypress', undefined, sequenceKey(s));
			else if (s === '\x1b')
				stream.emit('keypress', undefined, { sequence: s, name: 'escape', ctrl: false, meta: true, shift: false });
			else
				stream.emit('keypress', s[0] === '\x1b' ? undefined : s, plainKey(s, s[0] === '\x1b' ? s.slice(1) : s, s[0] === '\x1b'));
		}
	});
}

module.exports = {
	Interface, clearLine, clearScreenDown,
	createInterface: (input, output, completer, terminal) => new Interface(input, output, completer, terminal),
	cursorTo, emitKeypressEvents, moveCursor,
	get promises() { return require('readline/promises'); },
};
