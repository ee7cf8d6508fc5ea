/*
 * cd and pwd. PWD holds the logical path: what the user walked, links not
 * resolved; the kernel's own working directory is the physical one.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The logical path of dir seen from PWD: "." and ".." taken out by text. */
static void logical_path(struct str *out, const char *base, const char *dir)
{
	const char *p = dir, *whole = *dir == '/' ? dir : base;
	bool two = whole[0] == '/' && whole[1] == '/' && whole[2] != '/';
	size_t root = two;	/* exactly two slashes stay two */

	if (*dir != '/')
		str_adds(out, base);
	else if (two)
		str_addc(out, '/');
	while (*p) {
		size_t n;

		while (*p == '/')
			p++;
		n = strcspn(p, "/");
		if (n == 2 && !memcmp(p, "..", 2)) {
			while (out->n > root && out->p[out->n - 1] != '/')
				str_cut(out, out->n - 1);
			if (out->n > root)
				str_cut(out, out->n - 1);
		} else if (n && !(n == 1 && *p == '.')) {
			if (out->n <= root || out->p[out->n - 1] != '/')
				str_addc(out, '/');
			str_addn(out, p, n);
		}
		p += n;
	}
	if (out->n <= root)
		str_addc(out, '/');
}

/* PWD if it really is the working directory, else the physical path. */
static const char *current_logical(struct shell *sh)
{
	struct slice v;
	struct tsb_stat a, b;

	if (var_get_text(sh, "PWD", &v) && v.n && v.p[0] == '/' && !tsb_stat(sh->p, v.p, &a) &&
	    !tsb_stat(sh->p, ".", &b) && a.ino == b.ino && a.dev == b.dev)
		return arena_dup(&sh->turn, v.p, v.n);
	return arena_dup(&sh->turn, tsb_getcwd(sh->p), strlen(tsb_getcwd(sh->p)));
}

static void set_directory_variables(struct shell *sh, const char *old, const char *now)
{
	var_set_text(sh, "OLDPWD", old, strlen(old));
	var_set_text(sh, "PWD", now, strlen(now));
}

int change_directory(struct shell *sh, const char *dir, const char *shown, bool physical)
{
	const char *old = current_logical(sh);
	struct str path;
	int err;

	if (builtin_restricted(sh, NULL))
		return 1;
	str_init(&path, sh->heap, STR_MAX_DEFAULT);
	logical_path(&path, old, dir);
	if (!physical) {
		struct tsb_stat st;

		/* "x/.." must exist although the text drops it */
		err = tsb_stat(sh->p, dir, &st);
		if (err && *dir != '/' && !tsb_stat(sh->p, path.p, &st))
			err = 0;
		if (!err)
			err = *dir ? tsb_chdir(sh->p, path.p) : 0;
		if (err == -ENOENT && (!strcmp(path.p, old) || !tsb_chdir(sh->p, dir))) {
			static const char gone[] =
				"cd: error retrieving current directory: getcwd: "
				"cannot access parent directories: No such file or directory\n";

			tsb_write_all(sh->p, 2, gone, sizeof(gone) - 1);
			err = 0;
		}
	} else {
		err = tsb_chdir(sh->p, dir);
	}
	if (err) {
		builtin_error(sh, "%s: %s", printable_name(sh, shown), tsb_strerror(err));
		str_end(&path);
		return 1;
	}
	if (physical) {
		str_reset(&path);
		str_adds(&path, tsb_getcwd(sh->p));
	}
	set_directory_variables(sh, old, path.p);
	str_end(&path);
	return 0;
}

/* CDPATH: what is found by a directory that has a name is shown: as it was found with -P. */
static void show_found(struct shell *sh, const char *found, bool physical)
{
	struct slice v;

	if (physical)
		putf(sh, "%s\n", found);
	else if (var_get_text(sh, "PWD", &v))
		putf(sh, "%s\n", v.p);
}

/* CDPATH: a relative name is tried under each of its directories. 0 done, 1
 * failed with a message, -1 not found. */
static int cd_by_path(struct shell *sh, const char *dir, bool physical)
{
	struct slice v;
	const char *at;

	if (*dir == '/' || !strcmp(dir, ".") || !strcmp(dir, "..") || !strncmp(dir, "./", 2) ||
	    !strncmp(dir, "../", 3) || !var_get_text(sh, "CDPATH", &v))
		return -1;
	at = arena_dup(&sh->turn, v.p, v.n);
	while (at) {
		const char *colon = strchr(at, ':');
		size_t n = colon ? (size_t)(colon - at) : strlen(at);
		char *path = turn_path(sh, at, n, dir);
		struct tsb_stat st;

		if (!n && !*dir)
			return -1;	/* here */
		if (!tsb_stat(sh->p, path, &st) && S_ISDIR(st.mode)) {
			int status = change_directory(sh, path, path, physical);

			if (!status && n)
				show_found(sh, path, physical);
			return status;
		}
		at = colon ? colon + 1 : NULL;
	}
	return -1;
}

/* The operand of cd: HOME without one, OLDPWD for "-". NULL after a message. */
static const char *cd_target(struct shell *sh, const char *arg, bool *show)
{
	struct slice v;
	const char *name = arg ? "OLDPWD" : "HOME";

	*show = false;
	if (arg && strcmp(arg, "-"))
		return arg;
	if (!var_get_text(sh, name, &v)) {
		builtin_error(sh, "%s not set", name);
		return NULL;
	}
	*show = arg != NULL;
	return arena_dup(&sh->turn, v.p, v.n);
}

/* cdable_vars: dir is the name of a variable that holds the directory. */
static const char *cd_variable(struct shell *sh, const char *dir)
{
	struct slice v;

	if (!sh->opts[SHOPT_CDABLE_VARS] || !text_is_name(dir) || !var_get_text(sh, dir, &v))
		return NULL;
	return arena_dup(&sh->turn, v.p, v.n);
}

int builtin_cd(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool physical = sh->opts[OPT_PHYSICAL], show;
	const char *dir, *variable;
	struct tsb_stat st;
	struct bopt o;
	int status;

	(void)flow;
	if (builtin_restricted(sh, NULL))
		return 1;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "LPe"));) {
		if (c < 0)
			return STATUS_USAGE;
		if (c == 'L' || c == 'P')
			physical = c == 'P';
	}
	if (o.at + 1 < argc) {
		builtin_error(sh, "too many arguments");
		return 1;
	}
	dir = cd_target(sh, argv[o.at], &show);
	if (!dir)
		return 1;
	status = show ? -1 : cd_by_path(sh, dir, physical);
	if (status >= 0)
		return status;
	variable = tsb_stat(sh->p, dir, &st) ? cd_variable(sh, dir) : NULL;
	if (variable) {
		status = change_directory(sh, variable, variable, physical);
		if (!status)
			putf(sh, "%s\n", variable);
		return status;
	}
	status = change_directory(sh, dir, argv[o.at] && !show ? argv[o.at] : dir, physical);
	if (!status && show)
		putf(sh, "%s\n", dir);
	return status;
}

int builtin_pwd(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool physical = sh->opts[OPT_PHYSICAL];
	const char *logical;
	struct bopt o;
	bool two;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "LP"));) {
		if (c < 0)
			return STATUS_USAGE;
		physical = c == 'P';
	}
	logical = current_logical(sh);
	two = logical[0] == '/' && logical[1] == '/' && logical[2] != '/';
	if (physical)	/* two slashes in front stay two */
		putf(sh, "%s%s\n", two ? "/" : "", tsb_getcwd(sh->p));
	else
		putf(sh, "%s\n", logical);
	return 0;
}
