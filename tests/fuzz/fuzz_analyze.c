/* Static analysis of any bytes: it ends, and answers. */
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/analyze.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tsb_analysis *a;

	if (tsb_analyze(data, size, &a))
		return 0;
	for (size_t i = 0; tsb_analysis_command(a, i); i++)
		tsb_risk_name(tsb_analysis_command(a, i)->risk);
	tsb_analysis_free(a);
	return 0;
}
