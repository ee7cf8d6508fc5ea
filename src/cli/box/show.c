/*
 * What is printed: tables with a head on a terminal, tabs in a pipe, JSON when asked. What comes
 * from a box is made harmless before a terminal sees it.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"

#define SECOND 1000000000ll

bool boxc_is_table(void)
{
	return isatty(1);
}

int boxc_flush(const struct boxc *c, int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	return boxc_error(c, BOXC_OWN, "standard output cannot be written");
}

/* JSON has the controls of ASCII as escapes already; a terminal would obey those above. */
void boxc_json(const char *text)
{
	if (!boxc_is_table()) {
		puts(text);
		return;
	}
	for (size_t n = strlen(text), size; n; text += size, n -= size) {
		int32_t letter;

		size = utf8_decode(text, n, &letter);
		if (letter >= 127 && letter < 160)
			printf("\\u%04x", (unsigned)letter);
		else
			fwrite(text, 1, size, stdout);
	}
	putchar('\n');
}

int boxc_print(const struct boxc *c, struct tbx_doc *doc)
{
	char *text = tbx_doc_json(doc, boxc_is_table());

	tbx_doc_free(doc);
	if (!text)
		return boxc_error(c, BOXC_OWN, "no memory");
	boxc_json(text);
	free(text);
	return boxc_flush(c, 0);
}

int boxc_made(const struct boxc *c, struct tbx_doc *doc)
{
	if (c->json)
		return boxc_print(c, doc);
	boxc_cell(tbx_doc_text(doc, "id"), 0, true);
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

/* What a terminal would obey: also those above ASCII, and their bytes alone. */
static bool is_control(int32_t letter, char byte)
{
	int32_t c = letter < 0 ? (unsigned char)byte : letter;

	return c < ' ' || (c >= 127 && c < 160);
}

/* The letters of a text, each control letter as '?'; their number. */
static int put_letters(FILE *to, const char *text, bool lines)
{
	int count = 0;

	for (size_t n = strlen(text), size; n; text += size, n -= size, count++) {
		int32_t letter;

		size = utf8_decode(text, n, &letter);
		if (lines && (letter == '\n' || letter == '\t'))
			putc(letter, to);
		else if (is_control(letter, *text))
			putc('?', to);
		else
			fwrite(text, 1, size, to);
	}
	return count;
}

void boxc_letters(const char *text)
{
	put_letters(stdout, text, false);
}

void boxc_plain(const char *text)
{
	char *line = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&line, &n);

	if (!to)
		return;
	put_letters(to, text, true);
	if (!fclose(to))
		fwrite(line, 1, n, stderr);
	free(line);
}

void boxc_cell(const char *text, int width, bool last)
{
	int n = put_letters(stdout, text ? text : "", false);

	if (last)
		putchar('\n');
	else if (!boxc_is_table())
		putchar('\t');
	else
		printf("%*s", n < width ? width - n : 1, "");
}

char *boxc_span(uint64_t ns, char buf[32])
{
	unsigned long long s = ns / (uint64_t)SECOND;

	if (s < 120)
		snprintf(buf, 32, "%llus", s);
	else if (s < 7200)
		snprintf(buf, 32, "%llum", s / 60);
	else if (s < 172800)
		snprintf(buf, 32, "%lluh", s / 3600);
	else
		snprintf(buf, 32, "%llud", s / 86400);
	return buf;
}

char *boxc_bytes(uint64_t n, char buf[32])
{
	static const char units[] = "KMGTPE";
	size_t unit = 0;
	double value = (double)n;

	if (n < 1024) {
		snprintf(buf, 32, "%llu", (unsigned long long)n);
		return buf;
	}
	for (value /= 1024; value >= 1024; value /= 1024)
		unit++;
	snprintf(buf, 32, "%.1f%ciB", value, units[unit]);
	return buf;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * (uint64_t)SECOND + (uint64_t)t.tv_nsec;
}

