/*
 * getent - entries of the databases that are files in /etc: passwd, group, hosts
 * and what else has lines. There is no network to ask.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/procs.h"
#include "cmd/util.h"

enum { GETENT_UNKNOWN = 1, GETENT_NONE = 2, GETENT_NO_LIST = 3 };

struct getent {
	bool no_idn, no_addrconfig;
	struct tsb_list services;
};

static const struct tsb_opt getent_opts[] = {
	TSB_OPT_FLAG(struct getent, no_idn, 'i', "no-idn", "disable IDN encoding"),
	TSB_OPT_LIST(struct getent, services, 's', "service", "CONFIG",
		     "Service configuration to be used"),
	TSB_OPT_FLAG(struct getent, no_addrconfig, 'A', "no-addrconfig",
		     "do not filter out unsupported IPv4/IPv6 addresses (with ahosts*)"),
	TSB_OPT_HELP('?', "usage"),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* One line of a file at a time, without its end; NULL at the end. */
static char *getent_line(char **at)
{
	char *line = *at, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*at = end ? end + 1 : NULL;
	return line;
}

/* The next word of a line; *at behind it; NULL: none. Comments end a line. */
static char *getent_word(char **at)
{
	char *word = *at + strspn(*at, " \t");
	size_t n = strcspn(word, " \t");

	if (!*word || *word == '#')
		return NULL;
	*at = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

/* ---- passwd, group and the like: fields between colons ---- */

static bool getent_colon_matches(const char *line, const char *key)
{
	size_t n = strcspn(line, ":");
	const char *number = line[n] ? strchr(line + n + 1, ':') : NULL;
	int64_t v;

	if (n == strlen(key) && !strncmp(line, key, n))
		return true;
	if (!number || num_i64(key, &v) != NUM_OK)
		return false;
	number++;
	n = strcspn(number, ":");
	return n == strlen(key) && !strncmp(number, key, n);
}

static int getent_colons(struct tsb_proc *p, const char *file, int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < argc || !i; i++) {
		char *text = procs_slurp(p, file, NULL), *line;
		bool found = !argc;

		while ((line = getent_line(&text))) {
			if (!*line || *line == '#' || (argc && !getent_colon_matches(line, argv[i])))
				continue;
			tsb_printf(p, "%s\n", line);
			found = true;
			if (argc)
				break;
		}
		if (!found)
			status = GETENT_NONE;
	}
	return status;
}

/* ---- hosts ---- */

/* "127.0.0.1 localhost", its addresses and names; false: not a line of that. */
static bool getent_host_line(struct tsb_proc *p, char *line, char **address, char ***names,
			     size_t *n)
{
	char *at = line, *word;
	size_t cap = 0;

	*names = NULL;
	*n = 0;
	*address = getent_word(&at);
	if (!*address)
		return false;
	while ((word = getent_word(&at))) {
		*names = util_grow(p, *names, *n, &cap, sizeof(**names));
		(*names)[(*n)++] = word;
	}
	return *n != 0;
}

static void getent_put_host(struct tsb_proc *p, const char *address, char **names, size_t n)
{
	tsb_printf(p, "%-15s", address);
	for (size_t i = 0; i < n; i++)
		tsb_printf(p, " %s", names[i]);
	tsb_putc(p, '\n');
}

static bool getent_named(const char *key, const char *address, char **names, size_t n)
{
	if (!strcmp(key, address))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(key, names[i]))
			return true;
	return false;
}

enum getent_hosts { HOSTS_LIST, HOSTS_AHOSTS };

/* ahosts: three kinds of sockets for each address. */
static void getent_put_ahost(struct tsb_proc *p, const char *address, const char *name)
{
	tsb_printf(p, "%-15s STREAM %s\n%-15s DGRAM  \n%-15s RAW    \n", address, name, address,
		   address);
}

static bool getent_host(struct tsb_proc *p, const char *key, enum getent_hosts kind, bool v6)
{
	char *text = procs_slurp(p, "/etc/hosts", NULL), *line, *address, **names;
	bool found = false;
	size_t n;

	while ((line = getent_line(&text))) {
		bool is_v6;

		if (!getent_host_line(p, line, &address, &names, &n))
			continue;
		is_v6 = strchr(address, ':') != NULL;
		if (key ? is_v6 != v6 || !getent_named(key, address, names, n) : false)
			continue;
		if (kind == HOSTS_AHOSTS)
			getent_put_ahost(p, address, names[0]);
		else
			getent_put_host(p, address, names, n);
		found = true;
		if (key)
			return true;
	}
	return found;
}

