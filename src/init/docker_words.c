/*
 * The words of `docker create`. Nothing here runs anything: what a box becomes as a command line is a
 * function of its spec, and is tested as one.
 */
#include "init/docker.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a root needs who installs packages: files of other owners, and becoming another user (with whom
 * process 1 must be able to do away).
 */
const char *const docker_caps[] = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID",
	"SETUID", NULL};

uint64_t docker_cap_mask(void)
{
	return 1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER |
		1ull << CAP_FSETID | 1ull << CAP_KILL | 1ull << CAP_SETGID | 1ull << CAP_SETUID;
}

static void take(struct docker_words *w, char *word)
{
	if (word && w->count + 1 >= w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 64;
		const char **more = realloc(w->at, cap * sizeof(*more));

		if (more) {
			w->at = more;
			w->cap = cap;
		}
	}
	if (!word || w->count + 1 >= w->cap) {
		free(word);
		w->failed = true;
		return;
	}
	w->at[w->count++] = word;
	w->at[w->count] = NULL;
}

void docker_word(struct docker_words *w, const char *word)
{
	take(w, strdup(word));
}

static void take_text(struct docker_words *w, struct text *t)
{
	if (t->failed) {
		text_free(t);
		w->failed = true;
		return;
	}
	take(w, t->data);
	*t = (struct text){0};
}

void docker_option(struct docker_words *w, const char *option, const char *value)
{
	struct text t = {0};

	text_add(&t, option);
	text_add(&t, "=");
	text_add(&t, value);
	take_text(w, &t);
}

static void number_option(struct docker_words *w, const char *option, uint64_t n)
{
	struct text t = {0};

	text_add(&t, option);
	text_add(&t, "=");
	text_number(&t, n);
	take_text(w, &t);
}

void docker_free_words(struct docker_words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free((char *)(uintptr_t)w->at[i]);
	free(w->at);
	*w = (struct docker_words){0};
}

/* A quoted field of a line of comma-separated values, as the engine reads --mount. */
static void add_field(struct text *t, const char *name, const char *value)
{
	text_add(t, ",\"");
	text_add(t, name);
	text_add(t, "=");
	for (; *value; value++) {
		if (*value == '"')
			text_add(t, "\"");
		text_bytes(t, value, 1);
	}
	text_add(t, "\"");
}

static void mount_word(struct docker_words *w, const char *type, const char *from, const char *to,
		       bool readonly)
{
	struct text t = {0};

	text_add(&t, "--mount=type=");
	text_add(&t, type);
	if (from)
		add_field(&t, "source", from);
	add_field(&t, "target", to);
	if (readonly)
		text_add(&t, ",readonly");
	take_text(w, &t);
}

bool docker_can_say(const char *s)
{
	while (*s) {
		unsigned char c = (unsigned char)*s++;
		unsigned more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 :
			c >= 0xf0 && c < 0xf5 ? 3 : 4;

		if (c == '\r' || more == 4)
			return false;
		for (; more; more--)
			if (((unsigned char)*s++ & 0xc0) != 0x80)
				return false;
	}
	return true;
}

static void put_identity(struct docker_words *w, const struct spec *s, const char *attempt)
{
	struct text t = {0};

	text_add(&t, "--name=" DOCKER_NAME);
	text_add(&t, s->box);
	take_text(w, &t);
	text_add(&t, "--label=tinybox.box=");
	text_add(&t, s->box);
	take_text(w, &t);
	text_add(&t, "--label=" DOCKER_LABEL "=");
	text_add(&t, attempt);
	take_text(w, &t);
	docker_option(w, "--hostname", s->hostname ? s->hostname : s->box);
}

static void put_powers(struct docker_words *w, const char *user)
{
	docker_word(w, "--security-opt=no-new-privileges");
	docker_word(w, "--cap-drop=ALL");
	docker_option(w, "--user", user);
	for (size_t i = 0; docker_caps[i] && (!strncmp(user, "0:", 2)); i++)
		docker_option(w, "--cap-add", docker_caps[i]);
}

static void put_limits(struct docker_words *w, const struct spec *s, bool disk)
{
	struct text t = {0};

	if (s->memory) {
		number_option(w, "--memory", s->memory);
		number_option(w, "--memory-swap", s->memory);	/* both together: no swap */
	}
	if (s->pids)
		number_option(w, "--pids-limit", s->pids);
	if (s->cpu) {
		text_add(&t, "--cpus=");
		text_number(&t, s->cpu / 1000);
		text_add(&t, ".");
		text_number(&t, s->cpu / 100 % 10);
		text_number(&t, s->cpu / 10 % 10);
		text_number(&t, s->cpu % 10);
		take_text(w, &t);
	}
	if (disk)
		number_option(w, "--storage-opt=size", s->disk);
}

static void put_files(struct docker_words *w, const struct spec *s)
{
	const char *target = s->target ? s->target : s->workspace ? "/workspace" : NULL;
	struct text t = {0};

	text_add(&t, s->dir);
	text_add(&t, "/inside");
	if (t.failed)
		w->failed = true;
	else
		mount_word(w, "bind", t.data, DOCKER_PLACE, true);
	text_free(&t);
	if (s->workspace)
		mount_word(w, "bind", s->workspace, target, s->readonly);
	if (!s->readonly_root)
		return;
	docker_word(w, "--read-only");
	mount_word(w, "tmpfs", NULL, "/tmp", false);
	if (!s->workspace && target)
		mount_word(w, "tmpfs", NULL, target, s->readonly);
}

void docker_create_words(struct docker_words *w, const struct spec *s, const char *attempt,
			 const char *user, const char *image, bool disk)
{
	docker_word(w, disk ? "create" : "run");
	if (!disk)
		docker_word(w, "--detach");
	put_identity(w, s, attempt);
	/* the image's own program, health check and process 1 never run */
	docker_word(w, "--entrypoint=" DOCKER_PLACE "/init");
	docker_word(w, "--init=false");
	docker_word(w, "--no-healthcheck");
	docker_word(w, "--workdir=/");
	docker_word(w, "--log-driver=none");
	docker_word(w, "--restart=no");
	/* what an image's environment says to the C library of process 1 */
	docker_word(w, "--env=GLIBC_TUNABLES=");
	docker_word(w, "--ipc=private");
	/* egress is the keeper's proxy, published ports its listeners: neither needs a network */
	if (s->network != SPEC_NETWORK_OPEN)
		docker_word(w, "--network=none");
	put_powers(w, user);
	put_limits(w, s, disk);
	for (size_t i = 0; s->devices && s->devices[i]; i++)
		docker_option(w, "--device", s->devices[i]);
	put_files(w, s);
	docker_word(w, "--");
	docker_word(w, image);
	docker_word(w, "inside");
}
