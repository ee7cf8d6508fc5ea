/*
 * Files of a host's directory that programs of the host obey without being asked (hooks of git,
 * settings of editors, .envrc ...): noted when a box gets the directory as its workspace, and
 * looked at again when the box is gone. What the box changed among them is said: it acts outside as
 * soon as somebody enters the directory. The tree is the box's to write: descriptors, no links
 * followed, nothing waited for, and an end to how much is looked at.
 */
#include "box/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/sha256.h"
#include "box/sync.h"

#define NAME "trusted.json"
#define DEPTH 3			/* of directories that nobody obeys */
#define DEPTH_INSIDE 6
#define ENTRIES 4096u
#define HASHED ((off_t)1 << 20)	/* larger ones are known by their size and time */
#define SHOWN 8u

struct scan {
	json_t *found;		/* path: what it is */
	unsigned entries;
};

/* What is in .git that git runs; the rest changes with every commit. */
static bool is_of_git(const char *name)
{
	return !strcmp(name, "config") || !strcmp(name, "hooks") || !strcmp(name, "info") ||
	       !strcmp(name, "config.worktree");
}

/* malloc, or NULL: nothing to be noted. */
static char *describe(int dir, const char *name, const struct stat *st)
{
	char target[PATH_MAX], *hex, *text = NULL;
	uint8_t hash[32];
	ssize_t n;
	int fd;

	if (S_ISLNK(st->st_mode)) {
		n = readlinkat(dir, name, target, sizeof(target) - 1);
		hex = n >= 0 ? bx_hex(target, (size_t)n) : NULL;
		text = hex ? bx_format("link %s", hex) : NULL;
		free(hex);
		return text;
	}
	if (!S_ISREG(st->st_mode))
		return NULL;
	if (st->st_size > HASHED)
		return bx_format("%o %lld %lld", st->st_mode & 07777, (long long)st->st_size,
				 (long long)st->st_mtime);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && bx_sha256_fd(fd, hash)) {
		hex = bx_hex(hash, sizeof(hash));
		text = hex ? bx_format("%o %s", st->st_mode & 07777, hex) : NULL;
		free(hex);
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static void note(struct scan *s, int dir, const char *name, const char *path, const struct stat *st)
{
	char *text = describe(dir, name, st), *hex;

	if (!text)
		return;
	if (bx_is_utf8(path, strlen(path))) {
		json_object_set_new(s->found, path, json_string(text));
	} else {
		hex = bx_hex(path, strlen(path));
		if (hex)
			json_object_set_new(s->found, hex, json_string(text));
		free(hex);
	}
	free(text);
}

/* obeyed: the directory is, and so all in it. git: it is a .git. */
static void walk(struct scan *s, int at, const char *name, const char *path, int depth, bool obeyed, bool git)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d && fd >= 0)
		close(fd);
	while (d && s->entries < ENTRIES && (e = readdir(d))) {
		bool is_git, mine;
		struct stat st;
		char *below;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		s->entries++;
		if ((git && !is_of_git(e->d_name)) || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		below = bx_format("%s%s%s", path, *path ? "/" : "", e->d_name);
		is_git = !obeyed && !strcmp(e->d_name, ".git");
		/* a link may stand where a directory is looked for */
		mine = obeyed || sync_obeyed(e->d_name, S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode));
		if (below && mine && !S_ISDIR(st.st_mode))
			note(s, fd, e->d_name, below, &st);
		if (below && S_ISDIR(st.st_mode) && depth < (mine ? DEPTH_INSIDE : DEPTH))
			walk(s, fd, e->d_name, below, depth + 1, mine, is_git);
		free(below);
	}
	if (d)
		closedir(d);
}

/* The directory of the host that the box can write; malloc, NULL: none. */
static char *workspace(const struct bx *b)
{
	const json_t *spec = json_object_get(b->record, "spec");
	const char *kind = json_string_value(bx_at(spec, "source.kind"));

	if (bx_is_ssh(json_object_get(b->record, "target")) || !kind || strcmp(kind, "directory") ||
	    json_is_true(json_object_get(spec, "read_only")))
		return NULL;
	return bx_json_copy(bx_at(spec, "source.from"));
}

static json_t *look(const char *dir)
{
	struct scan s = {.found = json_object()};

	walk(&s, AT_FDCWD, dir, "", 0, false, false);
	return s.found;
}

void bx_note_trusted(struct bx *b)
{
	char *dir = workspace(b), *text;
	json_t *found = dir ? look(dir) : NULL;
	int fd;

	text = found ? json_dumps(found, JSON_COMPACT) : NULL;
	fd = text ? openat(b->dir, NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	/* a list that is not whole would be no list: nothing is said then */
	if (fd >= 0 && write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		unlinkat(b->dir, NAME, 0);
	if (fd >= 0)
		close(fd);
	free(text);
	json_decref(found);
	free(dir);
}

/* ---- Afterwards ---- */

static json_t *read_noted(const struct bx *b)
{
	int fd = openat(b->dir, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	json_t *noted = fd < 0 ? NULL : json_loadfd(fd, 0, NULL);

	if (fd >= 0)
		close(fd);
	return noted;
}

static void say(struct bx *b, const char *dir, json_t *changed)
{
	size_t n = json_array_size(changed), i;
	char *list = strdup(""), *more;
	json_t *line;

	json_array_foreach(changed, i, line) {
		if (i == SHOWN)
			break;
		more = bx_format("%s%s%s (%s)", list ? list : "", i ? ", " : "", bx_text(line, "path"),
				 bx_text(line, "what"));
		free(list);
		list = more;
	}
	if (list && n > SHOWN) {
		more = bx_format("%s and %zu more", list, n - SHOWN);
		free(list);
		list = more;
	}
	if (list)
		bx_plain(list);
	bx_warn(b->store, "%s: %s changed files there that programs of this machine obey by themselves: %s; "
		"look at them before you use the directory", dir, b->id, list ? list : "");
	free(list);
}

void bx_tell_trusted(struct bx *b)
{
	char *dir = workspace(b);
	json_t *before = dir ? read_noted(b) : NULL, *now = json_is_object(before) ? look(dir) : NULL;
	json_t *changed = json_array(), *value;
	const char *path;

	json_object_foreach(now, path, value) {
		const json_t *old = json_object_get(before, path);

		if (!old || !json_equal(old, value))
			json_array_append_new(changed, json_pack("{s:s, s:s}", "path", path, "what",
								 old ? "changed" : "new"));
	}
	if (json_array_size(changed)) {
		say(b, dir, changed);
		bx_audit(b, "trusted", json_pack("{s:O}", "files", changed));
	}
	json_decref(changed);
	json_decref(before);
	json_decref(now);
	free(dir);
}
