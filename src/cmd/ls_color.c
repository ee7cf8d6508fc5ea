/*
 * Colours: the default table, LS_COLORS on top of it, and which of them a
 * file gets. Sequences go out between "left" and "right"; nothing of them
 * counts as output columns.
 */
#include "cmd/ls.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cmd/util.h"
#include "text/pattern.h"

#define COLOR(s) { (s), sizeof(s) - 1 }

static const struct ls_seq color_defaults[LS_C_COUNT] = {
	[LS_C_LEFT] = COLOR("\033["), [LS_C_RIGHT] = COLOR("m"), [LS_C_RESET] = COLOR("0"),
	[LS_C_DIR] = COLOR("01;34"), [LS_C_LINK] = COLOR("01;36"), [LS_C_FIFO] = COLOR("33"),
	[LS_C_SOCK] = COLOR("01;35"), [LS_C_BLK] = COLOR("01;33"), [LS_C_CHR] = COLOR("01;33"),
	[LS_C_EXEC] = COLOR("01;32"), [LS_C_DOOR] = COLOR("01;35"),
	[LS_C_SETUID] = COLOR("37;41"), [LS_C_SETGID] = COLOR("30;43"),
	[LS_C_STICKY] = COLOR("37;44"), [LS_C_OTHER_WRITABLE] = COLOR("34;42"),
	[LS_C_STICKY_OTHER] = COLOR("30;42"), [LS_C_CAP] = COLOR("30;41"),
	[LS_C_CLEAR] = COLOR("\033[K"),
};

/* Two letters each, in the order of enum ls_color. */
static const char color_labels[] = "lcrcecrsnofidilnpisobdcdmiorexdosusgstowtwcamhcl";

struct color_parse {
	const char *in;
	char *out;
};

static int color_octal_or_hex(struct color_parse *c, int base)
{
	int v = 0;

	for (;; c->in++) {
		int d = *c->in;

		if (d >= '0' && d <= (base == 8 ? '7' : '9'))
			d -= '0';
		else if (base == 16 && ((d | 32) >= 'a') && ((d | 32) <= 'f'))
			d = (d | 32) - 'a' + 10;
		else
			return v;
		v = (v * base + d) & 255;
	}
}

/* Behind a backslash: false at the end of the text. */
static bool color_escape(struct color_parse *c, int *byte)
{
	static const char from[] = "abefnrtv?_", to[] = "\a\b\033\f\n\r\t\v\177 ";
	const char *known;

	if (!*c->in)
		return false;
	if (*c->in >= '0' && *c->in <= '7') {
		*byte = color_octal_or_hex(c, 8);
		return true;
	}
	if (*c->in == 'x' || *c->in == 'X') {
		c->in++;
		*byte = color_octal_or_hex(c, 16);
		return true;
	}
	known = strchr(from, *c->in);
	*byte = known ? to[known - from] : *c->in;
	c->in++;
	return true;
}

/* One value with its escapes; ends at ':' or the end, a suffix also at '='. */
static bool color_value(struct color_parse *c, bool suffix, struct ls_seq *seq)
{
	int byte;

	seq->p = c->out;
	while (*c->in && *c->in != ':' && !(suffix && *c->in == '=')) {
		byte = *c->in++;
		if (byte == '\\') {
			if (!color_escape(c, &byte))
				return false;
		} else if (byte == '^') {
			/* "^?" leaves its question mark in the text, as GNU's ls does. */
			if (*c->in >= '@' && *c->in <= '~')
				byte = *c->in++ & 037;
			else if (*c->in == '?')
				byte = 127;
			else
				return false;
		}
		*c->out++ = (char)byte;
	}
	seq->n = (size_t)(c->out - seq->p);
	return true;
}

static bool color_extension(struct ls *ls, struct color_parse *c)
{
	struct ls_extension e;

	c->in++;
	if (!color_value(c, true, &e.suffix) || *c->in++ != '=' ||
	    !color_value(c, false, &e.color))
		return false;
	ls->extensions = util_grow(ls->p, ls->extensions, ls->n_extensions,
				   &ls->extensions_cap, sizeof(e));
	ls->extensions[ls->n_extensions++] = e;
	return true;
}

