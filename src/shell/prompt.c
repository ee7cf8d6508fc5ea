/*
 * Prompts: PS4, ${x@P}. Backslash escapes become text, and what they stand for
 * is protected from the expansion that follows.
 */
#include <string.h>

#include "base/num.h"
#include "kernel/kernel.h"
#include "shell/doing.h"
#include "shell/words.h"
#include "text/civil.h"
#include "text/datefmt.h"

/* Text of the outside world is no script. */
static void prompt_quote(struct shell *sh, struct str *out, const char *p, size_t n)
{
	bool expanded = sh->opts[SHOPT_PROMPTVARS];

	for (size_t i = 0; i < n; i++) {
		if (expanded && strchr("\\$`\"", p[i]) && p[i])
			str_addc(out, '\\');
		str_addc(out, p[i]);
	}
}

static void prompt_time(struct shell *sh, const char *format, size_t n, struct str *out)
{
	struct tsb_time now = tsb_clock(sh->p, TSB_CLOCK_REAL);
	struct date_moment moment;
	struct slice tz;
	struct zone zone;
	char *copy = NULL;

	if (var_get_text(sh, "TZ", &tz))
		copy = arena_dup(&sh->turn, tz.p, tz.n);
	zone_init(&zone, copy);
	if (date_moment(&moment, now.sec, now.nsec, &zone))
		date_format(out, format, n, &moment);
}

/* PROMPT_DIRTRIM: of \w only so many parts, where leaving out the others saves
 * anything. `from`: what comes behind ~ and its slash, which stay. */
static void prompt_trimmed(struct shell *sh, struct slice path, size_t from, struct str *out)
{
	size_t parts = 0, tail = path.n;
	struct slice v;
	int64_t keep;

	if (!var_get_text(sh, "PROMPT_DIRTRIM", &v) || !text_number(v.p, &keep) || keep <= 0)
		keep = INT64_MAX;
	for (size_t i = from; i < path.n; i++)
		parts += path.p[i] == '/';
	if (parts < (uint64_t)keep)
		tail = from;
	while (tail > from && keep)
		keep -= path.p[--tail] == '/';
	if (tail - from <= 3)
		tail = from;
	prompt_quote(sh, out, path.p, from);
	if (tail > from)
		str_adds(out, "...");
	prompt_quote(sh, out, path.p + tail, path.n - tail);
}

/* The working directory, HOME as ~; \W: its last part. */
static void prompt_directory(struct shell *sh, bool last, struct str *out)
{
	struct slice pwd = SLICE("/"), home;
	const char *slash;

	if (!var_get_text(sh, "PWD", &pwd)) {
		pwd.p = tsb_getcwd(sh->p);
		pwd.n = strlen(pwd.p);
	}
	if (var_get_text(sh, "HOME", &home) && home.n > 1 && pwd.n >= home.n &&
	    !memcmp(pwd.p, home.p, home.n) && (pwd.n == home.n || pwd.p[home.n] == '/')) {
		if (!last || pwd.n == home.n) {
			char *path = turn_join(sh, "~", pwd.p + home.n, NULL);
			size_t n = strlen(path);

			prompt_trimmed(sh, (struct slice){ path, n }, n > 1 ? 2 : 1, out);
			return;
		}
	}
	slash = last && pwd.n > 1 ? memrchr(pwd.p, '/', pwd.n) : NULL;
	if (slash) {
		pwd.n -= (size_t)(slash + 1 - pwd.p);
		pwd.p = slash + 1;
	}
	if (last)
		prompt_quote(sh, out, pwd.p, pwd.n);
	else
		prompt_trimmed(sh, pwd, 0, out);
}

static void prompt_host(struct shell *sh, bool first, struct str *out)
{
	const char *host = tsb_hostname(sh->p);

	prompt_quote(sh, out, host, first ? strcspn(host, ".") : strlen(host));
}

static void prompt_user(struct shell *sh, struct str *out)
{
	struct slice name;

	if (!var_get_text(sh, "USER", &name) || !name.n)
		name = SLICE("user");
	prompt_quote(sh, out, name.p, name.n);
}

static void prompt_name(struct shell *sh, struct str *out)
{
	const char *name = sh->arg0 ? sh->arg0 : "bash", *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	prompt_quote(sh, out, name, strlen(name));
}

