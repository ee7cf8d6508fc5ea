/*
 * -i inplace: while a file is read, standard output goes to a file beside it,
 * which takes its place when the next file begins or before END. Built in,
 * because gawk's own is a library that the host would have to load.
 */
#include "cmd/awk/awk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "cmd/tempname.h"

enum { LIBRARY_LINE = 59 };	/* where gawk's messages say they come from */

static void begin_warn(struct awk *a, const char *text)
{
	a->source = "inplace";
	a->line = LIBRARY_LINE;
	awk_warn(a, "inplace::begin: %s", text);
}

/* A variable of the command line, by name; NULL: not there. */
static struct awk_str *named(struct awk *a, const char *name)
{
	struct map_entry *e = map_find(&a->global_names, name, strlen(name));

	return e ? ak_var_str(a, (uint32_t)((uintptr_t)e->value - 1)) : NULL;
}

static bool enabled(struct awk *a)
{
	struct awk_str *s = named(a, "inplace::enable");
	bool yes = !s || !s->n || strcmp(s->p, "0") != 0;

	if (s)
		str_drop(a, s);
	return yes;
}

static void divert(struct awk *a, const char *name, const struct tsb_stat *st)
{
	struct tsb_setattr mode = { .mask = TSB_SET_MODE, .mode = st->mode & 07777 };
	struct inplace *in = a->inplace;
	int fd;

	in->temp = tempname_beside(a->p, name);
	fd = tsb_open(a->p, in->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		awk_fatal(a, "inplace::begin: mkstemp `%s' failed (%s)", in->temp, tsb_strerror(fd));
	tsb_fsetattr(a->p, fd, &mode);
	ak_streams_flush(a);
	in->saved = tsb_dup(a->p, 1, 10);
	tsb_dup2(a->p, fd, 1);
	tsb_close(a->p, fd);
	in->name = heap_dup(a->heap, name, strlen(name));
}

void ak_inplace_begin(struct awk *a, const char *name)
{
	struct tsb_stat st;
	int err;

	if (!a->inplace)
		return;
	ak_inplace_end(a);
	if (!enabled(a))
		return;
	if (!strcmp(name, "-") || !strncmp(name, "/dev/", 5)) {
		begin_warn(a, tsb_format(a->p, "disabling in-place editing for invalid FILENAME `%s'",
					 name));
		return;
	}
	err = tsb_stat(a->p, name, &st);
	if (err)
		begin_warn(a, tsb_format(a->p, "Cannot stat `%s' (%s)", name, tsb_strerror(err)));
	else if (!S_ISREG(st.mode))
		begin_warn(a, tsb_format(a->p, "`%s' is not a regular file", name));
	else
		divert(a, name, &st);
}

static void keep_old(struct awk *a, const char *name)
{
	struct awk_str *suffix = named(a, "inplace::suffix");
	char *backup;

	if (!suffix || !suffix->n)
		suffix = named(a, "INPLACE_SUFFIX");
	if (!suffix || !suffix->n)
		return;
	backup = tsb_format(a->p, "%s%s", name, suffix->p);
	tsb_unlink(a->p, backup);
	if (tsb_link(a->p, name, backup, false))
		awk_fatal(a, "inplace::end: link(`%s', `%s') failed", name, backup);
}

void ak_inplace_end(struct awk *a)
{
	struct inplace *in = a->inplace;
	int err;

	if (!in || !in->name)
		return;
	ak_streams_flush(a);
	tsb_dup2(a->p, in->saved, 1);
	tsb_close(a->p, in->saved);
	keep_old(a, in->name);
	err = tsb_rename(a->p, in->temp, in->name, 0);
	if (err)
		awk_fatal(a, "inplace::end: rename(`%s', `%s') failed (%s)", in->temp, in->name,
			  tsb_strerror(err));
	in->name = NULL;
}
