/*
 * bind: keys of the line editor. What is bound is kept in the shell (doing.h's bindings: a keymap's letter and the
 * keys; a kind and a text), the editor's own tables are in edit_map.c. Without a terminal it is kept and shown.
 */
#include "shell/builtin/builtin.h"

#include <stdlib.h>
#include <string.h>

#include "shell/edit.h"

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

/* ---- Binding ---- */

/* Of the line editor itself, about a line of its settings; no failure. */
static void bind_readline(struct shell *sh, const char *arg, const char *what)
{
	const char *text = turn_join(sh, turn_join(sh, "readline: ", arg, ": "), what, "\n");

	tsb_write_all(sh->p, 2, text, strlen(text));
}

/* -x: keys in quotes, a colon, a command. 0, or 1 after a message. */
static int bind_command(struct shell *sh, const char *arg, int mode)
{
	const char *end = arg + 1;

	if (*arg != '"') {
		builtin_error(sh, "%s: first non-whitespace character is not `\"'", arg);
		return 1;
	}
	for (; *end && *end != '"'; end++)
		end += *end == '\\' && end[1];
	if (!*end) {
		builtin_error(sh, "no closing `\"' in %s", arg);
		return 1;
	}
	if (end[1] != ':') {
		builtin_error(sh, "%s: missing colon separator", arg);
		return 1;
	}
	edit_bind_line(sh, arg, mode, 'x');
	return 0;
}

static void bind_line(struct shell *sh, const char *arg, int mode)
{
	const char *wrong = edit_bind_line(sh, arg, mode, 'f');

	if (wrong)
		bind_readline(sh, arg, wrong);
}

static void bind_unset(struct shell *sh, int mode, const char *keys, size_t n)
{
	struct str key;
	struct map_entry *e;

	str_init(&key, sh->heap, 4096);
	str_addc(&key, mode);
	str_addn(&key, keys, n);
	e = map_put(&doing(sh)->bindings, key.p, key.n);
	if (e) {
		heap_free(sh->heap, e->value);
		e->value = heap_strdup(sh->heap, "u");
	}
	str_end(&key);
}

static void bind_remove(struct shell *sh, int mode, const char *arg)
{
	struct str keys;

	str_init(&keys, sh->heap, 4096);
	edit_decode_keys(&keys, arg, strlen(arg));
	bind_unset(sh, mode, keys.p, keys.n);
	str_end(&keys);
}

/* ---- Showing ---- */

struct bind_keys {
	struct shell *sh;
	int mode;
	struct str text;	/* of keys, each a length and its bytes */
	VEC(struct slice) at;
};

static struct map_entry *bind_user(struct bind_keys *b, struct slice keys)
{
	struct str key;
	struct map_entry *e;

	str_init(&key, b->sh->heap, 4096);
	str_addc(&key, b->mode);
	str_addn(&key, keys.p, keys.n);
	e = map_find(&doing(b->sh)->bindings, key.p, key.n);
	str_end(&key);
	return e;
}

static int bind_order(const void *x, const void *y)
{
	return slice_cmp(*(const struct slice *)x, *(const struct slice *)y);
}

static void bind_add(struct bind_keys *b, struct slice keys)
{
	struct slice *at = vec_add(b->sh->heap, &b->at);

	if (at)
		*at = (struct slice){ arena_dup(&b->sh->turn, keys.p, keys.n), keys.n };
}

/* Controls that vi types. */
#define BIND_TYPED "\001\002\003\005\006\007\013\014\017\021\030\032\034\035\036"

