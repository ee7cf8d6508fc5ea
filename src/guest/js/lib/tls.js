/* tls: its constants; what would open a socket throws by its name. */
'use strict';

const Emitter = require('events');
const net = require('net');
const { error, functions, classes } = require('internal/refused');
const INSTEAD = 'there is no network, only fetch()';

Object.assign(exports, {
	CLIENT_RENEG_LIMIT: 3, CLIENT_RENEG_WINDOW: 600, DEFAULT_ECDH_CURVE: 'auto', DEFAULT_MIN_VERSION: 'TLSv1.2',
	DEFAULT_MAX_VERSION: 'TLSv1.3',
});
for (const name of ['DEFAULT_CIPHERS', 'rootCertificates']) {
	Object.defineProperty(exports, name, { configurable: true, get() {
		throw error(`tls.${name}`, INSTEAD);
	} });
}
functions(exports, 'tls', INSTEAD, ['getCiphers', 'convertALPNProtocols', 'checkServerIdentity', 'createSecureContext', 'createServer',
	'connect', 'createSecurePair']);
classes(exports, 'tls', INSTEAD, ['SecureContext']);
classes(exports, 'tls', INSTEAD, ['TLSSocket'], net.Socket);
classes(exports, 'tls', INSTEAD, ['Server'], Emitter);
