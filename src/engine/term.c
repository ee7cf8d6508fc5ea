/* See term.h. */
#include "engine/term.h"

#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

static void echo(struct wire_out *o, const char *text)
{
	wire_data(o, WIRE_DATA_OUT, text, strlen(text));
}

static void echo_byte(struct wire_out *o, uint8_t byte)
{
	char text[3] = { '^', (char)(byte ^ 0x40), '\0' };

	if (byte == '\n')
		echo(o, "\r\n");
	else if ((byte < 32 && byte != '\t') || byte == 127)
		echo(o, text);
	else
		wire_data(o, WIRE_DATA_OUT, &byte, 1);
}

static bool control(char c)
{
	return ((uint8_t)c < 32 && c != '\t') || c == 127;
}

/* The last character, which may be several bytes of UTF-8. */
static bool erase(struct term *t, struct wire_out *o)
{
	char c;

	if (!t->n)
		return false;
	c = t->line[--t->n];
	while (t->n && ((uint8_t)c & 0xc0) == 0x80)
		c = t->line[--t->n];
	echo(o, control(c) ? "\b \b\b \b" : "\b \b");
	return true;
}

static void erase_word(struct term *t, struct wire_out *o)
{
	while (t->n && (t->line[t->n - 1] == ' ' || t->line[t->n - 1] == '\t'))
		erase(t, o);
	while (t->n && t->line[t->n - 1] != ' ' && t->line[t->n - 1] != '\t')
		erase(t, o);
}

static enum term_said interrupt(struct term *t, uint8_t byte, struct wire_out *o, int *sig)
{
	echo_byte(o, byte);
	t->n = 0;
	*sig = byte == 3 ? SIGINT : SIGQUIT;
	return TERM_SIGNAL;
}

static enum term_said plain(struct term *t, uint8_t byte, struct wire_out *o)
{
	/* One place is kept for the newline; what is too much is not heard, as on Linux. */
	if (t->n + (byte != '\n') >= TERM_LINE) {
		echo(o, "\a");
		return TERM_NOTHING;
	}
	t->line[t->n++] = (char)byte;
	echo_byte(o, byte);
	return byte == '\n' ? TERM_LINE_DONE : TERM_NOTHING;
}

enum term_said term_type(struct term *t, uint8_t byte, struct wire_out *o, int *sig)
{
	switch (byte) {
	case 3:
	case 28:
		return interrupt(t, byte, o, sig);
	case 4:
		return t->n ? TERM_LINE_DONE : TERM_END;
	case 8:
	case 127:
		erase(t, o);
		return TERM_NOTHING;
	case 21:
		while (erase(t, o))
			;
		return TERM_NOTHING;
	case 23:
		erase_word(t, o);
		return TERM_NOTHING;
	case 26:	/* its session has nobody who could continue it: as on Linux, nothing stops */
		echo_byte(o, byte);
		return TERM_NOTHING;
	default:
		return plain(t, byte == '\r' ? '\n' : byte, o);
	}
}

void term_take(struct term *t)
{
	t->n = 0;
}

void term_print(struct wire_out *out, const char *data, size_t n)
{
	while (n) {
		const char *end = memchr(data, '\n', n);
		size_t part = end ? (size_t)(end - data) : n;

		wire_data(out, WIRE_DATA_OUT, data, part);
		if (end) {
			echo(out, "\r\n");
			part++;
		}
		data += part;
		n -= part;
	}
}
