/*
 * free - how much memory there is, out of /proc/meminfo.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/num.h"
#include "cmd/procs.h"
#include "cmd/util.h"

struct free_opts {
	int power;		/* of the base; 0: bytes; 1 is the default */
	bool human, si, lohi, total, committed, wide, decimal;
	bool repeat, unit_given;
	double seconds;
	uint64_t count;
	struct tsb_proc *p;
};

PROCPS_HELP(free)

static int free_opt_unit(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct free_opts *o = opts;

	(void)arg;
	if (o->unit_given) {
		tsb_warn(p, "Multiple unit options don't make sense.");
		return 1;
	}
	o->unit_given = true;
	o->power = opt->value & 15;
	o->decimal = opt->value & 16;
	return 0;
}

static int free_opt_seconds(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct free_opts *o = opts;
	double v = 0, scale = 1;
	const char *at = arg;
	bool digits = false;

	(void)opt;
	for (; *at >= '0' && *at <= '9'; at++, digits = true)
		v = v * 10 + (*at - '0');
	if (*at == '.' || *at == ',')
		for (at++; *at >= '0' && *at <= '9'; at++, digits = true)
			v += (*at - '0') * (scale /= 10);
	if (*at || !digits) {
		tsb_warn_errno(p, 22, "seconds argument failed: '%s'", arg);
		return 1;
	}
	if (v <= 0 || v > 1e9) {
		tsb_warn(p, "seconds argument `%s' is not positive number", arg);
		return 1;
	}
	o->seconds = v;
	o->repeat = true;
	return 0;
}

static int free_opt_count(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct free_opts *o = opts;
	int64_t n;

	(void)opt;
	if (num_i64(arg, &n) != NUM_OK) {
		tsb_warn(p, "failed to parse count argument: '%s'", arg);
		return 1;
	}
	if (n < 1) {
		tsb_warn_errno(p, 34, "failed to parse count argument: '%s'", arg);
		return 1;
	}
	o->count = (uint64_t)n;
	return 0;
}

#define FREE_UNIT(value, s, l, h) TSB_OPT_CALL(free_opt_unit, value, s, l, NULL, h)
static const struct tsb_opt free_opts[] = {
	FREE_UNIT(0, 'b', "bytes", "show output in bytes"),
	FREE_UNIT(17, 0, "kilo", "show output in kilobytes"),
	FREE_UNIT(18, 0, "mega", "show output in megabytes"),
	FREE_UNIT(19, 0, "giga", "show output in gigabytes"),
	FREE_UNIT(20, 0, "tera", "show output in terabytes"),
	FREE_UNIT(21, 0, "peta", "show output in petabytes"),
	FREE_UNIT(1, 'k', "kibi", "show output in kibibytes"),
	FREE_UNIT(2, 'm', "mebi", "show output in mebibytes"),
	FREE_UNIT(3, 'g', "gibi", "show output in gibibytes"),
	FREE_UNIT(4, 0, "tebi", "show output in tebibytes"),
	FREE_UNIT(5, 0, "pebi", "show output in pebibytes"),
	TSB_OPT_FLAG(struct free_opts, human, 'h', "human", "show human-readable output"),
	TSB_OPT_FLAG(struct free_opts, si, 0, "si", "use powers of 1000 not 1024"),
	TSB_OPT_FLAG(struct free_opts, lohi, 'l', "lohi",
		     "show detailed low and high memory statistics"),
	TSB_OPT_FLAG(struct free_opts, total, 't', "total", "show total for RAM + swap"),
	TSB_OPT_FLAG(struct free_opts, committed, 'v', "committed",
		     "show committed memory and commit limit"),
	TSB_OPT_CALL(free_opt_seconds, 0, 's', "seconds", "N", "repeat printing every N seconds"),
	TSB_OPT_CALL(free_opt_count, 0, 'c', "count", "N", "repeat printing N times, then exit"),
	TSB_OPT_FLAG(struct free_opts, wide, 'w', "wide", "wide output"),
	TSB_OPT_CALL(free_help, 0, 0, "help", NULL, "display this help and exit"),
	TSB_OPT_CALL(procps_version, 0, 'V', "version", NULL, "output version information and exit"),
	TSB_OPT_END
};

