/*
 * cpio - copy files to and from archives (GNU cpio 2.13). The options, and what all
 * modes share. See cpio.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/num.h"
#include "base/opt.h"
#include "cmd/accounts.h"
#include "cmd/cmd.h"
#include "cmd/cpio/cpio.h"
#include "cmd/rawopt.h"

/* ---- Messages ---- */

static void cpio_vsay(struct cpio *c, int err, const char *fmt, va_list ap) TSB_PRINTF(3, 0);
static void cpio_vsay(struct cpio *c, int err, const char *fmt, va_list ap)
{
	tsb_flush(c->p);
	tsb_vwarn(c->p, err, fmt, ap);
}

void cpio_say(struct cpio *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cpio_vsay(c, err, fmt, ap);
	va_end(ap);
}

void cpio_error(struct cpio *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cpio_vsay(c, err, fmt, ap);
	va_end(ap);
	c->status = 2;
}

void cpio_fatal(struct cpio *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cpio_vsay(c, err, fmt, ap);
	va_end(ap);
	tsb_exit(c->p, 2);
}

static int cpio_bad(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	text = tsb_format(p, "Try '%s --help' or '%s --usage' for more information.\n", tsb_name(p), tsb_name(p));
	tsb_write_all(p, 2, text, strlen(text));
	return 64;
}

static void cpio_usage(struct cpio *c, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
static void cpio_usage(struct cpio *c, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(c->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	cpio_bad(c->p, s.p);
	tsb_exit(c->p, 2);
}

void cpio_blocks(struct cpio *c, uint64_t bytes)
{
	uint64_t n = bytes / c->block + (bytes % c->block != 0);
	const char *text;

	if (c->quiet)
		return;
	text = tsb_format(c->p, "%llu block%s\n", (unsigned long long)n, n == 1 ? "" : "s");
	tsb_write_all(c->p, 2, text, strlen(text));
}

void cpio_told(struct cpio *c, const char *name, int fd)
{
	if (!c->verbose && !c->dot)
		return;
	tsb_flush(c->p);
	name = c->dot ? "." : tsb_format(c->p, "%s\n", name);
	tsb_write_all(c->p, fd, name, strlen(name));
}

/* ---- What the modes share ---- */

/* Behind the last ".." that is a part of the name. */
static char *cpio_behind_parents(char *name)
{
	char *keep = name;

	for (char *s = name; s;) {
		if (s[0] == '.' && s[1] == '.' && (!s[2] || s[2] == '/'))
			keep = s + 2;
		s = strchr(s, '/');
		s += s != NULL;
	}
	return keep;
}

char *cpio_safe_name(struct cpio *c, char *name, bool is_link)
{
	char *keep;

	if (!c->relative)
		return name;
	keep = cpio_behind_parents(name);
	while (*keep == '/')
		keep++;
	if (keep != name) {
		char *cut = tsb_strndup(c->p, name, (size_t)(keep - name));
		bool *said = *cut == '/' && !cut[1] ? &c->prefix_said : &c->parent_said;

		if (!*said)
			cpio_say(c, 0, is_link ? "Removing leading `%s' from hard link targets" :
				 "Removing leading `%s' from member names", cut);
		*said = true;
	}
	return *keep ? keep : tsb_strdup(c->p, ".");
}

const char *cpio_inode(struct cpio *c, uint32_t major_, uint32_t minor_, uint64_t ino)
{
	return tsb_format(c->p, "%x:%x:%llx", major_, minor_, (unsigned long long)ino);
}

void cpio_head_of(struct cpio *c, const struct tsb_stat *st, const char *name, struct cpio_head *h)
{
	(void)c;
	*h = (struct cpio_head){
		.ino = (uint32_t)st->ino, .mode = st->mode, .uid = st->uid, .gid = st->gid, .nlink = st->nlink,
		.dev_major = major(st->dev), .dev_minor = minor(st->dev), .mtime = st->mtime.sec,
		.rdev_major = major(st->rdev), .rdev_minor = minor(st->rdev), .size = st->size,
		.name = (char *)(uintptr_t)name,
	};
}

char *cpio_next_name(struct cpio *c, struct tsb_reader *in)
{
	char *line;
	size_t n;

	while ((n = tsb_getdelim(in, &line, c->null ? '\0' : '\n'))) {
		tsb_tick(c->p, 1);
		n -= line[n - 1] == (c->null ? '\0' : '\n');
		if (n && *line)
			return tsb_strndup(c->p, line, n);
		cpio_say(c, 0, "blank line ignored");
	}
	return NULL;
}

char *cpio_member_name(struct cpio *c, const char *name)
{
	const char *from = name;

	if (name[0] == '.' && name[1] == '/')
		for (from++; *from == '/'; from++)
			;
	return tsb_strdup(c->p, *from ? from : name);
}

/* ---- Options ---- */

enum { CPIO_O_MODE, CPIO_O_BLOCK, CPIO_O_BYTES, CPIO_O_BIG, CPIO_O_OLD, CPIO_O_FORMAT, CPIO_O_OWNER, CPIO_O_WARN,
       CPIO_O_SAME, CPIO_O_LIST };

static int cpio_opt_stop(struct cpio *c, const char *text)
{
	cpio_bad(c->p, text);
	return 2;
}

static int cpio_opt_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cpio *c = opts;

	(void)arg;
	c->p = p;
	if (c->mode)
		return cpio_opt_stop(c, "Mode already defined");
	c->mode = opt->value;
	return 0;
}

static int cpio_opt_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const names[] = { "bin", "odc", "newc", "crc", "tar", "ustar", "hpbin", "hpodc" };
	struct cpio *c = opts;

	c->p = p;
	if (c->format)
		return cpio_opt_stop(c, "Archive format multiply defined");
	for (int i = 0; i < 8; i++)
		if (!strcasecmp(opt->value ? "odc" : arg, names[i]))
			c->format = i + 1;
	if (c->format)
		return 0;
	return cpio_opt_stop(c, tsb_format(p, "invalid archive format `%s'; valid formats are:\n"
					   "crc newc odc bin ustar tar (all-caps also recognized)", arg));
}

