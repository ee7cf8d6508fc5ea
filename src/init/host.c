/*
 * `tinybox-init host`: what is to be done on a machine besides talking to a box: starting, finding,
 * removing, probing. The lock file (serve.c) says who lives.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "init/cgroup.h"
#include "init/docker_stray.h"
#include "init/layer.h"
#include "init/path.h"
#include "init/probe.h"
#include "init/server.h"
#include "init/sync.h"
#include "init/verbs.h"
#include "init/wall.h"
#include "init/work.h"

#define TRIES_TERM	400u	/* of 5 ms each: until the keeper is killed */
#define TRIES_KILL	2000u

static bool say_error(enum wire_error code, const char *what, const char *name, const char *why)
{
	struct wire_out o = {0};

	error_frame(&o, code, errno, what, name, why);
	return send_frames(1, &o);
}

static bool say_ok(void)
{
	struct wire_out o = {0};

	wire_begin(&o, WIRE_OK);
	wire_end(&o);
	return send_frames(1, &o);
}

/* The pid of the box's keeper; 0: nobody has the lock. */
static pid_t keeper_of(int lock)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

	return fcntl(lock, F_GETLK, &l) < 0 || l.l_type == F_UNLCK ? 0 : l.l_pid;
}

static bool trees_live(int lock)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};

	return fcntl(lock, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

/* To the keeper, and to nobody who has got its number since. */
static void signal_keeper(int lock, int sig)
{
	pid_t pid = keeper_of(lock);
	int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd < 0)
		return;
	if (keeper_of(lock) == pid)
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	close(fd);
}

static bool end_keeper(int lock)
{
	struct timespec little = {.tv_nsec = 156250};	/* doubled, up to 5 ms: mostly it is quick */

	signal_keeper(lock, SIGTERM);
	for (unsigned i = 0; keeper_of(lock) || trees_live(lock); i++) {
		if (i == TRIES_KILL) {
			errno = EBUSY;
			return false;
		}
		if (i >= TRIES_TERM)
			signal_keeper(lock, SIGKILL);
		nanosleep(&little, NULL);
		if (little.tv_nsec < 5000000)
			little.tv_nsec *= 2;
	}
	return true;
}

