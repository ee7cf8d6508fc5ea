/*
 * The format of compress (.Z): LZW with codes of 9 to 16 bits, read only.
 */
#include <string.h>

#include "base/heap.h"
#include "cmd/pack/gzip.h"

enum { LZW_CLEAR = 256, LZW_FIRST = 257, LZW_MAX = 1 << 16 };

struct lzw {
	struct gzip *g;
	uint16_t *prefix;
	unsigned char *suffix, *stack;
	unsigned bits, max_bits, free_code;
	bool block_mode;
	uint64_t hold;
	unsigned held;
	unsigned in_group;	/* codes read since the width changed: groups are of 8 */
};

static bool lzw_open(struct lzw *l)
{
	struct tsb_heap *heap = tsb_heap_of(l->g->p);
	int flags = pack_byte(&l->g->in);

	if (flags < 0) {
		gzip_error(l->g, "unexpected end of file");
		return false;
	}
	l->max_bits = (unsigned)flags & 31;
	l->block_mode = flags & 128;
	if (flags & 0x60)
		gzip_warn(l->g, "\ngzip: %s: warning, unknown flags 0x%x\n", l->g->name,
			  (unsigned)flags & 0x60);
	if (l->max_bits > 16) {
		pack_say(l->g->p, "\ngzip: %s: compressed with %u bits, can only handle 16 bits\n",
			 l->g->name, l->max_bits);
		l->g->status = GZIP_ERROR;
		return false;
	}
	l->prefix = heap_array(heap, LZW_MAX, sizeof(*l->prefix));
	l->suffix = heap_alloc(heap, LZW_MAX);
	l->stack = heap_alloc(heap, LZW_MAX);
	l->bits = 9;
	l->free_code = l->block_mode ? LZW_FIRST : 256;
	return true;
}

static int lzw_code(struct lzw *l)
{
	int c, code;

	while (l->held < l->bits) {
		c = pack_byte(&l->g->in);
		if (c < 0)
			return -1;
		l->hold |= (uint64_t)c << l->held;
		l->held += 8;
	}
	code = (int)(l->hold & ((1u << l->bits) - 1));
	l->hold >>= l->bits;
	l->held -= l->bits;
	l->in_group = (l->in_group + 1) & 7;
	return code;
}

/* Codes are written in groups of eight; a change of width drops the rest. */
static bool lzw_set_bits(struct lzw *l, unsigned bits)
{
	while (l->in_group)
		if (lzw_code(l) < 0)
			return false;
	l->bits = bits;
	return true;
}

/* The text of a code, and its first byte. */
static unsigned char lzw_write(struct lzw *l, unsigned code, int extra)
{
	size_t n = LZW_MAX;

	if (extra >= 0)
		l->stack[--n] = (unsigned char)extra;
	while (code >= 256 && n > 1) {
		l->stack[--n] = l->suffix[code];
		code = l->prefix[code];
	}
	l->stack[--n] = (unsigned char)code;
	pack_put(&l->g->out, l->stack + n, LZW_MAX - n);
	l->g->bytes_out += LZW_MAX - n;
	return (unsigned char)code;
}

static bool lzw_corrupt(struct lzw *l)
{
	pack_flush(&l->g->out);
	gzip_error(l->g, l->g->to_stdout ? "corrupt input."
					 : "corrupt input. Use zcat to recover some data.");
	return false;
}

static bool lzw_run(struct lzw *l)
{
	unsigned limit = 1u << l->max_bits;
	unsigned most = l->max_bits == 9 ? 10 : l->max_bits;	/* gzip's own slip with 9 */
	int code, old = -1;
	unsigned char first = 0;

	while ((code = lzw_code(l)) >= 0) {
		if (code == LZW_CLEAR && l->block_mode) {
			if (!lzw_set_bits(l, 9))
				break;
			l->free_code = LZW_FIRST;
			old = -1;
			continue;
		}
		if (old < 0) {
			if (code >= 256)
				return lzw_corrupt(l);
			first = lzw_write(l, (unsigned)code, -1);
			old = code;
			continue;
		}
		if ((unsigned)code > l->free_code)
			return lzw_corrupt(l);
		first = (unsigned)code == l->free_code ? lzw_write(l, (unsigned)old, first)
						       : lzw_write(l, (unsigned)code, -1);
		if (l->free_code < limit) {
			l->prefix[l->free_code] = (uint16_t)old;
			l->suffix[l->free_code++] = first;
		}
		old = code;
		if (l->free_code > (1u << l->bits) - 1 && l->bits < most && !lzw_set_bits(l, l->bits + 1))
			break;
	}
	return true;
}

bool gzip_unlzw(struct gzip *g)
{
	struct lzw l = { .g = g };

	g->bytes_out = 0;
	if (!lzw_open(&l) || !lzw_run(&l))
		return false;
	pack_flush(&g->out);
	if (g->in.error)
		gzip_error(g, "");
	return !g->in.error && !gzip_out_failed(g);
}
