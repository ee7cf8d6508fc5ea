/*
 * See chain.h. A writer that died between the line and the head left a line that the head does
 * not know yet: the next one reads what is behind the head's place and goes on from there.
 */
#define OPENSSL_SUPPRESS_DEPRECATED	/* the whole of libcrypto otherwise */
#include "wire/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREV ",\"prev\":\""
#define WAITS 200u	/* milliseconds that a lock is waited for */
#define PIECE 65536u

static const char digits[] = "0123456789abcdef";

static void to_hex(const uint8_t hash[SHA256_DIGEST_LENGTH], char hex[CHAIN_HEX + 1])
{
	for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++) {
		hex[2 * i] = digits[hash[i] >> 4];
		hex[2 * i + 1] = digits[hash[i] & 15];
	}
	hex[CHAIN_HEX] = '\0';
}

static void hash_line(const char *line, size_t n, char hex[CHAIN_HEX + 1])
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	SHA256_CTX sum;		/* SHA256() would bring in all of libcrypto */

	SHA256_Init(&sum);
	SHA256_Update(&sum, line, n);
	SHA256_Final(hash, &sum);
	to_hex(hash, hex);
}

static void zeros(char hex[CHAIN_HEX + 1])
{
	memset(hex, '0', CHAIN_HEX);
	hex[CHAIN_HEX] = '\0';
}

/* ---- The head ---- */

static void put_number(char *to, uint64_t n)
{
	for (int i = 20; i--; n /= 10)
		to[i] = (char)('0' + n % 10);
	to[20] = ' ';
}

static bool get_number(const char *from, uint64_t *n)
{
	*n = 0;
	for (int i = 0; i < 20; i++) {
		if (from[i] < '0' || from[i] > '9' || *n > UINT64_MAX / 10 - 1)
			return false;
		*n = *n * 10 + (uint64_t)(from[i] - '0');
	}
	return from[20] == ' ';
}

static bool read_head(const char *text, size_t n, uint64_t *lines, uint64_t *bytes,
		      char hex[CHAIN_HEX + 1])
{
	if (n != CHAIN_HEAD || !get_number(text, lines) || !get_number(text + 21, bytes) ||
	    text[CHAIN_HEAD - 1] != '\n')
		return false;
	memcpy(hex, text + 42, CHAIN_HEX);
	hex[CHAIN_HEX] = '\0';
	return strspn(hex, digits) == CHAIN_HEX;
}

static void write_head(struct chain *c)
{
	char text[CHAIN_HEAD];

	put_number(text, c->lines);
	put_number(text + 21, c->bytes);
	memcpy(text + 42, c->hex, CHAIN_HEX);
	text[CHAIN_HEAD - 1] = '\n';
	if (pwrite(c->head, text, sizeof(text), 0) != (ssize_t)sizeof(text))
		c->known = false;
}

/* ---- Where the log ends ---- */

/* The whole lines of buf; what is behind them is moved to its start, and is so long. */
static size_t take_lines(struct chain *c, char *buf, size_t n)
{
	size_t at = 0;
	const char *end;

	while ((end = memchr(buf + at, '\n', n - at))) {
		size_t line = (size_t)(end - buf) - at;

		hash_line(buf + at, line, c->hex);
		c->lines++;
		c->bytes += line + 1;
		at += line + 1;
	}
	memmove(buf, buf + at, n - at);
	return n - at;
}

/* Takes the lines from c->bytes to `size`; a line without its end, cut by a crash, goes. */
static bool catch_up(struct chain *c, uint64_t size)
{
	size_t cap = 2 * (size_t)PIECE, n = 0;
	char *buf = malloc(cap), *more;
	uint64_t at = c->bytes;

	while (buf && at < size) {
		ssize_t got;

		if (cap - n < PIECE) {
			more = realloc(buf, cap *= 2);
			if (!more)
				break;
			buf = more;
		}
		got = pread(c->fd, buf + n, PIECE, (off_t)at);
		if (got <= 0)
			break;
		at += (uint64_t)got;
		n += (size_t)got;
		n = take_lines(c, buf, n);
	}
	free(buf);
	return buf && at >= size && (!n || !ftruncate(c->fd, (off_t)c->bytes));
}

static bool find_end(struct chain *c)
{
	char text[CHAIN_HEAD];
	struct stat st;
	ssize_t n;

	if (fstat(c->fd, &st))
		return false;
	if (c->known && c->bytes == (uint64_t)st.st_size)
		return true;
	n = pread(c->head, text, sizeof(text), 0);
	if (n < 0 || !read_head(text, (size_t)n, &c->lines, &c->bytes, c->hex) ||
	    c->bytes > (uint64_t)st.st_size) {
		/* no head, or more was cut off than was ever written: from the beginning */
		c->lines = c->bytes = 0;
		zeros(c->hex);
	}
	c->known = catch_up(c, (uint64_t)st.st_size);
	return c->known;
}

