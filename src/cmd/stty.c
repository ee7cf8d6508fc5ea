/*
 * stty - settings of a terminal. There is none here whose settings could be told: the words
 * are checked as the real one checks them, and then it says what it says of a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

/* A dash may stand before these, */
static const char stty_switches[] =
	" parenb parodd cmspar hupcl hup cstopb cread clocal crtscts ignbrk brkint ignpar parmrk inpck istrip"
	" inlcr igncr icrnl ixon ixoff tandem iuclc ixany imaxbel iutf8 opost olcuc ocrnl onlcr onocr onlret"
	" ofill ofdel isig icanon iexten echo echoe crterase echok echonl noflsh xcase tostop echoprt prterase"
	" echoctl ctlecho echoke crtkill flusho extproc evenp parity oddp nl cooked raw pass8 litout cbreak"
	" decctlq tabs lcase LCASE drain ";
/* not before these, */
static const char stty_words[] =
	" cs5 cs6 cs7 cs8 nl0 nl1 cr0 cr1 cr2 cr3 tab0 tab1 tab2 tab3 bs0 bs1 vt0 vt1 ff0 ff1 ek sane dec crt"
	" size speed ";
/* and behind these stands a value: a character, a speed, a number. */
static const char stty_characters[] =
	" intr quit erase kill eof eol eol2 swtch start stop susp dsusp rprnt werase lnext discard ";
static const char stty_numbers[] = " rows cols columns line min time ";
static const char stty_speeds[] =
	" 0 50 75 110 134 134.5 150 200 300 600 1200 1800 2400 4800 9600 19200 38400 exta extb 57600 115200"
	" 230400 460800 500000 576000 921600 1000000 1152000 1500000 2000000 2500000 3000000 3500000 4000000 ";

struct stty {
	struct tsb_proc *p;
	bool all, save;
	const char *device;
};

static bool stty_has(const char *list, const char *word)
{
	size_t n = strlen(word);
	const char *at = list;

	if (!n || strchr(word, ' '))
		return false;
	while ((at = strstr(at, word))) {
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
		at++;
	}
	return false;
}

/* What -g prints: numbers in hexadecimal between colons. */
static bool stty_saved(const char *word)
{
	size_t colons = 0;

	for (const char *c = word; *c; c++) {
		if (*c == ':')
			colons++;
		else if (!strchr("0123456789abcdefABCDEF", *c))
			return false;
	}
	return colons == 35;
}

static bool stty_character(struct stty *s, const char *v)
{
	if (!v[0] || !v[1] || !strcmp(v, "^-") || !strcmp(v, "undef") || (v[0] == '^' && !v[2]))
		return true;
	if (strspn(v, "0123456789") == strlen(v) ||
	    (v[0] == '0' && (v[1] | 32) == 'x' && strspn(v + 2, "0123456789abcdefABCDEF") == strlen(v + 2)))
		return true;
	tsb_warn(s->p, "invalid integer argument: %s", quote_text(s->p, v));
	return false;
}

/* One setting and its value: how many words, 0 after a message. */
static int stty_setting(struct stty *s, char **argv)
{
	const char *word = argv[0];
	bool speed = !strcmp(word, "ispeed") || !strcmp(word, "ospeed");

	if (stty_has(stty_switches, word[0] == '-' ? word + 1 : word) || stty_has(stty_words, word) ||
	    stty_has(stty_speeds, word) || stty_saved(word))
		return 1;
	if (!speed && !stty_has(stty_characters, word) && !stty_has(stty_numbers, word)) {
		tsb_usage(s->p, "invalid argument %s", quote_text(s->p, word));
		return 0;
	}
	if (!argv[1]) {
		tsb_usage(s->p, "missing argument to %s", quote_text(s->p, word));
		return 0;
	}
	if (speed && !stty_has(stty_speeds, argv[1])) {
		tsb_usage(s->p, "invalid %s %s", word, quote_text(s->p, argv[1]));
		return 0;
	}
	if (stty_has(stty_characters, word) && !stty_character(s, argv[1]))
		return 0;
	return 2;
}

static void stty_show(struct tsb_proc *p, bool help)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (help)
		opt_help(&text, &cmd_stty, tsb_name(p));
	else
		opt_version(&text, &cmd_stty, tsb_name(p));
	tsb_put(p, text.p, text.n);
	tsb_exit(p, 0);
}

/* "-F": the device stands glued or next. How many words; 0: none of its own options. */
static int stty_option(struct stty *s, char **argv)
{
	const char *arg = argv[0], *device = NULL;
	int used = 1;

	if (!strcmp(arg, "-a") || !strcmp(arg, "--all")) {
		s->all = true;
	} else if (!strcmp(arg, "-g") || !strcmp(arg, "--save")) {
		s->save = true;
	} else if (!strcmp(arg, "--help") || !strcmp(arg, "--version")) {
		stty_show(s->p, arg[2] == 'h');
	} else if (!strncmp(arg, "--file=", 7)) {
		device = arg + 7;
	} else if (arg[0] == '-' && arg[1] == 'F' && arg[2]) {
		device = arg + 2;
	} else if ((!strcmp(arg, "-F") || !strcmp(arg, "--file")) && argv[1]) {
		device = argv[1];
		used = 2;
	} else {
		return 0;
	}
	if (device && s->device) {
		tsb_warn(s->p, "only one device may be specified");
		return -1;
	}
	s->device = device ? device : s->device;
	return used;
}

static int stty_open(struct stty *s)
{
	int fd;

	if (!s->device) {
		tsb_warn(s->p, "'standard input': %s", tsb_strerror(ENOTTY));
		return 1;
	}
	fd = tsb_open(s->p, s->device, O_RDONLY | O_NONBLOCK, 0);
	tsb_warn_errno(s->p, fd < 0 ? fd : ENOTTY, "%s", quote_f(s->p, s->device));
	return 1;
}

static int stty_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct stty s = { .p = p };
	int n = 0;

	(void)opts;
	for (int i = 0; i < argc; ) {
		int used = stty_option(&s, argv + i);

		if (used < 0)
			return 1;
		if (!used)
			argv[n++] = argv[i++];
		i += used;
	}
	argv[n] = NULL;
	if (s.all && s.save) {
		tsb_warn(p, "the options for verbose and stty-readable output styles are\nmutually exclusive");
		return 1;
	}
	if (n && (s.all || s.save)) {
		tsb_warn(p, "when specifying an output style, modes may not be set");
		return 1;
	}
	for (int i = 0; i < n; ) {
		int used = stty_setting(&s, argv + i);

		if (!used)
			return 1;
		i += used;
	}
	return stty_open(&s);
}

static const struct tsb_opt stty_opts[] = {
	TSB_OPT_DOC('a', "all", NULL, "print all current settings in human-readable form"),
	TSB_OPT_DOC('g', "save", NULL, "print all current settings in a stty-readable form"),
	TSB_OPT_DOC('F', "file", "DEVICE", "open and use the specified DEVICE instead of stdin"),
	TSB_OPT_HELP(0, "help"),
	TSB_OPT_VERSION(0, "version"),
	TSB_OPT_END
};

const struct tsb_command cmd_stty = {
	CMD_COREUTILS, .name = "stty", .synopsis = "[-F DEVICE | --file=DEVICE] [SETTING]...",
	.summary = "Print or change terminal characteristics.", .opts = stty_opts, .run = stty_run,
	.flags = TSB_RAW,
};
