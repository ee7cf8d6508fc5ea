/*
 * Option structs that begin with their size and grow at the end: a caller built with an older
 * header has fewer fields, one built with a newer header has more.
 */
#ifndef BASE_GROWN_H
#define BASE_GROWN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * *whole (size bytes, holding what counts where the caller says nothing, its size first) gets the
 * fields that the caller's *given has. False: no such struct, or one with a field that is not known
 * here and is not zero, so that something was asked for which would not be done. *whole is then
 * as it was.
 */
bool grown_take(void *whole, size_t size, const void *given);
/* For an answer: what fits of *whole into *given, whose size stays; what is more there is zero. */
bool grown_give(const void *whole, size_t size, void *given);

#endif
