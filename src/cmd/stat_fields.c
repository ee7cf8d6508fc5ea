/*
 * The directives of stat: one letter, one property of a file or filesystem.
 */
#include "cmd/stat_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/accounts.h"
#include "cmd/path.h"
#include "cmd/quote.h"
#include "cmd/util.h"
#include "text/datefmt.h"

/* "2024-01-31 10:00:00.000000000 +0000"; a year out of range: the seconds. */
static const char *field_time_text(struct stat_subject *s, struct tsb_time t)
{
	static const char format[] = "%Y-%m-%d %H:%M:%S.%N %z";
	struct date_moment m;
	struct str text;

	if (!date_moment(&m, t.sec, t.nsec, &s->zone))
		return tsb_format(s->p, "%lld.%09d", (long long)t.sec, t.nsec);
	str_init(&text, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	date_format(&text, format, sizeof(format) - 1, &m);
	return str_take(&text, NULL);
}

/* The seconds, in a field that leaves room for the fraction behind it. */
static void field_seconds(struct str *out, const struct spec *spec, struct tsb_time t,
			  size_t digits, int32_t *fraction)
{
	int32_t divisor = 1;
	bool minus_zero = false;

	for (size_t i = digits; i < 9; i++)
		divisor *= 10;
	*fraction = t.nsec / divisor;
	/* -1.25 is kept as -2 + 0.75. */
	if (t.sec < 0 && t.nsec) {
		*fraction = 1000000000 / divisor - *fraction - (t.nsec % divisor != 0);
		t.sec += *fraction != 0;
		minus_zero = !t.sec;
	}
	if (minus_zero)
		spec_minus(out, spec, 0);
	else
		spec_signed(out, spec, t.sec);
}

/* %X and friends: seconds since the epoch; a precision asks for a fraction. */
static void field_epoch(struct stat_subject *s, const struct spec *spec, struct tsb_time t)
{
	size_t width = (size_t)spec->how.width;
	size_t precision = spec->bare_dot ? 9 : spec->how.precision < 0 ? 0
					  : (size_t)spec->how.precision;
	size_t digits = precision < 9 ? precision : 9, start = s->out->n, used;
	struct spec whole = *spec;
	int32_t fraction;

	whole.how.precision = -1;
	if (precision && width > 1) {
		whole.how.width = width - 1 > precision ? (int)(width - 1 - precision) : 0;
		if (whole.how.width <= 1 || spec->how.minus)
			whole.how.width = 0;
	}
	field_seconds(s->out, &whole, t, digits, &fraction);
	if (!precision)
		return;
	str_addf(s->out, ".%0*d", (int)digits, fraction);
	str_fill(s->out, '0', precision - digits);
	used = s->out->n - start;
	if (spec->how.minus && width > used)
		str_fill(s->out, ' ', width - used);
}

static void field_dev(struct stat_subject *s, const struct spec *spec, int mod, uint64_t dev)
{
	if (mod == 'H')
		spec_unsigned(s->out, spec, major(dev));
	else if (mod == 'L')
		spec_unsigned(s->out, spec, minor(dev));
	else
		spec_unsigned(s->out, spec, dev);
}

static bool field_quoted_name(struct stat_subject *s, const struct spec *spec)
{
	enum quote_style style;
	char *target;
	int err;

	style = (enum quote_style)*s->style;
	spec_text(s->out, spec, quote_styled(s->p, style, s->path));
	if (!S_ISLNK(s->st.mode))
		return true;
	target = path_readlink(s->p, s->path, &err);
	if (!target) {
		tsb_warn_errno(s->p, err, "cannot read symbolic link %s", quote_af(s->p, s->path));
		return true;
	}
	str_adds(s->out, " -> ");
	spec_text(s->out, spec, quote_styled(s->p, style, target));
	return true;
}

static bool field_owner(struct stat_subject *s, const struct spec *spec, int letter)
{
	const char *name = letter == 'U' ? accounts_user_name(s->p, s->st.uid)
					 : accounts_group_name(s->p, s->st.gid);

	spec_text(s->out, spec, name ? name : "UNKNOWN");
	return true;
}

static bool field_context(struct stat_subject *s)
{
	tsb_warn_errno(s->p, ENODATA, "failed to get security context of %s", quote_af(s->p, s->path));
	str_addc(s->out, '?');
	return false;
}

static bool field_mode_text(struct stat_subject *s, const struct spec *spec)
{
	char text[12];

	util_mode_string(s->st.mode, text);
	spec_text(s->out, spec, text);
	return true;
}

static bool field_is_born(const struct tsb_stat *st)
{
	return st->btime.sec || st->btime.nsec;
}

static bool stat_file_time(struct stat_subject *s, const struct spec *spec, int letter)
{
	const struct tsb_stat *st = &s->st;
	struct tsb_time t = letter == 'w' || letter == 'W' ? st->btime
			  : letter == 'x' || letter == 'X' ? st->atime
			  : letter == 'y' || letter == 'Y' ? st->mtime : st->ctime;

	if (letter == 'w' && !field_is_born(st))
		spec_text(s->out, spec, "-");
	else if (letter >= 'a')
		spec_text(s->out, spec, field_time_text(s, t));
	else
		field_epoch(s, spec, t);
	return true;
}

bool stat_file_field(struct stat_subject *s, const struct spec *spec, int mod, int letter)
{
	const struct tsb_stat *st = &s->st;
	struct str *out = s->out;

	switch (letter) {
	case 'a': spec_octal(out, spec, st->mode & 07777); return true;
	case 'A': return field_mode_text(s, spec);
	case 'b': spec_unsigned(out, spec, st->blocks); return true;
	case 'B': spec_unsigned(out, spec, 512); return true;
	case 'C': return field_context(s);
	case 'd': field_dev(s, spec, mod, st->dev); return true;
	case 'D': spec_hex(out, spec, st->dev); return true;
	case 'f': spec_hex(out, spec, st->mode); return true;
	case 'F': spec_text(out, spec, util_file_type(st)); return true;
	case 'g': spec_unsigned(out, spec, st->gid); return true;
	case 'h': spec_unsigned(out, spec, st->nlink); return true;
	case 'i': spec_unsigned(out, spec, st->ino); return true;
	case 'm': spec_text(out, spec, tsb_mount_of(s->p, s->path)); return true;
	case 'n': spec_text(out, spec, s->path); return true;
	case 'N': return field_quoted_name(s, spec);
	case 'o': spec_unsigned(out, spec, st->blksize); return true;
	case 'r': field_dev(s, spec, mod, st->rdev); return true;
	case 'R': spec_hex(out, spec, st->rdev); return true;
	case 's': spec_signed(out, spec, (int64_t)st->size); return true;
	case 't': spec_hex(out, spec, major(st->rdev)); return true;
	case 'T': spec_hex(out, spec, minor(st->rdev)); return true;
	case 'u': spec_unsigned(out, spec, st->uid); return true;
	case 'U': case 'G': return field_owner(s, spec, letter);
	case 'w': case 'W': case 'x': case 'X':
	case 'y': case 'Y': case 'z': case 'Z':
		return stat_file_time(s, spec, letter);
	default: str_addc(out, '?'); return true;
	}
}

/* What Linux's <linux/magic.h> and GNU's stat call a filesystem. */
static const struct { const char *type; uint64_t magic; const char *shown; } field_types[] = {
	{ "tmpfs", 0x01021994, "tmpfs" }, { "proc", 0x9fa0, "proc" },
	{ "ext2/ext3", 0xef53, "ext2/ext3" }, { "overlayfs", 0x794c7630, "overlayfs" },
	{ "overlay", 0x794c7630, "overlayfs" }, { "devtmpfs", 0x01021994, "tmpfs" },
	{ "sysfs", 0x62656572, "sysfs" },
};

static void field_fs_type(struct stat_subject *s, const struct spec *spec, bool as_text)
{
	const char *type = s->fs.type ? s->fs.type : "tmpfs", *shown = type;
	uint64_t magic = 0x01021994;

	for (size_t i = 0; i < sizeof(field_types) / sizeof(*field_types); i++)
		if (!strcmp(field_types[i].type, type)) {
			magic = field_types[i].magic;
			shown = field_types[i].shown;
		}
	if (as_text)
		spec_text(s->out, spec, shown);
	else
		spec_hex(s->out, spec, magic);
}

bool stat_fs_field(struct stat_subject *s, const struct spec *spec, int mod, int letter)
{
	const struct tsb_statfs *fs = &s->fs;
	uint64_t block = fs->block_size ? fs->block_size : 4096;
	struct str *out = s->out;

	(void)mod;
	switch (letter) {
	case 'n': spec_text(out, spec, s->path); return true;
	case 'i': spec_hex(out, spec, s->st.dev); return true;
	case 'l': spec_unsigned(out, spec, fs->name_max); return true;
	case 't': case 'T': field_fs_type(s, spec, letter == 'T'); return true;
	case 'b': spec_signed(out, spec, (int64_t)(fs->bytes_total / block)); return true;
	case 'f': case 'a': spec_signed(out, spec, (int64_t)(fs->bytes_free / block)); return true;
	case 's': case 'S': spec_unsigned(out, spec, block); return true;
	case 'c': spec_unsigned(out, spec, fs->entries_total); return true;
	case 'd': spec_signed(out, spec, (int64_t)fs->entries_free); return true;
	default: str_addc(out, '?'); return true;
	}
}
