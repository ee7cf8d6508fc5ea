/* util.inspect: the entries of collections, each as a list of lines that the layout then joins. */
'use strict';

const text = require('internal/inspect_text');
const { classOf } = require('internal/types');

const PLAIN = 0, ELEMENT = 1, LISTED = 2;
exports.PLAIN = PLAIN;
exports.ELEMENT = ELEMENT;
exports.LISTED = LISTED;

const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const indexName = /^(0|[1-9][0-9]*)$/;

let inspect;	/* internal/inspect, which asks for this file first */
exports.connect = (module) => { inspect = module; };

function more(left, word = 'item') {
	return `... ${left} more ${word}${left > 1 ? 's' : ''}`;
}

function limit(ctx, length) {
	return Math.min(Math.max(0, ctx.maxArrayLength), length);
}

/* An array with holes: each run of them is one entry. */
function sparse(ctx, value, level, most, output, i) {
	const keys = Object.keys(value);
	let at = i;
	for (; i < keys.length && output.length < most; i++) {
		const key = keys[i];
		if (!indexName.test(key) || key > 4294967294)
			break;
		if (`${at}` !== key) {
			const holes = Number(key) - at;
			output.push(ctx.stylize(`<${holes} empty item${holes > 1 ? 's' : ''}>`, 'undefined'));
			at = Number(key);
			if (output.length === most)
				break;
		}
		output.push(inspect.formatProperty(ctx, value, level, key, ELEMENT));
		at++;
	}
	const left = value.length - at;
	if (output.length !== most) {
		if (left > 0)
			output.push(ctx.stylize(`<${left} empty item${left > 1 ? 's' : ''}>`, 'undefined'));
	} else if (left > 0) {
		output.push(more(left));
	}
	return output;
}

exports.array = function (ctx, value, level) {
	const length = value.length, most = limit(ctx, length), output = [];
	for (let i = 0; i < most; i++) {
		const desc = Object.getOwnPropertyDescriptor(value, i);
		if (desc === undefined)
			return sparse(ctx, value, level, most, output, i);
		if (typeof desc.value === 'number')
			output.push(text.formatNumber(ctx.stylize, desc.value, ctx.numericSeparator));
		else
			output.push(inspect.formatProperty(ctx, value, level, i, ELEMENT, desc));
	}
	if (length > most)
		output.push(more(length - most));
	return output;
};

const typedLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length').get;
exports.typedLength = (value) => typedLength.call(value);

exports.typedArray = function (ctx, value, level) {
	const length = typedLength.call(value), most = limit(ctx, length), output = [];
	const big = length > 0 && typeof value[0] === 'bigint';
	const format = big ? text.formatBigInt : text.formatNumber;
	for (let i = 0; i < most; i++)
		output.push(format(ctx.stylize, value[i], ctx.numericSeparator));
	if (length > most)
		output.push(more(length - most));
	if (ctx.showHidden) {
		ctx.indentationLvl += 2;
		for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'])
			output.push(`[${key}]: ${inspect.formatValue(ctx, value[key], level, true)}`);
		ctx.indentationLvl -= 2;
	}
	return output;
};

exports.arrayBuffer = function (ctx, value) {
	let bytes;
	try {
		if (require('internal/newer').isDetached(value))
			return [ctx.stylize('(detached)', 'special')];
		bytes = new Uint8Array(value);
	} catch {
		return [ctx.stylize('(detached)', 'special')];
	}
	const most = limit(ctx, bytes.length);
	const shown = [];
	for (let i = 0; i < most; i++)
		shown.push(bytes[i].toString(16).padStart(2, '0'));
	const left = bytes.length - most;
	const rest = left > 0 ? ` ${more(left, 'byte')}` : '';
	return [`${ctx.stylize('[Uint8Contents]', 'special')}: <${shown.join(' ')}${rest}>`];
};

function collect(ctx, size, entries, format) {
	const most = limit(ctx, size), output = [];
	let i = 0;
	ctx.indentationLvl += 2;
	for (const entry of entries) {
		if (i++ >= most)
			break;
		output.push(format(entry));
	}
	if (size > most)
		output.push(more(size - most));
	ctx.indentationLvl -= 2;
	return output;
}

const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
const mapEntries = Map.prototype.entries, setValues = Set.prototype.values;
exports.mapSize = (value) => mapSize.call(value);
exports.setSize = (value) => setSize.call(value);

exports.set = function (ctx, value, level) {
	return collect(ctx, setSize.call(value), setValues.call(value), (one) => inspect.formatValue(ctx, one, level));
};

exports.map = function (ctx, value, level) {
	return collect(ctx, mapSize.call(value), mapEntries.call(value), ([key, one]) =>
		`${inspect.formatValue(ctx, key, level)} => ${inspect.formatValue(ctx, one, level)}`);
};

/* What an iterator has still to give; taking it would change the program. */
exports.iterator = function (ctx, value, level) {
	const [flat, pairs] = host.preview(value);
	const list = classOf(value) === 'Set Iterator' && pairs ? flat.map((one, i) => flat[i & ~1]) : flat;
	const length = pairs ? flat.length / 2 : flat.length;
	const most = limit(ctx, length), output = [];
	ctx.indentationLvl += 2;
	for (let i = 0; i < most; i++) {
		if (!pairs) {
			output.push(inspect.formatValue(ctx, list[i], level));
			continue;
		}
		const pair = [inspect.formatValue(ctx, list[i * 2], level), inspect.formatValue(ctx, list[i * 2 + 1], level)];
		output.push(text.layOut(ctx, pair, '', ['[', ']'], true, level));
	}
	ctx.indentationLvl -= 2;
	if (length > most)
		output.push(more(length - most));
	return output;
};

exports.weak = (ctx) => [ctx.stylize('<items unknown>', 'special')];

exports.weakRef = function (ctx, value, level) {
	ctx.indentationLvl += 2;
	const target = WeakRef.prototype.deref.call(value);
	const shown = target === undefined ? ctx.stylize('<cleared>', 'special') : inspect.formatValue(ctx, target, level);
	ctx.indentationLvl -= 2;
	return [shown];
};

exports.promise = function (ctx, value, level) {
	const [state, result] = host.promise(value);
	if (state === 0)
		return [ctx.stylize('<pending>', 'special')];
	ctx.indentationLvl += 2;
	const shown = inspect.formatValue(ctx, result, level);
	ctx.indentationLvl -= 2;
	return [state === 2 ? `${ctx.stylize('<rejected>', 'special')} ${shown}` : shown];
};

/* A module that is still being evaluated has exports without a value. */
exports.namespace = function (keys, ctx, value, level) {
	const output = keys.map((key) => {
		try {
			return inspect.formatProperty(ctx, value, level, key, PLAIN);
		} catch (error) {
			if (!(error instanceof ReferenceError))
				throw error;
			return `${inspect.propertyName(ctx, key, true)}: ${ctx.stylize('<uninitialized>', 'special')}`;
		}
	});
	keys.length = 0;
	return output;
};

exports.isTyped = (value) => ArrayBuffer.isView(value) && classOf(value) !== 'DataView';
