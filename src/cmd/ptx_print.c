/*
 * ptx's lines: what is in front of the keyword, the keyword and what is behind
 * it; what is left of the sentence goes round to the other side.
 */
#include "cmd/ptx.h"

#include <string.h>

/* ---- Fields ---- */

static void ptx_set_key(struct ptx *x, const struct ptx_occurrence *o, const char *right)
{
	struct ptx_field *k = &x->key;
	const char *at = o->key + o->size;

	k->at = o->key;
	k->end = at;
	while (at < right && at - k->at <= x->after_width) {
		k->end = at;
		at = ptx_skip(x, at, right);
	}
	if (at - k->at <= x->after_width)
		k->end = at;
	k->cut = x->mark_length && k->end < right;
	k->end = ptx_back_space(k->end, k->at);
}

static void ptx_set_before(struct ptx *x, const struct ptx_occurrence *o, const char *from,
			   const struct ptx_text *text)
{
	struct ptx_field *b = &x->before;

	b->at = from;
	b->end = ptx_back_space(o->key, from);
	while (b->end - b->at > x->before_width)
		b->at = ptx_skip(x, b->at, b->end);
	b->cut = x->mark_length && ptx_back_space(b->at, text->at) > o->key + o->left;
	b->at = ptx_skip_space(b->at, text->end);
}

static void ptx_set_tail(struct ptx *x, const char *right, const struct ptx_text *text)
{
	int64_t width = x->before_width - (x->before.end - x->before.at) - x->gap;
	struct ptx_field *t = &x->tail;
	const char *at;

	*t = (struct ptx_field){ NULL, NULL, false };
	if (width <= 0)
		return;
	t->at = t->end = at = ptx_skip_space(x->key.end, text->end);
	while (at < right && at - t->at < width) {
		t->end = at;
		at = ptx_skip(x, at, right);
	}
	if (at - t->at < width)
		t->end = at;
	if (t->end > t->at) {
		x->key.cut = false;
		t->cut = x->mark_length && t->end < right;
	}
	t->end = ptx_back_space(t->end, t->at);
}

static void ptx_set_head(struct ptx *x, const struct ptx_occurrence *o, const char *from,
			 const struct ptx_text *text)
{
	int64_t width = x->after_width - (x->key.end - x->key.at) - x->gap;
	struct ptx_field *h = &x->head;

	*h = (struct ptx_field){ NULL, NULL, false };
	if (width <= 0)
		return;
	h->end = ptx_back_space(x->before.at, text->at);
	h->at = from;
	while (h->end - h->at > width)
		h->at = ptx_skip(x, h->at, h->end);
	if (h->end > h->at) {
		x->before.cut = false;
		h->cut = x->mark_length && h->at > o->key + o->left;
	}
	h->at = ptx_skip_space(h->at, h->end);
}

static void ptx_set_reference(struct ptx *x, const struct ptx_occurrence *o, const char *right)
{
	int64_t line = o->reference + 1;

	x->reference = (struct ptx_field){ NULL, NULL, false };
	if (x->auto_reference) {
		if (o->text)
			line -= x->texts.at[o->text - 1].lines;
		x->reference.at = tsb_format(x->p, "%s:%lld", x->texts.at[o->text].name, (long long)line);
		x->reference.end = x->reference.at + strlen(x->reference.at);
	} else if (x->input_reference) {
		x->reference.at = o->key + o->reference;
		x->reference.end = ptx_skip_text(x->reference.at, right);
	}
}

static void ptx_set_fields(struct ptx *x, const struct ptx_occurrence *o)
{
	const struct ptx_text *text = &x->texts.at[o->text];
	const char *right = o->key + o->right, *from = o->key + o->left;

	ptx_set_key(x, o, right);
	/* Of a long context only what may be shown is looked at, from a whole word on. */
	if (-o->left > x->half + x->longest_word)
		from = ptx_skip(x, o->key - (x->half + x->longest_word), o->key);
	ptx_set_before(x, o, from, text);
	ptx_set_tail(x, right, text);
	ptx_set_head(x, o, from, text);
	ptx_set_reference(x, o, right);
}

/* ---- Output ---- */

/* Less than 0 where blanks were skipped that are behind it; GNU's counts so too. */
static int64_t ptx_length(const struct ptx_field *f)
{
	return f->at ? f->end - f->at : 0;
}

static void ptx_spaces(struct ptx *x, int64_t n)
{
	for (int64_t i = 1; i <= n; i++) {
		sink_putc(&x->out, ' ');
		if (!(i & 4095))
			tsb_tick(x->p, 4096);
	}
}

