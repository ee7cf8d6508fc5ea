/*
 * --analyze: what <tinysandbox/analyze.h> tells, as one JSON object.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include <tinysandbox/analyze.h>

#include "cli/cli.h"
#include "cli/json.h"

/* A certain word is a string; another an object with its source. */
static json_t *word(const struct tsb_analyzed_word *w)
{
	json_t *text = json_value_of(w->text, w->size);

	return w->literal ? text : json_pack("{s:o}", "source", text);
}

static json_t *command(const struct tsb_analyzed_command *c)
{
	json_t *words = json_array();

	for (size_t i = 0; i < c->n_words; i++)
		json_array_append_new(words, word(&c->words[i]));
	return json_pack("{s:i, s:s, s:s, s:s, s:b, s:o}", "line", (int)c->line, "kind",
			 tsb_command_kind_name(c->kind), "risk", tsb_risk_name(c->risk), "reason", c->reason,
			 "nested", c->nested, "words", words);
}

static json_t *commands(const struct tsb_analysis *a)
{
	const struct tsb_analyzed_command *c;
	json_t *list = json_array();

	for (size_t i = 0; (c = tsb_analysis_command(a, i)); i++)
		json_array_append_new(list, command(c));
	return list;
}

static json_t *files(const struct tsb_analysis *a)
{
	const struct tsb_analyzed_file *f;
	json_t *list = json_array();

	for (size_t i = 0; (f = tsb_analysis_file(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:s, s:o}", "line", (int)f->line, "use",
						      tsb_file_use_name(f->use), "path", word(&f->path)));
	return list;
}

typedef const struct tsb_analyzed_name *names_fn(const struct tsb_analysis *a, size_t i);

static json_t *names(const struct tsb_analysis *a, names_fn *at)
{
	const struct tsb_analyzed_name *n;
	json_t *list = json_array();

	for (size_t i = 0; (n = at(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:o}", "line", (int)n->line, "name",
						      json_value_of(n->name, strlen(n->name))));
	return list;
}

static json_t *opaque(const struct tsb_analysis *a)
{
	const struct tsb_analyzed_opaque *o;
	json_t *list = json_array();

	for (size_t i = 0; (o = tsb_analysis_opaque(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:s}", "line", (int)o->line, "source",
						      json_value_of(o->text, strlen(o->text)), "reason", o->reason));
	return list;
}

static json_t *error(const struct tsb_analysis *a)
{
	uint32_t line;
	const char *message = tsb_analysis_error(a, &line);

	return message ? json_pack("{s:i, s:o}", "line", (int)line, "message",
				   json_value_of(message, strlen(message))) : json_null();
}

int cli_analyze(const char *script, size_t n)
{
	struct tsb_analysis *a;
	json_t *all;
	int rc;

	if (tsb_analyze(script, n, &a))
		return cli_error("the script is too large to analyse, or there is no memory");
	all = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "risk", tsb_risk_name(tsb_analysis_risk(a)),
			"commands", commands(a), "redirections", files(a), "functions",
			names(a, tsb_analysis_function), "unset", names(a, tsb_analysis_unset), "opaque", opaque(a),
			"error", error(a));
	rc = all ? json_dumpf(all, stdout, JSON_COMPACT) : -1;
	json_decref(all);
	putchar('\n');
	rc = rc || fflush(stdout) ? cli_error("cannot write the analysis") : tsb_analysis_error(a, NULL) ? 2 : 0;
	tsb_analysis_free(a);
	return rc;
}
