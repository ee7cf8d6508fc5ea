/*
 * Children that are not waited for at once: the job table, what ended jobs
 * leave behind (wait may ask later), and starting in the background. With job
 * control (set -m) children are stopped and go on, in process groups of their
 * own; without it a script hears only of those that ended. job_tell.c says it.
 */
#include "shell/doing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lang/print.h"

#define PAST_MAX 256	/* statuses remembered, as CHILD_MAX asks for at least */

/* ---- The table ---- */

bool job_alive(const struct job *j)
{
	for (unsigned i = 0; i < j->n; i++)
		if (!j->at[i].done)
			return true;
	return false;
}

int job_status(const struct job *j)
{
	return status_of_wait(j->at[j->n - 1].status);
}

static int next_id(const struct shell *sh)
{
	int id = 0;

	for (const struct job *j = sh->jobs; j; j = j->next)
		if (j->id > id)
			id = j->id;
	return id + 1;
}

struct job *job_add(struct shell *sh, const int *pids, unsigned n, char *text)
{
	struct job *j = heap_zalloc(sh->heap, sizeof(*j)), **link = &sh->jobs;

	if (!j)
		return NULL;
	j->at = heap_zalloc(sh->heap, n * sizeof(*j->at));
	j->n = n;
	for (unsigned i = 0; i < n; i++)
		j->at[i].pid = pids[i];
	j->pgid = pids[0];
	j->text = text;
	j->id = next_id(sh);
	while (*link)
		link = &(*link)->next;
	*link = j;
	return j;
}

void job_add_hidden(struct shell *sh, int pid)
{
	struct job *j = job_add(sh, &pid, 1, NULL);

	if (j) {
		j->id = 0;
		j->substitution = true;
	}
}

static void past_add(struct shell *sh, int pid, int status)
{
	struct doing *d = doing(sh);
	struct past *p;

	if (d->past.n >= PAST_MAX) {
		memmove(d->past.at, d->past.at + 1, (d->past.n - 1) * sizeof(*d->past.at));
		d->past.n--;
	}
	p = vec_add(sh->heap, &d->past);
	if (p)
		*p = (struct past){ .pid = pid, .status = status };
}

/* A coprocess that ended takes its descriptors and variables with it. */
static void coproc_gone(struct shell *sh, struct job *j)
{
	struct str name;

	for (int i = 0; i < 2; i++)
		tsb_close(sh->p, j->coproc_fd[i]);
	var_unset(sh, j->coproc, strlen(j->coproc), false);
	str_init(&name, sh->heap, STR_MAX_DEFAULT);
	str_addf(&name, "%s_PID", j->coproc);
	var_unset(sh, name.p, name.n, false);
	str_end(&name);
	heap_free(sh->heap, j->coproc);
	j->coproc = NULL;
}

static void job_free(struct shell *sh, struct job *j)
{
	for (unsigned i = 0; i < j->n; i++)
		heap_free(sh->heap, j->at[i].text);
	heap_free(sh->heap, j->at);
	heap_free(sh->heap, j->text);
	heap_free(sh->heap, j->dir);
	heap_free(sh->heap, j);
}

/* Out of the table; the statuses stay known. */
void job_forget(struct shell *sh, struct job *gone)
{
	struct doing *d = doing(sh);

	if (d->jobs_frozen)
		return;
	for (struct job **link = &sh->jobs; *link; link = &(*link)->next) {
		if (*link != gone)
			continue;
		*link = gone->next;
		break;
	}
	if (gone->coproc && sh->p)
		coproc_gone(sh, gone);
	for (unsigned i = 0; i < gone->n; i++)
		if (gone->at[i].done)
			past_add(sh, gone->at[i].pid, gone->at[i].status);
	job_free(sh, gone);
	if (d->job_now != gone && d->job_before != gone)
		return;
	d->job_now = d->job_now == gone ? NULL : d->job_now;
	d->job_before = d->job_before == gone ? NULL : d->job_before;
	job_choose_now(sh);
}

void jobs_reset(struct shell *sh)
{
	doing(sh)->jobs_frozen = 0;
	for (struct job *j = sh->jobs; j; j = j->next)
		j->coproc = NULL;
	while (sh->jobs)
		job_forget(sh, sh->jobs);
	doing(sh)->past.n = 0;
}

