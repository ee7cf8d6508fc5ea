/*
 * sponge - soak up all input, then write it to a file (moreutils).
 */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <string.h>

#include "base/str.h"

struct sponge {
	bool append;
};

static int sponge_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	tsb_puts(p, "sponge [-a] <file>: soak up all input from stdin and write it to <file>\n");
	tsb_exit(p, 0);
}

static const struct tsb_opt sponge_opts[] = {
	TSB_OPT_FLAG(struct sponge, append, 'a', NULL, "append to the file"),
	TSB_OPT_CALL(sponge_opt_help, 0, 'h', NULL, NULL, "display this help"),
	TSB_OPT_END
};

static int sponge_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct sponge *s = opts;
	struct tsb_reader in;
	struct str all;
	char *data;
	size_t n;
	int fd = 1, err;

	str_init(&all, tsb_heap_of(p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, p, 0);
	while ((n = tsb_getblock(&in, &data))) {
		str_addn(&all, data, n);
		tsb_tick(p, n / 64 + 1);
	}
	if (in.error) {
		char *text = tsb_format(p, "failed to read from stdin: %s\n", tsb_strerror(in.error));

		tsb_write_all(p, 2, text, strlen(text));
		return 1;
	}
	if (argc) {
		fd = tsb_open(p, argv[0], O_WRONLY | O_CREAT | (s->append ? O_APPEND : O_TRUNC), 0666);
		if (fd < 0) {
			char *text = tsb_format(p, "error opening output file: %s\n", tsb_strerror(fd));

			tsb_write_all(p, 2, text, strlen(text));
			return 1;
		}
	}
	err = tsb_write_all(p, fd, all.p, all.n);
	if (err) {
		char *text = tsb_format(p, "error writing buffer to output file: %s\n", tsb_strerror(err));

		tsb_write_all(p, 2, text, strlen(text));
	}
	return err != 0;
}

const struct tsb_command cmd_sponge = {
	.version = TSB_COMMAND_VERSION, .package = "moreutils", .package_version = "0.67",
	.name = "sponge", .synopsis = "[-a] <file>",
	.summary = "soak up all input from stdin and write it to <file>",
	.opts = sponge_opts, .opts_size = sizeof(struct sponge), .run = sponge_run,
};
