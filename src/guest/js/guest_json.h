/*
 * Messages of JSON.parse() and JSON.stringify() in V8's words. Included into
 * quickjs.c before JSON.parse.
 */

/* The text around a bad character, quoted: all of it, or 10 characters of both sides. */
static void guest_json_excerpt(DynBuf *to, const char *text, size_t n, size_t at)
{
	enum { AROUND = 10, ALL = 40 };
	size_t from = at > AROUND ? at - AROUND : 0, end = at + AROUND < n ? at + AROUND : n;

	if (n <= ALL) {
		from = 0;
		end = n;
	}
	dbuf_printf(to, "%s\"", from ? "..." : "");
	dbuf_put(to, text + from, end - from);
	dbuf_printf(to, "\"%s is not valid JSON", end < n ? "..." : "");
}

/* Where the last text was wrong, for what is printed of its exception when nobody catches it. */
static struct guest_json_mistake {
	JSValue error, line;
	int number, column;
} guest_json_mistake;
static bool guest_json_noted;

static void guest_json_note(JSContext *ctx, const char *text, size_t n, size_t at)
{
	enum { LINE_MOST = 4096 };
	struct guest_json_mistake before = guest_json_mistake;
	size_t from = at < n ? at : n, end = from;
	int number = 1;

	while (from > 0 && text[from - 1] != '\n')
		from--;
	while (end < n && text[end] != '\n')
		end++;
	if (end - from > LINE_MOST)
		return;
	for (size_t i = 0; i < from; i++)
		number += text[i] == '\n';
	guest_json_mistake = (struct guest_json_mistake){ js_dup(ctx->rt->current_exception),
		JS_NewStringLen(ctx, text + from, end - from), number, (int)(at - from) + 1 };
	if (guest_json_noted) {
		JS_FreeValue(ctx, before.error);
		JS_FreeValue(ctx, before.line);
	}
	guest_json_noted = true;
}

/* [line number, column, line] of an exception of JSON.parse(); undefined if it is none of the last. */
static JSValue guest_json_where(JSContext *ctx, JSValueConst error)
{
	JSValue r;

	if (!guest_json_noted || !JS_IsObject(error) || !JS_IsObject(guest_json_mistake.error) ||
	    JS_VALUE_GET_PTR(error) != JS_VALUE_GET_PTR(guest_json_mistake.error))
		return JS_UNDEFINED;
	r = JS_NewArray(ctx);
	JS_SetPropertyUint32(ctx, r, 0, JS_NewInt32(ctx, guest_json_mistake.number));
	JS_SetPropertyUint32(ctx, r, 1, JS_NewInt32(ctx, guest_json_mistake.column));
	JS_SetPropertyUint32(ctx, r, 2, js_dup(guest_json_mistake.line));
	return r;
}

/* V8's message for what stands at `at`. */
static void guest_json_at(JSContext *ctx, const char *text, size_t n, size_t at, const char *wanted)
{
	DynBuf to;

	js_dbuf_init(ctx, &to);
	if (at >= n && !wanted) {
		dbuf_putstr(&to, "Unexpected end of JSON input");
	} else if (wanted) {
		dbuf_printf(&to, "%s%s at position %u", wanted, strstr(wanted, "JSON") ? "" : " in JSON",
			    (unsigned)at);
	} else {
		size_t len = 1;

		while (at + len < n && (text[at + len] & 0xc0) == 0x80)
			len++;
		dbuf_printf(&to, "Unexpected token '%.*s', ", (int)len, text + at);
		guest_json_excerpt(&to, text, n, at);
	}
	JS_FreeValue(ctx, JS_GetException(ctx));
	guest_dbuf_throw(ctx, JS_SYNTAX_ERROR, &to);
	guest_json_note(ctx, text, n, at);
}

struct guest_json {
	const char *s;
	size_t n, at;
	const char *wanted;	/* NULL: a token that must not be there */
};

static void guest_json_space(struct guest_json *j)
{
	while (j->at < j->n && strchr(" \t\n\r", j->s[j->at]) && j->s[j->at])
		j->at++;
}

static bool guest_json_string(struct guest_json *j)
{
	for (j->at++; j->at < j->n; j->at++) {
		unsigned char c = (unsigned char)j->s[j->at];

		if (c == '"') {
			j->at++;
			return true;
		}
		if (c < 32) {
			j->wanted = "Bad control character in string literal";
			return false;
		}
		if (c != '\\')
			continue;
		c = ++j->at < j->n ? (unsigned char)j->s[j->at] : 0;
		if (c == 'u') {
			for (int i = 0; i < 4; i++)
				if (++j->at >= j->n || from_hex(j->s[j->at]) < 0) {
					j->wanted = j->at < j->n ? "Bad Unicode escape" : "Unterminated string";
					return false;
				}
		} else if (!c || !strchr("\"\\/bfnrt", c)) {
			j->wanted = j->at < j->n ? "Bad escaped character" : "Unterminated string";
			return false;
		}
	}
	j->wanted = "Unterminated string";
	return false;
}

