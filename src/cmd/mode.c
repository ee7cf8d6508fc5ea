/*
 * File modes. A text becomes a list of steps (operator, whom it affects, which
 * bits); applying runs the steps in order, because each may copy what an
 * earlier one set ("g=u,u-w"). Set-id bits of a directory stay unless a step
 * mentions them: GNU keeps them so that a plain "755" loses no setgid.
 */
#include "cmd/mode.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <tinysandbox/command.h>

#include "cmd/util.h"

enum mode_what { MODE_VALUE, MODE_COPY, MODE_X_IF_ANY };

struct mode_step {
	char op;		/* = + - */
	enum mode_what what;
	uint32_t affected;	/* 0: everybody, less the umask */
	uint32_t value;
	uint32_t mentioned;
};

struct mode_change {
	struct tsb_proc *p;
	size_t n, cap;
	struct mode_step *at;
};

static void mode_add(struct mode_change *m, struct mode_step step)
{
	m->at = util_grow(m->p, m->at, m->n, &m->cap, sizeof(*m->at));
	m->at[m->n++] = step;
}

/* Octal digits at *s: false when past 7777. */
static bool mode_octal(const char **s, uint32_t *value)
{
	for (*value = 0; **s >= '0' && **s < '8'; (*s)++) {
		*value = *value * 8 + (uint32_t)(**s - '0');
		if (*value > MODE_BITS)
			return false;
	}
	return true;
}

static uint32_t mode_who(int c)
{
	switch (c) {
	case 'u': return S_ISUID | S_IRWXU;
	case 'g': return S_ISGID | S_IRWXG;
	case 'o': return S_ISVTX | S_IRWXO;
	case 'a': return MODE_BITS;
	default: return 0;
	}
}

/* The letters behind an operator. */
static const char *mode_letters(const char *s, struct mode_step *step)
{
	static const struct { char letter; uint32_t bits; } letters[] = {
		{ 'r', 0444 }, { 'w', 0222 }, { 'x', 0111 }, { 's', 06000 }, { 't', 01000 },
	};

	if (*s == 'u' || *s == 'g' || *s == 'o') {
		step->what = MODE_COPY;
		step->value = *s == 'u' ? S_IRWXU : *s == 'g' ? S_IRWXG : S_IRWXO;
		return s + 1;
	}
	for (;; s++) {
		size_t i = 0;

		if (*s == 'X') {
			step->what = MODE_X_IF_ANY;
			continue;
		}
		while (i < 5 && letters[i].letter != *s)
			i++;
		if (i == 5)
			return s;
		step->value |= letters[i].bits;
	}
}

/* One "op letters" of a clause; NULL: not a mode. */
static const char *mode_operation(struct mode_change *m, const char *s, uint32_t who)
{
	struct mode_step step = { .op = *s++, .affected = who };

	if (*s >= '0' && *s < '8') {
		if (!mode_octal(&s, &step.value) || who || (*s && *s != ','))
			return NULL;
		step.affected = step.mentioned = MODE_BITS;
	} else {
		s = mode_letters(s, &step);
		step.mentioned = who ? who & step.value : step.value;
	}
	mode_add(m, step);
	return s;
}

static bool mode_symbolic(struct mode_change *m, const char *s)
{
	for (;;) {
		uint32_t who = 0;

		for (; mode_who(*s); s++)
			who |= mode_who(*s);
		if (!*s || !strchr("=+-", *s))
			return false;
		while (*s && strchr("=+-", *s)) {
			s = mode_operation(m, s, who);
			if (!s)
				return false;
		}
		if (*s != ',')
			return !*s;
		s++;
	}
}

struct mode_change *mode_compile(struct tsb_proc *p, const char *text)
{
	struct mode_change *m = tsb_alloc(p, sizeof(*m));
	const char *s = text;
	uint32_t value;

	m->p = p;
	if (*s < '0' || *s > '7')
		return mode_symbolic(m, s) ? m : NULL;
	if (!mode_octal(&s, &value) || *s)
		return NULL;
	/* Fewer than five digits say nothing about set-id bits they leave 0. */
	mode_add(m, (struct mode_step){
		.op = '=', .affected = MODE_BITS, .value = value,
		.mentioned = s - text < 5 ? (value & 06000) | 01777 : MODE_BITS });
	return m;
}

struct mode_change *mode_from_reference(struct tsb_proc *p, uint32_t mode)
{
	struct mode_change *m = tsb_alloc(p, sizeof(*m));

	m->p = p;
	mode_add(m, (struct mode_step){ .op = '=', .affected = MODE_BITS,
					.value = mode & MODE_BITS, .mentioned = MODE_BITS });
	return m;
}

static uint32_t mode_step_value(const struct mode_step *step, uint32_t now, bool is_dir)
{
	uint32_t v = step->value;

	if (step->what == MODE_COPY) {
		v &= now;
		v |= (v & 0444 ? 0444u : 0) | (v & 0222 ? 0222u : 0) | (v & 0111 ? 0111u : 0);
	} else if (step->what == MODE_X_IF_ANY && (is_dir || (now & 0111))) {
		v |= 0111;
	}
	return v;
}

uint32_t mode_apply(const struct mode_change *m, uint32_t old, bool is_dir, uint32_t umask,
		    uint32_t *touched)
{
	uint32_t now = old & MODE_BITS, bits = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct mode_step *step = &m->at[i];
		uint32_t omit = (is_dir ? 06000u : 0) & ~step->mentioned;
		uint32_t v = mode_step_value(step, now, is_dir);
		uint32_t keep = (step->affected ? ~step->affected : 0) | omit;

		v &= (step->affected ? step->affected : ~umask) & ~omit;
		bits |= step->op == '=' ? MODE_BITS & ~keep : v;
		if (step->op == '=')
			now = (now & keep) | v;
		else
			now = step->op == '+' ? now | v : now & ~v;
	}
	if (touched)
		*touched = bits;
	return now & MODE_BITS;
}
