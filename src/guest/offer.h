/*
 * What the embedding program offers to scripts (<tinysandbox/js.h>): the sandbox
 * keeps it, the kernel carries it through a run without knowing what it is, and
 * the calls of sys_offer.c use it.
 */
#ifndef GUEST_OFFER_H
#define GUEST_OFFER_H

#include <stdbool.h>
#include <stddef.h>

#include <tinysandbox/js.h>

struct offer_function {
	char *name;
	tsb_js_function_fn *fn;
	void *ctx;
};

struct offers {
	struct offer_function *functions;
	size_t n;
	char *prelude;			/* NULL: none */
	size_t prelude_n;
	tsb_js_fetch_fn *fetch;		/* NULL: no network */
	void *fetch_ctx;
};

struct offer_text {
	char *at;			/* from malloc: a callback has no process */
	size_t n, cap;
};

enum offer_answer { OFFER_NOTHING, OFFER_VALUE, OFFER_ERROR };

/* A call and its answer: JSON or a body; a message; status and headers, "TEXT\0NAME\0VALUE\0...". */
struct tsb_js_call {
	const char *arguments;
	size_t arguments_n;
	size_t left;			/* bytes that the answer may still have */
	enum offer_answer answer;
	bool too_large;
	int status;
	struct offer_text head, body;
};

/* What the answer has taken goes; the call can be used again. */
void offer_call_end(struct tsb_js_call *call);

#endif