struct job *job_of_pid(struct shell *sh, int pid)
{
	for (struct job *j = sh->jobs; j; j = j->next)
		for (unsigned i = 0; i < j->n; i++)
			if (j->at[i].pid == pid)
				return j;
	return NULL;
}

void job_here(struct shell *sh, struct job *j)
{
	struct slice pwd;

	if (var_get_text(sh, "PWD", &pwd))
		j->dir = heap_dup(sh->heap, pwd.p, pwd.n);
}

/* ---- Current and previous: %+ and %- ---- */

/* The newest that is stopped, or runs, of those older than `than` (NULL: of all). */
static struct job *job_newest(struct shell *sh, const struct job *than, bool stopped)
{
	struct job *found = NULL;

	for (struct job *j = sh->jobs; j && j != than; j = j->next)
		if (!j->substitution && !j->disowned && (stopped ? j->stopped : job_running(j)))
			found = j;
	return found;
}

/* What was %+ becomes %- if it is stopped; else an older stopped one does, else one that runs. */
void job_make_now(struct shell *sh, struct job *j)
{
	struct doing *d = doing(sh);
	struct job *other = NULL;

	if (d->job_now != j)
		d->job_before = d->job_now;
	d->job_now = j;
	if (d->job_before && d->job_before != j && d->job_before->stopped)
		return;
	if (j->stopped)
		other = job_newest(sh, j, true);
	if (!other)
		other = job_newest(sh, job_running(j) ? j : NULL, false);
	d->job_before = other ? other : j;
}

void job_choose_now(struct shell *sh)
{
	struct doing *d = doing(sh);
	struct job *j = NULL;

	if (d->job_now && d->job_now->stopped)
		j = d->job_now;
	else if (d->job_before && d->job_before->stopped)
		j = d->job_before;
	if (!j)
		j = job_newest(sh, NULL, true);
	if (!j)
		j = job_newest(sh, NULL, false);
	if (j)
		job_make_now(sh, j);
	else
		d->job_now = d->job_before = NULL;
}

static struct job *job_by_text(struct shell *sh, const char *text, bool anywhere, bool *twice)
{
	struct job *found = NULL;
	size_t n = strlen(text);

	for (struct job *j = sh->jobs; j; j = j->next) {
		for (unsigned i = 0; i < j->n && j->text; i++) {
			const char *of = j->at[i].text ? j->at[i].text : j->text;

			if (anywhere ? !strstr(of, text) : strncmp(of, text, n) != 0)
				continue;
			*twice |= found != NULL;
			found = j;
		}
	}
	return found;
}

struct job *job_find(struct shell *sh, const char *spec, bool loud)
{
	struct job *j = NULL;
	bool twice = false;
	int64_t n;

	if (*spec == '%')
		spec++;
	if (!*spec || !strcmp(spec, "%") || !strcmp(spec, "+"))
		j = doing(sh)->job_now;
	else if (!strcmp(spec, "-"))
		j = doing(sh)->job_before;
	else if (text_number(spec, &n)) {
		for (j = sh->jobs; j && j->id != n; j = j->next)
			;
	} else if (*spec == '?') {
		j = job_by_text(sh, spec + 1, true, &twice);
	} else {
		j = job_by_text(sh, spec, false, &twice);
	}
	doing(sh)->ambiguous = twice;
	if (twice && loud)
		builtin_error(sh, "%s: ambiguous job spec", spec + (*spec == '?'));
	return twice ? NULL : j;
}

/* ---- Waiting ---- */

int job_wait_pid(struct shell *sh, int pid)
{
	for (;;) {
		int status, got = proc_wait(sh->p, pid, &status, 0);

		if (got == pid) {
			terminal_size(sh);
			return status;
		}
		if (got != -EINTR)
			return STATUS_NOT_FOUND << 8;
		trap_take(sh);
	}
}

/*
 * Ctrl-C reaches the shell of a script and what it waits for. The shell dies of it only if that did: an editor or a
 * pager that goes on had its own use for the key. So it is caught while the shell waits, and judged at the end.
 */
void job_hold_interrupt(struct shell *sh)
{
	struct doing *d = doing(sh);
	int old;

	if (d->interrupt_held++ || sh->prompts || trap_has(sh, SIGINT))
		return;
	old = tsb_signal(sh->p, SIGINT, TSB_SIG_CATCH);
	if (old == TSB_SIG_IGNORE)
		tsb_signal(sh->p, SIGINT, TSB_SIG_IGNORE);
	d->interrupt_judged = old != TSB_SIG_IGNORE;
	d->interrupt_default = old == TSB_SIG_DEFAULT;
}

