/* URLSearchParams. */
'use strict';

const { codes } = require('internal/errors');
const { validateFunction } = require('internal/validators');
const { percentDecode } = require('internal/url_encode');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const update = Symbol('update');
const connect = Symbol('connect');

function parseForm(text) {
	const list = [];
	for (const field of text.split('&')) {
		if (field === '')
			continue;
		const at = field.indexOf('=');
		const decode = (part) => percentDecode(part.replaceAll('+', ' '));
		list.push([decode(at < 0 ? field : field.slice(0, at)), at < 0 ? '' : decode(field.slice(at + 1))]);
	}
	return list;
}

function encodeForm(text) {
	return encodeURIComponent(text).replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll('%20', '+');
}

const stringOf = (value) => `${value}`.toWellFormed();

/* The pairs of an array, an iterable or an object. */
function pairsOf(init) {
	const method = init[Symbol.iterator];
	if (method === undefined || method === null)
		return Reflect.ownKeys(init).filter((key) => Object.prototype.propertyIsEnumerable.call(init, key))
			.map((key) => [stringOf(key), stringOf(init[key])]);
	if (typeof method !== 'function')
		throw new codes.ERR_ARG_NOT_ITERABLE('Query pairs');
	const list = [];
	for (const pair of init) {
		if (pair === null || (typeof pair !== 'object' && typeof pair !== 'function') || typeof pair[Symbol.iterator] !== 'function')
			throw new codes.ERR_INVALID_TUPLE('Each query pair', '[name, value]');
		const both = [...pair];
		if (both.length !== 2)
			throw new codes.ERR_INVALID_TUPLE('Each query pair', '[name, value]');
		list.push([stringOf(both[0]), stringOf(both[1])]);
	}
	return list;
}

