/*
 * getconf - the values of the system's configuration variables. The table is a
 * .def file; a few are asked for.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/procs.h"
#include "cmd/util.h"

enum getconf_asked { GETCONF_FIXED, GETCONF_CHILDREN, GETCONF_FILES, GETCONF_FREE_PAGES,
		     GETCONF_PAGES, GETCONF_CPUS };

static const struct getconf_row {
	const char *name, *value;	/* NULL: undefined */
	bool path;
	enum getconf_asked asked;
} getconf_rows[] = {
#define PATHVAR(name, value) { name, value, true, GETCONF_FIXED },
#define FIXED(name, value) { name, value, false, GETCONF_FIXED },
#define ASKED(name, what) { name, NULL, false, GETCONF_##what },
#include "cmd/getconf.def"
#undef PATHVAR
#undef FIXED
#undef ASKED
};

#define GETCONF_ROWS (sizeof(getconf_rows) / sizeof(*getconf_rows))

static const char getconf_usage[] =
	"Usage: getconf [-v specification] variable_name [pathname]\n"
	"       getconf -a [pathname]\n";

static const char *getconf_value(struct tsb_proc *p, const struct getconf_row *row)
{
	const char *text;

	switch (row->asked) {
	case GETCONF_CHILDREN:
		text = procs_slurp(p, "/proc/sys/kernel/threads-max", NULL);
		return text ? tsb_strndup(p, text, strcspn(text, "\n")) : NULL;
	case GETCONF_FILES:
		return "1024";
	case GETCONF_PAGES:
		return tsb_format(p, "%llu", (unsigned long long)procs_meminfo(p, "MemTotal") / 4);
	case GETCONF_FREE_PAGES:
		return tsb_format(p, "%llu", (unsigned long long)procs_meminfo(p, "MemFree") / 4);
	case GETCONF_CPUS:
		return "1";
	default:
		return row->value;
	}
}

static int getconf_misuse(struct tsb_proc *p)
{
	tsb_write_all(p, 2, getconf_usage, sizeof(getconf_usage) - 1);
	return 2;
}

static int getconf_all(struct tsb_proc *p)
{
	for (size_t i = 0; i < GETCONF_ROWS; i++) {
		const char *value = getconf_value(p, &getconf_rows[i]);

		tsb_printf(p, "%-35s%s\n", getconf_rows[i].name, value ? value : "");
	}
	return 0;
}

static int getconf_one(struct tsb_proc *p, const char *name, bool path)
{
	for (size_t i = 0; i < GETCONF_ROWS; i++) {
		const char *value;

		if (strcmp(getconf_rows[i].name, name))
			continue;
		if (getconf_rows[i].path != path)
			return getconf_misuse(p);
		value = getconf_value(p, &getconf_rows[i]);
		tsb_printf(p, "%s\n", value ? value : "undefined");
		return 0;
	}
	tsb_warn(p, "Unrecognized variable `%s'", name);
	return 2;
}

static void getconf_help(struct tsb_proc *p)
{
	tsb_puts(p, "Usage: getconf [-v SPEC] VAR\n  or:  getconf [-v SPEC] PATH_VAR PATH\n\n"
		    "Get the configuration value for variable VAR, or for variable PATH_VAR\n"
		    "for path PATH.  If SPEC is given, give values for compilation\n"
		    "environment SPEC.\n");
}

static int getconf_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	if (argc && !strcmp(argv[0], "--help")) {
		getconf_help(p);
		return 0;
	}
	if (argc && !strcmp(argv[0], "--version")) {
		tsb_puts(p, "getconf (GNU libc) 2.36\n");
		return 0;
	}
	if (argc && !strcmp(argv[0], "-a"))
		return argc > 2 ? getconf_misuse(p) : getconf_all(p);
	if (argc && !strncmp(argv[0], "-v", 2)) {
		int skip = argv[0][2] ? 1 : 2;

		if (argc < skip)
			return getconf_misuse(p);
		argc -= skip;
		argv += skip;
	}
	if (argc && !strcmp(argv[0], "--")) {
		argc--;
		argv++;
	}
	if (argc < 1 || argc > 2)
		return getconf_misuse(p);
	return getconf_one(p, argv[0], argc == 2);
}

const struct tsb_command cmd_getconf = {
	.version = TSB_COMMAND_VERSION, .package = "GNU libc", .package_version = "2.36",
	.name = "getconf", .synopsis = "[-v SPEC] VAR\n[-v SPEC] PATH_VAR PATH",
	.summary = "Get the configuration value for variable VAR, or for variable PATH_VAR\n"
		   "for path PATH.", .run = getconf_run, .flags = TSB_RAW,
};
