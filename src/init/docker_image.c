/*
 * Where a container's image comes from: the engine has it (or fetches it), or it is made from a
 * directory or an archive of this machine, under a name of the box's own that goes with the box.
 */
#include "init/docker_stray.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOAD 900u	/* seconds */
#define HEADS_MOST 100000u

bool docker_name_image(struct docker *d, const struct spec *spec)
{
	struct text t = {0};

	text_add(&t, DOCKER_IMAGES ":");
	text_add(&t, spec->box);
	/* a plus may be in a box's name and not in a tag */
	for (char *at = t.data; at && *at; at++)
		if (*at == '+')
			*at = '_';
	if (t.failed)
		return docker_failed(d, NULL, "no memory");
	free(d->image);
	d->image = t.data;
	return true;
}

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

enum archive { ARCHIVE_UNKNOWN, ARCHIVE_TREE, ARCHIVE_IMAGE, ARCHIVE_OCI };

/* An image that was saved has one of these names at its top, newer ones both; anything else is a root's files. */
static enum archive archive_of(int fd)
{
	enum archive found = ARCHIVE_TREE;
	uint8_t head[512];
	const char *name;
	off_t at = 0;
	uint64_t size;

	for (unsigned i = 0; i < HEADS_MOST; i++) {
		if (pread(fd, head, sizeof(head), at) != (ssize_t)sizeof(head) || !head[0])
			return i ? found : ARCHIVE_UNKNOWN;
		if (memcmp(head + 257, "ustar", 5) || !octal(head + 124, 12, &size))
			return ARCHIVE_UNKNOWN;
		name = (char *)head + (head[0] == '.' && head[1] == '/' ? 2 : 0);
		if (!strcmp(name, "manifest.json"))
			return ARCHIVE_IMAGE;
		if (!strcmp(name, "oci-layout"))
			found = ARCHIVE_OCI;
		at += (off_t)(512 + ((size + 511) & ~511ull));
	}
	return found;
}

bool docker_import(struct docker *d, int fd)
{
	struct docker_words w = {0};
	struct tool t;
	bool good;

	docker_word(&w, d->program);
	docker_word(&w, "import");
	docker_word(&w, "-");
	docker_word(&w, d->image);
	t = (struct tool){.argv = w.at, .env = d->env, .in = fd, .seconds = LOAD, .tick = d->tick,
		.ctx = d->ctx};
	good = !w.failed && tool_run(&t);
	docker_free_words(&w);
	if (!good)
		return docker_failed(d, &t, "the engine does not take the archive for an image");
	tool_free(&t);
	return true;
}

static bool tag(struct docker *d, const char *from)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "tag");
	docker_word(&w, "--");
	docker_word(&w, from);
	docker_word(&w, d->image);
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not name the image that was loaded");
	tool_free(&t);
	return true;
}

/* "Loaded image: REF" or "Loaded image ID: sha256:..."; podman: "Loaded image: ...". */
static bool load_from(struct docker *d, int fd)
{
	static const char before[] = "Loaded image";
	struct docker_words w = {0};
	const char *at, *ref;
	struct tool t;
	bool good;

	docker_word(&w, d->program);
	docker_word(&w, "load");
	docker_word(&w, "--quiet");
	t = (struct tool){.argv = w.at, .env = d->env, .in = fd, .seconds = LOAD, .tick = d->tick,
		.ctx = d->ctx};
	good = !w.failed && tool_run(&t);
	docker_free_words(&w);
	if (!good)
		return docker_failed(d, &t, "the engine does not load the image");
	at = strstr(text_string(&t.said), before);
	ref = at ? strchr(at, ':') : NULL;
	if (!ref)
		return docker_failed(d, NULL, "the engine does not say which image it has loaded");
	ref++;
	ref += strspn(ref, " ");
	((char *)(uintptr_t)ref)[strcspn(ref, "\r\n")] = '\0';
	good = tag(d, ref);
	tool_free(&t);
	return good;
}

static bool from_archive(struct docker *d, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	enum archive kind = fd < 0 ? ARCHIVE_UNKNOWN : archive_of(fd);
	bool good = false;

	if (fd < 0)
		return docker_failed(d, NULL, "the image's archive cannot be opened");
	if (kind != ARCHIVE_TREE)
		good = load_from(d, fd);
	if (!good && kind == ARCHIVE_OCI)
		docker_failed(d, NULL, "the archive is an OCI layout, which this engine does not load: docker 25 and podman do, and "
			      "`skopeo copy oci-archive:A docker-archive:B` makes one of it that all do");
	/* what is compressed may be either */
	if (!good && kind <= ARCHIVE_TREE)
		good = lseek(fd, 0, SEEK_SET) == 0 && docker_import(d, fd);
	close(fd);
	return good;
}

static bool from_directory(struct docker *d, const char *path)
{
	const char *const places[] = {"/usr/bin/tar", "/bin/tar"};
	const char *pack[] = {places[access(places[0], X_OK) != 0], "--one-file-system", "--numeric-owner",
		"-C", path, "-cf", "-", "--", ".", NULL};
	const char *take[] = {d->program, "import", "-", d->image, NULL};
	struct tool from = {.argv = pack, .env = d->env, .in = -1, .seconds = LOAD};
	struct tool to = {.argv = take, .env = d->env, .in = -1, .seconds = LOAD, .tick = d->tick,
		.ctx = d->ctx};
	bool good = tool_pipe(&from, &to);

	if (!good)
		docker_failed(d, from.status && !from.late ? &from : &to,
			      "the engine does not take the directory for an image");
	tool_free(&from);
	tool_free(&to);
	return good;
}

const char *docker_image(struct docker *d, const struct spec *spec)
{
	struct stat st;

	if (spec->image)
		return spec->image;
	if (!spec->root) {
		docker_failed(d, NULL, "a box behind docker begins from an image: name one with --image");
		return NULL;
	}
	if (stat(spec->root, &st)) {
		docker_failed(d, NULL, errno == ENOENT ? "there is no such directory or archive for an image" :
			      "the image's directory or archive cannot be read");
		return NULL;
	}
	if (!*d->image)
		return NULL;
	return (S_ISDIR(st.st_mode) ? from_directory(d, spec->root) : from_archive(d, spec->root)) ?
		d->image : NULL;
}
