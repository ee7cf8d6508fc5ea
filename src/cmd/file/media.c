/*
 * Sound and moving pictures.
 */
#include "cmd/file/file.h"

#define ROW FILE_KIND

/* ---- RIFF ---- */

static const char *wave_codec(unsigned id)
{
	static const struct { unsigned id; const char *name; } rows[] = {
		{ 1, "Microsoft PCM" }, { 2, "Microsoft ADPCM" }, { 3, "IEEE Float" },
		{ 6, "ITU G.711 A-law" }, { 7, "ITU G.711 mu-law" }, { 0x11, "IMA ADPCM" },
		{ 0x16, "ITU G.723 ADPCM (Yamaha)" }, { 0x31, "GSM 6.10" },
		{ 0x40, "ITU G.721 ADPCM" }, { 0x50, "MPEG" }, { 0x55, "MPEG Layer 3" },
		{ 0x2001, "DTS" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].id == id)
			return rows[i].name;
	return NULL;
}

static void wave_format(struct file_look *f, uint64_t at)
{
	unsigned id = file_le16(f, at), channels = file_le16(f, at + 2), bits = file_le16(f, at + 14);
	const char *codec = wave_codec(id);

	if (codec)
		str_addf(&f->text, ", %s", codec);
	if (id == 1)
		str_addf(&f->text, ", %u bit", bits);
	if (channels == 1 || channels == 2)
		str_adds(&f->text, channels == 1 ? ", mono" : ", stereo");
	else
		str_addf(&f->text, ", %u channels", channels);
	str_addf(&f->text, " %u Hz", file_le32(f, at + 4));
}

/* The place of a chunk's content; 0: there is none. */
static uint64_t riff_chunk(const struct file_look *f, uint64_t at, const char *name)
{
	for (int i = 0; i < 64 && at + 8 <= f->n; i++) {
		uint32_t n = file_le32(f, at + 4);

		if (file_has(f, at, name, 4))
			return at + 8;
		at += 8 + (uint64_t)n + (n & 1);
	}
	return 0;
}

static void avi_more(struct file_look *f)
{
	uint64_t at;
	uint32_t us;

	str_adds(&f->text, ", AVI");
	f->mime = "video/x-msvideo";
	f->ext = "avi/divx";
	if (!FILE_HAS(f, 12, "LIST") || !FILE_HAS(f, 20, "hdrlavih"))
		return;
	at = 32;
	us = file_le32(f, at);
	str_addf(&f->text, ", %u x %u", file_le32(f, at + 32), file_le32(f, at + 36));
	if (us)
		str_addf(&f->text, ", %.2f fps,", 1000000.0 / us);
}

static bool riff_more(struct file_look *f)
{
	uint64_t at;

	if (FILE_HAS(f, 8, "WAVE")) {
		str_adds(&f->text, ", WAVE audio");
		f->mime = "audio/x-wav";
		f->ext = "wav/wave";
		at = riff_chunk(f, 12, "fmt ");
		if (at)
			wave_format(f, at);
	} else if (FILE_HAS(f, 8, "AVI ")) {
		avi_more(f);
	} else if (FILE_HAS(f, 8, "ACON")) {
		str_adds(&f->text, ", animated cursor");
		f->mime = "application/x-navi-animation";
		f->ext = "ani";
	} else if (FILE_HAS(f, 8, "RMID")) {
		str_adds(&f->text, ", MIDI");
		f->mime = "audio/mid";
	} else if (FILE_HAS(f, 8, "PAL ")) {
		str_addf(&f->text, ", palette, version %u, %u entries", file_le16(f, 20),
			 file_le16(f, 22));
	}
	return true;
}

/* ---- MPEG audio ---- */