static bool guest_json_digits(struct guest_json *j, const char *wanted)
{
	size_t from = j->at;

	while (j->at < j->n && j->s[j->at] >= '0' && j->s[j->at] <= '9')
		j->at++;
	if (j->at == from)
		j->wanted = wanted;
	return j->at > from;
}

static bool guest_json_number(struct guest_json *j)
{
	if (j->s[j->at] == '-')
		j->at++;
	if (j->at < j->n && j->s[j->at] == '0') {
		j->at++;
		if (j->at < j->n && j->s[j->at] >= '0' && j->s[j->at] <= '9') {
			j->wanted = "Unexpected number";
			return false;
		}
	} else if (!guest_json_digits(j, "No number after minus sign")) {
		return false;
	}
	if (j->at < j->n && j->s[j->at] == '.') {
		j->at++;
		if (!guest_json_digits(j, "Unterminated fractional number"))
			return false;
	}
	if (j->at < j->n && (j->s[j->at] | 32) == 'e') {
		j->at++;
		if (j->at < j->n && (j->s[j->at] == '-' || j->s[j->at] == '+'))
			j->at++;
		return guest_json_digits(j, "Exponent part is missing a number");
	}
	return true;
}

static bool guest_json_word(struct guest_json *j, const char *word)
{
	for (; *word; word++, j->at++)
		if (j->at >= j->n || j->s[j->at] != *word)
			return false;
	return true;
}

static bool guest_json_key(struct guest_json *j, bool first)
{
	guest_json_space(j);
	if (j->at >= j->n || j->s[j->at] != '"') {
		j->wanted = first ? "Expected property name or '}'" : "Expected double-quoted property name";
		return false;
	}
	if (!guest_json_string(j))
		return false;
	guest_json_space(j);
	if (j->at >= j->n || j->s[j->at] != ':') {
		j->wanted = "Expected ':' after property name";
		return false;
	}
	j->at++;
	return true;
}

/* Finds the first thing that is wrong. Not recursive: what is open is in a bitmap of its own. */
static bool guest_json_values(JSContext *ctx, struct guest_json *j)
{
	DynBuf open;
	bool good = false;

	js_dbuf_init(ctx, &open);
	for (;;) {
		char c;

		guest_json_space(j);
		c = j->at < j->n ? j->s[j->at] : 0;
		if (c == '{' || c == '[') {
			dbuf_putc(&open, (uint8_t)c);
			j->at++;
			guest_json_space(j);
			if (j->at < j->n && j->s[j->at] == (c == '{' ? '}' : ']')) {
				j->at++;
				open.size--;
			} else if (c == '{' && !guest_json_key(j, true)) {
				break;
			} else {
				continue;
			}
		} else if (!(c == '"' ? guest_json_string(j) :
			     c == '-' || (c >= '0' && c <= '9') ? guest_json_number(j) :
			     c == 't' ? guest_json_word(j, "true") : c == 'f' ? guest_json_word(j, "false") :
			     c == 'n' && guest_json_word(j, "null"))) {
			break;
		}
		for (;;) {
			guest_json_space(j);
			if (!open.size || dbuf_error(&open)) {
				good = j->at >= j->n;
				if (!good)
					j->wanted = "Unexpected non-whitespace character after JSON";
				goto end;
			}
			c = j->at < j->n ? j->s[j->at] : 0;
			if (c == ',' || c != (open.buf[open.size - 1] == '{' ? '}' : ']'))
				break;
			j->at++;
			open.size--;
		}
		if (c != ',') {
			j->wanted = open.buf[open.size - 1] == '{' ?
				"Expected ',' or '}' after property value" : "Expected ',' or ']' after array element";
			break;
		}
		j->at++;
		if (open.buf[open.size - 1] == '{' && !guest_json_key(j, false))
			break;
	}
end:
	dbuf_free(&open);
	return good;
}

/* JSON.parse() failed with a SyntaxError: says why as V8 does. */
static void guest_json_error(JSContext *ctx, const char *text, size_t n)
{
	struct guest_json j = { .s = text, .n = n };

	if (guest_json_values(ctx, &j))
		return;
	if (j.at >= j.n && j.wanted && strncmp(j.wanted, "Unterminated", 12) && strncmp(j.wanted, "Expected p", 10) &&
	    strncmp(j.wanted, "No ", 3) && strncmp(j.wanted, "Exponent", 8))
		j.wanted = strncmp(j.wanted, "Expected", 8) ? NULL : j.wanted;
	guest_json_at(ctx, text, n, j.at, j.wanted);
}

