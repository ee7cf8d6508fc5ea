/*
 * The pattern space, the hold space and the place where a substitution grows.
 */
#include "cmd/sed.h"

#include <string.h>

#include "base/num.h"

/* Moving the text to the front pays only when that frees half of the memory:
 * "$!N;P;D" takes from the front as long as it adds behind. */
static void sed_space_reserve(struct sed *s, struct sed_space *sp, size_t more)
{
	size_t head = sp->borrowed || !sp->buf ? 0 : (size_t)(sp->at - sp->buf), want, cap;
	char *new = sp->buf;

	if (!num_add(sp->n, more, &want) || !num_add(want, head, &cap) || cap > SIZE_MAX / 4)
		want = cap = SIZE_MAX / 4;	/* ends the process */
	if (!sp->borrowed && cap <= sp->cap)
		return;
	if (want > sp->cap || (!sp->borrowed && head < sp->cap / 2)) {
		sp->cap = want * 2 + 64;
		new = text_alloc(s->p, sp->cap);
	}
	if (sp->n)
		memmove(new, sp->at, sp->n);
	if (new != sp->buf)
		tsb_free(s->p, sp->buf);
	sp->buf = sp->at = new;
	sp->borrowed = false;
}

void sed_space_own(struct sed *s, struct sed_space *sp)
{
	if (sp->borrowed)
		sed_space_reserve(s, sp, 0);
}

void sed_space_add(struct sed *s, struct sed_space *sp, const char *p, size_t n)
{
	sed_space_reserve(s, sp, n);
	if (n)
		memcpy(sp->at + sp->n, p, n);
	sp->n += n;
}

void sed_space_addc(struct sed *s, struct sed_space *sp, int c)
{
	sed_space_reserve(s, sp, 1);
	sp->at[sp->n++] = (char)c;
}

void sed_space_clear(struct sed_space *sp)
{
	sp->borrowed = false;
	sp->at = sp->buf;
	sp->n = 0;
}

void sed_space_copy(struct sed *s, const struct sed_space *from, struct sed_space *to)
{
	sed_space_clear(to);
	sed_space_add(s, to, from->at, from->n);
	to->no_newline = from->no_newline;
}

void sed_space_swap(struct sed_space *a, struct sed_space *b)
{
	struct sed_space t = *a;

	*a = *b;
	*b = t;
}
