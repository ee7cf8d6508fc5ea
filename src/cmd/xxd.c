/*
 * xxd - make a hexdump, or turn one back.
 *
 * Options are words of their own kind: "-c8", "-c 8", "-cols 8" and "--cols 8"
 * are the same, and only the first letter counts.
 */
#include "cmd/xxd.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

enum { XXD_COLUMNS_MAX = 256 };

void xxd_die(struct xxd *x, int status, const char *text)
{
	sink_flush(&x->out);
	tsb_flush(x->p);
	tsb_warn(x->p, "%s", text);
	tsb_exit(x->p, status);
}

static TSB_NORETURN void xxd_usage(struct xxd *x)
{
	struct str text;

	str_init(&text, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	opt_help(&text, &cmd_xxd, tsb_name(x->p));
	tsb_write_all(x->p, 2, text.p, text.n);
	tsb_exit(x->p, 1);
}

/* ---- Options ---- */

struct xxd_words {
	int n, at;
	char **word;
};

/* The argument of an option: glued, unless that is the rest of its long name. */
static const char *xxd_argument(struct xxd *x, struct xxd_words *w, const char *glued,
				const char *rest)
{
	if (*glued && strncmp(glued, rest, strlen(rest)))
		return glued;
	if (w->at + 1 >= w->n)
		xxd_usage(x);
	return w->word[++w->at];
}

static void xxd_seek_option(struct xxd *x, const char *arg)
{
	x->seek_from_here = *arg == '+';
	arg += *arg == '+';
	x->seek_back = *arg == '-';
	arg += *arg == '-';
	x->seek = strtol(arg, NULL, 0);
}

static void xxd_offset_option(struct xxd *x, const char *arg)
{
	bool minus;

	arg += *arg == '+';
	minus = *arg == '-';
	arg += minus;
	x->shown_offset = strtoul(arg, NULL, 0);
	if (minus)
		x->shown_offset = 0 - x->shown_offset;
}

static bool xxd_flag(struct xxd *x, int letter)
{
	switch (letter) {
	case 'a': x->skip_zeroes = !x->skip_zeroes; break;
	case 'b': x->type = XXD_BITS; break;
	case 'e': x->type = XXD_LITTLE; break;
	case 'u': x->upper = true; break;
	case 'p': x->type = XXD_PLAIN; break;
	case 'i': x->type = XXD_C; break;
	case 'C': x->capitals = true; break;
	case 'd': x->decimal = true; break;
	case 'r': x->revert = true; break;
	case 'E': x->ebcdic = true; break;
	default: return false;
	}
	return true;
}

static void xxd_option(struct xxd *x, struct xxd_words *w, const char *word)
{
	static const char version[] = "xxd 2022-01-14 by Juergen Weigert et al.\n";
	const char *glued = word + 2;

	if (xxd_flag(x, word[1]))
		return;
	switch (word[1]) {
	case 'v':
		tsb_write_all(x->p, 2, version, sizeof(version) - 1);
		tsb_exit(x->p, 0);
	case 'c':
		if (!strncmp(glued, "apitalize", 9)) {
			x->capitals = true;
			return;
		}
		x->columns_given = true;
		x->columns = strtol(xxd_argument(x, w, glued, "ols"), NULL, 0);
		return;
	case 'g':
		x->group = strtol(xxd_argument(x, w, glued, "roup"), NULL, 0);
		return;
	case 'o':
		xxd_offset_option(x, xxd_argument(x, w, glued, "ffset"));
		return;
	case 's':
		xxd_seek_option(x, xxd_argument(x, w, glued, strncmp(glued, "kip", 3) ? "eek" : "kip"));
		return;
	case 'l':
		x->length = strtol(xxd_argument(x, w, glued, "en"), NULL, 0);
		return;
	case 'n':
		x->variable = xxd_argument(x, w, glued, "ame");
		return;
	default:
		xxd_usage(x);
	}
}

static void xxd_options(struct xxd *x, struct xxd_words *w)
{
	for (; w->at < w->n; w->at++) {
		const char *word = w->word[w->at];

		if (!strcmp(word, "--")) {
			w->at++;
			return;
		}
		if (word[0] != '-' || !word[1])
			return;
		xxd_option(x, w, word + (word[1] == '-'));
	}
}

static void xxd_layout(struct xxd *x)
{
	static const long columns[] = { 16, 30, 12, 6, 16 }, groups[] = { 2, 0, 0, 1, 4 };
	bool plain = x->type == XXD_PLAIN;

	if (!x->columns_given || (!x->columns && !plain))
		x->columns = columns[x->type];
	if (x->group < 0)
		x->group = groups[x->type];
	if (x->columns < (plain ? 0 : 1) ||
	    (!plain && x->type != XXD_C && x->columns > XXD_COLUMNS_MAX))
		xxd_die(x, 1, "invalid number of columns (max. 256).");
	if (x->group < 1 || x->group > x->columns)
		x->group = x->columns;
	else if (x->type == XXD_LITTLE && (x->group & (x->group - 1)))
		xxd_die(x, 1, "number of octets per group must be a power of 2 with -e.");
}

/* ---- Dumps ---- */

/* The next byte within the length; -1 at the end. */
static int xxd_byte(struct xxd *x, long n)
{
	int c;

	if (x->length >= 0 && n >= x->length)
		return -1;
	if (!(n & 4095)) {
		tsb_tick(x->p, 4096);
		if (tsb_out_error(x->p)) {	/* nobody is left to read it */
			tsb_warn(x->p, "%s", tsb_strerror(tsb_out_error(x->p)));
			tsb_out_forget(x->p);
			tsb_exit(x->p, 3);
		}
	}
	c = tsb_getbyte(&x->in);
	if (c < 0 && x->in.error) {
		sink_flush(&x->out);
		tsb_flush(x->p);
		tsb_warn(x->p, "%s", tsb_strerror(x->in.error));
		tsb_exit(x->p, 2);
	}
	return c;
}

static void xxd_put_name(struct xxd *x)
{
	if (x->variable[0] >= '0' && x->variable[0] <= '9')
		sink_puts(&x->out, "__");
	for (const char *s = x->variable; *s; s++) {
		char c = *s;
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!letter && !(c >= '0' && c <= '9'))
			c = '_';
		else if (x->capitals && c >= 'a' && c <= 'z')
			c -= 32;
		sink_putc(&x->out, c);
	}
}

