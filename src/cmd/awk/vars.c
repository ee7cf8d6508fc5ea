/*
 * Variables that mean something, ENVIRON, ARGV and PROCINFO, and assignments on
 * the command line.
 */
#include "cmd/awk/awk.h"
#include "cmd/awk/lex.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const char *const special_names[VAR_SPECIAL_END] = {
	"NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "RSTART", "RLENGTH",
	"FILENAME", "ENVIRON", "IGNORECASE", "RT", "FPAT", "FIELDWIDTHS", "PROCINFO", "ARGC", "ARGV",
	"ARGIND", "ERRNO", "BINMODE", "LINT", "TEXTDOMAIN", "PREC", "ROUNDMODE", "SYMTAB", "FUNCTAB",
};

bool ak_var_special(const char *name)
{
	for (size_t i = 0; i < VAR_SPECIAL_END; i++)
		if (!strcmp(special_names[i], name))
			return true;
	return false;
}

uint32_t ak_var_slot(struct awk *a, const char *name, size_t n)
{
	struct map_entry *e = map_put(&a->global_names, name, n);

	if (!e->value) {
		struct awk_val *v = vec_add(a->heap, &a->globals_made);

		v->type = V_UNDEF;
		*vec_add(a->heap, &a->global_list) = e->key;
		a->globals = a->globals_made.at;
		e->value = (void *)(uintptr_t)a->globals_made.n;
	}
	return (uint32_t)((uintptr_t)e->value - 1);
}

static void var_text(struct awk *a, uint32_t slot, const char *text)
{
	val_string(&a->globals[slot], ak_str_make(a, text, strlen(text)));
}

void ak_vars_init(struct awk *a)
{
	map_init(&a->global_names, a->heap);
	map_init(&a->func_names, a->heap);
	map_init(&a->lint_words, a->heap);
	map_init(&a->regexes, a->heap);
	a->empty = ak_str_make(a, "", 0);
	a->unset = ak_str_make(a, "", 0);
	for (size_t i = 0; i < VAR_SPECIAL_END; i++)
		ak_var_slot(a, special_names[i], strlen(special_names[i]));
	var_text(a, VAR_FS, " ");
	var_text(a, VAR_OFS, " ");
	var_text(a, VAR_ORS, "\n");
	var_text(a, VAR_RS, "\n");
	var_text(a, VAR_SUBSEP, "\034");
	var_text(a, VAR_CONVFMT, "%.6g");
	var_text(a, VAR_OFMT, "%.6g");
	var_text(a, VAR_FPAT, "[^[:space:]]+");
	var_text(a, VAR_FIELDWIDTHS, "");
	var_text(a, VAR_RT, "");
	var_text(a, VAR_ERRNO, "");
	var_text(a, VAR_FILENAME, "");
	var_text(a, VAR_TEXTDOMAIN, "messages");
	var_text(a, VAR_ROUNDMODE, "N");
	val_number(&a->globals[VAR_PREC], 53);
	val_number(&a->globals[VAR_RSTART], 0);
	val_number(&a->globals[VAR_RLENGTH], 0);
	val_number(&a->globals[VAR_ARGIND], 0);
	val_number(&a->globals[VAR_BINMODE], 0);
	val_number(&a->globals[VAR_LINT], 0);
	val_number(&a->globals[VAR_IGNORECASE], 0);
	ak_val_copy(&a->split_fs, &a->globals[VAR_FS]);
	ak_var_array(a, VAR_ARGV);
	ak_var_array(a, VAR_ENVIRON);
	ak_var_array(a, VAR_PROCINFO);
}

struct awk_array *ak_var_array(struct awk *a, uint32_t slot)
{
	struct awk_val *v = &a->globals[slot];

	if (v->type != V_ARRAY) {
		v->type = V_ARRAY;
		v->array = ak_array_new(a);
	}
	return v->array;
}

static void put_text(struct awk *a, struct awk_array *x, const char *key, const char *text)
{
	ak_val_input(a, ak_array_at_str(a, x, key, strlen(key)), text, strlen(text));
}

static void put_number(struct awk *a, struct awk_array *x, const char *key, double num)
{
	val_number(ak_array_at_str(a, x, key, strlen(key)), num);
}

