/*
 * parallel's arguments: from behind ":::", out of files and out of standard
 * input; combined with each other or linked; split into columns.
 */
#include "cmd/parallel.h"

#include <fcntl.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/util.h"
#include "text/regex.h"

#define PAR_SOURCES_MAX 64

struct par_source {
	const char **at;
	size_t n, cap;
	bool linked;		/* with the one before: not combined */
};

static void par_source_add(struct par *r, struct par_source *s, const char *text, size_t n)
{
	const char *from = text, *to = text + n;

	if (r->trim && strpbrk(r->trim, "l"))
		while (from < to && strchr(" \t\n", *from))
			from++;
	if (r->trim && strpbrk(r->trim, "r"))
		while (from < to && strchr(" \t\n", to[-1]))
			to--;
	if (r->no_empty && from == to)
		return;
	s->at = util_grow(r->p, s->at, s->n, &s->cap, sizeof(*s->at));
	s->at[s->n++] = tsb_strndup(r->p, from, (size_t)(to - from));
}

static bool par_source_file(struct par *r, struct par_source *s, const char *name)
{
	struct lines in = { .p = r->p };
	bool is_stdin = !name || !strcmp(name, "-");
	int fd = is_stdin ? 0 : tsb_open(r->p, name, O_RDONLY, 0);
	char *line;
	size_t n;

	if (fd < 0) {
		tsb_warn(r->p, "Error: Cannot open input file `%s': %s.", name, tsb_strerror(fd));
		return false;
	}
	r->stdin_used |= is_stdin;
	lines_open(&in, r->p, fd);
	while (lines_next(&in, r->delim, &line, &n)) {
		n -= line[n - 1] == (char)r->delim;
		line[n] = '\0';
		if (r->eof && !strcmp(line, r->eof))
			break;
		par_source_add(r, s, line, n);
	}
	input_close(r->p, fd);
	return true;
}

/* ---- Records ---- */

static struct par_record *par_record_add(struct par *r, size_t columns)
{
	struct par_record *rec;

	r->records = util_grow(r->p, r->records, r->n_records, &r->cap_records, sizeof(*rec));
	rec = &r->records[r->n_records++];
	rec->n = columns;
	rec->column = tsb_alloc(r->p, (columns + 1) * sizeof(*rec->column));
	return rec;
}

/* A line split by --colsep; the columns of several sources follow one another. */
static void par_split(struct par *r, const char *text, const char ***columns, size_t *n, size_t *cap)
{
	size_t len = strlen(text), from = 0, search = 0;
	struct regex_span span;

	while (r->colsep_re && search <= len &&
	       regex_match(r->colsep_re, text, len, search, 0, &span, 1) == REGEX_MATCH) {
		if (span.eo == span.so) {
			search = span.eo + 1;
			continue;
		}
		*columns = util_grow(r->p, *columns, *n, cap, sizeof(**columns));
		(*columns)[(*n)++] = tsb_strndup(r->p, text + from, span.so - from);
		from = search = span.eo;
	}
	*columns = util_grow(r->p, *columns, *n, cap, sizeof(**columns));
	(*columns)[(*n)++] = tsb_strdup(r->p, text + from);
}

static void par_record_of(struct par *r, const struct par_source *s, size_t n, const size_t *index)
{
	const char **columns = NULL;
	size_t count = 0, cap = 0;
	struct par_record *rec;

	for (size_t i = 0; i < n; i++)
		par_split(r, s[i].at[index[i] % s[i].n], &columns, &count, &cap);
	rec = par_record_add(r, count);
	memcpy(rec->column, columns, count * sizeof(*columns));
	tsb_free(r->p, columns);
}

/* How often the sources linked from i on have something: the longest. */
static size_t par_group(const struct par_source *s, size_t n, size_t i, size_t *length)
{
	size_t k = i + 1;

	*length = s[i].n;
	for (; k < n && s[k].linked; k++)
		*length = s[k].n > *length ? s[k].n : *length;
	return k;
}

/* The next combination: the last group turns fastest. */
static bool par_next(const struct par_source *s, size_t n, size_t *index)
{
	size_t starts[PAR_SOURCES_MAX], groups = 0;

	for (size_t i = 0; i < n;) {
		size_t length;

		starts[groups++] = i;
		i = par_group(s, n, i, &length);
	}
	while (groups--) {
		size_t i = starts[groups], length, end = par_group(s, n, i, &length);
		bool wrapped = index[i] + 1 >= length;

		for (size_t k = i; k < end; k++)
			index[k] = wrapped ? 0 : index[k] + 1;
		if (!wrapped)
			return true;
	}
	return false;
}

static void par_combine(struct par *r, const struct par_source *s, size_t n)
{
	size_t index[PAR_SOURCES_MAX] = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!s[i].n)
			return;
	do {
		tsb_tick(r->p, 10);
		par_record_of(r, s, n, index);
	} while (par_next(s, n, index));
}

