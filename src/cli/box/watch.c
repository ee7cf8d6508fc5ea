/*
 * reap --watch: a loop in the foreground, for a service manager. One line an event, nothing while
 * nothing happens; a failure is told once, and again only when it has changed. Passes begin at
 * whole multiples of the interval from the start, however long one takes. The store is opened
 * anew for each pass, so that it may be removed, made and repaired under the loop.
 */
#include "cli/box/box.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"

#define INTERVAL_DEFAULT 60000000000ull
#define INTERVAL_LEAST 10000000ull

/* What failed in the pass before, so that it is not said again. */
struct told {
	char **at;
	size_t n;
};

struct watch {
	struct boxc *c;
	int signals;
	uint64_t interval, next;
	struct told before, now;
	bool ended;
};

static uint64_t ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- Failures that are known ---- */

static void forget(struct told *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->at[i]);
	free(t->at);
	*t = (struct told){0};
}

static bool is_known(const struct told *t, const char *line)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->at[i], line))
			return true;
	return false;
}

static void remember(struct told *t, const char *line)
{
	char **more = realloc(t->at, (t->n + 1) * sizeof(*more));

	if (!more)
		return;
	t->at = more;
	t->at[t->n] = strdup(line);
	t->n += t->at[t->n] != NULL;
}

/* ---- Events ---- */

static void json_word(const char *name, const char *text)
{
	printf(",\"%s\":\"", name);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 127)
			printf("\\u%04x", (unsigned)(unsigned char)*text);
		else
			putchar(*text);
	putchar('"');
}

/* A cell: what would end it or the line is shown as '?'. */
static void cell(const char *text)
{
	putchar('\t');
	boxc_letters(text);
}

static void tell(struct watch *w, const char *event, const char *what, const char *why,
		 const char *error)
{
	char key[512], day[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (error) {
		snprintf(key, sizeof(key), "%s %s %s", event, what, error);
		remember(&w->now, key);
		if (is_known(&w->before, key))
			return;
	}
	if (gmtime_r(&now, &tm))
		strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (w->c->json) {
		printf("{\"time\":\"%s\"", day);
		json_word("event", event);
		json_word("what", what);
		json_word("why", why);
		if (error)
			json_word("error", error);
		puts("}");
	} else {
		printf("%s\t%s", day, event);
		cell(what);
		cell(why);
		if (error)
			cell(error);
		putchar('\n');
	}
	fflush(stdout);
}

static void tell_rows(struct watch *w, const struct tbx_doc *doc, const char *list, const char *key)
{
	static const char *const names[] = { "error", "why" };
	const char *words[2], *what;
	char path[64];

	for (size_t i = 0; i < tbx_doc_count(doc, list); i++) {
		for (size_t k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), "%s[%zu].%s", list, i, names[k]);
			words[k] = tbx_doc_text(doc, path);
		}
		snprintf(path, sizeof(path), "%s[%zu].%s", list, i, key);
		what = tbx_doc_text(doc, path);
		tell(w, words[0] ? "failed" : w->c->dry ? "would reap" : "reaped", what ? what : "?",
		     words[1] ? words[1] : "", words[0]);
	}
}

static void tell_snapshots(struct watch *w, const struct tbx_doc *doc)
{
	static const char *const names[] = { "box", "snapshot", "why", "error" };
	const char *words[4];
	char path[64];

	for (size_t i = 0; i < tbx_doc_count(doc, "snapshots"); i++) {
		const char *event = w->c->dry ? "would snapshot" : "snapshot";

		for (size_t k = 0; k < 4; k++) {
			snprintf(path, sizeof(path), "snapshots[%zu].%s", i, names[k]);
			words[k] = tbx_doc_text(doc, path);
		}
		if (words[2] && !strcmp(words[2], "there are newer ones"))
			event = "removed";
		tell(w, words[3] ? "failed" : event, words[0] ? words[0] : "?", words[1] ? words[1] :
		     words[2] ? words[2] : "", words[3]);
	}
}

/* ---- The loop ---- */

static void pass(struct watch *w)
{
	struct tbx_options opt = TBX_OPTIONS_INIT;
	struct boxc *c = w->c;
	struct tbx_doc *doc = NULL;
	int status;

	tbx_close(c->tbx);
	opt.state_dir = c->store;
	status = tbx_open(&c->tbx, &opt);
	if (!status)
		status = tbx_reap(c->tbx, c->dry, &doc);
	if (!status) {
		tell_rows(w, doc, "boxes", "id");
		tell_rows(w, doc, "strays", "path");
		tbx_doc_free(doc);
		doc = NULL;
		status = tbx_autosnapshot(c->tbx, c->dry, &doc);
	}
	if (!status) {
		tell_snapshots(w, doc);
		tbx_doc_free(doc);
	} else {
		tell(w, "failed", "reap", "the pass", tbx_error(c->tbx));
	}
	forget(&w->before);
	w->before = w->now;
	w->now = (struct told){0};
}

/* Until the next pass is due, or somebody wants one (HUP), or none any more. Signals are looked at also when it was due long ago. */
static void rest(struct watch *w)
{
	struct pollfd p = {.fd = w->signals, .events = POLLIN};
	struct signalfd_siginfo info;
	uint64_t now = ticks();

	do {
		uint64_t ms = now < w->next ? (w->next - now) / 1000000 + 1 : 0;

		if (poll(&p, 1, ms > 3600000 ? 3600000 : (int)ms) > 0 &&
		    read(w->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			w->ended = info.ssi_signo != SIGHUP;
			return;
		}
		now = ticks();
	} while (now < w->next);
	/* a pass that took longer than the interval leaves out those it has missed */
	w->next += ((now - w->next) / w->interval + 1) * w->interval;
}

static bool take_signals(struct watch *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return w->signals >= 0;
}

int boxc_watch(struct boxc *c)
{
	struct watch w = {.c = c, .interval = INTERVAL_DEFAULT};
	int status = 0;

	if (c->interval && (!tbx_duration(c->interval, &w.interval) || w.interval < INTERVAL_LEAST))
		return boxc_usage(c, "--interval '%s': not a span of time of at least 10ms; 30s and 5m are "
				  "some", c->interval);
	if (!take_signals(&w))
		return boxc_error(c, BOXC_OWN, "%s", strerror(errno));
	w.next = ticks() + w.interval;
	while (!w.ended && !status) {
		pass(&w);
		status = boxc_flush(c, 0);
		if (!status)
			rest(&w);
	}
	forget(&w.before);
	close(w.signals);
	return status;
}
