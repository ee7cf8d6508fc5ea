/*
 * jobs, fg, bg, disown, wait.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "shell/words.h"

/* Dead jobs go once they were shown. */
static void forget_dead(struct shell *sh)
{
	for (struct job *j = sh->jobs, *next; j; j = next) {
		next = j->next;
		if (!job_alive(j))
			job_forget(sh, j);
	}
}

static bool wanted(const struct job *j, char which)
{
	if (j->substitution || j->disowned)
		return false;
	if (which == 'r')
		return job_running(j);
	return which == 's' ? j->stopped : which != 'n' || !j->told;
}

static int no_such_job(struct shell *sh, const char *spec)
{
	builtin_error(sh, "%s: no such job", spec);
	return 1;
}

/* jobs -x: job specs in the arguments become process groups. */
static int jobs_run(struct shell *sh, int argc, char **argv, int from, enum flow *flow)
{
	const char *outer = sh->builtin;
	int status;

	for (int i = from; i < argc; i++) {
		struct job *j = *argv[i] == '%' ? job_find(sh, argv[i], false) : NULL;

		if (j) {
			char digits[24];
			int n = snprintf(digits, sizeof(digits), "%d", j->pgid);

			argv[i] = arena_dup(&sh->turn, digits, (size_t)n);
		}
	}
	if (from >= argc)
		return 0;
	sh->builtin = NULL;
	status = run_command(sh, argc - from, argv + from, 0, flow);
	sh->builtin = outer;
	return status;
}

int builtin_jobs(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int form = 0, status = 0;
	bool run = false;
	char which = 0;
	struct bopt o;

	bopt_init(&o, sh, argc, argv);
	for (int c; !run && (c = bopt_next(&o, "lnprsx"));) {
		if (c < 0)
			return STATUS_USAGE;
		if (c == 'l' || c == 'p')
			form = c;
		else if (c == 'r' || c == 's' || c == 'n')
			which = (char)c;
		else
			run = true;
	}
	if (run)
		return jobs_run(sh, argc, argv, o.at + (o.next != NULL), flow);
	job_reap(sh);
	if (doing(sh)->exit_warned && doing(sh)->exit_warned + 1 == doing(sh)->prompts_shown)
		doing(sh)->exit_warned++;	/* exit may follow still */
	if (!sh->opts[OPT_MONITOR])
		forget_dead(sh);
	for (struct job *j = sh->jobs; o.at >= argc && j; j = j->next)
		if (wanted(j, which))
			job_print(sh, j, &doing(sh)->out, form);
	for (int i = o.at; i < argc; i++) {
		struct job *j = job_find(sh, argv[i], true);

		if (!j)
			status = no_such_job(sh, argv[i]);
		else
			job_print(sh, j, &doing(sh)->out, form);
	}
	forget_dead(sh);
	return status;
}

/* ---- fg, bg ---- */

/* n children have ended while wait waits: their trap runs at once, and ends no wait but in POSIX
 * mode. The table stays as it is meanwhile. */
static void child_traps(struct shell *sh, unsigned n)
{
	struct doing *d = doing(sh);
	uint64_t others;

	trap_take(sh);
	if (!d->n_traps || !trap_has(sh, SIGCHLD) || sh->opts[OPT_POSIX])
		return;
	others = d->pending & ~((uint64_t)1 << SIGCHLD);
	d->pending = 0;
	d->jobs_frozen++;
	for (; n; n--)
		trap_run(sh, SIGCHLD);
	d->jobs_frozen--;
	d->pending |= others;	/* those do end the wait */
}

/* Waits until all of it has ended, or (with job control) none of it runs; false: a trapped signal
 * came first. force: until it has ended. */
static bool await_job(struct shell *sh, struct job *j, bool breakable, bool force)
{
	int flags = sh->opts[OPT_MONITOR] && !sh->is_subshell ? WUNTRACED | WCONTINUED : 0;

	doing(sh)->waited = true;
	for (unsigned i = 0; i < j->n; i++) {
		while (!j->at[i].done && (force || !j->at[i].stopped)) {
			int w, got = proc_wait(sh->p, j->at[i].pid, &w, flags);

			if (got == -EINTR) {
				if (breakable)
					child_traps(sh, trap_has(sh, SIGCHLD) ? job_reap(sh) : 0);
				else
					trap_take(sh);
				if (breakable && doing(sh)->pending)
					return false;
				continue;
			}
			job_took(sh, j, &j->at[i], got > 0 ? w : STATUS_NOT_FOUND << 8);
			if (breakable)
				child_traps(sh, j->at[i].done);
			if (breakable && doing(sh)->pending)
				return false;
		}
	}
	return true;
}

