'use strict';

const { functions, classes } = require('internal/refused');
const INSTEAD = 'start node without a script';

functions(exports, 'repl', INSTEAD, ['start']);
classes(exports, 'repl', INSTEAD, ['REPLServer']);
exports.writer = require('util').inspect;
exports.builtinModules = require('module').builtinModules.filter((name) => !name.startsWith('_'));
exports.REPL_MODE_SLOPPY = Symbol('repl-sloppy');
exports.REPL_MODE_STRICT = Symbol('repl-strict');
