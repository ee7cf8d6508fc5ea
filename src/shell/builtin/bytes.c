/*
 * Bytes for read and mapfile. From a file a block is read and what is not used
 * is given back by moving the offset; from a pipe every byte is taken alone,
 * because what follows belongs to the next command.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

static int64_t now_ns(struct shell *sh)
{
	struct tsb_time t = tsb_clock(sh->p, TSB_CLOCK_MONOTONIC);

	return t.sec * 1000000000 + t.nsec;
}

void byte_source_init(struct byte_source *s, struct shell *sh, int fd, int64_t timeout_ns)
{
	s->sh = sh;
	s->fd = fd;
	s->ahead = timeout_ns < 0 && tsb_lseek(sh->p, fd, 0, SEEK_CUR) >= 0;
	s->timed_out = s->interrupted = false;
	s->error = 0;
	s->deadline_ns = timeout_ns < 0 ? -1 : now_ns(sh) + timeout_ns;
	s->at = s->n = 0;
	s->given = NULL;
	s->given_n = s->given_at = 0;
}

/* Is there something to read before the time is up? */
static bool byte_ready(struct byte_source *s)
{
	int64_t left;
	int ready;

	if (s->deadline_ns < 0)
		return true;
	left = s->deadline_ns - now_ns(s->sh);
	ready = tsb_poll_in(s->sh->p, s->fd, left < 0 ? 0 : left);
	if (ready > 0)
		return true;
	if (ready == -EINTR)
		return true;	/* reading takes the trap, and goes on */
	if (ready == 0)
		s->timed_out = true;
	else
		return true;	/* reading tells what is wrong */
	return false;
}

int byte_next(struct byte_source *s)
{
	ssize_t n;

	if (s->at < s->n)
		return (unsigned char)s->buf[s->at++];
	if (s->given)
		return s->given_at < s->given_n ? (unsigned char)s->given[s->given_at++] : -1;
	do {
		if (!byte_ready(s))
			return -1;
		n = tsb_read(s->sh->p, s->fd, s->buf, s->ahead ? sizeof(s->buf) : 1);
		if (n == -EINTR) {
			trap_take(s->sh);
			if (doing(s->sh)->pending) {
				enum flow f = trap_pending(s->sh);

				if (f != FLOW_NEXT) {
					s->interrupted = true;
					return -1;
				}
			}
		}
	} while (n == -EINTR);
	if (n <= 0) {
		s->error = (int)n;
		return -1;
	}
	s->n = (size_t)n;
	s->at = 1;
	return (unsigned char)s->buf[0];
}

void byte_source_end(struct byte_source *s)
{
	if (s->at < s->n)
		tsb_lseek(s->sh->p, s->fd, -(int64_t)(s->n - s->at), SEEK_CUR);
	s->at = s->n = 0;
}

/* As bash's uconvert(): a sign, seconds, and behind a point six digits and whatever follows
 * them, rounded by the seventh. No digits at all is 0. */
bool seconds_text(const char *s, int64_t *ns)
{
	const int64_t max = INT64_MAX / 1000000000 / 2;	/* it is added to the clock */
	int64_t whole = 0, part = 0, scale = 100000000;
	int64_t sign = *s == '-' ? -1 : 1;

	if (*s == '-' || *s == '+')
		s++;
	for (; *s >= '0' && *s <= '9'; s++) {
		whole = whole * 10 + (*s - '0');
		if (whole > max)	/* for ever, as good as */
			whole = max;
	}
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9' && scale >= 100; s++, scale /= 10)
			part += (*s - '0') * scale;
	if (scale < 100 && *s >= '5' && *s <= '9')
		part += 1000;
	*ns = sign * whole * 1000000000 + part;
	return !*s || scale < 100;
}

enum flow too_many_arguments(struct shell *sh)
{
	builtin_error(sh, "too many arguments");
	return sh->command_string && !sh->is_subshell && !sh->interactive ? FLOW_EXIT : FLOW_ABORT;
}
