/*
 * dos2unix, unix2dos, mac2unix, unix2mac - the ends of lines, and with -iso the
 * characters, of one system for those of another.
 *
 * A file is read whole, seen as units (bytes, or the words of UTF-16), converted,
 * and written over itself or to another.
 */
#include "cmd/dos2unix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/opt.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/iconv.h"

/* ---- Options: its own, since -iso and -ul are words ---- */

static const struct {
	const char *word, *also;
	char what;
} dos_words[] = {
	{ "-b", "--keep-bom", 'b' }, { "-f", "--force", 'f' }, { "-k", "--keepdate", 'k' },
	{ "-l", "--newline", 'l' }, { "-m", "--add-bom", 'm' }, { "-n", "--newfile", 'n' },
	{ "-o", "--oldfile", 'o' }, { "-q", "--quiet", 'q' }, { "-r", "--remove-bom", 'r' },
	{ "-s", "--safe", 's' }, { "-u", "--keep-utf16", 'u' }, { "-ul", "--assume-utf16le", 'U' },
	{ "-ub", "--assume-utf16be", 'B' }, { "-v", "--verbose", 'v' },
	{ "-F", "--follow-symlink", 'F' }, { "-R", "--replace-symlink", 'R' },
	{ "-S", "--skip-symlink", 'S' }, { "-7", "-7", '7' }, { "-ascii", "-ascii", 'a' },
	{ "-iso", "-iso", 'i' }, { "-h", "--help", 'h' }, { "-V", "--version", 'V' },
	{ "-437", "-437", 'p' }, { "-850", "-850", 'p' }, { "-860", "-860", 'p' },
	{ "-863", "-863", 'p' }, { "-865", "-865", 'p' }, { "-1252", "-1252", 'p' },
	{ "--allow-chown", "--allow-chown", '.' }, { "--no-allow-chown", "--no-allow-chown", '.' },
};

static const struct tsb_opt dos_opts[] = {
	{ TSB_OPTION_FLAG, 'b', "keep-bom", NULL, "keep Byte Order Mark", 0, 1, 0, NULL },
	{ TSB_OPTION_STR, 'c', "convmode", "MODE", "ascii, 7bit, iso, mac", 0, 0, 0, NULL },
	{ TSB_OPTION_FLAG, 'f', "force", NULL, "force conversion of binary files", 0, 1, 0, NULL },
	{ TSB_OPTION_STR, 'i', "info", "FLAGS", "display file information", 0, 0,
	  TSB_ARG_OPTIONAL, NULL },
	{ TSB_OPTION_FLAG, 'k', "keepdate", NULL, "keep output file date", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'l', "newline", NULL, "add additional newline", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'm', "add-bom", NULL, "add Byte Order Mark", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'n', "newfile", NULL, "write to new file", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'o', "oldfile", NULL, "write to old file (default)", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'q', "quiet", NULL, "suppress all warnings", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'r', "remove-bom", NULL, "remove Byte Order Mark", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 's', "safe", NULL, "skip binary files (default)", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'u', "keep-utf16", NULL,
	  "keep UTF-16 encoding (-ul, -ub: the input is UTF-16)", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'v', "verbose", NULL, "verbose operation", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'F', "follow-symlink", NULL, "follow symbolic links", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'R', "replace-symlink", NULL, "replace symbolic links", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'S', "skip-symlink", NULL, "skip symbolic links (default)", 0, 1, 0, NULL },
	{ TSB_OPTION_FLAG, 'L', "license", NULL, "display the software's license", 0, 1, 0, NULL },
	TSB_OPT_WORD("-ascii", NULL, "ends of lines only (the default)"),
	TSB_OPT_WORD("-iso", NULL, "between DOS and ISO 8859-1 characters, code page 437"),
	TSB_OPT_WORD("-437", NULL, "the same, and so -850, -860, -863, -865, -1252"),
	TSB_OPT_WORD("-850", NULL, NULL), TSB_OPT_WORD("-860", NULL, NULL),
	TSB_OPT_WORD("-863", NULL, NULL), TSB_OPT_WORD("-865", NULL, NULL),
	TSB_OPT_WORD("-1252", NULL, NULL),
	TSB_OPT_WORD("-7", NULL, "characters above 127 become spaces"),
	TSB_OPT_WORD("-ul", NULL, "the input is UTF-16, little end first"),
	TSB_OPT_WORD("--assume-utf16le", NULL, NULL),
	TSB_OPT_WORD("-ub", NULL, "the input is UTF-16, big end first"),
	TSB_OPT_WORD("--assume-utf16be", NULL, NULL),
	TSB_OPT_WORD("--allow-chown", NULL, "the new file may get another owner"),
	TSB_OPT_WORD("--no-allow-chown", NULL, "it may not (the default)"),
	TSB_OPT_WORD("-h", NULL, "display this help"), TSB_OPT_WORD("--help", NULL, NULL),
	TSB_OPT_WORD("-V", NULL, "display the version"), TSB_OPT_WORD("--version", NULL, NULL),
	TSB_OPT_END
};

