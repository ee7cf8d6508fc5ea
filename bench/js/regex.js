const line = '192.168.0.7 - - [10/Oct/2000:13:55:36] "GET /apache_pb.gif HTTP/1.0" 200 2326 "http://www.example.com/start.html"';
const re = /^(\d+\.\d+\.\d+\.\d+) \S+ \S+ \[([^\]]+)\] "(\w+) (\S+) [^"]*" (\d{3}) (\d+)/;
let n = 0;
for (let i = 0; i < 20000; i++) {
	const m = re.exec(line);
	n += m[4].length + Number(m[6]) + line.replace(/[aeiou]/g, '').length;
}
console.log(n);