static int cpio_opt_block(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cpio *c = opts;
	uint64_t n = 5120;

	c->p = p;
	if (arg && (num_u64(arg, &n) != NUM_OK || !n || n > INT32_MAX / (unsigned)opt->value))
		return cpio_opt_stop(c, "invalid block size");
	c->block = arg ? n * (unsigned)opt->value : n;
	return 0;
}

static int cpio_opt_swap(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p, (void)arg;
	((struct cpio *)opts)->swap |= (unsigned)opt->value;
	return 0;
}

static int cpio_opt_warn(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cpio *c = opts;

	(void)opt;
	c->p = p;
	if (!strcmp(arg, "none") || !strcmp(arg, "no-truncate"))
		c->warn_truncate = false;
	else if (!strcmp(arg, "truncate") || !strcmp(arg, "all"))
		c->warn_truncate = true;
	else
		return cpio_opt_stop(c, tsb_format(p, "Invalid value for --warning option: %s", arg));
	return 0;
}

static int cpio_opt_repro(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cpio *c = opts;

	(void)p, (void)opt, (void)arg;
	c->renumber = c->no_devno = true;
	return 0;
}

/* USER, USER:GROUP, :GROUP; "+" before a number that is no name. */
static int cpio_opt_owner(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cpio *c = opts;
	size_t n = strcspn(arg, ":.");
	char *user = tsb_strndup(p, arg, n);
	const char *group = arg[n] ? arg + n + 1 : "";
	uint64_t id;
	uint32_t login = 0;

	(void)opt;
	c->p = p;
	if (*user && *user != '+' && accounts_user(p, user, &c->owner, &login)) {
		c->owner_set = true;
	} else if (*user) {
		if (num_u64(user + (*user == '+'), &id) != NUM_OK || id >= UINT32_MAX)
			return cpio_opt_stop(c, tsb_format(p, "%s: invalid user", arg));
		c->owner = (uint32_t)id;
		c->owner_set = true;
	}
	if (*group && *group != '+' && accounts_group(p, group, &c->group)) {
		c->group_set = true;
	} else if (*group) {
		if (num_u64(group + (*group == '+'), &id) != NUM_OK || id >= UINT32_MAX)
			return cpio_opt_stop(c, tsb_format(p, "%s: invalid group", arg));
		c->group = (uint32_t)id;
		c->group_set = true;
	} else if (arg[n] && c->owner_set) {
		c->group = login;
		c->group_set = true;
	}
	return 0;
}

