/*
 * unzip, zipinfo - list, test and extract files of zip archives.
 */
#include "cmd/zip/unzip.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

static const char unzip_usage_text[] =
	"UnZip 6.00 of 20 April 2009, by Debian. Original by Info-ZIP.\n\n"
	"Usage: unzip [-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]\n"
	"  -p to a pipe, -c with names; -l, -v list; -t test; -z comment; -T set the time;\n"
	"  -f freshen, -u update; -x exclude; -d directory; modifiers: -n never overwrite,\n"
	"  -o always overwrite, -q quiet, -a text, -j junk paths, -C ignore case, -L lower\n"
	"  case, -X owners, -K mode bits, -B backups, -P password, -: allow \"../\"\n";

void unzip_status(struct unzip *u, int status)
{
	if (status > u->status)
		u->status = status;
}

void unzip_err(struct unzip *u, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	tsb_flush(u->p);
	str_init(&text, tsb_heap_of(u->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	/* What is tested or listed in full says its errors among the rest. */
	tsb_write_all(u->p, u->test || (u->zipinfo && u->format != '1' && u->format != '2') ? 1 : 2,
		      text.p, text.n);
	str_end(&text);
}

static void unzip_usage(struct unzip *u, int status)
{
	tsb_flush(u->p);
	tsb_write_all(u->p, status ? 2 : 1, unzip_usage_text, sizeof(unzip_usage_text) - 1);
	tsb_exit(u->p, status);
}

void unzip_date(struct unzip *u, const struct zip_entry *e, struct civil *c)
{
	uint32_t d = e->dos_time;

	if (e->has_ut && civil_from(e->mtime.sec, zone_offset(&u->z.zone, e->mtime.sec, NULL, NULL),
				    c))
		return;
	*c = (struct civil){ .year = 1980 + (d >> 25), .month = (int)(d >> 21 & 15),
			     .day = (int)(d >> 16 & 31), .hour = (int)(d >> 11 & 31),
			     .minute = (int)(d >> 5 & 63), .second = (int)(d & 31) * 2 };
}

bool unzip_wants(struct unzip *u, struct zip_entry *e)
{
	bool wanted = !u->n_names;

	for (size_t i = 0; i < u->n_names && !wanted; i++) {
		wanted = zip_match(u->p, u->names[i], e->name, u->icase, u->no_slash);
		u->matched[i] |= wanted;
	}
	for (size_t i = 0; i < u->n_excluded && wanted; i++)
		wanted = !zip_match(u->p, u->excluded[i], e->name, u->icase, u->no_slash);
	return wanted;
}

/* ---- Options ---- */

static void unzip_info_letter(struct unzip *u, int c, bool off)
{
	switch (c) {
	case '1': case '2': case 's': case 'm': case 'l': case 'v':
		u->format = off ? 0 : c;
		break;
	case 'h': u->header = !off; break;
	case 't': u->trailer = !off; break;
	case 'z': u->show_comment = !off; break;
	case 'T': u->decimal = !off; break;
	case 'C': u->icase = !off; break;
	case 'M': case 'U': case 'O': case 'I': case 'Z': break;
	default: unzip_usage(u, UNZIP_PARAM);
	}
}

static bool unzip_letter_more(struct unzip *u, int c, bool off)
{
	switch (c) {
	case 'q': u->quiet += off ? -1 : 1; break;
	case 'v': u->verbose += off ? -1 : 1; break;
	case 'a': u->text += off ? -1 : 1; break;
	case 'b': u->text = 0; break;
	case 'C': u->icase = !off; break;
	case 'L': u->lower = !off; break;
	case 'B': u->backup = !off; break;
	case 'D': u->no_times |= u->dir_times; u->dir_times = true; break;
	case ':': u->dotdot = !off; break;
	case 'K': u->keep_bits = !off; break;
	case 'X': u->owners = !off; break;
	case 'W': u->no_slash = !off; break;
	case 'T': u->stamp = !off; break;
	case 'z': u->comment_only = !off; break;
	case 'Z': u->zipinfo = true; break;
	/* About terminals, other systems' names and spaces: nothing of that here. */
	case 'M': case 'V': case 's': case 'U': case 'F': case 'i': case '2': case '^': break;
	default: return false;
	}
	return true;
}

static void unzip_letter(struct unzip *u, int c, bool off)
{
	switch (c) {
	case 'l': u->list = !off; break;
	case 't': u->test = !off; break;
	case 'c': u->to_stdout = !off; break;
	case 'p': u->pipe = !off; break;
	case 'f': u->freshen = u->update = !off; break;
	case 'u': u->update = !off; break;
	case 'j': u->junk = !off; break;
	case 'n': u->never = !off; break;
	case 'o': u->always = !off; break;
	case 'x': break;	/* to extract: what is done anyway */
	case 'h': unzip_usage(u, 0); break;
	default:
		if (!unzip_letter_more(u, c, off))
			unzip_usage(u, UNZIP_PARAM);
	}
}

/* One argument of options; those with an argument may take the next. */
static char **unzip_options(struct unzip *u, char **argv)
{
	bool off = false;

	for (const char *at = *argv; *at; at++) {
		const char **to = *at == 'd' ? &u->exdir : *at == 'P' ? &u->password
				  : *at == 'O' || *at == 'I' ? &(const char *){ NULL } : NULL;

		if (*at == '-') {
			off = true;
			continue;
		}
		if (u->zipinfo && *at != 'Z') {
			unzip_info_letter(u, *at, off);
			off = false;
			continue;
		}
		if (to) {
			if (!at[1] && !argv[1])
				unzip_usage(u, UNZIP_PARAM);
			*to = at[1] ? at + 1 : *++argv;
			break;
		}
		unzip_letter(u, *at, off);
		off = false;
	}
	return argv + 1;
}

static void unzip_names(struct unzip *u, char **argv, size_t n)
{
	bool exclude = false;

	u->names = tsb_alloc(u->p, (n + 1) * sizeof(*u->names));
	u->excluded = tsb_alloc(u->p, (n + 1) * sizeof(*u->excluded));
	u->matched = tsb_alloc(u->p, n + 1);
	for (; *argv; argv++) {
		if (!strcmp(*argv, "-x")) {
			exclude = true;
		} else if (!strncmp(*argv, "-d", 2)) {
			if (!(*argv)[2] && !argv[1])
				unzip_usage(u, UNZIP_PARAM);
			u->exdir = (*argv)[2] ? *argv + 2 : *++argv;
			exclude = false;
		} else if (exclude) {
			u->excluded[u->n_excluded++] = *argv;
		} else {
			u->names[u->n_names++] = *argv;
		}
	}
}

/* ---- Archives ---- */

static void unzip_show_comment(struct unzip *u)
{
	size_t n;

	if (!u->z.n_comment)
		return;
	n = strlen(u->z.comment);	/* up to a NUL */
	tsb_put(u->p, u->z.comment, n);
	if (!n || u->z.comment[n - 1] != '\n')
		tsb_putc(u->p, '\n');
}

static bool unzip_is_list(const struct unzip *u)
{
	return u->list || (u->verbose && !u->test && !u->to_stdout && !u->pipe);
}

static void unzip_set_stamp(struct unzip *u)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME };

	for (size_t i = 0; i < u->z.n; i++)
		if (util_time_cmp(set.mtime, u->z.entries[i].mtime) < 0)
			set.mtime = u->z.entries[i].mtime;
	set.atime = tsb_clock(u->p, TSB_CLOCK_REAL);
	if (!tsb_setattr(u->p, u->archive, &set, true) && u->quiet < 1)
		tsb_printf(u->p, "Updated time stamp for %s.\n", u->archive);
}

