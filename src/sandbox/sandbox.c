/*
 * Opening, closing and configuring a sandbox. An idle one is this struct, a
 * namespace and a branch of the base image; everything that only some have is
 * in its extra. The header <tinysandbox/sandbox.h> is the manual.
 */
#include "sandbox/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grown.h"
#include "base/limits.h"
#include "vfs/mem.h"
#include "vfs/vfs.h"

static const struct tsb_limits *default_limits(void)
{
	/* Constant once made; the table is the same for everybody. */
#define LIMIT(field, value, unit, help) .field = (value),
	static const struct tsb_limits limits = {
		.size = sizeof(struct tsb_limits),
#include "base/limits.def"
	};
#undef LIMIT
	return &limits;
}

const struct tsb_limits *sandbox_limits(const struct tsb_sandbox *box)
{
	return box->extra && box->extra->has_limits ? &box->extra->limits : default_limits();
}

struct sandbox_extra *sandbox_extra(struct tsb_sandbox *box)
{
	if (!box->extra)
		box->extra = calloc(1, sizeof(*box->extra));
	return box->extra;
}

static void extra_free(struct sandbox_extra *x)
{
	if (!x)
		return;
	sandbox_free_list(x->env);
	free(x->cwd);
	free(x->hostname);
	for (struct sandbox_error *e = x->errors, *next; e; e = next) {
		next = e->next;
		free(e->text);
		free(e);
	}
	registry_free(x->registry);
	offers_free(x->offers);
	serving_free(x->serving);
	free(x);
}

char **sandbox_copy_list(const char *const *list)
{
	size_t n = 0;
	char **copy;

	while (list[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(list[i]);
		if (!copy[i]) {
			sandbox_free_list(copy);
			return NULL;
		}
	}
	return copy;
}

void sandbox_free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

/* ---- What failed. Each thread has its own sentence: no other thread's call frees it. ---- */

static struct sandbox_error *error_of_thread(const struct sandbox_extra *x)
{
	struct sandbox_error *e = x ? x->errors : NULL;

	while (e && !pthread_equal(e->thread, pthread_self()))
		e = e->next;
	return e;
}

static void error_keep(struct sandbox_extra *x, uint64_t when, int number, const char *text)
{
	struct sandbox_error *e = error_of_thread(x);

	if (!e) {
		e = calloc(1, sizeof(*e));
		if (!e)
			return;
		e->thread = pthread_self();
		e->next = x->errors;
		x->errors = e;
	}
	free(e->text);
	e->text = strdup(text);
	e->when = when;
	e->number = number < 0 ? -number : number;
}

int sandbox_fail(struct tsb_sandbox *box, int status, int error, const char *fmt, ...)
{
	char text[1024];
	struct sandbox_extra *x;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&box->lock);
	x = sandbox_extra(box);
	if (x)
		error_keep(x, ++x->n_errors, error, text);
	pthread_mutex_unlock(&box->lock);
	return status;
}

int sandbox_refuse(struct tsb_sandbox *box, const char *function)
{
	if (!box)
		return TSB_ERR_ARGUMENT;
	return sandbox_fail(box, TSB_ERR_ARGUMENT, EINVAL, "%s: an argument is NULL or not valid",
			    function);
}

/* This thread's own, or a copy of the last of any. */
static const struct sandbox_error *last_error(struct tsb_sandbox *box)
{
	const struct sandbox_error *mine, *last = NULL;

	pthread_mutex_lock(&box->lock);
	mine = error_of_thread(box->extra);
	if (box->extra && (!mine || !mine->when)) {
		for (const struct sandbox_error *e = box->extra->errors; e; e = e->next)
			last = e->when && (!last || e->when > last->when) ? e : last;
		if (last && last->text)
			error_keep(box->extra, 0, last->number, last->text);
		mine = error_of_thread(box->extra);
	}
	pthread_mutex_unlock(&box->lock);
	return mine;
}

const char *tsb_error(struct tsb_sandbox *box)
{
	const struct sandbox_error *e = box ? last_error(box) : NULL;

	return e && e->text ? e->text : "";
}

int tsb_errno(struct tsb_sandbox *box)
{
	const struct sandbox_error *e = box ? last_error(box) : NULL;

	return e ? e->number : 0;
}

int sandbox_change_begin(struct tsb_sandbox *box)
{
	pthread_mutex_lock(&box->lock);
	if (!box->runs)
		return TSB_OK;
	pthread_mutex_unlock(&box->lock);
	return sandbox_fail(box, TSB_ERR_BUSY, 0, "the sandbox has runs in progress");
}

