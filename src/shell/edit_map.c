/* Which key does what: bash's own tables for Emacs and vi, and above them what `bind` and ~/.inputrc say. */
#include "shell/edit.h"

#include <string.h>

/* ---- Functions by their names ---- */

static const struct { const char *name; edit_fn *fn; } edit_names[] = {
	{ "abort", edit_abort }, { "accept-line", edit_accept }, { "backward-char", edit_backward_char },
	{ "backward-delete-char", edit_rubout }, { "backward-kill-line", edit_kill_to_begin },
	{ "backward-kill-word", edit_rubout_word }, { "backward-word", edit_backward_word },
	{ "backward-byte", edit_backward_char }, { "forward-byte", edit_forward_char },
	{ "beginning-of-history", edit_oldest }, { "beginning-of-line", edit_line_begin },
	{ "bracketed-paste-begin", edit_paste }, { "call-last-kbd-macro", edit_macro_call },
	{ "capitalize-word", edit_capitalize }, { "character-search", edit_find_forward },
	{ "character-search-backward", edit_find_backward }, { "clear-display", edit_clear },
	{ "clear-screen", edit_clear }, { "redraw-current-line", edit_clear }, { "complete", edit_complete },
	{ "complete-filename", edit_complete }, { "complete-command", edit_complete },
	{ "complete-username", edit_complete }, { "complete-variable", edit_complete },
	{ "menu-complete", edit_complete }, { "old-menu-complete", edit_complete },
	{ "copy-region-as-kill", edit_copy_region }, { "delete-char", edit_delete_or_end },
	{ "delete-horizontal-space", edit_delete_space }, { "digit-argument", edit_digits },
	{ "downcase-word", edit_downcase }, { "emacs-editing-mode", edit_emacs_mode },
	{ "end-kbd-macro", edit_macro_end }, { "end-of-history", edit_newest }, { "end-of-line", edit_line_end },
	{ "exchange-point-and-mark", edit_swap_mark }, { "forward-char", edit_forward_char },
	{ "forward-search-history", edit_search_forward }, { "forward-word", edit_forward_word },
	{ "history-expand-line", edit_expand_history }, { "history-search-backward", edit_search_prefix_back },
	{ "history-search-forward", edit_search_prefix }, { "insert-comment", edit_comment },
	{ "insert-completions", edit_insert_all }, { "insert-last-argument", edit_last_arg },
	{ "yank-last-arg", edit_last_arg }, { "kill-line", edit_kill_line }, { "kill-region", edit_kill_region },
	{ "kill-whole-line", edit_kill_whole }, { "kill-word", edit_kill_word }, { "magic-space", edit_magic_space },
	{ "next-history", edit_newer }, { "non-incremental-forward-search-history", edit_ask_forward },
	{ "non-incremental-reverse-search-history", edit_ask_back }, { "operate-and-get-next", edit_accept_next },
	{ "overwrite-mode", edit_overwrite }, { "possible-completions", edit_possible },
	{ "possible-filename-completions", edit_possible }, { "possible-command-completions", edit_possible },
	{ "possible-username-completions", edit_possible }, { "possible-variable-completions", edit_possible },
	{ "previous-history", edit_older }, { "quoted-insert", edit_quoted }, { "re-read-init-file", edit_reread },
	{ "reverse-search-history", edit_search_backward }, { "revert-line", edit_revert },
	{ "self-insert", edit_self }, { "set-mark", edit_set_mark }, { "shell-backward-word", edit_backward_blank },
	{ "shell-forward-word", edit_forward_blank }, { "shell-kill-word", edit_kill_blank },
	{ "shell-backward-kill-word", edit_rubout_shell_word }, { "shell-expand-line", edit_expand_line },
	{ "shell-transpose-words", edit_transpose_blanks }, { "start-kbd-macro", edit_macro_begin },
	{ "tab-insert", edit_tab }, { "tilde-expand", edit_tilde }, { "transpose-chars", edit_transpose },
	{ "transpose-words", edit_transpose_words }, { "undo", edit_undo },
	{ "universal-argument", edit_universal }, { "unix-line-discard", edit_kill_to_begin },
	{ "unix-word-rubout", edit_rubout_blank_word }, { "upcase-word", edit_upcase },
	{ "vi-editing-mode", edit_vi_mode }, { "vi-movement-mode", edit_vi_movement },
	{ "vi-eof-maybe", edit_vi_eof }, { "yank", edit_yank }, { "yank-nth-arg", edit_nth_arg },
	{ "yank-pop", edit_yank_pop }, { "vi-undo", edit_undo }, { "vi-unix-word-rubout", edit_rubout_blank_word },
};

