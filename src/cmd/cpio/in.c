/*
 * cpio -i, -t: members out of an archive: listed, extracted, or only summed up.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/accounts.h"
#include "cmd/cpio/cpio.h"
#include "cmd/lines.h"
#include "cmd/util.h"
#include "text/pattern.h"

enum { CPIO_HALF_YEAR = 6 * 30 * 24 * 3600 };

/* ---- Patterns ---- */

static void cpio_add_pattern(struct cpio *c, const char *text)
{
	c->patterns = util_grow(c->p, c->patterns, c->n_patterns, &c->cap_patterns, sizeof(*c->patterns));
	c->patterns[c->n_patterns++] = pattern_compile(tsb_heap_of(c->p), text, strlen(text), 0);
}

static void cpio_pattern_file(struct cpio *c)
{
	struct tsb_reader in;
	char *line;
	size_t n;
	int fd = tsb_open(c->p, c->pattern_file, O_RDONLY, 0);

	if (fd < 0)
		cpio_fatal(c, fd, "%s: Cannot open", c->pattern_file);
	tsb_reader_init(&in, c->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		tsb_tick(c->p, 1);
		cpio_add_pattern(c, tsb_strndup(c->p, line, n - (line[n - 1] == '\n')));
	}
	tsb_close(c->p, fd);
}

static bool cpio_wanted(const struct cpio *c, const char *name)
{
	bool match = !c->n_patterns;

	for (size_t i = 0; !match && i < c->n_patterns; i++)
		match = pattern_match(c->patterns[i], name, strlen(name));
	return match != c->nonmatching;
}

/* ---- The list ---- */

static const char *cpio_when(struct cpio *c, int64_t when)
{
	static const char months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
					    "Oct", "Nov", "Dec" };
	int64_t now = tsb_clock(c->p, TSB_CLOCK_REAL).sec;
	struct civil t;

	if (!civil_from(when, zone_offset(&c->zone, when, NULL, NULL), &t))
		return "??? ??  ????";
	if (now - CPIO_HALF_YEAR > when || now + 3600 < when)
		return tsb_format(c->p, "%s %2d  %lld", months[t.month - 1], (int)t.day, (long long)t.year);
	return tsb_format(c->p, "%s %2d %02d:%02d", months[t.month - 1], (int)t.day, (int)t.hour, (int)t.minute);
}

static const char *cpio_owner(struct cpio *c, uint32_t id, bool group)
{
	const char *name = c->numeric ? NULL : group ? accounts_group_name(c->p, id) : accounts_user_name(c->p, id);

	return name ? name : tsb_format(c->p, "%u", id);
}

static void cpio_list(struct cpio *c, const struct cpio_head *h, const char *target)
{
	char mode[12];

	if (!c->verbose) {
		tsb_printf(c->p, "%s\n", h->name);
		return;
	}
	util_mode_string(h->mode, mode);
	tsb_printf(c->p, "%s %3u %-8s %-8s ", mode, h->nlink, cpio_owner(c, h->uid, false),
		   cpio_owner(c, h->gid, true));
	if (S_ISCHR(h->mode) || S_ISBLK(h->mode))
		tsb_printf(c->p, "%3u, %3u ", h->rdev_major, h->rdev_minor);
	else
		tsb_printf(c->p, "%8llu ", (unsigned long long)h->size);
	tsb_printf(c->p, "%s %s", cpio_when(c, h->mtime), h->name);
	if (target)
		tsb_printf(c->p, " -> %s", target);
	tsb_putc(c->p, '\n');
}

/* ---- Data ---- */

static void cpio_swap(const struct cpio *c, unsigned char *b, size_t n)
{
	for (size_t i = 0; c->swap & CPIO_SWAP_BYTES && i + 1 < n; i += 2) {
		unsigned char t = b[i];

		b[i] = b[i + 1];
		b[i + 1] = t;
	}
	for (size_t i = 0; c->swap & CPIO_SWAP_HALVES && i + 3 < n; i += 4) {
		unsigned char t[2] = { b[i], b[i + 1] };

		memcpy(b + i, b + i + 2, 2);
		memcpy(b + i + 2, t, 2);
	}
}

