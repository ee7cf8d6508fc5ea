/*
 * Hostile JavaScript: recursion of all kinds, loops that never ask, memory bombs, and many guests at
 * once. Each must end as the table says and leave the sandbox usable; thousands of
 * guests must leave the program as it was.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "tap.h"

#ifdef __SANITIZE_ADDRESS__
enum { THREADS = 2, GUESTS_EACH = 40, SEQUENCE = 300, UNDER_ASAN = 1 };
#else
enum { THREADS = 8, GUESTS_EACH = 400, SEQUENCE = 10000, UNDER_ASAN = 0 };
#endif

static struct tsb_sandbox *open_box(uint64_t wall_ms)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	struct tsb_sandbox *box;

	tsb_limits_default(&limits);
	limits.wall_ms = wall_ms;
	opt.limits = &limits;
	if (tsb_sandbox_open(&box, &opt)) {
		printf("Bail out! no sandbox\n");
		exit(1);
	}
	return box;
}

static struct tsb_result *run(struct tsb_sandbox *box, const char *script)
{
	struct tsb_result *r;

	if (tsb_run(box, script, NULL, &r)) {
		printf("Bail out! %s\n", tsb_error(box));
		exit(1);
	}
	return r;
}

static bool usable(struct tsb_sandbox *box)
{
	struct tsb_result *r = run(box, "js -p '[1, 2].map(x => x * 3).join()' | cat");
	bool good = tsb_result_status(r) == 0 && !strcmp(tsb_result_out(r, NULL), "3,6\n");

	if (!good)
		printf("# status %d: %.200s%.200s\n", tsb_result_status(r), tsb_result_out(r, NULL),
		       tsb_result_err(r, NULL));
	tsb_result_free(r);
	return good;
}

/* ---- What is charged: 38 whole images would fill the default limit ---- */

static void test_charged(void)
{
	enum { MANY = UNDER_ASAN ? 20 : 100 };
	struct tsb_sandbox *box = open_box(60000);
	char script[200];
	struct tsb_result *r;

	snprintf(script, sizeof(script), "js -e 1; for ((i = 0; i < %d; i++)); do "
		 "js -e 'setTimeout(() => console.log(1), 2000)' & done; wait", MANY);
	r = run(box, script);
	is_int((long)strlen(tsb_result_out(r, NULL)), 2 * MANY, "many guests live in the default limit");
	if (*tsb_result_err(r, NULL))
		printf("# %.300s\n", tsb_result_err(r, NULL));
	tsb_result_free(r);
	tsb_sandbox_close(box);
}

/* ---- Recursion: a RangeError (or a SyntaxError, where the parser says no first) ---- */

