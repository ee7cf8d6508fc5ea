/*
 * What extraction does late: attributes of directories, when nothing more comes
 * into them; links that point out of the tree, when nothing more goes through
 * them. And the attributes of everything else, and --to-command.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd/tar/tar.h"
#include "cmd/util.h"

struct delayed_dir {
	const char *name;
	const char *cwd;	/* which it is relative to */
	struct tar_member m;
	uint32_t now;
	bool after_links;	/* a link that comes late will be in it */
	struct delayed_dir *next;	/* the one before it */
};

struct delayed_link {
	const char *name, *target;
	struct tar_member m;
	struct tsb_stat st;	/* of the placeholder */
	struct delayed_link *same;	/* hard links to it */
	struct delayed_link *next;
};

struct tar_delayed {
	struct delayed_dir *dirs;
	struct delayed_link *links;
};

static struct tar_delayed *delayed_of(struct tar *t)
{
	if (!t->delayed)
		t->delayed = tsb_alloc(t->p, sizeof(*t->delayed));
	return t->delayed;
}

/* ---- Attributes ---- */

uint32_t tar_mode_of(const struct tar *t, const struct tar_member *m)
{
	return t->same_mode ? m->st.mode & 07777 : m->st.mode & 0777 & ~t->umask;
}

static void check_time(struct tar *t, const char *name, struct tsb_time time)
{
	struct tsb_time now;
	struct tsb_time ahead;

	if (time.sec < 0) {
		tar_warn(t, TAR_W_TIMESTAMP, "%s: implausibly old time stamp %s",
			 tar_quote_colon(t, name), tar_date_text(t, time, true));
		return;
	}
	if (util_time_cmp(time, t->start) <= 0)
		return;
	now = tsb_clock(t->p, TSB_CLOCK_FILES);
	if (util_time_cmp(time, now) <= 0)
		return;
	ahead = (struct tsb_time){ time.sec - now.sec, time.nsec - now.nsec };
	if (ahead.nsec < 0) {
		ahead.nsec += 1000000000;
		ahead.sec--;
	}
	tar_warn(t, TAR_W_TIMESTAMP, "%s: time stamp %s is %s s in the future",
		 tar_quote_colon(t, name), tar_date_text(t, time, true), tar_time_text(t, ahead));
}

static int set_one(struct tar *t, const char *name, int fd, const struct tsb_setattr *set)
{
	return fd >= 0 ? tsb_fsetattr(t->p, fd, set) : tsb_setattr(t->p, name, set, false);
}

static void set_owner(struct tar *t, const char *name, const struct tar_member *m, int fd)
{
	struct tsb_setattr set = { .mask = TSB_SET_UID | TSB_SET_GID };
	int err;

	if (t->same_owner <= 0)
		return;
	set.uid = tar_find_uid(t, m);
	set.gid = tar_find_gid(t, m);
	err = set_one(t, name, fd, &set);
	if (err < 0)
		tar_error(t, "%s: Cannot change ownership to uid %u, gid %u: %s",
			  tar_quote_colon(t, name), set.uid, set.gid, tsb_strerror(err));
}

/* now: the mode it has; UINT32_MAX: as it was made. */
void tar_set_attributes(struct tar *t, const char *name, const struct tar_member *m, int fd,
			uint32_t now, bool is_link)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME };
	int err;

	(void)now;
	if (!t->touch) {
		set.mtime = m->st.mtime;
		set.atime = t->start;
		err = set_one(t, name, fd, &set);
		if (err < 0)
			tar_cannot(t, "utime", name, err);
		else if (!is_link)
			check_time(t, name, m->st.mtime);
	}
	set_owner(t, name, m, fd);
	if (is_link)
		return;
	set.mask = TSB_SET_MODE;
	set.mode = tar_mode_of(t, m);
	err = set_one(t, name, fd, &set);
	if (err < 0)
		tar_error(t, "%s: Cannot change mode to %s: %s", tar_quote_colon(t, name),
			  tsb_format(t->p, "%04o", set.mode), tsb_strerror(err));
}

/* ---- Directories ---- */