/* The keys of a function, sorted. */
static void bind_of(struct bind_keys *b, const char *name)
{
	struct slice keys;
	size_t at = 0;

	b->at.n = 0;
	while (edit_fixed(name, b->mode, &at, &keys))
		if (!bind_user(b, keys))
			bind_add(b, keys);
	for (int c = 'A'; !strcmp(name, "do-lowercase-version") && b->mode == 'e' && c <= 'Z'; c++) {
		bind_add(b, (struct slice){ (char[2]){ 24, (char)c }, 2 });
		if (c != 'O')
			bind_add(b, (struct slice){ (char[2]){ 27, (char)c }, 2 });
	}
	for (int c = 1; !strcmp(name, "self-insert") && b->mode != 'c' && c < 256; c++) {
		struct slice one = { (char[1]){ (char)c }, 1 };

		bool usual = (c >= 32 && c != 127) || (b->mode == 'i' && c < 32 && strchr(BIND_TYPED, c));

		if (usual && !bind_user(b, one))
			bind_add(b, one);
	}
	for (struct map_entry *e = NULL; (e = map_next(&doing(b->sh)->bindings, e));) {
		const char *value = e->value;

		if (e->key[0] == b->mode && *value == 'f' && !strcmp(value + 1, name))
			bind_add(b, (struct slice){ e->key + 1, e->len - 1 });
	}
	if (b->at.n)
		qsort(b->at.at, b->at.n, sizeof(*b->at.at), bind_order);
}

static void bind_put_keys(struct bind_keys *b, struct slice keys)
{
	str_reset(&b->text);
	edit_encode_keys(&b->text, keys.p, keys.n);
	if (b->mode == 'i' && slice_is(keys, "\033"))	/* as bash shows a key that others begin with */
		str_adds(&b->text, "\\000");
	putf(b->sh, "\"%s\"", b->text.p);
}

/* -p, as it can be read again; -P, to be read. */
static void bind_functions_of(struct bind_keys *b, bool again)
{
	puts_(b->sh, "\n");
	for (size_t i = 0; bind_functions[i]; i++) {
		const char *name = bind_functions[i];

		bind_of(b, name);
		if (!b->at.n)
			putf(b->sh, again ? "# %s (not bound)\n" : "%s is not bound to any keys\n", name);
		else if (!again)
			putf(b->sh, "%s can be found on ", name);
		for (size_t k = 0; k < b->at.n && (again || k < 5); k++) {
			bind_put_keys(b, b->at.at[k]);
			putf(b->sh, again ? ": %s\n" : k + 1 < b->at.n && k < 4 ? ", " :
			     k == 4 && b->at.n > 5 ? ", ...\n" : ".\n", name);
		}
	}
}

/* -s, -S, -X: macros and commands. */
static void bind_texts(struct bind_keys *b, char kind, bool again)
{
	b->at.n = 0;
	for (struct map_entry *e = NULL; (e = map_next(&doing(b->sh)->bindings, e));)
		if (e->key[0] == b->mode && *(const char *)e->value == kind)
			bind_add(b, (struct slice){ e->key + 1, e->len - 1 });
	if (b->at.n)
		qsort(b->at.at, b->at.n, sizeof(*b->at.at), bind_order);
	for (size_t i = 0; i < b->at.n; i++) {
		struct map_entry *e = bind_user(b, b->at.at[i]);
		const char *text = (const char *)e->value + 1;
		struct str shown;

		str_init(&shown, b->sh->heap, STR_MAX_DEFAULT);
		if (kind == 'm')
			edit_encode_keys(&shown, text, strlen(text));
		for (; kind == 'x' && *text; text++)
			str_addf(&shown, strchr("\"\\", *text) ? "\\%c" : "%c", *text);
		str_reset(&b->text);
		edit_encode_keys(&b->text, b->at.at[i].p, b->at.at[i].n);
		putf(b->sh, again ? "\"%s\": \"%s\"\n" : "%s outputs %s\n", b->text.p, shown.p);
		str_end(&shown);
	}
}

static void bind_settings(struct shell *sh, bool again)
{
	const char *name;
	bool on_off;

	for (size_t i = 0; edit_setting_at(i, &name, &on_off); i++)
		putf(sh, again ? "set %s %s\n" : "%s is set to `%s'\n", name, edit_setting(sh, name));
}