/* ---- Writing ---- */

static bool set_lock(int fd, short kind)
{
	struct flock l = {.l_type = kind, .l_whence = SEEK_SET, .l_len = 1};

	return !fcntl(fd, F_SETLK, &l);
}

/* Not for ever: a holder may have been stopped, and it is not worth the box. */
static bool lock(struct chain *c)
{
	struct timespec ms = {.tv_nsec = 1000000};

	for (unsigned i = 0; !set_lock(c->fd, F_WRLCK); i++) {
		if (i == WAITS || (errno != EAGAIN && errno != EACCES && errno != EINTR))
			return false;
		if (c->waiting)
			c->waiting(c->ctx);
		nanosleep(&ms, NULL);
	}
	return true;
}

static bool write_line(struct chain *c, const char *line, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t put = write(c->fd, line + done, n - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			break;
		done += (size_t)put;
	}
	if (done == n)
		return true;
	/* half a line is none */
	c->known = !ftruncate(c->fd, (off_t)c->bytes);
	return false;
}

static size_t compose(char *to, const char *json, size_t n, const char *hex)
{
	size_t prev = sizeof(PREV) - 1;

	memcpy(to, json, n - 1);
	memcpy(to + n - 1, PREV, prev);
	memcpy(to + n - 1 + prev, hex, CHAIN_HEX);
	memcpy(to + n - 1 + prev + CHAIN_HEX, "\"}\n", 3);
	return n - 1 + prev + CHAIN_HEX + 3;
}

bool chain_append(struct chain *c, const char *json, size_t n)
{
	char *line = n > 2 && c->fd >= 0 ? malloc(n + sizeof(PREV) + CHAIN_HEX + 4) : NULL;
	bool locked, good;

	if (!line)
		return false;
	locked = lock(c);
	good = find_end(c);
	/* What cannot be chained is written all the same, and verified as what it is. */
	if (!good)
		zeros(c->hex);
	n = compose(line, json, n, c->hex);
	good = write_line(c, line, n);
	if (good && c->known) {
		hash_line(line, n - 1, c->hex);
		c->lines++;
		c->bytes += n;
		write_head(c);
	}
	if (!locked)
		c->known = false;
	else
		set_lock(c->fd, F_UNLCK);
	free(line);
	return good;
}

bool chain_open(struct chain *c, int dir, const char *name)
{
	char head[64];
	size_t n = strlen(name);

	c->fd = c->head = -1;
	c->known = false;
	if (n + 6 > sizeof(head)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(head, name, n);
	memcpy(head + n, ".head", 6);
	c->fd = openat(dir, name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	c->head = openat(dir, head, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (c->fd >= 0 && c->head >= 0)
		return true;
	n = (size_t)errno;
	chain_close(c);
	errno = (int)n;
	return false;
}

void chain_close(struct chain *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->head >= 0)
		close(c->head);
	c->fd = c->head = -1;
}

/* ---- Reading ---- */

static bool is_next(const char *line, size_t n, const char *hex)
{
	size_t prev = sizeof(PREV) - 1, tail = prev + CHAIN_HEX + 2;

	return n > tail && !memcmp(line + n - tail, PREV, prev) &&
	       !memcmp(line + n - tail + prev, hex, CHAIN_HEX) && !memcmp(line + n - 2, "\"}", 2);
}

struct chain_told chain_verify(const char *log, size_t n, const char *head, size_t head_n)
{
	struct chain_told told = {0};
	uint64_t lines = 0, bytes = 0, at = 0;
	char hex[CHAIN_HEX + 1];
	const char *end;
	bool met;

	zeros(told.hex);
	if (!head || (head_n && !read_head(head, head_n, &lines, &bytes, hex))) {
		told.why = "its head is missing or damaged";
		return told;
	}
	met = !head_n || !lines;
	while (at < n && (end = memchr(log + at, '\n', n - at))) {
		size_t size = (size_t)(end - log) - at;

		if (!is_next(log + at, size, told.hex)) {
			told.why = "the next line does not continue it: changed, left out or put in there";
			return told;
		}
		hash_line(log + at, size, told.hex);
		told.lines++;
		at += size + 1;
		if (told.lines == lines)
			met = at == bytes && !strcmp(told.hex, hex);
	}
	if (!met)
		told.why = told.lines < lines ? "lines are missing at its end" :
			   "its last line is not the one that its head names";
	else if (at < n)
		told.why = "its last line has no end";
	else if (told.lines > lines + 1)
		told.why = "lines were put in at its end";
	return told;
}