/* A block of zeros, which a sparse file does not need; the end is set behind it. */
static bool cpio_is_hole(const struct cpio *c, const unsigned char *b, size_t n)
{
	if (!c->sparse || n < 512)
		return false;
	for (size_t i = 0; i < n; i++)
		if (b[i])
			return false;
	return true;
}

/* To fd, or nowhere; true: the sum is that of the header, where there is one. */
static void cpio_data(struct cpio *c, const struct cpio_head *h, int fd)
{
	unsigned char *b = tsb_alloc(c->p, PACK_BLOCK);
	uint32_t sum = 0;

	for (uint64_t left = h->size; left;) {
		size_t n = left < PACK_BLOCK ? (size_t)left : PACK_BLOCK;

		tsb_tick(c->p, 8);
		cpio_read(c, b, n);
		for (size_t i = 0; c->format == CPIO_CRC && i < n; i++)
			sum += b[i];
		cpio_swap(c, b, n);
		if (fd > 2 && cpio_is_hole(c, b, n))
			tsb_lseek(c->p, fd, (int64_t)n, 1);
		else
			cpio_write_data(c, fd, h->name, b, n);
		left -= n;
	}
	if (fd > 2 && c->sparse)
		tsb_ftruncate(c->p, fd, h->size);
	cpio_skip(c, cpio_pad(c, h->size));
	tsb_free(c->p, b);
	if (c->format == CPIO_CRC && sum != h->sum)
		cpio_say(c, 0, "%s: checksum error (0x%x, should be 0x%x)", h->name, sum, h->sum);
}

static void cpio_pass_over(struct cpio *c, const struct cpio_head *h)
{
	cpio_skip(c, h->size);
	cpio_skip(c, cpio_pad(c, h->size));
}

/* ---- Extracting ---- */

/* The names that wait for this file's data are links to it. */
static void cpio_link_waiting(struct cpio *c, const struct cpio_head *h)
{
	for (struct cpio_wait **at = &c->waiting; *at;) {
		struct cpio_wait *w = *at;
		int err;

		if (w->head.ino != h->ino || w->head.dev_major != h->dev_major ||
		    w->head.dev_minor != h->dev_minor) {
			at = &w->next;
			tsb_tick(c->p, 1);
			continue;
		}
		*at = w->next;
		err = cpio_link(c, h->name, w->head.name);
		if (err)
			cpio_error(c, err, "cannot link %s to %s", h->name, w->head.name);
	}
}

static void cpio_wait_for_data(struct cpio *c, const struct cpio_head *h)
{
	struct cpio_wait *w = tsb_alloc(c->p, sizeof(*w)), **at = &c->waiting;

	w->head = *h;
	for (; *at; at = &(*at)->next)
		tsb_tick(c->p, 1);
	*at = w;
}

/* A further name of what is there already? */
static bool cpio_linked(struct cpio *c, const struct cpio_head *h)
{
	if (h->link)
		return !cpio_link(c, h->link, h->name);
	return !cpio_is_tar(c) && cpio_link_inode(c, h);
}

static void cpio_file(struct cpio *c, const struct cpio_head *h)
{
	int fd;

	if (c->to_stdout) {
		tsb_flush(c->p);
		cpio_data(c, h, 1);
		return;
	}
	if (cpio_is_newc(c) && h->nlink > 1 && !h->size) {
		cpio_wait_for_data(c, h);
		return;
	}
	if (cpio_linked(c, h)) {
		cpio_pass_over(c, h);
		return;
	}
	fd = cpio_create(c, h->name);
	if (fd < 0) {
		cpio_pass_over(c, h);
		return;
	}
	cpio_data(c, h, fd);
	cpio_end_file(c, fd, h);
	if (cpio_is_newc(c) && h->nlink > 1)
		cpio_link_waiting(c, h);
}

