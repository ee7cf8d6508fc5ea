/*
 * Finding the next patch in the file: what kind it is, which file it is for,
 * whether it makes or removes that file, and whether it looks reversed.
 */
#include "cmd/patch.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What has been seen on the way to the first hunk. */
struct seeking {
	bool need_header, extended;
	size_t line_at, previous_at, command_at;	/* SIZE_MAX: no command yet */
	uint64_t command_line;
	char command;			/* ed's first */
	bool is_command, was_command, is_stars, was_stars;
	size_t indent, indent_before;	/* of this line, and the one before */
	bool cr;
};

/* ---- Git's headers ---- */

static uint32_t fetch_mode(const char *s)
{
	uint32_t mode = 0;

	while (is_space(*s))
		s++;
	for (; *s >= '0' && *s <= '7' && mode < 01000000; s++)
		mode = mode * 8 + (uint32_t)(*s - '0');
	return *s == '\n' || *s == '\r' ? mode : 0;
}

static void git_names(struct patch *t, const char *s)
{
	const char *u;

	t->name[PATCH_OLD] = patch_parse_name(t, s, &u);
	t->name[PATCH_NEW] = t->name[PATCH_OLD] && is_space(*u) ? patch_parse_name(t, u, &u) : NULL;
	if (t->name[PATCH_NEW]) {
		while (is_space(*u))
			u++;
		if (!*u)
			return;
	}
	t->name[PATCH_OLD] = t->name[PATCH_NEW] = NULL;
}

static size_t hex_digits(const char *s)
{
	return strspn(s, "0123456789abcdef");
}

/* 0: it exists. The empty file's digest says that it seems not to. */
static int sha1_nonexistent(const char *sha1)
{
	static const char empty[] = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

	if (strspn(sha1, "0") == strlen(sha1))
		return 2;
	return !strncmp(sha1, empty, strlen(sha1)) ? 1 : 0;
}

static bool git_index(struct patch *t, const char *s)
{
	size_t n = hex_digits(s), m;
	const char *behind;

	if (!n || s[n] != '.' || s[n + 1] != '.')
		return false;
	m = hex_digits(s + n + 2);
	behind = s + n + 2 + m;
	if (!m || (*behind && !is_space(*behind)))
		return false;
	t->side[PATCH_OLD].sha1 = tsb_strndup(t->p, s, n);
	t->side[PATCH_NEW].sha1 = tsb_strndup(t->p, s + n + 2, m);
	for (int f = 0; f < 2; f++)
		t->side[f].nonexistent = sha1_nonexistent(t->side[f].sha1);
	while (is_space(*behind))
		behind++;
	if (*behind)
		t->side[PATCH_OLD].mode = t->side[PATCH_NEW].mode = fetch_mode(behind);
	return true;
}

/* A line of git's extended header: true if it is one. */
static bool git_line(struct patch *t, const char *s)
{
	struct patch_side *old = &t->side[PATCH_OLD], *new = &t->side[PATCH_NEW];

	if (starts(s, "index "))
		return git_index(t, s + 6);
	if (starts(s, "old mode ")) {
		old->mode = fetch_mode(s + 9);
	} else if (starts(s, "new mode ")) {
		new->mode = fetch_mode(s + 9);
	} else if (starts(s, "deleted file mode ")) {
		old->mode = fetch_mode(s + 18);
		new->nonexistent = 2;
	} else if (starts(s, "new file mode ")) {
		new->mode = fetch_mode(s + 14);
		old->nonexistent = 2;
	} else if (starts(s, "rename from ")) {
		old->rename = true;
	} else if (starts(s, "rename to ")) {
		new->rename = true;
	} else if (starts(s, "copy from ")) {
		old->copy = true;
	} else if (starts(s, "copy to ")) {
		new->copy = true;
	} else {
		return false;
	}
	return true;
}

/* ---- Other headers ---- */

static void prereq_line(struct patch *t, const char *s)
{
	size_t n;

	while (is_space(*s))
		s++;
	for (n = 0; s[n] && !is_space(s[n]); n++)
		;
	t->prereq = n ? tsb_strndup(t->p, s, n) : NULL;
	if (s[n + strspn(s + n, " \t\n\v\f\r")])
		patch_say(t, "Prereq: with multiple words at line %llu of patch\n",
			  (unsigned long long)t->line);
}

