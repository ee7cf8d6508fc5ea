/*
 * The parts of `tinybox` among themselves.
 */
#ifndef CLI_BOX_BOX_H
#define CLI_BOX_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinybox/box.h>
#include <tinysandbox/command.h>

#define BOXC_OWN 70	/* exit status of our own failures */
#define BOXC_USAGE 2

/* What the arguments said, of whichever command. */
struct boxc {
	/* what a box is */
	const char *name, *image, *dir, *template, *snapshot, *git, *revision, *workspace, *hostname;
	const char *memory, *cpus, *pids, *disk, *files, *ttl, *network, *sandbox, *runner;
	struct tsb_list env, allow, publish, labels, accept, hooks, secrets, devices;
	const char *hook_timeout, *interval, *kernel, *accel, *secret_ca;
	const char *autosnapshot, *autosnapshot_keep;
	const char *process;		/* that logs is about, when its label was given */
	bool persistent, read_only, read_only_root, allow_report_only;
	bool hook_warn, shorten, watch, verify;
	/* where */
	const char *host, *port, *identity, *known_hosts, *config;
	bool accept_new_key;
	/* how something runs */
	const char *cwd, *timeout, *grace, *output_limit, *input, *label, *record;
	bool interactive, terminal, keep, detach, log;
	/* the rest */
	const char *signal, *store;
	const char *to, *from;		/* sync */
	const char *address;		/* forward */
	bool with_git, no_ignore, yes;
	bool json, dry, force, tree, follow, quick, quiet;

	/* snapshot, fork, template */
	const char *count;
	bool memory_too;

	const struct tsb_command *cmd;
	struct tsb_heap *heap;		/* what the options became; lives as long as the program */
	struct tbx_store *tbx;
	int argc;		/* operands */
	char **argv;
};

typedef int boxc_fn(struct boxc *c);

struct boxc_verb {
	struct tsb_command cmd;
	boxc_fn *run;
	int least, most;	/* operands; most -1: any number */
};

extern const struct boxc_verb boxc_verbs[];	/* name NULL behind the last */
extern const struct tsb_command boxc_tool;	/* tinybox itself */
extern const char boxc_manual[];		/* sections of tinybox(1) behind its options */

/* "tinybox: VERB: message"; the status given back. */
int boxc_error(const struct boxc *c, int status, const char *fmt, ...) TSB_PRINTF(3, 4);
/* The store's last error; the exit status for it. */
int boxc_failed(const struct boxc *c, int status);
int boxc_usage(const struct boxc *c, const char *fmt, ...) TSB_PRINTF(2, 3);
int boxc_missing(const struct boxc *c);	/* operands, which the message names by the synopsis */

/* spec.c: 0, or an exit status after a message */
int boxc_spec(struct boxc *c, struct tbx_spec *spec);
int boxc_target(struct boxc *c, struct tbx_target *target);
int boxc_exec_options(struct boxc *c, struct tbx_exec *e);
bool boxc_signal(const char *s, int *signal);
/* GUEST[:HOST] */
bool boxc_forward_port(const struct boxc *c, const char *s, struct tbx_port *p);

/* label.c: names of a box's processes, from operands behind BOX or from --label; heap */
int boxc_procs(struct boxc *c, bool all, const char *const **procs);

/*
 * "BOX:PATH", where BOX is a name: then *box is it (malloc) and the path is returned. No path is where
 * the box begins. (cp.c)
 */
const char *boxc_place(const char *s, char **box);

/* show.c */
int boxc_print(const struct boxc *c, struct tbx_doc *doc);	/* as JSON; frees it */
int boxc_made(const struct boxc *c, struct tbx_doc *doc);	/* the id of what is new; frees it */
/* A cell of a table: bytes that are not printable are shown as '?'. */
void boxc_cell(const char *text, int width, bool last);
/* A text within a line, with what a terminal would obey as '?'. */
void boxc_letters(const char *text);
/* The same for lines on standard error, in one piece: others may write there at the same time. */
void boxc_plain(const char *text);
/* A line of JSON. */
void boxc_json(const char *text);
bool boxc_is_table(void);		/* standard output is a terminal */
/* Exits with the verb's status once standard output is written. */
int boxc_flush(const struct boxc *c, int status);
char *boxc_span(uint64_t ns, char buf[32]);
char *boxc_bytes(uint64_t n, char buf[32]);

/* run.c: one command in a box, with our own streams; the exit status */
int boxc_stream(struct boxc *c, const char *box, struct tbx_exec *e);
int boxc_follow(struct boxc *c, const char *box, struct tbx_stream *s, bool input, bool terminal);

int boxc_create(struct boxc *c);
int boxc_run(struct boxc *c);
int boxc_exec(struct boxc *c);
int boxc_shell(struct boxc *c);
int boxc_attach(struct boxc *c);
int boxc_logs(struct boxc *c);
int boxc_spawn(struct boxc *c);
int boxc_ls(struct boxc *c);
int boxc_inspect(struct boxc *c);
int boxc_ps(struct boxc *c);
int boxc_rm(struct boxc *c);
int boxc_kill(struct boxc *c);
int boxc_wait(struct boxc *c);
int boxc_stop(struct boxc *c);
int boxc_start(struct boxc *c);
int boxc_pause(struct boxc *c);
int boxc_resume(struct boxc *c);
int boxc_reap(struct boxc *c);
int boxc_doctor(struct boxc *c);
int boxc_events(struct boxc *c);
int boxc_cp(struct boxc *c);
int boxc_forward(struct boxc *c);
int boxc_sync(struct boxc *c);
int boxc_completion(struct boxc *c);
int boxc_snapshot(struct boxc *c);
int boxc_fork(struct boxc *c);
int boxc_template(struct boxc *c);
/* reap --watch */
int boxc_watch(struct boxc *c);
int boxc_audit(struct boxc *c);
int boxc_ttl(struct boxc *c);

#endif
