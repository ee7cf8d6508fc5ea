/*
 * The protocol of a box's server (tinybox-init, tinybox-engine) with its clients. docs/adr/0007
 * says why it is so.
 *
 * One stream carries one operation. Both sides begin with HELLO. The client then sends one
 * request; what follows is listed with the request; the server ends with END, OK or ERROR and
 * closes. All integers are little-endian.
 *
 *	frame    u32 size of what follows | u8 type | body
 *	body     bytes (DATA frames), or fields (all others)
 *	field    u16 name | u32 size | bytes
 *
 * A frame is at most WIRE_FRAME_MAX, a data frame at most WIRE_DATA_MAX. Fields may repeat where
 * it is said (lists keep their order). A reader skips fields it does not know: a newer client
 * asks for what an older server lacks only after HELLO has said so. An unknown frame type, a
 * field of the wrong size, a frame too long: the stream is closed with ERROR.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAGIC	"tinybox"
#define WIRE_VERSION	1u
#define WIRE_FRAME_MAX	(4u << 20)
#define WIRE_DATA_MAX	(64u << 10)

/* Secrets of a box: how many, the hosts of one, bytes of a value. A shorter one could not be told from other words. */
#define WIRE_SECRETS_MAX	32u
#define WIRE_SECRET_HOSTS_MAX	64u
#define WIRE_SECRET_MIN		8u
#define WIRE_SECRET_MAX		8192u

enum wire_type {
	/*
	 * Both ways, first. MAGIC, VERSION; from the server also BOX (its id), KIND, CAPABILITY
	 * (repeated).
	 */
	WIRE_HELLO = 1,

	/*
	 * Ends. OK: the operation's answer (fields with the request). ERROR: CODE (a word of enum
	 * wire_error), TEXT (a sentence: what, where, what to do), ERRNO where the kernel gave
	 * one.
	 */
	WIRE_OK = 2,
	WIRE_ERROR = 3,

	/*
	 * EXEC: ARG (repeated, at least one), ENV (repeated NAME=VALUE, on top of the box's),
	 * CWD, STDIN (u8 enum wire_stdin), TERMINAL (u8), ROWS, COLUMNS, TERM, DEADLINE (u64 ns
	 * of wall time, 0 none), GRACE (u64 ns from SIGTERM to SIGKILL at the deadline, 0: KILL
	 * at once), OUT_LIMIT and ERR_LIMIT (u64 bytes; what is over is dropped, counted, and
	 * told in the record), KEEP (u8: caller gone, command goes on, its output goes to the
	 * log), DETACH (u8: answer STARTED and close; implies KEEP), LOG (u8: also write the
	 * log), LABEL, MEMORY, PIDS, CPU (of this exec alone, where cgroups allow).
	 *
	 * Then: STARTED; DATA_OUT, DATA_ERR, ALIVE from the server; DATA_IN, CLOSE_IN, RESIZE,
	 * SIGNAL from the client at any time; END last. A stream that breaks before END means:
	 * kill the tree, unless KEEP.
	 */
	WIRE_EXEC = 10,
	/* PROC (its name: p1, p2 ... never reused in a box), PID (inside the wall) */
	WIRE_STARTED = 11,
	WIRE_DATA_IN = 12,	/* bytes */
	WIRE_CLOSE_IN = 13,	/* no fields: end of file on the command's stdin */
	WIRE_DATA_OUT = 14,	/* bytes; a terminal's output is all DATA_OUT */
	WIRE_DATA_ERR = 15,
	WIRE_RESIZE = 16,	/* ROWS, COLUMNS */
	/* SIGNAL (u32): to the command's process group; on a terminal to its foreground group */
	WIRE_SIGNAL = 17,
	/*
	 * no fields: each 10 s of silence, so that nothing on the way thinks the stream is dead
	 */
	WIRE_ALIVE = 18,
	/*
	 * The end record. PROC, REASON (u8 enum wire_reason), STATUS (u32: what a shell's $?
	 * would be, 128+n for a signal), SIGNAL (u32, 0 none), CORE (u8), WALL, USER, SYSTEM (u64
	 * ns; the whole tree), PEAK (u64 bytes), PEAK_BY ("cgroup", "rusage"), OUT_BYTES,
	 * ERR_BYTES (u64, all that were written), OUT_DROPPED, ERR_DROPPED (u64), LIMIT (name of
	 * the limit that fired), STARTED_AT, ENDED_AT (u64 ns since 1970), TEXT (a sentence where
	 * the reason needs one), LEFT (u32: processes of its tree that still ran at its end and
	 * were left or killed).
	 */
	WIRE_END = 19,

