/*
 * Messages of exceptions that name what the script wrote or the value it used,
 * in V8's words. Included into quickjs.c, behind guest_stack.h.
 */
enum { GUEST_TEXT = 200 };

static void guest_dbuf_throw(JSContext *ctx, JSErrorEnum kind, DynBuf *text);

/* Where in a function's text a line and column are; NULL: not known. */
static const char *guest_source_at(JSFunctionBytecode *b, int line, int column, const char **end)
{
	const char *p = b->source;
	int at_line = b->line_num, at_column = b->col_num;

	if (!p)
		return NULL;
	*end = p + b->source_len;
	for (; p < *end; p++) {
		if (at_line == line && at_column >= column)
			return p;
		if (*p == '\n') {
			at_line++;
			at_column = 1;
		} else if ((*p & 0xc0) != 0x80) {
			at_column++;
		}
	}
	return NULL;
}

/* The place that the running function of a script is at. */
static const char *guest_here(JSContext *ctx, const char **start, const char **end)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	JSFunctionBytecode *b;
	JSObject *p;
	int line, column;

	if (!sf || JS_VALUE_GET_TAG(sf->cur_func) != JS_TAG_OBJECT)
		return NULL;
	p = JS_VALUE_GET_OBJ(sf->cur_func);
	if (!js_class_has_bytecode(p->class_id) || !sf->cur_pc)
		return NULL;
	b = p->u.func.function_bytecode;
	line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &column);
	*start = b->source;
	return line < 0 ? NULL : guest_source_at(b, line, column, end);
}

