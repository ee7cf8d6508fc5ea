'use strict';

const { functions, classes } = require('internal/refused');
const INSTEAD = 'use AsyncLocalStorage of async_hooks';

functions(exports, 'domain', INSTEAD, ['createDomain', 'create']);
classes(exports, 'domain', INSTEAD, ['Domain'], require('events'));
exports.active = null;
