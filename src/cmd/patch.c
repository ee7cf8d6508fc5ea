/*
 * patch - apply a diff file to an original.
 *
 * Each patch of the file: its header says which file; its hunks are put where
 * they fit, nearby or with less context if need be; the result replaces the
 * file, what did not fit goes to a file of rejects.
 */
#include "cmd/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/path.h"
#include "cmd/quote.h"
#include "cmd/tempname.h"

static const struct patch patch_defaults = {
	.strip = -1, .fuzz_max = 2, .backup_mismatch = true, .say_fd = 1, .in_error = 1,
};

/* ---- One hunk ---- */

/* The first hunk does not fit: does it as if the patch were reversed? */
static bool try_reversed(struct patch *t, int64_t fuzz, int64_t *where, bool *apply_anyway)
{
	patch_swap(t);
	*where = patch_locate(t, fuzz);
	if (*where && patch_ok_to_reverse(t, "%s patch detected!", t->reverse ? "Unreversed" :
					  "Reversed (or previously applied)")) {
		t->reverse = !t->reverse;
		return true;
	}
	patch_swap(t);
	if (*where)
		*apply_anyway = true;
	return false;
}

struct hunks {
	int count, failed;
	bool mismatch, apply_anyway;
};

/* 0: nowhere. */
static int64_t place_hunk(struct patch *t, struct hunks *k, int64_t *fuzz)
{
	const struct patch_hunk *h = &t->hunk;
	int64_t context = h->prefix > h->suffix ? h->prefix : h->suffix, where = 0;
	int64_t most = t->merge ? 0 : t->fuzz_max < context ? t->fuzz_max : context;

	do {
		where = patch_locate(t, *fuzz);
		if (!where || *fuzz || t->in_offset)
			k->mismatch = true;
		if (k->count == 1 && !where && !t->force && !k->apply_anyway &&
		    t->reverse == t->reverse_given && !try_reversed(t, *fuzz, &where, &k->apply_anyway)) {
			if (where)
				--*fuzz;
			where = 0;
		}
	} while (!t->skip_rest && !where && ++*fuzz <= most);
	return where;
}

static void say_succeeded(struct patch *t, const struct hunks *k, int64_t at, int64_t fuzz)
{
	if (t->merge || t->verbosity == PATCH_SILENT ||
	    (t->verbosity != PATCH_VERBOSE && !fuzz && !t->in_offset))
		return;
	patch_say(t, "Hunk #%d succeeded at %lld", k->count, (long long)at);
	if (fuzz)
		patch_say(t, " with fuzz %lld", (long long)fuzz);
	if (t->in_offset)
		patch_say(t, " (offset %lld line%s)", (long long)t->in_offset,
			  t->in_offset == 1 ? "" : "s");
	patch_say(t, ".\n");
}

static bool ends_crlf(const char *s, size_t n)
{
	return n >= 2 && s[n - 2] == '\r' && s[n - 1] == '\n';
}

/* Does the line of the file there end otherwise than the hunk's first? */
static bool other_endings(struct patch *t, int64_t at)
{
	const patch_lines *lines = t->hunk.old.n ? &t->hunk.old : &t->hunk.new;
	size_t from, n;

	if (at > t->in.n)
		at = t->in.n;
	if (at < 1 || !lines->n || !lines->at[0].n)
		return false;
	from = t->in.line[at - 1];
	n = t->in.line[at] - from;
	return n && ends_crlf(t->in.text + from, n) !=
		ends_crlf(lines->at[0].s, lines->at[0].n);
}

static void one_hunk(struct patch *t, struct hunks *k)
{
	int64_t where = 0, fuzz = 0, at;
	bool done = false;

	k->count++;
	if (!t->skip_rest)
		where = place_hunk(t, k, &fuzz);
	at = (where ? where : t->hunk.first) + t->out_offset;
	if (t->skip_rest)
		done = false;
	else if (t->merge)
		done = patch_merge_hunk(t, k->count, where);
	else if (where && !(where == 1 && t->side[t->reverse].nonexistent == 2 && t->in_st.size))
		done = patch_apply(t, where);
	if (done) {
		say_succeeded(t, k, at, fuzz);
		return;
	}
	patch_reject(t, !k->failed, t->reverse);
	k->failed++;
	if (t->verbosity == PATCH_VERBOSE || (!t->skip_rest && t->verbosity != PATCH_SILENT))
		patch_say(t, "Hunk #%d %s at %lld%s.\n", k->count,
			  t->skip_rest ? "ignored" : "FAILED", (long long)at,
			  !t->skip_rest && other_endings(t, at) ? " (different line endings)" : "");
}

