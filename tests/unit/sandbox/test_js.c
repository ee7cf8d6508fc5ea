/* What js.h promises: functions, prelude, fetch, their limits and errors. */
#include <tinysandbox/js.h>

#include "box.h"

#ifdef HAVE_GUESTS
static const bool have_js = true;
#else
static const bool have_js = false;
#endif

/* ---- Functions ---- */

static void echo(void *ctx, struct tsb_js_call *call)
{
	size_t n;
	const char *json = tsb_js_arguments(call, &n);

	++*(int *)ctx;
	is_int(strlen(json), n, "the length of the arguments");
	tsb_js_return(call, json, n);
}

static void nothing(void *ctx, struct tsb_js_call *call)
{
	(void)ctx;
	(void)call;
}

static void fails(void *ctx, struct tsb_js_call *call)
{
	(void)ctx;
	tsb_js_return(call, "1", 1);
	tsb_js_throw(call, "ECODE", "a m\xc3\xa9ssage");
	is_int(tsb_js_throw(call, NULL, NULL), TSB_ERR_ARGUMENT, "no message");
	is_int(tsb_js_body(call, "x", 1), TSB_ERR_ARGUMENT, "a body where no fetch is");
	is_int(tsb_js_status(NULL, 200, NULL), TSB_ERR_ARGUMENT, "no call");
}

static void plain_error(void *ctx, struct tsb_js_call *call)
{
	tsb_js_throw(call, NULL, ctx);
}

static void not_json(void *ctx, struct tsb_js_call *call)
{
	tsb_js_return(call, ctx, strlen(ctx));
}

static void large(void *ctx, struct tsb_js_call *call)
{
	static char text[5000];

	(void)ctx;
	memset(text, '1', sizeof(text));
	is_int(tsb_js_return(call, text, sizeof(text)), TSB_ERR_MEMORY, "an answer beyond the limit");
	tsb_js_return(call, "1", 1);
}

/* Another sandbox, in the middle of a run. */
static void nested(void *ctx, struct tsb_js_call *call)
{
	struct tsb_sandbox *other;
	struct tsb_result *r;
	size_t n;
	const char *out;

	(void)ctx;
	if (tsb_sandbox_open(&other, NULL) || tsb_run(other, "node -p '[1, 2].map(x => x * 2).join()'", NULL, &r))
		return;
	out = tsb_result_out(r, &n);
	is_str(out, "2,4\n", "a run inside of a callback");
	tsb_js_return(call, "\"done\"", 6);
	tsb_result_free(r);
	tsb_sandbox_close(other);
}

static void busy(void *ctx, struct tsb_js_call *call)
{
	struct tsb_sandbox *box = ctx;

	is_int(tsb_js_function(box, "f", nothing, NULL), TSB_ERR_BUSY, "not while it runs");
	is_int(tsb_js_prelude(box, "1", 1), TSB_ERR_BUSY, "nor a prelude");
	is_int(tsb_js_fetch(box, NULL, NULL), TSB_ERR_BUSY, "nor fetch");
	tsb_js_return(call, "true", 4);
}

static void cancels(void *ctx, struct tsb_js_call *call)
{
	tsb_js_return(call, "[1,2,3]", 7);
	tsb_cancel_now(ctx);
}

