/*
 * locale - what the locale settings say. The locales there are, are C, POSIX and
 * C.UTF-8, which differ only in their character set.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/locale.h"
#include "cmd/util.h"

static const char *const locale_categories[] = {
	"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER",
	"LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
};

/* kind: s a string, l strings, n a number, c the character set. */
static const struct locale_row {
	const char *category, *key;
	char kind;
	const char *value;
} locale_rows[] = {
#define ROW(category, key, kind, value) { category, key, kind, value },
#include "cmd/localecmd.def"
#undef ROW
};

#define LOCALE_ROWS (sizeof(locale_rows) / sizeof(*locale_rows))

struct locale_opts {
	bool all, charmaps, category, keyword, verbose;
};

static const struct tsb_opt locale_opts[] = {
	TSB_OPT_FLAG(struct locale_opts, all, 'a', "all-locales", "Write names of available locales"),
	TSB_OPT_FLAG(struct locale_opts, charmaps, 'm', "charmaps",
		     "Write names of available charmaps"),
	TSB_OPT_FLAG(struct locale_opts, category, 'c', "category-name",
		     "Write names of selected categories"),
	TSB_OPT_FLAG(struct locale_opts, keyword, 'k', "keyword-name",
		     "Write names of selected keywords"),
	TSB_OPT_FLAG(struct locale_opts, verbose, 'v', "verbose", "Print more information"),
	TSB_OPT_HELP('?', "usage"),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static const char *locale_env(struct tsb_proc *p, const char *name)
{
	const char *v = tsb_getenv(p, name);

	return v ? v : "";
}

static bool locale_known(const char *name)
{
	static const char *const names[] = { "", "C", "POSIX", "C.UTF-8", "C.utf8" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(names[i], name))
			return true;
	return false;
}

static const char *locale_effective(struct tsb_proc *p, const char *category)
{
	const char *v = locale_env(p, "LC_ALL");

	if (!*v)
		v = locale_env(p, category);
	if (!*v)
		v = locale_env(p, "LANG");
	return *v ? v : "POSIX";
}

/* As setlocale(3) fails for a locale that is not there. */
static void locale_complain(struct tsb_proc *p)
{
	static const char *const asked[] = { "LC_CTYPE", "LC_MESSAGES", "LC_ALL" };

	for (size_t i = 0; i < 3; i++) {
		bool ok = true;

		if (i < 2)
			ok = locale_known(locale_effective(p, asked[i]));
		for (size_t k = 0; i == 2 && k < sizeof(locale_categories) / sizeof(char *); k++)
			ok &= locale_known(locale_effective(p, locale_categories[k]));
		if (!ok)
			tsb_warn_errno(p, 2, "Cannot set %s to default locale", asked[i]);
	}
}

/* Quoted where it is not the category's own setting. */
static void locale_show(struct tsb_proc *p)
{
	const char *all = locale_env(p, "LC_ALL");

	tsb_printf(p, "LANG=%s\nLANGUAGE=%s\n", locale_env(p, "LANG"), locale_env(p, "LANGUAGE"));
	for (size_t i = 0; i < sizeof(locale_categories) / sizeof(char *); i++) {
		const char *name = locale_categories[i], *own = locale_env(p, name);

		if (!*all && *own)
			tsb_printf(p, "%s=%s\n", name, own);
		else
			tsb_printf(p, "%s=\"%s\"\n", name, locale_effective(p, name));
	}
	tsb_printf(p, "LC_ALL=%s\n", all);
}

/* upper";"lower: each of several is quoted. */
static void locale_put_list(struct tsb_proc *p, const char *value)
{
	for (; *value; value++) {
		if (*value == ';')
			tsb_puts(p, "\";\"");
		else
			tsb_putc(p, *value);
	}
}

static void locale_put(struct tsb_proc *p, const struct locale_row *row, bool keyword)
{
	const char *value = row->value;

	if (row->kind == 'c')
		value = locale_utf8(p) ? "UTF-8" : "ANSI_X3.4-1968";
	if (!keyword) {
		tsb_printf(p, "%s\n", value);
		return;
	}
	tsb_printf(p, row->kind == 'n' ? "%s=" : "%s=\"", row->key);
	if (row->kind == 'l')
		locale_put_list(p, value);
	else
		tsb_puts(p, value);
	tsb_puts(p, row->kind == 'n' ? "\n" : "\"\n");
}

/* A category's name shows all of it; a keyword's only that. */
static int locale_name(struct tsb_proc *p, const struct locale_opts *o, const char *name)
{
	bool found = false;

	for (size_t i = 0; i < LOCALE_ROWS; i++) {
		const struct locale_row *row = &locale_rows[i];
		bool whole = !strcmp(row->category, name);

		if (!whole && strcmp(row->key, name))
			continue;
		if (o->category && !found)
			tsb_printf(p, "%s\n", row->category);
		locale_put(p, row, o->keyword);
		found = true;
		if (!whole)
			return 0;
	}
	if (!found)
		tsb_warn(p, "unknown name \"%s\"", name);
	return found ? 0 : 1;
}

static void locale_list(struct tsb_proc *p, bool verbose)
{
	if (verbose)
		tsb_puts(p, "locale: C.utf8          directory: /usr/lib/locale/C.utf8\n"
			    "----------------------------------------------------------------------"
			    "---------\n    title | C locale\n    email | bug-glibc-locales@gnu.org\n"
			    " revision | 2.1\n     date | 2022-01-30\n  codeset | UTF-8\n\n");
	else
		tsb_puts(p, "C\nC.utf8\nPOSIX\n");
}

static int locale_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct locale_opts *o = opts;
	int status = 0;

	locale_complain(p);
	if (o->all) {
		locale_list(p, o->verbose);
		return 0;
	}
	if (o->charmaps) {
		tsb_puts(p, "ANSI_X3.4-1968\nUTF-8\n");
		return 0;
	}
	if (!argc && !o->category && !o->keyword) {
		locale_show(p);
		return 0;
	}
	for (int i = 0; i < argc && !status; i++)	/* the first unknown name ends it */
		status = locale_name(p, o, argv[i]);
	return status;
}

const struct tsb_command cmd_locale = {
	.version = TSB_COMMAND_VERSION, .package = "GNU libc", .package_version = "2.36",
	.name = "locale", .synopsis = "[OPTION...] NAME\n[OPTION...] [-a|-m]",
	.summary = "Get locale-specific information.", .opts = locale_opts,
	.opts_size = sizeof(struct locale_opts), .run = locale_run, .usage_status = 64,
};
