/*
 * A terminal for commands that paint a whole screen: less, more, watch, top. Bytes
 * are read as they are typed, signals are heard (an interrupt, a new size, Ctrl-Z),
 * and what is painted goes out in one write. Sequences are those of xterm, which is
 * what every terminal of today understands.
 */
#ifndef CMD_VDU_H
#define CMD_VDU_H

#include <tinysandbox/command.h>

#include "base/str.h"

enum { VDU_END = -1, VDU_INTERRUPT = -2, VDU_RESIZED = -3, VDU_LATE = -4 };

/* Keys that are sequences, beyond the bytes. */
enum { VDU_UP = 256, VDU_DOWN, VDU_LEFT, VDU_RIGHT, VDU_HOME, VDU_KEY_END, VDU_PAGE_UP,
       VDU_PAGE_DOWN, VDU_DELETE, VDU_INSERT, VDU_F1, VDU_OTHER };

struct vdu {
	struct tsb_proc *p;
	int in;			/* where keys come from */
	int fd;			/* where the screen is */
	int rows, columns;
	struct str out;
	bool alternate;		/* another screen while it lasts */
	bool begun;
	int again[64];		/* keys that are to be read once more, the next one last */
	size_t n_again;
};

/* Keys come from /dev/tty, or descriptor 2 where that is none. fd: usually 1. */
void vdu_init(struct vdu *t, struct tsb_proc *p, int fd);
bool vdu_good(struct vdu *t);		/* there is one, and TERM is not one that cannot do it */
void vdu_begin(struct vdu *t);	/* settings, signals, the other screen */
void vdu_alternate(struct vdu *t);	/* the other screen, if it began without */
void vdu_end(struct vdu *t);		/* all as it was; the caller has left the cursor well */
void vdu_size(struct vdu *t);
void vdu_flush(struct vdu *t);
void vdu_go(struct vdu *t, int row, int column);	/* from 0 */
/* The next byte; timeout_ns < 0: for ever. */
int vdu_byte(struct vdu *t, int64_t timeout_ns);
/* The next key: a byte, or one of the above. */
int vdu_key(struct vdu *t, int64_t timeout_ns);
void vdu_unkey(struct vdu *t, int key);
/* An interrupt or the like has come: which; 0: none. For work between keys. */
int vdu_signal(struct vdu *t);

#endif