static int cpio_opt_usage(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char text[] =
		"Usage: cpio [-ioptBcvVbfnrsSAl0aLdmu?] [-C NUMBER] [-D DIR] [-H FORMAT]\n"
		"            [-R [USER][:.][GROUP]] [-W FLAG] [-F [[USER@]HOST:]FILE-NAME]\n"
		"            [-M STRING] [-I [[USER@]HOST:]FILE-NAME] [-E FILE]\n"
		"            [-O [[USER@]HOST:]FILE-NAME] [--extract] [--create]\n"
		"            [--pass-through] [--list] [--block-size=BLOCK-SIZE]\n"
		"            [--io-size=NUMBER] [--directory=DIR] [--force-local]\n"
		"            [--format=FORMAT] [--quiet] [--owner=[USER][:.][GROUP]] [--verbose]\n"
		"            [--dot] [--warning=FLAG] [--file=[[USER@]HOST:]FILE-NAME]\n"
		"            [--message=STRING] [--rsh-command=COMMAND] [--swap] [--nonmatching]\n"
		"            [--numeric-uid-gid] [--rename] [--swap-bytes] [--swap-halfwords]\n"
		"            [--to-stdout] [--pattern-file=FILE] [--only-verify-crc] [--append]\n"
		"            [--device-independent] [--reproducible] [--ignore-devno]\n"
		"            [--renumber-inodes] [--link] [--absolute-filenames]\n"
		"            [--no-absolute-filenames] [--null] [--reset-access-time]\n"
		"            [--dereference] [--make-directories] [--preserve-modification-time]\n"
		"            [--no-preserve-owner] [--sparse] [--unconditional] [--help]\n"
		"            [--usage] [--version] [destination-directory]\n";

	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, text);
	tsb_exit(p, 0);
}

