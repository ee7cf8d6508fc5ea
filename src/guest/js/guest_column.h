/*
 * Columns are characters (UTF-16), not bytes: how many bytes too many there are before the token. Included into quickjs.c before
 * the scanner. Counted on from the token before; far into a line bytes have to do.
 */
static const uint8_t *guest_wide_line, *guest_wide_to;
static int guest_wide_bytes;

static int guest_wide(JSParseState *s)
{
	enum { FAR = 8192 };
	const uint8_t *p = s->token.ptr;

	if (p <= s->eol || p - s->eol > FAR)
		return 0;
	if (guest_wide_line != s->eol || guest_wide_to > p) {
		guest_wide_line = guest_wide_to = s->eol;
		guest_wide_bytes = 0;
	}
	for (const uint8_t *q = guest_wide_to + 1; q < p; q++)
		guest_wide_bytes += ((*q & 0xc0) == 0x80) - (*q >= 0xf0);
	guest_wide_to = p - 1;
	return guest_wide_bytes;
}
