/* Headers, and what fetch()'s files share: conversions and their messages. */
'use strict';

const { codes } = require('internal/errors');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/* ---- Conversions ---- */

function needs(args, n, what) {
	if (args.length >= n)
		return;
	throw new TypeError(`${what}: ${n} argument${n === 1 ? '' : 's'} required, but${args.length ? ' only' : ''} ${args.length} found.`);
}

/* A string of bytes. */
function byteString(value) {
	const text = `${value}`;
	const at = text.search(/[^\0-\xff]/);
	if (at >= 0) {
		throw new TypeError(`Cannot convert argument to a ByteString because the character at index ${at} has a value of ` +
			`${text.charCodeAt(at)} which is greater than 255.`);
	}
	return text;
}

function isToken(text) {
	return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

function illegal() {
	const e = new TypeError('Illegal invocation');
	e.code = 'ERR_INVALID_THIS';
	return e;
}

/* Methods and getters are enumerable, as WebIDL wants them. */
function interfaceOf(Class, names) {
	for (const name of names)
		Object.defineProperty(Class.prototype, name, { enumerable: true });
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
}

/* ---- The list ---- */

const lists = new WeakMap();	/* { map: lower case name -> { name, values }, guard } */

function listOf(headers) {
	const list = headers !== null && typeof headers === 'object' ? lists.get(headers) : undefined;
	if (list === undefined)
		throw illegal();
	return list;
}

function nameOf(name, what) {
	const text = byteString(name);
	if (!isToken(text))
		throw new TypeError(`${what}: ${JSON.stringify(text)} is an invalid header name.`);
	return text;
}

function valueOf(value, what) {
	const text = byteString(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
	if (/[\0\r\n]/.test(text))
		throw new TypeError(`${what}: "${text}" is an invalid header value.`);
	return text;
}

function changeable(list) {
	if (list.guard === 'immutable')
		throw new TypeError('immutable');
}

function append(list, name, value, what) {
	const key = nameOf(name, what), text = valueOf(value, what);
	changeable(list);
	const lower = key.toLowerCase(), known = list.map.get(lower);
	if (known)
		known.values.push(text);
	else
		list.map.set(lower, { name: key, values: [text] });
}

const joinedValues = one => one.values.join(one.name.toLowerCase() === 'cookie' ? '; ' : ', ');

/* [name, value] sorted; each cookie is one. */
function sorted(list) {
	const all = [];
	for (const name of [...list.map.keys()].sort()) {
		const one = list.map.get(name);
		if (name === 'set-cookie')
			one.values.forEach(value => all.push([name, value]));
		else
			all.push([name, joinedValues(one)]);
	}
	return all;
}

function fill(headers, init, what) {
	const list = listOf(headers);
	if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
		throw new TypeError(`${what}: Argument 1 could not be converted to one of: ` +
			'sequence<sequence<ByteString>>, record<ByteString, ByteString>.');
	}
	if (typeof init[Symbol.iterator] === 'function' && !(init instanceof Headers)) {
		for (const pair of init) {
			const two = [...pair];
			if (two.length !== 2)
				throw new TypeError(`${what}: expected name/value pair to be length 2, found ${two.length}.`);
			append(list, two[0], two[1], 'Headers.append');
		}
		return;
	}
	if (init instanceof Headers) {
		for (const { name, values } of lists.get(init).map.values())
			values.forEach(value => append(list, name, value, 'Headers.append'));
		return;
	}
	for (const key of Reflect.ownKeys(init)) {
		if (typeof key === 'symbol')
			throw new TypeError('Cannot convert a Symbol value to a string');
		if (Object.getOwnPropertyDescriptor(init, key)?.enumerable)
			append(list, key, init[key], 'Headers.append');
	}
}

const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const iterators = new WeakMap();
const HeadersIterator = Object.create(IteratorPrototype, {
	next: {
		value: function next() {
			const state = iterators.get(this);
			if (!state)
				throw new TypeError("'next' called on an object that does not implement interface Headers Iterator.");
			const all = sorted(state.list);
			if (state.at >= all.length)
				return { value: undefined, done: true };
			return { value: state.pick(all[state.at++]), done: false };
		},
		writable: true, enumerable: true, configurable: true,
	},
	[Symbol.toStringTag]: { value: 'Headers Iterator', configurable: true },
});

function iterate(list, pick) {
	const made = Object.create(HeadersIterator);
	iterators.set(made, { list, pick, at: 0 });
	return made;
}

class Headers {
	constructor(init = undefined) {
		lists.set(this, { map: new Map(), guard: 'none' });
		if (init !== undefined)
			fill(this, init, 'Headers constructor');
	}
	append(name, value) {
		const list = listOf(this);
		needs(arguments, 2, 'Headers.append');
		append(list, name, value, 'Headers.append');
	}
	delete(name) {
		const list = listOf(this);
		needs(arguments, 1, 'Headers.delete');
		const key = nameOf(name, 'Headers.delete');
		changeable(list);
		list.map.delete(key.toLowerCase());
	}
	get(name) {
		const list = listOf(this);
		needs(arguments, 1, 'Headers.get');
		const one = list.map.get(nameOf(name, 'Headers.get').toLowerCase());
		return one ? joinedValues(one) : null;
	}
	has(name) {
		const list = listOf(this);
		needs(arguments, 1, 'Headers.has');
		return list.map.has(nameOf(name, 'Headers.has').toLowerCase());
	}
	set(name, value) {
		const list = listOf(this);
		needs(arguments, 2, 'Headers.set');
		const key = nameOf(name, 'Headers.set'), text = valueOf(value, 'Headers.set');
		changeable(list);
		list.map.set(key.toLowerCase(), { name: key, values: [text] });
	}
	getSetCookie() {
		return [...(listOf(this).map.get('set-cookie')?.values ?? [])];
	}
	keys() { return iterate(listOf(this), pair => pair[0]); }
	values() { return iterate(listOf(this), pair => pair[1]); }
	entries() { return iterate(listOf(this), pair => pair); }
	forEach(callback, self = undefined) {
		const list = listOf(this);
		needs(arguments, 1, 'Headers.forEach');
		if (typeof callback !== 'function')
			throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
		for (const [name, value] of sorted(list))
			callback.call(self, value, name, this);
	}
	[inspectSymbol](depth, options, inspect) {
		const all = {};
		for (const one of listOf(this).map.values())
			all[one.name] = joinedValues(one);
		return `Headers ${inspect(all, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
	}
}
interfaceOf(Headers, ['append', 'delete', 'get', 'has', 'set', 'getSetCookie', 'keys', 'values', 'entries', 'forEach']);
Object.defineProperty(Headers.prototype, Symbol.iterator, {
	value: Headers.prototype.entries, writable: true, enumerable: false, configurable: true,
});

Object.assign(exports, { Headers, needs, byteString, isToken, illegal, interfaceOf, fill, sorted, listOf, codes });
