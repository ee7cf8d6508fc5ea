/*
 * tsb_serve() and tsb_exec_post(): several programs on one thread that see each other, and what ends one leaves
 * the others. Nothing waits for time: a test waits until a program has said something.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <tinysandbox/sandbox.h>

#include "tap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;

/* A program, and what it has said. */
struct prog {
	const char *argv[4];
	struct tsb_run_options o;
	char out[1 << 16], in[256];
	size_t n;
	bool in_end, frozen;	/* frozen: output says "not now" */
	int started, failed, ended, done;
	int pid, value, rc, status;
	size_t left;
	uint64_t cpu;
	enum tsb_stop stop;
	char limit[32];
};

static struct tsb_sandbox *box;

static int on_output(void *ctx, int fd, const void *data, size_t n)
{
	struct prog *p = ctx;
	int rc = 0;

	(void)fd;
	pthread_mutex_lock(&lock);
	if (p->frozen)
		rc = -EAGAIN;
	else if (p->n + n < sizeof(p->out))
		memcpy(p->out + p->n, data, n);
	if (!rc)
		p->n += n;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&lock);
	return rc;
}

static ssize_t on_input(void *ctx, void *buf, size_t n)
{
	struct prog *p = ctx;
	size_t got;

	pthread_mutex_lock(&lock);
	got = strnlen(p->in, n);
	memcpy(buf, p->in, got);
	memmove(p->in, p->in + got, strlen(p->in + got) + 1);
	pthread_mutex_unlock(&lock);
	return got ? (ssize_t)got : p->in_end ? 0 : -EAGAIN;
}

static void on_event(void *ctx, const struct tsb_event *e)
{
	struct prog *p = ctx;

	pthread_mutex_lock(&lock);
	if (e->kind == TSB_EVENT_STARTED) {
		p->started++;
		p->pid = e->value;
	} else if (e->kind == TSB_EVENT_ENDED) {
		p->ended++;
		p->value = e->value;
		p->left = e->left;
		p->cpu = e->cpu_ns;
	} else if (e->kind == TSB_EVENT_FAILED) {
		p->failed++;
		p->value = e->value;
	}
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&lock);
}

static void on_done(void *ctx, int status, struct tsb_result *r)
{
	struct prog *p = ctx;

	pthread_mutex_lock(&lock);
	p->rc = status;
	if (r) {
		p->status = tsb_result_status(r);
		p->stop = tsb_result_stop(r);
		p->cpu = tsb_result_cpu_ns(r);
		snprintf(p->limit, sizeof(p->limit), "%s", tsb_result_limit(r) ? tsb_result_limit(r) : "");
	}
	tsb_result_free(r);
	p->done++;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&lock);
}

static struct prog *prog_new(const char *script)
{
	static const struct tsb_run_options init = TSB_RUN_OPTIONS_INIT;
	struct prog *p = calloc(1, sizeof(*p));

	p->argv[0] = "bash";
	p->argv[1] = "-c";
	p->argv[2] = script;
	p->o = init;
	p->o.cancel = tsb_cancel_new();
	p->o.wakes = p->o.stay = true;
	p->o.input_fn = on_input;
	p->o.output_fn = on_output;
	p->o.event_fn = on_event;
	p->o.input_ctx = p->o.output_ctx = p->o.event_ctx = p;
	p->o.cwd = "/tmp";
	return p;
}

static struct prog *start(const char *script)
{
	struct prog *p = prog_new(script);

	if (tsb_exec_post(box, p->argv, &p->o, on_done, p))
		abort();
	return p;
}

static void has(const char *text, const char *what, const char *name)
{
	if (!ok(strstr(text, what), name))
		printf("# got <%s>\n", text);
}

static int is_done(struct prog *p)
{
	int done_now;

	pthread_mutex_lock(&lock);
	done_now = p->done;
	pthread_mutex_unlock(&lock);
	return done_now;
}

/* Until the condition holds, at most a minute. */
#define UNTIL(cond) do { \
	struct timespec end_; \
	clock_gettime(CLOCK_REALTIME, &end_); \
	end_.tv_sec += 60; \
	pthread_mutex_lock(&lock); \
	while (!(cond)) \
		if (pthread_cond_timedwait(&news, &lock, &end_)) { \
			printf("# waited in vain: %s, line %d\n", #cond, __LINE__); \
			break; \
		} \
	pthread_mutex_unlock(&lock); \
} while (0)

