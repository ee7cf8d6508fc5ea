/*
 * tinysandbox/js.h - what the embedding program offers to JavaScript in a sandbox.
 *
 *	static void add(void *ctx, struct tsb_js_call *call)
 *	{
 *		const char *json = tsb_js_arguments(call, NULL);	// "[1,2]"
 *		...
 *		tsb_js_return(call, "3", 1);
 *	}
 *	tsb_js_function(box, "add", add, NULL);
 *	tsb_run(box, "js -e 'console.log(await sandbox.add(1, 2))'", NULL, &result);
 *
 * Three things can be offered: functions, a script that runs before every
 * script, and the answers to fetch(). They are there in all `js` and `node`
 * processes of the sandbox's runs, and in its branches. A sandbox that is offered
 * nothing has no `sandbox` object, and its fetch() fails as on a machine
 * without a network.
 *
 * Ownership: names, sources and answers are copied; ctx is borrowed and must
 * outlive the sandbox and its branches. What a callback is given is borrowed
 * until it returns.
 * Threads: a callback is called on the thread of the run, on its own stack; of
 * several runs at once on several threads, so ctx must bear that. While it runs,
 * everything in that run waits, and no limit of it fires: a callback
 * that may take long keeps a clock of its own. The run's deadline and cancels are
 * looked at when it returns. It may use other sandboxes; of its own only runs
 * outside the session (tsb_run_options.fresh), and no call that is refused
 * while a run is in progress.
 * Errors: enum tsb_status. The tsb_js_*() calls below that are made inside a
 * callback return TSB_ERR_ARGUMENT for what is not valid and TSB_ERR_MEMORY
 * when the answer is larger than the limit js_call_bytes or than the memory that
 * is there; the script then gets that as an error, whatever else the callback does.
 */
#ifndef TINYSANDBOX_JS_H
#define TINYSANDBOX_JS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

struct tsb_sandbox;
/* One call from a script, while its callback runs. */
struct tsb_js_call;

/* ---- Functions: sandbox.NAME(...) ---- */

/*
 * The script's arguments are given as one JSON array, as JSON.stringify() makes it
 * (undefined and functions are null; what has no JSON is the script's TypeError).
 * The callback answers with tsb_js_return() or tsb_js_throw(); the last one counts;
 * without an answer the value is undefined. For the script the call is
 * synchronous: it may await the value or not.
 */
typedef void tsb_js_function_fn(void *ctx, struct tsb_js_call *call);

/* name: letters, digits, '_' and '$', no digit first, at most 255; it replaces one of
 * that name; fn NULL takes it away. TSB_ERR_BUSY while a run is in progress. */
int tsb_js_function(struct tsb_sandbox *box, const char *name, tsb_js_function_fn *fn, void *ctx);

/* NUL-terminated UTF-8; its length into *n (may be NULL). */
const char *tsb_js_arguments(const struct tsb_js_call *call, size_t *n);
/* The value: JSON text of n bytes. What is not JSON is an error in the script (code
 * ERR_INVALID_RETURN_VALUE). */
int tsb_js_return(struct tsb_js_call *call, const char *json, size_t n);
/* The script gets an Error with this message and this code (NULL: none). */
int tsb_js_throw(struct tsb_js_call *call, const char *code, const char *message);

/* ---- Prelude ---- */

/* A script of n bytes that runs in the global scope before each script; what it declares is
 * there for all. An error in it ends the process as an uncaught one does. NULL: none. It
 * replaces the one before. TSB_ERR_BUSY while a run is in progress. */
int tsb_js_prelude(struct tsb_sandbox *box, const char *source, size_t n);

/* ---- fetch ---- */

struct tsb_js_header {
	const char *name, *value;
};

struct tsb_js_request {
	size_t size;			/* sizeof(struct tsb_js_request) */
	const char *method;		/* "GET" ... */
	const char *url;		/* http: or https:, normalised, without fragment and credentials */
	const struct tsb_js_header *headers;	/* names in small letters, sorted; values are bytes (ISO-8859-1) */
	size_t n_headers;
	const void *body;		/* NULL: none */
	size_t body_size;
};

/*
 * One request, one answer: tsb_js_status(), then headers and body in any order and as many
 * pieces as you like. tsb_js_throw() makes fetch() reject with "fetch failed", the error as
 * its cause; so does no answer at all. The body is given as it is to be read: nothing asks for
 * compression, nothing is decompressed. Redirects are followed by fetch() itself, so each
 * hop is asked for here and can be refused. Nothing is filtered: which hosts, ports and
 * methods are allowed is for the callback to decide.
 */
typedef void tsb_js_fetch_fn(void *ctx, const struct tsb_js_request *request,
			     struct tsb_js_call *call);

/* fn NULL: no network, as at first. TSB_ERR_BUSY while a run is in progress. */
int tsb_js_fetch(struct tsb_sandbox *box, tsb_js_fetch_fn *fn, void *ctx);

/* status: 200 to 599; text may be NULL. Begins the answer anew. */
int tsb_js_status(struct tsb_js_call *call, int status, const char *text);
/* name: an HTTP token; value: no CR, LF or NUL. The same name again: one more. */
int tsb_js_header(struct tsb_js_call *call, const char *name, const char *value);
/* n more bytes of the body. */
int tsb_js_body(struct tsb_js_call *call, const void *data, size_t n);

/*
 * Limits (struct tsb_limits): js_call_bytes bounds the arguments or the request of a call,
 * and its answer, each with all its parts; js_memory_bytes the memory of one script.
 */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
