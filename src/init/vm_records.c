/*
 * The guest's records, logs and audit log, kept outside: what its process 1 tells is written into the
 * state directory, where the box cannot reach it any more. Names are checked, sizes are bounded; the
 * hash chain of the audit log is the keeper's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/keep.h"
#include "init/mirror.h"
#include "init/path.h"
#include "init/vm_in.h"

#define FILE_MOST (9 << 20)	/* a server turns them at 8 MiB */
#define AUDIT_MOST (64 << 20)
#define LINE_MOST (256u << 10)

struct records {
	struct vm *vm;
	struct watch w;
	struct wire_out in;	/* of a word that is not whole yet */
	struct wire_out line;	/* of the audit log */
	uint64_t audited;
};

static void add_file(struct records *r, enum keep_op op, const char *name, const void *data,
		     size_t size)
{
	int fd[2];
	struct stat st;

	if (!keep_do(r->vm->procs, op, name, fd))
		return;
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0 && i == (op == KEEP_RECORDS || op == KEEP_RECORDS_TURN) &&
		    size && fstat(fd[i], &st) == 0 && st.st_size < FILE_MOST)
			write_all(fd[i], data, size);
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* Appending to a log is not what a keeper does for a server, which has it open. */
static void add_log(struct records *r, const char *name, const void *data, size_t size)
{
	int fd = openat(r->vm->procs, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		char proc[MIRROR_NAME];

		/* (this drops the oldest of too many) */
		memcpy(proc, name, strlen(name) - 4);
		proc[strlen(name) - 4] = '\0';
		add_file(r, KEEP_LOG, proc, NULL, 0);
		fd = openat(r->vm->procs, name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	}
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size < FILE_MOST)
		write_all(fd, data, size);
	close(fd);
}

/* The line without the guest's hash, which ends it; false: it is no line of an audit log. */
static bool without_hash(const char *line, size_t *size)
{
	static const char key[] = ",\"prev\":\"";
	size_t tail = sizeof(key) - 1 + CHAIN_HEX + 2;

	if (*size < tail + 2 || line[0] != '{' || memcmp(line + *size - tail, key, sizeof(key) - 1))
		return false;
	*size -= tail;
	for (size_t i = 0; i < *size; i++)
		if ((unsigned char)line[i] < ' ')
			return false;
	return true;
}

static void audit_line(struct records *r, const char *line, size_t size)
{
	struct text t = {0};

	if (!without_hash(line, &size) || r->audited + size > AUDIT_MOST)
		return;
	r->audited += size;
	text_bytes(&t, line, size);
	text_add(&t, "}");
	if (!t.failed)
		chain_append(r->vm->audit, t.data, t.size);
	text_free(&t);
}

static void add_audit(struct records *r, const uint8_t *data, size_t size)
{
	uint8_t *end;

	wire_raw(&r->line, data, size);
	while (r->line.size && (end = memchr(r->line.data, '\n', r->line.size))) {
		size_t n = (size_t)(end - r->line.data);

		audit_line(r, (const char *)r->line.data, n);
		wire_consume(&r->line, n + 1);
	}
	if (r->line.size > LINE_MOST || r->line.failed)
		wire_free(&r->line);
}

/* pN.log: its length without ".log"; 0: another file */
static size_t log_name(const char *name)
{
	char proc[MIRROR_NAME];
	size_t n = strlen(name);

	if (n < 6 || strcmp(name + n - 4, ".log"))
		return 0;
	memcpy(proc, name, n - 4);
	proc[n - 4] = '\0';
	return n - 4 < KEEP_NAME && proc_number(proc) ? n - 4 : 0;
}

static void word(struct records *r, unsigned what, const char *name, const uint8_t *data, size_t size)
{
	char proc[MIRROR_NAME] = "";

	if (!strcmp(name, "audit") && what == MIRROR_ADD) {
		add_audit(r, data, size);
	} else if (!strcmp(name, "records")) {
		add_file(r, what == MIRROR_TURN ? KEEP_RECORDS_TURN : KEEP_RECORDS, NULL, data, size);
	} else if (log_name(name) && what == MIRROR_TURN) {
		memcpy(proc, name, log_name(name));
		add_file(r, KEEP_LOG_TURN, proc, NULL, 0);
	} else if (log_name(name)) {
		add_log(r, name, data, size);
	}
}

/* False: the guest does not speak as it should. */
static bool words(struct records *r)
{
	while (r->in.size >= MIRROR_HEAD) {
		const uint8_t *h = r->in.data;
		size_t n = h[1], size = h[4] | (size_t)h[5] << 8 | (size_t)h[6] << 16 |
			(size_t)h[7] << 24;
		char name[MIRROR_NAME];

		if (!n || n >= MIRROR_NAME || size > MIRROR_MOST)
			return false;
		if (r->in.size < MIRROR_HEAD + n + size)
			break;
		memcpy(name, h + MIRROR_HEAD, n);
		name[n] = '\0';
		word(r, h[0], name, h + MIRROR_HEAD + n, size);
		wire_consume(&r->in, MIRROR_HEAD + n + size);
	}
	return !r->in.failed;
}

static void records_end(struct records *r)
{
	watch_close(&r->vm->loop, &r->w);
	wire_free(&r->in);
	wire_free(&r->line);
	r->vm->records = NULL;
	free(r);
}

static void records_ready(void *owner, uint32_t events)
{
	struct records *r = owner;
	uint8_t some[16384];
	ssize_t n = recv(r->w.fd, some, sizeof(some), MSG_DONTWAIT);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		wire_raw(&r->in, some, (size_t)n);
	if (n <= 0 || !words(r))
		records_end(r);
}

int vm_records_open(struct vm *vm)
{
	struct records *r = vm->records ? NULL : calloc(1, sizeof(*r));
	int pair[2];

	if (!r)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		free(r);
		return -1;
	}
	r->vm = vm;
	r->w = (struct watch){.fd = pair[0], .ready = records_ready, .owner = r};
	vm->records = r;
	if (watch_want(&vm->loop, &r->w, EPOLLIN))
		return pair[1];
	records_end(r);
	close(pair[1]);
	return -1;
}

/* What the guest said last is in the socket still. */
void vm_records_close(struct vm *vm)
{
	while (vm->records) {
		struct records *r = vm->records;
		uint8_t byte;

		if (recv(r->w.fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) <= 0)
			records_end(r);
		else
			records_ready(r, EPOLLIN);
	}
}

static uint64_t greatest(int fd, uint64_t most)
{
	struct wire_in in = {0};
	struct wire_frame f;
	struct wire_field_in name;
	uint8_t *to;
	ssize_t n;

	while (fd >= 0 && (to = wire_room(&in, 16384)) && (n = read(fd, to, 16384)) > 0) {
		wire_got(&in, (size_t)n);
		while (wire_next(&in, &f)) {
			char text[KEEP_NAME] = "";

			if (!wire_whole(wire_fields(&f)) ||
			    !wire_find(wire_fields(&f), WIRE_F_PROC, &name) || name.size >= KEEP_NAME)
				continue;
			memcpy(text, name.data, name.size);
			if (proc_number(text) > most)
				most = proc_number(text);
		}
		if (in.error)
			break;
	}
	wire_in_free(&in);
	return most;
}

uint64_t vm_records_next(const struct vm *vm)
{
	static const char *const names[] = {"records.1", "records"};
	uint64_t most = 0;

	for (size_t i = 0; i < 2; i++) {
		int fd = openat(vm->procs, names[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

		most = greatest(fd, most);
		if (fd >= 0)
			close(fd);
	}
	return most + 1;
}
