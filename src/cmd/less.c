/*
 * less - on a terminal a screen of the text (less.h). Without one a filter: the text goes through as it is,
 * whatever the options would have done to a screen. They are read all the same (from $LESS, too), for their
 * arguments are not files, and $LESSOPEN may put another text in a file's place.
 */
#include "cmd/less.h"

#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/str.h"
#include "cmd/util.h"

/* The argument's name says its kind: a number, or a text. */
static const struct tsb_opt less_opts[] = {
	TSB_OPT_DOC('?', "help", NULL, "display this help"),
	TSB_OPT_DOC('a', "search-skip-screen", NULL, "search skips the current screen"),
	TSB_OPT_DOC('A', "SEARCH-SKIP-SCREEN", NULL, NULL),
	TSB_OPT_DOC('b', "buffers", "N", "number of buffers"),
	TSB_OPT_DOC('B', "auto-buffers", NULL, "no buffers on demand for pipes"),
	TSB_OPT_DOC('c', "clear-screen", NULL, "repaint by clearing"),
	TSB_OPT_DOC('C', "CLEAR-SCREEN", NULL, NULL),
	TSB_OPT_DOC('d', "dumb", NULL, "a dumb terminal"),
	TSB_OPT_DOC('D', "color", "TEXT", "set the screen's colors"),
	TSB_OPT_DOC('e', "quit-at-eof", NULL, "quit at the end of the file"),
	TSB_OPT_DOC('E', "QUIT-AT-EOF", NULL, NULL),
	TSB_OPT_DOC('f', "force", NULL, "open files that are not regular"),
	TSB_OPT_DOC('F', "quit-if-one-screen", NULL, "quit if all of it fits on one screen"),
	TSB_OPT_DOC('g', "hilite-search", NULL, "highlight only the last match"),
	TSB_OPT_DOC('G', "HILITE-SEARCH", NULL, NULL),
	TSB_OPT_DOC('h', "max-back-scroll", "N", "limit of scrolling back"),
	TSB_OPT_DOC('i', "ignore-case", NULL, "ignore case in searches"),
	TSB_OPT_DOC('I', "IGNORE-CASE", NULL, NULL),
	TSB_OPT_DOC('j', "jump-target", "TEXT", "where target lines stand"),
	TSB_OPT_DOC('J', "status-column", NULL, "a status column at the left"),
	TSB_OPT_DOC('k', "lesskey-file", "TEXT", "a file of keys"),
	TSB_OPT_DOC('K', "quit-on-intr", NULL, "an interrupt ends it"),
	TSB_OPT_DOC('L', "no-lessopen", NULL, "ignore LESSOPEN"),
	TSB_OPT_DOC('m', "long-prompt", NULL, "style of the prompt"),
	TSB_OPT_DOC('M', "LONG-PROMPT", NULL, NULL),
	TSB_OPT_DOC('n', "line-numbers", NULL, "no line numbers; -N: show them"),
	TSB_OPT_DOC('N', "LINE-NUMBERS", NULL, NULL),
	TSB_OPT_DOC('o', "log-file", "TEXT", "copy standard input to a file; -O: overwrite it"),
	TSB_OPT_DOC('O', "LOG-FILE", "TEXT", NULL),
	TSB_OPT_DOC('p', "pattern", "TEXT", "begin at a pattern"),
	TSB_OPT_DOC('P', "prompt", "TEXT", "another prompt"),
	TSB_OPT_DOC('q', "quiet", NULL, "no bell"),
	TSB_OPT_DOC('Q', "QUIET", NULL, NULL),
	TSB_OPT_DOC('q', "silent", NULL, "no bell"),
	TSB_OPT_DOC('Q', "SILENT", NULL, NULL),
	TSB_OPT_DOC('r', "raw-control-chars", NULL, "control characters as they are"),
	TSB_OPT_DOC('R', "RAW-CONTROL-CHARS", NULL, NULL),
	TSB_OPT_DOC('s', "squeeze-blank-lines", NULL, "one blank line for several"),
	TSB_OPT_DOC('S', "chop-long-lines", NULL, "cut long lines"),
	TSB_OPT_DOC('t', "tag", "TEXT", "find a tag"),
	TSB_OPT_DOC('T', "tag-file", "TEXT", "another file of tags"),
	TSB_OPT_DOC('u', "underline-special", NULL, "what backspaces do"),
	TSB_OPT_DOC('U', "UNDERLINE-SPECIAL", NULL, NULL),
	TSB_OPT_DOC('V', "version", NULL, "output version information and exit"),
	TSB_OPT_DOC('w', "hilite-unread", NULL, "highlight the first new line"),
	TSB_OPT_DOC('W', "HILITE-UNREAD", NULL, NULL),
	TSB_OPT_DOC('x', "tabs", "TEXT", "tab stops"),
	TSB_OPT_DOC('X', "no-init", NULL, "no initialisation of the terminal"),
	TSB_OPT_DOC('y', "max-forw-scroll", "N", "limit of scrolling forward"),
	TSB_OPT_DOC('z', "window", "N", "size of the window"),
	TSB_OPT_DOC('"', "quotes", "TEXT", "quoting of file names"),
	TSB_OPT_DOC('~', "tilde", NULL, "no tildes behind the end"),
	TSB_OPT_DOC('#', "shift", "N", "columns of a shift"),
	TSB_OPT_DOC(0, "file-size", NULL, "find out the file's size"),
	TSB_OPT_DOC(0, "follow-name", NULL, "F goes on with a renamed file's successor"),
	TSB_OPT_DOC(0, "incsearch", NULL, "search while the pattern is typed"),
	TSB_OPT_DOC(0, "line-num-width", "N", "width of line numbers"),
	TSB_OPT_DOC(0, "mouse", NULL, "the mouse works"),
	TSB_OPT_DOC(0, "MOUSE", NULL, NULL),
	TSB_OPT_DOC(0, "no-keypad", NULL, "no codes for the keypad"),
	TSB_OPT_DOC(0, "no-histdups", NULL, "no line twice in the history"),
	TSB_OPT_DOC(0, "rscroll", "TEXT", "what marks cut lines"),
	TSB_OPT_DOC(0, "save-marks", NULL, "keep marks"),
	TSB_OPT_DOC(0, "status-col-width", "N", "width of the status column"),
	TSB_OPT_DOC(0, "use-backslash", NULL, "backslash escapes in the options that follow"),
	TSB_OPT_DOC(0, "use-color", NULL, "colored text"),
	TSB_OPT_DOC(0, "wheel-lines", "N", "lines a turn of the wheel"),
	TSB_OPT_END
};

