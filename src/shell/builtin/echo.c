/*
 * echo. Its escapes are bash's (text/escape.h).
 */
#include "shell/builtin/builtin.h"

#include <string.h>

#include "text/escape.h"

/* A cluster of n, e, E; anything else is an operand. */
static bool is_option(const char *a, bool *newline, bool *escapes)
{
	if (a[0] != '-' || !a[1] || a[1 + strspn(a + 1, "neE")])
		return false;
	for (a++; *a; a++) {
		if (*a == 'n')
			*newline = false;
		else
			*escapes = *a == 'e';
	}
	return true;
}

int builtin_echo(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct str *out = &doing(sh)->out;
	bool newline = true, escapes = sh->opts[SHOPT_XPG_ECHO];
	enum escape_mode mode = sh->bytes ? ESCAPE_ECHO_BASH | ESCAPE_BYTES : ESCAPE_ECHO_BASH;
	char message[64];
	int i = 1;

	(void)flow;
	if (!(sh->opts[OPT_POSIX] && sh->opts[SHOPT_XPG_ECHO]))
		while (i < argc && is_option(argv[i], &newline, &escapes))
			i++;
	for (; i < argc; i++) {
		if (!escapes)
			str_adds(out, argv[i]);
		else if (escape_decode(mode, argv[i], strlen(argv[i]), out, message, NULL,
				       NULL) == ESCAPE_STOP)
			return 0;
		if (i + 1 < argc)
			str_addc(out, ' ');
	}
	if (newline)
		str_addc(out, '\n');
	return 0;
}
