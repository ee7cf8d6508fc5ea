/*
 * df - how much room the filesystems have. A table whose columns are chosen
 * first and as wide as their widest cell.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "cmd/human.h"
#include "cmd/mounts.h"
#include "cmd/util.h"

enum df_field { DF_SOURCE, DF_TYPE, DF_SIZE, DF_USED, DF_AVAIL, DF_PCENT, DF_ITOTAL, DF_IUSED,
		DF_IAVAIL, DF_IPCENT, DF_FILE, DF_TARGET, DF_FIELDS };

static const struct { const char *name, *header; bool left; size_t least; } df_fields[] = {
	[DF_SOURCE] = { "source", "Filesystem", true, 14 },
	[DF_TYPE] = { "fstype", "Type", true, 4 },
	[DF_SIZE] = { "size", "blocks", false, 5 },
	[DF_USED] = { "used", "Used", false, 5 },
	[DF_AVAIL] = { "avail", "Available", false, 5 },
	[DF_PCENT] = { "pcent", "Use%", false, 4 },
	[DF_ITOTAL] = { "itotal", "Inodes", false, 5 },
	[DF_IUSED] = { "iused", "IUsed", false, 5 },
	[DF_IAVAIL] = { "iavail", "IFree", false, 5 },
	[DF_IPCENT] = { "ipcent", "IUse%", false, 4 },
	[DF_FILE] = { "file", "File", true, 4 },
	[DF_TARGET] = { "target", "Mounted on", true, 0 },
};

enum df_mode { DF_DEFAULT, DF_INODES, DF_POSIX, DF_OUTPUT };

struct df {
	bool all, local, type_shown, total, ignored, sync, human_set, posix, inodes;
	enum df_mode mode;
	struct human human;
	struct tsb_list only, except;
	const char *output;
	bool has_output;

	struct tsb_proc *p;
	enum df_field columns[DF_FIELDS];
	size_t n_columns;
	char **cells;			/* rows of n_columns */
	size_t n_cells, cap_cells;
	struct tsb_statfs sum;
	bool shown;
	int status;
};

/* ---- Options ---- */

static int df_opt_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	unsigned scaled = HUMAN_AUTOSCALE | HUMAN_UNIT | HUMAN_CEILING;
	struct df *d = opts;
	enum human_result r;

	d->human_set = true;
	if (opt->value == 'h') {
		d->human = (struct human){ scaled | HUMAN_1024, 1 };
	} else if (opt->value == 'H') {
		d->human = (struct human){ scaled, 1 };
	} else if (opt->value == 'k') {
		d->human = (struct human){ 0, 1024 };
	} else {
		r = human_parse(p, arg, &d->human);
		if (r != HUMAN_OK) {
			human_complain(p, r, opt->value == 'B' ? "-B" : "--block-size", arg);
			return 1;
		}
	}
	return 0;
}

static int df_opt_output(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct df *d = opts;

	(void)p, (void)opt;
	d->has_output = true;
	if (arg)
		d->output = d->output ? tsb_format(p, "%s,%s", d->output, arg) : arg;
	return 0;
}

