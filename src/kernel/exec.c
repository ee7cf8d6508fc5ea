/*
 * Starting programs in processes: arguments and environment go into the new
 * process's heap, close-on-exec descriptors are closed, a script becomes its
 * interpreter. A forked child that has not run yet only gets these; a process
 * that becomes another program also leaves its stack and heap behind.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTERPRETERS_MAX 4	/* a script whose interpreter is a script ... */

struct exec_plan {
	const struct tsb_command *cmd;
	const char *exe;
	const char *comm;	/* a script's own name, not its interpreter's */
	/* What goes in front of argv[1...]: interpreter, argument, path. */
	const char *front[2 * INTERPRETERS_MAX + 2];
	size_t n_front;
};

/* ---- From a program to a command and its first arguments ---- */

static const struct tsb_command *exec_registered(struct kernel *k, const char *name)
{
	return name && k->opt.programs.find ?
	       k->opt.programs.find(k->opt.programs.ctx, name, strlen(name)) : NULL;
}

static bool exec_is_shell(const char *path)
{
	static const char *const shells[] = { "/bin/sh", "/bin/bash", "/usr/bin/sh",
					      "/usr/bin/bash", "/bin/dash", "/usr/bin/dash" };

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(path, shells[i]))
			return true;
	return false;
}

static void exec_push_front(struct exec_plan *plan, const char *word)
{
	memmove(plan->front + 1, plan->front, plan->n_front * sizeof(*plan->front));
	plan->front[0] = word;
	plan->n_front++;
}

/* A text without #!: the shell reads it. */
static int exec_text(struct tsb_proc *p, struct exec_plan *plan)
{
	struct kernel *k = p->k;

	plan->cmd = exec_registered(k, k->opt.programs.shell);
	plan->exe = plan->comm = "/usr/bin/bash";
	exec_push_front(plan, k->opt.programs.shell);
	return plan->cmd ? 0 : -ENOEXEC;
}

static int exec_plan(struct tsb_proc *p, const struct program *program, const char *name,
		     struct exec_plan *plan)
{
	struct program at = *program;

	*plan = (struct exec_plan){ .front = { name }, .n_front = 1,
				    .exe = program->path, .comm = program->path };
	for (int depth = 0; at.kind == PROGRAM_SCRIPT; depth++) {
		const char *interpreter = at.interpreter;
		int r;

		if (depth >= INTERPRETERS_MAX)
			return -ELOOP;
		plan->front[0] = depth ? plan->front[0] : at.path;
		if (at.argument)
			exec_push_front(plan, at.argument);
		exec_push_front(plan, interpreter);
		plan->exe = interpreter;
		r = proc_find_program(p, interpreter, &at);
		if (r == -ENOENT && exec_is_shell(interpreter)) {
			plan->cmd = exec_registered(p->k, p->k->opt.programs.shell);
			return plan->cmd ? 0 : r;
		}
		if (r < 0)
			return r;
	}
	if (at.kind == PROGRAM_TEXT) {
		if (plan->n_front > 1)
			return -ENOEXEC;	/* an interpreter must be a program */
		plan->front[0] = at.path;
		return exec_text(p, plan);
	}
	plan->cmd = at.command;
	return 0;
}

/* ---- Arguments ---- */

static int exec_count(const char *const *list, size_t *n, size_t *bytes)
{
	for (; list && list[*n]; (*n)++) {
		size_t len = strlen(list[*n]) + 1;

		if (len > ARGUMENT_MAX)
			return -E2BIG;
		*bytes += len + sizeof(char *);
		if (*bytes > ARGUMENTS_MAX)
			return -E2BIG;
	}
	return 0;
}

static int exec_check_size(const struct exec_plan *plan, const char *const *argv,
			   const char *const *env)
{
	size_t n = 0, bytes = 0;
	int r;

	for (size_t i = 0; i < plan->n_front; i++)
		bytes += strlen(plan->front[i]) + 1;
	r = exec_count(argv, &n, &bytes);
	n = 0;
	if (r == 0)
		r = exec_count(env, &n, &bytes);
	return r;
}

/* front, then argv[1...], in one block of the heap. NULL: no memory. */
static char **exec_copy_argv(struct tsb_heap *h, const struct exec_plan *plan,
			     const char *const *argv, int *argc)
{
	size_t n = 0, bytes = 0, i = 0;
	char **at, *to;

	if (argv[0])
		exec_count(argv + 1, &n, &bytes);
	for (i = 0; i < plan->n_front; i++)
		bytes += strlen(plan->front[i]) + 1;
	n += plan->n_front;
	at = heap_alloc(h, (n + 1) * sizeof(*at) + bytes);
	if (!at)
		return NULL;
	to = (char *)(at + n + 1);
	for (i = 0; i < n; i++) {
		const char *s = i < plan->n_front ? plan->front[i] : argv[i - plan->n_front + 1];
		size_t len = strlen(s) + 1;

		at[i] = memcpy(to, s, len);
		to += len;
	}
	at[n] = NULL;
	*argc = (int)n;
	return at;
}

/* ---- The record of the command ---- */

static void record_begin(struct tsb_proc *p)
{
	struct kernel *k = p->k;
	struct tsb_command_record *r;

	p->start_ns = clock_now(k);
	if (k->n_records >= RECORDS_MAX)
		return;
	if (k->n_records >= k->records_cap) {
		size_t cap = k->records_cap ? k->records_cap * 2 : 32;

		r = realloc(k->records, cap * sizeof(*r));
		if (!r)
			return;
		k->records = r;
		k->records_cap = cap;
	}
	p->record = k->n_records++;
	r = &k->records[p->record];
	*r = (struct tsb_command_record){ .name = p->cmd->name, .pid = p->pid,
					  .start_ns = (uint64_t)p->start_ns };
}

