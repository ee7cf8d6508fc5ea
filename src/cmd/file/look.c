/*
 * The order of the tests, and how their answers become one text. A test leaves
 * its answer in f->text, f->mime and so on; file_take() appends it in the form
 * the options ask for.
 */
#include "cmd/file/file.h"

#include "text/civil.h"

void file_look_init(struct file_look *f, struct file *o, const void *at, size_t n)
{
	*f = (struct file_look){ .o = o, .p = o->p, .heap = tsb_heap_of(o->p), .at = at, .n = n,
				 .size = n };
	str_init(&f->text, f->heap, STR_MAX_DEFAULT);
	str_init(&f->out, f->heap, STR_MAX_DEFAULT);
	str_init(&f->utf8, f->heap, STR_MAX_DEFAULT);
}

/* ---- Pieces of answers ---- */

void file_add_text(struct file_look *f, uint64_t at, size_t max, const char *before,
		   const char *after)
{
	const char *s = (const char *)f->at + at;
	size_t n = at < f->n ? f->n - (size_t)at : 0;

	n = strnlen(s, n < max ? n : max);
	str_adds(&f->text, before);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= ' ' && c <= '~')
			str_addc(&f->text, c);
		else
			str_addf(&f->text, "\\%03o", c);
	}
	str_adds(&f->text, after);
}

void file_add_time(struct file_look *f, const char *before, int64_t sec)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct zone zone;
	struct civil c;

	zone_init(&zone, tsb_getenv(f->p, "TZ"));
	if (!civil_from(sec, zone_offset(&zone, sec, NULL, NULL), &c)) {
		str_addf(&f->text, "%s*Invalid time*", before);
		return;
	}
	str_addf(&f->text, "%s%.3s %.3s %2d %02d:%02d:%02d %lld", before, days + 3 * c.weekday,
		 months + 3 * (c.month - 1), c.day, c.hour, c.minute, c.second,
		 (long long)c.year);
}

/* ---- Answers ---- */

static void add_charset(struct file_look *f)
{
	if (!(f->o->mode & FILE_MIME_ENCODING))
		return;
	str_adds(&f->out, f->o->mode & FILE_MIME_TYPE ? "; charset=" : "");
	str_adds(&f->out, file_charset(f));
}

static const char *default_mime(const struct file_look *f)
{
	return f->encoding == FILE_NO_TEXT || f->padded ? "application/octet-stream" : "text/plain";
}

void file_take(struct file_look *f)
{
	unsigned mode = f->o->mode;
	const char *more = f->o->raw ? "\n- " : "\\012- ";

	if (mode == FILE_MIME_ENCODING) {
		f->n_found++;
	} else {
		if (f->n_found++)
			str_adds(&f->out, more);
		if (!mode)
			str_addn(&f->out, f->text.p, f->text.n);
		else if (mode & FILE_MIME_TYPE)
			str_adds(&f->out, f->mime ? f->mime : default_mime(f));
		else if (mode & FILE_EXTENSION)
			str_adds(&f->out, f->ext ? f->ext : "???");
		else
			str_adds(&f->out, f->apple ? f->apple : "UNKNUNKN");
	}
	str_reset(&f->text);
	f->mime = f->ext = f->apple = NULL;
}

static void take_as(struct file_look *f, const char *text, const char *mime)
{
	str_reset(&f->text);
	str_adds(&f->text, text);
	f->mime = mime;
	file_take(f);
}

/* ---- Text ---- */

struct line_ends {
	size_t crlf, cr, lf, nel, longest;
	bool escapes, backspaces;
};

enum { LINE_LONG = 300 };

static void count_lines(const struct file_look *f, struct line_ends *l)
{
	size_t last = SIZE_MAX;		/* of the line's end before: none yet */
	bool cr = false;

	for (size_t i = 0; i < f->n_chars; i++) {
		uint32_t c = f->chars[i];

		if (c == '\n') {
			*(cr ? &l->crlf : &l->lf) += 1;
			last = i;
		} else if (cr) {
			l->cr++;
		}
		cr = c == '\r';
		if (cr || c == 0x85)
			last = i;
		l->nel += c == 0x85;
		if (i - last > LINE_LONG && i - last > l->longest)
			l->longest = i - last;
		l->escapes |= c == 033;
		l->backspaces |= c == '\b';
	}
	l->cr += cr;
}

static void add_line_ends(struct file_look *f, const struct line_ends *l)
{
	struct str *s = &f->text;

	if (l->lf && !l->crlf && !l->cr && !l->nel)
		return;
	str_adds(s, ", with");
	if (!l->crlf && !l->cr && !l->nel)
		str_adds(s, " no");
	if (l->crlf)
		str_adds(s, l->cr || l->lf || l->nel ? " CRLF," : " CRLF");
	if (l->cr)
		str_adds(s, l->lf || l->nel ? " CR," : " CR");
	if (l->lf)
		str_adds(s, l->nel ? " LF," : " LF");
	if (l->nel)
		str_adds(s, " NEL");
	str_adds(s, " line terminators");
}

