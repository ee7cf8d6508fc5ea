/*
 * What a guest's C library needs. This file is compiled to WebAssembly: it gives
 * wasi-libc the calls it makes, on top of the host's table (module "h", see
 * guest/calls.c), so that a finished guest imports nothing else. Error numbers
 * come as Linux's and become wasi-libc's.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wasi/api.h>
#include <wasi/libc-environ.h>

#define IMPORT(name) __attribute__((import_module("h"), import_name(name)))
IMPORT("read") int h_read(int fd, void *p, unsigned n);
IMPORT("write") int h_write(int fd, const void *p, unsigned n);
IMPORT("open") int h_open(const char *path, unsigned n, int flags, unsigned mode);
IMPORT("close") int h_close(int fd);
IMPORT("seek") long long h_seek(int fd, long long offset, int whence);
IMPORT("stat") int h_stat(int fd, const char *path, unsigned n, void *st);
IMPORT("now") long long h_now(int clock);
IMPORT("random") void h_random(void *p, unsigned n);
IMPORT("text") int h_text(int what, int index, void *p, unsigned cap);
IMPORT("realpath") int h_realpath(const char *path, unsigned n, char *out, unsigned cap);
IMPORT("isatty") int h_isatty(int fd);
IMPORT("exit") _Noreturn void h_exit(int status);

enum { ARGUMENTS, ENVIRONMENT };	/* of h_text() */

/* ---- Errors ---- */

static const unsigned char errors[] = {
	[1] = EPERM, [2] = ENOENT, [3] = ESRCH, [4] = EINTR, [5] = EIO, [6] = ENXIO, [7] = E2BIG,
	[8] = ENOEXEC, [9] = EBADF, [10] = ECHILD, [11] = EAGAIN, [12] = ENOMEM, [13] = EACCES,
	[14] = EFAULT, [16] = EBUSY, [17] = EEXIST, [18] = EXDEV, [19] = ENODEV, [20] = ENOTDIR,
	[21] = EISDIR, [22] = EINVAL, [23] = ENFILE, [24] = EMFILE, [25] = ENOTTY, [26] = ETXTBSY,
	[27] = EFBIG, [28] = ENOSPC, [29] = ESPIPE, [30] = EROFS, [31] = EMLINK, [32] = EPIPE,
	[33] = EDOM, [34] = ERANGE, [36] = ENAMETOOLONG, [38] = ENOSYS, [39] = ENOTEMPTY,
	[40] = ELOOP, [122] = EDQUOT,
};

static int error_of(long long r)
{
	unsigned long long n = (unsigned long long)-r;

	return n < sizeof(errors) && errors[n] ? errors[n] : EIO;
}

static int result(int r)
{
	if (r >= 0)
		return r;
	errno = error_of(r);
	return -1;
}

/* ---- Files ---- */

int open(const char *path, int flags, ...)
{
	int f = (flags & O_RDWR) == O_RDWR ? 2 : flags & O_WRONLY ? 1 : 0;

	f |= (flags & O_CREAT ? 0100 : 0) | (flags & O_EXCL ? 0200 : 0);
	f |= (flags & O_TRUNC ? 01000 : 0) | (flags & O_APPEND ? 02000 : 0);
	return result(h_open(path, strlen(path), f, 0666));
}

int __wasilibc_open_nomode(const char *path, int flags);
int __wasilibc_open_nomode(const char *path, int flags)
{
	return open(path, flags);
}

struct h_stat {			/* struct guest_stat of guest/calls.c */
	long long size, ino, dev, mtime;
	unsigned mode, nlink;
};

static int stat_from(int r, const struct h_stat *h, struct stat *st)
{
	unsigned type = h->mode & 0170000;

	if (r < 0)
		return result(r);
	memset(st, 0, sizeof(*st));
	st->st_size = h->size;
	st->st_ino = (ino_t)h->ino;
	st->st_dev = (dev_t)h->dev;
	st->st_nlink = h->nlink;
	st->st_mtim.tv_sec = h->mtime;
	st->st_mode = (h->mode & 07777) | (type == 0040000 ? S_IFDIR : type == 0100000 ? S_IFREG :
					   type == 0120000 ? S_IFLNK : S_IFCHR);
	return 0;
}

int stat(const char *restrict path, struct stat *restrict st)
{
	struct h_stat h = { 0 };

	return stat_from(h_stat(-1, path, strlen(path), &h), &h, st);
}

int fstat(int fd, struct stat *st)
{
	struct h_stat h = { 0 };

	return stat_from(h_stat(fd, "", 0, &h), &h, st);
}

int isatty(int fd)
{
	return h_isatty(fd);
}

int __isatty(int fd)
{
	return h_isatty(fd);
}

char *realpath(const char *restrict path, char *restrict out)
{
	char *buf = out ? out : malloc(4096);
	int r = buf ? h_realpath(path, strlen(path), buf, 4096) : -12;

	if (r >= 0)
		return buf;
	if (!out)
		free(buf);
	errno = error_of(r);
	return NULL;
}

long pathconf(const char *path, int name)
{
	(void)path;
	(void)name;
	return 4096;
}

int getpid(void)
{
	return 2;
}

/* ---- What wasi-libc itself calls ---- */

static __wasi_errno_t vector(int (*call)(int, void *, unsigned), int fd, const __wasi_iovec_t *v,
			     size_t n, __wasi_size_t *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		int r = v[i].buf_len ? call(fd, v[i].buf, v[i].buf_len) : 0;

		if (r < 0)
			return *out ? 0 : (__wasi_errno_t)error_of(r);
		*out += (unsigned)r;
		if ((unsigned)r < v[i].buf_len)
			break;
	}
	return 0;
}

