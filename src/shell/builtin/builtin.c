/*
 * The list of builtins, and what all of them use: printing, options, numbers.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

enum { S = BUILTIN_SPECIAL, D = BUILTIN_DECL };

static const struct builtin builtins[] = {
#define BUILTIN(name, function, flags, synopsis, summary) { name, builtin_##function, flags },
#include "shell/builtin/builtins.def"
#undef BUILTIN
	{ NULL, NULL, 0 }
};

static const struct {
	const char *synopsis, *summary;
} texts[] = {
#define BUILTIN(name, function, flags, synopsis, summary) { synopsis, summary },
#include "shell/builtin/builtins.def"
#undef BUILTIN
};

#define BUILTIN_COUNT (sizeof(builtins) / sizeof(builtins[0]) - 1)

const struct builtin *builtin_find(const char *name, size_t n)
{
	size_t lo = 0, hi = BUILTIN_COUNT;
	char first = n ? name[0] : '\0';

	/* The first of those that begin with this letter: there are few. */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (builtins[mid].name[0] < first)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < BUILTIN_COUNT && builtins[lo].name[0] == first; lo++)
		if (!strncmp(builtins[lo].name, name, n) && !builtins[lo].name[n])
			return &builtins[lo];
	return NULL;
}

const struct builtin *builtin_at(size_t i)
{
	return i < BUILTIN_COUNT ? &builtins[i] : NULL;
}

size_t builtin_index(const struct builtin *b)
{
	return (size_t)(b - builtins);
}

const char *builtin_synopsis(const struct builtin *b)
{
	return texts[builtin_index(b)].synopsis;
}

const char *builtin_summary(const struct builtin *b)
{
	return texts[builtin_index(b)].summary;
}

bool builtin_has_help(const struct builtin *b)
{
	static const char *const without[] = { ":", "[", "echo", "false", "test", "true" };

	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (!strcmp(b->name, without[i]))
			return false;
	return true;
}

void putf(struct shell *sh, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_addvf(&doing(sh)->out, fmt, ap);
	va_end(ap);
}

/* ---- Options ---- */

int builtin_usage(struct shell *sh)
{
	const struct builtin *b = builtin_find(sh->builtin, strlen(sh->builtin));
	struct str m;

	doing(sh)->misused = true;
	str_init(&m, sh->heap, STR_MAX_DEFAULT);
	str_addf(&m, "%s: usage: ", sh->builtin);
	if (b && strcmp(b->name, "["))
		str_addf(&m, "%s%s", b->name, *builtin_synopsis(b) ? " " : "");
	if (b)
		str_adds(&m, builtin_synopsis(b));
	str_addc(&m, '\n');
	message_write(sh, &m);
	str_end(&m);
	return STATUS_USAGE;
}

void bopt_init(struct bopt *o, struct shell *sh, int argc, char **argv)
{
	*o = (struct bopt){ .sh = sh, .argc = argc, .argv = argv, .at = 1 };
}

/* Begins the next argument that holds options; false: there is none. */
static bool bopt_begin(struct bopt *o, bool plus)
{
	const char *a = o->at < o->argc ? o->argv[o->at] : NULL;

	if (!a || (a[0] != '-' && !(plus && a[0] == '+')) || !a[1])
		return false;
	if (!strcmp(a, "--")) {
		o->at++;
		return false;
	}
	o->plus = a[0] == '+';
	o->next = a + 1;
	return true;
}

static int bopt_argument(struct bopt *o, int letter)
{
	if (*o->next) {
		o->arg = o->next;
		o->next = NULL;
		o->at++;
		return letter;
	}
	o->next = NULL;
	o->at++;
	if (o->at >= o->argc) {
		builtin_error(o->sh, "-%c: option requires an argument", letter);
		builtin_usage(o->sh);
		return -1;
	}
	o->arg = o->argv[o->at++];
	return letter;
}

/* Attached, or the next argument if that is no option; else NULL. */
static int bopt_optional(struct bopt *o, int letter)
{
	const char *next = *o->next ? NULL : o->at + 1 < o->argc ? o->argv[o->at + 1] : "-";

	if (*o->next) {
		o->arg = o->next;
	} else if (*next != '-') {
		o->arg = next;
		o->at++;
	}
	o->next = NULL;
	o->at++;
	return letter;
}

int bopt_next(struct bopt *o, const char *spec)
{
	const char *found;
	int c;

	o->arg = NULL;
	if (!o->next && !bopt_begin(o, *spec == '+'))
		return 0;
	if (!strcmp(o->next, "-help") && !o->plus) {
		builtin_tell_help(o->sh);
		return -1;
	}
	c = (unsigned char)*o->next++;
	found = c == ':' || c == ';' || c == '+' ? NULL : strchr(spec, c);
	if (!found) {
		builtin_error(o->sh, "%c%c: invalid option", o->plus ? '+' : '-', c);
		builtin_usage(o->sh);
		return -1;
	}
	if (found[1] == ':')
		return bopt_argument(o, c);
	if (found[1] == ';')
		return bopt_optional(o, c);
	if (!*o->next) {
		o->next = NULL;
		o->at++;
	}
	return c;
}

/* ---- Texts ---- */

char *turn_join(struct shell *sh, const char *a, const char *b, const char *c)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	str_adds(&t, a);
	if (b)
		str_adds(&t, b);
	if (c)
		str_adds(&t, c);
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

char *turn_path(struct shell *sh, const char *dir, size_t n, const char *name)
{
	char *start = arena_dup(&sh->turn, dir, n);

	return turn_join(sh, start, n && dir[n - 1] != '/' ? "/" : NULL, name);
}

/* The function of complete -F. In POSIX mode it must be a name, and bash says so twice. */
bool complete_function_name(struct shell *sh, const char *name)
{
	bool posix = sh->opts[OPT_POSIX];

	if (posix ? text_is_name(name) : !strpbrk(name, "()<>;&| \t\n"))
		return true;
	if (posix)
		shell_error(sh, "`%s': not a valid identifier", name);
	builtin_error(sh, "`%s': not a valid identifier", name);
	return false;
}

/* ---- Numbers ---- */

/* As bash's legal_number: white space around it is fine. */
bool text_number(const char *s, int64_t *out)
{
	char buf[32];
	size_t n;

	while (*s == ' ' || *s == '\t' || *s == '\n')
		s++;
	n = strlen(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\n'))
		n--;
	if (!n || n >= sizeof(buf))
		return false;
	memcpy(buf, s, n);
	buf[n] = '\0';
	return num_i64(buf, out) == NUM_OK;
}