static void ptx_byte(struct ptx *x, char c)
{
	if (ptx_is_space(c)) {
		sink_putc(&x->out, ' ');
	} else if (x->format == PTX_ROFF && c == '"') {
		sink_puts(&x->out, "\"\"");
	} else if (x->format == PTX_TEX && strchr("$%&#_", c) && c) {
		sink_putc(&x->out, '\\');
		sink_putc(&x->out, c);
	} else if (x->format == PTX_TEX && (c == '{' || c == '}')) {
		sink_puts(&x->out, c == '{' ? "$\\{$" : "$\\}$");
	} else if (x->format == PTX_TEX && c == '\\') {
		sink_puts(&x->out, "\\backslash{}");
	} else {
		sink_putc(&x->out, c);
	}
}

static void ptx_put(struct ptx *x, const struct ptx_field *f)
{
	for (const char *s = f->at; s < f->end; s++)
		ptx_byte(x, *s);
}

static void ptx_mark(struct ptx *x, const struct ptx_field *f)
{
	if (f->cut)
		sink_puts(&x->out, x->mark);
}

static int64_t ptx_marked(const struct ptx *x, const struct ptx_field *f)
{
	return ptx_length(f) + (f->cut ? x->mark_length : 0);
}

static void ptx_line_dumb(struct ptx *x)
{
	int64_t rest = x->half - x->gap - ptx_marked(x, &x->before);
	bool reference = x->auto_reference || x->input_reference;

	if (!x->right_reference) {
		ptx_put(x, &x->reference);
		if (x->auto_reference)
			sink_putc(&x->out, ':');
		ptx_spaces(x, x->longest_reference + x->gap - ptx_length(&x->reference) -
			   x->auto_reference);
	}
	if (ptx_length(&x->tail) > 0) {
		ptx_put(x, &x->tail);
		ptx_mark(x, &x->tail);
		rest -= ptx_marked(x, &x->tail);
	}
	ptx_spaces(x, rest);
	ptx_mark(x, &x->before);
	ptx_put(x, &x->before);
	ptx_spaces(x, x->gap);
	ptx_put(x, &x->key);
	ptx_mark(x, &x->key);
	if (ptx_length(&x->head) > 0) {
		ptx_spaces(x, x->half - ptx_marked(x, &x->key) - ptx_marked(x, &x->head));
		ptx_mark(x, &x->head);
		ptx_put(x, &x->head);
	} else if (reference && x->right_reference) {
		ptx_spaces(x, x->half - ptx_marked(x, &x->key));
	}
	if (reference && x->right_reference) {
		ptx_spaces(x, x->gap);
		ptx_put(x, &x->reference);
	}
	sink_putc(&x->out, '\n');
}

/* A quoted argument; the mark is in front or behind. */
static void ptx_roff_field(struct ptx *x, const struct ptx_field *f, bool mark_first)
{
	sink_puts(&x->out, " \"");
	if (mark_first)
		ptx_mark(x, f);
	ptx_put(x, f);
	if (!mark_first)
		ptx_mark(x, f);
	sink_putc(&x->out, '"');
}

static void ptx_line_roff(struct ptx *x)
{
	sink_putc(&x->out, '.');
	sink_puts(&x->out, x->macro);
	ptx_roff_field(x, &x->tail, false);
	ptx_roff_field(x, &x->before, true);
	ptx_roff_field(x, &x->key, false);
	ptx_roff_field(x, &x->head, true);
	if (x->auto_reference || x->input_reference)
		ptx_roff_field(x, &(struct ptx_field){ x->reference.at, x->reference.end, false }, true);
	sink_putc(&x->out, '\n');
}

static void ptx_tex_field(struct ptx *x, const char *at, const char *end)
{
	sink_putc(&x->out, '{');
	ptx_put(x, &(struct ptx_field){ at, end, false });
	sink_putc(&x->out, '}');
}

static void ptx_line_tex(struct ptx *x)
{
	const char *end = ptx_skip(x, x->key.at, x->key.end);

	sink_putc(&x->out, '\\');
	sink_puts(&x->out, x->macro);
	sink_putc(&x->out, ' ');
	ptx_tex_field(x, x->tail.at, x->tail.end);
	ptx_tex_field(x, x->before.at, x->before.end);
	ptx_tex_field(x, x->key.at, end);
	ptx_tex_field(x, end, x->key.end);
	ptx_tex_field(x, x->head.at, x->head.end);
	if (x->auto_reference || x->input_reference)
		ptx_tex_field(x, x->reference.at, x->reference.end);
	sink_putc(&x->out, '\n');
}

void ptx_print(struct ptx *x)
{
	for (size_t i = 0; i < x->found.n; i++) {
		ptx_set_fields(x, &x->found.at[i]);
		if (x->format == PTX_ROFF)
			ptx_line_roff(x);
		else if (x->format == PTX_TEX)
			ptx_line_tex(x);
		else
			ptx_line_dumb(x);
		tsb_tick(x->p, 1);
	}
}
