/*
 * file - what kind of file is it? The options, the names, and the columns.
 */
#include "cmd/file/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

static const struct util_word test_names[] = {
	{ "apptype", FILE_APPTYPE }, { "ascii", FILE_TEXT }, { "cdf", FILE_CDF },
	{ "compress", FILE_COMPRESS }, { "csv", FILE_CSV }, { "elf", FILE_ELF },
	{ "encoding", FILE_ENCODING }, { "soft", FILE_SOFT }, { "tar", FILE_TAR },
	{ "json", FILE_JSON }, { "text", FILE_TEXT }, { "tokens", 0 }, { NULL, 0 }
};

static int usage(struct tsb_proc *p)
{
	static const char text[] =
		"Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n"
		"            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n"
		"            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n"
		"            <file> ...\n"
		"       file -C [-m <magicfiles>]\n"
		"       file [--help]\n";

	tsb_flush(p);
	tsb_write_all(p, 2, text, sizeof(text) - 1);
	return 1;
}

static int bad_option(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	return usage(p);
}

/* ---- Names ---- */

/* As it is shown: what cannot be printed as \ooo. Its columns without -r. */
static size_t shown_text(struct file *o, const char *name, size_t n, struct str *out)
{
	size_t columns = 0, step;

	for (size_t i = 0; i < n; i += step) {
		int32_t c;

		step = utf8_decode(name + i, n - i, &c);
		if (c >= 0 && utf8_print(c)) {
			columns += (size_t)(utf8_width(c) > 0 ? utf8_width(c) : 0);
			str_addn(out, name + i, step);
			continue;
		}
		for (size_t k = 0; k < step; k++) {
			if (o->raw)
				str_addc(out, name[i + k]);
			else
				str_addf(out, "\\%03o", (unsigned char)name[i + k]);
			columns += o->raw && c >= 0 ? k == 0 : 4;
		}
	}
	return columns;
}

static size_t name_width(struct file *o, const char *name)
{
	struct str s;
	size_t n;

	str_init(&s, tsb_heap_of(o->p), STR_MAX_DEFAULT);
	n = shown_text(o, name, strlen(name), &s);
	str_end(&s);
	return n;
}

static void print_name(struct file *o, const char *name, size_t width)
{
	struct str s;
	size_t columns;

	if (o->brief || !width)
		return;
	str_init(&s, tsb_heap_of(o->p), STR_MAX_DEFAULT);
	columns = shown_text(o, name, strlen(name), &s);
	if (o->nulls)
		str_addc(&s, '\0');
	if (o->nulls < 2) {
		str_adds(&s, o->separator);
		str_fill(&s, ' ', (o->no_pad || columns > width ? 0 : width - columns) + 1);
	}
	tsb_put(o->p, s.p, s.n);
	str_end(&s);
}

/* ---- A file ---- */

static unsigned char *read_bytes(struct file *o, int fd, size_t *n, int *err)
{
	size_t cap = 64 << 10, max = (size_t)o->max_bytes, got = 0;
	unsigned char *at = tsb_alloc(o->p, cap + 1);
	ssize_t r = 0;

	while (got < max) {
		if (got == cap) {
			cap *= 2;
			at = tsb_realloc(o->p, at, cap + 1);
		}
		r = tsb_read(o->p, fd, at + got, cap < max ? cap - got : max - got);
		if (r <= 0)
			break;
		got += (size_t)r;
	}
	*n = got;
	*err = r < 0 ? (int)-r : 0;
	return at;
}

static void keep_times(struct file *o, int fd, const struct tsb_stat *st)
{
	struct tsb_setattr set = {
		.mask = TSB_SET_ATIME | TSB_SET_MTIME, .atime = st->atime, .mtime = st->mtime
	};

	if (o->keep_times)
		tsb_fsetattr(o->p, fd, &set);
}

/* Opens it and looks inside. */
static void look_inside(struct file *o, struct file_look *f, const char *name, int fd,
			const struct tsb_stat *st)
{
	unsigned char *bytes;
	int err;
	size_t n;

	bytes = read_bytes(o, fd, &n, &err);
	keep_times(o, fd, st);
	if (err) {
		str_addf(&f->out, "ERROR: cannot read `%s' (%s)", name, tsb_strerror(err));
		o->failed = true;
		return;
	}
	f->at = bytes;
	f->n = n;
	f->size = S_ISREG(st->mode) ? st->size : n;
	f->file_mode = st->mode;
	file_look_at(f);
	tsb_free(o->p, bytes);
}

static void describe(struct file *o, struct file_look *f, const char *name)
{
	struct tsb_stat st = { 0 };
	int fd;

	if (input_is_stdin(name)) {
		tsb_fstat(o->p, 0, &st);
		look_inside(o, f, "/dev/stdin", 0, &st);
		return;
	}
	if (file_inode(f, name, &st))
		return;
	fd = tsb_open(o->p, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0) {
		static const char *const words[] = { "writable, ", "executable, " };

		if (tsb_access(o->p, name, TSB_W_OK) == 0)
			str_adds(&f->out, words[0]);
		if (tsb_access(o->p, name, TSB_X_OK) == 0)
			str_adds(&f->out, words[1]);
		if (S_ISREG(st.mode))
			str_adds(&f->out, "regular file, ");
		str_adds(&f->out, "no read permission");
		return;
	}
	look_inside(o, f, name, fd, &st);
	tsb_close(o->p, fd);
}

