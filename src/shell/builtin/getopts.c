/*
 * getopts. OPTIND is the argument to look at next, sh->getopts_pos the place
 * inside a cluster; assigning OPTIND begins anew.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

struct getopts {
	struct shell *sh;
	const char *spec;
	const char *name;	/* variable */
	char **args;
	int64_t n, index;	/* index counts from 1 */
	bool silent;		/* spec begins with ':' */
	bool quiet;		/* OPTERR=0 */
};

static int set_text(struct shell *sh, const char *name, const char *value, size_t n)
{
	return var_set_text(sh, name, value, n);
}

static int finish(struct getopts *g, const char *letter, const char *arg, int status)
{
	struct shell *sh = g->sh;
	int pos = sh->getopts_pos, bad;
	struct str number;

	str_init(&number, sh->heap, STR_MAX_DEFAULT);
	str_addf(&number, "%lld", (long long)g->index);
	set_text(sh, "OPTIND", number.p, number.n);
	sh->getopts_pos = pos;
	str_end(&number);
	if (arg)
		set_text(sh, "OPTARG", arg, strlen(arg));
	else
		var_unset(sh, "OPTARG", 6, false);
	if (!text_is_name(g->name)) {
		builtin_error(sh, "`%s': not a valid identifier", g->name);
		return 1;
	}
	bad = set_text(sh, g->name, letter, strlen(letter));
	return status ? status : bad ? STATUS_USAGE : 0;
}

/* A wrong option: silent mode tells by variables, else by a message. */
static int wrong(struct getopts *g, char letter, bool missing)
{
	struct shell *sh = g->sh;
	char text[2] = { letter, '\0' };
	struct str m;

	if (g->silent)
		return finish(g, missing ? ":" : "?", text, 0);
	if (!g->quiet) {
		str_init(&m, sh->heap, STR_MAX_DEFAULT);
		str_addf(&m, missing ? "%s: option requires an argument -- %c\n" :
			 "%s: illegal option -- %c\n", sh->arg0, letter);
		message_write(sh, &m);
		str_end(&m);
	}
	return finish(g, "?", NULL, 0);
}

static int next_option(struct getopts *g)
{
	struct shell *sh = g->sh;
	const char *arg = g->index <= g->n ? g->args[g->index - 1] : NULL, *found;
	char letter[2] = { 0, 0 };

	if (sh->getopts_pos && (!arg || (size_t)sh->getopts_pos >= strlen(arg)))
		sh->getopts_pos = 0;
	if (!sh->getopts_pos) {
		if (!arg || arg[0] != '-' || !arg[1])
			return finish(g, "?", NULL, 1);
		if (!strcmp(arg, "--")) {
			g->index++;
			return finish(g, "?", NULL, 1);
		}
		sh->getopts_pos = 1;
	}
	letter[0] = arg[sh->getopts_pos++];
	found = letter[0] == ':' ? NULL : strchr(g->spec + g->silent, letter[0]);
	if (!arg[sh->getopts_pos]) {
		sh->getopts_pos = 0;
		g->index++;
	}
	if (!found)
		return wrong(g, letter[0], false);
	if (found[1] != ':')
		return finish(g, letter, NULL, 0);
	if (sh->getopts_pos) {
		const char *value = arg + sh->getopts_pos;

		sh->getopts_pos = 0;
		g->index++;
		return finish(g, letter, value, 0);
	}
	if (g->index > g->n)
		return wrong(g, letter[0], true);
	g->index++;
	return finish(g, letter, g->args[g->index - 2], 0);
}

int builtin_getopts(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct getopts g = { .sh = sh, .index = 1 };
	struct slice v;
	struct bopt o;
	int64_t number;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	if (bopt_next(&o, ""))
		return STATUS_USAGE;
	if (argc - o.at < 2)
		return builtin_usage(sh);
	g.spec = argv[o.at];
	g.name = argv[o.at + 1];
	g.silent = *g.spec == ':';
	g.args = argc - o.at > 2 ? argv + o.at + 2 : sh->args;
	g.n = argc - o.at > 2 ? argc - o.at - 2 : (int64_t)sh->n_args;
	if (var_get_text(sh, "OPTIND", &v) && text_number(v.p, &number) && number >= 1)
		g.index = number;
	if (g.index > g.n + 1)
		g.index = g.n + 1;
	g.quiet = var_get_text(sh, "OPTERR", &v) && slice_is(v, "0");
	return next_option(&g);
}