void sandbox_change_end(struct tsb_sandbox *box)
{
	pthread_mutex_unlock(&box->lock);
}

/* ---- Opening ---- */

static bool keep_string(char **to, const char *from)
{
	if (!from)
		return true;
	free(*to);
	*to = strdup(from);
	return *to != NULL;
}

bool sandbox_env_valid(const char *const *env)
{
	for (; env && *env; env++) {
		if (**env == '=' || !strchr(*env, '='))
			return false;
	}
	return true;
}

/* As Linux takes it, and nothing that no name of a machine holds. */
static bool hostname_valid(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f || name[i] == '/')
			return false;
	}
	return n > 0 && n <= 64;
}

static void share_begin(const struct tsb_sandbox *box, struct sandbox_extra *x, bool together)
{
	const struct tsb_limits *limits = sandbox_limits(box);

	x->together = together;
	x->share = (struct kernel_share){ .processes_max = SIZE_MAX };
	x->share.memory.max = limits->memory_bytes < SIZE_MAX ? (size_t)limits->memory_bytes :
			      SIZE_MAX;
	if (limits->processes < SIZE_MAX)
		x->share.processes_max = (size_t)limits->processes;
}

static int apply_options(struct tsb_sandbox *box, const struct tsb_options *opt)
{
	struct sandbox_extra *x;

	if (opt->session && !(box->session = session_new()))
		return TSB_ERR_MEMORY;
	if (!opt->limits && !opt->env && !opt->cwd && !opt->hostname && !opt->virtual_time &&
	    !opt->together)
		return TSB_OK;
	x = sandbox_extra(box);
	if (!x)
		return TSB_ERR_MEMORY;
	if (opt->limits) {
		x->limits = *default_limits();
		if (!grown_take(&x->limits, sizeof(x->limits), opt->limits))
			return TSB_ERR_ARGUMENT;
		x->has_limits = true;
	}
	x->virtual_time = opt->virtual_time;
	x->start_sec = opt->start_sec;
	x->seed = opt->seed;
	share_begin(box, x, opt->together);
	if (!sandbox_env_valid(opt->env) || (opt->hostname && !hostname_valid(opt->hostname)))
		return TSB_ERR_ARGUMENT;
	if (opt->env && !(x->env = sandbox_copy_list(opt->env)))
		return TSB_ERR_MEMORY;
	if (opt->cwd && opt->cwd[0] != '/')
		return TSB_ERR_ARGUMENT;
	if (!keep_string(&x->cwd, opt->cwd) || !keep_string(&x->hostname, opt->hostname))
		return TSB_ERR_MEMORY;
	return TSB_OK;
}

/* Sets the quotas of a new root filesystem from the limits. */
static void sandbox_apply_quota(struct tsb_sandbox *box)
{
	const struct tsb_limits *limits = sandbox_limits(box);
	struct vfs_mount_info root;

	if (vfs_mount_at(box->vfs, 0, &root))
		vfs_mem_limit(root.fs, limits->fs_bytes, limits->fs_entries, limits->file_bytes);
}

static struct tsb_sandbox *sandbox_new(void)
{
	struct tsb_sandbox *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->engine = engine_get();
	if (!box->engine) {
		free(box);
		return NULL;
	}
	pthread_mutex_init(&box->lock, NULL);
	pthread_cond_init(&box->idle, NULL);
	return box;
}

static void sandbox_free(struct tsb_sandbox *box)
{
	vfs_free(box->vfs);
	session_free(box->session);
	extra_free(box->extra);
	pthread_mutex_destroy(&box->lock);
	pthread_cond_destroy(&box->idle);
	engine_put(box->engine);
	free(box);
}

int tsb_sandbox_open(struct tsb_sandbox **out, const struct tsb_options *opt)
{
	struct tsb_options whole = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box;
	int rc = TSB_OK;

	if (!out || (opt && !grown_take(&whole, sizeof(whole), opt)))
		return TSB_ERR_ARGUMENT;
	*out = NULL;
	box = sandbox_new();
	if (!box)
		return TSB_ERR_MEMORY;
	if (vfs_branch(engine_base(box->engine), &box->vfs))
		rc = TSB_ERR_MEMORY;
	if (!rc && opt)
		rc = apply_options(box, &whole);
	if (rc) {
		sandbox_free(box);
		return rc;
	}
	if (box->extra && box->extra->has_limits)
		sandbox_apply_quota(box);
	*out = box;
	return TSB_OK;
}

