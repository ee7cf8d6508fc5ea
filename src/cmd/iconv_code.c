/*
 * See iconv.h: names, decoding and encoding.
 */
#include "cmd/iconv.h"

#include <string.h>

#include "base/utf8.h"

/* ---- Names ---- */

static const struct {
	const char *name;
	struct iconv_code code;
} iconv_wide[] = {
	{ "UTF-8", { .kind = ICONV_UTF8 } },
	{ "UTF8", { .kind = ICONV_UTF8 } },
	{ "ISO-10646/UTF8", { .kind = ICONV_UTF8 } },
	{ "ASCII", { .kind = ICONV_ASCII } },
	{ "US-ASCII", { .kind = ICONV_ASCII } },
	{ "US", { .kind = ICONV_ASCII } },
	{ "ANSI_X3.4-1968", { .kind = ICONV_ASCII } },
	{ "ANSI_X3.4-1986", { .kind = ICONV_ASCII } },
	{ "ISO646-US", { .kind = ICONV_ASCII } },
	{ "646", { .kind = ICONV_ASCII } },
	{ "CP367", { .kind = ICONV_ASCII } },
	{ "UTF-16", { .kind = ICONV_16, .mark = true } },
	{ "UTF16", { .kind = ICONV_16, .mark = true } },
	{ "UNICODE", { .kind = ICONV_UCS2, .mark = true } },
	{ "UTF-16LE", { .kind = ICONV_16 } },
	{ "UTF16LE", { .kind = ICONV_16 } },
	{ "UTF-16BE", { .kind = ICONV_16, .big = true } },
	{ "UTF16BE", { .kind = ICONV_16, .big = true } },
	{ "UCS-2", { .kind = ICONV_UCS2 } },
	{ "UCS2", { .kind = ICONV_UCS2 } },
	{ "ISO-10646-UCS-2", { .kind = ICONV_UCS2 } },
	{ "UCS-2LE", { .kind = ICONV_UCS2 } },
	{ "UNICODELITTLE", { .kind = ICONV_UCS2 } },
	{ "UCS-2BE", { .kind = ICONV_UCS2, .big = true } },
	{ "UNICODEBIG", { .kind = ICONV_UCS2, .big = true } },
	{ "UTF-32", { .kind = ICONV_32, .mark = true } },
	{ "UTF32", { .kind = ICONV_32, .mark = true } },
	{ "UTF-32LE", { .kind = ICONV_32 } },
	{ "UTF32LE", { .kind = ICONV_32 } },
	{ "UTF-32BE", { .kind = ICONV_32, .big = true } },
	{ "UTF32BE", { .kind = ICONV_32, .big = true } },
	{ "UCS-4", { .kind = ICONV_32, .big = true } },
	{ "UCS4", { .kind = ICONV_32, .big = true } },
	{ "ISO-10646", { .kind = ICONV_32, .big = true } },
	{ "UCS-4BE", { .kind = ICONV_32, .big = true } },
	{ "UCS-4LE", { .kind = ICONV_32 } },
	{ "WCHAR_T", { .kind = ICONV_32 } },
};

/* Other names of the sets with tables. */
static const struct {
	const char *name, *set;
} iconv_aliases[] = {
	{ "LATIN1", "ISO-8859-1" }, { "L1", "ISO-8859-1" }, { "IBM819", "ISO-8859-1" },
	{ "CP819", "ISO-8859-1" }, { "8859_1", "ISO-8859-1" },
	{ "LATIN2", "ISO-8859-2" }, { "L2", "ISO-8859-2" },
	{ "LATIN3", "ISO-8859-3" }, { "L3", "ISO-8859-3" },
	{ "LATIN4", "ISO-8859-4" }, { "L4", "ISO-8859-4" },
	{ "CYRILLIC", "ISO-8859-5" }, { "ARABIC", "ISO-8859-6" },
	{ "GREEK", "ISO-8859-7" }, { "GREEK8", "ISO-8859-7" }, { "HEBREW", "ISO-8859-8" },
	{ "LATIN5", "ISO-8859-9" }, { "L5", "ISO-8859-9" },
	{ "LATIN6", "ISO-8859-10" }, { "L6", "ISO-8859-10" },
	{ "LATIN7", "ISO-8859-13" }, { "L7", "ISO-8859-13" },
	{ "LATIN8", "ISO-8859-14" }, { "L8", "ISO-8859-14" },
	{ "LATIN-9", "ISO-8859-15" }, { "LATIN10", "ISO-8859-16" }, { "L10", "ISO-8859-16" },
	{ "MS-EE", "CP1250" }, { "MS-CYRL", "CP1251" }, { "MS-ANSI", "CP1252" },
	{ "MS-GREEK", "CP1253" }, { "MS-TURK", "CP1254" }, { "MS-HEBR", "CP1255" },
	{ "MS-ARAB", "CP1256" }, { "WINBALTRIM", "CP1257" },
	{ "437", "CP437" }, { "850", "CP850" }, { "852", "CP852" }, { "855", "CP855" },
	{ "866", "CP866" }, { "KOI8R", "KOI8-R" }, { "MAC", "MACINTOSH" },
};

