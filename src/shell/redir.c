/*
 * Redirections. Each changes one descriptor of the shell's own process; what
 * was there before moves to a number >= 10 and comes back when the command is
 * over (programs inherit the changed ones and never see the saved ones, which
 * are close-on-exec). A target is opened before the old descriptor moves away,
 * because it may be that descriptor by another name (/dev/stdout).
 */
#include "shell/doing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"

#define SAVE_AT 10

/* ---- Saving and restoring ---- */

void redir_begin(struct shell *sh, struct redir_undo *undo)
{
	struct doing *d = doing(sh);

	undo->outer = d->undo;
	undo->n = 0;
	undo->cap = REDIR_INLINE;
	undo->more = NULL;
	undo->stdin_given = d->stdin_given;
	d->undo = undo;
}

static struct redir_saved *undo_at(struct redir_undo *u, unsigned i)
{
	return i < REDIR_INLINE ? &u->at[i] : &u->more[i - REDIR_INLINE];
}

static void undo_add(struct shell *sh, struct redir_undo *u, int fd, int saved)
{
	if (u->n == u->cap) {
		u->more = heap_resize(sh->heap, u->more,
				      (u->cap * 2 - REDIR_INLINE) * sizeof(*u->more));
		u->cap *= 2;
	}
	*undo_at(u, u->n++) = (struct redir_saved){ .fd = fd, .saved = saved };
}

static void undo_end(struct shell *sh, struct redir_undo *u)
{
	if (u->more)
		heap_free(sh->heap, u->more);
	doing(sh)->undo = u->outer;
	doing(sh)->stdin_given = u->stdin_given;
}

void redir_restore(struct shell *sh, struct redir_undo *u)
{
	while (u->n) {
		const struct redir_saved *s = undo_at(u, --u->n);

		if (s->saved < 0) {
			tsb_close(sh->p, s->fd);
			continue;
		}
		proc_move_fd(sh->p, s->saved, s->fd);
	}
	undo_end(sh, u);
}

int redir_outer_error(struct shell *sh)
{
	struct redir_undo *u = doing(sh)->undo;

	if (!doing(sh)->simple || !doing(sh)->simple->redirs)
		return 2;
	for (unsigned i = 0; u && i < u->n; i++)
		if (undo_at(u, i)->fd == 2)
			return undo_at(u, i)->saved;
	return 2;
}

void redir_keep(struct shell *sh, struct redir_undo *u)
{
	while (u->n) {
		const struct redir_saved *s = undo_at(u, --u->n);

		if (s->saved >= 0)
			tsb_close(sh->p, s->saved);
	}
	undo_end(sh, u);
}

/* The script wants a number under which something is saved: that moves on. */
static void move_saved(struct shell *sh, int fd)
{
	for (struct redir_undo *u = doing(sh)->undo; u; u = u->outer) {
		for (unsigned i = 0; i < u->n; i++) {
			struct redir_saved *s = undo_at(u, i);

			if (s->saved == fd)
				s->saved = proc_save_fd(sh->p, fd, fd + 1);
		}
	}
}

/* Frees the number fd, remembering what it was. */
static int save_fd(struct shell *sh, int fd, struct redir_undo *u)
{
	int saved = -1;

	if (fd >= SAVE_AT)
		move_saved(sh, fd);
	if (proc_fd_open(sh->p, fd)) {
		saved = proc_save_fd(sh->p, fd, SAVE_AT);
		if (saved < 0)
			return saved;
	}
	undo_add(sh, u, fd, saved);
	return 0;
}

/* from becomes `to` and is closed under its own number. */
static int take_over(struct shell *sh, int from, int to, struct redir_undo *u)
{
	int err;

	if (from == to) {
		undo_add(sh, u, to, -1);
		return 0;
	}
	err = save_fd(sh, to, u);
	if (err) {
		tsb_close(sh->p, from);
		return err;
	}
	err = proc_move_fd(sh->p, from, to);
	return err < 0 ? err : 0;
}

