/*
 * What a sync leaves out: the rules of .gitignore files of each directory, of .git/info/exclude
 * below them, and of .boxignore files above all. Each directory's rules are kept, for what the
 * other side has in it.
 */
#include "box/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"

#define FILE_MAX (1u << 20)

/* What holds in one directory; those without rules of their own have their parent's. */
struct rules_level {
	struct rules_level *up;		/* of the directory it is in */
	struct rules_level *next;	/* of all */
	unsigned users;			/* directories on the way down that have just this one */
	struct gitignore_dir git, box, exclude;
	bool has_git, has_box;
};

struct bad {
	struct sync_rules *r;
	const char *path, *name;
};

static void bad_line(void *ctx, size_t line, const char *glob, const char *why)
{
	struct bad *b = ctx;

	if (!b->r->error)
		b->r->error = bx_format("%s%s%s:%zu: '%s' is no pattern: %s", b->path, *b->path ? "/" : "",
					b->name, line, glob ? glob : "", why);
	if (b->r->error)
		bx_plain(b->r->error);
}

/* The file's text; NULL: there is none (errno ENOENT), or it cannot be read. malloc */
static char *read_rules(int dir, const char *name, size_t *n)
{
	int fd = ft_open(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;
	ssize_t got = 1;
	int error;

	if (fd < 0)
		return NULL;
	*n = 0;
	errno = EINVAL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		errno = EFBIG;
		text = st.st_size > (off_t)FILE_MAX ? NULL : malloc(FILE_MAX);
	}
	while (text && *n < FILE_MAX && got > 0) {
		got = read(fd, text + *n, FILE_MAX - *n);
		*n += got > 0 ? (size_t)got : 0;
	}
	error = errno;
	close(fd);
	errno = error;
	return text;
}

/* *rules stays NULL where there is no file, or a link, which git does not follow. False: error. */
static bool load(struct sync_rules *r, int dir, const char *path, const char *name,
		 struct gitignore **rules)
{
	struct bad bad = {r, path, name};
	size_t n;
	char *text = read_rules(dir, name, &n);

	*rules = NULL;
	if (!text && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR || errno == EINVAL))
		return true;
	if (!text) {
		r->error = bx_format("%s%s%s: %s", path, *path ? "/" : "", name, strerror(errno));
		return false;
	}
	*rules = gitignore_new(r->heap, GITIGNORE_STRICT);
	if (*rules)
		gitignore_parse(*rules, text, n, bad_line, &bad);
	free(text);
	return *rules && !r->error;
}

static struct rules_level *new_level(struct sync_rules *r, size_t base)
{
	struct rules_level *up = r->top, *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->up = up;
	l->next = r->levels;
	r->levels = l;
	l->users = 1;
	l->git = (struct gitignore_dir){up ? &up->git : &l->exclude, NULL, base};
	l->box = (struct gitignore_dir){up ? &up->box : NULL, NULL, base};
	return l;
}

static bool level_here(struct sync_rules *r, int fd, const char *path)
{
	struct gitignore *git = NULL, *box = NULL;
	struct rules_level *l;

	if (!r->all && (!load(r, fd, path, ".gitignore", &git) || !load(r, fd, path, ".boxignore", &box)))
		return false;
	if (r->top && !git && !box) {
		r->top->users++;
		return true;
	}
	l = new_level(r, *path ? strlen(path) + 1 : 0);
	if (!l)
		return false;
	l->git.rules = git;
	l->box.rules = box;
	if (!r->top && !r->all && !load(r, fd, path, ".git/info/exclude", &l->exclude.rules))
		return false;
	r->top = l;
	return true;
}

static bool enter(void *ctx, int fd, const char *path, struct ft_node *dir)
{
	struct sync_rules *r = ctx;
	bool good = level_here(r, fd, path);

	dir->note = r->top;
	if (!good && r->top)
		r->top->users++;	/* leave() comes in any case */
	return good;
}

static void leave(void *ctx)
{
	struct sync_rules *r = ctx;

	if (r->top && !--r->top->users)
		r->top = r->top->up;
}

static bool is_git(const char *path, size_t n)
{
	return n >= 4 && !memcmp(path + n - 4, ".git", 4) && (n == 4 || path[n - 5] == '/');
}

static bool left_out(struct sync_rules *r, const struct rules_level *l, const char *path, size_t n,
		     bool is_dir)
{
	enum gitignore_verdict v = GITIGNORE_NONE;

	if (!r->git && is_git(path, n)) {
		r->left_git = true;
		return true;
	}
	if (r->all || !l)
		return false;
	v = gitignore_decide(&l->box, path, n, is_dir);
	if (v == GITIGNORE_NONE)
		v = gitignore_decide(&l->git, path, n, is_dir);
	return v == GITIGNORE_IGNORE;
}

static bool skip(void *ctx, const char *path, size_t n, bool is_dir)
{
	struct sync_rules *r = ctx;

	return left_out(r, r->top, path, n, is_dir);
}

bool sync_is_left_out(struct sync_rules *r, const struct ft_node *dir, const char *path, bool is_dir)
{
	bool left = r->left_git, out = left_out(r, dir->note, path, strlen(path), is_dir);

	r->left_git = left;
	return out;
}

bool sync_rules_begin(struct sync_rules *r, struct ft_scan *s)
{
	if (!r->heap)
		r->heap = heap_new(NULL, NULL, NULL, NULL);
	r->top = NULL;
	s->skip = skip;
	s->enter = enter;
	s->leave = leave;
	s->ctx = r;
	return r->heap;
}

void sync_rules_end(struct sync_rules *r)
{
	while (r->levels) {
		struct rules_level *l = r->levels;

		r->levels = l->next;
		gitignore_free(l->git.rules);
		gitignore_free(l->box.rules);
		gitignore_free(l->exclude.rules);
		free(l);
	}
	if (r->heap)
		heap_end(r->heap);
	r->heap = NULL;
	free(r->error);
	r->error = NULL;
}
