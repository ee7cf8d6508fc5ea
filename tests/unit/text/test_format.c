/* The printf engine against bash's builtin and /usr/bin/printf: output, messages
 * and status. */
#include "text/format.h"

#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;
static struct str messages;

static void complain(void *ctx, const char *text)
{
	(void)ctx;
	str_adds(&messages, text);
	str_addc(&messages, '\n');
}

static void put_time(void *ctx, struct str *out, const char *fmt, size_t n, int64_t secs)
{
	(void)ctx;
	str_addf(out, "<%.*s %lld>", (int)n, fmt, (long long)secs);
}

static size_t counted;

static bool assign(void *ctx, const char *name, size_t count)
{
	(void)ctx;
	counted = count;
	return !strcmp(name, "v");
}

struct answer {
	const char *out, *messages;
	int status;
};

struct row {
	const char *format;
	const char *args[8];
	size_t n;
	struct answer want[2];
};

static void run(const struct row *row, enum format_dialect dialect)
{
	const struct answer *want = &row->want[dialect];
	struct str out;
	struct format_job job = { .dialect = dialect, .args = row->args, .n_args = row->n,
				  .out = &out, .complain = complain };
	int status;

	str_init(&out, h, 100000);
	str_reset(&messages);
	status = format_run(&job, row->format, strlen(row->format));
	is_str(out.p, want->out, row->format);
	is_str(messages.p, want->messages, "its messages");
	is_int(status, want->status, "its status");
	str_end(&out);
}

static void test_commands(void)
{
	static const struct row rows[] = {
#include "cases_format.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		run(&rows[i], FORMAT_BASH);
		run(&rows[i], FORMAT_GNU);
	}
}

static void test_hooks(void)
{
	const char *args[] = { "7", "v", "1x" };
	struct str out;
	struct format_job job = { .dialect = FORMAT_BASH, .args = args, .n_args = 2, .out = &out,
				  .complain = complain, .time = put_time, .assign = assign };

	str_init(&out, h, 1000);
	is_int(format_run(&job, "%(%Y)T|%n", 9), 0, "bash's own");
	is_str(out.p, "<%Y 7>|", "a time");
	is_int(counted, 7, "a count");
	str_reset(&out);
	job.n_args = 0;
	format_run(&job, "%12()T|%(x(y)z)T", 16);
	is_str(out.p, "     <%X -1>|<x(y)z -1>", "now, and the default format");
	str_reset(&out);
	str_reset(&messages);
	format_run(&job, "%(x", 3);
	is_str(messages.p, "warning: `': invalid time format specification\n", "no T");
	is_str(out.p, "%(x", "copied");
	str_reset(&out);
	job.args = args + 2;
	job.n_args = 1;
	is_int(format_run(&job, "%n", 2), 1, "a name that is none");
	str_end(&out);
}

static void test_limits(void)
{
	struct format_spec spec = { .precision = -1, .width = 2000000000, .conv = 'd' };
	struct str out;

	str_init(&out, h, 1 << 20);
	format_int(&out, &spec, 5, false);
	ok(out.bad, "a huge width fails the string, and nothing else");
	str_reset(&out);
	spec = (struct format_spec){ .precision = 17000, .conv = 'f' };
	format_float(&out, &spec, 0.5L);
	ok(out.n == 17002 && !strncmp(out.p, "0.5000", 6) && out.p[17001] == '0', "%.17000f");
	str_reset(&out);
	spec.conv = 'e';
	format_float(&out, &spec, 1.0L);
	ok(out.n == 17006 && !strcmp(out.p + 17000, "00e+00"), "%.17000e");
	str_reset(&out);
	spec = (struct format_spec){ .precision = -1, .width = 8, .zero = true, .conv = 'f' };
	format_float(&out, &spec, -__builtin_inf());
	is_str(out.p, "    -inf", "infinity is not padded with zeros");
	str_reset(&out);
	spec.conv = 'a';
	spec.width = 12;
	format_float(&out, &spec, 1.0L);
	is_str(out.p, "0x0000008p-3", "zeros behind 0x");
	str_end(&out);
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	str_init(&messages, h, 1 << 16);
	test_commands();
	test_hooks();
	test_limits();
	heap_end(h);
	return done();
}
