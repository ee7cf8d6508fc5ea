/*
 * The asynchronous context: one value that what is run later finds as it was when it was said that it should run later. Included
 * in quickjs.c (patches), because `await` and then() go through nothing else. It costs nothing while it is undefined.
 */
static JSValue guest_context = JS_UNDEFINED;

static JSValue guest_in_context(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int magic,
				JSValueConst *data)
{
	JSValue before = guest_context, r;

	guest_context = js_dup(data[0]);
	r = JS_Call(ctx, data[1], this_val, argc, argv);
	JS_FreeValue(ctx, guest_context);
	guest_context = before;
	return r;
}

/* fn as it has to be kept; without memory, as it is. */
static JSValue guest_with_context(JSContext *ctx, JSValueConst fn)
{
	JSValueConst data[2] = { guest_context, fn };
	JSValue made;

	if (JS_IsUndefined(guest_context) || JS_IsUndefined(fn))
		return js_dup(fn);
	made = JS_NewCFunctionData(ctx, guest_in_context, 1, 0, 2, data);
	if (!JS_IsException(made))
		return made;
	JS_FreeValue(ctx, JS_GetException(ctx));
	return js_dup(fn);
}
