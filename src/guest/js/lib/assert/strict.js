/* assert/strict: the strict forms under the short names. */
'use strict';

module.exports = require('assert').strict;
