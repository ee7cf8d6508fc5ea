/* The module process is the global object. */
'use strict';

module.exports = require('internal/process').process;