void job_judge_interrupt(struct shell *sh, int wait_status)
{
	static const uint64_t bit = (uint64_t)1 << SIGINT;
	struct doing *d = doing(sh);
	bool came, fatal = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGINT;

	if (--d->interrupt_held || !d->interrupt_judged)
		return;
	d->interrupt_judged = false;
	trap_take(sh);
	came = d->pending & bit;
	d->pending &= ~bit;
	if (d->interrupt_default)
		tsb_signal(sh->p, SIGINT, TSB_SIG_DEFAULT);
	if (came && fatal && d->interrupt_default)
		trap_signal_self(sh, SIGINT);
	else if (came && fatal)
		d->pending |= bit;
}

/* Job control, which subshells have none of: they do not see that a child is stopped. */
static bool job_control(const struct shell *sh)
{
	return sh->opts[OPT_MONITOR] && !sh->is_subshell;
}

int job_wait_front(struct shell *sh, int pid)
{
	doing(sh)->waited = true;
	if (!job_control(sh)) {
		int status;

		job_hold_interrupt(sh);
		status = job_wait_pid(sh, pid);
		job_judge_interrupt(sh, status);
		return status;
	}
	terminal_lend(sh, tsb_getpgid(sh->p, pid));
	for (;;) {
		int status, got = proc_wait(sh->p, pid, &status, WUNTRACED);

		if (got == pid || got != -EINTR) {
			status = got == pid ? status : STATUS_NOT_FOUND << 8;
			terminal_back(sh, status);
			terminal_size(sh);
			return status;
		}
		trap_take(sh);
	}
}

void job_group(struct shell *sh, struct tsb_proc *child)
{
	struct doing *d = doing(sh);

	if (!job_control(sh))
		return;
	proc_set_group(child, d->line_starts ? d->line_group : 0);
	if (d->line_starts && !d->line_group)
		d->line_group = proc_pid(child);
}

/* What its processes are makes the job: stopped until none of them is, and while one runs that
 * was not stopped yet it is not stopped either. */
void job_changed(struct shell *sh, struct job *j)
{
	bool runs = false, stopped = false, was = j->stopped;

	for (unsigned i = 0; i < j->n; i++) {
		const struct job_process *p = &j->at[i];

		runs |= !p->done && !p->stopped;
		stopped |= p->stopped;
		if (p->stopped && WSTOPSIG(p->status) == SIGTSTP)
			doing(sh)->suspended = true;
	}
	j->told = false;
	if (runs && !was)
		return;
	j->stopped = stopped;
	j->front &= !stopped;
	if (stopped)
		job_make_now(sh, j);
	else if (runs)
		job_choose_now(sh);
}

void job_took(struct shell *sh, struct job *j, struct job_process *p, int status)
{
	p->status = status;
	p->stopped = WIFSTOPPED(status);
	p->done = !p->stopped && !WIFCONTINUED(status);
	if (!WIFCONTINUED(status) && doing(sh)->n_traps && trap_has(sh, SIGCHLD))
		doing(sh)->pending |= (uint64_t)1 << SIGCHLD;
	job_changed(sh, j);
}

void job_continue(struct shell *sh, struct job *j)
{
	for (unsigned i = 0; i < j->n; i++) {
		if (!j->at[i].done)
			tsb_kill(sh->p, j->at[i].pid, SIGCONT);
		j->at[i].stopped = false;
	}
	j->stopped = false;
	j->told = true;
}

unsigned job_reap(struct shell *sh)
{
	unsigned ended = 0;
	int flags = job_control(sh) ? WNOHANG | WUNTRACED | WCONTINUED : WNOHANG;

	for (struct job *j = sh->jobs; j; j = j->next) {
		for (unsigned i = 0; i < j->n && !j->foreign; i++) {
			int status;

			if (j->at[i].done ||
			    (flags == WNOHANG && !proc_child_ended(sh->p, j->at[i].pid)))
				continue;
			if (proc_wait(sh->p, j->at[i].pid, &status, flags) == j->at[i].pid)
				job_took(sh, j, &j->at[i], status);
			ended += j->at[i].done;
		}
	}
	return ended;
}

