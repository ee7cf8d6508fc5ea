/*
 * step TREE COPY: tells what is in the directory TREE, then copies `t` to COPY; either may be "-", none. For options.py's real side,
 * where a find, two sorts, cksum and cp -a for each case would cost more than the case. The sandbox's side has them as commands:
 * both must print the same, byte for byte.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LINKS = 64 };

static struct { ino_t ino; char path[PATH_MAX]; } links[MAX_LINKS];
static int nlinks;

static void mode_text(mode_t m, char out[11])
{
	static const char rwx[] = "rwxrwxrwx";
	out[0] = S_ISDIR(m) ? 'd' : S_ISLNK(m) ? 'l' : S_ISFIFO(m) ? 'p' : S_ISSOCK(m) ? 's' : '-';
	for (int i = 0; i < 9; i++) out[i + 1] = m & (0400 >> i) ? rwx[i] : '-';
	if (m & S_ISUID) out[3] = m & S_IXUSR ? 's' : 'S';
	if (m & S_ISGID) out[6] = m & S_IXGRP ? 's' : 'S';
	if (m & S_ISVTX) out[9] = m & S_IXOTH ? 't' : 'T';
	out[10] = 0;
}

static uint32_t crc_table[256];

static void crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i << 24;
		for (int k = 0; k < 8; k++) c = c & 0x80000000u ? c << 1 ^ 0x04C11DB7u : c << 1;
		crc_table[i] = c;
	}
}

static uint32_t crc(uint32_t c, const unsigned char *p, size_t n)
{
	while (n--) c = c << 8 ^ crc_table[(c >> 24 ^ *p++) & 255];
	return c;
}

/* As cksum tells it. */
static void sum(FILE *sums, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char b[65536], length;
	uint32_t c = 0;
	size_t total = 0;
	ssize_t n;
	if (fd < 0) return;
	while ((n = read(fd, b, sizeof(b))) > 0) { c = crc(c, b, (size_t)n); total += (size_t)n; }
	close(fd);
	for (size_t l = total; l; l >>= 8) { length = (unsigned char)l; c = crc(c, &length, 1); }
	fprintf(sums, "%u %zu %s\n", ~c, total, path);
}

static void visit(FILE *list, FILE *sums, const char *path)
{
	struct stat st;
	struct tm tm;
	char mode[11], target[PATH_MAX];
	ssize_t n = -1;
	const char *base = strrchr(path, '/');
	if (lstat(path, &st)) return;
	mode_text(st.st_mode, mode);
	gmtime_r(&st.st_mtime, &tm);
	if (S_ISLNK(st.st_mode)) n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	fprintf(list, "%s %ju %jd %d %s -> %s\n", mode, (uintmax_t)st.st_nlink, (intmax_t)st.st_size, tm.tm_year + 1900, path, target);
	if (S_ISREG(st.st_mode) && st.st_size <= 39 * 1024 && !strstr(base ? base : path, ".tar")) sum(sums, path);
	if (!S_ISDIR(st.st_mode)) return;
	DIR *d = opendir(path);
	if (!d) return;
	for (struct dirent *e; (e = readdir(d));) {
		char inner[PATH_MAX];
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
		if (snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name) < (int)sizeof(inner)) visit(list, sums, inner);
	}
	closedir(d);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void put_sorted(char *text)
{
	size_t n = 0, max = 1;
	for (char *p = text; *p; p++) max += *p == '\n';
	char **line = malloc(max * sizeof(*line));
	for (char *p = text, *end; *p; p = end + 1) { end = strchr(p, '\n'); *end = 0; line[n++] = p; }
	qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++) puts(line[i]);
}

static void tree(const char *path)
{
	char *a, *b;
	size_t m, n;
	FILE *list = open_memstream(&a, &m), *sums = open_memstream(&b, &n);
	crc_init();
	visit(list, sums, path);
	fclose(list); fclose(sums);
	put_sorted(a);
	put_sorted(b);
}

static void content(const char *from, const char *to)
{
	char b[65536];
	ssize_t n;
	struct stat st;
	int in = open(from, O_RDONLY | O_CLOEXEC), out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0) return;
	fstat(in, &st);
	if (st.st_size > 65536) {
		if (ftruncate(out, st.st_size)) _exit(2);       /* only holes are so large */
	} else {
		while ((n = read(in, b, sizeof(b))) > 0) if (write(out, b, (size_t)n) != n) _exit(2);
	}
	close(in);
	close(out);
}

static void copy(const char *from, const char *to)
{
	struct stat st;
	char a[PATH_MAX], b[PATH_MAX];
	ssize_t n;
	if (lstat(from, &st)) return;
	struct timespec times[2] = { st.st_atim, st.st_mtim };
	if (!S_ISDIR(st.st_mode) && st.st_nlink > 1) {
		for (int i = 0; i < nlinks; i++)
			if (links[i].ino == st.st_ino) { if (link(links[i].path, to)) _exit(2); return; }
		if (nlinks < MAX_LINKS) { links[nlinks].ino = st.st_ino; strcpy(links[nlinks++].path, to); }
	}
	if (S_ISLNK(st.st_mode)) {
		n = readlink(from, a, sizeof(a) - 1);
		if (n < 0) return;
		a[n] = 0;
		if (symlink(a, to)) _exit(2);
	} else if (S_ISFIFO(st.st_mode)) {
		if (mkfifo(to, 0600)) _exit(2);
	} else if (S_ISDIR(st.st_mode)) {
		if (mkdir(to, 0700)) _exit(2);
		DIR *d = opendir(from);
		for (struct dirent *e; d && (e = readdir(d));) {
			if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
			snprintf(a, sizeof(a), "%s/%s", from, e->d_name);
			snprintf(b, sizeof(b), "%s/%s", to, e->d_name);
			copy(a, b);
		}
		if (d) closedir(d);
	} else {
		content(from, to);
	}
	if (!S_ISLNK(st.st_mode)) chmod(to, st.st_mode & 07777);
	utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
}

int main(int argc, char **argv)
{
	if (argc != 3) return 2;
	if (strcmp(argv[1], "-")) { tree(argv[1]); fputs("\n\002\n", stdout); }
	if (strcmp(argv[2], "-")) copy("t", argv[2]);
	return 0;
}
