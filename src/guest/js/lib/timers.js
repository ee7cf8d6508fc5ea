/* The module timers. */
'use strict';

Object.assign(exports, require('internal/globals').timers);
Object.defineProperty(exports, 'promises', {
	configurable: true, enumerable: true, get: () => require('timers/promises'),
});
