/*
 * Inside /proc: the filesystem, its kinds of nodes, and the texts.
 */
#ifndef VFS_PROC_IMPL_H
#define VFS_PROC_IMPL_H

#include <stdbool.h>

#include "vfs/proc.h"

struct procfs {
	struct tsb_fs fs;
	struct procfs_source src;
	unsigned char boot_id[16];	/* once asked for */
	bool has_boot_id;
};

/* A text that grows; failure is sticky. */
struct proc_text {
	char *p;
	size_t n, cap;
	bool bad;
};
void proc_add(struct proc_text *t, const void *p, size_t n);
void proc_addf(struct proc_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes the file's text. pid is 0 for files of the whole system. */
typedef int proc_text_fn(struct procfs *fs, int pid, int fd, struct proc_text *t);

/* A process's own files. */
proc_text_fn proc_cgroup, proc_cmdline, proc_comm, proc_environ, proc_fdinfo, proc_loginuid,
	proc_mountinfo, proc_mounts, proc_pid_stat, proc_statm, proc_status, proc_zero,
	proc_zero_bare;
/* The system's. */
proc_text_fn proc_boot_id, proc_cpuinfo, proc_domainname, proc_file_max, proc_filesystems,
	proc_hostname, proc_kernel_cmdline, proc_loadavg, proc_meminfo, proc_osrelease, proc_ostype,
	proc_overcommit, proc_partitions, proc_pid_max, proc_stat, proc_swappiness, proc_swaps,
	proc_sys_version, proc_threads_max, proc_uptime, proc_uuid, proc_version, proc_vmstat;

#endif
