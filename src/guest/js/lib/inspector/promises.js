'use strict';

require('internal/inspector_known').add(exports, 'inspector.promises');