/* Ended, or stopped again: it stays then. */
static int front_over(struct shell *sh, struct job *j)
{
	int status = job_status(j);

	if (j->stopped || !job_alive(j))
		jobs_notify(sh);
	return status;
}

static int job_to_front(struct shell *sh, struct job *j)
{
	job_make_now(sh, j);
	j->told = false;
	j->front = true;
	puts_(sh, j->text);
	job_put_dir(sh, j, &doing(sh)->out, "\t");
	puts_(sh, "\n");
	put_flush(sh);
	terminal_lend(sh, j->pgid);
	if (j->stopped)
		job_continue(sh, j);
	await_job(sh, j, false, false);
	terminal_back(sh, j->at[j->n - 1].status);
	return front_over(sh, j);
}

static int job_to_back(struct shell *sh, struct job *j)
{
	const struct doing *d = doing(sh);

	if (job_running(j)) {
		builtin_error(sh, "job %d already in background", j->id);
		return 0;
	}
	sh->last_background = j->pgid;
	putf(sh, "[%d]%s %s &", j->id, sh->opts[OPT_POSIX] ? "" : j == d->job_now ? "+" :
	     j == d->job_before ? "-" : "", j->text);
	job_put_dir(sh, j, &doing(sh)->out, "\t");
	puts_(sh, "\n");
	j->front = false;
	job_continue(sh, j);
	job_choose_now(sh);
	return 0;
}

/* One operand (NULL: %+) of fg or bg. */
static int control_one(struct shell *sh, const char *spec, bool front)
{
	struct job *j = job_find(sh, spec ? spec : "%+", true);

	if (!j && !doing(sh)->ambiguous)
		no_such_job(sh, spec ? spec : "current");
	if (j && !j->controlled) {
		builtin_error(sh, "job %d started without job control", j->id);
		j = NULL;
	} else if (j && doing(sh)->in_substitution) {
		builtin_error(sh, "no current jobs");
		j = NULL;
	} else if (j && !job_alive(j)) {
		builtin_error(sh, "job has terminated");
		j = NULL;
	}
	if (!j)
		return 1;
	return front ? job_to_front(sh, j) : job_to_back(sh, j);
}

/* fg, bg: the operand to begin with; 0: *status is what comes of it. */
static int control_begin(struct shell *sh, int argc, char **argv, int *status)
{
	struct bopt o;

	*status = 1;
	bopt_init(&o, sh, argc, argv);
	if (!job_monitor(sh)) {
		builtin_error(sh, "no job control");
		return 0;
	}
	if (bopt_next(&o, "")) {
		*status = STATUS_USAGE;
		return 0;
	}
	job_reap(sh);
	return o.at;
}

int builtin_fg(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int status, at = control_begin(sh, argc, argv, &status);
	bool front = at >= argc || strcmp(argv[argc - 1], "&") != 0;

	(void)flow;
	return at ? control_one(sh, at < argc ? argv[at] : NULL, front) : status;
}

int builtin_bg(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int status, at = control_begin(sh, argc, argv, &status);

	(void)flow;
	if (!at)
		return status;
	status = 0;
	do {
		status |= control_one(sh, at < argc ? argv[at] : NULL, false);
	} while (++at < argc);
	return status;
}

/* ---- disown ---- */

/* Out of the list and its numbers; wait still knows the pid. */
static void disown(struct shell *sh, struct job *j, bool warn)
{
	struct doing *d = doing(sh);

	if (j->stopped && warn && !sh->is_subshell)
		shell_error(sh, "warning: deleting stopped job %d with process group %d", j->id, j->pgid);
	j->disowned = true;
	j->id = 0;
	if (j == d->job_now)
		d->job_now = NULL;
	else if (j == d->job_before)
		d->job_before = NULL;
	job_choose_now(sh);
}

