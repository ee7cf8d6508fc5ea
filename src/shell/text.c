/*
 * Text that becomes commands: eval, trap actions, sourced files, whole scripts,
 * scripts read from a descriptor.
 *
 * Each line, or as many as a command needs, is run before the next is parsed.
 * A script on a descriptor that its own commands read from as well (bash < file)
 * is not even read further.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "shell/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/utf8.h"

static const char *alias_value(void *ctx, const char *name, size_t n)
{
	struct shell *sh = ctx;
	struct map_entry *e = map_find(&sh->aliases, name, n);

	return e ? e->value : NULL;
}

static void parse_tick(void *ctx, size_t steps)
{
	struct shell *sh = ctx;

	tsb_tick(sh->p, steps);
}

struct parse_options shell_parse_options(struct shell *sh, const char *name, uint32_t line)
{
	const struct tsb_limits *limits = sh->p ? kernel_limits(proc_kernel(sh->p)) : NULL;
	struct parse_options opt = {
		.name = name, .line = line, .extglob = sh->opts[SHOPT_EXTGLOB],
		.posix = sh->opts[OPT_POSIX],
		.depth_max = limits ? (unsigned)limits->parse_depth : 200,
		.source_max = limits ? limits->source_bytes : SIZE_MAX,
		.ctx = sh, .tick = sh->p ? parse_tick : NULL,
	};

	if (sh->opts[SHOPT_EXPAND_ALIASES] && sh->aliases.n)
		opt.alias = alias_value;
	translations_wanted(sh, &opt);
	return opt;
}

/* BASH_SOURCE of functions that the running text defines. */
static const char *current_source(const struct shell *sh)
{
	if (sh->calls && sh->calls->file)
		return sh->calls->file;
	return sh->command_string ? "environment" : "main";
}

static void error_init(struct shell *sh, struct parse_error *err)
{
	memset(err, 0, sizeof(*err));
	str_init(&err->message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err->detail, sh->heap, STR_MAX_DEFAULT);
}

static void error_end(struct parse_error *err)
{
	str_end(&err->message);
	str_end(&err->detail);
}

/* An error in an array's literal, or in a substitution. */
static enum flow parse_failed_inside(struct shell *sh, const struct parse_error *err)
{
	enum flow f = err->scope == PARSE_ARRAY && !sh->is_subshell ? FLOW_NEXT : FLOW_EXIT;

	sh->status = 1;
	if (err->scope == PARSE_SUBSTITUTION && !sh->is_subshell) {
		if (sh->command_string)
			sh->status = 127;
		else if (sh->call_depth == 0)
			sh->status = STATUS_USAGE;
	}
	pipe_status_is(sh);
	return f;
}

static enum flow parse_failed(struct shell *sh, struct parse_error *err, const char *what)
{
	bool ends = sh->opts[OPT_ERREXIT] && !sh->errexit_off;

	if (err->limit)
		proc_limit(sh->p, err->too_long ? "source_bytes" : "parse_depth");
	if (ends)	/* with the first line of the message */
		str_reset(&err->detail);
	if (err->message.n)
		parse_message(sh, err, what);
	if (ends) {
		sh->status = STATUS_USAGE;
		return FLOW_EXIT;
	}
	if (err->scope != PARSE_COMMAND && !err->limit &&
	    (err->scope == PARSE_ARRAY || !err->incomplete))
		return parse_failed_inside(sh, err);
	if ((err->as_end || (err->in_token && sh->status)) && sh->call_depth == 0 && !doing(sh)->running_traps)
		return FLOW_NEXT;
	sh->status = STATUS_USAGE;
	pipe_status_is(sh);
	return FLOW_NEXT;
}

/* What the process must give back if it is dropped. */
static void hold(struct shell *sh, struct script *s)
{
	struct script **held = vec_add(sh->heap, &doing(sh)->held);

	if (held)
		*held = s;
}

static void let_go(struct shell *sh)
{
	if (doing(sh)->held.n)
		script_drop(vec_pop(&doing(sh)->held));
}

/* Runs a parsed script that is ours to drop. */
static enum flow run_script(struct shell *sh, struct script *s)
{
	const struct node *simple = doing(sh)->simple;
	enum flow f;

	hold(sh, s);
	f = eval_script(sh, s);
	doing(sh)->simple = simple;
	let_go(sh);
	return f;
}

