/* The settings of stty: their names, and how they are shown. */
#ifndef CMD_STTY_H
#define CMD_STTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

enum stty_part { STTY_CONTROL, STTY_INPUT, STTY_OUTPUT, STTY_LOCAL };
enum {
	STTY_SANE_SET = 1, STTY_SANE_UNSET = 2,
	STTY_REV = 4,		/* a dash may stand before it */
	STTY_OMIT = 8		/* an alias: not shown */
};
struct stty_mode {
	const char *name;
	enum stty_part part;
	unsigned flags;
	uint32_t bits, mask;	/* mask 0: the bits */
};
extern const struct stty_mode stty_modes[];	/* name NULL ends it */

struct stty_char {
	const char *name;
	int at;
	uint8_t sane;
	bool alias;
};
extern const struct stty_char stty_chars[];	/* min and time are the last */

/* Of both directions. False: there is none such. */
bool stty_set_speed(struct tsb_termios *t, const char *text);
void stty_speed_of_flags(struct tsb_termios *t);
uint32_t *stty_word(struct tsb_termios *t, enum stty_part part);
/* A setting of several ("raw", "-evenp", ...). False: none of them. */
bool stty_combine(struct tsb_termios *t, const char *name, bool off);

enum stty_style { STTY_CHANGED, STTY_ALL, STTY_SAVED };
void stty_print(struct tsb_proc *p, const struct tsb_termios *t, const struct tsb_winsize *size,
		enum stty_style style);
bool stty_restore(struct tsb_termios *t, const char *saved);	/* what STTY_SAVED printed */

#endif