/* As bash's handler does at once: a job that has ended is no process any more, for
 * kill -0, ps and pgrep. With a trap for it the signal comes first. */
void job_reap_quietly(struct shell *sh)
{
	if (sh->jobs && !(doing(sh)->n_traps && trap_has(sh, SIGCHLD)))
		job_reap(sh);
}

/* $( ) shows the jobs of the shell around it; they are not its own to wait for. */
void jobs_clone(struct shell *to, const struct shell *from)
{
	for (const struct job *j = from->jobs; j; j = j->next) {
		int *pids;
		struct job *copy;

		if (j->substitution || !job_alive(j))
			continue;
		pids = arena_array(&to->turn, j->n, sizeof(*pids));
		for (unsigned i = 0; i < j->n; i++)
			pids[i] = j->at[i].pid;
		copy = job_add(to, pids, j->n, heap_strdup(to->heap, j->text));
		if (copy) {
			for (unsigned i = 0; i < j->n; i++) {
				copy->at[i] = j->at[i];
				copy->at[i].text = j->at[i].text ?
					heap_strdup(to->heap, j->at[i].text) : NULL;
			}
			copy->dir = j->dir ? heap_strdup(to->heap, j->dir) : NULL;
			copy->foreign = true;
			copy->id = j->id;
			copy->stopped = j->stopped;
			copy->controlled = j->controlled;
			if (j == doing(from)->job_now)
				doing(to)->job_now = copy;
			if (j == doing(from)->job_before)
				doing(to)->job_before = copy;
		}
	}
}

char *node_text(struct shell *sh, const struct node *n)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	print_node(&t, n);
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

/* ---- Background ---- */

static char *kept_text(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	char *text = heap_strdup(sh->heap, node_text(sh, n));

	arena_reset(&sh->turn, m);
	return text;
}

static void stage_texts(struct shell *sh, struct job *j, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);

	for (unsigned i = 0; i < j->n && n; i++, n = n->next)
		j->at[i].text = heap_strdup(sh->heap, turn_join(sh, node_text(sh, n), n->pipe_stderr ?
								" 2>&1" : NULL, NULL));
	arena_reset(&sh->turn, m);
}

static void started(struct shell *sh, const int *pids, unsigned n, const struct node *node)
{
	struct job *j = job_add(sh, pids, n, kept_text(sh, node));

	if (j) {
		j->controlled = job_monitor(sh);
		job_here(sh, j);
		if (n > 1)
			stage_texts(sh, j, node->pipeline.first);
		job_choose_now(sh);
	}
	if (j && sh->prompts && !sh->is_subshell) {
		char text[64];
		int length = snprintf(text, sizeof(text), "[%d] %d\n", j->id, pids[n - 1]);

		tsb_write_all(sh->p, 2, text, (size_t)length);
	}
	sh->last_background = pids[n - 1];
	sh->status = 0;
}

static int background_main(struct tsb_proc *p, void *arg)
{
	struct shell *sh = arg;
	enum flow f;

	shell_enter_process(sh);
	/* (what it was told of set -m is not for what it runs) */
	if (tsb_getpgid(p, 0) != proc_pid(p)) {
		proc_signal(p, SIGINT, PROC_SIG_IGNORE);
		proc_signal(p, SIGQUIT, PROC_SIG_IGNORE);
	}
	f = eval_node(sh, doing(sh)->start_node);
	return shell_finish(sh, f);
}

/* Without job control a background command reads nothing, unless what it stands in was given something to read. */
static int null_input(struct shell *sh)
{
	return job_monitor(sh) || doing(sh)->stdin_given ? -1 : tsb_open(sh->p, "/dev/null", O_RDONLY, 0);
}

static int start_clone(struct shell *sh, const struct node *n)
{
	struct tsb_proc *child;
	struct shell *csh = shell_fork(sh, &child);
	int null = csh ? null_input(sh) : -1;

	if (!csh)
		return -1;
	if (null >= 0) {
		proc_give_fd(sh->p, null, child, 0);
		tsb_close(sh->p, null);
	}
	if (job_monitor(sh))
		proc_set_group(child, 0);
	doing(csh)->start_node = n;
	doing(csh)->exec_node = doing(csh)->negated = only_command(n);
	proc_start(child, background_main, csh);
	return proc_pid(child);
}

