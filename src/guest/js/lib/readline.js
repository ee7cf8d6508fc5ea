/* readline */
'use strict';

const { Interface } = require('internal/readline_interface');
const { clearLine, clearScreenDown, cursorTo, moveCursor } = require('internal/readline_ansi');

/* Keys as events, one for each character that comes. */
function emitKeypressEvents(stream) {
	if (stream.keypressEvents)
		return;
	Object.defineProperty(stream, 'keypressEvents', { value: true, enumerable: false });
	const names = { '\r': 'return', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\x7f': 'backspace', '\x1b': 'escape', ' ': 'space' };
	const decoder = new (require('string_decoder').StringDecoder)('utf8');
	stream.on('data', (chunk) => {
		if (stream.listenerCount('keypress') === 0)
			return;
		for (const c of typeof chunk === 'string' ? chunk : decoder.write(chunk)) {
			const control = c < ' ' && names[c] === undefined;
			const name = names[c] ?? (control ? String.fromCharCode(c.charCodeAt(0) + 96) : /^[0-9A-Za-z]$/.test(c) ? c.toLowerCase() : undefined);
			stream.emit('keypress', c === '\x1b' ? undefined : c, { sequence: c, name, ctrl: control, meta: c === '\x1b', shift: /^[A-Z]$/.test(c) });
		}
	});
}

module.exports = {
	Interface, clearLine, clearScreenDown,
	createInterface: (input, output, completer, terminal) => new Interface(input, output, completer, terminal),
	cursorTo, emitKeypressEvents, moveCursor,
	get promises() { return require('readline/promises'); },
};
