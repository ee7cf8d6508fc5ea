/*
 * chown, chgrp - change the owner and group of files. owner.c does the work.
 */
#include "cmd/cmd.h"

#include "cmd/accounts.h"
#include "cmd/owner.h"
#include "cmd/util.h"

struct chown {
	struct owner o;
};

/* Complains about a spec, or warns: 0 or 1. */
static int chown_complain(struct tsb_proc *p, const char *error, bool warning, const char *spec)
{
	if (warning)
		error = "warning: '.' should be ':'";
	if (error)
		tsb_warn(p, "%s: %s", error, quote_text(p, spec));
	return error && !warning;
}

static int chown_set_from(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	struct owner *o = &((struct chown *)opts)->o;
	const char *user, *group, *error;
	bool warning;

	(void)opt;
	error = owner_parse(p, arg, &o->from_uid, &o->from_gid, &user, &group, &warning);
	return chown_complain(p, error, warning, arg);
}

static const struct tsb_opt chown_opts[] = {
	TSB_OPT_CALL(chown_set_from, 0, 0, "from", "CURRENT_OWNER:CURRENT_GROUP",
		     "change the owner and/or group of each file only if its current owner "
		     "and/or group match those specified here; either may be omitted"),
	OWNER_OPTS(struct chown, o),
	TSB_OPT_END
};

static const struct tsb_opt chgrp_opts[] = {
	OWNER_OPTS(struct chown, o),
	TSB_OPT_END
};

static const struct chown chown_defaults = { .o = { OWNER_INIT } };

/* Owner and group of --reference: 0 or 1. */
static int chown_reference(struct owner *o, bool with_user)
{
	struct tsb_stat st;
	int err = tsb_stat(o->p, o->reference, &st);

	if (err) {
		tsb_warn_errno(o->p, err, "failed to get attributes of %s",
			       quote_af(o->p, o->reference));
		return 1;
	}
	o->gid = st.gid;
	o->group = owner_group_text(o->p, st.gid);
	if (with_user) {
		o->uid = st.uid;
		o->user = owner_user_text(o->p, st.uid);
	}
	return 0;
}

static int chown_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct owner *o = &((struct chown *)opts)->o;
	int status, used = o->reference ? 0 : 1;
	const char *error;
	bool warning;

	o->p = p;
	status = owner_settle(o, argc, argv);
	if (status)
		return status;
	if (o->reference) {
		status = chown_reference(o, true);
	} else {
		error = owner_parse(p, argv[0], &o->uid, &o->gid, &o->user, &o->group, &warning);
		status = chown_complain(p, error, warning, argv[0]);
	}
	return status ? status : owner_change(o, argc - used, argv + used);
}

static int chgrp_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct owner *o = &((struct chown *)opts)->o;
	int status, used = o->reference ? 0 : 1;

	o->p = p;
	status = owner_settle(o, argc, argv);
	if (!status && o->reference)
		status = chown_reference(o, false);
	if (status)
		return status;
	if (used && *argv[0]) {
		o->group = argv[0];
		if (!accounts_group(p, argv[0], &o->gid) && !owner_number(argv[0], &o->gid)) {
			tsb_warn(p, "invalid group: %s", quote_text(p, argv[0]));
			return 1;
		}
	}
	return owner_change(o, argc - used, argv + used);
}

const struct tsb_command cmd_chown = {
	CMD_COREUTILS, .name = "chown",
	.synopsis = "[OPTION]... [OWNER][:[GROUP]] FILE...\n"
		    "[OPTION]... --reference=RFILE FILE...",
	.summary = "Change the owner and/or group of each FILE to OWNER and/or GROUP.\n"
		   "With --reference, change the owner and group of each FILE to those of RFILE.",
	.opts = chown_opts, .opts_size = sizeof(struct chown), .defaults = &chown_defaults,
	.run = chown_run,
};

const struct tsb_command cmd_chgrp = {
	CMD_COREUTILS, .name = "chgrp",
	.synopsis = "[OPTION]... GROUP FILE...\n[OPTION]... --reference=RFILE FILE...",
	.summary = "Change the group of each FILE to GROUP.\n"
		   "With --reference, change the group of each FILE to that of RFILE.",
	.opts = chgrp_opts, .opts_size = sizeof(struct chown), .defaults = &chown_defaults,
	.run = chgrp_run,
};
