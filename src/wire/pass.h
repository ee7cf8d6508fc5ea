/*
 * Descriptors that go with bytes over a Unix socket, in one message. What was sent stays the
 * sender's; what was taken is the taker's, and close-on-exec.
 */
#ifndef WIRE_PASS_H
#define WIRE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PASS_MAX 16u

/* All bytes, at least one; count: at most PASS_MAX. flags: MSG_DONTWAIT or 0. False: errno. */
bool pass_send(int sock, const void *data, size_t size, const int *fds, size_t count, int flags);
/* Bytes that came; 0 at the end; -1: errno, never EINTR. *count of fds[] are set then. */
ssize_t pass_take(int sock, void *data, size_t size, int fds[PASS_MAX], size_t *count, int flags);

#endif
