/*
 * tinysandbox: what to do, by the arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static int list_commands(void)
{
	const struct tsb_command *cmd;
	struct tsb_sandbox *box;

	if (tsb_sandbox_open(&box, NULL))
		return cli_error("no memory");
	for (size_t i = 0; (cmd = tsb_command_at(box, i)); i++)
		printf("%s\n", cmd->name);
	tsb_sandbox_close(box);
	return fflush(stdout) ? 1 : 0;
}

static int list_limits(void)
{
	const char *name, *unit, *help;
	uint64_t value;

	for (size_t i = 0; (name = tsb_limit_name(i, &unit, &help, &value)); i++)
		printf("%-14s %12llu %-6s %s\n", name, (unsigned long long)value, unit, help);
	return fflush(stdout) ? 1 : 0;
}

static int run_input(const struct cli *cli, struct tsb_sandbox *box, const char *const *args)
{
	size_t n;
	char *text = cli_read_all(0, "standard input", &n);
	int status = 2;

	if (text)
		status = cli->analyze ? cli_analyze(text, n) : cli_run(cli, box, text, n, TSB_SCRIPT_STDIN, "bash", args);
	free(text);
	return status;
}

static int run_file(const struct cli *cli, struct tsb_sandbox *box)
{
	int fd, status;
	size_t n;
	char *text;

	if (!strcmp(cli->argv[0], "-"))
		return run_input(cli, box, (const char *const *)cli->argv + 1);
	fd = open(cli->argv[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		cli_error("%s: %s", cli->argv[0], strerror(errno));
		return errno == ENOENT ? 127 : 126;
	}
	text = cli_read_all(fd, cli->argv[0], &n);
	close(fd);
	if (!text)
		return 126;
	status = cli->analyze ? cli_analyze(text, n) :
		 cli_run(cli, box, text, n, TSB_SCRIPT_FILE, cli->argv[0],
			 (const char *const *)cli->argv + 1);
	free(text);
	return status;
}

/* As run(), with nothing run. */
static int analyze(const struct cli *cli)
{
	if (cli->command)
		return cli_analyze(cli->command, strlen(cli->command));
	return cli->argc ? run_file(cli, NULL) : run_input(cli, NULL, NULL);
}

static int run(const struct cli *cli, struct tsb_sandbox *box)
{
	const char *const *args = (const char *const *)cli->argv;

	if (cli->command)
		return cli_run(cli, box, cli->command, strlen(cli->command), TSB_SCRIPT_COMMAND,
			       cli->argc ? args[0] : "bash", cli->argc ? args + 1 : NULL);
	if (cli->argc)
		return run_file(cli, box);
	if (cli->interactive || isatty(0))
		return cli_prompt(cli, box);
	return run_input(cli, box, NULL);
}

int main(int argc, char **argv)
{
	struct tsb_sandbox *box = NULL;
	struct cli cli;
	int status = cli_options(&cli, argc, argv), saved;

	if (status >= 0)
		return status;
	if (cli.list_commands)
		return list_commands();
	if (cli.list_limits)
		return list_limits();
	if (cli.batch)
		return cli_batch();
	if (cli.analyze)
		return analyze(&cli);
	status = cli_open(&cli, &box);
	if (!status) {
		status = run(&cli, box);
		saved = cli_save(&cli, box);
		status = saved ? saved : status;
	}
	tsb_sandbox_close(box);
	return status;
}