/* 2026-11-30T05:30:00Z */
static const char *date(int64_t at, char buf[32])
{
	time_t t = (time_t)(at / SECOND);
	struct tm tm;

	if (at <= 0 || !gmtime_r(&t, &tm) || !strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return "-";
	return buf;
}

/* A time for people, or in a pipe its date. */
static const char *when(int64_t at, char buf[32], bool table)
{
	uint64_t t = now(), then = (uint64_t)at;
	char span[32];

	if (at <= 0)
		return "-";
	if (!table)
		return date(at, buf);
	if (then <= t)
		snprintf(buf, 32, "%.20s ago", boxc_span(t - then, span));
	else
		snprintf(buf, 32, "in %.20s", boxc_span(then - t, span));
	return buf;
}

static const char *text_at(const struct tbx_doc *doc, char path[128], const char *list, size_t i,
			   const char *name)
{
	snprintf(path, 128, "%s[%zu].%s", list, i, name);
	return tbx_doc_text(doc, path);
}

static int64_t number_at(const struct tbx_doc *doc, char path[128], const char *list, size_t i,
			 const char *name)
{
	snprintf(path, 128, "%s[%zu].%s", list, i, name);
	return tbx_doc_number(doc, path, 0);
}

/* ---- ls ---- */

static void state_cell(const char *state)
{
	bool colour = boxc_is_table() && !getenv("NO_COLOR") && state;
	const char *on = !state ? "" : !strcmp(state, "ready") ? "\033[32m" :
			 !strcmp(state, "stopped") || !strcmp(state, "paused") ? "\033[33m" : "\033[31m";

	if (colour)
		fputs(on, stdout);
	boxc_cell(state, 10, false);
	if (colour)
		fputs("\033[0m", stdout);
}

static void ls_row(const struct tbx_doc *doc, size_t i)
{
	char path[128], buf[32];
	const char *from = text_at(doc, path, "boxes", i, "spec.source.from");

	boxc_cell(text_at(doc, path, "boxes", i, "id"), 10, false);
	boxc_cell(text_at(doc, path, "boxes", i, "name"), 16, false);
	state_cell(text_at(doc, path, "boxes", i, "state"));
	boxc_cell(text_at(doc, path, "boxes", i, "placement.workspace.sandbox"), 12, false);
	boxc_cell(text_at(doc, path, "boxes", i, "placement.workspace.host"), 16, false);
	boxc_cell(when(number_at(doc, path, "boxes", i, "created_at"), buf, boxc_is_table()), 12, false);
	boxc_cell(when(number_at(doc, path, "boxes", i, "expires_at"), buf, boxc_is_table()), 10, false);
	boxc_cell(from ? from : "-", 0, true);
}

int boxc_ls(struct boxc *c)
{
	static const char *const head[] = { "ID", "NAME", "STATE", "WALL", "HOST", "CREATED", "ENDS",
		"WORKSPACE" };
	static const int widths[] = { 10, 16, 10, 12, 16, 12, 10, 0 };
	const char **labels = calloc(c->labels.n + 1, sizeof(*labels));
	struct tbx_doc *doc;
	char path[128];
	int status;

	if (!labels)
		return boxc_error(c, BOXC_OWN, "no memory");
	for (size_t i = 0; i < c->labels.n; i++)
		labels[i] = c->labels.at[i];
	status = tbx_list_labelled(c->tbx, !c->quick, labels, &doc);
	free(labels);
	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	for (size_t i = 0; i < 8 && boxc_is_table() && !c->quiet; i++)
		boxc_cell(head[i], widths[i], i == 7);
	for (size_t i = 0; i < tbx_doc_count(doc, "boxes"); i++) {
		if (c->quiet)
			boxc_cell(text_at(doc, path, "boxes", i, "id"), 0, true);
		else
			ls_row(doc, i);
	}
	for (size_t i = 0; i < tbx_doc_count(doc, "damaged"); i++)
		boxc_error(c, 0, "%s", text_at(doc, path, "damaged", i, "why"));
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

/* ---- inspect ---- */

static void field(const char *name, const char *value)
{
	if (!value)
		return;
	boxc_cell(name, 14, false);
	boxc_cell(value, 0, true);
}

static void size_field(const struct tbx_doc *doc, const char *name, const char *path)
{
	char buf[32];
	int64_t n = tbx_doc_number(doc, path, 0);

	if (n > 0)
		field(name, boxc_bytes((uint64_t)n, buf));
}

/* The date, and how long ago or ahead that is. */
static void time_field(const char *name, int64_t at)
{
	char day[32], span[32], text[80];

	snprintf(text, sizeof(text), "%s (%s)", date(at, day), when(at, span, true));
	field(name, at > 0 ? text : "-");
}

static void report(const struct tbx_doc *doc)
{
	char path[128];

	for (size_t i = 0; i < tbx_doc_count(doc, "report"); i++) {
		const char *control = text_at(doc, path, "report", i, "control");
		const char *asked = text_at(doc, path, "report", i, "asked");
		const char *by = text_at(doc, path, "report", i, "by");
		const char *why = text_at(doc, path, "report", i, "why");
		const char *fix = text_at(doc, path, "report", i, "fix");

		boxc_cell("control", 14, false);
		boxc_cell(control, 14, false);
		boxc_cell(asked && *asked ? asked : "-", 12, false);
		if (by && *by)
			printf("enforced by ");
		else
			printf("NOT ENFORCED: ");
		if (by && *by) {
			boxc_cell(by, 0, true);
			continue;
		}
		boxc_cell(why, 0, !fix || !*fix);
		if (fix && *fix)
			boxc_cell(fix, 0, true);
	}
}

static void published(const struct tbx_doc *doc)
{
	char path[128], text[128];

	for (size_t i = 0; i < tbx_doc_count(doc, "published"); i++) {
		long long host = number_at(doc, path, "published", i, "host");
		long long guest = number_at(doc, path, "published", i, "guest");
		const char *address = text_at(doc, path, "published", i, "address");

		address = address ? address : "127.0.0.1";
		snprintf(text, sizeof(text), strchr(address, ':') ? "[%.60s]:%lld -> %lld" :
			 "%.60s:%lld -> %lld", address, host, guest);
		field("published", text);
	}
}

static void inspect_one(const struct tbx_doc *doc)
{
	const char *level = tbx_doc_text(doc, "isolation");
	const char *wall = tbx_doc_text(doc, "placement.workspace.sandbox");
	char text[96];

	field("id", tbx_doc_text(doc, "id"));
	field("name", tbx_doc_text(doc, "name"));
	field("state", tbx_doc_text(doc, "state"));
	field("unreachable", tbx_doc_text(doc, "unreachable"));
	field("wall", wall);
	field("host", tbx_doc_text(doc, "placement.workspace.host"));
	field("runner", tbx_doc_text(doc, "placement.runner.sandbox"));
	snprintf(text, sizeof(text), "%s%s", level ? level : "none",
		 tbx_doc_true(doc, "untrusted") ? "" : " (UNSAFE for code that is not trusted)");
	field("isolation", text);
	time_field("created", tbx_doc_number(doc, "created_at", 0));
	time_field("ends", tbx_doc_number(doc, "expires_at", 0));
	field("image", tbx_doc_text(doc, "spec.image.from"));
	field("workspace", tbx_doc_text(doc, "spec.source.from"));
	/* without a wall, names inside are the host's */
	if (!wall || strcmp(wall, "passthrough"))
		field("at", tbx_doc_text(doc, "spec.workspace"));
	field("network", tbx_doc_text(doc, "spec.network"));
	size_field(doc, "memory", "spec.resources.memory");
	size_field(doc, "disk", "spec.resources.disk");
	published(doc);
	report(doc);
}

int boxc_inspect(struct boxc *c)
{
	struct tbx_doc *doc;
	int status, result = 0;

	for (int i = 0; i < c->argc; i++) {
		status = tbx_inspect(c->tbx, c->argv[i], &doc);
		if (status) {
			result = boxc_failed(c, status);
			continue;
		}
		if (c->json) {
			status = boxc_print(c, doc);
			result = status ? status : result;
			continue;
		}
		if (i)
			putchar('\n');
		inspect_one(doc);
		tbx_doc_free(doc);
	}
	return boxc_flush(c, result);
}

/* ---- ps ---- */

static void ps_row(const struct tbx_doc *doc, size_t i)
{
	char path[128], buf[32], status[16] = "-";
	const char *state = text_at(doc, path, "processes", i, "state"), *word;
	int64_t pid = number_at(doc, path, "processes", i, "pid");
	char list[64];

	if (state && !strcmp(state, "ended"))
		snprintf(status, sizeof(status), "%lld",
			 (long long)number_at(doc, path, "processes", i, "end.status"));
	boxc_cell(text_at(doc, path, "processes", i, "proc"), 8, false);
	boxc_cell(state, 10, false);
	snprintf(buf, sizeof(buf), "%lld", (long long)pid);
	boxc_cell(pid ? buf : "-", 8, false);
	boxc_cell(when(number_at(doc, path, "processes", i, "started_at"), buf, boxc_is_table()), 12, false);
	boxc_cell(status, 8, false);
	word = text_at(doc, path, "processes", i, "end.reason");
	boxc_cell(word ? word : "-", 10, false);
	snprintf(list, sizeof(list), "processes[%zu].argv", i);
	for (size_t k = 0; k < tbx_doc_count(doc, list); k++) {
		snprintf(path, sizeof(path), "%s[%zu]", list, k);
		word = tbx_doc_text(doc, path);
		put_letters(stdout, word ? word : "?", false);
		putchar(k + 1 < tbx_doc_count(doc, list) ? ' ' : '\n');
	}
	if (!tbx_doc_count(doc, list))
		putchar('\n');
}

int boxc_ps(struct boxc *c)
{
	static const char *const head[] = { "PROCESS", "STATE", "PID", "STARTED", "STATUS", "REASON",
		"COMMAND" };
	static const int widths[] = { 8, 10, 8, 12, 8, 10, 0 };
	struct tbx_doc *doc;
	int status = tbx_ps(c->tbx, c->argv[0], &doc);

	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	for (size_t i = 0; i < 7 && boxc_is_table(); i++)
		boxc_cell(head[i], widths[i], i == 6);
	for (size_t i = 0; i < tbx_doc_count(doc, "processes"); i++)
		ps_row(doc, i);
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

/* ---- doctor ---- */

int boxc_doctor(struct boxc *c)
{
	struct tbx_target target = {0};
	struct tbx_doc *doc;
	char path[128];
	int status = boxc_target(c, &target);

	if (status)
		return status;
	status = tbx_doctor(c->tbx, &target, &doc);
	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	for (size_t i = 0; i < tbx_doc_count(doc, "probes"); i++) {
		const char *text = text_at(doc, path, "probes", i, "text");
		const char *fix;

		boxc_cell(text_at(doc, path, "probes", i, "name"), 22, false);
		boxc_cell(text_at(doc, path, "probes", i, "state"), 9, false);
		text = text_at(doc, path, "probes", i, "text");
		boxc_cell(text, 0, !boxc_is_table() ? false : true);
		fix = text_at(doc, path, "probes", i, "fix");
		if (!boxc_is_table())
			boxc_cell(fix, 0, true);
		else if (fix && *fix)
			printf("%31s-> %s\n", "", fix);
	}
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}
