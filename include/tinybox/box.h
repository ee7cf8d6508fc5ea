/*
 * tinybox/box.h - isolated places where programs run, on this machine or another.
 *
 *	struct tbx_store *store;
 *	struct tbx_spec spec = TBX_SPEC_INIT;
 *	struct tbx_exec run = TBX_EXEC_INIT;
 *	const char *argv[] = { "uname", "-r", NULL };
 *	struct tbx_doc *box, *end;
 *
 *	if (tbx_open(&store, NULL)) return 1;
 *	if (tbx_create(store, &spec, &box)) fail(tbx_error(store));
 *	run.argv = argv;
 *	tbx_exec(store, tbx_doc_text(box, "id"), &run, &end);
 *	printf("status %lld\n", (long long)tbx_doc_number(end, "status", -1));
 *	tbx_remove(store, tbx_doc_text(box, "id"), 0);
 *
 * A box has a place on two axes: the host (which machine) and the sandbox (which wall). The
 * program `tinybox` does nothing that this header cannot.
 *
 * Ownership: a returned pointer is borrowed, an out parameter is yours. Option structs begin with
 * their size and grow at the end only; start from _INIT; an older or a newer program's is taken as
 * <tinysandbox/sandbox.h> says. Errors: an enum tbx_status; the sentence
 * to show is tbx_error(store). Threads: a store belongs to one thread at a time; any number of
 * stores, also of several processes, may share a directory. No call touches the process's
 * signals, environment, working directory or locale; child processes are started for the server
 * of a new box and for ssh, and are reaped.
 *
 * Documents. What is answered is a tbx_doc: a value of JSON with a fixed schema, printed by
 * tbx_doc_json() (that is what `tinybox --json` prints), read by path: "spec.network",
 * "report[2].control". Times are nanoseconds since 1970, sizes bytes, spans nanoseconds.
 *
 *   box      id, name, state ("creating", "ready", "paused", "stopped", "failed", "lost",
 *            "removing"), created_at, expires_at (absent: never), placement {workspace, runner}
 *            (each {host, sandbox}), isolation ("none", "process", "kernel", "hardware"),
 *            untrusted (bool: fit for code that is not trusted), spec {...}, target {...}, report
 *            [{control, asked, by | why, fix}], published [{guest, host, address}],
 *            capabilities [...], dir, hooks [{command, proc, status, reason}] (of the last start);
 *            when its host could not be asked, unreachable (why)
 *   end      box, proc, reason ("exit", "signal", "timeout", "oom", "pids", "quota", "lost",
 *            "policy", "cancel"), status, signal, core, wall, user, system, peak, peak_by,
 *            out_bytes, err_bytes, out_dropped, err_dropped, limit, started_at, ended_at, left, text
 *   process  proc, pid, argv [...], state ("running", "ended"), started_at, end {...}
 *   plan     steps [{what, where, argv [...]}], box {...}
 *   list     boxes [...], damaged [{path, why}]
 *   reap     boxes [{id, why, done, error}], strays [{path, why, done, error}]
 *   probe    probes [{name, state ("ok", "limited", "missing", "broken"), text, fix}]
 *   snapshot id, label (absent: none), state ("creating", "ready", "removing"), box (that it was taken
 *            of), sandbox, target {...}, created_at, how ("sealed", "copied", "committed", "saved",
 *            "imported"), memory (bool), size (bytes of all parts), files, hash (of their
 *            hashes), spec {...} (the box's), parts [...] (each {name, size, hash}), left_out
 *            [{path, why}], templates [...]
 *   snapshots  snapshots [...], damaged [{path, why}]
 *   diff     from, to, changes [{path, change ("added", "changed", "deleted", "mode"), type
 *            ("file", "directory", "link", "other"), size}]
 *   fork     from, boxes [...] (each a box)
 *   template name, snapshot, created_at; templates: templates [...]
 *
 * A text that is not UTF-8 is {"hex": "..."}.
 */
