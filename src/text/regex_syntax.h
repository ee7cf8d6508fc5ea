/*
 * Dialects: what the parser does where they differ. Facts of glibc's syntax bits.
 */
#ifndef TEXT_REGEX_SYNTAX_H
#define TEXT_REGEX_SYNTAX_H

#include "text/regex_impl.h"

enum {
	RE_SYN_ERE = 1,
	RE_SYN_SKIP_OPS = 2,		/* an operator with nothing before it: skipped (grep -E) */
	RE_SYN_BAD_OPS = 4,		/* ... an error (ERE of sed and regcomp) */
	RE_SYN_BAD_DUP = 8,		/* BRE: \{ at the start, and ** are errors */
	RE_SYN_PAREN_ORD = 16,		/* a lonely ) is literal */
	RE_SYN_INTERVAL_ORD = 32,	/* a bad {...} is literal */
	RE_SYN_GNU = 64,		/* \w \b \< ... */
	RE_SYN_AWK = 128,		/* escapes of awk, in brackets too; no back-references */
	RE_SYN_REGCOMP = 256,		/* no check for [:space:] */
	RE_SYN_WARN = 512		/* collect grep's warnings */
};

/* at is behind the backslash, something follows. */
void re_parse_awk_escape(struct re_parser *ps, int32_t *c);

#endif