static bool file_mpeg_audio(struct file_look *f, uint64_t at)
{
	static const uint16_t v1_l3[] = { 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224,
					  256, 320 };
	static const uint16_t v2_l3[] = { 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144,
					  160 };
	static const char *const hz[2][3] = {
		{ "44.1 kHz", "48 kHz", "32 kHz" }, { "22.05 kHz", "24 kHz", "16 kHz" }
	};
	static const char *const channels[] = { "Stereo", "JntStereo", "2x Monaural", "Monaural" };
	unsigned b = file_u8(f, at + 1), c = file_u8(f, at + 2);
	bool second = (b & 0xfe) == 0xf2;
	unsigned rate = c >> 4, freq = c >> 2 & 3;

	if (file_u8(f, at) != 0xff || ((b & 0xfe) != 0xfa && !second) || !rate || rate > 14 ||
	    freq == 3)
		return false;
	str_addf(&f->text, "MPEG ADTS, layer III, %s, %*u kbps, %s, %s", second ? "v2" : "v1",
		 second ? 3 : 0, second ? v2_l3[rate] : v1_l3[rate], hz[second][freq],
		 channels[file_u8(f, at + 3) >> 6]);
	return true;
}

static bool mpeg_more(struct file_look *f)
{
	return file_mpeg_audio(f, 0);
}

static bool aac_more(struct file_look *f)
{
	static const char *const profiles[] = { "Main", "LC", "SSR", "LTP" };
	static const char *const hz[] = { "96", "88.2", "64", "48", "44.1", "32", "24", "22.05",
					  "16", "12", "11.025", "8", "7.35" };
	static const char *const layouts[] = {
		"", ", monaural", ", stereo", ", stereo + center",
		", stereo + center + 1 surround channel", ", surround", ", surround + LFE",
		", surround + side"
	};
	unsigned b = file_u8(f, 1), c = file_u8(f, 2), rate = c >> 2 & 15;

	if ((b & 0xf6) != 0xf0 || rate > 12)
		return false;
	str_addf(&f->text, ", %s %s, %s kHz%s", b & 8 ? "v2" : "v4", profiles[c >> 6], hz[rate],
		 layouts[(c & 1) << 2 | file_u8(f, 3) >> 6]);
	return true;
}

static bool id3_more(struct file_look *f)
{
	uint64_t n = (uint64_t)(file_u8(f, 6) & 127) << 21 | (file_u8(f, 7) & 127) << 14 |
		     (file_u8(f, 8) & 127) << 7 | (file_u8(f, 9) & 127);
	size_t was, inner;

	str_addf(&f->text, ".%u.%u", file_u8(f, 3), file_u8(f, 4));
	if (file_u8(f, 5) & 0x80)
		str_adds(&f->text, ", unsynchronized frames");
	if (file_u8(f, 5) & 0x40)
		str_adds(&f->text, ", extended header");
	if (file_u8(f, 5) & 0x20)
		str_adds(&f->text, ", experimental");
	if (file_u8(f, 5) & 0x10)
		str_adds(&f->text, ", footer present");
	if (n + 10 >= f->n)
		return true;
	was = f->text.n;
	str_adds(&f->text, ", contains: ");
	if (file_mpeg_audio(f, n + 10)) {
		f->mime = "audio/mpeg";
		return true;
	}
	str_cut(&f->text, was);
	str_adds(&f->text, ", contains:");
	inner = f->text.n;
	file_inner(f, n + 10);
	if (f->text.n == inner)
		str_cut(&f->text, was);
	f->mime = "audio/mpeg";
	return true;
}

/* ---- Ogg, FLAC, MIDI, AU ---- */

