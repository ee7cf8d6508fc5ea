/*
 * history: shows, changes, reads and writes the list of past commands (past.c).
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shell/words.h"
#include "text/datefmt.h"
#include "text/civil.h"

/* ---- Files ---- */

static const char *history_file(struct shell *sh, const char *arg)
{
	struct slice v;

	if (arg)
		return arg;
	return var_get_text(sh, "HISTFILE", &v) && v.n ? arena_dup(&sh->turn, v.p, v.n) : NULL;
}

/* The lines from `from` on. */
static int history_write(struct shell *sh, const char *path, bool append, size_t from)
{
	struct doing *d = doing(sh);
	int fd = tsb_open(sh->p, path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0600);

	if (fd < 0)
		return 1;
	for (size_t i = from; i < d->history.n; i++) {
		tsb_write_all(sh->p, fd, d->history.at[i].text, strlen(d->history.at[i].text));
		tsb_write_all(sh->p, fd, "\n", 1);
	}
	tsb_close(sh->p, fd);
	return 0;
}

/* The lines of a file but the first `skip`; how many it has into *lines. */
static int history_read(struct shell *sh, const char *path, size_t skip, size_t *lines)
{
	int fd = tsb_open(sh->p, path, O_RDONLY, 0);
	struct str text;
	const char *p, *end;

	*lines = 0;
	if (fd < 0)
		return 1;
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	file_read_all(sh, fd, &text);
	tsb_close(sh->p, fd);
	for (p = text.p; p < text.p + text.n; p = end + 1) {
		end = memchr(p, '\n', (size_t)(text.p + text.n - p));
		if (!end)
			end = text.p + text.n;
		if ((*lines)++ >= skip)
			history_add(sh, p, (size_t)(end - p));
	}
	str_end(&text);
	return 0;
}

void history_begin(struct shell *sh)
{
	struct slice size = SLICE("500");
	struct doing *d = doing(sh);
	const char *path;

	if (!var_get_text(sh, "HISTSIZE", &size))
		var_set_text(sh, "HISTSIZE", "500", 3);
	var_get_text(sh, "HISTSIZE", &size);
	size.p = arena_dup(&sh->turn, size.p, size.n);
	if (!var_find_text(sh, "HISTFILESIZE", 12))
		var_set_text(sh, "HISTFILESIZE", size.p, size.n);
	path = history_file(sh, NULL);
	if (path && !d->history_new)
		history_read(sh, path, 0, &d->history_seen);
}

void history_save(struct shell *sh)
{
	struct doing *d = doing(sh);
	size_t fresh = d->history_new < d->history.n ? d->history_new : d->history.n;
	const char *path = history_file(sh, NULL);
	struct slice size;
	int64_t most;

	if (!path || !fresh || !sh->opts[OPT_HISTORY])
		return;
	history_write(sh, path, true, d->history.n - fresh);
	d->history_new = 0;
	if (var_get_text(sh, "HISTFILESIZE", &size) &&
	    text_number(arena_dup(&sh->turn, size.p, size.n), &most) && most >= 0 &&
	    d->history_seen + fresh > (size_t)most && d->history.n > (size_t)most)
		history_write(sh, path, false, d->history.n - (size_t)most);
}

static int history_transfer(struct shell *sh, char how, const char *arg)
{
	struct doing *d = doing(sh);
	const char *path = history_file(sh, arg);
	size_t lines, fresh = d->history_new < d->history.n ? d->history_new : d->history.n;
	int status;

	if (!path)		/* bash looks for ~/.history then, to read */
		return how == 'n' || how == 'r';
	if (arg && restricted_path(sh, arg) && builtin_restricted(sh, arg))
		return 1;
	switch (how) {
	case 'a':
		if (!fresh)
			return 0;
		status = history_write(sh, path, true, d->history.n - fresh);
		d->history_seen += fresh;
		d->history_new = 0;
		return status;
	case 'w':
		return history_write(sh, path, false, 0);
	case 'n':
		status = history_read(sh, path, d->history_seen, &lines);
		d->history_seen = lines;
		return status;
	default:
		return history_read(sh, path, 0, &lines);
	}
}

/* ---- history ---- */

