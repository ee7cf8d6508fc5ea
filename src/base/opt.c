/*
 * Parsing: GNU's getopt_long() over a table of rows, with its exact texts. It
 * differs from the C function in what it leaves alone: the caller's argv keeps
 * its order (operands are gathered in an array of their own), and nothing is
 * remembered between calls.
 *
 * Rows are few, so names are looked for one after the other. An alias (a row
 * without help) stands for the row above it; --help and --version stand behind
 * the last row, as in GNU's own tables, so that the names in the text of an
 * ambiguous option come in the same order.
 */
#include "base/opt.h"

#include <string.h>

#include "base/heap.h"
#include "base/num.h"

enum arg_need { NEED_NONE, NEED_ARG, NEED_OPTIONAL };

struct opt_state {
	struct opt_parsed *out;
	const struct tsb_command *cmd;
	struct tsb_heap *heap;
	struct tsb_proc *ctx;
	int argc, at;		/* at: the argument behind the current one */
	char *const *argv;
};

static const struct tsb_opt opt_none[] = { TSB_OPT_END };
static const struct tsb_opt opt_standard[] = {
	{ TSB_OPTION_FLAG, 0, "help", NULL, "", 0, OPT_HELP, 0, NULL },
	{ TSB_OPTION_FLAG, 0, "version", NULL, "", 0, OPT_VERSION, 0, NULL },
	TSB_OPT_END
};

static const struct tsb_opt *opt_rows(const struct tsb_command *cmd)
{
	return cmd->opts ? cmd->opts : opt_none;
}

static bool is_standard(const struct tsb_opt *o)
{
	return o == &opt_standard[0] || o == &opt_standard[1];
}

/* The next row of the table and then of the standard ones; NULL: first, last. */
static const struct tsb_opt *opt_next(const struct tsb_command *cmd, const struct tsb_opt *o)
{
	const struct tsb_opt *end = &opt_standard[2];

	o = o ? o + 1 : opt_rows(cmd);
	if (o->kind == TSB_OPTION_END && o != end && !(cmd->flags & TSB_NO_HELP))
		o = opt_standard;
	return o->kind == TSB_OPTION_END ? NULL : o;
}

static enum arg_need opt_need(const struct tsb_opt *o)
{
	if (o->flags & TSB_ARG_OPTIONAL)
		return NEED_OPTIONAL;
	switch (o->kind) {
	case TSB_OPTION_STR:
	case TSB_OPTION_LIST:
		return NEED_ARG;
	case TSB_OPTION_CALL:
		return o->flags & TSB_ARG_NONE ? NEED_NONE : NEED_ARG;
	default:
		return NEED_NONE;
	}
}

/* The row that carries the help of an alias. */
static const struct tsb_opt *opt_main(const struct tsb_command *cmd, const struct tsb_opt *o)
{
	while (!o->help && o > opt_rows(cmd))
		o--;
	return o;
}

/* Whether two rows do the same, so that a prefix of both is not ambiguous. */
static bool opt_same(const struct tsb_command *cmd, const struct tsb_opt *a,
		     const struct tsb_opt *b)
{
	if (opt_need(a) != opt_need(b) || is_standard(a) || is_standard(b))
		return false;
	if (opt_main(cmd, a) == opt_main(cmd, b) && a->kind == b->kind)
		return true;
	if (a->kind == TSB_OPTION_CALL && !a->value)
		return false;	/* the function may go by the row itself */
	return a->kind == b->kind && a->offset == b->offset && a->value == b->value &&
	       a->call == b->call;
}

/* ---- What a row does ---- */

static bool opt_fail(struct opt_state *st, enum opt_result r)
{
	st->out->result = r;
	return false;
}

static bool opt_no_memory(struct opt_state *st)
{
	str_adds(&st->out->error, "memory exhausted");
	return opt_fail(st, OPT_BAD);
}

/* A list's room is the power of two at or above its count, at least 4. */
static size_t list_room(size_t n)
{
	size_t room = 4;

	while (room < n)
		room *= 2;
	return room;
}

static bool list_move(struct opt_state *st, struct tsb_list *list, size_t room)
{
	const char **at = heap_array(st->heap, room, sizeof(*at));

	if (!at)
		return opt_no_memory(st);
	if (list->n)
		memcpy(at, list->at, list->n * sizeof(*at));
	list->at = at;
	return true;
}

static bool list_add(struct opt_state *st, struct tsb_list *list, const char *arg)
{
	if (list->n == 0 || list->n == list_room(list->n)) {
		if (!list_move(st, list, list_room(list->n + 1)))
			return false;
	}
	list->at[list->n++] = arg;
	return true;
}

