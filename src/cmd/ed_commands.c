/*
 * ed's commands, one function a kind; g and v run them for the lines they have marked.
 */
#include "cmd/ed.h"

#include <string.h>

#include "cmd/util.h"

bool ed_fail(struct ed *e, const char *why)
{
	e->error = why;
	return false;
}

static bool ed_no_address(struct ed *e)
{
	return !e->n_addresses || ed_fail(e, "Unexpected address");
}

static void ed_changes(struct ed *e)
{
	if (!e->global)
		ed_snapshot(e);
}

/* ---- Text ---- */

/* The next line of a, i or c: of g's list, or of the input. */
static bool ed_text_line(struct ed *e, char **line, size_t *n)
{
	const char *end;

	if (!e->global)
		return ed_read(e, line, n);
	if (!*e->c)
		return false;
	end = strchr(e->c, '\n');
	*n = end ? (size_t)(end - e->c) + 1 : strlen(e->c);
	*line = tsb_strndup(e->p, e->c, *n);
	e->c += *n;
	return true;
}

static bool ed_append(struct ed *e, size_t after)
{
	char *line;
	size_t n;

	e->current = after;
	while (ed_text_line(e, &line, &n)) {
		struct ed_line *l;

		if (n && line[n - 1] == '\n')
			n--;
		if (n == 1 && *line == '.')
			break;
		l = ed_new_line(e, line, n);
		ed_insert(e, after++, &l, 1);
	}
	return true;
}

static bool ed_text_command(struct ed *e, char c, unsigned *how)
{
	if (c == 'c' && !ed_range(e, e->current, e->current))
		return false;
	if (!ed_suffix(e, how))
		return false;
	ed_changes(e);
	if (c == 'a')
		return ed_append(e, e->second);
	if (c == 'i')
		return ed_append(e, e->second ? e->second - 1 : 0);
	ed_delete(e, e->first, e->second);
	return ed_append(e, e->first - 1);
}

/* ---- Lines ---- */

static bool ed_delete_command(struct ed *e, unsigned *how)
{
	if (!ed_range(e, e->current, e->current) || !ed_suffix(e, how))
		return false;
	ed_changes(e);
	ed_delete(e, e->first, e->second);
	e->current = e->first <= e->lines.n ? e->first : e->lines.n;
	return true;
}

static bool ed_join_command(struct ed *e, unsigned *how)
{
	if (!ed_range(e, e->current, e->current + 1) || !ed_suffix(e, how))
		return false;
	ed_changes(e);
	if (e->first != e->second)
		ed_join(e, e->first, e->second);
	return true;
}

/* m and t: the address behind the letter. */
static bool ed_third(struct ed *e, size_t *to)
{
	size_t first = e->first, second = e->second, at = e->current;
	int n = e->n_addresses;
	bool good = ed_addresses(e);

	*to = e->n_addresses ? e->second : at;
	e->first = first;
	e->second = second;
	e->n_addresses = n;
	return good;
}

static bool ed_move_command(struct ed *e, unsigned *how)
{
	size_t to;

	if (!ed_range(e, e->current, e->current) || !ed_third(e, &to))
		return false;
	if (to >= e->first && to < e->second)
		return ed_fail(e, "Invalid destination");
	if (!ed_suffix(e, how))
		return false;
	ed_changes(e);
	if (to == e->second || to == e->first - 1) {
		e->current = e->second;
		e->modified = true;
	} else {
		ed_move(e, e->first, e->second, to);
	}
	return true;
}

/* Copies of n lines behind `after`. */
static void ed_put_copies(struct ed *e, struct ed_line *const *from, size_t n, size_t after)
{
	struct ed_line **new = tsb_alloc(e->p, (n + 1) * sizeof(*new));

	for (size_t i = 0; i < n; i++) {
		new[i] = tsb_alloc(e->p, sizeof(**new));
		*new[i] = *from[i];
		new[i]->active = false;
	}
	tsb_tick(e->p, n);
	ed_insert(e, after, new, n);
	tsb_free(e->p, new);
}

static bool ed_copy_command(struct ed *e, unsigned *how)
{
	size_t to;

	if (!ed_range(e, e->current, e->current) || !ed_third(e, &to) || !ed_suffix(e, how))
		return false;
	ed_changes(e);
	ed_put_copies(e, e->lines.at + e->first - 1, e->second - e->first + 1, to);
	return true;
}

