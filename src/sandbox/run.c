/*
 * One run: a kernel from the pool, a shell in its first process, the script, and
 * the report turned into a result. With a session the shell is a copy of the
 * kept one, handed in when the script has ended by itself, so a run that was
 * stopped leaves the session as it was.
 */
#include "sandbox/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/grown.h"
#include "kernel/kernel.h"
#include "sandbox/result.h"
#include "shell/shell.h"
#include "vfs/image.h"
#include "vfs/vfs.h"

const char *const *tsb_default_env(void)
{
	static const char *const env[] = {
		"HOME=/home/user", "USER=user", "LOGNAME=user", "SHELL=/bin/bash",
		"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
		"HOSTNAME=sandbox", NULL
	};

	return env;
}

static ssize_t read_bytes(void *ctx, void *buf, size_t n)
{
	struct run *r = ctx;
	size_t left = r->opt->input_size - r->input_at;

	if (n > left)
		n = left;
	if (n)
		memcpy(buf, (const char *)r->opt->input + r->input_at, n);
	r->input_at += n;
	return (ssize_t)n;
}

static int keep_output(void *ctx, int fd, const void *data, size_t n)
{
	struct run *r = ctx;

	return capture_add(fd == 2 ? &r->result->err : &r->result->out, data, n);
}

static const struct tsb_command *find_program(void *ctx, const char *name, size_t n)
{
	return sandbox_find_command(ctx, name, n);
}

static bool is_foreign(void *ctx, const struct tsb_command *cmd)
{
	return sandbox_is_own(ctx, cmd);
}

/* Was a directory asked for, which then must be there? A session may have lost its own. */
static bool cwd_is_given(const struct run *r)
{
	return r->opt->cwd || (r->box->extra && r->box->extra->cwd && !(r->session && r->session->cwd));
}

static const char *cwd_of(const struct run *r)
{
	if (r->opt->cwd)
		return r->opt->cwd;
	if (r->session && r->session->cwd)
		return r->session->cwd;
	return r->box->extra && r->box->extra->cwd ? r->box->extra->cwd : "/home/user";
}

/* ---- Inside: the first process ---- */

static void set_arguments(struct run *r, struct shell *sh)
{
	const char *const *args = r->opt->args;
	size_t n = 0;

	while (args && args[n])
		n++;
	sh->args = heap_array(sh->heap, n + 1, sizeof(*sh->args));
	for (size_t i = 0; i < n; i++)
		sh->args[i] = heap_strdup(sh->heap, args[i]);
	sh->args[n] = NULL;
	sh->n_args = n;
}

static int first_process(struct tsb_proc *p, void *arg)
{
	struct run *r = arg;
	const char *name = r->opt->name ? r->opt->name : "bash";
	struct shell *sh;
	int status;

	if (cwd_is_given(r) && (r->failed = tsb_chdir(p, cwd_of(r)))) {
		r->why = TSB_EVENT_NO_CWD;
		return 127;
	}
	if (r->opt->terminal)
		proc_set_front(p, tsb_getpgid(p, 0));
	if (r->session && r->session->shell) {
		sh = shell_copy(r->session->shell, proc_heap(p));
		shell_attach(sh, p);
		if (r->opt->name)
			sh->arg0 = sh->script_name = heap_strdup(sh->heap, name);
	} else {
		sh = shell_new(p, name);
	}
	if (r->dump) {
		shell_dump(sh, r->dump);
		return 0;
	}
	set_arguments(r, sh);
	sh->command_string = !r->prompt && r->opt->script == TSB_SCRIPT_COMMAND;
	sh->stdin_script = r->opt->script == TSB_SCRIPT_STDIN;
	status = r->prompt ? shell_prompt(sh) : shell_run(sh, r->script, r->script_n, name);
	if (r->session) {
		shell_keep(sh);
		r->shell = sh;
		r->kept_cwd = heap_strdup(sh->heap, tsb_getcwd(p));
	}
	return status;
}

/* ---- The same for a program without a shell: an init ---- */

struct event_call {
	struct run *r;
	struct tsb_event event;
};

static void event_on_host(void *arg)
{
	struct event_call *c = arg;

	c->r->opt->event_fn(c->r->opt->event_ctx, &c->event);
}

static void tell(struct run *r, struct tsb_proc *p, enum tsb_event_kind kind, int value)
{
	struct event_call c = { r, { .kind = kind, .value = value } };
	struct kernel_report report;

	if (!r->opt->event_fn)
		return;
	if (kind == TSB_EVENT_ENDED) {
		kernel_report(r->kernel, &report);
		c.event.left = proc_count(p) - 1;
		c.event.memory_peak = report.memory_peak;
		c.event.cpu_ns = report.cpu_ns;
		c.event.limit = report.limit ? report.limit : report.denied;
	}
	proc_on_host(p, event_on_host, &c);
}

