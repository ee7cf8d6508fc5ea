/*
 * What each of tar's options sets, and what they come to together.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/mode.h"
#include "cmd/tar/options.h"
#include "cmd/util.h"
#include "text/datefmt.h"
#include "text/parsedate.h"

static struct tar *tar_of(struct tsb_proc *p, void *opts)
{
	struct tar *t = opts;

	t->p = p;
	return t;
}

int tar_opt_action(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	(void)arg;
	if (t->action && t->action != opt->value)
		tar_usage(t, "You may not specify more than one '-Acdtrux', '--delete' or  "
			  "'--test-label' option");
	t->action = opt->value;
	return 0;
}

static void tar_set_compress(struct tar *t, const char *program)
{
	if (t->compress && strcmp(t->compress, program))
		tar_usage(t, "Conflicting compression options");
	t->compress = program;
}

int tar_opt_compress(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct { int value; const char *program; } programs[] = {
		{ 'j', "bzip2" }, { 'z', "gzip" }, { 'Z', "compress" }, { 'l', "lzip" },
		{ 'L', "xz" }, { 'o', "lzop" }, { 'J', "xz" }, { 's', "zstd" },
	};

	(void)arg;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (programs[i].value == opt->value)
			tar_set_compress(tar_of(p, opts), programs[i].program);
	return 0;
}

static int tar_switch_more(struct tar *t, int value)
{
	switch (value) {
	case 0x120:
		t->format = TAR_V7;
		break;
	case 0x121:
		t->format = TAR_PAX;
		break;
	case 0x122:
		t->auto_compress = false;
		break;
	case 0x123:
		tsb_puts(t->p, "--format=gnu -f- -b20 --quoting-style=escape "
			 "--rmt-command=/usr/sbin/rmt --rsh-command=/usr/bin/rsh\n");
		tsb_exit(t->p, 0);
	case 0x130: case 0x131:
		t->null_files = value == 0x130;
		break;
	case 0x132: case 0x133:
		t->unquote = value == 0x132;
		break;
	case 0x134: case 0x135:
		t->verbatim_files = value == 0x134;
		break;
	case 0x136: case 0x137:
		t->no_recursion = value == 0x137;
		break;
	}
	return 0;
}

static void tar_show_ranges(struct tar *t)
{
	tsb_puts(t->p, "This tar's snapshot file field ranges are\n"
		 "   (field name      => [ min, max ]):\n\n"
		 "    nfs             => [ 0, 1 ],\n"
		 "    timestamp_sec   => [ -9223372036854775808, 9223372036854775807 ],\n"
		 "    timestamp_nsec  => [ 0, 999999999 ],\n"
		 "    dev             => [ 0, 18446744073709551615 ],\n"
		 "    ino             => [ 0, 18446744073709551615 ],\n\n");
	tsb_exit(t->p, 0);
}

int tar_opt_switch(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	(void)arg;
	if (opt->value >= 0x130 && opt->value <= 0x137)
		tar_positional(t, opt->long_name, NULL);
	switch (opt->value) {
	case 'v':
		t->verbose++;
		t->warnings |= TAR_W_VERBOSE;
		break;
	case 'o':
		t->o_option = true;
		break;
	case 0x100: case 0x101:
		t->check_device = opt->value == 0x101;
		break;
	case 'W':
		t->verify = true;
		break;
	case 0x102:
		t->ignore_command_error = false;
		break;
	case 0x103: case 0x104:
		t->same_owner = opt->value == 0x103;
		break;
	case 0x105: case 0x106:
		t->same_mode = opt->value == 0x105;
		break;
	case 0x140:
		tar_show_ranges(t);
		break;
	case 0x107:
		t->delay_dirs = false;
		break;
	case 0x110:	/* there are none in our filesystems, but the format is pax's */
	case 0x112:
		t->pax_given = true;
		if (!t->pax_only || !strcmp(opt->long_name, "acls"))
			t->pax_only = opt->long_name;
		break;
	}
	return tar_switch_more(t, opt->value);
}