static int write_some(int fd, void *p, unsigned n)
{
	return h_write(fd, p, n);
}

static int read_some(int fd, void *p, unsigned n)
{
	return h_read(fd, p, n);
}

__wasi_errno_t __wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *v, size_t n, __wasi_size_t *out)
{
	return vector(read_some, (int)fd, v, n, out);
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *v, size_t n,
			       __wasi_size_t *out)
{
	return vector(write_some, (int)fd, (const __wasi_iovec_t *)v, n, out);
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd)
{
	int r = h_close((int)fd);

	return r < 0 ? (__wasi_errno_t)error_of(r) : 0;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
			      __wasi_filesize_t *out)
{
	long long r = h_seek((int)fd, offset, whence == __WASI_WHENCE_SET ? 0 :
			     whence == __WASI_WHENCE_CUR ? 1 : 2);

	if (r < 0)
		return (__wasi_errno_t)error_of(r);
	*out = (__wasi_filesize_t)r;
	return 0;
}

__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t fd, __wasi_fdstat_t *out)
{
	memset(out, 0, sizeof(*out));
	out->fs_filetype = h_isatty((int)fd) ? __WASI_FILETYPE_CHARACTER_DEVICE :
			   __WASI_FILETYPE_REGULAR_FILE;
	out->fs_rights_base = ~0ull;
	return 0;
}

__wasi_errno_t __wasi_fd_fdstat_set_flags(__wasi_fd_t fd, __wasi_fdflags_t flags)
{
	(void)fd;
	(void)flags;
	return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_clock_time_get(__wasi_clockid_t id, __wasi_timestamp_t precision,
				     __wasi_timestamp_t *out)
{
	(void)precision;
	*out = (__wasi_timestamp_t)h_now((int)id);
	return 0;
}

__wasi_errno_t __wasi_random_get(uint8_t *p, size_t n)
{
	h_random(p, n);
	return 0;
}

_Noreturn void __wasi_proc_exit(__wasi_exitcode_t status)
{
	h_exit((int)status);
}

static unsigned text_count(int what)
{
	unsigned n = 0;

	while (h_text(what, (int)n, NULL, 0) >= 0)
		n++;
	return n;
}

__wasi_errno_t __wasi_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *bytes)
{
	*count = text_count(ENVIRONMENT);
	*bytes = 0;
	for (unsigned i = 0; i < *count; i++)
		*bytes += (unsigned)h_text(ENVIRONMENT, (int)i, NULL, 0) + 1;
	return 0;
}

__wasi_errno_t __wasi_environ_get(uint8_t **environment, uint8_t *buf)
{
	unsigned n = text_count(ENVIRONMENT);

	for (unsigned i = 0; i < n; i++) {
		int len = h_text(ENVIRONMENT, (int)i, NULL, 0);

		environment[i] = buf;
		h_text(ENVIRONMENT, (int)i, buf, (unsigned)len);
		buf[len] = 0;
		buf += len + 1;
	}
	return 0;
}

/* ---- Threads there are none ---- */

enum { KEYS = 16 };
static const void *key_values[KEYS];

int pthread_once(pthread_once_t *once, void (*fn)(void))
{
	if (!*once) {
		*once = 1;
		fn();
	}
	return 0;
}

int pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	static unsigned made;

	(void)end;
	if (made == KEYS)
		return EAGAIN;
	*key = made++;
	return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	key_values[key] = value;
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	return (void *)key_values[key];
}

/* ---- Sorting ---- */

typedef int compare_fn(const void *, const void *);

/* Merges the sorted halves of p; the first is copied to room. */
static void merge(char *p, size_t left, size_t n, size_t size, compare_fn *compare, char *room)
{
	const char *a = room, *a_end = room + left * size, *b = p + left * size, *end = p + n * size;

	memcpy(room, p, left * size);
	for (; a < a_end; p += size) {
		if (b < end && compare(b, a) < 0) {
			memcpy(p, b, size);
			b += size;
		} else {
			memcpy(p, a, size);
			a += size;
		}
	}
}

static void merge_sort(char *p, size_t n, size_t size, compare_fn *compare, char *room)
{
	size_t left = n / 2;

	if (n < 2)
		return;
	merge_sort(p, left, size, compare, room);
	merge_sort(p + left * size, n - left, size, compare, room);
	if (compare(p + (left - 1) * size, p + left * size) > 0)
		merge(p, left, n, size, compare, room);
}

/* wasi-libc's smoothsort compares twice as often, and that is what sorting costs jq. */
void qsort(void *p, size_t n, size_t size, compare_fn *compare)
{
	char *room = n > 1 ? malloc(n / 2 * size) : NULL;

	if (n > 1 && !room) {
		static const char text[] = "out of memory\n";

		h_write(2, text, sizeof(text) - 1);
		h_exit(2);
	}
	merge_sort(p, n, size, compare, room);
	free(room);
}

/* ---- The way in ---- */

void guest_prepare(void);		/* what is the same in every run: it is done once and kept */
int guest_main(int argc, char **argv);	/* the program's main() */

__attribute__((export_name("g_prepare"))) void g_prepare(void)
{
	guest_prepare();
}

__attribute__((export_name("g_main"))) void g_main(void)
{
	unsigned argc = text_count(ARGUMENTS);
	char **argv = calloc(argc + 1, sizeof(*argv));

	__wasilibc_initialize_environ();	/* not when the guest was prepared */
	for (unsigned i = 0; i < argc; i++) {
		int len = h_text(ARGUMENTS, (int)i, NULL, 0);

		argv[i] = calloc((size_t)len + 1, 1);
		h_text(ARGUMENTS, (int)i, argv[i], (unsigned)len);
	}
	exit(guest_main((int)argc, argv));
}
