/*
 * Where control groups can be made: the mounts are read from mountinfo, our own place from
 * /proc/self/cgroup. A box's group is made below ours or below one of ours' parents, so that limits
 * which hold for us (a job's, a session's) hold for the box too; v2 gives controllers only below a
 * group that holds no processes itself, which is why the parents are tried.
 */
#include "init/cgroup_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const cg_v1_name[CGROUP_V1] = {"memory", "pids", "cpu", "freezer"};

struct place {
	char mount[256], root[256], path[1024];
};

/* Whether the comma list has the word. */
static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = list; *s;) {
		size_t len = strcspn(s, ",\n");

		if (len == n && !memcmp(s, word, n))
			return true;
		s += len + (s[len] != 0);
	}
	return false;
}

/*
 * The nth word, from 0, whole or not at all. (sscanf would bring a tenth of this program with it.)
 */
static bool take_word(const char *s, unsigned nth, char *to, size_t size)
{
	size_t n;

	for (;; nth--) {
		s += strspn(s, " \n");
		n = strcspn(s, " \n");
		if (!n || !nth)
			break;
		s += n;
	}
	if (!n || n >= size)
		return false;
	memcpy(to, s, n);
	to[n] = '\0';
	return true;
}

/* Mount point and root of the hierarchy: controller NULL is v2. */
static bool find_mount(const char *controller, struct place *p)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		char type[32], options[1024];
		const char *dash = strstr(line, " - ");

		if (!dash || !take_word(dash, 1, type, sizeof(type)) ||
		    !take_word(dash, 3, options, sizeof(options)))
			continue;
		if (strcmp(type, controller ? "cgroup" : "cgroup2"))
			continue;
		if (controller && !listed(options, controller))
			continue;
		found = take_word(line, 3, p->root, sizeof(p->root)) &&
			take_word(line, 4, p->mount, sizeof(p->mount));
	}
	if (f)
		fclose(f);
	return found;
}

/* The place in it of whose file this is. */
static bool find_path(const char *file, const char *controller, struct place *p)
{
	FILE *f = fopen(file, "re");
	char line[2048];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		if (controller ? !listed(names + 1, controller) : names[1] != 0)
			continue;
		found = snprintf(p->path, sizeof(p->path), "%s", path) < (int)sizeof(p->path);
	}
	if (f)
		fclose(f);
	return found;
}

static bool find_place_of(const char *file, const char *controller, struct place *p)
{
	size_t n;

	if (!find_mount(controller, p) || !find_path(file, controller, p))
		return false;
	n = strlen(p->root);
	if (n > 1 && !strncmp(p->path, p->root, n))
		memmove(p->path, p->path + n, strlen(p->path + n) + 1);
	/* outside what is mounted here */
	if (strstr(p->path, "/.."))
		snprintf(p->path, sizeof(p->path), "/");
	return true;
}

static bool find_place(const char *controller, struct place *p)
{
	return find_place_of("/proc/self/cgroup", controller, p);
}

static int open_place(const struct place *p)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s%s", p->mount, p->path);
	return cg_dir(AT_FDCWD, path);
}

int cg_open_own(const char *controller)
{
	struct place p;

	return find_place(controller, &p) ? open_place(&p) : -1;
}

int cg_open_of(pid_t pid, const char *controller, const char *part)
{
	char file[40];
	struct place p;

	snprintf(file, sizeof(file), "/proc/%d/cgroup", pid);
	return find_place_of(file, controller, &p) && strstr(p.path, part) ? open_place(&p) : -1;
}

/* The parent of a path, in place; false at the root. */
static bool up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = 0;
	return true;
}

int cg_find_v1(enum cgroup_v1 which)
{
	struct place p;
	int fd;

	if (!find_place(cg_v1_name[which], &p))
		return -1;
	fd = open_place(&p);
	if (fd >= 0 && faccessat(fd, ".", W_OK, AT_EACCESS)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* How many of the wanted controllers children of the group have, after trying to turn them on. */
static int offered(int dir, const bool *want, bool *got)
{
	int n = 0;

	for (int i = 0; i < CGROUP_V1; i++) {
		char plus[32];

		got[i] = false;
		if (i == CGROUP_FREEZER || !want[i])
			continue;
		got[i] = cg_has_word(dir, "cgroup.subtree_control", cg_v1_name[i]);
		if (!got[i] && cg_has_word(dir, "cgroup.controllers", cg_v1_name[i])) {
			snprintf(plus, sizeof(plus), "+%s", cg_v1_name[i]);
			got[i] = cg_write(dir, "cgroup.subtree_control", plus);
		}
		n += got[i];
	}
	return n;
}

int cg_find_v2(const bool *want, bool *got)
{
	struct place p;
	int best = -1, most = -1;

	memset(got, 0, CGROUP_V1 * sizeof(*got));
	if (!find_place(NULL, &p))
		return -1;
	do {
		bool here[CGROUP_V1];
		int n, fd = open_place(&p);

		if (fd < 0)
			continue;
		if (faccessat(fd, ".", W_OK, AT_EACCESS) ||
		    faccessat(fd, "cgroup.procs", W_OK, AT_EACCESS)) {
			close(fd);
			break;		/* what is above is not ours either */
		}
		n = offered(fd, want, here);
		if (n > most) {
			if (best >= 0)
				close(best);
			best = fd;
			most = n;
			memcpy(got, here, sizeof(here));
		} else {
			close(fd);
		}
	} while (up(p.path));
	return best;
}

void cg_each_v2(void (*f)(int dir, void *ctx), void *ctx)
{
	struct place p;
	char path[1400];
	int fd;

	if (!find_place(NULL, &p))
		return;
	do {
		fd = open_place(&p);
		if (fd >= 0) {
			f(fd, ctx);
			close(fd);
		}
	} while (up(p.path));
	/* what a session of the same user, which is not this one, has made */
	snprintf(path, sizeof(path), "%s/user.slice/user-%u.slice/user@%u.service/app.slice", p.mount,
		 geteuid(), geteuid());
	fd = cg_dir(AT_FDCWD, path);
	if (fd >= 0) {
		f(fd, ctx);
		close(fd);
	}
}
