/*
 * Boxes from C: a plan, a box, a command in it with its output and its end record, and the end.
 * An argument: the directory of tinybox-init, where it is not installed.
 */
#include <stdio.h>

#include <tinybox/box.h>

static int show(void *ctx, int fd, const void *data, size_t n)
{
	(void)ctx;
	printf("%s: %.*s", fd == 1 ? "out" : "err", (int)n, (const char *)data);
	return 0;
}

static int fail(struct tbx_store *store)
{
	fprintf(stderr, "%s\n", tbx_error(store));
	tbx_close(store);
	return 1;
}

static int run(struct tbx_store *store, const char *box)
{
	const char *argv[] = { "sh", "-c", "echo \"$GREETING\"; exit 3", NULL };
	const char *env[] = { "GREETING=hello from a box", NULL };
	struct tbx_exec e = TBX_EXEC_INIT;
	struct tbx_doc *end;

	e.argv = argv;
	e.env = env;
	e.output = show;
	e.deadline = 60 * 1000000000ull;
	if (tbx_exec(store, box, &e, &end))
		return 1;
	printf("%s, status %lld\n", tbx_doc_text(end, "reason"),
	       (long long)tbx_doc_number(end, "status", -1));
	tbx_doc_free(end);
	return 0;
}

int main(int argc, char **argv)
{
	struct tbx_options opt = TBX_OPTIONS_INIT;
	struct tbx_spec spec = TBX_SPEC_INIT;
	struct tbx_store *store;
	struct tbx_doc *box, *plan;

	opt.helper_dir = argc > 1 ? argv[1] : NULL;
	spec.sandbox = "namespace";
	spec.pids = 64;
	if (tbx_open(&store, &opt))
		return fail(store);
	if (tbx_plan(store, &spec, &plan))
		return fail(store);
	printf("%zu steps\n", tbx_doc_count(plan, "steps"));
	tbx_doc_free(plan);
	if (tbx_create(store, &spec, &box))
		return fail(store);
	printf("%s is %s, isolation %s\n", tbx_doc_text(box, "id"), tbx_doc_text(box, "state"),
	       tbx_doc_text(box, "isolation"));
	if (run(store, tbx_doc_text(box, "id")) || tbx_remove(store, tbx_doc_text(box, "id"), 0))
		return fail(store);
	tbx_doc_free(box);
	tbx_close(store);
	return 0;
}
