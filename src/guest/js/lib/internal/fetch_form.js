/* FormData, and its two forms as bytes. */
'use strict';

const { needs, illegal, interfaceOf } = require('internal/fetch_headers');
const { Blob, File } = require('internal/blob');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const entries = new WeakMap();	/* arrays of [name, value] */

function entriesOf(form) {
	const list = form !== null && typeof form === 'object' ? entries.get(form) : undefined;
	if (list === undefined)
		throw illegal();
	return list;
}

/* A string, or a File. */
function entryOf(name, args, what) {
	let [, value, filename] = args;
	if (args.length > 2 && !(value instanceof Blob))
		throw new TypeError(`Failed to execute '${what}' on 'FormData': parameter 2 is not of type 'Blob'`);
	name = `${name}`.toWellFormed();
	if (!(value instanceof Blob))
		return [name, `${value}`.toWellFormed()];
	if (!(value instanceof File) || filename !== undefined) {
		value = new File([value], filename === undefined ? value.name ?? 'blob' : `${filename}`,
			{ type: value.type, lastModified: value.lastModified });
	}
	return [name, value];
}

class FormData {
	constructor(form = undefined) {
		if (form !== undefined)
			throw new TypeError('FormData constructor: Argument 1 could not be converted to: undefined.');
		entries.set(this, []);
	}
	append(name, value, filename = undefined) {
		const list = entriesOf(this);
		needs(arguments, 2, 'FormData.append');
		list.push(entryOf(name, arguments, 'append'));
	}
	delete(name) {
		const list = entriesOf(this);
		needs(arguments, 1, 'FormData.delete');
		name = `${name}`;
		entries.set(this, list.filter(one => one[0] !== name));
	}
	get(name) {
		const list = entriesOf(this);
		needs(arguments, 1, 'FormData.get');
		name = `${name}`;
		return list.find(one => one[0] === name)?.[1] ?? null;
	}
	getAll(name) {
		const list = entriesOf(this);
		needs(arguments, 1, 'FormData.getAll');
		name = `${name}`;
		return list.filter(one => one[0] === name).map(one => one[1]);
	}
	has(name) {
		const list = entriesOf(this);
		needs(arguments, 1, 'FormData.has');
		name = `${name}`;
		return list.some(one => one[0] === name);
	}
	set(name, value, filename = undefined) {
		const list = entriesOf(this);
		needs(arguments, 2, 'FormData.set');
		const made = entryOf(name, arguments, 'set'), at = list.findIndex(one => one[0] === made[0]);
		if (at < 0)
			list.push(made);
		else
			entries.set(this, [...list.slice(0, at), made, ...list.slice(at + 1).filter(one => one[0] !== made[0])]);
	}
	* entries() { yield* entriesOf(this).map(one => [...one]); }
	* keys() { yield* entriesOf(this).map(one => one[0]); }
	* values() { yield* entriesOf(this).map(one => one[1]); }
	forEach(callback, self = undefined) {
		needs(arguments, 1, 'FormData.forEach');
		if (typeof callback !== 'function')
			throw new TypeError("Failed to execute 'forEach' on 'FormData': parameter 1 is not of type 'Function'.");
		for (const [name, value] of entriesOf(this))
			callback.call(self, value, name, this);
	}
	[inspectSymbol](depth, options, inspect) {
		const all = {};
		for (const [name, value] of entriesOf(this)) {
			if (!Object.hasOwn(all, name))
				all[name] = value;
			else if (Array.isArray(all[name]))
				all[name].push(value);
			else
				all[name] = [all[name], value];
		}
		return `FormData ${inspect(all, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
	}
}
interfaceOf(FormData, ['append', 'delete', 'get', 'getAll', 'has', 'set', 'entries', 'keys', 'values', 'forEach']);
Object.defineProperty(FormData.prototype, Symbol.iterator, {
	value: FormData.prototype.entries, writable: true, enumerable: false, configurable: true,
});

/* ---- As bytes ---- */

const lines = text => text.replace(/\r\n?|\n/g, '\r\n');
const quoted = text => text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');

/* [bytes, content type] */
function encode(form) {
	const boundary = `----formdata-undici-0${`${Math.floor(Math.random() * 1e11)}`.padStart(11, '0')}`;
	const parts = [];
	for (const [name, value] of entriesOf(form)) {
		const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(lines(name))}"`;
		if (typeof value === 'string') {
			parts.push(`${head}\r\n\r\n${lines(value)}\r\n`);
		} else {
			parts.push(`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`,
				value, '\r\n');
		}
	}
	parts.push(`--${boundary}--\r\n`);
	return [new Blob(parts), `multipart/form-data; boundary=${boundary}`];
}

/* Bytes as one character each, to be searched and cut. */
function decodeMultipart(bytes, boundary) {
	const form = new FormData(), text = host.latin1Decode(bytes, 0, bytes.length);
	const bad = () => new TypeError('Failed to parse body as FormData.');
	const utf8 = part => {
		const u8 = new Uint8Array(part.length);
		host.latin1Write(part, u8, 0, u8.length);
		return u8;
	};
	const dash = `--${boundary}`;
	let at = text.indexOf(dash);
	if (at < 0)
		throw bad();
	for (at += dash.length; !text.startsWith('--', at);) {
		const end = text.indexOf('\r\n\r\n', at), next = text.indexOf(`\r\n${dash}`, end + 2);
		if (!text.startsWith('\r\n', at) || end < 0 || next < 0)
			throw bad();
		const head = text.slice(at + 2, end);
		const name = /^content-disposition:\s*form-data;.*?\bname="([^"]*)"/im.exec(head);
		if (!name)
			throw bad();
		const plain = raw => {
			const u8 = utf8(raw);
			return host.utf8Decode(u8, 0, u8.length).replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
		};
		const file = /;\s*filename="([^"]*)"/i.exec(head), type = /^content-type:\s*(.*?)\s*$/im.exec(head);
		const content = utf8(text.slice(end + 4, next));
		if (file)
			form.append(plain(name[1]), new File([content], plain(file[1]), { type: type ? type[1] : 'text/plain' }));
		else
			form.append(plain(name[1]), host.utf8Decode(content, 0, content.length));
		at = next + 2 + dash.length;
	}
	return form;
}

/* A body of that content type; undefined: it is neither of the two. */
function decode(bytes, type) {
	const essence = (type ?? '').split(';')[0].trim().toLowerCase();
	if (essence === 'multipart/form-data') {
		const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
		if (!boundary)
			throw new TypeError('Failed to parse body as FormData.');
		return decodeMultipart(bytes, boundary[1] ?? boundary[2]);
	}
	if (essence !== 'application/x-www-form-urlencoded')
		return undefined;
	const form = new FormData();
	for (const [name, value] of new (require('internal/url_params').URLSearchParams)(host.utf8Decode(bytes, 0, bytes.length)))
		form.append(name, value);
	return form;
}

Object.assign(exports, { FormData, encode, decode });