/* Waits for the end; what it has said, without the last newline, is there until the next call. */
static const char *end(struct prog *p)
{
	static char out[1 << 16];

	UNTIL(p->done);
	memcpy(out, p->out, p->n < sizeof(out) ? p->n : sizeof(out) - 1);
	out[p->n < sizeof(out) ? p->n : sizeof(out) - 1] = '\0';
	if (p->n && out[p->n - 1] == '\n')
		out[p->n - 1] = '\0';
	tsb_cancel_free(p->o.cancel);
	free(p);
	return out;
}

static const char *sh(const char *script)
{
	return end(start(script));
}

static void says(struct prog *p, const char *what)
{
	UNTIL(p->done || memmem(p->out, p->n, what, strlen(what)));
}

static void type(struct prog *p, const char *text)
{
	pthread_mutex_lock(&lock);
	strcat(p->in, text);
	pthread_mutex_unlock(&lock);
	tsb_cancel_wake(p->o.cancel);
}

static void *serve(void *stop)
{
	int rc = tsb_serve(box, stop);

	return (void *)(intptr_t)rc;
}

static void refusals(void)
{
	struct tsb_options o = TSB_OPTIONS_INIT;
	struct tsb_cancel *c = tsb_cancel_new(), *d = tsb_cancel_new();
	struct tsb_sandbox *plain, *other;
	struct prog *p = prog_new("true");
	const char *none[] = { NULL };

	tsb_sandbox_open(&plain, NULL);
	o.together = true;
	tsb_sandbox_open(&other, &o);
	is_int(tsb_serve(plain, c), TSB_ERR_SUPPORT, "a sandbox without `together`");
	is_int(tsb_exec_post(plain, p->argv, &p->o, on_done, p), TSB_ERR_SUPPORT, "nothing is posted to it");
	is_int(tsb_serve(NULL, c), TSB_ERR_ARGUMENT, "no sandbox");
	is_int(tsb_serve(other, NULL), TSB_ERR_ARGUMENT, "no cancel");
	is_int(tsb_exec_post(other, none, &p->o, on_done, p), TSB_ERR_ARGUMENT, "no program");
	is_int(tsb_exec_post(other, p->argv, &p->o, NULL, p), TSB_ERR_ARGUMENT, "no done");
	p->o.size--;
	is_int(tsb_exec_post(other, p->argv, &p->o, on_done, p), TSB_ERR_ARGUMENT, "another size");
	p->o.size++;
	tsb_cancel_now(c);
	is_int(tsb_serve(other, c), 0, "stopped before it began");
	is_int(tsb_serve(box, c), TSB_ERR_ARGUMENT, "a cancel of another sandbox");
	tsb_cancel_free(p->o.cancel);
	p->o.cancel = c;
	is_int(tsb_exec_post(box, p->argv, &p->o, on_done, p), TSB_ERR_ARGUMENT, "also for a program");
	is_int(tsb_serve(box, d), TSB_ERR_BUSY, "served already");
	is_int(tsb_sandbox_close(box), TSB_ERR_BUSY, "not closed meanwhile");
	is_int(tsb_sandbox_close(other), 0, "closed");
	tsb_sandbox_close(plain);
	tsb_cancel_free(c);
	tsb_cancel_free(d);
	free(p);
}

/* Posted before anybody serves; ended by the end of serving. */
static void before_and_after(void)
{
	struct tsb_options o = TSB_OPTIONS_INIT;
	struct tsb_cancel *stop = tsb_cancel_new();
	struct tsb_sandbox *was = box;
	struct prog *a, *b;
	pthread_t t;

	o.together = true;
	tsb_sandbox_open(&box, &o);
	a = start("echo early");
	is_int(tsb_sandbox_close(box), TSB_ERR_BUSY, "what is posted is in progress");
	b = start("echo b; sleep 1000");
	pthread_create(&t, NULL, serve, stop);
	is_str(end(a), "early", "posted before it was served");
	says(b, "b\n");
	tsb_cancel_now(stop);
	pthread_join(t, NULL);
	is_int(b->done, 1, "the end of serving ends what runs");
	is_int(b->stop, TSB_STOP_CANCEL, "by a cancel");
	end(b);
	b = start("echo never");
	pthread_create(&t, NULL, serve, stop);
	pthread_join(t, NULL);
	is_int(b->done && b->stop == TSB_STOP_CANCEL && !b->n, true, "what comes after is ended at once");
	end(b);
	is_int(tsb_sandbox_close(box), 0, "then it can be closed");
	tsb_cancel_free(stop);
	box = was;
}

