/*
 * pathchk - could a file have this name?
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "cmd/util.h"

enum {
	PATHCHK_PATH = 4096, PATHCHK_NAME = 255,		/* Linux's */
	PATHCHK_POSIX_PATH = 256, PATHCHK_POSIX_NAME = 14	/* POSIX's least */
};

struct pathchk {
	bool basic, extra, both;
};

static const struct tsb_opt pathchk_opts[] = {
	TSB_OPT_FLAG(struct pathchk, basic, 'p', NULL, "check for most POSIX systems"),
	TSB_OPT_FLAG(struct pathchk, extra, 'P', NULL, "check for empty names and leading \"-\""),
	TSB_OPT_FLAG(struct pathchk, both, 0, "portability",
		     "check for all POSIX systems (equivalent to -p -P)"),
	TSB_OPT_END
};

static const char *pathchk_part(const char *s, size_t *n)
{
	s += strspn(s, "/");
	*n = strcspn(s, "/");
	return s;
}

static bool pathchk_dash(struct tsb_proc *p, const char *file)
{
	size_t n;

	for (const char *s = pathchk_part(file, &n); n; s = pathchk_part(s + n, &n)) {
		if (*s != '-')
			continue;
		tsb_warn(p, "leading '-' in a component of file name %s", quote_af(p, file));
		return false;
	}
	return true;
}

static bool pathchk_letters(struct tsb_proc *p, const char *file)
{
	static const char good[] = "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789._-";
	const char *bad = file + strspn(file, good);
	int32_t c;

	if (!*bad)
		return true;
	tsb_warn(p, "nonportable character %s in file name %s",
		 quote_text(p, tsb_strndup(p, bad, utf8_decode(bad, strlen(bad), &c))),
		 quote_af(p, file));
	return false;
}

static bool pathchk_lengths(struct tsb_proc *p, const char *file, bool portable)
{
	size_t path = portable ? PATHCHK_POSIX_PATH : PATHCHK_PATH;
	size_t name = portable ? PATHCHK_POSIX_NAME : PATHCHK_NAME;
	size_t n = strlen(file);

	if (n >= path) {
		tsb_warn(p, "limit %zu exceeded by length %zu of file name %s", path - 1, n,
			 quote_af(p, file));
		return false;
	}
	for (const char *s = pathchk_part(file, &n); n; s = pathchk_part(s + n, &n)) {
		if (n <= name)
			continue;
		tsb_warn(p, "limit %zu exceeded by length %zu of file name component %s", name, n,
			 quote_text(p, tsb_strndup(p, s, n)));
		return false;
	}
	return true;
}

static bool pathchk_file(struct tsb_proc *p, const char *file, bool basic, bool extra)
{
	struct tsb_stat st;
	int err;

	if (extra && !pathchk_dash(p, file))
		return false;
	if ((basic || extra) && !*file) {
		tsb_warn(p, "empty file name");
		return false;
	}
	if (basic)
		return pathchk_letters(p, file) && pathchk_lengths(p, file, true);
	err = tsb_lstat(p, file, &st);
	if (err && (err != -ENOENT || !*file)) {
		tsb_warn_errno(p, err, "%s", quote_f(p, file));
		return false;
	}
	return !err || pathchk_lengths(p, file, false);
}

static int pathchk_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct pathchk *o = opts;
	bool ok = true;

	if (!argc)
		return util_missing_operand(p);
	for (int i = 0; i < argc; i++)
		ok &= pathchk_file(p, argv[i], o->basic || o->both, o->extra || o->both);
	return !ok;
}

const struct tsb_command cmd_pathchk = {
	CMD_COREUTILS, .name = "pathchk", .synopsis = "[OPTION]... NAME...",
	.summary = "Diagnose invalid or unportable file names.",
	.opts = pathchk_opts, .opts_size = sizeof(struct pathchk), .run = pathchk_run,
	.flags = TSB_OPERAND_ENDS,
};