static const char *const recursions[][2] = {
	{ "calls", "(function f() { f(); })()" },
	{ "Proxy", "const p = new Proxy({}, { get(t, k, r) { return r[k]; } }); p.x" },
	{ "a chain of proxies", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x" },
	{ "toString", "const o = { toString() { return '' + o; } }; '' + o" },
	{ "valueOf", "const o = { valueOf() { return o + 1; } }; o * 2" },
	{ "a comparator", "function f() { [1, 2].sort(f); } f()" },
	{ "JSON.parse", "JSON.parse('['.repeat(300000))" },
	{ "a reviver", "JSON.parse('[1]', function f() { return JSON.parse('[1]', f); })" },
	{ "JSON.stringify", "let a = []; for (let i = 0; i < 3e5; i++) a = [a]; JSON.stringify(a)" },
	{ "toJSON", "const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o)" },
	{ "nested source", "eval('['.repeat(100000))" },
	{ "nested brackets", "eval('('.repeat(100000))" },
	{ "nested blocks", "eval('{'.repeat(100000))" },
	{ "nested functions", "eval('()=>'.repeat(50000) + '1')" },
	{ "nested classes", "eval('class A{['.repeat(20000))" },
	{ "ternary", "eval('1?'.repeat(50000))" },
	{ "power", "eval('1**'.repeat(100000) + '1')" },
	{ "if", "eval('if(1)'.repeat(50000) + ';')" },
	{ "unary", "eval('!'.repeat(100000) + '1')" },
	{ "await", "eval('async()=>{' + 'await '.repeat(100000) + '1}')" },
	{ "new", "eval('new '.repeat(100000) + 'a')" },
	{ "flat", "let a = []; for (let i = 0; i < 2e5; i++) a = [a]; a.flat(Infinity)" },
	{ "join", "let a = []; for (let i = 0; i < 3e5; i++) a = [a]; a.join()" },
	{ "regex groups", "new RegExp('('.repeat(100000) + ')'.repeat(100000))" },
	{ "regex lookaheads", "new RegExp('(?='.repeat(50000) + ')'.repeat(50000))" },
	{ "spread", "const g = a => [...a.map(g)]; let a = []; for (let i = 0; i < 3e5; i++) a = [a]; g(a)" },
	{ "rest", "function f(...a) { return f(...a, 1); } f()" },
	{ "an iterator", "const o = { [Symbol.iterator]() { return [...o]; } }; [...o]" },
	{ "getters", "const o = { get x() { return o.x; } }; o.x" },
	{ "setters", "const o = { set x(v) { o.x = v; } }; o.x = 1" },
	{ "generators", "function* g() { yield* g(); } g().next()" },
	{ "bound functions", "let f = () => {}; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()" },
	{ "class extends", "class A { constructor() { new this.constructor(); } } class B extends A {} new B()" },
	{ "a chain of classes", "let C = class {}; for (let i = 0; i < 40000; i++) C = class extends C {}; new C()" },
	{ "template nesting", "eval('`${'.repeat(50000))" },
	{ "tagged templates", "const f = () => f`${1}`; f()" },
	{ "destructuring", "eval('({a:'.repeat(50000) + 'b' + '})'.repeat(50000) + '=1')" },
	{ "default values", "const f = (a = f()) => a; f()" },
	{ "instanceof", "class G { static [Symbol.hasInstance]() { return {} instanceof G; } } ({}) instanceof G" },
	{ "replace", "const f = () => 'a'.replace(/a/, f); f()" },
};

static void test_recursion(void)
{
	static const char form[] = "cat > r.js <<'E'\ntry { (() => { %s; })(); console.log('returned'); } catch (e) {\n"
				   "console.log(e instanceof RangeError || e instanceof SyntaxError || e); }\nE\njs r.js";
	struct tsb_sandbox *box = open_box(60000);
	char script[2000];

	for (size_t i = 0; i < sizeof(recursions) / sizeof(*recursions); i++) {
		struct tsb_result *r;

		snprintf(script, sizeof(script), form, recursions[i][1]);
		r = run(box, script);
		is_str(tsb_result_out(r, NULL), "true\n", recursions[i][0]);
		if (tsb_result_status(r))
			printf("# status %d: %.300s\n", tsb_result_status(r), tsb_result_err(r, NULL));
		tsb_result_free(r);
		if (!usable(box))
			ok(false, "usable afterwards");
	}
	tsb_sandbox_close(box);
}

/* ---- Loops: stopped by the clock ---- */

static const char *const loops[] = {
	"for (;;);", "while (1);", "3n ** 20000000n", "[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", "/(a+)+b/.test('a'.repeat(40))",
	"/^(?:a|a)*$/.test('a'.repeat(40) + 'b')", "[3, 1, 2].sort(() => { for (;;); })",
	"const a = Array(1e6).fill(0).map((_, i) => i % 7); for (;;) a.sort((x, y) => x - y)",
	"for (;;) try { for (;;); } finally { continue; }", "Promise.resolve().then(function f() { return Promise.resolve().then(f); })",
	"process.nextTick(function f() { process.nextTick(f); })", "setImmediate(function f() { setImmediate(f); })",
	"setInterval(() => {}, 0)", "const f = async () => { for (;;) await 0; }; f()",
	"const s = 'x'.repeat(1e6); for (;;) s.split('').reverse().join('')", "for (;;) JSON.parse(JSON.stringify(Array(1e5).fill(1)))",
	"for (const x of (function* () { for (;;) yield 1; })());", "new Proxy({}, { ownKeys() { for (;;); } }); for (;;) new Date().toString()",
	"let s = 'a'; for (;;) s = s.replace(/a/g, 'aa').slice(0, 100000)", "process.on('SIGTERM', () => {}); for (;;);",
	"const a = new Uint8Array(3e7); for (;;) a.fill(1)", "const a = new Uint8Array(3e7); for (;;) a.copyWithin(1, 0)",
	"const s = 'x'.repeat(1e7); for (;;) s.indexOf('y')", "const a = Buffer.alloc(1e7), b = Buffer.alloc(1e7); for (;;) a.compare(b)",
	"const c = require('crypto'), b = Buffer.alloc(1e7); for (;;) c.createHash('sha256').update(b).digest()",
	"require('crypto').pbkdf2Sync('a', 'b', 1e9, 64, 'sha512')", "const z = require('zlib'), b = Buffer.alloc(1e7); for (;;) z.gzipSync(b)",
	"const a = JSON.stringify(Array(1e5).fill(1)); for (;;) JSON.parse(a)", "const b = Buffer.alloc(1e7); for (;;) b.toString('hex')",
	"process.stdin.on('data', () => {}); setInterval(() => {}, 1e6)",
};

static void test_loops(void)
{
	struct tsb_sandbox *box = open_box(150);
	struct tsb_sandbox *later = open_box(30000);
	char script[600];

	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		struct tsb_result *r;

		snprintf(script, sizeof(script), "cat > l.js <<'E'\n%s\nE\njs l.js", loops[i]);
		r = run(box, script);
		is_int(tsb_result_status(r), 124, loops[i]);
		tsb_result_free(r);
	}
	ok(usable(later), "usable afterwards");
	tsb_sandbox_close(box);
	tsb_sandbox_close(later);
}

