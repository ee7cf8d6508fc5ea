'use strict';

const { functions, classes } = require('internal/refused');
const INSTEAD = 'there is no network, only fetch()';

functions(exports, 'dgram', INSTEAD, ['createSocket']);
classes(exports, 'dgram', INSTEAD, ['Socket'], require('events'));
