/*
 * Process 1 of a micro-VM's guest (docs/adr/0012). What the keeper outside must know of it.
 */
#ifndef INIT_GUEST_H
#define INIT_GUEST_H

/* Places in the guest. */
#define GUEST_IMAGE "/image"		/* the image's disk */
#define GUEST_WORK "/work"		/* the workspace's, when there is one */
#define GUEST_RELAY "/run/egress"	/* where connections to the proxy go */
#define GUEST_DIR_ON_DISK "/box"
#define GUEST_DIR "/state" GUEST_DIR_ON_DISK	/* the server's state directory, on the disk of that name */

_Noreturn void guest_main(void);

/*
 * guest_again.c: work of children, each on a channel (mux.h). A byte is the answer, but for START's.
 */
void guest_wake(int fd);		/* MUX_WAKE */
void guest_sync(int fd);		/* MUX_SYNC */
void guest_sleep(int fd);		/* MUX_SLEEP */
/* START of a keeper who finds the server running: the box gets its new name. OK, or ERROR. */
void guest_rename(int fd);

#endif
