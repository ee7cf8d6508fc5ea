/*
 * dc's commands.
 */
#include "cmd/dc/dc.h"

enum { IBASE_MAX = 16 };

/* The top as an integer, popped; `other` for a string. False: there is none. */
static bool pop_int(struct dc *d, int other, int *n)
{
	struct dc_value v;

	if (!dc_pop(d, &v))
		return false;
	*n = v.number ? dca_int(d, v.number) : other;
	dc_drop(d, v);
	return true;
}

static void set_parameter(struct dc *d, int op)
{
	int n;

	if (!pop_int(d, -1, &n))
		return;
	if (op == 'i') {
		if (n >= 2 && n <= IBASE_MAX)
			d->ibase = n;
		else
			dc_say(d, "input base must be a number between 2 and %d (inclusive)",
			       IBASE_MAX);
	} else if (op == 'k') {
		if (n >= 0)
			d->scale = (size_t)n;
		else
			dc_say(d, "scale must be a nonnegative number");
	} else if (n > 1) {
		d->obase = (uint32_t)n;
	} else {
		dc_say(d, "output base must be a number greater than 1");
	}
}

static void push_parameter(struct dc *d, int op)
{
	int64_t n = op == 'I' ? d->ibase : op == 'O' ? (int64_t)d->obase :
		    op == 'K' ? (int64_t)d->scale : (int64_t)d->stack.n;

	dc_push_number(d, decimal_of(&d->numbers, n));
}

static void asciify(struct dc *d)
{
	struct dc_value v;
	char ch;

	if (!dc_pop(d, &v))
		return;
	if (v.number)
		ch = (char)dca_int(d, v.number);
	else
		ch = v.string->n ? v.string->at[0] : '\0';
	dc_drop(d, v);
	dc_push_string(d, &ch, 1);
}

static void measure(struct dc *d, int op)
{
	struct dc_value v;
	size_t n;

	if (!dc_pop(d, &v))
		return;
	if (op == 'X')
		n = v.number ? v.number->scale : 0;
	else
		n = v.number ? dca_length(v.number) : v.string->n;
	dc_drop(d, v);
	dc_push_number(d, decimal_of(&d->numbers, (int64_t)n));
}

static void print(struct dc *d, int op)
{
	struct dc_value v;

	if (op == 'p') {
		if (dc_has(d, 1))
			dc_print(d, vec_last(&d->stack), true);
		return;
	}
	if (!dc_pop(d, &v)) {
		if (op == 'P')
			tsb_flush(d->p);
		return;
	}
	if (op == 'P' && v.number)
		dc_print_bytes(d, v.number);
	else
		dc_print(d, v, false);
	dc_drop(d, v);
}

static void print_all(struct dc *d)
{
	for (size_t i = d->stack.n; i-- > 0;) {
		dc_print(d, d->stack.at[i], true);
		if (i % 256 == 0)
			tsb_tick(d->p, 64);
	}
}

static void stack(struct dc *d, int op)
{
	int n;

	switch (op) {
	case 'c':
		while (d->stack.n)
			dc_drop(d, vec_pop(&d->stack));
		break;
	case 'd':
		if (dc_has(d, 1))
			dc_push(d, dc_keep(vec_last(&d->stack)));
		break;
	case 'f':
		print_all(d);
		break;
	case 'r':
		dc_rotate(d, 2);
		break;
	default:
		if (pop_int(d, 0, &n))
			dc_rotate(d, n);
	}
}

/* ":r" stores the value below the index, ";r" gets one. */
static void array(struct dc *d, int op, int name)
{
	struct dc_value v = { 0 };
	int index;

	if (!pop_int(d, -1, &index) || (op == ':' && !dc_pop(d, &v)))
		return;
	if (index >= 0 && op == ':') {
		dc_array_set(d, name, index, v);
		return;
	}
	dc_drop(d, v);
	if (index >= 0)
		dc_array_get(d, name, index);
	else
		dc_say(d, "array index must be a nonnegative integer");
}

static void execute_register(struct dc *d, int name)
{
	struct dc_value v;

	if (dc_register_get(d, name, &v))
		dc_execute(d, v);
}

/* Takes the comparison's operands and its register. */
static void compare(struct dc *d, int op, int name)
{
	bool negate = d->negate;
	int order = dca_compare(d);
	bool yes = op == '<' ? order < 0 : op == '>' ? order > 0 : order == 0;

	if (yes != negate)
		execute_register(d, name);
}