static const struct tsb_opt df_opts[] = {
	TSB_OPT_FLAG(struct df, all, 'a', "all",
		     "include pseudo, duplicate, inaccessible file systems"),
	TSB_OPT_CALL(df_opt_size, 'B', 'B', NULL, "SIZE",
		     "scale sizes by SIZE before printing them; e.g., '-BM' prints sizes in units of "
		     "1,048,576 bytes"),
	TSB_OPT_CALL(df_opt_size, 'l', 0, "block-size", "SIZE", NULL),
	TSB_OPT_CALL(df_opt_size, 'h', 'h', "human-readable", NULL,
		     "print sizes in powers of 1024 (e.g., 1023M)"),
	TSB_OPT_CALL(df_opt_size, 'H', 'H', "si", NULL, "print sizes in powers of 1000 (e.g., 1.1G)"),
	TSB_OPT_FLAG(struct df, inodes, 'i', "inodes",
		     "list inode information instead of block usage"),
	TSB_OPT_CALL(df_opt_size, 'k', 'k', NULL, NULL, "like --block-size=1K"),
	TSB_OPT_FLAG(struct df, local, 'l', "local", "limit listing to local file systems"),
	TSB_OPT_FLAG(struct df, ignored, 0, "no-sync",
		     "do not invoke sync before getting usage info (default)"),
	TSB_OPT_CALL_OPT(df_opt_output, 0, 0, "output", "FIELD_LIST",
			 "use the output format defined by FIELD_LIST, or print all fields if "
			 "FIELD_LIST is omitted."),
	TSB_OPT_FLAG(struct df, posix, 'P', "portability", "use the POSIX output format"),
	TSB_OPT_FLAG(struct df, sync, 0, "sync", "invoke sync before getting usage info"),
	TSB_OPT_FLAG(struct df, total, 0, "total",
		     "elide all entries insignificant to available space, and produce a grand total"),
	TSB_OPT_LIST(struct df, only, 't', "type", "TYPE",
		     "limit listing to file systems of type TYPE"),
	TSB_OPT_FLAG(struct df, type_shown, 'T', "print-type", "print file system type"),
	TSB_OPT_LIST(struct df, except, 'x', "exclude-type", "TYPE",
		     "limit listing to file systems not of type TYPE"),
	TSB_OPT_FLAG(struct df, ignored, 'v', NULL, "(ignored)"),
	TSB_OPT_END
};

/* ---- Columns ---- */

static void df_columns(struct df *d, const enum df_field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i] != DF_TYPE || d->type_shown)
			d->columns[d->n_columns++] = fields[i];
}

static int df_output_columns(struct df *d)
{
	const char *at = d->output;

	while (at) {
		size_t n = strcspn(at, ","), f = 0;
		char *name = tsb_strndup(d->p, at, n);

		while (f < DF_FIELDS && strcmp(df_fields[f].name, name))
			f++;
		if (f == DF_FIELDS)
			return tsb_usage(d->p, "option --output: field %s unknown",
					 quote_text(d->p, name));
		for (size_t i = 0; i < d->n_columns; i++)
			if (d->columns[i] == f)
				return tsb_usage(d->p, "option --output: field %s used more than once",
						 quote_text(d->p, name));
		d->columns[d->n_columns++] = (enum df_field)f;
		at = at[n] ? at + n + 1 : NULL;
	}
	return 0;
}

static int df_choose_columns(struct df *d)
{
	static const enum df_field blocks[] = { DF_SOURCE, DF_TYPE, DF_SIZE, DF_USED, DF_AVAIL,
						DF_PCENT, DF_TARGET };
	static const enum df_field inodes[] = { DF_SOURCE, DF_TYPE, DF_ITOTAL, DF_IUSED, DF_IAVAIL,
						DF_IPCENT, DF_TARGET };
	static const enum df_field all[] = { DF_SOURCE, DF_TYPE, DF_ITOTAL, DF_IUSED, DF_IAVAIL,
					     DF_IPCENT, DF_SIZE, DF_USED, DF_AVAIL, DF_PCENT, DF_FILE,
					     DF_TARGET };

	if (d->mode == DF_OUTPUT && d->output)
		return df_output_columns(d);
	if (d->mode == DF_OUTPUT) {
		d->type_shown = true;
		df_columns(d, all, sizeof(all) / sizeof(*all));
	} else if (d->mode == DF_INODES) {
		df_columns(d, inodes, sizeof(inodes) / sizeof(*inodes));
	} else {
		df_columns(d, blocks, sizeof(blocks) / sizeof(*blocks));
	}
	return 0;
}

/* "1K-blocks", "1M-blocks", "512-blocks", "1kB-blocks", "Size". */
static const char *df_size_header(struct df *d)
{
	bool scaled = d->human.flags & HUMAN_AUTOSCALE;
	struct human unit = { HUMAN_AUTOSCALE | HUMAN_UNIT | HUMAN_NO_POINT_ZERO | HUMAN_CEILING, 1 };
	uint64_t block = d->human.block;
	unsigned k1024 = 0, k1000 = 0;
	char buf[HUMAN_SIZE];

	if (scaled)
		return "Size";
	if (d->mode == DF_POSIX)
		return tsb_format(d->p, "%llu-blocks", (unsigned long long)block);
	for (uint64_t v = block; v && v % 1024 == 0; v /= 1024)
		k1024++;
	for (uint64_t v = block; v && v % 1000 == 0; v /= 1000)
		k1000++;
	unit.flags |= k1024 || !k1000 ? HUMAN_1024 : HUMAN_B;
	return tsb_format(d->p, "%s-blocks", human_format(buf, block, 1, &unit));
}

