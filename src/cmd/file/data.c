/*
 * Data of programs, and documents: databases, fonts, catalogs, disks, captures.
 */
#include "cmd/file/file.h"

#define ROW FILE_KIND

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- Documents ---- */

/* The count of pages, as the first page tree that stands in the clear says. */
static void pdf_pages(struct file_look *f)
{
	const unsigned char *at = memmem(f->at, f->n, "/Pages", 6), *end = f->at + f->n;
	unsigned long n = 0;

	for (; at; at = memmem(at + 1, (size_t)(end - at - 1), "/Count ", 7)) {
		const unsigned char *s = memmem(at, (size_t)(end - at), "/Count ", 7);

		if (!s)
			return;
		for (s += 7; s < end && *s >= '0' && *s <= '9' && n < 100000000; s++)
			n = n * 10 + (unsigned)(*s - '0');
		if (n)
			str_addf(&f->text, ", %lu pages", n);
		return;
	}
}

static bool pdf_more(struct file_look *f)
{
	size_t range = f->n < 256 ? f->n : 256;
	const unsigned char *at = memmem(f->at, range, "%PDF-", 5);

	if (!at)
		return false;
	file_add_text(f, (uint64_t)(at - f->at) + 5, 3, ", version ", "");
	pdf_pages(f);
	return true;
}

static bool postscript_more(struct file_look *f)
{
	if (FILE_HAS(f, 2, "PS-AdobeFont-1.") || FILE_HAS(f, 2, "FontType1")) {
		const unsigned char *nl = memchr(f->at, '\n', f->n);
		size_t n = nl ? (size_t)(nl - f->at) : f->n;

		str_reset(&f->text);
		f->mime = f->apple = NULL;
		str_adds(&f->text, "PostScript Type 1 font text");
		if (n > 20)
			file_add_text(f, 20, n - 20, " (", ")");
		return true;
	}
	if (FILE_HAS(f, 2, "PS-Adobe-")) {
		file_add_text(f, 11, 3, " conforming DSC level ", "");
		if (FILE_HAS(f, 15, "EPS"))
			str_adds(&f->text, ", type EPS");
		else if (FILE_HAS(f, 15, "Query") || FILE_HAS(f, 15, "ExitServer"))
			str_adds(&f->text, FILE_HAS(f, 15, "Query") ? ", type Query" :
				 ", type ExitServer");
	}
	return true;
}

static bool rtf_more(struct file_look *f)
{
	const unsigned char *at = f->at + 6;
	size_t n = f->n > 6 ? f->n - 6 : 0;

	str_addf(&f->text, ", version %c", file_u8(f, 5) ? (int)file_u8(f, 5) : ' ');
	n = n < 20 ? n : 20;
	if (memmem(at, n, "\\ansi", 5))
		str_adds(&f->text, ", ANSI");
	else if (memmem(at, n, "\\mac", 4))
		str_adds(&f->text, ", Apple Macintosh");
	else
		str_adds(&f->text, ", unknown character set");
	at = memmem(f->at, f->n < 100 ? f->n : 100, "\\ansicpg", 8);
	if (at)
		file_add_text(f, (uint64_t)(at - f->at) + 8, strspn((const char *)at + 8,
			      "0123456789"), ", code page ", "");
	at = memmem(f->at, f->n < 400 ? f->n : 400, "\\deflang", 8);
	if (at && at[8] >= '0' && at[8] <= '9')
		file_add_text(f, (uint64_t)(at - f->at) + 8, strspn((const char *)at + 8,
			      "0123456789"), ", default language ID ", "");
	return true;
}

static bool vcard_more(struct file_look *f)
{
	const unsigned char *at = memmem(f->at, f->n < 256 ? f->n : 256, "VERSION:", 8);

	f->apple = "????vCrd";
	if (at)
		file_add_text(f, (uint64_t)(at - f->at) + 8, 3, ", version ", "");
	return true;
}

static bool xpm_more(struct file_look *f)
{
	return memmem(f->at, f->n, "[]", 2);
}