static void see_each_other(void)
{
	struct prog *a = start("echo up; exec sleep 12345"), *b;
	char text[256];

	says(a, "up\n");
	is_str(sh("pgrep -x sleep | wc -l; ps -e -o comm= | grep -c ^init"), "1\n1", "ps sees the other's, and one init");
	snprintf(text, sizeof(text), "ps -o args= -p %d; kill -0 %d && echo there; tr '\\0' ' ' </proc/%d/cmdline", a->pid,
		 a->pid, a->pid);
	is_str(sh(text), "sleep 12345\nthere\nsleep 12345 ", "by number, with its arguments");
	snprintf(text, sizeof(text), "wait %d; echo $?; kill %d", a->pid, a->pid);
	has(sh(text), "is not a child of this shell\n127", "but is no child of it");
	UNTIL(a->done);
	is_int(a->value, SIGTERM, "kill reaches it");
	end(a);
	a = start("trap 'echo caught; kill $!; exit 3' USR1; echo $$; sleep 1000 & wait");
	says(a, "\n");
	snprintf(text, sizeof(text), "kill -USR1 %d", a->pid);
	sh(text);
	UNTIL(a->done);
	has(a->out, "caught", "a trap runs");
	is_int(a->status, 3, "and ends it");
	end(a);
	/* Stopped and continued from the other. */
	a = start("echo a; while read x; do echo got $x; done");
	says(a, "a\n");
	snprintf(text, sizeof(text), "kill -STOP %d; ps -o stat= -p %d; kill -CONT %d", a->pid, a->pid, a->pid);
	has(sh(text), "T", "stopped");
	type(a, "1\n");
	says(a, "got 1\n");
	b = start("kill -KILL -1; echo not reached");
	UNTIL(a->done && b->done);
	is_int(a->value, SIGKILL, "kill -1 reaches all");
	is_int(b->status, 0, "but its own");
	end(a);
	end(b);
	is_str(sh("ps -e -o pid= -o comm= | head -1"), "    1 init", "process 1");
	is_str(sh("kill -KILL 1; echo $?"), "0", "which no signal ends");
	is_str(sh("echo $PPID"), "1", "and is the parent");
}

static void share(void)
{
	struct prog *a, *b;

	sh("mkfifo /tmp/f /tmp/g; rm -rf /tmp/d; mkdir /tmp/d");
	a = start("cat /tmp/f; echo end");
	b = start("for i in 1 2 3; do echo $i; done >/tmp/f");
	UNTIL(b->done);
	end(b);
	is_str(end(a), "1\n2\n3\nend", "a FIFO between both");
	a = start("seq 100000 >/tmp/f; echo $?");
	is_str(sh("md5sum </tmp/f"), "dea9193b768319cbb4ff1a137ac03113  -", "much through it");
	is_str(end(a), "0", "all of it");
	a = start("cat </tmp/f >/tmp/g");
	b = start("wc -c </tmp/g");
	sh("head -c 3000000 /dev/zero >/tmp/f");
	is_str(end(b), "3000000", "from one through another to a third");
	end(a);
	/* The reader dies. */
	a = start("exec 3>/tmp/f; echo open; read x; echo more >&3; echo $?");
	b = start("exec 4</tmp/f; echo open; read x");
	says(a, "open\n");
	says(b, "open\n");
	tsb_cancel_now(b->o.cancel);
	end(b);
	type(a, "go\n");
	UNTIL(a->done);
	is_int(a->value, SIGPIPE, "its reader gone, SIGPIPE");
	end(a);
	/* Locks. */
	a = start("exec 9>/tmp/lock; flock 9; echo locked; read x");
	says(a, "locked\n");
	is_str(sh("flock -n /tmp/lock true; echo $?"), "1", "a lock excludes");
	b = start("echo b; flock /tmp/lock echo mine");
	says(b, "b\n");
	tsb_cancel_now(a->o.cancel);
	is_str(end(b), "b\nmine", "and goes with its holder");
	UNTIL(a->done);
	is_int(a->stop, TSB_STOP_CANCEL, "who was canceled");
	end(a);
	/* A directory that moves below another's feet. */
	a = start("cd /tmp/d; echo in; read x; pwd -P; echo new >made");
	says(a, "in\n");
	sh("mv /tmp/d /tmp/e");
	type(a, "\n");
	is_str(end(a), "in\n/tmp/e", "a directory is moved");
	is_str(sh("cat /tmp/e/made; rm -r /tmp/e"), "new", "with those in it");
	/* What has no path is not reached. */
	a = start("sleep 1000 | cat");
	UNTIL(a->started);
	is_str(sh("until pgrep -x sleep >/dev/null; do :; done; p=$(pgrep -x sleep); readlink /proc/$p/fd/1 | tr -d '0-9'; "
		  "{ echo x >/proc/$p/fd/1; } 2>/dev/null && echo reached"), "pipe:[]", "a pipe of another is seen");
	tsb_cancel_now(a->o.cancel);
	end(a);
}

