/*
 * tree as lines: indentation, the fields in brackets, the name with its
 * colour, and what a link leads to.
 */
#include "cmd/tree.h"

#include <string.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "cmd/accounts.h"
#include "cmd/util.h"
#include "text/datefmt.h"

/* ---- Fields ---- */

void tree_mode_text(const struct tree_node *n, char buf[12])
{
	util_mode_string(n->st.mode, buf);
	buf[10] = '\0';
}

void tree_add_user(struct tree *t, struct str *out, const struct tree_node *n)
{
	const char *name = accounts_user_name(t->p, n->st.uid);

	if (name)
		str_adds(out, name);
	else
		str_addf(out, "%u", n->st.uid);
}

void tree_add_group(struct tree *t, struct str *out, const struct tree_node *n)
{
	const char *name = accounts_group_name(t->p, n->st.gid);

	if (name)
		str_adds(out, name);
	else
		str_addf(out, "%u", n->st.gid);
}

void tree_add_size(struct tree *t, struct str *out, uint64_t size)
{
	static const char units[] = "BKMGTPEZY", si_units[] = "BkMGTPEZY";
	double unit = t->si ? 1000 : 1024, scaled = (double)size;
	unsigned i = 0;

	if (!t->human) {
		str_addf(out, "%11llu", (unsigned long long)size);
		return;
	}
	if (scaled < unit) {
		str_addf(out, "%4llu", (unsigned long long)size);
		return;
	}
	for (; scaled >= unit; i++)
		scaled /= unit;
	str_addf(out, scaled < 10 ? "%3.1f%c" : "%3.0f%c", scaled, (t->si ? si_units : units)[i]);
}

void tree_add_date(struct tree *t, struct str *out, const struct tree_node *n)
{
	int64_t at = t->sort == TREE_CTIME ? n->st.ctime.sec : n->st.mtime.sec;
	const char *format = t->time_format;
	struct date_moment m;

	if (!format)
		format = at > t->now || at < t->now - 6 * 30 * 86400 ? "%b %e  %Y" : "%b %e %H:%M";
	if (date_moment(&m, at, 0, &t->zone))
		date_format(out, format, strlen(format), &m);
}

static void tree_field(struct str *s)
{
	str_addc(s, s->n ? ' ' : '[');
}

void tree_add_meta(struct tree *t, struct str *out, const struct tree_node *n)
{
	struct str s;
	size_t from;
	char mode[12];

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (t->inode)
		str_addf(&s, "[%7llu", (unsigned long long)(n->is_link ? n->to.ino : n->st.ino));
	if (t->device) {
		tree_field(&s);
		str_addf(&s, "%3llu", (unsigned long long)(n->is_link ? n->to.dev : n->st.dev));
	}
	if (t->perms) {
		tree_field(&s);
		tree_mode_text(n, mode);
		str_adds(&s, mode);
	}
	if (t->user) {
		tree_field(&s);
		from = s.n;
		tree_add_user(t, &s, n);
		str_fill(&s, ' ', s.n - from < 8 ? 8 - (s.n - from) : 0);
	}
	if (t->group) {
		tree_field(&s);
		from = s.n;
		tree_add_group(t, &s, n);
		str_fill(&s, ' ', s.n - from < 8 ? 8 - (s.n - from) : 0);
	}
	if (t->size) {
		tree_field(&s);
		tree_add_size(t, &s, n->size);
	}
	if (t->date) {
		tree_field(&s);
		tree_add_date(t, &s, n);
	}
	if (s.n)
		str_adds(&s, "]  ");
	str_addn(out, s.p, s.n);
	str_end(&s);
}

/* ---- Names ---- */

static void tree_escape_byte(struct tree *t, struct str *out, unsigned char c)
{
	if ((c >= 7 && c <= 13) || c == '\\' || (c == '"' && t->quote) || (c == ' ' && !t->quote)) {
		str_addc(out, '\\');
		str_addc(out, c > 13 ? c : "abtnvfr"[c - 7]);
	} else if (c >= ' ' && c < 127) {
		str_addc(out, c);
	} else if (t->question) {
		str_addc(out, t->utf8 && c > 127 ? c : '?');
	} else {
		str_addf(out, "\\%03o", c);
	}
}

static void tree_escape(struct tree *t, struct str *out, const char *s)
{
	if (t->utf8 && utf8_valid(s, strlen(s))) {
		for (; *s; s++) {
			unsigned char c = (unsigned char)*s;

			if (c >= ' ' && c != 127)
				str_addc(out, c);
			else if (t->question)
				str_addc(out, '?');
			else
				str_addf(out, "\\%03o", c);
		}
		return;
	}
	for (; *s; s++)
		tree_escape_byte(t, out, (unsigned char)*s);
}

static void tree_add_name(struct tree *t, const char *name)
{
	if (t->quote)
		str_addc(&t->out, '"');
	if (t->raw)
		str_adds(&t->out, name);
	else
		tree_escape(t, &t->out, name);
	if (t->quote)
		str_addc(&t->out, '"');
}

