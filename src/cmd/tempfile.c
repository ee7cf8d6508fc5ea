/*
 * tempfile, zrun - a file with a name of its own (debianutils); a command on what
 * compressed files hold (moreutils).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/rawopt.h"

static void tempfile_say(struct tsb_proc *p, const char *text)
{
	tsb_flush(p);
	tsb_write_all(p, 2, text, strlen(text));
}

/* ---- tempfile ---- */

struct tempfile {
	const char *dir, *mode, *name, *prefix, *suffix;
};

static int tempfile_opt_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tempfile *t = opts;

	(void)opt;
	t->mode = arg;
	if (*arg && !arg[strspn(arg, "01234567")] && strlen(arg) < 11)
		return 0;
	tempfile_say(p, tsb_format(p, "Invalid mode `%s'.  Mode must be octal.\n"
				   "Try `%s --help' for more information.\n", arg, tsb_name(p)));
	return 1;
}

static int tempfile_opt_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, "tempfile 5.7\n");
	tsb_exit(p, 0);
}

static const struct tsb_opt tempfile_opts[] = {
	TSB_OPT_STR(struct tempfile, dir, 'd', "directory", "DIR", "place temporary file in DIR"),
	TSB_OPT_CALL(tempfile_opt_mode, 0, 'm', "mode", "MODE", "open with MODE instead of 0600"),
	TSB_OPT_STR(struct tempfile, name, 'n', "name", "FILE", "use FILE instead of tempnam(3)"),
	TSB_OPT_STR(struct tempfile, prefix, 'p', "prefix", "STRING", "set temporary file's prefix to STRING"),
	TSB_OPT_STR(struct tempfile, suffix, 's', "suffix", "STRING", "set temporary file's suffix to STRING"),
	TSB_OPT_HELP(0, "help"),
	TSB_OPT_CALL(tempfile_opt_version, 0, 0, "version", NULL, "output version information and exit"),
	TSB_OPT_END
};