/* set -v: the lines as they are read. */
static void verbose_print(struct shell *sh, const struct parse_lines *l, size_t from, size_t to)
{
	const char *text = l->source->text;

	if (!sh->opts[OPT_VERBOSE] || to <= from)
		return;
	tsb_write_all(sh->p, 2, text + from, to - from);
	if (text[to - 1] != '\n')
		tsb_write_all(sh->p, 2, "\n", 1);
}

/* Up to the end of the line that has a syntax error. */
static size_t verbose_end(const struct parse_lines *l, const struct parse_error *err)
{
	const char *text = l->source->text;
	size_t at = err->pos < l->source->n && !err->incomplete ? err->pos : l->source->n;
	const char *end = memchr(text + at, '\n', l->source->n - at);

	return end ? (size_t)(end - text) + 1 : l->source->n;
}

/* The next line; false: there is none, or it is wrong, or ended what runs. */
static bool run_line(struct shell *sh, struct parse_lines *l, struct parse_error *err,
		     enum flow *f)
{
	struct doing *d = doing(sh);
	struct parse_options opt = shell_parse_options(sh, current_source(sh), 0);
	bool verbose = sh->opts[OPT_VERBOSE], exec_last = d->exec_last;
	size_t from = l->pos;
	struct script *s;

	opt.warn = parse_warned;
	s = parse_lines_next(l, &opt, err);

	if (verbose)
		verbose_print(sh, l, from, err->failed ? verbose_end(l, err) : l->pos);
	if (!s)
		return false;
	parse_warnings(sh, s);
	d->exec_last = exec_last && parse_lines_done(l);
	if (sh->opts[OPT_HISTORY] && s->body && !d->inner)
		history_line(sh, l->source->text + from, l->pos - from);
	*f = run_script(sh, s);
	if (*f == FLOW_EXIT && sh->opts[OPT_NOEXEC] && !sh->interactive && !sh->call_depth)
		*f = FLOW_NEXT;	/* set -n: the rest is still read */
	d->history_saved &= !sh->opts[OPT_HISTORY];	/* set +o history: its own line is still the last */
	d->exec_last = exec_last;
	l->line -= d->line_lost;	/* bash counts on from the line of an error */
	d->line_lost = 0;
	return *f == FLOW_NEXT;
}

/* Behind an error in an array's literal bash goes on with the next line. */
static bool line_skipped(struct shell *sh, struct parse_lines *l, struct parse_error *err,
			 const char *what, enum flow *f)
{
	const char *text = l->source->text, *newline;
	size_t from = err->pos < l->pos ? l->pos : err->pos;

	if (!err->failed || err->scope != PARSE_ARRAY || err->incomplete || err->limit)
		return false;
	*f = parse_failed(sh, err, what);
	error_end(err);
	error_init(sh, err);
	newline = from < l->source->n ? memchr(text + from, '\n', l->source->n - from) : NULL;
	from = newline ? (size_t)(newline - text) + 1 : l->source->n;
	for (; l->pos < from; l->pos++)
		l->line += text[l->pos] == '\n';
	return *f == FLOW_NEXT;
}

/* An error in a text, told. */
static enum flow text_failed(struct shell *sh, struct parse_error *err, const char *what)
{
	enum flow f = parse_failed(sh, err, what);

	return sh->call_depth <= 1 && sh->opts[OPT_POSIX] && !doing(sh)->commanded ? FLOW_EXIT : f;
}

/* Then each line is looked at before more of it is parsed. */
static bool expands_history(const struct shell *sh)
{
	return sh->opts[OPT_HISTORY] && sh->opts[OPT_HISTEXPAND] && !doing(sh)->inner;
}

static enum flow run_rest(struct shell *sh, const struct parse_lines *l, const char *what);

enum flow run_text(struct shell *sh, const char *text, size_t n, const char *name, uint32_t line,
		   const char *what)
{
	struct parse_options opt = shell_parse_options(sh, name, line);
	struct parse_lines l;
	struct parse_error err;
	enum flow f = FLOW_NEXT;

	error_init(sh, &err);
	if (parse_lines_begin(&l, doing(sh)->script_heap, text, n, &opt, &err)) {
		bool ran = false;

		hold(sh, l.source);
		while (l.pos < l.source->n && !expands_history(sh) &&
		       (run_line(sh, &l, &err, &f) ||
			(f == FLOW_NEXT && line_skipped(sh, &l, &err, what, &f))))
			ran = true;
		if (f == FLOW_NEXT && !err.failed && !parse_lines_done(&l) && expands_history(sh)) {
			f = run_rest(sh, &l, what);
			ran = true;
		}
		if (!ran && f == FLOW_NEXT && !err.failed)
			sh->status = 0;
		let_go(sh);
	}
	if (err.failed)
		f = text_failed(sh, &err, what);
	error_end(&err);
	return f;
}