/* ---- Colours ---- */

static const char tree_default_colors[] =
	"no=00:rs=0:fi=00:di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:"
	"ex=01;32:*.bat=01;32:*.BAT=01;32:*.btm=01;32:*.BTM=01;32:*.cmd=01;32:*.CMD=01;32:"
	"*.com=01;32:*.COM=01;32:*.dll=01;32:*.DLL=01;32:*.exe=01;32:*.EXE=01;32:*.arj=01;31:"
	"*.bz2=01;31:*.deb=01;31:*.gz=01;31:*.lzh=01;31:*.rpm=01;31:*.tar=01;31:*.taz=01;31:"
	"*.tb2=01;31:*.tbz2=01;31:*.tbz=01;31:*.tgz=01;31:*.tz2=01;31:*.z=01;31:*.Z=01;31:"
	"*.zip=01;31:*.ZIP=01;31:*.zoo=01;31:*.asf=01;35:*.ASF=01;35:*.avi=01;35:*.AVI=01;35:"
	"*.bmp=01;35:*.BMP=01;35:*.flac=01;35:*.FLAC=01;35:*.gif=01;35:*.GIF=01;35:*.jpg=01;35:"
	"*.JPG=01;35:*.jpeg=01;35:*.JPEG=01;35:*.m2a=01;35:*.M2a=01;35:*.m2v=01;35:*.M2V=01;35:"
	"*.mov=01;35:*.MOV=01;35:*.mp3=01;35:*.MP3=01;35:*.mpeg=01;35:*.MPEG=01;35:*.mpg=01;35:"
	"*.MPG=01;35:*.ogg=01;35:*.OGG=01;35:*.ppm=01;35:*.rm=01;35:*.RM=01;35:*.tga=01;35:"
	"*.TGA=01;35:*.tif=01;35:*.TIF=01;35:*.wav=01;35:*.WAV=01;35:*.wmv=01;35:*.WMV=01;35:"
	"*.xbm=01;35:*.xpm=01;35:";

/* The code of a two-letter kind; NULL: none. */
static const char *tree_color_find(const struct tree *t, const char *key, size_t *n)
{
	const char *at = t->colors;
	size_t k = strlen(key);

	while (*at) {
		size_t len = strcspn(at, ":");

		if (len > k && !strncmp(at, key, k) && at[k] == '=') {
			*n = len - k - 1;
			return at + k + 1;
		}
		at += len + (at[len] == ':');
	}
	return NULL;
}

static const char *tree_color_suffix(const struct tree *t, const char *name, size_t *n)
{
	const char *at = t->colors;
	size_t name_n = strlen(name);

	while (*at) {
		size_t len = strcspn(at, ":"), key = strcspn(at, "=:");

		if (at[0] == '*' && key < len && key - 1 <= name_n &&
		    !memcmp(name + name_n - (key - 1), at + 1, key - 1)) {
			*n = len - key - 1;
			return at + key + 1;
		}
		at += len + (at[len] == ':');
	}
	return NULL;
}

static const char *tree_color_of(const struct tree *t, const char *name, uint32_t mode, bool orphan,
				 size_t *n)
{
	const char *key = "fi", *suffix;

	switch (mode & S_IFMT) {
	case S_IFDIR: key = "di"; break;
	case S_IFLNK: key = orphan ? "or" : "ln"; break;
	case S_IFIFO: key = "pi"; break;
	case S_IFSOCK: key = "so"; break;
	case S_IFBLK: key = "bd"; break;
	case S_IFCHR: key = "cd"; break;
	case 0: key = "no"; break;	/* what is not there */
	default:
		if (mode & 0111)
			return tree_color_find(t, "ex", n);
		suffix = tree_color_suffix(t, name, n);
		if (suffix)
			return suffix;
	}
	return tree_color_find(t, key, n);
}

static bool tree_color_begin(struct tree *t, const char *name, uint32_t mode, bool orphan)
{
	const char *code;
	size_t n = 0;

	if (!t->color)
		return false;
	if (!t->colors)
		t->colors = tree_default_colors;
	code = tree_color_of(t, name, mode, orphan, &n);
	if (!code)
		return false;
	str_adds(&t->out, "\033[");
	str_addn(&t->out, code, n);
	str_addc(&t->out, 'm');
	return true;
}

static void tree_color_end(struct tree *t, bool on)
{
	if (on)
		str_adds(&t->out, "\033[0m");
}

/* ---- Lines ---- */

static const char *const tree_marks[][3] = {
	[TREE_ASCII] = { "|   ", "|-- ", "`-- " },
	[TREE_UTF8] = { "\u2502\u00a0\u00a0 ", "\u251c\u2500\u2500 ", "\u2514\u2500\u2500 " },
	[TREE_ANSI] = { "x   ", "tqq ", "mqq " },
	[TREE_CP437] = { "\263   ", "\303\304\304 ", "\300\304\304 " },
	[TREE_LATIN1] = { "|   ", "|-- ", "&middot;-- " },
};

static bool tree_is_last(const struct tree_node *n)
{
	return n->place + 1 == n->parent->n_kids;
}