#ifndef TINYBOX_BOX_H
#define TINYBOX_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum tbx_status {
	TBX_OK = 0,
	TBX_ERR_MEMORY = -1,
	TBX_ERR_ARGUMENT = -2,		/* a value in a spec or an option */
	TBX_ERR_UNKNOWN = -3,		/* no such box or process */
	TBX_ERR_EXISTS = -4,		/* the name is taken */
	TBX_ERR_STATE = -5,		/* the box is not in a state for that */
	TBX_ERR_POLICY = -6,		/* a control cannot be enforced and was not accepted */
	TBX_ERR_UNSUPPORTED = -7,	/* this host or sandbox cannot do that */
	TBX_ERR_HOST = -8,		/* the machine cannot be reached, or used */
	TBX_ERR_COMMAND = -9,		/* the command was not found, or may not be run; see
					 * tbx_error_status() */
	TBX_ERR_TIMEOUT = -10,
	TBX_ERR_LOST = -11,		/* the box ended while it was used */
	TBX_ERR_STORE = -12,		/* the state directory */
	TBX_ERR_FILE = -13,		/* a file to be copied */
	TBX_ERR_LIMIT = -14,
	TBX_ERR_BUSY = -15,		/* another process is at work on the box */
	TBX_ERR_PROTOCOL = -16,		/* the other side does not speak as it should */
	TBX_ERR_SYSTEM = -17,		/* a system call failed */
	TBX_ERR_HOOK = -18		/* a hook of the box failed */
};

/* "unknown", "policy" ...: the code's word. */
const char *tbx_status_name(int status);

/* ---- Words ---- */

/* A name of a box, a process, a host: [A-Za-z0-9._-], 1 to 64 of them, no leading dash or dot. */
bool tbx_is_name(const char *s);
/* "512m", "2g", "1.5gib", "65536": powers of 1024. False: not a size, zero, or too large. */
bool tbx_size(const char *s, uint64_t *bytes);
/* "90s", "5m", "2h30m", "1.5d", "250ms"; a bare number is seconds. */
bool tbx_duration(const char *s, uint64_t *ns);
/* "1", "0.5": thousandths of a processor. */
bool tbx_cpus(const char *s, uint32_t *thousandths);

/* ---- Documents ---- */

struct tbx_doc;
void tbx_doc_free(struct tbx_doc *doc);			/* NULL is fine */
/* The text, one line unless `pretty`; malloc. NULL: no memory. */
char *tbx_doc_json(const struct tbx_doc *doc, bool pretty);
/* NULL: absent, or not a text. */
const char *tbx_doc_text(const struct tbx_doc *doc, const char *path);
int64_t tbx_doc_number(const struct tbx_doc *doc, const char *path, int64_t otherwise);
bool tbx_doc_true(const struct tbx_doc *doc, const char *path);
/* Elements of a list; 0: absent. */
size_t tbx_doc_count(const struct tbx_doc *doc, const char *path);

/* ---- A store: a directory of boxes ---- */

struct tbx_store;

struct tbx_options {
	size_t size;
	/*
	 * NULL: $TINYBOX_STATE_DIR, else $XDG_STATE_HOME/tinybox, else ~/.local/state/tinybox
	 */
	const char *state_dir;
	/*
	 * Where tinybox-init, tinybox-engine and tinybox-egress are. NULL: beside this program, in
	 * ../libexec/tinybox of it, or where they were installed.
	 */
	const char *helper_dir;
	/* Called with what is worth telling while something takes long; may be NULL. */
	void (*progress)(void *ctx, const char *what);
	void *progress_ctx;
	/* A message that the user must see ("UNSAFE: ..."); NULL: dropped. */
	void (*warning)(void *ctx, const char *text);
	void *warning_ctx;
	/* For a call to another machine that should take no time, ns; 0: 30 s */
	uint64_t step_deadline;
};
#define TBX_OPTIONS_INIT { sizeof(struct tbx_options), NULL, NULL, NULL, NULL, NULL, NULL, 0 }

int tbx_open(struct tbx_store **out, const struct tbx_options *opt);
void tbx_close(struct tbx_store *store);		/* NULL is fine */
/* The sentence of the last failed call: what, where, what to do. "" if none. */
const char *tbx_error(const struct tbx_store *store);
/* TBX_ERR_COMMAND: what a shell's $? would be, 126 or 127; otherwise 0. */
int tbx_error_status(const struct tbx_store *store);

