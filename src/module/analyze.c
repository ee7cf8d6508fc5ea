/*
 * What a script or a command would do, told without running it: the facts of <tinysandbox/analyze.h>, as
 * `tinysandbox --analyze` prints them. What is to come of them the host decides.
 */
#include "module/module.h"

#include <string.h>

#include "module/analysis.h"

#define SCRIPT_MOST (1u << 20)

/* What is no UTF-8 is shown, not kept. */
static json_t *text_of(const void *text, size_t n)
{
	json_t *value = json_stringn(text, n);
	const unsigned char *bytes = text;

	if (value)
		return value;
	value = json_array();
	for (size_t k = 0; k < n; k++)
		json_array_append_new(value, json_integer(bytes[k]));
	return value;
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
	body = analysis_json(a, text_of);
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
	body = is_one(a) ? analysis_json(a, text_of) : NULL;
	tsb_analysis_free(a);
	if (body)
		mod_return(c, body);
	else
		mod_bad(c, "text", "one command is needed; AnalyzeShell takes a script");
}
