/*
 * tree -H: the same lines as an HTML page, each name a link; and -R, which writes
 * such a page (or a listing) into every directory where the depth of -L ends.
 */
#include "cmd/tree.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/lines.h"
#include "cmd/util.h"

static const char html_style[] =
	" <style type=\"text/css\">\n"
	"  BODY { font-family : monospace, sans-serif;  color: black;}\n"
	"  P { font-family : monospace, sans-serif; color: black; margin:0px; padding: 0px;}\n"
	"  A:visited { text-decoration : none; margin : 0px; padding : 0px;}\n"
	"  A:link    { text-decoration : none; margin : 0px; padding : 0px;}\n"
	"  A:hover   { text-decoration: underline; background-color : yellow; margin : 0px; "
	"padding : 0px;}\n"
	"  A:active  { margin : 0px; padding : 0px;}\n"
	"  .VERSION { font-size: small; font-family : arial, sans-serif; }\n"
	"  .NORM  { color: black;  }\n"
	"  .FIFO  { color: purple; }\n"
	"  .CHAR  { color: yellow; }\n"
	"  .DIR   { color: blue;   }\n"
	"  .BLOCK { color: yellow; }\n"
	"  .LINK  { color: aqua;   }\n"
	"  .SOCK  { color: fuchsia;}\n"
	"  .EXEC  { color: green;  }\n"
	" </style>\n";

/* A file of --hintro or --houtro as it is; one that cannot be read is nothing. */
static void html_file(struct tree *t, const char *path)
{
	int fd = tsb_open(t->p, path, 0, 0);
	struct tsb_reader in;
	char *data;
	size_t n;

	if (fd < 0)
		return;
	tsb_reader_init(&in, t->p, fd);
	while ((n = tsb_getblock(&in, &data))) {
		tsb_tick(t->p, 1);
		str_addn(&t->out, data, n);
		tree_drain(t, false);
	}
	tsb_reader_end(&in);
	tsb_close(t->p, fd);
}

static void html_begin(struct tree *t)
{
	const char *title = t->title ? t->title : "Directory Tree";

	if (t->html_intro) {
		html_file(t, t->html_intro);
		return;
	}
	str_addf(&t->out, "<!DOCTYPE html>\n<html>\n<head>\n"
		 " <meta http-equiv=\"Content-Type\" content=\"text/html; charset=%s\">\n"
		 " <meta name=\"Author\" content=\"Made by 'tree'\">\n", t->charset);
	str_addf(&t->out, " <meta name=\"GENERATOR\" content=\"tree v2.1.0 %s 1996 - 2022 by Steve "
		 "Baker, Thomas Moore, Francesc Rocher, Florian Sesser, Kyosuke Tokoro\">\n",
		 t->copyright);
	str_addf(&t->out, " <title>%s</title>\n%s</head>\n<body>\n\t<h1>%s</h1><p>\n", title,
		 html_style, title);
}

static void html_end(struct tree *t)
{
	const char *c = t->copyright;

	if (t->html_outro) {
		html_file(t, t->html_outro);
		return;
	}
	str_addf(&t->out, "\t<hr>\n\t<p class=\"VERSION\">\n"
		 "\t\t tree v2.1.0 %s 1996 - 2022 by Steve Baker and Thomas Moore <br>\n"
		 "\t\t HTML output hacked and copyleft %s 1998 by Francesc Rocher <br>\n", c, c);
	str_addf(&t->out, "\t\t JSON output hacked and copyleft %s 2014 by Florian Sesser <br>\n"
		 "\t\t Charsets / OS/2 support %s 2001 by Kyosuke Tokoro\n"
		 "\t</p>\n</body>\n</html>\n", c, c);
}

/* ---- One line ---- */

static void html_url(struct str *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '&')
			str_adds(out, "&amp;");
		else if (c <= ' ' || c >= 127 || strchr("\"#%+<>?[\\]^", c))
			str_addf(out, "%%%02X", c);
		else
			str_addc(out, c);
	}
}

