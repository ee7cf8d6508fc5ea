/*
 * ls, dir, vdir - list directory contents. This file is the course of things:
 * operands, then directories from a stack, with -R each directory's own in
 * front of the rest. What a file needs is ls_read.c, orders are ls_sort.c,
 * formats ls_print.c and ls_long.c, names ls_name.c, colours ls_color.c.
 */
#include "cmd/ls.h"

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/path.h"
#include "cmd/util.h"

/* name NULL: the end of the listing of the directory (dev, ino). */
static struct ls_pending *ls_push(struct ls *ls, char *name, bool operand)
{
	struct ls_pending *d = tsb_alloc(ls->p, sizeof(*d));

	d->name = name;
	d->operand = operand;
	d->next = ls->pending;
	ls->pending = d;
	return d;
}

/* Directories among the files go on the stack, the first on top. Operands are
 * taken out of the files: dir is NULL then. */
static void ls_extract_dirs(struct ls *ls, const char *dir, bool operand)
{
	size_t kept = 0;

	for (size_t i = ls->n_files; i--;) {
		struct ls_file *f = ls->order[i];

		if (!ls_is_directory(f) || (dir && path_is_dot(path_last(f->name))))
			continue;
		if (!dir || *f->name == '/')
			ls_push(ls, tsb_strdup(ls->p, f->name), operand);
		else
			ls_push(ls, path_join(ls->p, dir, f->name), operand);
	}
	for (size_t i = 0; i < ls->n_files; i++)
		if (ls->order[i]->type != LS_OPERAND_DIR)
			ls->order[kept++] = ls->order[i];
	ls->n_files = kept;
}

static char *ls_active_key(struct ls *ls, uint64_t dev, uint64_t ino)
{
	return tsb_format(ls->p, "%llu:%llu", (unsigned long long)dev, (unsigned long long)ino);
}

/* -R: notes the directory as being listed; false: it is already. */
static bool ls_enter(struct ls *ls, const char *name, bool operand)
{
	struct ls_pending *end;
	struct tsb_stat st;
	int err = tsb_stat(ls->p, name, &st);
	char *key;

	if (err) {
		ls_fail(ls, operand, err, "cannot determine device and inode of", name);
		return false;
	}
	key = ls_active_key(ls, st.dev, st.ino);
	if (map_find(&ls->active, key, strlen(key))) {
		tsb_warn(ls->p, "%s: not listing already-listed directory", quote_f(ls->p, name));
		ls->status = 2;
		return false;
	}
	map_put(&ls->active, key, strlen(key));
	end = ls_push(ls, NULL, false);
	end->dev = st.dev;
	end->ino = st.ino;
	return true;
}

static void ls_leave(struct ls *ls, const struct ls_pending *end)
{
	char *key = ls_active_key(ls, end->dev, end->ino);

	map_remove(&ls->active, key, strlen(key));
	tsb_free(ls->p, key);
}

static void ls_heading(struct ls *ls, const char *name, bool operand)
{
	char *absolute = NULL;
	int err = 0;

	if (ls->first_heading_done)
		ls_put(ls, "\n", 1);
	ls->first_heading_done = true;
	if (ls->dired)
		ls_puts(ls, "  ");
	if (ls->hyperlink)
		err = path_canon(ls->p, name, PATH_MAY_MISS, &absolute);
	if (err)
		ls_fail(ls, operand, err, "error canonicalizing", name);
	ls_put_heading(ls, name, absolute);
	ls_puts(ls, ":\n");
}

/* Names come out as they are read where no order asks to wait. */
static void ls_take(struct ls *ls, const char *name, int type, const char *dir)
{
	if (ls_is_ignored(ls, name))
		return;
	ls->total_blocks += ls_add(ls, name, type, false, dir);
	if (ls->format != LS_ONE || ls->sort != LS_UNSORTED || ls->blocks || ls->recursive)
		return;
	ls_sort_files(ls);
	ls_print_files(ls);
	ls_clear(ls);
}

