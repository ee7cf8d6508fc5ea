/*
 * Reads /proc: see procs.h. A process that ends while it is looked at is left
 * out, as if it had never been there.
 */
#include "cmd/procs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "cmd/util.h"

#define SLURP_STEP 4096

char *procs_slurp(struct tsb_proc *p, const char *path, size_t *n)
{
	int fd = tsb_open(p, path, O_RDONLY, 0);
	size_t used = 0, cap = SLURP_STEP;
	char *buf;
	ssize_t got;

	if (fd < 0)
		return NULL;
	buf = tsb_alloc(p, cap);
	while ((got = tsb_read(p, fd, buf + used, cap - used - 1)) > 0) {
		used += (size_t)got;
		if (cap - used == 1) {
			cap *= 2;
			buf = tsb_realloc(p, buf, cap);
		}
	}
	tsb_close(p, fd);
	buf[used] = '\0';
	if (n)
		*n = used;
	if (got < 0) {
		tsb_free(p, buf);
		return NULL;
	}
	return tsb_realloc(p, buf, used + 1);	/* top keeps hundreds of them */
}

/* ---- One process ---- */

static uint64_t procs_u64(const char **at)
{
	char *end;
	uint64_t v = strtoull(*at, &end, 10);

	*at = end;
	return v;
}

static int procs_int(const char **at)
{
	char *end;
	long v = strtol(*at, &end, 10);

	*at = end;
	return (int)v;
}

static void procs_skip(const char **at, int fields)
{
	while (fields--)
		procs_u64(at);
}

/* "12 (name) S 1 ...": the name may hold anything, so its end is the last ")". */
static bool procs_stat(struct tsb_proc *p, const char *text, struct procs_item *it)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *at;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	it->pid = atoi(text);
	it->comm = tsb_strndup(p, open + 1, (size_t)(close - open) - 1);
	it->state = close[2];
	at = close + 3;
	it->ppid = procs_int(&at);
	it->pgrp = procs_int(&at);
	it->sid = procs_int(&at);
	it->tty = procs_int(&at);
	it->tpgid = procs_int(&at);
	it->flags = procs_u64(&at);
	it->minflt = procs_u64(&at);
	procs_skip(&at, 1);
	it->majflt = procs_u64(&at);
	procs_skip(&at, 1);
	it->utime = procs_u64(&at);
	it->stime = procs_u64(&at);
	it->cutime = procs_u64(&at);
	it->cstime = procs_u64(&at);
	it->priority = procs_int(&at);
	it->nice = procs_int(&at);
	it->threads = procs_int(&at);
	procs_skip(&at, 1);
	it->start = procs_u64(&at);
	it->vsize = procs_u64(&at);
	it->rss = procs_u64(&at);
	procs_skip(&at, 14);
	it->processor = procs_int(&at);
	return true;
}

static void procs_ids(const char *text, const char *name, uint32_t ids[4])
{
	const char *at = strstr(text, name);

	if (!at)
		return;
	at += strlen(name);
	for (int i = 0; i < 4; i++)
		ids[i] = (uint32_t)procs_u64(&at);
}

/* What stands behind "name:\t" up to the line's end. */
static char *procs_field(struct tsb_proc *p, const char *text, const char *name)
{
	const char *at = strstr(text, name);

	if (!at)
		return tsb_strdup(p, "");
	at += strlen(name);
	return tsb_strndup(p, at, strcspn(at, "\n"));
}

static void procs_status(struct tsb_proc *p, const char *text, struct procs_item *it)
{
	static const char *const sigs[] = { "\nSigPnd:\t", "\nShdPnd:\t", "\nSigBlk:\t",
					    "\nSigIgn:\t", "\nSigCgt:\t" };
	char *groups;
	size_t n;

	procs_ids(text, "\nUid:", it->uid);
	procs_ids(text, "\nGid:", it->gid);
	groups = procs_field(p, text, "\nGroups:\t");
	n = strlen(groups);
	while (n && groups[n - 1] == ' ')
		groups[--n] = '\0';
	for (char *at = groups; *at; at++)
		if (*at == ' ')
			*at = ',';
	it->supgid = groups;
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		it->sig[i] = procs_field(p, text, sigs[i]);
	it->data_kb = strtoull(procs_field(p, text, "\nVmData:"), NULL, 10) +
		      strtoull(procs_field(p, text, "\nVmStk:"), NULL, 10);
}

