/* Pipes: order, back-pressure, end of file, SIGPIPE, atomic writes, capacity. */
#include "kit.h"

#include <errno.h>
#include <fcntl.h>

static struct kit kit;
static uint64_t yes_written;

static int yes(struct tsb_proc *p, void *arg)
{
	(void)arg;
	for (;;) {
		ssize_t r = tsb_write(p, 1, "y\n", 2);

		if (r < 0)
			return 1;
		yes_written += (uint64_t)r;
	}
	return 0;
}

static int head1(struct tsb_proc *p, void *arg)
{
	struct tsb_reader r;
	char *line;

	(void)arg;
	tsb_reader_init(&r, p, 0);
	tsb_getdelim(&r, &line, '\n');
	tsb_puts(p, line);
	tsb_flush(p);
	return 0;
}

static int yes_head(struct tsb_proc *p, void *arg)
{
	int fd[2], st, a, b;

	(void)arg;
	is_int(tsb_pipe(p, fd), 0, "pipe");
	a = kit_child(p, -1, fd[1], yes, NULL);
	b = kit_child(p, fd[0], -1, head1, NULL);
	tsb_close(p, fd[0]);
	tsb_close(p, fd[1]);
	is_int(tsb_wait(p, b, &st, 0), b, "head is waited for");
	ok(WIFEXITED(st) && WEXITSTATUS(st) == 0, "head ends with 0");
	is_int(tsb_wait(p, a, &st, 0), a, "yes is waited for");
	ok(WIFSIGNALED(st) && WTERMSIG(st) == SIGPIPE, "yes dies of SIGPIPE");
	is_int(tsb_wait(p, -1, &st, 0), -ECHILD, "no more children");
	return 5;
}

static int ignores(struct tsb_proc *p, void *arg)
{
	int fd[2];

	(void)arg;
	tsb_pipe(p, fd);
	tsb_close(p, fd[0]);
	is_int(tsb_signal(p, SIGPIPE, TSB_SIG_IGNORE), TSB_SIG_DEFAULT, "SIGPIPE was default");
	is_int(tsb_write(p, fd[1], "x", 1), -EPIPE, "ignored: EPIPE");
	is_int(tsb_write(p, fd[1], "x", 0), 0, "nothing written: no error");
	is_int(tsb_write(p, 99, "x", 1), -EBADF, "no such descriptor");
	is_int(tsb_write(p, -1, "x", 1), -EBADF, "negative descriptor");
	is_int(tsb_read(p, fd[1], fd, 1), -EBADF, "reading the writing end");
	is_int(tsb_write(p, fd[1], NULL, 1), -EFAULT, "no buffer");
	is_int(tsb_pipe(p, NULL), -EFAULT, "pipe without place");
	is_int(tsb_lseek(p, fd[1], 0, 0), -ESPIPE, "pipes do not seek");
	is_int(tsb_fcntl_flags(p, fd[1]), O_WRONLY, "flags of the writing end");
	is_int(tsb_fsync(p, fd[1]), -EINVAL, "fsync of a pipe");
	return 0;
}

static int dies(struct tsb_proc *p, void *arg)
{
	ignores(p, arg);
	tsb_signal(p, SIGPIPE, TSB_SIG_DEFAULT);
	tsb_write(p, 4, "x", 1);
	return 9;
}

/* Writes 3 * 64 KiB of counted words at once. */
static int counter(struct tsb_proc *p, void *arg)
{
	uint32_t *words = tsb_alloc(p, 196608);

	(void)arg;
	for (uint32_t i = 0; i < 49152; i++)
		words[i] = i;
	is_int(tsb_write(p, 1, words, 196608), 196608, "a large write is whole");
	return 0;
}

static int order(struct tsb_proc *p, void *arg)
{
	uint32_t want = 0, got[1000];
	bool good = true;
	struct str all;
	ssize_t n;
	int fd[2], st;

	(void)arg;
	tsb_pipe(p, fd);
	kit_child(p, -1, fd[1], counter, NULL);
	tsb_close(p, fd[1]);
	tsb_sleep(p, 0);
	is_int(tsb_poll_in(p, fd[0], 0), 1, "full pipe has input");
	str_init(&all, tsb_heap_of(p), STR_MAX_DEFAULT);
	while ((n = tsb_read(p, fd[0], got, 4000)) > 0)
		str_addn(&all, got, (size_t)n);
	is_int(n, 0, "end of file");
	is_int(all.n, 196608, "all bytes came");
	for (size_t i = 0; i + 4 <= all.n; i += 4, want++)
		good = good && !memcmp(all.p + i, &want, 4);
	ok(good, "in order");
	tsb_wait(p, -1, &st, 0);
	is_int(tsb_poll_in(p, fd[0], 0), 1, "end of file is readable");
	return 0;
}

