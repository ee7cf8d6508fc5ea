/*
 * The audit log: JSON lines in files that were opened outside the box, each with the hash of the
 * one before. The server, its workers and the keeper write it. Values of variables, file
 * contents and output are not in it.
 */
#include <string.h>
#include <unistd.h>

#include "init/path.h"
#include "init/server.h"

bool audit_open(struct server *s, int dir)
{
	if (!chain_open(&s->audit, dir, "audit"))
		return false;
	s->audit.waiting = server_wake_workers;
	s->audit.ctx = s;
	return true;
}

void audit_take(struct server *s, int log, int head)
{
	s->audit = (struct chain){.fd = log, .head = head, .waiting = server_wake_workers, .ctx = s};
}

static void begin(struct text *t, const char *event)
{
	uint64_t now = now_real(), part = now % 1000000000u / 1000u;

	text_add(t, "{\"time\":");
	text_number(t, now / 1000000000u);
	text_add(t, ".");
	for (uint64_t ten = 100000; ten > 1 && part < ten; ten /= 10)
		text_add(t, "0");
	text_number(t, part);
	text_add(t, ",\"event\":\"");
	text_add(t, event);
	text_add(t, "\"");
}

static void word(struct text *t, const char *name, const char *value)
{
	if (!value)
		return;
	text_add(t, ",\"");
	text_add(t, name);
	text_add(t, "\":");
	text_json(t, value, strlen(value));
}

static void number(struct text *t, const char *name, uint64_t value)
{
	text_add(t, ",\"");
	text_add(t, name);
	text_add(t, "\":");
	text_number(t, value);
}

static void end(struct server *s, struct text *t)
{
	text_add(t, "}");
	if (!t->failed)
		chain_append(&s->audit, t->data, t->size);
	text_free(t);
}

void audit_exec(struct server *s, const struct proc *p, char *const *argv, const char *cwd)
{
	struct text t = {0};

	begin(&t, "exec");
	word(&t, "proc", p->name);
	text_add(&t, ",\"argv\":[");
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			text_add(&t, ",");
		text_json(&t, argv[i], strlen(argv[i]));
	}
	text_add(&t, "]");
	word(&t, "cwd", cwd);
	end(s, &t);
}

void audit_end(struct server *s, const struct proc *p, enum wire_reason reason, unsigned status)
{
	static const char *const words[] = {"exit", "signal", "timeout", "oom", "pids", "quota",
		"lost", "policy", "cancel"};
	struct text t = {0};

	begin(&t, "end");
	word(&t, "proc", p->name);
	word(&t, "reason", words[reason]);
	number(&t, "status", status);
	number(&t, "wall_ns", p->finished - p->began);
	number(&t, "left", p->left);
	end(s, &t);
}

void audit_event(struct server *s, const char *what, const char *proc)
{
	struct text t = {0};

	begin(&t, what);
	word(&t, "proc", proc);
	end(s, &t);
}

void audit_path(struct server *s, const char *what, const char *path, int error)
{
	struct text t = {0};

	begin(&t, what);
	word(&t, "path", path);
	if (error)
		word(&t, "error", text_errno(error));
	end(s, &t);
}

void audit_refused(struct server *s, const char *what, const char *why)
{
	struct text t = {0};

	begin(&t, "refused");
	word(&t, "what", what);
	word(&t, "why", why);
	end(s, &t);
}

void audit_egress(struct server *s, const struct egress_decision *d)
{
	struct text t = {0};

	begin(&t, "egress");
	word(&t, "what", d->what);
	word(&t, "secret", d->secret);
	word(&t, "name", d->name);
	number(&t, "port", d->port);
	text_add(&t, d->allowed ? ",\"allowed\":true" : ",\"allowed\":false");
	word(&t, "address", d->address);
	word(&t, "why", d->why);
	end(s, &t);
}