static void unzip_unmatched(struct unzip *u)
{
	for (size_t i = 0; i < u->n_names; i++) {
		if (u->matched[i])
			continue;
		if (!unzip_is_list(u) && !u->zipinfo)
			unzip_err(u, "caution: filename not matched:  %s\n", u->names[i]);
		unzip_status(u, UNZIP_NO_MATCH);
	}
}

void unzip_warn_front(struct unzip *u)
{
	if (!u->z.in_front)
		return;
	unzip_err(u, "warning [%s]:  %lld extra byte%s at beginning or within zipfile\n"
		  "  (attempting to process anyway)\n", u->archive, (long long)u->z.in_front,
		  u->z.in_front == 1 ? "" : "s");
	unzip_status(u, UNZIP_WARN);
}

static void unzip_archive(struct unzip *u)
{
	bool show = u->zipinfo ? u->format != '1' && u->format != '2' && u->header
			       : !u->pipe && u->quiet < 1 && !u->stamp &&
				 !(u->to_stdout && u->quiet);

	if (show)
		tsb_printf(u->p, "Archive:  %s\n", u->archive);
	if (u->comment_only || (u->zipinfo ? u->show_comment : show))
		unzip_show_comment(u);
	if (u->comment_only)
		return;
	if (!u->zipinfo)
		unzip_warn_front(u);
	if (u->stamp)
		unzip_set_stamp(u);
	else if (u->zipinfo)
		unzip_info(u);
	else if (unzip_is_list(u))
		unzip_list(u);
	else
		unzip_extract(u);
	unzip_unmatched(u);
}