static bool guest_is_name(int c)
{
	return c == '_' || c == '$' || c == '#' || (c & 0x80) || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static const char *guest_spaces_back(const char *start, const char *p)
{
	while (p > start && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\t' || p[-1] == '\r'))
		p--;
	return p;
}

/* Behind p is a closing bracket: where its partner is; NULL: not found. */
static const char *guest_partner_back(const char *start, const char *p)
{
	int depth = 0;

	while (p-- > start) {
		if (*p == ')' || *p == ']' || *p == '}')
			depth++;
		else if ((*p == '(' || *p == '[' || *p == '{') && --depth == 0)
			return p;
	}
	return NULL;
}

static const char *guest_name_back(const char *start, const char *p)
{
	while (p > start && guest_is_name((unsigned char)p[-1]))
		p--;
	return p;
}

/* The beginning of the chain of members that ends before p. */
static const char *guest_chain_back(const char *start, const char *p)
{
	for (;;) {
		const char *q = guest_spaces_back(start, p), *name;

		if (q == start)
			return p;
		if (q[-1] == ')' || q[-1] == ']' || q[-1] == '}') {
			const char *open = guest_partner_back(start, q);

			if (!open)
				return p;
			p = open;
			q = guest_spaces_back(start, open);
			if (*open == '{' || q == start || !(guest_is_name((unsigned char)q[-1]) ||
							    q[-1] == ')' || q[-1] == ']'))
				return p;
			name = guest_name_back(start, q);
			if (q - name == 6 && !memcmp(name, "return", 6))
				return p;
			if (q[-1] == ')' || q[-1] == ']')
				continue;
			p = q;
			continue;
		}
		if (q[-1] == '"' || q[-1] == '\'') {
			char quote = q[-1];

			for (q--; q > start && q[-1] != quote; q--)
				;
			return q > start ? q - 1 : p;
		}
		name = guest_name_back(start, q);
		if (name == q)
			return p;
		p = name;
		q = guest_spaces_back(start, p);
		if (q == start || q[-1] != '.')
			return p;
		q--;
		if (q > start && q[-1] == '?')
			q--;
		if (q > start && q[-1] == '.')
			return p;
		p = q;
	}
}

static bool guest_is_chain(const char *p, const char *end)
{
	if (p >= end)
		return false;
	while (p < end && (guest_is_name((unsigned char)*p) || *p == '.'))
		p++;
	return p == end;
}

/* Arguments as "(...)", texts as keys without their quotes, brackets of values shortened, as V8. */
static void guest_chain_print(DynBuf *to, const char *p, const char *end)
{
	bool first = true;

	while (p < end) {
		if (*p == '(') {
			const char *q = p;
			int depth = 0;

			do {
				depth += (*q == '(') - (*q == ')');
				q++;
			} while (q < end && depth);
			if (first && guest_is_chain(p + 1, q - 1))
				dbuf_put(to, p + 1, (size_t)(q - p - 2));
			else if (first)
				dbuf_putstr(to, "(intermediate value)");
			else
				dbuf_putstr(to, "(...)");
			p = q;
		} else if (*p == '[' && !first && p + 2 < end && (p[1] == '"' || p[1] == '\'')) {
			dbuf_putc(to, '.');
			for (p += 2; p < end && *p != ']'; p++)
				if (*p != '"' && *p != '\'')
					dbuf_putc(to, *p);
			p++;
		} else if (*p == '{' && first) {
			dbuf_putstr(to, "(intermediate value)");
			p = end;
		} else {
			if (*p != '\n' && *p != '\t' && *p != ' ')
				dbuf_putc(to, *p);
			p++;
		}
		first = false;
	}
}

static const char *guest_partner(const char *p, const char *end);

/* [file, line, column] of the statement that threw a value; undefined if none did lately. */
static JSValue guest_thrown_at(JSContext *ctx, JSValueConst value)
{
	for (unsigned i = 0; i < GUEST_THROWN && i < guest_n_thrown; i++) {
		struct guest_thrown *t = &guest_thrown[(guest_n_thrown - 1 - i) % GUEST_THROWN];
		JSFunctionBytecode *b = JS_VALUE_GET_OBJ(t->func)->u.func.function_bytecode;
		const char *end, *p;
		int line, column;
		JSValue r;

		if (JS_VALUE_GET_TAG(t->value) != JS_VALUE_GET_TAG(value) || !js_same_value(ctx, t->value, value))
			continue;
		line = find_line_num(ctx, b, t->pc, &column);
		p = line < 0 ? NULL : guest_source_at(b, line, column, &end);
		if (!p || end - p < 6 || memcmp(p, "throw", 5) || guest_is_name((unsigned char)p[5]))
			continue;
		r = JS_NewArray(ctx);
		JS_SetPropertyUint32(ctx, r, 0, JS_AtomToString(ctx, b->filename));
		JS_SetPropertyUint32(ctx, r, 1, JS_NewInt32(ctx, line));
		JS_SetPropertyUint32(ctx, r, 2, JS_NewInt32(ctx, column));
		return r;
	}
	return JS_UNDEFINED;
}

/* "new" is before the chain [from, p): what is behind the arguments of what it makes; NULL: none. */
static const char *guest_made_by_new(const char *start, const char *from, const char *p)
{
	const char *word = guest_spaces_back(start, from);

	if (word == from || word - start < 3 || memcmp(word - 3, "new", 3) || (word - start > 3 && guest_is_name((unsigned char)word[-4])))
		return NULL;
	while (from < p && (guest_is_name((unsigned char)*from) || *from == '.'))
		from++;
	return from < p && *from == '(' ? guest_partner(from, p) : NULL;
}

/* What is called where the script is: "a.b(...).c". False: the text is not known. */
static bool guest_callee(JSContext *ctx, DynBuf *to)
{
	const char *start, *end, *p = guest_here(ctx, &start, &end), *from, *made;

	if (!p)
		return false;
	if (end - p > 4 && !memcmp(p, "new", 3) && !guest_is_name((unsigned char)p[3])) {
		for (p += 3; p < end && (*p == ' ' || *p == '\n'); p++)
			;
		for (from = p; p && p < end && (guest_is_name((unsigned char)*p) || *p == '.' || *p == '['); )
			p = *p == '[' ? guest_partner(p, end) : p + 1;
		if (!p)
			return false;
		if (p == from) {
			dbuf_putstr(to, "(intermediate value)");
			return true;
		}
	} else {
		while (p < end && guest_is_name((unsigned char)*p))
			p++;
		from = guest_chain_back(start, p);
		if (p < end && *p == '[') {
			while (p < end && *p != ']')
				p++;
			p += p < end;
		}
	}
	if (from >= p || p - from > GUEST_TEXT)
		return false;
	made = guest_made_by_new(start, from, p);
	if (made) {
		dbuf_putstr(to, "(intermediate value)");
		from = made;
	}
	guest_chain_print(to, from, p);
	return true;
}

/* What is thrown next at this instruction is, for the stack, at p. */
static void guest_error_at(JSContext *ctx, const char *p)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	JSFunctionBytecode *b = JS_VALUE_GET_OBJ(sf->cur_func)->u.func.function_bytecode;
	int line = b->line_num, column = b->col_num;

	for (const char *q = b->source; q < p; q++) {
		if (*q == '\n') {
			line++;
			column = 1;
		} else if ((*q & 0xc0) != 0x80) {
			column++;
		}
	}
	guest_place = (struct guest_place){ sf, sf->cur_pc, line, column };
}

/* ---- Patterns and loops ---- */

static const char *guest_spaces(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* Behind the bracket that closes the one at p. */
static const char *guest_partner(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '(' || *p == '[' || *p == '{')
			depth++;
		else if ((*p == ')' || *p == ']' || *p == '}') && --depth == 0)
			return p + 1;
	}
	return NULL;
}

