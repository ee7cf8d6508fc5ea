/*
 * The text that less shows: blocks of a file that can be read anywhere, or all that came out of a pipe;
 * and where its lines begin and end.
 */
#include "cmd/less.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Opening ---- */

static void less_forget_blocks(struct less *l)
{
	for (int i = 0; i < LESS_BLOCKS; i++)
		l->blocks[i].number = -1;
}

static bool less_is_binary(const char *bytes, size_t n)
{
	size_t odd = 0;

	for (size_t i = 0; i < n; i++)
		odd += (unsigned char)bytes[i] < 32 && !strchr("\t\n\r\b\f\033", bytes[i]);
	return odd > 5;
}

static bool less_wants_binary(struct less *l, struct less_file *f)
{
	char head[256];
	ssize_t n = f->seekable ? tsb_pread(l->p, f->fd, head, sizeof(head), 0) : 0;
	char *answer;

	if (l->o.force || n <= 0 || !less_is_binary(head, (size_t)n))
		return true;
	if (!l->term.begun)
		return true;
	answer = less_ask(l, tsb_format(l->p, "\"%s\" may be a binary file.  See it anyway? ", f->name), NULL);
	return answer && (*answer == 'y' || *answer == 'Y');
}

static bool less_take_file(struct less *l, struct less_file *f)
{
	struct tsb_stat st;
	int rc;

	f->fd = less_opened(l, f->name, &f->pid);
	if (f->fd < 0)
		f->fd = strcmp(f->name, "-") ? tsb_open(l->p, f->name, O_RDONLY | O_CLOEXEC, 0) : 0;
	rc = f->fd < 0 ? f->fd : tsb_fstat(l->p, f->fd, &st);
	if (rc < 0) {
		less_tell(l, "%s: %s", f->name, tsb_strerror(rc));
		return false;
	}
	if (S_ISDIR(st.mode) || (!l->o.force && !S_ISREG(st.mode) && strcmp(f->name, "-") && !f->pid)) {
		less_tell(l, S_ISDIR(st.mode) ? "%s is a directory" :
			  "%s is not a regular file (use -f to see it)", f->name);
		tsb_close(l->p, f->fd);
		f->fd = -1;
		return false;
	}
	f->seekable = S_ISREG(st.mode) && !f->pid;
	f->size = f->seekable ? (int64_t)st.size : LESS_NONE;
	return less_wants_binary(l, f);
}

bool less_take(struct less *l, struct less_file *f)
{
	if (!f->opened) {
		f->fd = -1;
		f->size = LESS_NONE;
		f->top = LESS_NONE;
		str_init(&f->text, tsb_heap_of(l->p), STR_MAX_DEFAULT);
		if (!less_take_file(l, f))
			return false;
		f->opened = true;
	}
	l->file = f;
	less_forget_blocks(l);
	l->spans_of = LESS_NONE;
	l->last_found = LESS_NONE;
	l->unread = LESS_NONE;
	l->shift = l->known_at = 0;
	l->new_file = true;
	less_clear(l);
	return true;
}

/* ---- Bytes ---- */

static int less_block_byte(struct less *l, int64_t at)
{
	struct less_file *f = l->file;
	int64_t number = at / LESS_BLOCK;
	struct less_block *b = &l->blocks[number % LESS_BLOCKS];
	size_t i = (size_t)(at % LESS_BLOCK);
	ssize_t n;

	if (b->number != number) {
		b->bytes = b->bytes ? b->bytes : tsb_alloc(l->p, LESS_BLOCK);
		b->number = number;
		n = tsb_pread(l->p, f->fd, b->bytes, LESS_BLOCK, (uint64_t)(number * LESS_BLOCK));
		b->n = n > 0 ? (size_t)n : 0;
		tsb_tick(l->p, 64);
	}
	return i < b->n ? (unsigned char)b->bytes[i] : -1;
}

/* More of a pipe; false: it has ended, or somebody does not want to wait. */
static bool less_pipe_more(struct less *l)
{
	struct less_file *f = l->file;
	ssize_t n;

	if (f->ended)
		f->size = (int64_t)f->text.n;
	if (f->ended || !str_reserve(&f->text, LESS_BLOCK))
		return false;
	if (l->follow && tsb_poll_in(l->p, f->fd, 0) == 0)
		return false;
	n = tsb_read(l->p, f->fd, f->text.p + f->text.n, LESS_BLOCK - 1);
	if (n == -EINTR) {
		int sig = vdu_signal(&l->term);

		l->trashed |= sig == VDU_RESIZED;
		if (sig != VDU_INTERRUPT)
			return true;
		l->asked_end = true;
		return false;
	}
	if (n > 0) {
		f->text.n += (size_t)n;
		f->text.p[f->text.n] = '\0';
		return true;
	}
	f->ended = true;
	f->size = (int64_t)f->text.n;
	return false;
}