void tar_delay_dir(struct tar *t, const char *name, const struct tar_member *m, uint32_t now,
		   bool made)
{
	struct delayed_dir *d = tsb_alloc(t->p, sizeof(*d));

	(void)made;
	d->name = tsb_strdup(t->p, name);
	d->cwd = tsb_strdup(t->p, tsb_getcwd(t->p));
	d->m = *m;
	d->now = now;
	d->next = delayed_of(t)->dirs;
	t->delayed->dirs = d;
}

static bool is_above(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	if (!strcmp(dir, "."))
		return true;
	return !strncmp(dir, name, n) && (!name[n] || name[n] == '/');
}

static void release_dir(struct tar *t, struct delayed_dir *d)
{
	struct tsb_stat st;
	const char *here = tsb_strdup(t->p, tsb_getcwd(t->p));

	if (strcmp(here, d->cwd))
		tsb_chdir(t->p, d->cwd);
	if (!tsb_lstat(t->p, d->name, &st) && S_ISDIR(st.mode))
		tar_set_attributes(t, d->name, &d->m, -1, d->now, false);
	if (strcmp(here, d->cwd))
		tsb_chdir(t->p, here);
}

/* Those that are not above name are done, from the innermost. */
/* A directory that waits for its attributes is elsewhere now. */
void tar_delay_renamed(struct tar *t, const char *from, const char *to)
{
	for (struct delayed_dir *d = t->delayed ? t->delayed->dirs : NULL; d; d = d->next)
		if (!strcmp(d->name, from))
			d->name = tsb_strdup(t->p, to);
}

void tar_delay_release(struct tar *t, const char *name)
{
	struct delayed_dir **at = t->delayed ? &t->delayed->dirs : NULL;

	while (at && *at && !is_above((*at)->name, name)) {
		struct delayed_dir *d = *at;

		tsb_tick(t->p, 1);
		if (d->after_links) {
			at = &d->next;
			continue;
		}
		*at = d->next;
		release_dir(t, d);
	}
}

/* ---- Links ---- */

bool tar_delay_link(struct tar *t, const char *name, const struct tar_member *m)
{
	struct delayed_link *l = tsb_alloc(t->p, sizeof(*l));

	if (tsb_lstat(t->p, name, &l->st))
		return false;
	l->name = tsb_format(t->p, "%s%s%s", *name == '/' ? "" : tsb_getcwd(t->p),
			     *name == '/' ? "" : "/", name);
	l->target = tsb_strdup(t->p, m->link_name);
	l->m = *m;
	l->next = delayed_of(t)->links;
	t->delayed->links = l;
	for (struct delayed_dir *d = t->delayed->dirs; d; d = d->next)
		d->after_links |= is_above(d->name, name);
	return true;
}

bool tar_delay_link_also(struct tar *t, const char *target, const char *name)
{
	struct tsb_stat st;

	if (!t->delayed || !t->delayed->links || tsb_lstat(t->p, target, &st) || st.size)
		return false;
	for (struct delayed_link *l = t->delayed->links; l; l = l->next) {
		struct delayed_link *also;

		if (!util_same_file(&l->st, &st))
			continue;
		also = tsb_alloc(t->p, sizeof(*also));
		also->name = tsb_format(t->p, "%s%s%s", *name == '/' ? "" : tsb_getcwd(t->p),
					*name == '/' ? "" : "/", name);
		also->same = l->same;
		l->same = also;
		return true;
	}
	return false;
}

/* placed: another name of the same link, which this one becomes a name of. */
static bool place_link(struct tar *t, const struct delayed_link *l, const char *name,
		       const char *placed)
{
	struct tsb_stat st;
	int err;

	/* Only what is still our placeholder is replaced. */
	if (tsb_lstat(t->p, name, &st) || !util_same_file(&st, &l->st) || st.size ||
	    !S_ISREG(st.mode))
		return false;
	tsb_unlink(t->p, name);
	if (placed && !tsb_link(t->p, placed, name, false))
		return true;
	err = tsb_symlink(t->p, l->target, name);
	if (err < 0) {
		tar_error(t, "%s: Cannot create symlink to %s: %s", tar_quote_colon(t, l->m.name),
			  tar_quote_word(t, l->target), tsb_strerror(err));
		return false;
	}
	tar_set_attributes(t, name, &l->m, -1, UINT32_MAX, true);
	return true;
}

