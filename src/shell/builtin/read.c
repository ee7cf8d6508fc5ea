/*
 * read: one record from a descriptor, split by IFS into variables.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <string.h>
#include <termios.h>

#include "base/utf8.h"
#include "shell/edit.h"

struct read {
	struct shell *sh;
	const char *array, *prompt;
	int delim;		/* byte that ends the record */
	int64_t count;		/* -n, -N; < 0: none */
	bool exact, raw, silent, edit;
	const char *initial;	/* -i */
	int64_t timeout_ns;
	int fd;
	struct str text;
	bool *escaped;		/* by byte of text */
	size_t escaped_cap;
	bool any_escaped;
};

static int read_descriptor(struct read *r, const char *arg)
{
	struct shell *sh = r->sh;
	int64_t n;

	if (!text_number(arg, &n) || n < 0 || n > INT32_MAX) {
		builtin_error(sh, "%s: invalid file descriptor specification", arg);
		return 1;
	}
	r->fd = (int)n;
	if (proc_fd_open(sh->p, r->fd))
		return 0;
	builtin_error(sh, "%d: invalid file descriptor: %s", r->fd, tsb_strerror(EBADF));
	return 1;
}

static int read_options(struct read *r, struct bopt *o)
{
	struct shell *sh = r->sh;
	int64_t n;

	for (int c; (c = bopt_next(o, "ersa:d:i:n:N:p:t:u:"));) {
		if (c < 0)
			return STATUS_USAGE;
		switch (c) {
		case 'r':
			r->raw = true;
			break;
		case 'a':
			r->array = o->arg;
			break;
		case 'd':
			r->delim = (unsigned char)*o->arg;
			break;
		case 'p':
			r->prompt = o->arg;
			break;
		case 'n':
		case 'N':
			if (!text_number(o->arg, &n) || n < 0 || n > INT32_MAX) {
				builtin_error(sh, "%s: invalid number", o->arg);
				return 1;
			}
			r->count = n;
			r->exact |= c == 'N';
			break;
		case 't':
			if (!seconds_text(o->arg, &r->timeout_ns) || r->timeout_ns < 0) {
				builtin_error(sh, "%s: invalid timeout specification", o->arg);
				return 1;
			}
			break;
		case 'u':
			if (read_descriptor(r, o->arg))
				return 1;
			break;
		case 's':
			r->silent = true;
			break;
		case 'e':
			r->edit = true;
			break;
		case 'i':
			r->initial = o->arg;
			break;
		default:
			break;
		}
	}
	return 0;
}

static void add_byte(struct read *r, int c, bool escaped)
{
	if (escaped || r->any_escaped) {
		if (r->text.n >= r->escaped_cap) {
			size_t cap = r->text.n * 2 + 64;

			r->escaped = heap_resize(r->sh->heap, r->escaped, cap);
			memset(r->escaped + r->escaped_cap, 0, cap - r->escaped_cap);
			r->escaped_cap = cap;
		}
		r->escaped[r->text.n] = escaped;
		r->any_escaped = true;
	}
	str_addc(&r->text, c);
}

/* Does the byte end a character (counts are in characters)? */
static bool ends_character(const struct str *t)
{
	size_t start = t->n - 1;
	unsigned char lead;
	size_t want;

	while (start && t->n - start < 4 && ((unsigned char)t->p[start] & 0xc0) == 0x80)
		start--;
	lead = (unsigned char)t->p[start];
	want = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 1;
	return t->n - start >= want;
}

/* Bash reads a character whole, and the byte that does not belong into it with it,
 * be it the delimiter. */
static void add_rest(struct read *r, struct byte_source *s, int lead)
{
	int want = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

	while (--want > 0) {
		int c = byte_next(s);

		if (c <= 0)
			return;
		add_byte(r, c, false);
		if ((c & 0xc0) != 0x80)
			return;
	}
}

/* The record into r->text; true: it was ended by its delimiter (or count). */
static bool read_record(struct read *r, struct byte_source *s)
{
	int64_t characters = 0;
	int c;

	if (r->count == 0)
		return true;
	while ((c = byte_next(s)) >= 0) {
		bool escaped = false;

		if (!r->exact && c == r->delim)
			return true;
		if (c == '\\' && !r->raw) {
			c = byte_next(s);
			if (c < 0)
				return false;
			if (c == '\n')
				continue;
			escaped = true;
		}
		if (!c)
			continue;	/* a NUL cannot be in a variable */
		add_byte(r, c, escaped);
		if (!r->sh->bytes && c >= 0x80)
			add_rest(r, s, c);
		if (r->text.bad)
			return false;
		if (r->count > 0 && (r->sh->bytes || ends_character(&r->text)) &&
		    ++characters >= r->count)
			return true;
	}
	return false;
}

static int set_reference(struct read *r, const char *ref, const char *value, size_t n)
{
	if (!reference_usable(r->sh, ref, strlen(ref))) {
		builtin_error(r->sh, "`%s': not a valid identifier", ref);
		return 1;
	}
	return var_set_reference(r->sh, ref, strlen(ref), value, n, false);
}

/* REPLY gets the record as it is; so does the name behind -N. */
static int assign_whole(struct read *r, int argc, char **argv, int from)
{
	const char *name = from < argc ? argv[from] : "REPLY";
	int status = set_reference(r, name, r->text.p, r->text.n);

	for (int i = from + 1; i < argc && !status; i++)
		status = set_reference(r, argv[i], "", 0);
	return status;
}