int tar_opt_match(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	tar_positional(t, opt->long_name, arg);
	switch (opt->value) {
	case 'a': t->match |= TAR_MATCH_ANCHORED; break;
	case 'A': t->match &= ~(unsigned)TAR_MATCH_ANCHORED; t->include_unanchored = true; break;
	case 'i': t->match |= TAR_MATCH_ICASE; break;
	case 'I': t->match &= ~(unsigned)TAR_MATCH_ICASE; break;
	case 'w': t->wildcards = 1; break;
	case 'W': t->wildcards = 0; break;
	case 's': t->match &= ~(unsigned)TAR_MATCH_NO_SLASH; break;
	case 'S': t->match |= TAR_MATCH_NO_SLASH; break;
	}
	return 0;
}

static void tar_exclude_names(struct tar *t, const char *const *names, unsigned match)
{
	for (; *names; names++)
		tar_add_exclude(t, *names, match, NULL);
}

static void tar_add_tag(struct tar *t, const char *name, enum tar_tag_kind kind, bool cachedir)
{
	t->tags.at = util_grow(t->p, t->tags.at, t->tags.n, &t->tags.cap, sizeof(*t->tags.at));
	t->tags.at[t->tags.n++] = (struct tar_tag){ name, kind, cachedir, t->names.n };
}

static void tar_add_ignore(struct tar *t, const char *file, unsigned match, bool recursive)
{
	t->ignores.at = util_grow(t->p, t->ignores.at, t->ignores.n, &t->ignores.cap,
				  sizeof(*t->ignores.at));
	t->ignores.at[t->ignores.n++] = (struct tar_ignore){ file, match, recursive, t->names.n };
}

int tar_opt_exclude(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const vcs[] = {
		"CVS", ".cvsignore", "RCS", "SCCS", ".git", ".gitignore", ".gitattributes",
		".gitmodules", ".svn", ".arch-ids", "{arch}", "=RELEASE-ID",
		"=meta-update", "=update", ".bzr", ".bzrignore", ".bzrtags", ".hg", ".hgignore",
		".hgtags", "_darcs", NULL
	};
	static const char *const backups[] = { ".#*", "*~", "#*#", NULL };
	static const char *const ignores[] = { ".cvsignore", ".gitignore", ".bzrignore",
					       ".hgignore", NULL };
	static const char tag[] = "CACHEDIR.TAG";
	struct tar *t = tar_of(p, opts);

	tar_positional(t, opt->long_name, arg);
	switch (opt->value) {
	case 'e': tar_add_exclude(t, arg, tar_exclude_match(t), NULL); break;
	case 'X': tar_exclude_from(t, arg); break;
	case 'c': tar_add_tag(t, tag, TAR_TAG_CONTENTS, true); break;
	case 'u': tar_add_tag(t, tag, TAR_TAG_UNDER, true); break;
	case 'A': tar_add_tag(t, tag, TAR_TAG_ALL, true); break;
	case 't': tar_add_tag(t, arg, TAR_TAG_CONTENTS, false); break;
	case 'U': tar_add_tag(t, arg, TAR_TAG_UNDER, false); break;
	case 'T': tar_add_tag(t, arg, TAR_TAG_ALL, false); break;
	case 'i': tar_add_ignore(t, arg, TAR_MATCH_WILDCARDS, false); break;
	case 'I': tar_add_ignore(t, arg, TAR_MATCH_WILDCARDS, true); break;
	case 'v': tar_exclude_names(t, vcs, 0); break;
	case 'b': tar_exclude_names(t, backups, TAR_MATCH_WILDCARDS); break;
	case 'V':
		for (size_t i = 0; ignores[i]; i++)
			tar_add_ignore(t, ignores[i], TAR_MATCH_WILDCARDS, i && i < 3);
		break;
	}
	return 0;
}

int tar_opt_old_files(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const names[] = {
		[TAR_OLD_DEFAULT] = "overwrite-dir", [TAR_OLD_NO_OVERWRITE_DIR] = "no-overwrite-dir",
		[TAR_OLD_OVERWRITE] = "overwrite", [TAR_OLD_UNLINK] = "unlink-first",
		[TAR_OLD_KEEP] = "keep-old-files", [TAR_OLD_SKIP] = "skip-old-files",
		[TAR_OLD_KEEP_NEWER] = "keep-newer-files",
	};
	struct tar *t = tar_of(p, opts);

	(void)arg;
	if (t->old_files_set && t->old_files != opt->value)
		tar_usage(t, "'--%s' cannot be used with '--%s'", names[opt->value],
			  names[t->old_files]);
	t->old_files_set = true;
	t->old_files = opt->value;
	return 0;
}

