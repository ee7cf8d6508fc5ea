/*
 * ed, red - the line editor, as scripts use it: its options, its input, the files it reads
 * and writes, the commands it gives to the shell, and what a failure means.
 */
#include "cmd/ed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/locale.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

struct ed_options {
	bool extended, traditional, loose, quiet, restricted, script, verbose, strip_cr;
	const char *prompt;
};

static int ed_opt_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, "GNU ed 1.19\n");
	tsb_exit(p, 0);
}

static const struct tsb_opt ed_opts[] = {
	TSB_OPT_HELP('h', "help"),
	TSB_OPT_CALL(ed_opt_version, 0, 'V', "version", NULL, "output version information and exit"),
	TSB_OPT_FLAG(struct ed_options, extended, 'E', "extended-regexp", "use extended regular expressions"),
	TSB_OPT_FLAG(struct ed_options, traditional, 'G', "traditional", "run in compatibility mode"),
	TSB_OPT_FLAG(struct ed_options, loose, 'l', "loose-exit-status", "exit with 0 status even if a command fails"),
	TSB_OPT_STR(struct ed_options, prompt, 'p', "prompt", "STRING", "use STRING as an interactive prompt"),
	TSB_OPT_FLAG(struct ed_options, quiet, 'q', "quiet", "suppress diagnostics written to stderr"),
	TSB_OPT_FLAG(struct ed_options, quiet, 0, "silent", NULL),
	TSB_OPT_FLAG(struct ed_options, restricted, 'r', "restricted", "run in restricted mode"),
	TSB_OPT_FLAG(struct ed_options, script, 's', "script", "suppress byte counts and '!' prompt"),
	TSB_OPT_FLAG(struct ed_options, verbose, 'v', "verbose", "be verbose; equivalent to the 'H' command"),
	TSB_OPT_FLAG(struct ed_options, strip_cr, 0, "strip-trailing-cr", "strip carriage returns at end of text lines"),
	TSB_OPT_END
};

/* ---- Input ---- */

/* A last line that is not ended is none: a script that was cut does not do half a command. */
bool ed_read(struct ed *e, char **line, size_t *n)
{
	if (!(*n = tsb_getdelim(&e->in, line, '\n')) || (*line)[*n - 1] != '\n')
		return false;
	e->line_no++;
	return true;
}

static void ed_complain(struct ed *e, const char *name, int err)
{
	/* As perror() says it. */
	const char *text = tsb_format(e->p, "%s%s%s\n", name, *name ? ": " : "", tsb_strerror(err));

	tsb_flush(e->p);
	if (!e->quiet)
		tsb_write_all(e->p, 2, text, strlen(text));
}

/* ---- Shell commands ---- */

/* "!" at the front is the command before, "%" the file's name. *changed: it is to be shown. */
static char *ed_shell_text(struct ed *e, const char *from, bool *changed)
{
	struct str s;

	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	*changed = false;
	if (*from == '!') {
		if (!e->shell) {
			ed_fail(e, "No previous command");
			return NULL;
		}
		str_adds(&s, e->shell);
		*changed = true;
		from++;
	}
	for (; *from && *from != '\n'; from++) {
		if (*from == '\\' && from[1] == '%') {
			str_addc(&s, *++from);
		} else if (*from == '%') {
			if (!e->name) {
				ed_fail(e, "No current filename");
				return NULL;
			}
			str_adds(&s, e->name);
			*changed = true;
		} else {
			str_addc(&s, *from);
		}
	}
	e->shell = str_take(&s, NULL);
	return e->shell;
}

static int ed_start(struct ed *e, const char *command, int child, int *fd, int *pid)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	struct tsb_fd_map map[2];
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = argv, .fds = map,
				 .n_fds = child < 0 ? 0 : 2 };
	int ends[2] = { -1, -1 }, err;

	tsb_flush(e->p);
	if (child >= 0) {
		err = tsb_pipe(e->p, ends);
		if (err < 0)
			return err;
		map[0] = (struct tsb_fd_map){ child, ends[child] };
		map[1] = (struct tsb_fd_map){ ends[!child], -1 };
		*fd = ends[!child];
	}
	err = tsb_spawn(e->p, &how, pid);
	if (child >= 0)
		tsb_close(e->p, ends[child]);
	return err;
}

static void ed_wait(struct ed *e, int pid)
{
	int status;

	tsb_wait(e->p, pid, &status, 0);
}

