/*
 * See pass.h.
 */
#include "wire/pass.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Aligned as the kernel's headers want to find it. */
union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int) * PASS_MAX)];
};

bool pass_send(int sock, const void *data, size_t size, const int *fds, size_t count, int flags)
{
	union control control = {.bytes = {0}};
	struct iovec v = {(void *)(uintptr_t)data, size};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	struct cmsghdr *c;

	if (count > PASS_MAX) {
		errno = EINVAL;
		return false;
	}
	if (count) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * count);
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL | flags) == (ssize_t)size;
}

ssize_t pass_take(int sock, void *data, size_t size, int fds[PASS_MAX], size_t *count, int flags)
{
	union control control;
	struct iovec v = {data, size};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control)};
	unsigned resets = 0;
	ssize_t n;

	*count = 0;
	/* who ended with something unread has its last word told after a reset */
	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC | flags);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !resets++)));
	for (struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL; c; c = CMSG_NXTHDR(&m, c)) {
		size_t here = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || here > PASS_MAX - *count)
			continue;
		memcpy(fds + *count, CMSG_DATA(c), here * sizeof(int));
		*count += here;
	}
	return n;
}
