/*
 * What bc says besides numbers.
 */
#include <string.h>

#include "cmd/bc/bc.h"

TSB_PRINTF(3, 0)
static void say(struct bc *b, const char *front, const char *fmt, va_list ap)
{
	struct str s;

	str_init(&s, b->heap, STR_MAX_DEFAULT);
	str_adds(&s, front);
	str_addvf(&s, fmt, ap);
	str_addc(&s, '\n');
	tsb_write_all(b->p, 2, s.p, s.n);
	str_end(&s);
}

TSB_PRINTF(3, 0)
static void say_at(struct bc *b, const char *kind, const char *fmt, va_list ap)
{
	char *front = tsb_format(b->p, "%s %d: %s", b->file_name, b->line, kind);

	say(b, front, fmt, ap);
	tsb_free(b->p, front);
}

void bc_error(struct bc *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_at(b, "", fmt, ap);
	va_end(ap);
	b->had_error = true;
}

void bc_extension(struct bc *b, const char *fmt, ...)
{
	va_list ap;

	if (b->loading_library || (!b->o->standard && !b->o->warn))
		return;
	va_start(ap, fmt);
	say_at(b, b->o->standard ? "Error: " : "(Warning) ", fmt, ap);
	va_end(ap);
	b->had_error |= b->o->standard;
}

TSB_PRINTF(3, 0)
static void say_running(struct bc *b, const char *kind, const char *fmt, va_list ap)
{
	char *front = tsb_format(b->p, "Runtime %s (func=%s, adr=%zu): ", kind,
				 b->functions.at[b->pc.function].name, b->pc.at);

	say(b, front, fmt, ap);
	tsb_free(b->p, front);
}

void bc_run_error(struct bc *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_running(b, "error", fmt, ap);
	va_end(ap);
	b->failed = true;
}

void bc_run_warning(struct bc *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_running(b, "warning", fmt, ap);
	va_end(ap);
}

static const char version[] =
	"bc 1.07.1\n"
	"Copyright 1991-1994, 1997, 1998, 2000, 2004, 2006, 2008, 2012-2017 "
	"Free Software Foundation, Inc.\n";

/* Standard output is buffered by lines. */
void bc_put(struct bc *b, const char *s, size_t n)
{
	const char *end = memrchr(s, '\n', n);
	size_t lines = end ? (size_t)(end - s) + 1 : 0;

	tsb_put(b->p, s, lines);
	if (lines)
		tsb_flush(b->p);
	tsb_put(b->p, s + lines, n - lines);
}

void bc_banner(struct tsb_proc *p)
{
	tsb_puts(p, version);
}

void bc_welcome(struct bc *b)
{
	bc_banner(b->p);
	tsb_puts(b->p, "This is free software with ABSOLUTELY NO WARRANTY.\n"
		       "For details type `warranty'. \n");
}

/* What GNU's says, of itself. */
void bc_terms(struct bc *b)
{
	tsb_printf(b->p, "\n%s\n", version);
	tsb_puts(b->p,
		 "    This program is free software; you can redistribute it and/or modify\n"
		 "    it under the terms of the GNU General Public License as published by\n"
		 "    the Free Software Foundation; either version 3 of the License , or\n"
		 "    (at your option) any later version.\n\n"
		 "    This program is distributed in the hope that it will be useful,\n"
		 "    but WITHOUT ANY WARRANTY; without even the implied warranty of\n"
		 "    MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the\n"
		 "    GNU General Public License for more details.\n\n"
		 "    You should have received a copy of the GNU General Public License\n"
		 "    along with this program. If not, write to\n\n"
		 "       The Free Software Foundation, Inc.\n"
		 "       51 Franklin Street, Fifth Floor\n"
		 "       Boston, MA 02110-1335  USA\n\n");
	tsb_flush(b->p);
}

void bc_limits(struct bc *b)
{
	tsb_printf(b->p, "BC_BASE_MAX     = %d\n", INT32_MAX);
	tsb_printf(b->p, "BC_DIM_MAX      = %d\n", BC_DIM_MAX);
	tsb_printf(b->p, "BC_SCALE_MAX    = %d\n", INT32_MAX);
	tsb_printf(b->p, "BC_STRING_MAX   = %d\n", INT32_MAX);
	tsb_printf(b->p, "MAX Exponent    = %lld\n", (long long)INT64_MAX);
	tsb_printf(b->p, "Number of vars  = %d\n", BC_NAMES_MAX);
	tsb_flush(b->p);
}

void bc_exit(struct bc *b, int status)
{
	tsb_exit(b->p, status);
}
