/* more on a terminal: a screen of lines, its prompt, and keys that ask for more. The screen is not another one. */
#include "cmd/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/util.h"
#include "cmd/vdu.h"
#include "text/regex.h"

struct more_file {
	const char *name;
	int fd;
	bool ended;
	int64_t size;		/* < 0: not known */
	struct str text;	/* what was read */
	size_t at, line;	/* what comes next */
};

struct reading {
	struct tsb_proc *p;
	const struct more *how;
	struct vdu t;
	struct more_file f;
	char **names;
	int files, current;
	int64_t rows, step, half;	/* by z, RETURN, d */
	bool prompted, left, quit;
	bool waiting;		/* a file was skipped to: nothing of it is shown yet */
	size_t sought_from;
	struct regex *re;
	int status;
};

/* ---- The text ---- */

static bool more_fill(struct reading *r)
{
	struct more_file *f = &r->f;
	ssize_t n;

	if (f->ended || !str_reserve(&f->text, 65536))
		return false;
	n = tsb_read(r->p, f->fd, f->text.p + f->text.n, 65535);
	if (n == -EINTR) {
		r->quit |= vdu_signal(&r->t) == VDU_INTERRUPT;
		return !r->quit;
	}
	if (n <= 0) {
		f->ended = true;
		return false;
	}
	f->text.n += (size_t)n;
	f->text.p[f->text.n] = '\0';
	return true;
}

/* The next line, with its end; false: there is none. */
static bool more_line(struct reading *r, struct slice *line)
{
	struct more_file *f = &r->f;
	const char *end;

	while (!(end = memchr(f->text.p + f->at, '\n', f->text.n - f->at)) && more_fill(r))
		tsb_tick(r->p, 64);
	line->p = f->text.p + f->at;
	line->n = end ? (size_t)(end - line->p) + 1 : f->text.n - f->at;
	return line->n > 0;
}

static void more_over(struct reading *r, const struct slice *line)
{
	r->f.at += line->n;
	r->f.line++;
}

static void more_go(struct reading *r, size_t line)
{
	struct slice text;

	r->f.at = r->f.line = 0;
	while (r->f.line < line && more_line(r, &text))
		more_over(r, &text);
}

static bool more_ended(struct reading *r)
{
	struct slice line;

	return !more_line(r, &line);
}

/* ---- The screen ---- */

static void more_erase(struct reading *r)
{
	if (r->prompted)
		str_adds(&r->t.out, "\r\033[K");
	r->prompted = false;
}

/* Rows that a line takes: -f counts it as one. */
static int64_t more_rows(const struct reading *r, struct slice line)
{
	size_t column = 0;

	if (r->how->logical)
		return 1;
	for (size_t i = 0; i < line.n;) {
		int32_t c;
		size_t n = utf8_decode(line.p + i, line.n - i, &c);
		int width = c < 0 ? 1 : utf8_width(c);

		if (c == 27) {
			while (i + n < line.n && line.p[i + n] != 'm' && n < 32)
				n++;
			n += i + n < line.n;
		} else if (c == '\t') {
			column = (column | 7) + 1;
		} else if (c == '\b') {
			column -= column > 0;
		} else {
			column += width > 0 ? (size_t)width : 0;
		}
		i += n;
	}
	return column ? (int64_t)((column - 1) / (size_t)r->t.columns) + 1 : 1;
}

/* Overstrikes as the terminal shows them: -u leaves them out. */
static void more_put(struct reading *r, struct slice line)
{
	struct str *out = &r->t.out;
	int on = 0;

	for (size_t i = 0; i < line.n; i++) {
		const char *p = line.p + i;
		bool under = i + 2 < line.n && p[1] == '\b' && p[0] == '_', bold = i + 2 < line.n && p[1] == '\b' &&
			     p[0] == p[2] && !under;
		int want = r->how->plain ? 0 : under ? 4 : bold ? 1 : 0;

		if (want != on)
			str_adds(out, want == 4 ? "\033[4m" : want ? "\033[1m" : "\033[0m");
		on = want;
		if (under || bold)
			i += 2;
		if (line.p[i] != '\r' || i + 2 < line.n)
			str_addc(out, line.p[i]);
	}
	if (on)
		str_adds(out, "\033[0m");
}

static bool more_blank(struct slice line)
{
	return line.n == 1 && *line.p == '\n';
}

