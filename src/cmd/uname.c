/*
 * uname, arch, nproc, hostname, tty - what machine this is. The kernel's names
 * come from /proc, so that they agree with what scripts read there.
 */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/util.h"
#include "cmd/whole.h"

/* First line of a small file; "unknown" if it cannot be read. */
static const char *uname_read(struct tsb_proc *p, const char *path)
{
	char buf[512];
	int fd = tsb_open(p, path, O_RDONLY, 0);
	ssize_t n = fd < 0 ? -1 : tsb_read(p, fd, buf, sizeof(buf));

	if (fd >= 0)
		tsb_close(p, fd);
	if (n <= 0)
		return "unknown";
	for (ssize_t i = 0; i < n; i++)
		if (buf[i] == '\n')
			n = i;
	return tsb_strndup(p, buf, (size_t)n);
}

/* "#1 SMP ..." out of "Linux version 6.1.0 (...) #1 SMP ...". */
static const char *uname_version(struct tsb_proc *p)
{
	const char *line = uname_read(p, "/proc/version"), *at = strchr(line, '#');

	return at ? at : line;
}

static const char *uname_machine(void)
{
#if defined(__aarch64__)
	return "aarch64";
#else
	return "x86_64";
#endif
}

enum { UNAME_S = 1, UNAME_N = 2, UNAME_R = 4, UNAME_V = 8, UNAME_M = 16, UNAME_P = 32,
       UNAME_I = 64, UNAME_O = 128, UNAME_ALL = 255 };

struct uname {
	unsigned what;
};

static int uname_add(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct uname *o = opts;

	(void)p;
	(void)arg;
	o->what |= (unsigned)opt->value;
	return 0;
}

static const struct tsb_opt uname_opts[] = {
	TSB_OPT_CALL(uname_add, UNAME_ALL | 256, 'a', "all", NULL,
		     "print all information, in the following order,\n"
		     "except omit -p and -i if unknown:"),
	TSB_OPT_CALL(uname_add, UNAME_S, 's', "kernel-name", NULL, "print the kernel name"),
	TSB_OPT_CALL(uname_add, UNAME_N, 'n', "nodename", NULL, "print the network node hostname"),
	TSB_OPT_CALL(uname_add, UNAME_R, 'r', "kernel-release", NULL, "print the kernel release"),
	TSB_OPT_CALL(uname_add, UNAME_V, 'v', "kernel-version", NULL, "print the kernel version"),
	TSB_OPT_CALL(uname_add, UNAME_M, 'm', "machine", NULL, "print the machine hardware name"),
	TSB_OPT_CALL(uname_add, UNAME_P, 'p', "processor", NULL,
		     "print the processor type (non-portable)"),
	TSB_OPT_CALL(uname_add, UNAME_I, 'i', "hardware-platform", NULL,
		     "print the hardware platform (non-portable)"),
	TSB_OPT_CALL(uname_add, UNAME_O, 'o', "operating-system", NULL, "print the operating system"),
	TSB_OPT_END
};

static void uname_put(struct tsb_proc *p, bool *first, const char *text)
{
	if (!*first)
		tsb_putc(p, ' ');
	*first = false;
	tsb_puts(p, text);
}

static int uname_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct uname *o = opts;
	unsigned what = o->what ? o->what : UNAME_S;
	bool first = true;

	if (argc)
		return util_extra_operand(p, argv[0]);
	if (what & UNAME_S)
		uname_put(p, &first, uname_read(p, "/proc/sys/kernel/ostype"));
	if (what & UNAME_N)
		uname_put(p, &first, tsb_hostname(p));
	if (what & UNAME_R)
		uname_put(p, &first, uname_read(p, "/proc/sys/kernel/osrelease"));
	if (what & UNAME_V)
		uname_put(p, &first, uname_version(p));
	if (what & UNAME_M)
		uname_put(p, &first, uname_machine());
	/* Debian's uname knows neither; -a leaves out what is unknown. */
	if ((what & UNAME_P) && !(what & 256))
		uname_put(p, &first, "unknown");
	if ((what & UNAME_I) && !(what & 256))
		uname_put(p, &first, "unknown");
	if (what & UNAME_O)
		uname_put(p, &first, "GNU/Linux");
	tsb_putc(p, '\n');
	return 0;
}

