/* Buffer: bytes as a Uint8Array with Node's methods. Numbers are in internal/buffer_numbers.js, Blob in internal/blob.js. */
'use strict';

const { codes } = require('internal/errors');
const { validateArray, validateInteger, validateNumber } = require('internal/validators');
const { types } = require('internal/types');
const { encodingOf, utf8 } = require('internal/encodings');
const { inspect } = require('internal/inspect');

const customInspect = Symbol.for('nodejs.util.inspect.custom');
const MAX = 4294967296;
const MAX_STRING = 536870888;
let inspectMax = 50;

class FastBuffer extends Uint8Array {
	constructor(a, b, c) {
		super(a, b, c);
	}
}

/* Node says nothing where a package of others makes one, by the file that has called. */
function isOfPackage() {
	const { stack } = new Error(), at = stack.split('\n    at ').find((line, i) => i > 0 && !/\(?node:/.test(line));
	return at !== undefined && /[/\\]node_modules[/\\]/.test(at);
}

let deprecationTold = false;
function tellDeprecated() {
	if (deprecationTold || (!require('internal/process').warnings.pending && isOfPackage()))
		return;
	deprecationTold = true;
	require('process').emitWarning('Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), ' +
		'Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005', Buffer);
}

function Buffer(arg, encodingOrOffset, length) {
	tellDeprecated();
	if (typeof arg === 'number') {
		if (typeof encodingOrOffset === 'string')
			throw new codes.ERR_INVALID_ARG_TYPE('string', 'string', arg);
		return Buffer.alloc(arg);
	}
	return Buffer.from(arg, encodingOrOffset, length);
}
Object.setPrototypeOf(Buffer, Uint8Array);
FastBuffer.prototype.constructor = Buffer;
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(Buffer, Symbol.species, { configurable: true, enumerable: false, get() { return FastBuffer; } });

function checkEncoding(encoding) {
	const ops = encodingOf(encoding);
	if (ops === undefined)
		throw new codes.ERR_UNKNOWN_ENCODING(encoding);
	return ops;
}

/* ---- making ---- */

const fromKinds = ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'];

function fromString(text, encoding) {
	const ops = typeof encoding !== 'string' || encoding.length === 0 ? utf8 : checkEncoding(encoding);
	if (text.length === 0)
		return new FastBuffer();
	if (ops === utf8) {
		const bytes = host.utf8Encode(text);
		return new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}
	const made = new FastBuffer(ops.size(text));
	const written = ops.write(made, text, 0, made.length);
	return written === made.length ? made : new FastBuffer(made.buffer, 0, written);
}

function fromArrayBuffer(buffer, offset, length) {
	offset = offset === undefined ? 0 : +offset;
	if (Number.isNaN(offset))
		offset = 0;
	const most = buffer.byteLength - offset;
	if (most < 0)
		throw new codes.ERR_BUFFER_OUT_OF_BOUNDS('offset');
	if (length === undefined)
		return new FastBuffer(buffer, offset, most);
	length = +length;
	if (length > most)
		throw new codes.ERR_BUFFER_OUT_OF_BOUNDS('length');
	return new FastBuffer(buffer, offset, length > 0 ? length : 0);
}

function fromList(list) {
	return list.length <= 0 ? new FastBuffer() : new FastBuffer(Array.isArray(list) || ArrayBuffer.isView(list) ? list : Array.from(list));
}

function fromObject(object) {
	if (object.length !== undefined || types.isAnyArrayBuffer(object.buffer))
		return typeof object.length !== 'number' ? new FastBuffer() : fromList(object);
	if (object.type === 'Buffer' && Array.isArray(object.data))
		return fromList(object.data);
	return undefined;
}

Buffer.from = function from(value, encodingOrOffset, length) {
	if (typeof value === 'string')
		return fromString(value, encodingOrOffset);
	if (typeof value === 'object' && value !== null) {
		if (types.isAnyArrayBuffer(value))
			return fromArrayBuffer(value, encodingOrOffset, length);
		const inner = value.valueOf && value.valueOf();
		if (inner != null && inner !== value && (typeof inner === 'string' || typeof inner === 'object'))
			return from(inner, encodingOrOffset, length);
		const made = fromObject(value);
		if (made)
			return made;
		if (typeof value[Symbol.toPrimitive] === 'function') {
			const primitive = value[Symbol.toPrimitive]('string');
			if (typeof primitive === 'string')
				return fromString(primitive, encodingOrOffset);
		}
	}
	throw new codes.ERR_INVALID_ARG_TYPE('first argument', fromKinds, value);
};

Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
	if (!types.isTypedArray(view))
		throw new codes.ERR_INVALID_ARG_TYPE('view', ['TypedArray'], view);
	if (offset !== undefined) {
		validateInteger(offset, 'offset', 0);
		if (offset >= view.length)
			return new FastBuffer();
	} else {
		offset = 0;
	}
	let end = view.length;
	if (length !== undefined) {
		validateInteger(length, 'length', 0);
		end = offset + length;
	}
	const part = view.slice(offset, end);
	return fromList(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};

function checkSize(size) {
	validateNumber(size, 'size', 0, MAX);
}

Buffer.alloc = function alloc(size, fill, encoding) {
	checkSize(size);
	const made = new FastBuffer(size);
	if (fill !== undefined && fill !== 0 && size > 0)
		fillBuffer(made, fill, 0, size, encoding);
	return made;
};
Buffer.allocUnsafe = function allocUnsafe(size) {
	checkSize(size);
	return new FastBuffer(size);
};
Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) {
	checkSize(size);
	return new FastBuffer(size);
};

