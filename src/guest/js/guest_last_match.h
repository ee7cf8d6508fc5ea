/*
 * What RegExp.$1 and its kin ask for: the last match of a script's. Those that the library makes do not count. Included into
 * quickjs.c, behind guest_stack.h.
 */
#define GUEST_MATCH_GROUPS 10

static struct guest_match {
	JSValue input;	/* a string; undefined: none yet */
	int groups;
	int32_t at[2 * GUEST_MATCH_GROUPS];	/* from, to; -1: took no part */
} guest_match = { .input = JS_UNDEFINED };

static bool guest_match_counts(JSContext *ctx)
{
	for (JSStackFrame *sf = ctx->rt->current_stack_frame; sf; sf = sf->prev_frame) {
		JSFunctionBytecode *b = guest_stack_code(sf);
		JSString *file = b && b->filename ? ctx->rt->atom_array[b->filename] : NULL;

		if (b)
			return !file || file->is_wide_char || file->len < 5 || memcmp(str8(file), "node:", 5);
	}
	return true;
}

static void guest_note_match(JSContext *ctx, JSValueConst input, uint8_t **capture, int groups, const uint8_t *text, int shift)
{
	struct guest_match *m = &guest_match;

	if (!guest_match_counts(ctx))
		return;
	JS_FreeValue(ctx, m->input);
	m->input = js_dup(input);
	m->groups = groups < GUEST_MATCH_GROUPS ? groups : GUEST_MATCH_GROUPS;
	for (int i = 0; i < 2 * m->groups; i++)
		m->at[i] = capture[i] ? (int32_t)((capture[i] - text) >> shift) : -1;
}

/* [input, from, to, ...], or undefined */
static JSValue guest_last_match(JSContext *ctx)
{
	const struct guest_match *m = &guest_match;
	JSValue all;

	if (JS_IsUndefined(m->input))
		return JS_UNDEFINED;
	all = JS_NewArray(ctx);
	if (JS_IsException(all))
		return all;
	JS_SetPropertyUint32(ctx, all, 0, js_dup(m->input));
	for (int i = 0; i < 2 * m->groups; i++)
		JS_SetPropertyUint32(ctx, all, 1 + (uint32_t)i, js_int32(m->at[i]));
	return all;
}
