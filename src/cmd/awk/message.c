/*
 * Messages: NAME: SOURCE:LINE: (FILENAME=... FNR=...) kind: text, as gawk's. Of
 * a fatal one the status is 2.
 */
#include "cmd/awk/awk.h"

static TSB_PRINTF(3, 0) void message_make(struct awk *a, const char *kind, const char *fmt,
					  va_list ap)
{
	struct str s;

	tsb_flush(a->p);
	str_init(&s, a->heap, STR_MAX_DEFAULT);
	str_addf(&s, "%s: ", tsb_name(a->p));
	if (a->line && a->source)
		str_addf(&s, "%s:%d: ", a->source, a->line);
	else if (a->line)
		str_addf(&s, "cmd. line:%d: ", a->line);
	if (a->fnr > 0 && a->globals) {
		struct awk_str *name = ak_var_str(a, VAR_FILENAME);

		str_addf(&s, "(FILENAME=%s FNR=%.0f) ", name->n ? name->p : "-", a->fnr);
		str_drop(a, name);
	}
	str_adds(&s, kind);
	str_addvf(&s, fmt, ap);
	str_addc(&s, '\n');
	tsb_write_all(a->p, 2, s.p, s.n);
	str_end(&s);
}

void awk_warn(struct awk *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_make(a, "warning: ", fmt, ap);
	va_end(ap);
}

void awk_error(struct awk *a, const char *source, int line, const char *text)
{
	char *place = source ? tsb_format(a->p, "%s:%d: ", source, line) :
		      line ? tsb_format(a->p, "cmd. line:%d: ", line) : "";
	char *all = tsb_format(a->p, "%s: %serror: %s\n", tsb_name(a->p), place, text);

	tsb_write_all(a->p, 2, all, strlen(all));
	a->errors = true;
}

void awk_fatal(struct awk *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_make(a, "fatal: ", fmt, ap);
	va_end(ap);
	ak_streams_flush(a);
	tsb_exit(a->p, 2);
}

void awk_too_deep(struct awk *a)
{
	a->stack_base = 0;
	awk_fatal(a, "nesting too deep");
}