Buffer.of = function of(...items) {
	return new FastBuffer(items);
};

function SlowBuffer(size) {
	checkSize(size);
	return new FastBuffer(size);
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);

/* ---- of the class ---- */

Buffer.isBuffer = (value) => value instanceof Buffer;
Buffer.isEncoding = (name) => typeof name === 'string' && name.length !== 0 && encodingOf(name) !== undefined;
Buffer.poolSize = 8 * 1024;

Buffer.compare = function compare(a, b) {
	if (!types.isUint8Array(a))
		throw new codes.ERR_INVALID_ARG_TYPE('buf1', ['Buffer', 'Uint8Array'], a);
	if (!types.isUint8Array(b))
		throw new codes.ERR_INVALID_ARG_TYPE('buf2', ['Buffer', 'Uint8Array'], b);
	return a === b ? 0 : host.compare(a, b);
};

Buffer.concat = function concat(list, length) {
	validateArray(list, 'list');
	if (list.length === 0)
		return new FastBuffer();
	if (length === undefined) {
		length = 0;
		for (const one of list) {
			if (one.length)
				length += one.length;
		}
	} else {
		validateInteger(length, 'length', 0, MAX);
	}
	const made = new FastBuffer(length);
	let at = 0;
	list.forEach((one, i) => {
		if (!types.isUint8Array(one))
			throw new codes.ERR_INVALID_ARG_TYPE(`list[${i}]`, ['Buffer', 'Uint8Array'], one);
		if (at < length)
			made.set(at + one.length > length ? one.subarray(0, length - at) : one, at);
		at += one.length;
	});
	return made;
};

Buffer.byteLength = function byteLength(value, encoding) {
	if (typeof value !== 'string') {
		if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value))
			return value.byteLength;
		throw new codes.ERR_INVALID_ARG_TYPE('string', ['string', 'Buffer', 'ArrayBuffer'], value);
	}
	if (value.length === 0)
		return 0;
	return ((encoding && encodingOf(encoding)) || utf8).byteLength(value);
};

/* ---- text ---- */

const proto = Buffer.prototype;
require('internal/buffer_numbers').define(proto);

function checkTextLength(text) {
	if (text === undefined) {
		const error = new Error(`Cannot create a string longer than 0x${MAX_STRING.toString(16)} characters`);
		error.code = 'ERR_STRING_TOO_LONG';
		throw error;
	}
	return text;
}