/* "--- name", perhaps in mail that was quoted by "- ". */
static void dashes_line(struct patch *t, const char *s, struct seeking *k)
{
	struct patch_side side = { 0 };
	const char *at = s;

	while (at[0] == '-' && at[1] == ' ')
		at += 2;
	if (!starts(at, "--- "))
		return;
	side.stamp = t->side[PATCH_NEW].stamp;
	patch_fetch_name(t, at + 4, &t->name[PATCH_NEW], &side);
	k->need_header = false;
	t->side[PATCH_NEW].stamp = side.stamp;
	if (side.has_time) {
		t->side[PATCH_NEW].has_time = true;
		t->side[PATCH_NEW].time = side.time;
		t->nesting = (int)((at - s) >> 1);
	}
	t->strip_cr = k->cr;
}

/* Names that "---" and "+++" lines gave are kept the wrong way round until it
 * is known that the patch is a unified one. */
static void header_line(struct patch *t, const char *s, struct seeking *k)
{
	if (!k->was_stars && starts(s, "*** ")) {
		patch_fetch_name(t, s + 4, &t->name[PATCH_OLD], &t->side[PATCH_OLD]);
		k->need_header = false;
	} else if (starts(s, "+++ ")) {
		patch_fetch_name(t, s + 4, &t->name[PATCH_OLD], &t->side[PATCH_OLD]);
		k->need_header = false;
		t->strip_cr = k->cr;
	} else if (starts(s, "Index:")) {
		patch_fetch_name(t, s + 6, &t->name[PATCH_INDEX], NULL);
		k->need_header = false;
		t->strip_cr = k->cr;
	} else if (starts(s, "Prereq:")) {
		prereq_line(t, s + 7);
	} else if (starts(s, "diff --git ")) {
		git_names(t, s + 11);
		t->git = true;
		k->need_header = false;
	} else if (t->git && git_line(t, s)) {
		k->extended = true;
	} else {
		dashes_line(t, s, k);
	}
}

/* ---- First hunks ---- */

static enum patch_type found(struct patch *t, size_t at, uint64_t line, enum patch_type type)
{
	t->start = at;
	t->start_line = line;
	return type;
}

static void swap_sides(struct patch *t)
{
	struct patch_side *a = &t->side[PATCH_OLD], *b = &t->side[PATCH_NEW], side = *a;
	char *name = t->name[PATCH_OLD];

	t->name[PATCH_OLD] = t->name[PATCH_NEW];
	t->name[PATCH_NEW] = name;
	a->time = b->time;
	a->has_time = b->has_time;
	a->stamp = b->stamp;
	b->time = side.time;
	b->has_time = side.has_time;
	b->stamp = side.stamp;
}

/* An empty side: surely nonexistent if its time is the epoch. */
static void says_empty(struct patch *t, int f)
{
	const struct patch_side *side = &t->side[f];

	t->side[f].nonexistent = side->has_time && !side->time.sec ? 2 : 1;
}

static bool is_zero(const char *s)
{
	return s[0] == '0' && (s[1] < '0' || s[1] > '9');
}

static enum patch_type unified_found(struct patch *t, const char *s, struct seeking *k)
{
	swap_sides(t);
	s += 4;
	if (is_zero(s))
		says_empty(t, PATCH_OLD);
	s += strcspn(s, " \n");
	s += strspn(s, " ");
	if (*s == '+' && is_zero(s + 1))
		says_empty(t, PATCH_NEW);
	t->indent = k->indent;
	return found(t, k->line_at, t->line, PATCH_UNIFIED);
}

/* The first hunk is read to see whether nothing is left of the file. */
static enum patch_type context_found(struct patch *t, const char *s, struct seeking *k)
{
	size_t base = t->base;
	uint64_t base_line = t->base_line, line = t->line - 1;
	enum patch_type type, asked = t->type;

	if (is_zero(s + 4))
		says_empty(t, PATCH_OLD);
	t->indent = k->indent;
	t->strip_cr = k->cr;
	type = t->buf.n >= 2 && t->buf.p[t->buf.n - 2] == '*' ? PATCH_NEW_CONTEXT : PATCH_CONTEXT;
	found(t, k->previous_at, line, type);
	t->at = k->previous_at;
	t->line = line - 1;
	t->type = type;
	if (patch_read_hunk(t, false) && !t->hunk.new.n && t->hunk.newfirst == 1)
		says_empty(t, PATCH_NEW);
	t->type = asked;
	patch_next_at(t, base, base_line);
	return type;
}

static bool wanted(const struct patch *t, enum patch_type type)
{
	return t->type == PATCH_NONE || t->type == type;
}

