/*
 * zip -F and -FF: another archive from a damaged one. -F believes the central
 * directory; -FF looks for the entries themselves, from the first byte on.
 */
#include <fcntl.h>
#include <string.h>

#include "cmd/util.h"
#include "cmd/zip/zipper.h"

static void fix_open(struct zipper *z)
{
	int fd = tsb_open(z->p, z->archive, O_RDONLY | O_CLOEXEC, 0);

	if (fd >= 0) {
		z->z.fd = fd;
		return;
	}
	zip_warn(z, "No .zip file found\n        (If all you have are splits (.z01, .z02, ...) and no "
		 ".zip, try -FF)");
	z->io_error = fd;
	zip_fail(z, ZIP_E_OPEN, "File not found or no read permission (%s)", z->archive);
}

/* ---- -F ---- */

static void fix_directory(struct zipper *z)
{
	zip_say(z, "Fix archive (-F) - assume mostly intact archive\n");
	fix_open(z);
	if (zip_read(&z->z, z->p, z->z.fd) != ZIP_OK) {
		zip_warn(z, "bad archive - missing end signature");
		zip_warn(z, "(If downloaded, was binary mode used?  If not, the");
		zip_warn(z, " archive may be scrambled and not recoverable)");
		zip_warn(z, "Can't use -F to fix (try -FF)");
		zip_fail(z, ZIP_E_FORM, "Zip file structure invalid (%s)", z->archive);
	}
	if (z->z.in_front)
		zip_say(z, "Zip entry offsets appear off by %lld bytes - correcting...\n",
			(long long)z->z.in_front);
	else
		zip_say(z, "Zip entry offsets do not need adjusting\n");
}

/* ---- -FF ---- */

struct salvage {
	struct zipper *z;
	const unsigned char *data;
	size_t n;
	struct zip_entry *found;
	size_t n_found, cap_found;
	bool directory;		/* an entry of it was seen */
};

/* The size of data that only its descriptor tells: false: there is none. */
static bool salvage_size(struct salvage *s, struct zip_entry *e, size_t from)
{
	for (size_t at = from; at + 16 <= s->n; at++) {
		const unsigned char *mark = memchr(s->data + at, 'P', s->n - 15 - at);

		if (!mark)
			return false;
		tsb_tick(s->z->p, 1);
		at = (size_t)(mark - s->data);
		if (memcmp(mark, "PK\7\10", 4) || pack_le32(mark + 8) != at - from)
			continue;
		e->packed = at - from;
		e->plain = pack_le32(mark + 12);
		e->crc = pack_le32(mark + 4);
		return true;
	}
	return false;
}

/* Central fields of times are shorter than local ones. */
static void salvage_extras(struct salvage *s, struct zip_entry *e, const unsigned char *at, size_t n)
{
	unsigned char *to = tsb_alloc(s->z->p, n + 1);

	e->extra = to;
	for (size_t len; n >= 4; at += len, n -= len) {
		len = 4u + pack_le16(at + 2);
		if (len > n)
			break;
		memcpy(to, at, len);
		if (pack_le16(at) == 0x5455 && len >= 9) {
			pack_set16(to + 2, 5);
			to += 9;
		} else {
			to += len;
		}
	}
	e->n_extra = (size_t)(to - e->extra);
}

/* A local header at that place and all its data: where it ends; 0: it is none. */
static size_t salvage_local(struct salvage *s, size_t at)
{
	const unsigned char *b = s->data + at;
	struct zip_entry e = { .host = 3, .made_by = 30 };
	size_t n_name, n_extra, from;

	if (s->n - at < ZIP_LOCAL_SIZE)
		return 0;
	n_name = pack_le16(b + 26);
	n_extra = pack_le16(b + 28);
	from = at + ZIP_LOCAL_SIZE + n_name + n_extra;
	if (!n_name || from > s->n || memchr(b + ZIP_LOCAL_SIZE, 0, n_name))
		return 0;
	e.needs = pack_le16(b + 4);
	e.flags = pack_le16(b + 6);
	e.method = pack_le16(b + 8);
	e.dos_time = pack_le32(b + 10);
	e.crc = pack_le32(b + 14);
	e.packed = pack_le32(b + 18);
	e.plain = pack_le32(b + 22);
	e.offset = at;
	if ((e.flags & ZIP_DESCRIPTOR) && !e.packed && !salvage_size(s, &e, from))
		return 0;
	if (e.packed > s->n - from)
		return 0;
	e.name = tsb_strndup(s->z->p, (const char *)b + ZIP_LOCAL_SIZE, n_name);
	salvage_extras(s, &e, b + ZIP_LOCAL_SIZE + n_name, n_extra);
	s->found = util_grow(s->z->p, s->found, s->n_found, &s->cap_found, sizeof(*s->found));
	s->found[s->n_found++] = e;
	zip_say(s->z, " copying: %s  (%llu bytes)\n", e.name, (unsigned long long)e.packed);
	return from + (size_t)e.packed;
}

