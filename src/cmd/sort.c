/*
 * sort - reading, -c, -m and writing. How lines compare is in sort_key.c, how many
 * of them are put in order in sort_memory.c.
 *
 * All input is read into one buffer, which is what the memory of the process
 * allows; there are no temporary files, so -T, -S and the like are only checked.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/files0.h"
#include "cmd/rawopt.h"
#include "cmd/sort.h"
#include "cmd/tempname.h"
#include "cmd/util.h"

/* ---- Reading and writing ---- */

static void sort_die(struct sort *s, int err, const char *what, const char *name)
{
	sink_flush(&s->out);
	tsb_warn_errno(s->p, err, "%s: %s", what, quote_f(s->p, name));
	tsb_exit(s->p, SORT_FAILURE);
}

static int sort_open(struct sort *s, const char *name)
{
	int fd = input_open(s->p, name);

	if (fd < 0)
		sort_die(s, fd, "open failed", name);
	return fd;
}

void sort_write(struct sort *s, const struct sort_line *line)
{
	if (s->debug) {
		sort_debug_line(s, line);
		return;
	}
	sink_put(&s->out, line->at, line->n);
	sink_putc(&s->out, s->delim);
	s->written += line->n + 1;
}

struct sort_text {
	char *at;
	size_t n, cap;
};

static void text_reserve(struct sort *s, struct sort_text *t, size_t more)
{
	size_t want;

	if (t->cap - t->n >= more)
		return;
	want = t->cap + t->cap / 2 > t->n + more ? t->cap + t->cap / 2 : t->n + more;
	if (want > UINT32_MAX) {
		tsb_warn(s->p, "memory exhausted");
		tsb_exit(s->p, SORT_FAILURE);
	}
	t->at = tsb_realloc(s->p, t->at, want);
	t->cap = want;
}

static void text_read(struct sort *s, struct sort_text *t, const char *name)
{
	int fd = sort_open(s, name);
	size_t start = t->n;
	struct tsb_stat st;

	if (!tsb_fstat(s->p, fd, &st) && S_ISREG(st.mode) && st.size < UINT32_MAX)
		text_reserve(s, t, (size_t)st.size + 2);
	for (;;) {
		ssize_t got;

		text_reserve(s, t, t->cap ? 2 : 1 << 16);
		got = tsb_read(s->p, fd, t->at + t->n, t->cap - t->n - 1);
		tsb_tick(s->p, 64);
		if (got < 0)
			sort_die(s, (int)got, "read failed", name);
		if (!got)
			break;
		t->n += (size_t)got;
	}
	if (t->n > start && (unsigned char)t->at[t->n - 1] != s->delim)
		t->at[t->n++] = (char)s->delim;
	input_close(s->p, fd);
}

/* ---- -c ---- */

static int sort_check_file(struct sort *s, const char *name)
{
	struct lines in = { 0 };
	struct sort_line last = { NULL, 0 };
	char *line, *kept = NULL;
	size_t n, cap = 0, number = 0;

	lines_open(&in, s->p, sort_open(s, name));
	while (lines_next(&in, s->delim, &line, &n)) {
		struct sort_line now = { line, n - (line[n - 1] == (char)s->delim) };

		number++;
		if (number > 1 && sort_compare(s, &last, &now) >= (s->unique ? 0 : 1)) {
			if (s->check == 'c') {
				char *head = tsb_format(s->p, "%s: %s:%zu: disorder: ",
							tsb_name(s->p), name, number);

				tsb_write_all(s->p, 2, head, strlen(head));
				tsb_write_all(s->p, 2, now.at, now.n);
				tsb_write_all(s->p, 2, s->zero ? "" : "\n", 1);
			}
			return 1;
		}
		if (now.n + 1 > cap) {
			cap = now.n * 2 + 64;
			kept = tsb_realloc(s->p, kept, cap);
		}
		memcpy(kept, now.at, now.n);
		last = (struct sort_line){ kept, now.n };
		if (number % 1024 == 0)
			tsb_tick(s->p, 256);
	}
	if (in.error)
		sort_die(s, in.error, "read failed", name);
	return 0;
}

/* ---- -m ---- */

struct sort_source {
	struct lines in;
	struct sort_line line;
	const char *name;
	size_t order;
};

static bool source_next(struct sort *s, struct sort_source *src)
{
	char *line;
	size_t n;

	if (lines_next(&src->in, s->delim, &line, &n)) {
		src->line = (struct sort_line){ line, n - (line[n - 1] == (char)s->delim) };
		return true;
	}
	if (src->in.error)
		sort_die(s, src->in.error, "read failed", src->name);
	tsb_free(s->p, src->in.buf);
	input_close(s->p, src->in.fd);
	return false;
}

static bool source_before(struct sort *s, const struct sort_source *a, const struct sort_source *b)
{
	int d = sort_compare(s, &a->line, &b->line);

	return d < 0 || (d == 0 && a->order < b->order);
}

