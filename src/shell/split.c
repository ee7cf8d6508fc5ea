/*
 * IFS splitting as read does it: white space around fields goes, other IFS
 * characters end one field each, escaped characters are data, and the last
 * field takes the rest of the line.
 */
#include <string.h>

#include "base/utf8.h"
#include "shell/words.h"

int ifs_kind(const struct shell *sh, const char *p, size_t n, size_t *len)
{
	int kind = sh->ifs_table[(unsigned char)*p];
	int32_t c;

	*len = 1;
	if (kind != IFS_MAYBE)
		return kind;
	*len = utf8_decode(p, n, &c);
	for (size_t i = 0; i < sh->ifs.n;) {
		size_t one = utf8_decode(sh->ifs.p + i, sh->ifs.n - i, &c);

		if (one == *len && !memcmp(sh->ifs.p + i, p, one))
			return IFS_OTHER;
		i += one;
	}
	return IFS_NOT;
}

struct cursor {
	const struct shell *sh;
	const char *p;
	const bool *escaped;
	size_t n, at;
};

static int cursor_kind(const struct cursor *c, size_t i, size_t *len)
{
	*len = 1;
	if (c->escaped && c->escaped[i])
		return IFS_NOT;
	return ifs_kind(c->sh, c->p + i, c->n - i, len);
}

static void cursor_skip_white(struct cursor *c)
{
	size_t len;

	while (c->at < c->n && cursor_kind(c, c->at, &len) == IFS_WHITE)
		c->at++;
}

/* A field, and the delimiter behind it. */
static struct slice cursor_field(struct cursor *c)
{
	size_t from = c->at, len;
	struct slice field;

	while (c->at < c->n && !cursor_kind(c, c->at, &len))
		c->at += len;
	field = (struct slice){ c->p + from, c->at - from };
	cursor_skip_white(c);
	if (c->at < c->n && cursor_kind(c, c->at, &len) == IFS_OTHER) {
		c->at += len;
		cursor_skip_white(c);
	}
	return field;
}

/* The rest: trailing white space goes, and one delimiter if it ends just a field. */
static struct slice cursor_rest(struct cursor *c)
{
	size_t from = c->at, end = c->n, len;
	struct cursor probe = *c;
	struct slice field = cursor_field(&probe);

	if (probe.at >= c->n) {
		c->at = c->n;
		return field;
	}
	/* Also the escaped. */
	while (end > from && ifs_kind(c->sh, c->p + end - 1, c->n - end + 1, &len) == IFS_WHITE)
		end--;
	c->at = c->n;
	return (struct slice){ c->p + from, end - from };
}

void split_read(struct shell *sh, const char *text, size_t n, const bool *escaped, size_t max,
		struct fields *out)
{
	struct cursor c = { sh, text, escaped, n, 0 };

	cursor_skip_white(&c);
	while (c.at < n && out->n < max) {
		struct slice field = out->n + 1 == max ? cursor_rest(&c) : cursor_field(&c);

		fields_add(sh, out, field.p, field.n);
	}
}
