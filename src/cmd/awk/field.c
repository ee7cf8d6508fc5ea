/*
 * The record and its fields. Fields are split when the first is asked for, made
 * into values one by one, and $0 is put together again only when it is read.
 */
#include "cmd/awk/awk.h"

#include <math.h>

#include "base/num.h"

enum { FIELDS_MAX = 100000000 };

static void fields_drop(struct awk *a)
{
	for (size_t i = 1; i <= a->nf; i++) {
		if (a->fields[i].made)
			val_drop(a, &a->fields[i].v);
		a->fields[i].made = false;
	}
	a->nf = 0;
}

static void fields_reserve(struct awk *a, size_t n)
{
	size_t cap = n + n / 2 + 16;

	if (n < a->fields_cap)
		return;
	if (n > FIELDS_MAX)
		awk_fatal(a, "too many fields");
	a->fields = heap_resize(a->heap, a->fields, cap * sizeof(*a->fields));
	memset(a->fields + a->fields_cap, 0, (cap - a->fields_cap) * sizeof(*a->fields));
	a->fields_cap = cap;
}

static void record_begin(struct awk *a)
{
	fields_drop(a);
	a->split_done = false;
	a->record_stale = false;
	a->record_text = false;
}

void ak_record_set(struct awk *a, const char *p, size_t n)
{
	record_begin(a);
	if (a->record && a->record->refs == 1 && n <= a->record_cap) {
		memcpy(a->record->p, p, n);
		a->record->p[n] = '\0';
		a->record->n = n;
		a->record->ascii = ASCII_UNKNOWN;
		return;
	}
	if (a->record)
		str_drop(a, a->record);
	a->record_cap = n < 256 ? 256 : n + n / 4;
	a->record = ak_str_blank(a, a->record_cap);
	memcpy(a->record->p, p, n);
	a->record->p[n] = '\0';
	a->record->n = n;
}

void ak_record_assign(struct awk *a, struct awk_val *v)
{
	struct awk_str *s = ak_val_to_str(a, v);

	record_begin(a);
	a->record_text = v->type == V_STR;
	val_drop(a, v);
	if (a->record)
		str_drop(a, a->record);
	a->record = s;
	a->record_cap = 0;
}

/* ---- Splitting ---- */

static void fields_split(struct awk *a)
{
	struct awk_str *s = a->record;

	a->split_done = true;
	a->pieces.n = 0;
	if (!s || !s->n)
		return;
	if (a->split_mode == SPLIT_FS)
		ak_split_fs(a, s->p, s->n, &a->split_fs, &a->fs_re, true, &a->pieces, NULL);
	else if (a->split_mode == SPLIT_WIDTHS)
		ak_split_widths(a, s->p, s->n, &a->pieces);
	else {
		struct awk_str *pattern = ak_var_str(a, VAR_FPAT);

		ak_split_fpat(a, s->p, s->n, ak_regex_of(a, &a->fpat_re, pattern), &a->pieces, NULL);
		str_drop(a, pattern);
	}
	fields_reserve(a, a->pieces.n);
	a->nf = a->pieces.n;
	for (size_t i = 0; i < a->nf; i++) {
		a->fields[i + 1].p = a->pieces.at[i].p;
		a->fields[i + 1].n = a->pieces.at[i].n;
	}
}

void ak_fields_forget(struct awk *a)
{
	if (!a->split_done)
		fields_split(a);
}

size_t ak_field_count(struct awk *a)
{
	if (!a->split_done)
		fields_split(a);
	return a->nf;
}

/* ---- $0 from its fields ---- */

static struct slice field_text(struct awk *a, struct field *f, struct awk_str **hold)
{
	*hold = NULL;
	if (!f->made)
		return (struct slice){ f->p ? f->p : "", f->p ? f->n : 0 };
	*hold = ak_val_to_str(a, &f->v);
	return (struct slice){ (*hold)->p, (*hold)->n };
}

