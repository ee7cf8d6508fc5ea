/*
 * Redirections: files and commands by name, open until close() or the end.
 * Commands run under sh -c; whatever is waiting in buffers is written before.
 */
#include "cmd/awk/awk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAM_BUFFER = 16 << 10 };

static bool is_output(enum stream_kind kind)
{
	return kind == STREAM_OUT || kind == STREAM_APPEND;
}

static struct stream *stream_find(struct awk *a, enum stream_kind kind, struct awk_str *name)
{
	for (struct stream *s = a->streams; s; s = s->next)
		if ((s->kind == kind || (is_output(s->kind) && is_output(kind))) &&
		    s->name->n == name->n && !memcmp(s->name->p, name->p, name->n))
			return s;
	return NULL;
}

/* /dev/stdin and the like, "-", /dev/fd/N: a descriptor that is there; or -1. */
static int special_fd(const char *name, bool output)
{
	if (!strcmp(name, output ? "/dev/stdout" : "/dev/stdin") || !strcmp(name, "-"))
		return output ? 1 : 0;
	if (output && !strcmp(name, "/dev/stderr"))
		return 2;
	if (!strncmp(name, "/dev/fd/", 8) && name[8] >= '0' && name[8] <= '9' && strlen(name) < 12)
		return atoi(name + 8);
	return -1;
}

/* Closes the output file that was used least lately; false: there is none. */
static bool park_one(struct awk *a)
{
	struct stream *found = NULL;

	for (struct stream *s = a->streams; s; s = s->next)
		if (is_output(s->kind) && s->out_fd > 2 && (!found || s->used < found->used))
			found = s;
	if (!found || ak_stream_flush(a, found))
		return false;
	tsb_close(a->p, found->out_fd);
	found->out_fd = -1;
	found->parked = true;
	return true;
}

static int open_or_park(struct awk *a, const char *name, int flags)
{
	int fd;

	do
		fd = tsb_open(a->p, name, flags | O_CLOEXEC, 0666);
	while (fd == -EMFILE && park_one(a));
	return fd;
}

static int open_file(struct awk *a, struct stream *s)
{
	int fd = special_fd(s->name->p, s->kind != STREAM_IN);

	s->out_fd = s->in.fd = -1;
	if (fd < 0) {
		int flags = s->kind == STREAM_IN ? O_RDONLY :
			    O_WRONLY | O_CREAT | (s->kind == STREAM_OUT ? O_TRUNC : O_APPEND);
		struct tsb_stat st;

		fd = open_or_park(a, s->name->p, flags);
		if (fd >= 0 && s->kind == STREAM_IN && !tsb_fstat(a->p, fd, &st) &&
		    S_ISDIR(st.mode)) {
			tsb_close(a->p, fd);
			fd = -EISDIR;
		}
	}
	if (fd < 0)
		return fd;
	if (s->kind == STREAM_IN)
		s->in.fd = fd;
	else
		s->out_fd = fd;
	s->direct = fd == 2 && s->kind != STREAM_IN;
	return 0;
}

static int spawn_shell(struct awk *a, const char *command, struct tsb_fd_map *map, size_t n,
		       int *pid)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = argv, .fds = map,
				 .n_fds = n };

	ak_streams_flush(a);
	return tsb_spawn(a->p, &how, pid);
}

static int open_pipe(struct awk *a, struct stream *s)
{
	bool reads = s->kind != STREAM_OUT_PIPE, writes = s->kind != STREAM_IN_PIPE;
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err = 0;
	struct tsb_fd_map map[2];
	size_t n = 0;

	if (reads)
		err = tsb_pipe(a->p, in);
	if (writes && !err)
		err = tsb_pipe(a->p, out);
	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		if (reads)
			tsb_set_cloexec(a->p, in[i], true);
		if (writes)
			tsb_set_cloexec(a->p, out[i], true);
	}
	if (writes)
		map[n++] = (struct tsb_fd_map){ 0, out[0] };
	if (reads)
		map[n++] = (struct tsb_fd_map){ 1, in[1] };
	err = spawn_shell(a, s->name->p, map, n, &s->pid);
	if (reads)
		tsb_close(a->p, in[1]);
	if (writes)
		tsb_close(a->p, out[0]);
	s->in.fd = in[0];
	s->out_fd = out[1];
	s->direct = s->kind == STREAM_TWO;
	return err;
}