static int unzip_try(struct unzip *u, const char *name)
{
	struct tsb_stat st;
	int fd;

	if (tsb_stat(u->p, name, &st) || S_ISDIR(st.mode))
		return -1;
	fd = tsb_open(u->p, name, O_RDONLY, 0);
	if (fd < 0)
		unzip_err(u, "error:  cannot open zipfile [ %s ]\n        %s\n", name, tsb_strerror(fd));
	u->archive = name;
	return fd;
}

static void unzip_say_archive(struct unzip *u)
{
	if (u->zipinfo ? u->format != '1' && u->format != '2' : u->quiet < 1 && !u->pipe)
		tsb_printf(u->p, "Archive:  %s\n", u->archive);
}

static void unzip_none(struct unzip *u, const char *name, const char *last)
{
	unzip_err(u, "%s:  cannot find zipfile directory in one of %s or\n        %s%s.zip, and "
		  "cannot find %s.ZIP, period.\n", u->zipinfo ? "zipinfo" : "unzip", name,
		  u->zipinfo ? "  " : "", name, last);
}

static void unzip_no_directory(struct unzip *u, const char *name)
{
	unzip_say_archive(u);
	if (u->zipinfo || u->quiet > 0 || u->pipe)
		unzip_err(u, "[%s]\n", u->archive);
	unzip_err(u, "  End-of-central-directory signature not found.  Either this file is not\n"
		  "  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"
		  "  latter case the central directory and zipfile comment will be found on\n"
		  "  the last disk(s) of this archive.\n");
	unzip_status(u, UNZIP_NO_ZIP);
	if (!u->pipe && !u->wild)
		unzip_none(u, name, name);
}

/* The directory is said to be where the file does not reach. */
static void unzip_missing(struct unzip *u)
{
	unzip_say_archive(u);
	if (u->zipinfo)
		tsb_printf(u->p, "Zip file size: %llu bytes, number of entries: %llu\n",
			   (unsigned long long)u->z.size, (unsigned long long)u->z.n_said);
	unzip_err(u, "error [%s]:  missing %lld bytes in zipfile\n  (attempting to process anyway)\n",
		  u->archive, (long long)-u->z.in_front);
	unzip_err(u, "error [%s]:  attempt to seek before beginning of zipfile\n"
		  "  (please check that you have transferred or created the zipfile in the\n"
		  "  appropriate BINARY mode and that you have compiled UnZip properly)\n",
		  u->archive);
	unzip_status(u, UNZIP_BAD_ZIP);
}

static void unzip_empty(struct unzip *u)
{
	unzip_say_archive(u);
	if (u->comment_only)
		return;
	if (!u->zipinfo)
		unzip_err(u, "warning [%s]:  zipfile is empty\n", u->archive);
	else if (u->format != '1' && u->format != '2')
		tsb_printf(u->p, "Zip file size: %llu bytes, number of entries: 0\n",
			   (unsigned long long)u->z.size);
	if (u->zipinfo)
		tsb_puts(u->p, "Empty zipfile.\n");
	unzip_status(u, UNZIP_WARN);
}

