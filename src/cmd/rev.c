/*
 * rev - reverse the characters of each line. A line with bytes that are no
 * characters ends its file, as in the real one; in the locale C those above 127
 * are none.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/locale.h"

struct rev {
	struct tsb_proc *p;
	bool utf8;
	struct sink out;
	struct lines in;
	struct str held;	/* up to a NUL: it goes on with the next line */
	char *buf;
	size_t cap;
};

/* Bytes of whole characters from the front to the back; false: an invalid one. */
static bool rev_line(struct rev *r, const char *line, size_t n)
{
	size_t to = n;

	if (n > r->cap) {
		tsb_free(r->p, r->buf);
		r->cap = n * 2;
		r->buf = text_alloc(r->p, r->cap);
	}
	for (size_t i = 0, len; i < n; i += len) {
		int32_t c = 0;

		len = r->utf8 ? utf8_decode(line + i, n - i, &c) : 1;
		if (c < 0 || (!r->utf8 && (line[i] & 0x80)))
			return false;
		to -= len;
		memcpy(r->buf + to, line + i, len);
	}
	sink_put(&r->out, r->buf, n);
	return true;
}

/* Without the bytes at the end that begin a character: the file ends in the middle of it. */
static size_t rev_whole(const struct rev *r, const char *line, size_t n)
{
	for (size_t k = 1; r->utf8 && k <= 3 && k <= n; k++) {
		unsigned char c = (unsigned char)line[n - k];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= 0xc2 && c < 0xf5 && k < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u))
			return n - k;
		break;
	}
	return n;
}

/* 0, or the exit status after the message. */
static int rev_stream(struct rev *r, const char *name)
{
	size_t n, number = 0;
	char *line;

	while (lines_next(&r->in, '\n', &line, &n)) {
		char *nul = memchr(line, '\0', n);
		bool ended = line[n - 1] == '\n';
		size_t before = r->held.n;

		tsb_tick(r->p, n / 64 + 1);
		if (nul || r->held.n) {
			str_addn(&r->held, line, nul ? (size_t)(nul - line) : n);
			line = r->held.p;
			n = r->held.n;
		}
		if (nul)
			continue;
		if (!rev_line(r, line, ended ? n - 1 : rev_whole(r, line, n))) {
			if (before)
				number += rev_line(r, line, before);
			str_reset(&r->held);
			tsb_warn(r->p, "%s: %zu: %s", name, number, tsb_strerror(EILSEQ));
			return 1;
		}
		number++;
		if (ended)
			sink_putc(&r->out, '\n');
		str_reset(&r->held);
	}
	if (r->held.n)
		rev_line(r, r->held.p, r->held.n);
	str_reset(&r->held);
	if (!r->in.error)
		return 0;
	tsb_warn(r->p, "%s: %zu: %s", name, number, tsb_strerror(r->in.error));
	return 1;
}

static int rev_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct rev r = { .p = p, .utf8 = locale_utf8(p) };
	int status = 0;

	(void)opts;
	sink_init_apart(&r.out, p);
	str_init(&r.held, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!argc) {
		lines_open(&r.in, p, 0);
		status = rev_stream(&r, "stdin");
	}
	for (int i = 0; i < argc && !tsb_out_error(p); i++) {
		int fd = tsb_open(p, argv[i], 0, 0);

		if (fd < 0) {
			tsb_warn(p, "cannot open %s: %s", argv[i], tsb_strerror(fd));
			status = 1;
			continue;
		}
		lines_open(&r.in, p, fd);
		status |= rev_stream(&r, argv[i]);
		tsb_close(p, fd);
	}
	sink_flush(&r.out);
	return status;
}

static const struct tsb_opt rev_opts[] = {
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

const struct tsb_command cmd_rev = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "rev", .synopsis = "[option] [file...]",
	.summary = "Reverse lines characterwise.", .opts = rev_opts, .run = rev_run,
};
