/*
 * What to do where this machine refuses what the wall needs: the commonest causes look alike (EPERM), and each has another
 * remedy.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERWISE "; --sandbox virtual works as it is"

long wall_setting(const char *path)
{
	char text[24];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	return strtol(text, NULL, 10);
}

bool wall_is_filtered(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0;
}

static bool same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether / is where something is mounted, which it always is but in a chroot to a plain directory. */
static bool root_is_mounted(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = !f;

	while (f && !found && getline(&line, &cap, f) > 0)
		found = strstr(line, " / rw") || strstr(line, " / ro");	/* (a place, and its options) */
	free(line);
	if (f)
		fclose(f);
	return found;
}

bool wall_is_chroot(void)
{
	return !root_is_mounted() || (same("/proc/self/ns/mnt", "/proc/1/ns/mnt") && !access("/proc/1/root", X_OK) &&
				      !same("/", "/proc/1/root/"));
}

const char *wall_blame(int error)
{
	if (error != EPERM && error != EACCES && error != ENOSYS)
		return NULL;
	if (wall_is_chroot())
		return "this is a chroot, where the kernel allows no user namespaces: begin outside of it, or enter it by "
			"pivot_root, as containers do" OTHERWISE;
	if (geteuid() && wall_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") > 0)
		return "AppArmor restricts user namespaces: `tinybox doctor` prints the profile that allows ours" OTHERWISE;
	if (wall_is_filtered())
		return "a system call filter is on this program, a container's: docker run --security-opt seccomp=unconfined "
			"--security-opt apparmor=unconfined --security-opt systempaths=unconfined" OTHERWISE;
	return "`tinybox doctor` says what is missing here" OTHERWISE;
}
