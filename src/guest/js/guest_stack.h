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
static bool guest_stack_ended;	/* at a frame below which Node has none */
static bool guest_stack_emitted;	/* emitMany() has been written */

static void guest_stack_header(JSContext *ctx, JSValueConst error, DynBuf *to)
{
	JSValue pending = JS_GetException(ctx);
	JSValue name = JS_GetProperty(ctx, error, JS_ATOM_name);
	JSValue message = JS_GetProperty(ctx, error, JS_ATOM_message);

	guest_stack_ended = guest_stack_emitted = false;
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

/*
 * Frames of the library that stand for Node's own: "name of ours" -> the lines
 * that Node has there. Other internal frames are not shown.
 */
static const char *const guest_stack_rows[][2] = {
	{ "moduleCompile", "Module._compile (node:internal/modules/cjs/loader:1521:14)" },
	{ "moduleExtension", "Module._extensions..js (node:internal/modules/cjs/loader:1623:10)" },
	{ "moduleLoad", "Module.load (node:internal/modules/cjs/loader:1266:32)" },
	{ "moduleFind", "Module._load (node:internal/modules/cjs/loader:1091:12)" },
	{ "moduleRequire", "Module.require (node:internal/modules/cjs/loader:1289:19)" },
	{ "require", "require (node:internal/modules/helpers:182:18)" },
	{ "runMain", "Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)\n"
	  "node:internal/main/run_main_module:28:49" },
	{ "evalScript", "runScriptInThisContext (node:internal/vm:209:10)\nnode:internal/process/execution:118:14\n"
	  "[eval]-wrapper:6:24\nrunScript (node:internal/process/execution:101:62)\n"
	  "evalScript (node:internal/process/execution:133:3)\nnode:internal/main/eval_string:51:3" },
	{ "stdinScript", "runScriptInThisContext (node:internal/vm:209:10)\nnode:internal/process/execution:118:14\n"
	  "[stdin]-wrapper:6:24\nrunScript (node:internal/process/execution:101:62)\n"
	  "evalScript (node:internal/process/execution:133:3)\nnode:internal/main/eval_stdin:32:5\n"
	  "Socket.<anonymous> (node:internal/process/execution:234:5)\nSocket.emit (node:events:536:35)\n"
	  "endReadableNT (node:internal/streams/readable:1698:12)\n"
	  "process.processTicksAndRejections (node:internal/process/task_queues:82:21)" },
	{ "emit", "*.emit (node:events:524:28)" },	/* "*.": of what it runs on */
	{ "emitMany", "*.emit (node:events:536:35)" },
	{ "runMicrotask", "node:internal/process/task_queues:140:7\nAsyncResource.runInAsyncScope (node:async_hooks:206:9)\n"
	  "AsyncResource.runMicrotask (node:internal/process/task_queues:137:8)" },
	{ "esmRun", "ModuleJob.run (node:internal/modules/esm/module_job:325:25)\n"
	  "async ModuleLoader.import (node:internal/modules/esm/loader:606:24)\n"
	  "async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:117:5)" },
	{ "listOnTimeout", "listOnTimeout (node:internal/timers:581:17)\n"
	  "process.processTimers (node:internal/timers:519:7)" },
	{ "processImmediate", "process.processImmediate (node:internal/timers:483:21)" },
	{ "runTicks", "process.processTicksAndRejections (node:internal/process/task_queues:77:11)" },
	{ "runJobs", "process.processTicksAndRejections (node:internal/process/task_queues:95:5)" },
};

/* Lines that a row has, at most `most`; written. */
static int guest_stack_lines(DynBuf *to, const char *text, int most)
{
	int n = 0;

	while (text && n < most) {
		const char *end = strchr(text, '\n');

		dbuf_putstr(to, "\n    at ");
		dbuf_put(to, text, end ? (size_t)(end - text) : strlen(text));
		text = end ? end + 1 : NULL;
		n++;
	}
	return n;
}

static const char *guest_stack_row(const char *name)
{
	for (size_t i = 0; name && i < countof(guest_stack_rows); i++)
		if (!strcmp(name, guest_stack_rows[i][0]))
			return guest_stack_rows[i][1];
	return NULL;
}

/* What is below it is not Node's way. */
static bool guest_stack_is_last(const char *name)
{
	return !strcmp(name, "esmRun") || !strcmp(name, "runTicks") || !strcmp(name, "runJobs") || !strcmp(name, "checkpoint");
}

static JSFunctionBytecode *guest_stack_code(JSStackFrame *sf)
{
	JSObject *p = JS_VALUE_GET_OBJ(sf->cur_func);

	return js_class_has_bytecode(p->class_id) ? p->u.func.function_bytecode : NULL;
}

static bool guest_stack_internal(JSContext *ctx, JSFunctionBytecode *b)
{
	const char *file = b->filename ? JS_AtomToCString(ctx, b->filename) : NULL;
	bool is = file && !strncmp(file, "node:internal/", 14);

	JS_FreeCString(ctx, file);
	return is;
}

/* Who has called a script's function, through internal ones only: the first of them with a row. */
static const char *guest_stack_caller(JSContext *ctx, JSStackFrame *sf)
{
	for (sf = sf->prev_frame; sf; sf = sf->prev_frame) {
		JSFunctionBytecode *b = guest_stack_code(sf);
		const char *name, *row;
		bool last;

		if (!b)
			continue;
		if (!guest_stack_internal(ctx, b))
			return NULL;
		name = get_func_name(ctx, sf->cur_func);
		row = guest_stack_row(name);
		last = name && guest_stack_is_last(name);
		JS_FreeCString(ctx, name);
		if (row || last)
			return row;
	}
	return NULL;
}

/* "Timeout._onTimeout" and the like: what Node's objects call. */
static void guest_stack_callback(JSContext *ctx, DynBuf *to, const char *caller, const char *name)
{
	const char *of = !strncmp(caller, "listOn", 6) ? "Timeout" : "Immediate";

	if (*name)
		dbuf_printf(to, "%s.%s [as _on%s]", of, name, of);
	else
		dbuf_printf(to, "%s._on%s", of, of);
}

/* The promise job that runs, as its arguments: see guest_async.h. */
static JSValueConst *guest_job;
static void guest_stack_async(JSContext *ctx, DynBuf *to, int most);

/* An object without a class of its own is called by its tag: "JSON.", "Generator.". */
static const char *guest_stack_tag(JSContext *ctx, JSValueConst this)
{
	JSValue tag = JS_GetProperty(ctx, this, JS_ATOM_Symbol_toStringTag);
	const char *text = JS_IsString(tag) ? JS_ToCString(ctx, tag) : NULL;

	JS_FreeValue(ctx, JS_IsException(tag) ? JS_UNDEFINED : tag);
	return text;
}

/* "Foo." of the object that a method runs on; nothing for plain calls. A class is "Function" to native ones. */
static void guest_stack_receiver(JSContext *ctx, DynBuf *to, JSStackFrame *sf, bool native)
{
	JSValueConst this = sf->guest_this;
	JSValue pending, ctor;
	const char *text = NULL;
	bool function;

	if (!JS_IsObject(this) || JS_VALUE_GET_PTR(this) == JS_VALUE_GET_PTR(ctx->global_obj) ||
	    JS_VALUE_GET_OBJ(this)->class_id == JS_CLASS_PROXY)
		return;
	pending = JS_GetException(ctx);
	function = JS_IsFunction(ctx, this);
	ctor = function ? js_dup(this) : JS_GetProperty(ctx, this, JS_ATOM_constructor);
	if (JS_IsObject(ctor) && !(function && native))
		text = get_func_name(ctx, ctor);
	if (!function && (!text || !*text || !strcmp(text, "Object"))) {
		JS_FreeCString(ctx, text);
		text = guest_stack_tag(ctx, this);
	}
	dbuf_printf(to, "%s.", text && *text ? text : function ? "Function" : "Object");
	JS_FreeCString(ctx, text);
	JS_FreeValue(ctx, JS_IsException(ctor) ? JS_UNDEFINED : ctor);
	JS_FreeValue(ctx, JS_GetException(ctx));
	JS_Throw(ctx, pending);
}

/* A native function: not shown when the library used it to call, nor where V8 has no frame. */
static int guest_stack_native(JSContext *ctx, DynBuf *to, JSStackFrame *sf, const char *name)
{
	JSFunctionBytecode *b = sf->prev_frame ? guest_stack_code(sf->prev_frame) : NULL;
	JSValueConst this = sf->guest_this;

	if (!sf->prev_frame || (b && guest_stack_internal(ctx, b)) || !name || !*name)
		return 0;
	if (sf->is_constructor && (!strcmp(name, "Array") || !strcmp(name, "Proxy") || !strcmp(name, "Object")))
		return 0;
	dbuf_putstr(to, sf->is_constructor ? "\n    at new " : "\n    at ");
	if (!sf->is_constructor && JS_IsObject(this))
		guest_stack_receiver(ctx, to, sf, true);
	else if (!sf->is_constructor)
		dbuf_putstr(to, JS_IsString(this) ? "String." : JS_IsNumber(this) ? "Number." : JS_IsBool(this) ? "Boolean." :
			    JS_IsBigInt(this) ? "BigInt." : JS_IsSymbol(this) ? "Symbol." : "");
	dbuf_printf(to, "%s (<anonymous>)", name);
	return 1;
}

/* Where an exception is by its message, if that is not where the code is: of this frame, at this instruction. */
static struct guest_place {
	const JSStackFrame *sf;
	const uint8_t *pc;
	int line, column;
} guest_place;

static void guest_stack_place(JSContext *ctx, DynBuf *to, JSStackFrame *sf, JSFunctionBytecode *b)
{
	const char *file = b->filename ? JS_AtomToCString(ctx, b->filename) : NULL;
	int line = -1, column = -1;

	if (sf->cur_pc)
		line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &column);
	if (sf->cur_pc && guest_place.sf == sf && guest_place.pc == sf->cur_pc) {
		line = guest_place.line;
		column = guest_place.column;
	}
	dbuf_putstr(to, file ? file : "<anonymous>");
	if (file && line >= 0)
		dbuf_printf(to, ":%d:%d", line, column);
	JS_FreeCString(ctx, file);
}

