/*
 * dircolors - $LS_COLORS from a description of colours.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/util.h"
#include "text/pattern.h"

struct dircolors {
	int shell;		/* 'b' or 'c', the last one given */
	bool database, shown;

	struct tsb_proc *p;
	struct str out;
	const char *term, *colorterm;
	const char *name;	/* of the file, for messages */
	uint64_t line;
	enum { DIRCOLORS_ALL, DIRCOLORS_NO, DIRCOLORS_YES, DIRCOLORS_SURE } state;
	bool failed;
};

/* The description that there is without a file: its colours, then names in the order of the
 * output, each row of one colour. */
static const char *const dircolors_terms[] = {
	"Eterm", "ansi", "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin", "*direct*",
	"dtterm", "gnome", "hurd", "jfbterm", "konsole", "kterm", "linux", "linux-c", "mlterm",
	"putty", "rxvt*", "screen*", "st", "terminator", "tmux*", "vt100", "xterm*", NULL
};

static const char *const dircolors_kinds[] = {
	"RESET 0", "DIR 01;34", "LINK 01;36", "MULTIHARDLINK 00", "FIFO 40;33", "SOCK 01;35",
	"DOOR 01;35", "BLK 40;33;01", "CHR 40;33;01", "ORPHAN 40;31;01", "MISSING 00",
	"SETUID 37;41", "SETGID 30;43", "CAPABILITY 00", "STICKY_OTHER_WRITABLE 30;42",
	"OTHER_WRITABLE 34;42", "STICKY 37;44", "EXEC 01;32", NULL
};

static const struct {
	const char *color, *names;
} dircolors_names[] = {
	{ "01;31", ".tar .tgz .arc .arj .taz .lha .lz4 .lzh .lzma .tlz .txz .tzo .t7z .zip .z .dz "
		   ".gz .lrz .lz .lzo .xz .zst .tzst .bz2 .bz .tbz .tbz2 .tz .deb .rpm .jar .war "
		   ".ear .sar .rar .alz .ace .zoo .cpio .7z .rz .cab .wim .swm .dwm .esd" },
	{ "01;35", ".avif .jpg .jpeg .mjpg .mjpeg .gif .bmp .pbm .pgm .ppm .tga .xbm .xpm .tif "
		   ".tiff .png .svg .svgz .mng .pcx .mov .mpg .mpeg .m2v .mkv .webm .webp .ogm "
		   ".mp4 .m4v .mp4v .vob .qt .nuv .wmv .asf .rm .rmvb .flc .avi .fli .flv .gl .dl "
		   ".xcf .xwd .yuv .cgm .emf .ogv .ogx" },
	{ "00;36", ".aac .au .flac .m4a .mid .midi .mka .mp3 .mpc .ogg .ra .wav .oga .opus .spx "
		   ".xspf" },
	{ "00;90", "*~ *# .bak .old .orig .part .rej .swp .tmp .dpkg-dist .dpkg-old .ucf-dist "
		   ".ucf-new .ucf-old .rpmnew .rpmorig .rpmsave" },
};

/* What a keyword is in $LS_COLORS. */
static const char *const dircolors_codes[][2] = {
	{ "NORMAL", "no" }, { "NORM", "no" }, { "FILE", "fi" }, { "RESET", "rs" }, { "DIR", "di" },
	{ "LNK", "ln" }, { "LINK", "ln" }, { "SYMLINK", "ln" }, { "ORPHAN", "or" },
	{ "MISSING", "mi" }, { "FIFO", "pi" }, { "PIPE", "pi" }, { "SOCK", "so" }, { "BLK", "bd" },
	{ "BLOCK", "bd" }, { "CHR", "cd" }, { "CHAR", "cd" }, { "DOOR", "do" }, { "EXEC", "ex" },
	{ "LEFT", "lc" }, { "LEFTCODE", "lc" }, { "RIGHT", "rc" }, { "RIGHTCODE", "rc" },
	{ "END", "ec" }, { "ENDCODE", "ec" }, { "SUID", "su" }, { "SETUID", "su" },
	{ "SGID", "sg" }, { "SETGID", "sg" }, { "STICKY", "st" }, { "OTHER_WRITABLE", "ow" },
	{ "OWR", "ow" }, { "STICKY_OTHER_WRITABLE", "tw" }, { "OWT", "tw" },
	{ "CAPABILITY", "ca" }, { "MULTIHARDLINK", "mh" }, { "CLRTOEOL", "cl" },
};

