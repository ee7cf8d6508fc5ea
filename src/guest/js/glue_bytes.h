/*
 * Bytes for JavaScript: between strings and Uint8Arrays in all of Node's
 * encodings, and searching and comparing.
 */
struct glue_range {
	uint8_t *at;
	size_t n;
};

/* argv[i] is a view; argv[i + 1] and argv[i + 2] its start and end, clamped. */
static bool range_of(JSContext *ctx, int argc, JSValueConst *argv, struct glue_range *r)
{
	size_t n;
	int64_t start = 0, end;

	if (!glue_bytes(ctx, argv[0], &r->at, &n))
		return false;
	end = (int64_t)n;
	if (argc > 1 && !JS_IsUndefined(argv[1]) && JS_ToInt64Clamp(ctx, &start, argv[1], 0, (int64_t)n, 0))
		return false;
	if (argc > 2 && !JS_IsUndefined(argv[2]) && JS_ToInt64Clamp(ctx, &end, argv[2], 0, (int64_t)n, 0))
		return false;
	r->at += start;
	r->n = end > start ? (size_t)(end - start) : 0;
	return true;
}

/* (string, view, offset, length): what is to be written where. */
static bool target_of(JSContext *ctx, int argc, JSValueConst *argv, struct glue_string *s,
		      struct glue_range *r)
{
	size_t n;
	int64_t offset = 0, length;

	if (!glue_bytes(ctx, argv[1], &r->at, &n))
		return false;
	if (argc > 2 && JS_ToInt64Clamp(ctx, &offset, argv[2], 0, (int64_t)n, 0))
		return false;
	length = (int64_t)n - offset;
	if (argc > 3 && !JS_IsUndefined(argv[3]) &&
	    JS_ToInt64Clamp(ctx, &length, argv[3], 0, (int64_t)n - offset, 0))
		return false;
	if (!glue_string(ctx, argv[0], s))
		return false;
	if (!glue_bytes(ctx, argv[1], &r->at, &n) || offset + length > (int64_t)n) {
		JS_FreeValue(ctx, s->held);
		return false;
	}
	r->at += offset;
	r->n = (size_t)length;
	return true;
}

static JSValue wrote(JSContext *ctx, struct glue_string *s, size_t n)
{
	JS_FreeValue(ctx, s->held);
	return JS_NewInt64(ctx, (int64_t)n);
}

/* ---- UTF-8 ---- */

NATIVE(utf8_length)
{
	struct glue_string s;

	if (!glue_string(ctx, argv[0], &s))
		return JS_EXCEPTION;
	return wrote(ctx, &s, glue_utf8_length(&s));
}

NATIVE(to_utf8_encode)
{
	size_t n;
	char *made = glue_utf8(ctx, argv[0], &n);
	JSValue r;

	if (!made)
		return JS_EXCEPTION;
	r = JS_NewUint8ArrayCopy(ctx, (uint8_t *)made, n);
	js_free(ctx, made);
	return r;
}

NATIVE(utf8_write)
{
	struct glue_string s;
	struct glue_range r;
	uint8_t *to;
	size_t i = 0;

	if (!target_of(ctx, argc, argv, &s, &r))
		return JS_EXCEPTION;
	to = r.at;
	while (i < s.n) {
		size_t next = i;
		unsigned c = glue_char(&s, &next);

		if (glue_utf8_size(c) > r.n - (size_t)(to - r.at))
			break;
		to = glue_utf8_put(to, c);
		i = next;
	}
	JS_SetPropertyStr(ctx, this_val, "lastRead", JS_NewInt64(ctx, (int64_t)i));
	return wrote(ctx, &s, (size_t)(to - r.at));
}

/* The next character of [p, end); invalid: -1, and what WHATWG replaces as one is passed. */
static int32_t utf8_next(const uint8_t **p, const uint8_t *end)
{
	unsigned c = *(*p)++, low = 0x80, high = 0xbf;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;

	if (c < 0x80)
		return (int32_t)c;
	if (c < 0xc2 || c > 0xf4)
		return -1;
	if (c == 0xe0)
		low = 0xa0;
	else if (c == 0xed)
		high = 0x9f;
	else if (c == 0xf0)
		low = 0x90;
	else if (c == 0xf4)
		high = 0x8f;
	c &= 0x3fu >> more;
	while (more--) {
		if (*p == end || **p < low || **p > high)
			return -1;
		c = c << 6 | (*(*p)++ & 63);
		low = 0x80;
		high = 0xbf;
	}
	return (int32_t)c;
}

