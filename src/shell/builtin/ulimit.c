/*
 * ulimit. What a sandbox bounds is bounded by limits of its own. The kernel keeps
 * those of open files and of file size for a process; another may be set to
 * anything that cannot be exceeded anyway: at or above the sandbox's own bound, or
 * lower down to nothing where nothing is ever used (core files). A bound that
 * would have to be enforced, and is not, is refused.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

#define UNLIMITED UINT64_MAX

struct resource {
	char letter;
	const char *text, *unit;
	uint64_t value;		/* as it is at the start */
	uint64_t unit_bytes;	/* what 1 means */
};

static const struct resource resources[] = {
	{ 'R', "real-time non-blocking time", "microseconds", UNLIMITED, 1 },
	{ 'c', "core file size", "blocks", 0, 512 },
	{ 'd', "data seg size", "kbytes", UNLIMITED, 1024 },
	{ 'e', "scheduling priority", NULL, 0, 1 },
	{ 'f', "file size", "blocks", UNLIMITED, 1024 },
	{ 'i', "pending signals", NULL, 64, 1 },
	{ 'l', "max locked memory", "kbytes", 8192, 1024 },
	{ 'm', "max memory size", "kbytes", UNLIMITED, 1024 },
	{ 'n', "open files", NULL, 1024, 1 },
	{ 'p', "pipe size", "512 bytes", 8, 512 },
	{ 'q', "POSIX message queues", "bytes", 819200, 1 },
	{ 'r', "real-time priority", NULL, 0, 1 },
	{ 's', "stack size", "kbytes", 8192, 1024 },
	{ 't', "cpu time", "seconds", UNLIMITED, 1 },
	{ 'u', "max user processes", NULL, 256, 1 },
	{ 'v', "virtual memory", "kbytes", UNLIMITED, 1024 },
	{ 'x', "file locks", NULL, UNLIMITED, 1 },
};
#define RESOURCES (sizeof(resources) / sizeof(resources[0]))
_Static_assert(2 * RESOURCES <= LIMIT_COUNT, "room for them in struct doing");

static uint64_t limit_kept(struct shell *sh, int i, bool hard)
{
	return doing(sh)->limits ? doing(sh)->limits[2 * i + hard] : 0;
}

static int resource_of(int letter)
{
	for (size_t i = 0; i < RESOURCES; i++)
		if (resources[i].letter == letter)
			return (int)i;
	return -1;
}

/* Values set are kept plus one, so that 0 means none. */
static uint64_t limit_get(struct shell *sh, int i, bool hard)
{
	uint64_t kept = limit_kept(sh, i, hard);
	const struct tsb_limits *l = kernel_limits(proc_kernel(sh->p));

	if (!hard && resources[i].letter == 'n' && proc_rlimit(sh->p, PROC_RLIMIT_FILES) != UNLIMITED)
		return proc_rlimit(sh->p, PROC_RLIMIT_FILES);
	if (!hard && resources[i].letter == 'f' &&
	    proc_rlimit(sh->p, PROC_RLIMIT_FILE_BYTES) != UNLIMITED)
		return proc_rlimit(sh->p, PROC_RLIMIT_FILE_BYTES) / 1024;
	if (kept)
		return kept - 1;
	switch (resources[i].letter) {
	case 'n':
		return l->descriptors;
	case 'u':
		return l->processes;
	case 'c':
		return hard ? UNLIMITED : 0;
	default:
		return resources[i].value;
	}
}

/* The least that may be set: what the sandbox allows at most anyway. */
static uint64_t limit_floor(struct shell *sh, int i)
{
	const struct tsb_limits *l = kernel_limits(proc_kernel(sh->p));

	switch (resources[i].letter) {
	case 'c': case 'l': case 'q': case 'R': case 'x': case 'i': case 'e': case 'r':
	case 'f': case 'n':	/* these the kernel keeps */
		return 0;
	case 't':
		return l->wall_ms / 1000;
	case 'u':
		return l->processes;
	default:
		return l->memory_bytes / 1024;
	}
}

static void put_limit(struct shell *sh, int i, bool hard, bool with_text)
{
	const struct resource *r = &resources[i];
	uint64_t v = limit_get(sh, i, hard);

	if (with_text) {
		char unit[40];

		if (r->unit)
			snprintf(unit, sizeof(unit), "(%s, -%c) ", r->unit, r->letter);
		else
			snprintf(unit, sizeof(unit), "(-%c) ", r->letter);
		putf(sh, "%-20s %20s", r->text, unit);
	}
	if (v == UNLIMITED)
		puts_(sh, "unlimited\n");
	else
		putf(sh, "%llu\n", (unsigned long long)v);
}

