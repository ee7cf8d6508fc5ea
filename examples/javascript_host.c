/*
 * What a program can offer to scripts: functions of its own, a prelude that all
 * scripts begin with, and the answers to fetch().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tinysandbox/js.h>
#include <tinysandbox/sandbox.h>

/* sandbox.stock(name): how many there are. Real programs read the JSON with a library. */
static void stock(void *ctx, struct tsb_js_call *call)
{
	const char *json = tsb_js_arguments(call, NULL);
	char text[64];

	(void)ctx;
	if (!strcmp(json, "[\"apple\"]")) {
		snprintf(text, sizeof(text), "{\"name\":\"apple\",\"count\":%d}", 12);
		tsb_js_return(call, text, strlen(text));
	} else {
		tsb_js_throw(call, "ENOSTOCK", "there is no such thing");
	}
}

/* sandbox.log(text): no answer is undefined. */
static void log_line(void *ctx, struct tsb_js_call *call)
{
	int *lines = ctx;

	++*lines;
	printf("log %d: %s\n", *lines, tsb_js_arguments(call, NULL));
}

/* Only one host may be asked; all else is refused in the words of this program. */
static void fetch(void *ctx, const struct tsb_js_request *request, struct tsb_js_call *call)
{
	char text[256];

	(void)ctx;
	if (strncmp(request->url, "https://api.example/", 20) != 0) {
		tsb_js_throw(call, "EPERM", "only api.example may be asked");
		return;
	}
	if (!strcmp(request->url, "https://api.example/old")) {
		tsb_js_status(call, 301, "Moved Permanently");
		tsb_js_header(call, "location", "/new?moved=1");
		return;
	}
	tsb_js_status(call, 200, "OK");
	tsb_js_header(call, "content-type", "application/json");
	snprintf(text, sizeof(text), "{\"method\":\"%s\",\"path\":\"%s\",\"bytes\":%zu}", request->method,
		 request->url + 19, request->body_size);
	tsb_js_body(call, text, strlen(text));
}

static const char prelude[] =
	"globalThis.ask = async (path, init) => (await fetch(`https://api.example${path}`, init)).json();\n";

static void show(struct tsb_sandbox *box, const char *script)
{
	struct tsb_result *result;

	if (tsb_run(box, script, NULL, &result)) {
		printf("%s\n", tsb_error(box));
		return;
	}
	printf("%s%sstatus %d\n", tsb_result_out(result, NULL), tsb_result_err(result, NULL),
	       tsb_result_status(result));
	tsb_result_free(result);
}

int main(void)
{
	struct tsb_sandbox *box, *branch;
	int lines = 0;

	if (tsb_sandbox_open(&box, NULL) || tsb_js_function(box, "stock", stock, NULL) ||
	    tsb_js_function(box, "log", log_line, &lines) ||
	    tsb_js_prelude(box, prelude, strlen(prelude)) || tsb_js_fetch(box, fetch, NULL))
		return 1;
	show(box, "js -e 'console.log(sandbox.stock(`apple`), sandbox.log(1, [2], { three: 3 }))'");
	show(box, "js -e 'try { sandbox.stock(`plum`); } catch (e) { console.log(e.code, e.message); }'");
	show(box, "js --input-type=module -e '\n"
		  "console.log(await ask(`/things`, { method: `POST`, body: `ten bytes!` }));\n"
		  "console.log((await ask(`/old`)).path);\n"
		  "await fetch(`http://elsewhere.example/`).catch(e => console.log(e.message, e.cause.code, e.cause.message));'");
	if (tsb_branch(box, &branch) || tsb_js_fetch(branch, NULL, NULL))
		return 1;
	show(branch, "js -e 'ask(`/things`).catch(e => console.log(e.message, e.cause.message, sandbox.stock(`apple`).count))'");
	tsb_sandbox_close(branch);
	tsb_sandbox_close(box);
	return 0;
}