static bool ed_yank_command(struct ed *e, unsigned *how)
{
	if (!ed_range(e, e->current, e->current) || !ed_suffix(e, how))
		return false;
	e->n_yanked = e->second - e->first + 1;
	e->yanked = tsb_alloc(e->p, e->n_yanked * sizeof(*e->yanked));
	memcpy(e->yanked, e->lines.at + e->first - 1, e->n_yanked * sizeof(*e->yanked));
	return true;
}

static bool ed_put_command(struct ed *e, unsigned *how)
{
	if (!ed_suffix(e, how))
		return false;
	if (!e->n_yanked)
		return ed_fail(e, "Nothing to put");
	ed_changes(e);
	ed_put_copies(e, e->yanked, e->n_yanked, e->second);
	return true;
}

static bool ed_mark_command(struct ed *e, unsigned *how)
{
	int mark = (unsigned char)*e->c;

	if (!e->second)
		return ed_fail(e, "Invalid address");
	if (mark == '\n')
		return ed_fail(e, "Invalid command suffix");
	e->c += mark != 0;
	if (!ed_suffix(e, how))
		return false;
	if (mark < 'a' || mark > 'z')
		return ed_fail(e, "Invalid mark character");
	e->marks[mark - 'a'] = e->lines.at[e->second - 1];
	return true;
}

/* ---- Showing ---- */

static bool ed_show_command(struct ed *e, char c, unsigned *how)
{
	unsigned kind = c == 'p' ? ED_PRINT : c == 'l' ? ED_LIST : ED_NUMBER;

	if (!ed_range(e, e->current, e->current) || !ed_suffix(e, &kind))
		return false;
	ed_show(e, e->first, e->second, kind);
	*how = 0;
	return true;
}

static bool ed_scroll_command(struct ed *e, unsigned *how)
{
	uint64_t n = 0;

	e->first = 1;
	if (!ed_range(e, 1, e->current + !e->global))
		return false;
	while (*e->c >= '0' && *e->c <= '9' && (n || *e->c != '0'))
		n = n < INT32_MAX ? n * 10 + (uint64_t)(*e->c++ - '0') : (e->c++, n);
	if (n)
		e->window = (size_t)n;
	if (!ed_suffix(e, how))
		return false;
	ed_show(e, e->second, e->second + e->window - 1 < e->lines.n ? e->second + e->window - 1 :
		e->lines.n, *how);
	*how = 0;
	return true;
}

static bool ed_empty_command(struct ed *e)
{
	e->c += *e->c == '\n';
	e->first = 1;
	if (!ed_range(e, 1, e->current + !e->global))
		return false;
	ed_show(e, e->second, e->second, 0);
	return true;
}

/* ---- Files ---- */

static bool ed_file_begin(struct ed *e)
{
	if (*e->c && *e->c != ' ' && *e->c != '\t' && *e->c != '\n')
		return ed_fail(e, "Unexpected command suffix");
	return true;
}

static bool ed_need_name(struct ed *e, const char **name)
{
	if (!**name && !e->name)
		return ed_fail(e, "No current filename");
	if (!**name)
		*name = e->name;
	return true;
}

static bool ed_edit_command(struct ed *e, bool forced)
{
	const char *name;

	if (!ed_no_address(e) || !ed_file_begin(e) || !(name = ed_file_name(e)))
		return false;
	if (e->modified && !forced && !e->warned) {
		e->warned = true;
		return ed_fail(e, "Warning: buffer modified");
	}
	if (*name && *name != '!')
		e->name = tsb_strdup(e->p, name);
	if (!ed_need_name(e, &name))
		return false;
	if (e->lines.n)
		ed_delete(e, 1, e->lines.n);
	e->can_undo = e->modified = false;
	if (ed_read_file(e, name, 0) < 0)
		return false;
	e->modified = false;
	return true;
}

static bool ed_name_command(struct ed *e)
{
	char *name;

	if (!ed_no_address(e) || !ed_file_begin(e) || !(name = ed_file_name(e)))
		return false;
	if (*name == '!')
		return ed_fail(e, "Invalid redirection");
	if (*name)
		e->name = name;
	if (!e->name)
		return ed_fail(e, "No current filename");
	tsb_printf(e->p, "%s\n", e->name);
	return true;
}

