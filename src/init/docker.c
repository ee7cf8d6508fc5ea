/*
 * The engine: which it is, what it was told for a box, and the few commands that a container needs.
 */
#include "init/docker_stray.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"

#define SHORT 60u		/* seconds for a command that only the engine is at work on */
#define PULL 900u		/* for one that may fetch an image */
#define FILE_MOST 65536u

/* What of our environment the command may see: where its settings are, and the way to a registry. */
static const char *const passed[] = {"HOME", "DOCKER_CONFIG", "DOCKER_CONTEXT", "XDG_RUNTIME_DIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS", "CONTAINERS_CONF",
	"CONTAINERS_STORAGE_CONF", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy",
	"https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR"};

static const char *from_environment(const char *name)
{
	size_t n = strlen(name);

	for (char **at = environ; *at; at++)
		if (!strncmp(*at, name, n) && (*at)[n] == '=')
			return *at;
	return NULL;
}

static const char *value_of(const char *name)
{
	const char *word = from_environment(name);

	return word && word[strlen(name) + 1] ? word + strlen(name) + 1 : NULL;
}

static void set_env(struct docker *d)
{
	size_t n = 0;

	d->env[n++] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	d->env[n++] = "LC_ALL=C";
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++) {
		const char *word = from_environment(passed[i]);

		/* a socket that is known is not to be looked for again */
		if (word && !(d->own_env && !strcmp(passed[i], "DOCKER_CONTEXT")))
			d->env[n++] = word;
	}
	if (d->own_env)
		d->env[n++] = d->own_env;
	d->env[n] = NULL;
}

bool docker_is_podman(const struct docker *d)
{
	const char *slash = strrchr(d->program, '/');

	return !strncmp(slash ? slash + 1 : d->program, "podman", 6);
}

static bool set_host(struct docker *d, const char *host)
{
	struct text t = {0};

	d->host = strdup(host);
	if (*host) {
		text_add(&t, "DOCKER_HOST=");
		text_add(&t, host);
		d->own_env = t.failed ? NULL : t.data;
	}
	set_env(d);
	return d->host && (!*host || d->own_env);
}

bool docker_failed(struct docker *d, struct tool *t, const char *what)
{
	const char *said = t ? tool_why(t) : "";

	text_free(&d->why);
	text_add(&d->why, what);
	if (*said) {
		text_add(&d->why, ": ");
		text_add(&d->why, said);
	}
	if (t)
		tool_free(t);
	return false;
}

bool docker_call(struct docker *d, struct tool *t, struct docker_words *w, unsigned seconds)
{
	struct docker_words whole = {0};
	bool good = false;

	docker_word(&whole, d->program);
	for (size_t i = 0; i < w->count; i++)
		docker_word(&whole, w->at[i]);
	*t = (struct tool){.argv = whole.at, .env = d->env, .in = -1, .seconds = seconds,
		.tick = d->tick, .ctx = d->ctx};
	if (!whole.failed && !w->failed)
		good = tool_run(t);
	docker_free_words(&whole);
	docker_free_words(w);
	t->argv = NULL;
	return good;
}

static bool find_program(struct docker *d)
{
	static const char *const places[] = {"/usr/bin/docker", "/usr/local/bin/docker",
		"/bin/docker", "/snap/bin/docker", "/usr/bin/podman", "/usr/local/bin/podman", NULL};
	const char *own = value_of("TINYBOX_DOCKER");

	if (own) {
		if (*own != '/' || access(own, X_OK))
			return docker_failed(d, NULL, "TINYBOX_DOCKER is not the absolute name of a "
					     "program");
		d->program = strdup(own);
		return d->program;
	}
	for (size_t i = 0; places[i] && !d->program; i++)
		if (access(places[i], X_OK) == 0)
			d->program = strdup(places[i]);
	return d->program ? true : docker_failed(d, NULL, "there is neither docker nor podman: "
						 "install docker.io or podman");
}

static bool is_here(struct docker *d, const char *host)
{
	if (!strncmp(host, "unix://", 7))
		return true;
	text_free(&d->why);
	text_add(&d->why, "the engine at ");
	text_add(&d->why, host);
	text_add(&d->why, " is on another machine, where no descriptor can be sent; name that machine "
		 "with --host ssh:NAME, and its own engine is used");
	d->remote = true;
	return false;
}