/* A text within a command, which BASH_COMMAND shows again afterwards. */
static enum flow run_inner(struct shell *sh, const char *text, size_t n, const char *name,
			   uint32_t line, const char *what)
{
	struct script *script = (struct script *)(uintptr_t)sh->script;
	const struct node *current = sh->current;
	enum flow f;

	if (script)
		script_ref(script);
	doing(sh)->inner++;
	f = run_text(sh, text, n, name, line, what);
	doing(sh)->inner--;
	command_script(sh, script);
	sh->current = current;
	script_drop(script);
	return f;
}

enum flow eval_text(struct shell *sh, const char *text, size_t n, const char *name, uint32_t line)
{
	enum flow f;

	if (!shell_deeper(sh)) {
		sh->status = 1;
		return FLOW_ABORT;
	}
	sh->call_depth++;
	f = run_inner(sh, text, n, name, line, name);
	sh->call_depth--;
	return f;
}

/* ---- From a descriptor ---- */

struct piece {			/* lines not yet run */
	struct str text;
	uint32_t line;		/* number of its first line */
	uint32_t lines;		/* how many were read: events may have made it more */
};

/* Parses what there is. true: it was run, or was wrong; false: more is needed. */
static bool piece_try(struct shell *sh, struct piece *pc, bool at_end, const char *what,
		      enum flow *flow)
{
	struct parse_options opt = shell_parse_options(sh, current_source(sh), pc->line);
	struct parse_error err;
	struct script *s;
	bool done = true;

	opt.warn = at_end ? parse_warned : NULL;
	error_init(sh, &err);
	s = parse_script(doing(sh)->script_heap, pc->text.p, pc->text.n, &opt, &err);
	if (s && s->warnings && !at_end) {	/* a here-document that goes on */
		script_drop(s);
		error_end(&err);
		return false;
	}
	if (s)
		parse_warnings(sh, s);
	/* At a prompt what was wrong, or is only a comment, is remembered too. */
	if (sh->opts[OPT_HISTORY] && (s ? s->body || sh->prompts : sh->prompts && (!err.incomplete || at_end)))
		history_line(sh, pc->text.p, pc->text.n);
	if (s) {
		if (s->body)
			*flow = run_script(sh, s);
		else
			script_drop(s);
	} else if (err.incomplete && !at_end) {
		done = false;
	} else {
		*flow = parse_failed(sh, &err, what);
		if (err.scope != PARSE_ARRAY || err.incomplete)
			*flow = FLOW_EXIT;
		if (sh->prompts)
			*flow = FLOW_NEXT;
	}
	doing(sh)->history_saved &= !sh->opts[OPT_HISTORY];
	error_end(&err);
	return done;
}

/* A line that certainly goes on: no use in parsing yet. */
static bool line_continues(const struct str *text)
{
	return text->n > 1 && text->p[text->n - 1] == '\n' && text->p[text->n - 2] == '\\';
}

static void piece_next(struct piece *pc)
{
	pc->line += pc->lines;
	pc->lines = 0;
	str_reset(&pc->text);
}

/* Where the next line begins: within which quote, or 0. */
static char piece_quote(const struct piece *pc, size_t n)
{
	const char *s = pc->text.p;
	char quote = '\0';

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\' && quote != '\'')
			i++;
		else if (quote ? s[i] == quote : s[i] == '\'' || s[i] == '"')
			quote = quote ? '\0' : s[i];
		else if (s[i] == '#' && !quote && (!i || strchr(" \t\n;&|()", s[i - 1])))
			while (i + 1 < n && s[i + 1] != '\n')
				i++;
	}
	return quote;
}