/* ---- Memory: caught, and what was taken given back; or status 134 ---- */

static const char *const bombs[] = {
	"for (;;) keep.push(new ArrayBuffer(1 << 20));", "for (;;) keep.push(new Uint8Array(1000));",
	"let s = 'ab'; for (;;) { s += s; keep.push(s + 1); }", "for (;;) keep.push('x'.repeat(100000) + keep.length);",
	"for (;;) keep.push([1, 2, 3]);", "for (;;) keep.push({});", "for (let n = 1;; n *= 2) keep.push(new Array(n).fill(1));",
	"const m = new Map(); keep.push(m); for (let i = 0;; i++) m.set(i, i);", "const m = new Set(); keep.push(m); for (let i = 0;; i++) m.add(`k${i}`);",
	"const o = {}; keep.push(o); for (let i = 0;; i++) o[`k${i}`] = i;", "for (;;) keep.push(() => keep);",
	"for (;;) keep.push(1n << 400000n);", "for (;;) keep.push(Symbol('x'.repeat(1000)));", "let b = 1n; for (;;) { b = b * b + 3n; keep.push(b); }",
	"for (;;) keep.push(new RegExp('a'.repeat(1000) + keep.length));", "for (;;) keep.push(new Error('e'));",
	"new ArrayBuffer(2 ** 40);", "'x'.repeat(2 ** 29);", "new Array(2 ** 32 - 1).fill(0);", "[].concat(...Array(60000).fill(Array(60000).fill(1)));",
	"let a = [1]; for (;;) { a = a.concat(a); keep.push(a); }", "keep.push(JSON.parse('[' + '1,'.repeat(3e7) + '1]'));",
	"for (;;) keep.push(eval('(function(){' + 'f(1,2);'.repeat(3000) + '})'));", "function f(...a) { return f(...a, 1); } f();",
	"const l = { }; let c = l; for (;;) c = c.n = { };", "for (;;) keep.push(Promise.resolve(keep.length));",
};

static void test_bombs(void)
{
	static const char caught[] = "cat > b.js <<'E'\nlet keep = []; try { (() => { %s })(); } catch (e) { keep = null; console.log(e instanceof RangeError || e); }\nE\njs b.js";
	static const char uncaught[] = "cat > b.js <<'E'\nlet keep = []; %s\nE\njs b.js 2>&1 | tail -c 3000 >&2; exit ${PIPESTATUS[0]}";
	struct tsb_sandbox *box = open_box(60000);
	char script[1000];

	for (size_t i = 0; i < sizeof(bombs) / sizeof(*bombs); i++) {
		struct tsb_result *r;
		int status;

		snprintf(script, sizeof(script), caught, bombs[i]);
		r = run(box, script);
		is_str(tsb_result_out(r, NULL), "true\n", bombs[i]);
		if (tsb_result_status(r))
			printf("# status %d: %.300s\n", tsb_result_status(r), tsb_result_err(r, NULL));
		tsb_result_free(r);
		snprintf(script, sizeof(script), uncaught, bombs[i]);
		r = run(box, script);
		status = tsb_result_status(r);
		ok(status == 134 || (status == 1 && strstr(tsb_result_err(r, NULL), "RangeError")), "the same, not caught");
		if (status != 134 && status != 1)
			printf("# status %d: %.300s\n", status, tsb_result_err(r, NULL));
		tsb_result_free(r);
	}
	ok(usable(box), "usable afterwards");
	tsb_sandbox_close(box);
}