bool ed_shell(struct ed *e)
{
	bool changed;
	char *text;
	int pid;

	if (e->restricted)
		return ed_fail(e, "Shell access restricted");
	text = ed_shell_text(e, e->c, &changed);
	e->c += strcspn(e->c, "\n");
	e->c += *e->c == '\n';
	if (!text)
		return false;
	if (changed)
		tsb_printf(e->p, "%s\n", text);
	tsb_reader_unread(&e->in);
	if (ed_start(e, text, -1, NULL, &pid) < 0)
		return ed_fail(e, "Can't create shell process");
	ed_wait(e, pid);
	if (!e->script)
		tsb_puts(e->p, "!\n");
	return true;
}

/* ---- Files ---- */

static bool ed_allowed(struct ed *e, const char *name)
{
	if (!e->restricted)
		return true;
	if (*name == '!')
		return ed_fail(e, "Shell access restricted");
	if (!strcmp(name, "..") || strchr(name, '/'))
		return ed_fail(e, "Directory access restricted");
	return true;
}

char *ed_file_name(struct ed *e)
{
	size_t n;
	char *name;

	ed_blanks(e);
	n = strcspn(e->c, "\n");
	if (*e->c == '!') {
		bool changed;
		char *text;

		if (!ed_allowed(e, "!"))
			return NULL;
		text = ed_shell_text(e, e->c + 1, &changed);
		e->c += n;
		e->c += *e->c == '\n';
		if (!text)
			return NULL;
		if (changed)
			tsb_printf(e->p, "%s\n", text);
		return tsb_format(e->p, "!%s", text);
	}
	name = tsb_strndup(e->p, e->c, n);
	e->c += n;
	e->c += *e->c == '\n';
	return ed_allowed(e, name) ? name : NULL;
}

struct ed_lines_in {
	struct ed_line **at;
	size_t n, cap;
	int64_t bytes;
};

static void ed_take_lines(struct ed *e, int fd, struct ed_lines_in *got)
{
	struct tsb_reader in;
	char *line;
	size_t n;
	bool open = false, nul = false;

	tsb_reader_init(&in, e->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		open = line[n - 1] != '\n';
		n -= !open;
		nul = nul || memchr(line, 0, n);
		if (e->strip_cr && n && line[n - 1] == '\r')
			n--;
		got->bytes += (int64_t)n + 1;
		got->at = util_grow(e->p, got->at, got->n, &got->cap, sizeof(*got->at));
		got->at[got->n++] = ed_new_line(e, line, n);
	}
	e->binary |= nul;
	e->cut = open && nul;
	got->bytes -= e->cut;
	if (open && !nul)
		tsb_puts(e->p, "Newline appended\n");
	tsb_reader_end(&in);
}

int64_t ed_read_file(struct ed *e, const char *name, size_t after)
{
	struct ed_lines_in got = { 0 };
	struct tsb_stat st;
	int pid = -1, fd = -1, err;

	if (*name == '!') {
		err = ed_start(e, name + 1, 1, &fd, &pid);
	} else {
		err = fd = tsb_open(e->p, name, O_RDONLY | O_CLOEXEC, 0);
		if (fd >= 0 && !tsb_fstat(e->p, fd, &st) && S_ISDIR(st.mode))
			err = -EISDIR;
	}
	if (err < 0) {
		ed_complain(e, name, err);
		ed_fail(e, err == -EISDIR ? "Cannot read input file" : "Cannot open input file");
		return -1;
	}
	ed_take_lines(e, fd, &got);
	tsb_close(e->p, fd);
	if (pid >= 0)
		ed_wait(e, pid);
	e->current = after;
	ed_insert(e, after, got.at, got.n);
	tsb_free(e->p, got.at);
	if (!e->script)
		tsb_printf(e->p, "%lld\n", (long long)got.bytes);
	return got.bytes;
}

int64_t ed_write_file(struct ed *e, const char *name, bool append, size_t first, size_t last)
{
	int fd = -1, pid = -1, err;
	int64_t bytes = 0;
	struct str s;

	if (*name == '!')
		err = ed_start(e, name + 1, 0, &fd, &pid);
	else
		err = fd = tsb_open(e->p, name, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC),
				    0666);
	if (err < 0) {
		ed_complain(e, name, err);
		ed_fail(e, "Cannot open output file");
		return -1;
	}
	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	for (size_t i = first; i && i <= last && err >= 0; i++) {
		str_addn(&s, e->lines.at[i - 1]->text, e->lines.at[i - 1]->n);
		if (!(e->cut && e->binary && i == e->lines.n))
			str_addc(&s, '\n');
		tsb_tick(e->p, 1);
		if (s.n < 32768 && i < last)
			continue;
		bytes += (int64_t)s.n;
		err = tsb_write_all(e->p, fd, s.p, s.n);
		str_reset(&s);
	}
	str_end(&s);
	tsb_close(e->p, fd);
	if (pid >= 0)
		ed_wait(e, pid);
	if (err < 0 && pid < 0) {
		ed_complain(e, name, err);
		ed_fail(e, "Cannot write file");
		return -1;
	}
	if (!e->script)
		tsb_printf(e->p, "%lld\n", (long long)bytes);
	return bytes;
}