static void process(struct file *o, const char *name, size_t width)
{
	struct file_look f;

	tsb_tick(o->p, 64);
	print_name(o, input_is_stdin(name) ? "/dev/stdin" : name, width);
	file_look_init(&f, o, NULL, 0);
	describe(o, &f, name);
	str_reset(&f.text);
	shown_text(o, f.out.p, f.out.n, &f.text);
	tsb_put(o->p, f.text.p, f.text.n);
	if (o->nulls > 1)
		tsb_putc(o->p, '\0');
	else
		tsb_putc(o->p, '\n');
	if (o->flush)
		tsb_flush(o->p);
	str_end(&f.out);
	str_end(&f.text);
	str_end(&f.utf8);
	tsb_free(o->p, f.chars);
}

/* ---- Options ---- */

static int set_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	((struct file *)opts)->mode |= (unsigned)opt->value;
	return 0;
}

static int set_null(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	(void)opt;
	((struct file *)opts)->nulls++;
	return 0;
}

static int set_follow(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct file *o = opts;

	(void)p;
	(void)arg;
	o->follow = opt->value;
	o->no_follow = !opt->value;
	return 0;
}

static int set_unzip(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct file *o = opts;

	(void)p;
	(void)arg;
	o->unzip = true;
	o->bare_unzip |= opt->value;
	return 0;
}

static int set_exclude(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct file *o = opts;

	for (const struct util_word *w = test_names; w->word; w++)
		if (!strcmp(w->word, arg)) {
			o->skip |= (unsigned)w->value;
			return 0;
		}
	return opt->value ? 0 : usage(p);
}

/* name=number; what the number is to be is said by atoi. */
static int set_parameter(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct file *o = opts;
	const char *equals = strchr(arg, '=');
	struct { const char *name; uint64_t *to; } rows[] = {
		{ "indir", &o->max_indirect }, { "name", &o->max_name },
		{ "elf_phnum", &o->elf_phdrs }, { "elf_shnum", &o->elf_shdrs },
		{ "elf_notes", &o->elf_notes }, { "regex", &o->max_regex },
		{ "bytes", &o->max_bytes }, { "encoding", &o->max_encoding }
	};

	(void)opt;
	for (size_t i = 0; equals && i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == (size_t)(equals - arg) &&
		    !strncmp(rows[i].name, arg, (size_t)(equals - arg))) {
			uint64_t v = 0;

			for (const char *s = equals + 1; *s >= '0' && *s <= '9' && v < 1u << 30; s++)
				v = v * 10 + (uint64_t)(*s - '0');
			*rows[i].to = v;
			return 0;
		}
	tsb_warn(p, "Unknown param %s", arg);
	return 1;
}

static int set_names(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct file *o = opts;
	struct tsb_list names = { 0 };
	size_t cap = 0, width = 0, n;
	struct tsb_reader in;
	int fd = input_open(p, arg);
	char *line;

	(void)opt;
	o->p = p;
	if (fd < 0) {
		tsb_warn(p, "Cannot open `%s' (%s)", arg, tsb_strerror(fd));
		return 1;
	}
	tsb_reader_init(&in, p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		n -= line[n - 1] == '\n';
		names.at = util_grow(p, names.at, names.n, &cap, sizeof(*names.at));
		names.at[names.n++] = tsb_strndup(p, line, n);
		n = name_width(o, names.at[names.n - 1]);
		width = n > width ? n : width;
	}
	tsb_reader_end(&in);
	input_close(p, fd);
	for (size_t i = 0; i < names.n; i++)
		process(o, names.at[i], width);
	o->did_something = true;
	return 0;
}

static int show_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	tsb_puts(p, "file-5.44\nmagic file from /etc/magic:/usr/share/misc/magic\n");
	tsb_exit(p, 0);
}

static int set_debug(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)arg;
	tsb_warn(p, "-%c is not supported: there is no database of magic numbers", opt->value);
	return 1;
}

#define FLAG(field, s, l, h) TSB_OPT_FLAG(struct file, field, s, l, h)