/* An expression that V8 would print as it stands: names and members, a number, {}. */
static bool guest_plain(DynBuf *to, const char *p, const char *end)
{
	const char *from = p = guest_spaces(p, end);

	if (end - p > 1 && *p == '{') {
		dbuf_putstr(to, *guest_spaces(p + 1, end) == '}' ? "{}" : "{(intermediate value)}");
		return true;
	}
	while (p < end && (guest_is_name((unsigned char)*p) || *p == '.'))
		p++;
	if (p == from || p - from > GUEST_TEXT)
		return false;
	dbuf_put(to, from, p - from);
	return guest_spaces(p, end) == end || *guest_spaces(p, end) != '(' ?
		true : (dbuf_putstr(to, "(...)"), true);
}

/* The script is at a pattern: what is taken apart; its beginning. */
static const char *guest_source_of(JSContext *ctx, DynBuf *to)
{
	const char *start, *end, *p = guest_here(ctx, &start, &end);

	if (!p || (*p != '[' && *p != '{'))
		return NULL;
	p = guest_partner(p, end);
	p = p ? guest_spaces(p, end) : end;
	if (p == end || *p != '=' || p[1] == '=')
		return NULL;
	p = guest_spaces(p + 1, end);
	return guest_plain(to, p, end) ? p : NULL;
}

/* "Cannot destructure property 'a' of 'b' as it is undefined." */
static JSValue guest_cannot_destructure(JSContext *ctx, JSValueConst v)
{
	enum { AROUND = 8 };
	const char *start, *end, *p = guest_here(ctx, &start, &end), *from, *value;
	DynBuf text;

	for (int i = 0; p && *p != '{' && i < AROUND; i++)	/* behind a "(" the engine's column is vague */
		p = p - i > start && p[-i] == '{' ? p - i : p + i < end && p[i] == '{' ? p + i : p;
	if (!p || *p != '{')
		return JS_ThrowTypeError(ctx, "Cannot convert undefined or null to object");
	value = JS_IsNull(v) ? "null" : "undefined";
	from = guest_spaces_back(start, p);
	if (from > start && from[-1] == ':') {
		from = p = guest_spaces(p + 1, end);
		while (p < end && guest_is_name((unsigned char)*p))
			p++;
		guest_error_at(ctx, from);
		return JS_ThrowTypeError(ctx, "Cannot read properties of %s (reading '%.*s')", value, (int)(p - from),
					 from);
	}
	js_dbuf_init(ctx, &text);
	dbuf_putstr(&text, "Cannot destructure ");
	from = p = guest_spaces(p + 1, end);
	while (p < end && guest_is_name((unsigned char)*p))
		p++;
	if (p > from) {
		dbuf_printf(&text, "property '%.*s' of ", (int)(p - from), from);
		guest_error_at(ctx, from);
	}
	dbuf_putc(&text, '\'');
	if (!guest_source_of(ctx, &text))
		dbuf_putstr(&text, value);
	dbuf_printf(&text, "' as it is %s.", value);
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return JS_EXCEPTION;
}

static JSValue guest_empty_not_iterable(JSContext *ctx, JSValueConst v);

/* Reading a property of undefined or null. */
static JSValue guest_no_property(JSContext *ctx, const char *of, JSAtom prop)
{
	char buf[ATOM_GET_STR_BUF_SIZE];

	if (prop == JS_ATOM_Symbol_iterator)
		return guest_empty_not_iterable(ctx, *of == 'n' ? JS_NULL : JS_UNDEFINED);
	JS_AtomGetStr(ctx, buf, sizeof(buf), prop);
	return JS_ThrowTypeError(ctx, JS_AtomGetKind(ctx, prop) == JS_ATOM_KIND_SYMBOL ? "Cannot read properties of %s (reading 'Symbol(%s)')" :
				 "Cannot read properties of %s (reading '%s')", of, buf);
}

/* ---- Values ---- */

