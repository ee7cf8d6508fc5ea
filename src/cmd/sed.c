/*
 * sed - edit text line by line: the options, and how it ends. A script given by
 * -e or -f is compiled where it stands among the options, so that those behind
 * it say nothing about it, as in the real one. See sed.h for the other parts.
 */
#include "cmd/sed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/locale.h"

enum { SED_WRAP = 70 };

/* ---- The end ---- */

static void sed_say(struct sed *s, const char *place, const char *fmt, va_list ap)
	TSB_PRINTF(3, 0);
static void sed_say(struct sed *s, const char *place, const char *fmt, va_list ap)
{
	struct str text;

	str_init(&text, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	str_adds(&text, place);
	str_addvf(&text, fmt, ap);
	tsb_warn(s->p, "%s", text.p);
	str_end(&text);
}

/* What was written so far stays; a file that is half edited does not. */
static void sed_leave(struct sed *s, int status) TSB_NORETURN;
static void sed_leave(struct sed *s, int status)
{
	char *temp = s->in_place.temp;

	s->in_place.temp = NULL;
	if (temp)
		tsb_unlink(s->p, temp);
	sed_flush_files(s);
	sed_out_flush(s, &s->standard);
	tsb_exit(s->p, status);
}

void sed_panic(struct sed *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	sed_say(s, "", fmt, ap);
	va_end(ap);
	sed_leave(s, SED_EXIT_PANIC);
}

void sed_bad(struct sed *s, const char *fmt, ...)
{
	const struct sed_script *t = &s->script;
	const char *place;
	va_list ap;

	if (t->file)
		place = tsb_format(s->p, "file %s line %zu: ", t->file, t->line);
	else
		place = tsb_format(s->p, "-e expression #%u, char %zu: ", t->expression,
				   (size_t)(t->at - t->base));
	va_start(ap, fmt);
	sed_say(s, place, fmt, ap);
	va_end(ap);
	sed_leave(s, SED_EXIT_USAGE);
}

void *sed_alloc(struct sed *s, size_t n)
{
	return tsb_alloc(s->p, n);
}

/* ---- Options ---- */

static int64_t sed_wrap_of(const char *digits)
{
	int64_t n = 0;

	for (; *digits >= '0' && *digits <= '9' && n < INT32_MAX; digits++)
		n = n * 10 + *digits - '0';
	return n;
}

/* Once, before the first script. */
static void sed_prepare(struct sed *s, struct tsb_proc *p)
{
	if (s->p)
		return;
	s->p = p;
	s->utf8 = locale_utf8(p);
	if (s->posix == SED_GNU && tsb_getenv(p, "POSIXLY_CORRECT"))
		s->posix = SED_CORRECT;
	s->standard = (struct sed_out){ .name = "stdout", .fd = 1 };
	s->error = (struct sed_out){ .name = "/dev/stderr", .fd = 2, .at_once = true };
	s->file = (struct sed_out){ .name = "", .fd = -1 };
	s->to = &s->standard;
}

static int sed_set_expression(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	(void)opt;
	sed_prepare(opts, p);
	sed_compile(opts, arg, strlen(arg), NULL, false);
	return 0;
}

static int sed_set_file(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			const char *arg)
{
	bool standard = !strcmp(arg, "-") || !strcmp(arg, "/dev/stdin");
	struct lines in = { 0 };
	struct sed *s = opts;
	bool piped;
	int fd;

	(void)opt;
	sed_prepare(s, p);
	fd = standard ? 0 : tsb_open(p, arg, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		sed_panic(s, "couldn't open file %s: %s", arg, tsb_strerror(fd));
	lines_open(&in, p, fd);
	while (lines_fill(&in))
		;	/* what cannot be read, a directory, is an empty script */
	piped = tsb_lseek(p, fd, 0, SEEK_CUR) < 0;
	input_close(p, fd);
	sed_compile(s, in.buf + in.at, in.n - in.at, standard ? "-" : arg, piped);
	return 0;
}

static int sed_set_in_place(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct sed *s = opts;

	(void)p;
	(void)opt;
	s->in_place.on = s->separate = true;
	s->in_place.suffix = arg;
	return 0;
}

static int sed_set_wrap(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			const char *arg)
{
	struct sed *s = opts;

	(void)p;
	(void)opt;
	s->wrap = sed_wrap_of(arg);
	return 0;
}

static int sed_set_posix(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct sed *s = opts;

	(void)p;
	(void)opt;
	(void)arg;
	s->posix = SED_MINIMAL;
	return 0;
}

static const struct tsb_opt sed_opts[] = {
	TSB_OPT_FLAG(struct sed, binary, 'b', "binary",
		     "open files in binary mode (CR+LFs are not treated specially)"),
	TSB_OPT_FLAG(struct sed, quiet, 'n', "quiet",
		     "suppress automatic printing of pattern space"),
	TSB_OPT_FLAG(struct sed, quiet, 0, "silent", NULL),
	TSB_OPT_FLAG(struct sed, debug, 0, "debug", "annotate program execution"),
	TSB_OPT_CALL(sed_set_expression, 'e', 'e', "expression", "SCRIPT",
		     "add the script to the commands to be executed"),
	TSB_OPT_CALL(sed_set_file, 'f', 'f', "file", "SCRIPT-FILE",
		     "add the contents of script-file to the commands to be executed"),
	TSB_OPT_FLAG(struct sed, follow, 0, "follow-symlinks",
		     "follow symlinks when processing in place"),
	TSB_OPT_CALL_OPT(sed_set_in_place, 'i', 'i', "in-place", "SUFFIX",
			 "edit files in place (makes backup if SUFFIX supplied)"),
	TSB_OPT_CALL(sed_set_wrap, 'l', 'l', "line-length", "N",
		     "specify the desired line-wrap length for the `l' command"),
	TSB_OPT_CALL(sed_set_posix, 'p', 0, "posix", NULL, "disable all GNU extensions"),
	TSB_OPT_FLAG(struct sed, extended, 'E', "regexp-extended",
		     "use extended regular expressions in the script"),
	TSB_OPT_FLAG(struct sed, extended, 'r', NULL, NULL),
	TSB_OPT_FLAG(struct sed, separate, 's', "separate",
		     "consider files as separate rather than as a single, continuous long "
		     "stream"),
	TSB_OPT_FLAG(struct sed, sandbox, 0, "sandbox",
		     "operate in sandbox mode (disable e/r/w commands)"),
	TSB_OPT_FLAG(struct sed, unbuffered, 'u', "unbuffered",
		     "load minimal amounts of data from the input files and flush the output "
		     "buffers more often"),
	TSB_OPT_FLAG(struct sed, zero, 'z', "null-data", "separate lines by NUL characters"),
	TSB_OPT_FLAG(struct sed, zero, 0, "zero-terminated", NULL),
	TSB_OPT_END
};

static const struct sed sed_defaults = { .wrap = -1 };

static int sed_usage(struct tsb_proc *p, int status)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	opt_help(&text, &cmd_sed, tsb_name(p));
	if (status)
		tsb_write_all(p, 2, text.p, text.n);
	else
		tsb_put(p, text.p, text.n);
	return status;
}

/* ---- The whole ---- */

static int sed_start(struct sed *s, int argc, char **argv)
{
	static char dash[] = "-";
	static char *standard[] = { dash, NULL };
	const char *columns = tsb_getenv(s->p, "COLS");

	s->delim = s->zero ? '\0' : '\n';
	if (s->wrap < 0 && columns && sed_wrap_of(columns) > 1)
		s->wrap = sed_wrap_of(columns) - 1;
	if (s->wrap < 0)
		s->wrap = SED_WRAP;
	s->standard.at_once = s->unbuffered || tsb_isatty(s->p, 1);
	s->file.at_once = s->unbuffered;
	for (struct sed_out *o = s->outs; o; o = o->next)
		o->at_once |= s->unbuffered;
	sed_compile_end(s);
	if (!argc && s->in_place.on)
		sed_panic(s, "no input files");
	s->in.files = argc ? argv : standard;
	s->in.n_files = argc ? (size_t)argc : 1;
	s->in.name = "-";
	s->in.fresh = true;
	if (s->debug)
		sed_debug_program(s);
	return sed_run(s);
}

static int sed_main(struct tsb_proc *p, void *raw, int argc, char **argv)
{
	struct tsb_command plain = cmd_sed;
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));
	struct opt_parsed o;
	struct str text;
	struct sed *s;

	(void)raw;
	plain.flags &= ~(unsigned)TSB_RAW;
	if (tsb_getenv(p, "POSIXLY_CORRECT"))
		plain.flags |= TSB_OPERAND_ENDS;
	all[0] = tsb_strdup(p, tsb_name(p));
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	opt_parse(&o, &plain, tsb_heap_of(p), p, argc + 1, all);
	switch (o.result) {
	case OPT_BAD:
		tsb_warn(p, "%s", o.error.p);
		return sed_usage(p, SED_EXIT_USAGE);
	case OPT_STOP:
		return o.status;
	case OPT_HELP:
		return sed_usage(p, 0);
	case OPT_VERSION:
		str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
		opt_version(&text, &cmd_sed, tsb_name(p));
		tsb_put(p, text.p, text.n);
		return 0;
	case OPT_RUN:
		break;
	}
	s = o.opts;
	sed_prepare(s, p);
	if (s->scripted)
		return sed_start(s, o.argc, o.argv);
	if (!o.argc)
		return sed_usage(p, SED_EXIT_USAGE);
	sed_compile(s, o.argv[0], strlen(o.argv[0]), NULL, false);
	return sed_start(s, o.argc - 1, o.argv + 1);
}

const struct tsb_command cmd_sed = {
	.version = TSB_COMMAND_VERSION, CMD_GNU("sed", "4.9"), .name = "sed",
	.synopsis = "[OPTION]... {script-only-if-no-other-script} [input-file]...",
	.summary = "Edit text line by line, as a script says.",
	.opts = sed_opts, .opts_size = sizeof(struct sed), .defaults = &sed_defaults,
	.run = sed_main, .flags = TSB_RAW, .usage_status = SED_EXIT_USAGE,
};
