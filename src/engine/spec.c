/* START, taken apart and checked. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(char *why, const char *text)
{
	snprintf(why, VIRTUAL_WHY, "%s", text);
	return false;
}

static bool read_text(struct spec *s, struct wire_iter it)
{
	static const enum wire_field names[] = {
		WIRE_F_DIR, WIRE_F_HOSTNAME, WIRE_F_CWD, WIRE_F_ROOT, WIRE_F_WORKSPACE, WIRE_F_TARGET,
		WIRE_F_LAYERS
	};
	const char **to[] = { &s->v.dir, &s->v.hostname, &s->v.cwd, &s->v.root, &s->v.workspace,
			      &s->v.target, &s->v.layers };
	bool bad = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		s->text[i] = wire_string(it, names[i], &bad);
		if (s->text[i] && !*s->text[i]) {
			free(s->text[i]);
			s->text[i] = NULL;
		}
		*to[i] = s->text[i];
	}
	s->box = wire_string(it, WIRE_F_BOX, &bad);
	s->network = wire_string(it, WIRE_F_NETWORK, &bad);
	s->env = wire_list(it, WIRE_F_ENV, &bad);
	s->accept = wire_list(it, WIRE_F_ACCEPT, &bad);
	s->layer = wire_list(it, WIRE_F_LAYER, &bad);
	s->v.env = (const char *const *)s->env;
	s->v.layer = (const char *const *)s->layer;
	return !bad;
}

static bool read_numbers(struct spec *s, struct wire_iter it)
{
	bool bad = false;
	uint64_t pids = wire_number(it, WIRE_F_PIDS, 0, &bad);
	uint64_t files = wire_number(it, WIRE_F_OPEN_FILES, 0, &bad);

	s->v.memory = wire_number(it, WIRE_F_MEMORY, 0, &bad);
	s->v.disk = wire_number(it, WIRE_F_DISK, 0, &bad);
	s->v.pids = pids < UINT32_MAX ? (uint32_t)pids : UINT32_MAX;
	s->v.open_files = files < UINT32_MAX ? (uint32_t)files : UINT32_MAX;
	s->cpu = (uint32_t)wire_number(it, WIRE_F_CPU, 0, &bad);
	s->v.readonly = wire_number(it, WIRE_F_READONLY, 0, &bad);
	s->ports = wire_count(it, WIRE_F_PUBLISH);
	s->allow = wire_count(it, WIRE_F_ALLOW);
	return !bad;
}

static bool absolute(const char *path)
{
	return !path || *path == '/';
}

bool spec_read(struct spec *s, struct wire_iter it, char why[VIRTUAL_WHY])
{
	bool bad = false;
	char *kind;

	*s = (struct spec){ 0 };
	if (!wire_whole(it) || !read_text(s, it) || !read_numbers(s, it))
		return wrong(why, "start: a field is damaged");
	kind = wire_string(it, WIRE_F_KIND, &bad);
	bad = !kind || strcmp(kind, "virtual");
	free(kind);
	if (bad)
		return wrong(why, "start: this is the server of virtual boxes: KIND is another");
	if (!s->box || !*s->box || !s->v.dir)
		return wrong(why, "start: BOX or DIR is missing");
	if (s->layer[0] && !s->v.layers)
		return wrong(why, "start: LAYERS is missing");
	for (size_t i = 0; s->layer[i]; i++)
		if (!*s->layer[i] || strchr(s->layer[i], '/') || s->layer[i][0] == '.')
			return wrong(why, "start: a layer has no such name");
	if (!absolute(s->v.layers) || !absolute(s->v.dir) || !absolute(s->v.cwd) || !absolute(s->v.root) ||
	    !absolute(s->v.workspace) || !absolute(s->v.target))
		return wrong(why, "start: a path is not absolute");
	if (s->v.target && !strcmp(s->v.target, "/"))
		return wrong(why, "start: the workspace cannot be all of the box (target /)");
	if (wire_number(it, WIRE_F_UID, 1000, &bad) != 1000 ||
	    wire_number(it, WIRE_F_GID, 1000, &bad) != 1000)
		return wrong(why, "start: the user of a virtual box is 1000 (uid, gid)");
	for (size_t i = 0; s->env[i]; i++)
		if (s->env[i][0] == '=' || !strchr(s->env[i], '='))
			return wrong(why, "start: the environment (ENV) is not NAME=VALUE");
	return true;
}

bool spec_accepts(const struct spec *s, const char *control)
{
	for (size_t i = 0; s->accept && s->accept[i]; i++)
		if (!strcmp(s->accept[i], control))
			return true;
	return false;
}

void spec_free(struct spec *s)
{
	for (size_t i = 0; i < sizeof(s->text) / sizeof(*s->text); i++)
		free(s->text[i]);
	free(s->box);
	free(s->network);
	wire_list_free(s->env);
	wire_list_free(s->accept);
	wire_list_free(s->layer);
}
