/*
 * tac - records in reverse. The file is read whole, then separators are looked
 * for from its end. For a regular expression that means: the last place where a
 * match can begin in what is left, so that of "xxx" only the last x is one, and
 * the dialect is that of Emacs, in which + and ? are operators by themselves.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/utf8.h"
#include "cmd/lines.h"
#include "cmd/locale.h"
#include "cmd/tempname.h"
#include "cmd/util.h"
#include "text/regex.h"

struct tac {
	struct tsb_proc *p;
	bool before, is_regex, utf8;
	const char *separator;
	size_t n;
	struct regex *re;
	struct sink out;
};

static const struct tsb_opt tac_opts[] = {
	TSB_OPT_FLAG(struct tac, before, 'b', "before",
		     "attach the separator before instead of after"),
	TSB_OPT_FLAG(struct tac, is_regex, 'r', "regex",
		     "interpret the separator as a regular expression"),
	TSB_OPT_STR(struct tac, separator, 's', "separator", "STRING",
		    "use STRING as the separator instead of newline"),
	TSB_OPT_END
};

/* ---- Separators ---- */

static void tac_tick(void *p, size_t steps)
{
	tsb_tick(p, steps / 64 + 1);
}

/* A bracket expression at s, with its brackets: the length. */
static size_t tac_bracket(const char *s)
{
	size_t n = 1;

	n += s[n] == '^';
	n += s[n] == ']';
	while (s[n] && s[n] != ']')
		n++;
	return n + (s[n] == ']');
}

/* Emacs's dialect in basic expressions. */
static char *tac_translate(struct tsb_proc *p, const char *s)
{
	struct str out;

	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	while (*s) {
		if (*s == '[') {
			size_t n = tac_bracket(s);

			str_addn(&out, s, n);
			s += n;
		} else if (*s == '+' || *s == '?') {
			str_addf(&out, "\\%c", *s++);
		} else if (*s == '.') {
			str_adds(&out, "[^\n]");
			s++;
		} else if (*s == '\\' && s[1] && strchr("+?{}", s[1])) {
			str_addc(&out, s[1]);
			s += 2;
		} else if (*s == '\\' && s[1]) {
			str_addn(&out, s, 2);
			s += 2;
		} else {
			str_addc(&out, *s++);
		}
	}
	return str_take(&out, NULL);
}

static int tac_compile(struct tac *o)
{
	const char *error = NULL, *pattern = tac_translate(o->p, o->separator);

	o->re = regex_compile(tsb_heap_of(o->p), pattern, strlen(pattern),
			      REGEX_NEWLINE | (o->utf8 ? REGEX_UTF8 : 0), &error);
	if (!o->re) {
		tsb_warn(o->p, "%s", error);
		return 1;
	}
	regex_on_tick(o->re, tac_tick, o->p);
	return 0;
}

static size_t tac_char(const struct tac *o, const char *text, size_t n)
{
	int32_t c;

	return o->utf8 ? utf8_decode(text, n, &c) : 1;
}

/* The last match that begins in text[from..limit) and ends there: so and eo. */
static bool tac_last_match(struct tac *o, const char *text, size_t from, size_t limit,
			   struct regex_span *found)
{
	struct regex_span span;
	bool any = false;

	while (from < limit && regex_match(o->re, text, limit, from, 0, &span, 1) == REGEX_MATCH &&
	       span.so < limit) {
		*found = span;
		any = true;
		from = span.so + tac_char(o, text + span.so, limit - span.so);
	}
	return any;
}

/* Looks in pieces that double, so that a file without separators costs little. */
static bool tac_find_regex(struct tac *o, const char *text, size_t limit, struct regex_span *found)
{
	for (size_t back = 64; ; back *= 2) {
		size_t from = back < limit ? limit - back : 0;

		while (o->utf8 && from && (text[from] & 0xc0) == 0x80)
			from--;

		if (tac_last_match(o, text, from, limit, found))
			return true;
		if (!from)
			return false;
	}
}

static bool tac_find_text(const struct tac *o, const char *text, size_t limit,
			  struct regex_span *found)
{
	while (limit >= o->n) {
		/* The last byte decides where one may end. */
		const char *at = memrchr(text + o->n - 1, o->separator[o->n - 1], limit - o->n + 1);

		if (!at)
			return false;
		limit = (size_t)(at - text) + 1;
		if (!memcmp(text + limit - o->n, o->separator, o->n)) {
			*found = (struct regex_span){ limit - o->n, limit };
			return true;
		}
		limit--;
	}
	return false;
}

static bool tac_find(struct tac *o, const char *text, size_t limit, struct regex_span *found)
{
	return o->re ? tac_find_regex(o, text, limit, found)
		     : tac_find_text(o, text, limit, found);
}

/* ---- Files ---- */

static void tac_text(struct tac *o, const char *text, size_t n)
{
	size_t past = n, limit = n, turns = 0;
	struct regex_span sep;

	while (!tsb_out_error(o->p) && tac_find(o, text, limit, &sep)) {
		size_t from = o->before ? sep.so : sep.eo;

		/* The separator at the very end belongs to the last record. */
		if (from < past || o->before) {
			sink_put(&o->out, text + from, past - from);
			past = from;
		}
		limit = sep.so;
		if (++turns % 1024 == 0)
			tsb_tick(o->p, 128);
	}
	sink_put(&o->out, text, past);
}

static int tac_read_failed(struct tac *o, const char *name, int err)
{
	tsb_warn_errno(o->p, err, "%s: read error", quote_f(o->p, name));
	return 1;
}

/* What comes through a pipe is put into a file first, so there must be room for one. */
static bool tac_has_room(struct tac *o)
{
	const char *dir = tsb_getenv(o->p, "TMPDIR");
	int err = tempname_try(o->p, dir ? dir : "/tmp");

	if (err)
		tsb_warn_errno(o->p, err, "failed to create temporary file in %s",
			       quote_af(o->p, dir ? dir : "/tmp"));
	return !err;
}

static int tac_file(struct tac *o, struct lines *in, const char *name)
{
	int fd = input_open(o->p, name);

	if (fd < 0) {
		tsb_warn(o->p, "failed to open %s for reading: %s", quote_af(o->p, name),
			 tsb_strerror(fd));
		return 1;
	}
	if (tsb_lseek(o->p, fd, 0, 1) < 0 && !tac_has_room(o))
		return 1;
	lines_open(in, o->p, fd);
	while (lines_fill(in))
		;
	if (in->error)
		return tac_read_failed(o, input_is_stdin(name) ? "standard input" : name,
				       in->error);
	tac_text(o, in->buf + in->at, in->n - in->at);
	input_close(o->p, fd);
	return 0;
}

static int tac_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct lines in = { 0 };
	struct tac *o = opts;
	int status = 0;

	o->p = p;
	o->utf8 = locale_utf8(p);
	if (!o->separator)
		o->separator = "\n";
	o->n = *o->separator ? strlen(o->separator) : 1;	/* none is a NUL */
	if (o->is_regex && !*o->separator) {
		tsb_warn(p, "separator cannot be empty");
		return 1;
	}
	if (o->is_regex && tac_compile(o))
		return 1;
	sink_init_apart(&o->out, p);
	if (!argc)
		argv = standard;
	for (int i = 0; argv[i] && !tsb_out_error(p); i++)
		status |= tac_file(o, &in, argv[i]);
	sink_flush(&o->out);
	return status;
}

const struct tsb_command cmd_tac = {
	CMD_COREUTILS, .name = "tac", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Write each FILE to standard output, last line first.",
	.opts = tac_opts, .opts_size = sizeof(struct tac), .run = tac_run,
};