static void less_say(struct less *l, const char *text)
{
	tsb_flush(l->p);
	tsb_write_all(l->p, 2, text, strlen(text));
}

static bool less_is_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

const struct tsb_opt *less_by_letter(int c)
{
	for (const struct tsb_opt *o = less_opts; o->kind != TSB_OPTION_END; o++)
		if (c && o->short_name == c)
			return o;
	return NULL;
}

/* Does name begin known? Written in capitals it may mean either form; else only the small one. */
static bool less_begins(const char *known, const char *name, size_t n)
{
	if (less_is_upper(known[0]) && !less_is_upper(name[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((known[i] | 32) != (name[i] | 32) || (!i && !known[i]))
			return false;
	return true;
}

const struct tsb_opt *less_by_long_name(const char *name)
{
	for (const struct tsb_opt *o = less_opts; o->kind != TSB_OPTION_END; o++)
		if (!strcasecmp(o->long_name, name))
			return o;
	return NULL;
}

/* Two rows of one option: its two forms, or two names of it. */
static bool less_same(const struct tsb_opt *a, const struct tsb_opt *b)
{
	return a->short_name && (a->short_name | 32) == (b->short_name | 32);
}

/* One whose name this begins; NULL: none or more than one. */
static const struct tsb_opt *less_by_name(struct less *l, const char *name, size_t n)
{
	const struct tsb_opt *found = NULL;

	for (const struct tsb_opt *o = less_opts; n && o->kind != TSB_OPTION_END; o++) {
		if (!less_begins(o->long_name, name, n))
			continue;
		if (!o->long_name[n])
			return o;
		if (found && !less_same(o, found)) {
			less_say(l, tsb_format(l->p, "%.*s is an ambiguous abbreviation "
					       "(\"less --help\" for help)\n", (int)n, name));
			return NULL;
		}
		found = o;
	}
	if (!found)
		less_say(l, tsb_format(l->p, "There is no %s option (\"less --help\" for help)\n", name));
	return found;
}

static void less_need(struct less *l, const struct tsb_opt *o, const char *value, const char *called)
{
	if (o->arg[0] == 'N' && strspn(value + (*value == '-'), "0123456789") == 0) {
		less_say(l, tsb_format(l->p, "Number is required after %s\n", called));
		tsb_exit(l->p, 0);
	}
	if (o->short_name == 'k' && tsb_access(l->p, value, TSB_R_OK) < 0)
		less_say(l, tsb_format(l->p, "Cannot use lesskey file \"%s\"\n", value));
	less_set(l, o->short_name, o->long_name, value, false);
}

static void less_flag(struct less *l, const struct tsb_opt *o, bool reset)
{
	less_set(l, o->short_name, o->long_name, NULL, reset);
}

/* In $LESS a dollar sign ends a text, and words follow; on the command line an argument does. */
static const char *less_value(struct less *l, const struct tsb_opt *o, const char *at, bool env,
			      const char *called)
{
	size_t n = env ? strcspn(at, o->arg[0] == 'N' ? "$ " : "$") : strlen(at);

	less_need(l, o, tsb_strndup(l->p, at, n), called);
	return at + n;
}

static _Noreturn void less_missing(struct less *l, const struct tsb_opt *o)
{
	less_say(l, o->short_name ?
		 tsb_format(l->p, "Value is required after -%c (--%s)\n", o->short_name, o->long_name) :
		 tsb_format(l->p, "Value is required after --%s\n", o->long_name));
	tsb_exit(l->p, 0);
}

/* "name", "name=value" behind two dashes. The place behind it; *want: its argument is the next one. */
static const char *less_long(struct less *l, const char *name, bool env, const struct tsb_opt **want)
{
	size_t end = env ? strcspn(name, "$") : strlen(name), n = strcspn(name, env ? "=$ " : "=");
	size_t sign = n && (name[n - 1] == '-' || name[n - 1] == '+');
	const struct tsb_opt *o = less_by_name(l, tsb_strndup(l->p, name, end), n - sign);

	if (!o)
		return name + end;
	if (!o->arg) {
		less_flag(l, o, sign && name[n - 1] == '+');
		return name + n;
	}
	if (name[n] == '=' || (env && name[n] == ' '))
		return less_value(l, o, name + n + 1, env, tsb_strndup(l->p, name, end));
	*want = o;
	return name + n;
}

/* -5: the window's size. */
static const char *less_digits(struct less *l, const char *at)
{
	size_t n = strspn(at, "0123456789");

	less_set(l, 'z', "window", tsb_strndup(l->p, at, n > 6 ? 6 : n), false);
	return at + n;
}

/* +COMMAND, ++COMMAND for every file. */
static const char *less_plus(struct less *l, const char *at, bool env)
{
	size_t n = env ? strcspn(at, "$") : strlen(at);
	const char *text = tsb_strndup(l->p, at, n);

	if (text[1] == '+')
		l->every = text + 2;
	else
		*vec_add(tsb_heap_of(l->p), &l->plus) = text + 1;
	return at + n;
}

/* A word of options, or all of $LESS. NULL, or the option whose argument comes next. */
static const struct tsb_opt *less_scan(struct less *l, const char *at, bool env)
{
	const struct tsb_opt *o, *want = NULL;
	bool reset;

	while (*at) {
		if (at[0] == '-' && at[1] == '-') {
			at = less_long(l, at + 2, env, &want);
			if (want || !env)
				return want;
			continue;
		}
		if (*at >= '0' && *at <= '9') {
			at = less_digits(l, at);
			continue;
		}
		if (at[0] == '+' && env) {
			at = less_plus(l, at, env);
			continue;
		}
		reset = at[0] == '-' && at[1] == '+';
		if (strchr("+-$ \t\n", *at)) {
			at += 1 + reset;
			if (!reset)
				continue;
		}
		o = less_by_letter((unsigned char)*at);
		if (!o) {
			less_say(l, tsb_format(l->p, "There is no -%c option (\"less --help\" for help)\n",
					       *at));
			return NULL;
		}
		at++;
		if (!o->arg) {
			less_flag(l, o, reset);
			continue;
		}
		at += env ? strspn(at, " ") : 0;
		if (!*at)
			return o;
		at = less_value(l, o, at, env, tsb_format(l->p, "-%c", o->short_name));
	}
	return NULL;
}

/* ---- Text ---- */

/* All of a descriptor to standard output. */
static void less_copy(struct less *l, int fd)
{
	char *buf = tsb_alloc(l->p, 65536);
	ssize_t n;

	while ((n = tsb_read(l->p, fd, buf, 65536)) > 0)
		tsb_put(l->p, buf, (size_t)n);
	tsb_free(l->p, buf);
}

static void less_put_quoted(struct str *s, const char *name)
{
	for (; *name; name++) {
		if (strchr(" \t\n;*?\"'()<>[|&^`#\\$%=~", *name))
			str_addc(s, '\\');
		str_addc(s, *name);
	}
}

/* The command of $LESSOPEN for a file. */
static char *less_command(struct less *l, const char *text, const char *name)
{
	struct str s;

	str_init(&s, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	for (; *text; text++) {
		if (text[0] != '%' || (text[1] != 's' && text[1] != '%')) {
			str_addc(&s, *text);
			continue;
		}
		text++;
		if (*text == 's')
			less_put_quoted(&s, name);
		else
			str_addc(&s, '%');
	}
	return tsb_strndup(l->p, s.p, s.n);
}

static int less_start(struct less *l, const char *command, int *pid)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	int fd[2];
	struct tsb_fd_map map[2];
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = argv, .fds = map,
				 .n_fds = 2 };

	tsb_flush(l->p);
	if (tsb_pipe(l->p, fd) < 0)
		return -1;
	map[0] = (struct tsb_fd_map){ 1, fd[1] };
	map[1] = (struct tsb_fd_map){ fd[0], -1 };
	if (tsb_spawn(l->p, &how, pid) < 0)
		return -1;
	tsb_close(l->p, fd[1]);
	return fd[0];
}

static void less_file(struct less *l, const char *name);

/* "|command": its output is the text, unless there is none; "||": also then, if it went well.
 * Without a bar the output names another file. false: the file itself is shown. */
static bool less_filtered_by(struct less *l, const char *name)
{
	const char *open = l->open;
	unsigned bars = 0;
	char *line, *data;
	struct tsb_reader in;
	size_t n;
	int pid, status = 0, fd;

	for (; *open == '|'; open++)
		bars++;
	if (*open == '-' && bars)
		open++;
	else if (!strcmp(name, "-"))
		return false;
	fd = less_start(l, less_command(l, open, name), &pid);
	if (fd < 0)
		return false;
	tsb_reader_init(&in, l->p, fd);
	n = bars ? tsb_getblock(&in, &data) : tsb_getdelim(&in, &line, '\n');
	if (!bars && n) {
		line = tsb_strndup(l->p, line, n - (line[n - 1] == '\n'));
		l->open = "";
		less_file(l, line);
		l->open = tsb_getenv(l->p, "LESSOPEN");
	}
	for (size_t got = bars ? n : 0; got; got = tsb_getblock(&in, &data))
		tsb_put(l->p, data, got);
	tsb_close(l->p, fd);
	tsb_wait(l->p, pid, &status, 0);
	return n || (bars > 1 && status == 0);
}

static void less_file(struct less *l, const char *name)
{
	struct tsb_stat st;
	int fd, err = 0;

	if (*l->open && less_filtered_by(l, name))
		return;
	if (!strcmp(name, "-")) {
		less_copy(l, 0);
		return;
	}
	fd = tsb_open(l->p, name, O_RDONLY, 0);
	if (fd >= 0)
		err = tsb_fstat(l->p, fd, &st);
	if (fd < 0 || err < 0)
		tsb_printf(l->p, "%s: %s\n", name, tsb_strerror(fd < 0 ? fd : err));
	else if (S_ISDIR(st.mode))
		tsb_printf(l->p, l->o.force ? "read error\n\033[K" : "%s is a directory\n", name);
	else
		less_copy(l, fd);
	if (fd >= 0)
		tsb_close(l->p, fd);
}

static bool less_names_one(const char *open)
{
	int n = 0;

	for (; (open = strchr(open, '%')) && open[1]; open += 2)
		n += open[1] == 's';
	return n == 1;
}

static void less_check_open(struct less *l)
{
	const char *open = tsb_getenv(l->p, "LESSOPEN");

	l->open = "";
	if (!l->o.no_open || !open || !*open)
		return;
	if (less_names_one(open))
		l->open = open;
	else
		tsb_puts(l->p, "LESSOPEN ignored: must contain exactly one %s\n");
}

/* The arguments: files stay at the front of argv; how many, -1: all is done. */
static int less_arguments(struct less *l, int argc, char **argv)
{
	bool options = true;
	int files = 0;

	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];
		const struct tsb_opt *want;

		if (!options || (arg[0] != '-' && arg[0] != '+') || !arg[1]) {
			argv[files++] = argv[i];
			continue;
		}
		if (!strcmp(arg, "--")) {
			options = false;
		} else if (!strncmp("--version", arg, strlen(arg) > 6 ? strlen(arg) : 10) ||
			   !strcmp(arg, "-V")) {
			tsb_puts(l->p, "less 590 (GNU regular expressions)\n\n"
				       "This is tinysandbox's less.\n");
			return -1;
		} else if (!strcmp(arg, "--help") || !strcmp(arg, "-?")) {
			tsb_puts(l->p, "Usage: less [OPTION]... [FILE]...\nShow text a screen at a time; \"h\" there "
				       "tells the keys.  Without a terminal it goes through unchanged.\n");
			return -1;
		} else if (arg[0] == '+') {
			less_plus(l, arg, false);
		} else {
			want = less_scan(l, arg[1] == '-' ? arg : arg + 1, false);
			if (want && i + 1 == argc)
				less_missing(l, want);
			if (want)
				less_need(l, want, argv[++i], tsb_format(l->p, "%s", arg));
		}
	}
	return files;
}