static const struct tsb_opt dircolors_opts[] = {
	TSB_OPT_SET(struct dircolors, shell, 'b', 'b', "sh", "output Bourne shell code to set LS_COLORS"),
	TSB_OPT_SET(struct dircolors, shell, 'b', 0, "bourne-shell", NULL),
	TSB_OPT_SET(struct dircolors, shell, 'c', 'c', "csh", "output C shell code to set LS_COLORS"),
	TSB_OPT_SET(struct dircolors, shell, 'c', 0, "c-shell", NULL),
	TSB_OPT_FLAG(struct dircolors, database, 'p', "print-database", "output defaults"),
	TSB_OPT_FLAG(struct dircolors, shown, 0, "print-ls-colors",
		     "output fully escaped colors for display"),
	TSB_OPT_END
};

/* ---- Output ---- */

static void dircolors_quoted(struct str *out, const char *s, size_t n)
{
	bool backslash = true;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\'') {
			str_adds(out, "'\\'");
			backslash = true;
		} else if (s[i] == '\\' || s[i] == '^') {
			backslash = !backslash;
		} else {
			if ((s[i] == ':' || s[i] == '=') && backslash)
				str_addc(out, '\\');
			backslash = true;
		}
		str_addc(out, s[i]);
	}
}

static void dircolors_entry(struct dircolors *d, const char *front, const char *item,
			    const char *arg)
{
	struct str *out = &d->out;

	if (d->shown) {
		str_addf(out, "\033[%sm%s%s\t%s\033[0m\n", arg, front, item, arg);
		return;
	}
	str_adds(out, front);
	dircolors_quoted(out, item, strlen(item));
	str_addc(out, '=');
	dircolors_quoted(out, arg, strlen(arg));
	str_addc(out, ':');
}

/* ---- Reading ---- */

static bool dircolors_same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a >= 'a' && *a <= 'z' ? *a - 32 : *a) != *b)
			return false;
	return !*a && !*b;
}

static bool dircolors_matches(struct dircolors *d, const char *pattern, const char *text)
{
	struct pattern *compiled = pattern_compile(tsb_heap_of(d->p), pattern, strlen(pattern), 0);

	return compiled && pattern_match(compiled, text, strlen(text));
}

static void dircolors_bad(struct dircolors *d, const char *what)
{
	tsb_warn(d->p, "%s:%llu: %s", quote_f(d->p, d->name), (unsigned long long)d->line, what);
	d->failed = true;
}

/* A keyword that is none of TERM and COLORTERM; false: unknown. */
static bool dircolors_keyword(struct dircolors *d, const char *word, const char *arg)
{
	if (word[0] == '.' || word[0] == '*') {
		dircolors_entry(d, word[0] == '.' ? "*" : "", word, arg);
		return true;
	}
	if (dircolors_same(word, "OPTIONS") || dircolors_same(word, "COLOR") ||
	    dircolors_same(word, "EIGHTBIT"))
		return true;
	for (size_t i = 0; i < sizeof(dircolors_codes) / sizeof(*dircolors_codes); i++) {
		if (dircolors_same(word, dircolors_codes[i][0])) {
			dircolors_entry(d, "", dircolors_codes[i][1], arg);
			return true;
		}
	}
	return false;
}

static void dircolors_setting(struct dircolors *d, const char *word, const char *arg)
{
	bool is_term = dircolors_same(word, "TERM"), known = true;

	if (is_term || dircolors_same(word, "COLORTERM")) {
		if (d->state != DIRCOLORS_SURE)
			d->state = dircolors_matches(d, arg, is_term ? d->term : d->colorterm) ?
				   DIRCOLORS_SURE : DIRCOLORS_NO;
		return;
	}
	if (d->state == DIRCOLORS_SURE)
		d->state = DIRCOLORS_YES;
	if (d->state != DIRCOLORS_NO)
		known = dircolors_keyword(d, word, arg);
	if (!known && d->state == DIRCOLORS_YES)
		dircolors_bad(d, tsb_format(d->p, "unrecognized keyword %s", word));
}

#define DIRCOLORS_SPACE " \t\n\v\f\r"

static void dircolors_line(struct dircolors *d, char *s)
{
	char *word, *arg;
	size_t n;

	d->line++;
	s += strspn(s, DIRCOLORS_SPACE);
	if (!*s || *s == '#')
		return;
	word = s;
	s += strcspn(s, DIRCOLORS_SPACE);
	arg = s + strspn(s, DIRCOLORS_SPACE);
	if (!*arg || *arg == '#') {
		dircolors_bad(d, "invalid line;  missing second token");
		return;
	}
	*s = '\0';
	n = strcspn(arg, "#");
	while (strchr(DIRCOLORS_SPACE, arg[n - 1]))
		n--;
	arg[n] = '\0';
	dircolors_setting(d, word, arg);
}

