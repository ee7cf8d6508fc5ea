/*
 * zip's output: members new and kept, the central directory, and the file put
 * in place of the old one at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "base/heap.h"
#include "base/str.h"
#include "cmd/path.h"
#include "cmd/tempname.h"
#include "cmd/util.h"
#include "cmd/zip/zipper.h"

enum { ZIP_MADE_BY = 30, ZIP_UNIX = 3 };

/* ---- Headers ---- */

static size_t zip_put_times(unsigned char *to, const struct zip_member *m, bool local)
{
	pack_set16(to, 0x5455);
	pack_set16(to + 2, local ? 9 : 5);
	to[4] = 3;
	pack_set32(to + 5, (uint32_t)m->st.mtime.sec);
	if (local)
		pack_set32(to + 9, (uint32_t)m->st.atime.sec);
	return local ? 13 : 9;
}

static size_t zip_put_owner(unsigned char *to, const struct zip_member *m)
{
	pack_set16(to, 0x7875);
	pack_set16(to + 2, 11);
	to[4] = 1;
	to[5] = 4;
	pack_set32(to + 6, m->st.uid);
	to[10] = 4;
	pack_set32(to + 11, m->st.gid);
	return 15;
}

static void zip_extras(struct zipper *z, struct zip_member *m)
{
	if (z->no_extra)
		return;
	m->n_extra_local = zip_put_times(m->extra_local, m, true);
	m->n_extra_local += zip_put_owner(m->extra_local + m->n_extra_local, m);
	m->e.n_extra = zip_put_times(m->extra, m, false);
	m->e.n_extra += zip_put_owner(m->extra + m->e.n_extra, m);
	m->e.extra = m->extra;
}

