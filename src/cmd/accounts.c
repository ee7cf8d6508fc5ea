/*
 * See accounts.h. The files are read at each call: they are a few lines long,
 * and a script may have changed them.
 */
#include "cmd/accounts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <tinysandbox/command.h>

#include "base/num.h"
#include "cmd/util.h"

struct accounts_file {
	struct tsb_reader in;
	int fd;
};

static bool accounts_open(struct tsb_proc *p, struct accounts_file *f, const char *path)
{
	f->fd = tsb_open(p, path, O_RDONLY | O_CLOEXEC, 0);
	if (f->fd < 0)
		return false;
	tsb_reader_init(&f->in, p, f->fd);
	return true;
}

static void accounts_close(struct tsb_proc *p, struct accounts_file *f)
{
	tsb_reader_end(&f->in);
	tsb_close(p, f->fd);
}

/* The next line's first four fields; missing ones are "". */
static bool accounts_next(struct accounts_file *f, char *field[4])
{
	char *line;
	size_t n = tsb_getdelim(&f->in, &line, '\n');

	if (!n)
		return false;
	if (line[n - 1] == '\n')
		line[n - 1] = '\0';
	for (int i = 0; i < 4; i++) {
		field[i] = line ? strsep(&line, ":") : (char *)"";
	}
	return true;
}

static bool accounts_number(const char *s, uint32_t *value)
{
	uint64_t v;

	if (*s < '0' || *s > '9' || num_u64(s, &v) != NUM_OK || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

/* The line of path whose name is `name`, or, with name NULL, whose number is
 * id: its name (and numbers); NULL if none. */
static char *accounts_find(struct tsb_proc *p, const char *path, const char *name, uint32_t id,
			   uint32_t *number, uint32_t *fourth)
{
	struct accounts_file f;
	char *field[4], *found = NULL;
	uint32_t v;

	if (!accounts_open(p, &f, path))
		return NULL;
	while (!found && accounts_next(&f, field)) {
		if (!accounts_number(field[2], &v))
			continue;
		if (name ? strcmp(name, field[0]) : v != id)
			continue;
		found = tsb_strdup(p, field[0]);
		if (number)
			*number = v;
		if (fourth && !accounts_number(field[3], fourth))
			*fourth = v;
	}
	accounts_close(p, &f);
	return found;
}

char *accounts_user_name(struct tsb_proc *p, uint32_t uid)
{
	return accounts_find(p, "/etc/passwd", NULL, uid, NULL, NULL);
}

char *accounts_group_name(struct tsb_proc *p, uint32_t gid)
{
	return accounts_find(p, "/etc/group", NULL, gid, NULL, NULL);
}

bool accounts_user(struct tsb_proc *p, const char *name, uint32_t *uid, uint32_t *gid)
{
	uint32_t v;

	if (accounts_find(p, "/etc/passwd", name, 0, uid, gid))
		return true;
	return accounts_number(name, &v) && accounts_find(p, "/etc/passwd", NULL, v, uid, gid);
}

bool accounts_group(struct tsb_proc *p, const char *name, uint32_t *gid)
{
	return accounts_find(p, "/etc/group", name, 0, gid, NULL) != NULL;
}

static bool accounts_is_member(char *members, const char *user)
{
	char *name;

	while ((name = strsep(&members, ",")))
		if (!strcmp(name, user))
			return true;
	return false;
}

uint32_t *accounts_groups(struct tsb_proc *p, const char *user, uint32_t primary, size_t *n)
{
	struct accounts_file f;
	uint32_t *list = NULL, v;
	size_t cap = 0;
	char *field[4];

	list = util_grow(p, list, 0, &cap, sizeof(*list));
	list[0] = primary;
	*n = 1;
	if (!accounts_open(p, &f, "/etc/group"))
		return list;
	while (accounts_next(&f, field)) {
		if (!accounts_number(field[2], &v) || v == primary ||
		    !accounts_is_member(field[3], user))
			continue;
		list = util_grow(p, list, *n, &cap, sizeof(*list));
		list[(*n)++] = v;
	}
	accounts_close(p, &f);
	return list;
}
