/* inspector and inspector/promises: nothing listens. */
'use strict';

const { functions, classes } = require('internal/refused');
const INSTEAD = 'there is no debugger';

exports.add = function (target, module) {
	functions(target, module, INSTEAD, ['open', 'waitForDebugger']);
	classes(target, module, INSTEAD, ['Session'], require('events'));
	target.close = function close() {};
	target.url = function url() {};
	target.console = console;
};