static void test_names(void)
{
	struct tsb_sandbox *box = new_box(NULL);
	char name[300];

	is_int(tsb_js_function(box, "", nothing, NULL), TSB_ERR_ARGUMENT, "no name");
	is_int(tsb_js_function(box, "1a", nothing, NULL), TSB_ERR_ARGUMENT, "a digit first");
	is_int(tsb_js_function(box, "a-b", nothing, NULL), TSB_ERR_ARGUMENT, "no letter");
	is_str(tsb_error(box), "'a-b' cannot be the name of a function", "and why");
	is_int(tsb_js_function(box, NULL, nothing, NULL), TSB_ERR_ARGUMENT, "NULL");
	is_int(tsb_js_function(NULL, "a", nothing, NULL), TSB_ERR_ARGUMENT, "no sandbox");
	memset(name, 'a', sizeof(name));
	name[256] = 0;
	is_int(tsb_js_function(box, name, nothing, NULL), TSB_ERR_ARGUMENT, "256 letters");
	name[255] = 0;
	is_int(tsb_js_function(box, name, nothing, NULL), TSB_OK, "255 letters");
	is_int(tsb_js_function(box, name, NULL, NULL), TSB_OK, "and away again");
	is_int(tsb_js_function(box, "$_9", nothing, NULL), TSB_OK, "the other letters");
	is_int(tsb_js_prelude(box, NULL, 1), TSB_ERR_ARGUMENT, "a prelude that is not there");
	if (have_js)
		says(box, "node -p 'Object.keys(sandbox).join()'", "$_9\n");
	tsb_sandbox_close(box);
}

static void test_functions(void)
{
	struct tsb_sandbox *box = new_box(NULL);
	int calls = 0;

	says(box, "node -p 'typeof sandbox'", "undefined\n");
	tsb_js_function(box, "gone", nothing, NULL);
	tsb_js_function(box, "echo", nothing, NULL);
	tsb_js_function(box, "echo", echo, &calls);
	tsb_js_function(box, "nothing", nothing, NULL);
	tsb_js_function(box, "fails", fails, NULL);
	tsb_js_function(box, "plain", plain_error, "no code");
	tsb_js_function(box, "bad", not_json, "{]");
	tsb_js_function(box, "empty", not_json, "");
	tsb_js_function(box, "nested", nested, NULL);
	tsb_js_function(box, "busy", busy, box);
	tsb_js_function(box, "gone", NULL, NULL);
	says(box, "node -p 'JSON.stringify(sandbox.echo(1, `\xc3\xa9`, [null, undefined], {a: {}, f() {}}, undefined, `\\ud800`))'",
	     "[1,\"\xc3\xa9\",[null,null],{\"a\":{}},null,\"\\ud800\"]\n");
	says(box, "node -p 'Object.keys(sandbox).join() + sandbox.echo.name + sandbox.nothing(1)'",
	     "echo,nothing,fails,plain,bad,empty,nested,busyechoundefined\n");
	says(box, "node -e 'try { sandbox.fails() } catch (e) { console.log(e instanceof Error, e.code, e.message) }'",
	     "true ECODE a m\xc3\xa9ssage\n");
	says(box, "node -e 'try { sandbox.plain() } catch (e) { console.log(e.code, e.message) }'", "undefined no code\n");
	says(box, "node -e 'for (const f of [sandbox.bad, sandbox.empty]) try { f() } catch (e) { console.log(e.name, e.code) }'",
	     "TypeError ERR_INVALID_RETURN_VALUE\nTypeError ERR_INVALID_RETURN_VALUE\n");
	says(box, "node -e 'const c = {}; c.c = c; for (const v of [c, 1n]) try { sandbox.echo(v) } catch (e) { console.log(e.name) }'",
	     "TypeError\nTypeError\n");
	says(box, "node --input-type=module -e 'console.log(await sandbox.nested(), await sandbox.busy())'", "done true\n");
	says(box, "echo 'console.log(sandbox.echo(7)[0])' > f.js; node -e 'require(`./f`)' | cat; node f.js", "7\n7\n");
	is_int(calls, 3, "calls of echo");
	tsb_sandbox_close(box);
}

