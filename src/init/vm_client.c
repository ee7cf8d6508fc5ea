/*
 * Clients of a micro-VM's box. The keeper greets them itself and reads their first request: what is
 * about the machine it does (INFO, PAUSE, RESUME), all else goes to the guest's server, and from
 * then on both are joined. What the guest says is looked at only as frames: it cannot greet, and
 * when a deadline has passed and it does not tell, the keeper does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/path.h"
#include "init/server.h"
#include "init/vm_in.h"

#define CLIENTS_MOST 200u
#define MARGIN 5000000000u	/* behind a deadline: a slow machine is not a hung one */
#define SLEEP_MARGIN 60000000000u	/* all that is written goes to the disks first */
#define STOP_MARGIN 20000000000u
#define NAME_MOST 24u

struct vm_client {
	struct vm *vm;
	struct vm_client *next;
	struct watch w;		/* until it is joined */
	struct wire_in in;
	struct wire_out out;
	struct watch synced;
	bool greeted, kept;
	bool holds;		/* paused until it goes */
	bool memory;		/* and the memory is written meanwhile */
	enum vm_order order;
	enum wire_type request;
	struct bridge *bridge;
	struct timer late;
	/* the guest's frames */
	uint8_t head[5];
	size_t have, left;	/* of the head; of the body that is passing */
	bool hello, drop, end;
	char proc[NAME_MOST];
	uint8_t started[256];	/* STARTED's body, if it is that short */
	size_t started_size;
	uint64_t began;
};

static void forget(struct vm_client *c)
{
	struct vm_client **at = &c->vm->clients;

	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	c->vm->client_count--;
	vm_order_forget(c->vm, c);
	vm_memory_forget(c->vm, c);
	if (c->holds && c->vm->paused && vm_order(c->vm, VM_RESUME, NULL))
		c->vm->paused = false;
	timer_stop(&c->vm->loop, &c->late);
	watch_close(&c->vm->loop, &c->synced);
	watch_close(&c->vm->loop, &c->w);
	wire_in_free(&c->in);
	wire_free(&c->out);
	free(c);
}

void vm_clients_end(struct vm *vm)
{
	while (vm->clients) {
		struct vm_client *c = vm->clients;

		if (c->bridge)
			bridge_free(c->bridge);
		else
			forget(c);
	}
}

/* What we say ourselves is short: a client that does not take it is not waited for. */
static bool say(struct vm_client *c)
{
	ssize_t n = c->out.failed ? -1 : send(c->w.fd, c->out.data, c->out.size,
					      MSG_NOSIGNAL | MSG_DONTWAIT);
	bool good = n == (ssize_t)c->out.size;

	wire_free(&c->out);
	return good;
}

static void finish(struct vm_client *c)
{
	say(c);
	shutdown(c->w.fd, SHUT_WR);
	forget(c);
}

static void refuse(struct vm_client *c, enum wire_error code, const char *what)
{
	error_frame(&c->out, code, 0, what, NULL, NULL);
	finish(c);
}

static void hello(struct vm_client *c)
{
	static const char *const can[] = {"exec", "terminal", "files", "connect", "logs", "attach",
		"pause", "audit", "isolation=hardware"};

	wire_begin(&c->out, WIRE_HELLO);
	wire_text(&c->out, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&c->out, WIRE_F_VERSION, WIRE_VERSION);
	wire_text(&c->out, WIRE_F_BOX, c->vm->spec->box);
	wire_text(&c->out, WIRE_F_KIND, "microvm");
	for (size_t i = 0; i < sizeof(can) / sizeof(*can); i++)
		wire_text(&c->out, WIRE_F_CAPABILITY, can[i]);
	wire_end(&c->out);
}

/* ---- What is about the machine ---- */

