/*
 * Links that replace. Both kinds share the loop: a link under a random name,
 * then a rename.
 */
#include "cmd/relink.h"

#include <errno.h>

#include <tinysandbox/command.h>

#include "cmd/tempname.h"

struct relink {
	struct tsb_proc *p;
	const char *to;
	bool symbolic, follow;
};

static int relink_make(const struct relink *r, const char *path)
{
	if (r->symbolic)
		return tsb_symlink(r->p, r->to, path);
	return tsb_link(r->p, r->to, path, r->follow);
}

static int relink_run(const struct relink *r, const char *path, bool force)
{
	int err = relink_make(r, path);
	char *temp = NULL;

	if (!force || err != -EEXIST)
		return err;
	for (int tries = 0; tries < 100 && err == -EEXIST; tries++) {
		temp = tempname_beside(r->p, path);
		err = relink_make(r, temp);
	}
	if (err)
		return err;
	err = tsb_rename(r->p, temp, path, 0);
	/* When both names are one file already, the rename leaves temp. */
	tsb_unlink(r->p, temp);
	return err ? err : 1;
}

int relink_symbolic(struct tsb_proc *p, const char *target, const char *path, bool force)
{
	struct relink r = { .p = p, .to = target, .symbolic = true };

	return relink_run(&r, path, force);
}

int relink_hard(struct tsb_proc *p, const char *from, const char *path, bool follow, bool force)
{
	struct relink r = { .p = p, .to = from, .follow = follow };

	return relink_run(&r, path, force);
}