/* ---- What a box is ---- */

enum tbx_source {
	TBX_SOURCE_NONE,	/* an empty workspace */
	TBX_SOURCE_DIR,		/* a directory of the host */
	TBX_SOURCE_IMAGE,	/* a directory of the host that becomes the root */
	TBX_SOURCE_SNAPSHOT, TBX_SOURCE_TEMPLATE, TBX_SOURCE_GIT
};

enum tbx_network { TBX_NETWORK_NONE, TBX_NETWORK_EGRESS, TBX_NETWORK_OPEN };

struct tbx_target {
	const char *host;	/* NULL or "local", or "ssh" */
	/* For ssh. The whole target is recorded with the box. */
	const char *destination;	/* [user@]name */
	unsigned port;			/* 0: as ssh is set up */
	const char *identity, *known_hosts;	/* files; NULL: as ssh is set up */
	bool accept_new_key;	/* record the key of a host that is not known; a changed one is
				 * refused always */
	const char *config;	/* -F: a configuration of ssh's own; NULL: the user's */
};

struct tbx_port {
	uint16_t guest, host;	/* host 0: a free one is picked */
	const char *address;	/* NULL: 127.0.0.1 */
};

struct tbx_spec {
	size_t size;
	const char *name;		/* a second name of the box, unique while it lives; NULL */
	struct tbx_target target;	/* where the workspace is ... */
	const char *sandbox;		/* ... "virtual" (NULL), "namespace", "docker",
					 * "microvm", "passthrough" */
	const char *runner_sandbox;	/* of the driving agent; NULL: as the workspace's */
	const char *runner_host;
	enum tbx_source source;
	const char *from;		/* path, reference, name or URL of the source */
	const char *revision;		/* git */
	bool read_only;			/* the workspace */
	const char *workspace;		/* where it is inside; NULL: /workspace */
	const char *const *env;		/* NAME=VALUE, NULL-terminated; NULL: none */
	const char *cwd, *hostname;
	/* 0: not asked for */
	uint64_t memory, disk;		/* bytes */
	uint32_t pids, cpu, open_files;	/* cpu: thousandths of one */
	uint64_t ttl;			/* ns; 0: one hour unless persistent */
	bool persistent;		/* never reaped; survives the machine's restart, stopped */
	enum tbx_network network;
	const char *const *allow;	/* NAME:PORT that egress may reach; NULL: everything */
	const struct tbx_port *ports;
	size_t port_count;
	const char *const *labels;	/* KEY=VALUE */
	const char *const *accept;	/* controls that may stay unenforced, by name */
	/*
	 * For one exec (`run`): nothing is synced to disk, and in a namespace box without a limit of the
	 * memory what is written outside of the workspace is kept in memory.
	 */
	bool transient;
	/*
	 * Lines for `sh -c` inside, run one after the other whenever the box comes to life: when it
	 * is made, restored from a snapshot, started again. $TINYBOX_START says which: create,
	 * restore, start. One that fails, or is not done in time, makes that call fail
	 * (TBX_ERR_HOOK): the new box is taken back, a started one stopped; or with hook_keep it is
	 * told as a warning. Their ends are in the box's document, their output in their logs.
	 */
	const char *const *hooks;
	uint64_t hook_deadline;		/* of each, ns; 0: one minute */
	bool hook_keep;
	/*
	 * Behind docker: the image. What begins with a slash or a dot is a directory, or an archive
	 * (of a root's files, or of an image, by docker or as an OCI layout), anything else a
	 * reference. Behind microvm: a directory, or a disk with a file system.
	 */
	const char *image;
	bool read_only_root;		/* behind docker: all but the workspace and /tmp */
	/* For the microvm sandbox. */
	const char *kernel;		/* directory of vmlinux, modules.cpio, root.img; NULL: the
					 * one that is installed on the host */
	const char *accel;		/* "auto" (NULL), "kvm", "tcg": software emulation */
	/* ns, 0: none. A snapshot is due each such span (tbx_autosnapshot()); the latest `keep` stay. */
	uint64_t autosnapshot;
	uint32_t autosnapshot_keep;	/* 0: 3 */
	/*
	 * NAME[=SOURCE]@PLACE[,PLACE]..., NULL-terminated; NULL: none. Inside, the variable NAME is a placeholder;
	 * outside, the proxy (network: egress) puts the value in its place in requests to those places
	 * alone: HOST[:PORT] over TLS, or http://HOST[:PORT]. SOURCE: env:VARIABLE (NAME), file:PATH, stdin.
	 * The value is kept in memory only, and read again from there when the box is started again.
	 */
	const char *const *secrets;
	const char *secret_ca;	/* a file of authorities to trust there, beside those of the box's host */
	/*
	 * Devices of the host (/dev/dri/renderD128), NULL-terminated; NULL: none. They are in the box at the same place, for its
	 * user; behind namespace and docker only.
	 */
	const char *const *devices;
	/*
	 * What the list of `allow` does not have is reached all the same and written into the audit log as what would be refused;
	 * so nothing enforces "network", which must be accepted. Addresses of private networks and this machine stay refused.
	 */
	bool allow_report_only;
};
#define TBX_SPEC_INIT { sizeof(struct tbx_spec), NULL, { NULL, NULL, 0, NULL, NULL, false, NULL }, \
	NULL, NULL, NULL, TBX_SOURCE_NONE, NULL, NULL, false, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, \
	0, false, TBX_NETWORK_NONE, NULL, NULL, 0, NULL, NULL, false, NULL, 0, false, \
	NULL, false, NULL, NULL, 0, 0, NULL, NULL, NULL, false }

