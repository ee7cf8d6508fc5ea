/*
 * Two texts -> lines -> numbers -> changes. What is equal at both ends is set
 * aside first (but for the horizon), the lines between are numbered so that
 * equal ones have equal numbers. Lines are compared by a normal form: the line
 * itself, or what is left of it when case and white space make no difference.
 */
#include <errno.h>
#include <string.h>

#include "base/heap.h"
#include "base/map.h"
#include "text/diff.h"

#define DIFF_LINES_MAX ((size_t)1 << 30)
#define DIFF_STEP ((size_t)64 << 10)

static void diff_tick(const struct diff *d, size_t steps)
{
	if (d->how.tick)
		d->how.tick(d->how.ctx, steps);
}

/* ---- Lines ---- */

static bool lines_room(struct diff *d, struct diff_file *f, size_t *cap)
{
	size_t more = *cap + *cap / 2 + f->size / 64 + 16;
	size_t *line = f->n > DIFF_LINES_MAX ? NULL :
		heap_resize(d->heap, f->line, more * sizeof(*line));

	if (!line)
		return false;
	f->line = line;
	*cap = more;
	return true;
}

static bool lines_index(struct diff *d, struct diff_file *f)
{
	const char *at = f->text, *end = at ? at + f->size : NULL, *newline;
	size_t cap = 0;

	f->n = 0;
	f->line = NULL;
	f->no_newline = f->size && end[-1] != '\n';
	if (!lines_room(d, f, &cap))
		return false;
	for (; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			newline = end - 1;
		if (f->n + 2 > cap && !lines_room(d, f, &cap))
			return false;
		f->line[f->n++] = (size_t)(at - f->text);
		if (f->n % 4096 == 0)
			diff_tick(d, 4096);
	}
	f->line[f->n] = f->size;
	return f->n <= DIFF_LINES_MAX;
}

/* How many lines begin before offset `at`. */
static size_t lines_before(const struct diff_file *f, size_t at)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->line[mid] < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool at_line(const struct diff_file *f, size_t at)
{
	return !at || f->text[at - 1] == '\n';
}

/* ---- Equal ends ---- */

static size_t same_prefix(struct diff *d, const char *a, const char *b, size_t n)
{
	size_t at = 0;

	for (; n - at > DIFF_STEP && !memcmp(a + at, b + at, DIFF_STEP); at += DIFF_STEP)
		diff_tick(d, DIFF_STEP / 64);
	for (; n - at > 64 && !memcmp(a + at, b + at, 64); at += 64)
		;
	while (at < n && a[at] == b[at])
		at++;
	return at;
}

static size_t same_suffix(struct diff *d, const char *a, const char *b, size_t n)
{
	size_t left = n;

	for (; left > DIFF_STEP; left -= DIFF_STEP) {
		if (memcmp(a - (n - left) - DIFF_STEP, b - (n - left) - DIFF_STEP, DIFF_STEP) != 0)
			break;
		diff_tick(d, DIFF_STEP / 64);
	}
	while (left && a[-(ptrdiff_t)(n - left) - 1] == b[-(ptrdiff_t)(n - left) - 1])
		left--;
	return n - left;
}

/* Whether text f ends at `at` in the middle of a line that is complete in g. */
static bool ends_short(const struct diff_file *f, const struct diff_file *g, size_t at)
{
	return f->no_newline && f->size == at && at < g->size && g->text[at] == '\n';
}

static size_t equal_head(struct diff *d)
{
	const struct diff_file *f = &d->file[0], *g = &d->file[1];
	size_t n = same_prefix(d, f->text, g->text, f->size < g->size ? f->size : g->size);
	size_t lines = lines_before(f, n);

	/* The last of them counts if it ends there in both. */
	if (lines && f->line[lines] > n)
		lines--;
	else if (lines && lines == f->n && f->no_newline && g->size != n)
		lines--;
	if (!d->how.robust && (ends_short(f, g, n) || ends_short(g, f, n)))
		lines++;
	return lines > d->how.horizon ? lines - d->how.horizon : 0;
}

