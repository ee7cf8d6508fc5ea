/*
 * The file systems of a micro-VM's disks, made by mke2fs in a root that has the programs of /usr, the
 * directory to be read and the disk: whatever somebody does in that directory meanwhile, nothing else
 * of the host can come into the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/guest.h"
#include "init/path.h"
#include "init/text.h"
#include "init/vm_in.h"
#include "init/wall_in.h"

#define CAGE "/tmp"		/* what was there is covered, in a mount namespace of the child's own */
#define REFUSED 126

/* What it says, when it fails, is for the user. */
static char *read_words(int fd)
{
	struct text t = {0};
	char some[512];
	ssize_t n;

	while ((n = read(fd, some, sizeof(some))) > 0)
		if (t.size < 2000)
			text_bytes(&t, some, (size_t)n);
	for (size_t i = 0; i < t.size; i++)
		if ((unsigned char)t.data[i] < ' ')
			t.data[i] = ' ';
	return t.data;
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write_all(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return good;
}

/* An ordinary user's files are root's inside, as behind the other walls. */
static void as_root(void)
{
	char text[48];
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (!uid)
		return;
	if (unshare(CLONE_NEWUSER) < 0)
		return;
	snprintf(text, sizeof(text), "0 %u 1", (unsigned)uid);
	write_file("/proc/self/uid_map", text);
	write_file("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "0 %u 1", (unsigned)gid);
	write_file("/proc/self/gid_map", text);
}

/* /lib and its like: links on most systems, directories on others. */
static bool put_top(int root, const char *name)
{
	char path[16], target[64];
	ssize_t n;
	int tree;
	bool good;

	snprintf(path, sizeof(path), "/%s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n >= 0) {
		target[n] = '\0';
		return symlinkat(target, root, name) == 0;
	}
	if (errno == ENOENT)
		return true;
	tree = tree_open(AT_FDCWD, path, TREE_READONLY | TREE_RECURSIVE);
	good = tree >= 0 && mkdirat(root, name, 0755) == 0 && tree_put_at(tree, root, name);
	if (tree >= 0)
		close(tree);
	return good;
}

static bool put_dir(int root, const char *name, int tree)
{
	return tree >= 0 && mkdirat(root, name, 0755) == 0 && tree_put_at(tree, root, name);
}

/* What a guest's state begins with: the first directory of a new disk costs an emulated machine 30 ms. */
static bool put_state(int root)
{
	return mkdirat(root, "from", 0755) == 0 && mkdirat(root, "from" GUEST_DIR_ON_DISK, 0700) == 0;
}

/* The new root: /usr, the directory as /from, the disk as /disk. */
static bool cage(const char *disk, const char *from)
{
	static const char *const top[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
	int usr, tree = -1, file, root;
	bool good;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return false;
	usr = tree_open(AT_FDCWD, "/usr", TREE_READONLY | TREE_RECURSIVE);
	if (from)
		tree = tree_open(AT_FDCWD, from, TREE_READONLY);
	file = tree_open(AT_FDCWD, disk, TREE_NOEXEC);
	if (mount("cage", CAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") < 0)
		return false;
	root = open(CAGE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	good = root >= 0 && put_dir(root, "usr", usr) &&
		(from ? put_dir(root, "from", tree) : put_state(root)) &&
		file >= 0 && mknodat(root, "disk", S_IFREG | 0600, 0) == 0 &&
		tree_put_at(file, root, "disk");
	for (size_t i = 0; good && i < sizeof(top) / sizeof(*top); i++)
		good = put_top(root, top[i]);
	return good && chdir(CAGE) == 0 && chroot(".") == 0;
}

/* What mke2fs puts into every root is nothing of the directory's. */
static _Noreturn void tidy(const char *disk)
{
	char *const argv[] = {"debugfs", "-w", "-R", "rmdir lost+found", "/disk", NULL};
	char *const env[] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	as_root();
	dup2(null, 1);
	dup2(null, 2);
	if (!cage(disk, NULL))
		_exit(REFUSED);
	close_from(3);
	for (size_t i = 0; i < 2; i++)
		execve(i ? "/usr/sbin/debugfs" : "/sbin/debugfs", argv, env);
	_exit(127);
}

/* The root is whose the directory is; behind as_root() that is root. */
static void root_owner(struct text *t, const char *from)
{
	struct stat st = {0};

	text_add(t, "lazy_itable_init=1,lazy_journal_init=1,nodiscard,root_owner=");
	if (from && !geteuid())
		stat(from, &st);
	text_number(t, st.st_uid);
	text_add(t, ":");
	text_number(t, st.st_gid);
}

static _Noreturn void mke2fs(const char *disk, const char *from, int say)
{
	struct text owner = {0};
	char *const env[] = {"PATH=/usr/sbin:/sbin:/usr/bin:/bin", "MKE2FS_CONFIG=/dev/null", NULL};
	const char *argv[24] = {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-m", "0", "-I",
		"256", "-E", NULL};
	size_t n = 12;

	root_owner(&owner, from);
	argv[n++] = text_string(&owner);

	if (from) {
		argv[n++] = "-O";
		argv[n++] = "extent,dir_index,filetype,sparse_super,large_file,huge_file,"
			"uninit_bg,dir_nlink,extra_isize,^has_journal";
	} else {
		argv[n++] = "-O";
		argv[n++] = "has_journal,extent,dir_index,filetype,sparse_super,large_file,"
			"huge_file,uninit_bg,dir_nlink,extra_isize";
		argv[n++] = "-J";
		argv[n++] = "size=4";
	}
	argv[n++] = "-d";
	argv[n++] = "/from";
	argv[n++] = "/disk";
	argv[n] = NULL;
	dup2(say, 1);
	dup2(say, 2);
	as_root();
	if (!cage(disk, from))
		_exit(REFUSED);
	close_from(3);
	for (size_t i = 0; i < 2; i++)
		execve(i ? "/usr/sbin/mke2fs" : "/sbin/mke2fs", (char *const *)(uintptr_t)argv, env);
	_exit(127);
}

/* By its name, as a mount namespace of its own mounts nothing of another's descriptors. */
bool vm_make_fs(struct vm *vm, const char *name, const char *from)
{
	struct text disk = {0};
	int say[2], status = -1;
	pid_t pid;

	if (pipe2(say, O_CLOEXEC) < 0)
		return false;
	text_add(&disk, vm->spec->dir);
	text_add(&disk, "/" VM_DIR "/");
	text_add(&disk, name);
	pid = fork();
	if (!pid)
		mke2fs(text_string(&disk), from, say[1]);
	close(say[1]);
	free(vm->why_text);
	vm->why_text = pid < 0 ? NULL : read_words(say[0]);
	close(say[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0) {
		free(vm->why_text);
		vm->why_text = NULL;
		pid = from ? fork() : -1;
		if (!pid)
			tidy(text_string(&disk));
		if (pid > 0)
			waitpid(pid, NULL, 0);
		text_free(&disk);
		return true;
	}
	text_free(&disk);
	errno = 0;
	vm->why = !WIFEXITED(status) ? "a disk cannot be made" :
		WEXITSTATUS(status) == 127 ? "mke2fs is not installed (package e2fsprogs)" :
		WEXITSTATUS(status) == REFUSED ? "no root can be made for the maker of disks" :
		"a disk cannot be made";
	return false;
}
