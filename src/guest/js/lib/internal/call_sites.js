/*
 * What Error.prepareStackTrace(error, sites) is given: the frames of a stack's text, taken apart. As for strict functions of
 * V8, getThis() and getFunction() give nothing.
 */
'use strict';

const texts = new WeakMap();
const at = (site) => texts.get(site);

/* "Type.name [as method]" or "name" */
function takeName(frame, name) {
	const as = / \[as (.*)\]$/.exec(name);
	if (as) {
		frame.method = as[1];
		name = name.slice(0, as.index);
	}
	const dot = frame.construct || /^(?:get|set) /.test(name) ? -1 : name.indexOf('.');
	if (dot > 0) {
		frame.type = name.slice(0, dot);
		name = name.slice(dot + 1);
		frame.method ??= name === '<anonymous>' ? null : name;
	}
	frame.name = name === '<anonymous>' ? null : name;
	frame.top = !frame.construct && !frame.async && dot <= 0 && !as;
}

function takePlace(frame, place) {
	const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(place) ?? [];
	if (line === undefined)
		return;		/* built in */
	frame.line = +line;
	frame.column = +column;
	const comma = file.startsWith('eval at ') ? file.lastIndexOf(', ') : -1;
	if (comma < 0) {
		frame.file = file;
		return;
	}
	frame.origin = file.slice(0, comma);
	frame.file = undefined;
}

function frameOf(text) {
	const frame = { text, type: null, name: null, method: null, file: null, line: null, column: null, origin: undefined,
		async: false, construct: false, top: true, index: null };
	let rest = text;
	if (rest.startsWith('async ')) {
		frame.async = true;
		rest = rest.slice(6);
	}
	const all = /^Promise\.(?:all|any|allSettled) \(index (\d+)\)$/.exec(rest);
	if (all) {
		frame.index = +all[1];
		return frame;
	}
	if (rest.startsWith('new ')) {
		frame.construct = true;
		rest = rest.slice(4);
	}
	const open = rest.endsWith(')') && !rest.startsWith('eval at ') ? rest.indexOf(' (') : -1;
	takeName(frame, open < 0 ? '<anonymous>' : rest.slice(0, open));
	takePlace(frame, open < 0 ? rest : rest.slice(open + 2, -1));
	if (frame.top && frame.name === null && frame.construct === false)
		frame.type = null;
	return frame;
}

class CallSite {
	getColumnNumber() { return at(this).column; }
	getEnclosingColumnNumber() { return at(this).column; }
	getEnclosingLineNumber() { return at(this).line; }
	getEvalOrigin() { return at(this).origin; }
	getFileName() { return at(this).file; }
	getFunction() { return undefined; }
	getFunctionName() { return at(this).name; }
	getLineNumber() { return at(this).line; }
	getMethodName() { return at(this).method; }
	getPosition() { return 0; }
	getPromiseIndex() { return at(this).index; }
	getScriptNameOrSourceURL() { return at(this).file; }
	getThis() { return undefined; }
	getTypeName() { return at(this).type; }
	isAsync() { return at(this).async; }
	isConstructor() { return at(this).construct; }
	isEval() { return at(this).origin !== undefined; }
	isNative() { return false; }
	isPromiseAll() { return at(this).index !== null; }
	isToplevel() { return at(this).top; }
	toString() { return at(this).text; }
}

/* The frames of a stack's text. */
exports.sitesOf = function (stack) {
	const first = stack.indexOf('\n    at ');
	if (first < 0)
		return [];
	return stack.slice(first + 8).split('\n    at ').map((text) => {
		const site = new CallSite();
		texts.set(site, frameOf(text));
		return site;
	});
};
