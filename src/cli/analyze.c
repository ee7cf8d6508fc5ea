/*
 * --analyze: what <tinysandbox/analyze.h> tells, as one JSON object.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "module/analysis.h"

int cli_analyze(const char *script, size_t n)
{
	struct tsb_analysis *a;
	json_t *all;
	int rc;

	if (tsb_analyze(script, n, &a))
		return cli_error("the script is too large to analyse, or there is no memory");
	all = analysis_json(a, json_value_of);
	rc = all ? json_dumpf(all, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12)) : -1;
	json_decref(all);
	putchar('\n');
	rc = rc || fflush(stdout) ? cli_error("cannot write the analysis") : tsb_analysis_error(a, NULL) ? 2 : 0;
	tsb_analysis_free(a);
	return rc;
}
