/*
 * pstree - the processes as a tree (psmisc 23.6). Equal subtrees are told once with
 * their number, unless options make them differ.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "base/utf8.h"
#include "cmd/accounts.h"
#include "cmd/cmd.h"
#include "cmd/locale.h"
#include "cmd/procs.h"
#include "cmd/rawopt.h"

enum { PSTREE_DEPTH = 500, PSTREE_WIDTH = 132 };

struct pstree_node {
	const struct procs_item *item;
	struct pstree_node *parent, *child, *next;	/* children in their order */
	bool lit, inside;	/* highlighted; compared equal to one that is shown */
};

struct pstree_lines {
	const char *only, *first, *more, *last, *down, *blank;
};

static const struct pstree_lines pstree_ascii = { "---", "-+-", " |-", " `-", " | ", "   " };
static const struct pstree_lines pstree_utf8 = { "───", "─┬─", " ├─", " └─", " │ ", "   " };
static const struct pstree_lines pstree_vt100 = {
	"\033(0\017qqq\033(B", "\033(0\017qwq\033(B", " \033(0\017tq\033(B", " \033(0\017mq\033(B",
	" \033(0\017x\033(B ", "   "
};

struct pstree {
	/* options */
	bool arguments, each, groups, long_lines, numeric, pids, parents, uids, contexts, hide, thread_names,
	     spaces, light;
	int lines;		/* 'A', 'G', 'U' */
	const char *light_pid, *space_kind, *color;
	/* the run */
	struct tsb_proc *p;
	struct procs all;
	struct pstree_node *nodes, *root;
	const struct pstree_lines *l;
	struct str line;
	size_t columns, width;
	bool cut;		/* nothing more fits */
	double now;
};

static const char pstree_usage[] =
	"Usage: pstree [-acglpsStTuZ] [ -h | -H PID ] [ -n | -N type ]\n"
	"              [ -A | -G | -U ] [ PID | USER ]\n"
	"   or: pstree -V\n"
	"\n"
	"Display a tree of processes.\n"
	"\n"
	"  -a, --arguments     show command line arguments\n"
	"  -A, --ascii         use ASCII line drawing characters\n"
	"  -c, --compact-not   don't compact identical subtrees\n"
	"  -C, --color=TYPE    color process by attribute\n"
	"                      (age)\n"
	"  -g, --show-pgids    show process group ids; implies -c\n"
	"  -G, --vt100         use VT100 line drawing characters\n"
	"  -h, --highlight-all highlight current process and its ancestors\n"
	"  -H PID, --highlight-pid=PID\n"
	"                      highlight this process and its ancestors\n"
	"  -l, --long          don't truncate long lines\n"
	"  -n, --numeric-sort  sort output by PID\n"
	"  -N TYPE, --ns-sort=TYPE\n"
	"                      sort output by this namespace type\n"
	"                              (cgroup, ipc, mnt, net, pid, time, user, uts)\n"
	"  -p, --show-pids     show PIDs; implies -c\n"
	"  -s, --show-parents  show parents of the selected process\n"
	"  -S, --ns-changes    show namespace transitions\n"
	"  -t, --thread-names  show full thread names\n"
	"  -T, --hide-threads  hide threads, show only processes\n"
	"  -u, --uid-changes   show uid transitions\n"
	"  -U, --unicode       use UTF-8 (Unicode) line drawing characters\n"
	"  -V, --version       display version information\n"
	"  -Z, --security-context\n"
	"                      show security attributes\n"
	"\n"
	"  PID    start at this PID; default is 1 (init)\n"
	"  USER   show only trees rooted at processes of this user\n"
	"\n";

static int pstree_bad(struct tsb_proc *p, const char *text)
{
	tsb_flush(p);
	if (text)
		tsb_warn(p, "%s", text);
	tsb_write_all(p, 2, pstree_usage, sizeof(pstree_usage) - 1);
	return 1;
}

/* ---- The tree ---- */

