/*
 * id, groups, whoami, logname - who runs this, out of /etc/passwd and /etc/group.
 */
#include "cmd/cmd.h"

#include <errno.h>

#include <string.h>

#include "cmd/accounts.h"
#include "cmd/util.h"

struct id {
	bool context, group, groups, name, real, user, zero, ignored;
};

static const struct tsb_opt id_opts[] = {
	TSB_OPT_FLAG(struct id, ignored, 'a', NULL, "ignore, for compatibility with other versions"),
	TSB_OPT_FLAG(struct id, context, 'Z', "context",
		     "print only the security context of the process"),
	TSB_OPT_FLAG(struct id, group, 'g', "group", "print only the effective group ID"),
	TSB_OPT_FLAG(struct id, groups, 'G', "groups", "print all group IDs"),
	TSB_OPT_FLAG(struct id, name, 'n', "name", "print a name instead of a number, for -ugG"),
	TSB_OPT_FLAG(struct id, real, 'r', "real",
		     "print the real ID instead of the effective ID, with -ugG"),
	TSB_OPT_FLAG(struct id, user, 'u', "user", "print only the effective user ID"),
	TSB_OPT_FLAG(struct id, zero, 'z', "zero",
		     "delimit entries with NUL characters, not whitespace;\n"
		     "not permitted in default format"),
	TSB_OPT_END
};

struct id_who {
	const char *user;	/* name, NULL if it has none */
	uint32_t uid, gid;
};

/* A name, or the number after a complaint: 1 then. */
static int id_put_name(struct tsb_proc *p, const char *kind, const char *name, uint32_t id)
{
	if (name) {
		tsb_puts(p, name);
		return 0;
	}
	tsb_warn(p, "cannot find name for %s ID %u", kind, id);
	tsb_printf(p, "%u", id);
	return 1;
}

static int id_put_group(struct tsb_proc *p, uint32_t gid, bool name)
{
	if (name)
		return id_put_name(p, "group", accounts_group_name(p, gid), gid);
	tsb_printf(p, "%u", gid);
	return 0;
}

static int id_put_groups(struct tsb_proc *p, const struct id_who *who, bool name, int between)
{
	size_t n;
	uint32_t *list = accounts_groups(p, who->user ? who->user : "", who->gid, &n);
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		if (i)
			tsb_putc(p, between);
		status |= id_put_group(p, list[i], name);
	}
	return status;
}

static void id_put_pair(struct tsb_proc *p, const char *what, uint32_t id, const char *name)
{
	tsb_printf(p, "%s%u", what, id);
	if (name)
		tsb_printf(p, "(%s)", name);
}

static void id_put_all(struct tsb_proc *p, const struct id_who *who)
{
	size_t n;
	uint32_t *list = accounts_groups(p, who->user ? who->user : "", who->gid, &n);

	id_put_pair(p, "uid=", who->uid, who->user);
	id_put_pair(p, " gid=", who->gid, accounts_group_name(p, who->gid));
	for (size_t i = 0; i < n; i++)
		id_put_pair(p, i ? "," : " groups=", list[i], accounts_group_name(p, list[i]));
}

static int id_one(struct tsb_proc *p, const struct id *o, const struct id_who *who)
{
	if (o->user && o->name)
		return id_put_name(p, "user", who->user, who->uid);
	if (o->user) {
		tsb_printf(p, "%u", who->uid);
		return 0;
	}
	if (o->group)
		return id_put_group(p, who->gid, o->name);
	if (o->groups)
		return id_put_groups(p, who, o->name, o->zero ? '\0' : ' ');
	id_put_all(p, who);
	return 0;
}

static int id_check(struct tsb_proc *p, const struct id *o)
{
	bool one = o->user || o->group || o->groups;

	if (o->context) {
		tsb_warn(p, "--context (-Z) works only on an SELinux-enabled kernel");
		return 1;
	}
	if (o->user + o->group + o->groups > 1) {
		tsb_warn(p, "cannot print \"only\" of more than one choice");
		return 1;
	}
	if (!one && (o->real || o->name)) {
		tsb_warn(p, "cannot print only names or real IDs in default format");
		return 1;
	}
	if (!one && o->zero) {
		tsb_warn(p, "option --zero not permitted in default format");
		return 1;
	}
	return 0;
}