class URLSearchParams {
	#list = [];
	#owner = null;
	constructor(init = undefined) {
		if (init === undefined || init === null)
			return;
		if (typeof init === 'object' || typeof init === 'function')
			this.#list = pairsOf(init);
		else
			this.#list = parseForm(stringOf(init).replace(/^\?/, ''));
	}
	static #check(self) {
		if (self === null || typeof self !== 'object' || !(#list in self))
			throw new codes.ERR_INVALID_THIS('URLSearchParams');
	}
	/* For URL: joins it, and gives it a new query. */
	[connect](owner) { this.#owner = owner; }
	[update](query) { this.#list = query === null ? [] : parseForm(query); }
	#changed() {
		if (this.#owner)
			this.#owner(this.toString());
	}
	static [Symbol.hasInstance](value) {
		return value !== null && typeof value === 'object' && #list in value;
	}
	[inspectSymbol](depth, options, inspect) {
		URLSearchParams.#check(this);
		if (typeof depth === 'number' && depth < 0)
			return options.stylize('[Object]', 'special');
		const deeper = depth !== null ? { ...options, depth: depth - 1 } : { ...options };
		const parts = this.#list.map(([name, value]) => `${inspect(name, deeper)} => ${inspect(value, deeper)}`);
		const length = parts.reduce((sum, part) => sum + part.replace(/\u001b\[\d\d?m/g, '').length + 2, -2);
		if (length > options.breakLength)
			return `${this.constructor.name} {\n  ${parts.join(',\n  ')} }`;
		return parts.length ? `${this.constructor.name} { ${parts.join(', ')} }` : `${this.constructor.name} {}`;
	}
	get size() {
		URLSearchParams.#check(this);
		return this.#list.length;
	}
	append(name, value) {
		URLSearchParams.#check(this);
		if (arguments.length < 2)
			throw new codes.ERR_MISSING_ARGS('name', 'value');
		this.#list.push([stringOf(name), stringOf(value)]);
		this.#changed();
	}
	delete(name, value = undefined) {
		URLSearchParams.#check(this);
		if (arguments.length < 1)
			throw new codes.ERR_MISSING_ARGS('name');
		name = stringOf(name);
		const only = value === undefined ? undefined : stringOf(value);
		this.#list = this.#list.filter((pair) => pair[0] !== name || (only !== undefined && pair[1] !== only));
		this.#changed();
	}
	get(name) {
		URLSearchParams.#check(this);
		if (arguments.length < 1)
			throw new codes.ERR_MISSING_ARGS('name');
		const found = this.#list.find((pair) => pair[0] === stringOf(name));
		return found ? found[1] : null;
	}
	getAll(name) {
		URLSearchParams.#check(this);
		if (arguments.length < 1)
			throw new codes.ERR_MISSING_ARGS('name');
		return this.#list.filter((pair) => pair[0] === stringOf(name)).map((pair) => pair[1]);
	}
	has(name, value = undefined) {
		URLSearchParams.#check(this);
		if (arguments.length < 1)
			throw new codes.ERR_MISSING_ARGS('name');
		return this.#list.some((pair) => pair[0] === stringOf(name) && (value === undefined || pair[1] === stringOf(value)));
	}
	set(name, value) {
		URLSearchParams.#check(this);
		if (arguments.length < 2)
			throw new codes.ERR_MISSING_ARGS('name', 'value');
		name = stringOf(name);
		const first = this.#list.find((pair) => pair[0] === name);
		if (first === undefined) {
			this.#list.push([name, stringOf(value)]);
		} else {
			first[1] = stringOf(value);
			this.#list = this.#list.filter((pair) => pair[0] !== name || pair === first);
		}
		this.#changed();
	}
	sort() {
		URLSearchParams.#check(this);
		this.#list.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
		this.#changed();
	}
	entries() { return this.#iterate('entries', (pair) => [pair[0], pair[1]]); }
	keys() { return this.#iterate('keys', (pair) => pair[0]); }
	values() { return this.#iterate('values', (pair) => pair[1]); }
	#iterate(kind, pick) {
		let at = 0;
		const rest = () => this.#list.slice(at).map(pick);
		const iterator = Object.create(iteratorPrototype);
		states.set(iterator, { next: () => at < this.#list.length ? { value: pick(this.#list[at++]), done: false } :
			{ value: undefined, done: true }, rest });
		return iterator;
	}
	forEach(callback, self = undefined) {
		URLSearchParams.#check(this);
		validateFunction(callback, 'callback');
		for (let i = 0; i < this.#list.length; i++)
			callback.call(self, this.#list[i][1], this.#list[i][0], this);
	}
	toString() {
		URLSearchParams.#check(this);
		return this.#list.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&');
	}
}

const states = new WeakMap();
const iteratorPrototype = Object.defineProperties(Object.create(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))), {
	next: { configurable: true, enumerable: true, writable: true, value: function next() {
		const state = states.get(this);
		if (state === undefined)
			throw new codes.ERR_INVALID_THIS('URLSearchParamsIterator');
		return state.next();
	} },
	[Symbol.toStringTag]: { configurable: true, value: 'URLSearchParams Iterator' },
	[inspectSymbol]: { configurable: true, value(depth, options, inspect) {
		if (typeof depth === 'number' && depth < 0)
			return options.stylize('[Object]', 'special');
		const deeper = typeof depth === 'number' ? { ...options, depth: depth - 1 } : { ...options };
		const left = states.get(this).rest(), parts = left.map((one) => inspect(one, deeper));
		const breaks = inspect(left, { ...deeper, colors: false }).includes('\n');
		return `URLSearchParams Iterator ${breaks ? `{\n  ${parts.join(',\n  ')} }` : parts.length ? `{ ${parts.join(', ')} }` : '{  }'}`;
	} },
});

URLSearchParams.prototype[Symbol.iterator] = URLSearchParams.prototype.entries;
Object.defineProperties(URLSearchParams.prototype, {
	[Symbol.toStringTag]: { configurable: true, value: 'URLSearchParams' },
	[Symbol.iterator]: { configurable: true, writable: true, enumerable: false },
});
for (const name of ['append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'entries', 'forEach', 'keys', 'values', 'toString', 'size'])
	Object.defineProperty(URLSearchParams.prototype, name, { enumerable: true });

exports.URLSearchParams = URLSearchParams;
exports.update = update;
exports.connect = connect;
