/* Lines that bind keys and set the editor: of `bind`, and of ~/.inputrc. */
#include "shell/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/num.h"

/* ---- Settings ---- */

static const struct { const char *name, *first; bool on_off; } edit_settings[] = {
	{ "bind-tty-special-chars", "on", true }, { "blink-matching-paren", "off", true },
	{ "byte-oriented", "off", true }, { "colored-completion-prefix", "off", true },
	{ "colored-stats", "off", true }, { "completion-ignore-case", "off", true },
	{ "completion-map-case", "off", true }, { "convert-meta", "off", true },
	{ "disable-completion", "off", true }, { "echo-control-characters", "on", true },
	{ "enable-active-region", "on", true }, { "enable-bracketed-paste", "on", true },
	{ "enable-keypad", "off", true }, { "enable-meta-key", "on", true }, { "expand-tilde", "off", true },
	{ "history-preserve-point", "off", true }, { "horizontal-scroll-mode", "off", true },
	{ "input-meta", "on", true }, { "mark-directories", "on", true }, { "mark-modified-lines", "off", true },
	{ "mark-symlinked-directories", "off", true }, { "match-hidden-files", "on", true },
	{ "menu-complete-display-prefix", "off", true }, { "meta-flag", "on", true }, { "output-meta", "on", true },
	{ "page-completions", "on", true }, { "prefer-visible-bell", "on", true },
	{ "print-completions-horizontally", "off", true }, { "revert-all-at-newline", "off", true },
	{ "show-all-if-ambiguous", "off", true }, { "show-all-if-unmodified", "off", true },
	{ "show-mode-in-prompt", "off", true }, { "skip-completed-text", "off", true },
	{ "visible-stats", "off", true }, { "bell-style", "audible", false }, { "comment-begin", "#", false },
	{ "completion-display-width", "-1", false }, { "completion-prefix-display-length", "0", false },
	{ "completion-query-items", "100", false }, { "editing-mode", "emacs", false },
	{ "emacs-mode-string", "@", false }, { "history-size", "0", false }, { "keymap", "emacs", false },
	{ "keyseq-timeout", "500", false }, { "vi-cmd-mode-string", "(cmd)", false },
	{ "vi-ins-mode-string", "(ins)", false },
};

#define COUNT (sizeof(edit_settings) / sizeof(*edit_settings))

bool edit_setting_at(size_t i, const char **name, bool *on_off)
{
	if (i >= COUNT)
		return false;
	*name = edit_settings[i].name;
	*on_off = edit_settings[i].on_off;
	return true;
}

/* They are kept where bindings are, under a key that no keys have. */
const char *edit_setting(struct shell *sh, const char *name)
{
	const char *key = turn_join(sh, "=", name, "");
	struct map_entry *e = map_find(&doing(sh)->bindings, key, strlen(key));

	if (!strcmp(name, "editing-mode") || (!strcmp(name, "keymap") && !e))
		return sh->opts[OPT_VI] ? (name[0] == 'e' ? "vi" : "vi-insert") : "emacs";
	if (e)
		return e->value;
	for (size_t i = 0; i < COUNT; i++)
		if (!strcmp(edit_settings[i].name, name))
			return edit_settings[i].first;
	return NULL;
}

bool edit_is_on(struct shell *sh, const char *name)
{
	const char *value = edit_setting(sh, name);

	return value && !strcmp(value, "on");
}

static void edit_keep(struct shell *sh, const char *key, size_t n, const char *value, size_t value_n)
{
	struct map_entry *e = map_put(&doing(sh)->bindings, key, n);
	char *copy;

	if (!e)
		return;
	heap_free(sh->heap, e->value);
	copy = heap_alloc(sh->heap, value_n + 1);
	memcpy(copy, value, value_n);
	copy[value_n] = '\0';
	e->value = copy;
}

static void edit_set_variable(struct shell *sh, const char *name, const char *value)
{
	size_t i = 0;
	const char *key;

	while (i < COUNT && strcasecmp(edit_settings[i].name, name))
		i++;
	if (i == COUNT)
		return;
	if (!strcmp(edit_settings[i].name, "editing-mode")) {
		bool vi = !strcasecmp(value, "vi");

		if (!vi && strcasecmp(value, "emacs"))
			return;
		sh->opts[OPT_VI] = vi;
		sh->opts[OPT_EMACS] = !vi;
		return;
	}
	if (edit_settings[i].on_off)
		value = !*value || !strcasecmp(value, "on") || !strcmp(value, "1") ? "on" : "off";
	key = turn_join(sh, "=", edit_settings[i].name, "");
	edit_keep(sh, key, strlen(key), value, strlen(value));
}

/* ---- Keys as they are written ---- */

static int edit_octal(const char *p, size_t n, size_t *used, int base)
{
	int value = 0;

	for (*used = 0; *used < n && *used < (base == 8 ? 3u : 2u); ++*used) {
		int c = p[*used] | 32, d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

		if (d >= base)
			break;
		value = value * base + d;
	}
	return value & 255;
}