/* What would be done, of which nothing is: pure, but for the reading of the store's place. */
int tbx_plan(struct tbx_store *store, const struct tbx_spec *spec, struct tbx_doc **plan);

/* ---- Boxes. `box`: an id or a name ---- */

int tbx_create(struct tbx_store *store, const struct tbx_spec *spec, struct tbx_doc **box);
/* check: ask each box's server whether it lives, and say "lost" when it does not */
int tbx_list(struct tbx_store *store, bool check, struct tbx_doc **list);
/* only those that have each of the labels (NULL-ended, KEY or KEY=VALUE) */
int tbx_list_labelled(struct tbx_store *store, bool check, const char *const *labels,
		      struct tbx_doc **list);
int tbx_inspect(struct tbx_store *store, const char *box, struct tbx_doc **doc);

enum { TBX_FORCE = 1 };	/* also when its host cannot be asked: forgets what is there */
int tbx_remove(struct tbx_store *store, const char *box, unsigned flags);

int tbx_stop(struct tbx_store *store, const char *box, uint64_t grace);
int tbx_start(struct tbx_store *store, const char *box);
int tbx_pause(struct tbx_store *store, const char *box);
int tbx_resume(struct tbx_store *store, const char *box);

/*
 * When the box's time is over: `span` ns from now, or (TBX_TTL_ADD) that much later than it is,
 * counted from now if that has passed; TBX_TTL_NEVER: it becomes persistent. An end that would be
 * earlier is refused (TBX_ERR_STATE) without TBX_TTL_SHORTEN. *doc: the box.
 */
enum { TBX_TTL_ADD = 1, TBX_TTL_NEVER = 2, TBX_TTL_SHORTEN = 4 };
int tbx_ttl(struct tbx_store *store, const char *box, uint64_t span, unsigned flags,
	    struct tbx_doc **doc);

/*
 * Destroys what is past its time and what was left behind by processes that died: in the store, in
 * state directories, in the kernel. Safe at any time, also several at once. dry: only says.
 * Continues past any failure, which the document names; TBX_OK then too.
 */
int tbx_reap(struct tbx_store *store, bool dry, struct tbx_doc **doc);

/* Tries each layer by doing it, on this machine or another (NULL: this one). */
int tbx_doctor(struct tbx_store *store, const struct tbx_target *target, struct tbx_doc **doc);

/* ---- Snapshots, forks, templates ---- */

