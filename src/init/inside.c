/*
 * Process 1 of a container (`tinybox-init inside`): it looks where it is, goes to the door, takes
 * what it is given, and serves. When the keeper is gone it ends, and the kernel ends the container.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/contain.h"
#include "init/docker.h"
#include "init/door_in.h"
#include "init/path.h"
#include "init/server.h"
#include "init/verbs.h"
#include "init/wall_in.h"
#include "wire/pass.h"

struct inside {
	struct server server;
	struct spec spec;
	struct report report;
	struct wire_in in;
	int fd[DOOR_FDS];
};

/* ---- What it finds ---- */

static uint64_t capabilities(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < 64; i++)
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) > 0)
			all |= 1ull << i;
	return all;
}

/* Lines of /proc/net/dev behind the two of its head, but for the loopback's. */
static uint32_t count_links(void)
{
	int fd = open("/proc/net/dev", O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	char *text = fd < 0 ? NULL : read_whole(fd, 1 << 20, &size), *line = text;
	uint32_t n = 0;

	if (fd >= 0)
		close(fd);
	if (!text)
		return UINT32_MAX;
	for (; (line = strchr(line, ':')); line++) {
		char *name = line;

		while (name > text && name[-1] != ' ' && name[-1] != '\n')
			name--;
		n += strncmp(name, "lo:", 3) != 0;
	}
	free(text);
	return n;
}

static void look_around(struct door_facts *f)
{
	struct contain_limits l;

	contain_limits(&l);
	*f = (struct door_facts){.version = DOOR_VERSION, .pid = (uint32_t)getpid(),
		.seccomp = (uint32_t)prctl(PR_GET_SECCOMP, 0, 0, 0, 0), .links = count_links(),
		.uid = getuid(), .gid = getgid(), .caps = capabilities(), .memory = l.memory,
		.swap = l.swap, .pids = l.pids, .cpu = l.cpu};
}

/* ---- What it is given ---- */

static int go_to_door(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = DOCKER_PLACE "/" DOOR_NAME};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	return fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0 ? fd : -1;
}

static bool receive(struct inside *i, int sock)
{
	int fds[PASS_MAX];
	uint32_t mask = 0;
	size_t n = 0, at = 0;

	memset(i->fd, -1, sizeof(i->fd));
	if (pass_take(sock, &mask, sizeof(mask), fds, &n, 0) != (ssize_t)sizeof(mask))
		return false;
	for (size_t k = 0; k < DOOR_FDS; k++)
		if (mask & 1u << k && at < n)
			i->fd[k] = fds[at++];
	errno = EPROTO;
	return i->fd[DOOR_START] >= 0 && i->fd[DOOR_LISTEN] >= 0 && i->fd[DOOR_KEEPER] >= 0 &&
		i->fd[DOOR_READY] >= 0;
}

/* The texts stay: what a line names points into memory that lives as long as we. */
static void read_report(struct report *r, struct wire_iter it)
{
	struct wire_field_in f;
	bool bad = false;

	while (wire_step(&it, &f)) {
		struct wire_iter line = wire_nested(&f);
		char *control, *asked, *by, *why, *fix;

		if (f.name != WIRE_F_REPORT)
			continue;
		control = wire_string(line, WIRE_F_CONTROL, &bad);
		asked = wire_string(line, WIRE_F_ASKED, &bad);
		by = wire_string(line, WIRE_F_BY, &bad);
		why = wire_string(line, WIRE_F_WHY, &bad);
		fix = wire_string(line, WIRE_F_FIX, &bad);
		if (control && by)
			report_enforced(r, control, asked, by);
		else if (control && why)
			report_open(r, control, asked, why, fix);
		free(asked);
		free(by);
		free(why);
		free(fix);
	}
}

static bool read_start(struct inside *i)
{
	const char *why, *what;
	struct wire_frame f;

	if (!read_frame(i->fd[DOOR_START], &i->in, &f) || f.type != WIRE_START ||
	    !spec_read(&i->spec, wire_fields(&f), &why, &what) ||
	    !read_frame(i->fd[DOOR_START], &i->in, &f) || f.type != WIRE_OK)
		return false;
	read_report(&i->report, wire_fields(&f));
	close(i->fd[DOOR_START]);
	i->spec.uid = getuid();
	i->spec.gid = getgid();
	return true;
}

