let n = 0;
for (let round = 0; round < 60; round++) {
	const words = [];
	for (let i = 0; i < 2000; i++) words.push(`word${i * 7 % 1000}`);
	const text = words.join(' ');
	n += text.split(' ').map(w => w.toUpperCase().slice(1, 5).padEnd(8, '.')).join('-').length;
	for (let i = 0; i < text.length; i++) n += text.charCodeAt(i) & 1;
	n += text.indexOf('word999') + text.replaceAll('word1', 'W').length;
}
console.log(n);
