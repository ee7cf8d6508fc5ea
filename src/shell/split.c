/*
 * IFS splitting as read does it: white space around fields goes, other IFS
 * characters end one field each, escaped characters are data, and the last
 * field takes the rest of the line.
 */
#include <string.h>

#include "shell/words.h"

struct cursor {
	const uint8_t *table;
	const char *p;
	const bool *escaped;
	size_t n, at;
};

static int cursor_kind(const struct cursor *c, size_t i)
{
	if (c->escaped && c->escaped[i])
		return 0;
	return c->table[(unsigned char)c->p[i]];
}

static void cursor_skip_white(struct cursor *c)
{
	while (c->at < c->n && cursor_kind(c, c->at) == 2)
		c->at++;
}

/* A field, and the delimiter behind it. */
static struct slice cursor_field(struct cursor *c)
{
	size_t from = c->at;
	struct slice field;

	while (c->at < c->n && !cursor_kind(c, c->at))
		c->at++;
	field = (struct slice){ c->p + from, c->at - from };
	cursor_skip_white(c);
	if (c->at < c->n && cursor_kind(c, c->at) == 1) {
		c->at++;
		cursor_skip_white(c);
	}
	return field;
}

/* The rest: trailing white space goes, and one delimiter if it ends just a field. */
static struct slice cursor_rest(struct cursor *c)
{
	size_t from = c->at, end = c->n;
	struct cursor probe = *c;
	struct slice field = cursor_field(&probe);

	if (probe.at >= c->n) {
		c->at = c->n;
		return field;
	}
	while (end > from && cursor_kind(c, end - 1) == 2)
		end--;
	c->at = c->n;
	return (struct slice){ c->p + from, end - from };
}

void split_read(struct shell *sh, const char *text, size_t n, const bool *escaped, size_t max,
		struct fields *out)
{
	struct cursor c = { sh->ifs_table, text, escaped, n, 0 };

	cursor_skip_white(&c);
	while (c.at < n && out->n < max) {
		struct slice field = out->n + 1 == max ? cursor_rest(&c) : cursor_field(&c);

		fields_add(sh, out, field.p, field.n);
	}
}
