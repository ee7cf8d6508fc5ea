const m = new Map(), s = new Set();
for (let round = 0; round < 4; round++) {
	for (let i = 0; i < 100000; i++) { m.set(i * 3, i); s.add(`k${i % 5000}`); }
	for (let i = 0; i < 100000; i++) if (m.get(i * 3) !== i) throw new Error('wrong');
}
let sum = 0;
for (const [k, v] of m) sum += k + v;
console.log(sum + s.size);