const struct tsb_command cmd_uname = {
	CMD_COREUTILS, .name = "uname", .synopsis = "[OPTION]...",
	.summary = "Print certain system information.  With no OPTION, same as -s.",
	.opts = uname_opts, .opts_size = sizeof(struct uname), .run = uname_run,
};

static int arch_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	if (argc)
		return util_extra_operand(p, argv[0]);
	tsb_printf(p, "%s\n", uname_machine());
	return 0;
}

const struct tsb_command cmd_arch = {
	CMD_COREUTILS, .name = "arch", .synopsis = "[OPTION]...",
	.summary = "Print machine architecture.", .run = arch_run,
};

/* ---- nproc ---- */

struct nproc {
	bool all;
	const char *ignore;
};

static const struct tsb_opt nproc_opts[] = {
	TSB_OPT_FLAG(struct nproc, all, 0, "all", "print the number of installed processors"),
	TSB_OPT_STR(struct nproc, ignore, 0, "ignore", "N", "if possible, exclude N processing units"),
	TSB_OPT_END
};

static uint64_t nproc_env(struct tsb_proc *p, const char *name)
{
	const char *s = tsb_getenv(p, name);
	char *copy = s ? tsb_strdup(p, s) : NULL;
	uint64_t v;

	if (!copy)
		return 0;
	copy[strcspn(copy, ",")] = '\0';
	return num_u64(copy, &v) == NUM_OK ? v : 0;
}

static int nproc_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct nproc *o = opts;
	uint64_t n = 1, ignore = 0, limit;

	if (o->ignore && whole_parse(p, o->ignore, 0, UINT64_MAX, NULL, "invalid number", &ignore))
		return 1;
	if (argc)
		return util_extra_operand(p, argv[0]);
	/* One thread runs a sandbox; OpenMP's variables are honoured as by GNU's. */
	if (!o->all) {
		n = nproc_env(p, "OMP_NUM_THREADS");
		limit = nproc_env(p, "OMP_THREAD_LIMIT");
		n = n ? n : 1;
		if (limit && n > limit)
			n = limit;
	}
	tsb_printf(p, "%llu\n", (unsigned long long)(n > ignore ? n - ignore : 1));
	return 0;
}

const struct tsb_command cmd_nproc = {
	CMD_COREUTILS, .name = "nproc", .synopsis = "[OPTION]...",
	.summary = "Print the number of processing units available to the current process,\n"
		   "which may be less than the number of online processors.",
	.opts = nproc_opts, .opts_size = sizeof(struct nproc), .run = nproc_run,
};

/* ---- hostname (Debian's) ---- */

enum {
	HOST_NAME, HOST_SHORT, HOST_DOMAIN, HOST_ADDRESS, HOST_ALL_ADDRESSES, HOST_FQDN, HOST_ALIAS,
	HOST_ALL_FQDNS, HOST_NIS
};

struct hostname {
	int what;
	bool boot;
	const char *file;
};