void record_end(struct tsb_proc *p)
{
	struct tsb_command_record *r;

	if (p->record == NO_RECORD)
		return;
	r = &p->k->records[p->record];
	p->record = NO_RECORD;
	r->wall_ns = (uint64_t)clock_now(p->k) - r->start_ns;
	r->status = p->status & 0x7f ? 128 + (p->status & 0x7f) : (p->status >> 8) & 0xff;
}

/* ---- Setting a process up ---- */

struct exec_image {
	char **argv;
	const char *exe;
	struct env *env;	/* NULL: keeps */
	int argc;
};

/* As an absolute path, though not a clean one. */
static char *exec_copy_exe(struct tsb_heap *h, const char *cwd, const char *path)
{
	size_t n = *path == '/' ? 0 : strlen(cwd) + 1, path_n = strlen(path) + 1;
	char *exe = heap_alloc(h, n + path_n);

	if (!exe)
		return NULL;
	if (n) {
		memcpy(exe, cwd, n - 1);
		exe[n - 1] = '/';
	}
	memcpy(exe + n, path, path_n);
	return exe;
}

/* All that may fail, into heap h; nothing of the process has changed. */
static int exec_prepare(struct tsb_proc *p, struct tsb_heap *h, const struct exec_plan *plan,
			const char *const *argv, const char *const *env, struct exec_image *image)
{
	int r = exec_check_size(plan, argv, env);

	if (r < 0)
		return r;
	*image = (struct exec_image){ 0 };
	image->argv = exec_copy_argv(h, plan, argv, &image->argc);
	image->exe = image->argv ? exec_copy_exe(h, p->cwd->path, plan->exe) : NULL;
	if (!image->exe)
		return -ENOMEM;
	if (env) {
		image->env = env_make(p->k, env);
		if (!image->env)
			return -ENOMEM;
	}
	return 0;
}

static void exec_apply(struct tsb_proc *p, const struct exec_plan *plan,
		       const struct exec_image *image)
{
	const char *base = program_base(plan->exe);
	size_t n = strlen(base);

	p->cmd = plan->cmd;
	p->argv = image->argv;
	p->argc = image->argc;
	p->exe = image->exe;
	p->name = image->argv[0];
	if (image->env) {
		env_put(p->k, p->env);
		p->env = image->env;
	}
	n = n < sizeof(p->comm) ? n : sizeof(p->comm) - 1;
	memcpy(p->comm, base, n);
	p->comm[n] = '\0';
	fdtab_close_exec(&p->fds);
	signal_reset_caught(p);
}

int proc_start_program(struct tsb_proc *child, const struct program *program,
		       const char *const *argv, const char *const *env)
{
	struct exec_image image;
	struct exec_plan plan;
	int r;

	if (!argv)
		return -EFAULT;
	/* The interpreter is looked for from where the child will be. */
	r = exec_plan(child, program, argv[0] ? argv[0] : program->path, &plan);
	if (r == 0)
		r = exec_prepare(child, child->main_heap, &plan, argv, env, &image);
	if (r < 0)
		return r;
	exec_apply(child, &plan, &image);
	record_begin(child);
	proc_start(child, program_main, (void *)(uintptr_t)plan.cmd);
	return 0;
}

/* ---- Becoming another program ---- */

static void exec_drop_old(struct tsb_proc *p)
{
	while (p->hooks) {
		struct end_hook *h = p->hooks;

		p->hooks = h->next;
		h->fn(h->arg);
	}
	dir_close_after(p, &p->dirs);
	if (p->heap && p->heap != p->main_heap)
		heap_end(p->heap);
	if (!p->heap_borrowed)
		heap_end(p->main_heap);
	p->heap_borrowed = false;
	p->heap = p->main_heap = p->next_heap;
	p->next_heap = NULL;
	p->out = (struct out){ 0 };
	p->user = NULL;
}

static void exec_begin(void *arg)
{
	struct tsb_proc *p = arg;
	int status = program_main(p, (void *)(uintptr_t)p->cmd);

	for (;;)
		proc_die(p, (status & 0xff) << 8);
}

int proc_exec(struct tsb_proc *p, const struct program *program, const char *const *argv,
	      const char *const *env)
{
	struct kernel *k = p->k;
	struct exec_image image;
	struct exec_plan plan;
	struct stack *stack;
	int r;

	CALL_BEGIN(p, 64);
	if (!argv)
		return -EFAULT;
	r = exec_plan(p, program, argv[0] ? argv[0] : program->path, &plan);
	if (r < 0)
		return r;
	/* Hangs on the process: it may be dropped while the heap is filled. */
	p->next_heap = heap_new(&k->budget, k->pool, kernel_oom, k);
	r = p->next_heap ? exec_prepare(p, p->next_heap, &plan, argv, env, &image) : -ENOMEM;
	stack = r == 0 ? stack_take(&k->stacks) : NULL;
	if (!stack) {
		heap_end(p->next_heap);
		p->next_heap = NULL;
		return r < 0 ? r : -ENOMEM;
	}
	out_flush(p);
	record_end(p);
	exec_apply(p, &plan, &image);
	exec_drop_old(p);
	p->no_drop = 0;
	/* From here on the old stack is only left. */
	stack_give(&k->stacks, p->stack);
	p->stack = stack;
	fiber_make(&p->fiber, stack, exec_begin, p);
	record_begin(p);
	fiber_leave(&p->fiber);
}