static bool ole_more(struct file_look *f)
{
	if (f->o->skip & FILE_CDF) {
		str_reset(&f->text);
		str_addf(&f->text, "OLE 2 Compound Document, v%u.%u, SecID %#x, Mini FAT start sector "
			 "%#x, %u Mini FAT sector%s, DIFAT start sector %#x", file_le16(f, 26),
			 file_le16(f, 24), file_le32(f, 48), file_le32(f, 60), file_le32(f, 64),
			 plural(file_le32(f, 64)), file_le32(f, 68));
		return true;
	}
	return true;
}

const struct file_kind file_documents[] = {
	ROW(0, "", "PDF document", "application/pdf", "pdf", pdf_more),
	{ 0, 4, "%!PS", "PostScript document text", "application/postscript", NULL, "ASPSTEXT",
	  postscript_more },
	{ 0, 5, "{\\rtf", "Rich Text Format data", "text/rtf", "rtf", "????RTF ", rtf_more },
	ROW(0, "BEGIN:VCARD", "vCard visiting card", "text/vcard", "vcf/vcard", vcard_more),
	ROW(0, "BEGIN:VCALENDAR", "vCalendar calendar file", "text/calendar", NULL, NULL),
	ROW(0, "d8:announce", "BitTorrent file", "application/x-bittorrent", "torrent", NULL),
	ROW(0, "/* XPM */", "X pixmap image text", "image/x-xpixmap", "xpm", xpm_more),
	ROW(0, "Windows Registry Editor Version 5.00\r\n\r\n", "Windows Registry text (Win2K or above)",
	    "text/x-ms-regedit", "reg", NULL),
	ROW(0, "REGEDIT4", "Windows Registry text (Win95 or above)", "text/x-ms-regedit", "reg",
	    NULL),
	ROW(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Composite Document File V2 Document",
	    "application/x-ole-storage", NULL, ole_more),
	ROW(0, "StartFontMetrics", "ASCII font metrics", NULL, NULL, NULL),
	ROW(0, "ssh-rsa ", "OpenSSH RSA public key", NULL, NULL, NULL),
	ROW(0, "ssh-dss ", "OpenSSH DSA public key", NULL, NULL, NULL),
	ROW(0, "ssh-ed25519 ", "OpenSSH ED25519 public key", NULL, NULL, NULL),
	ROW(0, "ecdsa-sha2-nistp256 ", "OpenSSH ECDSA public key", NULL, NULL, NULL),
	ROW(0, "ecdsa-sha2-nistp384 ", "OpenSSH ECDSA public key", NULL, NULL, NULL),
	ROW(0, "ecdsa-sha2-nistp521 ", "OpenSSH ECDSA public key", NULL, NULL, NULL),
	ROW(0, "-----BEGIN CERTIFICATE-----", "PEM certificate", NULL, NULL, NULL),
	ROW(0, "-----BEGIN CERTIFICATE REQ", "PEM certificate request", NULL, NULL, NULL),
	ROW(0, "-----BEGIN RSA PRIVATE", "PEM RSA private key", NULL, NULL, NULL),
	ROW(0, "-----BEGIN DSA PRIVATE", "PEM DSA private key", NULL, NULL, NULL),
	ROW(0, "-----BEGIN EC PRIVATE", "PEM EC private key", NULL, NULL, NULL),
	ROW(0, "-----BEGIN OPENSSH PRIVATE KEY-----", "OpenSSH private key", NULL, NULL, NULL),
	ROW(0, "-----BEGIN PGP PUBLIC KEY BLOCK-", "PGP public key block", "application/pgp-keys",
	    "asc", NULL),
	ROW(0, "-----BEGIN PGP PRIVATE KEY BLOCK-", "PGP private key block", "application/pgp-keys",
	    "asc", NULL),
	ROW(0, "-----BEGIN PGP MESSAGE-", "PGP message", "application/pgp-encrypted", "asc", NULL),
	ROW(0, "-----BEGIN PGP SIGNATURE-", "PGP signature", "application/pgp-signature", "asc",
	    NULL),
	ROW(0, "-----BEGIN PGP SIGNED MESSAGE-", "PGP signed message", "text/PGP", "asc", NULL),
	ROW(0, "# v2 git bundle\n", "Git bundle", NULL, NULL, NULL),
	ROW(0, "# v3 git bundle\n", "Git bundle", NULL, NULL, NULL),
	{ 0 }
};