static struct pstree_node *pstree_find(struct pstree *t, int pid)
{
	for (size_t i = 0; i < t->all.n; i++)
		if (t->all.at[i].pid == pid)
			return &t->nodes[i];
	return NULL;
}

/* The order of siblings: names, and numbers among equals. */
static int pstree_compare(const struct pstree *t, const struct procs_item *a, const struct procs_item *b)
{
	int c = t->numeric ? 0 : strcmp(a->comm, b->comm);

	if (!c && !t->numeric && t->uids)
		c = (a->uid[0] > b->uid[0]) - (a->uid[0] < b->uid[0]);
	return c ? c : (a->pid > b->pid) - (a->pid < b->pid);
}

static void pstree_add(struct pstree *t, struct pstree_node *parent, struct pstree_node *n)
{
	struct pstree_node **at = &parent->child;

	n->parent = parent;
	while (*at && pstree_compare(t, (*at)->item, n->item) < 0) {
		at = &(*at)->next;
		tsb_tick(t->p, 1);
	}
	n->next = *at;
	*at = n;
}

static void pstree_build(struct pstree *t)
{
	procs_read(t->p, &t->all);
	t->nodes = tsb_alloc(t->p, (t->all.n + 1) * sizeof(*t->nodes));
	for (size_t i = 0; i < t->all.n; i++)
		t->nodes[i].item = &t->all.at[i];
	for (size_t i = 0; i < t->all.n; i++) {
		struct pstree_node *parent = pstree_find(t, t->all.at[i].ppid);

		if (parent && parent != &t->nodes[i])
			pstree_add(t, parent, &t->nodes[i]);
	}
}

/* ---- A line ---- */

static void pstree_flush(struct pstree *t)
{
	str_addc(&t->line, '\n');
	tsb_put(t->p, t->line.p, t->line.n);
	str_reset(&t->line);
	t->columns = 0;
	t->cut = false;
}

/* Text of so many columns, as far as the line has room; "+" is where it ends. */
static void pstree_text(struct pstree *t, const char *s, size_t columns)
{
	if (t->cut)
		return;
	if (t->long_lines || t->columns + columns < t->width) {
		str_adds(&t->line, s);
		t->columns += columns;
		return;
	}
	for (; *s && t->columns + 1 < t->width; t->columns++)
		str_addc(&t->line, *s++);
	str_addc(&t->line, '+');
	t->cut = true;
}

static void pstree_plain(struct pstree *t, const char *s)
{
	pstree_text(t, s, strlen(s));
}

/* With what cannot be printed, and backslashes, escaped. */
static const char *pstree_escaped(struct pstree *t, const char *s)
{
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\\')
			str_adds(&out, "\\\\");
		else if (c > ' ' && c < 0x7f)
			str_addc(&out, c);
		else if (c == ' ')
			str_addc(&out, ' ');
		else
			str_addf(&out, "\\%03o", c);
	}
	return str_take(&out, NULL);
}

/* "(12,34,user)" behind a name. */
static void pstree_brackets(struct pstree *t, const struct pstree_node *n)
{
	const struct procs_item *i = n->item;
	char open = t->arguments ? ',' : '(';
	bool closed = true;
	const char *user;

	if (t->pids) {
		pstree_plain(t, tsb_format(t->p, "%c%d", open, i->pid));
		open = ',';
		closed = false;
	}
	if (t->groups) {
		pstree_plain(t, tsb_format(t->p, "%c%d", open, i->pgrp));
		open = ',';
		closed = false;
	}
	/* The first of a tree is told from root. */
	if (t->uids && (n == t->root || !n->parent ? 0 : n->parent->item->uid[0]) != i->uid[0]) {
		user = accounts_user_name(t->p, i->uid[0]);
		pstree_plain(t, tsb_format(t->p, "%c%s", open, user ? user : tsb_format(t->p, "%u", i->uid[0])));
		open = ',';
		closed = false;
	}
	if (t->contexts) {
		pstree_plain(t, tsb_format(t->p, "%c`'", open));
		closed = false;
	}
	if (!closed && !t->arguments)
		pstree_plain(t, ")");
}