static const struct tsb_opt cpio_opts[] = {
	TSB_OPT_CALL(cpio_opt_mode, CPIO_IN, 'i', "extract", NULL, "Extract files from an archive (run in copy-in mode)"),
	TSB_OPT_CALL(cpio_opt_mode, CPIO_OUT, 'o', "create", NULL, "Create the archive (run in copy-out mode)"),
	TSB_OPT_CALL(cpio_opt_mode, CPIO_PASS, 'p', "pass-through", NULL, "Run in copy-pass mode"),
	TSB_OPT_FLAG(struct cpio, list, 't', "list", "Print a table of contents of the input"),
	TSB_OPT_CALL(cpio_opt_block, 512, 0, "block-size", "BLOCK-SIZE", "Set the I/O block size to BLOCK-SIZE * 512 bytes"),
	TSB_OPT_CALL(cpio_opt_block, 0, 'B', NULL, NULL, "Set the I/O block size to 5120 bytes"),
	TSB_OPT_CALL(cpio_opt_format, 1, 'c', NULL, NULL, "Use the old portable (ASCII) archive format"),
	TSB_OPT_CALL(cpio_opt_block, 1, 'C', "io-size", "NUMBER", "Set the I/O block size to the given NUMBER of bytes"),
	TSB_OPT_STR(struct cpio, dir, 'D', "directory", "DIR", "Change to directory DIR"),
	TSB_OPT_FLAG(struct cpio, force_local, 0, "force-local", "Archive file is local, even if its name contains colons"),
	TSB_OPT_CALL(cpio_opt_format, 0, 'H', "format", "FORMAT", "Use given archive FORMAT"),
	TSB_OPT_FLAG(struct cpio, quiet, 0, "quiet", "Do not print the number of blocks copied"),
	TSB_OPT_CALL(cpio_opt_owner, 0, 'R', "owner", "[USER][:.][GROUP]", "Set the ownership of all files created to the specified USER and/or GROUP"),
	TSB_OPT_FLAG(struct cpio, verbose, 'v', "verbose", "Verbosely list the files processed"),
	TSB_OPT_FLAG(struct cpio, dot, 'V', "dot", "Print a \".\" for each file processed"),
	TSB_OPT_CALL(cpio_opt_warn, 0, 'W', "warning", "FLAG", "Control warning display. Currently FLAG is one of 'none', 'truncate', 'all'."),
	TSB_OPT_STR(struct cpio, archive, 'F', "file", "FILE-NAME", "Use this FILE-NAME instead of standard input or output"),
	TSB_OPT_STR(struct cpio, message, 'M', "message", "STRING", "Print STRING when the end of a volume of the backup media is reached"),
	TSB_OPT_STR(struct cpio, rsh, 0, "rsh-command", "COMMAND", "Use COMMAND instead of rsh"),
	TSB_OPT_CALL(cpio_opt_swap, CPIO_SWAP_BYTES | CPIO_SWAP_HALVES, 'b', "swap", NULL, "Swap both halfwords of words and bytes of halfwords in the data"),
	TSB_OPT_FLAG(struct cpio, nonmatching, 'f', "nonmatching", "Only copy files that do not match any of the given patterns"),
	TSB_OPT_STR(struct cpio, in_name, 'I', NULL, "FILE-NAME", "Archive filename to use instead of standard input"),
	TSB_OPT_FLAG(struct cpio, numeric, 'n', "numeric-uid-gid", "In the verbose table of contents listing, show numeric UID and GID"),
	TSB_OPT_FLAG(struct cpio, rename, 'r', "rename", "Interactively rename files"),
	TSB_OPT_CALL(cpio_opt_swap, CPIO_SWAP_BYTES, 's', "swap-bytes", NULL, "Swap the bytes of each halfword in the files"),
	TSB_OPT_CALL(cpio_opt_swap, CPIO_SWAP_HALVES, 'S', "swap-halfwords", NULL, "Swap the halfwords of each word (4 bytes) in the files"),
	TSB_OPT_FLAG(struct cpio, to_stdout, 0, "to-stdout", "Extract files to standard output"),
	TSB_OPT_STR(struct cpio, pattern_file, 'E', "pattern-file", "FILE", "Read additional patterns specifying filenames to extract or list from FILE"),
	TSB_OPT_FLAG(struct cpio, only_crc, 0, "only-verify-crc", "Only verify the CRC's of each file in a CRC format archive"),
	TSB_OPT_FLAG(struct cpio, append, 'A', "append", "Append to an existing archive."),
	TSB_OPT_CALL(cpio_opt_repro, 1, 0, "device-independent", NULL, "Create device-independent (reproducible) archives"),
	TSB_OPT_CALL(cpio_opt_repro, 1, 0, "reproducible", NULL, NULL),
	TSB_OPT_FLAG(struct cpio, no_devno, 0, "ignore-devno", "Don't store device numbers"),
	TSB_OPT_STR(struct cpio, out_name, 'O', NULL, "FILE-NAME", "Archive filename to use instead of standard output"),
	TSB_OPT_FLAG(struct cpio, renumber, 0, "renumber-inodes", "Renumber inodes"),
	TSB_OPT_FLAG(struct cpio, link, 'l', "link", "Link files instead of copying them, when possible"),
	{ TSB_OPTION_SET, 0, "absolute-filenames", NULL, "Do not strip file system prefix components from the file names",
	  offsetof(struct cpio, relative_set), 0, 0, NULL },
	{ TSB_OPTION_SET, 0, "no-absolute-filenames", NULL, "Create all files relative to the current directory",
	  offsetof(struct cpio, relative_set), 1, 0, NULL },
	TSB_OPT_FLAG(struct cpio, null, '0', "null", "Filenames in the list are delimited by null characters instead of newlines"),
	TSB_OPT_FLAG(struct cpio, reset_time, 'a', "reset-access-time", "Reset the access times of files after reading them"),
	TSB_OPT_FLAG(struct cpio, deref, 'L', "dereference", "Dereference symbolic links"),
	TSB_OPT_FLAG(struct cpio, make_dirs, 'd', "make-directories", "Create leading directories where needed"),
	TSB_OPT_FLAG(struct cpio, keep_time, 'm', "preserve-modification-time", "Retain previous file modification times when creating files"),
	TSB_OPT_FLAG(struct cpio, no_chown, 0, "no-preserve-owner", "Do not change the ownership of the files"),
	TSB_OPT_FLAG(struct cpio, sparse, 0, "sparse", "Write files with large blocks of zeros as sparse files"),
	TSB_OPT_FLAG(struct cpio, unconditional, 'u', "unconditional", "Replace all files unconditionally"),
	TSB_OPT_HELP('?', NULL),
	TSB_OPT_CALL(cpio_opt_usage, 0, 0, "usage", NULL, "give a short usage message"),
	TSB_OPT_END
};

