/*
 * Process 1 of a micro-VM's guest (docs/adr/0012). What the keeper outside must know of it.
 */
#ifndef INIT_GUEST_H
#define INIT_GUEST_H

/* Places in the guest. */
#define GUEST_IMAGE "/image"		/* the image's disk */
#define GUEST_WORK "/work"		/* the workspace's, when there is one */
#define GUEST_RELAY "/run/egress"	/* where connections to the proxy go */
#define GUEST_DIR "/state/box"		/* the server's state directory, on the disk of that name */

_Noreturn void guest_main(void);

#endif
