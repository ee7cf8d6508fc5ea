/*
 * Scripts that may run for so long only (vm's timeout): where the engine polls. Included into quickjs.c. What ends them cannot be
 * caught by a script; engine_run() makes an error of it.
 */
static long long guest_deadline;	/* of the monotonic clock, in nanoseconds; 0: none */
static bool guest_timed_out;

static no_inline int guest_look_at_deadline(JSContext *ctx)
{
	enum { MONOTONIC = 1, POLLS = 200 };

	if (--ctx->interrupt_counter > 0)
		return 0;
	ctx->interrupt_counter = POLLS;
	if (h_now(MONOTONIC) < guest_deadline)
		return 0;
	guest_deadline = 0;
	guest_timed_out = true;
	JS_ThrowInterrupted(ctx);
	return -1;
}
