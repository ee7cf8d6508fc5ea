/*
 * diff's output: to standard output or into pr, what stands before the first
 * hunk of a pair, colours, and lines with tabs as they are or as blanks.
 */
#include "cmd/diff.h"

#include <string.h>
#include <sys/wait.h>

#define DIFF_OUT_SIZE ((size_t)64 << 10)
#define PR_PATH "/usr/bin/pr"

/* ---- Bytes ---- */

void diff_flush(struct diff_cmd *d)
{
	size_t n = d->buf_n;

	d->buf_n = 0;
	if (d->child > 0)
		tsb_write_all(d->p, d->child_fd, d->buf, n);
	else if (n)
		tsb_put(d->p, d->buf, n);
}

void diff_put(struct diff_cmd *d, const void *data, size_t n)
{
	const char *at = data;

	if (!d->buf)
		d->buf = tsb_alloc(d->p, DIFF_OUT_SIZE);
	while (n > DIFF_OUT_SIZE - d->buf_n) {
		size_t part = DIFF_OUT_SIZE - d->buf_n;

		memcpy(d->buf + d->buf_n, at, part);
		d->buf_n += part;
		at += part;
		n -= part;
		diff_flush(d);
		tsb_tick(d->p, 1);
	}
	if (n)
		memcpy(d->buf + d->buf_n, at, n);
	d->buf_n += n;
}

void diff_puts(struct diff_cmd *d, const char *s)
{
	diff_put(d, s, strlen(s));
}

void diff_putc(struct diff_cmd *d, int c)
{
	char byte = (char)c;

	diff_put(d, &byte, 1);
}

void diff_putf(struct diff_cmd *d, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	diff_put(d, s.p, s.n);
	str_end(&s);
}

/* What is said about a pair of files; behind all pages if there are pages. */
void diff_message(struct diff_cmd *d, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	if (d->assist && !d->paginate)
		str_addc(&s, ' ');
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	if (d->paginate)
		str_addn(&d->messages, s.p, s.n);
	else
		diff_put(d, s.p, s.n);
	str_end(&s);
}

/* ---- pr ---- */

static void pr_start(struct diff_cmd *d, const char *title)
{
	const char *const argv[] = { "pr", "-h", title, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .file = PR_PATH, .argv = argv };
	struct tsb_fd_map map[2];
	int fd[2], err;

	diff_flush(d);
	err = tsb_pipe(d->p, fd);
	if (err)
		diff_fatal(d, err, "pipe");
	map[0] = (struct tsb_fd_map){ 0, fd[0] };
	map[1] = (struct tsb_fd_map){ fd[1], -1 };
	how.fds = map;
	how.n_fds = 2;
	tsb_flush(d->p);
	err = tsb_spawn(d->p, &how, &d->child);
	if (err) {
		d->child = 0;
		tsb_warn(d->p, "subsidiary program '%s' %s", PR_PATH,
			 "not found");
		tsb_exit(d->p, DIFF_TROUBLE);
	}
	tsb_close(d->p, fd[0]);
	d->child_fd = fd[1];
}

static void pr_end(struct diff_cmd *d)
{
	int status = 0;

	diff_flush(d);
	tsb_close(d->p, d->child_fd);
	tsb_wait(d->p, d->child, &status, 0);
	d->child = 0;
	if (status == 0)
		return;
	tsb_warn(d->p, "subsidiary program '%s' failed (exit status %d)", PR_PATH,
		 WEXITSTATUS(status));
	tsb_exit(d->p, DIFF_TROUBLE);
}

/* ---- Begin and end of a pair ---- */

void diff_begin(struct diff_cmd *d)
{
	const char *a, *b, *title;

	if (d->begun)
		return;
	d->begun = true;
	for (int f = 0; f < 2; f++)
		d->shown[f] = diffutils_escape(d->p, d->label[f] ? d->label[f] : d->in[f].name);
	a = d->shown[0];
	b = d->shown[1];
	title = tsb_format(d->p, "diff%s %s %s", d->options, a, b);
	if (d->paginate)
		pr_start(d, title);
	else if (d->levels.n)
		diff_putf(d, "%s\n", title);
	if (d->style == DIFF_CONTEXT || d->style == DIFF_UNIFIED)
		diff_context_header(d);
}

void diff_finish(struct diff_cmd *d)
{
	if (d->begun && d->child > 0)
		pr_end(d);
	d->begun = false;
}

/* ---- Colours ---- */

void diff_color(struct diff_cmd *d, enum diff_color c)
{
	if (d->color <= 0)
		return;
	diff_puts(d, "\033[");
	diff_puts(d, d->colors[c]);
	diff_putc(d, 'm');
}

/* ---- Lines ---- */

static void put_expanded(struct diff_cmd *d, struct slice line, const char *again)
{
	size_t column = 0, tab = (size_t)d->tabsize;

	for (size_t i = 0; i < line.n; i++) {
		unsigned char c = (unsigned char)line.p[i];

		if (c == '\t') {
			size_t blanks = tab - column % tab;

			column += blanks;
			for (; blanks; blanks--) {
				diff_putc(d, ' ');
				if (blanks % 4096 == 0)
					tsb_tick(d->p, 1);
			}
			continue;
		}
		if (c == '\b' && !column)
			continue;
		diff_putc(d, c);
		if (c == '\r') {
			if (again && i + 1 < line.n && line.p[i + 1] != '\n')
				diff_puts(d, again);
			column = 0;
		} else if (c == '\b') {
			column--;
		} else {
			column += c >= ' ' && c < 127;
		}
	}
}

void diff_put_text(struct diff_cmd *d, struct slice line, const char *again)
{
	if (d->expand_tabs)
		put_expanded(d, line, again);
	else
		diff_put(d, line.p, line.n);
}

struct slice diff_line_of(struct diff_cmd *d, int f, size_t i)
{
	return diff_line(&d->d.file[f], i);
}

/* Flag and text without the newline. An empty line needs no blank before it. */
static void put_flagged(struct diff_cmd *d, struct slice line, const char *flag, bool newline)
{
	bool unified = d->style == DIFF_UNIFIED, bare = d->blank_empty && line.n == newline;
	char again[4] = { flag[0], d->initial_tab ? '\t' : ' ', '\0', '\0' };

	if (unified) {
		if (*flag != ' ')
			diff_putc(d, *flag);
		if (!bare && (*flag == ' ' || d->initial_tab))
			diff_putc(d, d->initial_tab ? '\t' : ' ');
	} else if (bare) {
		if (*flag != ' ')
			diff_putc(d, *flag);
	} else {
		diff_puts(d, again);
	}
	line.n -= newline;
	diff_put_text(d, line, unified ? NULL : again);
}

void diff_put_line(struct diff_cmd *d, int f, size_t i, const char *flag, enum diff_color color)
{
	struct slice line = diff_line_of(d, f, i);
	bool newline = line.n && line.p[line.n - 1] == '\n';

	if (color != DIFF_RESET)
		diff_color(d, color);
	put_flagged(d, line, flag, newline);
	if (color != DIFF_RESET)
		diff_color(d, DIFF_RESET);
	diff_puts(d, newline ? "\n" : "\n\\ No newline at end of file\n");
}
