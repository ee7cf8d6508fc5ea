/*
 * cpio: headers. The four formats of cpio and two of tar are told from each other by
 * their first bytes, which are looked for: what stands before them is junk.
 */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/accounts.h"
#include "cmd/cpio/cpio.h"

enum { CPIO_ODC_SIZE = 76, CPIO_NEWC_SIZE = 110, CPIO_BIN_SIZE = 26, CPIO_TAR_SIZE = 512 };

/* ---- Bytes ---- */

void cpio_read(struct cpio *c, void *to, size_t n)
{
	unsigned char *out = to;

	while (n) {
		size_t have;

		if (c->in.at == c->in.n && !pack_fill(&c->in)) {
			if (c->in.error)
				cpio_fatal(c, c->in.error, "read error");
			cpio_fatal(c, 0, "premature end of file");
		}
		have = c->in.n - c->in.at;
		have = have < n ? have : n;
		if (out)
			memcpy(out, c->in.buf + c->in.at, have);
		out = out ? out + have : NULL;
		c->in.at += have;
		n -= have;
	}
}

void cpio_skip(struct cpio *c, uint64_t n)
{
	for (size_t part; n; n -= part) {
		part = n < PACK_BLOCK ? (size_t)n : PACK_BLOCK;
		cpio_read(c, NULL, part);
		tsb_tick(c->p, 1);
	}
}

unsigned cpio_pad(const struct cpio *c, uint64_t n)
{
	unsigned align = cpio_is_newc(c) ? 4 : cpio_is_tar(c) ? 512 :
			 c->format == CPIO_BIN || c->format == CPIO_HPBIN ? 2 : 1;

	return (unsigned)((align - n % align) % align);
}

/* ---- Numbers ---- */

static uint64_t cpio_number(struct cpio *c, const unsigned char *s, size_t n, unsigned base)
{
	uint64_t v = 0;
	size_t i = 0;

	while (i < n && s[i] == ' ')
		i++;
	for (; i < n && s[i] && s[i] != ' '; i++) {
		unsigned digit = s[i] >= '0' && s[i] <= '9' ? (unsigned)(s[i] - '0') :
				 (s[i] | 32) >= 'a' && (s[i] | 32) <= 'f' ? (unsigned)((s[i] | 32) - 'a' + 10) : 99;

		if (digit >= base) {
			cpio_say(c, 0, "Malformed number %.*s", (int)strnlen((const char *)s, n), s);
			break;
		}
		v = v * base + digit;
	}
	return v;
}

/* With zeros in front; false: it does not fit, and is cut. */
static bool cpio_put_number(unsigned char *to, size_t n, uint64_t v, unsigned base)
{
	while (n--) {
		to[n] = (unsigned char)"0123456789ABCDEF"[v % base];
		v /= base;
	}
	return !v;
}

/* ---- Reading ---- */

static void cpio_read_name(struct cpio *c, struct cpio_head *h, uint64_t n)
{
	if (n > CPIO_NAME_MAX)
		cpio_fatal(c, 0, "name is too long");
	h->name = tsb_alloc(c->p, (size_t)n + 1);
	cpio_read(c, h->name, (size_t)n);
}

static void cpio_read_odc(struct cpio *c, struct cpio_head *h)
{
	unsigned char b[CPIO_ODC_SIZE];
	uint32_t dev, rdev;

	cpio_read(c, b, sizeof(b));
	dev = (uint32_t)cpio_number(c, b + 6, 6, 8);
	h->dev_major = major(dev), h->dev_minor = minor(dev);
	h->ino = (uint32_t)cpio_number(c, b + 12, 6, 8);
	h->mode = (uint32_t)cpio_number(c, b + 18, 6, 8);
	h->uid = (uint32_t)cpio_number(c, b + 24, 6, 8);
	h->gid = (uint32_t)cpio_number(c, b + 30, 6, 8);
	h->nlink = (uint32_t)cpio_number(c, b + 36, 6, 8);
	rdev = (uint32_t)cpio_number(c, b + 42, 6, 8);
	h->rdev_major = major(rdev), h->rdev_minor = minor(rdev);
	h->mtime = (int64_t)cpio_number(c, b + 48, 11, 8);
	h->size = cpio_number(c, b + 65, 11, 8);
	cpio_read_name(c, h, cpio_number(c, b + 59, 6, 8));
}

static void cpio_read_newc(struct cpio *c, struct cpio_head *h)
{
	uint32_t *const fields[] = { &h->ino, &h->mode, &h->uid, &h->gid, &h->nlink, NULL, NULL,
				     &h->dev_major, &h->dev_minor, &h->rdev_major, &h->rdev_minor, NULL, &h->sum };
	unsigned char b[CPIO_NEWC_SIZE];
	uint64_t name;

	cpio_read(c, b, sizeof(b));
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i])
			*fields[i] = (uint32_t)cpio_number(c, b + 6 + 8 * i, 8, 16);
	h->mtime = (int64_t)cpio_number(c, b + 46, 8, 16);
	h->size = cpio_number(c, b + 54, 8, 16);
	name = cpio_number(c, b + 94, 8, 16);
	cpio_read_name(c, h, name);
	cpio_skip(c, cpio_pad(c, CPIO_NEWC_SIZE + name));
}

