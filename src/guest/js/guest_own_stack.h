/*
 * error.stack is an error's own property for V8, and comes before the others; here it is made one when a script asks for the
 * names or for it, for most errors are never asked. Included into quickjs.c behind the properties of objects.
 */
static void guest_own_stack(JSContext *ctx, JSObject *p)
{
	JSValue stack;

	if (p->class_id != JS_CLASS_ERROR || JS_IsUndefined(p->u.object_data) || !p->extensible ||
	    find_own_property1(p, JS_ATOM_stack))
		return;
	stack = JS_GetProperty(ctx, JS_MKPTR(JS_TAG_OBJECT, p), JS_ATOM_stack);
	if (JS_IsException(stack))
		JS_FreeValue(ctx, JS_GetException(ctx));
	else if (find_own_property1(p, JS_ATOM_stack))
		JS_FreeValue(ctx, stack);
	else
		JS_DefinePropertyValue(ctx, JS_MKPTR(JS_TAG_OBJECT, p), JS_ATOM_stack, stack, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

/* Among an error's names, which begin at first, it is the first. */
static void guest_stack_first(JSObject *p, JSPropertyEnum *first, uint32_t n)
{
	if (p->class_id != JS_CLASS_ERROR)
		return;
	for (uint32_t i = 1; i < n; i++) {
		JSPropertyEnum found = first[i];

		if (found.atom != JS_ATOM_stack)
			continue;
		memmove(first + 1, first, i * sizeof(*first));
		first[0] = found;
	}
}
