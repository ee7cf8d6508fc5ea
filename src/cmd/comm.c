/*
 * comm - what two sorted files have in common. Both are read along; whether they
 * are sorted is looked at once a line had no partner, because equal files do not
 * need to be.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/util.h"

enum { COMM_CHECK_DEFAULT, COMM_CHECK_ALWAYS, COMM_CHECK_NEVER };

struct comm_file {
	const char *name;
	struct lines *in, own;
	char *line[3];		/* this one, the one before, and that before it */
	size_t n[3], cap[3];
	bool has[3];		/* has[0] false: the file has ended */
	bool told;		/* that it is not sorted */
};

struct comm {
	struct tsb_proc *p;
	bool hide[3], total, zero;
	int check;
	const char *separator;
	size_t n_separator;
	int end;
	bool unpaired;
	uint64_t count[3];
	struct comm_file file[2];
	struct sink out;
};

static int comm_hide(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct comm *o = opts;

	(void)p;
	(void)arg;
	o->hide[opt->value - 1] = true;
	return 0;
}

static int comm_set_separator(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	struct comm *o = opts;

	(void)opt;
	if (o->separator && strcmp(o->separator, arg)) {
		tsb_warn(p, "multiple output delimiters specified");
		return 1;
	}
	o->separator = arg;
	return 0;
}

