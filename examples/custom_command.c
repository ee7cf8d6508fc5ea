/*
 * A command of your own: it reads lines, takes options, and cannot be told from
 * the built-in ones: `ls /bin`, `which`, pipes and redirections all have it.
 */
#include <ctype.h>
#include <stdio.h>

#include <tinysandbox/sandbox.h>

struct shout {
	bool twice;
	const char *end;
};

static const struct tsb_opt options[] = {
	TSB_OPT_FLAG(struct shout, twice, 't', "twice", "say every line twice"),
	TSB_OPT_STR(struct shout, end, 'e', "end", "TEXT", "put TEXT behind each line"),
	TSB_OPT_END
};

static int run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct shout *o = opts;
	struct tsb_reader in;
	char *line;
	size_t n;

	(void)argv;
	if (argc)
		return tsb_usage(p, "extra operand '%s'", argv[0]);
	tsb_reader_init(&in, p, 0);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		for (size_t i = 0; i < n; i++)
			line[i] = (char)toupper((unsigned char)line[i]);
		for (int i = 0; i <= o->twice; i++)
			tsb_printf(p, "%s%s\n", line, o->end);
	}
	return 0;
}

static const struct tsb_command shout = {
	.version = TSB_COMMAND_VERSION, .name = "shout", .synopsis = "[OPTION]...",
	.summary = "Copy standard input to standard output in capitals.",
	.opts = options, .opts_size = sizeof(struct shout),
	.defaults = &(const struct shout){ .end = "!" }, .run = run
};

int main(void)
{
	struct tsb_sandbox *box;
	struct tsb_result *result;

	if (tsb_sandbox_open(&box, NULL) || tsb_add_command(box, &shout) ||
	    tsb_run(box, "which shout; echo hello | shout --twice | tee out.txt | wc -l\n"
			 "printf 'a\\nb\\n' | shout -e '?' | sort -r; shout --loud; echo \"status $?\"",
		    NULL, &result))
		return 1;
	fputs(tsb_result_out(result, NULL), stdout);
	fputs(tsb_result_err(result, NULL), stdout);
	tsb_result_free(result);
	tsb_sandbox_close(box);
	return 0;
}
