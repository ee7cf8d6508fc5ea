/*
 * expand, unexpand - tabs to blanks and back. All files are one stream: a line
 * may begin in one and end in the next.
 */
#include "base/num.h"
#include "cmd/cmd.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/lines.h"
#include "cmd/quote.h"
#include "cmd/rawopt.h"
#include "cmd/tabs.h"

struct expand {
	bool back;		/* unexpand */
	bool all;		/* not only blanks at the start of a line */
	bool first_only;
	struct tabs tabs;
	const char *digits;	/* of unexpand's -NUM, which may go on in the next word */

	struct tsb_proc *p;
	char **files;
	int n_files, next;
	struct tsb_reader in;
	int fd;
	const char *name;
	bool open, failed;
	struct sink out;
};

static int expand_opt_tabs(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct expand *e = opts;

	(void)opt;
	e->all |= e->back;
	return tabs_parse(p, &e->tabs, arg);
}

/* -4 and -4,8. For unexpand each digit is an option: -1 -2,5 is 12, then 5 at the end. */
static int expand_opt_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct expand *e = opts;
	const char *text, *comma;
	uint64_t v;

	(void)opt;
	if (!e->back)
		return tabs_parse(p, &e->tabs, arg);
	text = tsb_format(p, "%s%s", e->digits ? e->digits : "", arg);
	comma = strrchr(text, ',');
	if (num_u64(tsb_strndup(p, text, strspn(text, "0123456789")), &v) == NUM_RANGE) {
		tsb_warn(p, "tab stop value is too large");
		return 1;
	}
	e->digits = comma ? comma + 1 : text;
	return comma ? tabs_parse(p, &e->tabs, tsb_strndup(p, text, (size_t)(comma - text))) : 0;
}

static int expand_opt_initial(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	struct expand *e = opts;

	(void)p;
	(void)opt;
	(void)arg;
	e->all = false;
	return 0;
}

#define EXPAND_TABS(text) \
	TSB_OPT_CALL(expand_opt_tabs, 0, 't', "tabs", "N", text), \
	TSB_OPT_CALL(expand_opt_tabs, 0, 't', "tabs", "LIST", \
		     "use comma separated list of tab positions; the last position can be " \
		     "prefixed with '/' to specify a tab size to use after the last explicitly " \
		     "specified tab stop, or with '+' to align remaining tab stops relative to it"), \
	{ TSB_OPTION_CALL, 0, "-stops", "LIST", "-LIST", 0, 0, TSB_OPT_HIDDEN, expand_opt_digits }

static const struct tsb_opt expand_opts[] = {
	TSB_OPT_CALL(expand_opt_initial, 0, 'i', "initial", NULL, "do not convert tabs after non blanks"),
	EXPAND_TABS("have tabs N characters apart, not 8"),
	TSB_OPT_END
};

static const struct tsb_opt unexpand_opts[] = {
	TSB_OPT_FLAG(struct expand, all, 'a', "all",
		     "convert all blanks, instead of just initial blanks"),
	TSB_OPT_FLAG(struct expand, first_only, 0, "first-only",
		     "convert only leading sequences of blanks (overrides -a)"),
	EXPAND_TABS("have tabs N characters apart instead of 8 (enables -a)"),
	TSB_OPT_END
};

/* ---- Input ---- */

static bool expand_open(struct expand *e)
{
	while (!e->open && e->next < e->n_files) {
		e->name = e->files[e->next++];
		e->fd = input_open(e->p, e->name);
		if (e->fd < 0) {
			tsb_warn_errno(e->p, e->fd, "%s", quote_f(e->p, e->name));
			e->failed = true;
			continue;
		}
		tsb_reader_init(&e->in, e->p, e->fd);
		e->open = true;
	}
	return e->open;
}