/* ---- Databases ---- */

static bool sqlite_more(struct file_look *f)
{
	static const char *const codes[] = { NULL, ", UTF-8", ", UTF-16 little endian",
					     ", UTF-16 big endian" };
	uint32_t v = file_be32(f, 96), page = file_be16(f, 16);

	if (f->n < 100)
		return true;
	f->mime = "application/vnd.sqlite3";
	f->ext = "sqlite/sqlite3/db/db3/dbe/sdb/help";
	if (file_be32(f, 68))
		str_addf(&f->text, ", application id %u", file_be32(f, 68));
	if (file_be32(f, 60))
		str_addf(&f->text, ", user version %u", file_be32(f, 60));
	str_addf(&f->text, ", last written using SQLite version %u", v);
	if (page != 4096)
		str_addf(&f->text, ", page size %u", page == 1 ? 65536 : page);
	if (file_u8(f, 18) != 1)
		str_addf(&f->text, ", writer version %u", file_u8(f, 18));
	if (file_u8(f, 19) != 1)
		str_addf(&f->text, ", read version %u", file_u8(f, 19));
	if (file_u8(f, 20))
		str_addf(&f->text, ", unused bytes %u", file_u8(f, 20));
	str_addf(&f->text, ", file counter %u, database pages %u", file_be32(f, 24),
		 file_be32(f, 28));
	if (file_be32(f, 36))
		str_addf(&f->text, ", 1st free page %u, free pages %u", file_be32(f, 32),
			 file_be32(f, 36));
	str_addf(&f->text, ", cookie %#x, schema %u", file_be32(f, 40), file_be32(f, 44));
	if (file_be32(f, 48))
		str_addf(&f->text, ", cache page size %u", file_be32(f, 48));
	if (file_be32(f, 52))
		str_addf(&f->text, ", largest root page %u", file_be32(f, 52));
	if (file_be32(f, 56) < 4 && file_be32(f, 56))
		str_adds(&f->text, codes[file_be32(f, 56)]);
	if (file_be32(f, 64))
		str_adds(&f->text, ", vacuum mode 1");
	str_addf(&f->text, ", version-valid-for %u", file_be32(f, 92));
	return true;
}

static bool sqlite_wal_more(struct file_look *f)
{
	f->ext = "sqlite-wal/db-wal";
	str_addf(&f->text, " %u", file_be32(f, 4));
	return true;
}

static bool berkeley_more(struct file_look *f)
{
	static const struct { uint32_t magic; const char *name; } kinds[] = {
		{ 0x061561, "Hash" }, { 0x053162, "Btree" }, { 0x042253, "Queue" },
		{ 0x040988, "Log" }
	};

	for (size_t i = 0; i < 4; i++)
		if (file_le32(f, 12) == kinds[i].magic) {
			str_addf(&f->text, "Berkeley DB (%s, version %u, native byte-order)",
				 kinds[i].name, file_le32(f, 16));
			return true;
		}
	return false;
}

/* ---- git, captures ---- */

static bool git_pack_more(struct file_look *f)
{
	str_addf(&f->text, ", version %u, %u objects", file_be32(f, 4), file_be32(f, 8));
	return true;
}

static bool git_index_more(struct file_look *f)
{
	str_addf(&f->text, ", version %u, %u entries", file_be32(f, 4), file_be32(f, 8));
	return true;
}

static bool git_idx_more(struct file_look *f)
{
	str_addf(&f->text, ", version %u", file_be32(f, 4));
	return true;
}

