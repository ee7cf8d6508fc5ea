/* stream/promises */
'use strict';

const { promises } = require('stream');

exports.finished = promises.finished;
exports.pipeline = promises.pipeline;
