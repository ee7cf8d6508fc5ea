/*
 * Scripts, by the line that starts with #!.
 */
#include "cmd/file/file.h"

struct interpreter {
	const char *path;	/* "env x": by /usr/bin/env */
	const char *text, *mime;
	bool prefix;		/* the path may go on: python3.11 */
};

#define SHELL "text/x-shellscript"
static const struct interpreter interpreters[] = {
	{ "/bin/sh", "POSIX shell", SHELL, false },
	{ "/bin/bash", "Bourne-Again shell", SHELL, false },
	{ "/usr/bin/bash", "Bourne-Again shell", SHELL, false },
	{ "/usr/local/bin/bash", "Bourne-Again shell", SHELL, false },
	{ "env bash", "Bourne-Again shell", SHELL, false },
	{ "/bin/zsh", "Paul Falstad's zsh", SHELL, false },
	{ "/usr/bin/zsh", "Paul Falstad's zsh", SHELL, false },
	{ "/usr/local/bin/zsh", "Paul Falstad's zsh", SHELL, false },
	{ "env zsh", "Paul Falstad's zsh", SHELL, false },
	{ "/bin/ksh", "Korn shell", SHELL, false },
	{ "/bin/csh", "C shell", SHELL, false },
	{ "/bin/tcsh", "Tenex C shell", SHELL, false },
	{ "/usr/bin/tcsh", "Tenex C shell", SHELL, false },
	{ "/usr/local/bin/tcsh", "Tenex C shell", SHELL, false },
	{ "/bin/ash", "Neil Brown's ash", SHELL, false },
	{ "/usr/local/bin/ash", "Neil Brown's ash", SHELL, false },
	{ "/usr/bin/fish", "fish shell", SHELL, false },
	{ "/usr/local/bin/fish", "fish shell", SHELL, false },
	{ "env fish", "fish shell", SHELL, false },
	{ "/bin/rc", "Plan 9 rc shell", SHELL, false },
	{ "/bin/awk", "awk", "text/x-awk", false },
	{ "/usr/bin/awk", "awk", "text/x-awk", false },
	{ "/bin/gawk", "GNU awk", "text/x-gawk", false },
	{ "/usr/bin/gawk", "GNU awk", "text/x-gawk", false },
	{ "/usr/local/bin/gawk", "GNU awk", "text/x-gawk", false },
	{ "/bin/nawk", "new awk", "text/x-nawk", false },
	{ "/usr/bin/nawk", "new awk", "text/x-nawk", false },
	{ "/usr/local/bin/nawk", "new awk", "text/x-nawk", false },
	{ "/usr/bin/python", "Python", "text/x-script.python", true },
	{ "/usr/local/bin/python", "Python", "text/x-script.python", true },
	{ "env python", "Python", "text/x-script.python", true },
	{ "/usr/bin/ruby", "Ruby", "text/x-ruby", true },
	{ "/usr/local/bin/ruby", "Ruby", "text/x-ruby", true },
	{ "env ruby", "Ruby", "text/x-ruby", true },
	{ "/usr/bin/php", "PHP", "text/x-php", true },
	{ "/usr/local/bin/php", "PHP", "text/x-php", true },
	{ "/usr/bin/lua", "Lua", "text/x-lua", true },
	{ "/usr/local/bin/lua", "Lua", "text/x-lua", true },
	{ "env lua", "Lua", "text/x-lua", true },
	{ "/usr/bin/tclsh", "Tcl/Tk", "text/x-tcl", true },
	{ "/usr/local/bin/tclsh", "Tcl", "text/x-tcl", true },
	{ "env tclsh", "Tcl", "text/x-tcl", true },
	{ "/usr/bin/wish", "Tcl/Tk", "text/x-tcl", true },
	{ "/usr/local/bin/wish", "Tcl/Tk", "text/x-tcl", true },
	{ "env wish", "Tcl/Tk", "text/x-tcl", true },
	{ "/usr/bin/node", "Node.js", "application/javascript", true },
	{ "env node", "Node.js", "application/javascript", true },
	{ "env julia", "Julia", NULL, true },
	{ "/usr/bin/perl", "Perl", "text/x-perl", false },
	{ "/usr/local/bin/perl", "Perl", "text/x-perl", false },
	{ "/bin/perl", "Perl", "text/x-perl", false },
	{ "env perl", "Perl", "text/x-perl", true },
};

static bool blank(int c)
{
	return c == ' ' || c == '\t';
}

/* Behind "#!" and blanks: does the path stand there? */
static bool is_path(const struct interpreter *in, const char *s, size_t n)
{
	static const char env[] = "/usr/bin/env";
	const char *path = in->path;
	size_t len;

	if (!strncmp(path, "env ", 4)) {
		if (n <= sizeof(env) || memcmp(s, env, sizeof(env) - 1) || !blank(s[12]))
			return false;
		for (s += 12, n -= 12; n && blank(*s); n--)
			s++;
		path += 4;
	}
	len = strlen(path);
	if (n < len || memcmp(s, path, len))
		return false;
	return in->prefix || n == len || blank(s[len]) || s[len] == '\n' || s[len] == '\r';
}

static void script_unknown(struct file_look *f, const char *s, size_t n)
{
	const char *nl = n ? memchr(s, '\n', n) : NULL;
	struct file_look line = *f;

	n = nl ? (size_t)(nl - s) : n;
	if (n > 13 && !memcmp(s, "/usr/bin/env", 12) && blank(s[12])) {
		for (s += 12, n -= 12; n && blank(*s); n--)
			s++;
	}
	while (n && (blank(s[n - 1]) || s[n - 1] == '\r'))
		n--;
	line.at = (const unsigned char *)s;
	line.n = n;
	file_add_text(&line, 0, n < 127 ? n : 127, "a ", " script text executable");
	f->text = line.text;
}

bool file_script(struct file_look *f, const char *text, size_t n)
{
	if (n < 2 || text[0] != '#' || text[1] != '!' || (n > 8 && !memcmp(text, "#! rnews", 8)))
		return false;
	for (text += 2, n -= 2; n && blank(*text); n--)
		text++;
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters); i++) {
		const struct interpreter *in = &interpreters[i];

		if (!is_path(in, text, n))
			continue;
		f->mime = in->mime;
		str_addf(&f->text, "%s script%s", in->text, !strcmp(in->text, "Node.js") ||
			 !strcmp(in->text, "Julia") ? " executable" : " text executable");
		return true;
	}
	script_unknown(f, text, n);
	return true;
}