static void xxd_dump_c(struct xxd *x)
{
	char buf[32];
	long n = 0;
	int c;

	if (x->variable) {
		sink_puts(&x->out, "unsigned char ");
		xxd_put_name(x);
		sink_puts(&x->out, "[] = {\n");
	}
	for (; (c = xxd_byte(x, n)) >= 0; n++) {
		sink_puts(&x->out, n % x->columns ? ", " : n ? ",\n  " : "  ");
		snprintf(buf, sizeof(buf), x->upper ? "0X%02X" : "0x%02x", (unsigned)c);
		sink_puts(&x->out, buf);
	}
	if (n)
		sink_putc(&x->out, '\n');
	if (!x->variable)
		return;
	sink_puts(&x->out, "};\nunsigned int ");
	xxd_put_name(x);
	snprintf(buf, sizeof(buf), "_%s = %ld;\n", x->capitals ? "LEN" : "len", n);
	sink_puts(&x->out, buf);
}

static void xxd_dump_plain(struct xxd *x, const char *digits)
{
	long n = 0;
	int c;

	while ((c = xxd_byte(x, n)) >= 0) {
		sink_putc(&x->out, digits[c >> 4]);
		sink_putc(&x->out, digits[c & 15]);
		n++;
		if (x->columns && n % x->columns == 0)
			sink_putc(&x->out, '\n');
	}
	if (!x->columns || n % x->columns)
		sink_putc(&x->out, '\n');
}

static int xxd_shown(const struct xxd *x, int c)
{
	/* EBCDIC's characters from 64 on. */
	static const char ebcdic[] =
		" ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\".abcdefghi.......jklmno"
		"pqr^.......stuvwxyz...[...............]..{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ.."
		"....0123456789......";

	if (x->ebcdic)
		return c < 64 ? '.' : ebcdic[c - 64];
	return c > 31 && c < 127 ? c : '.';
}

struct xxd_line {
	char *text;		/* of room bytes */
	size_t room, address, end;
	long n;			/* bytes in it */
	bool nonzero;
	char *held;		/* the second of a row of zero lines */
	int zeroes;		/* how many such lines there were */
};

/* A line of zeroes is held back until it is known how many follow: the first
 * of a row is shown, of further ones a star, of just one more itself. last: more
 * do not come. */
static void xxd_put_line(struct xxd *x, struct xxd_line *l, bool nonzero, bool last)
{
	if (!nonzero && !last && l->zeroes == 1)
		memcpy(l->held, l->text, strlen(l->text) + 1);
	if (!nonzero && !last && l->zeroes++)
		return;
	if (nonzero || last) {
		if (last)
			l->zeroes--;
		if (l->zeroes == 2)
			sink_puts(&x->out, l->held);
		if (l->zeroes > 2)
			sink_puts(&x->out, "*\n");
	}
	if (!last || l->zeroes > 0)
		sink_puts(&x->out, l->text);
	if (nonzero || last)
		l->zeroes = 0;
}

