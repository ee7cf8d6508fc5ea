/*
 * Virtual boxes against a bare posix_spawn + wait of a static program, in the same run:
 * create + exec + destroy from the API, in memory and durable; exec in a box that is there; an
 * exec over the socket of a server, and what an idle server holds.
 *
 *	bench-virtual EXIT-PROGRAM TINYBOX-ENGINE [--strict]
 *
 * Medians of rounds. A durable box of the API is a file, made and removed here too.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/virtual.h"
#include "wire/wire.h"

enum { ROUNDS = 15 };

extern char **environ;

static const char *program, *engine;
static char top[] = "/tmp/tinybox-bench.XXXXXX", dir[64];
static struct virtual_box *there;
static int failures;

static void die(const char *what)
{
	fprintf(stderr, "bench-virtual: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void spawn(void)
{
	char *argv[] = { (char *)(uintptr_t)program, NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ))
		die(program);
	waitpid(pid, &status, 0);
}

static void exec_in(struct virtual_box *b, const char *script)
{
	const char *const words[] = { "sh", "-c", script, NULL }, *const plain[] = { "true", NULL };
	struct tsb_result *r;

	if (virtual_exec(b, script ? words : plain, NULL, &r) || tsb_result_status(r))
		die("exec");
	tsb_result_free(r);
}

static void one_box(const char *at, const char *script)
{
	struct virtual_spec spec = { .dir = at, .name = "box-1" };
	char why[VIRTUAL_WHY];
	struct virtual_box *b;

	if (virtual_open(&b, &spec, why))
		die(why);
	exec_in(b, script);
	virtual_close(b);
}

static void in_memory(void)
{
	one_box(NULL, NULL);
}

static void durable(void)
{
	char name[80];

	one_box(top, "echo kept > file");
	snprintf(name, sizeof(name), "%s/box-1", top);
	if (unlink(name))
		die(name);
}

static void warm(void)
{
	exec_in(there, NULL);
}

/* ---- The server ---- */

static int reach(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/socket", dir);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		die("connect");
	return fd;
}

static void hello(struct wire_out *o)
{
	wire_begin(o, WIRE_HELLO);
	wire_text(o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(o, WIRE_F_VERSION, WIRE_VERSION);
	wire_end(o);
}

/* The number of PID in the frame that ends it; 0: none. */
static uint32_t talk(int out, int in, struct wire_out *o, enum wire_type last)
{
	struct wire_in i = { 0 };
	struct wire_frame f = { 0 };
	uint32_t pid = 0;
	bool bad = false;
	ssize_t n;

	if (write(out, o->data, o->size) != (ssize_t)o->size)
		die("write");
	wire_free(o);
	while (f.type != last) {
		while (!wire_next(&i, &f)) {
			uint8_t *room = wire_room(&i, 4096);

			n = room ? read(in, room, 4096) : 0;
			if (n <= 0)
				die("the server has ended");
			wire_got(&i, (size_t)n);
		}
		if (f.type == WIRE_ERROR)
			die("the server refused");
	}
	pid = (uint32_t)wire_number(wire_fields(&f), WIRE_F_PID, 0, &bad);
	wire_in_free(&i);
	return pid;
}

static void over_socket(void)
{
	struct wire_out o = { 0 };
	int fd = reach();

	hello(&o);
	wire_begin(&o, WIRE_EXEC);
	wire_text(&o, WIRE_F_ARG, "true");
	wire_end(&o);
	talk(fd, fd, &o, WIRE_END);
	close(fd);
}

static pid_t start_server(void)
{
	struct wire_out o = { 0 };
	posix_spawn_file_actions_t a;
	char *argv[] = { (char *)(uintptr_t)engine, (char *)(uintptr_t)"serve", NULL };
	int pair[2], status;
	uint32_t server;
	pid_t pid;

	if (mkdir(dir, 0700) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		die(dir);
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_adddup2(&a, pair[1], 0);
	posix_spawn_file_actions_adddup2(&a, pair[1], 1);
	if (posix_spawn(&pid, engine, &a, NULL, argv, environ))
		die(engine);
	posix_spawn_file_actions_destroy(&a);
	close(pair[1]);
	hello(&o);
	wire_begin(&o, WIRE_START);
	wire_text(&o, WIRE_F_BOX, "bench");
	wire_text(&o, WIRE_F_KIND, "virtual");
	wire_text(&o, WIRE_F_DIR, dir);
	wire_end(&o);
	server = talk(pair[0], pair[0], &o, WIRE_OK);
	close(pair[0]);
	waitpid(pid, &status, 0);
	return (pid_t)server;
}

static long status_kb(pid_t pid, const char *what)
{
	char name[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, what, strlen(what)))
			kb = atol(line + strlen(what) + 1);
	if (f)
		fclose(f);
	return kb;
}

/* ---- Measuring ---- */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *round)
{
	qsort(round, ROUNDS, sizeof(*round), compare);
	return round[ROUNDS / 2];
}

static double one_round(void (*fn)(void), int times)
{
	double began = now_us();

	for (int k = 0; k < times; k++)
		fn();
	return (now_us() - began) / times;
}

static double measure(void (*fn)(void), int times)
{
	double round[ROUNDS];

	fn();
	for (int i = 0; i < ROUNDS; i++)
		round[i] = one_round(fn, times);
	return median(round);
}

/*
 * In turns with the spawn that it is compared with, as a disk's state changes; few, as ext4 looks at each file
 * that was removed in the last five seconds when it makes one.
 */
static double in_turns(void (*fn)(void), int times, double *s)
{
	double round[ROUNDS], beside[ROUNDS];

	fn();
	for (int i = 0; i < ROUNDS; i++) {
		beside[i] = one_round(spawn, times);
		round[i] = one_round(fn, times);
	}
	*s = median(beside);
	return median(round);
}

static void tell(const char *what, double us, double s, double bar)
{
	bool good = bar <= 0 || us <= s * bar;

	failures += !good;
	printf("%-44s %9.1f us  %7.4f S", what, us, us / s);
	if (bar > 0)
		printf("  bar %.4f  %s", bar, good ? "ok" : "MISSED");
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct virtual_spec spec = { 0 };
	char why[VIRTUAL_WHY];
	pid_t server;
	double s, took, beside;

	if (argc < 3 || !mkdtemp(top))
		die("usage: bench-virtual EXIT-PROGRAM TINYBOX-ENGINE [--strict]");
	program = argv[1];
	engine = argv[2];
	snprintf(dir, sizeof(dir), "%s/box", top);
	s = measure(spawn, 20);
	tell("S: posix_spawn + wait of a static program", s, s, 0);
	/* As tinybox's store does: what boxes share stays. */
	if (virtual_open(&there, &spec, why))
		die(why);
	tell("create + exec true + destroy, in memory", measure(in_memory, 200), s, 0.01);
	took = in_turns(durable, 10, &beside);
	tell("create + exec sh (writes) + destroy, durable", took, beside, 0.2);
	tell("exec true in a box of the API", measure(warm, 500), s, 0);
	virtual_close(there);
	server = start_server();
	printf("an idle server: %ld kB resident, of which %ld kB its own\n",
	       status_kb(server, "VmRSS:"), status_kb(server, "RssAnon:"));
	tell("exec true over a server's socket", measure(over_socket, 50), s, 0);
	printf("after that: %ld kB resident, of which %ld kB its own\n",
	       status_kb(server, "VmRSS:"), status_kb(server, "RssAnon:"));
	kill(server, SIGTERM);
	usleep(200000);
	snprintf(why, sizeof(why), "rm -r %s", top);
	if (system(why))
		die(why);
	return failures && argc > 3;
}