/* What the directory knows more of an entry that was found. */
static size_t salvage_central(struct salvage *s, size_t at)
{
	struct zip_entry e = { 0 };
	size_t used = zip_entry_read(&s->z->z, &e, s->data + at, s->n - at);
	bool known = false;

	if (!used)
		return 0;
	if (!s->directory)
		zip_say(s->z, "Central Directory found...\n");
	s->directory = true;
	for (size_t i = 0; i < s->n_found && !known; i++) {
		tsb_tick(s->z->p, 1);
		if (strcmp(s->found[i].name, e.name))
			continue;
		known = true;
		e.offset = s->found[i].offset;
		e.packed = s->found[i].packed;
		e.plain = s->found[i].plain;
		e.crc = s->found[i].crc;
		s->found[i] = e;
	}
	if (!known)
		zip_say(s->z, "no local entry: %s\n", e.name);
	return at + used;
}

static void salvage_scan(struct salvage *s)
{
	size_t at = 0, next;

	zip_say(s->z, "Scanning for entries...\n");
	while (s->n - at >= 4) {
		const unsigned char *mark = memchr(s->data + at, 'P', s->n - 3 - at);

		if (!mark)
			return;
		tsb_tick(s->z->p, 1);
		at = (size_t)(mark - s->data);
		next = !memcmp(mark, "PK\3\4", 4) ? salvage_local(s, at)
		       : !memcmp(mark, "PK\1\2", 4) ? salvage_central(s, at) : 0;
		if (!memcmp(mark, "PK\5\6", 4) && s->n - at >= ZIP_END_SIZE)
			zip_say(s->z, "EOCDR found (%2d %6zu)...\n", 1, at);
		at = next ? next : at + 1;
	}
}

static void salvage_ask(struct zipper *z)
{
	struct tsb_reader in;
	char *line;

	zip_warn(z, "Missing end (EOCDR) signature - either this archive\n"
		 "                     is not readable or the end is damaged");
	zip_say(z, "Is this a single-disk archive?  (y/n): ");
	tsb_reader_init(&in, z->p, 0);
	if (!tsb_getdelim(&in, &line, '\n') || (*line != 'y' && *line != 'Y'))
		zip_fail(z, ZIP_E_FORM, "Zip file structure invalid (%s)", z->archive);
	zip_say(z, "  Assuming single-disk archive\n");
}

static void fix_salvage(struct zipper *z)
{
	struct salvage s = { .z = z };
	unsigned char *data;
	ssize_t n = 0;

	zip_say(z, "Fix archive (-FF) - salvage what can\n");
	fix_open(z);
	if (zip_read(&z->z, z->p, z->z.fd) == ZIP_NO_END)
		salvage_ask(z);
	else
		zip_say(z, " Found end record (EOCDR) - says expect single disk archive\n");
	data = tsb_alloc(z->p, (size_t)z->z.size + 1);
	for (; s.n < z->z.size; s.n += (size_t)n) {
		n = tsb_pread(z->p, z->z.fd, data + s.n, (size_t)z->z.size - s.n, s.n);
		if (n <= 0)
			break;
	}
	s.data = data;
	salvage_scan(&s);
	z->z.in_front = 0;
	z->z.entries = s.found;
	z->z.n = s.n_found;
}

void zip_fix(struct zipper *z)
{
	if (!z->out_name) {
		zip_warn(z, "fix options -F and -FF require --out:\n"
			 "                     zip -F indamagedarchive --out outfixedarchive");
		zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (fix options require --out)");
	}
	if (!strcmp(z->archive, z->out_name))
		zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (--out path must be different than "
			 "in path: %s)", z->out_name);
	if (z->fix == 1)
		fix_directory(z);
	else
		fix_salvage(z);
	z->existed = true;
	for (size_t i = 0; i < z->z.n; i++) {
		struct zip_member *m = zip_new_member(z, z->z.entries[i].name);

		m->old = &z->z.entries[i];
		m->drop = !zip_data_offset(&z->z, m->old);
		if (m->drop)
			zip_say(z, "no local entry: %s\n", m->name);
		else if (z->fix == 1)
			zip_say(z, " copying: %s\n", m->name);
	}
	zip_write(z);
}