static void fill_procinfo(struct awk *a)
{
	struct awk_array *x = ak_var_array(a, VAR_PROCINFO);
	struct awk_val *ids = ak_array_at_str(a, x, "identifiers", 11), *argv;

	ids->type = V_ARRAY;
	ids->array = ak_array_new(a);
	ak_identifiers_fill(a, ids->array);
	put_text(a, x, "version", "5.2.1");
	put_text(a, x, "strftime", "%a %b %e %H:%M:%S %Z %Y");
	put_text(a, x, "FS", "FS");
	put_text(a, x, "platform", "posix");
	put_text(a, x, "gmp_version", "GNU MP 6.2.1");
	put_text(a, x, "mpfr_version", "GNU MPFR 4.2.0");
	put_number(a, x, "prec_max", 9223372036854775808.0);
	put_number(a, x, "prec_min", 1);
	put_number(a, x, "api_major", 3);
	put_number(a, x, "api_minor", 2);
	put_number(a, x, "pid", tsb_getpid(a->p));
	put_number(a, x, "ppid", tsb_getppid(a->p));
	put_number(a, x, "pgrpid", tsb_getpgid(a->p, 0));
	put_number(a, x, "uid", tsb_getuid(a->p));
	put_number(a, x, "euid", tsb_getuid(a->p));
	put_number(a, x, "gid", tsb_getgid(a->p));
	put_number(a, x, "egid", tsb_getgid(a->p));
	argv = ak_array_at_str(a, x, "argv", 4);
	argv->type = V_ARRAY;
	argv->array = ak_array_new(a);
	for (int i = 0; i <= a->n_arguments; i++) {
		const char *text = i ? a->arguments[i - 1] : tsb_name(a->p);

		ak_val_input(a, ak_array_at_num(a, argv->array, i), text, strlen(text));
	}
}

static void fill_environ(struct awk *a)
{
	static const char *const paths[][2] = {
		{ "AWKPATH", ".:/usr/share/awk" },
		{ "AWKLIBPATH", "/usr/lib/x86_64-linux-gnu/gawk" },
	};
	struct awk_array *x = ak_var_array(a, VAR_ENVIRON);

	for (const char *const *e = tsb_environ(a->p); *e; e++) {
		const char *eq = strchr(*e, '=');

		if (eq)
			ak_val_input(a, ak_array_at_str(a, x, *e, (size_t)(eq - *e)), eq + 1,
				  strlen(eq + 1));
	}
	for (size_t i = 0; i < 2; i++)
		if (!tsb_getenv(a->p, paths[i][0]))
			put_text(a, x, paths[i][0], paths[i][1]);
}

void ak_vars_fill(struct awk *a, int argc, char **argv)
{
	struct awk_array *x = ak_var_array(a, VAR_ARGV);

	val_number(&a->globals[VAR_ARGC], argc + 1);
	ak_val_input(a, ak_array_at_num(a, x, 0), tsb_name(a->p), strlen(tsb_name(a->p)));
	for (int i = 0; i < argc; i++)
		ak_val_input(a, ak_array_at_num(a, x, i + 1), argv[i], strlen(argv[i]));
	if (a->uses[VAR_ENVIRON])
		fill_environ(a);
	if (a->uses[VAR_PROCINFO])
		fill_procinfo(a);
	if (a->uses[VAR_FUNCTAB])
		ak_functab_fill(a);
}

void ak_var_read(struct awk *a, uint32_t slot, struct awk_val *out)
{
	switch (slot) {
	case VAR_NF:
		val_number(out, (double)ak_field_count(a));
		break;
	case VAR_NR:
		val_number(out, a->nr);
		break;
	case VAR_FNR:
		val_number(out, a->fnr);
		break;
	default:
		ak_val_copy(out, &a->globals[slot]);
	}
}

static void split_changed(struct awk *a, enum split_mode mode)
{
	static const char *const names[] = { "FS", "FPAT", "FIELDWIDTHS" };

	ak_fields_forget(a);
	if (a->uses[VAR_PROCINFO])
		put_text(a, ak_var_array(a, VAR_PROCINFO), "FS", names[mode]);
	a->split_mode = mode;
	val_drop(a, &a->split_fs);
	ak_val_copy(&a->split_fs, &a->globals[VAR_FS]);
}

