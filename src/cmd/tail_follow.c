/*
 * tail -f: rounds of looking and sleeping.
 *
 * By descriptor a file is only asked for its size. By name it is opened anew
 * each round, so that a file that was removed, replaced or made is found; the
 * texts tell the difference as GNU's do.
 */
#include "cmd/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/util.h"

static bool tail_type_ok(uint32_t mode)
{
	return S_ISREG(mode) || S_ISFIFO(mode) || S_ISSOCK(mode) || S_ISCHR(mode);
}

static void tail_record(struct tail_file *f, const struct tsb_stat *st)
{
	f->dev = st->dev;
	f->ino = st->ino;
	f->mode = st->mode;
	f->mtime = st->mtime;
	f->unchanged = 0;
}

static void tail_forget_fd(struct tail *o, struct tail_file *f)
{
	if (f->fd >= 0)
		input_close(o->p, f->fd);
	f->fd = -1;
}

int tail_follow_prepare(struct tail *o, struct tail_file *f, int err, const struct tsb_stat *st)
{
	int64_t at;

	f->err = err ? -err : 0;
	if (f->only_once) {
		f->ignore = true;
		return 0;
	}
	if (err == -EISDIR || (!err && !tail_type_ok(st->mode))) {
		f->err = -1;
		f->tailable = false;
		f->ignore = !(o->retry && o->follow == TAIL_NAME);
		tsb_warn(o->p, "%s: cannot follow end of this type of file%s",
			 quote_f(o->p, f->pretty), f->ignore ? "; giving up on this name" : "");
	} else if (err) {
		f->ignore = !o->retry;
	}
	if (f->err) {
		tail_forget_fd(o, f);
		return 1;
	}
	tail_record(f, st);
	at = tsb_lseek(o->p, f->fd, 0, SEEK_CUR);
	f->size = at < 0 ? 0 : (uint64_t)at;
	o->last = f;
	return 0;
}

/* ---- By name: what does the name mean now? ---- */

/* The old state of f was `was` (errno, -1 or 0); the new one could not be used. */
static void tail_unusable(struct tail *o, struct tail_file *f, int was, int err,
			  const struct tsb_stat *st)
{
	if (err) {
		f->err = -err;
		if (f->fd >= 0 || (f->tailable && !was))
			tsb_warn_errno(o->p, err, "%s has become inaccessible",
				       quote_af(o->p, f->pretty));
		else if (was != -err && was != -1)
			tsb_warn_errno(o->p, err, "%s", quote_f(o->p, f->pretty));
		return;
	}
	f->err = -1;
	f->ignore = !(o->retry && o->follow == TAIL_NAME);
	if (was != -1 || f->tailable) {
		tsb_warn(o->p, "%s has been replaced with an untailable %s%s",
			 quote_af(o->p, f->pretty), S_ISLNK(st->mode) ? "symbolic link" : "file",
			 f->ignore ? "; giving up on this name" : "");
	}
	f->tailable = false;
}

static void tail_take(struct tail *o, struct tail_file *f, int fd, const struct tsb_stat *st,
		      bool says_new)
{
	if (says_new)
		tsb_warn(o->p, f->fd < 0 ? "%s has appeared;  following new file"
					 : "%s has been replaced;  following new file",
			 quote_af(o->p, f->pretty));
	tail_forget_fd(o, f);
	f->fd = fd;
	f->err = 0;
	f->tailable = true;
	f->size = 0;
	tail_record(f, st);
}

static void tail_recheck(struct tail *o, struct tail_file *f)
{
	int fd = input_open(o->p, f->name), was = f->err, err = fd < 0 ? fd : 0;
	struct tsb_stat st;

	if (!err)
		err = tsb_fstat(o->p, fd, &st);
	if (err || !tail_type_ok(st.mode)) {
		tail_unusable(o, f, was, err, &st);
		tail_forget_fd(o, f);
		if (fd > 0)
			tsb_close(o->p, fd);
		if (!o->retry)
			f->ignore = true;
		return;
	}
	if (f->fd >= 0 && !was && f->dev == st.dev && f->ino == st.ino) {
		input_close(o->p, fd);
		return;
	}
	tail_take(o, f, fd, &st, true);
}