static int getent_host_database(struct tsb_proc *p, enum getent_hosts kind, bool v4, bool v6,
				int argc, char **argv)
{
	int status = 0;

	if (!argc)
		return getent_host(p, NULL, HOSTS_LIST, false) ? 0 : GETENT_NONE;
	for (int i = 0; i < argc; i++) {
		bool found = false;

		/* hosts: the newer kind first. */
		if (v6)
			found = getent_host(p, argv[i], kind, true);
		if (v4 && (!found || kind == HOSTS_AHOSTS))
			found |= getent_host(p, argv[i], kind, false);
		if (!found)
			status = GETENT_NONE;
	}
	return status;
}

/* ---- services, protocols, networks: words ---- */

static int getent_words(struct tsb_proc *p, const char *file, int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < argc || !i; i++) {
		char *text = procs_slurp(p, file, NULL), *line, *name, *value;
		bool found = !argc;

		while ((line = getent_line(&text))) {
			char *rest = line;

			name = getent_word(&rest);
			value = name ? getent_word(&rest) : NULL;
			if (!value || (argc && strcmp(name, argv[i]) && strcmp(value, argv[i])))
				continue;
			tsb_printf(p, "%-21s %s", name, value);
			while ((name = getent_word(&rest)))
				tsb_printf(p, " %s", name);
			tsb_putc(p, '\n');
			found = true;
			if (argc)
				break;
		}
		if (!found)
			status = GETENT_NONE;
	}
	return status;
}

/* ---- initgroups ---- */

static int getent_initgroups(struct tsb_proc *p, int argc, char **argv)
{
	if (!argc) {
		tsb_warn(p, "Enumeration not supported on %s", "initgroups");
		return GETENT_NO_LIST;
	}
	for (int i = 0; i < argc; i++) {
		size_t n;
		uint32_t *list = accounts_groups(p, argv[i], UINT32_MAX, &n);

		tsb_printf(p, "%-21s", argv[i]);
		for (size_t k = 0; k < n; k++)
			if (list[k] != UINT32_MAX)
				tsb_printf(p, " %u", list[k]);
		tsb_putc(p, '\n');
	}
	return 0;
}

/* The real one says this on its standard output. */
static int getent_try(struct tsb_proc *p)
{
	tsb_puts(p, "Try `getent --help' or `getent --usage' for more information.\n");
	return GETENT_UNKNOWN;
}

static int getent_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const struct { const char *name, *file; bool colons; } files[] = {
		{ "passwd", "/etc/passwd", true }, { "group", "/etc/group", true },
		{ "shadow", "/etc/shadow", true }, { "gshadow", "/etc/gshadow", true },
		{ "aliases", "/etc/aliases", false }, { "ethers", "/etc/ethers", false },
		{ "networks", "/etc/networks", false }, { "protocols", "/etc/protocols", false },
		{ "rpc", "/etc/rpc", false }, { "services", "/etc/services", false },
		{ "netgroup", "/etc/netgroup", false },
	};
	const char *text;

	(void)opts;
	if (!argc) {
		tsb_warn(p, "wrong number of arguments");
		return getent_try(p);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strcmp(files[i].name, argv[0]))
			return files[i].colons ?
			       getent_colons(p, files[i].file, argc - 1, argv + 1) :
			       getent_words(p, files[i].file, argc - 1, argv + 1);
	if (!strcmp(argv[0], "hosts"))
		return getent_host_database(p, HOSTS_LIST, true, true, argc - 1, argv + 1);
	if (!strcmp(argv[0], "ahosts"))
		return getent_host_database(p, HOSTS_AHOSTS, true, true, argc - 1, argv + 1);
	if (!strcmp(argv[0], "ahostsv4"))
		return getent_host_database(p, HOSTS_AHOSTS, true, false, argc - 1, argv + 1);
	if (!strcmp(argv[0], "ahostsv6"))
		return getent_host_database(p, HOSTS_AHOSTS, false, true, argc - 1, argv + 1);
	if (!strcmp(argv[0], "initgroups"))
		return getent_initgroups(p, argc - 1, argv + 1);
	text = tsb_format(p, "Unknown database: %s\n", argv[0]);
	tsb_write_all(p, 2, text, strlen(text));
	return getent_try(p);
}

const struct tsb_command cmd_getent = {
	.version = TSB_COMMAND_VERSION, .package = "GNU libc", .package_version = "2.36",
	.name = "getent", .synopsis = "[OPTION...] database [key ...]",
	.summary = "Get entries from administrative database.", .opts = getent_opts,
	.opts_size = sizeof(struct getent), .run = getent_run, .usage_status = 64,
};
