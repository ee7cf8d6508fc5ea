/*
 * tsb_exec_argv(): a program without a shell, as a child of an init; its events; signals,
 * pauses and back-pressure from another thread; what it leaves running.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "tap.h"

struct seen {
	struct tsb_cancel *cancel;
	pthread_mutex_t lock;
	char out[1 << 16];
	size_t n, room;		/* room: bytes until output says "not now" */
	unsigned refused;
	const char *input;
	bool input_end;
	int started, failed, no_cwd, ended;	/* counts */
	int value;
	size_t left;
};

static void on_event(void *ctx, const struct tsb_event *e)
{
	struct seen *s = ctx;

	pthread_mutex_lock(&s->lock);
	s->started += e->kind == TSB_EVENT_STARTED;
	s->failed += e->kind == TSB_EVENT_FAILED;
	s->no_cwd += e->kind == TSB_EVENT_NO_CWD;
	s->ended += e->kind == TSB_EVENT_ENDED;
	s->value = e->value;
	s->left = e->left;
	pthread_mutex_unlock(&s->lock);
}

static int on_output(void *ctx, int fd, const void *data, size_t n)
{
	struct seen *s = ctx;
	int rc = 0;

	(void)fd;
	pthread_mutex_lock(&s->lock);
	if (n > s->room) {
		s->refused++;
		rc = -EAGAIN;
	} else {
		s->room -= n;
		if (s->n + n < sizeof(s->out))
			memcpy(s->out + s->n, data, n);
		s->n += n;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static ssize_t on_input(void *ctx, void *buf, size_t n)
{
	struct seen *s = ctx;
	ssize_t got = -EAGAIN;

	pthread_mutex_lock(&s->lock);
	if (s->input) {
		got = (ssize_t)strnlen(s->input, n);
		memcpy(buf, s->input, (size_t)got);
		s->input = NULL;
	} else if (s->input_end) {
		got = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return got;
}

/* All cancel objects, freed at the end. */
static struct tsb_cancel *made[64];
static size_t n_made;

static void begin(struct seen *s, struct tsb_run_options *o)
{
	static const struct tsb_run_options init = TSB_RUN_OPTIONS_INIT;

	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	s->cancel = made[n_made++] = tsb_cancel_new();
	s->room = SIZE_MAX;
	*o = init;
	o->cancel = s->cancel;
	o->wakes = true;
	o->output_fn = on_output;
	o->output_ctx = s;
	o->input_fn = on_input;
	o->input_ctx = s;
	o->event_fn = on_event;
	o->event_ctx = s;
	o->cwd = "/tmp";
}

struct job {
	struct tsb_sandbox *box;
	const char *const *argv;
	struct tsb_run_options *o;
	int rc, status;
	enum tsb_stop stop;
};

static void *job_main(void *arg)
{
	struct job *j = arg;
	struct tsb_result *r;

	j->rc = tsb_exec_argv(j->box, j->argv, j->o, &r);
	if (!j->rc) {
		j->status = tsb_result_status(r);
		j->stop = tsb_result_stop(r);
		tsb_result_free(r);
	}
	return NULL;
}

/* Until fn's condition holds, at most 10 s. */
#define UNTIL(s, cond) do { \
	for (int i_ = 0; i_ < 10000; i_++) { \
		bool good_; \
		pthread_mutex_lock(&(s)->lock); \
		good_ = (cond); \
		pthread_mutex_unlock(&(s)->lock); \
		if (good_) \
			break; \
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL); \
	} \
} while (0)

static int run_now(struct tsb_sandbox *box, const char *const *argv, struct seen *s)
{
	struct tsb_run_options o;
	struct tsb_result *r;
	int rc, status;

	begin(s, &o);
	s->input_end = true;
	rc = tsb_exec_argv(box, argv, &o, &r);
	if (rc)
		return rc;
	status = tsb_result_status(r);
	tsb_result_free(r);
	s->out[s->n] = '\0';
	return status;
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_arguments(struct tsb_sandbox *box)
{
	struct tsb_run_options o;
	struct tsb_result *r;
	struct seen s;

	is_int(run_now(box, ARGV("printf", "<%s>", "a b", "$HOME", "*", ""), &s), 0, "printf");
	is_str(s.out, "<a b><$HOME><*><>", "arguments are not shell text");
	is_int(s.started + s.ended, 2, "it was told that it began and ended");
	is_int(run_now(box, ARGV("bash", "-c", "exit 7"), &s), 7, "status");
	ok(WIFEXITED(s.value) && WEXITSTATUS(s.value) == 7, "as waitpid gives it");
	is_int(run_now(box, ARGV("bash", "-c", "kill -TERM $$"), &s), 143, "a signal");
	ok(WIFSIGNALED(s.value) && WTERMSIG(s.value) == SIGTERM, "is not an exit status");
	is_int(run_now(box, ARGV("nosuch"), &s), TSB_ERR_COMMAND, "no such program");
	is_int(s.failed, 1, "told by an event");
	is_int(s.value, -ENOENT, "with the reason");
	is_int(run_now(box, ARGV("/etc/passwd"), &s), TSB_ERR_COMMAND, "not executable");
	is_int(s.value, -EACCES, "is EACCES");
	begin(&s, &o);
	o.cwd = "/nowhere";
	is_int(tsb_exec_argv(box, ARGV("true"), &o, &r), TSB_ERR_FILE, "no such directory");
	is_int(s.no_cwd, 1, "has its own event");
	is_int(run_now(box, ARGV("bash", "-c", "kill -9 1; echo $PPID"), &s), 0,
	       "an init cannot be killed from inside");
	is_str(s.out, "1\n", "and is process 1");
	is_int(tsb_exec_argv(box, NULL, NULL, &r), TSB_ERR_ARGUMENT, "no argv");
	o.cancel = NULL;
	is_int(tsb_exec_argv(box, ARGV("true"), &o, &r), TSB_ERR_ARGUMENT, "wakes needs cancel");
}

static void test_signals(struct tsb_sandbox *box)
{
	struct job j = { .box = box };
	struct tsb_run_options o;
	pthread_t t;
	struct seen s;

	begin(&s, &o);
	j.argv = ARGV("bash", "-c", "trap 'echo got; exit 5' USR1; echo ready; while :; do sleep 1; done");
	j.o = &o;
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.n == 6);
	is_int(tsb_cancel_signal(s.cancel, SIGUSR1, false), TSB_OK, "a signal from outside");
	pthread_join(t, NULL);
	is_int(j.status, 5, "came to the trap");
	is_str(s.out, "ready\ngot\n", "once");
	is_int(tsb_cancel_signal(s.cancel, 99, false), TSB_ERR_ARGUMENT, "no such signal");

	begin(&s, &o);
	j.argv = ARGV("bash", "-c", "while :; do :; done");
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.started == 1);
	tsb_cancel_signal(s.cancel, SIGINT, false);
	pthread_join(t, NULL);
	is_int(j.status, 130, "also to one that computes");

	begin(&s, &o);
	j.argv = ARGV("cat");
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.started == 1);
	pthread_mutex_lock(&s.lock);
	s.input = "hello\n";
	pthread_mutex_unlock(&s.lock);
	tsb_cancel_wake(s.cancel);
	UNTIL(&s, s.n == 6);
	is_int(s.n, 6, "input that comes later");
	tsb_cancel_now(s.cancel);
	pthread_join(t, NULL);
	is_int(j.stop, TSB_STOP_CANCEL, "and the end");
}

