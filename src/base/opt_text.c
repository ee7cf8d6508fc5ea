/*
 * The texts that a table of options gives: --help, --version, the manual page,
 * the section of docs/commands.md. All four walk the same groups: a row with
 * help and the aliases behind it are one option with several names.
 */
#include "base/opt.h"

#include <string.h>

#include "base/utf8.h"

#ifndef TSB_VERSION
#define TSB_VERSION "0.1.0"
#endif

#define HELP_COLUMN 29		/* where the helps stand, as in ls --help */
#define HELP_WIDTH 79

static const struct tsb_opt text_standard[] = {
	{ TSB_OPTION_FLAG, 0, "help", NULL, "display this help and exit", 0, 0, 0, NULL },
	{ TSB_OPTION_FLAG, 0, "version", NULL, "output version information and exit", 0, 0, 0,
	  NULL },
	TSB_OPT_END
};

/* What differs between the texts: how the parts of an option are marked. */
struct style {
	const char *name_on, *name_off;		/* around "-n", "--lines" */
	const char *arg_on, *arg_off;
	bool roff;				/* escape for man(7) */
	bool markdown;				/* escape for a table's cell */
	bool columns;				/* no short name: room for one */
};

/* ---- Words ---- */

static void add_escaped(struct str *out, const char *s, const struct style *style)
{
	for (; *s; s++) {
		if (style->roff && *s == '\\') {
			str_adds(out, "\\e");
			continue;
		}
		if (style->roff && strchr("-'`", *s))
			str_adds(out, *s == '-' ? "\\" : *s == '`' ? "\\(ga" : "\\(aq");
		if (style->roff && (*s == '\'' || *s == '`'))
			continue;
		if (style->markdown && strchr("|<>*_`\\", *s))
			str_addc(out, '\\');
		str_addc(out, *s);
	}
}

/* A sentence out of a summary: capital first, full stop behind. */
static void add_sentence(struct str *out, const char *s, const struct style *style)
{
	char first[2] = { s[0], '\0' };

	if (!s[0])
		return;
	if (first[0] >= 'a' && first[0] <= 'z')
		first[0] = (char)(first[0] - ('a' - 'A'));
	add_escaped(out, first, style);
	add_escaped(out, s + 1, style);
	if (!strchr(".!?", s[strlen(s) - 1]))
		str_addc(out, '.');
}

/* ---- Names of one option ---- */

static bool is_optional(const struct tsb_opt *o)
{
	return o->arg && (o->flags & TSB_ARG_OPTIONAL);
}

static bool in_group(const struct tsb_opt *o, const struct tsb_opt *first)
{
	return o->kind != TSB_OPTION_END && (o == first || !o->help);
}

static bool has_long(const struct tsb_opt *first)
{
	for (const struct tsb_opt *o = first; in_group(o, first); o++)
		if (o->long_name && !(o->flags & TSB_OPT_HIDDEN))
			return true;
	return false;
}

/* The argument behind a name: "=NUM", "[=NUM]", " NUM", "[NUM]". */
static void add_arg(struct str *out, const struct tsb_opt *o, bool is_long,
		    const struct style *style)
{
	if (is_optional(o))
		str_addc(out, '[');
	if (is_long && !(o->flags & TSB_OPT_LITERAL))
		str_addc(out, '=');
	else if (!is_optional(o))
		str_addc(out, ' ');
	str_adds(out, style->arg_on);
	add_escaped(out, o->arg, style);
	str_adds(out, style->arg_off);
	if (is_optional(o))
		str_addc(out, ']');
}

static void add_name(struct str *out, const char *dashes, const char *name, bool *comma,
		     const struct style *style)
{
	if (*comma)
		str_adds(out, ", ");
	*comma = true;
	str_adds(out, style->name_on);
	add_escaped(out, dashes, style);
	add_escaped(out, name, style);
	str_adds(out, style->name_off);
}