/* n rows more. */
static void more_show(struct reading *r, int64_t n)
{
	struct slice line;

	more_erase(r);
	if (r->how->clean && n >= r->rows)
		str_adds(&r->t.out, "\033[H\033[2J");
	while (n > 0 && more_line(r, &line) && !r->quit) {
		bool page = *line.p == '\f' && !r->how->no_pause;
		bool blank = more_blank(line);

		more_put(r, line);
		n -= more_rows(r, line);
		more_over(r, &line);
		while (r->how->squeeze && blank && more_line(r, &line) && more_blank(line))
			more_over(r, &line);
		if (page)
			break;
	}
	if (!r->quit && n > 0 && more_ended(r) && !r->how->exit_on_eof)
		for (; n > 0; n--)
			str_adds(&r->t.out, "\n");
}

static const char *more_next(const struct reading *r)
{
	return r->current + 1 < r->files ? r->names[r->current + 1] : NULL;
}

static void more_prompt(struct reading *r)
{
	struct str *out = &r->t.out;

	str_adds(out, "\033[7m");
	if (r->waiting) {
		str_addf(out, "--More--(Next file: %s)", r->f.name);
	} else if (!more_ended(r)) {
		str_adds(out, "--More--");
		if (r->f.size > 0)
			str_addf(out, "(%d%%)", (int)((int64_t)r->f.at * 100 / r->f.size));
	} else if (more_next(r)) {
		str_addf(out, "--More--(Next file: %s)", more_next(r));
	} else {
		str_adds(out, "(END)");
	}
	if (r->how->silent)
		str_adds(out, "[Press space to continue, 'q' to quit.]");
	str_adds(out, "\033[27m");
	r->prompted = true;
}

static void more_say(struct reading *r, const char *text)
{
	more_erase(r);
	str_addf(&r->t.out, "\033[7m%s\033[27m", text);
	r->prompted = true;
}

static void more_tell(struct reading *r, const char *text)
{
	more_erase(r);
	str_adds(&r->t.out, text);
	r->prompted = true;
}

static void more_bell(struct reading *r)
{
	if (r->how->silent)
		more_say(r, "[Press 'h' for instructions.]");
	else
		str_addc(&r->t.out, '\a');
}

/* ---- Files ---- */

