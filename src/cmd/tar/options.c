/*
 * tar's arguments: options and names in the order they come, because -C,
 * --no-recursion, --wildcards and others hold for the names behind them.
 */
#include <string.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"
#include "cmd/tar/options.h"
#include "cmd/util.h"

static void tar_opt_bad(struct tar *t, const struct opt_parsed *parsed)
{
	struct str text;

	str_init(&text, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	switch (parsed->result) {
	case OPT_HELP:
		opt_help(&text, &cmd_tar, "tar");
		break;
	case OPT_VERSION:
		opt_version(&text, &cmd_tar, "tar");
		break;
	case OPT_BAD:
		tar_say(t, "%s", parsed->error.p);
		tsb_write_all(t->p, 2, TAR_HINT, sizeof(TAR_HINT) - 1);
		tsb_exit(t->p, 64);
	default:
		tsb_exit(t->p, parsed->status);
	}
	tsb_put(t->p, text.p, text.n);
	tsb_exit(t->p, 0);
}

/* Parses options up to the next operand, into t itself; the operands left. */
static char **tar_parse_some(struct tar *t, char **argv, int *argc)
{
	struct tsb_command plain = cmd_tar;
	struct opt_parsed parsed;
	char **all = tsb_alloc(t->p, ((size_t)*argc + 2) * sizeof(*all));

	all[0] = tsb_strdup(t->p, "tar");
	memcpy(all + 1, argv, (size_t)*argc * sizeof(*all));
	plain.flags = TSB_OPERAND_ENDS;
	plain.defaults = t;
	opt_parse(&parsed, &plain, tsb_heap_of(t->p), t->p, *argc + 1, all);
	if (parsed.result != OPT_RUN)
		tar_opt_bad(t, &parsed);
	memcpy(t, parsed.opts, sizeof(*t));
	*argc = parsed.argc;
	return parsed.argv;
}

static void tar_parse_args(struct tar *t, int argc, char **argv)
{
	bool only_names = false;

	while (argc) {
		char **before = argv;
		int had = argc, used;

		tsb_tick(t->p, 1);
		if (!only_names)
			argv = tar_parse_some(t, argv, &argc);
		used = had - argc;
		only_names |= used && !strcmp(before[used - 1], "--");
		if (!argc)
			break;
		tar_add_name(t, tar_unquote(t, argv[0]), false);
		argv++;
		argc--;
	}
}

/* "czf a.tar x": the letters of the first argument are options, their
 * arguments follow in the same order. */
static char **tar_old_style(struct tar *t, int *argc, char **argv)
{
	const char *letters = argv[0];
	size_t n = strlen(letters), out = 0;
	int at = 1;
	char **all = tsb_alloc(t->p, (2 * n + (size_t)*argc + 1) * sizeof(*all));

	for (; *letters; letters++) {
		const struct tsb_opt *o = cmd_tar.opts;

		while (o->kind != TSB_OPTION_END && o->short_name != (unsigned char)*letters)
			o++;
		all[out++] = tsb_format(t->p, "-%c", *letters);
		if (o->kind == TSB_OPTION_END || (o->kind != TSB_OPTION_STR &&
						  (o->kind != TSB_OPTION_CALL ||
						   (o->flags & TSB_ARG_NONE))))
			continue;
		if (at >= *argc)
			tar_usage(t, "Old option '%c' requires an argument.", *letters);
		all[out++] = argv[at++];
	}
	while (at < *argc)
		all[out++] = argv[at++];
	*argc = (int)out;
	return all;
}

static void tar_environment(struct tar *t)
{
	const char *env = tsb_getenv(t->p, "TAR_OPTIONS");
	char **words;
	int n = 0;

	if (!env || !*env)
		return;
	words = tsb_alloc(t->p, (strlen(env) / 2 + 2) * sizeof(*words));
	while (*(env += strspn(env, " \t"))) {
		size_t len = strcspn(env, " \t");

		words[n++] = tsb_strndup(t->p, env, len);
		env += len;
	}
	tar_parse_args(t, n, words);
}

void tar_parse(struct tar *t, int argc, char **argv)
{
	tar_environment(t);
	if (argc && argv[0][0] != '-' && argv[0][0])
		argv = tar_old_style(t, &argc, argv);
	tar_parse_args(t, argc, argv);
}

/* ---- Files of names and patterns ---- */

static int tar_open_list(struct tar *t, const char *file, const char *what)
{
	int fd = input_open(t->p, file);

	if (fd < 0)
		tar_fatal(t, "%s: %s%s", tar_quote_colon(t, file), what, tsb_strerror(fd));
	return fd;
}

/* Words of a line that begins with a dash, as a shell would split them. */
static void tar_list_options(struct tar *t, const char *line)
{
	struct str word;
	char **words = tsb_alloc(t->p, (strlen(line) / 2 + 2) * sizeof(*words));
	int n = 0;

	while (*(line += strspn(line, " \t"))) {
		int quote = 0;

		str_init(&word, tsb_heap_of(t->p), STR_MAX_DEFAULT);
		for (; *line && (quote || (*line != ' ' && *line != '\t')); line++) {
			if (quote ? *line == quote : *line == '\'' || *line == '"')
				quote = quote ? 0 : *line;
			else if (*line == '\\' && line[1] && quote != '\'')
				str_addc(&word, *++line);
			else
				str_addc(&word, *line);
		}
		words[n++] = str_take(&word, NULL);
	}
	tar_parse_args(t, n, words);
}

static void tar_list_name(struct tar *t, const char *line, bool verbatim)
{
	if (!*line)
		return;
	if (!verbatim && *line == '-' && line[1])
		tar_list_options(t, line);
	else
		tar_add_name(t, verbatim ? tsb_strdup(t->p, line) : tar_unquote(t, line), false);
}

void tar_files_from(struct tar *t, const char *file)
{
	struct tsb_reader in;
	char *line;
	size_t n;
	int fd, delim = t->null_files ? 0 : '\n';

	if (t->files_from_depth >= 20)
		tar_fatal(t, "%s: file list requested from %s already read from command line",
			  tar_quote_colon(t, file), file);
	t->files_from_depth++;
	fd = tar_open_list(t, file, "Cannot stat: ");
	tsb_reader_init(&in, t->p, fd);
	while ((n = tsb_getdelim(&in, &line, delim))) {
		size_t at = 0;

		if (delim && line[n - 1] == '\n')
			line[--n] = '\0';
		if (delim && memchr(line, 0, n)) {
			tar_warn(t, TAR_W_FILENAME_WITH_NULS,
				 "%s: file name read contains nul character",
				 tar_quote_colon(t, file));
			delim = 0;
		}
		/* Usually one turn: there are several where NULs were not expected. */
		for (; at < n; at += strlen(line + at) + 1)
			tar_list_name(t, line + at, !delim || t->verbatim_files);
	}
	tsb_reader_end(&in);
	input_close(t->p, fd);
	t->files_from_depth--;
}

void tar_exclude_from(struct tar *t, const char *file)
{
	int fd = tar_open_list(t, file, "");
	struct tsb_reader in;
	char *line;
	size_t n;

	tsb_reader_init(&in, t->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
			line[--n] = '\0';
		if (n)
			tar_add_exclude(t, line, tar_exclude_match(t), NULL);
	}
	tsb_reader_end(&in);
	input_close(t->p, fd);
}