edit_fn *edit_function(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(edit_names) / sizeof(*edit_names); i++)
		if (strlen(edit_names[i].name) == n && !strncasecmp(edit_names[i].name, name, n))
			return edit_names[i].fn;
	return NULL;
}

/* ---- The usual keys ---- */

struct edit_default {
	const char *keys;
	size_t n;
	const char *name;
};

#define KEYS(text, name) { text, sizeof(text) - 1, name }
static const struct edit_default emacs_keys[] = {
	KEYS("\007", "abort"), KEYS("\030\007", "abort"), KEYS("\033\007", "abort"), KEYS("\n", "accept-line"),
	KEYS("\r", "accept-line"), KEYS("\002", "backward-char"), KEYS("\033OD", "backward-char"),
	KEYS("\033[D", "backward-char"), KEYS("\b", "backward-delete-char"), KEYS("\177", "backward-delete-char"),
	KEYS("\030\177", "backward-kill-line"), KEYS("\033\b", "backward-kill-word"),
	KEYS("\033\177", "backward-kill-word"), KEYS("\033\033[D", "backward-word"),
	KEYS("\033[1;3D", "backward-word"), KEYS("\033[1;5D", "backward-word"), KEYS("\033[5D", "backward-word"),
	KEYS("\033b", "backward-word"), KEYS("\033<", "beginning-of-history"), KEYS("\001", "beginning-of-line"),
	KEYS("\033OH", "beginning-of-line"), KEYS("\033[1~", "beginning-of-line"),
	KEYS("\033[H", "beginning-of-line"), KEYS("\033[200~", "bracketed-paste-begin"),
	KEYS("\030e", "call-last-kbd-macro"), KEYS("\033c", "capitalize-word"), KEYS("\035", "character-search"),
	KEYS("\033\035", "character-search-backward"), KEYS("\033\014", "clear-display"),
	KEYS("\014", "clear-screen"), KEYS("\t", "complete"), KEYS("\033!", "complete-command"),
	KEYS("\033/", "complete-filename"), KEYS("\033@", "complete-hostname"), KEYS("\033{", "complete-into-braces"),
	KEYS("\033~", "complete-username"), KEYS("\033$", "complete-variable"), KEYS("\004", "delete-char"),
	KEYS("\033[3~", "delete-char"), KEYS("\033\\", "delete-horizontal-space"), KEYS("\033-", "digit-argument"),
	KEYS("\0330", "digit-argument"), KEYS("\0331", "digit-argument"), KEYS("\0332", "digit-argument"),
	KEYS("\0333", "digit-argument"), KEYS("\0334", "digit-argument"), KEYS("\0335", "digit-argument"),
	KEYS("\0336", "digit-argument"), KEYS("\0337", "digit-argument"), KEYS("\0338", "digit-argument"),
	KEYS("\0339", "digit-argument"), KEYS("\030\026", "display-shell-version"), KEYS("\033l", "downcase-word"),
	KEYS("\033\t", "dynamic-complete-history"), KEYS("\030\005", "edit-and-execute-command"),
	KEYS("\030)", "end-kbd-macro"), KEYS("\033>", "end-of-history"), KEYS("\005", "end-of-line"),
	KEYS("\033OF", "end-of-line"), KEYS("\033[4~", "end-of-line"), KEYS("\033[F", "end-of-line"),
	KEYS("\030\030", "exchange-point-and-mark"), KEYS("\006", "forward-char"), KEYS("\033OC", "forward-char"),
	KEYS("\033[C", "forward-char"), KEYS("\023", "forward-search-history"), KEYS("\033\033[C", "forward-word"),
	KEYS("\033[1;3C", "forward-word"), KEYS("\033[1;5C", "forward-word"), KEYS("\033[5C", "forward-word"),
	KEYS("\033f", "forward-word"), KEYS("\033g", "glob-complete-word"), KEYS("\030*", "glob-expand-word"),
	KEYS("\030g", "glob-list-expansions"), KEYS("\033^", "history-expand-line"),
	KEYS("\033[5~", "history-search-backward"), KEYS("\033[6~", "history-search-forward"),
	KEYS("\033#", "insert-comment"), KEYS("\033*", "insert-completions"), KEYS("\033.", "insert-last-argument"),
	KEYS("\033_", "insert-last-argument"), KEYS("\013", "kill-line"), KEYS("\033[3;5~", "kill-word"),
	KEYS("\033d", "kill-word"), KEYS("\016", "next-history"), KEYS("\033OB", "next-history"),
	KEYS("\033[B", "next-history"), KEYS("\033n", "non-incremental-forward-search-history"),
	KEYS("\033p", "non-incremental-reverse-search-history"), KEYS("\017", "operate-and-get-next"),
	KEYS("\030!", "possible-command-completions"), KEYS("\033=", "possible-completions"),
	KEYS("\033?", "possible-completions"), KEYS("\030/", "possible-filename-completions"),
	KEYS("\030@", "possible-hostname-completions"), KEYS("\030~", "possible-username-completions"),
	KEYS("\030$", "possible-variable-completions"), KEYS("\020", "previous-history"),
	KEYS("\033OA", "previous-history"), KEYS("\033[A", "previous-history"), KEYS("\021", "quoted-insert"),
	KEYS("\026", "quoted-insert"), KEYS("\033[2~", "quoted-insert"), KEYS("\030\022", "re-read-init-file"),
	KEYS("\022", "reverse-search-history"), KEYS("\033\022", "revert-line"), KEYS("\033r", "revert-line"),
	KEYS("\0", "set-mark"), KEYS("\033 ", "set-mark"), KEYS("\033\002", "shell-backward-word"),
	KEYS("\033\005", "shell-expand-line"), KEYS("\033\006", "shell-forward-word"),
	KEYS("\033\004", "shell-kill-word"), KEYS("\033\024", "shell-transpose-words"),
	KEYS("\030s", "spell-correct-word"), KEYS("\030(", "start-kbd-macro"), KEYS("\033&", "tilde-expand"),
	KEYS("\024", "transpose-chars"), KEYS("\033t", "transpose-words"), KEYS("\030\025", "undo"),
	KEYS("\037", "undo"), KEYS("\025", "unix-line-discard"), KEYS("\027", "unix-word-rubout"),
	KEYS("\033u", "upcase-word"), KEYS("\031", "yank"), KEYS("\033.", "yank-last-arg"),
	KEYS("\033_", "yank-last-arg"), KEYS("\033\031", "yank-nth-arg"), KEYS("\033y", "yank-pop"),
	KEYS("\033[7~", ""), KEYS("\033[8~", ""),
};

