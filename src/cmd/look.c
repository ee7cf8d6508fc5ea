/*
 * look - lines that begin with a string, in a sorted file (util-linux). They are
 * found by halving, so what is not sorted may be missed, as by the real one.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "cmd/linuxopt.h"
#include "cmd/lines.h"

#define LOOK_WORDS "/usr/share/dict/words"
#define LOOK_OTHER_WORDS "/usr/share/dict/web2"

struct look {
	bool alternative, alphanumeric, ignore_case;
	const char *end;

	struct tsb_proc *p;
	struct str want;	/* as compared */
};

static int look_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)arg;
	linuxopt_show(p, &cmd_look, opt->value);
}

static const struct tsb_opt look_opts[] = {
	TSB_OPT_FLAG(struct look, alternative, 'a', "alternative", "use the alternative dictionary"),
	TSB_OPT_FLAG(struct look, alphanumeric, 'd', "alphanum",
		     "compare only blanks and alphanumeric characters"),
	TSB_OPT_FLAG(struct look, ignore_case, 'f', "ignore-case", "ignore case differences when comparing"),
	TSB_OPT_STR(struct look, end, 't', "terminate", "char", "define the string-termination character"),
	LINUXOPT_HELP(look_opt_help),
	TSB_OPT_END
};

static bool look_counts(const struct look *l, int c)
{
	return !l->alphanumeric || c == ' ' || c == '\t' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static int look_fold(const struct look *l, int c)
{
	return l->ignore_case && c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* The string against the start of the line at s: 0 if the line begins with it. */
static int look_compare(struct look *l, const char *s, const char *end)
{
	size_t i = 0, n = 0;

	for (; s < end && *s != '\n' && i < l->want.n; s++) {
		int c = (unsigned char)*s, w;

		if (!(++n & 4095))
			tsb_tick(l->p, 64);
		if (!look_counts(l, c))
			continue;
		c = look_fold(l, c);
		w = (unsigned char)l->want.p[i++];
		if (c != w)
			return w < c ? -1 : 1;
	}
	return i < l->want.n;
}

static const char *look_line_end(const char *s, const char *end)
{
	const char *at = memchr(s, '\n', (size_t)(end - s));

	return at ? at + 1 : end;
}

/* The first line that is not in front of the string. */
static const char *look_search(struct look *l, const char *front, const char *back)
{
	const char *end = back, *p = look_line_end(front + (back - front) / 2, back);

	while (p < back && back > front) {
		if (look_compare(l, p, end) > 0)
			front = p;
		else
			back = p;
		p = look_line_end(front + (back - front) / 2, back);
		tsb_tick(l->p, 1);
	}
	for (p = front; p < end && look_compare(l, p, end) > 0; p = look_line_end(p, end))
		tsb_tick(l->p, 1);
	return p;
}

static int look_text(struct look *l, const struct str *text)
{
	const char *end = text->p + text->n, *s, *next;
	bool any = false;

	s = text->n ? look_search(l, text->p, end) : end;
	for (; s < end && !look_compare(l, s, end); s = next) {
		next = look_line_end(s, end);
		tsb_put(l->p, s, (size_t)(next - s));
		any = true;
		tsb_tick(l->p, 1);
	}
	return !any;
}

static void look_set_string(struct look *l, const char *s)
{
	const char *stop = l->end && *l->end ? strchr(s, *l->end) : NULL;
	size_t n = stop ? (size_t)(stop - s) + 1 : strlen(s);

	str_init(&l->want, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < n; i++)
		if (look_counts(l, (unsigned char)s[i]))
			str_addc(&l->want, look_fold(l, (unsigned char)s[i]));
}

static int look_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct look *l = opts;
	const char *name = l->alternative ? LOOK_OTHER_WORDS : LOOK_WORDS;
	struct tsb_reader in;
	struct str text;
	char *data;
	size_t n;
	int fd;

	l->p = p;
	if (argc < 1 || argc > 2)
		return tsb_usage(p, "bad usage");
	if (argc == 2)
		name = argv[1];
	else
		l->alphanumeric = l->ignore_case = true;
	look_set_string(l, argv[0]);
	fd = tsb_open(p, name, 0, 0);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", name);
		return 1;
	}
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, p, fd);
	while ((n = tsb_getblock(&in, &data))) {
		str_addn(&text, data, n);
		tsb_tick(p, n / 64 + 1);
	}
	if (in.error) {
		tsb_warn_errno(p, in.error, "%s", name);
		return 1;
	}
	/* It is mapped there, and nothing cannot be. */
	if (!text.n) {
		tsb_warn_errno(p, EINVAL, "%s", name);
		return 1;
	}
	return look_text(l, &text);
}

const struct tsb_command cmd_look = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "look", .synopsis = "[options] <string> [<file>...]",
	.summary = "Display lines beginning with a specified string.",
	.opts = look_opts, .opts_size = sizeof(struct look), .run = look_run,
};
