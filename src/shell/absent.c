/*
 * Programs that are expected on a Linux system and are not here, each with the
 * reason and what to use instead. They are not in PATH, so that scripts that
 * ask for them (`command -v vim`) get the truth; who runs one all the same is
 * told, behind bash's own "command not found".
 */
#include "shell/doing.h"

#include <string.h>

enum why { WHY_TERMINAL, WHY_NETWORK, WHY_KERNEL, WHY_PACKAGES, WHY_ROOT, WHY_COMPILER,
	   WHY_LANGUAGE, WHY_SERVICES, WHY_CONTAINERS, WHY_MACHINE, WHY_LOG, WHY_CRYPTO,
	   WHY_PROGRAM };

static const char *const reasons[] = {
	[WHY_TERMINAL] = "it needs a terminal",
	[WHY_NETWORK] = "there is no network",
	[WHY_KERNEL] = "it needs a kernel of its own",
	[WHY_PACKAGES] = "software cannot be installed",
	[WHY_ROOT] = "there is one user, and nothing here needs another",
	[WHY_COMPILER] = "there is no compiler, and binaries do not run",
	[WHY_LANGUAGE] = "there is no such interpreter",
	[WHY_SERVICES] = "no service manager runs",
	[WHY_CONTAINERS] = "containers cannot be started from inside",
	[WHY_MACHINE] = "it needs another machine",
	[WHY_LOG] = "no system log is kept",
	[WHY_CRYPTO] = "there is no cryptography but digests",
	[WHY_PROGRAM] = "it is not part of this system",
};

static const char instead_edit[] = "sed -i, or cat >FILE with a here-document",
		  instead_jobs[] = "background jobs (&) and output redirected to files",
		  instead_direct[] = "the command itself",
		  instead_image[] = "the commands in /usr/bin",
		  instead_shell[] = "bash, awk and sed",
#ifdef HAVE_GUESTS
		  instead_script[] = "node -e, or bash, awk and sed",
#else
		  instead_script[] = "bash, awk and sed",
#endif
		  instead_copy[] = "cp, tar or cat on files of this sandbox",
		  instead_start[] = "the program itself with &",
		  instead_proc[] = "the files in /proc and /sys",
		  instead_files[] = "files that the caller has put here",
		  instead_hosts[] = "getent hosts for the names in /etc/hosts",
		  instead_text[] = "cat, head, sed -n",
		  instead_diff[] = "diff and patch",
		  instead_digest[] = "sha256sum, md5sum or base64",
		  instead_mounts[] = "mount and /proc/mounts to see what is mounted";

/* In order of names: looked up by halves. */
static const struct absent {
	const char *name;
	enum why why;
	const char *instead;
} absents[] = {
#define ABSENT(name, why, instead) { name, WHY_##why, instead_##instead },
#include "shell/absent.def"
#undef ABSENT
};

static const struct absent *absent_find(const char *name)
{
	size_t low = 0, high = sizeof(absents) / sizeof(*absents);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(absents[mid].name, name);

		if (!c)
			return &absents[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

void absent_explain(struct shell *sh, const char *name)
{
	const struct absent *a = absent_find(name);
	struct str *m = &doing(sh)->message;

	if (!a)
		return;
	str_reset(m);
	str_addf(m, "%s: not available in this sandbox: %s; use %s instead\n", name,
		 reasons[a->why], a->instead);
	message_write(sh, m);
}
