/*
 * The docker sandbox from outside: the engine's own command (docker, or podman where that is what is
 * there) on this machine makes, starts and removes a box's container. Every value is data: options are
 * one word with their value, `--` ends them, mounts are quoted as the engine reads them.
 *
 * What an engine was told is in the state directory before it is told (DIR/engine): which program,
 * which socket, the token that labels everything made for this box. So a reply that is lost loses
 * nothing: whoever removes the box removes what bears the token.
 */
#ifndef INIT_DOCKER_H
#define INIT_DOCKER_H

#include <stdbool.h>
#include <stdint.h>

#include "init/probe.h"
#include "init/report.h"
#include "init/spec.h"
#include "init/tool.h"

#define DOCKER_PLACE "/dev/tinybox"	/* inside: nothing of it is in the image's layers */
#define DOCKER_NAME "tinybox-"		/* of a container, before the box's */
#define DOCKER_LABEL "tinybox.attempt"

struct docker {
	char *program, *host;	/* host: of docker's, "unix://..."; "": podman */
	char *image;		/* made for this box, to be removed with it; "": none */
	char attempt[33];
	char id[65];		/* the container's, once it is known; "": it is not */
	bool started;		/* docker_create() has started it, too */
	const char *env[24];
	char *own_env;		/* DOCKER_HOST=... */
	char *version;		/* see docker_version() */
	struct text why;	/* the sentence of what failed last */
	bool remote;		/* why says that the engine is on another machine */
	bool (*tick)(void *ctx);
	void *ctx;
};

/* The engine of this machine. False: why. */
bool docker_find(struct docker *d);
/* What it calls itself: d->version. False: why. */
bool docker_version(struct docker *d);
/* That of a box's earlier start. False: errno (ENOENT: there is none). */
bool docker_load(struct docker *d, int dir);
bool docker_save(const struct docker *d, int dir);
void docker_free(struct docker *d);
bool docker_is_podman(const struct docker *d);

/*
 * The container of the spec, whose image is made first where it is a directory or an archive; `user`
 * is "UID:GID". It is started at once, unless its disk is limited (started): the report tells what was found out
 * by making it. False: why.
 */
bool docker_create(struct docker *d, const struct spec *spec, const char *user, struct report *r);
bool docker_start(struct docker *d, const char *box);
/* "created", "running", "exited" ...; "": no such container, or it cannot be asked. */
const char *docker_state(struct docker *d, char state[24]);
/* The container's whole id. False: why. */
bool docker_one(struct docker *d, char id[65]);
/* All that bears the token, and the image. False: why. */
bool docker_remove(struct docker *d);
/*
 * For a box whose state directory this is, if it ever had a container. False: *why, to be freed. *last: nothing can
 * come of what its keeper may be at.
 */
bool docker_sweep(int dir, char **why, bool *last);

/* Whose the commands are: the owner of a workspace that can be written, root otherwise. */
void docker_user(const struct docker *d, const struct spec *spec, char user[24]);

/* ---- docker_words.c: pure ---- */

struct docker_words {
	const char **at;	/* NULL-ended; each by malloc */
	size_t count, cap;
	bool failed;
};

void docker_word(struct docker_words *w, const char *word);
/* One word: option, "=" (unless option is empty), value. */
void docker_option(struct docker_words *w, const char *option, const char *value);
void docker_free_words(struct docker_words *w);
/* What follows the program's name; with a limit of the disk it is not started. */
void docker_create_words(struct docker_words *w, const struct spec *spec, const char *attempt,
			 const char *user, const char *image, bool disk);
/* Whether the engine could take it as it is: UTF-8, no carriage return. */
bool docker_can_say(const char *text);
/* The capabilities that root has in a container: package managers need them. */
extern const char *const docker_caps[];
uint64_t docker_cap_mask(void);

/* ---- docker_image.c ---- */

/* Before docker_save(): the name of the image that will be made, if one will. */
bool docker_name_image(struct docker *d, const struct spec *spec);
/* An archive of a root's files becomes d->image. False: why. */
bool docker_import(struct docker *d, int fd);
/* What to give `create`; NULL: why. */
const char *docker_image(struct docker *d, const struct spec *spec);

/* ---- docker_probe.c ---- */

/* For doctor: a container of nothing but our own program is run. */
void docker_probe(struct probe *p);

/* Runs the engine's command with these words (freed), keeps what it says in t. */
bool docker_call(struct docker *d, struct tool *t, struct docker_words *w, unsigned seconds);
/* Sets why: the sentence, and the tool's own words behind it. Always false. */
bool docker_failed(struct docker *d, struct tool *t, const char *what);

#endif
