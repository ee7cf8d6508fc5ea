/*
 * unzip -l, -v, -Z: the columns.
 */
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cmd/util.h"
#include "cmd/zip/unzip.h"
#include "text/datefmt.h"

static int percent(uint64_t plain, uint64_t packed)
{
	int r = zip_ratio(plain, packed);

	return r < 0 ? -((-r + 5) / 10) : (r + 5) / 10;
}

/* Control characters as ^X. */
static const char *shown(struct unzip *u, const char *name)
{
	struct str out;

	str_init(&out, tsb_heap_of(u->p), STR_MAX_DEFAULT);
	for (; *name; name++) {
		if ((unsigned char)*name < 32 || *name == 127)
			str_addf(&out, "^%c", *name == 127 ? '?' : *name + 64);
		else
			str_addc(&out, *name);
	}
	return str_take(&out, NULL);
}

static char *method_text(struct unzip *u, const struct zip_entry *e)
{
	static const char *const names[] = { "Stored", "Shrunk", "Reduce1", "Reduce2", "Reduce3",
		"Reduce4", "Implode", "Token", "Defl:#", "Def64#", "ImplDCL", NULL, "BZip2", NULL,
		"LZMA" };

	if (e->method == ZIP_DEFLATED)
		return tsb_format(u->p, "Defl:%c", "NXFS"[e->flags >> 1 & 3]);
	if (e->method < sizeof(names) / sizeof(*names) && names[e->method])
		return tsb_strdup(u->p, names[e->method]);
	return tsb_format(u->p, "Unk:%03u", e->method);
}

/* What is encrypted has a head that does not count. */
static uint64_t packed_size(const struct zip_entry *e)
{
	bool head = (e->flags & ZIP_ENCRYPTED) && e->packed >= ZIP_CRYPT_HEAD;

	return head ? e->packed - ZIP_CRYPT_HEAD : e->packed;
}

static void list_comment(struct unzip *u, const struct zip_entry *e)
{
	if (!e->n_comment)
		return;
	for (size_t i = 0; i < e->n_comment; i++)
		if (e->comment[i] != '\r')
			tsb_putc(u->p, e->comment[i]);
	if (e->comment[e->n_comment - 1] != '\n')
		tsb_putc(u->p, '\n');
}

static void list_row(struct unzip *u, const struct zip_entry *e)
{
	struct civil c;
	char *date;

	unzip_date(u, e, &c);
	date = tsb_format(u->p, "%04d-%02d-%02d %02d:%02d", (int)c.year, c.month, c.day, c.hour,
			  c.minute);
	if (u->verbose)
		tsb_printf(u->p, "%8llu  %-6s%9llu%4d%% %s %08x  %s\n", (unsigned long long)e->plain,
			   method_text(u, e), (unsigned long long)packed_size(e),
			   percent(e->plain, packed_size(e)), date, e->crc, shown(u, e->name));
	else
		tsb_printf(u->p, "%9llu  %s   %s\n", (unsigned long long)e->plain, date,
			   shown(u, e->name));
}

void unzip_list(struct unzip *u)
{
	uint64_t plain = 0, packed = 0;
	size_t n = 0;
	bool head = u->quiet < 2;

	if (head && u->verbose)
		tsb_puts(u->p, " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n"
			 "--------  ------  ------- ---- ---------- ----- --------  ----\n");
	else if (head)
		tsb_puts(u->p, "  Length      Date    Time    Name\n"
			 "---------  ---------- -----   ----\n");
	for (size_t i = 0; i < u->z.n; i++) {
		struct zip_entry *e = &u->z.entries[i];

		tsb_tick(u->p, 1);
		if (!unzip_wants(u, e))
			continue;
		list_row(u, e);
		list_comment(u, e);
		plain += e->plain;
		packed += packed_size(e);
		n++;
	}
	if (head && u->verbose)
		tsb_printf(u->p, "--------          -------  ---                            -------\n"
			   "%8llu        %9llu%4d%%                            %zu file%s\n",
			   (unsigned long long)plain, (unsigned long long)packed,
			   percent(plain, packed), n, n == 1 ? "" : "s");
	else if (head)
		tsb_printf(u->p, "---------                     -------\n"
			   "%9llu                     %zu file%s\n", (unsigned long long)plain, n,
			   n == 1 ? "" : "s");
}

/* ---- zipinfo ---- */

static bool runs_on_dos(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcasecmp(dot, ".com") || !strcasecmp(dot, ".exe") ||
		       !strcasecmp(dot, ".btm") || !strcasecmp(dot, ".cmd") ||
		       !strcasecmp(dot, ".bat"));
}

