/*
 * truncate - shrink or extend files to a size: absolute, relative to what they
 * have (+ -), a bound (< >) or a multiple (/ %).
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/util.h"

struct truncate {
	bool no_create, io_blocks;
	const char *reference, *size_text;
	char mode;		/* 0 or one of + - < > / % */
	int64_t size;
	bool have_base;		/* of the reference file */
	int64_t base;
};

/* -s: read where it stands; of several the modifier stays, the number is the last. */
static int truncate_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct truncate *o = opts;
	const char *s = arg + strspn(arg, " \t\n\v\f\r");
	enum num_result r;

	(void)opt;
	o->size_text = arg;

	if (*s && strchr("<>/%", *s)) {
		o->mode = *s++;
		s += strspn(s, " \t\n\v\f\r");
	}
	if (*s == '+' || *s == '-') {
		if (o->mode) {
			tsb_warn(p, "multiple relative modifiers specified");
			return tsb_usage(p, NULL);
		}
		o->mode = *s;
	}
	r = num_isuffixed(s, "EGkKMPTYZ0", &o->size);
	if (r != NUM_OK) {
		tsb_warn(p, "Invalid number: %s%s", quote_text(p, s),
			 r == NUM_RANGE ? ": Value too large for defined data type" : "");
		return 1;
	}
	if ((o->mode == '/' || o->mode == '%') && o->size == 0) {
		tsb_warn(p, "division by zero");
		return 1;
	}
	return 0;
}

static const struct tsb_opt truncate_opts[] = {
	TSB_OPT_FLAG(struct truncate, no_create, 'c', "no-create", "do not create any files"),
	TSB_OPT_FLAG(struct truncate, io_blocks, 'o', "io-blocks",
		     "treat SIZE as number of IO blocks instead of bytes"),
	TSB_OPT_STR(struct truncate, reference, 'r', "reference", "RFILE", "base size on RFILE"),
	TSB_OPT_CALL(truncate_size, 0, 's', "size", "SIZE",
		     "set or adjust the file size by SIZE bytes; may begin with + - < > / %"),
	TSB_OPT_END
};

/* What the file's size becomes. false after a message. */
static bool truncate_goal(struct tsb_proc *p, const struct truncate *o, const char *name, int64_t now,
			  int64_t blksize, int64_t *goal)
{
	int64_t size = o->size, base = o->have_base ? o->base : now, over;

	if (o->io_blocks && __builtin_mul_overflow(size, blksize, &size)) {
		tsb_warn(p, "overflow in %lld * %lld byte blocks for file %s", (long long)o->size,
			 (long long)blksize, quote_af(p, name));
		return false;
	}
	over = o->mode == '/' || o->mode == '%' ? base % size : 0;
	switch (o->mode) {
	case '<': *goal = base < size ? base : size; return true;
	case '>': *goal = base > size ? base : size; return true;
	case '/': *goal = base - over; return true;
	case '%':
		size = over ? size - over : 0;
		break;
	case '+':
	case '-': break;
	default: *goal = o->size_text ? size : base; return true;
	}
	if (__builtin_add_overflow(base, size, goal)) {
		tsb_warn(p, "overflow extending size of file %s", quote_af(p, name));
		return false;
	}
	*goal = *goal < 0 ? 0 : *goal;
	return true;
}

static int truncate_one(struct tsb_proc *p, const struct truncate *o, const char *name)
{
	int fd = tsb_open(p, name, O_WRONLY | O_NONBLOCK | (o->no_create ? 0 : O_CREAT), 0666), err;
	struct tsb_stat st;
	int64_t goal;

	if (fd < 0) {
		if (o->no_create && fd == -ENOENT)
			return 0;
		tsb_warn_errno(p, fd, "cannot open %s for writing", quote_af(p, name));
		return 1;
	}
	err = tsb_fstat(p, fd, &st);
	if (err) {
		tsb_warn_errno(p, err, "cannot fstat %s", quote_af(p, name));
	} else if ((err = !truncate_goal(p, o, name, (int64_t)st.size, st.blksize, &goal)) == 0) {
		err = tsb_ftruncate(p, fd, (uint64_t)goal);
		if (err)
			tsb_warn_errno(p, err, "failed to truncate %s at %lld bytes", quote_af(p, name),
				       (long long)goal);
	}
	tsb_close(p, fd);
	return err != 0;
}

static int truncate_check(struct tsb_proc *p, struct truncate *o, int argc)
{
	if (!o->reference && !o->size_text)
		return tsb_usage(p, "you must specify either %s or %s", quote_text(p, "--size"),
				 quote_text(p, "--reference"));
	if (o->reference && o->size_text && !o->mode)
		return tsb_usage(p, "you must specify a relative %s with %s", quote_text(p, "--size"),
				 quote_text(p, "--reference"));
	if (o->io_blocks && !o->size_text)
		return tsb_usage(p, "%s was specified but %s was not", quote_text(p, "--io-blocks"),
				 quote_text(p, "--size"));
	return argc ? 0 : util_missing_file(p);
}

static int truncate_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct truncate *o = opts;
	int status = truncate_check(p, o, argc);
	struct tsb_stat st;

	if (status)
		return status;
	if (o->reference) {
		int err = tsb_stat(p, o->reference, &st);

		if (err) {
			tsb_warn_errno(p, err, "cannot stat %s", quote_af(p, o->reference));
			return 1;
		}
		o->have_base = true;
		o->base = (int64_t)st.size;
	}
	for (int i = 0; i < argc; i++)
		status |= truncate_one(p, o, argv[i]);
	return status;
}

const struct tsb_command cmd_truncate = {
	CMD_COREUTILS, .name = "truncate", .synopsis = "OPTION... FILE...",
	.summary = "Shrink or extend the size of each FILE to the specified size.\n\n"
		   "A FILE argument that does not exist is created.",
	.opts = truncate_opts, .opts_size = sizeof(struct truncate), .run = truncate_run,
};