static void xxd_end_line(struct xxd *x, struct xxd_line *l, bool full)
{
	l->text[l->end] = '\n';
	l->text[l->end + 1] = '\0';
	xxd_put_line(x, l, l->nonzero || !x->skip_zeroes || !full, false);
	l->n = 0;
	l->nonzero = false;
}

static void xxd_put_byte(struct xxd *x, struct xxd_line *l, int c, const char *digits)
{
	size_t group = (size_t)x->group, columns = (size_t)x->columns;
	size_t width = x->type == XXD_BITS ? 8 * group + 1 : 2 * group + 1;
	size_t n = (size_t)l->n, place = x->type == XXD_LITTLE ? n ^ (group - 1) : n;
	char *at = l->text + l->address + 1 + width * place / group;

	if (x->type == XXD_BITS) {
		for (int i = 7; i >= 0; i--)
			*at++ = c >> i & 1 ? '1' : '0';
	} else {
		*at++ = digits[c >> 4];
		*at = digits[c & 15];
	}
	l->nonzero |= c != 0;
	/* With -e a last group that is not full is written over. */
	l->end = (width * columns - 1) / group + l->address + 3 + n;
	l->text[l->end++] = (char)xxd_shown(x, c);
	l->n++;
}

static void xxd_dump(struct xxd *x, const char *digits)
{
	struct xxd_line l = { .room = (size_t)x->columns * 11 + 64 };
	uint64_t address;
	long n = 0;
	int c;

	l.text = tsb_alloc(x->p, l.room);
	l.held = tsb_alloc(x->p, l.room);
	for (; (c = xxd_byte(x, n)) >= 0; n++) {
		if (!l.n) {
			memset(l.text, ' ', l.room);
			address = (uint64_t)n + (uint64_t)x->seek + x->shown_offset;
			l.address = (size_t)snprintf(l.text, 32, x->decimal ? "%08lld:" : "%08llx:",
						     (long long)address);
			l.text[l.address] = ' ';
		}
		xxd_put_byte(x, &l, c, digits);
		if (l.n == x->columns)
			xxd_end_line(x, &l, true);
	}
	if (l.n)
		xxd_end_line(x, &l, false);
	else if (x->skip_zeroes)
		xxd_put_line(x, &l, false, true);
}

/* ---- Files ---- */

static void xxd_seek_input(struct xxd *x, int fd)
{
	int64_t at = -1;

	if (!x->seek && !x->seek_back && x->seek_from_here)
		return;
	at = tsb_lseek(x->p, fd, x->seek_back ? -x->seek : x->seek,
		       x->seek_from_here ? SEEK_CUR : x->seek_back ? SEEK_END : SEEK_SET);
	if (at < 0 && x->seek_back)
		xxd_die(x, 4, "Sorry, cannot seek.");
	if (at >= 0) {
		x->seek = at;
		return;
	}
	for (long i = 0; i < x->seek; i++) {
		if (!(i & 4095))
			tsb_tick(x->p, 4096);
		if (tsb_getbyte(&x->in) < 0)
			xxd_die(x, 4, "Sorry, cannot seek.");
	}
}

static int xxd_open(struct xxd *x, int n, char **names)
{
	int flags = x->revert ? O_WRONLY | O_CREAT : O_WRONLY | O_CREAT | O_TRUNC, in, out;

	x->is_stdin = !n || input_is_stdin(names[0]);
	in = n ? input_open(x->p, names[0]) : 0;
	if (in < 0) {
		tsb_warn(x->p, "%s%s%s", names[0], *names[0] ? ": " : "", tsb_strerror(in));	/* perror() */
		tsb_exit(x->p, 2);
	}
	if (n > 1 && strcmp(names[1], "-")) {
		out = tsb_open(x->p, names[1], flags, 0666);
		if (out < 0) {
			tsb_warn_errno(x->p, out, "%s", names[1]);
			tsb_exit(x->p, 3);
		}
		tsb_dup2(x->p, out, 1);
	}
	tsb_reader_init(&x->in, x->p, in);
	return in;
}