/* What does not fit is in a field of zip64. */
static uint32_t zip_low32(uint64_t n)
{
	return n >= UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void zip_set64(unsigned char *to, uint64_t n)
{
	pack_set32(to, (uint32_t)n);
	pack_set32(to + 4, (uint32_t)(n >> 32));
}

/* The extra fields of a central header, with those of zip64 that it needs now. */
static void zip_central_extras(const struct zip_entry *e, struct str *out)
{
	const uint64_t fields[] = { e->plain, e->packed, e->offset };
	const unsigned char *at = e->extra;
	unsigned char b[8];
	struct str big;

	str_init(&big, out->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < 3; i++) {
		zip_set64(b, fields[i]);
		if (fields[i] >= UINT32_MAX)
			str_addn(&big, b, 8);
	}
	pack_set16(b, 1);
	pack_set16(b + 2, (uint32_t)big.n);
	if (big.n)
		str_addn(out, b, 4);
	str_addn(out, big.p, big.n);
	str_end(&big);
	for (size_t left = e->n_extra, n; left >= 4; at += n, left -= n) {
		n = 4 + pack_le16(at + 2);
		n = n < left ? n : left;
		if (pack_le16(at) != 1)
			str_addn(out, at, n);
	}
}

/* The fields that a local header and a central one have in common: 26 bytes. */
static void zip_put_common(unsigned char *b, const struct zip_entry *e, size_t n_extra)
{
	pack_set16(b, e->needs);
	pack_set16(b + 2, e->flags);
	pack_set16(b + 4, e->method);
	pack_set32(b + 6, e->dos_time);
	pack_set32(b + 10, e->crc);
	pack_set32(b + 14, zip_low32(e->packed));
	pack_set32(b + 18, zip_low32(e->plain));
	pack_set16(b + 22, (uint32_t)strlen(e->name));
	pack_set16(b + 24, (uint32_t)n_extra);
}

static void zip_local_header(const struct zip_member *m, unsigned char b[ZIP_LOCAL_SIZE])
{
	memcpy(b, "PK\3\4", 4);
	zip_put_common(b + 4, &m->e, m->n_extra_local);
}

static void zip_put_central(struct zipper *z, const struct zip_entry *e)
{
	unsigned char b[ZIP_CENTRAL_SIZE] = "PK\1\2";
	struct str extra;

	str_init(&extra, tsb_heap_of(z->p), 65535);
	zip_central_extras(e, &extra);
	b[4] = (unsigned char)e->made_by;
	b[5] = (unsigned char)e->host;
	zip_put_common(b + 6, e, extra.n);
	pack_set16(b + 32, (uint32_t)e->n_comment);
	pack_set16(b + 36, e->internal);
	pack_set32(b + 38, e->external);
	pack_set32(b + 42, zip_low32(e->offset));
	pack_put(&z->out, b, sizeof(b));
	pack_put(&z->out, e->name, strlen(e->name));
	pack_put(&z->out, extra.p, extra.n);
	pack_put(&z->out, e->comment, e->n_comment);
	str_end(&extra);
}

/* ---- Data ---- */

struct zip_data {
	struct str packed;	/* all of it: the header in front needs its size */
	uint32_t crc;
	uint64_t plain;
	bool seen[256];
	z_stream s;
	bool deflating, tried;	/* tried: only then is it looked whether it is text */
	int last;
};

static void zip_deflate(struct zipper *z, struct zip_data *d, const unsigned char *at, size_t n,
			int flush)
{
	unsigned char buf[2048];

	d->s.next_in = (unsigned char *)(uintptr_t)at;
	d->s.avail_in = (unsigned)n;
	do {
		d->s.next_out = buf;
		d->s.avail_out = sizeof(buf);
		deflate(&d->s, flush);
		str_addn(&d->packed, buf, sizeof(buf) - d->s.avail_out);
		tsb_tick(z->p, 1);
	} while (!d->s.avail_out);
}

static void zip_take(struct zipper *z, struct zip_data *d, const unsigned char *at, size_t n)
{
	d->crc = (uint32_t)crc32(d->crc, at, (unsigned)n);
	d->plain += n;
	for (size_t i = 0; i < n; i++)
		d->seen[at[i]] = true;
	if (d->deflating)
		zip_deflate(z, d, at, n, Z_NO_FLUSH);
	else
		str_addn(&d->packed, at, n);
}

/* Line ends: -l puts a CR before every LF, -ll takes it away. */
static void zip_take_lines(struct zipper *z, struct zip_data *d, const unsigned char *at, size_t n)
{
	struct str out;

	str_init(&out, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < n; i++) {
		if (z->crlf == 1 && at[i] == '\n')
			str_addc(&out, '\r');
		if (z->crlf == 2 && at[i] == '\r' && i + 1 < n && at[i + 1] == '\n')
			continue;
		str_addc(&out, at[i]);
	}
	zip_take(z, d, (unsigned char *)out.p, out.n);
	str_end(&out);
}

/* No control characters but those of text. */
static bool zip_is_text(const bool seen[256])
{
	static const char bad[] = "\0\1\2\3\4\5\6\16\17\20\21\22\23\24\25\26\27\30\31\34\35\36\37";
	bool good = seen[9] || seen[10] || seen[13];

	for (size_t i = 0; i < sizeof(bad) - 1; i++)
		if (seen[(unsigned char)bad[i]])
			return false;
	for (int i = 32; i < 256 && !good; i++)
		good = seen[i];
	return good;
}

static bool zip_stores(struct zipper *z, const char *name)
{
	static const char standard[] = ".Z:.zip:.zoo:.arc:.lzh:.arj";
	const char *at = z->no_suffixes ? z->no_suffixes : standard;
	size_t len = strlen(name);

	while (*at) {
		size_t n = strcspn(at, ":;");

		if (n && n <= len && !strncmp(name + len - n, at, n))
			return true;
		at += n + (at[n] != 0);
	}
	return !z->level;
}

static bool zip_read_file(struct zipper *z, struct zip_member *m, struct zip_data *d)
{
	int fd = strcmp(m->path, "-") ? tsb_open(z->p, m->path, O_RDONLY, 0) : 0;

	if (fd < 0) {
		zip_warn(z, "could not open for reading: %s", m->path);
		z->status = ZIP_E_OPEN;
		return false;
	}
	pack_in_open(&z->in, z->p, fd);
	while (pack_fill(&z->in)) {
		const unsigned char *at = z->in.buf + z->in.at;
		size_t n = z->in.n - z->in.at;

		if (z->crlf && !memchr(at, 0, n))
			zip_take_lines(z, d, at, n);
		else
			zip_take(z, d, at, n);
		z->in.at = z->in.n;
	}
	if (fd)
		tsb_close(z->p, fd);
	return true;
}

static void zip_read_link(struct zipper *z, struct zip_member *m, struct zip_data *d)
{
	int err;
	char *target = path_readlink(z->p, m->path, &err);

	if (target)
		zip_take(z, d, (unsigned char *)target, strlen(target));
}

/* The other way round: what did not get smaller goes in as it is. */
static void zip_store_again(struct zipper *z, struct zip_data *d)
{
	z_stream s = { .zalloc = pack_zalloc, .zfree = pack_free, .opaque = z->p };
	struct str packed = d->packed;
	unsigned char buf[2048];
	int r = Z_OK;

	str_init(&d->packed, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	inflateInit2(&s, -15);
	s.next_in = (unsigned char *)packed.p;
	s.avail_in = (unsigned)packed.n;
	while (r == Z_OK) {
		s.next_out = buf;
		s.avail_out = sizeof(buf);
		r = inflate(&s, Z_NO_FLUSH);
		str_addn(&d->packed, buf, sizeof(buf) - s.avail_out);
		tsb_tick(z->p, 1);
	}
	inflateEnd(&s);
	str_end(&packed);
}

static bool zip_pack(struct zipper *z, struct zip_member *m, struct zip_data *d)
{
	bool good = true;

	memset(d, 0, sizeof(*d));
	str_init(&d->packed, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	d->crc = (uint32_t)crc32(0, NULL, 0);
	d->deflating = !m->is_dir && !m->is_link && !zip_stores(z, m->name);
	d->tried = d->deflating;
	d->s = (z_stream){ .zalloc = pack_zalloc, .zfree = pack_free, .opaque = z->p };
	if (d->deflating)
		deflateInit2(&d->s, z->level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
	if (m->is_link)
		zip_read_link(z, m, d);
	else if (!m->is_dir)
		good = zip_read_file(z, m, d);
	if (d->deflating) {
		zip_deflate(z, d, NULL, 0, Z_FINISH);
		deflateEnd(&d->s);
	}
	if (d->deflating && d->packed.n >= d->plain) {
		zip_store_again(z, d);
		d->deflating = false;
	}
	return good;
}

static int zip_percent(uint64_t plain, uint64_t packed)
{
	return plain > packed ? (int)((1 + 200 * (plain - packed) / plain) / 2) : 0;
}

static void zip_report(struct zipper *z, struct zip_member *m)
{
	struct zip_entry *e = &m->e;
	uint64_t packed = e->packed - (e->flags & ZIP_ENCRYPTED ? ZIP_CRYPT_HEAD : 0);
	const char *what = !m->old ? "  adding" : z->action == ZIP_FRESHEN ? "freshening"
							: "updating";
	char *sizes = z->verbose ? tsb_format(z->p, "\t(in=%llu) (out=%llu)",
					      (unsigned long long)e->plain,
					      (unsigned long long)packed)
				 : tsb_strdup(z->p, "");

	zip_say(z, "%s: %s%s (%s %d%%)\n", what, m->name, sizes,
		e->method ? "deflated" : "stored", zip_percent(e->plain, packed));
	z->plain += e->plain;
	z->packed += e->packed;
}

static void zip_encrypt_data(struct zipper *z, struct zip_entry *e, struct str *packed)
{
	unsigned char head[ZIP_CRYPT_HEAD];
	struct zip_keys keys;

	zip_encrypt_head(z->p, &keys, z->password, e->dos_time, head);
	zip_encrypt(&keys, (unsigned char *)packed->p, packed->n);
	str_insert(packed, 0, head, sizeof(head));
	e->packed = packed->n;
	e->flags |= ZIP_ENCRYPTED | ZIP_DESCRIPTOR;
	e->needs = e->needs < 20 ? 20 : e->needs;
}

static void zip_put_descriptor(struct zipper *z, const struct zip_entry *e)
{
	unsigned char b[16] = "PK\7\10";

	pack_set32(b + 4, e->crc);
	pack_set32(b + 8, zip_low32(e->packed));
	pack_set32(b + 12, zip_low32(e->plain));
	pack_put(&z->out, b, sizeof(b));
}

/* The sizes of a local header that do not fit. */
static void zip_local64(struct zip_member *m)
{
	unsigned char b[20] = { 1, 0, 16 };

	zip_set64(b + 4, m->e.plain);
	zip_set64(b + 12, m->e.packed);
	memmove(m->extra_local + sizeof(b), m->extra_local, m->n_extra_local);
	memcpy(m->extra_local, b, sizeof(b));
	m->n_extra_local += sizeof(b);
	m->e.needs = 45;
}

static void zip_write_new(struct zipper *z, struct zip_member *m)
{
	struct zip_data *d = tsb_alloc(z->p, sizeof(*d));
	unsigned char b[ZIP_LOCAL_SIZE] = { 0 };
	struct zip_entry *e = &m->e;

	m->drop = !zip_pack(z, m, d);
	if (m->drop)
		return;
	*e = (struct zip_entry){ .name = m->name, .made_by = ZIP_MADE_BY, .host = ZIP_UNIX,
				 .needs = d->deflating ? 20 : 10, .crc = d->crc,
				 .method = d->deflating ? ZIP_DEFLATED : ZIP_STORED,
				 .dos_time = zip_dos_time(&z->zone, m->st.mtime.sec),
				 .packed = d->packed.n, .plain = d->plain,
				 .offset = pack_produced(&z->out), .mtime = m->st.mtime };
	if (d->deflating)
		e->flags = z->level <= 2 ? 4 : z->level >= 8 ? 2 : 0;
	e->internal = d->tried && zip_is_text(d->seen);
	e->external = m->st.mode << 16 | (m->is_dir ? 16u : 0) |
		      (m->st.mode & 0200 ? 0u : 1u);
	if (m->old) {
		e->comment = m->old->comment;
		e->n_comment = m->old->n_comment;
	}
	if (z->password && !m->is_dir)
		zip_encrypt_data(z, e, &d->packed);
	zip_extras(z, m);
	if (e->packed >= UINT32_MAX || e->plain >= UINT32_MAX)
		zip_local64(m);
	zip_local_header(m, b);
	pack_put(&z->out, b, sizeof(b));
	pack_put(&z->out, m->name, strlen(m->name));
	pack_put(&z->out, m->extra_local, m->n_extra_local);
	pack_put(&z->out, d->packed.p, d->packed.n);
	if (e->flags & ZIP_DESCRIPTOR)
		zip_put_descriptor(z, e);
	str_end(&d->packed);
	tsb_free(z->p, d);
	zip_report(z, m);
}

/* A kept member: its bytes as they were, from its header on. */
static void zip_write_kept(struct zipper *z, struct zip_member *m)
{
	uint64_t at = m->old->offset + (uint64_t)z->z.in_front, data = zip_data_offset(&z->z, m->old);
	uint64_t left = data ? data - at + m->old->packed : 0;

	if (data && (m->old->flags & ZIP_DESCRIPTOR))
		left += zip_descriptor_size(&z->z, m->old, data + m->old->packed);
	m->e = *m->old;
	m->e.offset = pack_produced(&z->out);
	if (!z->in.buf)
		pack_in_open(&z->in, z->p, -1);
	while (left) {
		size_t want = left < PACK_BLOCK ? (size_t)left : PACK_BLOCK;
		ssize_t n = tsb_pread(z->p, z->z.fd, z->in.buf, want, at);

		if (n <= 0)
			zip_fail(z, ZIP_E_FORM, "Zip file structure invalid (%s)", z->archive);
		pack_put(&z->out, z->in.buf, (size_t)n);
		at += (uint64_t)n;
		left -= (uint64_t)n;
		tsb_tick(z->p, 1);
	}
}

/* ---- The end ---- */

/* The next line of standard input without its end; NULL: there is none. */
static char *zip_answer(struct zipper *z)
{
	char *line;
	size_t n;

	if (!z->answering)
		tsb_reader_init(&z->answers, z->p, 0);
	z->answering = true;
	n = tsb_getdelim(&z->answers, &line, '\n');
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return n ? line : NULL;
}

/* -c: a line for each new entry; none leaves what there was. */
static void zip_ask_comments(struct zipper *z)
{
	for (size_t i = 0; i < z->n && z->comments; i++) {
		struct zip_member *m = &z->members[i];
		char *line;

		tsb_tick(z->p, 1);
		if (!m->path || m->drop)
			continue;
		zip_say(z, "Enter comment for %s:\n", m->name);
		line = zip_answer(z);
		if (!line)
			continue;
		m->e.n_comment = strnlen(line, 32767);
		m->e.comment = tsb_strndup(z->p, line, m->e.n_comment);
	}
}

static void zip_ask_comment(struct zipper *z)
{
	struct str out;
	char *line;

	if (!z->comment)
		return;
	zip_say(z, "enter new zip file comment (end with .):\n");
	str_init(&out, tsb_heap_of(z->p), 65535);
	while ((line = zip_answer(z)) && strcmp(line, "."))
		str_addf(&out, "%s%s", out.n ? "\r\n" : "", line);
	z->z.comment = str_take(&out, &z->z.n_comment);
}

/* The end record of zip64, and where it is. */
static void zip_end64(struct zipper *z, uint64_t n, uint64_t from)
{
	unsigned char end[56] = "PK\6\6", locator[20] = "PK\6\7";
	uint64_t at = pack_produced(&z->out);

	zip_set64(end + 4, sizeof(end) - 12);
	end[12] = ZIP_MADE_BY;
	end[13] = ZIP_UNIX;
	end[14] = 45;
	zip_set64(end + 24, n);
	zip_set64(end + 32, n);
	zip_set64(end + 40, at - from);
	zip_set64(end + 48, from);
	zip_set64(locator + 8, at);
	locator[16] = 1;
	pack_put(&z->out, end, sizeof(end));
	pack_put(&z->out, locator, sizeof(locator));
}

static size_t zip_directory(struct zipper *z)
{
	unsigned char end[ZIP_END_SIZE] = "PK\5\6";
	uint64_t from = pack_produced(&z->out), size;
	size_t n = 0;

	for (size_t i = 0; i < z->n; i++) {
		if (z->members[i].drop)
			continue;
		zip_put_central(z, &z->members[i].e);
		n++;
	}
	size = pack_produced(&z->out) - from;
	if (n >= 65535 || pack_produced(&z->out) >= UINT32_MAX)
		zip_end64(z, n, from);
	pack_set16(end + 8, n >= 65535 ? 65535 : (uint32_t)n);
	pack_set16(end + 10, n >= 65535 ? 65535 : (uint32_t)n);
	pack_set32(end + 12, zip_low32(size));
	pack_set32(end + 16, zip_low32(from));
	pack_set16(end + 20, (uint32_t)z->z.n_comment);
	pack_put(&z->out, end, sizeof(end));
	pack_put(&z->out, z->z.comment, z->z.n_comment);
	return n;
}

static void zip_test_archive(struct zipper *z, const char *path)
{
	const char *plain[] = { "unzip", "-tqq", path, NULL };
	const char *secret[] = { "unzip", "-tqq", "-P", z->password, path, NULL };
	const char **argv = z->password ? secret : plain;
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	int pid, status = -1;

	if (!z->test)
		return;
	if (!tsb_spawn(z->p, &how, &pid))
		tsb_wait(z->p, pid, &status, 0);
	if (!status) {
		zip_say(z, "test of %s OK\n", z->archive);
		return;
	}
	zip_say(z, "test of %s FAILED\n", z->archive);
	tsb_unlink(z->p, path);
	zip_fail(z, ZIP_E_TEST, "Zip file invalid, could not spawn unzip, or wrong unzip (original "
		 "files unmodified)\n (%s)", z->archive);
}

static void zip_set_stamp(struct zipper *z)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME };

	for (size_t i = 0; i < z->n && z->stamp; i++)
		if (!z->members[i].drop && util_time_cmp(set.mtime, z->members[i].e.mtime) < 0)
			set.mtime = z->members[i].e.mtime;
	set.atime = set.mtime;
	if (z->stamp)
		tsb_setattr(z->p, z->archive, &set, true);
}

static void zip_move(struct zipper *z)
{
	for (size_t i = z->n; z->move && i-- > 0;) {
		struct zip_member *m = &z->members[i];

		tsb_tick(z->p, 1);
		if (!m->path || m->drop || !strcmp(m->path, "-"))
			continue;
		if (m->is_dir)
			tsb_rmdir(z->p, m->path);
		else
			tsb_unlink(z->p, m->path);
	}
}

static void zip_in_place(struct zipper *z, const char *temporary, size_t n)
{
	struct tsb_stat st;
	int err;

	if (!n && z->existed) {
		if (!z->quiet)
			zip_warn(z, "zip file empty");
	} else {
		zip_test_archive(z, temporary);
	}
	if (z->existed && !tsb_stat(z->p, z->archive, &st)) {
		struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = st.mode & 07777 };

		tsb_setattr(z->p, temporary, &set, true);
	}
	if (z->out_name)
		z->archive = z->out_name;
	err = tsb_rename(z->p, temporary, z->archive, 0);
	z->io_error = err;
	if (err < 0)
		zip_fail(z, ZIP_E_CREATE, "Could not create output file (%s)", z->archive);
	zip_set_stamp(z);
}

void zip_write(struct zipper *z)
{
	bool to_stdout = !strcmp(z->archive, "-");
	char *temporary = NULL;
	int fd = 1;
	size_t n;

	if (!to_stdout) {
		temporary = path_join(z->p, path_dir(z->p, z->archive), "ziXXXXXX");
		tempname_fill(z->p, temporary + strlen(temporary) - 6, 6);
		fd = tsb_open(z->p, temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
		z->io_error = fd < 0 ? fd : 0;
		if (fd < 0)
			zip_fail(z, ZIP_E_CREATE, "Could not create output file (%s)", z->archive);
	}
	pack_out_open(&z->out, z->p, fd);
	for (size_t i = 0; i < z->n; i++) {
		struct zip_member *m = &z->members[i];

		if (m->path)
			zip_write_new(z, m);
		else if (!m->drop)
			zip_write_kept(z, m);
	}
	zip_ask_comments(z);
	zip_ask_comment(z);
	n = zip_directory(z);
	pack_flush(&z->out);
	if (z->out.error) {
		if (!to_stdout)
			tsb_unlink(z->p, temporary);
		zip_fail(z, 14, "Output file write failure (write error on zip file)");
	}
	if (!to_stdout) {
		tsb_close(z->p, fd);
		zip_in_place(z, temporary, n);
	}
	if (z->verbose)
		zip_say(z, "total bytes=%llu, compressed=%llu -> %d%% savings\n",
			(unsigned long long)z->plain, (unsigned long long)z->packed,
			zip_percent(z->plain, z->packed));
	zip_move(z);
}
