/*
 * Zip archives, and what is a zip archive: office documents, Java archives,
 * Android packages. What it is shows in the names of the first members.
 */
#include "cmd/file/file.h"

enum { SEARCH = 6000 };

static const struct zip_mime { const char *mime, *text, *ext; } mimes[] = {
	{ "application/epub+zip", "EPUB document", NULL },
	{ "application/vnd.oasis.opendocument.text", "OpenDocument Text", "odt" },
	{ "application/vnd.oasis.opendocument.text-template", "OpenDocument Text Template", "ott" },
	{ "application/vnd.oasis.opendocument.text-master", "OpenDocument Master Document", "odm" },
	{ "application/vnd.oasis.opendocument.text-web", "OpenDocument HTML Document Template",
	  "oth" },
	{ "application/vnd.oasis.opendocument.graphics", "OpenDocument Drawing", "odg" },
	{ "application/vnd.oasis.opendocument.graphics-template", "OpenDocument Drawing Template",
	  "otg" },
	{ "application/vnd.oasis.opendocument.presentation", "OpenDocument Presentation", "odp" },
	{ "application/vnd.oasis.opendocument.presentation-template",
	  "OpenDocument Presentation Template", "otp" },
	{ "application/vnd.oasis.opendocument.spreadsheet", "OpenDocument Spreadsheet", "ods" },
	{ "application/vnd.oasis.opendocument.spreadsheet-template",
	  "OpenDocument Spreadsheet Template", "ots" },
	{ "application/vnd.oasis.opendocument.chart", "OpenDocument Chart", "odc" },
	{ "application/vnd.oasis.opendocument.formula", "OpenDocument Formula", "odf" },
	{ "application/vnd.oasis.opendocument.database", "OpenDocument Database", "odb" },
	{ "application/vnd.oasis.opendocument.image", "OpenDocument Image", "odi" },
};

#define OOXML "application/vnd.openxmlformats-officedocument."
static const struct zip_mime offices[] = {
	{ OOXML "wordprocessingml.document", "Microsoft Word 2007+", "docx" },
	{ OOXML "presentationml.presentation", "Microsoft PowerPoint 2007+", "pptx" },
	{ OOXML "spreadsheetml.sheet", "Microsoft Excel 2007+", "xlsx" },
	{ "application/vnd.ms-visio.drawing.main+xml", "Microsoft Visio 2013+", NULL }
};

static void zip_is(struct file_look *f, const char *text, const char *mime, const char *ext)
{
	str_adds(&f->text, text);
	f->mime = mime;
	f->ext = ext;
}

/* The first member is stored under the name "mimetype" and holds just that. */
static void zip_mimetype(struct file_look *f)
{
	size_t n = file_le32(f, 18);
	const struct zip_mime *best = NULL;

	n = n < f->n - 38 ? n : f->n - 38;
	for (size_t i = 0; i < sizeof(mimes) / sizeof(*mimes); i++)
		if (strlen(mimes[i].mime) == n && file_has(f, 38, mimes[i].mime, n))
			best = &mimes[i];
	if (best) {
		zip_is(f, best->text, best->mime, best->ext);
		return;
	}
	file_add_text(f, 38, n < 128 ? n : 128, "Zip data (MIME type \"", "\"?)");
	f->mime = "application/zip";
}

static size_t zip_next(const struct file_look *f, uint64_t from)
{
	size_t n = from < f->n ? f->n - (size_t)from : 0;
	const unsigned char *at = n ? memmem(f->at + from, n < SEARCH ? n : SEARCH, "PK\3\4", 4)
				    : NULL;

	return at ? (size_t)(at - f->at) : 0;
}

static bool zip_office_at(struct file_look *f, uint64_t at)
{
	static const char *const names[] = { "word/", "ppt/", "xl/", "visio/" };

	for (size_t i = 0; i < 4; i++)
		if (file_has(f, at, names[i], strlen(names[i]))) {
			zip_is(f, offices[i].text, offices[i].mime, offices[i].ext);
			return true;
		}
	return false;
}

/* The first members of such documents are the same; a later one says which it is. */
static bool zip_office(struct file_look *f)
{
	uint64_t at;

	if (zip_office_at(f, 30))
		return true;
	if (!FILE_HAS(f, 30, "[Content_Types].xml") && !FILE_HAS(f, 30, "_rels/.rels") &&
	    !FILE_HAS(f, 30, "docProps"))
		return false;
	at = zip_next(f, (uint64_t)file_le32(f, 18) + 49);
	at = at ? zip_next(f, at + 30) : 0;
	if (at && zip_office_at(f, at + 30))
		return true;
	at = at ? zip_next(f, at + 56) : 0;
	return at && zip_office_at(f, at + 30);
}

static bool zip_android(struct file_look *f)
{
	static const struct { const char *name, *text; } rows[] = {
		{ "AndroidManifest.xml", "AndroidManifest.xml" }, { "classes.dex", "classes.dex" },
		{ "META-INF/com/android/build/gradle/app-metadata.properties",
		  "gradle app-metadata.properties" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (file_le16(f, 26) == strlen(rows[i].name) &&
		    file_has(f, 30, rows[i].name, strlen(rows[i].name))) {
			str_addf(&f->text, "Android package (APK), with %s", rows[i].text);
			f->mime = "application/vnd.android.package-archive";
			f->ext = "apk";
			return true;
		}
	return false;
}

bool file_zip(struct file_look *f)
{
	static const struct { unsigned id; const char *name; } methods[] = {
		{ 0, "store" }, { 1, "shrinking" }, { 6, "implode" }, { 8, "deflate" },
		{ 9, "deflate64" }, { 12, "bzip2" }, { 14, "lzma" }, { 93, "zstd" }, { 94, "mp3" },
		{ 95, "xz" }, { 96, "jpeg" }, { 97, "WavPack" }, { 98, "PPMd" },
		{ 99, "AES Encrypted" }
	};
	unsigned v = file_le16(f, 4) & 0xff;

	if (f->n < 30)
		return false;
	if (file_le16(f, 26) == 8 && FILE_HAS(f, 30, "mimetype") && !file_le16(f, 8)) {
		zip_mimetype(f);
		return true;
	}
	if (zip_office(f) || zip_android(f))
		return true;
	if (file_le16(f, 30 + (uint64_t)file_le16(f, 26)) == 0xcafe) {
		zip_is(f, "Java archive data (JAR)", "application/java-archive", "jar");
		return true;
	}
	str_addf(&f->text, "Zip archive data, at least v%u.%u to extract, compression method=",
		 v / 10, v % 10);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (methods[i].id == file_le16(f, 8)) {
			str_adds(&f->text, methods[i].name);
			return true;
		}
	str_addf(&f->text, "[0x%x]", file_le16(f, 8));
	return true;
}
