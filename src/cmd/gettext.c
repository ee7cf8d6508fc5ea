/*
 * gettext, ngettext - messages in the language of the user. The only languages here
 * are C and C.UTF-8, in which every message stands for itself (gettext 0.21).
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"

struct gettext {
	const char *domain, *context;
	bool escapes, no_newline, ignored, echo;
};

#define GETTEXT_ROWS \
	TSB_OPT_STR(struct gettext, domain, 'd', "domain", "TEXTDOMAIN", \
		    "retrieve translated messages from TEXTDOMAIN"), \
	TSB_OPT_STR(struct gettext, context, 'c', "context", "CONTEXT", "specify context for MSGID"), \
	TSB_OPT_FLAG(struct gettext, escapes, 'e', NULL, "enable expansion of some escape sequences"), \
	TSB_OPT_FLAG(struct gettext, ignored, 'E', NULL, "(ignored for compatibility)"), \
	TSB_OPT_HELP('h', NULL), \
	TSB_OPT_VERSION('V', NULL)

static const struct tsb_opt gettext_opts[] = {
	GETTEXT_ROWS,
	TSB_OPT_FLAG(struct gettext, no_newline, 'n', NULL, "suppress trailing newline"),
	TSB_OPT_FLAG(struct gettext, echo, 's', NULL, "behave like the 'echo' command"),
	TSB_OPT_END
};

static const struct tsb_opt ngettext_opts[] = {
	GETTEXT_ROWS,
	TSB_OPT_END
};

/* Up to three octal digits at *s. */
static int gettext_octal(const char **s)
{
	int v = 0;

	for (int i = 0; i < 3 && **s >= '0' && **s <= '7'; i++)
		v = v * 8 + *(*s)++ - '0';
	return v & 0xff;
}

/* With -e: what backslashes mean. "\c" at a place ends the newline behind all. */
static char *gettext_expand(struct tsb_proc *p, const struct gettext *g, const char *s, bool *no_newline)
{
	static const char names[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
	struct str out;

	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	while (*s) {
		const char *at = *s == '\\' && g->escapes && s[1] ? strchr(names, s[1]) : NULL;

		tsb_tick(p, 1);
		if (at) {
			str_addc(&out, values[at - names]);
			s += 2;
		} else if (*s == '\\' && g->escapes && s[1] == 'c') {
			*no_newline = true;
			s += 2;
		} else if (*s == '\\' && g->escapes && s[1] >= '0' && s[1] <= '7') {
			s++;
			str_addc(&out, gettext_octal(&s));
		} else {
			str_addc(&out, *s++);
		}
	}
	return str_take(&out, NULL);
}

static int gettext_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct gettext *g = opts;
	bool no_newline = g->no_newline;

	if (!g->echo && (argc < 1 || argc > 2)) {
		tsb_warn(p, argc ? "too many arguments" : "missing arguments");
		return 1;
	}
	if (!g->echo) {
		tsb_puts(p, gettext_expand(p, g, argv[argc - 1], &no_newline));
		return 0;
	}
	for (int i = 0; i < argc; i++) {
		if (i)
			tsb_putc(p, ' ');
		tsb_puts(p, gettext_expand(p, g, argv[i], &no_newline));
	}
	if (!no_newline)
		tsb_putc(p, '\n');
	return 0;
}

static int ngettext_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct gettext *g = opts;
	bool no_newline = false;
	const char *count;
	char *end;

	if (argc < 3 || argc > 4) {
		tsb_warn(p, argc < 3 ? "missing arguments" : "too many arguments");
		return 1;
	}
	argv += argc - 3;
	count = argv[2];
	/* What is no number counts as many. */
	argv += !(*count && strtoul(count, &end, 10) == 1 && !*end);
	tsb_puts(p, gettext_expand(p, g, argv[0], &no_newline));
	return 0;
}

#define GETTEXT_KIND .version = TSB_COMMAND_VERSION, CMD_GNU("gettext-runtime", "0.21"), \
		     .opts_size = sizeof(struct gettext), .flags = TSB_OPERAND_ENDS

const struct tsb_command cmd_gettext = {
	GETTEXT_KIND, .name = "gettext", .synopsis = "[OPTION] [[TEXTDOMAIN] MSGID]\n[OPTION] -s [MSGID]...",
	.summary = "Display native language translation of a textual message.", .opts = gettext_opts,
	.run = gettext_run,
};

const struct tsb_command cmd_ngettext = {
	GETTEXT_KIND, .name = "ngettext", .synopsis = "[OPTION] [TEXTDOMAIN] MSGID MSGID-PLURAL COUNT",
	.summary = "Display native language translation of a message whose form depends on a number.",
	.opts = ngettext_opts, .run = ngettext_run,
};
