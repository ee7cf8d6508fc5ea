/*
 * The language of less's prompts: %x is a value, ?x ... : ... . a condition, and the rest is text. Values of
 * a place take one letter more, which says of which row.
 */
#include "cmd/less.h"

#include <string.h>

static const char *const less_prompts[] = {
	"?n?f%f .?m(%T %i of %m) ..?e(END) ?x- Next\\: %x..%t",
	"?n?f%f .?m(%T %i of %m) ..?e(END) ?x- Next\\: %x.:?pB%pB\\%:byte %bB?s/%s...%t",
	"?f%f .?n?m(%T %i of %m) ..?ltlines %lt-%lb?L/%L. :byte %bB?s/%s. .?e(END) ?x- Next\\: %x.:?pB%pB\\%..%t",
	"?f%f .?m(%T %i of %m) .?ltlines %lt-%lb?L/%L. .byte %bB?s/%s. ?e(END) :?pB%pB\\%..%t",
	"HELP -- ?eEND -- Press g to see it again:Press RETURN for more., or q when done",
};

struct prompt {
	struct less *l;
	struct str *out;
	const char *at;
};

static int64_t prompt_place(struct prompt *p, int where)
{
	struct less *l = p->l;
	int row = where == 'b' ? l->rows - 1 : where == 'B' ? l->rows : where == 'm' ? l->rows / 2 :
		  where == 'j' ? less_target(l) : 0;
	int64_t at = l->at[row];

	while (at == LESS_NONE && row < l->rows)
		at = l->at[++row];
	return at == LESS_NONE ? less_length(l) : at;
}

static int64_t prompt_line(struct prompt *p, int where)
{
	int64_t at = prompt_place(p, where), n;

	if (at == LESS_NONE || !p->l->o.numbers)
		return 0;
	n = less_number(p->l, at);
	return at == less_length(p->l) && at > 0 && less_byte(p->l, at - 1) == '\n' ? n - 1 : n;
}

static int64_t prompt_lines(struct prompt *p)
{
	int64_t size = less_length(p->l), n;

	if (size == LESS_NONE || size == 0 || !p->l->o.numbers)
		return 0;
	n = less_number(p->l, size);
	return less_byte(p->l, size - 1) == '\n' ? n - 1 : n;
}

static const char *prompt_next(const struct less *l)
{
	return l->current + 1 < l->files.n && !l->file->help ? l->files.at[l->current + 1]->name : NULL;
}

static int prompt_where(struct prompt *p, int what)
{
	if (strchr("bdlpP", what) && *p->at && strchr("tmbBj", *p->at))
		return *p->at++;
	return 't';
}

static bool prompt_condition(struct prompt *p, int what)
{
	struct less *l = p->l;
	int where = prompt_where(p, what);

	switch (what) {
	case 'a': return p->out->n > 0;
	case 'b': return prompt_place(p, where) != LESS_NONE;
	case 'c': return l->shift != 0;
	case 'e': return less_at_end(l);
	case 'f': return strcmp(l->file->name, "-") != 0;
	case 'l': case 'd': return prompt_line(p, where) != 0;
	case 'L': case 'D': return prompt_lines(p) != 0;
	case 'm': return l->files.n > 1;
	case 'n': return l->new_file;
	case 'p': return prompt_place(p, where) != LESS_NONE && less_length(l) > 0;
	case 'P': return prompt_line(p, where) && prompt_lines(p);
	case 's': case 'B': return less_length(l) != LESS_NONE;
	case 'x': return prompt_next(l) != NULL;
	default: return false;
	}
}

static void prompt_number(struct prompt *p, int64_t n, bool known)
{
	if (known)
		str_addf(p->out, "%lld", (long long)n);
	else
		str_adds(p->out, "?");
}

static void prompt_strip(struct prompt *p)
{
	while (p->out->n && strchr(" \t", p->out->p[p->out->n - 1]))
		str_cut(p->out, p->out->n - 1);
}

static void prompt_name(struct prompt *p, const char *name, bool last)
{
	const char *slash = last ? strrchr(name, '/') : NULL;

	str_adds(p->out, slash ? slash + 1 : name);
}

static void prompt_value(struct prompt *p, int what)
{
	struct less *l = p->l;
	int where = prompt_where(p, what);
	int64_t at, size = less_length(l), lines;

	switch (what) {
	case 'b': prompt_number(p, prompt_place(p, where), prompt_place(p, where) != LESS_NONE); break;
	case 'c': prompt_number(p, l->shift, true); break;
	case 'd': prompt_number(p, (prompt_line(p, where) - 1) / l->rows + 1, prompt_line(p, where) > 0); break;
	case 'D': prompt_number(p, (prompt_lines(p) - 1) / l->rows + 1, prompt_lines(p) > 0); break;
	case 'f': case 'F': case 'g': prompt_name(p, l->file->name, what == 'F'); break;
	case 'i': prompt_number(p, (int64_t)l->current + 1, true); break;
	case 'l': prompt_number(p, prompt_line(p, where), prompt_line(p, where) > 0); break;
	case 'L': prompt_number(p, prompt_lines(p), prompt_lines(p) > 0); break;
	case 'm': prompt_number(p, (int64_t)l->files.n, true); break;
	case 'p':
		at = prompt_place(p, where);
		prompt_number(p, size > 0 ? (at * 100 + size / 2) / size : 0, at != LESS_NONE && size > 0);
		break;
	case 'P':
		lines = prompt_lines(p);
		prompt_number(p, lines ? (prompt_line(p, where) * 100 + lines / 2) / lines : 0, lines > 0);
		break;
	case 's': case 'B': prompt_number(p, size, size != LESS_NONE); break;
	case 't': prompt_strip(p); break;
	case 'T': str_adds(p->out, "file"); break;
	case 'x': str_adds(p->out, prompt_next(l) ? prompt_next(l) : "?"); break;
	default: break;
	}
}

/* Over what a condition does not want: to its ":" (if wanted) or behind its ".". */
static const char *prompt_skip(const char *at, bool colon)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '?')
			depth++;
		else if (*at == ':' && !depth && colon)
			return at + 1;
		else if (*at == '.' && depth-- == 0)
			return at + 1;
	}
	return at;
}

const char *less_prompt(struct less *l, int which)
{
	struct str out;
	struct prompt p = { .l = l, .out = &out };
	size_t width = l->columns > 4 ? (size_t)l->columns - 2 : 2;

	which = which >= 0 ? which : l->file->help ? 4 : l->o.prompt;
	p.at = l->o.prompts[which] ? l->o.prompts[which] : less_prompts[which];
	str_init(&out, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	while (*p.at) {
		int c = *p.at++;

		if (c == '\\' && *p.at) {
			str_addc(&out, *p.at++);
		} else if (c == '?' && *p.at) {
			c = *p.at++;
			if (!prompt_condition(&p, c))
				p.at = prompt_skip(p.at, true);
		} else if (c == ':') {
			p.at = prompt_skip(p.at, false);
		} else if (c == '%' && *p.at) {
			c = *p.at++;
			prompt_value(&p, c);
		} else if (c != '.') {
			str_addc(&out, c);
		}
	}
	l->new_file = false;
	if (which != 3 && out.n > width)
		str_cut(&out, width);
	return out.p;
}
