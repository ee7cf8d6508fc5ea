/* dns and dns/promises: names of errors and flags; there is nobody to ask. */
'use strict';

const { functions, classes } = require('internal/refused');
const INSTEAD = 'there is no network, only fetch()';
const ERRORS = ('NODATA FORMERR SERVFAIL NOTFOUND NOTIMP REFUSED BADQUERY BADNAME BADFAMILY BADRESP CONNREFUSED TIMEOUT EOF FILE NOMEM ' +
	'DESTRUCTION BADSTR BADFLAGS NONAME BADHINTS NOTINITIALIZED LOADIPHLPAPI ADDRGETNETWORKPARAMS CANCELLED').split(' ');

exports.add = function (target, module) {
	functions(target, module, INSTEAD, ['lookup', 'lookupService', 'setServers', 'getServers', 'resolve', 'resolve4', 'resolve6',
		'resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa', 'resolveSrv',
		'resolveTxt', 'reverse']);
	classes(target, module, INSTEAD, ['Resolver']);
	let order = 'verbatim';
	target.getDefaultResultOrder = () => order;
	target.setDefaultResultOrder = function setDefaultResultOrder(value) {
		require('internal/validators').validateOneOf(value, 'dnsOrder', ['verbatim', 'ipv4first', 'ipv6first']);
		order = value;
	};
	for (const name of ERRORS)
		target[name] = name === 'CANCELLED' ? 'ECANCELLED' : `E${name}`;
};
