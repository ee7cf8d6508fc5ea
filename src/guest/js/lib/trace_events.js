'use strict';

require('internal/refused').functions(exports, 'trace_events', 'use console and performance', ['createTracing']);
exports.getEnabledCategories = function getEnabledCategories() {};