static struct delayed_link *links_in_order(struct delayed_link *l)
{
	struct delayed_link *first = NULL;

	while (l) {
		struct delayed_link *next = l->next;

		l->next = first;
		first = l;
		l = next;
	}
	return first;
}

void tar_delay_end(struct tar *t)
{
	if (!t->delayed)
		return;
	for (struct delayed_link *l = links_in_order(t->delayed->links); l; l = l->next) {
		const char *placed = place_link(t, l, l->name, NULL) ? l->name : NULL;

		for (struct delayed_link *also = l->same; also; also = also->same)
			place_link(t, l, also->name, placed);
		tsb_tick(t->p, 1);
	}
	while (t->delayed->dirs) {
		struct delayed_dir *d = t->delayed->dirs;

		t->delayed->dirs = d->next;
		release_dir(t, d);
		tsb_tick(t->p, 1);
	}
}

/* ---- --to-command ---- */

static void command_environment(struct tar *t)
{
	static const char *const formats[] = { "gnu", "v7", "oldgnu", "ustar", "posix", "gnu",
					       "star" };
	struct tar_member *m = &t->m;
	struct tsb_proc *p = t->p;

	tsb_setenv(p, "TAR_VERSION", "1.34");
	tsb_setenv(p, "TAR_ARCHIVE", t->archive ? t->archive : "-");
	tsb_setenv(p, "TAR_VOLUME", "1");
	tsb_setenv(p, "TAR_BLOCKING_FACTOR", tsb_format(p, "%zu", t->record_size / TAR_BLOCK));
	tsb_setenv(p, "TAR_FORMAT", formats[m->format == TAR_OLDGNU ? TAR_GNU : m->format]);
	tsb_setenv(p, "TAR_FILETYPE", "f");
	tsb_setenv(p, "TAR_MODE", tsb_format(p, "0%o", m->st.mode & 07777));
	tsb_setenv(p, "TAR_FILENAME", m->name);
	tsb_setenv(p, "TAR_REALNAME", m->orig_name);
	tsb_setenv(p, "TAR_UNAME", m->uname);
	tsb_setenv(p, "TAR_GNAME", m->gname);
	tsb_setenv(p, "TAR_ATIME", tar_time_text(t, m->st.atime));
	tsb_setenv(p, "TAR_MTIME", tar_time_text(t, m->st.mtime));
	tsb_setenv(p, "TAR_CTIME", tar_time_text(t, m->st.ctime));
	tsb_setenv(p, "TAR_SIZE", tsb_format(p, "%llu", (unsigned long long)m->st.size));
	tsb_setenv(p, "TAR_UID", tsb_format(p, "%u", m->st.uid));
	tsb_setenv(p, "TAR_GID", tsb_format(p, "%u", m->st.gid));
	tsb_setenv(p, "TAR_LINKNAME", NULL);
}

int tar_command_start(struct tar *t, int *pid)
{
	const char *argv[] = { "/bin/sh", "-c", t->to_command, NULL };
	struct tsb_fd_map map = { 0, -1 };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = &map, .n_fds = 1 };
	int fd[2], err = tsb_pipe(t->p, fd);

	if (err < 0)
		tar_fatal(t, "Cannot open pipe: %s", tsb_strerror(err));
	tsb_signal(t->p, SIGPIPE, TSB_SIG_IGNORE);
	tsb_set_cloexec(t->p, fd[0], true);
	tsb_set_cloexec(t->p, fd[1], true);
	map.parent = fd[0];
	command_environment(t);
	err = tsb_spawn(t->p, &how, pid);
	tsb_close(t->p, fd[0]);
	if (err < 0)
		tar_fatal(t, "%s: Cannot exec: %s", t->to_command, tsb_strerror(err));
	return fd[1];
}

void tar_command_end(struct tar *t, int fd, int pid)
{
	int status = 0;

	tsb_close(t->p, fd);
	if (tsb_wait(t->p, pid, &status, 0) < 0)
		return;
	if (t->ignore_command_error)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		tar_error(t, "%d: Child returned status %d", pid, WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		tar_say(t, "%d: Child terminated on signal %d", pid, WTERMSIG(status));
}
