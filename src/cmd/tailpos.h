/*
 * Where the last lines of a file begin, without reading what is before them.
 */
#ifndef CMD_TAILPOS_H
#define CMD_TAILPOS_H

#include <stddef.h>
#include <stdint.h>

struct tsb_proc;

/* Delimiters in n bytes. */
uint64_t tailpos_count(const char *at, size_t n, int delim);
/*
 * *pos: the start of the last `count` (> 0) lines of bytes [from, end) of fd;
 * `from` when there are not more. 0 or -errno.
 */
int tailpos_lines(struct tsb_proc *p, int fd, uint64_t from, uint64_t end, int delim,
		  uint64_t count, uint64_t *pos);

#endif
