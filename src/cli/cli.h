/*
 * The program's parts among themselves.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <tinysandbox/sandbox.h>

/* What the arguments said. */
struct cli {
	const char *command;		/* -c */
	struct tsb_list mounts, env, limits;
	const char *cwd, *snapshot, *restore, *hostname;
	bool json, batch, analyze, virtual_time, list_commands, list_limits, interactive;
	int argc;			/* operands */
	char **argv;
};

/* The program as a command: its option table. */
extern const struct tsb_command cli_tool;
/* What its manual says behind the options: man(7) source. */
extern const char cli_manual[];
/* Fills *cli; -1, or the status to exit with. */
int cli_options(struct cli *cli, int argc, char **argv);
/* "tinysandbox: message" on standard error; the status 2. */
int cli_error(const char *fmt, ...) TSB_PRINTF(1, 2);

/* The sandbox that the options ask for. 0, or a status after a message. */
int cli_open(const struct cli *cli, struct tsb_sandbox **box);
/* Writes --snapshot; the status. */
int cli_save(const struct cli *cli, struct tsb_sandbox *box);

/* Runs one script, output streamed or as JSON: the script's status. */
int cli_run(const struct cli *cli, struct tsb_sandbox *box, const char *script, size_t n,
	    enum tsb_script kind, const char *name, const char *const *args);
/* A whole file descriptor; malloc. NULL after a message. */
char *cli_read_all(int fd, const char *name, size_t *n);

/* Prints what the script would do; 2 for a syntax error, as `bash -n`. */
int cli_analyze(const char *script, size_t n);

/* Of a prompt, which lasts as long as a person likes: no time and no count of commands but what --limit says. */
void cli_prompt_limits(const struct cli *cli, struct tsb_limits *limits);
int cli_prompt(const struct cli *cli, struct tsb_sandbox *box);
int cli_batch(void);
/* NULL, or why a request is not taken: a key that is not known, or of another type; malloc. */
struct json_t;
char *batch_check(struct json_t *request);

#endif