/* The stages of a pipeline are jobs of one job, not of a shell between. */
static bool is_plain_pipeline(const struct node *n)
{
	return n->kind == NODE_PIPELINE && n->pipeline.n > 1 && !n->pipeline.negate &&
	       !n->pipeline.timed;
}

enum flow eval_background(struct shell *sh, const struct node *n)
{
	const struct node *one = n;
	int pid;

	sh->line = n->line;
	if (one->kind == NODE_PIPELINE && one->pipeline.n == 1 && !one->pipeline.negate &&
	    !one->pipeline.timed)
		one = one->pipeline.first;
	if (is_plain_pipeline(n)) {
		struct arena_mark m = arena_mark(&sh->turn);
		int *pids = arena_array(&sh->turn, n->pipeline.n, sizeof(*pids));
		unsigned count = pipeline_background(sh, n, null_input(sh), pids);

		if (count)
			started(sh, pids, count, n);
		arena_reset(&sh->turn, m);
		return FLOW_NEXT;
	}
	pid = start_clone(sh, one);
	if (pid < 0) {
		sh->status = 254;
		return FLOW_NEXT;
	}
	started(sh, &pid, 1, n);
	return FLOW_NEXT;
}

/* ---- coproc ---- */

static void coproc_variables(struct shell *sh, const char *name, int in, int out, int pid)
{
	char digits[3][24], pid_name[300];
	struct slice items[2];

	items[0].n = (size_t)snprintf(digits[0], sizeof(digits[0]), "%d", in);
	items[0].p = digits[0];
	items[1].n = (size_t)snprintf(digits[1], sizeof(digits[1]), "%d", out);
	items[1].p = digits[1];
	var_set_list(sh, name, items, 2);
	snprintf(pid_name, sizeof(pid_name), "%s_PID", name);
	snprintf(digits[2], sizeof(digits[2]), "%d", pid);
	var_set_text(sh, pid_name, digits[2], strlen(digits[2]));
}

/* A descriptor of the shell's own, closed in programs. */
static int coproc_fd(struct shell *sh, int fd)
{
	fd = shell_high_fd(sh, fd);
	tsb_set_cloexec(sh->p, fd, true);
	return fd;
}

void coproc_closed(struct shell *sh, int fd)
{
	struct slice items[2];
	char digits[2][24];

	for (struct job *j = sh->jobs; j; j = j->next) {
		if (!j->coproc || (j->coproc_fd[0] != fd && j->coproc_fd[1] != fd))
			continue;
		j->coproc_fd[j->coproc_fd[1] == fd] = -1;
		for (int i = 0; i < 2; i++) {
			items[i].n = (size_t)snprintf(digits[i], sizeof(digits[i]), "%d",
						      j->coproc_fd[i]);
			items[i].p = digits[i];
		}
		var_set_list(sh, j->coproc, items, 2);
	}
}

enum flow eval_coproc(struct shell *sh, const struct node *n)
{
	const char *name = n->named.name.n ? n->named.name.s : "COPROC";
	struct tsb_proc *child;
	struct shell *csh;
	int to[2], from[2], pid;
	struct job *j;

	sh->line = n->line;
	sh->status = 1;
	if (tsb_pipe(sh->p, to))
		return FLOW_NEXT;
	if (tsb_pipe(sh->p, from) || !(csh = shell_fork(sh, &child)))
		return FLOW_NEXT;
	pid = proc_pid(child);
	proc_give_fd(sh->p, to[0], child, 0);
	proc_give_fd(sh->p, from[1], child, 1);
	for (int i = 0; i < 2; i++) {
		proc_drop_fd(child, to[i]);
		proc_drop_fd(child, from[i]);
	}
	doing(csh)->exec_node = only_command(n->named.body);
	shell_start(csh, n->named.body);
	/* 63 and 60, as in bash, which moves all four. */
	from[0] = coproc_fd(sh, from[0]);
	from[1] = shell_high_fd(sh, from[1]);
	to[0] = shell_high_fd(sh, to[0]);
	to[1] = coproc_fd(sh, to[1]);
	tsb_close(sh->p, to[0]);
	tsb_close(sh->p, from[1]);
	coproc_variables(sh, name, from[0], to[1], pid);
	started(sh, &pid, 1, n);
	j = job_of_pid(sh, pid);
	if (j) {
		j->coproc = heap_strdup(sh->heap, name);
		j->coproc_fd[0] = from[0];
		j->coproc_fd[1] = to[1];
	}
	return FLOW_NEXT;
}
