/*
 * Calls for node:zlib, of h.sys(): see sys.h. The state of a stream lies in the
 * process's heap, which its end drops; a guest names it by a number.
 */
#include <errno.h>
#include <string.h>

#include <zlib.h>

#include "guest/sys.h"

enum { STEP = 1 << 16, STREAMS_MAX = 1024 };

struct guest_zlib {
	z_stream z;
	bool deflates;
};

static void *zlib_take(void *opaque, unsigned n, unsigned size)
{
	size_t all;

	if (__builtin_mul_overflow((size_t)n, (size_t)size, &all))
		return NULL;
	return tsb_alloc(opaque, all);
}

static void zlib_give(void *opaque, void *at)
{
	tsb_free(opaque, at);
}

/* A free number, with room for it. */
static int64_t number_for(struct guest *g)
{
	struct guest_more *m = g->more;
	size_t i = 0, cap;

	while (i < m->n_zlib && m->zlib[i])
		i++;
	if (i < m->n_zlib)
		return (int64_t)i;
	if (i >= STREAMS_MAX)
		return -EMFILE;
	cap = m->n_zlib ? 2 * m->n_zlib : 8;
	m->zlib = tsb_realloc(g->p, m->zlib, cap * sizeof(*m->zlib));
	memset(m->zlib + m->n_zlib, 0, (cap - m->n_zlib) * sizeof(*m->zlib));
	m->n_zlib = cap;
	return (int64_t)i;
}

static struct guest_zlib *zlib_of(struct guest *g, const struct guest_arg *a)
{
	struct guest_more *m = g->more;

	return a->number >= 0 && (uint64_t)a->number < m->n_zlib ? m->zlib[a->number] : NULL;
}

/* zlib_open(deflates, level, window bits as zlib takes them, memory level, strategy): its number */
int64_t sys_zlib_open(struct guest *g, const struct guest_arg *a)
{
	int64_t number = number_for(g);
	struct guest_zlib *s;
	int r;

	if (number < 0)
		return number;
	s = tsb_alloc(g->p, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->deflates = a[0].number;
	s->z.zalloc = zlib_take;
	s->z.zfree = zlib_give;
	s->z.opaque = g->p;
	if (s->deflates)
		r = deflateInit2(&s->z, (int)a[1].number, Z_DEFLATED, (int)a[2].number, (int)a[3].number,
				 (int)a[4].number);
	else
		r = inflateInit2(&s->z, (int)a[2].number);
	if (r != Z_OK) {
		tsb_free(g->p, s);
		return -EINVAL;
	}
	g->more->zlib[number] = s;
	return number;
}

/* What is done with one piece of the input; the last one takes the wanted flush. */
static int one_step(struct guest_zlib *s, uint32_t *in_left, int flush)
{
	uint32_t n = *in_left < STEP ? *in_left : STEP;
	int how = n == *in_left ? flush : Z_NO_FLUSH, r;

	s->z.avail_in = n;
	r = s->deflates ? deflate(&s->z, how) : inflate(&s->z, how);
	*in_left -= n - s->z.avail_in;
	return r;
}

/* zlib_run(number, input, output, flush, Int32Array(2)): input and output left; zlib's result + 100 */
int64_t sys_zlib_run(struct guest *g, const struct guest_arg *a)
{
	struct guest_zlib *s = zlib_of(g, &a[0]);
	uint32_t left = a[1].n, was;
	int32_t result[2];
	uint8_t none[1];
	int r;

	if (!s || !a[2].at || !a[2].n || a[4].n != sizeof(result) || a[3].number < 0 || a[3].number > Z_TREES)
		return -EINVAL;
	s->z.next_in = a[1].n ? a[1].at : none;
	s->z.next_out = a[2].at;
	s->z.avail_out = a[2].n;
	do {
		was = left;
		r = one_step(s, &left, (int)a[3].number);
		tsb_tick(g->p, (was - left) / 64 + 1);
	} while (r == Z_OK && left && left != was && s->z.avail_out);
	result[0] = (int32_t)left;
	result[1] = (int32_t)s->z.avail_out;
	memcpy(a[4].at, result, sizeof(result));
	s->z.next_in = NULL;
	s->z.next_out = NULL;
	s->z.avail_in = s->z.avail_out = 0;
	return r + 100;
}

/* The text of what went wrong last; nothing: zlib gave none. */
int64_t sys_zlib_message(struct guest *g, const struct guest_arg *a)
{
	struct guest_zlib *s = zlib_of(g, &a[0]);
	const char *text = s && s->z.msg ? s->z.msg : "";

	return sys_give(g, text, strlen(text));
}

/* zlib_dictionary(number, bytes): zlib's result + 100 */
int64_t sys_zlib_dictionary(struct guest *g, const struct guest_arg *a)
{
	struct guest_zlib *s = zlib_of(g, &a[0]);

	if (!s || !a[1].at)
		return -EINVAL;
	return 100 + (s->deflates ? deflateSetDictionary(&s->z, a[1].at, a[1].n) :
		      inflateSetDictionary(&s->z, a[1].at, a[1].n));
}

/* zlib_params(number, level, strategy): nothing is waiting then. */
int64_t sys_zlib_params(struct guest *g, const struct guest_arg *a)
{
	struct guest_zlib *s = zlib_of(g, &a[0]);
	uint8_t none[1];

	if (!s || !s->deflates)
		return -EINVAL;
	s->z.next_in = s->z.next_out = none;
	s->z.avail_in = s->z.avail_out = 0;
	return 100 + deflateParams(&s->z, (int)a[1].number, (int)a[2].number);
}

int64_t sys_zlib_reset(struct guest *g, const struct guest_arg *a)
{
	struct guest_zlib *s = zlib_of(g, &a[0]);

	if (!s)
		return -EINVAL;
	return 100 + (s->deflates ? deflateReset(&s->z) : inflateReset(&s->z));
}

int64_t sys_zlib_close(struct guest *g, const struct guest_arg *a)
{
	struct guest_zlib *s = zlib_of(g, &a[0]);

	if (!s)
		return -EINVAL;
	if (s->deflates)
		deflateEnd(&s->z);
	else
		inflateEnd(&s->z);
	tsb_free(g->p, s);
	g->more->zlib[a[0].number] = NULL;
	return 0;
}

/* crc32(what it was, bytes) */
int64_t sys_crc32(struct guest *g, const struct guest_arg *a)
{
	uLong crc = (uLong)(uint32_t)a[0].number;

	for (size_t at = 0; at < a[1].n; at += STEP) {
		size_t n = a[1].n - at < STEP ? a[1].n - at : STEP;

		crc = crc32(crc, a[1].at + at, (uInt)n);
		tsb_tick(g->p, n / 256);
	}
	return (int64_t)(uint32_t)crc;
}
