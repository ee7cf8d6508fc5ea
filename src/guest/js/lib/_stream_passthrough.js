/* The old name of stream.PassThrough. */
'use strict';

module.exports = require('stream').PassThrough;
