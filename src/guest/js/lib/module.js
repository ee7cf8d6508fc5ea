/* The module module: the loader itself. */
'use strict';

module.exports = require('internal/cjs').Module;