int tsb_sandbox_close(struct tsb_sandbox *box)
{
	bool busy;

	if (!box)
		return TSB_OK;
	pthread_mutex_lock(&box->lock);
	busy = box->runs > 0;
	pthread_mutex_unlock(&box->lock);
	if (busy)
		return sandbox_fail(box, TSB_ERR_BUSY, 0, "the sandbox has runs in progress");
	sandbox_free(box);
	return TSB_OK;
}

/* ---- Branch, restore ---- */

static bool copy_extra(struct tsb_sandbox *to, const struct tsb_sandbox *from)
{
	const struct sandbox_extra *x = from->extra;
	struct sandbox_extra *y;

	if (!x)
		return true;
	y = sandbox_extra(to);
	if (!y)
		return false;
	y->limits = x->limits;
	y->has_limits = x->has_limits;
	y->virtual_time = x->virtual_time;
	y->start_sec = x->start_sec;
	y->seed = x->seed;
	share_begin(to, y, x->together);
	if (x->env && !(y->env = sandbox_copy_list((const char *const *)x->env)))
		return false;
	if (x->registry && !(y->registry = registry_copy(x->registry)))
		return false;
	if (x->offers && !(y->offers = offers_copy(x->offers)))
		return false;
	return keep_string(&y->cwd, x->cwd) && keep_string(&y->hostname, x->hostname);
}

int tsb_branch(struct tsb_sandbox *box, struct tsb_sandbox **out)
{
	struct tsb_sandbox *copy;
	int rc;

	if (!box || !out)
		return sandbox_refuse(box, __func__);
	*out = NULL;
	copy = sandbox_new();
	if (!copy)
		return sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory for a branch");
	pthread_mutex_lock(&box->lock);
	rc = vfs_branch(box->vfs, &copy->vfs);
	if (!rc && box->session && !(copy->session = session_copy(box->session)))
		rc = -ENOMEM;
	if (!rc && !copy_extra(copy, box))
		rc = -ENOMEM;
	/* The shared /usr/bin asks the sandbox it was made for. */
	if (!rc && copy->extra && copy->extra->registry)
		rc = registry_mount(copy);
	pthread_mutex_unlock(&box->lock);
	if (rc) {
		sandbox_free(copy);
		return sandbox_fail(box, rc == -EOPNOTSUPP ? TSB_ERR_SUPPORT : TSB_ERR_MEMORY, rc,
				    "cannot branch: %s", tsb_strerror(rc));
	}
	*out = copy;
	return TSB_OK;
}

/* A copy of its session into *out; a run that ends meanwhile does not change it. */
static int take_session(struct tsb_sandbox *from, struct session **out)
{
	int rc = TSB_OK;

	pthread_mutex_lock(&from->lock);
	if (from->session && !(*out = session_copy(from->session)))
		rc = TSB_ERR_MEMORY;
	pthread_mutex_unlock(&from->lock);
	return rc;
}

int tsb_restore(struct tsb_sandbox *box, struct tsb_sandbox *from)
{
	struct session *session = NULL, *old = NULL;
	int rc;

	if (!box || !from || box == from)
		return sandbox_refuse(box, __func__);
	if (take_session(from, &session) || (!session && box->session && !(session = session_new())))
		return sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory for the session");
	rc = sandbox_change_begin(box);
	if (rc) {
		session_free(session);
		return rc;
	}
	rc = vfs_restore(box->vfs, from->vfs);
	if (!rc && box->session) {
		old = box->session;
		box->session = session;
		session = NULL;
	}
	sandbox_change_end(box);
	session_free(session);
	session_free(old);
	if (rc)
		return sandbox_fail(box, rc == -EOPNOTSUPP ? TSB_ERR_SUPPORT : TSB_ERR_FILE, rc,
				    "cannot restore: %s", tsb_strerror(rc));
	return TSB_OK;
}

int tsb_stats(struct tsb_sandbox *box, struct tsb_statistics *out)
{
	struct tsb_statistics whole = { .size = sizeof(whole) };

	if (!box || !out)
		return sandbox_refuse(box, __func__);
	pthread_mutex_lock(&box->lock);
	whole.runs = box->n_runs;
	whole.commands = box->n_commands;
	pthread_mutex_unlock(&box->lock);
	if (vfs_usage(box->vfs, &whole.fs_bytes, &whole.fs_entries))
		return sandbox_fail(box, TSB_ERR_FILE, EIO, "cannot read the usage of a mount");
	return grown_give(&whole, sizeof(whole), out) ? TSB_OK : sandbox_refuse(box, __func__);
}
