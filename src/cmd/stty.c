/*
 * stty - settings of a terminal. All words are checked first, then the device is opened, and then
 * they are done in order.
 */
#include "cmd/stty.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>

#include "base/num.h"
#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

struct stty {
	struct tsb_proc *p;
	bool all, save;
	const char *device;
	int fd;			/* < 0: the words are only checked */
	struct tsb_termios set;
	bool changed, one_speed;	/* one_speed: only that of one direction was given */
};

/* ---- Numbers ---- */

static int stty_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
}

/* As strtoul(3) with base 0, and b or B behind it: blocks. False after a message. */
static bool stty_integer(struct stty *s, const char *text, uint64_t max, uint64_t *out)
{
	int base = text[0] != '0' ? 10 : (text[1] | 32) == 'x' ? 16 : 8;
	const char *at = base == 16 ? text + 2 : text, *first = at;
	bool over = false;

	for (*out = 0; stty_digit(*at) < base; at++)
		over |= __builtin_mul_overflow(*out, (uint64_t)base, out) ||
			__builtin_add_overflow(*out, (uint64_t)stty_digit(*at), out);
	if (at != first && (*at == 'b' || *at == 'B') && !at[1]) {
		over |= __builtin_mul_overflow(*out, (uint64_t)(*at == 'b' ? 512 : 1024), out);
		at++;
	}
	if (at == first || *at)
		tsb_warn(s->p, "invalid integer argument: %s", quote_text(s->p, text));
	else if (over || *out > max)
		tsb_warn_errno(s->p, ERANGE, "invalid integer argument: %s", quote_text(s->p, text));
	else
		return true;
	return false;
}

/* ---- Settings ---- */

static bool stty_mode(struct stty *s, const char *word)
{
	bool off = word[0] == '-';

	for (const struct stty_mode *m = stty_modes; m->name; m++) {
		uint32_t *bits = stty_word(&s->set, m->part);

		if (strcmp(m->name, word + off) || (off && !(m->flags & STTY_REV)))
			continue;
		*bits = off ? *bits & ~(m->mask ? m->mask : m->bits) :
			(*bits & ~(m->mask ? m->mask : m->bits)) | m->bits;
		return true;
	}
	return stty_combine(&s->set, word + off, off) || !strcmp(word + off, "drain");
}

static bool stty_character(struct stty *s, const struct stty_char *c, const char *v)
{
	uint64_t n;

	if (!strcmp(c->name, "min") || !strcmp(c->name, "time")) {
		if (!stty_integer(s, v, 255, &n))
			return false;
	} else if (!v[0] || !v[1]) {
		n = (uint8_t)v[0];
	} else if (!strcmp(v, "^-") || !strcmp(v, "undef")) {
		n = 0;
	} else if (v[0] == '^') {
		n = v[1] == '?' ? 127 : (uint8_t)v[1] & ~0140u;
	} else if (!stty_integer(s, v, 255, &n)) {
		return false;
	}
	s->set.cc[c->at] = (uint8_t)n;
	return true;
}

static const struct stty_char *stty_find_char(const char *word)
{
	const struct stty_char *c = stty_chars;

	while (c->name && strcmp(c->name, word))
		c++;
	return c->name ? c : NULL;
}

/* Rows and columns are set at once. */
static bool stty_size(struct stty *s, bool rows, const char *v)
{
	struct tsb_winsize size;
	uint64_t n;

	if (s->fd < 0)
		return true;
	if (!stty_integer(s, v, INT32_MAX, &n) || tsb_get_winsize(s->p, s->fd, &size))
		return false;
	*(rows ? &size.rows : &size.columns) = (uint16_t)n;
	return !tsb_set_winsize(s->p, s->fd, &size);
}

static bool stty_number(struct stty *s, const char *word, const char *v)
{
	uint64_t n;

	if (!strcmp(word, "line")) {
		if (!stty_integer(s, v, UINT64_MAX, &n))
			return false;
		if (n > 255)
			tsb_warn(s->p, "invalid line discipline %s", quote_text(s->p, v));
		s->set.line = (uint8_t)n;
		s->changed = true;
		return true;
	}
	return stty_size(s, !strcmp(word, "rows"), v);
}