bool ak_nonfatal(struct awk *a, const struct awk_str *name)
{
	struct awk_str *sep;
	struct awk_val key;
	struct str text;
	bool found;

	if (!a->uses[VAR_PROCINFO])
		return false;
	val_string(&key, ak_str_make(a, "NONFATAL", 8));
	found = ak_array_at(a, ak_var_array(a, VAR_PROCINFO), &key, false) != NULL;
	val_drop(a, &key);
	if (found)
		return true;
	sep = ak_var_str(a, VAR_SUBSEP);
	str_init(&text, a->heap, STR_MAX_DEFAULT);
	str_addn(&text, name->p, name->n);
	str_addn(&text, sep->p, sep->n);
	str_adds(&text, "NONFATAL");
	val_string(&key, ak_str_make(a, text.p, text.n));
	found = ak_array_at(a, ak_var_array(a, VAR_PROCINFO), &key, false) != NULL;
	val_drop(a, &key);
	str_end(&text);
	str_drop(a, sep);
	return found;
}

/* Sockets by name: there is no network here. */
static bool is_socket(const char *name)
{
	return !strncmp(name, "/inet/", 6) || !strncmp(name, "/inet4/", 7) ||
	       !strncmp(name, "/inet6/", 7);
}

/* revtwoway: what is written is read again, backwards, from the stream itself. */
static int open_mirror(struct stream *s)
{
	s->in.fd = s->out_fd = -1;
	s->in.eof = s->mirror = true;
	return 0;
}

static void write_mirror(struct awk *a, struct input *in, const char *p, size_t n)
{
	if (n > in->cap - in->n) {
		size_t cap = in->n + n + 4096;

		in->buf = heap_resize(a->heap, in->buf, cap);
		in->cap = cap;
	}
	memcpy(in->buf + in->n, p, n);
	in->n += n;
}

/* Each piece that print writes is turned round by itself. */
static void write_reversed(struct awk *a, struct stream *s, const char *p, size_t n)
{
	char *turned = heap_alloc(a->heap, n + 1);

	for (size_t i = 0; i < n; i++)
		turned[i] = p[n - 1 - i];
	if (s->mirror) {
		write_mirror(a, &s->in, turned, n);
	} else {
		s->reverse = false;
		ak_stream_write(a, s, turned, n);
		s->reverse = true;
	}
	heap_free(a->heap, turned);
}

struct stream *ak_stream_open(struct awk *a, enum stream_kind kind, struct awk_str *name)
{
	struct stream *s = stream_find(a, kind, name);
	int err;

	if (s)
		return s;
	if (a->sandbox)
		awk_fatal(a, "redirection not allowed in sandbox mode");
	if (!name->n)
		awk_fatal(a, "expression for `%s' redirection has null string value",
			  kind == STREAM_IN ? "<" : kind == STREAM_OUT ? ">" :
			  kind == STREAM_APPEND ? ">>" : kind == STREAM_TWO ? "|&" : "|");
	s = heap_zalloc(a->heap, sizeof(*s));
	s->kind = kind;
	s->name = name;
	if (kind == STREAM_TWO && a->mirror && !strcmp(name->p, "/magic/mirror"))
		err = open_mirror(s);
	else if (kind == STREAM_IN || is_output(kind))
		err = open_file(a, s);
	else if (kind == STREAM_TWO && is_socket(name->p))
		err = -EAFNOSUPPORT;
	else
		err = open_pipe(a, s);
	if (err) {
		heap_free(a->heap, s);
		ak_var_errno(a, err);
		if (kind == STREAM_IN || ak_nonfatal(a, name))
			return NULL;
		awk_fatal(a, is_output(kind) ? "cannot redirect to `%s': %s" : kind == STREAM_TWO ?
			  "cannot open two way pipe `%s' for input/output: %s" :
			  "cannot open pipe `%s': %s", name->p, tsb_strerror(err));
	}
	s->reverse = is_output(kind) && ak_reverses(a);
	str_hold(name);
	s->next = a->streams;
	a->streams = s;
	return s;
}