/* ---- Stopped while its memory grows, at many moments ---- */

static int stop_soon(void *ctx, int fd, const void *data, size_t n)
{
	int *left = ctx;

	(void)fd;
	(void)data;
	(void)n;
	return --*left < 0;
}

static void test_growth(void)
{
	static const char script[] = "js -e 'const k = []; for (;;) { k.push(new Uint8Array(300000)); if (k.length > 150) k.length = 0; process.stdout.write(`.`); }'";
	struct tsb_sandbox *box = open_box(60000);
	bool good = true;

	for (int i = 0; i < 60; i++) {
		struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
		struct tsb_limits limits;
		struct tsb_result *r;
		int left = i * 3;

		tsb_limits_default(&limits);
		limits.wall_ms = i & 1 ? 60000 : (uint64_t)(5 + i);
		opt.limits = &limits;
		opt.output_fn = stop_soon;
		opt.output_ctx = &left;
		if (tsb_run(box, script, &opt, &r))
			exit(1);
		good = good && tsb_result_stop(r) != TSB_STOP_NONE;
		tsb_result_free(r);
	}
	ok(good, "stopped during growth");
	ok(usable(box), "usable afterwards");
	tsb_sandbox_close(box);
}

/* ---- Output without end, and the memory of all guests together ---- */

static void test_totals(void)
{
	struct tsb_sandbox *box = open_box(1000), *slow = open_box(60000);
	struct tsb_result *r = run(box, "js -e 'for (;;) console.log(`x`.repeat(1000))'");
	size_t n;

	tsb_result_out(r, &n);
	is_int(tsb_result_status(r), 124, "output without end");
	ok(tsb_result_out_truncated(r) && n <= (2 << 20), "of which head and tail are kept");
	tsb_result_free(r);
	r = run(slow, "for i in 1 2 3 4 5 6 7 8; do js -e 'const a = []; for (let i = 0; i < 50; i++) a.push(new Uint8Array(1 << 20).fill(1)); setTimeout(() => {}, 2000)' & p+=\" $!\"; done; for i in $p; do wait $i; echo $?; done");
	ok(strstr(tsb_result_out(r, NULL), "137\n") && strstr(tsb_result_out(r, NULL), "0\n"), "many guests that are large: some die");
	is_str(tsb_result_limit(r), "memory_bytes", "the limit of the run");
	ok(tsb_result_memory_peak(r) <= (uint64_t)256 << 20, "is kept");
	tsb_result_free(r);
	ok(usable(slow), "usable afterwards");
	tsb_sandbox_close(slow);
	tsb_sandbox_close(box);
}

/* ---- Many ---- */

static const struct {
	const char *script, *out;
	int status;
} mixed[] = {
	{ "js -p 1+1", "2\n", 0 },
	{ "js -e 'try { (function f() { f(); })(); } catch (e) { console.log(e.name); }'", "RangeError\n", 0 },
	{ "js -e 'console.log(Array.from({ length: 1000 }, (_, i) => i).reduce((a, b) => a + b))'", "499500\n", 0 },
	{ "js -e 'throw 1' 2>/dev/null", "", 1 },
	{ "js -e 'let k = []; try { for (;;) k.push(new Uint8Array(8 << 20)); } catch { k = 0; console.log(1); }'", "1\n", 0 },
	{ "echo '{\"a\":[1,2]}' | jq -c .a", "[1,2]\n", 0 },
	{ "jq -n '1 / 0' 2>/dev/null", "", 3 },
	{ "js -e 'setTimeout(() => console.log(`t`), 1); Promise.resolve().then(() => console.log(`p`))'", "p\nt\n", 0 },
	{ "timeout 0.02 js -e 'for (;;);'", "", 124 },
	{ "js -e 'process.stdout.write(`x`.repeat(100000))' | wc -c", "100000\n", 0 },
};
enum { N_MIXED = sizeof(mixed) / sizeof(*mixed) };