	/*
	 * The box's processes (of exec). PS: OK with PROCESS (repeated; nested: PROC, PID, ARG...,
	 * STATE (u8: 0 running, 1 ended), STARTED_AT, and all of END when it has ended).
	 */
	WIRE_PS = 20,
	/*
	 * PROC, SIGNAL; TREE (u8: SIGKILL the whole tree). OK; already gone: OK with GONE (u8 1)
	 */
	WIRE_KILL = 21,
	WIRE_WAIT = 22,		/* PROC, DEADLINE. END (or ERROR timeout) */
	/*
	 * PROC, FOLLOW (u8), OFFSET (u64 bytes of both streams' output). DATA_OUT, DATA_ERR as they
	 * were written; then OK with OFFSET (where to go on) and OUT_DROPPED (what was asked for and
	 * is no longer kept)
	 */
	WIRE_LOGS = 23,
	/*
	 * PROC: as an EXEC whose client came back: STARTED, DATA_* from now on, END. stdin only if
	 * it was a stream. What was written meanwhile is in the log.
	 */
	WIRE_ATTACH = 24,

	/*
	 * Files inside the box, as its processes see them. Names are bytes; relative ones start
	 * at the box's cwd. Answers carry one STAT (nested: NAME, MODE (u32 st_mode), SIZE, MTIME
	 * (u64 ns), UID, GID, LINK target) a file.
	 */
	/*
	 * PATH, OFFSET, SIZE (0: to the end). OK with STAT, then DATA_OUT..., then OK with HASH
	 * (SHA-256, 32 bytes) of what was sent
	 */
	WIRE_READ = 30,
	/*
	 * PATH, MODE (absent: that of the file it replaces, or 0644), MTIME, EXCLUSIVE (u8), then
	 * DATA_IN..., CLOSE_IN. Written beside it, synced, renamed: whole or not at all; a link in
	 * its place is replaced, not followed. MORE (u8): one of many, not synced. OK with HASH
	 */
	WIRE_WRITE = 31,
	/*
	 * PATH. OK with STAT (repeated), . and .. not among them; more than a frame: several OK
	 * with MORE (u8 1)
	 */
	WIRE_LIST = 32,
	WIRE_STAT = 33,		/* PATH, FOLLOW (u8) */
	WIRE_MKDIR = 34,	/* PATH, MODE, PARENTS (u8) */
	WIRE_SYMLINK = 35,	/* PATH, LINK */
	WIRE_REMOVE = 36,	/* PATH, PARENTS (u8: with all below) */

	/*
	 * A TCP port inside the box: PORT (u32). OK, then DATA_IN / DATA_OUT both ways, CLOSE_IN
	 * closes one direction.
	 */
	WIRE_CONNECT = 40,

	/*
	 * A tree of files as a whole, in one connection (docs/adr/0013; src/tree has what ENTRIES are).
	 * Also to `tinybox-init host`, whose files are the machine's.
	 *
	 * TREE: PATH (a directory), STATE (u8 enum wire_tree), HASH (32 bytes, the client's own for this
	 * tree: what it began and did not finish is known by it). LOOK and SYNC: no answer yet; the
	 * client says with TREE_KNOWN which directories it has, then asks with TREE_LIST. With GONE (u8 1): a
	 * TREE_LIST with nothing but GONE comes at once if there is no directory, so that the client needs to say
	 * and ask nothing. SYNC makes the directory when it is missing and something is put there, and is refused
	 * (busy) while another one is at work there.
	 */
	WIRE_TREE = 41,
	WIRE_TREE_KNOWN = 42,	/* ENTRIES: directories with their digests, names are paths below PATH */
	/*
	 * From the client, without PATH: TREE_LIST for each directory that both have and whose digest
	 * is not the client's (one that only the server has is an entry, not looked into), then OK
	 * with HASH, the tree's (GONE, u8 1: there was no directory). With PATH (repeated; below TREE's; empty: itself): of each of them
	 * and all below. With MORE (u8 1): no answer; the directories of TREE_KNOWN so far are read, and will be named
	 * again, with the digests that count. From the server: PATH, ENTRIES; a long one in several.
	 */
	WIRE_TREE_LIST = 43,
	/* PATH (repeated). For each: TREE_PUT, DATA_OUT..., TREE_END; then OK */
	WIRE_TREE_GET = 44,
	/*
	 * PATH, MODE (with its kind), MTIME, LINK (of a link). A file: DATA_IN..., TREE_END. SYNC: nothing
	 * of it is seen before CLOSE_IN. PLAIN: each is put in its place at once.
	 */
	WIRE_TREE_PUT = 45,
	WIRE_TREE_END = 46,	/* HASH of the file's content */
	WIRE_TREE_MODE = 47,	/* PATH, MODE */
	WIRE_TREE_REMOVE = 48,	/* PATH, with all below */
	/* CLOSE_IN: all that was said becomes the tree, whole or not at all. OK */

