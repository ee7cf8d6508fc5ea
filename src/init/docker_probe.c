/*
 * doctor's probe of the container engine, by doing it: a container of nothing but our own program is
 * made, process 1 comes to the door, and all is removed again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "init/docker.h"
#include "init/door.h"
#include "init/path.h"
#include "init/work.h"

#define DOOR_MS 10000

static void tell(struct probe *p, enum probe_state state, const char *text, const char *fix)
{
	p->state = state;
	snprintf(p->text, sizeof(p->text), "%s", text);
	snprintf(p->fix, sizeof(p->fix), "%s", fix);
}

/* An archive without a file in it. */
static bool empty_image(struct docker *d)
{
	int fd = memfd_create("tinybox-empty", MFD_CLOEXEC);
	bool good = fd >= 0 && ftruncate(fd, 10240) == 0 && docker_import(d, fd);

	if (fd >= 0)
		close(fd);
	return good;
}

/* NULL: it came; otherwise why not. */
static const char *container(struct docker *d, const struct spec *s, int dir, struct door_facts *f)
{
	struct report r = {.count = 0};
	int door = door_open(dir), sock = -1;
	struct pollfd p = {.fd = door, .events = POLLIN};
	const char *why = NULL;

	if (door < 0)
		why = strerror(errno);
	else if (!docker_save(d, dir) || !empty_image(d) || !docker_create(d, s, "0:0", &r) ||
		 !docker_start(d, s->box))
		why = text_string(&d->why);
	else if (poll(&p, 1, DOOR_MS) <= 0 || (sock = door_answer(door, f)) < 0)
		why = "a container was made, but its process 1 did not reach us";
	if (sock >= 0)
		close(sock);
	door_close(dir, door);
	return why;
}

/* What came of the limits: an engine may leave them out with a warning. */
static void add_limits(struct text *t, const struct spec *s, const struct door_facts *f)
{
	const struct {
		const char *name;
		bool kept;
	} all[] = {{"memory", f->memory <= s->memory}, {"pids", f->pids <= s->pids}, {"cpu", f->cpu <= s->cpu}};
	const char *before = "; it does not limit ";

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (all[i].kept)
			continue;
		text_add(t, before);
		text_add(t, all[i].name);
		before = ", ";
	}
}

/* What it does and does not; whether it is all that there is to be had. */
static bool describe(struct text *t, const struct spec *s, const struct door_facts *f)
{
	static const char good[] = ": a container was made, and its process 1 spoke to us";
	size_t all;

	text_add(t, good);
	all = t->size;
	if (f->seccomp != 2)
		text_add(t, "; the engine has no seccomp filter");
	add_limits(t, s, f);
	return t->size == all;
}

static void try(struct docker *d, struct probe *p, const char *name)
{
	char path[] = "/tmp/tinybox-probe-XXXXXX", box[32];
	struct spec s = {.kind = SPEC_DOCKER, .box = box, .dir = path, .memory = 64 << 20, .pids = 64, .cpu = 1000};
	struct text t = {0};
	bool whole = true;
	struct door_facts f = {0};
	const char *why = NULL, *end;
	int dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	snprintf(box, sizeof(box), "probe-%d", getpid());
	s.root = s.image = box;
	if (dir >= 0 && docker_name_image(d, &s)) {
		s.image = d->image;
		why = container(d, &s, dir, &f);
	} else {
		why = strerror(errno);
	}
	text_add(&t, name);
	if (why) {
		text_add(&t, ": ");
		text_add(&t, why);
	} else {
		whole = describe(&t, &s, &f);
	}
	tell(p, why ? PROBE_MISSING : whole ? PROBE_OK : PROBE_LIMITED, text_string(&t), why ?
	     "look into the engine's own log" : !whole && geteuid() ? "an engine of root's limits it all" : "");
	text_free(&t);
	end = strrchr(path, '/');
	docker_remove(d);
	if (dir >= 0) {
		int tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);

		close(dir);
		remove_tree(tmp, end + 1);
		close(tmp);
	}
}

static const char *fix_of(const char *why)
{
	if (strstr(why, "permission denied"))
		return "sudo usermod -aG docker $USER, and log in again (that group is as good as root)";
	if (strstr(why, "another machine"))
		return "--host ssh:NAME drives the engine of that machine";
	if (strstr(why, "neither docker nor podman"))
		return "sudo apt-get install docker.io";
	return "sudo systemctl start docker";
}

void docker_probe(struct probe *p)
{
	struct docker d = {0};
	char name[64];

	memset(p, 0, sizeof(*p));
	p->name = "docker";
	if (docker_find(&d) && docker_version(&d)) {
		snprintf(name, sizeof(name), "%s %.40s", docker_is_podman(&d) ? "podman" : "docker",
			 d.version);
		try(&d, p, name);
	} else {
		tell(p, PROBE_MISSING, text_string(&d.why), fix_of(text_string(&d.why)));
	}
	docker_free(&d);
}
