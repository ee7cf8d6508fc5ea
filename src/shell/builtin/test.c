/*
 * test and [. Evaluation belongs to the words half; here is the bracket.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

int builtin_test(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	char *bracket;
	int status;

	(void)flow;
	if (strcmp(argv[0], "["))
		return test_eval(sh, argv[0], argc - 1, argv + 1);
	if (argc < 2 || strcmp(argv[argc - 1], "]")) {
		builtin_error(sh, "missing `]'");
		return STATUS_USAGE;
	}
	/* Only hidden for a moment: $_ will be the bracket. */
	bracket = argv[argc - 1];
	argv[argc - 1] = NULL;
	status = test_eval(sh, argv[0], argc - 2, argv + 1);
	argv[argc - 1] = bracket;
	return status;
}
