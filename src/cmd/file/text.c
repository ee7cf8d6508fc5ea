/*
 * Kinds of text: what stands at the start, and what stands at the start of some
 * line. Rows are in the order in which they win over one another.
 */
#include "cmd/file/file.h"

#include "text/regex.h"

#include <ctype.h>

enum {
	ICASE = 1,
	FINAL = 2,	/* nothing is said of the characters */
	BLANKS = 4,	/* blanks may stand before */
	LINES_100 = 8,	/* only so many lines */
	LINES_20 = 16
};

struct file_regex {
	struct regex *re;
	bool tried;
};

struct text_kind {
	const char *start;	/* what the text begins with; NULL: anything */
	const char *need;	/* what must be somewhere in the range before regex is tried */
	const char *regex;	/* what must match there; NULL: nothing */
	unsigned range;
	unsigned flags;
	const char *text, *mime, *ext;
	bool (*more)(struct file_look *f, const char *s, size_t n);
};

/* ---- What more is told ---- */

static size_t line_length(const char *s, size_t n)
{
	const char *nl = n ? memchr(s, '\n', n) : NULL;

	n = nl ? (size_t)(nl - s) : n;
	return n && s[n - 1] == '\r' ? n - 1 : n;
}

/* The version in <?xml version="1.0". */
static bool xml_more(struct file_look *f, const char *s, size_t n)
{
	if (n > 18 && !memcmp(s, "<?xml version=", 14) && (s[14] == '"' || s[14] == '\''))
		str_addf(&f->text, " %.3s", s + 15);
	str_adds(&f->text, " document text");
	return true;
}

static bool content_type_more(struct file_look *f, const char *s, size_t n)
{
	s += 14;
	n = line_length(s, n - 14);
	str_addn(&f->text, s, n);
	return n > 0;
}

static bool xbm_more(struct file_look *f, const char *s, size_t n)
{
	const char *w = memmem(s, n, "_width ", 7), *h = memmem(s, n, "_height ", 8);

	if (!w || !h)
		return false;
	str_addf(&f->text, "xbm image (%.*sx%.*s)", (int)strspn(w + 7, "0123456789"), w + 7,
		 (int)strspn(h + 8, "0123456789"), h + 8);
	return true;
}

static bool uuencode_more(struct file_look *f, const char *s, size_t n)
{
	n = line_length(s, n);
	if (n < 11)
		return false;
	str_addf(&f->text, "uuencoded or xxencoded text, file name \"%.*s\"", (int)(n - 10), s + 10);
	return true;
}

static bool url_more(struct file_look *f, const char *s, size_t n)
{
	const char *url = memmem(s, n, "URL=", 4);

	if (!url)
		return false;
	n = line_length(url + 4, n - (size_t)(url + 4 - s));
	str_addf(&f->text, " (URL=<%.*s>)", (int)n, url + 4);
	return true;
}

static bool fig_more(struct file_look *f, const char *s, size_t n)
{
	if (n > 8)
		str_addf(&f->text, ", version %.3s", s + 5);
	return true;
}

/* $ANSIBLE_VAULT;1.1;AES256 */
static bool vault_more(struct file_look *f, const char *s, size_t n)
{
	size_t start = strlen("$ANSIBLE_VAULT;"), end = line_length(s, n), version;

	if (end <= start)
		return true;
	version = strspn(s + start, "0123456789.");
	if (version)
		str_addf(&f->text, ", version %.*s", (int)version, s + start);
	start += version + 1;
	if (version && start < end)
		str_addf(&f->text, ", encryption %.*s", (int)strcspn(s + start, ";\n"), s + start);
	return true;
}

static bool netpbm_more(struct file_look *f, const char *s, size_t n)
{
	static const char *const kinds[] = { "bitmap", "greymap", "pixmap" };
	int k = s[1] - '1';
	const char *w = s + 2 + strspn(s + 2, " \t\r\n"), *h;

	while (*w == '#') {
		w += strcspn(w, "\n");
		w += strspn(w, " \t\r\n");
	}
	h = w + strspn(w, "0123456789");
	if (n < 5 || h == w)
		return false;
	str_addf(&f->text, ", size = %.*s", (int)(h - w), w);
	h += strspn(h, " \t\r\n");
	str_addf(&f->text, " x %.*s, %s", (int)strspn(h, "0123456789"), h, kinds[k]);
	return true;
}