proto.toString = function toString(encoding, start, end) {
	if (arguments.length === 0)
		return utf8.text(this, 0, this.length);
	const length = this.length;
	if (start <= 0)
		start = 0;
	else if (start >= length)
		return '';
	else
		start = Math.trunc(start) || 0;
	if (end === undefined || end > length)
		end = length;
	else
		end = Math.trunc(end) || 0;
	if (end <= start)
		return '';
	const ops = encoding === undefined ? utf8 : encodingOf(encoding);
	if (ops === undefined)
		throw new codes.ERR_UNKNOWN_ENCODING(encoding);
	return checkTextLength(ops.text(this, start, end));
};
Object.defineProperty(proto.toString, 'length', { value: 3, configurable: true });
proto.toLocaleString = proto.toString;

function checkText(text) {
	if (typeof text !== 'string')
		throw Object.assign(new TypeError('argument must be a string'), { code: 'ERR_INVALID_ARG_TYPE' });
}

proto.write = function write(text, offset, length, encoding) {
	if (offset === undefined) {
		checkText(text);
		return utf8.write(this, text, 0, this.length);
	}
	if (length === undefined && typeof offset === 'string') {
		encoding = offset;
		length = this.length;
		offset = 0;
	} else {
		validateInteger(offset, 'offset', 0, this.length);
		const left = this.length - offset;
		if (length === undefined) {
			length = left;
		} else if (typeof length === 'string') {
			encoding = length;
			length = left;
		} else {
			validateInteger(length, 'length', 0, this.length);
			if (length > left)
				length = left;
		}
	}
	const ops = encoding ? checkEncoding(encoding) : utf8;
	checkText(text);
	return ops.write(this, text, offset, length);
};

/* utf8Slice(), hexWrite() and so on, which older packages call. */
for (const name of ['utf8', 'ucs2', 'latin1', 'ascii', 'hex', 'base64', 'base64url']) {
	const ops = encodingOf(name);
	proto[`${name}Slice`] = { [`${name}Slice`](start = 0, end = this.length) { return ops.text(this, start, end); } }[`${name}Slice`];
	proto[`${name}Write`] = {
		[`${name}Write`](text, at = 0, length = this.length - at) { return ops.write(this, text, at, length); },
	}[`${name}Write`];
}
proto.asciiWrite = proto.latin1Write;

/* ---- searching and comparing ---- */

proto.equals = function equals(other) {
	if (!types.isUint8Array(other))
		throw new codes.ERR_INVALID_ARG_TYPE('otherBuffer', ['Buffer', 'Uint8Array'], other);
	return this === other || (this.byteLength === other.byteLength && host.compare(this, other) === 0);
};

proto.compare = function compare(target, targetStart, targetEnd, start, end) {
	if (!types.isUint8Array(target))
		throw new codes.ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
	const bound = (value, name, most, standard) => {
		if (value === undefined)
			return standard;
		validateInteger(value, name, 0, most);
		return value;
	};
	targetStart = bound(targetStart, 'targetStart', MAX, 0);
	targetEnd = bound(targetEnd, 'targetEnd', target.length, target.length);
	start = bound(start, 'sourceStart', MAX, 0);
	end = bound(end, 'sourceEnd', this.length, this.length);
	if (start >= end)
		return targetStart >= targetEnd ? 0 : -1;
	if (targetStart >= targetEnd)
		return 1;
	return host.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
};

/* Where to begin, from an index that may count from the end; -1: nowhere. */
function searchStart(offset, length, forward) {
	offset = +offset;
	if (Number.isNaN(offset))
		return forward ? 0 : length;
	offset = Math.trunc(offset);
	if (offset < 0) {
		offset += length;
		if (offset < 0)
			return forward ? 0 : -1;
	}
	return Math.min(offset, length);
}

