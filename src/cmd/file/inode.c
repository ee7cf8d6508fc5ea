/*
 * What a file is before it is opened: directories, links, devices, and names
 * that lead nowhere.
 */
#include "cmd/file/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* "inode/x" as far as the modes ask for it. true: nothing else is to be said. */
static bool inode_mime(struct file_look *f, const char *kind, bool charset)
{
	unsigned mode = f->o->mode;

	if (!(mode & (FILE_MIME_TYPE | FILE_MIME_ENCODING)))
		return false;
	if (mode & FILE_MIME_TYPE)
		str_addf(&f->out, "inode/%s", kind);
	if (!charset || !(mode & FILE_MIME_ENCODING))
		return true;
	str_adds(&f->out, mode & FILE_MIME_TYPE ? "; charset=binary" : "binary");
	return true;
}

static bool short_answer(const struct file_look *f)
{
	return f->o->mode & (FILE_APPLE | FILE_EXTENSION);
}

static bool inode_say(struct file_look *f, const struct tsb_stat *st, const char *kind,
		      const char *text)
{
	static const struct { uint32_t bit; const char *word; } bits[] = {
		{ S_ISUID, "setuid" }, { S_ISGID, "setgid" }, { S_ISVTX, "sticky" }
	};
	const char *comma = "";

	if (inode_mime(f, kind, true))
		return true;
	if (short_answer(f))
		return false;
	for (int i = 0; i < 3; i++)
		if (st->mode & bits[i].bit) {
			str_addf(&f->out, "%s%s", comma, bits[i].word);
			comma = ", ";
		}
	str_addf(&f->out, "%s%s", comma, text);
	return true;
}

static bool inode_link(struct file_look *f, const char *name)
{
	char *target = tsb_alloc(f->p, TSB_PATH_MAX + 1);
	ssize_t n = tsb_readlink(f->p, name, target, TSB_PATH_MAX);
	struct tsb_stat st;
	bool broken = tsb_stat(f->p, name, &st) < 0;

	if (n < 0) {
		str_addf(&f->out, "unreadable symlink `%s' (%s)", name, tsb_strerror((int)n));
		return true;
	}
	target[n < TSB_PATH_MAX ? n : TSB_PATH_MAX] = '\0';
	if (broken && f->o->mode == FILE_MIME_ENCODING) {
		str_adds(&f->out, "ERROR: (null)");
		f->o->failed = true;
		return true;
	}
	if (inode_mime(f, "symlink", !broken))
		return true;
	if (!broken && short_answer(f))
		return false;
	str_addf(&f->out, "%ssymbolic link to %s", broken ? "broken " : "", target);
	return true;
}

static bool inode_device(struct file_look *f, const struct tsb_stat *st)
{
	bool block = S_ISBLK(st->mode);
	const char *text;

	if (f->o->special)
		return false;
	text = tsb_format(f->p, "%s special (%u/%u)", block ? "block" : "character",
			  major(st->rdev), minor(st->rdev));
	return inode_say(f, st, block ? "blockdevice" : "chardevice", text);
}

static bool inode_missing(struct file_look *f, const char *name, int err)
{
	bool error = f->o->stat_errors;

	str_addf(&f->out, "%scannot %s `%s' (%s)", error ? "ERROR: " : "", error ? "stat" : "open",
		 name, tsb_strerror(err));
	f->o->failed |= error;
	return true;
}

/* What stands before the kind: "setuid " and, of an empty file, "setuid, ". */
static bool inode_regular(struct file_look *f, const struct tsb_stat *st)
{
	static const struct { uint32_t bit; const char *word; } bits[] = {
		{ S_ISUID, "setuid" }, { S_ISGID, "setgid" }, { S_ISVTX, "sticky" }
	};

	for (int i = 0; !f->o->mode && i < 3; i++)
		if (st->mode & bits[i].bit) {
			str_addf(&f->out, "%s%s", f->prefixed ? ", " : "", bits[i].word);
			f->prefixed = true;
		}
	if (f->prefixed)
		str_adds(&f->out, st->size ? " " : ", ");
	return false;
}

bool file_inode(struct file_look *f, const char *name, struct tsb_stat *st)
{
	int r = f->o->follow ? tsb_stat(f->p, name, st) : tsb_lstat(f->p, name, st);

	if (r < 0)
		return inode_missing(f, name, r);
	switch (st->mode & S_IFMT) {
	case S_IFDIR:
		if (inode_say(f, st, "directory", "directory"))
			return true;
		str_addf(&f->out, "ERROR: cannot read `%s' (Is a directory)", name);
		f->o->failed = true;
		return true;
	case S_IFLNK:
		return inode_link(f, name);
	case S_IFCHR:
	case S_IFBLK:
		return inode_device(f, st);
	case S_IFIFO:
		return !f->o->special && inode_say(f, st, "fifo", "fifo (named pipe)");
	case S_IFSOCK:
		return inode_say(f, st, "socket", "socket");
	default:
		return inode_regular(f, st);
	}
}