static void add_shorts(struct str *out, const struct tsb_opt *first, bool *comma,
		       const struct style *style)
{
	for (const struct tsb_opt *o = first; in_group(o, first); o++) {
		char letter[2] = { (char)o->short_name, '\0' };

		if (o->flags & TSB_OPT_HIDDEN)
			continue;
		if (o->flags & TSB_OPT_DIGITS)
			add_name(out, "-", o->arg ? o->arg : "NUM", comma, style);
		if (!o->short_name)
			continue;
		add_name(out, "-", letter, comma, style);
		/* With a long name beside it, the argument is shown there. */
		if (o->arg && (is_optional(o) || !has_long(first)))
			add_arg(out, o, false, style);
	}
}

static void add_names(struct str *out, const struct tsb_opt *first, const struct style *style)
{
	bool comma = false;

	add_shorts(out, first, &comma, style);
	if (!comma && style->columns && !(first->flags & TSB_OPT_LITERAL))
		str_fill(out, ' ', 4);
	for (const struct tsb_opt *o = first; in_group(o, first); o++) {
		if (!o->long_name || (o->flags & TSB_OPT_HIDDEN))
			continue;
		add_name(out, o->flags & TSB_OPT_LITERAL ? "" : "--", o->long_name, &comma, style);
		if (o->arg)
			add_arg(out, o, true, style);
	}
}

/* The next option that is shown, behind `o` (NULL: the first), NULL at the end. */
static const struct tsb_opt *next_shown(const struct tsb_opt *table, const struct tsb_opt *o)
{
	if (!table)
		return NULL;
	for (o = o ? o + 1 : table; o->kind != TSB_OPTION_END; o++)
		if (o->help && !(o->flags & TSB_OPT_HIDDEN))
			return o;
	return NULL;
}

typedef void option_fn(struct str *out, const struct tsb_opt *o);

static void each_option(struct str *out, const struct tsb_command *cmd, option_fn *fn)
{
	for (const struct tsb_opt *o = NULL; (o = next_shown(cmd->opts, o)); )
		fn(out, o);
	if (cmd->flags & TSB_NO_HELP)
		return;
	for (const struct tsb_opt *o = NULL; (o = next_shown(text_standard, o)); )
		fn(out, o);
}

/* Each form of the synopsis: its length, and *form moves to the next or NULL. */
static size_t synopsis_form(const char **form, const char **start)
{
	size_t n = strcspn(*form, "\n");

	*start = *form;
	*form = (*form)[n] ? *form + n + 1 : NULL;
	return n;
}

static const char *synopsis_of(const struct tsb_command *cmd)
{
	return cmd->synopsis ? cmd->synopsis : "";
}

/* ---- --help ---- */

static const struct style style_help = { "", "", "", "", false, false, true };

/* Fills lines of words from HELP_COLUMN on; later lines are set in by two. */
static void add_wrapped(struct str *out, const char *text)
{
	size_t at = HELP_COLUMN;
	bool fresh = true;	/* the line has no word yet */

	while (*text) {
		size_t word = strcspn(text, " ");
		size_t wide = utf8_columns(text, word);

		if (!fresh && at + 1 + wide > HELP_WIDTH) {
			str_addc(out, '\n');
			str_fill(out, ' ', HELP_COLUMN + 2);
			at = HELP_COLUMN + 2;
		} else if (!fresh) {
			str_addc(out, ' ');
			at++;
		}
		fresh = false;
		str_addn(out, text, word);
		at += wide;
		text += word;
		text += strspn(text, " ");
	}
	str_addc(out, '\n');
}

static void help_option(struct str *out, const struct tsb_opt *o)
{
	size_t start, wide;

	str_adds(out, "  ");
	start = out->n - 2;
	add_names(out, o, &style_help);
	if (out->bad)
		return;
	wide = utf8_columns(out->p + start, out->n - start);
	if (wide + 2 > HELP_COLUMN) {
		str_addc(out, '\n');
		wide = 0;
	}
	str_fill(out, ' ', HELP_COLUMN - wide);
	add_wrapped(out, o->help);
}

static const char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

