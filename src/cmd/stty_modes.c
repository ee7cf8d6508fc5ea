/* What stty knows of a terminal: switches, characters, and the words that set several. */
#include "cmd/stty.h"

#include <string.h>
#include <termios.h>

#include "base/num.h"

#define SET (STTY_SANE_SET | STTY_REV)
#define UNSET (STTY_SANE_UNSET | STTY_REV)
#define ALIAS (STTY_REV | STTY_OMIT)

const struct stty_mode stty_modes[] = {
	{ "parenb", STTY_CONTROL, STTY_REV, PARENB, 0 }, { "parodd", STTY_CONTROL, STTY_REV, PARODD, 0 },
	{ "cmspar", STTY_CONTROL, STTY_REV, 010000000000u, 0 },
	{ "cs5", STTY_CONTROL, 0, CS5, CSIZE }, { "cs6", STTY_CONTROL, 0, CS6, CSIZE },
	{ "cs7", STTY_CONTROL, 0, CS7, CSIZE }, { "cs8", STTY_CONTROL, 0, CS8, CSIZE },
	{ "hupcl", STTY_CONTROL, STTY_REV, HUPCL, 0 }, { "hup", STTY_CONTROL, ALIAS, HUPCL, 0 },
	{ "cstopb", STTY_CONTROL, STTY_REV, CSTOPB, 0 }, { "cread", STTY_CONTROL, SET, CREAD, 0 },
	{ "clocal", STTY_CONTROL, STTY_REV, CLOCAL, 0 },
	{ "crtscts", STTY_CONTROL, STTY_REV, 020000000000u, 0 },

	{ "ignbrk", STTY_INPUT, UNSET, IGNBRK, 0 }, { "brkint", STTY_INPUT, SET, BRKINT, 0 },
	{ "ignpar", STTY_INPUT, STTY_REV, IGNPAR, 0 }, { "parmrk", STTY_INPUT, STTY_REV, PARMRK, 0 },
	{ "inpck", STTY_INPUT, STTY_REV, INPCK, 0 }, { "istrip", STTY_INPUT, STTY_REV, ISTRIP, 0 },
	{ "inlcr", STTY_INPUT, UNSET, INLCR, 0 }, { "igncr", STTY_INPUT, UNSET, IGNCR, 0 },
	{ "icrnl", STTY_INPUT, SET, ICRNL, 0 }, { "ixon", STTY_INPUT, STTY_REV, IXON, 0 },
	{ "ixoff", STTY_INPUT, UNSET, IXOFF, 0 }, { "tandem", STTY_INPUT, ALIAS, IXOFF, 0 },
	{ "iuclc", STTY_INPUT, UNSET, IUCLC, 0 }, { "ixany", STTY_INPUT, UNSET, IXANY, 0 },
	{ "imaxbel", STTY_INPUT, SET, IMAXBEL, 0 }, { "iutf8", STTY_INPUT, UNSET, IUTF8, 0 },

	{ "opost", STTY_OUTPUT, SET, OPOST, 0 }, { "olcuc", STTY_OUTPUT, UNSET, OLCUC, 0 },
	{ "ocrnl", STTY_OUTPUT, UNSET, OCRNL, 0 }, { "onlcr", STTY_OUTPUT, SET, ONLCR, 0 },
	{ "onocr", STTY_OUTPUT, UNSET, ONOCR, 0 }, { "onlret", STTY_OUTPUT, UNSET, ONLRET, 0 },
	{ "ofill", STTY_OUTPUT, UNSET, OFILL, 0 }, { "ofdel", STTY_OUTPUT, UNSET, OFDEL, 0 },
	{ "nl1", STTY_OUTPUT, STTY_SANE_UNSET, NL1, NLDLY },
	{ "nl0", STTY_OUTPUT, STTY_SANE_SET, NL0, NLDLY },
	{ "cr3", STTY_OUTPUT, STTY_SANE_UNSET, CR3, CRDLY },
	{ "cr2", STTY_OUTPUT, STTY_SANE_UNSET, CR2, CRDLY },
	{ "cr1", STTY_OUTPUT, STTY_SANE_UNSET, CR1, CRDLY },
	{ "cr0", STTY_OUTPUT, STTY_SANE_SET, CR0, CRDLY },
	{ "tab3", STTY_OUTPUT, STTY_SANE_UNSET, TAB3, TABDLY },
	{ "tab2", STTY_OUTPUT, STTY_SANE_UNSET, TAB2, TABDLY },
	{ "tab1", STTY_OUTPUT, STTY_SANE_UNSET, TAB1, TABDLY },
	{ "tab0", STTY_OUTPUT, STTY_SANE_SET, TAB0, TABDLY },
	{ "bs1", STTY_OUTPUT, STTY_SANE_UNSET, BS1, BSDLY },
	{ "bs0", STTY_OUTPUT, STTY_SANE_SET, BS0, BSDLY },
	{ "vt1", STTY_OUTPUT, STTY_SANE_UNSET, VT1, VTDLY },
	{ "vt0", STTY_OUTPUT, STTY_SANE_SET, VT0, VTDLY },
	{ "ff1", STTY_OUTPUT, STTY_SANE_UNSET, FF1, FFDLY },
	{ "ff0", STTY_OUTPUT, STTY_SANE_SET, FF0, FFDLY },

	{ "isig", STTY_LOCAL, SET, ISIG, 0 }, { "icanon", STTY_LOCAL, SET, ICANON, 0 },
	{ "iexten", STTY_LOCAL, SET, IEXTEN, 0 }, { "echo", STTY_LOCAL, SET, ECHO, 0 },
	{ "echoe", STTY_LOCAL, SET, ECHOE, 0 }, { "crterase", STTY_LOCAL, ALIAS, ECHOE, 0 },
	{ "echok", STTY_LOCAL, SET, ECHOK, 0 }, { "echonl", STTY_LOCAL, UNSET, ECHONL, 0 },
	{ "noflsh", STTY_LOCAL, UNSET, NOFLSH, 0 }, { "xcase", STTY_LOCAL, UNSET, 4, 0 },
	{ "tostop", STTY_LOCAL, UNSET, TOSTOP, 0 }, { "echoprt", STTY_LOCAL, UNSET, ECHOPRT, 0 },
	{ "prterase", STTY_LOCAL, ALIAS, ECHOPRT, 0 }, { "echoctl", STTY_LOCAL, SET, ECHOCTL, 0 },
	{ "ctlecho", STTY_LOCAL, ALIAS, ECHOCTL, 0 }, { "echoke", STTY_LOCAL, SET, ECHOKE, 0 },
	{ "crtkill", STTY_LOCAL, ALIAS, ECHOKE, 0 }, { "flusho", STTY_LOCAL, UNSET, FLUSHO, 0 },
	{ "extproc", STTY_LOCAL, UNSET, EXTPROC, 0 },
	{ NULL, STTY_LOCAL, 0, 0, 0 }
};