static void test_limits(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_run_options run = TSB_RUN_OPTIONS_INIT;
	struct tsb_limits limits;
	struct tsb_sandbox *box;
	struct tsb_result *r = NULL;

	tsb_limits_default(&limits);
	is_int(limits.js_memory_bytes, 64 << 20, "64 MiB for a script");
	limits.js_call_bytes = 4096;
	limits.js_memory_bytes = 8 << 20;
	opt.limits = &limits;
	box = new_box(&opt);
	tsb_js_function(box, "large", large, NULL);
	tsb_js_function(box, "nothing", nothing, NULL);
	says(box, "node -e 'try { sandbox.large() } catch (e) { console.log(e.code, e.message) }'",
	     "EMSGSIZE js_call_bytes limit reached (4096): the answer of sandbox.large()\n");
	says(box, "node -e 'sandbox.nothing(`a`.repeat(4092)); try { sandbox.nothing(`a`.repeat(4093)) } catch (e) { console.log(e.code, e.message) }'",
	     "EMSGSIZE js_call_bytes limit reached (4096): the arguments of sandbox.nothing()\n");
	says(box, "node -p 'process.constrainedMemory()'", "8388608\n");
	says(box, "node -e 'let a = []; try { for (;;) a.push(new Uint8Array(1 << 20)) } catch (e) { const n = a.length; a = 0; console.log(e.name, n > 1, n < 6) }'",
	     "RangeError true true\n");
	is_int(says(box, "node -e 'const a = []; for (;;) a.push({})' 2>/dev/null", ""), 134, "not caught");
	limits.js_memory_bytes = 0;
	run.limits = &limits;
	is_int(tsb_run(box, "node -e 1 2>/dev/null", &run, &r), TSB_OK, "runs");
	is_int(tsb_result_status(r), 134, "no memory at all");
	tsb_result_free(r);
	tsb_sandbox_close(box);
}

static void test_stop(void)
{
	struct tsb_run_options run = TSB_RUN_OPTIONS_INIT;
	struct tsb_sandbox *box = new_box(NULL);
	struct tsb_result *r = NULL;

	run.cancel = tsb_cancel_new();
	tsb_js_function(box, "cancels", cancels, run.cancel);
	is_int(tsb_run(box, "node -e 'sandbox.cancels(); console.log(1)'", &run, &r), TSB_OK, "runs");
	is_int(tsb_result_stop(r), TSB_STOP_CANCEL, "canceled in a callback");
	is_str(tsb_result_out(r, NULL), "", "and nothing more");
	tsb_result_free(r);
	tsb_cancel_free(run.cancel);
	tsb_sandbox_close(box);
}

static void test_prelude(void)
{
	static const char prelude[] = "const twice = x => 2 * x; var count = 1; globalThis.seen = typeof sandbox;";
	struct tsb_sandbox *box = new_box(NULL), *branch;

	tsb_js_prelude(box, "nonsense(", 9);
	is_int(tsb_js_prelude(box, prelude, strlen(prelude)), TSB_OK, "a prelude");
	says(box, "echo 'console.log(twice(count), seen)' > f.js; node f.js; node -p 'twice(21)'; echo 'export {}; console.log(twice(3))' > m.mjs; node m.mjs",
	     "2 undefined\n42\n6\n");
	is_int(tsb_branch(box, &branch), TSB_OK, "a branch");
	tsb_js_prelude(box, NULL, 0);
	says(box, "node -p 'typeof twice'", "undefined\n");
	says(branch, "node -p 'typeof twice'", "function\n");
	tsb_js_prelude(branch, "throw new RangeError('early')", 29);
	is_int(says(branch, "node -e 'console.log(1)' 2>/dev/null", ""), 1, "an error in the prelude");
	tsb_sandbox_close(branch);
	tsb_sandbox_close(box);
}

/* ---- fetch ---- */

struct seen {
	char text[2000];
	int calls;
};

static void remember(struct seen *s, const struct tsb_js_request *q)
{
	size_t n = (size_t)snprintf(s->text, sizeof(s->text), "%s %s", q->method, q->url);

	for (size_t i = 0; i < q->n_headers && n < 1500; i++)
		n += (size_t)snprintf(s->text + n, sizeof(s->text) - n, "|%s: %s", q->headers[i].name,
				      q->headers[i].value);
	if (q->body)
		snprintf(s->text + n, sizeof(s->text) - n, "|%.*s", (int)(q->body_size < 100 ? q->body_size : 100),
			 (const char *)q->body);
}

