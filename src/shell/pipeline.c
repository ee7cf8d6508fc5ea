/*
 * Pipelines and subshells. The stages are started from left to right and run
 * when this process waits. A stage that is a plain program is expanded here and
 * started as it is; a builtin that only prints fills the pipe right away; only
 * what may change the shell gets a clone of it.
 */
#include "shell/doing.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

struct stage {
	int pid;		/* 0: done already */
	int status;
	int wait;		/* as wait(2) gives it */
};

struct line {			/* a pipeline being started */
	struct shell *sh;
	struct stage *stages;
	unsigned n;
	int in;			/* reading end for the next stage, or -1 */
};

/* ---- Stages ---- */

/* What bash's builtins write at once. A reader that does not read has ended by the
 * time they write more. */
#define WRITE_FIRST 4096

struct text_writer {		/* what a child without a shell has to write */
	char *text;
	size_t n;
};

static int writer_main(struct tsb_proc *p, void *arg)
{
	const struct text_writer *w = arg;
	size_t first = w->n < WRITE_FIRST ? w->n : WRITE_FIRST;

	if (tsb_write_all(p, 1, w->text, first))
		return 1;
	tsb_sleep(p, 0);
	return tsb_write_all(p, 1, w->text + first, w->n - first) ? 1 : 0;
}

/* Long output: a process of its own writes it. */
static int writer_start(struct shell *sh, const struct str *text, int in, int out, int next)
{
	struct tsb_proc *child;
	struct text_writer *w;

	if (shell_fork_plain(sh, &child))
		return -1;
	w = heap_alloc(proc_heap(child), sizeof(*w));
	w->text = heap_dup(proc_heap(child), text->p, text->n);
	w->n = text->n;
	proc_give_fd(sh->p, out, child, 1);
	proc_drop_fd(child, out);
	if (in >= 0)
		proc_drop_fd(child, in);
	if (next >= 0)
		proc_drop_fd(child, next);
	job_group(sh, child);
	proc_start(child, writer_main, w);
	return proc_pid(child);
}

/* A builtin that only prints, in this process. */
static void stage_builtin(struct line *l, struct quick_command *q, int out, int next,
			  struct stage *st)
{
	struct shell *sh = l->sh;
	struct doing *d = doing(sh);
	struct str text, *outer = d->capture;
	enum flow flow = FLOW_NEXT;

	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	d->capture = &text;
	if (sh->opts[OPT_XTRACE])
		trace_words(sh, &q->fields);
	st->status = run_builtin(sh, q->builtin, (int)q->fields.n, q->fields.at, &flow);
	d->capture = outer;
	if (text.n <= WRITE_FIRST && text.n <= kernel_limits(proc_kernel(sh->p))->pipe_bytes)
		tsb_write_all(sh->p, out, text.p, text.n);
	else
		st->pid = writer_start(sh, &text, l->in, out, next);
	str_end(&text);
}

/* Puts the pipe's ends in their places in this process, does the stage's own
 * redirections, and starts the program; all is put back afterwards. */
static int stage_program(struct shell *sh, const struct node *n, struct quick_command *q, int in,
			 int out, int next)
{
	struct redir_undo undo;
	enum flow flow = FLOW_NEXT;
	int pid = 0, status;

	redir_begin(sh, &undo);
	if (in >= 0)
		redir_place(sh, in, 0, &undo);
	if (out >= 0)
		redir_place(sh, out, 1, &undo);
	if (out >= 0 && n->pipe_stderr)
		redir_place(sh, 1, 2, &undo);
	(void)next;
	status = redir_apply(sh, n->redirs, &undo, &flow);
	if (status)
		return -status;
	if (sh->opts[OPT_XTRACE])
		trace_words(sh, &q->fields);
	proc_charge_command(sh->p, q->fields.at[0]);
	status = q->program.command ? 0 : run_find(sh, q->fields.at[0], RUN_UNHASHED, &q->program);
	if (!status)
		pid = run_start(sh, &q->program, q->fields.at);
	redir_restore(sh, &undo);
	if (status)
		return -status;
	return pid < 0 ? -254 : pid;
}

