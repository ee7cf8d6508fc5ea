/*
 * The audit log of a virtual box, DIR/audit: the events of tinybox-init's, where they exist here.
 * Values of variables, file contents and output are not in it. Its files are opened before the
 * wall stands, and nothing inside can name them.
 */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct line {
	char *p;
	size_t n, cap;
	bool failed;
};

static void put(struct line *l, const char *s, size_t n)
{
	size_t cap = l->cap ? l->cap : 512;
	char *more;

	while (cap < l->n + n + 1 && cap < SIZE_MAX / 2)
		cap *= 2;
	more = l->failed ? NULL : cap == l->cap ? l->p : realloc(l->p, cap);
	if (!more) {
		l->failed = true;
		return;
	}
	l->p = more;
	l->cap = cap;
	memcpy(l->p + l->n, s, n);
	l->n += n;
}

static void word(struct line *l, const char *s)
{
	put(l, s, strlen(s));
}

/* A text that is not UTF-8: {"hex": "..."}, as everywhere. */
static void json(struct line *l, const char *s)
{
	bool plain = utf8_valid(s, strlen(s));
	char hex[8];

	word(l, plain ? "\"" : "{\"hex\":\"");
	for (; *s; s++) {
		unsigned char b = (unsigned char)*s;

		if (!plain || b < ' ' || b == 127) {
			snprintf(hex, sizeof(hex), plain ? "\\u00%02x" : "%02x", b);
			word(l, hex);
			continue;
		}
		if (b == '"' || b == '\\')
			word(l, "\\");
		put(l, s, 1);
	}
	word(l, plain ? "\"" : "\"}");
}

static void member(struct line *l, const char *name, const char *value)
{
	if (!value)
		return;
	word(l, ",\"");
	word(l, name);
	word(l, "\":");
	json(l, value);
}

static void number(struct line *l, const char *name, uint64_t n)
{
	char text[64];

	snprintf(text, sizeof(text), ",\"%s\":%llu", name, (unsigned long long)n);
	word(l, text);
}

static void begin(struct line *l, const char *event, const struct exec *e)
{
	uint64_t now = wall_ns();
	char text[64];

	snprintf(text, sizeof(text), "{\"time\":%llu.%06llu,\"event\":\"", (unsigned long long)(now / NS),
		 (unsigned long long)(now % NS / 1000));
	word(l, text);
	word(l, event);
	word(l, "\"");
	if (!e)
		return;
	snprintf(text, sizeof(text), ",\"proc\":\"p%llu\"", (unsigned long long)e->number);
	word(l, text);
}

static void end(struct server *s, struct line *l)
{
	word(l, "}");
	if (!l->failed)
		chain_append(&s->audit, l->p, l->n);
	free(l->p);
}

void audit_exec(struct server *s, const struct exec *e)
{
	struct line l = { 0 };

	begin(&l, "exec", e);
	word(&l, ",\"argv\":[");
	for (size_t i = 0; e->argv && e->argv[i]; i++) {
		if (i)
			word(&l, ",");
		json(&l, e->argv[i]);
	}
	word(&l, "]");
	member(&l, "cwd", e->cwd ? e->cwd : virtual_cwd(s->box));
	end(s, &l);
}

void audit_end(struct server *s, const struct exec *e)
{
	static const char *const words[] = { "exit", "signal", "timeout", "oom", "pids", "quota",
		"lost", "policy", "cancel" };
	struct line l = { 0 };

	begin(&l, "end", e);
	if (e->reason < sizeof(words) / sizeof(*words))
		member(&l, "reason", words[e->reason]);
	number(&l, "status", e->status);
	number(&l, "wall_ns", e->ended - e->began);
	number(&l, "left", e->left);
	end(s, &l);
}

void audit_event(struct server *s, const char *event, const struct exec *e)
{
	struct line l = { 0 };

	begin(&l, event, e);
	end(s, &l);
}

void audit_path(struct server *s, const char *event, const char *path)
{
	struct line l = { 0 };

	begin(&l, event, NULL);
	member(&l, "path", path);
	end(s, &l);
}

void audit_refused(struct server *s, const char *what, const char *why)
{
	struct line l = { 0 };

	begin(&l, "refused", NULL);
	member(&l, "what", what);
	member(&l, "why", why);
	end(s, &l);
}