static bool pcap_more(struct file_look *f)
{
	static const struct { unsigned id; const char *name; } links[] = {
		{ 0, "No link-layer encapsulation" }, { 1, "Ethernet" }, { 6, "Token Ring" },
		{ 8, "SLIP" }, { 9, "PPP" }, { 10, "FDDI" }, { 101, "Raw IP" },
		{ 105, "802.11" }, { 108, "OpenBSD loopback" }, { 113, "Linux cooked v1" },
		{ 127, "802.11 with radiotap header" }, { 147, "Private use 0" },
		{ 228, "IPv4" }, { 229, "IPv6" }, { 276, "Linux cooked v2" }
	};
	bool big = file_u8(f, 0) == 0xa1, nano = file_u8(f, big ? 2 : 1) == 0x3c;
	uint32_t link = file_any32(f, 20, big) & 0xfffffff;

	if (file_u8(f, big ? 3 : 0) == 0x4d && !nano && file_u8(f, big ? 2 : 1) != 0x3c)
		return false;
	str_addf(&f->text, ", %s ts (%s-endian) - version %u.%u (", nano ? "nanosecond" : big ?
		 "microseconds" : "microsecond", big ? "big" : "little", file_any16(f, 4, big),
		 file_any16(f, 6, big));
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (links[i].id == link)
			str_addf(&f->text, "%s", links[i].name);
	str_addf(&f->text, ", capture length %u)", file_any32(f, 16, big));
	return true;
}

static bool pcapng_more(struct file_look *f)
{
	bool big = file_be32(f, 8) == 0x1a2b3c4d;

	if (!big && file_le32(f, 8) != 0x1a2b3c4d)
		return false;
	str_addf(&f->text, " - version %u.%u", file_any16(f, 12, big), file_any16(f, 14, big));
	return true;
}

/* ---- Fonts ---- */

static const char *font_flavor(const struct file_look *f)
{
	return FILE_HAS(f, 4, "OTTO") ? "CFF" : "TrueType";
}

static bool woff_more(struct file_look *f)
{
	bool two = file_u8(f, 3) == '2';

	str_addf(&f->text, ", %s, length %u, version %u.%u", font_flavor(f), file_be32(f, 8),
		 file_be16(f, two ? 24 : 20), file_be16(f, two ? 26 : 22));
	return true;
}

static bool ttf_more(struct file_look *f)
{
	unsigned n = file_be16(f, 4);
	static const char *const platforms[] = { "Unicode", "Macintosh", "ISO", "Microsoft" };

	if (!n || n > 46 || f->n < 28)
		return false;
	f->apple = "????tfil";
	str_addf(&f->text, ", %u tables", n);
	file_add_text(f, 12, 4, ", 1st \"", "\"");
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = file_be32(f, 12 + 16 * (uint64_t)i + 8);
		unsigned p = file_be16(f, at + 6);

		if (!FILE_HAS(f, 12 + 16 * (uint64_t)i, "name") || at + 6 >= f->n)
			continue;
		str_addf(&f->text, ", %u names", file_be16(f, at + 2));
		if (p < 4)
			str_addf(&f->text, ", %s", platforms[p]);
		break;
	}
	return true;
}

static bool ttc_more(struct file_look *f)
{
	f->apple = "????tfil";
	str_addf(&f->text, ", %u.%u, %u fonts, at 0x%x", file_be16(f, 4), file_be16(f, 6),
		 file_be32(f, 8), file_be32(f, 12));
	return true;
}

/* ---- Catalogs, zones, terminals ---- */