static void unzip_open(struct unzip *u, const char *name)
{
	int fd = unzip_try(u, name);
	enum zip_status status;

	if (fd < 0)
		fd = unzip_try(u, tsb_format(u->p, "%s.zip", name));
	if (fd < 0)
		fd = unzip_try(u, tsb_format(u->p, "%s.ZIP", name));
	if (fd < 0) {
		unzip_err(u, "%s:  cannot find or open %s, %s.zip or %s.ZIP.\n",
			  u->zipinfo ? "zipinfo" : "unzip", name, name, name);
		unzip_status(u, UNZIP_NO_ZIP);
		return;
	}
	status = zip_read(&u->z, u->p, fd);
	if (status == ZIP_NO_END) {
		unzip_no_directory(u, name);
	} else if (status == ZIP_BAD) {
		unzip_say_archive(u);
		unzip_err(u, "error [%s]:  start of central directory not found;\n"
			  "  zipfile corrupt.\n"
			  "  (please check that you have transferred or created the zipfile in the\n"
			  "  appropriate BINARY mode and that you have compiled UnZip properly)\n",
			  u->archive);
		unzip_status(u, UNZIP_BAD_ZIP);
	} else if (status == ZIP_MISSING) {
		unzip_missing(u);
	} else if (!u->z.n) {
		unzip_empty(u);
	} else {
		unzip_archive(u);
	}
	tsb_close(u->p, fd);
}

/* ---- Several archives: a name with wildcards ---- */

struct unzip_tally {
	int good, warned, lost, missed;
};

static bool unzip_is_wild(const char *name)
{
	for (; *name; name++) {
		if (*name == '\\' && name[1])
			name++;
		else if (strchr("*?[", *name))
			return true;
	}
	return false;
}

/* One of them: what ran before leaves nothing but its status. */
static void unzip_next(struct unzip *u, const char *name, struct unzip_tally *t)
{
	int before = u->status;

	u->status = 0;
	u->links = u->dirs = NULL;
	u->n_done = u->n_skipped = u->n_locked = 0;
	u->data_status = 0;
	u->tested_any = false;
	memset(u->matched, 0, u->n_names);
	unzip_open(u, name);
	t->good += !u->status;
	t->warned += u->status == UNZIP_WARN;
	t->missed += u->status == UNZIP_NO_ZIP;
	t->lost += u->status && u->status != UNZIP_WARN && u->status != UNZIP_NO_ZIP;
	u->last = u->status;
	if (before > u->status)
		u->status = before;
}

static void unzip_say_count(struct unzip *u, int n, const char *one, const char *many, const char *what)
{
	if (n > 0)
		unzip_err(u, "%d %s %s.\n", n, n == 1 ? one : many, what);
}

static void unzip_tell(struct unzip *u, const struct unzip_tally *t)
{
	int others = t->missed + t->lost + t->warned;

	if (u->quiet > 2 || u->pipe)
		return;
	if ((others || t->good != 1) && !(u->stamp && !u->zipinfo && u->quiet > 1))
		unzip_err(u, "\n");
	if (t->good > 1 || others)
		unzip_say_count(u, t->good, "archive was", "archives were", "successfully processed");
	unzip_say_count(u, t->warned, "archive", "archives", "had warnings but no fatal errors");
	unzip_say_count(u, t->lost, "archive", "archives", "had fatal errors");
	unzip_say_count(u, t->missed, "file", "files", "had no zipfile directory");
	if (!(t->good + t->lost + t->warned))
		unzip_err(u, "No zipfiles found.\n");
}