/* false after a message. */
static bool limit_text(struct shell *sh, int i, const char *text, uint64_t *want)
{
	uint64_t bytes;

	if (!*text) {
		*want = 0;	/* all of its characters are digits, says bash */
	} else if (!strcmp(text, "unlimited")) {
		*want = UNLIMITED;
	} else if (!strcmp(text, "hard") || !strcmp(text, "soft")) {
		*want = limit_get(sh, i, *text == 'h');
	} else if (num_u64(text, want) == NUM_RANGE && resources[i].unit_bytes <= 1) {
		*want = UNLIMITED - 1;	/* which is more than any */
	} else if (num_u64(text, want) == NUM_RANGE) {
		builtin_error(sh, "%s: limit out of range", text);
		return false;
	} else if (num_u64(text, want) != NUM_OK) {
		builtin_error(sh, "%s: invalid number", text);
		return false;
	} else if (__builtin_mul_overflow(*want, resources[i].unit_bytes, &bytes)) {
		builtin_error(sh, "%s: limit out of range", text);
		return false;
	}
	return true;
}

/* The soft limit, told to the kernel where it keeps it. */
static void limit_apply(struct shell *sh, int i)
{
	uint64_t kept = limit_kept(sh, i, false), value = kept ? kept - 1 : UNLIMITED;

	if (resources[i].letter == 'n')
		proc_set_rlimit(sh->p, PROC_RLIMIT_FILES, value);
	else if (resources[i].letter == 'f')
		proc_set_rlimit(sh->p, PROC_RLIMIT_FILE_BYTES,
				kept ? value * resources[i].unit_bytes : UNLIMITED);
}

static int set_limit(struct shell *sh, int i, const char *text, bool soft, bool hard)
{
	uint64_t want;

	if (!limit_text(sh, i, text, &want))
		return 1;
	if (!soft && !hard)
		soft = hard = true;
	if (want > limit_get(sh, i, true) || want < limit_floor(sh, i)) {
		builtin_error(sh, "%s: cannot modify limit: %s", resources[i].text,
			      tsb_strerror(EPERM));
		return 1;
	}
	if (!doing(sh)->limits)
		doing(sh)->limits = heap_zalloc(sh->heap, LIMIT_COUNT * sizeof(uint64_t));
	for (int k = 0; k < 2; k++)
		if (k ? hard : soft)
			doing(sh)->limits[2 * i + k] = want == UNLIMITED ? 0 : want + 1;
	if (soft)
		limit_apply(sh, i);
	return 0;
}

void ulimit_attach(struct shell *sh)
{
	for (int i = 0; i < (int)RESOURCES; i++)
		limit_apply(sh, i);
}

struct chosen {
	int resource;
	const char *text;	/* NULL: show it */
};

/* Shows or sets what was chosen, in order, until one fails. */
static int limits_do(struct shell *sh, const struct chosen *chosen, int n, bool soft, bool hard)
{
	for (int i = 0; i < n; i++) {
		if (!chosen[i].text)
			put_limit(sh, chosen[i].resource, hard && !soft, n > 1);
		else if (set_limit(sh, chosen[i].resource, chosen[i].text, soft, hard))
			return 1;
	}
	return 0;
}

int builtin_ulimit(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool all = false, soft = false, hard = false;
	struct chosen chosen[32];
	struct bopt o;
	int n = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "SHab;c;d;e;f;i;k;l;m;n;p;q;r;s;t;u;v;x;P;R;T;"));) {
		if (c < 0)
			return STATUS_USAGE;
		all |= c == 'a';
		soft |= c == 'S';
		hard |= c == 'H';
		if (c == 'S' || c == 'H' || c == 'a' || n == 32)
			continue;
		if (resource_of(c) < 0) {
			builtin_error(sh, "-%c: invalid option", c);
			return builtin_usage(sh);
		}
		chosen[n++] = (struct chosen){ resource_of(c), o.arg };
	}
	for (int i = 0; all && i < (int)RESOURCES; i++)
		put_limit(sh, i, hard && !soft, true);
	if (all)
		return 0;
	if (!n)
		chosen[n++] = (struct chosen){ resource_of('f'), NULL };
	if (o.at < argc && !chosen[n - 1].text)
		chosen[n - 1].text = argv[o.at];
	return limits_do(sh, chosen, n, soft, hard);
}
