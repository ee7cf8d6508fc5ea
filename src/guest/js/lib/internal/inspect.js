/* util.inspect: the options, and how one value is taken apart. Names, entries and layout are in inspect_*.js. */
'use strict';

const { validateObject } = require('internal/validators');
const { classOf, isError } = require('internal/types');
const text = require('internal/inspect_text');
const names = require('internal/inspect_base');
const kinds = require('internal/inspect_kinds');

const { PLAIN, ELEMENT, LISTED } = kinds;
const custom = Symbol.for('nodejs.util.inspect.custom');
const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const isEnumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);

const defaults = {
	showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
	maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};
Object.seal(defaults);

function userOptions(ctx) {
	const options = { stylize: ctx.stylize, ...ctx.userOptions };
	for (const key of Object.keys(defaults))
		options[key] = ctx[key];
	return { ...options, ...ctx.userOptions, stylize(value, flavour) { return ctx.stylize(`${value}`, flavour); } };
}

function makeContext(options, legacy) {
	const ctx = { budget: {}, indentationLvl: 0, seen: [], currentDepth: 0, stylize: text.plainStyle, ...defaults };
	if (legacy[0] !== undefined)
		ctx.depth = legacy[0];
	if (legacy[1] !== undefined)
		ctx.colors = legacy[1];
	if (typeof options === 'boolean') {
		ctx.showHidden = options;
	} else if (options) {
		for (const key of Object.keys(options)) {
			if (hasOwn(defaults, key) || key === 'stylize')
				ctx[key] = options[key];
			else if (ctx.userOptions === undefined)
				ctx.userOptions = options;
		}
	}
	if (ctx.colors)
		ctx.stylize = text.colorStyle;
	if (ctx.maxArrayLength === null)
		ctx.maxArrayLength = Infinity;
	if (ctx.maxStringLength === null)
		ctx.maxStringLength = Infinity;
	return ctx;
}

function inspect(value, options, ...legacy) {
	return formatValue(makeContext(options, legacy), value, 0);
}
inspect.custom = custom;
inspect.colors = text.colors;
inspect.styles = text.styles;
Object.defineProperty(inspect, 'defaultOptions', {
	get() { return defaults; },
	set(options) {
		validateObject(options, 'options');
		return Object.assign(defaults, options);
	},
});

/* ---- one value ---- */

function callCustom(ctx, context, proxied, level) {
	const maybe = context[custom];
	if (typeof maybe !== 'function' || maybe === inspect)
		return undefined;
	const desc = Object.getOwnPropertyDescriptor(context, 'constructor');
	if (desc !== undefined && desc.value && desc.value.prototype === context)
		return undefined;
	const depth = ctx.depth === null ? null : ctx.depth - level;
	const result = maybe.call(context, depth, userOptions(ctx), inspect);
	if (result === context)
		return undefined;
	const shown = typeof result !== 'object' ? `${result}` : formatValue(ctx, result, level);
	return shown.replaceAll('\n', `\n${' '.repeat(ctx.indentationLvl)}`);
}

function formatValue(ctx, value, level, typedArray) {
	if (typeof value !== 'object' && typeof value !== 'function')
		return text.formatPrimitive(ctx.stylize, value, ctx);
	if (value === null)
		return ctx.stylize('null', 'null');
	const context = value;
	const proxy = host.proxy(value);
	if (proxy !== undefined) {
		if (proxy[0] === null)
			return ctx.stylize('<Revoked Proxy>', 'special');
		if (ctx.showProxy)
			return formatProxy(ctx, proxy, level);
		value = proxy[0];
		for (let inner; (inner = host.proxy(value)) !== undefined; value = inner[0]) {
			if (inner[0] === null)
				return ctx.stylize('<Revoked Proxy>', 'special');
		}
	}
	if (ctx.customInspect) {
		const shown = callCustom(ctx, context, proxy !== undefined, level);
		if (shown !== undefined)
			return shown;
	}
	if (ctx.seen.includes(value)) {
		if (ctx.circular === undefined)
			ctx.circular = new Map();
		let index = ctx.circular.get(value);
		if (index === undefined)
			ctx.circular.set(value, index = ctx.circular.size + 1);
		return ctx.stylize(`[Circular *${index}]`, 'special');
	}
	return formatRaw(ctx, value, level, typedArray);
}

