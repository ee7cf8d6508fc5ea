/*
 * A sed script to commands. The texts of the messages and the places they name
 * are GNU's: characters of an expression read so far, or the line of a file.
 */
#include "cmd/sed.h"

#include <errno.h>
#include <string.h>

#include "base/map.h"
#include "cmd/util.h"

/* ---- Messages ---- */

static void say(struct sed *s, const char *text)
{
	const char *all = tsb_format(s->p, "%s: %s\n", tsb_name(s->p), text);

	sink_flush(&s->std_out.sink);
	tsb_flush(s->p);
	tsb_write_all(s->p, 2, all, strlen(all));
}

static __attribute__((format(printf, 2, 0)))
const char *message(struct sed *s, const char *fmt, va_list ap)
{
	struct str text;

	str_init(&text, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	str_addvf(&text, fmt, ap);
	return str_take(&text, NULL);
}

void sed_panic(struct sed *s, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(s, message(s, fmt, ap));
	va_end(ap);
	if (s->temp)
		tsb_unlink(s->p, s->temp);
	tsb_exit(s->p, status);
}

void sed_bad(struct sed_parser *q, const char *fmt, ...)
{
	struct sed *s = q->s;
	const char *what;
	va_list ap;

	va_start(ap, fmt);
	what = message(s, fmt, ap);
	va_end(ap);
	if (q->script && q->script->file)
		say(s, tsb_format(s->p, "file %s line %zu: %s", q->script->file, q->line, what));
	else
		say(s, tsb_format(s->p, "-e expression #%u, char %zu: %s", q->expression,
				  q->script ? q->at : 0, what));
	tsb_exit(s->p, SED_BAD_USAGE);
}

/* ---- Characters ---- */

int sed_get(struct sed_parser *q)
{
	int c;

	if (q->at >= q->script->n) {
		q->ended = true;
		return -1;
	}
	c = (unsigned char)q->script->text[q->at++];
	q->line += c == '\n';
	return c;
}

void sed_unget(struct sed_parser *q, int c)
{
	if (c < 0)
		return;
	q->at--;
	q->line -= c == '\n';
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t';
}

static bool is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

int sed_get_nonblank(struct sed_parser *q)
{
	int c;

	do
		c = sed_get(q);
	while (is_blank(c));
	return c;
}

uint64_t sed_get_number(struct sed_parser *q, int first)
{
	uint64_t n = 0;
	int c = first;

	for (; is_digit(c); c = sed_get(q))
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(c - '0'), &n))
			n = UINT64_MAX;
	sed_unget(q, c);
	return n;
}

static void end_of_command(struct sed_parser *q)
{
	int c = sed_get_nonblank(q);

	if (c == '}' || c == '#')
		sed_unget(q, c);
	else if (c >= 0 && c != '\n' && c != ';' && c != '\r')
		sed_bad(q, "extra characters after command");
}

/* ---- Words ---- */

const char *sed_get_file_name(struct sed_parser *q)
{
	struct str name;
	int c;

	if (q->s->sandbox)
		sed_bad(q, "e/r/w commands disabled in sandbox mode");
	str_init(&name, tsb_heap_of(q->s->p), STR_MAX_DEFAULT);
	for (c = sed_get_nonblank(q); c >= 0 && c != '\n'; c = sed_get(q))
		str_addc(&name, c);
	if (!name.n)
		sed_bad(q, "missing filename in r/R/w/W commands");
	return str_take(&name, NULL);
}

struct sed_out *sed_get_out(struct sed_parser *q)
{
	return sed_out_open(q->s, sed_get_file_name(q));
}

static const char *get_label(struct sed_parser *q)
{
	struct str name;
	int c;

	str_init(&name, tsb_heap_of(q->s->p), STR_MAX_DEFAULT);
	for (c = sed_get_nonblank(q); c >= 0 && !is_space(c) && c != ';' && c != '}' && c != '#';
	     c = sed_get(q))
		str_addc(&name, c);
	sed_unget(q, c);
	return str_take(&name, NULL);
}

/* ---- Addresses ---- */

static void get_regex_address(struct sed_parser *q, struct sed_addr *a, int delimiter)
{
	struct str text;
	unsigned flags = 0;

	if (delimiter < 0 || !sed_get_delimited(q, delimiter, true, &text))
		sed_bad(q, "unterminated address regex");
	for (;;) {
		int c = sed_get_nonblank(q);

		if (c == 'I' && !q->s->strict) {
			flags |= REGEX_ICASE;
		} else if (c == 'M' && !q->s->strict) {
			flags |= REGEX_NEWLINE;
		} else {
			sed_unget(q, c);
			break;
		}
	}
	a->kind = SED_MATCH;
	a->re = sed_regex_new(q, &text, flags);
}

/* Steps of N~M: a number that may be missing. */
static uint64_t get_step(struct sed_parser *q)
{
	return sed_get_number(q, sed_get_nonblank(q));
}

