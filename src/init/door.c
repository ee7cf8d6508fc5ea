/*
 * The keeper's side of the door, and the messages of both.
 */
#include "init/door_in.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/path.h"
#include "wire/pass.h"

/* Our own program: what runs inside is what runs here, also after an update and a new start. */
static bool copy_program(int at)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to, saved;
	struct stat st;
	bool good;

	unlinkat(at, "init", 0);
	to = openat(at, "init", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0755);
	good = from >= 0 && to >= 0 && fstat(from, &st) == 0 && fchmod(to, 0755) == 0;
	for (off_t done = 0; good && done < st.st_size;)
		good = sendfile(to, from, &done, (size_t)(st.st_size - done)) > 0;
	saved = errno;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	errno = saved;
	return good;
}

/* Whoever comes this far is process 1: the state directory is ours alone. */
static int listen_in(int at)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = DOOR_NAME};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), saved;
	bool good;

	unlinkat(at, DOOR_NAME, 0);
	good = fd >= 0 && fchdir(at) == 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
		fchmodat(at, DOOR_NAME, 0666, 0) == 0 && listen(fd, 4) == 0;
	saved = errno;
	if (chdir("/") < 0 || good)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return -1;
}

int door_open(int dir)
{
	int at, fd = -1, saved;

	if (mkdirat(dir, "inside", 0755) < 0 && errno != EEXIST)
		return -1;
	at = openat(dir, "inside", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (at >= 0 && fchmod(at, 0755) == 0 && copy_program(at))
		fd = listen_in(at);
	saved = errno;
	if (at >= 0)
		close(at);
	errno = saved;
	return fd;
}

void door_close(int dir, int door)
{
	if (door >= 0)
		close(door);
	unlinkat(dir, "inside/" DOOR_NAME, 0);
}

int door_answer(int door, struct door_facts *facts)
{
	struct timeval patience = {.tv_sec = 10};
	int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (recv(fd, facts, sizeof(*facts), 0) == (ssize_t)sizeof(*facts) &&
	    facts->version == DOOR_VERSION)
		return fd;
	close(fd);
	errno = EPROTO;
	return -1;
}

bool door_give(int sock, const int fd[DOOR_FDS])
{
	_Static_assert(DOOR_FDS <= PASS_MAX, "all of them in one message");
	uint32_t mask = 0;
	int fds[PASS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < DOOR_FDS; i++) {
		if (fd[i] < 0)
			continue;
		mask |= 1u << i;
		fds[n++] = fd[i];
	}
	return pass_send(sock, &mask, sizeof(mask), fds, n, 0);
}

bool door_hear(int sock, int *listener)
{
	int32_t error = EPROTO;
	int fds[PASS_MAX];
	size_t n;

	*listener = -1;
	if (pass_take(sock, &error, sizeof(error), fds, &n, 0) != (ssize_t)sizeof(error)) {
		errno = errno ? errno : ECHILD;
		return false;
	}
	for (size_t i = 1; i < n; i++)
		close(fds[i]);
	if (n)
		*listener = fds[0];
	errno = error;
	return !error;
}

int door_start_file(struct wire_iter fields, const struct report *r)
{
	int fd = memfd_create("tinybox-start", MFD_CLOEXEC);
	struct wire_out o = {0};
	bool good;

	wire_begin(&o, WIRE_START);
	wire_raw(&o, fields.at, (size_t)(fields.end - fields.at));
	wire_end(&o);
	wire_begin(&o, WIRE_OK);
	report_write(r, &o);
	wire_end(&o);
	good = fd >= 0 && !o.failed && write_all(fd, o.data, o.size) && lseek(fd, 0, SEEK_SET) == 0;
	wire_free(&o);
	if (good || fd < 0)
		return fd;
	close(fd);
	return -1;
}
