/*
 * The arguments of `tinysandbox`, declared like the options of any command.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/opt.h"
#include "cli/cli.h"

static const struct tsb_opt options[] = {
	TSB_OPT_STR(struct cli, command, 'c', NULL, "SCRIPT", "run SCRIPT; operands are $0, $1 ..."),
	TSB_OPT_LIST(struct cli, mounts, 0, "mount", "HOST:PATH[:ro]",
		     "copy the host's file or directory HOST to PATH; ro: read-only there; "
		     "nothing is copied back (--snapshot, or tar to standard output)"),
	TSB_OPT_LIST(struct cli, env, 0, "env", "NAME=VALUE",
		     "set an environment variable (without =VALUE: as it is here)"),
	TSB_OPT_STR(struct cli, cwd, 0, "cwd", "DIR", "begin in DIR, an absolute path that is there"),
	TSB_OPT_STR(struct cli, hostname, 0, "hostname", "NAME", "the sandbox's host name"),
	TSB_OPT_LIST(struct cli, limits, 0, "limit", "NAME=VALUE", "set a limit; see --list-limits"),
	TSB_OPT_FLAG(struct cli, json, 0, "json", "print one JSON object with the whole result"),
	TSB_OPT_FLAG(struct cli, analyze, 0, "analyze",
		     "run nothing: print as JSON what the script would do"),
	TSB_OPT_FLAG(struct cli, batch, 0, "batch",
		     "serve JSON requests, one a line, each in a fresh sandbox"),
	TSB_OPT_FLAG(struct cli, interactive, 'i', NULL, "prompt for commands"),
	TSB_OPT_STR(struct cli, restore, 0, "restore", "FILE", "begin from a snapshot"),
	TSB_OPT_STR(struct cli, snapshot, 0, "snapshot", "FILE", "write a snapshot at the end"),
	TSB_OPT_FLAG(struct cli, virtual_time, 0, "virtual-time",
		     "sleep is instant, runs are reproducible"),
	TSB_OPT_FLAG(struct cli, list_commands, 0, "list-commands", "print the commands there are"),
	TSB_OPT_FLAG(struct cli, list_limits, 0, "list-limits", "print the limits and their defaults"),
	TSB_OPT_END
};

const struct tsb_command cli_tool = {
	.version = TSB_COMMAND_VERSION, .name = "tinysandbox",
	.synopsis = "[OPTION]... -c SCRIPT [NAME [ARG]...]\n[OPTION]... FILE [ARG]...\n[OPTION]...",
	.summary = "Run a shell script in a sandbox inside this process; without SCRIPT and FILE,\n"
		   "or when FILE is -, the script is read from standard input; a terminal gets a prompt.\n"
		   "The exit status is the script's; 2 for a bad option.",
	.opts = options, .opts_size = sizeof(struct cli), .flags = TSB_OPERAND_ENDS,
	.usage_status = 2
};

int cli_error(const char *fmt, ...)
{
	va_list ap;

	fputs("tinysandbox: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 2;
}

static int say(void (*text)(struct str *, const struct tsb_command *, const char *),
	       struct tsb_heap *heap)
{
	struct str out;

	str_init(&out, heap, STR_MAX_DEFAULT);
	text(&out, &cli_tool, "tinysandbox");
	fwrite(out.p, 1, out.n, stdout);
	return fflush(stdout) ? 1 : 0;
}

/* What is to be done instead of a run: its status; -1: run. */
static int options_end(struct opt_parsed *parsed, struct tsb_heap *heap)
{
	switch (parsed->result) {
	case OPT_HELP:
		return say(opt_help, heap);
	case OPT_VERSION:
		return say(opt_version, heap);
	case OPT_BAD:
		cli_error("%s", parsed->error.p);
		fputs("Try 'tinysandbox --help' for more information.\n", stderr);
		return 2;
	case OPT_STOP:
		return parsed->status;
	case OPT_RUN:
		break;
	}
	return -1;
}

/* What --batch and --analyze would not look at. */
static int options_fit(const struct cli *cli)
{
	bool run = cli->mounts.n || cli->env.n || cli->limits.n || cli->cwd || cli->hostname || cli->json ||
		   cli->restore || cli->snapshot || cli->virtual_time || cli->interactive;

	if (cli->batch && (run || cli->command || cli->analyze || cli->argc))
		return cli_error("--batch goes with no other option or operand: each request has its own");
	if (cli->analyze && run)
		return cli_error("--analyze runs nothing: it goes with -c and FILE only");
	return -1;
}

int cli_options(struct cli *cli, int argc, char **argv)
{
	struct tsb_heap *heap = heap_new(NULL, NULL, NULL, NULL);
	struct opt_parsed parsed;
	int status;

	if (!heap)
		return cli_error("no memory");
	opt_parse(&parsed, &cli_tool, heap, NULL, argc, argv);
	status = options_end(&parsed, heap);
	if (status >= 0) {
		heap_end(heap);
		return status;
	}
	/* The heap lives as long as the program: the lists in *cli are in it. */
	memcpy(cli, parsed.opts, sizeof(*cli));
	cli->argc = parsed.argc;
	cli->argv = parsed.argv;
	return options_fit(cli);
}
