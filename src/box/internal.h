/*
 * What the files of this room share. Everything that is not in tinybox/box.h begins with bx_.
 * A bx_ function that can fail returns an enum tbx_status after bx_fail(), unless it says
 * otherwise.
 */
#ifndef BOX_INTERNAL_H
#define BOX_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tinybox/box.h>

#include "wire/wire.h"

#define BX_RECORD_VERSION 1
#define BX_NAME_MAX 64
#define BX_SECOND 1000000000ull

struct bx_conn;

struct tbx_doc {
	json_t *root;
};

struct tbx_store {
	struct tbx_options opt;
	char *path;		/* the directory */
	char *helpers;		/* where the servers' programs are; NULL: to be looked for */
	int dir, boxes, names;	/* it; its boxes/; its names/ */
	char tag[9];		/* sets this store's boxes apart on a machine that several use */
	char **hidden;		/* variables that no child gets; NULL: none */
	bool later;		/* many records are written, and synced together at the end */
	char *error;
	int error_status;	/* tbx_error_status() */
	/*
	 * Boxes for one exec stay locked as long as the store is open: where the lock can be had,
	 * their owner is dead.
	 */
	struct bx_held {
		struct bx_held *next;
		char id[BX_NAME_MAX + 1];
		int lock;
	} *held;
};

/* ---- Errors (error.c) ---- */

