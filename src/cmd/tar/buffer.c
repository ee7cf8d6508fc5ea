/*
 * The archive as blocks of 512 bytes, read and written in records (-b), from a
 * file, a standard stream or a compressor's pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/heap.h"
#include "cmd/human.h"
#include "cmd/tar/tar.h"
#include "cmd/util.h"

struct tar_buffer {
	int fd;			/* the archive's, or the pipe to the compressor */
	int pid;		/* of the compressor; 0: none */
	enum tar_mode mode;
	bool writing, eof, at_start;
	bool hit_end;		/* a record came out empty */
	unsigned char *record;
	size_t at, end;		/* blocks: the next one, how many there are */
	uint64_t start_block;	/* of record[0] in the archive */
	uint64_t bytes, written, deleted;
	uint64_t records;
	struct tsb_stat st;
	bool has_st;
};

static size_t tar_record_blocks(const struct tar *t)
{
	return t->record_size / TAR_BLOCK;
}

static const char *tar_archive_name(const struct tar *t)
{
	return t->archive ? t->archive : "-";
}

/* ---- Reading ---- */

static void tar_read_failed(struct tar *t, int err)
{
	tar_cannot(t, "read", tar_archive_name(t), err);
	if (t->b->at_start)
		tar_fatal(t, "At beginning of tape, quitting now");
	tar_fatal_exit(t);
}

/* Signals that have come; only one is caught. */
static void tar_take_signals(struct tar *t)
{
	while (t->totals_signal && tsb_take_signal(t->p) > 0)
		tar_totals(t);
}

static ssize_t tar_read_some(struct tar *t, void *to, size_t n)
{
	ssize_t got;

	while ((got = tsb_read(t->p, t->b->fd, to, n)) == -EINTR && t->totals_signal)
		tar_take_signals(t);
	return got;
}