function search(buffer, needle, at, forward, step) {
	if (forward) {
		let found = host.indexOf(buffer, needle, at, buffer.length);
		while (step === 2 && found >= 0 && found % 2 !== 0)
			found = host.indexOf(buffer, needle, found + 1, buffer.length);
		return found;
	}
	if (typeof needle === 'number')
		needle = Uint8Array.of(needle);
	let found = host.lastIndexOf(buffer, needle, at);
	while (step === 2 && found > 0 && found % 2 !== 0)
		found = host.lastIndexOf(buffer, needle, found - 1);
	return found;
}

function find(buffer, value, offset, encoding, forward) {
	if (typeof offset === 'string') {
		encoding = offset;
		offset = undefined;
	}
	const length = buffer.length;
	let at = searchStart(offset, length, forward);
	if (typeof value === 'number') {
		if (at < 0 || length === 0 || (forward && at >= length))
			return -1;
		return search(buffer, value & 255, forward ? at : Math.min(at, length - 1), forward, 1);
	}
	let step = 1, needle = value;
	if (typeof value === 'string') {
		const ops = encoding === undefined ? utf8 : encodingOf(encoding);
		if (ops === undefined)
			throw new codes.ERR_UNKNOWN_ENCODING(encoding);
		needle = fromString(value, ops.name);
		step = ops.name === 'utf16le' ? 2 : 1;
	} else if (!types.isUint8Array(value)) {
		throw new codes.ERR_INVALID_ARG_TYPE('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
	} else if (encodingOf(`${encoding}`)?.name === 'utf16le') {
		if (needle.length < 2 || length < 2)
			return -1;
		step = 2;
	}
	if (at < 0)
		return -1;
	if (needle.length === 0)
		return Math.min(at, length);
	if (length === 0 || needle.length > length)
		return -1;
	if (!forward)
		at = Math.min(at, length - needle.length);
	return search(buffer, needle, at, forward, step);
}

proto.indexOf = function indexOf(value, byteOffset, encoding) {
	return find(this, value, byteOffset, encoding, true);
};
proto.lastIndexOf = function lastIndexOf(value, byteOffset, encoding) {
	return find(this, value, byteOffset, encoding, false);
};
proto.includes = function includes(value, byteOffset, encoding) {
	return this.indexOf(value, byteOffset, encoding) !== -1;
};

/* ---- filling, copying, parts ---- */

function fillRange(buffer, offset, end) {
	if (offset === undefined)
		return [0, buffer.length];
	validateInteger(offset, 'offset', 0, MAX);
	if (end === undefined)
		end = buffer.length;
	else
		validateInteger(end, 'end', 0, buffer.length);
	return [offset, end];
}

function repeat(buffer, pattern, start, end) {
	let filled = Math.min(pattern.length, end - start);
	buffer.set(pattern.subarray(0, filled), start);
	while (filled < end - start) {
		const more = Math.min(filled, end - start - filled);
		buffer.copyWithin(start + filled, start, start + more);
		filled += more;
	}
}

function fillBuffer(buffer, value, offset, end, encoding) {
	if (typeof value === 'string') {
		if (offset === undefined || typeof offset === 'string') {
			encoding = offset;
			offset = undefined;
		} else if (typeof end === 'string') {
			encoding = end;
			end = undefined;
		}
		if (encoding !== undefined && encoding !== null && typeof encoding !== 'string')
			throw new codes.ERR_INVALID_ARG_TYPE('encoding', 'string', encoding);
		checkEncoding(encoding);
		if (value.length === 0)
			value = 0;
	} else {
		encoding = undefined;
	}
	const [start, stop] = fillRange(buffer, offset, end);
	if (start >= stop)
		return buffer;
	if (typeof value === 'string' || types.isUint8Array(value)) {
		const pattern = typeof value === 'string' ? fromString(value, encoding) : value;
		if (pattern.length === 0)
			throw new codes.ERR_INVALID_ARG_VALUE('value', value);
		repeat(buffer, pattern, start, stop);
	} else {
		Uint8Array.prototype.fill.call(buffer, typeof value === 'boolean' ? +value : value & 255, start, stop);
	}
	return buffer;
}

proto.fill = function fill(value, offset, end, encoding) {
	return fillBuffer(this, value, offset, end, encoding);
};

function copyBound(value, name, standard, most) {
	if (value === undefined)
		return standard;
	const n = Math.trunc(+value) || 0;
	if (n < 0)
		throw new codes.ERR_OUT_OF_RANGE(name, most === undefined ? '>= 0' : `>= 0 && <= ${most}`, value);
	return n;
}

proto.copy = function copy(target, targetStart, sourceStart, sourceEnd) {
	if (!types.isUint8Array(this))
		throw new codes.ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], this);
	if (!types.isUint8Array(target))
		throw new codes.ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
	const to = copyBound(targetStart, 'targetStart', 0);
	const from = copyBound(sourceStart, 'sourceStart', 0, this.length);
	if (from > this.length)
		throw new codes.ERR_OUT_OF_RANGE('sourceStart', `>= 0 && <= ${this.length}`, sourceStart);
	const end = copyBound(sourceEnd, 'sourceEnd', this.length);
	if (to >= target.length || from >= end)
		return 0;
	const count = Math.min(end - from, target.length - to, this.length - from);
	if (count > 0)
		target.set(Uint8Array.prototype.subarray.call(this, from, from + count), to);
	return count;
};