static void cpio_check(struct cpio *c, bool given, const char *option)
{
	static const char *const modes[] = { "", "extract", "create", "pass-through" };

	if (given)
		cpio_usage(c, "%s is meaningless with --%s", option, modes[c->mode]);
}

static void cpio_check_in(struct cpio *c)
{
	cpio_check(c, c->link, "--link");
	cpio_check(c, c->reset_time, "--reset");
	cpio_check(c, c->deref, "--dereference");
	cpio_check(c, c->append, "--append");
	cpio_check(c, c->out_name, "-O");
	cpio_check(c, c->renumber, "--renumber-inodes");
	cpio_check(c, c->no_devno, "--ignore-devno");
	if (c->archive && c->in_name)
		cpio_usage(c, "Both -I and -F are used in copy-in mode");
}

static void cpio_check_out(struct cpio *c, int argc)
{
	if (argc)
		cpio_usage(c, "Too many arguments");
	cpio_check(c, c->make_dirs, "--make-directories");
	cpio_check(c, c->rename, "--rename");
	cpio_check(c, c->list, "--list");
	cpio_check(c, c->unconditional, "--unconditional");
	cpio_check(c, c->link, "--link");
	cpio_check(c, c->sparse, "--sparse");
	cpio_check(c, c->keep_time, "--preserve-modification-time");
	cpio_check(c, c->no_chown, "--no-preserve-owner");
	cpio_check(c, c->swap & CPIO_SWAP_BYTES, "--swap-bytes (--swap)");
	cpio_check(c, c->swap & CPIO_SWAP_HALVES, "--swap-halfwords (--swap)");
	cpio_check(c, c->to_stdout, "--to-stdout");
	cpio_check(c, c->in_name, "-I");
	if (c->append && !c->archive && !c->out_name)
		cpio_usage(c, "--append is used but no archive file name is given (use -F or -O options)");
	if (c->archive && c->out_name)
		cpio_usage(c, "Both -O and -F are used in copy-out mode");
}