/* ---- Cycles ---- */

static void guest_circle_key(JSContext *ctx, DynBuf *to, JSAtom key)
{
	const char *name;

	if (__JS_AtomIsTaggedInt(key)) {
		dbuf_printf(to, "index %u", __JS_AtomToUInt32(key));
		return;
	}
	name = JS_AtomToCString(ctx, key);
	dbuf_printf(to, "property '%s'", name ? name : "");
	JS_FreeCString(ctx, name);
}

/* The key of `from` under which `to` is. */
static JSAtom guest_circle_find(JSContext *ctx, JSValueConst from, JSValueConst to)
{
	JSPropertyEnum *all;
	uint32_t n;
	JSAtom found = JS_ATOM_NULL;

	if (JS_GetOwnPropertyNames(ctx, &all, &n, from, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY))
		return JS_ATOM_NULL;
	for (uint32_t i = 0; i < n && found == JS_ATOM_NULL; i++) {
		JSValue v = JS_GetProperty(ctx, from, all[i].atom);

		if (JS_IsObject(v) && JS_VALUE_GET_PTR(v) == JS_VALUE_GET_PTR(to))
			found = JS_DupAtom(ctx, all[i].atom);
		JS_FreeValue(ctx, v);
	}
	JS_FreePropertyEnum(ctx, all, n);
	return found;
}

static void guest_circle_constructor(JSContext *ctx, DynBuf *to, JSValueConst v)
{
	JSValue ctor = JS_GetProperty(ctx, v, JS_ATOM_constructor);
	const char *name = JS_IsObject(ctor) ? get_func_name(ctx, ctor) : NULL;

	dbuf_printf(to, "object with constructor '%s'", name ? name : "Object");
	JS_FreeCString(ctx, name);
	JS_FreeValue(ctx, ctor);
}

/* stack: the objects being written; v: the one of them that is met again. */
static void guest_circle(JSContext *ctx, JSValueConst stack, JSValueConst v)
{
	int64_t n = 0, first = 0;
	DynBuf to;
	JSValue at;
	JSAtom key;

	JS_GetLength(ctx, stack, &n);
	for (; first < n; first++) {
		at = JS_GetPropertyInt64(ctx, stack, first);
		JS_FreeValue(ctx, at);
		if (JS_IsObject(at) && JS_VALUE_GET_PTR(at) == JS_VALUE_GET_PTR(v))
			break;
	}
	js_dbuf_init(ctx, &to);
	dbuf_putstr(&to, "Converting circular structure to JSON\n    --> starting at ");
	guest_circle_constructor(ctx, &to, v);
	at = js_dup(v);
	for (int64_t i = first + 1; i < n; i++) {
		JSValue next = JS_GetPropertyInt64(ctx, stack, i);

		if (i == first + 1 || i == n - 1) {
			dbuf_putstr(&to, "\n    |     ");
			key = guest_circle_find(ctx, at, next);
			guest_circle_key(ctx, &to, key);
			JS_FreeAtom(ctx, key);
			dbuf_putstr(&to, " -> ");
			guest_circle_constructor(ctx, &to, next);
		} else if (i == first + 2) {
			dbuf_putstr(&to, "\n    |     ...");
		}
		JS_FreeValue(ctx, at);
		at = next;
	}
	dbuf_putstr(&to, "\n    --- ");
	key = guest_circle_find(ctx, at, v);
	guest_circle_key(ctx, &to, key);
	JS_FreeAtom(ctx, key);
	dbuf_putstr(&to, " closes the circle");
	JS_FreeValue(ctx, at);
	JS_FreeValue(ctx, JS_GetException(ctx));
	guest_dbuf_throw(ctx, JS_TYPE_ERROR, &to);
}

/* After JSON.parse(): only its own SyntaxErrors get other words. */
static void guest_json_failed(JSContext *ctx, const char *text, size_t n)
{
	JSValue e = JS_GetException(ctx);
	bool own = JS_IsObject(e) && JS_GetClassID(e) == JS_CLASS_ERROR &&
		   JS_VALUE_GET_OBJ(e)->shape->proto ==
		   JS_VALUE_GET_OBJ(ctx->native_error_proto[JS_SYNTAX_ERROR]);

	JS_Throw(ctx, e);
	if (own && (!strcmp(text, "undefined") || !strcmp(text, "[object Object]") || !strcmp(text, "NaN") ||
		    !strcmp(text, "Infinity"))) {
		JS_FreeValue(ctx, JS_GetException(ctx));
		JS_ThrowSyntaxError(ctx, "\"%s\" is not valid JSON", text);
		guest_json_note(ctx, text, n, 0);
	} else if (own) {
		guest_json_error(ctx, text, n);
	}
}