/*
 * What a box has written, as it is at one moment, on the machine of the box. Not a directory of the
 * host that is its workspace: the document's left_out names it. The box is paused for the moment
 * that this takes, unless it is stopped or its server can do it between two of its steps.
 */
struct tbx_snap {
	size_t size;
	const char *label;	/* words for people; NULL */
	bool memory;		/* also what runs, which goes on in boxes of it (microvm); others refuse */
};
#define TBX_SNAP_INIT { sizeof(struct tbx_snap), NULL, false }

int tbx_snapshot(struct tbx_store *store, const char *box, const struct tbx_snap *opt,
		 struct tbx_doc **snapshot);
int tbx_snapshot_list(struct tbx_store *store, struct tbx_doc **snapshots);
/* Looks at all of it: each byte against its hash when `verify`. */
int tbx_snapshot_inspect(struct tbx_store *store, const char *snapshot, bool verify,
			 struct tbx_doc **doc);
/* Boxes that began from it stay as they are. Refused while a template names it. */
int tbx_snapshot_remove(struct tbx_store *store, const char *snapshot);
/* What `to` has otherwise than `from`; from NULL: than a box that nothing was done in. */
int tbx_snapshot_diff(struct tbx_store *store, const char *from, const char *to,
		      struct tbx_doc **diff);
/*
 * One file with all that a box of it needs, so not one made on an --image. It is whole or not there;
 * hashes are looked at before it is believed, and one of a newer version or another program is refused.
 * "-": standard output, or input. What the file says that its boxes may reach is not taken over.
 */
int tbx_snapshot_export(struct tbx_store *store, const char *snapshot, const char *file);
int tbx_snapshot_import(struct tbx_store *store, const char *file, const struct tbx_target *target,
			struct tbx_doc **snapshot);

/*
 * Takes the snapshots that are due (spec.autosnapshot) and removes the oldest that were taken so:
 * {snapshots [{box, snapshot, why, done, error}]}. For a loop; a failure of one box is told, and
 * stops nothing. Snapshots stay when their box goes.
 */
int tbx_autosnapshot(struct tbx_store *store, bool dry, struct tbx_doc **doc);

/*
 * Boxes that begin as `from` is now (a box, or a snapshot) and share what it has written: nothing
 * is copied for each. They have its environment, limits, network policy and accepted controls, a
 * life of their own as long as its, and its ports, each at a free port of the host: two boxes
 * cannot listen at one. A host directory that is the workspace is theirs too, with a warning.
 */
struct tbx_fork {
	size_t size;
	uint32_t count;		/* 0: one */
	const char *name;	/* second name; of several: NAME-1, NAME-2 ... */
	uint64_t ttl;		/* ns; 0: as the box it begins from */
	bool persistent;
	bool memory;		/* of a box: what runs goes on in each (microvm); of a snapshot it says so itself */
};
#define TBX_FORK_INIT { sizeof(struct tbx_fork), 0, NULL, 0, false, false }

int tbx_fork(struct tbx_store *store, const char *from, const struct tbx_fork *opt,
	     struct tbx_doc **fork);

/*
 * A template is a name for a snapshot, for TBX_SOURCE_TEMPLATE. from: a snapshot, or a box, of which
 * one is taken. A name that is there gets the new snapshot; the old one stays.
 *
 * A box that begins from a snapshot or template (tbx_create) has its environment, directories and
 * limits where the spec says nothing; its network, ports and life are the spec's alone.
 */
int tbx_template_save(struct tbx_store *store, const char *name, const char *from,
		      struct tbx_doc **template_);
int tbx_template_list(struct tbx_store *store, struct tbx_doc **templates);
int tbx_template_remove(struct tbx_store *store, const char *name);

/* ---- Programs in a box ---- */

enum tbx_stdin { TBX_STDIN_NONE, TBX_STDIN_STREAM, TBX_STDIN_FILE };

