/*
 * Pictures.
 */
#include "cmd/file/file.h"

/* ---- PNG ---- */

static bool png_more(struct file_look *f)
{
	static const char *const colors[] = {
		" grayscale,", NULL, "/color RGB,", " colormap,", " gray+alpha,", NULL,
		"/color RGBA,"
	};
	unsigned color = file_u8(f, 25), lace = file_u8(f, 28);

	if (!FILE_HAS(f, 12, "IHDR"))
		return false;
	str_addf(&f->text, ", %u x %u, %u-bit", file_be32(f, 16), file_be32(f, 20), file_u8(f, 24));
	if (color < 7 && colors[color])
		str_adds(&f->text, colors[color]);
	if (f->n > 28 && lace < 2)
		str_adds(&f->text, lace ? " interlaced" : " non-interlaced");
	return true;
}

/* ---- GIF ---- */

static bool gif_more(struct file_look *f)
{
	file_add_text(f, 3, 3, ", version ", ",");
	if (f->n >= 10)
		str_addf(&f->text, " %u x %u", file_le16(f, 6), file_le16(f, 8));
	return true;
}

/* ---- TIFF, and the Exif inside of JPEG ---- */

static void tiff_text(struct file_look *f, uint64_t base, uint64_t entry, bool big,
		      const char *before)
{
	uint64_t count = file_any32(f, entry + 4, big);
	uint64_t at = count > 4 ? base + file_any32(f, entry + 8, big) : entry + 8;

	file_add_text(f, at, count < 128 ? (size_t)count : 128, before, "");
}

static void tiff_named(struct file_look *f, const char *name, unsigned v,
		       const char *const *words, unsigned first, unsigned n)
{
	str_addf(&f->text, ", %s=", name);
	if (v >= first && v - first < n && words[v - first])
		str_adds(&f->text, words[v - first]);
}

static void tiff_compression(struct file_look *f, unsigned v)
{
	static const char *const words[] = {
		"none", "huffman", "bi-level group 3", "bi-level group 4", "LZW", "JPEG (old)",
		"JPEG", "deflate", "JBIG, ITU-T T.85", "JBIG, ITU-T T.43"
	};

	if (v == 0x7ff3 || v == 0x8005 || v == 0x80b2)
		str_adds(&f->text, v == 0x8005 ? ", compression=PackBits, Macintosh RLE" :
			 v == 0x80b2 ? ", compression=deflate" : ", compression=NeXT RLE 2-bit");
	else
		tiff_named(f, "compression", v, words, 1, 10);
}

static const char *const photometric[] = {
	"WhiteIsZero", "BlackIsZero", "RGB", "RGB Palette", "Transparency Mask", "CMYK", "YCbCr",
	NULL, "CIELab"
};
static const char *const orientations[] = {
	"upper-left", "upper-right", "lower-right", "lower-left", "left-top", "right-top",
	"right-bottom", "left-bottom"
};

/* One entry; `width`, which is said last, comes back. false: the list ends here. */
static bool tiff_entry(struct file_look *f, uint64_t base, uint64_t at, bool big, long *width)
{
	unsigned tag = file_any16(f, at, big), type = file_any16(f, at + 2, big);
	uint32_t v = type == 3 ? file_any16(f, at + 8, big) : file_any32(f, at + 8, big);
	uint64_t far = base + file_any32(f, at + 8, big);
	static const struct { unsigned tag; const char *before; } texts[] = {
		{ 0x10d, ", name=" }, { 0x10e, ", description=" }, { 0x10f, ", manufacturer=" },
		{ 0x110, ", model=" }, { 0x131, ", software=" }, { 0x132, ", datetime=" },
		{ 0x13c, ", hostcomputer=" }
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].tag == tag) {
			tiff_text(f, base, at, big, texts[i].before);
			return true;
		}
	switch (tag) {
	case 0xfe: return true;
	case 0x100: *width = (long)v; return true;
	case 0x101: str_addf(&f->text, ", height=%u", v); return true;
	case 0x102:
		if (file_any32(f, at + 4, big) > 1 && type == 3)
			v = file_any32(f, at + 4, big) > 2 ? file_any32(f, at + 8, big) : v;
		str_addf(&f->text, ", bps=%u", v);
		return true;
	case 0x103: tiff_compression(f, v); return true;
	case 0x106: tiff_named(f, "PhotometricInterpretation", v, photometric, 0, 9); return true;
	case 0x112: tiff_named(f, "orientation", v, orientations, 1, 8); return true;
	case 0x11a: str_addf(&f->text, ", xresolution=%u", file_any32(f, far, big)); return true;
	case 0x11b: str_addf(&f->text, ", yresolution=%u", file_any32(f, far, big)); return true;
	case 0x128: str_addf(&f->text, ", resolutionunit=%u", v); return true;
	case 0x8825: str_adds(&f->text, ", GPS-Data"); return true;
	default: return false;
	}
}

