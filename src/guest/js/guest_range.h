/* Lengths and offsets of buffers and their views that cannot be, in V8's words. Included into quickjs.c, behind guest_error.h. */
#define GUEST_VIEW_MOST (UINT64_C(1) << 32)

static const char *guest_class_name(JSContext *ctx, int class_id, char *buf)
{
	return JS_AtomGetStr(ctx, buf, ATOM_GET_STR_BUF_SIZE, ctx->rt->class_array[class_id].class_name);
}

static JSValue guest_bad_start(JSContext *ctx, uint64_t offset)
{
	return JS_ThrowRangeError(ctx, "Start offset %" PRIu64 " is outside the bounds of the buffer", offset);
}

/* new Uint32Array(buffer, offset) */
static JSValue guest_bad_view_offset(JSContext *ctx, int class_id, int size_log2, uint64_t offset)
{
	char buf[ATOM_GET_STR_BUF_SIZE];

	if (!(offset & ((1u << size_log2) - 1)))
		return guest_bad_start(ctx, offset);
	return JS_ThrowRangeError(ctx, "start offset of %s should be a multiple of %d", guest_class_name(ctx, class_id, buf), 1 << size_log2);
}

static JSValue guest_bad_view_length(JSContext *ctx, uint64_t length)
{
	return JS_ThrowRangeError(ctx, "Invalid typed array length: %" PRIu64, length);
}

/* new Uint32Array(buffer): of a buffer whose length is no multiple */
static JSValue guest_bad_whole_length(JSContext *ctx, int class_id, int size_log2)
{
	char buf[ATOM_GET_STR_BUF_SIZE];

	return JS_ThrowRangeError(ctx, "byte length of %s should be a multiple of %d", guest_class_name(ctx, class_id, buf), 1 << size_log2);
}
