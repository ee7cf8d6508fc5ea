/*
 * The host calls: all a guest can ask for. A guest's pointers and lengths are
 * checked against its memory before they are used; what it opens are its
 * process's descriptors, so it can do what a command can do and no more.
 * Results are counts or Linux's -errno.
 */
#include "guest/sys.h"

#include <errno.h>
#include <string.h>

/* Declared by the generated headers; here by hand, since they are made later. */
uint32_t Z_hZ_read(struct guest *g, uint32_t fd, uint32_t p, uint32_t n);
uint32_t Z_hZ_write(struct guest *g, uint32_t fd, uint32_t p, uint32_t n);
uint32_t Z_hZ_open(struct guest *g, uint32_t path, uint32_t n, uint32_t flags, uint32_t mode);
uint32_t Z_hZ_close(struct guest *g, uint32_t fd);
uint64_t Z_hZ_seek(struct guest *g, uint32_t fd, uint64_t offset, uint32_t whence);
uint32_t Z_hZ_stat(struct guest *g, uint32_t fd, uint32_t path, uint32_t n, uint32_t out);
uint64_t Z_hZ_now(struct guest *g, uint32_t clock);
void Z_hZ_random(struct guest *g, uint32_t p, uint32_t n);
uint32_t Z_hZ_text(struct guest *g, uint32_t what, uint32_t index, uint32_t p, uint32_t cap);
uint32_t Z_hZ_realpath(struct guest *g, uint32_t path, uint32_t n, uint32_t out, uint32_t cap);
uint32_t Z_hZ_isatty(struct guest *g, uint32_t fd);
void Z_hZ_exit(struct guest *g, uint32_t status);

/* [p, p + n) of the guest's memory, or the guest ends. */
static void *bytes(struct guest *g, uint32_t p, uint32_t n)
{
	if ((uint64_t)p + n > g->memory->size)
		guest_leave(g, GUEST_WILD);
	return g->memory->data + p;
}

/* A copy in the process's heap, ended by a NUL; in host code. A NUL inside cuts no name. */
static char *path_of(struct guest *g, uint32_t path, uint32_t n)
{
	const char *at = bytes(g, path, n);

	guest_pause();
	return tsb_strndup(g->p, at, n);
}

uint32_t Z_hZ_read(struct guest *g, uint32_t fd, uint32_t p, uint32_t n)
{
	void *at = bytes(g, p, n);
	ssize_t r;

	guest_pause();
	guest_charge_read(g, (int)fd);
	r = tsb_read(g->p, (int)fd, at, n);
	guest_resume(g);
	return (uint32_t)r;
}

uint32_t Z_hZ_write(struct guest *g, uint32_t fd, uint32_t p, uint32_t n)
{
	const void *at = bytes(g, p, n);
	ssize_t r;

	guest_pause();
	r = tsb_write(g->p, (int)fd, at, n);
	guest_resume(g);
	return (uint32_t)r;
}

uint32_t Z_hZ_open(struct guest *g, uint32_t path, uint32_t n, uint32_t flags, uint32_t mode)
{
	char *name = path_of(g, path, n);
	int r = tsb_open(g->p, name, (int)flags, mode);

	guest_resume(g);
	return (uint32_t)r;
}

uint32_t Z_hZ_close(struct guest *g, uint32_t fd)
{
	int r;

	guest_pause();
	r = tsb_close(g->p, (int)fd);
	guest_resume(g);
	return (uint32_t)r;
}

uint64_t Z_hZ_seek(struct guest *g, uint32_t fd, uint64_t offset, uint32_t whence)
{
	int64_t r;

	guest_pause();
	r = tsb_lseek(g->p, (int)fd, (int64_t)offset, (int)whence);
	guest_resume(g);
	return (uint64_t)r;
}

/* struct h_stat of libc/libc.c */
struct guest_stat {
	int64_t size, ino, dev, mtime;
	uint32_t mode, nlink;
};

uint32_t Z_hZ_stat(struct guest *g, uint32_t fd, uint32_t path, uint32_t n, uint32_t out)
{
	struct guest_stat made;
	struct tsb_stat st;
	void *to = bytes(g, out, sizeof(made));
	char *name = path_of(g, path, n);
	int r = (int)fd < 0 ? tsb_stat(g->p, name, &st) : tsb_fstat(g->p, (int)fd, &st);

	guest_resume(g);
	if (r)
		return (uint32_t)r;
	made = (struct guest_stat){ .size = (int64_t)st.size, .ino = (int64_t)st.ino,
		.dev = (int64_t)st.dev, .mtime = st.mtime.sec, .mode = st.mode,
		.nlink = (uint32_t)st.nlink };
	memcpy(to, &made, sizeof(made));
	return 0;
}

uint64_t Z_hZ_now(struct guest *g, uint32_t clock)
{
	struct tsb_time t;

	guest_pause();
	t = tsb_clock(g->p, clock == 0 ? TSB_CLOCK_REAL : TSB_CLOCK_MONOTONIC);
	guest_resume(g);
	return (uint64_t)t.sec * 1000000000u + (uint64_t)t.nsec;
}

void Z_hZ_random(struct guest *g, uint32_t p, uint32_t n)
{
	void *at = bytes(g, p, n);

	guest_pause();
	tsb_random(g->p, at, n);
	guest_resume(g);
}

/* The index-th argument (what 0) or variable of the environment (what 1): its length, and as
 * much of it as fits. */
uint32_t Z_hZ_text(struct guest *g, uint32_t what, uint32_t index, uint32_t p, uint32_t cap)
{
	void *to = bytes(g, p, cap);
	const char *const *env, *text = NULL;
	size_t n;

	if (g->preparing)
		return (uint32_t)-ENOENT;
	guest_pause();
	if (what == 0 && index < (uint32_t)g->argc)
		text = g->argv[index];
	env = tsb_environ(g->p);
	for (uint32_t i = 0; what == 1 && env[i] && !text; i++)
		if (i == index)
			text = env[i];
	guest_resume(g);
	if (!text)
		return (uint32_t)-ENOENT;
	n = strlen(text);
	memcpy(to, text, n < cap ? n : cap);
	return (uint32_t)n;
}

uint32_t Z_hZ_realpath(struct guest *g, uint32_t path, uint32_t n, uint32_t out, uint32_t cap)
{
	char *to = bytes(g, out, cap), *made = NULL, *name = path_of(g, path, n);
	int r = tsb_realpath(g->p, name, TSB_REAL_ALL_EXIST, &made);
	size_t len;

	guest_resume(g);
	if (r)
		return (uint32_t)r;
	len = strlen(made);
	if (len >= cap)
		return (uint32_t)-ENAMETOOLONG;
	memcpy(to, made, len + 1);
	return (uint32_t)len;
}

uint32_t Z_hZ_isatty(struct guest *g, uint32_t fd)
{
	bool r;

	guest_pause();
	r = tsb_isatty(g->p, (int)fd);
	guest_resume(g);
	return r;
}

void Z_hZ_exit(struct guest *g, uint32_t status)
{
	g->status = (int)(status & 255);
	guest_leave(g, GUEST_EXIT);
}
