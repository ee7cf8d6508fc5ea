/* Shared by the files of vm.h. */
#ifndef INIT_VM_IN_H
#define INIT_VM_IN_H

#include "init/cgroup.h"
#include "init/link.h"
#include "init/text.h"
#include "init/vm.h"
#include "init/wall.h"
#include "wire/chain.h"
#include "wire/wire.h"

#define VM_DIR "vm"			/* in the state directory: the disks, the console */
#define VM_MEMORY (256u << 20)		/* of a machine, when none is asked for */
#define VM_KERNEL_MEMORY (96u << 20)	/* above what is asked for: the guest's kernel's own */
#define VM_DISK (8ull << 30)		/* of the box's disk, when none is asked for; it is sparse */
#define VM_LINE 8192			/* of the monitor */

/* What the program that runs machines is given. -1: not there. */
struct vm_files {
	int initrd, image, state, work;
	int memory;			/* of a snapshot, to be restored; -1: it boots */
	int mux, monitor, console;	/* sockets */
};

/* A way to run a machine: one row for each program. */
struct vm_engine {
	const char *name, *program;
	/* Its words, NULL-ended: room for VM_WORDS of them, texts in *t. */
	void (*words)(const struct vm_engine *e, const struct spec *spec, const struct vm_files *f,
		      bool kvm, struct text *t, char **argv);
};
#define VM_WORDS 80

enum vm_order { VM_HELLO, VM_PAUSE, VM_RESUME };
#define VM_ORDERS 64			/* that wait for their answers */

struct vm {
	const struct spec *spec;
	struct report *report;
	int dir, procs, here;		/* the state directory, its records, VM_DIR */
	const char *kernel;		/* the directory */
	const struct vm_engine *engine;
	struct spec machine;		/* what the wall around the machine is asked for */
	struct report machine_report;
	struct cgroup *cgroup;
	struct wall *wall;
	struct vm_files files;
	bool kvm;
	struct text node;		/* the path of /dev/kvm's */
	pid_t pid;			/* of the machine; 0: none */
	struct loop loop;
	struct link link;
	struct watch listen, signals, monitor, console, start;
	struct wire_in start_in;	/* what the guest's `serve` answers */
	struct timer boot, removed;
	uint64_t console_size;
	int console_file;
	char line[VM_LINE];		/* the monitor's, not whole yet */
	size_t line_size;
	struct vm_client *orders[VM_ORDERS];
	bool memory_order[VM_ORDERS];	/* it is about the memory (vm_memory.c) */
	struct vm_client *saver;	/* the memory is being written for it */
	struct watch woken;		/* a restored guest answers when its box goes on */
	struct text line_text;		/* what a machine must be for our memory, and what that of the snapshot was of */
	char saved_line[256];
	bool restored, asleep;		/* the box in there is frozen, and the link quiet */
	size_t order_count;
	struct watch ports, egress;
	void (*egress_ready)(void *ctx);
	void *egress_ctx;
	struct records *records;	/* NULL: the guest tells none */
	struct chain *audit;
	struct vm_client *clients;
	size_t client_count;
	int stoppers[VM_STOPPERS];	/* clients that wait for the end */
	size_t stopper_count;
	bool paused, spoke, stands, stopping, bye, failed;
	uint64_t started_at;
	const char *why;		/* it failed */
	char *why_text;			/* what was said about that, made plain; NULL */
};

/* Ends the loop. */
void vm_fail(struct vm *vm, const char *why);
/* To the monitor; vm_client_ordered() is called with its answer, unless nobody (NULL) waits for it. */
bool vm_order(struct vm *vm, enum vm_order order, struct vm_client *c);
void vm_order_forget(struct vm *vm, const struct vm_client *c);
/* Other words, perhaps with a descriptor (-1: none), whose answer vm_memory.c hears. */
bool vm_order_memory(struct vm *vm, const char *words, int fd);

/*
 * vm_memory.c: a paused machine's memory goes to VM_DIR/memory, for the client, which hears of the end by
 * vm_client_saved(). False: it takes no orders.
 */
bool vm_memory_save(struct vm *vm, struct vm_client *c);
void vm_memory_forget(struct vm *vm, const struct vm_client *c);
void vm_memory_cancel(struct vm *vm);	/* whoever waits for it hears that it failed, and the machine goes on */
bool vm_memory_restore(struct vm *vm);	/* files.memory, right after the start */
void vm_memory_answer(struct vm *vm, bool good);
void vm_memory_event(struct vm *vm, const char *line);
/*
 * files.memory, if the snapshot's part (a directory) has one. fits: it is of such a machine; before, only its kind of
 * acceleration becomes ours. False: vm->why.
 */
bool vm_memory_open(struct vm *vm, int part);
bool vm_memory_fits(struct vm *vm);

/* vm_stage.c. False: vm->why, errno. */
/* vm_disk.c: a file system on that file of VM_DIR, with what is in the directory (NULL: nothing). */
bool vm_make_fs(struct vm *vm, const char *name, const char *from);
bool vm_stage(struct vm *vm);		/* the disks and the first root */
void vm_machine_ends(struct vm *vm);	/* the machine has its ends of the sockets: ours are closed */
void vm_unstage(struct vm *vm);		/* and its files */

/* vm_qemu.c */
extern const struct vm_engine vm_engines[];
const struct vm_engine *vm_engine(void);	/* the first that is installed; NULL */
/* Whether a machine with a processor can be made; whether a kernel runs in it only its boot shows. */
bool vm_kvm_works(void);
/* What its boot had shown since this host started, in the directory of the boxes. */
bool vm_kvm_remembered(const struct vm *vm);
void vm_kvm_remember(const struct vm *vm);	/* that it does not */
uint64_t vm_tsc_khz(void);

/* vm_report.c: what is enforced, and by what; the controls' names, NULL-ended. */
void vm_tell(struct vm *vm);
extern const char *const vm_controls[];

/* vm_client.c */
void vm_accept(void *vm, uint32_t events);
void vm_clients_end(struct vm *vm);
void vm_client_ordered(struct vm_client *c, bool done);
void vm_client_saved(struct vm_client *c, bool done);

/* vm_net.c: a connection to the proxy; -1. */
int vm_net_connect(struct vm *vm);
void vm_net_close(struct vm *vm);

/* vm_records.c: a socket for what the guest tells of its records; -1. */
int vm_records_open(struct vm *vm);
void vm_records_close(struct vm *vm);
uint64_t vm_records_next(const struct vm *vm);	/* the number that no process had yet */

#endif