/* The variable has its new value: what follows from it. */
static void lint_variable(struct awk *a, uint32_t slot)
{
	const char *name = a->global_list.at[slot];
	struct map_entry *e = map_put(&a->lint_words, name, strlen(name));

	if (!e->value)
		ak_lint(a, "`%s' is a gawk extension", name);
	e->value = a;
}

static void ak_var_changed(struct awk *a, uint32_t slot)
{
	struct awk_val *v = &a->globals[slot];

	switch (slot) {
	case VAR_NF:
		ak_field_set_count(a, ak_val_to_num(a, v));
		break;
	case VAR_NR:
		a->nr = ak_val_to_num(a, v);
		break;
	case VAR_FNR:
		a->fnr = ak_val_to_num(a, v);
		break;
	case VAR_FS:
		split_changed(a, SPLIT_FS);
		break;
	case VAR_FPAT:
		split_changed(a, SPLIT_FPAT);
		break;
	case VAR_FIELDWIDTHS:
		ak_split_widths_check(a);
		split_changed(a, SPLIT_WIDTHS);
		break;
	case VAR_IGNORECASE:
		ak_fields_forget(a);
		a->icase = ak_val_true(a, v);
		break;
	case VAR_LINT:
		ak_lint_assigned(a);
		break;
	}
	if (a->lint && !a->lint_no_extensions && (slot == VAR_FPAT || slot == VAR_FIELDWIDTHS ||
						  slot == VAR_IGNORECASE || slot == VAR_BINMODE))
		lint_variable(a, slot);
}

void ak_var_set(struct awk *a, uint32_t slot, struct awk_val *v)
{
	if (a->globals[slot].type == V_ARRAY)
		awk_fatal(a, "attempt to use array `%s' in a scalar context",
			  a->global_list.at[slot]);
	if (slot == VAR_FS || slot == VAR_FPAT || slot == VAR_FIELDWIDTHS || slot == VAR_IGNORECASE)
		ak_fields_forget(a);
	if (slot == VAR_OFS)
		ak_record_str(a);	/* $0 is put together with the old one */
	val_drop(a, &a->globals[slot]);
	a->globals[slot] = *v;
	if (slot < VAR_SPECIAL_END)
		ak_var_changed(a, slot);
}

struct awk_str *ak_var_str(struct awk *a, uint32_t slot)
{
	struct awk_val v;
	struct awk_str *s;

	ak_var_read(a, slot, &v);
	/* CONVFMT that is a number itself must not ask for CONVFMT. */
	if (v.type == V_NUM && (slot == VAR_CONVFMT || slot == VAR_OFMT))
		return ak_str_make(a, "%.6g", 4);
	s = ak_val_to_str(a, &v);
	val_drop(a, &v);
	return s;
}

void ak_var_errno(struct awk *a, int err)
{
	const char *text = tsb_strerror(err);
	struct awk_val v;

	ak_val_input(a, &v, text, strlen(text));
	v.type = V_STR;
	ak_var_set(a, VAR_ERRNO, &v);
	put_number(a, ak_var_array(a, VAR_PROCINFO), "errno", err < 0 ? -err : err);
}

/* The escapes of a value on the command line, as in a string of the program. */
static void unescape(struct awk *a, const char *p, struct str *out)
{
	static const char from[] = "ntabfrv\\\"", to[] = "\n\t\a\b\f\r\v\\\"";

	while (*p) {
		const char *known;

		if (*p != '\\') {
			str_addc(out, *p++);
			continue;
		}
		if (!*++p)
			return;
		if (*p == '\n') {
			p++;
			continue;
		}
		known = strchr(from, *p);
		if (known) {
			str_addc(out, to[known - from]);
			p++;
		} else if (*p >= '0' && *p <= '7') {
			int v = 0;

			for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; i++)
				v = v * 8 + (*p++ - '0');
			str_addc(out, v & 255);
		} else if (*p == 'x' && isxdigit((unsigned char)p[1])) {
			char digits[3] = { p[1], isxdigit((unsigned char)p[2]) ? p[2] : '\0' };

			str_addc(out, (int)strtoul(digits, NULL, 16));
			p += 1 + strlen(digits);
		} else {
			awk_warn(a, "escape sequence `\\%c' treated as plain `%c'", *p, *p);
			str_addc(out, *p++);
		}
	}
}

