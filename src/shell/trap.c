/*
 * Traps. Signals are taken from the kernel after each command (and when a wait
 * was interrupted) and their actions run between commands, as bash does.
 *
 * While there is an EXIT trap, signals that would end the shell are caught, so
 * that the trap still runs; then the shell dies of the signal.
 */
#include "shell/doing.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

static const struct {
	int number;
	const char *name, *text;
} signals[] = {
	{ 1, "HUP", "Hangup" }, { 2, "INT", "Interrupt" }, { 3, "QUIT", "Quit" },
	{ 4, "ILL", "Illegal instruction" }, { 5, "TRAP", "Trace/breakpoint trap" },
	{ 6, "ABRT", "Aborted" }, { 7, "BUS", "Bus error" },
	{ 8, "FPE", "Floating point exception" }, { 9, "KILL", "Killed" },
	{ 10, "USR1", "User defined signal 1" }, { 11, "SEGV", "Segmentation fault" },
	{ 12, "USR2", "User defined signal 2" }, { 13, "PIPE", "Broken pipe" },
	{ 14, "ALRM", "Alarm clock" }, { 15, "TERM", "Terminated" },
	{ 16, "STKFLT", "Stack fault" }, { 17, "CHLD", "Child exited" },
	{ 18, "CONT", "Continued" }, { 19, "STOP", "Stopped (signal)" },
	{ 20, "TSTP", "Stopped" }, { 21, "TTIN", "Stopped (tty input)" },
	{ 22, "TTOU", "Stopped (tty output)" }, { 23, "URG", "Urgent I/O condition" },
	{ 24, "XCPU", "CPU time limit exceeded" }, { 25, "XFSZ", "File size limit exceeded" },
	{ 26, "VTALRM", "Virtual timer expired" }, { 27, "PROF", "Profiling timer expired" },
	{ 28, "WINCH", "Window changed" }, { 29, "IO", "I/O possible" },
	{ 30, "PWR", "Power failure" }, { 31, "SYS", "Bad system call" },
};

static const char *const realtime[] = {
	"RTMIN", "RTMIN+1", "RTMIN+2", "RTMIN+3", "RTMIN+4", "RTMIN+5", "RTMIN+6", "RTMIN+7",
	"RTMIN+8", "RTMIN+9", "RTMIN+10", "RTMIN+11", "RTMIN+12", "RTMIN+13", "RTMIN+14",
	"RTMIN+15", "RTMAX-14", "RTMAX-13", "RTMAX-12", "RTMAX-11", "RTMAX-10", "RTMAX-9",
	"RTMAX-8", "RTMAX-7", "RTMAX-6", "RTMAX-5", "RTMAX-4", "RTMAX-3", "RTMAX-2", "RTMAX-1",
	"RTMAX"
};

const char *signal_name(int sig)
{
	if (sig >= 34 && sig <= 64)
		return realtime[sig - 34];
	return sig >= 1 && sig <= 31 ? signals[sig - 1].name : NULL;
}

const char *signal_text(int sig)
{
	return sig >= 1 && sig <= 31 ? signals[sig - 1].text : "Unknown signal";
}

int signal_number(const char *name)
{
	static const char *const others[] = { "DEBUG", "ERR", "RETURN" };
	int64_t n;

	if (isdigit((unsigned char)*name))
		return text_number(name, &n) && n <= 64 && (n == 0 || signal_name((int)n)) ?
		       (int)n : -1;
	if (!strcasecmp(name, "EXIT"))
		return TRAP_EXIT;
	for (int i = 0; i < 3; i++)
		if (!strcasecmp(name, others[i]))
			return TRAP_DEBUG + i;
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (int i = 1; i <= 64; i++)
		if (signal_name(i) && !strcasecmp(name, signal_name(i)))
			return i;
	return -1;
}

/* ---- Setting ---- */

/* What the shells without any trap have. Nobody writes to it: see own_traps(). */
static const struct trap no_traps[TRAP_COUNT];

void traps_init(struct shell *sh)
{
	sh->traps = (struct trap *)(uintptr_t)no_traps;
}

static struct trap *own_traps(struct shell *sh)
{
	if (sh->traps == no_traps)
		sh->traps = heap_zalloc(sh->heap, sizeof(no_traps));
	return sh->traps;
}

void traps_stop(struct shell *sh)
{
	for (int i = 0; sh->traps != no_traps && i < TRAP_COUNT; i++)
		sh->traps[i].running = false;
}