static void info(struct vm_client *c)
{
	struct vm *vm = c->vm;
	struct cgroup_use use = {0};
	struct wire_out *o = &c->out;

	if (vm->cgroup)
		cgroup_use(vm->cgroup, &use);
	wire_begin(o, WIRE_OK);
	wire_text(o, WIRE_F_BOX, vm->spec->box);
	wire_text(o, WIRE_F_KIND, "microvm");
	wire_u32(o, WIRE_F_PID, (uint32_t)getpid());
	wire_u64(o, WIRE_F_STARTED_AT, vm->started_at);
	wire_u8(o, WIRE_F_STATE, vm->stopping ? 2 : vm->paused);
	if (use.has_peak)
		wire_u64(o, WIRE_F_PEAK, use.peak);
	if (use.has_cpu) {
		wire_u64(o, WIRE_F_USER, use.user_ns);
		wire_u64(o, WIRE_F_SYSTEM, use.system_ns);
	}
	report_write(vm->report, o);
	wire_end(o);
	finish(c);
}

static void give_order(struct vm_client *c)
{
	timer_stop(&c->vm->loop, &c->late);
	watch_close(&c->vm->loop, &c->synced);
	if (!vm_order(c->vm, c->order, c))
		refuse(c, WIRE_ERROR_SYSTEM, "the machine takes no orders");
}

/* The box in there goes on, if it was frozen at all; the machine was never stopped. */
static void not_asleep(struct vm_client *c)
{
	vm_order(c->vm, VM_RESUME, NULL);
	c->holds = false;
	refuse(c, WIRE_ERROR_STATE, "the machine does not sleep, so its memory cannot be kept");
}

static void synced(void *owner, uint32_t events)
{
	struct vm_client *c = owner;
	uint8_t byte;

	(void)events;
	if (c->memory && recv(c->synced.fd, &byte, 1, MSG_DONTWAIT) != 1)
		not_asleep(c);
	else
		give_order(c);
}

static void not_synced(void *owner)
{
	struct vm_client *c = owner;

	if (c->memory)
		not_asleep(c);
	else
		give_order(c);
}

/* What is paused may be copied: first all that was written goes to the disks. A guest that hangs is paused, too. */
static bool sync_first(struct vm_client *c)
{
	struct vm *vm = c->vm;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return false;
	c->synced = (struct watch){.fd = pair[0], .ready = synced, .owner = c};
	if (!link_join(&vm->link, pair[1], c->memory ? MUX_SLEEP : MUX_SYNC, 0) || !watch_want(&vm->loop, &c->synced, EPOLLIN)) {
		watch_close(&vm->loop, &c->synced);
		return false;
	}
	link_flush(&vm->link);
	vm->asleep = vm->asleep || c->memory;
	if (c->memory)
		link_hush(&vm->link);
	c->late = (struct timer){.fire = not_synced, .owner = c};
	timer_set(&vm->loop, &c->late, now_mono() + (c->memory ? SLEEP_MARGIN : MARGIN));
	return true;
}

static void order(struct vm_client *c, enum vm_order what)
{
	c->order = what;
	if (c->memory && (c->vm->paused || c->vm->asleep)) {
		c->holds = false;
		refuse(c, WIRE_ERROR_STATE, c->vm->asleep ? "a snapshot of its memory is being taken: try again" :
		       "the box is paused: resume it first");
		return;
	}
	watch_want(&c->vm->loop, &c->w, 0);
	if (c->memory && !sync_first(c)) {
		c->holds = false;
		refuse(c, WIRE_ERROR_SYSTEM, "the machine cannot be put to sleep");
		return;
	}
	if (c->memory)
		return;
	if (what != VM_PAUSE || c->vm->paused || !sync_first(c))
		give_order(c);
}

static void answer_held(struct vm_client *c)
{
	struct vm *vm = c->vm;

	wire_begin(&c->out, WIRE_OK);
	wire_end(&c->out);
	if (!c->holds)
		finish(c);
	else if (!say(c) || !watch_want(&vm->loop, &c->w, EPOLLIN))
		forget(c);
}