	/* The box as a whole. */
	/*
	 * OK: BOX, KIND, PID, STARTED_AT, REPORT (repeated), STATE (u8: 0 running, 1 paused, 2
	 * stopping), PIDS (u32: processes of its execs now); PEAK, USER, SYSTEM where they are known
	 */
	WIRE_INFO = 50,
	/*
	 * freezes every process of the box. HOLD (u8): only until this connection ends, after which
	 * all is as it was; OK comes when it is frozen. MEMORY (u8), with HOLD, of a micro-VM: and its
	 * memory is written, for WIRE_LAYER_SEAL to take
	 */
	WIRE_PAUSE = 51,
	WIRE_RESUME = 52,
	/* GRACE: SIGTERM to all, then SIGKILL; the server ends after its OK */
	WIRE_STOP = 53,

	/*
	 * What the box has written until now is set aside in its state directory, for
	 * WIRE_LAYER_SEAL to take; what it writes from now on is another set. OK
	 */
	WIRE_SEAL = 54,

	/*
	 * To `tinybox-init serve`, on its stdin; it answers on stdout and leaves the server
	 * behind.
	 */
	/*
	 * SPEC fields, below. OK: PID, REPORT (repeated), PUBLISH (repeated, with the host's port
	 * that was found). Nothing is left behind after ERROR
	 */
	WIRE_START = 60,
	/*
	 * To `tinybox-egress serve`, before START of the box: DIR, BOX, CA (PEM: authorities to trust beside
	 * the machine's), SECRET (repeated; nested: NAME, PLACEHOLDER, VALUE, ADDRESS (repeated: HOST:PORT, or
	 * http://HOST:PORT)). OK: PID, CA (PEM: the box's own authority). It stays while this conversation
	 * is open, then as long as the box's keeper holds DIR/secrets (hand.h).
	 */
	WIRE_SECRETS = 61,

	/*
	 * To `tinybox-init host`, on its stdin: any number of requests in a row, each answered by
	 * OK or ERROR.
	 */
	WIRE_PROBE = 70,	/* OK: PROBE (repeated; nested: NAME, STATE, TEXT, FIX) */
	/* DIR: a box's state directory, with all that is mounted or runs there */
	WIRE_HOST_REMOVE = 71,
	/*
	 * DIR: OK with BOX (repeated; nested: BOX (the directory's name), PID of its keeper, STATE
	 * (u8: 0 runs, 1 does not)) of what is there
	 */
	WIRE_HOST_BOXES = 72,
	WIRE_HOST_START = 73,	/* DIR and START's fields: as serve */
	/* DIR: from here on the stream is that box's socket: the server's HELLO follows */
	WIRE_HOST_OPEN = 74,

	/*
	 * A container engine (docker, podman). LIST: LABEL (a store's tag); OK: BOX (repeated; nested:
	 * BOX, the name its container or image bears, and NAME, which one it is); with IMAGE (a
	 * repository) its images alone, of which BOX is the tag. DROP: NAME; with DIR by the engine of
	 * the box there. OK.
	 * COMMIT: DIR (a box's state directory), IMAGE (REPOSITORY:TAG). What is in the container,
	 * frozen meanwhile, becomes that image, without its workspace if that is the host's. OK: HASH
	 * (of its id, 32 bytes), SIZE. LOOK: IMAGE. OK as COMMIT, or ERROR file: there is none
	 */
	WIRE_ENGINE_LIST = 76,
	WIRE_ENGINE_DROP = 77,
	WIRE_ENGINE_COMMIT = 78,
	WIRE_ENGINE_LOOK = 79,

