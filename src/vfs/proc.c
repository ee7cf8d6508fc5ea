/*
 * /proc as a filesystem: a small tree of tables (the root, sys/..., a process,
 * its fd/ and fdinfo/), whose files are texts made at open().
 *
 * Nothing here is kept: a path is parsed each time it is used, and the source
 * asked whether the process is still there.
 */
#include "vfs/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/fixed.h"
#include "vfs/pack.h"
#include "vfs/proc_impl.h"

enum proc_kind {
	PROC_END, PROC_DIR, PROC_TEXT, PROC_SELF, PROC_LINK, PROC_CWD, PROC_EXE, PROC_ROOT_LINK,
	PROC_FDS, PROC_FDINFOS, PROC_PID, PROC_FD, PROC_FDINFO
};

struct proc_entry {
	const char *name;
	enum proc_kind kind;
	uint32_t perm;
	proc_text_fn *text;
	const struct proc_entry *dir;	/* PROC_DIR */
	const char *target;		/* PROC_LINK */
	unsigned ino;			/* a number of its own: the line it stands in */
};

#define TEXT(name, perm, fn) { name, PROC_TEXT, perm, fn, NULL, NULL, __LINE__ }
#define DIRECTORY(name, table) { name, PROC_DIR, 0555, NULL, table, NULL, __LINE__ }
#define OTHER(name, kind, perm) { name, kind, perm, NULL, NULL, NULL, __LINE__ }
#define END { NULL, PROC_END, 0, NULL, NULL, NULL, 0 }

static const struct proc_entry proc_random[] = {
	TEXT("boot_id", 0444, proc_boot_id),
	TEXT("uuid", 0444, proc_uuid),
	END
};
static const struct proc_entry proc_kernel[] = {
	TEXT("domainname", 0444, proc_domainname),
	TEXT("hostname", 0444, proc_hostname),
	TEXT("osrelease", 0444, proc_osrelease),
	TEXT("ostype", 0444, proc_ostype),
	TEXT("pid_max", 0444, proc_pid_max),
	DIRECTORY("random", proc_random),
	TEXT("threads-max", 0444, proc_threads_max),
	TEXT("version", 0444, proc_sys_version),
	END
};
static const struct proc_entry proc_sys_fs[] = {
	TEXT("file-max", 0444, proc_file_max),
	END
};
static const struct proc_entry proc_sys_vm[] = {
	TEXT("overcommit_memory", 0444, proc_overcommit),
	TEXT("swappiness", 0444, proc_swappiness),
	END
};
static const struct proc_entry proc_sys[] = {
	DIRECTORY("fs", proc_sys_fs),
	DIRECTORY("kernel", proc_kernel),
	DIRECTORY("vm", proc_sys_vm),
	END
};
static const struct proc_entry proc_root[] = {
	TEXT("cmdline", 0444, proc_kernel_cmdline),
	TEXT("cpuinfo", 0444, proc_cpuinfo),
	TEXT("filesystems", 0444, proc_filesystems),
	TEXT("loadavg", 0444, proc_loadavg),
	TEXT("meminfo", 0444, proc_meminfo),
	{ "mounts", PROC_LINK, 0777, NULL, NULL, "self/mounts", __LINE__ },
	TEXT("partitions", 0444, proc_partitions),
	OTHER("self", PROC_SELF, 0777),
	TEXT("stat", 0444, proc_stat),
	TEXT("swaps", 0444, proc_swaps),
	DIRECTORY("sys", proc_sys),
	TEXT("uptime", 0444, proc_uptime),
	TEXT("version", 0444, proc_version),
	TEXT("vmstat", 0444, proc_vmstat),
	END
};
static const struct proc_entry proc_pid[] = {
	TEXT("cgroup", 0444, proc_cgroup),
	TEXT("cmdline", 0444, proc_cmdline),
	TEXT("comm", 0644, proc_comm),
	OTHER("cwd", PROC_CWD, 0777),
	TEXT("environ", 0400, proc_environ),
	OTHER("exe", PROC_EXE, 0777),
	OTHER("fd", PROC_FDS, 0500),
	OTHER("fdinfo", PROC_FDINFOS, 0555),
	TEXT("loginuid", 0644, proc_loginuid),
	TEXT("mountinfo", 0444, proc_mountinfo),
	TEXT("mounts", 0444, proc_mounts),
	TEXT("oom_score", 0444, proc_zero),
	TEXT("oom_score_adj", 0644, proc_zero),
	OTHER("root", PROC_ROOT_LINK, 0777),
	TEXT("stat", 0444, proc_pid_stat),
	TEXT("statm", 0444, proc_statm),
	TEXT("status", 0444, proc_status),
	TEXT("wchan", 0444, proc_zero_bare),
	END
};
/* Directories and files that stand for many. */
static const struct proc_entry proc_top = DIRECTORY("", proc_root);
static const struct proc_entry proc_one_pid = { "", PROC_PID, 0555, NULL, proc_pid, NULL,
						__LINE__ };