/* Whether the user's settings name a context: the command knows which socket that is. */
static bool has_context(void)
{
	const char *dir = value_of("DOCKER_CONFIG"), *home = value_of("HOME");
	struct text path = {0};
	size_t size = 0;
	char *data = NULL;
	int fd;

	if (value_of("DOCKER_CONTEXT") || (!dir && !home))
		return true;
	text_add(&path, dir ? dir : home);
	text_add(&path, dir ? "/config.json" : "/.docker/config.json");
	fd = path.failed ? -1 : open(path.data, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		text_free(&path);
		return false;
	}
	data = fd < 0 ? NULL : read_whole(fd, FILE_MOST, &size);
	if (fd >= 0)
		close(fd);
	text_free(&path);
	/* what cannot be read, or not to its end, may name one */
	dir = data && strlen(data) == size ? strstr(data, "currentContext") : "";
	free(data);
	return dir;
}

/* Of docker: the socket, by DOCKER_HOST or by the context that is chosen. */
static bool find_host(struct docker *d)
{
	const char *host = value_of(docker_is_podman(d) ? "CONTAINER_HOST" : "DOCKER_HOST");
	struct docker_words w = {0};
	struct tool t;
	bool good;

	if (host)
		return is_here(d, host) && set_host(d, docker_is_podman(d) ? "" : host);
	if (docker_is_podman(d))
		return set_host(d, "");
	if (!has_context())
		return set_host(d, "unix:///var/run/docker.sock");
	docker_word(&w, "context");
	docker_word(&w, "inspect");
	docker_word(&w, "--format={{.Endpoints.docker.Host}}");
	set_env(d);
	host = docker_call(d, &t, &w, SHORT) ? tool_line(&t) : "unix:///var/run/docker.sock";
	good = is_here(d, host) && set_host(d, host);
	tool_free(&t);
	return good;
}

static bool new_attempt(struct docker *d)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t raw[16];

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return docker_failed(d, NULL, "the kernel gives no random bytes");
	for (size_t i = 0; i < sizeof(raw); i++) {
		d->attempt[2 * i] = digits[raw[i] >> 4];
		d->attempt[2 * i + 1] = digits[raw[i] & 15];
	}
	return true;
}

bool docker_version(struct docker *d)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "version");
	docker_word(&w, docker_is_podman(d) ? "--format={{.Client.Version}}" :
		    "--format={{.Server.Version}}");
	if (!docker_call(d, &t, &w, SHORT))
		return docker_failed(d, &t, "the container engine does not answer");
	free(d->version);
	d->version = strdup(tool_line(&t));
	tool_free(&t);
	return d->version;
}

bool docker_find(struct docker *d)
{
	d->image = strdup("");
	/* nothing is noted of an engine that is not there: nobody could take it back */
	return d->image && find_program(d) && find_host(d) && (docker_answers(d) || docker_version(d)) &&
		new_attempt(d);
}

void docker_free(struct docker *d)
{
	free(d->program);
	free(d->host);
	free(d->image);
	free(d->own_env);
	free(d->version);
	text_free(&d->why);
	*d = (struct docker){0};
}

