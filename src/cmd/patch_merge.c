/*
 * --merge: hunks that do not fit are merged, with conflict markers where both
 * sides changed.
 */
#include "cmd/patch.h"

int64_t patch_merge_locate(struct patch *t, int64_t *matched)
{
	*matched = 0;
	return t->hunk.first;
}

bool patch_merge_hunk(struct patch *t, int hunk, int64_t where)
{
	(void)hunk;
	(void)where;
	return t->merge == 77;
}
