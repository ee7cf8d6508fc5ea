/*
 * Where a box is: on this machine, or behind ssh. A host starts programs and moves bytes; what is
 * said over them is the same everywhere.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef TINYBOX_LIBEXEC
#define TINYBOX_LIBEXEC "/usr/local/libexec/tinybox"
#endif

bool bx_is_ssh(const json_t *target)
{
	const char *host = bx_text(target, "host");

	return host && !strcmp(host, "ssh");
}

char *bx_target_text(const json_t *target)
{
	if (!bx_is_ssh(target))
		return strdup("local");
	return bx_format("ssh:%s", bx_text(target, "destination"));
}

/* ---- Machines that do not answer ---- */

bool bx_is_dead(const json_t *dead, const json_t *target)
{
	for (size_t i = 0; bx_is_ssh(target) && i < json_array_size(dead); i++)
		if (json_equal(json_array_get(dead, i), target))
			return true;
	return false;
}

void bx_note_dead(json_t *dead, const json_t *target, int status)
{
	if (dead && bx_is_ssh(target) && !bx_is_dead(dead, target) &&
	    (status == TBX_ERR_HOST || status == TBX_ERR_LOST || status == TBX_ERR_TIMEOUT))
		json_array_append(dead, (json_t *)(uintptr_t)target);
}

/* ---- Our own programs ---- */

static char *helper_in(const char *dir, const char *name)
{
	char *path = bx_format("%s/%s", dir, name);
	struct stat st;

	if (path && !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

/* The directory of the running program; malloc. */
static char *own_dir(void)
{
	char *path = malloc(PATH_MAX), *slash;
	ssize_t n = path ? readlink("/proc/self/exe", path, PATH_MAX - 1) : -1;

	if (n <= 0) {
		free(path);
		return NULL;
	}
	path[n] = '\0';
	slash = strrchr(path, '/');
	*(slash ? slash : path) = '\0';
	return path;
}

int bx_helper(struct tbx_store *store, const char *name, char **path)
{
	static const char *const places[] = { "", "/src/init", "/src/engine", "/../libexec/tinybox" };
	char *own, *dir;

	*path = store->opt.helper_dir ? helper_in(store->opt.helper_dir, name) : NULL;
	own = !*path && !store->opt.helper_dir ? own_dir() : NULL;
	for (size_t i = 0; own && !*path && i < sizeof(places) / sizeof(*places); i++) {
		dir = bx_format("%s%s", own, places[i]);
		*path = dir ? helper_in(dir, name) : NULL;
		free(dir);
	}
	free(own);
	if (!*path && !store->opt.helper_dir)
		*path = helper_in(TINYBOX_LIBEXEC, name);
	if (*path)
		return TBX_OK;
	return bx_fail(store, TBX_ERR_HOST, "%s: not found %s%s; it is installed with tinybox (helper_dir of "
		       "struct tbx_options names another place)", name,
		       store->opt.helper_dir ? "in " : "beside this program or in ",
		       store->opt.helper_dir ? store->opt.helper_dir : TINYBOX_LIBEXEC);
}

static int local_spawn(struct tbx_store *store, const char *name, const char *mode,
		       struct bx_conn *c)
{
	const char *argv[] = { NULL, mode, NULL };
	char *path;
	int status = bx_helper(store, name, &path);

	if (status)
		return status;
	argv[0] = path;
	status = bx_spawn(store, argv, name, c);
	free(path);
	return status;
}

static int begin_program(struct tbx_store *store, const json_t *target, const char *name, const char *mode,
			 struct bx_conn *c)
{
	return bx_is_ssh(target) ? bx_ssh_spawn(store, target, name, mode, NULL, c) :
	       local_spawn(store, name, mode, c);
}

int bx_program(struct tbx_store *store, const json_t *target, const char *name, const char *mode,
	       struct bx_conn *c)
{
	int status = begin_program(store, target, name, mode, c);

	if (status)
		return status;
	status = bx_hello(c, bx_step(store));
	if (status)
		bx_conn_close(c);
	return status;
}

int bx_host(struct tbx_store *store, const json_t *target, struct bx_conn *c)
{
	return bx_program(store, target, "tinybox-init", "host", c);
}

int bx_host_begin(struct tbx_store *store, const json_t *target, struct bx_conn *c)
{
	return begin_program(store, target, "tinybox-init", "host", c);
}

int bx_serve(struct bx *b, struct bx_conn *c)
{
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));
	bool engine = kind && !strcmp(kind, "virtual");

	return bx_program(b->store, json_object_get(b->record, "target"),
		     engine ? "tinybox-engine" : "tinybox-init", "serve", c);
}

/* ---- The box's server ---- */

static int not_running(struct bx *b)
{
	return bx_fail(b->store, TBX_ERR_STATE, "%s: its server does not run any more; `tinybox start %s` "
		       "starts it again, `tinybox rm %s` removes it", b->id, b->id, b->id);
}