#define COMMON_KEYS \
	KEYS("\033OD", "backward-char"), KEYS("\033[D", "backward-char"), KEYS("\033[1;3D", "backward-word"), \
	KEYS("\033[1;5D", "backward-word"), KEYS("\033OH", "beginning-of-line"), \
	KEYS("\033[H", "beginning-of-line"), KEYS("\033[3~", "delete-char"), KEYS("\033OF", "end-of-line"), \
	KEYS("\033[F", "end-of-line"), KEYS("\033OC", "forward-char"), KEYS("\033[C", "forward-char"), \
	KEYS("\023", "forward-search-history"), KEYS("\033[1;3C", "forward-word"), \
	KEYS("\033[1;5C", "forward-word"), KEYS("\033[5~", "history-search-backward"), \
	KEYS("\033[6~", "history-search-forward"), KEYS("\033[3;5~", "kill-word"), KEYS("\033OB", "next-history"), \
	KEYS("\033[B", "next-history"), KEYS("\033[2~", "overwrite-mode"), KEYS("\033OA", "previous-history"), \
	KEYS("\033[A", "previous-history"), KEYS("\026", "quoted-insert"), KEYS("\022", "reverse-search-history"), \
	KEYS("\024", "transpose-chars"), KEYS("\025", "unix-line-discard"), KEYS("\031", "yank"), \
	KEYS("\n", "accept-line"), KEYS("\r", "accept-line"), KEYS("\004", "vi-eof-maybe"), \
	KEYS("\037", "vi-undo"), KEYS("\027", "vi-unix-word-rubout")

