/*
 * tinybox: which command, its options, the store; and how failures are told.
 */
#include "cli/box/box.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/opt.h"
#include "base/utf8.h"

static void TSB_PRINTF(2, 0) say_error(const struct boxc *c, const char *fmt, va_list ap)
{
	const char *verb = c && c->cmd && c->cmd != &boxc_tool ? c->cmd->name : "";
	char *text = NULL, *line = NULL;

	fflush(stdout);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	if (asprintf(&line, "tinybox: %s%s%s\n", verb, *verb ? ": " : "", text ? text : "no memory") < 0)
		line = NULL;
	boxc_plain(line ? line : "tinybox: no memory\n");
	free(line);
	free(text);
}

int boxc_error(const struct boxc *c, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_error(c, fmt, ap);
	va_end(ap);
	return status;
}

int boxc_usage(const struct boxc *c, const char *fmt, ...)
{
	bool verb = c && c->cmd && c->cmd != &boxc_tool;
	va_list ap;

	va_start(ap, fmt);
	say_error(c, fmt, ap);
	va_end(ap);
	fprintf(stderr, "Try 'tinybox %s%s--help' for more information.\n", verb ? c->cmd->name : "",
		verb ? " " : "");
	return BOXC_USAGE;
}

int boxc_missing(const struct boxc *c)
{
	static const char options[] = "[OPTION]... ";
	const char *want = c->cmd->synopsis;

	if (!strncmp(want, options, sizeof(options) - 1))
		want += sizeof(options) - 1;
	return boxc_usage(c, "missing operand: it takes %.*s", (int)strcspn(want, "\n"), want);
}

/* For a program that reads us: the same on standard output. */
static void json_error(int status, const char *text)
{
	printf("{\"error\":{\"code\":\"%s\",\"text\":\"", tbx_status_name(status));
	for (size_t n = strlen(text), size; n; text += size, n -= size) {
		int32_t letter;

		size = utf8_decode(text, n, &letter);
		if (letter < 0 || letter == 127)
			putchar('?');
		else if (letter < ' ')
			printf("\\u%04x", (unsigned)letter);
		else
			printf(letter == '"' || letter == '\\' ? "\\%.*s" : "%.*s", (int)size, text);
	}
	puts("\"}}");
}

int boxc_failed(const struct boxc *c, int status)
{
	const char *text = tbx_error(c->tbx);
	int own = tbx_error_status(c->tbx);

	text = *text ? text : tbx_status_name(status);
	boxc_error(c, 0, "%s", text);
	if (c->json)
		json_error(status, text);
	if (status == TBX_ERR_COMMAND && own)
		return own;
	return status == TBX_ERR_ARGUMENT ? BOXC_USAGE : BOXC_OWN;
}

static void warn(void *ctx, const char *text)
{
	char *line = NULL;

	(void)ctx;
	if (asprintf(&line, "tinybox: %s\n", text) > 0)
		boxc_plain(line);
	free(line);
}

/* One line that is written over; nothing is left of it. */
static void progress(void *ctx, const char *what)
{
	char start[71];

	(void)ctx;
	snprintf(start, sizeof(start), "%s", what);
	fputs("\r\033[K", stderr);
	boxc_plain(start);
	fputc('\r', stderr);
}

static const struct boxc_verb *find_verb(const char *name)
{
	if (!strcmp(name, "list"))
		name = "ls";
	if (!strcmp(name, "remove"))
		name = "rm";
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++)
		if (!strcmp(v->cmd.name, name))
			return v;
	return NULL;
}

static int print_text(void (*text)(struct str *, const struct tsb_command *, const char *),
		      const struct tsb_command *cmd, struct tsb_heap *heap)
{
	char name[64];
	struct str out;

	snprintf(name, sizeof(name), "tinybox%s%s", cmd == &boxc_tool ? "" : " ",
		 cmd == &boxc_tool ? "" : cmd->name);
	str_init(&out, heap, STR_MAX_DEFAULT);
	text(&out, cmd, name);
	fwrite(out.p, 1, out.n, stdout);
	return boxc_flush(NULL, 0);
}

/* -1: go on; else the status to exit with. *c keeps what an earlier table said. */
static int parse(struct boxc *c, const struct tsb_command *cmd, struct tsb_heap *heap, int argc,
		 char **argv)
{
	const char *store = c->store;
	struct opt_parsed parsed;

	opt_parse(&parsed, cmd, heap, NULL, argc, argv);
	if (parsed.result == OPT_HELP)
		return print_text(opt_help, cmd, heap);
	if (parsed.result == OPT_VERSION)
		return print_text(opt_version, cmd, heap);
	c->cmd = cmd;
	if (parsed.result != OPT_RUN)
		return boxc_usage(c, "%s", parsed.error.p);
	memcpy(c, parsed.opts, sizeof(*c));
	c->store = c->store ? c->store : store;
	c->cmd = cmd;
	c->heap = heap;
	c->argc = parsed.argc;
	c->argv = parsed.argv;
	return -1;
}

static int open_store(struct boxc *c)
{
	struct tbx_options opt = TBX_OPTIONS_INIT;
	int status;

	opt.state_dir = c->store;
	opt.warning = warn;
	if (isatty(2))
		opt.progress = progress;
	status = tbx_open(&c->tbx, &opt);
	return status ? boxc_failed(c, status) : 0;
}

static int run_verb(struct boxc *c, const struct boxc_verb *verb)
{
	int status;

	if (c->argc < verb->least)
		return boxc_missing(c);
	if (verb->most >= 0 && c->argc > verb->most)
		return boxc_usage(c, "extra operand '%s'", c->argv[verb->most]);
	status = verb->run == boxc_completion ? 0 : open_store(c);
	if (!status)
		status = verb->run(c);
	tbx_close(c->tbx);
	return status;
}

/*
 * A descriptor 0, 1 or 2 that is closed would be taken by the next file. What goes to standard output
 * must not be lost without a word, so that one cannot be written.
 */
static void fill_standard(void)
{
	static const int mode[] = {O_RDONLY, O_RDONLY, O_RDWR};

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", mode[fd]);
}

int main(int argc, char **argv)
{
	struct tsb_heap *heap = heap_new(NULL, NULL, NULL, NULL);
	const struct boxc_verb *verb;
	struct boxc c = {0};
	int status;

	fill_standard();
	/* a file that may not grow is an error with a name */
	signal(SIGXFSZ, SIG_IGN);
	if (!heap)
		return boxc_error(NULL, BOXC_OWN, "no memory");
	status = parse(&c, &boxc_tool, heap, argc, argv);
	if (status < 0 && !c.argc)
		status = boxc_usage(&c, "missing command");
	if (status < 0) {
		verb = find_verb(c.argv[0]);
		if (!verb)
			status = boxc_usage(&c, "there is no command '%s'", c.argv[0]);
		else
			status = parse(&c, &verb->cmd, heap, c.argc, c.argv);
		if (status < 0)
			status = run_verb(&c, verb);
	}
	heap_end(heap);
	return status;
}
