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

/*
 * "ID CALLED" is the container of that box: what somebody commits of one, and runs, bears its labels, and is his. The
 * line ends behind the ID.
 */
static bool is_boxes(char *line, const char *name)
{
	static const char own[] = DOCKER_NAME;
	char *called = strchr(line, ' ');

	if (!called)
		return false;
	*called++ = '\0';
	return !strncmp(called, own, sizeof(own) - 1) && !strcmp(called + sizeof(own) - 1, name);
}

/* called: lines have the name of what is there, too. */
static void put_lines(struct tool *t, const char *tag, bool called, struct wire_out *o)
{
	char *save = NULL;
	const char *what, *name;

	for (char *line = t->said.data ? strtok_r(t->said.data, "\r\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\r\n", &save)) {
		size_t mark;

		if (!split(line, tag, &what, &name) || (called && !is_boxes(line, name)))
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
	docker_word(&w, docker_is_podman(d) ? "--format={{.ID}} {{.Names}} {{index .Labels \"tinybox.box\"}}" :
		    "--format={{.ID}} {{.Names}} {{.Label \"tinybox.box\"}}");
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not say which containers it has");
	put_lines(&t, tag, true, o);
	tool_free(&t);
	return true;
}

static bool images(struct docker *d, const char *tag, const char *repository, struct wire_out *o)
{
	struct docker_words w = {0};
	struct text filter = {0};
	struct tool t;

	docker_word(&w, "images");
	text_add(&filter, "--filter=reference=");
	text_add(&filter, repository);
	text_add(&filter, ":*");
	docker_word(&w, text_string(&filter));
	text_free(&filter);
	docker_word(&w, "--format={{.Repository}}:{{.Tag}} {{.Tag}}");
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not say which images it has");
	put_lines(&t, tag, false, o);
	tool_free(&t);
	return true;
}

bool docker_strays(struct docker *d, const char *tag, const char *repository, struct wire_out *o)
{
	return docker_find(d) && (repository || containers(d, tag, o)) &&
		images(d, tag, repository ? repository : DOCKER_IMAGES, o);
}

bool docker_drop(struct docker *d, const char *what)
{
	bool image = strchr(what, ':');
	struct docker_words w = {0};
	struct tool t;

	if (!d->program && !docker_find(d))
		return false;
	docker_word(&w, image ? "rmi" : "rm");
	docker_word(&w, "--force");
	if (!image)
		docker_word(&w, "--volumes");
	docker_word(&w, "--");
	docker_word(&w, what);
	if (!docker_call(d, &t, &w, 60) && !text_has(text_string(&t.errors), "no such"))
		return docker_failed(d, &t, "the engine does not remove it");
	tool_free(&t);
	return true;
}

bool docker_is_image(const char *name)
{
	const char *colon = strchr(name, ':');
	size_t n = strlen(name);

	if (!colon || colon == name || !colon[1] || strchr(colon + 1, ':') || n > 255 || *name == '-')
		return false;
	for (; *name; name++)
		if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z') &&
		    !(*name >= '0' && *name <= '9') && !strchr("._/:-", *name))
			return false;
	return true;
}

/* "sha256:HEX SIZE" */
static bool put_image(const char *line, struct wire_out *o)
{
	const char *hex = strncmp(line, "sha256:", 7) ? line : line + 7, *end = strchr(hex, ' ');
	uint8_t hash[32];
	uint64_t size = 0;

	if (!end || end - hex != 64)
		return false;
	for (size_t i = 0; i < 64; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *at = strchr(digits, hex[i]);

		if (!at)
			return false;
		hash[i / 2] = (uint8_t)(hash[i / 2] << 4 | (at - digits));
	}
	for (end++; *end >= '0' && *end <= '9' && size < UINT64_MAX / 10; end++)
		size = size * 10 + (uint64_t)(*end - '0');
	wire_bytes(o, WIRE_F_HASH, hash, sizeof(hash));
	wire_u64(o, WIRE_F_SIZE, size);
	return true;
}

/*
 * What labels the container must not label others that somebody makes of the image: they would go with
 * the box.
 */
static bool commit(struct docker *d, const char *id, const char *image, char made[65])
{
	struct docker_words w = {0};
	const char *said;
	struct tool t;

	if (docker_ask_commit(d, id, image, made))
		return true;
	docker_word(&w, "commit");
	docker_word(&w, "--change=LABEL tinybox.box=\"\" " DOCKER_LABEL "=\"\"");
	docker_word(&w, "--change=ENTRYPOINT []");
	docker_word(&w, "--");
	docker_word(&w, id);
	docker_word(&w, image);
	if (!docker_call(d, &t, &w, 900))
		return docker_failed(d, &t, "the engine does not make an image of the container");
	said = tool_line(&t);
	said += strncmp(said, "sha256:", 7) ? 0 : 7;
	made[0] = '\0';
	if (strlen(said) == 64 && strspn(said, "0123456789abcdef") == 64)
		memcpy(made, said, 65);
	tool_free(&t);
	return true;
}

bool docker_look(struct docker *d, const char *image, struct wire_out *o, bool *none)
{
	struct docker_words w = {0};
	struct text line = {0};
	struct tool t;
	bool good;

	if (!d->program && !docker_find(d))
		return false;
	good = docker_ask_image(d, image, &line) && put_image(text_string(&line), o);
	text_free(&line);
	if (good)
		return true;
	docker_word(&w, "image");
	docker_word(&w, "inspect");
	docker_word(&w, "--format={{.Id}} {{.Size}}");
	docker_word(&w, "--");
	docker_word(&w, image);
	if (!docker_call(d, &t, &w, 60)) {
		*none = text_has(text_string(&t.errors), "no such image") ||
			strstr(text_string(&t.errors), "image not known");
		return docker_failed(d, &t, "the engine does not know the image");
	}
	good = put_image(tool_line(&t), o);
	tool_free(&t);
	return good || docker_failed(d, NULL, "the engine names the image in a way that is not known");
}

bool docker_commit(struct docker *d, const char *image, struct wire_out *o)
{
	char id[65], made[65];
	bool none;

	memcpy(id, d->id, sizeof(id));
	return (*id || docker_one(d, id)) && commit(d, id, image, made) &&
		docker_look(d, *made ? made : image, o, &none);
}
