/*
 * sdiff -o: diff tells how many lines of both files each group has and what it
 * looks like; for groups that differ a command says what goes into the output.
 */
#include "cmd/sdiff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/lines.h"
#include "cmd/tempname.h"

#define SDIFF_HEAD 256		/* of a group's first line */

struct merge {
	struct sdiff *s;
	struct lines diff, file[2], in;
	uint64_t at[2];			/* lines of the files, from 1 */
	int out;
	bool quiet;			/* common lines are not shown */
};

/* ---- Lines from here to there ---- */

static void put(struct merge *m, int fd, const char *s, size_t n)
{
	if (fd == 1)
		tsb_put(m->s->p, s, n);
	else
		tsb_write_all(m->s->p, fd, s, n);
}

/* fd -1: they are left out. */
static void pass(struct merge *m, struct lines *from, uint64_t n, int fd)
{
	char *line;
	size_t len;

	for (; n && lines_next(from, '\n', &line, &len); n--) {
		if (fd >= 0)
			put(m, fd, line, len);
		tsb_tick(m->s->p, 1);
	}
}

static void fatal(struct merge *m, const char *text)
{
	tsb_warn(m->s->p, "%s", text);
	tsb_exit(m->s->p, DIFF_TROUBLE);
}

static void open_file(struct merge *m, struct lines *l, const char *name)
{
	int fd = tsb_open(m->s->p, name, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0) {
		tsb_warn_errno(m->s->p, fd, "%s", name);
		tsb_exit(m->s->p, DIFF_TROUBLE);
	}
	lines_open(l, m->s->p, fd);
}

/* ---- Programs ---- */

static void check_status(struct merge *m, const char *program, int status, int most)
{
	status = WIFEXITED(status) ? WEXITSTATUS(status) : DIFF_TROUBLE;
	if (status <= most)
		return;
	if (status == 126)
		tsb_warn(m->s->p, "subsidiary program '%s' could not be invoked", program);
	else if (status == 127)
		tsb_warn(m->s->p, "subsidiary program '%s' not found", program);
	else
		tsb_warn(m->s->p, "subsidiary program '%s' failed (exit status %d)", program,
			 status);
	tsb_exit(m->s->p, DIFF_TROUBLE);
}

static int start_diff(struct merge *m)
{
	struct sdiff *s = m->s;
	struct tsb_spawn how = { 0 };
	struct tsb_fd_map map[2];
	int fd[2], pid;

	sdiff_spawn_args(s, &how);
	if (tsb_pipe(s->p, fd))
		fatal(m, "cannot create a pipe");
	map[0] = (struct tsb_fd_map){ 1, fd[1] };
	map[1] = (struct tsb_fd_map){ fd[0], -1 };
	how.fds = map;
	how.n_fds = 2;
	if (tsb_spawn(s->p, &how, &pid))
		check_status(m, s->program, 127 << 8, 1);
	tsb_close(s->p, fd[1]);
	lines_open(&m->diff, s->p, fd[0]);
	return pid;
}