static void pstree_raw(struct pstree *t, const char *s)
{
	if (!t->cut)
		str_adds(&t->line, s);
}

static void pstree_name(struct pstree *t, const struct pstree_node *n)
{
	const struct procs_item *i = n->item;
	double age = t->now - (double)i->start / PROCS_HZ;

	if (t->color)
		pstree_raw(t, age < 60 ? "\033[32m" : age < 3600 ? "\033[33m" : "\033[31m");
	if (n->lit)
		pstree_raw(t, "\033[1m");
	pstree_plain(t, pstree_escaped(t, i->comm));
	if (n->lit)
		pstree_raw(t, "\033[0m");
	if (t->color)
		pstree_raw(t, "\033[0m");
	pstree_brackets(t, n);
	for (size_t k = 1; t->arguments && k < i->argc; k++) {
		const char *arg = pstree_escaped(t, i->argv[k]);
		size_t spare = k + 1 < i->argc ? 4 : 0;

		if (!t->long_lines && t->columns + strlen(arg) + spare >= t->width) {
			pstree_plain(t, "...");
			break;
		}
		pstree_plain(t, " ");
		pstree_plain(t, arg);
	}
}

/* ---- Equal subtrees ---- */

static bool pstree_same(struct pstree *t, const struct pstree_node *a, const struct pstree_node *b, int depth)
{
	const struct pstree_node *x = a->child, *y = b->child;

	tsb_tick(t->p, 1);
	if (strcmp(a->item->comm, b->item->comm) || a->lit != b->lit || depth > PSTREE_DEPTH ||
	    (t->uids && a->item->uid[0] != b->item->uid[0]) || (t->groups && a->item->pgrp != b->item->pgrp))
		return false;
	for (; x && y; x = x->next, y = y->next)
		if (!pstree_same(t, x, y, depth + 1))
			return false;
	return !x && !y;
}

/* How many siblings from n on are shown as one; they are marked. */
static int pstree_count(struct pstree *t, struct pstree_node *n)
{
	int count = 1;

	if (t->each || t->pids || t->arguments)
		return 1;
	for (struct pstree_node *s = n->next; s; s = s->next)
		if (!s->inside && pstree_same(t, n, s, 0)) {
			s->inside = true;
			count++;
		}
	return count;
}

static struct pstree_node *pstree_shown(struct pstree_node *n)
{
	while (n && n->inside)
		n = n->next;
	return n;
}

/* ---- The picture ---- */

/* What stands left of a line: for each level the blanks, and whether a line goes down. */
struct pstree_left {
	const struct pstree_left *above;
	size_t blanks;
	bool down;
	int depth;
};

static void pstree_indent(struct pstree *t, const struct pstree_left *left)
{
	const struct pstree_left *stack[PSTREE_DEPTH + 2];
	int n = 0;

	for (; left && n < PSTREE_DEPTH + 2; left = left->above)
		stack[n++] = left;
	while (n--) {
		for (size_t i = 0; i < stack[n]->blanks; i++)
			pstree_text(t, " ", 1);
		if (n)
			pstree_text(t, stack[n]->down ? t->l->down : t->l->blank, 3);
	}
}

static void pstree_show(struct pstree *t, struct pstree_node *n, const struct pstree_left *left, int count,
			size_t closing)
{
	size_t start = t->columns;
	struct pstree_left mine = { .above = left, .depth = left ? left->depth + 1 : 0 };
	bool first = true;

	tsb_tick(t->p, 4);
	if (count > 1)
		pstree_plain(t, tsb_format(t->p, "%d*[", count));
	closing += count > 1;
	pstree_name(t, n);
	mine.blanks = t->arguments ? 2 - (left != NULL) : t->columns - start;
	n = mine.depth < PSTREE_DEPTH ? pstree_shown(n->child) : NULL;
	if (!n || t->arguments) {
		for (; closing && !n; closing--)
			pstree_plain(t, "]");
		pstree_flush(t);
	}
	for (struct pstree_node *next; n; n = next) {
		int same = pstree_count(t, n);

		next = pstree_shown(n->next);
		if (!first || t->arguments)
			pstree_indent(t, &mine);
		pstree_text(t, first && !t->arguments ? (next ? t->l->first : t->l->only) :
			       next ? t->l->more + t->arguments : t->l->last + t->arguments, 3 - t->arguments);
		mine.down = next != NULL;
		pstree_show(t, n, &mine, same, next ? 0 : closing);
		first = false;
	}
}

