/*
 * tinybox sync: a directory here and one elsewhere; the review of what comes from there.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct syncing {
	struct boxc *c;
	struct timespec began;
	uint64_t drawn;		/* files and bytes at the last drawing */
	bool open;		/* a bar is on the screen */
	bool unasked;		/* nobody was there to be asked */
	bool told;		/* what does not travel, in the review */
};

/* ---- The bar ---- */

static double seconds_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

static void clear_bar(struct syncing *s)
{
	if (s->open)
		fputs("\r\033[K", stderr);
	s->open = false;
}

static void progress(void *ctx, uint64_t files, uint64_t all_files, uint64_t bytes, uint64_t all_bytes)
{
	struct syncing *s = ctx;
	double share = all_bytes ? (double)bytes / (double)all_bytes : all_files ?
		       (double)files / (double)all_files : 1, span = seconds_since(&s->began);
	char done[32], rate[32], bar[21];
	unsigned full = share >= 1 ? 20 : (unsigned)(share * 20);

	memset(bar, '#', full);
	memset(bar + full, '.', 20 - full);
	bar[20] = '\0';
	fprintf(stderr, "\r\033[K[%s] %3u%% %llu/%llu files %s %s/s", bar,
		share >= 1 ? 100 : (unsigned)(share * 100), (unsigned long long)files,
		(unsigned long long)all_files, boxc_bytes(bytes, done),
		boxc_bytes(span > 0.001 ? (uint64_t)((double)bytes / span) : 0, rate));
	fflush(stderr);
	s->open = true;
}

/* ---- The list of changes ---- */

static const char *text_of(const struct tbx_doc *doc, size_t i, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "changes[%zu].%s", i, name);
	return tbx_doc_text(doc, path);
}

static int64_t number_of(const struct tbx_doc *doc, size_t i, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "changes[%zu].%s", i, name);
	return tbx_doc_number(doc, path, 0);
}

/* Bytes that an operator's screen takes for what they are. */
static void print_plain(FILE *f, const char *s)
{
	for (; *s; s++) {
		unsigned char b = (unsigned char)*s;

		if (b == '\\')
			fputs("\\\\", f);
		else if (b < ' ' || b == 127 || b >= 128)
			fprintf(f, "\\%03o", b);
		else
			putc(b, f);
	}
}

static bool has_hex(const struct tbx_doc *doc, size_t i, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "changes[%zu].%s.hex", i, name);
	return tbx_doc_text(doc, path);
}

/* item: "changes[3].path" */
static void print_text(FILE *f, const struct tbx_doc *doc, const char *item)
{
	const char *s = tbx_doc_text(doc, item);
	char path[80];

	if (s) {
		print_plain(f, s);
		return;
	}
	snprintf(path, sizeof(path), "%s.hex", item);
	s = tbx_doc_text(doc, path);
	for (unsigned byte; s && s[0] && s[1] && sscanf(s, "%2x", &byte) == 1; s += 2) {
		char one[2] = { (char)byte, '\0' };

		print_plain(f, one);
	}
}

static void print_name(FILE *f, const struct tbx_doc *doc, size_t i, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "changes[%zu].%s", i, name);
	print_text(f, doc, path);
}

static void print_change(FILE *f, const struct tbx_doc *doc, size_t i)
{
	const char *change = text_of(doc, i, "change"), *type = text_of(doc, i, "type");
	const char *runs = text_of(doc, i, "runs");
	bool link = type && !strcmp(type, "link"), gone = change && !strcmp(change, "deleted");
	char size[32];

	fprintf(f, "%c %-8s", runs ? '!' : ' ', change ? change : "");
	if (gone || link)
		fprintf(f, "%15s ", "");
	else
		fprintf(f, "%04o %9s ", (unsigned)number_of(doc, i, "mode"), type && !strcmp(type, "file") &&
			strcmp(change, "mode") ? boxc_bytes((uint64_t)number_of(doc, i, "size"), size) : "");
	print_name(f, doc, i, "path");
	if (type && !strcmp(type, "directory"))
		putc('/', f);
	if (link && (text_of(doc, i, "link") || has_hex(doc, i, "link"))) {
		fputs(" -> ", f);
		print_name(f, doc, i, "link");
	}
	if (runs)
		fprintf(f, "  (%s)", runs);
	putc('\n', f);
}