static int bind_query(struct bind_keys *b, const char *name, bool remove)
{
	if (!is_function(name)) {
		builtin_error(b->sh, "`%s': unknown function name", name);
		return 1;
	}
	bind_of(b, name);
	if (remove) {
		for (size_t i = 0; i < b->at.n; i++)
			bind_unset(b->sh, b->mode, b->at.at[i].p, b->at.at[i].n);
		return 0;
	}
	if (!b->at.n) {
		putf(b->sh, "%s is not bound to any keys.\n", name);
		return 1;
	}
	putf(b->sh, "%s can be invoked via ", name);
	for (size_t i = 0; i < b->at.n && i < 5; i++) {
		bind_put_keys(b, b->at.at[i]);
		puts_(b->sh, i == 4 && b->at.n > 5 ? ", ...\n" : i + 1 < b->at.n && i < 4 ? ", " : ".\n");
	}
	return 0;
}

/* ---- The command ---- */

static int bind_keymap(struct shell *sh, const char *name, int *mode)
{
	static const struct { const char *name; int mode; } maps[] = {
		{ "emacs", 'e' }, { "emacs-standard", 'e' }, { "emacs-meta", 'e' }, { "emacs-ctlx", 'e' },
		{ "vi", 'c' }, { "vi-move", 'c' }, { "vi-command", 'c' }, { "vi-insert", 'i' },
	};

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		if (!strcasecmp(maps[i].name, name)) {
			*mode = maps[i].mode;
			return 0;
		}
	builtin_error(sh, "`%s': invalid keymap name", name);
	return 1;
}

static int bind_file(struct shell *sh, const char *name)
{
	int rc = tsb_access(sh->p, name, TSB_R_OK);

	if (rc < 0) {
		builtin_error(sh, "%s: cannot read: %s", name, tsb_strerror(rc));
		return 1;
	}
	inputrc_read(sh, name);
	return 0;
}

static int bind_option(struct bind_keys *b, int c, const char *arg)
{
	struct shell *sh = b->sh;

	switch (c) {
	case 'm': return bind_keymap(sh, arg, &b->mode);
	case 'f': return bind_file(sh, arg);
	case 'l':
		for (size_t i = 0; bind_functions[i]; i++)
			putf(sh, "%s\n", bind_functions[i]);
		return 0;
	case 'v': case 'V': bind_settings(sh, c == 'v'); return 0;
	case 'x': return bind_command(sh, arg, b->mode);
	case 'X': bind_texts(b, 'x', true); return 0;
	case 's': case 'S': bind_texts(b, 'm', c == 's'); return 0;
	case 'p': case 'P': bind_functions_of(b, c == 'p'); return 0;
	case 'r': bind_remove(sh, b->mode, arg); return 0;
	default: return bind_query(b, arg, c == 'u');
	}
}

int builtin_bind(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct bind_keys b = { .sh = sh, .mode = sh->opts[OPT_VI] ? 'i' : 'e' };
	struct bopt o;
	int status = 0;

	(void)flow;
	if (!sh->opts[OPT_EMACS] && !sh->opts[OPT_VI])
		builtin_error(sh, "warning: line editing not enabled");
	str_init(&b.text, sh->heap, STR_MAX_DEFAULT);
	if (sh->prompts && !prompting(sh)->inputrc_read)
		inputrc_read(sh, NULL);
	bopt_init(&o, sh, argc, argv);
	for (int c; !status && (c = bopt_next(&o, "lvpVPsSXf:q:u:m:r:x:"));) {
		if (c < 0)
			return STATUS_USAGE;
		status = bind_option(&b, c, o.arg);
	}
	for (int i = o.at; i < argc; i++)
		bind_line(sh, argv[i], b.mode);
	str_end(&b.text);
	vec_end(sh->heap, &b.at);
	return status;
}