static bool ed_read_command(struct ed *e)
{
	size_t n = e->lines.n;
	bool modified = e->modified;
	const char *name;

	if (!ed_file_begin(e))
		return false;
	if (!e->n_addresses)
		e->second = n;
	name = ed_file_name(e);
	if (!name)
		return false;
	if (!e->name && *name && *name != '!')
		e->name = tsb_strdup(e->p, name);
	if (!ed_need_name(e, &name))
		return false;
	ed_changes(e);
	if (ed_read_file(e, name, e->second) < 0)
		return false;
	e->modified = modified || e->lines.n != n;
	return true;
}

static enum ed_result ed_write_command(struct ed *e, bool append)
{
	char q = *e->c == 'q' || *e->c == 'Q' ? *e->c++ : 0;
	const char *name;

	if (!ed_file_begin(e) || !(name = ed_file_name(e)))
		return ED_ERROR;
	if (!e->n_addresses && !e->lines.n)
		e->first = e->second = 0;
	else if (!ed_range(e, 1, e->lines.n))
		return ED_ERROR;
	if (!e->name && *name && *name != '!')
		e->name = tsb_strdup(e->p, name);
	if (!ed_need_name(e, &name))
		return ED_ERROR;
	if (ed_write_file(e, name, append, e->first, e->second) < 0)
		return ED_ERROR;
	if (e->first <= 1 && e->second == e->lines.n && *name != '!')
		e->modified = false;
	else if (e->modified && q == 'q' && !e->warned) {
		e->warned = true;
		return ed_fail(e, "Warning: buffer modified") ? ED_OK : ED_ERROR;
	}
	return q ? ED_QUIT : ED_OK;
}

static enum ed_result ed_quit_command(struct ed *e, bool forced)
{
	unsigned how = 0;

	if (!ed_no_address(e) || !ed_suffix(e, &how))
		return ED_ERROR;
	if (e->modified && !forced && !e->warned) {
		e->warned = true;
		ed_fail(e, "Warning: buffer modified");
		return ED_ERROR;
	}
	return ED_QUIT;
}

/* ---- g, v, G, V ---- */

/* All lines of the list: each but the last ends with a backslash. */
static char *ed_list(struct ed *e)
{
	struct str s;
	char *line;
	size_t n;

	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	str_adds(&s, e->c);
	while (s.n > 1 && s.p[s.n - 1] == '\n' && s.p[s.n - 2] == '\\') {
		size_t slashes = 1;

		while (slashes < s.n - 1 && s.p[s.n - 2 - slashes] == '\\')
			slashes++;
		if (!(slashes & 1))
			break;
		if (!ed_read(e, &line, &n)) {
			ed_fail(e, "Unexpected end-of-file");
			return NULL;
		}
		str_cut(&s, s.n - 2);
		str_addc(&s, '\n');
		str_addn(&s, line, n);
	}
	return str_take(&s, NULL);
}

static bool ed_mark_lines(struct ed *e, bool matching, struct ed_line ***out, size_t *n)
{
	size_t cap = 0;
	struct regex *re;

	*out = NULL;
	*n = 0;
	if (!ed_pattern(e, true, &re))
		return false;
	for (size_t i = 0; i < e->lines.n; i++)
		e->lines.at[i]->active = false;
	for (size_t i = e->first; i && i <= e->second; i++) {
		struct ed_line *l = e->lines.at[i - 1];

		if ((ed_match(e, re, l, 0, NULL, 0) == REGEX_MATCH) != matching)
			continue;
		l->active = true;
		l->at = i - 1;
		*out = util_grow(e->p, *out, *n, &cap, sizeof(**out));
		(*out)[(*n)++] = l;
	}
	return true;
}

static enum ed_result ed_run_list(struct ed *e, const char *list)
{
	enum ed_result r = ED_OK;

	e->list = list;
	e->c = list;
	while (*e->c && r == ED_OK) {
		tsb_tick(e->p, 1);
		r = ed_command(e);
	}
	return r;
}

/* G: each line is shown, and a command asked for; "&" is the one before. */
static const char *ed_ask(struct ed *e, size_t at)
{
	char *line;
	size_t n;

	ed_show(e, at, at, ED_PRINT);
	if (!ed_read(e, &line, &n)) {
		ed_fail(e, "Unexpected end-of-file");
		return NULL;
	}
	if (n == 1)
		return "";
	if (n == 2 && *line == '&') {
		if (!e->again)
			ed_fail(e, "No previous command");
		return e->again;
	}
	e->c = tsb_strndup(e->p, line, n);
	e->again = ed_list(e);
	return e->again;
}