static const char *html_class(const struct tree_node *n)
{
	uint32_t mode = n->is_link ? n->leads ? n->to.mode : 0 : n->st.mode;

	if (S_ISDIR(mode))
		return "DIR";
	if (mode & 0111)
		return "EXEC";
	return S_ISFIFO(mode) ? "FIFO" : S_ISSOCK(mode) ? "SOCK" : S_ISCHR(mode) ? "CHAR"
	       : S_ISBLK(mode) ? "BLOCK" : "NORM";
}

/* Of a directory, with the targets of links in place of their names. */
static char *html_real_path(struct tree *t, const struct tree_node *n)
{
	const struct tree_node *a = n;
	char *path = NULL;

	for (; a; a = a->parent) {
		const char *name = a->is_link && a->target ? a->target : a->name;
		bool slash = path && name[strlen(name) - 1] != '/';
		char *longer = tsb_format(t->p, "%s%s%s", name, slash ? "/" : "", path ? path : "");

		tsb_free(t->p, path);
		path = longer;
		if (name == a->target && *name == '/')
			break;
	}
	return path;
}

/* Where the link leads: below the base, without the name of the root. */
static void html_href(struct tree *t, const struct tree_node *n, const char *name)
{
	bool page = n->parent && n->parent->pages;
	char *dir;
	size_t len;

	str_addf(&t->out, " href=\"%s", t->html_base);
	if (n->parent) {
		dir = html_real_path(t, n->parent);
		len = strlen(dir);
		html_url(&t->out, dir + (len >= t->html_root ? t->html_root : 0));
		tsb_free(t->p, dir);
		str_addc(&t->out, '/');
		html_url(&t->out, name);
	}
	str_addf(&t->out, "%s%s\"", page ? "/00Tree.html" : "", n->is_dir ? "/" : "");
}

static void html_meta(struct tree *t, const struct tree_node *n)
{
	struct str s;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	tree_add_meta(t, &s, n);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ' ')
			str_adds(&t->out, "&nbsp;");
		else
			str_addc(&t->out, s.p[i]);
	if (s.n)
		str_adds(&t->out, "&nbsp;&nbsp;");
	str_end(&s);
}

static void html_line(struct tree *t, const struct tree_node *n)
{
	char *path = t->full && n->depth ? tree_path(t, n) : NULL;
	const char *name = path ? path : n->name;

	if (t->meta_first && !n->missing)
		html_meta(t, n);
	if (!n->missing && !t->flat && t->lines != TREE_ANSI)
		str_addc(&t->out, '\t');
	tree_add_indent(t, n);
	if (!t->meta_first && !n->missing)
		html_meta(t, n);
	str_adds(&t->out, "<a");
	if (t->color && !n->missing)
		str_addf(&t->out, " class=\"%s\"", html_class(n));
	for (size_t i = 0; n->info && i < n->info->n; i++) {
		str_adds(&t->out, i ? "\n" : " title=\"");
		tree_xml_text(&t->out, n->info->lines[i]);
	}
	if (n->info)
		str_addc(&t->out, '"');
	if (!t->no_links && !n->missing)
		html_href(t, n, name);
	str_addc(&t->out, '>');
	tree_xml_text(&t->out, n->parent ? name : t->html_base);
	str_adds(&t->out, "</a>");
	if (n->note)
		str_addf(&t->out, "  [%s]", n->note);
	str_adds(&t->out, "<br>\n");
	tsb_free(t->p, path);
	tree_drain(t, false);
}

/* ---- The whole ---- */

void tree_show_html(struct tree *t, struct tree_node **roots, size_t n)
{
	html_begin(t);
	for (size_t i = 0; i < n; i++) {
		struct tree_node *at = roots[i];

		t->html_root = strlen(at->name);
		html_line(t, at);
		tree_below(t, at, html_line, NULL);
	}
	if (!t->no_report) {
		str_adds(&t->out, "<br><br><p>\n");
		tree_report(t);
		str_adds(&t->out, "\n</p>\n");
	}
	html_end(t);
}
