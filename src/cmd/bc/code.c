/*
 * bc's code: the actions of the grammar give it as text, and it is loaded into the
 * function that is being defined, or into function 0, which is run at the end of the line.
 */
#include <string.h>

#include "cmd/bc/bc.h"

static struct bc_function *loading(struct bc *b)
{
	return &b->functions.at[b->load.function];
}

static void add_byte(struct bc *b, int byte)
{
	struct bc_function *f = loading(b);

	*vec_add(b->heap, &f->code) = (unsigned char)byte;
	b->load.at++;
}

/* Names under 128 are a byte, others are two, the high one first and marked. */
static void add_name(struct bc *b, int name)
{
	if (name >= 128)
		add_byte(b, (name >> 8) | 0x80);
	add_byte(b, name & 0xff);
}

/* One number behind "F", "C", "l" ... in code as text. */
static int bc_code_number(const char **s)
{
	int v = 0;
	bool negative = **s == '-';

	*s += negative;
	for (; **s >= '0' && **s <= '9'; ++*s)
		v = v * 10 + (**s - '0');
	return negative ? -v : v;
}

static void set_label(struct bc *b, int label)
{
	struct bc_function *f = loading(b);

	while (f->labels.n <= (size_t)label)
		vec_add(b->heap, &f->labels);
	f->labels.at[label] = b->load.at;
}

static void free_args(struct bc *b, struct bc_arg *list)
{
	for (struct bc_arg *next; list; list = next) {
		next = list->next;
		tsb_free(b->p, list);
	}
}

static void clear_function(struct bc *b, int name)
{
	struct bc_function *f = &b->functions.at[name];

	f->code.n = 0;
	f->labels.n = 0;
	free_args(b, f->params);
	free_args(b, f->autos);
	f->params = f->autos = NULL;
	f->defined = false;
}

static struct bc_arg *load_args(struct bc *b, const char **s, char end)
{
	struct bc_arg *last = NULL, *a;

	while (**s != end) {
		if (**s == ',')
			++*s;
		a = tsb_alloc(b->p, sizeof(*a));
		a->by_variable = **s == '*';
		*s += **s == '*';
		a->name = bc_code_number(s);
		a->next = last;
		last = a;
	}
	++*s;
	return last;
}

/* "F1,5,*-2.6[": the number, parameters, automatic variables. */
static void load_function(struct bc *b, const char **s)
{
	int name = bc_code_number(s);
	struct bc_function *f;

	clear_function(b, name);
	f = &b->functions.at[name];
	*s += **s == ',';
	f->params = load_args(b, s, '.');
	f->autos = load_args(b, s, '[');
	--*s;
	b->saved_load = b->load;
	b->load = (struct bc_position){ name, 0 };
}

static void load_call(struct bc *b, const char **s)
{
	add_name(b, bc_code_number(s));
	*s += **s == ',';
	while (**s != ':')
		add_byte(b, *(*s)++);
	add_byte(b, ':');
}

static void load_jump(struct bc *b, const char **s)
{
	int label = bc_code_number(s);

	if (label > 65535) {
		static const char text[] = "Program too big.\n";

		tsb_write_all(b->p, 2, text, sizeof(text) - 1);
		bc_exit(b, 1);
	}
	add_byte(b, label & 0xff);
	add_byte(b, label >> 8);
}

/* The digits of a constant are kept as values, so that they differ from the point. */
static void load_digit(struct bc *b, int ch)
{
	if (ch > 'F' && ch <= 'Z')
		bc_extension(b, "Non-standard base in numeric constant");
	if (ch == ':')
		b->in_constant = false;
	add_byte(b, ch == ':' || ch == '.' ? ch : ch <= '9' ? ch - '0' : ch - 'A' + 10);
}

/* One instruction or label; *s is moved to its last character. */
static void load_one(struct bc *b, const char **s)
{
	char op = **s;

	if (op == 'N') {
		++*s;
		set_label(b, bc_code_number(s));
		return;
	}
	if (op == ']') {
		loading(b)->defined = true;
		b->load = b->saved_load;
		return;
	}
	if (op == 'F') {
		++*s;
		load_function(b, s);
		return;
	}
	b->in_string = op == '"';
	if (!b->in_string)
		add_byte(b, op);
	b->in_constant = op == 'K';
	if (!strchr("BJZCdilsAMLSc", op))
		return;
	++*s;
	if (op == 'c')
		add_byte(b, **s);
	else if (op == 'C')
		load_call(b, s);
	else if (strchr("BJZ", op))
		load_jump(b, s);
	else
		add_name(b, bc_code_number(s));
}

static void load_text(struct bc *b, const char *s)
{
	for (; *s; s++) {
		if (b->in_string) {
			b->in_string = *s != '"';
			add_byte(b, *s);
		} else if (b->in_constant) {
			load_digit(b, *s);
		} else {
			load_one(b, &s);
		}
	}
}

void bc_generate_text(struct bc *b, const char *text)
{
	b->generated = true;
	if (!b->o->code_only || b->loading_library) {
		if (!b->had_error)
			load_text(b, text);
		return;
	}
	bc_put(b, text, strlen(text));
	b->code_column += strlen(text);
	if (b->code_column > 60) {
		bc_put(b, "\n", 1);
		b->code_column = 0;
	}
}

