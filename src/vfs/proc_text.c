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

static void proc_status_memory(struct proc_text *t, const struct procfs_process *p)
{
	unsigned long long now = p->memory_bytes / 1024, peak = p->memory_peak / 1024;
	proc_addf(t, "VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmLck:\t%8u kB\nVmPin:\t%8u kB\n",
		  peak, now, 0, 0);
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
	proc_addf(t, "%d (%.*s) %c %d %d %d 0 -1 4194304 0 0 0 0 %llu 0 0 0 20 0 1 0 ", pid,
		  PROC_COMM_MAX, p.comm, p.state, p.ppid, p.pgid, p.sid,
		  (unsigned long long)p.cpu_ns / ns);
	proc_addf(t, "%llu %llu %llu 18446744073709551615 0 0 0 0 0 %llu %llu %llu %llu ",
		  (unsigned long long)p.start_ns / ns, (unsigned long long)p.memory_bytes,
		  (unsigned long long)p.memory_bytes / 4096, (unsigned long long)p.sig_pending,
		  (unsigned long long)p.sig_blocked, (unsigned long long)p.sig_ignored,
		  (unsigned long long)p.sig_caught);
	proc_addf(t, "0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	return 0;
}

int proc_statm(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct procfs_process p;
	int rc = proc_info(fs, pid, &p);
	unsigned long long pages = rc ? 0 : p.memory_bytes / 4096;
	(void)fd;
	if (!rc)
		proc_addf(t, "%llu %llu 0 0 0 %llu 0\n", pages, pages, pages);
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

/* ---- The system ---- */

int proc_cpuinfo(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	unsigned long long cpus = fs->src.cpus;
	(void)pid, (void)fd;
	for (unsigned long long i = 0; i < cpus; i++) {
		proc_addf(t, "processor\t: %llu\nvendor_id\t: tinysandbox\ncpu family\t: 6\n"
			  "model\t\t: 1\nmodel name\t: tinysandbox virtual CPU\nstepping\t: 0\n", i);
		proc_addf(t, "cpu MHz\t\t: 2000.000\ncache size\t: 1024 KB\nphysical id\t: 0\n"
			  "siblings\t: %llu\ncore id\t\t: %llu\ncpu cores\t: %llu\n", cpus, i, cpus);
		proc_addf(t, "fpu\t\t: yes\nflags\t\t: fpu tsc\nbogomips\t: 4000.00\n"
			  "clflush size\t: 64\ncache_alignment\t: 64\n"
			  "address sizes\t: 48 bits physical, 48 bits virtual\n\n");
	}
	return 0;
}

int proc_filesystems(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	proc_addf(t, "nodev\ttmpfs\nnodev\tproc\nnodev\tdevtmpfs\n");
	return 0;
}

static int proc_count(const struct procfs *fs)
{
	int n = 0, at = 0;
	while ((at = fs->src.next_pid(fs->src.ctx, at)) > 0)
		n++;
	return n;
}

int proc_loadavg(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	proc_addf(t, "0.00 0.00 0.00 1/%d %d\n", proc_count(fs), fs->src.pid_last);
	return 0;
}

int proc_meminfo(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	static const char *const rest[] = {
		"Buffers", "Cached", "SwapCached", "Active", "Inactive", "SwapTotal", "SwapFree",
		"Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "Slab",
	};
	unsigned long long total = fs->src.memory_total / 1024;
	unsigned long long used = fs->src.memory_used(fs->src.ctx) / 1024;
	unsigned long long left = used < total ? total - used : 0;
	(void)pid, (void)fd;
	proc_addf(t, "MemTotal:       %8llu kB\nMemFree:        %8llu kB\nMemAvailable:   %8llu kB\n",
		  total, left, left);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		proc_addf(t, "%s:%*u kB\n", rest[i], 23 - (int)strlen(rest[i]), 0);
	return 0;
}

int proc_stat(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	struct tsb_time now = fs->src.now(fs->src.ctx);
	uint64_t up = fs->src.uptime_ns(fs->src.ctx);
	(void)pid, (void)fd;
	proc_addf(t, "cpu  0 0 0 %llu 0 0 0 0 0 0\n",
		  (unsigned long long)(up / 10000000 * fs->src.cpus));
	for (uint64_t i = 0; i < fs->src.cpus; i++)
		proc_addf(t, "cpu%llu 0 0 0 %llu 0 0 0 0 0 0\n", (unsigned long long)i,
			  (unsigned long long)(up / 10000000));
	proc_addf(t, "intr 0\nctxt 0\nbtime %lld\nprocesses %d\nprocs_running 1\nprocs_blocked 0\n",
		  (long long)(now.sec - (int64_t)(up / 1000000000)), fs->src.pid_last);
	return 0;
}

int proc_uptime(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	unsigned long long up = fs->src.uptime_ns(fs->src.ctx) / 10000000, idle = up * fs->src.cpus;
	(void)pid, (void)fd;
	proc_addf(t, "%llu.%02llu %llu.%02llu\n", up / 100, up % 100, idle / 100, idle % 100);
	return 0;
}

int proc_version(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	proc_addf(t, "Linux version %s (root@%s) (gcc) %s\n", fs->src.osrelease,
		  fs->src.hostname, fs->src.version);
	return 0;
}

static int proc_line(struct proc_text *t, const char *text)
{
	proc_add(t, text, strlen(text));
	proc_add(t, "\n", 1);
	return 0;
}

int proc_hostname(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	return proc_line(t, fs->src.hostname);
}

int proc_osrelease(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	return proc_line(t, fs->src.osrelease);
}

int proc_ostype(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "Linux");
}

int proc_sys_version(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	return proc_line(t, fs->src.version);
}

int proc_pid_max(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	proc_addf(t, "%d\n", fs->src.pid_max);
	return 0;
}

int proc_uuid(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	unsigned char b[16];
	(void)pid, (void)fd;
	fs->src.random(fs->src.ctx, b, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);	/* version 4 */
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (unsigned i = 0; i < sizeof(b); i++)
		proc_addf(t, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
	return proc_line(t, "");
}
