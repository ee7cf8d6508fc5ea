/*
 * Writing and removing files, with backups and the directories that are needed
 * or no longer needed. Git's patches are written at the end: each of them is
 * made against the files as they were.
 */
#include "cmd/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/tempname.h"
#include "cmd/util.h"

/* ---- Directories ---- */

static void make_dirs(struct patch *t, const char *name)
{
	for (const char *s = strchr(name, '/'); s; s = strchr(s + 1, '/'))
		if (s != name)
			tsb_mkdir(t->p, tsb_strndup(t->p, name, (size_t)(s - name)), 0777);
}

static void remove_dirs(struct patch *t, const char *name)
{
	size_t n = strlen(name);
	char *dir;

	for (;;) {
		while (n && name[n - 1] != '/')
			n--;
		while (n && name[n - 1] == '/')
			n--;
		if (!n)
			return;
		dir = tsb_strndup(t->p, name, n);
		if (path_is_dot(path_last(dir)) || tsb_rmdir(t->p, dir))
			return;
		if (t->verbosity == PATCH_VERBOSE)
			patch_say(t, "Removed empty directory %s\n", patch_quote(t, dir));
	}
}

/* ---- Backups ---- */

/* By -B, -Y, -z: in front of the name, of its last component, behind it. */
static char *affixed_name(struct patch *t, const char *name)
{
	size_t dir = (size_t)(path_last(name) - name);

	return tsb_format(t->p, "%s%.*s%s%s%s", t->prefix ? t->prefix : "", (int)dir, name,
			  t->base_prefix ? t->base_prefix : "", name + dir,
			  t->suffix ? t->suffix : "");
}

static char *patch_backup_name(struct patch *t, const char *name)
{
	if (t->prefix || t->base_prefix || t->suffix)
		return affixed_name(t, name);
	return backup_name(t->p, &t->versions, name);
}

static bool is_in(const char *const *at, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(at[i], name))
			return true;
	return false;
}

