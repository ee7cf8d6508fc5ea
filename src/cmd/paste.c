/*
 * paste - lines of several files side by side, or of each file one behind the
 * other (-s). A row is printed if any file has a line for it; the delimiters in
 * front of the first wait until that is known.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/lines.h"
#include "cmd/util.h"

struct paste {
	struct tsb_proc *p;
	bool serial, zero;
	const char *list;
	int end;
	short *delim;		/* the list, read: bytes, or -1 for none */
	size_t n_delims;
	struct sink out;
	struct lines standard;
	bool standard_open;
};

static const struct tsb_opt paste_opts[] = {
	TSB_OPT_STR(struct paste, list, 'd', "delimiters", "LIST",
		    "reuse characters from LIST instead of TABs"),
	TSB_OPT_FLAG(struct paste, serial, 's', "serial",
		     "paste one file at a time instead of in parallel"),
	TSB_OPT_FLAG(struct paste, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	TSB_OPT_END
};

/* What a backslash and c stand for. */
static short paste_escape(char c)
{
	static const char names[] = "bfnrtv\\", bytes[] = "\b\f\n\r\t\v\\";
	const char *at = strchr(names, c);

	if (c == '0')
		return -1;
	return (unsigned char)(at ? bytes[at - names] : c);
}

static int paste_read_list(struct paste *o)
{
	const char *s = o->list ? o->list : "\t";

	o->delim = tsb_alloc(o->p, (strlen(s) + 1) * sizeof(*o->delim));
	if (!*s)
		o->delim[o->n_delims++] = -1;
	for (const char *at = s; *at; at++) {
		if (*at == '\\' && !at[1]) {
			tsb_warn(o->p, "delimiter list ends with an unescaped backslash: %s", s);
			return 1;
		}
		o->delim[o->n_delims++] = *at == '\\' ? paste_escape(*++at) : (unsigned char)*at;
	}
	return 0;
}

static void paste_delim(struct paste *o, size_t i)
{
	short c = o->delim[i % o->n_delims];

	if (c >= 0)
		sink_putc(&o->out, c);
}

/* Every "-" reads the same standard input. NULL: *err says why. */
static struct lines *paste_open(struct paste *o, const char *name, int *err)
{
	struct lines *l;

	if (input_is_stdin(name)) {
		if (!o->standard_open)
			lines_open(&o->standard, o->p, 0);
		o->standard_open = true;
		return &o->standard;
	}
	*err = input_open(o->p, name);
	if (*err < 0)
		return NULL;
	l = tsb_alloc(o->p, sizeof(*l));
	lines_open(l, o->p, *err);
	return l;
}

static int paste_failed(struct paste *o, const char *name, int err)
{
	tsb_warn_errno(o->p, err, "%s", quote_f(o->p, name));
	return 1;
}

/* A line without its end, if there is one. */
static bool paste_line(struct paste *o, struct lines *l, char **line, size_t *n)
{
	if (!lines_next(l, o->end, line, n))
		return false;
	*n -= (*line)[*n - 1] == (char)o->end;
	return true;
}

/* ---- Side by side ---- */

/* false: no file has a line. */
static bool paste_row(struct paste *o, struct lines **file, size_t n)
{
	size_t waiting = 0, len;
	bool any = false;
	char *line;

	for (size_t i = 0; i < n; i++) {
		bool got = file[i] && paste_line(o, file[i], &line, &len);

		if (got && !any)
			for (size_t k = 0; k < waiting; k++)
				paste_delim(o, k);
		any |= got;
		if (got)
			sink_put(&o->out, line, len);
		if (i + 1 == n)
			break;
		if (any)
			paste_delim(o, i);
		waiting++;
	}
	if (any)
		sink_putc(&o->out, o->end);
	return any;
}

static int paste_parallel(struct paste *o, char **names, size_t n)
{
	struct lines **file = tsb_alloc(o->p, n * sizeof(struct lines *));
	size_t rows = 0;
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		int err = 0;

		file[i] = paste_open(o, names[i], &err);
		if (!file[i])
			return paste_failed(o, names[i], err);
	}
	while (paste_row(o, file, n) && !tsb_out_error(o->p))
		if (++rows % 256 == 0)
			tsb_tick(o->p, 64 * n);
	for (size_t i = 0; i < n; i++)
		if (file[i]->error)
			status = paste_failed(o, names[i], file[i]->error);
	return status;
}

/* ---- One file at a time ---- */

static int paste_one(struct paste *o, const char *name)
{
	int err = 0;
	struct lines *l = paste_open(o, name, &err);
	size_t n, i = 0;
	char *line;

	if (!l)
		return paste_failed(o, name, err);
	for (; paste_line(o, l, &line, &n); i++) {
		if (i)
			paste_delim(o, i - 1);
		sink_put(&o->out, line, n);
		if (i % 1024 == 1023)
			tsb_tick(o->p, 128);
	}
	sink_putc(&o->out, o->end);
	if (l->error)
		return paste_failed(o, name, l->error);
	if (l != &o->standard) {
		tsb_free(o->p, l->buf);
		input_close(o->p, l->fd);
	}
	return 0;
}

static int paste_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct paste *o = opts;
	int status;

	o->p = p;
	o->end = o->zero ? '\0' : '\n';
	status = paste_read_list(o);
	if (status)
		return status;
	sink_init(&o->out, p);
	if (!argc) {
		argv = standard;
		argc = 1;
	}
	if (!o->serial)
		status = paste_parallel(o, argv, (size_t)argc);
	for (int i = 0; o->serial && i < argc; i++)
		status |= paste_one(o, argv[i]);
	sink_flush(&o->out);
	return status;
}

const struct tsb_command cmd_paste = {
	CMD_COREUTILS, .name = "paste", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Write lines consisting of the sequentially corresponding lines from each FILE, "
		   "separated by TABs, to standard output.",
	.opts = paste_opts, .opts_size = sizeof(struct paste), .run = paste_run,
};