/* ---- One file ---- */

static bool is_renamed(const struct patch *t)
{
	return t->side[0].rename && t->side[1].rename;
}

static bool is_copied(const struct patch *t)
{
	return t->side[0].copy && t->side[1].copy;
}

static const char *output_name(struct patch *t)
{
	if (t->out_name)
		return t->out_name;
	if (t->explicit_name || !(is_renamed(t) || is_copied(t)))
		return t->in_name;
	return t->name[!t->reverse] ? t->name[!t->reverse] : t->in_name;
}

static void say_patching(struct patch *t, const char *out_name)
{
	bool renamed = strcmp(t->in_name, out_name) != 0;
	bool before = !renamed && is_renamed(t) && t->name[0] && t->name[1];

	if (t->verbosity == PATCH_SILENT)
		return;
	patch_say(t, "%s %s %s%c", t->dry_run ? "checking" : "patching",
		  S_ISLNK(t->file_type) ? "symbolic link" : "file", patch_quote(t, out_name),
		  renamed || before ? ' ' : '\n');
	if (renamed)
		patch_say(t, "(%s from %s)\n", is_copied(t) ? "copied" :
			  is_renamed(t) ? "renamed" : "read", t->in_name);
	if (before)
		patch_say(t, "(already renamed from %s)\n", t->name[!strcmp(t->in_name, t->name[0])]);
	if (t->verbosity == PATCH_VERBOSE)
		patch_say(t, "Using Plan A...\n");
}

static void check_writable(struct patch *t)
{
	if (t->read_only == PATCH_RO_IGNORE || t->in_error || S_ISLNK(t->in_st.mode) ||
	    !tsb_access(t->p, t->in_name, TSB_W_OK))
		return;
	patch_say(t, "File %s is read-only; ", patch_quote(t, t->in_name));
	if (t->read_only == PATCH_RO_WARN) {
		patch_say(t, "trying to patch anyway\n");
		return;
	}
	patch_say(t, "refusing to patch\n");
	t->skip_rest = t->failed = true;
}

/* A file that an earlier patch of git's has changed: it is written first. */
static void settle_queue(struct patch *t, const char *out_name)
{
	struct tsb_stat st;

	if (!t->git || patch_stat(t, out_name, &st) || !patch_is_queued(t, out_name))
		return;
	patch_flush_queue(t);
	t->in_error = 1;
}

/* What is set of the new file's times (-T, -Z). */
static void settle_time(struct patch *t, struct patch_output *o, const struct hunks *k)
{
	const struct patch_side *old = &t->side[t->reverse], *new = &t->side[!t->reverse];
	const char *why = NULL;

	if ((!t->set_time && !t->set_utc) || !new->has_time)
		return;
	if (!t->force && !t->in_error && old->nonexistent != 2 && old->has_time &&
	    (old->time.sec != t->in_st.mtime.sec || old->time.nsec != t->in_st.mtime.nsec))
		why = "time";
	else if (!t->force && (k->mismatch || k->failed))
		why = "contents";
	if (why) {
		patch_say(t, "Not setting time of file %s (%s mismatch)\n",
			  patch_quote(t, o->name), why);
		return;
	}
	o->has_time = true;
	o->time = new->time;
}

static bool changes_mode(const struct patch *t)
{
	uint32_t mode = t->side[!t->reverse].mode;

	return mode && mode != t->side[t->reverse].mode;
}

/* No hunk went in: the file stays as it is, and only its backup is made. */
static bool is_unchanged(const struct patch *t, const struct hunks *k)
{
	return k->count && k->failed == k->count && !t->merge && !t->in_error && !t->git &&
	       S_ISREG(t->in_st.mode) && !changes_mode(t) && !is_renamed(t) && !is_copied(t);
}

