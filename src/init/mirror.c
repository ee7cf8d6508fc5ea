/*
 * The guest's side of mirror.h. The kernel tells which file was written or renamed; how far each was
 * told is remembered here. A file that goes on faster than the keeper takes it waits on the disk.
 */
#include "init/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MOST 512u

struct file {
	char name[MIRROR_NAME];
	uint64_t told;
	bool more;
};

struct mirror {
	struct loop *loop;
	struct watch events, to;
	int dir, procs;
	int procs_watch;
	struct file files[FILES_MOST];	/* the first is the audit log */
	size_t count;
	uint8_t word[MIRROR_HEAD + MIRROR_NAME + MIRROR_MOST];
	size_t at, size;		/* of the word that is on its way */
};

static struct file *file_of(struct mirror *m, const char *name)
{
	struct file *f;

	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->files[i].name, name))
			return &m->files[i];
	/* logs come and go: one that was told whole is forgotten */
	for (size_t i = 2; m->count == FILES_MOST && i < m->count; i++)
		if (!m->files[i].more)
			m->files[i] = m->files[--m->count];
	if (m->count == FILES_MOST || strlen(name) >= MIRROR_NAME)
		return NULL;
	f = &m->files[m->count++];
	*f = (struct file){0};
	memcpy(f->name, name, strlen(name) + 1);
	return f;
}