/* Is there a line of its own in text, with or without tabs in front? */
static bool has_line(const char *text, size_t n, struct slice word, bool tabs)
{
	for (size_t at = 0; at < n;) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t to = end ? (size_t)(end - text) : n;

		while (tabs && at < to && text[at] == '\t')
			at++;
		if (to - at == word.n && !memcmp(text + at, word.p, word.n))
			return true;
		at = to + 1;
	}
	return false;
}

/* Is what comes at n the text of a here-document, maybe in a substitution? No events there. */
static bool piece_in_here(const struct piece *pc, size_t n)
{
	const char *s = pc->text.p;

	for (size_t i = 0; i + 2 < n; i++) {
		bool tabs = s[i + 2] == '-';
		size_t from = i + 2 + tabs, to;

		if (s[i] != '<' || s[i + 1] != '<' || (i && s[i - 1] == '<') || s[i + 2] == '<')
			continue;
		while (from < n && strchr(" \t'\"\\", s[from]))
			from++;
		for (to = from; to < n && !strchr(" \t\n'\"\\;&|<>()", s[to]); to++)
			;
		if (to > from && !has_line(s + to, n - to, (struct slice){ s + from, to - from }, tabs))
			return true;
	}
	return false;
}

/* The line from `from` on, with its events put in; false: it is given up. */
static bool piece_expand(struct shell *sh, struct piece *pc, size_t from)
{
	size_t n = pc->text.n - from;
	bool newline = n && pc->text.p[pc->text.n - 1] == '\n';
	struct str out;
	int r;

	if (!expands_history(sh) || n == newline || piece_in_here(pc, from))
		return true;
	str_init(&out, sh->heap, STR_MAX_DEFAULT);
	r = history_expand(sh, pc->text.p + from, n - newline, piece_quote(pc, from), &out);
	if (r < 0) {
		sh->line = pc->line + pc->lines;
		shell_error(sh, "%s", out.p);
	}
	if (r == 2)
		history_line(sh, out.p, out.n);
	if (newline)
		str_addc(&out, '\n');
	if (r > 0)
		tsb_write_all(sh->p, 2, out.p, out.n);
	if (r != 0) {
		str_cut(&pc->text, from);
		if (r == 1)
			str_addn(&pc->text, out.p, out.n);
	}
	str_end(&out);
	return r == 0 || r == 1;
}

struct line_source {
	int fd;			/* or the rest of a text: */
	const char *text;	/* NULL: fd */
	size_t n;
	bool seekable;
	bool end;
	bool broken;
};

/* A file or stream that ends with a backslash ends before it: bash waits for more. */
void text_cut_backslash(struct str *text)
{
	size_t n = 0;

	while (n < text->n && text->p[text->n - 1 - n] == '\\')
		n++;
	if (n % 2)
		str_cut(text, text->n - 1);
}

/* One line; nothing behind it is taken from the descriptor. */
static void read_line(struct shell *sh, struct line_source *src, struct str *out)
{
	char buf[512];

	if (src->text) {
		const char *end = memchr(src->text, '\n', src->n);
		size_t n = end ? (size_t)(end - src->text) + 1 : src->n;

		str_addn(out, src->text, n);
		src->text += n;
		src->n -= n;
		src->end = !src->n;
		return;
	}
	for (;;) {
		ssize_t n = tsb_read(sh->p, src->fd, buf, src->seekable ? sizeof(buf) : 1);
		const char *end = n > 0 ? memchr(buf, '\n', (size_t)n) : NULL;

		if (n == -EINTR) {
			if (trap_pending(sh) == FLOW_ABORT)	/* Ctrl-C at a prompt */
				src->broken = true;
			else
				continue;
			return;
		}
		if (n <= 0) {
			src->end = true;
			return;
		}
		if (!end) {
			str_addn(out, buf, (size_t)n);
			continue;
		}
		str_addn(out, buf, (size_t)(end - buf) + 1);
		if (end + 1 < buf + n)
			tsb_lseek(sh->p, src->fd, -(int64_t)(buf + n - end - 1), SEEK_CUR);
		return;
	}
}

/* On a terminal: PROMPT_COMMAND, then PS1; PS2 for what goes on. */
static struct slice prompt_text(struct shell *sh, bool goes_on)
{
	struct slice v, text;

	if (!goes_on && var_get_text(sh, "PROMPT_COMMAND", &v) && v.n) {
		int status = sh->status;

		eval_text(sh, v.p, v.n, "PROMPT_COMMAND", 1);
		sh->status = status;
	}
	if (var_get_text(sh, goes_on ? "PS2" : "PS1", &v) &&
	    expand_prompt(sh, v.p, v.n, &text) == FLOW_NEXT)
		return text;
	return (struct slice){ "", 0 };
}

