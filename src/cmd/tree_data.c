/*
 * tree as JSON and as XML: the same nodes, their fields by name.
 */
#include "cmd/tree.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/util.h"

static const char *tree_kind(const struct tree_node *n)
{
	switch (n->st.mode & S_IFMT) {
	case S_IFDIR: return "directory";
	case S_IFLNK: return "link";
	case S_IFIFO: return "fifo";
	case S_IFSOCK: return "socket";
	case S_IFCHR: return "char";
	case S_IFBLK: return "block";
	case S_IFREG: return "file";
	default: return "unknown";
	}
}

static void data_json_text(struct str *out, const char *s)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";

	for (; *s; s++) {
		const char *at = strchr(from, *s);

		if (at) {
			str_addc(out, '\\');
			str_addc(out, to[at - from]);
		} else if ((unsigned char)*s < ' ' || *s == 127) {
			str_addf(out, "\\u%04x", (unsigned char)*s);
		} else {
			str_addc(out, *s);
		}
	}
}

static void data_text(struct tree *t, const char *s)
{
	if (t->data == 'J')
		data_json_text(&t->out, s);
	else
		tree_xml_text(&t->out, s);
}

/* ,"key":"  or  key=" */
static void data_key(struct tree *t, const char *key, bool quoted)
{
	if (t->data == 'J')
		str_addf(&t->out, ",\"%s\":%s", key, quoted ? "\"" : "");
	else
		str_addf(&t->out, " %s=\"", key);
}

static void data_end(struct tree *t, bool quoted)
{
	if (t->data != 'J' || quoted)
		str_addc(&t->out, '"');
}

static void data_number(struct tree *t, const char *key, uint64_t v)
{
	data_key(t, key, false);
	str_addf(&t->out, "%llu", (unsigned long long)v);
	data_end(t, false);
}

static void data_string(struct tree *t, const char *key, const char *value)
{
	data_key(t, key, true);
	data_text(t, value);
	data_end(t, true);
}

static void data_fields(struct tree *t, const struct tree_node *n)
{
	struct str s;
	char mode[12];

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (t->inode)
		data_number(t, "inode", n->is_link ? n->to.ino : n->st.ino);
	if (t->device)
		data_number(t, "dev", n->is_link ? n->to.dev : n->st.dev);
	if (t->perms) {
		tree_mode_text(n, mode);
		data_string(t, "mode", tsb_format(t->p, "%04o", n->st.mode & 07777));
		data_string(t, "prot", mode);
	}
	if (t->user) {
		tree_add_user(t, &s, n);
		data_string(t, "user", s.p);
	}
	str_reset(&s);
	if (t->group) {
		tree_add_group(t, &s, n);
		data_string(t, "group", s.p);
	}
	str_reset(&s);
	if (t->size && t->human && t->data == 'J') {
		tree_add_size(t, &s, n->size);
		data_string(t, "size", s.p + strspn(s.p, " "));
	} else if (t->size) {
		data_number(t, "size", n->size);
	}
	str_reset(&s);
	if (t->date) {
		tree_add_date(t, &s, n);
		data_string(t, "time", s.p);
	}
	str_end(&s);
}

static void data_indent(struct tree *t, const struct tree_node *n)
{
	str_fill(&t->out, ' ', t->flat ? 0 : 2 * (n->depth + 1));
}

static void data_newline(struct tree *t)
{
	if (!t->flat)
		str_addc(&t->out, '\n');
}

static void data_info(struct tree *t, const struct tree_info *info)
{
	data_key(t, "info", true);
	for (size_t i = 0; i < info->n; i++) {
		if (i)
			data_text(t, "\n");
		data_text(t, info->lines[i]);
	}
	data_end(t, true);
}

static void data_begin(struct tree *t, const struct tree_node *n)
{
	char *path = t->full && n->depth ? tree_path(t, n) : NULL;

	if (!n->missing) {
		data_indent(t, n);
		str_addf(&t->out, t->data == 'J' ? "{\"type\":\"%s\"" : "<%s", tree_kind(n));
	}
	data_string(t, "name", path ? path : n->name);
	if (n->info)
		data_info(t, n->info);
	if (n->target)
		data_string(t, "target", n->target);
	if (!n->missing)
		data_fields(t, n);
	if (t->data == 'J')
		str_adds(&t->out, n->n_kids || n->note ? ",\"contents\":[" : "");
	else
		str_addc(&t->out, '>');
	if (n->note && t->data == 'J')
		str_addf(&t->out, "{\"error\": \"%s\"}\n%s", n->note, n->missing ? "\n" : "");
	else if (n->note)
		str_addf(&t->out, "<error>%s</error>\n", n->note);
	else if (n->n_kids || (t->data == 'X' && !n->depth))
		data_newline(t);
	tsb_free(t->p, path);
	tree_drain(t, false);
}

static void data_close(struct tree *t, const struct tree_node *n)
{
	if (n->n_kids || n->note || (t->data == 'X' && !n->depth))
		data_indent(t, n);
	if (t->data == 'J')
		str_adds(&t->out, n->n_kids || n->note ? "]}" : "}");
	else
		str_addf(&t->out, "</%s>", n->missing ? "unknown" : tree_kind(n));
	if (t->data == 'J' && n->parent && n->place + 1 < n->parent->n_kids)
		str_addc(&t->out, ',');
	if (n->parent || t->data == 'X')
		data_newline(t);
}

static void data_report(struct tree *t)
{
	unsigned long long dirs = t->n_dirs, files = t->n_files;

	if (t->data == 'J')
		data_newline(t);
	if (t->no_report && t->data == 'J')
		data_newline(t);
	if (t->no_report)
		return;
	if (t->data == 'J') {
		str_addf(&t->out, t->flat ? ",{\"type\":\"report\"" : ",\n  {\"type\":\"report\"");
		if (t->du)
			str_addf(&t->out, ",\"size\":%llu", (unsigned long long)t->total);
		str_addf(&t->out, ",\"directories\":%llu", dirs);
		if (!t->dirs_only)
			str_addf(&t->out, ",\"files\":%llu", files);
		str_addc(&t->out, '}');
		data_newline(t);
		return;
	}
	str_adds(&t->out, "  <report>\n");
	if (t->du)
		str_addf(&t->out, "    <size>%llu</size>\n", (unsigned long long)t->total);
	str_addf(&t->out, "    <directories>%llu</directories>\n", dirs);
	if (!t->dirs_only)
		str_addf(&t->out, "    <files>%llu</files>\n", files);
	str_adds(&t->out, "  </report>\n");
}

void tree_show_data(struct tree *t, struct tree_node **roots, size_t n)
{
	str_adds(&t->out, t->data == 'J' ? "[" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
	data_newline(t);
	if (t->data == 'X')
		str_adds(&t->out, "<tree>");
	if (t->data == 'X')
		data_newline(t);
	for (size_t i = 0; i < n; i++) {
		data_begin(t, roots[i]);
		tree_below(t, roots[i], data_begin, data_close);
		if (t->data == 'J' && i + 1 < n) {
			str_addc(&t->out, ',');
			data_newline(t);
		}
	}
	data_report(t);
	str_adds(&t->out, t->data == 'J' ? "]\n" : "</tree>\n");
}
