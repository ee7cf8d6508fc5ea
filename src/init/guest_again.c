/*
 * What process 1 of a micro-VM's guest does when the machine is woken, put to sleep for a snapshot of its memory,
 * or finds itself a copy: each in a child, so that the loop goes on.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "init/guest.h"
#include "init/path.h"
#include "init/text.h"
#include "init/verbs.h"
#include "reach/reach.h"
#include "wire/wire.h"

/* One request without fields to the box's server. False: there is none, or it refused. */
static bool ask_server(enum wire_type type)
{
	int fd = socket_connect(GUEST_DIR);
	struct wire_out o = {0};
	struct wire_in in = {0};
	struct wire_frame f;
	bool good = false, more = fd >= 0;

	if (!more)
		return false;
	wire_begin(&o, WIRE_HELLO);
	wire_text(&o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&o, WIRE_F_VERSION, WIRE_VERSION);
	wire_end(&o);
	wire_begin(&o, type);
	wire_end(&o);
	more = send_frames(fd, &o);
	while (more && !good && read_frame(fd, &in, &f)) {
		good = f.type == WIRE_OK;
		more = f.type != WIRE_ERROR;
	}
	wire_in_free(&in);
	close(fd);
	return good;
}

/*
 * Fresh randomness and the time: u64 ns since 1970, then bytes for the pool, all from the keeper,
 * who knows no more than a host knows anyway. One byte is the answer.
 */
void guest_wake(int fd)
{
	uint32_t pool[2 + 8] = {256, 32};	/* rand_pool_info: bits, bytes, and those */
	uint8_t got[40];
	size_t n = 0;
	uint64_t ns = 0;
	struct timespec t;
	int random = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	while (n < sizeof(got)) {
		ssize_t more = read(fd, got + n, sizeof(got) - n);

		if (more <= 0)
			return;
		n += (size_t)more;
	}
	for (unsigned i = 0; i < 8; i++)
		ns |= (uint64_t)got[i] << 8 * i;
	memcpy(pool + 2, got + 8, 32);
	t = (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
	clock_settime(CLOCK_REALTIME, &t);
	ioctl(random, RNDADDENTROPY, pool);
	ioctl(random, RNDRESEEDCRNG, NULL);
	if (random >= 0)
		close(random);
	/* what a snapshot of the memory froze goes on, now that its time and its randomness are its own */
	ask_server(WIRE_RESUME);
	write_all(fd, "", 1);
}

void guest_sync(int fd)
{
	sync();
	write_all(fd, "", 1);
}

/* Frozen, so that no process of a copy runs before it has a time and a randomness of its own. */
void guest_sleep(int fd)
{
	if (!ask_server(WIRE_PAUSE))
		return;
	sync();
	write_all(fd, "", 1);
}

/* ---- A new name ---- */

/* /etc/hostname and /etc/hosts as the wall wrote them; the box may have made anything of them. */
static void write_name(const char *pid, const char *name, const char *text)
{
	char path[64];
	int root, fd;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.20s/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = root < 0 ? -1 : reach_open(root, name, O_WRONLY | O_TRUNC | O_NONBLOCK, 0, REACH_ROOT);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		write_all(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
}

static void write_names(const char *pid, const char *host)
{
	struct text t = {0};

	text_add(&t, host);
	text_add(&t, "\n");
	write_name(pid, "etc/hostname", text_string(&t));
	text_free(&t);
	text_add(&t, "127.0.0.1\tlocalhost ");
	text_add(&t, host);
	text_add(&t, "\n::1\tlocalhost ip6-localhost\n");
	write_name(pid, "etc/hosts", text_string(&t));
	text_free(&t);
}

/* The process's namespace of names, if it is not ours; its number in *ino. */
static int names_of(const char *pid, ino_t ours, ino_t *ino)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/uts", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino == ours) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*ino = st.st_ino;
	return fd;
}

/* Of every such namespace but our own: the box's. Children of it have it, too. */
static void rename_all(const char *host)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	struct stat own;
	ino_t last = 0, ino = 0;

	if (!dir || stat("/proc/self/ns/uts", &own) < 0)
		return;
	while ((d = readdir(dir))) {
		int fd = *d->d_name >= '1' && *d->d_name <= '9' ? names_of(d->d_name, own.st_ino, &ino) : -1;

		if (fd < 0)
			continue;
		if (ino != last && setns(fd, CLONE_NEWUTS) == 0) {
			sethostname(host, strlen(host));
			write_names(d->d_name, host);
		}
		last = ino;
		close(fd);
	}
	closedir(dir);
}

void guest_rename(int fd)
{
	struct wire_in in = {0};
	struct wire_out o = {0};
	struct wire_frame f;
	bool bad = false;
	char *host = NULL, *box = NULL;

	while (!host && read_frame(fd, &in, &f))
		if (f.type == WIRE_START && wire_whole(wire_fields(&f))) {
			host = wire_string(wire_fields(&f), WIRE_F_HOSTNAME, &bad);
			box = wire_string(wire_fields(&f), WIRE_F_BOX, &bad);
			break;
		}
	if (host || box)
		rename_all(host ? host : box);
	wire_begin(&o, host || box ? WIRE_OK : WIRE_ERROR);
	wire_end(&o);
	send_frames(fd, &o);
	wire_in_free(&in);
	free(host);
	free(box);
}
