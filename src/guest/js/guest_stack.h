/*
 * error.stack as V8 writes it. Included into quickjs.c, before what calls it.
 */
static void guest_stack_text(JSContext *ctx, DynBuf *to, JSValueConst v)
{
	const char *text = JS_IsUndefined(v) ? NULL : JS_ToCString(ctx, v);

	if (text)
		dbuf_putstr(to, text);
	JS_FreeCString(ctx, text);
}

static bool guest_is_empty(JSContext *ctx, JSValueConst v)
{
	return JS_IsUndefined(v) || (JS_IsString(v) && JS_VALUE_GET_TAG(v) == JS_TAG_STRING &&
				     !JS_VALUE_GET_STRING(v)->len);
}

/* Error.prototype.toString(), never failing; a pending exception stays. */
static void guest_stack_header(JSContext *ctx, JSValueConst error, DynBuf *to)
{
	JSValue pending = JS_GetException(ctx);
	JSValue name = JS_GetProperty(ctx, error, JS_ATOM_name);
	JSValue message = JS_GetProperty(ctx, error, JS_ATOM_message);

	if (JS_IsException(name))
		name = JS_UNDEFINED;
	if (JS_IsException(message))
		message = JS_UNDEFINED;
	if (JS_IsUndefined(name))
		dbuf_putstr(to, "Error");
	else
		guest_stack_text(ctx, to, name);
	if (!guest_is_empty(ctx, message)) {
		if (!guest_is_empty(ctx, name))
			dbuf_putstr(to, ": ");
		guest_stack_text(ctx, to, message);
	}
	JS_FreeValue(ctx, name);
	JS_FreeValue(ctx, message);
	JS_FreeValue(ctx, JS_GetException(ctx));
	JS_Throw(ctx, pending);
}

static void guest_stack_frame(JSContext *ctx, DynBuf *to, JSStackFrame *sf, JSFunctionBytecode *b)
{
	const char *name = get_func_name(ctx, sf->cur_func), *file = NULL;
	bool named = name && *name && strcmp(name, "<eval>");
	int line = -1, column = -1;

	dbuf_putstr(to, "\n    at ");
	if (b && b->filename)
		file = JS_AtomToCString(ctx, b->filename);
	if (b && sf->cur_pc)
		line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &column);
	if (named)
		dbuf_printf(to, "%s%s (", sf->is_constructor ? "new " : "", name);
	dbuf_putstr(to, file ? file : "<anonymous>");
	if (file && line >= 0)
		dbuf_printf(to, ":%d:%d", line, column);
	if (named)
		dbuf_putc(to, ')');
	JS_FreeCString(ctx, file);
	JS_FreeCString(ctx, name);
}
