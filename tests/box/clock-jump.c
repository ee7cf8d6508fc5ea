/*
 * Preloaded, it moves the date of a program by the seconds that the file CLOCK_JUMP names says, as they are at that
 * moment: a clock that jumps. The clocks that nobody can set stay.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jump(void)
{
	const char *name = getenv("CLOCK_JUMP");
	char text[32];
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
	return atol(text);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t which, struct timespec *t)
{
	int done = (int)syscall(SYS_clock_gettime, which, t);

	if (!done && which == CLOCK_REALTIME)
		t->tv_sec += jump();
	return done;
}

__attribute__((visibility("default"))) time_t time(time_t *to)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (to)
		*to = t.tv_sec;
	return t.tv_sec;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *to, void *zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	to->tv_sec = t.tv_sec;
	to->tv_usec = t.tv_nsec / 1000;
	return 0;
}
