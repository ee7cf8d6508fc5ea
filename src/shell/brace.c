/*
 * Brace expansion: {a,b}, {1..9..2}, nested. It comes before everything else and
 * looks at unquoted text only, so a word is first spread out to one cell a
 * character, each quoted or expanding part being one cell that is only carried
 * along. The cells are parsed into sequences (a run, a list of alternatives, a
 * range), each of which knows how many words it makes; the k-th word is then
 * written directly, like a number with mixed digits. So {1..900000000} is
 * refused by its count before it costs anything.
 */
#include <string.h>

#include "base/num.h"
#include "kernel/kernel.h"
#include "shell/words.h"

#define COUNT_MAX ((uint64_t)1 << 40)
#define OPAQUE '\1'

enum item_kind { ITEM_RUN, ITEM_LIST, ITEM_RANGE };

struct sequence {
	struct sequence *next;	/* alternative of a list */
	struct item *first;
	uint64_t count;
};

struct item {
	struct item *next;
	enum item_kind kind;
	uint64_t count;
	size_t from, to;	/* RUN: cells */
	struct sequence *list;
	int64_t start, step;	/* RANGE */
	int width;		/* zero-padded to; 0: not */
	bool letters;
};

struct brace {
	struct shell *sh;
	const char *text;
	const struct part **parts;	/* of OPAQUE cells */
	size_t depth;
	bool too_deep;
	bool expands;		/* there is a list or a range */
	/* The word being written. */
	struct str *out;
	struct part *first, *last, **tail;
	bool assignment;	/* of declare: the words are neither split nor globbed */
	bool null;
	bool backquote;		/* the last character came from a range and is one */
	size_t backquote_at;
};

/* ---- Cells ---- */

static size_t cells_count(const struct word *w)
{
	size_t n = 0;

	for (const struct part *p = w->parts; p; p = p->next)
		n += p->kind == PART_TEXT ? p->text.n : p->kind == PART_TILDE ? p->text.n + 1 : 1;
	return n;
}

static void cells_fill(struct brace *b, const struct word *w, size_t n)
{
	char *text = arena_alloc(&b->sh->turn, n + 3);
	size_t at = 0;

	b->parts = arena_array(&b->sh->turn, n + 1, sizeof(*b->parts));
	for (const struct part *p = w->parts; p; p = p->next) {
		if (p->kind == PART_TILDE) {	/* it is found again in each word */
			b->parts[at] = NULL;
			text[at++] = '~';
		}
		if (p->kind == PART_TEXT || p->kind == PART_TILDE) {
			memcpy(text + at, p->text.p, p->text.n);
			memset(&b->parts[at], 0, p->text.n * sizeof(*b->parts));
			at += p->text.n;
		} else {
			b->parts[at] = p;
			text[at++] = OPAQUE;
		}
	}
	text[n] = text[n + 1] = text[n + 2] = '\0';
	b->text = text;
}

/*
 * From i on, the next `want` that is not inside inner braces; `end` if none. A
 * closing brace counts only behind a comma or "..".
 */
static size_t brace_seek(struct brace *b, size_t i, size_t end, char want)
{
	const char *t = b->text;
	size_t level = 0, from = i, commas = want == '}' ? 0 : 1;

	for (; i < end; i++) {
		char c = t[i];

		if (((i - from) & 4095) == 4095)
			proc_tick(b->sh->p, 4);
		if (c == want && level == 0 && commas && !b->parts[i])
			return i;
		if (c == '{')
			level++;
		else if (c == '}' && level)
			level--;
		else if (want == '}' && level == 0 &&
			 (c == ',' || (c == '.' && i + 2 < end && t[i + 1] == '.' && t[i + 2] != '}')))
			commas++;
	}
	return end;
}

/* ---- Ranges ---- */

static bool range_int(const char *s, size_t n, int64_t *value)
{
	char buf[32];

	if (n == 0 || n >= sizeof(buf) || (n == 1 && (*s == '-' || *s == '+')))
		return false;
	memcpy(buf, s, n);
	buf[n] = '\0';
	return num_i64(buf, value) == NUM_OK;
}