static bool mo_more(struct file_look *f)
{
	bool big = file_u8(f, 0) == 0x95;
	uint32_t n = file_any32(f, 8, big), rev = file_any32(f, 4, big), at, len;

	str_addf(&f->text, ", revision %u.%u, %u message%s", rev >> 16, rev & 0xffff, n, plural(n));
	if ((rev & 0xffff) > 0 && file_any32(f, 36, big))
		str_addf(&f->text, ", %u sysdep message%s", file_any32(f, 36, big),
			 plural(file_any32(f, 36, big)));
	at = file_any32(f, 16, big);
	if (at >= f->n)
		str_addf(&f->text, ", at 0x%x string table", at);
	len = file_any32(f, at, big);
	if (len && at < f->n) {
		uint32_t s = file_any32(f, (uint64_t)at + 4, big);
		const unsigned char *nl = s < f->n ? memchr(f->at + s, '\n', f->n - s) : NULL;

		if (nl)
			file_add_text(f, s, (size_t)(nl - f->at) - s, ", ", "");
	}
	if (n > 1 && at < f->n) {	/* the first line of the second message */
		uint32_t o = file_any32(f, (uint64_t)at + 12, big);
		const unsigned char *nl;
		size_t max;

		o += o && file_u8(f, o) == '\n';
		nl = o < f->n ? memchr(f->at + o, '\n', f->n - o) : NULL;
		max = nl ? (size_t)(nl - f->at) - o : 128;

		if (o && o < f->n && f->at[o] && max)
			file_add_text(f, o, max < 128 ? max : 128, " '", "'");
	}
	return true;
}

static void tz_count(struct file_look *f, uint64_t at, const char *what)
{
	uint32_t n = file_be32(f, at);

	if (n)
		str_addf(&f->text, ", %u %s%s", n, what, plural(n));
	else
		str_addf(&f->text, ", no %ss", what);
}

static bool tz_more(struct file_look *f)
{
	unsigned v = file_u8(f, 4);

	str_adds(&f->text, file_be32(f, 32) || file_be32(f, 36) || v == 0 ? " (fat)" : " (slim)");
	if (!v)
		str_adds(&f->text, ", old version");
	else
		str_addf(&f->text, ", version %c", (int)v);
	tz_count(f, 20, "gmt time flag");
	tz_count(f, 24, "std time flag");
	tz_count(f, 28, "leap second");
	tz_count(f, 32, "transition time");
	tz_count(f, 36, "local time type");
	tz_count(f, 40, "abbreviation char");
	return true;
}

static bool terminfo_more(struct file_look *f)
{
	unsigned n = file_le16(f, 2);
	const unsigned char *bar;

	if (!n || n > 1024 || f->n < 13 || file_le16(f, 4) > 200 || file_u8(f, 12) < '!' ||
	    file_u8(f, 12) > '~')
		return false;
	n = n < f->n - 12 ? n : (unsigned)(f->n - 12);
	bar = memchr(f->at + 12, '|', n);
	file_add_text(f, 12, bar ? (size_t)(bar - f->at - 12) : n, " \"", "\"");
	f->mime = file_u8(f, 0) == 0x1e ? "application/x-terminfo2" : "application/x-terminfo";
	return true;
}

/* ---- Disks ---- */

static void add_uuid(struct file_look *f, uint64_t at)
{
	str_adds(&f->text, ", UUID=");
	for (unsigned i = 0; i < 16; i++)
		str_addf(&f->text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			 file_u8(f, at + i));
}

static bool ext_more(struct file_look *f)
{
	uint32_t compat = file_le32(f, 0x45c), incompat = file_le32(f, 0x460);
	bool journal = compat & 4, four = incompat & 0x2c0;

	if (file_le32(f, 0x460) & 8)
		return false;
	str_addf(&f->text, "Linux rev %u.%u %s filesystem data", file_le32(f, 0x44c),
		 file_le16(f, 0x43e), four ? "ext4" : journal ? "ext3" : "ext2");
	if (!(file_le16(f, 0x43a) & 1) && !journal)
		str_adds(&f->text, " (mounted or unclean)");
	if (file_le16(f, 0x43a) & 2)
		str_adds(&f->text, " (errors)");
	add_uuid(f, 0x468);
	if (file_u8(f, 0x478))
		file_add_text(f, 0x478, 16, ", volume name \"", "\"");
	if (journal && incompat & 4)
		str_adds(&f->text, " (needs journal recovery)");
	if (incompat & 0x40)
		str_adds(&f->text, " (extents)");
	if (incompat & 0x80)
		str_adds(&f->text, " (64bit)");
	if (file_le32(f, 0x464) & 2)
		str_adds(&f->text, " (large files)");
	if (file_le32(f, 0x464) & 8)
		str_adds(&f->text, " (huge files)");
	return true;
}