static void cpio_waiting_end(struct cpio *c)
{
	while (c->waiting) {
		struct cpio_head h = c->waiting->head;
		int fd;

		c->waiting = c->waiting->next;
		fd = cpio_create(c, h.name);
		if (fd >= 0)
			cpio_end_file(c, fd, &h);
		cpio_link_waiting(c, &h);
	}
}

static char *cpio_target(struct cpio *c, const struct cpio_head *h)
{
	char *target;

	if (h->link)
		return h->link;
	if (h->size > CPIO_NAME_MAX)
		cpio_fatal(c, 0, "%s: stored filename length too big", h->name);
	target = tsb_alloc(c->p, (size_t)h->size + 1);
	cpio_read(c, target, (size_t)h->size);
	cpio_skip(c, cpio_pad(c, h->size));
	return target;
}

static void cpio_extract(struct cpio *c, struct cpio_head *h)
{
	if (!c->to_stdout && !cpio_make_way(c, h)) {
		cpio_pass_over(c, h);
		return;
	}
	if (S_ISREG(h->mode)) {
		cpio_file(c, h);
	} else if (c->to_stdout) {
		cpio_pass_over(c, h);
	} else if (S_ISLNK(h->mode)) {
		cpio_make_symlink(c, h, cpio_target(c, h));
	} else if (S_ISDIR(h->mode) || S_ISCHR(h->mode) || S_ISBLK(h->mode) || S_ISFIFO(h->mode) ||
		   S_ISSOCK(h->mode)) {
		cpio_pass_over(c, h);
		cpio_make_special(c, h);
	} else {
		cpio_say(c, 0, "%s: unknown file type", h->name);
		cpio_pass_over(c, h);
	}
}

static void cpio_member(struct cpio *c, struct cpio_head *h)
{
	const char *target = NULL;

	if (!cpio_wanted(c, h->name)) {
		cpio_pass_over(c, h);
	} else if (c->list) {
		if (S_ISLNK(h->mode) && c->verbose)
			target = cpio_target(c, h);
		cpio_list(c, h, target);
		if (!target || h->link)
			cpio_pass_over(c, h);
	} else if (c->only_crc && c->format == CPIO_CRC) {
		if (S_ISREG(h->mode))
			cpio_data(c, h, -1);
		else
			cpio_pass_over(c, h);
		cpio_told(c, h->name, 2);
	} else {
		char *name = cpio_safe_name(c, h->name, false);

		h->name = name;
		if (h->link && S_ISREG(h->mode))
			h->link = cpio_safe_name(c, h->link, true);
		cpio_extract(c, h);
		cpio_told(c, h->name, 2);
	}
}

/* Standard input is a device that gives nothing: the next reel would be asked for. */
static void cpio_check_reel(struct cpio *c)
{
	struct tsb_stat st;

	if (!tsb_fstat(c->p, c->in.fd, &st) && S_ISCHR(st.mode) && !pack_fill(&c->in))
		cpio_fatal(c, ENXIO, "/dev/tty");
}

void cpio_copy_in(struct cpio *c, int argc, char **argv)
{
	struct cpio_head h;

	if (c->pattern_file)
		cpio_pattern_file(c);
	for (int i = 0; i < argc; i++)
		cpio_add_pattern(c, argv[i]);
	if (c->rename)
		cpio_fatal(c, ENXIO, "/dev/tty");
	cpio_check_reel(c);
	c->hold_links = c->relative;
	while (cpio_read_head(c, &h)) {
		bool list = c->list;

		cpio_member(c, &h);
		if (list && h.name)
			tsb_free(c->p, h.name);
	}
	cpio_waiting_end(c);
	cpio_finish_files(c);
	if (c->dot && !c->list)
		tsb_write_all(c->p, 2, "\n", 1);
	tsb_flush(c->p);
	cpio_blocks(c, pack_consumed(&c->in) > c->looked ? pack_consumed(&c->in) : c->looked);
}
