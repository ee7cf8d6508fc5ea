/* Archives of images, as engines write them (docker_save.c, docker_canon.c). */
#ifndef INIT_DOCKER_ARCHIVE_H
#define INIT_DOCKER_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ARCHIVE_BLOCK 512u
#define ARCHIVE_HEX 64u		/* digits of a SHA-256 */
#define ARCHIVE_ENTRIES 100000u

struct archive_entry {
	char name[101], link[101], type;
	uint64_t size;
};

/* 64 digits in front; what is behind them, or NULL. */
const char *archive_hex(const char *s);
/* The target of a link to another layer's file. */
bool archive_is_link(const char *target);
/* The header at that place; the next one's place. False: it is none of a plain archive. */
bool archive_head(int fd, off_t at, struct archive_entry *e);
off_t archive_next(off_t at, const struct archive_entry *e);
bool archive_is_end(int fd, off_t at);
/*
 * docker_canon.c: the same image as docker wrote it before version 25, which every engine loads, of an archive that docker
 * or podman writes now. Its configuration must have that hash. name: what it will be called, a plain one; NULL: it has none.
 * False: it is not one of those, or errno.
 */
/* What that hash has to be: of the first image of such an archive. */
bool archive_id(int from, char id[ARCHIVE_HEX + 1]);
bool archive_canon(int from, int to, const char id[ARCHIVE_HEX], const char *name);

#endif
