/*
 * select: a menu on standard error, choices from standard input. The columns
 * are laid out as bash does: as many as fit into COLUMNS, filled downwards, the
 * gaps made with tabs.
 */
#include "shell/doing.h"

#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "shell/builtin/builtin.h"

#define TAB 8

struct menu {
	const struct fields *words;
	size_t rows, columns, width;	/* width of a column */
};

static size_t digits_of(size_t n)
{
	char buf[24];

	return num_format_u64(buf, n);
}

static size_t terminal_columns(struct shell *sh)
{
	struct slice v;
	int64_t n;

	if (var_get_text(sh, "COLUMNS", &v) && v.n && text_number(v.p, &n) && n > 0)
		return (size_t)n;
	return 80;
}

static void menu_layout(struct shell *sh, struct menu *m)
{
	size_t n = m->words->n, widest = 0, fit;

	for (size_t i = 0; i < n; i++) {
		size_t w = utf8_columns(m->words->at[i], m->words->lens[i]);

		widest = w > widest ? w : widest;
	}
	m->width = widest + digits_of(n) + 4;
	fit = terminal_columns(sh) / m->width;
	fit = fit ? fit : 1;
	m->rows = (n + fit - 1) / fit;
	m->columns = (n + m->rows - 1) / m->rows;
	if (m->rows == 1) {
		m->rows = m->columns;
		m->columns = 1;
	}
}

/* Moves from one column of the terminal to another, by tabs where they reach. */
static void menu_gap(struct str *out, size_t from, size_t to)
{
	while (from < to) {
		if (to / TAB > from / TAB) {
			str_addc(out, '\t');
			from += TAB - from % TAB;
		} else {
			str_addc(out, ' ');
			from++;
		}
	}
}

static void menu_show(struct shell *sh, const struct fields *words)
{
	struct menu m = { .words = words };
	struct str out;

	str_init(&out, sh->heap, STR_MAX_DEFAULT);
	menu_layout(sh, &m);
	for (size_t row = 0; row < m.rows; row++) {
		size_t at = 0;

		for (size_t i = row; i < words->n; i += m.rows, at += m.width) {
			size_t digits = digits_of(at ? words->n : m.rows);

			str_addf(&out, "%*zu) %s", (int)digits, i + 1, words->at[i]);
			if (i + m.rows < words->n)
				menu_gap(&out, at + digits + 2 +
					 utf8_columns(words->at[i], words->lens[i]), at + m.width);
		}
		str_addc(&out, '\n');
	}
	tsb_write_all(sh->p, 2, out.p, out.n);
	str_end(&out);
}

static void menu_prompt(struct shell *sh)
{
	struct slice v;

	if (!var_get_text(sh, "PS3", &v))
		v = SLICE("#? ");
	tsb_write_all(sh->p, 2, v.p, v.n);
}

/* One choice: the word's number, 0 for none of them; false at the end of input. */
static bool menu_ask(struct shell *sh, const struct fields *words, bool show, size_t *choice)
{
	char name[] = "read", *argv[] = { name, NULL };
	const struct builtin *b = builtin_find("read", 4);
	enum flow flow = FLOW_NEXT;
	struct slice v;
	int64_t n;

	for (;; show = true) {
		if (show)
			menu_show(sh, words);
		menu_prompt(sh);
		if (run_builtin(sh, b, 1, argv, &flow)) {
			tsb_write_all(sh->p, 1, "\n", 1);
			return false;
		}
		if (!var_get_text(sh, "REPLY", &v) || v.n)
			break;
	}
	*choice = 0;
	if (v.n && text_number(v.p, &n) && n > 0 && (uint64_t)n <= words->n)
		*choice = (size_t)n;
	return true;
}

/* true: the loop is over with *f. */
static bool select_turn(struct shell *sh, const struct node *n, const struct fields *words,
			bool *show, enum flow *f)
{
	struct slice reply;
	size_t choice;

	if (!menu_ask(sh, words, *show, &choice)) {
		sh->status = 1;
		*f = FLOW_NEXT;
		return true;
	}
	sh->given_up = false;
	if (var_set_loop(sh, &n->loop.name, choice ? words->at[choice - 1] : "",
		    choice ? words->lens[choice - 1] : 0)) {
		sh->status = 1;
		*f = sh->given_up ? sh->failed : FLOW_NEXT;
		return true;
	}
	*f = eval_node(sh, n->loop.body);
	*show = var_get_text(sh, "REPLY", &reply) && !reply.n;
	return loop_ends(sh, f);
}

enum flow eval_select(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	struct fields words = { 0 };
	bool show = true;
	enum flow f;

	command_is(sh, n);
	if (!loop_name_good(sh, n))
		return eval_check(sh);
	sh->line = n->line;
	if (sh->opts[OPT_XTRACE])
		loop_trace(sh, n);
	f = loop_words(sh, n, &words);
	if (f == FLOW_NEXT && !words.n)
		sh->status = 0;
	if (f == FLOW_NEXT && words.n) {
		sh->loop_depth++;
		do
			proc_tick(sh->p, 1);
		while (!select_turn(sh, n, &words, &show, &f));
		sh->loop_depth--;
	}
	arena_reset(&sh->turn, m);
	return f;
}