static bool ends_shell(int sig)
{
	switch (sig) {
	case SIGHUP: case SIGINT: case SIGQUIT: case SIGTERM: case SIGALRM: case SIGUSR1:
	case SIGUSR2: case SIGABRT: case SIGVTALRM: case SIGXCPU: case SIGXFSZ: case SIGSYS:
	case SIGILL: case SIGFPE: case SIGBUS: case SIGSEGV: case SIGTRAP: case SIGPIPE:
		return true;
	default:
		return false;
	}
}

bool trap_has(const struct shell *sh, int n)
{
	const struct doing *d = doing(sh);

	if (!sh->traps[n].action || sh->traps[n].inherited)
		return false;
	return n < TRAP_DEBUG || !d->trap_hidden[n - TRAP_DEBUG];
}

/* The kernel's disposition follows the traps. */
static void set_disposition(struct shell *sh, int sig)
{
	const char *action = sh->traps[sig].action;
	int want = PROC_SIG_DEFAULT;

	if (sh->traps[sig].inherited)
		action = NULL;
	if (action)
		want = *action ? PROC_SIG_CATCH : PROC_SIG_IGNORE;
	else if (trap_has(sh, TRAP_EXIT) && *sh->traps[TRAP_EXIT].action && ends_shell(sig))
		want = PROC_SIG_CATCH;
	if (sh->p)
		proc_signal(sh->p, sig, want);
}

static void count_traps(struct shell *sh)
{
	unsigned n = 0;

	for (int i = 0; i < TRAP_COUNT; i++)
		n += sh->traps[i].action && !sh->traps[i].inherited;
	doing(sh)->n_traps = n;
}

/* A subshell that changes a trap sees only its own from then on. */
static void drop_inherited(struct shell *sh)
{
	for (int i = 0; i < TRAP_COUNT; i++) {
		struct trap *t = &sh->traps[i];

		if (!t->inherited)
			continue;
		t->inherited = false;
		heap_free(sh->heap, t->action);
		t->action = NULL;
	}
}

void traps_know_ignored(struct shell *sh)
{
	struct doing *d = doing(sh);

	if (d->ignored_known || !sh->p)
		return;
	d->ignored_known = true;
	if (sh->subshell_level || sh->prompts)
		return;
	for (int sig = 1; sig < 32; sig++) {
		if (!proc_ignores(sh->p, sig))
			continue;
		d->ignored |= UINT64_C(1) << (sig - 1);
		own_traps(sh)[sig].action = heap_strdup(sh->heap, "");
	}
}

void trap_set(struct shell *sh, int n, const char *action)
{
	struct doing *d = doing(sh);
	char *old;

	traps_know_ignored(sh);
	drop_inherited(sh);
	old = sh->traps[n].action;
	if (n > 0 && n < TRAP_DEBUG && d->ignored >> (n - 1) & 1)
		return;
	if (n >= TRAP_DEBUG && !action && d->trap_hidden[n - TRAP_DEBUG])
		return;		/* of the function's caller: it comes back with it */
	if (action || old)
		own_traps(sh)[n].action = action ? heap_strdup(sh->heap, action) : NULL;
	heap_free(sh->heap, old);
	tsb_tick(sh->p, 1 + (action ? strlen(action) / 256 : 0));
	if (n >= TRAP_DEBUG)
		d->trap_hidden[n - TRAP_DEBUG] = false;
	count_traps(sh);
	if (n > 0 && n < TRAP_DEBUG && n != SIGKILL && n != SIGSTOP)
		set_disposition(sh, n);
	for (int sig = 1; n == TRAP_EXIT && sig < 32; sig++)
		if (ends_shell(sig))
			set_disposition(sh, sig);
}

void traps_clone(struct shell *to, const struct shell *from)
{
	struct doing *d = doing(to);

	traps_init(to);
	for (int i = 0; from->traps != no_traps && i < TRAP_COUNT; i++) {
		struct trap *t = &own_traps(to)[i];
		const char *action = from->traps[i].action;
		bool keeps = i >= TRAP_DEBUG &&
			     (i == TRAP_ERR ? from->opts[OPT_ERRTRACE] : from->opts[OPT_FUNCTRACE]);

		t->action = action ? heap_strdup(to->heap, action) : NULL;
		/* ignored signals stay ignored; the rest is only shown by `trap` */
		t->inherited = action && !keeps && !(i && i < TRAP_DEBUG && !*action);
		if (i >= TRAP_DEBUG)
			d->trap_hidden[i - TRAP_DEBUG] = doing(from)->trap_hidden[i - TRAP_DEBUG];
	}
	count_traps(to);
}