/* A command whose register is the next byte. */
static enum dc_result with_register(struct dc *d, int op)
{
	int name = dcs_peek(d);
	struct dc_value v;

	if (name < 0)
		return DC_ENDED;
	dcs_next(d);
	switch (op) {
	case 's':
		if (dc_pop(d, &v))
			dc_register_set(d, name, v);
		break;
	case 'l':
		if (dc_register_get(d, name, &v))
			dc_push(d, v);
		break;
	case 'S':
		if (dc_pop(d, &v))
			dc_register_push(d, name, v);
		break;
	case 'L':
		if (dc_register_pop(d, name, &v))
			dc_push(d, v);
		break;
	case ':':
	case ';':
		array(d, op, name);
		break;
	default:
		compare(d, op, name);
	}
	return DC_GO_ON;
}

static enum dc_result leave(struct dc *d, int op)
{
	int n = 2;

	if (op == 'Q') {
		if (!pop_int(d, 0, &n))
			return DC_GO_ON;
		if (n < 1) {
			dc_say(d, "Q command requires a number >= 1");
			return DC_GO_ON;
		}
	}
	d->unwind = (size_t)n - 1;
	d->unwind_stays = op == 'Q';
	return DC_LEAVE;
}

/* "!<r" and its kin are comparisons; any other "!" is for the shell. */
static void bang(struct dc *d)
{
	int next = dcs_peek(d);
	struct str s;

	if (next == '<' || next == '=' || next == '>') {
		d->negate = true;
		return;
	}
	str_init(&s, d->heap, STR_MAX_DEFAULT);
	dcs_line(d, NULL, &s);
	dc_run_shell(d, s.p);
	str_end(&s);
}

/* A comment, a string, a line of standard input to execute. */
static void text(struct dc *d, int op)
{
	struct str s;
	struct dc_value v;

	str_init(&s, d->heap, STR_MAX_DEFAULT);
	if (op == '[')
		dcs_string(d, &s);
	else
		dcs_line(d, op == '?' ? d->input : NULL, &s);
	if (op != '#')
		dc_push_string(d, s.p, s.n);
	str_end(&s);
	if (op == '?') {
		d->asked = true;
		v = vec_pop(&d->stack);
		*vec_add(d->heap, &d->frames) = (struct dc_frame){ v.string, 0, 1 };
	}
}

static void unknown(struct dc *d, int ch)
{
	char *s = tsb_format(d->p, "%s: ", tsb_name(d->p));

	dc_complain(d, s);
	tsb_free(d->p, s);
	tsb_printf(d->p, "%s unimplemented\n", dc_name_of(d, ch));
}

static void arithmetic(struct dc *d, int op)
{
	if (op == '~')
		dca_divide(d);
	else if (op == '|')
		dca_raise_mod(d);
	else if (op == 'v')
		dca_root(d);
	else
		dca_binary(d, op);
}

static void other(struct dc *d, int ch)
{
	struct dc_value v;

	switch (ch) {
	case ' ': case '\t': case '\n':
		break;
	case '+': case '-': case '*': case '/': case '%': case '^': case '~': case '|': case 'v':
		arithmetic(d, ch);
		break;
	case 'i': case 'o': case 'k':
		set_parameter(d, ch);
		break;
	case 'I': case 'O': case 'K': case 'z':
		push_parameter(d, ch);
		break;
	case 'c': case 'd': case 'f': case 'r': case 'R':
		stack(d, ch);
		break;
	case 'p': case 'n': case 'P':
		print(d, ch);
		break;
	case 'X': case 'Z':
		measure(d, ch);
		break;
	case 'a':
		asciify(d);
		break;
	case 'x':
		if (dc_pop(d, &v))
			dc_execute(d, v);
		break;
	default:
		unknown(d, ch);
	}
}

enum dc_result dc_command(struct dc *d, int ch)
{
	enum dc_result r = DC_GO_ON;
	bool was_bang = ch == '!';

	if ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'F') || ch == '_' || ch == '.') {
		dc_push_number(d, dcs_number(d, ch));
	} else {
		switch (ch) {
		case 's': case 'l': case 'S': case 'L': case ':': case ';':
		case '<': case '>': case '=':
			r = with_register(d, ch);
			break;
		case 'q': case 'Q':
			r = leave(d, ch);
			break;
		case '!':
			bang(d);
			break;
		case '[': case '#': case '?':
			text(d, ch);
			break;
		default:
			other(d, ch);
		}
	}
	if (!was_bang)
		d->negate = false;
	return r;
}