struct tbx_exec {
	size_t size;
	const char *const *argv;	/* NULL-terminated; argv[0] is looked up in the box's PATH */
	const char *const *env;		/* NAME=VALUE on top of the box's */
	const char *cwd;
	enum tbx_stdin input;		/* what the command's standard input is */
	const char *input_file;		/* TBX_STDIN_FILE: inside the box */
	bool terminal;			/* a terminal of its own; all output is descriptor 1's */
	uint32_t rows, columns;
	const char *term;
	uint64_t deadline, grace;	/* ns; the whole tree: SIGTERM, after the grace SIGKILL */
	uint64_t out_limit, err_limit;	/* bytes; what is over is dropped and counted */
	bool keep;			/* goes on, output to its log, when this caller is gone */
	bool log;			/* write its log also while it is watched */
	const char *label;
	uint64_t memory;		/* of this one alone, where cgroups allow */
	uint32_t pids, cpu;
	/* For tbx_exec(); nonzero ends the exec as a caller that is gone does. */
	int (*output)(void *ctx, int fd, const void *data, size_t n);
	/* Bytes of standard input: count, 0 at the end, -errno. */
	long (*read)(void *ctx, void *buf, size_t n);
	void *ctx;
};
#define TBX_EXEC_INIT { sizeof(struct tbx_exec), NULL, NULL, NULL, TBX_STDIN_NONE, NULL, false, 0, 0, \
	NULL, 0, 0, 0, 0, false, false, NULL, 0, 0, 0, NULL, NULL, NULL }

/*
 * Runs to the end. TBX_OK whatever the command's status, which the end record has. Both outputs
 * go to `output`, or are dropped.
 */
int tbx_exec(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
	     struct tbx_doc **end);
/* Starts it and leaves it: a process document. */
int tbx_spawn(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
	      struct tbx_doc **process);

/* ---- The same as a stream, for a loop of the caller's own ---- */

struct tbx_stream;

enum tbx_event {
	TBX_EVENT_NONE,		/* nothing yet: poll again */
	TBX_EVENT_STARTED,
	TBX_EVENT_OUT, TBX_EVENT_ERR,	/* data, n: valid until the next call */
	TBX_EVENT_END		/* tbx_stream_end(): the record; a log: what was written is over */
};

int tbx_stream_open(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
		    struct tbx_stream **out);
/* Comes back to a process that runs, or has ended. */
int tbx_stream_attach(struct tbx_store *store, const char *box, const char *proc,
		      struct tbx_stream **out);
int tbx_stream_logs(struct tbx_store *store, const char *box, const char *proc, bool follow,
		    uint64_t offset, struct tbx_stream **out);
/* The descriptor to poll, and for what (POLLIN, POLLOUT). */
int tbx_stream_fd(const struct tbx_stream *s);
short tbx_stream_poll(const struct tbx_stream *s);
/*
 * Never blocks. An error ends the stream. To be called at least each ten seconds or so: a server
 * that has been silent for long is lost.
 */
int tbx_stream_next(struct tbx_stream *s, enum tbx_event *event, const void **data, size_t *n);
/* Room for more standard input? Write only then, or all of it is kept in memory. */
bool tbx_stream_room(const struct tbx_stream *s);
int tbx_stream_write(struct tbx_stream *s, const void *data, size_t n);
int tbx_stream_close_input(struct tbx_stream *s);
int tbx_stream_resize(struct tbx_stream *s, uint32_t rows, uint32_t columns);
int tbx_stream_signal(struct tbx_stream *s, int signal);
const char *tbx_stream_proc(const struct tbx_stream *s);	/* its name; NULL: not yet */
const struct tbx_doc *tbx_stream_end(const struct tbx_stream *s);
void tbx_stream_close(struct tbx_stream *s);			/* before END: the caller is gone */

/* ---- Processes ---- */

int tbx_ps(struct tbx_store *store, const char *box, struct tbx_doc **doc);	/* processes [...] */
/* tree: SIGKILL to all it started. TBX_OK with *gone when it had ended. */
int tbx_kill(struct tbx_store *store, const char *box, const char *proc, int signal, bool tree,
	     bool *gone);
/* deadline 0: for ever */
int tbx_wait(struct tbx_store *store, const char *box, const char *proc, uint64_t deadline,
	     struct tbx_doc **end);

/* ---- Files ---- */

