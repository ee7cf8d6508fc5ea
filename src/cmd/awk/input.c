/*
 * Records out of bytes: one buffer for each input, records are slices of it.
 * And the row of files of the command line.
 */
#include "cmd/awk/awk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { INPUT_BLOCK = 64 << 10 };

/* More bytes behind what is there; false at the end. */
static bool input_fill(struct awk *a, struct input *in)
{
	ssize_t r;

	if (in->eof)
		return false;
	if (in->at) {
		memmove(in->buf, in->buf + in->at, in->n - in->at);
		in->n -= in->at;
		in->at = 0;
	}
	if (in->cap - in->n < INPUT_BLOCK / 2) {
		in->cap = in->cap ? in->cap * 2 : INPUT_BLOCK;
		in->buf = heap_resize(a->heap, in->buf, in->cap);
	}
	r = tsb_read(a->p, in->fd, in->buf + in->n, in->cap - in->n);
	if (r < 0)
		in->error = (int)r;
	if (r <= 0) {
		in->eof = true;
		return false;
	}
	tsb_tick(a->p, 16);
	in->n += (size_t)r;
	return true;
}

void ak_input_end(struct awk *a, struct input *in)
{
	if (in->fd > 0)
		tsb_close(a->p, in->fd);
	heap_free(a->heap, in->buf);
	memset(in, 0, sizeof(*in));
}

static bool record_give(struct input *in, size_t n, size_t rt_n, const char **p, size_t *out)
{
	*p = in->buf + in->at;
	*out = n;
	in->rt = *p + n;
	in->rt_n = rt_n;
	in->begun = true;
	in->at += n + rt_n;
	return true;
}

static bool record_byte(struct awk *a, struct input *in, int delim, const char **p, size_t *n)
{
	size_t seen = 0;

	for (;;) {
		char *start = in->buf ? in->buf + in->at : NULL, *end = NULL;

		if (in->n - in->at > seen)
			end = memchr(start + seen, delim, in->n - in->at - seen);
		if (end)
			return record_give(in, (size_t)(end - start), 1, p, n);
		seen = in->n - in->at;
		if (!input_fill(a, in))
			return seen ? record_give(in, seen, 0, p, n) : false;
	}
}

static bool record_paragraph(struct awk *a, struct input *in, const char **p, size_t *n)
{
	size_t seen = 0, end, stop;

	for (;;) {
		while (in->at < in->n && in->buf[in->at] == '\n')
			in->at++;
		if (in->at < in->n)
			break;
		if (!input_fill(a, in))
			return false;
	}
	for (;;) {
		end = in->at + seen;
		while (end + 1 < in->n && !(in->buf[end] == '\n' && in->buf[end + 1] == '\n'))
			end++;
		stop = end;
		while (stop < in->n && in->buf[stop] == '\n')
			stop++;
		if (stop < in->n && stop - end > 1)
			return record_give(in, end - in->at, stop - end, p, n);
		seen = end - in->at;
		if (!input_fill(a, in))
			break;
	}
	end = in->n;
	while (end > in->at && in->buf[end - 1] == '\n')
		end--;
	return record_give(in, end - in->at, in->n - end, p, n);
}

static bool record_regex(struct awk *a, struct input *in, struct awk_str *rs, const char **p,
			 size_t *n)
{
	struct regex *re = ak_regex_of(a, &a->rs_re, rs);

	for (;;) {
		size_t left = in->n - in->at, from = 0;
		struct regex_span span = { 0, 0 };
		bool found = false;

		while (left && from <= left && !found) {
			if (!ak_regex_run_in(a, re, in->buf + in->at, left, from,
					     in->begun ? REGEX_NOTBOL : 0, &span, 1))
				break;
			found = span.eo > span.so;
			from = span.eo + 1;
		}
		if (found && (span.eo < left || in->eof))
			return record_give(in, span.so, span.eo - span.so, p, n);
		if (!input_fill(a, in)) {
			if (found)
				return record_give(in, span.so, span.eo - span.so, p, n);
			return left ? record_give(in, left, 0, p, n) : false;
		}
	}
}

bool ak_input_record(struct awk *a, struct input *in, const char **p, size_t *n)
{
	const struct awk_val *v = &a->globals[VAR_RS];
	struct awk_str *rs;
	bool got;

	awk_tick(a);
	if (v->type == V_STR && v->str->n == 1) {
		got = record_byte(a, in, v->str->p[0], p, n);
	} else {
		rs = ak_var_str(a, VAR_RS);
		if (!rs->n)
			got = record_paragraph(a, in, p, n);
		else if ((rs->n == 1 && v->type != V_REGEX) || a->posix || a->traditional)
			got = record_byte(a, in, rs->p[0], p, n);
		else
			got = record_regex(a, in, rs, p, n);
		str_drop(a, rs);
	}
	if (got && a->uses[VAR_RT] && !a->posix && !a->traditional) {	/* at the end it stays */
		struct awk_val rt;

		val_string(&rt, ak_str_make(a, in->rt, in->rt_n));
		ak_var_set(a, VAR_RT, &rt);
	}
	return got;
}

