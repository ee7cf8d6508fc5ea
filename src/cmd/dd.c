/*
 * dd - copy by blocks, and convert.
 */
#include "cmd/dd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/human.h"
#include "cmd/quote.h"
#include "cmd/lines.h"
#include "text/format.h"

enum { DD_HUMAN = HUMAN_AUTOSCALE | HUMAN_NEAREST | HUMAN_SPACE | HUMAN_UNIT | HUMAN_B };
#define DD_SECOND UINT64_C(1000000000)
/* More than a pipe holds: a block in pieces of it is read and written as one. */
#define DD_PIECE ((size_t)1 << 20)

static const struct tsb_opt dd_opts[] = { TSB_OPT_END };

/* ---- What it says at the end ---- */

static void dd_number_text(struct str *s, char conv, int precision, long double v)
{
	struct format_spec spec = { .conv = conv, .precision = precision };

	format_float(s, &spec, v);
}

/* "512 bytes (...) copied, 0.1 s, 5 kB/s" */
static void dd_rate(struct dd *d, struct str *s, uint64_t elapsed, bool progress)
{
	struct human si = { DD_HUMAN, 1 }, iec = { DD_HUMAN | HUMAN_1024, 1 };
	struct human speed = { DD_HUMAN, elapsed };
	char a[HUMAN_SIZE], b[HUMAN_SIZE];

	human_format(a, d->written, 1, &si);
	human_format(b, d->written, 1, &iec);
	/* " B" alone is no shorter form. */
	if (a[strlen(a) - 2] == ' ')
		str_addf(s, "%llu byte%s copied, ", (unsigned long long)d->written,
			 d->written == 1 ? "" : "s");
	else if (b[strlen(b) - 2] == ' ')
		str_addf(s, "%llu bytes (%s) copied, ", (unsigned long long)d->written, a);
	else
		str_addf(s, "%llu bytes (%s, %s) copied, ", (unsigned long long)d->written, a, b);
	if (progress)
		dd_number_text(s, 'f', 0, (long double)elapsed / 1e9L);
	else
		dd_number_text(s, 'g', -1, (long double)((double)elapsed / 1e9));
	if (elapsed)
		str_addf(s, " s, %s/s", human_format(a, d->written, DD_SECOND, &speed));
	else
		str_adds(s, " s, Infinity B/s");
}

static uint64_t dd_elapsed(struct dd *d)
{
	struct tsb_time now = tsb_clock(d->p, TSB_CLOCK_MONOTONIC);
	int64_t ns = (now.sec - d->start.sec) * (int64_t)DD_SECOND + now.nsec - d->start.nsec;

	return ns > 0 ? (uint64_t)ns : 0;
}

