/*
 * See locale.h.
 */
#include "cmd/locale.h"

#include <string.h>
#include <strings.h>

#include <tinysandbox/command.h>

bool locale_is_c(struct tsb_proc *p, const char *category)
{
	const char *names[] = { "LC_ALL", category, "LANG" };
	const char *v = NULL;

	for (size_t i = 0; i < 3 && (!v || !*v); i++)
		v = tsb_getenv(p, names[i]);
	return !v || v[0] != 'C' || v[1] != '.' ||
	       (strcasecmp(v + 2, "UTF-8") != 0 && strcasecmp(v + 2, "UTF8") != 0);
}

bool locale_utf8(struct tsb_proc *p)
{
	return !locale_is_c(p, "LC_CTYPE");
}