static bool pam_more(struct file_look *f, const char *s, size_t n)
{
	const char *w = memmem(s, n, "WIDTH ", 6);

	if (w)
		str_addf(&f->text, ", size = %.*s", (int)strspn(w + 6, "0123456789"), w + 6);
	return true;
}

static bool cpp_class_more(struct file_look *f, const char *s, size_t n)
{
	n = n < 8192 ? n : 8192;
	(void)f;
	return memchr(s, '{', n) && memchr(s, '}', n) && memchr(s, ';', n);
}

/* Behind "main(": Java's String soon, or C's ")" and "{" which is not the last byte. */
static bool main_more(struct file_look *f, const char *s, size_t n)
{
	const char *end = s + (n < 8192 ? n : 8192);
	const char *at = (const char *)memmem(s, (size_t)(end - s), "main(", 5) + 5;
	size_t left = (size_t)(end - at), near = strlen("String") + 64;

	if (memmem(at, left < near ? left : near, "String", 6)) {
		str_adds(&f->text, "Java source text");
		f->mime = "text/x-java";
		return true;
	}
	while ((at = memchr(at, ')', (size_t)(end - at)))) {
		do
			at++;
		while (at < end && isspace((unsigned char)*at));
		if (end - at > 1 && *at == '{') {
			str_adds(&f->text, "C source text");
			f->mime = "text/x-c";
			return true;
		}
	}
	return false;
}

static bool ruby_end_more(struct file_look *f, const char *s, size_t n)
{
	(void)f;
	for (const char *at = s; (at = memmem(at, n - (size_t)(at - s), "end", 3)); at++) {
		const char *line = at;

		while (line > s && (line[-1] == ' ' || line[-1] == '\t'))
			line--;
		if ((line == s || line[-1] == '\n') && (at[3] == '\n' || !at[3]))
			return true;
	}
	return false;
}

/* The real tool says it for each of the two that is there. */
static bool try_more(struct file_look *f, const char *s, size_t n)
{
	bool except, finally;

	s = memmem(s, n, "try:", 4);
	except = memmem(s, strlen(s), "except", 6);
	finally = memmem(s, strlen(s), "finally:", 8);
	if (except && finally)
		str_adds(&f->text, " Python script text executable");
	return except || finally;
}

static bool ifdef_more(struct file_look *f, const char *s, size_t n)
{
	(void)f;
	n = n < 8192 ? n : 8192;
	return memmem(s, n, "#define", 7) || memmem(s, n, "#endif", 6);
}

/* ---- The rows ---- */