/* The largest unit in which it has at most five characters. */
static const char *free_human(struct free_opts *o, uint64_t kb)
{
	static const char units[] = "BKMGTPEZ";
	double base = o->si ? 1000 : 1024, bytes = (double)kb * 1024;
	const char *text = tsb_format(o->p, "%lldB", (long long)kb * 1024);

	if (strlen(text) <= 4)
		return text;
	for (int i = 1; units[i]; i++) {
		double v = bytes;

		for (int k = 0; k < i; k++)
			v /= base;
		text = tsb_format(o->p, o->si ? "%.1f%c" : "%.1f%ci", v, units[i]);
		if (strlen(text) <= (o->si ? 4u : 5u))
			return text;
		text = tsb_format(o->p, o->si ? "%lld%c" : "%lld%ci", (long long)v, units[i]);
		if (strlen(text) <= (o->si ? 4u : 5u))
			return text;
	}
	return text;
}

static const char *free_scale(struct free_opts *o, uint64_t kb)
{
	double base = o->decimal || o->si ? 1000 : 1024, v = (double)kb * 1024;

	if (o->human)
		return free_human(o, kb);
	if (o->power == 1 && base == 1024)
		return tsb_format(o->p, "%llu", (unsigned long long)kb);
	for (int i = 0; i < o->power; i++)
		v /= base;
	return tsb_format(o->p, "%lld", (long long)v);
}

static void free_line(struct free_opts *o, const char *name, const uint64_t *kb, size_t n)
{
	tsb_printf(o->p, "%-8s", name);
	for (size_t i = 0; i < n; i++)
		tsb_printf(o->p, i ? " %11s" : " %11s", free_scale(o, kb[i]));
	tsb_putc(o->p, '\n');
}

static uint64_t free_minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void free_once(struct free_opts *o)
{
	struct tsb_proc *p = o->p;
	uint64_t total = procs_meminfo(p, "MemTotal"), left = procs_meminfo(p, "MemFree");
	uint64_t avail = procs_meminfo(p, "MemAvailable"), buffers = procs_meminfo(p, "Buffers");
	uint64_t cache = procs_meminfo(p, "Cached") + procs_meminfo(p, "SReclaimable");
	uint64_t shared = procs_meminfo(p, "Shmem"), swap = procs_meminfo(p, "SwapTotal");
	uint64_t swap_free = procs_meminfo(p, "SwapFree"), used = free_minus(total, avail);
	uint64_t wide[] = { total, used, left, shared, buffers, cache, avail };
	uint64_t usual[] = { total, used, left, shared, buffers + cache, avail };
	uint64_t low[] = { total, free_minus(total, left), left }, none[] = { 0, 0, 0 };
	uint64_t swaps[] = { swap, free_minus(swap, swap_free), swap_free };
	uint64_t sum[] = { total + swap, used + free_minus(swap, swap_free), left + swap_free };
	uint64_t limit = procs_meminfo(p, "CommitLimit"), committed = procs_meminfo(p, "Committed_AS");
	uint64_t comm[] = { limit, committed, free_minus(limit, committed) };

	if (o->wide) {
		tsb_puts(p, "               total        used        free      shared     buffers"
			    "       cache   available\n");
		free_line(o, "Mem:", wide, 7);
	} else {
		tsb_puts(p, "               total        used        free      shared  buff/cache"
			    "   available\n");
		free_line(o, "Mem:", usual, 6);
	}
	if (o->lohi) {
		free_line(o, "Low:", low, 3);
		free_line(o, "High:", none, 3);
	}
	free_line(o, "Swap:", swaps, 3);
	if (o->total)
		free_line(o, "Total:", sum, 3);
	if (o->committed)
		free_line(o, "Comm:", comm, 3);
}

static int free_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct free_opts *o = opts;

	(void)argv;
	o->p = p;
	if (argc)
		return tsb_usage(p, NULL);
	if (o->si && o->power <= 5)
		o->decimal = true;
	for (uint64_t turn = 1;; turn++) {
		free_once(o);
		if ((!o->repeat && !o->count) || (o->count && turn >= o->count))
			return 0;
		tsb_putc(p, '\n');
		tsb_flush(p);
		tsb_sleep(p, (int64_t)((o->repeat ? o->seconds : 1) * 1e9));
	}
}

static const struct free_opts free_defaults = { .power = 1 };

const struct tsb_command cmd_free = {
	CMD_PROCPS, .name = "free", .synopsis = "[options]",
	.summary = "Display amount of free and used memory in the system.", .opts = free_opts,
	.opts_size = sizeof(struct free_opts), .defaults = &free_defaults, .run = free_run,
};
