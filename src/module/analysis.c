/*
 * See analysis.h.
 */
#include "module/analysis.h"

#include <string.h>

/* A certain word is a text; another an object with its source. */
static json_t *word(const struct tsb_analyzed_word *w, analysis_text *text_of)
{
	json_t *text = text_of(w->text, w->size);

	return w->literal ? text : json_pack("{s:o}", "source", text);
}

static json_t *command(const struct tsb_analyzed_command *c, analysis_text *text_of)
{
	json_t *words = json_array();

	for (size_t i = 0; i < c->n_words; i++)
		json_array_append_new(words, word(&c->words[i], text_of));
	return json_pack("{s:i, s:s, s:s, s:s, s:b, s:o}", "line", (int)c->line, "kind",
			 tsb_command_kind_name(c->kind), "risk", tsb_risk_name(c->risk), "reason", c->reason,
			 "nested", c->nested, "words", words);
}

static json_t *names(const struct tsb_analysis *a,
		     const struct tsb_analyzed_name *(*at)(const struct tsb_analysis *a, size_t i),
		     analysis_text *text_of)
{
	const struct tsb_analyzed_name *n;
	json_t *list = json_array();

	for (size_t i = 0; (n = at(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:o}", "line", (int)n->line, "name",
						      text_of(n->name, strlen(n->name))));
	return list;
}

static json_t *files(const struct tsb_analysis *a, analysis_text *text_of)
{
	const struct tsb_analyzed_file *f;
	json_t *list = json_array();

	for (size_t i = 0; (f = tsb_analysis_file(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:s, s:o}", "line", (int)f->line, "use",
						      tsb_file_use_name(f->use), "path", word(&f->path, text_of)));
	return list;
}

static json_t *opaque(const struct tsb_analysis *a, analysis_text *text_of)
{
	const struct tsb_analyzed_opaque *o;
	json_t *list = json_array();

	for (size_t i = 0; (o = tsb_analysis_opaque(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:s}", "line", (int)o->line, "source",
						      text_of(o->text, strlen(o->text)), "reason", o->reason));
	return list;
}

json_t *analysis_json(const struct tsb_analysis *a, analysis_text *text_of)
{
	const struct tsb_analyzed_command *c;
	json_t *list = json_array(), *error = json_null();
	const char *message;
	uint32_t line;

	for (size_t i = 0; (c = tsb_analysis_command(a, i)); i++)
		json_array_append_new(list, command(c, text_of));
	message = tsb_analysis_error(a, &line);
	if (message)
		error = json_pack("{s:i, s:o}", "line", (int)line, "message", text_of(message, strlen(message)));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "risk", tsb_risk_name(tsb_analysis_risk(a)),
			 "commands", list, "redirections", files(a, text_of), "functions",
			 names(a, tsb_analysis_function, text_of), "unset", names(a, tsb_analysis_unset, text_of),
			 "opaque", opaque(a, text_of), "error", error);
}
