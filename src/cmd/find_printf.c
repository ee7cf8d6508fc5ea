/*
 * -printf of find. A format is compiled when it is read, as its errors must
 * come before the walk: a list of texts and of directives with their flags.
 */
#include "cmd/find.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/path.h"
#include "cmd/spec.h"
#include "cmd/util.h"
#include "text/datefmt.h"

struct format_piece {
	int directive;		/* 0: text, 'c' | FORMAT_STOP: \c */
	int time;		/* of %A %B %C %T: the letter behind */
	struct spec spec;
	const char *text;
	size_t n;
};

struct find_format {
	VEC(struct format_piece) pieces;
	bool needs_stat;		/* then nothing is printed of what cannot be examined */
};

enum { FORMAT_FLUSH = -1 };

/* ---- Compiling ---- */

struct format_reader {
	struct find *f;
	struct find_format *format;
	struct str text;
};

static struct format_piece *format_piece(struct format_reader *r)
{
	return vec_add(tsb_heap_of(r->f->p), &r->format->pieces);
}

static void format_end_text(struct format_reader *r)
{
	struct format_piece *piece;

	if (!r->text.n)
		return;
	piece = format_piece(r);
	piece->text = str_take(&r->text, &piece->n);
	str_init(&r->text, tsb_heap_of(r->f->p), STR_MAX_DEFAULT);
}

/* s is behind the backslash: what follows the escape; NULL after \c. */
static const char *format_escape(struct format_reader *r, const char *s)
{
	static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
	const char *at = *s ? strchr(from, *s) : NULL;

	if (*s >= '0' && *s <= '7') {
		int v = 0;

		for (int i = 0; i < 3 && *s >= '0' && *s <= '7'; i++)
			v = v * 8 + (*s++ - '0');
		str_addc(&r->text, v);
		return s;
	}
	if (at) {
		str_addc(&r->text, to[at - from]);
		return s + 1;
	}
	if (*s == 'c') {
		format_end_text(r);
		format_piece(r)->directive = FORMAT_FLUSH;
		return NULL;
	}
	str_addc(&r->text, '\\');
	if (*s) {
		tsb_warn(r->f->p, "warning: unrecognized escape `\\%c'", *s);
		str_addc(&r->text, *s);
		return s + 1;
	}
	tsb_warn(r->f->p, "warning: escape `\\' followed by nothing at all");
	return s;
}