/* A frame of the library, as Node has it there: the number of lines. */
static int guest_stack_library(JSContext *ctx, DynBuf *to, JSStackFrame *sf, const char *name, int most)
{
	const char *row = guest_stack_row(name);
	bool told = guest_stack_emitted;

	if (!row || *row != '*')
		return guest_stack_lines(to, row, most);
	guest_stack_emitted = !strcmp(name, "emitMany");
	if (told)		/* emit(), that called it */
		return 0;
	dbuf_putstr(to, "\n    at ");
	guest_stack_receiver(ctx, to, sf, false);
	dbuf_putstr(to, row + 2);
	return 1;
}

/*
 * Where scripts have thrown lately: what is printed of an exception that nobody caught is the statement, not where the error
 * was made. What a "finally" lets go on is thrown by the same instruction, so there are a few.
 */
enum { GUEST_THROWN = 4 };
static struct guest_thrown {
	JSValue value;
	JSValue func;
	uint32_t pc;
} guest_thrown[GUEST_THROWN];
static unsigned guest_n_thrown;

static void guest_throws_at(JSContext *ctx, JSStackFrame *sf, const uint8_t *pc, JSValueConst value)
{
	struct guest_thrown *t = &guest_thrown[guest_n_thrown % GUEST_THROWN], before = *t;
	JSFunctionBytecode *b = JS_VALUE_GET_OBJ(sf->cur_func)->u.func.function_bytecode;

	if (guest_stack_internal(ctx, b))
		return;
	*t = (struct guest_thrown){ js_dup(value), js_dup(sf->cur_func), (uint32_t)(pc - b->byte_code_buf - 1) };
	if (guest_n_thrown++ >= GUEST_THROWN) {
		JS_FreeValue(ctx, before.value);
		JS_FreeValue(ctx, before.func);
	}
}

