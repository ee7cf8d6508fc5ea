/*
 * What the compressors have in common: bytes in and out in large blocks, and
 * memory for the libraries (zlib, bz2, lzma, zstd) from the process's heap, so
 * that it is counted and a process dropped in the middle leaks nothing.
 */
#ifndef CMD_PACK_PACK_H
#define CMD_PACK_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

#define PACK_BLOCK ((size_t)64 << 10)

/* ---- Input: [at, n) of buf is read and not consumed ---- */
struct pack_in {
	struct tsb_proc *p;
	int fd;
	int error;		/* -errno of a failed read, or 0 */
	bool eof;
	unsigned char *buf;
	size_t at, n;
	uint64_t total;		/* bytes read from fd */
};

/* Starts on a descriptor; the buffer of an earlier one is used again. */
void pack_in_open(struct pack_in *in, struct tsb_proc *p, int fd);
/* More bytes when none are left: false at the end or on error. */
bool pack_fill(struct pack_in *in);
/* At least n (<= PACK_BLOCK) bytes at once, what is left moves to the front. */
bool pack_need(struct pack_in *in, size_t n);
/* The next byte, or -1. */
static inline int pack_byte(struct pack_in *in)
{
	return in->at < in->n || pack_fill(in) ? in->buf[in->at++] : -1;
}
/* Consumed so far. */
static inline uint64_t pack_consumed(const struct pack_in *in)
{
	return in->total - (in->n - in->at);
}

/* ---- Output: n bytes of buf wait ---- */
struct pack_out {
	struct tsb_proc *p;
	int fd;			/* -1: nowhere (testing) */
	int error;		/* -errno of a failed write, or 0; the rest is dropped */
	unsigned char *buf;
	size_t n;
	uint64_t total;		/* bytes that left the buffer */
};

void pack_out_open(struct pack_out *out, struct tsb_proc *p, int fd);
bool pack_flush(struct pack_out *out);
void pack_put(struct pack_out *out, const void *data, size_t n);
static inline void pack_putc(struct pack_out *out, int c)
{
	if (out->n == PACK_BLOCK)
		pack_flush(out);
	out->buf[out->n++] = (unsigned char)c;
}
static inline uint64_t pack_produced(const struct pack_out *out)
{
	return out->total + out->n;
}

/* All of the rest of in to out. */
void pack_copy(struct pack_in *in, struct pack_out *out);

static inline uint32_t pack_le16(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}
static inline uint32_t pack_le32(const unsigned char *at)
{
	return pack_le16(at) | pack_le16(at + 2) << 16;
}
static inline uint64_t pack_le64(const unsigned char *at)
{
	return pack_le32(at) | (uint64_t)pack_le32(at + 4) << 32;
}
static inline void pack_set16(unsigned char *at, uint32_t v)
{
	at[0] = (unsigned char)v;
	at[1] = (unsigned char)(v >> 8);
}
static inline void pack_set32(unsigned char *at, uint32_t v)
{
	pack_set16(at, v);
	pack_set16(at + 2, v >> 16);
}

/* ---- Memory for the libraries: ctx is the struct tsb_proc ---- */
void *pack_zalloc(void *ctx, unsigned items, unsigned size);	/* zlib's alloc_func */
void *pack_bzalloc(void *ctx, int items, int size);
void *pack_lzma_alloc(void *ctx, size_t items, size_t size);
void *pack_zstd_alloc(void *ctx, size_t size);
void pack_free(void *ctx, void *at);

/* ---- Files ---- */
/* Owner, mode and times of `from` onto an open output file. */
void pack_copy_stat(struct tsb_proc *p, int fd, const struct tsb_stat *from);
/* Standard error, formatted, with no name in front. */
void pack_say(struct tsb_proc *p, const char *fmt, ...) TSB_PRINTF(2, 3);
/* Runs a table of options over argv (no name in it) with the wording of the
 * tool: "NAME: text\n" and `hint`. false: the command ends with *status. */
struct opt_parsed;
bool pack_options(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		  struct opt_parsed *out, const char *name, const char *hint, int *status);
/* argv with the words of these variables of the environment before it; *argc counts them too. */
char **pack_arguments(struct tsb_proc *p, const char *const names[2], int *argc, char **argv);
/* How the shell's script of a real machine knows itself: its path. */
const char *pack_self(struct tsb_proc *p);
/* Is arg this long option, or the beginning of it ("--h")? */
bool pack_asks(const char *arg, const char *option);
/* What the scripts answer to --version and --help, and the process ends. */
void pack_answer(struct tsb_proc *p, const struct tsb_command *cmd, bool version) TSB_NORETURN;
/* The same if arg is one of the two ... */
void pack_answer_word(struct tsb_proc *p, const struct tsb_command *cmd, const char *arg);
/* ... and where the script looks at the first letter behind the dashes only. */
void pack_answer_letter(struct tsb_proc *p, const struct tsb_command *cmd, const char *arg);
/* Prints --help or --version of cmd and ends the process. */
int pack_help(struct tsb_proc *p, const struct tsb_command *cmd) TSB_NORETURN;

#endif
