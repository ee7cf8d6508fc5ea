/* What JavaScript cannot ask the engine in JavaScript. */
static JSValue pair(JSContext *ctx, JSValue a, JSValue b)
{
	JSValue made = JS_NewArray(ctx);

	JS_DefinePropertyValueUint32(ctx, made, 0, a, JS_PROP_C_W_E);
	JS_DefinePropertyValueUint32(ctx, made, 1, b, JS_PROP_C_W_E);
	return made;
}

NATIVE(class_of)
{
	JSClassID id = JS_GetClassID(argv[0]);
	JSAtom name;
	JSValue r;

	switch (id) {
	case JS_INVALID_CLASS_ID: return JS_UNDEFINED;
	case JS_CLASS_GENERATOR_FUNCTION: return JS_NewString(ctx, "GeneratorFunction");
	case JS_CLASS_ASYNC_FUNCTION: return JS_NewString(ctx, "AsyncFunction");
	case JS_CLASS_ASYNC_GENERATOR_FUNCTION: return JS_NewString(ctx, "AsyncGeneratorFunction");
	case JS_CLASS_MAPPED_ARGUMENTS: return JS_NewString(ctx, "Arguments");
	case JS_CLASS_MODULE_NS: return JS_NewString(ctx, "Module");
	case JS_CLASS_PROXY: return JS_NewString(ctx, "Proxy");
	default: break;
	}
	if (JS_IsFunction(ctx, argv[0]))
		return JS_NewString(ctx, "Function");
	name = JS_GetClassName(ctx->rt, id);
	r = JS_AtomToString(ctx, name);
	JS_FreeAtom(ctx, name);
	return r;
}

NATIVE(promise_look)
{
	JSPromiseStateEnum state = JS_PromiseState(ctx, argv[0]);

	if ((int)state < 0)
		return JS_UNDEFINED;
	return pair(ctx, JS_NewInt32(ctx, state == JS_PROMISE_PENDING ? 0 :
				     state == JS_PROMISE_FULFILLED ? 1 : 2),
		    state == JS_PROMISE_PENDING ? JS_UNDEFINED : JS_PromiseResult(ctx, argv[0]));
}

NATIVE(proxy_look)
{
	JSProxyData *s;

	if (!JS_IsProxy(argv[0]))
		return JS_UNDEFINED;
	s = JS_VALUE_GET_OBJ(argv[0])->u.proxy_data;
	if (s->is_revoked)
		return pair(ctx, JS_NULL, JS_NULL);
	return pair(ctx, js_dup(s->target), js_dup(s->handler));
}

static void preview_add(JSContext *ctx, JSValue list, uint32_t *n, JSValue v)
{
	JS_DefinePropertyValueUint32(ctx, list, (*n)++, v, JS_PROP_C_W_E);
}

/* The records of `s` from `el` on: keys (1), values (2) or both. */
static JSValue preview_list(JSContext *ctx, JSMapState *s, struct list_head *el, int what)
{
	JSValue list = JS_NewArray(ctx);
	uint32_t n = 0;

	for (; el != &s->records; el = el->next) {
		JSMapRecord *mr = list_entry(el, JSMapRecord, link);

		if (mr->empty)
			continue;
		if (what & 1)
			preview_add(ctx, list, &n, js_dup(mr->key));
		if (what & 2)
			preview_add(ctx, list, &n, js_dup(mr->value));
	}
	return pair(ctx, list, JS_NewBool(ctx, what == 3));
}

NATIVE(preview)
{
	JSClassID id = JS_GetClassID(argv[0]);
	JSObject *p;
	JSMapIteratorData *it;
	JSMapState *s;
	int what;

	if (id == JS_CLASS_WEAKMAP || id == JS_CLASS_WEAKSET) {
		s = JS_VALUE_GET_OBJ(argv[0])->u.map_state;
		return preview_list(ctx, s, s->records.next, id == JS_CLASS_WEAKMAP ? 3 : 1);
	}
	if (id != JS_CLASS_MAP_ITERATOR && id != JS_CLASS_SET_ITERATOR)
		return JS_UNDEFINED;
	it = JS_VALUE_GET_OBJ(argv[0])->u.map_iterator_data;
	if (!it || JS_IsUndefined(it->obj))
		return pair(ctx, JS_NewArray(ctx), JS_FALSE);
	p = JS_VALUE_GET_OBJ(it->obj);
	s = p->u.map_state;
	what = it->kind == JS_ITERATOR_KIND_KEY ? 1 : it->kind == JS_ITERATOR_KIND_VALUE ? 2 : 3;
	if (id == JS_CLASS_SET_ITERATOR && what == 2)
		what = 1;
	return preview_list(ctx, s, it->cur_record ? it->cur_record->link.next : s->records.next, what);
}

