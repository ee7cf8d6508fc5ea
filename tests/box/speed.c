/*
 * How long an exec in an existing box takes beside a bare spawn of the same program, in turns.
 *
 *	speed SOCKET-DIR COUNT PROGRAM
 *
 * Prints the medians in microseconds and their ratio.
 */
#include "wire/wire.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double bare(char *program)
{
	char *argv[] = {program, NULL}, *env[] = {NULL};
	double begin = now();
	pid_t pid;
	int status;

	if (posix_spawn(&pid, program, NULL, NULL, argv, env))
		exit(1);
	waitpid(pid, &status, 0);
	return now() - begin;
}

static double boxed(char *program)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
	struct wire_out o = {0};
	struct wire_in in = {0};
	struct wire_frame f = {0};
	double begin = now();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		exit(1);
	wire_begin(&o, WIRE_HELLO);
	wire_text(&o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&o, WIRE_F_VERSION, WIRE_VERSION);
	wire_end(&o);
	wire_begin(&o, WIRE_EXEC);
	wire_text(&o, WIRE_F_ARG, program);
	wire_end(&o);
	if (write(fd, o.data, o.size) < 0)
		exit(1);
	while (f.type != WIRE_END) {
		ssize_t n;

		if (wire_next(&in, &f)) {
			if (f.type == WIRE_ERROR)
				exit(1);
			continue;
		}
		n = read(fd, wire_room(&in, 4096), 4096);
		if (n <= 0)
			exit(1);
		wire_got(&in, (size_t)n);
	}
	close(fd);
	wire_free(&o);
	wire_in_free(&in);
	return now() - begin;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int count = argc == 4 ? atoi(argv[2]) : 0;
	double *one = calloc((size_t)count + 1, sizeof(double)), *two = calloc((size_t)count + 1, sizeof(double));

	if (count < 1 || chdir(argv[1]) < 0)
		return 2;
	for (int i = 0; i < count; i++) {
		one[i] = bare(argv[3]);
		two[i] = boxed(argv[3]);
	}
	qsort(one, (size_t)count, sizeof(double), by_size);
	qsort(two, (size_t)count, sizeof(double), by_size);
	printf("least: spawn %.0f exec %.0f; median: spawn %.0f exec %.0f ratio %.2f\n", one[0], two[0], one[count / 2], two[count / 2],
	       two[count / 2] / one[count / 2]);
	return 0;
}
