/*
 * The engine as a guest: QuickJS-ng's one large file with what is ours around
 * it. Compiled to WebAssembly with the headers of the guest's C library.
 *
 * Recursion: both the shadow stack in linear memory and the native stack grow
 * down towards zero, so the smaller of the two addresses is what the engine
 * compares with its limit, and too deep a script gets a RangeError.
 */
#include <stddef.h>

__attribute__((import_module("h"), import_name("stack_left"))) unsigned h_stack_left(void);
__attribute__((import_module("h"), import_name("turn"))) void h_turn(void);
struct sys_arg {		/* struct guest_arg of guest/sys.h */
	long long number;
	const void *at;
	unsigned n;
};
__attribute__((import_module("h"), import_name("sys"))) long long h_sys(int what, const struct sys_arg *args, unsigned n);
__attribute__((import_module("h"), import_name("now"))) long long h_now(int clock);
enum { SYS_ZONE };		/* the first of guest/sys.def */

static inline void *guest_stack_pointer(void *shadow)
{
	unsigned s = (unsigned)(size_t)shadow, n = h_stack_left();

	return (void *)(size_t)(s < n ? s : n);
}

#include <cutils.h>
#define __builtin_frame_address(n) guest_stack_pointer(__builtin_frame_address(n))
#include <quickjs.c>
#undef __builtin_frame_address
#include <guest_freeze.h>

#include <glue.h>
#include <glue_bytes.h>
#include <glue_text.h>
#include <glue_engine.h>
#include <glue_module.h>

enum {
	STACK_KEPT = 224 << 10,		/* of both stacks: what runs between two checks */
	MEMORY = 64 << 20
};

static JSContext *context;		/* there is one guest in a memory */
static JSValue entry;			/* what the library gives: function (argc) -> status */

static void fatal(const char *text)
{
	h_write(2, text, (unsigned)strlen(text));
	h_exit(134);
}

/* Where nothing of ours can print it: the library itself failed. */
static void fatal_exception(JSContext *ctx)
{
	JSValue e = JS_GetException(ctx), stack;
	const char *text = JS_ToCString(ctx, e), *trace;

	if (JS_IsNull(e) || !text || strstr(text, "out of memory"))
		fatal("\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n");
	fprintf(stderr, "%s\n", text);
	stack = JS_GetPropertyStr(ctx, e, "stack");
	trace = JS_ToCString(ctx, stack);
	if (trace)
		fprintf(stderr, "%s\n", trace);
	h_exit(134);
}

static const JSCFunctionListEntry native_functions[] = {
	BYTES_FUNCTIONS TEXT_FUNCTIONS ENGINE_FUNCTIONS MODULE_FUNCTIONS
};

/* The library comes from the host, name by name; boot gets an object of all its functions. */
static JSValue library(JSContext *ctx, JSValueConst host)
{
	JSValue all = JS_NewObject(ctx);

	for (int i = 0;; i++) {
		char name[128];
		int n = h_library(i, 0, name, sizeof(name) - 1), len = h_library(i, 1, NULL, 0);
		char *text;

		if (n < 0)
			return all;
		name[n] = 0;
		text = js_malloc(ctx, (size_t)len + 1);
		if (!text)
			return JS_EXCEPTION;
		h_library(i, 1, text, (unsigned)len);
		text[len] = 0;
		JSValue file = compile_library(ctx, name, text, (size_t)len);
		js_free(ctx, text);
		if (JS_IsException(file))
			return file;
		JS_SetPropertyStr(ctx, all, name, file);
	}
}

void guest_prepare(void);
void guest_prepare(void)
{
	void *volatile near, *variables;
	JSRuntime *rt;
	JSValue host, all, boot, made, changing, args[2];

	guest_room = aligned_alloc(GUEST_SMALL_PAGE, GUEST_ROOM);	/* its end changes with what is taken of it, as the runtime does */
	near = malloc(sizeof(JSContext) + sizeof(JSMallocBlockHeader));
	variables = malloc(GUEST_VARIABLES_SIZE);
	rt = JS_NewRuntime();
	guest_variables_make(rt, variables);
	free(near);		/* the context takes it: it lies beside the runtime */
	JS_SetMaxStackSize(rt, 0);
	rt->stack_limit = STACK_KEPT;
	context = JS_NewContext(rt);
	JS_AddIntrinsicDOMException(context);
	host = JS_NewObject(context);
	JS_SetPropertyFunctionList(context, host, native_functions, countof(native_functions));
	glue_hooks(context);
	all = library(context, host);
	if (JS_IsException(all))
		fatal_exception(context);
	boot = JS_GetPropertyStr(context, all, "internal/boot");
	args[0] = all;
	args[1] = host;
	made = JS_Call(context, boot, JS_UNDEFINED, 2, vc(args));
	if (JS_IsException(made))
		fatal_exception(context);
	entry = JS_GetPropertyStr(context, made, "main");
	changing = JS_GetPropertyStr(context, made, "changing");
	JS_FreeValue(context, made);
	JS_FreeValue(context, all);
	JS_FreeValue(context, host);
	JS_FreeValue(context, boot);
	guest_freeze(context);
	guest_freeze_changing(context, changing);
}

int guest_main(int argc, char **argv);
int guest_main(int argc, char **argv)
{
	JSRuntime *rt = JS_GetRuntime(context);
	JSValue r;
	int32_t status = 0;

	(void)argc;
	(void)argv;
	h_random(&guest_random_state, sizeof(guest_random_state));
	if (!guest_random_state)
		guest_random_state = 1;
	JS_SetMemoryLimit(rt, MEMORY);
	r = JS_Call(context, entry, JS_UNDEFINED, 0, NULL);
	if (JS_IsException(r))
		fatal_exception(context);
	JS_ToInt32(context, &status, r);
	h_exit(status);
	return status;
}
