'use strict';

require('internal/dns_known').add(exports, 'dns.promises');
