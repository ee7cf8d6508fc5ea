/*
 * A tree is found by the parents that /proc/PID/stat names. One pass may miss what is forked
 * meanwhile: whoever kills repeats it until nothing is left.
 */
#include "init/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/text.h"

struct dirent_raw {
	uint64_t inode;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

static uint64_t digits(const char **at)
{
	uint64_t n = 0;

	while (**at >= '0' && **at <= '9')
		n = n * 10 + (uint64_t)(*(*at)++ - '0');
	return n;
}

/*
 * PID (NAME) STATE PARENT ...: the name is the process's own choice and may hold anything, so what
 * counts begins behind the last parenthesis.
 */
static bool parse_stat(const char *s, struct tree_entry *e)
{
	const char *at = strrchr(s, ')');
	uint64_t field[23] = {0};

	if (!at || at[1] != ' ' || !at[2])
		return false;
	e->zombie = at[2] == 'Z' || at[2] == 'X';
	at += 3;
	for (unsigned i = 4; i < 23 && *at == ' '; i++) {
		at += 1 + (at[1] == '-');
		field[i] = digits(&at);
	}
	e->parent = (pid_t)field[4];
	e->ticks_user = field[14];
	e->ticks_system = field[15];
	e->started = field[22];
	return true;
}

static bool read_stat(int proc, pid_t pid, struct tree_entry *e)
{
	char path[32], text[1024];
	size_t n = text_decimal(path, (uint64_t)pid);
	ssize_t got;
	int fd;

	memcpy(path + n, "/stat", 6);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	*e = (struct tree_entry){.pid = pid};
	return parse_stat(text, e);
}

static bool add(struct tree *t, int proc, pid_t pid)
{
	if (t->count == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 64;
		struct tree_entry *more = realloc(t->entry, cap * sizeof(*more));

		if (!more)
			return false;
		t->entry = more;
		t->cap = cap;
	}
	t->count += read_stat(proc, pid, &t->entry[t->count]);
	return true;
}

static bool read_names(struct tree *t, int proc, int dir)
{
	_Alignas(struct dirent_raw) char names[4096];
	long got;

	while ((got = syscall(SYS_getdents64, dir, names, sizeof(names))) > 0) {
		for (long i = 0; i < got;) {
			const struct dirent_raw *d = (const void *)(names + i);
			const char *at = d->name;
			uint64_t pid = digits(&at);

			if (pid && !*at && !add(t, proc, (pid_t)pid))
				return false;
			i += d->size;
		}
	}
	return got == 0;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct tree_entry *)a)->pid, y = ((const struct tree_entry *)b)->pid;

	return (x > y) - (x < y);
}

bool tree_read(struct tree *t, int proc)
{
	int dir = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = dir >= 0;

	*t = (struct tree){0};
	if (good) {
		good = read_names(t, proc, dir);
		close(dir);
	}
	if (!good)
		tree_free(t);
	else if (t->count)
		qsort(t->entry, t->count, sizeof(*t->entry), by_pid);
	return good;
}

static struct tree_entry *find(const struct tree *t, pid_t pid)
{
	struct tree_entry key = {.pid = pid};

	if (!t->count)
		return NULL;
	return bsearch(&key, t->entry, t->count, sizeof(key), by_pid);
}

static bool left_out(pid_t pid, const pid_t *without, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (without[i] == pid)
			return true;
	return false;
}

/* Children mostly have larger pids than their parents, so one round over the list marks most. */
static void spread(struct tree *t, pid_t root, const pid_t *without, size_t count)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < t->count; i++) {
			struct tree_entry *e = &t->entry[i], *parent;

			if (e->below || e->pid == root)
				continue;
			parent = e->parent == root ? e : find(t, e->parent);
			if (!parent || (parent != e && !parent->below) ||
			    left_out(e->pid, without, count))
				continue;
			e->below = more = true;
		}
	}
}

void tree_mark(struct tree *t, pid_t root, const pid_t *without, size_t count)
{
	spread(t, root, without, count);
}

size_t tree_alive(const struct tree *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		n += t->entry[i].below && !t->entry[i].zombie;
	return n;
}

static bool signal_one(const struct tree_entry *e, int proc, int sig, size_t *denied)
{
	int fd = (int)syscall(SYS_pidfd_open, e->pid, 0);
	struct tree_entry again;
	bool good;

	if (fd < 0)
		return false;
	good = read_stat(proc, e->pid, &again) && again.started == e->started &&
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) == 0;
	if (!good && errno == EPERM)
		++*denied;
	close(fd);
	return good;
}

size_t tree_signal(const struct tree *t, int proc, int sig, size_t *denied)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		errno = 0;
		if (t->entry[i].below && !t->entry[i].zombie)
			n += signal_one(&t->entry[i], proc, sig, denied);
	}
	return n;
}

void tree_free(struct tree *t)
{
	free(t->entry);
	*t = (struct tree){0};
}

size_t tree_pass(int proc, pid_t root, const pid_t *without, size_t count, int sig,
		 size_t *denied)
{
	struct tree t;
	size_t alive;

	if (!tree_read(&t, proc))
		return 0;
	tree_mark(&t, root, without, count);
	alive = tree_alive(&t);
	if (alive && sig)
		tree_signal(&t, proc, sig, denied);
	tree_free(&t);
	return alive;
}