static void starve_nobody(void)
{
	struct prog *spin = start("echo s; while :; do :; done"), *many, *a;
	uint64_t cpu;

	says(spin, "s\n");
	many = start("for i in {1..40}; do while :; do :; done & done; echo m; wait");
	says(many, "m\n");
	is_str(sh("seq 3 | wc -l"), "3", "endless loops starve nobody");
	a = start("js -e 'console.log(1); for (;;);' & echo j; awk 'BEGIN { print 1; fflush(); for (;;); }'");
	says(a, "1\n");
	is_str(sh("echo ok"), "ok", "nor do awk's and js's");
	tsb_cancel_now(a->o.cancel);
	end(a);
	/* The share of each is by run, whatever it has started. */
	a = start("for ((i = 0; i < 100000; i++)); do :; done; echo done");
	says(a, "done\n");
	UNTIL(a->ended);
	is_int(a->cpu > 0, true, "processor time is told");
	UNTIL(a->done);
	end(a);
	tsb_cancel_signal(spin->o.cancel, SIGTERM, false);
	UNTIL(spin->done);
	cpu = spin->cpu;
	tsb_cancel_now(many->o.cancel);
	UNTIL(many->done);
	is_int(cpu > 1000000 && many->cpu < 8 * cpu, true, "by run: one has a share as forty have");
	end(spin);
	end(many);
	is_str(sh("pgrep -c bash"), "0", "a canceled run's whole tree is gone");
}

static struct prog *start_limited(const char *script, const struct tsb_limits *limits)
{
	struct prog *p = prog_new(script);

	p->o.limits = limits;
	if (tsb_exec_post(box, p->argv, &p->o, on_done, p))
		abort();
	return p;
}

static void keep_their_limits(void)
{
	struct tsb_limits limits;
	struct prog *a, *b;

	tsb_limits_default(&limits);
	b = start("read x; echo $x");
	UNTIL(b->started);
	limits.wall_ms = 30;
	a = start_limited("sleep 1000 & sleep 1000 & while :; do :; done", &limits);
	UNTIL(a->done);
	is_int(a->stop, TSB_STOP_TIME, "a deadline");
	end(a);
	limits.wall_ms = 600000;
	limits.memory_bytes = 4 << 20;
	a = start_limited("x=0123456789; while :; do x=$x$x; done", &limits);
	UNTIL(a->done);
	is_int(a->status, 128 + SIGKILL, "out of memory");
	end(a);
	limits.memory_bytes = 64 << 20;
	limits.commands = 3;
	a = start_limited("for i in 1 2 3 4 5; do /bin/true; done", &limits);
	UNTIL(a->done);
	is_str(a->limit, "commands", "too many commands");
	end(a);
	limits.commands = 100000;
	limits.processes = 5;
	a = start_limited("for i in 1 2 3 4 5 6 7; do sleep 1000 & done; kill -KILL 0", &limits);
	has(end(a), "fork: ", "too many processes");
	is_str(sh("ps -e | grep -c sleep"), "0", "nothing of them is left");
	type(b, "alive\n");
	is_str(end(b), "alive", "and the other lives");
}

