/*
 * mkfifo, mknod - make named pipes; other special files are a superuser's.
 */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/mode.h"
#include "cmd/util.h"

struct mkfifo {
	const char *mode_text;
	uint32_t mode;
};

static const struct tsb_opt mkfifo_opts[] = {
	TSB_OPT_STR(struct mkfifo, mode_text, 'm', "mode", "MODE",
		    "set file permission bits to MODE, not a=rw - umask"),
	TSB_OPT_CALL(util_ignore_context, 0, 'Z', NULL, NULL,
		     "set the SELinux security context to default type"),
	TSB_OPT_CALL_OPT(util_ignore_context, 0, 0, "context", "CTX",
			 "like -Z, or if CTX is specified then set the SELinux or SMACK security "
			 "context to CTX"),
	TSB_OPT_END
};

static int mkfifo_one(struct tsb_proc *p, const struct mkfifo *o, const char *path)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = o->mode };
	int err = tsb_mknod(p, path, S_IFIFO | o->mode, 0);

	if (err) {
		tsb_warn_errno(p, err, "cannot create fifo %s", quote_af(p, path));
		return 1;
	}
	/* The umask may have taken bits away that were asked for. */
	if (o->mode_text)
		err = tsb_setattr(p, path, &set, false);
	if (err)
		tsb_warn_errno(p, err, "cannot set permissions of %s", quote_af(p, path));
	return err ? 1 : 0;
}

/* o->mode of o->mode_text: 0, or the exit status. */
static int mkfifo_mode(struct tsb_proc *p, struct mkfifo *o)
{
	struct mode_change *change;

	o->mode = 0666;
	if (!o->mode_text)
		return 0;
	change = mode_compile(p, o->mode_text);
	if (!change) {
		tsb_warn(p, "invalid mode");
		return 1;
	}
	o->mode = mode_apply(change, 0666, false, util_umask_get(p), NULL);
	if (o->mode & ~0777u) {
		tsb_warn(p, "mode must specify only file permission bits");
		return 1;
	}
	return 0;
}

static int mkfifo_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct mkfifo *o = opts;
	int status = 0;

	if (!argc)
		return util_missing_operand(p);
	if (mkfifo_mode(p, o))
		return 1;
	for (int i = 0; i < argc; i++)
		status |= mkfifo_one(p, o, argv[i]);
	return status;
}

const struct tsb_command cmd_mkfifo = {
	CMD_COREUTILS, .name = "mkfifo",
	.synopsis = "[OPTION]... NAME...",
	.summary = "Create named pipes (FIFOs) with the given NAMEs.",
	.opts = mkfifo_opts, .opts_size = sizeof(struct mkfifo), .run = mkfifo_run,
};

/* ---- mknod ---- */

/* A count that is wrong, with what the type would need. */
static int mknod_count(struct tsb_proc *p, int argc, char **argv, int want)
{
	const char *more = argc < want && argc == 2 && want == 4 ?
		"Special files require major and minor device numbers.\n" :
		argc > want && want == 2 && argc == 4 ?
		"Fifos do not have major and minor device numbers.\n" : NULL;

	if (!more)
		return !argc ? util_missing_operand(p) : argc < want ?
		       util_missing_operand_after(p, argv[argc - 1]) : util_extra_operand(p, argv[want]);
	tsb_warn(p, argc < want ? "missing operand after %s" : "extra operand %s",
		 quote_text(p, argc < want ? argv[argc - 1] : argv[want]));
	tsb_write_all(p, 2, more, strlen(more));
	return tsb_usage(p, NULL);
}

/* Decimal, octal or hexadecimal, as C writes it: -1 if it is none. */
static int64_t mknod_number(const char *s)
{
	unsigned base = *s != '0' ? 10 : (s[1] | 32) == 'x' ? 16 : 8;
	int64_t v = 0;

	s += base == 16 ? 2 : 0;
	if (!*s)
		return -1;
	for (; *s; s++) {
		unsigned d = *s >= '0' && *s <= '9' ? (unsigned)(*s - '0') :
			     (*s | 32) >= 'a' && (*s | 32) <= 'f' ? (unsigned)((*s | 32) - 'a' + 10) : 99;

		if (d >= base || v > UINT32_MAX)
			return -1;
		v = v * base + d;
	}
	return v > UINT32_MAX ? -1 : v;
}

static int mknod_device(struct tsb_proc *p, const struct mkfifo *o, char **argv)
{
	int64_t major = mknod_number(argv[2]), minor = mknod_number(argv[3]);
	int err;

	if (major < 0 || minor < 0) {
		tsb_warn(p, "invalid %s device number %s", major < 0 ? "major" : "minor",
			 quote_text(p, argv[major < 0 ? 2 : 3]));
		return 1;
	}
	err = tsb_mknod(p, argv[0], (argv[1][0] == 'b' ? S_IFBLK : S_IFCHR) | o->mode,
			makedev((unsigned)major, (unsigned)minor));
	if (err)
		tsb_warn_errno(p, err, "%s", quote_f(p, argv[0]));
	return err ? 1 : 0;
}

static int mknod_fifo(struct tsb_proc *p, const struct mkfifo *o, const char *path)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = o->mode };
	int err = tsb_mknod(p, path, S_IFIFO | o->mode, 0);

	if (!err && o->mode_text)
		err = tsb_setattr(p, path, &set, false);
	if (err)
		tsb_warn_errno(p, err, "%s", quote_f(p, path));
	return err ? 1 : 0;
}

static int mknod_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct mkfifo *o = opts;
	int want = argc >= 2 && argv[1][0] == 'p' ? 2 : 4;

	if (mkfifo_mode(p, o))
		return 1;
	if (argc != want)
		return mknod_count(p, argc, argv, want);
	if (argv[1][0] == 'p')
		return mknod_fifo(p, o, argv[0]);
	if (!argv[1][0] || !strchr("bcu", argv[1][0]))
		return tsb_usage(p, "invalid device type %s", quote_text(p, argv[1]));
	return mknod_device(p, o, argv);
}

const struct tsb_command cmd_mknod = {
	CMD_COREUTILS, .name = "mknod",
	.synopsis = "[OPTION]... NAME TYPE [MAJOR MINOR]",
	.summary = "Create the special file NAME of the given TYPE.",
	.opts = mkfifo_opts, .opts_size = sizeof(struct mkfifo), .run = mknod_run,
};
