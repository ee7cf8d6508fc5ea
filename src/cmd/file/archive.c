/*
 * Archives and compressed files.
 */
#include "cmd/file/file.h"

#include <sys/stat.h>

#define ROW FILE_KIND

/* ---- gzip and its like ---- */

static const char *const gzip_systems[] = {
	"FAT filesystem (MS-DOS, OS/2, NT)", "Amiga", "VMS", "Unix", "VM/CMS", "Atari TOS",
	"HPFS filesystem (OS/2, NT)", "MacOS", "Z-System", "CP/M", "TOPS/20",
	"NTFS filesystem (NT)", "QDOS", "Acorn RISCOS"
};

static bool gzip_more(struct file_look *f)
{
	unsigned flags = file_u8(f, 3), extra = file_u8(f, 8), system = file_u8(f, 9);
	uint64_t name = 10 + (flags & 4 ? 2 + (uint64_t)file_le16(f, 10) : 0);
	bool has_name = flags & 8 && !(flags & 4), named = flags & 24;

	if (file_u8(f, 2) < 8)
		str_adds(&f->text, ", reserved method");
	f->ext = f->n < 18 || (f->depth == 2 && !named) ? NULL : named ? "gz/tgz/tpz/zabw/svgz/adz/kmy/xcfgz" :
		 "gz/tgz/tpz/ipk/vbox-extpack/svgz/blend/dia/gnucash/rdata/xoj";
	if (flags & 1)
		str_adds(&f->text, ", ASCII");
	if (flags & 2)
		str_adds(&f->text, ", has CRC");
	if (flags & 4)
		str_adds(&f->text, ", extra field");
	if (has_name)
		file_add_text(f, name, 64, ", was \"", "\"");
	if (flags & 16)
		str_adds(&f->text, ", has comment");
	if (file_le32(f, 4))
		file_add_time(f, ", last modified: ", file_le32(f, 4));
	if (extra == 2 || extra == 4)
		str_adds(&f->text, extra == 2 ? ", max compression" : ", max speed");
	if (f->n > 9 && system < sizeof(gzip_systems) / sizeof(*gzip_systems))
		str_addf(&f->text, ", from %s", gzip_systems[system]);
	if (f->n > 9 && f->depth != 2 && S_ISREG(f->file_mode))	/* a pipe has no end to look at */
		str_addf(&f->text, ", original size modulo 2^32 %u", file_le32(f, f->n - 4));
	return true;
}

static bool bzip2_more(struct file_look *f)
{
	unsigned c = file_u8(f, 3);

	if (c >= '1' && c <= '9')
		str_addf(&f->text, ", block size = %c00k", (int)c);
	return true;
}

static bool xz_more(struct file_look *f)
{
	unsigned check = file_u8(f, 7);

	str_addf(&f->text, ", checksum %s", check == 0 ? "NONE" : check == 1 ? "CRC32" :
		 check == 4 ? "CRC64" : check == 10 ? "SHA-256" : "type unknown");
	return true;
}

static bool lzma_more(struct file_look *f)
{
	uint64_t size = file_le64(f, 5);

	if (file_le16(f, 1) || f->n < 14 || (size != UINT64_MAX && size >> 40) || file_u8(f, 13))
		return false;
	if (size == UINT64_MAX)
		str_adds(&f->text, ", streamed");
	else
		str_addf(&f->text, ", non-streamed, size %llu", (unsigned long long)size);
	return true;
}

static bool zstd_more(struct file_look *f)
{
	unsigned d = file_u8(f, 4), at = d & 0x20 ? 5 : 6;
	static const unsigned sizes[] = { 0, 1, 2, 4 };
	uint32_t id = 0;

	str_adds(&f->text, ", Dictionary ID: ");
	if (!(d & 3)) {
		str_adds(&f->text, "None");
		return true;
	}
	for (unsigned i = 0; i < sizes[d & 3]; i++)
		id |= (uint32_t)file_u8(f, at + i) << 8 * i;
	str_addf(&f->text, "%u", id);
	return true;
}

static bool zstd_dictionary_more(struct file_look *f)
{
	str_addf(&f->text, "%u)", file_le32(f, 4));
	return true;
}

static bool compress_more(struct file_look *f)
{
	str_addf(&f->text, " %u bits", file_u8(f, 2) & 31);
	return true;
}