/* A clone of the shell with the pipe's ends in place. */
static int stage_clone(struct line *l, const struct node *n, int out, int next)
{
	struct shell *sh = l->sh;
	struct tsb_proc *child;
	struct shell *csh = shell_fork(sh, &child);

	if (!csh)
		return -254;
	if (l->in >= 0) {
		proc_give_fd(sh->p, l->in, child, 0);
		proc_drop_fd(child, l->in);
		doing(csh)->stdin_given = true;
		doing(csh)->stage_input = n->kind == NODE_SUBSHELL;
	}
	if (out >= 0) {
		proc_give_fd(sh->p, out, child, 1);
		if (n->pipe_stderr)
			proc_give_fd(sh->p, out, child, 2);
		proc_drop_fd(child, out);
	}
	if (next >= 0)
		proc_drop_fd(child, next);
	if (sh->jobs && only_command(n)->kind == NODE_SIMPLE)
		jobs_clone(csh, sh);
	doing(csh)->exec_node = doing(csh)->stage = only_command(n);
	doing(csh)->negated = only_command(n);	/* its failure is the pipeline's */
	doing(csh)->announced = only_command(n);
	job_group(sh, child);
	shell_start(csh, n);
	return proc_pid(child);
}

/* Simple commands of a pipeline are announced here, before they are started. */
static void stage_debug(struct shell *sh, const struct node *n)
{
	bool skip;

	n = only_command(n);
	if (doing(sh)->n_traps && n->kind == NODE_SIMPLE)
		eval_debug(sh, n, NULL, &skip);
}

static void stage_start(struct line *l, const struct node *n, int out, int next,
			struct stage *st)
{
	struct shell *sh = l->sh;
	struct arena_mark m = arena_mark(&sh->turn);
	struct quick_command q;
	int pid = 0;

	stage_debug(sh, n);
	if (n->kind == NODE_SIMPLE)
		command_is(sh, n);
	switch (quick_prepare(sh, n, &q)) {
	case QUICK_BUILTIN:
		if (out >= 0 && !n->pipe_stderr)
			stage_builtin(l, &q, out, next, st);
		else
			pid = stage_clone(l, n, out, next);
		break;
	case QUICK_PROGRAM:
		pid = stage_program(sh, n, &q, l->in, out, next);
		break;
	case QUICK_FAILED:
		st->status = sh->status;
		break;
	case QUICK_NO:
		pid = stage_clone(l, n, out, next);
		break;
	}
	arena_reset(&sh->turn, m);
	if (pid > 0)
		st->pid = pid;
	else if (pid < 0)
		st->status = -pid;
}

/* The pipe behind a stage. Close-on-exec: programs see only what is put in place. */
static int stage_pipe(struct shell *sh, int fd[2])
{
	int err = tsb_pipe(sh->p, fd);

	if (err) {
		shell_error(sh, "pipe error: %s", tsb_strerror(err));
		return err;
	}
	for (int i = 0; i < 2; i++) {
		if (fd[i] < 3) {	/* descriptors 0 to 2 may be closed */
			int high = proc_save_fd(sh->p, fd[i], 3);

			fd[i] = high;
		}
		tsb_set_cloexec(sh->p, fd[i], true);
	}
	return 0;
}

/* ---- The whole ---- */

/* The last stage was killed, or one was stopped: bash shows the whole pipeline. */
static void line_report(struct line *l, const struct node *first)
{
	struct job_process *at = arena_zalloc(&l->sh->turn, l->n * sizeof(*at));

	for (unsigned i = 0; i < l->n; i++) {
		bool stopped = WIFSTOPPED(l->stages[i].wait);

		at[i] = (struct job_process){ .pid = l->stages[i].pid, .status = l->stages[i].wait,
			.done = !stopped, .stopped = stopped };
	}
	job_report_line(l->sh, first, at, l->n);
}