void ak_out_check(struct awk *a, const char *what, const char *name)
{
	int err = tsb_out_error(a->p);

	if (!err)
		return;
	tsb_out_forget(a->p);
	awk_fatal(a, "%s to \"%s\" failed: %s", what, name, tsb_strerror(err));
}

int ak_stream_flush(struct awk *a, struct stream *s)
{
	int err = 0;

	if (s->out_fd == 1 && s->kind != STREAM_OUT_PIPE)
		return tsb_flush(a->p);
	if (s->n)
		err = tsb_write_all(a->p, s->out_fd, s->buf, s->n);
	s->n = 0;
	return err;
}

int ak_streams_flush(struct awk *a)
{
	int err = tsb_flush(a->p);

	for (struct stream *s = a->streams; s; s = s->next)
		if (s->out_fd >= 0 && s->n)
			err |= ak_stream_flush(a, s);
	return err;
}

static void stream_failed(struct awk *a, struct stream *s, int err)
{
	s->n = 0;
	ak_var_errno(a, err);
	if (ak_nonfatal(a, s->name))
		return;
	awk_fatal(a, "print to \"%s\" failed: %s", s->name->p, tsb_strerror(err));
}

void ak_stream_write(struct awk *a, struct stream *s, const char *p, size_t n)
{
	int err = 0;

	if (s->reverse || s->mirror) {
		write_reversed(a, s, p, n);
		return;
	}
	if (s->out_fd == 1 && is_output(s->kind)) {
		tsb_put(a->p, p, n);
		ak_out_check(a, "print", s->name->p);
		return;
	}
	s->used = ++a->stream_uses;
	if (s->parked) {
		s->out_fd = open_or_park(a, s->name->p, O_WRONLY | O_CREAT | O_APPEND);
		if (s->out_fd < 0)
			awk_fatal(a, "cannot redirect to `%s': %s", s->name->p,
				  tsb_strerror(s->out_fd));
		s->parked = false;
	}
	if (s->out_fd < 0 && ak_nonfatal(a, s->name)) {
		ak_var_errno(a, -EBADF);
		return;
	}
	if (s->out_fd < 0)
		awk_fatal(a, "print: attempt to write to closed write end of two-way pipe");
	if (!s->buf)
		s->buf = heap_alloc(a->heap, STREAM_BUFFER);
	if (n > STREAM_BUFFER - s->n)
		err = ak_stream_flush(a, s);
	if (!err && (n > STREAM_BUFFER || s->direct))
		err = tsb_write_all(a->p, s->out_fd, p, n);
	else if (!err) {
		memcpy(s->buf + s->n, p, n);
		s->n += n;
	}
	if (err)
		stream_failed(a, s, err);
}

/* As gawk tells it: the exit status, or 256 and the signal. */
static int status_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return 256 + WTERMSIG(status);
}

static int stream_end(struct awk *a, struct stream *s)
{
	int err = 0, status = 0;

	if (s->out_fd >= 0) {
		err = ak_stream_flush(a, s);
		if (err)
			ak_var_errno(a, err);
		if (err && ak_nonfatal(a, s->name))
			err = 0;
		if (err && err != -EPIPE)
			awk_fatal(a, "flush to \"%s\" failed: %s", s->name->p, tsb_strerror(err));
		if (s->out_fd > 2)
			tsb_close(a->p, s->out_fd);
	}
	heap_free(a->heap, s->buf);
	if (s->in.fd >= 0)
		ak_input_end(a, &s->in);
	if (!s->pid)
		return err ? -1 : 0;
	if (tsb_wait(a->p, s->pid, &status, 0) < 0)
		return -1;
	return status_of(status);
}

