let x = 12345;
const random = () => x = x * 1103515245 + 12345 & 0x7fffffff;
let n = 0;
for (let round = 0; round < 4; round++) {
	const a = Array.from({ length: 100000 }, random);
	a.sort((p, q) => p - q);
	n += a[500] % 1000;
}
console.log(n);
