/*
 * Files in pieces: a read is copied out of the box when it begins, so its size is fixed; a write is
 * gathered here and copied in when it is finished, whole or not at all. Both wait in a directory of
 * the state that others cannot enter. Paths are relative, below the workspace, and plain.
 */
#include "module/module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_plain(const char *path)
{
	for (const char *p = path;; p++) {
		size_t n = strcspn(p, "/");

		if (!n || n > 255 || (p[0] == '.' && (n == 1 || (n == 2 && p[1] == '.'))))
			return false;
		p += n;
		if (!*p)
			return true;
	}
}

static bool read_path(struct mod_call *c, json_t *value, const char **path)
{
	if (!mod_text(c, value, "path", MOD_PATH_MAX, path))
		return false;
	if (is_plain(*path))
		return true;
	mod_error(c, MOD_ERROR "InvalidFilePath", "a relative path is needed, without . and .. in it");
	return false;
}

/* A new directory of ours; malloc, NULL: errno. */
static char *new_place(struct mod *m)
{
	char *place;

	if (asprintf(&place, "%s/transfers", m->state_dir) < 0)
		return NULL;
	if (mkdir(place, 0700) && errno != EEXIST) {
		free(place);
		return NULL;
	}
	free(place);
	if (asprintf(&place, "%s/transfers/%d-XXXXXX", m->state_dir, (int)getpid()) < 0)
		return NULL;
	if (mkdtemp(place))
		return place;
	free(place);
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_place(char *place)
{
	if (place)
		nftw(place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(place);
}

/* What was on its way when a process died. */
void mod_sweep_files(struct mod *m)
{
	struct dirent *e;
	char *place;
	DIR *d;
	int pid;

	if (asprintf(&place, "%s/transfers", m->state_dir) < 0)
		return;
	d = opendir(place);
	while (d && (e = readdir(d))) {
		char *whole;

		pid = atoi(e->d_name);
		if (pid <= 0 || pid == getpid() || !kill(pid, 0) || errno != ESRCH)
			continue;
		if (asprintf(&whole, "%s/%s", place, e->d_name) >= 0)
			remove_place(whole);
	}
	if (d)
		closedir(d);
	free(place);
}

static char *inside(const char *place, const char *path)
{
	const char *name = strrchr(path, '/');
	char *whole;

	return asprintf(&whole, "%s/%s", place, name ? name + 1 : path) < 0 ? NULL : whole;
}

/* ---- Its place in the table ---- */

static struct mod_transfer *transfer_new(const char *id, bool write)
{
	struct mod_transfer *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	snprintf(t->id, sizeof(t->id), "%s", id);
	t->write = write;
	t->fd = -1;
	return t;
}

static size_t count(const struct mod_resource *r)
{
	size_t n = 0;

	for (const struct mod_transfer *t = r->transfers; t; t = t->next)
		n++;
	return n;
}

/* {transfer, path}: the transfer, busy and in the table, with a user of its resource; NULL after an error. */
static struct mod_transfer *begin(struct mod_call *c, bool write, struct mod_resource **of, const char **path)
{
	json_t *arg = json_array_get(c->args, 0);
	struct mod *m = c->m;
	struct mod_reserved *r;
	struct mod_transfer *t = NULL;
	const char *id;
	bool full = false;

	if (!mod_text(c, json_object_get(arg, "transfer"), "transfer", MOD_ID - 1, &id) ||
	    !read_path(c, json_object_get(arg, "path"), path))
		return NULL;
	pthread_mutex_lock(&m->lock);
	r = mod_take(c, write ? MOD_FILE_WRITE : MOD_FILE_READ, id);
	*of = r ? mod_use(c, r->of) : NULL;
	if (*of) {
		full = count(*of) >= MOD_TRANSFERS;
		t = full ? NULL : transfer_new(r->id, write);
		if (t) {
			t->busy = true;
			t->next = (*of)->transfers;
			(*of)->transfers = t;
		} else {
			(*of)->users--;
		}
	}
	pthread_mutex_unlock(&m->lock);
	if (*of && !t)
		mod_error(c, full ? MOD_ERROR "FileLimit" : MOD_BUS_ERROR "Failed", full ?
			  "the resource has %d files open: no more at a time" : "no memory", MOD_TRANSFERS);
	free(r);
	return t;
}

/* Ready for more, or off the table. */
static void end(struct mod *m, struct mod_resource *r, struct mod_transfer *t, bool keep)
{
	pthread_mutex_lock(&m->lock);
	t->busy = false;
	if (!keep)
		mod_transfer_free(r, t);
	r->users--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

/* An open one, busy from now on, with a user of its resource; NULL after an error. */
static struct mod_transfer *take(struct mod_call *c, json_t *value, bool write, struct mod_resource **r)
{
	struct mod *m = c->m;
	struct mod_transfer *t;
	const char *id;
	bool busy;

	if (!mod_text(c, value, "transfer", MOD_ID - 1, &id))
		return NULL;
	pthread_mutex_lock(&m->lock);
	t = mod_transfer_find(m, id, r);
	if (t && t->write != write)
		t = NULL;
	busy = t && t->busy;
	if (t && !busy && !mod_use(c, (*r)->id)) {
		pthread_mutex_unlock(&m->lock);
		return NULL;
	}
	if (t && !busy)
		t->busy = true;
	pthread_mutex_unlock(&m->lock);
	if (!t)
		mod_error(c, MOD_ERROR "UnknownFileTransfer", "there is no such transfer");
	else if (busy)
		mod_error(c, MOD_ERROR "InvalidFileChunk", "another call is at work on it");
	return busy ? NULL : t;
}

/* What went wrong: told when the transfer is free for the next call, or gone. */
struct trouble {
	const char *name;	/* NULL: nothing */
	char text[512];
};

static void note(struct trouble *t, const char *name, const char *what, const char *why)
{
	t->name = name;
	snprintf(t->text, sizeof(t->text), "%s%s%s", what, why ? ": " : "", why ? why : "");
}

/* Ends the call if there was trouble. */
static bool told(struct mod_call *c, const struct trouble *t)
{
	if (t->name)
		mod_error(c, t->name, "%s", t->text);
	return t->name;
}

/* ---- Reading ---- */

/* An open file that has no name here any more; -1: trouble. */
static int fetch(struct mod *m, const char *box, const char *path, struct stat *st, struct trouble *t)
{
	char *place = new_place(m), *file = place ? inside(place, path) : NULL;
	struct tbx_store *store = NULL;
	struct tbx_doc *doc = NULL;
	int fd = -1;

	if (!file) {
		note(t, MOD_ERROR "FileOperation", "no place for the file", strerror(errno));
	} else if (mod_open_store(m, &store) || tbx_copy_out(store, box, path, file, &doc)) {
		note(t, MOD_ERROR "FileOperation", tbx_error(store), NULL);
	} else {
		fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 || fstat(fd, st) || !S_ISREG(st->st_mode)) {
			note(t, MOD_ERROR "FileUnsupported", "it is no ordinary file", NULL);
			if (fd >= 0)
				close(fd);
			fd = -1;
		}
	}
	tbx_doc_free(doc);
	tbx_close(store);
	free(file);
	remove_place(place);
	return fd;
}

void mod_begin_read(struct mod_call *c)
{
	struct mod_resource *r;
	struct mod_transfer *t;
	struct trouble trouble = {0};
	const char *path;
	struct stat st;
	json_t *body = NULL;
	int fd;

	t = begin(c, false, &r, &path);
	if (!t)
		return;
	fd = fetch(c->m, r->box, path, &st, &trouble);
	if (fd >= 0) {
		t->fd = fd;
		t->size = (uint64_t)st.st_size;
		body = json_pack("{s:s, s:I}", "transfer", t->id, "size", (json_int_t)t->size);
	}
	end(c->m, r, t, fd >= 0);
	if (!told(c, &trouble))
		mod_return(c, body);
}

void mod_read_chunk(struct mod_call *c)
{
	json_t *arg = json_array_get(c->args, 0);
	uint64_t offset = 0, length = 0;
	struct trouble trouble = {0};
	struct mod_out o = {0};
	struct mod_resource *r;
	struct mod_transfer *t;
	uint8_t *buf;
	ssize_t n = -1;

	if (!mod_number(c, json_object_get(arg, "offset"), "offset", INT64_MAX, &offset) ||
	    !mod_number(c, json_object_get(arg, "length"), "length", MOD_CHUNK, &length))
		return;
	t = take(c, json_object_get(arg, "transfer"), false, &r);
	if (!t)
		return;
	buf = malloc(length + 1);
	if (buf)
		n = pread(t->fd, buf, length, (off_t)offset);
	if (n >= 0) {
		mod_addf(&o, "{\"offset\":%llu,\"bytes\":", (unsigned long long)offset);
		mod_add_bytes(&o, buf, (size_t)n);
		mod_addf(&o, ",\"eof\":%s}", offset + (uint64_t)n >= t->size ? "true" : "false");
	} else {
		note(&trouble, MOD_ERROR "FileOperation", "the file cannot be read", strerror(errno));
	}
	end(c->m, r, t, true);
	free(buf);
	if (!told(c, &trouble))
		mod_finish(c, &o);
}

/* A transfer that is to be forgotten: false after an error. */
static bool forget(struct mod_call *c, bool write)
{
	struct mod_resource *r;
	struct mod_transfer *t = take(c, json_array_get(c->args, 0), write, &r);

	if (t)
		end(c->m, r, t, false);
	return t;
}

void mod_finish_read(struct mod_call *c)
{
	if (forget(c, false))
		mod_return(c, NULL);
}

/* ---- Writing ---- */

void mod_begin_write(struct mod_call *c)
{
	struct mod_resource *r;
	struct mod_transfer *t;
	struct trouble trouble = {0};
	const char *path;
	char *place;
	json_t *body = NULL;

	t = begin(c, true, &r, &path);
	if (!t)
		return;
	place = new_place(c->m);
	t->path = strdup(path);
	t->file = place ? inside(place, path) : NULL;
	if (t->file && t->path)
		t->fd = open(t->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (t->fd >= 0)
		body = json_pack("{s:s}", "transfer", t->id);
	else
		note(&trouble, MOD_ERROR "FileOperation", "no place for the file", strerror(errno));
	free(place);
	end(c->m, r, t, body);
	if (!told(c, &trouble))
		mod_return(c, body);
}

/* In order; the last one may come again, as its answer may have been lost. */
static bool check_offset(struct trouble *trouble, const struct mod_transfer *t, uint64_t offset,
			 const uint8_t *p, size_t n, bool *again)
{
	uint8_t *before;
	char text[64];

	*again = t->last && offset == t->at - t->last && n == t->last;
	if (*again) {
		before = malloc(n);
		*again = before && pread(t->fd, before, n, (off_t)offset) == (ssize_t)n && !memcmp(before, p, n);
		free(before);
	}
	if (!*again && offset != t->at)
		snprintf(text, sizeof(text), "the next chunk is that at %llu", (unsigned long long)t->at);
	else if (!*again && t->at + n > MOD_FILE)
		snprintf(text, sizeof(text), "a file that is written has at most %d bytes", MOD_FILE);
	else
		return true;
	note(trouble, offset == t->at ? MOD_ERROR "FileLimit" : MOD_ERROR "InvalidFileChunk", text, NULL);
	return false;
}

void mod_write_chunk(struct mod_call *c)
{
	json_t *arg = json_array_get(c->args, 0);
	struct mod_resource *r;
	struct mod_transfer *t;
	uint64_t offset;
	uint8_t *p = NULL;
	size_t n = 0;
	struct trouble trouble = {0};
	bool again;
	uint64_t at = 0;

	if (!mod_number(c, json_object_get(arg, "offset"), "offset", INT64_MAX, &offset) ||
	    !mod_bytes(c, json_object_get(arg, "bytes"), "bytes", MOD_CHUNK, &p, &n))
		return;
	t = take(c, json_object_get(arg, "transfer"), true, &r);
	if (!t) {
		free(p);
		return;
	}
	if (check_offset(&trouble, t, offset, p, n, &again) && !again && n) {
		if (pwrite(t->fd, p, n, (off_t)offset) == (ssize_t)n) {
			t->at += n;
			t->last = n;
		} else {
			note(&trouble, MOD_ERROR "FileOperation", "the file cannot be written", strerror(errno));
		}
	}
	at = t->at;
	end(c->m, r, t, true);
	free(p);
	if (!told(c, &trouble))
		mod_return(c, json_pack("{s:I}", "next_offset", (json_int_t)at));
}

/* The file here and the directory that was made for it. */
void mod_remove_file(struct mod_transfer *t)
{
	char *slash = t->file ? strrchr(t->file, '/') : NULL;

	if (!slash)
		return;
	unlink(t->file);
	*slash = '\0';
	rmdir(t->file);
	free(t->file);
	t->file = NULL;
}

void mod_finish_write(struct mod_call *c)
{
	struct tbx_store *store;
	struct tbx_doc *doc = NULL;
	struct mod_resource *r;
	struct mod_transfer *t = take(c, json_array_get(c->args, 0), true, &r);
	json_t *body;
	bool failed;

	if (!t)
		return;
	failed = mod_open_store(c->m, &store) || fchmod(t->fd, 0644) ||
		 tbx_copy_in(store, r->box, t->file, t->path, &doc);
	body = json_pack("{s:I}", "size", (json_int_t)t->at);
	mod_remove_file(t);
	end(c->m, r, t, false);
	if (failed) {
		mod_failed(c, "FileOperation", store);
		json_decref(body);
	} else {
		mod_return(c, body);
	}
	tbx_doc_free(doc);
	tbx_close(store);
}

void mod_abort_write(struct mod_call *c)
{
	struct mod_resource *r;
	struct mod_transfer *t = take(c, json_array_get(c->args, 0), true, &r);

	if (!t)
		return;
	mod_remove_file(t);
	end(c->m, r, t, false);
	mod_return(c, NULL);
}