static void *thread_main(void *arg)
{
	struct tsb_sandbox *box = open_box(120000);
	size_t seed = (size_t)(uintptr_t)arg, bad = 0;

	for (size_t i = 0; i < GUESTS_EACH; i++) {
		size_t which = (seed * 7 + i * 3) % N_MIXED;
		struct tsb_result *r = run(box, mixed[which].script);

		if (tsb_result_status(r) != mixed[which].status || strcmp(tsb_result_out(r, NULL), mixed[which].out) != 0) {
			printf("# %s: status %d, %.100s%.200s\n", mixed[which].script, tsb_result_status(r),
			       tsb_result_out(r, NULL), tsb_result_err(r, NULL));
			bad++;
		}
		tsb_result_free(r);
	}
	tsb_sandbox_close(box);
	return (void *)bad;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	size_t bad = 0;

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i);
	for (size_t i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		bad += (size_t)result;
	}
	is_int(bad, 0, "threads with mixed guests");
}

/* Guests that take turns on one thread. */
static void test_interleaving(void)
{
	struct tsb_sandbox *box = open_box(60000);
	struct tsb_result *r = run(box,
		"inc='let n = 0; process.stdin.on(`data`, d => { n += d.length; process.stdout.write(d); }); process.stdin.on(`end`, () => process.stderr.write(`${n} `))'\n"
		"seq 20000 | js -e \"$inc\" | jq -c '. + 1' | js -e \"$inc\" | jq . | js -e \"$inc\" | tail -1\n"
		"js -e 'for (;;) process.stdout.write(`y\\n`.repeat(1000))' 2>/dev/null | js -e \"$inc\" 2>/dev/null | head -2\n"
		"for i in 1 2 3 4; do js -e \"for (let i = 0; i < 3e5; i++); console.log($i)\" & done; wait");
	char sorted[4];

	is_str(tsb_result_err(r, NULL), "108894 108898 108898 ", "each saw all bytes");
	ok(!strncmp(tsb_result_out(r, NULL), "20001\ny\ny\n", 10), "a pipeline of guests");
	for (int i = 0; i < 4; i++)
		sorted[i] = strchr(tsb_result_out(r, NULL) + 10, '1' + i) ? 'y' : 'n';
	ok(!memcmp(sorted, "yyyy", 4), "guests in the background");
	is_int(tsb_result_status(r), 0, "status");
	if (tsb_result_status(r))
		printf("# %.300s\n%.300s\n", tsb_result_out(r, NULL), tsb_result_err(r, NULL));
	tsb_result_free(r);
	tsb_sandbox_close(box);
}

/* ---- Nothing is left ---- */

static long resident_kib(void)
{
	long pages = 0, skip;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &skip, &pages) != 2)
		exit(1);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	long n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	fclose(f);
	return n;
}

static void test_leaks(void)
{
	struct tsb_sandbox *box = open_box(120000);
	long rss = 0, maps = 0;
	size_t bad = 0;

	for (int i = 0; i < SEQUENCE; i++) {
		size_t which = (size_t)i % 20 < 10 ? (size_t)i % N_MIXED : 0;
		struct tsb_result *r;

		if (which == 4 || which == 8)
			which = i % 1000 < 20 ? which : 0;	/* the slow ones */
		r = run(box, mixed[which].script);
		bad += tsb_result_status(r) != mixed[which].status;
		tsb_result_free(r);
		if (i == SEQUENCE / 10) {
			rss = resident_kib();
			maps = mappings();
		}
	}
	is_int(bad, 0, "guests one after the other");
	printf("# resident %ld KiB, then %ld; mappings %ld, then %ld\n", rss, resident_kib(), maps, mappings());
	ok(UNDER_ASAN || resident_kib() < rss + 4096, "resident memory");
	ok(mappings() < maps + 20, "mappings");
	ok(usable(box), "usable afterwards");
	tsb_sandbox_close(box);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "charged", test_charged }, { "recursion", test_recursion }, { "loops", test_loops },
		{ "bombs", test_bombs }, { "growth", test_growth }, { "totals", test_totals }, { "interleaving", test_interleaving },
		{ "leaks", test_leaks }, { "threads", test_threads },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (argc < 2 || !strcmp(argv[1], tests[i].name))
			tests[i].fn();
	return done();
}
