/*
 * "... is not iterable": V8 says so of what the script wrote in a loop, a pattern or behind "...", and at its place. Included into
 * quickjs.c by guest_error.h.
 */
/* A chain of members and calls, as it is read forwards. */
struct guest_chain {
	const char *from, *end;	/* the text */
	const char *at;		/* where V8 says it is: the last name, "[", or what is called */
	bool call;		/* ends with a call, */
	const char *callee_end;	/* of this */
};

/* p is where "()" ends that are left out of a callee's text. */
static bool guest_chain_read(struct guest_chain *c, const char *p, const char *end)
{
	const char *name = p, *q;

	*c = (struct guest_chain){ .from = p, .at = p };
	while (p < end && guest_is_name((unsigned char)*p))
		p++;
	if (p == name)
		return false;
	for (;;) {
		c->end = p;
		if (p < end && (*p == '(' || *p == '[')) {
			c->call = *p == '(';
			c->callee_end = p;
			c->at = c->call && name ? name : p;
			name = NULL;
			q = guest_partner(p, end);
			if (!q)
				return false;
			p = q;
			continue;
		}
		q = p + (p < end && *p == '?');
		if (q == end || *q != '.' || q + 1 == end || !guest_is_name((unsigned char)q[1]))
			break;
		c->at = name = p = q + 1;
		c->call = false;
		while (p < end && guest_is_name((unsigned char)*p))
			p++;
	}
	q = guest_spaces(p, end);
	return c->end - c->from <= GUEST_TEXT && (q == end || strchr(")]},;:", *q) || memchr(p, '\n', (size_t)(q - p)));
}

/* "a.b is not iterable", "f is not a function or its return value is not iterable" */
static void guest_chain_not_iterable(DynBuf *to, const struct guest_chain *c)
{
	guest_chain_print(to, c->from, c->call ? c->callee_end : c->end);
	dbuf_putstr(to, c->call ? " is not a function or its return value is not iterable" : " is not iterable");
}

/* The value's own words: "number 5 is not iterable (cannot read property ...)". */
static void guest_value_not_iterable(JSContext *ctx, DynBuf *to, JSValueConst v, bool native)
{
	bool empty = JS_IsUndefined(v) || JS_IsNull(v);

	if (native || JS_IsObject(v)) {
		const char *type = JS_IsObject(v) ? "object" : JS_IsNumber(v) ? "number" :
				   JS_IsBool(v) ? "boolean" : JS_IsSymbol(v) ? "symbol" : "";

		dbuf_putstr(to, type);
		if (!JS_IsObject(v)) {
			if (*type)
				dbuf_putc(to, ' ');
			guest_show(ctx, to, v, true);
		}
	} else {
		guest_show(ctx, to, v, true);
	}
	dbuf_putstr(to, " is not iterable");
	if (native || JS_IsObject(v) || empty)
		dbuf_putstr(to, " (cannot read property Symbol(Symbol.iterator))");
}

/* The bracket that is open before p; NULL: none. */
static const char *guest_open_before(const char *start, const char *p)
{
	int depth = 0;

	while (p-- > start) {
		if (*p == ')' || *p == ']' || *p == '}')
			depth++;
		else if ((*p == '(' || *p == '[' || *p == '{') && depth-- == 0)
			return p;
	}
	return NULL;
}

/* f(...v): V8 is at the call, and has other words if it is the last argument. False: it is no call. */
static bool guest_spread_call(JSContext *ctx, DynBuf *to, JSValueConst v, const struct guest_chain *c, const char *start,
			      const char *end)
{
	const char *open = guest_open_before(start, c->from - 3), *p = guest_spaces(c->end, end), *callee, *before;
	bool empty = JS_IsUndefined(v) || JS_IsNull(v);

	if (!open || *open != '(' || open == start || p == end)
		return false;
	callee = guest_chain_back(start, open);
	if (callee == open)
		return false;
	if (*p != ')') {
		guest_value_not_iterable(ctx, to, v, true);
		return true;
	}
	before = guest_spaces_back(start, callee);
	if (before - start >= 3 && !memcmp(before - 3, "new", 3))
		guest_error_at(ctx, before - 3);
	else
		guest_error_at(ctx, guest_name_back(start, open) < open ? guest_name_back(start, open) : open);
	if (empty)
		guest_chain_print(to, c->from, c->end);
	dbuf_putstr(to, !empty ? "Spread syntax requires ...iterable[Symbol.iterator] to be a function" :
		    JS_IsNull(v) ? " is not iterable (cannot read property null)" : " is not iterable (cannot read property undefined)");
	return true;
}

/* By the script's text: of a pattern, a loop, a spread. False: the value has to do. */
static bool guest_text_not_iterable(JSContext *ctx, DynBuf *to, JSValueConst v)
{
	const char *start, *end, *p = guest_here(ctx, &start, &end), *from;
	struct guest_chain c;

	if (!p)
		return false;
	if (end - p > 3 && p[0] == 'o' && p[1] == 'f' && !guest_is_name((unsigned char)p[2])) {
		from = guest_spaces(p + 2, end);
		if (!guest_chain_read(&c, from, end))
			return false;
		guest_error_at(ctx, c.at);
		guest_chain_not_iterable(to, &c);
		return true;
	}
	for (from = p; from < end && guest_is_name((unsigned char)*from); from++)
		;
	from = guest_chain_back(start, from);
	if (from - start >= 3 && !memcmp(from - 3, "...", 3)) {
		if (!guest_chain_read(&c, from, end))
			return false;
		if (!guest_spread_call(ctx, to, v, &c, start, end))
			guest_chain_not_iterable(to, &c);
		return true;
	}
	if (*p != '[' || !(p = guest_partner(p, end)) || *(p = guest_spaces(p, end)) != '=' || p[1] == '=')
		return false;
	p = guest_spaces(p + 1, end);
	guest_error_at(ctx, p);
	if (!guest_chain_read(&c, p, end) || ((JS_IsUndefined(v) || JS_IsNull(v)) && c.end != p && (c.at != c.from) && !c.call))
		return false;
	guest_chain_not_iterable(to, &c);
	return true;
}

/* undefined and null, gone over or asked for Symbol.iterator. */
static JSValue guest_empty_not_iterable(JSContext *ctx, JSValueConst v)
{
	DynBuf text;

	js_dbuf_init(ctx, &text);
	if (!guest_in_script(ctx) || !guest_text_not_iterable(ctx, &text, v))
		dbuf_printf(&text, "%s is not iterable (cannot read property Symbol(Symbol.iterator))",
			    JS_IsNull(v) ? "object null" : "undefined");
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return JS_EXCEPTION;
}

static JSValue guest_not_iterable(JSContext *ctx, JSValueConst v)
{
	bool native = !guest_in_script(ctx);
	DynBuf text;

	js_dbuf_init(ctx, &text);
	if (native || !guest_text_not_iterable(ctx, &text, v))
		guest_value_not_iterable(ctx, &text, v, native);
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &text);
	return JS_EXCEPTION;
}
