/*
 * What is around a parse: the text's copy, the script's life, and the parse of
 * single words instead of scripts.
 */
#include "lang/parser.h"

/* Copies the text; bash ignores NULs in scripts. */
static char *parse_copy_text(struct arena *arena, const char *text, size_t *n)
{
	char *copy = arena_alloc(arena, *n + 1);
	size_t used = 0;

	if (!memchr(text, '\0', *n)) {
		memcpy(copy, text, *n);
		used = *n;
	} else {
		for (size_t i = 0; i < *n; i++)
			if (text[i])
				copy[used++] = text[i];
	}
	copy[used] = '\0';
	*n = used;
	return copy;
}

void parse_report(struct parser *ps, struct parse_error *err)
{
	const struct failure *f = &ps->failure;

	str_adds(&err->message, f->message);
	str_addslice(&err->detail, f->detail);
	err->line = f->line;
	err->detail_line = f->detail_line ? f->detail_line : f->line;
	err->pos = f->pos;
	err->incomplete = f->incomplete;
	err->limit = f->limit;
}

/* A script without a body, and the parser for it. */
struct script *parse_begin(struct parser *ps, struct tsb_heap *heap, const char *text,
				  size_t n, const struct parse_options *opt)
{
	struct script *script = heap_zalloc(heap, sizeof(*script));

	script->heap = heap;
	script->refs = 1;
	arena_init(&script->arena, heap);
	if (n > opt->source_max)
		n = 0;
	script->text = parse_copy_text(&script->arena, n ? text : "", &n);
	script->n = n;
	script->name = arena_dup(&script->arena, opt->name, strlen(opt->name));
	memset(ps, 0, sizeof(*ps));
	ps->script = script;
	ps->heap = heap;
	ps->arena = &script->arena;
	ps->opt = opt;
	ps->depth_max = opt->depth_max;
	ps->extglob = ps->extglob_next = opt->extglob;
	ps->posix = opt->posix;
	ps->here_tail = &ps->here;
	ps->warnings_tail = &script->warnings;
	ps->in.s = (char *)(uintptr_t)script->text;
	ps->in.end = n;
	ps->in.line = opt->line ? opt->line : 1;
	ps->expand_aliases = ps->expand_aliases_next = opt->alias != NULL;
	ps->alias_commands_tail = &ps->alias_commands;
	str_init(&ps->text, heap, STR_MAX_DEFAULT);
	return script;
}

void parse_done(struct parser *ps)
{
	str_end(&ps->text);
	vec_end(ps->heap, &ps->closers);
	if (ps->aliases.heap)
		map_end(&ps->aliases);
}

void parse_too_long(struct parser *ps, size_t n)
{
	parse_fail(ps, 1, 0, "source of %zu bytes exceeds the limit source_bytes (%zu)", n,
		   ps->opt->source_max);
	ps->failure.limit = true;
}

/* A word of all of the text. */
static struct word *parse_whole_word(struct parser *ps, bool double_quoted)
{
	struct parts parts;

	parts_init(&parts);
	if (!double_quoted) {
		word_unquoted(ps, &parts, STOP_END, 0);
	} else {
		struct part *string = parts_add(ps, &parts, PART_DOUBLE);
		struct parts inner;

		parts_init(&inner);
		word_quoted(ps, &inner, QUOTED_PROMPT);
		string->parts = inner.first;
		parts.flags = inner.flags | WORD_QUOTED;
	}
	return ps->failed ? NULL : word_from_parts(ps, &parts, 0);
}

struct word *parse_word_text(struct tsb_heap *heap, const char *text, size_t n, bool double_quoted,
			     const struct parse_options *opt, struct script **owner,
			     struct parse_error *err)
{
	struct parser ps;
	struct script *script = parse_begin(&ps, heap, text, n, opt);
	struct word *word = NULL;

	if (n > opt->source_max)
		parse_too_long(&ps, n);
	else
		word = parse_whole_word(&ps, double_quoted);
	parse_done(&ps);
	if (word) {
		*owner = script;
		return word;
	}
	parse_report(&ps, err);
	script_drop(script);
	return NULL;
}

/* Has no script: only what the arena holds. An error gives the text as it is. */
struct word *parse_subscript_text(struct arena *arena, const char *s, size_t n, unsigned depth_max)
{
	static const struct parse_options opt = { .name = "" };
	struct parser ps;
	struct parts parts;
	struct word *w;

	memset(&ps, 0, sizeof(ps));
	ps.heap = arena->heap;
	ps.arena = arena;
	ps.opt = &opt;
	ps.depth_max = depth_max;
	ps.here_tail = &ps.here;
	ps.warnings_tail = &ps.warnings;
	ps.in.s = arena_dup(arena, s, n);
	ps.in.end = n;
	ps.in.line = 1;
	ps.in.foreign = true;
	str_init(&ps.text, ps.heap, STR_MAX_DEFAULT);
	parts_init(&parts);
	word_unquoted(&ps, &parts, STOP_END, LEX_PLAIN);
	if (ps.failed) {
		ps.failed = false;
		parts_init(&parts);
		parts_text(&ps, &parts, 0, n);
	}
	w = word_from_parts(&ps, &parts, 0);
	parse_done(&ps);
	return w;
}

struct script *script_ref(struct script *s)
{
	s->refs++;
	return s;
}

void script_drop(struct script *s)
{
	if (!s || --s->refs)
		return;
	arena_end(&s->arena);
	heap_free(s->heap, s);
}

bool parse_is_name(const char *s, size_t n)
{
	if (!n || !lex_is(s[0], C_NAME) || lex_is(s[0], C_DIGIT))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!lex_is(s[i], C_NAME))
			return false;
	return true;
}