static void test_pressure(struct tsb_sandbox *box)
{
	struct job j = { .box = box };
	struct tsb_run_options o;
	pthread_t t;
	struct seen s;

	begin(&s, &o);
	s.room = 100000;
	j.argv = ARGV("bash", "-c", "trap 'exit 9' TERM; head -c 1000000 /dev/zero; echo done");
	j.o = &o;
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.refused > 0);
	ok(s.n <= 100000, "output that is not taken waits");
	is_int(s.refused, 1, "and is not offered again");
	pthread_mutex_lock(&s.lock);
	s.room = SIZE_MAX;
	pthread_mutex_unlock(&s.lock);
	tsb_cancel_wake(s.cancel);
	pthread_join(t, NULL);
	is_int(s.n, 1000005, "nothing is lost");

	begin(&s, &o);
	s.room = 0;
	j.argv = ARGV("cat", "/etc/passwd");
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.refused > 0);
	tsb_cancel_signal(s.cancel, SIGTERM, false);
	pthread_join(t, NULL);
	is_int(j.status, 143, "a writer that waits can be killed");
}

static size_t written(struct seen *s)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n;
	pthread_mutex_unlock(&s->lock);
	return n;
}

static void test_pause(struct tsb_sandbox *box)
{
	struct job j = { .box = box };
	struct tsb_run_options o;
	size_t before;
	pthread_t t;
	struct seen s;

	begin(&s, &o);
	j.argv = ARGV("bash", "-c", "while :; do echo; done");
	j.o = &o;
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.n > 10);
	tsb_cancel_pause(s.cancel, true);
	nanosleep(&(struct timespec){ 0, 30000000 }, NULL);
	before = written(&s);
	nanosleep(&(struct timespec){ 0, 30000000 }, NULL);
	is_int(written(&s), before, "a paused run does nothing");
	tsb_cancel_pause(s.cancel, false);
	UNTIL(&s, s.n > before);
	ok(written(&s) > before, "and goes on");
	tsb_cancel_pause(s.cancel, true);
	tsb_cancel_now(s.cancel);
	pthread_join(t, NULL);
	is_int(j.stop, TSB_STOP_CANCEL, "the end does not wait for it");
}

