/*
 * What util.inspect calls a value: the name of its constructor, the prefix before the braces, and the one-line forms of
 * functions, classes, boxed primitives and errors.
 */
'use strict';

const text = require('internal/inspect_text');
const { classOf, isError } = require('internal/types');

const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const builtins = new Set(Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z][a-zA-Z0-9]+$/.test(name)));

function instanceOf(value, Class) {
	try {
		return value instanceof Class;
	} catch {
		return false;
	}
}

/* With showHidden, what the prototypes of a user's class hold (but no methods) is shown as well. */
function prototypeProperties(ctx, main, start, level, output, formatProperty) {
	let object = start, keys = [];
	const seen = new Set();
	for (let depth = 0; depth < 3; depth++) {
		if (depth !== 0 || main === object) {
			object = Object.getPrototypeOf(object);
			if (object === null)
				return;
			const maker = Object.getOwnPropertyDescriptor(object, 'constructor');
			if (maker !== undefined && typeof maker.value === 'function' && builtins.has(maker.value.name))
				return;
		}
		keys.forEach((key) => seen.add(key));
		keys = Reflect.ownKeys(object);
		ctx.seen.push(main);
		for (const key of keys) {
			const desc = Object.getOwnPropertyDescriptor(object, key);
			if (key === 'constructor' || hasOwn(main, key) || (depth !== 0 && seen.has(key)) || typeof desc.value === 'function')
				continue;
			const shown = formatProperty(ctx, object, level, key, 0, desc, main);
			output.push(ctx.colors ? `\u001b[2m${shown}\u001b[22m` : shown);
		}
		ctx.seen.pop();
	}
}
exports.prototypeProperties = prototypeProperties;

/* The name of the nearest constructor; null when there is no prototype at all. */
exports.constructorName = function constructorName(value, ctx, level, found) {
	let object = value, first;
	while (object || typeof object === 'function') {
		const desc = Object.getOwnPropertyDescriptor(object, 'constructor');
		if (desc !== undefined && typeof desc.value === 'function' && desc.value.name !== '' && instanceOf(value, desc.value)) {
			if (found !== undefined && (first !== object || !builtins.has(desc.value.name)))
				found.start = first || value;
			return String(desc.value.name);
		}
		object = Object.getPrototypeOf(object);
		if (first === undefined)
			first = object;
	}
	if (first === null)
		return null;
	const name = nameOfClass(value);
	if (level > ctx.depth && ctx.depth !== null)
		return `${name} <Complex prototype>`;
	const parent = constructorName(first, ctx, level + 1, found);
	if (parent === null) {
		const shown = require('internal/inspect').inspect(first, { ...ctx, customInspect: false, depth: -1 });
		return `${name} <${shown}>`;
	}
	return `${name} <${parent}>`;
};

/* V8 names such an object after its class; the engine's class is the nearest there is. */
function nameOfClass(value) {
	const name = classOf(value);
	return name === undefined || /Function|Iterator|Generator$/.test(name) && typeof value !== 'function' ? 'Object' :
		typeof value === 'function' ? 'Function' : name;
}

exports.prefix = function (constructor, tag, fallback, size = '') {
	if (constructor === null) {
		if (tag !== '' && fallback !== tag)
			return `[${fallback}${size}: null prototype] [${tag}] `;
		return `[${fallback}${size}: null prototype] `;
	}
	if (tag !== '' && constructor !== tag)
		return `${constructor}${size} [${tag}] `;
	return `${constructor}${size} `;
};

/* ---- functions and classes ---- */