const struct stty_char stty_chars[] = {
	{ "intr", VINTR, 3, false }, { "quit", VQUIT, 28, false }, { "erase", VERASE, 127, false },
	{ "kill", VKILL, 21, false }, { "eof", VEOF, 4, false }, { "eol", VEOL, 0, false },
	{ "eol2", VEOL2, 0, false }, { "swtch", VSWTC, 0, false }, { "start", VSTART, 17, false },
	{ "stop", VSTOP, 19, false }, { "susp", VSUSP, 26, false }, { "rprnt", VREPRINT, 18, false },
	{ "werase", VWERASE, 23, false }, { "lnext", VLNEXT, 22, false },
	{ "flush", VDISCARD, 15, true }, { "discard", VDISCARD, 15, false },
	{ "min", VMIN, 1, false }, { "time", VTIME, 0, false },
	{ NULL, 0, 0, false }
};

uint32_t *stty_word(struct tsb_termios *t, enum stty_part part)
{
	return part == STTY_CONTROL ? &t->cflag : part == STTY_INPUT ? &t->iflag :
	       part == STTY_OUTPUT ? &t->oflag : &t->lflag;
}

static void stty_sane(struct tsb_termios *t)
{
	for (const struct stty_char *c = stty_chars; c->name; c++)
		t->cc[c->at] = c->sane;
	for (const struct stty_mode *m = stty_modes; m->name; m++) {
		uint32_t *word = stty_word(t, m->part), mask = m->mask ? m->mask : m->bits;

		if (m->flags & STTY_SANE_SET)
			*word = (*word & ~mask) | m->bits;
		else if (m->flags & STTY_SANE_UNSET)
			*word &= ~mask & ~m->bits;
	}
}

/* ---- Speeds: some bits of cflag are their number ---- */

enum { STTY_CBAUD = 010017, STTY_CBAUDEX = 010000 };

static const uint32_t stty_speeds[] = {
	0, 50, 75, 110, 134, 150, 200, 300, 600, 1200, 1800, 2400, 4800, 9600, 19200, 38400, 57600, 115200,
	230400, 460800, 500000, 576000, 921600, 1000000, 1152000, 1500000, 2000000, 2500000, 3000000,
	3500000, 4000000
};

static void stty_speed_is(struct tsb_termios *t, uint32_t i)
{
	uint32_t bits = i < 16 ? i : STTY_CBAUDEX | (i - 15);

	t->cflag = (t->cflag & ~(uint32_t)STTY_CBAUD) | bits;
	t->ispeed = t->ospeed = stty_speeds[i];
}