static const struct tsb_opt comm_opts[] = {
	TSB_OPT_CALL(comm_hide, 1, '1', NULL, NULL,
		     "suppress column 1 (lines unique to FILE1)"),
	TSB_OPT_CALL(comm_hide, 2, '2', NULL, NULL,
		     "suppress column 2 (lines unique to FILE2)"),
	TSB_OPT_CALL(comm_hide, 3, '3', NULL, NULL,
		     "suppress column 3 (lines that appear in both files)"),
	TSB_OPT_SET(struct comm, check, COMM_CHECK_ALWAYS, 0, "check-order",
		    "check that the input is correctly sorted, even if all input lines are "
		    "pairable"),
	TSB_OPT_SET(struct comm, check, COMM_CHECK_NEVER, 0, "nocheck-order",
		    "do not check that the input is correctly sorted"),
	TSB_OPT_CALL(comm_set_separator, 'o', 0, "output-delimiter", "STR",
		     "separate columns with STR"),
	TSB_OPT_FLAG(struct comm, total, 0, "total", "output a summary"),
	TSB_OPT_FLAG(struct comm, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	TSB_OPT_END
};

static int comm_compare(const struct comm_file *a, int i, const struct comm_file *b, int k)
{
	return slice_cmp((struct slice){ a->line[i], a->n[i] },
			 (struct slice){ b->line[k], b->n[k] });
}

/* Is line i behind line i + 1? */
static void comm_check(struct comm *o, struct comm_file *f, int i)
{
	if (f->told || o->check == COMM_CHECK_NEVER ||
	    (o->check == COMM_CHECK_DEFAULT && !o->unpaired))
		return;
	if (comm_compare(f, i + 1, f, i) <= 0)
		return;
	f->told = true;
	tsb_warn(o->p, "file %d is not in sorted order", f == &o->file[0] ? 1 : 2);
	if (o->check != COMM_CHECK_ALWAYS)
		return;
	sink_flush(&o->out);
	tsb_exit(o->p, 1);
}

/* The oldest of the three lines makes room for the next. */
static void comm_rotate(struct comm_file *f)
{
	char *line = f->line[2];
	size_t cap = f->cap[2];

	for (int i = 2; i; i--) {
		f->line[i] = f->line[i - 1];
		f->n[i] = f->n[i - 1];
		f->cap[i] = f->cap[i - 1];
		f->has[i] = f->has[i - 1];
	}
	f->line[0] = line;
	f->cap[0] = cap;
	f->has[0] = false;
}

static void comm_read(struct comm *o, struct comm_file *f)
{
	char *line;
	size_t n;

	comm_rotate(f);
	f->has[0] = lines_next(f->in, o->end, &line, &n);
	if (f->in->error) {
		tsb_warn_errno(o->p, f->in->error, "%s", quote_f(o->p, f->name));
		sink_flush(&o->out);
		tsb_exit(o->p, 1);
	}
	if (!f->has[0]) {
		/* Perhaps a line without partner was seen only since. */
		if (f->has[2])
			comm_check(o, f, 1);
		return;
	}
	n -= line[n - 1] == (char)o->end;
	if (n > f->cap[0]) {
		tsb_free(o->p, f->line[0]);
		f->cap[0] = n * 2;
		f->line[0] = text_alloc(o->p, f->cap[0]);
	}
	memcpy(f->line[0], line, n);
	f->n[0] = n;
	if (f->has[1])
		comm_check(o, f, 0);
}

static void comm_put(struct comm *o, const struct comm_file *f, int column)
{
	o->count[column]++;
	if (o->hide[column])
		return;
	for (int i = 0; i < column; i++)
		if (!o->hide[i])
			sink_put(&o->out, o->separator, o->n_separator);
	sink_put(&o->out, f->line[0], f->n[0]);
	sink_putc(&o->out, o->end);
}

static void comm_files(struct comm *o)
{
	struct comm_file *a = &o->file[0], *b = &o->file[1];
	size_t turns = 0;

	comm_read(o, a);
	comm_read(o, b);
	while ((a->has[0] || b->has[0]) && !tsb_out_error(o->p)) {
		int order = !a->has[0] ? 1 : !b->has[0] ? -1 : comm_compare(a, 0, b, 0);

		o->unpaired |= order != 0;
		comm_put(o, order > 0 ? b : a, order < 0 ? 0 : order > 0 ? 1 : 2);
		if (order <= 0)
			comm_read(o, a);
		if (order >= 0)
			comm_read(o, b);
		if (++turns % 1024 == 0)
			tsb_tick(o->p, 256);
	}
}

static void comm_total(struct comm *o)
{
	char digits[24];

	for (int i = 0; i < 3; i++) {
		sink_put(&o->out, digits, num_format_u64(digits, o->count[i]));
		sink_put(&o->out, o->separator, o->n_separator);
	}
	sink_puts(&o->out, "total");
	sink_putc(&o->out, o->end);
}

static int comm_open(struct comm *o, int i, const char *name)
{
	struct comm_file *f = &o->file[i];
	int fd = input_open(o->p, name);

	f->name = name;
	if (fd < 0) {
		tsb_warn_errno(o->p, fd, "%s", quote_f(o->p, name));
		return 1;
	}
	/* Two times "-" is one stream. */
	if (i && !fd && o->file[0].in->fd == 0) {
		f->in = o->file[0].in;
		return 0;
	}
	f->in = &f->own;
	lines_open(f->in, o->p, fd);
	return 0;
}

static int comm_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct comm *o = opts;

	o->p = p;
	if (argc < 2)
		return argc ? util_missing_operand_after(p, argv[0]) : util_missing_operand(p);
	if (argc > 2)
		return util_extra_operand(p, argv[2]);
	o->end = o->zero ? '\0' : '\n';
	if (!o->separator)
		o->separator = "\t";
	o->n_separator = *o->separator ? strlen(o->separator) : 1;	/* none is a NUL */
	if (comm_open(o, 0, argv[0]) || comm_open(o, 1, argv[1]))
		return 1;
	sink_init(&o->out, p);
	comm_files(o);
	if (o->total)
		comm_total(o);
	sink_flush(&o->out);
	if (o->file[0].in == o->file[1].in) {
		tsb_warn_errno(p, EBADF, "%s", argv[1]);	/* it was closed twice */
		return 1;
	}
	if (!o->file[0].told && !o->file[1].told)
		return 0;
	tsb_warn(p, "input is not in sorted order");
	return 1;
}

const struct tsb_command cmd_comm = {
	CMD_COREUTILS, .name = "comm", .synopsis = "[OPTION]... FILE1 FILE2",
	.summary = "Compare sorted files FILE1 and FILE2 line by line.",
	.opts = comm_opts, .opts_size = sizeof(struct comm), .run = comm_run,
};
