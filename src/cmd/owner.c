/*
 * Changing owners. A directory is changed after its entries when the walk is
 * recursive, so that losing the right to it does not end the walk.
 */
#include "cmd/owner.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/util.h"
#include "cmd/walk.h"

bool owner_number(const char *s, uint32_t *id)
{
	uint64_t v;

	if (*s == '+')
		s++;
	if (*s < '0' || *s > '9' || num_u64(s, &v) != NUM_OK || v >= UINT32_MAX)
		return false;
	*id = (uint32_t)v;
	return true;
}

const char *owner_user_text(struct tsb_proc *p, uint32_t uid)
{
	char *name = accounts_user_name(p, uid);

	return name ? name : tsb_format(p, "%u", uid);
}

const char *owner_group_text(struct tsb_proc *p, uint32_t gid)
{
	char *name = accounts_group_name(p, gid);

	return name ? name : tsb_format(p, "%u", gid);
}

/* Names of digits are numbers unless an account has that very name. */
static bool owner_find_user(struct tsb_proc *p, const char *name, uint32_t *uid, uint32_t *gid)
{
	uint32_t id;

	return *name != '+' && accounts_user(p, name, uid, gid) &&
	       !(owner_number(name, &id) && strcmp(name, owner_user_text(p, id)));
}

static const char *owner_parse_at(struct tsb_proc *p, const char *spec, const char *sep,
				  struct owner *out)
{
	size_t n = sep ? (size_t)(sep - spec) : strlen(spec);
	const char *user = n ? tsb_strndup(p, spec, n) : NULL;
	const char *group = sep && sep[1] ? sep + 1 : NULL;
	uint32_t login;

	if (user && owner_find_user(p, user, &out->uid, &login)) {
		if (sep && !group) {
			out->gid = login;
			out->group = owner_group_text(p, login);
		}
	} else if (user && sep && !group) {
		return "invalid spec";
	} else if (user && !owner_number(user, &out->uid)) {
		return "invalid user";
	}
	if (group && !(*group != '+' && accounts_group(p, group, &out->gid)) &&
	    !owner_number(group, &out->gid))
		return "invalid group";
	out->user = user;
	if (group)
		out->group = group;
	return NULL;
}

const char *owner_parse(struct tsb_proc *p, const char *spec, uint32_t *uid, uint32_t *gid,
			const char **user, const char **group, bool *warning)
{
	struct owner out = { OWNER_INIT }, dotted = { OWNER_INIT };
	const char *colon = strchr(spec, ':'), *dot = strchr(spec, '.');
	const char *error = owner_parse_at(p, spec, colon, &out);

	*warning = false;
	if (error && !colon && dot && !owner_parse_at(p, spec, dot, &dotted)) {
		*warning = true;
		error = NULL;
		out = dotted;
	}
	*uid = out.uid;
	*gid = out.gid;
	*user = out.user;
	*group = out.group;
	return error;
}

int owner_settle(struct owner *o, int argc, char **argv)
{
	if (!o->recursive) {
		o->walk = OWNER_PHYSICAL;
	} else if (o->walk == OWNER_PHYSICAL) {
		if (o->deref == 1) {
			tsb_warn(o->p, "-R --dereference requires either -H or -L");
			return 1;
		}
		o->deref = 0;
	}
	if (argc >= (o->reference ? 1 : 2))
		return 0;
	return argc ? util_missing_operand_after(o->p, argv[argc - 1])
		    : util_missing_operand(o->p);
}

/* "user:group", "user", "group" or NULL. */
static const char *owner_spec(struct owner *o, const char *user, const char *group)
{
	if (user && group)
		return tsb_format(o->p, "%s:%s", user, group);
	return user ? user : group;
}

