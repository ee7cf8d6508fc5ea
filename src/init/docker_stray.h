/* What an engine has of a store's boxes, by the store's tag: for reap (docker_stray.c). */
#ifndef INIT_DOCKER_STRAY_H
#define INIT_DOCKER_STRAY_H

#include "init/docker.h"

#define DOCKER_IMAGES "tinybox/image"

/* BOX fields (nested: BOX its name, NAME the container's id or the image's name). False: why. */
bool docker_strays(struct docker *d, const char *tag, struct wire_out *o);
/* One of these. */
bool docker_drop(struct docker *d, const char *what);

#endif