/* Does the line begin the hunks? PATCH_NONE: not. */
static enum patch_type hunk_line(struct patch *t, const char *s, struct seeking *k)
{
	if (wanted(t, PATCH_ED) && k->command_at != SIZE_MAX && !strcmp(s, ".\n"))
		return found(t, k->command_at, k->command_line, PATCH_ED);
	if (wanted(t, PATCH_UNIFIED) && starts(s, "@@ -"))
		return unified_found(t, s, k);
	k->is_stars = starts(s, "********");
	if ((wanted(t, PATCH_CONTEXT) || t->type == PATCH_NEW_CONTEXT) && k->was_stars &&
	    k->indent == k->indent_before && starts(s, "*** "))
		return context_found(t, s, k);
	if (wanted(t, PATCH_NORMAL) && k->was_command && (starts(s, "< ") || starts(s, "> "))) {
		t->indent = k->indent;
		return found(t, k->previous_at, t->line - 1, PATCH_NORMAL);
	}
	return PATCH_NONE;
}

/* "3,5c7" of a normal patch. */
static bool is_normal_command(const char *s)
{
	if (*s < '0' || *s > '9')
		return false;
	s += strspn(s, "0123456789,");
	if (*s != 'a' && *s != 'c' && *s != 'd')
		return false;
	s += 1 + strspn(s + 1, "0123456789,");
	s += strspn(s, " \t");
	s += *s == '\r';
	return *s == '\n';
}

static const char *skip_indent(const char *s, size_t *indent)
{
	for (*indent = 0; *s == ' ' || *s == '\t' || *s == 'X'; s++)
		*indent = *s == '\t' ? (*indent + 8) & ~(size_t)7 : *indent + 1;
	return s;
}

static void note_command(struct patch *t, const char *s, struct seeking *k)
{
	char letter;

	k->is_command = is_normal_command(s);
	if (k->need_header || k->command_at != SIZE_MAX)
		return;
	letter = patch_ed_letter(s);
	if (!letter && !k->is_command)
		return;
	k->command_at = k->line_at;
	k->command_line = t->line;
	k->command = letter;
	t->indent = k->indent;
	t->strip_cr = k->cr;
}

/* The end of the file: deletions only are a script of ed's, headers of git's a
 * patch without hunks. */
static enum patch_type seek_end(struct patch *t, struct seeking *k)
{
	if (k->command)
		return found(t, k->command_at, k->command_line, PATCH_ED);
	return found(t, k->line_at, t->line, k->extended ? PATCH_UNIFIED : PATCH_NONE);
}

static enum patch_type seek(struct patch *t, struct seeking *k)
{
	for (;;) {
		enum patch_type type;
		const char *s;

		k->previous_at = k->line_at;
		k->was_command = k->is_command;
		k->was_stars = k->is_stars;
		k->indent_before = k->indent;
		k->line_at = t->at;
		if (!patch_raw_line(t))
			return seek_end(t, k);
		k->cr = t->buf.n >= 2 && t->buf.p[t->buf.n - 2] == '\r';
		s = skip_indent(t->buf.p, &k->indent);
		note_command(t, s, k);
		if (starts(s, "diff --git ") && k->extended)
			return found(t, k->line_at, t->line, PATCH_UNIFIED);
		if (t->git && starts(s, "GIT binary patch"))
			return found(t, k->line_at, t->line, PATCH_GIT_BINARY);
		header_line(t, s, k);
		if (k->need_header)
			continue;
		type = hunk_line(t, s, k);
		if (type != PATCH_NONE)
			return type;
	}
}

/* ---- Which file ---- */

static void set_file_type(struct patch *t)
{
	uint32_t old = t->side[PATCH_OLD].mode & S_IFMT, new = t->side[PATCH_NEW].mode & S_IFMT;

	if (old)
		t->file_type = new && new != old ? 0 : old;
	else
		t->file_type = new ? new : S_IFREG;
}

bool patch_ok_to_reverse(struct patch *t, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	if (t->forward || !(t->force && t->verbosity == PATCH_SILENT))
		patch_say(t, "%s", s.p);
	if (t->forward) {
		patch_say(t, "  Skipping patch.\n");
		t->skip_rest = true;
	} else if (t->force) {
		if (t->verbosity != PATCH_SILENT)
			patch_say(t, "  Applying it anyway.\n");
	} else if (t->batch) {
		patch_say(t, t->reverse ? "  Ignoring -R.\n" : "  Assuming -R.\n");
		return true;
	} else {
		patch_ask(t, t->reverse ? "  Ignore -R? [n] " : "  Assume -R? [n] ");
		patch_ask(t, "Apply anyway? [n] ");
		if (t->verbosity != PATCH_SILENT)
			patch_say(t, "Skipping patch.\n");
		t->skip_rest = true;
	}
	return false;
}

