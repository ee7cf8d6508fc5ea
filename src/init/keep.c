/*
 * The keeper's files. A request is a packet, the answer an errno with the descriptors. The server
 * inside the box is not believed: names are checked, nothing but the records and logs is opened.
 */
#include "init/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/pass.h"

#define LOGS_MOST 128u		/* kept of those that have ended */

struct request {
	uint32_t op;
	char name[KEEP_NAME];
};

uint64_t proc_number(const char *name)
{
	uint64_t n = 0;
	const char *at = name + 1;

	if (name[0] != 'p' || at[0] < '1' || at[0] > '9')
		return 0;
	for (; *at >= '0' && *at <= '9' && at - name < 19; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	return *at ? 0 : n;
}

int keep_open(int dir)
{
	if (mkdirat(dir, "procs", 0700) < 0 && errno != EEXIST)
		return -1;
	return openat(dir, "procs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static void join(char to[40], const char *name, const char *end)
{
	size_t n = strlen(name);

	memcpy(to, name, n);
	memcpy(to + n, end, strlen(end) + 1);
}

static int open_file(int procs, const char *name, int flags)
{
	return openat(procs, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* pN.log: N; 0: another file */
static uint64_t log_number(const char *name)
{
	size_t n = strlen(name);
	char stem[40];

	if (n < 6 || n >= sizeof(stem) || strcmp(name + n - 4, ".log"))
		return 0;
	memcpy(stem, name, n - 4);
	stem[n - 4] = '\0';
	return proc_number(stem);
}

/* A log that is being written is locked by the server that does. */
static bool in_use(int procs, const char *name)
{
	int fd = open_file(procs, name, O_RDONLY);
	bool used = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	return used;
}

/* The oldest log that nobody writes goes. */
static void drop_oldest(int procs, DIR *dir)
{
	char oldest[40] = "", old[48];
	uint64_t least = UINT64_MAX;
	struct dirent *d;

	rewinddir(dir);
	while ((d = readdir(dir))) {
		uint64_t n = log_number(d->d_name);

		if (n && n < least && !in_use(procs, d->d_name)) {
			least = n;
			memcpy(oldest, d->d_name, strlen(d->d_name) + 1);
		}
	}
	if (!*oldest)
		return;
	unlinkat(procs, oldest, 0);
	memcpy(old, oldest, strlen(oldest));
	memcpy(old + strlen(oldest), ".1", 3);
	unlinkat(procs, old, 0);
}

static void prune(int procs)
{
	int fd = open_file(procs, ".", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	size_t count = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((d = readdir(dir)))
		count += log_number(d->d_name) != 0;
	if (count > LOGS_MOST)
		drop_oldest(procs, dir);
	closedir(dir);
}

static bool do_log(int procs, enum keep_op op, const char *name, int fd[2])
{
	char now[40], old[40];

	if (!proc_number(name)) {
		errno = EINVAL;
		return false;
	}
	join(now, name, ".log");
	join(old, name, ".log.1");
	if (op == KEEP_LOG_READ) {
		fd[0] = open_file(procs, old, O_RDONLY);
		fd[1] = open_file(procs, now, O_RDONLY);
		return fd[1] >= 0 || fd[0] >= 0;
	}
	if (op == KEEP_LOG_TURN)
		renameat(procs, now, procs, old);
	else
		prune(procs);
	fd[0] = open_file(procs, now, O_RDWR | O_CREAT | O_TRUNC);
	return fd[0] >= 0;
}

bool keep_do(int procs, enum keep_op op, const char *name, int fd[2])
{
	fd[0] = fd[1] = -1;
	if (op <= KEEP_LOG_READ)
		return do_log(procs, op, name, fd);
	if (op == KEEP_RECORDS_TURN)
		renameat(procs, "records", procs, "records.1");
	fd[0] = open_file(procs, "records.1", O_RDONLY);
	fd[1] = open_file(procs, "records", O_RDWR | O_CREAT | O_APPEND);
	return fd[1] >= 0;
}

static bool send_answer(int channel, int32_t error, const int fd[2])
{
	int32_t answer[2] = {error, fd[0] < 0 && fd[1] >= 0};	/* the second: only the later one */
	size_t n = (size_t)(fd[0] >= 0) + (fd[1] >= 0);

	return pass_send(channel, answer, sizeof(answer), fd[0] >= 0 ? &fd[0] : &fd[1], n, 0);
}

bool keep_answer(int channel, int procs)
{
	struct request r;
	ssize_t n = recv(channel, &r, sizeof(r), 0);
	int fd[2] = {-1, -1};
	int32_t error = EINVAL;
	bool good;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (!n)
		return false;
	if (n == (ssize_t)sizeof(r) && r.op <= KEEP_RECORDS_TURN && memchr(r.name, 0, KEEP_NAME))
		error = keep_do(procs, (enum keep_op)r.op, r.name, fd) ? 0 : errno;
	good = send_answer(channel, error, fd);
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return good;
}

bool keep_ask(int channel, enum keep_op op, const char *name, int fd[2])
{
	struct request r = {.op = op};
	int32_t answer[2] = {EIO, 0};
	int fds[PASS_MAX];
	size_t count;
	ssize_t n;

	fd[0] = fd[1] = -1;
	if (name)
		memcpy(r.name, name, strnlen(name, KEEP_NAME - 1));
	if (send(channel, &r, sizeof(r), MSG_NOSIGNAL) < 0)
		return false;
	n = pass_take(channel, answer, sizeof(answer), fds, &count, 0);
	if (n != (ssize_t)sizeof(answer)) {
		errno = EIO;
		return false;
	}
	for (size_t i = 0, at = answer[1] ? 1 : 0; i < count && at < 2; i++, at++)
		fd[at] = fds[i];
	errno = answer[0];
	return !errno;
}
