/*
 * File modes as chmod, mkdir -m, install -m read them: octal, or clauses like
 * "u+rwX,go=u-w". Compiled once, applied to many files.
 */
#ifndef CMD_MODE_H
#define CMD_MODE_H

#include <stdbool.h>
#include <stdint.h>

struct tsb_proc;
struct mode_change;

enum { MODE_BITS = 07777 };

/* NULL: no mode. */
struct mode_change *mode_compile(struct tsb_proc *p, const char *text);
/* The change that makes a mode equal to that of a reference file. */
struct mode_change *mode_from_reference(struct tsb_proc *p, uint32_t mode);
/*
 * The permission bits after the change. umask counts where a clause names
 * nobody. *touched (may be NULL): the bits the change speaks of.
 */
uint32_t mode_apply(const struct mode_change *m, uint32_t old, bool is_dir, uint32_t umask,
		    uint32_t *touched);

#endif