/* Of an error whose class is the script's: the frames of its constructors are not shown. */
static JSStackFrame *guest_stack_below(JSStackFrame *from, JSValueConst class)
{
	if (!JS_IsObject(class))
		return from;
	for (JSStackFrame *sf = from; sf; sf = sf->prev_frame)
		if (JS_IsObject(sf->cur_func) && JS_VALUE_GET_PTR(sf->cur_func) == JS_VALUE_GET_PTR(class))
			return sf;
	return from;
}
static JSValueConst guest_error_class;

/* Writes a frame, if it is to be seen: the number of lines, at most `most`. */
static int guest_stack_frame(JSContext *ctx, DynBuf *to, JSStackFrame *sf, JSFunctionBytecode *b, int most)
{
	const char *name, *caller;
	int n = 1;

	if (guest_stack_ended)
		return 0;
	name = get_func_name(ctx, sf->cur_func);
	if (!b) {
		n = guest_stack_native(ctx, to, sf, name);
	} else if (guest_stack_internal(ctx, b)) {
		n = guest_stack_library(ctx, to, sf, name, most);
		guest_stack_ended = name && guest_stack_is_last(name);
	} else {
		bool named = name && *name && strcmp(name, "<eval>");

		caller = guest_stack_caller(ctx, sf);
		dbuf_putstr(to, "\n    at ");
		if (caller && (!strncmp(caller, "listOn", 6) || strstr(caller, "processImmediate"))) {
			guest_stack_callback(ctx, to, caller, named ? name : "");
			named = true;
		} else {
			size_t before = to->size;

			if (!sf->is_constructor && !(named && (strchr(name, '.') || *name == '#')) &&
			    strcmp(name ? name : "", "<eval>"))
				guest_stack_receiver(ctx, to, sf, false);
			if (to->size > before && !named)
				dbuf_putstr(to, "<anonymous>");
			named = named || to->size > before;
			dbuf_printf(to, "%s%s", sf->is_constructor ? "new " : "", named && name ? name : "");
		}
		if (named)
			dbuf_putstr(to, " (");
		guest_stack_place(ctx, to, sf, b);
		if (named)
			dbuf_putc(to, ')');
	}
	JS_FreeCString(ctx, name);
	return n;
}

