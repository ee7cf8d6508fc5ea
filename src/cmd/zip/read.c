/*
 * See zip.h. Zip64 fields are read where there are any.
 */
#include "cmd/zip/zip.h"

#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "text/pattern.h"

int zip_ratio(uint64_t plain, uint64_t packed)
{
	uint64_t denom = plain > 2000000 ? plain / 1000 : plain;
	uint64_t scale = plain > 2000000 ? 1 : 1000;

	if (!plain)
		return 0;
	if (plain >= packed)
		return (int)((scale * (plain - packed) + (denom >> 1)) / denom);
	return -(int)((scale * (packed - plain) + (denom >> 1)) / denom);
}

uint32_t zip_dos_time(const struct zone *zone, int64_t sec)
{
	struct civil c;
	int32_t offset;

	sec += sec & 1;		/* rounded up to two seconds */
	offset = zone_offset(zone, sec, NULL, NULL);
	if (!civil_from(sec, offset, &c) || c.year < 1980)
		return 1u << 21 | 1u << 16;
	if (c.year > 2107)
		c.year = 2107;
	return (uint32_t)(c.year - 1980) << 25 | (uint32_t)c.month << 21 | (uint32_t)c.day << 16 |
	       (uint32_t)c.hour << 11 | (uint32_t)c.minute << 5 | (uint32_t)c.second >> 1;
}

static int64_t zip_unix_time(const struct zone *zone, uint32_t dos)
{
	int64_t sec = 0;

	civil_to(zone, 1980 + (dos >> 25), dos >> 21 & 15, dos >> 16 & 31, dos >> 11 & 31,
		 dos >> 5 & 63, (dos & 31) * 2, -1, &sec);
	return sec;
}

bool zip_match(struct tsb_proc *p, const char *pattern, const char *name, bool icase, bool no_slash)
{
	struct pattern *pat = pattern_compile(tsb_heap_of(p), pattern, strlen(pattern),
					      (icase ? PATTERN_ICASE : 0u) |
					      (no_slash ? PATTERN_PATHNAME : 0u));
	bool yes = pattern_match(pat, name, strlen(name));

	pattern_free(pat);
	return yes;
}

/* ---- The end record ---- */

static bool zip_find_end(struct zip_file *z, unsigned char end[ZIP_END_SIZE])
{
	size_t room = ZIP_END_SIZE + 65535;
	uint64_t from = z->size > room ? z->size - room : 0;
	unsigned char *buf = heap_alloc(tsb_heap_of(z->p), room);
	ssize_t n = tsb_pread(z->p, z->fd, buf, room, from);
	bool found = false;

	for (ssize_t i = n - ZIP_END_SIZE; i >= 0 && !found; i--) {
		if (memcmp(buf + i, "PK\5\6", 4))
			continue;
		memcpy(end, buf + i, ZIP_END_SIZE);
		z->end = from + (uint64_t)i;
		z->n_comment = pack_le16(buf + i + 20);
		if (z->n_comment > (size_t)(n - i - ZIP_END_SIZE))
			z->n_comment = (size_t)(n - i - ZIP_END_SIZE);
		z->comment = heap_dup(tsb_heap_of(z->p), buf + i + ZIP_END_SIZE, z->n_comment);
		found = true;
	}
	tsb_free(z->p, buf);
	return found;
}

static void zip_end64(struct zip_file *z, uint64_t *n)
{
	unsigned char b[56];
	uint64_t at;

	if (z->end < 20 || tsb_pread(z->p, z->fd, b, 20, z->end - 20) != 20 ||
	    memcmp(b, "PK\6\7", 4))
		return;
	at = pack_le64(b + 8);
	if (at > z->end || tsb_pread(z->p, z->fd, b, 56, at) != 56 || memcmp(b, "PK\6\6", 4))
		return;
	z->end = at;
	*n = pack_le64(b + 32);
	z->directory_size = pack_le64(b + 40);
	z->directory = pack_le64(b + 48);
}

/* ---- Entries ---- */

static void zip_extra64(struct zip_entry *e, const unsigned char *at, size_t n)
{
	uint64_t *fields[] = { &e->plain, &e->packed, &e->offset };

	for (size_t i = 0; i < 3; i++) {
		if (*fields[i] != UINT32_MAX || n < 8)
			continue;
		*fields[i] = pack_le64(at);
		at += 8;
		n -= 8;
	}
}

static void zip_extras(struct zip_entry *e)
{
	const unsigned char *at = e->extra;
	size_t left = e->n_extra;

	while (left >= 4) {
		size_t n = pack_le16(at + 2);
		unsigned id = pack_le16(at);

		if (n > left - 4)
			return;
		if (id == 1)
			zip_extra64(e, at + 4, n);
		if (id == 0x5455 && n >= 5 && (at[4] & 1)) {
			e->mtime = (struct tsb_time){ (int32_t)pack_le32(at + 5), 0 };
			e->has_ut = true;
		}
		at += 4 + n;
		left -= 4 + n;
	}
}