/* A file that is to be made exists, or one that is to go does not. */
static bool maybe_reverse(struct patch *t, const char *name, bool nonexistent, bool empty)
{
	const struct patch_side *side = t->side;
	bool looks = !empty < side[t->reverse ^ empty].nonexistent;

	if (empty && side[t->reverse ^ nonexistent].nonexistent == 1 &&
	    side[!t->reverse ^ nonexistent].nonexistent == 2)
		return false;
	if (looks && patch_ok_to_reverse(t, "The next patch%s would %s the file %s,\nwhich %s!",
					 t->reverse ? ", when reversed," : "",
					 nonexistent ? "delete" : empty ? "empty out" : "create",
					 patch_quote(t, name),
					 nonexistent ? "does not exist" :
					 empty ? "is already empty" : "already exists"))
		t->reverse = !t->reverse;
	return looks;
}

/* Of names for a new file: those that need the fewest new directories. */
static int name_to_make(struct patch *t)
{
	int far[PATCH_NAMES] = { 0 }, least = INT_MAX;

	for (int i = 0; i < PATCH_NAMES; i++) {
		if (!t->name[i])
			continue;
		far[i] = (int)(patch_components(t, t->name[i], false) -
			       patch_components(t, t->name[i], true));
		least = far[i] < least ? far[i] : least;
	}
	for (int i = 0; i < PATCH_NAMES; i++)
		far[i] -= least;
	return patch_best_name(t, far);
}

static bool is_removed(const struct patch *t, const char *name)
{
	for (size_t i = 0; i < t->removed.n; i++)
		if (!strcmp(t->removed.at[i], name))
			return true;
	return false;
}

/* PATCH_NAMES: none. */
static int choose_name(struct patch *t, struct tsb_stat st[PATCH_NAMES], int err[PATCH_NAMES])
{
	int last = PATCH_NAMES, i = PATCH_NAMES;

	if (!t->posix && (t->name[PATCH_OLD] || t->name[PATCH_NEW]))
		t->name[PATCH_INDEX] = NULL;
	for (int n = 0; n < PATCH_NAMES; n++) {
		if (!t->name[n])
			continue;
		err[n] = patch_stat(t, t->name[n], &st[n]);
		if (!err[n] && is_removed(t, t->name[n]))
			err[n] = -ENOENT;
		if (!err[n] && t->posix && patch_name_valid(t, t->name[n])) {
			i = n;
			break;
		}
		last = n;
	}
	if (!t->posix)
		i = patch_best_name(t, err);
	if (last != PATCH_NAMES &&
	    (i == PATCH_NAMES || (st[i].mode & S_IFMT) == t->file_type) &&
	    maybe_reverse(t, t->name[i == PATCH_NAMES ? last : i], i == PATCH_NAMES,
			  i == PATCH_NAMES || !st[i].size) &&
	    i == PATCH_NAMES)
		i = last;
	if (i == PATCH_NAMES && t->side[t->reverse].nonexistent)
		i = name_to_make(t);
	return i;
}

static bool is_moved(const struct patch *t)
{
	return (t->side[0].rename && t->side[1].rename) || (t->side[0].copy && t->side[1].copy);
}

static void choose_file(struct patch *t)
{
	struct tsb_stat st[PATCH_NAMES] = { 0 };
	int err[PATCH_NAMES] = { 0 }, i = PATCH_NAMES;

	if (!t->in_name)
		i = choose_name(t, st, err);
	if (is_moved(t) && !t->in_name &&
	    !(i < 2 && t->name[0] && t->name[1] && patch_name_valid(t, t->name[t->reverse]) &&
	      patch_name_valid(t, t->name[!t->reverse]))) {
		patch_say(t, "Cannot %s file without two valid file names\n",
			  t->side[0].rename && t->side[1].rename ? "rename" : "copy");
		t->skip_rest = true;
	}
	if (i < PATCH_NAMES) {
		t->in_name = t->name[i];
		t->in_error = err[i];
		t->in_st = st[i];
	} else if (t->in_name) {
		t->in_error = patch_stat(t, t->in_name, &t->in_st);
		if (t->in_error || (t->in_st.mode & S_IFMT) == t->file_type)
			maybe_reverse(t, t->in_name, t->in_error != 0,
				      t->in_error || !t->in_st.size);
	} else {
		t->in_error = 1;
	}
}

