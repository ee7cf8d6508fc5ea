/*
 * Two files that are open: read, told apart as binary by their beginnings,
 * compared, and shown in the style that was asked for.
 */
#include "cmd/diff.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "cmd/lines.h"

#define DIFF_HEAD 4096		/* bytes looked at for a NUL */
#define DIFF_BLOCK ((size_t)64 << 10)

void diff_fatal(struct diff_cmd *d, int err, const char *name)
{
	diff_flush(d);
	tsb_warn_errno(d->p, err, "%s", name);
	tsb_exit(d->p, DIFF_TROUBLE);
}

/* ---- Reading ---- */

/* Until there are `want` bytes, or all. */
static void input_fill(struct diff_cmd *d, struct diff_input *in, size_t want)
{
	while (in->n < want && !in->eof) {
		size_t step = want - in->n;
		ssize_t r;

		if (step > in->cap - in->n && in->cap - in->n < DIFF_BLOCK) {
			in->cap = in->cap + in->cap / 2 + DIFF_BLOCK;
			in->text = tsb_realloc(d->p, in->text, in->cap);
		}
		if (step > in->cap - in->n)
			step = in->cap - in->n;
		r = tsb_read(d->p, in->fd, in->text + in->n, step);
		if (r < 0)
			diff_fatal(d, (int)r, in->name);
		in->eof = r == 0;
		in->n += (size_t)r;
		tsb_tick(d->p, 1);
	}
}

/* Room for the whole if its size is known: then nothing has to be moved. */
static void input_start(struct diff_cmd *d, struct diff_input *in)
{
	in->n = in->cap = 0;
	in->text = NULL;
	in->eof = in->state == DIFF_NONEXISTENT;
	if (in->eof)
		return;
	if (S_ISREG(in->st.mode) && in->st.size < SIZE_MAX / 4)
		in->cap = (size_t)in->st.size + 1;
	if (in->cap < DIFF_HEAD)
		in->cap = DIFF_HEAD;
	in->text = text_alloc(d->p, in->cap);
	input_fill(d, in, DIFF_HEAD);
}

static bool input_binary(const struct diff_input *in)
{
	return in->n && memchr(in->text, 0, in->n < DIFF_HEAD ? in->n : DIFF_HEAD);
}

/* Carriage returns before newlines. */
static void strip_returns(struct diff_input *in)
{
	char *to = in->n ? memchr(in->text, '\r', in->n) : NULL;

	if (!to)
		return;
	for (const char *s = to, *end = in->text + in->n; s < end; s++)
		if (*s != '\r' || s + 1 == end || s[1] != '\n')
			*to++ = *s;
	in->n = (size_t)(to - in->text);
}

/* ---- Binary ---- */

static bool sizes_differ(const struct diff_input *in)
{
	for (int f = 0; f < 2; f++)
		if (!in[f].st.size || (in[f].state != DIFF_NONEXISTENT && !S_ISREG(in[f].st.mode)))
			return false;
	return in[0].st.size != in[1].st.size;
}

/* Drops the first n bytes that were compared. */
static void input_drop(struct diff_input *in, size_t n)
{
	in->n -= n;
	if (in->n)
		memmove(in->text, in->text + n, in->n);
}

static bool bytes_differ(struct diff_cmd *d)
{
	struct diff_input *a = &d->in[0], *b = &d->in[1];

	if (sizes_differ(d->in))
		return true;
	for (;;) {
		size_t n;

		input_fill(d, a, DIFF_BLOCK);
		input_fill(d, b, DIFF_BLOCK);
		n = a->n < b->n ? a->n : b->n;
		if (!n)
			return a->n != b->n;
		if (memcmp(a->text, b->text, n) != 0)
			return true;
		input_drop(a, n);
		input_drop(b, n);
	}
}

static int say_differ(struct diff_cmd *d, bool differ)
{
	if (differ)
		diff_message(d, d->brief ? "Files %s and %s differ\n" :
			     "Binary files %s and %s differ\n",
			     d->label[0] ? d->label[0] : d->in[0].name,
			     d->label[1] ? d->label[1] : d->in[1].name);
	return differ;
}

/* ---- Text ---- */

static bool any_change_counts(struct diff_cmd *d)
{
	for (size_t i = 0; i < d->d.changes.n; i++)
		if (!d->d.changes.at[i].ignored)
			return true;
	return false;
}

