/*
 * mkfifo - make named pipes.
 */
#include "cmd/cmd.h"

#include <sys/stat.h>

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

static int mkfifo_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct mkfifo *o = opts;
	struct mode_change *change;
	int status = 0;

	if (!argc)
		return util_missing_operand(p);
	o->mode = 0666;
	if (o->mode_text) {
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
	}
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
