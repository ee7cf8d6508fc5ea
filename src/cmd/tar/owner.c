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
	uint32_t from, to;
	const char *to_name;	/* NULL: that of the number */
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

struct map_reading {
	struct tar *t;
	const char *file;
	size_t line;
	bool group, bad;
};

static bool map_bad(struct map_reading *r, const char *what, const char *text)
{
	const char *id = r->group ? "GID" : "UID";

	if (!text)
		tar_error(r->t, "%s:%zu: malformed line", r->file, r->line);
	else if (*what == 'i')
		tar_error(r->t, "%s:%zu: invalid %s: %s", r->file, r->line, id, text);
	else
		tar_error(r->t, "%s:%zu: can't obtain %s of %s", r->file, r->line, id, text);
	r->bad = true;
	return false;
}

static bool map_number(struct map_reading *r, const char *text, uint32_t *id)
{
	uint64_t v;

	if (*text < '0' || *text > '9' || num_u64(text, &v) != NUM_OK || v >= UINT32_MAX)
		return map_bad(r, "invalid", text);
	*id = (uint32_t)v;
	return true;
}

static bool map_name(struct map_reading *r, const char *name, uint32_t *id)
{
	uint32_t gid;

	if (r->group ? accounts_group(r->t->p, name, id) : accounts_user(r->t->p, name, id, &gid))
		return true;
	return map_bad(r, "unknown", name);
}

/* "OLD NEW": OLD a name or +ID; NEW a name, name:ID, +ID or :ID. */
static bool map_line(struct map_reading *r, char *line, struct tar_map *m)
{
	char *to = line + strcspn(line, " \t"), *colon, *end;

	if (*to) {
		*to++ = '\0';
		to += strspn(to, " \t");
	}
	end = to + strcspn(to, " \t");
	if ((*to == '"' || *to == '\'') && strchr(to + 1, *to)) {
		end = strchr(to + 1, *to);
		*end++ = '\0';
		to++;
	}
	if (!*to || end[strspn(end, " \t")])
		return map_bad(r, "malformed", NULL);
	*end = '\0';
	if (*line == '+' ? !map_number(r, line + 1, &m->from) : !map_name(r, line, &m->from))
		return false;
	colon = *to == '+' ? to : strchr(to, ':');
	if (colon)
		*colon = '\0';
	m->to_name = *to ? tsb_strdup(r->t->p, to) : NULL;
	return colon && colon[1] ? map_number(r, colon + 1, &m->to) : map_name(r, to, &m->to);
}

struct tar_map *tar_map_read(struct tar *t, const char *file, bool group)
{
	struct tar_map *first = NULL, **tail = &first;
	int fd = tsb_open(t->p, file, 0, 0);
	struct tsb_reader in;
	struct map_reading r = { .t = t, .file = file, .group = group };
	size_t n;
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
		r.line++;
		if (!*own)
			continue;
		*tail = tsb_alloc(t->p, sizeof(**tail));
		if (map_line(&r, own, *tail))
			tail = &(*tail)->next;
		else
			*tail = NULL;
	}
	tsb_reader_end(&in);
	tsb_close(t->p, fd);
	if (r.bad)
		tar_fatal(t, "errors reading map file");
	return first;
}

static const struct tar_map *map_find_owner(const struct tar_map *m, uint32_t id)
{
	while (m && m->from != id)
		m = m->next;
	return m;
}

/* Names of the owner as they go into the header, and what the options change. */
void tar_map_owner(struct tar *t, struct tar_member *m)
{
	const char *user = accounts_user_name(t->p, m->st.uid);
	const char *group = accounts_group_name(t->p, m->st.gid);
	const struct tar_map *map;

	m->uname = user ? user : "";
	m->gname = group ? group : "";
	if ((map = map_find_owner(t->owner_map, m->st.uid))) {
		m->st.uid = map->to;
		user = map->to_name ? map->to_name : accounts_user_name(t->p, map->to);
		m->uname = user ? user : "";
	} else {
		if (t->owner_id_set) {
			m->st.uid = t->owner_id;
			user = accounts_user_name(t->p, t->owner_id);
			m->uname = user ? user : "";
		}
		if (t->owner_name)
			m->uname = t->owner_name;
	}
	if ((map = map_find_owner(t->group_map, m->st.gid))) {
		m->st.gid = map->to;
		group = map->to_name ? map->to_name : accounts_group_name(t->p, map->to);
		m->gname = group ? group : "";
	} else {
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
