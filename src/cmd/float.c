/*
 * See float.h. The C library's reader is exact; it is told to use the "C"
 * locale, because the program around us may have chosen another one.
 */
#include "cmd/float.h"

#include <locale.h>
#include <stdlib.h>

bool float_parse(const char *s, long double *v)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char *end;

	*v = strtold_l(s, &end, c);
	freelocale(c);
	return end != s && !*end;
}
