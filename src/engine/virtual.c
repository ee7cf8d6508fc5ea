/*
 * See virtual.h. The order of a start: limits, sandbox, what the store holds or, for a new box,
 * the root directory's copy; then the workspace, which is no part of the store.
 */
#include "engine/virtual.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/store.h"

struct virtual_box {
	struct tsb_sandbox *sandbox;
	struct store *store;	/* NULL: nothing is kept */
	struct tsb_limits limits;
	char *cwd;
	char **env;
};

static int fail(char *why, int error, const char *what, const char *of, const char *text)
{
	snprintf(why, VIRTUAL_WHY, "%s %s: %s", what, of, text ? text : strerror(-error));
	return error;
}

/* ---- Environment ---- */

static size_t list_size(const char *const *list, size_t *bytes)
{
	size_t n = 0;

	for (; list && list[n]; n++)
		*bytes += strlen(list[n]) + 1;
	return n;
}

/* rows of `list` into env, whose strings go to *text; one of a name. */
static size_t env_put(char **env, size_t n, const char *const *list, char **text)
{
	for (size_t i = 0; list && list[i]; i++) {
		size_t name = strcspn(list[i], "="), size = strlen(list[i]) + 1, k = 0;

		while (k < n && (strncmp(env[k], list[i], name) || env[k][name] != '='))
			k++;
		env[k] = memcpy(*text, list[i], size);
		*text += size;
		n = k == n ? n + 1 : n;
	}
	return n;
}

static char **env_join(const char *const *a, const char *const *b, const char *const *c)
{
	size_t bytes = 0, n = list_size(a, &bytes) + list_size(b, &bytes) + list_size(c, &bytes);
	char **env = malloc((n + 1) * sizeof(*env) + bytes), *text;

	if (!env)
		return NULL;
	text = (char *)(env + n + 1);
	n = env_put(env, 0, a, &text);
	n = env_put(env, n, b, &text);
	n = env_put(env, n, c, &text);
	env[n] = NULL;
	return env;
}

static char **box_env(const struct virtual_spec *spec)
{
	static const char *const own[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/user", "USER=user",
		"LOGNAME=user", "SHELL=/bin/bash", "LANG=C.UTF-8", NULL
	};

	return env_join(own, spec->env, NULL);
}

char **virtual_env(const struct virtual_box *b, const char *const *extra)
{
	return env_join((const char *const *)b->env, extra, NULL);
}

/* ---- Opening ---- */

static void set_limits(struct tsb_limits *l, const struct virtual_spec *spec)
{
	tsb_limits_default(l);
	/* The clients of a box set these, per exec, or nobody does. */
	l->wall_ms = l->commands = UINT64_MAX;
	if (spec->memory)
		l->memory_bytes = spec->memory;
	if (spec->pids)
		l->processes = spec->pids;
	if (spec->open_files)
		l->descriptors = spec->open_files;
	if (spec->disk)
		l->fs_bytes = l->file_bytes = spec->disk;
	if (spec->disk / 4096 > l->fs_entries)
		l->fs_entries = spec->disk / 4096;
}

static int open_sandbox(struct virtual_box *b, const struct virtual_spec *spec)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	const char *cwd = spec->cwd;

	if (!cwd)
		cwd = spec->target ? spec->target : spec->workspace ? "/workspace" : "/home/user";
	b->cwd = strdup(cwd);
	b->env = box_env(spec);
	set_limits(&b->limits, spec);
	opt.limits = &b->limits;
	opt.env = (const char *const *)b->env;
	opt.cwd = b->cwd;
	opt.hostname = spec->hostname;
	opt.together = true;
	if (!b->cwd || !b->env || tsb_sandbox_open(&b->sandbox, &opt))
		return -ENOMEM;
	return 0;
}

static int fill(struct virtual_box *b, const struct virtual_spec *spec, bool fresh, char *why)
{
	const char *target = spec->target ? spec->target : spec->workspace ? "/workspace" : NULL;
	struct tsb_fs *fs;
	int rc = 0, fd;

	if (fresh && spec->root && tsb_copy_in(b->sandbox, spec->root, "/"))
		return fail(why, -EIO, "cannot copy", spec->root, tsb_error(b->sandbox));
	if (target && tsb_make_dir(b->sandbox, target, 0755))
		return fail(why, -EIO, "cannot make", target, tsb_error(b->sandbox));
	if (!spec->workspace)
		return 0;
	fd = open(spec->workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(why, -errno, "workspace", spec->workspace, NULL);
	fs = tsb_host_new(fd);
	if (!fs)
		return fail(why, -ENOMEM, "workspace", spec->workspace, NULL);
	rc = tsb_mount(b->sandbox, target, fs, spec->readonly ? TSB_MOUNT_READ_ONLY : 0);
	if (!rc)
		return 0;
	tsb_fs_free(fs);
	return fail(why, -EINVAL, "cannot mount on", target, tsb_error(b->sandbox));
}

int virtual_open(struct virtual_box **out, const struct virtual_spec *spec, char why[VIRTUAL_WHY])
{
	struct virtual_box *b = calloc(1, sizeof(*b));
	bool fresh = true;
	int rc = b ? open_sandbox(b, spec) : -ENOMEM;

	*out = NULL;
	if (rc)
		fail(why, rc, "cannot open", "a sandbox", NULL);
	if (!rc && spec->dir)
		rc = store_open(&b->store, spec, b->sandbox, &fresh, why);
	if (!rc)
		rc = fill(b, spec, fresh, why);
	if (!rc && fresh)
		rc = virtual_commit(b, why);
	if (rc) {
		virtual_close(b);
		return rc;
	}
	*out = b;
	return 0;
}

int virtual_close(struct virtual_box *b)
{
	if (!b)
		return 0;
	if (b->sandbox && tsb_sandbox_close(b->sandbox))
		return -EBUSY;
	store_close(b->store);
	free(b->cwd);
	free(b->env);
	free(b);
	return 0;
}

/* ---- Using it ---- */

int virtual_commit(struct virtual_box *b, char why[VIRTUAL_WHY])
{
	return b->store ? store_commit(b->store, b->sandbox, why) : 0;
}

int virtual_sync(struct virtual_box *b)
{
	return b->store ? store_sync(b->store) : 0;
}

int virtual_seal(struct virtual_box *b, bool *any, char why[VIRTUAL_WHY])
{
	*any = false;
	return b->store ? store_seal(b->store, b->sandbox, any, why) : 0;
}

struct tsb_sandbox *virtual_sandbox(const struct virtual_box *b)
{
	return b->sandbox;
}

const char *virtual_cwd(const struct virtual_box *b)
{
	return b->cwd;
}

char *virtual_path(const struct virtual_box *b, const char *path)
{
	char *joined;

	if (*path == '/')
		return strdup(path);
	return asprintf(&joined, "%s/%s", b->cwd, path) < 0 ? NULL : joined;
}

const struct tsb_limits *virtual_limits(const struct virtual_box *b)
{
	return &b->limits;
}

int virtual_exec(struct virtual_box *b, const char *const *argv, const char *const *env,
		 struct tsb_result **out)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	char **all = env ? virtual_env(b, env) : NULL, why[VIRTUAL_WHY];
	int rc = env && !all ? TSB_ERR_MEMORY : TSB_OK;

	opt.env = (const char *const *)all;
	opt.input_path = "/dev/null";
	if (!rc)
		rc = tsb_exec_argv(b->sandbox, argv, &opt, out);
	free(all);
	if (!rc && virtual_commit(b, why)) {
		tsb_result_free(*out);
		*out = NULL;
		rc = TSB_ERR_FILE;
	}
	return rc;
}