static void pstree_dump(struct pstree *t, struct pstree_node *n)
{
	t->root = n;
	pstree_show(t, n, NULL, 1, 0);
}

/* Only the way down to a process is left of those above it. */
static struct pstree_node *pstree_only_way(struct pstree_node *n)
{
	struct pstree_node *child = n;

	for (n = n->parent; n; child = n, n = n->parent) {
		n->child = child;
		child->next = NULL;
	}
	return child;
}

static int pstree_users(struct pstree *t, const char *name)
{
	uint32_t uid, gid;
	bool any = false;

	if (!accounts_user(t->p, name, &uid, &gid)) {
		name = tsb_format(t->p, "No such user name: %s\n", name);
		tsb_write_all(t->p, 2, name, strlen(name));
		return 1;
	}
	for (size_t i = 0; i < t->all.n; i++) {
		const struct pstree_node *up = t->nodes[i].parent;

		if (t->all.at[i].uid[0] != uid)
			continue;
		while (up && up->item->uid[0] != uid)
			up = up->parent;
		if (up)
			continue;
		if (any)
			tsb_putc(t->p, '\n');
		pstree_dump(t, &t->nodes[i]);
		any = true;
	}
	if (!any)
		tsb_write_all(t->p, 2, "No processes found.\n", 20);
	return any ? 0 : 1;
}

/* ---- Options ---- */

static int pstree_opt_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char text[] = "pstree (PSmisc) 23.6\n"
		"Copyright (C) 1993-2021 Werner Almesberger and Craig Small\n\n"
		"PSmisc comes with ABSOLUTELY NO WARRANTY.\n"
		"This is free software, and you are welcome to redistribute it under\n"
		"the terms of the GNU General Public License.\n"
		"For more information about these matters, see the files named COPYING.\n";

	(void)opts, (void)opt, (void)arg;
	tsb_write_all(p, 2, text, sizeof(text) - 1);
	tsb_exit(p, 0);
}

static const struct tsb_opt pstree_opts[] = {
	TSB_OPT_FLAG(struct pstree, arguments, 'a', "arguments", "show command line arguments"),
	TSB_OPT_SET(struct pstree, lines, 'A', 'A', "ascii", "use ASCII line drawing characters"),
	TSB_OPT_FLAG(struct pstree, each, 'c', "compact-not", "don't compact identical subtrees"),
	TSB_OPT_STR(struct pstree, color, 'C', "color", "TYPE", "color process by attribute (age)"),
	TSB_OPT_FLAG(struct pstree, groups, 'g', "show-pgids", "show process group ids; implies -c"),
	TSB_OPT_SET(struct pstree, lines, 'G', 'G', "vt100", "use VT100 line drawing characters"),
	TSB_OPT_FLAG(struct pstree, light, 'h', "highlight-all", "highlight current process and its ancestors"),
	TSB_OPT_STR(struct pstree, light_pid, 'H', "highlight-pid", "PID", "highlight this process and its ancestors"),
	TSB_OPT_FLAG(struct pstree, long_lines, 'l', "long", "don't truncate long lines"),
	TSB_OPT_FLAG(struct pstree, numeric, 'n', "numeric-sort", "sort output by PID"),
	TSB_OPT_STR(struct pstree, space_kind, 'N', "ns-sort", "TYPE", "sort output by this namespace type"),
	TSB_OPT_FLAG(struct pstree, pids, 'p', "show-pids", "show PIDs; implies -c"),
	TSB_OPT_FLAG(struct pstree, parents, 's', "show-parents", "show parents of the selected process"),
	TSB_OPT_FLAG(struct pstree, spaces, 'S', "ns-changes", "show namespace transitions"),
	TSB_OPT_FLAG(struct pstree, thread_names, 't', "thread-names", "show full thread names"),
	TSB_OPT_FLAG(struct pstree, hide, 'T', "hide-threads", "hide threads, show only processes"),
	TSB_OPT_FLAG(struct pstree, uids, 'u', "uid-changes", "show uid transitions"),
	TSB_OPT_SET(struct pstree, lines, 'U', 'U', "unicode", "use UTF-8 (Unicode) line drawing characters"),
	TSB_OPT_CALL(pstree_opt_version, 0, 'V', "version", NULL, "display version information"),
	TSB_OPT_FLAG(struct pstree, contexts, 'Z', "security-context", "show security attributes"),
	TSB_OPT_END
};

