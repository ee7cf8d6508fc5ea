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
proc_text_fn proc_cmdline, proc_comm, proc_environ, proc_fdinfo, proc_mounts, proc_pid_stat,
	proc_statm, proc_status;
/* The system's. */
proc_text_fn proc_cpuinfo, proc_filesystems, proc_loadavg, proc_meminfo, proc_stat, proc_uptime,
	proc_version, proc_hostname, proc_osrelease, proc_ostype, proc_sys_version, proc_pid_max,
	proc_uuid;

#endif