static void line_wait(struct line *l, const struct node *first)
{
	bool stopped = false;
	struct stage *st;

	job_hold_interrupt(l->sh);
	for (unsigned i = 0; i < l->n; i++) {
		int w;

		st = &l->stages[i];
		if (!st->pid)
			continue;
		w = job_wait_front(l->sh, st->pid);
		st->status = status_of_wait(w);
		st->wait = w;
		stopped |= WIFSTOPPED(w);
	}
	st = &l->stages[l->n - 1];
	job_judge_interrupt(l->sh, l->n && st->pid ? st->wait : 0);
	if (stopped || (l->n && st->pid && WIFSIGNALED(st->wait)))
		line_report(l, first);
}

/* lastpipe: the last stage runs in this shell. */
static enum flow line_last_here(struct line *l, const struct node *n, struct stage *st)
{
	struct shell *sh = l->sh;
	struct redir_undo undo;
	enum flow f;

	redir_begin(sh, &undo);
	redir_place(sh, l->in, 0, &undo);
	tsb_close(sh->p, l->in);
	l->in = -1;
	sh->errexit_off++;
	f = eval_node(sh, n);
	sh->errexit_off--;
	st->status = sh->status;
	redir_restore(sh, &undo);
	return f;
}

static enum flow line_start(struct line *l, const struct node *first)
{
	struct shell *sh = l->sh;
	unsigned i = 0;

	for (const struct node *n = first; n; n = n->next, i++) {
		int fd[2] = { -1, -1 };

		if (!n->next && sh->opts[SHOPT_LASTPIPE] && !sh->opts[OPT_MONITOR] && i)
			return line_last_here(l, n, &l->stages[i]);
		if (n->next && stage_pipe(sh, fd)) {
			l->stages[i].status = 1;
			l->n = i + 1;
			break;
		}
		stage_start(l, n, fd[1], fd[0], &l->stages[i]);
		if (l->in >= 0)
			tsb_close(sh->p, l->in);
		if (fd[1] >= 0)
			tsb_close(sh->p, fd[1]);
		l->in = fd[0];
	}
	if (l->in >= 0)
		tsb_close(sh->p, l->in);
	return FLOW_NEXT;
}

static void line_status(struct shell *sh, const struct line *l, int *statuses)
{
	sh->status = l->n ? l->stages[l->n - 1].status : 0;
	for (unsigned i = 0; i < l->n; i++) {
		statuses[i] = l->stages[i].status;
		if (sh->opts[OPT_PIPEFAIL] && statuses[i] && !(l->n && l->stages[l->n - 1].status))
			sh->status = statuses[i];
	}
	set_pipe_status(sh, statuses, l->n);
}

/* bash runs the ERR trap once more when the last stage is a ( ) that failed. */
static void line_error_twice(struct shell *sh, const struct node *last)
{
	while (last->next)
		last = last->next;
	if (last->kind == NODE_SUBSHELL && !sh->errexit_off && trap_has(sh, TRAP_ERR))
		trap_run(sh, TRAP_ERR);
}

static void line_group(struct shell *sh, bool starts)
{
	doing(sh)->line_starts = starts;
	doing(sh)->line_group = 0;
}

static enum flow eval_stages(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	struct line l = { .sh = sh, .n = n->pipeline.n, .in = -1 };
	size_t mark = substitution_mark(sh);
	enum flow f;

	l.stages = arena_zalloc(&sh->turn, l.n * sizeof(*l.stages));
	line_group(sh, true);
	f = line_start(&l, n->pipeline.first);
	line_group(sh, false);
	line_wait(&l, n->pipeline.first);
	line_status(sh, &l, arena_zalloc(&sh->turn, l.n * sizeof(int)));
	if (doing(sh)->n_traps && sh->status && !n->pipeline.negate)
		line_error_twice(sh, n->pipeline.first);
	arena_reset(&sh->turn, m);
	substitution_close(sh, mark);
	if (sh->jobs)
		f = jobs_step(sh, f);
	return f == FLOW_NEXT ? trap_pending(sh) : f;
}

