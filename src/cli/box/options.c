/*
 * The commands of `tinybox` and their options. Parsing, --help, the manual pages and the
 * completions come from here.
 */
#include "cli/box/box.h"

#include <stddef.h>

#define JSON TSB_OPT_FLAG(struct boxc, json, 0, "json", "print JSON, as tinybox(1) describes it")
#define JSON_OUT TSB_OPT_FLAG(struct boxc, json, 0, "json", \
		"print one JSON object with the output in it (out, err), when it has ended")
#define FORCE(h) TSB_OPT_FLAG(struct boxc, force, 'f', "force", h)
#define GRACE TSB_OPT_STR(struct boxc, grace, 0, "grace", "SPAN", \
		"from SIGTERM to SIGKILL; default 0: SIGKILL at once")

#define TARGET_OPTIONS \
	TSB_OPT_STR(struct boxc, host, 0, "host", "HOST", \
		    "local, or ssh:[USER@]NAME: the machine the box is on"), \
	TSB_OPT_STR(struct boxc, port, 0, "ssh-port", "PORT", "of that machine"), \
	TSB_OPT_STR(struct boxc, identity, 0, "ssh-identity", "FILE", "the only key to offer"), \
	TSB_OPT_STR(struct boxc, known_hosts, 0, "ssh-known-hosts", "FILE", \
		    "where host keys are known"), \
	TSB_OPT_STR(struct boxc, config, 0, "ssh-config", "FILE", "instead of the user's"), \
	TSB_OPT_FLAG(struct boxc, accept_new_key, 0, "accept-new-host-key", \
		     "record the key of a machine that is not known; a changed one is refused")

