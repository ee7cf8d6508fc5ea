/* The old name of stream.Writable. */
'use strict';

module.exports = require('stream').Writable;
