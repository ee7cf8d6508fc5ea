/*
 * shuf - lines in a random order.
 *
 * Of an input of unknown length of which only some lines are wanted, only so
 * many are kept: each further line takes the place of one of them by chance.
 */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/heap.h"
#include "base/num.h"
#include "base/vec.h"
#include "cmd/lines.h"
#include "cmd/randint.h"
#include "cmd/util.h"
#include "cmd/whole.h"

enum {
	SHUF_KEEP_ALL = 8 << 20,	/* bytes of input that are read whole */
	SHUF_AHEAD = 16			/* lines whose memory is asked for early */
};

struct shuf_line {
	char *at;
	size_t n;		/* without its end */
};

struct shuf {
	bool echo, repeat, zero, range;
	uint64_t low, high, count;
	const char *output, *source;

	struct tsb_proc *p;
	struct randint random;
	VEC(struct shuf_line) lines;
	struct arena text;	/* of the lines, but for a sample's, which come and go */
	size_t n;		/* to choose from */
	bool sampled;
	struct sink out;
};

/* ---- Options ---- */

static int shuf_opt_range(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char what[] = "invalid input range";
	const char *dash = strchr(arg, '-');
	struct shuf *s = opts;
	int status;
	char *low;

	(void)opt;
	if (s->range) {
		tsb_warn(p, "multiple -i options specified");
		return 1;
	}
	s->range = true;
	if (!dash) {
		tsb_warn(p, "%s: %s", what, quote_text(p, arg));
		return 1;
	}
	low = tsb_strndup(p, arg, (size_t)(dash - arg));
	status = whole_parse(p, low, 0, SIZE_MAX, NULL, what, &s->low);
	if (!status)
		status = whole_parse(p, dash + 1, 0, SIZE_MAX, NULL, what, &s->high);
	if (status)
		return status;
	if ((s->low <= s->high) == (s->high - s->low + 1 == 0)) {
		tsb_warn(p, "%s: %s", what, quote_text(p, arg));
		return 1;
	}
	return 0;
}

static int shuf_opt_count(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct shuf *s = opts;
	uint64_t n = 0;
	enum num_result r = num_suffixed(arg, NULL, &n);

	(void)opt;
	if (r != NUM_OK && r != NUM_RANGE) {
		tsb_warn(p, "invalid line count: %s", quote_text(p, arg));
		return 1;
	}
	if (r == NUM_OK && n < s->count)
		s->count = n;
	return 0;
}

static int shuf_opt_once(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct shuf *s = opts;
	const char **field = opt->value == 'o' ? &s->output : &s->source;

	if (*field && strcmp(*field, arg)) {
		tsb_warn(p, opt->value == 'o' ? "multiple output files specified"
					      : "multiple random sources specified");
		return 1;
	}
	*field = arg;
	return 0;
}

