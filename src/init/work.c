/*
 * What the operations of workers share.
 */
#include "init/work.h"

#include <stdlib.h>

#include "init/path.h"
#include "init/sync.h"

bool work_send(struct conn *c)
{
	bool good = !c->out.failed && write_all(c->w.fd, c->out.data, c->out.size);

	wire_consume(&c->out, c->out.size);
	return good;
}

void work_fail(struct conn *c, enum wire_error code, int error, const char *what,
	       const char *path, const char *why)
{
	error_frame(&c->out, code, error, what, path, why);
	work_send(c);
}

void work_ok(struct conn *c)
{
	wire_begin(&c->out, WIRE_OK);
	wire_end(&c->out);
	work_send(c);
}

char *work_path(struct conn *c, const struct wire_frame *f)
{
	bool bad = false;
	char *name = wire_string(wire_fields(f), WIRE_F_PATH, &bad), *path = NULL;

	if (name && *name && !bad)
		path = path_absolute(c->s->cwd, name);
	if (!path)
		work_fail(c, WIRE_ERROR_REQUEST, 0, "the request has no path", NULL, NULL);
	free(name);
	return path;
}

static void note(void *server, const char *what, const char *path, int error)
{
	audit_path(server, what, path, error);
}

void work_tree(struct conn *c, const struct wire_frame *f)
{
	struct sync_talk t = {.from = c->w.fd, .to = c->w.fd, .in = &c->in, .root = c->s->root,
		.cwd = c->s->cwd, .audit = note, .ctx = c->s};

	sync_talk(&t, f);
}