static void tiff_at(struct file_look *f, uint64_t base)
{
	bool big = file_u8(f, base) == 'M';
	uint64_t dir = base + file_any32(f, base + 4, big);
	unsigned n = file_any16(f, dir, big);
	long width = -1;

	str_addf(&f->text, "TIFF image data, %s-endian", big ? "big" : "little");
	if (dir < f->n)
		str_addf(&f->text, ", direntries=%u", n);
	for (unsigned i = 0; i < n && dir + 2 + 12 * i < f->n; i++)
		if (!tiff_entry(f, base, dir + 2 + 12 * (uint64_t)i, big, &width))
			break;
	if (width >= 0)
		str_addf(&f->text, ", width=%ld", width);
}

static bool tiff_more(struct file_look *f)
{
	str_reset(&f->text);
	tiff_at(f, 0);
	return true;
}

/* ---- JPEG ---- */

static void jpeg_jfif(struct file_look *f)
{
	static const char *const units[] = {
		", aspect ratio", ", resolution (DPI)", ", resolution (DPCM)"
	};

	str_addf(&f->text, ", JFIF standard %u.%02u", file_u8(f, 11), file_u8(f, 12));
	if (file_u8(f, 13) < 3)
		str_adds(&f->text, units[file_u8(f, 13)]);
	str_addf(&f->text, ", density %ux%u, segment length %u", file_be16(f, 14), file_be16(f, 16),
		 file_be16(f, 4));
	if (file_u8(f, 18) || file_u8(f, 19))
		str_addf(&f->text, ", thumbnail %ux%u", file_u8(f, 18), file_u8(f, 19));
}

/* What a segment tells. false: nothing more is to be looked at. */
static bool jpeg_segment(struct file_look *f, uint64_t at)
{
	static const char *const processes[] = { "baseline", "extended sequential", "progressive" };
	unsigned marker = file_u8(f, at + 1);

	if (marker >= 0xc0 && marker <= 0xc2) {
		str_addf(&f->text, ", %s, precision %u, %ux%u, components %u",
			 processes[marker - 0xc0], file_u8(f, at + 4), file_be16(f, at + 7),
			 file_be16(f, at + 5), file_u8(f, at + 9));
		return false;
	}
	if (marker == 0xfe) {
		size_t n = file_be16(f, at + 2);

		n = n > 2 ? n - 2 : 0;
		if (at + 4 <= f->n && n <= f->n - at - 4) {
			const unsigned char *nl = memchr(f->at + at + 4, '\n', n);

			n = nl ? (size_t)(nl - f->at) - (size_t)at - 4 : n;
		}
		file_add_text(f, at + 4, n, ", comment: \"", "\"");
	} else if (marker == 0xe1 && FILE_HAS(f, at + 4, "Exif")) {
		str_addf(&f->text, ", Exif %standard: [", at == 2 ? "s" : "S");
		tiff_at(f, at + 10);
		str_addc(&f->text, ']');
	}
	return true;
}

static bool jpeg_more(struct file_look *f)
{
	unsigned first = file_u8(f, 3);
	uint64_t at = 2;

	if (f->n < 4 || first == 0xf7) {
		str_adds(&f->text, first == 0xf7 ? ", JPEG-LS" : "");
		return f->n >= 4;
	}
	if (first == 0xe0 && FILE_HAS(f, 6, "JFIF"))
		jpeg_jfif(f);
	for (int i = 0; i < 64 && file_u8(f, at) == 0xff && at < f->n; i++) {
		if (!jpeg_segment(f, at) || file_u8(f, at + 1) == 0xda)
			break;
		at += 2 + file_be16(f, at + 2);
	}
	return true;
}