int less_byte(struct less *l, int64_t at)
{
	struct less_file *f = l->file;

	if (!f || at < 0)
		return -1;
	if (!(++l->steps & 0xffff))
		tsb_tick(l->p, 4096);
	if (f->seekable)
		return less_block_byte(l, at);
	while ((size_t)at >= f->text.n)
		if (l->asked_end || !less_pipe_more(l))
			return -1;
	return (unsigned char)f->text.p[at];
}

void less_grown(struct less *l)
{
	struct less_file *f = l->file;
	struct tsb_stat st;

	if (!f->seekable || tsb_fstat(l->p, f->fd, &st) < 0)
		return;
	if ((int64_t)st.size != f->size)
		for (int i = 0; i < LESS_BLOCKS; i++)
			if (l->blocks[i].n < LESS_BLOCK || (int64_t)st.size < f->size)
				l->blocks[i].number = -1;
	f->size = (int64_t)st.size;
}

int64_t less_length(struct less *l)
{
	return l->file ? l->file->size : 0;
}

int64_t less_length_all(struct less *l)
{
	if (!l->file->seekable)
		while (!l->file->ended && !l->asked_end && less_pipe_more(l))
			;
	return l->file->seekable ? l->file->size : (int64_t)l->file->text.n;
}

/* ---- Lines ---- */

int64_t less_line_begin(struct less *l, int64_t at)
{
	while (at > 0 && less_byte(l, at - 1) != '\n')
		at--;
	return at;
}

int64_t less_line_next(struct less *l, int64_t at)
{
	int c;

	while ((c = less_byte(l, at)) >= 0 && c != '\n')
		at++;
	return c < 0 || less_byte(l, at + 1) < 0 ? LESS_NONE : at + 1;
}

int64_t less_line_before(struct less *l, int64_t at)
{
	return at <= 0 ? LESS_NONE : less_line_begin(l, at - 1);
}

/* From the place that was asked for last, if it is nearer than the begin. */
int64_t less_number(struct less *l, int64_t at)
{
	int64_t i = l->known_at, n = l->known_number;

	if (!i || at < i / 2) {
		i = 0;
		n = 1;
	}
	for (; i < at; i++)
		n += less_byte(l, i) == '\n';
	for (; i > at; i--)
		n -= less_byte(l, i - 1) == '\n';
	l->known_at = at;
	l->known_number = n;
	return n;
}

int64_t less_line_at(struct less *l, int64_t number)
{
	int64_t at = 0;

	for (; number > 1 && at != LESS_NONE; number--)
		at = less_line_next(l, at);
	return at;
}

/* ESC [ numbers m, or a hyperlink (-R): how long; 0: it is none. */
size_t less_sgr(const char *p, size_t n)
{
	size_t i = 2;

	if (n < 3 || p[0] != 27 || p[1] != '[')
		return 0;
	while (i < n && ((p[i] >= '0' && p[i] <= '9') || strchr(";:?[", p[i])))
		i++;
	return i < n && p[i] == 'm' ? i + 1 : 0;
}

void less_line(struct less *l, int64_t at, struct str *text, struct str *places)
{
	struct str raw;
	int c;

	str_init(&raw, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	for (int64_t i = at; raw.n < LESS_LINE_MAX && (c = less_byte(l, i)) >= 0 && c != '\n'; i++)
		str_addc(&raw, c);
	if (raw.n && raw.p[raw.n - 1] == '\r' && l->o.underline == LESS_OFF)
		str_cut(&raw, raw.n - 1);
	for (size_t i = 0; i < raw.n; i++) {
		size_t skip = l->o.raw ? less_sgr(raw.p + i, raw.n - i) : 0;
		int64_t place = at + (int64_t)i;

		if (skip) {
			i += skip - 1;
			continue;
		}
		if (raw.p[i] == '\b' && text->n && l->o.underline == LESS_OFF) {	/* an overstrike */
			do {
				str_cut(text, text->n - 1);
				if (places)
					str_cut(places, places->n - sizeof(place));
			} while (text->n && ((unsigned char)text->p[text->n] & 0xc0) == 0x80);
			continue;
		}
		str_addc(text, raw.p[i]);
		if (places)
			str_addn(places, &place, sizeof(place));
	}
	str_end(&raw);
}