	/*
	 * Layers: what boxes wrote, sealed (docs/adr/0009). LAYERS is the directory of all, LAYER
	 * the name of one. Each can be asked again after a crash and does what is left to do.
	 *
	 * SEAL: LAYERS, LAYER, DIR (the box's state directory), KIND, COPY (u8: the box lives on
	 * what it has; otherwise it is moved), MEMORY (u8: also what a PAUSE of the box wrote of it). OK with GONE (u8 1: there was nothing to move).
	 */
	WIRE_LAYER_SEAL = 80,
	/*
	 * Reads all of it and writes its manifest. OK: HASH (of the manifest), SIZE, COUNT
	 */
	WIRE_LAYER_HASH = 81,
	/*
	 * HASH (the manifest's), FOLLOW (u8: read every byte, whatever its times say). OK, or ERROR
	 * file: damaged
	 */
	WIRE_LAYER_CHECK = 82,
	WIRE_LAYER_LIST = 83,		/* OK: LAYER (repeated) */
	WIRE_LAYER_REMOVE = 84,
	/* the manifest: DATA_OUT..., then OK */
	WIRE_LAYER_READ = 85,
	/* all of it: DATA_OUT..., then OK with HASH (of what was sent) */
	WIRE_LAYER_EXPORT = 86,
	/* DATA_IN..., CLOSE_IN; OK as HASH answers. Hostile until then. */
	WIRE_LAYER_IMPORT = 87,
	/* FROM (repeated, lowest first) become one, LAYER. OK */
	WIRE_LAYER_MERGE = 88,
	/*
	 * Of a container engine: its own archive of the image with the id HASH, into a new LAYER. And back: of an
	 * imported one, for which the engine gets the name IMAGE. OK, or ERROR file
	 */
	WIRE_ENGINE_SAVE = 89,
	WIRE_ENGINE_LOAD = 90,
};

/* PLAIN: a copy, nothing is compared */
enum wire_tree { WIRE_TREE_LOOK, WIRE_TREE_SYNC, WIRE_TREE_PLAIN };

/* FILE: PATH, inside the box */
enum wire_stdin { WIRE_STDIN_NONE, WIRE_STDIN_STREAM, WIRE_STDIN_FILE };

enum wire_reason {
	WIRE_BY_EXIT, WIRE_BY_SIGNAL, WIRE_BY_TIMEOUT, WIRE_BY_OOM, WIRE_BY_PIDS, WIRE_BY_QUOTA,
	WIRE_BY_LOST,
	/* cancel: killed by `kill`, `stop` or because its caller was gone */
	WIRE_BY_POLICY, WIRE_BY_CANCEL,
};

/*
 * REPORT, nested: CONTROL (what was asked for), ASKED, and BY (what enforces it) or WHY it is not
 * and FIX.
 */