static void guest_show_object(JSContext *ctx, DynBuf *to, JSValueConst v)
{
	JSValue pending = JS_GetException(ctx), ctor, name = JS_UNDEFINED;
	const char *text = NULL;

	if (JS_IsArray(v) > 0) {
		dbuf_putstr(to, "[object Array]");
	} else {
		ctor = JS_GetProperty(ctx, v, JS_ATOM_constructor);
		if (JS_IsObject(ctor))
			name = JS_GetProperty(ctx, ctor, JS_ATOM_name);
		if (JS_IsString(name))
			text = JS_ToCString(ctx, name);
		dbuf_printf(to, "#<%s>", text && *text ? text : "Object");
		JS_FreeCString(ctx, text);
		JS_FreeValue(ctx, JS_IsException(name) ? JS_UNDEFINED : name);
		JS_FreeValue(ctx, JS_IsException(ctor) ? JS_UNDEFINED : ctor);
	}
	JS_FreeValue(ctx, JS_GetException(ctx));
	JS_Throw(ctx, pending);
}

/* A value as V8's messages show it. */
static void guest_show(JSContext *ctx, DynBuf *to, JSValueConst v, bool quotes)
{
	const char *text;
	bool quoted = quotes && JS_IsString(v);

	if (JS_IsObject(v) && !JS_IsFunction(ctx, v)) {
		guest_show_object(ctx, to, v);
		return;
	}
	if (JS_IsSymbol(v)) {
		JSValue d = JS_GetPropertyStr(ctx, v, "description");

		text = JS_ToCString(ctx, d);
		dbuf_printf(to, "Symbol(%s)", text && !JS_IsUndefined(d) ? text : "");
		JS_FreeCString(ctx, text);
		JS_FreeValue(ctx, d);
		return;
	}
	text = JS_ToCString(ctx, v);
	dbuf_printf(to, quoted ? "\"%s\"" : "%s", text ? text : "value");
	JS_FreeCString(ctx, text);
}

/* Throws with the text, and frees it. As JS_ThrowError(), but of any length. */
static void guest_dbuf_throw(JSContext *ctx, JSErrorEnum kind, DynBuf *text)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	bool trace = !sf || !JS_GetFunctionBytecode(sf->cur_func);
	JSValue error;

	dbuf_putc(text, 0);
	error = dbuf_error(text) ? JS_EXCEPTION : JS_MakeError2(ctx, kind, trace, (const char *)text->buf);
	dbuf_free(text);
	JS_Throw(ctx, JS_IsException(error) ? JS_NULL : error);
}

/* before + value + after */
static JSValue guest_throw_value(JSContext *ctx, JSErrorEnum kind, const char *before, JSValueConst v,
				 const char *after)
{
	DynBuf text;

	js_dbuf_init(ctx, &text);
	dbuf_putstr(&text, before);
	guest_show(ctx, &text, v, false);
	dbuf_putstr(&text, after);
	guest_dbuf_throw(ctx, kind, &text);
	return JS_EXCEPTION;
}

static bool guest_in_script(JSContext *ctx)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;

	return sf && JS_VALUE_GET_TAG(sf->cur_func) == JS_TAG_OBJECT &&
	       js_class_has_bytecode(JS_VALUE_GET_OBJ(sf->cur_func)->class_id);
}

/* Is a native function of that name running? */
static bool guest_native_is(JSContext *ctx, const char *wanted)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	const char *name = sf && !guest_in_script(ctx) ? get_func_name(ctx, sf->cur_func) : NULL;
	bool is = name && !strcmp(name, wanted);

	JS_FreeCString(ctx, name);
	return is;
}

/* "NAME is not a function", by the script's text, else by the value. */
static JSValue guest_not_a(JSContext *ctx, JSValueConst v, const char *what)
{
	DynBuf text;

	js_dbuf_init(ctx, &text);
	if (guest_native_is(ctx, "sort") || guest_native_is(ctx, "toSorted")) {
		dbuf_putstr(&text, "The comparison function must be either a function or undefined");
		guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
		return JS_EXCEPTION;
	}
	if (guest_native_is(ctx, "Promise"))
		dbuf_putstr(&text, "Promise resolver ");
	if (!guest_callee(ctx, &text))
		guest_show(ctx, &text, v, true);
	dbuf_printf(&text, " is not a %s", what);
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return JS_EXCEPTION;
}

#include <guest_iterable.h>