static enum patch_type intuit(struct patch *t, bool need_header)
{
	struct seeking k = { .need_header = need_header, .command_at = SIZE_MAX };
	enum patch_type type;

	memset(t->name, 0, sizeof(t->name));
	memset(t->side, 0, sizeof(t->side));
	t->invalid[0] = t->invalid[1] = NULL;
	t->git = false;
	t->nesting = 0;
	t->indent = 0;
	if (t->type == PATCH_ED || t->type == PATCH_NORMAL)
		k.need_header = false;
	t->at = t->base;
	t->line = t->base_line ? t->base_line - 1 : 0;
	k.line_at = t->at;
	type = seek(t, &k);
	if (type == PATCH_NONE)
		return type;
	set_file_type(t);
	choose_file(t);
	return type;
}

/* ---- The next one ---- */

static const char *type_text(enum patch_type type)
{
	switch (type) {
	case PATCH_UNIFIED:
		return "a unified diff";
	case PATCH_CONTEXT:
		return "a context diff";
	case PATCH_NEW_CONTEXT:
		return "a new-style context diff";
	case PATCH_NORMAL:
		return "a normal diff";
	case PATCH_GIT_BINARY:
		return "a git binary diff";
	default:
		return "an ed script";
	}
}

/* On to the hunks; the text before them is shown to who has to name a file. */
static void skip_to_hunks(struct patch *t)
{
	if ((t->verbosity == PATCH_VERBOSE || !t->in_name) && t->base < t->start) {
		patch_say(t, "The text leading up to this was:\n--------------------------\n");
		t->at = t->base;
		while (t->at < t->start && patch_raw_line(t))
			patch_say(t, "|%s", t->buf.p);
		patch_say(t, "--------------------------\n");
	}
	t->at = t->start;
	t->line = t->start_line - 1;
}

static void say_found(struct patch *t)
{
	if (t->verbosity == PATCH_SILENT)
		return;
	if (t->indent)
		patch_say(t, "(Patch is indented %zu space%s.)\n", t->indent,
			  t->indent == 1 ? "" : "s");
	if (t->strip_cr)
		patch_say(t, "(Stripping trailing CRs from patch; use --binary to disable.)\n");
	if (t->in_name)
		return;
	patch_say(t, "can't find file to patch at input line %llu\n",
		  (unsigned long long)t->start_line);
	if (t->type != PATCH_ED && t->type != PATCH_NORMAL)
		patch_say(t, t->strip < 0 ?
			  "Perhaps you should have used the -p or --strip option?\n" :
			  "Perhaps you used the wrong -p or --strip option?\n");
}

bool patch_another(struct patch *t, bool need_header)
{
	bool first = !t->base;
	enum patch_type type;

	if (!first && t->base >= t->size) {
		if (t->verbosity == PATCH_VERBOSE)
			patch_say(t, "done\n");
		return false;
	}
	if (t->verbosity == PATCH_VERBOSE)
		patch_say(t, "Hmm...");
	type = intuit(t, need_header);
	if (type == PATCH_NONE) {
		if (t->verbosity == PATCH_VERBOSE)
			patch_say(t, first ?
				  "  I can't seem to find a patch in there anywhere.\n" :
				  "  Ignoring the trailing garbage.\ndone\n");
		if (first && t->size)
			patch_fatal(t, "Only garbage was found in the patch input.");
		return false;
	}
	t->type = type;
	if (t->skip_rest) {
		t->at = t->start;
		t->line = t->start_line - 1;
		return true;
	}
	if (t->verbosity == PATCH_VERBOSE)
		patch_say(t, "  %sooks like %s to me...\n", first ? "L" : "The next patch l",
			  type_text(type));
	if (t->binary)
		t->strip_cr = false;
	say_found(t);
	skip_to_hunks(t);
	if (t->in_name)
		return true;
	if (t->force || t->batch) {
		patch_say(t, "No file to patch.  Skipping patch.\n");
	} else {
		patch_ask(t, "File to patch: ");
		patch_ask(t, "Skip this patch? [y] ");
		if (t->verbosity != PATCH_SILENT)
			patch_say(t, "Skipping patch.\n");
	}
	t->skip_rest = true;
	return true;
}