static bool cut_end(struct str *s, const char *end)
{
	size_t n = strlen(end);

	if (s->n < n || memcmp(s->p + s->n - n, end, n))
		return false;
	str_cut(s, s->n - n);
	return true;
}

/* What characters it is made of, behind the kind of text (if one is known). */
static void add_text_nature(struct file_look *f)
{
	struct line_ends l = { 0 };
	bool executable = false;

	if (f->text.n || f->n_found || f->prefixed) {
		executable = !cut_end(&f->text, " text") && cut_end(&f->text, " text executable");
		str_adds(&f->text, ", ");
	}
	count_lines(f, &l);
	str_adds(&f->text, file_encoding_name(f));
	if (f->encoding == FILE_UTF7 || f->encoding == FILE_UTF32_LE ||
	    f->encoding == FILE_UTF32_BE)
		return;
	str_adds(&f->text, " text");
	if (executable)
		str_adds(&f->text, " executable");
	if (l.longest)
		str_addf(&f->text, ", with very long lines (%zu)", l.longest);
	add_line_ends(f, &l);
	if (l.escapes)
		str_adds(&f->text, ", with escape sequences");
	if (l.backspaces)
		str_adds(&f->text, ", with overstriking");
}

static void look_at_text(struct file_look *f)
{
	if (f->o->skip & FILE_SOFT)
		str_reset(&f->text);
	else
		file_text_kind(f);
	if (!f->mime)
		f->mime = "text/plain";
	add_text_nature(f);
	file_take(f);
}

/* ---- Compressed files ---- */

/* What is inside, and then in parentheses what it is packed as. */
static bool look_into_packed(struct file_look *f)
{
	struct file_look in;
	unsigned char *bytes;
	const char *error;
	unsigned mode = f->o->mode;
	size_t n;

	if (f->depth || !file_unpack(f, &bytes, &n, &error))
		return false;
	if (error && (mode & FILE_MIME_TYPE)) {
		str_adds(&f->out, "application/x-decompression-error-");
		for (const char *s = error; *s; s++)
			if (*s != '[' && *s != ']' && *s != ':')
				str_addc(&f->out, *s == ' ' ? '-' : *s);
	} else if (error) {
		str_addf(&f->out, "ERROR:%s", error);
	} else {
		file_look_init(&in, f->o, bytes, n);
		in.depth = 1;
		file_look_at(&in);
		str_addn(&f->out, in.out.p, in.out.n);
	}
	if (f->o->bare_unzip)
		return true;
	if (mode == FILE_MIME_TYPE)
		return true;
	str_adds(&f->out, mode & FILE_MIME_TYPE ? " compressed-encoding=" : " (");
	f->depth = 2;
	file_look_at(f);
	f->depth = 0;
	if (!(mode & FILE_MIME_TYPE))
		str_addc(&f->out, ')');
	return true;
}

/* ---- All of it ---- */

static bool look_at_nothing(struct file_look *f)
{
	if (f->n > 1)
		return false;
	if (!f->n)
		take_as(f, "empty", f->depth ? "application/x-empty" : "inode/x-empty");
	else
		take_as(f, "very short file (no magic)", NULL);
	add_charset(f);
	return true;
}

/* Tests that know a whole format. true: the answer is complete. */
static bool look_at_formats(struct file_look *f)
{
	unsigned skip = f->o->skip;
	bool found = false;

	if (!(skip & FILE_TAR) && file_tar(f))
		found = true;
	else if (!(skip & FILE_JSON) && file_json(f))
		found = true;
	else if (!(skip & FILE_CSV) && file_csv(f))
		found = true;
	if (found)
		file_take(f);
	return found && !f->o->keep_going;
}

static void look_at_kinds(struct file_look *f)
{
	if (look_at_formats(f))
		return;
	if (!(f->o->skip & FILE_SOFT) && (file_text_final(f) || file_find_kind(f)) &&
	    !f->o->keep_going)
		return;
	if (f->o->skip & FILE_ENCODING)		/* not known to the tests until now */
		file_find_encoding(f);
	if (f->encoding != FILE_NO_TEXT && !(f->o->skip & FILE_TEXT))
		look_at_text(f);
	else if (!f->n_found || f->o->keep_going)
		take_as(f, "data", NULL);
}

void file_look_at(struct file_look *f)
{
	size_t was = f->n_found;

	f->n_found = 0;
	if (look_at_nothing(f))
		return;
	if (!(f->o->skip & FILE_ENCODING))
		file_find_encoding(f);
	if (f->o->unzip && !(f->o->skip & FILE_COMPRESS) && look_into_packed(f))
		return;
	look_at_kinds(f);
	add_charset(f);
	f->n_found += was;
}