const char *const iconv_names[] = {
	"ASCII", "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UCS-2", "UCS-2LE", "UCS-2BE", "UTF-32",
	"UTF-32LE", "UTF-32BE", "UCS-4", "UCS-4LE", "UCS-4BE", "UNICODE", "WCHAR_T", NULL
};

/* The n bytes at s are `name`, whatever the case. */
static bool iconv_is(const char *s, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)s[i];

		if (c >= 'a' && c <= 'z')
			c -= 'a' - 'A';
		if (c != (unsigned char)name[i])
			return false;
	}
	return !name[n];
}

/* ISO8859-1, ISO_8859-1 and ISO88591 are ISO-8859-1; WINDOWS-1252 and IBM437 are CP... */
static bool iconv_is_set(const char *s, size_t n, const char *set)
{
	static const char *const iso[] = { "ISO-8859-", "ISO8859-", "ISO_8859-", "ISO8859", NULL };
	static const char *const page[] = { "CP", "WINDOWS-", "IBM", NULL };
	bool is_page = set[0] == 'C';
	const char *const *front = is_page ? page : iso;
	const char *number = set + (is_page ? 2 : strlen(iso[0]));

	if (iconv_is(s, n, set))
		return true;
	if (!is_page && strncmp(set, "ISO-8859-", 9) != 0)
		return false;
	for (; *front; front++) {
		size_t k = strlen(*front);

		if (n <= k || !iconv_is(s + k, n - k, number))
			continue;
		/* Windows has the pages of four digits, IBM the others. */
		if (is_page && **front != 'C' && (strlen(number) == 4) != (**front == 'W'))
			continue;
		for (size_t i = 0; i < k; i++)
			if (!iconv_is(s + i, 1, (char[2]){ (*front)[i], '\0' }))
				goto next;
		return true;
next:;
	}
	return false;
}

