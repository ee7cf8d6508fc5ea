/*
 * -i: what would go to standard output goes to a new file beside the old one,
 * which takes its place when the old one has been read. A link becomes a file,
 * unless --follow-symlinks names its target first.
 */
#include "cmd/sed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/tempname.h"

enum { SED_TEMP_TRIES = 100, SED_LINKS = 40 };

static int in_place_make(struct sed *s, const char *target, uint32_t mode)
{
	int fd = -EEXIST;

	for (int i = 0; i < SED_TEMP_TRIES && fd == -EEXIST; i++) {
		s->in_place.temp = path_join(s->p, path_dir(s->p, target), "sedXXXXXX");
		tempname_fill(s->p, s->in_place.temp + strlen(s->in_place.temp) - 6, 6);
		fd = tsb_open(s->p, s->in_place.temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			      mode & 0700);
	}
	if (fd < 0)
		sed_panic(s, "couldn't open temporary file %s: %s", s->in_place.temp,
			  tsb_strerror(fd));
	return fd;
}

/* Owner first: a change of it would take bits from the mode. */
static void in_place_attributes(struct sed *s, int fd, const struct tsb_stat *st)
{
	struct tsb_setattr owner = { .mask = TSB_SET_UID | TSB_SET_GID, .uid = st->uid,
				     .gid = st->gid };
	struct tsb_setattr mode = { .mask = TSB_SET_MODE, .mode = st->mode & 07777 };

	tsb_fsetattr(s->p, fd, &owner);
	tsb_fsetattr(s->p, fd, &mode);
}

const char *sed_in_place_name(struct sed *s, const char *name)
{
	const char *now = name;

	if (input_is_stdin(name))
		return name;
	for (int links = 0; links < SED_LINKS; links++) {
		int err = 0;
		const char *target = path_readlink(s->p, now, &err);

		if (!target && err == -EINVAL)
			return now;
		if (!target)
			sed_panic(s, "couldn't readlink %s: %s", now, tsb_strerror(err));
		if (*target != '/' && path_dir_len(now))
			target = path_join(s->p, path_dir(s->p, now), target);
		now = target;
	}
	sed_panic(s, "couldn't follow symlink %s: %s", name, tsb_strerror(ELOOP));
}

void sed_in_place_begin(struct sed *s, int fd)
{
	const char *name = s->in.name;
	struct tsb_stat st;

	if (tsb_isatty(s->p, fd))
		sed_panic(s, "couldn't edit %s: is a terminal", name);
	if (tsb_fstat(s->p, fd, &st) < 0 || !S_ISREG(st.mode))
		sed_panic(s, "couldn't edit %s: not a regular file", name);
	s->in_place.target = tsb_strdup(s->p, name);
	s->file.fd = in_place_make(s, name, st.mode);
	s->file.name = s->in_place.temp;
	s->file.lacks_newline = false;
	in_place_attributes(s, s->file.fd, &st);
	s->to = &s->file;
}

/* Every * of the suffix is the file's name; without one it goes behind it. In the
 * file's directory: a suffix with slashes leads on from there. */
static char *in_place_backup(struct sed *s)
{
	const char *target = s->in_place.target, *suffix = s->in_place.suffix;
	const char *base = path_last(target);
	struct str name;

	str_init(&name, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	if (!strchr(suffix, '*'))
		str_adds(&name, base);
	for (; *suffix; suffix++) {
		if (*suffix == '*')
			str_adds(&name, base);
		else
			str_addc(&name, *suffix);
	}
	str_insert(&name, 0, target, (size_t)(base - target));
	return str_take(&name, NULL);
}

static void in_place_rename(struct sed *s, const char *from, const char *to)
{
	int r = tsb_rename(s->p, from, to, 0);

	if (r < 0)
		sed_panic(s, "cannot rename %s: %s", from, tsb_strerror(r));
}

void sed_in_place_end(struct sed *s)
{
	char *temp = s->in_place.temp;

	sed_out_flush(s, &s->file);
	tsb_close(s->p, s->file.fd);
	s->to = &s->standard;
	if (s->in_place.suffix && *s->in_place.suffix)
		in_place_rename(s, s->in_place.target, in_place_backup(s));
	in_place_rename(s, temp, s->in_place.target);
	s->in_place.temp = NULL;
}
