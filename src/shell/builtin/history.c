/*
 * history and fc. A script keeps no history unless it says `set -o history`;
 * then each top-level command is a line (text.c adds them). `history -s` adds
 * one by hand. fc runs an editor only where one is given (-e, FCEDIT).
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

void history_add(struct shell *sh, const char *text, size_t n)
{
	struct doing *d = doing(sh);
	struct history_line *line;

	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	if (!n)
		return;
	line = vec_add(sh->heap, &d->history);
	if (line)
		*line = (struct history_line){ heap_dup(sh->heap, text, n),
					       tsb_clock(sh->p, TSB_CLOCK_REAL).sec };
}

static void history_remove(struct shell *sh, size_t i)
{
	struct doing *d = doing(sh);

	heap_free(sh->heap, d->history.at[i].text);
	memmove(&d->history.at[i], &d->history.at[i + 1],
		(d->history.n - i - 1) * sizeof(d->history.at[0]));
	d->history.n--;
}

/* The command that is running does not count among the past ones. */
static void history_unsave(struct shell *sh)
{
	struct doing *d = doing(sh);

	if (d->history_saved && d->history.n)
		history_remove(sh, d->history.n - 1);
	d->history_saved = false;
}

static size_t history_past(struct shell *sh)
{
	struct doing *d = doing(sh);

	return d->history.n - (d->history_saved && d->history.n);
}

/* ---- Files ---- */

static const char *history_file(struct shell *sh, const char *arg)
{
	struct slice v;

	if (arg)
		return arg;
	return var_get_text(sh, "HISTFILE", &v) && v.n ? arena_dup(&sh->turn, v.p, v.n) : NULL;
}

static int history_write(struct shell *sh, const char *path, bool append)
{
	struct doing *d = doing(sh);
	int fd = tsb_open(sh->p, path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0600);

	if (fd < 0)
		return 1;
	for (size_t i = 0; i < d->history.n; i++) {
		tsb_write_all(sh->p, fd, d->history.at[i].text, strlen(d->history.at[i].text));
		tsb_write_all(sh->p, fd, "\n", 1);
	}
	tsb_close(sh->p, fd);
	return 0;
}

static int history_read(struct shell *sh, const char *path)
{
	int fd = tsb_open(sh->p, path, O_RDONLY, 0);
	struct str text;
	const char *p, *end;

	if (fd < 0)
		return 1;
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	file_read_all(sh, fd, &text);
	tsb_close(sh->p, fd);
	for (p = text.p; p < text.p + text.n; p = end + 1) {
		end = memchr(p, '\n', (size_t)(text.p + text.n - p));
		if (!end)
			end = text.p + text.n;
		history_add(sh, p, (size_t)(end - p));
	}
	str_end(&text);
	return 0;
}

static int history_transfer(struct shell *sh, char how, const char *arg)
{
	const char *path = history_file(sh, arg);

	if (!path)
		return 0;
	if (arg && restricted_path(sh, arg) && builtin_restricted(sh, arg))
		return 1;
	if (how == 'w' || how == 'a')
		return history_write(sh, path, how == 'a');
	return history_read(sh, path);
}

/* ---- history ---- */

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
	for (size_t i = from; i < d->history.n; i++)
		putf(sh, "%5zu  %s\n", i + 1, d->history.at[i].text);
	return 0;
}

/* A position as the user counts, from the end if negative; 0 after a message. */
static size_t history_position(struct shell *sh, const char *text)
{
	struct doing *d = doing(sh);
	int64_t n = 0;

	if (text_number(text, &n) && n < 0)
		n += (int64_t)d->history.n + 1;
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
		return 0;
	case 'd':
		return history_delete(sh, del);
	case 's':
		if (o.at < argc) {
			char *line = join_arguments(sh, argc, argv, o.at);

			history_unsave(sh);
			history_add(sh, line, strlen(line));
		}
		return 0;
	case 'p':
		history_unsave(sh);
		for (int i = o.at; i < argc; i++)
			putf(sh, "%s\n", !strcmp(argv[i], "!!") && d->history.n ?
			     d->history.at[d->history.n - 1].text : argv[i]);
		return 0;
	case 0:
		if (argc - o.at > 1 && text_number(argv[o.at], &n)) {	/* gives the line up */
			builtin_error(sh, "too many arguments");
			*flow = FLOW_ABORT;
			return 1;
		}
		return history_show(sh, o.at < argc ? argv[o.at] : NULL);
	default:
		return history_transfer(sh, how, o.at < argc ? argv[o.at] : NULL);
	}
}

/* ---- fc ---- */

struct fc {
	struct shell *sh;
	bool list, no_numbers, reverse, again;
	const char *editor;
};

/* A number, -number or the beginning of a line; -1: none. */
static int64_t fc_find(struct shell *sh, const char *spec, int64_t fallback)
{
	struct doing *d = doing(sh);
	int64_t n, count = (int64_t)history_past(sh);

	if (!spec)
		return fallback;
	if (text_number(spec, &n)) {
		n = n < 0 ? count + n : n == 0 ? count - 1 : n - 1;
		return n < 0 ? 0 : n >= count ? count - 1 : n;
	}
	for (int64_t i = count - 1; i >= 0; i--)
		if (!strncmp(d->history.at[i].text, spec, strlen(spec)))
			return i;
	return -1;
}

