/*
 * "at async NAME" lines: who awaits what is running now. Included into quickjs.c behind the promises. As V8 does it: from the
 * job that runs, along promises that are waited for by exactly one.
 */
static JSValueConst guest_async_handler(JSValueConst fn)
{
	JSObject *p = JS_IsObject(fn) ? JS_VALUE_GET_OBJ(fn) : NULL;
	JSCFunctionDataRecord *s = p && p->class_id == JS_CLASS_C_FUNCTION_DATA ? p->u.c_function_data_record : NULL;

	return s && s->func == guest_in_context ? s->data[1] : fn;
}

static JSValueConst guest_async_promise(JSValueConst resolve)
{
	JSObject *p = JS_IsObject(resolve) ? JS_VALUE_GET_OBJ(resolve) : NULL;

	return p && (p->class_id == JS_CLASS_PROMISE_RESOLVE_FUNCTION || p->class_id == JS_CLASS_PROMISE_REJECT_FUNCTION) ?
		p->u.promise_function_data->promise : JS_UNDEFINED;
}

/* The stopped function that a handler goes on with, and the promise of its end. */
static JSStackFrame *guest_async_frame(JSValueConst fn, JSValueConst *promise)
{
	JSObject *p = JS_IsObject(fn) ? JS_VALUE_GET_OBJ(fn) : NULL;
	JSAsyncGeneratorData *g;

	if (p && p->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE && p->u.async_function_data &&
	    p->u.async_function_data->is_active) {
		*promise = guest_async_promise(p->u.async_function_data->resolving_funcs[0]);
		return &p->u.async_function_data->func_state.frame;
	}
	if (!p || p->class_id != JS_CLASS_C_FUNCTION_DATA ||
	    p->u.c_function_data_record->func != js_async_generator_resolve_function)
		return NULL;
	g = JS_GetOpaque(p->u.c_function_data_record->data[0], JS_CLASS_ASYNC_GENERATOR);
	if (!g || g->state == JS_ASYNC_GENERATOR_STATE_COMPLETED || g->state == JS_ASYNC_GENERATOR_STATE_AWAITING_RETURN ||
	    list_empty(&g->queue))
		return NULL;
	*promise = list_entry(g->queue.next, JSAsyncGeneratorRequest, link)->promise;
	return &g->func_state.frame;
}

/* Promise.all() and its like: what they resolve. */
static bool guest_async_combined(JSContext *ctx, DynBuf *to, JSValueConst fn, JSValueConst *promise)
{
	static const char *const names[] = { "all", "allSettled", "any", "any" };
	JSObject *p = JS_IsObject(fn) ? JS_VALUE_GET_OBJ(fn) : NULL;
	JSCFunctionDataRecord *s = p && p->class_id == JS_CLASS_C_FUNCTION_DATA ? p->u.c_function_data_record : NULL;
	int32_t index;

	if (!s || s->func != js_promise_all_resolve_element || JS_ToInt32(ctx, &index, s->data[1]))
		return false;
	dbuf_printf(to, "\n    at async Promise.%s (index %d)", names[s->magic & 3], index);
	*promise = guest_async_promise(s->data[3]);
	return true;
}

static JSPromiseReactionData *guest_async_only(JSPromiseData *s, int kind)
{
	struct list_head *list = &s->promise_reactions[kind];

	return list_empty(list) || list->next != list->prev ? NULL : list_entry(list->next, JSPromiseReactionData, link);
}

static void guest_stack_async(JSContext *ctx, DynBuf *to, int most)
{
	enum { TURNS = 1000 };
	JSValueConst promise = JS_UNDEFINED;
	JSStackFrame *sf;

	if (!guest_job)
		return;
	if (!guest_async_frame(guest_async_handler(guest_job[2]), &promise))
		promise = guest_async_promise(guest_job[0]);
	for (int turns = 0; most > 0 && turns < TURNS; turns++) {
		JSPromiseData *s = JS_IsObject(promise) ? JS_GetOpaque(promise, JS_CLASS_PROMISE) : NULL;
		JSPromiseReactionData *rd = s && s->promise_state == JS_PROMISE_PENDING ? guest_async_only(s, 0) : NULL;
		JSValueConst handler;

		if (!rd)
			return;
		handler = guest_async_handler(rd->handler);
		if ((sf = guest_async_frame(handler, &promise)) != NULL)
			most -= guest_stack_async_frame(ctx, to, sf, most);
		else if (guest_async_combined(ctx, to, handler, &promise) ||
			 ((rd = guest_async_only(s, 1)) && guest_async_combined(ctx, to, guest_async_handler(rd->handler), &promise)))
			most--;
		else if (JS_IsObject(guest_async_promise(handler)))
			promise = guest_async_promise(handler);
		else
			promise = guest_async_promise(guest_async_only(s, 0)->resolving_funcs[0]);
	}
}
