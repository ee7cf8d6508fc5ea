/*
 * EXEC: the request taken apart, the pipes or the terminal, the nurse. What can be wrong with the
 * command itself (its directory, its program) is found out where it is found: by the nurse.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "init/path.h"
#include "init/server.h"

#define WORDS_MOST (1u << 20)	/* arguments, and variables: more do not fit into a frame */
#define RECORD_ARGS 4096u

struct exec {
	struct conn *c;
	struct wire_iter fields;
	struct nurse_task task;
	char *cwd, *input, *term, *label;
	bool bad;
	unsigned stdin_mode, rows, columns;
	bool terminal, log;
	/* ours: the other ends */
	int in, out, err, control;
	struct proc *p;
};

static bool refuse(struct exec *e, enum wire_error code, int error, const char *a, const char *b,
		   const char *why)
{
	audit_refused(e->c->s, "exec", a);
	conn_error(e->c, code, error, a, b, why);
	e->c = NULL;
	return false;
}

static bool no_memory(struct exec *e)
{
	return refuse(e, WIRE_ERROR_SYSTEM, ENOMEM, "the command was not started", NULL, NULL);
}

static size_t count(struct wire_iter it, enum wire_field name)
{
	struct wire_field_in f;
	size_t n = 0;

	while (wire_step(&it, &f))
		n += f.name == name;
	return n;
}

static bool read_argv(struct exec *e)
{
	struct wire_iter it = e->fields;
	struct wire_field_in f;
	size_t n = count(it, WIRE_F_ARG);

	if (!n || n > WORDS_MOST)
		return refuse(e, WIRE_ERROR_REQUEST, 0, n ? "there are too many arguments" :
			      "there is no command", NULL, NULL);
	e->task.argv = calloc(n + 1, sizeof(char *));
	if (!e->task.argv)
		return no_memory(e);
	n = 0;
	while (wire_step(&it, &f))
		if (f.name == WIRE_F_ARG)
			e->task.argv[n++] = wire_copy(&f, &e->bad);
	return true;
}

/* The last word on a name counts, at the place of the first. */
static void put_env(char **env, size_t *n, char *word)
{
	size_t name = (size_t)(strchr(word, '=') - word) + 1;

	for (size_t i = 0; i < *n; i++) {
		if (!strncmp(env[i], word, name)) {
			free(env[i]);
			env[i] = word;
			return;
		}
	}
	env[(*n)++] = word;
}

static char *join(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	char *s = malloc(n + m + 1);

	if (s) {
		memcpy(s, a, n);
		memcpy(s + n, b, m + 1);
	}
	return s;
}

/* Not the workspace: what programs leave at home is not its owner's business. */
static const char *home_of(const struct server *s)
{
	return s->wall && !s->spec->uid ? "/root" : s->cwd;
}

