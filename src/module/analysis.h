/*
 * The facts of <tinysandbox/analyze.h> as JSON: of `tinysandbox --analyze` and of the module's AnalyzeShell.
 */
#ifndef MODULE_ANALYSIS_H
#define MODULE_ANALYSIS_H

#include <jansson.h>

#include <tinysandbox/analyze.h>

/* How a text that may be no UTF-8 is written. */
typedef json_t *analysis_text(const void *text, size_t n);

/* A new object, the caller's; NULL: no memory. */
json_t *analysis_json(const struct tsb_analysis *a, analysis_text *text_of);

#endif
