/*
 * Any bytes as a script: it must end, and the sandbox with it. Small limits keep
 * each run short.
 */
#include <stdint.h>
#include <stdlib.h>

#include <tinysandbox/sandbox.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	struct tsb_sandbox *box;
	struct tsb_result *r;

	tsb_limits_default(&limits);
	limits.wall_ms = 200;
	limits.commands = 200;
	limits.memory_bytes = 32 << 20;
	limits.fs_bytes = limits.file_bytes = 16 << 20;
	opt.limits = &limits;
	opt.virtual_time = true;
	if (tsb_sandbox_open(&box, &opt))
		abort();
	if (!tsb_run_bytes(box, data, n, NULL, &r))
		tsb_result_free(r);
	if (tsb_sandbox_close(box))
		abort();
	return 0;
}
