/* http, https: what is known about the protocol; no socket speaks it. */
'use strict';

const Emitter = require('events');
const { Readable, Stream } = require('stream');
const { codes } = require('internal/errors');
const { validateString } = require('internal/validators');
const { error, functions, classes } = require('internal/refused');
const INSTEAD = 'fetch() is what there is for HTTP';
exports.INSTEAD = INSTEAD;

exports.METHODS = (
	'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL ' +
	'MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE ' +
	'SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE').split(' ');

exports.STATUS_CODES = {
	100: 'Continue', 101: 'Switching Protocols', 102: 'Processing', 103: 'Early Hints', 200: 'OK', 201: 'Created',
	202: 'Accepted', 203: 'Non-Authoritative Information', 204: 'No Content', 205: 'Reset Content',
	206: 'Partial Content', 207: 'Multi-Status', 208: 'Already Reported', 226: 'IM Used', 300: 'Multiple Choices',
	301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified', 305: 'Use Proxy',
	307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized',
	402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable',
	407: 'Proxy Authentication Required', 408: 'Request Timeout', 409: 'Conflict', 410: 'Gone',
	411: 'Length Required', 412: 'Precondition Failed', 413: 'Payload Too Large', 414: 'URI Too Long',
	415: 'Unsupported Media Type', 416: 'Range Not Satisfiable', 417: 'Expectation Failed', 418: 'I\'m a Teapot',
	421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked', 424: 'Failed Dependency',
	425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
	431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons', 500: 'Internal Server Error',
	501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout',
	505: 'HTTP Version Not Supported', 506: 'Variant Also Negotiates', 507: 'Insufficient Storage',
	508: 'Loop Detected', 509: 'Bandwidth Limit Exceeded', 510: 'Not Extended',
	511: 'Network Authentication Required',
};


/* The classes and functions of both modules, under the name of one. */
exports.add = function (target, module, defaultPort, protocol) {
	function Agent(options) {
		if (!(this instanceof Agent))
			return new Agent(options);
		Reflect.apply(Emitter, this, []);
		this.defaultPort = defaultPort;
		this.protocol = protocol;
		this.options = { __proto__: null, ...options, noDelay: options?.noDelay ?? true, path: null };
		this.requests = { __proto__: null };
		this.sockets = { __proto__: null };
		this.freeSockets = { __proto__: null };
		this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
		this.keepAlive = this.options.keepAlive || false;
		this.maxSockets = this.options.maxSockets || Infinity;
		this.maxFreeSockets = this.options.maxFreeSockets || 256;
		this.scheduling = this.options.scheduling || 'lifo';
		this.maxTotalSockets = this.options.maxTotalSockets || Infinity;
		this.totalSocketCount = 0;
	}
	Object.setPrototypeOf(Agent.prototype, Emitter.prototype);
	Object.setPrototypeOf(Agent, Emitter);
	functions(Agent.prototype, `${module}.Agent`, INSTEAD, ['createConnection', 'addRequest', 'createSocket']);
	Agent.prototype.destroy = function destroy() {};
	Agent.defaultMaxSockets = Infinity;
	target.Agent = Agent;
	target.globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });
	functions(target, module, INSTEAD, ['createServer', 'get', 'request']);
	classes(target, module, INSTEAD, ['Server'], Emitter);
};

const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/, BAD_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

exports.validateHeaderName = function validateHeaderName(name, label) {
	if (typeof name !== 'string' || !TOKEN.test(name))
		throw new codes.ERR_INVALID_HTTP_TOKEN(label || 'Header name', name);
};

exports.validateHeaderValue = function validateHeaderValue(name, value) {
	if (value === undefined)
		throw new codes.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
	if (BAD_CHARACTER.test(value))
		throw new codes.ERR_INVALID_CHAR('header content', name);
};

/* Messages are inherited from by frameworks; a message itself comes from a socket. */
exports.messages = function (target) {
	classes(target, 'http', INSTEAD, ['IncomingMessage'], Readable);
	classes(target, 'http', INSTEAD, ['OutgoingMessage'], Stream);
	classes(target, 'http', INSTEAD, ['ServerResponse', 'ClientRequest'], target.OutgoingMessage);
};