static int start_program(struct run *r, struct tsb_proc *p, int *pid)
{
	struct tsb_fd_map input = { .parent = -1, .child = 0 };
	struct tsb_spawn how = { .size = sizeof(how), .argv = r->argv, .fds = &input,
				 .n_fds = r->opt->input_path ? 1 : 0,
				 .flags = TSB_SPAWN_NEW_SESSION };
	int rc = tsb_chdir(p, cwd_of(r));

	r->why = TSB_EVENT_NO_CWD;
	if (!rc && r->opt->input_path) {
		r->why = TSB_EVENT_NO_INPUT;
		rc = input.parent = tsb_open(p, r->opt->input_path, O_RDONLY | O_CLOEXEC, 0);
	}
	if (rc < 0)
		return rc;
	r->why = TSB_EVENT_FAILED;
	rc = tsb_spawn(p, &how, pid);
	if (input.parent >= 0)
		tsb_close(p, input.parent);
	if (!rc)
		proc_set_front(p, *pid);
	return rc;
}

/* Reaps whatever ends; the program's own end is what counts. */
int run_init(struct tsb_proc *p, void *arg)
{
	struct run *r = arg;
	int pid = 0, status = 0, ended, main_status = 0;

	r->failed = start_program(r, p, &pid);
	if (r->failed) {
		tell(r, p, r->why, r->failed);
		return 127;
	}
	tell(r, p, TSB_EVENT_STARTED, pid);
	while ((ended = tsb_wait(p, -1, &status, 0)) > 0) {
		if (ended != pid)
			continue;
		main_status = status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
		pid = 0;
		tell(r, p, TSB_EVENT_ENDED, status);
		if (!r->opt->stay)
			break;
	}
	return main_status;
}

/* ---- Outside ---- */

static void terminal_changed(void *ctx, const struct tsb_termios *now, bool flush)
{
	struct run *r = ctx;
	struct tsb_event e = { .kind = TSB_EVENT_TERMINAL, .termios = now, .flush = flush };

	r->opt->event_fn(r->opt->event_ctx, &e);
}

static inline __attribute__((always_inline)) void options_of_sandbox(const struct tsb_sandbox *box,
								      struct kernel_options *k)
{
	const struct sandbox_extra *x = box->extra;

	memset(k, 0, sizeof(*k));
	k->limits = sandbox_limits(box);
	k->vfs = box->vfs;
	k->hostname = x && x->hostname ? x->hostname : "sandbox";
	k->uid = IMAGE_UID;
	k->gid = IMAGE_GID;
	if (x) {
		k->virtual_time = x->virtual_time;
		k->start_sec = x->start_sec;
		k->seed = x->seed;
		k->offers = x->offers;
	}
	if (x && x->together)
		k->share = &box->extra->share;
}

void run_kernel_options(const struct tsb_sandbox *box, struct kernel_options *k)
{
	options_of_sandbox(box, k);
}

static inline void kernel_options_of(struct run *r, struct kernel_options *k)
{
	const struct tsb_run_options *opt = r->opt;

	options_of_sandbox(r->box, k);
	if (opt->limits)
		k->limits = opt->limits;
	k->programs = (struct kernel_programs){ .find = find_program, .foreign = is_foreign,
						.shell = "bash", .ctx = r->box };
	k->io.input = opt->input_fn ? opt->input_fn : read_bytes;
	k->io.input_ctx = opt->input_fn ? opt->input_ctx : r;
	k->io.output = opt->output_fn ? opt->output_fn : keep_output;
	k->io.output_ctx = opt->output_fn ? opt->output_ctx : r;
	k->io.terminal = opt->terminal;
	k->io.termios = opt->termios;
	k->io.size = (struct tsb_winsize){ opt->rows, opt->columns };
	k->io.changed = opt->event_fn ? terminal_changed : NULL;
	k->io.changed_ctx = r;
	k->io.wakes = opt->wakes;
	k->cancel = opt->cancel;
	k->init_reaps = r->argv != NULL;
}

static const char *const *env_of(const struct run *r)
{
	if (r->opt->env)
		return r->opt->env;
	if (r->box->extra && r->box->extra->env)
		return (const char *const *)r->box->extra->env;
	return tsb_default_env();
}

