/*
 * Where the fields of a header block are.
 */
#ifndef CMD_TAR_HEADER_H
#define CMD_TAR_HEADER_H

#include "cmd/tar/tar.h"

enum {
	H_MODE = 100, H_UID = 108, H_GID = 116, H_SIZE = 124, H_MTIME = 136, H_CHKSUM = 148,
	H_TYPE = 156, H_LINK = 157, H_MAGIC = 257, H_UNAME = 265, H_GNAME = 297, H_MAJOR = 329,
	H_MINOR = 337, H_PREFIX = 345, H_GNU_ATIME = 345, H_GNU_CTIME = 357,
	H_GNU_SPARSE = 386, H_GNU_EXTENDED = 482, H_GNU_REALSIZE = 483
};

/* The number of a field of n bytes: -1 after a message that names its type (what
 * NULL: no message). */
int64_t tar_get_number(struct tar *t, const unsigned char *at, size_t n, const char *what);

#endif