static const struct edit_default insert_keys[] = {
	COMMON_KEYS, KEYS("\b", "backward-delete-char"), KEYS("\177", "backward-delete-char"),
	KEYS("\033[200~", "bracketed-paste-begin"), KEYS("\t", "complete"), KEYS("\016", "menu-complete"),
	KEYS("\020", "menu-complete-backward"), KEYS("\033", "vi-movement-mode"),
};

static const struct edit_default command_keys[] = {
	COMMON_KEYS, KEYS("\007", "abort"), KEYS("\b", "backward-char"), KEYS("h", "backward-char"),
	KEYS("0", "beginning-of-line"), KEYS("\014", "clear-screen"), KEYS("$", "end-of-line"),
	KEYS(" ", "forward-char"), KEYS("l", "forward-char"), KEYS("#", "insert-comment"), KEYS("\013", "kill-line"),
	KEYS("\016", "next-history"), KEYS("+", "next-history"), KEYS("j", "next-history"),
	KEYS("\020", "previous-history"), KEYS("-", "previous-history"), KEYS("k", "previous-history"),
	KEYS("\021", "quoted-insert"), KEYS("U", "revert-line"), KEYS("A", "vi-append-eol"),
	KEYS("a", "vi-append-mode"), KEYS("1", "vi-arg-digit"), KEYS("2", "vi-arg-digit"), KEYS("3", "vi-arg-digit"),
	KEYS("4", "vi-arg-digit"), KEYS("5", "vi-arg-digit"), KEYS("6", "vi-arg-digit"), KEYS("7", "vi-arg-digit"),
	KEYS("8", "vi-arg-digit"), KEYS("9", "vi-arg-digit"), KEYS("~", "vi-change-case"),
	KEYS("r", "vi-change-char"), KEYS("C", "vi-change-to"), KEYS("c", "vi-change-to"),
	KEYS(",", "vi-char-search"), KEYS(";", "vi-char-search"), KEYS("F", "vi-char-search"),
	KEYS("T", "vi-char-search"), KEYS("f", "vi-char-search"), KEYS("t", "vi-char-search"),
	KEYS("|", "vi-column"), KEYS("x", "vi-delete"), KEYS("D", "vi-delete-to"), KEYS("d", "vi-delete-to"),
	KEYS("v", "vi-edit-and-execute-command"), KEYS("E", "vi-end-word"), KEYS("e", "vi-end-word"),
	KEYS("G", "vi-fetch-history"), KEYS("^", "vi-first-print"), KEYS("`", "vi-goto-mark"),
	KEYS("I", "vi-insert-beg"), KEYS("i", "vi-insertion-mode"), KEYS("%", "vi-match"), KEYS("W", "vi-next-word"),
	KEYS("w", "vi-next-word"), KEYS("B", "vi-prev-word"), KEYS("b", "vi-prev-word"), KEYS("P", "vi-put"),
	KEYS("p", "vi-put"), KEYS(".", "vi-redo"), KEYS("R", "vi-replace"), KEYS("X", "vi-rubout"),
	KEYS("/", "vi-search"), KEYS("?", "vi-search"), KEYS("N", "vi-search-again"), KEYS("n", "vi-search-again"),
	KEYS("m", "vi-set-mark"), KEYS("S", "vi-subst"), KEYS("s", "vi-subst"), KEYS("&", "vi-tilde-expand"),
	KEYS("u", "vi-undo"), KEYS("_", "vi-yank-arg"), KEYS("Y", "vi-yank-to"), KEYS("y", "vi-yank-to"),
	KEYS("=", ""), KEYS("\\", ""), KEYS("*", ""), KEYS("@", ""),	/* bash has no names for these */
};
#undef KEYS

