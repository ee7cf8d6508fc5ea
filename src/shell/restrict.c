/*
 * Restricted shells (rbash, bash -r, set -r): what they refuse. The builtins and
 * redirections ask restricted() where they would do it.
 */
#include "shell/doing.h"

#include <string.h>

#include "shell/words.h"

bool builtin_restricted(struct shell *sh, const char *what)
{
	if (!restricted(sh))
		return false;
	if (what)
		builtin_error(sh, "%s: restricted", what);
	else
		builtin_error(sh, "restricted");
	return true;
}

bool restricted_path(struct shell *sh, const char *path)
{
	return restricted(sh) && strchr(path, '/');
}

/* What leads to programs and start files stays as it is from now on. */
void shell_restrict(struct shell *sh)
{
	static const char *const kept[] = { "PATH", "SHELL", "ENV", "BASH_ENV", "HISTFILE" };

	sh->opts[SHOPT_RESTRICTED_SHELL] = true;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct name name = name_of(kept[i], strlen(kept[i]));
		struct var *v = var_find(sh, &name);

		if (!v)
			v = var_make(sh, &name, 0);
		v->flags |= VAR_READONLY;
	}
}