static void answer(void *ctx, const struct tsb_js_request *q, struct tsb_js_call *call)
{
	struct seen *s = ctx;
	const char *path = strchr(q->url + 8, '/');

	s->calls++;
	remember(s, q);
	if (!strcmp(path, "/silent"))
		return;
	if (!strcmp(path, "/fail")) {
		tsb_js_throw(call, "ECONNRESET", "read ECONNRESET");
		return;
	}
	if (!strcmp(path, "/loop") || !strcmp(path, "/away") || !strcmp(path, "/303")) {
		tsb_js_status(call, path[1] == '3' ? 303 : 302, "Found");
		tsb_js_header(call, "Location", path[1] == 'l' ? "/loop" : path[1] == 'a' ? "http://other.example/x" : "/y");
		return;
	}
	tsb_js_status(call, !strcmp(path, "/none") ? 204 : !strcmp(path, "/404") ? 404 : 200, "Fine");
	is_int(tsb_js_header(call, "a b", "x"), TSB_ERR_ARGUMENT, "no token");
	is_int(tsb_js_header(call, "a", "x\r\ny"), TSB_ERR_ARGUMENT, "two lines");
	is_int(tsb_js_status(call, 100, NULL), TSB_ERR_ARGUMENT, "no final status");
	tsb_js_header(call, "X-A", "1");
	tsb_js_header(call, "x-a", "2");
	tsb_js_header(call, "Set-Cookie", "c=1");
	tsb_js_header(call, "Set-Cookie", "d=2");
	tsb_js_body(call, "some\0", 5);
	tsb_js_body(call, "\xff bytes", 7);
}

#define MODULE(text) "cat > t.mjs <<'E'\n" text "\nE\nnode t.mjs"

static void test_fetch(void)
{
	struct tsb_sandbox *box = new_box(NULL);
	struct seen s = { .calls = 0 };

	says(box, MODULE("for (const u of ['http://a.example/', 'http://1.2.3.4:8080/', 'http://localhost/'])\n"
			 "await fetch(u).catch(e => console.log(e.name, e.message, e.cause.code, e.cause.message));"),
	     "TypeError fetch failed EAI_AGAIN getaddrinfo EAI_AGAIN a.example\n"
	     "TypeError fetch failed ENETUNREACH connect ENETUNREACH 1.2.3.4:8080 - Local (0.0.0.0:0)\n"
	     "TypeError fetch failed ECONNREFUSED connect ECONNREFUSED 127.0.0.1:80\n");
	is_int(tsb_js_fetch(box, answer, &s), TSB_OK, "a handler");
	says(box, MODULE("const r = await fetch('http://User.Example:80/a b?c#d', { headers: { 'X-Q': 'v', accept: 'text/plain' } });\n"
			 "console.log(r.status, r.statusText, r.ok, r.url, r.redirected, r.type, [...r.headers].join('|'));\n"
			 "console.log(new Uint8Array(await r.arrayBuffer()).join(), r.bodyUsed);\n"
			 "try { r.headers.set('a', 'b'); } catch (e) { console.log(e.name); }"),
	     "200 Fine true http://user.example/a%20b?c false basic set-cookie,c=1|set-cookie,d=2|x-a,1, 2\n"
	     "115,111,109,101,0,255,32,98,121,116,101,115 true\nTypeError\n");
	is_str(s.text, "GET http://user.example/a%20b?c|accept: text/plain|accept-language: *|sec-fetch-mode: cors|user-agent: node|x-q: v",
	       "what the handler saw");
	says(box, "node -e 'fetch(`https://h/`, {method: `post`, body: new URLSearchParams({a: `1 2`})}).then(r => r.text()).then(t => console.log(t.length))'",
	     "12\n");
	is_str(s.text, "POST https://h/|accept: */*|accept-language: *|content-length: 5|content-type: application/x-www-form-urlencoded;charset=UTF-8"
	       "|sec-fetch-mode: cors|user-agent: node|a=1+2", "a body");
	says(box, MODULE("for (const p of ['silent', 'fail', 'loop'])\n"
			 "await fetch('http://h/' + p).catch(e => console.log(e.message, '-', e.cause.code, e.cause.message));\n"
			 "await fetch('http://h/away', { redirect: 'error' }).catch(e => console.log(e.cause.message));\n"
			 "console.log((await fetch('http://h/away', { redirect: 'manual' })).status);\n"
			 "const r = await fetch('http://h/none'); console.log(r.status, r.body, await r.text());\n"
			 "console.log((await fetch('http://h/404')).ok);\n"
			 "await fetch('http://h:22/').catch(e => console.log(e.cause.message));\n"
			 "await fetch('ftp://h/').catch(e => console.log(e.cause.message));"),
	     "fetch failed - UND_ERR_SOCKET other side closed\nfetch failed - ECONNRESET read ECONNRESET\n"
	     "fetch failed - undefined redirect count exceeded\nunexpected redirect\n302\n204 null \nfalse\nbad port\nunknown scheme\n");
	s.calls = 0;
	says(box, MODULE("const r = await fetch('http://h/away', { headers: { authorization: 'secret', cookie: 'c', x: 'y' } });\n"
			 "console.log(r.url, r.redirected);"), "http://other.example/x true\n");
	is_int(s.calls, 2, "each hop is asked for");
	is_str(s.text, "GET http://other.example/x|accept: */*|accept-language: *|sec-fetch-mode: cors|user-agent: node|x: y", "without the secrets");
	says(box, "node -e 'fetch(`http://h/303`, {method: `PUT`, body: `x`}).then(r => console.log(r.url))'", "http://h/y\n");
	is_str(s.text, "GET http://h/y|accept: */*|accept-language: *|sec-fetch-mode: cors|user-agent: node", "303 is a GET");
	tsb_sandbox_close(box);
}