/* The next byte of all files; -1 at the end. */
static int expand_byte(struct expand *e)
{
	int c, error;

	while (expand_open(e)) {
		c = tsb_getbyte(&e->in);
		if (c >= 0)
			return c;
		error = e->in.error;
		if (error) {
			tsb_warn_errno(e->p, error, "%s", quote_f(e->p, e->name));
			e->failed = true;
		}
		tsb_reader_end(&e->in);
		input_close(e->p, e->fd);
		e->open = false;
	}
	return -1;
}

typedef unsigned char expand_vec __attribute__((vector_size(16)));
typedef uint64_t expand_words __attribute__((vector_size(16)));

/* How many of n bytes are neither '\b', '\t' nor '\n', which are neighbours. */
static size_t expand_span(const char *at, size_t n)
{
	size_t k = 0;

	for (; n - k >= 16; k += 16) {
		expand_vec v;
		expand_words hit;

		memcpy(&v, at + k, 16);
		hit = (expand_words)((v - '\b') <= '\n' - '\b');
		if (hit[0] | hit[1])
			break;
	}
	while (k < n && (unsigned char)(at[k] - '\b') > '\n' - '\b')
		k++;
	return k;
}

/* Copies what is buffered, up to the end of the line (all: or a byte that moves the
 * column otherwise): how many bytes. */
static size_t expand_plain(struct expand *e, bool all)
{
	const char *at = e->in.buf + e->in.at, *nl;
	size_t n = e->open ? e->in.n - e->in.at : 0;

	if (!n || e->in.held >= 0)
		return 0;
	if (all)
		n = expand_span(at, n);
	else if ((nl = memchr(at, '\n', n)))
		n = (size_t)(nl - at);
	sink_put(&e->out, at, n);
	e->in.at += n;
	return n;
}

static bool expand_is_blank(int c)
{
	return c == ' ' || c == '\t';
}

static void expand_too_long(struct expand *e)
{
	sink_flush(&e->out);
	tsb_warn(e->p, "input line is too long");
	tsb_exit(e->p, 1);
}

/* ---- expand ---- */

static bool expand_line(struct expand *e)
{
	bool convert = true;
	uint64_t column = 0, next;
	size_t i = 0;
	int c;

	do {
		if (!convert || e->all)
			column += expand_plain(e, convert);
		c = expand_byte(e);
		if (c < 0)
			return false;
		if (convert && c == '\t') {
			if (!tabs_next(&e->tabs, column, &i, &next))
				next = column + 1;
			if (next < column)
				expand_too_long(e);
			while (++column < next) {
				sink_putc(&e->out, ' ');
				if (!(column & 0xffff))
					tsb_tick(e->p, 1);
			}
			c = ' ';
		} else if (convert && c == '\b') {
			column -= column > 0;
			i -= i > 0;
		} else {
			column++;
		}
		convert &= e->all || expand_is_blank(c);
		sink_putc(&e->out, c);
	} while (c != '\n');
	tsb_tick(e->p, 1);
	return true;
}

/* ---- unexpand ---- */

struct unexpand {
	bool convert, before_stop, last_blank;
	uint64_t column;
	size_t i;
	struct str held;	/* blanks that a tab may stand for */
};

static void unexpand_put_held(struct expand *e, struct unexpand *u)
{
	if (!u->held.n)
		return;
	if (u->held.n > 1 && u->before_stop)
		u->held.p[0] = '\t';
	sink_put(&e->out, u->held.p, u->held.n);
	str_reset(&u->held);
	u->before_stop = false;
}

/* A blank: what is to be written for it, or -1 if it is held back. */
static int unexpand_blank(struct expand *e, struct unexpand *u, int c)
{
	uint64_t next = 0;

	if (!tabs_next(&e->tabs, u->column, &u->i, &next)) {
		u->convert = false;
		return c;
	}
	if (next < u->column)
		expand_too_long(e);
	if (c == '\t') {
		u->column = next;
		if (u->held.n)
			u->held.p[0] = '\t';
	} else {
		u->column++;
		if (!u->last_blank || u->column != next) {
			u->before_stop |= u->column == next;
			str_addc(&u->held, c);
			u->last_blank = true;
			return -1;
		}
		if (u->held.n)
			u->held.p[0] = '\t';
		c = '\t';
	}
	/* One blank right before a stop stays what it is, as a tab of its own. */
	if (u->before_stop && !u->held.n)
		str_addc(&u->held, '\t');
	str_cut(&u->held, u->before_stop);
	return c;
}