/* HISTTIMEFORMAT, if there is one. */
static void history_put_time(struct shell *sh, int64_t sec)
{
	struct slice v, tz;
	struct date_moment moment;
	struct zone zone;
	struct str out;

	if (!var_get_text(sh, "HISTTIMEFORMAT", &v) || !v.n)
		return;
	str_init(&out, sh->heap, STR_MAX_DEFAULT);
	zone_init(&zone, var_get_text(sh, "TZ", &tz) ? arena_dup(&sh->turn, tz.p, tz.n) : NULL);
	if (date_moment(&moment, sec, 0, &zone))
		date_format(&out, v.p, v.n, &moment);
	put(sh, out.p, out.n);
	str_end(&out);
}

static int history_show(struct shell *sh, const char *arg)
{
	struct doing *d = doing(sh);
	size_t from = 0;
	int64_t n;

	if (arg) {
		if (!text_number(arg, &n)) {
			builtin_error(sh, "%s: numeric argument required", arg);
			return 1;
		}
		if (n < 0)
			n = -n;
		from = (uint64_t)n < d->history.n ? d->history.n - (size_t)n : 0;
	}
	for (size_t i = from; i < d->history.n; i++) {
		putf(sh, "%5zu  ", d->history_base + i + 1);
		history_put_time(sh, d->history.at[i].time);
		putf(sh, "%s\n", d->history.at[i].text);
	}
	return 0;
}

/* A position as the user counts, from the end if negative; 0 after a message. */
static size_t history_position(struct shell *sh, const char *text)
{
	struct doing *d = doing(sh);
	int64_t n = 0;

	if (text_number(text, &n))
		n += n < 0 ? (int64_t)d->history.n + 1 : -(int64_t)d->history_base;
	if (n < 1 || (uint64_t)n > d->history.n) {
		builtin_error(sh, "%s: history position out of range", text);
		return 0;
	}
	return (size_t)n;
}

/* -d N or N-M. */
static int history_delete(struct shell *sh, const char *arg)
{
	const char *dash = *arg ? strchr(arg + 1, '-') : NULL;
	size_t first, last;

	first = history_position(sh, dash ? arena_dup(&sh->turn, arg, (size_t)(dash - arg)) : arg);
	last = first && dash ? history_position(sh, dash + 1) : first;
	if (!last)
		return 1;
	for (; last >= first; last--)
		history_remove(sh, last - 1);
	return 0;
}

/* history -p: each argument expanded; the command itself is not kept. */
static int history_print(struct shell *sh, int argc, char **argv, int from)
{
	int status = 0;

	history_unsave(sh);
	for (int i = from; i < argc; i++) {
		struct str t;

		str_init(&t, sh->heap, STR_MAX_DEFAULT);
		if (history_expand(sh, argv[i], strlen(argv[i]), '\0', &t) < 0) {
			builtin_error(sh, "%s: history expansion failed", argv[i]);
			status = 1;
		} else {
			putf(sh, "%s\n", t.p);
		}
		str_end(&t);
	}
	return status;
}

static char *join_arguments(struct shell *sh, int argc, char **argv, int from)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	for (int i = from; i < argc; i++)
		str_addf(&t, "%s%s", i > from ? " " : "", argv[i]);
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

int builtin_history(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct doing *d = doing(sh);
	const char *del = NULL;
	char how = 0;
	int64_t n;
	struct bopt o;

	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "cd:anrwsp"));) {
		if (c < 0)
			return STATUS_USAGE;
		if (strchr("anrw", c) && how && strchr("anrw", how) && c != how) {
			builtin_error(sh, "cannot use more than one of -anrw");
			return 1;
		}
		how = (char)c;
		del = c == 'd' ? o.arg : del;
	}
	switch (how) {
	case 'c':
		while (d->history.n)
			history_remove(sh, d->history.n - 1);
		d->history_base = d->history_new = 0;
		return 0;
	case 'd':
		return history_delete(sh, del);
	case 's':
		if (o.at < argc) {
			char *line = join_arguments(sh, argc, argv, o.at);

			history_unsave(sh);
			if (history_wanted(sh, line))
				history_add(sh, line, strlen(line));
		}
		return 0;
	case 'p':
		return history_print(sh, argc, argv, o.at);
	case 0:
		if (argc - o.at > 1 && text_number(argv[o.at], &n)) {	/* gives the line up */
			*flow = too_many_arguments(sh);
			return 1;
		}
		return history_show(sh, o.at < argc ? argv[o.at] : NULL);
	default:
		return history_transfer(sh, how, o.at < argc ? argv[o.at] : NULL);
	}
}