/* What the host would run comes first. */
static size_t print_changes(FILE *f, const struct tbx_doc *doc)
{
	size_t n = tbx_doc_count(doc, "changes"), risky = 0;

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < n; i++)
			if (!text_of(doc, i, "runs") == !first) {
				print_change(f, doc, i);
				risky += first ? 1 : 0;
			}
	return risky;
}

/* Its names may be a stranger's. */
static void tell_skipped(const struct tbx_doc *doc)
{
	char path[64];

	for (size_t i = 0; i < tbx_doc_count(doc, "skipped"); i++) {
		const char *why;

		fputs("tinybox: sync: ", stderr);
		snprintf(path, sizeof(path), "skipped[%zu].path", i);
		print_text(stderr, doc, path);
		snprintf(path, sizeof(path), "skipped[%zu].why", i);
		why = tbx_doc_text(doc, path);
		fprintf(stderr, ": %s: left out\n", why ? why : "");
	}
}

/* ---- The review ---- */

static int review(void *ctx, const struct tbx_doc *changes)
{
	struct syncing *s = ctx;
	size_t n = tbx_doc_count(changes, "changes"), risky;
	char answer[16];

	if (s->c->yes)
		return 0;
	clear_bar(s);
	risky = print_changes(stderr, changes);
	tell_skipped(changes);
	s->told = true;
	fprintf(stderr, "%zu change%s", n, n == 1 ? "" : "s");
	if (risky)
		fprintf(stderr, ", %zu of which this machine may run (!)", risky);
	if (!isatty(0) || !isatty(2)) {
		fputs(": nothing was changed; --yes takes them\n", stderr);
		s->unasked = true;
		return 1;
	}
	fputs(". Take them? [y/N] ", stderr);
	if (!fgets(answer, sizeof(answer), stdin))
		answer[0] = '\0';
	clock_gettime(CLOCK_MONOTONIC, &s->began);
	return !(!strcasecmp(answer, "y\n") || !strcasecmp(answer, "yes\n"));
}

/* ---- The command ---- */

static int done(struct syncing *s, struct tbx_doc *doc)
{
	const char *status = tbx_doc_text(doc, "status");
	bool refused = !strcmp(status, "refused");

	if (!s->told)
		tell_skipped(doc);
	if (s->c->json)
		return boxc_print(s->c, doc) ? BOXC_OWN : refused ? 1 : 0;
	if (!strcmp(status, "planned"))
		print_changes(stdout, doc);
	printf("%s %s", status, tbx_doc_text(doc, "fingerprint"));
	if (!strcmp(status, "sent") || !strcmp(status, "received"))
		printf(" %lld bytes %lld files %lld deleted", (long long)tbx_doc_number(doc, "bytes", 0),
		       (long long)tbx_doc_number(doc, "files", 0),
		       (long long)tbx_doc_number(doc, "deleted", 0));
	putchar('\n');
	tbx_doc_free(doc);
	return boxc_flush(s->c, refused ? 1 : 0);
}

int boxc_sync(struct boxc *c)
{
	struct syncing s = { .c = c };
	struct tbx_sync sync = TBX_SYNC_INIT;
	struct tbx_doc *doc;
	char *box = NULL;
	int status = boxc_target(c, &sync.target);

	if (status)
		return status;
	if (!c->to == !c->from)
		return boxc_usage(c, "one of --to and --from is needed");
	sync.path = boxc_place(c->to ? c->to : c->from, &box);
	sync.box = box;
	if (box && sync.target.host) {
		free(box);
		return boxc_usage(c, "--host is of a path; a box is where it is");
	}
	sync.dir = c->dir;
	sync.git = c->with_git;
	sync.all = c->no_ignore;
	sync.dry = c->dry;
	sync.review = review;
	sync.ctx = &s;
	if (isatty(2))
		sync.progress = progress;
	clock_gettime(CLOCK_MONOTONIC, &s.began);
	status = c->to ? tbx_sync_to(c->tbx, &sync, &doc) : tbx_sync_from(c->tbx, &sync, &doc);
	clear_bar(&s);
	free(box);
	return status ? boxc_failed(c, status) : done(&s, doc);
}