/* What shows something, or is one speed for both directions. */
static bool stty_alone(struct stty *s, const char *word)
{
	struct tsb_winsize size;

	if (!strcmp(word, "size")) {
		if (s->fd >= 0 && !tsb_get_winsize(s->p, s->fd, &size))
			tsb_printf(s->p, "%u %u\n", size.rows, size.columns);
		return true;
	}
	if (!strcmp(word, "speed")) {
		if (s->fd >= 0)
			tsb_printf(s->p, "%u\n", s->set.ospeed);
		return true;
	}
	if (stty_set_speed(&s->set, word))
		return s->changed = true;
	return false;
}

static bool stty_with(struct stty *s, const char *word, const char *v)
{
	const struct stty_char *c = stty_find_char(word);

	if (c) {
		s->changed = true;
		return stty_character(s, c, v);
	}
	if (strcmp(word, "ispeed") && strcmp(word, "ospeed"))
		return stty_number(s, word, v);
	if (stty_set_speed(&s->set, v)) {
		s->changed = true;
		s->one_speed = !s->one_speed;
	}
	return true;
}

/* One setting and its value: how many words, 0 after a message. */
static int stty_setting(struct stty *s, char **argv)
{
	static const char *const numbers[] = { "rows", "cols", "columns", "line", "ispeed", "ospeed" };
	const char *word = argv[0];
	bool takes = stty_find_char(word);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		takes |= !strcmp(word, numbers[i]);
	if (takes && !argv[1]) {
		tsb_usage(s->p, "missing argument to %s", quote_text(s->p, word));
		return 0;
	}
	if (takes)
		return stty_with(s, word, argv[1]) ? 2 : 0;
	if (stty_alone(s, word))
		return 1;
	if (stty_mode(s, word) || stty_restore(&s->set, word)) {
		s->changed = true;
		return 1;
	}
	tsb_usage(s->p, "invalid argument %s", quote_text(s->p, word));
	return 0;
}

static bool stty_settings(struct stty *s, char **argv)
{
	for (int used; *argv; argv += used)
		if (!(used = stty_setting(s, argv)))
			return false;
	return true;
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

/* ---- The terminal ---- */

static const char *stty_device(struct stty *s)
{
	return s->device ? quote_f(s->p, s->device) : "'standard input'";
}

static bool stty_open(struct stty *s)
{
	int r;

	s->fd = s->device ? tsb_open(s->p, s->device, O_RDONLY | O_NONBLOCK, 0) : 0;
	r = s->fd < 0 ? s->fd : tsb_tcgetattr(s->p, s->fd, &s->set);
	if (r)
		tsb_warn_errno(s->p, r, "%s", stty_device(s));
	return !r;
}

/* A terminal of this kind does not do all: one speed for both directions, and eight bits. */
static int stty_change(struct stty *s, const struct tsb_termios *before)
{
	struct tsb_termios now;
	int r = tsb_tcsetattr(s->p, s->fd, false, &s->set);

	if (!r)
		r = tsb_tcgetattr(s->p, s->fd, &now);
	if (!r && now.cflag != s->set.cflag && !memcmp(&now, before, sizeof(now)))
		r = -EINVAL;
	if (r)
		tsb_warn_errno(s->p, r, "%s", stty_device(s));
	else if (s->one_speed || now.cflag != s->set.cflag)
		tsb_warn(s->p, "%s: unable to perform all requested operations", stty_device(s));
	else
		return 0;
	return 1;
}

static int stty_do(struct stty *s, char **argv)
{
	struct tsb_winsize size = { 0, 0 };
	struct tsb_termios before;

	if (!stty_open(s))
		return 1;
	s->changed = s->one_speed = false;
	before = s->set;
	if (*argv)
		return !stty_settings(s, argv) || (s->changed && stty_change(s, &before));
	tsb_get_winsize(s->p, s->fd, &size);
	stty_print(s->p, &s->set, &size, s->all ? STTY_ALL : s->save ? STTY_SAVED : STTY_CHANGED);
	return 0;
}

static int stty_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct stty s = { .p = p, .fd = -1 };
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
	return stty_settings(&s, argv) ? stty_do(&s, argv) : 1;
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