int tar_opt_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);
	uint64_t n = 1;
	enum num_result r = arg ? num_suffixed(arg, opt->value == 'R' ? "bBcGkKMPTw" : "", &n)
				: NUM_OK;

	if (r == NUM_OK && arg && (*arg < '0' || *arg > '9'))
		r = NUM_INVALID;
	switch (opt->value) {
	case 'o':
		if (r != NUM_OK)
			tar_fatal(t, "%s: Invalid number", arg);
		t->occurrence = n;
		break;
	case 'b':
		if (r != NUM_OK || !n || n > (1u << 21))
			tar_usage(t, "%s: Invalid blocking factor", tar_quote_colon(t, arg));
		t->record_size = (size_t)n * TAR_BLOCK;
		break;
	case 'R':
		if (r != NUM_OK || !n || n > (1u << 30))
			tar_usage(t, "%s: Invalid record size", tar_quote_colon(t, arg));
		if (n % TAR_BLOCK)
			tar_usage(t, "Record size must be a multiple of %d.", TAR_BLOCK);
		t->record_size = (size_t)n;
		break;
	default:
		if (r != NUM_OK)
			tar_usage(t, "%s: Invalid number of elements", tar_quote_colon(t, arg));
		t->strip = n;
		break;
	}
	return 0;
}

/* "invalid argument ‘x’ for ‘--sort’" and what would be valid. */
static void tar_bad_word_as(struct tar *t, const char *how, const char *option, const char *arg,
			    const char *valid)
{
	struct str text;

	tar_say(t, "%s argument %s for %s", how, tar_quote_word(t, arg),
		tar_quote_word(t, option));
	str_init(&text, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_adds(&text, "Valid arguments are:");
	while (*valid) {
		size_t n = strcspn(valid, " ,");
		bool same = valid[n] == ',';

		if (text.p[text.n - 1] != ' ')
			str_adds(&text, "\n  - ");
		str_addf(&text, "‘%.*s’%s", (int)n, valid, same ? ", " : "");
		valid += n + (valid[n] != 0);
	}
	str_addc(&text, '\n');
	tsb_write_all(t->p, 2, text.p, text.n);
	tsb_exit(t->p, 2);
}

static void tar_bad_word(struct tar *t, const char *option, const char *arg, const char *valid)
{
	tar_bad_word_as(t, "invalid", option, arg, valid);
}

static const char tar_warning_words[] =
	"all alone-zero-block bad-dumpdir cachedir contiguous-cast file-changed file-ignored "
	"file-removed file-shrank file-unchanged filename-with-nuls ignore-archive ignore-newer "
	"new-directory rename-directory symlink-cast timestamp unknown-cast unknown-keyword xdev "
	"decompress-program existing-file xattr-write record-size failed-read";

static void tar_set_warning(struct tar *t, const char *arg)
{
	bool off = !strncmp(arg, "no-", 3);
	const char *word = off ? arg + 3 : arg, *at = tar_warning_words;
	size_t len = strlen(word);
	unsigned bit = 0, found = 0;
	bool ambiguous = false, exact = false;

	if (!strcmp(arg, "none")) {
		t->warnings = 0;
		return;
	}
	for (unsigned i = 0; *at; i++) {
		size_t n = strcspn(at, " ");

		bit = i ? 1u << (i - 1) : TAR_W_ALL;
		if (n >= len && !strncmp(at, word, len) && len) {
			ambiguous |= found != 0;
			exact |= n == len;
			found = found && n != len ? found : bit;
		}
		at += n + (at[n] != 0);
	}
	if (!found || (ambiguous && !exact))
		tar_bad_word_as(t, found ? "ambiguous" : "invalid", "--warning", word,
				tar_warning_words);
	t->warnings = off ? t->warnings & ~found : t->warnings | found;
}

static bool tar_prefix(const char *arg, const char *word)
{
	return *arg && !strncmp(word, arg, strlen(arg));
}

/* A word for --backup or of $VERSION_CONTROL: the beginning of one kind's names. */
static void tar_check_backup(struct tar *t, const char *option, const char *arg)
{
	static const char valid[] = "none,off simple,never existing,nil numbered,t";
	unsigned kind = 0, seen = 0;

	for (const char *at = valid; arg && *arg && *at; ) {
		size_t n = strcspn(at, " ,");

		if (strlen(arg) == n && !strncmp(arg, at, n))
			return;
		if (tar_prefix(arg, tsb_strndup(t->p, at, n)))
			seen |= 1u << kind;
		kind += at[n] == ' ';
		at += n + (at[n] != 0);
	}
	if (arg && *arg && (!seen || (seen & (seen - 1))))
		tar_bad_word_as(t, seen ? "ambiguous" : "invalid", option, arg, valid);
}

/* --totals=SIGNAL: whenever it comes. */
static void tar_set_signal(struct tar *t, const char *arg)
{
	static const struct { const char *name; int signal; } signals[] = {
		{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "QUIT", SIGQUIT }, { "INT", SIGINT },
		{ "HUP", SIGHUP },
	};
	const char *name = strncmp(arg, "SIG", 3) ? arg : arg + 3;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (strcmp(signals[i].name, name))
			continue;
		t->totals_signal = signals[i].signal;
		tsb_signal(t->p, t->totals_signal, TSB_SIG_CATCH);
		return;
	}
	tar_fatal(t, "Unknown signal name: %s", arg);
}

