/*
 * Everything new beside the tree, and the journal that makes it the tree. What stands between two
 * trees is one rename, that of the journal: before it the tree is as it was, after it whoever has the
 * lock does what it says, as often as it takes.
 */
#include "tree/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL "journal"
#define LOCK_TRIES 100u		/* of 20 ms: one that has just ended has not let go yet */
#define TICK_MS 3000

/* ---- Files of the stage ---- */

static int write_bytes(int fd, const uint8_t *data, size_t n)
{
	while (n) {
		ssize_t put = write(fd, data, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		data += put;
		n -= (size_t)put;
	}
	return 0;
}

/* A whole file; NULL: none, or not to be read. */
static uint8_t *read_bytes(int dir, const char *name, size_t *n)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint8_t *data = NULL;
	struct stat st;
	ssize_t got = 1;

	*n = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= 0)
		data = malloc((size_t)st.st_size + 1);
	while (data && *n < (size_t)st.st_size && got > 0) {
		got = read(fd, data + *n, (size_t)st.st_size - *n);
		*n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return data;
}

static int open_stage(int root)
{
	return openat(root, FT_STAGE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int need_stage(struct ft_stage *s)
{
	if (s->dir >= 0)
		return 0;
	if (mkdirat(s->root, FT_STAGE, 0700) && errno != EEXIST)
		return -errno;
	s->dir = open_stage(s->root);
	return s->dir < 0 ? -errno : 0;
}

static void forget_within(struct ft_stage *s)
{
	if (s->within)
		close(s->within_fd);
	free(s->within);
	s->within = NULL;
}

static void forget_tree(struct ft_stage *s)
{
	forget_within(s);
	if (s->tree)
		close(s->tree_fd);
	free(s->tree);
	s->tree = NULL;
}

static void clear(struct ft_stage *s)
{
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
	s->remove(s->root, FT_STAGE);
}

/* ---- The lock, and what another one left ---- */

static int finish(struct ft_stage *s)
{
	size_t n;
	uint8_t *journal = read_bytes(s->dir, JOURNAL, &n);
	int status = 0;

	if (journal && ft_is_signed(s->key, journal, n))
		status = ft_apply(s, journal, n - FT_HASH);
	free(journal);
	if (!status || status == -EBUSY)
		unlinkat(s->dir, JOURNAL, 0);
	return status;
}

static int take_lock(int root)
{
	struct timespec little = {.tv_nsec = 20000000};

	for (unsigned i = 0; flock(root, LOCK_EX | LOCK_NB); i++) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || i == LOCK_TRIES)
			return -errno;
		nanosleep(&little, NULL);
	}
	return 0;
}

int ft_stage_lock(struct ft_stage *s, int root)
{
	int status = take_lock(root);

	s->root = root;
	s->dir = -1;
	if (status)
		return status;
	s->dir = open_stage(root);
	if (s->dir >= 0)
		status = finish(s);
	else if (errno != ENOENT)
		s->remove(root, FT_STAGE);
	if (s->dir >= 0 && !status)
		clear(s);
	return status;
}

/* ---- What is to be ---- */

static void number_name(char name[16], char letter, uint32_t n)
{
	snprintf(name, 16, "%c%u", letter, (unsigned)n);
}

static int record(struct wire_out *o, char op, uint32_t mode, uint32_t number,
		  const char *path)
{
	size_t n = strlen(path), stage = sizeof(FT_STAGE) - 1;
	uint8_t head[9] = {(uint8_t)op, (uint8_t)mode, (uint8_t)(mode >> 8), (uint8_t)number,
			   (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24),
			   (uint8_t)n, (uint8_t)(n >> 8)};

	/* never in the stage itself */
	if (!ft_is_path(path) || !*path || (!strncmp(path, FT_STAGE, stage) && (!path[stage] ||
	    path[stage] == '/')))
		return -EINVAL;
	wire_raw(o, head, sizeof(head));
	wire_raw(o, path, n);
	return o->failed ? -ENOMEM : 0;
}

/* Whether it is in the directory that was staged last. */
static bool is_in_tree(const struct ft_stage *s, const char *path)
{
	size_t n = s->tree ? strlen(s->tree) : 0;

	return s->tree && !strncmp(path, s->tree, n) && path[n] == '/' && ft_is_path(path);
}

/* The directory in the stage that such a path is in; it stays open. */
static int open_within(struct ft_stage *s, const char *path)
{
	size_t n = (size_t)(strrchr(path, '/') - path), top = strlen(s->tree);
	char *dir;

	if (s->within && strlen(s->within) == n && !memcmp(s->within, path, n))
		return s->within_fd;
	forget_within(s);
	dir = strndup(path, n);
	if (!dir)
		return -ENOMEM;
	s->within_fd = ft_open(s->tree_fd, dir + top + (n > top), O_PATH | O_DIRECTORY);
	if (s->within_fd < 0) {
		free(dir);
		return -errno;
	}
	s->within = dir;
	return s->within_fd;
}

