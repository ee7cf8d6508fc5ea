/* v8.serialize and v8.deserialize: V8's own format of values, version 15, as node's default serializer writes it. */
'use strict';

const { Buffer } = require('buffer');
const { codes } = require('internal/errors');
const { classOf } = host;

const VIEWS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, DataView,
	Buffer, BigInt64Array, BigUint64Array];
const BUFFER = 10;
const ERRORS = { __proto__: null, EvalError: 'E', RangeError: 'R', ReferenceError: 'F', SyntaxError: 'S', TypeError: 'T', URIError: 'U' };
const FLAGS = ['g', 'i', 'm', 'y', 'u', 's', 'd', 'v'], FLAG_BITS = [1, 2, 4, 8, 16, 32, 128, 256];
const MOST_DEPTH = 4000;

class Writer {
	constructor() {
		this.parts = Buffer.alloc(256);
		this.n = 0;
		this.ids = new Map();
		this.depth = 0;
		this.raw([0xff, 15]);
	}
	room(n) {
		if (this.n + n <= this.parts.length)
			return;
		const more = Buffer.alloc(Math.max(this.parts.length * 2, this.n + n));
		this.parts.copy(more, 0, 0, this.n);
		this.parts = more;
	}
	raw(bytes) {
		this.room(bytes.length);
		this.parts.set(bytes, this.n);
		this.n += bytes.length;
	}
	tag(c) {
		this.raw([c.charCodeAt(0)]);
	}
	varint(n) {
		const bytes = [];
		while (n >= 128) {
			bytes.push((n % 128) | 128);
			n = Math.floor(n / 128);
		}
		this.raw([...bytes, n]);
	}
	double(n) {
		this.room(8);
		this.n = this.parts.writeDoubleLE(n, this.n);
	}
	string(text) {
		/* one byte a character where that is enough, else two, at an even place */
		if (/^[\0-\xff]*$/.test(text)) {
			this.tag('"');
			this.varint(text.length);
			this.raw(Buffer.from(text, 'latin1'));
			return;
		}
		const size = text.length * 2;
		if ((this.n + 1 + (size < 128 ? 1 : size < 16384 ? 2 : size < 2097152 ? 3 : 4)) % 2)
			this.raw([0]);
		this.tag('c');
		this.varint(size);
		this.raw(Buffer.from(text, 'utf16le'));
	}
	bigint(n) {
		const negative = n < 0n, hex = (negative ? -n : n).toString(16);
		const digits = n === 0n ? 0 : Math.ceil(hex.length / 16) * 8;
		this.varint(digits * 2 + (negative ? 1 : 0));
		this.raw(Buffer.from(hex.padStart(digits * 2, '0').slice(digits ? 0 : hex.length), 'hex').reverse());
	}
	value(v) {
		switch (typeof v) {
		case 'undefined': return this.tag('_');
		case 'boolean': return this.tag(v ? 'T' : 'F');
		case 'string': return this.string(v);
		case 'bigint':
			this.tag('Z');
			return this.bigint(v);
		case 'number':
			if (Number.isInteger(v) && !Object.is(v, -0) && v >= -(2 ** 31) && v < 2 ** 31) {
				this.tag('I');
				return this.varint(v >= 0 ? v * 2 : -v * 2 - 1);
			}
			this.tag('N');
			return this.double(v);
		default:
		}
		if (v === null)
			return this.tag('0');
		if (typeof v !== 'object')
			throw new Error(`${String(v)} could not be cloned.`);
		return this.object(v);
	}
	object(v) {
		const known = this.ids.get(v);
		if (known !== undefined) {
			this.tag('^');
			return this.varint(known);
		}
		this.ids.set(v, this.ids.size);
		if (++this.depth > MOST_DEPTH)
			throw new RangeError('Maximum call stack size exceeded');
		this.body(v);
		this.depth--;
		return undefined;
	}
	body(v) {
		const kind = classOf(v);
		if (ArrayBuffer.isView(v)) {
			const index = Buffer.isBuffer(v) ? BUFFER : VIEWS.findIndex((one) => v instanceof one);
			this.tag('\\');
			this.varint(index);
			this.varint(v.byteLength);
			return this.raw(new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
		}
		switch (kind) {
		case 'Array': return this.array(v);
		case 'Date':
			this.tag('D');
			return this.double(v.getTime());
		case 'RegExp':
			this.tag('R');
			this.string(v.source);
			return this.varint(FLAGS.reduce((sum, one, i) => sum + (v.flags.includes(one) ? FLAG_BITS[i] : 0), 0));
		case 'Map':
			this.tag(';');
			for (const [key, one] of [...v]) {
				this.value(key);
				this.value(one);
			}
			this.tag(':');
			return this.varint(v.size * 2);
		case 'Set':
			this.tag("'");
			for (const one of [...v])
				this.value(one);
			this.tag(',');
			return this.varint(v.size);
		case 'ArrayBuffer':
			this.tag('B');
			this.varint(v.byteLength);
			return this.raw(new Uint8Array(v));
		case 'Number':
			this.tag('n');
			return this.double(v.valueOf());
		case 'String':
			this.tag('s');
			return this.string(v.valueOf());
		case 'Boolean': return this.tag(v.valueOf() ? 'y' : 'x');
		case 'BigInt':
			this.tag('z');
			return this.bigint(v.valueOf());
		case 'Error': return this.error(v);
		case 'Object': case 'Arguments': {
			this.tag('o');
			const n = this.properties(v, Object.keys(v));
			this.tag('{');
			return this.varint(n);
		}
		default:
			throw new Error(`${kind === 'Symbol' ? 'Object' : `#<${v.constructor?.name || kind}>`} could not be cloned.`);
		}
	}
	/* Index keys are numbers. */
	properties(v, keys) {
		let n = 0;
		for (const key of keys) {
			if (!Object.hasOwn(v, key))
				continue;
			this.value(/^(0|[1-9]\d{0,8})$/.test(key) ? Number(key) : key);
			this.value(v[key]);
			n++;
		}
		return n;
	}
	array(v) {
		const { length } = v, keys = Object.keys(v), named = keys.filter((key) => !/^(0|[1-9]\d*)$/.test(key));
		const dense = keys.length - named.length === length;
		this.tag(dense ? 'A' : 'a');
		this.varint(length);
		if (dense) {
			for (let i = 0; i < length; i++)
				this.value(v[i]);
		}
		const n = this.properties(v, dense ? named : keys);
		this.tag(dense ? '$' : '@');
		this.varint(n);
		this.varint(length);
	}
	error(v) {
		this.tag('r');
		if (ERRORS[v.name])
			this.tag(ERRORS[v.name]);
		const message = Object.getOwnPropertyDescriptor(v, 'message');
		if (message) {
			this.tag('m');
			this.string(`${message.value}`);
		}
		if (Object.hasOwn(v, 'cause')) {
			this.tag('c');
			this.value(v.cause);
		}
		if (typeof v.stack === 'string') {
			this.tag('s');
			this.string(v.stack);
		}
		this.tag('.');
	}
}

const broken = () => new Error('Unable to deserialize cloned data.');

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
		this.objects = [];
		this.depth = 0;
		if (bytes[0] !== 0xff || bytes[1] === undefined || bytes[1] > 15 || bytes[1] < 13)
			throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
		this.at = 2;
	}
	byte() {
		if (this.at >= this.bytes.length)
			throw broken();
		return this.bytes[this.at++];
	}
	tag() {
		let c;
		do {
			c = this.byte();
		} while (c === 0);
		return String.fromCharCode(c);
	}
	peek() {
		while (this.bytes[this.at] === 0)
			this.at++;
		return this.at < this.bytes.length ? String.fromCharCode(this.bytes[this.at]) : '';
	}
	varint() {
		let n = 0, scale = 1;
		for (;;) {
			const c = this.byte();
			n += (c & 127) * scale;
			if (c < 128)
				return n;
			scale *= 128;
			if (scale > 2 ** 42)
				throw broken();
		}
	}
	raw(n) {
		if (n > this.bytes.length - this.at)
			throw broken();
		this.at += n;
		return this.bytes.subarray(this.at - n, this.at);
	}
	double() {
		return this.raw(8).readDoubleLE(0);
	}
	bigint() {
		const head = this.varint(), bytes = Buffer.from(this.raw(Math.floor(head / 2))).reverse();
		const n = bytes.length ? BigInt(`0x${bytes.toString('hex')}`) : 0n;
		return head % 2 ? -n : n;
	}
	string(tag = this.tag()) {
		if (tag === '"')
			return this.raw(this.varint()).toString('latin1');
		if (tag === 'c')
			return this.raw(this.varint()).toString('utf16le');
		if (tag === 'S')
			return this.raw(this.varint()).toString('utf8');
		throw broken();
	}
	keep(v) {
		this.objects.push(v);
		return v;
	}
	value() {
		if (++this.depth > MOST_DEPTH)
			throw broken();
		const v = this.read(this.tag());
		this.depth--;
		return v;
	}
	read(tag) {
		switch (tag) {
		case '_': return undefined;
		case '0': return null;
		case 'T': return true;
		case 'F': return false;
		case 'I': {
			const n = this.varint();
			return n % 2 ? -(n + 1) / 2 : n / 2;
		}
		case 'U': return this.varint();
		case 'N': return this.double();
		case 'Z': return this.bigint();
		case '"': case 'c': case 'S': return this.string(tag);
		case '^': {
			const id = this.varint();
			if (id >= this.objects.length)
				throw broken();
			return this.objects[id];
		}
		default: return this.object(tag);
		}
	}
	object(tag) {
		switch (tag) {
		case 'o': return this.properties(this.keep({}), '{');
		case 'A': return this.array(true);
		case 'a': return this.array(false);
		case 'D': return this.keep(new Date(this.double()));
		case 'n': return this.keep(Object(this.double()));
		case 's': return this.keep(Object(this.string()));
		case 'y': return this.keep(Object(true));
		case 'x': return this.keep(Object(false));
		case 'z': return this.keep(Object(this.bigint()));
		case 'R': {
			const source = this.string(), bits = this.varint();
			return this.keep(new RegExp(source, FLAGS.filter((one, i) => bits & FLAG_BITS[i]).join('')));
		}
		case ';': return this.entries(this.keep(new Map()), ':', (map) => map.set(this.value(), this.value()));
		case "'": return this.entries(this.keep(new Set()), ',', (set) => set.add(this.value()));
		case 'B': {
			const n = this.varint();
			return this.keep(new Uint8Array(this.raw(n)).buffer);
		}
		case '\\': return this.view();
		case 'r': return this.error();
		default: throw broken();
		}
	}
	entries(made, end, one) {
		while (this.peek() !== end)
			one(made);
		this.tag();
		this.varint();
		return made;
	}
	properties(made, end) {
		while (this.peek() !== end) {
			const key = this.value();
			Object.defineProperty(made, key, { value: this.value(), writable: true, enumerable: true, configurable: true });
		}
		this.tag();
		this.varint();
		return made;
	}
	array(dense) {
		const length = this.varint();
		if (dense && length > this.bytes.length - this.at)
			throw broken();
		const made = this.keep(dense ? [] : new Array(length));
		for (let i = 0; dense && i < length; i++)
			made.push(this.value());
		this.properties(made, dense ? '$' : '@');
		this.varint();
		return made;
	}
	view() {
		const Type = VIEWS[this.varint()], bytes = this.raw(this.varint());
		if (!Type)
			throw broken();
		if (Type === Buffer)
			return this.keep(Buffer.from(bytes));
		const { buffer } = new Uint8Array(bytes);
		return this.keep(new Type(buffer));
	}
	error() {
		const id = this.objects.push(undefined) - 1;
		let Type = Error, message, stack, cause, has = false;
		for (;;) {
			const tag = this.tag();
			if (tag === '.')
				break;
			const kind = Object.keys(ERRORS).find((name) => ERRORS[name] === tag);
			if (kind)
				Type = globalThis[kind];
			else if (tag === 'm')
				message = this.string();
			else if (tag === 's')
				stack = this.string();
			else if (tag === 'c')
				[cause, has] = [this.value(), true];
			else
				throw broken();
		}
		const made = has ? new Type(message, { cause }) : new Type(message);
		if (stack !== undefined)
			Object.defineProperty(made, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
		this.objects[id] = made;
		return made;
	}
}

exports.serialize = function (value) {
	const w = new Writer();
	w.value(value);
	return Buffer.from(w.parts.subarray(0, w.n));
};

exports.deserialize = function (bytes) {
	if (!ArrayBuffer.isView(bytes)) {
		const error = new codes.ERR_INVALID_ARG_TYPE('buffer', ['TypedArray', 'DataView'], bytes);
		error.message = 'buffer must be a TypedArray or a DataView';
		throw error;
	}
	return new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).value();
};