static bool color_indicator(struct ls *ls, struct color_parse *c)
{
	char label[3] = { c->in[0], 0, 0 };

	if (!c->in[1])
		return false;
	label[1] = c->in[1];
	c->in += 2;
	if (*c->in++ != '=')
		return false;
	for (int i = 0; i < LS_C_COUNT; i++)
		if (!memcmp(color_labels + i * 2, label, 2) &&
		    color_value(c, false, &ls->seq[i]))
			return true;
	tsb_warn(ls->p, "unrecognized prefix: %s", quote_text(ls->p, label));
	return false;
}

/* Without LS_COLORS, is this a terminal that knows colours? */
static bool color_known_terminal(struct ls *ls)
{
	static const char *const terms[] = {
		"Eterm", "ansi", "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin",
		"*direct*", "dtterm", "gnome", "hurd", "jfbterm", "konsole", "kterm", "linux",
		"linux-c", "mlterm", "putty", "rxvt*", "screen*", "st", "terminator", "tmux*",
		"vt100", "xterm*",
	};
	const char *term = tsb_getenv(ls->p, "TERM");

	for (size_t i = 0; term && *term && i < sizeof(terms) / sizeof(*terms); i++) {
		struct pattern *pat = pattern_compile(tsb_heap_of(ls->p), terms[i],
						      strlen(terms[i]), 0);

		if (pattern_match(pat, term, strlen(term)))
			return true;
	}
	return false;
}

void ls_color_parse(struct ls *ls)
{
	const char *env = tsb_getenv(ls->p, "LS_COLORS");
	const char *colorterm = tsb_getenv(ls->p, "COLORTERM");
	struct color_parse c = { .in = env };
	bool ok = true;

	memcpy(ls->seq, color_defaults, sizeof(color_defaults));
	if (!env || !*env) {
		ls->color = (colorterm && *colorterm) || color_known_terminal(ls);
		return;
	}
	c.out = tsb_alloc(ls->p, strlen(env) + 1);
	while (ok && *c.in) {
		if (*c.in == ':')
			c.in++;
		else if (*c.in == '*')
			ok = color_extension(ls, &c);
		else
			ok = color_indicator(ls, &c);
	}
	if (!ok) {
		tsb_warn(ls->p, "unparsable value for LS_COLORS environment variable");
		ls->color = false;
	}
	ls->link_as_referent = ls->seq[LS_C_LINK].n == 6 &&
			       !memcmp(ls->seq[LS_C_LINK].p, "target", 6);
}

bool ls_is_colored(const struct ls *ls, enum ls_color c)
{
	const struct ls_seq *s = &ls->seq[c];

	return s->n && !(s->n == 1 && *s->p == '0') && !(s->n == 2 && !memcmp(s->p, "00", 2));
}

static enum ls_color color_of_regular(struct ls *ls, const struct ls_file *f, uint32_t mode)
{
	if ((mode & S_ISUID) && ls_is_colored(ls, LS_C_SETUID))
		return LS_C_SETUID;
	if ((mode & S_ISGID) && ls_is_colored(ls, LS_C_SETGID))
		return LS_C_SETGID;
	if ((mode & 0111) && ls_is_colored(ls, LS_C_EXEC))
		return LS_C_EXEC;
	if (f->st.nlink > 1 && ls_is_colored(ls, LS_C_MULTI))
		return LS_C_MULTI;
	return LS_C_FILE;
}

static enum ls_color color_of_directory(struct ls *ls, uint32_t mode)
{
	bool sticky = mode & S_ISVTX, writable = mode & S_IWOTH;

	if (sticky && writable && ls_is_colored(ls, LS_C_STICKY_OTHER))
		return LS_C_STICKY_OTHER;
	if (writable && ls_is_colored(ls, LS_C_OTHER_WRITABLE))
		return LS_C_OTHER_WRITABLE;
	if (sticky && ls_is_colored(ls, LS_C_STICKY))
		return LS_C_STICKY;
	return LS_C_DIR;
}