/* Only the last part of the name is a pattern; where nothing matches it is a name. */
static void unzip_wild(struct unzip *u, const char *pattern)
{
	const char *base = strrchr(pattern, '/');
	char *dir = base ? tsb_strndup(u->p, pattern, (size_t)(base + 1 - pattern)) : NULL;
	struct unzip_tally t = { 0 };
	char **names = NULL;
	size_t n = 0, found = 0;

	base = base ? base + 1 : pattern;
	u->wild = true;
	if (tsb_listdir(u->p, dir ? dir : ".", &names, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if ((names[i][0] == '.' && *base != '.') || !zip_match(u->p, base, names[i], false, false))
			continue;
		if (found++ && u->last != UNZIP_NO_ZIP && !u->quiet && !u->pipe && (!u->stamp || u->zipinfo))
			tsb_putc(u->p, '\n');
		unzip_next(u, tsb_format(u->p, "%s%s", dir ? dir : "", names[i]), &t);
	}
	if (!found) {
		unzip_next(u, pattern, &t);
		t.missed = 0;
	} else if (t.missed == 1 && !(t.good + t.lost + t.warned) && !u->pipe) {
		unzip_none(u, pattern, u->archive);
		t.missed = 0;
	}
	unzip_tell(u, &t);
}

static void unzip_environment(struct unzip *u)
{
	const char *env = tsb_getenv(u->p, u->zipinfo ? "ZIPINFO" : "UNZIP");
	char *words[2] = { NULL, NULL };

	while (env && *(env += strspn(env, " \t"))) {
		size_t n = strcspn(env, " \t");

		words[0] = tsb_strndup(u->p, env + (*env == '-'), n - (*env == '-'));
		unzip_options(u, words);
		env += n;
	}
}

/* What cannot be done together. */
static void unzip_check(struct unzip *u)
{
	bool out = u->to_stdout || u->pipe;

	if ((out && (u->test || u->update)) || (u->test && u->update) || (u->freshen && u->never)) {
		unzip_err(u, "error:  -fn or any combination of -c, -l, -p, -t, -u and -v options "
			  "invalid\n");
		unzip_usage(u, UNZIP_PARAM);
	}
	if (u->never && u->always)
		unzip_err(u, "caution:  both -n and -o specified; ignoring -o\n");
	u->always &= !u->never;
}

static void unzip_not_extracting(struct unzip *u)
{
	static const char text[] = "caution:  not extracting; -d ignored\n";

	tsb_write_all(u->p, u->test && !u->zipinfo ? 1 : 2, text, sizeof(text) - 1);
	u->exdir = NULL;
}

static int unzip_all(struct tsb_proc *p, char **argv, bool zipinfo)
{
	struct unzip *u = tsb_alloc(p, sizeof(*u));
	bool given = false;
	size_t n = 0;

	u->p = p;
	u->zipinfo = zipinfo;
	u->umask = util_umask_get(p);
	unzip_environment(u);
	while (*argv && argv[0][0] == '-' && argv[0][1]) {
		++*argv;
		argv = unzip_options(u, argv);
		given = true;
	}
	unzip_check(u);
	if (!*argv) {
		if (!zipinfo && u->verbose)
			tsb_puts(p, "UnZip 6.00 of 20 April 2009, by Debian. Original by "
				 "Info-ZIP.\n");
		else
			unzip_usage(u, given ? UNZIP_PARAM : 0);
		return 0;
	}
	while (argv[n])
		n++;
	unzip_names(u, argv + 1, n);
	if (!u->header && !u->trailer && (!u->format || !strchr("12", u->format)) &&
	    u->zipinfo && !u->n_names && !u->n_excluded && !u->exdir)
		u->header = u->trailer = true;
	if (u->exdir && (unzip_is_list(u) || u->test || u->zipinfo)) {
		unzip_not_extracting(u);
	}
	if (unzip_is_wild(argv[0]))
		unzip_wild(u, argv[0]);
	else
		unzip_open(u, argv[0]);
	return u->status;
}

static int unzip_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	return unzip_all(p, argv, false);
}

static int zipinfo_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	return unzip_all(p, argv, true);
}

#define UNZIP_COMMAND(name_, run_, opts_, summary_) { \
	.version = TSB_COMMAND_VERSION, .name = name_, .package = "UnZip", \
	.package_version = "6.00", \
	.synopsis = "[-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]", \
	.summary = summary_, .run = run_, .opts = opts_, \
	.flags = TSB_RAW | TSB_NO_HELP }

