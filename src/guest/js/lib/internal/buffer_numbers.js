/* The read and write methods of Buffer for numbers of all sizes. */
'use strict';

const { codes } = require('internal/errors');

function typeError(name, value) {
	return new codes.ERR_INVALID_ARG_TYPE(name, 'number', value);
}

function checkOffset(offset, last) {
	if (typeof offset !== 'number')
		throw typeError('offset', offset);
	if (Math.floor(offset) !== offset)
		throw new codes.ERR_OUT_OF_RANGE('offset', 'an integer', offset);
	if (last < 0)
		throw new codes.ERR_BUFFER_OUT_OF_BOUNDS();
	if (offset < 0 || offset > last)
		throw new codes.ERR_OUT_OF_RANGE('offset', `>= 0 and <= ${last}`, offset);
}

/* A place for `size` bytes; the quick case is one comparison. */
function place(buffer, offset, size) {
	const last = buffer.length - size;
	if (!(offset >= 0 && offset <= last) || (offset | 0) !== offset)
		checkOffset(offset, last);
	return offset;
}

function checkValue(value, min, max, bytes) {
	if (typeof value !== 'bigint' && typeof min !== 'bigint' && value >= min && value <= max)
		return;
	const n = typeof min === 'bigint' ? 'n' : '';
	let range;
	if (bytes > 4 || n) {
		const bits = bytes * 8;
		range = min === 0 || min === 0n ? `>= 0${n} and < 2${n} ** ${bits}${n}` :
			`>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`;
	} else {
		range = `>= ${min} and <= ${max}`;
	}
	throw new codes.ERR_OUT_OF_RANGE('value', range, value);
}

function readUInt(buffer, offset, size, little) {
	let value = 0;
	for (let i = size - 1; i >= 0; i--)
		value = value * 256 + buffer[little ? offset + i : offset + size - 1 - i];
	return value;
}

function readInt(buffer, offset, size, little) {
	const value = readUInt(buffer, offset, size, little), half = 2 ** (8 * size - 1);
	return value >= half ? value - 2 * half : value;
}

function writeInt(buffer, value, offset, size, little) {
	let rest = value < 0 ? value + 2 ** (8 * size) : value;
	for (let i = 0; i < size; i++) {
		buffer[little ? offset + i : offset + size - 1 - i] = rest % 256;
		rest = Math.floor(rest / 256);
	}
	return offset + size;
}

function limits(size, signed) {
	return signed ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1];
}

function method(proto, name, fn, alias) {
	Object.defineProperty(fn, 'name', { value: name, configurable: true });
	proto[name] = fn;
	if (alias)
		proto[alias] = fn;
}

/* The usual sizes without a loop. */
const quickReads = {
	__proto__: null,
	1: (b, o) => b[o],
	'2true': (b, o) => b[o] | b[o + 1] << 8,
	'2false': (b, o) => b[o] << 8 | b[o + 1],
	'4true': (b, o) => (b[o] | b[o + 1] << 8 | b[o + 2] << 16) + b[o + 3] * 16777216,
	'4false': (b, o) => b[o] * 16777216 + (b[o + 1] << 16 | b[o + 2] << 8 | b[o + 3]),
};

function quickWrite(buffer, value, offset, size, little) {
	if (size === 1) {
		buffer[offset] = value;
	} else if (size === 2) {
		buffer[little ? offset : offset + 1] = value;
		buffer[little ? offset + 1 : offset] = value >> 8;
	} else if (little) {
		buffer[offset] = value;
		buffer[offset + 1] = value >> 8;
		buffer[offset + 2] = value >> 16;
		buffer[offset + 3] = value >> 24;
	} else {
		buffer[offset] = value >> 24;
		buffer[offset + 1] = value >> 16;
		buffer[offset + 2] = value >> 8;
		buffer[offset + 3] = value;
	}
	return offset + size;
}

