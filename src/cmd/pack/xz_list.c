/*
 * xz -l: what the index of a .xz file tells.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/pack/xz.h"

/* What -vv tells besides, of a file and of all. */
struct xz_needs {
	uint64_t memory;
	uint32_t version;
	bool without_sizes;
};

struct xz_totals {
	uint64_t files, streams, blocks, packed, plain, padding;
	uint32_t checks;
	struct xz_needs needs;
};

static const char *const check_names[16] = {
	"None", "CRC32", "Unknown-2", "Unknown-3", "CRC64", "Unknown-5", "Unknown-6", "Unknown-7",
	"Unknown-8", "Unknown-9", "SHA-256", "Unknown-11", "Unknown-12", "Unknown-13",
	"Unknown-14", "Unknown-15",
};

static char *ratio_text(struct xz *x, uint64_t packed, uint64_t plain)
{
	double ratio = plain ? (double)packed / (double)plain : 0;

	if (!plain || ratio > 9.999)
		return tsb_strdup(x->p, "---");
	return tsb_format(x->p, "%.3f", ratio);
}

static char *checks_text(struct xz *x, uint32_t checks, const char *separator)
{
	struct str out;

	str_init(&out, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	for (unsigned i = 0; i < 16; i++)
		if (checks & (1u << i))
			str_addf(&out, "%s%s", out.n ? separator : "", check_names[i]);
	if (!out.n)
		str_adds(&out, "None");
	return str_take(&out, NULL);
}

static lzma_ret read_index(struct xz *x, int fd, uint64_t size, lzma_index **index)
{
	lzma_stream s = LZMA_STREAM_INIT;
	unsigned char buf[4096];
	lzma_ret r;

	s.allocator = &x->allocator;
	r = lzma_file_info_decoder(&s, index, UINT64_MAX, size);
	while (r == LZMA_OK) {
		if (!s.avail_in) {
			ssize_t n = tsb_read(x->p, fd, buf, sizeof(buf));

			s.next_in = buf;
			s.avail_in = n > 0 ? (size_t)n : 0;
		}
		r = lzma_code(&s, s.avail_in ? LZMA_RUN : LZMA_FINISH);
		if (r == LZMA_SEEK_NEEDED) {
			tsb_lseek(x->p, fd, (int64_t)s.seek_pos, 0);
			s.avail_in = 0;
			r = LZMA_OK;
		}
		tsb_tick(x->p, 1);
	}
	lzma_end(&s);
	return r;
}

static void list_row(struct xz *x, uint64_t streams, uint64_t blocks, uint64_t packed,
		     uint64_t plain, uint32_t checks, const char *name)
{
	tsb_printf(x->p, "%5llu %7llu  %11s  %11s  %5s  %-7s %s\n", (unsigned long long)streams,
		   (unsigned long long)blocks, xz_nice(x, packed, false), xz_nice(x, plain, false),
		   ratio_text(x, packed, plain), checks_text(x, checks, ","), name);
}

static bool more_of_block(struct xz *x, const lzma_index_iter *it, struct xz_needs *needs,
			  struct xz_block *b)
{
	lzma_ret r = xz_block_read(x, it, b);

	if (r != LZMA_OK) {
		xz_error(x, "%s: %s", x->name, xz_ret_text(r));
		return false;
	}
	needs->memory = b->memory > needs->memory ? b->memory : needs->memory;
	needs->version = b->version > needs->version ? b->version : needs->version;
	needs->without_sizes |= !b->sizes;
	return true;
}

static uint32_t version_of(const struct xz_needs *n)
{
	return n->version ? n->version : XZ_OLDEST;
}

static void robot_needs(struct xz *x, const struct xz_needs *n)
{
	tsb_printf(x->p, "\t%llu\t%s\t%u\n", (unsigned long long)n->memory,
		   n->without_sizes ? "no" : "yes", version_of(n));
}

static void say_needs(struct xz *x, const struct xz_needs *n)
{
	uint32_t v = version_of(n);

	tsb_printf(x->p, "  Memory needed:     %llu MiB\n  Sizes in headers:  %s\n"
		   "  Minimum XZ Utils version: %u.%u.%u\n",
		   (unsigned long long)(n->memory / 1048576 + (n->memory % 1048576 != 0)),
		   n->without_sizes ? "No" : "Yes", v / 10000000, v / 10000 % 1000, v / 10 % 1000);
}

static void robot_block(struct xz *x, const struct xz_block *b)
{
	tsb_printf(x->p, "\t%s\t%u\t%s\t%llu\t%llu\t%s", b->check, b->header, b->flags,
		   (unsigned long long)b->packed, (unsigned long long)b->memory, b->filters);
}

static bool robot_parts(struct xz *x, const lzma_index *index, struct xz_needs *needs)
{
	lzma_index_iter it;
	struct xz_block b;

	lzma_index_iter_init(&it, index);
	while (!lzma_index_iter_next(&it, LZMA_INDEX_ITER_STREAM))
		tsb_printf(x->p, "stream\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\t%s\t%llu\n",
			   (unsigned long long)it.stream.number,
			   (unsigned long long)it.stream.block_count,
			   (unsigned long long)it.stream.compressed_offset,
			   (unsigned long long)it.stream.uncompressed_offset,
			   (unsigned long long)it.stream.compressed_size,
			   (unsigned long long)it.stream.uncompressed_size,
			   ratio_text(x, it.stream.compressed_size, it.stream.uncompressed_size),
			   check_names[it.stream.flags ? it.stream.flags->check : 0],
			   (unsigned long long)it.stream.padding);
	lzma_index_iter_rewind(&it);
	while (!lzma_index_iter_next(&it, LZMA_INDEX_ITER_BLOCK)) {
		if (x->verbose > 1 && !more_of_block(x, &it, needs, &b))
			return false;
		tsb_printf(x->p, "block\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\t%s",
			   (unsigned long long)it.stream.number,
			   (unsigned long long)it.block.number_in_stream,
			   (unsigned long long)it.block.number_in_file,
			   (unsigned long long)it.block.compressed_file_offset,
			   (unsigned long long)it.block.uncompressed_file_offset,
			   (unsigned long long)it.block.total_size,
			   (unsigned long long)it.block.uncompressed_size,
			   ratio_text(x, it.block.total_size, it.block.uncompressed_size),
			   check_names[it.stream.flags ? it.stream.flags->check : 0]);
		if (x->verbose > 1)
			robot_block(x, &b);
		tsb_putc(x->p, '\n');
		tsb_tick(x->p, 1);
	}
	return true;
}

static bool list_robot(struct xz *x, const lzma_index *i, uint64_t padding, const char *name,
		       struct xz_needs *needs)
{
	uint64_t packed = lzma_index_file_size(i), plain = lzma_index_uncompressed_size(i);

	tsb_printf(x->p, "name\t%s\nfile\t%llu\t%llu\t%llu\t%llu\t%s\t%s\t%llu\n", name,
		   (unsigned long long)lzma_index_stream_count(i),
		   (unsigned long long)lzma_index_block_count(i), (unsigned long long)packed,
		   (unsigned long long)plain, ratio_text(x, packed, plain),
		   checks_text(x, lzma_index_checks(i), ","), (unsigned long long)padding);
	if (x->verbose && !robot_parts(x, i, needs))
		return false;
	if (x->verbose > 1) {
		tsb_puts(x->p, "summary");
		robot_needs(x, needs);
	}
	return true;
}

static void list_streams(struct xz *x, const lzma_index *index)
{
	lzma_index_iter it;

	tsb_puts(x->p, "  Streams:\n    Stream    Blocks      CompOffset    UncompOffset        "
		 "CompSize      UncompSize  Ratio  Check      Padding\n");
	lzma_index_iter_init(&it, index);
	while (!lzma_index_iter_next(&it, LZMA_INDEX_ITER_STREAM))
		tsb_printf(x->p, "    %6llu %9llu %15llu %15llu %15llu %15llu  %5s  %-10s %7llu\n",
			   (unsigned long long)it.stream.number,
			   (unsigned long long)it.stream.block_count,
			   (unsigned long long)it.stream.compressed_offset,
			   (unsigned long long)it.stream.uncompressed_offset,
			   (unsigned long long)it.stream.compressed_size,
			   (unsigned long long)it.stream.uncompressed_size,
			   ratio_text(x, it.stream.compressed_size, it.stream.uncompressed_size),
			   check_names[it.stream.flags ? it.stream.flags->check : 0],
			   (unsigned long long)it.stream.padding);
}

/* The widest check's digits, at least those of the heading. */
static int check_width(const lzma_index *index)
{
	int width = 8;

	for (unsigned i = 0; i < 16; i++)
		if (lzma_index_checks(index) & (1u << i) && 2 * (int)lzma_check_size(i) > width)
			width = 2 * (int)lzma_check_size(i);
	return width;
}

static void list_block(struct xz *x, const struct xz_block *b, int width)
{
	char *memory = tsb_format(x->p, "%llu MiB", (unsigned long long)(b->memory / 1048576 +
									 (b->memory % 1048576 != 0)));

	tsb_printf(x->p, " %-*s  %6u  %-5s %15llu %11s  %s", width, b->check, b->header, b->flags,
		   (unsigned long long)b->packed, memory, b->filters);
}

static bool list_blocks(struct xz *x, const lzma_index *index, struct xz_needs *needs)
{
	int width = check_width(index);
	lzma_index_iter it;
	struct xz_block b;

	if (!lzma_index_block_count(index))
		return true;
	tsb_puts(x->p, "  Blocks:\n    Stream     Block      CompOffset    UncompOffset       "
		 "TotalSize      UncompSize  Ratio  Check");
	if (x->verbose > 1)
		tsb_printf(x->p, "      %-*s  Header  Flags        CompSize    MemUsage  Filters", width,
			   "CheckVal");
	tsb_putc(x->p, '\n');
	lzma_index_iter_init(&it, index);
	while (!lzma_index_iter_next(&it, LZMA_INDEX_ITER_BLOCK)) {
		if (x->verbose > 1 && !more_of_block(x, &it, needs, &b))
			return false;
		tsb_printf(x->p, "    %6llu %9llu %15llu %15llu %15llu %15llu  %5s  %-*s",
			   (unsigned long long)it.stream.number,
			   (unsigned long long)it.block.number_in_stream,
			   (unsigned long long)it.block.compressed_file_offset,
			   (unsigned long long)it.block.uncompressed_file_offset,
			   (unsigned long long)it.block.total_size,
			   (unsigned long long)it.block.uncompressed_size,
			   ratio_text(x, it.block.total_size, it.block.uncompressed_size),
			   x->verbose > 1 ? 10 : 0,
			   check_names[it.stream.flags ? it.stream.flags->check : 0]);
		if (x->verbose > 1)
			list_block(x, &b, width);
		tsb_putc(x->p, '\n');
		tsb_tick(x->p, 1);
	}
	return true;
}

static bool list_long(struct xz *x, const lzma_index *i, uint64_t padding, struct xz_needs *needs)
{
	uint64_t packed = lzma_index_file_size(i), plain = lzma_index_uncompressed_size(i);

	tsb_printf(x->p, "  Streams:           %llu\n  Blocks:            %llu\n"
		   "  Compressed size:   %s\n  Uncompressed size: %s\n  Ratio:             %s\n"
		   "  Check:             %s\n  Stream Padding:    %s\n", (unsigned long long)lzma_index_stream_count(i),
		   (unsigned long long)lzma_index_block_count(i), xz_nice(x, packed, true),
		   xz_nice(x, plain, true), ratio_text(x, packed, plain),
		   checks_text(x, lzma_index_checks(i), ", "), xz_nice(x, padding, true));
	list_streams(x, i);
	if (!list_blocks(x, i, needs))
		return false;
	if (x->verbose > 1)
		say_needs(x, needs);
	return true;
}

static uint64_t all_padding(const lzma_index *index)
{
	lzma_index_iter it;
	uint64_t padding = 0;

	lzma_index_iter_init(&it, index);
	while (!lzma_index_iter_next(&it, LZMA_INDEX_ITER_STREAM))
		padding += it.stream.padding;
	return padding;
}

static void list_index(struct xz *x, const lzma_index *i, const char *name)
{
	uint64_t padding = all_padding(i);
	struct xz_needs needs = { 0 };
	struct xz_totals *t;

	if (!x->totals)
		x->totals = tsb_alloc(x->p, sizeof(*x->totals));
	t = x->totals;
	if (x->robot) {
		if (!list_robot(x, i, padding, name, &needs))
			return;
	} else if (x->verbose) {
		if (!list_long(x, i, padding, &needs))
			return;
	} else {
		if (!t->files)
			tsb_puts(x->p, "Strms  Blocks   Compressed Uncompressed  Ratio  Check   "
				 "Filename\n");
		list_row(x, lzma_index_stream_count(i), lzma_index_block_count(i),
			 lzma_index_file_size(i), lzma_index_uncompressed_size(i),
			 lzma_index_checks(i), name);
	}
	t->files++;
	t->streams += lzma_index_stream_count(i);
	t->blocks += lzma_index_block_count(i);
	t->packed += lzma_index_file_size(i);
	t->plain += lzma_index_uncompressed_size(i);
	t->padding += padding;
	t->checks |= lzma_index_checks(i);
	t->needs.memory = needs.memory > t->needs.memory ? needs.memory : t->needs.memory;
	t->needs.version = needs.version > t->needs.version ? needs.version : t->needs.version;
	t->needs.without_sizes |= needs.without_sizes;
}

void xz_list(struct xz *x, const char *name)
{
	lzma_index *index = NULL;
	struct tsb_stat st;
	lzma_ret r;
	int fd;

	if (x->verbose && !x->robot)
		tsb_printf(x->p, "%s%s (%zu/%zu)\n", x->at_file > 1 ? "\n" : "", name, x->at_file,
			   x->n_files);
	if (!strcmp(name, "-")) {
		xz_error(x, "--list does not support reading from standard input");
		return;
	}
	fd = tsb_open(x->p, name, O_RDONLY, 0);
	if (fd < 0 || tsb_fstat(x->p, fd, &st)) {
		xz_error(x, "%s: %s", name, tsb_strerror(fd));
		return;
	}
	if ((st.mode & 0170000) == 0040000) {
		xz_warning(x, "%s: Is a directory, skipping", name);
	} else if (st.size < 24) {
		xz_error(x, st.size ? "%s: Too small to be a valid .xz file" : "%s: File is empty",
			 name);
	} else {
		x->list_fd = fd;
		x->name = name;
		r = read_index(x, fd, st.size, &index);
		if (r == LZMA_STREAM_END)
			list_index(x, index, name);
		else
			xz_error(x, "%s: %s", name, xz_ret_text(r));
		lzma_index_end(index, &x->allocator);
	}
	tsb_close(x->p, fd);
}

void xz_list_totals(struct xz *x)
{
	struct xz_totals *t = x->totals;

	if (!t)
		t = tsb_alloc(x->p, sizeof(*t));
	if (x->robot) {
		tsb_printf(x->p, "totals\t%llu\t%llu\t%llu\t%llu\t%s\t%s\t%llu\t%llu",
			   (unsigned long long)t->streams, (unsigned long long)t->blocks,
			   (unsigned long long)t->packed, (unsigned long long)t->plain,
			   ratio_text(x, t->packed, t->plain), checks_text(x, t->checks, ","),
			   (unsigned long long)t->padding, (unsigned long long)t->files);
		if (x->verbose > 1)
			robot_needs(x, &t->needs);
		else
			tsb_putc(x->p, '\n');
		return;
	}
	if (t->files < 2)
		return;
	if (!x->verbose) {
		for (int i = 0; i < 79; i++)
			tsb_putc(x->p, '-');
		tsb_putc(x->p, '\n');
		list_row(x, t->streams, t->blocks, t->packed, t->plain, t->checks,
			 tsb_format(x->p, "%llu files", (unsigned long long)t->files));
		return;
	}
	tsb_printf(x->p, "\nTotals:\n  Number of files:   %llu\n  Streams:           %llu\n"
		   "  Blocks:            %llu\n  Compressed size:   %s\n  Uncompressed size: %s\n"
		   "  Ratio:             %s\n  Check:             %s\n  Stream Padding:    %s\n",
		   (unsigned long long)t->files, (unsigned long long)t->streams,
		   (unsigned long long)t->blocks, xz_nice(x, t->packed, true),
		   xz_nice(x, t->plain, true), ratio_text(x, t->packed, t->plain),
		   checks_text(x, t->checks, ", "), xz_nice(x, t->padding, true));
	if (x->verbose > 1)
		say_needs(x, &t->needs);
}