size_t zip_entry_read(struct zip_file *z, struct zip_entry *e, const unsigned char *at,
			     size_t left)
{
	size_t n_name, total;

	if (left < ZIP_CENTRAL_SIZE || memcmp(at, "PK\1\2", 4))
		return 0;
	n_name = pack_le16(at + 28);
	e->n_extra = pack_le16(at + 30);
	e->n_comment = pack_le16(at + 32);
	total = ZIP_CENTRAL_SIZE + n_name + e->n_extra + e->n_comment;
	if (total > left)
		return 0;
	e->made_by = at[4];
	e->host = at[5];
	e->needs = pack_le16(at + 6);
	e->flags = pack_le16(at + 8);
	e->method = pack_le16(at + 10);
	e->dos_time = pack_le32(at + 12);
	e->crc = pack_le32(at + 16);
	e->packed = pack_le32(at + 20);
	e->plain = pack_le32(at + 24);
	e->internal = pack_le16(at + 36);
	e->external = pack_le32(at + 38);
	e->offset = pack_le32(at + 42);
	e->name = tsb_strndup(z->p, (const char *)at + ZIP_CENTRAL_SIZE, n_name);
	e->extra = at + ZIP_CENTRAL_SIZE + n_name;
	e->comment = (const char *)e->extra + e->n_extra;
	e->mtime = (struct tsb_time){ zip_unix_time(&z->zone, e->dos_time), 0 };
	zip_extras(e);
	e->mode = e->host == 3 ? e->external >> 16 : 0;
	e->is_dir = n_name && e->name[strlen(e->name) ? strlen(e->name) - 1 : 0] == '/';
	return total;
}

/* Does an entry stand where the directory should begin? */
static bool zip_has_signature(struct zip_file *z)
{
	char b[4];

	return tsb_pread(z->p, z->fd, b, 4, z->directory) == 4 && !memcmp(b, "PK\1\2", 4);
}

enum zip_status zip_read(struct zip_file *z, struct tsb_proc *p, int fd)
{
	unsigned char end[ZIP_END_SIZE];
	struct tsb_stat st;
	uint64_t n, cap;
	size_t at = 0;

	memset(z, 0, sizeof(*z));
	z->p = p;
	z->fd = fd;
	zone_init(&z->zone, tsb_getenv(p, "TZ"));
	if (tsb_fstat(p, fd, &st) || !S_ISREG(st.mode))
		return ZIP_NO_END;
	z->size = st.size;
	if (z->size < ZIP_END_SIZE || !zip_find_end(z, end))
		return ZIP_NO_END;
	n = pack_le16(end + 10);
	z->directory_size = pack_le32(end + 12);
	z->directory = pack_le32(end + 16);
	zip_end64(z, &n);
	z->n_said = n;
	if (z->directory_size > INT64_MAX / 4 || z->directory > INT64_MAX / 4)
		return ZIP_BAD;
	/* Something may stand in front of the whole archive; more than there is cannot. */
	z->in_front = (int64_t)z->end - (int64_t)z->directory_size - (int64_t)z->directory;
	if (z->in_front < 0)
		return ZIP_MISSING;
	z->directory += (uint64_t)z->in_front;
	if (z->directory_size && !zip_has_signature(z))
		return ZIP_BAD;
	z->raw = heap_alloc(tsb_heap_of(p), (size_t)z->directory_size + 1);
	if (tsb_pread(p, fd, z->raw, (size_t)z->directory_size, z->directory) !=
	    (ssize_t)z->directory_size)
		return ZIP_BAD;
	cap = z->directory_size / ZIP_CENTRAL_SIZE;
	cap = n < cap ? n : cap;
	z->entries = tsb_alloc(p, ((size_t)cap + 1) * sizeof(*z->entries));
	while (z->n < cap) {
		size_t used = zip_entry_read(z, &z->entries[z->n], z->raw + at,
					     (size_t)z->directory_size - at);

		if (!used)
			break;
		at += used;
		z->n++;
		tsb_tick(p, 1);
	}
	return ZIP_OK;
}

size_t zip_descriptor_size(struct zip_file *z, const struct zip_entry *e, uint64_t at)
{
	unsigned char b[24];
	ssize_t n = tsb_pread(z->p, z->fd, b, sizeof(b), at);
	size_t mark = n >= 4 && !memcmp(b, "PK\7\10", 4) ? 4 : 0;

	if (n < (ssize_t)(mark + 12) || pack_le32(b + mark) != e->crc)
		return 0;
	/* Sizes of four bytes, or of eight? */
	return mark + (pack_le32(b + mark + 4) == (uint32_t)e->packed &&
		       pack_le32(b + mark + 8) == (uint32_t)e->plain ? 12 : 20);
}

uint64_t zip_data_offset(struct zip_file *z, struct zip_entry *e)
{
	unsigned char b[ZIP_LOCAL_SIZE];

	uint64_t at = e->offset + (uint64_t)z->in_front;

	if (tsb_pread(z->p, z->fd, b, sizeof(b), at) != (ssize_t)sizeof(b) ||
	    memcmp(b, "PK\3\4", 4))
		return 0;
	e->flags = pack_le16(b + 6);
	e->method = pack_le16(b + 8);
	if (!(b[6] & 8))
		e->crc = pack_le32(b + 14);
	return at + ZIP_LOCAL_SIZE + pack_le16(b + 26) + pack_le16(b + 28);
}
