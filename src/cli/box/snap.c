/*
 * snapshot, fork and template: what was kept of boxes, and boxes that begin from it.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* ---- Rows ---- */

static const char *at(const struct tbx_doc *doc, char path[96], const char *list, size_t i, const char *name)
{
	snprintf(path, 96, "%s[%zu].%s", list, i, name);
	return tbx_doc_text(doc, path);
}

static void head(const char *const *words, const int *widths)
{
	if (!boxc_is_table())
		return;
	for (size_t i = 0; words[i]; i++)
		boxc_cell(words[i], widths[i], !words[i + 1]);
}

static int snapshot_rows(const struct boxc *c, struct tbx_doc *doc)
{
	static const char *const words[] = { "ID", "BOX", "SANDBOX", "SIZE", "FILES", "TEMPLATE", "LABEL", NULL };
	static const int widths[] = { 10, 10, 11, 10, 8, 16, 0 };
	char path[96], cell[32];

	if (!c->quiet)
		head(words, widths);
	for (size_t i = 0; i < tbx_doc_count(doc, "snapshots"); i++) {
		boxc_cell(at(doc, path, "snapshots", i, "id"), widths[0], c->quiet);
		if (c->quiet)
			continue;
		boxc_cell(at(doc, path, "snapshots", i, "box"), widths[1], false);
		boxc_cell(at(doc, path, "snapshots", i, "sandbox"), widths[2], false);
		snprintf(path, sizeof(path), "snapshots[%zu].size", i);
		if (boxc_is_table())
			boxc_bytes((uint64_t)tbx_doc_number(doc, path, 0), cell);
		else
			snprintf(cell, sizeof(cell), "%lld", (long long)tbx_doc_number(doc, path, 0));
		boxc_cell(cell, widths[3], false);
		snprintf(path, sizeof(path), "snapshots[%zu].files", i);
		snprintf(cell, sizeof(cell), "%lld", (long long)tbx_doc_number(doc, path, 0));
		boxc_cell(cell, widths[4], false);
		boxc_cell(at(doc, path, "snapshots", i, "templates[0]"), widths[5], false);
		boxc_cell(at(doc, path, "snapshots", i, "label"), 0, true);
	}
	for (size_t i = 0; i < tbx_doc_count(doc, "damaged"); i++)
		boxc_error(c, 0, "%s", at(doc, path, "damaged", i, "why"));
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

/* ---- snapshot ---- */

static int snapshot_create(struct boxc *c, int from)
{
	struct tbx_snap opt = TBX_SNAP_INIT;
	struct tbx_doc *doc;
	int status;

	if (c->argc != from + 1)
		return boxc_usage(c, c->argc > from ? "extra operand '%s'" : "missing operand",
				  c->argc > from ? c->argv[from + 1] : "");
	opt.label = c->label;
	opt.memory = c->memory_too;
	status = tbx_snapshot(c->tbx, c->argv[from], &opt, &doc);
	return status ? boxc_failed(c, status) : boxc_made(c, doc);
}

static int snapshot_ls(struct boxc *c)
{
	struct tbx_doc *doc;
	int status = tbx_snapshot_list(c->tbx, &doc);

	if (status)
		return boxc_failed(c, status);
	return c->json ? boxc_print(c, doc) : snapshot_rows(c, doc);
}

static int snapshot_inspect(struct boxc *c)
{
	int result = 0;

	for (int i = 1; i < c->argc; i++) {
		struct tbx_doc *doc;
		int status = tbx_snapshot_inspect(c->tbx, c->argv[i], c->verify, &doc);

		status = status ? boxc_failed(c, status) : boxc_print(c, doc);
		result = status ? status : result;
	}
	return result;
}

/* Each operand is removed, whatever became of the one before. */
static int remove_each(struct boxc *c, const char *kind, int (*remove)(struct tbx_store *store, const char *name))
{
	int result = 0;

	for (int i = 1; i < c->argc; i++) {
		int status = remove(c->tbx, c->argv[i]);

		if (status)
			result = boxc_failed(c, status);
		else if (c->json)
			printf("{\"%s\":\"%s\",\"state\":\"removed\"}\n", kind, c->argv[i]);
		else
			puts(c->argv[i]);
	}
	return boxc_flush(c, result);
}

static int snapshot_rm(struct boxc *c)
{
	return remove_each(c, "snapshot", tbx_snapshot_remove);
}

static int snapshot_diff(struct boxc *c)
{
	const char *from = c->argc > 2 ? c->argv[1] : NULL, *to = c->argv[c->argc - 1];
	struct tbx_doc *doc;
	char path[96];
	int status = tbx_snapshot_diff(c->tbx, from, to, &doc);

	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	for (size_t i = 0; i < tbx_doc_count(doc, "changes"); i++) {
		boxc_cell(at(doc, path, "changes", i, "change"), 8, false);
		boxc_cell(at(doc, path, "changes", i, "path"), 0, true);
	}
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

static int snapshot_export(struct boxc *c)
{
	int status = tbx_snapshot_export(c->tbx, c->argv[1], c->argv[2]);

	if (status)
		return boxc_failed(c, status);
	if (strcmp(c->argv[2], "-") && c->json)
		printf("{\"snapshot\":\"%s\",\"state\":\"exported\"}\n", c->argv[1]);
	else if (strcmp(c->argv[2], "-"))
		puts(c->argv[2]);
	return boxc_flush(c, 0);
}

static int snapshot_import(struct boxc *c)
{
	struct tbx_target target = {0};
	struct tbx_doc *doc;
	int status = boxc_target(c, &target);

	if (status)
		return status;
	status = tbx_snapshot_import(c->tbx, c->argv[1], &target, &doc);
	return status ? boxc_failed(c, status) : boxc_made(c, doc);
}

/* A word that is no box; with how many operands behind it. */
struct sub {
	const char *name;
	int (*run)(struct boxc *c);
	int least, most;	/* -1: any number */
	unsigned takes;		/* options that not all of them have */
};

enum { TAKES_LABEL = 1, TAKES_VERIFY = 2, TAKES_QUIET = 4, TAKES_TARGET = 8, TAKES_FROM = 16 };

/* Nothing is accepted and not heeded. */
static const char *not_taken(const struct boxc *c, unsigned takes)
{
	bool target = c->host || c->port || c->identity || c->known_hosts || c->config || c->accept_new_key;
	const struct {
		bool given;
		unsigned takes;
		const char *name;
	} options[] = {
		{ c->label, TAKES_LABEL, "--label" }, { c->memory_too, TAKES_LABEL, "--memory" },
		{ c->verify, TAKES_VERIFY, "--verify" }, { c->quiet, TAKES_QUIET, "--quiet" },
		{ target, TAKES_TARGET, "a --host" }, { c->from, TAKES_FROM, "--from" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].given && !(takes & options[i].takes))
			return options[i].name;
	return NULL;
}

static int run_sub(struct boxc *c, const struct sub *s)
{
	int n = c->argc - 1;

	if (not_taken(c, s->takes))
		return boxc_usage(c, "%s: has no use for %s", s->name, not_taken(c, s->takes));
	if (n < s->least)
		return boxc_usage(c, "%s: missing operand", s->name);
	if (s->most >= 0 && n > s->most)
		return boxc_usage(c, "%s: extra operand '%s'", s->name, c->argv[s->most + 1]);
	return s->run(c);
}

static int create_word(struct boxc *c)
{
	return snapshot_create(c, 1);
}

int boxc_snapshot(struct boxc *c)
{
	static const struct sub subs[] = {
		{ "create", create_word, 1, 1, TAKES_LABEL }, { "ls", snapshot_ls, 0, 0, TAKES_QUIET },
		{ "list", snapshot_ls, 0, 0, TAKES_QUIET }, { "inspect", snapshot_inspect, 1, -1, TAKES_VERIFY },
		{ "rm", snapshot_rm, 1, -1, 0 }, { "diff", snapshot_diff, 1, 2, 0 },
		{ "export", snapshot_export, 2, 2, 0 }, { "import", snapshot_import, 1, 1, TAKES_TARGET },
	};

	for (size_t i = 0; i < sizeof(subs) / sizeof(*subs); i++)
		if (!strcmp(c->argv[0], subs[i].name))
			return run_sub(c, &subs[i]);
	if (not_taken(c, TAKES_LABEL))
		return boxc_usage(c, "a snapshot that is taken has no use for %s", not_taken(c, TAKES_LABEL));
	return snapshot_create(c, 0);
}

/* ---- fork ---- */

int boxc_fork(struct boxc *c)
{
	struct tbx_fork opt = TBX_FORK_INIT;
	struct tbx_doc *doc;
	char path[96];
	uint64_t n = 1;
	int status;

	if (c->count && (num_u64(c->count, &n) != NUM_OK || !n || n > UINT32_MAX))
		return boxc_usage(c, "--count '%s': must be a number, 1 or more", c->count);
	if (c->ttl && (!tbx_duration(c->ttl, &opt.ttl) || !opt.ttl))
		return boxc_usage(c, "--ttl '%s': not a span of time; 90s, 5m and 2h are some", c->ttl);
	opt.count = (uint32_t)n;
	opt.name = c->name;
	opt.persistent = c->persistent;
	opt.memory = c->memory_too;
	status = tbx_fork(c->tbx, c->argv[0], &opt, &doc);
	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	for (size_t i = 0; i < tbx_doc_count(doc, "boxes"); i++)
		boxc_cell(at(doc, path, "boxes", i, "id"), 0, true);
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

/* ---- template ---- */

static int template_save(struct boxc *c)
{
	struct tbx_doc *doc;
	int status;

	if (!c->from)
		return boxc_usage(c, "save needs --from BOX or --from SNAPSHOT");
	status = tbx_template_save(c->tbx, c->argv[1], c->from, &doc);
	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	boxc_cell(tbx_doc_text(doc, "name"), 16, false);
	boxc_cell(tbx_doc_text(doc, "snapshot"), 0, true);
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

static int template_ls(struct boxc *c)
{
	static const char *const words[] = { "NAME", "SNAPSHOT", "SANDBOX", NULL };
	static const int widths[] = { 16, 12, 0 };
	struct tbx_doc *doc;
	char path[96];
	int status = tbx_template_list(c->tbx, &doc);

	if (status)
		return boxc_failed(c, status);
	if (c->json)
		return boxc_print(c, doc);
	head(words, widths);
	for (size_t i = 0; i < tbx_doc_count(doc, "templates"); i++) {
		boxc_cell(at(doc, path, "templates", i, "name"), widths[0], false);
		boxc_cell(at(doc, path, "templates", i, "snapshot"), widths[1], false);
		boxc_cell(at(doc, path, "templates", i, "sandbox"), 0, true);
	}
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

static int template_rm(struct boxc *c)
{
	return remove_each(c, "template", tbx_template_remove);
}

int boxc_template(struct boxc *c)
{
	static const struct sub subs[] = {
		{ "save", template_save, 1, 1, TAKES_FROM }, { "ls", template_ls, 0, 0, 0 },
		{ "list", template_ls, 0, 0, 0 }, { "rm", template_rm, 1, -1, 0 },
	};

	for (size_t i = 0; i < sizeof(subs) / sizeof(*subs); i++)
		if (!strcmp(c->argv[0], subs[i].name))
			return run_sub(c, &subs[i]);
	return boxc_usage(c, "'%s': use save, ls or rm", c->argv[0]);
}