static void read_typed(struct shell *sh, struct line_source *src, struct str *out)
{
	struct slice prompt;
	char *text;

	job_reap(sh);
	jobs_notify(sh);
	prompt = prompt_text(sh, out->n > 0);
	doing(sh)->prompts_shown++;

	if ((!sh->opts[OPT_EMACS] && !sh->opts[OPT_VI]) || !edit_works(sh, src->fd)) {
		tsb_write_all(sh->p, 2, prompt.p, prompt.n);
		read_line(sh, src, out);
		return;
	}
	text = heap_dup(sh->heap, prompt.p, prompt.n);
	switch (edit_line(sh, src->fd, text, NULL, false, -1, out)) {
	case EDIT_BROKEN:
		src->broken = true;
		break;
	case EDIT_AT_END:
		src->end = true;
		break;
	default:
		str_addc(out, '\n');
	}
	heap_free(sh->heap, text);
}

/* What a person types goes on after what ends a script. */
static enum flow prompt_again(struct shell *sh, struct line_source *src, struct piece *pc,
			      enum flow f)
{
	if (src->broken) {
		src->broken = false;
		piece_next(pc);
	}
	if (src->end && f == FLOW_NEXT)
		tsb_write_all(sh->p, 2, "exit\n", 5);
	if (src->end || f == FLOW_EXIT)
		history_save(sh);
	return f == FLOW_ABORT ? FLOW_NEXT : f;
}

static enum flow run_source(struct shell *sh, struct line_source *src, uint32_t line, const char *what)
{
	struct piece pc = { .line = line };
	enum flow f = FLOW_NEXT;

	str_init(&pc.text, sh->heap, STR_MAX_DEFAULT);
	while (!src->end && f == FLOW_NEXT) {
		size_t from = pc.text.n;

		if (sh->prompts && !src->text)
			read_typed(sh, src, &pc.text);
		else
			read_line(sh, src, &pc.text);
		if (src->end && !src->text)
			text_cut_backslash(&pc.text);
		if (src->broken) {
			f = prompt_again(sh, src, &pc, f);
			continue;
		}
		if (sh->opts[OPT_VERBOSE])
			tsb_write_all(sh->p, 2, pc.text.p + from, pc.text.n - from);
		if (!piece_expand(sh, &pc, from)) {
			if (!src->end)
				continue;
		} else {
			pc.lines++;
		}
		if (!src->end && line_continues(&pc.text))
			continue;
		if (pc.text.n && !src->broken && piece_try(sh, &pc, src->end, what, &f))
			piece_next(&pc);
		if (sh->prompts)
			f = prompt_again(sh, src, &pc, f);
	}
	str_end(&pc.text);
	return f;
}

enum flow run_stream(struct shell *sh, int fd, const char *name)
{
	struct line_source src = { .fd = fd };

	(void)name;
	src.seekable = tsb_lseek(sh->p, fd, 0, SEEK_CUR) >= 0;
	return run_source(sh, &src, 1, NULL);
}

/* What is left of a text, line for line. */
static enum flow run_rest(struct shell *sh, const struct parse_lines *l, const char *what)
{
	struct line_source src = { .fd = -1, .text = l->source->text + l->pos, .n = l->source->n - l->pos };

	doing(sh)->exec_last = false;
	return run_source(sh, &src, l->line, what);
}

/* ---- Files ---- */

int file_read_all(struct shell *sh, int fd, struct str *out)
{
	char buf[4096];

	for (;;) {
		ssize_t n = tsb_read(sh->p, fd, buf, sizeof(buf));

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		str_addn(out, buf, (size_t)n);
		if (out->bad)
			return -EFBIG;
	}
}

/* What stands in the file of a command of this system: elsewhere that is a binary. */
static bool is_stub(const char *text, size_t n)
{
	static const char stub[] = "#!/usr/bin/tinysandbox-command ";

	return n >= sizeof(stub) && !memcmp(text, stub, sizeof(stub) - 1);
}