static int xxd_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct xxd *x = tsb_alloc(p, sizeof(*x));
	struct xxd_words w = { .n = argc, .word = argv };
	const char *digits;
	int fd;

	(void)opts;
	*x = (struct xxd){ .p = p, .group = -1, .length = -1 };
	sink_init_apart(&x->out, p);
	xxd_options(x, &w);
	xxd_layout(x);
	if (argc - w.at > 2)
		xxd_usage(x);
	fd = xxd_open(x, argc - w.at, argv + w.at);
	if (x->revert)
		return xxd_revert(x);
	xxd_seek_input(x, fd);
	digits = x->upper ? "0123456789ABCDEF" : "0123456789abcdef";
	if (x->type == XXD_C) {
		if (!x->variable && !x->is_stdin)
			x->variable = argv[w.at];
		xxd_dump_c(x);
	} else if (x->type == XXD_PLAIN) {
		xxd_dump_plain(x, digits);
	} else {
		xxd_dump(x, digits);
	}
	sink_flush(&x->out);
	if (tsb_flush(p)) {
		tsb_warn(p, "%s", tsb_strerror(tsb_out_error(p)));
		tsb_out_forget(p);
		return 3;
	}
	return 0;
}

/* Read by xxd_option(), by their first letter. */
static const struct tsb_opt xxd_opts[] = {
	TSB_OPT_WORD("-a", NULL, "toggle skipping of lines of zeroes: one * stands for them"),
	TSB_OPT_WORD("-autoskip", NULL, NULL),
	TSB_OPT_WORD("-b", NULL, "dump bits"),
	TSB_OPT_WORD("-bits", NULL, NULL),
	TSB_OPT_WORD("-C", NULL, "variable names in capitals, with -i"),
	TSB_OPT_WORD("-capitalize", NULL, NULL),
	TSB_OPT_WORD("-c", "COLS", "bytes a line (default 16; -i 12, -ps 30, -b 6)"),
	TSB_OPT_WORD("-cols", "COLS", NULL),
	TSB_OPT_WORD("-d", NULL, "offsets in decimal"),
	TSB_OPT_WORD("-E", NULL, "show the characters as EBCDIC"),
	TSB_OPT_WORD("-EBCDIC", NULL, NULL),
	TSB_OPT_WORD("-e", NULL, "little-endian words"),
	TSB_OPT_WORD("-g", "BYTES", "bytes a group (default 2; -e 4, -b 1)"),
	TSB_OPT_WORD("-groupsize", "BYTES", NULL),
	TSB_OPT_WORD("-h", NULL, "print a summary of the options"),
	TSB_OPT_WORD("-help", NULL, NULL),
	TSB_OPT_WORD("-i", NULL, "a definition in C"),
	TSB_OPT_WORD("-include", NULL, NULL),
	TSB_OPT_WORD("-l", "LEN", "stop after LEN bytes"),
	TSB_OPT_WORD("-len", "LEN", NULL),
	TSB_OPT_WORD("-n", "NAME", "the variable's name, with -i"),
	TSB_OPT_WORD("-name", "NAME", NULL),
	TSB_OPT_WORD("-o", "OFF", "add OFF to the offsets shown"),
	TSB_OPT_WORD("-p", NULL, "digits only"),
	TSB_OPT_WORD("-ps", NULL, NULL),
	TSB_OPT_WORD("-postscript", NULL, NULL),
	TSB_OPT_WORD("-plain", NULL, NULL),
	TSB_OPT_WORD("-r", NULL, "turn a dump back into bytes"),
	TSB_OPT_WORD("-revert", NULL, NULL),
	TSB_OPT_WORD("-s", "[+][-]SEEK", "begin there; with -r add it to the offsets found"),
	TSB_OPT_WORD("-seek", "[+][-]SEEK", NULL),
	TSB_OPT_WORD("-u", NULL, "digits in upper case"),
	TSB_OPT_WORD("-v", NULL, "print the version"),
	TSB_OPT_WORD("-version", NULL, NULL),
	TSB_OPT_END
};

const struct tsb_command cmd_xxd = {
	.version = TSB_COMMAND_VERSION, .name = "xxd",
	.synopsis = "[-a|-b|-C|-d|-e|-E|-i|-p|-u] [-c cols] [-g bytes] [-l len] [-n name] [-o off] "
		    "[-s seek] [infile [outfile]]\n-r [-s [-]offset] [-c cols] [-p] [infile [outfile]]",
	.summary = "Dump a file in hexadecimal (-b: binary, -e: little-endian, -i: C source, -p: plain),\n"
		   "or turn a dump back into bytes (-r).",
	.opts = xxd_opts, .run = xxd_run, .flags = TSB_RAW | TSB_NO_HELP,
};
