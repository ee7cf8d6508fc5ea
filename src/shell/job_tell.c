/*
 * What the shell says of its jobs: the lines of `jobs`, what killed a command
 * of the foreground, and what is new of the others. bash tells before it reads
 * a line and behind a command that it waited for, so here it is told between
 * the lines of a text and behind such commands.
 */
#include "shell/doing.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* ---- Lines ---- */

/* What it says of process p of that job. */
static void process_state(struct shell *sh, const struct job *j, const struct job_process *p,
			  int form, char *buf, size_t n)
{
	bool posix = sh->opts[OPT_POSIX];
	int w = p->status;

	if (j->stopped && form == 0 && posix && p->stopped)
		snprintf(buf, n, "Stopped(SIG%s)", signal_name(WSTOPSIG(w)));
	else if (j->stopped && form == 0)
		snprintf(buf, n, "Stopped");
	else if (job_running(j))
		snprintf(buf, n, "Running");
	else if (p->stopped)
		snprintf(buf, n, "%s", signal_text(WSTOPSIG(w)));
	else if (WIFSIGNALED(w))
		snprintf(buf, n, "%s", signal_text(WTERMSIG(w)));
	else if (WEXITSTATUS(w))
		snprintf(buf, n, posix ? "Done(%d)" : "Exit %d", WEXITSTATUS(w));
	else
		snprintf(buf, n, "Done");
}

static bool job_elsewhere(struct shell *sh, const struct job *j, struct slice *pwd)
{
	return j->dir && var_get_text(sh, "PWD", pwd) && !slice_is(*pwd, j->dir);
}

/* HOME is ~. */
static void put_dir(struct shell *sh, const char *dir, struct str *out)
{
	struct slice home;

	if (var_get_text(sh, "HOME", &home) && home.n > 1 && !strncmp(dir, home.p, home.n) &&
	    (!dir[home.n] || dir[home.n] == '/')) {
		str_addc(out, '~');
		dir += home.n;
	}
	str_adds(out, dir);
}

/* Where it began, if that is elsewhere. */
void job_put_dir(struct shell *sh, const struct job *j, struct str *out, const char *before)
{
	struct slice pwd;

	if (!job_elsewhere(sh, j, &pwd))
		return;
	str_addf(out, "%s(wd: ", before);
	put_dir(sh, j->dir, out);
	str_addc(out, ')');
}

/* Behind the last process: & if it runs behind, and where, if that is elsewhere. */
static void job_line_end(struct shell *sh, const struct job *j, struct str *out)
{
	if (job_running(j) && !j->front)
		str_adds(out, " &");
	job_put_dir(sh, j, out, "  ");
	str_addc(out, '\n');
}

/* A line for each process, which share what is the same. */
static void job_lines(struct shell *sh, const struct job *j, struct str *out)
{
	for (unsigned i = 0; i < j->n; i++) {
		const struct job_process *p = &j->at[i];
		char state[64];
		bool same = i && p->status == j->at[0].status && p->done == j->at[0].done &&
			    p->stopped == j->at[0].stopped;

		process_state(sh, j, p, 'l', state, sizeof(state));
		str_addf(out, i ? "     %5d " : "%5d ", p->pid);
		if (same)
			str_addf(out, "%22s", "");
		else
			str_addf(out, "%-24s", state);
		str_addf(out, i ? "| %s" : "%s", p->text ? p->text : j->text);
		if (i + 1 == j->n)
			job_line_end(sh, j, out);
		else
			str_addc(out, '\n');
	}
}