static void make_empty(struct patch *t, const char *name)
{
	int fd;

	tsb_unlink(t->p, name);
	fd = tsb_open(t->p, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd == -ENOENT) {
		make_dirs(t, name);
		fd = tsb_open(t->p, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	}
	if (fd < 0)
		patch_pfatal(t, fd, "Can't create file %s", patch_quote(t, name));
	tsb_close(t->p, fd);
}

/* The file moves away; one that is not there leaves an empty file. */
static void make_backup(struct patch *t, const char *name)
{
	struct tsb_stat st;
	char *bak;
	int err;

	if (is_in(t->written.at, t->written.n, name))
		return;
	bak = patch_backup_name(t, name);
	if (tsb_lstat(t->p, name, &st)) {
		make_empty(t, bak);
		return;
	}
	if (!S_ISREG(st.mode) && !S_ISLNK(st.mode))
		patch_fatal(t, "File %s is not a regular file -- refusing to create backup",
			    patch_quote(t, name));
	make_dirs(t, bak);
	err = tsb_rename(t->p, name, bak, 0);
	if (err)
		patch_pfatal(t, err, "Can't rename file %s to %s", patch_quote(t, name),
			     patch_quote(t, bak));
}

void patch_keep(struct patch *t, const char *name)
{
	char *bak = patch_backup_name(t, name);
	int fd;

	if (is_in(t->written.at, t->written.n, name))
		return;
	make_dirs(t, bak);
	tsb_unlink(t->p, bak);
	fd = tsb_open(t->p, bak, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, t->in_st.mode & 0777);
	if (fd < 0)
		patch_pfatal(t, fd, "Can't create file %s", patch_quote(t, bak));
	tsb_write_all(t->p, fd, t->in.text, t->in.size);
	tsb_close(t->p, fd);
}

/* ---- Writing ---- */

static void write_link(struct patch *t, const struct patch_output *o)
{
	char *target = tsb_strndup(t->p, o->text, o->n);
	int err;

	tsb_unlink(t->p, o->name);
	err = tsb_symlink(t->p, target, o->name);
	if (err == -ENOENT) {
		make_dirs(t, o->name);
		err = tsb_symlink(t->p, target, o->name);
	}
	if (err)
		patch_pfatal(t, err, "Can't create symbolic link %s", patch_quote(t, o->name));
}

static void set_attributes(struct patch *t, const struct patch_output *o, int fd)
{
	struct tsb_setattr set = { 0 };

	if (o->has_from) {
		set.mask = TSB_SET_UID | TSB_SET_GID;
		set.uid = o->from.uid;
		set.gid = o->from.gid;
		if (o->from.uid != tsb_getuid(t->p) || o->from.gid != tsb_getgid(t->p))
			tsb_fsetattr(t->p, fd, &set);
		set.mask = TSB_SET_MODE;
		set.mode = o->mode & 07777;
		tsb_fsetattr(t->p, fd, &set);
	}
	if (o->has_time) {
		set.mask = TSB_SET_ATIME | TSB_SET_MTIME;
		set.atime = set.mtime = o->time;
		tsb_fsetattr(t->p, fd, &set);
	}
}

static void write_file(struct patch *t, const struct patch_output *o)
{
	char *temp = tempname_beside(t->p, o->name);
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, err;
	int fd = tsb_open(t->p, temp, flags, o->mode & 0777);

	if (fd == -ENOENT) {
		make_dirs(t, o->name);
		fd = tsb_open(t->p, temp, flags, o->mode & 0777);
	}
	if (fd < 0)
		patch_pfatal(t, fd, "Can't create file %s", patch_quote(t, o->name));
	err = tsb_write_all(t->p, fd, o->text, o->n);
	if (!err)
		set_attributes(t, o, fd);
	tsb_close(t->p, fd);
	if (!err)
		err = tsb_rename(t->p, temp, o->name, 0);
	if (!err)
		return;
	tsb_unlink(t->p, temp);
	patch_pfatal(t, err, "Can't rename file %s to %s", patch_quote(t, temp),
		     patch_quote(t, o->name));
}

static void remove_file(struct patch *t, const struct patch_output *o)
{
	int err = 0;

	if (!is_in(t->removed.at, t->removed.n, o->name) || patch_safe(t, o->name))
		return;		/* it has been made again, or its directory is elsewhere now */
	if (t->verbosity == PATCH_VERBOSE)
		patch_say(t, "Removing %s %s\n", S_ISLNK(o->mode) ? "symbolic link" : "file",
			  patch_quote(t, o->name));
	if (o->backup)
		make_backup(t, o->name);
	else
		err = tsb_unlink(t->p, o->name);
	if (err)
		patch_pfatal(t, err, "Can't remove file %s", patch_quote(t, o->name));
	remove_dirs(t, o->name);
}

void patch_write(struct patch *t, struct patch_output *o)
{
	struct tsb_heap *heap = tsb_heap_of(t->p);
	int err = patch_safe(t, o->name);

	if (err)
		patch_pfatal(t, err, "Can't create file %s", patch_quote(t, o->name));
	if (o->backup)
		make_backup(t, o->name);
	if (S_ISLNK(o->mode))
		write_link(t, o);
	else
		write_file(t, o);
	*vec_add(heap, &t->written) = o->name;
	for (size_t i = 0; i < t->removed.n; i++)
		if (!strcmp(t->removed.at[i], o->name))
			t->removed.at[i] = "";
}

/* ---- Later ---- */

void patch_queue(struct patch *t, const struct patch_output *o)
{
	struct tsb_heap *heap = tsb_heap_of(t->p);

	*vec_add(heap, &t->queue) = *o;
	if (o->remove)
		*vec_add(heap, &t->removed) = o->name;
}

/* Is there new content for the file that waits? */
bool patch_is_queued(struct patch *t, const char *name)
{
	for (size_t i = 0; i < t->queue.n; i++)
		if (!t->queue.at[i].remove && !strcmp(t->queue.at[i].name, name))
			return true;
	return false;
}

/* Writes what waits; removals wait until the very end. */
void patch_flush_queue(struct patch *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->queue.n; i++) {
		if (t->queue.at[i].remove)
			t->queue.at[kept++] = t->queue.at[i];
		else
			patch_write(t, &t->queue.at[i]);
	}
	t->queue.n = kept;
}

void patch_remove_queued(struct patch *t)
{
	for (size_t i = 0; i < t->queue.n; i++)
		remove_file(t, &t->queue.at[i]);
	t->queue.n = 0;
}
