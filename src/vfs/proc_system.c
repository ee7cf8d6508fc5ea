/*
 * The texts of /proc that are about the whole system, in the shapes that Linux
 * 6.1 prints.
 */
#include "vfs/proc.h"

#include <string.h>

#include "vfs/proc_impl.h"

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
	proc_addf(t, "0.00 0.00 0.00 1/%d %d\n", proc_count(fs), fs->src.pid_last(fs->src.ctx));
	return 0;
}

int proc_meminfo(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	static const char *const rest[] = {
		"Buffers", "Cached", "SwapCached", "Active", "Inactive", "SwapTotal", "SwapFree",
		"Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "KReclaimable", "Slab",
		"SReclaimable", "SUnreclaim", "KernelStack", "PageTables",
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
		  (long long)(now.sec - (int64_t)(up / 1000000000)), fs->src.pid_last(fs->src.ctx));
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

int proc_domainname(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "(none)");
}

int proc_threads_max(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	proc_addf(t, "%d\n", fs->src.pid_max);
	return 0;
}

int proc_file_max(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "9223372036854775807");
}

int proc_overcommit(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "0");
}

int proc_swappiness(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "60");
}

int proc_kernel_cmdline(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "quiet");
}

int proc_swaps(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority");
}

int proc_partitions(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)fs, (void)pid, (void)fd;
	return proc_line(t, "major minor  #blocks  name\n");
}

int proc_vmstat(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	unsigned long long total = fs->src.memory_total, used = fs->src.memory_used(fs->src.ctx);
	(void)pid, (void)fd;
	proc_addf(t, "nr_free_pages %llu\nnr_anon_pages %llu\n",
		  (used < total ? total - used : 0) / 4096, used / 4096);
	proc_addf(t, "pgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n");
	return 0;
}

/* Sixteen random bytes as a UUID of version 4. */
static int proc_add_uuid(struct proc_text *t, const unsigned char *random)
{
	unsigned char b[16];
	memcpy(b, random, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (unsigned i = 0; i < sizeof(b); i++)
		proc_addf(t, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
	return proc_line(t, "");
}

int proc_boot_id(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	(void)pid, (void)fd;
	if (!fs->has_boot_id)
		fs->src.random(fs->src.ctx, fs->boot_id, sizeof(fs->boot_id));
	fs->has_boot_id = true;
	return proc_add_uuid(t, fs->boot_id);
}

int proc_uuid(struct procfs *fs, int pid, int fd, struct proc_text *t)
{
	unsigned char b[16];
	(void)pid, (void)fd;
	fs->src.random(fs->src.ctx, b, sizeof(b));
	return proc_add_uuid(t, b);
}