/* heap[0] has changed: down to its place. */
static void source_sink(struct sort *s, struct sort_source **heap, size_t n)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		struct sort_source *x = heap[i];

		if (child + 1 < n && source_before(s, heap[child + 1], heap[child]))
			child++;
		if (!source_before(s, heap[child], x))
			break;
		heap[i] = heap[child];
		heap[child] = x;
		i = child;
	}
}

static size_t merge_open(struct sort *s, char **names, size_t n, struct sort_source **heap)
{
	struct sort_source *all = tsb_alloc(s->p, n * sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct sort_source *src = &all[i];
		size_t at = count;

		src->name = names[i];
		src->order = i;
		lines_open(&src->in, s->p, sort_open(s, names[i]));
		if (!source_next(s, src))
			continue;
		for (heap[count++] = src; at && source_before(s, src, heap[(at - 1) / 2]); ) {
			heap[at] = heap[(at - 1) / 2];
			at = (at - 1) / 2;
			heap[at] = src;
		}
	}
	return count;
}

static void sort_merge(struct sort *s, char **names, size_t n)
{
	struct sort_source **heap = tsb_alloc(s->p, (n + 1) * sizeof(struct sort_source *));
	size_t count = merge_open(s, names, n, heap), cap = 0, turns = 0;
	struct sort_line last = { NULL, 0 };
	char *kept = NULL;

	while (count && !tsb_out_error(s->p)) {
		struct sort_line *line = &heap[0]->line;

		if (!s->unique || !last.at || sort_compare(s, &last, line)) {
			sort_write(s, line);
			if (s->unique && line->n + 1 > cap) {
				cap = line->n * 2 + 64;
				kept = tsb_realloc(s->p, kept, cap);
			}
			if (s->unique) {
				memcpy(kept, line->at, line->n);
				last = (struct sort_line){ kept, line->n };
			}
		}
		if (!source_next(s, heap[0]))
			heap[0] = heap[--count];
		source_sink(s, heap, count);
		if (++turns % 1024 == 0)
			tsb_tick(s->p, 256);
	}
}

/* ---- The whole ---- */

static void sort_check_inputs(struct sort *s, char **names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int err = input_is_stdin(names[i]) ? 0 : tsb_access(s->p, names[i], TSB_R_OK);

		if (err)
			sort_die(s, err, "cannot read", names[i]);
	}
}

/* The result replaces descriptor 1. It may be one of the inputs, so it is cut
 * only when everything is read. */