NATIVE(engine_gc)
{
	JS_RunGC(ctx->rt);
	return JS_UNDEFINED;
}

NATIVE(engine_memory)
{
	return pair(ctx, JS_NewInt64(ctx, (int64_t)ctx->rt->malloc_state.malloc_size),
		    JS_NewInt64(ctx, (int64_t)__builtin_wasm_memory_size(0) << 16));
}

NATIVE(engine_limit)
{
	int64_t n;

	if (JS_ToInt64(ctx, &n, argv[0]))
		return JS_EXCEPTION;
	JS_SetMemoryLimit(ctx->rt, n < 1 ? 1 : n > UINT32_MAX ? UINT32_MAX : (size_t)n);
	return JS_UNDEFINED;
}

NATIVE(engine_run_jobs)
{
	JSContext *of;
	int r;

	while ((r = JS_ExecutePendingJob(ctx->rt, &of)) > 0)
		;
	return r < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static JSValue engine_job(JSContext *ctx, int argc, JSValueConst *argv)
{
	return JS_Call(ctx, argv[0], JS_UNDEFINED, argc - 1, argv + 1);
}

NATIVE(engine_enqueue)
{
	return JS_EnqueueJob(ctx, engine_job, argc, argv) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* As JS_Eval(), from a line that may be 0. */
static JSValue evaluate(JSContext *ctx, const char *text, size_t n, const char *name, int line,
			int flags)
{
	return JS_EvalInternal(ctx, ctx->global_obj, text, n, name, line, flags, -1);
}

/* "(function (NAMES) {" + source + "\n})" as its function; the head is on a line of its own before
 * the first, so that lines and columns are the source's. A first line "#!" is a comment. */
static JSValue compile_text(JSContext *ctx, const char *names, const char *text, size_t n,
			    const char *file, int line)
{
	size_t head = strlen(names) + 32, total = head + n + 8;
	char *all = js_malloc(ctx, total);
	JSValue r;
	int at;

	if (!all)
		return JS_EXCEPTION;
	at = snprintf(all, head, "(function (%s) {\n", names);
	memcpy(all + at, text, n);
	if (n > 1 && text[0] == '#' && text[1] == '!')
		all[at] = all[at + 1] = '/';
	memcpy(all + at + n, "\n})", 4);
	guest_whole = (uint8_t *)all + 1;
	guest_whole_end = (uint8_t *)all + at + n + 2;
	r = evaluate(ctx, all, (size_t)at + n + 3, file, line - 1, JS_EVAL_TYPE_GLOBAL);
	guest_whole = guest_whole_end = NULL;
	js_free(ctx, all);
	return r;
}

static JSValue compile_library(JSContext *ctx, const char *name, const char *text, size_t n)
{
	char file[160];

	snprintf(file, sizeof(file), "node:%s", name);
	return compile_text(ctx, "exports, require, module, host", text, n, file, 1);
}

/* Whether a text is a script: its mistakes are thrown. */
static JSValue compile_script(JSContext *ctx, const char *text, size_t n, const char *file, int line)
{
	JSValue r = evaluate(ctx, text, n, file, line, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);

	if (JS_IsException(r))
		return r;
	JS_FreeValue(ctx, r);
	return JS_UNDEFINED;
}

/* compile(source, filename, "a, b", line); with undefined for the names it is looked at as a script only */
NATIVE(engine_compile)
{
	size_t n, n2, n3;
	int32_t line = 1;
	char *text = glue_utf8(ctx, argv[0], &n);
	char *file = text ? glue_utf8(ctx, argv[1], &n2) : NULL;
	char *names = file ? glue_utf8(ctx, argv[2], &n3) : NULL;
	JSValue r = JS_EXCEPTION;

	if (names && (argc < 4 || !JS_ToInt32(ctx, &line, argv[3])))
		r = JS_IsUndefined(argv[2]) ? compile_script(ctx, text, n, file, line) :
			compile_text(ctx, names, text, n, file, line);
	js_free(ctx, text);
	js_free(ctx, file);
	js_free(ctx, names);
	return r;
}

/* run(source, filename, line): in the global scope; the value of its last statement. */
NATIVE(engine_run)
{
	size_t n, n2;
	int32_t line = 1;
	char *text = glue_utf8(ctx, argv[0], &n);
	char *file = text ? glue_utf8(ctx, argv[1], &n2) : NULL;
	JSValue r = JS_EXCEPTION;

	if (file && (argc < 3 || !JS_ToInt32(ctx, &line, argv[2])))
		r = evaluate(ctx, text, n, file, line, JS_EVAL_TYPE_GLOBAL);
	js_free(ctx, text);
	js_free(ctx, file);
	if (JS_IsException(r) && guest_timed_out) {
		guest_timed_out = false;
		JS_FreeValue(ctx, JS_GetException(ctx));
		return JS_ThrowInternalError(ctx, "deadline");
	}
	return r;
}

/* deadline(ms): of what run() runs from now on; 0: none. Gives what is left of the one before, in ms. */
NATIVE(engine_deadline)
{
	long long now = h_now(1), left = guest_deadline ? guest_deadline - now : 0;
	double ms;

	if (JS_ToFloat64(ctx, &ms, argv[0]))
		return JS_EXCEPTION;
	guest_deadline = ms > 0 && ms < 1e12 ? now + (long long)(ms * 1e6) : 0;
	ctx->interrupt_counter = 1;
	return JS_NewFloat64(ctx, (double)left / 1e6);
}

/* realm(): the global object of a fresh context, and its run(). */
NATIVE(engine_realm)
{
	JSContext *made = JS_NewContext(ctx->rt);
	JSValue global;

	if (!made)
		return JS_ThrowOutOfMemory(ctx);
	global = JS_GetGlobalObject(made);
	return pair(ctx, global, JS_NewCFunction(made, engine_run, "run", 3));
}

/* context() and context(value): the asynchronous context, guest_context.h; gives what it was. */
NATIVE(engine_context)
{
	JSValue before = guest_context;

	if (argc < 1)
		return js_dup(before);
	guest_context = js_dup(argv[0]);
	return before;
}

/* zoneChanged(): the host has another one now. */
NATIVE(engine_zone)
{
	guest_zone_state = ZONE_UNKNOWN;
	return JS_UNDEFINED;
}

/* How many characters of its line the last syntax error is about. */
NATIVE(engine_marked)
{
	return JS_NewInt32(ctx, guest_marked);
}

NATIVE(engine_thrown)
{
	return guest_thrown_at(ctx, argv[0]);
}

NATIVE(engine_json)
{
	return guest_json_where(ctx, argv[0]);
}

NATIVE(engine_last_match)
{
	return guest_last_match(ctx);
}

#define ENGINE_FUNCTIONS \
	JS_CFUNC_DEF("lastMatch", 0, engine_last_match), \
	JS_CFUNC_DEF("deadline", 1, engine_deadline), \
	JS_CFUNC_DEF("jsonMistake", 1, engine_json), \
	JS_CFUNC_DEF("thrown", 1, engine_thrown), \
	JS_CFUNC_DEF("marked", 0, engine_marked), \
	JS_CFUNC_DEF("zoneChanged", 0, engine_zone), \
	JS_CFUNC_DEF("classOf", 1, class_of), \
	JS_CFUNC_DEF("promise", 1, promise_look), \
	JS_CFUNC_DEF("proxy", 1, proxy_look), \
	JS_CFUNC_DEF("preview", 1, preview), \
	JS_CFUNC_DEF("gc", 0, engine_gc), \
	JS_CFUNC_DEF("context", 0, engine_context), \
	JS_CFUNC_DEF("memory", 0, engine_memory), \
	JS_CFUNC_DEF("setMemoryLimit", 1, engine_limit), \
	JS_CFUNC_DEF("runJobs", 0, engine_run_jobs), \
	JS_CFUNC_DEF("enqueue", 1, engine_enqueue), \
	JS_CFUNC_DEF("compile", 4, engine_compile), \
	JS_CFUNC_DEF("run", 3, engine_run), \
	JS_CFUNC_DEF("realm", 0, engine_realm),
