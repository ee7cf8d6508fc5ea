/*
 * What is around a parse: the text's copy, the script's life, the end when
 * memory ends; and the parse of single words instead of scripts.
 */
#include "lang/parser.h"

struct slice text_dup(struct parser *ps)
{
	/* A text that could not grow is short, not wrong: end. */
	mem_check(ps->mem, ps->text.bad ? NULL : ps);
	return (struct slice){ mem_dup(ps->mem, ps->text.p, ps->text.n), ps->text.n };
}

/* Copies the text, a NUL behind; bash ignores NULs in scripts. */
static void parse_copy_text(struct script *script, char *copy, const char *text, size_t n)
{
	size_t used = 0;

	if (!n || !memchr(text, '\0', n)) {
		if (n)
			memcpy(copy, text, n);
		used = n;
	} else {
		for (size_t i = 0; i < n; i++)
			if (text[i])
				copy[used++] = text[i];
	}
	copy[used] = '\0';
	script->text = copy;
	script->n = script->end = used;
}

static void parse_report(struct parser *ps, struct parse_error *err)
{
	const struct failure *f = &ps->failure;

	str_adds(&err->message, f->message);
	str_addslice(&err->detail, f->detail);
	err->line = f->line;
	err->detail_line = f->detail_line ? f->detail_line : f->line;
	err->pos = f->pos;
	err->incomplete = f->incomplete;
	err->limit = f->limit;
	err->too_long = f->too_long;
	err->as_end = f->as_end;
	err->in_token = f->in_token;
	err->scope = f->scope;
	err->failed = true;
}

static void parse_init(struct parser *ps, struct lang_memory *mem, struct tsb_heap *heap,
		       const struct parse_options *opt)
{
	memset(ps, 0, sizeof(*ps));
	ps->mem = mem;
	ps->heap = heap;
	ps->opt = opt;
	ps->depth_max = opt->depth_max;
	ps->extglob = ps->extglob_next = opt->extglob;
	ps->posix = opt->posix;
	ps->here_tail = &ps->here;
	ps->warnings_tail = &ps->warnings;
	ps->expand_aliases = ps->expand_aliases_next = opt->alias != NULL;
	ps->alias_commands_tail = &ps->alias_commands;
	ps->in.line = opt->line ? opt->line : 1;
	str_init(&ps->text, heap, STR_MAX_DEFAULT);
	str_init(&ps->message, heap, STR_MAX_DEFAULT);
}

static void parse_end_scratch(struct parser *ps)
{
	str_end(&ps->text);
	str_end(&ps->message);
	vec_end(ps->heap, &ps->closers);
	if (ps->aliases.heap)
		map_end(&ps->aliases);
}

static void parse_take_text(struct parser *ps, const char *text, size_t n)
{
	const struct parse_options *opt = ps->opt;
	struct script *script = ps->script;

	if (n > opt->source_max) {
		parse_fail(ps, 1, 0, "source of %zu bytes exceeds the limit source_bytes (%zu)", n,
			   opt->source_max);
		ps->failure.limit = ps->failure.too_long = true;
		return;
	}
	ps->in.s = mem_alloc(ps->mem, n + 1);
	parse_copy_text(script, ps->in.s, text, n);
	ps->in.end = script->n;
}

/* The source's text is nobody else's while it is read, so cuts in it do no harm. */
static void parse_take_line(struct parser *ps, const struct parse_lines *l)
{
	struct script *script = ps->script;

	script->source = script_ref(l->source);
	script->text = l->source->text;
	script->n = l->source->n;
	script->pos = script->end = l->pos;
	ps->in.s = (char *)(uintptr_t)script->text;
	ps->in.end = script->n;
	ps->in.pos = ps->in.line_at = l->pos;
	ps->in.line_to = 0;
	ps->in.line = l->line;
	ps->lines = l;
}

static void parse_text(struct parser *ps, struct parse_text text, void (*body)(struct parser *ps))
{
	const struct parse_options *opt = ps->opt;

	ps->script->name = mem_dup(ps->mem, opt->name, strlen(opt->name));
	if (text.lines)
		parse_take_line(ps, text.lines);
	else
		parse_take_text(ps, text.p, text.n);
	if (!ps->failed)
		body(ps);
}

/* The same, and back here when memory ends: setjmp() in a function of its own,
 * because of what it does to variables. */
static void parse_guarded(struct parser *ps, struct parse_text text,
			  void (*body)(struct parser *ps))
{
	if (!setjmp(ps->mem->out)) {
		parse_text(ps, text, body);
		return;
	}
	ps->failure = (struct failure){ .message = MEM_OUT_OF, .line = 1, .limit = true };
	ps->failed = true;
}