static const struct tsb_opt hostname_opts[] = {
	TSB_OPT_SET(struct hostname, what, HOST_ALL_ADDRESSES, 'I', "all-ip-addresses",
		    "all addresses for the host"),
	TSB_OPT_SET(struct hostname, what, HOST_ALIAS, 'a', "alias", "alias names"),
	TSB_OPT_SET(struct hostname, what, HOST_ALL_FQDNS, 'A', "all-fqdns",
		    "all long host names (FQDNs)"),
	TSB_OPT_FLAG(struct hostname, boot, 'b', "boot", "set default hostname if none available"),
	TSB_OPT_STR(struct hostname, file, 'F', "file", "FILE", "read host name from given file"),
	TSB_OPT_SET(struct hostname, what, HOST_NIS, 'y', "yp", "NIS/YP domain name"),
	TSB_OPT_SET(struct hostname, what, HOST_NIS, 0, "nis", NULL),
	TSB_OPT_SET(struct hostname, what, HOST_DOMAIN, 'd', "domain", "DNS domain name"),
	TSB_OPT_STR(struct hostname, file, 'F', "file", "FILE",
		    "read host name or NIS domain name from given file"),
	TSB_OPT_SET(struct hostname, what, HOST_FQDN, 'f', "fqdn", "long host name (FQDN)"),
	TSB_OPT_SET(struct hostname, what, HOST_FQDN, 0, "long", NULL),
	TSB_OPT_SET(struct hostname, what, HOST_ADDRESS, 'i', "ip-address",
		    "addresses for the host name"),
	TSB_OPT_SET(struct hostname, what, HOST_SHORT, 's', "short", "short host name"),
	TSB_OPT_SET(struct hostname, what, HOST_NIS, 'y', "yp", "NIS/YP domain name"),
	TSB_OPT_SET(struct hostname, what, HOST_NIS, 0, "nis", NULL),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static int hostname_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct hostname *o = opts;
	const char *name = tsb_hostname(p);
	size_t first = strcspn(name, ".");

	(void)argv;
	if (o->file && !o->boot && tsb_access(p, o->file, TSB_R_OK) < 0) {
		tsb_warn(p, "%s", tsb_strerror(tsb_access(p, o->file, TSB_R_OK)));
		return 1;
	}
	if (argc || o->file) {
		tsb_warn(p, "you must be root to change the host name");
		return 1;
	}
	switch (o->what) {
	case HOST_SHORT:
		tsb_printf(p, "%.*s\n", (int)first, name);
		break;
	case HOST_DOMAIN:
		if (name[first])
			tsb_printf(p, "%s\n", name + first + 1);
		break;
	case HOST_ADDRESS:
		tsb_puts(p, "127.0.1.1\n");
		break;
	case HOST_ALL_ADDRESSES:	/* no network, so no address but loopback */
	case HOST_ALL_FQDNS:
	case HOST_ALIAS:
		tsb_puts(p, "\n");
		break;
	case HOST_NIS:
		tsb_puts(p, "hostname: Local domain name not set\n");
		return 1;
	default:
		tsb_printf(p, "%s\n", name);
	}
	return 0;
}

const struct tsb_command cmd_hostname = {
	.version = TSB_COMMAND_VERSION, .package = "hostname", .package_version = "3.23",
	.name = "hostname", .synopsis = "[-a|-A|-d|-f|-i|-I|-s|-y]\n[-b] {HOSTNAME|-F FILE}",
	.summary = "Print the host name.", .opts = hostname_opts,
	.opts_size = sizeof(struct hostname), .run = hostname_run, .usage_status = 255,
};

/* ---- tty ---- */

struct tty {
	bool silent;
};

static const struct tsb_opt tty_opts[] = {
	TSB_OPT_FLAG(struct tty, silent, 's', "silent", "print nothing, only return an exit status"),
	TSB_OPT_FLAG(struct tty, silent, 0, "quiet", NULL),
	TSB_OPT_END
};

static int tty_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct tty *o = opts;
	bool tty = tsb_isatty(p, 0);

	if (argc) {
		util_extra_operand(p, argv[0]);
		return 2;
	}
	if (!o->silent)
		tsb_puts(p, tty ? "/dev/tty\n" : "not a tty\n");
	if (util_write_failed(p))
		return 3;
	return tty ? 0 : 1;
}

const struct tsb_command cmd_tty = {
	CMD_COREUTILS, .name = "tty", .synopsis = "[OPTION]...",
	.summary = "Print the file name of the terminal connected to standard input.",
	.opts = tty_opts, .opts_size = sizeof(struct tty), .run = tty_run, .usage_status = 2,
};
