/*
 * The calls, and the one native function that carries most of them:
 * host.sys(number, ...arguments). An argument is a number, or bytes: strings go
 * as UTF-8, views and buffers as they are, and the host may write into those.
 */
#include <stdio.h>
#include <stdlib.h>

#define IMPORT(name) __attribute__((import_module("h"), import_name(name)))
IMPORT("write") int h_write(int fd, const void *p, unsigned n);
IMPORT("random") void h_random(void *p, unsigned n);
IMPORT("exit") _Noreturn void h_exit(int status);
IMPORT("library") int h_library(int index, int what, void *p, unsigned cap);

#define NATIVE(name) \
	static JSValue name(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)

/* Bytes of a view or a buffer; false with an exception. They stay until JavaScript runs. */
static bool glue_bytes(JSContext *ctx, JSValueConst v, uint8_t **at, size_t *n)
{
	JSArrayBuffer *b;
	size_t whole, offset = 0;
	JSObject *p;
	JSValue buffer;

	if (!JS_IsObject(v)) {
		JS_ThrowTypeError(ctx, "not a buffer");
		return false;
	}
	p = JS_VALUE_GET_OBJ(v);
	if (p->class_id == JS_CLASS_ARRAY_BUFFER) {
		*at = JS_GetArrayBuffer(ctx, n, v);
		return !JS_HasException(ctx);
	}
	if (p->class_id == JS_CLASS_DATAVIEW) {
		b = p->u.typed_array->buffer->u.array_buffer;
		offset = p->u.typed_array->offset;
		*n = p->u.typed_array->length;
	} else {
		buffer = JS_GetTypedArrayBuffer(ctx, v, &offset, n, NULL);
		if (JS_IsException(buffer))
			return false;
		b = JS_VALUE_GET_OBJ(buffer)->u.array_buffer;
		JS_FreeValue(ctx, buffer);
	}
	whole = (size_t)b->byte_length;
	if (!b->data || offset > whole) {
		*at = NULL;
		*n = 0;
	} else {
		*at = b->data + offset;
		*n = *n < whole - offset ? *n : whole - offset;
	}
	return true;
}

/* A string's characters: one of b and w. To be ended with JS_FreeValue(held). */
struct glue_string {
	const uint8_t *b;
	const uint16_t *w;
	size_t n;
	JSValue held;
};

static bool glue_string(JSContext *ctx, JSValueConst v, struct glue_string *s)
{
	JSString *p;

	s->held = JS_ToString(ctx, v);
	if (JS_IsException(s->held))
		return false;
	p = JS_VALUE_GET_STRING(s->held);
	s->n = p->len;
	s->b = p->is_wide_char ? NULL : str8(p);
	s->w = p->is_wide_char ? str16(p) : NULL;
	return true;
}

static inline unsigned glue_unit(const struct glue_string *s, size_t i)
{
	return s->w ? s->w[i] : s->b[i];
}

/* The character at *i, which moves; half a pair is U+FFFD. */
static unsigned glue_char(const struct glue_string *s, size_t *i)
{
	unsigned c = glue_unit(s, (*i)++);

	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c < 0xdc00 && *i < s->n) {
		unsigned d = glue_unit(s, *i);

		if (d >= 0xdc00 && d <= 0xdfff) {
			++*i;
			return 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00);
		}
	}
	return 0xfffd;
}

static unsigned glue_utf8_size(unsigned c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

static uint8_t *glue_utf8_put(uint8_t *to, unsigned c)
{
	if (c < 0x80) {
		*to++ = (uint8_t)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (uint8_t)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (uint8_t)(0xe0 | c >> 12);
		} else {
			*to++ = (uint8_t)(0xf0 | c >> 18);
			*to++ = (uint8_t)(0x80 | (c >> 12 & 63));
		}
		*to++ = (uint8_t)(0x80 | (c >> 6 & 63));
	}
	*to++ = (uint8_t)(0x80 | (c & 63));
	return to;
}

static size_t glue_utf8_length(const struct glue_string *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n;)
		n += glue_utf8_size(glue_char(s, &i));
	return n;
}

/* A NUL-ended copy as UTF-8, from js_malloc(). NULL with an exception. */
static char *glue_utf8(JSContext *ctx, JSValueConst v, size_t *n)
{
	struct glue_string s;
	char *made, *to;

	if (!glue_string(ctx, v, &s))
		return NULL;
	*n = glue_utf8_length(&s);
	made = to = js_malloc(ctx, *n + 1);
	for (size_t i = 0; made && i < s.n;)
		to = (char *)glue_utf8_put((uint8_t *)to, glue_char(&s, &i));
	if (made)
		*to = 0;
	JS_FreeValue(ctx, s.held);
	return made;
}

enum { SYS_ARGS = 10 };

static bool sys_arg(JSContext *ctx, JSValueConst v, struct sys_arg *arg, char **made)
{
	size_t n = 0;
	uint8_t *at = NULL;
	int64_t number;

	*made = NULL;
	if (JS_IsString(v)) {
		*made = glue_utf8(ctx, v, &n);
		arg->at = *made;
		arg->n = (unsigned)n;
		return *made != NULL;
	}
	if (JS_IsObject(v)) {
		if (!glue_bytes(ctx, v, &at, &n))
			return false;
		arg->at = at;
		arg->n = (unsigned)n;
		return true;
	}
	if (JS_ToInt64Ext(ctx, &number, v))
		return false;
	arg->number = number;
	return true;
}

NATIVE(glue_sys)
{
	struct sys_arg args[SYS_ARGS] = { { 0 } };
	char *made[SYS_ARGS] = { NULL };
	int32_t what;
	int n = argc - 1 < SYS_ARGS ? argc - 1 : SYS_ARGS;
	bool good = !JS_ToInt32(ctx, &what, argv[0]);
	long long r = 0;

	for (int i = 0; good && i < n; i++)
		good = sys_arg(ctx, argv[i + 1], &args[i], &made[i]);
	if (good)
		r = h_sys(what, args, (unsigned)(n > 0 ? n : 0));
	for (int i = 0; i < n; i++)
		js_free(ctx, made[i]);
	return good ? JS_NewInt64(ctx, r) : JS_EXCEPTION;
}
