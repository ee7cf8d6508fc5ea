/*
 * -exec, -execdir, -ok and -okdir of find. With "{} +" names are collected
 * until a command line is full, a directory is left (-execdir) or the walk is
 * over.
 */
#include "cmd/find.h"

#include <string.h>
#include <sys/wait.h>

#include "cmd/path.h"
#include "cmd/util.h"

#define EXEC_LINE_MAX ((size_t)128 << 10)

struct find_exec {
	const char *name;
	char **words;		/* the template, without the last {} of + */
	size_t n;
	bool many, in_dir, asks;
	VEC(const char *) args;	/* of +: the words and the names so far */
	size_t chars;
	char *dir;		/* where they are, with in_dir */
};

/* ---- Running ---- */

/* Runs the words in dir (NULL: here): did it succeed? */
static bool exec_launch(struct find *f, struct find_exec *x, const char *const *argv, const char *dir)
{
	static const struct tsb_fd_map closed = { 0, -1 };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .cwd = dir };
	int pid, err, status = 0;

	if (x->asks) {
		how.fds = &closed;
		how.n_fds = 1;
	}
	tsb_flush(f->p);
	err = tsb_spawn(f->p, &how, &pid);
	if (err) {
		tsb_warn_errno(f->p, err, "%s", quote_text(f->p, argv[0]));
		if (x->many)
			f->status = 1;
		return false;
	}
	tsb_wait(f->p, pid, &status, 0);
	if (WIFSIGNALED(status))
		tsb_warn(f->p, "%s terminated by signal %d", quote_text(f->p, argv[0]),
			 WTERMSIG(status));
	if (status && x->many)
		f->status = 1;
	return !status;
}

static void exec_begin_line(struct find *f, struct find_exec *x)
{
	x->args.n = 0;
	x->chars = 0;
	for (size_t i = 0; i < x->n; i++) {
		*vec_add(tsb_heap_of(f->p), &x->args) = x->words[i];
		x->chars += strlen(x->words[i]) + 1;
	}
}

static void exec_run_line(struct find *f, struct find_exec *x)
{
	if (x->args.n <= x->n)
		return;
	*vec_add(tsb_heap_of(f->p), &x->args) = NULL;
	exec_launch(f, x, x->args.at, x->in_dir ? x->dir : NULL);
	for (size_t i = x->n; i + 1 < x->args.n; i++)
		tsb_free(f->p, (void *)(uintptr_t)x->args.at[i]);
	exec_begin_line(f, x);
	tsb_free(f->p, x->dir);
	x->dir = NULL;
}

void find_exec_finish(struct find *f, bool only_dirs)
{
	for (size_t i = 0; !only_dirs && i < f->execs.n; i++)
		if (f->execs.at[i]->many && !f->execs.at[i]->in_dir)
			exec_run_line(f, f->execs.at[i]);
	for (size_t i = 0; i < f->execs.n; i++)
		if (f->execs.at[i]->many && f->execs.at[i]->in_dir)
			exec_run_line(f, f->execs.at[i]);
}

/* The current file as the command is to see it. */
static char *exec_name(struct find *f, const struct find_exec *x)
{
	char *base, *name;
	size_t n;

	if (!x->in_dir)
		return tsb_strdup(f->p, f->e->path);
	base = find_base(f, true);
	n = strlen(base);
	while (n > 1 && base[n - 1] == '/' && base[n - 2] == '/')
		base[--n] = '\0';
	name = *base ? tsb_format(f->p, "./%s", base) : tsb_strdup(f->p, "/");
	tsb_free(f->p, base);
	return name;
}