function part(buffer, start, end) {
	const length = buffer.length;
	const index = (value) => {
		const n = Math.trunc(+value) || 0;
		return n < 0 ? Math.max(n + length, 0) : Math.min(n, length);
	};
	const from = index(start), to = end !== undefined ? index(end) : length;
	return new FastBuffer(buffer.buffer, buffer.byteOffset + from, Math.max(to - from, 0));
}

proto.subarray = function subarray(start, end) {
	return part(this, start, end);
};
proto.slice = function slice(start, end) {
	return part(this, start, end);
};

function defineSwap(size) {
	const name = `swap${size * 8}`;
	proto[name] = {
		[name]() {
			if (this.length % size !== 0)
				throw new codes.ERR_INVALID_BUFFER_SIZE(`${size * 8}-bits`);
			for (let i = 0; i < this.length; i += size)
				Uint8Array.prototype.reverse.call(new Uint8Array(this.buffer, this.byteOffset + i, size));
			return this;
		},
	}[name];
}
[2, 4, 8].forEach(defineSwap);

proto.toJSON = function toJSON() {
	return { type: 'Buffer', data: this.length > 0 ? Array.from(this) : [] };
};

proto[customInspect] = function inspectBuffer(depth, ctx) {
	const shown = Math.min(inspectMax, this.length), left = this.length - inspectMax;
	let text = host.hexDecode(this, 0, shown).replace(/(.{2})(?=.)/g, '$1 ');
	if (left > 0)
		text += ` ... ${left} more byte${left > 1 ? 's' : ''}`;
	if (ctx) {
		const extra = { __proto__: null };
		for (const key of Reflect.ownKeys(this)) {
			const listed = ctx.showHidden || Object.prototype.propertyIsEnumerable.call(this, key);
			if (listed && (typeof key === 'symbol' || !/^\d+$/.test(key)))
				extra[key] = this[key];
		}
		if (Reflect.ownKeys(extra).length > 0) {
			if (this.length !== 0)
				text += ', ';
			text += inspect(extra, { ...ctx, breakLength: Infinity, compact: true }).slice(27, -2);
		}
	}
	return `<${this.constructor.name} ${text}>`;
};
Object.defineProperty(proto[customInspect], 'name', { value: 'inspect' });
proto.inspect = proto[customInspect];

Object.defineProperty(proto, 'parent', { enumerable: true, get() { return this instanceof Buffer ? this.buffer : undefined; } });
Object.defineProperty(proto, 'offset', { enumerable: true, get() { return this instanceof Buffer ? this.byteOffset : undefined; } });

/* ---- the rest of the module ---- */