/* Zeros in front ask for padding. */
static int range_width(const char *s, size_t n)
{
	size_t sign = n && (*s == '-' || *s == '+');

	return n - sign > 1 && s[sign] == '0' ? (int)n : 0;
}

static bool range_split(const char *s, size_t n, struct slice at[3], size_t *count)
{
	*count = 0;
	for (size_t from = 0, i = 0;; i++) {
		bool dots = i + 1 < n && s[i] == '.' && s[i + 1] == '.';

		if (i < n && !dots)
			continue;
		if (*count == 3)
			return false;
		at[(*count)++] = (struct slice){ s + from, i - from };
		if (i >= n)
			return *count >= 2;
		from = i + 2;
		i++;
	}
}

static bool range_letter(struct slice s, int64_t *value)
{
	*value = s.n == 1 ? (unsigned char)s.p[0] : 0;
	return s.n == 1 && s.p[0] != OPAQUE && !(s.p[0] >= '0' && s.p[0] <= '9');
}

/* The cells [from, to) as x..y or x..y..step. */
static bool range_parse(struct brace *b, size_t from, size_t to, struct item *out)
{
	struct slice at[3];
	size_t n;
	int64_t end, step = 1;
	uint64_t span, stride;

	for (size_t i = from; i < to; i++)
		if (b->parts[i])
			return false;
	if (!range_split(b->text + from, to - from, at, &n))
		return false;
	if (n == 3 && !range_int(at[2].p, at[2].n, &step))
		return false;
	out->letters = range_letter(at[0], &out->start) && range_letter(at[1], &end);
	if (!out->letters) {
		int a = range_width(at[0].p, at[0].n), z = range_width(at[1].p, at[1].n);

		if (!range_int(at[0].p, at[0].n, &out->start) || !range_int(at[1].p, at[1].n, &end))
			return false;
		if (a || z)
			out->width = (int)(at[0].n > at[1].n ? at[0].n : at[1].n);
	}
	stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
	stride = stride ? stride : 1;
	span = end >= out->start ? (uint64_t)end - (uint64_t)out->start :
		(uint64_t)out->start - (uint64_t)end;
	out->count = span / stride < COUNT_MAX ? span / stride + 1 : COUNT_MAX;
	out->step = end >= out->start ? (int64_t)stride : (int64_t)(0 - stride);
	out->kind = ITEM_RANGE;
	return true;
}

/* ---- Cells to sequences ---- */

static struct sequence *brace_parse(struct brace *b, size_t from, size_t to);

static uint64_t count_mul(uint64_t a, uint64_t b)
{
	return a && b > COUNT_MAX / a ? COUNT_MAX : a * b;
}

static void sequence_add(struct brace *b, struct sequence *s, struct item ***tail,
			 struct item item)
{
	struct item *copy = arena_alloc(&b->sh->turn, sizeof(*copy));

	*copy = item;
	**tail = copy;
	*tail = &copy->next;
	s->count = count_mul(s->count, item.count);
}

static struct item brace_list(struct brace *b, size_t from, size_t to)
{
	struct item item = { .kind = ITEM_LIST };
	struct sequence **tail = &item.list;

	for (;;) {
		size_t comma = brace_seek(b, from, to, ',');

		*tail = brace_parse(b, from, comma);
		item.count += (*tail)->count;
		if (item.count > COUNT_MAX)
			item.count = COUNT_MAX;
		tail = &(*tail)->next;
		if (comma == to)
			return item;
		from = comma + 1;
	}
}

static bool brace_has_comma(const struct brace *b, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (b->text[i] == ',')
			return true;
	return false;
}

/* The next { that begins an expansion, and its }; false: none. */
static bool brace_find(struct brace *b, size_t from, size_t to, size_t *open, size_t *close)
{
	for (size_t i = from; (i = brace_seek(b, i, to, '{')) < to; i++) {
		*close = brace_seek(b, i + 1, to, '}');
		if (*close < to) {
			*open = i;
			return true;
		}
	}
	return false;
}