int tar_opt_word(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	switch (opt->value) {
	case 'a':
		if (arg && !tar_prefix(arg, "replace") && !tar_prefix(arg, "system"))
			tar_bad_word(t, "--atime-preserve", arg, "replace system");
		t->atime_preserve = true;
		break;
	case 'h':
		if (!tar_prefix(arg, "raw") && !tar_prefix(arg, "seek"))
			tar_bad_word(t, "--hole-detection", arg, "raw seek");
		t->sparse = true;
		break;
	case 's':
		t->sort = tar_prefix(arg, "none") ? 0 : tar_prefix(arg, "name") ? 'n' : 'i';
		if (t->sort == 'i' && !tar_prefix(arg, "inode"))
			tar_bad_word(t, "--sort", arg, "none name inode");
		break;
	case 'b':
		tar_check_backup(t, "--backup", arg && *arg ? arg : "");
		backup_option(p, &t->backup, &(struct tsb_opt){ .value = 'B' }, arg);
		break;
	case 'T':
		if (arg)
			tar_set_signal(t, arg);
		else
			t->totals = true;
		break;
	case 'q':
		if (!quote_style_named(arg, &t->quoting))
			tar_fatal(t, "Unknown quoting style '%s'. Try 'tar --quoting-style=help' to get "
				  "a list.", arg);
		break;
	default:
		tar_set_warning(t, arg);
		break;
	}
	return 0;
}

static void tar_set_sparse_version(struct tar *t, const char *arg)
{
	char *rest = NULL;
	uint64_t major = 0, minor = 0;
	const char *dot = strchr(arg, '.');
	bool bad = num_u64(tsb_strndup(t->p, arg, dot ? (size_t)(dot - arg) : strlen(arg)),
			   &major) != NUM_OK;

	(void)rest;
	bad |= dot && num_u64(dot + 1, &minor) != NUM_OK;
	if (bad || major > 9 || minor > 9)
		tar_usage(t, "Invalid sparse version value");
	t->sparse = true;
	t->sparse_major = (unsigned)major;
	t->sparse_minor = (unsigned)minor;
	t->sparse_version_set = true;
}

int tar_opt_text(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	switch (opt->value) {
	case 's': tar_set_sparse_version(t, arg); break;
	case '1': t->one_top_level_given = true; t->one_top_level = arg; break;
	case 'M':
		t->mode = mode_compile(p, arg);
		if (!t->mode)
			tar_fatal(t, "Invalid mode given on option");
		break;
	case 'f': t->archive = arg; t->n_archives++; break;
	case 'x': tar_pax_option(t, arg); t->pax_given = true; break;
	case 'I': tar_set_compress(t, arg); break;
	case 'g': t->snapshot = arg; t->incremental = true; break;
	case 'K': t->starting_file = arg; tar_add_name(t, arg, false); break;
	case 'l':
		t->level_given = true;
		if (*arg < '0' || *arg > '9')
			tar_usage(t, "Invalid incremental level value");
		t->level_zero = !arg[strspn(arg, "0")];
		break;
	case '~': t->backup.wanted = true; t->backup.suffix = arg; break;
	case 't': tar_add_xform(t, arg); break;
	case '+': t->quote_more = arg; break;
	case '-': t->quote_less = arg; break;
	case 'i': case 'e':
		t->pax_given = true;
		t->pax_only = t->pax_only ? t->pax_only : "xattrs";
		break;
	}
	return 0;
}