static void ls_read_entries(struct ls *ls, struct tsb_dir *d, const char *name, bool operand)
{
	const struct tsb_dirent *e;

	ls_take(ls, ".", LS_DIRECTORY, name);
	ls_take(ls, "..", LS_DIRECTORY, name);
	while ((e = tsb_readdir(d))) {
		tsb_tick(ls->p, 1);
		ls_take(ls, e->name, ls_type_of(e->mode), name);
	}
	if (tsb_dir_error(d))
		ls_fail(ls, operand, tsb_dir_error(d), "reading directory", name);
	tsb_closedir(d);
}

static void ls_total(struct ls *ls)
{
	char buf[HUMAN_SIZE];

	if (ls->format != LS_LONG && !ls->blocks)
		return;
	if (ls->dired)
		ls_puts(ls, "  ");
	ls_putf(ls, "total %s", human_format(buf, ls->total_blocks, 512, &ls->block));
	ls_put(ls, &(char){ (char)ls->eol }, 1);
}

static void ls_directory(struct ls *ls, const char *name, bool operand)
{
	struct tsb_dir *d;
	int err = tsb_opendir(ls->p, name, &d);

	if (err) {
		ls_fail(ls, operand, err, "cannot open directory", name);
		return;
	}
	if (ls->recursive && !ls_enter(ls, name, operand)) {
		tsb_closedir(d);
		return;
	}
	ls_clear(ls);
	ls->total_blocks = 0;
	if (ls->recursive || ls->print_heading)
		ls_heading(ls, name, operand);
	ls_read_entries(ls, d, name, operand);
	ls_sort_files(ls);
	if (ls->recursive)
		ls_extract_dirs(ls, name, false);
	ls_total(ls);
	if (ls->n_files)
		ls_print_files(ls);
}

static void ls_pending_dirs(struct ls *ls)
{
	while (ls->pending) {
		struct ls_pending *d = ls->pending;

		ls->pending = d->next;
		if (d->name) {
			ls_directory(ls, d->name, d->operand);
			ls->print_heading = true;
		} else {
			ls_leave(ls, d);
		}
		tsb_free(ls->p, d->name);
		tsb_free(ls->p, d);
	}
}

static void ls_operands(struct ls *ls, int argc, char **argv)
{
	ls->print_heading = true;
	if (!argc && ls->immediate)
		ls_add(ls, ".", LS_DIRECTORY, true, "");
	else if (!argc)
		ls_push(ls, tsb_strdup(ls->p, "."), true);
	for (int i = 0; i < argc; i++)
		ls_add(ls, argv[i], LS_UNKNOWN, true, "");
	if (ls->n_files) {
		ls_sort_files(ls);
		if (!ls->immediate)
			ls_extract_dirs(ls, NULL, true);
	}
	if (ls->n_files) {
		ls_print_files(ls);
		if (ls->pending)
			ls_put(ls, "\n", 1);
	} else if (argc <= 1 && ls->pending && !ls->pending->next) {
		ls->print_heading = false;
	}
}

static int ls_main(struct tsb_proc *p, struct ls *ls, enum ls_mode mode, int argc, char **argv)
{
	int status;

	ls->p = p;
	ls->mode = (int)mode;
	status = ls_settle(ls);
	if (status)
		return status;
	map_init(&ls->active, tsb_heap_of(p));
	ls_operands(ls, argc, argv);
	ls_pending_dirs(ls);
	ls_color_finish(ls);
	if (ls->dired)
		ls_dump_offsets(ls);
	return ls->status;
}

static int ls_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	return ls_main(p, opts, LS_LS, argc, argv);
}

static int dir_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	return ls_main(p, opts, LS_DIR, argc, argv);
}

static int vdir_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	return ls_main(p, opts, LS_VDIR, argc, argv);
}

#define LS_COMMAND(run_) CMD_COREUTILS, .synopsis = "[OPTION]... [FILE]...", \
	.summary = "List information about the FILEs (the current directory by default).\n" \
		   "Sort entries alphabetically if none of -cftuvSUX nor --sort is specified.", \
	.opts = ls_opts, .opts_size = sizeof(struct ls), .defaults = &ls_defaults, \
	.run = (run_), .usage_status = 2

const struct tsb_command cmd_ls = { LS_COMMAND(ls_run), .name = "ls" };
const struct tsb_command cmd_dir = { LS_COMMAND(dir_run), .name = "dir" };
const struct tsb_command cmd_vdir = { LS_COMMAND(vdir_run), .name = "vdir" };