static const struct proc_entry proc_one_fd = OTHER("", PROC_FD, 0700);
static const struct proc_entry proc_one_fdinfo = { "", PROC_FDINFO, 0444, proc_fdinfo, NULL,
						   NULL, __LINE__ };

/* What a path leads to. */
struct proc_node {
	const struct proc_entry *e;
	int pid, fd;
};

struct proc_file {
	struct tsb_file f;
	struct proc_node node;
	struct proc_text text;
	uint32_t uid, gid;
	size_t next;		/* readdir: entry of the table */
	int last;		/* and the last pid or descriptor given */
};

static struct procfs *proc_of(struct tsb_fs *fs)
{
	return (struct procfs *)fs;
}

/* ---- Paths ---- */

/* A decimal number without leading zeroes, or -1. */
static int proc_number(const char *p, size_t n)
{
	int v = 0;
	if (!n || n > 9 || (p[0] == '0' && n > 1))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = v * 10 + (p[i] - '0');
	}
	return v;
}

static bool proc_is_dir(const struct proc_entry *e)
{
	return e->kind == PROC_DIR || e->kind == PROC_PID || e->kind == PROC_FDS ||
	       e->kind == PROC_FDINFOS;
}

static bool proc_is_link(const struct proc_entry *e)
{
	return e->kind == PROC_SELF || e->kind == PROC_LINK || e->kind == PROC_CWD ||
	       e->kind == PROC_EXE || e->kind == PROC_ROOT_LINK || e->kind == PROC_FD;
}

static bool proc_has_fd(const struct procfs *fs, int pid, int fd)
{
	return fd >= 0 && fs->src.next_fd(fs->src.ctx, pid, fd - 1) == fd;
}

/* The child p[0 .. n] of a directory. */
static int proc_child(const struct procfs *fs, struct proc_node *d, const char *p, size_t n)
{
	struct procfs_process info;
	int number = proc_number(p, n);
	if (d->e->kind == PROC_FDS || d->e->kind == PROC_FDINFOS) {
		if (!proc_has_fd(fs, d->pid, number))
			return -ENOENT;
		d->fd = number;
		d->e = d->e->kind == PROC_FDS ? &proc_one_fd : &proc_one_fdinfo;
		return 0;
	}
	for (const struct proc_entry *e = d->e->dir; e->name; e++) {
		if (strlen(e->name) == n && !memcmp(e->name, p, n)) {
			d->e = e;
			return 0;
		}
	}
	if (d->e != &proc_top || number <= 0 || fs->src.process(fs->src.ctx, number, &info))
		return -ENOENT;
	d->e = &proc_one_pid;
	d->pid = number;
	return 0;
}

static int proc_parse(const struct procfs *fs, const struct tsb_caller *who, const char *path,
		      struct proc_node *out)
{
	const char *p = path + 1;
	*out = (struct proc_node){ &proc_top, 0, -1 };
	while (*p) {
		size_t n = strcspn(p, "/");
		int rc;
		if (!proc_is_dir(out->e))
			return -ENOTDIR;
		rc = proc_child(fs, out, p, n);
		if (rc)
			return rc;
		if (out->e->kind == PROC_SELF && who->pid == 0)
			return -ENOENT;
		p += n;
		p += *p == '/';
	}
	return 0;
}

/* ---- Attributes and links ---- */

static uint64_t proc_ino(const struct proc_node *n)
{
	uint64_t low = n->fd < 0 ? n->e->ino : 1u << 31 | (unsigned)n->fd << 1;
	return (uint64_t)n->pid << 32 | low | (n->e->kind == PROC_FDINFO);
}

static int proc_fd_flags(const struct procfs *fs, int pid, int fd, int *reopen)
{
	char buf[1];
	int flags = 0;
	ssize_t n = fs->src.fd_link(fs->src.ctx, pid, fd, buf, sizeof(buf), &flags, reopen);
	return n < 0 ? (int)n : flags;
}