static int poller(struct tsb_proc *p, void *arg)
{
	int fd[2];

	(void)arg;
	tsb_pipe(p, fd);
	is_int(tsb_poll_in(p, fd[0], 0), 0, "empty: not now");
	is_int(tsb_poll_in(p, fd[0], 1000000), 0, "empty: not in a millisecond");
	tsb_write(p, fd[1], "abc", 3);
	is_int(tsb_poll_in(p, fd[0], -1), 1, "something");
	is_int(tsb_poll_in(p, fd[1], 0), -EBADF, "the writing end");
	return 0;
}

static int block_writer(struct tsb_proc *p, void *arg)
{
	char block[4096];

	memset(block, *(char *)arg, sizeof(block));
	for (int i = 0; i < 40; i++)
		tsb_write(p, 1, block, sizeof(block));
	return 0;
}

static int atomic(struct tsb_proc *p, void *arg)
{
	static char a = 'a', b = 'b';
	char block[4096];
	bool whole = true;
	int fd[2], n = 0;

	(void)arg;
	tsb_pipe(p, fd);
	kit_child(p, -1, fd[1], block_writer, &a);
	kit_child(p, -1, fd[1], block_writer, &b);
	tsb_close(p, fd[1]);
	for (;;) {
		size_t have = 0;
		ssize_t r = 0;

		while (have < sizeof(block) &&
		       (r = tsb_read(p, fd[0], block + have, sizeof(block) - have)) > 0)
			have += (size_t)r;
		if (!have)
			break;
		n++;
		for (size_t i = 1; i < have; i++)
			whole = whole && block[i] == block[0];
	}
	is_int(n, 80, "all blocks came");
	ok(whole, "writes of PIPE_BUF bytes are not torn");
	return 0;
}

/* Descriptors that are not there, times beyond all, the end that nobody reads. */
static int poll_edges(struct tsb_proc *p, void *arg)
{
	struct proc_poll f[2] = { { .fd = 99, .events = PROC_POLL_IN }, { .fd = -1, .events = PROC_POLL_OUT } };
	int fd[2];

	(void)arg;
	is_int(proc_poll(p, f, 2, 0), 2, "both have something");
	ok(f[0].revents == PROC_POLL_BAD && f[1].revents == PROC_POLL_BAD, "neither is a descriptor");
	is_int(proc_nonblock(p, 99, true), -EBADF, "nor can it be set");
	is_int(tsb_pipe(p, fd), 0, "pipe");
	f[0] = (struct proc_poll){ .fd = fd[1], .events = PROC_POLL_OUT };
	is_int(proc_poll(p, f, 1, INT64_MAX), 1, "room, however long it may take");
	is_int(proc_nonblock(p, fd[1], true), 0, "does not wait");
	is_int(proc_nonblock(p, fd[1], false), 0, "waits");
	tsb_close(p, fd[0]);
	is_int(proc_poll(p, f, 1, -1), 1, "nobody reads");
	ok(f[0].revents & PROC_POLL_HUP, "it is said");
	return 0;
}

int main(void)
{
	kit_begin(&kit);
	is_int(kit_run(&kit, yes_head, NULL), 5, "status of the run");
	is_str(kit.text[0], "y\n", "output");
	ok(yes_written <= 2 * 65536 + 20000, "yes was held back by the full pipe");
	is_int(kit.report.n_pipes, 1, "one pipe in the report");
	ok(kit.report.pipe_bytes[0] > 0, "its bytes");
	is_int(kit_run(&kit, dies, NULL), 128 + SIGPIPE, "141 from SIGPIPE");
	is_int(kit_run(&kit, order, NULL), 0, "order");
	is_int(kit_run(&kit, poller, NULL), 0, "poll");
	is_int(kit_run(&kit, poll_edges, NULL), 0, "poll's edges");
	is_int(kit_run(&kit, atomic, NULL), 0, "atomic");
	kit.limits.pipe_bytes = 100;
	is_int(kit_run(&kit, order, NULL), 0, "a small pipe");
	kit_end(&kit);
	return done();
}