/* false: the usage is told. */
static bool pstree_settle(struct pstree *t, int argc, uint64_t *light)
{
	static const char kinds[] = " cgroup ipc mnt net pid time user uts ";
	const char *columns = tsb_getenv(t->p, "COLUMNS");
	uint64_t width;

	*light = (uint64_t)tsb_getpid(t->p);
	if (t->light_pid && num_u64(t->light_pid, light) != NUM_OK)
		return false;
	if (argc > 1 || (t->color && strcmp(t->color, "age")))
		return false;
	if (t->space_kind && !strstr(kinds, tsb_format(t->p, " %s ", t->space_kind)))
		return false;
	t->width = columns && num_u64(columns, &width) == NUM_OK && width > 0 && width < 100000 ?
		   (size_t)width : PSTREE_WIDTH;
	t->l = t->lines == 'U' ? &pstree_utf8 : t->lines == 'G' ? &pstree_vt100 : &pstree_ascii;
	return true;
}

static int pstree_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct pstree_node *root;
	struct opt_parsed got;
	uint64_t pid = 1, light;
	struct pstree *t;
	int status;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_pstree, argc, argv, &got, &status, pstree_bad))
		return status;
	t = got.opts;
	t->p = p;
	if (!pstree_settle(t, got.argc, &light))
		return pstree_bad(p, NULL);
	if (t->space_kind) {
		const char *say = tsb_format(p, "procfs file for %s namespace not available\n", t->space_kind);

		tsb_write_all(p, 2, say, strlen(say));
		return 1;
	}
	str_init(&t->line, tsb_heap_of(p), STR_MAX_DEFAULT);
	t->now = procs_uptime(p);
	pstree_build(t);
	if (t->light || t->light_pid)
		for (root = pstree_find(t, (int)light); root; root = root->parent)
			root->lit = true;
	if (got.argc && (got.argv[0][0] < '0' || got.argv[0][0] > '9'))
		return pstree_users(t, got.argv[0]);
	if (got.argc && (num_u64(got.argv[0], &pid) != NUM_OK || pid > INT32_MAX))
		return got.argv[0][strspn(got.argv[0], "0123456789")] ? pstree_bad(p, NULL) : 0;
	root = pstree_find(t, (int)pid);
	if (root)
		pstree_dump(t, t->parents ? pstree_only_way(root) : root);
	return 0;
}

const struct tsb_command cmd_pstree = {
	.version = TSB_COMMAND_VERSION, .package = "psmisc", .package_version = "23.6", .name = "pstree",
	.synopsis = "[-acglpsStTuZ] [ -h | -H PID ] [ -n | -N type ] [ -A | -G | -U ] [ PID | USER ]\n-V",
	.summary = "Display a tree of processes.", .opts = pstree_opts, .opts_size = sizeof(struct pstree),
	.run = pstree_run, .flags = TSB_RAW | TSB_NO_HELP,
};
