/*
 * Variables of the library that closures share and that can change (let): a run writes to a few of them, so in the image they lie
 * together, in an arena of their own. Included in quickjs.c before get_var_ref().
 */
static JSArena *guest_variables;

static void *guest_variable_take(JSRuntime *rt, JSArena *ar)
{
	unsigned i = ar->first_free_block, size = arena_block_sizes[ar->block_size_idx];
	JSMallocBlockHeader *b = arena_get_block(ar, i, size);

	ar->first_free_block = b->u.free_next;
	b->u.block_idx = i;
	if (++ar->n_used_blocks == ar->n_blocks) {
		list_del(&ar->free_link);
		init_list_head(&ar->free_link);
	}
	rt->malloc_state.malloc_count++;
	rt->malloc_state.malloc_size += size - sizeof(*b) + MALLOC_OVERHEAD;
	return b->user_data;
}

enum { GUEST_VARIABLE_SIZE = (sizeof(JSMallocBlockHeader) + sizeof(JSVarRef) + 15) & ~15,	/* arenas have blocks of it or less */
	GUEST_VARIABLES_SIZE = sizeof(JSArena) + GUEST_VARIABLES * GUEST_VARIABLE_SIZE };

/* In memory that was taken before the runtime: beside it. */
static void guest_variables_make(JSRuntime *rt, void *at)
{
	int index = arena_get_size_index(sizeof(JSMallocBlockHeader) + sizeof(JSVarRef)), size = arena_block_sizes[index];
	JSArena *ar = size <= GUEST_VARIABLE_SIZE ? at : NULL;

	if (!ar)
		return;
	*ar = (JSArena){ .block_size_idx = index, .n_blocks = GUEST_VARIABLES };
	for (int i = 0; i < GUEST_VARIABLES; i++) {
		JSMallocBlockHeader *b = arena_get_block(ar, i, size);

		*b = (JSMallocBlockHeader){ .u.free_next = i + 1 < GUEST_VARIABLES ? i + 1 : JS_ARENA_FREE_NIL, .block_size_idx = index };
	}
	list_add(&ar->link, &rt->arena_state.arena_list[index]);
	init_list_head(&ar->free_link);
	guest_variable_take(rt, ar);	/* for ever: an empty arena would be freed */
	guest_variables = ar;
}

static void *guest_variable(JSContext *ctx, const JSVarDef *variable)
{
	JSArena *ar = guest_variables;

	if (guest_image_end || !ar || !variable->is_lexical || variable->is_const || ar->first_free_block == JS_ARENA_FREE_NIL)
		return js_malloc(ctx, sizeof(JSVarRef));
	return guest_variable_take(ctx->rt, ar);
}