static int proc_node_stat(const struct procfs *fs, const struct proc_node *n, struct tsb_stat *st)
{
	struct tsb_time now = fs->src.now(fs->src.ctx);
	struct procfs_process info;
	int flags, reopen;

	*st = (struct tsb_stat){
		.ino = proc_ino(n), .nlink = 1, .blksize = 1024, .mode = n->e->perm,
		.atime = now, .mtime = now, .ctime = now, .btime = now,
	};
	st->mode |= proc_is_dir(n->e) ? S_IFDIR : proc_is_link(n->e) ? S_IFLNK : S_IFREG;
	if (proc_is_dir(n->e))
		st->nlink = 2;
	if (!n->pid)
		return 0;
	if (fs->src.process(fs->src.ctx, n->pid, &info))
		return -ENOENT;
	st->uid = info.uid;
	st->gid = info.gid;
	if (n->e->kind != PROC_FD)
		return 0;
	flags = proc_fd_flags(fs, n->pid, n->fd, &reopen);
	if (flags < 0)
		return flags;
	st->size = 64;
	st->mode = S_IFLNK | ((flags & O_ACCMODE) == O_RDONLY ? 0500 :
			      (flags & O_ACCMODE) == O_WRONLY ? 0300 : 0700);
	return 0;
}

static int proc_lstat(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      struct tsb_stat *st)
{
	struct proc_node n;
	int rc = proc_parse(proc_of(tfs), who, path, &n);
	return rc ? rc : proc_node_stat(proc_of(tfs), &n, st);
}

static ssize_t proc_copy(const char *text, char *buf, size_t cap)
{
	size_t n = text ? strlen(text) : 0;
	if (!n)
		return -ENOENT;
	if (n > cap)
		n = cap;
	memcpy(buf, text, n);
	return (ssize_t)n;
}

static ssize_t proc_readlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
			     char *buf, size_t cap)
{
	struct procfs *fs = proc_of(tfs);
	struct procfs_process info;
	struct proc_node n;
	char number[16];
	int flags, reopen, rc = proc_parse(fs, who, path, &n);
	if (rc)
		return rc;
	if (!proc_is_link(n.e))
		return -EINVAL;
	if (n.e->kind == PROC_LINK)
		return proc_copy(n.e->target, buf, cap);
	if (n.e->kind == PROC_SELF) {
		snprintf(number, sizeof(number), "%u", who->pid);
		return proc_copy(number, buf, cap);
	}
	if (n.e->kind == PROC_FD)
		return fs->src.fd_link(fs->src.ctx, n.pid, n.fd, buf, cap, &flags, &reopen);
	if (n.e->kind == PROC_ROOT_LINK)
		return proc_copy("/", buf, cap);
	if (fs->src.process(fs->src.ctx, n.pid, &info))
		return -ENOENT;
	return proc_copy(n.e->kind == PROC_CWD ? info.cwd : info.exe, buf, cap);
}

/* ---- Files ---- */

static int proc_open_text(struct procfs *fs, struct proc_file *f, int flags)
{
	int rc;
	if ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC)
		return -EACCES;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	rc = f->node.e->text(fs, f->node.pid, f->node.fd, &f->text);
	if (!rc && f->text.bad)
		rc = -ENOMEM;
	if (rc)
		free(f->text.p);
	return rc;
}

static int proc_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
		     uint32_t mode, struct tsb_file *file)
{
	struct proc_file *f = (struct proc_file *)file;
	struct tsb_stat st;
	int rc = proc_parse(proc_of(tfs), who, path, &f->node);
	(void)mode;
	if (rc)
		return rc == -ENOENT && flags & O_CREAT ? -EPERM : rc;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if (proc_is_link(f->node.e))
		return -ELOOP;
	rc = proc_node_stat(proc_of(tfs), &f->node, &st);
	if (rc)
		return rc;
	f->uid = st.uid;
	f->gid = st.gid;
	f->last = f->node.e == &proc_top ? 0 : -1;
	if (!proc_is_dir(f->node.e))
		return proc_open_text(proc_of(tfs), f, flags);
	return (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT ? -EISDIR : 0;
}

static int proc_close(struct tsb_file *file)
{
	free(((struct proc_file *)file)->text.p);
	return 0;
}

static ssize_t proc_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset)
{
	const struct proc_file *f = (struct proc_file *)file;
	if (proc_is_dir(f->node.e))
		return -EISDIR;
	if (offset >= f->text.n)
		return 0;
	if (n > f->text.n - offset)
		n = (size_t)(f->text.n - offset);
	memcpy(buf, f->text.p + offset, n);
	return (ssize_t)n;
}

/* The process may be gone; the open file is still what it was. */
static int proc_fstat(struct tsb_file *file, struct tsb_stat *st)
{
	const struct proc_file *f = (struct proc_file *)file;
	if (proc_node_stat(proc_of(file->fs), &f->node, st)) {
		st->uid = f->uid;
		st->gid = f->gid;
	}
	return 0;
}