static void record_rebuild(struct awk *a)
{
	struct awk_str *ofs = ak_var_str(a, VAR_OFS), *made;
	struct str out;
	size_t at = 0;

	a->record_stale = false;
	str_init(&out, a->heap, STR_MAX_DEFAULT);
	for (size_t i = 1; i <= a->nf; i++) {
		struct awk_str *hold;
		struct slice text = field_text(a, &a->fields[i], &hold);

		if (i > 1)
			str_addn(&out, ofs->p, ofs->n);
		str_addn(&out, text.p, text.n);
		a->fields[i].n = text.n;
		if (hold)
			str_drop(a, hold);
	}
	made = ak_str_make(a, out.p, out.n);
	str_end(&out);
	for (size_t i = 1; i <= a->nf; i++) {
		a->fields[i].p = made->p + at;
		at += a->fields[i].n + ofs->n;
	}
	str_drop(a, ofs);
	if (a->record)
		str_drop(a, a->record);
	a->record = made;
	a->record_text = true;	/* even if it looks like a number */
	a->record_cap = 0;
}

struct awk_str *ak_record_str(struct awk *a)
{
	if (a->record_stale)
		record_rebuild(a);
	return a->record ? a->record : a->unset;
}

/* ---- One field ---- */

static size_t field_index(struct awk *a, double index)
{
	if (!(index >= 0))
		awk_fatal(a, "attempt to access field %.0f", trunc(index));
	if (index >= 9223372036854775808.0)
		awk_fatal(a, "attempt to access field -9223372036854775808");
	if (index > FIELDS_MAX)
		awk_fatal(a, "attempt to access field %.0f", trunc(index));
	return (size_t)index;
}

void ak_field_get(struct awk *a, double index, struct awk_val *out)
{
	bool beyond = index > FIELDS_MAX;	/* of what may be set: it is not there */
	size_t i = field_index(a, beyond ? FIELDS_MAX : index);
	struct field *f;

	if (a->lint)
		ak_lint_end(a);
	if (!i) {
		out->str = str_hold(ak_record_str(a));
		if (out->str == a->unset && a->lint)
			ak_lint_field(a, 0);
		out->type = a->record_text ? V_STR : V_INPUT;
		return;
	}
	if (beyond || i > ak_field_count(a)) {
		if (a->lint)
			ak_lint_field(a, index);
		out->type = V_INPUT;
		out->str = str_hold(a->unset);
		return;
	}
	f = &a->fields[i];
	if (!f->made) {
		ak_val_input(a, &f->v, f->p ? f->p : "", f->p ? f->n : 0);
		f->made = true;
	}
	if (a->lint && f->v.type == V_INPUT && f->v.str == a->unset)
		ak_lint_field(a, index);
	ak_val_copy(out, &f->v);
}

static void fields_count_to(struct awk *a, size_t n)
{
	fields_reserve(a, n);
	for (size_t i = n + 1; i <= a->nf; i++) {
		if (a->fields[i].made)
			val_drop(a, &a->fields[i].v);
		a->fields[i].made = false;
	}
	for (size_t i = a->nf + 1; i <= n; i++) {
		a->fields[i].p = NULL;
		a->fields[i].n = 0;
		a->fields[i].made = true;
		a->fields[i].v.type = V_INPUT;
		a->fields[i].v.str = str_hold(a->unset);
	}
	a->nf = n;
}

void ak_field_set_count(struct awk *a, double n)
{
	if (n < 0 || n >= 9223372036854775808.0)
		awk_fatal(a, "NF set to negative value");
	ak_field_count(a);
	fields_count_to(a, field_index(a, n));
	a->record_stale = true;
}

void ak_field_reach(struct awk *a, double index)
{
	size_t i = field_index(a, index);

	if (i > ak_field_count(a))
		fields_count_to(a, i);
}

void ak_field_put(struct awk *a, double index, struct awk_val *v)
{
	size_t i = field_index(a, index);
	struct field *f;

	if (!i) {
		ak_record_assign(a, v);
		return;
	}
	if (i > ak_field_count(a))
		fields_count_to(a, i);
	f = &a->fields[i];
	if (f->made)
		val_drop(a, &f->v);
	f->v = *v;
	if (v->type < V_NUM)
		val_string(&f->v, str_hold(a->empty));
	f->made = true;
	a->record_stale = true;
}