/* UTF-16 units and the largest of them; false: invalid. */
static bool utf8_measure(const struct glue_range *r, size_t *units, bool *wide)
{
	bool valid = true;

	*units = 0;
	*wide = false;
	for (const uint8_t *p = r->at, *end = r->at + r->n; p < end;) {
		int32_t c = utf8_next(&p, end);

		valid = valid && c >= 0;
		*wide = *wide || c < 0 || c > 255;
		*units += c > 0xffff ? 2 : 1;
	}
	return valid;
}

static void utf8_fill(const struct glue_range *r, JSString *s, bool wide)
{
	uint8_t *narrow = str8(s);
	uint16_t *to = str16(s);

	for (const uint8_t *p = r->at, *end = r->at + r->n; p < end;) {
		int32_t c = utf8_next(&p, end);

		if (!wide) {
			*narrow++ = (uint8_t)c;
		} else if (c > 0xffff) {
			*to++ = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			*to++ = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
		} else {
			*to++ = (uint16_t)(c < 0 ? 0xfffd : c);
		}
	}
	if (!wide)
		*narrow = 0;
}

static JSString *string_room(JSContext *ctx, size_t n, bool wide)
{
	if (n > JS_STRING_LEN_MAX) {
		JS_ThrowRangeError(ctx, "Cannot create a string longer than 0x1fffffe8 characters");
		return NULL;
	}
	return js_alloc_string(ctx, (int)n, wide);
}

static JSValue utf8_string(JSContext *ctx, const struct glue_range *r)
{
	size_t n;
	bool wide;
	JSString *s;

	utf8_measure(r, &n, &wide);
	if (!n)
		return JS_AtomToString(ctx, JS_ATOM_empty_string);
	s = string_room(ctx, n, wide);
	if (!s)
		return JS_EXCEPTION;
	utf8_fill(r, s, wide);
	return JS_MKPTR(JS_TAG_STRING, s);
}

NATIVE(to_utf8_decode)
{
	struct glue_range r;
	size_t n;
	bool wide;

	if (!range_of(ctx, argc, argv, &r))
		return JS_EXCEPTION;
	if (argc > 3 && JS_ToBool(ctx, argv[3]) && !utf8_measure(&r, &n, &wide))
		return JS_UNDEFINED;
	return utf8_string(ctx, &r);
}

/* ---- One or two bytes a character ---- */

NATIVE(latin1_decode)
{
	struct glue_range r;
	int32_t mask = 255;
	JSString *s;

	if (!range_of(ctx, argc, argv, &r) || (argc > 3 && JS_ToInt32(ctx, &mask, argv[3])))
		return JS_EXCEPTION;
	if (!r.n)
		return JS_AtomToString(ctx, JS_ATOM_empty_string);
	s = string_room(ctx, r.n, false);
	if (!s)
		return JS_EXCEPTION;
	for (size_t i = 0; i < r.n; i++)
		str8(s)[i] = (uint8_t)(r.at[i] & mask);
	str8(s)[r.n] = 0;
	return JS_MKPTR(JS_TAG_STRING, s);
}

NATIVE(latin1_write)
{
	struct glue_string s;
	struct glue_range r;
	size_t n;

	if (!target_of(ctx, argc, argv, &s, &r))
		return JS_EXCEPTION;
	n = s.n < r.n ? s.n : r.n;
	for (size_t i = 0; i < n; i++)
		r.at[i] = (uint8_t)glue_unit(&s, i);
	return wrote(ctx, &s, n);
}

NATIVE(ucs2_decode)
{
	struct glue_range r;
	JSString *s;

	if (!range_of(ctx, argc, argv, &r))
		return JS_EXCEPTION;
	if (r.n < 2)
		return JS_AtomToString(ctx, JS_ATOM_empty_string);
	s = string_room(ctx, r.n / 2, true);
	if (!s)
		return JS_EXCEPTION;
	memcpy(str16(s), r.at, r.n & ~(size_t)1);
	return JS_MKPTR(JS_TAG_STRING, s);
}

NATIVE(ucs2_write)
{
	struct glue_string s;
	struct glue_range r;
	size_t n;

	if (!target_of(ctx, argc, argv, &s, &r))
		return JS_EXCEPTION;
	n = s.n < r.n / 2 ? s.n : r.n / 2;
	for (size_t i = 0; i < n; i++) {
		unsigned c = glue_unit(&s, i);

		r.at[2 * i] = (uint8_t)c;
		r.at[2 * i + 1] = (uint8_t)(c >> 8);
	}
	return wrote(ctx, &s, 2 * n);
}