/* \D{format} at in.p[*i] == '{'. */
static void prompt_date(struct shell *sh, struct slice in, size_t *i, struct str *out)
{
	const char *end;
	size_t n;

	if (*i >= in.n || in.p[*i] != '{') {
		str_adds(out, "\\\\D");
		return;
	}
	end = memchr(in.p + *i, '}', in.n - *i);
	if (!end)
		end = in.p + in.n;
	n = (size_t)(end - in.p) - *i - 1;
	if (n)
		prompt_time(sh, in.p + *i + 1, n, out);
	else
		prompt_time(sh, "%H:%M:%S", 8, out);
	*i += n + 1 + (end < in.p + in.n);
}

static void prompt_octal(struct slice in, size_t *i, struct str *out)
{
	unsigned value = 0;
	char c;

	for (int k = 0; k < 3 && *i < in.n && in.p[*i] >= '0' && in.p[*i] <= '7'; k++)
		value = value * 8 + (unsigned)(in.p[(*i)++] - '0');
	c = (char)value;
	if (c)
		str_addc(out, c);
}

/* The escapes that stand for a time; false: it is none. */
static bool prompt_clock(struct shell *sh, char c, struct str *out)
{
	static const struct {
		char letter;
		const char *format;
	} times[] = {
		{ 'd', "%a %b %d" }, { 't', "%H:%M:%S" }, { 'T', "%I:%M:%S" },
		{ '@', "%I:%M %p" }, { 'A', "%H:%M" }
	};

	for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
		if (c == times[k].letter) {
			prompt_time(sh, times[k].format, strlen(times[k].format), out);
			return true;
		}
	}
	return false;
}

/* ... and those that stand for a fixed text. */
static bool prompt_fixed(struct shell *sh, char c, struct str *out)
{
	static const struct {
		char letter;
		const char *text;
	} fixed[] = {
		{ 'a', "\a" }, { 'e', "\033" }, { 'n', "\n" }, { 'r', "\r" }, { '[', "" },
		{ ']', "" }, { 'j', "0" }, { 'l', "tty" }, { 'v', "5.2" }, { 'V', "5.2.15" },
		{ '!', "1" }, { '#', "0" }, { '\\', "\\" }
	};

	for (size_t k = 0; k < sizeof(fixed) / sizeof(fixed[0]); k++) {
		if (c == fixed[k].letter) {
			str_adds(out, fixed[k].text);
			return true;
		}
	}
	if (c == '$')
		prompt_quote(sh, out, tsb_getuid(sh->p) ? "$" : "#", 1);
	return c == '$';
}

static void prompt_escape(struct shell *sh, struct slice in, size_t *i, struct str *out)
{
	char c = in.p[*i];

	if (c >= '0' && c <= '7') {
		prompt_octal(in, i, out);
		return;
	}
	++*i;
	if (prompt_fixed(sh, c, out) || prompt_clock(sh, c, out))
		return;
	switch (c) {
	case 'D':
		prompt_date(sh, in, i, out);
		break;
	case 'h':
	case 'H':
		prompt_host(sh, c == 'h', out);
		break;
	case 's':
		prompt_name(sh, out);
		break;
	case 'u':
		prompt_user(sh, out);
		break;
	case 'w':
	case 'W':
		prompt_directory(sh, c == 'W', out);
		break;
	default:
		str_addc(out, '\\');
		str_addc(out, c);
	}
}

enum flow expand_prompt(struct shell *sh, const char *text, size_t n, struct slice *out)
{
	struct slice in = { text, n };
	bool expanded = sh->opts[SHOPT_PROMPTVARS];
	enum flow flow = FLOW_NEXT;
	struct str *s;

	if (!memchr(text, '\\', n) && expanded)
		return expand_text(sh, text, n, out);
	s = scratch_take(sh);
	s->max = words_max_bytes(sh);
	for (size_t i = 0; i < n && !s->bad;) {
		if (text[i] == '\\' && i + 1 < n) {
			i++;
			prompt_escape(sh, in, &i, s);
		} else {
			str_addc(s, text[i++]);
		}
	}
	if (s->bad)
		flow = words_limit(sh, "word_bytes");
	else if (expanded)
		flow = expand_text(sh, s->p, s->n, out);
	else
		*out = (struct slice){ arena_dup(&sh->turn, s->p, s->n), s->n };
	scratch_give(sh, s);
	return flow;
}
