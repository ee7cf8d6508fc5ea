/*
 * echo - the program /bin/echo, not the shell's builtin: --help and --version
 * count as its only argument.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/opt.h"
#include "text/escape.h"

/* -n, -e, -E and clusters of them; anything else is text. */
static bool echo_option(const char *s, bool *newline, bool *escapes)
{
	if (*s != '-' || !s[1] || s[1 + strspn(s + 1, "neE")])
		return false;
	for (s++; *s; s++) {
		if (*s == 'n')
			*newline = false;
		else
			*escapes = *s == 'e';
	}
	return true;
}

static bool echo_asked(struct tsb_proc *p, const char *arg)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!strcmp(arg, "--help"))
		opt_help(&text, &cmd_echo, tsb_name(p));
	else if (!strcmp(arg, "--version"))
		opt_version(&text, &cmd_echo, tsb_name(p));
	else
		return false;
	tsb_put(p, text.p, text.n);
	return true;
}

static int echo_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	bool newline = true, escapes = false, posix = tsb_getenv(p, "POSIXLY_CORRECT") != NULL;
	struct str text;
	char message[80];
	int i = 0;

	(void)opts;
	if (argc == 1 && !posix && echo_asked(p, argv[0]))
		return 0;
	/* POSIX mode reads no options, but for a leading -n, and knows escapes. */
	while (i < argc && (!posix || !strcmp(argv[0], "-n")) &&
	       echo_option(argv[i], &newline, &escapes))
		i++;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (int first = i; i < argc; i++) {
		str_reset(&text);
		if (i > first)
			tsb_putc(p, ' ');
		if (!escapes && !posix) {
			tsb_puts(p, argv[i]);
			continue;
		}
		if (escape_decode(ESCAPE_ECHO_GNU, argv[i], strlen(argv[i]), &text, message, NULL,
				  NULL) == ESCAPE_STOP) {
			tsb_put(p, text.p, text.n);
			return 0;
		}
		tsb_put(p, text.p, text.n);
	}
	if (newline)
		tsb_putc(p, '\n');
	return 0;
}

/* Read by echo_option(). */
static const struct tsb_opt echo_opts[] = {
	TSB_OPT_WORD("-n", NULL, "do not output the trailing newline"),
	TSB_OPT_WORD("-e", NULL, "enable interpretation of backslash escapes"),
	TSB_OPT_WORD("-E", NULL, "disable interpretation of backslash escapes (default)"),
	TSB_OPT_END
};

const struct tsb_command cmd_echo = {
	CMD_COREUTILS, .name = "echo", .synopsis = "[SHORT-OPTION]... [STRING]...\nLONG-OPTION",
	.summary = "Echo the STRING(s) to standard output.", .opts = echo_opts,
	.run = echo_run, .flags = TSB_RAW,
};
