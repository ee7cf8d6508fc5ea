/*
 * What a script or a command would do, told without running it: the facts of <tinysandbox/analyze.h>, as
 * `tinysandbox --analyze` prints them. What is to come of them the host decides.
 */
#include "module/module.h"

#include <string.h>

#include <tinysandbox/analyze.h>

#define SCRIPT_MOST (1u << 20)

/* A certain word is a text; another an object with its source. What is no UTF-8 is shown, not kept. */
static json_t *text_of(const char *text, size_t n)
{
	json_t *value = json_stringn(text, n);

	if (value)
		return value;
	value = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(value, json_integer((unsigned char)text[i]));
	return value;
}

static json_t *word(const struct tsb_analyzed_word *w)
{
	json_t *text = text_of(w->text, w->size);

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

static json_t *names(const struct tsb_analysis *a,
		     const struct tsb_analyzed_name *(*at)(const struct tsb_analysis *a, size_t i))
{
	const struct tsb_analyzed_name *n;
	json_t *list = json_array();

	for (size_t i = 0; (n = at(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:o}", "line", (int)n->line, "name",
						      text_of(n->name, strlen(n->name))));
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

static json_t *opaque(const struct tsb_analysis *a)
{
	const struct tsb_analyzed_opaque *o;
	json_t *list = json_array();

	for (size_t i = 0; (o = tsb_analysis_opaque(a, i)); i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:s}", "line", (int)o->line, "source",
						      text_of(o->text, strlen(o->text)), "reason", o->reason));
	return list;
}

static json_t *all_of(const struct tsb_analysis *a)
{
	const struct tsb_analyzed_command *c;
	json_t *list = json_array(), *error = json_null();
	const char *message;
	uint32_t line;

	for (size_t i = 0; (c = tsb_analysis_command(a, i)); i++)
		json_array_append_new(list, command(c));
	message = tsb_analysis_error(a, &line);
	if (message)
		error = json_pack("{s:i, s:o}", "line", (int)line, "message", text_of(message, strlen(message)));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "risk", tsb_risk_name(tsb_analysis_risk(a)),
			 "commands", list, "redirections", files(a), "functions", names(a, tsb_analysis_function),
			 "unset", names(a, tsb_analysis_unset), "opaque", opaque(a), "error", error);
}

static struct tsb_analysis *analyze(struct mod_call *c)
{
	struct tsb_analysis *a = NULL;
	const char *text;

	if (!mod_text(c, json_array_get(c->args, 0), "text", SCRIPT_MOST, &text))
		return NULL;
	if (tsb_analyze(text, strlen(text), &a)) {
		mod_error(c, MOD_ERROR "ResourceLimit", "the text is too deep to be analysed");
		return NULL;
	}
	return a;
}

void mod_analyze_shell(struct mod_call *c)
{
	struct tsb_analysis *a = analyze(c);
	json_t *body;

	if (!a)
		return;
	body = all_of(a);
	tsb_analysis_free(a);
	if (body)
		mod_return(c, body);
	else
		mod_error(c, MOD_ERROR "Backend", "no memory");
}

/* One command, and what it runs itself. */
static bool is_one(const struct tsb_analysis *a)
{
	const struct tsb_analyzed_command *c = tsb_analysis_command(a, 0);

	if (!c || tsb_analysis_error(a, NULL))
		return false;
	for (size_t i = 1; (c = tsb_analysis_command(a, i)); i++)
		if (!c->nested)
			return false;
	return true;
}

void mod_analyze_command(struct mod_call *c)
{
	struct tsb_analysis *a = analyze(c);
	json_t *body;

	if (!a)
		return;
	body = is_one(a) ? all_of(a) : NULL;
	tsb_analysis_free(a);
	if (body)
		mod_return(c, body);
	else
		mod_bad(c, "text", "one command is needed; AnalyzeShell takes a script");
}
