/*
 * The last error of a store: a code and a sentence that says what, where, and what to do.
 */
#include "box/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grown.h"

static const char *const bx_status_names[] = {
	"ok", "memory", "argument", "unknown", "exists", "state", "policy", "unsupported", "host",
	"command", "timeout", "lost", "store", "file", "limit", "busy", "protocol", "system",
	"hook",
};

const char *tbx_status_name(int status)
{
	size_t count = sizeof(bx_status_names) / sizeof(*bx_status_names);

	return status <= 0 && (size_t)-status < count ? bx_status_names[-status] : "unknown-status";
}

const char *tbx_error(const struct tbx_store *store)
{
	return store && store->error ? store->error : "";
}

int tbx_error_status(const struct tbx_store *store)
{
	return store ? store->error_status : 0;
}

int bx_fail(struct tbx_store *store, int status, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	free(store->error);
	store->error = text;
	store->error_status = 0;
	return status;
}

int bx_memory(struct tbx_store *store)
{
	return bx_fail(store, TBX_ERR_MEMORY, "no memory");
}

int bx_take_options(struct tbx_store *store, void *whole, size_t size, const void *given, const char *what)
{
	if (given && grown_take(whole, size, given))
		return TBX_OK;
	return bx_fail(store, TBX_ERR_ARGUMENT, "struct %s: its size is that of no version (begin with _INIT), "
		       "or it asks for what only a newer tinybox knows", what);
}

char *bx_format(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text;
}

/* fn NULL: nobody wants to know. */
__attribute__((format(printf, 3, 0)))
static void tell(void (*fn)(void *ctx, const char *text), void *ctx, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (fn && vasprintf(&text, fmt, ap) >= 0) {
		fn(ctx, text);
		free(text);
	}
}

void bx_warn(struct tbx_store *store, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(store->opt.warning, store->opt.warning_ctx, fmt, ap);
	va_end(ap);
}

void bx_progress(struct tbx_store *store, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(store->opt.progress, store->opt.progress_ctx, fmt, ap);
	va_end(ap);
}

void bx_plain(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || (unsigned char)*s > '~')
			*s = '?';
}