/* Read by hand; for the manual. */
static const struct tsb_opt unzip_opts[] = {
	TSB_OPT_DOC('l', NULL, NULL, "list the members"),
	TSB_OPT_DOC('v', NULL, NULL,
		    "list them with sizes, methods and checksums; alone: the version"),
	TSB_OPT_DOC('t', NULL, NULL, "test the members"),
	TSB_OPT_DOC('p', NULL, NULL, "to standard output, no messages"),
	TSB_OPT_DOC('c', NULL, NULL, "to standard output, with the names"),
	TSB_OPT_DOC('z', NULL, NULL, "the comment of the archive"),
	TSB_OPT_DOC('T', NULL, NULL, "the archive gets the time of its newest member"),
	TSB_OPT_DOC('d', NULL, "DIR", "extract below DIR"),
	TSB_OPT_DOC('x', NULL, "LIST", "not these members"),
	TSB_OPT_DOC('f', NULL, NULL, "only files that are there and older"),
	TSB_OPT_DOC('u', NULL, NULL, "only files that are older or not there"),
	TSB_OPT_DOC('n', NULL, NULL, "never write over a file"),
	TSB_OPT_DOC('o', NULL, NULL, "write over files without asking"),
	TSB_OPT_DOC('j', NULL, NULL, "names without their directories"),
	TSB_OPT_DOC('C', NULL, NULL, "names match in either case"),
	TSB_OPT_DOC('L', NULL, NULL, "names of old systems in lower case (-LL: all)"),
	TSB_OPT_DOC('q', NULL, NULL, "quieter (-qq: quietest)"),
	TSB_OPT_DOC('a', NULL, NULL, "text gets the ends of lines of here (-aa: all members)"),
	TSB_OPT_DOC('b', NULL, NULL, "all members as they are"),
	TSB_OPT_DOC('B', NULL, NULL, "keep a file that would be written over as name~"),
	TSB_OPT_DOC('D', NULL, NULL, "no times for directories (-DD: for nothing)"),
	TSB_OPT_DOC('X', NULL, NULL, "restore owners"),
	TSB_OPT_DOC('K', NULL, NULL, "keep setuid, setgid and sticky bits"),
	TSB_OPT_DOC('W', NULL, NULL, "* and ? do not match a slash"),
	TSB_OPT_DOC(':', NULL, NULL, ".. in names is kept (it never leaves the working directory)"),
	TSB_OPT_DOC('Z', NULL, NULL, "as zipinfo"),
	TSB_OPT_DOC('U', NULL, NULL, "names as they stand (there is one character set here)"),
	TSB_OPT_DOC('h', NULL, NULL, "display this help"),
	TSB_OPT_END
};

/* Read by hand; for the manual. */
static const struct tsb_opt zipinfo_opts[] = {
	TSB_OPT_DOC('1', NULL, NULL, "names, one a line"),
	TSB_OPT_DOC('2', NULL, NULL, "names, and what -h, -t and -z ask for"),
	TSB_OPT_DOC('s', NULL, NULL, "a line a member, as ls -l (the default)"),
	TSB_OPT_DOC('m', NULL, NULL, "the same with the compression in per cent"),
	TSB_OPT_DOC('l', NULL, NULL, "the same with the compressed size"),
	TSB_OPT_DOC('v', NULL, NULL, "all that is known"),
	TSB_OPT_DOC('h', NULL, NULL, "a line about the archive"),
	TSB_OPT_DOC('t', NULL, NULL, "a line of totals"),
	TSB_OPT_DOC('z', NULL, NULL, "the comment"),
	TSB_OPT_DOC('T', NULL, NULL, "times as numbers"),
	TSB_OPT_DOC('C', NULL, NULL, "names match in either case"),
	TSB_OPT_DOC('x', NULL, "LIST", "not these members"),
	TSB_OPT_END
};

const struct tsb_command cmd_unzip = UNZIP_COMMAND("unzip", unzip_run, unzip_opts,
	"List, test and extract compressed files of a ZIP archive.");
const struct tsb_command cmd_zipinfo = UNZIP_COMMAND("zipinfo", zipinfo_run, zipinfo_opts,
	"List detailed information about a ZIP archive.");
