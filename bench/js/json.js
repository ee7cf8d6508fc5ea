const all = Array.from({ length: 3000 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b', `t${id}`], nested: { x: id / 3, y: null, ok: id % 2 === 0 } }));
let n = 0;
for (let i = 0; i < 20; i++) {
	const text = JSON.stringify(all);
	n += text.length + JSON.parse(text)[i].tags.length;
}
console.log(n);