static void dd_print_progress(struct dd *d)
{
	uint64_t elapsed = dd_elapsed(d);
	struct str s;

	if (d->status != DD_STATUS_PROGRESS || elapsed / DD_SECOND <= d->told)
		return;
	d->told = elapsed / DD_SECOND;
	str_init(&s, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	str_addc(&s, '\r');
	dd_rate(d, &s, elapsed, true);
	while (s.n - 1 < d->progress_width)
		str_addc(&s, ' ');
	d->progress_width = s.n - 1;
	tsb_write_all(d->p, 2, s.p, s.n);
	str_end(&s);
}

static void dd_print_stats(struct dd *d)
{
	struct str s;

	if (d->status == DD_STATUS_NONE)
		return;
	str_init(&s, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	if (d->progress_width)
		str_addc(&s, '\n');
	d->progress_width = 0;
	str_addf(&s, "%llu+%llu records in\n%llu+%llu records out\n", (unsigned long long)d->in_full,
		 (unsigned long long)d->in_part, (unsigned long long)d->out_full,
		 (unsigned long long)d->out_part);
	if (d->truncated)
		str_addf(&s, "%llu truncated record%s\n", (unsigned long long)d->truncated,
			 d->truncated == 1 ? "" : "s");
	if (d->status != DD_STATUS_NOXFER) {
		dd_rate(d, &s, dd_elapsed(d), false);
		str_addc(&s, '\n');
	}
	tsb_write_all(d->p, 2, s.p, s.n);
	str_end(&s);
}

static TSB_NORETURN void dd_quit(struct dd *d, int status)
{
	dd_print_stats(d);
	tsb_exit(d->p, status);
}

/* ---- Output ---- */

static bool dd_is_nul(const char *at, size_t n)
{
	return !n || (!*at && !memcmp(at, at + 1, n - 1));
}

/* Bytes written; less than n: an error, in *err. */
static size_t dd_write(struct dd *d, const char *at, size_t n, int *err)
{
	size_t done = 0;
	ssize_t r;

	d->seeked_last = false;
	if (d->conv & DD_SPARSE && dd_is_nul(at, n)) {
		if (tsb_lseek(d->p, d->out, (int64_t)n, SEEK_CUR) >= 0) {
			d->seeked_last = true;
			return n;
		}
		d->conv &= ~DD_SPARSE;
	}
	while (done < n) {
		r = tsb_write(d->p, d->out, at + done, n - done);
		if (r <= 0) {
			*err = r ? (int)r : -ENOSPC;
			break;
		}
		done += (size_t)r;
	}
	return done;
}

static void dd_write_block(struct dd *d)
{
	int err = 0;
	size_t n = dd_write(d, d->obuf, d->n_out, &err);

	d->written += n;
	if (n != d->n_out) {
		tsb_warn_errno(d->p, err, "writing to %s", quote_af(d->p, d->output));
		d->out_part += n != 0;
		dd_quit(d, 1);
	}
	d->out_full++;
	d->n_out = 0;
}

void dd_put(struct dd *d, const char *at, size_t n)
{
	while (n) {
		size_t room = (size_t)d->obs - d->n_out, part = n < room ? n : room;

		if (part > d->out_cap - d->n_out) {
			size_t cap = (d->n_out + part) * 2;

			d->out_cap = cap < d->obs ? cap : (size_t)d->obs;
			d->obuf = tsb_realloc(d->p, d->obuf, d->out_cap);
		}
		memcpy(d->obuf + d->n_out, at, part);
		d->n_out += part;
		at += part;
		n -= part;
		if (d->n_out == d->obs)
			dd_write_block(d);
	}
}

/* ---- Input ---- */

static ssize_t dd_read_once(struct dd *d, int fd, char *at, size_t n)
{
	ssize_t r = tsb_read(d->p, fd, at, n);

	if (r > 0 && d->warn_partial) {
		if (d->before && d->before < n) {
			if (d->status != DD_STATUS_NONE)
				tsb_warn(d->p, "warning: partial read (%zu byte%s); suggest "
					 "iflag=fullblock", d->before, d->before == 1 ? "" : "s");
			d->warn_partial = false;
		}
	}
	d->before = r > 0 ? (size_t)r : 0;
	return r;
}

static ssize_t dd_read(struct dd *d, char *at, size_t n)
{
	size_t done = 0;
	ssize_t r;

	if (!(d->in_flags & DD_FULLBLOCK))
		return dd_read_once(d, d->in, at, n);
	do {
		r = dd_read_once(d, d->in, at + done, n - done);
		if (r < 0)
			return r;
		done += (size_t)r;
	} while (r && done < n);
	return (ssize_t)done;
}

static bool dd_in_pieces(const struct dd *d)
{
	return d->ibs > DD_PIECE && !(d->conv & (DD_TWO_BUFFERS | DD_SYNC | DD_NOERROR));
}

/* A buffer of a whole block, or a piece; of a file it need not be larger than the file. */
static size_t dd_take_buffer(struct dd *d)
{
	struct tsb_stat st;
	uint64_t n = d->ibs;
	bool full = d->conv & DD_SYNC;

	if (!full && !tsb_fstat(d->p, d->in, &st) && S_ISREG(st.mode) && st.size && st.size < n)
		n = st.size + 1;
	if (dd_in_pieces(d) && n > DD_PIECE)
		n = DD_PIECE;
	if (!d->ibuf)
		d->ibuf = text_alloc(d->p, (size_t)n);
	return (size_t)n;
}

/* ---- Going to the start ---- */

/* Reads what cannot be seeked over: blocks not skipped, and *bytes of them. */
static uint64_t dd_read_over(struct dd *d, uint64_t records, uint64_t *bytes, bool is_input, int err)
{
	int fd = is_input ? d->in : d->out;
	size_t block = (size_t)(is_input ? d->ibs : d->obs), part;
	char *buf = text_alloc(d->p, block < 65536 ? block : 65536);
	uint64_t wanted = records * block + *bytes, got = 0;
	ssize_t r = 1;

	while (records || *bytes) {
		part = records ? block : (size_t)*bytes;
		/* A block in pieces: it ends with a read that is not full. */
		for (size_t left = part; left; left -= (size_t)r) {
			size_t want = left < 65536 ? left : 65536;

			r = tsb_read(d->p, fd, buf, want);
			if (r < 0) {
				if (is_input) {
					tsb_warn_errno(d->p, (int)r, "error reading %s",
						       quote_af(d->p, d->input));
					if (d->conv & DD_NOERROR)
						dd_print_stats(d);
				} else {
					tsb_warn_errno(d->p, err, "%s: cannot seek",
						       quote_f(d->p, d->output));
				}
				dd_quit(d, 1);
			}
			got += (uint64_t)r;
			if (!r && left == part) {
				*bytes = is_input ? got < wanted : *bytes;
				return records;
			}
			if ((size_t)r < want)
				break;
		}
		if (records)
			records--;
		else
			*bytes = 0;
		tsb_tick(d->p, 1);
	}
	*bytes = is_input && got < wanted;
	return 0;
}

/* Moves over records and *bytes: what of them could not be skipped. */
static uint64_t dd_skip(struct dd *d, uint64_t records, uint64_t *bytes, bool is_input)
{
	int fd = is_input ? d->in : d->out, err = EOVERFLOW;
	uint64_t block = is_input ? d->ibs : d->obs, offset;
	int64_t at = tsb_lseek(d->p, fd, 0, SEEK_CUR);
	bool fits = !__builtin_mul_overflow(records, block, &offset) &&
		    !__builtin_add_overflow(offset, *bytes, &offset) && offset <= INT64_MAX;
	struct tsb_stat st;

	if (fits) {
		int64_t r = tsb_lseek(d->p, fd, (int64_t)offset, SEEK_CUR);

		if (r >= 0 && is_input) {
			if (!tsb_fstat(d->p, fd, &st) && S_ISREG(st.mode) &&
			    (at > (int64_t)st.size || st.size - (uint64_t)at < offset)) {
				uint64_t have = at < (int64_t)st.size ? st.size - (uint64_t)at : 0;

				*bytes = offset - have > 0;
				return offset > st.size ? (offset - st.size) / block : 0;
			}
			*bytes = 0;
			return 0;
		}
		if (r >= 0) {
			*bytes = 0;
			return 0;
		}
		err = (int)-r;
	}
	if (tsb_lseek(d->p, fd, 0, SEEK_END) >= 0) {
		tsb_warn_errno(d->p, err, "%s: cannot %s", quote_f(d->p, is_input ? d->input : d->output),
			       is_input ? "skip" : "seek");
		dd_quit(d, 1);
	}
	return dd_read_over(d, records, bytes, is_input, err);
}

static void dd_skip_input(struct dd *d)
{
	uint64_t bytes = d->skip_bytes;

	if (!d->skip && !bytes)
		return;
	if ((dd_skip(d, d->skip, &bytes, true) || bytes) && d->status != DD_STATUS_NONE)
		tsb_warn(d->p, "%s: cannot skip to specified offset", quote_f(d->p, d->input));
}

/* What of the output cannot be seeked over is filled with NULs. */
static void dd_seek_output(struct dd *d)
{
	uint64_t bytes = d->seek_bytes, records;
	char *zeros;
	int err = 0;

	if (!d->seek && !bytes)
		return;
	records = dd_skip(d, d->seek, &bytes, false);
	if (!records && !bytes)
		return;
	zeros = tsb_alloc(d->p, (size_t)(records ? d->obs : bytes));
	while (records || bytes) {
		size_t n = (size_t)(records ? d->obs : bytes);

		if (dd_write(d, zeros, n, &err) != n) {
			tsb_warn_errno(d->p, err, "writing to %s", quote_af(d->p, d->output));
			dd_quit(d, 1);
		}
		if (records)
			records--;
		else
			bytes = 0;
		tsb_tick(d->p, 1);
	}
}

/* ---- The copy ---- */

/* A block was read in vain; true: it is to be taken as one of NULs. */
static bool dd_after_error(struct dd *d, int err, size_t part)
{
	if (!(d->conv & DD_NOERROR) || d->status != DD_STATUS_NONE)
		tsb_warn_errno(d->p, err, "error reading %s", quote_af(d->p, d->input));
	if (!(d->conv & DD_NOERROR)) {
		d->result = 1;
		return false;
	}
	dd_print_stats(d);
	if (tsb_lseek(d->p, d->in, (int64_t)(d->ibs - part), SEEK_CUR) < 0)
		d->result = 1;
	return true;
}

/* Without conversions: false when the output fails. */
static bool dd_write_piece(struct dd *d, size_t n)
{
	int err = 0;
	size_t done = dd_write(d, d->ibuf, n, &err);

	d->written += done;
	if (done == n)
		return true;
	tsb_warn_errno(d->p, err, "error writing %s", quote_af(d->p, d->output));
	d->result = 1;
	return false;
}

/* One block as it was read: false when the output fails. */
static bool dd_block_out(struct dd *d, size_t n)
{
	if (d->conv & DD_TWO_BUFFERS) {
		dd_convert(d, d->ibuf, n);
		return true;
	}
	if (!dd_write_piece(d, n))
		return false;
	d->out_full += n == d->ibs;
	d->out_part += n != d->ibs;
	return true;
}

/* A large block, in pieces that are written as they come: false at the end. */
static bool dd_block_in_pieces(struct dd *d, size_t size)
{
	uint64_t whole = d->ibs, done = 0;
	bool failed = false;
	ssize_t r = 1;

	if (d->in_full + d->in_part >= d->count)
		whole = d->count_bytes;
	while (done < whole) {
		size_t want = whole - done < size ? (size_t)(whole - done) : size;

		r = dd_read(d, d->ibuf, want);
		if (r < 0)
			dd_after_error(d, (int)r, 0);
		if (r <= 0)
			break;
		done += (uint64_t)r;
		/* When the output fails the block is still read: it counts as read. */
		if (!failed)
			failed = !dd_write_piece(d, (size_t)r);
		if ((size_t)r < want)
			break;
		tsb_tick(d->p, (size_t)r / 64);
	}
	if (!done)
		return false;
	d->in_full += done == d->ibs;
	d->in_part += done != d->ibs;
	d->out_full += !failed && done == d->ibs;
	d->out_part += !failed && done != d->ibs;
	return r >= 0 && !failed;
}

static bool dd_block_in(struct dd *d, size_t size, size_t *part)
{
	int fill = d->conv & (DD_BLOCK | DD_UNBLOCK) ? ' ' : '\0';
	ssize_t r;
	size_t n;

	if (d->conv & DD_SYNC)
		memset(d->ibuf, fill, size);
	if (d->in_full + d->in_part >= d->count)
		size = d->count_bytes < size ? (size_t)d->count_bytes : size;
	r = dd_read(d, d->ibuf, size);
	if (!r)
		return false;
	if (r < 0) {
		if (!dd_after_error(d, (int)r, *part))
			return false;
		/* That nothing could be passed over would read for ever. */
		if (d->result)
			return false;
		if (!(d->conv & DD_SYNC) || *part)
			return true;
		r = 0;
	}
	n = (size_t)r;
	d->in_full += n == d->ibs;
	d->in_part += n != d->ibs;
	*part = n == d->ibs ? 0 : n;
	if (n < d->ibs && d->conv & DD_SYNC) {
		memset(d->ibuf + n, fill, (size_t)d->ibs - n);
		n = (size_t)d->ibs;
	}
	return dd_block_out(d, n);
}

static void dd_copy(struct dd *d)
{
	size_t size = dd_take_buffer(d), part = 0;
	int err = 0;

	while (d->in_full + d->in_part < d->count + (d->count_bytes != 0)) {
		dd_print_progress(d);
		if (dd_in_pieces(d) ? !dd_block_in_pieces(d, size) : !dd_block_in(d, size, &part))
			break;
		tsb_tick(d->p, 1);
	}
	if (!(d->conv & DD_TWO_BUFFERS))
		return;
	dd_convert_end(d);
	if (d->n_out) {
		size_t n = dd_write(d, d->obuf, d->n_out, &err);

		d->written += n;
		d->out_part += n != 0;
		if (n != d->n_out) {
			tsb_warn_errno(d->p, err, "error writing %s", quote_af(d->p, d->output));
			d->result = 1;
		}
	}
}

/* A file that ends with a hole, and the options that write it through. */
static void dd_finish(struct dd *d)
{
	struct tsb_stat st;
	int64_t at;
	int err = 0;

	if (d->seeked_last && !tsb_fstat(d->p, d->out, &st) && S_ISREG(st.mode)) {
		at = tsb_lseek(d->p, d->out, 0, SEEK_CUR);
		if (at > (int64_t)st.size)
			err = tsb_ftruncate(d->p, d->out, (uint64_t)at);
		if (err) {
			tsb_warn_errno(d->p, err, "failed to truncate to %lld bytes in output file %s",
				       (long long)at, quote_af(d->p, d->output));
			d->result = 1;
			return;
		}
	}
	if (!(d->conv & (DD_FSYNC | DD_FDATASYNC)))
		return;
	err = tsb_fsync(d->p, d->out);
	/* What cannot be written through alone is tried with its attributes. */
	if (err) {
		tsb_warn_errno(d->p, err, "fsync failed for %s", quote_af(d->p, d->output));
		d->result = 1;
	}
}

/* ---- Files ---- */

static int dd_cannot_open(struct dd *d, int err, const char *name)
{
	tsb_warn_errno(d->p, err, "failed to open %s", quote_af(d->p, name));
	return 1;
}

/* Flags for what is open already: that it be a directory can be checked. */
static int dd_check_open(struct dd *d, int fd, int flags, const char *name)
{
	struct tsb_stat st;
	int err = flags & O_DIRECTORY ? tsb_fstat(d->p, fd, &st) : 0;

	if (!err && flags & O_DIRECTORY && !S_ISDIR(st.mode))
		err = -ENOTDIR;
	if (err)
		tsb_warn_errno(d->p, err, "setting flags for %s", quote_af(d->p, name));
	return err != 0;
}

static int dd_open_input(struct dd *d)
{
	if (!d->input_given) {
		d->input = "standard input";
		return dd_check_open(d, 0, d->in_open, d->input);
	}
	d->in = tsb_open(d->p, d->input, O_RDONLY | d->in_open, 0);
	return d->in < 0 ? dd_cannot_open(d, d->in, d->input) : 0;
}

static int dd_cut_output(struct dd *d, uint64_t size)
{
	struct tsb_stat st;
	int err;

	if (!(d->seek || d->seek_bytes) || d->conv & DD_NOTRUNC)
		return 0;
	err = tsb_ftruncate(d->p, d->out, size);
	if (!err || tsb_fstat(d->p, d->out, &st) || !(S_ISREG(st.mode) || S_ISDIR(st.mode)))
		return 0;
	tsb_warn_errno(d->p, err, "failed to truncate to %llu bytes in output file %s",
		       (unsigned long long)size, quote_af(d->p, d->output));
	return 1;
}

static int dd_open_output(struct dd *d)
{
	bool seek = d->seek || d->seek_bytes;
	int flags = d->out_open | (d->conv & DD_NOCREAT ? 0 : O_CREAT) |
		    (d->conv & DD_EXCL ? O_EXCL : 0) |
		    (seek || d->conv & DD_NOTRUNC ? 0 : O_TRUNC);
	uint64_t size;

	d->out = 1;
	if (!d->output_given) {
		d->output = "standard output";
		return dd_check_open(d, 1, d->out_open, d->output);
	}
	if (__builtin_mul_overflow(d->seek, d->obs, &size) ||
	    __builtin_add_overflow(size, d->seek_bytes, &size) || size > INT64_MAX) {
		tsb_warn(d->p, "offset too large: cannot truncate to a length of seek=%llu "
			 "(%llu-byte) blocks", (unsigned long long)d->seek,
			 (unsigned long long)d->obs);
		return 1;
	}
	d->out = seek ? tsb_open(d->p, d->output, O_RDWR | flags, 0666) : -EACCES;
	if (d->out < 0)
		d->out = tsb_open(d->p, d->output, O_WRONLY | flags, 0666);
	if (d->out < 0)
		return dd_cannot_open(d, d->out, d->output);
	return dd_cut_output(d, size);
}

static int dd_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct dd *d = tsb_alloc(p, sizeof(*d));
	int status;

	(void)opts;
	d->p = p;
	d->count = UINT64_MAX;
	status = dd_arguments(d, argc, argv);
	if (status)
		return status;
	dd_prepare(d);
	d->warn_partial = !(d->conv & DD_TWO_BUFFERS) && !(d->in_flags & DD_FULLBLOCK) &&
			  (d->skip || (d->count && d->count != UINT64_MAX));
	status = dd_open_input(d);
	if (!status)
		status = dd_open_output(d);
	if (status)
		return status;
	d->start = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	dd_skip_input(d);
	dd_seek_output(d);
	if (d->count || d->count_bytes)
		dd_copy(d);
	if (!d->result)
		dd_finish(d);
	dd_print_stats(d);
	return d->result;
}

const struct tsb_command cmd_dd = {
	.version = TSB_COMMAND_VERSION, .package = "coreutils", .package_version = "9.1",
	.name = "dd", .synopsis = "[OPERAND]...\nOPTION",
	.summary = "Copy a file, converting and formatting according to the operands.",
	.opts = dd_opts, .run = dd_run,
};