static void store_output(struct patch *t, const char *out_name, const struct hunks *k, bool backup)
{
	struct patch_output o = { .name = out_name, .backup = backup };

	o.mode = t->file_type | ((changes_mode(t) ? t->side[!t->reverse].mode : t->in_st.mode) & 0777);
	o.has_from = !t->in_error;
	o.from = t->in_st;
	settle_time(t, &o, k);
	o.text = str_take(&t->out, &o.n);
	if (t->git && t->side[t->reverse].nonexistent != 2)
		patch_queue(t, &o);
	else
		patch_write(t, &o);
	if (is_renamed(t) && !t->explicit_name && strcmp(t->in_name, out_name) != 0) {
		o.name = t->in_name;
		o.remove = true;
		patch_queue(t, &o);
	}
}

/* The result takes the file's place, or the file goes. */
static void place_output(struct patch *t, const char *out_name, struct hunks *k)
{
	bool backup = t->backup || (t->backup_mismatch && (k->mismatch || k->failed));
	int gone = t->side[!t->reverse].nonexistent;

	if (t->out_empty && (t->remove_empty || (gone == 2 && !t->posix) ||
			     S_ISLNK(t->file_type))) {
		struct patch_output o = { .name = out_name, .backup = backup, .remove = true,
					  .mode = t->in_st.mode };

		if (!t->dry_run)
			patch_queue(t, &o);
		return;
	}
	if (!t->out_empty && gone == 2 && (t->remove_empty || !t->posix) &&
	    !(t->merge && t->failed)) {
		k->mismatch = t->failed = true;
		if (t->verbosity != PATCH_SILENT)
			patch_say(t, "Not deleting file %s as content differs from patch\n",
				  patch_quote(t, out_name));
	}
	if (t->dry_run)
		return;
	if (!is_unchanged(t, k) || strcmp(t->in_name, out_name) != 0)
		store_output(t, out_name, k, backup);
	else if (backup)
		patch_keep(t, out_name);
}

/* ---- Rejects ---- */

static const char *reject_name(struct patch *t, const char *out_name)
{
	return t->reject_name ? t->reject_name : tsb_format(t->p, "%s.rej", out_name);
}

static void write_reject_file(struct patch *t, const char *name, bool append)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
	int fd;

	if (!append && !t->reject_name)
		tsb_unlink(t->p, name);
	fd = tsb_open(t->p, name, flags, 0666);
	if (fd < 0)
		patch_pfatal(t, fd, "Can't create file %s", patch_quote(t, name));
	tsb_write_all(t->p, fd, t->rejects.p, t->rejects.n);
	tsb_close(t->p, fd);
}

static void write_rejects(struct patch *t, const char *name)
{
	bool append = t->reject_name && t->rejects_made;

	for (size_t i = 0; i < t->rejected.n; i++)
		append |= !strcmp(t->rejected.at[i], name);
	write_reject_file(t, name, append);
	*vec_add(tsb_heap_of(t->p), &t->rejected) = name;
	t->rejects_made = true;
}

static void say_rejects(struct patch *t, const char *out_name, const struct hunks *k)
{
	const char *name;

	if (!k->failed)
		return;
	t->failed = true;
	if (t->unsafe)
		return;
	patch_say(t, "%d out of %d hunk%s %s", k->failed, k->count, k->count == 1 ? "" : "s",
		  t->skip_rest ? "ignored" : "FAILED");
	if (!out_name || (t->reject_name && !strcmp(t->reject_name, "-")) || t->dry_run) {
		patch_say(t, "\n");
		return;
	}
	name = reject_name(t, out_name);
	patch_say(t, " -- saving rejects to file %s\n", patch_quote(t, name));
	write_rejects(t, name);
}

/* ---- The loop ---- */

