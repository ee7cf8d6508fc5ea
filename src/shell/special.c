/*
 * Variables the shell itself makes: constants (BASH_VERSION), computed ones
 * (RANDOM, FUNCNAME) and those that act when they change (IFS). A shell starts
 * in a microsecond, so they are not made at its start: the table below is looked
 * at when a name is not found, and before a listing.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "shell/words.h"

struct lazy {
	const char *name;
	enum special special;
	uint32_t flags;
	const char *value;	/* NULL: computed, or unset */
};

static const struct lazy lazies[] = {
	{ "BASH", SP_NONE, VAR_SET, "/usr/bin/bash" },
	{ "BASHOPTS", SP_BASHOPTS, VAR_READONLY, NULL },
	{ "BASHPID", SP_BASHPID, VAR_INTEGER, NULL },
	{ "BASH_ALIASES", SP_BASH_ALIASES, VAR_ASSOC | VAR_SET, NULL },
	{ "BASH_ARGC", SP_BASH_ARGC, VAR_INDEXED | VAR_SET, NULL },
	{ "BASH_ARGV", SP_BASH_ARGV, VAR_INDEXED | VAR_SET, NULL },
	{ "BASH_ARGV0", SP_BASH_ARGV0, 0, NULL },
	{ "BASH_CMDS", SP_BASH_CMDS, VAR_ASSOC | VAR_SET, NULL },
	{ "BASH_COMMAND", SP_BASH_COMMAND, 0, NULL },
	{ "BASH_EXECUTION_STRING", SP_EXECUTION_STRING, 0, NULL },
	{ "BASH_LINENO", SP_BASH_LINENO, VAR_INDEXED | VAR_SET, NULL },
	{ "BASH_LOADABLES_PATH", SP_NONE, VAR_SET, "/usr/local/lib/bash:/usr/lib/bash:"
	  "/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:." },
	{ "BASH_SOURCE", SP_BASH_SOURCE, VAR_INDEXED | VAR_SET, NULL },
	{ "BASH_SUBSHELL", SP_BASH_SUBSHELL, 0, NULL },
	{ "BASH_VERSINFO", SP_NONE, VAR_INDEXED | VAR_SET | VAR_READONLY, NULL },
	{ "BASH_VERSION", SP_NONE, VAR_SET, "5.2.15(1)-release" },
	{ "COMP_WORDBREAKS", SP_NONE, VAR_SET, " \t\n\"'@><=;|&(:" },
	{ "DIRSTACK", SP_DIRSTACK, VAR_INDEXED | VAR_SET, NULL },
	{ "EPOCHREALTIME", SP_EPOCHREALTIME, 0, NULL },
	{ "EPOCHSECONDS", SP_EPOCHSECONDS, 0, NULL },
	{ "EUID", SP_NONE, VAR_INTEGER | VAR_READONLY, NULL },
	{ "FUNCNAME", SP_FUNCNAME, VAR_INDEXED, NULL },
	{ "GROUPS", SP_GROUPS, VAR_INDEXED | VAR_SET, NULL },
	{ "HISTCMD", SP_HISTCMD, VAR_INTEGER, NULL },
	{ "HOSTNAME", SP_NONE, VAR_SET, NULL },
	{ "HOSTTYPE", SP_NONE, VAR_SET, "x86_64" },
	{ "IFS", SP_IFS, VAR_SET, " \t\n" },
	{ "LINENO", SP_LINENO, 0, NULL },
	{ "MACHTYPE", SP_NONE, VAR_SET, "x86_64-pc-linux-gnu" },
	{ "OPTERR", SP_NONE, VAR_SET, "1" },
	{ "OPTIND", SP_OPTIND, VAR_SET | VAR_INTEGER, "1" },
	{ "OSTYPE", SP_NONE, VAR_SET, "linux-gnu" },
	{ "PATH", SP_PATH, VAR_SET,
	  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
	{ "PIPESTATUS", SP_PIPESTATUS, VAR_INDEXED | VAR_SET, NULL },
	{ "PPID", SP_NONE, VAR_INTEGER | VAR_READONLY, NULL },
	{ "PS4", SP_NONE, VAR_SET, "+ " },
	{ "RANDOM", SP_RANDOM, VAR_INTEGER, NULL },
	{ "SECONDS", SP_SECONDS, 0, NULL },
	{ "SHELL", SP_NONE, VAR_SET, "/bin/bash" },
	{ "SHELLOPTS", SP_SHELLOPTS, VAR_READONLY, NULL },
	{ "SRANDOM", SP_SRANDOM, VAR_INTEGER, NULL },
	{ "TERM", SP_NONE, VAR_SET, "dumb" },
	{ "UID", SP_NONE, VAR_INTEGER | VAR_READONLY, NULL },
	{ "_", SP_UNDERSCORE, 0, NULL },
};
#define N_LAZIES (sizeof(lazies) / sizeof(lazies[0]))
_Static_assert(N_LAZIES <= 64, "one bit a row");

/* ---- The table ---- */

static const struct lazy *lazy_find(const char *s, size_t n)
{
	size_t low = 0, high = N_LAZIES;

	/* Most names that are not found are the script's, in small letters. */
	if (n == 0 || (s[0] >= 'a' && s[0] <= 'z'))
		return NULL;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = (unsigned char)lazies[mid].name[0] - (unsigned char)s[0];

		if (!c)
			c = strncmp(lazies[mid].name, s, n);
		if (c == 0 && !lazies[mid].name[n])
			return &lazies[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static const char *const locale_names[3] = { "LC_ALL", "LC_CTYPE", "LANG" };

static bool is_locale(const char *s, size_t n)
{
	for (size_t i = 0; i < 3; i++)
		if (strlen(locale_names[i]) == n && !memcmp(s, locale_names[i], n))
			return true;
	return false;
}

enum special special_of(const char *s, size_t n)
{
	const struct lazy *row;

	if (n == 10 && !memcmp(s, "GLOBIGNORE", 10))
		return SP_GLOBIGNORE;
	if (n == 9 && !memcmp(s, "IGNOREEOF", 9))
		return SP_IGNOREEOF;
	if (n == 15 && !memcmp(s, "POSIXLY_CORRECT", 15))
		return SP_POSIXLY_CORRECT;
	if (n >= 4 && s[0] == 'L' && is_locale(s, n))
		return SP_LOCALE;
	row = lazy_find(s, n);
	return row && row->special > SP_LAST_READ ? row->special : SP_NONE;
}

bool special_is_lazy(const char *s, size_t n)
{
	static const char *const taken[] = { "BASH_LOADABLES_PATH", "HOSTNAME", "HOSTTYPE",
		"MACHTYPE", "OSTYPE", "PATH", "PS4", "SHELL", "TERM" };

	if (!lazy_find(s, n))
		return false;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (taken[i][0] == s[0] && strlen(taken[i]) == n && !memcmp(s, taken[i], n))
			return false;
	return true;
}

static void lazy_fill(struct shell *sh, struct var *v, const struct lazy *row)
{
	static const char *const version[] = { "5", "2", "15", "1", "release",
		"x86_64-pc-linux-gnu" };
	const char *host;

	if (v->flags & VAR_INDEXED)
		v->array = array_new(sh->heap);
	if (v->flags & VAR_ASSOC)
		v->assoc = assoc_new(sh->heap);
	if (row->value)
		var_store(sh, v, row->value, strlen(row->value));
	else if (!strcmp(row->name, "BASH_VERSINFO"))
		for (int i = 0; i < 6; i++)
			array_set(v->array, i, version[i], strlen(version[i]));
	else if (!strcmp(row->name, "HOSTNAME")) {
		host = sh->p ? tsb_hostname(sh->p) : "sandbox";
		var_store(sh, v, host, strlen(host));
	} else if (!strcmp(row->name, "PPID"))
		var_store_number(sh, v, sh->p ? tsb_getppid(sh->p) : 0);
	else if (!strcmp(row->name, "UID") || !strcmp(row->name, "EUID"))
		var_store_number(sh, v, sh->p ? tsb_getuid(sh->p) : 1000);
}

/* SECONDS of the environment goes on from there. */
static void seconds_from_environ(struct shell *sh)
{
	int64_t number;

	for (const char *const *e = words_of(sh)->env; e && *e; e++)
		if (!strncmp(*e, "SECONDS=", 8) && num_i64(*e + 8, &number) == NUM_OK)
			sh->seconds_base = number;
}

static struct var *lazy_make(struct shell *sh, const struct lazy *row)
{
	struct words *w = words_of(sh);
	struct name name = name_of(row->name, strlen(row->name));
	struct var *v;

	if (w->lazy_gone >> (row - lazies) & 1 ||
	    (row->special == SP_PIPESTATUS && !sh->pipe_one && w->listing))
		return NULL;
	/* bash has no value for it before it is first read. */
	if (w->listing && !row->special && !strcmp(row->name, "COMP_WORDBREAKS"))
		return NULL;
	/* Marked, since making one asks for the name again. */
	w->lazy_gone |= (uint64_t)1 << (row - lazies);
	v = var_make(sh, &name, 0);
	v->flags = (v->flags & VAR_EXPORT) | (row->flags & ~(uint32_t)VAR_READONLY);
	v->special = row->special;
	lazy_fill(sh, v, row);
	v->flags |= row->flags & VAR_READONLY;
	if (row->special) {
		v->flags |= VAR_SPECIAL;
		if (row->special == SP_SECONDS)
			seconds_from_environ(sh);
		else			/* reading that one makes it an integer */
			var_refresh(sh, v);
	}
	return v;
}

struct var *special_lazy(struct shell *sh, const char *s, size_t n)
{
	struct var *v = environ_lazy(sh, s, n);
	const struct lazy *row;

	if (v)
		return v;
	row = lazy_find(s, n);
	return row ? lazy_make(sh, row) : NULL;
}

void special_make_all(struct shell *sh)
{
	bool listing = words_of(sh)->listing;

	environ_make_all(sh);
	words_of(sh)->listing = true;
	for (size_t i = 0; i < N_LAZIES; i++)
		var_find_text(sh, lazies[i].name, strlen(lazies[i].name));
	words_of(sh)->listing = listing;
}

void special_gone(struct shell *sh, const struct var *v)
{
	const struct lazy *row = lazy_find(v->name, v->name_len);
	uint64_t bit;

	if (!row || v->scope != 0)
		return;
	bit = (uint64_t)1 << (row - lazies);
	if (row->special == SP_PIPESTATUS)
		words_of(sh)->lazy_gone &= ~bit;	/* the next command's end makes it again */
	else
		words_of(sh)->lazy_gone |= bit;
}

/* ---- RANDOM: bash's own generator, so that a seed gives bash's numbers ---- */

static uint32_t random_next(uint32_t last)
{
	int64_t x = last ? last : 123459876;
	int64_t h = x / 127773, l = x - 127773 * h, t = 16807 * l - 2836 * h;

	return (uint32_t)(t < 0 ? t + 0x7fffffff : t);
}

static int64_t special_random(struct shell *sh)
{
	struct words *w = words_of(sh);
	int pid = proc_pid(sh->p);
	uint32_t r;

	/* A subshell does not repeat its parent's numbers. */
	if (w->random_pid != pid) {
		uint32_t seed;

		tsb_random(sh->p, &seed, sizeof(seed));
		sh->random_state = seed;
		w->random_pid = pid;
	}
	do {
		sh->random_state = random_next((uint32_t)sh->random_state);
		r = (uint32_t)(sh->random_state >> 16 ^ (sh->random_state & 65535)) & 0x7fff;
	} while (r == w->random_last);
	w->random_last = r;
	return r;
}

/* ---- Reading ---- */

static void read_options(struct shell *sh, struct var *v, bool set)
{
	static const struct {
		const char *name;
		bool set;
	} names[OPT_COUNT] = {
#define SET_OPTION(id, name, letter, def) { name, true },
#define SHOPT_OPTION(id, name, def) { name, false },
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
	};

	str_reset(&v->text);
	for (int i = 0; i < OPT_COUNT; i++) {
		if (names[i].set != set || !sh->opts[i])
			continue;
		if (v->text.n)
			str_addc(&v->text, ':');
		str_adds(&v->text, names[i].name);
	}
}

static void read_map(struct shell *sh, struct var *v, const struct map *m, size_t chains)
{
	struct arena_mark mark = arena_mark(&sh->turn);
	struct map_entry **all;

	assoc_clear(v->assoc);
	assoc_chains(v->assoc, chains);
	all = map_in_chains(sh, m, chains);
	for (size_t i = 0; i < m->n; i++)
		if (all[i]->value)
			assoc_set(v->assoc, (struct slice){ all[i]->key, all[i]->len }, all[i]->value,
				  strlen(all[i]->value));
	arena_reset(&sh->turn, mark);
}

static void read_number_list(struct var *v, int64_t i, int64_t number)
{
	char digits[24];

	array_set(v->array, i, digits, num_format_i64(digits, number));
}

static void read_calls(struct shell *sh, struct var *v)
{
	int64_t i = 0;

	array_clear(v->array);
	for (const struct call *c = sh->calls; c; c = c->up, i++) {
		const char *s = v->special == SP_FUNCNAME ? (c->function ? c->function : "source") :
			c->file ? c->file : "";

		if (v->special == SP_BASH_LINENO)
			read_number_list(v, i, c->line);
		else
			array_set(v->array, i, s, strlen(s));
	}
	v->flags &= ~(uint32_t)VAR_SET;
	if (v->special != SP_FUNCNAME || sh->function_depth)
		v->flags |= VAR_SET;
	else
		array_clear(v->array);
}

static void read_argv_frame(struct var *v, int64_t *i, char *const *argv, size_t n)
{
	if (v->special == SP_BASH_ARGC)
		read_number_list(v, (*i)++, (int64_t)n);
	else
		while (n--)
			array_set(v->array, (*i)++, argv[n], strlen(argv[n]));
}

/* The calls' arguments, the last first; those of the script are at the end. */
static void read_argv(struct shell *sh, struct var *v)
{
	int64_t i = 0;
	char **argv;
	size_t n;
	bool known = shell_main_argv(sh, false, &argv, &n);

	array_clear(v->array);
	for (const struct call *c = sh->calls; c; c = c->up)
		if (c->argv)
			read_argv_frame(v, &i, c->argv, c->n_argv);
	if (known)
		read_argv_frame(v, &i, argv, n);
}

static void read_dirs(struct shell *sh, struct var *v)
{
	const char *cwd = tsb_getcwd(sh->p);

	array_clear(v->array);
	array_set(v->array, 0, cwd, strlen(cwd));
	for (size_t i = 0; i < sh->dirs.n; i++)
		array_set(v->array, (int64_t)i + 1, sh->dirs.at[i], strlen(sh->dirs.at[i]));
}

static void read_array(struct shell *sh, struct var *v)
{
	switch (v->special) {
	case SP_FUNCNAME:
	case SP_BASH_SOURCE:
	case SP_BASH_LINENO:
		read_calls(sh, v);
		break;
	case SP_BASH_ARGC:
	case SP_BASH_ARGV:
		read_argv(sh, v);
		break;
	case SP_PIPESTATUS:
		array_clear(v->array);
		v->flags &= ~(uint32_t)VAR_SET;
		if (sh->pipe_one)
			v->flags |= VAR_SET;
		if (sh->pipe_one && sh->pipe_status.n == 0)
			read_number_list(v, 0, sh->pipe_one - 1);
		for (size_t i = 0; i < sh->pipe_status.n; i++)
			read_number_list(v, (int64_t)i, sh->pipe_status.at[i]);
		break;
	case SP_GROUPS:
		array_clear(v->array);
		read_number_list(v, 0, tsb_getgid(sh->p));
		break;
	case SP_DIRSTACK:
		read_dirs(sh, v);
		break;
	case SP_BASH_ALIASES:
		read_map(sh, v, &sh->aliases, CHAINS_ALIASES);
		break;
	default:
		read_map(sh, v, &sh->hashed, CHAINS_HASHED);
	}
}

int64_t shell_clock_ns(struct shell *sh, int clock)
{
	struct tsb_time now = tsb_clock(sh->p, clock);

	return now.sec * NSEC + now.nsec;
}

static int64_t seconds(struct shell *sh)
{
	int64_t gone = (shell_clock_ns(sh, TSB_CLOCK_MONOTONIC) - sh->seconds_from) / NSEC;

	return (int64_t)((uint64_t)sh->seconds_base + (uint64_t)gone);
}

static void read_clock(struct shell *sh, struct var *v)
{
	struct tsb_time now;

	if (v->special == SP_SECONDS) {
		var_store_number(sh, v, seconds(sh));
		v->flags |= VAR_INTEGER;	/* from its first reading on, as in bash */
		return;
	}
	now = tsb_clock(sh->p, TSB_CLOCK_REAL);
	if (v->special == SP_EPOCHSECONDS)
		var_store_number(sh, v, now.sec);
	else {
		str_reset(&v->text);
		str_addf(&v->text, "%lld.%06d", (long long)now.sec, (int)(now.nsec / 1000));
	}
}

static bool read_text(struct shell *sh, struct var *v, const char *s, size_t n)
{
	if (s)
		var_store(sh, v, s, n);
	return s;
}

static bool read_command(struct shell *sh, struct var *v)
{
	struct arena_mark m = arena_mark(&sh->turn);
	const char *text = shell_command_text(sh);

	read_text(sh, v, text, strlen(text));
	arena_reset(&sh->turn, m);
	return true;
}

/* Lists show of these what was read last, if anything was. */
static bool listed_as_read(enum special which)
{
	switch (which) {
	case SP_RANDOM:
	case SP_SRANDOM:
	case SP_SECONDS:
	case SP_EPOCHSECONDS:
	case SP_EPOCHREALTIME:
	case SP_LINENO:
	case SP_BASHPID:
	case SP_BASH_SUBSHELL:
	case SP_BASH_COMMAND:
	case SP_BASH_ARGV0:
	case SP_HISTCMD:
	case SP_GROUPS:
	case SP_DIRSTACK:
	case SP_BASH_ARGC:
	case SP_BASH_ARGV:
		return true;
	default:
		return false;
	}
}

bool special_read(struct shell *sh, struct var *v)
{
	uint32_t random;

	if (words_of(sh)->listing && listed_as_read(v->special))
		return v->flags & VAR_SET;
	switch (v->special) {
	case SP_RANDOM:
		var_store_number(sh, v, special_random(sh));
		return true;
	case SP_SRANDOM:
		tsb_random(sh->p, &random, sizeof(random));
		var_store_number(sh, v, random);
		return true;
	case SP_SECONDS:
	case SP_EPOCHSECONDS:
	case SP_EPOCHREALTIME:
		read_clock(sh, v);
		v->flags |= VAR_SET;
		return true;
	case SP_LINENO:
		var_store_number(sh, v, sh->line);
		return true;
	case SP_BASHPID:
		var_store_number(sh, v, proc_pid(sh->p));
		return true;
	case SP_BASH_SUBSHELL:
		var_store_number(sh, v, sh->subshell_level);
		return true;
	case SP_HISTCMD:
		var_store_number(sh, v, 0);
		return true;
	case SP_BASH_COMMAND:
		return read_command(sh, v);
	case SP_BASH_ARGV0:
		return read_text(sh, v, sh->arg0, sh->arg0 ? strlen(sh->arg0) : 0);
	case SP_EXECUTION_STRING:
		return read_text(sh, v, sh->execution_string.p, sh->execution_string.n);
	case SP_SHELLOPTS:
	case SP_BASHOPTS:
		read_options(sh, v, v->special == SP_SHELLOPTS);
		v->flags |= VAR_SET;
		return true;
	case SP_UNDERSCORE:
		return read_text(sh, v, sh->last_arg.p, sh->last_arg.n);
	default:
		read_array(sh, v);
		return v->flags & VAR_SET;
	}
}

/* ---- Setting ---- */

/* As strtoll of bash: what is no number seeds 0. */
static int64_t plain_number(const char *p, size_t n)
{
	int64_t value = 0;
	const char *why;
	bool minus = n && *p == '-';

	if (minus || (n && *p == '+'))
		p++, n--;
	if (!n || !arith_number(p, n, &value, &why))
		return 0;
	return minus ? -value : value;
}

/* An integer is told an expression; false: it is wrong, and said, and no more. */
static bool assign_number(struct shell *sh, const struct var *v, const char *p, size_t n,
			  int64_t *number)
{
	enum flow before = sh->failed;

	if (!(v->flags & VAR_INTEGER)) {
		*number = plain_number(p, n);
		return true;
	}
	if (arith_eval_text(sh, p, n, number))
		return true;
	if (sh->failed != FLOW_EXIT)
		sh->failed = before;
	return false;
}

int special_assign(struct shell *sh, struct var *v, const char *p, size_t n)
{
	struct words *w = words_of(sh);
	int64_t number;

	switch (v->special) {
	case SP_RANDOM:
		if (!assign_number(sh, v, p, n, &number))
			break;
		sh->random_state = (uint32_t)number;
		w->random_last = 0;
		w->random_pid = proc_pid(sh->p);
		break;
	case SP_SECONDS:
		if (!assign_number(sh, v, p, n, &number))
			number = 0;
		sh->seconds_base = number;
		sh->seconds_from = shell_clock_ns(sh, TSB_CLOCK_MONOTONIC);
		var_store_number(sh, v, number);
		v->flags |= VAR_SET;
		break;
	case SP_BASH_ARGV0:
		sh->arg0 = heap_dup(sh->heap, p, n);
		break;
	case SP_UNDERSCORE:
		str_reset(&sh->last_arg);
		str_addn(&sh->last_arg, p, n);
		break;
	default:
		break;		/* bash ignores it without a word */
	}
	return 0;
}

int special_assign_element(struct shell *sh, struct var *v, struct slice key, struct slice value)
{
	struct map *m = v->special == SP_BASH_ALIASES ? &sh->aliases : &sh->hashed;
	struct map_entry *e;

	if (m == &sh->hashed && sh->opts[SHOPT_RESTRICTED_SHELL] && memchr(value.p, '/', value.n)) {
		shell_error(sh, "%.*s: restricted", (int)value.n, value.p);
		return 0;	/* says bash */
	}
	e = map_put(m, key.p, key.n);
	heap_free(sh->heap, e->value);
	e->value = heap_dup(sh->heap, value.p, value.n);
	return 0;
}

/* The usual value takes no memory. */
void ifs_cache(struct shell *sh, struct slice ifs)
{
	char *old = sh->ifs_own;

	sh->ifs_default = slice_eq(ifs, SLICE(IFS_DEFAULT));
	sh->ifs_own = sh->ifs_default ? NULL : heap_dup(sh->heap, ifs.p, ifs.n);
	sh->ifs = sh->ifs_own ? (struct slice){ sh->ifs_own, ifs.n } : SLICE(IFS_DEFAULT);
	heap_free(sh->heap, old);
}

static void ifs_update(struct shell *sh)
{
	struct name name = name_of("IFS", 3);
	struct slice ifs = SLICE(IFS_DEFAULT);
	struct var *v = var_find(sh, &name);

	if (v && !var_scalar(sh, v, &ifs))
		ifs = SLICE(IFS_DEFAULT);
	memset(sh->ifs_table, 0, sizeof(sh->ifs_table));
	for (size_t i = 0; i < ifs.n; i++) {
		unsigned char c = (unsigned char)ifs.p[i];

		sh->ifs_table[c] = c == ' ' || c == '\t' || c == '\n' ? IFS_WHITE :
			c < 0x80 ? IFS_OTHER : IFS_MAYBE;
	}
	ifs_cache(sh, ifs);
}

static void glob_ignore_update(struct shell *sh)
{
	struct words *w = words_of(sh);
	struct slice value;

	w->glob_ignore_set = var_get_text(sh, "GLOBIGNORE", &value) && value.n;
	if (w->glob_ignore_set)
		sh->opts[SHOPT_DOTGLOB] = true;
	else
		sh->opts[SHOPT_DOTGLOB] = false;
}

/* The name of no locale there is changes nothing. */
void locale_set(struct shell *sh, const char *const values[3])
{
	const char *v = NULL;
	size_t n;

	for (size_t i = 0; i < 3 && (!v || !*v); i++)
		v = values[i];
	n = v ? strlen(v) : 0;
	if (!n || !strcmp(v, "C") || !strcmp(v, "POSIX"))
		sh->bytes = true;
	else if ((n > 5 && !strcasecmp(v + n - 5, "utf-8")) ||
		 (n > 4 && !strcasecmp(v + n - 4, "utf8")))
		sh->bytes = false;
}

static void locale_update(struct shell *sh)
{
	const char *values[3];
	struct slice v;

	for (size_t i = 0; i < 3; i++)
		values[i] = var_get_text(sh, locale_names[i], &v) ? v.p : NULL;
	locale_set(sh, values);
}

size_t shell_char(const struct shell *sh, const char *p, size_t n, int32_t *c)
{
	if (!sh->bytes)
		return utf8_decode(p, n, c);
	*c = (unsigned char)*p < 0x80 ? *p : -1;
	return 1;
}

size_t shell_chars(const struct shell *sh, const char *p, size_t n)
{
	if (sh->bytes)
		return n;
	tsb_tick(sh->p, n / 64);
	return utf8_count(p, n);
}

void special_changed(struct shell *sh, enum special which)
{
	struct slice value;

	switch (which) {
	case SP_IFS:
		ifs_update(sh);
		break;
	case SP_PATH:
		for (struct map_entry *e = NULL; (e = map_next(&sh->hashed, e));)
			heap_free(sh->heap, e->value);
		map_end(&sh->hashed);
		break;
	case SP_OPTIND:
		/* As POSIX has it 1 begins anew; another number leaves a cluster of letters as it is. */
		if (!var_get_text(sh, "OPTIND", &value) || atoll(value.p) <= 1)
			sh->getopts_pos = 0;
		break;
	case SP_IGNOREEOF:
		sh->opts[OPT_IGNOREEOF] = var_get_text(sh, "IGNOREEOF", &value);
		break;
	case SP_POSIXLY_CORRECT:
		sh->opts[OPT_POSIX] = var_get_text(sh, "POSIXLY_CORRECT", &value);
		break;
	case SP_LOCALE:
		locale_update(sh);
		break;
	case SP_GLOBIGNORE:
		glob_ignore_update(sh);
		break;
	default:
		break;
	}
}