void vm_client_ordered(struct vm_client *c, bool done)
{
	struct vm *vm = c->vm;

	if (!done) {
		if (c->memory)
			vm_order(vm, VM_RESUME, NULL);	/* what sleeps in it wakes */
		c->holds = false;
		refuse(c, WIRE_ERROR_SYSTEM, "the machine does not do that");
		return;
	}
	c->holds = c->holds && !vm->paused;
	vm->paused = c->order == VM_PAUSE;
	if (!c->memory)
		answer_held(c);
	else if (!vm_memory_save(vm, c))
		refuse(c, WIRE_ERROR_SYSTEM, "the machine takes no orders");
}

void vm_client_saved(struct vm_client *c, bool done)
{
	if (done)
		answer_held(c);
	else
		refuse(c, WIRE_ERROR_SYSTEM, "the machine's memory cannot be written");
}

/* ---- The guest's frames ---- */

static void keep_stopper(struct vm *vm, struct bridge *b)
{
	if (vm->stopper_count < VM_STOPPERS && !((struct vm_client *)b->owner)->kept)
		vm->stoppers[vm->stopper_count++] = fcntl(b->w.fd, F_DUPFD_CLOEXEC, 3);
	((struct vm_client *)b->owner)->kept = true;
}

size_t vm_stoppers(struct vm *vm, int fds[VM_STOPPERS])
{
	for (struct vm_client *c = vm->clients; c; c = c->next)
		if (c->bridge && c->request == WIRE_STOP) {
			c->bridge->shut = true;
			keep_stopper(vm, c->bridge);
		}
	memcpy(fds, vm->stoppers, sizeof(vm->stoppers));
	return vm->stopper_count;
}

static void took_head(struct vm_client *c, struct bridge *b)
{
	c->left = c->head[0] | (size_t)c->head[1] << 8 | (size_t)c->head[2] << 16 |
		(size_t)c->head[3] << 24;
	c->have = 0;
	if (!c->left || c->left > WIRE_FRAME_MAX) {
		c->left = SIZE_MAX;
		return;
	}
	c->left--;
	/* we have greeted: its own words of that kind are no client's business */
	c->drop = c->head[4] == WIRE_HELLO;
	/* a stop is over when the machine has ended, and what was around it */
	if (c->request == WIRE_STOP && c->head[4] == WIRE_OK) {
		c->drop = b->shut = true;
		keep_stopper(c->vm, b);
	}
	c->started_size = 0;
	if (c->head[4] == WIRE_END || c->head[4] == WIRE_OK || c->head[4] == WIRE_ERROR)
		c->end = c->head[4] == WIRE_END || c->request != WIRE_EXEC;
	if (!c->drop && !bridge_put(b, c->head, sizeof(c->head)))
		c->left = SIZE_MAX;
}

static void took_started(struct vm_client *c)
{
	struct wire_frame f = {.type = WIRE_STARTED, .body = c->started, .size = c->started_size};
	struct wire_field_in name;

	if (wire_whole(wire_fields(&f)) && wire_find(wire_fields(&f), WIRE_F_PROC, &name) &&
	    name.size < NAME_MOST && !memchr(name.data, 0, name.size))
		memcpy(c->proc, name.data, name.size);
}

static bool look(struct bridge *b, const uint8_t *data, size_t size)
{
	struct vm_client *c = b->owner;
	size_t dropped = 0;

	while (size) {
		size_t n;

		if (c->have < sizeof(c->head) && !c->left) {
			c->head[c->have++] = *data++;
			size--;
			if (c->have == sizeof(c->head))
				took_head(c, b);
			if (c->left == SIZE_MAX)
				return false;
			continue;
		}
		n = size < c->left ? size : c->left;
		if (c->head[4] == WIRE_STARTED && c->started_size + n <= sizeof(c->started)) {
			memcpy(c->started + c->started_size, data, n);
			c->started_size += n;
			if (n == c->left)
				took_started(c);
		}
		if (c->drop)
			dropped += n + 5;
		else if (!bridge_put(b, data, n))
			return false;
		c->left -= n;
		data += n;
		size -= n;
	}
	if (dropped && b->c)
		mux_taken(b->c, dropped);
	return true;
}