static const struct edit_default *edit_defaults(int mode, size_t *n)
{
	*n = mode == 'e' ? sizeof(emacs_keys) / sizeof(*emacs_keys) :
	     mode == 'i' ? sizeof(insert_keys) / sizeof(*insert_keys) :
	     sizeof(command_keys) / sizeof(*command_keys);
	return mode == 'e' ? emacs_keys : mode == 'i' ? insert_keys : command_keys;
}

bool edit_fixed(const char *name, int mode, size_t *at, struct slice *keys)
{
	size_t n;
	const struct edit_default *table = edit_defaults(mode, &n);

	for (; *at < n; ++*at)
		if (!strcmp(table[*at].name, name)) {
			*keys = (struct slice){ table[*at].keys, table[*at].n };
			++*at;
			return true;
		}
	return false;
}

/* ---- Looking up ---- */

/* What vi does with a key by itself. */
static edit_fn *edit_default_fn(int mode, const struct edit_default *d)
{
	edit_fn *fn = edit_function(d->name, strlen(d->name));

	if (mode == 'c' && d->n == 1 && (unsigned char)*d->keys > 32 && *d->keys != '#')
		return edit_vi_command;
	if (!fn && !*d->name)
		return d->keys[2] == '7' ? edit_line_begin : edit_line_end;
	return fn ? fn : edit_refuse;
}

static struct edit_binding edit_bound_user(struct shell *sh, int mode, const char *keys, size_t n, bool *more)
{
	struct edit_binding b = { 0 };
	struct map *m = &doing(sh)->bindings;

	for (struct map_entry *e = NULL; (e = map_next(m, e));) {
		const char *value = e->value;

		if (e->len < n + 1 || e->key[0] != mode || memcmp(e->key + 1, keys, n))
			continue;
		if (e->len > n + 1) {
			*more |= *value != 'u';
			continue;
		}
		b.kind = *value;
		b.text = value + 1;
		b.fn = *value == 'f' ? edit_function(value + 1, strlen(value + 1)) : NULL;
		if (*value == 'f' && !b.fn)
			b.fn = !strncmp(value + 1, "vi-", 3) ? edit_vi_command : edit_refuse;
	}
	return b;
}

struct edit_binding edit_bound(struct shell *sh, int mode, const char *keys, size_t n, bool *more)
{
	struct edit_binding b = { 0 }, user;
	size_t count;
	const struct edit_default *table = edit_defaults(mode, &count);
	unsigned char last = (unsigned char)keys[n - 1];

	*more = false;
	user = edit_bound_user(sh, mode, keys, n, more);
	for (size_t i = 0; i < count; i++) {
		if (table[i].n < n || memcmp(table[i].keys, keys, n))
			continue;
		if (table[i].n > n)
			*more = true;
		else if (!b.kind)
			b = (struct edit_binding){ 'f', edit_default_fn(mode, &table[i]), NULL };
	}
	if (user.kind)
		return user.kind == 'u' ? (struct edit_binding){ 0 } : user;
	if (!b.kind && !*more && mode == 'e' && n == 2 && last >= 'A' && last <= 'Z') {	/* as the small letter */
		char small[2] = { keys[0], (char)(last | 32) };

		return edit_bound(sh, mode, small, 2, more);
	}
	if (!b.kind && n == 1 && mode != 'c' && last >= 32 && last != 127)
		b = (struct edit_binding){ 'f', edit_self, NULL };
	if (!b.kind && n == 1 && mode == 'i' && last < 32 && last != 27 && last)
		b = (struct edit_binding){ 'f', edit_self, NULL };
	return b;
}