static char *read_name(int dir)
{
	int fd = openat(dir, "box", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t size = 0;
	char *name = fd < 0 ? NULL : read_whole(fd, 128, &size);

	if (fd >= 0)
		close(fd);
	return name;
}

/* What runs there and what a dead server left: processes, control groups, the wall's files. */
static bool empty_box(int dir, const char *path, char **why)
{
	int lock = openat(dir, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	char *name = read_name(dir);
	bool good, last;

	/* a container first, as what is in it may be frozen; and again what its keeper was making */
	if (lock >= 0)
		signal_keeper(lock, SIGTERM);
	good = docker_sweep(dir, why, &last) && (lock < 0 || end_keeper(lock)) &&
		(last || docker_sweep(dir, why, &last));
	if (lock >= 0)
		close(lock);
	/* killed before it was written: then there is no group either */
	if (good && name && *name)
		good = cgroup_sweep(name);
	free(name);
	return good && wall_sweep(path);
}

/* Only what `serve` would accept as a state directory is removed. */
static int open_state(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || fstat(fd, st) < 0)
		return -1;
	if (st->st_uid == geteuid() && !(st->st_mode & 077))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static bool remove_dir(char *path)
{
	size_t n = strlen(path);
	char *slash;
	int parent;
	bool good;

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = strrchr(path, '/');
	if (!slash || !slash[1]) {
		errno = EINVAL;
		return false;
	}
	*slash = '\0';
	parent = open(*path ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	good = parent >= 0 && remove_tree(parent, slash + 1);
	if (parent >= 0)
		close(parent);
	return good;
}

static bool do_remove(char *path)
{
	struct stat st;
	int dir = open_state(path, &st);
	char *why = NULL;
	bool good;

	if (dir < 0 && errno == ENOENT)
		return say_ok();
	if (dir < 0)
		return say_error(errno == EPERM ? WIRE_ERROR_POLICY : WIRE_ERROR_FILE,
				 "this is not a box's state directory:", path,
				 errno == EPERM ? "it is not ours alone" : NULL);
	good = empty_box(dir, path, &why) && remove_dir(path);
	close(dir);
	if (why)
		errno = 0;
	good = good ? say_ok() : say_error(WIRE_ERROR_SYSTEM, "cannot remove", path, why);
	free(why);
	return good;
}

static void put_box(struct wire_out *o, int dir, const char *name)
{
	int at = openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	int lock = at < 0 ? -1 : openat(at, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	pid_t pid = lock < 0 ? 0 : keeper_of(lock);
	size_t mark;

	if (lock >= 0)
		close(lock);
	if (at < 0)
		return;
	close(at);
	mark = wire_nest(o, WIRE_F_BOX);
	wire_text(o, WIRE_F_BOX, name);
	if (pid > 0)
		wire_u32(o, WIRE_F_PID, (uint32_t)pid);
	wire_u8(o, WIRE_F_STATE, pid <= 0);
	wire_unnest(o, mark);
}

static bool do_boxes(const char *path)
{
	DIR *dir = opendir(path);
	struct wire_out o = {0};
	struct dirent *d;

	if (!dir && errno != ENOENT)
		return say_error(WIRE_ERROR_FILE, "cannot list", path, NULL);
	wire_begin(&o, WIRE_OK);
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			put_box(&o, dirfd(dir), d->d_name);
	wire_end(&o);
	if (dir)
		closedir(dir);
	return send_frames(1, &o);
}

static bool do_probe(void)
{
	struct probe *p = calloc(PROBE_MAX, sizeof(*p));
	struct wire_out o = {0};
	size_t n = p ? probe_all(p) : 0;

	if (n && n < PROBE_MAX)
		docker_probe(&p[n++]);

	wire_begin(&o, WIRE_OK);
	if (p)
		probe_write(p, n, &o);
	wire_end(&o);
	free(p);
	return send_frames(1, &o);
}

static bool engine_error(struct docker *d, bool none)
{
	errno = 0;
	return say_error(none ? WIRE_ERROR_FILE : d->remote ? WIRE_ERROR_UNSUPPORTED : WIRE_ERROR_SYSTEM,
			 text_string(&d->why), NULL, NULL);
}

static bool bad_engine(void)
{
	errno = 0;
	return say_error(WIRE_ERROR_REQUEST, "the request does not say what of an engine", NULL, NULL);
}

/* What it is about; d is the engine of the box in DIR, if one is named. */
static bool engine_do(struct docker *d, const struct wire_frame *f, struct wire_out *o, const char *what,
		      const char *image, bool *none)
{
	if (f->type == WIRE_ENGINE_LOOK)
		return docker_look(d, image, o, none);
	if (f->type == WIRE_ENGINE_LIST)
		return docker_strays(d, what, image, o);
	if (f->type == WIRE_ENGINE_DROP)
		return docker_drop(d, what);
	return docker_commit(d, image, o);
}

/* What an engine has of a store's boxes; one of them goes; or a container becomes an image. */
static bool do_engine(const struct wire_frame *f, const char *dir)
{
	bool bad = false, good = true, none = false, commit = f->type == WIRE_ENGINE_COMMIT;
	bool image_only = commit || f->type == WIRE_ENGINE_LOOK;
	char *what = wire_string(wire_fields(f), f->type == WIRE_ENGINE_DROP ? WIRE_F_NAME : WIRE_F_LABEL,
				 &bad);
	char *image = wire_string(wire_fields(f), WIRE_F_IMAGE, &bad);
	int at = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct wire_out o = {0};
	struct docker d = {0};

	if (bad || (commit && !dir) || (image_only ? !image || !docker_is_image(image) :
					   !what || !*what)) {
		good = bad_engine();
	} else if (dir && (at < 0 || !docker_load(&d, at))) {
		good = say_error(WIRE_ERROR_STATE, "the box has no container:", dir, NULL);
	} else {
		wire_begin(&o, WIRE_OK);
		good = engine_do(&d, f, &o, what, image, &none);
		wire_end(&o);
		good = good ? send_frames(1, &o) : engine_error(&d, none);
	}
	wire_free(&o);
	docker_free(&d);
	if (at >= 0)
		close(at);
	free(what);
	free(image);
	return good;
}

/* The stream becomes the box's; what the client has said already goes there first. */
static int do_open(const char *path, struct wire_in *in)
{
	int fd = socket_connect(path);

	if (fd < 0)
		return say_error(WIRE_ERROR_STATE, "the box's server is not there:", path, NULL) - 2;
	if (!write_all(fd, in->data + in->start, in->size - in->start))
		return 1;
	return relay(0, 1, fd);
}

/* The machine's files, names being what they are to us. */
static bool do_tree(const struct wire_frame *f, struct wire_in *in)
{
	char *cwd = getcwd(NULL, 0);
	struct sync_talk t = {.from = 0, .to = 1, .in = in, .cwd = cwd ? cwd : "/",
		.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	bool good = sync_talk(&t, f);

	if (t.root >= 0)
		close(t.root);
	free(cwd);
	return good;
}

/* One request. *status is set when the stream has become something else. False: it is over. */
static bool request(const struct wire_frame *f, struct wire_in *in, int *status)
{
	bool bad = !wire_whole(wire_fields(f)), good;
	char *path = bad ? NULL : wire_string(wire_fields(f), WIRE_F_DIR, &bad);

	errno = 0;
	if (f->type == WIRE_ALIVE) {
		good = true;
	} else if (f->type == WIRE_PROBE && !bad) {
		good = do_probe();
	} else if (f->type == WIRE_TREE && !bad) {
		good = do_tree(f, in);
	} else if (f->type >= WIRE_ENGINE_LIST && f->type <= WIRE_ENGINE_LOOK && !bad) {
		good = do_engine(f, path);
	} else if (f->type >= WIRE_LAYER_SEAL && f->type <= WIRE_ENGINE_LOAD && !bad) {
		good = layer_request(f, in);
	} else if (bad || !path || *path != '/') {
		good = say_error(WIRE_ERROR_REQUEST, "the request has no absolute DIR", NULL, NULL);
	} else if (f->type == WIRE_HOST_START) {
		serve_start(wire_fields(f), 1);
		good = true;
	} else if (f->type == WIRE_HOST_REMOVE) {
		good = do_remove(path);
	} else if (f->type == WIRE_HOST_BOXES) {
		good = do_boxes(path);
	} else if (f->type == WIRE_HOST_OPEN) {
		*status = do_open(path, in);
		good = *status < 0;
	} else {
		good = say_error(WIRE_ERROR_UNSUPPORTED, "a host has no such operation", NULL, NULL);
	}
	free(path);
	return good;
}

int verb_host(void)
{
	struct wire_in in = {0};
	struct wire_out o = {0};
	struct wire_frame f;
	int status = -1;

	conn_hello(NULL, &o);
	if (!send_frames(1, &o))
		return 1;
	if (!read_frame(0, &in, &f) || f.type != WIRE_HELLO) {
		say_error(WIRE_ERROR_PROTOCOL, "HELLO was expected", NULL, in.error);
		return 1;
	}
	while (read_frame(0, &in, &f) && request(&f, &in, &status))
		;
	if (in.error && status < 0) {
		errno = 0;
		say_error(WIRE_ERROR_PROTOCOL, in.error, NULL, NULL);
	}
	wire_in_free(&in);
	return status < 0 ? 0 : status;
}
