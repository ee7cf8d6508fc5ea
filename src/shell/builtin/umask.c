/*
 * umask and ulimit.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* ---- umask ---- */

static void put_symbolic(struct shell *sh, uint32_t allowed)
{
	static const char who[] = "ugo";

	for (int i = 0; i < 3; i++) {
		uint32_t bits = allowed >> (6 - 3 * i) & 7;

		putf(sh, "%s%c=%s%s%s", i ? "," : "", who[i], bits & 4 ? "r" : "",
		     bits & 2 ? "w" : "", bits & 1 ? "x" : "");
	}
	puts_(sh, "\n");
}

/* Letters of who and of the rights as bits, whole triples set for who. */
static uint32_t who_bits(const char **p)
{
	uint32_t who = 0;

	for (; **p && strchr("ugoa", **p); ++*p)
		who |= **p == 'u' ? 0700 : **p == 'g' ? 0070 : **p == 'o' ? 0007 : 0777;
	return who ? who : 0777;
}

static uint32_t right_bits(const char **p, uint32_t allowed)
{
	uint32_t bits = 0;

	for (; **p && strchr("rwxXstugo", **p); ++*p) {
		switch (**p) {
		case 'r':
			bits |= 0444;
			break;
		case 'w':
			bits |= 0222;
			break;
		case 'x':
			bits |= 0111;
			break;
		case 'X':
			bits |= allowed & 0111 ? 0111 : 0;
			break;
		case 'u':
			bits |= (allowed >> 6 & 7) * 0111;
			break;
		case 'g':
			bits |= (allowed >> 3 & 7) * 0111;
			break;
		case 'o':
			bits |= (allowed & 7) * 0111;
			break;
		default:
			break;
		}
	}
	return bits;
}

/* false after a message. allowed is changed as the text says. */
static bool symbolic_mask(struct shell *sh, const char *text, uint32_t *allowed)
{
	const char *p = text;

	for (;;) {
		uint32_t who = who_bits(&p);

		do {
			char op = *p;
			uint32_t bits;

			if (op != '+' && op != '-' && op != '=') {
				builtin_error(sh, "`%c': invalid symbolic mode operator", op);
				return false;
			}
			p++;
			bits = right_bits(&p, *allowed) & who;
			if (op == '+')
				*allowed |= bits;
			else if (op == '-')
				*allowed &= ~bits;
			else
				*allowed = (*allowed & ~who) | bits;
		} while (*p == '+' || *p == '-' || *p == '=');
		if (!*p)
			return true;
		if (*p != ',') {
			builtin_error(sh, "`%c': invalid symbolic mode character", *p);
			return false;
		}
		p++;
	}
}

static int set_mask(struct shell *sh, const char *text, uint32_t old)
{
	uint32_t mask = 0, allowed = ~old & 0777;

	if (*text >= '0' && *text <= '9') {
		for (const char *p = text; *p; p++) {
			if (*p < '0' || *p > '7' || mask > 0777) {
				builtin_error(sh, "%s: octal number out of range", text);
				return 1;
			}
			mask = mask * 8 + (uint32_t)(*p - '0');
		}
		if (mask > 0777) {
			builtin_error(sh, "%s: octal number out of range", text);
			return 1;
		}
	} else {
		if (!symbolic_mask(sh, text, &allowed))
			return 1;
		mask = ~allowed & 0777;
	}
	tsb_umask(sh->p, mask);
	return 0;
}

int builtin_umask(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool symbolic = false, reusable = false;
	uint32_t old = tsb_umask(sh->p, 0);
	struct bopt o;

	(void)flow;
	tsb_umask(sh->p, old);
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "Sp"));) {
		if (c < 0)
			return STATUS_USAGE;
		symbolic |= c == 'S';
		reusable |= c == 'p';
	}
	if (o.at < argc) {
		int status = set_mask(sh, argv[o.at], old);

		if (!status && symbolic) {
			old = tsb_umask(sh->p, 0);
			tsb_umask(sh->p, old);
			put_symbolic(sh, ~old & 0777);
		}
		return status;
	}
	if (reusable)
		puts_(sh, symbolic ? "umask -S " : "umask ");
	if (symbolic)
		put_symbolic(sh, ~old & 0777);
	else
		putf(sh, "%04o\n", old);
	return 0;
}

/* ---- ulimit ----
 * What a sandbox bounds is bounded by its own limits; the numbers here are those,
 * where there is one, else "unlimited". A limit can be set to what it is; to be
 * lowered it would have to be enforced, so that is refused. Core files (-c) are
 * never written: any value is true.
 */

