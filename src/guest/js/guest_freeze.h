/* The image's end: see guest_image.h. Included behind quickjs.c. */
static void freeze_arena(JSArena *ar)
{
	bool unused[GUEST_VARIABLES] = { false };
	_Static_assert(GUEST_VARIABLES >= JS_ARENA_SIZE / 16, "room for the blocks of every arena");
	unsigned size = arena_block_sizes[ar->block_size_idx];

	for (unsigned i = ar->first_free_block; i != JS_ARENA_FREE_NIL;
	     i = ((JSMallocBlockHeader *)arena_get_block(ar, i, size))->u.free_next)
		unused[i] = true;
	for (unsigned i = 0; i < ar->n_blocks; i++)
		if (!unused[i])
			((JSMallocBlockHeader *)arena_get_block(ar, i, size))->ref_count = GUEST_IMMORTAL;
}

/* New blocks are not to fill the holes that are all over the image. */
static void freeze_arenas(JSRuntime *rt)
{
	struct list_head *el;

	for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++) {
		list_for_each(el, &rt->arena_state.arena_list[i])
			freeze_arena(list_entry(el, JSArena, link));
		init_list_head(&rt->arena_state.arena_list[i]);
		init_list_head(&rt->arena_state.free_arena_list[i]);
	}
}

/* All memory below the last block in use is used up; what comes from now on lies behind it. */
static void freeze_holes(void)
{
	enum { ROOM = 512 << 10 };
	char *room = malloc(ROOM), *p;

	if (!room)
		return;
	for (size_t n = ROOM / 4; n; n /= 2) {
		while ((p = malloc(n)) != NULL && p < room)
			;
		free(p);
	}
	guest_image_end = room;
	free(room);
}

/* Functions of the language's objects are made when they are looked at: all of them now. */
static void freeze_lazy(JSContext *ctx)
{
	struct list_head *el;

	list_for_each(el, &ctx->rt->gc_obj_list) {
		JSObject *p = (JSObject *)list_entry(el, JSGCObjectHeader, link);

		if (JS_GC_TYPE(p) != JS_GC_OBJ_TYPE_JS_OBJECT)
			continue;
		for (int i = 0; i < p->shape->prop_count; i++) {
			JSShapeProperty *prs = &get_shape_prop(p->shape)[i];

			if ((prs->flags & JS_PROP_TMASK) == JS_PROP_AUTOINIT)
				JS_AutoInitProperty(ctx, p, prs->atom, &p->prop[i], prs);
		}
	}
}

/* A shape that one object has for itself may be changed in place: it stays as it is. */
static bool freeze_is_own_shape(const JSGCObjectHeader *p)
{
	return JS_GC_TYPE(p) == JS_GC_OBJ_TYPE_SHAPE && !((const JSShape *)(const void *)p)->is_hashed &&
	       JS_REF_COUNT(p) == 1;
}

/* The objects leave the collector's list; each is linked to itself, so that taking one out writes to no other. */
static void freeze_objects(JSRuntime *rt)
{
	struct list_head *el, *next;

	list_for_each_safe(el, next, &rt->gc_obj_list) {
		JSGCObjectHeader *p = list_entry(el, JSGCObjectHeader, link);

		JS_REF_COUNT(p) = JS_GC_MARK(p) ? 1 : GUEST_IMMORTAL;
		JS_GC_MARK(p) = 0;
		init_list_head(el);
	}
	init_list_head(&rt->gc_obj_list);
}

/* A copy behind the image, with the counts of references that go with it; without memory, the block itself. */
static void *freeze_move(JSRuntime *rt, void *block, size_t n)
{
	void *moved = js_malloc_rt(rt, n);

	if (!moved)
		return block;
	memcpy(moved, block, n);
	JS_REF_COUNT(moved) = JS_REF_COUNT(block);
	JS_GC_TYPE(moved) = JS_GC_TYPE(block);
	JS_GC_MARK(moved) = 0;
	return moved;
}

/* What every run changes in an object comes to lie with that of the others: its properties, and its shape if no other has it. */
static void freeze_changing(JSContext *ctx, JSValueConst object)
{
	JSObject *p = JS_VALUE_GET_OBJ(object);
	JSShape *sh = p->shape;

	p->prop = freeze_move(ctx->rt, p->prop, (size_t)sh->prop_size * sizeof(*p->prop));
	if (sh->is_hashed || JS_REF_COUNT(sh) != 1)
		return;
	sh = freeze_move(ctx->rt, sh, get_shape_size(sh->prop_hash_mask + 1, sh->prop_size));
	init_list_head(&sh->header.link);
	p->shape = sh;
}

/* The table of shapes, and all of a list. */
static void guest_freeze_changing(JSContext *ctx, JSValueConst list)
{
	JSRuntime *rt = ctx->rt;
	JSValue one;

	rt->shape_hash = freeze_move(rt, rt->shape_hash, (size_t)rt->shape_hash_size * sizeof(*rt->shape_hash));
	for (uint32_t i = 0;; i++) {
		one = JS_GetPropertyUint32(ctx, list, i);
		if (!JS_IsObject(one))
			return;
		freeze_changing(ctx, one);
		JS_FreeValue(ctx, one);
	}
}

static void guest_freeze(JSContext *ctx)
{
	enum { GARBAGE = 2 << 20 };	/* of a run before it is collected */
	JSRuntime *rt = ctx->rt;
	struct list_head *el;

	freeze_lazy(ctx);
	JS_RunGC(rt);
	list_for_each(el, &rt->gc_obj_list) {
		JSGCObjectHeader *p = list_entry(el, JSGCObjectHeader, link);

		JS_GC_MARK(p) = freeze_is_own_shape(p);
	}
	freeze_arenas(rt);
	freeze_objects(rt);
	for (int i = 1; i < rt->atom_size; i++)
		if (!atom_is_free(rt->atom_array[i]))
			JS_REF_COUNT(rt->atom_array[i]) = GUEST_IMMORTAL;
	freeze_holes();
	free(guest_room);
	JS_SetGCThreshold(rt, rt->malloc_state.malloc_size + GARBAGE);
}