static int edit_escape(const char *p, size_t n, size_t *used)
{
	static const char names[] = "abdefnrtv", means[] = "\a\b\177\033\f\n\r\t\v";
	const char *at = *p ? strchr(names, *p) : NULL;

	*used = 1;
	if (*p == 'x' && n > 1) {
		int c = edit_octal(p + 1, n - 1, used, 16);

		++*used;
		return c;
	}
	if (*p >= '0' && *p <= '7')
		return edit_octal(p, n, used, 8);
	return at ? means[at - names] : (unsigned char)*p;
}

void edit_decode_keys(struct str *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		bool control = false, meta = false, one = true;
		size_t used = 1;
		int c;

		while (i + 2 < n && text[i] == '\\' && (text[i + 1] == 'C' || text[i + 1] == 'M') && text[i + 2] == '-') {
			control |= text[i + 1] == 'C';
			meta |= text[i + 1] == 'M';
			i += 3;
		}
		one = i < n;
		if (!one)
			break;
		c = (unsigned char)text[i];
		if (c == '\\' && i + 1 < n) {
			c = edit_escape(text + i + 1, n - i - 1, &used);
			used++;
		}
		i += used;
		if (control)
			c = c == '?' ? 127 : (c >= 'a' && c <= 'z' ? c - 32 : c) & 31;
		if (meta)
			str_addc(out, 27);
		str_addc(out, c);
	}
}

void edit_encode_keys(struct str *out, const char *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)keys[i];

		if (c == 27)
			str_adds(out, "\\e");
		else if (c == 127)
			str_adds(out, "\\C-?");
		else if (c < 32)
			str_addf(out, "\\C-%c", c + 64 >= 'A' && c + 64 <= 'Z' ? c + 96 : c + 64);
		else if (c >= 128)
			str_addf(out, "\\%o", c);
		else if (c == '"' || c == '\\')
			str_addf(out, "\\%c", c);
		else
			str_addc(out, c);
	}
}

/* Control-u, Meta-Rubout, C-M-x: keys without quotes. */
static void edit_key_name(struct str *out, const char *text, size_t n)
{
	static const struct { const char *name; int c; } names[] = {
		{ "DEL", 127 }, { "ESC", 27 }, { "ESCAPE", 27 }, { "LFD", '\n' }, { "NEWLINE", '\n' },
		{ "RET", '\r' }, { "RETURN", '\r' }, { "RUBOUT", 127 }, { "SPACE", ' ' }, { "SPC", ' ' },
		{ "TAB", '\t' },
	};
	bool control = false, meta = false;
	const char *dash;
	int c;

	for (; (dash = memchr(text, '-', n)) && dash > text && (size_t)(dash - text) + 1 < n;
	     n -= (size_t)(dash - text) + 1, text = dash + 1) {
		control |= *text == 'C' || *text == 'c';
		meta |= *text == 'M' || *text == 'm';
	}
	c = n ? (unsigned char)*text : 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == n && !strncasecmp(names[i].name, text, n))
			c = names[i].c;
	if (control)
		c = c == '?' ? 127 : (c >= 'a' && c <= 'z' ? c - 32 : c) & 31;
	if (meta)
		str_addc(out, 27);
	str_addc(out, c);
}

/* ---- Lines ---- */

static void edit_bind(struct shell *sh, int mode, const struct str *keys, char kind, const char *value, size_t n)
{
	struct str key, text;

	str_init(&key, sh->heap, 4096);
	str_init(&text, sh->heap, 65536);
	str_addc(&key, mode);
	str_addn(&key, keys->p, keys->n);
	str_addc(&text, kind);
	if (kind == 'm')
		edit_decode_keys(&text, value, n);
	else
		str_addn(&text, value, n);
	edit_keep(sh, key.p, key.n, text.p, text.n);
	str_end(&key);
	str_end(&text);
}

/* Up to a quote that no backslash hides: its place. */
static size_t edit_quoted_end(const char *text, char quote)
{
	size_t n = 0;

	for (; text[n] && text[n] != quote; n++)
		n += text[n] == '\\' && text[n + 1];
	return n;
}

static void edit_bind_value(struct shell *sh, int mode, const struct str *keys, char kind, const char *value)
{
	size_t n;

	value += strspn(value, " \t");
	if (kind == 'x') {
		edit_bind(sh, mode, keys, 'x', value, strlen(value));
		return;
	}
	if (*value == '"' || *value == '\'') {
		edit_bind(sh, mode, keys, 'm', value + 1, edit_quoted_end(value + 1, *value));
		return;
	}
	n = strcspn(value, " \t");
	if (n)
		edit_bind(sh, mode, keys, 'f', value, n);
}

