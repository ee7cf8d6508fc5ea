/*
 * diff's styles: at most one may be asked for, formats of the user may not
 * contradict each other, and which colours.
 */
#include "cmd/diff.h"

#include <string.h>

int diff_style_is(struct diff_cmd *d, enum diff_style style)
{
	if (d->style != DIFF_UNSPECIFIED && d->style != style)
		return diffutils_try(d->p, "conflicting output style options");
	d->style = style;
	return 0;
}

int diff_set_style(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;

	(void)arg;
	d->p = p;
	return diff_style_is(d, (enum diff_style)opt->value);
}

/* A format may be given twice, but not differently. */
static int format_is(struct diff_cmd *d, const char **to, const char *value, const char *option)
{
	if (*to && strcmp(*to, value) != 0) {
		tsb_warn(d->p, "conflicting %s option value '%s'", option, value);
		return diffutils_try(d->p, NULL);
	}
	*to = value;
	return 0;
}

int diff_set_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char groups[] = "UONC", lines[] = "onu";
	struct diff_cmd *d = opts;
	const char *option = tsb_format(p, "--%s", opt->long_name), *at;
	int status;

	d->p = p;
	status = diff_style_is(d, DIFF_IFDEF);
	if (!status && (at = strchr(groups, opt->value)))
		return format_is(d, &d->group_format[at - groups], arg, option);
	if (!status && (at = strchr(lines, opt->value)))
		return format_is(d, &d->line_format[at - lines], arg, option);
	for (size_t i = 0; i < 3 && !status; i++)
		status = format_is(d, &d->line_format[i], arg, option);
	return status;
}

int diff_set_ifdef(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct diff_cmd *d = opts;
	int status;

	(void)opt;
	d->p = p;
	status = diff_style_is(d, DIFF_IFDEF);
	if (!status)
		status = format_is(d, &d->group_format[DIFF_SAME], "%=", "-D");
	if (!status)
		status = format_is(d, &d->group_format[DIFF_OLD],
				   tsb_format(p, "#ifndef %s\n%%<#endif /* ! %s */\n", arg, arg), "-D");
	if (!status)
		status = format_is(d, &d->group_format[DIFF_NEW],
				   tsb_format(p, "#ifdef %s\n%%>#endif /* %s */\n", arg, arg), "-D");
	if (!status)
		status = format_is(d, &d->group_format[DIFF_CHANGED],
				   tsb_format(p, "#ifndef %s\n%%<#else /* %s */\n%%>#endif /* %s */\n",
					      arg, arg, arg), "-D");
	return status;
}

/* ---- Colours ---- */

static bool palette_item(struct diff_cmd *d, const char *s, size_t n)
{
	static const char *const names[DIFF_COLORS] = {
		[DIFF_RESET] = "rs", [DIFF_HEADER] = "hd", [DIFF_ADD] = "ad",
		[DIFF_DELETE] = "de", [DIFF_LINE_NUMBER] = "ln",
	};

	if (n < 3 || s[2] != '=')
		return false;
	for (size_t i = 0; i < DIFF_COLORS; i++)
		if (!strncmp(names[i], s, 2)) {
			d->colors[i] = tsb_strndup(d->p, s + 3, n - 3);
			return true;
		}
	tsb_warn(d->p, "unrecognized prefix: %.2s", s);
	return false;
}

bool diff_palette(struct diff_cmd *d)
{
	static const char *const colors[DIFF_COLORS] = {
		[DIFF_RESET] = "0", [DIFF_HEADER] = "1", [DIFF_ADD] = "32",
		[DIFF_DELETE] = "31", [DIFF_LINE_NUMBER] = "36",
	};
	const char *s = d->palette;

	memcpy(d->colors, colors, sizeof(colors));
	if (d->color <= 0 || !s)
		return true;
	while (*s) {
		size_t n = strcspn(s, ":");

		if (n && !palette_item(d, s, n)) {
			tsb_warn(d->p, "unparsable value for --palette");
			d->color = 0;
			return false;
		}
		s += n + (s[n] == ':');
	}
	return true;
}
