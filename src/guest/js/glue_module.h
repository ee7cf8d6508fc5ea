/*
 * ES modules: what a name means, what is in a module and what import.meta holds
 * is decided in JavaScript (internal/esm.js), by hooks; here they are called.
 *
 *	resolve(specifier, parent, type) -> the module's name (a URL)
 *	load(name, type) -> source text, or [export names, function () -> object with them]
 *	meta(object, name)
 *	rejection(promise, reason, handled)
 *	missing(importer, specifier, exporter, name) -> the error, when a module has no export of that name
 */
enum hook { HOOK_RESOLVE, HOOK_LOAD, HOOK_META, HOOK_REJECTION, HOOK_MISSING, N_HOOKS };

static JSValue hooks[N_HOOKS];		/* one guest in a memory */

static JSValue hook_call(JSContext *ctx, enum hook which, int argc, JSValue *argv)
{
	JSValue r = JS_Call(ctx, hooks[which], JS_UNDEFINED, argc, vc(argv));

	for (int i = 0; i < argc; i++)
		JS_FreeValue(ctx, argv[i]);
	return r;
}

static JSValue attribute_type(JSContext *ctx, JSValueConst attributes)
{
	return JS_IsObject(attributes) ? JS_GetPropertyStr(ctx, attributes, "type") : JS_UNDEFINED;
}

static char *module_normalize(JSContext *ctx, const char *base, const char *name,
			      JSValueConst attributes, void *opaque)
{
	JSValue args[3] = { JS_NewString(ctx, name), JS_NewString(ctx, base),
			    attribute_type(ctx, attributes) };
	JSValue r = hook_call(ctx, HOOK_RESOLVE, 3, args);
	char *made;
	size_t n;

	if (JS_IsException(r))
		return NULL;
	made = glue_utf8(ctx, r, &n);
	JS_FreeValue(ctx, r);
	return made;
}

/* A module whose exports a function gives, when it is evaluated. */
static int module_fill(JSContext *ctx, JSModuleDef *m)
{
	JSValue of = JS_GetModulePrivateValue(ctx, m);
	JSValue names = JS_GetPropertyUint32(ctx, of, 0), fn = JS_GetPropertyUint32(ctx, of, 1);
	JSValue values = JS_Call(ctx, fn, JS_UNDEFINED, 0, NULL);
	int64_t n = 0;
	int r = JS_IsException(values) ? -1 : JS_GetLength(ctx, names, &n);

	for (int64_t i = 0; !r && i < n; i++) {
		JSValue name = JS_GetPropertyInt64(ctx, names, i), value;
		const char *text = JS_ToCString(ctx, name);

		value = text ? JS_GetPropertyStr(ctx, values, text) : JS_EXCEPTION;
		r = JS_IsException(value) ? -1 : JS_SetModuleExport(ctx, m, text, value);
		JS_FreeCString(ctx, text);
		JS_FreeValue(ctx, name);
	}
	JS_FreeValue(ctx, of);
	JS_FreeValue(ctx, names);
	JS_FreeValue(ctx, fn);
	JS_FreeValue(ctx, values);
	return r;
}

static JSModuleDef *module_synthetic(JSContext *ctx, const char *name, JSValue of)
{
	JSModuleDef *m = JS_NewCModule(ctx, name, module_fill);
	JSValue names = JS_GetPropertyUint32(ctx, of, 0);
	int64_t n = 0;
	int r = m ? JS_GetLength(ctx, names, &n) : -1;

	for (int64_t i = 0; !r && i < n; i++) {
		JSValue export = JS_GetPropertyInt64(ctx, names, i);
		const char *text = JS_ToCString(ctx, export);

		r = text ? JS_AddModuleExport(ctx, m, text) : -1;
		JS_FreeCString(ctx, text);
		JS_FreeValue(ctx, export);
	}
	JS_FreeValue(ctx, names);
	if (r || JS_SetModulePrivateValue(ctx, m, of) < 0)
		return NULL;
	return m;
}