/* mkstemps(3) with n letters: a descriptor or -errno, and the name. */
static int tempfile_make(struct tsb_proc *p, const char *dir, const char *prefix, size_t n,
			 const char *suffix, char **name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	int fd = -EEXIST;

	for (int tries = 0; fd == -EEXIST && tries < 1000; tries++) {
		unsigned char r[10];
		char mid[11] = "";

		tsb_random(p, r, sizeof(r));
		for (int i = 0; i < (int)n && i < 10; i++)
			mid[i] = letters[r[i] % 62];
		*name = tsb_format(p, "%s/%s%s%s", dir, prefix, mid, suffix);
		fd = tsb_open(p, *name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	return fd;
}

static int tempfile_bad_usage(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	tempfile_say(p, tsb_format(p, "Try `%s --help' for more information.\n", tsb_name(p)));
	return 1;
}

static int tempfile_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct tempfile *t;
	struct opt_parsed got;
	const char *dir;
	uint32_t mode = 0600;
	int fd, status;
	char *name;

	(void)opts;
	tempfile_say(p, "WARNING: tempfile is deprecated; consider using mktemp instead.\n");
	if (!rawopt_parse_as(p, &cmd_tempfile, argc, argv, &got, &status, tempfile_bad_usage))
		return status;
	t = got.opts;
	if (t->mode) {
		mode = 0;
		for (const char *s = t->mode; *s; s++)
			mode = (mode << 3 | (uint32_t)(*s - '0')) & 07777;
	}
	if (t->name) {
		name = tsb_strdup(p, t->name);
		fd = tsb_open(p, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	} else {
		dir = tsb_getenv(p, "TMPDIR") ? tsb_getenv(p, "TMPDIR") : t->dir ? t->dir : "/tmp";
		fd = tempfile_make(p, dir, t->prefix ? t->prefix : "file", 6,
				   t->suffix ? t->suffix : "", &name);
	}
	if (fd < 0) {
		tempfile_say(p, tsb_format(p, "%s: %s\n", t->name ? "open" : "mkstemps", tsb_strerror(fd)));
		return 1;
	}
	if (t->mode)
		tsb_fsetattr(p, fd, &(struct tsb_setattr){ .mask = TSB_SET_MODE, .mode = mode });
	tsb_printf(p, "%s\n", name);
	return 0;
}

const struct tsb_command cmd_tempfile = {
	.version = TSB_COMMAND_VERSION, .package = "debianutils", .package_version = "5.7",
	.name = "tempfile", .synopsis = "[OPTION]", .summary = "Create a temporary file in a safe manner.",
	.opts = tempfile_opts, .opts_size = sizeof(struct tempfile), .run = tempfile_run,
	.flags = TSB_RAW | TSB_NO_HELP,
};

/* ---- zrun ---- */

struct zrun_job {
	int pid;
	const char *file, *temporary;
};

static const struct zrun_kind {
	const char *suffix, *program;
} zrun_kinds[] = {
	{ ".gz", "gzip" }, { ".Z", "gzip" }, { ".bz2", "bzip2" }, { ".xz", "xz" }, { ".lzo", "lzop" },
	{ ".lzma", "lzma" },
};

/* How a file is unpacked, by its name; NULL: it is not. *base: its name without the suffix. */
static const char *zrun_program(struct tsb_proc *p, const char *file, char **base)
{
	const char *slash = strrchr(file, '/');
	size_t n = strlen(file);

	for (size_t i = 0; i < sizeof(zrun_kinds) / sizeof(*zrun_kinds); i++) {
		const char *name = slash ? slash + 1 : file;
		size_t len = strlen(zrun_kinds[i].suffix);

		if (n - (size_t)(name - file) < len || strcmp(file + n - len, zrun_kinds[i].suffix))
			continue;
		*base = tsb_strndup(p, name, n - len - (size_t)(name - file));
		return zrun_kinds[i].program;
	}
	return NULL;
}

static int zrun_unpack(struct tsb_proc *p, const char *program, const char *base, struct zrun_job *job)
{
	const char *argv[] = { program, "-d", "-c", job->file, NULL };
	const char *dir = tsb_getenv(p, "TMPDIR");
	struct tsb_fd_map map;
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = &map, .n_fds = 1 };
	char *name;
	int fd = tempfile_make(p, dir && *dir ? dir : "/tmp", "", 10, tsb_format(p, "-%s", base), &name), err;

	if (fd < 0)
		return fd;
	job->temporary = name;
	map = (struct tsb_fd_map){ 1, fd };
	err = tsb_spawn(p, &how, &job->pid);
	tsb_close(p, fd);
	return err;
}

static void zrun_clean(struct tsb_proc *p, const struct zrun_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tsb_unlink(p, jobs[i].temporary);
}

/* 0, or the exit status after the message. */
static int zrun_wait_all(struct tsb_proc *p, const struct zrun_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int status = 0;

		tsb_wait(p, jobs[i].pid, &status, 0);
		if (WIFSIGNALED(status)) {
			tempfile_say(p, tsb_format(p, "zrun: preprocessing for %s terminated abnormally: %d\n",
						   jobs[i].file, WTERMSIG(status)));
			return 255;
		}
		if (WEXITSTATUS(status)) {
			tempfile_say(p, tsb_format(p, "zrun: preprocessing for %s terminated with code %d\n",
						   jobs[i].file, WEXITSTATUS(status)));
			return 25;	/* die's, of an errno that was left over: ENOTTY */
		}
	}
	return 0;
}

static int zrun_start(struct tsb_proc *p, char **argv)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv };
	int pid, status = 0, err = tsb_spawn(p, &how, &pid);

	if (err < 0) {
		tempfile_say(p, tsb_format(p, "Can't exec \"%s\": %s at /usr/bin/zrun line 98.\n"
					   "zrun: %s terminated abnormally: -1\n", argv[0],
					   tsb_strerror(err), argv[0]));
		return -err;
	}
	tsb_wait(p, pid, &status, 0);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	tempfile_say(p, tsb_format(p, "zrun: %s terminated abnormally: %d\n", argv[0], WTERMSIG(status)));
	return 255;
}

static int zrun_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct zrun_job *jobs = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*jobs));
	size_t n = 0;
	int status;

	(void)opts;
	if (argc < 2) {
		tempfile_say(p, "Usage: zrun <command> <args>\n");
		return 255;
	}
	for (int i = 1; i < argc; i++) {
		char *base;
		const char *program = zrun_program(p, argv[i], &base);

		if (!program)
			continue;
		jobs[n].file = argv[i];
		status = zrun_unpack(p, program, base, &jobs[n]);
		if (status < 0) {
			tempfile_say(p, tsb_format(p, "zrun: cannot handle %s: %s\n", argv[i],
						   tsb_strerror(status)));
			return 255;
		}
		argv[i] = tsb_strdup(p, jobs[n++].temporary);
	}
	status = zrun_wait_all(p, jobs, n);
	if (!status)
		status = zrun_start(p, argv);
	zrun_clean(p, jobs, n);
	return status;
}

const struct tsb_command cmd_zrun = {
	.version = TSB_COMMAND_VERSION, .package = "moreutils", .package_version = "0.67", .name = "zrun",
	.synopsis = "command file.gz [...]", .summary = "Automatically uncompress arguments to command.",
	.run = zrun_run, .flags = TSB_RAW,
};
