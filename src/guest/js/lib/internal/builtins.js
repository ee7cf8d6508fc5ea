/* Node's own modules: which there are, and what is said of those that are missing. */
'use strict';

const NAMES = ['_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing', '_http_server', '_stream_duplex',
	'_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_wrap', '_stream_writable', '_tls_common', '_tls_wrap',
	'assert', 'assert/strict', 'async_hooks', 'buffer', 'child_process', 'cluster', 'console', 'constants', 'crypto', 'dgram',
	'diagnostics_channel', 'dns', 'dns/promises', 'domain', 'events', 'fs', 'fs/promises', 'http', 'http2', 'https', 'inspector',
	'inspector/promises', 'module', 'net', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode',
	'querystring', 'readline', 'readline/promises', 'repl', 'stream', 'stream/consumers', 'stream/promises', 'stream/web',
	'string_decoder', 'sys', 'timers', 'timers/promises', 'tls', 'trace_events', 'tty', 'url', 'util', 'util/types', 'v8', 'vm',
	'wasi', 'worker_threads', 'zlib'];
const known = new Set(NAMES);
const PREFIXED = new Set(['sea', 'sqlite', 'test', 'test/reporters']);
exports.names = NAMES;

/* What is said of those that are not even to look at (internal/refused.js has the others). */
const FETCH = 'fetch() is what there is for HTTP', NO_NETWORK = 'there is no network, only fetch()';
const INSTEAD = {
	_http_agent: FETCH, _http_client: FETCH, _http_common: FETCH, _http_incoming: FETCH, _http_outgoing: FETCH, _http_server: FETCH,
	_tls_common: NO_NETWORK, _tls_wrap: NO_NETWORK, _stream_wrap: 'use stream', 'test/reporters': 'use --test-reporter=tap or spec',
	sea: 'there are no single executables', sqlite: 'Node 20 has none either',
};

/* The bare name of a builtin module, or undefined. */
exports.bare = function (request) {
	if (request.startsWith('node:')) {
		const name = request.slice(5);
		return known.has(name) || PREFIXED.has(name) ? name : undefined;
	}
	return known.has(request) ? request : undefined;
};

exports.get = function (request) {
	const name = exports.bare(request);
	return name === undefined ? undefined : exports.load(name);
};

exports.load = function (name) {
	if (host.has(name))
		return require(name);
	const e = new Error(`The module 'node:${name}' is not in this sandbox${INSTEAD[name] ? `: ${INSTEAD[name]}` : ''}`);
	e.code = 'ERR_UNKNOWN_BUILTIN_MODULE';
	throw e;
};