/* The socket by its directory's descriptor: a path in sun_path may not be long enough. */
static int local_connect(struct bx *b, struct bx_conn *c)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int dir = openat(b->dir, "run", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	*c = (struct bx_conn){.store = b->store, .fd = -1, .child_err = -1};
	snprintf(c->what, sizeof(c->what), "%s", b->id);
	if (dir < 0)
		return not_running(b);
	snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/socket", dir);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	err = c->fd < 0 || connect(c->fd, (struct sockaddr *)&name, sizeof(name)) ? errno : 0;
	close(dir);
	if (!err) {
		fcntl(c->fd, F_SETFL, O_NONBLOCK);
		return TBX_OK;
	}
	bx_conn_close(c);
	if (err == ENOENT || err == ECONNREFUSED)
		return not_running(b);
	return bx_fail(b->store, TBX_ERR_SYSTEM, "%s: its server cannot be reached: %s", b->id,
		       strerror(err));
}

static int ssh_connect(struct bx *b, struct bx_conn *c)
{
	char *dir = bx_json_copy(json_object_get(b->record, "dir"));
	int status = dir ? bx_ssh_spawn(b->store, json_object_get(b->record, "target"), "tinybox-init",
					"connect", dir, c) : bx_memory(b->store);

	free(dir);
	return status == TBX_ERR_STATE ? not_running(b) : status;
}

/* A server that stands still: whoever asks is to know what may have been done to it. */
static int silent(struct bx *b)
{
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));
	bool docker = kind && !strcmp(kind, "docker");

	return bx_fail(b->store, TBX_ERR_TIMEOUT, "%s: no answer in time%s", b->id, docker ?
		       ": somebody may have paused its container (`docker unpause`)" : "");
}

int bx_connect_by(struct bx *b, struct bx_conn *c, uint64_t deadline)
{
	bool ssh = bx_is_ssh(json_object_get(b->record, "target"));
	int status = ssh ? ssh_connect(b, c) : local_connect(b, c);

	if (status)
		return status;
	status = bx_hello(c, deadline);
	if (status)
		bx_conn_close(c);
	return status == TBX_ERR_TIMEOUT && !ssh ? silent(b) : status;
}

int bx_connect_now(struct bx *b, struct bx_conn *c)
{
	return bx_connect_by(b, c, bx_step(b->store));
}

int bx_connect_soon(struct bx *b, struct bx_conn *c)
{
	const json_t *target = json_object_get(b->record, "target");
	char *dir;
	int status;

	if (!bx_is_ssh(target))
		return local_connect(b, c);
	dir = bx_json_copy(json_object_get(b->record, "dir"));
	status = dir ? bx_ssh_soon(b->store, target, dir, c) : bx_memory(b->store);
	free(dir);
	return status;
}

int bx_connect(struct bx *b, struct bx_conn *c)
{
	const char *state = bx_text(b->record, "state");

	if (!strcmp(state, "stopped"))
		return bx_fail(b->store, TBX_ERR_STATE, "%s is stopped; `tinybox start %s` starts it",
			       b->id, b->id);
	if (strcmp(state, "ready") && strcmp(state, "paused") && strcmp(state, "lost"))
		return bx_fail(b->store, TBX_ERR_STATE, "%s is %s; `tinybox rm %s`, or `tinybox reap`",
			       b->id, state, b->id);
	return bx_connect_now(b, c);
}

/* ---- State directories ---- */

int bx_place(struct bx *b)
{
	struct tbx_store *store = b->store;
	const json_t *target = json_object_get(b->record, "target");
	char *name, *path;
	int status;

	if (bx_is_ssh(target)) {
		name = bx_format("%s-%s", b->id, store->tag);
		status = name ? bx_ssh_place(store, target, name, &path) : bx_memory(store);
		free(name);
		if (status)
			return status;
	} else {
		if (mkdirat(b->dir, "run", 0700) && errno != EEXIST)
			return bx_fail(store, TBX_ERR_STORE, "%s/boxes/%s/run: %s", store->path, b->id,
				       strerror(errno));
		path = bx_format("%s/boxes/%s/run", store->path, b->id);
	}
	bx_put(b->record, "dir", bx_json_text(path));
	status = path ? TBX_OK : bx_memory(store);
	free(path);
	return status;
}

/* Nothing was ever made where there is no directory in the record. */
int bx_host_remove(struct bx *b, bool force)
{
	char *dir = bx_json_copy(json_object_get(b->record, "dir"));
	struct wire_frame f;
	struct bx_conn c;
	int status;

	if (!dir)
		return TBX_OK;
	status = bx_host(b->store, json_object_get(b->record, "target"), &c);
	if (!status) {
		char *name = bx_format("%s-%s", b->id, b->store->tag);

		wire_begin(&c.out, WIRE_HOST_REMOVE);
		wire_text(&c.out, WIRE_F_DIR, dir);
		wire_text(&c.out, WIRE_F_BOX, name);
		wire_end(&c.out);
		free(name);
		status = bx_ask(&c, &f);
		bx_conn_close(&c);
	}
	free(dir);
	return force ? TBX_OK : status;
}