static int sort_open_output(struct sort *s)
{
	int fd = 1;

	if (s->output) {
		fd = tsb_open(s->p, s->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			sort_die(s, fd, "open failed", s->output);
	}
	return fd;
}

static void sort_use_output(struct sort *s, int fd)
{
	if (fd == 1)
		return;
	tsb_ftruncate(s->p, fd, 0);
	tsb_dup2(s->p, fd, 1);
	tsb_close(s->p, fd);
}

static bool sort_output_is_input(struct sort *s, int fd, char **names, size_t n)
{
	struct tsb_stat out, in;

	if (tsb_fstat(s->p, fd, &out) || !S_ISREG(out.mode))
		return false;
	for (size_t i = 0; i < n; i++) {
		int err = input_is_stdin(names[i]) ? tsb_fstat(s->p, 0, &in)
						   : tsb_stat(s->p, names[i], &in);

		if (!err && util_same_file(&in, &out))
			return true;
	}
	return false;
}

static int sort_finish(struct sort *s)
{
	int err;

	sink_flush(&s->out);
	err = tsb_flush(s->p);
	if (!err)
		return 0;
	tsb_warn_errno(s->p, err, "%s failed: %s", s->written > 4096 ? "write" : "fflush",
		       s->output ? quote_f(s->p, s->output) : "'standard output'");
	return SORT_FAILURE;
}

static int sort_files(struct sort *s, char **names, size_t n)
{
	struct sort_text text = { NULL, 0, 0 };
	int fd;

	sort_check_inputs(s, names, n);
	fd = sort_open_output(s);
	if (s->merge && !sort_output_is_input(s, fd, names, n)) {
		sort_use_output(s, fd);
		sort_merge(s, names, n);
		return sort_finish(s);
	}
	for (size_t i = 0; i < n; i++)
		text_read(s, &text, names[i]);
	sort_use_output(s, fd);
	sort_memory(s, text.at, text.n);
	return sort_finish(s);
}

static int sort_inherit(struct sort *s)
{
	bool random = !s->keys && s->global.random;
	char opts[16];
	int fd, err;

	for (struct sort_key *k = s->keys; k; k = k->next) {
		if (sort_key_default(k) && !k->reverse) {
			struct sort_key place = *k;

			*k = s->global;
			k->sword = place.sword;
			k->schar = place.schar;
			k->eword = place.eword;
			k->echar = place.echar;
			k->obsolete = place.obsolete;
			k->next = place.next;
		}
		random |= k->random;
	}
	if (!s->keys && !sort_key_default(&s->global))
		s->keys = &s->global;
	for (struct sort_key *k = s->keys; k; k = k->next) {
		struct sort_key order = *k;

		if (k->numeric + k->general + k->human + k->month +
		    (k->version || k->random || k->ignore) <= 1)
			continue;
		order.skip_start = order.skip_end = order.reverse = false;
		sort_key_opts(&order, opts);
		return sort_incompatible(s, opts);
	}
	if (!random || !s->random_source) {
		if (random)
			tsb_random(s->p, s->seed, sizeof(s->seed));
		return 0;
	}
	fd = sort_open(s, s->random_source);
	err = (int)tsb_read(s->p, fd, s->seed, sizeof(s->seed));
	if (err < 0)
		sort_die(s, err, "read error", s->random_source);
	if (err == sizeof(s->seed))
		return 0;
	tsb_warn(s->p, "%s: end of file", quote_text(s->p, s->random_source));
	return SORT_FAILURE;
}

/* Names out of --files0-from. */
static int sort_names(struct sort *s, struct files0 *list, int argc, char **argv)
{
	int err;

	if (argc) {
		tsb_warn(s->p, "extra operand %s", quote_af(s->p, argv[0]));
		tsb_write_all(s->p, 2, "file operands cannot be combined with --files0-from\n", 52);
		return tsb_usage(s->p, NULL);
	}
	input_close(s->p, sort_open(s, s->files0));
	err = files0_read(s->p, s->files0, "open failed:", list);
	if (err) {
		tsb_warn(s->p, "cannot read file names from %s", quote_af(s->p, s->files0));
		return SORT_FAILURE;
	}
	if (!list->n) {
		tsb_warn(s->p, "no input from %s", quote_af(s->p, s->files0));
		return SORT_FAILURE;
	}
	for (size_t i = 0; i < list->n; i++) {
		if (!list->at[i][0]) {
			tsb_warn(s->p, "%s:%zu: invalid zero-length file name",
				 quote_f(s->p, s->files0), i + 1);
			return SORT_FAILURE;
		}
		if (input_is_stdin(s->files0) && input_is_stdin(list->at[i])) {
			tsb_warn(s->p, "when reading file names from stdin, no file name of %s "
				 "allowed", quote_af(s->p, list->at[i]));
			return SORT_FAILURE;
		}
	}
	return 0;
}

/* More files than are merged at once go through temporary files, which must be possible. */
static bool sort_has_room(struct sort *s, size_t n)
{
	const char *dir = s->temp ? s->temp : tsb_getenv(s->p, "TMPDIR");
	int err;

	if (!s->merge || n <= (s->batch ? s->batch : 16))
		return true;
	dir = dir ? dir : "/tmp";
	err = tempname_try(s->p, dir);
	if (err)
		tsb_warn_errno(s->p, err, "cannot create temporary file in %s", quote_af(s->p, dir));
	return !err;
}

static int sort_start(struct sort *s, char **names, size_t n)
{
	char opts[16] = "c --debug";

	if (s->debug && (s->check || s->output)) {
		opts[0] = s->check ? (char)s->check : 'o';
		return sort_incompatible(s, opts);
	}
	if (s->debug)
		sort_debug_warnings(s);
	if (!s->check)
		return sort_has_room(s, n) ? sort_files(s, names, n) : SORT_FAILURE;
	if (n > 1) {
		tsb_warn(s->p, "extra operand %s not allowed with -%c", quote_af(s->p, names[1]),
			 s->check);
		return SORT_FAILURE;
	}
	if (s->output)
		return sort_incompatible(s, s->check == 'c' ? "co" : "Co");
	return sort_check_file(s, names[0]);
}

static int sort_run(struct tsb_proc *p, void *raw, int argc, char **argv)
{
	static char dash[] = "-";
	char *standard[] = { dash, NULL };
	struct opt_parsed parsed;
	struct files0 list;
	struct sort *s;
	int status;

	(void)raw;
	argv = sort_modern(p, &argc, argv);
	if (!rawopt_parse(p, &cmd_sort, argc, argv, &parsed, &status))
		return status;
	s = parsed.opts;
	s->p = p;
	s->delim = s->zero ? '\0' : '\n';
	list = (struct files0){ .at = parsed.argc ? parsed.argv : standard,
				.n = parsed.argc ? (size_t)parsed.argc : 1 };
	sink_init(&s->out, p);
	sort_tables(s);
	if (s->files0) {
		status = sort_names(s, &list, parsed.argc, parsed.argv);
		if (status)
			return status;
	}
	status = sort_inherit(s);
	return status ? status : sort_start(s, list.at, list.n);
}

const struct tsb_command cmd_sort = {
	CMD_COREUTILS, .name = "sort",
	.synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
	.summary = "Write sorted concatenation of all FILE(s) to standard output.",
	.opts = sort_opts, .opts_size = sizeof(struct sort), .defaults = &sort_defaults,
	.run = sort_run, .flags = TSB_RAW, .usage_status = SORT_FAILURE,
};
