/*
 * A micro-VM's outside (docs/adr/0012): the keeper makes its disks, starts the machine behind the
 * namespace wall, relays the box's clients to the server in the guest, keeps the deadlines and the
 * records, and believes nothing that the guest says.
 */
#ifndef INIT_VM_H
#define INIT_VM_H

#include "init/report.h"
#include "init/spec.h"
#include "wire/chain.h"

struct vm;

/* The listening socket is the box's. NULL: *why, errno. What is enforced is in the report then. */
struct vm *vm_open(const struct spec *spec, struct report *r, int dir, int procs, int listen,
		   struct chain *audit, const char **why);
/* Starts the machine and the server in it; the report is made anew. False: vm_why(). */
bool vm_start(struct vm *vm);
/* vm_stage.c: the disks of the box in that state directory, into another directory. memory: also what
 * WIRE_PAUSE wrote of it, which is moved. False: errno. */
bool vm_disks_copy(int box, int to, bool memory);
/* vm_kernel.c: the kernel directory that is installed; NULL: none. */
const char *vm_kernel(void);
/* What went wrong; *words: what a program or the guest said about it, or NULL. */
const char *vm_why(const struct vm *vm, const char **words);
/*
 * vm_net.c, for egress.h: a socket on which connections to the proxy come from the guest, and the
 * keeper's end of a channel that asks for connections to ports inside. -1: errno.
 */
int vm_listener(struct vm *vm);
int vm_ports(struct vm *vm);
/* Calls ready(ctx) when the descriptor is, while vm_keep() runs. */
bool vm_watch(struct vm *vm, int fd, void (*ready)(void *ctx), void *ctx);
int vm_keep(struct vm *vm);		/* until it has ended; the exit status */
/* Sockets of those who asked for the end and wait for OK, the caller's from then on; how many. */
#define VM_STOPPERS 8
size_t vm_stoppers(struct vm *vm, int fds[VM_STOPPERS]);
void vm_close(struct vm *vm);

#endif
