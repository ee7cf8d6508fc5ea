/* util.parseArgs. */
'use strict';

const { codes } = require('internal/errors');
const { validateArray, validateBoolean, validateObject, validateString, validateUnion, validateStringArray,
	validateBooleanArray } = require('internal/validators');

const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const own = (object, key) => hasOwn(object, key) ? object[key] : undefined;

const isLongOption = (arg) => arg.length > 2 && arg.startsWith('--');

function longOf(short, options) {
	validateString(short, 'shortOption');
	const found = Object.entries(options).find(([, option]) => own(option, 'short') === short);
	return found ? found[0] : short;
}

function typeOf(name, options) {
	return hasOwn(options, name) ? own(options[name], 'type') : undefined;
}

/* Values that look like options are not taken as values. */
function isOptionValue(value) {
	return value != null && !(value.length > 1 && value[0] === '-');
}

function optionToken(kind, name, raw, index, value, inline) {
	return { kind: 'option', name, rawName: raw, index, value, inlineValue: inline };
}

/* -abc: a group of flags, or -fVALUE. */
function shortGroup(arg, options, queue) {
	const expanded = [];
	for (let i = 1; i < arg.length; i++) {
		const long = longOf(arg[i], options);
		if (typeOf(long, options) !== 'string' || i === arg.length - 1) {
			expanded.push(`-${arg[i]}`);
		} else {
			expanded.push(`-${arg.slice(i)}`);
			break;
		}
	}
	queue.unshift(...expanded);
	return expanded.length;
}

function shortAndValue(arg, options) {
	return arg.length > 2 && arg[0] === '-' && arg[1] !== '-' && typeOf(longOf(arg[1], options), options) === 'string';
}

function longToken(arg, index, options, queue) {
	const equals = arg.indexOf('=', 3);
	if (equals !== -1)
		return optionToken('option', arg.slice(2, equals), arg.slice(0, equals), index, arg.slice(equals + 1), true);
	const name = arg.slice(2);
	if (typeOf(name, options) === 'string' && queue.length > 0 && queue[0] != null && !(queue[0] === undefined)) {
		const value = queue[0];
		queue.shift();
		return optionToken('option', name, arg, index, value, false);
	}
	return optionToken('option', name, arg, index, undefined, undefined);
}

function shortToken(arg, index, options, queue) {
	const name = longOf(arg[1], options);
	if (typeOf(name, options) === 'string' && queue.length > 0 && queue[0] != null)
		return optionToken('option', name, arg, index, queue.shift(), false);
	return optionToken('option', name, arg, index, undefined, undefined);
}

function tokenize(args, options) {
	const tokens = [], queue = [...args];
	let index = -1, group = 0;
	while (queue.length > 0) {
		const arg = queue.shift();
		if (group > 0)
			group--;
		else
			index++;
		if (arg === '--') {
			tokens.push({ kind: 'option-terminator', index });
			for (const value of queue)
				tokens.push({ kind: 'positional', index: ++index, value });
			break;
		}
		if (arg.length === 2 && arg[0] === '-' && arg[1] !== '-') {
			const token = shortToken(arg, index, options, queue);
			tokens.push(token);
			if (token.value != null)
				index++;
		} else if (arg.length > 2 && arg[0] === '-' && arg[1] !== '-' && typeOf(longOf(arg[1], options), options) !== 'string') {
			group = shortGroup(arg, options, queue);
		} else if (shortAndValue(arg, options)) {
			tokens.push(optionToken('option', longOf(arg[1], options), `-${arg[1]}`, index, arg.slice(2), true));
		} else if (isLongOption(arg)) {
			const token = longToken(arg, index, options, queue);
			tokens.push(token);
			if (token.value != null && token.inlineValue === false)
				index++;
		} else {
			tokens.push({ kind: 'positional', index, value: arg });
		}
	}
	return tokens;
}

/* A value that looks like an option was probably forgotten. */
function checkOptionLike(token) {
	if (token.inlineValue || token.value == null || isOptionValue(token.value))
		return;
	const example = token.rawName.startsWith('--') ? `'${token.rawName}=-XYZ'` : `'--${token.name}=-XYZ' or '${token.rawName}-XYZ'`;
	throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${token.rawName}' argument is ambiguous.\n` +
		`Did you forget to specify the option argument for '${token.rawName}'?\n` +
		`To specify an option argument starting with a dash use ${example}.`);
}