static void run_editor(struct merge *m, const char *file)
{
	struct tsb_proc *p = m->s->p;
	const char *editor = tsb_getenv(p, "EDITOR");
	const char *argv[3] = { editor ? editor : "ed", file, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	int pid, status = 127 << 8;

	tsb_flush(p);
	lines_unread(&m->in);
	if (!tsb_spawn(p, &how, &pid))
		tsb_wait(p, pid, &status, 0);
	check_status(m, argv[0], status, 0);
}

/* ---- Commands ---- */

static void header(struct merge *m, int fd, int f, uint64_t n)
{
	unsigned long long at = m->at[f];
	const char *mark = f ? "+++" : "---", *name = m->s->file[f];
	char *text;

	if (!n)
		return;
	if (n == 1)
		text = tsb_format(m->s->p, "%s %s %llu\n", mark, name, at);
	else
		text = tsb_format(m->s->p, "%s %s %llu,%llu\n", mark, name, at, at + n - 1);
	put(m, fd, text, strlen(text));
}

/* Does the command want the lines of file f? */
static bool wants(char how, int f)
{
	return how && strchr(f ? "d2br" : "d1bl", how);
}

static void edit(struct merge *m, char how, const uint64_t n[2])
{
	struct tsb_proc *p = m->s->p;
	const char *dir = tsb_getenv(p, "TMPDIR");
	char *name = tsb_format(p, "%s/sdiffXXXXXX", dir ? dir : "/tmp");
	struct lines result = { 0 };
	int fd;

	tempname_fill(p, name + strlen(name) - 6, 6);
	fd = tsb_open(p, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", name);
		tsb_exit(p, DIFF_TROUBLE);
	}
	for (int f = 0; f < 2; f++) {
		if (how == 'd')
			header(m, fd, f, n[f]);
		pass(m, &m->file[f], n[f], wants(how, f) ? fd : -1);
	}
	tsb_close(p, fd);
	run_editor(m, name);
	open_file(m, &result, name);
	pass(m, &result, UINT64_MAX, m->out);
	tsb_close(p, result.fd);
	tsb_unlink(p, name);
}

static void help(struct merge *m)
{
	static const char text[] =
		"ed:\tEdit then use both versions, each decorated with a header.\n"
		"eb:\tEdit then use both versions.\n"
		"el or e1:\tEdit then use the left version.\n"
		"er or e2:\tEdit then use the right version.\n"
		"e:\tDiscard both versions then edit a new one.\n"
		"l or 1:\tUse the left version.\n"
		"r or 2:\tUse the right version.\n"
		"s:\tSilently include common lines.\n"
		"v:\tVerbosely include common lines.\n"
		"q:\tQuit.\n";

	tsb_write_all(m->s->p, 2, text, sizeof(text) - 1);
}

/* A line of input as a command: its letter and the one behind an e; 'q' at the
 * end, 0 for what is none. */
static char read_command(struct merge *m, char *how)
{
	char *line;
	size_t n, i = 0;
	char letter;

	*how = 0;
	tsb_puts(m->s->p, "%");
	tsb_flush(m->s->p);
	if (!lines_next(&m->in, '\n', &line, &n))
		return 'q';
	if (line[n - 1] != '\n')
		return 0;
	n--;
	while (i < n && (line[i] == ' ' || (line[i] >= '\t' && line[i] <= '\r')))
		i++;
	letter = i < n ? line[i++] : 0;
	if (letter == 'e' && i < n && line[i] && strchr("12bdlr", line[i]))
		*how = line[i++];
	while (i < n && (line[i] == ' ' || (line[i] >= '\t' && line[i] <= '\r')))
		i++;
	return letter && i == n && strchr("12lrsvqe", letter) ? letter : 0;
}

/* Until a command decides on the group; false: quit. */
static bool decide(struct merge *m, const uint64_t n[2])
{
	for (;;) {
		char how, letter = read_command(m, &how);

		switch (letter) {
		case 's':
		case 'v':
			m->quiet = letter == 's';
			break;
		case 'q':
			return false;
		case '1':
		case 'l':
		case '2':
		case 'r':
			for (int f = 0; f < 2; f++)
				pass(m, &m->file[f], n[f],
				     (letter == 'r' || letter == '2') == (f == 1) ? m->out : -1);
			return true;
		case 'e':
			edit(m, how, n);
			return true;
		default:
			help(m);
			break;
		}
	}
}

/* ---- Groups ---- */

/* "i3,3" or "c1,0"; any other line is said, and the end. */
static void read_group(struct merge *m, const char *head, uint64_t n[2])
{
	const char *s = head + 1;

	for (int f = 0; f < 2; f++) {
		if (*s < '0' || *s > '9')
			fatal(m, tsb_strndup(m->s->p, head, strcspn(head, "\n")));
		for (n[f] = 0; *s >= '0' && *s <= '9' && n[f] < UINT32_MAX; s++)
			n[f] = n[f] * 10 + (uint64_t)(*s - '0');
		if (*s++ != (f ? '\n' : ','))
			fatal(m, tsb_strndup(m->s->p, head, strcspn(head, "\n")));
	}
}

static bool group(struct merge *m, const char *head)
{
	uint64_t n[2], most;

	if (*head == ' ') {
		tsb_puts(m->s->p, head + 1);
		return true;
	}
	read_group(m, head, n);
	most = n[0] > n[1] ? n[0] : n[1];
	if (*head == 'i') {
		pass(m, &m->diff, most, m->quiet ? -1 : 1);
		pass(m, &m->file[0], n[0], m->out);
		pass(m, &m->file[1], n[1], -1);
	} else {
		pass(m, &m->diff, most, 1);
		if (!decide(m, n))
			return false;
	}
	m->at[0] += n[0];
	m->at[1] += n[1];
	return true;
}

static void open_all(struct merge *m)
{
	struct sdiff *s = m->s;

	open_file(m, &m->file[0], s->file[0]);
	open_file(m, &m->file[1], s->file[1]);
	m->out = tsb_open(s->p, s->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (m->out < 0) {
		tsb_warn_errno(s->p, m->out, "%s", s->output);
		tsb_exit(s->p, DIFF_TROUBLE);
	}
	lines_open(&m->in, s->p, 0);
}

int sdiff_merge(struct sdiff *s)
{
	struct merge m = { .s = s, .at = { 1, 1 }, .quiet = s->no_common };
	static const char *const last[] = { "--sdiff-merge-assist", "-y", "--" };
	char *line, *head;
	int pid, status = 0;
	size_t n;

	for (size_t i = 0; i < 3; i++)
		*vec_add(tsb_heap_of(s->p), &s->args) = last[i];
	*vec_add(tsb_heap_of(s->p), &s->args) = s->file[0];
	*vec_add(tsb_heap_of(s->p), &s->args) = s->file[1];
	open_all(&m);
	pid = start_diff(&m);
	while (lines_next(&m.diff, '\n', &line, &n)) {
		head = tsb_strndup(s->p, line, n < SDIFF_HEAD || *line == ' ' ? n : SDIFF_HEAD);
		if (!group(&m, head))
			return DIFF_TROUBLE;
	}
	tsb_close(s->p, m.diff.fd);
	tsb_wait(s->p, pid, &status, 0);
	check_status(&m, s->program, status, 1);
	return WEXITSTATUS(status);
}