/* ---- What it makes of it ---- */

/* What an image says its programs' environment is, and not what an engine adds for each container. */
static char **image_env(void)
{
	static const char *const own[] = {"HOSTNAME=", "HOME=", "TERM=", "container=", "SHLVL=",
		"PWD=", "GLIBC_TUNABLES="};
	size_t n = 0, most = 0;
	char **list;

	while (environ[most])
		most++;
	list = calloc(most + 1, sizeof(*list));
	for (char **at = environ; list && *at; at++) {
		bool drop = !strchr(*at, '=') || **at == '=';

		for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
			drop = drop || !strncmp(*at, own[k], strlen(own[k]));
		if (!drop)
			list[n++] = *at;
	}
	return list;
}

static bool make_workspace(const struct spec *s)
{
	int root, fd;

	if (s->workspace || !s->target)
		return true;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = root < 0 ? -1 : path_open(root, s->target, O_PATH | O_DIRECTORY, 0);
	if (fd < 0 && root >= 0)
		fd = tree_dir(root, s->target + strspn(s->target, "/"), 0755);
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	return fd >= 0;
}

static struct cgroup *groups(const int *fd)
{
	struct contain_groups g = {.all = fd[DOOR_GROUP_ALL], .run = fd[DOOR_GROUP],
		.v1 = {fd[DOOR_GROUP_V1], fd[DOOR_GROUP_V1 + 1], fd[DOOR_GROUP_V1 + 2], -1}};

	return contain_cgroup(&g);
}

/* Without an engine's own wall around it there is ours: bubblewrap knows no Landlock. */
static bool restrict_files(const struct spec *s, struct cgroup *c, struct wall *w)
{
	if (s->kind != SPEC_NAMESPACE)
		return true;
	w->cgroup = c;
	w->landlock = wall_landlock_abi();
	return !wall_landlock(w);
}

static bool set_up(struct inside *i, int *listener)
{
	struct server *s = &i->server;
	struct wall *w;

	*listener = -1;
	if (!read_start(i))
		return false;
	s->spec = &i->spec;
	s->report = &i->report;
	s->listen.fd = i->fd[DOOR_LISTEN];
	s->keeper = i->fd[DOOR_KEEPER];
	audit_take(s, i->fd[DOOR_AUDIT], i->fd[DOOR_AUDIT_HEAD]);
	s->lock = i->fd[DOOR_LOCK];
	s->cwd = i->spec.cwd ? i->spec.cwd : i->spec.target ? i->spec.target :
		i->spec.workspace ? "/workspace" : "/";
	s->contained = true;
	s->image_env = image_env();
	s->cgroup = groups(i->fd);
	w = contain_wall(&i->spec, i->fd[DOOR_PORTS]);
	s->wall = w;
	if (!s->image_env || !s->cgroup || !w || !make_workspace(&i->spec) ||
	    !restrict_files(&i->spec, s->cgroup, w))
		return false;
	if (i->spec.network == SPEC_NETWORK_EGRESS)
		*listener = contain_listen();
	return i->spec.network != SPEC_NETWORK_EGRESS || *listener >= 0;
}

static void quiet(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
}

static int serve(struct inside *i)
{
	int32_t error = 0;
	bool good = server_open(&i->server);

	if (!good)
		error = errno ? errno : EIO;
	if (write(i->fd[DOOR_READY], &error, sizeof(error)) != (ssize_t)sizeof(error) || !good)
		return 1;
	close(i->fd[DOOR_READY]);
	return server_run(&i->server);
}

int verb_inside(void)
{
	struct inside *i = calloc(1, sizeof(*i));
	struct door_facts facts;
	int sock = go_to_door(), listener = -1;
	int32_t error = 0;

	prctl(PR_SET_DUMPABLE, 0);
	look_around(&facts);
	if (!i || sock < 0 || !pass_send(sock, &facts, sizeof(facts), NULL, 0, 0) || !receive(i, sock))
		return 1;
	quiet();
	if (!set_up(i, &listener))
		error = errno ? errno : EPROTO;
	if (!pass_send(sock, &error, sizeof(error), &listener, listener >= 0, 0) || error)
		return 1;
	if (listener >= 0)
		close(listener);
	close(sock);
	return serve(i);
}