static bool opt_apply(struct opt_state *st, const struct tsb_opt *o, const char *arg)
{
	char *field = (char *)st->out->opts + o->offset;

	if (is_standard(o))
		return opt_fail(st, (enum opt_result)o->value);
	switch (o->kind) {
	case TSB_OPTION_FLAG:
		*(bool *)(void *)field = true;
		return true;
	case TSB_OPTION_SET:
		*(int *)(void *)field = o->value;
		return true;
	case TSB_OPTION_STR:
		*(const char **)(void *)field = arg ? arg : "";
		return true;
	case TSB_OPTION_LIST:
		return list_add(st, (struct tsb_list *)(void *)field, arg ? arg : "");
	case TSB_OPTION_CALL:
		st->out->status = o->call(st->ctx, st->out->opts, o, arg);
		return st->out->status ? opt_fail(st, OPT_STOP) : true;
	case TSB_OPTION_HELP:
		return opt_fail(st, OPT_HELP);
	case TSB_OPTION_VERSION:
		return opt_fail(st, OPT_VERSION);
	case TSB_OPTION_END:
		break;
	}
	return true;
}

/* ---- Long names ---- */

/* The names of a command in the order of the real tool's table, each between blanks;
 * "": ours has the same. */
static const char *long_order(const char *name)
{
	static const struct {
		const char *name, *order;
	} orders[] = {
#define ORDER(name, words) { #name, words },
#include "base/opt_order.def"
#undef ORDER
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (!strcmp(orders[i].name, name))
			return orders[i].order;
	return "";
}

/* Where the name stands in the order; those that do not stand there come last. */
static size_t long_rank(const char *order, const char *name)
{
	size_t n = strlen(name);
	const char *at = order;

	while ((at = strstr(at, name)) && !(at > order && at[-1] == ' ' && at[n] == ' '))
		at++;
	return at ? (size_t)(at - order) : strlen(order);
}

/* The next row that the prefix may mean, by rank and then by place: at the first
 * call behind is NULL. */
static const struct tsb_opt *long_next(struct opt_state *st, const char *order, const char *text,
				       size_t len, const struct tsb_opt *behind)
{
	const struct tsb_opt *best = NULL;
	size_t last = behind ? long_rank(order, behind->long_name) : 0, lowest = 0;
	bool seen = !behind;

	for (const struct tsb_opt *o = NULL; (o = opt_next(st->cmd, o)); seen |= o == behind) {
		size_t rank;

		if (!o->long_name || strncmp(o->long_name, text, len) ||
		    (behind && !strcmp(o->long_name, behind->long_name)))
			continue;
		rank = long_rank(order, o->long_name);
		if (behind && (rank < last || (rank == last && !seen)))
			continue;
		if (!best || rank < lowest) {
			best = o;
			lowest = rank;
		}
	}
	return best;
}

static bool long_ambiguous(struct opt_state *st, const char *text, size_t len)
{
	const char *order = long_order(st->cmd->name);
	const struct tsb_opt *first = long_next(st, order, text, len, NULL), *o = first;

	str_addf(&st->out->error, "option '--%s' is ambiguous; possibilities: '--%s'", text,
		 first->long_name);
	while ((o = long_next(st, order, text, len, o)))
		if (!opt_same(st->cmd, first, o))
			str_addf(&st->out->error, " '--%s'", o->long_name);
	return opt_fail(st, OPT_BAD);
}

/* The row of the name (len bytes of text): NULL with the error said. */
static const struct tsb_opt *long_find(struct opt_state *st, const char *text, size_t len)
{
	const struct tsb_opt *found = NULL;
	bool ambiguous = false;

	for (const struct tsb_opt *o = NULL; (o = opt_next(st->cmd, o)); ) {
		if (!o->long_name || strncmp(o->long_name, text, len))
			continue;
		if (!o->long_name[len])
			return o;	/* a whole name beats every prefix */
		if (!found)
			found = o;
		else if (strcmp(found->long_name, o->long_name) && !opt_same(st->cmd, found, o))
			ambiguous = true;
	}
	if (ambiguous) {
		long_ambiguous(st, text, len);
		return NULL;
	}
	if (!found) {
		str_addf(&st->out->error, "unrecognized option '--%s'", text);
		opt_fail(st, OPT_BAD);
	}
	return found;
}

/* text: behind the dashes. */
static bool parse_long(struct opt_state *st, const char *text)
{
	size_t len = strcspn(text, "=");
	const char *arg = text[len] ? text + len + 1 : NULL;
	const struct tsb_opt *o = long_find(st, text, len);

	if (!o)
		return false;
	if (arg && opt_need(o) == NEED_NONE) {
		str_addf(&st->out->error, "option '--%s' doesn't allow an argument",
			 o->long_name);
		return opt_fail(st, OPT_BAD);
	}
	if (!arg && opt_need(o) == NEED_ARG) {
		if (st->at == st->argc) {
			str_addf(&st->out->error, "option '--%s' requires an argument",
				 o->long_name);
			return opt_fail(st, OPT_BAD);
		}
		arg = st->argv[st->at++];
	}
	return opt_apply(st, o, arg);
}

/* ---- Letters ---- */

static const struct tsb_opt *short_find(const struct tsb_command *cmd, char c)
{
	for (const struct tsb_opt *o = opt_rows(cmd); o->kind != TSB_OPTION_END; o++)
		if (o->short_name && o->short_name == (unsigned char)c)
			return o;
	return NULL;
}

static const struct tsb_opt *digits_find(const struct tsb_command *cmd)
{
	for (const struct tsb_opt *o = opt_rows(cmd); o->kind != TSB_OPTION_END; o++)
		if (o->flags & TSB_OPT_DIGITS)
			return o;
	return NULL;
}

/* -NUM: *at moves past the digits. */
static bool parse_digits(struct opt_state *st, const struct tsb_opt *o, const char **at)
{
	size_t n = strspn(*at, "0123456789");
	const char *arg = *at;

	if (arg[n]) {
		arg = heap_dup(st->heap, arg, n);
		if (!arg)
			return opt_no_memory(st);
	}
	*at += n;
	return opt_apply(st, o, arg);
}

static bool parse_letter(struct opt_state *st, const char **at)
{
	const struct tsb_opt *o = short_find(st->cmd, **at);
	const char *arg = NULL;
	char c = **at;

	if (!o && c >= '0' && c <= '9' && (o = digits_find(st->cmd)))
		return parse_digits(st, o, at);
	if (!o) {
		str_addf(&st->out->error, "invalid option -- '%c'", c);
		return opt_fail(st, OPT_BAD);
	}
	++*at;
	if (opt_need(o) != NEED_NONE && **at) {
		arg = *at;
		*at += strlen(*at);
	} else if (opt_need(o) == NEED_ARG) {
		if (st->at == st->argc) {
			str_addf(&st->out->error, "option requires an argument -- '%c'", c);
			return opt_fail(st, OPT_BAD);
		}
		arg = st->argv[st->at++];
	}
	return opt_apply(st, o, arg);
}

static bool parse_cluster(struct opt_state *st, const char *letters)
{
	while (*letters)
		if (!parse_letter(st, &letters))
			return false;
	return true;
}

/* ---- The whole ---- */

/* The struct as it is before the first argument. Lists among the defaults are
 * copied, because they grow. */
static bool opt_prepare(struct opt_state *st)
{
	const struct tsb_command *cmd = st->cmd;
	struct opt_parsed *out = st->out;

	out->opts = heap_zalloc(st->heap, cmd->opts_size);
	out->argv = heap_array(st->heap, (size_t)st->argc + 1, sizeof(*out->argv));
	if (!out->opts || !out->argv)
		return opt_no_memory(st);
	if (!cmd->defaults || !cmd->opts_size)
		return true;
	memcpy(out->opts, cmd->defaults, cmd->opts_size);
	for (const struct tsb_opt *o = opt_rows(cmd); o->kind != TSB_OPTION_END; o++) {
		void *field = (char *)out->opts + o->offset;
		struct tsb_list *list = field;

		if (o->kind == TSB_OPTION_LIST && list->n &&
		    !list_move(st, list, list_room(list->n)))
			return false;
	}
	return true;
}

static bool parse_all(struct opt_state *st)
{
	struct opt_parsed *out = st->out;
	bool only_operands = st->cmd->flags & TSB_RAW;

	while (st->at < st->argc) {
		char *arg = st->argv[st->at++];

		if (only_operands || arg[0] != '-' || !arg[1]) {
			out->argv[out->argc++] = arg;
			if (st->cmd->flags & TSB_OPERAND_ENDS)
				only_operands = true;
		} else if (arg[1] != '-') {
			if (!parse_cluster(st, arg + 1))
				return false;
		} else if (!arg[2]) {
			only_operands = true;
		} else if (!parse_long(st, arg + 2)) {
			return false;
		}
	}
	return true;
}

void opt_parse(struct opt_parsed *out, const struct tsb_command *cmd, struct tsb_heap *heap,
	       struct tsb_proc *ctx, int argc, char *const *argv)
{
	struct opt_state st = { out, cmd, heap, ctx, argc, 1, argv };

	memset(out, 0, sizeof(*out));
	out->result = OPT_RUN;
	str_init(&out->error, heap, STR_MAX_DEFAULT);
	if (opt_prepare(&st))
		parse_all(&st);
	if (out->argv)
		out->argv[out->argc] = NULL;
}