int bx_fail(struct tbx_store *store, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int bx_memory(struct tbx_store *store);
/* The caller's struct, of whatever version, into *whole, which holds the defaults; what: its name. */
int bx_take_options(struct tbx_store *store, void *whole, size_t size, const void *given, const char *what);
void bx_warn(struct tbx_store *store, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void bx_progress(struct tbx_store *store, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* malloc; NULL: no memory */
char *bx_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What others wrote, made fit for a message: control bytes and what is not ASCII become '?'. */
void bx_plain(char *s);

/* ---- Clocks and bytes (text.c) ---- */

uint64_t bx_now(void);			/* ns since 1970 */
uint64_t bx_ticks(void);		/* ns, monotonic */
/* Whether the bytes are UTF-8 without NUL. */
bool bx_is_utf8(const char *s, size_t n);
/* Characters that may stand in a remote command line whatever the login shell there is. */
bool bx_is_safe_word(const char *s);
char *bx_hex(const void *data, size_t n);	/* malloc */

/* ---- JSON (doc.c) ---- */

/* Takes the reference; NULL (no memory): the error. */
int bx_doc(struct tbx_store *store, json_t *root, struct tbx_doc **out);
/* A text of any bytes, and back: borrowed from the value, or NULL. */
json_t *bx_json_bytes(const char *s, size_t n);
json_t *bx_json_text(const char *s);		/* NULL gives a null */
json_t *bx_json_list(const char *const *list);	/* NULL: an empty one */
/* malloc; NULL: not a text (or no memory) */
char *bx_json_copy(const json_t *value);
/* Sets a member unless the value is null or NULL; takes the reference. */
void bx_put(json_t *object, const char *name, json_t *value);
void bx_put_number(json_t *object, const char *name, uint64_t n);
const char *bx_text(const json_t *object, const char *name);	/* a member; NULL */
uint64_t bx_number(const json_t *object, const char *name);	/* 0 if it is absent */
const json_t *bx_at(const json_t *root, const char *path);

/* ---- The store (store.c) ---- */

enum bx_lock { BX_LOCK_NONE, BX_LOCK_WRITE, BX_LOCK_TRY };

/* A box of the store, opened. */
struct bx {
	struct tbx_store *store;
	char id[BX_NAME_MAX + 1];
	int dir;		/* its directory in the store */
	int lock;		/* -1: not held */
	json_t *record;
};

/* The place of a new box: its number is used up, its directory is there and locked. */
int bx_new(struct tbx_store *store, bool sync, struct bx *b);
/* By id or name. TRY: TBX_ERR_BUSY when another process is at work on it. */
int bx_open(struct tbx_store *store, const char *name, enum bx_lock lock, struct bx *b);
bool bx_try_lock(struct bx *b);		/* false: another has it */
void bx_close(struct bx *b);
void bx_hold(struct bx *b);		/* keeps the lock for the store's life */
void bx_let_go(struct tbx_store *store, const char *id);
/* The record as it is now, whole or not at all. */
int bx_save(struct bx *b);
int bx_set_state(struct bx *b, const char *state);	/* and saves */
/* state.c: the same for a box that lives, also on a disk that is full; and what that left, when the record was read */
int bx_change_state(struct bx *b, const char *state);
void bx_read_note(struct bx *b);
void bx_warn_work_tree(struct bx *b);	/* worktree.c */
bool bx_is_state(const char *s);	/* record.c */
int bx_claim_name(struct bx *b, const char *name);
/* Takes the record, the name and the directory away: the last step of a removal. */
int bx_forget(struct bx *b);
/* Ids in the order of their numbers; NULL-terminated, free with bx_free_list(). */
int bx_ids(struct tbx_store *store, char ***ids);
void bx_free_list(char **list);
/* A lock of the whole store, for moments only; the descriptor, or an error. */
int bx_store_lock(struct tbx_store *store);
/* TBX_ERR_STORE with the reason: damaged. It is set aside as record.json.damaged-N if `aside`. */
int bx_read_record(struct bx *b, bool aside);
/* For those who keep other things in the store. */
/* The whole of a small file; malloc, NUL behind it. NULL: errno. */
char *bx_file_read(int dir, const char *name, size_t *size);
/* Beside it, then renamed over it. 0 or -1, errno. */
int bx_file_write(int dir, const char *name, const char *text, size_t n, bool sync);
/* Opened and locked, `how` as flock's. -1: errno. */
int bx_file_lock(int dir, const char *name, int create, int how);
/* A directory, made when it is not there. -1: errno. */
int bx_dir_make(int at, const char *name);
/* Names in a directory, none that begins with a dot, in the order of their numbers. NULL: no memory. */
char **bx_names_in(int dir);
/* 7 of "box-7"; 0: it has none, or not that prefix (NULL: any). */
uint64_t bx_number_of(const char *id, const char *prefix);
/* Removes a tree below a directory, by descriptors; never follows a link. */
int bx_remove_tree(int dir, const char *name);

/* ---- Records (record.c) ---- */

/* Brings an older record up to BX_RECORD_VERSION. False: *why. */
bool bx_is_newer(const json_t *record);
bool bx_upgrade(json_t *record, const char **why);
/* The document of a box for callers; new reference. */
json_t *bx_box_doc(const struct bx *b);
bool bx_expired(const json_t *record, uint64_t now);

/* ---- Processes of a box whose server is gone (past.c) ---- */

json_t *bx_past(struct bx *b);				/* all, each ended */
json_t *bx_past_end(struct bx *b, const char *proc);	/* NULL: not known */

/* ---- What only the kernel still knows (kernel.c) ---- */

bool bx_group_id(const struct tbx_store *store, const char *name, char id[BX_NAME_MAX + 1]);
/* Control groups of this store's boxes on this machine, each with the directory it is in. */
void bx_groups(struct tbx_store *store,
	       void (*found)(void *ctx, const char *id, int dir, const char *group), void *ctx);
int bx_sweep_group(struct tbx_store *store, const char *id);
/* What may be on this machine of a box of which only the number is known (reap.c). */
int bx_remove_place(struct bx *b);

/* ---- Container engines (engines.c) ---- */

/* Before a box's container can be there: reap will look on that machine. */
int bx_note_engine(struct bx *b);
bool bx_has_engine(struct tbx_store *store, const json_t *target);
typedef void bx_stray_fn(void *ctx, const char *path, const char *why, int status);
/* What engines have of boxes that are not in the store. */
void bx_engine_reap(struct tbx_store *store, bool dry, json_t *dead, bx_stray_fn *found, void *ctx);

/* ---- What a box is (spec.c) ---- */

/* A new record of the spec, checked: no id, no place yet. */
int bx_record_of(struct tbx_store *store, const struct tbx_spec *spec, json_t **record);
int bx_target_of(struct tbx_store *store, const struct tbx_target *target, json_t **out);
/* machine.c: of the microvm sandbox. */
bool bx_is_machine(const json_t *record);
int bx_put_machine(struct tbx_store *store, const struct tbx_spec *spec, const json_t *record,
		   json_t *out);
/* Secrets (secret.c): into the record's spec; whether its sandbox can have them. */
int bx_put_secrets(struct tbx_store *store, const struct tbx_spec *spec, json_t *out);
int bx_check_secrets(struct tbx_store *store, const json_t *record);
/*
 * Reads the values and starts tinybox-egress, which ends unless its conversation is open until the box's server has
 * answered START. No secrets: nothing, *ca is NULL. Then what the box gets to know: in START, in its files.
 */
int bx_secrets_start(struct bx *b, struct bx_conn *c, char **ca);
void bx_secrets_message(const struct bx *b, struct wire_out *o);
int bx_secrets_trust(struct bx *b, const char *ca);
/* No placeholders, which are one box's; nor (sources) what only this machine's user has. */
void bx_secrets_strip(json_t *spec, bool sources);
/* The placeholders of a snapshot with memory, for secrets of the same name. */
void bx_secrets_adopt(json_t *spec, const json_t *from);
/* What a container is made from (image.c): into the record's spec, and into START. */
int bx_spec_image(struct tbx_store *store, const struct tbx_spec *spec, const json_t *record,
		  json_t *out);
void bx_put_image(struct wire_out *o, const json_t *image);

/* ---- A repository as the workspace (git.c) ---- */

int bx_git_source(struct tbx_store *store, const struct tbx_spec *spec, json_t *source);
bool bx_is_git(const json_t *record);
/* Cloned here, by the system's git, and copied into the box, which runs. */
int bx_git_fill(struct bx *b);
/* tbx_copy_in for a box whose lock is held. */
int bx_copy_in(struct bx *b, const char *from, const char *to);

/* ---- Conversations (conn.c) ---- */

struct bx_conn {
	struct tbx_store *store;
	int fd;			/* -1: closed */
	pid_t child;		/* that is at the other end; 0: none */
	int child_err;		/* its standard error, a sealed file; -1 */
	struct wire_in in;
	struct wire_out out;
	char what[96];		/* who is spoken to, for messages */
	bool greeted;		/* our HELLO is sent */
	bool noisy;		/* other words may come before HELLO: dropped */
	json_t *hello;		/* the server's: kind, box, capabilities [...] */
};

/*
 * Starts a program in a process group of its own, with no signal ignored or blocked. argv[0] is its path; fd: what
 * becomes 0 (-1: /dev/null), 1 and 2. An errno, or 0.
 */
int bx_start_child(const char *const *argv, char *const *env, const int fd[3], pid_t *pid);
/* The same with a socket as its stdin and stdout. */
int bx_spawn(struct tbx_store *store, const char *const *argv, const char *what,
	     struct bx_conn *c);
/* All of data there, its end, then all that comes back (a text; malloc): no frames. */
int bx_exchange(struct bx_conn *c, const void *data, size_t n, uint64_t deadline, char **out);
/* Waits until a HELLO begins in what comes, and drops what a login shell said before. */
int bx_peek_hello(struct bx_conn *c, uint64_t deadline);
/* A whole file here; malloc. */
int bx_read_all(struct tbx_store *store, const char *path, char **data, size_t *n);
/* HELLO both ways; `deadline` in bx_ticks(). */
int bx_hello(struct bx_conn *c, uint64_t deadline);
/* Sends all that is in `out`. */
int bx_send(struct bx_conn *c, uint64_t deadline);
/* The next frame; a stream that ends is TBX_ERR_LOST. deadline 0: for ever. */
int bx_receive(struct bx_conn *c, struct wire_frame *f, uint64_t deadline);
/* The next frame must be OK: an ERROR becomes this call's error. */
int bx_answer(struct bx_conn *c, struct wire_frame *f, uint64_t deadline);
/* Both, with a step's patience for each. */
int bx_ask(struct bx_conn *c, struct wire_frame *f);
int bx_wire_error(struct bx_conn *c, const struct wire_frame *f);
void bx_conn_close(struct bx_conn *c);
/* What the child said on its standard error, one line; malloc, NULL: nothing. */
char *bx_child_said(struct bx_conn *c);
/* Deadline of a step, from now. */
uint64_t bx_step(const struct tbx_store *store);
/* Fields of an answer to JSON. NULL: damaged, or no memory. */
json_t *bx_end_json(struct wire_iter it);
json_t *bx_process_json(struct wire_iter it);
void bx_reports(struct wire_iter it, json_t *record);

/* ---- Hosts (host.c: which; local.c, ssh.c: how) ---- */

/* io.c: n bytes, or errno; of a file that ends before them errno is 0. */
/*
 * take.c: DATA_OUT frames until another one, *f, each to put(); ERROR is a status already. wait: for each, 0: a step. The
 * digest is of all bytes; is_hash: the frame has it, too.
 */
typedef int bx_take_fn(void *ctx, const void *data, size_t n);
int bx_take_data(struct bx_conn *c, uint64_t wait, bx_take_fn *put, void *ctx, struct wire_frame *f,
		 uint8_t hash[32]);
bool bx_is_hash(const struct wire_frame *f, const uint8_t hash[32]);
bool bx_write_bytes(int fd, const void *data, size_t n);
bool bx_read_bytes(int fd, void *data, size_t n);

/* A conversation with the box's server; HELLO is done. */
int bx_connect(struct bx *b, struct bx_conn *c);
/* The same without a word yet: for a loop that has other things to do. */
int bx_connect_soon(struct bx *b, struct bx_conn *c);
int bx_ssh_soon(struct tbx_store *store, const json_t *target, const char *operand,
		struct bx_conn *c);
/* Drops what came before HELLO. False: more is to come; too much: in.error. */
bool bx_drop_noise(struct bx_conn *c);
int bx_connect_now(struct bx *b, struct bx_conn *c);	/* whatever state its record tells */
int bx_connect_by(struct bx *b, struct bx_conn *c, uint64_t deadline);
/* `tinybox-init host` on that machine; HELLO is done. */
int bx_host(struct tbx_store *store, const json_t *target, struct bx_conn *c);
/* bx_hello() is left to do. */
int bx_host_begin(struct tbx_store *store, const json_t *target, struct bx_conn *c);
/* One of our programs on that machine ("tinybox-engine", "merge"); HELLO is done. */
int bx_program(struct tbx_store *store, const json_t *target, const char *name, const char *mode,
	       struct bx_conn *c);
/* Starts a box's server, whose START is in c->out afterwards; HELLO is done. */
int bx_serve(struct bx *b, struct bx_conn *c);
/* The state directory of a new box on its host, made if the host is this one. */
int bx_place(struct bx *b);
int bx_host_remove(struct bx *b, bool force);
/* Path of a helper program ("tinybox-init") here; malloc. */
int bx_helper(struct tbx_store *store, const char *name, char **path);
int bx_ssh_spawn(struct tbx_store *store, const json_t *target, const char *program,
		 const char *mode, const char *operand, struct bx_conn *c);
/*
 * The directory on the other machine in which state directories are; malloc. With a name: one of
 * them, which is made.
 */
int bx_ssh_place(struct tbx_store *store, const json_t *target, const char *name, char **path);
int bx_ssh_read(struct tbx_store *store, const json_t *target, const char *path, char **text);
bool bx_is_ssh(const json_t *target);
/* A list of machines that did not answer, so that each is waited for once. */
bool bx_is_dead(const json_t *dead, const json_t *target);
void bx_note_dead(json_t *dead, const json_t *target, int status);
/* "ssh:user@name", "local"; malloc */
char *bx_target_text(const json_t *target);
/* The command line of ssh up to the remote command, for a plan. */
json_t *bx_ssh_words(const struct tbx_store *store, const json_t *target);
bool bx_is_destination(const char *s);

/* ---- The box's start (start.c) ---- */

/* A box of a record that is whole but for its id; takes the reference. */
int bx_create_of(struct tbx_store *store, json_t *record, struct tbx_doc **box);
/* Finishes syncs in the middle of which the box's server was killed. (sync_mark.c) */
void bx_sync_finish(struct bx *b);
/* Starts the server of a box whose record is whole, and notes what it answered. */
int bx_start_server(struct bx *b);
/* Everything of a box whose lock is held. force: also when its host does not answer. */
int bx_destroy(struct bx *b, bool force);

/* ---- Files of a host's directory that the host obeys (trust.c) ---- */

void bx_note_trusted(struct bx *b);	/* before the box can write */
void bx_tell_trusted(struct bx *b);	/* when it no more can: a warning and an event */

/* ---- What runs in a box when it comes to life (hook.c) ---- */

/* autosnap.c */
int bx_put_autosnapshot(struct tbx_store *store, const struct tbx_spec *spec, json_t *out);
int bx_put_hooks(struct tbx_store *store, const struct tbx_spec *spec, json_t *out);
/* why: "create", "restore", "start". TBX_ERR_HOOK: one failed, and that matters. */
int bx_run_hooks(struct bx *b, const char *why);

/* One request whose answer is OK. The answer's frame is valid until the connection closes. */
struct bx_call {
	struct bx b;
	struct bx_conn c;
};
int bx_call_begin(struct tbx_store *store, const char *box, enum wire_type type,
		  struct bx_call *call);
int bx_call_end(struct bx_call *call, struct wire_frame *answer, uint64_t deadline);
void bx_call_close(struct bx_call *call);

/* A line of the box's own log on this side: what was done to it as a whole. */
void bx_audit(struct bx *b, const char *event, json_t *fields);

#endif
