/* constants (deprecated): those of os and fs in one object. */
'use strict';

const { constants } = require('os');

module.exports = Object.freeze(Object.assign({}, constants.dlopen, constants.errno, constants.priority, constants.signals,
	require('fs').constants));
