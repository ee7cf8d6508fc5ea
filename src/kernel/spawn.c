/*
 * Spawning for commands (xargs, find, env, timeout): search in PATH, fork, the
 * list of descriptors, start. Built from the same pieces that the shell uses.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>

#include "base/grown.h"

#define PATH_DEFAULT "/bin:/usr/bin"	/* what execvp(3) takes when PATH is unset */

/* ---- The search ---- */

/* dir/name in the process's heap; an empty dir is the working directory. */
static char *spawn_join(struct tsb_proc *p, const char *dir, size_t dir_n, const char *name)
{
	size_t name_n = strlen(name);
	char *path = tsb_realloc(p, NULL, dir_n + name_n + 2);

	memcpy(path, dir, dir_n);
	if (dir_n)
		path[dir_n++] = '/';
	memcpy(path + dir_n, name, name_n + 1);
	return path;
}

/* found->path is in the process's heap. */
static int spawn_search(struct tsb_proc *p, const char *name, struct program *found)
{
	const char *at = tsb_getenv(p, "PATH");
	int result = -ENOENT;

	if (!at)
		at = PATH_DEFAULT;
	for (;;) {
		size_t n = strcspn(at, ":");
		char *path = spawn_join(p, at, n, name);
		int r = proc_find_program(p, path, found);

		if (r == 0 || r == -ENOEXEC)
			return r;
		tsb_free(p, path);
		if (r == -EACCES)
			result = r;	/* found, but not to be run: look on */
		else if (r != -ENOENT && r != -ENOTDIR && r != -ELOOP && r != -ENAMETOOLONG)
			return r;
		if (!at[n])
			return result;
		at += n + 1;
	}
}

static int spawn_look_up(struct tsb_proc *p, const char *name, struct program *found)
{
	if (!*name)
		return -ENOENT;
	if (strlen(name) > TSB_NAME_MAX && !strchr(name, '/'))
		return -ENAMETOOLONG;
	return strchr(name, '/') ? proc_find_program(p, name, found) :
				   spawn_search(p, name, found);
}

int tsb_find_program(struct tsb_proc *p, const char *name, char **path)
{
	struct program found;
	int r;

	CALL_BEGIN(p, 16);
	if (!name || !path)
		return -EFAULT;
	r = spawn_look_up(p, name, &found);
	if (r < 0 && r != -ENOEXEC)	/* what it is, is asked when it is run */
		return r;
	*path = tsb_strdup(p, found.path);
	return 0;
}

/* The struct of a caller with another header becomes ours. NULL: no such struct. */
static const struct tsb_spawn *spawn_whole(const struct tsb_spawn *how, struct tsb_spawn *room)
{
	if (!how || how->size == sizeof(*how))
		return how;
	*room = (struct tsb_spawn){ .size = sizeof(*room) };
	return grown_take(room, sizeof(*room), how) ? room : NULL;
}

static int spawn_find(struct tsb_proc *p, const struct tsb_spawn *how, struct program *program)
{
	const char *file;

	if (!how || !how->argv)
		return -EFAULT;
	file = how->file ? how->file : how->argv[0];
	return file ? spawn_look_up(p, file, program) : -EFAULT;
}

/* ---- Descriptors ---- */

/* All parents' numbers are meant as they are now, whatever is applied before. */
static int spawn_map(struct tsb_proc *p, struct tsb_proc *to, const struct tsb_fd_map *map)
{
	if (map->parent < 0) {
		int r = proc_drop_fd(to, map->child);

		return r == -EBADF && map->child >= 0 ? 0 : r;
	}
	return proc_give_fd(p, map->parent, to, map->child);
}

static int spawn_fds(struct tsb_proc *p, struct tsb_proc *to, const struct tsb_spawn *how)
{
	if (how->flags & TSB_SPAWN_CLEAN_FDS)
		fdtab_end(&to->fds);
	for (size_t i = 0; how->fds && i < how->n_fds; i++) {
		int r = spawn_map(p, to, &how->fds[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- Calls ---- */

static int spawn_child(struct tsb_proc *p, struct tsb_proc *child, const struct tsb_spawn *how,
		       const struct program *program)
{
	int r = spawn_fds(p, child, how);

	if (r == 0 && how->flags & TSB_SPAWN_NEW_SESSION)
		r = proc_set_session(child);
	if (r == 0 && how->flags & TSB_SPAWN_NEW_GROUP)
		r = proc_set_group(child, 0);
	if (r == 0 && how->cwd)
		r = tsb_chdir(child, how->cwd);
	return r < 0 ? r : proc_start_program(child, program, how->argv, how->env);
}

int tsb_spawn(struct tsb_proc *p, const struct tsb_spawn *how, int *pid)
{
	struct tsb_spawn room;
	struct program program;
	struct tsb_proc *child;
	int r, number;

	CALL_BEGIN(p, 64);
	out_flush(p);
	how = spawn_whole(how, &room);
	r = spawn_find(p, how, &program);
	if (r < 0)
		return r;
	proc_charge_command(p, program.path);
	r = proc_fork(p, &child);
	if (r < 0)
		return r;
	number = child->pid;
	r = spawn_child(p, child, how, &program);
	if (r < 0) {
		proc_abandon(child);
		return r;
	}
	if (pid)
		*pid = number;
	return 0;
}

/* The caller's own table, changed as the list says; the old one is kept. */
static int exec_fds(struct tsb_proc *p, const struct tsb_spawn *how)
{
	struct tsb_proc *scratch;
	int r;

	if (!how->n_fds && !(how->flags & TSB_SPAWN_CLEAN_FDS))
		return 0;
	/* A child that never runs holds the old numbers meanwhile. */
	r = proc_fork(p, &scratch);
	if (r < 0)
		return r;
	r = spawn_fds(scratch, p, how);
	proc_abandon(scratch);
	return r;
}

int tsb_exec(struct tsb_proc *p, const struct tsb_spawn *how)
{
	struct tsb_spawn room;
	struct program program;
	int r;

	CALL_BEGIN(p, 64);
	how = spawn_whole(how, &room);
	r = spawn_find(p, how, &program);
	if (r == 0)
		r = exec_fds(p, how);
	if (r == 0 && how->flags & TSB_SPAWN_NEW_SESSION)
		r = proc_set_session(p);
	if (r == 0 && how->flags & TSB_SPAWN_NEW_GROUP)
		r = proc_set_group(p, 0);
	if (r == 0 && how->cwd)
		r = tsb_chdir(p, how->cwd);
	if (r < 0)
		return r;
	proc_charge_command(p, program.path);
	return proc_exec(p, &program, how->argv, how->env);
}

/* ---- Who am I ---- */

void *tsb_user(struct tsb_proc *p)
{
	return p->user;
}

int tsb_getpid(struct tsb_proc *p)
{
	return p->pid;
}

int tsb_getppid(struct tsb_proc *p)
{
	if (p->parent)
		return p->parent->pid;
	return p == p->k->init ? 0 : 1;
}

int tsb_getpgid(struct tsb_proc *p, int pid)
{
	struct tsb_proc *of = pid ? proc_find(p->k, pid) : p;

	return of ? of->pgid : -ESRCH;
}

uint32_t tsb_getuid(struct tsb_proc *p)
{
	return p->k->opt.uid;
}

uint32_t tsb_getgid(struct tsb_proc *p)
{
	return p->k->opt.gid;
}

const char *tsb_hostname(struct tsb_proc *p)
{
	return p->k->opt.hostname ? p->k->opt.hostname : "sandbox";
}
