/*
 * tinybox forward: ports here that are ports inside a box.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

struct forwarding {
	struct boxc *c;
	const struct tbx_port **told;	/* that listen, by their order */
	size_t count;
};

static bool is_told(struct forwarding *f, const struct tbx_port *port)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->told[i] == port)
			return true;
	f->told[f->count++] = port;
	return false;
}

static int on_event(void *ctx, const struct tbx_port *port, const char *why)
{
	struct forwarding *f = ctx;
	bool six;

	if (!port)
		return 0;
	if (is_told(f, port)) {
		if (why)
			boxc_error(f->c, 0, "%u: %s", port->guest, why);
		return 0;
	}
	six = strchr(port->address, ':');
	if (f->c->json)
		printf("{\"guest\":%u,\"host\":%u,\"address\":\"%s\"}\n", port->guest, port->host,
		       port->address);
	else
		printf("%s%s%s:%u -> %u\n", six ? "[" : "", port->address, six ? "]" : "", port->host,
		       port->guest);
	return fflush(stdout) ? 1 : 0;
}

int boxc_forward(struct boxc *c)
{
	size_t n = (size_t)c->argc - 1;
	struct tbx_port *ports = heap_zalloc(c->heap, (n + 1) * sizeof(*ports));
	struct forwarding f = { c, heap_zalloc(c->heap, (n + 1) * sizeof(*f.told)), 0 };
	int status;

	if (!ports || !f.told)
		return boxc_error(c, BOXC_OWN, "no memory");
	for (size_t i = 0; i < n; i++) {
		if (!boxc_forward_port(c, c->argv[i + 1], &ports[i]))
			return boxc_usage(c, "'%s': must be GUEST[:HOST]", c->argv[i + 1]);
		ports[i].address = c->address;
	}
	status = tbx_forward(c->tbx, c->argv[0], ports, n, on_event, &f);
	return status ? boxc_failed(c, status) : boxc_flush(c, 0);
}