const char *edit_bind_line(struct shell *sh, const char *line, int mode, char kind)
{
	struct str keys;
	size_t n;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return NULL;
	if (kind == 'f' && !strncasecmp(line, "set", 3) && strchr(" \t", line[3]) && line[3]) {
		const char *name = line + 3 + strspn(line + 3, " \t"), *value;

		n = strcspn(name, " \t");
		value = name + n + strspn(name + n, " \t");
		edit_set_variable(sh, arena_dup(&sh->turn, name, n),
				  arena_dup(&sh->turn, value, strcspn(value, " \t")));
		return NULL;
	}
	str_init(&keys, sh->heap, 4096);
	if (*line == '"') {
		n = edit_quoted_end(line + 1, '"');
		if (!line[1 + n]) {
			str_end(&keys);
			return "no closing `\"' in key binding";
		}
		edit_decode_keys(&keys, line + 1, n);
		line += n + 2;
	} else {
		n = strcspn(line, ": \t");
		edit_key_name(&keys, line, n);
		line += n;
	}
	line += strspn(line, " \t");
	if (*line == ':' && keys.n)
		edit_bind_value(sh, mode, &keys, kind, line + 1);
	n = *line == ':';
	str_end(&keys);
	return n ? NULL : "no key sequence terminator";
}

/* ---- A file of them ---- */

struct inputrc {
	struct shell *sh;
	unsigned depth;
	uint32_t off;		/* a bit for each $if within which nothing counts */
	int mode;
};

static bool inputrc_test(struct inputrc *rc, const char *what)
{
	const char *term = NULL;
	struct slice v;

	if (!strncmp(what, "mode=", 5))
		return !strcmp(what + 5, rc->sh->opts[OPT_VI] ? "vi" : "emacs");
	if (!strncmp(what, "term=", 5)) {
		if (var_get_text(rc->sh, "TERM", &v))
			term = arena_dup(&rc->sh->turn, v.p, v.n);
		return term && (!strcmp(term, what + 5) || (!strncmp(term, what + 5, strcspn(term, "-")) &&
							     strlen(what + 5) == strcspn(term, "-")));
	}
	if (!strncmp(what, "version", 7)) {
		const char *at = what + 7 + strspn(what + 7, " ");

		return *at == '>' || !strncmp(at, "!=", 2) ? strncmp(at + 1 + strspn(at + 1, "= "), "8.2", 3) <= 0 :
		       strstr(at, "8.2") != NULL;
	}
	return !strcasecmp(what, "bash");
}

/* $if, $else, $endif, $include. */
static void inputrc_directive(struct inputrc *rc, const char *line)
{
	size_t n = strcspn(line, " \t");
	const char *what = line + n + strspn(line + n, " \t");

	if (!strncasecmp(line, "if", n) && n == 2) {
		if (rc->depth < 31)
			rc->depth++;
		rc->off &= ~(1u << rc->depth);
		if (!inputrc_test(rc, what))
			rc->off |= 1u << rc->depth;
	} else if (!strncasecmp(line, "else", n) && n == 4 && rc->depth) {
		rc->off ^= 1u << rc->depth;
	} else if (!strncasecmp(line, "endif", n) && n == 5 && rc->depth) {
		rc->off &= ~(1u << rc->depth);
		rc->depth--;
	} else if (!strncasecmp(line, "include", n) && n == 7 && !rc->off) {
		static const unsigned most = 8;
		struct prompting *at = prompting(rc->sh);

		if (at->including < most) {
			at->including++;
			inputrc_read(rc->sh, what);
			at->including--;
		}
	}
}

static void inputrc_line(struct inputrc *rc, char *line, size_t n)
{
	const char *at = line + strspn(line, " \t");

	while (n && strchr("\r\n\t ", line[n - 1]))
		line[--n] = '\0';
	if (*at == '$') {
		inputrc_directive(rc, at + 1);
		return;
	}
	if (rc->off)
		return;
	if (!strncasecmp(at, "set keymap ", 11)) {
		at += 11 + strspn(at + 11, " \t");
		rc->mode = !strcmp(at, "vi") || !strncmp(at, "vi-c", 4) || !strncmp(at, "vi-m", 4) ? 'c' :
			   !strcmp(at, "vi-insert") ? 'i' : 'e';
		return;
	}
	edit_bind_line(rc->sh, at, rc->mode, 'f');
}

void inputrc_read(struct shell *sh, const char *path)
{
	struct inputrc rc = { .sh = sh, .mode = sh->opts[OPT_VI] ? 'i' : 'e' };
	struct tsb_reader in;
	struct slice v;
	char *line;
	size_t n;
	int fd;

	prompting(sh)->inputrc_read = true;
	if (!path && var_get_text(sh, "INPUTRC", &v))
		path = arena_dup(&sh->turn, v.p, v.n);
	if (!path && var_get_text(sh, "HOME", &v))
		path = turn_join(sh, arena_dup(&sh->turn, v.p, v.n), "/.inputrc", "");
	fd = path ? tsb_open(sh->p, path, O_RDONLY | O_CLOEXEC, 0) : -1;
	if (fd == -ENOENT)
		fd = tsb_open(sh->p, "/etc/inputrc", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	tsb_reader_init(&in, sh->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n')))
		inputrc_line(&rc, line, n);
	tsb_reader_end(&in);
	tsb_close(sh->p, fd);
}
