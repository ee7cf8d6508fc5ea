/* From the words of EXEC to a run. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All fields of the name, NULL-ended. NULL: bad, or no memory. */
static char **list_of(struct wire_iter it, enum wire_field name)
{
	bool bad = false;
	char **list = wire_list(it, name, &bad);

	if (!bad)
		return list;
	wire_list_free(list);
	return NULL;
}

static bool env_good(char **env)
{
	for (size_t i = 0; env[i]; i++)
		if (env[i][0] == '=' || !strchr(env[i], '='))
			return false;
	return true;
}

/* The absolute path in the place of `path`, which it frees. */
static char *absolute(const struct virtual_box *b, char *path)
{
	char *whole = path ? virtual_path(b, path) : NULL;

	free(path);
	return whole;
}

/* TERM of a terminal, below what ENV says. */
static char **environment(struct server *s, struct wire_iter it, char **list, bool terminal)
{
	char term[80], *name;
	bool bad = false;
	size_t n = 0;
	const char **with;
	char **all;

	if (!terminal)
		return virtual_env(s->box, (const char *const *)list);
	name = wire_string(it, WIRE_F_TERM, &bad);
	snprintf(term, sizeof(term), "TERM=%.64s", name && *name ? name : "xterm-256color");
	free(name);
	for (n = 0; list[n]; n++)
		;
	with = calloc(n + 2, sizeof(*with));
	if (!with)
		return NULL;
	with[0] = term;
	memcpy(with + 1, list, n * sizeof(*with));
	all = virtual_env(s->box, with);
	free((void *)with);
	return all;
}

static void limits_of(struct exec *e, struct wire_iter it, bool *bad)
{
	struct tsb_limits *l = &e->run.limits;
	uint64_t memory = wire_number(it, WIRE_F_MEMORY, 0, bad);
	uint64_t pids = wire_number(it, WIRE_F_PIDS, 0, bad);

	*l = *virtual_limits(e->server->box);
	if (memory && memory < l->memory_bytes)
		l->memory_bytes = memory;
	if (pids && pids < l->processes)
		l->processes = pids;
	if (l->processes < UINT64_MAX)
		l->processes++;		/* the init of the exec */
}

static bool flags_of(struct exec *e, struct wire_iter it)
{
	uint64_t now = now_ns(), deadline;
	bool bad = false;

	e->detach = wire_number(it, WIRE_F_DETACH, 0, &bad);
	e->keep = e->detach || wire_number(it, WIRE_F_KEEP, 0, &bad);
	e->log = e->keep || wire_number(it, WIRE_F_LOG, 0, &bad);
	e->grace = wire_number(it, WIRE_F_GRACE, 0, &bad);
	deadline = wire_number(it, WIRE_F_DEADLINE, 0, &bad);
	if (deadline)
		e->deadline = deadline < UINT64_MAX / 4 ? now + deadline : 0;
	if (e->grace > UINT64_MAX / 4)
		e->grace = UINT64_MAX / 4;
	e->run.max[0] = wire_number(it, WIRE_F_OUT_LIMIT, 0, &bad);
	e->run.max[1] = wire_number(it, WIRE_F_ERR_LIMIT, 0, &bad);
	e->run.terminal = wire_number(it, WIRE_F_TERMINAL, 0, &bad);
	e->run.rows = (uint16_t)wire_number(it, WIRE_F_ROWS, 24, &bad);
	e->run.columns = (uint16_t)wire_number(it, WIRE_F_COLUMNS, 80, &bad);
	term_init(&e->run.term);
	e->label = wire_string(it, WIRE_F_LABEL, &bad);
	limits_of(e, it, &bad);
	return !bad;
}

/* "" or what is wrong. */
static const char *read_fields(struct exec *e, struct wire_iter it)
{
	struct server *s = e->server;
	uint64_t in;
	bool bad = false;
	char **list;

	e->argv = list_of(it, WIRE_F_ARG);
	if (!e->argv || !e->argv[0])
		return "no command (ARG), or one that cannot be";
	if (!flags_of(e, it))
		return "a field of a wrong size";
	if (wire_number(it, WIRE_F_CPU, 0, &bad))
		return "cpu: not for one exec of a virtual box, only for the box";
	list = list_of(it, WIRE_F_ENV);
	if (list && env_good(list))
		e->env = environment(s, it, list, e->run.terminal);
	wire_list_free(list);
	if (!e->env)
		return "the environment (ENV) is not NAME=VALUE";
	e->cwd = wire_string(it, WIRE_F_CWD, &bad);
	e->cwd = e->cwd ? absolute(s->box, e->cwd) : strdup(virtual_cwd(s->box));
	in = wire_number(it, WIRE_F_STDIN, WIRE_STDIN_NONE, &bad);
	if (in > WIRE_STDIN_FILE)
		return "STDIN is none of none, stream, file";
	e->streams = in == WIRE_STDIN_STREAM || e->run.terminal;
	if (!e->streams)
		e->input_path = in == WIRE_STDIN_FILE ? wire_string(it, WIRE_F_PATH, &bad) :
				strdup("/dev/null");
	if (bad || !e->cwd || (!e->streams && !e->input_path))
		return "a field is missing or of a wrong size";
	e->input_path = absolute(s->box, e->input_path);
	return "";
}

static bool begin(struct exec *e)
{
	struct run *r = &e->run;

	r->box = virtual_sandbox(e->server->box);
	r->cancel = tsb_cancel_new();
	r->notify = e->server->notify;
	r->argv = (const char *const *)e->argv;
	r->env = (const char *const *)e->env;
	r->cwd = e->cwd;
	r->input_path = e->input_path;
	errno = ENOMEM;
	if (!r->cancel || !server_serve(e->server))
		return false;
	e->began = now_ns();
	e->began_at = wall_ns();
	e->posted = exec_post(r);
	return e->posted;
}

struct exec *exec_new(struct server *s, struct conn *c, struct wire_iter fields)
{
	struct exec *e = calloc(1, sizeof(*e));
	const char *wrong;

	if (!e) {
		conn_error(c, WIRE_ERROR_SYSTEM, ENOMEM, "no memory");
		return NULL;
	}
	e->server = s;
	e->log_fd = -1;
	pthread_mutex_init(&e->run.lock, NULL);
	wrong = read_fields(e, fields);
	if (*wrong) {
		conn_error(c, WIRE_ERROR_REQUEST, 0, "exec: %s", wrong);
		exec_free(e);
		return NULL;
	}
	e->number = s->next_number;
	if (!begin(e)) {
		conn_error(c, WIRE_ERROR_SYSTEM, errno, "exec: %s", strerror(errno));
		exec_free(e);
		return NULL;
	}
	if (s->throttled)
		tsb_cancel_pause(e->run.cancel, true);
	s->next_number++;
	s->n_running++;
	e->client = c;
	e->next = s->execs;
	s->execs = e;
	return e;
}