/* A class by its source; a method named `class` is none. */
function isClassSource(source) {
	if (!source.startsWith('class') || !source.endsWith('}'))
		return false;
	const head = source.slice(5, -1);
	const brace = head.indexOf('{');
	if (brace === -1)
		return false;
	return !head.slice(0, brace).includes('(') ||
		/^(\s+[^(]*?)\s*\{/.test(head.replace(/(\/\/.*?\n)|(\/\*(.|\n)*?\*\/)/g, ''));
}

function classBase(value, constructor, tag) {
	const name = (hasOwn(value, 'name') && value.name) || '(anonymous)';
	let base = `class ${name}`;
	if (constructor !== 'Function' && constructor !== null)
		base += ` [${constructor}]`;
	if (tag !== '' && constructor !== tag)
		base += ` [${tag}]`;
	if (constructor === null)
		return `[${base} extends null]`;
	const parent = Object.getPrototypeOf(value).name;
	return parent ? `[${base} extends ${parent}]` : `[${base}]`;
}

exports.functionBase = function (value, constructor, tag) {
	if (isClassSource(Function.prototype.toString.call(value)))
		return classBase(value, constructor, tag);
	const kind = classOf(value);
	const type = kind === 'AsyncFunction' || kind === 'GeneratorFunction' || kind === 'AsyncGeneratorFunction' ? kind : 'Function';
	let base = `[${type}`;
	if (constructor === null)
		base += ' (null prototype)';
	base += value.name === '' ? ' (anonymous)' : `: ${typeof value.name === 'string' ? value.name : String(value.name)}`;
	base += ']';
	if (constructor !== type && constructor !== null)
		base += ` ${constructor}`;
	if (tag !== '' && constructor !== tag)
		base += ` [${tag}]`;
	return base;
};

/* ---- boxed primitives ---- */

exports.boxedBase = function (value, ctx, keys, constructor, tag) {
	const type = classOf(value);
	const unboxed = globalThis[type].prototype.valueOf.call(value);
	if (type === 'String')
		keys.splice(0, unboxed.length);
	let base = `[${type}`;
	if (type !== constructor)
		base += constructor === null ? ' (null prototype)' : ` (${constructor})`;
	base += `: ${text.formatPrimitive(text.plainStyle, unboxed, ctx)}]`;
	if (tag !== '' && tag !== constructor)
		base += ` [${tag}]`;
	if (keys.length !== 0 || ctx.stylize === text.plainStyle)
		return base;
	return ctx.stylize(base, type.toLowerCase());
};

/* ---- errors ---- */

function stackText(error) {
	if (error.stack)
		return String(error.stack);
	return Error.prototype.toString.call(error);
}

/* The class in front, where the stack only tells the name. */
function improveStack(stack, constructor, name, tag) {
	let length = name.length;
	const after = stack[length];
	if (constructor !== null && !(name.endsWith('Error') && stack.startsWith(name) &&
		(stack.length === length || after === ':' || after === '\n')))
		return stack;
	let fallback = 'Error';
	if (constructor === null) {
		const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) || /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
		fallback = (start && start[1]) || '';
		length = fallback.length;
		fallback = fallback || 'Error';
	}
	const front = exports.prefix(constructor, tag, fallback).slice(0, -1);
	if (name === front)
		return stack;
	if (!front.includes(name))
		return `${front} [${name}]${stack.slice(length)}`;
	return length === 0 ? `${front}: ${stack}` : `${front}${stack.slice(length)}`;
}

/* Where the frames of the cause begin to be ours too: [index, how many]. */
function overlap(ours, theirs) {
	for (let i = 0; i < ours.length - 3; i++) {
		const at = theirs.indexOf(ours[i]);
		if (at === -1)
			continue;
		const left = theirs.length - at;
		if (left <= 3)
			continue;
		let same = 1;
		const most = Math.min(ours.length - i, left);
		while (most > same && ours[i + same] === theirs[at + same])
			same++;
		if (same > 3)
			return [i, same];
	}
	return [0, 0];
}

function frames(ctx, error, part) {
	const lines = part.split('\n');
	let cause;
	try {
		({ cause } = error);
	} catch {
		return lines;
	}
	if (cause == null || !isError(cause))
		return lines;
	const stack = stackText(cause);
	const start = stack.indexOf('\n    at');
	if (start === -1)
		return lines;
	const [index, same] = overlap(lines, stack.slice(start + 1).split('\n'));
	if (same > 3) {
		const note = `    ... ${same - 2} lines matching cause stack trace ...`;
		lines.splice(index + 1, same - 2, ctx.stylize(note, 'undefined'));
	}
	return lines;
}

/* Keys that the stack already tells, and the hidden ones that must be told. */
function errorKeys(ctx, keys, error, stack) {
	if (!ctx.showHidden && keys.length !== 0) {
		for (const name of ['name', 'message', 'stack']) {
			const at = keys.indexOf(name);
			if (at !== -1 && stack.includes(error[name]))
				keys.splice(at, 1);
		}
	}
	if ('cause' in error && !keys.includes('cause'))
		keys.push('cause');
	if (Array.isArray(error.errors) && !keys.includes('errors'))
		keys.push('errors');
}

function colorFrame(ctx, line) {
	if (/\(node:|at node:/.test(line))
		return ctx.stylize(line, 'undefined');
	return line.replace(/([\\/]node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/g, (all, folder, name) => folder + ctx.stylize(name, 'module'));
}

exports.errorBase = function (error, constructor, tag, ctx, keys) {
	const name = error.name != null ? String(error.name) : 'Error';
	let stack = stackText(error);
	errorKeys(ctx, keys, error, stack);
	stack = improveStack(stack, constructor, name, tag);
	let at = (error.message && stack.indexOf(error.message)) || -1;
	if (at !== -1)
		at += error.message.length;
	const start = stack.indexOf('\n    at', at);
	if (start === -1) {
		stack = `[${stack}]`;
	} else {
		let lines = frames(ctx, error, stack.slice(start + 1));
		if (ctx.colors)
			lines = lines.map((line) => colorFrame(ctx, line));
		stack = `${stack.slice(0, start)}\n${lines.join('\n')}`;
	}
	if (ctx.indentationLvl !== 0)
		stack = stack.replaceAll('\n', `\n${' '.repeat(ctx.indentationLvl)}`);
	return stack;
};
