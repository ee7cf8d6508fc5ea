/*
 * Builtins that only direct control: break, continue, return, exit, logout; and
 * true, false, shift, let, times, suspend, which are as small.
 */
#include "shell/builtin/builtin.h"

#include <signal.h>
#include <string.h>

int builtin_true(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	(void)sh;
	(void)argc;
	(void)argv;
	(void)flow;
	return 0;
}

int builtin_false(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	(void)sh;
	(void)argc;
	(void)argv;
	(void)flow;
	return 1;
}

/* First operand behind "--". */
static int first_operand(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
}

/* The count of break and continue. 0: *status is what to give. */
static unsigned loop_count(struct shell *sh, int argc, char **argv, int *status, enum flow *flow)
{
	int at = first_operand(argc, argv);
	int64_t n = 1;

	*status = 0;
	if (!sh->loop_depth && sh->opts[OPT_POSIX])
		return 0;
	if (!sh->loop_depth) {
		builtin_error(sh, "only meaningful in a `for', `while', or `until' loop");
		return 0;
	}
	if (at < argc && !text_number(argv[at], &n)) {
		builtin_error(sh, "%s: numeric argument required", argv[at]);
		*status = STATUS_SIGNAL;
		*flow = FLOW_EXIT;
		return 0;
	}
	if (at + 1 < argc) {
		*status = 1;
		*flow = too_many_arguments(sh);
		return 0;
	}
	if (n < 1) {
		builtin_error(sh, "%s: loop count out of range", argv[1]);	/* be it "--" */
		*status = 1;
		sh->flow_count = sh->loop_depth;
		*flow = FLOW_BREAK;
		return 0;
	}
	return n > (int64_t)sh->loop_depth ? sh->loop_depth : (unsigned)n;
}

int builtin_break(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int status;
	unsigned n = loop_count(sh, argc, argv, &status, flow);

	if (n) {
		sh->flow_count = n;
		*flow = FLOW_BREAK;
	}
	return status;
}

int builtin_continue(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int status;
	unsigned n = loop_count(sh, argc, argv, &status, flow);

	if (n) {
		sh->flow_count = n;
		*flow = FLOW_CONTINUE;
	}
	return status;
}

/* The status argument of return and exit. false: *status is an error's. */
static bool status_argument(struct shell *sh, int argc, char **argv, int *status, enum flow *flow)
{
	int at = first_operand(argc, argv);
	int64_t n;

	if (at >= argc)
		return true;
	if (!text_number(argv[at], &n)) {
		builtin_error(sh, "%s: numeric argument required", argv[at]);
		*status = STATUS_USAGE;
		return true;
	}
	if (at + 1 < argc) {
		*flow = too_many_arguments(sh);
		*status = 1;
		return false;
	}
	*status = (int)(n & 255);
	return true;
}

/* Without an argument: in a trap's action it is the status before the trap; DEBUG's is no end of its own. */
int builtin_return(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const struct doing *d = doing(sh);
	int status = d->trap_now && d->trap_now != TRAP_DEBUG + 1 ? d->before_trap : sh->status;

	if (!status_argument(sh, argc, argv, &status, flow))
		return status;
	if (!sh->function_depth && !sh->source_depth) {
		builtin_error(sh, "can only `return' from a function or sourced script");
		doing(sh)->misused = true;
		return STATUS_USAGE;
	}
	*flow = FLOW_RETURN;
	return status;
}

/* At a prompt: stopped jobs are told of, the first time. */
static bool exit_warns(struct shell *sh)
{
	struct doing *d = doing(sh);
	bool again = d->exit_warned && d->exit_warned + 1 == d->prompts_shown;

	tsb_write_all(sh->p, 2, sh->opts[SHOPT_LOGIN_SHELL] ? "logout\n" : "exit\n",
		      sh->opts[SHOPT_LOGIN_SHELL] ? 7 : 5);
	for (struct job *j = sh->jobs; j && !again; j = j->next) {
		if (!j->stopped)
			continue;
		tsb_write_all(sh->p, 2, "There are stopped jobs.\n", 24);
		d->exit_warned = d->prompts_shown;
		return true;
	}
	return false;
}

/* Without an argument: in the EXIT trap it is the status that the shell was about to end with. */
int builtin_exit(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int status = doing(sh)->trap_now == TRAP_EXIT + 1 ? doing(sh)->before_trap : sh->status;

	if (!status_argument(sh, argc, argv, &status, flow))
		return status;
	if (sh->prompts && !sh->is_subshell && exit_warns(sh))
		return 1;
	*flow = FLOW_EXIT;
	doing(sh)->exiting = true;
	return status;
}

int builtin_logout(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	if (!sh->opts[SHOPT_LOGIN_SHELL]) {
		builtin_error(sh, "not login shell: use `exit'");
		return 1;
	}
	return builtin_exit(sh, argc, argv, flow);
}

int builtin_shift(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int at = first_operand(argc, argv);
	int64_t n = 1;

	if (at < argc && !text_number(argv[at], &n)) {
		builtin_error(sh, "%s: numeric argument required", argv[at]);
		return 1;
	}
	if (at + 1 < argc) {
		*flow = too_many_arguments(sh);
		return 1;
	}
	if (n < 0 || (uint64_t)n > sh->n_args) {
		/* the first argument is named, be it "--" */
		if (n < 0 || sh->opts[SHOPT_SHIFT_VERBOSE])
			builtin_error(sh, "%s%sshift count out of range", argc > 1 ? argv[1] : "",
				      argc > 1 ? ": " : "");
		return 1;
	}
	shell_shift(sh, (size_t)n);
	return 0;
}

int builtin_let(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int64_t v = 0;
	int at = first_operand(argc, argv);

	if (at >= argc) {
		builtin_error(sh, "expression expected");
		return 1;
	}
	for (; at < argc; at++) {
		sh->failed = FLOW_NEXT;
		if (!arith_eval_text(sh, argv[at], strlen(argv[at]), &v)) {
			*flow = sh->failed == FLOW_EXIT ? FLOW_EXIT : FLOW_NEXT;
			return *flow == FLOW_EXIT ? sh->status : 1;
		}
	}
	return v == 0;
}

static void put_time(struct shell *sh, uint64_t ns, char end)
{
	uint64_t ms = ns / 1000000;

	putf(sh, "%llum%llu.%03llus%c", (unsigned long long)(ms / 60000),
	     (unsigned long long)(ms / 1000 % 60), (unsigned long long)(ms % 1000), end);
}

int builtin_times(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct proc_times t;
	struct bopt o;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	if (bopt_next(&o, ""))
		return STATUS_USAGE;
	proc_times(sh->p, &t);
	put_time(sh, t.user_ns, ' ');
	put_time(sh, 0, '\n');
	put_time(sh, t.children_ns, ' ');
	put_time(sh, 0, '\n');
	return 0;
}

int builtin_suspend(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool force = false;
	struct bopt o;

	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "f"));) {
		if (c < 0)
			return STATUS_USAGE;
		force = true;
	}
	if (o.at < argc) {
		*flow = too_many_arguments(sh);
		return 1;
	}
	if (!force && !job_monitor(sh))
		builtin_error(sh, "cannot suspend: no job control");
	else if (!force && sh->opts[SHOPT_LOGIN_SHELL])
		builtin_error(sh, "cannot suspend a login shell");
	else
		return tsb_kill(sh->p, 0, SIGSTOP) ? 1 : 0;
	return 1;
}