static void ends(void)
{
	struct prog *a;
	char text[64];

	a = start("sleep 1000 & echo $!; exit 7");
	UNTIL(a->ended);
	is_int(a->left, 1, "what it leaves is counted");
	is_int(is_done(a), 0, "and goes on");
	snprintf(text, sizeof(text), "kill %d; echo $?", atoi(a->out));
	is_str(sh(text), "0", "another ends it");
	UNTIL(a->done);
	is_int(a->status, 7, "then that is all");
	end(a);
	a = prog_new("sleep 1000 & exit 4");
	a->o.stay = false;
	tsb_exec_post(box, a->argv, &a->o, on_done, a);
	UNTIL(a->done);
	is_int(a->status, 4, "or it goes with the program");
	end(a);
	is_str(sh("pgrep -c sleep"), "0", "as told");
	a = prog_new("");
	a->argv[0] = "/no/such";
	tsb_exec_post(box, a->argv, &a->o, on_done, a);
	UNTIL(a->done);
	is_int(a->rc, TSB_ERR_COMMAND, "no such program");
	is_int(a->failed == 1 && a->value == -ENOENT, true, "its event");
	end(a);
}

/* The others go on; signals wait. */
static void pauses(void)
{
	struct prog *a, *b;

	a = start("echo a; while :; do :; done");
	says(a, "a\n");
	tsb_cancel_pause(a->o.cancel, true);
	is_str(sh("echo other"), "other", "one is paused");
	tsb_cancel_signal(a->o.cancel, SIGTERM, true);
	is_str(sh("echo other"), "other", "a signal waits");
	is_int(is_done(a), 0, "for the end of the pause");
	tsb_cancel_pause(a->o.cancel, false);
	UNTIL(a->done);
	is_int(a->value, SIGTERM, "then it comes");
	end(a);
	a = start("echo a; read x");
	says(a, "a\n");
	tsb_cancel_pause(a->o.cancel, true);
	tsb_cancel_now(a->o.cancel);
	UNTIL(a->done);
	is_int(a->stop, TSB_STOP_CANCEL, "paused and canceled");
	end(a);
	/* Back-pressure of one is nothing to the other. */
	a = prog_new("yes | head -c 20000; echo; echo end >&2");
	a->frozen = true;
	tsb_exec_post(box, a->argv, &a->o, on_done, a);
	UNTIL(a->started);
	is_str(sh("echo free"), "free", "nobody takes the other's output");
	pthread_mutex_lock(&lock);
	a->frozen = false;
	pthread_mutex_unlock(&lock);
	tsb_cancel_wake(a->o.cancel);
	UNTIL(a->done);
	is_int(a->n, 20005, "then it is taken");
	end(a);
	b = start("trap '' TERM; kill -TERM 0; echo here");
	is_str(end(b), "here", "a group is its own");
}

/* From several threads, with everything at once. */
static void *poster(void *arg)
{
	int bad = 0;

	(void)arg;
	for (int i = 0; i < 30; i++) {
		struct prog *p = start(i % 3 ? "echo $(seq 5 | tail -1)" : "sleep 1000 & sleep 1000 | cat");

		if (i % 3 == 0) {
			UNTIL(p->started);
			if (i % 2)
				tsb_cancel_signal(p->o.cancel, SIGKILL, true);
			else
				tsb_cancel_now(p->o.cancel);
			end(p);
		} else {
			UNTIL(p->done);
			bad += p->rc || strcmp(p->out, "5\n");
			tsb_cancel_free(p->o.cancel);
			free(p);
		}
	}
	return (void *)(intptr_t)bad;
}

static void many_threads(void)
{
	pthread_t t[4];
	intptr_t bad = 0;
	void *got;

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, poster, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &got);
		bad += (intptr_t)got;
	}
	is_int(bad, 0, "120 programs from four threads");
	is_str(sh("ps -e -o comm= | sort | uniq -c | tr -s ' '"), " 1 bash\n 1 init\n 1 ps\n 1 sort\n 1 tr\n 1 uniq",
	       "nothing is left");
}

int main(void)
{
	struct tsb_options o = TSB_OPTIONS_INIT;
	struct tsb_cancel *stop = tsb_cancel_new();
	pthread_t t;
	void *rc;

	o.together = true;
	tsb_sandbox_open(&box, &o);
	pthread_create(&t, NULL, serve, stop);
	is_str(sh("echo hello"), "hello", "a program");
	refusals();
	before_and_after();
	see_each_other();
	share();
	starve_nobody();
	keep_their_limits();
	ends();
	pauses();
	many_threads();
	tsb_cancel_now(stop);
	pthread_join(t, &rc);
	is_int((int)(intptr_t)rc, 0, "served");
	is_int(tsb_sandbox_close(box), 0, "closed");
	tsb_cancel_free(stop);
	return done();
}