static uint32_t cpio_half(const struct cpio_head *h, const unsigned char *b, int i)
{
	b += 2 * i;
	return h->swapped ? (uint32_t)b[0] << 8 | b[1] : b[0] | (uint32_t)b[1] << 8;
}

static void cpio_read_bin(struct cpio *c, struct cpio_head *h)
{
	unsigned char b[CPIO_BIN_SIZE];
	uint32_t dev, rdev, name;

	cpio_read(c, b, sizeof(b));
	h->swapped = b[0] == 0x71;
	dev = cpio_half(h, b, 1);
	h->dev_major = major(dev), h->dev_minor = minor(dev);
	h->ino = cpio_half(h, b, 2);
	h->mode = cpio_half(h, b, 3);
	h->uid = cpio_half(h, b, 4);
	h->gid = cpio_half(h, b, 5);
	h->nlink = cpio_half(h, b, 6);
	rdev = cpio_half(h, b, 7);
	h->rdev_major = major(rdev), h->rdev_minor = minor(rdev);
	h->mtime = (int64_t)cpio_half(h, b, 8) << 16 | cpio_half(h, b, 9);
	name = cpio_half(h, b, 10);
	h->size = (uint64_t)cpio_half(h, b, 11) << 16 | cpio_half(h, b, 12);
	cpio_read_name(c, h, name);
	cpio_skip(c, cpio_pad(c, name));
}

/* The sum of a tar header, its own field as blanks. */
static uint32_t cpio_tar_sum(const unsigned char *b)
{
	uint32_t sum = 8 * ' ';

	for (size_t i = 0; i < CPIO_TAR_SIZE; i++)
		sum += i >= 148 && i < 156 ? 0 : b[i];
	return sum;
}

static bool cpio_tar_at(const unsigned char *b)
{
	char text[9] = "";
	uint32_t v = 0;
	size_t i;

	memcpy(text, b + 148, 8);
	i = strspn(text, " ");
	if (!text[i] || text[i + strspn(text + i, "01234567")] > ' ')
		return false;
	for (; text[i] >= '0' && text[i] <= '7'; i++)
		v = v << 3 | (uint32_t)(text[i] - '0');
	return v == cpio_tar_sum(b);
}

static void cpio_tar_kind(struct cpio_head *h, int type, const char *link)
{
	static const struct {
		char type;
		uint32_t mode;
	} kinds[] = { { '2', S_IFLNK }, { '3', S_IFCHR }, { '4', S_IFBLK }, { '5', S_IFDIR }, { '6', S_IFIFO } };
	size_t n = strlen(h->name);

	h->mode |= S_IFREG;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].type == type)
			h->mode = (h->mode & 07777) | kinds[i].mode;
	if ((!type || type == '0') && n && h->name[n - 1] == '/')
		h->mode = (h->mode & 07777) | S_IFDIR;
	if (type == '1' || type == '2')
		h->link = (char *)(uintptr_t)link;
	if (!S_ISREG(h->mode) || type == '1')
		h->size = 0;
}

static bool cpio_read_tar(struct cpio *c, struct cpio_head *h)
{
	unsigned char b[CPIO_TAR_SIZE];
	uint32_t id;
	char *name;

	cpio_read(c, b, sizeof(b));
	if (!memchr(b, 0, 1) && !cpio_tar_at(b))
		cpio_fatal(c, 0, "invalid header: checksum error");
	if (!b[0])
		return false;
	h->mode = (uint32_t)cpio_number(c, b + 100, 8, 8) & 07777;
	h->uid = (uint32_t)cpio_number(c, b + 108, 8, 8);
	h->gid = (uint32_t)cpio_number(c, b + 116, 8, 8);
	h->size = cpio_number(c, b + 124, 12, 8);
	h->mtime = (int64_t)cpio_number(c, b + 136, 12, 8);
	h->nlink = 1;
	name = tsb_strndup(c->p, (char *)b, 100);
	if (!memcmp(b + 257, "ustar", 5)) {
		h->rdev_major = (uint32_t)cpio_number(c, b + 329, 8, 8);
		h->rdev_minor = (uint32_t)cpio_number(c, b + 337, 8, 8);
		b[296] = b[328] = 0;
		if (accounts_user(c->p, (char *)b + 265, &id, &(uint32_t){ 0 }) && b[265])
			h->uid = id;
		if (accounts_group(c->p, (char *)b + 297, &id) && b[297])
			h->gid = id;
		if (b[345])
			name = tsb_format(c->p, "%.155s/%s", (char *)b + 345, name);
	}
	h->name = name;
	cpio_tar_kind(h, b[156], tsb_strndup(c->p, (char *)b + 157, 100));
	return true;
}