/* "space::name", or a plain name; else gawk says what is wrong, and the program does not run. */
static bool qualified_name(struct awk *a, const char *name, size_t n)
{
	const char *colon = memchr(name, ':', n), *text;
	int len = (int)n;

	if (!colon)
		return true;
	if (colon[1] != ':')
		text = tsb_format(a->p, "identifier %.*s: namespace separator is two colons, not one", len,
				  name);
	else if (colon + 2 >= name + n || !(isalpha((unsigned char)colon[2]) || colon[2] == '_'))
		text = tsb_format(a->p, "qualified identifier `%.*s' is badly formed", len, name);
	else if (memchr(colon + 2, ':', n - (size_t)(colon + 2 - name)))
		text = tsb_format(a->p, "identifier `%.*s': namespace separator can only appear once in "
				  "a qualified name", len, name);
	else
		return true;
	awk_error(a, NULL, 0, text);
	return false;
}

/* @/.../ as a value. */
static bool typed_regex(const char *value)
{
	size_t n = strlen(value);

	return n >= 3 && value[0] == '@' && value[1] == '/' && value[n - 1] == '/';
}

static void check_typed(struct awk *a, const struct awk_str *s)
{
	const char *error = NULL;
	struct regex *re = ak_regex_compile(a, s->p, s->n, &error);

	if (!re) {
		awk_error(a, NULL, 0, tsb_format(a->p, "%s: /%s/", error, s->p));
		awk_fatal(a, "could not make typed regex");
	}
	regex_free(re);
}

/* --sandbox: ARGV gets no file that was not there; assignments and nothing are allowed. */
void ak_var_check_file(struct awk *a, const struct awk_val *v)
{
	struct awk_str *s = ak_val_to_str(a, v);
	size_t n = strcspn(s->p, "=");
	bool ok = !s->n || (s->p[n] && (isalpha((unsigned char)*s->p) || *s->p == '_'));

	for (size_t i = 0; ok && s->n && i < n; i++)
		ok = isalnum((unsigned char)s->p[i]) || s->p[i] == '_' || s->p[i] == ':';
	for (int i = 0; !ok && i < a->n_operands; i++)
		ok = !strcmp(a->operands[i], s->p);
	if (!ok)
		awk_fatal(a, "cannot add a new file (%s) to ARGV in sandbox mode", s->p);
	str_drop(a, s);
}

bool ak_var_command_line(struct awk *a, const char *arg, bool option)
{
	const char *eq = strchr(arg, '='), *p = arg;
	struct awk_val v;
	struct str text;
	uint32_t slot;

	if (!eq)
		return false;
	if (eq == arg || (*p >= '0' && *p <= '9'))
		goto bad;
	for (; p < eq; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
		      (*p >= '0' && *p <= '9') || (*p == ':' && p > arg)))
			goto bad;
	if (!qualified_name(a, arg, (size_t)(eq - arg)))
		return option;
	if (!strncmp(arg, "awk::", 5))
		arg += 5;
	if (ak_lex_reserved(arg, (size_t)(eq - arg)))
		awk_fatal(a, "cannot use gawk builtin `%.*s' as variable name", (int)(eq - arg), arg);
	if (map_find(&a->func_names, arg, (size_t)(eq - arg)))
		awk_fatal(a, "cannot use function `%.*s' as variable name", (int)(eq - arg), arg);
	str_init(&text, a->heap, STR_MAX_DEFAULT);
	slot = ak_var_slot(a, arg, (size_t)(eq - arg));
	if (typed_regex(eq + 1)) {
		val_string(&v, ak_str_make(a, eq + 3, strlen(eq + 3) - 1));
		v.type = V_REGEX;
		check_typed(a, v.str);
	} else {
		unescape(a, eq + 1, &text);
		ak_val_input(a, &v, text.p, text.n);
	}
	str_end(&text);
	ak_var_set(a, slot, &v);
	return true;
bad:
	if (option)
		awk_fatal(a, "`%.*s' is not a legal variable name", (int)(eq - arg), arg);
	return false;
}
