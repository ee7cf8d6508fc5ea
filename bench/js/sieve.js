const N = 3000000, composite = new Uint8Array(N + 1);
let count = 0;
for (let i = 2; i <= N; i++) {
	if (composite[i]) continue;
	count++;
	for (let j = i * 2; j <= N; j += i) composite[j] = 1;
}
console.log(count);