/* "Cannot WHAT 'prop' of VALUE after" for a property. */
static int guest_throw_property(JSContext *ctx, const char *before, JSAtom prop, const char *between,
				JSValueConst v, const char *after)
{
	DynBuf text;
	const char *name = JS_AtomToCString(ctx, prop);

	js_dbuf_init(ctx, &text);
	dbuf_printf(&text, "%s%s%s", before, name ? name : "", between);
	if (!JS_IsUndefined(v) || strstr(before, "operator"))
		guest_show(ctx, &text, v, false);
	dbuf_putstr(&text, after);
	JS_FreeCString(ctx, name);
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return -1;
}

static bool guest_throws(JSContext *ctx, int flags)
{
	return (flags & JS_PROP_THROW) || ((flags & JS_PROP_THROW_STRICT) && is_strict_mode(ctx));
}

/* The name of the native function that is running. */
static JSValue guest_throw_named(JSContext *ctx, const char *before, const char *after)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	const char *name = sf ? get_func_name(ctx, sf->cur_func) : NULL;

	JS_ThrowTypeError(ctx, "%s%s%s", before, name ? name : "", after);
	JS_FreeCString(ctx, name);
	return JS_EXCEPTION;
}

static JSValue guest_needs_new(JSContext *ctx, JSValueConst func)
{
	const char *name = get_func_name(ctx, func);

	if (!name)
		return JS_ThrowTypeError(ctx, "constructor cannot be invoked without 'new'");
	if (!strcmp(name, "Promise"))
		JS_ThrowTypeError(ctx, "Promise constructor cannot be invoked without 'new'");
	else
		JS_ThrowTypeError(ctx, "Constructor %s requires 'new'", name);
	JS_FreeCString(ctx, name);
	return JS_EXCEPTION;
}

/* A BigInt where a number is needed: in an expression, or given to a function. */
static JSValue guest_bigint(JSContext *ctx)
{
	if (guest_in_script(ctx))
		return JS_ThrowTypeError(ctx, "Cannot mix BigInt and other types, use explicit conversions");
	return JS_ThrowTypeError(ctx, "Cannot convert a BigInt value to a number");
}

static const char *guest_regexp_text(const char *text)
{
	static const char *const rows[][2] = {
		{ "expecting ')'", "Unterminated group" }, { "nothing to repeat", "Nothing to repeat" },
		{ "extraneous characters at the end", "Unmatched ')'" },
		{ "unexpected end", "Unterminated character class" },
		{ "invalid group name", "Invalid capture group name" },
		{ "duplicate group name", "Duplicate capture group name" },
		{ "group name not defined", "Invalid named capture referenced" },
		{ "expecting group name", "Invalid named reference" }, { "invalid group", "Invalid group" },
		{ "invalid class range", "Invalid character class" },
		{ "back reference out of range in regular expression", "Invalid escape" },
		{ "invalid repetition count", "numbers out of order in {} quantifier" },
		{ "invalid escape sequence in regular expression", "Invalid escape" },
		{ "unknown unicode property name", "Invalid property name" },
		{ "unknown unicode property value", "Invalid property name" },
		{ "unknown unicode general category", "Invalid property name" },
		{ "unknown unicode script", "Invalid property name" },
		{ "expecting '{' after \\p", "Invalid property name" },
		{ "syntax error", "Lone quantifier brackets" },
	};

	for (size_t i = 0; i < countof(rows); i++)
		if (!strcmp(text, rows[i][0]))
			return rows[i][1];
	return text;
}

static bool guest_literal;	/* the parser has it compiled */

static void guest_bad_regexp(JSContext *ctx, JSValueConst pattern, JSValueConst flags, const char *text)
{
	const char *p, *f;

	if (!strcmp(text, "out of memory")) {
		JS_ThrowOutOfMemory(ctx);
		return;
	}
	p = JS_ToCString(ctx, pattern);
	text = guest_regexp_text(text);
	if (p && *p && !strcmp(text, "Unterminated character class") && p[strlen(p) - 1] == '\\')
		text = "\\ at end of pattern";
	f = JS_IsUndefined(flags) ? NULL : JS_ToCString(ctx, flags);
	JS_ThrowSyntaxError(ctx, "Invalid regular expression: /%s/%s: %s", p ? p : "", f ? f : "", text);
	JS_FreeCString(ctx, f);
	JS_FreeCString(ctx, p);
}

static JSValue guest_bad_flags(JSContext *ctx, JSValueConst flags)
{
	const char *p;

	if (guest_literal)
		return JS_ThrowSyntaxError(ctx, "Invalid regular expression flags");
	p = JS_ToCString(ctx, flags);
	JS_ThrowSyntaxError(ctx, "Invalid flags supplied to RegExp constructor '%s'", p ? p : "");
	JS_FreeCString(ctx, p);
	return JS_EXCEPTION;
}

