/*
 * yes - a line, again and again, until somebody has had enough.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/lines.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

static int yes_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	size_t n = 0, line = 0, want;
	char *buf;
	int err;

	(void)opts;
	for (int i = 0; i < argc; i++)
		line += strlen(argv[i]) + 1;
	line = argc ? line : 2;
	want = line < SINK_SIZE / 4 ? SINK_SIZE / 4 / line * line : line;
	buf = text_alloc(p, want + 1);
	for (int i = 0; i < argc; i++) {
		size_t len = strlen(argv[i]);

		memcpy(buf + n, argv[i], len);
		n += len;
		buf[n++] = i + 1 < argc ? ' ' : '\n';
	}
	if (!argc)
		memcpy(buf, "y\n", 2);
	for (n = line; n < want; n += line)
		memcpy(buf + n, buf, line);
	do {
		tsb_tick(p, 16);
		err = tsb_write_all(p, 1, buf, want);
	} while (!err);
	tsb_warn_errno(p, err, "standard output");
	return 1;
}

const struct tsb_command cmd_yes = {
	CMD_COREUTILS, .name = "yes",
	.synopsis = "[STRING]...\nOPTION",
	.summary = "Repeatedly output a line with all specified STRING(s), or 'y'.",
	.run = yes_run,
};
