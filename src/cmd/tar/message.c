/*
 * What tar says: names in its quoting, errors and the status they leave, and
 * where listings go.
 */
#include <string.h>

#include "cmd/quote.h"
#include "cmd/tar/tar.h"
#include "cmd/util.h"

static TSB_PRINTF(2, 0) void tar_vsay(struct tar *t, const char *fmt, va_list ap)
{
	struct str text;

	tsb_flush(t->p);	/* listings and messages keep their order */
	str_init(&text, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_adds(&text, "tar: ");
	str_addvf(&text, fmt, ap);
	str_addc(&text, '\n');
	tsb_write_all(t->p, 2, text.p, text.n);
	str_end(&text);
}

void tar_say(struct tar *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tar_vsay(t, fmt, ap);
	va_end(ap);
}

void tar_error(struct tar *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tar_vsay(t, fmt, ap);
	va_end(ap);
	t->status = 2;
}

void tar_cannot(struct tar *t, const char *verb, const char *name, int err)
{
	tar_error(t, "%s: Cannot %s: %s", tar_quote_colon(t, name), verb, tsb_strerror(err));
}

void tar_warn_cannot(struct tar *t, const char *verb, const char *name, int err)
{
	tar_say(t, "%s: Warning: Cannot %s: %s", tar_quote_colon(t, name), verb,
		tsb_strerror(err));
}

void tar_warn(struct tar *t, unsigned class, const char *fmt, ...)
{
	va_list ap;

	if (!(t->warnings & class))
		return;
	va_start(ap, fmt);
	tar_vsay(t, fmt, ap);
	va_end(ap);
}

void tar_fatal_exit(struct tar *t)
{
	tar_error(t, "Error is not recoverable: exiting now");
	tsb_exit(t->p, 2);
}

void tar_fatal(struct tar *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tar_vsay(t, fmt, ap);
	va_end(ap);
	tar_fatal_exit(t);
}

void tar_usage(struct tar *t, const char *fmt, ...)
{
	static const char hint[] =
		"Try 'tar --help' or 'tar --usage' for more information.\n";
	va_list ap;

	va_start(ap, fmt);
	tar_vsay(t, fmt, ap);
	va_end(ap);
	tsb_write_all(t->p, 2, hint, sizeof(hint) - 1);
	tsb_exit(t->p, 2);
}

void tar_out(struct tar *t, const char *data, size_t n)
{
	if (t->list_fd == 1)
		tsb_put(t->p, data, n);
	else
		tsb_write_all(t->p, t->list_fd, data, n);
}

/* ---- Names ---- */

/* --quote-chars without what --no-quote-chars takes back. */
static char *quote_also(struct tar *t, const char *more)
{
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_adds(&out, more);
	for (const char *at = t->quote_more ? t->quote_more : ""; *at; at++)
		if (!(*at & 0x80) && !(t->quote_less && strchr(t->quote_less, *at)))
			str_addc(&out, *at);
	return str_take(&out, NULL);
}

static char *quote_with(struct tar *t, const char *name, const char *more)
{
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	quote_gnu(&out, quote_style_here(t->p, t->quoting), name, strlen(name), quote_also(t, more));
	return str_take(&out, NULL);
}

const char *tar_quote(struct tar *t, const char *name)
{
	return quote_with(t, name, "");
}

const char *tar_quote_colon(struct tar *t, const char *name)
{
	return quote_with(t, name, ":");
}

const char *tar_quote_word(struct tar *t, const char *name)
{
	return quote_text(t->p, name);
}

bool tar_confirm(struct tar *t, const char *what, const char *name)
{
	struct str text;
	char *line;

	if (!t->asker)
		t->asker = tsb_alloc(t->p, sizeof(*t->asker));
	if (!t->asker->started) {
		tsb_reader_init(&t->asker->in, t->p, 0);
		t->asker->started = true;
	}
	str_init(&text, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_addf(&text, "%s %s?", what, tar_quote_word(t, name));
	tar_out(t, text.p, text.n);
	if (t->list_fd == 1)
		tsb_flush(t->p);
	if (!tsb_getdelim(&t->asker->in, &line, '\n')) {
		tar_out(t, "\n", 1);
		return false;
	}
	return *line == 'y' || *line == 'Y';
}
