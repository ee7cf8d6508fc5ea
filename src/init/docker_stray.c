/*
 * Containers and images that bear a store's tag, whatever became of the box's directory: for reap. The
 * box's name is the label of a container and the tag of an image; nothing else of the engine's is looked at.
 */
#include "init/docker_stray.h"

#include <string.h>

/* Of "WHAT NAME" in a line both parts; false: it is another's. */
static bool split(char *line, const char *tag, const char **what, const char **name)
{
	char *blank = strrchr(line, ' ');
	size_t n = blank ? strlen(blank + 1) : 0, t = strlen(tag);

	if (!n || n <= t + 1 || strcmp(blank + 1 + n - t, tag) || blank[n - t] != '-')
		return false;
	*blank = '\0';
	*what = line;
	*name = blank + 1;
	return true;
}

static void put_lines(struct tool *t, const char *tag, struct wire_out *o)
{
	char *save = NULL;
	const char *what, *name;

	for (char *line = t->said.data ? strtok_r(t->said.data, "\r\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\r\n", &save)) {
		size_t mark;

		if (!split(line, tag, &what, &name))
			continue;
		mark = wire_nest(o, WIRE_F_BOX);
		wire_text(o, WIRE_F_BOX, name);
		wire_text(o, WIRE_F_NAME, what);
		wire_unnest(o, mark);
	}
}

static bool containers(struct docker *d, const char *tag, struct wire_out *o)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "ps");
	docker_word(&w, "--all");
	docker_word(&w, "--no-trunc");
	docker_word(&w, "--filter=label=tinybox.box");
	docker_word(&w, docker_is_podman(d) ? "--format={{.ID}} {{index .Labels \"tinybox.box\"}}" :
		    "--format={{.ID}} {{.Label \"tinybox.box\"}}");
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not say which containers it has");
	put_lines(&t, tag, o);
	tool_free(&t);
	return true;
}

static bool images(struct docker *d, const char *tag, struct wire_out *o)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "images");
	docker_word(&w, "--filter=reference=" DOCKER_IMAGES ":*");
	docker_word(&w, "--format={{.Repository}}:{{.Tag}} {{.Tag}}");
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not say which images it has");
	put_lines(&t, tag, o);
	tool_free(&t);
	return true;
}

bool docker_strays(struct docker *d, const char *tag, struct wire_out *o)
{
	return docker_find(d) && containers(d, tag, o) && images(d, tag, o);
}

bool docker_drop(struct docker *d, const char *what)
{
	bool image = strchr(what, ':');
	struct docker_words w = {0};
	struct tool t;

	if (!docker_find(d))
		return false;
	docker_word(&w, image ? "rmi" : "rm");
	docker_word(&w, "--force");
	if (!image)
		docker_word(&w, "--volumes");
	docker_word(&w, "--");
	docker_word(&w, what);
	if (!docker_call(d, &t, &w, 60) && !strcasestr(text_string(&t.errors), "no such"))
		return docker_failed(d, &t, "the engine does not remove it");
	tool_free(&t);
	return true;
}