/* st NULL: the file could not be looked at. */
static void owner_describe(struct owner *o, const char *path, const struct tsb_stat *st, bool ok,
			   bool changed)
{
	const char *kind = o->user || !o->group ? "ownership" : "group";
	const char *to = owner_spec(o, o->user, o->group);
	const char *name = quote_af(o->p, path), *from = NULL;

	if (st)
		from = owner_spec(o, o->user ? owner_user_text(o->p, st->uid) : NULL,
				  o->group ? owner_group_text(o->p, st->gid) : NULL);
	if (!ok)
		tsb_printf(o->p, "failed to change %s of %s", kind, name);
	else if (changed)
		tsb_printf(o->p, "changed %s of %s", kind, name);
	else
		tsb_printf(o->p, "%s of %s retained", kind, name);
	if (to && (!ok || changed)) {
		if (from)
			tsb_printf(o->p, " from %s", from);
		tsb_printf(o->p, " to %s", to);
	} else if (to) {
		tsb_printf(o->p, " as %s", from);
	}
	tsb_putc(o->p, '\n');
}

static bool owner_look(struct owner *o, const struct walk_entry *e)
{
	if (e->kind != WALK_NO_STAT && e->kind != WALK_UNREADABLE)
		return true;
	if (!o->silent)
		tsb_warn_errno(o->p, e->error, "cannot %s %s",
			       e->kind == WALK_NO_STAT ? "access" : "read directory",
			       quote_af(o->p, e->path));
	return false;
}

static bool owner_guarded(struct owner *o, struct walk *w, struct walk_entry *e)
{
	if (!o->recursive || !o->guard_root || !util_same_file(&e->st, &o->root))
		return false;
	util_warn_root(o->p, e->path);
	walk_skip(w);
	e->number = 1;
	return true;
}

static bool owner_apply(struct owner *o, const char *path)
{
	struct tsb_setattr set = { .uid = o->uid, .gid = o->gid };
	int err = 0;

	set.mask = (o->uid != OWNER_KEEP ? TSB_SET_UID : 0) |
		   (o->gid != OWNER_KEEP ? TSB_SET_GID : 0);
	if (set.mask)
		err = tsb_setattr(o->p, path, &set, o->deref != 0);
	if (err && !o->silent)
		tsb_warn_errno(o->p, err, "changing %s of %s",
			       o->uid != OWNER_KEEP ? "ownership" : "group",
			       quote_af(o->p, path));
	return !err;
}

static bool owner_entry(struct owner *o, struct walk *w, struct walk_entry *e)
{
	bool ok = owner_look(o, e), apply, changed;
	const struct tsb_stat *st = ok ? &e->st : NULL;
	struct tsb_stat referent;
	int err;

	if (ok && S_ISLNK(e->st.mode) && o->deref) {
		err = tsb_stat(o->p, e->path, &referent);
		ok = !err;
		st = ok ? &referent : &e->st;
		if (err && !o->silent)
			tsb_warn_errno(o->p, err, "cannot dereference %s", quote_af(o->p, e->path));
	}
	apply = ok && (o->from_uid == OWNER_KEEP || o->from_uid == st->uid) &&
		(o->from_gid == OWNER_KEEP || o->from_gid == st->gid);
	if (apply)
		ok = owner_apply(o, e->path);
	changed = apply && ok && !((o->uid == OWNER_KEEP || o->uid == st->uid) &&
				   (o->gid == OWNER_KEEP || o->gid == st->gid));
	if (o->say == OWNER_SAY_ALL || (o->say && changed))
		owner_describe(o, e->path, st, ok, changed);
	if (!o->recursive && e->kind == WALK_DIR)
		walk_skip(w);
	return ok;
}

int owner_change(struct owner *o, int n, char **files)
{
	static const unsigned flags[] = { WALK_PHYSICAL, WALK_OPERANDS, WALK_LOGICAL };
	struct walk *w = walk_open(o->p, n, files, flags[o->walk]);
	struct walk_entry *e;
	int status = 0;

	if (tsb_lstat(o->p, "/", &o->root))
		o->guard_root = false;
	while ((e = walk_next(w))) {
		if (e->kind == WALK_DIR && owner_guarded(o, w, e)) {
			status = 1;
			continue;
		}
		/* A directory counts once: at its end if we go into it. */
		if (e->kind == (o->recursive ? WALK_DIR : WALK_DIR_END) || e->number)
			continue;
		status |= !owner_entry(o, w, e);
	}
	return status;
}