static bool ogg_more(struct file_look *f)
{
	uint64_t at = 27 + (uint64_t)file_u8(f, 26);
	unsigned channels;

	f->mime = "audio/ogg";
	if (file_u8(f, 4)) {
		str_adds(&f->text, " ***");
		return false;
	}
	if (FILE_HAS(f, at, "\x01vorbis")) {
		channels = file_u8(f, at + 11);
		str_adds(&f->text, ", Vorbis audio,");
		str_addf(&f->text, channels == 1 ? " mono" : channels == 2 ? " stereo" :
			 " %u channels", channels);
		str_addf(&f->text, ", %u Hz", file_le32(f, at + 12));
		if (file_le32(f, at + 20) && file_le32(f, at + 20) != UINT32_MAX &&
		    (file_le32(f, at + 16) || file_le32(f, at + 24)))
			str_addf(&f->text, ", ~%u bps", file_le32(f, at + 20));
	} else if (FILE_HAS(f, at, "OpusHead")) {
		channels = file_u8(f, at + 9);
		str_addf(&f->text, ", Opus audio, version %u.%u,", file_u8(f, at + 8) >> 4,
			 file_u8(f, at + 8) & 15);
		str_addf(&f->text, channels == 1 ? " mono" : channels == 2 ? " stereo" :
			 " %u channels", channels);
		str_addf(&f->text, ", %u Hz (Input Sample Rate)", file_le32(f, at + 12));
	} else if (FILE_HAS(f, at, "\x80theora")) {
		str_adds(&f->text, ", Theora video");
		f->mime = "video/ogg";
	} else if (FILE_HAS(f, at, "\x7f" "FLAC")) {
		str_adds(&f->text, ", FLAC audio");
	} else if (FILE_HAS(f, at, "Speex   ")) {
		str_adds(&f->text, ", Speex audio");
	} else if (FILE_HAS(f, at, "fishead")) {
		str_adds(&f->text, ", Skeleton");
		f->mime = "video/ogg";
	} else {
		f->mime = "application/ogg";
	}
	return true;
}

static bool flac_more(struct file_look *f)
{
	uint64_t v = file_be64(f, 18), samples = v & 0xfffffffffull;
	unsigned rate = (unsigned)(v >> 44), channels = (v >> 41 & 7) + 1;
	unsigned bits = (v >> 36 & 31) + 1;

	if (file_u8(f, 4) & 0x7f)
		return true;
	str_addf(&f->text, ", %u bit", bits);
	str_addf(&f->text, channels == 1 ? ", mono" : channels == 2 ? ", stereo" : ", %u channels",
		 channels);
	if (rate % 1000)
		str_addf(&f->text, ", %u.%u kHz", rate / 1000, rate % 1000 / 100);
	else
		str_addf(&f->text, ", %u kHz", rate / 1000);
	if (samples)
		str_addf(&f->text, ", %llu samples", (unsigned long long)samples);
	else
		str_adds(&f->text, ", length unknown");
	return true;
}

static bool midi_more(struct file_look *f)
{
	unsigned tracks = file_be16(f, 10);

	str_addf(&f->text, " (format %u) using %u track%s", file_be16(f, 8), tracks,
		 tracks == 1 ? "" : "s");
	if (!(file_be16(f, 12) & 0x8000))
		str_addf(&f->text, " at 1/%u", file_be16(f, 12));
	return true;
}

static bool au_more(struct file_look *f)
{
	static const char *const codings[] = {
		NULL, "8-bit ISDN mu-law,", "8-bit linear PCM [REF-PCM],", "16-bit linear PCM,",
		"24-bit linear PCM,", "32-bit linear PCM,", "32-bit IEEE floating point,",
		"64-bit IEEE floating point,"
	};
	uint32_t coding = file_be32(f, 12), channels = file_be32(f, 20);

	if (coding && coding < 8)
		str_addf(&f->text, " %s", codings[coding]);
	str_addf(&f->text, channels == 1 ? " mono," : channels == 2 ? " stereo," :
		 channels == 4 ? " quad," : " %u channels,", channels);
	str_addf(&f->text, " %u Hz", file_be32(f, 16));
	return true;
}