/*
 * One file, directory tree or symbolic link, in either direction. Whole or not at all for each
 * file, verified by SHA-256, modes and times kept. When `to` is a directory the copy is made in
 * it under its own name. A link is copied as a link. Inside names are the box's; on this side
 * nothing outside of what was named is read or written, whatever the box does meanwhile.
 */
int tbx_copy_in(struct tbx_store *store, const char *box, const char *from, const char *to,
		struct tbx_doc **doc);
int tbx_copy_out(struct tbx_store *store, const char *box, const char *from, const char *to,
		 struct tbx_doc **doc);

/* ---- Trees that are kept equal ---- */

/*
 * A directory here and one in a box, or (box NULL) of a machine, become equal, of which only the
 * differences travel: names, kinds, permissions, contents and links, by a fingerprint of all of
 * them. What the rules of .gitignore, .git/info/exclude and .boxignore files here leave out is
 * neither sent nor deleted on either side; nor is .git, unless it is asked for. The other side
 * changes whole or not at all, and its files are read each time, so tampering is seen.
 *
 * sync     status ("unchanged", "sent", "received", "planned", "refused"), fingerprint (64 hex digits),
 *          files, directories, links, deleted, bytes (of contents that travelled), trips (round
 *          trips), changes [{path, change ("added", "changed", "deleted", "mode"), type ("file",
 *          "directory", "link"), mode, size, link, runs (absent: nothing of the host runs it)}],
 *          skipped [{path, why}], git (bool: there is a .git that was left out)
 */
struct tbx_sync {
	size_t size;
	const char *dir;		/* here; NULL: the working directory */
	const char *box;		/* NULL: `target` */
	struct tbx_target target;
	const char *path;		/* there */
	bool git;			/* .git, too */
	bool all;			/* no rules: everything */
	bool dry;			/* only say what would be done */
	/* What travels: files and bytes of contents, done and in all. May be NULL. */
	void (*progress)(void *ctx, uint64_t files, uint64_t all_files, uint64_t bytes,
			 uint64_t all_bytes);
	/*
	 * tbx_sync_from(): shown all changes before anything here is touched; nonzero refuses them
	 * (status "refused"). NULL: they are taken. What was shown is what is written, or nothing.
	 */
	int (*review)(void *ctx, const struct tbx_doc *changes);
	void *ctx;
};
#define TBX_SYNC_INIT { sizeof(struct tbx_sync), NULL, NULL, { NULL, NULL, 0, NULL, NULL, false, NULL }, \
	NULL, false, false, false, NULL, NULL, NULL }

int tbx_sync_to(struct tbx_store *store, const struct tbx_sync *sync, struct tbx_doc **doc);
int tbx_sync_from(struct tbx_store *store, const struct tbx_sync *sync, struct tbx_doc **doc);

/* ---- Ports ---- */

/*
 * Listens here and carries each connection to a port inside a box, on whatever machine it is, to
 * 127.0.0.1 or ::1 inside; each direction ends by itself, and a slow side makes the other wait. Goes
 * on until the function answers nonzero: it is called for each port when it listens (its `host` is
 * then the port that was picked if it was 0), when a connection ends (why: NULL, or why it could not
 * be had), and each second (port NULL).
 */
typedef int tbx_forward_fn(void *ctx, const struct tbx_port *port, const char *why);
int tbx_forward(struct tbx_store *store, const char *box, const struct tbx_port *ports, size_t count,
		tbx_forward_fn *fn, void *ctx);

/* ---- What happened ---- */

/*
 * Lines of JSON of the box's audit log (NULL: of all boxes), oldest first: each exec, its end,
 * each decision. With `follow` it goes on until the function answers nonzero.
 */
typedef int tbx_event_fn(void *ctx, const char *box, const char *line);
int tbx_events(struct tbx_store *store, const char *box, bool follow, tbx_event_fn *fn, void *ctx);

/*
 * Verifies a box's audit log (NULL: the store's own): each line holds the SHA-256 of the one before
 * ("prev"), and the head beside it names the last. {box, path, lines, hash (of the last: to be
 * kept elsewhere), whole, why and line (where it is not)}; TBX_OK also when it is not whole.
 */
int tbx_audit(struct tbx_store *store, const char *box, struct tbx_doc **doc);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
