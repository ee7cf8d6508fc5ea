/* readline/promises */
'use strict';

const { PromisesInterface } = require('internal/readline_interface');
const { Readline } = require('internal/readline_ansi');

module.exports = {
	Interface: PromisesInterface, Readline,
	createInterface: (input, output, completer, terminal) => new PromisesInterface(input, output, completer, terminal),
};
