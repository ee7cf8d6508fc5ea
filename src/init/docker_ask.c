/*
 * What the engine's socket does in milliseconds, where its command takes a hundred: is it there, which image has
 * that name, an image of a container. What cannot be had so is asked of the command.
 */
#include "init/docker_stray.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/path.h"

#define PATIENCE 10	/* seconds */
#define COMMIT_PATIENCE 900
#define SHA256_HEX 64
#define ANSWER_MOST (1u << 20)

static int reach(const struct docker *d, int seconds)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = seconds};
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

/* The question in t becomes the answer: what stands behind its head, if that says the status; NULL. Of t. */
static const char *ask(const struct docker *d, struct text *t, const char *status, int seconds)
{
	int fd = reach(d, seconds);
	const char *body = NULL;

	if (fd < 0)
		return NULL;
	text_add(t, " HTTP/1.0\r\nHost: docker\r\n\r\n");
	if (say(fd, t)) {
		text_free(t);
		if (hear(fd, t) && !strncmp(t->data, "HTTP/1.", 7) && !strncmp(t->data + 9, status, 3))
			body = strstr(t->data, "\r\n\r\n");
	}
	close(fd);
	return body ? body + 4 : NULL;
}

static const char *get(const struct docker *d, const char *path, const char *rest, struct text *t)
{
	text_add(t, "GET ");
	text_add(t, path);
	text_add(t, rest);
	return ask(d, t, "200", PATIENCE);
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

/* Names of ours need no percent signs. */
bool docker_ask_commit(const struct docker *d, const char *id, const char *image, char made[SHA256_HEX + 1])
{
	static const char start[] = "{\"Id\":\"sha256:";
	const char *tag = strrchr(image, ':'), *body;
	struct text t = {0};
	bool good;

	if (!tag || strspn(image, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") != (size_t)(tag - image))
		return false;
	text_add(&t, "POST /commit?container=");
	text_add(&t, id);
	text_add(&t, "&repo=");
	text_bytes(&t, image, (size_t)(tag - image));
	text_add(&t, "&tag=");
	text_add(&t, tag + 1);
	text_add(&t, "&changes=LABEL%20tinybox.box%3D%22%22%20" DOCKER_LABEL "%3D%22%22&changes=ENTRYPOINT%20%5B%5D");
	body = ask(d, &t, "201", COMMIT_PATIENCE);
	good = body && !strncmp(body, start, sizeof(start) - 1) &&
		strspn(body + sizeof(start) - 1, "0123456789abcdef") == SHA256_HEX;
	if (good) {
		memcpy(made, body + sizeof(start) - 1, SHA256_HEX);
		made[SHA256_HEX] = '\0';
	}
	text_free(&t);
	return good;
}