/* Lines that are equal at the end, behind `head` lines. */
static size_t equal_tail(struct diff *d, size_t head)
{
	const struct diff_file *f = &d->file[0], *g = &d->file[1];
	size_t end0 = f->size - (f->size && !f->no_newline);
	size_t end1 = g->size - (g->size && !g->no_newline);
	size_t room0, room1, n, lines;
	bool part;

	if (head >= f->n || head >= g->n ||
	    (d->how.robust && f->no_newline != g->no_newline))
		return 0;
	room0 = end0 - f->line[head];
	room1 = end1 - g->line[head];
	n = same_suffix(d, f->text + end0, g->text + end1, room0 < room1 ? room0 : room1);
	part = !at_line(f, end0 - n) || !at_line(g, end1 - n);
	lines = f->n - lines_before(f, end0 - n);
	lines -= part && at_line(f, end0 - n) && lines;
	return lines > d->how.horizon ? lines - d->how.horizon : 0;
}

/* ---- Normal forms ---- */

static bool is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Tabs as blanks. Those who see a carriage return or a backspace as movement
 * and those who do not must both find lines equal, hence `moves`. */
static void normal_tabs(struct str *out, const char *s, size_t n, size_t tabsize, bool moves)
{
	size_t column = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\t') {
			size_t blanks = tabsize - column % tabsize;

			str_fill(out, ' ', blanks);
			column += blanks;
			continue;
		}
		str_addc(out, s[i]);
		if (moves && s[i] == '\r')
			column = 0;
		else if (moves && s[i] == '\b')
			column -= column > 0;
		else
			column++;
	}
}

static void normal_space(struct str *out, const char *s, size_t n, bool amount)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_space((unsigned char)s[i]))
			str_addc(out, s[i]);
		else if (amount && i + 1 < n && !is_space((unsigned char)s[i + 1]))
			str_addc(out, ' ');
	}
}

static void normal_line(struct str *out, const struct diff_how *how, const char *s, size_t n)
{
	enum diff_space space = how->space;
	size_t tabsize = how->tabsize ? how->tabsize : 8;

	if (space >= DIFF_SPACE_TRAILING && space < DIFF_SPACE_ALL)
		while (n && is_space((unsigned char)s[n - 1]))
			n--;
	if (space >= DIFF_SPACE_AMOUNT) {
		normal_space(out, s, n, space == DIFF_SPACE_AMOUNT);
	} else if (space != DIFF_SPACE_TABS) {
		str_addn(out, s, n);
	} else {
		normal_tabs(out, s, n, tabsize, true);
		if (memchr(s, '\r', n) || memchr(s, '\b', n)) {
			str_addc(out, '\n');
			normal_tabs(out, s, n, tabsize, false);
		}
	}
	if (how->icase)
		for (size_t i = 0; i < out->n; i++)
			if (out->p[i] >= 'A' && out->p[i] <= 'Z')
				out->p[i] = (char)(out->p[i] + ('a' - 'A'));
}

/* ---- Numbers ---- */

struct class {
	const char *p;
	size_t n;
	uint32_t hash;
};

struct classes {
	struct class *at;
	uint32_t *slot;		/* number + 1; 0: free */
	size_t n, mask;
	struct str normal;
};

static bool classes_start(struct diff *d, struct classes *c, size_t lines)
{
	size_t slots = 16;

	while (slots < lines * 2)
		slots *= 2;
	memset(c, 0, sizeof(*c));
	c->mask = slots - 1;
	c->at = heap_array(d->heap, lines + 1, sizeof(*c->at));
	c->slot = heap_zalloc(d->heap, slots * sizeof(*c->slot));
	str_init(&c->normal, d->heap, STR_MAX_DEFAULT);
	return c->at && c->slot;
}

/* The number of a line; copy: the line is not there for long. -1: no memory. */
static int32_t class_of(struct diff *d, struct classes *c, struct slice line, bool copy)
{
	uint32_t hash = map_hash(line.p, line.n);
	size_t i = hash & c->mask;
	struct class *new = &c->at[c->n];

	for (; c->slot[i]; i = (i + 1) & c->mask) {
		const struct class *k = &c->at[c->slot[i] - 1];

		if (k->hash == hash && k->n == line.n && !memcmp(k->p, line.p, line.n))
			return (int32_t)(c->slot[i] - 1);
	}
	if (copy)
		line.p = heap_dup(d->heap, line.p, line.n);
	if (!line.p)
		return -1;
	*new = (struct class){ line.p, line.n, hash };
	c->slot[i] = (uint32_t)++c->n;
	return (int32_t)(c->n - 1);
}

