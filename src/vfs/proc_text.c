/*
 * The texts of /proc, in the shapes that Linux 6.1 prints. Figures that have no
 * meaning here are zero, as they are on an idle machine.
 */
#include "vfs/proc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/proc_impl.h"
#include "vfs/vfs.h"

#define PROC_COMM_MAX 15
#define PROC_STACK_BYTES (256ULL << 10)
#define PROC_HZ 100		/* ticks of a second in stat */

void proc_add(struct proc_text *t, const void *p, size_t n)
{
	if (t->bad)
		return;
	if (n > t->cap - t->n) {
		size_t cap = t->cap ? t->cap : 256;
		char *grown;
		while (cap - t->n < n && cap < SIZE_MAX / 4)
			cap *= 2;
		grown = cap - t->n < n ? NULL : realloc(t->p, cap);
		if (!grown) {
			t->bad = true;
			return;
		}
		t->p = grown;
		t->cap = cap;
	}
	memcpy(t->p + t->n, p, n);
	t->n += n;
}

void proc_addf(struct proc_text *t, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	proc_add(t, line, n < 0 ? 0 : (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

static int proc_info(struct procfs *fs, int pid, struct procfs_process *info)
{
	*info = (struct procfs_process){ .state = 'S' };
	return fs->src.process(fs->src.ctx, pid, info);
}

/* ---- One process ---- */

static void proc_add_strings(struct proc_text *t, const char *const *at)
{
	for (; at && *at; at++)
		proc_add(t, *at, strlen(*at) + 1);
}

int proc_cmdline(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process info;
	int rc = proc_info(fs, pid, &info);
	(void)fd;
	if (!rc)
		proc_add_strings(t, info.argv);
	return rc;
}

int proc_environ(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process info;
	int rc = proc_info(fs, pid, &info);
	(void)fd;
	if (!rc)
		proc_add_strings(t, info.env);
	return rc;
}

int proc_comm(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process info;
	int rc = proc_info(fs, pid, &info);
	(void)fd;
	if (!rc)
		proc_addf(t, "%.*s\n", PROC_COMM_MAX, info.comm);
	return rc;
}

static const char *proc_state_name(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'T':
		return "stopped";
	case 'Z':
		return "zombie";
	default:
		return "sleeping";
	}
}

static void proc_status_ids(struct proc_text *t, int pid, const struct procfs_process *p)
{
	proc_addf(t, "Name:\t%.*s\nUmask:\t%04o\nState:\t%c (%s)\n", PROC_COMM_MAX, p->comm,
		  p->umask, p->state, proc_state_name(p->state));
	proc_addf(t, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", pid, pid,
		  p->ppid);
	proc_addf(t, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", p->uid, p->uid, p->uid,
		  p->uid, p->gid, p->gid, p->gid, p->gid);
	proc_addf(t, "FDSize:\t%zu\nGroups:\t%u \n", p->fd_size, p->gid);
	proc_addf(t, "NStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\n", pid, pid, p->pgid,
		  p->sid);
}

/* A zombie has none; else its heap and its stack. */
static unsigned long long proc_address_space(const struct procfs_process *p)
{
	return p->state == 'Z' ? 0 : (unsigned long long)p->memory_bytes + PROC_STACK_BYTES;
}

static void proc_status_memory(struct proc_text *t, const struct procfs_process *p)
{
	unsigned long long now = p->memory_bytes / 1024, peak = p->memory_peak / 1024;
	proc_addf(t, "VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmLck:\t%8u kB\nVmPin:\t%8u kB\n",
		  peak + PROC_STACK_BYTES / 1024, proc_address_space(p) / 1024, 0, 0);
	proc_addf(t, "VmHWM:\t%8llu kB\nVmRSS:\t%8llu kB\nRssAnon:\t%8llu kB\n", peak, now, now);
	proc_addf(t, "RssFile:\t%8u kB\nRssShmem:\t%8u kB\nVmData:\t%8llu kB\n", 0, 0, now);
	proc_addf(t, "VmStk:\t%8u kB\nVmExe:\t%8u kB\nVmLib:\t%8u kB\nVmPTE:\t%8u kB\n", 256, 0, 0,
		  0);
	proc_addf(t, "VmSwap:\t%8u kB\n", 0);
}

int proc_status(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process p;
	int rc = proc_info(fs, pid, &p);
	(void)fd;
	if (rc)
		return rc;
	proc_status_ids(t, pid, &p);
	if (p.state != 'Z')
		proc_status_memory(t, &p);
	proc_addf(t, "Threads:\t1\nSigQ:\t0/%d\nSigPnd:\t%016llx\nShdPnd:\t%016llx\n",
		  fs->src.pid_max, (unsigned long long)p.sig_pending, 0ULL);
	proc_addf(t, "SigBlk:\t%016llx\nSigIgn:\t%016llx\nSigCgt:\t%016llx\n",
		  (unsigned long long)p.sig_blocked, (unsigned long long)p.sig_ignored,
		  (unsigned long long)p.sig_caught);
	for (unsigned i = 0; i < 5; i++)
		proc_addf(t, "Cap%.3s:\t%016llx\n", &"InhPrmEffBndAmb"[3 * i], 0ULL);
	proc_addf(t, "NoNewPrivs:\t0\nSeccomp:\t0\nCpus_allowed:\t%llx\nCpus_allowed_list:\t0-%llu\n",
		  (1ULL << (fs->src.cpus & 63)) - 1,
		  (unsigned long long)(fs->src.cpus ? fs->src.cpus - 1 : 0));
	proc_addf(t, "voluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n");
	return 0;
}

int proc_pid_stat(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process p;
	int rc = proc_info(fs, pid, &p);
	unsigned long long ns = 1000000000ULL / PROC_HZ;
	(void)fd;
	if (rc)
		return rc;
	proc_addf(t, "%d (%.*s) %c %d %d %d 0 -1 4194304 0 0 0 0 %llu 0 %llu 0 %d %d 1 0 ", pid,
		  PROC_COMM_MAX, p.comm, p.state, p.ppid, p.pgid, p.sid,
		  (unsigned long long)p.cpu_ns / ns, (unsigned long long)p.children_ns / ns,
		  20 + p.nice, p.nice);
	proc_addf(t, "%llu %llu %llu 18446744073709551615 0 0 0 0 0 %llu %llu %llu %llu ",
		  (unsigned long long)p.start_ns / ns, proc_address_space(&p),
		  (unsigned long long)p.memory_bytes / 4096, (unsigned long long)p.sig_pending,
		  (unsigned long long)p.sig_blocked, (unsigned long long)p.sig_ignored,
		  (unsigned long long)p.sig_caught);
	proc_addf(t, "0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 %d\n", p.exit_status);
	return 0;
}

int proc_statm(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process p;
	int rc = proc_info(fs, pid, &p);
	unsigned long long pages = rc ? 0 : p.memory_bytes / 4096;
	(void)fd;
	if (!rc)
		proc_addf(t, "%llu %llu 0 0 0 %llu 0\n", proc_address_space(&p) / 4096, pages,
			  pages);
	return rc;
}

int proc_fdinfo(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	int flags = 0, reopen;
	uint64_t offset = 0;
	struct tsb_stat st = { 0 };
	char buf[1];
	ssize_t n = fs->src.fd_link(fs->src.ctx, pid, fd, buf, sizeof(buf), &flags, &reopen);
	int rc = n < 0 ? (int)n : fs->src.fd_stat(fs->src.ctx, pid, fd, &st, &offset);
	if (!rc)
		proc_addf(t, "pos:\t%llu\nflags:\t0%o\nmnt_id:\t1\nino:\t%llu\n",
			  (unsigned long long)offset, (unsigned)flags,
			  (unsigned long long)st.ino);
	return rc;
}

/* Space, tab, newline and backslash are octal, as in /etc/fstab. */
static void proc_add_path(struct proc_text *t, const char *path)
{
	for (; *path; path++) {
		if (*path == ' ' || *path == '\t' || *path == '\n' || *path == '\\')
			proc_addf(t, "\\%03o", (unsigned char)*path);
		else
			proc_add(t, path, 1);
	}
}

int proc_mounts(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct vfs_mount_info m;
	(void)pid, (void)fd;
	for (size_t i = 0; vfs_mount_at(fs->src.vfs, i, &m); i++) {
		proc_addf(t, "%s ", m.type);
		proc_add_path(t, m.path);
		proc_addf(t, " %s %s,relatime 0 0\n", m.type,
			  m.flags & VFS_MOUNT_READ_ONLY ? "ro" : "rw");
	}
	return 0;
}

/* The same by number: parents, devices. */
int proc_mountinfo(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct vfs_mount_info m;
	(void)pid, (void)fd;
	for (size_t i = 0; vfs_mount_at(fs->src.vfs, i, &m); i++) {
		proc_addf(t, "%zu %d %u:%u / ", i + 21, i ? 21 : 1, (unsigned)(m.dev >> 8),
			  (unsigned)(m.dev & 0xff));
		proc_add_path(t, m.path);
		proc_addf(t, " %s,relatime - %s %s %s\n",
			  m.flags & VFS_MOUNT_READ_ONLY ? "ro" : "rw", m.type, m.type,
			  m.flags & VFS_MOUNT_READ_ONLY ? "ro" : "rw");
	}
	return 0;
}

int proc_cgroup(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	proc_addf(t, "0::/\n");
	return 0;
}

int proc_loginuid(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	proc_addf(t, "4294967295");	/* nobody has logged in */
	return 0;
}

int proc_zero(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	proc_addf(t, "0\n");
	return 0;
}

int proc_zero_bare(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	proc_addf(t, "0");
	return 0;
}
