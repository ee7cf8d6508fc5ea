/*
 * Header blocks: read in every format GNU tar knows, written in v7, old GNU,
 * GNU, ustar and pax.
 */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/tar/header.h"

/* ---- Numbers ---- */

void tar_put_octal(unsigned char *to, size_t n, uint64_t v)
{
	for (size_t i = n; i-- > 0; v >>= 3)
		to[i] = (unsigned char)('0' + (v & 7));
}

/* n bytes with their NUL: octal, or where GNU's formats may, base 256. */
static bool put_number(struct tar *t, unsigned char *to, size_t n, int64_t v)
{
	uint64_t max = ((uint64_t)1 << (3 * (n - 1))) - 1;

	if (v >= 0 && (uint64_t)v <= max) {
		tar_put_octal(to, n - 1, (uint64_t)v);
		return true;
	}
	if (t->format != TAR_GNU && t->format != TAR_OLDGNU)
		return false;
	for (size_t i = n; i-- > 0; v >>= 8)
		to[i] = (unsigned char)v;
	to[0] = to[0] & 0x80 ? 0xff : 0x80;
	return true;
}

static int64_t get_base256(const unsigned char *at, size_t n)
{
	uint64_t v = at[0] & 0x40 ? UINT64_MAX : 0;

	v = v << 6 | (at[0] & 0x3f);
	for (size_t i = 1; i < n; i++)
		v = v << 8 | at[i];
	return (int64_t)v;
}

/* The number of a field; an unreadable one is said (what: "off_t") and -1. */
int64_t tar_get_number(struct tar *t, const unsigned char *at, size_t n, const char *what)
{
	size_t i = 0;
	uint64_t v = 0;

	if (at[0] & 0x80)
		return get_base256(at, n);
	while (i < n && at[i] == ' ')
		i++;
	if (i == n) {
		if (what)
			tar_error(t, "Blanks in header where numeric %s value expected", what);
		return what && at[0] == ' ' ? -1 : 0;
	}
	for (; i < n && at[i] >= '0' && at[i] <= '7'; i++)
		v = v << 3 | (unsigned)(at[i] - '0');
	if (i == n || !at[i] || at[i] == ' ')
		return (int64_t)(v & INT64_MAX);
	if (what)
		tar_error(t, "Archive contains %s where numeric %s value expected",
			  tar_quote_word(t, tsb_strndup(t->p, (const char *)at, n)), what);
	return -1;
}

bool tar_checksum_ok(const unsigned char *b)
{
	int64_t sum = 0, signed_sum = 0, want = tar_get_number(NULL, b + H_CHKSUM, 8, NULL);

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		bool field = i >= H_CHKSUM && i < H_CHKSUM + 8;

		sum += field ? ' ' : b[i];
		signed_sum += field ? ' ' : (signed char)b[i];
	}
	return want == sum || want == signed_sum;
}