int redir_place(struct shell *sh, int from, int to, struct redir_undo *undo)
{
	int err = from == to ? 0 : save_fd(sh, to, undo);

	if (!err && from != to)
		err = tsb_dup2(sh->p, from, to);
	return err < 0 ? err : 0;
}

/* ---- Opening ---- */

/* set -C: an existing regular file is not overwritten. */
static int open_noclobber(struct shell *sh, const char *path)
{
	int fd = tsb_open(sh->p, path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	struct tsb_stat st;

	if (fd != -EEXIST)
		return fd;
	if (tsb_stat(sh->p, path, &st) || S_ISREG(st.mode))
		return -EEXIST;
	return tsb_open(sh->p, path, O_WRONLY, 0);
}

static bool is_network(const char *path)
{
	return !strncmp(path, "/dev/", 5) &&
	       (!strncmp(path + 5, "tcp/", 4) || !strncmp(path + 5, "udp/", 4));
}

static int open_target(struct shell *sh, enum redir_kind kind, const char *path)
{
	if (is_network(path) && strchr(path + 9, '/')) {
		tsb_write_all(sh->p, 2, "bash: connect: Network is unreachable\n", 38);
		return -ENETUNREACH;
	}
	if (kind != REDIR_IN && restricted(sh))
		return -EPROTO;		/* no file gives that; open_failed() knows it */
	switch (kind) {
	case REDIR_IN:
		return tsb_open(sh->p, path, O_RDONLY, 0);
	case REDIR_APPEND:
	case REDIR_BOTH_APPEND:
		return tsb_open(sh->p, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	case REDIR_RW:
		return tsb_open(sh->p, path, O_RDWR | O_CREAT, 0666);
	case REDIR_CLOBBER:
		break;
	default:
		if (sh->opts[OPT_NOCLOBBER])
			return open_noclobber(sh, path);
	}
	return tsb_open(sh->p, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

static int open_failed(struct shell *sh, const char *path, int err)
{
	if (err == -EPROTO)
		shell_error(sh, "%s: restricted: cannot redirect output", path);
	else if (err == -EEXIST)
		shell_error(sh, "%s: cannot overwrite existing file", path);
	else
		shell_error(sh, "%s: %s", path, tsb_strerror(err));
	return 1;
}

/* ---- One redirection ---- */

/* An operator that begins with <. */
static bool redir_reads(const struct redir *r)
{
	switch (r->kind) {
	case REDIR_IN:
	case REDIR_RW:
	case REDIR_DUP_IN:
	case REDIR_HERE:
	case REDIR_STRING:
		return true;
	default:
		return false;
	}
}

static int default_fd(const struct redir *r)
{
	return r->fd >= 0 ? r->fd : redir_reads(r) ? 0 : 1;
}

static int set_variable(struct shell *sh, const struct redir *r, int fd)
{
	char digits[24];

	if (!memchr(r->var.s, '[', r->var.n))
		return var_set_number(sh, &r->var, fd);
	return var_set_reference(sh, r->var.s, r->var.n, digits, num_format_i64(digits, fd), false);
}

/* {var}>: the descriptor gets a number of its own >= 10, kept in the variable. */
static int give_variable(struct shell *sh, const struct redir *r, int fd, struct redir_undo *u)
{
	int high = fd >= SAVE_AT ? fd : tsb_dup(sh->p, fd, SAVE_AT);

	if (high != fd)
		tsb_close(sh->p, fd);
	if (high < 0) {
		shell_error(sh, "%s: %s", r->var.s, tsb_strerror(high));
		return 1;
	}
	tsb_set_cloexec(sh->p, high, false);
	if (set_variable(sh, r, high)) {
		shell_error(sh, "%s: cannot assign fd to variable", r->var.s);
		tsb_close(sh->p, high);
		return 1;
	}
	if (sh->opts[SHOPT_VARREDIR_CLOSE])
		undo_add(sh, u, high, -1);
	return 0;
}

/* An open descriptor goes where the redirection wants it. */
static int settle(struct shell *sh, const struct redir *r, int fd, struct redir_undo *u)
{
	int err;

	if (r->var.n)
		return give_variable(sh, r, fd, u);
	err = take_over(sh, fd, default_fd(r), u);
	if (err)
		shell_error(sh, "%d: %s", default_fd(r), tsb_strerror(err));
	return err ? 1 : 0;
}

static int apply_file(struct shell *sh, const struct redir *r, const char *path,
		      struct redir_undo *u)
{
	int fd = open_target(sh, r->kind, path);

	if (fd < 0)
		return open_failed(sh, fd == -EPROTO && r->var.n ? r->var.s : path, fd);
	return settle(sh, r, fd, u);
}

/* &> and >& word: both streams. */
static int apply_both(struct shell *sh, const struct redir *r, const char *path,
		      struct redir_undo *u)
{
	enum redir_kind kind = r->kind == REDIR_DUP_OUT ? REDIR_BOTH : r->kind;
	int fd = open_target(sh, kind, path), err;

	if (fd < 0)
		return open_failed(sh, path, fd);
	err = take_over(sh, fd, 1, u);
	if (!err)
		err = redir_place(sh, 1, 2, u);
	if (err)
		shell_error(sh, "%s: %s", path, tsb_strerror(err));
	return err ? 1 : 0;
}

static int apply_here(struct shell *sh, const struct redir *r, struct slice text,
		      struct redir_undo *u)
{
	int fd;

	if (r->kind == REDIR_STRING) {
		char *line = arena_alloc(&sh->turn, text.n + 2);

		memcpy(line, text.p, text.n);
		line[text.n] = '\n';
		text = (struct slice){ line, text.n + 1 };
	}
	fd = here_open(sh, text);
	if (fd < 0) {
		shell_error(sh, "cannot create temp file for here-document: %s", tsb_strerror(fd));
		return 1;
	}
	return settle(sh, r, fd, u);
}

/* ---- n>&m, n>&-, n>&m- ---- */

static int apply_close(struct shell *sh, const struct redir *r, struct redir_undo *u)
{
	int fd = default_fd(r);

	if (r->var.n) {
		struct slice v;
		int64_t number;

		if (!var_get_reference(sh, r->var.s, r->var.n, &v) ||
		    !text_number(v.p, &number) || number < 0) {
			shell_error(sh, "%s: ambiguous redirect", r->var.s);
			return 1;
		}
		tsb_close(sh->p, (int)number);
		coproc_closed(sh, (int)number);
		return 0;
	}
	if (fd >= SAVE_AT)
		move_saved(sh, fd);
	if (proc_fd_open(sh->p, fd))
		save_fd(sh, fd, u);
	coproc_closed(sh, fd);
	return 0;
}

static int apply_dup(struct shell *sh, const struct redir *r, int from, bool move,
		     const char *shown, struct redir_undo *u)
{
	static const char no_copy[] =
		"bash: redirection error: cannot duplicate fd: Bad file descriptor\n";
	int to = default_fd(r), err;

	if (from == to && !r->var.n)
		return 0;		/* bash does nothing, be it open or not */
	if (from >= SAVE_AT)
		move_saved(sh, from);
	if (!proc_fd_open(sh->p, from)) {
		if (r->var.n || move)
			tsb_write_all(sh->p, 2, no_copy, sizeof(no_copy) - 1);
		shell_error(sh, "%s: %s", shown, tsb_strerror(EBADF));
		return 1;
	}
	if (r->var.n) {
		int copy = tsb_dup(sh->p, from, SAVE_AT);

		if (copy < 0) {
			shell_error(sh, "%s: %s", shown, tsb_strerror(copy));
			return 1;
		}
		err = give_variable(sh, r, copy, u);
	} else {
		err = redir_place(sh, from, to, u);
		if (err)
			shell_error(sh, "%s: %s", shown, tsb_strerror(err));
	}
	if (!err && move && from != to) {
		save_fd(sh, from, u);
		coproc_closed(sh, from);
	}
	return err ? 1 : 0;
}

static const char *number_text(struct shell *sh, int64_t number)
{
	char *text = arena_alloc(&sh->turn, 24);

	text[num_format_i64(text, number)] = '\0';
	return text;
}

/* A descriptor's number: digits only; none at all, or too many, are one that is not open. */
static bool dup_number(const char *digits, int *fd)
{
	int64_t v;

	if (digits[strspn(digits, "0123456789")])
		return false;
	*fd = text_number(digits, &v) && v <= INT32_MAX ? (int)v : -1;
	return true;
}

/* Which descriptor is bad? bash tells a number as such; where a word gave it, it guesses. */
static const char *dup_shown(struct shell *sh, const struct redir *r, bool move)
{
	char *text = arena_dup(&sh->turn, r->word->text.p, r->word->text.n - move);
	int fd;

	if (*text && dup_number(text, &fd) && fd >= 0)
		return number_text(sh, fd);
	if (move || default_fd(r) != (r->kind == REDIR_DUP_OUT))
		return number_text(sh, default_fd(r));
	return text;
}

/* The word behind >& or <&, expanded. */
static int apply_dup_word(struct shell *sh, const struct redir *r, struct slice word,
			  struct redir_undo *u)
{
	struct slice raw = r->word->text;
	bool move = word.n > 1 && raw.n > 1 && raw.p[raw.n - 1] == '-';
	char *digits = arena_dup(&sh->turn, word.p, word.n - move);
	int fd;

	if (slice_is(word, "-"))
		return apply_close(sh, r, u);
	if (dup_number(digits, &fd))
		return apply_dup(sh, r, fd, move, dup_shown(sh, r, move), u);
	if (!move && r->kind == REDIR_DUP_OUT && default_fd(r) == 1 && !r->var.n)
		return apply_both(sh, r, word.p, u);
	shell_error(sh, "%s: ambiguous redirect", digits);
	return 1;
}

static int apply_one(struct shell *sh, const struct redir *r, struct redir_undo *u,
		     enum flow *flow)
{
	struct slice word = SLICE("");

	if (r->kind == REDIR_HERE)
		*flow = r->word ? expand_here(sh, r->word, &word) : FLOW_NEXT;
	else if (r->kind == REDIR_STRING)
		*flow = expand_string(sh, r->word, false, &word);
	else
		*flow = expand_target(sh, r->word, &word);
	if (*flow != FLOW_NEXT)
		return sh->status ? sh->status : 1;
	if (!word.p)
		return 1;
	switch (r->kind) {
	case REDIR_HERE:
	case REDIR_STRING:
		return apply_here(sh, r, word, u);
	case REDIR_DUP_IN:
	case REDIR_DUP_OUT:
		return apply_dup_word(sh, r, word, u);
	case REDIR_BOTH:
	case REDIR_BOTH_APPEND:
		return apply_both(sh, r, word.p, u);
	default:
		return apply_file(sh, r, word.p, u);
	}
}

/* Does it say what descriptor 0 reads from? */
static bool redir_is_input(const struct redir *r)
{
	return redir_reads(r) && r->fd <= 0 && !r->var.n;
}

int redir_apply(struct shell *sh, const struct redir *r, struct redir_undo *undo, enum flow *flow)
{
	for (; r; r = r->next) {
		int status = apply_one(sh, r, undo, flow);

		if (status) {
			redir_restore(sh, undo);
			return status;
		}
		doing(sh)->stdin_given |= redir_is_input(r);
	}
	return 0;
}