/* False: the socket is full. */
static bool send_word(struct mirror *m)
{
	while (m->at < m->size) {
		ssize_t n = send(m->to.fd, m->word + m->at, m->size - m->at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			m->at += (size_t)n;
		else if (n < 0 && errno == EINTR)
			continue;
		else
			return false;
	}
	m->at = m->size = 0;
	return true;
}

static uint8_t *begin(struct mirror *m, enum mirror_what what, const char *name)
{
	size_t n = strlen(name);

	memset(m->word, 0, MIRROR_HEAD);
	m->word[0] = (uint8_t)what;
	m->word[1] = (uint8_t)n;
	memcpy(m->word + MIRROR_HEAD, name, n);
	m->at = 0;
	m->size = MIRROR_HEAD + n;
	return m->word + m->size;
}

static void add_bytes(struct mirror *m, size_t size)
{
	for (unsigned i = 0; i < 4; i++)
		m->word[4 + i] = (uint8_t)(size >> 8 * i);
	m->size += size;
}

/* What the file (under another name, perhaps) has beyond what was told. False: wait. */
static bool tell(struct mirror *m, struct file *f, const char *really)
{
	int dir = f == m->files ? m->dir : m->procs;
	int fd = openat(dir, really, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good = true;

	f->more = fd >= 0;
	while (good && f->more) {
		uint8_t *to = begin(m, MIRROR_ADD, f->name);
		ssize_t n = pread(fd, to, MIRROR_MOST, (off_t)f->told);

		f->more = n > 0;
		if (n <= 0) {
			m->size = 0;
			break;
		}
		add_bytes(m, (size_t)n);
		f->told += (uint64_t)n;
		good = send_word(m);
	}
	if (fd >= 0)
		close(fd);
	return good;
}

/* What was written by now. False: the keeper does not take more at the moment. */
static bool mirror_pump(struct mirror *m)
{
	bool good = send_word(m);

	for (size_t i = 0; good && i < m->count; i++)
		if (m->files[i].more)
			good = tell(m, &m->files[i], m->files[i].name);
	watch_want(m->loop, &m->to, good ? 0 : EPOLLOUT);
	return good;
}

/* Its rest is told before its turn: from here on nothing else is known of it. */
static void turned(struct mirror *m, const char *old)
{
	char name[MIRROR_NAME];
	size_t n = strlen(old);
	struct file *f;

	if (n < 3 || n >= MIRROR_NAME || strcmp(old + n - 2, ".1"))
		return;
	memcpy(name, old, n - 2);
	name[n - 2] = '\0';
	f = file_of(m, name);
	if (!f)
		return;
	/* a socket that is full now cannot be waited for: what is lost then is an old log's */
	if (!send_word(m) || !tell(m, f, old))
		return;
	f->told = 0;
	f->more = true;
	begin(m, MIRROR_TURN, name);
	send_word(m);
}

static void happened(struct mirror *m, const struct inotify_event *e)
{
	const char *name = e->wd != m->procs_watch ? "audit" : e->len ? e->name : "";
	struct file *f;

	if (e->mask & IN_MOVED_TO) {
		turned(m, name);
		return;
	}
	/* an overflow: anything may have been written */
	if (e->mask & IN_Q_OVERFLOW)
		for (size_t i = 0; i < m->count; i++)
			m->files[i].more = true;
	if (!(e->mask & (IN_MODIFY | IN_CREATE)) || !*name || strstr(name, ".1"))
		return;
	f = file_of(m, name);
	if (f && e->mask & IN_CREATE)
		f->told = 0;
	if (f)
		f->more = true;
}

/* False: there were none. */
static bool take_events(struct mirror *m)
{
	union {
		struct inotify_event align;
		char bytes[4096];
	} got;
	ssize_t n = read(m->events.fd, got.bytes, sizeof(got.bytes));

	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *e = (const void *)(got.bytes + at);

		happened(m, e);
		at += (ssize_t)(sizeof(*e) + e->len);
	}
	return n > 0;
}

static void events_ready(void *owner, uint32_t events)
{
	struct mirror *m = owner;

	(void)events;
	take_events(m);
	mirror_pump(m);
}

static void drop(struct mirror *m)
{
	watch_close(m->loop, &m->to);
	watch_close(m->loop, &m->events);
	close(m->procs);
	close(m->dir);
	free(m);
}

bool mirror_finish(struct mirror *m)
{
	while (take_events(m))
		;
	if (m->to.fd >= 0 && !mirror_pump(m))
		return false;
	drop(m);
	return true;
}

static void to_ready(void *owner, uint32_t events)
{
	struct mirror *m = owner;

	if (events & (EPOLLHUP | EPOLLERR)) {
		watch_close(m->loop, &m->to);
		watch_close(m->loop, &m->events);
		return;
	}
	mirror_pump(m);
}

/* What was there before this start has been told before. */
static void skip_old(struct mirror *m)
{
	static const char *const names[] = {"audit", "records"};
	struct stat st;

	for (size_t i = 0; i < 2; i++)
		if (fstatat(i ? m->procs : m->dir, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			file_of(m, names[i])->told = (uint64_t)st.st_size;
		else
			file_of(m, names[i]);
}

/* The watch's number; -1: none. */
static int watch_below(const struct mirror *m, const char *dir, const char *name, uint32_t events)
{
	char path[64];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return -1;
	return inotify_add_watch(m->events.fd, path, events);
}

struct mirror *mirror_open(struct loop *loop, const char *dir, int fd)
{
	struct mirror *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->loop = loop;
	m->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mkdirat(m->dir, "procs", 0700) < 0 && errno != EEXIST) {
		close(m->dir);
		free(m);
		return NULL;
	}
	m->procs = openat(m->dir, "procs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(openat(m->dir, "audit", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
	m->to = (struct watch){.fd = fd, .ready = to_ready, .owner = m};
	m->events = (struct watch){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.ready = events_ready, .owner = m};
	m->procs_watch = watch_below(m, dir, "procs", IN_MODIFY | IN_CREATE | IN_MOVED_TO);
	watch_below(m, dir, "audit", IN_MODIFY);
	skip_old(m);
	return m->procs_watch >= 0 && watch_want(loop, &m->events, EPOLLIN) ? m : NULL;
}

struct mirror *mirror_again(struct mirror *m, const char *dir, int fd)
{
	struct loop *loop = m->loop;
	struct file *f;

	drop(m);
	m = mirror_open(loop, dir, fd);
	f = m ? file_of(m, "records") : NULL;
	if (f) {
		f->told = 0;
		f->more = true;
	}
	return m;
}