/* These packages' programs show the last part of their path only. */
static bool is_short(const struct tsb_command *cmd)
{
	static const char *const packages[] = { "util-linux", "procps-ng", "XZ Utils" };

	for (size_t i = 0; cmd->package && i < sizeof(packages) / sizeof(packages[0]); i++)
		if (!strcmp(cmd->package, packages[i]))
			return true;
	return false;
}

void opt_help(struct str *out, const struct tsb_command *cmd, const char *name)
{
	const char *form = synopsis_of(cmd), *lead = "Usage: ", *start;

	if (is_short(cmd))
		name = base_name(name);
	while (form) {
		size_t n = synopsis_form(&form, &start);

		str_addf(out, "%s%s%s", lead, name, n ? " " : "");
		str_addn(out, start, n);
		str_addc(out, '\n');
		lead = "  or:  ";
	}
	if (cmd->summary) {
		add_sentence(out, cmd->summary, &style_help);
		str_adds(out, "\n");
	}
	if (next_shown(cmd->opts, NULL) || !(cmd->flags & TSB_NO_HELP))
		str_addc(out, '\n');
	each_option(out, cmd, help_option);
}

void opt_version(struct str *out, const struct tsb_command *cmd, const char *name)
{
	/* The name is the program's own, however it was called; sed says how. */
	if (!cmd->package || strcmp(cmd->package, "GNU sed"))
		name = base_name(name);
	if (!cmd->package) {
		str_addf(out, "%s (tinysandbox) %s\n", name, TSB_VERSION);
		return;
	}
	if (!strcmp(cmd->package, "util-linux") || !strcmp(cmd->package, "procps-ng")) {
		str_addf(out, "%s from %s %s\n", name, cmd->package,
			 cmd->package_version ? cmd->package_version : "");
		return;
	}
	if (!strcmp(cmd->package, "GNU patch")) {
		str_addf(out, "%s %s\n", cmd->package, cmd->package_version);
		return;
	}
	if (!strcmp(cmd->package, name) || !strcmp(cmd->package, "dos2unix"))
		str_adds(out, name);
	else
		str_addf(out, "%s (%s)", name, cmd->package);
	str_addf(out, "%s%s\n", cmd->package_version ? " " : "",
		 cmd->package_version ? cmd->package_version : "");
	str_adds(out, "This is tinysandbox's own implementation of that interface.\n");
}

/* ---- The manual page ---- */

static const struct style style_roff = { "\\fB", "\\fR", "\\fI", "\\fR", true, false, false };

static void manual_option(struct str *out, const struct tsb_opt *o)
{
	str_adds(out, ".TP\n");
	add_names(out, o, &style_roff);
	str_adds(out, "\n\\&");		/* so that no word is taken for a request */
	add_escaped(out, o->help, &style_roff);
	str_addc(out, '\n');
}

static void add_roff_n(struct str *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_escaped(out, (const char[]){ s[i], '\0' }, &style_roff);
}

void opt_manual(struct str *out, const struct tsb_command *cmd, const char *title)
{
	const char *form = synopsis_of(cmd), *start;

	str_adds(out, ".TH \"");
	add_escaped(out, title, &style_roff);
	str_adds(out, "\" 1 \"\" \"tinysandbox " TSB_VERSION "\" \"User Commands\"\n.SH NAME\n\\&");
	add_escaped(out, title, &style_roff);
	str_adds(out, " \\- ");
	add_escaped(out, cmd->summary ? cmd->summary : "", &style_roff);
	str_adds(out, "\n.SH SYNOPSIS\n");
	for (bool first = true; form; first = false) {
		size_t n = synopsis_form(&form, &start);

		str_adds(out, first ? "\\fB" : ".br\n\\fB");
		add_escaped(out, cmd->name, &style_roff);
		str_adds(out, n ? "\\fR " : "\\fR");
		add_roff_n(out, start, n);
		str_addc(out, '\n');
	}
	if (next_shown(cmd->opts, NULL) || !(cmd->flags & TSB_NO_HELP))
		str_adds(out, ".SH OPTIONS\n");
	each_option(out, cmd, manual_option);
	if (!cmd->package)
		return;
	str_adds(out, ".SH \"CONFORMING TO\"\nThe interface is that of ");
	add_escaped(out, cmd->package, &style_roff);
	str_addc(out, ' ');
	add_escaped(out, cmd->package_version ? cmd->package_version : "", &style_roff);
	str_adds(out, ".\n");
}

