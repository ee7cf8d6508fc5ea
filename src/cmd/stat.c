/*
 * stat - show what is known about files or their filesystems. The default and
 * terse outputs are formats too; this file reads formats, stat_fields.c knows
 * the directives.
 */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/stat_impl.h"
#include "cmd/quote.h"
#include "cmd/util.h"

struct stat_opts {
	bool follow, filesystem, terse;
	const char *format;
	bool escapes;		/* --printf */
	int cached;
	int style;		/* of %N, see stat_impl.h */
};

static int stat_set_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct stat_opts *o = opts;

	(void)p;
	o->format = arg;
	o->escapes = opt->value;
	return 0;
}

static int stat_set_cached(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	static const struct util_word words[] = {
		{ "default", 0 }, { "never", 1 }, { "always", 2 }, { NULL, 0 },
	};

	(void)opt;
	return util_word(p, "--cached", arg, words, &((struct stat_opts *)opts)->cached);
}

static const struct tsb_opt stat_opts[] = {
	TSB_OPT_FLAG(struct stat_opts, follow, 'L', "dereference", "follow links"),
	TSB_OPT_FLAG(struct stat_opts, filesystem, 'f', "file-system",
		     "display file system status instead of file status"),
	TSB_OPT_CALL(stat_set_format, 0, 'c', "format", "FORMAT",
		     "use the specified FORMAT instead of the default; output a newline after "
		     "each use of FORMAT"),
	TSB_OPT_CALL(stat_set_format, 1, 0, "printf", "FORMAT",
		     "like --format, but interpret backslash escapes, and do not output a "
		     "mandatory trailing newline; if you want a newline, include \\n in FORMAT"),
	TSB_OPT_FLAG(struct stat_opts, terse, 't', "terse", "print the information in terse form"),
	TSB_OPT_CALL(stat_set_cached, 0, 0, "cached", "MODE",
		     "specify how to use cached attributes: always, never, default"),
	TSB_OPT_END
};

struct stat_format {
	struct stat_subject s;
	bool filesystem, escapes;
	bool ok;
};

/* A '%' at s: the directive's length. Ends the run when there is no letter. */
static size_t stat_directive(struct stat_format *f, const char *s)
{
	struct spec spec;
	size_t n = 1 + spec_parse(&spec, s + 1);
	int mod = 0;
	bool (*field)(struct stat_subject *, const struct spec *, int, int) =
		f->filesystem ? stat_fs_field : stat_file_field;

	if (!s[n] || s[n] == '%') {
		if (n > 1) {
			tsb_put(f->s.p, f->s.out->p, f->s.out->n);
			tsb_warn(f->s.p, "%s: invalid directive",
				 quote_text(f->s.p, tsb_strndup(f->s.p, s, n + !!s[n])));
			tsb_exit(f->s.p, 1);
		}
		str_addc(f->s.out, '%');
		return s[n] ? n + 1 : n;
	}
	if ((s[n] == 'H' || s[n] == 'L') && !f->filesystem && (s[n + 1] == 'd' || s[n + 1] == 'r'))
		mod = s[n++];
	f->ok &= field(&f->s, &spec, mod, s[n]);
	return n + 1;
}

