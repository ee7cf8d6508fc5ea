/*
 * Static analysis: its life, and what is asked of it. The text is read line by
 * line as the shell reads it, so that an error below does not hide what bash
 * would have run above.
 */
#include "sandbox/analyze/analysis.h"

#include <stdlib.h>
#include <string.h>

#include <tinysandbox/sandbox.h>

/* Jumps out of the walk: all that it holds is in the heap. */
static void no_memory(void *ctx, size_t wanted)
{
	struct tsb_analysis *a = ctx;

	(void)wanted;
	longjmp(a->no_memory, 1);
}

void analyze_risk(struct tsb_analysis *a, enum tsb_risk risk)
{
	if (risk > a->risk)
		a->risk = risk;
}

void analyze_opaque(struct tsb_analysis *a, uint32_t line, struct slice text, const char *reason)
{
	*vec_add(a->heap, &a->opaque) = (struct tsb_analyzed_opaque){
		line, arena_dup(&a->arena, text.p, text.n), reason };
}

/* ---- Texts ---- */

static struct parse_options options_at(uint32_t line)
{
	struct tsb_limits limits;

	tsb_limits_default(&limits);
	return (struct parse_options){ .name = "bash", .line = line,
		.depth_max = (unsigned)limits.parse_depth, .source_max = (size_t)limits.source_bytes };
}

/* Parses and walks; false and *err: there is an error. */
static bool walk_text(struct tsb_analysis *a, struct slice text, uint32_t line,
		      struct parse_error *err)
{
	struct parse_options opt = options_at(line);
	struct parse_lines l;
	struct script *s;

	if (!parse_lines_begin(&l, a->heap, text.p, text.n, &opt, err))
		return false;
	while ((s = parse_lines_next(&l, &opt, err))) {
		*vec_add(a->heap, &a->scripts) = s;
		analyze_node(a, s->body);
	}
	return !err->failed;
}

static void error_init(struct tsb_analysis *a, struct parse_error *err)
{
	memset(err, 0, sizeof(*err));
	str_init(&err->message, a->heap, STR_MAX_DEFAULT);
	str_init(&err->detail, a->heap, STR_MAX_DEFAULT);
}

void analyze_text(struct tsb_analysis *a, struct slice text, uint32_t line)
{
	struct parse_error err;

	if (a->depth >= ANALYZE_DEPTH) {
		analyze_opaque(a, line, text, "commands in commands in commands: too deep to follow");
		a->anything_set = true;
		return;
	}
	error_init(a, &err);
	a->depth++;
	a->texts++;
	if (!walk_text(a, text, line, &err))
		analyze_opaque(a, line, text, "this text is not a script: it has a syntax error");
	a->texts--;
	a->depth--;
}

static void analyze_all(struct tsb_analysis *a, struct slice text)
{
	struct parse_error err;

	error_init(a, &err);
	if (!walk_text(a, text, 1, &err)) {
		a->error = err.message.p;
		a->error_line = err.line;
	}
	analyze_rest(a);
}

/* ---- Life ---- */

static struct tsb_analysis *analysis_new(void)
{
	struct tsb_analysis *a = calloc(1, sizeof(*a));
	struct tsb_limits limits;

	if (!a)
		return NULL;
	tsb_limits_default(&limits);
	a->budget.max = (size_t)limits.memory_bytes;
	a->heap = heap_new(&a->budget, NULL, no_memory, a);
	if (!a->heap) {
		free(a);
		return NULL;
	}
	arena_init(&a->arena, a->heap);
	map_init(&a->bodies, a->heap);
	map_init(&a->set, a->heap);
	map_init(&a->told, a->heap);
	return a;
}

/* setjmp() in a function of its own, because of what it does to variables. */
static bool analyze_guarded(struct tsb_analysis *a, struct slice text)
{
	if (setjmp(a->no_memory))
		return false;
	variables_begin(a);
	analyze_all(a, text);
	return true;
}

int tsb_analyze(const void *script, size_t size, struct tsb_analysis **out)
{
	struct tsb_analysis *a;

	if (!script || !out)
		return TSB_ERR_ARGUMENT;
	*out = NULL;
	a = analysis_new();
	if (!a)
		return TSB_ERR_MEMORY;
	if (!analyze_guarded(a, (struct slice){ script, size })) {
		tsb_analysis_free(a);
		return TSB_ERR_MEMORY;
	}
	*out = a;
	return TSB_OK;
}

void tsb_analysis_free(struct tsb_analysis *a)
{
	if (!a)
		return;
	heap_end(a->heap);
	free(a);
}

/* ---- What is asked ---- */

enum tsb_risk tsb_analysis_risk(const struct tsb_analysis *a)
{
	return a->risk;
}

const char *tsb_risk_name(enum tsb_risk risk)
{
	static const char *const names[] = { "read", "write", "network", "install", "destructive" };

	return (unsigned)risk < sizeof(names) / sizeof(*names) ? names[risk] : "unknown";
}

const char *tsb_command_kind_name(enum tsb_command_kind kind)
{
	static const char *const names[] = { "program", "builtin", "function", "unknown", "computed" };

	return (unsigned)kind < sizeof(names) / sizeof(*names) ? names[kind] : "unknown";
}

const char *tsb_file_use_name(enum tsb_file_use use)
{
	static const char *const names[] = { "read", "write", "append", "readwrite" };

	return (unsigned)use < sizeof(names) / sizeof(*names) ? names[use] : "unknown";
}

const struct tsb_analyzed_command *tsb_analysis_command(const struct tsb_analysis *a, size_t i)
{
	return i < a->commands.n ? &a->commands.at[i] : NULL;
}

const struct tsb_analyzed_file *tsb_analysis_file(const struct tsb_analysis *a, size_t i)
{
	return i < a->files.n ? &a->files.at[i] : NULL;
}

const struct tsb_analyzed_name *tsb_analysis_function(const struct tsb_analysis *a, size_t i)
{
	return i < a->functions.n ? &a->functions.at[i] : NULL;
}

const struct tsb_analyzed_name *tsb_analysis_unset(const struct tsb_analysis *a, size_t i)
{
	return i < a->unset.n ? &a->unset.at[i] : NULL;
}

const struct tsb_analyzed_opaque *tsb_analysis_opaque(const struct tsb_analysis *a, size_t i)
{
	return i < a->opaque.n ? &a->opaque.at[i] : NULL;
}

const char *tsb_analysis_error(const struct tsb_analysis *a, uint32_t *line)
{
	if (line)
		*line = a->error ? a->error_line : 0;
	return a->error;
}
