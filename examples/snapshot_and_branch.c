/*
 * Branches: two futures of one sandbox, files and session, each by itself; and
 * going back.
 */
#include <stdio.h>

#include <tinysandbox/sandbox.h>

static void say(struct tsb_sandbox *box, const char *title, const char *script)
{
	struct tsb_result *result;

	if (tsb_run(box, script, NULL, &result)) {
		printf("%s: %s\n", title, tsb_error(box));
		return;
	}
	printf("%s: %s%s", title, tsb_result_out(result, NULL), tsb_result_err(result, NULL));
	tsb_result_free(result);
}

int main(void)
{
	struct tsb_options options = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box, *snapshot, *branch;

	options.session = true;
	if (tsb_sandbox_open(&box, &options))
		return 1;
	say(box, "first", "mkdir work; cd work; name=one; echo 1 > n; pwd");
	if (tsb_branch(box, &snapshot) || tsb_branch(box, &branch))
		return 1;
	say(box, "box", "echo 2 > n; name=two; cat n; echo $name");
	say(branch, "branch", "cat n; echo $name; rm n; ls | wc -l");
	say(box, "box again", "cat n");
	tsb_restore(box, snapshot);
	say(box, "restored", "cat n; echo $name; pwd");
	tsb_sandbox_close(branch);
	tsb_sandbox_close(snapshot);
	tsb_sandbox_close(box);
	return 0;
}
