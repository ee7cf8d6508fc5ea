/*
 * See locale.h.
 */
#include "cmd/locale.h"

#include <string.h>
#include <strings.h>

#include <tinysandbox/command.h>

bool locale_utf8(struct tsb_proc *p)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *v = NULL;

	for (size_t i = 0; i < 3 && (!v || !*v); i++)
		v = tsb_getenv(p, names[i]);
	if (!v || v[0] != 'C' || v[1] != '.')
		return false;
	return !strcasecmp(v + 2, "UTF-8") || !strcasecmp(v + 2, "UTF8");
}