/* Is the whole printed even when nothing differs? */
static bool shows_equal(const struct diff_cmd *d)
{
	if (d->style == DIFF_IFDEF)
		return *d->group_format[DIFF_SAME] &&
		       (strcmp(d->group_format[DIFF_SAME], "%=") != 0 || *d->line_format[2]);
	return d->style == DIFF_SIDE && !d->no_common;
}

static void show(struct diff_cmd *d)
{
	static void (*const shows[])(struct diff_cmd *) = {
		[DIFF_NORMAL] = diff_show_normal, [DIFF_CONTEXT] = diff_show_context,
		[DIFF_UNIFIED] = diff_show_unified, [DIFF_ED] = diff_show_ed,
		[DIFF_FORWARD_ED] = diff_show_forward_ed, [DIFF_RCS] = diff_show_rcs,
		[DIFF_IFDEF] = diff_show_ifdef, [DIFF_SIDE] = diff_show_side,
	};

	d->begun = false;
	d->function_last = 0;
	d->function_match = SIZE_MAX;
	shows[d->style](d);
	diff_finish(d);
}

static void tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps);
}

static void compare(struct diff_cmd *d)
{
	memset(&d->d, 0, sizeof(d->d));
	d->d.heap = tsb_heap_of(d->p);
	d->d.how = (struct diff_how){
		.space = d->space, .icase = d->icase, .minimal = d->minimal, .large = d->large,
		.robust = d->style != DIFF_ED && d->style != DIFF_FORWARD_ED,
		.horizon = (size_t)(d->horizon > d->context ? d->horizon : d->context),
		.tabsize = (size_t)d->tabsize, .tick = tick, .ctx = d->p,
	};
	for (int f = 0; f < 2; f++) {
		d->d.file[f].text = d->in[f].text;
		d->d.file[f].size = d->in[f].n;
	}
	if (diff_compare(&d->d)) {
		tsb_warn(d->p, "memory exhausted");
		tsb_exit(d->p, DIFF_TROUBLE);
	}
	diff_mark_ignored(d);
}

/* ed's scripts cannot say that the last line has no newline. */
static int say_no_newline(struct diff_cmd *d, int status)
{
	for (int f = 0; f < 2 && !d->d.how.robust; f++) {
		if (!d->d.file[f].no_newline)
			continue;
		diff_flush(d);
		tsb_flush(d->p);
		tsb_warn(d->p, "%s: No newline at end of file\n",
			 d->label[f] ? d->label[f] : d->in[f].name);
		status = DIFF_TROUBLE;
	}
	return status;
}

static bool same_bytes(const struct diff_input *in)
{
	return in[0].n == in[1].n && (!in[0].n || !memcmp(in[0].text, in[1].text, in[0].n));
}

static int text_files(struct diff_cmd *d)
{
	int status;

	for (int f = 0; f < 2; f++) {
		input_fill(d, &d->in[f], SIZE_MAX);
		if (d->strip_cr && (!f || d->in[1].text != d->in[0].text))
			strip_returns(&d->in[f]);
	}
	if (d->brief && same_bytes(d->in))
		return 0;
	compare(d);
	status = any_change_counts(d);
	if (d->brief)
		say_differ(d, status);
	else if (status || shows_equal(d))
		show(d);
	if (!d->brief)
		status = say_no_newline(d, status);
	diff_end(&d->d);
	return status;
}

int diff_two_files(struct diff_cmd *d)
{
	struct diff_input *in = d->in;
	bool same = in[0].fd == in[1].fd && in[0].state != DIFF_NONEXISTENT &&
		    in[1].state != DIFF_NONEXISTENT;
	int status;

	input_start(d, &in[0]);
	if (same) {
		if (!d->text && input_binary(&in[0]))
			return 0;
		input_fill(d, &in[0], SIZE_MAX);
		in[1].text = in[0].text;
		in[1].n = in[0].n;
		in[1].eof = true;
	} else {
		input_start(d, &in[1]);
	}
	if (!d->text && (input_binary(&in[0]) || input_binary(&in[1])))
		status = say_differ(d, bytes_differ(d));
	else
		status = text_files(d);
	tsb_free(d->p, in[0].text);
	if (!same)
		tsb_free(d->p, in[1].text);
	return status;
}
