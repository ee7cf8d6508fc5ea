/*
 * printf. The engine is text/format.h; here are -v, %(fmt)T and %n, which need
 * the shell.
 */
#include "shell/builtin/builtin.h"

#include <stdio.h>
#include <string.h>

#include "text/civil.h"
#include "text/datefmt.h"
#include "text/format.h"

static void complain(void *ctx, const char *text)
{
	builtin_error(ctx, "%s", text);
}

static void tick(void *ctx, size_t steps)
{
	struct shell *sh = ctx;

	tsb_tick(sh->p, steps);
}

static bool assign_count(void *ctx, const char *name, size_t count)
{
	struct shell *sh = ctx;
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%zu", count);

	return var_set_reference(sh, name, strlen(name), digits, (size_t)n, false) == 0;
}

static void put_date(void *ctx, struct str *out, const char *fmt, size_t n, int64_t secs)
{
	struct shell *sh = ctx;
	struct slice tz;
	struct zone zone;
	struct date_moment m;

	if (secs == -1)
		secs = tsb_clock(sh->p, TSB_CLOCK_REAL).sec;
	else if (secs == -2)
		secs = (shell_clock_ns(sh, TSB_CLOCK_REAL) + doing(sh)->started_ns -
			shell_clock_ns(sh, TSB_CLOCK_MONOTONIC)) / NSEC;
	zone_init(&zone, var_get_text(sh, "TZ", &tz) ? tz.p : NULL);
	if (!date_moment(&m, secs, 0, &zone))
		return;
	if (n)
		date_format(out, fmt, n, &m);
	else
		date_format(out, "%H:%M:%S", 8, &m);
}

static int printf_run(struct shell *sh, int argc, char **argv, int at, struct str *out)
{
	struct format_job job = {
		.dialect = FORMAT_BASH, .args = (const char *const *)argv + at + 1,
		.n_args = (size_t)(argc - at - 1), .out = out, .ctx = sh,
		.complain = complain, .time = put_date, .assign = assign_count, .tick = tick,
		.doubles = sh->opts[OPT_POSIX], .bytes = sh->bytes,
	};

	return format_run(&job, argv[at], strlen(argv[at]));
}

int builtin_printf(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const char *variable = NULL;
	struct str text;
	struct bopt o;
	int status;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "v:"));) {
		if (c < 0)
			return STATUS_USAGE;
		variable = o.arg;
		if (!reference_usable(sh, variable, strlen(variable))) {
			builtin_error(sh, "`%s': not a valid identifier", variable);
			return STATUS_USAGE;
		}
	}
	if (o.at >= argc)
		return builtin_usage(sh);
	if (!variable)
		return printf_run(sh, argc, argv, o.at, &doing(sh)->out);
	str_init(&text, sh->heap, kernel_limits(proc_kernel(sh->p))->word_bytes);
	status = printf_run(sh, argc, argv, o.at, &text);
	if (var_set_reference(sh, variable, strlen(variable), text.p, strnlen(text.p, text.n), false))
		status = 1;
	str_end(&text);
	return status;
}
