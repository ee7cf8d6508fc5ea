/*
 * See contain.h. The groups are found as any process finds its own; in a container they are mounted
 * read-only, which is enough.
 */
#include "init/contain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/cgroup_in.h"
#include "init/egress.h"
#include "init/wall_in.h"

struct wall *contain_wall(const struct spec *spec, int channel)
{
	struct wall *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->spec = spec;
	memset(w->tree, -1, sizeof(w->tree));
	w->listener = w->channel[0] = -1;
	w->channel[1] = channel;
	/* a workspace's files are a real user's, outside */
	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	    filter_make(&w->filter, spec->workspace && !spec->readonly))
		return w;
	free(w);
	return NULL;
}

int contain_listen(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(EGRESS_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), saved;

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 128))
		return fd;
	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return -1;
}

struct cgroup *contain_cgroup(const struct contain_groups *g)
{
	struct cgroup *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->base = c->box = c->init = c->spare = -1;
	c->run = g->run;
	c->look = g->all >= 0 ? g->all : cg_open_own(NULL);
	memcpy(c->v1, g->v1, sizeof(c->v1));
	memset(c->v1_base, -1, sizeof(c->v1_base));
	for (int i = 0; i < CGROUP_FREEZER; i++) {
		c->with[i] = g->run >= 0 && cg_has_word(g->run, "cgroup.subtree_control", cg_v1_name[i]);
		c->fixed[i] = c->v1[i] < 0;
	}
	/* to be read: what the container's own limits have refused */
	if (c->fixed[CGROUP_MEMORY])
		c->v1[CGROUP_MEMORY] = cg_open_own("memory");
	if (c->fixed[CGROUP_PIDS])
		c->v1[CGROUP_PIDS] = cg_open_own("pids");
	return c;
}

static void read_limit(int dir, const char *name, uint64_t *n)
{
	if (dir < 0 || *n != UINT64_MAX || !cg_number(dir, name, "", n))
		return;
	/* v1's word for none is the largest number of pages */
	if (*n > INT64_MAX - (1u << 20))
		*n = UINT64_MAX;
}

/* "QUOTA PERIOD" of v2's cpu.max, or the two files of v1. */
static void read_cpu(int v2, int v1, uint64_t *n)
{
	uint64_t quota = UINT64_MAX, period = 0;
	char text[64], *at;

	if (v1 >= 0) {
		read_limit(v1, "cpu.cfs_quota_us", &quota);
		cg_number(v1, "cpu.cfs_period_us", "", &period);
	}
	if (quota == UINT64_MAX && v2 >= 0 && cg_read(v2, "cpu.max", text, sizeof(text)) > 0 &&
	    text[0] >= '0' && text[0] <= '9') {
		quota = strtoull(text, &at, 10);
		period = strtoull(at, NULL, 10);
	}
	if (quota != UINT64_MAX && period && quota < UINT64_MAX / 1000)
		*n = quota * 1000 / period;
}

void contain_limits(struct contain_limits *l)
{
	int v2 = cg_open_own(NULL), memory = cg_open_own("memory"), pids = cg_open_own("pids");
	int cpu = cg_open_own("cpu"), fd[] = {v2, memory, pids, cpu};
	uint64_t swap = UINT64_MAX;

	*l = (struct contain_limits){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	read_limit(memory, "memory.limit_in_bytes", &l->memory);
	read_limit(memory, "memory.memsw.limit_in_bytes", &l->swap);
	read_limit(v2, "memory.max", &l->memory);
	read_limit(v2, "memory.swap.max", &swap);
	if (l->swap == UINT64_MAX && swap < INT64_MAX && l->memory < INT64_MAX)
		l->swap = l->memory + swap;
	read_limit(pids, "pids.max", &l->pids);
	read_limit(v2, "pids.max", &l->pids);
	read_cpu(v2, cpu, &l->cpu);
	for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++)
		if (fd[i] >= 0)
			close(fd[i]);
}