static bool swap_more(struct file_look *f)
{
	str_addf(&f->text, ", 4k page size, little endian, version %u, size %u pages, %u bad pages",
		 file_le32(f, 1024), file_le32(f, 1028), file_le32(f, 1032));
	if (file_u8(f, 1052))
		file_add_text(f, 1052, 16, ", LABEL=", "");
	else
		str_adds(&f->text, ", no label");
	add_uuid(f, 1036);
	return true;
}

static bool qcow_more(struct file_look *f)
{
	uint32_t v = file_be32(f, 4);
	uint64_t backing = file_be64(f, 8);

	str_addf(&f->text, " (v%u)", v);
	if (backing)
		file_add_text(f, backing, file_be32(f, 16) < 128 ? file_be32(f, 16) : 128,
			      ", has backing file (path ", ")");
	str_addf(&f->text, ", %llu bytes", (unsigned long long)file_be64(f, 24));
	str_addf(&f->text, " (v%u), %llu bytes", v, (unsigned long long)file_be64(f, 24));
	return true;
}

static bool dtb_more(struct file_look *f)
{
	str_addf(&f->text, " version %u, size=%u", file_be32(f, 20), file_be32(f, 4));
	if (file_be32(f, 20) > 1)
		str_addf(&f->text, ", boot CPU=%u", file_be32(f, 28));
	if (file_be32(f, 20) > 2)
		str_addf(&f->text, ", string block size=%u", file_be32(f, 32));
	if (file_be32(f, 20) > 16)
		str_addf(&f->text, ", DT structure block size=%u", file_be32(f, 36));
	return true;
}

static bool pgp_more(struct file_look *f)
{
	static const char *const algorithms[] = { NULL, "RSA (Encrypt or Sign, %u bits)",
		"RSA Encrypt-Only, %u bits", "RSA Sign-Only, %u bits" };
	unsigned a = file_u8(f, 8);

	if (file_u8(f, 3) < 3 || file_u8(f, 3) > 4 || !a || a > 17)
		return false;
	str_addf(&f->text, " %u", file_u8(f, 3));
	file_add_time(f, ", Created ", file_be32(f, 4));
	if (a < 4) {
		str_adds(&f->text, a == 1 ? ", RSA (Encrypt or Sign" : algorithms[a]);
		str_addf(&f->text, ", %u bits)", file_be16(f, 9));
	}
	return true;
}

static bool numpy_more(struct file_look *f)
{
	str_addf(&f->text, "%u.%u, header length %u", file_u8(f, 6), file_u8(f, 7),
		 file_le16(f, 8));
	return true;
}

static bool pgdump_more(struct file_look *f)
{
	str_addf(&f->text, " - v%u.%u-%u", file_u8(f, 5), file_u8(f, 6), file_u8(f, 7));
	return true;
}

static bool crx_more(struct file_look *f)
{
	str_addf(&f->text, " %u", file_le32(f, 4));
	return true;
}

static bool avro_more(struct file_look *f)
{
	str_addf(&f->text, " %u", file_u8(f, 3));
	return true;
}

static bool mbr_more(struct file_look *f)
{
	return !FILE_HAS(f, 514, "HdrS");
}