static void dos_show(struct tsb_proc *p, const struct tsb_command *cmd, bool version)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (version)
		opt_version(&text, cmd, tsb_name(p));
	else
		opt_help(&text, cmd, tsb_name(p));
	tsb_put(p, text.p, text.n);
}

/* The page would be the system's, of which there is none. */
static void dos_set_iso(struct dos *d)
{
	d->chars = 'i';
	d->page = NULL;
	d->asked_page = true;
}

static bool dos_option(struct dos *d, const char *word)
{
	size_t i = 0, n = sizeof(dos_words) / sizeof(*dos_words);

	while (i < n && strcmp(word, dos_words[i].word) != 0 && strcmp(word, dos_words[i].also) != 0)
		i++;
	switch (i < n ? dos_words[i].what : '\0') {
	case 'b': d->bom = DOS_KEEP; break;
	case 'm': d->bom = DOS_ADD; break;
	case 'r': d->bom = DOS_REMOVE; break;
	case 'f': d->force = true; break;
	case 's': d->force = false; break;
	case 'k': d->keep_date = true; break;
	case 'l': d->newline = true; break;
	case 'n': d->new_file = true; break;
	case 'o': d->new_file = false; break;
	case 'q': d->quiet = true; break;
	case 'v': d->verbose = true; break;
	case 'u': d->keep_16 = true; break;
	case 'U': d->assume = 'l'; break;
	case 'B': d->assume = 'b'; break;
	case 'F': case 'R': case 'S': d->links = dos_words[i].what; break;
	case '7': d->chars = '7'; break;
	case 'a': d->chars = 'a'; break;
	case 'i': dos_set_iso(d); break;
	case 'p':
		d->chars = 'i';
		d->page = dos_words[i].word + 1;
		break;
	case '.': break;
	default: return false;
	}
	return true;
}

static bool dos_mode(struct dos *d, const char *mode)
{
	if (!strcmp(mode, "ascii"))
		d->chars = 'a';
	else if (!strcmp(mode, "7bit"))
		d->chars = '7';
	else if (!strcmp(mode, "iso"))
		dos_set_iso(d);
	else if (!strcmp(mode, "mac"))
		d->mac = true;
	else {
		tsb_warn(d->p, "invalid %s conversion mode specified", mode);
		return false;
	}
	return true;
}

/* ---- What a file is ---- */

void dos_look(struct dos *d, struct dos_file *f)
{
	const unsigned char *s = (const unsigned char *)f->text.p;
	size_t n = f->text.n;

	f->mark = "no_bom";
	f->at = 0;
	f->wide = d->assume;
	if (n >= 2 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff))) {
		f->wide = s[0] == 0xff ? 'l' : 'b';
		f->mark = f->wide == 'l' ? "UTF-16LE" : "UTF-16BE";
		f->at = 2;
	} else if (n >= 3 && s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf) {
		f->mark = "UTF-8";
		f->at = 3;
	} else if (n >= 4 && s[0] == 0x84 && s[1] == 0x31 && s[2] == 0x95 && s[3] == 0x33) {
		f->mark = "GB18030";
		f->at = 4;
	}
}

int32_t dos_unit(const struct dos_file *f, size_t *at)
{
	const unsigned char *s = (const unsigned char *)f->text.p;
	int32_t v;

	if (!f->wide)
		return *at < f->text.n ? s[(*at)++] : -1;
	if (f->text.n - *at < 2)
		return -1;
	v = f->wide == 'l' ? s[*at] | s[*at + 1] << 8 : s[*at] << 8 | s[*at + 1];
	*at += 2;
	return v;
}

bool dos_is_binary(int32_t c)
{
	return c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f';
}

static void dos_say(struct dos *d, const char *text)
{
	if (!d->quiet)
		tsb_warn(d->p, "%s", text);
}