static struct sequence *brace_parse(struct brace *b, size_t from, size_t to)
{
	struct sequence *s = ARENA_NEW(&b->sh->turn, struct sequence);
	struct item **tail = &s->first;
	size_t open, close;

	s->count = 1;
	if (b->depth >= words_of(b->sh)->max_depth)
		b->too_deep = true;
	b->depth++;
	while (!b->too_deep && brace_find(b, from, to, &open, &close)) {
		struct item item = { .kind = ITEM_RUN, .count = 1, .from = from, .to = open };

		sequence_add(b, s, &tail, item);
		if (brace_has_comma(b, open + 1, close))
			item = brace_list(b, open + 1, close);
		else if (!range_parse(b, open + 1, close, &item))
			item = (struct item){ .count = 1, .from = open, .to = close + 1 };
		b->expands = b->expands || item.kind != ITEM_RUN;
		sequence_add(b, s, &tail, item);
		from = close + 1;
	}
	if (from < to) {
		struct item rest = { .kind = ITEM_RUN, .count = 1, .from = from, .to = to };

		sequence_add(b, s, &tail, rest);
	}
	b->depth--;
	return s;
}

/* ---- Writing the k-th word ---- */

static void write_part(struct brace *b, struct part part)
{
	struct part *copy = arena_alloc(&b->sh->turn, sizeof(*copy));

	*copy = part;
	copy->next = NULL;
	*b->tail = copy;
	b->tail = &copy->next;
	b->last = copy;
}

static bool name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* {$y,z}w: bash expands text, so the first word is $yw. */
static void write_longer_name(struct brace *b, struct slice *text)
{
	struct part *last = b->last;
	struct param *param;
	size_t n = 0;
	char *name;

	if (!last || last->kind != PART_PARAM || last->param->braces ||
	    !name_valid(last->param->name.s, last->param->name.n))
		return;
	while (n < text->n && name_byte(text->p[n]))
		n++;
	if (!n)
		return;
	param = ARENA_NEW(&b->sh->turn, struct param);
	*param = *last->param;
	name = arena_alloc(&b->sh->turn, param->name.n + n + 1);
	memcpy(name, param->name.s, param->name.n);
	memcpy(name + param->name.n, text->p, n);
	name[param->name.n + n] = '\0';
	param->name = name_of(name, param->name.n + n);
	last->param = param;
	text->p += n;
	text->n -= n;
}

/* The text so far becomes a part; at the start of the word ~ is a tilde. */
static void write_flush(struct brace *b, bool at_end)
{
	struct slice text = str_slice(b->out);
	struct slice name;
	bool tilde = !b->first && text.n && text.p[0] == '~';

	if (!text.n)
		return;
	text.p = arena_dup(&b->sh->turn, text.p, text.n);
	write_longer_name(b, &text);
	if (tilde) {
		const char *slash = memchr(text.p, '/', text.n);
		size_t n = slash ? (size_t)(slash - text.p) : text.n;

		name = (struct slice){ text.p + 1, n - 1 };
		if (slash || at_end) {
			write_part(b, (struct part){ .kind = PART_TILDE, .text = name });
			text.p += n;
			text.n -= n;
		}
	}
	if (text.n)
		write_part(b, (struct part){ .kind = PART_TEXT, .text = text });
	str_reset(b->out);
}

static void write_run(struct brace *b, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (b->parts[i]) {
			write_flush(b, false);
			write_part(b, *b->parts[i]);
		} else {
			str_addc(b->out, b->text[i]);
		}
	}
}