static const struct tsb_opt shuf_opts[] = {
	TSB_OPT_FLAG(struct shuf, echo, 'e', "echo", "treat each ARG as an input line"),
	TSB_OPT_CALL(shuf_opt_range, 0, 'i', "input-range", "LO-HI",
		     "treat each number LO through HI as an input line"),
	TSB_OPT_CALL(shuf_opt_count, 0, 'n', "head-count", "COUNT", "output at most COUNT lines"),
	TSB_OPT_CALL(shuf_opt_once, 'o', 'o', "output", "FILE",
		     "write result to FILE instead of standard output"),
	TSB_OPT_CALL(shuf_opt_once, 's', 0, "random-source", "FILE", "get random bytes from FILE"),
	TSB_OPT_FLAG(struct shuf, repeat, 'r', "repeat", "output lines can be repeated"),
	TSB_OPT_FLAG(struct shuf, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
	TSB_OPT_END
};

/* ---- Input ---- */

/* Bytes to come; a lot where that is not known. */
static uint64_t shuf_input_size(struct shuf *s, int fd)
{
	struct tsb_stat st;
	int64_t at;

	if (tsb_fstat(s->p, fd, &st) || !S_ISREG(st.mode))
		return UINT64_MAX;
	at = tsb_lseek(s->p, fd, 0, 1);
	return at >= 0 && (uint64_t)at < st.size ? st.size - (uint64_t)at : 0;
}

static struct shuf_line shuf_copy(struct shuf *s, const char *line, size_t n, int end)
{
	n -= line[n - 1] == end;
	return (struct shuf_line){ s->sampled ? heap_dup(tsb_heap_of(s->p), line, n) :
				   arena_dup(&s->text, line, n), n };
}

/* Room where the next line of a sample goes; NULL: nowhere. */
static struct shuf_line *shuf_sample_place(struct shuf *s)
{
	uint64_t j = randint_choose(&s->random, s->n + 1);

	return j < s->count ? &s->lines.at[j] : NULL;
}

static bool shuf_read(struct shuf *s, int fd)
{
	int end = s->zero ? '\0' : '\n';
	struct shuf_line *place = NULL;
	struct lines in = { 0 };
	char *line;
	size_t n;

	lines_open(&in, s->p, fd);
	arena_init(&s->text, tsb_heap_of(s->p));
	while (true) {
		/* A place is drawn before it is known whether there is a line for it. */
		if (s->sampled && s->n >= s->count)
			place = shuf_sample_place(s);
		if (!lines_next(&in, end, &line, &n))
			break;
		if (!s->sampled || s->n < s->count)
			place = vec_add(tsb_heap_of(s->p), &s->lines);
		if (place) {
			if (s->sampled)
				tsb_free(s->p, place->at);
			*place = shuf_copy(s, line, n, end);
		}
		s->n++;
		tsb_tick(s->p, 1);
	}
	if (in.error)
		tsb_warn_errno(s->p, in.error, "read error");
	return !in.error;
}

static bool shuf_read_file(struct shuf *s, const char *name)
{
	int fd = input_open(s->p, name);

	if (fd < 0) {
		tsb_warn_errno(s->p, fd, "%s", quote_f(s->p, name));
		return false;
	}
	s->sampled = !s->repeat && s->count != UINT64_MAX && shuf_input_size(s, fd) > SHUF_KEEP_ALL;
	return shuf_read(s, fd);
}

static void shuf_take_words(struct shuf *s, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		*vec_add(tsb_heap_of(s->p), &s->lines) =
			(struct shuf_line){ argv[i], strlen(argv[i]) };
	s->n = s->lines.n;
}

/* ---- Output ---- */

static void shuf_put(struct shuf *s, uint64_t i)
{
	char number[24];

	if (s->range)
		sink_put(&s->out, number, num_format_u64(number, s->low + i));
	else
		sink_put(&s->out, s->lines.at[i].at, s->lines.at[i].n);
	sink_putc(&s->out, s->zero ? '\0' : '\n');
	tsb_tick(s->p, 1);
}

static bool shuf_redirect(struct shuf *s)
{
	int fd;

	if (!s->output)
		return true;
	fd = tsb_open(s->p, s->output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0) {
		tsb_warn_errno(s->p, fd, "%s", quote_f(s->p, s->output));
		return false;
	}
	tsb_dup2(s->p, fd, 1);
	tsb_close(s->p, fd);
	return true;
}

static int shuf_write_repeated(struct shuf *s)
{
	if (!shuf_redirect(s))
		return 1;
	if (s->count && !s->n) {
		tsb_warn(s->p, "no lines to repeat");
		return 1;
	}
	for (uint64_t i = 0; i < s->count && !tsb_out_error(s->p); i++)
		shuf_put(s, randint_choose(&s->random, s->n));
	sink_flush(&s->out);
	return 0;
}

static int shuf_write(struct shuf *s)
{
	size_t wanted = s->count < s->n ? (size_t)s->count : s->n;
	size_t of = s->sampled ? s->lines.n : s->n;
	uint64_t *order = randint_order(&s->random, wanted, of);

	if (!shuf_redirect(s))
		return 1;
	for (size_t i = 0; i < wanted; i++) {
		if (!s->range && wanted - i > 2 * SHUF_AHEAD) {
			__builtin_prefetch(&s->lines.at[order[i + 2 * SHUF_AHEAD]]);
			__builtin_prefetch(s->lines.at[order[i + SHUF_AHEAD]].at);
		}
		shuf_put(s, order[i]);
	}
	sink_flush(&s->out);
	return 0;
}

static int shuf_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct shuf *s = opts;
	bool needed;
	int err;

	s->p = p;
	if (s->range && s->echo)
		return tsb_usage(p, "cannot combine -e and -i options");
	if (!s->echo && argc > (s->range ? 0 : 1))
		return util_extra_operand(p, argv[s->range ? 0 : 1]);
	err = randint_open(&s->random, p, s->source);
	if (!s->count && !s->range)
		s->n = 0;	/* nothing is read */
	else if (s->range)
		s->n = (size_t)(s->high - s->low + 1);
	else if (s->echo)
		shuf_take_words(s, argc, argv);
	else if (!shuf_read_file(s, argc ? argv[0] : "-"))
		return 1;
	/* Where no order is to be made a source that is missing is not missed. */
	needed = s->repeat || (s->count && (s->sampled || s->n));
	if (err && needed) {
		tsb_warn_errno(p, err, "%s", quote_f(p, s->source));
		return 1;
	}
	sink_init(&s->out, p);
	return s->repeat ? shuf_write_repeated(s) : shuf_write(s);
}

static const struct shuf shuf_defaults = { .count = UINT64_MAX };

const struct tsb_command cmd_shuf = {
	CMD_COREUTILS, .name = "shuf",
	.synopsis = "[OPTION]... [FILE]\n-e [OPTION]... [ARG]...\n-i LO-HI [OPTION]...",
	.summary = "Write a random permutation of the input lines to standard output.",
	.opts = shuf_opts, .opts_size = sizeof(struct shuf), .defaults = &shuf_defaults,
	.run = shuf_run,
};