/* ---- BMP, icons ---- */

static bool bmp_more(struct file_look *f)
{
	uint32_t header = file_le32(f, 14), w = file_le32(f, 18), h = file_le32(f, 22);

	if (header == 12) {
		str_addf(&f->text, ", OS/2 1.x format, %u x %u x %u", file_le16(f, 18),
			 file_le16(f, 20), file_le16(f, 24));
	} else if (header == 40 || header == 108 || header == 124) {
		str_addf(&f->text, ", Windows %s format, %u x %d x %u", header == 40 ? "3.x" :
			 header == 108 ? "95/NT4 and newer" : "98/2000 and newer", w, (int32_t)h,
			 file_le16(f, 28));
		if (header == 40) {
			f->ext = "bmp/ico";
			f->apple = "????BMPp";
		}
	} else {
		return false;
	}
	if (header == 40 && file_le32(f, 30))
		str_addf(&f->text, ", %u compression", file_le32(f, 30));
	if (header == 40 && file_le32(f, 34))
		str_addf(&f->text, ", image size %u", file_le32(f, 34));
	if (header == 40 && file_le32(f, 38))
		str_addf(&f->text, ", resolution %u x %u px/m", file_le32(f, 38), file_le32(f, 42));
	if (header == 40 && file_le32(f, 46))
		str_addf(&f->text, ", %u important colors", file_le32(f, 46));
	str_addf(&f->text, ", cbSize %u, bits offset %u", file_le32(f, 2), file_le32(f, 10));
	return true;
}

static void icon_entry(struct file_look *f, uint64_t at, bool cursor)
{
	unsigned w = file_u8(f, at), h = file_u8(f, at + 1), colors = file_u8(f, at + 2);
	uint32_t data = file_le32(f, at + 12);

	str_addf(&f->text, ", %ux%u", w ? w : 256, h ? h : 256);
	if (colors)
		str_addf(&f->text, ", %u colors", colors);
	if (FILE_HAS(f, data, "\x89PNG")) {
		str_adds(&f->text, " with ");
		file_inner(f, data);
	}
	if (cursor)
		str_addf(&f->text, ", hotspot @%ux%u", file_le16(f, at + 4), file_le16(f, at + 6));
	else if (file_le16(f, at + 6))
		str_addf(&f->text, ", %u bits/pixel", file_le16(f, at + 6));
}

static bool icon_more(struct file_look *f)
{
	unsigned n = file_le16(f, 4);
	bool cursor = file_u8(f, 2) == 2;
	uint32_t data = file_le32(f, 18);

	if (!n || n > 1000 || file_u8(f, 9) || data < 6 + 16 * n || data >= f->n ||
	    (!FILE_HAS(f, data, "\x89PNG") && file_le32(f, data) != 40))
		return false;
	str_addf(&f->text, " - %u icon%s", n, n == 1 ? "" : "s");
	icon_entry(f, 6, cursor);
	if (n > 1)
		icon_entry(f, 22, cursor);
	return true;
}

/* ---- Others ---- */

static bool webp_more(struct file_look *f)
{
	str_adds(&f->text, ", Web/P image");
	f->mime = "image/webp";
	f->ext = "webp";
	if (FILE_HAS(f, 12, "VP8 ") && FILE_HAS(f, 23, "\x9d\x01\x2a")) {
		unsigned w = file_le16(f, 26), h = file_le16(f, 28);
		static const char *const scales[] = { "none", "5/4", "5/3", "2" };

		str_addf(&f->text, ", VP8 encoding, %ux%u, Scaling: [%s]x[%s], YUV color%s",
			 w & 0x3fff, h & 0x3fff, scales[w >> 14], scales[h >> 14],
			 file_u8(f, 30) & 0x80 ? "" : ", decoders should clamp");
	}
	return true;
}

