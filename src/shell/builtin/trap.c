/*
 * trap and kill: signals by name.
 */
#include "shell/builtin/builtin.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "text/escape.h"

/* All signals in columns, as kill -l and trap -l. */
static void list_signals(struct shell *sh, bool posix)
{
	int column = 0;

	for (int sig = 1; posix && sig <= 64; sig++)
		if (signal_name(sig))
			putf(sh, "%s%s", signal_name(sig), sig < 64 ? " " : "\n");
	if (posix)
		return;
	for (int sig = 1; sig <= 64; sig++) {
		const char *name = signal_name(sig);

		if (!name)
			continue;
		putf(sh, "%2d) SIG%s", sig, name);
		if (++column < 5) {
			puts_(sh, "\t");
		} else {
			puts_(sh, "\n");
			column = 0;
		}
	}
	if (column)
		puts_(sh, "\n");
}

/* ---- trap ---- */

static void trap_name(struct str *out, int n, bool posix)
{
	static const char *const others[] = { "DEBUG", "ERR", "RETURN" };

	if (n == TRAP_EXIT)
		str_adds(out, "EXIT");
	else if (n >= TRAP_DEBUG)
		str_adds(out, others[n - TRAP_DEBUG]);
	else
		str_addf(out, "%s%s", posix ? "" : "SIG", signal_name(n));
}

static void print_trap(struct shell *sh, int n)
{
	struct str *out = &doing(sh)->out;

	if (!sh->traps[n].action || (n >= TRAP_DEBUG && doing(sh)->trap_hidden[n - TRAP_DEBUG]))
		return;
	str_adds(out, "trap -- ");
	quote_single(out, sh->traps[n].action, strlen(sh->traps[n].action));
	str_addc(out, ' ');
	trap_name(out, n, sh->opts[OPT_POSIX]);
	str_addc(out, '\n');
}

static int bad_signal(struct shell *sh, const char *name)
{
	builtin_error(sh, "%s: invalid signal specification", name);
	return 1;
}

static int print_traps(struct shell *sh, int argc, char **argv, int from)
{
	int status = 0;

	if (from >= argc)
		for (int i = 0; i < TRAP_COUNT; i++)
			print_trap(sh, i);
	for (int i = from; i < argc; i++) {
		int n = signal_number(argv[i]);

		if (n < 0)
			status = bad_signal(sh, argv[i]);
		else
			print_trap(sh, n);
	}
	return status;
}

/* One operand that is a signal: back to default. */
static bool is_reset(const char *arg)
{
	return !strcmp(arg, "-");
}

int builtin_trap(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool print = false, list = false;
	const char *action;
	struct bopt o;
	int status = 0, from;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "lp"));) {
		if (c < 0)
			return STATUS_USAGE;
		print |= c == 'p';
		list |= c == 'l';
	}
	if (list) {
		list_signals(sh, false);
		return 0;
	}
	traps_know_ignored(sh);
	if (print || o.at >= argc)
		return print_traps(sh, argc, argv, o.at);
	action = argv[o.at];
	from = o.at + 1;
	if (from >= argc || (isdigit((unsigned char)*action) && signal_number(action) >= 0)) {
		/* no action: the signals go back to their default */
		if (signal_number(action) < 0)
			return builtin_usage(sh);
		from = o.at;
		action = NULL;
	} else if (is_reset(action)) {
		action = NULL;
	}
	for (int i = from; i < argc; i++) {
		int n = signal_number(argv[i]);

		if (n < 0)
			status = bad_signal(sh, argv[i]);
		else
			trap_set(sh, n, action);
	}
	return status;
}

/* ---- kill ---- */

static int list_one(struct shell *sh, const char *arg)
{
	int64_t number;
	int sig;

	if (text_number(arg, &number)) {
		if (number > 128)
			number -= 128;
		if (number == 0) {
			puts_(sh, "EXIT\n");
			return 0;
		}
		if (number < 1 || number > 64 || !signal_name((int)number))
			return bad_signal(sh, arg);
		putf(sh, "%s\n", signal_name((int)number));
		return 0;
	}
	sig = signal_number(arg);
	if (sig < 0 || sig >= TRAP_DEBUG)
		return bad_signal(sh, arg);
	putf(sh, "%d\n", sig);
	return 0;
}

static int kill_list(struct shell *sh, int argc, char **argv, int from)
{
	int status = 0;

	if (from >= argc)
		list_signals(sh, sh->opts[OPT_POSIX]);
	for (int i = from; i < argc; i++)
		if (list_one(sh, argv[i]))
			status = 1;
	return status;
}

static int kill_job(struct shell *sh, const char *spec, int sig)
{
	struct job *j = job_find(sh, spec, true);
	int err = -ESRCH;

	if (!j) {
		if (!doing(sh)->ambiguous)
			builtin_error(sh, "%s: no such job", spec);
		return 1;
	}
	j->just_killed = true;
	for (unsigned i = 0; i < j->n; i++)
		if (!j->at[i].done && !tsb_kill(sh->p, j->at[i].pid, sig))
			err = 0;
	if (j->stopped && (sig == SIGCONT || sig == SIGTERM || sig == SIGHUP))
		job_continue(sh, j);
	return err ? 1 : 0;
}

static int kill_one(struct shell *sh, const char *arg, int sig)
{
	int64_t pid;
	int err;

	if (*arg == '%')
		return kill_job(sh, arg, sig);
	if (!text_number(arg, &pid) || pid > INT32_MAX || pid < -INT32_MAX) {
		builtin_error(sh, *arg ? "%s: arguments must be process or job IDs" :
			      "`%s': not a pid or valid job spec", arg);
		return 1;
	}
	err = tsb_kill(sh->p, (int)pid, sig);
	if (err)
		builtin_error(sh, "(%lld) - %s", (long long)pid, tsb_strerror(err));
	return err ? 1 : 0;
}

/* The signal named by -s NAME, -n NUMBER or -NAME; *at moves behind it. -1:
 * status 1 after a message, -2: usage. */
static int kill_signal(struct shell *sh, int argc, char **argv, int *at)
{
	const char *a = *at < argc ? argv[*at] : NULL, *name;
	int sig;

	if (!a || a[0] != '-' || !a[1] || !strcmp(a, "--"))
		return 15;
	if (!strcmp(a, "-s") || !strcmp(a, "-n")) {
		if (*at + 1 >= argc) {
			builtin_error(sh, "%s: option requires an argument", a);
			return -1;
		}
		name = argv[++*at];
	} else {
		name = a + 1;
	}
	++*at;
	sig = !strcmp(name, "0") ? 0 : signal_number(name);
	if (sig < 0 && (*name == 's' || *name == 'n') && name == a + 1)
		sig = signal_number(++name);
	if (sig < 0 || sig >= TRAP_DEBUG) {
		bad_signal(sh, name);
		return -1;
	}
	return sig;
}

int builtin_kill(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	int at = 1, sig, status = 1;

	(void)flow;
	if (argc > 1 && (!strcmp(argv[1], "-l") || !strcmp(argv[1], "-L")))
		return kill_list(sh, argc, argv, 2);
	sig = kill_signal(sh, argc, argv, &at);
	if (sig < 0)
		return 1;
	if (at < argc && !strcmp(argv[at], "--"))
		at++;
	if (at >= argc)
		return builtin_usage(sh);
	for (; at < argc; at++)
		if (!kill_one(sh, argv[at], sig))
			status = 0;
	return status;
}