static bool close_one_end(struct awk *a, struct stream *s, const char *how)
{
	if (s->kind != STREAM_TWO || !how || (how[0] != 't' && how[0] != 'f'))
		return false;
	if (how[0] == 't' && s->out_fd >= 0) {
		ak_stream_flush(a, s);
		tsb_close(a->p, s->out_fd);
		s->out_fd = -1;
		return s->in.fd >= 0;
	}
	if (how[0] == 'f' && s->in.fd >= 0) {
		ak_input_end(a, &s->in);
		s->in.fd = -1;
		return s->out_fd >= 0;
	}
	return false;
}

static void never_opened(struct awk *a)
{
	static const char text[] = "close of redirection that was never opened";
	struct awk_val v;

	ak_var_errno(a, 0);
	val_string(&v, ak_str_make(a, text, sizeof(text) - 1));
	ak_var_set(a, VAR_ERRNO, &v);
}

int ak_stream_close(struct awk *a, const struct awk_val *name, const char *how)
{
	struct awk_str *text = ak_val_to_str(a, name);
	bool found = false;
	int result = -1;

	for (struct stream **s = &a->streams, *gone; *s; s = &(*s)->next) {
		if ((*s)->name->n != text->n || memcmp((*s)->name->p, text->p, text->n))
			continue;
		found = true;
		gone = *s;
		if (close_one_end(a, gone, how)) {
			result = 0;
			break;
		}
		*s = gone->next;
		result = stream_end(a, gone);
		str_drop(a, gone->name);
		heap_free(a->heap, gone);
		break;
	}
	if (result < 0 && !found && a->lint)
		ak_lint(a, "close: `%s' is not an open file, pipe or co-process", text->p);
	str_drop(a, text);
	if (!found)
		never_opened(a);
	return result;
}

int ak_streams_end(struct awk *a)
{
	int err = 0;

	ak_lint_streams(a);
	while (a->streams) {
		struct stream *s = a->streams;

		a->streams = s->next;
		err |= stream_end(a, s) < 0;
	}
	return err;
}

int awk_system(struct awk *a, const char *command)
{
	int pid, status = 0, err;

	if (a->sandbox)
		awk_fatal(a, "'system' function not allowed in sandbox mode");
	err = spawn_shell(a, command, NULL, 0, &pid);
	if (err)
		return -1;
	tsb_wait(a->p, pid, &status, 0);
	return status_of(status);
}

static int read_along(struct awk *a, const char *name, const char *suffix, struct str *out)
{
	const char *path = tsb_getenv(a->p, "AWKPATH"), *end;
	int err = -ENOENT;

	if (strchr(name, '/') || !strcmp(name, "-"))
		return awk_read_file(a, tsb_format(a->p, "%s%s", name, suffix), out);
	for (path = path && *path ? path : ".:/usr/share/awk"; err == -ENOENT; path = end + 1) {
		end = strchrnul(path, ':');
		err = awk_read_file(a, end == path ? tsb_format(a->p, "%s%s", name, suffix) :
				    tsb_format(a->p, "%.*s/%s%s", (int)(end - path), path, name,
					       suffix), out);
		if (!*end)
			break;
	}
	return err;
}

int awk_read_source(struct awk *a, const char *name, bool library, struct str *out)
{
	int err = read_along(a, name, "", out);

	return err == -ENOENT && library && !a->traditional ? read_along(a, name, ".awk", out) : err;
}

int awk_read_file(struct awk *a, const char *name, struct str *out)
{
	char *block = heap_alloc(a->heap, 16384);
	int fd = !strcmp(name, "-") || !strcmp(name, "/dev/stdin") ? 0 :
		 tsb_open(a->p, name, O_RDONLY | O_CLOEXEC, 0);
	ssize_t r = fd;

	if (fd < 0)
		return fd;
	while ((r = tsb_read(a->p, fd, block, 16384)) > 0)
		str_addn(out, block, (size_t)r);
	if (fd)
		tsb_close(a->p, fd);
	heap_free(a->heap, block);
	return r < 0 ? (int)r : 0;
}