static void fill_result(struct run *r, int status)
{
	struct kernel_report report;

	kernel_report(r->kernel, &report);
	result_fill(r->result, status, &report);
	r->commands = report.commands;
	if (report.stop != TSB_STOP_NONE)
		r->shell = NULL;	/* half-changed: not to be kept */
}

static inline int open_kernel(struct run *r)
{
	struct kernel_options options;
	int rc;

	kernel_options_of(r, &options);
	rc = kernel_begin(r->kernel, &options);
	if (rc)
		return rc;
	if (r->session)
		r->heap = kernel_heap_new(r->kernel);
	if ((r->session && !r->heap) ||
	    !kernel_init_proc(r->kernel, r->argv ? "init" : "bash", r->argv || cwd_is_given(r) ? "/" : cwd_of(r),
			      env_of(r), r->heap)) {
		r->small = kernel_too_small(r->kernel);
		rc = -ENOMEM;
	}
	return rc;
}

/* (static ones, as they belong to the cost of a run) */
static inline __attribute__((always_inline)) int open_run(struct run *r)
{
	r->result = result_new(r->opt->limits ? r->opt->limits : sandbox_limits(r->box));
	r->kernel = engine_take_kernel(r->box->engine);
	return r->result && r->kernel ? open_kernel(r) : -ENOMEM;
}

int run_open(struct run *r)
{
	return open_run(r);
}

/* A branch may be copying the session just now. */
static bool keep_session(struct run *r)
{
	int rc;

	pthread_mutex_lock(&r->box->lock);
	rc = session_adopt(r->session, r->heap, r->shell, r->kept_cwd);
	pthread_mutex_unlock(&r->box->lock);
	return !rc;
}

static inline __attribute__((always_inline)) void close_run(struct run *r, bool ran, int status)
{
	if (ran)
		fill_result(r, status);
	if (r->shell && keep_session(r))
		r->heap = NULL;
	if (r->heap)
		heap_end(r->heap);
	if (!r->kernel)
		return;
	kernel_finish(r->kernel);
	engine_give_kernel(r->box->engine, r->kernel);
	r->kernel = NULL;
}

void run_close(struct run *r, bool ran, int status)
{
	close_run(r, ran, status);
}

/* A session has one run at a time; others wait for their turn, but a callback of that
 * run would wait for ever: -EBUSY. */
int run_begin(struct run *r)
{
	struct tsb_sandbox *box = r->box;

	pthread_mutex_lock(&box->lock);
	if (box->session && !r->opt->fresh && !r->argv) {
		if (box->session_busy && pthread_equal(box->session_thread, pthread_self())) {
			pthread_mutex_unlock(&box->lock);
			return -EBUSY;
		}
		while (box->session_busy)
			pthread_cond_wait(&box->idle, &box->lock);
		box->session_busy = true;
		box->session_thread = pthread_self();
		r->session = box->session;
	}
	box->runs++;
	box->n_runs++;
	pthread_mutex_unlock(&box->lock);
	return 0;
}

void run_finish(struct run *r)
{
	struct tsb_sandbox *box = r->box;

	pthread_mutex_lock(&box->lock);
	box->runs--;
	box->n_commands += r->commands;
	if (r->session) {
		box->session_busy = false;
		pthread_cond_signal(&box->idle);
	}
	pthread_mutex_unlock(&box->lock);
}

static const struct tsb_run_options no_options = TSB_RUN_OPTIONS_INIT;

/* 0 or -errno; r->result is the caller's to free either way. */
static inline __attribute__((always_inline)) int run_here(struct run *r)
{
	int rc = run_begin(r), status = 0;

	if (rc)
		return rc;
	rc = open_run(r);
	if (!rc)
		status = kernel_run(r->kernel, r->argv ? run_init : first_process, r);
	close_run(r, !rc, status);
	run_finish(r);
	return rc;
}

int sandbox_dump_session(struct tsb_sandbox *box, struct str *out)
{
	struct run r = { .box = box, .opt = &no_options, .dump = out };
	int rc = run_here(&r);

	if (!rc && r.result->stop != TSB_STOP_NONE)
		rc = -ENOMEM;
	tsb_result_free(r.result);
	return rc;
}

/* All runs together have used it up, or it is too small for any. */
static int fail_small(struct run *r)
{
	const struct tsb_limits *limits = r->opt->limits ? r->opt->limits : sandbox_limits(r->box);
	bool memory = !strcmp(r->small, "memory_bytes"), together = r->box->extra && r->box->extra->together;
	uint64_t value = memory ? limits->memory_bytes : limits->descriptors;

	return sandbox_fail(r->box, memory && together ? TSB_ERR_MEMORY : TSB_ERR_ARGUMENT, ENOMEM,
			    "cannot start a run: the limit %s (%llu) %s", r->small,
			    (unsigned long long)value, memory && together ?
			    "leaves nothing for it, with what runs already" :
			    "is less than a shell begins with");
}

