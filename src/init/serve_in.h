/*
 * Shared by the keepers of each kind of box (serve.c, serve_docker.c): a start in progress, and what
 * all of them do. Those that answer bool have told the client why when they say false.
 */
#ifndef INIT_SERVE_IN_H
#define INIT_SERVE_IN_H

#include "init/door.h"
#include "init/server.h"

struct start {
	struct spec spec;
	struct wire_iter fields;	/* START's */
	struct report report;
	struct server server;
	int answer, ready[2];	/* the answer's descriptor; a byte when the server runs */
	int inside[2];		/* an errno when the server is ready, or cannot be */
	int channel[2];		/* the server's questions to the keeper */
	int dir, procs, signals;
	int listener, ports;	/* of the box's loopback; to process 1, for published ports; -1: none */
	struct egress *egress;	/* NULL: none */
	struct wall *wall;
};

/* ERROR to the client. Always false. */
bool serve_fail(struct start *b, enum wire_error code, const char *a, const char *what,
		const char *why);
bool serve_check_report(struct start *b);	/* nothing that was asked for is unenforced */
bool serve_wait_inside(struct start *b);	/* the server says that it is ready */
bool serve_open_egress(struct start *b);	/* the proxy and the published ports */
bool serve_answer_ok(struct start *b, pid_t pid);
bool serve_take_signals(struct start *b);	/* errno only */
/* Nobody can reach a box whose directory was removed: looked at each LOOK_EVERY ms, after SIGIO sooner. */
bool serve_is_removed(const struct start *b);
#define LOOK_EVERY 60000
#define LOOK_SOON 200
#define LOOKS_SOON 10u

/*
 * serve_door.c: process 1, which waits at the other end (closed afterwards), gets fd, filled up with what every server
 * needs.
 */
bool serve_give(struct start *b, int *sock, int fd[DOOR_FDS]);
/*
 * serve_bwrap.c: the server in a sandbox that bubblewrap makes, where the wall may not be made: its pid. -1: the
 * answer was given.
 */
pid_t serve_bwrap(struct start *b);
/* Whether that is so: user namespaces are refused to us, and bubblewrap is there. */
bool serve_needs_bwrap(void);

/* serve_vm.c: each connection to the listener goes to the socket of that name, from now on. */
void serve_relay(const char *path, int listener);
/* serve_docker.c: the exit status. */
int serve_docker(struct start *b);
int serve_vm(struct start *b);		/* serve_vm.c */

#endif
