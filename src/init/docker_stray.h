/* What an engine has of a store's boxes, by the store's tag: for reap (docker_stray.c). */
#ifndef INIT_DOCKER_STRAY_H
#define INIT_DOCKER_STRAY_H

#include "init/docker.h"

#define DOCKER_IMAGES "tinybox/image"

/*
 * BOX fields (nested: BOX its name, NAME the container's id or the image's name). repository: its images
 * alone; NULL: containers, and images that were made for boxes. False: why.
 */
bool docker_strays(struct docker *d, const char *tag, const char *repository, struct wire_out *o);
/* One of these. */
bool docker_drop(struct docker *d, const char *what);
/* The engine is that of the box. The image's id and size as fields. False: why. */
bool docker_commit(struct docker *d, const char *image, struct wire_out *o);
/* The same of one that is there. False: why, or *none. */
bool docker_look(struct docker *d, const char *image, struct wire_out *o, bool *none);
/*
 * docker_save.c: the image with that id as a file of the layer's directory, and back, under that name. What the
 * file says is not believed. False: why.
 */
bool docker_save_image(struct docker *d, int layer, const uint8_t id[32]);
bool docker_load_image(struct docker *d, int layer, const uint8_t id[32], const char *image);
/*
 * docker_load.c: an archive, an image's or a root's files, packed or not, becomes d->image. It names nothing itself.
 * dir: for a moment what is packed is there, unpacked. False: why.
 */
bool docker_load_archive(struct docker *d, const char *path, const char *dir);
/* docker_ask.c: does it answer; "HEX SIZE" of an image. False: the command knows why, or more. */
bool docker_answers(const struct docker *d);
bool docker_ask_image(const struct docker *d, const char *image, struct text *line);
/* An image of the container, with that name, as `docker commit` makes it: its id. */
bool docker_ask_commit(const struct docker *d, const char *id, const char *image, char made[65]);
/* REPOSITORY:TAG, of letters, digits and ._/- */
bool docker_is_image(const char *name);

#endif
