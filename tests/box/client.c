/*
 * A client of a box's server for the tests: makes any request by the names of its fields, takes
 * steps at events of the answer, prints what comes.
 *
 *	client [-s] SOCKET-DIR|- REQUEST NAME=VALUE... [-- STEP...]
 *
 * `-` speaks on stdin and stdout's place: descriptors 8 (from the server) and 9 (to it). DATA_OUT
 * goes to stdout, DATA_ERR to stderr, every other frame to descriptor 3 as one line:
 * `type name=value ...`, nested fields in (). Numbers are decimal, text as it is with \xNN for
 * what is not printable. Status: an END's STATUS; 70 for an ERROR, 71 for a stream that broke, 0
 * for OK.
 *
 * Steps, in order: wait=TEXT (until the output of all streams has it), started (until STARTED),
 * data=TEXT, file=PATH (its bytes as DATA_IN), close, signal=N, resize=ROWSxCOLUMNS, quit (closes
 * at once), half (shuts the sending side), raw=HEX.
 */
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum kind { TEXT, U8, U32, U64, HASH, NEST };

static const struct field {
	const char *name;
	enum wire_field field;
	enum kind kind;
} fields[] = {
	{"magic", WIRE_F_MAGIC, TEXT}, {"version", WIRE_F_VERSION, U32}, {"box", WIRE_F_BOX, TEXT},
	{"kind", WIRE_F_KIND, TEXT}, {"capability", WIRE_F_CAPABILITY, TEXT},
	{"code", WIRE_F_CODE, TEXT}, {"text", WIRE_F_TEXT, TEXT}, {"errno", WIRE_F_ERRNO, U32},
	{"arg", WIRE_F_ARG, TEXT}, {"env", WIRE_F_ENV, TEXT}, {"cwd", WIRE_F_CWD, TEXT},
	{"stdin", WIRE_F_STDIN, U8}, {"terminal", WIRE_F_TERMINAL, U8}, {"rows", WIRE_F_ROWS, U32},
	{"columns", WIRE_F_COLUMNS, U32}, {"term", WIRE_F_TERM, TEXT},
	{"deadline", WIRE_F_DEADLINE, U64}, {"grace", WIRE_F_GRACE, U64},
	{"out-limit", WIRE_F_OUT_LIMIT, U64}, {"err-limit", WIRE_F_ERR_LIMIT, U64},
	{"keep", WIRE_F_KEEP, U8}, {"detach", WIRE_F_DETACH, U8}, {"log", WIRE_F_LOG, U8},
	{"label", WIRE_F_LABEL, TEXT}, {"memory", WIRE_F_MEMORY, U64}, {"pids", WIRE_F_PIDS, U32},
	{"cpu", WIRE_F_CPU, U32}, {"proc", WIRE_F_PROC, TEXT}, {"pid", WIRE_F_PID, U32},
	{"signal", WIRE_F_SIGNAL, U32}, {"reason", WIRE_F_REASON, U8},
	{"status", WIRE_F_STATUS, U32}, {"core", WIRE_F_CORE, U8}, {"wall", WIRE_F_WALL, U64},
	{"user", WIRE_F_USER, U64}, {"system", WIRE_F_SYSTEM, U64}, {"peak", WIRE_F_PEAK, U64},
	{"peak-by", WIRE_F_PEAK_BY, TEXT}, {"out-bytes", WIRE_F_OUT_BYTES, U64},
	{"err-bytes", WIRE_F_ERR_BYTES, U64}, {"out-dropped", WIRE_F_OUT_DROPPED, U64},
	{"err-dropped", WIRE_F_ERR_DROPPED, U64}, {"limit", WIRE_F_LIMIT, TEXT},
	{"started-at", WIRE_F_STARTED_AT, U64}, {"ended-at", WIRE_F_ENDED_AT, U64},
	{"left", WIRE_F_LEFT, U32}, {"state", WIRE_F_STATE, U8}, {"process", WIRE_F_PROCESS, NEST},
	{"tree", WIRE_F_TREE, U8}, {"gone", WIRE_F_GONE, U8}, {"follow", WIRE_F_FOLLOW, U8},
	{"offset", WIRE_F_OFFSET, U64}, {"more", WIRE_F_MORE, U8}, {"path", WIRE_F_PATH, TEXT},
	{"size", WIRE_F_SIZE, U64}, {"mode", WIRE_F_MODE, U32}, {"mtime", WIRE_F_MTIME, U64},
	{"uid", WIRE_F_UID, U32}, {"gid", WIRE_F_GID, U32}, {"link", WIRE_F_LINK, TEXT},
	{"name", WIRE_F_NAME, TEXT}, {"hash", WIRE_F_HASH, HASH},
	{"exclusive", WIRE_F_EXCLUSIVE, U8}, {"parents", WIRE_F_PARENTS, U8},
	{"stat", WIRE_F_STAT, NEST}, {"port", WIRE_F_PORT, U32}, {"probe", WIRE_F_PROBE, NEST},
	{"fix", WIRE_F_FIX, TEXT}, {"dir", WIRE_F_DIR, TEXT}, {"report", WIRE_F_REPORT, NEST},
	{"control", WIRE_F_CONTROL, TEXT}, {"asked", WIRE_F_ASKED, TEXT}, {"by", WIRE_F_BY, TEXT},
	{"why", WIRE_F_WHY, TEXT}, {"hostname", WIRE_F_HOSTNAME, TEXT},
	{"root", WIRE_F_ROOT, TEXT}, {"workspace", WIRE_F_WORKSPACE, TEXT},
	{"target", WIRE_F_TARGET, TEXT}, {"readonly", WIRE_F_READONLY, U8},
	{"disk", WIRE_F_DISK, U64}, {"open-files", WIRE_F_OPEN_FILES, U32},
	{"network", WIRE_F_NETWORK, TEXT}, {"allow", WIRE_F_ALLOW, TEXT},
	{"publish", WIRE_F_PUBLISH, NEST}, {"host-port", WIRE_F_HOST_PORT, U32},
	{"address", WIRE_F_ADDRESS, TEXT}, {"accept", WIRE_F_ACCEPT, TEXT},
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

static const struct word {
	const char *name;
	enum wire_type type;
} words[] = {
	{"hello", WIRE_HELLO}, {"ok", WIRE_OK}, {"error", WIRE_ERROR}, {"exec", WIRE_EXEC},
	{"started", WIRE_STARTED}, {"end", WIRE_END}, {"ps", WIRE_PS}, {"kill", WIRE_KILL},
	{"wait", WIRE_WAIT}, {"logs", WIRE_LOGS}, {"attach", WIRE_ATTACH}, {"read", WIRE_READ},
	{"write", WIRE_WRITE}, {"list", WIRE_LIST}, {"stat", WIRE_STAT}, {"mkdir", WIRE_MKDIR},
	{"symlink", WIRE_SYMLINK}, {"remove", WIRE_REMOVE}, {"connect", WIRE_CONNECT},
	{"info", WIRE_INFO}, {"pause", WIRE_PAUSE}, {"resume", WIRE_RESUME}, {"stop", WIRE_STOP},
	{"start", WIRE_START}, {"probe", WIRE_PROBE}, {"host-remove", WIRE_HOST_REMOVE},
	{"host-boxes", WIRE_HOST_BOXES}, {"host-start", WIRE_HOST_START},
	{"host-open", WIRE_HOST_OPEN}, {"alive", WIRE_ALIVE},
};
#define WORDS (sizeof(words) / sizeof(*words))

struct client {
	int in, out, record, status;
	bool started, over, silent, quiet_close;
	struct wire_in from;
	char *seen;
	size_t seen_size;
};

static _Noreturn void die(const char *what, const char *name)
{
	fprintf(stderr, "client: %s %s\n", what, name ? name : "");
	exit(99);
}

static const struct field *field_named(const char *name, size_t n)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strlen(fields[i].name) == n && !memcmp(fields[i].name, name, n))
			return &fields[i];
	die("no field", name);
}

