/*
 * Whose a control group is.
 */
#include "tap.h"

#include "box/internal.h"

int main(void)
{
	struct tbx_store store = {.tag = "0a1b2c3d"};
	char id[BX_NAME_MAX + 1];

	ok(bx_group_id(&store, "tinybox-box-12-0a1b2c3d", id), "ours");
	is_str(id, "box-12", "which box");
	ok(!bx_group_id(&store, "tinybox-box-12-0a1b2c3e", id), "another store's");
	ok(!bx_group_id(&store, "tinybox-0a1b2c3d", id), "no box");
	ok(!bx_group_id(&store, "tinybox--0a1b2c3d", id), "an empty one");
	ok(!bx_group_id(&store, "tinybox-.x-0a1b2c3d", id), "a name that is none");
	ok(!bx_group_id(&store, "user.slice", id), "something else");
	return done();
}
