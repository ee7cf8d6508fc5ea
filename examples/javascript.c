/*
 * Several scripts that require each other, as an agent would leave them, and
 * what happens to one that wants too much: time, memory or depth.
 */
#include <stdio.h>
#include <string.h>

#include <tinysandbox/sandbox.h>

static const char report[] =
	"const { total } = require('./lib/sum');\n"
	"const path = require('path'), file = path.resolve(process.argv[2]);\n"
	"const rows = require(file);\n"
	"console.log(path.basename(file), 'has', Object.keys(rows).length, 'rows');\n"
	"console.log('total', total(Object.values(rows)));\n";

static const char sum[] =
	"exports.total = numbers => numbers.reduce((a, b) => a + b, 0);\n";

static int write_files(struct tsb_sandbox *box)
{
	static const char data[] = "{\"apples\": 3, \"pears\": 4, \"figs\": 35}\n";

	return tsb_write_file(box, "/home/user/report.js", report, strlen(report), 0) ||
	       tsb_write_file(box, "/home/user/lib/sum.js", sum, strlen(sum), 0) ||
	       tsb_write_file(box, "/home/user/data.json", data, strlen(data), 0);
}

static void show(struct tsb_sandbox *box, const char *script, const struct tsb_limits *limits)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *result;
	const char *limit;

	opt.limits = limits;
	if (tsb_run(box, script, &opt, &result)) {
		printf("%s\n", tsb_error(box));
		return;
	}
	limit = tsb_result_limit(result);
	printf("%sstatus %d%s%s\n", tsb_result_out(result, NULL), tsb_result_status(result),
	       limit ? ", limit " : "", limit ? limit : "");
	tsb_result_free(result);
}

int main(void)
{
	struct tsb_limits limits;
	struct tsb_sandbox *box;

	if (tsb_sandbox_open(&box, NULL) || write_files(box))
		return 1;
	show(box, "js report.js data.json", NULL);
	show(box, "seq 5 | js -e 'process.stdin.on(`data`, d => process.stdout.write(`${d}`.replace(/\\d/g, n => n * n)))'", NULL);

	tsb_limits_default(&limits);
	limits.wall_ms = 300;
	limits.js_memory_bytes = 8 << 20;
	show(box, "js -e 'for (;;);'", &limits);
	show(box, "js -e 'let a = []; try { for (;;) a.push(new Uint8Array(1 << 20)); }\n"
		  "catch (e) { a = null; console.log(e.name, e.message); }'", &limits);
	show(box, "js -e 'const a = []; for (;;) a.push(`${a.length}`.repeat(1000))' 2>/dev/null", &limits);
	show(box, "js -e 'const f = () => 1 + f(); try { f(); } catch (e) { console.log(e.name, e.message); }'", &limits);
	show(box, "js -p '6 * 7'", &limits);
	tsb_sandbox_close(box);
	return 0;
}
