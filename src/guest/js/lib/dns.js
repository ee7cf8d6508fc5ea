'use strict';

Object.assign(exports, { ADDRCONFIG: 32, ALL: 16, V4MAPPED: 8, promises: require('dns/promises') });
require('internal/dns_known').add(exports, 'dns');
