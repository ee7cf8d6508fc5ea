/*
 * bind. There is no line editor to do what is bound, so nothing is bound but
 * what a script binds; that is kept and shown. The names of the functions are
 * those a script may ask for (bind -l, compgen -A binding).
 */
#include "shell/builtin/builtin.h"

#include <string.h>

const char *const bind_functions[] = {
	"abort", "accept-line", "alias-expand-line", "arrow-key-prefix", "backward-byte",
	"backward-char", "backward-delete-char", "backward-kill-line", "backward-kill-word",
	"backward-word", "beginning-of-history", "beginning-of-line", "bracketed-paste-begin",
	"call-last-kbd-macro", "capitalize-word", "character-search",
	"character-search-backward", "clear-display", "clear-screen", "complete",
	"complete-command", "complete-filename", "complete-hostname", "complete-into-braces",
	"complete-username", "complete-variable", "copy-backward-word", "copy-forward-word",
	"copy-region-as-kill", "dabbrev-expand", "delete-char", "delete-char-or-list",
	"delete-horizontal-space", "digit-argument", "display-shell-version",
	"do-lowercase-version", "downcase-word", "dump-functions", "dump-macros",
	"dump-variables", "dynamic-complete-history", "edit-and-execute-command",
	"emacs-editing-mode", "end-kbd-macro", "end-of-history", "end-of-line",
	"exchange-point-and-mark", "fetch-history", "forward-backward-delete-char",
	"forward-byte", "forward-char", "forward-search-history", "forward-word",
	"glob-complete-word", "glob-expand-word", "glob-list-expansions",
	"history-and-alias-expand-line", "history-expand-line", "history-search-backward",
	"history-search-forward", "history-substring-search-backward",
	"history-substring-search-forward", "insert-comment", "insert-completions",
	"insert-last-argument", "kill-line", "kill-region", "kill-whole-line", "kill-word",
	"magic-space", "menu-complete", "menu-complete-backward", "next-history",
	"next-screen-line", "non-incremental-forward-search-history",
	"non-incremental-forward-search-history-again",
	"non-incremental-reverse-search-history",
	"non-incremental-reverse-search-history-again", "old-menu-complete",
	"operate-and-get-next", "overwrite-mode", "possible-command-completions",
	"possible-completions", "possible-filename-completions",
	"possible-hostname-completions", "possible-username-completions",
	"possible-variable-completions", "previous-history", "previous-screen-line",
	"print-last-kbd-macro", "quoted-insert", "re-read-init-file", "redraw-current-line",
	"reverse-search-history", "revert-line", "self-insert", "set-mark",
	"shell-backward-kill-word", "shell-backward-word", "shell-expand-line",
	"shell-forward-word", "shell-kill-word", "shell-transpose-words", "skip-csi-sequence",
	"spell-correct-word", "start-kbd-macro", "tab-insert", "tilde-expand",
	"transpose-chars", "transpose-words", "tty-status", "undo", "universal-argument",
	"unix-filename-rubout", "unix-line-discard", "unix-word-rubout", "upcase-word",
	"vi-append-eol", "vi-append-mode", "vi-arg-digit", "vi-bWord", "vi-back-to-indent",
	"vi-backward-bigword", "vi-backward-word", "vi-bword", "vi-change-case",
	"vi-change-char", "vi-change-to", "vi-char-search", "vi-column", "vi-complete",
	"vi-delete", "vi-delete-to", "vi-eWord", "vi-edit-and-execute-command",
	"vi-editing-mode", "vi-end-bigword", "vi-end-word", "vi-eof-maybe", "vi-eword",
	"vi-fWord", "vi-fetch-history", "vi-first-print", "vi-forward-bigword",
	"vi-forward-word", "vi-fword", "vi-goto-mark", "vi-insert-beg", "vi-insertion-mode",
	"vi-match", "vi-movement-mode", "vi-next-word", "vi-overstrike",
	"vi-overstrike-delete", "vi-prev-word", "vi-put", "vi-redo", "vi-replace", "vi-rubout",
	"vi-search", "vi-search-again", "vi-set-mark", "vi-subst", "vi-tilde-expand",
	"vi-undo", "vi-unix-word-rubout", "vi-yank-arg", "vi-yank-pop", "vi-yank-to", "yank",
	"yank-last-arg", "yank-nth-arg", "yank-pop",
	NULL
};

static bool is_function(const char *name)
{
	for (size_t i = 0; bind_functions[i]; i++)
		if (!strcmp(bind_functions[i], name))
			return true;
	return false;
}

/* A binding's value: 'x' command, 'f' function or 'm' macro, then its text. */
static void bind_store(struct shell *sh, const char *keys, size_t n, char kind, const char *text)
{
	struct map_entry *e = map_put(&doing(sh)->bindings, keys, n);
	char *value;

	if (!e)
		return;
	heap_free(sh->heap, e->value);
	value = heap_alloc(sh->heap, strlen(text) + 2);
	value[0] = kind;
	memcpy(value + 1, text, strlen(text) + 1);
	e->value = value;
}