static void test_abort(void)
{
	struct tsb_sandbox *box = new_box(NULL);
	struct seen s = { .calls = 0 };

	tsb_js_fetch(box, answer, &s);
	says(box, MODULE("await fetch('http://h/', { signal: AbortSignal.abort() }).catch(e => console.log(e.name));\n"
			 "const c = new AbortController();\n"
			 "const p = fetch('http://h/', { signal: c.signal }); c.abort(new Error('mine'));\n"
			 "await p.catch(e => console.log(e.message));"), "AbortError\nmine\n");
	is_int(s.calls, 0, "nothing was asked");
	tsb_sandbox_close(box);
}

static void endless(void *ctx, const struct tsb_js_request *q, struct tsb_js_call *call)
{
	int n = 0;

	(void)q;
	tsb_js_status(call, 200, NULL);
	while (!tsb_js_body(call, "0123456789abcdef", 16))
		n++;
	*(int *)ctx = n;
}

static void test_fetch_limits(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	struct tsb_sandbox *box;
	int n = 0;

	tsb_limits_default(&limits);
	limits.js_call_bytes = 1000;
	opt.limits = &limits;
	box = new_box(&opt);
	tsb_js_fetch(box, endless, &n);
	says(box, MODULE("await fetch('http://h/').catch(e => console.log(e.cause.code, e.cause.message));\n"
			 "await fetch('http://h/', { method: 'POST', body: 'x'.repeat(1000) }).catch(e => console.log(e.cause.message));"),
	     "EMSGSIZE js_call_bytes limit reached (1000): the answer of h\njs_call_bytes limit reached (1000): the request to h\n");
	is_int(n, 62, "pieces that fitted");
	tsb_sandbox_close(box);
}

int main(void)
{
	test_names();
	if (have_js) {
		test_functions();
		test_limits();
		test_stop();
		test_prelude();
		test_fetch();
		test_abort();
		test_fetch_limits();
	}
	return done();
}