static bool more_open(struct reading *r, int n)
{
	struct tsb_stat st = { 0 };
	const char *name = r->names[n];
	int fd;

	r->current = n;
	if (r->f.fd > 2)
		tsb_close(r->p, r->f.fd);
	str_end(&r->f.text);
	r->f = (struct more_file){ .name = name, .size = -1 };
	str_init(&r->f.text, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	fd = name ? tsb_open(r->p, name, O_RDONLY | O_CLOEXEC, 0) : 0;
	if (fd < 0) {
		vdu_flush(&r->t);
		tsb_warn_errno(r->p, fd, "cannot open %s", name);
		return false;
	}
	r->f.fd = fd;
	tsb_fstat(r->p, fd, &st);
	if (name && S_ISDIR(st.mode)) {
		str_addf(&r->t.out, "\n*** %s: directory ***\n\n", name);
		return false;
	}
	r->f.size = name && S_ISREG(st.mode) ? (int64_t)st.size : -1;
	return true;
}

/* Its first screen: with several files below a title. */
static void more_first(struct reading *r)
{
	int64_t n = r->rows;

	if (r->files > 1) {
		more_erase(r);
		str_addf(&r->t.out, "::::::::::::::\n%s\n::::::::::::::\n", r->f.name);
		n -= 3;
	}
	more_show(r, n < 1 ? 1 : n);
}

static bool more_take(struct reading *r, int n, int step)
{
	for (; n >= 0 && n < r->files; n += step)
		if (more_open(r, n))
			return true;
	return false;
}

static void more_next_file(struct reading *r, int64_t count)
{
	int to = r->current + (int)(count > 1000 ? 1000 : count);

	if (count > 0 && !more_next(r)) {
		r->quit = true;
		return;
	}
	to = to < 0 ? 0 : to >= r->files ? r->files - 1 : to;
	more_erase(r);
	str_adds(&r->t.out, "\n...Skipping \n");
	str_addf(&r->t.out, count > 0 ? "...Skipping to file %s\n\n" : "...Skipping back to file %s\n\n", r->names[to]);
	if (!more_take(r, to, count > 0 ? 1 : -1))
		r->quit = true;
	else
		r->waiting = true;
}

/* ---- Searching ---- */

static void more_search(struct reading *r, int64_t count, bool first)
{
	size_t at = r->f.at, line = r->f.line, lines[3] = { line, line, line };
	struct slice text;

	if (!r->re) {
		more_say(r, "No previous regular expression");
		return;
	}
	r->sought_from = line;
	for (; more_line(r, &text) && !r->quit; tsb_tick(r->p, 4)) {
		lines[0] = lines[1];
		lines[1] = lines[2];
		lines[2] = r->f.line;
		more_over(r, &text);
		if (regex_match(r->re, text.p, text.n - (text.p[text.n - 1] == '\n'), 0, 0, NULL, 0) != REGEX_MATCH ||
		    --count > 0)
			continue;
		more_erase(r);
		if (!first)
			str_adds(&r->t.out, "\n...skipping\n");
		more_go(r, lines[0]);
		more_show(r, first ? r->rows : r->rows - 1);
		return;
	}
	r->f.at = at;
	r->f.line = line;
	more_say(r, "Pattern not found");
}

static void more_compile(struct reading *r, const char *text)
{
	const char *error = NULL;
	struct regex *re = regex_compile(tsb_heap_of(r->p), text, strlen(text), REGEX_UTF8, &error);

	if (re)
		r->re = re;
	else
		more_say(r, error ? error : "Invalid pattern");
}

/* A line of input behind a sign; NULL: given up. */
static char *more_ask(struct reading *r, char sign)
{
	struct str text;
	int c;

	str_init(&text, tsb_heap_of(r->p), 4096);
	for (;;) {
		more_erase(r);
		str_addf(&r->t.out, "%c%s", sign, text.p);
		r->prompted = true;
		c = vdu_key(&r->t, -1);
		if (c == '\n' || c == '\r')
			return text.p;
		if (c == 127 || c == 8) {
			if (!text.n)
				return NULL;
			str_cut(&text, text.n - 1);
		} else if (c < 0 || c == 27 || c == 21) {
			return NULL;
		} else if (c < 256) {
			str_addc(&text, c);
		}
	}
}

static void more_search_key(struct reading *r, int64_t count)
{
	char *text = more_ask(r, '/');

	if (text && *text)
		more_compile(r, text);
	if (text && (r->re || !*text))
		more_search(r, count, false);
}

/* ---- Keys ---- */

static void more_skip(struct reading *r, int64_t n)
{
	struct slice line;

	more_erase(r);
	str_addf(&r->t.out, "\n...skipping %lld line%s\n", (long long)n, n == 1 ? "" : "s");
	while (n-- > 0 && more_line(r, &line))
		more_over(r, &line);
	more_show(r, r->rows > 4 ? r->rows - 4 + 0 : 1);
}

static void more_back(struct reading *r, int64_t pages)
{
	int64_t to = (int64_t)r->f.line - r->rows * (pages + 1) - 1;

	if (r->f.size < 0) {
		more_bell(r);
		return;
	}
	more_erase(r);
	str_addf(&r->t.out, "...back %lld page%s\n", (long long)pages, pages == 1 ? "" : "s");
	more_go(r, to < 0 ? 0 : (size_t)to);
	more_show(r, r->rows);
}

static void more_return(struct reading *r)
{
	more_erase(r);
	str_adds(&r->t.out, "\n***Back***\n\n");
	more_go(r, r->sought_from);
	more_show(r, r->rows > 4 ? r->rows - 4 : 1);
}

static void more_colon(struct reading *r, int64_t count)
{
	int c = vdu_key(&r->t, -1);

	if (c == 'n')
		more_next_file(r, count);
	else if (c == 'p')
		more_next_file(r, -count);
	else if (c == 'f')
		more_tell(r, tsb_format(r->p, "\"%s\" line %zu", r->f.name ? r->f.name : "", r->f.line));
	else if (c == 'q' || c == 'Q')
		r->quit = true;
	else
		more_bell(r);
}

static const char more_help[] =
"\nA number k may stand before a command.\n"
"<space>    k lines more [a screen]\n"
"z          k lines more; k is the new screen\n"
"<return>   k lines more [1]; k is new\n"
"d ^D       k lines more [half a screen]; k is new\n"
"q Q ^C     leave\n"
"s          skip k lines [1]\n"
"f          skip k screens [1]\n"
"b ^B       k screens back [1]\n"
"'          where the last search began\n"
"=          the line's number\n"
"/pattern   the k-th line with it [1]\n"
"n          the same again\n"
"^L         paint again\n"
":n :p      k-th next, previous file [1]\n"
":f         file and line\n";

static int64_t more_keep(int64_t *value, int64_t count)
{
	if (count > 0)
		*value = count;
	return *value;
}

static void more_do(struct reading *r, int c, int64_t count)
{
	int64_t many = count > 0 ? count : 1;

	switch (c) {
	case ' ': case VDU_PAGE_DOWN: more_show(r, count > 0 ? count : r->rows); break;
	case 'z': more_show(r, more_keep(&r->rows, count)); break;
	case '\n': case '\r': case VDU_DOWN: more_show(r, more_keep(&r->step, count)); break;
	case 'd': case 4: more_show(r, more_keep(&r->half, count)); break;
	case 'q': case 'Q': r->quit = true; break;
	case 's': more_skip(r, many); break;
	case 'f': more_skip(r, many * r->rows); break;
	case 'b': case 2: case VDU_PAGE_UP: more_back(r, many); break;
	case '\'': more_return(r); break;
	case '=': more_tell(r, tsb_format(r->p, "%zu", r->f.line)); break;
	case '/': more_search_key(r, many); break;
	case 'n': more_search(r, many, false); break;
	case 'h': case '?':
		more_erase(r);
		str_adds(&r->t.out, more_help);
		break;
	case 12:
		str_adds(&r->t.out, "\033[H\033[2J");
		more_go(r, (int64_t)r->f.line > r->rows ? r->f.line - (size_t)r->rows : 0);
		more_show(r, r->rows);
		break;
	case ':': more_colon(r, many); break;
	case '!': case 'v': more_say(r, "Command not available"); break;
	default: more_bell(r); break;
	}
}

static void more_key(struct reading *r)
{
	static const char telling[] = "=:!v'/n";
	int64_t count = 0;
	int c = vdu_key(&r->t, -1);

	for (; c >= '0' && c <= '9'; c = vdu_key(&r->t, -1))
		count = count < 100000 ? count * 10 + c - '0' : count;
	if (c == VDU_RESIZED) {
		if (!r->how->lines)
			r->rows = r->t.rows - 1;
		return;
	}
	if (c == VDU_END || c == VDU_INTERRUPT) {
		r->quit = true;
		return;
	}
	if (more_ended(r) && more_next(r) && (c == ' ' || c == '\n' || c == '\r')) {
		if (more_take(r, r->current + 1, 1))
			more_first(r);
		else
			r->quit = true;
		return;
	}
	r->left = false;
	if (r->waiting && (c == ' ' || c == '\n' || c == '\r')) {
		r->waiting = false;
		more_first(r);
		return;
	}
	more_do(r, c, count);
	r->left = c > 0 && c < 128 && strchr(telling, c) && r->prompted;
}

static void more_begin(struct reading *r)
{
	const char *plus = r->how->plus;
	uint64_t n;

	if (plus && *plus == '/') {
		more_compile(r, plus + 1);
		more_search(r, 1, true);
		return;
	}
	if (plus && num_u64(plus, &n) == NUM_OK && n > 1)
		more_go(r, (size_t)n - 1);
	more_first(r);
}

int more_screen(struct tsb_proc *p, const struct more *how, int files, char **names)
{
	static char *standard[] = { NULL };
	struct reading r = { .p = p, .how = how, .names = files ? names : standard, .files = files ? files : 1,
			     .step = 1 };
	uint64_t n;

	vdu_init(&r.t, p, 1);
	str_init(&r.f.text, tsb_heap_of(p), STR_MAX_DEFAULT);
	r.rows = r.t.rows - 1;
	r.half = r.t.rows / 2 > 1 ? r.t.rows / 2 - 1 : 1;
	if (how->lines && num_u64(how->lines, &n) == NUM_OK && n > 0 && n < 100000)
		r.rows = (int64_t)n;
	if (!more_take(&r, 0, 1)) {
		vdu_flush(&r.t);
		return 0;
	}
	vdu_begin(&r.t);
	more_begin(&r);
	while (!r.quit && !(how->exit_on_eof && more_ended(&r) && !more_next(&r))) {
		if (!r.left)
			more_prompt(&r);
		more_key(&r);
	}
	more_erase(&r);
	vdu_end(&r.t);
	return r.status;
}
