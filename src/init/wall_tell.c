/*
 * What the wall says about the controls it was asked for, before it is built: each line is what the
 * steps of wall.c will do or fail at.
 */
#include "init/egress.h"
#include "init/wall_in.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool kernel_at_least(unsigned major_nr, unsigned minor_nr)
{
	struct utsname u;
	unsigned long a, b;
	char *dot;

	if (uname(&u))
		return false;
	a = strtoul(u.release, &dot, 10);
	b = *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
	return a > major_nr || (a == major_nr && b >= minor_nr);
}

static void tell_disk(const struct wall *w, struct report *r)
{
	const struct spec *s = w->spec;
	char asked[24];

	if (!s->disk)
		return;
	snprintf(asked, sizeof(asked), "%llu", (unsigned long long)s->disk);
	if (s->workspace && !s->readonly)
		report_open(r, "disk", asked, "the workspace is the host's directory and has no quota",
			    "mount the workspace read-only, or put it on a file system of that size");
	else
		report_enforced(r, "disk", asked, w->disk >= 0 ? "an ext4 of that size, in a file" :
				s->transient ? "a tmpfs of that size" :
				"a tmpfs of that size, in memory and gone at a stop (root, with mke2fs, gets a file)");
}

static void tell_limits(struct wall *w, struct report *r)
{
	const struct spec *s = w->spec;
	const struct report_line *l = NULL;
	struct rlimit now;
	char asked[24];

	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->line[i].control, "pids"))
			l = &r->line[i];
	}
	snprintf(asked, sizeof(asked), "%u", s->pids);
	if (s->pids && (!l || !l->by[0]) && kernel_at_least(5, 14)) {
		w->rlimit_pids = s->pids;
		report_enforced(r, "pids", asked, "RLIMIT_NPROC of the box's user namespace");
	}
	snprintf(asked, sizeof(asked), "%u", s->open_files);
	if (!s->open_files)
		return;
	if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_max >= s->open_files)
		report_enforced(r, "open-files", asked, "RLIMIT_NOFILE of each process");
	else
		report_enforced(r, "open-files", asked, "RLIMIT_NOFILE, the lower limit of this host");
}

/* Whether the directory is the other or above it. */
bool wall_holds(const char *dir, const char *below)
{
	struct stat want, st, last = {0};
	bool found = false;
	int at, up;

	if (!dir || stat(dir, &want))
		return false;
	at = open(below, O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (at >= 0 && !found && !fstat(at, &st) &&
	       (st.st_ino != last.st_ino || st.st_dev != last.st_dev)) {
		found = st.st_ino == want.st_ino && st.st_dev == want.st_dev;
		last = st;
		up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = up;
	}
	if (at >= 0)
		close(at);
	return found;
}

/* The sockets of boxes, their records and logs are there: a box could command any other. */
static bool state_is_inside(const struct spec *s)
{
	return wall_holds(s->workspace, s->dir) || wall_holds(s->root, s->dir);
}

void wall_tell_devices(const struct spec *s, struct report *r, const char *by)
{
	char text[96], asked[64] = "";
	size_t n = 0;

	for (; s->devices && s->devices[n]; n++) {
		size_t at = strlen(asked);

		snprintf(asked + at, sizeof(asked) - at, "%s%s", n ? " " : "", s->devices[n]);
	}
	snprintf(text, sizeof(text), "%s", by);
	if (n)
		snprintf(text, sizeof(text), "%s, with %zu of the host's", by, n);
	report_enforced(r, "devices", asked, text);
}

void wall_tell(struct wall *w, struct report *r)
{
	const struct spec *s = w->spec;
	bool ll = w->landlock > 0;

	if (state_is_inside(s))
		report_open(r, "filesystem", "", "the workspace or the root holds the state directory: the "
			    "box could reach its own server, and other boxes'",
			    "choose another workspace, or a state directory outside of it (--store)");
	else
		report_enforced(r, "filesystem", "", ll ? "mount namespace, Landlock" :
				"mount namespace alone: this kernel has no Landlock");
	report_enforced(r, "processes", "", w->landlock >= 6 ? "pid namespace, Landlock" :
			ll ? "pid namespace alone: this kernel's Landlock knows no signals" :
			"pid namespace alone: this kernel has no Landlock");
	if (s->network == SPEC_NETWORK_NONE)
		report_enforced(r, "network", "none", "network namespace with a loopback only");
	else if (s->network == SPEC_NETWORK_EGRESS)
		egress_report(s, r, "network namespace, proxy of the keeper");
	else if (w->landlock >= 6)
		report_enforced(r, "network", "open", "the host's, as asked; abstract sockets: Landlock");
	else
		report_enforced(r, "network", "open", "the host's, as asked, abstract sockets too");
	report_enforced(r, "syscalls", "", "seccomp filter");
	report_enforced(r, "privileges", "", w->range || geteuid() ?
			"user namespace, no_new_privs, no capabilities" :
			"no_new_privs, no capabilities; its user is root of the namespace around");
	wall_tell_devices(s, r, "a /dev of its own");
	tell_disk(w, r);
	tell_limits(w, r);
}