static void gone(struct bridge *b)
{
	struct vm_client *c = b->owner;

	c->bridge = NULL;
	forget(c);
}

/* ---- Deadlines ---- */

static void put_late(const struct vm_client *c, struct wire_out *o)
{
	uint64_t now = now_real();

	wire_begin(o, WIRE_END);
	wire_text(o, WIRE_F_PROC, c->proc);
	wire_u8(o, WIRE_F_REASON, WIRE_BY_TIMEOUT);
	wire_u32(o, WIRE_F_STATUS, 128 + SIGKILL);
	wire_u32(o, WIRE_F_SIGNAL, SIGKILL);
	wire_text(o, WIRE_F_LIMIT, "deadline");
	wire_u64(o, WIRE_F_WALL, now - c->began);
	wire_u64(o, WIRE_F_STARTED_AT, c->began);
	wire_u64(o, WIRE_F_ENDED_AT, now);
	wire_text(o, WIRE_F_TEXT, "the machine does not answer; its keeper kept the deadline");
	wire_end(o);
}

/* The guest should have said something by now. */
static void late(void *owner)
{
	struct vm_client *c = owner;
	struct wire_out o = {0};

	if (c->request == WIRE_STOP) {
		if (c->vm->pid > 0)
			kill(c->vm->pid, SIGKILL);
		return;
	}
	if (!c->bridge || c->end)
		return;
	if (c->left || c->have) {
		bridge_free(c->bridge);
		return;
	}
	if (c->request == WIRE_EXEC && *c->proc)
		put_late(c, &o);
	else
		error_frame(&o, WIRE_ERROR_TIMEOUT, 0, "the machine does not answer", NULL, NULL);
	if (!o.failed)
		bridge_put(c->bridge, o.data, o.size);
	wire_free(&o);
	bridge_cut(c->bridge);
}

/* How long the guest may take, by the client's own words. */
static void set_late(struct vm_client *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	bool bad = !wire_whole(it);
	uint64_t deadline, grace, most = MARGIN;

	if (bad || (f->type != WIRE_EXEC && f->type != WIRE_WAIT && f->type != WIRE_STOP))
		return;
	deadline = wire_number(it, WIRE_F_DEADLINE, 0, &bad);
	grace = f->type == WIRE_WAIT ? 0 : wire_number(it, WIRE_F_GRACE, 0, &bad);
	if (f->type == WIRE_STOP)
		most = STOP_MARGIN;
	else if (!deadline)
		return;
	/* sums that do not fit are for ever */
	if (bad || deadline > UINT64_MAX / 4 || grace > UINT64_MAX / 4)
		return;
	timer_set(&c->vm->loop, &c->late, time_after(deadline + grace + most));
}

/* ---- To the guest ---- */

static void join(struct vm_client *c, const struct wire_frame *f)
{
	struct vm *vm = c->vm;
	struct wire_out o = {0};
	struct bridge *b;
	uint8_t head[5] = {(uint8_t)(f->size + 1), (uint8_t)((f->size + 1) >> 8),
		(uint8_t)((f->size + 1) >> 16), (uint8_t)((f->size + 1) >> 24), (uint8_t)f->type};
	int fd = c->w.fd;

	conn_hello(NULL, &o);
	wire_raw(&o, head, sizeof(head));
	wire_raw(&o, f->body, f->size);
	wire_raw(&o, c->in.data + c->in.start, c->in.size - c->in.start);
	watch_want(&vm->loop, &c->w, 0);
	c->w.fd = -1;
	b = o.failed ? NULL : link_join(&vm->link, fd, MUX_SERVER, 0);
	if (!b) {
		if (o.failed)
			close(fd);
		wire_free(&o);
		forget(c);
		return;
	}
	b->look = look;
	b->gone = gone;
	b->owner = c;
	c->bridge = b;
	c->began = now_real();
	set_late(c, f);
	wire_in_free(&c->in);
	c->in = (struct wire_in){0};
	if (!bridge_first(b, o.data, o.size))
		bridge_free(b);
	wire_free(&o);
}