static bool psd_more(struct file_look *f)
{
	static const char *const modes[] = {
		"bitmap", "grayscale", "indexed", "RGB", "CMYK", NULL, NULL, "multichannel",
		"duotone", "lab"
	};
	unsigned mode = file_be16(f, 24), channels = file_be16(f, 12);

	if (file_be16(f, 4) == 2) {
		str_adds(&f->text, " (PSB)");
		f->ext = "psb";
	}
	str_addf(&f->text, ", %u x %u", file_be32(f, 18), file_be32(f, 14));
	if (mode < 10 && modes[mode])
		str_addf(&f->text, ", %s", modes[mode]);
	str_addf(&f->text, channels == 1 ? ", 1x" : ", %ux", channels);
	str_addf(&f->text, " %u-bit channel%s", file_be16(f, 22), channels == 1 ? "" : "s");
	return true;
}

static bool xcf_more(struct file_look *f)
{
	static const char *const modes[] = { "RGB Color", "Greyscale", "Indexed Color" };
	uint32_t mode = file_be32(f, 22);

	if (file_u8(f, 9) == 'v')
		file_add_text(f, 10, 3, ", version ", ", ");
	else
		str_adds(&f->text, ", version 0, ");
	str_addf(&f->text, "%u x %u, ", file_be32(f, 14), file_be32(f, 18));
	str_adds(&f->text, mode < 3 ? modes[mode] : "Unknown Image Type.");
	return true;
}

static bool pcx_more(struct file_look *f)
{
	static const char *const versions[] = { "2.5", NULL, "2.8, with palette",
						"2.8, without palette", "for Windows", "3.0" };
	unsigned v = file_u8(f, 1);

	if (v > 5 || !versions[v] || file_u8(f, 2) > 1)
		return false;
	str_addf(&f->text, " ver. %s image data bounding box [%u, %u] - [%u, %u], ", versions[v],
		 file_le16(f, 4), file_le16(f, 6), file_le16(f, 8), file_le16(f, 10));
	if (file_u8(f, 65) > 1)
		str_addf(&f->text, "%u planes each of ", file_u8(f, 65));
	str_addf(&f->text, "%u-bit %s", file_u8(f, 3), file_u8(f, 68) == 1 ? "colour, " :
		 file_u8(f, 68) == 2 ? "grayscale, " : "");
	if (file_le16(f, 12))
		str_addf(&f->text, "%u x %u dpi, ", file_le16(f, 12), file_le16(f, 14));
	str_adds(&f->text, file_u8(f, 2) ? "RLE compressed" : "uncompressed");
	return true;
}

static bool netpbm_more(struct file_look *f)
{
	static const char *const kinds[] = { "bitmap", "greymap", "pixmap" };
	static const char *const mimes[] = {
		"image/x-portable-bitmap", "image/x-portable-greymap", "image/x-portable-pixmap"
	};
	static const char *const exts[] = { "pbm", "pgm", "ppm/pnm" };
	unsigned k = (file_u8(f, 1) - '1') % 3;
	size_t at = 2, n[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		while (file_u8(f, at) == ' ' || file_u8(f, at) == '\n' || file_u8(f, at) == '\t')
			at++;
		while (file_u8(f, at) == '#')
			while (at < f->n && f->at[at++] != '\n')
				;
		if (file_u8(f, at) < '0' || file_u8(f, at) > '9')
			return false;
		for (; file_u8(f, at) >= '0' && file_u8(f, at) <= '9' && n[i] < 1u << 20; at++)
			n[i] = n[i] * 10 + file_u8(f, at) - '0';
	}
	str_addf(&f->text, ", size = %zu x %zu, rawbits, %s", n[0], n[1], kinds[k]);
	f->mime = mimes[k];
	f->ext = exts[k];
	return true;
}