/* ---- Searching, comparing ---- */

static int64_t find_byte(const uint8_t *at, int64_t from, int64_t to, uint8_t c)
{
	const uint8_t *found = to > from ? memchr(at + from, c, (size_t)(to - from)) : NULL;

	return found ? found - at : -1;
}

/* The first place in [from, to) where all of the needle is; to is where it must end. */
static int64_t find_bytes(const uint8_t *at, int64_t from, int64_t to, const struct glue_range *needle)
{
	while (to - from >= (int64_t)needle->n) {
		int64_t i = find_byte(at, from, to - (int64_t)needle->n + 1, needle->at[0]);

		if (i < 0 || !memcmp(at + i, needle->at, needle->n))
			return i;
		from = i + 1;
	}
	return -1;
}

NATIVE(bytes_index_of)
{
	struct glue_range r, needle;
	int64_t from = 0, to;
	uint8_t c;
	int32_t number;

	if (!glue_bytes(ctx, argv[0], &r.at, &r.n))
		return JS_EXCEPTION;
	to = (int64_t)r.n;
	if ((argc > 2 && JS_ToInt64Clamp(ctx, &from, argv[2], 0, to, 0)) ||
	    (argc > 3 && !JS_IsUndefined(argv[3]) && JS_ToInt64Clamp(ctx, &to, argv[3], 0, to, 0)))
		return JS_EXCEPTION;
	if (JS_IsObject(argv[1])) {
		if (!glue_bytes(ctx, argv[1], &needle.at, &needle.n))
			return JS_EXCEPTION;
		return JS_NewInt64(ctx, needle.n ? find_bytes(r.at, from, to, &needle) : from);
	}
	if (JS_ToInt32(ctx, &number, argv[1]))
		return JS_EXCEPTION;
	c = (uint8_t)number;
	return JS_NewInt64(ctx, find_byte(r.at, from, to, c));
}

NATIVE(bytes_last_index_of)
{
	struct glue_range r, needle;
	int64_t from;

	if (!glue_bytes(ctx, argv[0], &r.at, &r.n) || !glue_bytes(ctx, argv[1], &needle.at, &needle.n))
		return JS_EXCEPTION;
	from = (int64_t)r.n;
	if (argc > 2 && !JS_IsUndefined(argv[2]) && JS_ToInt64Clamp(ctx, &from, argv[2], 0, from, 0))
		return JS_EXCEPTION;
	if (needle.n > r.n)
		return JS_NewInt32(ctx, -1);
	if (from > (int64_t)(r.n - needle.n))
		from = (int64_t)(r.n - needle.n);
	while (from >= 0 && memcmp(r.at + from, needle.at, needle.n))
		from--;
	return JS_NewInt64(ctx, from);
}

NATIVE(bytes_compare)
{
	struct glue_range a, b;
	int r;

	if (!glue_bytes(ctx, argv[0], &a.at, &a.n) || !glue_bytes(ctx, argv[1], &b.at, &b.n))
		return JS_EXCEPTION;
	r = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
	if (!r)
		r = a.n < b.n ? -1 : a.n > b.n;
	return JS_NewInt32(ctx, r < 0 ? -1 : r > 0);
}

#define BYTES_FUNCTIONS \
	JS_CFUNC_DEF("sys", 1, glue_sys), \
	JS_CFUNC_DEF("utf8Length", 1, utf8_length), \
	JS_CFUNC_DEF("utf8Encode", 1, to_utf8_encode), \
	JS_CFUNC_DEF("utf8Write", 4, utf8_write), \
	JS_CFUNC_DEF("utf8Decode", 4, to_utf8_decode), \
	JS_CFUNC_DEF("latin1Decode", 4, latin1_decode), \
	JS_CFUNC_DEF("latin1Write", 4, latin1_write), \
	JS_CFUNC_DEF("ucs2Decode", 3, ucs2_decode), \
	JS_CFUNC_DEF("ucs2Write", 4, ucs2_write), \
	JS_CFUNC_DEF("indexOf", 4, bytes_index_of), \
	JS_CFUNC_DEF("lastIndexOf", 3, bytes_last_index_of), \
	JS_CFUNC_DEF("compare", 2, bytes_compare),
