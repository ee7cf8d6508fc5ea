/*
 * Children that are not waited for at once: the job table, what ended jobs
 * leave behind (wait may ask later), and starting in the background. A script
 * has no job control: dead jobs vanish silently, as in bash, and only a process
 * killed by a signal that is no everyday event gets a message.
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

bool job_running(const struct job *j)
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

/* Out of the table; the statuses stay known. */
void job_forget(struct shell *sh, struct job *gone)
{
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
	heap_free(sh->heap, gone->at);
	heap_free(sh->heap, gone->text);
	heap_free(sh->heap, gone);
}

void jobs_reset(struct shell *sh)
{
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

/* ---- Current and previous: %+ and %- ---- */

/* The newest job, and the one before it; running ones first. */
static struct job *job_nth_newest(struct shell *sh, unsigned nth)
{
	struct job *found[2] = { NULL, NULL };

	for (struct job *j = sh->jobs; j; j = j->next) {
		if (j->substitution || j->disowned)
			continue;
		found[1] = found[0];
		found[0] = j;
	}
	return nth < 2 ? found[nth] : NULL;
}

static struct job *job_by_text(struct shell *sh, const char *text, bool anywhere, bool *twice)
{
	struct job *found = NULL;
	size_t n = strlen(text);

	for (struct job *j = sh->jobs; j; j = j->next) {
		if (!j->text)
			continue;
		if (anywhere ? !strstr(j->text, text) : strncmp(j->text, text, n) != 0)
			continue;
		*twice = found != NULL;
		found = j;
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
		j = job_nth_newest(sh, 0);
	else if (!strcmp(spec, "-"))
		j = job_nth_newest(sh, sh->jobs && sh->jobs->next ? 1 : 0);
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

		if (got == pid)
			return status;
		if (got != -EINTR)
			return STATUS_NOT_FOUND << 8;
		trap_take(sh);
	}
}

static void job_took(struct shell *sh, struct job_process *p, int status)
{
	p->status = status;
	p->done = true;
	if (doing(sh)->n_traps && trap_has(sh, SIGCHLD))
		doing(sh)->pending |= (uint64_t)1 << SIGCHLD;
}

void job_reap(struct shell *sh)
{
	for (struct job *j = sh->jobs; j; j = j->next) {
		for (unsigned i = 0; i < j->n && !j->foreign; i++) {
			int status;

			if (j->at[i].done || !proc_child_ended(sh->p, j->at[i].pid))
				continue;
			if (proc_wait(sh->p, j->at[i].pid, &status, WNOHANG) == j->at[i].pid)
				job_took(sh, &j->at[i], status);
		}
	}
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

		if (j->substitution || j->foreign || !job_running(j))
			continue;
		pids = arena_array(&to->turn, j->n, sizeof(*pids));
		for (unsigned i = 0; i < j->n; i++)
			pids[i] = j->at[i].pid;
		copy = job_add(to, pids, j->n, heap_strdup(to->heap, j->text));
		if (copy) {
			copy->foreign = true;
			copy->id = j->id;
		}
	}
}

/* set -m: the end of a job is told. */
void job_tell_end(struct shell *sh, const struct job *j)
{
	struct str m;

	if (!sh->opts[OPT_MONITOR] || j->substitution || j->disowned || !j->text)
		return;
	str_init(&m, sh->heap, STR_MAX_DEFAULT);
	job_print(sh, j, &m, 0);
	message_write(sh, &m);
	str_end(&m);
}

void jobs_notify(struct shell *sh)
{
	job_reap(sh);
	for (struct job *j = sh->jobs, *next; j; j = next) {
		next = j->next;
		if (job_running(j))
			continue;
		if (j->just_killed) {
			j->just_killed = false;
			continue;
		}
		job_tell_end(sh, j);
		job_forget(sh, j);
	}
}

/* ---- Messages ---- */