static bool tga_more(struct file_look *f)
{
	static const char *const types[] = { NULL, "Map", "RGB", "Mono" };
	unsigned type = file_u8(f, 2), depth = file_u8(f, 16);

	if (file_u8(f, 1) > 1 || !(type & 3) || (type & ~11u) || !file_le16(f, 12) ||
	    !file_le16(f, 14) || (depth != 8 && depth != 16 && depth != 24 && depth != 32) ||
	    file_u8(f, 1) != ((type & 3) == 1) || f->n < 18 ||
	    (file_u8(f, 17) & 0xc0) || f->n < 26 ||
	    !FILE_HAS(f, f->n - 18, "TRUEVISION-XFILE."))
		return false;
	str_addf(&f->text, " - %s%s %u x %u x %u", types[type & 3], type & 8 ? " - RLE" : "",
		 file_le16(f, 12), file_le16(f, 14), depth);
	f->apple = "????TPIC";
	return true;
}

static bool sgi_more(struct file_look *f)
{
	if (file_u8(f, 2) > 1 || file_u8(f, 3) < 1 || file_u8(f, 3) > 2 || f->n < 108)
		return false;
	str_addf(&f->text, ", %s%s, %u-D, %u x %u, %u channel%s", file_u8(f, 2) ? "RLE" :
		 "not compressed", file_u8(f, 3) == 2 ? ", high precision" : "", file_be16(f, 4),
		 file_be16(f, 6), file_be16(f, 8), file_be16(f, 10),
		 file_be16(f, 10) == 1 ? "" : "s");
	return true;
}

static bool riff_webp_more(struct file_look *f)
{
	return FILE_HAS(f, 8, "WEBP") && webp_more(f);
}

static bool exr_more(struct file_look *f)
{
	str_addf(&f->text, ", version %u, storage: %s", file_u8(f, 4),
		 file_u8(f, 5) & 2 ? "tiled" : "scanline");
	return true;
}

#define ROW FILE_KIND
const struct file_kind file_images[] = {
	ROW(0, "\x89PNG\r\n\x1a\n", "PNG image data", "image/png", "png", png_more),
	{ 0, 3, "\xff\xd8\xff", "JPEG image data", "image/jpeg", "jpeg/jpg/jpe/jfif", "8BIMJPEG",
	  jpeg_more },
	{ 0, 4, "GIF8", "GIF image data", "image/gif", "gif", "8BIMGIFf", gif_more },
	ROW(0, "RIFF", "RIFF (little-endian) data", "image/webp", "webp", riff_webp_more),
	ROW(0, "II*\0", "", "image/tiff", "tif/tiff", tiff_more),
	ROW(0, "MM\0*", "", "image/tiff", "tif/tiff", tiff_more),
	ROW(0, "BM", "PC bitmap", "image/bmp", "bmp", bmp_more),
	ROW(0, "\0\0\1\0", "MS Windows icon resource", "image/vnd.microsoft.icon", "ico", icon_more),
	ROW(0, "\0\0\2\0", "MS Windows cursor resource", "image/x-win-bitmap", "cur", icon_more),
	{ 0, 4, "8BPS", "Adobe Photoshop Image", "image/vnd.adobe.photoshop", "psd", "????8BPS",
	  psd_more },
	ROW(0, "\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14" "ftypjp2 ", "JPEG 2000 Part 1 (JP2)",
	    "image/jp2", "jp2", NULL),
	ROW(0, "\xff\x4f\xff\x51\0", "JPEG 2000 codestream", "image/x-jp2-codestream", NULL, NULL),
	ROW(0, "\xff\x0a", "JPEG XL codestream", "image/jxl", "jxl", NULL),
	ROW(0, "\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL container", "image/jxl", "jxl", NULL),
	ROW(0, "gimp xcf ", "GIMP XCF image data", "image/x-xcf", "xcf", xcf_more),
	ROW(0, "\x0a", "PCX", "image/x-pcx", NULL, pcx_more),
	ROW(0, "P4", "Netpbm image data", NULL, NULL, netpbm_more),
	ROW(0, "P5", "Netpbm image data", NULL, NULL, netpbm_more),
	ROW(0, "P6", "Netpbm image data", NULL, NULL, netpbm_more),
	ROW(0, "\x76\x2f\x31\x01", "OpenEXR image data", "image/x-exr", NULL, exr_more),
	ROW(0, "\x01\xda", "SGI image data", "image/x-sgi", NULL, sgi_more),
	ROW(0, "", "Targa image data", "image/x-tga", "tga/tpic/icb/vda/vst", tga_more),
	{ 0 }
};