/* Five strings, each with its NUL: program, host, token, image, the container's id. */
bool docker_save(const struct docker *d, int dir)
{
	const char *const part[] = {d->program, d->host, d->attempt, d->image, d->id};
	int fd = openat(dir, "engine.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool good = fd >= 0;

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		good = good && write_all(fd, part[i], strlen(part[i]) + 1);
	good = good && fdatasync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return good && renameat(dir, "engine.new", dir, "engine") == 0;
}

bool docker_load(struct docker *d, int dir)
{
	int fd = openat(dir, "engine", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	const char *part[5] = {[4] = ""};	/* older notes have no id */
	size_t size = 0, at = 0, n = 0;
	char *data = fd < 0 ? NULL : read_whole(fd, FILE_MOST, &size);
	bool good;

	if (fd < 0)
		return false;
	close(fd);
	for (; data && n < 5 && at < size; at += strlen(data + at) + 1)
		part[n++] = data + at;
	good = n >= 4 && part[0][0] == '/' && strlen(part[2]) == sizeof(d->attempt) - 1 &&
		strlen(part[4]) < sizeof(d->id);
	errno = EINVAL;
	if (good) {
		d->program = strdup(part[0]);
		d->image = strdup(part[3]);
		memcpy(d->attempt, part[2], sizeof(d->attempt));
		memcpy(d->id, part[4], strlen(part[4]) + 1);
		good = d->program && d->image && set_host(d, part[1]);
	}
	free(data);
	return good;
}

/* ---- Containers ---- */

static bool is_id(const char *s, size_t n)
{
	return n && n <= 64 && strspn(s, "0123456789abcdef") >= n;
}

/* One that is not root's own engine: its containers' root is this user. */
static bool is_rootless(const struct docker *d)
{
	struct stat st;

	if (!geteuid())
		return false;
	return docker_is_podman(d) || (stat(d->host + 7, &st) == 0 && st.st_uid == geteuid());
}

void docker_user(const struct docker *d, const struct spec *spec, char user[24])
{
	uint32_t uid = spec->uid, gid = spec->gid;
	struct stat st;
	size_t n;

	if (!spec->given_user && spec->workspace && !spec->readonly && !is_rootless(d) &&
	    stat(spec->workspace, &st) == 0) {
		uid = st.st_uid;
		gid = st.st_gid;
	}
	n = text_decimal(user, uid);
	user[n] = ':';
	text_decimal(user + n + 1, gid);
}

static bool can_say(struct docker *d, const struct spec *s)
{
	const char *const said[] = {s->dir, s->workspace, s->target, s->image};

	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		if (said[i] && !docker_can_say(said[i]))
			return docker_failed(d, NULL, "the engine's command takes only names in UTF-8 "
					     "without carriage returns, and a directory's is not one");
	return true;
}

static bool create(struct docker *d, struct tool *t, const struct spec *spec, const char *user,
		   const char *image, bool disk)
{
	struct docker_words w = {0};

	docker_create_words(&w, spec, d->attempt, user, image, disk);
	return docker_call(d, t, &w, PULL);
}

static void tell_disk(const struct spec *spec, struct report *r, bool done)
{
	char asked[24];

	text_decimal(asked, spec->disk);
	if (!done)
		report_open(r, "disk", asked, "the engine's storage cannot limit a container's size",
			    "overlay2 on xfs mounted with pquota, btrfs or zfs can");
	else if (spec->workspace && !spec->readonly)
		report_open(r, "disk", asked, "the workspace is the host's directory and has no quota",
			    "mount the workspace read-only, or put it on a file system of that size");
	else
		report_enforced(r, "disk", asked, "the engine's storage driver (size)");
}

/* What the command says behind the engine's error: where its options are explained, or the container's name. */
static void cut_rest(struct tool *t)
{
	static const char *const starts[] = {"\nSee 'docker", "\nRun 'docker", "\nError: failed to start containers"};

	for (size_t i = 0; t->errors.data && i < sizeof(starts) / sizeof(*starts); i++) {
		char *at = strstr(t->errors.data, starts[i]);

		if (at) {
			*at = '\0';
			t->errors.size = (size_t)(at - t->errors.data);
		}
	}
}

/* What `create` says; what is not a whole id is as good as nothing. */
static void note_id(struct docker *d, const char *line)
{
	size_t n = strlen(line);

	if (n == sizeof(d->id) - 1 && is_id(line, n))
		memcpy(d->id, line, n + 1);
}

bool docker_create(struct docker *d, const struct spec *spec, const char *user, struct report *r)
{
	const char *image = can_say(d, spec) ? docker_image(d, spec) : NULL;
	bool good, limited = spec->disk;
	struct tool t;

	if (!image)
		return false;
	good = create(d, &t, spec, user, image, limited);
	if (limited && (good || strstr(text_string(&t.errors), "storage-opt")))
		tell_disk(spec, r, good);
	if (!good && limited && strstr(text_string(&t.errors), "storage-opt") &&
	    spec_accepts(spec, "disk")) {
		tool_free(&t);
		limited = false;
		good = create(d, &t, spec, user, image, limited);
	}
	if (!good) {
		cut_rest(&t);
		return docker_failed(d, &t, "the engine makes or starts no container");
	}
	note_id(d, tool_line(&t));
	d->started = !limited;
	tool_free(&t);
	return true;
}

static void name_word(struct docker_words *w, const char *box)
{
	struct text t = {0};

	text_add(&t, DOCKER_NAME);
	text_add(&t, box);
	docker_word(w, text_string(&t));
	text_free(&t);
}

bool docker_start(struct docker *d, const char *box)
{
	struct docker_words w = {0};
	struct tool t;

	if (d->started)
		return true;
	docker_word(&w, "start");
	docker_word(&w, "--");
	if (*d->id)
		docker_word(&w, d->id);
	else
		name_word(&w, box);
	if (!docker_call(d, &t, &w, SHORT)) {
		cut_rest(&t);
		return docker_failed(d, &t, "the engine does not start the container");
	}
	tool_free(&t);
	return true;
}

static void filter_words(struct docker_words *w, const struct docker *d, const char *format)
{
	struct text t = {0};

	docker_word(w, "ps");
	docker_word(w, "--all");
	docker_word(w, "--no-trunc");
	text_add(&t, "--filter=label=" DOCKER_LABEL "=");
	text_add(&t, d->attempt);
	docker_word(w, text_string(&t));
	text_free(&t);
	docker_option(w, "--format", format);
}

/* The ids that `ps` lists, each a line. */
static bool remove_listed(struct docker *d, const char *list)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "rm");
	docker_word(&w, "--force");
	docker_word(&w, "--volumes");
	docker_word(&w, "--");
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, "\r\n");
		char id[65];

		if (is_id(at, n)) {
			memcpy(id, at, n);
			id[n] = '\0';
			docker_word(&w, id);
		}
		at += n + strspn(at + n, "\r\n");
	}
	if (!docker_call(d, &t, &w, SHORT) && !strstr(text_string(&t.errors), "No such container") &&
	    !strstr(text_string(&t.errors), "already in progress"))
		return docker_failed(d, &t, "the engine does not remove the container");
	tool_free(&t);
	return true;
}