void bc_generate(struct bc *b, const char *fmt, ...)
{
	va_list ap;
	struct str s;

	str_init(&s, b->heap, STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	bc_generate_text(b, s.p);
	str_end(&s);
}

void *bc_piece(struct bc *b, size_t n)
{
	void *piece = tsb_alloc(b->p, n);

	*vec_add(b->heap, &b->pieces) = piece;
	return piece;
}

void bc_start_code(struct bc *b)
{
	while (b->pieces.n)
		tsb_free(b->p, vec_pop(&b->pieces));
	b->break_label = b->continue_label = 0;
	b->next_label = 1;
	b->code_column = 2;
	if (b->o->code_only && !b->loading_library)
		tsb_puts(b->p, "@i");
	clear_function(b, 0);
	b->load = (struct bc_position){ 0, 0 };
	b->in_string = b->in_constant = false;
	b->had_error = false;
	b->generated = false;
}

void bc_run_code(struct bc *b)
{
	if (!b->had_error && b->generated) {
		if (b->o->code_only && !b->loading_library) {
			bc_put(b, "@r\n", 3);
		} else {
			bcr_execute(b);
		}
	}
	if (b->generated)
		bc_start_code(b);
	else
		b->had_error = false;
}

/* A new number of that kind, its names beginning with a letter of its own. */
static int new_name(struct bc *b, const char *name, enum bc_kind kind)
{
	if (kind == BC_SIMPLE) {
		if (b->n_simple == b->simple.n)
			vec_add(b->heap, &b->simple);
		b->simple.at[b->n_simple].name = name;
		return (int)b->n_simple++;
	}
	if (kind == BC_ARRAY) {
		vec_add(b->heap, &b->arrays)->name = name;
		return (int)b->arrays.n - 1;
	}
	vec_add(b->heap, &b->functions)->name = name;
	return (int)b->functions.n - 1;
}

/* GNU's library is compiled beforehand: its functions have names, its variables only numbers,
 * which the program's get again. All of them are parameters or automatic, so nobody sees it. */
void bc_end_library(struct bc *b)
{
	map_end(&b->name_of[BC_SIMPLE]);
	map_init(&b->name_of[BC_SIMPLE], b->heap);
	while (b->n_simple > BC_NAMED)
		b->simple.at[--b->n_simple].name = NULL;
	b->library_functions = (int)b->functions.n - 1;
	if (b->o->code_only)
		tsb_puts(b->p, "@i");
}

/* Compiled by itself, its functions become the first ones; the variables that they name are
 * parameters and automatic, so that it is enough that there are as many. */
static void take_library(struct bc *b)
{
	struct bc *own = tsb_alloc(b->p, sizeof(*own));
	char *no_files[] = { NULL };

	b->library_waits = false;
	bc_start(own, b->p, b->o, no_files);
	own->is_stdin = true;		/* there is nothing behind it */
	own->library = bc_library;
	bcl_next_file(own);
	bc_start_code(own);
	bcp_parse(own);
	for (size_t i = 1; i < own->functions.n; i++) {
		struct bc_function *f = &own->functions.at[i];

		*vec_add(b->heap, &b->functions) = *f;
		map_put(&b->name_of[BC_FUNCTION], f->name, strlen(f->name))->value =
			(void *)(intptr_t)i;
	}
	while (b->simple.n < own->simple.n)
		vec_add(b->heap, &b->simple);
	b->library_functions = own->library_functions;
}

/* The library goes on with its own functions when the program defines one of that name. */
int bc_lookup_definition(struct bc *b, const char *name)
{
	int number = bc_lookup(b, name, BC_FUNCTION);
	struct map_entry *e = map_find(&b->name_of[BC_FUNCTION], name, strlen(name));

	if (b->loading_library || number > b->library_functions)
		return number;
	number = new_name(b, e->key, BC_FUNCTION);
	e->value = (void *)(intptr_t)number;
	return number;
}

int bc_lookup(struct bc *b, const char *name, enum bc_kind kind)
{
	static const char *const too_many[] = {
		"Too many variables", "Too many array variables", "Too many functions"
	};
	struct map_entry *e;
	int number;

	if (kind == BC_FUNCTION && b->library_waits)
		take_library(b);
	if (strlen(name) != 1)
		bc_extension(b, "multiple letter name - %s", name);
	e = map_find(&b->name_of[kind], name, strlen(name));
	if (!e) {
		e = map_put(&b->name_of[kind], name, strlen(name));
		number = new_name(b, e->key, kind);
		e = map_find(&b->name_of[kind], name, strlen(name));
		e->value = (void *)(intptr_t)number;
		if (number >= BC_NAMES_MAX + (kind == BC_SIMPLE)) {
			bc_error(b, "%s", too_many[kind]);
			bc_exit(b, 1);
		}
	}
	number = (int)(intptr_t)e->value;
	return kind == BC_ARRAY ? -number : number;
}
