/*
 * Files with holes: which parts are data, and the four ways GNU tar writes
 * that down (old GNU headers, pax 0.0, 0.1, 1.0).
 */
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "base/num.h"
#include "cmd/tar/header.h"

enum { SPARSE_HERE = 4, SPARSE_MORE = 21, SPARSE_MAP_MAX = 1 << 24 };

static bool tar_sparse_add(struct tar *t, struct tar_member *m, uint64_t offset, uint64_t bytes)
{
	size_t cap = 8;

	while (cap <= m->n_map)
		cap *= 2;
	if (m->n_map >= SPARSE_MAP_MAX)
		return false;
	if (!m->map || m->n_map == cap / 2 || m->n_map == 0)
		m->map = tsb_realloc(t->p, m->map, cap * sizeof(*m->map));
	m->map[m->n_map++] = (struct tar_hole_map){ offset, bytes };
	return true;
}

/* ---- Writing ---- */

static bool all_zero(const char *at, size_t n)
{
	return !n || (!at[0] && !memcmp(at, at + 1, n - 1));
}

/* Blocks of zeros are holes, as --hole-detection=raw has it. */
void tar_sparse_scan(struct tar *t, struct tar_member *m, int fd)
{
	uint64_t at = 0, start = 0, length = 0;
	char *block = heap_alloc(tsb_heap_of(t->p), TAR_BLOCK * 8);

	for (;;) {
		ssize_t n = tsb_pread(t->p, fd, block, TAR_BLOCK * 8, at);

		if (n <= 0)
			break;
		tsb_tick(t->p, 1);
		for (size_t i = 0; i < (size_t)n; i += TAR_BLOCK) {
			size_t part = (size_t)n - i < TAR_BLOCK ? (size_t)n - i : TAR_BLOCK;

			if (all_zero(block + i, part)) {
				if (length)
					tar_sparse_add(t, m, start, length);
				length = 0;
				continue;
			}
			start = length ? start : at + i;
			length += part;
		}
		at += (uint64_t)n;
	}
	if (length)
		tar_sparse_add(t, m, start, length);
	else
		tar_sparse_add(t, m, at, 0);
	tsb_free(t->p, block);
	m->sparse = true;
	m->real_size = m->st.size;
	m->sparse_major = t->format == TAR_PAX ? t->sparse_major : 0;
	m->sparse_minor = t->format == TAR_PAX ? t->sparse_minor : 0;
	m->stored = 0;
	for (size_t i = 0; i < m->n_map; i++)
		m->stored += m->map[i].bytes;
}

static struct str sparse_map_text(struct tar *t, struct tar_member *m)
{
	struct str text;

