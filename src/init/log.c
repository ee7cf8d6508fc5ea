/*
 * Writing logs. A file begins with an OK frame whose OFFSET says how many bytes of output came
 * before it; when it has half of LOG_MOST, it becomes NAME.log.1 and a new one begins. A full disk
 * loses what does not fit and leaves whole frames.
 */
#include "init/log.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/keep.h"
#include "init/path.h"
#include "wire/pass.h"

#define FOLLOWERS (sizeof(((struct log *)0)->wake) / sizeof(int))

void log_init(struct log *l, int keeper, const char *name)
{
	*l = (struct log){.keeper = keeper, .fd = -1, .name = name};
	for (size_t i = 0; i < FOLLOWERS; i++)
		l->wake[i] = -1;
}

/* All or nothing: what was cut is taken back. */
static void put(struct log *l, const struct wire_out *o)
{
	if (o->failed || !write_all(l->fd, o->data, o->size)) {
		if (ftruncate(l->fd, (off_t)l->size) < 0)
			return;
		lseek(l->fd, (off_t)l->size, SEEK_SET);
		return;
	}
	l->size += o->size;
}

static bool begin(struct log *l, enum keep_op op)
{
	struct wire_out o = {0};
	int fd[2];

	if (!keep_ask(l->keeper, op, l->name, fd))
		return false;
	l->fd = fd[0];
	l->size = 0;
	flock(l->fd, LOCK_SH);
	wire_begin(&o, WIRE_OK);
	wire_u64(&o, WIRE_F_OFFSET, l->total);
	wire_end(&o);
	put(l, &o);
	wire_free(&o);
	return true;
}

bool log_open(struct log *l)
{
	return l->fd >= 0 || begin(l, KEEP_LOG);
}

static void drop(struct log *l, size_t i)
{
	close(l->wake[i]);
	l->wake[i] = -1;
}

/* A byte to all who follow; one that has a full queue will look anyway. */
static void wake(struct log *l)
{
	for (size_t i = 0; i < FOLLOWERS; i++)
		if (l->wake[i] >= 0 &&
		    send(l->wake[i], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN)
			drop(l, i);
}

/* The new file to all who follow; one that is too far behind to hear of it has come to its end. */
static void pass_on(struct log *l)
{
	for (size_t i = 0; i < FOLLOWERS; i++)
		if (l->wake[i] >= 0 && !pass_send(l->wake[i], "", 1, &l->fd, 1, MSG_DONTWAIT))
			drop(l, i);
}

static void turn(struct log *l)
{
	close(l->fd);
	l->fd = -1;
	if (begin(l, KEEP_LOG_TURN))
		pass_on(l);
}

void log_append(struct log *l, enum wire_type type, const uint8_t *data, size_t size)
{
	struct wire_out o = {0};

	if (l->fd >= 0 && l->size >= LOG_MOST / 2)
		turn(l);
	if (l->fd >= 0) {
		wire_data(&o, type, data, size);
		put(l, &o);
		wire_free(&o);
	}
	l->total += size;
	wake(l);
}

int log_follow(struct log *l)
{
	int pair[2];

	for (size_t i = 0; i < FOLLOWERS; i++) {
		if (l->wake[i] >= 0)
			continue;
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
			return -1;
		l->wake[i] = pair[0];
		return pair[1];
	}
	errno = EMFILE;
	return -1;
}

void log_close(struct log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	for (size_t i = 0; i < FOLLOWERS; i++) {
		if (l->wake[i] >= 0)
			close(l->wake[i]);
		l->wake[i] = -1;
	}
}
