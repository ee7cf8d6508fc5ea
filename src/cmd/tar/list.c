/*
 * Listings (-t, and what -v says of every member), and checkpoints.
 */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cmd/tar/incremental.h"
#include "cmd/util.h"
#include "text/datefmt.h"

static void member_mode(const struct tar_member *m, char mode[12])
{
	util_mode_string(m->st.mode, mode);
	switch (m->type) {
	case 'V': case 'M': case 'L': case 'K':
		mode[0] = m->type;
		break;
	case '1':
		mode[0] = 'h';
		break;
	case '7':
		mode[0] = 'C';
		break;
	case '\0': case '0': case '2': case '3': case '4': case '5': case '6': case 'S': case 'D':
		break;
	default:
		mode[0] = '?';
	}
}

/* Local time; before 1970 with a fraction it is tar's own mistake. */
char *tar_date_text(struct tar *t, struct tsb_time time, bool full)
{
	struct date_moment when;
	struct str out;

	if (time.sec < 0 && time.nsec) {
		time.sec++;
		time.nsec = 1000000000 - time.nsec;
	}
	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (!date_moment(&when, time.sec, time.nsec, &t->zone)) {
		str_addf(&out, "%lld", (long long)time.sec);
		return str_take(&out, NULL);
	}
	if (full) {
		date_format(&out, "%Y-%m-%d %H:%M:%S", 17, &when);
		if (time.nsec) {
			str_addf(&out, ".%09d", time.nsec);
			while (out.p[out.n - 1] == '0')
				str_cut(&out, out.n - 1);
		}
	} else {
		date_format(&out, "%Y-%m-%d %H:%M", 14, &when);
	}
	return str_take(&out, NULL);
}

static const char *member_listed_name(struct tar *t, struct tar_member *m)
{
	size_t n = strlen(m->name);

	if (!t->show_transformed)
		return m->orig_name;
	return m->trailing_slash && (!n || m->name[n - 1] != '/') ? tsb_format(t->p, "%s/", m->name)
								  : m->name;
}

static void print_link(struct tar *t, struct tar_member *m, struct str *out)
{
	if (m->type == '2')
		str_addf(out, " -> %s\n", tar_quote(t, m->link_name));
	else if (m->type == '1')
		str_addf(out, " link to %s\n", tar_quote(t, m->link_name));
	else if (m->type == 'V')
		str_adds(out, "--Volume Header--\n");
	else if (m->type == 'M')
		str_adds(out, "--Continued at byte 0--\n");
	else if (m->type && !strchr("01234567SDxgX", m->type))
		str_addf(out, " unknown file type %s\n",
			 tar_quote_word(t, tsb_format(t->p, "%c", m->type)));
	else
		str_addc(out, '\n');
}

static void print_long(struct tar *t, struct tar_member *m, struct str *out)
{
	char mode[12], *time, *size;
	const char *user = m->uname, *group = m->gname;
	size_t width;

	member_mode(m, mode);
	if (!*user || t->numeric_owner)
		user = tsb_format(t->p, "%lld", (long long)(int32_t)m->st.uid < 0 &&
				  m->st.uid == UINT32_MAX ? -1ll : (long long)m->st.uid);
	if (!*group || t->numeric_owner)
		group = tsb_format(t->p, "%lld", (long long)m->st.gid);
	if (m->type == '3' || m->type == '4')
		size = tsb_format(t->p, "%u,%u", major(m->st.rdev), minor(m->st.rdev));
	else
		size = tsb_format(t->p, "%llu", (unsigned long long)m->st.size);
	time = tar_date_text(t, m->st.mtime, t->full_time);
	if (strlen(time) > t->date_width)
		t->date_width = strlen(time);
	width = strlen(user) + 1 + strlen(group) + 1 + strlen(size);
	if (width > t->owner_width)
		t->owner_width = width;
	str_addf(out, "%s %s/%s %*s %-*s", mode, user, group,
		 (int)(t->owner_width - width + strlen(size)), size, (int)t->date_width, time);
	str_addf(out, " %s", tar_quote(t, member_listed_name(t, m)));
	print_link(t, m, out);
}

void tar_print_header(struct tar *t, struct tar_member *m)
{
	bool is_long = t->verbose > 1 || (t->verbose && (t->action == TAR_LIST));
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (t->block_numbers)
		str_addf(&out, "block %llu: ", (unsigned long long)m->shown_block);
	if (is_long)
		print_long(t, m, &out);
	else
		str_addf(&out, "%s\n", tar_quote(t, member_listed_name(t, m)));
	tar_out(t, out.p, out.n);
	str_end(&out);
}

