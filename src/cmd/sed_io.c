/*
 * sed's lines in and out: the row of input files, files that are edited in
 * place, files of w, and what waits for the end of a cycle (a, r, R).
 *
 * A last line without a newline is printed without one; when more follows on
 * the same output, the newline comes first.
 */
#include "cmd/sed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/util.h"

/* ---- Spaces ---- */

static void space_reserve(struct sed *s, struct sed_space *sp, size_t n)
{
	size_t cap;

	if (n <= sp->cap)
		return;
	if (!num_mul(n, 2, &cap) || !num_add(cap, 256, &cap))
		cap = SIZE_MAX;
	sp->at = tsb_realloc(s->p, sp->at, cap);
	sp->cap = cap;
}

void space_set(struct sed *s, struct sed_space *sp, const char *at, size_t n)
{
	space_reserve(s, sp, n + 1);
	memmove(sp->at, at, n);
	sp->n = n;
}

void space_add(struct sed *s, struct sed_space *sp, const char *at, size_t n)
{
	if (sp->n + n + 1 > sp->cap)
		space_reserve(s, sp, sp->n + n + 1);
	memcpy(sp->at + sp->n, at, n);
	sp->n += n;
}

/* ---- Output ---- */

static void out_flush_file(struct sed *s, struct sed_out *o)
{
	int err;

	if (o->is_stdout) {
		sink_flush(&o->sink);
		return;
	}
	if (!o->sink.n)
		return;
	err = tsb_write_all(s->p, o->fd, o->sink.buf, o->sink.n);
	o->sink.n = 0;
	if (err)
		sed_panic(s, SED_PANIC, "couldn't write %s: %s", o->name, tsb_strerror(err));
}

/* Standard output by whatever name is one stream; whether its last line lacks
 * a newline is known for each name by itself. */
static struct sed_out *out_real(struct sed *s, struct sed_out *o)
{
	return o->is_stdout ? &s->std_out : o;
}

void sed_put_raw(struct sed *s, struct sed_out *o, const char *at, size_t n)
{
	o = out_real(s, o);
	if (o->is_stdout || n <= SINK_SIZE - o->sink.n) {
		sink_put(&o->sink, at, n);
		return;
	}
	out_flush_file(s, o);
	if (n <= SINK_SIZE) {
		sink_put(&o->sink, at, n);
		return;
	}
	if (tsb_write_all(s->p, o->fd, at, n))
		sed_panic(s, SED_PANIC, "couldn't write to %s", o->name);
}

void sed_end_line(struct sed *s, struct sed_out *o)
{
	if (o->missing_newline)
		sed_put_raw(s, o, &s->end, 1);
	o->missing_newline = false;
}

static void out_written(struct sed *s, struct sed_out *o)
{
	o = out_real(s, o);
	if (o->fd == 2 && !o->is_stdout)
		out_flush_file(s, o);
	if (!s->unbuffered)
		return;
	out_flush_file(s, o);
	if (o->is_stdout)
		tsb_flush(s->p);
}

void sed_put(struct sed *s, struct sed_out *o, const char *at, size_t n, bool newline)
{
	sed_end_line(s, o);
	sed_put_raw(s, o, at, n);
	if (newline)
		sed_put_raw(s, o, &s->end, 1);
	else
		o->missing_newline = true;
	out_written(s, o);
}

void sed_flush_files(struct sed *s)
{
	for (struct sed_out *o = s->outs; o; o = o->next)
		if (!o->is_stdout)
			out_flush_file(s, o);
}

struct sed_out *sed_out_open(struct sed *s, const char *name)
{
	struct sed_out *o;

	for (o = s->outs; o; o = o->next)
		if (!strcmp(o->name, name))
			return o;
	o = tsb_alloc(s->p, sizeof(*o));
	o->name = name;
	o->is_stdout = !strcmp(name, "/dev/stdout");
	if (o->is_stdout)
		o->fd = 1;
	else if (!strcmp(name, "/dev/stderr"))
		o->fd = 2;
	else
		o->fd = tsb_open(s->p, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		sed_panic(s, SED_PANIC, "couldn't open file %s: %s", name, tsb_strerror(o->fd));
	if (!o->is_stdout)
		sink_init(&o->sink, s->p);
	o->next = s->outs;
	s->outs = o;
	return o;
}

/* ---- Files of R ---- */

struct sed_in *sed_in_open(struct sed *s, const char *name)
{
	struct sed_in *f;

