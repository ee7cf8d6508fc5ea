/*
 * Hooks: lines for a shell in the box that run whenever it comes to life, before it is ready for
 * anybody else. They are execs as all others (a log, a line in the audit log, a deadline for the
 * whole tree); the record keeps how the last ones ended.
 */
#include "box/internal.h"

#include <stdlib.h>
#include <string.h>

#define HOOKS_MOST 64
#define TIME_DEFAULT (60 * BX_SECOND)
#define SAID_MOST 200u		/* of the last line that a hook wrote */

int bx_put_hooks(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	json_t *hooks;
	size_t n = 0;

	if (!spec->hooks || !spec->hooks[0])
		return spec->hook_deadline || spec->hook_keep ?
		       bx_fail(store, TBX_ERR_ARGUMENT, "--hook-timeout and --hook-warn need --hook") : TBX_OK;
	for (; spec->hooks[n]; n++)
		if (!spec->hooks[n][0])
			return bx_fail(store, TBX_ERR_ARGUMENT, "--hook '': an empty line does nothing");
	if (n > HOOKS_MOST)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--hook: at most %d; a script can do more",
			       HOOKS_MOST);
	if (spec->hook_deadline > INT64_MAX)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--hook-timeout is too long");
	hooks = json_object();
	bx_put(hooks, "commands", bx_json_list(spec->hooks));
	bx_put_number(hooks, "deadline", spec->hook_deadline ? spec->hook_deadline : TIME_DEFAULT);
	json_object_set_new(hooks, "failure", json_string(spec->hook_keep ? "warn" : "fail"));
	bx_put(out, "hooks", hooks);
	return TBX_OK;
}

/* ---- One ---- */

struct hook {
	struct bx_conn c;
	char said[SAID_MOST + 1];	/* the end of what it wrote last */
	size_t n;
	json_t *end;
};

static void keep_end(struct hook *h, const void *data, size_t n)
{
	const char *p = data;

	if (n >= SAID_MOST) {
		p += n - SAID_MOST;
		n = SAID_MOST;
		h->n = 0;
	} else if (h->n + n > SAID_MOST) {
		size_t drop = h->n + n - SAID_MOST;

		memmove(h->said, h->said + drop, h->n - drop);
		h->n -= drop;
	}
	memcpy(h->said + h->n, p, n);
	h->n += n;
}

/* The last line, fit for a message. */
static const char *last_line(struct hook *h)
{
	char *line;

	while (h->n && (h->said[h->n - 1] == '\n' || h->said[h->n - 1] == '\r'))
		h->n--;
	h->said[h->n] = '\0';
	line = memrchr(h->said, '\n', h->n);
	line = line ? line + 1 : h->said;
	bx_plain(line);
	return line;
}

static int ask(struct hook *h, const char *command, const char *why, uint64_t deadline)
{
	char *env = bx_format("TINYBOX_START=%s", why);

	wire_begin(&h->c.out, WIRE_EXEC);
	wire_text(&h->c.out, WIRE_F_ARG, "sh");
	wire_text(&h->c.out, WIRE_F_ARG, "-c");
	wire_text(&h->c.out, WIRE_F_ARG, command);
	wire_text(&h->c.out, WIRE_F_ENV, env);
	wire_u8(&h->c.out, WIRE_F_STDIN, WIRE_STDIN_NONE);
	wire_u64(&h->c.out, WIRE_F_DEADLINE, deadline);
	wire_u8(&h->c.out, WIRE_F_LOG, 1);
	wire_text(&h->c.out, WIRE_F_LABEL, "hook");
	wire_end(&h->c.out);
	free(env);
	return bx_send(&h->c, bx_step(h->c.store));
}

/* The server keeps the deadline; it gets a step more to tell. */
static int listen_to(struct hook *h, uint64_t deadline)
{
	uint64_t until = bx_step(h->c.store) + deadline;
	struct wire_frame f;
	int status;

	while (!(status = bx_receive(&h->c, &f, until))) {
		if (f.type == WIRE_ERROR)
			return bx_wire_error(&h->c, &f);
		if (f.type == WIRE_DATA_OUT || f.type == WIRE_DATA_ERR)
			keep_end(h, f.body, f.size);
		if (f.type != WIRE_END)
			continue;
		h->end = wire_whole(wire_fields(&f)) ? bx_end_json(wire_fields(&f)) : NULL;
		return h->end ? TBX_OK : bx_fail(h->c.store, TBX_ERR_PROTOCOL, "a damaged end record");
	}
	return status;
}

static void note(struct bx *b, const char *command, const json_t *end)
{
	static const char *const kept[] = { "proc", "status", "reason", "wall", NULL };
	json_t *line = json_object();

	bx_put(line, "command", bx_json_text(command));
	for (size_t i = 0; kept[i]; i++)
		bx_put(line, kept[i], json_incref(json_object_get(end, kept[i])));
	if (!end)
		bx_put(line, "error", json_string(tbx_error(b->store)));
	json_array_append(json_object_get(b->record, "hooks"), line);
	bx_audit(b, "hook", line);
}

static int one(struct bx *b, const char *command, const char *why, uint64_t deadline)
{
	struct hook h = {.c = {.fd = -1, .child_err = -1}};
	int status = bx_connect_now(b, &h.c), code;

	if (status)
		return status;
	bx_progress(b->store, "%s: hook: %s", b->id, command);
	status = ask(&h, command, why, deadline);
	if (!status)
		status = listen_to(&h, deadline);
	note(b, command, status ? NULL : h.end);
	if (status) {
		char *error = strdup(tbx_error(b->store));

		status = bx_fail(b->store, TBX_ERR_HOOK, "%s: the hook '%.80s' did not run: %s", b->id,
				 command, error ? error : "no memory");
		free(error);
	}
	code = (int)json_integer_value(json_object_get(h.end, "status"));
	if (!status && code) {
		const char *proc = bx_text(h.end, "proc"), *reason = bx_text(h.end, "reason");
		const char *line = last_line(&h);

		status = bx_fail(b->store, TBX_ERR_HOOK, "%s: the hook '%.80s' failed (%s, status %d, "
				 "process %s)%s%s", b->id, command, reason ? reason : "exit", code,
				 proc ? proc : "?", *line ? ": " : "", line);
	}
	json_decref(h.end);
	bx_conn_close(&h.c);
	return status;
}

/* ---- All ---- */

int bx_run_hooks(struct bx *b, const char *why)
{
	const json_t *hooks = bx_at(b->record, "spec.hooks"), *commands;
	uint64_t deadline = bx_number(hooks, "deadline");
	const char *failure = bx_text(hooks, "failure");
	bool keep = failure && !strcmp(failure, "warn");
	int status = TBX_OK;

	json_object_del(b->record, "hooks");
	commands = json_object_get(hooks, "commands");
	if (!json_array_size(commands))
		return TBX_OK;
	json_object_set_new(b->record, "hooks", json_array());
	for (size_t i = 0; !status && i < json_array_size(commands); i++) {
		char *command = bx_json_copy(json_array_get(commands, i));

		status = command ? one(b, command, why, deadline ? deadline : TIME_DEFAULT) :
			 bx_memory(b->store);
		if (status == TBX_ERR_HOOK && keep) {
			bx_warn(b->store, "%s", tbx_error(b->store));
			status = TBX_OK;
		}
		free(command);
	}
	return status;
}