/* ---- docs/commands.md ---- */

static const struct style style_md = { "", "", "", "", false, true, false };

/* Is the word ("-n", "--lines", "-NUM") a name of this row? */
static bool row_has(const struct tsb_opt *o, const char *word)
{
	if (o->flags & TSB_OPT_DIGITS && word[0] == '-')
		return !strcmp(word + 1, o->arg ? o->arg : "NUM") || (word[1] >= '0' && word[1] <= '9');
	if (o->flags & TSB_OPT_LITERAL)
		return !strcmp(word, o->long_name);
	if (word[0] == '-' && word[1] == '-')
		return o->long_name && !strcmp(word + 2, o->long_name);
	return word[0] == '-' && o->short_name && word[1] == o->short_name && !word[2];
}

static bool table_has(const struct tsb_opt *table, const char *word)
{
	for (const struct tsb_opt *o = table; o && o->kind != TSB_OPTION_END; o++)
		if (row_has(o, word))
			return true;
	return false;
}

static const char *markdown_state(const struct tsb_opt *first, const char *const *real)
{
	if (!real)
		return "";
	for (const struct tsb_opt *o = first; in_group(o, first); o++)
		for (size_t i = 0; real[i]; i++)
			if (row_has(o, real[i]))
				return "yes";
	return "no";
}

static void markdown_option(struct str *out, const struct tsb_opt *o, const char *const *real)
{
	str_adds(out, "| ");
	add_names(out, o, &style_md);
	str_adds(out, " | ");
	add_escaped(out, o->help, &style_md);
	str_addf(out, " | %s |\n", markdown_state(o, real));
}

static size_t markdown_missing(struct str *out, const struct tsb_command *cmd,
			       const char *const *real)
{
	size_t n = 0;

	for (size_t i = 0; real && real[i]; i++) {
		if (table_has(cmd->opts, real[i]) ||
		    (!(cmd->flags & TSB_NO_HELP) && table_has(text_standard, real[i])))
			continue;
		str_adds(out, "| ");
		add_escaped(out, real[i], &style_md);
		str_adds(out, " | **missing** | yes |\n");
		n++;
	}
	return n;
}

static void markdown_head(struct str *out, const struct tsb_command *cmd)
{
	const char *form = synopsis_of(cmd), *start;

	str_addf(out, "## %s\n\n", cmd->name);
	if (cmd->summary) {
		add_sentence(out, cmd->summary, &style_md);
		if (cmd->package)
			str_addf(out, " As in %s%s%s.", cmd->package,
				 cmd->package_version ? " " : "",
				 cmd->package_version ? cmd->package_version : "");
		str_adds(out, "\n\n");
	}
	while (form) {
		size_t n = synopsis_form(&form, &start);

		str_addf(out, "    %s%s", cmd->name, n ? " " : "");
		str_addn(out, start, n);
		str_addc(out, '\n');
	}
	str_addc(out, '\n');
}

size_t opt_markdown(struct str *out, const struct tsb_command *cmd, const char *const *real)
{
	size_t missing;

	markdown_head(out, cmd);
	if (!next_shown(cmd->opts, NULL) && (cmd->flags & TSB_NO_HELP) && !(real && real[0]))
		return 0;
	str_adds(out, "| option | meaning | in the real `--help` |\n|---|---|---|\n");
	for (const struct tsb_opt *o = NULL; (o = next_shown(cmd->opts, o)); )
		markdown_option(out, o, real);
	for (const struct tsb_opt *o = NULL;
	     !(cmd->flags & TSB_NO_HELP) && (o = next_shown(text_standard, o)); )
		markdown_option(out, o, real);
	missing = markdown_missing(out, cmd, real);
	str_addc(out, '\n');
	return missing;
}
