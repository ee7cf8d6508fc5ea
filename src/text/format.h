/*
 * The printf engine: of bash's builtin, of /usr/bin/printf, and (the directive
 * functions alone) of awk and whoever formats one value.
 *
 * format_run() does a whole command: the format is used again while arguments
 * are left; what they lack is "" or 0. Messages are made here, word by word as
 * the two tools print them behind their name, and handed to the caller.
 * Widths and precisions may be huge: what they make is bounded by out->max.
 */
#ifndef TEXT_FORMAT_H
#define TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* ---- One directive ---- */

struct format_spec {
	bool minus, plus, space, alt, zero;
	bool narrow;			/* %a of a double, not of a long double */
	int width;			/* 0: none */
	int precision;			/* -1: none */
	char conv;			/* d i u o x X c s b q Q e E f F g G a A T n % */
};

/* conv d, i, u, o, x, X: a magnitude and its sign (of d and i). */
void format_int(struct str *out, const struct format_spec *spec, uint64_t magnitude,
		bool negative);
/* conv e, f, g, a and their capitals; locale-free. */
void format_float(struct str *out, const struct format_spec *spec, long double v);
/* The same, without the width, for what most numbers are: f and g of a number that whole and
 * fraction of 64 bits hold exactly, at most 17 digits behind the point. 0: not such a one. */
enum { FORMAT_QUICK_MAX = 48 };
size_t format_quick(char buf[FORMAT_QUICK_MAX], const struct format_spec *spec, long double v);
/* conv s and the like: precision and width count bytes. */
void format_text(struct str *out, const struct format_spec *spec, const char *s, size_t n);

/* ---- Numbers in arguments ---- */

enum format_parsed {
	FORMAT_NUMBER,
	FORMAT_NOT_A_NUMBER,	/* nothing of it is one; the value is 0 */
	FORMAT_TRAILING,	/* a number and something behind it (*end) */
	FORMAT_RANGE,		/* clamped */
	FORMAT_CHARACTER	/* 'A or "A: its code; *end is behind it */
};

/* strtoimax()/strtoumax() with base 0 (0x, 0): leading blanks, sign. bytes: a character is one. */
enum format_parsed format_parse_int(const char *s, bool is_signed, bool bytes, uint64_t *magnitude,
				    bool *negative, const char **end);
enum format_parsed format_parse_float(const char *s, bool bytes, long double *v, const char **end);

/* ---- The command ---- */

enum format_dialect { FORMAT_BASH, FORMAT_GNU };

struct format_job {
	enum format_dialect dialect;
	bool bytes;			/* the locale is C: GNU's quotes are ASCII, 'é is its first byte */
	bool doubles;			/* floating point is that of double (bash's POSIX mode) */
	const char *const *args;	/* the operands behind the format */
	size_t n_args;
	struct str *out;
	void *ctx;
	/* A message, as "abc: invalid number"; print it behind "printf: ". What is in
	 * out by then has been written: by GNU's tool all of it, by bash (whose
	 * output is a line at a time) up to the last newline. */
	void (*complain)(void *ctx, const char *text);
	/* bash's %(fmt)T (may be NULL: then unknown): secs as given, -1 now, -2 start. */
	void (*time)(void *ctx, struct str *out, const char *fmt, size_t n, int64_t secs);
	/* bash's %n (may be NULL): the variable gets the count; false: not assignable. */
	bool (*assign)(void *ctx, const char *name, size_t count);
	/* Steps done since the last call (may be NULL). */
	void (*tick)(void *ctx, size_t steps);
};

/* The exit status: 0 or 1. */
int format_run(struct format_job *job, const char *fmt, size_t n);

#endif