int tar_opt_owner(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	if (opt->value == 'O')
		t->owner_map = tar_map_read(t, arg, false);
	else if (opt->value == 'G')
		t->group_map = tar_map_read(t, arg, true);
	else
		tar_owner_option(t, arg, opt->value == 'g');
	return 0;
}

int tar_opt_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct { const char *name; int format; } formats[] = {
		{ "v7", TAR_V7 }, { "oldgnu", TAR_OLDGNU }, { "ustar", TAR_USTAR },
		{ "posix", TAR_PAX }, { "pax", TAR_PAX }, { "gnu", TAR_GNU },
	};
	struct tar *t = tar_of(p, opts);

	(void)opt;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(formats[i].name, arg))
			continue;
		t->format = formats[i].format;
		return 0;
	}
	tar_usage(t, "%s: Invalid archive format", tar_quote_colon(t, arg));
	return 0;
}

int tar_opt_checkpoint(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	if (opt->value == 'a') {
		tar_checkpoint_add(t, arg);
		t->checkpoint = t->checkpoint ? t->checkpoint : 10;
		return 0;
	}
	t->checkpoint = 10;
	if (!arg)
		return 0;
	if (*arg == '.') {
		tar_checkpoint_add(t, ".");
		arg++;
	}
	if (num_u64(arg, &t->checkpoint) != NUM_OK)
		tar_fatal(t, "--checkpoint value is not an integer");
	return 0;
}

int tar_opt_name(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	if (opt->value == 'C') {
		tar_add_name(t, arg, true);
	} else if (opt->value == 'a') {
		tar_add_name(t, tar_unquote(t, arg), false);
	} else {
		tar_files_from(t, arg);
		t->files_option = true;
		t->trailing.n = 0;
	}
	return 0;
}

/* ---- Dates ---- */

static bool tar_is_path(const char *s)
{
	return *s == '/' || *s == '.';
}

static void tar_date_said(struct tar *t, const char *option, const char *text, struct tsb_time when)
{
	struct str out;
	struct date_moment moment;
	struct zone zone;
	struct tsb_time back = { 0, 0 };

	zone_init(&zone, tsb_getenv(t->p, "TZ"));
	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (!date_moment(&moment, when.sec, when.nsec, &zone))
		return;
	date_format(&out, "%Y-%m-%d %H:%M:%S", 17, &moment);
	if (parsedate(text, when.sec, when.nsec, &zone, &back.sec, &back.nsec) && when.nsec) {
		str_addf(&out, ".%09d", when.nsec);
		while (out.p[out.n - 1] == '0')
			str_cut(&out, out.n - 1);
	}
	if (!strcmp(out.p, text))
		return;
	t->date_notes = util_grow(t->p, t->date_notes, t->n_date_notes, &t->cap_date_notes,
				  sizeof(*t->date_notes));
	t->date_notes[t->n_date_notes++] = tsb_format(t->p, "Option %s: Treating date '%s' as %s",
						      option, text, out.p);
}

static struct tsb_time tar_date(struct tar *t, const char *option, const char *text)
{
	struct tsb_time now = tsb_clock(t->p, TSB_CLOCK_REAL), out = { 0, 0 };
	struct tsb_stat st;
	struct zone zone;
	int err;

	if (tar_is_path(text)) {
		err = tsb_stat(t->p, text, &st);
		if (err < 0) {
			tar_cannot(t, "stat", text, err);
			tar_usage(t, "Date sample file not found");
		}
		return st.mtime;
	}
	zone_init(&zone, tsb_getenv(t->p, "TZ"));
	if (!parsedate(text, now.sec, now.nsec, &zone, &out.sec, &out.nsec)) {
		tar_say(t, "Substituting %s for unknown date format %s", "-9223372036854775807",
			tar_quote_word(t, text));
		out = (struct tsb_time){ INT64_MIN, 0 };
	} else {
		tar_date_said(t, option, text, out);
	}
	return out;
}