/* The end of the format counts as a directive, whose letter is NUL. */
static void format_reserved(struct find *f, char letter)
{
	static const char text[] = ": error: the format directive `%";
	struct str s;

	str_init(&s, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	str_adds(&s, tsb_name(f->p));
	str_adds(&s, text);
	str_addc(&s, letter);
	str_adds(&s, "' is reserved for future use\n");
	tsb_write_all(f->p, 2, s.p, s.n);
	tsb_exit(f->p, 1);
}

/* s is at the percent sign: what follows the directive. */
static const char *format_directive(struct format_reader *r, const char *s)
{
	const char *start = s++;
	struct format_piece piece = { 0 };

	if (!*s)
		find_die(r->f, "error: %% at end of format string");
	if (*s == '%') {
		str_addc(&r->text, '%');
		return s + 1;
	}
	s += spec_parse(&piece.spec, s);
	if (!*s || strchr("{[(", *s))
		format_reserved(r->f, *s);
	piece.directive = (unsigned char)*s;
	if (strchr("ABCT", *s)) {
		if (!s[1]) {
			tsb_warn(r->f->p, "warning: format directive `%%%c' should be followed by "
				 "another character", *s);
			str_adds(&r->text, start);
			return s + 1;
		}
		piece.time = (unsigned char)*++s;
	} else if (!strchr("abcdDfFgGhHiklmMnpPsStuUyYZ", *s)) {
		if (*s != '%')
			tsb_warn(r->f->p, "warning: unrecognized format directive `%%%c'", *s);
		str_addn(&r->text, start, (size_t)(s - start) + (*s != '%'));
		return s + 1;
	}
	format_end_text(r);
	*format_piece(r) = piece;
	r->format->needs_stat |= !strchr("dfhHiPpy", piece.directive);
	return s + 1;
}

static struct find_format *format_compile(struct find *f, const char *s)
{
	struct format_reader r = { .f = f, .format = tsb_alloc(f->p, sizeof(*r.format)) };
	size_t plain;

	str_init(&r.text, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	while (s && *s) {
		plain = strcspn(s, "\\%");
		str_addn(&r.text, s, plain);
		s += plain;
		if (*s == '\\')
			s = format_escape(&r, s + 1);
		else if (*s == '%')
			s = format_directive(&r, s);
	}
	format_end_text(&r);
	return r.format;
}

/* ---- Times ---- */

static void format_strftime(struct find *f, struct str *s, const char *format, struct tsb_time t)
{
	struct date_moment m;

	if (date_moment(&m, t.sec, t.nsec, &f->zone))
		date_format(s, format, strlen(format), &m);
	else
		str_addf(s, "%lld", (long long)t.sec);
}

/* %Tk: seconds have a fraction of ten digits, the last of which is 0. */
static void format_time(struct find *f, struct str *s, struct tsb_time t, int k)
{
	static const char letters[] = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%";
	char format[] = "%?", fraction[16];
	size_t n = 0;

	for (int v = t.nsec, i = 8; i >= 0; i--, v /= 10)
		fraction[i + 1] = (char)('0' + v % 10);
	fraction[0] = '.';
	memcpy(fraction + 10, "0", 2);
	if (k == '@') {
		str_addf(s, "%lld%s", (long long)t.sec, fraction);
	} else if (k == '+') {
		format_strftime(f, s, "%Y-%m-%d+%H:%M:%S", t);
		str_adds(s, fraction);
	} else if (k == 'S' || k == 'T' || k == 'X') {
		format_strftime(f, s, k == 'S' ? "%S" : "%H:%M:%S", t);
		str_adds(s, fraction);
	} else if (strchr(letters, k)) {
		format[1] = (char)k;
		format_strftime(f, s, format, t);
	} else {
		n = s->n;
		str_addf(s, "%%%c", k);
		if (k == '|')
			str_cut(s, n);
	}
}

/* %a, %c, %t: as ctime(3), with the fraction. */
static void format_ctime(struct find *f, struct str *s, struct tsb_time t)
{
	format_strftime(f, s, "%a %b %e ", t);
	format_time(f, s, t, 'T');
	format_strftime(f, s, " %Y", t);
}

/* ---- Fields ---- */

static int format_type_letter(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return 'f';
	case S_IFDIR: return 'd';
	case S_IFLNK: return 'l';
	case S_IFSOCK: return 's';
	case S_IFBLK: return 'b';
	case S_IFCHR: return 'c';
	case S_IFIFO: return 'p';
	default: return 'U';
	}
}

static void format_field_type(struct find *f, struct str *s, bool other_side)
{
	struct tsb_stat st = f->e->st;
	int err = 0;

	if (other_side && S_ISLNK(st.mode))
		err = find_following(f) ? tsb_lstat(f->p, f->e->path, &st)
					: tsb_stat(f->p, f->e->path, &st);
	str_addc(s, !err ? format_type_letter(st.mode)
		  : err == -ENOENT || err == -ENOTDIR ? 'N' : err == -ELOOP ? 'L' : '?');
}

/* %h: what is before the last component; of a single one, before its last slash. */
static void format_field_dir(struct find *f, struct str *s)
{
	const char *path = f->e->path, *base = path_last(path), *slash = strrchr(path, '/');

	if (base > path && *base)
		str_addn(s, path, (size_t)(base - path) - 1);
	else if (slash)
		str_addn(s, path, (size_t)(slash - path));
	else
		str_addc(s, '.');
}

static void format_field_base(struct find *f, struct str *s)
{
	const char *base = path_last(f->e->path);
	size_t n = strlen(base);

	while (n > 1 && base[n - 1] == '/' && base[n - 2] == '/')
		n--;
	str_addn(s, *base ? base : "/", *base ? n : 1);
}

static void format_field_under(struct find *f, struct str *s)
{
	const char *path = f->e->path + strlen(f->start);

	if (f->e->depth)
		str_adds(s, path + (*path == '/'));
}

static void format_field_target(struct find *f, struct str *s)
{
	char *target;
	int err;

	if (!S_ISLNK(f->e->st.mode))
		return;
	target = path_readlink(f->p, f->e->path, &err);
	if (target)
		str_adds(s, target);
	else
		find_file_error(f, err, f->e->path);
	tsb_free(f->p, target);
}

static void format_field_owner(struct find *f, struct str *s, bool is_user)
{
	uint32_t id = is_user ? f->e->st.uid : f->e->st.gid;
	char *name = is_user ? accounts_user_name(f->p, id) : accounts_group_name(f->p, id);

	if (name)
		str_adds(s, name);
	else
		str_addf(s, "%u", id);
	tsb_free(f->p, name);
}

static void format_field_fs(struct find *f, struct str *s)
{
	struct tsb_statfs fs;

	str_adds(s, !tsb_statfs(f->p, f->e->path, &fs) && fs.type ? fs.type : "unknown");
}

static void format_field_sparse(const struct tsb_stat *st, struct str *s)
{
	if (st->size)
		str_addf(s, "%g", 512.0 * (double)st->blocks / (double)st->size);
	else
		str_adds(s, st->blocks ? "inf" : "1");
}

/* Fields that are texts, or numbers that C's %s would print. */
static void format_field(struct find *f, const struct format_piece *piece, struct str *s)
{
	const struct tsb_stat *st = &f->e->st;
	char mode[12];

	switch (piece->directive) {
	case 'a': format_ctime(f, s, st->atime); break;
	case 'c': format_ctime(f, s, st->ctime); break;
	case 't': format_ctime(f, s, st->mtime); break;
	case 'A': format_time(f, s, st->atime, piece->time); break;
	case 'C': format_time(f, s, st->ctime, piece->time); break;
	case 'T': format_time(f, s, st->mtime, piece->time); break;
	case 'B': str_adds(s, piece->time == '@' ? "-1.-000000010" : ""); break;
	case 'b': str_addf(s, "%llu", (unsigned long long)st->blocks); break;
	case 'D': str_addf(s, "%llu", (unsigned long long)st->dev); break;
	case 'f': format_field_base(f, s); break;
	case 'F': format_field_fs(f, s); break;
	case 'g': format_field_owner(f, s, false); break;
	case 'G': str_addf(s, "%u", st->gid); break;
	case 'h': format_field_dir(f, s); break;
	case 'H': str_adds(s, f->start); break;
	case 'i': str_addf(s, "%llu", (unsigned long long)st->ino); break;
	case 'k': str_addf(s, "%llu", (unsigned long long)(st->blocks + 1) / 2); break;
	case 'l': format_field_target(f, s); break;
	case 'M': util_mode_string(st->mode, mode); str_adds(s, mode); break;
	case 'n': str_addf(s, "%u", st->nlink); break;
	case 'p': str_adds(s, f->e->path); break;
	case 'P': format_field_under(f, s); break;
	case 's': str_addf(s, "%llu", (unsigned long long)st->size); break;
	case 'S': format_field_sparse(st, s); break;
	case 'u': format_field_owner(f, s, true); break;
	case 'U': str_addf(s, "%u", st->uid); break;
	case 'y': format_field_type(f, s, false); break;
	case 'Y': format_field_type(f, s, true); break;
	default: break;
	}
}

static void format_no_context(struct find *f)
{
	tsb_warn_errno(f->p, ENODATA, "getfilecon failed: %s", quote_text(f->p, f->e->path));
	f->status = 1;
}

static bool format_eval(struct find *f, struct find_pred *a)
{
	const struct find_format *format = a->u.print.format;
	struct find_out *o = a->u.print.out;
	struct str field;

	if (format->needs_stat && !find_stat(f))
		return false;
	str_init(&field, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < format->pieces.n; i++) {
		const struct format_piece *piece = &format->pieces.at[i];

		str_reset(&field);
		if (!piece->directive) {
			str_addn(&o->buf, piece->text, piece->n);
		} else if (piece->directive == FORMAT_FLUSH) {
			find_out_wrote(f, o);
			find_out_flush(f);
			tsb_flush(f->p);
		} else if (piece->directive == 'd') {
			spec_signed(&o->buf, &piece->spec, (int64_t)f->e->depth);
		} else if (!strchr("fhHpPyd", piece->directive) && !find_stat(f)) {
			continue;
		} else if (piece->directive == 'm') {
			spec_octal(&o->buf, &piece->spec, f->e->st.mode & 07777);
		} else if (piece->directive == 'Z') {
			format_no_context(f);
		} else {
			format_field(f, piece, &field);
			spec_text(&o->buf, &piece->spec, field.p);
		}
	}
	str_end(&field);
	find_out_wrote(f, o);
	return true;
}

static bool format_add(struct find *f, const char *file, const char *text)
{
	struct find_out *out = find_out_open(f, file);
	struct find_format *format = format_compile(f, text);
	struct find_pred *a = find_add(f, format_eval);

	a->u.print.out = out;
	a->u.print.format = format;
	f->prints = true;
	return true;
}

bool find_read_printf(struct find *f, int value)
{
	const char *text = find_arg(f);

	(void)value;
	return text && format_add(f, NULL, text);
}

bool find_read_fprintf(struct find *f, int value)
{
	const char *file = find_arg(f), *text = find_arg(f);

	(void)value;
	if (file && !text)
		f->at--;
	return file && text && format_add(f, file, text);
}
