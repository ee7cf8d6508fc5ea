/*
 * fc: lists past commands, or runs them again, through an editor where one is
 * given (-e, FCEDIT, EDITOR).
 */
#include "shell/builtin/builtin.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct fc {
	struct shell *sh;
	bool list, no_numbers, reverse, again;
	const char *editor;
};

enum { FC_NONE = -1, FC_RANGE = -2 };	/* no such line; out of range */

/* A number, -number or the beginning of a line, as the index of a line. */
static int64_t fc_find(struct shell *sh, const char *spec, bool listing)
{
	struct doing *d = doing(sh);
	int64_t n, last = (int64_t)history_past(sh) - 1;

	if (last < 0)
		return FC_NONE;
	if (!spec)
		return last;
	if (text_number(spec, &n)) {
		if (n < 0)
			return n + last + 1 < 0 ? 0 : n + last + 1;
		if (n == 0)
			return *spec != '-' ? last : listing ? (int64_t)d->history.n - 1 : FC_RANGE;
		n -= (int64_t)d->history_base + 1;
		return n < 0 ? 0 : n < last ? n : last;
	}
	for (int64_t i = last; i >= 0; i--)
		if (!strncmp(d->history.at[i].text, spec, strlen(spec)))
			return i;
	return FC_NONE;
}

static int fc_again(struct fc *f, int argc, char **argv, int at, enum flow *flow)
{
	struct shell *sh = f->sh;
	const char *equals = NULL;
	struct str text;
	int64_t i;

	if (at < argc && (equals = strchr(argv[at], '=')))
		at++;
	i = fc_find(sh, at < argc ? argv[at] : NULL, false);
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
	size_t base = doing(sh)->history_base;
	int64_t t = first, step;

	if (f->reverse && first <= last) {
		first = last;
		last = t;
	}
	step = first <= last ? 1 : -1;
	for (int64_t i = first;; i += step) {
		if (f->no_numbers)
			putf(sh, "\t %s\n", doing(sh)->history.at[i].text);
		else
			putf(sh, "%lld\t %s\n", (long long)i + 1 + (long long)base,
			     doing(sh)->history.at[i].text);
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
	last = count - 1;
	first = f.list && count > 16 ? count - 16 : f.list ? 0 : last;
	if (o.at < argc) {
		first = fc_find(sh, argv[o.at], f.list);
		if (o.at + 1 < argc)
			last = fc_find(sh, argv[o.at + 1], f.list);
		else if (!f.list || first >= count)
			last = first;
	}
	if (first == FC_RANGE || last == FC_RANGE) {
		builtin_error(sh, "history specification out of range");
		return 1;
	}
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