#define WORD "[A-Za-z_][A-Za-z0-9_]*"
#define NL "\n"
static const struct text_kind kinds[] = {
	/* Whole documents. */
	{ "<?xml", "<svg", "<svg[ >\n]", 4096, FINAL, "SVG Scalable Vector Graphics image",
	  "image/svg+xml", "svg", NULL },
	{ "(***********************", NULL, NULL, 0, FINAL, "Mathematica 3.0 notebook", NULL, NULL,
	  NULL },
	{ "<svg", NULL, NULL, 0, FINAL, "SVG Scalable Vector Graphics image", "image/svg+xml", "svg",
	  NULL },
	{ "<?xml", "<!DOCTYPE svg", NULL, 4096, FINAL, "SVG XML document", "image/svg+xml", NULL,
	  NULL },
	{ "<!DOCTYPE svg", NULL, NULL, 0, FINAL, "SVG XML document", "image/svg+xml", NULL, NULL },
	{ "P7\n", NULL, NULL, 0, FINAL, "Netpbm PAM image file", "image/x-portable-arbitrarymap",
	  "pam", pam_more },
	{ "[autorun]", NULL, NULL, 0, FINAL | ICASE, "Microsoft Windows Autorun file",
	  "application/x-setupscript", "inf", NULL },
	/* Markup. */
	{ "<?php", NULL, NULL, 0, ICASE, "PHP script", "text/x-php", NULL, NULL },
	{ "<?\n", NULL, NULL, 0, 0, "PHP script", "text/x-php", NULL, NULL },
	{ "<?\r", NULL, NULL, 0, 0, "PHP script", "text/x-php", NULL, NULL },
	{ "<?xml", NULL, NULL, 0, ICASE, "XML", "text/xml", NULL, xml_more },
	/* Differences. */
	{ NULL, "\n+++ ", "^--- .*\n[+]{3} .*\n@@", 4096, 0, "unified diff output text",
	  "text/x-diff", NULL, NULL },
	{ "*** ", "\n--- ", NULL, 4096, 0, "context diff output text", "text/x-diff", NULL, NULL },
	{ "diff ", NULL, NULL, 0, BLANKS, "diff output text", "text/x-diff", NULL, NULL },
	{ "Only in ", NULL, NULL, 0, 0, "diff output text", "text/x-diff", NULL, NULL },
	{ "Common subdirectories: ", NULL, NULL, 0, 0, "diff output text", "text/x-diff", NULL,
	  NULL },
	{ "Index:", NULL, NULL, 0, 0, "RCS/CVS diff output text", "text/x-diff", NULL, NULL },
	/* JavaScript. */
	{ NULL, NULL, "[(]function[ (]|module\\.exports.*=|"
	  "^(const|var|let)[ \t].*=[ \t]*require[(]|"
	  "^import[ \t].*[ \t]from[ \t]|"
	  "^export[ \t]+([*]|default|const|function|async|class|let|var)", 8192, 0,
	  "JavaScript source text", "application/javascript", "js", NULL },
	{ NULL, "use strict", "['\"]use strict['\"]", 65536, 0, "JavaScript source text",
	  "application/javascript", "js", NULL },
	/* Python. */
	{ NULL, "try:", NULL, 4100, 0, "Python script text executable", "text/x-script.python",
	  NULL, try_more },
	{ NULL, NULL, "^import " WORD " as " WORD "$|"
	  "^from +[A-Za-z0-9_.]+ +import +[A-Za-z0-9_*(\\]", 8192, 0, "Python script text executable",
	  "text/x-script.python", NULL, NULL },
	{ "\"\"\"", NULL, NULL, 0, 0, "Python script text executable", NULL, NULL,
	  NULL },
	{ NULL, NULL, "<!doctype html|<(html|head|title|style|table|script)[ >\n]|<a href=", 4096,
	  ICASE, "HTML document text", "text/html", NULL, NULL },
	{ "<!doctype ", NULL, NULL, 0, ICASE, "exported SGML document text", NULL, NULL, NULL },
	{ NULL, "<!--", NULL, 4100, 0, "exported SGML document text", NULL, NULL, NULL },
	/* Mail. */
	{ "Relay-Version:", NULL, NULL, 0, 0, "old news text", "message/rfc822", NULL, NULL },
	{ "#! rnews", NULL, NULL, 0, 0, "batched news text", "message/rfc822", NULL, NULL },
	{ "N#! rnews", NULL, NULL, 0, 0, "mailed, batched news text", "message/rfc822", NULL, NULL },
	{ "Forward to", NULL, NULL, 0, 0, "mail forwarding text", "message/rfc822", NULL, NULL },
	{ "Pipe to", NULL, NULL, 0, 0, "mail piping text", "message/rfc822", NULL, NULL },
	{ "Delivered-To:", NULL, NULL, 0, ICASE, "SMTP mail text", "message/rfc822", NULL, NULL },
	{ "Return-Path:", NULL, NULL, 0, ICASE, "SMTP mail text", "message/rfc822", NULL, NULL },
	{ "Path:", NULL, NULL, 0, 0, "news text", "message/news", NULL, NULL },
	{ "Xref:", NULL, NULL, 0, 0, "news text", "message/news", NULL, NULL },
	{ "From:", NULL, NULL, 0, 0, "news or mail text", "message/rfc822", NULL, NULL },
	{ "Date:", NULL, NULL, 0, 0, "news or mail text", "message/rfc822", NULL, NULL },
	{ "Article", NULL, NULL, 0, 0, "saved news text", "message/news", NULL, NULL },
	{ "Received:", NULL, NULL, 0, 0, "RFC 822 mail text", "message/rfc822", NULL, NULL },
	{ "MIME-Version:", NULL, NULL, 0, 0, "MIME entity text", NULL, NULL, NULL },
	{ "Content-Type: ", NULL, NULL, 0, 0, "", NULL, NULL, content_type_more },
	/* Small formats with a first line of their own. */
	{ NULL, "_width ", "^#define " WORD "_width [0-9]+$", 2048, 0, "", NULL, NULL, xbm_more },
	{ "begin ", NULL, "^begin [0-7]{3} .", 512, 0, "", NULL, NULL, uuencode_more },
	{ "#EXTM3U", NULL, NULL, 0, 0, "M3U playlist text", NULL, NULL, NULL },
	{ "[playlist]", NULL, NULL, 0, ICASE, "PLS playlist text", NULL, NULL, NULL },
	{ "WEBVTT", " --> ", NULL, 512, 0, "WebVTT subtitles", "text/vtt", "vtt", NULL },
	{ NULL, " --> ", "^[0-9]+\r?\n[0-9]+:[0-9]+:[0-9]+,[0-9]+ --> ", 64, 0, "SubRip",
	  "application/x-subrip", "srt", NULL },
	{ "GIMP Palette", NULL, NULL, 0, 0, "GIMP palette data", "text/x-gimp-gpl", "gpl", NULL },
	{ "#FIG", NULL, NULL, 0, 0, "FIG image text", "image/x-xfig", "fig", fig_more },
	{ "STARTFONT ", NULL, NULL, 0, 0, "X11 BDF font text", NULL, NULL, NULL },
	{ NULL, "a libtool library file", NULL, 256, 0, "libtool library file text", NULL, NULL,
	  NULL },
	{ "# Magic", NULL, NULL, 0, 0, "magic text file for file(1) cmd", NULL, NULL, NULL },
	{ "[InternetShortcut]", "URL=", NULL, 512, 0, "MS Windows 95 Internet shortcut text",
	  "application/x-mswinurl", "url", url_more },
	{ "@echo off", NULL, NULL, 0, ICASE, "DOS batch file text", "text/x-msdos-batch", "bat",
	  NULL },
	{ "-----BEGIN NEW CERTIFICATE REQUEST-----", NULL, NULL, 0, 0,
	  "RFC1421 Security Certificate Signing Request", NULL, NULL, NULL },
	{ "$ANSIBLE_VAULT", NULL, NULL, 0, FINAL, "Ansible Vault", NULL, NULL, vault_more },
	{ "P1", NULL, NULL, 0, 0, "Netpbm image data", "image/x-portable-bitmap", "pbm",
	  netpbm_more },
	{ "P2", NULL, NULL, 0, 0, "Netpbm image data", "image/x-portable-graymap", "pgm",
	  netpbm_more },
	{ "P3", NULL, NULL, 0, 0, "Netpbm image data", "image/x-portable-pixmap", "ppm",
	  netpbm_more },
	{ "This is Info file", NULL, NULL, 0, 0, "GNU Info text", "text/x-info", NULL, NULL },
	{ "This is ", NULL, "^This is .*, produced by makeinfo", 512, 0, "GNU Info text",
	  "text/x-info", NULL, NULL },
	/* Make. */
	{ NULL, NULL, "^(CFLAGS|VPATH|LDFLAGS|all:|\\.PRECIOUS)", 8000, LINES_100, "makefile script text",
	  "text/x-makefile", NULL, NULL },
	{ NULL, "SUBDIRS", "^SUBDIRS", 8000, LINES_100, "automake makefile script text", "text/x-makefile",
	  NULL, NULL },
	/* Perl. */
	{ NULL, "package", "^package[ \t]+[0-9A-Za-z_:]+ *;", 1024, 0, "Perl5 module source text",
	  NULL, NULL, NULL },
	{ NULL, "\n=", "^=(pod|head1|head2|encoding|begin)", 1030, 0, "Perl POD document text", NULL,
	  NULL, NULL },
	{ "=pod", NULL, NULL, 0, 0, "Perl POD document text", NULL, NULL, NULL },
	{ "=head", NULL, NULL, 0, 0, "Perl POD document text", NULL, NULL, NULL },
	{ "=encoding", NULL, NULL, 0, 0, "Perl POD document text", NULL, NULL, NULL },
	{ "eval ", NULL, "^eval [\"']exec .*perl", 256, 0, "Perl script text", "text/x-perl", NULL,
	  NULL },
	/* C and its family. */
	{ NULL, NULL, "^[ \t]{0,50}(public|private|protected):|^[ \t]{0,50}virtual[ \t]|"
	  "^[ \t]{0,50}template[ \t]*<.*>[ \t]*$|^using namespace std;|^[ \t]{0,50}namespace[ \t]+[A-Za-z0-9_:]+[ \t]*[{]", 8192, 0, "C++ source text",
	  "text/x-c++", NULL, NULL },
	{ NULL, "class ", "^class[ \t]+" WORD "[ \t\n]*([:].*)?[{]", 8192, 0, "C++ source text",
	  "text/x-c++", NULL, cpp_class_more },
	{ NULL, NULL, "^#include|^#pragma|^extern[ \t]+|^(struct|union)[ \t]+.|"
	  "^char[ \t]+[*].*;", 8192, 0, "C source text", "text/x-c", NULL, NULL },
	{ NULL, "#if", "^#ifn?def", 8192, 0, "C source text", "text/x-c", NULL, ifdef_more },
	{ NULL, "import", "^import.*;$", 8192, 0, "Java source text", "text/x-java", NULL, NULL },
	/* Python's definitions. */
	{ NULL, "def ", "^[ \t]{0,50}def +" WORD "\\([A-Za-z0-9_ ,*]*\\):$", 8192, 0,
	  "Python script text executable", "text/x-script.python", NULL, NULL },
	{ NULL, "class ", "^class +" WORD "(\\(.*\\))?:$", 8192, 0, "Python script text executable",
	  "text/x-script.python", NULL, NULL },
	{ NULL, "__main__", "if +__name__ *== *['\"]__main__['\"]", 4100, 0,
	  "Python script text executable", "text/x-script.python", NULL, NULL },
	/* Ruby, Tcl, Lisp, m4. */
	{ NULL, "require", "^[ \t]*require[ \t]'[^']+'", 8192, 0, "Ruby script text",
	  "text/x-ruby", NULL, NULL },
	{ NULL, NULL, "^[ \t]*(class|module|def) +[A-Za-z_]", 8192, 0, "Ruby script text",
	  "text/x-ruby", NULL, ruby_end_more },
	{ NULL, "package require", "^package require", 8192, 0, "Tcl script text", NULL,
	  NULL, NULL },
	{ NULL, NULL, "^\\((defun|defvar|defparam|setq|autoload) ", 8192, 0,
	  "Lisp/Scheme program text", "text/x-lisp", NULL, NULL },
	{ NULL, "dnl", "^dnl ", 8192, 0, "M4 macro processor script text", "text/x-m4", NULL,
	  NULL },
	/* TeX and troff. */
	{ NULL, "documentclass", "\\\\documentclass", 4096, 0, "LaTeX 2e document text",
	  "text/x-tex", NULL, NULL },
	{ NULL, NULL, "\\\\(documentstyle|section|chapter|begin|setlength|contentsline)", 4096, 0,
	  "LaTeX document text", "text/x-tex", NULL, NULL },
	{ NULL, "relax", "^\\\\relax", 4096, 0, "LaTeX auxiliary file text", "text/x-tex", NULL,
	  NULL },
	{ NULL, "\\input", "\\\\input", 4096, 0, "TeX document text", "text/x-tex", NULL, NULL },
	/* A function of that name: weaker than all above. */
	{ NULL, "main(", NULL, 8192, 0, "", NULL, NULL, main_more },
	{ NULL, "BEGIN", "^ *BEGIN *[{]", 8192, 0, "awk or perl script text", NULL, NULL,
	  NULL },
	{ NULL, NULL, "^@(article|book|inbook|incollection|inproceedings|manual|mastersthesis|misc|"
	  "phdthesis|techreport|unpublished|string)[{]", 64, ICASE, "BibTeX text file", NULL,
	  NULL, NULL },
	{ NULL, NULL, "^[ \t]*\\.(asciiz?|byte|even|globl|text|file|type)([ \t]|$)", 8192, 0,
	  "assembler source text", "text/x-asm", NULL, NULL },
	{ NULL, NULL, "^\\.[A-Za-z][A-Za-z]([ \t]|$)|^[.']\\\\\"|^\\\\\"", 4096, LINES_20,
	  "troff or preprocessor input text", "text/troff", NULL, NULL },
};