/* Where in the stage a path is made, and by which name; -errno */
static int new_place(struct ft_stage *s, char op, const char *path, char number[16], const char **name)
{
	int status = need_stage(s);

	*name = number;
	if (!status && is_in_tree(s, path)) {
		*name = strrchr(path, '/') + 1;
		return open_within(s, path);
	}
	if (!status)
		status = record(&s->puts, op, 0, s->count, path);
	if (status)
		return status;
	number_name(number, 'f', s->count++);
	return s->dir;
}

int ft_stage_file(struct ft_stage *s, const char *path, uint32_t mode)
{
	char number[16];
	const char *name;
	int dir = new_place(s, 'P', path, number, &name), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode & 0777) | 0200);
	return fd < 0 ? -errno : fd;
}

int ft_stage_file_done(struct ft_stage *s, int fd, uint32_t mode, uint64_t mtime)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_NOW},
		{.tv_sec = (time_t)(mtime / 1000000000u), .tv_nsec = (long)(mtime % 1000000000u)}};
	struct stat st;
	int status = fstat(fd, &st) ? -errno : 0;

	(void)s;
	/* it has it from its beginning, but for masks and default ACLs: a change costs ten times a look */
	if (!status && (st.st_mode & 07777) != (mode & 0777) && fchmod(fd, mode & 0777))
		status = -errno;
	if (!status && mtime && futimens(fd, times))
		status = -errno;
	/* a network's or a quota's last word comes here */
	if (close(fd) && !status)
		status = -errno;
	return status;
}

/* What comes next is in it, most likely. */
static int begin_tree(struct ft_stage *s, const char *path, const char *name)
{
	char *copy = strdup(path);
	int fd = copy ? ft_open(s->dir, name, O_PATH | O_DIRECTORY) : -1;
	int error = copy ? errno : ENOMEM;

	forget_tree(s);
	if (fd < 0) {
		free(copy);
		return -error;
	}
	s->tree = copy;
	s->tree_fd = fd;
	return 0;
}

int ft_stage_dir(struct ft_stage *s, const char *path, uint32_t mode)
{
	char number[16];
	const char *name;
	int dir = new_place(s, 'D', path, number, &name), status;

	if (dir < 0)
		return dir;
	status = record(&s->modes, 'M', mode & 0777, 0, path);
	if (!status && mkdirat(dir, name, 0700))
		status = -errno;
	return status || name != number ? status : begin_tree(s, path, name);
}

int ft_stage_link(struct ft_stage *s, const char *path, const char *target)
{
	char number[16];
	const char *name;
	int dir = new_place(s, 'P', path, number, &name);

	if (dir < 0)
		return dir;
	return symlinkat(target, dir, name) ? -errno : 0;
}

int ft_stage_mode(struct ft_stage *s, const char *path, uint32_t mode)
{
	int status = need_stage(s);

	return status ? status : record(&s->modes, 'M', mode & 0777, 0, path);
}

int ft_stage_remove(struct ft_stage *s, const char *path)
{
	int status = need_stage(s);

	return status ? status : record(&s->removes, 'R', 0, s->count++, path);
}

/* ---- All of it ---- */

static int write_journal(struct ft_stage *s)
{
	struct wire_out *o = &s->removes;
	uint8_t hash[FT_HASH];
	int fd, status;

	wire_raw(o, s->puts.data, s->puts.size);
	wire_raw(o, s->modes.data, s->modes.size);
	if (o->failed || s->puts.failed || s->modes.failed)
		return -ENOMEM;
	ft_sign(s->key, o->data, o->size, hash);
	wire_raw(o, hash, sizeof(hash));
	if (o->failed)
		return -ENOMEM;
	fd = openat(s->dir, JOURNAL ".new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	status = write_bytes(fd, o->data, o->size);
	if (close(fd) && !status)
		status = -errno;
	if (!status && renameat(s->dir, JOURNAL ".new", s->dir, JOURNAL))
		status = -errno;
	return status;
}

static int finish_all(struct ft_stage *s)
{
	int status = finish(s);

	if (!status || status == -EBUSY)
		clear(s);
	return status;
}

/* What is in the way of our callers (a signal, a group that is killed) is not in its way. */
static int finish_apart(struct ft_stage *s)
{
	struct pollfd p = {.fd = -1, .events = POLLIN};
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return finish_all(s);
	if (!pid) {
		setsid();
		_exit(-finish_all(s) & 255);
	}
	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	while (p.fd >= 0 && poll(&p, 1, TICK_MS) <= 0)
		if (s->tick)
			s->tick(s->ctx);
	if (p.fd >= 0)
		close(p.fd);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

int ft_stage_commit(struct ft_stage *s)
{
	int status;

	if (s->dir < 0)
		return 0;
	forget_tree(s);
	status = write_journal(s);
	return status ? status : finish_apart(s);
}

/* With a journal there it is to be finished, not forgotten. */
void ft_stage_end(struct ft_stage *s)
{
	struct stat st;

	forget_tree(s);
	if (s->dir >= 0 && fstatat(s->dir, JOURNAL, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
		clear(s);
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
	flock(s->root, LOCK_UN);
	wire_free(&s->removes);
	wire_free(&s->puts);
	wire_free(&s->modes);
	s->count = 0;
}