/* A word of the template with every {} replaced. */
static char *exec_fill(struct find *f, const char *word, const char *name)
{
	const char *hole;
	struct str s;

	str_init(&s, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	while ((hole = strstr(word, "{}"))) {
		str_addn(&s, word, (size_t)(hole - word));
		str_adds(&s, name);
		word = hole + 2;
	}
	str_adds(&s, word);
	return str_take(&s, NULL);
}

static bool exec_ask(struct find *f, struct find_exec *x)
{
	char *question, *line;
	size_t n;

	tsb_flush(f->p);
	question = tsb_format(f->p, "< %s ... %s > ? ", x->words[0], f->e->path);
	tsb_write_all(f->p, 2, question, strlen(question));
	tsb_free(f->p, question);
	if (!f->asked)
		tsb_reader_init(&f->answers, f->p, 0);
	f->asked = true;
	n = tsb_getdelim(&f->answers, &line, '\n');
	return n && (line[0] == 'y' || line[0] == 'Y');
}

static bool exec_one(struct find *f, struct find_pred *a)
{
	struct find_exec *x = a->u.exec;
	char *name, **argv, *dir;
	bool ok;

	if (x->asks && !exec_ask(f, x))
		return false;
	name = exec_name(f, x);
	dir = x->in_dir ? path_dir(f->p, f->e->path) : NULL;
	argv = tsb_alloc(f->p, (x->n + 1) * sizeof(*argv));
	for (size_t i = 0; i < x->n; i++)
		argv[i] = exec_fill(f, x->words[i], name);
	ok = exec_launch(f, x, (const char *const *)argv, dir);
	for (size_t i = 0; i < x->n; i++)
		tsb_free(f->p, argv[i]);
	tsb_free(f->p, argv);
	tsb_free(f->p, name);
	tsb_free(f->p, dir);
	return ok;
}

static bool exec_collect(struct find *f, struct find_pred *a)
{
	struct find_exec *x = a->u.exec;
	char *name = exec_name(f, x);
	size_t n = strlen(name) + 1;

	if (x->chars + n > EXEC_LINE_MAX)
		exec_run_line(f, x);
	if (x->in_dir && !x->dir)
		x->dir = path_dir(f->p, f->e->path);
	*vec_add(tsb_heap_of(f->p), &x->args) = name;
	x->chars += n;
	return true;
}

/* ---- Reading ---- */

/* With a relative directory in PATH, what is run would depend on what is found. */
static void exec_check_path(struct find *f)
{
	const char *path = tsb_getenv(f->p, "PATH");
	char *copy, *dir;

	if (!path || f->checked_path)
		return;
	f->checked_path = true;
	copy = tsb_strdup(f->p, path);
	while ((dir = strsep(&copy, ":"))) {
		if (!*dir || !strcmp(dir, "."))
			find_die(f, "The current directory is included in the PATH environment "
				 "variable, which is insecure in combination with the %s action of "
				 "find.  Please remove the current directory from your $PATH (that "
				 "is, remove \".\", doubled colons, or leading or trailing colons)",
				 f->predicate);
		if (*dir != '/')
			find_die(f, "The relative path %s is included in the PATH environment "
				 "variable, which is insecure in combination with the %s action of "
				 "find.  Please remove that entry from $PATH",
				 quote_text(f->p, dir), f->predicate);
	}
}

/* Index behind the command's last word: of the ";" or the "+" that ends it. */
static int exec_end(struct find *f, bool plus_allowed, bool *many)
{
	bool brace_before = false;
	int braces = 0, i;

	for (i = f->at; i < f->argc && strcmp(f->argv[i], ";"); i++) {
		if (plus_allowed && brace_before && !strcmp(f->argv[i], "+")) {
			*many = true;
			break;
		}
		brace_before = strstr(f->argv[i], "{}") != NULL;
		braces += brace_before;
	}
	if (!*many)
		return i;
	if (braces > 1)
		find_die(f, "Only one instance of {} is supported with %s ... +", f->predicate);
	if (strcmp(f->argv[i - 1], "{}"))
		find_die(f, "In %s the %s must appear by itself, but you specified %s",
			 quote_text(f->p, tsb_format(f->p, "%s ... {} +", f->predicate)),
			 quote_text(f->p, "{}"), quote_text(f->p, f->argv[i - 1]));
	return i;
}

bool find_read_exec(struct find *f, int letter)
{
	bool many = false, asks = letter == 'o' || letter == 'O';
	struct find_exec *x;
	int end;

	if (f->at >= f->argc)
		return false;
	if (letter == 'E' || letter == 'O')
		exec_check_path(f);
	end = exec_end(f, !asks, &many);
	if (end == f->at || end == f->argc) {
		f->at = end;
		return false;
	}
	x = tsb_alloc(f->p, sizeof(*x));
	x->name = f->predicate;
	x->words = f->argv + f->at;
	x->n = (size_t)(end - f->at) - many;
	x->many = many;
	x->in_dir = letter == 'E' || letter == 'O';
	x->asks = asks;
	f->at = end + 1;
	f->prints = true;
	f->asks |= asks;
	*vec_add(tsb_heap_of(f->p), &f->execs) = x;
	if (many)
		exec_begin_line(f, x);
	find_add(f, many ? exec_collect : exec_one)->u.exec = x;
	return true;
}