static int fail(struct run *r, int rc)
{
	tsb_result_free(r->result);
	if (rc && r->small)
		return fail_small(r);
	if (rc == -EBUSY)
		return sandbox_fail(r->box, TSB_ERR_BUSY, EBUSY, "a callback of a run in the session "
				    "cannot run in it: set `fresh`");
	if (rc)
		return sandbox_fail(r->box, rc == -ENOMEM ? TSB_ERR_MEMORY : TSB_ERR_FILE, rc,
				    "cannot start a run: %s", tsb_strerror(rc));
	if (r->why != TSB_EVENT_FAILED)
		return sandbox_fail(r->box, TSB_ERR_FILE, r->failed, "cannot open %s: %s",
				    r->why == TSB_EVENT_NO_CWD ? cwd_of(r) : r->opt->input_path,
				    tsb_strerror(r->failed));
	return sandbox_fail(r->box, TSB_ERR_COMMAND, r->failed, "cannot run %s: %s", r->argv[0],
			    tsb_strerror(r->failed));
}

/* The structs of a caller that was built with an older or a newer header. */
static __attribute__((noinline, cold)) bool options_grown(struct run *r, struct run_room *room)
{
	room->opt = no_options;
	if (!grown_take(&room->opt, sizeof(room->opt), r->opt))
		return false;
	r->opt = &room->opt;
	if (!room->opt.limits)
		return true;
	room->limits = *sandbox_limits(r->box);
	if (!grown_take(&room->limits, sizeof(room->limits), room->opt.limits))
		return false;
	room->opt.limits = &room->limits;
	return true;
}

static bool options_ours(struct run *r, struct run_room *room)
{
	if (r->opt->size == sizeof(no_options) &&
	    (!r->opt->limits || r->opt->limits->size == sizeof(struct tsb_limits)))
		return true;
	return options_grown(r, room);
}

int run_options(struct run *r, const struct tsb_run_options *opt, struct run_room *room)
{
	r->opt = opt ? opt : &no_options;
	if (!options_ours(r, room) || (r->opt->input_size && !r->opt->input) ||
	    (r->opt->wakes && !r->opt->cancel) || !sandbox_env_valid(r->opt->env))
		return sandbox_fail(r->box, TSB_ERR_ARGUMENT, EINVAL, "run options: a size of no "
				    "version, a field that is not known here, input_size without input, wakes without cancel, or in env what is "
				    "not NAME=VALUE");
	return TSB_OK;
}

static inline int outcome(struct run *r, int rc, struct tsb_result **out)
{
	if (!rc && !result_seal(r->result))
		rc = -ENOMEM;
	if (rc || r->failed)
		return fail(r, rc);
	*out = r->result;
	return TSB_OK;
}

int run_outcome(struct run *r, int rc, struct tsb_result **out)
{
	return outcome(r, rc, out);
}

static int run(struct run *r, const struct tsb_run_options *opt, struct tsb_result **out)
{
	struct run_room room;
	int rc = run_options(r, opt, &room);

	return rc ? rc : outcome(r, run_here(r), out);
}

int tsb_run_bytes(struct tsb_sandbox *box, const void *script, size_t size,
		  const struct tsb_run_options *opt, struct tsb_result **out)
{
	struct run r = { .box = box, .script = script, .script_n = size };

	if (!box || !out || (!script && size))
		return sandbox_refuse(box, __func__);
	*out = NULL;
	return run(&r, opt, out);
}

int tsb_prompt(struct tsb_sandbox *box, const struct tsb_run_options *opt, struct tsb_result **out)
{
	struct run r = { .box = box, .script = "", .prompt = true };

	if (!box || !out)
		return TSB_ERR_ARGUMENT;
	*out = NULL;
	return run(&r, opt, out);
}

int tsb_exec_argv(struct tsb_sandbox *box, const char *const *argv,
		  const struct tsb_run_options *opt, struct tsb_result **out)
{
	struct run r = { .box = box, .argv = argv };

	if (!box || !out || !argv || !argv[0])
		return sandbox_refuse(box, __func__);
	*out = NULL;
	return run(&r, opt, out);
}

int tsb_run(struct tsb_sandbox *box, const char *script, const struct tsb_run_options *opt,
	    struct tsb_result **out)
{
	if (!script)
		return sandbox_refuse(box, __func__);
	return tsb_run_bytes(box, script, strlen(script), opt, out);
}