static void ended_state(int w, char *buf, size_t n)
{
	if (WIFSIGNALED(w))
		snprintf(buf, n, "%s", signal_text(WTERMSIG(w)));
	else if (WEXITSTATUS(w))
		snprintf(buf, n, "Exit %d", WEXITSTATUS(w));
	else
		snprintf(buf, n, "Done");
}

static void job_state(const struct job *j, char *buf, size_t n)
{
	if (job_running(j))
		snprintf(buf, n, "Running");
	else
		ended_state(j->at[j->n - 1].status, buf, n);
}

/* Does bash tell of that end? SIGTERM in a word of its own. */
static bool report_begins(struct shell *sh, int w, struct str *m)
{
	int sig = WTERMSIG(w);

	if (sig == SIGINT || sig == SIGPIPE || doing(sh)->in_substitution || trap_has(sh, sig))
		return false;
	str_init(m, sh->heap, STR_MAX_DEFAULT);
	if (sig == SIGTERM)
		str_adds(m, "Terminated\n");
	else
		message_prefix(sh, m);
	return true;
}

static void report_send(struct shell *sh, struct str *m, int fd)
{
	if (fd >= 0)
		tsb_write_all(sh->p, fd, m->p, m->n);
	str_end(m);
}

void job_report(struct shell *sh, int w, int pid, const char *text, int fd)
{
	struct str m;

	if (!report_begins(sh, w, &m))
		return;
	if (WTERMSIG(w) != SIGTERM)
		str_addf(&m, "%5d %-24s%s\n", pid, signal_text(WTERMSIG(w)), text);
	report_send(sh, &m, fd);
}

void job_report_line(struct shell *sh, const struct node *first, const struct job_process *at,
		     unsigned n)
{
	int w = at[n - 1].status;
	struct str m;

	if (!report_begins(sh, w, &m))
		return;
	for (unsigned i = 0; i < n && WTERMSIG(w) != SIGTERM; i++, first = first->next) {
		char state[64];

		ended_state(at[i].status, state, sizeof(state));
		str_addf(&m, i ? "     %5d %-24s| %s" : "%5d %-24s%s", at[i].pid, state,
			 node_text(sh, first));
		str_adds(&m, first->pipe_stderr ? " 2>&1\n" : "\n");
	}
	report_send(sh, &m, 2);
}

void job_print(struct shell *sh, const struct job *j, struct str *out, int form)
{
	char state[64], mark = ' ';

	if (form == 'p') {
		str_addf(out, "%d\n", j->pgid);
		return;
	}
	if (j == job_nth_newest(sh, 0))
		mark = '+';
	else if (j == job_nth_newest(sh, 1))
		mark = '-';
	job_state(j, state, sizeof(state));
	str_addf(out, "[%d]%c ", j->id, mark);
	if (form == 'l')
		str_addf(out, "%5d ", j->pgid);
	else
		str_addc(out, ' ');
	str_addf(out, "%-24s%s%s\n", state, j->text, job_running(j) ? " &" : "");
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

static void started(struct shell *sh, const int *pids, unsigned n, const struct node *node)
{
	struct job *j = job_add(sh, pids, n, kept_text(sh, node));

	if (j)
		j->controlled = sh->opts[OPT_MONITOR];
	sh->last_background = pids[n - 1];
	sh->status = 0;
	sh->pipe_status.n = 0;
}

static int background_main(struct tsb_proc *p, void *arg)
{
	struct shell *sh = arg;
	enum flow f;

	shell_enter_process(sh);
	if (!sh->opts[OPT_MONITOR]) {
		proc_signal(p, SIGINT, PROC_SIG_IGNORE);
		proc_signal(p, SIGQUIT, PROC_SIG_IGNORE);
	} else {
		proc_set_group(p, 0);
	}
	f = eval_node(sh, doing(sh)->start_node);
	return shell_finish(sh, f);
}

/* Without job control a background command reads nothing, unless what it stands in was given something to read. */
static int null_input(struct shell *sh)
{
	return sh->opts[OPT_MONITOR] || doing(sh)->stdin_given ? -1 : tsb_open(sh->p, "/dev/null", O_RDONLY, 0);
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