static bool zlib_more(struct file_look *f)
{
	return file_be16(f, 0) % 31 == 0 && !(file_u8(f, 1) & 0x20);
}

static bool lzip_more(struct file_look *f)
{
	str_addf(&f->text, " %u", file_u8(f, 4));
	return true;
}

static bool lzop_more(struct file_look *f)
{
	static const char *const methods[] = { "", " LZO1X-1,", " LZO1X-1(15),", " LZO1X-999," };
	static const char *const systems[] = { "MS-DOS", "Amiga", "VMS", "Unix" };
	unsigned v = file_be16(f, 9), os = file_u8(f, v < 0x940 ? 15 : 17);

	str_addf(&f->text, "version %u.%02x%u,%s", v >> 12, v >> 4 & 0xff, v & 15,
		 methods[file_u8(f, 15) < 4 ? file_u8(f, 15) : 0]);
	os = file_u8(f, 18) >> 0;
	os = file_be32(f, 17) >> 24;
	str_addf(&f->text, " os: %s", os < 4 ? systems[os] : "Unix");
	return true;
}

/* ---- tar ---- */

static bool tar_number(const struct file_look *f, size_t at, size_t n, uint32_t *out)
{
	uint32_t v = 0;
	size_t i = 0;

	while (i < n && (file_u8(f, at + i) == ' ' || !file_u8(f, at + i)))
		i++;
	if (i == n)
		return false;
	for (; i < n && file_u8(f, at + i) >= '0' && file_u8(f, at + i) <= '7'; i++)
		v = v << 3 | (file_u8(f, at + i) - '0');
	*out = v;
	return true;
}