/* ---- A screen ---- */

/* What $LESSOPEN has for a file: a descriptor of its pipe or of the file that it names; -1: nothing. */
int less_opened(struct less *l, const char *name, int *pid)
{
	const char *open = l->open;
	size_t bars = strspn(open, "|"), n;
	struct tsb_reader in;
	char *line;
	int fd;

	*pid = 0;
	open += bars;
	if (*open == '-' && bars)
		open++;
	else if (!strcmp(name, "-"))
		return -1;
	fd = *open ? less_start(l, less_command(l, open, name), pid) : -1;
	if (fd < 0 || (bars && tsb_poll_in(l->p, fd, -1) > 0))
		return fd;
	tsb_reader_init(&in, l->p, fd);
	n = tsb_getdelim(&in, &line, '\n');
	if (n)
		fd = tsb_open(l->p, tsb_strndup(l->p, line, n - (line[n - 1] == '\n')), O_RDONLY | O_CLOEXEC, 0);
	*pid = 0;
	return n ? fd : -1;
}

static void less_add_file(struct less *l, const char *name)
{
	struct less_file *f = tsb_alloc(l->p, sizeof(*f));

	f->name = name;
	*vec_add(tsb_heap_of(l->p), &l->files) = f;
}

/* The keys of +COMMAND; a pattern of -p comes first. */
static void less_push(struct less *l, const char *keys)
{
	for (size_t n = strlen(keys); n > 0; n--)
		vdu_unkey(&l->term, (unsigned char)keys[n - 1]);
}