/* Of Object's and Reflect's, whose frame knows the arguments. */
static JSValue guest_bad_prototype(JSContext *ctx, JSStackFrame *sf)
{
	JSValueConst object = sf->arg_count > 0 ? sf->arg_buf[0] : JS_UNDEFINED;
	bool reflect = !JS_IsFunction(ctx, sf->guest_this);

	if (reflect && !JS_IsObject(object))
		return JS_ThrowTypeError(ctx, "Reflect.setPrototypeOf called on non-object");
	if (JS_IsUndefined(object) || JS_IsNull(object))
		return JS_ThrowTypeError(ctx, "Object.setPrototypeOf called on null or undefined");
	return guest_throw_value(ctx, JS_TYPE_ERROR, "Object prototype may only be an Object or null: ",
				 sf->arg_count > 1 ? sf->arg_buf[1] : JS_UNDEFINED, "");
}

/* A property of a number or the like is set by a strict script. */
static int guest_create_on(JSContext *ctx, int flags, JSAtom prop, JSValueConst v)
{
	const char *type = JS_IsNumber(v) ? "number '" : JS_IsString(v) ? "string '" : JS_IsBool(v) ? "boolean '" :
			   JS_IsBigInt(v) ? "bigint '" : "symbol '";
	DynBuf text;
	const char *name;

	if (!guest_throws(ctx, flags))
		return false;
	name = JS_AtomToCString(ctx, prop);
	js_dbuf_init(ctx, &text);
	dbuf_printf(&text, "Cannot create property '%s' on %s", name ? name : "", type);
	guest_show(ctx, &text, v, false);
	dbuf_putc(&text, '\'');
	JS_FreeCString(ctx, name);
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return -1;
}

/* A native function of Object, Reflect or Proxy got no object. */
static JSValue guest_not_object(JSContext *ctx)
{
	static const char *const of_reflect[] = {
		"ownKeys", "apply", "construct", "deleteProperty", "get", "has", "set", "isExtensible",
		"preventExtensions"
	};
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	const char *name = sf && !guest_in_script(ctx) ? get_func_name(ctx, sf->cur_func) : NULL;
	const char *of = "Object";

	if (!name)
		return JS_ThrowTypeError(ctx, "not an object");
	if (!strcmp(name, "setPrototypeOf")) {
		JS_FreeCString(ctx, name);
		return guest_bad_prototype(ctx, sf);
	}
	for (size_t i = 0; i < countof(of_reflect); i++)
		if (!strcmp(name, of_reflect[i]))
			of = "Reflect";
	if (!strncmp(name, "all", 3) || !strcmp(name, "any") || !strcmp(name, "race"))
		of = "Promise";
	if (!strcmp(name, "Proxy"))
		JS_ThrowTypeError(ctx, "Cannot create proxy with a non-object as target or handler");
	else if (!strcmp(name, "resolve") || !strcmp(name, "reject"))
		JS_ThrowTypeError(ctx, "PromiseResolve called on non-object");
	else if (!strcmp(name, "Map") || !strcmp(name, "WeakMap") || !strcmp(name, "fromEntries"))
		JS_ThrowTypeError(ctx, "Iterator value is not an entry object");
	else
		JS_ThrowTypeError(ctx, "%s.%s called on non-object", of, name);
	JS_FreeCString(ctx, name);
	return JS_EXCEPTION;
}

/* An index or length that cannot be one. */
static void guest_bad_index(JSContext *ctx, JSValueConst v)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	const char *name = sf && !guest_in_script(ctx) ? get_func_name(ctx, sf->cur_func) : NULL;
	size_t n = name ? strlen(name) : 0;

	if (n > 5 && !strcmp(name + n - 5, "Array"))
		guest_throw_value(ctx, JS_RANGE_ERROR, "Invalid typed array length: ", v, "");
	else if (name && !strcmp(name, "ArrayBuffer"))
		JS_ThrowRangeError(ctx, "Invalid array buffer length");
	else if (name && (!strncmp(name, "get", 3) || !strncmp(name, "set", 3)))
		JS_ThrowRangeError(ctx, "Offset is outside the bounds of the DataView");
	else
		JS_ThrowRangeError(ctx, "Invalid value: not (convertible to) a safe integer");
	JS_FreeCString(ctx, name);
}