function formatProxy(ctx, proxy, level) {
	if (level > ctx.depth && ctx.depth !== null)
		return ctx.stylize('Proxy [Array]', 'special');
	level += 1;
	ctx.indentationLvl += 2;
	const parts = [formatValue(ctx, proxy[0], level), formatValue(ctx, proxy[1], level)];
	ctx.indentationLvl -= 2;
	return text.layOut(ctx, parts, '', ['Proxy [', ']'], true, level);
}

/* ---- what to show of it ---- */

/* V8 gives functions and errors own properties that this engine has not: they are shown where V8 has them. */
function hiddenNames(value, keys) {
	const kind = classOf(value);
	if (kind === 'Error')
		return ['stack', ...keys.filter((key) => key !== 'stack')];
	if (kind === 'Function' && hasOwn(value, 'prototype') && !hasOwn(value, 'caller')) {
		const source = Function.prototype.toString.call(value);
		if (source.startsWith('function') && !/['"]use strict['"]/.test(source) && !source.includes('[native code]'))
			keys.splice(keys.indexOf('prototype'), 0, 'arguments', 'caller');
	}
	return keys;
}

function absentProperty(value, key) {
	if (typeof value === 'function' && (key === 'arguments' || key === 'caller'))
		return { value: null, configurable: false, enumerable: false };
	return { value: value[key], configurable: true, enumerable: key !== 'stack' || classOf(value) !== 'Error' };
}

function shownKeys(value, showHidden) {
	const symbols = Object.getOwnPropertySymbols(value);
	if (showHidden) {
		const keys = hiddenNames(value, Object.getOwnPropertyNames(value));
		return symbols.length ? keys.concat(symbols) : keys;
	}
	let keys;
	try {
		keys = Object.keys(value);
	} catch (error) {
		if (classOf(value) !== 'Module')
			throw error;
		keys = Object.getOwnPropertyNames(value);
	}
	return symbols.length ? keys.concat(symbols.filter((key) => isEnumerable(value, key))) : keys;
}

/* Without the elements. */
function extraKeys(value, showHidden) {
	return shownKeys(value, showHidden).filter((key) => typeof key === 'symbol' || !/^(0|[1-9][0-9]*)$/.test(key) || key > 4294967294);
}

function listPlan(ctx, value, constructor, tag, plan) {
	const prefix = constructor !== 'Array' || tag !== '' ? names.prefix(constructor, tag, 'Array', `(${value.length})`) : '';
	plan.keys = extraKeys(value, ctx.showHidden);
	plan.braces = [`${prefix}[`, ']'];
	plan.type = LISTED;
	plan.format = kinds.array;
	if (value.length === 0 && plan.keys.length === 0 && !plan.found)
		plan.done = `${plan.braces[0]}]`;
}

function typedPlan(ctx, value, constructor, tag, plan) {
	const size = kinds.typedLength(value);
	const prefix = names.prefix(constructor, tag, classOf(value), `(${size})`);
	plan.keys = extraKeys(value, ctx.showHidden);
	plan.braces = [`${prefix}[`, ']'];
	plan.type = LISTED;
	plan.format = kinds.typedArray;
	if (size === 0 && plan.keys.length === 0 && !ctx.showHidden)
		plan.done = `${plan.braces[0]}]`;
}

function collectionPlan(ctx, value, constructor, tag, plan, name) {
	const size = name === 'Set' ? kinds.setSize(value) : kinds.mapSize(value);
	const prefix = names.prefix(constructor, tag, name, `(${size})`);
	plan.keys = shownKeys(value, ctx.showHidden);
	plan.braces = [`${prefix}{`, '}'];
	plan.format = name === 'Set' ? kinds.set : kinds.map;
	if (size === 0 && plan.keys.length === 0 && !plan.found)
		plan.done = `${prefix}{}`;
}

function iteratorPlan(ctx, value, tag, plan, name) {
	let shown = tag;
	if (tag !== `${name} Iterator`)
		shown = tag === '' ? `${name} Iterator` : `${tag}] [${name} Iterator`;
	plan.keys = shownKeys(value, ctx.showHidden);
	if (host.preview(value)[1])
		shown = shown.replace(/Iterator$/, 'Entries');
	plan.braces = [`[${shown}] {`, '}'];
	plan.format = kinds.iterator;
}

/* Values whose whole text is their `base`, unless they have properties. */
function basePlan(ctx, value, constructor, tag, plan, kind, level) {
	const alone = plan.keys.length === 0 && !plan.found;
	if (kind === 'Function') {
		plan.base = names.functionBase(value, constructor, tag);
		if (alone)
			plan.done = ctx.stylize(plan.base, 'special');
	} else if (kind === 'RegExp') {
		const prefix = names.prefix(constructor, tag, 'RegExp');
		plan.base = RegExp.prototype.toString.call(constructor !== null ? value : new RegExp(value));
		if (prefix !== 'RegExp ')
			plan.base = `${prefix}${plan.base}`;
		if (alone || (level > ctx.depth && ctx.depth !== null))
			plan.done = ctx.stylize(plan.base, 'regexp');
	} else {
		const prefix = names.prefix(constructor, tag, 'Date');
		const time = Date.prototype.getTime.call(value);
		plan.base = Number.isNaN(time) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
		if (prefix !== 'Date ')
			plan.base = `${prefix}${plan.base}`;
		if (alone)
			plan.done = ctx.stylize(plan.base, 'date');
	}
}

function bufferPlan(ctx, value, constructor, tag, plan, kind, typedArray) {
	const prefix = names.prefix(constructor, tag, kind);
	if (typedArray === undefined)
		plan.format = kinds.arrayBuffer;
	else if (plan.keys.length === 0 && !plan.found) {
		plan.done = prefix + `{ byteLength: ${text.formatNumber(ctx.stylize, value.byteLength, false)} }`;
		return;
	}
	plan.braces[0] = `${prefix}{`;
	plan.keys.unshift('byteLength');
}

const withEntries = {
	__proto__: null, Promise: kinds.promise, WeakSet: kinds.weak, WeakMap: kinds.weak, WeakRef: kinds.weakRef,
};

function objectPlan(ctx, value, constructor, tag, plan, kind, level, typedArray) {
	if (kind === 'Arguments') {
		plan.braces[0] = '[Arguments] {';
		if (plan.keys.length === 0 && !plan.found)
			plan.done = '[Arguments] {}';
	} else if (typeof value === 'function') {
		basePlan(ctx, value, constructor, tag, plan, 'Function', level);
	} else if (kind === 'RegExp' || kind === 'Date') {
		basePlan(ctx, value, constructor, tag, plan, kind, level);
	} else if (isError(value)) {
		plan.base = names.errorBase(value, constructor, tag, ctx, plan.keys);
		if (plan.keys.length === 0 && !plan.found)
			plan.done = plan.base;
	} else if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') {
		bufferPlan(ctx, value, constructor, tag, plan, kind, typedArray);
	} else if (kind === 'DataView') {
		plan.braces[0] = `${names.prefix(constructor, tag, 'DataView')}{`;
		plan.keys.unshift('byteLength', 'byteOffset', 'buffer');
	} else if (withEntries[kind] !== undefined) {
		plan.braces[0] = `${names.prefix(constructor, tag, kind)}{`;
		plan.format = withEntries[kind];
	} else if (kind === 'Module') {
		plan.braces[0] = `${names.prefix(constructor, tag, 'Module')}{`;
		plan.format = kinds.namespace.bind(null, plan.keys);
	} else if (kind === 'Number' || kind === 'String' || kind === 'Boolean' || kind === 'BigInt' || kind === 'Symbol') {
		plan.base = names.boxedBase(value, ctx, plan.keys, constructor, tag);
		if (plan.keys.length === 0)
			plan.done = plan.base;
	} else {
		const prefix = constructor === 'Object' && tag === '' ? '' : names.prefix(constructor, tag, 'Object');
		plan.braces[0] = `${prefix}{`;
		if (plan.keys.length === 0 && !plan.found)
			plan.done = `${prefix}{}`;
	}
}

function planOf(ctx, value, constructor, tag, level, found, typedArray) {
	const kind = classOf(value);
	const plan = { base: '', braces: ['{', '}'], keys: [], type: PLAIN, format: () => [], done: undefined, found };
	const iterable = Symbol.iterator in value || constructor === null;
	if (iterable && Array.isArray(value)) {
		listPlan(ctx, value, constructor, tag, plan);
	} else if (iterable && (kind === 'Set' || kind === 'Map')) {
		collectionPlan(ctx, value, constructor, tag, plan, kind);
	} else if (iterable && kinds.isTyped(value)) {
		typedPlan(ctx, value, constructor, tag, plan);
	} else if (iterable && (kind === 'Map Iterator' || kind === 'Set Iterator')) {
		iteratorPlan(ctx, value, tag, plan, kind.slice(0, 3));
	} else {
		plan.keys = shownKeys(value, ctx.showHidden);
		objectPlan(ctx, value, constructor, tag, plan, kind, level, typedArray);
	}
	return plan;
}

/* Symbol.toStringTag, unless it is shown as a property anyway. */
function tagOf(ctx, value) {
	const tag = value[Symbol.toStringTag];
	const own = ctx.showHidden ? hasOwn : isEnumerable;
	if (typeof tag !== 'string' || (tag !== '' && own(value, Symbol.toStringTag)))
		return '';
	return tag;
}

function sortEntries(ctx, output, plan) {
	const order = ctx.sorted === true ? undefined : ctx.sorted;
	if (plan.type === PLAIN)
		return output.sort(order);
	if (plan.keys.length > 1) {
		const sorted = output.slice(output.length - plan.keys.length).sort(order);
		output.splice(output.length - plan.keys.length, plan.keys.length, ...sorted);
	}
	return output;
}

function entriesOf(ctx, value, level, plan) {
	const output = plan.format(ctx, value, level);
	for (const key of plan.keys)
		output.push(formatProperty(ctx, value, level, key, plan.type));
	return plan.found === undefined ? output : output.concat(plan.found);
}

function isStackOverflow(error) {
	return (error instanceof RangeError || error instanceof InternalErrorClass) && /call stack|stack overflow/i.test(error.message);
}
const InternalErrorClass = require('internal/newer').InternalError || RangeError;

/* What the prototypes of a user's class hold, as text; undefined when that is nothing. */
function prototypeList(ctx, value, hidden, level) {
	if (hidden === undefined || hidden.start === undefined)
		return undefined;
	const list = [];
	names.prototypeProperties(ctx, value, hidden.start, level, list, formatProperty);
	return list.length ? list : undefined;
}

function formatRaw(ctx, value, level, typedArray) {
	const hidden = ctx.showHidden && (level <= ctx.depth || ctx.depth === null) ? { start: undefined } : undefined;
	const constructor = names.constructorName(value, ctx, level, hidden);
	const found = prototypeList(ctx, value, hidden, level);
	const tag = tagOf(ctx, value);
	const plan = planOf(ctx, value, constructor, tag, level, found, typedArray);
	if (plan.done !== undefined)
		return plan.done;
	if (level > ctx.depth && ctx.depth !== null) {
		const name = names.prefix(constructor, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1);
		return ctx.stylize(constructor !== null ? `[${name}]` : name, 'special');
	}
	level += 1;
	ctx.seen.push(value);
	ctx.currentDepth = level;
	let output;
	const indentation = ctx.indentationLvl;
	try {
		output = entriesOf(ctx, value, level, plan);
	} catch (error) {
		if (!isStackOverflow(error))
			throw error;
		ctx.seen.pop();
		ctx.indentationLvl = indentation;
		return ctx.stylize(`[${names.prefix(constructor, tag, 'Object').slice(0, -1)}: Inspection interrupted ` +
			'prematurely. Maximum call stack size exceeded.]', 'special');
	}
	markCircular(ctx, value, plan);
	ctx.seen.pop();
	if (ctx.sorted)
		output = sortEntries(ctx, output, plan);
	const shown = text.layOut(ctx, output, plan.base, plan.braces, plan.type === LISTED, level, value);
	const budget = (ctx.budget[ctx.indentationLvl] || 0) + shown.length;
	ctx.budget[ctx.indentationLvl] = budget;
	if (budget > 2 ** 27)
		ctx.depth = -1;
	return shown;
}

/* An object that something inside points back to is numbered. */
function markCircular(ctx, value, plan) {
	const index = ctx.circular === undefined ? undefined : ctx.circular.get(value);
	if (index === undefined)
		return;
	const mark = ctx.stylize(`<ref *${index}>`, 'special');
	if (ctx.compact !== true)
		plan.base = plan.base === '' ? mark : `${mark} ${plan.base}`;
	else
		plan.braces[0] = `${mark} ${plan.braces[0]}`;
}

/* ---- one property ---- */

function getterValue(ctx, desc, label, level, original) {
	const mark = (word) => ctx.stylize(word, 'special');
	ctx.indentationLvl += 2;
	try {
		const value = desc.get.call(original);
		if (value === null)
			return `${mark(`[${label}:`)} ${ctx.stylize('null', 'null')}${mark(']')}`;
		if (typeof value === 'object')
			return `${mark(`[${label}]`)} ${formatValue(ctx, value, level)}`;
		return `${mark(`[${label}:`)} ${text.formatPrimitive(ctx.stylize, value, ctx)}${mark(']')}`;
	} catch (error) {
		return `${mark(`[${label}:`)} <Inspection threw (${error.message})>${mark(']')}`;
	} finally {
		ctx.indentationLvl -= 2;
	}
}

function accessor(ctx, desc, level, original) {
	if (desc.get === undefined)
		return desc.set !== undefined ? ctx.stylize('[Setter]', 'special') : ctx.stylize('undefined', 'undefined');
	const label = desc.set !== undefined ? 'Getter/Setter' : 'Getter';
	const call = ctx.getters && (ctx.getters === true || (ctx.getters === 'get') === (desc.set === undefined));
	return call ? getterValue(ctx, desc, label, level, original) : ctx.stylize(`[${label}]`, 'special');
}

function propertyName(ctx, key, enumerable) {
	if (typeof key === 'symbol')
		return `[${ctx.stylize(text.escapeName(Symbol.prototype.toString.call(key)), 'symbol')}]`;
	if (key === '__proto__')
		return "['__proto__']";
	if (enumerable === false)
		return `[${text.escapeName(String(key))}]`;
	if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key))
		return ctx.stylize(key, 'name');
	return ctx.stylize(text.quote(String(key)), 'string');
}

function formatProperty(ctx, value, level, key, type, desc, original = value) {
	let shown, gap = ' ';
	desc = desc || Object.getOwnPropertyDescriptor(value, key) || absentProperty(value, key);
	if (desc.value !== undefined) {
		const deeper = ctx.compact !== true || type !== PLAIN ? 2 : 3;
		ctx.indentationLvl += deeper;
		shown = formatValue(ctx, desc.value, level);
		if (deeper === 3 && ctx.breakLength < text.stringWidth(shown, ctx.colors))
			gap = `\n${' '.repeat(ctx.indentationLvl)}`;
		ctx.indentationLvl -= deeper;
	} else {
		shown = accessor(ctx, desc, level, original);
	}
	return type === ELEMENT ? shown : `${propertyName(ctx, key, desc.enumerable)}:${gap}${shown}`;
}

exports.inspect = inspect;
exports.formatValue = formatValue;
exports.formatProperty = formatProperty;
exports.propertyName = propertyName;
exports.defaults = defaults;
exports.makeContext = makeContext;
kinds.connect(exports);
