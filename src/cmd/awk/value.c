/*
 * Strings and values: counted references, and what a value is as a number, a
 * string, a truth, and beside another one.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "base/num.h"
#include "base/utf8.h"

struct awk_str *ak_str_blank(struct awk *a, size_t n)
{
	struct awk_str *s;
	size_t size;

	if (!num_add(n, sizeof(*s) + 1, &size))
		size = SIZE_MAX;
	s = heap_alloc(a->heap, size);
	s->refs = 1;
	s->ascii = ASCII_UNKNOWN;
	s->n = n;
	s->p[n] = '\0';
	return s;
}

struct awk_str *ak_str_longer(struct awk *a, struct awk_str *s, size_t n)
{
	size_t size;

	if (!num_add(n, sizeof(*s) + 1, &size))
		size = SIZE_MAX;
	s = heap_resize(a->heap, s, size);
	s->ascii = ASCII_UNKNOWN;
	s->n = n;
	s->p[n] = '\0';
	return s;
}

struct awk_str *ak_str_make(struct awk *a, const char *p, size_t n)
{
	struct awk_str *s = ak_str_blank(a, n);

	memcpy(s->p, p, n);
	return s;
}

void ak_str_drop_last(struct awk *a, struct awk_str *s)
{
	heap_free(a->heap, s);
}

bool ak_str_ascii(const struct awk *a, struct awk_str *s)
{
	if (!a->utf8)
		return true;
	if (s->ascii == ASCII_UNKNOWN) {
		unsigned char all = 0;

		for (size_t i = 0; i < s->n; i++)
			all |= (unsigned char)s->p[i];
		s->ascii = all < 128 ? ASCII_YES : ASCII_NO;
	}
	return s->ascii == ASCII_YES;
}

void ak_str_look(struct awk *a, struct awk_str *s)
{
	if (a->invalid_warned || ak_str_ascii(a, s) || utf8_valid(s->p, s->n))
		return;
	a->invalid_warned = true;
	awk_warn(a, "Invalid multibyte data detected. There may be a mismatch between your data and "
		 "your locale");
}

void ak_val_drop_slow(struct awk *a, struct awk_val *v)
{
	if (v->type == V_ARRAY)
		ak_array_drop(a, v->array);
	else
		str_drop(a, v->str);
	v->type = V_UNDEF;
}

void ak_val_copy(struct awk_val *to, const struct awk_val *from)
{
	*to = *from;
	if (to->type == V_ARRAY)
		to->array->refs++;
	else if (to->type >= V_STR)
		to->str->refs++;
}

void ak_val_input(struct awk *a, struct awk_val *v, const char *p, size_t n)
{
	v->str = ak_str_make(a, p, n);
	v->type = V_INPUT;
}

double ak_val_to_num(struct awk *a, const struct awk_val *v)
{
	double num = 0;

	switch (v->type) {
	case V_NUM:
		return v->num;
	case V_REGEX:
		ak_number_parse(a, v->str->p, v->str->n, &num);
		return num;
	case V_STR: case V_INPUT:
		if (a->non_decimal)
			return ak_number_non_decimal(a, v->str->p, v->str->n);
		ak_number_parse(a, v->str->p, v->str->n, &num);
		return num;
	case V_ARRAY:
		awk_fatal(a, "attempt to use array in a scalar context");
	case V_UNDEF: case V_UNSET: case V_LINK:
		break;
	}
	return 0;
}

static struct awk_str *val_text(struct awk *a, const struct awk_val *v, uint32_t format)
{
	switch (v->type) {
	case V_NUM: {
		char buf[32];
		struct awk_str *f, *s;

		if (v->num == (double)(int64_t)v->num && fabs(v->num) < 1e15) {
			size_t n = num_format_i64(buf, (int64_t)v->num);

			s = ak_str_make(a, buf, n);
			s->ascii = ASCII_YES;
			return s;
		}
		f = ak_var_str(a, format);
		s = ak_number_text(a, v->num, f);
		str_drop(a, f);
		return s;
	}
	case V_STR: case V_INPUT: case V_REGEX:
		return str_hold(v->str);
	case V_ARRAY:
		awk_fatal(a, "attempt to use array in a scalar context");
	case V_UNDEF: case V_UNSET: case V_LINK:
		break;
	}
	return str_hold(a->empty);
}

struct awk_str *ak_val_to_str(struct awk *a, const struct awk_val *v)
{
	return val_text(a, v, VAR_CONVFMT);
}

struct awk_str *ak_val_to_out(struct awk *a, const struct awk_val *v)
{
	return val_text(a, v, VAR_OFMT);
}

bool ak_val_true(struct awk *a, const struct awk_val *v)
{
	double num;

	switch (v->type) {
	case V_NUM:
		return v->num != 0;
	case V_STR: case V_REGEX:
		return v->str->n > 0;
	case V_INPUT:
		if (ak_number_looks(a, v->str->p, v->str->n, &num))
			return num != 0;
		return v->str->n > 0;
	case V_ARRAY:
		awk_fatal(a, "attempt to use array in a scalar context");
	case V_UNDEF: case V_UNSET: case V_LINK:
		break;
	}
	return false;
}

bool ak_val_is_num(struct awk *a, const struct awk_val *v, double *num)
{
	switch (v->type) {
	case V_UNDEF: case V_UNSET: case V_LINK:
		*num = 0;
		return true;
	case V_NUM:
		*num = v->num;
		return true;
	case V_INPUT:
		return ak_number_looks(a, v->str->p, v->str->n, num);
	case V_ARRAY:
		awk_fatal(a, "attempt to use array in a scalar context");
	case V_STR: case V_REGEX:
		break;
	}
	return false;
}

static int32_t fold_at(const char *p, size_t n, size_t *step, bool utf8)
{
	int32_t c;

	*step = 1;
	if (!utf8 || !(*p & 0x80))
		return *p >= 'A' && *p <= 'Z' ? *p + 32 : (unsigned char)*p;
	*step = utf8_decode(p, n, &c);
	return c < 0 ? (unsigned char)*p : utf8_lower(c);
}

static int compare_folded(struct awk *a, const char *x, size_t nx, const char *y, size_t ny)
{
	while (nx && ny) {
		size_t sx, sy;
		int32_t cx = fold_at(x, nx, &sx, a->utf8), cy = fold_at(y, ny, &sy, a->utf8);

		if (cx != cy)
			return cx < cy ? -1 : 1;
		x += sx;
		nx -= sx;
		y += sy;
		ny -= sy;
	}
	return (nx > 0) - (ny > 0);
}

int ak_str_compare(struct awk *a, const char *x, size_t nx, const char *y, size_t ny)
{
	int c;

	if (a->icase)
		return compare_folded(a, x, nx, y, ny);
	c = memcmp(x, y, nx < ny ? nx : ny);
	return c ? c : (nx > ny) - (nx < ny);
}

int ak_val_compare(struct awk *a, const struct awk_val *x, const struct awk_val *y, bool *nan)
{
	struct awk_str *sx, *sy;
	double nx, ny;
	int c;

	*nan = false;
	if (ak_val_is_num(a, x, &nx) && ak_val_is_num(a, y, &ny) &&
	    !(x->type < V_NUM && y->type == V_STR)) {
		*nan = isnan(nx) || isnan(ny);
		return (nx > ny) - (nx < ny);
	}
	sx = ak_val_to_str(a, x);
	sy = ak_val_to_str(a, y);
	c = ak_str_compare(a, sx->p, sx->n, sy->p, sy->n);
	str_drop(a, sx);
	str_drop(a, sy);
	return c;
}
