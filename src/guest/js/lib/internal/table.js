/* console.table: the rows and columns of a value, drawn with box characters. */
'use strict';

const { stringWidth } = require('internal/inspect_text');
const { inspect } = require('internal/inspect');
const { types } = require('internal/types');

function row(cells, widths) {
	return `│${cells.map((cell, i) => ` ${cell}${' '.repeat(widths[i] - stringWidth(cell) - 1)}`).join('│')}│\n`;
}

function draw(head, columns) {
	const count = columns.reduce((most, column) => Math.max(most, column.length), 0);
	const rows = [];
	for (let i = 0; i < count; i++)
		rows.push(columns.map((column) => i in column ? column[i] : ''));
	const widths = head.map((name, i) => rows.reduce((most, cells) => Math.max(most, stringWidth(cells[i])), stringWidth(name)) + 2);
	const lines = widths.map((width) => '─'.repeat(width));
	return `┌${lines.join('┬')}┐\n${row(head, widths)}├${lines.join('┼')}┤\n` +
		`${rows.map((cells) => row(cells, widths)).join('')}└${lines.join('┴')}┘`;
}

function show(value, options) {
	const depth = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0;
	return inspect(value, { maxArrayLength: 3, breakLength: Infinity, colors: false, ...options, depth });
}

/* Maps, sets and their iterators: what they hold, numbered. */
function entriesTable(data, options) {
	const pairsOf = (list) => draw(['(iteration index)', 'Key', 'Values'],
		[list.map((_, i) => `${i}`), list.map(([key]) => show(key, options)), list.map(([, value]) => show(value, options))]);
	if (types.isMap(data))
		return pairsOf([...Map.prototype.entries.call(data)]);
	if (types.isMapIterator(data) || types.isSetIterator(data)) {
		const [flat, pairs] = host.preview(data);
		if (pairs) {
			const list = [];
			for (let i = 0; i < flat.length; i += 2)
				list.push([flat[i], flat[i + 1]]);
			return pairsOf(list);
		}
		return draw(['(iteration index)', 'Values'], [flat.map((_, i) => `${i}`), flat.map((value) => show(value, options))]);
	}
	if (!types.isSet(data))
		return undefined;
	const list = [...Set.prototype.values.call(data)];
	return draw(['(iteration index)', 'Values'], [list.map((_, i) => `${i}`), list.map((value) => show(value, options))]);
}

exports.table = function (data, wanted, options) {
	const special = entriesTable(data, options);
	if (special !== undefined)
		return special;
	const columns = new Map(), values = [], index = Object.keys(data);
	let anyValue = false;
	index.forEach((key, i) => {
		const item = data[key];
		const primitive = item === null || (typeof item !== 'function' && typeof item !== 'object');
		if (primitive) {
			anyValue = true;
			values[i] = show(item, options);
			return;
		}
		for (const name of wanted || Object.keys(item)) {
			if (!columns.has(name))
				columns.set(name, []);
			if (Object.prototype.hasOwnProperty.call(item, name))
				columns.get(name)[i] = show(item[name], options);
		}
	});
	const head = ['(index)', ...columns.keys()], lists = [index, ...columns.values()];
	if (anyValue) {
		head.push('Values');
		lists.push(values);
	}
	return draw(head, lists);
};