	for (f = s->ins; f; f = f->next)
		if (!strcmp(f->name, name))
			return f;
	f = tsb_alloc(s->p, sizeof(*f));
	f->name = name;
	f->fd = -1;
	f->next = s->ins;
	s->ins = f;
	return f;
}

bool sed_in_line(struct sed *s, struct sed_in *f, struct slice *line)
{
	char *at;
	size_t n;

	sed_flush_files(s);
	if (f->fd < 0) {
		f->fd = strcmp(f->name, "/dev/stdin") ? tsb_open(s->p, f->name,
								  O_RDONLY | O_CLOEXEC, 0) : 0;
		if (f->fd < 0)
			return false;
		lines_open(&f->lines, s->p, f->fd);
	}
	if (!lines_next(&f->lines, s->end, &at, &n))
		return false;
	*line = (struct slice){ tsb_strndup(s->p, at, n), n };
	return true;
}

/* ---- What waits for the end of the cycle ---- */

void sed_append_add(struct sed *s, struct sed_append a)
{
	s->appends = util_grow(s->p, s->appends, s->n_appends, &s->cap_appends,
			       sizeof(*s->appends));
	s->appends[s->n_appends++] = a;
}

static void append_file(struct sed *s, const char *name)
{
	struct lines in = { 0 };
	int fd = strcmp(name, "/dev/stdin") ? tsb_open(s->p, name, O_RDONLY | O_CLOEXEC, 0) : 0;
	struct sed_out *o = &s->out;

	if (fd < 0)
		return;
	lines_open(&in, s->p, fd);
	while (lines_fill(&in)) {
		sed_put_raw(s, o, in.buf + in.at, in.n - in.at);
		in.at = in.n;
	}
	tsb_free(s->p, in.buf);
	input_close(s->p, fd);
}

void sed_dump_appends(struct sed *s)
{
	struct sed_out *o = &s->out;

	if (!s->n_appends)
		return;
	sed_end_line(s, o);
	for (size_t i = 0; i < s->n_appends; i++) {
		struct sed_append *a = &s->appends[i];

		if (a->kind == SED_APPEND_TEXT) {
			sed_put_raw(s, o, a->text.p, a->text.n);
		} else {
			sed_flush_files(s);
			append_file(s, a->file);
		}
	}
	s->n_appends = 0;
	out_written(s, o);
}

/* ---- Editing in place ---- */

/* "*" in the suffix stands for the name; with a slash it is another folder. */
static char *backup_name(struct sed *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *star;
	struct str name;

	str_init(&name, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	if (!strchr(s->suffix, '/'))
		str_addn(&name, path, (size_t)(base - path));
	if (!strchr(s->suffix, '*')) {
		str_adds(&name, base);
		str_adds(&name, s->suffix);
		return str_take(&name, NULL);
	}
	for (const char *at = s->suffix; *at; at = star + 1) {
		star = strchr(at, '*');
		if (!star) {
			str_adds(&name, at);
			break;
		}
		str_addn(&name, at, (size_t)(star - at));
		str_adds(&name, base);
	}
	return str_take(&name, NULL);
}

static void edit_begin(struct sed *s, const char *path)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
	unsigned char r[6];
	int fd;

	do {
		s->temp = tsb_alloc(s->p, dir + 16);
		memcpy(s->temp, path, dir);
		memcpy(s->temp + dir, "sed", 3);
		tsb_random(s->p, r, sizeof(r));
		for (int i = 0; i < 6; i++)
			s->temp[dir + 3 + (size_t)i] = letters[r[i] % 62];
		fd = tsb_open(s->p, s->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (fd == -EEXIST);
	if (fd < 0) {
		const char *temp = s->temp;

		s->temp = NULL;
		sed_panic(s, SED_PANIC, "couldn't open temporary file %s: %s", temp,
			  tsb_strerror(fd));
	}
	s->out = (struct sed_out){ .fd = fd, .name = s->temp };
	sink_init(&s->out.sink, s->p);
}

static void edit_end(struct sed *s)
{
	struct tsb_setattr set = {
		.mask = TSB_SET_MODE | TSB_SET_UID | TSB_SET_GID,
		.mode = s->in_st.mode & 07777, .uid = s->in_st.uid, .gid = s->in_st.gid,
	};
	const char *target = s->name;
	char *real = NULL;
	int err;

	if (!s->temp)
		return;
	out_flush_file(s, &s->out);
	if (tsb_fsetattr(s->p, s->out.fd, &set)) {
		set.mask = TSB_SET_MODE;
		tsb_fsetattr(s->p, s->out.fd, &set);
	}
	tsb_close(s->p, s->out.fd);
	tsb_free(s->p, s->out.sink.buf);
	if (s->follow && !tsb_realpath(s->p, target, TSB_REAL_ALL_EXIST, &real))
		target = real;
	if (s->suffix && strcmp(s->suffix, "*")) {
		char *backup = backup_name(s, target);

		tsb_unlink(s->p, backup);
		tsb_rename(s->p, target, backup, 0);
	}
	err = tsb_rename(s->p, s->temp, target, 0);
	if (err)
		sed_panic(s, SED_PANIC, "cannot rename %s: %s", s->temp, tsb_strerror(err));
	s->temp = NULL;
	s->out = (struct sed_out){ .fd = 1, .is_stdout = true };
}

/* ---- Input ---- */

/* Ranges and line numbers begin anew with each file. */
static void start_over(struct sed *s)
{
	s->line = 0;
	s->hold.n = 0;
	for (size_t i = 0; i < s->n_cmds; i++) {
		struct sed_cmd *c = &s->cmds[i];

		c->range = c->a1 && c->a2 && c->a1->kind == SED_LINE && !c->a1->n ? SED_ACTIVE
										   : SED_INACTIVE;
	}
	for (struct sed_in *f = s->ins; f; f = f->next)
		if (f->fd > 0) {
			tsb_lseek(s->p, f->fd, 0, SEEK_SET);
			lines_open(&f->lines, s->p, f->fd);
		}
}

/* Opens the next file that can be; false: none is left. */
static bool open_next(struct sed *s)
{
	while (s->at_file < s->n_files) {
		const char *name = s->files[s->at_file++];
		int fd = input_is_stdin(name) && !s->in_place ? 0
		       : tsb_open(s->p, name, O_RDONLY | O_CLOEXEC, 0);

		s->name = name;
		if (fd < 0) {
			tsb_warn(s->p, "can't read %s: %s", name, tsb_strerror(fd));
			s->status = SED_BAD_INPUT;
			continue;
		}
		if (s->in_place) {
			if (tsb_fstat(s->p, fd, &s->in_st) || !S_ISREG(s->in_st.mode)) {
				tsb_warn(s->p, "couldn't edit %s: not a regular file", name);
				s->status = SED_PANIC;
				tsb_close(s->p, fd);
				continue;
			}
			edit_begin(s, name);
		}
		lines_open(&s->in, s->p, fd);
		s->open = true;
		if (s->separate)
			start_over(s);
		return true;
	}
	return false;
}

static void check_read(struct sed *s)
{
	if (!s->in.error)
		return;
	sink_flush(&s->std_out.sink);
	sed_panic(s, SED_PANIC, "read error on %s: %s", input_is_stdin(s->name) ? "stdin" : s->name,
		  tsb_strerror(s->in.error));
}

static void close_input(struct sed *s)
{
	if (!s->open)
		return;
	input_close(s->p, s->in.fd);
	s->open = false;
	edit_end(s);
}

bool sed_read_line(struct sed *s)
{
	char *line;
	size_t n;

	for (;;) {
		if (!s->open && !open_next(s))
			return false;
		if (lines_next(&s->in, s->end, &line, &n))
			break;
		check_read(s);
		close_input(s);
	}
	s->space.newline = line[n - 1] == s->end;
	space_set(s, &s->space, line, n - s->space.newline);
	s->line++;
	s->replaced = false;
	if (++s->steps % 256 == 0)
		tsb_tick(s->p, 128);
	return true;
}

bool sed_is_last(struct sed *s)
{
	for (;;) {
		if (s->open) {
			if (s->in.at < s->in.n || lines_fill(&s->in))
				return false;
			check_read(s);
			if (s->separate)
				return true;
			close_input(s);
		}
		if (!open_next(s))
			return true;
	}
}

void sed_finish(struct sed *s)
{
	if (s->open && !s->temp)
		lines_unread(&s->in);
	close_input(s);
	sed_flush_files(s);
	sink_flush(&s->std_out.sink);
}