static void request(struct vm_client *c, const struct wire_frame *f)
{
	struct vm *vm = c->vm;
	bool bad = false;

	c->request = f->type;
	c->holds = f->type == WIRE_PAUSE && wire_whole(wire_fields(f)) &&
		wire_number(wire_fields(f), WIRE_F_HOLD, 0, &bad) && !bad;
	c->memory = c->holds && wire_number(wire_fields(f), WIRE_F_MEMORY, 0, &bad) && !bad;
	if (f->type == WIRE_INFO) {
		info(c);
	} else if (f->type == WIRE_PAUSE || f->type == WIRE_RESUME) {
		if (f->type == WIRE_RESUME)
			vm_memory_cancel(vm);
		order(c, f->type == WIRE_PAUSE ? VM_PAUSE : VM_RESUME);
	} else if (vm->paused && f->type != WIRE_STOP) {
		refuse(c, WIRE_ERROR_STATE, vm->asleep ? "a snapshot of its memory is being taken: try again" :
		       "the box is paused: resume it first");
	} else {
		if (f->type == WIRE_STOP) {
			vm_memory_cancel(vm);
			vm->stopping = true;
			if (vm->paused)
				vm_order(vm, VM_RESUME, NULL);
			vm->paused = false;
		}
		join(c, f);
	}
}

/* False: the client is gone, or another's. */
static bool frame(struct vm_client *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in magic;
	bool bad = false;

	if (c->greeted && f->type == WIRE_ALIVE)
		return true;
	if (c->greeted) {
		request(c, f);
		return false;
	}
	if (f->type != WIRE_HELLO || !wire_whole(it) || !wire_find(it, WIRE_F_MAGIC, &magic) ||
	    magic.size != strlen(WIRE_MAGIC) || memcmp(magic.data, WIRE_MAGIC, magic.size) ||
	    wire_number(it, WIRE_F_VERSION, 0, &bad) != WIRE_VERSION) {
		refuse(c, WIRE_ERROR_PROTOCOL, "this is not a client of tinybox, or of another version");
		return false;
	}
	c->greeted = true;
	return true;
}

static void client_ready(void *owner, uint32_t events)
{
	struct vm_client *c = owner;
	uint8_t *to = wire_room(&c->in, 4096);
	ssize_t n = to ? recv(c->w.fd, to, 4096, MSG_DONTWAIT) : 0;
	struct wire_frame f;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		forget(c);
		return;
	}
	wire_got(&c->in, (size_t)n);
	/* it holds the machine, and has nothing more to say but that it lives */
	while (c->holds && wire_next(&c->in, &f) && f.type == WIRE_ALIVE)
		;
	while (!c->holds && wire_next(&c->in, &f))
		if (!frame(c, &f))
			return;
	if (c->in.error)
		refuse(c, WIRE_ERROR_PROTOCOL, c->in.error);
}

void vm_accept(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	int fd = accept4(vm->listen.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct vm_client *c = fd < 0 ? NULL : calloc(1, sizeof(*c));

	(void)events;
	if (!c) {
		if (fd >= 0)
			close(fd);
		return;
	}
	*c = (struct vm_client){.vm = vm, .next = vm->clients,
		.synced = {.fd = -1},
		.w = {.fd = fd, .ready = client_ready, .owner = c}, .late = {.fire = late, .owner = c}};
	vm->clients = c;
	vm->client_count++;
	hello(c);
	if (vm->client_count > CLIENTS_MOST)
		refuse(c, WIRE_ERROR_BUSY, "the box has too many connections");
	else if (!say(c) || !watch_want(&vm->loop, &c->w, EPOLLIN))
		forget(c);
	else
		client_ready(c, EPOLLIN);
}