static bool iff_more(struct file_look *f)
{
	static const struct { const char *id, *text, *mime; } rows[] = {
		{ "AIFF", ", AIFF audio", "audio/x-aiff" },
		{ "AIFC", ", AIFF-C compressed audio", "audio/x-aiff" },
		{ "8SVX", ", 8SVX 8-bit sampled sound voice", "audio/x-aiff" },
		{ "ILBM", ", ILBM interleaved image", NULL }, { "FTXT", ", FTXT formatted text", NULL }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (file_has(f, 8, rows[i].id, 4)) {
			str_adds(&f->text, rows[i].text);
			f->mime = rows[i].mime;
		}
	return true;
}

/* ---- MP4 and its like, Matroska, MPEG ---- */

static const struct brand { const char *id, *text, *mime, *ext; } brands[] = {
	{ "qt  ", ", Apple QuickTime movie, Apple QuickTime (.MOV/QT)", "video/quicktime", NULL },
	{ "3gp4", ", MPEG v4 system, 3GPP", "video/3gpp", NULL },
	{ "3gp5", ", MPEG v4 system, 3GPP", "video/3gpp", NULL },
	{ "3gp6", ", MPEG v4 system, 3GPP", "video/3gpp", NULL },
	{ "3g2a", ", MPEG v4 system, 3GPP2 C.S0050-0 V1.0", "video/3gpp2", NULL },
	{ "M4A ", ", Apple iTunes ALAC/AAC-LC (.M4A) Audio", "audio/x-m4a", NULL },
	{ "M4B ", ", Apple iTunes ALAC/AAC-LC (.M4B) Audio Book", "audio/mp4", NULL },
	{ "M4V ", ", Apple iTunes Video (.M4V) Video", "video/x-m4v", NULL },
	{ "MSNV", ", MPEG-4 (.MP4) for SonyPSP", "audio/mp4", NULL },
	{ "avc1", ", MPEG v4 system, 3GPP JVT AVC [ISO 14496-12:2005]", "video/mp4", NULL },
	{ "dash", ", MPEG v4 system, Dynamic Adaptive Streaming over HTTP", "video/mp4", NULL },
	{ "isom", ", MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4", "mp4" },
	{ "iso2", ", MP4 Base Media v2 [ISO 14496-12:2005]", "video/mp4", "mp4" },
	{ "iso4", ", MP4 Base Media v4", "video/mp4", NULL },
	{ "iso5", ", MP4 Base Media v5 ", "video/mp4", "mp4" },
	{ "iso6", ", MP4 Base Media v6 ", "video/mp4", "mp4" },
	{ "mp41", ", MP4 v1 [ISO 14496-1:ch13]", "video/mp4", NULL },
	{ "mp42", ", MP4 v2 [ISO 14496-14]", "video/mp4", NULL },
	{ "mmp4", ", MPEG-4/3GPP Mobile Profile (.MP4 / .3GP) (for NTT), MPEG v4 system, 3GPP "
	  "Mobile", "video/mp4", NULL },
	{ "heic", ", HEIF Image HEVC Main or Main Still Picture Profile", "image/heic", NULL },
	{ "heix", ", HEIF Image HEVC Main 10 Profile", "image/heic", NULL },
	{ "mif1", ", HEIF Image", "image/heif", NULL },
	{ "avif", ", AVIF Image", "image/avif", NULL },
	{ "avis", ", AVIF Image Sequence", "image/avif", NULL },
	{ "jp2 ", ", JPEG 2000", "image/jp2", NULL },
};

static bool mp4_more(struct file_look *f)
{
	for (size_t i = 0; i < sizeof(brands) / sizeof(*brands); i++)
		if (file_has(f, 8, brands[i].id, 4)) {
			str_adds(&f->text, brands[i].text);
			f->mime = brands[i].mime;
			f->ext = brands[i].ext;
			break;
		}
	return true;
}

static bool ebml_more(struct file_look *f)
{
	const unsigned char *at = memmem(f->at, f->n < 4096 ? f->n : 4096, "\x42\x82", 2);
	uint64_t place = at ? (uint64_t)(at - f->at) + 3 : f->n;

	if (FILE_HAS(f, place, "matroska")) {
		str_adds(&f->text, "Matroska data");
		f->mime = "video/x-matroska";
	} else if (FILE_HAS(f, place, "webm")) {
		str_adds(&f->text, "WebM");
		f->mime = "video/webm";
	} else {
		str_adds(&f->text, "EBML file");
	}
	return true;
}

static bool mpeg_sequence_more(struct file_look *f)
{
	static const char *const ratios[] = { NULL, "1:1", "4:3", "16:9", "2.21:1" };
	static const char *const rates[] = { NULL, "23.976 fps", "24 fps", "25 fps", "29.97 fps",
					     "30 fps", "50 fps", "59.94 fps", "60 fps" };
	unsigned kind = file_u8(f, 3), size, rate = file_u8(f, 7);

	f->mime = "video/mpeg";
	switch (kind) {
	case 0xba:
		str_adds(&f->text, "MPEG sequence");
		if ((file_u8(f, 4) & 0xc0) == 0x40)
			str_adds(&f->text, ", v2, program multiplex");
		else
			str_adds(&f->text, ", v1, system multiplex");
		f->ext = "vob/evo/mpg/mpeg";
		return true;
	case 0xb3:
		size = file_be32(f, 4) >> 8;
		str_addf(&f->text, "MPEG sequence, %ux%u", size >> 12, size & 0xfff);
		if (rate >> 4 && rate >> 4 < 5)
			str_addf(&f->text, ", %s", ratios[rate >> 4]);
		if ((rate & 15) && (rate & 15) < 9)
			str_addf(&f->text, ", %s", rates[rate & 15]);
		return true;
	default:
		return false;
	}
}

static bool transport_more(struct file_look *f)
{
	return file_u8(f, 188) == 0x47 && file_u8(f, 376) == 0x47;
}

static bool ape_more(struct file_look *f)
{
	str_addf(&f->text, " %u", file_le16(f, 4));
	str_addf(&f->text, ", sample rate %u", file_le32(f, 36));
	return true;
}

static bool moov_more(struct file_look *f)
{
	static const char *const inner[] = { "mvhd", "iods", "rmra", "cmov" };

	for (size_t i = 0; i < 4; i++)
		if (file_has(f, 12, inner[i], 4))
			return true;
	return false;
}

static bool swf_more(struct file_look *f)
{
	unsigned v = file_u8(f, 3);

	if (!v || v > 50 || file_le32(f, 4) < 21)
		return false;
	str_addf(&f->text, "%s, version %u", file_u8(f, 0) == 'C' ? " (compressed)" : "", v);
	return f->n > 20;
}

const struct file_kind file_media[] = {
	ROW(0, "RIFF", "RIFF (little-endian) data", NULL, NULL, riff_more),
	ROW(0, "\xff", "", "audio/mpeg", NULL, mpeg_more),
	ROW(0, "\xff", "MPEG ADTS, AAC", "audio/x-hx-aac-adts", NULL, aac_more),
	ROW(0, "ID3", "Audio file with ID3 version 2", NULL, NULL, id3_more),
	ROW(0, "OggS", "Ogg data", NULL, NULL, ogg_more),
	ROW(0, "fLaC", "FLAC audio bitstream data", "audio/flac", NULL, flac_more),
	ROW(0, "MThd", "Standard MIDI data", "audio/midi", NULL, midi_more),
	ROW(0, ".snd", "Sun/NeXT audio data:", "audio/basic", NULL, au_more),
	ROW(0, "FORM", "IFF data", NULL, NULL, iff_more),
	ROW(4, "ftyp", "ISO Media", NULL, NULL, mp4_more),
	ROW(4, "moov", "Apple QuickTime movie (fast start)", "video/quicktime", NULL, moov_more),
	ROW(0, "\x1a\x45\xdf\xa3", "", NULL, NULL, ebml_more),
	ROW(0, "FLV\x01", "Macromedia Flash Video", "video/x-flv", NULL, NULL),
	ROW(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c", "Microsoft ASF",
	    "video/x-ms-asf", NULL, NULL),
	ROW(0, "\0\0\1", "", NULL, NULL, mpeg_sequence_more),
	ROW(0, "\x47", "MPEG transport stream data", "video/MP2T", "ts", transport_more),
	ROW(0, "FWS", "Macromedia Flash data", "application/x-shockwave-flash", "swf", swf_more),
	ROW(0, "CWS", "Macromedia Flash data", "application/x-shockwave-flash", "swf", swf_more),
	ROW(0, "#!AMR", "Adaptive Multi-Rate Codec (GSM telephony)", "audio/amr", "amr", NULL),
	ROW(0, ".RMF\0\0\0", "RealMedia file", "application/vnd.rn-realmedia", NULL, NULL),
	ROW(0, "MAC ", "Monkey's Audio compressed format version", "audio/x-ape", NULL, ape_more),
	{ 0 }
};
