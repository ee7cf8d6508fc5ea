/*
 * dc's output, messages and the shell.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/dc/dc.h"

/* Not tsb_warn(): what stands in the buffer of standard output stays there. */
void dc_say(struct dc *d, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, d->heap, STR_MAX_DEFAULT);
	str_addf(&s, "%s: ", tsb_name(d->p));
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	str_addc(&s, '\n');
	dc_complain(d, s.p);
	str_end(&s);
}

void dc_complain(struct dc *d, const char *text)
{
	tsb_write_all(d->p, 2, text, strlen(text));
}

const char *dc_name_of(struct dc *d, int ch)
{
	if (ch > ' ' && ch < 127)
		snprintf(d->name, sizeof(d->name), "'%c' (0%o)", ch, (unsigned)ch);
	else
		snprintf(d->name, sizeof(d->name), ch ? "0%o" : "%o", (unsigned)ch);
	return d->name;
}

/* Each number is broken into lines for itself. */
static void print_number(struct dc *d, const struct decimal *a)
{
	size_t width = d->line_size ? d->line_size - 1 : SIZE_MAX;
	struct str s;

	str_init(&s, d->heap, STR_MAX_DEFAULT);
	decimal_print(&d->numbers, a, d->obase, &s);
	for (size_t at = 0; at < s.n; at += width) {
		size_t n = s.n - at < width ? s.n - at : width;

		if (at)
			tsb_puts(d->p, "\\\n");
		tsb_put(d->p, s.p + at, n);
		tsb_tick(d->p, 1);
		if (n < width)
			break;
	}
	str_end(&s);
}

void dc_print(struct dc *d, struct dc_value v, bool newline)
{
	if (v.number)
		print_number(d, v.number);
	else
		tsb_put(d->p, v.string->at, v.string->n);
	if (newline)
		tsb_putc(d->p, '\n');
	tsb_flush(d->p);
}

static int hex(char ch)
{
	return ch <= '9' ? ch - '0' : ch - 'A' + 10;
}

/* The whole part's digits to the base 256. */
void dc_print_bytes(struct dc *d, const struct decimal *a)
{
	struct decimal *whole = decimal_cut(&d->numbers, a, 0);
	struct str s;
	size_t at = 0;

	whole->negative = false;
	str_init(&s, d->heap, STR_MAX_DEFAULT);
	decimal_print(&d->numbers, whole, 16, &s);
	decimal_drop(&d->numbers, whole);
	if (s.n % 2)
		tsb_putc(d->p, hex(s.p[at++]));
	for (; at < s.n; at += 2)
		tsb_putc(d->p, hex(s.p[at]) << 4 | hex(s.p[at + 1]));
	tsb_flush(d->p);
	str_end(&s);
}

void dc_run_shell(struct dc *d, const char *text)
{
	const char *argv[] = { "sh", "-c", text, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = argv };
	int pid, status;

	tsb_flush(d->p);
	if (tsb_spawn(d->p, &how, &pid) == 0)
		tsb_wait(d->p, pid, &status, 0);
}