/* ---- Looking for them ---- */

static bool starts(const struct text_kind *k, const char *s, size_t n)
{
	size_t len = strlen(k->start);

	if (k->flags & BLANKS)
		for (; n && (*s == ' ' || *s == '\t'); n--)
			s++;
	if (n < len)
		return false;
	return k->flags & ICASE ? !strncasecmp(s, k->start, len) : !memcmp(s, k->start, len);
}

static bool matches(struct file_look *f, size_t i, const char *s, size_t n)
{
	struct file *o = f->o;
	struct file_regex *r;

	if (!o->regexes)
		o->regexes = tsb_alloc(f->p, sizeof(kinds) / sizeof(*kinds) * sizeof(*r));
	r = &o->regexes[i];
	if (!r->tried) {
		unsigned flags = REGEX_EXTENDED | REGEX_NEWLINE;
		const char *error;

		if (kinds[i].flags & ICASE)
			flags |= REGEX_ICASE;
		r->re = regex_compile(f->heap, kinds[i].regex, strlen(kinds[i].regex), flags,
				      &error);
		r->tried = true;
	}
	tsb_tick(f->p, n / 256 + 1);
	return r->re && regex_match(r->re, s, n, 0, 0, NULL, 0) == REGEX_MATCH;
}

/* The length of the first lines. */
static size_t of_lines(const char *s, size_t n, int lines)
{
	const char *at = s;

	for (; lines && at; lines--) {
		at = memchr(at, '\n', n - (size_t)(at - s));
		at = at ? at + 1 : NULL;
	}
	return at ? (size_t)(at - s) : n;
}