enum wire_field {
	/*
	 * text is UTF-8 without NUL; names, arguments and paths are bytes without NUL; u8, u32,
	 * u64 as in the comments
	 */
	WIRE_F_MAGIC = 1, WIRE_F_VERSION, WIRE_F_BOX, WIRE_F_KIND, WIRE_F_CAPABILITY, WIRE_F_CODE,
	WIRE_F_TEXT, WIRE_F_ERRNO,
	WIRE_F_ARG = 20, WIRE_F_ENV, WIRE_F_CWD, WIRE_F_STDIN, WIRE_F_TERMINAL, WIRE_F_ROWS,
	WIRE_F_COLUMNS, WIRE_F_TERM,
	WIRE_F_DEADLINE, WIRE_F_GRACE, WIRE_F_OUT_LIMIT, WIRE_F_ERR_LIMIT, WIRE_F_KEEP,
	WIRE_F_DETACH, WIRE_F_LOG, WIRE_F_LABEL,
	WIRE_F_MEMORY, WIRE_F_PIDS, WIRE_F_CPU,
	WIRE_F_PROC = 50, WIRE_F_PID, WIRE_F_SIGNAL, WIRE_F_REASON, WIRE_F_STATUS, WIRE_F_CORE,
	WIRE_F_WALL, WIRE_F_USER,
	WIRE_F_SYSTEM, WIRE_F_PEAK, WIRE_F_PEAK_BY, WIRE_F_OUT_BYTES, WIRE_F_ERR_BYTES,
	WIRE_F_OUT_DROPPED, WIRE_F_ERR_DROPPED,
	WIRE_F_LIMIT, WIRE_F_STARTED_AT, WIRE_F_ENDED_AT, WIRE_F_LEFT, WIRE_F_STATE,
	WIRE_F_PROCESS, WIRE_F_TREE, WIRE_F_GONE,
	WIRE_F_FOLLOW, WIRE_F_OFFSET, WIRE_F_MORE,
	WIRE_F_PATH = 90, WIRE_F_SIZE, WIRE_F_MODE, WIRE_F_MTIME, WIRE_F_UID, WIRE_F_GID,
	WIRE_F_LINK, WIRE_F_NAME, WIRE_F_HASH,
	WIRE_F_EXCLUSIVE, WIRE_F_PARENTS, WIRE_F_STAT, WIRE_F_PORT, WIRE_F_ENTRIES,
	WIRE_F_PROBE = 110, WIRE_F_FIX, WIRE_F_DIR, WIRE_F_REPORT, WIRE_F_CONTROL, WIRE_F_ASKED,
	WIRE_F_BY, WIRE_F_WHY,
	/*
	 * What a box is (START): BOX, KIND ("passthrough", "namespace", "docker"), DIR (the state
	 * directory, made by the caller, mode 0700), ENV (repeated), CWD, UID, GID, HOSTNAME;
	 * ROOT (a directory that becomes the lower layer of /; none: the host's /usr), WORKSPACE
	 * (host directory) with TARGET (where it is inside, /workspace; without WORKSPACE: an
	 * empty directory there) and READONLY (u8);
	 * MEMORY, PIDS, CPU (thousandths of a core), DISK (bytes), OPEN_FILES; NETWORK ("none",
	 * "egress", "open"), ALLOW (repeated NAME:PORT), PUBLISH (repeated; nested: PORT,
	 * HOST_PORT, ADDRESS); ACCEPT (repeated: a control that may stay unenforced); LAYERS and
	 * LAYER (repeated, lowest first): what the box begins from, below what it writes. Of KIND
	 * "docker": IMAGE (a reference of the engine's) or ROOT (a directory, or an archive), and
	 * READONLY_ROOT (u8).
	 */
	WIRE_F_HOSTNAME = 130, WIRE_F_ROOT, WIRE_F_WORKSPACE, WIRE_F_TARGET, WIRE_F_READONLY,
	WIRE_F_DISK, WIRE_F_OPEN_FILES,
	WIRE_F_NETWORK, WIRE_F_ALLOW, WIRE_F_PUBLISH, WIRE_F_HOST_PORT, WIRE_F_ADDRESS,
	WIRE_F_ACCEPT,
	WIRE_F_LAYERS = 150, WIRE_F_LAYER, WIRE_F_COPY, WIRE_F_HOLD, WIRE_F_COUNT, WIRE_F_FROM,
	/* START, u8: for one exec. What it writes to its root may be kept in memory */
	WIRE_F_TRANSIENT = 170,
	/* START: a directory for what all boxes of a host begin from; made when it is missing */
	WIRE_F_CACHE = 171,
	WIRE_F_IMAGE = 180, WIRE_F_READONLY_ROOT,
	/* a micro-VM's: KERNEL (a directory), ACCEL ("auto", "kvm", "tcg") */
	WIRE_F_KERNEL = 190, WIRE_F_ACCEL,
	/* START, u64: the lowest number of a process that was never given */
	WIRE_F_NEXT,
	/* START: in a guest, the socket on which connections to the proxy go outside */
	WIRE_F_RELAY,
	/* of an entry in a layer's archive, repeated: the name of an attribute, NUL, its value */
	WIRE_F_ATTRIBUTE,
	/* SECRETS. In START each SECRET is a text, HOST:PORT or http://HOST:PORT, and there is no value */
	WIRE_F_SECRET = 200, WIRE_F_PLACEHOLDER, WIRE_F_VALUE, WIRE_F_CA,
	/* START, repeated: a device of the host, below /dev, for a box behind namespace or docker */
	WIRE_F_DEVICE = 210,
	/* START, u8: what ALLOW does not have is written down and not refused */
	WIRE_F_REPORT_ONLY,
};

/*
 * Codes of ERROR. "no-command": the program was not found (a shell would say 127) or may not be
 * run (126: ERRNO is not ENOENT): the exec's end record would be a lie, as nothing ran. "policy":
 * asked for what cannot be enforced and was not accepted.
 */
#define WIRE_ERROR_CODES \
	X(PROTOCOL, "protocol") X(REQUEST, "request") X(NO_COMMAND, "no-command") \
	X(NO_PROCESS, "no-process") X(FILE, "file") X(POLICY, "policy") X(LIMIT, "limit") \
	X(TIMEOUT, "timeout") X(BUSY, "busy") X(SYSTEM, "system") \
	X(UNSUPPORTED, "unsupported") X(STATE, "state")