static void write_range(struct brace *b, const struct item *item, uint64_t k)
{
	int64_t value = (int64_t)((uint64_t)item->start + k * (uint64_t)item->step);
	char digits[24];
	size_t n;

	if (item->letters) {
		if (value == '\\') {
			b->null = true;		/* bash quotes nothing with it */
			return;
		}
		if (value == '`') {
			b->backquote = true;
			b->backquote_at = b->out->n;
		}
		str_addc(b->out, (int)value);
		return;
	}
	n = num_format_i64(digits, value);
	if (value < 0)
		str_addc(b->out, '-');
	for (int pad = item->width - (int)n; pad > 0; pad--)
		str_addc(b->out, '0');
	str_addn(b->out, digits + (value < 0), n - (value < 0 ? 1 : 0));
}

static void write_sequence(struct brace *b, const struct sequence *s, uint64_t k)
{
	uint64_t rest = s->count;

	for (const struct item *i = s->first; i; i = i->next) {
		uint64_t digit;
		const struct sequence *a = i->list;

		rest /= i->count;
		digit = k / rest;
		k %= rest;
		if (i->kind == ITEM_RUN) {
			write_run(b, i->from, i->to);
		} else if (i->kind == ITEM_RANGE) {
			write_range(b, i, digit);
		} else {
			for (; digit >= a->count; a = a->next)
				digit -= a->count;
			write_sequence(b, a, digit);
		}
	}
}

static bool write_is_plain(const struct str *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (strchr("*?[(~", s->p[i]))
			return false;
	return true;
}

static enum flow write_assignment(struct brace *b, const struct word *w, struct fields *out)
{
	struct slice text;
	enum flow flow = expand_string(b->sh, w, false, &text);

	if (flow == FLOW_NEXT)
		fields_add(b->sh, out, text.p, text.n);
	return flow;
}

static enum flow write_word(struct brace *b, const struct word *w, const struct sequence *s,
			    uint64_t k, struct fields *out)
{
	struct word made = { .line = w->line, .pos = w->pos, .text = w->text };

	b->first = b->last = NULL;
	b->tail = &b->first;
	b->null = false;
	str_reset(b->out);
	b->backquote = false;
	write_sequence(b, s, k);
	if (b->backquote && b->out->n > b->backquote_at + 1) {
		/* bash sees the begin of a command substitution in it. */
		shell_error(b->sh, "bad substitution: no closing \"`\" in %s",
			    b->out->p + b->backquote_at);
		b->sh->status = 1;
		return FLOW_ABORT;
	}
	if (!b->assignment && !b->first && write_is_plain(b->out)) {
		if (b->out->n || b->null)
			fields_add(b->sh, out, b->out->p, b->out->n);
		return FLOW_NEXT;
	}
	write_flush(b, true);
	made.parts = b->first;
	return b->assignment ? write_assignment(b, &made, out) : expand_one(b->sh, &made, out);
}

static enum flow brace_run(struct shell *sh, const struct word *w, bool assignment,
			   struct fields *out)
{
	struct brace b = { .sh = sh, .assignment = assignment };
	size_t n = cells_count(w);
	struct sequence *s;
	enum flow flow = FLOW_NEXT;

	cells_fill(&b, w, n);
	s = brace_parse(&b, 0, n);
	if (b.too_deep)
		return words_limit(sh, "parse_depth");
	if (s->count > words_of(sh)->max_words || out->n > words_of(sh)->max_words - s->count)
		return words_limit(sh, "words");
	if (!b.expands)
		return assignment ? FLOW_NEXT : expand_one(sh, w, out);
	b.out = scratch_take(sh);
	for (uint64_t k = 0; k < s->count && flow == FLOW_NEXT; k++) {
		flow = write_word(&b, w, s, k, out);
		proc_tick(sh->p, 1);
	}
	scratch_give(sh, b.out);
	return flow;
}

enum flow brace_expand(struct shell *sh, const struct word *w, struct fields *out)
{
	return brace_run(sh, w, false, out);
}

enum flow brace_expand_assignment(struct shell *sh, const char *head, const struct word *value,
				  struct fields *out)
{
	struct part text = { .kind = PART_TEXT, .text = { head, strlen(head) }, .next = value->parts };
	struct word whole = *value;

	whole.parts = &text;
	return brace_run(sh, &whole, true, out);
}
