/* Bytes as hexadecimal and base64 text. Reading is lenient, as Node's is. */
static int hex_value(unsigned c)
{
	if (c >= '0' && c <= '9')
		return (int)c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? (int)c - 'a' + 10 : -1;
}

NATIVE(to_hex_decode)
{
	static const char digits[] = "0123456789abcdef";
	struct glue_range r;
	JSString *s;

	if (!range_of(ctx, argc, argv, &r))
		return JS_EXCEPTION;
	if (!r.n)
		return JS_AtomToString(ctx, JS_ATOM_empty_string);
	s = string_room(ctx, 2 * r.n, false);
	if (!s)
		return JS_EXCEPTION;
	for (size_t i = 0; i < r.n; i++) {
		str8(s)[2 * i] = (uint8_t)digits[r.at[i] >> 4];
		str8(s)[2 * i + 1] = (uint8_t)digits[r.at[i] & 15];
	}
	str8(s)[2 * r.n] = 0;
	return JS_MKPTR(JS_TAG_STRING, s);
}

NATIVE(hex_write)
{
	struct glue_string s;
	struct glue_range r;
	size_t n = 0;

	if (!target_of(ctx, argc, argv, &s, &r))
		return JS_EXCEPTION;
	for (; n < r.n && 2 * n + 1 < s.n; n++) {
		int high = hex_value(glue_unit(&s, 2 * n)), low = hex_value(glue_unit(&s, 2 * n + 1));

		if (high < 0 || low < 0)
			break;
		r.at[n] = (uint8_t)(high << 4 | low);
	}
	return wrote(ctx, &s, n);
}

static uint8_t *base64_group(uint8_t *to, const char *digits, const uint8_t *at, size_t n, bool url)
{
	unsigned v = (unsigned)at[0] << 16 | (n > 1 ? (unsigned)at[1] << 8 : 0) | (n > 2 ? at[2] : 0);

	for (size_t i = 0; i < 4; i++) {
		if (i <= n)
			*to++ = (uint8_t)digits[v >> (18 - 6 * i) & 63];
		else if (!url)
			*to++ = '=';
	}
	return to;
}

NATIVE(base64_decode)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
		safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	struct glue_range r;
	bool url = argc > 3 && JS_ToBool(ctx, argv[3]);
	size_t n;
	JSString *s;
	uint8_t *to;

	if (!range_of(ctx, argc, argv, &r))
		return JS_EXCEPTION;
	n = r.n / 3 * 4 + (r.n % 3 ? url ? r.n % 3 + 1 : 4 : 0);
	if (!n)
		return JS_AtomToString(ctx, JS_ATOM_empty_string);
	s = string_room(ctx, n, false);
	if (!s)
		return JS_EXCEPTION;
	to = str8(s);
	for (size_t i = 0; i < r.n; i += 3)
		to = base64_group(to, url ? safe : plain, r.at + i, r.n - i < 3 ? r.n - i : 3, url);
	*to = 0;
	return JS_MKPTR(JS_TAG_STRING, s);
}

static int base64_value(unsigned c)
{
	if (c >= 'A' && c <= 'Z')
		return (int)c - 'A';
	if (c >= 'a' && c <= 'z')
		return (int)c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return (int)c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

NATIVE(base64_write)
{
	struct glue_string s;
	struct glue_range r;
	unsigned v = 0, bits = 0;
	size_t n = 0;

	if (!target_of(ctx, argc, argv, &s, &r))
		return JS_EXCEPTION;
	for (size_t i = 0; i < s.n && n < r.n; i++) {
		unsigned c = glue_unit(&s, i);
		int d = base64_value(c);

		if (c == '=')
			break;
		if (d < 0)
			continue;
		v = v << 6 | (unsigned)d;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			r.at[n++] = (uint8_t)(v >> bits);
		}
	}
	return wrote(ctx, &s, n);
}

#define TEXT_FUNCTIONS \
	JS_CFUNC_DEF("hexDecode", 3, to_hex_decode), \
	JS_CFUNC_DEF("hexWrite", 4, hex_write), \
	JS_CFUNC_DEF("base64Decode", 4, base64_decode), \
	JS_CFUNC_DEF("base64Write", 4, base64_write),