bool docker_one(struct docker *d, char id[65])
{
	struct docker_words w = {0};
	struct tool t;
	bool good;

	filter_words(&w, d, "{{.ID}}");
	if (!docker_call(d, &t, &w, SHORT))
		return docker_failed(d, &t, "the engine does not say which containers it has");
	good = is_id(tool_line(&t), strlen(tool_line(&t)));
	if (good)
		memcpy(id, t.said.data, strlen(t.said.data) + 1);
	tool_free(&t);
	return good || docker_failed(d, NULL, "the engine has no container of this box");
}

const char *docker_state(struct docker *d, char state[24])
{
	struct docker_words w = {0};
	struct tool t;
	char id[65];

	state[0] = '\0';
	memcpy(id, d->id, sizeof(id));
	if (!*id && !docker_one(d, id))
		return state;
	/* `ps` has words of each engine's own for it */
	docker_word(&w, "container");
	docker_word(&w, "inspect");
	docker_word(&w, "--format={{.State.Status}}");
	docker_word(&w, "--");
	docker_word(&w, id);
	if (docker_call(d, &t, &w, SHORT)) {
		const char *line = tool_line(&t);
		size_t n = strlen(line);

		memcpy(state, line, n < 23 ? n : 23);
		state[n < 23 ? n : 23] = '\0';
	}
	tool_free(&t);
	return state;
}

static bool remove_containers(struct docker *d)
{
	for (unsigned tries = 0; tries < 20; tries++) {
		struct docker_words w = {0};
		struct tool t;
		bool good;

		filter_words(&w, d, "{{.ID}}");
		if (!docker_call(d, &t, &w, SHORT))
			return docker_failed(d, &t, "the engine does not say which containers it has");
		if (!*text_string(&t.said)) {
			tool_free(&t);
			return true;
		}
		/* one whose removal goes on already is listed for a moment longer */
		if (tries)
			usleep(100000);
		good = remove_listed(d, text_string(&t.said));
		tool_free(&t);
		if (!good)
			return false;
	}
	return docker_failed(d, NULL, "the engine's container is still there after its removal");
}

/* The one that it is, when its id is known: nothing else was ever made. */
static bool remove_known(struct docker *d)
{
	for (unsigned tries = 0; tries < 20; tries++) {
		struct docker_words w = {0};
		struct tool t;
		bool gone, again;

		docker_word(&w, "rm");
		docker_word(&w, "--force");
		docker_word(&w, "--volumes");
		docker_word(&w, "--");
		docker_word(&w, d->id);
		gone = docker_call(d, &t, &w, SHORT) || text_has(text_string(&t.errors), "no such container") ||
			strstr(text_string(&t.errors), "no container with");
		again = strstr(text_string(&t.errors), "already in progress");
		if (!gone && !again)
			return docker_failed(d, &t, "the engine does not remove the container");
		tool_free(&t);
		if (gone)
			return true;
		usleep(100000);
	}
	return docker_failed(d, NULL, "the engine's container is still there after its removal");
}

bool docker_remove(struct docker *d)
{
	struct docker_words w = {0};
	struct tool t;

	if (*d->id ? !remove_known(d) : !remove_containers(d))
		return false;
	if (!*d->image)
		return true;
	docker_word(&w, "rmi");
	docker_word(&w, "--force");
	docker_word(&w, "--");
	docker_word(&w, d->image);
	if (!docker_call(d, &t, &w, SHORT) && !text_has(text_string(&t.errors), "no such image") &&
	    !strstr(text_string(&t.errors), "image not known"))
		return docker_failed(d, &t, "the engine does not remove the box's image");
	tool_free(&t);
	return true;
}

bool docker_sweep(int dir, char **why, bool *last)
{
	struct docker d = {0};
	bool good;

	free(*why);
	*why = NULL;
	*last = false;
	if (!docker_load(&d, dir)) {
		good = errno == ENOENT;
		if (!good)
			*why = strdup("its note of the container engine cannot be read");
	} else {
		*last = *d.id;
		good = docker_remove(&d);
		if (!good)
			*why = strdup(text_string(&d.why));
	}
	docker_free(&d);
	return good;
}