static bool holds(struct file_look *f, size_t i, const char *s, size_t n)
{
	const struct text_kind *k = &kinds[i];
	size_t range = k->range < n ? k->range : n;

	if (k->flags & (LINES_100 | LINES_20))
		range = of_lines(s, range, k->flags & LINES_20 ? 20 : 100);
	if (k->start && !starts(k, s, n))
		return false;
	if (k->need && !memmem(s, range, k->need, strlen(k->need)))
		return false;
	if (k->regex && !matches(f, i, s, range))
		return false;
	str_adds(&f->text, k->text);
	f->mime = k->mime;
	f->ext = k->ext;
	if (!k->more || k->more(f, s, n))
		return true;
	str_reset(&f->text);
	f->mime = f->ext = NULL;
	return false;
}

static bool find(struct file_look *f, const char *s, size_t n, bool final)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!(kinds[i].flags & FINAL) == !final && holds(f, i, s, n))
			return true;
	return false;
}

bool file_text_final(struct file_look *f)
{
	const char *s = (const char *)f->at;

	if (f->encoding == FILE_NO_TEXT) {
		if (!file_script(f, s, f->n))
			return false;
		if (f->text.n > 16 && !strcmp(f->text.p + f->text.n - 16, " text executable"))
			str_cut(&f->text, f->text.n - 16);
		str_adds(&f->text, " executable (binary data)");
		file_take(f);
		return true;
	}
	if (f->utf8.n > 4 && FILE_HAS(f, 0, "#!") && memmem(s, f->n < 256 ? f->n : 256,
							    "is a shell archive", 18)) {
		str_adds(&f->text, "shell archive text");
		f->mime = "application/octet-stream";
		file_take(f);
		return true;
	}
	if (f->utf8.n > 4 && file_script(f, f->utf8.p, f->utf8.n)) {
		if (!strncmp(f->text.p, "Perl ", 5)) {
			file_take(f);
			return true;
		}
		str_reset(&f->text);
		f->mime = NULL;
		return false;
	}
	if (!find(f, f->utf8.p, f->utf8.n, true))
		return false;
	file_take(f);
	return true;
}

void file_text_kind(struct file_look *f)
{
	if (!file_script(f, f->utf8.p, f->utf8.n))
		find(f, f->utf8.p, f->utf8.n, false);
}