bool stty_set_speed(struct tsb_termios *t, const char *text)
{
	char digits[24];

	if (!strcmp(text, "exta") || !strcmp(text, "extb"))
		text = text[3] == 'a' ? "19200" : "38400";
	else if (!strcmp(text, "134.5"))
		text = "134";
	for (uint32_t i = 0; i < sizeof(stty_speeds) / sizeof(*stty_speeds); i++) {
		num_format_u64(digits, stty_speeds[i]);
		if (strcmp(text, digits))
			continue;
		stty_speed_is(t, i);
		return true;
	}
	return false;
}

void stty_speed_of_flags(struct tsb_termios *t)
{
	uint32_t i = t->cflag & STTY_CBAUDEX ? 15 + (t->cflag & 15) : t->cflag & 15;

	stty_speed_is(t, i);
}

/* ---- Words that set several ---- */

/* What is cleared and then set, in the four words, and the same with a dash. */
struct stty_words {
	const char *name;
	bool dash;
	struct { uint32_t clear, set; } on[4], off[4];
};

#define C7 PARENB | CS7
static const struct stty_words stty_combined[] = {
	{ "evenp", true, { { PARODD | CSIZE, C7 } }, { { PARENB | CSIZE, CS8 } } },
	{ "parity", true, { { PARODD | CSIZE, C7 } }, { { PARENB | CSIZE, CS8 } } },
	{ "oddp", true, { { CSIZE, C7 | PARODD } }, { { PARENB | CSIZE, CS8 } } },
	{ "nl", true, { { 0, 0 }, { ICRNL, 0 }, { ONLCR, 0 } },
	  { { 0, 0 }, { INLCR | IGNCR, ICRNL }, { OCRNL | ONLRET, ONLCR } } },
	{ "cbreak", true, { { 0, 0 }, { 0, 0 }, { 0, 0 }, { ICANON, 0 } },
	  { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, ICANON } } },
	{ "pass8", true, { { PARENB | CSIZE, CS8 }, { ISTRIP, 0 } }, { { CSIZE, C7 }, { 0, ISTRIP } } },
	{ "litout", true, { { PARENB | CSIZE, CS8 }, { ISTRIP, 0 }, { OPOST, 0 } },
	  { { CSIZE, C7 }, { 0, ISTRIP }, { 0, OPOST } } },
	{ "decctlq", true, { { 0, 0 }, { IXANY, 0 } }, { { 0, 0 }, { 0, IXANY } } },
	{ "tabs", true, { { 0, 0 }, { 0, 0 }, { TABDLY, TAB0 } }, { { 0, 0 }, { 0, 0 }, { TABDLY, TAB3 } } },
	{ "lcase", true, { { 0, 0 }, { 0, IUCLC }, { 0, OLCUC }, { 0, 4 } },
	  { { 0, 0 }, { IUCLC, 0 }, { OLCUC, 0 }, { 4, 0 } } },
	{ "crt", false, { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, ECHOE | ECHOCTL | ECHOKE } }, { { 0, 0 } } },
	{ "dec", false, { { 0, 0 }, { IXANY, 0 }, { 0, 0 }, { 0, ECHOE | ECHOCTL | ECHOKE } }, { { 0, 0 } } },
	{ "cooked", true, { { 0, 0 }, { 0, BRKINT | IGNPAR | ISTRIP | ICRNL | IXON }, { 0, OPOST },
			    { 0, ISIG | ICANON } },
	  { { 0, 0 }, { UINT32_MAX, 0 }, { OPOST, 0 }, { ISIG | ICANON | 4, 0 } } },
	{ "ek", false, { { 0, 0 } }, { { 0, 0 } } },
};

static void combine(struct tsb_termios *t, const struct stty_words *w, bool off)
{
	for (int i = 0; i < 4; i++) {
		uint32_t *word = stty_word(t, (enum stty_part)i);

		*word = (*word & ~(off ? w->off : w->on)[i].clear) | (off ? w->off : w->on)[i].set;
	}
	if (!strcmp(w->name, "cooked") && off) {
		t->cc[VMIN] = 1;
		t->cc[VTIME] = 0;
	} else if (!strcmp(w->name, "dec") || !strcmp(w->name, "ek")) {
		t->cc[VERASE] = 127;
		t->cc[VKILL] = 21;
	}
	if (!strcmp(w->name, "dec"))
		t->cc[VINTR] = 3;
}

bool stty_combine(struct tsb_termios *t, const char *name, bool off)
{
	if (!strcmp(name, "sane") && !off) {
		stty_sane(t);
		return true;
	}
	if (!strcmp(name, "raw")) {
		name = "cooked";
		off = !off;
	} else if (!strcmp(name, "LCASE")) {
		name = "lcase";
	}
	for (size_t i = 0; i < sizeof(stty_combined) / sizeof(*stty_combined); i++) {
		const struct stty_words *w = &stty_combined[i];

		if (strcmp(w->name, name) || (off && !w->dash))
			continue;
		combine(t, w, off);
		return true;
	}
	return false;
}