static void cpio_check_pass(struct cpio *c, int argc)
{
	if (argc != 1)
		cpio_usage(c, argc ? "Too many arguments" : "Not enough arguments");
	if (c->format)
		cpio_usage(c, "Archive format is not specified in copy-pass mode (use --format option)");
	cpio_check(c, c->swap & CPIO_SWAP_BYTES, "--swap-bytes (--swap)");
	cpio_check(c, c->swap & CPIO_SWAP_HALVES, "--swap-halfwords (--swap)");
	cpio_check(c, c->list, "--list");
	cpio_check(c, c->rename, "--rename");
	cpio_check(c, c->append, "--append");
	if (c->archive)
		cpio_fatal(c, 0, "-F can be used only with --create or --extract");
	cpio_check(c, c->renumber, "--renumber-inodes");
	cpio_check(c, c->no_devno, "--ignore-devno");
	cpio_check(c, c->to_stdout, "--to-stdout");
}

/* The archive's descriptor: a file, or the standard stream. */
static int cpio_open_archive(struct cpio *c)
{
	const char *name = c->archive ? c->archive : c->mode == CPIO_IN ? c->in_name : c->out_name;
	int flags = c->mode == CPIO_IN ? O_RDONLY : c->append ? O_RDWR : O_WRONLY | O_CREAT | O_TRUNC;
	int fd;

	if (!name)
		return c->mode == CPIO_IN ? 0 : 1;
	if (!c->force_local && strchr(name, ':') && strcspn(name, "/") > strcspn(name, ":")) {
		/* Another machine's, whatever program is to go there. */
		cpio_say(c, 0, "Cannot connect to %.*s: resolve failed", (int)strcspn(name, ":"), name);
		tsb_exit(c->p, 128);
	}
	fd = tsb_open(c->p, name, flags | O_CLOEXEC, 0666);
	if (fd < 0)
		cpio_fatal(c, fd, "Cannot open %s", name);
	return fd;
}

static void cpio_begin(struct cpio *c, int fd)
{
	int err = c->dir ? tsb_chdir(c->p, c->dir) : 0;

	if (err)
		cpio_fatal(c, err, "cannot change to directory `%s'", c->dir);
	map_init(&c->inodes, tsb_heap_of(c->p));
	zone_init(&c->zone, tsb_getenv(c->p, "TZ"));
	c->is_root = tsb_getuid(c->p) == 0;
	c->block = c->block ? c->block : 512;
	c->relative = c->relative_set == 1;
	if (c->mode == CPIO_IN)
		pack_in_open(&c->in, c->p, fd);
	else if (c->mode == CPIO_OUT)
		pack_out_open(&c->out, c->p, fd);
}

static int cpio_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed got;
	struct cpio *c;
	int status, fd = -1;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_cpio, argc, argv, &got, &status, cpio_bad))
		return status;
	c = got.opts;
	c->p = p;
	if (c->list && !c->mode)
		c->mode = CPIO_IN;
	if (!c->mode)
		cpio_usage(c, "You must specify one of -oipt options.");
	if (c->mode == CPIO_IN)
		cpio_check_in(c);
	else if (c->mode == CPIO_OUT)
		cpio_check_out(c, got.argc);
	else
		cpio_check_pass(c, got.argc);
	if (c->mode != CPIO_PASS)
		fd = cpio_open_archive(c);
	cpio_begin(c, fd);
	if (c->mode == CPIO_IN)
		cpio_copy_in(c, got.argc, got.argv);
	else if (c->mode == CPIO_OUT)
		cpio_copy_out(c);
	else
		cpio_copy_pass(c, got.argv[0]);
	return c->status;
}

const struct tsb_command cmd_cpio = {
	.version = TSB_COMMAND_VERSION, CMD_GNU("cpio", "2.13"), .name = "cpio",
	.synopsis = "[OPTION...] [destination-directory]", .summary = "Copy files to and from archives.",
	.opts = cpio_opts, .opts_size = sizeof(struct cpio), .run = cpio_run, .flags = TSB_RAW,
};
