/*
 * dos2unix -i: what ends the lines of files.
 */
#include "cmd/dos2unix.h"

#include <string.h>

#include "cmd/path.h"

bool dos_info_flags(struct dos *d, const char *flags)
{
	static const char letters[] = "dumbtchp0";
	static const int bits[] = {
		DOS_INFO_DOS, DOS_INFO_UNIX, DOS_INFO_MAC, DOS_INFO_BOM, DOS_INFO_TEXT,
		DOS_INFO_NAMES, DOS_INFO_HEADER, DOS_INFO_BASE, DOS_INFO_NUL
	};

	for (; *flags; flags++) {
		const char *at = strchr(letters, *flags);

		if (!at) {
			tsb_warn(d->p, "wrong flag '%c' for option -i or --info", *flags);
			return false;
		}
		d->info |= bits[at - letters];
	}
	if (!(d->info & (DOS_INFO_ALL | DOS_INFO_NAMES)))
		d->info |= DOS_INFO_ALL;
	return true;
}

static void dos_info_header(struct dos *d)
{
	static const char *const names[] = { "     DOS", "    UNIX", "     MAC", "  BOM     ",
					     "  TXTBIN" };

	if (!(d->info & DOS_INFO_HEADER) || d->header_shown || d->info & DOS_INFO_NAMES)
		return;
	d->header_shown = true;
	for (int i = 0; i < 5; i++)
		if (d->info & 1 << i)
			tsb_puts(d->p, names[i]);
	tsb_puts(d->p, "  FILE");
	tsb_putc(d->p, d->info & DOS_INFO_NUL ? '\0' : '\n');
}

struct dos_counts {
	size_t breaks[3];	/* DOS, Unix, Mac */
	bool binary;
};

static void dos_count(struct dos *d, const struct dos_file *f, struct dos_counts *n)
{
	size_t at = f->at, units = 0;
	int32_t c, before = 0;

	while ((c = dos_unit(f, &at)) >= 0) {
		n->binary |= dos_is_binary(c);
		if (c == '\n' && before == '\r') {
			n->breaks[0]++;
			n->breaks[2]--;
		} else if (c == '\n') {
			n->breaks[1]++;
		} else if (c == '\r') {
			n->breaks[2]++;
		}
		before = c;
		if (!(++units & 4095))
			tsb_tick(d->p, 64);
	}
}

void dos_info(struct dos *d, const char *name)
{
	struct dos_counts n = { { 0 }, false };
	struct dos_file f = { 0 };
	struct tsb_stat st;
	int fd = name ? dos_open(d, name, &st) : 0;
	bool ok;

	if (fd < 0)
		return;
	ok = dos_read(d, fd, &f);
	if (fd)
		tsb_close(d->p, fd);
	if (!ok)
		return;
	dos_look(d, &f);
	dos_count(d, &f, &n);
	dos_info_header(d);
	if (d->info & DOS_INFO_NAMES) {
		if ((n.binary && !d->force) || !n.breaks[d->to_unix ? (d->mac ? 2 : 0) : 1])
			return;
	} else {
		for (int i = 0; i < 3; i++)
			if (d->info & 1 << i)
				tsb_printf(d->p, "  %6zu", n.breaks[i]);
		if (d->info & DOS_INFO_BOM)
			tsb_printf(d->p, "  %-8s", f.mark);
		if (d->info & DOS_INFO_TEXT)
			tsb_printf(d->p, "  %-6s", n.binary ? "binary" : "text");
		if (name)
			tsb_puts(d->p, "  ");
	}
	if (name)
		tsb_puts(d->p, d->info & DOS_INFO_BASE ? path_base(d->p, name) : name);
	tsb_putc(d->p, d->info & DOS_INFO_NUL ? '\0' : '\n');
	str_end(&f.text);
}