/* A line as it is compared. A missing newline tells lines apart where it counts. */
static struct slice line_key(struct diff *d, struct classes *c, const struct diff_file *f, size_t i,
			     bool *copy)
{
	const struct diff_how *how = &d->how;
	struct slice line = diff_line(f, i);
	bool newline = line.p[line.n - 1] == '\n';

	*copy = how->icase || how->space != DIFF_SPACE_EXACT;
	if (!*copy && how->robust)
		return line;
	line.n -= newline;
	if (!*copy)
		return line;
	str_reset(&c->normal);
	normal_line(&c->normal, how, line.p, line.n);
	if (newline || !how->robust || how->space >= DIFF_SPACE_TRAILING)
		str_addc(&c->normal, '\n');
	return str_slice(&c->normal);
}

static bool side_number(struct diff *d, struct classes *c, const struct diff_file *f, size_t from,
			size_t n, struct diff_side *side)
{
	int32_t *class = heap_array(d->heap, n + 1, sizeof(*class));
	uint8_t *changed = heap_zalloc(d->heap, n + 2);
	bool copy;

	if (!class || !changed)
		return false;
	*side = (struct diff_side){ class, (int32_t)n, changed + 1 };
	for (size_t i = 0; i < n; i++) {
		struct slice key = line_key(d, c, f, from + i, &copy);

		class[i] = c->normal.bad ? -1 : class_of(d, c, key, copy);
		if (class[i] < 0)
			return false;
		if (i % 1024 == 0)
			diff_tick(d, 1024);
	}
	return true;
}

static void classes_end(struct diff *d, struct classes *c)
{
	if (d->how.icase || d->how.space != DIFF_SPACE_EXACT)
		for (size_t i = 0; i < c->n; i++)
			heap_free(d->heap, (char *)c->at[i].p);
	heap_free(d->heap, c->at);
	heap_free(d->heap, c->slot);
	str_end(&c->normal);
}

/* ---- Changes ---- */

static bool changes_collect(struct diff *d, const struct diff_side side[2], size_t head)
{
	const uint8_t *a = side[0].changed, *b = side[1].changed;
	int32_t i = 0, j = 0;

	while (i < side[0].n || j < side[1].n) {
		struct diff_change *c;
		int32_t i0 = i, j0 = j;

		while (a[i])
			i++;
		while (b[j])
			j++;
		if (i == i0 && j == j0) {
			i++;
			j++;
			continue;
		}
		c = vec_add(d->heap, &d->changes);
		if (!c)
			return false;
		c->line[0] = head + (size_t)i0;
		c->line[1] = head + (size_t)j0;
		c->n[0] = (size_t)(i - i0);
		c->n[1] = (size_t)(j - j0);
	}
	return true;
}

int diff_compare(struct diff *d)
{
	struct diff_side side[2] = { { NULL, 0, NULL }, { NULL, 0, NULL } };
	struct classes c;
	size_t head, tail;
	bool ok;
	int err;

	if (!lines_index(d, &d->file[0]) || !lines_index(d, &d->file[1]))
		return -ENOMEM;
	head = equal_head(d);
	tail = equal_tail(d, head);
	ok = classes_start(d, &c, d->file[0].n + d->file[1].n - 2 * (head + tail));
	for (int f = 0; f < 2 && ok; f++)
		ok = side_number(d, &c, &d->file[f], head, d->file[f].n - head - tail, &side[f]);
	if (!ok)
		return -ENOMEM;
	err = diff_mark(d->heap, side, c.n, &d->how);
	classes_end(d, &c);
	if (!err && !changes_collect(d, side, head))
		err = -ENOMEM;
	for (int f = 0; f < 2; f++) {
		heap_free(d->heap, (int32_t *)side[f].class);
		heap_free(d->heap, side[f].changed - 1);
	}
	return err;
}

void diff_end(struct diff *d)
{
	for (int f = 0; f < 2; f++)
		heap_free(d->heap, d->file[f].line);
	vec_end(d->heap, &d->changes);
}