/* publish=PORT:HOST is the only nested one that is asked for */
static void put_nested(struct wire_out *o, const struct field *f, const char *value)
{
	size_t mark = wire_nest(o, f->field);
	const char *colon = strchr(value, ':');

	wire_u32(o, WIRE_F_PORT, (uint32_t)atoi(value));
	if (colon)
		wire_u32(o, WIRE_F_HOST_PORT, (uint32_t)atoi(colon + 1));
	wire_unnest(o, mark);
}

static void put(struct wire_out *o, const char *word)
{
	const char *value = strchr(word, '=');
	const struct field *f = field_named(word, value ? (size_t)(value - word) : strlen(word));

	value = value ? value + 1 : "1";
	switch (f->kind) {
	case TEXT: case HASH: wire_text(o, f->field, value); break;
	case U8: wire_u8(o, f->field, (unsigned)strtoul(value, NULL, 0)); break;
	case U32: wire_u32(o, f->field, (uint32_t)strtoul(value, NULL, 0)); break;
	case U64: wire_u64(o, f->field, strtoull(value, NULL, 0)); break;
	case NEST: put_nested(o, f, value); break;
	}
}

static void push(struct client *c, struct wire_out *o)
{
	size_t done = 0;

	while (done < o->size) {
		ssize_t n = write(c->out, o->data + done, o->size - done);

		if (n <= 0)
			break;	/* the answer will say why */
		done += (size_t)n;
	}
	wire_free(o);
}