/* It is the first thing in its own arena: one block of the heap for most lines. */
static struct script *script_new(struct tsb_heap *heap)
{
	struct script *script;
	struct arena arena;

	arena_init(&arena, heap);
	script = ARENA_NEW(&arena, struct script);
	if (!script)
		return NULL;
	script->heap = heap;
	script->refs = 1;
	script->arena = arena;
	return script;
}

struct script *parse_text_script(struct tsb_heap *heap, const char *text, size_t n,
				 const char *name)
{
	struct script *script = n < SIZE_MAX ? script_new(heap) : NULL;
	char *copy;

	if (!script)
		return NULL;
	script->name = arena_dup(&script->arena, name, strlen(name));
	copy = arena_alloc(&script->arena, n + 1);
	if (!script->name || !copy) {
		script_drop(script);
		return NULL;
	}
	parse_copy_text(script, copy, text, n);
	return script;
}

/* Newlines from where the lines are to `end`. */
static uint32_t lines_between(const struct parse_lines *l, size_t end)
{
	uint32_t n = 0;

	for (size_t i = l->pos; i < end; i++)
		n += l->source->text[i] == '\n';
	return n;
}

struct script *parse_run(struct tsb_heap *heap, struct parse_text text,
			 const struct parse_options *opt, struct parse_error *err,
			 void (*body)(struct parser *ps))
{
	struct script *script = script_new(heap);
	struct lang_memory mem;
	struct parser ps;

	if (!script) {
		str_adds(&err->message, MEM_OUT_OF);
		err->limit = err->failed = true;
		return NULL;
	}
	mem.arena = &script->arena;
	parse_init(&ps, &mem, heap, opt);
	ps.script = script;
	parse_guarded(&ps, text, body);
	script->warnings = ps.warnings;
	if (text.lines && !ps.failed) {
		if (ps.in.below)	/* in an alias: counted again */
			text.lines->line += lines_between(text.lines, script->end);
		else
			text.lines->line = lex_line(&ps, script->end);
		text.lines->pos = script->end;
	}
	parse_end_scratch(&ps);
	if (!ps.failed)
		return script;
	for (struct parse_warning *w = ps.warnings; w && opt->warn; w = w->next)
		opt->warn(opt->ctx, w->line, w->message);
	parse_report(&ps, err);
	script_drop(script);
	return NULL;
}

/* ---- Single words ---- */

/* A word of all of the text, as script->word. */
static void parse_plain_word(struct parser *ps)
{
	struct parts parts;

	parts_init(&parts);
	word_unquoted(ps, &parts, STOP_END, 0);
	if (!ps->failed)
		ps->script->word = word_from_parts(ps, &parts, 0);
}

static void parse_string_word(struct parser *ps)
{
	struct parts parts, inner;
	struct part *string;

	parts_init(&parts);
	parts_init(&inner);
	string = parts_add(ps, &parts, PART_DOUBLE);
	word_quoted(ps, &inner, QUOTED_PROMPT);
	string->parts = inner.first;
	parts.flags = inner.flags | WORD_QUOTED;
	if (!ps->failed)
		ps->script->word = word_from_parts(ps, &parts, 0);
}

struct word *parse_word_text(struct tsb_heap *heap, const char *text, size_t n, bool double_quoted,
			     const struct parse_options *opt, struct script **owner,
			     struct parse_error *err)
{
	struct script *script = parse_run(heap, (struct parse_text){ text, n, NULL }, opt, err,
					  double_quoted ? parse_string_word : parse_plain_word);

	if (!script)
		return NULL;
	*owner = script;
	return script->word;
}

/* Has no script: only what the arena holds. An error gives the text as it is. */
struct word *parse_subscript_text(struct lang_memory *mem, const char *s, size_t n,
				  unsigned depth_max)
{
	static const struct parse_options opt = { .name = "" };
	struct parser ps;
	struct parts parts;
	struct word *w;

	parse_init(&ps, mem, mem->arena->heap, &opt);
	ps.depth_max = depth_max;
	ps.in.s = mem_dup(mem, s, n);
	ps.in.end = n;
	ps.in.foreign = true;
	parts_init(&parts);
	word_unquoted(&ps, &parts, STOP_END, LEX_PLAIN);
	if (ps.failed) {
		ps.failed = false;
		parts_init(&parts);
		parts_text(&ps, &parts, 0, n);
	}
	w = word_from_parts(&ps, &parts, 0);
	parse_end_scratch(&ps);
	return w;
}

/* ---- Scripts ---- */

struct script *script_ref(struct script *s)
{
	s->refs++;
	return s;
}

void script_drop(struct script *s)
{
	while (s && !--s->refs) {
		struct script *source = s->source;
		struct arena arena = s->arena;	/* the script itself is in it */

		arena_end(&arena);
		s = source;
	}
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