static bool unexpand_line(struct expand *e, struct unexpand *u)
{
	int c;

	u->convert = u->last_blank = true;
	u->before_stop = false;
	u->column = u->i = 0;
	str_reset(&u->held);
	do {
		if (!u->convert)
			expand_plain(e, false);
		c = expand_byte(e);
		if (u->convert) {
			bool blank = expand_is_blank(c);

			if (blank) {
				c = unexpand_blank(e, u, c);
				if (c < 0)
					continue;
			} else if (c == '\b') {
				u->column -= u->column > 0;
				u->i -= u->i > 0;
			} else {
				u->column++;
			}
			unexpand_put_held(e, u);
			u->last_blank = blank;
			u->convert &= e->all || blank;
		}
		if (c < 0)
			return false;
		sink_putc(&e->out, c);
	} while (c != '\n');
	tsb_tick(e->p, 1);
	return true;
}

/* ---- Commands ---- */

static int expand_work(struct expand *e, int argc, char **argv)
{
	static char dash[] = "-", *standard[] = { dash, NULL };
	struct unexpand u = { 0 };
	int status = e->digits && *e->digits ? tabs_parse(e->p, &e->tabs, e->digits) : 0;

	if (!status)
		status = tabs_finish(e->p, &e->tabs);
	if (status)
		return status;
	e->files = argc ? argv : standard;
	e->n_files = argc ? argc : 1;
	e->all &= !e->first_only;
	sink_init(&e->out, e->p);
	str_init(&u.held, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	if (e->back)
		while (!tsb_out_error(e->p) && unexpand_line(e, &u))
			;
	else
		while (!tsb_out_error(e->p) && expand_line(e))
			;
	sink_flush(&e->out);
	return e->failed;
}

/* -t, or what is short for --tabs: the next word is its list. */
static bool expand_takes(const char *word)
{
	size_t n = strlen(word);

	return !strcmp(word, "-t") ||
	       (n > 2 && !strncmp(word, "--", 2) && !strncmp(word + 2, "tabs", n - 2));
}

/* Words like -4 or -4,8 are lists of stops. */
static int expand_main(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv)
{
	char **words = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*words));
	struct opt_parsed parsed;
	struct expand *e;
	int status;
	bool options = true;

	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];
		bool is_argument = i && expand_takes(argv[i - 1]);

		options &= strcmp(arg, "--") != 0;
		words[i] = argv[i];
		if (options && !is_argument && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9')
			words[i] = tsb_format(p, "---stops=%s", arg + 1);
	}
	if (!rawopt_parse(p, cmd, argc, words, &parsed, &status))
		return status;
	e = parsed.opts;
	e->p = p;
	return expand_work(e, parsed.argc, parsed.argv);
}

static int expand_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return expand_main(p, &cmd_expand, argc, argv);
}

static int unexpand_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return expand_main(p, &cmd_unexpand, argc, argv);
}

static const struct expand expand_defaults = { .all = true };
static const struct expand unexpand_defaults = { .back = true };

const struct tsb_command cmd_expand = {
	CMD_COREUTILS, .name = "expand", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Convert tabs in each FILE to spaces, writing to standard output.",
	.opts = expand_opts, .opts_size = sizeof(struct expand), .defaults = &expand_defaults,
	.run = expand_run, .flags = TSB_RAW,
};

const struct tsb_command cmd_unexpand = {
	CMD_COREUTILS, .name = "unexpand", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Convert blanks in each FILE to tabs, writing to standard output.",
	.opts = unexpand_opts, .opts_size = sizeof(struct expand), .defaults = &unexpand_defaults,
	.run = unexpand_run, .flags = TSB_RAW,
};
