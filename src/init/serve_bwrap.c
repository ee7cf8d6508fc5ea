/*
 * The namespace sandbox where only bubblewrap may make namespaces: AppArmor's restriction of user namespaces has an
 * exception for it, and where they are switched off it can be set-user-id. It makes the mounts and the namespaces, with
 * a plain directory as the root, and starts process 1, which goes to the keeper's door as a container's does. What
 * takes an overlay, or ids of its own, it cannot give, and that is refused by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/cgroup_in.h"
#include "init/docker.h"
#include "init/path.h"
#include "init/serve_in.h"
#include "init/egress.h"
#include "init/wall_in.h"

#define BWRAP "/usr/bin/bwrap"
#define WORDS_MOST 160u
#define PATIENCE_MS 10000
#define LOOK_MS 50

struct words {
	const char *at[WORDS_MOST + 1];
	size_t count;
};

/* ---- Whether ---- */

/* In a user namespace that was made but gives no power (AppArmor) the next step fails. */
bool serve_needs_bwrap(void)
{
	int status = 0;
	long pid;

	if (!geteuid() || access(BWRAP, X_OK))
		return false;
	pid = wall_clone(CLONE_NEWUSER, -1);
	if (!pid)
		_exit(unshare(CLONE_NEWNS) != 0);
	if (pid < 0)
		return errno == EPERM || errno == EACCES || errno == ENOSPC || errno == EUSERS;
	while (waitpid((pid_t)pid, &status, 0) < 0 && errno == EINTR)
		;
	return status != 0;
}

static const char *cannot(const struct spec *s)
{
	if (s->root || spec_has_layers(s))
		return "a root directory, a snapshot or a template needs an overlay";
	if (s->given_user && (s->uid != geteuid() || s->gid != getegid()))
		return "the box's user can only be the one who starts it";
	return NULL;
}

static bool refuse(struct start *b, const char *why)
{
	errno = 0;
	return serve_fail(b, WIRE_ERROR_UNSUPPORTED, "only bubblewrap may make namespaces here, and it cannot give all that "
			  "was asked for", NULL, why);
}

/* ---- What it enforces ---- */

static void tell_network(struct report *r, const struct spec *s)
{
	if (s->network == SPEC_NETWORK_NONE)
		report_enforced(r, "network", "none", "bubblewrap's network namespace with a loopback only");
	else if (s->network == SPEC_NETWORK_EGRESS)
		egress_report(s, r, "bubblewrap's network namespace, proxy of the keeper");
}

/* Over what the wall has told before it was refused. */
static void tell(struct start *b)
{
	static const char fix[] = "allow tinybox-init user namespaces (`tinybox doctor` says how)";
	const struct spec *s = &b->spec;
	struct report *r = &b->report;
	char text[24];

	if (!wall_holds(s->workspace, s->dir))
		report_enforced(r, "filesystem", "", b->wall->landlock ? "bubblewrap's mount namespace, Landlock" :
				"bubblewrap's mount namespace");
	report_enforced(r, "processes", "", "bubblewrap's pid namespace");
	tell_network(r, s);
	report_enforced(r, "privileges", "", "no_new_privs, no capabilities");
	wall_tell_devices(s, r, "a /dev of bubblewrap's");
	text_decimal(text, s->disk);
	if (s->disk)
		report_open(r, "disk", text, "bubblewrap makes no file system of a limited size", fix);
	text_decimal(text, s->pids);
	if (b->wall->rlimit_pids)
		report_open(r, "pids", text, "no control group, and RLIMIT_NPROC would count all of the user's", fix);
}

/* ---- Its words ---- */

static void put(struct words *w, const char *a, const char *b, const char *c)
{
	const char *const all[] = {a, b, c};

	for (size_t i = 0; i < 3 && all[i] && w->count < WORDS_MOST; i++)
		w->at[w->count++] = all[i];
}

static void put_namespaces(struct words *w, const struct start *b)
{
	const struct spec *s = &b->spec;

	put(w, BWRAP, "--unshare-user-try", "--unshare-ipc");
	put(w, "--unshare-pid", "--unshare-uts", NULL);
	if (!b->server.cgroup || cgroup_namespace(b->server.cgroup))
		put(w, "--unshare-cgroup-try", NULL, NULL);
	if (s->network != SPEC_NETWORK_OPEN)
		put(w, "--unshare-net", NULL, NULL);
	put(w, "--as-pid-1", "--die-with-parent", NULL);
	put(w, "--hostname", b->wall->host, NULL);
}

/* The host's programs, and what they need of its /etc; all places are there. */
static void put_host(struct words *w)
{
	const char *const *path;
	size_t n = wall_top_names(&path);
	struct stat st;

	put(w, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < n; i++)
		if (!lstat(path[i], &st) && S_ISDIR(st.st_mode))
			put(w, "--ro-bind", path[i], path[i]);
	n = wall_etc_mounted(&path);
	for (size_t i = 0; i < n; i++)
		if (!access(path[i], R_OK | X_OK))
			put(w, "--ro-bind", path[i], path[i]);
	put(w, "--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu");
}