int tar_opt_date(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct tar *t = tar_of(p, opts);

	if (opt->value == 'm') {
		t->mtime = tar_date(t, "--mtime", arg);
		t->mtime_set = true;
		return 0;
	}
	if (t->newer_set)
		tar_usage(t, "More than one threshold date");
	t->newer = tar_date(t, opt->value == 'n' ? "--newer-mtime" : "--after-date", arg);
	t->newer_set = true;
	t->newer_ctime = opt->value == 'N';
	return 0;
}

/* ---- All together ---- */

static void tar_settle_format(struct tar *t)
{
	if (t->o_option && t->action == TAR_CREATE && !t->format)
		t->format = TAR_V7;
	if (t->o_option && t->action != TAR_CREATE)
		t->same_owner = 0;
	if (t->pax_only && t->format && t->format != TAR_PAX &&
	    (t->action == TAR_CREATE || t->action == TAR_APPEND || t->action == TAR_UPDATE ||
	     t->action == TAR_CAT || t->action == TAR_DELETE))
		tar_usage(t, "--%s can be used only on POSIX archives", t->pax_only);
	if (!t->format)
		t->format = t->pax_given ? TAR_PAX : TAR_GNU;
	if (t->label && t->format != TAR_OLDGNU && t->format != TAR_GNU && t->format != TAR_PAX)
		tar_usage(t, "GNU features wanted on incompatible archive format");
	if (t->pax_given && t->pax && t->format != TAR_PAX && t->action == TAR_CREATE)
		tar_usage(t, "--pax-option can be used only on POSIX archives");
	if (t->sparse && !t->sparse_version_set)
		t->sparse_major = 1;
}

static void tar_settle_compress(struct tar *t)
{
	const char *program;

	if (t->compress || !t->auto_compress || !t->archive || t->action != TAR_CREATE)
		return;
	program = tar_compressor_of(t->archive);
	if (program)
		t->compress = program;
}

static void tar_settle_top_level(struct tar *t)
{
	static const char *const ends[] = { ".tar", ".gz", ".tgz", ".taz", ".Z", ".taZ", ".bz2",
		".tbz", ".tbz2", ".tz2", ".lz", ".lzma", ".tlz", ".lzo", ".xz", ".txz", ".zst",
		".tzst", NULL };
	const char *base;
	size_t n;

	if (!t->one_top_level_given || t->one_top_level)
		return;
	if (!t->archive || !strcmp(t->archive, "-"))
		tar_usage(t, "Cannot deduce top-level directory name; please set it explicitly with "
			  "--one-top-level=DIR");
	base = strrchr(t->archive, '/');
	base = base ? base + 1 : t->archive;
	n = strlen(base);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; ends[i]; i++) {
			size_t len = strlen(ends[i]);

			if (n > len && !strncmp(base + n - len, ends[i], len) &&
			    (round == 0 || i == 0)) {
				n -= len;
				round += i == 0;
				break;
			}
		}
	if (n == strlen(base))
		tar_usage(t, "Cannot deduce top-level directory name; please set it explicitly with "
			  "--one-top-level=DIR");
	t->one_top_level = tsb_strndup(t->p, base, n);
}

static bool tar_has_names(const struct tar *t)
{
	for (size_t i = 0; i < t->names.n; i++)
		if (t->names.at[i].kind == TAR_NAME_FILE)
			return true;
	return t->files_option;
}

static void tar_settle_verify(struct tar *t)
{
	if (!t->verify || !t->action)
		return;
	if (t->compress)
		tar_usage(t, "Cannot verify compressed archives");
	if (!t->archive || !strcmp(t->archive, "-"))
		tar_fatal(t, "Cannot verify stdin/stdout archive");
}

static const char *tar_action_name(const struct tar *t)
{
	static const struct { int action; const char *name; } names[] = {
		{ TAR_CREATE, "-c" }, { TAR_APPEND, "-r" }, { TAR_UPDATE, "-u" }, { TAR_CAT, "-A" },
		{ TAR_DELETE, "-D" }, { TAR_LIST, "-t" }, { TAR_EXTRACT, "-x" }, { TAR_DIFF, "-d" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].action == t->action)
			return names[i].name;
	return t->action ? "--test-label" : "unknown?";
}