static bool get_address(struct sed_parser *q, struct sed_addr *a, int c)
{
	*a = (struct sed_addr){ .kind = SED_LINE };
	if (c == '/') {
		get_regex_address(q, a, c);
	} else if (c == '\\') {
		get_regex_address(q, a, sed_get(q));
	} else if (is_digit(c)) {
		a->n = sed_get_number(q, c);
		c = sed_get_nonblank(q);
		if (c != '~' || q->s->strict) {
			sed_unget(q, c);
			return true;
		}
		a->step = get_step(q);
		if (a->step)
			a->kind = SED_STEP;
	} else if ((c == '+' || c == '~') && !q->s->strict) {
		a->n = get_step(q);
		a->kind = c == '+' ? SED_PLUS : SED_MULTIPLE;
	} else if (c == '$') {
		a->kind = SED_LAST;
	} else {
		return false;
	}
	return true;
}

static struct sed_addr *keep_address(struct sed_parser *q, const struct sed_addr *a)
{
	struct sed_addr *copy = tsb_alloc(q->s->p, sizeof(*copy));

	*copy = *a;
	return copy;
}

/* Both addresses and "!"; the character behind them. */
static int get_addresses(struct sed_parser *q, struct sed_cmd *cmd, int c)
{
	struct sed_addr a;

	if (get_address(q, &a, c)) {
		/* "~" or "~0" alone is every line. */
		if (a.kind == SED_MULTIPLE && !a.n)
			a = (struct sed_addr){ .kind = SED_STEP, .step = 1 };
		if (a.kind == SED_PLUS || a.kind == SED_MULTIPLE)
			sed_bad(q, "invalid usage of +N or ~N as first address");
		cmd->a1 = keep_address(q, &a);
		c = sed_get_nonblank(q);
		if (c == ',') {
			if (!get_address(q, &a, sed_get_nonblank(q)))
				sed_bad(q, "unexpected `,'");
			cmd->a2 = keep_address(q, &a);
			c = sed_get_nonblank(q);
		}
		if (cmd->a1->kind == SED_LINE && !cmd->a1->n &&
		    !(cmd->a2 ? cmd->a2->kind == SED_MATCH && !q->s->strict : c == 'r'))
			sed_bad(q, "invalid usage of line address 0");
	}
	if (c != '!')
		return c;
	cmd->bang = true;
	c = sed_get_nonblank(q);
	if (c == '!')
		sed_bad(q, "multiple `!'s");
	return c;
}

/* ---- Commands ---- */

static void comment(struct sed_parser *q, bool at_start)
{
	int c = sed_get(q);

	/* Whatever follows: "#no" is as good as "#n". */
	if (at_start && c == 'n')
		q->s->quiet = true;
	while (c >= 0 && c != '\n')
		c = sed_get(q);
}

static void one_address(struct sed_parser *q, const struct sed_cmd *cmd)
{
	if (cmd->a2)
		sed_bad(q, "command only uses one address");
}

static void open_block(struct sed_parser *q, size_t index)
{
	q->blocks = util_grow(q->s->p, q->blocks, q->n_blocks, &q->cap_blocks, sizeof(*q->blocks));
	q->blocks[q->n_blocks++] = (struct sed_block){ index, q->script, q->line, q->expression };
}

static void close_block(struct sed_parser *q, const struct sed_cmd *cmd, size_t index)
{
	if (!q->n_blocks)
		sed_bad(q, "unexpected `}'");
	if (cmd->a1)
		sed_bad(q, "} doesn't want any addresses");
	end_of_command(q);
	q->s->cmds[q->blocks[--q->n_blocks].index].jump = index;
}

static void number_command(struct sed_parser *q, struct sed_cmd *cmd)
{
	int c;

	if (cmd->cmd == 'q' || cmd->cmd == 'Q')
		one_address(q, cmd);
	c = sed_get_nonblank(q);
	cmd->number = -1;
	if (is_digit(c)) {
		uint64_t n = sed_get_number(q, c);

		cmd->number = n > INT32_MAX ? INT32_MAX : (int64_t)n;
	} else {
		sed_unget(q, c);
	}
	end_of_command(q);
}

static void label_command(struct sed_parser *q, struct sed_cmd *cmd)
{
	if (cmd->cmd == ':') {
		if (cmd->a1)
			sed_bad(q, ": doesn't want any addresses");
		cmd->label = get_label(q);
		if (!*cmd->label)
			sed_bad(q, "\":\" lacks a label");
		return;
	}
	cmd->label = get_label(q);
}

static void version_command(struct sed_parser *q)
{
	const char *v = get_label(q);
	unsigned major = 0, minor = 0;

	for (; is_digit(*v); v++)
		major = major * 10 + (unsigned)(*v - '0');
	if (*v == '.')
		for (v++; is_digit(*v); v++)
			minor = minor * 10 + (unsigned)(*v - '0');
	if (major > 4 || (major == 4 && minor > 9))
		sed_bad(q, "expected newer version of sed");
	end_of_command(q);
}

