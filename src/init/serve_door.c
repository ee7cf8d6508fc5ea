/*
 * What a keeper gives process 1 at its door (door.h): the same for a container's and for a sandbox of bubblewrap's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/serve_in.h"

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool serve_give(struct start *b, int *sock, int fd[DOOR_FDS])
{
	struct server *s = &b->server;
	int ports[2] = {-1, -1};
	bool good;

	if (b->spec.port_count && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ports) < 0)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the ports cannot be published", NULL, NULL);
	fd[DOOR_START] = door_start_file(b->fields, &b->report);
	fd[DOOR_LISTEN] = s->listen.fd;
	fd[DOOR_KEEPER] = s->keeper;
	fd[DOOR_AUDIT] = s->audit.fd;
	fd[DOOR_AUDIT_HEAD] = s->audit.head;
	fd[DOOR_LOCK] = s->lock;
	fd[DOOR_READY] = b->inside[1];
	fd[DOOR_PORTS] = ports[1];
	b->ports = ports[0];
	good = fd[DOOR_START] >= 0 && door_give(*sock, fd) && door_hear(*sock, &b->listener);
	shut(&fd[DOOR_START]);
	shut(&ports[1]);
	if (!good)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the box's process 1 cannot serve", NULL, NULL);
	shut(sock);
	shut(&b->inside[1]);
	shut(&s->keeper);
	return true;
}
