/*
 * Running bc's code: a stack machine.
 */
#include "cmd/bc/bc.h"

unsigned bcr_byte(struct bc *b)
{
	const struct bc_function *f = &b->functions.at[b->pc.function];

	return b->pc.at < f->code.n ? f->code.at[b->pc.at++] : 0;
}

int bcr_number(struct bc *b)
{
	unsigned v = bcr_byte(b);

	return (int)(v & 0x80 ? (v & 0x7f) << 8 | bcr_byte(b) : v);
}

bool bcr_has(struct bc *b, size_t n)
{
	if (b->stack.n >= n)
		return true;
	bc_run_error(b, "Stack error.");
	return false;
}

void bcr_push(struct bc *b, struct decimal *a)
{
	*vec_add(b->heap, &b->stack) = a;
}

void bcr_pop(struct bc *b)
{
	if (b->stack.n)
		decimal_drop(&b->numbers, vec_pop(&b->stack));
}

void bcr_replace(struct bc *b, struct decimal *a)
{
	decimal_set(&b->numbers, &vec_last(&b->stack), a);
}

struct decimal *bcr_top(struct bc *b, size_t below)
{
	return b->stack.at[b->stack.n - 1 - below];
}

static void jump(struct bc *b, char op)
{
	const struct bc_function *f = &b->functions.at[b->pc.function];
	size_t label = bcr_byte(b);
	bool zero;

	label |= (size_t)bcr_byte(b) << 8;
	if (op != 'J') {
		if (!bcr_has(b, 1))
			return;
		zero = decimal_is_zero(bcr_top(b, 0));
		bcr_pop(b);
		if (zero != (op == 'Z'))
			return;
	}
	b->pc.at = label < f->labels.n ? f->labels.at[label] : f->code.n;
}

static struct decimal *truth(struct bc *b, bool yes)
{
	return decimal_keep(yes ? b->numbers.one : b->numbers.zero);
}

static bool compare(char op, int order)
{
	switch (op) {
	case '=':
		return order == 0;
	case '#':
		return order != 0;
	case '<':
		return order < 0;
	case '>':
		return order > 0;
	case '{':
		return order <= 0;
	default:
		return order >= 0;
	}
}

static struct decimal *raise(struct bc *b, const struct decimal *x, const struct decimal *y)
{
	struct decimal *r;

	if (y->scale)
		bc_run_warning(b, "non-zero scale in exponent");
	r = decimal_raise(&b->numbers, x, y, b->scale);
	if (!decimal_long(y) && y->n > y->frac)
		bc_run_error(b, "exponent too large in raise");
	if (y->negative && decimal_is_zero(x))
		bc_run_error(b, "divide by zero");
	return b->failed ? NULL : r;
}

static struct decimal *compute(struct bc *b, char op, const struct decimal *x,
			       const struct decimal *y)
{
	struct decimal_ctx *c = &b->numbers;
	struct decimal *r;

	switch (op) {
	case '+':
		return decimal_add(c, x, y, 0);
	case '-':
		return decimal_sub(c, x, y, 0);
	case '*':
		return decimal_mul(c, x, y, b->scale);
	case '/':
		r = decimal_div(c, x, y, b->scale);
		if (!r)
			bc_run_error(b, "Divide by zero");
		return r;
	case '%':
		r = decimal_mod(c, x, y, b->scale, NULL);
		if (!r)
			bc_run_error(b, "Modulo by zero");
		return r;
	case '^':
		return raise(b, x, y);
	default:
		return truth(b, compare(op, decimal_cmp(x, y)));
	}
}

static void binary(struct bc *b, char op)
{
	struct decimal *r;

	if (!bcr_has(b, 2))
		return;
	r = compute(b, op, bcr_top(b, 1), bcr_top(b, 0));
	if (!r)
		return;
	bcr_pop(b);
	bcr_replace(b, r);
}

static void unary(struct bc *b, char op)
{
	struct decimal *top, *below;

	if (!bcr_has(b, op == 'x' ? 2 : 1))
		return;
	top = bcr_top(b, 0);
	if (op == '!') {
		bcr_replace(b, truth(b, decimal_is_zero(top)));
	} else if (op == 'n') {
		bcr_replace(b, decimal_sub(&b->numbers, b->numbers.zero, top, 0));
	} else if (op == 'D') {
		bcr_push(b, decimal_keep(top));
	} else {
		below = bcr_top(b, 1);
		b->stack.at[b->stack.n - 1] = below;
		b->stack.at[b->stack.n - 2] = top;
	}
}

/* What is printed becomes the value of "last". */
static void print(struct bc *b, char op)
{
	if (!bcr_has(b, 1))
		return;
	bcr_put_number(b, bcr_top(b, 0));
	if (op == 'W')
		bcr_put_char(b, '\n');
	bcv_store(b, BC_LAST);
	tsb_flush(b->p);
	bcr_pop(b);
}

static void variable(struct bc *b, char op)
{
	int name = bcr_number(b);

	switch (op) {
	case 'l':
		bcv_load(b, name);
		break;
	case 's':
		if (bcr_has(b, 1))
			bcv_store(b, name);
		break;
	case 'i':
	case 'd':
		bcv_step(b, name, op == 'i' ? 1 : -1);
		break;
	case 'L':
		bcv_load_element(b, name);
		break;
	case 'S':
		bcv_store_element(b, name);
		break;
	default:
		bcv_step_element(b, name, op == 'A' ? 1 : -1);
	}
}

static void special(struct bc *b, char op)
{
	switch (op) {
	case 'C':
		bcr_call(b);
		break;
	case 'R':
		bcr_return(b);
		break;
	case 'K':
		bcr_constant(b);
		break;
	case 'c':
		bcr_builtin(b);
		break;
	case 'h':
		bc_exit(b, 0);
	case 'p':
		bcr_pop(b);
		break;
	case '0':
	case '1':
		bcr_push(b, truth(b, op == '1'));
		break;
	default:
		bc_run_error(b, "bad instruction: inst=%c", op);
	}
}

static void instruction(struct bc *b, char op)
{
	switch (op) {
	case 'B':
	case 'J':
	case 'Z':
		jump(b, op);
		break;
	case 'l': case 's': case 'i': case 'd':
	case 'L': case 'S': case 'A': case 'M':
		variable(b, op);
		break;
	case '+': case '-': case '*': case '/': case '%': case '^':
	case '=': case '#': case '<': case '>': case '{': case '}':
		binary(b, op);
		break;
	case '!': case 'n': case 'D': case 'x':
		unary(b, op);
		break;
	case 'W':
	case 'P':
		print(b, op);
		break;
	case 'w':
	case 'O':
		bcr_put_string(b, op == 'O');
		break;
	default:
		special(b, op);
	}
}

void bcr_execute(struct bc *b)
{
	b->pc = (struct bc_position){ 0, 0 };
	b->failed = false;
	while (!b->failed && b->pc.at < b->functions.at[b->pc.function].code.n) {
		instruction(b, (char)bcr_byte(b));
		if (++b->steps % 256 == 0)
			tsb_tick(b->p, 256);
	}
	bcr_leave(b);
	while (b->stack.n)
		bcr_pop(b);
}