/* ---- Conversion ---- */

static void dos_put(struct dos *d, struct dos_file *f, int32_t c)
{
	char bytes[4];

	if (f->wide && d->keep_16) {
		str_addc(&f->out, f->wide == 'l' ? c & 255 : c >> 8);
		str_addc(&f->out, f->wide == 'l' ? c >> 8 : c & 255);
	} else if (f->wide) {
		/* Two halves make one character. */
		if (c >= 0xd800 && c < 0xdc00) {
			f->half = c;
			return;
		}
		if (f->half && c >= 0xdc00 && c < 0xe000)
			c = 0x10000 + ((f->half - 0xd800) << 10) + (c - 0xdc00);
		f->half = 0;
		str_addn(&f->out, bytes, utf8_encode(bytes, (uint32_t)c));
	} else {
		str_addc(&f->out, c);
	}
}

static int32_t dos_char(const struct dos *d, int32_t c)
{
	if (c < 128 || d->chars == 'a')
		return c;
	if (d->chars == '7')
		return ' ';
	if (d->to_unix)
		return d->set->high[c & 127] >= 160 && d->set->high[c & 127] < 256 ?
			d->set->high[c & 127] : '.';
	for (int i = 0; i < 128; i++)
		if (d->set->high[i] == c)
			return i + 128;
	return '.';
}

static void dos_break(struct dos *d, struct dos_file *f)
{
	for (int i = 0; i <= d->newline; i++) {
		if (!d->to_unix)
			dos_put(d, f, '\r');
		if (d->to_unix || !d->mac)
			dos_put(d, f, '\n');
	}
	f->converted++;
}

/* A unit that may begin the end of a line. */
static void dos_unit_out(struct dos *d, struct dos_file *f, int32_t c, size_t *at)
{
	size_t behind = *at;
	int32_t next = c == '\r' ? dos_unit(f, &behind) : -1;

	f->lines += c == '\n' || (d->mac && c == '\r');
	if (c == '\n' && !d->to_unix) {
		dos_break(d, f);
	} else if (c == '\r' && !d->to_unix) {
		/* What is behind it stays what it is. */
		dos_put(d, f, c);
		if (next >= 0)
			dos_put(d, f, next);
		f->lines += next == '\n';
		*at = behind;
	} else if (c == '\r' && d->mac ? next != '\n' : c == '\r' && next == '\n') {
		if (!d->mac) {
			f->lines++;
			*at = behind;
		}
		dos_break(d, f);
	} else {
		dos_put(d, f, c == '\n' || c == '\r' || f->wide ? c : dos_char(d, c));
	}
}

static void dos_put_mark(struct dos *d, struct dos_file *f, const char *name)
{
	const char *mark = f->wide && d->keep_16 ? f->wide == 'l' ? "UTF-16LE" : "UTF-16BE" : "UTF-8";

	if (d->verbose && f->at)
		dos_say(d, tsb_format(d->p, "Input file %s has %s BOM.", name, f->mark));
	if (d->bom != DOS_ADD && !(d->bom == DOS_KEEP && (f->at || f->wide)))
		return;
	if (d->verbose)
		dos_say(d, tsb_format(d->p, "Writing %s BOM.", mark));
	if (f->wide && d->keep_16)
		dos_put(d, f, 0xfeff);
	else
		str_addn(&f->out, "\xef\xbb\xbf", 3);
}

/* Into f->out: false if it is a binary file. */
static bool dos_convert(struct dos *d, struct dos_file *f, const char *name)
{
	size_t at = f->at, line = 1, units = 0;
	int32_t c;

	dos_put_mark(d, f, name);
	while ((c = dos_unit(f, &at)) >= 0) {
		if (!d->force && dos_is_binary(c)) {
			if (!d->quiet)
				tsb_warn(d->p, f->wide ? "Binary symbol 0x%04X found at line %zu" :
					 "Binary symbol 0x%02X found at line %zu", (unsigned)c, line);
			return false;
		}
		line += c == '\n';
		dos_unit_out(d, f, c, &at);
		if (!(++units & 4095))
			tsb_tick(d->p, 64);
	}
	return true;
}

/* ---- Files ---- */