static int stat_hex(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A backslash at s: its length. */
static size_t stat_escape(struct stat_format *f, const char *s)
{
	static const char from[] = "abefnrtv\"\\", to[] = "\a\b\033\f\n\r\t\v\"\\";
	const char *known = s[1] ? strchr(from, s[1]) : NULL;
	size_t n = 1;
	int v = 0;

	if (known) {
		str_addc(f->s.out, to[known - from]);
		return 2;
	}
	if (s[1] >= '0' && s[1] <= '7') {
		for (; n < 4 && s[n] >= '0' && s[n] <= '7'; n++)
			v = v * 8 + (s[n] - '0');
		str_addc(f->s.out, (char)v);
		return n;
	}
	if (s[1] == 'x' && stat_hex(s[2]) >= 0) {
		for (n = 2; n < 4 && stat_hex(s[n]) >= 0; n++)
			v = v * 16 + stat_hex(s[n]);
		str_addc(f->s.out, (char)v);
		return n;
	}
	if (s[1]) {
		tsb_warn(f->s.p, "warning: unrecognized escape '\\%c'", s[1]);
		str_addc(f->s.out, s[1]);
		return 2;
	}
	tsb_warn(f->s.p, "warning: backslash at end of format");
	str_addc(f->s.out, '\\');
	return 1;
}

static void stat_print(struct stat_format *f, const char *format)
{
	while (*format) {
		if (*format == '%') {
			format += stat_directive(f, format);
		} else if (*format == '\\' && f->escapes) {
			format += stat_escape(f, format);
		} else {
			str_addc(f->s.out, *format++);
		}
		if (f->s.out->n < 4096)
			continue;
		tsb_put(f->s.p, f->s.out->p, f->s.out->n);
		str_reset(f->s.out);
	}
	tsb_put(f->s.p, f->s.out->p, f->s.out->n);
	str_reset(f->s.out);
}

#define STAT_HEAD "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
#define STAT_TAIL "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n" \
	"Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"
#define STAT_DEVICE "Device: %Hd,%Ld\tInode: %-11i Links: "

static const char *stat_default(const struct stat_opts *o, uint32_t mode)
{
	if (o->filesystem)
		return o->terse ? "%n %i %l %t %s %S %b %f %a %c %d\n"
			: "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n"
			  "Block size: %-10s Fundamental block size: %S\n"
			  "Blocks: Total: %-10b Free: %-10f Available: %a\n"
			  "Inodes: Total: %-10c Free: %d\n";
	if (o->terse)
		return "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
	if (S_ISBLK(mode) || S_ISCHR(mode))
		return STAT_HEAD STAT_DEVICE "%-5h Device type: %Hr,%Lr\n" STAT_TAIL;
	return STAT_HEAD STAT_DEVICE "%h\n" STAT_TAIL;
}

/* Fills what the format is to show: false with a message. */
static bool stat_look(struct stat_subject *s, const struct stat_opts *o)
{
	struct tsb_proc *p = s->p;
	bool in = !strcmp(s->path, "-");
	int err;

	if (o->filesystem && in) {
		tsb_warn(p, "using %s to denote standard input does not work in file system mode",
			 quote_af(p, s->path));
		return false;
	}
	if (o->filesystem) {
		err = tsb_statfs(p, s->path, &s->fs);
		if (!err)
			err = tsb_stat(p, s->path, &s->st);
		if (err)
			tsb_warn_errno(p, err, "cannot read file system information for %s",
				       quote_af(p, s->path));
		return !err;
	}
	if (in)
		err = tsb_fstat(p, 0, &s->st);
	else
		err = o->follow ? tsb_stat(p, s->path, &s->st) : tsb_lstat(p, s->path, &s->st);
	if (err && in)
		tsb_warn_errno(p, err, "cannot stat standard input");
	else if (err)
		tsb_warn_errno(p, err, "cannot statx %s", quote_af(p, s->path));
	return !err;
}

static bool stat_one(struct tsb_proc *p, struct stat_opts *o, const char *path,
		     struct str *out)
{
	struct stat_format f = { .s = { .p = p, .path = path, .out = out,
					.style = &o->style },
				 .filesystem = o->filesystem, .ok = true };

	if (!stat_look(&f.s, o))
		return false;
	zone_init(&f.s.zone, tsb_getenv(p, "TZ"));
	f.escapes = o->escapes;
	stat_print(&f, o->format ? o->format : stat_default(o, f.s.st.mode));
	if (o->format && !o->escapes)
		tsb_putc(p, '\n');
	return f.ok;
}

static int stat_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct stat_opts *o = opts;
	struct str out;
	int status = 0;

	if (!argc)
		return util_missing_operand(p);
	/* GNU looks for these two characters; without them nothing is quoted. */
	o->style = o->format && strstr(o->format, "%N") ? (int)quote_env_style(p)
							: QUOTE_LITERAL;
	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (int i = 0; i < argc; i++)
		if (!stat_one(p, o, argv[i], &out))
			status = 1;
	return status;
}

const struct tsb_command cmd_stat = {
	CMD_COREUTILS, .name = "stat",
	.synopsis = "[OPTION]... FILE...",
	.summary = "Display file or file system status.",
	.opts = stat_opts, .opts_size = sizeof(struct stat_opts), .run = stat_run,
};
