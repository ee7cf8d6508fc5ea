/*
 * Small things every command needs. The messages are GNU's, so that a script
 * that greps for them finds them; anything longer than a screen has a file of
 * its own (path, walk, mode, backup, copy).
 */
#include "cmd/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"

enum { UTIL_NONE = -1, UTIL_AMBIGUOUS = -2 };

/* Index of the row, or one of the above. */
static int util_match(const char *arg, const struct util_word *words)
{
	size_t n = strlen(arg);
	int found = UTIL_NONE;

	for (int i = 0; words[i].word; i++) {
		if (strncmp(words[i].word, arg, n))
			continue;
		if (!words[i].word[n])
			return i;
		if (found >= 0 && words[found].value != words[i].value)
			found = UTIL_AMBIGUOUS;
		else if (found == UTIL_NONE)
			found = i;
	}
	return found;
}

/* "Valid arguments are:", synonyms on one line. */
static void util_list_words(struct tsb_proc *p, const struct util_word *words)
{
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_adds(&s, "Valid arguments are:");
	for (int i = 0; words[i].word; i++) {
		bool same = i && words[i].value == words[i - 1].value;

		str_adds(&s, same ? ", " : "\n  - ");
		str_adds(&s, quote_text(p, words[i].word));
	}
	str_addc(&s, '\n');
	tsb_write_all(p, 2, s.p, s.n);
	str_end(&s);
}

int util_word(struct tsb_proc *p, const char *context, const char *arg,
	      const struct util_word *words, int *value)
{
	int i = util_match(arg, words);

	if (i >= 0) {
		*value = words[i].value;
		return 0;
	}
	tsb_warn(p, "%s argument %s for %s", i == UTIL_NONE ? "invalid" : "ambiguous",
		 quote_text(p, arg), quote_text(p, context));
	util_list_words(p, words);
	tsb_usage(p, NULL);
	return 1;
}

int util_missing_operand(struct tsb_proc *p)
{
	return tsb_usage(p, "missing operand");
}

int util_missing_operand_after(struct tsb_proc *p, const char *last)
{
	return tsb_usage(p, "missing operand after %s", quote_text(p, last));
}

int util_extra_operand(struct tsb_proc *p, const char *extra)
{
	return tsb_usage(p, "extra operand %s", quote_text(p, extra));
}

int util_missing_file(struct tsb_proc *p)
{
	return tsb_usage(p, "missing file operand");
}

bool util_ask(struct tsb_proc *p, struct util_asker *a, const char *fmt, ...)
{
	struct str s;
	va_list ap;
	char *line;
	size_t n;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_adds(&s, tsb_name(p));
	str_adds(&s, ": ");
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	tsb_write_all(p, 2, s.p, s.n);
	str_end(&s);
	if (!a->started)
		tsb_reader_init(&a->in, p, 0);
	a->started = true;
	n = tsb_getdelim(&a->in, &line, '\n');
	return n && (line[0] == 'y' || line[0] == 'Y');
}

void *util_grow(struct tsb_proc *p, void *at, size_t n, size_t *cap, size_t size)
{
	size_t want = 0, bytes;

	if (n < *cap)
		return at;
	if (!num_mul(n, 2, &want) || !num_add(want, 8, &want) || !num_mul(want, size, &bytes))
		bytes = SIZE_MAX;	/* ends the process */
	at = tsb_realloc(p, at, bytes);
	*cap = want;
	return at;
}

uint32_t util_umask_get(struct tsb_proc *p)
{
	uint32_t mask = tsb_umask(p, 0);

	tsb_umask(p, mask);
	return mask;
}

int util_ignore_context(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	if (arg)
		tsb_warn(p, "warning: ignoring --context; it requires an SELinux%s-enabled "
			 "kernel", opt->value == 'e' ? "" : "/SMACK");
	return 0;
}

int util_ignore(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
	return 0;
}

int util_set_bool(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	*(bool *)((char *)opts + opt->offset) = opt->value;
	return 0;
}

int util_count(struct tsb_proc *p, const char *arg, bool bytes, uint64_t *count)
{
	const char *what = bytes ? "bytes" : "lines";
	enum num_result r = *arg == '-' ? NUM_INVALID : num_suffixed(arg, "bkKmMGTPEZY0", count);

	if (r == NUM_OK)
		return 0;
	if (r == NUM_RANGE)
		tsb_warn_errno(p, EOVERFLOW, "invalid number of %s: %s", what, quote_text(p, arg));
	else
		tsb_warn(p, "invalid number of %s: %s", what, quote_text(p, arg));
	return 1;
}

bool util_write_failed(struct tsb_proc *p)
{
	int err = tsb_flush(p);

	if (!err)
		return false;
	tsb_warn_errno(p, err, "write error");
	tsb_out_forget(p);
	return true;
}

void util_warn_root(struct tsb_proc *p, const char *path)
{
	if (!strcmp(path, "/"))
		tsb_warn(p, "it is dangerous to operate recursively on %s", quote_af(p, path));
	else
		tsb_warn(p, "it is dangerous to operate recursively on %s (same as %s)",
			 quote_af(p, path), quote_af(p, "/"));
	tsb_warn(p, "use --no-preserve-root to override this failsafe");
}

const char *util_file_type(const struct tsb_stat *st)
{
	switch (st->mode & S_IFMT) {
	case S_IFREG: return st->size ? "regular file" : "regular empty file";
	case S_IFDIR: return "directory";
	case S_IFLNK: return "symbolic link";
	case S_IFIFO: return "fifo";
	case S_IFSOCK: return "socket";
	case S_IFBLK: return "block special file";
	case S_IFCHR: return "character special file";
	default: return "weird file";
	}
}

static int util_type_letter(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return '-';
	case S_IFDIR: return 'd';
	case S_IFLNK: return 'l';
	case S_IFIFO: return 'p';
	case S_IFSOCK: return 's';
	case S_IFBLK: return 'b';
	case S_IFCHR: return 'c';
	default: return '?';
	}
}

void util_mode_string(uint32_t mode, char out[12])
{
	static const char bits[] = "rwxrwxrwx";
	static const struct { uint32_t bit; int at; char set, unset; } special[] = {
		{ S_ISUID, 3, 's', 'S' }, { S_ISGID, 6, 's', 'S' }, { S_ISVTX, 9, 't', 'T' },
	};

	out[0] = (char)util_type_letter(mode);
	for (int i = 0; i < 9; i++)
		out[i + 1] = '-';
	for (int i = 0; i < 9; i++)
		if (mode & (0400u >> i))
			out[i + 1] = bits[i];
	for (int i = 0; i < 3; i++)
		if (mode & special[i].bit)
			out[special[i].at] = out[special[i].at] == 'x' ? special[i].set
								       : special[i].unset;
	out[10] = '\0';
}