struct resource {
	char letter;
	const char *text, *unit;
	uint64_t value;		/* UINT64_MAX: unlimited */
};

static uint64_t limit_value(struct shell *sh, char letter, uint64_t value)
{
	const struct tsb_limits *l = kernel_limits(proc_kernel(sh->p));

	switch (letter) {
	case 'n':
		return l->descriptors;
	case 'u':
		return l->processes;
	case 'v':
		return l->memory_bytes / 1024;
	case 'f':
		return l->file_bytes / 1024;
	case 'c':
		return doing(sh)->core_limit;
	default:
		return value;
	}
}

static const struct resource resources[] = {
	{ 'R', "real-time non-blocking time", "microseconds", UINT64_MAX },
	{ 'c', "core file size", "blocks", 0 },
	{ 'd', "data seg size", "kbytes", UINT64_MAX },
	{ 'e', "scheduling priority", NULL, 0 },
	{ 'f', "file size", "blocks", UINT64_MAX },
	{ 'i', "pending signals", NULL, 64 },
	{ 'l', "max locked memory", "kbytes", 8192 },
	{ 'm', "max memory size", "kbytes", UINT64_MAX },
	{ 'n', "open files", NULL, 256 },
	{ 'p', "pipe size", "512 bytes", 8 },
	{ 'q', "POSIX message queues", "bytes", 819200 },
	{ 'r', "real-time priority", NULL, 0 },
	{ 's', "stack size", "kbytes", 8192 },
	{ 't', "cpu time", "seconds", UINT64_MAX },
	{ 'u', "max user processes", NULL, 256 },
	{ 'v', "virtual memory", "kbytes", UINT64_MAX },
	{ 'x', "file locks", NULL, UINT64_MAX },
};
#define RESOURCES (sizeof(resources) / sizeof(resources[0]))

static const struct resource *resource_of(char letter)
{
	for (size_t i = 0; i < RESOURCES; i++)
		if (resources[i].letter == letter)
			return &resources[i];
	return NULL;
}

static void put_limit(struct shell *sh, const struct resource *r, bool with_text)
{
	uint64_t v = limit_value(sh, r->letter, r->value);

	if (with_text) {
		char unit[40];
		int n = r->unit ? snprintf(unit, sizeof(unit), "(%s, -%c)", r->unit, r->letter) :
			snprintf(unit, sizeof(unit), "(-%c)", r->letter);
		size_t gap = strlen(r->text) + (size_t)n < 43 ? 43 - strlen(r->text) - (size_t)n : 2;

		putf(sh, "%s%*s%s ", r->text, (int)gap, "", unit);
	}
	if (v == UINT64_MAX)
		puts_(sh, "unlimited\n");
	else
		putf(sh, "%llu\n", (unsigned long long)v);
}

static int set_limit(struct shell *sh, const struct resource *r, const char *text)
{
	uint64_t now = limit_value(sh, r->letter, r->value), want = UINT64_MAX;

	if (strcmp(text, "unlimited") && strcmp(text, "hard") && strcmp(text, "soft") &&
	    num_u64(text, &want) != NUM_OK) {
		builtin_error(sh, "%s: invalid number", text);
		return 1;
	}
	if (!strcmp(text, "hard") || !strcmp(text, "soft") || want == now)
		return 0;
	if (r->letter == 'c') {
		doing(sh)->core_limit = want;
		return 0;
	}
	builtin_error(sh, "%s: cannot modify limit: %s", r->text, tsb_strerror(EPERM));
	return 1;
}

int builtin_ulimit(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	char chosen[64];
	size_t n = 0;
	bool all = false;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "SHabcdefiklmnpqrstuvxPRT"));) {
		if (c < 0)
			return STATUS_USAGE;
		all |= c == 'a';
		if (c != 'S' && c != 'H' && c != 'a' && n < sizeof(chosen) && resource_of((char)c))
			chosen[n++] = (char)c;
		else if (c != 'S' && c != 'H' && c != 'a' && !resource_of((char)c)) {
			builtin_error(sh, "-%c: %s", c, "cannot get limit: Invalid argument");
			return 1;
		}
	}
	for (size_t i = 0; all && i < RESOURCES; i++)
		put_limit(sh, &resources[i], true);
	if (all)
		return 0;
	if (!n)
		chosen[n++] = 'f';
	for (size_t i = 0; i < n; i++) {
		const struct resource *r = resource_of(chosen[i]);

		if (o.at < argc)
			status |= set_limit(sh, r, argv[o.at]);
		else
			put_limit(sh, r, n > 1);
	}
	return status;
}