static enum ls_color color_of_type(int type)
{
	static const enum ls_color by_type[] = {
		[LS_UNKNOWN] = LS_C_ORPHAN, [LS_FIFO] = LS_C_FIFO, [LS_CHAR] = LS_C_CHR,
		[LS_DIRECTORY] = LS_C_DIR, [LS_BLOCK] = LS_C_BLK, [LS_REGULAR] = LS_C_FILE,
		[LS_LINK] = LS_C_LINK, [LS_SOCKET] = LS_C_SOCK, [LS_OPERAND_DIR] = LS_C_DIR,
	};

	return by_type[type];
}

static const struct ls_seq *color_of_suffix(const struct ls *ls, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = ls->n_extensions; i--;) {
		const struct ls_extension *e = &ls->extensions[i];

		if (e->suffix.n <= n && !strncasecmp(name + n - e->suffix.n, e->suffix.p,
						     e->suffix.n))
			return &e->color;
	}
	return NULL;
}

const struct ls_seq *ls_color_of(struct ls *ls, const struct ls_file *f, bool target)
{
	uint32_t mode = target || (ls->link_as_referent && f->link_ok) ? f->link_mode : f->st.mode;
	const struct ls_seq *seq = NULL;
	enum ls_color c;

	if (target && !f->link_ok && ls_is_colored(ls, LS_C_MISSING))
		c = LS_C_MISSING;
	else if (!f->stat_ok)
		c = color_of_type(f->type);
	else if (S_ISREG(mode))
		c = color_of_regular(ls, f, mode);
	else if (S_ISDIR(mode))
		c = color_of_directory(ls, mode);
	else
		c = color_of_type(ls_type_of(mode));
	if (c == LS_C_FILE)
		seq = color_of_suffix(ls, target ? f->target : f->name);
	if (c == LS_C_LINK && !f->link_ok && !target &&
	    (ls->link_as_referent || ls_is_colored(ls, LS_C_ORPHAN)))
		c = LS_C_ORPHAN;
	if (!seq)
		seq = &ls->seq[c];
	return seq->p ? seq : NULL;
}

static void color_put(struct ls *ls, enum ls_color c)
{
	if (ls->seq[c].n)
		tsb_put(ls->p, ls->seq[c].p, ls->seq[c].n);
}

/* The first sequence of a run is preceded by a reset. */
static void color_begin(struct ls *ls)
{
	if (ls->used_color)
		return;
	ls->used_color = true;
	ls_color_stop(ls);
}

void ls_color_start(struct ls *ls, const struct ls_seq *seq)
{
	color_begin(ls);
	if (ls_is_colored(ls, LS_C_NORM)) {
		color_put(ls, LS_C_LEFT);
		color_put(ls, LS_C_RIGHT);
	}
	color_put(ls, LS_C_LEFT);
	tsb_put(ls->p, seq->p, seq->n);
	color_put(ls, LS_C_RIGHT);
}

void ls_color_stop(struct ls *ls)
{
	color_begin(ls);
	if (ls->seq[LS_C_END].p) {
		color_put(ls, LS_C_END);
		return;
	}
	color_put(ls, LS_C_LEFT);
	color_put(ls, LS_C_RESET);
	color_put(ls, LS_C_RIGHT);
}

void ls_color_normal(struct ls *ls)
{
	if (!ls->color || !ls_is_colored(ls, LS_C_NORM))
		return;
	color_begin(ls);
	color_put(ls, LS_C_LEFT);
	color_put(ls, LS_C_NORM);
	color_put(ls, LS_C_RIGHT);
}

void ls_color_clear_line(struct ls *ls)
{
	color_put(ls, LS_C_CLEAR);
}

/* At the very end: the terminal's own colour, where that differs. */
void ls_color_finish(struct ls *ls)
{
	const struct ls_seq *left = &ls->seq[LS_C_LEFT], *right = &ls->seq[LS_C_RIGHT];

	if (!ls->color || !ls->used_color)
		return;
	if (left->n == 2 && !memcmp(left->p, "\033[", 2) && right->n == 1 && *right->p == 'm')
		return;
	color_put(ls, LS_C_LEFT);
	color_put(ls, LS_C_RIGHT);
}