void tar_list_member(struct tar *t)
{
	tar_print_header(t, &t->m);
	if (t->incremental && t->verbose > 1 && t->m.dump)
		inc_list(t, &t->m);
	tar_skip_member(t);
}

/* ---- Checkpoints ---- */

struct tar_checkpoint {
	int kind;		/* '.', 'b'ell, 'e'cho, 'x' exec, 's'leep, 't'totals, 'y' ttyout */
	const char *arg;
	struct tar_checkpoint *next;
};

void tar_checkpoint_add(struct tar *t, const char *action)
{
	static const struct { const char *word; int kind; bool arg; } kinds[] = {
		{ ".", '.', false }, { "dot", '.', false }, { "bell", 'b', false },
		{ "echo", 'e', false }, { "echo=", 'e', true }, { "exec=", 'x', true },
		{ "ttyout=", 'y', true }, { "sleep=", 's', true }, { "totals", 't', false },
		{ "wait=", 'w', true },
	};
	struct tar_checkpoint *c = tsb_alloc(t->p, sizeof(*c)), **tail = &t->checkpoint_actions;

	while (*tail)
		tail = &(*tail)->next;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t n = strlen(kinds[i].word);

		if (kinds[i].arg ? strncmp(action, kinds[i].word, n) : strcmp(action,
									      kinds[i].word))
			continue;
		c->kind = kinds[i].kind;
		c->arg = kinds[i].arg ? action + n : NULL;
		*tail = c;
		return;
	}
	tar_fatal(t, "%s: unknown checkpoint action", action);
}

static char *checkpoint_text(struct tar *t, const char *format, uint64_t number, bool writing)
{
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (; *format; format++) {
		if (*format == '\\' && format[1] == 'n') {
			str_addc(&out, '\n');
			format++;
		} else if (*format != '%' || !format[1]) {
			str_addc(&out, *format);
		} else if (*++format == 'u') {
			str_addf(&out, "%llu", (unsigned long long)number);
		} else if (*format == 's') {
			str_adds(&out, writing ? "write" : "read");
		} else {
			str_addf(&out, "%%%c", *format);
		}
	}
	return str_take(&out, NULL);
}

static void checkpoint_exec(struct tar *t, const char *command, uint64_t number)
{
	const char *argv[] = { "/bin/sh", "-c", command, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	int pid, status;

	tsb_setenv(t->p, "TAR_VERSION", "1.34");
	tsb_setenv(t->p, "TAR_ARCHIVE", t->archive ? t->archive : "-");
	tsb_setenv(t->p, "TAR_CHECKPOINT", tsb_format(t->p, "%llu", (unsigned long long)number));
	tsb_setenv(t->p, "TAR_BLOCKING_FACTOR", tsb_format(t->p, "%zu", t->record_size / TAR_BLOCK));
	if (tsb_spawn(t->p, &how, &pid) == 0)
		tsb_wait(t->p, pid, &status, 0);
}

static void checkpoint_do(struct tar *t, const struct tar_checkpoint *c, uint64_t number,
			  bool writing)
{
	char *text;
	double seconds = 0;

	switch (c->kind) {
	case '.':
		tar_out(t, ".", 1);
		break;
	case 'e':
		text = checkpoint_text(t, c->arg ? c->arg : writing ? "Write checkpoint %u"
				       : "Read checkpoint %u", number, writing);
		tar_say(t, "%s", text);
		break;
	case 'y': case 'b':
		break;	/* there is no terminal */
	case 't':
		tar_totals(t);
		break;
	case 'x':
		checkpoint_exec(t, c->arg, number);
		break;
	case 's':
		for (const char *at = c->arg; *at >= '0' && *at <= '9'; at++)
			seconds = seconds * 10 + *at - '0';
		tsb_sleep(t->p, (int64_t)(seconds > 1e6 ? 1e6 : seconds) * 1000000000);
		break;
	}
}

void tar_checkpoint(struct tar *t, uint64_t number, bool writing)
{
	static const struct tar_checkpoint standard = { 'e', NULL, NULL };

	if (!t->checkpoint || number % t->checkpoint)
		return;
	if (!t->checkpoint_actions)
		checkpoint_do(t, &standard, number, writing);
	for (const struct tar_checkpoint *c = t->checkpoint_actions; c; c = c->next)
		checkpoint_do(t, c, number, writing);
}
