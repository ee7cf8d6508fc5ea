/*
 * Backup names. The next number is found by reading the directory once; a
 * rename that must not replace decides between two that count at once.
 */
#include "cmd/backup.h"

#include <errno.h>
#include <string.h>

#include "cmd/path.h"
#include "cmd/util.h"

int backup_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct backup *b = (struct backup *)(void *)((char *)opts + opt->offset);

	(void)p;
	b->wanted = true;
	if (opt->value == 'S')
		b->suffix = arg;
	else if (arg)
		b->control = arg;
	return 0;
}

int backup_prepare(struct tsb_proc *p, struct backup *b)
{
	static const struct util_word words[] = {
		{ "none", BACKUP_NONE }, { "off", BACKUP_NONE },
		{ "simple", BACKUP_SIMPLE }, { "never", BACKUP_SIMPLE },
		{ "existing", BACKUP_EXISTING }, { "nil", BACKUP_EXISTING },
		{ "numbered", BACKUP_NUMBERED }, { "t", BACKUP_NUMBERED },
		{ NULL, 0 },
	};
	const char *control = b->control, *context = "backup type";
	int type = BACKUP_EXISTING, status = 0;

	if (b->wanted && (!control || !*control)) {
		control = tsb_getenv(p, "VERSION_CONTROL");
		context = "$VERSION_CONTROL";
	}
	if (b->wanted && control && *control)
		status = util_word(p, context, control, words, &type);
	b->type = b->wanted ? (enum backup_type)type : BACKUP_NONE;
	if (!b->suffix)
		b->suffix = tsb_getenv(p, "SIMPLE_BACKUP_SUFFIX");
	if (!b->suffix || !*b->suffix || path_last(b->suffix) != b->suffix ||
	    strchr(b->suffix, '/'))
		b->suffix = "~";
	return status;
}

/* The N of "base.~N~", digits without leading zero; NULL: another name. */
static const char *backup_number(const char *name, const char *base, size_t n, size_t *len)
{
	if (strncmp(name, base, n) || name[n] != '.' || name[n + 1] != '~')
		return NULL;
	name += n + 2;
	if (*name < '1' || *name > '9')
		return NULL;
	*len = strspn(name, "0123456789");
	return name[*len] == '~' && !name[*len + 1] ? name : NULL;
}

/* The highest number in use as digits, NULL if none. It may have any length. */
static char *backup_highest(struct tsb_proc *p, const char *path)
{
	char *base = path_base(p, path), *best = NULL;
	size_t n = strlen(base), best_len = 0, len;
	const struct tsb_dirent *d;
	struct tsb_dir *dir;

	if (tsb_opendir(p, path_dir(p, path), &dir))
		return NULL;
	while ((d = tsb_readdir(dir))) {
		const char *digits = backup_number(d->name, base, n, &len);

		tsb_tick(p, 1);
		if (!digits || len < best_len ||
		    (len == best_len && memcmp(digits, best, len) <= 0))
			continue;
		best = tsb_strndup(p, digits, len);
		best_len = len;
	}
	tsb_closedir(dir);
	return best;
}

/* digits + 1 */
static char *backup_count_up(struct tsb_proc *p, const char *digits)
{
	char *s = tsb_format(p, "0%s", digits);
	size_t i = strlen(s) - 1;

	while (s[i] == '9')
		s[i--] = '0';
	s[i]++;
	return *s == '0' ? s + 1 : s;
}

char *backup_name(struct tsb_proc *p, const struct backup *b, const char *path)
{
	int n = (int)path_base_len(path);
	char *highest = NULL;

	if (b->type != BACKUP_SIMPLE)
		highest = backup_highest(p, path);
	if (b->type == BACKUP_SIMPLE || (b->type == BACKUP_EXISTING && !highest))
		return tsb_format(p, "%.*s%s", n, path, b->suffix);
	return tsb_format(p, "%.*s.~%s~", n, path,
			  highest ? backup_count_up(p, highest) : "1");
}

int backup_rename(struct tsb_proc *p, const struct backup *b, const char *path, char **name)
{
	int err;

	for (int tries = 0; tries < 100; tries++) {
		bool numbered;
		size_t len;

		*name = backup_name(p, b, path);
		numbered = backup_number(path_last(*name), path_base(p, path),
					 strlen(path_base(p, path)), &len);
		err = tsb_rename(p, path, *name, numbered ? TSB_RENAME_NOREPLACE : 0);
		if (err == -ENOSYS || err == -EINVAL)
			err = tsb_rename(p, path, *name, 0);
		if (err != -EEXIST)
			return err;
	}
	return err;
}