static void id_end(struct tsb_proc *p, const struct id *o, int argc)
{
	tsb_putc(p, o->zero ? '\0' : '\n');
	/* Several users' groups: an empty entry ends each list. */
	if (o->zero && o->groups && argc > 1)
		tsb_putc(p, '\0');
}

static int id_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct id *o = opts;
	struct id_who who = { NULL, tsb_getuid(p), tsb_getgid(p) };
	int status = id_check(p, o);

	if (status)
		return status;
	if (!argc) {
		who.user = accounts_user_name(p, who.uid);
		status = id_one(p, o, &who);
		id_end(p, o, argc);
	}
	for (int i = 0; i < argc; i++) {
		if (!*argv[i]) {
			tsb_warn_errno(p, ENOENT, "%s: no such user", quote_text(p, argv[i]));
			status = 1;
			continue;
		}
		if (!accounts_user(p, argv[i] + (argv[i][0] == '+'), &who.uid, &who.gid)) {
			tsb_warn(p, "%s: no such user", quote_text(p, argv[i]));
			status = 1;
			continue;
		}
		who.user = accounts_user_name(p, who.uid);
		status |= id_one(p, o, &who);
		id_end(p, o, argc);
	}
	return status;
}

const struct tsb_command cmd_id = {
	CMD_COREUTILS, .name = "id", .synopsis = "[OPTION]... [USER]...",
	.summary = "Print user and group information for each specified USER,\n"
		   "or (when USER omitted) for the current process.",
	.opts = id_opts, .opts_size = sizeof(struct id), .run = id_run,
};

/* ---- groups ---- */

static int groups_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct id_who who = { accounts_user_name(p, tsb_getuid(p)), tsb_getuid(p), tsb_getgid(p) };
	int status = 0;

	(void)opts;
	if (!argc) {
		status = id_put_groups(p, &who, true, ' ');
		tsb_putc(p, '\n');
	}
	for (int i = 0; i < argc; i++) {
		if (!accounts_user(p, argv[i], &who.uid, &who.gid)) {
			tsb_warn(p, "%s: no such user", quote_text(p, argv[i]));
			status = 1;
			continue;
		}
		who.user = argv[i];
		tsb_printf(p, "%s : ", argv[i]);
		status |= id_put_groups(p, &who, true, ' ');
		tsb_putc(p, '\n');
	}
	return status;
}

const struct tsb_command cmd_groups = {
	CMD_COREUTILS, .name = "groups", .synopsis = "[OPTION]... [USERNAME]...",
	.summary = "Print group memberships for each USERNAME or, if no USERNAME is specified, for\n"
		   "the current process (which may differ if the groups database has changed).",
	.run = groups_run,
};

/* ---- whoami, logname ---- */

static int whoami_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *name = accounts_user_name(p, tsb_getuid(p));

	(void)opts;
	if (argc)
		return util_extra_operand(p, argv[0]);
	if (!name) {
		tsb_warn(p, "cannot find name for user ID %u", tsb_getuid(p));
		return 1;
	}
	tsb_printf(p, "%s\n", name);
	return 0;
}

const struct tsb_command cmd_whoami = {
	CMD_COREUTILS, .name = "whoami", .synopsis = "[OPTION]...",
	.summary = "Print the user name associated with the current effective user ID.\n"
		   "Same as id -un.",
	.run = whoami_run,
};

static int logname_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	if (argc)
		return util_extra_operand(p, argv[0]);
	/* There is no login session, as for any program without a terminal. */
	tsb_warn(p, "no login name");
	return 1;
}

const struct tsb_command cmd_logname = {
	CMD_COREUTILS, .name = "logname", .synopsis = "[OPTION]",
	.summary = "Print the user's login name.", .run = logname_run,
};