function defineFixed(proto, size, signed) {
	const word = `${signed ? 'Int' : 'UInt'}${size * 8}`, [min, max] = limits(size, signed);
	const half = 2 ** (8 * size - 1);
	for (const end of size === 1 ? [''] : ['LE', 'BE']) {
		const little = end === 'LE';
		const alias = signed ? '' : `Uint${size * 8}${end}`;
		const read = quickReads[size === 1 ? 1 : `${size}${little}`];
		method(proto, `read${word}${end}`, signed ? function (offset = 0) {
			const value = read(this, place(this, offset, size));
			return value >= half ? value - 2 * half : value;
		} : function (offset = 0) {
			return read(this, place(this, offset, size));
		}, alias && `read${alias}`);
		method(proto, `write${word}${end}`, function (value, offset = 0) {
			value = +value;
			if (size === 1 && typeof offset !== 'number')
				throw typeError('offset', offset);
			if (!(value >= min && value <= max) && !Number.isNaN(value))
				checkValue(value, min, max, size);
			return quickWrite(this, value, place(this, offset, size), size, little);
		}, alias && `write${alias}`);
	}
}

function checkByteLength(size) {
	if (typeof size !== 'number')
		throw typeError('byteLength', size);
	if (Math.floor(size) !== size)
		throw new codes.ERR_OUT_OF_RANGE('byteLength', 'an integer', size);
	if (size < 1 || size > 6)
		throw new codes.ERR_OUT_OF_RANGE('byteLength', '>= 1 and <= 6', size);
}

/* readIntLE(offset, byteLength) and its kin: one to six bytes. */
function defineSized(proto, signed, little) {
	const word = `${signed ? 'Int' : 'UInt'}${little ? 'LE' : 'BE'}`, alias = signed ? '' : `Uint${little ? 'LE' : 'BE'}`;
	const read = signed ? readInt : readUInt;
	method(proto, `read${word}`, function (offset, size) {
		if (offset === undefined)
			throw typeError('offset', offset);
		checkByteLength(size);
		return read(this, place(this, offset, size), size, little);
	}, alias && `read${alias}`);
	method(proto, `write${word}`, function (value, offset, size) {
		checkByteLength(size);
		value = +value;
		if (size === 1 && typeof offset !== 'number')
			throw typeError('offset', offset);
		const [min, max] = limits(size, signed);
		if (!Number.isNaN(value))
			checkValue(value, min, max, size);
		if (offset === undefined)
			throw typeError('offset', offset);
		place(this, offset, size);
		return writeInt(this, Number.isNaN(value) ? 0 : Math.trunc(value), offset, size, little);
	}, alias && `write${alias}`);
}

function view(buffer) {
	return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function defineFloat(proto, name, size) {
	const get = DataView.prototype[`getFloat${size * 8}`], set = DataView.prototype[`setFloat${size * 8}`];
	for (const end of ['LE', 'BE']) {
		const little = end === 'LE';
		method(proto, `read${name}${end}`, function (offset = 0) {
			return get.call(view(this), place(this, offset, size), little);
		});
		method(proto, `write${name}${end}`, function (value, offset = 0) {
			value = +value;
			set.call(view(this), place(this, offset, size), value, little);
			return offset + size;
		});
	}
}

function defineBig(proto, signed) {
	const word = `Big${signed ? 'Int' : 'UInt'}64`, native = `Big${signed ? 'Int' : 'Uint'}64`;
	const get = DataView.prototype[`get${native}`], set = DataView.prototype[`set${native}`];
	const min = signed ? -(2n ** 63n) : 0n, max = signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
	for (const end of ['LE', 'BE']) {
		const little = end === 'LE', alias = signed ? '' : `BigUint64${end}`;
		method(proto, `read${word}${end}`, function (offset = 0) {
			return get.call(view(this), place(this, offset, 8), little);
		}, alias && `read${alias}`);
		method(proto, `write${word}${end}`, function (value, offset = 0) {
			if (typeof value === 'bigint' ? value > max || value < min : value > Number(max) || value < Number(min))
				checkValue(value, min, max, 8);
			place(this, offset, 8);
			if (typeof value !== 'bigint')
				throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
			set.call(view(this), offset, value, little);
			return offset + 8;
		}, alias && `write${alias}`);
	}
}

exports.define = function (proto) {
	for (const signed of [false, true]) {
		for (const size of [1, 2, 4])
			defineFixed(proto, size, signed);
		defineSized(proto, signed, true);
		defineSized(proto, signed, false);
		defineBig(proto, signed);
	}
	defineFloat(proto, 'Float', 4);
	defineFloat(proto, 'Double', 8);
};