/* The next number in a directory of processes or descriptors; negative: no more. */
static int proc_next_number(const struct procfs *fs, const struct proc_file *f)
{
	int n;
	if (f->node.e == &proc_top) {
		n = fs->src.next_pid(fs->src.ctx, f->last);
		return n > f->last ? n : -1;
	}
	if (f->node.e->kind != PROC_FDS && f->node.e->kind != PROC_FDINFOS)
		return -1;
	n = fs->src.next_fd(fs->src.ctx, f->node.pid, f->last);
	return n > f->last ? n : -1;
}

static size_t proc_pack_numbers(const struct procfs *fs, struct proc_file *f, char *buf,
				size_t cap, bool *full)
{
	size_t used = 0;
	int number;
	while ((number = proc_next_number(fs, f)) >= 0) {
		struct proc_node n = f->node;
		char text[16];
		size_t size;
		snprintf(text, sizeof(text), "%d", number);
		if (proc_child(fs, &n, text, strlen(text))) {
			f->last = number;
			continue;
		}
		size = vfs_pack(buf + used, cap - used, proc_ino(&n),
				proc_is_dir(n.e) ? S_IFDIR : proc_is_link(n.e) ? S_IFLNK : S_IFREG,
				text, strlen(text));
		if (!size) {
			*full = true;
			break;
		}
		used += size;
		f->last = number;
	}
	return used;
}

static ssize_t proc_readdir(struct tsb_file *file, void *buf, size_t cap)
{
	const struct procfs *fs = proc_of(file->fs);
	struct proc_file *f = (struct proc_file *)file;
	const struct proc_entry *e = f->node.e->dir;
	size_t used = 0, size = 1;
	bool full = false;

	if (!proc_is_dir(f->node.e))
		return -ENOTDIR;
	for (; size && e && e[f->next].name; f->next += size != 0) {
		struct proc_node n = { &e[f->next], f->node.pid, -1 };
		size = vfs_pack((char *)buf + used, cap - used, proc_ino(&n),
				proc_is_dir(n.e) ? S_IFDIR : proc_is_link(n.e) ? S_IFLNK : S_IFREG,
				n.e->name, strlen(n.e->name));
		used += size;
	}
	if (size)
		used += proc_pack_numbers(fs, f, (char *)buf + used, cap - used, &full);
	return used || (size && !full) ? (ssize_t)used : -EINVAL;
}

static int proc_statfs(struct tsb_fs *tfs, struct tsb_statfs *out)
{
	(void)tfs;
	*out = (struct tsb_statfs){ .block_size = 4096, .name_max = TSB_NAME_MAX, .type = "proc" };
	return 0;
}

static void proc_free(struct tsb_fs *tfs)
{
	free(tfs);
}

static const struct tsb_fs_ops proc_ops = {
	.version = TSB_VFS_VERSION, .file_size = sizeof(struct proc_file),
	.lstat = proc_lstat, .readlink = proc_readlink, .open = proc_open, .statfs = proc_statfs,
	.read_at = proc_read_at, .fstat = proc_fstat, .readdir = proc_readdir,
	.close = proc_close, .free = proc_free, FIXED_OPS,
};

struct tsb_fs *procfs_new(const struct procfs_source *src)
{
	struct procfs *fs = malloc(sizeof(*fs));
	if (!fs)
		return NULL;
	*fs = (struct procfs){ .fs = { &proc_ops }, .src = *src };
	return &fs->fs;
}

void procfs_begin(struct tsb_fs *tfs, uint64_t memory_total, const char *hostname)
{
	struct procfs *fs = proc_of(tfs);
	fs->has_boot_id = false;
	fs->src.memory_total = memory_total;
	fs->src.hostname = hostname;
}

void procfs_set_vfs(struct tsb_fs *tfs, struct vfs *v)
{
	proc_of(tfs)->src.vfs = v;
}

int procfs_magic(struct tsb_fs *tfs, const struct tsb_caller *who, const char *inner, int *pid,
		 int *fd)
{
	struct proc_node n;
	int reopen = 0;
	if (tfs->ops != &proc_ops || proc_parse(proc_of(tfs), who, inner, &n) ||
	    n.e->kind != PROC_FD)
		return 0;
	if (proc_fd_flags(proc_of(tfs), n.pid, n.fd, &reopen) < 0 || reopen)
		return 0;
	*pid = n.pid;
	*fd = n.fd;
	return 1;
}

int procfs_magic_stat(struct tsb_fs *tfs, int pid, int fd, struct tsb_stat *st)
{
	struct procfs *fs = proc_of(tfs);
	uint64_t offset;
	return fs->src.fd_stat(fs->src.ctx, pid, fd, st, &offset);
}