static const char *df_header(struct df *d, enum df_field f)
{
	switch (f) {
	case DF_SIZE:
		return df_size_header(d);
	case DF_AVAIL:
		return d->human.flags & HUMAN_AUTOSCALE || d->has_output ? "Avail" : "Available";
	case DF_PCENT:
		return d->mode == DF_POSIX ? "Capacity" : "Use%";
	default:
		return df_fields[f].header;
	}
}

static void df_cell(struct df *d, const char *text)
{
	char *copy = tsb_strdup(d->p, text);

	for (char *at = copy; *at; at++)	/* a name cannot break the table */
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	d->cells = util_grow(d->p, d->cells, d->n_cells, &d->cap_cells, sizeof(*d->cells));
	d->cells[d->n_cells++] = copy;
}

static void df_number(struct df *d, uint64_t n, bool inodes)
{
	char buf[HUMAN_SIZE];
	struct human count = { d->human.flags & HUMAN_AUTOSCALE ? d->human.flags : 0, 1 };

	df_cell(d, human_format(buf, n, 1, inodes ? &count : &d->human));
}

static void df_percent(struct df *d, uint64_t used, uint64_t avail)
{
	unsigned __int128 all = (unsigned __int128)used + avail;

	if (!all) {
		df_cell(d, "-");
		return;
	}
	df_cell(d, tsb_format(d->p, "%u%%",
			      (unsigned)(((unsigned __int128)used * 100 + all - 1) / all)));
}

static void df_value(struct df *d, enum df_field f, const struct mounts_item *m,
		     const struct tsb_statfs *s, const char *file)
{
	uint64_t used = s->bytes_total - s->bytes_free;
	uint64_t iused = s->entries_total - s->entries_free;

	switch (f) {
	case DF_SOURCE: df_cell(d, m->source); break;
	case DF_TYPE: df_cell(d, m->type); break;
	case DF_SIZE: df_number(d, s->bytes_total, false); break;
	case DF_USED: df_number(d, used, false); break;
	case DF_AVAIL: df_number(d, s->bytes_free, false); break;
	case DF_PCENT: df_percent(d, used, s->bytes_free); break;
	case DF_ITOTAL: df_number(d, s->entries_total, true); break;
	case DF_IUSED: df_number(d, iused, true); break;
	case DF_IAVAIL: df_number(d, s->entries_free, true); break;
	case DF_IPCENT: df_percent(d, iused, s->entries_free); break;
	case DF_FILE: df_cell(d, file ? file : "-"); break;
	default: df_cell(d, m->target); break;
	}
}

/* Whole blocks, as statfs(2) has them. */
static void df_round(struct tsb_statfs *s)
{
	uint64_t block = s->block_size ? s->block_size : 4096;

	s->bytes_total -= s->bytes_total % block;
	s->bytes_free -= s->bytes_free % block;
	if (s->bytes_free > s->bytes_total)
		s->bytes_free = s->bytes_total;
	if (s->entries_free > s->entries_total)
		s->entries_free = s->entries_total;
}

static void df_row(struct df *d, const struct mounts_item *m, const struct tsb_statfs *s,
		   const char *file)
{
	d->shown = true;
	for (size_t i = 0; i < d->n_columns; i++)
		df_value(d, d->columns[i], m, s, file);
	d->sum.bytes_total += s->bytes_total;
	d->sum.bytes_free += s->bytes_free;
	d->sum.entries_total += s->entries_total;
	d->sum.entries_free += s->entries_free;
}

