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

static uint32_t right_bits(const char **p)
{
	uint32_t bits = 0;

	for (; **p && strchr("rwx", **p); ++*p)
		bits |= **p == 'r' ? 0444 : **p == 'w' ? 0222 : 0111;
	return bits;
}

/* false after a message. allowed is changed as the text says. */
static bool symbolic_mask(struct shell *sh, const char *text, uint32_t *allowed)
{
	const char *p = text;

	for (;;) {
		uint32_t who = who_bits(&p);

		char op = *p;
		uint32_t bits;

		if (op != '+' && op != '-' && op != '=') {
			builtin_error(sh, "`%c': invalid symbolic mode operator", op);
			return false;
		}
		p++;
		bits = right_bits(&p) & who;
		if (op == '+')
			*allowed |= bits;
		else if (op == '-')
			*allowed &= ~bits;
		else
			*allowed = (*allowed & ~who) | bits;
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

