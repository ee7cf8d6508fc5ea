/*
 * dc's execution: a stack of strings above a file. A string that is executed at the end of
 * another takes its place, so that loops made of macros need no more memory, and counts for
 * both when levels are left.
 */
#include "cmd/dc/dc.h"

void dc_execute(struct dc *d, struct dc_value v)
{
	struct dc_frame *top = d->frames.n ? &vec_last(&d->frames) : NULL;

	if (v.number) {
		dc_push(d, v);
		return;
	}
	if (top && top->at == top->string->n) {
		dc_drop(d, (struct dc_value){ .string = top->string });
		*top = (struct dc_frame){ v.string, 0, top->tail + 1 };
		return;
	}
	*vec_add(d->heap, &d->frames) = (struct dc_frame){ v.string, 0, 1 };
}

static void pop_frame(struct dc *d)
{
	dc_drop(d, (struct dc_value){ .string = vec_pop(&d->frames).string });
}

/*
 * Leaves d->unwind levels and the one that the command stands in. A level that
 * has replaced others goes on when fewer than those are to be left. True: more
 * levels are to be left than there are strings.
 */
static bool leave_levels(struct dc *d)
{
	struct dc_frame *top;

	if (!d->frames.n)
		return true;
	top = &vec_last(&d->frames);
	if (d->unwind < top->tail) {
		top->tail -= d->unwind;
		return false;
	}
	d->unwind -= top->tail;
	pop_frame(d);
	while (d->frames.n && d->unwind) {
		d->unwind--;
		pop_frame(d);
	}
	if (!d->frames.n)
		return true;
	pop_frame(d);
	return false;
}

/* All strings, down to the file. */
static enum dc_result run_frames(struct dc *d)
{
	while (d->frames.n) {
		int ch = dcs_next(d);
		enum dc_result r = DC_GO_ON;

		if (ch < 0)
			pop_frame(d);
		else
			r = dc_command(d, ch);
		if (r == DC_ENDED) {
			dc_say(d, "unexpected EOS");
			pop_frame(d);
		} else if (r == DC_LEAVE && leave_levels(d)) {
			return DC_LEAVE;
		}
	}
	return DC_GO_ON;
}

enum dc_result dc_eval_string(struct dc *d, const char *s, size_t n)
{
	d->file = NULL;
	dc_push_string(d, s, n);
	*vec_add(d->heap, &d->frames) = (struct dc_frame){ vec_pop(&d->stack).string, 0, 1 };
	return run_frames(d);
}

/* GNU's has read one byte ahead when a macro begins, and takes it after it even when "?" in the
 * macro has read the line that it begins. */
static enum dc_result run_macro(struct dc *d, struct dc_file *f, int command)
{
	int ahead = f == d->input && command != '?' ? dcs_peek_file(d, f) : -1;
	enum dc_result r;

	d->asked = false;
	r = run_frames(d);
	if (d->asked && ahead >= 0)
		f->again = ahead + 1;
	return r;
}

enum dc_result dc_eval_file(struct dc *d, struct dc_file *f)
{
	int ch;

	d->file = f;
	d->negate = false;
	while ((ch = dcs_next(d)) >= 0) {
		enum dc_result r = dc_command(d, ch);

		if (r == DC_GO_ON && d->frames.n)
			r = run_macro(d, f, ch);
		if (r == DC_ENDED) {
			dc_say(d, "unexpected EOF");
			return r;
		}
		if (r != DC_LEAVE)
			continue;
		if (!d->unwind_stays)
			return r;
		dc_say(d, "Q command argument exceeded string execution depth");
	}
	if (f->error) {
		dc_say(d, "error reading input: %s", tsb_strerror(-f->error));
		return DC_ENDED;
	}
	return DC_GO_ON;
}