static void put_all(struct words *w, const struct start *b, const char *root, const char *door)
{
	const struct spec *s = &b->spec;

	put_namespaces(w, b);
	put(w, "--bind", root, "/");
	put_host(w);
	put(w, "--proc", "/proc", NULL);
	put(w, "--dev", "/dev", NULL);
	for (size_t i = 0; s->devices && s->devices[i]; i++)
		put(w, "--dev-bind", s->devices[i], s->devices[i]);
	put(w, "--ro-bind", door, DOCKER_PLACE);
	if (s->workspace)
		put(w, s->readonly ? "--ro-bind" : "--bind", s->workspace, b->wall->target);
	put(w, "--chdir", "/", "--");
	put(w, DOCKER_PLACE "/init", "inside", NULL);
}

/* ---- Its life ---- */

/* It is killed with us as process 1 is with it; no terminal of the host's is theirs. */
static _Noreturn void become(const struct words *w, int errors)
{
	static const char *const env[] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(errors, 2) < 0)
		_exit(1);
	close_from(3);
	execve(w->at[0], (char *const *)(uintptr_t)w->at, (char *const *)(uintptr_t)env);
	_exit(127);
}

static pid_t start(struct start *b, int errors)
{
	struct text root = {0}, door = {0};
	struct words w = {0};
	long pid = -1;

	text_add(&root, b->spec.dir);
	text_add(&root, "/overlay/upper");
	text_add(&door, b->spec.dir);
	text_add(&door, "/inside");
	put_all(&w, b, text_string(&root), text_string(&door));
	errno = E2BIG;
	if (!root.failed && !door.failed && w.count < WORDS_MOST)
		pid = wall_clone(0, b->server.cgroup ? cgroup_fd(b->server.cgroup) : -1);
	if (!pid)
		become(&w, errors);
	text_free(&root);
	text_free(&door);
	return (pid_t)pid;
}

/* Process 1, or -1: bubblewrap has ended, or it takes too long. */
static int await(int door, pid_t pid, struct door_facts *f)
{
	struct pollfd p = {.fd = door, .events = POLLIN};

	for (int waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
		if (poll(&p, 1, LOOK_MS) > 0)
			return door_answer(door, f);
		if (waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) < 0)
			return -1;
	}
	return -1;
}

/* In bubblewrap's own words, which are a line. */
static bool say_why(struct start *b, int errors)
{
	size_t n = 0;
	char *text = lseek(errors, 0, SEEK_SET) ? NULL : read_whole(errors, 1 << 16, &n);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	errno = 0;
	serve_fail(b, WIRE_ERROR_SYSTEM, "user namespaces are forbidden here (`tinybox doctor` says what to do), and "
		   "bubblewrap could not make the box either", NULL, text && *text ? text : NULL);
	free(text);
	return false;
}

/* The groups of execs are made below the box's by the keeper, who is their owner. */
static bool give(struct start *b, int sock)
{
	struct cgroup *c = b->server.cgroup;
	int fd[DOOR_FDS];

	memset(fd, -1, sizeof(fd));
	if (c && !cgroup_settle(c))
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the box's control groups cannot be limited", NULL, NULL);
	if (c) {
		fd[DOOR_GROUP] = c->run;
		fd[DOOR_GROUP_ALL] = c->box;
	}
	return serve_give(b, &sock, fd);
}

static bool meet(struct start *b, int door, pid_t pid, int errors)
{
	struct door_facts facts;
	int sock = pid < 0 ? -1 : await(door, pid, &facts);

	return sock < 0 ? say_why(b, errors) : give(b, sock);
}

static bool prepare(struct start *b, int *door, int *errors)
{
	const char *why = cannot(&b->spec);

	if (why)
		return refuse(b, why);
	tell(b);
	if (!serve_check_report(b))
		return false;
	b->spec.uid = geteuid();
	b->spec.gid = getegid();
	umask(0);
	why = wall_plain_root(b->wall);
	umask(022);
	if (why)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the wall cannot be had", NULL, why);
	*door = door_open(b->dir);
	*errors = memfd_create("tinybox-bwrap", MFD_CLOEXEC);
	return (*door >= 0 && *errors >= 0) ||
		serve_fail(b, WIRE_ERROR_SYSTEM, "the box's door cannot be made in", b->spec.dir, NULL);
}

pid_t serve_bwrap(struct start *b)
{
	int door = -1, errors = -1;
	pid_t pid = -1;
	bool good = prepare(b, &door, &errors);

	if (good) {
		pid = start(b, errors);
		good = meet(b, door, pid, errors);
	}
	door_close(b->dir, door);
	if (errors >= 0)
		close(errors);
	if (good || pid < 0)
		return pid;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -1;
}
