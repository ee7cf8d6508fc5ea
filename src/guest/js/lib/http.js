/* http: methods, status codes, header checks; what would open a socket throws by its name. */
'use strict';

const known = require('internal/http_known');
const { functions } = require('internal/refused');

functions(exports, 'http', known.INSTEAD, ['_connectionListener']);
exports.METHODS = known.METHODS.slice().sort();
exports.STATUS_CODES = known.STATUS_CODES;
known.messages(exports);
known.add(exports, 'http', 80, 'http:');
exports.validateHeaderName = known.validateHeaderName;
exports.validateHeaderValue = known.validateHeaderValue;
exports.setMaxIdleHTTPParsers = function setMaxIdleHTTPParsers() {};
exports.maxHeaderSize = 16384;