/* ---- The loop ---- */

/* A script that is a file ends at the first failure. */
static bool ed_failed(struct ed *e)
{
	tsb_puts(e->p, "?\n");
	if (e->verbose && e->regular)
		tsb_printf(e->p, "script, line %zu: %s\n", e->line_no, e->error);
	else if (e->verbose)
		tsb_printf(e->p, "%s\n", e->error);
	e->status = 1;
	return e->regular;
}

/* The end of the input is a q; what is not written down makes it a failure of its own. */
static void ed_input_end(struct ed *e)
{
	if (!e->modified || e->warned)
		return;
	ed_fail(e, "Warning: buffer modified");
	ed_failed(e);
	e->status = 2;
}

static void ed_loop(struct ed *e)
{
	char *line;
	size_t n;

	for (;;) {
		enum ed_result r;
		bool warned = e->warned;

		if (e->prompting) {
			tsb_puts(e->p, e->prompt);
			tsb_flush(e->p);
		}
		if (!ed_read(e, &line, &n)) {
			ed_input_end(e);
			return;
		}
		e->c = tsb_strndup(e->p, line, n);
		r = ed_command(e);
		if (r == ED_QUIT)
			return;
		if (warned)
			e->warned = false;
		if (r == ED_ERROR && ed_failed(e))
			return;
	}
}

static void ed_first_file(struct ed *e, const char *name)
{
	int err = 0;

	if (!ed_allowed(e, name)) {
		ed_failed(e);
		return;
	}
	if (*name != '!')
		err = tsb_access(e->p, name, TSB_R_OK);
	if (err) {
		ed_complain(e, name, err);
		ed_fail(e, "Cannot open input file");	/* what h tells: no failure */
	} else if (ed_read_file(e, name, 0) < 0) {
		ed_failed(e);
	}
	if (*name != '!')
		e->name = tsb_strdup(e->p, name);
	e->modified = false;
}

static int ed_bad(struct tsb_proc *p, const char *text)
{
	text = tsb_format(p, "ed: %s\nTry 'ed --help' for more information.\n", text);
	tsb_write_all(p, 2, text, strlen(text));
	return 1;
}

static int ed_all(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv, bool restricted)
{
	struct ed e = { .p = p, .prompt = "*", .window = 22 };
	const struct ed_options *o;
	struct opt_parsed parsed;
	struct tsb_stat st;
	int status;

	if (!rawopt_parse_as(p, cmd, argc, argv, &parsed, &status, ed_bad))
		return status;
	o = parsed.opts;
	e.extended = o->extended;
	e.traditional = o->traditional;
	e.loose = o->loose;
	e.quiet = o->quiet;
	e.restricted = o->restricted || restricted;
	e.script = o->script;
	e.verbose = o->verbose;
	e.strip_cr = o->strip_cr;
	e.prompting = o->prompt;
	e.prompt = o->prompt ? o->prompt : e.prompt;
	e.utf8 = locale_utf8(p);
	e.regular = !tsb_fstat(p, 0, &st) && S_ISREG(st.mode);
	tsb_reader_init(&e.in, p, 0);
	for (int i = 0; i < parsed.argc; i++) {
		if (!strcmp(parsed.argv[i], "-")) {
			e.script = true;
			continue;
		}
		ed_first_file(&e, parsed.argv[i]);
		break;
	}
	ed_loop(&e);
	return e.loose ? 0 : e.status;
}

static int ed_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return ed_all(p, &cmd_ed, argc, argv, false);
}

static int red_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return ed_all(p, &cmd_red, argc, argv, true);
}

#define ED_COMMAND .version = TSB_COMMAND_VERSION, CMD_GNU("ed", "1.19"), \
	.synopsis = "[options] [file]", .opts = ed_opts, .opts_size = sizeof(struct ed_options), \
	.flags = TSB_RAW

const struct tsb_command cmd_ed = {
	ED_COMMAND, .name = "ed", .run = ed_run, .summary = "Edit text by lines, by commands of standard input.",
};

const struct tsb_command cmd_red = {
	ED_COMMAND, .name = "red", .run = red_run,
	.summary = "ed that runs no shell commands and edits only files of the current directory.",
};