void job_print(struct shell *sh, struct job *j, struct str *out, int form)
{
	const struct doing *d = doing(sh);
	char state[64];

	if (form == 'p') {
		str_addf(out, "%d\n", j->pgid);
		return;
	}
	str_addf(out, "[%d]%c ", j->id, j == d->job_now ? '+' : j == d->job_before ? '-' : ' ');
	if (form == 'l') {
		job_lines(sh, j, out);
	} else {
		process_state(sh, j, &j->at[j->n - 1], 0, state, sizeof(state));
		str_addf(out, " %-24s%s", state, j->text);
		job_line_end(sh, j, out);
	}
	j->told = true;
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

/* It was stopped in the foreground: a job from now on, told of at the next step. */
static void job_stopped(struct shell *sh, const struct job_process *at, unsigned n, const char *text)
{
	struct job *j;

	j = job_add(sh, &at->pid, 1, heap_strdup(sh->heap, text));
	if (!j)
		return;
	heap_free(sh->heap, j->at);
	j->at = heap_zalloc(sh->heap, n * sizeof(*j->at));
	j->n = n;
	for (unsigned i = 0; i < n; i++) {
		j->at[i] = at[i];
		j->at[i].text = n > 1 ? heap_strdup(sh->heap, at[i].text) : NULL;
	}
	j->controlled = true;
	job_here(sh, j);
	job_changed(sh, j);
	if (doing(sh)->n_traps && trap_has(sh, SIGCHLD))
		doing(sh)->pending |= (uint64_t)1 << SIGCHLD;
}

void job_report(struct shell *sh, int w, int pid, const char *text, int fd)
{
	struct str m;

	if (WIFSTOPPED(w)) {
		job_stopped(sh, &(struct job_process){ .pid = pid, .status = w, .stopped = true }, 1,
			    text);
		return;
	}
	if (!report_begins(sh, w, &m))
		return;
	if (sh->prompts) {	/* what it was is on the screen */
		str_reset(&m);
		str_addf(&m, "%s\n", signal_text(WTERMSIG(w)));
	} else if (WTERMSIG(w) != SIGTERM) {
		str_addf(&m, "%5d %-24s%s\n", pid, signal_text(WTERMSIG(w)), text);
	}
	report_send(sh, &m, fd);
}

void job_report_line(struct shell *sh, const struct node *first, struct job_process *at, unsigned n)
{
	struct job j = { .n = n, .at = at };
	int w = at[n - 1].status;
	struct str m, all;
	bool stopped = false;

	str_init(&all, sh->heap, STR_MAX_DEFAULT);
	for (unsigned i = 0; i < n; i++, first = first->next) {
		at[i].text = turn_join(sh, node_text(sh, first), first->pipe_stderr ? " 2>&1" : NULL, NULL);
		str_addf(&all, i ? " | %s" : "%s", at[i].text);
		stopped |= at[i].stopped;
	}
	if (stopped) {
		job_stopped(sh, at, n, all.p);
	} else if (report_begins(sh, w, &m)) {
		if (WTERMSIG(w) != SIGTERM)
			job_lines(sh, &j, &m);
		report_send(sh, &m, 2);
	}
	str_end(&all);
}

/* ---- What is new ---- */

/* Of a script's file nothing is told but that a job was killed. */
static bool job_is_news(struct shell *sh, const struct job *j)
{
	int w = j->at[j->n - 1].status;
	bool dead = !job_alive(j);

	if (j->told || j->foreign || job_running(j))
		return false;
	if (sh->command_string || sh->interactive || (dead && WIFSIGNALED(w)))
		return true;
	return dead && j->front;
}

static void job_tell_line(struct shell *sh, struct job *j, struct str *m)
{
	struct slice pwd;

	job_print(sh, j, m, 0);
	if (!job_elsewhere(sh, j, &pwd))
		return;
	str_adds(m, "(wd now: ");
	put_dir(sh, arena_dup(&sh->turn, pwd.p, pwd.n), m);
	str_adds(m, ")\n");
}

static void job_tell(struct shell *sh, struct job *j)
{
	int w = j->at[j->n - 1].status, sig = WIFSIGNALED(w) ? WTERMSIG(w) : 0;
	struct str m;

	if (!j->text || j->disowned)
		return;
	str_init(&m, sh->heap, STR_MAX_DEFAULT);
	if (j->stopped) {
		str_addc(&m, '\n');
		job_tell_line(sh, j, &m);
	} else if (!sh->interactive && sig && sig != SIGINT && sig != SIGTERM && sig != SIGPIPE &&
		   !trap_has(sh, sig)) {
		message_prefix(sh, &m);
		job_lines(sh, j, &m);
	} else if (j->front) {
		if (sig && sig != SIGINT && sig != SIGPIPE)
			str_addf(&m, "%s\n", signal_text(sig));
	} else if (job_monitor(sh)) {
		job_tell_line(sh, j, &m);
	}
	if (m.n)
		message_write(sh, &m);
	str_end(&m);
}

/* POSIX has jobs tell of jobs, where no one is at a prompt; the last one started stays for it. */
static bool jobs_quiet(const struct shell *sh)
{
	if (sh->interactive)
		return !sh->opts[OPT_MONITOR];
	return sh->command_string && (sh->opts[OPT_POSIX] || (doing(sh)->in_substitution && sh->is_subshell));
}

static bool job_is_last(const struct shell *sh, const struct job *j)
{
	return !sh->interactive && j->at[j->n - 1].pid == sh->last_background;
}

void jobs_notify(struct shell *sh)
{
	bool quiet = jobs_quiet(sh);

	if (doing(sh)->jobs_frozen)
		return;
	job_reap(sh);
	for (struct job *j = sh->jobs; j; j = j->next) {
		if (!job_is_news(sh, j))
			continue;
		if (j->just_killed) {
			j->just_killed = false;
			continue;
		}
		if (quiet && (job_alive(j) || job_is_last(sh, j)))
			continue;
		if (!quiet)
			job_tell(sh, j);
		j->told = true;
	}
	for (struct job *j = sh->jobs, *next; j; j = next) {
		next = j->next;
		if (j->told && !j->foreign && !job_alive(j))
			job_forget(sh, j);
	}
}

enum flow jobs_step(struct shell *sh, enum flow f)
{
	struct doing *d = doing(sh);

	if (d->waited && !d->jobs_frozen) {
		d->waited = false;
		for (struct job *j = sh->jobs; j; j = j->next)
			j->just_killed = false;
		jobs_notify(sh);
	}
	if (!d->suspended)
		return f;
	d->suspended = false;
	if (!sh->loop_depth || f != FLOW_NEXT)
		return f;
	sh->flow_count = sh->loop_depth;
	return FLOW_BREAK;
}
