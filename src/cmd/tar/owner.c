/*
 * Owners: --owner, --group and their maps when creating; names to numbers when
 * extracting.
 */
#include <string.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/lines.h"
#include "cmd/tar/tar.h"

struct tar_map {
	const char *from_name;	/* or NULL: by number */
	uint32_t from, to;
	const char *to_name;
	struct tar_map *next;
};

static uint32_t owner_number(struct tar *t, const char *text)
{
	uint64_t v;

	if (*text < '0' || *text > '9' || num_u64(text, &v) != NUM_OK || v >= UINT32_MAX)
		tar_fatal(t, "%s: Invalid owner or group ID", tar_quote_colon(t, text));
	return (uint32_t)v;
}

static void owner_set(struct tar *t, bool group, const char *name, bool has_id, uint32_t id)
{
	uint32_t found, gid;

	if (!has_id && name)
		has_id = group ? accounts_group(t->p, name, &found)
			       : accounts_user(t->p, name, &found, &gid);
	else
		found = id;
	if (group) {
		t->group_name = name;
		t->group_id_set = has_id;
		t->group_id = has_id ? found : 0;
	} else {
		t->owner_name = name;
		t->owner_id_set = has_id;
		t->owner_id = has_id ? found : 0;
	}
}

void tar_owner_option(struct tar *t, const char *text, bool group)
{
	const char *colon = strchr(text, ':');

	if (colon)
		owner_set(t, group, colon > text ? tsb_strndup(t->p, text, (size_t)(colon - text))
						 : NULL, true, owner_number(t, colon + 1));
	else if (*text >= '0' && *text <= '9')
		owner_set(t, group, NULL, true, owner_number(t, text));
	else
		owner_set(t, group, text, false, 0);
}

/* Lines "OLD NEW", OLD a name or +ID, NEW a name[:ID] or :ID. */
static struct tar_map *map_line(struct tar *t, char *line, bool group)
{
	struct tar_map *m = tsb_alloc(t->p, sizeof(*m));
	char *to = line + strcspn(line, " \t"), *colon;
	uint32_t gid = 0;

	if (*to) {
		*to++ = '\0';
		to += strspn(to, " \t");
	}
	if (line[0] == '+') {
		m->from = owner_number(t, line + 1);
	} else {
		m->from_name = tsb_strdup(t->p, line);
	}
	colon = strchr(to, ':');
	if (colon)
		*colon = '\0';
	m->to_name = tsb_strdup(t->p, to);
	if (colon)
		m->to = owner_number(t, colon + 1);
	else if (!(group ? accounts_group(t->p, to, &m->to) : accounts_user(t->p, to, &m->to, &gid)))
		m->to = *to >= '0' && *to <= '9' ? owner_number(t, to) : UINT32_MAX;
	return m;
}

struct tar_map *tar_map_read(struct tar *t, const char *file, bool group)
{
	struct tar_map *first = NULL, **tail = &first;
	int fd = tsb_open(t->p, file, 0, 0);
	struct tsb_reader in;
	size_t n, number = 0;
	bool bad = false;
	char *line;

	if (fd < 0)
		tar_fatal(t, "%s: Cannot open: %s", tar_quote_colon(t, file), tsb_strerror(fd));
	tsb_reader_init(&in, t->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		char *own;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		own = tsb_strdup(t->p, line + strspn(line, " \t"));
		own[strcspn(own, "#")] = '\0';
		number++;
		if (!*own)
			continue;
		if (!own[strcspn(own, " \t")]) {
			tar_error(t, "%s:%zu: malformed line", file, number);
			bad = true;
			continue;
		}
		*tail = map_line(t, own, group);
		tail = &(*tail)->next;
	}
	tsb_reader_end(&in);
	tsb_close(t->p, fd);
	if (bad)
		tar_fatal(t, "errors reading map file");
	return first;
}

static bool map_find_owner(const struct tar_map *m, uint32_t *id, const char **name,
			   const char *old)
{
	for (; m; m = m->next) {
		if (m->from_name ? strcmp(m->from_name, old) : m->from != *id)
			continue;
		if (m->to != UINT32_MAX)
			*id = m->to;
		*name = m->to_name;
		return true;
	}
	return false;
}

/* Names of the owner as they go into the header, and what the options change. */
void tar_map_owner(struct tar *t, struct tar_member *m)
{
	const char *user = accounts_user_name(t->p, m->st.uid);
	const char *group = accounts_group_name(t->p, m->st.gid);

	m->uname = user ? user : "";
	m->gname = group ? group : "";
	if (!map_find_owner(t->owner_map, &m->st.uid, &m->uname, m->uname)) {
		if (t->owner_id_set) {
			m->st.uid = t->owner_id;
			user = accounts_user_name(t->p, t->owner_id);
			m->uname = user ? user : "";
		}
		if (t->owner_name)
			m->uname = t->owner_name;
	}
	if (!map_find_owner(t->group_map, &m->st.gid, &m->gname, m->gname)) {
		if (t->group_id_set) {
			m->st.gid = t->group_id;
			group = accounts_group_name(t->p, t->group_id);
			m->gname = group ? group : "";
		}
		if (t->group_name)
			m->gname = t->group_name;
	}
	if (t->numeric_owner)
		m->uname = m->gname = "";
}

uint32_t tar_find_uid(struct tar *t, const struct tar_member *m)
{
	uint32_t uid, gid;

	return !t->numeric_owner && *m->uname && accounts_user(t->p, m->uname, &uid, &gid)
	       ? uid : m->st.uid;
}

uint32_t tar_find_gid(struct tar *t, const struct tar_member *m)
{
	uint32_t gid;

	return !t->numeric_owner && *m->gname && accounts_group(t->p, m->gname, &gid)
	       ? gid : m->st.gid;
}
