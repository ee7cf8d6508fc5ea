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
	return (S_ISDIR(st.st_mode) ? from_directory(d, spec->root) : docker_load_archive(d, spec->root, spec->dir)) ?
		d->image : NULL;
}