static int assign_array(struct read *r)
{
	struct fields f = { 0 };
	struct slice *items, all = { r->text.p, r->text.n };

	if (r->exact)	/* as it is, in one piece */
		return var_set_list(r->sh, r->array, &all, r->text.n != 0);
	split_read(r->sh, r->text.p, r->text.n, r->any_escaped ? r->escaped : NULL, SIZE_MAX, &f);
	items = arena_array(&r->sh->turn, f.n + 1, sizeof(*items));
	for (size_t i = 0; i < f.n; i++)
		items[i] = (struct slice){ f.at[i], f.lens[i] };
	return var_set_list(r->sh, r->array, items, f.n);
}

static int assign_names(struct read *r, int argc, char **argv, int from)
{
	size_t names = (size_t)(argc - from);
	struct fields f = { 0 };
	int status = 0;

	split_read(r->sh, r->text.p, r->text.n, r->any_escaped ? r->escaped : NULL, names, &f);
	for (size_t i = 0; i < names && !status; i++)
		status = set_reference(r, argv[from + (int)i], i < f.n ? f.at[i] : "",
				       i < f.n ? f.lens[i] : 0);
	return status;
}

static int read_assign(struct read *r, int argc, char **argv, int from)
{
	if (r->any_escaped && r->escaped_cap < r->text.n) {
		r->escaped = heap_resize(r->sh->heap, r->escaped, r->text.n);
		memset(r->escaped + r->escaped_cap, 0, r->text.n - r->escaped_cap);
		r->escaped_cap = r->text.n;
	}
	if (r->array)
		return assign_array(r);
	if (from >= argc || r->exact)
		return assign_whole(r, argc, argv, from);
	return assign_names(r, argc, argv, from);
}

/* Before anything is read bash looks at the first name only. */
static bool names_good(struct read *r, int argc, char **argv, int from)
{
	if (from < argc && !reference_usable(r->sh, argv[from], strlen(argv[from]))) {
		builtin_error(r->sh, "`%s': not a valid identifier", argv[from]);
		return false;
	}
	if (r->array && !text_is_name(r->array)) {
		builtin_error(r->sh, "`%s': not a valid identifier", r->array);
		return false;
	}
	return true;
}

/* On a terminal -s is without echo, and what does not end with a line comes byte by byte. */
static void read_terminal(struct read *r)
{
	struct tsb_proc *p = r->sh->p;
	bool bytes = r->count >= 0 || r->delim != '\n';
	struct tsb_termios t;

	if ((!r->silent && !bytes) || !tsb_isatty(p, r->fd) || tsb_tcgetattr(p, r->fd, &t))
		return;
	if (bytes) {
		t.lflag = (t.lflag & ~(uint32_t)ICANON) | ISIG | IEXTEN;
		t.iflag = (t.iflag & ~(uint32_t)INLCR) | ICRNL;
		t.cc[VMIN] = 1;
		t.cc[VTIME] = 0;
	}
	if (r->silent)
		t.lflag &= ~(uint32_t)(ECHO | ECHOK | ECHONL);
	tsb_tty_borrow(p, r->fd, &t);
}

/* -e on a terminal: a line of the editor is what there is to read. False: to be read as ever. */
static bool read_edited(struct read *r, struct byte_source *s)
{
	struct shell *sh = r->sh;
	struct str line;
	enum edit_end end;

	if (!r->edit || r->silent || !edit_works(sh, r->fd))
		return false;
	str_init(&line, sh->heap, STR_MAX_DEFAULT);
	end = edit_line(sh, r->fd, r->prompt ? r->prompt : "", r->initial, true, s->deadline_ns, &line);
	if (end == EDIT_LINE_DONE)
		str_addc(&line, '\n');
	s->timed_out = end == EDIT_LATE;
	s->interrupted = end == EDIT_BROKEN;
	s->given_n = line.n;
	s->given = str_take(&line, NULL);
	return true;
}

static int read_run(struct read *r, int argc, char **argv, int from)
{
	struct shell *sh = r->sh;
	struct byte_source *s;
	bool ended;
	int status;

	s = heap_alloc(sh->heap, sizeof(*s));
	byte_source_init(s, sh, r->fd, r->timeout_ns);
	if (!read_edited(r, s)) {
		if (r->prompt && tsb_isatty(sh->p, r->fd))
			tsb_write_all(sh->p, 2, r->prompt, strlen(r->prompt));
		read_terminal(r);
	}
	ended = read_record(r, s);
	tsb_tty_return(sh->p);
	byte_source_end(s);
	heap_free(sh->heap, s->given);
	if (s->error)	/* nothing is assigned then */
		builtin_error(sh, "read error: %d: %s", r->fd, tsb_strerror(s->error));
	status = s->error ? 1 : read_assign(r, argc, argv, from);
	if (!status)
		status = s->timed_out ? STATUS_SIGNAL + 14 : ended ? 0 : 1;
	heap_free(sh->heap, s);
	return status;
}

static int64_t default_timeout(struct shell *sh)
{
	struct slice v;
	int64_t ns;

	if (var_get_text(sh, "TMOUT", &v) && v.n && seconds_text(v.p, &ns) && ns > 0)
		return ns;
	return -1;
}

int builtin_read(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct read r = { .sh = sh, .delim = '\n', .count = -1,
			  .timeout_ns = default_timeout(sh) };
	struct bopt o;
	int status;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	status = read_options(&r, &o);
	if (status)
		return status;
	if (r.timeout_ns == 0)	/* whether there is input; the names do not matter */
		return tsb_poll_in(sh->p, r.fd, 0) > 0 ? 0 : 1;
	if (!names_good(&r, argc, argv, o.at))
		return 1;
	str_init(&r.text, sh->heap, kernel_limits(proc_kernel(sh->p))->word_bytes);
	status = read_run(&r, argc, argv, o.at);
	str_end(&r.text);
	heap_free(sh->heap, r.escaped);
	return status;
}