static void shell_command(struct sed_parser *q, struct sed_cmd *cmd)
{
	int c;

	if (q->s->sandbox)
		sed_bad(q, "e/r/w commands disabled in sandbox mode");
	c = sed_get_nonblank(q);
	if (c < 0 || c == '\n')
		return;
	sed_unget(q, c);
	sed_read_text(q, cmd);
}

static void strict_command(struct sed_parser *q, const struct sed_cmd *cmd)
{
	if (!q->s->strict || !cmd->cmd)
		return;
	if (strchr("eFvzLQTRW", cmd->cmd))
		sed_bad(q, "unknown command: `%c'", cmd->cmd);
	if (strchr("ail=r", cmd->cmd))
		one_address(q, cmd);
}

/* The rest of a command, by its letter. */
static void get_command(struct sed_parser *q, struct sed_cmd *cmd, size_t index)
{
	strict_command(q, cmd);
	switch (cmd->cmd) {
	case '{': open_block(q, index); break;
	case '}': close_block(q, cmd, index); break;
	case 'a': case 'i': case 'c': sed_read_text(q, cmd); break;
	case 'e': shell_command(q, cmd); break;
	case ':': case 'b': case 't': case 'T': label_command(q, cmd); break;
	case 'q': case 'Q': case 'l': case 'L': number_command(q, cmd); break;
	case 'r': cmd->file = sed_get_file_name(q); break;
	case 'R': cmd->in = sed_in_open(q->s, sed_get_file_name(q)); break;
	case 'w': case 'W': cmd->out = sed_get_out(q); break;
	case 's': sed_parse_subst(q, cmd); break;
	case 'y':
		sed_parse_map(q, cmd);
		end_of_command(q);
		break;
	case 'v': version_command(q); break;
	case '=': case 'd': case 'D': case 'F': case 'g': case 'G': case 'h': case 'H': case 'n':
	case 'N': case 'p': case 'P': case 'z': case 'x':
		end_of_command(q);
		break;
	default:
		sed_bad(q, "unknown command: `%c'", cmd->cmd);
	}
}

static void parse_script(struct sed_parser *q)
{
	struct sed *s = q->s;
	int c;

	if (!sed_continue_text(q))
		return;
	while ((c = sed_get(q)) >= 0) {
		struct sed_cmd *cmd;

		if (c == ';' || is_space(c))
			continue;
		s->cmds = util_grow(s->p, s->cmds, s->n_cmds, &s->cap_cmds, sizeof(*s->cmds));
		cmd = &s->cmds[s->n_cmds];
		*cmd = (struct sed_cmd){ .number = -1 };
		c = get_addresses(q, cmd, c);
		if (c < 0)
			sed_bad(q, "missing command");
		if (c == '#') {
			if (cmd->a1)
				sed_bad(q, "comments don't accept any addresses");
			comment(q, q->script == s->scripts && q->at == 1);
			continue;
		}
		cmd->cmd = (char)c;
		s->n_cmds++;
		get_command(q, cmd, s->n_cmds - 1);
		tsb_tick(s->p, 1);
	}
}

/* ---- Labels ---- */

static void find_labels(struct sed *s)
{
	struct map labels;

	map_init(&labels, tsb_heap_of(s->p));
	for (size_t i = 0; i < s->n_cmds; i++) {
		struct map_entry *e;

		if (s->cmds[i].cmd != ':')
			continue;
		e = map_put(&labels, s->cmds[i].label, strlen(s->cmds[i].label));
		if (!e->value)
			e->value = (void *)(uintptr_t)(i + 1);
	}
	/* From the end, because the last one that is wrong is told of. */
	for (size_t i = s->n_cmds; i--; ) {
		struct sed_cmd *c = &s->cmds[i];
		struct map_entry *e;

		if (c->cmd != 'b' && c->cmd != 't' && c->cmd != 'T')
			continue;
		c->jump = s->n_cmds;
		if (!*c->label)
			continue;
		e = map_find(&labels, c->label, strlen(c->label));
		if (!e)
			sed_panic(s, SED_PANIC, "can't find label for jump to `%s'", c->label);
		c->jump = (size_t)(uintptr_t)e->value - 1;
	}
	map_end(&labels);
}

void sed_compile(struct sed *s)
{
	struct sed_parser q = { .s = s };

	for (size_t i = 0; i < s->n_scripts; i++) {
		q.script = &s->scripts[i];
		q.at = 0;
		q.line = 1;
		q.expression += !q.script->file;
		parse_script(&q);
	}
	q.script = NULL;
	sed_end_text(&q);
	if (q.n_blocks) {
		const struct sed_block *b = &q.blocks[q.n_blocks - 1];

		q.script = b->script->file ? b->script : NULL;
		q.line = b->line;
		q.expression = b->expression;
		sed_bad(&q, "unmatched `{'");
	}
	find_labels(s);
}
