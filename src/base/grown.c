/*
 * Option structs of other versions: see grown.h. The size is the caller's word, so it is
 * believed only as far as a struct could ever have grown.
 */
#include "base/grown.h"

#include <string.h>

#define GROWN_MAX 4096	/* bytes beyond what is known: more is no size but rubbish */

static bool size_of(const void *given, size_t size, size_t *theirs)
{
	memcpy(theirs, given, sizeof(*theirs));
	return *theirs >= sizeof(*theirs) && *theirs % sizeof(*theirs) == 0 &&
	       *theirs <= size + GROWN_MAX;
}

bool grown_take(void *whole, size_t size, const void *given)
{
	const unsigned char *from = given;
	size_t theirs;

	if (!size_of(given, size, &theirs))
		return false;
	for (size_t i = size; i < theirs; i++) {
		if (from[i])
			return false;
	}
	if (theirs > size)
		theirs = size;
	memcpy((char *)whole + sizeof(theirs), from + sizeof(theirs), theirs - sizeof(theirs));
	return true;
}

bool grown_give(const void *whole, size_t size, void *given)
{
	size_t theirs, n;

	if (!size_of(given, size, &theirs))
		return false;
	n = theirs < size ? theirs : size;
	memcpy((char *)given + sizeof(n), (const char *)whole + sizeof(n), n - sizeof(n));
	if (theirs > n)
		memset((char *)given + n, 0, theirs - n);
	return true;
}
