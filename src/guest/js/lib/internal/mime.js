/* util.MIMEType and MIMEParams, and util.parseEnv. */
'use strict';

const { codes, define } = require('internal/errors');

define('ERR_INVALID_MIME_SYNTAX', TypeError, (production, text, index) => `The MIME syntax for a ${production} in ${JSON.stringify(text)} is ` +
	`invalid${index !== -1 ? ` at ${index}` : ''}`);

// eslint-disable-next-line no-control-regex
const badToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/, badValue = /[^\t\u0020-~\u0080-\u00FF]/;
const trimEnd = (text) => text.replace(/[\r\n\t ]+$/, '');

function check(text, production, pattern = badToken, whole = text) {
	const at = text.search(pattern);
	if (text === '' && pattern === badToken || at !== -1)
		throw new codes.ERR_INVALID_MIME_SYNTAX(production, whole, at);
	return text;
}

/* A parameter's value where `at` is, quoted or not: [value, where it ends]. */
function valueAt(text, at) {
	if (text[at] !== '"') {
		const end = text.indexOf(';', at);
		return [trimEnd(text.slice(at, end === -1 ? undefined : end)), end === -1 ? text.length : end];
	}
	let value = '';
	for (at++; at < text.length && text[at] !== '"'; at++) {
		if (text[at] === '\\' && at + 1 < text.length)
			at++;
		value += text[at];
	}
	const end = text.indexOf(';', at);
	return [value, end === -1 ? text.length : end];
}

class MIMEParams {
	#map = new Map();
	/* For MIMEType: reads what is behind the first ";". */
	static fill(params, text) {
		for (let at = 0; at < text.length; at++) {
			while (/[\r\n\t ]/.test(text[at] ?? ''))
				at++;
			const stop = text.slice(at).search(/[;=]/), end = stop === -1 ? text.length : at + stop;
			const name = text.slice(at, end).toLowerCase();
			at = end;
			if (text[at] !== '=')
				continue;
			const [value, next] = valueAt(text, at + 1), quoted = text[at + 1] === '"';
			at = next;
			if (name !== '' && !badToken.test(name) && (value !== '' || quoted) && !badValue.test(value) && !params.#map.has(name))
				params.#map.set(name, value);
		}
		return params;
	}
	delete(name) { this.#map.delete(`${name}`); }
	get(name) { return this.#map.get(`${name}`) ?? null; }
	has(name) { return this.#map.has(`${name}`); }
	set(name, value) { this.#map.set(check(`${name}`, 'parameter name'), check(`${value}`, 'parameter value', badValue)); }
	* entries() { yield* this.#map.entries(); }
	* keys() { yield* this.#map.keys(); }
	* values() { yield* this.#map.values(); }
	toString() {
		return [...this.#map].map(([name, value]) => `${name}=${value === '' || badToken.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value}`).join(';');
	}
	toJSON() { return this.toString(); }
	[Symbol.iterator]() { return this.entries(); }
}
const fill = MIMEParams.fill;
delete MIMEParams.fill;

class MIMEType {
	#type;
	#subtype;
	#params;
	constructor(input) {
		const text = `${input}`.replace(/^[\r\n\t ]+/, ''), slash = text.indexOf('/'), semicolon = text.indexOf(';', slash + 1);
		if (slash === -1)
			throw new codes.ERR_INVALID_MIME_SYNTAX('type', `${input}`, -1);
		this.#type = check(text.slice(0, slash), 'type', badToken, `${input}`).toLowerCase();
		this.#subtype = check(trimEnd(text.slice(slash + 1, semicolon === -1 ? undefined : semicolon)), 'subtype', badToken, `${input}`).toLowerCase();
		this.#params = fill(new MIMEParams(), semicolon === -1 ? '' : text.slice(semicolon + 1));
	}
	get type() { return this.#type; }
	set type(value) { this.#type = check(`${value}`, 'type').toLowerCase(); }
	get subtype() { return this.#subtype; }
	set subtype(value) { this.#subtype = check(`${value}`, 'subtype').toLowerCase(); }
	get essence() { return `${this.#type}/${this.#subtype}`; }
	get params() { return this.#params; }
	toString() {
		const params = this.#params.toString();
		return params ? `${this.essence};${params}` : this.essence;
	}
	toJSON() { return this.toString(); }
}

/* NAME=value lines, with comments and three kinds of quotes. */
function parseEnv(content) {
	require('internal/validators').validateString(content, 'content');
	const result = {};
	const line = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*("(?:[^"\\]|\\[^])*"|'[^']*'|`[^`]*`|[^\n#]*)?.*$/gm;
	for (const [, name, raw = ''] of content.replaceAll('\r\n', '\n').matchAll(line)) {
		const text = raw.trim(), quote = text.length > 1 && text[0] === text.at(-1) && '"\'`'.includes(text[0]) ? text[0] : '';
		const value = quote ? text.slice(1, -1) : text;
		result[name] = quote === '"' ? value.replaceAll('\\n', '\n') : value;
	}
	return result;
}

/* Into the environment, where it is not there yet. */
function loadEnv(text) {
	for (const [name, value] of Object.entries(parseEnv(text))) {
		if (process.env[name] === undefined)
			process.env[name] = value;
	}
}

Object.assign(exports, { MIMEType, MIMEParams, parseEnv, loadEnv });