static JSModuleDef *module_source(JSContext *ctx, const char *name, JSValue source)
{
	size_t n;
	char *text = glue_utf8(ctx, source, &n);
	JSValue code, args[2];
	JSModuleDef *m;

	JS_FreeValue(ctx, source);
	if (!text)
		return NULL;
	code = evaluate(ctx, text, n, name, 1, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	js_free(ctx, text);
	if (JS_IsException(code))
		return NULL;
	m = JS_VALUE_GET_PTR(code);
	JS_FreeValue(ctx, code);
	args[0] = JS_GetImportMeta(ctx, m);
	args[1] = JS_NewString(ctx, name);
	code = hook_call(ctx, HOOK_META, 2, args);
	if (JS_IsException(code))
		return NULL;
	JS_FreeValue(ctx, code);
	return m;
}

static JSModuleDef *module_load(JSContext *ctx, const char *name, void *opaque, JSValueConst attributes)
{
	JSValue args[2] = { JS_NewString(ctx, name), attribute_type(ctx, attributes) };
	JSValue r = hook_call(ctx, HOOK_LOAD, 2, args);

	if (JS_IsException(r))
		return NULL;
	if (JS_IsString(r))
		return module_source(ctx, name, r);
	return module_synthetic(ctx, name, r);
}

static int module_attributes(JSContext *ctx, void *opaque, JSValueConst attributes)
{
	return 0;
}

static JSValue module_missing(JSContext *ctx, JSAtom importer, JSAtom specifier, JSAtom exporter, JSAtom name)
{
	JSValue args[4] = { JS_AtomToString(ctx, importer), JS_AtomToString(ctx, specifier),
			    JS_AtomToString(ctx, exporter), JS_AtomToString(ctx, name) };

	return hook_call(ctx, HOOK_MISSING, 4, args);
}

static void rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled,
		      void *opaque)
{
	JSValue args[3] = { js_dup(promise), js_dup(reason), JS_NewBool(ctx, handled) };
	JSValue r;

	if (JS_IsUndefined(hooks[HOOK_REJECTION]))
		return;
	r = hook_call(ctx, HOOK_REJECTION, 3, args);
	JS_FreeValue(ctx, JS_IsException(r) ? JS_GetException(ctx) : r);
}

static void glue_hooks(JSContext *ctx)
{
	for (int i = 0; i < N_HOOKS; i++)
		hooks[i] = JS_UNDEFINED;
	JS_SetModuleLoaderFunc2(ctx->rt, NULL, module_load, module_attributes, NULL);
	JS_SetModuleNormalizeFunc2(ctx->rt, module_normalize);
	JS_SetHostPromiseRejectionTracker(ctx->rt, rejection, NULL);
	guest_not_exported = module_missing;
}

NATIVE(module_hooks)
{
	static const char *const names[] = { "resolve", "load", "meta", "rejection", "missing" };

	for (int i = 0; i < N_HOOKS; i++) {
		JSValue fn = JS_GetPropertyStr(ctx, argv[0], names[i]);

		if (JS_IsUndefined(fn))
			continue;
		JS_FreeValue(ctx, hooks[i]);
		hooks[i] = fn;
	}
	return JS_UNDEFINED;
}

/* A module of this name, loaded and linked, with all it imports. */
static JSModuleDef *module_linked(JSContext *ctx, JSValueConst name, JSValueConst base)
{
	const char *n = JS_ToCString(ctx, name), *b = JS_ToCString(ctx, base);
	JSModuleDef *m = n && b ? js_host_resolve_imported_module(ctx, b, n, JS_UNDEFINED) : NULL;

	JS_FreeCString(ctx, n);
	JS_FreeCString(ctx, b);
	if (m && js_resolve_module(ctx, m) < 0) {
		js_free_modules(ctx, JS_FREE_MODULE_NOT_RESOLVED);
		return NULL;
	}
	return m;
}

/* importModule(specifier, parent) -> [promise of its evaluation, namespace] */
NATIVE(module_import)
{
	JSModuleDef *m = module_linked(ctx, argv[0], argv[1]);
	JSValue promise, ns;

	if (!m)
		return JS_EXCEPTION;
	promise = JS_EvalFunction(ctx, JS_NewModuleValue(ctx, m));
	if (JS_IsException(promise))
		return promise;
	ns = JS_GetModuleNamespace(ctx, m);
	if (JS_IsException(ns)) {
		JS_FreeValue(ctx, promise);
		return ns;
	}
	return pair(ctx, promise, ns);
}

/* detectModule(source): parses as a module. */
NATIVE(module_detect)
{
	size_t n;
	char *text = glue_utf8(ctx, argv[0], &n);
	bool r;

	if (!text)
		return JS_EXCEPTION;
	r = JS_DetectModule(text, n);
	js_free(ctx, text);
	return JS_NewBool(ctx, r);
}

#define MODULE_FUNCTIONS \
	JS_CFUNC_DEF("hooks", 1, module_hooks), \
	JS_CFUNC_DEF("importModule", 2, module_import), \
	JS_CFUNC_DEF("detectModule", 1, module_detect),