static int cpio_find_tar(struct cpio *c, const unsigned char *b, size_t have)
{
	c->looked = pack_consumed(&c->in) + (have < CPIO_TAR_SIZE ? have : CPIO_TAR_SIZE);
	return have >= CPIO_TAR_SIZE && cpio_tar_at(b) ? CPIO_USTAR : CPIO_UNKNOWN;
}

/* The format at the place that is read next; the bytes before it are passed over. */
static int cpio_find(struct cpio *c)
{
	int plain = c->format == CPIO_HPBIN ? CPIO_BIN : c->format == CPIO_HPODC ? CPIO_ODC : (int)c->format;
	uint64_t junk = 0;
	int found = CPIO_UNKNOWN;

	for (;; junk++, c->in.at++) {
		const unsigned char *b;
		size_t have;

		pack_need(&c->in, CPIO_TAR_SIZE);
		b = c->in.buf + c->in.at;
		have = c->in.n - c->in.at;
		if (have < 6)
			cpio_fatal(c, c->in.error, c->in.error ? "read error" : c->format == CPIO_UNKNOWN ?
				   "premature end of archive" : "premature end of file");
		if (!memcmp(b, "070701", 6))
			found = CPIO_NEWC;
		else if (!memcmp(b, "070702", 6))
			found = CPIO_CRC;
		else if (!memcmp(b, "070707", 6))
			found = CPIO_ODC;
		else if ((b[0] == 0xc7 && b[1] == 0x71) || (b[0] == 0x71 && b[1] == 0xc7))
			found = CPIO_BIN;
		else if (c->format == CPIO_UNKNOWN)
			found = cpio_find_tar(c, b, have);
		if (found && (c->format == CPIO_UNKNOWN || found == plain))
			break;
		found = CPIO_UNKNOWN;
		if (junk % 1024 == 0)
			tsb_tick(c->p, 16);
	}
	if (junk)
		cpio_say(c, 0, "warning: skipped %llu byte%s of junk", (unsigned long long)junk,
			 junk == 1 ? "" : "s");
	return c->format == CPIO_UNKNOWN ? found : (int)c->format;
}

bool cpio_read_head(struct cpio *c, struct cpio_head *h)
{
	*h = (struct cpio_head){ 0 };
	tsb_tick(c->p, 4);
	if (!cpio_is_tar(c))
		c->format = cpio_find(c);
	switch (c->format) {
	case CPIO_ODC: case CPIO_HPODC:
		cpio_read_odc(c, h);
		break;
	case CPIO_NEWC: case CPIO_CRC:
		cpio_read_newc(c, h);
		break;
	case CPIO_BIN: case CPIO_HPBIN:
		cpio_read_bin(c, h);
		break;
	default:
		return cpio_read_tar(c, h);
	}
	return strcmp(h->name, "TRAILER!!!") != 0;
}

/* ---- Writing ---- */

static void cpio_cut(struct cpio *c, const struct cpio_head *h, const char *field)
{
	if (c->warn_truncate)
		cpio_say(c, 0, "%s: truncating %s", h->name, field);
}

static void cpio_padding(struct cpio *c, unsigned n)
{
	while (n--)
		pack_putc(&c->out, 0);
}

static uint32_t cpio_dev16(uint32_t major_, uint32_t minor_)
{
	return (uint32_t)makedev(major_, minor_) & 0xffff;
}

static void cpio_write_odc(struct cpio *c, const struct cpio_head *h, size_t name)
{
	unsigned char b[CPIO_ODC_SIZE];

	memcpy(b, "070707", 6);
	cpio_put_number(b + 6, 6, (uint64_t)makedev(h->dev_major, h->dev_minor), 8);
	if (!cpio_put_number(b + 12, 6, h->ino, 8))
		cpio_cut(c, h, "inode number");
	cpio_put_number(b + 18, 6, h->mode, 8);
	if (!cpio_put_number(b + 24, 6, h->uid, 8))
		cpio_cut(c, h, "uid");
	if (!cpio_put_number(b + 30, 6, h->gid, 8))
		cpio_cut(c, h, "gid");
	cpio_put_number(b + 36, 6, h->nlink, 8);
	cpio_put_number(b + 42, 6, (uint64_t)makedev(h->rdev_major, h->rdev_minor), 8);
	cpio_put_number(b + 48, 11, (uint64_t)h->mtime, 8);
	cpio_put_number(b + 59, 6, name, 8);
	cpio_put_number(b + 65, 11, h->size, 8);
	pack_put(&c->out, b, sizeof(b));
	pack_put(&c->out, h->name, name);
}

