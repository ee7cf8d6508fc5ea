/*
 * Every allocation in turn fails: calls fail whole, nothing is lost or leaked. The
 * allocator is replaced for the whole program, which sanitizers do not allow;
 * there the test is skipped.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tinysandbox/sandbox.h>

#include "unit/failing_heap.h"
#include "unit/tap.h"

#ifndef FAILING_HEAP_SKIPS
struct bytes {
	char p[200000];
	size_t n, at;
};

static int keep(void *ctx, int fd, const void *data, size_t n)
{
	struct bytes *b = ctx;

	(void)fd;
	if (n > sizeof(b->p) - b->n)
		return 1;
	memcpy(b->p + b->n, data, n);
	b->n += n;
	return 0;
}

static ssize_t give(void *ctx, void *buf, size_t n)
{
	struct bytes *b = ctx;

	n = n < b->n - b->at ? n : b->n - b->at;
	memcpy(buf, b->p + b->at, n);
	b->at += n;
	return (ssize_t)n;
}

static int run_own(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	tsb_puts(p, "own\n");
	return 0;
}

static const struct tsb_command own = { .version = TSB_COMMAND_VERSION, .name = "own", .run = run_own };

static int list_one(void *ctx, const char *name, const struct tsb_stat *st)
{
	(void)ctx;
	(void)name;
	(void)st;
	return 0;
}

static const char *const env[] = { "PATH=/usr/bin", "A=1", NULL };
static int refused;

/* A call may be refused for want of memory, and for nothing else. */
static bool went(struct tsb_sandbox *box, int rc, const char *what)
{
	bool memory = rc == TSB_ERR_MEMORY || (rc == TSB_ERR_FILE && (tsb_errno(box) == 12 || tsb_errno(box) == 28 || !tsb_errno(box)));

	if (rc != TSB_OK && !memory) {
		printf("# %s: %d %s\n", what, rc, tsb_error(box));
		ok(0, what);
	}
	refused += rc != TSB_OK;
	return rc == TSB_OK;
}

static void use(struct tsb_sandbox *box)
{
	struct tsb_result *res = NULL;
	struct tsb_stat st;
	void *data = NULL;
	size_t n;

	went(box, tsb_add_command(box, &own), "add a command");
	went(box, tsb_write_file(box, "/home/user/a/f", "data", 4, 0), "write");
	went(box, tsb_make_dir(box, "/home/user/d", 0), "make a folder");
	if (!tsb_stat_file(box, "/home/user/d", &st)) {
		if (!tsb_stat_file(box, "/home/user/a/f", &st) &&
		    went(box, tsb_read_file(box, "/home/user/a/f", &data, &n), "read"))
			free(data);
		went(box, tsb_list(box, "/home/user", list_one, NULL), "list");
	}
	if (went(box, tsb_run(box, "x=1; f() { echo $x; }; cd /tmp; own; f | cat >g; for i in a b; do echo $i; done; ls / >/dev/null",
			      NULL, &res), "run"))
		tsb_result_free(res);
	if (!tsb_stat_file(box, "/home/user/a", &st))
		went(box, tsb_remove(box, "/home/user/a"), "remove");
}

struct served {
	struct tsb_cancel *stop;
	int done, status;
};

static void on_done(void *ctx, int status, struct tsb_result *r)
{
	struct served *s = ctx;

	s->done++;
	s->status = status;
	tsb_result_free(r);
	tsb_cancel_now(s->stop);
}

/* What was posted is told to be done, whatever fails; the thread that serves may try again. */
static void serve(void)
{
	static const char *const argv[] = { "bash", "-c", "mkfifo f; exec 3<>f && echo a >&3 && read x <&3; ls -l /proc | flock lock cat >g", NULL };
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct served s = { tsb_cancel_new(), 0, 0 };
	struct tsb_sandbox *box = NULL;
	int rc;

	opt.together = true;
	if (s.stop && went(NULL, tsb_sandbox_open(&box, &opt), "open") &&
	    went(box, tsb_exec_post(box, argv, NULL, on_done, &s), "post")) {
		while ((rc = tsb_serve(box, s.stop)) == TSB_ERR_MEMORY)
			refused++;
		if (rc || s.done != 1)
			ok(0, "posted, served and done");
		if (s.status == TSB_ERR_COMMAND && tsb_errno(box) == 12)
			refused++;
		else
			went(box, s.status, "the posted one");
	}
	if (box)
		went(box, tsb_sandbox_close(box), "close");
	tsb_cancel_free(s.stop);
}

static void everything(struct bytes *b)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box = NULL, *branch = NULL;

	opt.session = true;
	opt.env = env;
	opt.cwd = "/tmp";
	opt.hostname = "h";
	if (!went(NULL, tsb_sandbox_open(&box, &opt), "open"))
		return;
	use(box);
	if (went(box, tsb_branch(box, &branch), "branch")) {
		went(box, tsb_restore(box, branch), "restore");
		b->n = b->at = 0;
		if (went(box, tsb_save(box, keep, b), "save"))
			went(branch, tsb_load(branch, give, b), "load");
		went(branch, tsb_sandbox_close(branch), "close");
	}
	went(box, tsb_sandbox_close(box), "close");
	serve();
}

int main(void)
{
	static struct bytes b;
	long before, n;

	for (int i = 0; i < 3; i++)
		everything(&b);	/* what is made once stays */
	before = live;
	for (n = 0; n < 100000; n++) {
		refused = 0;
		countdown = n;
		armed = true;
		everything(&b);
		armed = false;
		if (countdown >= 0)	/* none failed */
			break;
		everything(&b);		/* what is kept warm is there again */
		if (live != before) {
			printf("# allocation %ld: %ld are not given back\n", n, live - before);
			ok(0, "all is given back");
			before = live;
		}
	}
	ok(n > 100, "each allocation failed once");
	refused = 0;
	everything(&b);
	is_int(refused, 0, "and none in the end");
	return done();
}
#endif
