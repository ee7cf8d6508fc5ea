/*
 * See tailpos.h. Blocks are read backwards and searched backwards. Counting
 * compares 16 bytes at a time; a byte of the sum can take 255 of them.
 */
#include "cmd/tailpos.h"

#include <string.h>

#include "cmd/lines.h"

typedef unsigned char tailpos_vec __attribute__((vector_size(16)));

static uint64_t tailpos_sum(tailpos_vec v)
{
	const uint64_t even = 0x00ff00ff00ff00ff, ones = 0x0001000100010001;
	uint64_t w[2], sum = 0;

	memcpy(w, &v, sizeof(w));
	for (int i = 0; i < 2; i++)
		sum += (((w[i] & even) + (w[i] >> 8 & even)) * ones) >> 48;
	return sum;
}

uint64_t tailpos_count(const char *at, size_t n, int delim)
{
	const tailpos_vec want = (tailpos_vec){ 0 } + (unsigned char)delim;
	uint64_t count = 0;

	while (n >= 32) {
		tailpos_vec a = { 0 }, b = { 0 };
		size_t turns = n / 32 < 255 ? n / 32 : 255;

		n -= turns * 32;
		for (; turns--; at += 32) {
			tailpos_vec x, y;

			memcpy(&x, at, 16);
			memcpy(&y, at + 16, 16);
			a -= (tailpos_vec)(x == want);
			b -= (tailpos_vec)(y == want);
		}
		count += tailpos_sum(a) + tailpos_sum(b);
	}
	for (; n; n--)
		count += (unsigned char)*at++ == (unsigned char)delim;
	return count;
}

int tailpos_lines(struct tsb_proc *p, int fd, uint64_t from, uint64_t end, int delim,
		  uint64_t count, uint64_t *pos)
{
	const size_t size = SINK_SIZE;
	char *buf = text_alloc(p, size);
	bool last = true;	/* the delimiter of the last line is not a start */

	*pos = from;
	while (end > from) {
		size_t want = end - from < size ? (size_t)(end - from) : size, n;
		ssize_t got = tsb_pread(p, fd, buf, want, end - want);
		char *nl;

		tsb_tick(p, 64);
		if (got < 0)
			return (int)got;
		if ((size_t)got < want)
			break;	/* it has become shorter meanwhile */
		n = want;
		if (last && (unsigned char)buf[n - 1] == (unsigned char)delim)
			n--;
		last = false;
		while ((nl = memrchr(buf, delim, n)) && --count)
			n = (size_t)(nl - buf);
		if (nl) {
			*pos = end - want + (uint64_t)(nl - buf) + 1;
			break;
		}
		end -= want;
	}
	tsb_free(p, buf);
	return 0;
}