const struct file_kind file_data[] = {
	ROW(0, "SQLite format 3\0", "SQLite 3.x database", NULL, NULL, sqlite_more),
	ROW(0, "\xd9\xd5\5\xf9\x20\xa1\x63\xd7", "SQLite Rollback Journal", NULL, NULL, NULL),
	ROW(0, "\x37\x7f\6\x82", "SQLite Write-Ahead Log, version", NULL, NULL, sqlite_wal_more),
	ROW(0, "\x37\x7f\6\x83", "SQLite Write-Ahead Log, version", NULL, NULL, sqlite_wal_more),
	ROW(0, "PACK\0\0\0", "Git pack", "application/x-git", "pack", git_pack_more),
	ROW(0, "DIRC\0\0\0", "Git index", NULL, NULL, git_index_more),
	ROW(0, "\xfftOc", "Git pack index", NULL, NULL, git_idx_more),
	ROW(0, "\xd4\xc3\xb2\xa1", "pcap capture file", "application/vnd.tcpdump.pcap", NULL,
	    pcap_more),
	ROW(0, "\xa1\xb2\xc3\xd4", "pcap capture file", "application/vnd.tcpdump.pcap", NULL,
	    pcap_more),
	ROW(0, "\x4d\x3c\xb2\xa1", "pcap capture file", "application/vnd.tcpdump.pcap", NULL,
	    pcap_more),
	ROW(0, "\xa1\xb2\x3c\x4d", "pcap capture file", "application/vnd.tcpdump.pcap", NULL,
	    pcap_more),
	ROW(0, "\x0a\x0d\x0d\x0a", "pcapng capture file", NULL, NULL, pcapng_more),
	ROW(0, "wOFF", "Web Open Font Format", "font/woff", NULL, woff_more),
	ROW(0, "wOF2", "Web Open Font Format (Version 2)", "font/woff2", "woff2", woff_more),
	ROW(0, "\0\1\0\0\0", "TrueType Font data", "font/sfnt", "ttf/tte", ttf_more),
	ROW(0, "OTTO", "OpenType font data", "application/vnd.ms-opentype", NULL, NULL),
	ROW(0, "ttcf", "TrueType font collection data", "font/ttf", "ttc", ttc_more),
	ROW(0, "\xde\x12\4\x95", "GNU message catalog (little endian)",
	    "application/x-gettext-translation", "gmo/mo", mo_more),
	ROW(0, "\x95\4\x12\xde", "GNU message catalog (big endian)",
	    "application/x-gettext-translation", "gmo/mo", mo_more),
	ROW(0, "TZif", "timezone data", NULL, NULL, tz_more),
	ROW(0, "\x1a\1", "Compiled terminfo entry", NULL, NULL, terminfo_more),
	ROW(0, "\x1e\2", "Compiled 32-bit terminfo entry", NULL, NULL, terminfo_more),
	ROW(0x438, "\x53\xef", "", NULL, NULL, ext_more),
	ROW(4086, "SWAPSPACE2", "Linux swap file", NULL, NULL, swap_more),
	ROW(0, "QFI\xfb", "QEMU QCOW Image", "application/x-qemu-disk", NULL, qcow_more),
	ROW(0, "KDMV", "VMware4 disk image", NULL, NULL, NULL),
	ROW(0, "\xd0\x0d\xfe\xed", "Device Tree Blob", NULL, NULL, dtb_more),
	ROW(0, "\x99", "OpenPGP Public Key Version", NULL, NULL, pgp_more),
	ROW(0, "\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5", "Keepass password database 2.x KDBX", NULL, NULL,
	    NULL),
	ROW(0, "bplist", "Apple binary property list", NULL, NULL, NULL),
	ROW(0, "\x93NUMPY", "NumPy array, version ", NULL, NULL, numpy_more),
	ROW(0, "\x89HDF\r\n\x1a\n", "Hierarchical Data Format (version 5) data",
	    "application/x-hdf5", "h5/hdf5/hdf/he5", NULL),
	ROW(0, "PAR1", "Apache Parquet", NULL, NULL, NULL),
	ROW(0, "Obj\1", "Apache Avro version", NULL, NULL, avro_more),
	ROW(0, "PGDMP", "PostgreSQL custom database dump", NULL, NULL, pgdump_more),
	ROW(0, "\xfe\xed\xfe\xed", "Java KeyStore", "application/x-java-keystore", NULL, NULL),
	ROW(0, "Cr24", "Google Chrome extension, version", "application/x-chrome-extension", NULL,
	    crx_more),
	ROW(0, "\xce\x9a\x57\x13", "GNU dbm 1.x or ndbm database, little endian, old",
	    "application/x-gdbm", NULL, NULL),
	ROW(0, "", "", NULL, NULL, berkeley_more),
	ROW(510, "\x55\xaa", "DOS/MBR boot sector", NULL, NULL, mbr_more),
	{ 0 }
};