/* ---- Running ---- */

/* What a syntax error in the action calls it. */
static const char *trap_title(int n)
{
	static const char *const titles[] = { "debug trap", "error trap", "return trap" };

	return n == TRAP_EXIT ? "exit trap" : n >= TRAP_DEBUG ? titles[n - TRAP_DEBUG] : "trap";
}

enum flow trap_run(struct shell *sh, int n)
{
	int status;

	return trap_run_status(sh, n, &status);
}

enum flow trap_run_status(struct shell *sh, int n, int *trap_status)
{
	struct doing *d = doing(sh);
	int status = sh->status, now = d->trap_now, before = d->before_trap;
	uint32_t line = sh->line;
	const char *builtin = sh->builtin;
	enum flow f;
	char *action;
	size_t n_all = sh->pipe_status.n;
	int *all = NULL, one = sh->pipe_one;
	bool deeper = n != TRAP_EXIT || (sh->is_subshell && !d->in_substitution);

	*trap_status = 0;
	if (!sh->traps[n].action || !*sh->traps[n].action || sh->traps[n].running)
		return FLOW_NEXT;
	action = heap_strdup(sh->heap, sh->traps[n].action);
	if (n_all) {
		all = heap_array(sh->heap, n_all, sizeof(*all));
		memcpy(all, sh->pipe_status.at, n_all * sizeof(*all));
	}
	sh->traps[n].running = true;
	sh->builtin = NULL;
	d->trap_now = n + 1;
	d->before_trap = status;
	d->running_traps++;
	d->trace_level += deeper;
	d->inner++;
	f = run_text(sh, action, strlen(action), "trap", n >= TRAP_DEBUG ? line : 1,
		     trap_title(n));
	d->inner--;
	d->trace_level -= deeper;
	d->running_traps--;
	d->trap_now = now;
	d->before_trap = before;
	*trap_status = sh->status;
	own_traps(sh)[n].running = f == FLOW_EXIT;	/* it ended the shell: not once more */
	heap_free(sh->heap, action);
	sh->builtin = builtin;
	sh->line = line;
	set_pipe_status(sh, all, n_all);
	sh->pipe_one = one;
	heap_free(sh->heap, all);
	if (f == FLOW_EXIT || f == FLOW_RETURN || f == FLOW_BREAK || f == FLOW_CONTINUE)
		return f;
	sh->status = status;
	return FLOW_NEXT;
}

void trap_take(struct shell *sh)
{
	int sig;

	while ((sig = proc_take_signal(sh->p)) > 0)
		if (sig < 64)
			doing(sh)->pending |= (uint64_t)1 << sig;
}

void trap_signal_self(struct shell *sh, int sig)
{
	doing(sh)->exit_trap_done = true;
	proc_signal(sh->p, sig, PROC_SIG_DEFAULT);
	tsb_kill(sh->p, proc_pid(sh->p), sig);
}

/* A signal that ends the shell was caught only for the sake of the EXIT trap. */
static void end_by_signal(struct shell *sh, int sig)
{
	sh->status = STATUS_SIGNAL + sig;
	doing(sh)->exit_trap_done = true;
	trap_run(sh, TRAP_EXIT);
	trap_signal_self(sh, sig);
}

enum flow trap_pending_slow(struct shell *sh)
{
	struct doing *d = doing(sh);

	trap_take(sh);
	while (d->pending) {
		int sig = __builtin_ctzll(d->pending);
		enum flow f;

		d->pending &= d->pending - 1;
		if (!trap_has(sh, sig)) {
			if (sh->prompts) {	/* what runs is broken off, the shell is not */
				if (sig != SIGINT)
					continue;
				tsb_write_all(sh->p, 2, "\n", 1);
				sh->status = 128 + SIGINT;
				return FLOW_ABORT;
			}
			if (sig != SIGCHLD && trap_has(sh, TRAP_EXIT))
				end_by_signal(sh, sig);
			continue;
		}
		f = trap_run(sh, sig);
		if (f != FLOW_NEXT)
			return f;
	}
	return FLOW_NEXT;
}