static enum wire_type type_named(const char *name)
{
	for (size_t i = 0; i < WORDS; i++)
		if (!strcmp(words[i].name, name))
			return words[i].type;
	die("no request", name);
}

static void print_text(FILE *f, const struct wire_field_in *v, bool hex)
{
	for (size_t i = 0; i < v->size; i++) {
		if (hex)
			fprintf(f, "%02x", v->data[i]);
		else if (v->data[i] < 33 || v->data[i] > 126 || v->data[i] == '\\')
			fprintf(f, v->data[i] == ' ' ? " " : "\\x%02x", v->data[i]);
		else
			fputc(v->data[i], f);
	}
}

static void print_fields(FILE *f, struct wire_iter it)
{
	struct wire_field_in v;

	while (wire_step(&it, &v)) {
		const struct field *k = NULL;
		uint64_t n = 0;

		for (size_t i = 0; i < FIELDS; i++)
			if (fields[i].field == v.name)
				k = &fields[i];
		fprintf(f, " %s=", k ? k->name : "?");
		for (size_t i = v.size; i-- && v.size <= 8;)
			n = n << 8 | v.data[i];
		if (v.name == WIRE_F_BOX && v.size > 6 && !v.data[1]) {
			/* of HOST_BOXES: nested */
			fputc('(', f);
			print_fields(f, wire_nested(&v));
			fputs(" )", f);
			continue;
		}
		if (!k || k->kind == TEXT || k->kind == HASH) {
			print_text(f, &v, k && k->kind == HASH);
		} else if (k->kind == NEST) {
			fputc('(', f);
			print_fields(f, wire_nested(&v));
			fputs(" )", f);
		} else {
			fprintf(f, "%llu", (unsigned long long)n);
		}
	}
}

static void print_frame(struct client *c, const struct wire_frame *f)
{
	const char *name = "?";
	FILE *out;
	char *line = NULL;
	size_t size = 0;

	for (size_t i = 0; i < WORDS; i++)
		if (words[i].type == f->type)
			name = words[i].name;
	out = open_memstream(&line, &size);
	fputs(name, out);
	print_fields(out, wire_fields(f));
	fputc('\n', out);
	fclose(out);
	if (c->record >= 0 && write(c->record, line, size) < 0)
		c->record = -1;
	free(line);
}

static void data(struct client *c, int fd, const struct wire_frame *f)
{
	c->seen = realloc(c->seen, c->seen_size + f->size + 1);
	memcpy(c->seen + c->seen_size, f->body, f->size);
	c->seen_size += f->size;
	if (!c->silent && write(fd, f->body, f->size) < 0)
		c->silent = true;
}

static void take(struct client *c, const struct wire_frame *f)
{
	bool bad = false;

	if (f->type == WIRE_DATA_OUT || f->type == WIRE_DATA_ERR) {
		data(c, f->type == WIRE_DATA_OUT ? 1 : 2, f);
		return;
	}
	if (f->type == WIRE_HELLO || f->type == WIRE_ALIVE)
		return;
	print_frame(c, f);
	if (f->type == WIRE_STARTED)
		c->started = true;
	if (f->type == WIRE_END)
		c->status = (int)wire_number(wire_fields(f), WIRE_F_STATUS, 99, &bad);
	if (f->type == WIRE_ERROR)
		c->status = 70;
	if (f->type == WIRE_OK)
		c->status = 0;
}