unsigned pipeline_background(struct shell *sh, const struct node *n, int in, int *pids)
{
	struct line l = { .sh = sh, .n = n->pipeline.n, .in = in };
	bool lastpipe = sh->opts[SHOPT_LASTPIPE];
	unsigned count = 0;

	l.stages = arena_zalloc(&sh->turn, l.n * sizeof(*l.stages));
	sh->opts[SHOPT_LASTPIPE] = false;
	line_group(sh, true);
	line_start(&l, n->pipeline.first);
	line_group(sh, false);
	sh->opts[SHOPT_LASTPIPE] = lastpipe;
	for (unsigned i = 0; i < l.n; i++)
		if (l.stages[i].pid)
			pids[count++] = l.stages[i].pid;
	return count;
}

/* ---- time ---- */

/* One time as TIMEFORMAT's %[p][l]X gives it. */
static void time_value(struct str *out, uint64_t ns, int precision, bool minutes)
{
	uint64_t ms = ns / 1000000, seconds = ms / 1000, part = ms % 1000;

	for (int i = precision; i < 3; i++)
		part /= 10;
	if (minutes) {
		str_addf(out, "%llum", (unsigned long long)(seconds / 60));
		seconds %= 60;
	}
	str_addf(out, "%llu", (unsigned long long)seconds);
	if (precision > 0)
		str_addf(out, ".%0*llu", precision, (unsigned long long)part);
	if (minutes)
		str_addc(out, 's');
}

/* One % sequence; the character behind it. */
static const char *time_sequence(struct shell *sh, struct str *out, const char *p,
				 const uint64_t ns[3], bool *bad)
{
	int precision = 3;
	bool minutes = false;

	if (*p == '%') {
		str_addc(out, '%');
		return p + 1;
	}
	if (*p >= '0' && *p <= '9') {
		precision = *p - '0' > 3 ? 3 : *p - '0';
		p++;
	}
	if (*p == 'l') {
		minutes = true;
		p++;
	}
	if (*p == 'R' || *p == 'E')
		time_value(out, ns[0], precision, minutes);
	else if (*p == 'U')
		time_value(out, ns[1], precision, minutes);
	else if (*p == 'S')
		time_value(out, ns[2], precision, minutes);
	else if (*p == 'P')
		str_addf(out, "%.*f", precision > 2 ? 2 : precision, ns[0] ?
			 100.0 * (double)(ns[1] + ns[2]) / (double)ns[0] : 0.0);
	else {
		shell_error(sh, "TIMEFORMAT: `%c': invalid format character", *p);
		*bad = true;
	}
	return *p ? p + 1 : p;
}

static void time_report(struct shell *sh, bool posix, const uint64_t ns[3])
{
	const char *p = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
	struct slice v;
	struct str out;
	bool bad = false;

	if (posix)
		p = "real %2R\nuser %2U\nsys %2S";
	else if (var_get_text(sh, "TIMEFORMAT", &v))
		p = arena_dup(&sh->turn, v.p, v.n);
	if (!*p)
		return;
	str_init(&out, sh->heap, STR_MAX_DEFAULT);
	while (*p && !bad) {
		if (*p != '%')
			str_addc(&out, *p++);
		else
			p = time_sequence(sh, &out, p + 1, ns, &bad);
	}
	str_addc(&out, '\n');
	if (!bad)
		tsb_write_all(sh->p, 2, out.p, out.n);
	str_end(&out);
}

static enum flow eval_timed(struct shell *sh, const struct node *n, enum flow (*run)(
				    struct shell *, const struct node *))
{
	struct proc_times a, b;
	uint64_t ns[3];
	enum flow f;

	proc_times(sh->p, &a);
	f = run(sh, n);
	proc_times(sh->p, &b);
	ns[0] = b.real_ns - a.real_ns;
	ns[1] = b.user_ns - a.user_ns + b.children_ns - a.children_ns;
	ns[2] = 0;
	time_report(sh, n->pipeline.timed_posix, ns);
	return f;
}

/* ---- Entry ---- */

static enum flow pipeline_run(struct shell *sh, const struct node *n)
{
	if (!n->pipeline.first) {	/* time or ! alone */
		sh->status = 0;
		return FLOW_NEXT;
	}
	if (n->pipeline.n == 1)
		return eval_node(sh, n->pipeline.first);
	return eval_stages(sh, n);
}