/* The same of a function that awaits: "async NAME (PLACE)". */
static int guest_stack_async_frame(JSContext *ctx, DynBuf *to, JSStackFrame *sf, int most)
{
	JSFunctionBytecode *b = guest_stack_code(sf);
	const char *name = get_func_name(ctx, sf->cur_func);
	size_t before;
	bool named = name && *name && strcmp(name, "<eval>");
	int n = 1;

	if (!b) {
		n = 0;
	} else if (guest_stack_internal(ctx, b)) {
		n = named ? guest_stack_lines(to, guest_stack_row(name), most) : 0;
	} else {
		dbuf_putstr(to, "\n    at async ");
		before = to->size;
		if (!(named && (strchr(name, '.') || *name == '#')))
			guest_stack_receiver(ctx, to, sf, false);
		if (to->size > before && !named) {
			bool timer = to->size - before == 8 && !memcmp(to->buf + before, "Timeout.", 8);

			dbuf_putstr(to, timer ? "_onTimeout" : "<anonymous>");
		}
		dbuf_putstr(to, named ? name : "");
		named = to->size > before;
		if (named)
			dbuf_putstr(to, " (");
		guest_stack_place(ctx, to, sf, b);
		if (named)
			dbuf_putc(to, ')');
	}
	JS_FreeCString(ctx, name);
	return n;
}
