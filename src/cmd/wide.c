/*
 * See wide.h.
 */
#include "cmd/wide.h"

#include "base/utf8.h"
#include "cmd/locale.h"

void wide_open(struct wide *w, struct tsb_proc *p, int fd)
{
	tsb_reader_init(&w->in, p, fd);
	w->utf8 = locale_utf8(p);
	w->n_again = 0;
}

static int wide_byte(struct wide *w)
{
	return w->n_again ? w->again[--w->n_again] : tsb_getbyte(&w->in);
}

static size_t wide_length(int c)
{
	return c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;
}

/* May another byte follow the first n of buf? Then the character is only cut short. */
static bool wide_begun(const char *buf, size_t n)
{
	static const unsigned char low[][2] = { { 0xe0, 0xa0 }, { 0xf0, 0x90 } };
	unsigned char a = (unsigned char)buf[0], b = (unsigned char)buf[1];

	if (n >= 2 && (a == 0xed ? b > 0x9f : a == 0xf4 && b > 0x8f))
		return false;
	for (size_t i = 0; n >= 2 && i < 2; i++)
		if (a == low[i][0] && b < low[i][1])
			return false;
	return true;
}

int32_t wide_get(struct wide *w)
{
	char buf[4];
	int first, c;
	int32_t out;
	size_t n, want;

	first = wide_byte(w);
	if (first < 0x80)
		return first < 0 ? WIDE_EOF : first;
	buf[0] = (char)first;
	w->byte = (unsigned char)first;
	want = w->utf8 ? wide_length(first) : 1;
	for (n = 1; n < want; n++) {
		c = wide_byte(w);
		if (c < 0)
			return WIDE_EOF;
		buf[n] = (char)c;
		if ((c & 0xc0) != 0x80 || !wide_begun(buf, n + 1)) {
			for (; n; n--)	/* all but the first byte are read again */
				w->again[w->n_again++] = (unsigned char)buf[n];
			return WIDE_BAD;
		}
	}
	if (want == 1 || utf8_decode(buf, want, &out) != want)
		return WIDE_BAD;
	return out;
}

void wide_put(struct tsb_proc *p, int32_t c)
{
	char buf[4];

	if (c >= 0 && c < 0x80)
		tsb_putc(p, c);
	else if (c >= 0)
		tsb_put(p, buf, utf8_encode(buf, (uint32_t)c));
}

bool wide_print(int32_t c)
{
	return c < 0x80 ? c >= ' ' && c < 0x7f : utf8_print(c);
}

bool wide_graph(int32_t c)
{
	return c < 0x80 ? c > ' ' && c < 0x7f : utf8_is(c, "graph");
}

int wide_width(int32_t c)
{
	return c ? utf8_width(c) : 0;
}
