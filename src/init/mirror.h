/*
 * What the guest's server writes into its records, logs and audit log, told to the keeper as it is
 * written: process 1 of the guest follows the files and says what was added.
 *
 *	word	u8 what | u8 size of the name | u16 0 | u32 size of the bytes | name | bytes
 *
 * Names are "audit", "records" and those of logs, "pN.log". TURN: what the file has becomes the old
 * one, NAME.1, and the file is empty.
 */
#ifndef INIT_MIRROR_H
#define INIT_MIRROR_H

#include "init/loop.h"

enum mirror_what { MIRROR_ADD = 1, MIRROR_TURN, MIRROR_NEW };

#define MIRROR_HEAD 8u
#define MIRROR_NAME 40u
#define MIRROR_MOST (32u << 10)		/* bytes of one word */

struct mirror;

/* In the guest: the state directory's files, to the socket, which is taken. NULL: errno. */
struct mirror *mirror_open(struct loop *loop, const char *dir, int fd);
/*
 * The same for another keeper, who has nothing: the records are told from their beginning, the audit log from here
 * on. The old one is gone.
 */
struct mirror *mirror_again(struct mirror *m, const char *dir, int fd);
/* All of it, when nothing is written any more. True: it was told, and m is gone; false: once more. */
bool mirror_finish(struct mirror *m);

#endif