int builtin_disown(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool all = false, running = false, no_hup = false;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "ahr"));) {
		if (c < 0)
			return STATUS_USAGE;
		all |= c == 'a';
		running |= c == 'r';
		no_hup |= c == 'h';
	}
	job_reap(sh);
	if (o.at >= argc && (all || running)) {
		for (struct job *j = sh->jobs; j; j = j->next)
			if (!no_hup && (!running || job_running(j)))
				disown(sh, j, false);
		return 0;
	}
	if (o.at >= argc) {
		struct job *j = job_find(sh, "%+", true);

		if (!j || j->foreign)
			return no_such_job(sh, "current");
		if (!no_hup)
			disown(sh, j, true);
		return 0;
	}
	for (int i = o.at; i < argc; i++) {
		int64_t pid;
		struct job *j = text_number(argv[i], &pid) ? job_of_pid(sh, (int)pid) :
				job_find(sh, argv[i], true);

		if (!j || j->foreign)
			status = no_such_job(sh, argv[i]);
		else if (!no_hup)
			disown(sh, j, true);
	}
	return status;
}

/* ---- wait ---- */

struct waiting {
	struct shell *sh;
	const char *variable;	/* -p */
	int interrupted;	/* 128 + signal, or 0 */
	bool force;		/* -f */
	bool over;		/* an operand began as a number and was none: bash looks at no other */
};

static int wait_interrupted(struct waiting *w)
{
	uint64_t pending = doing(w->sh)->pending;

	w->interrupted = STATUS_SIGNAL + (pending ? __builtin_ctzll(pending) : 0);
	return w->interrupted;
}

static void tell_pid(struct waiting *w, int pid)
{
	char digits[24];
	int n;

	if (!w->variable)
		return;
	n = snprintf(digits, sizeof(digits), "%d", pid);
	var_set_reference(w->sh, w->variable, strlen(w->variable), digits, (size_t)n, false);
}

static int wait_job(struct waiting *w, struct job *j)
{
	struct shell *sh = w->sh;
	int status;

	if (!await_job(sh, j, true, w->force))
		return wait_interrupted(w);
	status = job_status(j);
	tell_pid(w, j->at[j->n - 1].pid);
	j->just_killed = false;
	jobs_notify(sh);
	for (struct job *left = sh->jobs; left; left = left->next) {
		if (left != j || job_alive(j))
			continue;
		job_forget(sh, j);
		break;
	}
	return status;
}

static int wait_past(struct waiting *w, int pid)
{
	struct doing *d = doing(w->sh);

	for (size_t i = d->past.n; i > 0; i--) {
		if (d->past.at[i - 1].pid != pid)
			continue;
		tell_pid(w, pid);
		return status_of_wait(d->past.at[i - 1].status);
	}
	return -1;
}

static int wait_pid(struct waiting *w, const char *arg)
{
	struct shell *sh = w->sh;
	struct job *j;
	int64_t pid;
	int status;

	if (*arg == '%') {
		j = job_find(sh, arg, true);
		if (!j) {
			if (!doing(sh)->ambiguous)
				no_such_job(sh, arg);
			return STATUS_NOT_FOUND;
		}
		if (j->stopped)
			shell_error(sh, "warning: wait_for_job: job %d is stopped", j->id);
		return wait_job(w, j);
	}
	if (!text_number(arg, &pid) || pid < 0 || pid > INT32_MAX) {
		builtin_error(sh, "`%s': not a pid or valid job spec", arg);
		w->over = *arg >= '0' && *arg <= '9';
		return 1;
	}
	j = job_of_pid(sh, (int)pid);
	if (j && j->foreign)
		j = NULL;
	if (j && j->at[j->n - 1].pid == pid)
		return wait_job(w, j);
	if (j) {	/* an earlier stage of its pipeline */
		for (unsigned i = 0; i < j->n; i++) {
			if (j->at[i].pid != pid)
				continue;
			if (!j->at[i].done) {
				j->at[i].status = job_wait_pid(sh, (int)pid);
				j->at[i].done = true;
			}
			return status_of_wait(j->at[i].status);
		}
	}
	status = wait_past(w, (int)pid);
	if (status >= 0)
		return status;
	builtin_error(sh, "pid %lld is not a child of this shell", (long long)pid);
	return STATUS_NOT_FOUND;
}