/* Behind ! nothing inside counts as failing with set -e; without it only the
 * command itself does not, and what it runs may set off an ERR trap. */
static bool negate_all(const struct shell *sh, const struct node *n)
{
	const struct node *only = n->pipeline.n == 1 ? n->pipeline.first : NULL;

	return sh->opts[OPT_ERREXIT] || !only || only->kind == NODE_SUBSHELL ||
	       only->kind == NODE_ARITH || only->kind == NODE_COND;
}

enum flow eval_pipeline(struct shell *sh, const struct node *n)
{
	const struct node *negated = doing(sh)->negated;
	bool off = n->pipeline.negate && negate_all(sh, n);
	enum flow f;

	sh->errexit_off += off;
	if (n->pipeline.negate)
		doing(sh)->negated = n->pipeline.first;
	f = n->pipeline.timed ? eval_timed(sh, n, pipeline_run) : pipeline_run(sh, n);
	if (n->pipeline.negate) {
		sh->errexit_off -= off;
		doing(sh)->negated = negated;
		if (f == FLOW_NEXT)
			sh->status = !sh->status;
		return f;
	}
	if (f != FLOW_NEXT || n->pipeline.n <= 1)
		return f;
	return eval_check(sh);
}

/* ( ): the redirections are the child's. */
static int subshell_main(struct tsb_proc *p, void *arg)
{
	struct shell *sh = arg;
	const struct node *n = doing(sh)->start_node;
	struct redir_undo undo;
	enum flow f = FLOW_NEXT;

	(void)p;
	shell_enter_process(sh);
	sh->line = n->line_end;
	redir_begin(sh, &undo);
	doing(sh)->stdin_given = doing(sh)->stage_input = false;
	if (n->redirs && redir_apply(sh, n->redirs, &undo, &f))
		sh->status = 1;
	else
		f = eval_node(sh, n->flow.body);
	return shell_finish(sh, f);
}

/* This process was made for nothing else: it is the subshell. */
static enum flow subshell_here(struct shell *sh, const struct node *n)
{
	struct redir_undo undo;
	enum flow f = FLOW_NEXT;

	if (doing(sh)->negated != n)	/* no stage of a pipeline, no job */
		sh->subshell_level++;
	doing(sh)->exec_node = n->flow.body ? last_command(n->flow.body) : NULL;
	redir_begin(sh, &undo);
	doing(sh)->stdin_given = doing(sh)->stage_input;
	doing(sh)->stage_input = false;
	if (n->redirs && redir_apply(sh, n->redirs, &undo, &f)) {
		sh->status = 1;
		return FLOW_EXIT;
	}
	f = eval_node(sh, n->flow.body);
	doing(sh)->undo = undo.outer;	/* they stay for the EXIT trap */
	return f == FLOW_NEXT ? FLOW_EXIT : f;
}

enum flow eval_subshell(struct shell *sh, const struct node *n)
{
	struct tsb_proc *child;
	struct shell *csh;
	int w, pid;
	enum flow f;

	/* The last command of a bash -c is a process of its own all the same. */
	if (doing(sh)->exec_node == n && (sh->is_subshell || doing(sh)->in_substitution))
		return subshell_here(sh, n);
	command_is(sh, n);
	csh = shell_fork(sh, &child);
	if (!csh) {
		sh->status = 254;
		return FLOW_NEXT;
	}
	doing(csh)->start_node = n;
	if (n->flow.body)
		doing(csh)->exec_node = last_command(n->flow.body);
	pid = proc_pid(child);
	job_group(sh, child);
	proc_start(child, subshell_main, csh);
	w = job_wait_front(sh, pid);
	sh->status = status_of_wait(w);
	pipe_status_is(sh);
	if (w & 0x7f)
		job_report(sh, w, pid, node_text(sh, n), 2);
	f = sh->jobs ? jobs_step(sh, FLOW_NEXT) : FLOW_NEXT;
	if (f == FLOW_NEXT)
		f = trap_pending(sh);
	return f != FLOW_NEXT ? f : eval_check(sh);
}
