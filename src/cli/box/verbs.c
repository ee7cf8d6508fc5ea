/*
 * The commands that make a box, run something in it, or change it.
 */
#include "cli/box/box.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- create, run ---- */

static int plan(struct boxc *c, const struct tbx_spec *spec)
{
	struct tbx_doc *doc;
	char path[64];
	int status = tbx_plan(c->tbx, spec, &doc);

	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	for (size_t i = 0; i < tbx_doc_count(doc, "steps"); i++) {
		snprintf(path, sizeof(path), "steps[%zu].where", i);
		boxc_cell(tbx_doc_text(doc, path), 24, false);
		snprintf(path, sizeof(path), "steps[%zu].what", i);
		boxc_cell(tbx_doc_text(doc, path), 0, true);
		snprintf(path, sizeof(path), "steps[%zu].argv", i);
		for (size_t k = 0, n = tbx_doc_count(doc, path); k < n; k++) {
			snprintf(path, sizeof(path), "steps[%zu].argv[%zu]", i, k);
			printf("%s%s%s", k ? " " : "\t", tbx_doc_text(doc, path), k + 1 == n ? "\n" : "");
		}
	}
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

int boxc_create(struct boxc *c)
{
	struct tbx_spec spec = TBX_SPEC_INIT;
	struct tbx_doc *doc;
	int status = boxc_spec(c, &spec);

	if (status)
		return status;
	if (c->dry)
		return plan(c, &spec);
	status = tbx_create(c->tbx, &spec, &doc);
	return status ? boxc_failed(c, status) : boxc_made(c, doc);
}

/* Whatever became of the command, the box goes; only then is its status ours. */
static int run_in(struct boxc *c, const struct tbx_spec *spec, struct tbx_exec *e)
{
	struct tbx_doc *doc;
	int status = tbx_create(c->tbx, spec, &doc), removed;

	if (status)
		return boxc_failed(c, status);
	status = boxc_stream(c, tbx_doc_text(doc, "id"), e);
	removed = tbx_remove(c->tbx, tbx_doc_text(doc, "id"), 0);
	if (removed)
		boxc_failed(c, removed);
	tbx_doc_free(doc);
	return removed && !status ? BOXC_OWN : status;
}

/* A signal before the command runs must not leave the box: it waits for the command. */
static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int boxc_run(struct boxc *c)
{
	struct tbx_spec spec = TBX_SPEC_INIT;
	struct tbx_exec e = TBX_EXEC_INIT;
	int status = boxc_spec(c, &spec);

	spec.transient = true;
	/* These are the box's own here. */
	c->memory = c->pids = c->cpus = c->cwd = NULL;
	c->env.n = 0;
	if (!status)
		status = boxc_exec_options(c, &e);
	if (status)
		return status;
	e.argv = (const char *const *)c->argv;
	if (c->dry)
		return plan(c, &spec);
	hold_signals();
	return run_in(c, &spec, &e);
}

/* ---- exec and its like ---- */

/* "BOX -- COMMAND": the dashes are not the command's. 0, or a status after a message. */
static int command_of(struct boxc *c, struct tbx_exec *e)
{
	char **argv = c->argv + 1;

	if (argv[0] && !strcmp(argv[0], "--"))
		argv++;
	else if (argv[0] && *argv[0] == '-')
		return boxc_usage(c, "'%s': options stand before BOX; a command that begins with a dash "
				  "stands behind --", argv[0]);
	e->argv = (const char *const *)argv;
	return argv[0] ? 0 : boxc_usage(c, "missing command");
}

static int spawn(struct boxc *c, const struct tbx_exec *e)
{
	struct tbx_doc *doc;
	int status = tbx_spawn(c->tbx, c->argv[0], e, &doc);

	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	boxc_cell(tbx_doc_text(doc, "proc"), 0, true);
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

/* What exec and spawn are told: options and the command. */
static int exec_of(struct boxc *c, struct tbx_exec *e)
{
	int status = boxc_exec_options(c, e);

	return status ? status : command_of(c, e);
}

int boxc_exec(struct boxc *c)
{
	struct tbx_exec e = TBX_EXEC_INIT;
	int status = exec_of(c, &e);

	if (status)
		return status;
	if (!c->detach)
		return boxc_stream(c, c->argv[0], &e);
	if (c->terminal || e.input == TBX_STDIN_STREAM)
		return boxc_usage(c, "--detach leaves: there is nobody for a terminal or a stream");
	return spawn(c, &e);
}

int boxc_spawn(struct boxc *c)
{
	struct tbx_exec e = TBX_EXEC_INIT;
	int status = exec_of(c, &e);

	if (status)
		return status;
	if (e.input == TBX_STDIN_STREAM)
		return boxc_usage(c, "--stdin 'stream': nobody is there to write it");
	return spawn(c, &e);
}

int boxc_shell(struct boxc *c)
{
	static const char *const argv[] = { "sh", "-c",
		"command -v bash >/dev/null 2>&1 && exec bash\nexec sh", NULL };
	struct tbx_exec e = TBX_EXEC_INIT;
	int status = boxc_exec_options(c, &e);

	if (status)
		return status;
	e.argv = argv;
	e.input = TBX_STDIN_STREAM;
	e.terminal = boxc_is_table() && !c->json;
	return boxc_stream(c, c->argv[0], &e);
}

int boxc_attach(struct boxc *c)
{
	struct tbx_stream *s;
	int status = tbx_stream_attach(c->tbx, c->argv[0], c->argv[1], &s);

	if (status)
		return boxc_failed(c, status);
	status = boxc_follow(c, c->argv[0], s, c->interactive, false);
	tbx_stream_close(s);
	return status;
}

int boxc_logs(struct boxc *c)
{
	const char *const *proc;
	struct tbx_stream *s;
	int status = boxc_procs(c, false, &proc);

	if (status)
		return status;
	c->process = *proc;
	status = tbx_stream_logs(c->tbx, c->argv[0], *proc, c->follow, 0, &s);
	if (status)
		return boxc_failed(c, status);
	status = boxc_follow(c, c->argv[0], s, false, false);
	tbx_stream_close(s);
	return status;
}

int boxc_wait(struct boxc *c)
{
	struct tbx_exec e = TBX_EXEC_INIT;
	const char *const *proc;
	struct tbx_doc *end;
	int status = boxc_exec_options(c, &e);

	if (!status)
		status = boxc_procs(c, false, &proc);
	if (status)
		return status;
	status = tbx_wait(c->tbx, c->argv[0], *proc, e.deadline, &end);
	if (status)
		return boxc_failed(c, status);
	status = (int)tbx_doc_number(end, "status", BOXC_OWN) & 255;
	if (c->json && boxc_print(c, end))
		return BOXC_OWN;
	if (!c->json)
		tbx_doc_free(end);
	return status;
}

int boxc_kill(struct boxc *c)
{
	const char *const *proc;
	int sig, result, status;
	bool gone;

	if (!boxc_signal(c->signal, &sig))
		return boxc_usage(c, "--signal '%s': there is no such signal", c->signal);
	result = boxc_procs(c, true, &proc);
	if (result)
		return result;
	for (; *proc; proc++) {
		gone = false;
		status = tbx_kill(c->tbx, c->argv[0], *proc, sig, c->tree, &gone);
		if (status)
			result = boxc_failed(c, status);
		else if (c->json)
			printf("{\"proc\":\"%s\",\"gone\":%s}\n", *proc, gone ? "true" : "false");
	}
	return boxc_flush(c, result);
}

/* ---- Whole boxes ---- */

typedef int change_fn(struct boxc *c, const char *box);

static int each(struct boxc *c, change_fn *fn, const char *state)
{
	int result = 0;

	for (int i = 0; i < c->argc; i++) {
		int status = fn(c, c->argv[i]);

		if (status)
			result = boxc_failed(c, status);
		else if (c->json)
			printf("{\"box\":\"%s\",\"state\":\"%s\"}\n", c->argv[i], state);
		else
			puts(c->argv[i]);
	}
	return boxc_flush(c, result);
}

static int remove_one(struct boxc *c, const char *box)
{
	int status = tbx_remove(c->tbx, box, c->force ? TBX_FORCE : 0);

	return status == TBX_ERR_UNKNOWN && c->force ? TBX_OK : status;
}

static int stop_one(struct boxc *c, const char *box)
{
	uint64_t grace = 0;

	if (c->grace && !tbx_duration(c->grace, &grace))
		return TBX_ERR_ARGUMENT;
	return tbx_stop(c->tbx, box, grace);
}

static int start_one(struct boxc *c, const char *box)
{
	return tbx_start(c->tbx, box);
}

static int pause_one(struct boxc *c, const char *box)
{
	return tbx_pause(c->tbx, box);
}

static int resume_one(struct boxc *c, const char *box)
{
	return tbx_resume(c->tbx, box);
}

int boxc_rm(struct boxc *c)
{
	/* as rm: rm -f $(tinybox ls -q) where there are none */
	if (!c->argc && !c->force)
		return boxc_missing(c);
	return each(c, remove_one, "removed");
}

int boxc_stop(struct boxc *c)
{
	uint64_t grace;

	if (c->grace && !tbx_duration(c->grace, &grace))
		return boxc_usage(c, "--grace '%s': not a span of time; 90s, 5m and 2h are some", c->grace);
	return each(c, stop_one, "stopped");
}

int boxc_start(struct boxc *c)
{
	return each(c, start_one, "ready");
}

int boxc_pause(struct boxc *c)
{
	return each(c, pause_one, "paused");
}

int boxc_resume(struct boxc *c)
{
	return each(c, resume_one, "ready");
}

/* ---- reap, events ---- */

static bool reap_rows(const struct boxc *c, const struct tbx_doc *doc, const char *list,
		      const char *key)
{
	char path[64];
	bool failed = false;

	for (size_t i = 0; i < tbx_doc_count(doc, list); i++) {
		const char *error;
		bool done;

		snprintf(path, sizeof(path), "%s[%zu].error", list, i);
		error = tbx_doc_text(doc, path);
		snprintf(path, sizeof(path), "%s[%zu].done", list, i);
		done = tbx_doc_true(doc, path);
		failed = failed || error;
		boxc_cell(error ? "failed" : done ? "reaped" : c->dry ? "would reap" : "left", 11, false);
		snprintf(path, sizeof(path), "%s[%zu].%s", list, i, key);
		boxc_cell(tbx_doc_text(doc, path), 10, false);
		snprintf(path, sizeof(path), "%s[%zu].why", list, i);
		boxc_cell(tbx_doc_text(doc, path), 0, !error);
		if (error)
			boxc_cell(error, 0, true);
	}
	return failed;
}

int boxc_reap(struct boxc *c)
{
	struct tbx_doc *doc;
	bool failed;
	int status;

	if (c->watch)
		return boxc_watch(c);
	if (c->interval)
		return boxc_usage(c, "--interval needs --watch");
	status = tbx_reap(c->tbx, c->dry, &doc);

	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	failed = reap_rows(c, doc, "boxes", "id");
	failed = reap_rows(c, doc, "strays", "path") || failed;
	tbx_doc_free(doc);
	return boxc_flush(c, failed ? BOXC_OWN : 0);
}

static int event(void *ctx, const char *box, const char *line)
{
	(void)ctx;
	(void)box;
	boxc_json(line);
	return fflush(stdout) ? 1 : 0;
}

int boxc_events(struct boxc *c)
{
	int status = tbx_events(c->tbx, c->argc ? c->argv[0] : NULL, c->follow, event, c);

	return status ? boxc_failed(c, status) : boxc_flush(c, 0);
}
