/*
 * One conversion of a printf-like format that is given at run time ("%-8s" of
 * stat, du, find): reading flags, width and precision, and putting values out
 * by them with the printf engine.
 */
#ifndef CMD_SPEC_H
#define CMD_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "text/format.h"

struct spec {
	struct format_spec how;
	bool bare_dot;		/* a dot without digits: precision 0 in C */
};

/* Flags (of "'-+ #0I"), width and precision at s: the length. */
size_t spec_parse(struct spec *spec, const char *s);
/* Only the flags that C defines for a conversion count; the rest is dropped. */
void spec_text(struct str *out, const struct spec *spec, const char *s);
void spec_unsigned(struct str *out, const struct spec *spec, uint64_t v);
void spec_signed(struct str *out, const struct spec *spec, int64_t v);
void spec_octal(struct str *out, const struct spec *spec, uint64_t v);
void spec_hex(struct str *out, const struct spec *spec, uint64_t v);
/* A minus sign and digits that may be 0: "-0". */
void spec_minus(struct str *out, const struct spec *spec, uint64_t v);

#endif
