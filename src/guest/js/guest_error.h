/*
 * Messages of exceptions that name what the script wrote or the value it used,
 * in V8's words. Included into quickjs.c, behind guest_stack.h.
 */
enum { GUEST_TEXT = 200 };

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
			if (first)
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

/* What is called where the script is: "a.b(...).c". False: the text is not known. */
static bool guest_callee(JSContext *ctx, DynBuf *to)
{
	const char *start, *end, *p = guest_here(ctx, &start, &end), *from;

	if (!p)
		return false;
	if (end - p > 4 && !memcmp(p, "new", 3) && !guest_is_name((unsigned char)p[3])) {
		for (p += 3; p < end && (*p == ' ' || *p == '\n'); p++)
			;
		for (from = p; p < end && (guest_is_name((unsigned char)*p) || *p == '.'); p++)
			;
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
	guest_chain_print(to, from, p);
	return true;
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

/* "NAME is not a function", by the script's text, else by the value. */
static JSValue guest_not_a(JSContext *ctx, JSValueConst v, const char *what)
{
	DynBuf text;

	js_dbuf_init(ctx, &text);
	if (!guest_callee(ctx, &text))
		guest_show(ctx, &text, v, true);
	dbuf_printf(&text, " is not a %s", what);
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return JS_EXCEPTION;
}

static JSValue guest_not_iterable(JSContext *ctx, JSValueConst v)
{
	JSStackFrame *sf = ctx->rt->current_stack_frame;
	DynBuf text;
	bool native = sf && JS_VALUE_GET_TAG(sf->cur_func) == JS_TAG_OBJECT &&
		      !js_class_has_bytecode(JS_VALUE_GET_OBJ(sf->cur_func)->class_id);
	bool empty = JS_IsUndefined(v) || JS_IsNull(v);

	js_dbuf_init(ctx, &text);
	if (native || JS_IsObject(v)) {
		const char *type = JS_IsObject(v) ? "object" : JS_IsNumber(v) ? "number" :
				   JS_IsBool(v) ? "boolean" : JS_IsSymbol(v) ? "symbol" : "";

		dbuf_putstr(&text, type);
		if (!JS_IsObject(v)) {
			if (*type)
				dbuf_putc(&text, ' ');
			guest_show(ctx, &text, v, true);
		}
	} else {
		guest_show(ctx, &text, v, true);
	}
	dbuf_putstr(&text, " is not iterable");
	if (native || JS_IsObject(v) || empty)
		dbuf_putstr(&text, " (cannot read property Symbol(Symbol.iterator))");
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return JS_EXCEPTION;
}

/* "Cannot WHAT 'prop' of VALUE after" for a property. */
static int guest_throw_property(JSContext *ctx, const char *before, JSAtom prop, const char *between,
				JSValueConst v, const char *after)
{
	DynBuf text;
	const char *name = JS_AtomToCString(ctx, prop);

	js_dbuf_init(ctx, &text);
	dbuf_printf(&text, "%s%s%s", before, name ? name : "", between);
	if (!JS_IsUndefined(v))
		guest_show(ctx, &text, v, true);
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
	JSStackFrame *sf = ctx->rt->current_stack_frame;

	if (sf && JS_VALUE_GET_TAG(sf->cur_func) == JS_TAG_OBJECT &&
	    js_class_has_bytecode(JS_VALUE_GET_OBJ(sf->cur_func)->class_id))
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

static void guest_bad_regexp(JSContext *ctx, JSValueConst pattern, const char *text)
{
	const char *p = JS_ToCString(ctx, pattern);

	text = guest_regexp_text(text);
	if (p && *p && !strcmp(text, "Unterminated character class") && p[strlen(p) - 1] == '\\')
		text = "\\ at end of pattern";
	JS_ThrowSyntaxError(ctx, "Invalid regular expression: /%s/: %s", p ? p : "", text);
	JS_FreeCString(ctx, p);
}

static JSValue guest_bad_flags(JSContext *ctx, JSValueConst flags)
{
	const char *p = JS_ToCString(ctx, flags);

	JS_ThrowSyntaxError(ctx, "Invalid flags supplied to RegExp constructor '%s'", p ? p : "");
	JS_FreeCString(ctx, p);
	return JS_EXCEPTION;
}