/* Options that only reading has, or only writing. */
static void tar_settle_action(struct tar *t)
{
	bool reads = t->action == TAR_LIST || t->action == TAR_EXTRACT || t->action == TAR_DIFF ||
		     t->action == TAR_TEST_LABEL;
	bool appends = t->action == TAR_APPEND || t->action == TAR_UPDATE || t->action == TAR_CAT;
	const char *wrong = (reads || !t->action) && t->verify ? "--verify"
			    : !reads && t->starting_file ? "--starting-file"
			    : !reads && t->same_order ? "--same-order" : NULL;

	if (wrong)
		tar_usage(t, "'%s' cannot be used with '%s'", wrong, tar_action_name(t));
	if (appends && (!t->archive || !strcmp(t->archive, "-")))
		tar_usage(t, "Options '-Aru' are incompatible with '-f -'");
	if (appends && tar_pax_has_global(t))
		tar_usage(t, "can't update global extended header record");
	if (t->snapshot && t->newer_set)
		tar_usage(t, "'--listed-incremental' cannot be used with '--newer'");
	if (t->level_given && !t->snapshot)
		tar_say(t, "--level is meaningless without --listed-incremental");
	/* There is no network: no other machine has an archive. */
	if (t->archive && !t->force_local && strchr(t->archive, ':') &&
	    strcspn(t->archive, ":") > 0 && strcspn(t->archive, ":") < strcspn(t->archive, "/")) {
		tar_say(t, "Cannot connect to %s: resolve failed",
			tsb_strndup(t->p, t->archive, strcspn(t->archive, ":")));
		tsb_exit(t->p, 128);
	}
}

void tar_settle(struct tar *t)
{
	if (t->n_archives > 1 && !t->multi_volume)
		tar_usage(t, "Multiple archive files require '-M' option");
	tar_settle_compress(t);
	tar_settle_format(t);
	if ((t->sparse || t->incremental) && t->format != TAR_GNU && t->format != TAR_OLDGNU && t->format != TAR_PAX)
		tar_usage(t, "GNU features wanted on incompatible archive format");
	tar_settle_verify(t);
	if (t->compress && (t->action == TAR_APPEND || t->action == TAR_UPDATE ||
			    t->action == TAR_CAT || t->action == TAR_DELETE))
		tar_usage(t, t->action == TAR_CAT ? "Cannot concatenate compressed archives"
						  : "Cannot update compressed archives");
	tar_settle_action(t);
	if (t->clamp_mtime && !t->mtime_set)
		tar_usage(t, "--clamp-mtime needs a date specified using --mtime");
	if (t->occurrence && !tar_has_names(t))
		tar_usage(t, "--occurrence is meaningless without a file list");
	if (t->occurrence && (t->action < TAR_DELETE || t->action == TAR_UPDATE))
		tar_usage(t, "'--occurrence' cannot be used with '%s'", tar_action_name(t));
	tar_settle_top_level(t);
	/* With --utc times are asked for. */
	if (t->utc)
		t->verbose = 2;
	for (size_t i = 0; (t->verbose || t->action == TAR_LIST) && i < t->n_date_notes; i++)
		tar_say(t, "%s", t->date_notes[i]);
	if (t->action == TAR_CREATE && !tar_has_names(t) && !t->label)
		tar_usage(t, "Cowardly refusing to create an empty archive");
	if (!t->action)		/* whatever else is wrong has been said before */
		tar_usage(t, "You must specify one of the '-Acdtrux', '--delete' or '--test-label' "
			  "options");
	if (t->same_owner < 0)
		t->same_owner = !tsb_getuid(t->p);
	if (t->same_mode < 0)
		t->same_mode = !tsb_getuid(t->p);
	if (t->backup.wanted && (!t->backup.control || !*t->backup.control))
		tar_check_backup(t, "$VERSION_CONTROL", tsb_getenv(t->p, "VERSION_CONTROL"));
	if (t->backup.wanted || t->backup.control)
		backup_prepare(t->p, &t->backup);
	if (t->recursive_unlink)
		t->old_files = TAR_OLD_UNLINK;
}