static int fc_again(struct fc *f, int argc, char **argv, int at, enum flow *flow)
{
	struct shell *sh = f->sh;
	const char *equals = NULL;
	struct str text;
	int64_t i;

	if (at < argc && (equals = strchr(argv[at], '=')))
		at++;
	i = fc_find(sh, at < argc ? argv[at] : NULL, (int64_t)history_past(sh) - 1);
	if (i < 0) {
		builtin_error(sh, "no command found");
		return 1;
	}
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_adds(&text, doing(sh)->history.at[i].text);
	if (equals) {
		size_t n = (size_t)(equals - argv[at - 1]);

		for (size_t k = 0; n && k + n <= text.n;) {
			if (memcmp(text.p + k, argv[at - 1], n)) {
				k++;
				continue;
			}
			str_erase(&text, k, n);
			str_insert(&text, k, equals + 1, strlen(equals + 1));
			k += strlen(equals + 1);
		}
	}
	history_unsave(sh);
	history_add(sh, text.p, text.n);
	tsb_write_all(sh->p, 2, text.p, text.n);
	tsb_write_all(sh->p, 2, "\n", 1);
	sh->builtin = NULL;
	*flow = eval_text(sh, text.p, text.n, "fc", sh->line);
	sh->builtin = "fc";
	str_end(&text);
	return sh->status;
}

static int fc_list(struct fc *f, int64_t first, int64_t last)
{
	struct shell *sh = f->sh;
	int64_t step;

	if (f->reverse) {
		int64_t t = first;

		first = last;
		last = t;
	}
	step = first <= last ? 1 : -1;
	for (int64_t i = first;; i += step) {
		if (f->no_numbers)
			putf(sh, "\t %s\n", doing(sh)->history.at[i].text);
		else
			putf(sh, "%lld\t %s\n", (long long)i + 1, doing(sh)->history.at[i].text);
		if (i == last)
			return 0;
	}
}

/* fc proper: the lines go through an editor and are run. */
static int fc_edit(struct fc *f, int64_t first, int64_t last, enum flow *flow)
{
	struct shell *sh = f->sh;
	struct str text;
	uint64_t chance;
	char *path;
	int fd;

	tsb_random(sh->p, &chance, sizeof(chance));
	path = arena_alloc(&sh->turn, 64);
	snprintf(path, 64, "/tmp/bash-fc.%06llx", (unsigned long long)(chance & 0xffffff));
	fd = tsb_open(sh->p, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0) {
		builtin_error(sh, "%s: cannot open temp file: %s", path, tsb_strerror(fd));
		return 1;
	}
	for (int64_t i = first; i <= last; i++) {
		tsb_write_all(sh->p, fd, doing(sh)->history.at[i].text,
			      strlen(doing(sh)->history.at[i].text));
		tsb_write_all(sh->p, fd, "\n", 1);
	}
	tsb_close(sh->p, fd);
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_addf(&text, "%s %s", f->editor, path);
	sh->builtin = NULL;
	*flow = eval_text(sh, text.p, text.n, "fc", sh->line);
	if (*flow == FLOW_NEXT && !sh->status)
		*flow = source_file(sh, path, path, 0, NULL, false);
	tsb_unlink(sh->p, path);
	sh->builtin = "fc";
	str_end(&text);
	return sh->status;
}

int builtin_fc(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct fc f = { .sh = sh };
	int64_t first, last, count = (int64_t)history_past(sh);
	struct slice v;
	struct bopt o;

	bopt_init(&o, sh, argc, argv);
	for (int c; (o.at >= argc || !argv[o.at][0] || argv[o.at][0] != '-' ||
		     argv[o.at][1] < '0' || argv[o.at][1] > '9' || o.next) &&
		    (c = bopt_next(&o, "e:lnrs"));) {
		if (c < 0)
			return STATUS_USAGE;
		f.list |= c == 'l';
		f.no_numbers |= c == 'n';
		f.reverse |= c == 'r';
		f.again |= c == 's';
		f.editor = c == 'e' ? o.arg : f.editor;
	}
	if (f.again || (f.editor && !strcmp(f.editor, "-")))
		return fc_again(&f, argc, argv, o.at, flow);
	if (!count)
		return 0;
	first = fc_find(sh, o.at < argc ? argv[o.at] : NULL, f.list ? count - 16 : count - 1);
	if (first < 0 && o.at >= argc)
		first = 0;
	last = fc_find(sh, o.at + 1 < argc ? argv[o.at + 1] : NULL, f.list ? count - 1 : first);
	if (first < 0 || last < 0) {
		builtin_error(sh, "no command found");
		return 1;
	}
	if (f.list)
		return fc_list(&f, first, last);
	if (!f.editor)
		f.editor = var_get_text(sh, "FCEDIT", &v) || var_get_text(sh, "EDITOR", &v) ?
			   arena_dup(&sh->turn, v.p, v.n) : "vi";
	return fc_edit(&f, first < last ? first : last, first < last ? last : first, flow);
}
