/*
 * bash -D and --pretty-print: a script is read, and shown, but not run.
 */
#include "shell/doing.h"

#include <string.h>

#include "lang/print.h"

/* ---- -D, --dump-strings, --dump-po-strings ---- */

/* A text as a string of a .po file; lines of it as strings of their own. */
static void put_po(struct shell *sh, const char *text, size_t n)
{
	puts_(sh, memchr(text, '\n', n) ? "msgid \"\"\n\"" : "msgid \"");
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n')
			puts_(sh, "\\n\"\n\"");
		else if (text[i] == '"' || text[i] == '\\')
			putf(sh, "\\%c", text[i]);
		else
			put(sh, text + i, 1);
	}
	puts_(sh, "\"\nmsgstr \"\"\n");
}

/* The parser found $"text". */
static void show_string(void *ctx, uint32_t line, const char *text, size_t n)
{
	struct shell *sh = ctx;

	if (doing(sh)->dump == DUMP_PO) {
		putf(sh, "#: %s:%u\n", sh->command_string ? "-c" : sh->arg0, line);
		put_po(sh, text, n);
	} else {
		puts_(sh, "\"");
		put(sh, text, n);
		puts_(sh, "\"\n");
	}
	put_flush(sh);
}

void translations_wanted(struct shell *sh, struct parse_options *opt)
{
	if (doing(sh)->dump != DUMP_NONE)
		opt->string = show_string;
}

/* ---- --pretty-print ---- */

/* Is there an empty line before the command that begins behind this place? */
static bool blank_before(const char *text, size_t from, size_t end)
{
	for (; from < end; from++) {
		if (text[from] == '\n')
			return true;
		if (text[from] == '#')
			while (from < end && text[from] != '\n')
				from++;
		else if (text[from] != ' ' && text[from] != '\t')
			return false;
	}
	return false;
}

enum flow show_pretty(struct shell *sh, const char *text, size_t n)
{
	struct parse_options opt = shell_parse_options(sh, sh->arg0, 1);
	struct parse_error err = { .line = 0 };
	struct parse_lines l;
	struct script *s;

	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	if (parse_lines_begin(&l, doing(sh)->script_heap, text, n, &opt, &err)) {
		for (size_t from = 0; (s = parse_lines_next(&l, &opt, &err)); from = l.pos) {
			if (s->body && blank_before(text, from, l.pos))
				puts_(sh, "\n");
			if (s->body)
				print_node_posix(&doing(sh)->out, s->body, true);
			puts_(sh, "\n");
			script_drop(s);
			put_flush(sh);
		}
		if (!err.failed)
			puts_(sh, "\n");
		script_drop(l.source);
	}
	sh->status = 0;
	if (err.failed) {
		parse_message(sh, &err, NULL);
		sh->status = 1;
	}
	put_flush(sh);
	str_end(&err.message);
	str_end(&err.detail);
	return FLOW_NEXT;
}
