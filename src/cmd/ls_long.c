/*
 * The long format: one line a file, in columns as wide as the widest.
 */
#include "cmd/ls.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/accounts.h"
#include "cmd/util.h"
#include "text/datefmt.h"

/* Names are looked up once an id. "" stands for an id without a name. */
static const char *long_name(struct ls *ls, struct map *map, uint32_t id, bool user)
{
	struct map_entry *e;
	char key[24];
	size_t n = num_format_u64(key, id);

	if (!map->heap)
		map_init(map, tsb_heap_of(ls->p));
	e = map_find(map, key, n);
	if (!e) {
		e = map_put(map, key, n);
		e->value = user ? accounts_user_name(ls->p, id) : accounts_group_name(ls->p, id);
	}
	return ls->numeric ? NULL : e->value;
}

const char *ls_user_name(struct ls *ls, uint32_t id)
{
	return long_name(ls, &ls->users, id, true);
}

const char *ls_group_name(struct ls *ls, uint32_t id)
{
	return long_name(ls, &ls->groups, id, false);
}

int ls_id_width(const char *name, uint32_t id)
{
	char buf[24];

	return name ? (int)utf8_columns(name, strlen(name)) : (int)num_format_u64(buf, id);
}

/* Left in its column if a name, right if a number. */
static void long_put_id(struct ls *ls, const char *name, uint32_t id, int width)
{
	if (!name) {
		ls_putf(ls, "%*u ", width, id);
		return;
	}
	ls_puts(ls, name);
	width -= ls_id_width(name, id);
	ls_putf(ls, "%*s", (width > 0 ? width : 0) + 1, "");
}

static void long_put_owners(struct ls *ls, const struct ls_file *f)
{
	const struct tsb_stat *st = &f->st;
	const char *q = "?";

	if (ls->owner)
		long_put_id(ls, f->stat_ok ? ls_user_name(ls, st->uid) : q, st->uid, ls->w_owner);
	if (ls->group)
		long_put_id(ls, f->stat_ok ? ls_group_name(ls, st->gid) : q, st->gid,
			    ls->w_group);
	if (ls->author)
		long_put_id(ls, f->stat_ok ? ls_user_name(ls, st->uid) : q, st->uid,
			    ls->w_author);
	if (ls->context)
		long_put_id(ls, q, 0, ls->w_context);
}

static void long_put_size(struct ls *ls, const struct ls_file *f)
{
	const struct tsb_stat *st = &f->st;
	char buf[HUMAN_SIZE];
	int blanks;

	if (f->stat_ok && (S_ISCHR(st->mode) || S_ISBLK(st->mode))) {
		blanks = ls->w_size - (ls->w_major + 2 + ls->w_minor);
		ls_putf(ls, "%*u, %*u ", ls->w_major + (blanks > 0 ? blanks : 0), major(st->rdev),
			ls->w_minor, minor(st->rdev));
		return;
	}
	ls_putf(ls, "%*s ", ls->w_size,
		f->stat_ok ? human_format(buf, st->size, 1, &ls->file_block) : "?");
}

/* Within the last half year and not in the future? */
static bool long_is_recent(struct ls *ls, struct tsb_time t)
{
	struct tsb_time half_a_year;

	if (!ls->have_now || util_time_cmp(ls->now, t) < 0)
		ls->now = tsb_clock(ls->p, TSB_CLOCK_REAL);
	ls->have_now = true;
	half_a_year = ls->now;
	half_a_year.sec -= 31556952 / 2;
	return util_time_cmp(half_a_year, t) < 0 && util_time_cmp(t, ls->now) < 0;
}

static bool long_time_text(struct ls *ls, struct str *s, struct tsb_time t, bool recent)
{
	const char *format = ls->time_format[recent];
	struct date_moment m;

	if (!date_moment(&m, t.sec, t.nsec, &ls->zone))
		return false;
	date_format(s, format, strlen(format), &m);
	return true;
}

static void long_put_time(struct ls *ls, const struct ls_file *f)
{
	const struct tsb_stat *st = &f->st;
	struct tsb_time t = ls->time == LS_CTIME ? st->ctime : ls->time == LS_ATIME ? st->atime
			  : ls->time == LS_BTIME ? st->btime : st->mtime;
	bool ok = f->stat_ok && (ls->time != LS_BTIME || t.sec || t.nsec);
	struct str s, expected;

	str_init(&s, tsb_heap_of(ls->p), STR_MAX_DEFAULT);
	if (ok && long_time_text(ls, &s, t, long_is_recent(ls, t))) {
		ls_put(ls, s.p, s.n);
		ls_put(ls, " ", 1);
	} else {
		/* What is no date takes the room of one. */
		str_init(&expected, tsb_heap_of(ls->p), STR_MAX_DEFAULT);
		long_time_text(ls, &expected, (struct tsb_time){ 0, 0 }, false);
		if (ok)
			str_addf(&s, "%lld", (long long)t.sec);
		else
			str_addc(&s, '?');
		ls_putf(ls, "%*s ", (int)utf8_columns(expected.p, expected.n), s.p);
		str_end(&expected);
	}
	str_end(&s);
}

static void long_put_mode(struct ls *ls, const struct ls_file *f)
{
	static const char letters[] = "?pcdb-lsd";
	char mode[12];

	if (f->stat_ok) {
		util_mode_string(f->st.mode, mode);
	} else {
		memset(mode, '?', 10);
		mode[0] = letters[f->type];
		mode[10] = '\0';
	}
	ls_puts(ls, mode);
}

static void long_put_front(struct ls *ls, const struct ls_file *f)
{
	char buf[HUMAN_SIZE];

	if (ls->inode && f->st.ino)
		ls_putf(ls, "%*llu ", ls->w_inode, (unsigned long long)f->st.ino);
	else if (ls->inode)
		ls_putf(ls, "%*s ", ls->w_inode, "?");
	if (ls->blocks)
		ls_putf(ls, "%*s ", ls->w_blocks,
			f->stat_ok ? human_format(buf, f->st.blocks, 512, &ls->block) : "?");
}

void ls_print_long(struct ls *ls, struct ls_file *f)
{
	uint64_t start;
	size_t column;
	int c = 0;

	if (ls->dired)
		ls_puts(ls, "  ");
	start = ls->pos;
	long_put_front(ls, f);
	long_put_mode(ls, f);
	if (f->stat_ok)
		ls_putf(ls, " %*u ", ls->w_nlink, f->st.nlink);
	else
		ls_putf(ls, " %*s ", ls->w_nlink, "?");
	if (ls->owner || ls->group || ls->author || ls->context) {
		long_put_owners(ls, f);
		start = ls->pos;
	}
	long_put_size(ls, f);
	long_put_time(ls, f);
	column = (size_t)(ls->pos - start);
	column += ls_put_name(ls, f, false, &ls->names, column);
	if (f->type == LS_LINK && f->target) {
		ls_puts(ls, " -> ");
		ls_put_name(ls, f, true, NULL, column + 4);
		if (ls->indicator != LS_NO_INDICATOR)
			c = ls_indicator(ls, true, f->link_mode, LS_UNKNOWN);
	} else if (f->type != LS_LINK && ls->indicator != LS_NO_INDICATOR) {
		c = ls_indicator(ls, f->stat_ok, f->st.mode, f->type);
	}
	if (c)
		ls_put(ls, &(char){ (char)c }, 1);
}
