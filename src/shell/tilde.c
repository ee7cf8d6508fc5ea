/*
 * Tilde expansion: ~ is HOME, ~+ PWD, ~- OLDPWD, ~N an entry of the directory
 * stack, ~name the home of a user of /etc/passwd.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/kernel.h"
#include "shell/words.h"

/* The field number i of a line of /etc/passwd. */
static struct slice passwd_field(const char *line, int i)
{
	while (i > 0 && *line)
		if (*line++ == ':')
			i--;
	return (struct slice){ line, strcspn(line, ":\n") };
}

/* By name, or by number where name.p is NULL. */
static bool passwd_home(struct shell *sh, struct slice name, struct slice *home)
{
	struct tsb_reader r;
	char *line;
	char uid[16];
	int fd = tsb_open(sh->p, "/etc/passwd", 0, 0);
	bool found = false;
	int field = name.p ? 0 : 2;

	if (fd < 0)
		return false;
	if (!name.p) {
		name.n = (size_t)snprintf(uid, sizeof(uid), "%u", tsb_getuid(sh->p));
		name.p = uid;
	}
	tsb_reader_init(&r, sh->p, fd);
	while (!found && tsb_getdelim(&r, &line, '\n')) {
		found = slice_eq(passwd_field(line, field), name);
		if (found) {
			*home = passwd_field(line, 5);
			home->p = arena_dup(&sh->turn, home->p, home->n);
		}
	}
	tsb_reader_end(&r);
	tsb_close(sh->p, fd);
	return found;
}

/* ~0, ~1, ~-0: places of the directory stack. */
static bool tilde_stack(struct shell *sh, struct slice name, struct slice *out)
{
	size_t i = 0, at = name.p[0] == '-' || name.p[0] == '+' ? 1 : 0;
	const char *dir;

	if (at == name.n)
		return false;
	for (size_t k = at; k < name.n; k++) {
		if (name.p[k] < '0' || name.p[k] > '9' || i > 100000)
			return false;
		i = i * 10 + (size_t)(name.p[k] - '0');
	}
	if (i > sh->dirs.n)
		return false;
	if (name.p[0] == '-')
		i = sh->dirs.n - i;
	dir = i == 0 ? tsb_getcwd(sh->p) : sh->dirs.at[i - 1];
	*out = (struct slice){ dir, strlen(dir) };
	return true;
}

bool tilde_expand(struct shell *sh, struct slice name, struct slice *out)
{
	if (name.n == 0) {
		if (var_get_text(sh, "HOME", out))
			return true;
		return passwd_home(sh, (struct slice){ NULL, 0 }, out);
	}
	if (slice_is(name, "+"))
		return var_get_text(sh, "PWD", out);
	if (slice_is(name, "-"))
		return var_get_text(sh, "OLDPWD", out);
	if (strchr("-+0123456789", name.p[0]))
		return tilde_stack(sh, name, out);
	return passwd_home(sh, name, out);
}
