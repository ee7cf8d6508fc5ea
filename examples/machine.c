/*
 * Two programs on one machine: a thread serves the sandbox, others give it programs, which see each other.
 *
 *	cc machine.c -ltinysandbox -lpthread
 */
#include <pthread.h>
#include <stdio.h>

#include <tinysandbox/sandbox.h>

struct job {
	const char *name;
	const char *argv[4];
	int ended, status;
	struct tsb_result *result;
};

static struct tsb_sandbox *box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *serve(void *stop)
{
	tsb_serve(box, stop);
	return NULL;
}

/* On the serving thread, as is everything that comes from a program. */
static void done(void *ctx, int status, struct tsb_result *result)
{
	struct job *j = ctx;

	pthread_mutex_lock(&lock);
	j->status = status;
	j->result = result;
	j->ended = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void post(struct job *j)
{
	if (tsb_exec_post(box, j->argv, NULL, done, j))
		done(j, TSB_ERR_ARGUMENT, NULL);
}

static void tell(struct job *j)
{
	pthread_mutex_lock(&lock);
	while (!j->ended)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	if (j->status == TSB_OK)
		printf("%s: status %d: %s\n", j->name, tsb_result_status(j->result), tsb_result_out(j->result, NULL));
	else
		printf("%s: %s\n", j->name, tsb_error(box));
	tsb_result_free(j->result);
}

int main(void)
{
	struct job make = { .name = "mkfifo", .argv = { "mkfifo", "/tmp/pipe" } };
	struct job worker = { .name = "worker", .argv = { "bash", "-c", "read job </tmp/pipe; echo working on $job; kill $$" } };
	struct job boss = { .name = "boss", .argv = { "bash", "-c", "pgrep -c bash; echo letters >/tmp/pipe" } };
	struct job wrong = { .name = "wrong", .argv = { "no-such-program" } };
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_cancel *stop = tsb_cancel_new();
	pthread_t thread;

	opt.together = true;
	if (!stop || tsb_sandbox_open(&box, &opt) || pthread_create(&thread, NULL, serve, stop))
		return 1;
	post(&make);
	tell(&make);
	post(&worker);
	post(&boss);
	tell(&worker);
	tell(&boss);
	post(&wrong);
	tell(&wrong);
	tsb_cancel_now(stop);
	pthread_join(thread, NULL);
	tsb_sandbox_close(box);
	tsb_cancel_free(stop);
	return 0;
}