/* ---- A round ---- */

/* The new bytes of f; false: nothing. */
static bool tail_more(struct tail *o, struct tail_file *f)
{
	struct tsb_stat st;
	int err = tsb_fstat(o->p, f->fd, &st);
	int64_t n;

	if (err) {
		f->err = -err;
		tsb_warn_errno(o->p, err, "%s", quote_f(o->p, f->pretty));
		tail_forget_fd(o, f);
		return false;
	}
	if (S_ISREG(st.mode)) {
		if (st.size < f->size) {
			tsb_warn(o->p, "%s: file truncated", quote_f(o->p, f->pretty));
			tsb_lseek(o->p, f->fd, 0, SEEK_SET);
			f->size = 0;
		}
		if (st.size == f->size)
			return false;
	} else if (!tsb_poll_in(o->p, f->fd, 0)) {
		return false;
	}
	if (o->last != f && o->print_headers)
		tail_header(o, f->pretty);
	o->last = f;
	n = tail_dump(o, f, UINT64_MAX);
	if (n < 0) {
		f->err = (int)-n;
		tail_forget_fd(o, f);
		return false;
	}
	f->size += (uint64_t)n;
	return n > 0;
}

static bool tail_any_left(const struct tail *o)
{
	for (size_t i = 0; i < o->n_files; i++) {
		const struct tail_file *f = &o->files[i];

		if (!f->ignore && (f->fd >= 0 || (o->retry && o->follow == TAIL_NAME)))
			return true;
	}
	return false;
}

/* A name that never opened and is followed by descriptor is tried until it does. */
static bool tail_waits_for_first(const struct tail *o)
{
	if (!o->retry || o->follow == TAIL_NAME)
		return false;
	for (size_t i = 0; i < o->n_files; i++)
		if (!o->files[i].ignore && o->files[i].fd < 0)
			return true;
	return false;
}

static bool tail_round(struct tail *o)
{
	bool any = false;

	for (size_t i = 0; i < o->n_files; i++) {
		struct tail_file *f = &o->files[i];

		if (f->ignore)
			continue;
		if (o->follow == TAIL_NAME || (f->fd < 0 && o->retry)) {
			int fd = f->fd;

			/* The rest of the old file comes before the new one. */
			if (fd >= 0)
				any |= tail_more(o, f);
			tail_recheck(o, f);
		}
		if (f->fd >= 0)
			any |= tail_more(o, f);
	}
	return any;
}

/* --pid. A child that ended and was not waited for is dead too: a shell that
 * waits for us cannot wait for it now. */
static bool tail_writer_dead(struct tail *o)
{
	char buf[128];
	const char *state;
	ssize_t n;
	int fd;

	if (!o->pid)
		return false;
	if (tsb_kill(o->p, o->pid, 0) == -ESRCH)
		return true;
	fd = tsb_open(o->p, tsb_format(o->p, "/proc/%d/stat", o->pid), O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	n = tsb_read(o->p, fd, buf, sizeof(buf) - 1);
	tsb_close(o->p, fd);
	buf[n > 0 ? n : 0] = '\0';
	state = strrchr(buf, ')');
	return state && (state[1] == ' ' ? state[2] : state[1]) == 'Z';
}

int tail_follow(struct tail *o)
{
	struct tsb_proc *p = o->p;
	bool writer_dead = false;

	for (;;) {
		bool any;

		if (!tail_any_left(o) && !tail_waits_for_first(o)) {
			tsb_warn(p, "no files remaining");
			return 1;
		}
		any = tail_round(o);
		/* Nothing to write may mean nobody to read: then this ends us. */
		if (tsb_flush(p))
			return 1;
		if (tsb_poll_in(p, 1, 0) == -EPIPE) {
			tsb_kill(p, tsb_getpid(p), SIGPIPE);
			return 1;
		}
		if (any)
			continue;
		if (writer_dead)
			return 0;
		/* Once more after its death: it may have written in between. */
		writer_dead = tail_writer_dead(o);
		if (!writer_dead && tsb_sleep(p, o->sleep_ns) == -ECANCELED)
			return 1;
		tsb_tick(p, 1);
	}
}