static bool iconv_find(const char *s, size_t n, struct iconv_code *code)
{
	for (size_t i = 0; i < sizeof(iconv_wide) / sizeof(*iconv_wide); i++) {
		if (iconv_is(s, n, iconv_wide[i].name)) {
			*code = iconv_wide[i].code;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(iconv_aliases) / sizeof(*iconv_aliases); i++) {
		if (iconv_is(s, n, iconv_aliases[i].name)) {
			s = iconv_aliases[i].set;
			n = strlen(s);
			break;
		}
	}
	for (const struct iconv_set *set = iconv_sets; set->name; set++) {
		if (iconv_is_set(s, n, set->name)) {
			*code = (struct iconv_code){ .kind = ICONV_BYTES, .set = set };
			for (uint8_t i = 0; i < 128; i++)
				code->place[set->high[i] & 255] = i;
			return true;
		}
	}
	return false;
}

bool iconv_named(const char *name, bool utf8, struct iconv_code *code)
{
	const char *end = strstr(name, "//");
	size_t n = end ? (size_t)(end - name) : strlen(name);
	bool known = true;

	if (n)
		known = iconv_find(name, n, code);
	else
		*code = (struct iconv_code){ .kind = utf8 ? ICONV_UTF8 : ICONV_ASCII };
	for (const char *s = end; known && s && *s;) {
		s += strspn(s, "/,");
		n = strcspn(s, "/,");
		code->translit |= iconv_is(s, n, "TRANSLIT");
		code->ignore |= iconv_is(s, n, "IGNORE");
		s += n;
	}
	return known;
}

/* ---- Decoding ---- */

/* How much of what is no UTF-8 is one error. */
static int iconv_bad_utf8(const unsigned char *p, size_t n)
{
	unsigned want = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
			p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : 0;
	unsigned i = 1, most = want ? want : 5;

	while (i < n && i < most && (p[i] & 0xc0) == 0x80)
		i++;
	return -(int)i;
}

static int iconv_decode_utf8(const unsigned char *p, size_t n, uint32_t *c)
{
	int32_t v;
	size_t used;
	int bad;

	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	used = utf8_decode((const char *)p, n, &v);
	if (v >= 0) {
		*c = (uint32_t)v;
		return (int)used;
	}
	bad = iconv_bad_utf8(p, n);
	/* All there is may be the start of a character. */
	if ((size_t)-bad == n && n < 4 && p[0] >= 0xc2 && p[0] < 0xf5) {
		static const unsigned char more[] = { 0x80, 0xa0, 0x90 };
		unsigned char whole[4] = { p[0], 0x80, 0x80, 0x80 };
		size_t want = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

		if (n == 1)
			whole[1] = p[0] == 0xe0 ? more[1] : p[0] == 0xf0 ? more[2] : more[0];
		memcpy(whole, p, n);
		if (n < want && utf8_decode((const char *)whole, want, &v) == want && v >= 0)
			return 0;
	}
	return bad;
}

static uint32_t iconv_unit(const struct iconv_code *code, const unsigned char *p, int n)
{
	uint32_t v = 0;

	for (int i = 0; i < n; i++)
		v = v << 8 | p[code->big ? i : n - 1 - i];
	return v;
}

static int iconv_decode_16(const struct iconv_code *code, const unsigned char *p, size_t n,
			   uint32_t *c)
{
	uint32_t low;

	if (n < 2)
		return 0;
	*c = iconv_unit(code, p, 2);
	if (*c < 0xd800 || *c > 0xdfff)
		return 2;
	if (code->kind == ICONV_UCS2 || *c > 0xdbff)
		return -2;
	if (n < 4)
		return 0;
	low = iconv_unit(code, p + 2, 2);
	if (low < 0xdc00 || low > 0xdfff)
		return -2;
	*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
	return 4;
}

int iconv_decode(const struct iconv_code *code, const unsigned char *p, size_t n, uint32_t *c)
{
	switch (code->kind) {
	case ICONV_ASCII:
		*c = p[0];
		return p[0] < 128 ? 1 : -1;
	case ICONV_BYTES:
		*c = p[0] < 128 ? p[0] : code->set->high[p[0] - 128];
		return *c || !p[0] ? 1 : -1;
	case ICONV_UTF8:
		return iconv_decode_utf8(p, n, c);
	case ICONV_16: case ICONV_UCS2:
		return iconv_decode_16(code, p, n, c);
	default:
		if (n < 4)
			return 0;
		*c = iconv_unit(code, p, 4);
		return *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff) ? -4 : 4;
	}
}

/* ---- Encoding ---- */

static int iconv_put_unit(const struct iconv_code *code, uint32_t v, int n, unsigned char *out)
{
	for (int i = 0; i < n; i++)
		out[code->big ? n - 1 - i : i] = (unsigned char)(v >> (8 * i));
	return n;
}

static int iconv_encode_byte(const struct iconv_code *code, uint32_t c, unsigned char *out)
{
	if (c < 128) {
		out[0] = (unsigned char)c;
		return 1;
	}
	if (code->kind == ICONV_ASCII)
		return 0;
	if (code->set->high[code->place[c & 255]] == c) {
		out[0] = (unsigned char)(code->place[c & 255] + 128);
		return 1;
	}
	for (int i = 0; i < 128; i++) {
		if (code->set->high[i] == c) {
			out[0] = (unsigned char)(i + 128);
			return 1;
		}
	}
	return 0;
}

int iconv_encode(const struct iconv_code *code, uint32_t c, unsigned char out[4])
{
	switch (code->kind) {
	case ICONV_ASCII: case ICONV_BYTES:
		return iconv_encode_byte(code, c, out);
	case ICONV_UTF8:
		if (c < 0x80 || c > 0x7ff)
			return (int)utf8_encode((char *)out, c);
		out[0] = (unsigned char)(0xc0 | c >> 6);
		out[1] = (unsigned char)(0x80 | (c & 0x3f));
		return 2;
	case ICONV_32:
		return iconv_put_unit(code, c, 4, out);
	default:
		if (c < 0x10000)
			return iconv_put_unit(code, c, 2, out);
		if (code->kind == ICONV_UCS2)
			return 0;
		c -= 0x10000;
		iconv_put_unit(code, 0xd800 + (c >> 10), 2, out);
		iconv_put_unit(code, 0xdc00 + (c & 0x3ff), 2, out + 2);
		return 4;
	}
}