static void procs_split_arguments(struct tsb_proc *p, struct procs_item *it, char *text, size_t n)
{
	size_t cap = 0;

	it->argc = 0;
	it->argv = NULL;
	for (size_t at = 0; at < n; at += strlen(text + at) + 1) {
		it->argv = util_grow(p, it->argv, it->argc + 1, &cap, sizeof(*it->argv));
		it->argv[it->argc++] = text + at;
		it->argv[it->argc] = NULL;
	}
}

bool procs_read_one(struct tsb_proc *p, int pid, struct procs_item *it)
{
	char path[64], *stat, *status, *cmdline;
	size_t n = 0;

	memset(it, 0, sizeof(*it));
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	stat = procs_slurp(p, path, NULL);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = procs_slurp(p, path, NULL);
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	cmdline = procs_slurp(p, path, &n);
	if (!stat || !status || !procs_stat(p, stat, it))
		return false;
	procs_status(p, status, it);
	if (cmdline)
		procs_split_arguments(p, it, cmdline, n);
	tsb_free(p, stat);
	tsb_free(p, status);
	return true;
}

char *procs_command_line(struct tsb_proc *p, const struct procs_item *it)
{
	struct str s;

	if (!it->argc)
		return NULL;
	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < it->argc; i++) {
		if (i)
			str_addc(&s, ' ');
		str_adds(&s, it->argv[i]);
	}
	return s.p;
}

/* ---- All of them ---- */

static int procs_compare(const void *a, const void *b)
{
	const struct procs_item *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void procs_read(struct tsb_proc *p, struct procs *out)
{
	const struct tsb_dirent *e;
	struct tsb_dir *dir;
	size_t cap = 0;

	*out = (struct procs){ NULL, 0 };
	if (tsb_opendir(p, "/proc", &dir) < 0)
		return;
	while ((e = tsb_readdir(dir))) {
		int64_t pid;

		tsb_tick(p, 100);
		if (num_i64(e->name, &pid) != NUM_OK || pid < 1 || pid > INT32_MAX)
			continue;
		out->at = util_grow(p, out->at, out->n, &cap, sizeof(*out->at));
		out->n += procs_read_one(p, (int)pid, &out->at[out->n]);
	}
	tsb_closedir(dir);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), procs_compare);
}

/* ---- The system ---- */

double procs_uptime(struct tsb_proc *p)
{
	char *text = procs_slurp(p, "/proc/uptime", NULL);
	double up = text ? strtod(text, NULL) : 0;

	tsb_free(p, text);
	return up;
}

uint64_t procs_meminfo(struct tsb_proc *p, const char *name)
{
	char *text = procs_slurp(p, "/proc/meminfo", NULL);
	const char *at = text;
	size_t n = strlen(name);
	uint64_t value = 0;

	while (at && *at) {
		if (!strncmp(at, name, n) && at[n] == ':') {
			value = strtoull(at + n + 1, NULL, 10);
			break;
		}
		at = strchr(at, '\n');
		at += at != NULL;
	}
	tsb_free(p, text);
	return value;
}

int procs_pid_width(struct tsb_proc *p)
{
	char *text = procs_slurp(p, "/proc/sys/kernel/pid_max", NULL);
	long max = text ? strtol(text, NULL, 10) - 1 : 32767;
	int width = 1;

	tsb_free(p, text);
	for (; max > 9; max /= 10)
		width++;
	return width;
}

/* ---- procps ---- */

void procps_help(struct tsb_proc *p, const struct tsb_command *cmd)
{
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	opt_help(&s, cmd, tsb_name(p));
	tsb_put(p, s.p, s.n);
	tsb_exit(p, 0);
}

int procps_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	const char *name = tsb_name(p), *slash = strrchr(name, '/');

	(void)opts, (void)opt, (void)arg;
	tsb_printf(p, "%s from procps-ng 4.0.2\n", slash ? slash + 1 : name);
	tsb_exit(p, 0);
}