static const struct tsb_opt file_opts[] = {
	TSB_OPT_CALL(show_version, 0, 'v', "version", NULL, "output version information and exit"),
	TSB_OPT_STR(struct file, magic, 'm', "magic-file", "LIST",
		    "use LIST as a colon-separated list of magic number files (none can be read)"),
	TSB_OPT_CALL(set_unzip, 0, 'z', "uncompress", NULL, "try to look inside compressed files"),
	TSB_OPT_CALL(set_unzip, 1, 'Z', "uncompress-noreport", NULL,
		     "only print the contents of compressed files"),
	FLAG(brief, 'b', "brief", "do not prepend filenames to output lines"),
	TSB_OPT_CALL(set_debug, 'c', 'c', "checking-printout", NULL,
		     "print the parsed form of the magic file (refused)"),
	TSB_OPT_CALL(set_exclude, 0, 'e', "exclude", "TEST",
		     "exclude TEST from the list of tests: apptype, ascii, cdf, compress, csv, "
		     "elf, encoding, soft, tar, json, text, tokens"),
	TSB_OPT_CALL(set_exclude, 1, 0, "exclude-quiet", "TEST",
		     "like exclude, but ignore unknown tests"),
	TSB_OPT_CALL(set_names, 0, 'f', "files-from", "FILE",
		     "read the filenames to be examined from FILE"),
	TSB_OPT_STR(struct file, separator, 'F', "separator", "STRING",
		    "use string as separator instead of ':'"),
	TSB_OPT_CALL(set_mode, FILE_MIME_TYPE | FILE_MIME_ENCODING, 'i', "mime", NULL,
		     "output MIME type strings (--mime-type and --mime-encoding)"),
	TSB_OPT_CALL(set_mode, FILE_APPLE, 0, "apple", NULL, "output the Apple CREATOR/TYPE"),
	TSB_OPT_CALL(set_mode, FILE_EXTENSION, 0, "extension", NULL,
		     "output a slash-separated list of extensions"),
	TSB_OPT_CALL(set_mode, FILE_MIME_TYPE, 0, "mime-type", NULL, "output the MIME type"),
	TSB_OPT_CALL(set_mode, FILE_MIME_ENCODING, 0, "mime-encoding", NULL,
		     "output the MIME encoding"),
	FLAG(keep_going, 'k', "keep-going", "don't stop at the first match"),
	TSB_OPT_CALL(set_debug, 'l', 'l', "list", NULL, "list magic strength (refused)"),
	TSB_OPT_CALL(set_follow, 1, 'L', "dereference", NULL,
		     "follow symlinks (default if POSIXLY_CORRECT is set)"),
	TSB_OPT_CALL(set_follow, 0, 'h', "no-dereference", NULL,
		     "don't follow symlinks (default if POSIXLY_CORRECT is not set)"),
	FLAG(flush, 'n', "no-buffer", "do not buffer output"),
	FLAG(no_pad, 'N', "no-pad", "do not pad output"),
	TSB_OPT_CALL(set_null, 0, '0', "print0", NULL, "terminate filenames with ASCII NUL"),
	FLAG(keep_times, 'p', "preserve-date", "preserve access times on files"),
	TSB_OPT_CALL(set_parameter, 0, 'P', "parameter", "NAME=VALUE",
		     "set file engine parameter limits"),
	FLAG(raw, 'r', "raw", "don't translate unprintable chars to \\ooo"),
	FLAG(special, 's', "special-files",
	     "treat special (block/char devices) files as ordinary ones"),
	TSB_OPT_CALL(util_ignore, 0, 'S', "no-sandbox", NULL, "there is no filter of system calls"),
	TSB_OPT_CALL(set_debug, 'C', 'C', "compile", NULL,
		     "compile file specified by -m (refused)"),
	TSB_OPT_CALL(set_debug, 'd', 'd', "debug", NULL, "print debugging messages (refused)"),
	FLAG(stat_errors, 'E', NULL, "on file system errors, say it and end"),
	TSB_OPT_END
};

static const struct file file_defaults = {
	.separator = ":", .max_bytes = 7340032, .max_encoding = 65536, .max_regex = 8192,
	.max_indirect = 50, .max_name = 50, .elf_phdrs = 2048, .elf_shdrs = 32768, .elf_notes = 256,
};

static int file_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct file *o;
	size_t width = 0, n;
	int status;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_file, argc, argv, &parsed, &status, bad_option))
		return status;
	o = parsed.opts;
	o->p = p;
	if (o->magic) {
		tsb_warn(p, "could not find any valid magic files! (%s)", tsb_strerror(2));
		return 1;
	}
	if (!o->follow && !o->no_follow && tsb_getenv(p, "POSIXLY_CORRECT"))
		o->follow = true;
	if (!parsed.argc && !o->did_something)
		return usage(p);
	for (int i = 0; i < parsed.argc; i++) {
		n = name_width(o, parsed.argv[i]);
		width = n > width ? n : width;
	}
	for (int i = 0; i < parsed.argc; i++)
		process(o, parsed.argv[i], width);
	return o->failed;
}

const struct tsb_command cmd_file = {
	.version = TSB_COMMAND_VERSION, .name = "file", .synopsis = "[OPTION]... [FILE]...",
	.summary = "determine the type of files", .package = "file", .package_version = "5.44",
	.opts = file_opts, .opts_size = sizeof(struct file), .defaults = &file_defaults,
	.run = file_run, .flags = TSB_RAW
};