static void test_left(struct tsb_sandbox *box)
{
	struct job j = { .box = box };
	struct tsb_run_options o;
	pthread_t t;
	struct seen s;

	begin(&s, &o);
	o.stay = true;
	j.argv = ARGV("bash", "-c", "(sleep 0.2; echo late; ps -o ppid= -p $BASHPID) & echo now");
	j.o = &o;
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.ended == 1);
	is_int(s.left, 2, "two are left");
	pthread_join(t, NULL);
	s.out[s.n] = '\0';
	is_str(s.out, "now\nlate\n    1\n", "it goes on, as a child of init");
	is_int(j.status, 0, "the status is the program's");

	begin(&s, &o);
	j.argv = ARGV("bash", "-c", "sleep 1000 & echo now");
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.ended == 1);
	tsb_cancel_signal(s.cancel, SIGTERM, true);
	pthread_join(t, NULL);
	is_int(j.stop, TSB_STOP_NONE, "a signal to all ends what is left");
}

static void test_together(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_run_options o, o2;
	struct tsb_limits limits;
	struct tsb_sandbox *box;
	struct seen s, s2;
	struct job j;
	pthread_t t;

	tsb_limits_default(&limits);
	limits.memory_bytes = 32 << 20;
	limits.processes = 8;
	opt.limits = &limits;
	opt.together = true;
	is_int(tsb_sandbox_open(&box, &opt), TSB_OK, "a sandbox with limits for all runs");
	begin(&s, &o);
	j = (struct job){ .box = box, .o = &o,
			  .argv = ARGV("bash", "-c", "for i in 1 2 3 4 5 6; do sleep 99 & done; echo x; wait") };
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.n == 2);
	begin(&s2, &o2);
	s2.input_end = true;
	is_int(run_now(box, ARGV("bash", "-c", "/bin/true"), &s2), 0, "the last process");
	is_int(run_now(box, ARGV("bash", "-c", "/bin/true; exit $?"), &s2), 254, "no more");
	tsb_cancel_now(s.cancel);
	pthread_join(t, NULL);
	is_int(run_now(box, ARGV("bash", "-c", "/bin/true"), &s2), 0, "but when they are gone");

	begin(&s, &o);
	j = (struct job){ .box = box, .o = &o, .argv = ARGV("bash", "-c",
		"x=$(head -c 9000000 /dev/zero | tr '\\0' x); echo x; read") };
	pthread_create(&t, NULL, job_main, &j);
	UNTIL(&s, s.n == 2 || s.ended);
	ok(!s.ended, "one takes most of the memory");
	is_int(run_now(box, ARGV("bash", "-c", "x=$(head -c 9000000 /dev/zero | tr '\\0' x)"), &s2),
	       137, "then there is none for another");
	tsb_cancel_now(s.cancel);
	pthread_join(t, NULL);
	is_int(run_now(box, ARGV("bash", "-c", "x=$(head -c 3000000 /dev/zero | tr '\\0' x)"), &s2), 0,
	       "all was given back");
	tsb_sandbox_close(box);
}

int main(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box;

	is_int(tsb_sandbox_open(&box, &opt), TSB_OK, "open");
	test_arguments(box);
	test_signals(box);
	test_pressure(box);
	test_pause(box);
	test_left(box);
	is_int(tsb_sandbox_close(box), TSB_OK, "no run is left");
	test_together();
	while (n_made)
		tsb_cancel_free(made[--n_made]);
	return done();
}