bool file_tar(struct file_look *f)
{
	uint32_t want, sum = 0;

	if (f->n < 512 || !tar_number(f, 148, 8, &want))
		return false;
	for (size_t i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : f->at[i];
	if (sum != want)
		return false;
	f->mime = "application/x-tar";
	if (FILE_HAS(f, 257, "ustar  ")) {
		str_adds(&f->text, "POSIX tar archive (GNU)");
		f->ext = "tar/gtar";
	} else if (FILE_HAS(f, 257, "ustar\0")) {
		str_adds(&f->text, "POSIX tar archive");
		f->ext = "tar/ustar";
	} else {
		str_adds(&f->text, "tar archive");
		f->ext = "tar";
	}
	return true;
}

/* A tar whose checksum is not asked (-e tar). */
static bool ustar_more(struct file_look *f)
{
	bool gnu = FILE_HAS(f, 257, "ustar  ");

	if (!gnu && !FILE_HAS(f, 257, "ustar\0"))
		return false;
	f->mime = gnu ? "application/x-gtar" : "application/x-ustar";
	if (gnu)
		str_adds(&f->text, " (GNU)");
	file_add_text(f, 0, 100, ", file ", "");
	file_add_text(f, 100, 8, ", mode ", "");
	file_add_text(f, 108, 8, ", uid ", "");
	file_add_text(f, 116, 8, ", gid ", "");
	file_add_text(f, 124, 12, ", size ", "");
	file_add_text(f, 136, 12, ", seconds ", "");
	if (file_u8(f, 265))
		file_add_text(f, 265, 32, ", user ", "");
	if (file_u8(f, 297))
		file_add_text(f, 297, 32, ", group ", "");
	return true;
}

/* ---- ar, deb, rpm, cpio ---- */

static const char *const deb_packs[] = { "gz", "bz2", "lzma", "xz", "zst" };
static const char *const deb_methods[] = { "gz", "bzip2", "lzma", "xz", "zst" };

/* The member of that name: how it is packed, -1: there is none of it. */
static int deb_member(const struct file_look *f, const char *name, size_t *at)
{
	for (; *at + 60 <= f->n; *at += 60) {
		char size[11] = "";
		size_t n = strlen(name);

		memcpy(size, f->at + *at + 48, 10);
		if (file_has(f, *at, name, n))
			for (int i = 0; i < 5; i++)
				if (file_has(f, *at + n, deb_packs[i], strlen(deb_packs[i])))
					return i;
		for (size_t i = 0, v = 0; i < 10 && size[i] >= '0' && size[i] <= '9'; i++) {
			v = v * 10 + (size_t)(size[i] - '0');
			if (size[i + 1] < '0' || size[i + 1] > '9')
				*at += v + (v & 1);
		}
	}
	return -1;
}

static bool deb_more(struct file_look *f)
{
	size_t at = 8;
	int pack;

	file_add_text(f, 68, 3, "(format ", ")");
	pack = deb_member(f, "control.tar.", &at);
	if (pack >= 0)
		str_addf(&f->text, ", with control.tar.%s", deb_packs[pack]);
	at = 8;
	pack = deb_member(f, "data.tar.", &at);
	if (pack >= 0)
		str_addf(&f->text, ", data compression %s", deb_methods[pack]);
	return true;
}

static bool ar_more(struct file_look *f)
{
	if (FILE_HAS(f, 8, "__.SYMDEF"))
		str_adds(&f->text, " random library");
	return true;
}

static bool thin_more(struct file_look *f)
{
	uint32_t n = file_be32(f, 68);

	if (FILE_HAS(f, 8, "/               ") && f->n > 72)
		str_addf(&f->text, " %u symbol entr%s", n, n == 1 ? "y" : "ies");
	return true;
}

static bool rpm_more(struct file_look *f)
{
	static const struct { unsigned id; const char *name; } arches[] = {
		{ 1, "i386/x86_64" }, { 2, "Alpha/Sparc64" }, { 3, "Sparc" }, { 4, "MIPS" },
		{ 5, "PowerPC" }, { 6, "68000" }, { 7, "SGI" }, { 8, "RS6000" }, { 9, "IA64" },
		{ 10, "Sparc64" }, { 11, "MIPSel" }, { 12, "ARM" }, { 13, "MiNT" },
		{ 14, "S/390" }, { 15, "S/390x" }, { 16, "PowerPC64" }, { 17, "SuperH" },
		{ 18, "Xtensa" }, { 19, "AArch64" }
	};
	unsigned arch = file_be16(f, 8);

	str_addf(&f->text, " v%u.%u", file_u8(f, 4), file_u8(f, 5));
	if (file_be16(f, 6) == 1) {
		str_adds(&f->text, " src");
		return true;
	}
	str_adds(&f->text, " bin");
	for (size_t i = 0; i < sizeof(arches) / sizeof(*arches); i++)
		if (arches[i].id == arch)
			str_addf(&f->text, " %s", arches[i].name);
	return true;
}

static bool sevenzip_more(struct file_look *f)
{
	str_addf(&f->text, ", version %u.%u", file_u8(f, 6), file_u8(f, 7));
	return true;
}

static bool iso_more(struct file_look *f)
{
	uint64_t n = 32;

	while (n && (file_u8(f, 0x8028 + n - 1) == ' ' || !file_u8(f, 0x8028 + n - 1)))
		n--;
	file_add_text(f, 0x8028, n, " '", "'");
	if (FILE_HAS(f, 0x8800, "\0CD001\1EL TORITO SPECIFICATION"))
		str_adds(&f->text, " (bootable)");
	return true;
}

static bool xar_more(struct file_look *f)
{
	uint32_t sum = file_be32(f, 24);

	str_addf(&f->text, " compressed TOC: %llu, %s checksum",
		 (unsigned long long)file_be64(f, 8), sum == 1 ? "SHA-1" : sum == 2 ? "MD5" : "no");
	return true;
}

static bool squash_more(struct file_look *f)
{
	static const char *const methods[] = { "", ", zlib compressed", ", lzma compressed",
					       ", lzo compressed", ", xz compressed",
					       ", lz4 compressed", ", zstd compressed" };
	unsigned major = file_le16(f, 28), method = file_le16(f, 20);

	if (major < 4)
		return true;
	str_addf(&f->text, " little endian, version %u.%u%s, %llu bytes, %u inodes, blocksize: %u "
		 "bytes", major, file_le16(f, 30), methods[method < 7 ? method : 0],
		 (unsigned long long)file_le64(f, 40), file_le32(f, 4), file_le32(f, 12));
	file_add_time(f, ", created: ", file_le32(f, 8));
	return true;
}

const struct file_kind file_archives[] = {
	{ 0, 2, "\x1f\x8b", "gzip compressed data", "application/gzip", NULL, NULL, gzip_more },
	ROW(0, "BZh", "bzip2 compressed data", "application/x-bzip2", "bz2", bzip2_more),
	ROW(0, "\xfd" "7zXZ\0", "XZ compressed data", "application/x-xz", "xz", xz_more),
	ROW(0, "\x5d\0\0", "LZMA compressed data", "application/x-lzma", "lzma", lzma_more),
	ROW(0, "\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+)", "application/zstd", "zst",
	    zstd_more),
	ROW(0, "\x37\xa4\x30\xec", "Zstandard dictionary (ID ", "application/x-std-dictionary", NULL,
	    zstd_dictionary_more),
	{ 0, 2, "\x1f\x9d", "compress'd data", "application/x-compress", "Z", "LZIVZIVU",
	  compress_more },
	ROW(0, "\x1f\x1e", "packed data", "application/octet-stream", "z", NULL),
	ROW(0, "\x04\x22\x4d\x18", "LZ4 compressed data (v1.4+)", "application/x-lz4", "lz4", NULL),
	ROW(0, "\x02\x21\x4c\x18", "LZ4 compressed data (v0.1-v0.9)", "application/x-lz4", NULL, NULL),
	ROW(0, "LZIP", "lzip compressed data, version:", "application/x-lzip", "lz", lzip_more),
	ROW(0, "\x89LZO\0\r\n\x1a\n", "lzop compressed data - ", NULL, "lzo", lzop_more),
	ROW(0, "\xff\6\0\0sNaPpY", "snappy framed data", "application/x-snappy-framed", NULL, NULL),
	ROW(0, "\x78\x01", "zlib compressed data", "application/zlib", NULL, zlib_more),
	ROW(0, "\x78\x5e", "zlib compressed data", "application/zlib", NULL, zlib_more),
	ROW(0, "\x78\x9c", "zlib compressed data", "application/zlib", NULL, zlib_more),
	ROW(0, "\x78\xda", "zlib compressed data", "application/zlib", NULL, zlib_more),
	ROW(0, "PK\3\4", "", "application/zip", NULL, file_zip),
	ROW(0, "PK\5\6", "Zip archive data (empty)", "application/zip", "zip/cbz", NULL),
	ROW(0, "PK\7\x08PK\3\4", "Zip multi-volume archive data, at least PKZIP v2.50 to extract",
	    "application/zip", "zip/cbz", NULL),
	ROW(0, "PK00PK\3\4", "Zip archive data", "application/zip", "zip/cbz", NULL),
	ROW(0, "7z\xbc\xaf\x27\x1c", "7-zip archive data", "application/x-7z-compressed", "7z/cb7",
	    sevenzip_more),
	ROW(0, "Rar!\x1a\7\0", "RAR archive data", "application/x-rar", "rar/cbr", NULL),
	ROW(0, "Rar!\x1a\7\1\0", "RAR archive data, v5", "application/x-rar", "rar", NULL),
	ROW(0, "!<arch>\ndebian-binary", "Debian binary package ",
	    "application/vnd.debian.binary-package", "deb/udeb/ipk", deb_more),
	ROW(0, "!<arch>\n", "current ar archive", "application/x-archive", "a/lib/ar", ar_more),
	ROW(0, "!<thin>\n", "thin archive with", NULL, NULL, thin_more),
	ROW(0, "\xed\xab\xee\xdb", "RPM", "application/x-rpm", NULL, rpm_more),
	ROW(0, "070701", "ASCII cpio archive (SVR4 with no CRC)", "application/x-cpio", NULL, NULL),
	ROW(0, "070702", "ASCII cpio archive (SVR4 with CRC)", "application/x-cpio", NULL, NULL),
	ROW(0, "070707", "ASCII cpio archive (pre-SVR4 or odc)", "application/x-cpio", NULL, NULL),
	ROW(0, "\xc7\x71", "cpio archive", "application/x-cpio", NULL, NULL),
	ROW(0, "\x71\xc7", "byte-swapped cpio archive", "application/x-cpio", NULL, NULL),
	ROW(257, "ustar", "POSIX tar archive", NULL, NULL, ustar_more),
	ROW(0x8001, "CD001", "ISO 9660 CD-ROM filesystem data", "application/x-iso9660-image",
	    "iso/iso9660", iso_more),
	ROW(0, "xar!", "xar archive", "application/x-xar", "xar/pkg/xip", xar_more),
	ROW(0, "hsqs", "Squashfs filesystem,", NULL, NULL, squash_more),
	{ 0 }
};