static void cpio_write_newc(struct cpio *c, const struct cpio_head *h, size_t name)
{
	const uint32_t fields[] = { h->ino, h->mode, h->uid, h->gid, h->nlink, (uint32_t)h->mtime,
				    (uint32_t)h->size, h->dev_major, h->dev_minor, h->rdev_major,
				    h->rdev_minor, (uint32_t)name, h->sum };
	unsigned char b[CPIO_NEWC_SIZE];

	memcpy(b, c->format == CPIO_CRC ? "070702" : "070701", 6);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		cpio_put_number(b + 6 + 8 * i, 8, fields[i], 16);
	pack_put(&c->out, b, sizeof(b));
	pack_put(&c->out, h->name, name);
	cpio_padding(c, cpio_pad(c, CPIO_NEWC_SIZE + name));
}

static void cpio_write_bin(struct cpio *c, const struct cpio_head *h, size_t name)
{
	const uint32_t halves[] = { 070707, cpio_dev16(h->dev_major, h->dev_minor), h->ino, h->mode, h->uid, h->gid,
				    h->nlink, cpio_dev16(h->rdev_major, h->rdev_minor),
				    (uint32_t)h->mtime >> 16, (uint32_t)h->mtime, (uint32_t)name,
				    (uint32_t)(h->size >> 16), (uint32_t)h->size };

	if (h->ino >> 16)
		cpio_cut(c, h, "inode number");
	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++) {
		pack_putc(&c->out, (int)(halves[i] & 0xff));
		pack_putc(&c->out, (int)(halves[i] >> 8 & 0xff));
	}
	pack_put(&c->out, h->name, name);
	cpio_padding(c, cpio_pad(c, name));
}

/* A name that is longer than 100 bytes in two parts; false: it cannot be. */
static bool cpio_tar_name(const struct cpio *c, unsigned char *b, const char *name)
{
	size_t n = strlen(name), cut = n > 101 ? n - 101 : 0;

	if (n <= 100) {
		memcpy(b, name, n);
		return true;
	}
	while (cut < n && name[cut] != '/')
		cut++;
	if (c->format != CPIO_USTAR || cut >= n || cut > 155 || !cut)
		return false;
	memcpy(b + 345, name, cut);
	memcpy(b, name + cut + 1, n - cut - 1);
	return true;
}

static int cpio_tar_type(const struct cpio_head *h)
{
	return h->link ? (S_ISLNK(h->mode) ? '2' : '1') : S_ISDIR(h->mode) ? '5' : S_ISCHR(h->mode) ? '3' :
	       S_ISBLK(h->mode) ? '4' : S_ISFIFO(h->mode) ? '6' : '0';
}

static void cpio_write_tar(struct cpio *c, const struct cpio_head *h)
{
	unsigned char b[CPIO_TAR_SIZE] = { 0 };
	const char *user, *group;

	if (!cpio_tar_name(c, b, h->name)) {
		cpio_error(c, 0, "%s: file name too long", h->name);
		return;
	}
	cpio_put_number(b + 100, 7, h->mode & 07777, 8);
	cpio_put_number(b + 108, 7, h->uid, 8);
	cpio_put_number(b + 116, 7, h->gid, 8);
	cpio_put_number(b + 124, 11, h->size, 8);
	cpio_put_number(b + 136, 11, (uint64_t)h->mtime, 8);
	b[156] = (unsigned char)cpio_tar_type(h);
	if (c->format == CPIO_TAR && strchr("3456", b[156]))
		b[156] = '0';
	if (h->link)
		memcpy(b + 157, h->link, strnlen(h->link, 100));
	if (c->format == CPIO_USTAR) {
		memcpy(b + 257, "ustar\00000", 8);
		user = accounts_user_name(c->p, h->uid);
		group = accounts_group_name(c->p, h->gid);
		memcpy(b + 265, user ? user : "", user ? strnlen(user, 31) : 0);
		memcpy(b + 297, group ? group : "", group ? strnlen(group, 31) : 0);
		cpio_put_number(b + 329, 7, h->rdev_major, 8);
		cpio_put_number(b + 337, 7, h->rdev_minor, 8);
	}
	cpio_put_number(b + 148, 7, cpio_tar_sum(b), 8);
	pack_put(&c->out, b, sizeof(b));
}

void cpio_write_head(struct cpio *c, const struct cpio_head *h)
{
	size_t name = strlen(h->name) + 1;

	if (cpio_is_tar(c))
		cpio_write_tar(c, h);
	else if (cpio_is_newc(c))
		cpio_write_newc(c, h, name);
	else if (c->format == CPIO_ODC || c->format == CPIO_HPODC)
		cpio_write_odc(c, h, name);
	else
		cpio_write_bin(c, h, name);
}