#define SPEC_OPTIONS \
	TSB_OPT_STR(struct boxc, sandbox, 0, "sandbox", "WALL", \
		    "virtual (default), namespace, docker, microvm, or passthrough, which is no wall"), \
	TSB_OPT_STR(struct boxc, runner, 0, "runner", "WALL", \
		    "the wall of the agent that drives the box; recorded"), \
	TARGET_OPTIONS, \
	TSB_OPT_STR(struct boxc, name, 0, "name", "NAME", "a second name, free again after rm"), \
	TSB_OPT_STR(struct boxc, dir, 0, "dir", "DIR", "the workspace: a directory of the host"), \
	TSB_OPT_STR(struct boxc, image, 0, "image", "IMAGE", \
		    "a directory of the host that becomes the box's root; behind docker also an " \
		    "archive (both begin with / or .), or a reference of an image"), \
	TSB_OPT_STR(struct boxc, template, 0, "template", "NAME", "begin from a template"), \
	TSB_OPT_STR(struct boxc, snapshot, 0, "snapshot", "ID", "begin from a snapshot"), \
	TSB_OPT_STR(struct boxc, git, 0, "git", "URL", "begin from a repository"), \
	TSB_OPT_STR(struct boxc, revision, 0, "revision", "REV", "of the repository"), \
	TSB_OPT_STR(struct boxc, workspace, 0, "workspace", "PATH", \
		    "where the workspace is inside; default /workspace"), \
	TSB_OPT_FLAG(struct boxc, read_only, 0, "read-only", "the workspace cannot be written"), \
	TSB_OPT_FLAG(struct boxc, read_only_root, 0, "read-only-root", \
		     "behind docker: only the workspace and /tmp can be written"), \
	TSB_OPT_STR(struct boxc, hostname, 0, "hostname", "NAME", "inside"), \
	TSB_OPT_STR(struct boxc, memory, 0, "memory", "SIZE", "at most (512m, 2g, 1.5gib)"), \
	TSB_OPT_STR(struct boxc, cpus, 0, "cpus", "N", "processors, at most (0.5, 2)"), \
	TSB_OPT_STR(struct boxc, pids, 0, "pids", "N", "processes and threads, at most"), \
	TSB_OPT_STR(struct boxc, disk, 0, "disk", "SIZE", "what may be written, at most"), \
	TSB_OPT_STR(struct boxc, files, 0, "open-files", "N", "of one process, at most"), \
	TSB_OPT_STR(struct boxc, network, 0, "network", "POLICY", "none (default), egress, or open"), \
	TSB_OPT_LIST(struct boxc, allow, 0, "allow", "NAME:PORT", \
		     "the only places egress reaches; may be repeated"), \
	TSB_OPT_FLAG(struct boxc, allow_report_only, 0, "allow-report-only", \
		     "what --allow does not name is reached all the same, and is in the audit log as what would be " \
		     "refused; needs --accept network, which nothing enforces then"), \
	TSB_OPT_LIST(struct boxc, secrets, 0, "secret", "NAME[=SOURCE]@HOST[:PORT][,HOST...]", \
		     "the variable NAME is a placeholder inside; in requests to these hosts the proxy outside " \
		     "puts the value in its place; SOURCE is env:VARIABLE (default: of that name), file:PATH or " \
		     "stdin; needs --network egress; may be repeated"), \
	TSB_OPT_STR(struct boxc, secret_ca, 0, "secret-ca", "FILE", \
		    "authorities to trust at these hosts, beside those of the box's host"), \
	TSB_OPT_LIST(struct boxc, devices, 0, "device", "PATH", \
		     "a device of the host (/dev/dri/renderD128) that is in the box too, for its user; behind " \
		     "namespace and docker; may be repeated"), \
	TSB_OPT_LIST(struct boxc, publish, 'p', "publish", "[[ADDR:]HOST:]GUEST", \
		     "a TCP port of the box on the machine it is on; may be repeated"), \
	TSB_OPT_LIST(struct boxc, accept, 0, "accept", "CONTROL", \
		     "do without this control if nothing can enforce it: filesystem, processes, " \
		     "network, memory, cpu, pids, disk, open-files, syscalls, privileges, devices, " \
		     "tree-kill, ports"), \
	TSB_OPT_STR(struct boxc, kernel, 0, "kernel", "DIR", \
		    "of a micro-VM: what tools/microvm-kernel makes; default: /var/lib/tinybox/kernel"), \
	TSB_OPT_STR(struct boxc, accel, 0, "accel", "KIND", \
		    "of a micro-VM: auto (default: KVM where it works), kvm, or tcg, which is software"), \
	TSB_OPT_LIST(struct boxc, hooks, 0, "hook", "LINE", \
		     "run by the box's sh whenever the box comes to life, before it is ready; " \
		     "$TINYBOX_START is create, restore or start; may be repeated"), \
	TSB_OPT_STR(struct boxc, hook_timeout, 0, "hook-timeout", "SPAN", "of each; default 1m"), \
	TSB_OPT_FLAG(struct boxc, hook_warn, 0, "hook-warn", \
		     "a hook that fails is a warning; without it there is no box then"), \
	TSB_OPT_LIST(struct boxc, labels, 'l', "label", "KEY=VALUE", "may be repeated")

#define ENV_OPTIONS \
	TSB_OPT_LIST(struct boxc, env, 'e', "env", "NAME=VALUE", \
		     "set a variable (without =VALUE: as it is here); may be repeated"), \
	TSB_OPT_STR(struct boxc, cwd, 'w', "cwd", "PATH", "working directory inside")

#define STREAM_OPTIONS \
	TSB_OPT_STR(struct boxc, input, 0, "stdin", "KIND", \
		    "none (default), stream, or file:PATH inside the box"), \
	TSB_OPT_FLAG(struct boxc, interactive, 'i', "interactive", "as --stdin=stream"), \
	TSB_OPT_FLAG(struct boxc, terminal, 't', "tty", "a terminal of its own"), \
	TSB_OPT_STR(struct boxc, timeout, 0, "timeout", "SPAN", \
		    "end the command and all it started (90s, 5m, 2h)"), \
	GRACE, \
	TSB_OPT_STR(struct boxc, output_limit, 0, "output-limit", "SIZE", \
		    "of each stream; what is over is dropped and counted"), \
	TSB_OPT_STR(struct boxc, record, 0, "record", "FILE", "write the end record there, JSON")