/* Of the line editor itself, about a line of its settings; no failure. */
static int bind_readline(struct shell *sh, const char *arg, const char *what)
{
	char *text = turn_join(sh, "readline: ", arg, what);

	tsb_write_all(sh->p, 2, text, strlen(text));
	return 0;
}

/* "keys":text, keys in double quotes. 0, or 1 after a message. */
static int bind_parse(struct shell *sh, const char *arg, char kind)
{
	const char *whole = arg, *end, *text;

	if (*arg != '"') {
		end = strchr(arg, ':');
		if (kind == 'x') {
			builtin_error(sh, "%s: first non-whitespace character is not `\"'", arg);
			return 1;
		}
		if (!end && !*arg)
			return 0;
		if (!end)
			return bind_readline(sh, arg, ": no key sequence terminator\n");
		text = end + 1;
	} else {
		for (end = ++arg; *end && *end != '"'; end++)
			if (*end == '\\' && end[1])
				end++;
		if (kind != 'x' && (!*end || end[1] != ':'))
			return bind_readline(sh, whole, *end ? ": no key sequence terminator\n" :
					     ": no closing `\"' in key binding\n");
		if (!*end || end[1] != ':') {
			if (!*end)
				builtin_error(sh, "no closing `\"' in %s", whole);
			else
				builtin_error(sh, "%s: missing colon separator", whole);
			return 1;
		}
		text = end + 2;
	}
	text += strspn(text, " \t");
	if (kind == 'f' && *text == '"')
		kind = 'm';
	bind_store(sh, arg, (size_t)(end - arg), kind, text);
	return 0;
}

static void bind_remove_function(struct shell *sh, const char *name)
{
	struct map *m = &doing(sh)->bindings;

	for (struct map_entry *e = NULL; (e = map_next(m, e));) {
		const char *value = e->value;

		if (value[0] == 'f' && !strcmp(value + 1, name))
			map_remove(m, e->key, e->len);
	}
}

static int bind_query(struct shell *sh, const char *name, bool remove)
{
	bool any = false;

	if (!is_function(name)) {
		builtin_error(sh, "`%s': unknown function name", name);
		return 1;
	}
	if (remove) {
		bind_remove_function(sh, name);
		return 0;
	}
	for (struct map_entry *e = NULL; (e = map_next(&doing(sh)->bindings, e));) {
		const char *value = e->value;

		if (value[0] != 'f' || strcmp(value + 1, name))
			continue;
		if (!any)
			putf(sh, "%s can be invoked via ", name);
		putf(sh, "%s\"%s\"", any ? ", " : "", e->key);
		any = true;
	}
	puts_(sh, any ? ".\n" : "");
	if (!any)
		putf(sh, "%s is not bound to any keys.\n", name);
	return !any;
}

/* -X, -s, -p: the bindings of one kind, as they can be read again. */
static void bind_list(struct shell *sh, char kind)
{
	for (struct map_entry *e = NULL; (e = map_next(&doing(sh)->bindings, e));) {
		const char *value = e->value;

		if (value[0] != kind)
			continue;
		if (kind == 'x')
			putf(sh, "\"%s\": \"%s\"\n", e->key, value + 1);
		else
			putf(sh, "\"%s\": %s\n", e->key, value + 1);
	}
}

static int bind_option(struct shell *sh, int c, const char *arg)
{
	switch (c) {
	case 'l':
		for (size_t i = 0; bind_functions[i]; i++)
			putf(sh, "%s\n", bind_functions[i]);
		return 0;
	case 'x':
		return bind_parse(sh, arg, 'x');
	case 'X':
		bind_list(sh, 'x');
		return 0;
	case 's':
	case 'S':
		bind_list(sh, 'm');
		return 0;
	case 'p':
	case 'P':
		bind_list(sh, 'f');
		return 0;
	case 'r':
		map_remove(&doing(sh)->bindings, arg, strlen(arg));
		return 0;
	case 'q':
	case 'u':
		return bind_query(sh, arg, c == 'u');
	default:
		builtin_error(sh, "-%c: there is no line editor", c);
		return 1;
	}
}

int builtin_bind(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct bopt o;
	int status = 0;

	(void)flow;
	builtin_error(sh, "warning: line editing not enabled");
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "lvpVPsSXf:q:u:m:r:x:"));) {
		if (c < 0)
			return STATUS_USAGE;
		status |= bind_option(sh, c, o.arg);
	}
	for (int i = o.at; i < argc; i++)
		status |= bind_parse(sh, argv[i], 'f');
	return status;
}
