/*
 * tinybox-init: the box's server (serve), the way to it (connect), and a host's other work (host).
 * One program, because it is pushed to other machines.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "init/door.h"
#include "init/guest.h"
#include "init/path.h"
#include "init/verbs.h"

static int usage(int fd)
{
	static const char text[] =
		"usage: tinybox-init serve          START on stdin; leaves the box's server behind\n"
		"       tinybox-init connect DIR    joins stdin and stdout with the box in DIR\n"
		"       tinybox-init host           requests in a row on stdin\n"
		"       tinybox-init inside         process 1 of a container, for the box's keeper\n"
		"       tinybox-init version\n";

	write_all(fd, text, sizeof(text) - 1);
	return fd == 2 ? 2 : 0;
}

/* 0, 1 and 2 are open from here on, so that nothing else takes their places. */
static void fill_first(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	if (getpid() == 1 && argc && !strcmp(argv[0], "/init"))
		guest_main();
	verb_words(argc, argv);
	fill_first();
	if (argc == 2 && !strcmp(argv[1], "serve"))
		return verb_serve();
	if (argc == 3 && !strcmp(argv[1], "connect"))
		return verb_connect(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "inside"))
		return verb_inside();
	if (argc == 2 && !strcmp(argv[1], "host"))
		return verb_host();
	if (argc == 2 && !strcmp(argv[1], "version")) {
		static const char line[] = "tinybox-init protocol 1\n";

		return !write_all(1, line, sizeof(line) - 1);
	}
	return usage(argc == 2 && !strcmp(argv[1], "--help") ? 1 : 2);
}