static void df_print(struct df *d)
{
	size_t rows = d->n_cells / d->n_columns, width[DF_FIELDS];

	for (size_t c = 0; c < d->n_columns; c++) {
		width[c] = df_fields[d->columns[c]].least;
		for (size_t r = 0; r < rows; r++) {
			size_t n = strlen(d->cells[r * d->n_columns + c]);

			width[c] = n > width[c] ? n : width[c];
		}
	}
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < d->n_columns; c++) {
			const char *cell = d->cells[r * d->n_columns + c];
			bool last = c + 1 == d->n_columns;
			int w = (int)width[c];

			if (!df_fields[d->columns[c]].left)
				tsb_printf(d->p, "%*s", w, cell);
			else
				tsb_printf(d->p, "%-*s", last ? 0 : w, cell);
			tsb_putc(d->p, last ? '\n' : ' ');
		}
}

/* ---- Which ---- */

static bool df_in(const struct tsb_list *list, const char *type)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->at[i], type))
			return true;
	return false;
}

static bool df_type_wanted(const struct df *d, const char *type)
{
	return (!d->only.n || df_in(&d->only, type)) && !df_in(&d->except, type);
}

static void df_mount(struct df *d, const struct mounts_item *m, const char *file)
{
	struct tsb_statfs s;
	int err;

	if (!df_type_wanted(d, m->type))
		return;
	err = tsb_statfs(d->p, m->target, &s);
	if (err < 0) {
		if (!file)
			return;		/* a list leaves out what cannot be asked */
		tsb_warn_errno(d->p, err, "%s", quote_f(d->p, m->target));
		d->status = 1;
		return;
	}
	df_round(&s);
	if (!file && !d->all && !s.bytes_total)
		return;			/* no room to speak of: /proc */
	df_row(d, m, &s, file);
}

static void df_file(struct df *d, const struct mounts *all, const char *file)
{
	struct tsb_stat st;
	int err = tsb_stat(d->p, file, &st);
	const struct mounts_item *m;
	const char *at;

	if (err < 0) {
		tsb_warn_errno(d->p, err, "%s", quote_f(d->p, file));
		d->status = 1;
		return;
	}
	at = tsb_mount_of(d->p, file);
	m = at ? mounts_find(all, at) : NULL;
	if (m)
		df_mount(d, m, file);
}

static int df_conflicts(struct tsb_proc *p, struct df *d)
{
	d->mode = d->has_output ? DF_OUTPUT : d->inodes ? DF_INODES : d->posix ? DF_POSIX : DF_DEFAULT;
	if (d->has_output && (d->inodes || d->posix || d->type_shown))
		return tsb_usage(p, "options %s and %s are mutually exclusive",
				 d->inodes ? "-i" : d->posix ? "-P" : "-T", "--output");
	for (size_t i = 0; i < d->only.n; i++)
		if (df_in(&d->except, d->only.at[i])) {
			tsb_warn(p, "file system type %s both selected and excluded",
				 quote_text(p, d->only.at[i]));
			return 1;
		}
	if (!d->human_set && human_parse(p, tsb_getenv(p, "DF_BLOCK_SIZE"), &d->human) != HUMAN_OK)
		d->human = (struct human){ 0, 1 };
	return 0;
}

static int df_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char total[] = "total", dash[] = "-";
	struct mounts_item sum = { total, dash, dash, dash };
	struct df *d = opts;
	struct mounts all;
	int status;

	d->p = p;
	status = df_conflicts(p, d);
	if (!status)
		status = df_choose_columns(d);
	if (status)
		return status;
	for (size_t i = 0; i < d->n_columns; i++)
		df_cell(d, df_header(d, d->columns[i]));
	mounts_read(p, &all);
	for (int i = 0; i < argc; i++)
		df_file(d, &all, argv[i]);
	for (size_t i = 0; i < all.n && !argc; i++)
		df_mount(d, &all.at[i], NULL);
	if (!d->shown) {
		if (!d->status)
			tsb_warn(p, "no file systems processed");
		return 1;
	}
	if (d->total && d->columns[0] != DF_SOURCE)
		sum.target = total;
	if (d->total)
		df_row(d, &sum, &d->sum, NULL);
	df_print(d);
	return d->status;
}

const struct tsb_command cmd_df = {
	CMD_COREUTILS, .name = "df", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Show information about the file system on which each FILE resides,\n"
		   "or all file systems by default.",
	.opts = df_opts, .opts_size = sizeof(struct df), .run = df_run,
};