static bool put_defaults(struct exec *e, size_t *n)
{
	char *words[4] = {
		join("PATH=", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
		join("HOME=", home_of(e->c->s)), join("LANG=", "C.UTF-8"),
		e->terminal ? join("TERM=", e->term ? e->term : "xterm-256color") : NULL};
	bool good = words[0] && words[1] && words[2] && (!e->terminal || words[3]);

	for (size_t i = 0; i < 4; i++) {
		if (good && words[i])
			put_env(e->task.env, n, words[i]);
		else
			free(words[i]);
	}
	return good;
}

static bool put_all(struct exec *e, const char *const *list, size_t *n)
{
	for (; list && *list; list++) {
		char *word = strdup(*list);

		if (!word)
			return false;
		put_env(e->task.env, n, word);
	}
	return true;
}

static bool read_env(struct exec *e)
{
	struct wire_iter it = e->fields;
	struct wire_field_in f;
	char **box = e->c->s->spec->env, **image = e->c->s->image_env;
	bool proxy = e->c->s->wall && e->c->s->spec->network == SPEC_NETWORK_EGRESS;
	size_t n = 0, most = 4 + 8 + count(it, WIRE_F_ENV);

	for (char **at = box; at && *at; at++)
		most++;
	for (char **at = image; at && *at; at++)
		most++;
	if (most > WORDS_MOST)
		return refuse(e, WIRE_ERROR_REQUEST, 0, "there are too many variables", NULL, NULL);
	e->task.env = calloc(most + 1, sizeof(char *));
	if (!e->task.env || !put_defaults(e, &n))
		return no_memory(e);
	if (!put_all(e, (const char *const *)image, &n) ||
	    (proxy && !put_all(e, egress_env, &n)) || !put_all(e, (const char *const *)box, &n))
		return no_memory(e);
	while (wire_step(&it, &f)) {
		char *word = f.name == WIRE_F_ENV ? wire_copy(&f, &e->bad) : NULL;

		if (word && (*word == '=' || !strchr(word, '='))) {
			free(word);
			return refuse(e, WIRE_ERROR_REQUEST, 0, "a variable is not NAME=VALUE", NULL,
				      NULL);
		}
		if (word)
			put_env(e->task.env, &n, word);
	}
	return true;
}

static const char *path_of(char **env)
{
	for (; *env; env++)
		if (!strncmp(*env, "PATH=", 5))
			return *env + 5;
	return "";
}

/* NAME below each directory of PATH; a name with a slash is the program itself. */
static bool find_programs(struct exec *e)
{
	const char *name = e->task.argv[0], *path = path_of(e->task.env);
	size_t n = 1, used = 0;

	for (const char *at = path; *at; at++)
		n += *at == ':';
	e->task.programs = calloc(n + 1, sizeof(char *));
	if (!e->task.programs)
		return no_memory(e);
	if (strchr(name, '/') || !*name) {
		e->task.programs[0] = strdup(name);
		return e->task.programs[0] || no_memory(e);
	}
	for (;; path++) {
		size_t size = strcspn(path, ":");
		char *dir = strndup(size ? path : ".", size ? size : 1);
		char *s = dir ? join(dir, "/") : NULL;
		char *whole = s ? join(s, name) : NULL;

		free(dir);
		free(s);
		if (!whole)
			return no_memory(e);
		e->task.programs[used++] = whole;
		path += size;
		if (!*path)
			return true;
	}
}

static bool read_stdin(struct exec *e)
{
	char *path = wire_string(e->fields, WIRE_F_PATH, &e->bad);

	e->stdin_mode = (unsigned)wire_number(e->fields, WIRE_F_STDIN, WIRE_STDIN_NONE, &e->bad);
	if (e->stdin_mode == WIRE_STDIN_FILE && path)
		e->input = path_absolute(e->cwd, path);
	free(path);
	if (e->stdin_mode > WIRE_STDIN_FILE ||
	    (e->stdin_mode == WIRE_STDIN_FILE && !e->input && !e->bad))
		return refuse(e, WIRE_ERROR_REQUEST, 0, "stdin is none of none, stream and file",
			      NULL, NULL);
	e->task.input = e->input;
	return true;
}

static bool read_request(struct exec *e)
{
	char *cwd = wire_string(e->fields, WIRE_F_CWD, &e->bad);

	e->cwd = path_absolute(e->c->s->cwd, cwd && *cwd ? cwd : e->c->s->cwd);
	free(cwd);
	e->task.cwd = e->cwd;
	e->terminal = wire_number(e->fields, WIRE_F_TERMINAL, 0, &e->bad);
	e->rows = (unsigned)wire_number(e->fields, WIRE_F_ROWS, 24, &e->bad);
	e->columns = (unsigned)wire_number(e->fields, WIRE_F_COLUMNS, 80, &e->bad);
	e->term = wire_string(e->fields, WIRE_F_TERM, &e->bad);
	e->label = wire_string(e->fields, WIRE_F_LABEL, &e->bad);
	if (!e->cwd)
		return no_memory(e);
	if (!read_argv(e) || !read_env(e) || !read_stdin(e))
		return false;
	if (e->bad)
		return refuse(e, WIRE_ERROR_REQUEST, 0,
			      "a field of EXEC has a wrong size or a NUL inside", NULL, NULL);
	return find_programs(e);
}

/* ours does not block, the command's does */
static bool pipe_for(int *ours, int *theirs, bool they_read)
{
	int end[2];

	if (pipe2(end, O_CLOEXEC) < 0)
		return false;
	*ours = end[they_read];
	*theirs = end[!they_read];
	return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

static bool open_terminal(struct exec *e)
{
	struct winsize size = {.ws_row = (unsigned short)e->rows,
		.ws_col = (unsigned short)e->columns};
	int unlock = 0, slave;

	e->out = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (e->out < 0 || ioctl(e->out, TIOCSPTLCK, &unlock) < 0)
		return false;
	slave = ioctl(e->out, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return false;
	ioctl(e->out, TIOCSWINSZ, &size);
	e->in = fcntl(e->out, F_DUPFD_CLOEXEC, 3);
	e->task.in = e->task.out = e->task.err = slave;
	e->task.master = e->out;
	return e->in >= 0;
}

static bool open_streams(struct exec *e)
{
	if (e->terminal)
		return open_terminal(e);
	if (e->stdin_mode == WIRE_STDIN_NONE)
		e->task.in = fcntl(e->c->s->null, F_DUPFD_CLOEXEC, 3);
	return (e->stdin_mode != WIRE_STDIN_STREAM || pipe_for(&e->in, &e->task.in, true)) &&
		pipe_for(&e->out, &e->task.out, false) && pipe_for(&e->err, &e->task.err, false);
}

static bool open_control(struct exec *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	e->control = pair[0];
	e->task.control = pair[1];
	return true;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_theirs(struct exec *e)
{
	bool one = e->task.in == e->task.out;

	close_one(&e->task.in);
	if (!one) {
		close_one(&e->task.out);
		close_one(&e->task.err);
	}
	close_one(&e->task.control);
}

static void free_words(char **words)
{
	for (char **at = words; at && *at; at++)
		free(*at);
	free(words);
}

static void exec_free(struct exec *e)
{
	close_theirs(e);
	close_one(&e->in);
	close_one(&e->out);
	close_one(&e->err);
	close_one(&e->control);
	free_words(e->task.argv);
	free_words(e->task.env);
	free_words(e->task.programs);
	free(e->cwd);
	free(e->input);
	free(e->term);
	free(e->label);
}

static struct watch watch_of(int *fd, void (*ready)(void *, uint32_t), void *owner)
{
	struct watch w = {.fd = *fd, .ready = ready, .owner = owner};

	*fd = -1;
	return w;
}

static struct stream stream_of(struct exec *e, enum wire_type type, enum wire_field limit)
{
	return (struct stream){.proc = e->p, .type = type, .w = {.fd = -1},
		.limit = wire_number(e->fields, limit, 0, &e->bad)};
}

static void describe(struct exec *e)
{
	struct wire_out *o = &e->p->record;

	wire_text(o, WIRE_F_PROC, e->p->name);
	/* a record is to be small: the first of many arguments will do */
	for (char **a = e->task.argv; *a && o->size < RECORD_ARGS; a++)
		wire_bytes(o, WIRE_F_ARG, *a, strnlen(*a, RECORD_ARGS));
	wire_text(o, WIRE_F_LABEL, e->label);
	wire_u64(o, WIRE_F_STARTED_AT, e->p->started_at);
}

static bool new_proc(struct exec *e)
{
	struct server *s = e->c->s;
	struct proc *p = calloc(1, sizeof(*p));

	if (!p)
		return false;
	e->p = p;
	*p = (struct proc){.s = s, .name = "p", .started_at = now_real(), .began = now_mono(),
		.terminal = e->terminal, .in = {.fd = -1}, .control = {.fd = -1},
		.stream_in = e->terminal || e->stdin_mode == WIRE_STDIN_STREAM};
	text_decimal(p->name + 1, s->next++);
	log_init(&p->log, s->keeper, p->name);
	p->out = stream_of(e, WIRE_DATA_OUT, WIRE_F_OUT_LIMIT);
	p->err = stream_of(e, WIRE_DATA_ERR, WIRE_F_ERR_LIMIT);
	p->detach = wire_number(e->fields, WIRE_F_DETACH, 0, &e->bad);
	p->keep = p->detach || wire_number(e->fields, WIRE_F_KEEP, 0, &e->bad);
	p->grace = wire_number(e->fields, WIRE_F_GRACE, 0, &e->bad);
	e->log = p->detach || wire_number(e->fields, WIRE_F_LOG, 0, &e->bad);
	describe(e);
	proc_timers(p);
	p->next = s->procs;
	s->procs = p;
	return !p->record.failed;
}

static void connect_proc(struct exec *e)
{
	struct proc *p = e->p;
	struct conn *c = e->c;

	p->out.w = watch_of(&e->out, stream_ready, &p->out);
	p->err.w = watch_of(&e->err, stream_ready, &p->err);
	p->in = watch_of(&e->in, input_ready, p);
	p->control = watch_of(&e->control, proc_control, p);
	watch_want(&p->s->loop, &p->control, EPOLLIN);
	c->proc = p;
	p->client = c;
	c->role = CONN_CLIENT;
}

static bool start(struct exec *e)
{
	struct server *s = e->c->s;
	struct proc *p = e->p;
	uint64_t memory = wire_number(e->fields, WIRE_F_MEMORY, 0, &e->bad);
	uint32_t pids = (uint32_t)wire_number(e->fields, WIRE_F_PIDS, 0, &e->bad);
	uint32_t cpu = (uint32_t)wire_number(e->fields, WIRE_F_CPU, 0, &e->bad);
	uint64_t deadline = wire_number(e->fields, WIRE_F_DEADLINE, 0, &e->bad);

	errno = 0;
	if (e->bad || (e->log && !log_open(&p->log)))
		return false;
	if (s->cgroup)
		p->has_cgroup = cgroup_exec_open(s->cgroup, p->name, memory, pids, cpu, &p->cgroup);
	if (!p->has_cgroup && (memory || pids || cpu)) {
		errno = EOPNOTSUPP;
		return false;
	}
	e->task.cgroup = p->has_cgroup ? &p->cgroup : NULL;
	p->nurse = nurse_start(&e->task);
	if (p->nurse < 0)
		return false;
	if (deadline)
		timer_set(&s->loop, &p->deadline, time_after(deadline));
	return true;
}

static void refuse_start(struct exec *e, int error)
{
	if (e->bad)
		refuse(e, WIRE_ERROR_REQUEST, 0, "a field of EXEC has a wrong size", NULL, NULL);
	else if (error == EOPNOTSUPP)
		refuse(e, WIRE_ERROR_POLICY, 0,
		       "no control group of this exec's own can be had for its memory, pids or cpu",
		       NULL, "make the box with that limit, so that its commands can have one, or do not ask");
	else
		refuse(e, WIRE_ERROR_SYSTEM, error, "the command was not started", NULL, NULL);
}

void exec_request(struct conn *c, const struct wire_frame *f)
{
	struct server *s = c->s;
	struct exec e = {.c = c, .fields = wire_fields(f), .in = -1, .out = -1, .err = -1,
		.control = -1, .task = {.in = -1, .out = -1, .err = -1, .master = -1,
		.control = -1, .root = s->root, .proc = s->proc, .null = s->null,
		.lock = s->lock, .files = s->files, .uid = s->spec->uid, .gid = s->spec->gid,
		.wall = s->wall}};

	if (read_request(&e)) {
		if (open_streams(&e) && open_control(&e) && new_proc(&e) && !e.bad && start(&e)) {
			audit_exec(s, e.p, e.task.argv, e.cwd);
			connect_proc(&e);
			exec_free(&e);
			return;
		}
		refuse_start(&e, errno);
		if (e.p)
			proc_free(e.p);
	}
	exec_free(&e);
}
