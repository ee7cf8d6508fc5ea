/*
 * mapfile and readarray: lines into an indexed array.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <string.h>

#include "shell/words.h"

struct mapfile {
	struct shell *sh;
	const char *array, *callback;
	int delim, fd;
	int64_t count, origin, skip, quantum;
	bool strip, has_origin;
	enum flow *flow;
};

static bool mapfile_number(struct mapfile *m, const char *text, const char *what, int64_t *out)
{
	if (text_number(text, out) && *out >= 0 && *out <= UINT32_MAX)
		return true;
	builtin_error(m->sh, "%s: invalid %s", text, what);
	return false;
}

static int mapfile_options(struct mapfile *m, struct bopt *o)
{
	int64_t n;

	for (int c; (c = bopt_next(o, "d:n:O:s:tu:C:c:"));) {
		bool good = true;

		if (c < 0)
			return STATUS_USAGE;
		switch (c) {
		case 'd':
			m->delim = (unsigned char)*o->arg;
			break;
		case 'n':
			good = mapfile_number(m, o->arg, "line count", &m->count);
			break;
		case 'O':
			good = mapfile_number(m, o->arg, "array origin", &m->origin);
			m->has_origin = true;
			break;
		case 's':
			good = mapfile_number(m, o->arg, "line count", &m->skip);
			break;
		case 't':
			m->strip = true;
			break;
		case 'u':
			good = mapfile_number(m, o->arg, "file descriptor specification", &n);
			m->fd = (int)n;
			if (good && !proc_fd_open(m->sh->p, m->fd)) {
				builtin_error(m->sh, "%d: invalid file descriptor: %s", m->fd,
					      tsb_strerror(EBADF));
				good = false;
			}
			break;
		case 'C':
			m->callback = o->arg;
			break;
		default:
			good = mapfile_number(m, o->arg, "callback quantum", &m->quantum);
			if (good && !m->quantum) {
				builtin_error(m->sh, "%s: invalid callback quantum", o->arg);
				good = false;
			}
		}
		if (!good)
			return 1;
	}
	return 0;
}

/* The callback is evaluated with the index and the line as arguments. */
static void mapfile_call(struct mapfile *m, int64_t index, const struct str *line)
{
	struct shell *sh = m->sh;
	const char *outer = sh->builtin;
	struct str text;

	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_addf(&text, "%s %lld ", m->callback, (long long)index);
	str_addc(&text, '\'');
	for (size_t i = 0; i < line->n; i++) {
		if (line->p[i] == '\'')
			str_adds(&text, "'\\''");
		else
			str_addc(&text, line->p[i]);
	}
	str_addc(&text, '\'');
	sh->builtin = NULL;
	*m->flow = eval_text(sh, text.p, text.n, "mapfile", sh->line);
	sh->builtin = outer;
	str_end(&text);
}

/* What the buffer holds of the line, but NULs one at a time; true: all of it. */
static bool line_buffered(struct mapfile *m, struct byte_source *s, struct str *line)
{
	const char *from = s->buf + s->at, *end, *nul;
	size_t n = s->n - s->at;

	if (!n)
		return false;
	end = memchr(from, m->delim, n);
	n = end ? (size_t)(end - from) + 1 : n;
	nul = m->delim ? memchr(from, '\0', n) : NULL;
	n = nul ? (size_t)(nul - from) : n;
	str_addn(line, from, n);
	s->at += n;
	return end && !nul;
}

/* One line with its delimiter; false: nothing more. */
static bool mapfile_line(struct mapfile *m, struct byte_source *s, struct str *line)
{
	int c;

	str_reset(line);
	do {
		if (line_buffered(m, s, line))
			return true;
		c = byte_next(s);
		if (c > 0 || (c == 0 && m->delim == 0))
			str_addc(line, c);
	} while (c >= 0 && c != m->delim);
	return line->n > 0 || (c == m->delim && c >= 0);
}

static int store_line(struct mapfile *m, int64_t index, struct str *line)
{
	if (line->n && (unsigned char)line->p[line->n - 1] == m->delim &&
	    (m->strip || m->delim == 0))
		str_cut(line, line->n - 1);
	return var_set_index(m->sh, m->array, index, line->p, line->n);
}

static int mapfile_lines(struct mapfile *m, struct byte_source *s, struct str *line)
{
	int64_t taken = 0;

	for (int64_t i = 0; i < m->skip; i++)
		if (!mapfile_line(m, s, line))
			return 0;
	while ((!m->count || taken < m->count) && mapfile_line(m, s, line)) {
		struct arena_mark mark = arena_mark(&m->sh->turn);
		int64_t index = m->origin + taken++;
		int status = 0;

		if (m->callback && taken % m->quantum == 0) {
			if (line->n && m->strip && (unsigned char)line->p[line->n - 1] == m->delim)
				str_cut(line, line->n - 1);
			mapfile_call(m, index, line);
		}
		if (*m->flow == FLOW_NEXT)
			status = store_line(m, index, line);
		arena_reset(&m->sh->turn, mark);
		tsb_tick(m->sh->p, 1);
		if (status || *m->flow != FLOW_NEXT)
			return 1;
	}
	return 0;
}

static bool is_assoc(struct shell *sh, const char *name)
{
	const struct var *v = var_find_text(sh, name, strlen(name));

	return v && (v->flags & VAR_ASSOC);
}

/* -O: what the array holds stays, but there is one. */
static bool mapfile_keep(struct shell *sh, const char *name)
{
	struct var *v = var_declare(sh, name, strlen(name), VAR_INDEXED, 0, false, false);

	if (v)
		v->flags |= VAR_SET;
	return v;
}

int builtin_mapfile(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct mapfile m = { .sh = sh, .array = "MAPFILE", .delim = '\n', .quantum = 5000,
			     .flow = flow };
	struct byte_source *s;
	struct str line;
	struct bopt o;
	int status;

	bopt_init(&o, sh, argc, argv);
	status = mapfile_options(&m, &o);
	if (status)
		return status;
	if (o.at < argc)
		m.array = argv[o.at];
	if (!*m.array) {
		builtin_error(sh, "empty array variable name");
		return STATUS_USAGE;
	}
	if (!text_is_name(m.array)) {
		builtin_error(sh, "`%s': not a valid identifier", m.array);
		return 1;
	}
	if (is_assoc(sh, m.array)) {
		builtin_error(sh, "%s: not an indexed array", m.array);
		return 1;
	}
	if (m.has_origin ? !mapfile_keep(sh, m.array) : var_set_list(sh, m.array, NULL, 0))
		return 1;
	s = heap_alloc(sh->heap, sizeof(*s));
	str_init(&line, sh->heap, kernel_limits(proc_kernel(sh->p))->word_bytes);
	byte_source_init(s, sh, m.fd, -1);
	if (!m.count)
		s->ahead = true;	/* it takes all there is anyway */
	status = mapfile_lines(&m, s, &line);
	if (tsb_lseek(sh->p, m.fd, 0, 1) >= 0)
		byte_source_end(s);
	str_end(&line);
	heap_free(sh->heap, s);
	return status;
}