bool dos_read(struct dos *d, int fd, struct dos_file *f)
{
	struct tsb_reader in;
	char *data;
	size_t n;

	str_init(&f->text, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	str_init(&f->out, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, d->p, fd);
	while ((n = tsb_getblock(&in, &data))) {
		str_addn(&f->text, data, n);
		tsb_tick(d->p, n / 64 + 1);
	}
	tsb_reader_end(&in);
	if (!in.error)
		return true;
	tsb_warn(d->p, "can not read from input file: %s", tsb_strerror(in.error));
	d->status = -in.error;
	return false;
}

static void dos_say_breaks(struct dos *d, const struct dos_file *f)
{
	if (d->verbose)
		dos_say(d, tsb_format(d->p, "Converted %zu out of %zu line breaks.", f->converted,
				      f->lines));
}

static void dos_say_converted(struct dos *d, const struct dos_file *f, const char *from,
			      const char *to)
{
	const char *system = d->to_unix ? "Unix" : d->mac ? "Mac" : "DOS";
	const char *wide = f->wide == 'l' ? "UTF-16LE " : f->wide ? "UTF-16BE " : "";
	const char *out = !f->wide ? "" : d->keep_16 ? wide : "UTF-8 ";

	dos_say_breaks(d, f);
	if (to)
		dos_say(d, tsb_format(d->p, "converting %sfile %s to %sfile %s in %s format...", wide,
				      from, out, to, system));
	else
		dos_say(d, tsb_format(d->p, "converting %sfile %s to %s%s format...", wide, from, out,
				      system));
}

static int dos_write(struct dos *d, const char *name, const struct dos_file *f, uint32_t mode)
{
	int fd = tsb_open(d->p, name, O_WRONLY | O_CREAT | O_TRUNC, mode & 0777), err;

	if (fd < 0)
		return fd;
	err = tsb_write_all(d->p, fd, f->out.p, f->out.n);
	tsb_close(d->p, fd);
	return err;
}

static void dos_fail(struct dos *d, int err, const char *name)
{
	if (d->quiet)
		return;
	d->status = -err;
	tsb_warn_errno(d->p, err, "%s", name);
}

int dos_open(struct dos *d, const char *name, struct tsb_stat *st)
{
	int err = tsb_stat(d->p, name, st), fd;

	if (err)
		dos_fail(d, err, name);
	if (err || !S_ISREG(st->mode)) {
		dos_say(d, tsb_format(d->p, "Skipping %s, not a regular file.", name));
		return -1;
	}
	fd = tsb_open(d->p, name, O_RDONLY, 0);
	if (fd < 0)
		dos_fail(d, fd, name);
	return fd;
}

/* to: NULL for the file itself. */
static void dos_file_one(struct dos *d, const char *from, const char *to)
{
	struct dos_file f = { 0 };
	struct tsb_setattr times = { 0 };
	struct tsb_stat st, link;
	int fd, err;

	if (!to && d->links == 'S' && !tsb_lstat(d->p, from, &link) && S_ISLNK(link.mode)) {
		dos_say(d, tsb_format(d->p, "Skipping symbolic link %s.", from));
		return;
	}
	fd = dos_open(d, from, &st);
	if (fd < 0)
		return;
	if (!dos_read(d, fd, &f)) {
		tsb_close(d->p, fd);
		return;
	}
	tsb_close(d->p, fd);
	dos_look(d, &f);
	if (!dos_convert(d, &f, from)) {
		dos_say(d, tsb_format(d->p, "Skipping binary file %s", from));
		return;
	}
	if (!to && d->links == 'R')
		tsb_unlink(d->p, from);
	err = dos_write(d, to ? to : from, &f, st.mode);
	if (err) {
		dos_fail(d, err, to ? to : from);
		return;
	}
	if (d->keep_date) {
		times.mask = TSB_SET_ATIME | TSB_SET_MTIME;
		times.atime = st.atime;
		times.mtime = st.mtime;
		tsb_setattr(d->p, to ? to : from, &times, true);
	}
	dos_say_converted(d, &f, from, to);
	str_end(&f.text);
	str_end(&f.out);
}

static void dos_filter(struct dos *d)
{
	struct dos_file f = { 0 };
	bool ok;

	d->quiet = !d->verbose;
	if (!dos_read(d, 0, &f))
		return;
	dos_look(d, &f);
	d->quiet = false;
	ok = dos_convert(d, &f, "stdin");
	tsb_put(d->p, f.out.p, f.out.n);
	if (!ok) {
		dos_say(d, "Skipping binary file stdin");
		d->status = 1;
	} else {
		dos_say_breaks(d, &f);
	}
}

/* ---- The commands ---- */

static void dos_settle(struct dos *d)
{
	const char *name = tsb_format(d->p, "CP%s", d->page ? d->page : "437");

	d->set = iconv_sets;
	while (d->set->name && strcmp(d->set->name, name) != 0)
		d->set++;
	if (d->chars == 'i' && !d->said_page) {
		if (d->asked_page)
			dos_say(d, "active code page: 0");
		dos_say(d, tsb_format(d->p, "using code page %s.", name + 2));
		d->said_page = true;
	}
}

enum { DOS_GOES_ON = -1 };

/* argv[*i], an option with its argument: DOS_GOES_ON, or the exit status. */
static int dos_word(struct dos *d, const struct tsb_command *cmd, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	bool version = !strcmp(word, "-V") || !strcmp(word, "--version") ||
		       !strcmp(word, "-L") || !strcmp(word, "--license");

	if (version || !strcmp(word, "-h") || !strcmp(word, "--help")) {
		dos_show(d->p, cmd, version);
		return 0;
	}
	if (!strcmp(word, "-c") || !strcmp(word, "--convmode")) {
		if (*i + 1 == argc) {
			tsb_warn(d->p, "option '%s' requires an argument", word);
			return 1;
		}
		return dos_mode(d, argv[++*i]) ? DOS_GOES_ON : 1;
	}
	if (!strncmp(word, "--info", 6))
		return dos_info_flags(d, word + 6 + (word[6] == '=')) ? DOS_GOES_ON : 1;
	if (!strncmp(word, "-i", 2) && strcmp(word, "-iso") != 0)
		return dos_info_flags(d, word + 2) ? DOS_GOES_ON : 1;
	if (dos_option(d, word))
		return DOS_GOES_ON;
	dos_show(d->p, cmd, false);
	return 1;
}

/* argv[*i], a file, with its target where there is one. */
static int dos_operand(struct dos *d, int argc, char **argv, int *i)
{
	dos_settle(d);
	if (d->info) {
		dos_info(d, argv[*i]);
	} else if (d->new_file && *i + 1 == argc) {
		tsb_warn(d->p, "target of file %s not specified in new-file mode", argv[*i]);
		return 1;
	} else {
		dos_file_one(d, argv[*i], d->new_file ? argv[*i + 1] : NULL);
		*i += d->new_file;
	}
	return DOS_GOES_ON;
}

static int dos_main(struct tsb_proc *p, const struct tsb_command *cmd, bool to_unix, bool mac,
		    int argc, char **argv)
{
	struct dos d = { .p = p, .to_unix = to_unix, .mac = mac, .links = 'S', .chars = 'a' };
	bool options = true, any = false;
	int status;

	d.bom = to_unix ? DOS_REMOVE : DOS_KEEP;
	for (int i = 0; i < argc; i++) {
		if (options && !strcmp(argv[i], "--")) {
			options = false;
			continue;
		}
		if (options && argv[i][0] == '-' && argv[i][1]) {
			status = dos_word(&d, cmd, argc, argv, &i);
		} else {
			any = true;
			status = dos_operand(&d, argc, argv, &i);
		}
		if (status != DOS_GOES_ON)
			return status;
	}
	if (any)
		return d.status;
	dos_settle(&d);
	if (d.info)
		dos_info(&d, NULL);
	else
		dos_filter(&d);
	return d.status;
}

#define DOS_COMMAND(command, unix_too, mac_too, text) \
	static int command##_run(struct tsb_proc *p, void *opts, int argc, char **argv) \
	{ \
		(void)opts; \
		return dos_main(p, &cmd_##command, unix_too, mac_too, argc, argv); \
	} \
	const struct tsb_command cmd_##command = { \
		.version = TSB_COMMAND_VERSION, .package = "dos2unix", .package_version = "7.4.3 (2022-06-05)", \
		.name = #command, .synopsis = "[options] [file ...] [-n infile outfile ...]", \
		.summary = text, .opts = dos_opts, .opts_size = sizeof(struct dos), \
		.run = command##_run, .flags = TSB_RAW | TSB_NO_HELP, \
	}

DOS_COMMAND(dos2unix, true, false, "Convert the ends of lines from DOS to Unix format.");
DOS_COMMAND(unix2dos, false, false, "Convert the ends of lines from Unix to DOS format.");
DOS_COMMAND(mac2unix, true, true, "Convert the ends of lines from Mac to Unix format.");
DOS_COMMAND(unix2mac, false, true, "Convert the ends of lines from Unix to Mac format.");
