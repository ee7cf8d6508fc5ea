/*
 * trap and kill: signals by name.
 */
#include "shell/builtin/builtin.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

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
	else if (!signal_name(n))	/* the C library's own */
		str_addf(out, "%d", n);
	else
		str_addf(out, "%s%s", posix ? "" : "SIG", signal_name(n));
}

/* In POSIX mode -p shows those without an action, too. */
static void print_trap(struct shell *sh, int n, bool all)
{
	struct str *out = &doing(sh)->out;
	const char *action = sh->traps[n].action;

	if (n >= TRAP_DEBUG && doing(sh)->trap_hidden[n - TRAP_DEBUG])
		action = NULL;
	if (!action && !(all && sh->opts[OPT_POSIX]))
		return;
	str_adds(out, "trap -- ");
	if (action)
		quote_single(out, action, strlen(action));
	else
		str_addc(out, '-');
	str_addc(out, ' ');
	trap_name(out, n, sh->opts[OPT_POSIX]);
	str_addc(out, '\n');
}

/* In POSIX mode kill knows no SIG in front of a name. */
static int kill_number(const struct shell *sh, const char *name)
{
	return sh->opts[OPT_POSIX] && !strncasecmp(name, "SIG", 3) ? -1 : signal_number(name);
}

static int bad_signal(struct shell *sh, const char *name)
{
	builtin_error(sh, "%s: invalid signal specification", name);
	return 1;
}

static int print_traps(struct shell *sh, int argc, char **argv, int from, bool all)
{
	int status = 0;

	if (from >= argc)
		for (int i = 0; i < TRAP_COUNT; i++)
			print_trap(sh, i, all);
	for (int i = from; i < argc; i++) {
		int n = signal_number(argv[i]);

		if (n < 0)
			status = bad_signal(sh, argv[i]);
		else
			print_trap(sh, n, all);
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
		return print_traps(sh, argc, argv, o.at, print);
	action = argv[o.at];
	from = o.at + 1;
	if (from >= argc || (isdigit((unsigned char)*action) && signal_number(action) >= 0)) {
		/* no action: the signals go back to their default */
		if (signal_number(action) < 0 ||
		    (sh->opts[OPT_POSIX] && !isdigit((unsigned char)*action) && !is_reset(action)))
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
		if (number < 0 || number > 64)
			return bad_signal(sh, arg);
		if (number != 32 && number != 33)	/* the C library's own */
			putf(sh, "%s\n", number ? signal_name((int)number) : "EXIT");
		return 0;
	}
	sig = kill_number(sh, arg);
	if (sig < 0)
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

/* What the options of kill say. */
struct kill_options {
	const char *name;	/* of the signal, as it is written */
	int sig;
	bool list;
	int at;			/* the first operand */
};

static void kill_named(struct shell *sh, struct kill_options *k, const char *name)
{
	k->name = name;
	k->sig = !strcmp(name, "0") ? 0 : kill_number(sh, name);
	if (k->sig >= TRAP_DEBUG)
		k->sig = -1;
}

/* -s NAME, -n NUMBER, -sNAME, -nNUMBER, -NAME, -l, in any order; of -NAME only one. 0, or the
 * status to end with. */
static int kill_options(struct shell *sh, struct kill_options *k, int argc, char **argv)
{
	bool named = false;

	for (; k->at < argc && argv[k->at][0] == '-'; k->at++) {
		const char *a = argv[k->at];

		if (!strcmp(a, "-l") || !strcmp(a, "-L")) {
			k->list = true;
		} else if (!strcmp(a, "-s") || !strcmp(a, "-n")) {
			if (++k->at >= argc) {
				builtin_error(sh, "%s: option requires an argument", a);
				return 1;
			}
			kill_named(sh, k, argv[k->at]);
		} else if (a[1] == 's' ? isalpha((unsigned char)a[2]) :
			   a[1] == 'n' && isdigit((unsigned char)a[2])) {
			kill_named(sh, k, a + 2);
		} else if (!strcmp(a, "--")) {
			k->at++;
			break;
		} else if (!strcmp(a, "-?")) {
			return builtin_usage(sh);
		} else if (!named) {
			named = true;
			kill_named(sh, k, a + 1);
		} else {
			break;
		}
	}
	return 0;
}

int builtin_kill(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct kill_options k = { .sig = 15, .at = 1 };
	int status;

	(void)flow;
	if (argc < 2)
		return builtin_usage(sh);
	status = kill_options(sh, &k, argc, argv);
	if (status)
		return status;
	if (k.list)
		return kill_list(sh, argc, argv, k.at);
	if (k.sig < 0)
		return bad_signal(sh, k.name);
	if (k.at >= argc)
		return builtin_usage(sh);
	status = 1;
	for (int at = k.at; at < argc; at++)
		if (!kill_one(sh, argv[at], k.sig))
			status = 0;
	return status;
}