/* --header: the first value of each source names it. */
static void par_take_header(struct par *r, struct par_source *s, size_t n)
{
	size_t cap = 0;

	for (size_t i = 0; i < n; i++) {
		if (!s[i].n)
			continue;
		par_split(r, s[i].at[0], &r->names, &r->n_names, &cap);
		s[i].at++;
		s[i].n--;
	}
}

/* Is this word one that starts a source? '+' behind it links it. */
static bool par_is_separator(const struct par *r, const char *word, bool *file, bool *linked)
{
	const char *arg = r->arg_sep ? r->arg_sep : ":::", *from = r->file_sep ? r->file_sep : "::::";
	size_t n = strlen(word);

	*linked = n > 1 && word[n - 1] == '+';
	n -= *linked;
	*file = strlen(from) == n && !strncmp(word, from, n);
	return *file || (strlen(arg) == n && !strncmp(word, arg, n));
}

static bool par_read_sources(struct par *r, int argc, char **argv, struct par_source *s, size_t *n)
{
	bool file = false, linked = false, is_file, is_linked;

	for (size_t i = 0; i < r->arg_files.n && *n < PAR_SOURCES_MAX; i++) {
		s[*n] = (struct par_source){ .linked = r->link && *n };
		if (!par_source_file(r, &s[(*n)++], r->arg_files.at[i]))
			return false;
	}
	for (int i = 0; i < argc; i++) {
		if (par_is_separator(r, argv[i], &is_file, &is_linked)) {
			file = is_file;
			linked = is_linked;
			if (!file && *n < PAR_SOURCES_MAX)
				s[(*n)++] = (struct par_source){ .linked = (linked || r->link) && *n };
			continue;
		}
		if (file && *n < PAR_SOURCES_MAX) {
			s[*n] = (struct par_source){ .linked = (linked || r->link) && *n };
			if (!par_source_file(r, &s[(*n)++], argv[i]))
				return false;
		} else if (*n) {
			par_source_add(r, &s[*n - 1], argv[i], strlen(argv[i]));
		}
	}
	if (*n)
		return true;
	s[*n] = (struct par_source){ .linked = false };
	return par_source_file(r, &s[(*n)++], NULL);
}

bool par_read_input(struct par *r, int argc, char **argv)
{
	struct par_source *s = tsb_alloc(r->p, PAR_SOURCES_MAX * sizeof(*s));
	size_t n = 0;

	if (!par_read_sources(r, argc, argv, s, &n))
		return false;
	if (r->header)
		par_take_header(r, s, n);
	par_combine(r, s, n);
	for (size_t i = r->n_records; r->shuffle && i > 1; i--) {
		uint64_t x;
		struct par_record swap;

		tsb_random(r->p, &x, sizeof(x));
		swap = r->records[i - 1];
		r->records[i - 1] = r->records[x % i];
		r->records[x % i] = swap;
	}
	return true;
}

/* ---- --pipe ---- */

int par_temporary(struct par *r)
{
	const char *dir = r->tmpdir ? r->tmpdir : tsb_getenv(r->p, "TMPDIR");
	uint64_t x;
	char *name;
	int fd;

	tsb_random(r->p, &x, sizeof(x));
	name = tsb_format(r->p, "%s/par%016llx", dir && *dir ? dir : "/tmp", (unsigned long long)x);
	fd = tsb_open(r->p, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		tsb_unlink(r->p, name);
	return fd;
}

static bool par_block(struct par *r, const char *text, size_t n)
{
	struct par_job *job;
	int fd = par_temporary(r);

	if (fd < 0 || tsb_write_all(r->p, fd, text, n) < 0) {
		tsb_warn_errno(r->p, fd, "Error: Cannot make a temporary file");
		return false;
	}
	tsb_lseek(r->p, fd, 0, 0);
	r->jobs = util_grow(r->p, r->jobs, r->n_jobs, &r->cap_jobs, sizeof(*r->jobs));
	job = &r->jobs[r->n_jobs++];
	*job = (struct par_job){ .seq = r->n_jobs, .in = fd, .out = -1, .err = -1 };
	return true;
}

bool par_read_blocks(struct par *r)
{
	size_t size = r->chars_max, lines_max = r->positional ? r->args_max : 0, lines = 0, n;
	struct lines in = { .p = r->p };
	struct str block;
	char *line;

	r->stdin_used = true;
	str_init(&block, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	lines_open(&in, r->p, 0);
	while (lines_next(&in, r->delim, &line, &n)) {
		bool full = lines_max ? lines == lines_max : block.n && block.n + n > size;

		if (full && !par_block(r, block.p, block.n))
			return false;
		if (full) {
			str_reset(&block);
			lines = 0;
		}
		str_addn(&block, line, n);
		lines++;
	}
	return !block.n || par_block(r, block.p, block.n);
}