/* ---- The files of the command line ---- */

static void set_number(struct awk *a, uint32_t slot, double num)
{
	struct awk_val v;

	val_number(&v, num);
	ak_var_set(a, slot, &v);
}

static int main_open(struct awk *a, const char *name)
{
	struct tsb_stat st;
	int fd;

	if (!strcmp(name, "-") || !strcmp(name, "/dev/stdin"))
		return 0;
	fd = tsb_open(a->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0 && !tsb_fstat(a->p, fd, &st) && S_ISDIR(st.mode)) {
		tsb_close(a->p, fd);
		return -EISDIR;
	}
	return fd;
}

static void main_failed(struct awk *a, const char *name, int err)
{
	/* The place in the program is known, but no record. */
	a->fnr = 0;
	if (err == -EISDIR && !a->posix && !a->traditional) {
		awk_warn(a, "command line argument `%s' is a directory: skipped", name);
		return;
	}
	awk_fatal(a, "cannot open file `%s' for reading: %s", name, tsb_strerror(err));
}

/* Opens one file; false: it was skipped. */
static bool main_start(struct awk *a, const char *name)
{
	struct awk_val v;
	int fd = main_open(a, name);

	if (fd < 0 && !a->begin_file.n && !a->inplace) {
		main_failed(a, name, fd);
		return false;
	}
	ak_val_input(a, &v, name, strlen(name));
	ak_var_set(a, VAR_FILENAME, &v);
	set_number(a, VAR_FNR, 0);
	memset(&a->in, 0, sizeof(a->in));
	a->in.fd = fd;
	a->in_open = fd >= 0;
	ak_inplace_begin(a, name);
	if (!a->begin_file.n && fd >= 0)
		return true;
	if (fd < 0) {
		ak_var_errno(a, fd);
	} else {
		val_string(&v, str_hold(a->empty));
		ak_var_set(a, VAR_ERRNO, &v);
	}
	a->skip_file = false;
	a->in_file_rule = true;
	ak_record_set(a, "", 0);
	ak_run_rules(a, &a->begin_file);
	a->in_file_rule = false;
	if (fd < 0 && !a->skip_file)
		main_failed(a, name, fd);
	if (a->skip_file && a->in_open) {
		ak_input_end(a, &a->in);
		a->in_open = false;
	}
	return a->in_open;
}

static struct awk_str *argv_at(struct awk *a, double i)
{
	struct awk_val key, *v;

	val_number(&key, i);
	v = ak_array_at(a, ak_var_array(a, VAR_ARGV), &key, false);
	return v ? ak_val_to_str(a, v) : NULL;
}

/* The next file is open, or there is none. */
static bool main_advance(struct awk *a)
{
	for (;;) {
		struct awk_str *name;
		bool started;

		if (a->argind + 1 >= ak_val_to_num(a, &a->globals[VAR_ARGC]))
			break;
		a->argind++;
		name = argv_at(a, a->argind);
		if (!name)
			continue;
		if (!name->n || (!a->no_assignments && ak_var_command_line(a, name->p, false))) {
			str_drop(a, name);
			continue;
		}
		a->in_stdin_used = true;
		set_number(a, VAR_ARGIND, a->argind);
		started = main_start(a, name->p);
		str_drop(a, name);
		if (started)
			return true;
	}
	if (a->in_stdin_used)
		return false;
	a->in_stdin_used = true;
	return main_start(a, "-");
}

/* Leaves the file, by nextfile too. */
bool ak_main_next_file(struct awk *a)
{
	if (a->in_open) {
		ak_input_end(a, &a->in);
		a->in_open = false;
		if (a->end_file.n) {
			a->in_file_rule = a->in_end_file = true;
			ak_run_rules(a, &a->end_file);
			a->in_file_rule = a->in_end_file = false;
		}
	}
	return main_advance(a);
}

/* Standard input that is a directory is skipped as one that was named. */
static void main_broke(struct awk *a, int err)
{
	if (err == -EISDIR && !a->in.fd) {
		main_failed(a, "-", err);
		return;
	}
	a->fnr = 0;
	awk_fatal(a, "error reading input file `%s': %s", a->in.fd ? "?" : "-", tsb_strerror(err));
}

bool ak_main_record(struct awk *a, const char **p, size_t *n)
{
	if (!a->in_open && !main_advance(a))
		return false;
	while (!ak_input_record(a, &a->in, p, n)) {
		if (a->in.error) {
			ak_var_errno(a, a->in.error);
			main_broke(a, a->in.error);
		}
		if (!ak_main_next_file(a))
			return false;
	}
	a->nr++;
	a->fnr++;
	return true;
}