/* The first that runs; of those before it that are stopped a warning is given. */
static struct job *own_running_job(struct shell *sh)
{
	struct job *j;

	for (j = sh->jobs; j && (j->foreign || !job_running(j)); j = j->next)
		if (j->stopped && !j->foreign && !j->disowned)
			builtin_error(sh, "warning: job %d[%d] stopped", j->id, j->at[j->n - 1].pid);
	return j;
}

static int wait_all(struct waiting *w)
{
	struct shell *sh = w->sh;

	job_reap(sh);
	for (struct job *j; (j = own_running_job(sh));)
		if (!await_job(sh, j, true, false))
			return wait_interrupted(w);
	for (struct job *j = sh->jobs; j; j = j->next)
		j->just_killed = false;
	jobs_notify(sh);
	for (struct job *j = sh->jobs, *next; j; j = next) {
		next = j->next;
		if (!j->foreign && !job_alive(j))
			job_forget(sh, j);
	}
	doing(sh)->past.n = 0;	/* from now on they are no children */
	return 0;
}

/* Is that job among the operands (or are there none)? */
static bool in_operands(struct shell *sh, const struct job *j, int argc, char **argv, int from)
{
	if (from >= argc)
		return true;
	for (int i = from; i < argc; i++) {
		int64_t pid;

		if (*argv[i] == '%' ? job_find(sh, argv[i], false) == j :
		    text_number(argv[i], &pid) && job_of_pid(sh, (int)pid) == j)
			return true;
	}
	return false;
}

/* wait -n: the next job to end. */
static int wait_next(struct waiting *w, int argc, char **argv, int from)
{
	struct shell *sh = w->sh;

	for (int i = from; i < argc; i++) {
		int64_t pid;

		if (*argv[i] == '%' ? !job_find(sh, argv[i], false) :
		    !text_number(argv[i], &pid) || !job_of_pid(sh, (int)pid))
			no_such_job(sh, argv[i]);
	}

	for (;;) {
		bool any = false;
		int status, got;

		job_reap(sh);
		for (struct job *j = sh->jobs; j; j = j->next) {
			if (j->substitution || j->foreign || j->disowned ||
			    !in_operands(sh, j, argc, argv, from))
				continue;
			any |= job_running(j);
			if (!job_alive(j))
				return wait_job(w, j);
		}
		if (!any)
			return STATUS_NOT_FOUND;
		got = proc_wait(sh->p, -1, &status, 0);
		if (got == -EINTR) {
			child_traps(sh, trap_has(sh, SIGCHLD) ? job_reap(sh) : 0);
			if (doing(sh)->pending)
				return wait_interrupted(w);
			continue;
		}
		if (got < 0)
			return STATUS_NOT_FOUND;
		for (struct job *j = sh->jobs; j; j = j->next)
			for (unsigned i = 0; i < j->n; i++)
				if (j->at[i].pid == got) {
					job_took(sh, j, &j->at[i], status);
					child_traps(sh, 1);
				}
	}
}

int builtin_wait(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct waiting w = { .sh = sh };
	bool next = false;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "fnp:"));) {
		if (c < 0)
			return STATUS_USAGE;
		next |= c == 'n';
		w.force |= c == 'f';
		w.variable = c == 'p' ? o.arg : w.variable;
	}
	if (w.variable && !reference_usable(sh, w.variable, strlen(w.variable))) {
		builtin_error(sh, "`%s': not a valid identifier", w.variable);
		return 1;
	}
	if (w.variable && !(sh->opts[SHOPT_ASSOC_EXPAND_ONCE] &&
			    var_unset_key(sh, w.variable, strlen(w.variable))))
		status = var_unset(sh, w.variable, strlen(w.variable), false);
	if (status)
		return 1;
	if (next)
		return wait_next(&w, argc, argv, o.at);
	if (o.at >= argc)
		return wait_all(&w);
	for (int i = o.at; i < argc && !w.interrupted && !w.over; i++)
		status = wait_pid(&w, argv[i]);
	return status;
}