static int tar_write_record(struct tar *t)
{
	const unsigned char *at = t->b->record;
	size_t left = t->record_size;

	while (left) {
		ssize_t n = tsb_write(t->p, t->b->fd, at, left);

		if (n == -EINTR && t->totals_signal) {
			tar_take_signals(t);
			continue;
		}
		if (n <= 0)
			return n ? (int)n : -EIO;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

static bool tar_read_record(struct tar *t)
{
	struct tar_buffer *b = t->b;
	size_t have = 0;

	tar_checkpoint(t, b->records + 1, false);	/* of the empty one at the end, too */
	tar_take_signals(t);
	while (have < t->record_size && !b->eof) {
		ssize_t got = tar_read_some(t, b->record + have, t->record_size - have);

		if (got < 0)
			tar_read_failed(t, (int)got);
		if (!got)
			b->eof = true;
		have += (size_t)got;
		b->at_start = false;
	}
	tsb_tick(t->p, 1 + have / 4096);
	b->start_block += b->end;
	b->bytes += have;
	b->at = 0;
	b->end = have / TAR_BLOCK;
	b->hit_end = !b->end;
	b->records++;
	return b->end > 0;
}

unsigned char *tar_block(struct tar *t)
{
	struct tar_buffer *b = t->b;

	if (b->at == b->end) {
		if (b->writing)
			tar_flush_record(t);
		else if (b->hit_end || !tar_read_record(t))
			return NULL;
	}
	return b->record + b->at * TAR_BLOCK;
}

size_t tar_blocks_ready(struct tar *t)
{
	return t->b->end - t->b->at;
}

void tar_consume(struct tar *t, size_t blocks)
{
	t->b->at += blocks;
}

uint64_t tar_block_number(const struct tar *t)
{
	return t->b->start_block + t->b->at;
}

/* Whole records are passed over by a seek where that is possible. */
static void tar_seek_over(struct tar *t, uint64_t *blocks)
{
	struct tar_buffer *b = t->b;
	uint64_t records = *blocks / tar_record_blocks(t);
	int64_t at, end;

	if (!records || b->pid || t->no_seek || !b->has_st || !S_ISREG(b->st.mode))
		return;
	at = tsb_lseek(t->p, b->fd, 0, 1);
	end = tsb_lseek(t->p, b->fd, 0, 2);
	if (at < 0 || end < at || (uint64_t)(end - at) / t->record_size < records) {
		tsb_lseek(t->p, b->fd, at, 0);
		return;
	}
	tsb_lseek(t->p, b->fd, at + (int64_t)(records * t->record_size), 0);
	b->start_block += b->end + records * tar_record_blocks(t);
	b->at = b->end = 0;
	b->records += records;
	b->bytes += records * t->record_size;
	*blocks -= records * tar_record_blocks(t);
}

void tar_skip(struct tar *t, uint64_t bytes)
{
	uint64_t blocks = bytes / TAR_BLOCK + (bytes % TAR_BLOCK != 0);

	while (blocks) {
		size_t n;

		if (!tar_blocks_ready(t))
			tar_seek_over(t, &blocks);
		if (!blocks)
			break;
		if (!tar_block(t))
			tar_fatal(t, "Unexpected EOF in archive");
		n = tar_blocks_ready(t);
		n = n < blocks ? n : (size_t)blocks;
		tar_consume(t, n);
		blocks -= n;
	}
}

/* ---- Writing ---- */

static void tar_write_failed(struct tar *t, int err)
{
	tar_cannot(t, "write", tar_archive_name(t), err);
	if (t->b->pid) {
		int status;

		tsb_close(t->p, t->b->fd);
		if (tsb_wait(t->p, t->b->pid, &status, 0) > 0 && WIFEXITED(status) &&
		    WEXITSTATUS(status))
			tar_error(t, "Child returned status %d", WEXITSTATUS(status));
	}
	tar_fatal_exit(t);
}

void tar_flush_record(struct tar *t)
{
	struct tar_buffer *b = t->b;
	int err = 0;

	tsb_tick(t->p, 1 + t->record_size / 4096);
	tar_checkpoint(t, ++b->records, true);
	tar_take_signals(t);
	if (b->fd >= 0)
		err = tar_write_record(t);
	if (err < 0)
		tar_write_failed(t, err);
	b->bytes += t->record_size;
	b->written += t->record_size;
	b->start_block += tar_record_blocks(t);
	b->at = 0;
	b->end = tar_record_blocks(t);
}

void tar_end_of_archive(struct tar *t)
{
	struct tar_buffer *b = t->b;

	for (int i = 0; i < 2; i++) {
		memset(tar_block(t), 0, TAR_BLOCK);
		tar_consume(t, 1);
	}
	if (b->at) {
		memset(b->record + b->at * TAR_BLOCK, 0, t->record_size - b->at * TAR_BLOCK);
		tar_flush_record(t);
	}
}

/* ---- Opening and closing ---- */

static void tar_open_failed(struct tar *t, int err)
{
	/* With a compressor it is a child that opens the archive. */
	if (t->compress && t->b->mode != TAR_MODIFY) {
		char *text = tsb_format(t->p, "tar (child): %s: Cannot open: %s\ntar (child): Error is "
					"not recoverable: exiting now\n",
					tar_quote_colon(t, t->archive), tsb_strerror(err));

		tsb_flush(t->p);
		tsb_write_all(t->p, 2, text, strlen(text));
		tar_fatal(t, "Child returned status 2");
	}
	tar_fatal(t, "%s: Cannot open: %s", tar_quote_colon(t, tar_archive_name(t)),
		  tsb_strerror(err));
}

static int tar_open_fd(struct tar *t, enum tar_mode mode)
{
	static const int flags[] = { O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_RDWR | O_CREAT };
	const char *name = tar_archive_name(t);
	int fd;

	if (!strcmp(name, "-")) {
		if (mode != TAR_READ && tsb_isatty(t->p, 1))
			tar_fatal(t, "Refusing to write archive contents to terminal (missing -f "
				  "option?)");
		if (mode == TAR_READ && tsb_isatty(t->p, 0))
			tar_fatal(t, "Refusing to read archive contents from terminal (missing -f "
				  "option?)");
		return mode == TAR_READ ? 0 : 1;
	}
	if (mode == TAR_WRITE && t->backup.wanted) {
		char *to;
		struct tsb_stat st;

		if (!tsb_lstat(t->p, name, &st) && S_ISREG(st.mode))
			backup_rename(t->p, &t->backup, name, &to);
	}
	fd = tsb_open(t->p, name, flags[mode] | O_CLOEXEC, 0666);
	if (fd < 0)
		tar_open_failed(t, fd);
	return fd;
}

static void tar_guess_compressed(struct tar *t)
{
	struct tar_buffer *b = t->b;
	const char *program;
	int64_t at;

	if (t->compress || t->no_auto)
		return;
	if (tar_read_record(t) && tar_checksum_ok(b->record))
		return;
	program = tar_compressor_magic(b->record, (size_t)b->bytes);
	if (!program && b->bytes < TAR_BLOCK)
		tar_error(t, "This does not look like a tar archive");
	if (!program)
		return;
	at = tsb_lseek(t->p, b->fd, -(int64_t)b->bytes, 1);
	if (at < 0 || !strcmp(tar_archive_name(t), "-"))
		tar_fatal(t, "Archive is compressed. Use %s option",
			  tar_compressor_option(b->record, (size_t)b->bytes));
	t->compress = program;
	b->end = b->at = 0;
	b->start_block = b->bytes = b->records = 0;
	b->eof = b->hit_end = false;
}

/* What is to be changed in place. */
static void tar_refuse_compressed(struct tar *t)
{
	unsigned char head[TAR_BLOCK];
	ssize_t n = tsb_pread(t->p, t->b->fd, head, sizeof(head), 0);

	if (n > 0 && !(n == TAR_BLOCK && tar_checksum_ok(head)) &&
	    tar_compressor_magic(head, (size_t)n))
		tar_fatal(t, "Cannot update compressed archives");
}

/* A short compressed file: less than a block. */
static void tar_guess_short(struct tar *t)
{
	struct tar_buffer *b = t->b;
	unsigned char head[TAR_BLOCK];
	ssize_t n;

	if (t->compress || !b->has_st || !S_ISREG(b->st.mode) || b->st.size >= TAR_BLOCK ||
	    !t->archive)
		return;
	n = tsb_pread(t->p, b->fd, head, sizeof(head), 0);
	if (n > 0)
		t->compress = tar_compressor_magic(head, (size_t)n);
}

static void tar_to_null(struct tar *t)
{
	struct tsb_stat st;

	if (!tsb_stat(t->p, "/dev/null", &st) && S_ISCHR(t->b->st.mode) &&
	    st.rdev == t->b->st.rdev)
		t->b->fd = -1;	/* nothing is written, and nothing read: see create.c */
}

void tar_open(struct tar *t, enum tar_mode mode)
{
	struct tar_buffer *b = tsb_alloc(t->p, sizeof(*b));
	int fd;

	t->b = b;
	b->mode = mode;
	b->at_start = true;
	b->fd = fd = tar_open_fd(t, mode);
	b->has_st = !tsb_fstat(t->p, b->fd, &b->st);
	b->record = heap_alloc(tsb_heap_of(t->p), t->record_size);
	if (mode == TAR_WRITE) {
		b->writing = true;
		b->end = tar_record_blocks(t);
		tar_to_null(t);
	} else if (mode == TAR_READ) {
		tar_guess_short(t);
		tar_guess_compressed(t);
	} else {
		tar_refuse_compressed(t);
	}
	if (t->compress && mode != TAR_MODIFY) {
		b->fd = tar_start_compressor(t, t->compress, fd, mode == TAR_READ, &b->pid);
		if (fd > 2)
			tsb_close(t->p, fd);
	}
}

bool tar_is_archive(const struct tar *t, const struct tsb_stat *st)
{
	return t->b->has_st && S_ISREG(t->b->st.mode) && util_same_file(&t->b->st, st);
}

static void tar_wait_compressor(struct tar *t)
{
	struct tar_buffer *b = t->b;
	int status;

	if (!b->pid)
		return;
	if (tsb_wait(t->p, b->pid, &status, 0) < 0)
		return;
	b->pid = 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE)
		tar_error(t, "Child died with signal %d", WTERMSIG(status));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		tar_fatal(t, "Child returned status %d", WEXITSTATUS(status));
}

/* What is left in a pipe is read, so that its writer ends well. */
static void tar_drain(struct tar *t)
{
	struct tar_buffer *b = t->b;

	if (b->writing || b->eof || b->mode != TAR_READ || (!b->pid && (!b->has_st ||
								    S_ISREG(b->st.mode))))
		return;
	while (tsb_read(t->p, b->fd, b->record, t->record_size) > 0)
		tsb_tick(t->p, 1);
}

void tar_close(struct tar *t)
{
	struct tar_buffer *b = t->b;
	int err;

	tar_drain(t);
	if (b->mode == TAR_MODIFY && b->writing) {
		int64_t at = tsb_lseek(t->p, b->fd, 0, 1);

		if (at >= 0)
			tsb_ftruncate(t->p, b->fd, (uint64_t)at);
	}
	if (b->fd > 1 && (err = tsb_close(t->p, b->fd)) < 0)
		tar_cannot(t, "close", tar_archive_name(t), err);
	tar_wait_compressor(t);
}

void tar_write_from(struct tar *t, uint64_t block)
{
	struct tar_buffer *b = t->b;
	size_t per = tar_record_blocks(t), in_record = (size_t)(block % per);
	uint64_t from = (block - in_record) * TAR_BLOCK;

	b->writing = true;
	memset(b->record, 0, t->record_size);
	if (in_record)
		tsb_pread(t->p, b->fd, b->record, in_record * TAR_BLOCK, from);
	tsb_lseek(t->p, b->fd, (int64_t)from, 0);
	b->start_block = block - in_record;
	b->at = in_record;
	b->end = per;
}

void tar_count_deleted(struct tar *t, uint64_t blocks)
{
	t->b->deleted += blocks;
}

static void tar_print_total(struct tar *t, const char *what, uint64_t bytes, double seconds)
{
	struct human h = { HUMAN_AUTOSCALE | HUMAN_1024 | HUMAN_UNIT | HUMAN_B, 1 };
	char size[HUMAN_SIZE], rate[HUMAN_SIZE], *text;
	double per = seconds > 0 ? (double)bytes / seconds : 0;

	human_format(size, bytes, 1, &h);
	if (per >= 1 && per < 1e18)
		human_format(rate, (uint64_t)per, 1, &h);
	else
		memcpy(rate, "?", 2);
	text = tsb_format(t->p, "%s: %llu (%s, %s/s)\n", what, (unsigned long long)bytes, size, rate);
	tsb_flush(t->p);
	tsb_write_all(t->p, 2, text, strlen(text));
}

void tar_totals(struct tar *t)
{
	struct tsb_time now = tsb_clock(t->p, TSB_CLOCK_REAL);
	double seconds = (double)(now.sec - t->start.sec) + (double)(now.nsec - t->start.nsec) / 1e9;
	struct tar_buffer *b = t->b;
	char *text;

	switch ((enum tar_action)t->action) {
	case TAR_CREATE: case TAR_CAT: case TAR_UPDATE: case TAR_APPEND:
		tar_print_total(t, "Total bytes written", b->written, seconds);
		break;
	case TAR_DELETE:
		tar_print_total(t, "Total bytes read", b->bytes - b->written, seconds);
		text = tsb_format(t->p, "Total bytes deleted: %llu\n",
				  (unsigned long long)(b->deleted * TAR_BLOCK));
		tsb_write_all(t->p, 2, text, strlen(text));
		break;
	default:
		tar_print_total(t, "Total bytes read", b->records * t->record_size, seconds);
		break;
	}
}