static const struct tsb_opt tool_options[] = {
	TSB_OPT_STR(struct boxc, store, 0, "store", "DIR", "instead of $TINYBOX_STATE_DIR"),
	TSB_OPT_END
};

static const struct tsb_opt create_options[] = {
	SPEC_OPTIONS, ENV_OPTIONS,
	TSB_OPT_STR(struct boxc, ttl, 0, "ttl", "SPAN", "reap it after that; default 1h"),
	TSB_OPT_FLAG(struct boxc, persistent, 0, "persistent", "never reap it"),
	TSB_OPT_STR(struct boxc, autosnapshot, 0, "autosnapshot", "SPAN",
		    "let reap --watch take a snapshot of it that often"),
	TSB_OPT_STR(struct boxc, autosnapshot_keep, 0, "autosnapshot-keep", "N",
		    "how many of these stay; default 3"),
	TSB_OPT_FLAG(struct boxc, dry, 0, "dry-run", "say what would be done"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt run_options[] = {
	SPEC_OPTIONS, ENV_OPTIONS, STREAM_OPTIONS,
	TSB_OPT_FLAG(struct boxc, dry, 0, "dry-run", "say what would be done"),
	TSB_OPT_FLAG(struct boxc, json, 0, "json",
		     "print the end record with the output in it (out, err) instead of the output"),
	TSB_OPT_END
};

static const struct tsb_opt exec_options[] = {
	ENV_OPTIONS, STREAM_OPTIONS,
	TSB_OPT_FLAG(struct boxc, keep, 0, "keep", "it goes on, output to its log, when we are gone"),
	TSB_OPT_FLAG(struct boxc, detach, 'd', "detach", "as spawn"),
	TSB_OPT_FLAG(struct boxc, log, 0, "log", "write its log too"),
	TSB_OPT_STR(struct boxc, label, 0, "label", "NAME", "shown by ps"),
	TSB_OPT_STR(struct boxc, memory, 0, "memory", "SIZE", "of this command, at most"),
	TSB_OPT_STR(struct boxc, pids, 0, "pids", "N", "of this command, at most"),
	TSB_OPT_STR(struct boxc, cpus, 0, "cpus", "N", "of this command, at most"),
	TSB_OPT_FLAG(struct boxc, json, 0, "json",
		     "print the end record with the output in it (out, err) instead of the output"),
	TSB_OPT_END
};

static const struct tsb_opt spawn_options[] = {
	ENV_OPTIONS,
	TSB_OPT_STR(struct boxc, input, 0, "stdin", "KIND", "none (default), or file:PATH inside"),
	TSB_OPT_STR(struct boxc, timeout, 0, "timeout", "SPAN", "end it and all it started"), GRACE,
	TSB_OPT_STR(struct boxc, output_limit, 0, "output-limit", "SIZE", "of each stream"),
	TSB_OPT_STR(struct boxc, label, 0, "label", "NAME", "shown by ps"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt shell_options[] = {
	ENV_OPTIONS,
	TSB_OPT_STR(struct boxc, timeout, 0, "timeout", "SPAN", "end it and all it started"), GRACE,
	JSON_OUT, TSB_OPT_END
};

static const struct tsb_opt attach_options[] = {
	TSB_OPT_FLAG(struct boxc, interactive, 'i', "interactive", "send standard input to it"),
	TSB_OPT_STR(struct boxc, record, 0, "record", "FILE", "write the end record there, JSON"),
	JSON_OUT, TSB_OPT_END
};

static const struct tsb_opt ls_options[] = {
	TSB_OPT_FLAG(struct boxc, quick, 0, "quick", "what the records say; ask no server"),
	TSB_OPT_FLAG(struct boxc, quiet, 'q', "quiet", "ids only"),
	TSB_OPT_LIST(struct boxc, labels, 'l', "label", "KEY=VALUE", "only boxes with it"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt json_options[] = { JSON, TSB_OPT_END };

static const struct tsb_opt no_options[] = { TSB_OPT_END };

static const struct tsb_opt rm_options[] = {
	FORCE("also when its host does not answer; no error for a box that is not there"),
	JSON, TSB_OPT_END
};

#define PROC_LABEL(h) TSB_OPT_STR(struct boxc, label, 'l', "label", "NAME", h)

static const struct tsb_opt audit_options[] = {
	TSB_OPT_FLAG(struct boxc, verify, 0, "verify",
		     "whether a line was changed, left out, put in or cut off; status 70 if so"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt ttl_options[] = {
	TSB_OPT_FLAG(struct boxc, shorten, 0, "shorten", "the new end may be earlier than the old"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt kill_options[] = {
	PROC_LABEL("all that run and have this label"),
	TSB_OPT_STR(struct boxc, signal, 's', "signal", "SIGNAL", "name or number; default TERM"),
	TSB_OPT_FLAG(struct boxc, tree, 0, "tree", "SIGKILL it and all that it started"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt wait_options[] = {
	TSB_OPT_STR(struct boxc, timeout, 0, "timeout", "SPAN", "wait no longer"),
	PROC_LABEL("the latest that has this label"), JSON, TSB_OPT_END
};

static const struct tsb_opt stop_options[] = { GRACE, JSON, TSB_OPT_END };

static const struct tsb_opt logs_options[] = {
	TSB_OPT_FLAG(struct boxc, follow, 'f', "follow", "go on until it ends"),
	PROC_LABEL("the latest that has this label"), JSON_OUT, TSB_OPT_END
};

static const struct tsb_opt reap_options[] = {
	TSB_OPT_FLAG(struct boxc, dry, 0, "dry-run", "only say what would go"),
	TSB_OPT_FLAG(struct boxc, watch, 0, "watch",
		     "go on until SIGTERM, a line each event; SIGHUP: at once"),
	TSB_OPT_STR(struct boxc, interval, 0, "interval", "SPAN", "of --watch; default 1m"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt doctor_options[] = { TARGET_OPTIONS, JSON, TSB_OPT_END };

static const struct tsb_opt events_options[] = {
	TSB_OPT_FLAG(struct boxc, follow, 'f', "follow", "go on"),
	TSB_OPT_FLAG(struct boxc, json, 0, "json", "as without it: it is JSON always"), TSB_OPT_END
};

static const struct tsb_opt forward_options[] = {
	TSB_OPT_STR(struct boxc, address, 0, "address", "ADDRESS",
		    "to listen at, of IPv4 or IPv6; default 127.0.0.1"),
	TSB_OPT_FLAG(struct boxc, json, 0, "json", "print a line of JSON for each port that listens"),
	TSB_OPT_END
};

static const struct tsb_opt sync_options[] = {
	TSB_OPT_STR(struct boxc, dir, 0, "dir", "DIR", "the directory here; default the working directory"),
	TSB_OPT_STR(struct boxc, to, 0, "to", "[BOX:]PATH", "make this one equal to it"),
	TSB_OPT_STR(struct boxc, from, 0, "from", "[BOX:]PATH",
		    "make it equal to this one, once the changes have been reviewed"),
	TARGET_OPTIONS,
	TSB_OPT_FLAG(struct boxc, with_git, 0, "git", ".git too, which is left out otherwise"),
	TSB_OPT_FLAG(struct boxc, no_ignore, 0, "no-ignore",
		     "everything, whatever .gitignore and .boxignore files say"),
	TSB_OPT_FLAG(struct boxc, dry, 0, "dry-run", "only say what would be changed"),
	TSB_OPT_FLAG(struct boxc, yes, 'y', "yes", "with --from: take the changes without a question"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt snapshot_options[] = {
	TSB_OPT_STR(struct boxc, label, 0, "label", "TEXT", "words for people, shown by ls"),
	TSB_OPT_FLAG(struct boxc, memory_too, 0, "memory", "also what runs (microvm)"),
	TSB_OPT_FLAG(struct boxc, verify, 0, "verify", "inspect: read every byte"),
	TSB_OPT_FLAG(struct boxc, quiet, 'q', "quiet", "ls: ids only"),
	TARGET_OPTIONS, JSON, TSB_OPT_END
};

static const struct tsb_opt fork_options[] = {
	TSB_OPT_STR(struct boxc, count, 'n', "count", "N", "make so many; default 1"),
	TSB_OPT_STR(struct boxc, name, 0, "name", "NAME", "a second name; of several NAME-1, NAME-2 ..."),
	TSB_OPT_STR(struct boxc, ttl, 0, "ttl", "SPAN", "reap them after that; default: as what they begin from"),
	TSB_OPT_FLAG(struct boxc, persistent, 0, "persistent", "never reap them"),
	TSB_OPT_FLAG(struct boxc, memory_too, 0, "memory", "also what runs, which goes on in boxes that begin from it (microvm)"),
	JSON, TSB_OPT_END
};

static const struct tsb_opt template_options[] = {
	TSB_OPT_STR(struct boxc, from, 0, "from", "BOX|SNAPSHOT", "save: what it is; of a box a snapshot is taken"),
	JSON, TSB_OPT_END
};

#define VERB(n, synopsis_, summary_, options_, flags_, fn, least_, most_) \
	{ { .version = TSB_COMMAND_VERSION, .name = n, .synopsis = synopsis_, .summary = summary_, \
	    .opts = options_, .opts_size = sizeof(struct boxc), .flags = flags_, \
	    .usage_status = BOXC_USAGE }, fn, least_, most_ }

const struct boxc_verb boxc_verbs[] = {
	VERB("attach", "[OPTION]... BOX PROCESS", "come back to a process of a box", attach_options, 0,
	     boxc_attach, 2, 2),
	VERB("audit", "[OPTION]... [BOX]...",
	     "print the audit logs of boxes (all), or verify them (without BOX: the store's own)",
	     audit_options, 0, boxc_audit, 0, -1),
	VERB("completion", "SHELL", "print completions for bash, zsh or fish", no_options, 0,
	     boxc_completion, 1, 1),
	VERB("cp", "[OPTION]... FROM BOX:TO\n[OPTION]... BOX:FROM TO",
	     "copy files or trees into a box, or out of it, verified", json_options, 0, boxc_cp, 2, 2),
	VERB("create", "[OPTION]...", "make a box and print its id", create_options, 0, boxc_create, 0, 0),
	VERB("doctor", "[OPTION]...", "try each layer and say what works, what not, and the fix",
	     doctor_options, 0, boxc_doctor, 0, 0),
	VERB("events", "[OPTION]... [BOX]", "print what happened, a line of JSON each", events_options, 0,
	     boxc_events, 0, 1),
	VERB("exec", "[OPTION]... BOX [--] COMMAND [ARG]...", "run a command in a box", exec_options,
	     TSB_OPERAND_ENDS, boxc_exec, 2, -1),
	VERB("fork", "[OPTION]... BOX|SNAPSHOT|TEMPLATE",
	     "make boxes that begin as that one is now, without a copy", fork_options, 0, boxc_fork, 1, 1),
	VERB("forward", "[OPTION]... BOX GUEST[:HOST]...",
	     "listen here for ports inside a box; HOST absent or 0: a free one", forward_options, 0,
	     boxc_forward, 2, -1),
	VERB("inspect", "[OPTION]... BOX...", "print what a box is and what is enforced", json_options, 0,
	     boxc_inspect, 1, -1),
	VERB("kill", "[OPTION]... BOX PROCESS...\n[OPTION]... --label NAME BOX",
	     "send a signal to processes of a box", kill_options, 0, boxc_kill, 1, -1),
	VERB("logs", "[OPTION]... BOX PROCESS\n[OPTION]... --label NAME BOX",
	     "print what a process of a box wrote", logs_options, 0, boxc_logs, 1, 2),
	VERB("ls", "[OPTION]...", "list the boxes", ls_options, 0, boxc_ls, 0, 0),
	VERB("pause", "[OPTION]... BOX...", "freeze all that runs in a box", json_options, 0, boxc_pause, 1, -1),
	VERB("ps", "[OPTION]... BOX", "list the processes of a box", json_options, 0, boxc_ps, 1, 1),
	VERB("reap", "[OPTION]...", "destroy boxes past their time and what crashes left", reap_options, 0,
	     boxc_reap, 0, 0),
	VERB("resume", "[OPTION]... BOX...", "let a paused box go on", json_options, 0, boxc_resume, 1, -1),
	VERB("rm", "[OPTION]... BOX...", "destroy boxes", rm_options, 0, boxc_rm, 0, -1),
	VERB("run", "[OPTION]... [--] COMMAND [ARG]...", "run a command in a box made for it",
	     run_options, TSB_OPERAND_ENDS, boxc_run, 1, -1),
	VERB("shell", "[OPTION]... BOX", "a shell in a box", shell_options, 0, boxc_shell, 1, 1),
	VERB("snapshot", "[OPTION]... [create] BOX\n[OPTION]... ls\n[OPTION]... inspect|rm SNAPSHOT...\n"
	     "[OPTION]... diff [SNAPSHOT] SNAPSHOT\n[OPTION]... export SNAPSHOT FILE\n[OPTION]... import FILE",
	     "keep what a box has written, and look at what was kept", snapshot_options, 0, boxc_snapshot, 1, -1),
	VERB("spawn", "[OPTION]... BOX [--] COMMAND [ARG]...",
	     "start a command in a box and print its name", spawn_options, TSB_OPERAND_ENDS, boxc_spawn, 2, -1),
	VERB("start", "[OPTION]... BOX...", "start a stopped box again", json_options, 0, boxc_start, 1, -1),
	VERB("stop", "[OPTION]... BOX...", "end all that runs in a box, and keep its files",
	     stop_options, 0, boxc_stop, 1, -1),
	VERB("sync", "[OPTION]... --to [BOX:]PATH\n[OPTION]... --from [BOX:]PATH",
	     "make a directory elsewhere equal to one here, or back, by what differs", sync_options, 0,
	     boxc_sync, 0, 0),
	VERB("template", "[OPTION]... save NAME --from BOX|SNAPSHOT\n[OPTION]... ls\n[OPTION]... rm NAME...",
	     "names for snapshots that boxes are made of", template_options, 0, boxc_template, 1, -1),
	VERB("ttl", "[OPTION]... BOX [SPAN|+SPAN|never]",
	     "print when a box's time is over, or change it: SPAN from now, SPAN later, never",
	     ttl_options, 0, boxc_ttl, 1, 2),
	VERB("wait", "[OPTION]... BOX PROCESS\n[OPTION]... --label NAME BOX",
	     "wait for a process; the status is its own", wait_options, 0, boxc_wait, 1, 2),
	{ { .name = NULL }, NULL, 0, 0 }
};

const struct tsb_command boxc_tool = {
	.version = TSB_COMMAND_VERSION, .name = "tinybox", .synopsis = "[OPTION]... COMMAND [ARG]...",
	.summary = "Isolated places where programs run, on this machine or another.\n\nCommands: attach, audit, "
		   "completion, cp, create, doctor, events, exec, fork, forward, inspect, kill, logs, ls,\n"
		   "pause, ps, reap, resume, rm, run, shell, snapshot, spawn, start, stop, sync, template, ttl, wait.\n"
		   "'tinybox COMMAND --help' says more.\nThe exit status of exec and run is the command's; 70 for a failure of "
		   "tinybox's own; 2 for a bad option.",
	.opts = tool_options, .opts_size = sizeof(struct boxc), .flags = TSB_OPERAND_ENDS,
	.usage_status = BOXC_USAGE
};