function invalidCharacter() {
	const { DOMException } = require('internal/dom_exception');
	return new DOMException('Invalid character', 'InvalidCharacterError');
}

function btoa(input) {
	if (arguments.length === 0)
		throw new codes.ERR_MISSING_ARGS('input');
	input = `${input}`;
	// eslint-disable-next-line no-control-regex
	if (/[^\0-\xFF]/.test(input))
		throw invalidCharacter();
	return Buffer.from(input, 'latin1').toString('base64');
}

function atob(input) {
	if (arguments.length === 0)
		throw new codes.ERR_MISSING_ARGS('input');
	const text = `${input}`.replace(/[\t\n\f\r ]/g, '');
	const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
	if (/[^A-Za-z0-9+/]/.test(digits))
		throw invalidCharacter();
	if (digits.length % 4 === 1) {
		const { DOMException } = require('internal/dom_exception');
		throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
	}
	return Buffer.from(digits, 'base64').toString('latin1');
}

function bytesOf(value) {
	if (types.isAnyArrayBuffer(value))
		return new Uint8Array(value);
	if (ArrayBuffer.isView(value))
		return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	throw new codes.ERR_INVALID_ARG_TYPE('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], value);
}

function attached(input) {
	if (require('internal/newer').isDetached(ArrayBuffer.isView(input) ? input.buffer : input))
		throw new codes.ERR_INVALID_STATE('Cannot validate on a detached buffer');
	return bytesOf(input);
}

function transcode(source, from, to) {
	if (!types.isUint8Array(source))
		throw new codes.ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], source);
	if (source.length === 0)
		return Buffer.alloc(0);
	const known = (name) => {
		const ops = encodingOf(name);
		return ops && ['utf8', 'utf16le', 'latin1', 'ascii'].includes(ops.name) ? ops : undefined;
	};
	const left = known(from), right = known(to);
	if (!left || !right) {
		const error = new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
		throw Object.assign(error, { code: 'U_ILLEGAL_ARGUMENT_ERROR', errno: 1 });
	}
	if (left === utf8 && right.name === 'utf16le' && host.utf8Decode(source, 0, source.length, true) === undefined) {
		const error = new Error('Unable to transcode Buffer [U_INVALID_CHAR_FOUND]');
		throw Object.assign(error, { code: 'U_INVALID_CHAR_FOUND', errno: 10 });
	}
	let text = (left.name === 'ascii' ? encodingOf('latin1') : left).text(source, 0, source.length);
	if (left.name === 'ascii' && right.name !== 'utf16le')
		text = text.replace(/[\x80-\xFF]/g, '\uFFFD');
	const most = right.name === 'latin1' ? 0xFF : right.name === 'ascii' ? 0x7F : 0x10FFFF;
	if (most < 0x10FFFF)
		text = Array.from(text, (c) => c.codePointAt(0) > most ? '?' : c).join('');
	return Buffer.from(text, right.name);
}

Object.assign(exports, {
	Buffer, SlowBuffer, transcode, kMaxLength: MAX, kStringMaxLength: MAX_STRING, btoa, atob,
	isUtf8: (input) => host.utf8Decode(attached(input), 0, undefined, true) !== undefined,
	isAscii: (input) => attached(input).every((byte) => byte < 0x80),
	constants: Object.defineProperties({}, {
		MAX_LENGTH: { value: MAX, enumerable: true }, MAX_STRING_LENGTH: { value: MAX_STRING, enumerable: true },
	}),
	resolveObjectURL() { return undefined; },
});
Object.defineProperty(exports, 'INSPECT_MAX_BYTES', {
	configurable: true, enumerable: true,
	get() { return inspectMax; },
	set(value) {
		validateNumber(value, 'INSPECT_MAX_BYTES', 0);
		inspectMax = value;
	},
});
for (const name of ['Blob', 'File'])
	Object.defineProperty(exports, name, { configurable: true, enumerable: true, get() { return require('internal/blob')[name]; } });
