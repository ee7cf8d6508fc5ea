/*
 * hexdump's colors: units behind a conversion, each with a value that must stand
 * there and a range of offsets.
 */
#include "cmd/hexdump.h"

#include <stdlib.h>
#include <string.h>

static const char *color_code(const char *name, size_t n)
{
	static const struct { const char *name, *code; } colors[] = {
		{ "black", "30" }, { "blink", "5" }, { "blue", "34" }, { "bold", "1" }, { "brown", "33" },
		{ "cyan", "36" }, { "darkgray", "1;30" }, { "gray", "37" }, { "green", "32" },
		{ "halfbright", "2" }, { "lightblue", "1;34" }, { "lightcyan", "1;36" },
		{ "lightgreen", "1;32" }, { "lightmagenta", "1;35" }, { "lightred", "1;31" },
		{ "magenta", "35" }, { "red", "31" }, { "reset", "0" }, { "reverse", "7" },
		{ "yellow", "1;33" },
	};

	for (size_t i = 0; i < sizeof(colors) / sizeof(*colors); i++)
		if (strlen(colors[i].name) == n && !memcmp(colors[i].name, name, n))
			return colors[i].code;
	return NULL;
}

/* A value in octal or hexadecimal, else a text of as many bytes as are shown. */
static bool read_value(struct tsb_proc *p, struct hexdump_color *c, const char *s, size_t n,
		       size_t bytes)
{
	c->has_value = true;
	if (*s == '0') {
		c->number = strtoull(s, NULL, 0);
		return true;
	}
	c->text = tsb_strndup(p, s, n);
	return n <= bytes;
}

static void read_range(struct hexdump_color *c, const char *s)
{
	char *end;

	c->has_range = true;
	c->from = c->to = strtoull(s, &end, 10);
	if (*end == '-')
		c->to = strtoull(end + 1, NULL, 10);
}

int hexdump_read_colors(struct tsb_proc *p, struct hexdump *h, struct hexdump_part *part,
			const char **s)
{
	const char *at = *s + (**s == '['), *end = **s == '[' ? strchr(at, ']') : NULL;

	if (!end) {
		tsb_warn(p, "bad conversion character %%(null)");
		return 1;
	}
	*s = end + 1;
	while (at < end) {
		struct hexdump_color c = { .negated = *at == '!' };
		size_t n;

		at += c.negated;
		n = strcspn(at, ",:@]");
		c.code = color_code(at, n);
		at += n;
		if (*at == ':') {
			n = strcspn(++at, ",@]");
			if (!read_value(p, &c, at, n, part->bytes)) {
				tsb_warn(p, "bad byte count for conversion character _L");
				return 1;
			}
			at += n;
		}
		if (*at == '@') {
			read_range(&c, ++at);
			at += strcspn(at, ",]");
		}
		at += *at == ',';
		if (h->color && c.code)
			*vec_add(tsb_heap_of(p), &part->colors) = c;
	}
	return 0;
}

static uint64_t value_at(const unsigned char *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = n < 8 ? n : 8; i-- > 0; )
		v = v << 8 | at[i];
	return v;
}

static bool color_counts(const struct hexdump_color *c, const unsigned char *at, size_t bytes,
			 uint64_t address)
{
	bool same = true;

	if (c->has_range && (address < c->from || address > c->to))
		return false;
	if (c->has_value && at && c->text)
		same = !memcmp(c->text, at, strlen(c->text));
	else if (c->has_value && at)
		same = value_at(at, bytes) == c->number;
	return same != c->negated;
}

const char *hexdump_color_of(const struct hexdump_part *part, const unsigned char *at,
			     uint64_t address)
{
	for (size_t i = 0; i < part->colors.n; i++)
		if (color_counts(&part->colors.at[i], at, part->bytes, address))
			return part->colors.at[i].code;
	return NULL;
}
