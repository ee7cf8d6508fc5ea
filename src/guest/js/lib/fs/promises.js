/* The module fs/promises. */
'use strict';

module.exports = require('internal/fs_promises').promises;
