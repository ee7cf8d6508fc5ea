/*
 * Environment and working directory of a process, shared with its children
 * until someone changes them: counted and never changed while shared. An
 * environment is one block, the pointers first and the bytes behind, so that a
 * fork is one increment and an exec one copy.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>

static const char *const env_none[1] = { NULL };

/* A block for n strings of `bytes` bytes in all (with their NULs). */
static struct env *env_alloc(struct kernel *k, size_t n, size_t bytes)
{
	size_t size = sizeof(struct env) + (n + 1) * sizeof(char *);
	struct env *e;

	if (n > SIZE_MAX / 64 || bytes > SIZE_MAX / 4)
		return NULL;
	e = kernel_alloc(k, size + bytes);
	if (e)
		*e = (struct env){ .refs = 1, .n = n, .at = (const char *const *)(e + 1) };
	return e;
}

static const char **env_slots(struct env *e)
{
	return (const char **)(e + 1);
}

static char *env_bytes(struct env *e)
{
	return (char *)(env_slots(e) + e->n + 1);
}

struct env *env_make(struct kernel *k, const char *const *list)
{
	size_t n = 0, bytes = 0, lens[32];
	struct env *e;
	char *to;

	if (!list)
		list = env_none;
	for (; list[n]; n++) {
		size_t len = strlen(list[n]) + 1;

		if (n < sizeof(lens) / sizeof(*lens))
			lens[n] = len;
		bytes += len;
	}
	e = env_alloc(k, n, bytes);
	if (!e)
		return NULL;
	to = env_bytes(e);
	for (size_t i = 0; i < n; i++) {
		size_t len = i < sizeof(lens) / sizeof(*lens) ? lens[i] : strlen(list[i]) + 1;

		env_slots(e)[i] = memcpy(to, list[i], len);
		to += len;
	}
	env_slots(e)[n] = NULL;
	return e;
}

/* The reference too much is the kernel's: these are never freed. */
struct env *env_first(struct kernel *k, const char *const *list)
{
	size_t n = 0;

	if (!list)
		list = env_none;
	while (list[n])
		n++;
	k->first_env = (struct env){ .refs = 2, .n = n, .at = list };
	return &k->first_env;
}

struct cwd *cwd_first(struct kernel *k, const char *path)
{
	k->first_cwd = (struct cwd){ .refs = 2, .path = path };
	return &k->first_cwd;
}

void env_put(struct kernel *k, struct env *e)
{
	if (e && --e->refs == 0)
		heap_free(k->heap, e);
}

struct cwd *cwd_join(struct kernel *k, const char *path, const char *rest)
{
	size_t n = strlen(path), rest_n = strlen(rest) + 1;
	struct cwd *c = kernel_alloc(k, sizeof(*c) + n + rest_n);
	char *to;

	if (!c)
		return NULL;
	to = (char *)(c + 1);
	memcpy(to, path, n);
	memcpy(to + n, rest, rest_n);
	*c = (struct cwd){ .refs = 1, .path = to };
	return c;
}

struct cwd *cwd_make(struct kernel *k, const char *path)
{
	return cwd_join(k, path, "");
}

void cwd_put(struct kernel *k, struct cwd *c)
{
	if (c && --c->refs == 0)
		heap_free(k->heap, c);
}

/* ---- Calls ---- */

static const char *env_value(const char *entry, const char *name, size_t n)
{
	return entry[0] == name[0] && !strncmp(entry, name, n) && entry[n] == '=' ?
	       entry + n + 1 : NULL;
}

const char *tsb_getenv(struct tsb_proc *p, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	proc_tick(p, 4);
	for (size_t i = 0; n && i < p->env->n; i++) {
		const char *value = env_value(p->env->at[i], name, n);

		if (value)
			return value;
	}
	return NULL;
}

const char *const *tsb_environ(struct tsb_proc *p)
{
	return p->env->at;
}

static void env_set(struct tsb_proc *p, struct env *e)
{
	env_put(p->k, p->env);
	p->env = e;
}

/* The old block with the entry `name` replaced, added (at the end) or left out. */
static struct env *env_with(struct kernel *k, const struct env *old, const char *name,
			    const char *value)
{
	size_t len = strlen(name), n = 0, add = value ? len + strlen(value) + 2 : 0, bytes = add, entry;
	bool placed = !value;
	struct env *e;
	char *to;

	for (size_t i = 0; i < old->n; i++)
		bytes += strlen(old->at[i]) + 1;
	e = env_alloc(k, old->n + 1, bytes);
	if (!e)
		return NULL;
	to = env_bytes(e);
	if (value) {
		memcpy(to, name, len);
		to[len] = '=';
		memcpy(to + len + 1, value, add - len - 1);
	}
	for (size_t i = 0; i < old->n; i++) {
		if (env_value(old->at[i], name, len)) {
			if (!placed)
				env_slots(e)[n++] = to;
			placed = true;
			continue;
		}
		entry = strlen(old->at[i]) + 1;
		env_slots(e)[n++] = memcpy(to + add, old->at[i], entry);
		add += entry;
	}
	if (!placed)
		env_slots(e)[n++] = to;
	env_slots(e)[n] = NULL;
	e->n = n;
	return e;
}

int tsb_setenv(struct tsb_proc *p, const char *name, const char *value)
{
	struct env *e;

	CALL_BEGIN(p, 64);
	if (!name || !*name || strchr(name, '='))
		return -EINVAL;
	e = env_with(p->k, p->env, name, value);
	if (!e)
		return -ENOMEM;
	env_set(p, e);
	return 0;
}

int tsb_clearenv(struct tsb_proc *p)
{
	struct env *e;

	CALL_BEGIN(p, 8);
	e = env_make(p->k, NULL);
	if (!e)
		return -ENOMEM;
	env_set(p, e);
	return 0;
}

void proc_set_environ(struct tsb_proc *p, const char *const *env)
{
	struct env *e = env_make(p->k, env);

	if (e)
		env_set(p, e);
	else
		kernel_oom(p->k, 0);
}