/* The bars for what is below the first n levels of `up`. */
static void tree_bars(struct tree *t, const struct tree_node *n, size_t levels)
{
	const char *blank = t->data == 'H' && t->lines != TREE_ANSI
			    ? "&nbsp;&nbsp;&nbsp; " : "    ";
	const struct tree_node **up = tsb_alloc(t->p, (n->depth + 1) * sizeof(*up));
	size_t i = n->depth;

	for (const struct tree_node *a = n; a->parent; a = a->parent)
		up[i--] = a;
	for (i = 1; i <= levels; i++)
		str_adds(&t->out, tree_is_last(up[i]) ? blank : tree_marks[t->lines][0]);
	tsb_free(t->p, up);
}

void tree_add_indent(struct tree *t, const struct tree_node *n)
{
	if (t->flat || !n->depth)
		return;
	if (t->lines == TREE_ANSI)
		str_adds(&t->out, "\033(0");
	tree_bars(t, n, n->depth - 1);
	str_adds(&t->out, tree_marks[t->lines][tree_is_last(n) ? 2 : 1]);
	if (t->lines == TREE_ANSI)
		str_adds(&t->out, "\033(B");
}

static void tree_add_bars(struct tree *t, const struct tree_node *n)
{
	if (t->lines == TREE_ANSI)
		str_adds(&t->out, "\033(0");
	tree_bars(t, n, n->depth);
	if (t->lines == TREE_ANSI)
		str_adds(&t->out, "\033(B");
}

static int tree_letter(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR: return '/';
	case S_IFSOCK: return '=';
	case S_IFIFO: return '|';
	case S_IFREG: return mode & 0111 ? '*' : 0;
	default: return 0;
	}
}

static void tree_line(struct tree *t, const struct tree_node *n)
{
	char *path = t->full && n->depth ? tree_path(t, n) : NULL;
	const char *name = path ? path : n->name;
	bool on;
	int letter;

	if (t->meta_first && !n->missing)
		tree_add_meta(t, &t->out, n);
	tree_add_indent(t, n);
	if (!t->meta_first && !n->missing)
		tree_add_meta(t, &t->out, n);
	on = !n->missing && tree_color_begin(t, n->name, n->st.mode, n->is_link && !n->leads);
	tree_add_name(t, name);
	tree_color_end(t, on);
	if (n->target) {
		str_adds(&t->out, " -> ");
		on = tree_color_begin(t, n->target, n->leads ? n->to.mode : 0, false);
		tree_add_name(t, n->target);
		tree_color_end(t, on);
	}
	letter = n->missing ? 0 : tree_letter(n->is_link ? n->leads ? n->to.mode : 0 : n->st.mode);
	if (t->classify && !t->dirs_only && letter && (letter != '/' || name[strlen(name) - 1] != '/'))
		str_addc(&t->out, letter);
	if (n->note)
		str_addf(&t->out, "  [%s]", n->note);
	str_addc(&t->out, '\n');
	tsb_free(t->p, path);
	tree_drain(t, false);
}

void tree_report(struct tree *t)
{
	if (t->no_report)
		return;
	str_addc(&t->out, '\n');
	if (t->du) {
		str_addc(&t->out, ' ');
		tree_add_size(t, &t->out, t->total);
		str_adds(&t->out, t->human ? " used in " : " bytes used in ");
	}
	str_addf(&t->out, "%llu director%s", (unsigned long long)t->n_dirs,
		 t->n_dirs == 1 ? "y" : "ies");
	if (!t->dirs_only)
		str_addf(&t->out, ", %llu file%s", (unsigned long long)t->n_files,
			 t->n_files == 1 ? "" : "s");
	str_addc(&t->out, '\n');
}

/* The lines of a .info file, below the name and with a brace. */
static void tree_info_lines(struct tree *t, const struct tree_node *n)
{
	static const char *const braces[] = { "\u23a7", "\u23a8", "\u23aa", "\u23a9" };
	const struct tree_info *info = n->info;
	struct str meta;

	str_init(&meta, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (info && t->meta_first)
		tree_add_meta(t, &meta, n);
	for (size_t i = 0; info && i < info->n; i++) {
		size_t which = !i ? 0 : i + 1 == info->n ? 3 : i == 1 ? 1 : 2;

		tsb_tick(t->p, 1);
		str_fill(&t->out, ' ', meta.n);
		tree_add_bars(t, n);
		str_addf(&t->out, " %s %s\n", t->lines != TREE_UTF8 && t->lines != TREE_ANSI ? "["
			 : info->n == 1 ? "{" : braces[which], info->lines[i]);
		tree_drain(t, false);
	}
	str_end(&meta);
}

static void tree_line_and_info(struct tree *t, const struct tree_node *n)
{
	tree_line(t, n);
	tree_info_lines(t, n);
}

void tree_show_text(struct tree *t, struct tree_node **roots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tree_line(t, roots[i]);
		tree_below(t, roots[i], tree_line_and_info, NULL);
	}
	tree_report(t);
}
