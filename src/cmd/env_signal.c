/*
 * env's options on signals. What is blocked is never delivered, and no program
 * here can unblock it again, so it is set to be ignored; only the listing, which
 * is of this env alone, tells the two apart.
 */
#include "cmd/env.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cmd/sig.h"
#include "cmd/util.h"

static bool env_signal_exists(int sig)
{
	return sig > 0 && sig < ENV_SIGNALS && sig != 32 && sig != 33;
}

static void env_signal_set(struct env_signals *s, int what, int sig, bool may_fail)
{
	if (what != ENV_SIG_BLOCK)
		s->action[sig] = (unsigned char)(what | (may_fail ? ENV_SIG_MAY_FAIL : 0));
	if (what == ENV_SIG_BLOCK)
		s->mask[sig] = ENV_SIG_BLOCK;
	else if (what == ENV_SIG_DEFAULT)
		s->mask[sig] = ENV_SIG_UNBLOCK;
}

int env_signal_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct env_signals *s = (struct env_signals *)(void *)((char *)opts + opt->offset);
	char *at, *name;

	if (!arg) {
		for (int sig = 1; sig < ENV_SIGNALS; sig++)
			if (env_signal_exists(sig))
				env_signal_set(s, opt->value, sig, true);
		return 0;
	}
	for (at = tsb_strdup(p, arg); (name = strsep(&at, ","));) {
		int sig = *name ? sig_parse(name) : -1;

		if (!*name && !at)
			break;
		if (!env_signal_exists(sig)) {
			tsb_warn(p, "%s: invalid signal", quote_text(p, name));
			return tsb_usage(p, NULL);
		}
		env_signal_set(s, opt->value, sig, false);
	}
	return 0;
}

static void env_tell(struct tsb_proc *p, const char *line)
{
	tsb_write_all(p, 2, line, strlen(line));
}

static int env_signal_act(struct tsb_proc *p, int sig, int action, bool debug)
{
	bool ignore = (action & ENV_SIG_WHAT) == ENV_SIG_IGNORE;
	bool fixed = sig == SIGKILL || sig == SIGSTOP;	/* sigaction(2) refuses these */
	int err = fixed ? -EINVAL : tsb_signal(p, sig, ignore ? TSB_SIG_IGNORE : TSB_SIG_DEFAULT);
	char name[16];

	if (err < 0 && !(action & ENV_SIG_MAY_FAIL)) {
		tsb_warn_errno(p, err, "failed to set signal action for signal %d", sig);
		return 125;
	}
	if (debug)
		env_tell(p, tsb_format(p, "Reset signal %s (%d) to %s%s\n", sig_name(sig, name), sig,
				       ignore ? "IGNORE" : "DEFAULT",
				       err < 0 ? " (failure ignored)" : ""));
	return 0;
}

static void env_signal_list(struct tsb_proc *p, const bool *blocked, const bool *ignored)
{
	char name[16];

	for (int sig = 1; sig < ENV_SIGNALS; sig++) {
		if (!ignored[sig] && !blocked[sig])
			continue;
		env_tell(p, tsb_format(p, "%-10s (%2d): %s%s%s\n", sig_name(sig, name), sig,
				       blocked[sig] ? "BLOCK" : "",
				       blocked[sig] && ignored[sig] ? "," : "",
				       ignored[sig] ? "IGNORE" : ""));
	}
}

/* What it is set to, which only setting it tells. */
static bool env_signal_ignored(struct tsb_proc *p, int sig)
{
	int was = tsb_signal(p, sig, TSB_SIG_IGNORE);

	if (was == TSB_SIG_DEFAULT)
		tsb_signal(p, sig, TSB_SIG_DEFAULT);
	return was == TSB_SIG_IGNORE;
}

int env_signals_apply(struct tsb_proc *p, const struct env_signals *s, bool debug)
{
	bool blocked[ENV_SIGNALS] = { false }, ignored[ENV_SIGNALS] = { false };
	char name[16];
	int status;

	for (int sig = 1; sig < ENV_SIGNALS; sig++)
		if (s->action[sig] && (status = env_signal_act(p, sig, s->action[sig], debug)))
			return status;
	for (int sig = 1; sig < ENV_SIGNALS; sig++) {
		bool block = s->mask[sig] == ENV_SIG_BLOCK;

		if (env_signal_exists(sig) && sig != SIGKILL && sig != SIGSTOP) {
			ignored[sig] = env_signal_ignored(p, sig);
			blocked[sig] = block && tsb_signal(p, sig, TSB_SIG_IGNORE) >= 0;
		}
		if (s->mask[sig] && debug)
			env_tell(p, tsb_format(p, "signal %s (%d) mask set to %s\n",
					       sig_name(sig, name), sig, block ? "BLOCK" : "UNBLOCK"));
	}
	if (s->list)
		env_signal_list(p, blocked, ignored);
	return 0;
}