	str_init(&text, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_addf(&text, "%zu\n", m->n_map);
	for (size_t i = 0; i < m->n_map; i++)
		str_addf(&text, "%llu\n%llu\n", (unsigned long long)m->map[i].offset,
			 (unsigned long long)m->map[i].bytes);
	return text;
}

/* The old header's own entries; called with the header block not consumed. */
void tar_sparse_put_header(struct tar *t, struct tar_member *m)
{
	unsigned char *b = tar_block(t);

	if (t->format == TAR_PAX)
		return;
	for (size_t i = 0; i < m->n_map && i < SPARSE_HERE; i++) {
		tar_put_octal(b + H_GNU_SPARSE + i * 24, 11, m->map[i].offset);
		tar_put_octal(b + H_GNU_SPARSE + i * 24 + 12, 11, m->map[i].bytes);
	}
	b[H_GNU_EXTENDED] = m->n_map > SPARSE_HERE;
	tar_put_octal(b + H_GNU_REALSIZE, 11, m->real_size);
}

static void sparse_put_more(struct tar *t, struct tar_member *m)
{
	for (size_t i = SPARSE_HERE; i < m->n_map; i += SPARSE_MORE) {
		unsigned char *b = tar_new_block(t);

		for (size_t k = 0; k < SPARSE_MORE && i + k < m->n_map; k++) {
			tar_put_octal(b + k * 24, 11, m->map[i + k].offset);
			tar_put_octal(b + k * 24 + 12, 11, m->map[i + k].bytes);
		}
		b[504] = i + SPARSE_MORE < m->n_map;
		tar_consume(t, 1);
	}
}

/* Behind the header: the map, then the data of all parts without a gap. */
void tar_sparse_dump(struct tar *t, struct tar_member *m, int fd)
{
	size_t used = 0;
	unsigned char *b = NULL;

	if (t->format != TAR_PAX) {
		sparse_put_more(t, m);
	} else if (m->sparse_major == 1) {
		struct str text = sparse_map_text(t, m);

		tar_write_text(t, text.p, text.n);
	}
	for (size_t i = 0; i < m->n_map; i++) {
		uint64_t at = m->map[i].offset, left = m->map[i].bytes;

		while (left) {
			size_t room = TAR_BLOCK - used;
			size_t want = left < room ? (size_t)left : room;
			ssize_t got;

			if (!used)
				b = tar_new_block(t);
			got = tsb_pread(t->p, fd, b + used, want, at);
			if (got < 0)
				tar_cannot(t, "read", m->orig_name, (int)got);
			at += want;
			left -= want;
			used += want;
			if (used < TAR_BLOCK)
				continue;
			tar_consume(t, 1);
			used = 0;
		}
		if (used && i + 1 == m->n_map) {
			tar_consume(t, 1);
			used = 0;
		}
	}
}

/* ---- Reading ---- */

static bool sparse_entries(struct tar *t, struct tar_member *m, const unsigned char *at, size_t n)
{
	for (size_t i = 0; i < n; i++, at += 24) {
		int64_t offset, bytes;

		if (!at[12])
			break;
		offset = tar_get_number(t, at, 12, "off_t");
		bytes = tar_get_number(t, at + 12, 12, "off_t");
		if (offset < 0 || bytes < 0 || offset > INT64_MAX - bytes ||
		    !tar_sparse_add(t, m, (uint64_t)offset, (uint64_t)bytes))
			return false;
	}
	return true;
}

bool tar_sparse_bad(struct tar *t, struct tar_member *m)
{
	tar_error(t, "%s: malformed sparse archive member", tar_quote_colon(t, m->orig_name));
	return false;
}

bool tar_sparse_read_old(struct tar *t, struct tar_member *m, const unsigned char *header)
{
	int64_t size = tar_get_number(t, header + H_GNU_REALSIZE, 12, "off_t");
	bool more = header[H_GNU_EXTENDED];

	m->sparse = true;
	m->n_map = 0;
	if (size < 0 || !sparse_entries(t, m, header + H_GNU_SPARSE, SPARSE_HERE))
		return tar_sparse_bad(t, m);
	while (more) {
		unsigned char *b = tar_block(t);

		if (!b)
			tar_fatal(t, "Unexpected EOF in archive");
		if (!sparse_entries(t, m, b, SPARSE_MORE))
			return tar_sparse_bad(t, m);
		more = b[504];
		tar_consume(t, 1);
	}
	m->real_size = (uint64_t)size;
	return true;
}

struct map_reader {
	struct tar *t;
	unsigned char *block;
	size_t at;
	uint64_t used;		/* blocks */
};

static bool map_number(struct map_reader *r, uint64_t *v)
{
	char text[24];
	size_t n = 0;

	for (;;) {
		int c;

		if (!r->block) {
			r->block = tar_block(r->t);
			if (!r->block)
				tar_fatal(r->t, "Unexpected EOF in archive");
			r->at = 0;
			r->used++;
		}
		c = r->block[r->at++];
		if (r->at == TAR_BLOCK) {
			tar_consume(r->t, 1);
			r->block = NULL;
		}
		if (c == '\n')
			break;
		if (n + 1 >= sizeof(text) || c < '0' || c > '9')
			return false;
		text[n++] = (char)c;
	}
	text[n] = '\0';
	return num_u64(text, v) == NUM_OK && *v <= INT64_MAX / 2;
}

/* Format 1.0: the map is in front of the data. */
bool tar_sparse_read_map(struct tar *t, struct tar_member *m)
{
	struct map_reader r = { .t = t };
	uint64_t n = 0, offset, bytes;
	bool good = map_number(&r, &n);

	for (uint64_t i = 0; good && i < n; i++) {
		good = map_number(&r, &offset) && map_number(&r, &bytes) &&
		       tar_sparse_add(t, m, offset, bytes);
		tsb_tick(t->p, 1);
	}
	if (r.block)
		tar_consume(t, 1);
	good &= m->stored >= r.used * TAR_BLOCK;
	m->stored -= r.used * TAR_BLOCK < m->stored ? r.used * TAR_BLOCK : m->stored;
	return good;
}

static void sparse_map_list(struct tar *t, struct tar_member *m, const char *value)
{
	const char *all = value;
	uint64_t v[2];
	size_t n = 0;

	while (*value) {
		size_t len = strspn(value, "0123456789");

		if (value[len] && value[len] != ',' && len) {
			tar_error(t, "Malformed extended header: invalid GNU.sparse.map: unexpected "
				  "delimiter %c", value[len]);
			return;
		}
		if (num_u64(tsb_strndup(t->p, value, len), &v[n]) != NUM_OK ||
		    v[n] > INT64_MAX / 2) {
			tar_error(t, "Malformed extended header: invalid GNU.sparse.map=%s", all);
			return;
		}
		if (++n == 2) {
			tar_sparse_add(t, m, v[0], v[1]);
			n = 0;
		}
		value += len + (value[len] != 0);
	}
}

/* A record GNU.sparse.KEY of a pax header; false: no KEY is known. */
bool tar_sparse_pax(struct tar *t, struct tar_member *m, const char *key, const char *value)
{
	static const char *const keys[] = { "name", "map", "size", "realsize", "major", "minor",
					    "offset", "numbytes", "numblocks", NULL };
	uint64_t v = 0;
	size_t i = 0;

	while (keys[i] && strcmp(keys[i], key) != 0)
		i++;
	if (!keys[i])
		return false;
	m->sparse = true;
	if (!strcmp(key, "name")) {
		m->orig_name = tsb_strdup(t->p, value);
		return true;
	}
	if (!strcmp(key, "map")) {
		sparse_map_list(t, m, value);
		return true;
	}
	if (num_u64(value, &v) != NUM_OK || v > INT64_MAX / 2) {
		tar_error(t, "Malformed extended header: invalid GNU.sparse.%s=%s", key, value);
		return true;
	}
	if (!strcmp(key, "size") || !strcmp(key, "realsize")) {
		m->real_size = v;
	} else if (!strcmp(key, "major")) {
		m->sparse_major = (unsigned)(v > 9 ? 9 : v);
	} else if (!strcmp(key, "minor")) {
		m->sparse_minor = (unsigned)(v > 9 ? 9 : v);
	} else if (!strcmp(key, "offset")) {
		tar_sparse_add(t, m, v, 0);
	} else if (!strcmp(key, "numbytes") && m->n_map) {
		m->map[m->n_map - 1].bytes = v;
	}
	return true;
}