static enum ed_result ed_global(struct ed *e, bool matching, bool asking)
{
	struct ed_line **marked;
	enum ed_result r = ED_OK;
	unsigned how = 0;
	const char *list;
	size_t n;

	if (e->global)
		return ed_fail(e, "Cannot nest global commands") ? ED_OK : ED_ERROR;
	if (!ed_range(e, 1, e->lines.n) || !ed_mark_lines(e, matching, &marked, &n))
		return ED_ERROR;
	if (asking && !ed_suffix(e, &how))
		return ED_ERROR;
	list = asking ? "" : ed_list(e);
	if (!list)
		return ED_ERROR;
	if (!*list || !strcmp(list, "\n"))
		list = "p\n";
	ed_snapshot(e);
	for (size_t i = 0; i < n && r == ED_OK; i++) {
		size_t at = marked[i]->active ? ed_find(e, marked[i]) : 0;

		if (!at)
			continue;
		marked[i]->active = false;
		e->current = at;
		if (asking && !(list = ed_ask(e, at)))
			r = ED_ERROR;
		e->global = true;
		if (r == ED_OK)
			r = ed_run_list(e, list);
		e->global = false;
	}
	e->list = NULL;
	e->c = "";
	return r;
}

/* ---- The rest ---- */

static bool ed_help_command(struct ed *e, char c)
{
	unsigned how = 0;

	if (!ed_no_address(e) || !ed_suffix(e, &how))
		return false;
	if (c == 'H')
		e->verbose = !e->verbose;
	if (c == 'P')
		e->prompting = !e->prompting;
	if ((c == 'h' || (c == 'H' && e->verbose)) && e->error)
		tsb_printf(e->p, "%s\n", e->error);
	return true;
}

static bool ed_simple(struct ed *e, char c, unsigned *how)
{
	switch (c) {
	case 'a':
	case 'c':
	case 'i': return ed_text_command(e, c, how);
	case 'd': return ed_delete_command(e, how);
	case 'e':
	case 'E': return ed_edit_command(e, c == 'E');
	case 'f': return ed_name_command(e);
	case 'h':
	case 'H':
	case 'P': return ed_help_command(e, c);
	case 'j': return ed_join_command(e, how);
	case 'k': return ed_mark_command(e, how);
	case 'l':
	case 'n':
	case 'p': return ed_show_command(e, c, how);
	case 'm': return ed_move_command(e, how);
	case 'r': return ed_read_command(e);
	case 's': return ed_substitute(e, how);
	case 't': return ed_copy_command(e, how);
	case 'u': return ed_no_address(e) && ed_suffix(e, how) && ed_undo(e);
	case 'x': return ed_put_command(e, how);
	case 'y': return ed_yank_command(e, how);
	case 'z': return ed_scroll_command(e, how);
	case '!': return ed_no_address(e) && ed_shell(e);
	case '=':
		if (!ed_suffix(e, how))
			return false;
		tsb_printf(e->p, "%zu\n", e->n_addresses ? e->second : e->lines.n);
		return true;
	case '#':
		e->c += strcspn(e->c, "\n");
		e->c += *e->c == '\n';
		return true;
	default:
		return ed_fail(e, "Unknown command");
	}
}

enum ed_result ed_command(struct ed *e)
{
	enum ed_result r;
	unsigned how = 0;
	char c;

	if (!ed_addresses(e))
		return ED_ERROR;
	ed_blanks(e);
	if (!*e->c || *e->c == '\n')
		return ed_empty_command(e) ? ED_OK : ED_ERROR;
	c = *e->c++;
	if (c == 'g' || c == 'v' || c == 'G' || c == 'V')
		return ed_global(e, c == 'g' || c == 'G', c == 'G' || c == 'V');
	if (c == 'w' || c == 'W')
		return ed_write_command(e, c == 'W');
	if (c == 'q' || c == 'Q')
		return ed_quit_command(e, c == 'Q');
	r = ed_simple(e, c, &how) ? ED_OK : ED_ERROR;
	if (r == ED_OK && how)
		ed_show(e, e->current, e->current, how);
	return r;
}
