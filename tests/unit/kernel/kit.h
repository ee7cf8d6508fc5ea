/*
 * What the kernel's tests share: a run whose first process is a function of the
 * test, with captured output, a registry of small commands and, if wanted, a
 * memory filesystem. Everything about a run is in struct kit.
 */
#ifndef KERNEL_KIT_H
#define KERNEL_KIT_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "kernel/kernel.h"
#include "tap.h"

struct kit {
	struct kernel *k;
	struct kernel_options opt;
	struct tsb_limits limits;
	const struct tsb_command *const *commands;	/* NULL-terminated */
	char text[2][1 << 16];		/* fd 1 and 2 */
	size_t n[2];
	struct kernel_report report;
	int status;
	uint64_t real_ns;		/* of the last run */
};

static int kit_output(void *ctx, int fd, const void *data, size_t n)
{
	struct kit *t = ctx;
	size_t room = sizeof(t->text[0]) - 1 - t->n[fd - 1];

	if (n > room)
		n = room;
	memcpy(t->text[fd - 1] + t->n[fd - 1], data, n);
	t->n[fd - 1] += n;
	t->text[fd - 1][t->n[fd - 1]] = '\0';
	return 0;
}

static const struct tsb_command *kit_find(void *ctx, const char *name, size_t n)
{
	struct kit *t = ctx;

	for (size_t i = 0; t->commands && t->commands[i]; i++)
		if (strlen(t->commands[i]->name) == n && !memcmp(t->commands[i]->name, name, n))
			return t->commands[i];
	return NULL;
}

/* The embedder's are those whose user is set. */
static bool kit_foreign(void *ctx, const struct tsb_command *cmd)
{
	(void)ctx;
	return cmd->user != NULL;
}

static void kit_begin(struct kit *t)
{
	memset(t, 0, sizeof(*t));
	t->k = kernel_new();
	tsb_limits_default(&t->limits);
	t->opt = (struct kernel_options){
		.limits = &t->limits, .io = { .output = kit_output, .output_ctx = t },
		.programs = { .find = kit_find, .foreign = kit_foreign, .shell = "bash", .ctx = t },
		.hostname = "sandbox", .uid = 1000, .gid = 1000, .start_sec = 1700000000, .seed = 7
	};
}

static uint64_t kit_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* One run; the kernel is used again by the next one. */
static int kit_run(struct kit *t, proc_main_fn *main_fn, void *arg)
{
	static const char *const env[] = { "PATH=/bin:/usr/bin", "HOME=/", "X=1", NULL };
	uint64_t from = kit_clock();

	t->n[0] = t->n[1] = 0;
	t->text[0][0] = t->text[1][0] = '\0';
	if (kernel_begin(t->k, &t->opt) || !kernel_init_proc(t->k, "bash", "/", env, NULL))
		abort();
	t->status = kernel_run(t->k, main_fn, arg);
	kernel_report(t->k, &t->report);
	kernel_finish(t->k);
	t->real_ns = kit_clock() - from;
	return t->status;
}

__attribute__((unused)) static void kit_end(struct kit *t)
{
	kernel_free(t->k);
}

/* A started child, with fds in and out (-1: as the parent) as its 0 and 1. */
__attribute__((unused)) static int kit_child(struct tsb_proc *p, int in, int out,
					      proc_main_fn *fn, void *arg)
{
	struct tsb_proc *c;
	int r = proc_fork(p, &c);

	if (r < 0)
		return r;
	r = proc_pid(c);
	if (in >= 0)
		proc_give_fd(p, in, c, 0);
	if (out >= 0)
		proc_give_fd(p, out, c, 1);
	for (int fd = 3; fd < 16; fd++)
		proc_drop_fd(c, fd);
	proc_start(c, fn, arg);
	return r;
}

#endif