/* bash looks at the first line: a NUL in it means no script. */
bool text_is_binary(const char *text, size_t n)
{
	const char *end = memchr(text, '\n', n > 80 ? 80 : n);
	size_t first = end ? (size_t)(end - text) : n > 80 ? 80 : n;

	return memchr(text, '\0', first) != NULL || is_stub(text, n);
}

/* What is sourced is read on behind a NUL, without it. bash does not look at the byte
 * behind: a second NUL ends the text. Very many mean a binary. */
#define MAX_NULS 256

static int drop_nuls(struct str *text)
{
	size_t kept = 0, nuls = 0;
	const char *end;

	if (is_stub(text->p, text->n))
		return -ENOEXEC;
	if (!memchr(text->p, '\0', text->n))
		return 0;
	for (size_t i = 0; i < text->n; i++) {
		nuls += !text->p[i];
		if (text->p[i] || ++i < text->n)
			text->p[kept++] = text->p[i];
	}
	end = memchr(text->p, '\0', kept);
	str_cut(text, end ? (size_t)(end - text->p) : kept);
	return nuls > MAX_NULS ? -ENOEXEC : 0;
}

static int source_read(struct shell *sh, const char *path, struct str *text)
{
	int fd = tsb_open(sh->p, path, O_RDONLY, 0), err;
	struct tsb_stat st;

	if (fd < 0)
		return fd;
	err = tsb_fstat(sh->p, fd, &st);
	if (!err && S_ISDIR(st.mode))
		err = -EISDIR;
	if (!err)
		err = file_read_all(sh, fd, text);
	tsb_close(sh->p, fd);
	return err ? err : drop_nuls(text);
}

static enum flow source_run(struct shell *sh, const struct str *text, const char *shown, int argc,
			    char **argv)
{
	struct doing *d = doing(sh);
	struct call frame = { .up = sh->calls, .file = shown, .line = sh->line };
	struct frame_args outer = d->args;
	char *alone = arena_dup(&sh->turn, shown, strlen(shown));
	uint32_t line = sh->line;
	void *set_to = NULL;
	enum flow f;

	if (sh->opts[SHOPT_EXTDEBUG]) {
		frame.argv = argc ? argv : &alone;
		frame.n_argv = argc ? (size_t)argc : 1;
	}
	sh->calls = &frame;
	sh->builtin = NULL;	/* what fails in it is not the builtin's */
	sh->call_depth++;
	sh->source_depth++;
	d->trace_level++;
	if (argc) {
		d->args.owned = NULL;
		shell_set_args(sh, (size_t)argc, argv);
		set_to = d->args.owned;
	}
	f = run_inner(sh, text->p, text->n, shown, 1, NULL);
	if (f == FLOW_RETURN)
		f = FLOW_NEXT;
	if (trap_has(sh, TRAP_RETURN))
		trap_run(sh, TRAP_RETURN);
	/* arguments given to source go; if the file set new ones they stay */
	if (argc && d->args.owned == set_to) {
		heap_free(sh->heap, d->args.owned);
		d->args = outer;
		sh->args = outer.args;
		sh->n_args = outer.n;
	}
	d->trace_level--;
	sh->source_depth--;
	sh->call_depth--;
	sh->calls = frame.up;
	sh->line = line;
	return f;
}

enum flow source_file(struct shell *sh, const char *path, const char *shown, int argc, char **argv,
		      bool optional)
{
	struct str text;
	enum flow f = FLOW_NEXT;
	int err;

	if (!shell_deeper(sh)) {
		sh->status = 1;
		return FLOW_ABORT;
	}
	str_init(&text, sh->heap, kernel_limits(proc_kernel(sh->p))->source_bytes);
	err = source_read(sh, path, &text);
	if (err && optional) {
		err = 0;
	} else if (err == -EISDIR) {
		builtin_error(sh, "%s: is a directory", shown);
	} else if (err == -ENOEXEC) {
		builtin_error(sh, "%s: cannot execute binary file", path);
	} else if (err) {
		shell_error(sh, "%s: %s", shown, tsb_strerror(err));
		doing(sh)->misused = true;
		if (sh->opts[OPT_ERREXIT] && !sh->errexit_off)	/* at once, without an ERR trap */
			f = FLOW_EXIT;
	} else {
		sh->status = 0;
		f = source_run(sh, &text, shown, argc, argv);
	}
	if (err)
		sh->status = err == -ENOEXEC ? STATUS_NOT_EXECUTABLE : 1;
	str_end(&text);
	return f;
}