const isNegative = (name) => name.startsWith('no-');

function checkUsage(options, allowPositionals, allowNegative, token) {
	let { name } = token;
	if (!hasOwn(options, name)) {
		name = allowNegative && isNegative(name) ? name.slice(3) : name;
		if (!hasOwn(options, name) || (name !== token.name && own(options[name], 'type') !== 'boolean'))
			throw new codes.ERR_PARSE_ARGS_UNKNOWN_OPTION(token.rawName, allowPositionals);
	}
	const short = own(options[name], 'short');
	const shown = `${short ? `-${short}, ` : ''}--${name}`;
	const type = own(options[name], 'type');
	if (type === 'string' && typeof token.value !== 'string')
		throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shown} <value>' argument missing`);
	if (type === 'boolean' && token.value != null)
		throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shown}' does not take an argument`);
}

function store(name, value, options, values) {
	if (name === '__proto__')
		return;
	const made = value ?? true;
	if (own(hasOwn(options, name) ? options[name] : {}, 'multiple')) {
		if (values[name])
			values[name].push(made);
		else
			values[name] = [made];
	} else {
		values[name] = made;
	}
}

function checkOptions(options) {
	for (const [name, option] of Object.entries(options)) {
		validateObject(option, `options.${name}`);
		const type = own(option, 'type');
		validateUnion(type, `options.${name}.type`, ['string', 'boolean']);
		if (hasOwn(option, 'short')) {
			validateString(option.short, `options.${name}.short`);
			if (option.short.length !== 1)
				throw new codes.ERR_INVALID_ARG_VALUE(`options.${name}.short`, option.short, 'must be a single character');
		}
		const multiple = own(option, 'multiple');
		if (hasOwn(option, 'multiple'))
			validateBoolean(multiple, `options.${name}.multiple`);
		const value = own(option, 'default');
		if (value !== undefined) {
			const check = multiple ? (type === 'string' ? validateStringArray : validateBooleanArray) :
				(type === 'string' ? validateString : validateBoolean);
			check(value, `options.${name}.default`);
		}
	}
}

function mainArgs() {
	const process = require('process');
	const execArgv = process.execArgv || [];
	const evaluated = execArgv.some((arg) => /^(-e|--eval|-p|--print|-pe)$/.test(arg));
	return process.argv.slice(evaluated ? 1 : 2);
}

exports.parseArgs = function parseArgs(config = { __proto__: null }) {
	const args = own(config, 'args') ?? mainArgs();
	const strict = own(config, 'strict') ?? true;
	const allowPositionals = own(config, 'allowPositionals') ?? !strict;
	const allowNegative = own(config, 'allowNegative') ?? false;
	const wantTokens = own(config, 'tokens') ?? false;
	const options = own(config, 'options') ?? { __proto__: null };
	validateArray(args, 'args');
	validateBoolean(strict, 'strict');
	validateBoolean(allowPositionals, 'allowPositionals');
	validateBoolean(wantTokens, 'tokens');
	validateBoolean(allowNegative, 'allowNegative');
	validateObject(options, 'options');
	checkOptions(options);
	const tokens = tokenize(args, options);
	const result = { values: { __proto__: null }, positionals: [] };
	if (wantTokens)
		result.tokens = tokens;
	for (const token of tokens) {
		if (token.kind === 'option') {
			if (strict) {
				checkUsage(options, allowPositionals, allowNegative, token);
				checkOptionLike(token);
			}
			const negative = allowNegative && isNegative(token.name);
			if (negative)
				token.name = token.name.slice(3);
			store(token.name, negative ? false : token.value, options, result.values);
		} else if (token.kind === 'positional') {
			if (!allowPositionals)
				throw new codes.ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(token.value);
			result.positionals.push(token.value);
		}
	}
	for (const [name, option] of Object.entries(options)) {
		if (own(option, 'default') !== undefined && result.values[name] === undefined && name !== '__proto__')
			result.values[name] = option.default;
	}
	return result;
};