static void less_push_all(struct less *l)
{
	for (size_t i = l->plus.n; i > 0; i--) {
		const char *text = l->plus.at[i - 1];

		if (strchr("/?&", *text) && *text)
			vdu_unkey(&l->term, '\n');
		less_push(l, text);
	}
	if (l->every)
		less_push(l, l->every);
	if (l->o.pattern) {
		vdu_unkey(&l->term, '\n');
		less_push(l, l->o.pattern);
		vdu_unkey(&l->term, '/');
	}
}

/* All of it fits: it is shown without a screen of its own, and that is all. */
static bool less_show_whole(struct less *l)
{
	struct str row;

	if (!l->o.one_screen || l->files.n > 1)
		return false;
	less_jump(l, 0, 0);
	if (!less_whole(l)) {
		less_clear(l);
		return false;
	}
	str_init(&row, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	for (int i = 0; i < l->rows && l->at[i] != LESS_NONE; i++) {
		str_reset(&row);
		if (less_row(l, l->at[i], &row) == LESS_NONE)
			break;
		str_addf(&l->term.out, "%s\n", row.p);
	}
	vdu_flush(&l->term);
	return true;
}

static int less_screen(struct less *l, char **names, int n)
{
	for (int i = 0; i < n; i++)
		less_add_file(l, names[i]);
	if (!n)
		less_add_file(l, "-");
	l->first = true;
	l->quit = -1;
	less_size(l);
	for (l->current = 0; l->current < l->files.n && !less_take(l, l->files.at[l->current]);)
		memmove(l->files.at, l->files.at + 1, --l->files.n * sizeof(*l->files.at));
	if (!l->file)
		return 1;
	if (less_show_whole(l))
		return 0;
	if (l->message.n) {
		vdu_begin(&l->term);
		str_adds(&l->term.out, "Press RETURN to continue ");
		vdu_key(&l->term, -1);
		str_adds(&l->term.out, "\n");
		if (!l->o.no_init)
			vdu_alternate(&l->term);
	}
	less_begin_screen(l);
	less_push_all(l);
	less_commands(l);
	vdu_end(&l->term);
	return l->quit < 0 ? 0 : l->quit;
}

static int less_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct less *l = tsb_alloc(p, sizeof(*l));
	const char *env = tsb_getenv(p, "LESS");
	int files;

	(void)opts;
	l->p = p;
	l->open = "";
	str_init(&l->message, tsb_heap_of(p), STR_MAX_DEFAULT);
	vdu_init(&l->term, p, 1);
	less_defaults(l);
	if (env)
		less_scan(l, env, true);
	files = less_arguments(l, argc, argv);
	if (files < 0 || (l->o.tag && !files))
		return 0;
	less_check_open(l);
	if (!files && tsb_isatty(p, 0)) {
		less_say(l, "Missing filename (\"less --help\" for help)\n");
		return 1;
	}
	if (tsb_isatty(p, 1) && vdu_good(&l->term))
		return less_screen(l, argv, files);
	if (!files)
		less_file(l, "-");
	for (int i = 0; i < files; i++)
		less_file(l, argv[i]);
	return 0;
}

const struct tsb_command cmd_less = {
	.version = TSB_COMMAND_VERSION, .package = "less", .package_version = "590", .name = "less",
	.synopsis = "[OPTION]... [FILE]...", .summary = "Show text a screen at a time.",
	.opts = less_opts, .run = less_run, .flags = TSB_RAW,
};
