/*
 * A box's image from an archive that somebody has: a root's files, or an image as an engine or another tool saved it. An engine
 * that loads an image gives it, and others, names of the archive's choice: a stranger's archive could so become what
 * `docker run debian` runs. Therefore the engine gets the first image of it with the box's name alone, made anew of its files
 * (docker_canon.c) while it is read. (podman makes another name of that: it is named when it is there.)
 */
#include "init/docker_stray.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/docker_archive.h"

#define LOAD 900u	/* seconds */
#define HEADS_MOST 100000u

static bool octal(const uint8_t *s, size_t n, uint64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < n && s[i] == ' ')
		i++;
	for (; i < n && s[i] >= '0' && s[i] <= '7'; i++)
		*out = *out * 8 + (uint64_t)(s[i] - '0');
	return i > 0 && *out < 1ull << 40;
}

enum archive { ARCHIVE_UNKNOWN, ARCHIVE_TREE, ARCHIVE_IMAGE };

/* An image that was saved has one of these names at its top, or both; anything else is a root's files. */
static enum archive archive_of(int fd)
{
	uint8_t head[512];
	const char *name;
	off_t at = 0;
	uint64_t size;

	for (unsigned i = 0; i < HEADS_MOST; i++) {
		if (pread(fd, head, sizeof(head), at) != (ssize_t)sizeof(head) || !head[0])
			return i ? ARCHIVE_TREE : ARCHIVE_UNKNOWN;
		if (memcmp(head + 257, "ustar", 5) || !octal(head + 124, 12, &size))
			return ARCHIVE_UNKNOWN;
		name = (char *)head + (head[0] == '.' && head[1] == '/' ? 2 : 0);
		if (!strcmp(name, "manifest.json") || !strcmp(name, "oci-layout"))
			return ARCHIVE_IMAGE;
		at += (off_t)(512 + ((size + 511) & ~511ull));
	}
	return ARCHIVE_TREE;
}

/* ---- What is packed ---- */

/* A program that unpacks it; NULL: it is not packed in a way that is known. */
static const char *packer(int fd)
{
	static const struct {
		const char *magic, *program;
		size_t size;
	} all[] = {{"\x1f\x8b", "gzip", 2}, {"BZh", "bzip2", 3}, {"\xfd" "7zXZ", "xz", 5},
		{"\x28\xb5\x2f\xfd", "zstd", 4}};
	char head[8] = "";

	if (pread(fd, head, sizeof(head), 0) < 6)
		return NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!memcmp(head, all[i].magic, all[i].size))
			return all[i].program;
	return NULL;
}

static int scratch(const char *dir)
{
	struct text t = {0};
	int fd;

	text_add(&t, dir);
	text_add(&t, "/unpacked");
	if (!t.failed)
		unlink(t.data);
	fd = t.failed ? -1 : open(t.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		unlink(t.data);
	text_free(&t);
	return fd;
}

/* The same, unpacked; -1: why. */
static int unpack(struct docker *d, int fd, const char *program, const char *dir)
{
	struct text path = {0};
	const char *words[] = {NULL, "-dc", NULL};
	struct tool t = {.argv = words, .env = d->env, .in = fd, .out = scratch(dir), .seconds = LOAD,
		.tick = d->tick, .ctx = d->ctx};
	int out = t.out;
	bool good;

	text_add(&path, "/usr/bin/");
	text_add(&path, program);
	if (!path.failed && access(path.data, X_OK)) {
		text_free(&path);
		text_add(&path, "/bin/");
		text_add(&path, program);
	}
	words[0] = text_string(&path);
	good = out >= 0 && !path.failed && tool_run(&t);
	if (!good) {
		docker_failed(d, out >= 0 ? &t : NULL, out < 0 ? "the packed archive cannot be unpacked into the state directory" :
			      "the packed archive cannot be unpacked");
		if (out >= 0)
			close(out);
		out = -1;
	}
	text_free(&path);
	if (good)
		tool_free(&t);
	return out;
}

/* ---- Images ---- */

/* A child of ours, which writes what the engine reads; it goes with us. */
static pid_t write_canon(const struct docker *d, int fd, const char *id, int to)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	_exit(!archive_canon(fd, to, id, docker_is_podman(d) ? NULL : d->image));
}

static bool load_from(struct docker *d, int fd, const char *id)
{
	const char *words[] = {d->program, "load", "--quiet", NULL};
	struct tool t = {.argv = words, .env = d->env, .seconds = LOAD, .tick = d->tick, .ctx = d->ctx};
	int ends[2];
	pid_t child;
	bool good;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return docker_failed(d, NULL, "the image cannot be given to the engine");
	child = write_canon(d, fd, id, ends[1]);
	close(ends[1]);
	t.in = ends[0];
	good = child > 0 && tool_run(&t);
	close(ends[0]);
	/* what it wrote is right if the engine has the image */
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	if (!good)
		return docker_failed(d, child > 0 ? &t : NULL, "the engine does not load the image");
	good = strstr(text_string(&t.said), docker_is_podman(d) ? id : d->image);
	tool_free(&t);
	return good || docker_failed(d, NULL, "the engine does not say that it has loaded the image");
}

static bool name_it(struct docker *d, const char *id)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "tag");
	docker_word(&w, "--");
	docker_word(&w, id);
	docker_word(&w, d->image);
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not name the image that was loaded");
	tool_free(&t);
	return true;
}

static bool load(struct docker *d, int fd)
{
	char id[ARCHIVE_HEX + 1];

	if (!archive_id(fd, id))
		return docker_failed(d, NULL, "the archive is of an image, and not in a form that is known: what names it may give is not "
				     "known either; load it by the engine's own command, and give --image its name");
	return load_from(d, fd, id) && (!docker_is_podman(d) || name_it(d, id));
}

static bool from(struct docker *d, int fd)
{
	if (archive_of(fd) == ARCHIVE_IMAGE)
		return load(d, fd);
	return lseek(fd, 0, SEEK_SET) == 0 && docker_import(d, fd);
}

bool docker_load_archive(struct docker *d, const char *path, const char *dir)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), plain;
	const char *program;
	struct stat st;
	bool good;

	if (fd < 0)
		return docker_failed(d, NULL, "the image's archive cannot be opened");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return docker_failed(d, NULL, "the image is neither a directory nor an archive");
	}
	program = packer(fd);
	if (program) {
		plain = unpack(d, fd, program, dir);
		close(fd);
		fd = plain;
	}
	good = fd >= 0 && from(d, fd);
	if (fd >= 0)
		close(fd);
	return good;
}