enum wire_error {
#define X(name, word) WIRE_ERROR_##name,
	WIRE_ERROR_CODES
#undef X
};

/*
 * A message being written: memory grows by realloc; `failed` sticks when it could not or a size
 * is too large.
 */
struct wire_out {
	uint8_t *data;
	size_t size, cap;
	size_t open;		/* where the open frame's fields begin; 0: none is open */
	bool failed;
};

/* a frame; frames may follow one another */
void wire_begin(struct wire_out *o, enum wire_type type);
void wire_end(struct wire_out *o);
void wire_bytes(struct wire_out *o, enum wire_field name, const void *data, size_t size);
/* NULL: no field */
void wire_text(struct wire_out *o, enum wire_field name, const char *text);
void wire_u8(struct wire_out *o, enum wire_field name, unsigned value);
void wire_u32(struct wire_out *o, enum wire_field name, uint32_t value);
void wire_u64(struct wire_out *o, enum wire_field name, uint64_t value);
/* a nested list: its fields follow; */
size_t wire_nest(struct wire_out *o, enum wire_field name);
void wire_unnest(struct wire_out *o, size_t mark);		/* until this */
/* bytes as they are: whole frames, or fields inside a frame, that were made before */
void wire_raw(struct wire_out *o, const void *data, size_t size);
/* whole frames of DATA */
void wire_data(struct wire_out *o, enum wire_type type, const void *data, size_t size);
void wire_consume(struct wire_out *o, size_t n);		/* the first n bytes were sent */
void wire_free(struct wire_out *o);

/* A frame that was read: points into the reader's buffer, valid until the next wire_next(). */
struct wire_frame {
	enum wire_type type;
	const uint8_t *body;
	size_t size;
};

struct wire_in {
	uint8_t *data;
	size_t start, size, cap;
	const char *error;	/* why the stream is not the protocol; NULL: fine */
};

/* where the next n bytes may be put; NULL: no memory */
uint8_t *wire_room(struct wire_in *in, size_t n);
void wire_got(struct wire_in *in, size_t n);
/* false: not whole yet, or in->error */
bool wire_next(struct wire_in *in, struct wire_frame *f);
/* The same, from a descriptor that is read until there is one; false: its end, an error, or patience_ms without a byte (begin.c). */
bool wire_wait(struct wire_in *in, struct wire_frame *f, int fd, int patience_ms);
/* All of o, which is freed; false: it could not be written, or o had failed (begin.c). */
bool wire_say(int fd, struct wire_out *o);
/* A HELLO of this version (begin.c). */
bool wire_is_hello(const struct wire_frame *f);
void wire_in_free(struct wire_in *in);

/* The fields of a frame or of a nested list. */
struct wire_field_in {
	enum wire_field name;
	const uint8_t *data;
	size_t size;
};

struct wire_iter {
	const uint8_t *at, *end;
	bool bad;		/* the list is damaged: everything taken from it is void */
};

struct wire_iter wire_fields(const struct wire_frame *f);
struct wire_iter wire_nested(const struct wire_field_in *f);
bool wire_step(struct wire_iter *it, struct wire_field_in *f);

/* Whether the list is undamaged to its end: to be asked once, before anything of it is used. */
bool wire_whole(struct wire_iter it);
/* The first field of the name. */
bool wire_find(struct wire_iter it, enum wire_field name, struct wire_field_in *f);
/*
 * Its number (u8, u32, u64 alike); `otherwise` when it is absent or of another size, and then
 * *bad becomes true.
 */
uint64_t wire_number(struct wire_iter it, enum wire_field name, uint64_t otherwise, bool *bad);
/*
 * A copy with a NUL behind it, by malloc. NULL: absent; or no memory or a NUL inside, and then
 * *bad becomes true.
 */
char *wire_copy(const struct wire_field_in *f, bool *bad);
char *wire_string(struct wire_iter it, enum wire_field name, bool *bad);
/* How many fields have the name, and copies of all of them, NULL-ended, each and the list by malloc. */
size_t wire_count(struct wire_iter it, enum wire_field name);
char **wire_list(struct wire_iter it, enum wire_field name, bool *bad);
void wire_list_free(char **list);	/* NULL is fine */

#endif
