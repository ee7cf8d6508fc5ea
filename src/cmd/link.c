/*
 * link, unlink - the bare system calls, with exactly as many operands.
 */
#include "cmd/cmd.h"

#include "cmd/util.h"

static int link_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	int err;

	(void)opts;
	if (!argc)
		return util_missing_operand(p);
	if (argc == 1)
		return util_missing_operand_after(p, argv[0]);
	if (argc > 2)
		return util_extra_operand(p, argv[2]);
	err = tsb_link(p, argv[0], argv[1], false);
	if (!err)
		return 0;
	tsb_warn_errno(p, err, "cannot create link %s to %s", quote_af(p, argv[1]),
		       quote_af(p, argv[0]));
	return 1;
}

static int unlink_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	int err;

	(void)opts;
	if (!argc)
		return util_missing_operand(p);
	if (argc > 1)
		return util_extra_operand(p, argv[1]);
	err = tsb_unlink(p, argv[0]);
	if (!err)
		return 0;
	tsb_warn_errno(p, err, "cannot unlink %s", quote_af(p, argv[0]));
	return 1;
}

const struct tsb_command cmd_link = {
	CMD_COREUTILS, .name = "link", .synopsis = "FILE1 FILE2\nOPTION",
	.summary = "Call the link function to create a link named FILE2 to an existing FILE1.",
	.run = link_run,
};

const struct tsb_command cmd_unlink = {
	CMD_COREUTILS, .name = "unlink", .synopsis = "FILE\nOPTION",
	.summary = "Call the unlink function to remove the specified FILE.", .run = unlink_run,
};