void tar_checksum(unsigned char *b)
{
	uint64_t sum = 0;

	memset(b + H_CHKSUM, ' ', 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += b[i];
	tar_put_octal(b + H_CHKSUM, 6, sum);
	b[H_CHKSUM + 6] = '\0';
}

static bool is_zero_block(const unsigned char *b)
{
	return !b[0] && !memcmp(b, b + 1, TAR_BLOCK - 1);
}

/* ---- Reading ---- */

/* The text of an 'L', 'K', 'x' or 'g' header, NUL-terminated. */
static char *tar_read_text(struct tar *t, uint64_t size, size_t *n, bool fatal)
{
	char *text = tsb_alloc(t->p, (size_t)size + 1);
	size_t have = 0;

	while (have < size) {
		unsigned char *b = tar_block(t);
		size_t part = size - have < TAR_BLOCK ? (size_t)size - have : TAR_BLOCK;

		if (!b && !fatal) {
			tar_error(t, "Unexpected EOF in archive");
			break;
		}
		if (!b)
			tar_fatal(t, "Unexpected EOF in archive");
		memcpy(text + have, b, part);
		have += part;
		tar_consume(t, 1);
	}
	if (n)
		*n = have;
	return text;
}

static char *field(struct tar *t, const unsigned char *at, size_t n)
{
	return tsb_strndup(t->p, (const char *)at, strnlen((const char *)at, n));
}

static enum tar_format header_format(const unsigned char *b)
{
	if (!memcmp(b + H_MAGIC, "ustar\0", 6))
		return TAR_USTAR;
	return !memcmp(b + H_MAGIC, "ustar  ", 8) ? TAR_OLDGNU : TAR_V7;
}

static uint32_t type_bits(char type, bool slash)
{
	switch (type) {
	case '2': return S_IFLNK;
	case '3': return S_IFCHR;
	case '4': return S_IFBLK;
	case '5': case 'D': return S_IFDIR;
	case '6': return S_IFIFO;
	case '0': case '\0': case '7': return slash ? S_IFDIR : S_IFREG;
	default: return S_IFREG;
	}
}

static void decode_numbers(struct tar *t, struct tar_member *m, const unsigned char *b)
{
	int64_t size = tar_get_number(t, b + H_SIZE, 12, "off_t");
	int64_t mode = tar_get_number(t, b + H_MODE, 8, "mode_t");

	m->st.size = m->type == '1' || size < 0 ? 0 : (uint64_t)size;
	m->st.mode = (uint32_t)(mode < 0 ? 0 : mode) & 07777;
	m->st.uid = (uint32_t)tar_get_number(t, b + H_UID, 8, "uid_t");
	m->st.gid = (uint32_t)tar_get_number(t, b + H_GID, 8, "gid_t");
	m->st.mtime.sec = tar_get_number(t, b + H_MTIME, 12, "time_t");
	m->st.mtime.nsec = 0;
	if (m->type == '3' || m->type == '4')
		m->st.rdev = makedev((unsigned)tar_get_number(t, b + H_MAJOR, 8, "major_t"),
				     (unsigned)tar_get_number(t, b + H_MINOR, 8, "minor_t"));
}

static char *decode_name(struct tar *t, struct tar_member *m, const unsigned char *b)
{
	char *name = field(t, b, TAR_NAME);

	if (m->format == TAR_USTAR && b[H_PREFIX])
		return tsb_format(t->p, "%s/%s", field(t, b + H_PREFIX, 155), name);
	return name;
}

static void decode_names(struct tar *t, struct tar_member *m, const unsigned char *b)
{
	size_t n;

	if (m->format != TAR_V7) {
		m->uname = field(t, b + H_UNAME, 32);
		m->gname = field(t, b + H_GNAME, 32);
	}
	n = strlen(m->orig_name);
	m->trailing_slash = n && m->orig_name[n - 1] == '/';
}

/* Names without trailing slashes and the mode's type, when all is known. */
static void decode_finish(struct tar_member *m, struct tar *t)
{
	size_t n = strlen(m->orig_name);

	m->trailing_slash = n && m->orig_name[n - 1] == '/';
	while (n > 1 && m->orig_name[n - 1] == '/')
		n--;
	m->name = tsb_strndup(t->p, m->orig_name, n);
	m->st.mode = (m->st.mode & 07777) | type_bits(m->type, m->trailing_slash);
}

/* What stands in front of a member; the records of a pax header are looked at with the member. */
struct extras {
	char *name, *link, *pax;
	size_t n_pax;
};

static void read_extras(struct tar *t, const unsigned char *b, struct extras *x, bool *again)
{
	int type = b[H_TYPE];
	int64_t size = tar_get_number(t, b + H_SIZE, 12, "off_t");
	char *text;
	size_t n;

	*again = type == 'L' || type == 'K' || type == 'x' || type == 'g' || type == 'X';
	if (!*again)
		return;
	tar_consume(t, 1);
	text = tar_read_text(t, size < 0 ? 0 : (uint64_t)size, &n, type != 'L' && type != 'K');
	if (type == 'L') {
		x->name = text;
	} else if (type == 'K') {
		x->link = text;
	} else if (type == 'g') {
		tar_pax_read(t, text, n, true);
	} else {
		x->pax = text;
		x->n_pax = n;
	}
}

/* The data of a GNU directory: twice ended, whatever it says itself. */
static void read_dump(struct tar *t, struct tar_member *m)
{
	struct str text;
	size_t n;

	str_init(&text, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_addn(&text, tar_read_text(t, m->stored, &n, true), m->stored);
	m->n_dump = n;
	str_addn(&text, "\0", 2);
	m->dump = str_take(&text, NULL);
	m->stored = 0;
}

static enum tar_header read_member(struct tar *t, const unsigned char *b, char *name, char *link)
{
	struct tar_member *m = &t->m;
	unsigned char copy[TAR_BLOCK];

	memcpy(copy, b, TAR_BLOCK);
	m->type = (char)copy[H_TYPE];
	m->format = header_format(copy);
	m->uname = m->gname = "";
	decode_numbers(t, m, copy);
	m->orig_name = name ? name : decode_name(t, m, copy);
	m->link_name = link ? link : field(t, copy + H_LINK, TAR_NAME);
	decode_names(t, m, copy);
	tar_consume(t, 1);
	m->stored = m->st.size;
	tar_pax_apply(t, m);
	if (m->type == 'S' && !tar_sparse_read_old(t, m, copy))
		return TAR_H_BAD;
	if (m->type == 'D')
		read_dump(t, m);
	decode_finish(m, t);
	m->real_size = m->sparse ? m->real_size : m->st.size;
	if (m->sparse && m->sparse_major == 1)
		m->sparse_bad = !tar_sparse_read_map(t, m);
	m->st.size = m->real_size;
	return TAR_H_OK;
}

enum tar_header tar_read_header(struct tar *t)
{
	struct extras x = { NULL, NULL, NULL, 0 };
	uint64_t at = 0, shown = 0;
	bool again = true, first = true;

	memset(&t->m, 0, sizeof(t->m));
	tar_pax_forget(t);
	for (;;) {
		unsigned char *b = tar_block(t);
		bool is_pax;

		if (!b)
			return TAR_H_END;
		if (first)
			at = shown = tar_block_number(t);
		if (is_zero_block(b)) {
			tar_consume(t, 1);
			t->m.at_block = at;
			return TAR_H_ZERO;
		}
		if (!tar_checksum_ok(b)) {
			tar_consume(t, 1);
			t->m.at_block = at;
			return TAR_H_BAD;
		}
		first = false;
		is_pax = b[H_TYPE] == 'x' || b[H_TYPE] == 'g' || b[H_TYPE] == 'X';
		read_extras(t, b, &x, &again);
		if (again) {
			shown = is_pax ? tar_block_number(t) : shown;
			continue;
		}
		t->m.at_block = at;
		t->m.shown_block = shown;
		if (x.pax)
			tar_pax_read(t, x.pax, x.n_pax, false);
		return read_member(t, b, x.name, x.link);
	}
}

/* ---- Writing ---- */

unsigned char *tar_new_block(struct tar *t)
{
	unsigned char *b = tar_block(t);

	memset(b, 0, TAR_BLOCK);
	return b;
}

void tar_write_text(struct tar *t, const char *text, size_t n)
{
	while (n) {
		unsigned char *b = tar_new_block(t);
		size_t part = n < TAR_BLOCK ? n : TAR_BLOCK;

		memcpy(b, text, part);
		tar_consume(t, 1);
		text += part;
		n -= part;
	}
}

static void tar_write_long(struct tar *t, const char *text, char type)
{
	unsigned char *b = tar_new_block(t);
	size_t n = strlen(text) + 1;

	memcpy(b, "././@LongLink", 13);
	memcpy(b + H_MODE, "0000644", 7);
	memcpy(b + H_UID, "0000000", 7);
	memcpy(b + H_GID, "0000000", 7);
	tar_put_octal(b + H_SIZE, 11, n);
	memcpy(b + H_MTIME, "00000000000", 11);
	b[H_TYPE] = (unsigned char)type;
	memcpy(b + H_MAGIC, "ustar  ", 8);
	memcpy(b + H_UNAME, "root", 4);
	memcpy(b + H_GNAME, "root", 4);
	tar_checksum(b);
	tar_consume(t, 1);
	tar_write_text(t, text, n);
}

static bool is_ascii(const char *s)
{
	while (*s && !(*s & 0x80))
		s++;
	return !*s;
}

/* Where ustar may cut a name in two; 0: nowhere. */
static size_t split_at(const char *name, size_t n)
{
	size_t i = n > 156 ? 156 : n;

	if (i == n)
		i--;
	while (i > 0 && name[i] != '/')
		i--;
	return n - i - 1 > TAR_NAME || !i || n - i - 1 == 0 ? 0 : i;
}

static bool put_name(struct tar *t, struct tar_member *m, unsigned char *b, const char *name)
{
	size_t n = strlen(name), room = TAR_NAME - (t->format == TAR_OLDGNU), at;

	if (n <= room && (t->format != TAR_V7 || n < TAR_NAME)) {
		memcpy(b, name, n);
		return true;
	}
	switch ((enum tar_format)t->format) {
	case TAR_V7:
		tar_error(t, "%s: file name is too long (max %d); not dumped",
			  tar_quote_colon(t, m->orig_name), TAR_NAME - 1);
		return false;
	case TAR_USTAR:
		if (n > 256) {
			tar_error(t, "%s: file name is too long (max %d); not dumped",
				  tar_quote_colon(t, m->orig_name), 256);
			return false;
		}
		at = split_at(name, n);
		if (!at) {
			tar_error(t, "%s: file name is too long (cannot be split); not dumped",
				  tar_quote_colon(t, m->orig_name));
			return false;
		}
		memcpy(b + H_PREFIX, name, at);
		memcpy(b, name + at + 1, n - at - 1);
		return true;
	default:
		memcpy(b, name, room);
		return true;
	}
}

static void put_link(struct tar *t, struct tar_member *m, unsigned char *b)
{
	size_t n = m->link_name ? strlen(m->link_name) : 0;

	if (n > TAR_NAME && (t->format == TAR_USTAR || t->format == TAR_V7))
		tar_error(t, "%s: link name is too long; not dumped",
			  tar_quote_colon(t, m->link_name));
	if (n)
		memcpy(b + H_LINK, m->link_name, n < TAR_NAME ? n : TAR_NAME);
}

static void put_string(unsigned char *to, const char *s, size_t n)
{
	size_t len = strlen(s);

	memcpy(to, s, len < n ? len : n);
}

static void put_magic(struct tar *t, struct tar_member *m, unsigned char *b)
{
	bool gnu = t->format == TAR_GNU || t->format == TAR_OLDGNU;
	bool device = m->type == '3' || m->type == '4';

	if (t->format != TAR_V7) {
		memcpy(b + H_MAGIC, gnu ? "ustar  " : "ustar\0" "00", 8);
		put_string(b + H_UNAME, m->uname, 31);
		put_string(b + H_GNAME, m->gname, 31);
	}
	if (!gnu || device) {
		tar_put_octal(b + H_MAJOR, 7, device ? major(m->st.rdev) : 0);
		tar_put_octal(b + H_MINOR, 7, device ? minor(m->st.rdev) : 0);
	}
}

static bool put_numbers(struct tar *t, struct tar_member *m, unsigned char *b)
{
	static const struct { size_t at, n; const char *what; } fields[] = {
		{ H_UID, 8, "uid_t" }, { H_GID, 8, "gid_t" }, { H_SIZE, 12, "off_t" },
		{ H_MTIME, 12, "time_t" },
	};
	int64_t values[4] = { m->st.uid, m->st.gid, (int64_t)m->stored, m->st.mtime.sec };
	tar_put_octal(b + H_MODE, 7, m->st.mode & 07777);
	for (size_t i = 0; i < 4; i++) {
		if (put_number(t, b + fields[i].at, fields[i].n, values[i]))
			continue;
		if (t->format == TAR_PAX) {
			tar_put_octal(b + fields[i].at, fields[i].n - 1, 0);
			continue;
		}
		tar_error(t, "value %lld out of %s range 0..%llu", (long long)values[i],
			  fields[i].what,
			  (unsigned long long)(((uint64_t)1 << (3 * (fields[i].n - 1))) - 1));
		return false;
	}
	return true;
}

/* What does not fit into a header goes before it. */
static void write_before(struct tar *t, struct tar_member *m, const char *name)
{
	size_t room = TAR_NAME - (t->format == TAR_OLDGNU);
	struct str records;

	if (t->format == TAR_GNU || t->format == TAR_OLDGNU) {
		if (strlen(name) > room)
			tar_write_long(t, name, 'L');
		if (m->link_name && strlen(m->link_name) > room)
			tar_write_long(t, m->link_name, 'K');
		return;
	}
	if (t->format != TAR_PAX)
		return;
	str_init(&records, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (!m->sparse && (strlen(name) > TAR_NAME || !is_ascii(name)))
		tar_pax_record(&records, "path", name, strlen(name));
	if (m->link_name && (strlen(m->link_name) > TAR_NAME || !is_ascii(m->link_name)))
		tar_pax_record(&records, "linkpath", m->link_name, strlen(m->link_name));
	tar_pax_records(t, m, &records);
	if (records.n)
		tar_pax_write(t, m, records.p, records.n);
}

bool tar_write_header(struct tar *t, struct tar_member *m)
{
	unsigned char copy[TAR_BLOCK] = { 0 }, *b;
	const char *name = m->name;

	if (t->format == TAR_PAX && m->sparse && (m->sparse_major || m->sparse_minor)) {
		const char *slash = strrchr(m->name, '/');

		name = tsb_format(t->p, "%.*s/GNUSparseFile.%d/%s",
				  slash ? (int)(slash - m->name) : 1, slash ? m->name : ".",
				  tsb_getpid(t->p), slash ? slash + 1 : m->name);
		if (strlen(name) > TAR_NAME)
			name = tsb_strndup(t->p, name, TAR_NAME);
	}
	if (!put_name(t, m, copy, name) || !put_numbers(t, m, copy))
		return false;
	put_link(t, m, copy);
	write_before(t, m, m->name);
	put_magic(t, m, copy);
	if (t->incremental && (t->format == TAR_GNU || t->format == TAR_OLDGNU)) {
		put_number(t, copy + H_GNU_ATIME, 12, m->st.atime.sec);
		put_number(t, copy + H_GNU_CTIME, 12, m->st.ctime.sec);
	}
	copy[H_TYPE] = (unsigned char)(t->format == TAR_V7 && m->type == '0' ? 0 : m->type);
	b = tar_new_block(t);
	memcpy(b, copy, TAR_BLOCK);
	if (m->sparse)
		tar_sparse_put_header(t, m);
	tar_checksum(b);
	tar_consume(t, 1);
	return true;
}
