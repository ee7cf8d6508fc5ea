/*
 * rg - ripgrep: searches trees for lines, leaving out what ignore files name.
 */
#include "cmd/rg/rg.h"

#include <sys/stat.h>

#include "base/heap.h"
#include "base/opt.h"
#include "cmd/cmd.h"

/* The lines of $RIPGREP_CONFIG_PATH stand before the arguments. */
static char **with_config(struct rg *g, int *argc, char **argv)
{
	const char *path = tsb_getenv(g->p, "RIPGREP_CONFIG_PATH");
	VEC(char *) all = { 0 };
	struct tsb_reader in;
	char *line;
	size_t n;
	int fd;

	for (int i = 0; i < *argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--no-config"))
			path = NULL;
	fd = path && *path ? input_open(g->p, path) : -1;
	if (path && *path && fd < 0)
		rg_say(g, "%s: %s", path, rg_os_error(g, fd));
	if (fd >= 0) {
		tsb_reader_init(&in, g->p, fd);
		while ((n = tsb_getdelim(&in, &line, '\n'))) {
			while (n && strchr(" \t\r\n", line[n - 1]))
				n--;
			while (n && strchr(" \t", *line)) {
				line++;
				n--;
			}
			if (n && *line != '#')
				*vec_add(g->heap, &all) = tsb_strndup(g->p, line, n);
		}
		tsb_reader_end(&in);
		input_close(g->p, fd);
	}
	for (int i = 0; i < *argc; i++)
		*vec_add(g->heap, &all) = argv[i];
	*argc = (int)all.n;
	*vec_add(g->heap, &all) = NULL;
	return all.at;
}

/* ---- What the options mean together ---- */

static void settle_list(struct rg *g)
{
	bool count = g->count, matches = g->count_matches;

	if (matches && g->invert) {
		count = true;
		matches = false;
	} else if (count && g->only_matching) {
		matches = true;
	}
	g->list = matches ? RG_COUNT_MATCHES : count ? RG_COUNT : g->files_with ? RG_WITH_MATCH :
		  g->files_without ? RG_WITHOUT_MATCH : RG_LINES;
	if (g->json)
		g->list = RG_LINES;
}

static bool has_colors(struct rg *g)
{
	const char *term = tsb_getenv(g->p, "TERM");

	return term && strcmp(term, "dumb") && !tsb_getenv(g->p, "NO_COLOR");
}

static void settle(struct rg *g, int argc, char **argv)
{
	bool tty = tsb_isatty(g->p, 1), one;
	struct tsb_stat st;

	one = argc == 1 && (!strcmp(argv[0], "-") ||
			    (tsb_stat(g->p, argv[0], &st) >= 0 && !S_ISDIR(st.mode)));
	settle_list(g);
	g->eol = g->null_data ? '\0' : '\n';
	g->show_name = g->with_name >= 0 ? g->with_name : g->vimgrep || !one;
	g->show_heading = !g->vimgrep && (g->heading >= 0 ? g->heading : g->pretty || tty);
	g->show_numbers = g->numbers >= 0 ? g->numbers : (tty && g->list == RG_LINES) || g->column ||
			  g->pretty || g->vimgrep || g->json;
	g->use_color = !g->json && (g->color >= 0 ? g->color : (g->pretty || tty) && has_colors(g));
	g->per_match = g->vimgrep;
	g->column = (g->column || (g->vimgrep && !g->no_column)) && g->list == RG_LINES;
	if (g->list != RG_LINES || g->quiet)
		g->before = g->after = 0;
	g->passthru &= g->list == RG_LINES && !g->quiet;
	g->only_matching &= !g->invert;
	g->need_spans = g->use_color || g->column || g->replacement || g->per_match ||
			g->only_matching || g->stats || g->json || g->list == RG_COUNT_MATCHES ||
			(g->list == RG_COUNT && g->multiline);
	if (g->json)
		g->stats = true;
}

static bool read_globs(struct rg *g)
{
	if (!g->globs.n)
		return true;
	g->overrides = gitignore_new(g->heap, GITIGNORE_BRACES);
	for (size_t i = 0; i < g->globs.n; i++) {
		const char *glob = g->globs.at[i].glob, *why;

		gitignore_set_icase(g->overrides, g->globs.at[i].icase || g->glob_icase);
		why = gitignore_add(g->overrides, glob, strlen(glob));
		if (why) {
			rg_say(g, "error parsing glob '%s': %s", glob, why);
			return false;
		}
	}
	return true;
}

/* What cannot be said as JSON: the name of the option, or NULL. */
static const char *not_json(const struct rg *g)
{
	if (!g->json)
		return NULL;
	return g->count ? "count" : g->count_matches ? "count-matches" : g->files ? "files" :
	       g->files_with ? "files-with-matches" : g->files_without ? "files-without-match" : NULL;
}

static bool prepare(struct rg *g)
{
	const char *error = rg_types_init(g), *unknown;

	if (error) {
		rg_say(g, "%s", error);
		return false;
	}
	unknown = rg_types_select(g);
	if (unknown) {
		rg_say(g, "unrecognized file type: %s", unknown);
		return false;
	}
	if (!read_globs(g))
		return false;
	if (g->pre_globs.n)
		g->pre_rules = gitignore_new(g->heap, GITIGNORE_BRACES);
	for (size_t i = 0; i < g->pre_globs.n; i++)
		gitignore_add(g->pre_rules, g->pre_globs.at[i], strlen(g->pre_globs.at[i]));
	return g->files || rg_compile(g);
}

/* ---- Runs ---- */

static void list_file(struct rg *g, const char *path, bool explicit)
{
	(void)explicit;
	g->matched = true;
	g->searched_any = true;
	if (g->quiet) {
		g->stop = true;
		return;
	}
	rg_print_path(g, path);
	rg_put(g, g->null ? "" : "\n", 1);
}

/* Without paths: standard input, if there is something to read, or here. */
static bool reads_stdin(struct rg *g)
{
	struct tsb_stat st;

	return tsb_fstat(g->p, 0, &st) >= 0 && (S_ISREG(st.mode) || S_ISFIFO(st.mode) ||
						S_ISSOCK(st.mode));
}

static int run(struct rg *g, int argc, char **argv)
{
	static char here[] = "./", input[] = "-";
	char *fallback[] = { here, NULL };

	g->default_path = argc == 0;
	if (!argc) {
		if (!g->files && reads_stdin(g)) {
			fallback[0] = input;
			g->default_path = false;
		}
		argv = fallback;
		argc = 1;
	}
	if (!prepare(g))
		return RG_TROUBLE;
	settle(g, argc, argv);
	rg_walk(g, argc, argv, g->files ? list_file : rg_search);
	if (g->default_path && !g->searched_any && !g->files && !g->no_messages) {
		rg_say(g, "No files were searched, which means ripgrep probably applied a filter you "
		       "didn't expect.\nRunning with --debug will show why files are being skipped.");
		g->trouble = true;
	}
	if (g->json)
		rg_json_summary(g);
	else if (g->stats && !g->files)
		rg_print_stats(g);
	sink_flush(&g->sink);
	if (g->matched && (g->quiet || !g->trouble))
		return 0;
	return g->trouble ? RG_TROUBLE : 1;
}

static int show(struct rg *g, bool help, bool long_form)
{
	struct str s;

	if (!help) {
		tsb_puts(g->p, long_form ? "ripgrep 13.0.0\n-SIMD -AVX (compiled)\n" :
			 "ripgrep 13.0.0\n");
		return 0;
	}
	str_init(&s, g->heap, STR_MAX_DEFAULT);
	opt_help(&s, &cmd_rg, tsb_name(g->p));
	tsb_put(g->p, s.p, s.n);
	return 0;
}

static int rg_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct rg *g = tsb_alloc(p, sizeof(*g));
	int status = 0;

	(void)opts;
	*g = rg_defaults;
	g->p = p;
	g->heap = tsb_heap_of(p);
	g->started = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	argv = with_config(g, &argc, argv);
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") ||
		    !strcmp(argv[i], "--version") || !strcmp(argv[i], "-V"))
			return show(g, argv[i][1] == 'h' || argv[i][2] == 'h', argv[i][1] == '-');
	if (!rg_parse(g, &argc, argv, &status))
		return status;
	if (not_json(g))
		return rg_usage(p, tsb_format(p, "The argument '--%s' cannot be used with '--json'",
					      not_json(g)));
	sink_init(&g->sink, p);
	if (g->show_pcre2) {
		rg_puts(g, "PCRE2 10.32 is available\nJIT is available\n");
		sink_flush(&g->sink);
		return 0;
	}
	if (g->type_list) {
		const char *error = rg_types_init(g);

		if (error)
			rg_say(g, "%s", error);
		else
			rg_types_print(g);
		sink_flush(&g->sink);
		return error ? RG_TROUBLE : 0;
	}
	if (!g->files && !g->patterns.n && !g->any_pattern_file) {
		if (!argc)
			return rg_usage(p, RG_NO_PATTERN);
		*vec_add(g->heap, &g->patterns) = (struct slice){ argv[0], strlen(argv[0]) };
		argc--;
		argv++;
	}
	return run(g, argc, argv);
}

const struct tsb_command cmd_rg = {
	.version = TSB_COMMAND_VERSION, .name = "rg",
	.synopsis = "[OPTIONS] PATTERN [PATH ...]\n[OPTIONS] -e PATTERN ... [PATH ...]\n"
		    "[OPTIONS] --files [PATH ...]\n[OPTIONS] --type-list",
	.summary = "search trees for lines that match a pattern", .package = "ripgrep",
	.package_version = "13.0.0", .opts = rg_opts, .opts_size = sizeof(struct rg),
	.defaults = &rg_defaults, .run = rg_run, .flags = TSB_RAW | TSB_NO_HELP,
	.usage_status = RG_TROUBLE
};