static bool next(struct client *c)
{
	struct wire_frame f;
	ssize_t n;

	while (wire_next(&c->from, &f))
		take(c, &f);
	if (c->from.error)
		die("broken:", c->from.error);
	n = read(c->in, wire_room(&c->from, 65536), 65536);
	if (n <= 0) {
		c->over = true;
		return false;
	}
	wire_got(&c->from, (size_t)n);
	while (wire_next(&c->from, &f))
		take(c, &f);
	return true;
}

static void send_file(struct client *c, const char *path)
{
	static char bytes[65536];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		die("cannot open", path);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		struct wire_out o = {0};

		wire_data(&o, WIRE_DATA_IN, bytes, (size_t)n);
		push(c, &o);
	}
	close(fd);
}

static void send_hex(struct wire_out *o, const char *hex)
{
	for (; hex[0] && hex[1]; hex += 2) {
		char two[3] = {hex[0], hex[1], 0};
		uint8_t byte = (uint8_t)strtoul(two, NULL, 16);

		wire_raw(o, &byte, 1);
	}
}

static void step(struct client *c, const char *s)
{
	const char *value = strchr(s, '=') ? strchr(s, '=') + 1 : "";
	struct wire_out o = {0};

	if (!strncmp(s, "wait=", 5)) {
		while (!(c->seen && memmem(c->seen, c->seen_size, value, strlen(value))) && next(c))
			;
	} else if (!strcmp(s, "started")) {
		while (!c->started && next(c))
			;
	} else if (!strncmp(s, "data=", 5)) {
		wire_data(&o, WIRE_DATA_IN, value, strlen(value));
	} else if (!strncmp(s, "file=", 5)) {
		send_file(c, value);
	} else if (!strcmp(s, "close")) {
		wire_begin(&o, WIRE_CLOSE_IN);
		wire_end(&o);
	} else if (!strncmp(s, "signal=", 7)) {
		wire_begin(&o, WIRE_SIGNAL);
		wire_u32(&o, WIRE_F_SIGNAL, (uint32_t)atoi(value));
		wire_end(&o);
	} else if (!strncmp(s, "resize=", 7)) {
		wire_begin(&o, WIRE_RESIZE);
		wire_u32(&o, WIRE_F_ROWS, (uint32_t)atoi(value));
		wire_u32(&o, WIRE_F_COLUMNS, (uint32_t)atoi(strchr(value, 'x') + 1));
		wire_end(&o);
	} else if (!strncmp(s, "raw=", 4)) {
		send_hex(&o, value);
	} else if (!strcmp(s, "half")) {
		if (shutdown(c->out, SHUT_WR) < 0)
			close(c->out);	/* a pipe */
	} else if (!strcmp(s, "quit")) {
		exit(0);
	} else {
		die("no step", s);
	}
	push(c, &o);
}

static int reach(const char *dir)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int here = open(".", O_PATH), fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (chdir(dir) < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		fprintf(stderr, "client: %s: %s\n", dir, strerror(errno));
		exit(71);
	}
	return fchdir(here) < 0 ? -1 : fd;
}

int main(int argc, char **argv)
{
	struct client c = {.record = fcntl(3, F_GETFD) < 0 ? -1 : 3, .status = 71};
	struct wire_out o = {0};
	int i = 1;

	signal(SIGPIPE, SIG_IGN);
	if (argc > i && !strcmp(argv[i], "-s"))
		c.silent = i++;
	if (argc < i + 2)
		die("usage: client [-s] DIR|- REQUEST NAME=VALUE... [-- STEP...]", NULL);
	c.in = !strcmp(argv[i], "-") ? 8 : reach(argv[i]);
	c.out = !strcmp(argv[i], "-") ? 9 : c.in;
	i++;
	wire_begin(&o, WIRE_HELLO);
	wire_text(&o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&o, WIRE_F_VERSION, WIRE_VERSION);
	wire_end(&o);
	if (strcmp(argv[i], "raw")) {
		wire_begin(&o, type_named(argv[i]));
		for (i++; i < argc && strcmp(argv[i], "--"); i++)
			put(&o, argv[i]);
		wire_end(&o);
	} else {
		i++;
	}
	push(&c, &o);
	for (i++; i < argc && !c.over; i++)
		step(&c, argv[i]);
	while (next(&c))
		;
	wire_in_free(&c.from);
	free(c.seen);
	return c.status;
}
