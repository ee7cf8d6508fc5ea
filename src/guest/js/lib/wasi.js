'use strict';

require('internal/refused').classes(exports, 'wasi', 'there is no WebAssembly', ['WASI']);
