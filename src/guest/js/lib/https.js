/* https: an agent to hand on; what would open a socket throws by its name. */
'use strict';

require('internal/http_known').add(exports, 'https', 443, 'https:');
