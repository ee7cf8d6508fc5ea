/*
 * Questions that the engine's socket answers in a millisecond, where its command takes a hundred: is it there, and
 * which image has that name. Nothing is made or removed this way; what cannot be had so is asked by the command.
 */
#include "init/docker_stray.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/path.h"

#define PATIENCE 10	/* seconds */
#define ANSWER_MOST (1u << 20)

static int reach(const struct docker *d)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = PATIENCE};
	const char *path = d->host && !strncmp(d->host, "unix://", 7) ? d->host + 7 : "";
	size_t n = strlen(path);
	int fd;

	if (*path != '/' || n >= sizeof(a.sun_path))
		return -1;
	memcpy(a.sun_path, path, n + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool say(int fd, const struct text *t)
{
	/* not write(): whoever is gone must not end us */
	return !t->failed && send(fd, t->data, t->size, MSG_NOSIGNAL) == (ssize_t)t->size;
}

static bool hear(int fd, struct text *t)
{
	char part[4096];
	ssize_t n;

	while ((n = recv(fd, part, sizeof(part), 0)) > 0 && t->size < ANSWER_MOST)
		text_bytes(t, part, (size_t)n);
	return !n && !t->failed && t->size > 12;
}

/* What stands behind the head of an answer that is good; NULL: there is none. Of t. */
static const char *get(const struct docker *d, const char *path, const char *rest, struct text *t)
{
	int fd = reach(d);
	const char *body = NULL;

	if (fd < 0)
		return NULL;
	text_add(t, "GET ");
	text_add(t, path);
	text_add(t, rest);
	text_add(t, " HTTP/1.0\r\nHost: docker\r\n\r\n");
	if (say(fd, t)) {
		text_free(t);
		if (hear(fd, t) && !strncmp(t->data, "HTTP/1.", 7) && !strncmp(t->data + 8, " 200", 4))
			body = strstr(t->data, "\r\n\r\n");
	}
	close(fd);
	return body ? body + 4 : NULL;
}

bool docker_answers(const struct docker *d)
{
	struct text t = {0};
	bool good = get(d, "/_ping", "", &t);

	text_free(&t);
	return good;
}

/* A quote inside of a string has a backslash before it, and what a label names is a string, no number. */
static const char *size_in(const char *body)
{
	static const char key[] = ",\"Size\":";

	for (const char *at = body; (at = strstr(at, key));) {
		at += sizeof(key) - 1;
		if (*at >= '0' && *at <= '9')
			return at;
	}
	return NULL;
}

bool docker_ask_image(const struct docker *d, const char *image, struct text *line)
{
	static const char start[] = "{\"Id\":\"sha256:";
	struct text t = {0}, path = {0};
	const char *body, *size;
	bool good = false;

	text_add(&path, "/images/");
	text_add(&path, image);
	body = path.failed ? NULL : get(d, path.data, "/json", &t);
	size = body && !strncmp(body, start, sizeof(start) - 1) ? size_in(body) : NULL;
	if (size && strlen(body) > sizeof(start) + 64 && body[sizeof(start) - 1 + 64] == '"') {
		text_bytes(line, body + sizeof(start) - 1, 64);
		text_add(line, " ");
		text_bytes(line, size, strspn(size, "0123456789"));
		good = !line->failed;
	}
	text_free(&path);
	text_free(&t);
	return good;
}