static bool dircolors_file(struct dircolors *d, const char *name)
{
	int fd = input_open(d->p, name);
	struct tsb_reader in;
	char *line;

	d->name = name;
	if (fd < 0) {
		tsb_warn_errno(d->p, fd, "%s", quote_f(d->p, name));
		return false;
	}
	tsb_reader_init(&in, d->p, fd);
	while (tsb_getdelim(&in, &line, '\n')) {
		dircolors_line(d, line);
		tsb_tick(d->p, 1);
	}
	if (in.error == -EBADF) {
		tsb_warn_errno(d->p, in.error, "%s", quote_f(d->p, name));
		return false;
	}
	return !d->failed;
}

/* ---- The description there is ---- */

/* Each line of it to dircolors_line(), or to standard output. */
static void dircolors_default(struct dircolors *d, const char *word, const char *arg)
{
	char *line = tsb_format(d->p, *arg ? "%s %s\n" : "%s%s\n", word, arg);

	if (d->database)
		tsb_puts(d->p, line);
	else
		dircolors_line(d, line);
	tsb_free(d->p, line);
}

static void dircolors_defaults(struct dircolors *d)
{
	dircolors_default(d, "COLORTERM", "?*");
	for (size_t i = 0; dircolors_terms[i]; i++)
		dircolors_default(d, "TERM", dircolors_terms[i]);
	for (size_t i = 0; dircolors_kinds[i]; i++)
		dircolors_default(d, dircolors_kinds[i], "");
	for (size_t i = 0; i < sizeof(dircolors_names) / sizeof(*dircolors_names); i++) {
		char *list = tsb_strdup(d->p, dircolors_names[i].names), *name;

		while ((name = strsep(&list, " ")))
			dircolors_default(d, name, dircolors_names[i].color);
	}
}

/* ---- The command ---- */

/* 0: Bourne's, 1: C's; -1: not known. */
static int dircolors_shell(struct tsb_proc *p)
{
	const char *shell = tsb_getenv(p, "SHELL"), *base;

	if (!shell || !*shell)
		return -1;
	base = strrchr(shell, '/');
	base = base ? base + 1 : shell;
	return !strcmp(base, "csh") || !strcmp(base, "tcsh");
}

static int dircolors_check(struct dircolors *d, int argc, char **argv)
{
	if ((d->database || d->shown) && d->shell)
		return tsb_usage(d->p, "the options to output non shell syntax,\n"
				 "and to select a shell syntax are mutually exclusive");
	if (d->database && d->shown)
		return tsb_usage(d->p, "options --print-database and --print-ls-colors are mutually "
				 "exclusive");
	if (d->database && argc)
		return tsb_usage(d->p, "extra operand %s\nfile operands cannot be combined with "
				 "--print-database (-p)", quote_text(d->p, argv[0]));
	return argc > 1 ? util_extra_operand(d->p, argv[1]) : 0;
}

static int dircolors_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct dircolors *d = opts;
	int shell, status;

	d->p = p;
	status = dircolors_check(d, argc, argv);
	if (status)
		return status;
	if (d->database) {
		dircolors_defaults(d);
		return 0;
	}
	shell = d->shell ? d->shell == 'c' : d->shown ? 0 : dircolors_shell(p);
	if (shell < 0) {
		tsb_warn(p, "no SHELL environment variable, and no shell type option given");
		return 1;
	}
	d->term = tsb_getenv(p, "TERM");
	d->term = d->term && *d->term ? d->term : "none";
	d->colorterm = tsb_getenv(p, "COLORTERM");
	d->colorterm = d->colorterm ? d->colorterm : "";
	str_init(&d->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!argc)
		dircolors_defaults(d);
	else if (!dircolors_file(d, argv[0]))
		return 1;
	if (!d->shown)
		tsb_puts(p, shell ? "setenv LS_COLORS '" : "LS_COLORS='");
	tsb_put(p, d->out.p, d->out.n);
	if (!d->shown)
		tsb_puts(p, shell ? "'\n" : "';\nexport LS_COLORS\n");
	return 0;
}

const struct tsb_command cmd_dircolors = {
	CMD_COREUTILS, .name = "dircolors", .synopsis = "[OPTION]... [FILE]",
	.summary = "Output commands to set the LS_COLORS environment variable.",
	.opts = dircolors_opts, .opts_size = sizeof(struct dircolors), .run = dircolors_run,
};