static void start_output(struct patch *t)
{
	str_init(&t->out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_init(&t->rejects, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	t->out_empty = t->out_newline = true;
	t->frozen = t->in_offset = t->out_offset = 0;
	memset(&t->in, 0, sizeof(t->in));
}

static void run_ed(struct patch *t)
{
	if (t->skip_rest)
		t->failed = true;
	else
		patch_scan(t);
	patch_ed(t);
}

/* A place that takes no new file is found out before anything is said. */
static void may_make(struct patch *t, const char *out_name)
{
	char letters[7] = "";

	if (t->dry_run || !out_name || tsb_access(t->p, path_dir(t->p, out_name), W_OK) != -EACCES)
		return;
	tempname_fill(t->p, letters, 6);
	patch_pfatal(t, -EACCES, "Can't create temporary file %s.o%s", out_name, letters);
}

static void run_hunks(struct patch *t, const char *out_name, struct hunks *k)
{
	if (!t->skip_rest && t->type == PATCH_GIT_BINARY) {
		patch_say(t, "File %s: git binary diffs are not supported.\n",
			  patch_quote(t, out_name));
		t->skip_rest = t->failed = true;
	}
	if (!t->skip_rest) {
		patch_scan(t);
		may_make(t, out_name);
		say_patching(t, out_name);
	}
	while (patch_read_hunk(t, t->reverse))
		one_hunk(t, k);
	if (!t->skip_rest && !patch_copy_till(t, t->in.n)) {
		patch_say(t, "Skipping patch.\n");
		t->skip_rest = true;
	}
}

static void one_patch(struct patch *t)
{
	struct hunks k = { .apply_anyway = t->merge != 0 };
	const char *out_name = NULL;

	if (t->had_git != t->git) {
		if (t->had_git) {
			patch_flush_queue(t);
			t->in_error = 1;
		}
		t->had_git = t->git;
	}
	start_output(t);
	if (!t->skip_rest) {
		out_name = output_name(t);
		settle_queue(t, out_name);
		if (!patch_get_input(t, t->in_name, out_name))
			t->skip_rest = t->failed = true;
		else
			check_writable(t);
	}
	if (t->type == PATCH_ED)
		run_ed(t);
	else
		run_hunks(t, out_name, &k);
	t->failed |= t->skip_rest;
	if (!t->skip_rest && t->out_name)
		str_addn(&t->all_out, t->out.p, t->out.n);
	else if (!t->skip_rest)
		place_output(t, out_name, &k);
	if (t->type != PATCH_ED)
		say_rejects(t, out_name, &k);
}

static void next_patch(struct patch *t)
{
	if (!t->explicit_name)
		t->in_name = NULL;
	t->in_error = 1;
	t->type = PATCH_NONE;
	t->prereq = NULL;
	t->reverse = t->reverse_given;
	t->skip_rest = t->unsafe = false;
	str_end(&t->out);
	str_end(&t->rejects);
}

static int open_all_output(struct patch *t)
{
	int fd = tsb_open(t->p, t->out_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		patch_pfatal(t, fd, "Can't create file %s", patch_quote(t, t->out_name));
	return fd;
}

static void write_all_output(struct patch *t)
{
	int fd = 1;

	if (!t->out_name)
		return;
	if (strcmp(t->out_name, "-") != 0)
		fd = open_all_output(t);
	tsb_flush(t->p);
	tsb_write_all(t->p, fd, t->all_out.p, t->all_out.n);
}

/* With an input and an output name, no patch at all is a copy. */
static void copy_unpatched(struct patch *t)
{
	t->type = PATCH_UNIFIED;
	t->file_type = S_IFREG;
	t->at = t->size;
	one_patch(t);
}

static void run_patches(struct patch *t)
{
	bool any = false;

	if (t->out_name && strcmp(t->out_name, "-") != 0)
		tsb_close(t->p, open_all_output(t));
	patch_read_text(t);
	t->base_line = 1;
	while (patch_another(t, !t->in_name && !t->posix)) {
		any = true;
		one_patch(t);
		next_patch(t);
	}
	if (!any && t->explicit_name && t->out_name)
		copy_unpatched(t);
	write_all_output(t);
	patch_flush_queue(t);
	patch_remove_queued(t);
}

/* ---- Options together ---- */

/* A word for a kind of backup; "" is the default. */
static int set_versions(struct patch *t, const char *word, const char *context)
{
	static const char list[] = "Valid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n"
				   "  - 'existing', 'nil'\n  - 'numbered', 't'\n";
	static const struct {
		const char *word;
		enum backup_type type;
	} words[] = {
		{ "none", BACKUP_NONE }, { "off", BACKUP_NONE }, { "simple", BACKUP_SIMPLE },
		{ "never", BACKUP_SIMPLE }, { "existing", BACKUP_EXISTING },
		{ "nil", BACKUP_EXISTING }, { "numbered", BACKUP_NUMBERED }, { "t", BACKUP_NUMBERED },
	};
	size_t n = strlen(word);

	t->versions.type = BACKUP_EXISTING;
	if (!n)
		return 0;
	for (size_t i = 0; i < 8; i++)
		if (!strncmp(words[i].word, word, n) && (n > 1 || words[i].word[1] != 'o' ||
							 *word != 'n')) {
			t->versions.type = words[i].type;
			return 0;
		}
	tsb_warn(t->p, "%s argument '%s' for '%s'", n == 1 && *word == 'n' ? "ambiguous" : "invalid",
		 word, context);
	tsb_write_all(t->p, 2, list, sizeof(list) - 1);
	return DIFF_TROUBLE;
}

/* -V, or what the environment says. */
static int prepare_versions(struct patch *t)
{
	const char *suffix = tsb_getenv(t->p, "SIMPLE_BACKUP_SUFFIX");
	const char *own = tsb_getenv(t->p, "PATCH_VERSION_CONTROL");
	const char *common = tsb_getenv(t->p, "VERSION_CONTROL");

	t->versions.suffix = suffix && *suffix ? suffix : ".orig";
	if (t->control)
		return set_versions(t, t->control, "--version-control or -V option");
	if (own)
		return set_versions(t, own, "$PATCH_VERSION_CONTROL");
	return set_versions(t, common ? common : "", "$VERSION_CONTROL");
}

static int prepare(struct patch *t, const struct opt_parsed *parsed)
{
	int status;

	if (parsed->argc > 2)
		return diffutils_try(t->p, "%s: extra operand", parsed->argv[2]);
	if (parsed->argc > 0) {
		t->in_name = parsed->argv[0];
		t->explicit_name = true;
	}
	if (parsed->argc > 1)
		t->patch_name = parsed->argv[1];
	t->reverse_given = t->reverse;
	status = t->backup || t->backup_mismatch ? prepare_versions(t) : 0;
	if (status)
		return status;
	if (t->out_name && !strcmp(t->out_name, "-"))
		t->say_fd = 2;
	zone_init(&t->zone, t->set_utc ? "UTC" : tsb_getenv(t->p, "TZ"));
	str_init(&t->all_out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	return 0;
}

/* What the environment sets can be changed by options. */
static struct patch *with_environment(struct tsb_proc *p, struct patch *t)
{
	const char *style = tsb_getenv(p, "QUOTING_STYLE");

	*t = patch_defaults;
	t->posix = tsb_getenv(p, "POSIXLY_CORRECT") != NULL;
	t->backup_mismatch = !t->posix;
	t->quoting = QUOTE_SHELL;
	if (style)
		quote_style_named(style, &t->quoting);
	return t;
}

static int patch_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_command cmd = cmd_patch;
	struct opt_parsed parsed;
	struct patch *t;
	int status;

	(void)opts;
	cmd.defaults = with_environment(p, tsb_alloc(p, sizeof(*t)));
	if (!diffutils_parse(p, &cmd, argc, argv, &parsed, &status))
		return status;
	t = parsed.opts;
	t->p = p;
	status = prepare(t, &parsed);
	if (status)
		return status;
	run_patches(t);
	return t->failed;
}

const struct tsb_command cmd_patch = {
	.version = TSB_COMMAND_VERSION, CMD_GNU("patch", "2.7.6"), .name = "patch",
	.synopsis = "[OPTION]... [ORIGFILE [PATCHFILE]]",
	.summary = "apply a diff file to an original", .opts = patch_opts,
	.opts_size = sizeof(struct patch), .defaults = &patch_defaults, .run = patch_run,
	.flags = TSB_RAW, .usage_status = DIFF_TROUBLE,
};