/* What a FAT system made has a mode of Unix, too, if that agrees with the attributes. */
static void info_mode(const struct zip_entry *e, char mode[12])
{
	enum { READ_ONLY = 1, HIDDEN = 2, SYSTEM = 4, VOLUME = 8, DIRECTORY = 16, ARCHIVE = 32 };
	unsigned dos = e->external & 0xFF, unix_mode = e->external >> 16;
	unsigned owner = 0400 | (dos & READ_ONLY ? 0 : 0200) | (dos & DIRECTORY ? 0100 : 0);

	if (e->host == 3 || (e->host == 0 && (unix_mode & 0700) == owner)) {
		util_mode_string(e->host == 3 ? e->mode : unix_mode, mode);
		return;
	}
	memcpy(mode, "-rw---- ", 9);
	mode[0] = dos & VOLUME ? 'V' : dos & DIRECTORY ? 'd' : '-';
	mode[2] = dos & READ_ONLY ? '-' : 'w';
	mode[3] = dos & DIRECTORY || runs_on_dos(e->name) ? 'x' : '-';
	mode[4] = dos & ARCHIVE ? 'a' : '-';
	mode[5] = dos & HIDDEN ? 'h' : '-';
	mode[6] = dos & SYSTEM ? 's' : '-';
	memcpy(mode + 7, "   ", 4);
}

static char *info_method(struct unzip *u, const struct zip_entry *e)
{
	static const char *const names[] = { "stor", "shrk", "re:1", "re:2", "re:3", "re:4",
					     "i#:#", "tokn", "def#", "d64#", "dcli", NULL, "bzp2",
					     NULL, "lzma" };

	if (e->method == ZIP_DEFLATED)
		return tsb_format(u->p, "def%c", "NXFS"[e->flags >> 1 & 3]);
	if (e->method < sizeof(names) / sizeof(*names) && names[e->method])
		return tsb_strdup(u->p, names[e->method]);
	return tsb_format(u->p, "u%03u", e->method);
}

static void info_row(struct unzip *u, const struct zip_entry *e)
{
	static const char *const hosts[] = { "fat", "ami", "vms", "unx", "cms", "atr", "hpf", "mac",
					     "zzz", "cpm", "t20", "ntf" };
	bool text = e->internal & 1, crypt = e->flags & 1, local = e->flags & 8;
	char mode[12], *size = tsb_strdup(u->p, ""), *date;
	struct civil c;

	info_mode(e, mode);
	unzip_date(u, e, &c);
	if (u->decimal)
		date = tsb_format(u->p, "%04d%02d%02d.%02d%02d%02d", (int)c.year, c.month, c.day,
				  c.hour, c.minute, c.second);
	else
		date = tsb_format(u->p, "%02d-%.3s-%02d %02d:%02d", (int)(c.year % 100),
				  c.month >= 1 && c.month <= 12 ? date_month_names[c.month - 1]
								: "???",
				  c.day, c.hour, c.minute);
	if (u->format == 'l')
		size = tsb_format(u->p, " %8llu", (unsigned long long)e->packed);
	else if (u->format == 'm')
		size = tsb_format(u->p, "%3d%%", percent(e->plain, packed_size(e)));
	tsb_printf(u->p, "%s  %u.%u %s %8llu %c%c%s %s %s %s\n", mode, e->made_by / 10,
		   e->made_by % 10, e->host < 12 ? hosts[e->host] : "???",
		   (unsigned long long)e->plain,
		   text ? crypt ? 'T' : 't' : crypt ? 'B' : 'b',
		   e->n_extra ? local ? 'X' : 'x' : local ? 'l' : '-',
		   size, info_method(u, e), date, shown(u, e->name));
}

void unzip_info(struct unzip *u)
{
	uint64_t plain = 0, packed = 0;
	size_t n = 0;
	int r;

	if (u->header)
		tsb_printf(u->p, "Zip file size: %llu bytes, number of entries: %zu\n",
			   (unsigned long long)u->z.size, u->z.n);
	unzip_warn_front(u);
	for (size_t i = 0; i < u->z.n; i++) {
		struct zip_entry *e = &u->z.entries[i];

		tsb_tick(u->p, 1);
		if (!unzip_wants(u, e))
			continue;
		if (u->format == '1' || u->format == '2')
			tsb_printf(u->p, "%s\n", shown(u, e->name));
		else if (u->format || u->header == u->trailer)
			info_row(u, e);
		plain += e->plain;
		packed += packed_size(e);
		n++;
	}
	if (!u->trailer)
		return;
	r = zip_ratio(plain, packed);
	tsb_printf(u->p, "%zu file%s, %llu bytes uncompressed, %llu bytes compressed:  %s%d.%d%%\n",
		   n, n == 1 ? "" : "s", (unsigned long long)plain, (unsigned long long)packed,
		   r < 0 ? "-" : "", (r < 0 ? -r : r) / 10, (r < 0 ? -r : r) % 10);
}
